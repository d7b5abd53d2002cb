#include "reference/terrain_surface.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace oclide::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

dvec3 nearest_on_segment(dvec3 p, dvec3 a, dvec3 b) {
  const dvec3 ab = b - a;
  return a + std::clamp(glm::dot(p - a, ab) / glm::dot(ab, ab), 0.0, 1.0) * ab;
}

// The cell and element on either side of edge k of site (row, col).
struct Side {
  std::int64_t row, col;
  int k;
};
std::array<Side, 2> sides_of(const TerrainView& view, std::int64_t row, std::int64_t col, int k) {
  if (k == 0) return {{{row, col, 0}, {row - 1, col, 1}}};
  if (k == 1) return {{{row, col, view.left_element(row, col)}, {row, col - 1, 1 - view.left_element(row, col - 1)}}};
  return {{{row, col, 0}, {row, col, 1}}};
}

}  // namespace

dvec3 nearest_on_triangle(dvec3 p, dvec3 a, dvec3 b, dvec3 c) {
  const dvec3 n = glm::cross(b - a, c - a);
  auto inside = [&](dvec3 from, dvec3 to) { return glm::dot(glm::cross(n, to - from), p - from) >= 0.0; };
  const bool ab = inside(a, b), bc = inside(b, c), ca = inside(c, a);
  if (ab && bc && ca) return p - glm::dot(p - a, n) / glm::dot(n, n) * n;
  // The nearest side is one that the point is outside of.
  dvec3 best = a;
  double least = kInfinity;
  auto look_at = [&](dvec3 from, dvec3 to) {
    const dvec3 q = nearest_on_segment(p, from, to);
    if (const double d = glm::distance(p, q); d < least) least = d, best = q;
  };
  if (!ab) look_at(a, b);
  if (!bc) look_at(b, c);
  if (!ca) look_at(c, a);
  return best;
}

double Element::inside(dvec3 in_plane, double grow) const {
  double nearest = kInfinity;
  for (int k = 0; k < 3; ++k) nearest = std::min(nearest, glm::dot(in_plane - v[k], inward[k]) + grow * flat_k[k]);
  return nearest;
}

double Element::inside_outline(dvec2 p) const {
  double nearest = kInfinity;
  for (int k = 0; k < 3; ++k) nearest = std::min(nearest, glm::dot(p - dvec2(v[k]), inward_outline[k]));
  return nearest;
}

double Element::height_over(dvec2 p) const {
  return v[0].z - glm::dot(p - dvec2(v[0]), dvec2(normal)) / normal.z;
}

TerrainView::TerrainView(const Terrain& terrain, dvec3 centre, const GroundFaces* faces)
    : terrain_(&terrain), centre_(centre), faces_(faces) {}

bool TerrainView::solid(std::int64_t row, std::int64_t col) const {
  const Terrain& t = *terrain_;
  const auto rows = static_cast<std::int64_t>(t.rows), cols = static_cast<std::int64_t>(t.cols);
  if (row < 0 || col < 0 || row >= rows - 1 || col >= cols - 1) return false;
  if (!t.holes.empty() && t.holes[static_cast<std::size_t>(row * (cols - 1) + col)] != 0) return false;
  for (int k = 0; k < 4; ++k)
    if (std::isnan(t.heights[static_cast<std::size_t>((row + k / 2) * cols + col + k % 2)])) return false;
  return true;
}

bool TerrainView::rises(std::int64_t row, std::int64_t col) const {
  const Diagonal d = terrain_->diagonal;
  if (d == Diagonal::falling || d == Diagonal::rising) return d == Diagonal::rising;
  return ((row + col) % 2 == 0) == (d == Diagonal::alternating_rising);
}

double TerrainView::site_x(std::int64_t col) const {
  return (terrain_->origin[0] - centre_.x) + static_cast<double>(col) * terrain_->spacing[0];
}

double TerrainView::site_y(std::int64_t row) const {
  return (terrain_->origin[1] - centre_.y) + static_cast<double>(row) * terrain_->spacing[1];
}

dvec3 TerrainView::vertex(std::int64_t row, std::int64_t col) const {
  const Terrain& t = *terrain_;
  return {site_x(col), site_y(row),
          t.heights[static_cast<std::size_t>(row) * t.cols + static_cast<std::size_t>(col)] - centre_.z};
}

