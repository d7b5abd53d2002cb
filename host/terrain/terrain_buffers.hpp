// All terrains of a scene on the device: heights, flags of the cells, materials, faces, and the pyramid of height
// bounds.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "opencl/buffer.hpp"
#include "opencl/device.hpp"
#include "opencl/launch.hpp"
#include "scene/ground_names.hpp"
#include "scene/tile_store.hpp"
#include "shared/abi.h"
#include "shared/poses.h"
#include "terrain/ground_faces.hpp"

namespace oclide {

class TerrainBuffers {
 public:
  explicit TerrainBuffers(opencl::Device& device);

  // Rows, columns and origins are those of the scene, also of a terrain that lies turned.

  /// Replaces all terrains. Tiles of a ground become one grid, which has the index of the first; that of another tile
  /// has no cells. Blocking. Throws Error(device) naming the bytes needed when memory is short.
  void set(const std::vector<Terrain>& terrains);
  /// Replaces heights of a part of one terrain and renews what depends on it: flags and bounds above it, faces of its
  /// tiles, names of faces.
  void update(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows, std::size_t cols,
              std::span<const double> heights);

  /// The same of holes of cells, and of their material.
  void update_holes(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                    std::size_t cols, std::span<const std::uint8_t> holes);
  void update_material(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t cols,
                       std::span<const std::uint8_t> material);
  /// Its first vertex is at `origin` [m].
  void move(std::size_t terrain, std::array<double, 2> origin);
  /// The tiles of a ground, or what they have, have become others. Cost follows what has changed where the joined grid
  /// stays where it is on the lattice, else the joined grid. Errors as of set(); then nothing is of use any more.
  void set_ground(const GroundChange& change);

  /// As Collider::Backend::ground_names().
  [[nodiscard]] std::shared_ptr<const GroundNames> names() const;
  void set_names(const GroundNames& names);

  [[nodiscard]] std::size_t count() const { return records_host_.size(); }
  [[nodiscard]] const std::vector<TerrainRecord>& host_records() const { return records_host_; }
  [[nodiscard]] const opencl::Buffer<TerrainRecord>& records() const { return records_; }
  /// Do diagonals of any terrain alternate?
  [[nodiscard]] bool has_rising_cells() const { return has_rising_cells_; }
  [[nodiscard]] const opencl::Buffer<float>& heights() const { return heights_; }
  [[nodiscard]] const opencl::Buffer<float>& heights_low() const { return heights_low_; }
  /// CELL_OPEN, CELL_FLAT.
  [[nodiscard]] const opencl::Buffer<std::uint8_t>& cell_flags() const { return flags_; }
  [[nodiscard]] const opencl::Buffer<std::uint8_t>& material() const { return material_; }
  /// Entries (lowest, highest), level by level from level 1 on; see kernels/terrain/height_bounds.cl.
  [[nodiscard]] const opencl::Buffer<cl_float2>& bounds() const { return bounds_; }
  /// Of the cells, and names of those that lead out of a tile: see kernels/shared/abi.h, FACE_*.
  [[nodiscard]] const opencl::Buffer<std::uint16_t>& faces() const { return faces_; }
  [[nodiscard]] const opencl::Buffer<std::uint32_t>& face_names() const { return face_names_; }

 private:
  // Entries of each buffer that a terrain may use, from its offset on.
  struct Room {
    std::size_t vertices = 0, low = 0, cells = 0, material = 0, bounds = 0, names = 0;
  };

  [[nodiscard]] GridPart replace_part(std::size_t terrain, const JoinedGrid& grid, const GridPart& vertices,
                                      std::span<const Terrain* const> tiles);
  void replace_whole(std::size_t terrain, const GroundChange& change);
  void shift(std::size_t terrain, const JoinedGrid& grid, std::uint32_t rising, LatticeOffset moved);
  [[nodiscard]] LatticeOffset moved_as_it_lies(std::size_t terrain, std::size_t rows, LatticeOffset moved) const;
  void keep_names(std::size_t terrain);
  template <class... Buffers>
  static void give_room(cl_ulong& offset, std::size_t& has, std::size_t needs, Buffers&... buffers);
  void give_room_for_names(std::size_t terrain);
  void make_room(std::size_t terrain, const Room& need);
  // Writes values of a part of the scene's cells to where they lie, from the terrain's offset on; returns that part.
  static GridPart upload_cells(opencl::Buffer<std::uint8_t>& to, std::size_t offset, const TerrainRecord& record,
                               const GridPart& part, std::span<const std::uint8_t> values);
  // Renews what depends on a part of the vertices or cells, as they lie: flags, bounds, faces.
  void renew_cells(std::size_t terrain, const GridPart& part);
  // The cells whose flags depend on those of a part.
  [[nodiscard]] GroundFaces::Part cells_beside(std::size_t terrain, const GridPart& part) const;
  void renew_flags(std::size_t terrain, const GridPart& part);
  void renew_bounds(std::size_t terrain, const GridPart& part);
  void upload_records();
  // Finds the faces of all terrains from the flags of their cells.
  void find_faces();
  // Labels cells anew where flags may have changed, for GroundFaces::join().
  void label_faces(std::size_t terrain, const GridPart& part);
  void upload_names(std::size_t terrain);
  void upload_names(std::size_t terrain, const GroundFaces::Range& names);
  // A terrain whose heights were single floats gets low parts; one without material gets zeros.
  void give_low_parts(std::size_t terrain);
  void give_material(std::size_t terrain);

  opencl::Device& device_;
  cl::Kernel cell_flags_, bounds_of_cells_, bounds_of_bounds_;
  std::vector<TerrainRecord> records_host_;
  std::vector<Room> rooms_;
  std::vector<double> spacing_x_;  // of the terrains [m]
  opencl::Buffer<TerrainRecord> records_;
  opencl::Buffer<float> heights_, heights_low_;
  opencl::Buffer<std::uint8_t> holes_, flags_, material_;
  opencl::Buffer<cl_float2> bounds_;
  opencl::Buffer<std::uint16_t> faces_;
  opencl::Buffer<std::uint32_t> face_names_;
  std::vector<GroundFaces> ground_faces_;
  bool has_rising_cells_ = false;
};

/// A double as the sum of two floats, cut off as shared/poses.h says.
struct TwoFloatParts {
  float high;
  float low;
};
inline TwoFloatParts split_in_two(double value) {
  constexpr auto kFarthest = std::bit_cast<double>(std::uint64_t{FARTHEST_BITS});
  static_assert(kFarthest == static_cast<double>(FARTHEST_HIGH) + static_cast<double>(FARTHEST_LOW));
  const double bounded = std::clamp(value, -kFarthest, kFarthest);
  auto high = static_cast<float>(bounded);
  if (std::abs(high) < LEAST_COORDINATE) high = 0.0F;
  auto low = static_cast<float>(bounded - static_cast<double>(high));
  if (std::abs(low) < LEAST_COORDINATE) low = 0.0F;
  return {high, low};
}

}  // namespace oclide
