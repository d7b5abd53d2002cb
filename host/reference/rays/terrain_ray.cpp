// The cells under a ray are walked one after another. Where the ray is over a side or a diagonal, its height above that
// edge is computed from the edge alone. Both triangles beside the edge so see the same height, and none is passed by.
#include "reference/rays/terrain_ray.hpp"

#include <algorithm>
#include <cmath>

#include "reference/terrain_surface.hpp"

namespace oclide::reference {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

// No ray goes on for longer, so that no place on it is infinite [m].
constexpr double kFarthest = 1e300;

// Of sides of cells the axis across them is 0 between columns, 1 between rows.
constexpr int kNoSide = -1;

class TerrainWalk {
 public:
  TerrainWalk(const Terrain& terrain, const NearRay& ray)
      : terrain_(terrain),
        view_(terrain, dvec3(terrain.origin[0], terrain.origin[1], 0.0)),
        ray_(ray),
        spacing_(terrain.spacing[0], terrain.spacing[1]),
        cells_(static_cast<double>(terrain.cols - 1), static_cast<double>(terrain.rows - 1)) {}

  std::optional<RayHit> first_hit(double highest);

 private:
  struct Cell {
    std::int64_t row, col;
  };

  // Column and row as a number, whole on lines of the grid.
  [[nodiscard]] double place(double t, int axis) const {
    return (ray_.point[axis] + t * ray_.direction[axis]) / spacing_[axis];
  }
  [[nodiscard]] double distance_to_line(double line, int axis) const {
    return ray_.direction[axis] == 0.0 ? kEndless : (line * spacing_[axis] - ray_.point[axis]) / ray_.direction[axis];
  }
  [[nodiscard]] double ray_height(double t) const { return ray_.point.z + t * ray_.direction.z; }
  [[nodiscard]] double vertex_height(std::int64_t row, std::int64_t col) const { return view_.vertex(row, col).z; }

  // The number of the cell that a place is in, the last one where it is on the line at its end.
  [[nodiscard]] std::int64_t cell_at(double t, int axis) const {
    return static_cast<std::int64_t>(std::clamp(std::floor(place(t, axis)), 0.0, cells_[axis] - 1.0));
  }
  // The cell, or, where the ray goes along its lower line, the one beyond; empty where both are open.
  [[nodiscard]] std::optional<Cell> solid_cell(Cell cell, double t) const {
    for (const std::int64_t row : {cell.row, cell.row - 1})
      for (const std::int64_t col : {cell.col, cell.col - 1}) {
        if (row < cell.row && !(ray_.direction.y == 0.0 && place(t, 1) == static_cast<double>(cell.row))) continue;
        if (col < cell.col && !(ray_.direction.x == 0.0 && place(t, 0) == static_cast<double>(cell.col))) continue;
        if (view_.solid(row, col)) return Cell{row, col};
      }
    return std::nullopt;
  }

  // How far the ray is above the triangle under it; beyond 0 of the diagonal it is the second.
  [[nodiscard]] double beyond_diagonal(Cell cell, double t) const {
    const double u = place(t, 0) - static_cast<double>(cell.col), v = place(t, 1) - static_cast<double>(cell.row);
    return view_.rises(cell.row, cell.col) ? v - u : u + v - 1.0;
  }
  [[nodiscard]] double above_triangle(Cell cell, double t) const {
    const int k = beyond_diagonal(cell, t) > 0.0 ? 1 : 0;
    const dvec2 at(place(t, 0) * spacing_.x, place(t, 1) * spacing_.y);
    return ray_height(t) - view_.element(cell.row, cell.col, k).height_over(at);
  }
  // How far the ray is above the edge between two vertices, over which it is at `part` of the way.
  [[nodiscard]] double above_edge(double t, double from, double to, double part) const {
    part = std::clamp(part, 0.0, 1.0);
    return ray_height(t) - (from * (1.0 - part) + to * part);
  }
  [[nodiscard]] double above_side(Cell cell, double line, int axis, double t) const {
    const auto number = static_cast<std::int64_t>(line);
    if (axis == 0)
      return above_edge(t, vertex_height(cell.row, number), vertex_height(cell.row + 1, number),
                        place(t, 1) - static_cast<double>(cell.row));
    return above_edge(t, vertex_height(number, cell.col), vertex_height(number, cell.col + 1),
                      place(t, 0) - static_cast<double>(cell.col));
  }
  [[nodiscard]] double above_diagonal(Cell cell, double t) const {
    const std::int64_t first = view_.rises(cell.row, cell.col) ? cell.row : cell.row + 1;
    return above_edge(t, vertex_height(first, cell.col), vertex_height(2 * cell.row + 1 - first, cell.col + 1),
                      place(t, 0) - static_cast<double>(cell.col));
  }

