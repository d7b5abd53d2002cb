// The C API: validation. Each call checks handles and structs, then does what its C++ namesake does.
#include "oclide/validation.hpp"

#include <string>
#include <vector>

#include "c_api/convert.hpp"

using namespace oclide::c_api;  // NOLINT(google-build-using-namespace): the functions below are C's

namespace {

std::string lines_of(const std::vector<std::string>& texts) {
  std::string lines;
  for (const std::string& text : texts) lines += text + "\n";
  return lines;
}

}  // namespace

oclide_status oclide_validator_create(const oclide_scene* scene, double margin, oclide_validator** validator) {
  if (validator != nullptr) *validator = nullptr;
  return call_with<SceneObject>(scene, Use::alone, [&](SceneObject& object) {
    output(validator, "validator");
    auto made = std::make_shared<ValidatorObject>(object.scene, margin);
    *validator = static_cast<oclide_validator*>(keep(std::move(made)));
  });
}

oclide_status oclide_validator_destroy(oclide_validator* validator) {
  return destroy<ValidatorObject>(validator);
}

oclide_status oclide_validator_update_heights(oclide_validator* validator, size_t terrain, size_t first_row,
                                              size_t first_col, size_t rows, size_t cols, const double* heights,
                                              size_t heights_count) {
  return call_with<ValidatorObject>(validator, Use::alone, [&](ValidatorObject& object) {
    object.validator.update_heights(terrain, first_row, first_col, rows, cols,
                                    array(heights, heights_count, "update_heights: heights"));
  });
}

oclide_status oclide_validator_update_holes(oclide_validator* validator, size_t terrain, size_t first_row,
                                            size_t first_col, size_t rows, size_t cols, const uint8_t* holes,
                                            size_t holes_count) {
  return call_with<ValidatorObject>(validator, Use::alone, [&](ValidatorObject& object) {
    object.validator.update_holes(terrain, first_row, first_col, rows, cols,
                                  array(holes, holes_count, "update_holes: holes"));
  });
}

oclide_status oclide_validator_update_material(oclide_validator* validator, size_t terrain, size_t first_row,
                                               size_t first_col, size_t rows, size_t cols, const uint8_t* material,
                                               size_t material_count) {
  return call_with<ValidatorObject>(validator, Use::alone, [&](ValidatorObject& object) {
    object.validator.update_material(terrain, first_row, first_col, rows, cols,
                                     array(material, material_count, "update_material: material"));
  });
}

oclide_status oclide_validator_move_terrain(oclide_validator* validator, size_t terrain, double x, double y) {
  return call_with<ValidatorObject>(validator, Use::alone, [&](ValidatorObject& object) {
    object.validator.move_terrain(terrain, {x, y});
  });
}

oclide_status oclide_validator_change_tiles(oclide_validator* validator, size_t ground, const size_t* removed,
                                            size_t removed_count, const oclide_terrain* const* added,
                                            size_t added_count) {
  return call_with<ValidatorObject>(validator, Use::alone, [&](ValidatorObject& object) {
    (void)object.validator.change_tiles(to_tile_changes(ground, removed, removed_count, added, added_count));
  });
}

oclide_status oclide_validator_change(oclide_validator* validator, const oclide_body_changes* changes) {
  return call_with<ValidatorObject>(validator, Use::alone, [&](ValidatorObject& object) {
    (void)object.validator.change(to_body_changes(changes));
    object.bodies = object.validator.rows();
  });
}

oclide_status oclide_validator_add_frame(oclide_validator* validator, const double* position, const double* orientation,
                                         size_t bodies, const oclide_contact* contacts, size_t contacts_count) {
  return call_with<ValidatorObject>(validator, Use::alone, [&](ValidatorObject& object) {
    const oclide::Poses poses = to_poses(position, orientation, bodies, object.bodies);
    const auto given = array(contacts, contacts_count, "contacts");
    object.validator.add_frame(poses, {reinterpret_cast<const oclide::Contact*>(given.data()), given.size()});
  });
}

