
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "oclide/validation.hpp"
#include "reference/body_contacts.hpp"
#include "reference/broad_phase/body_pairs.hpp"
#include "reference/broad_phase/terrain_range.hpp"
#include "reference/joined_ground.hpp"
#include "scene/body_margin.hpp"
#include "scene/body_rows.hpp"
#include "scene/scene_check.hpp"
#include "scene/terrain_of.hpp"
#include "scene/tile_store.hpp"
#include "threads/parallel_for.hpp"
#include "upload/compound_bodies.hpp"
#include "validation/contact_errors.hpp"
#include "validation/impact_check.hpp"
#include "validation/mesh_check.hpp"
#include "validation/pair_check.hpp"
#include "validation/ray_check.hpp"
#include "validation/solid_overlap.hpp"
#include "validation/tolerances.hpp"
#include "validation/true_contact.hpp"

namespace oclide {

using namespace reference;
using namespace validation;

namespace {

bool same_normal(const DeviceContact& device, const GroundContact& reference) {
  return angle(device.normal, reference.normal) <= kNormal + reference.normal_uncertainty;
}

// The checks of one body in one frame.
struct BodyCheck {
  ValidationReport report;
  std::string where;  // frame, body, shape

  void example(const std::string& what) { add_example(report, where + ": " + what); }

  // Each contact of the device: true by itself, and one of the definition's.
  void check_device_contact(const Body& body, const TerrainSurface& ground, const DeviceContact& device,
                            const std::vector<GroundContact>& all) {
    char text[200];
    std::snprintf(text, sizeof text, " (depth %.6g, normal %.4f %.4f %.4f, point %.5f %.5f %.5f from the centre)",
                  device.depth, device.normal.x, device.normal.y, device.normal.z, device.point.x, device.point.y,
                  device.point.z);
    report.deepest = std::max(report.deepest, device.depth);
    if (const std::string what = what_is_false(body, ground, device.point, device.normal, device.depth);
        !what.empty()) {
      ++report.unmatched_device;
      return example("false contact, " + what + text);
    }
    const GroundContact* best = nullptr;
    for (const GroundContact& c : all) {
      if (!same_normal(device, c) || std::abs(device.depth - c.depth) > depth_tolerance(c.depth)) continue;
      if (!best || glm::distance(c.point, device.point) < glm::distance(best->point, device.point)) best = &c;
    }
    if (!best) {
      ++report.unmatched_device;
      return example("the reference has no such contact" + std::string(text));
    }
    note_errors(device, *best, report);
  }

  // Each manifold of the reference that no rounding can undo: the device has its normal and depth.
  void check_reference_manifold(const GroundContact& deepest, const std::vector<DeviceContact>& device) {
    if (deepest.optional || deepest.depth <= kLength) return;
    for (const DeviceContact& d : device)
      if (same_normal(d, deepest) && d.depth >= deepest.depth - depth_tolerance(deepest.depth)) return;
    ++report.unmatched_reference;
    char text[160];
    std::snprintf(text, sizeof text, "the device lacks a manifold of depth %.6g, normal %.4f %.4f %.4f (%s)",
                  deepest.depth, deepest.normal.x, deepest.normal.y, deepest.normal.z, to_string(deepest.kind));
    example(text);
  }

  void check(const Body& body, const TerrainSurface& ground, const std::vector<DeviceContact>& device, double margin) {
    const std::vector<GroundContact> all = ground_contacts(body, ground, margin);
    const std::vector<GroundContact> those_held = held(all);
    const auto manifolds = reduce_contacts(those_held);
    report.pairs_reference = those_held.empty() ? 0 : 1;
    for (const auto& manifold : manifolds) report.contacts_reference += manifold.size();

    if (device.empty()) {
      check_missed(body, ground, those_held, margin);
    } else if (those_held.empty()) {
      double deepest = device.front().depth;
      for (const DeviceContact& d : device) deepest = std::max(deepest, d.depth);
      if (deepest > kLength - margin) {
        ++report.only_device;
        example("touches on the device alone, depth " + std::to_string(deepest));
      }
    }
    for (const DeviceContact& d : device) check_device_contact(body, ground, d, all);
    if (!device.empty())
      for (const auto& manifold : manifolds) check_reference_manifold(manifold.front(), device);
  }

