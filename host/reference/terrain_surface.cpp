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
std::array<Side, 2> sides_of(std::int64_t row, std::int64_t col, int k) {
  if (k == 0) return {{{row, col, 0}, {row - 1, col, 1}}};
  if (k == 1) return {{{row, col, 0}, {row, col - 1, 1}}};
  return {{{row, col, 0}, {row, col, 1}}};
}

}  // namespace

double Element::inside(dvec3 in_plane, double grow) const {
  double nearest = kInfinity;
  for (int k = 0; k < 3; ++k) {
    const dvec3 side = v[(k + 1) % 3] - v[k];
    const dvec3 inward = glm::normalize(glm::cross(normal, side));
    nearest = std::min(nearest, glm::dot(in_plane - v[k], inward) + grow * flat_k[k]);
  }
  return nearest;
}

double Element::inside_outline(dvec2 p) const {
  double nearest = kInfinity;
  for (int k = 0; k < 3; ++k) {
    const dvec2 side(v[(k + 1) % 3] - v[k]);
    const dvec2 inward = glm::normalize(dvec2(-side.y, side.x));
    nearest = std::min(nearest, glm::dot(p - dvec2(v[k]), inward));
  }
  return nearest;
}

double Element::height_over(dvec2 p) const {
  return v[0].z - glm::dot(p - dvec2(v[0]), dvec2(normal)) / normal.z;
}

dvec3 Element::nearest_point(dvec3 p) const {
  const dvec3 foot = p + depth_of(p) * normal;
  if (inside(foot) >= 0.0) return foot;
  dvec3 best = v[0];
  for (int k = 0; k < 3; ++k) {
    const dvec3 q = nearest_on_segment(p, v[k], v[(k + 1) % 3]);
    if (glm::distance(p, q) < glm::distance(p, best)) best = q;
  }
  return best;
}

TerrainView::TerrainView(const Terrain& terrain, dvec3 centre) : terrain_(&terrain), centre_(centre) {}

bool TerrainView::solid(std::int64_t row, std::int64_t col) const {
  const Terrain& t = *terrain_;
  const auto rows = static_cast<std::int64_t>(t.rows), cols = static_cast<std::int64_t>(t.cols);
  if (row < 0 || col < 0 || row >= rows - 1 || col >= cols - 1) return false;
  if (!t.holes.empty() && t.holes[static_cast<std::size_t>(row * (cols - 1) + col)] != 0) return false;
  for (int k = 0; k < 4; ++k)
    if (std::isnan(t.heights[static_cast<std::size_t>((row + k / 2) * cols + col + k % 2)])) return false;
  return true;
}

dvec3 TerrainView::vertex(std::int64_t row, std::int64_t col) const {
  const Terrain& t = *terrain_;
  return {(t.origin[0] - centre_.x) + static_cast<double>(col) * t.spacing[0],
          (t.origin[1] - centre_.y) + static_cast<double>(row) * t.spacing[1],
          t.heights[static_cast<std::size_t>(row) * t.cols + static_cast<std::size_t>(col)] - centre_.z};
}

CellRange TerrainView::cells(dvec2 lo, dvec2 hi) const {
  const Terrain& t = *terrain_;
  auto index = [&](double x, int a, std::size_t vertices) {
    const double u = (x + (centre_[a] - t.origin[a])) / t.spacing[a];
    return static_cast<std::int64_t>(std::floor(std::clamp(u, -2.0, static_cast<double>(vertices) + 1.0)));
  };
  const auto last_row = static_cast<std::int64_t>(t.rows) - 1, last_col = static_cast<std::int64_t>(t.cols) - 1;
  // One cell more on either side takes in points that stand exactly on a line of the grid.
  return {std::max<std::int64_t>(0, index(lo.y, 1, t.rows) - 1), std::min(last_row, index(hi.y, 1, t.rows) + 2),
          std::max<std::int64_t>(0, index(lo.x, 0, t.cols) - 1), std::min(last_col, index(hi.x, 0, t.cols) + 2)};
}

std::uint32_t TerrainView::site_id(std::int64_t row, std::int64_t col) const {
  return static_cast<std::uint32_t>(row * static_cast<std::int64_t>(terrain_->cols) + col);
}

std::uint8_t TerrainView::material(std::int64_t row, std::int64_t col) const {
  const auto cols = static_cast<std::int64_t>(terrain_->cols);
  return terrain_->material.empty() ? std::uint8_t{0}
                                    : terrain_->material[static_cast<std::size_t>(row * (cols - 1) + col)];
}

dvec3 TerrainView::normal(std::int64_t row, std::int64_t col, int k) const {
  const dvec3 a = vertex(row + k, col + k), b = vertex(row + k, col + 1 - k), c = vertex(row + 1 - k, col + k);
  return glm::normalize(glm::cross(b - a, c - a));
}