CellRange TerrainView::cells(dvec2 lo, dvec2 hi) const {
  const Terrain& t = *terrain_;
  auto in_cells = [&](double x, int a, std::size_t vertices) {
    return std::clamp((x + (centre_[a] - t.origin[a])) / t.spacing[a], -2.0, static_cast<double>(vertices) + 1.0);
  };
  auto first = [](double u) { return std::max<std::int64_t>(0, static_cast<std::int64_t>(std::ceil(u)) - 1); };
  auto end = [](double u, std::size_t vertices) {
    return std::min(static_cast<std::int64_t>(vertices) - 1, static_cast<std::int64_t>(std::floor(u)) + 1);
  };
  return {first(in_cells(lo.y, 1, t.rows)), end(in_cells(hi.y, 1, t.rows), t.rows), first(in_cells(lo.x, 0, t.cols)),
          end(in_cells(hi.x, 0, t.cols), t.cols)};
}

std::uint32_t TerrainView::site_id(std::int64_t row, std::int64_t col) const {
  return static_cast<std::uint32_t>(row * static_cast<std::int64_t>(terrain_->cols) + col);
}

std::uint8_t TerrainView::material(std::int64_t row, std::int64_t col) const {
  const auto cols = static_cast<std::int64_t>(terrain_->cols);
  return terrain_->material.empty() ? std::uint8_t{0}
                                    : terrain_->material[static_cast<std::size_t>(row * (cols - 1) + col)];
}

std::array<dvec3, 3> TerrainView::corners(std::int64_t row, std::int64_t col, int k) const {
  if (rises(row, col))
    return {vertex(row + k, col + 1 - k), vertex(row + 1 - k, col + 1 - k), vertex(row + k, col + k)};
  return {vertex(row + k, col + k), vertex(row + k, col + 1 - k), vertex(row + 1 - k, col + k)};
}

dvec3 TerrainView::normal(std::int64_t row, std::int64_t col, int k) const {
  const auto [a, b, c] = corners(row, col, k);
  return glm::normalize(glm::cross(b - a, c - a));
}

Element TerrainView::element(std::int64_t row, std::int64_t col, int k) const {
  Element e;
  e.v = corners(row, col, k);
  e.normal = normal(row, col, k);
  const bool is_along_y = terrain_->diagonal == Diagonal::rising;
  e.along = glm::normalize(is_along_y ? dvec3(0.0, e.normal.z, -e.normal.y) : dvec3(e.normal.z, 0.0, -e.normal.x));
  for (int s = 0; s < 3; ++s) {
    const dvec3 side = e.v[(s + 1) % 3] - e.v[s];
    e.inward[s] = glm::normalize(glm::cross(e.normal, side));
    e.inward_outline[s] = glm::normalize(dvec2(-side.y, side.x));
  }
  e.id = 8 * site_id(row, col) + static_cast<std::uint32_t>(k);
  e.material = material(row, col);
  return e;
}

