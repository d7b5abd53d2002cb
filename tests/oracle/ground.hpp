// The solid ground of one height grid and exact queries against it, brute force.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shape.hpp"

namespace oracle {

struct Ground {
  std::ptrdiff_t rows = 0, cols = 0;
  double origin[2] = {0, 0}, spacing[2] = {1, 1};
  std::vector<double> heights;
  std::vector<std::uint8_t> holes, material;  ///< by cell, or empty

  double height(std::ptrdiff_t i, std::ptrdiff_t j) const { return heights[static_cast<std::size_t>(i * cols + j)]; }
  std::size_t cell(std::ptrdiff_t i, std::ptrdiff_t j) const { return static_cast<std::size_t>(i * (cols - 1) + j); }
  bool solid(std::ptrdiff_t i, std::ptrdiff_t j) const {
    if (i < 0 || j < 0 || i >= rows - 1 || j >= cols - 1) return false;
    if (!holes.empty() && holes[cell(i, j)] != 0) return false;
    return !std::isnan(height(i, j) + height(i, j + 1) + height(i + 1, j) + height(i + 1, j + 1));
  }
  Vec vertex(std::ptrdiff_t i, std::ptrdiff_t j, Vec from) const {
    return Vec{origin[0] + static_cast<double>(j) * spacing[0], origin[1] + static_cast<double>(i) * spacing[1],
               height(i, j)} -
           from;
  }
  /// Triangle 0 is V0 V1 V2, triangle 1 is V3 V2 V1; coordinates relative to `from`.
  Triangle triangle(std::ptrdiff_t i, std::ptrdiff_t j, int which, Vec from) const {
    const Vec v1 = vertex(i, j + 1, from), v2 = vertex(i + 1, j, from);
    if (which == 0) return {{vertex(i, j, from), v1, v2}};
    return {{vertex(i + 1, j + 1, from), v2, v1}};
  }
  double cell_top(std::ptrdiff_t i, std::ptrdiff_t j) const {
    return std::max({height(i, j), height(i, j + 1), height(i + 1, j), height(i + 1, j + 1)});
  }
  /// Calls visit(i, j) for every solid cell that meets the closed rectangle (world coordinates).
  template <typename Visit>
  void each_cell(double x0, double x1, double y0, double y1, Visit visit) const {
    const auto index = [](double p, std::ptrdiff_t last) {
      return static_cast<std::ptrdiff_t>(std::clamp(p, -1.0, static_cast<double>(last) + 1.0));
    };
    const std::ptrdiff_t j0 = std::max<std::ptrdiff_t>(0, index(std::floor((x0 - origin[0]) / spacing[0]) - 1, cols));
    const std::ptrdiff_t j1 = std::min(cols - 2, index(std::floor((x1 - origin[0]) / spacing[0]) + 1, cols));
    const std::ptrdiff_t i0 = std::max<std::ptrdiff_t>(0, index(std::floor((y0 - origin[1]) / spacing[1]) - 1, rows));
    const std::ptrdiff_t i1 = std::min(rows - 2, index(std::floor((y1 - origin[1]) / spacing[1]) + 1, rows));
    for (std::ptrdiff_t i = i0; i <= i1; ++i) {
      const double ya = origin[1] + static_cast<double>(i) * spacing[1];
      if (ya > y1 + 1e-9 || ya + spacing[1] < y0 - 1e-9) continue;
      for (std::ptrdiff_t j = j0; j <= j1; ++j) {
        const double xa = origin[0] + static_cast<double>(j) * spacing[0];
        if (xa > x1 + 1e-9 || xa + spacing[0] < x0 - 1e-9 || !solid(i, j)) continue;
        visit(i, j);
      }
    }
  }
};

inline double distance_to_segment(Vec p, Vec a, Vec b) {
  const Vec e = b - a;
  const double t = std::clamp(dot(p - a, e) / dot(e, e), 0.0, 1.0);
  return length(p - (a + t * e));
}

inline double distance_to_triangle(Vec p, const Triangle& t) {
  const Vec n = t.normal();
  bool inside = true;
  double best = kInfinity;
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec a = t.v[i], b = t.v[(i + 1) % 3];
    if (dot(cross(n, b - a), p - a) < 0.0) inside = false;
    best = std::min(best, distance_to_segment(p, a, b));
  }
  return inside ? std::min(best, std::abs(dot(n, p - t.v[0]))) : best;
}

/// Distance to the vertical wall below the segment a b.
inline double distance_to_wall(Vec p, Vec a, Vec b) {
  const Vec e{b.x - a.x, b.y - a.y, 0.0};
  const double t = std::clamp(((p.x - a.x) * e.x + (p.y - a.y) * e.y) / dot(e, e), 0.0, 1.0);
  if (p.z <= a.z + t * (b.z - a.z)) return std::hypot(p.x - a.x - t * e.x, p.y - a.y - t * e.y);
  return distance_to_segment(p, a, b);  // above its upper rim
}

