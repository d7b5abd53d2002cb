// The ground: all triangles and walls of the cells around a point, in a window that grows until what is nearest is in
// it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/queries/distance_scene.hpp"
#include "reference/terrain_surface.hpp"

namespace oclide::reference {
namespace {

// Nearer to the surface than this a normal is that of the surface [m].
constexpr double kOnGround = 1e-5;

// Of what was looked at the nearest.
struct NearestGround {
  double distance = std::numeric_limits<double>::infinity();  // [m]
  dvec3 point{0.0}, normal{0.0};                              // normal: of the triangle or wall
  std::int64_t row = 0, col = 0;
  int k = 0;

  void take(dvec3 at, dvec3 of_surface, std::int64_t i, std::int64_t j, int triangle) {
    if (!(glm::length(at) < distance)) return;
    *this = {glm::length(at), at, of_surface, i, j, triangle};
  }
};

// The place of the wall below an edge that is nearest to the origin, where that is not on the edge itself.
void take_wall(dvec3 a, dvec3 b, dvec3 normal, std::int64_t row, std::int64_t col, int k, NearestGround& nearest) {
  const dvec2 along(b - a);
  const double t = std::clamp(-glm::dot(dvec2(a), along) / glm::dot(along, along), 0.0, 1.0);
  const dvec3 over = a + t * (b - a);
  if (over.z >= 0.0) nearest.take({over.x, over.y, 0.0}, normal, row, col, k);
}

void look_at_cell(const TerrainView& view, std::int64_t row, std::int64_t col, NearestGround& nearest) {
  if (!view.solid(row, col)) return;
  const dvec3 v0 = view.vertex(row, col), v1 = view.vertex(row, col + 1), v2 = view.vertex(row + 1, col),
              v3 = view.vertex(row + 1, col + 1);
  for (int k = 0; k < 2; ++k) {
    const Element element = view.element(row, col, k);
    nearest.take(nearest_on_triangle(dvec3(0.0), element.v[0], element.v[1], element.v[2]), element.normal, row, col,
                 k);
  }
  if (!view.solid(row - 1, col)) take_wall(v0, v1, {0, -1, 0}, row, col, 0, nearest);
  const int left = view.left_element(row, col);
  if (!view.solid(row, col - 1)) take_wall(v0, v2, {-1, 0, 0}, row, col, left, nearest);
  if (!view.solid(row + 1, col)) take_wall(v2, v3, {0, 1, 0}, row, col, 1, nearest);
  if (!view.solid(row, col + 1)) take_wall(v1, v3, {1, 0, 0}, row, col, 1 - left, nearest);
}

}  // namespace

SignedDistance terrain_distance(const Terrain& terrain, dvec3 point) {
  const TerrainView view(terrain, point);
  const auto rows = static_cast<std::int64_t>(terrain.rows) - 1, cols = static_cast<std::int64_t>(terrain.cols) - 1;
  NearestGround nearest;
  for (double reach = 2.0 * std::max(terrain.spacing[0], terrain.spacing[1]);; reach *= 4.0) {
    const CellRange cells = view.cells(dvec2(-reach), dvec2(reach));
    for (std::int64_t row = cells.row0; row < cells.row1; ++row)
      for (std::int64_t col = cells.col0; col < cells.col1; ++col) look_at_cell(view, row, col, nearest);
    const bool are_all = cells.row0 == 0 && cells.col0 == 0 && cells.row1 == rows && cells.col1 == cols;
    if (are_all || nearest.distance <= reach) break;
  }
  if (!std::isfinite(nearest.distance)) return {nearest.distance, dvec3(0.0)};
  const std::optional<double> height = view.height(dvec2(0.0));
  const double sign = height && *height >= 0.0 ? -1.0 : 1.0;
  const auto cell = static_cast<std::size_t>(nearest.row) * (terrain.cols - 1) + static_cast<std::size_t>(nearest.col);
  return {sign * nearest.distance,
          nearest.distance > kOnGround ? -sign * glm::normalize(nearest.point) : nearest.normal,
          static_cast<std::uint32_t>(2 * cell + static_cast<std::size_t>(nearest.k)),
          terrain.material.empty() ? std::uint8_t{0} : terrain.material[cell]};
}

}  // namespace oclide::reference
