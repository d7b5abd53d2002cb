// Moving bodies in a scene, on the OpenCL device and in the reference.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "support/on_each_device.hpp"

namespace oclide::test {

/// A scene whose bodies move over the frame.
struct MovingScene {
  TestScene scene;
  std::vector<double> displacement, rotation;

  MovingScene() { scene.bodies_meet = true; }
  explicit MovingScene(const Terrain& terrain) : scene(terrain) { scene.bodies_meet = true; }
  /// Displacement [m] and rotation vector [rad].
  MovingScene& add(const BodySpec& body, dvec3 moves = dvec3(0.0), dvec3 turns = dvec3(0.0));
  [[nodiscard]] std::size_t count() const { return scene.scene.bodies.count(); }
  [[nodiscard]] Poses poses() const { return scene.poses(); }
  [[nodiscard]] Motion motion() const { return {displacement, rotation}; }
};

std::string text(const Impact& impact);
dvec3 point_of(const Impact& impact);
dvec3 normal_of(const Impact& impact);

class MotionTest : public OnEachDevice {
 protected:
  /// Impacts that are well formed and in order.
  std::vector<Impact> sweep(const MovingScene& scene);
  /// Of a scene with one pair that may meet.
  std::optional<Impact> impact(const MovingScene& scene);

  /// How far from touching two may be at their impact [m]: what the contract allows of a device; of the reference what
  /// the definition says, with a part more where it stops.
  [[nodiscard]] double near() const { return GetParam() == "opencl" ? 1e-4 : 1.25e-5; }

  /// The pair comes to touch at `time`, at `speed` along the normal [m a frame].
  [[nodiscard]] testing::AssertionResult is_impact(const std::optional<Impact>& found, double time, double speed,
                                                   dvec3 normal, double turned = 0.0) const;
};

}  // namespace oclide::test
