// Between the structs of the C API and the types of the C++ one.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "c_api/objects.hpp"
#include "oclide/oclide.hpp"

namespace oclide::c_api {

/// `count` numbers as so many `columns` for each of `things`, for example bodies.
std::span<const double> rows(const double* data, std::size_t count, const char* name, std::size_t columns,
                             std::size_t things, const char* things_name);

template <std::size_t kColumns, class T>
std::vector<std::array<T, kColumns>> to_arrays(std::span<const T> numbers) {
  std::vector<std::array<T, kColumns>> arrays(numbers.size() / kColumns);
  for (std::size_t k = 0; k < numbers.size(); ++k) arrays[k / kColumns][k % kColumns] = numbers[k];
  return arrays;
}

template <class T>
std::vector<T> to_vector(const T* data, std::size_t count, const char* name) {
  const std::span<const T> values = array(data, count, name);
  return {values.begin(), values.end()};
}

std::vector<Shape> to_shapes(const std::uint8_t* data, std::size_t count, const char* name);
/// `name`: what messages begin with.
Bodies to_bodies(const oclide_bodies* given, const std::string& name);
Terrain to_terrain(const oclide_terrain* given, const std::string& name);
TileChanges to_tile_changes(std::size_t ground, const std::size_t* removed, std::size_t removed_count,
                            const oclide_terrain* const* added, std::size_t added_count);
BodyChanges to_body_changes(const oclide_body_changes* given);
Poses to_poses(const double* position, const double* orientation, std::size_t bodies, std::size_t scene_bodies);
std::vector<Calibration> to_calibrations(const oclide_calibration* const* handles, std::size_t count);
/// Texts are those of `device`.
oclide_device_info to_c(const DeviceInfo& device);
const oclide_contact* to_c(const Contact* contacts);
/// The defaults for null.
Settings to_settings(const oclide_settings* given);
/// Arrays are those of `found` and `slots`.
oclide_frame to_c(const FrameContacts& found, std::span<UserSlot> slots);
Rays to_rays(const oclide_rays* given);
oclide_ray_hits to_c(const RayHits& found);
Motion to_motion(const oclide_motion* given);
oclide_impacts to_c(const FrameImpacts& found);
/// Shapes and sizes are copied, all else borrowed.
class QueryShapeArrays {
 public:
  explicit QueryShapeArrays(const oclide_query_shapes* given);
  [[nodiscard]] const QueryShapes& queries() const { return queries_; }

 private:
  std::vector<Shape> shape_;
  std::vector<std::array<double, 3>> size_;
  QueryShapes queries_;
};
oclide_overlaps to_c(const Overlaps& found);
QueryPoints to_query_points(const oclide_query_points* given);
oclide_distances to_c(const Distances& found);
Points to_points(const oclide_points* given);
/// The defaults for null.
TraceSettings to_trace_settings(const oclide_trace_settings* given);
oclide_paths to_c(const Paths& found);

}  // namespace oclide::c_api