std::optional<Edge> TerrainView::edge(std::int64_t row, std::int64_t col, int k) const {
  std::array<Side, 2> sides = sides_of(*this, row, col, k);
  const bool solid0 = solid(sides[0].row, sides[0].col), solid1 = solid(sides[1].row, sides[1].col);
  if (!solid0 && !solid1) return std::nullopt;
  if (!solid0) std::swap(sides[0], sides[1]);

  Edge e;
  const bool falls = k == 2 && !rises(row, col);
  e.a = vertex(row, falls ? col + 1 : col);
  e.b = vertex(k == 0 ? row : row + 1, k == 1 || falls ? col : col + 1);
  e.length = glm::distance(e.a, e.b);
  e.direction = (e.b - e.a) / e.length;
  e.border = !(solid0 && solid1);
  e.id = 8 * site_id(row, col) + 2 + static_cast<std::uint32_t>(k);
  e.material = material(sides[0].row, sides[0].col);

  // Across the edge into an element: perpendicular to edge and normal, to the side of the element's middle as seen
  // from above.
  const dvec2 across = glm::normalize(dvec2(-(e.b - e.a).y, (e.b - e.a).x));
  auto into = [&](dvec3 n, const Side& s) {
    const auto [p, q, r] = corners(s.row, s.col, s.k);
    const dvec3 middle = (p + q + r) / 3.0;
    const dvec2 inward = glm::dot(dvec2(middle - e.a), across) > 0.0 ? across : -across;
    const dvec3 u = glm::normalize(glm::cross(n, e.direction));
    return glm::dot(dvec2(u), inward) >= 0.0 ? u : -u;
  };
  e.n1 = normal(sides[0].row, sides[0].col, sides[0].k);
  e.into1 = into(e.n1, sides[0]);
  if (e.border) {
    e.n2 = dvec3(glm::dot(across, dvec2(e.into1)) > 0.0 ? -across : across, 0.0);
    e.into2 = glm::cross(e.n2, e.direction);
    if (e.into2.z > 0.0) e.into2 = -e.into2;
    e.sine = 1.0;
    e.ridge = true;
    e.kind = EdgeKind::convex;
    return e;
  }
  e.n2 = normal(sides[1].row, sides[1].col, sides[1].k);
  e.into2 = into(e.n2, sides[1]);
  e.sine = glm::length(glm::cross(e.n1, e.n2));
  // Convex: going into element 2 leads below the plane of element 1.
  e.ridge = glm::dot(e.into2, e.n1) < 0.0;
  e.kind = e.sine <= kFlatSine ? EdgeKind::flat : e.ridge ? EdgeKind::convex : EdgeKind::concave;
  return e;
}

std::optional<Vertex> TerrainView::vertex_with_edges(std::int64_t row, std::int64_t col,
                                                     const std::array<const Edge*, 8>& around) const {
  Vertex v;
  v.largest_sine = 0.0;
  v.border = false;
  bool first = true;
  for (const Edge* e : around) {
    if (!e) continue;
    if (first) v.position = vertex(row, col), v.material = e->material;
    first = false;
    const bool from_a = glm::distance(e->a, v.position) < glm::distance(e->b, v.position);
    v.leaving.push_back(from_a ? e->direction : -e->direction);
    v.largest_sine = std::max(v.largest_sine, e->sine);
    v.border = v.border || e->border;
  }
  if (first) return std::nullopt;
  v.id = 8 * site_id(row, col) + 5;
  return v;
}

std::optional<double> TerrainView::height(dvec2 p) const {
  const Terrain& t = *terrain_;
  auto cell_of = [&](int a) {
    const double u = (p[a] + (centre_[a] - t.origin[a])) / t.spacing[a];
    return static_cast<std::int64_t>(std::floor(std::clamp(u, -2.0, 2.0 + static_cast<double>(a ? t.rows : t.cols))));
  };
  // One cell more on either side takes in points that stand exactly on a line of the grid.
  const std::int64_t row0 = cell_of(1), col0 = cell_of(0);
  for (std::int64_t row = row0 - 1; row <= row0 + 1; ++row)
    for (std::int64_t col = col0 - 1; col <= col0 + 1; ++col) {
      const double x = (p.x - site_x(col)) / t.spacing[0], y = (p.y - site_y(row)) / t.spacing[1];
      if (p.x < site_x(col) || p.x > site_x(col + 1) || p.y < site_y(row) || p.y > site_y(row + 1)) continue;
      if (!solid(row, col)) continue;
      const double z0 = vertex(row, col).z, z1 = vertex(row, col + 1).z, z2 = vertex(row + 1, col).z,
                   z3 = vertex(row + 1, col + 1).z;
      if (rises(row, col))
        return y <= x ? z1 + (1.0 - x) * (z0 - z1) + y * (z3 - z1) : z2 + x * (z3 - z2) + (1.0 - y) * (z0 - z2);
      return x + y <= 1.0 ? z0 + x * (z1 - z0) + y * (z2 - z0) : z3 + (1.0 - x) * (z2 - z3) + (1.0 - y) * (z1 - z3);
    }
  return std::nullopt;
}

