#include "reference/narrow_phase/body_pair.hpp"

#include <limits>
#include <utility>

namespace oclide::reference {
namespace {

using PairFunction = Penetration (*)(const Body& a, const Body& b, dvec3 c, double apart);

// The lower shape first; null where two shapes never meet.
PairFunction pair_function(Shape first, Shape second) {
  const auto row = [&](PairFunction box, PairFunction cylinder, PairFunction capsule,
                       PairFunction half_space) -> PairFunction {
    switch (second) {
      case Shape::box:
        return box;
      case Shape::cylinder:
        return cylinder;
      case Shape::capsule:
        return capsule;
      case Shape::half_space:
        return half_space;
      default:
        return nullptr;
    }
  };
  switch (first) {
    case Shape::sphere:
      return second == Shape::sphere ? sphere_sphere
                                     : row(sphere_box, sphere_cylinder, sphere_capsule, sphere_half_space);
    case Shape::box:
      return row(box_box, box_cylinder, box_capsule, box_half_space);
    case Shape::cylinder:
      return row(nullptr, cylinder_cylinder, cylinder_capsule, cylinder_half_space);
    case Shape::capsule:
      return row(nullptr, nullptr, capsule_capsule, capsule_half_space);
    default:
      return nullptr;
  }
}

}  // namespace

Penetration pair_penetration(const Body& a, const Body& b, dvec3 c, double apart) {
  const bool turned = b.shape < a.shape;
  const PairFunction function = turned ? pair_function(b.shape, a.shape) : pair_function(a.shape, b.shape);
  if (function == nullptr) return std::nullopt;
  if (!turned) return function(a, b, c, apart);
  Penetration least = function(b, a, -c, apart);
  if (least) least->normal = -least->normal;
  return least;
}

double pair_overlap_along(const Body& a, const Body& b, dvec3 c, dvec3 n) {
  // The farther n is from a half space's own direction, the less of it there is to measure: rounding alone is forgiven.
  constexpr double kSameDirection = 1e-5;
  const auto reach = [&](const Body& body, dvec3 direction) {
    if (body.shape != Shape::half_space) return glm::dot(body.support(direction), direction);
    return glm::distance(direction, body.axis()) <= kSameDirection ? 0.0 : std::numeric_limits<double>::infinity();
  };
  return glm::dot(n, c) + reach(a, -n) + reach(b, n);
}

}  // namespace oclide::reference
