#include "validation/solid_overlap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace oclide::validation {

using namespace reference;

// Over one element the surface is linear and the body's underside convex, so the gap is concave: its maximum is where
// the underside is parallel to the element (the support point), or else on the element's border; there it is concave
// along each edge.
double overlap_depth_vertical(const Body& body, const TerrainSurface& ground) {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  const dvec3 half = body.half_extents();
  double greatest = kNone;
  auto gap_at = [&](dvec3 on_surface) {
    const auto lowest = body.lowest_on_vertical(dvec2(on_surface));
    return lowest ? on_surface.z - lowest->z : kNone;
  };

  for (const Element& e : ground.elements) {
    const dvec3 p = body.support(-e.normal);
    if (e.inside_outline(dvec2(p)) >= 0.0) greatest = std::max(greatest, e.height_over(dvec2(p)) - p.z);
  }
  for (const Edge& e : ground.edges) {
    if (std::max(e.a.z, e.b.z) < -half.z) continue;  // below all of the body
    // The part of the edge over the body's bounding rectangle.
    double lo = 0.0, hi = 1.0;
    const dvec3 ab = e.b - e.a;
    for (int k = 0; k < 2; ++k) {
      if (ab[k] == 0.0) {
        if (std::abs(e.a[k]) > half[k]) hi = -1.0;
        continue;
      }
      const double t1 = (-half[k] - e.a[k]) / ab[k], t2 = (half[k] - e.a[k]) / ab[k];
      lo = std::max(lo, std::min(t1, t2)), hi = std::min(hi, std::max(t1, t2));
    }
    if (lo > hi) continue;
    // The best of many points brackets the maximum; ternary search closes in on it.
    constexpr int kSamples = 32;
    double best = lo, best_gap = kNone;
    for (int i = 0; i <= kSamples; ++i) {
      const double t = lo + (hi - lo) * i / kSamples, gap = gap_at(e.a + t * ab);
      if (gap > best_gap) best = t, best_gap = gap;
    }
    if (best_gap == kNone) continue;
    double left = std::max(lo, best - (hi - lo) / kSamples), right = std::min(hi, best + (hi - lo) / kSamples);
    for (int i = 0; i < 60; ++i) {
      const double t1 = left + (right - left) / 3.0, t2 = right - (right - left) / 3.0;
      const double g1 = gap_at(e.a + t1 * ab), g2 = gap_at(e.a + t2 * ab);
      best_gap = std::max({best_gap, g1, g2});
      // Outside of the outline the gap is minus infinity on the side away from the best point.
      if (g1 == g2 ? t1 < best : g1 < g2) left = t1;
      else right = t2;
    }
    greatest = std::max(greatest, best_gap);
  }
  return greatest;
}

}  // namespace oclide::validation