// Cells outward from the one under the point, row by row, until all that is left is farther away.
std::optional<SurfacePoint> TerrainView::nearest(
    dvec3 p, double within, const std::function<bool(std::int64_t, std::int64_t)>& looks_at) const {
  const Terrain& t = *terrain_;
  const auto rows = static_cast<std::int64_t>(t.rows) - 1, cols = static_cast<std::int64_t>(t.cols) - 1;
  auto cell_under = [&](int a, std::int64_t count) {
    const double u = std::floor((p[a] + (centre_[a] - t.origin[a])) / t.spacing[a]);
    return static_cast<std::int64_t>(std::clamp(u, 0.0, static_cast<double>(count - 1)));
  };
  std::optional<SurfacePoint> best;
  double least = within;

  auto look_at = [&](std::int64_t row, std::int64_t col, double across) {
    if (!solid(row, col) || (looks_at && !looks_at(row, col))) return;
    const std::array<dvec3, 4> v = {vertex(row, col), vertex(row, col + 1), vertex(row + 1, col),
                                    vertex(row + 1, col + 1)};
    const double lowest = std::min({v[0].z, v[1].z, v[2].z, v[3].z});
    const double highest = std::max({v[0].z, v[1].z, v[2].z, v[3].z});
    if (std::hypot(across, std::max({lowest - p.z, p.z - highest, 0.0})) >= least) return;
    for (int k = 0; k < 2; ++k) {
      const auto [a, b, c] = corners(row, col, k);
      const dvec3 q = nearest_on_triangle(p, a, b, c);
      const double d = glm::distance(p, q);
      if (d < least) least = d, best = SurfacePoint{q, d, row, col, k};
    }
  };
  // Both ways from the middle: stops in each where the cells are farther away than the best.
  auto outward = [](std::int64_t middle, std::int64_t count, auto&& visit) {
    for (std::int64_t i = middle; i < count && visit(i); ++i) {
    }
    for (std::int64_t i = middle - 1; i >= 0 && visit(i); --i) {
    }
  };
  const std::int64_t col0 = cell_under(0, cols);
  outward(cell_under(1, rows), rows, [&](std::int64_t row) {
    const double y = std::max({site_y(row) - p.y, p.y - site_y(row + 1), 0.0});
    if (y >= least) return false;
    outward(col0, cols, [&](std::int64_t col) {
      const double x = std::max({site_x(col) - p.x, p.x - site_x(col + 1), 0.0});
      const double across = std::sqrt(x * x + y * y);
      if (across < least) look_at(row, col, across);
      return across < least;
    });
    return true;
  });
  return best;
}

double TerrainView::inside_solid(dvec2 p) const {
  const Terrain& t = *terrain_;
  // The cell of the point, also beyond the grid, and the eight around it.
  const double u = (p.x + (centre_.x - t.origin[0])) / t.spacing[0],
               v = (p.y + (centre_.y - t.origin[1])) / t.spacing[1];
  const double col0 = std::floor(std::clamp(u, -9.0, static_cast<double>(t.cols) + 9.0));
  const double row0 = std::floor(std::clamp(v, -9.0, static_cast<double>(t.rows) + 9.0));
  const double far = 0.5 * std::min(t.spacing[0], t.spacing[1]);
  double to_solid = far, to_open = far;
  for (int dr = -1; dr <= 1; ++dr)
    for (int dc = -1; dc <= 1; ++dc) {
      const double row = row0 + dr, col = col0 + dc;
      const double x = std::max({(col - u) * t.spacing[0], 0.0, (u - col - 1.0) * t.spacing[0]});
      const double y = std::max({(row - v) * t.spacing[1], 0.0, (v - row - 1.0) * t.spacing[1]});
      const double d = std::hypot(x, y);
      double& nearest = solid(static_cast<std::int64_t>(row), static_cast<std::int64_t>(col)) ? to_solid : to_open;
      nearest = std::min(nearest, d);
    }
  return to_solid == 0.0 ? to_open : -to_solid;
}

