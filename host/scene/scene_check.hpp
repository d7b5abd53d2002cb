// Checks of what a user hands over; each throws Error(invalid_input) with one line naming array and index.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "oclide/oclide.hpp"
#include "shapes/scene_geometry.hpp"
#include "shared/poses.h"
#include "shared/resident_rays.h"

namespace oclide {

struct GridSize {
  std::size_t rows;
  std::size_t cols;
};

void check_height_update(const std::vector<GridSize>& grids, std::size_t terrain, std::size_t first_row,
                         std::size_t first_col, std::size_t rows, std::size_t cols, std::span<const double> heights);
/// Of `call`: that rows x cols cells are a part of a terrain, with one value each.
void check_cell_update(const std::string& call, const std::vector<GridSize>& grids, std::size_t terrain,
                       std::size_t first_row, std::size_t first_col, std::size_t rows, std::size_t cols,
                       std::size_t values);
/// Of move_terrain(): that there is such a terrain, and the origin is finite.
void check_move(const std::vector<GridSize>& grids, std::size_t terrain, std::array<double, 2> origin);
/// check() of a scene, and its geometry, which it builds.
[[nodiscard]] SharedGeometry checked_geometry(const Scene& scene);
/// That these can be bodies of a scene; of `scene` only what sizes and environments refer to counts. `name`: what the
/// message begins with.
void check_bodies(const Scene& scene, const Bodies& bodies, const std::string& name);
/// Its part about how many parts, and excluded pairs of parts, bodies that are each right have in all.
void check_parts(const Scene& scene, const Bodies& bodies, const std::string& name);
void check_poses(const Poses& poses, std::size_t bodies);
/// The parts of check_poses(): how many numbers there are, and whether the poses of some bodies can be used.
void check_pose_counts(const Poses& poses, std::size_t bodies);
[[nodiscard]] bool are_usable(const Poses& poses, std::size_t first_body, std::size_t count);
/// Rays begin, and points are asked about, nearer to the origin than this along each axis [m]: to a device nothing is
/// farther out.
inline constexpr double kFarthestPoint = double{FARTHEST_HIGH} + double{FARTHEST_LOW};
/// The end of a message about a coordinate of such a point; null where it can be used.
[[nodiscard]] const char* fault_of_coordinate(double x);
/// Rays, and the environments that they may be in where the scene says which there are (0: it does not).
void check_rays(const Rays& rays, std::size_t environments);
/// In a frame [m, rad]: no body goes or turns farther along any axis. At so many turns a part of the frame of two
/// floats still tells where a body of 50 m is, to 1e-5 m.
inline constexpr double kFarthestMotion = FARTHEST_MOTION, kFarthestRotation = FARTHEST_ROTATION;
void check_motion(const Motion& motion, std::size_t bodies);
/// A pair of which it takes too many steps to tell when it touches: its lower body and the other one, or kTerrain.
struct UntoldSweep {
  std::uint32_t body, other;
};
/// Throws Error(invalid_input) that says so; `body_of` tells which body of the scene each is.
[[noreturn]] void refuse_untold(const UntoldSweep& pair, const std::function<std::size_t(std::size_t)>& body_of);
/// Of what a scene has hulls, meshes and compounds by their index.
struct IndexedShapes {
  std::size_t hulls = 0, meshes = 0, compounds = 0;
};
[[nodiscard]] IndexedShapes counts_of_shapes(const Scene& scene);
/// Shapes whose overlap is asked; `environments` as of check_rays().
void check_query_shapes(const QueryShapes& queries, const IndexedShapes& scene, std::size_t environments);
/// Points whose distance is asked; `environments` as of check_rays().
void check_query_points(const QueryPoints& points, std::size_t environments);
void check_margin(double margin);
/// Of one terrain by itself.
void check_terrain(const Terrain& terrain, const std::string& name);
/// What the values of Diagonal are called.
struct DiagonalName {
  Diagonal diagonal;
  const char* name;
};
inline constexpr std::array kDiagonalNames{DiagonalName{Diagonal::falling, "falling"},
                                           DiagonalName{Diagonal::rising, "rising"},
                                           DiagonalName{Diagonal::alternating_rising, "alternating_rising"},
                                           DiagonalName{Diagonal::alternating_falling, "alternating_falling"}};
[[nodiscard]] const char* name_of(Diagonal diagonal);
/// Of its number in a scene file.
[[nodiscard]] Diagonal to_diagonal(std::int64_t value, const std::string& name);
/// Of terrain `name`: its grid and how many numbers its arrays have.
void check_terrain_lengths(const std::string& name, GridSize grid, std::size_t heights, std::size_t holes,
                           std::size_t material);

}  // namespace oclide