  // A body without a contact on the device: neither the reference's contacts nor the solids themselves ask for one.
  void check_missed(const Body& body, const TerrainSurface& ground, const std::vector<GroundContact>& those_held,
                    double margin) {
    for (const GroundContact& c : those_held)
      if (c.depth > kLength - margin) {
        ++report.only_reference;
        return example("touches in the reference alone, depth " + std::to_string(c.depth));
      }
    // When the body still overlaps after all its sides have moved in by the tolerance, no move of that length clears
    // it.
    const std::optional<Body> inner = body.eroded(kLength);
    if (inner && overlap_depth_vertical(*inner, ground) > 0.0) {
      ++report.only_reference;
      example("overlaps the ground by more than the tolerance without a contact");
    }
  }
};

void merge(ValidationReport& into, const ValidationReport& from) {
  into.pairs_device += from.pairs_device;
  into.pairs_reference += from.pairs_reference;
  into.only_device += from.only_device;
  into.only_reference += from.only_reference;
  into.contacts_reference += from.contacts_reference;
  into.unmatched_device += from.unmatched_device;
  into.unmatched_reference += from.unmatched_reference;
  into.largest_depth_error = std::max(into.largest_depth_error, from.largest_depth_error);
  into.largest_depth_error_relative = std::max(into.largest_depth_error_relative, from.largest_depth_error_relative);
  into.largest_normal_error = std::max(into.largest_normal_error, from.largest_normal_error);
  into.largest_point_error = std::max(into.largest_point_error, from.largest_point_error);
  into.deepest = std::max(into.deepest, from.deepest);
  for (const std::string& line : from.examples) add_example(into, line);
}

// What a body of the reference, which is a part where the scene has compounds, is called.
struct Names {
  const Bodies* bodies;
  const CompoundBodies* compounds;  // or nothing