/// Distance of p to the ground's surface: triangles of solid cells, and walls at the border and around holes.
/// Exact when not greater than `reach`, otherwise infinite.
inline double distance_to_surface(const Ground& g, Vec p, double reach) {
  double best = kInfinity;
  g.each_cell(p.x - reach, p.x + reach, p.y - reach, p.y + reach, [&](std::ptrdiff_t i, std::ptrdiff_t j) {
    const Vec v0 = g.vertex(i, j, p), v1 = g.vertex(i, j + 1, p), v2 = g.vertex(i + 1, j, p),
              v3 = g.vertex(i + 1, j + 1, p), zero;
    best = std::min({best, distance_to_triangle(zero, {{v0, v1, v2}}), distance_to_triangle(zero, {{v3, v2, v1}})});
    if (!g.solid(i - 1, j)) best = std::min(best, distance_to_wall(zero, v0, v1));
    if (!g.solid(i + 1, j)) best = std::min(best, distance_to_wall(zero, v2, v3));
    if (!g.solid(i, j - 1)) best = std::min(best, distance_to_wall(zero, v0, v2));
    if (!g.solid(i, j + 1)) best = std::min(best, distance_to_wall(zero, v1, v3));
  });
  return best <= reach ? best : kInfinity;
}

/// Highest (surface - p.z) over solid cells that hold (p.x, p.y), and the element's normal; -infinity in the open.
struct Under {
  double gap = -kInfinity;
  Vec normal;
};
inline Under under_surface(const Ground& g, Vec p) {
  Under best;
  g.each_cell(p.x, p.x, p.y, p.y, [&](std::ptrdiff_t i, std::ptrdiff_t j) {
    for (int k = 0; k < 2; ++k) {
      const Triangle t = g.triangle(i, j, k, p);
      bool inside = true;
      for (std::size_t s = 0; s < 3; ++s) {
        const Vec a = t.v[s], e = t.v[(s + 1) % 3] - a;
        if (e.y * a.x - e.x * a.y < -1e-9 * std::hypot(e.x, e.y)) inside = false;
      }
      if (!inside) continue;
      const Vec n = t.normal();
      const double gap = dot(n, t.v[0]) / n.z;
      if (gap > best.gap) best = {gap, n};
    }
  });
  return best;
}

/// Distance of p to the solid, 0 inside; exact when not greater than `reach`, otherwise infinite.
inline double distance_to_solid(const Ground& g, Vec p, double reach) {
  return under_surface(g, p).gap >= 0.0 ? 0.0 : distance_to_surface(g, p, reach);
}

/// Where the ray p + t d, 0 <= t <= reach, is in solid ground: disjoint intervals in order, joined where they are
/// closer than 1e-7 m.
inline std::vector<Interval> solid_along_ray(const Ground& g, Vec p, Vec d, double reach) {
  std::vector<Interval> parts;
  const auto clip_cell = [&](std::ptrdiff_t i, std::ptrdiff_t j) {
    for (int k = 0; k < 2; ++k) {
      const Triangle t = g.triangle(i, j, k, p);
      Interval in{-1e-3, reach};
      const auto keep = [&](double value, double slope) {  // value + t slope >= 0
        if (slope == 0.0) {
          if (value < 0.0) in = kNothing;
        } else if (slope > 0.0) {
          in.lo = std::max(in.lo, -value / slope);
        } else {
          in.hi = std::min(in.hi, -value / slope);
        }
      };
      for (std::size_t s = 0; s < 3; ++s) {
        const Vec a = t.v[s], e = t.v[(s + 1) % 3] - a;
        const double l = std::hypot(e.x, e.y);
        keep((e.y * a.x - e.x * a.y) / l + 1e-9, (e.x * d.y - e.y * d.x) / l);
      }
      const Vec n = t.normal();
      keep(dot(n, t.v[0]), -dot(n, d));
      if (!in.empty()) parts.push_back(in);
    }
  };
  // Row by row, only the columns the ray passes.
  const double ya = std::min(p.y, p.y + reach * d.y) - 1e-3, yb = std::max(p.y, p.y + reach * d.y) + 1e-3;
  const double first = std::max(0.0, std::floor((ya - g.origin[1]) / g.spacing[1]) - 1.0);
  const double last = std::min(static_cast<double>(g.rows - 2), std::floor((yb - g.origin[1]) / g.spacing[1]) + 1.0);
  for (double row = first; row <= last; row += 1.0) {
    const double y0 = g.origin[1] + row * g.spacing[1], y1 = y0 + g.spacing[1];
    Interval t{0.0, reach};
    if (std::abs(d.y) > 1e-12) {
      const double a = (y0 - 2e-3 - p.y) / d.y, b = (y1 + 2e-3 - p.y) / d.y;
      t = both(t, {std::min(a, b), std::max(a, b)});
    } else if (p.y < y0 - 2e-3 || p.y > y1 + 2e-3) {
      continue;
    }
    if (t.empty()) continue;
    const double xa = p.x + t.lo * d.x, xb = p.x + t.hi * d.x;
    const double middle = 0.5 * (y0 + y1);
    g.each_cell(std::min(xa, xb) - 2e-3, std::max(xa, xb) + 2e-3, middle, middle, clip_cell);
  }
  std::sort(parts.begin(), parts.end(), [](const Interval& a, const Interval& b) { return a.lo < b.lo; });
  std::vector<Interval> merged;
  for (const Interval& part : parts) {
    if (!merged.empty() && part.lo <= merged.back().hi + 1e-7) {
      merged.back().hi = std::max(merged.back().hi, part.hi);
    } else {
      merged.push_back(part);
    }
  }
  return merged;
}

}  // namespace oracle