TerrainSurface::TerrainSurface(const TerrainView& terrain_view, const CellRange& cells)
    : view(terrain_view), range(cells) {
  if (range.empty()) return;
  // The edges of all sites from one before the range to one after it, each worked out once.
  const std::int64_t row0 = range.row0 - 1, col0 = range.col0 - 1;
  const std::int64_t rows = range.row1 - row0 + 1, cols = range.col1 - col0 + 1;
  std::vector<std::optional<Edge>> around(static_cast<std::size_t>(3 * rows * cols));
  auto slot = [&](std::int64_t row, std::int64_t col, int k) -> std::optional<Edge>& {
    return around[static_cast<std::size_t>(3 * ((row - row0) * cols + (col - col0)) + k)];
  };
  auto edge = [&](std::int64_t row, std::int64_t col, int k) {
    const std::optional<Edge>& e = slot(row, col, k);
    return e ? &*e : nullptr;
  };
  for (std::int64_t row = row0; row <= range.row1; ++row)
    for (std::int64_t col = col0; col <= range.col1; ++col)
      for (int k = 0; k < 3; ++k) slot(row, col, k) = view.edge(row, col, k);

  for (std::int64_t row = range.row0; row < range.row1; ++row)
    for (std::int64_t col = range.col0; col < range.col1; ++col) {
      if (!view.solid(row, col)) continue;
      for (int k = 0; k < 2; ++k) {
        Element e = view.element(row, col, k);
        // Sides v0 v1, v1 v2, v2 v0: along x, the diagonal, along y; along y first where it rises.
        std::array<const Edge*, 3> sides = {edge(row + k, col, 0), edge(row, col, 2),
                                            edge(row, k == view.left_element(row, col) ? col : col + 1, 1)};
        if (view.rises(row, col)) std::swap(sides[0], sides[2]);
        for (int s = 0; s < 3; ++s) e.flat_k[s] = sides[s]->kind == EdgeKind::flat ? 1.0 : 0.0;
        elements.push_back(e);
      }
    }
  for (std::int64_t row = range.row0; row <= range.row1; ++row)
    for (std::int64_t col = range.col0; col <= range.col1; ++col) {
      // Sides of cells of the range: along x not past its last column, along y not past its last row.
      const std::array<bool, 3> of_range = {col < range.col1, row < range.row1, col < range.col1 && row < range.row1};
      for (int k = 0; k < 3; ++k)
        if (const Edge* e = edge(row, col, k); e && of_range[k]) edges.push_back(*e);
      // The diagonal of a cell is at two of its corners.
      auto diagonal = [&](std::int64_t r, std::int64_t c) {
        return view.rises(r, c) == (r - row == c - col) ? edge(r, c, 2) : nullptr;
      };
      const auto v = view.vertex_with_edges(
          row, col,
          {edge(row, col, 0), edge(row, col, 1), diagonal(row, col), diagonal(row, col - 1), edge(row, col - 1, 0),
           edge(row - 1, col, 1), diagonal(row - 1, col - 1), diagonal(row - 1, col)});
      if (v) vertices.push_back(*v);
    }
}

double TerrainSurface::boundary_distance(dvec3 p, double most) const {
  const std::optional<SurfacePoint> nearest = view.nearest(p, most);
  return std::min({most, nearest ? nearest->distance : most, wall_distance(p)});
}

bool TerrainSurface::on_rim(dvec3 p, double within) const {
  return std::min({p.x - view.site_x(range.col0), view.site_x(range.col1) - p.x, p.y - view.site_y(range.row0),
                   view.site_y(range.row1) - p.y}) <= within;
}

double TerrainSurface::outside(dvec3 p, double most) const {
  const std::optional<double> height = view.height(dvec2(p));
  return height && p.z <= *height ? 0.0 : boundary_distance(p, most);
}

double TerrainSurface::wall_distance(dvec3 p) const {
  double best = kInfinity;
  for (const Edge& e : edges) {
    if (!e.border) continue;
    // The foot on the wall's vertical plane, between its ends and not above its top.
    const dvec2 a(e.a), b(e.b), ab = b - a;
    const double t = std::clamp(glm::dot(dvec2(p) - a, ab) / glm::dot(ab, ab), 0.0, 1.0);
    const double top = e.a.z + t * (e.b.z - e.a.z);
    const dvec3 foot(a + t * ab, std::min(p.z, top));
    best = std::min({best, glm::distance(p, foot), glm::distance(p, nearest_on_segment(p, e.a, e.b))});
  }
  return best;
}

}  // namespace oclide::reference