  [[nodiscard]] std::string operator()(std::size_t i) const {
    const std::string shape = to_string(bodies->shape[i]);
    if (compounds == nullptr) return shape + " " + std::to_string(i);
    const std::size_t body = compounds->body_of(i);
    if (!compounds->is_compound(body)) return shape + " " + std::to_string(body);
    return "shape " + std::to_string(compounds->shape_of(i)) + " (" + shape + ") of body " + std::to_string(body);
  }
};

// The contacts of bodies as contacts between their parts, in the order and with the numbers that these have. What names
// no shape or is out of the order of bodies and shapes is counted and left out.
std::vector<Contact> contacts_of_parts(std::span<const Contact> contacts, const CompoundBodies& compounds,
                                       const std::string& frame, ValidationReport& report) {
  const auto order = [](const Contact& c) { return std::tuple(c.body_a, c.body_b, c.shape_a, c.shape_b, c.manifold); };
  const auto names_shape = [&](std::uint32_t body, std::uint16_t shape) {
    return body < compounds.bodies() && shape < compounds.parts_of(body);
  };
  std::vector<Contact> result;
  result.reserve(contacts.size());
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    Contact c = contacts[k];
    const bool on_terrain = c.body_b == kTerrain;
    const char* problem = nullptr;
    if (!names_shape(c.body_a, c.shape_a) || !(on_terrain ? c.shape_b == 0 : names_shape(c.body_b, c.shape_b)))
      problem = "names no shape";
    else if (k > 0 && order(c) < order(contacts[k - 1]))
      problem = "out of order";
    else if (k > 0 && c.manifold != contacts[k - 1].manifold && c.manifold != contacts[k - 1].manifold + 1)
      problem = "wrong number of its manifold";
    if (problem != nullptr) {
      ++report.contacts_device;
      ++report.unmatched_device;
      add_example(report, frame + ", contact " + std::to_string(k) + " of bodies " + std::to_string(c.body_a) +
                              " and " + std::to_string(c.body_b) + ", shapes " + std::to_string(c.shape_a) + " and " +
                              std::to_string(c.shape_b) + ": " + problem);
      continue;
    }
    c.body_a = static_cast<std::uint32_t>(compounds.first_part_of(c.body_a) + c.shape_a);
    if (!on_terrain) c.body_b = static_cast<std::uint32_t>(compounds.first_part_of(c.body_b) + c.shape_b);
    result.push_back(c);
  }
  std::sort(result.begin(), result.end(), [](const Contact& c, const Contact& d) {
    return std::tuple(c.body_a, c.body_b, c.manifold) < std::tuple(d.body_a, d.body_b, d.manifold);
  });
  std::uint32_t number = 0, last = result.empty() ? 0 : result.front().manifold;
  for (Contact& c : result) {
    if (c.manifold != last) ++number;
    last = std::exchange(c.manifold, number);
  }
  return result;
}

// The contacts of two bodies on the device: [first, last) of the frame's contacts.
struct DevicePair {
  BodyPair pair;
  std::size_t first, last;
};

// Contacts between bodies by pair, in the order of pairs; what is out of order, not numbered as manifolds are, or of no
// two bodies is counted.
std::vector<DevicePair> pairs_of(std::span<const Contact> contacts, const Bodies& bodies, const std::string& frame,
                                 ValidationReport& report) {
  std::vector<DevicePair> pairs;
  const auto is_mesh = [&](std::uint32_t body) {
    return body < bodies.count() && bodies.shape[body] == Shape::triangle_mesh;
  };
  const auto reject = [&](std::size_t k, const std::string& what) {
    ++report.unmatched_device;
    add_example(report, frame + ", contact " + std::to_string(k) + " of bodies " + std::to_string(contacts[k].body_a) +
                            " and " + std::to_string(contacts[k].body_b) + ": " + what);
  };
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const Contact& c = contacts[k];
    const bool of_bodies = c.body_b != kTerrain;
    if (of_bodies) {
      ++report.contacts_device;
      if (c.body_a >= c.body_b || c.body_b >= bodies.count()) {
        reject(k, "not two bodies, the lower index first");
        continue;
      }
    }
    const bool begins = k == 0 || contacts[k - 1].body_a != c.body_a || contacts[k - 1].body_b != c.body_b;
    if (k > 0 && (of_bodies || contacts[k - 1].body_b != kTerrain)) {
      const Contact& before = contacts[k - 1];
      if (std::pair(before.body_a, before.body_b) > std::pair(c.body_a, c.body_b)) reject(k, "out of order");
      // Of two convex bodies there is one manifold, with a mesh there are any number.
      else if (begins ? c.manifold <= before.manifold
                      : c.manifold != before.manifold &&
                            !(c.manifold == before.manifold + 1 && (is_mesh(c.body_a) || is_mesh(c.body_b))))
        reject(k, "wrong number of its manifold, " + std::to_string(c.manifold) + " after " +
                      std::to_string(before.manifold));
    }
    if (!of_bodies) continue;
    if (begins) pairs.push_back({{c.body_a, c.body_b}, k, k});
    pairs.back().last = k + 1;
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const auto& p, const auto& q) { return p.pair < q.pair; });
  return pairs;
}

}  // namespace

struct Validator::State {
  SharedGeometry geometry;
  Scene scene;                              // with the parts of compounds as bodies
  std::optional<CompoundBodies> compounds;  // where there are any
  BodyRows rows;
  TileStore tiles;
  double margin = 0.0;
  ValidationReport report;
  RayReport ray_report;
  SweepReport sweep_report;

