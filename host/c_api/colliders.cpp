// The C API: colliders. Each call checks handles and structs, then does what its C++ namesake does.
#include <algorithm>

#include "c_api/convert.hpp"

using namespace oclide::c_api;  // NOLINT(google-build-using-namespace): the functions below are C's

oclide_status oclide_collider_create(const oclide_settings* settings, oclide_collider** collider) {
  return create(collider, [&] { return std::make_shared<ColliderObject>(oclide::Collider(to_settings(settings))); });
}

oclide_status oclide_collider_destroy(oclide_collider* collider) {
  return destroy<ColliderObject>(collider);
}

oclide_status oclide_collider_device(const oclide_collider* collider, oclide_device_info* info) {
  return call_with<ColliderObject>(collider, Use::alone, [&](ColliderObject& object) {
    OutStruct(info, "oclide_device_info").set(to_c(object.collider.device()));
  });
}

oclide_status oclide_collider_set_scene(oclide_collider* collider, const oclide_scene* scene) {
  return call_with<ColliderObject>(collider, Use::alone, [&](ColliderObject& object) {
    const std::shared_ptr<SceneObject> given = live<SceneObject>(scene);
    const Turn turn(*given, Use::alone);
    oclide::check(given->scene);  // what it refuses leaves the scene before in place
    object.has_scene = false;
    object.own_frame = {};
    object.hits = {};
    object.impacts = {};
    object.overlaps = {};
    object.distances = {};
    object.paths = {};
    object.collider.set_scene(given->scene);
    object.bodies = given->scene.bodies.count();
    object.has_scene = true;
  });
}

oclide_status oclide_collider_update_heights(oclide_collider* collider, size_t terrain, size_t first_row,
                                             size_t first_col, size_t rows, size_t cols, const double* heights,
                                             size_t heights_count) {
  return call_with<ColliderObject>(collider, Use::alone, [&](ColliderObject& object) {
    need_scene(object, "update_heights");
    object.collider.update_heights(terrain, first_row, first_col, rows, cols,
                                   array(heights, heights_count, "update_heights: heights"));
  });
}

oclide_status oclide_collider_update_holes(oclide_collider* collider, size_t terrain, size_t first_row,
                                           size_t first_col, size_t rows, size_t cols, const uint8_t* holes,
                                           size_t holes_count) {
  return call_with<ColliderObject>(collider, Use::alone, [&](ColliderObject& object) {
    need_scene(object, "update_holes");
    object.collider.update_holes(terrain, first_row, first_col, rows, cols,
                                 array(holes, holes_count, "update_holes: holes"));
  });
}

oclide_status oclide_collider_update_material(oclide_collider* collider, size_t terrain, size_t first_row,
                                              size_t first_col, size_t rows, size_t cols, const uint8_t* material,
                                              size_t material_count) {
  return call_with<ColliderObject>(collider, Use::alone, [&](ColliderObject& object) {
    need_scene(object, "update_material");
    object.collider.update_material(terrain, first_row, first_col, rows, cols,
                                    array(material, material_count, "update_material: material"));
  });
}

oclide_status oclide_collider_move_terrain(oclide_collider* collider, size_t terrain, double x, double y) {
  return call_with<ColliderObject>(collider, Use::alone, [&](ColliderObject& object) {
    need_scene(object, "move_terrain");
    object.collider.move_terrain(terrain, {x, y});
  });
}

oclide_status oclide_collider_change_tiles(oclide_collider* collider, size_t ground, const size_t* removed,
                                           size_t removed_count, const oclide_terrain* const* added, size_t added_count,
                                           size_t* indices, size_t indices_count) {
  return call_with<ColliderObject>(collider, Use::alone, [&](ColliderObject& object) {
    need_scene(object, "change_tiles");
    if (indices_count != 0) output(indices, "indices");
    const std::vector<std::size_t> found =
        object.collider.change_tiles(to_tile_changes(ground, removed, removed_count, added, added_count));
    std::copy_n(found.begin(), std::min(indices_count, found.size()), indices);
  });
}

oclide_status oclide_collider_change(oclide_collider* collider, const oclide_body_changes* changes,
                                     oclide_body_handle* handles, size_t handles_count) {
  return call_with<ColliderObject>(collider, Use::alone, [&](ColliderObject& object) {
    need_scene(object, "change");
    if (handles == nullptr && handles_count != 0) invalid_input("change: handles is NULL, but handles_count is not 0");
    const std::vector<oclide::BodyHandle> added = object.collider.change(to_body_changes(changes));
    object.bodies = object.collider.rows();
    for (std::size_t k = 0; k < std::min(added.size(), handles_count); ++k)
      handles[k] = {added[k].row, added[k].generation};
  });
}

oclide_status oclide_collider_rows(const oclide_collider* collider, size_t* rows) {
  return call_with<ColliderObject>(collider, Use::alone, [&](ColliderObject& object) {
    output(rows, "rows");
    *rows = object.collider.rows();
  });
}

