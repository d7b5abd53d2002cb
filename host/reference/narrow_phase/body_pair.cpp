#include "reference/narrow_phase/body_pair.hpp"

#include <limits>
#include <utility>

#include "shared/pairs.h"

namespace oclide::reference {
namespace {

using PairFunction = Penetration (*)(const Body& a, const Body& b, dvec3 c, double apart);

// The lower shape first; null where two shapes never meet.
PairFunction pair_function(Shape a, Shape b) {
#define OCLIDE_FUNCTION(FIRST, first, SECOND, second) \
  if (a == Shape::first && b == Shape::second) return first##_##second;
  OCLIDE_PAIRS_WITHOUT_MESH(OCLIDE_FUNCTION)
#undef OCLIDE_FUNCTION
  return nullptr;
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
