#include "reference/body_contacts.hpp"

#include <algorithm>

#include "shapes/shape_list.hpp"

namespace oclide::reference {

int terrain_of(const Scene& scene, const Bodies& bodies, std::size_t body) {
  if (!meets_terrain(bodies.shape[body])) return -1;
  if (scene.terrains.empty()) return -1;
  if (scene.environment_terrain.empty()) return 0;
  return scene.environment_terrain[bodies.environment.empty() ? 0 : bodies.environment[body]];
}

Body body_at(const Bodies& bodies, const Poses& poses, std::size_t index) {
  const double* q = &poses.orientation[4 * index];
  return make_body(bodies.shape[index], bodies.size[index], {q[0], q[1], q[2], q[3]});
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