  [[nodiscard]] RayHit hit(Cell cell, double t, dvec3 normal, int k) const {
    const auto index = static_cast<std::size_t>(cell.row) * (terrain_.cols - 1) + static_cast<std::size_t>(cell.col);
    return {t, normal, static_cast<std::uint32_t>(2 * index + static_cast<std::size_t>(k)),
            terrain_.material.empty() ? std::uint8_t{0} : terrain_.material[index]};
  }
  [[nodiscard]] std::optional<RayHit> begin_in_ground() const;
  [[nodiscard]] dvec3 wall_normal(int axis) const {
    dvec3 normal(0.0);
    normal[axis] = ray_.direction[axis] > 0.0 ? -1.0 : 1.0;
    return normal;
  }

  const Terrain& terrain_;
  TerrainView view_;
  NearRay ray_;
  dvec2 spacing_, cells_;
};

// A point on the line between cells is in all of them.
std::optional<RayHit> TerrainWalk::begin_in_ground() const {
  const double x = place(0.0, 0), y = place(0.0, 1);
  if (!(x >= 0.0 && x <= cells_.x && y >= 0.0 && y <= cells_.y)) return std::nullopt;
  const auto col = static_cast<std::int64_t>(std::floor(x)), row = static_cast<std::int64_t>(std::floor(y));
  for (const std::int64_t i : {row, row - 1})
    for (const std::int64_t j : {col, col - 1}) {
      const Cell cell{i, j};
      if (x > static_cast<double>(j + 1) || y > static_cast<double>(i + 1) || !view_.solid(i, j)) continue;
      if (above_triangle(cell, 0.0) <= 0.0)
        return hit(cell, 0.0, -ray_.direction, beyond_diagonal(cell, 0.0) > 0.0 ? 1 : 0);
    }
  return std::nullopt;
}

std::optional<RayHit> TerrainWalk::first_hit(double highest) {
  if (ray_.before == 0.0)
    if (const auto inside = begin_in_ground()) return inside;

  // The part of the ray that is over the grid and not above all of it.
  double t = 0.0, end = std::min(ray_.length, kFarthest);
  int axis = kNoSide;  // of the side through which the ray came
  for (int a = 0; a < 2; ++a) {
    double enters = distance_to_line(0.0, a), leaves = distance_to_line(cells_[a], a);
    if (ray_.direction[a] == 0.0) {
      if (!(place(0.0, a) >= 0.0 && place(0.0, a) <= cells_[a])) return std::nullopt;
      continue;
    }
    if (enters > leaves) std::swap(enters, leaves);
    if (enters > t) t = enters, axis = a;
    end = std::min(end, leaves);
  }
  const double to_highest = (highest - ray_.point.z) / ray_.direction.z;
  if (ray_.direction.z < 0.0 && to_highest > t) t = to_highest, axis = kNoSide;
  if (ray_.direction.z > 0.0) end = std::min(end, to_highest);
  if (ray_.direction.z == 0.0 && ray_.point.z > highest) return std::nullopt;
  if (!(t <= end)) return std::nullopt;

  Cell cell{cell_at(t, 1), cell_at(t, 0)};
  if (axis == 0) cell.col = ray_.direction.x > 0.0 ? 0 : static_cast<std::int64_t>(cells_.x) - 1;
  if (axis == 1) cell.row = ray_.direction.y > 0.0 ? 0 : static_cast<std::int64_t>(cells_.y) - 1;
  bool came_from_open = axis != kNoSide;
  double line = axis == kNoSide ? 0.0 : ray_.direction[axis] > 0.0 ? 0.0 : cells_[axis];
  while (true) {
    const double column = static_cast<double>(cell.col + (ray_.direction.x > 0.0 ? 1 : 0));
    const double row = static_cast<double>(cell.row + (ray_.direction.y > 0.0 ? 1 : 0));
    const double to_column = distance_to_line(column, 0), to_row = distance_to_line(row, 1);
    const int next_axis = to_column <= to_row ? 0 : 1;
    const double next_line = next_axis == 0 ? column : row;
    const bool ends_here = std::min(to_column, to_row) >= end;
    const double next = std::max(t, std::min({to_column, to_row, end}));

    if (const auto solid = solid_cell(cell, t)) {
      // Where it comes in, perhaps where it is over the diagonal, where it goes out.
      struct Stop {
        double t, above;
      };
      std::array<Stop, 3> stops{};
      std::size_t count = 0;
      stops[count++] = {t, axis == kNoSide ? above_triangle(*solid, t) : above_side(*solid, line, axis, t)};
      const double e0 = beyond_diagonal(*solid, t), e1 = beyond_diagonal(*solid, next);
      if ((e0 > 0.0) != (e1 > 0.0)) {
        const double over = std::clamp(t + (next - t) * (e0 / (e0 - e1)), t, next);
        stops[count++] = {over, above_diagonal(*solid, over)};
      }
      stops[count++] = {next,
                        ends_here ? above_triangle(*solid, next) : above_side(*solid, next_line, next_axis, next)};
      if (stops[0].above <= 0.0 && came_from_open) return hit(*solid, t, wall_normal(axis), e0 > 0.0 ? 1 : 0);
      for (std::size_t k = 0; k + 1 < count; ++k) {
        const Stop &from = stops[k], &to = stops[k + 1];
        if (from.above > 0.0 && to.above > 0.0) continue;
        const int element = (k == 0 ? e0 : e1) > 0.0 ? 1 : 0;
        const double part = from.above <= 0.0 ? 0.0 : from.above / (from.above - to.above);
        return hit(*solid, from.t + part * (to.t - from.t), view_.element(solid->row, solid->col, element).normal,
                   element);
      }
      came_from_open = false;
    } else {
      came_from_open = true;
    }
    if (ends_here) return std::nullopt;
    t = next, axis = next_axis, line = next_line;
    (axis == 0 ? cell.col : cell.row) += ray_.direction[axis] > 0.0 ? 1 : -1;
    if (cell.col < 0 || cell.row < 0 || cell.col >= static_cast<std::int64_t>(cells_.x) ||
        cell.row >= static_cast<std::int64_t>(cells_.y))
      return std::nullopt;
  }
}

}  // namespace

