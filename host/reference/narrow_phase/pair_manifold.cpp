// The contacts that stand for where two bodies meet: docs/body_contacts.md, "Manifold".
#include "reference/narrow_phase/pair_manifold.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/narrow_phase/seen_polygon.hpp"

namespace oclide::reference {

Across across(dvec3 n) {
  const dvec3 least = std::abs(n.x) <= std::abs(n.y) && std::abs(n.x) <= std::abs(n.z) ? dvec3(1.0, 0.0, 0.0)
                      : std::abs(n.y) <= std::abs(n.z)                                 ? dvec3(0.0, 1.0, 0.0)
                                                                                       : dvec3(0.0, 0.0, 1.0);
  const dvec3 u = glm::normalize(glm::cross(least, n));
  return {u, glm::cross(n, u)};
}

FourCorners largest_four(const std::vector<MeetingPoint>& polygon, int with) {
  const std::size_t count = polygon.size();
  const auto twice = [&](std::size_t i, std::size_t j, std::size_t k) {
    const dvec2 p = polygon[i % count].across;
    return std::abs(cross2(polygon[j % count].across - p, polygon[k % count].across - p));
  };
  FourCorners best;
  if (count <= 4) {
    for (std::size_t k = 0; k < count; ++k) best.corners.push_back(k);
    for (std::size_t k = 2; k < count; ++k) best.area += 0.5 * twice(0, k - 1, k);
    return best;
  }
  // For each diagonal i k the farthest corner on either side; both move on as k does.
  best.area = -1.0;
  const std::size_t first = with < 0 ? 0 : static_cast<std::size_t>(with), last = with < 0 ? count : first + 1;
  for (std::size_t i = first; i < last; ++i) {
    std::size_t j = i + 1, l = i + 3;
    for (std::size_t k = i + 2; k + 1 < i + count; ++k) {
      while (j + 1 < k && twice(i, j + 1, k) >= twice(i, j, k)) ++j;
      l = std::max(l, k + 1);
      while (l + 1 < i + count && twice(i, k, l + 1) >= twice(i, k, l)) ++l;
      if (const double area = 0.5 * (twice(i, j, k) + twice(i, k, l)); area > best.area)
        best = {area, {i, j % count, k % count, l % count}};
    }
  }
  return best;
}

std::vector<PairContact> pair_manifold(const Body& a, const Body& b, dvec3 c, dvec3 n, double margin) {
  std::vector<MeetingPoint> points = meeting_along(a, b, c, n, margin).points;
  if (points.size() == 2 && glm::distance(points[0].across, points[1].across) < kSameContact)
    points.erase(points.begin() + (points[0].depth >= points[1].depth ? 1 : 0));
  if (points.empty()) return {};

  const auto deeper = [](const MeetingPoint& p, const MeetingPoint& q) { return p.depth < q.depth; };
  const auto deepest = std::max_element(points.begin(), points.end(), deeper);
  std::vector<std::size_t> chosen = largest_four(points).corners;
  double deepest_chosen = -std::numeric_limits<double>::infinity();
  for (const std::size_t k : chosen) deepest_chosen = std::max(deepest_chosen, points[k].depth);
  if (deepest_chosen < deepest->depth - kSameContact - 5e-3 * std::abs(deepest->depth))
    chosen = largest_four(points, static_cast<int>(deepest - points.begin())).corners;

  // The deepest first, the others in order around the patch.
  std::sort(chosen.begin(), chosen.end());
  const auto front = std::max_element(chosen.begin(), chosen.end(),
                                      [&](std::size_t p, std::size_t q) { return points[p].depth < points[q].depth; });
  std::rotate(chosen.begin(), front, chosen.end());
  std::vector<PairContact> contacts;
  contacts.reserve(chosen.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const MeetingPoint& p = points[chosen[i]];
    const auto is_one = [&](std::size_t k) { return glm::distance(points[k].across, p.across) < kSameContact; };
    if (std::none_of(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(i), is_one))
      contacts.push_back({p.point, p.depth, p.feature});
  }
  return contacts;
}

std::optional<PairManifold> collide_pair(const Body& a, const Body& b, dvec3 c, double margin) {
  const std::optional<LeastPenetration> least = pair_penetration(a, b, c, margin);
  if (!least || !(least->depth > -margin)) return std::nullopt;
  PairManifold manifold{least->normal, least->depth, pair_manifold(a, b, c, least->normal, margin)};
  if (manifold.contacts.empty()) return std::nullopt;
  return manifold;
}

}  // namespace oclide::reference