  void set_ground(const GroundChange& change) { scene.terrains[change.ground] = ground_of_tiles(change.tiles); }
  void update_cells(const char* call, std::vector<std::uint8_t> Terrain::*array, std::size_t terrain,
                    const GridPart& part, std::span<const std::uint8_t> values) {
    check_cell_update(call, tiles.sizes(), terrain, part.row, part.col, part.rows, part.cols, values.size());
    if (values.empty()) return;
    if (tiles.is_tile(terrain))
      set_ground(tiles.update_cells(array, terrain, part, values));
    else
      write_cells(scene.terrains[terrain], array, part, values);
  }
};

Validator::Validator(const Scene& scene, double margin) : state_(std::make_unique<State>()) {
  check_margin(margin);
  state_->geometry = checked_geometry(scene);
  if (CompoundBodies::are_in(scene)) state_->compounds.emplace(scene);
  state_->scene = state_->compounds ? state_->compounds->expanded(scene) : scene;
  state_->margin = margin;
  state_->rows.set(scene);
  state_->tiles.set(scene.terrains);
  state_->scene.terrains = with_grounds_joined(std::move(state_->scene.terrains));
}
Validator::~Validator() = default;
Validator::Validator(Validator&&) noexcept = default;
Validator& Validator::operator=(Validator&&) noexcept = default;

const ValidationReport& Validator::report() const {
  return state_->report;
}
const RayReport& Validator::ray_report() const {
  return state_->ray_report;
}
const SweepReport& Validator::sweep_report() const {
  return state_->sweep_report;
}

namespace {

// All pairs of bodies that may touch in the reference or do so on the device.
void check_pairs(const Scene& scene, const Geometry& geometry, const Names& names, const Poses& poses,
                 std::span<const Contact> contacts, double margin, ValidationReport& report) {
  const std::string frame = "frame " + std::to_string(report.frames);
  const std::vector<DevicePair> device = pairs_of(contacts, scene.bodies, frame, report);
  std::vector<DevicePair> all;
  std::size_t next = 0;
  for (const BodyPair& pair : body_pairs(scene.bodies, geometry, poses, margin)) {
    for (; next < device.size() && device[next].pair < pair; ++next) all.push_back(device[next]);
    if (next == device.size() || device[next].pair != pair) all.push_back({pair, 0, 0});
  }
  all.insert(all.end(), device.begin() + static_cast<std::ptrdiff_t>(next), device.end());

  const MeetRules rules(scene.bodies);
  constexpr std::size_t kPairsAtOnce = 256;
  std::vector<ValidationReport> reports((all.size() + kPairsAtOnce - 1) / kPairsAtOnce);
  parallel_for(reports.size(), [&](std::size_t chunk) {
    const std::size_t last = std::min(all.size(), (chunk + 1) * kPairsAtOnce);
    for (std::size_t k = chunk * kPairsAtOnce; k < last; ++k) {
      const auto [a, b] = all[k].pair;
      const dvec3 centre = centre_of(poses, a);
      std::vector<DeviceContact> found;
      for (const Contact& c : contacts.subspan(all[k].first, all[k].last - all[k].first))
        found.push_back({dvec3(c.point[0], c.point[1], c.point[2]) - centre,
                         dvec3(c.normal[0], c.normal[1], c.normal[2]), static_cast<double>(c.depth), c.element,
                         c.material});
      const std::string where = frame + ", " + names(a) + " and " + names(b);
      const bool has_mesh =
          scene.bodies.shape[a] == Shape::triangle_mesh || scene.bodies.shape[b] == Shape::triangle_mesh;
      (has_mesh ? check_mesh_pair : check_pair)(body_at(scene.bodies, geometry, poses, a),
                                                body_at(scene.bodies, geometry, poses, b), centre_of(poses, b) - centre,
                                                rules.may_meet(a, b), found, pair_margin(margin, scene.bodies, a, b),
                                                where, reports[chunk]);
    }
  });
  for (const ValidationReport& part : reports) merge(report, part);
}

}  // namespace

