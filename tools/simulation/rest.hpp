// When bodies rest. A body is still when it has stayed within a small distance of one pose for some time, whatever its
// speed from step to step. So the trembling that a solver leaves does not keep it awake, and a slow roll does. A body
// rests when it and all that it touches are still. So what moves wakes its neighbours, and they wake theirs only if
// they move too: one stone that trembles does not keep a pile of thousands awake.
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/gtc/quaternion.hpp>
#include <glm/vec3.hpp>
#include <vector>

namespace oclide::simulation {

/// How long a body has been near to one pose.
class Stillness {
 public:
  /// `distance` [m]: larger, and bodies fall asleep while they creep; smaller, and they tremble for ever.
  /// `seconds`: shorter, and bodies stop at the top of a swing.
  Stillness(double distance, double seconds) : distance_(distance), seconds_(seconds) {}

  /// `reach` is how far the body's surface is from its centre at most [m].
  void add(double reach);
  /// Takes the pose after a step of `dt` seconds.
  void observe(std::size_t body, const glm::dvec3& position, const glm::dquat& orientation, double dt);
  [[nodiscard]] bool still(std::size_t body) const { return bodies_[body].since >= seconds_; }

 private:
  struct Body {
    glm::dvec3 position{};
    glm::dquat orientation{1.0, 0.0, 0.0, 0.0};
    double reach = 0.0;
    double since = -1.0;  // seconds near to that pose; negative: none yet
  };
  double distance_;
  double seconds_;
  std::vector<Body> bodies_;
};

}  // namespace oclide::simulation