RayTerrain::RayTerrain(const Terrain& of) : terrain(of), highest(-kEndless) {
  for (const double height : terrain.heights)
    if (height > highest) highest = height;
}

std::optional<RayTerrain::Hit> RayTerrain::first_hit(const Ray& ray) const {
  if (highest == -kEndless) return std::nullopt;
  // From somewhat before it is over the grid and not above all of it.
  const std::array<double, 2> size = {static_cast<double>(terrain.cols - 1) * terrain.spacing[0],
                                      static_cast<double>(terrain.rows - 1) * terrain.spacing[1]};
  double before = 0.0;
  for (int a = 0; a < 3; ++a) {
    if (ray.direction[a] == 0.0 || (a == 2 && ray.direction.z > 0.0)) continue;
    const double lower = a < 2 ? terrain.origin[a] : highest, upper = a < 2 ? lower + size[a] : highest;
    const double enters = ((ray.direction[a] > 0.0 ? lower : upper) - ray.origin[a]) / ray.direction[a];
    if (enters > before) before = enters;
  }
  before = std::max(0.0, before - 1.0 - 1e-9 * before);
  if (!(before <= ray.length)) return std::nullopt;
  const dvec3 corner(terrain.origin[0], terrain.origin[1], 0.0);
  const NearRay near = ray.seen_from(corner, before);
  for (int a = 0; a < 3; ++a)
    if (!std::isfinite(near.point[a])) return std::nullopt;
  auto found = TerrainWalk(terrain, near).first_hit(highest);
  if (!found) return std::nullopt;
  const dvec3 point = corner + (near.point + found->distance * near.direction);
  found->distance += before;
  return Hit{*found, point};
}

}  // namespace oclide::reference