std::vector<BodyHandle> Validator::change(const BodyChanges& changes) {
  State& state = *state_;
  std::vector<BodyHandle> handles = state.rows.apply(changes);
  const Scene& rows = state.rows.scene();
  state.compounds.reset();
  if (CompoundBodies::are_in(rows)) state.compounds.emplace(rows);
  state.scene.bodies = state.compounds ? state.compounds->parts_as_bodies(rows) : rows.bodies;
  return handles;
}

std::size_t Validator::rows() const {
  return state_->rows.count();
}

void Validator::update_heights(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                               std::size_t cols, std::span<const double> heights) {
  check_height_update(state_->tiles.sizes(), terrain, first_row, first_col, rows, cols, heights);
  if (heights.empty()) return;
  const GridPart part{first_row, first_col, rows, cols};
  if (state_->tiles.is_tile(terrain))
    state_->set_ground(state_->tiles.update_heights(terrain, part, heights));
  else
    write_heights(state_->scene.terrains[terrain], part, heights);
}

void Validator::update_holes(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                             std::size_t cols, std::span<const std::uint8_t> holes) {
  state_->update_cells("update_holes", &Terrain::holes, terrain, {first_row, first_col, rows, cols}, holes);
}

void Validator::update_material(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                                std::size_t cols, std::span<const std::uint8_t> material) {
  state_->update_cells("update_material", &Terrain::material, terrain, {first_row, first_col, rows, cols}, material);
}

void Validator::move_terrain(std::size_t terrain, std::array<double, 2> origin) {
  check_move(state_->tiles.sizes(), terrain, origin);
  if (state_->tiles.is_tile(terrain))
    state_->set_ground(state_->tiles.move(terrain, origin));
  else
    state_->scene.terrains[terrain].origin = origin;
}

std::vector<std::size_t> Validator::change_tiles(TileChanges changes) {
  std::vector<std::size_t> added;
  state_->set_ground(state_->tiles.change(std::move(changes), added));
  return added;
}

void Validator::add_frame(const Poses& poses, std::span<const Contact> contacts) {
  const std::optional<CompoundBodies>& compounds = state_->compounds;
  check_poses(poses, compounds ? compounds->bodies() : state_->scene.bodies.count());
  ValidationReport& report = state_->report;
  if (compounds) {
    std::vector<double> position, orientation;
    compounds->place(poses, position, orientation);
    const std::string frame = "frame " + std::to_string(report.frames);
    check_frame({position, orientation}, contacts_of_parts(contacts, *compounds, frame, report));
  } else {
    for (std::size_t k = 0; k < contacts.size(); ++k)
      if (contacts[k].shape_a != 0 || contacts[k].shape_b != 0) {
        ++report.unmatched_device;
        add_example(report, "contact " + std::to_string(k) + " names a shape of a body that is no compound");
      }
    check_frame(poses, contacts);
  }
  report.bodies_checked += poses.count();
  ++report.frames;
}

void Validator::add_cast(const Poses& poses, const Rays& rays, std::span<const Hit> hits) {
  const CompoundBodies* compounds = state_->compounds ? &*state_->compounds : nullptr;
  check_poses(poses, compounds ? compounds->bodies() : state_->scene.bodies.count());
  check_rays(rays, state_->scene.environment_terrain.size());
  if (hits.size() != rays.count())
    throw Error(ErrorKind::invalid_input,
                "hits has " + std::to_string(hits.size()) + " entries for " + std::to_string(rays.count()) + " rays");
  std::vector<double> position, orientation;
  if (compounds != nullptr) compounds->place(poses, position, orientation);
  check_cast(state_->scene, *state_->geometry, compounds, compounds != nullptr ? Poses{position, orientation} : poses,
             rays, hits, state_->ray_report);
}