oclide_status oclide_collider_collide(oclide_collider* collider, const double* position, const double* orientation,
                                      size_t bodies, oclide_frame* frame) {
  return call_with<ColliderObject>(collider, Use::frame, [&](ColliderObject& object) {
    const OutStruct out(frame, "oclide_frame");
    need_scene(object, "collide");
    const oclide::FrameContacts& found = object.collider.update(to_poses(position, orientation, bodies, object.bodies));
    out.set(to_c(found, object.collider.user_slots()));
  });
}

oclide_status oclide_collider_stage(oclide_collider* collider, const double* position, const double* orientation,
                                    size_t bodies, oclide_staged_poses** staged) {
  if (staged != nullptr) *staged = nullptr;
  return call_with<ColliderObject>(collider, Use::stage, [&](ColliderObject& object) {
    output(staged, "staged");
    need_scene(object, "stage");
    auto poses = std::make_shared<StagedPosesObject>();
    poses->poses = object.collider.stage(to_poses(position, orientation, bodies, object.bodies));
    *staged = static_cast<oclide_staged_poses*>(keep(std::move(poses)));
  });
}

oclide_status oclide_collider_collide_staged(oclide_collider* collider, oclide_staged_poses* staged,
                                             oclide_frame* frame) {
  return call_with<ColliderObject>(collider, Use::frame, [&](ColliderObject& object) {
    const OutStruct out(frame, "oclide_frame");
    need_scene(object, "collide");
    const std::shared_ptr<StagedPosesObject> poses = live<StagedPosesObject>(staged);
    if (!poses->enter(Use::alone)) throw_busy(*poses);  // and for ever, as destroy() does
    release(staged);
    object.own_frame = object.collider.collide_staged(std::move(poses->poses));
    out.set(to_c(object.own_frame, object.collider.user_slots()));
  });
}

oclide_status oclide_staged_poses_destroy(oclide_staged_poses* staged) {
  return destroy<StagedPosesObject>(staged);
}

oclide_status oclide_collider_cast(oclide_collider* collider, const double* position, const double* orientation,
                                   size_t bodies, const oclide_rays* rays, oclide_ray_hits* hits) {
  return call_with<ColliderObject>(collider, Use::alone, [&](ColliderObject& object) {
    const OutStruct out(hits, "oclide_ray_hits");
    need_scene(object, "cast");
    object.hits = object.collider.cast(to_poses(position, orientation, bodies, object.bodies), to_rays(rays));
    out.set(to_c(object.hits));
  });
}

oclide_status oclide_collider_sweep(oclide_collider* collider, const double* position, const double* orientation,
                                    size_t bodies, const oclide_motion* motion, oclide_impacts* impacts) {
  return call_with<ColliderObject>(collider, Use::alone, [&](ColliderObject& object) {
    const OutStruct out(impacts, "oclide_impacts");
    need_scene(object, "sweep");
    object.impacts = object.collider.sweep(to_poses(position, orientation, bodies, object.bodies), to_motion(motion));
    out.set(to_c(object.impacts));
  });
}

oclide_status oclide_collider_overlap(oclide_collider* collider, const double* position, const double* orientation,
                                      size_t bodies, const oclide_query_shapes* queries, oclide_overlaps* overlaps) {
  return call_with<ColliderObject>(collider, Use::alone, [&](ColliderObject& object) {
    const OutStruct out(overlaps, "oclide_overlaps");
    need_scene(object, "overlap");
    const QueryShapeArrays given(queries);
    object.overlaps = object.collider.overlap(to_poses(position, orientation, bodies, object.bodies), given.queries());
    out.set(to_c(object.overlaps));
  });
}

oclide_status oclide_collider_distance(oclide_collider* collider, const double* position, const double* orientation,
                                       size_t bodies, const oclide_query_points* points, oclide_distances* distances) {
  return call_with<ColliderObject>(collider, Use::alone, [&](ColliderObject& object) {
    const OutStruct out(distances, "oclide_distances");
    need_scene(object, "distance");
    object.distances =
        object.collider.distance(to_poses(position, orientation, bodies, object.bodies), to_query_points(points));
    out.set(to_c(object.distances));
  });
}

oclide_status oclide_collider_trace(oclide_collider* collider, const double* position, const double* orientation,
                                    size_t bodies, const oclide_points* points, const oclide_trace_settings* settings,
                                    oclide_paths* paths) {
  return call_with<ColliderObject>(collider, Use::alone, [&](ColliderObject& object) {
    const OutStruct out(paths, "oclide_paths");
    need_scene(object, "trace");
    object.paths = oclide::trace(object.collider, to_poses(position, orientation, bodies, object.bodies),
                                 to_points(points), to_trace_settings(settings));
    out.set(to_c(object.paths));
  });
}
