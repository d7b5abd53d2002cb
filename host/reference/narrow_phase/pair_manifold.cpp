// The contacts of a pair, given its normal.
#include "reference/narrow_phase/body_pair.hpp"

namespace oclide::reference {

std::optional<PairManifold> collide_pair(const Body& a, const Body& b, dvec3 c, double margin) {
  const std::optional<LeastPenetration> least = pair_penetration(a, b, c, margin);
  if (!least || !(least->depth > -margin)) return std::nullopt;
  const dvec3 n = least->normal;
  const dvec3 point =
      a.shape == Shape::half_space ? c + b.support(n) - glm::dot(c + b.support(n), n) * n : a.support(-n);
  return PairManifold{n, least->depth, {{point, least->depth, 0}}};
}

}  // namespace oclide::reference