void Validator::add_sweep(const Poses& poses, const Motion& motion, std::span<const Impact> impacts) {
  const CompoundBodies* compounds = state_->compounds ? &*state_->compounds : nullptr;
  const std::size_t bodies = compounds ? compounds->bodies() : state_->scene.bodies.count();
  check_poses(poses, bodies);
  check_motion(motion, bodies);
  // Of each part, where there are compounds, the body's own.
  const std::size_t count = state_->scene.bodies.count();
  const auto of_parts = [&](std::span<const double> of_bodies) {
    std::vector<double> numbers(3 * count, 0.0);
    for (std::size_t part = 0; part < count && !of_bodies.empty(); ++part)
      std::copy_n(&of_bodies[3 * (compounds ? compounds->body_of(part) : part)], 3, &numbers[3 * part]);
    return numbers;
  };
  const std::vector<double> displacement = of_parts(motion.displacement), rotation = of_parts(motion.rotation);
  const std::vector<double> pivots = of_parts(poses.position);
  std::vector<double> position, orientation;
  if (compounds != nullptr) compounds->place(poses, position, orientation);
  SweepReport report = state_->sweep_report;
  try {
    check_sweep(state_->scene, *state_->geometry, compounds,
                compounds != nullptr ? Poses{position, orientation} : poses, {displacement, rotation}, pivots, impacts,
                report);
  } catch (const UntoldSweep& untold) {
    refuse_untold(compounds != nullptr ? compounds->body_of(untold.body) : untold.body);
  }
  state_->sweep_report = std::move(report);
}

// Bodies are those of state_->scene.
void Validator::check_frame(const Poses& poses, std::span<const Contact> contacts) {
  const Scene& scene = state_->scene;
  const Names names{&scene.bodies, state_->compounds ? &*state_->compounds : nullptr};
  const std::size_t count = scene.bodies.count();
  ValidationReport& report = state_->report;
  std::vector<std::vector<DeviceContact>> device(count);
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const Contact& c = contacts[k];
    if (c.body_b != kTerrain) continue;
    ++report.contacts_device;
    if (c.body_a >= count) {
      ++report.unmatched_device;
      add_example(report, "contact " + std::to_string(k) + ": body_a is " + std::to_string(c.body_a));
      continue;
    }
    const dvec3 centre = centre_of(poses, c.body_a);
    device[c.body_a].push_back({dvec3(c.point[0], c.point[1], c.point[2]) - centre,
                                dvec3(c.normal[0], c.normal[1], c.normal[2]), static_cast<double>(c.depth)});
  }

  std::vector<BodyCheck> checks(count);
  parallel_for_ranges(count, 16, [&](IndexRange range) {
    for (std::size_t i = range.begin(); i < range.end(); ++i) {
      BodyCheck& check = checks[i];
      check.where = "frame " + std::to_string(report.frames) + ", " + names(i);
      const int terrain = terrain_of(scene, scene.bodies, i);
      if (terrain < 0) {
        check.report.unmatched_device = device[i].size();
        if (!device[i].empty()) check.example("a contact with terrain where there is none");
        continue;
      }
      const TerrainView view(scene.terrains[static_cast<std::size_t>(terrain)], centre_of(poses, i));
      const Body body = body_at(scene.bodies, *state_->geometry, poses, i);
      const double margin = ground_margin(state_->margin, scene.bodies, i);
      const CellRange cells = terrain_range(view, body, margin);
      if (cells.empty() && device[i].empty()) continue;
      check.check(body, TerrainSurface(view, cells), device[i], margin);
    }
  });

  for (std::size_t i = 0; i < count; ++i) {
    report.pairs_device += device[i].empty() ? 0 : 1;
    merge(report, checks[i].report);
  }
  check_pairs(scene, *state_->geometry, names, poses, contacts, state_->margin, report);
}

}  // namespace oclide
