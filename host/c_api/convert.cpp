#include "c_api/convert.hpp"

#include <algorithm>

#include "scene/scene_check.hpp"

namespace oclide::c_api {

std::span<const double> rows(const double* data, std::size_t count, const char* name, std::size_t columns,
                             std::size_t things, const char* things_name) {
  if (count % columns != 0 || count / columns != things)
    invalid_input(std::string(name) + " has " + std::to_string(count) + " numbers for " + std::to_string(things) + " " +
                  things_name + " of " + std::to_string(columns));
  return array(data, count, name);
}

std::vector<Shape> to_shapes(const std::uint8_t* data, std::size_t count, const char* name) {
  std::vector<Shape> shapes;
  shapes.reserve(count);
  for (const std::uint8_t shape : array(data, count, name)) shapes.push_back(static_cast<Shape>(shape));
  return shapes;
}

Bodies to_bodies(const oclide_bodies* given, const std::string& name) {
  const oclide_bodies known = read_struct(given, "oclide_bodies");
  const std::size_t count = known.shape_count;
  const auto optional = [&](const auto* data, std::size_t length, const char* array_name) {
    const std::string full = name + array_name;
    if (length != 0 && length != count)
      invalid_input(full + " has " + std::to_string(length) + " entries for " + std::to_string(count) + " bodies");
    return to_vector(data, length, full.c_str());
  };
  Bodies bodies;
  bodies.size = to_arrays<3>(rows(known.size, known.size_count, (name + "/size").c_str(), 3, count, "bodies"));
  bodies.shape = to_shapes(known.shape, count, (name + "/shape").c_str());
  bodies.environment = optional(known.environment, known.environment_count, "/environment");
  bodies.group = optional(known.group, known.group_count, "/group");
  bodies.category = optional(known.category, known.category_count, "/category");
  bodies.mask = optional(known.mask, known.mask_count, "/mask");
  bodies.flags = optional(known.flags, known.flags_count, "/flags");
  bodies.margin = optional(known.margin, known.margin_count, "/margin");
  if (known.excluded_count % 2 != 0)
    invalid_input(name + "/excluded has " + std::to_string(known.excluded_count) + " numbers, not two a pair");
  bodies.excluded = to_arrays<2>(array(known.excluded, known.excluded_count, (name + "/excluded").c_str()));
  bodies.either_mask = known.either_mask != 0;
  return bodies;
}

Terrain to_terrain(const oclide_terrain* given, const std::string& name) {
  const oclide_terrain known = read_struct(given, "oclide_terrain");
  check_terrain_lengths(name, {known.rows, known.cols}, known.heights_count, known.holes_count, known.material_count);
  Terrain terrain;
  terrain.rows = known.rows;
  terrain.cols = known.cols;
  terrain.origin = {known.origin[0], known.origin[1]};
  terrain.spacing = {known.spacing[0], known.spacing[1]};
  terrain.heights = to_vector(known.heights, known.heights_count, (name + "/heights").c_str());
  terrain.holes = to_vector(known.holes, known.holes_count, (name + "/holes").c_str());
  terrain.material = to_vector(known.material, known.material_count, (name + "/material").c_str());
  terrain.group = known.group;
  if (known.category != 0) terrain.category = known.category;
  if (known.mask != 0) terrain.mask = known.mask;
  if (known.tile_of != 0)
    terrain.tile_of = static_cast<std::int32_t>(std::min<std::uint32_t>(known.tile_of - 1, 0x7FFFFFFF));
  terrain.diagonal = to_diagonal(known.diagonal, name);
  return terrain;
}

Poses to_poses(const double* position, const double* orientation, std::size_t bodies, std::size_t scene_bodies) {
  if (bodies != scene_bodies)
    invalid_input("poses of " + std::to_string(bodies) + " bodies for a scene of " + std::to_string(scene_bodies));
  return {array(position, 3 * bodies, "position"), array(orientation, 4 * bodies, "orientation")};
}

oclide_device_info to_c(const DeviceInfo& device) {
  oclide_device_info info{};
  info.id = device.id.c_str();
  info.name = device.name.c_str();
  info.platform = device.platform.c_str();
  info.version = device.version.c_str();
  info.driver = device.driver.c_str();
  info.missing = device.missing.c_str();
  info.memory_bytes = device.memory_bytes;
  info.largest_allocation_bytes = device.largest_allocation_bytes;
  info.compute_units = device.compute_units;
  info.usable = device.usable;
  info.is_gpu = device.is_gpu;
  info.is_reference = device.is_reference;
  info.rounds_division = device.rounds_division;
  info.has_denormals = device.has_denormals;
  return info;
}

const oclide_contact* to_c(const Contact* contacts) {
  return reinterpret_cast<const oclide_contact*>(contacts);
}

std::vector<Calibration> to_calibrations(const oclide_calibration* const* handles, std::size_t count) {
  std::vector<Calibration> calibrations;
  for (const oclide_calibration* handle : array(handles, count, "calibrations")) {
    const auto object = live<CalibrationObject>(handle);
    const Turn turn(*object, Use::alone);
    calibrations.push_back(object->calibration);
  }
  return calibrations;
}

Settings to_settings(const oclide_settings* given) {
  Settings settings;
  if (given == nullptr) return settings;
  const oclide_settings known = read_struct(given, "oclide_settings");
  if (known.device != nullptr) settings.device = known.device;
  if (known.cache_directory != nullptr) settings.cache_directory = known.cache_directory;
  settings.margin = known.margin;
  settings.memory_limit = known.memory_limit;
  settings.track = known.track != 0;
  settings.use_cache = known.no_cache == 0;
  if (known.on_compile != nullptr)
    settings.on_compile = [call = known.on_compile, data = known.on_compile_data](const std::string& device,
                                                                                  const std::string& kernels) {
      call(device.c_str(), kernels.c_str(), data);
    };
  if (known.on_warning != nullptr)
    settings.on_warning = [call = known.on_warning, data = known.on_warning_data](const std::string& line) {
      call(line.c_str(), data);
    };
  return settings;
}

oclide_frame to_c(const FrameContacts& found, std::span<UserSlot> slots) {
  oclide_frame frame{};
  frame.contacts = to_c(found.contacts.data());
  frame.contacts_count = found.contacts.size();
  frame.contact_size = sizeof(oclide_contact);
  frame.events = reinterpret_cast<const oclide_manifold_event*>(found.events.data());
  frame.events_count = found.events.size();
  frame.event_size = sizeof(oclide_manifold_event);
  frame.previous = found.previous.data();
  frame.previous_count = found.previous.size();
  frame.user_slots = reinterpret_cast<oclide_user_slot*>(slots.data());
  frame.user_slots_count = slots.size();
  frame.pairs = found.pairs;
  frame.body_pairs = found.body_pairs;
  frame.body_candidates = found.body_candidates;
  frame.candidates = found.candidates;
  frame.unreduced = found.unreduced;
  frame.moved_bodies = found.moved_bodies;
  frame.device_bytes = found.device_bytes;
  frame.upload_milliseconds = found.milliseconds.upload;
  frame.broad_phase_milliseconds = found.milliseconds.broad_phase;
  frame.narrow_phase_milliseconds = found.milliseconds.narrow_phase;
  frame.contact_reduction_milliseconds = found.milliseconds.contact_reduction;
  frame.download_milliseconds = found.milliseconds.download;
  frame.tracking_milliseconds = found.milliseconds.tracking;
  frame.total_milliseconds = found.milliseconds.total;
  return frame;
}

Rays to_rays(const oclide_rays* given) {
  const oclide_rays known = read_struct(given, "oclide_rays");
  return {array(known.origin, known.origin_count, "rays/origin"),
          array(known.direction, known.direction_count, "rays/direction"),
          array(known.length, known.length_count, "rays/length"),
          array(known.environment, known.environment_count, "rays/environment"),
          array(known.mask, known.mask_count, "rays/mask")};
}

oclide_ray_hits to_c(const RayHits& found) {
  oclide_ray_hits hits{};
  hits.hits = reinterpret_cast<const oclide_hit*>(found.hits.data());
  hits.hits_count = found.hits.size();
  hits.hit_size = sizeof(oclide_hit);
  hits.rays_that_hit = found.hit_count;
  hits.device_bytes = found.device_bytes;
  hits.upload_milliseconds = found.milliseconds.upload;
  hits.tree_milliseconds = found.milliseconds.tree;
  hits.cast_milliseconds = found.milliseconds.cast;
  hits.download_milliseconds = found.milliseconds.download;
  hits.total_milliseconds = found.milliseconds.total;
  return hits;
}

Motion to_motion(const oclide_motion* given) {
  const oclide_motion known = read_struct(given, "oclide_motion");
  return {array(known.displacement, known.displacement_count, "displacement"),
          array(known.rotation, known.rotation_count, "rotation")};
}

oclide_impacts to_c(const FrameImpacts& found) {
  oclide_impacts impacts{};
  impacts.impacts = reinterpret_cast<const oclide_impact*>(found.impacts.data());
  impacts.impacts_count = found.impacts.size();
  impacts.impact_size = sizeof(oclide_impact);
  impacts.candidates = found.candidates;
  impacts.device_bytes = found.device_bytes;
  impacts.upload_milliseconds = found.milliseconds.upload;
  impacts.broad_phase_milliseconds = found.milliseconds.broad_phase;
  impacts.narrow_phase_milliseconds = found.milliseconds.narrow_phase;
  impacts.download_milliseconds = found.milliseconds.download;
  impacts.total_milliseconds = found.milliseconds.total;
  return impacts;
}

QueryShapeArrays::QueryShapeArrays(const oclide_query_shapes* given) {
  const oclide_query_shapes known = read_struct(given, "oclide_query_shapes");
  if (known.reserved != 0) throw Failure(OCLIDE_NOT_SUPPORTED, "oclide_query_shapes: reserved is not zero");
  shape_ = to_shapes(known.shape, known.shape_count, "queries/shape");
  size_ = to_arrays<3>(rows(known.size, known.size_count, "queries/size", 3, known.shape_count, "shapes"));
  queries_ = {shape_,
              size_,
              array(known.position, known.position_count, "queries/position"),
              array(known.orientation, known.orientation_count, "queries/orientation"),
              array(known.environment, known.environment_count, "queries/environment"),
              array(known.mask, known.mask_count, "queries/mask"),
              array(known.group, known.group_count, "queries/group"),
              known.find_lowest != 0};
}

oclide_overlaps to_c(const Overlaps& found) {
  oclide_overlaps overlaps{};
  overlaps.overlaps = found.overlaps.data();
  overlaps.overlaps_count = found.overlaps.size();
  overlaps.body = found.body.empty() ? nullptr : found.body.data();
  overlaps.queries_that_overlap = found.overlap_count;
  overlaps.device_bytes = found.device_bytes;
  overlaps.upload_milliseconds = found.milliseconds.upload;
  overlaps.tree_milliseconds = found.milliseconds.tree;
  overlaps.query_milliseconds = found.milliseconds.query;
  overlaps.download_milliseconds = found.milliseconds.download;
  overlaps.total_milliseconds = found.milliseconds.total;
  return overlaps;
}

QueryPoints to_query_points(const oclide_query_points* given) {
  const oclide_query_points known = read_struct(given, "oclide_query_points");
  return {array(known.position, known.position_count, "points/position"),
          array(known.range, known.range_count, "points/range"),
          array(known.environment, known.environment_count, "points/environment"),
          array(known.mask, known.mask_count, "points/mask")};
}

oclide_distances to_c(const Distances& found) {
  oclide_distances distances{};
  distances.nearest = reinterpret_cast<const oclide_hit*>(found.nearest.data());
  distances.nearest_count = found.nearest.size();
  distances.hit_size = sizeof(oclide_hit);
  distances.points_near = found.near_count;
  distances.device_bytes = found.device_bytes;
  distances.upload_milliseconds = found.milliseconds.upload;
  distances.tree_milliseconds = found.milliseconds.tree;
  distances.query_milliseconds = found.milliseconds.query;
  distances.download_milliseconds = found.milliseconds.download;
  distances.total_milliseconds = found.milliseconds.total;
  return distances;
}

Points to_points(const oclide_points* given) {
  const oclide_points known = read_struct(given, "oclide_points");
  return {array(known.position, known.position_count, "points/position"),
          array(known.displacement, known.displacement_count, "points/displacement"),
          array(known.environment, known.environment_count, "points/environment")};
}

TraceSettings to_trace_settings(const oclide_trace_settings* given) {
  if (given == nullptr) return {};
  const oclide_trace_settings known = read_struct(given, "oclide_trace_settings");
  if (known.reserved != 0) throw Failure(OCLIDE_NOT_SUPPORTED, "oclide_trace_settings: reserved is not zero");
  return {known.bounces, known.friction, known.restitution};
}

oclide_paths to_c(const Paths& found) {
  oclide_paths paths{};
  paths.offset = found.offset.data();
  paths.offset_count = found.offset.size();
  paths.points = reinterpret_cast<const oclide_path_point*>(found.points.data());
  paths.points_count = found.points.size();
  paths.point_size = sizeof(oclide_path_point);
  paths.displacement = found.displacement.empty() ? nullptr : found.displacement[0].data();
  paths.outgoing = found.outgoing.empty() ? nullptr : found.outgoing[0].data();
  paths.end = reinterpret_cast<const std::uint8_t*>(found.end.data());
  paths.reflections = found.reflections;
  paths.casts = found.casts;
  paths.total_milliseconds = found.milliseconds.total;
  return paths;
}

TileChanges to_tile_changes(std::size_t ground, const std::size_t* removed, std::size_t removed_count,
                            const oclide_terrain* const* added, std::size_t added_count) {
  TileChanges changes;
  changes.ground = ground;
  changes.removed = to_vector(removed, removed_count, "change_tiles: removed");
  std::size_t k = 0;
  for (const oclide_terrain* terrain : array(added, added_count, "change_tiles: added"))
    changes.added.push_back(to_terrain(terrain, "change_tiles: added[" + std::to_string(k++) + "]"));
  return changes;
}

BodyChanges to_body_changes(const oclide_body_changes* given) {
  const oclide_body_changes known = read_struct(given, "oclide_body_changes");
  const auto to_handles = [](const oclide_body_handle* data, std::size_t count, const char* name) {
    std::vector<BodyHandle> list;
    for (const oclide_body_handle& handle : array(data, count, name)) list.push_back({handle.row, handle.generation});
    return list;
  };
  BodyChanges to;
  to.removed = to_handles(known.removed, known.removed_count, "change: removed");
  to.changed = to_handles(known.changed, known.changed_count, "change: changed");
  if (known.become != nullptr) to.become = to_bodies(known.become, "change: become");
  if (known.added != nullptr) to.added = to_bodies(known.added, "change: added");
  const auto to_pairs = [&](const oclide_body_handle* data, std::size_t count, const char* name) {
    if (count % 2 != 0) invalid_input(std::string(name) + " has " + std::to_string(count) + " handles, not two a pair");
    const std::vector<BodyHandle> handles = to_handles(data, count, name);
    std::vector<std::array<BodyHandle, 2>> list;
    for (std::size_t k = 0; k < count; k += 2) list.push_back({handles[k], handles[k + 1]});
    return list;
  };
  to.allowed = to_pairs(known.allowed, known.allowed_count, "change: allowed");
  to.excluded = to_pairs(known.excluded, known.excluded_count, "change: excluded");
  return to;
}

}  // namespace oclide::c_api
