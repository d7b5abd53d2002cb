#include "rest.hpp"

#include <glm/geometric.hpp>

namespace oclide::simulation {

void Stillness::add(double reach) {
  Body body;
  body.reach = reach;
  bodies_.push_back(body);
}

void Stillness::observe(std::size_t body, const glm::dvec3& position, const glm::dquat& orientation, double dt) {
  Body& b = bodies_[body];
  // How far a point of the surface can be from where it was: a turn by an angle has a vector part of half its sine.
  const glm::dquat turn = glm::conjugate(b.orientation) * orientation;
  const double way =
      glm::length(position - b.position) + 2.0 * b.reach * glm::length(glm::dvec3(turn.x, turn.y, turn.z));
  if (b.since >= 0.0 && way <= distance_) {
    b.since += dt;
    return;
  }
  b.position = position;
  b.orientation = orientation;
  b.since = 0.0;
}

}  // namespace oclide::simulation