Element TerrainView::element(std::int64_t row, std::int64_t col, int k) const {
  Element e;
  e.v = {vertex(row + k, col + k), vertex(row + k, col + 1 - k), vertex(row + 1 - k, col + k)};
  e.normal = normal(row, col, k);
  e.id = 8 * site_id(row, col) + static_cast<std::uint32_t>(k);
  e.material = material(row, col);
  // Sides v0 v1, v1 v2, v2 v0 as edges of lattice sites.
  const std::array<std::array<std::int64_t, 3>, 3> sides =
      k == 0 ? std::array<std::array<std::int64_t, 3>, 3>{{{row, col, 0}, {row, col, 2}, {row, col, 1}}}
             : std::array<std::array<std::int64_t, 3>, 3>{{{row + 1, col, 0}, {row, col, 2}, {row, col + 1, 1}}};
  for (int s = 0; s < 3; ++s) {
    const std::optional<Edge> side = edge(sides[s][0], sides[s][1], static_cast<int>(sides[s][2]));
    e.flat_k[s] = side && side->kind == EdgeKind::flat ? 1.0 : 0.0;
  }
  return e;
}

std::optional<Edge> TerrainView::edge(std::int64_t row, std::int64_t col, int k) const {
  std::array<Side, 2> sides = sides_of(row, col, k);
  const bool solid0 = solid(sides[0].row, sides[0].col), solid1 = solid(sides[1].row, sides[1].col);
  if (!solid0 && !solid1) return std::nullopt;
  if (!solid0) std::swap(sides[0], sides[1]);

  Edge e;
  e.a = k == 2 ? vertex(row, col + 1) : vertex(row, col);
  e.b = k == 0 ? vertex(row, col + 1) : vertex(row + 1, col);
  e.length = glm::distance(e.a, e.b);
  e.direction = (e.b - e.a) / e.length;
  e.border = !(solid0 && solid1);
  e.id = 8 * site_id(row, col) + 2 + static_cast<std::uint32_t>(k);
  e.material = material(sides[0].row, sides[0].col);

  // Across the edge into an element: perpendicular to edge and normal, to the side of the element's middle as seen
  // from above.
  const dvec2 across = glm::normalize(dvec2(-(e.b - e.a).y, (e.b - e.a).x));
  auto into = [&](dvec3 n, const Side& s) {
    const dvec3 middle = (vertex(s.row + s.k, s.col + s.k) + vertex(s.row + s.k, s.col + 1 - s.k) +
                          vertex(s.row + 1 - s.k, s.col + s.k)) /
                         3.0;
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
    e.kind = EdgeKind::convex;
    return e;
  }
  e.n2 = normal(sides[1].row, sides[1].col, sides[1].k);
  e.into2 = into(e.n2, sides[1]);
  e.sine = glm::length(glm::cross(e.n1, e.n2));
  // Convex: going into element 2 leads below the plane of element 1.
  const bool below = glm::dot(e.into2, e.n1) < 0.0;
  e.kind = e.sine <= kFlatSine ? EdgeKind::flat : below ? EdgeKind::convex : EdgeKind::concave;
  return e;
}

std::optional<Vertex> TerrainView::vertex_with_edges(std::int64_t row, std::int64_t col) const {
  Vertex v;
  v.largest_sine = 0.0;
  v.border = false;
  bool first = true;
  // The edges around vertex (row, col) as edges of lattice sites: E, N, NW, W, S, SE.
  const std::array<std::array<std::int64_t, 3>, 6> around = {
      {{row, col, 0}, {row, col, 1}, {row, col - 1, 2}, {row, col - 1, 0}, {row - 1, col, 1}, {row - 1, col, 2}}};
  for (const auto& [r, c, k] : around) {
    const std::optional<Edge> e = edge(r, c, static_cast<int>(k));
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
  const CellRange range = cells(p, p);
  for (std::int64_t row = range.row0; row < range.row1; ++row)
    for (std::int64_t col = range.col0; col < range.col1; ++col) {
      if (!solid(row, col)) continue;
      const dvec3 v0 = vertex(row, col), v1 = vertex(row, col + 1), v2 = vertex(row + 1, col),
                  v3 = vertex(row + 1, col + 1);
      if (p.x < v0.x || p.x > v3.x || p.y < v0.y || p.y > v3.y) continue;
      const double x = (p.x - v0.x) / (v3.x - v0.x), y = (p.y - v0.y) / (v3.y - v0.y);
      if (x + y <= 1.0) return v0.z + x * (v1.z - v0.z) + y * (v2.z - v0.z);
      return v3.z + (1.0 - x) * (v2.z - v3.z) + (1.0 - y) * (v1.z - v3.z);
    }
  return std::nullopt;
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

TerrainSurface::TerrainSurface(const TerrainView& terrain_view, const CellRange& range) : view(terrain_view) {
  if (range.empty()) return;
  for (std::int64_t row = range.row0; row < range.row1; ++row)
    for (std::int64_t col = range.col0; col < range.col1; ++col)
      if (view.solid(row, col))
        for (int k = 0; k < 2; ++k) elements.push_back(view.element(row, col, k));
  for (std::int64_t row = range.row0; row <= range.row1; ++row)
    for (std::int64_t col = range.col0; col <= range.col1; ++col) {
      for (int k = 0; k < 3; ++k)
        if (const std::optional<Edge> e = view.edge(row, col, k)) edges.push_back(*e);
      if (const std::optional<Vertex> v = view.vertex_with_edges(row, col)) vertices.push_back(*v);
    }
}

double TerrainSurface::distance(dvec3 p) const {
  double best = kInfinity;
  for (const Element& e : elements) {
    if (std::abs(e.depth_of(p)) >= best) continue;
    best = std::min(best, glm::distance(p, e.nearest_point(p)));
  }
  return best;
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
