#include <array>
#include <cstdio>
#include <oclide/oclide.hpp>

int main() {
  oclide::Scene scene;
  oclide::Terrain& ground = scene.terrains.emplace_back();
  ground.rows = ground.cols = 2;  // vertices: one cell of 10 m, a slope
  ground.spacing = {10.0, 10.0};
  ground.heights = {0.0, 1.25, 5.0, 6.25};
  scene.bodies.shape = {oclide::Shape::sphere, oclide::Shape::cylinder, oclide::Shape::box};
  scene.bodies.size = {{0.5, 0.0, 0.0}, {0.3, 0.5, 0.0}, {0.4, 0.4, 0.2}};  // radius; radius, half length; half extents

  oclide::Collider collider;  // the device expected to be the fastest for the scene
  collider.set_scene(scene);
  const std::array position{2.0, 5.0, 3.29, 6.0, 5.0, 3.88, 2.1, 5.1, 3.98};  // of all centres, every frame anew
  const std::array orientation{1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};  // w x y z
  for (const oclide::Contact& c : collider.collide({position, orientation}).contacts) {
    if (c.body_b == oclide::kTerrain)
      std::printf("body %u on terrain", c.body_a);
    else
      std::printf("body %u on body %u", c.body_a, c.body_b);
    std::printf(": %.3f m deep at %.3f %.3f %.3f, normal %.2f %.2f %.2f\n", c.depth, c.point[0], c.point[1], c.point[2],
                c.normal[0], c.normal[1], c.normal[2]);
  }
}
