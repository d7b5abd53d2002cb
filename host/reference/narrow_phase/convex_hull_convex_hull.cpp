// In an order that depends on shapes and poses alone.
#include <vector>

#include "reference/narrow_phase/body_pair.hpp"
#include "reference/narrow_phase/hull_penetration.hpp"

namespace oclide::reference {

namespace {

bool precedes(const Body& b, const Body& a, dvec3 c) {
  std::vector<double> shapes[2], poses[2];
  for (const Body* body : {&b, &a}) {
    const std::size_t k = body == &b ? 0 : 1;
    for (const glm::vec3& v : body->hull->vertices) shapes[k].insert(shapes[k].end(), {v.x, v.y, v.z});
    const dvec3 at = body == &b ? c : dvec3(0.0);
    poses[k] = {at.x, at.y, at.z};
    for (int x = 0; x < 3; ++x)
      for (int y = 0; y < 3; ++y) poses[k].push_back(body->axes[x][y]);
  }
  return shapes[0] != shapes[1] ? shapes[0] < shapes[1] : poses[0] < poses[1];
}

}  // namespace

Penetration convex_hull_convex_hull(const Body& a, const Body& b, dvec3 c, double apart) {
  const TurnedHull hull_a = turned_hull(*a.hull, a.axes), hull_b = turned_hull(*b.hull, b.axes);
  if (!precedes(b, a, c)) return hull_hull(hull_a, hull_b, c, apart);
  Penetration least = hull_hull(hull_b, hull_a, -c, apart);
  if (least) least->normal = -least->normal;
  return least;
}

}  // namespace oclide::reference
