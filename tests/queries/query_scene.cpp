#include "queries/query_scene.hpp"

#include "support/mesh_shapes.hpp"
#include "support/terrains.hpp"

namespace oclide::test {

BodySpec random_query_shape(std::size_t k, const QueryPlaceOfScene& in, std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(-1.0, 1.0), part(0.2, 1.0);
  dvec3 at(4.0 * unit(random), 4.0 * unit(random), 3.0 * unit(random));
  if (in.in_line) at = 0.5 * glm::round(2.0 * at);
  const dquat q = in.in_line || k % 3 == 0 ? kUpright : random_orientation(random);
  BodySpec body = of_any_shape(k, in.in_line ? in.size : part(random) * in.size, in.middle + in.size * at, q);
  if (k % 7 == 4) body.shape = Shape::convex_hull, body.size = {k / 7 % 2 == 0 ? 0.0 : 1.0, 0, 0};
  if (k % 7 == 6) body.shape = Shape::compound, body.size = {};
  return body;
}

TestScene random_query_scene(const QueryPlaceOfScene& in, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const double size = in.size;
  Terrain ground = rough({21, 23, {in.middle.x - 6.1 * size, in.middle.y - 5.9 * size}, {0.5 * size, 0.6 * size}},
                         in.in_line ? 0.0 : 0.4 * size, seed);
  for (double& h : ground.heights) h += in.middle.z - 2.5 * size;
  open_cells(ground, 0.1, seed);
  TestScene all(ground);
  for (const std::size_t points : {4, 14}) {
    all.scene.hulls.emplace_back();
    for (std::size_t k = 0; k < points; ++k) {
      const dvec3 p = size * glm::normalize(dvec3(normal(random), normal(random), normal(random)));
      all.scene.hulls.back().push_back({p.x, p.y, p.z});
    }
  }
  Mesh sheet = flat_sheet(4, 0.5 * size);
  for (MeshPoint& p : sheet.vertices) p[2] = 0.2 * size * normal(random);
  all.scene.meshes = {sheet, ball_mesh(0.8 * size, 3)};
  all.scene.compounds = {{{Shape::sphere, {0.3 * size, 0, 0}, {0.5 * size, 0, 0}},
                          {Shape::box, {0.1 * size, 0.5 * size, 0.2 * size}, {0, 0, 0.2 * size}, {1, 0.2, 0, 0}}}};
  for (std::size_t k = 0; k < 24; ++k) {
    BodySpec body = random_query_shape(k, in, random);
    if (k % 7 == 5) body.shape = Shape::triangle_mesh, body.size = {k / 7 % 2 == 0 ? 0.0 : 1.0, 0, 0};
    all.add(body);
  }
  all.add(half_space(in.middle - dvec3(0, 0, 4.0 * size), in.in_line ? kUpright : turn({1.0, 0.4, 0.0}, 0.2)));
  return all;
}

}  // namespace oclide::test
