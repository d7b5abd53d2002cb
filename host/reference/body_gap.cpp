// How high a segment is over the lowest points of a body, by search: Body::greatest_gap().
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/body.hpp"

namespace oclide::reference {

std::optional<Gap> Body::greatest_gap(dvec3 a, dvec3 b) const {
  // The part of the segment over the body's bounding rectangle.
  const Bounds box = bounds();
  const dvec3 ab = b - a;
  double lo = 0.0, hi = 1.0;
  for (int k = 0; k < 2; ++k) {
    if (ab[k] == 0.0) {
      if (a[k] < box.lower[k] || a[k] > box.upper[k]) return std::nullopt;
      continue;
    }
    const double t1 = (box.lower[k] - a[k]) / ab[k], t2 = (box.upper[k] - a[k]) / ab[k];
    lo = std::max(lo, std::min(t1, t2)), hi = std::min(hi, std::max(t1, t2));
  }
  if (!(lo <= hi)) return std::nullopt;

  // The segment is straight and the body's underside convex, so the gap is concave (and minus infinity beside the
  // body): the best of many points brackets the greatest, ternary search closes in on it.
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  auto gap_at = [&](double t) {
    const dvec3 p = a + t * ab;
    const auto lowest = lowest_on_vertical(dvec2(p));
    return lowest ? p.z - lowest->z : kNone;
  };
  constexpr int kSamples = 32;
  Gap best{lo, kNone};
  auto look_at = [&](double t) {
    const double gap = gap_at(t);
    if (gap > best.height) best = {t, gap};
    return gap;
  };
  int hits = 0;
  for (int i = 0; i <= kSamples; ++i) hits += look_at(lo + (hi - lo) * i / kSamples) > kNone ? 1 : 0;
  if (hits < 4) {
    // Over a corner or a rim alone: the ends of the overlap exactly. Of all points of the body over the segment's line
    // the farthest along u is where, of the bounds on it by directions u + k w with w across, the least is.
    const double length = glm::length(dvec2(ab));
    const dvec3 u(dvec2(ab) / length, 0.0), w(-u.y, u.x, 0.0);
    const double across = glm::dot(a, w), start = glm::dot(a, u);
    if (glm::dot(support(w), w) < across || glm::dot(support(-w), w) > across) return std::nullopt;
    auto farthest = [&](dvec3 direction) {
      auto bound = [&](double angle) {
        const dvec3 d = direction + std::tan(angle) * w;
        return glm::dot(support(d), d) - std::tan(angle) * across;
      };
      double from = -1.5707, to = 1.5707;
      for (int i = 0; i < 80; ++i) {
        const double t1 = from + (to - from) / 3.0, t2 = to - (to - from) / 3.0;
        bound(t1) < bound(t2) ? to = t2 : from = t1;
      }
      return bound(0.5 * (from + to));
    };
    lo = std::max(lo, (-farthest(-u) - start) / length), hi = std::min(hi, (farthest(u) - start) / length);
    if (!(lo <= hi)) return std::nullopt;
    for (int i = 0; i <= kSamples; ++i) look_at(lo + (hi - lo) * i / kSamples);
  }
  if (best.height == kNone) return std::nullopt;
  const double middle = best.t, step = (hi - lo) / kSamples;
  double left = std::max(lo, middle - step), right = std::min(hi, middle + step);
  for (int i = 0; i < 40; ++i) {
    const double t1 = left + (right - left) / 3.0, t2 = right - (right - left) / 3.0;
    const double g1 = look_at(t1), g2 = look_at(t2);
    if (g1 == g2 ? t1 < middle : g1 < g2)
      left = t1;
    else
      right = t2;
  }
  return best;
}

}  // namespace oclide::reference
