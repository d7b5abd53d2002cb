// The nearest points of two segments: of all pairs of places that can be nearest, those that are.
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/narrow_phase/body_pair.hpp"

namespace oclide::reference {
namespace {

// Where the segments cross or nearly so: along neither of them. c decides the side, else the first axis of A.
dvec3 across_both(const Body& a, const Body& b, dvec3 c) {
  dvec3 normal = glm::cross(a.axis(), b.axis());
  if (glm::length(normal) <= 1e-9) normal = c - glm::dot(c, a.axis()) * a.axis();
  if (glm::length(normal) <= 1e-9 * (a.half_length() + b.half_length())) normal = a.axes[0];
  return (glm::dot(normal, c) > 0.0 ? -1.0 : 1.0) * glm::normalize(normal);
}

}  // namespace

Penetration capsule_capsule(const Body& a, const Body& b, dvec3 c, double apart) {
  const dvec3 u = a.axis(), v = b.axis();
  const double ha = a.half_length(), hb = b.half_length();
  double best = std::numeric_limits<double>::infinity();
  dvec3 way(0.0);  // from B's place to A's
  const auto take_nearer = [&](dvec3 w) {
    if (const double distance = glm::length(w); distance < best) best = distance, way = w;
  };
  const auto look_at = [&](double s, double t) { take_nearer(s * u - (c + t * v)); };
  // An end of one, and the place of the other nearest to it.
  const auto nearest_on_a = [&](double t) { return std::clamp(glm::dot(c + t * v, u), -ha, ha); };
  const auto nearest_on_b = [&](double s) { return std::clamp(glm::dot(s * u - c, v), -hb, hb); };
  for (const double end : {-1.0, 1.0}) {
    look_at(end * ha, nearest_on_b(end * ha));
    look_at(nearest_on_a(end * hb), end * hb);
  }
  // Between the ends of both: across both. Not from one place to the other, which of nearly parallel axes are known so
  // badly along them that the way would lead along them.
  const dvec3 across = glm::cross(u, v);
  const double uv = glm::dot(u, v), sine2 = glm::dot(across, across);
  if (sine2 > 1e-18) {
    const double s = (glm::dot(c, u) - uv * glm::dot(c, v)) / sine2, t = (uv * glm::dot(c, u) - glm::dot(c, v)) / sine2;
    const dvec3 shortest = -glm::dot(c, across) / sine2 * across;
    // Of axes in one line rounding may have them cross within both, which are one behind the other.
    const double there = glm::length(s * u - (c + nearest_on_b(s) * v));
    const bool is_there = there <= glm::length(shortest) + 1e-6 * (ha + hb);
    if (std::abs(s) <= ha && std::abs(t) <= hb && is_there) take_nearer(shortest);
  }
  const bool crossing = best <= kOnAxis * (ha + hb);
  return unless_apart(a.radius() + b.radius() - best, crossing ? across_both(a, b, c) : way / best, apart);
}

}  // namespace oclide::reference
