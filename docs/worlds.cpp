// Balls that are thrown onto a plate one after another: each frame one comes and the oldest goes. They fall past a
// sensor, which says who goes through it.
#include <array>
#include <cstdio>
#include <deque>
#include <oclide/oclide.hpp>

int main() {
  oclide::Scene scene;
  oclide::Terrain& ground = scene.terrains.emplace_back();
  ground.rows = ground.cols = 2;
  ground.origin = {-10.0, -10.0};
  ground.spacing = {20.0, 20.0};
  ground.heights = {0.0, 0.0, 0.0, 0.0};
  // A static plate on the ground, which it does not meet, and a sensor above it.
  scene.bodies.shape = {oclide::Shape::box, oclide::Shape::box};
  scene.bodies.size = {{3.0, 3.0, 0.1}, {3.0, 3.0, 0.01}};
  scene.bodies.flags = {oclide::kStatic, oclide::kStatic | oclide::kSensor};
  std::vector<double> position{0.0, 0.0, 0.1, 0.0, 0.0, 2.0}, orientation{1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};

  oclide::Settings settings;
  settings.track = true;
  oclide::Collider collider(settings);
  collider.set_scene(scene);
  std::deque<oclide::BodyHandle> balls;
  int passed = 0, landed = 0;
  for (int frame = 0; frame < 60; ++frame) {
    // One call for all that changes: rows of bodies that went are given to those that come.
    oclide::BodyChanges changes;
    if (balls.size() == 20) {
      changes.removed = {balls.front()};
      balls.pop_front();
    }
    changes.added.shape = {oclide::Shape::sphere};
    changes.added.size = {{0.2, 0.0, 0.0}};
    balls.push_back(collider.change(changes).front());
    const std::size_t row = balls.back().row;
    position.resize(3 * collider.rows());
    orientation.resize(4 * collider.rows(), 0.0);
    const std::array<double, 3> start{0.4 * (frame % 5) - 0.8, 0.4 * (frame % 3) - 0.4, 3.0};
    for (std::size_t a = 0; a < 3; ++a) position[3 * row + a] = start[a];
    orientation[4 * row] = 1.0;

    for (const oclide::BodyHandle ball : balls)
      if (double& z = position[3 * std::size_t{ball.row} + 2]; z > 0.39) z -= 0.2;  // they fall until they touch
    const oclide::FrameContacts& found = collider.update({position, orientation});
    std::vector<bool> is_sensed(found.events.size(), false);
    for (const oclide::Contact& c : found.contacts) is_sensed[c.manifold] = c.flags == oclide::kSensorContact;
    for (const oclide::ManifoldEvent& event : found.events) {
      if (event.change != oclide::Change::begin) continue;
      (is_sensed[event.manifold] ? passed : landed) += event.body_a < 2 ? 1 : 0;
    }
  }
  std::printf("%zu rows, %d balls through the sensor, %d on the plate\n", collider.rows(), passed, landed);
  return collider.rows() == 22 && passed == 57 && landed == 47 ? 0 : 1;
}
