#include "validation/solid_overlap.hpp"

#include <algorithm>
#include <limits>

namespace oclide::validation {

using namespace reference;

// Over one element the surface is linear and the body's underside convex, so the gap is concave. Its maximum is where
// the underside is parallel to the element (the support point), or else on the element's border. There it is concave
// along each edge.
double overlap_depth_vertical(const Body& body, const TerrainSurface& ground) {
  const double lowest = body.bounds().lower.z;
  double greatest = -std::numeric_limits<double>::infinity();
  for (const Element& e : ground.elements) {
    const dvec3 p = body.support(-e.normal);
    if (e.inside_outline(dvec2(p)) >= 0.0) greatest = std::max(greatest, e.height_over(dvec2(p)) - p.z);
  }
  for (const Edge& e : ground.edges) {
    if (std::max(e.a.z, e.b.z) < lowest) continue;  // below all of the body
    if (const auto gap = body.greatest_gap(e.a, e.b)) greatest = std::max(greatest, gap->height);
  }
  return greatest;
}

}  // namespace oclide::validation