oclide_status oclide_validator_report(oclide_validator* validator, oclide_validation_report* report) {
  return call_with<ValidatorObject>(validator, Use::alone, [&](ValidatorObject& object) {
    const OutStruct out(report, "oclide_validation_report");
    const oclide::ValidationReport& found = object.validator.report();
    object.examples = lines_of(found.examples);
    oclide_validation_report known{};
    known.frames = found.frames;
    known.bodies_checked = found.bodies_checked;
    known.pairs_device = found.pairs_device;
    known.pairs_reference = found.pairs_reference;
    known.only_device = found.only_device;
    known.only_reference = found.only_reference;
    known.contacts_device = found.contacts_device;
    known.contacts_reference = found.contacts_reference;
    known.unmatched_device = found.unmatched_device;
    known.unmatched_reference = found.unmatched_reference;
    known.largest_depth_error = found.largest_depth_error;
    known.largest_depth_error_relative = found.largest_depth_error_relative;
    known.largest_normal_error = found.largest_normal_error;
    known.largest_point_error = found.largest_point_error;
    known.undecided = found.undecided;
    known.deepest = found.deepest;
    known.examples = object.examples.c_str();
    known.holds = found.holds() ? 1 : 0;
    out.set(known);
  });
}

oclide_status oclide_validator_add_cast(oclide_validator* validator, const double* position, const double* orientation,
                                        size_t bodies, const oclide_rays* rays, const oclide_hit* hits,
                                        size_t hits_count) {
  return call_with<ValidatorObject>(validator, Use::alone, [&](ValidatorObject& object) {
    const oclide::Poses poses = to_poses(position, orientation, bodies, object.bodies);
    const auto given = array(hits, hits_count, "hits");
    object.validator.add_cast(poses, to_rays(rays), {reinterpret_cast<const oclide::Hit*>(given.data()), given.size()});
  });
}

oclide_status oclide_validator_ray_report(oclide_validator* validator, oclide_ray_report* report) {
  return call_with<ValidatorObject>(validator, Use::alone, [&](ValidatorObject& object) {
    const OutStruct out(report, "oclide_ray_report");
    const oclide::RayReport& found = object.validator.ray_report();
    object.ray_examples = lines_of(found.examples);
    oclide_ray_report known{};
    known.casts = found.casts;
    known.rays = found.rays;
    known.hits_device = found.hits_device;
    known.hits_reference = found.hits_reference;
    known.only_device = found.only_device;
    known.only_reference = found.only_reference;
    known.wrong_hits = found.wrong_hits;
    known.wrong_normals = found.wrong_normals;
    known.other_bodies = found.other_bodies;
    known.silhouettes = found.silhouettes;
    known.largest_distance_error = found.largest_distance_error;
    known.largest_normal_error = found.largest_normal_error;
    known.examples = object.ray_examples.c_str();
    known.holds = found.holds() ? 1 : 0;
    out.set(known);
  });
}

oclide_status oclide_validator_add_sweep(oclide_validator* validator, const double* position, const double* orientation,
                                         size_t bodies, const oclide_motion* motion, const oclide_impact* impacts,
                                         size_t impacts_count) {
  return call_with<ValidatorObject>(validator, Use::alone, [&](ValidatorObject& object) {
    const oclide::Poses poses = to_poses(position, orientation, bodies, object.bodies);
    const auto given = array(impacts, impacts_count, "impacts");
    object.validator.add_sweep(poses, to_motion(motion),
                               {reinterpret_cast<const oclide::Impact*>(given.data()), given.size()});
  });
}

oclide_status oclide_validator_sweep_report(oclide_validator* validator, oclide_sweep_report* report) {
  return call_with<ValidatorObject>(validator, Use::alone, [&](ValidatorObject& object) {
    const OutStruct out(report, "oclide_sweep_report");
    const oclide::SweepReport& found = object.validator.sweep_report();
    object.sweep_examples = lines_of(found.examples);
    oclide_sweep_report known{};
    known.sweeps = found.sweeps;
    known.impacts_device = found.impacts_device;
    known.impacts_reference = found.impacts_reference;
    known.only_reference = found.only_reference;
    known.wrong_impacts = found.wrong_impacts;
    known.undecided = found.undecided;
    known.largest_time_error = found.largest_time_error;
    known.examples = object.sweep_examples.c_str();
    known.holds = found.holds() ? 1 : 0;
    out.set(known);
  });
}
