// The box's point nearest to the sphere's centre; from inside, the nearest face.
#include <cmath>

#include "reference/narrow_phase/body_pair.hpp"

namespace oclide::reference {

Penetration sphere_box(const Body& a, const Body& b, dvec3 c, double apart) {
  const dvec3 p = -c * b.axes;  // the sphere's centre in the box's frame
  const dvec3 nearest = glm::clamp(p, -b.size, b.size);
  if (const double distance = glm::length(p - nearest); distance > 0.0)
    return unless_apart(a.radius() - distance, b.axes * ((p - nearest) / distance), apart);
  int face = 0;
  for (int k = 1; k < 3; ++k)
    if (b.size[k] - std::abs(p[k]) < b.size[face] - std::abs(p[face])) face = k;
  return unless_apart(a.radius() + b.size[face] - std::abs(p[face]), std::copysign(1.0, p[face]) * b.axes[face], apart);
}

}  // namespace oclide::reference
