#include "hulls/flat_loop.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace oclide {
namespace {

using glm::dvec2;
using glm::dvec3;

double cross_of(dvec2 a, dvec2 b) {
  return a.x * b.y - a.y * b.x;
}

std::vector<dvec2> seen_in_plane(std::span<const dvec3> points, std::span<const std::uint32_t> loop, dvec3 normal) {
  const dvec3 least = std::abs(normal.x) <= std::abs(normal.y) && std::abs(normal.x) <= std::abs(normal.z)
                          ? dvec3(1.0, 0.0, 0.0)
                      : std::abs(normal.y) <= std::abs(normal.z) ? dvec3(0.0, 1.0, 0.0)
                                                                 : dvec3(0.0, 0.0, 1.0);
  const dvec3 u = glm::normalize(glm::cross(least, normal)), w = glm::cross(normal, u);
  std::vector<dvec2> seen;
  seen.reserve(loop.size());
  for (const std::uint32_t p : loop) seen.emplace_back(glm::dot(points[p], u), glm::dot(points[p], w));
  return seen;
}

// The lower chain from left to right, then the upper one back (Andrew's monotone chain).
std::vector<std::size_t> hull_corners(const std::vector<dvec2>& points) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return points[a].x != points[b].x ? points[a].x < points[b].x : points[a].y < points[b].y;
  });
  std::vector<std::size_t> corners;
  const auto go_along = [&](auto first, auto last) {
    const std::size_t begin = corners.size();
    for (auto k = first; k != last; ++k) {
      const auto turns_left = [&] {
        const dvec2 p = points[corners[corners.size() - 2]], q = points[corners.back()];
        return cross_of(q - p, points[*k] - p) > 0.0;
      };
      while (corners.size() >= begin + 2 && !turns_left()) corners.pop_back();
      corners.push_back(*k);
    }
    corners.pop_back();  // the other chain begins with it
  };
  go_along(order.begin(), order.end());
  go_along(order.rbegin(), order.rend());
  return corners;
}

}  // namespace

std::vector<std::size_t> loop_corners(std::span<const dvec3> points, std::span<const std::uint32_t> loop,
                                      dvec3 normal) {
  return hull_corners(seen_in_plane(points, loop, normal));
}

bool is_convex_loop(std::span<const dvec3> points, std::span<const std::uint32_t> loop, dvec3 normal, double slack) {
  if (loop.size() < 3) return false;
  const std::vector<dvec2> seen = seen_in_plane(points, loop, normal);
  const std::vector<std::size_t> corners = hull_corners(seen);
  std::size_t steps = 0;
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const std::size_t from = corners[k], to = corners[(k + 1) % corners.size()];
    const dvec2 side = seen[to] - seen[from];
    const double length = glm::length(side);
    for (std::size_t at = from; at != to; at = (at + 1) % loop.size(), ++steps)
      if (cross_of(side, seen[at] - seen[from]) > slack * length) return false;
  }
  return steps == loop.size();
}

}  // namespace oclide
