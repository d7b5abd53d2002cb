// By search over all directions; those of pieces that are flat are looked at first.
#include "reference/narrow_phase/body_pair.hpp"
#include "reference/narrow_phase/hull_penetration.hpp"

namespace oclide::reference {

Penetration cylinder_convex_hull(const Body& a, const Body& b, dvec3 c, double apart) {
  const TurnedHull hull = turned_hull(*b.hull, b.axes);
  std::vector<dvec3> likely;
  for (const TurnedHull::Face& face : hull.faces) likely.push_back(face.normal);
  for (const auto& edge : hull.edges) likely.push_back(glm::cross(a.axis(), glm::normalize(edge[1] - edge[0])));
  for (const dvec3& v : hull.vertices) likely.push_back(v + c - glm::dot(v + c, a.axis()) * a.axis());
  Penetration least = least_penetration(a, b, c, apart, likely);
  if (!least) return least;
  HullCandidate base, face;
  for (const dvec3& n : face_normals(a)) base.offer(overlap_along(a, b, c, n), n);
  for (const dvec3& n : face_normals(b)) face.offer(overlap_along(a, b, c, n), n);
  least->normal = chosen_normal({least->depth, least->normal}, base, face, a.bounding_radius() + b.bounding_radius());
  return least;
}

}  // namespace oclide::reference
