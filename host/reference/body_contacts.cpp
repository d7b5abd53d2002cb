#include "reference/body_contacts.hpp"

#include <algorithm>

namespace oclide::reference {

Body body_at(const Bodies& bodies, const Geometry& geometry, const Poses& poses, std::size_t index) {
  const double* q = &poses.orientation[4 * index];
  const std::array<double, 3>& size = bodies.size[index];
  const ConvexHull* hull =
      bodies.shape[index] == Shape::convex_hull ? &geometry.hulls.at(static_cast<std::size_t>(size[0])) : nullptr;
  const TriangleMesh* mesh =
      bodies.shape[index] == Shape::triangle_mesh ? &geometry.meshes.at(static_cast<std::size_t>(size[0])) : nullptr;
  return make_body(bodies.shape[index], size, {q[0], q[1], q[2], q[3]}, hull, mesh);
}

dvec3 centre_of(const Poses& poses, std::size_t index) {
  const double* p = &poses.position[3 * index];
  return {p[0], p[1], p[2]};
}

std::vector<GroundContact> held(const std::vector<GroundContact>& contacts) {
  std::vector<GroundContact> result;
  std::copy_if(contacts.begin(), contacts.end(), std::back_inserter(result), [](const auto& c) { return c.held; });
  return result;
}

}  // namespace oclide::reference
