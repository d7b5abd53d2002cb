#include "scenarios/robot_model.hpp"

#include <algorithm>
#include <cmath>
#include <glm/gtc/quaternion.hpp>
#include <glm/vec3.hpp>

#include "scenarios/geometry.hpp"

namespace oclide::scenario {
namespace {

// Parts of one robot, in metres. Wheels: radius, half width; boxes: half extents.
constexpr std::array<double, 3> kChassis{0.75, 0.35, 0.15};
constexpr std::array<double, 3> kWheel{0.25, 0.10, 0.0};
constexpr std::array<double, 3> kDrawbar{0.04, 0.30, 0.0};
constexpr std::array<double, 3> kTrailer{0.50, 0.30, 0.08};
constexpr std::array<double, 3> kTrailerWheel{0.20, 0.08, 0.0};
constexpr std::array<double, 3> kCargo{0.35, 0.25, 0.15};
constexpr double kAxle = 0.55;           // of the chassis: from the middle forward and back
constexpr double kTrack = 0.50;          // from the middle to a wheel
constexpr double kChassisHeight = 0.20;  // of its middle over the axles
constexpr double kTrailerTrack = 0.42;
constexpr double kTrailerHeight = 0.15;
constexpr double kTrailerBack = 1.70;  // trailer's axle behind the chassis' middle
constexpr std::array<RobotPart, 10> kParts{{{Shape::box, kChassis},
                                            {Shape::cylinder, kWheel},
                                            {Shape::cylinder, kWheel},
                                            {Shape::cylinder, kWheel},
                                            {Shape::cylinder, kWheel},
                                            {Shape::capsule, kDrawbar},
                                            {Shape::box, kTrailer},
                                            {Shape::cylinder, kTrailerWheel},
                                            {Shape::cylinder, kTrailerWheel},
                                            {Shape::box, kCargo}}};
constexpr std::size_t kPartsOfTractor = 5;

// Height of the middle of a wheel at (x, y) that rests on the ground.
double axle_height(const Heights& height, const glm::dvec3& place, double radius) {
  double z = height(place.x, place.y) + radius;
  for (int k = -8; k <= 8; ++k) {
    const double t = k / 8.0;
    z = std::max(z, height(place.x + t * radius, place.y) + radius * std::sqrt(1.0 - t * t));
  }
  return z;
}

// The cylinder's axis (local z) points to the left; `angle` is how far the wheel has rolled.
void put_wheel(Frame& frame, std::size_t body, const glm::dvec3& centre, const glm::dvec3& forward,
               const glm::dvec3& left, double angle) {
  const glm::dquat axis = rotation_of(forward, glm::cross(left, forward), left);
  put_pose(frame, body, centre, axis * rotation_about(glm::dvec3(0.0, 0.0, 1.0), angle));
}

}  // namespace

std::span<const RobotPart> robot_parts(bool has_trailer) {
  return std::span(kParts).first(has_trailer ? kParts.size() : kPartsOfTractor);
}

void pose_robot(const Heights& height, double x, double y, bool has_trailer, const std::array<double, 6>& sunk,
                std::size_t first, Frame& frame) {
  std::size_t body = first;
  // Wheels of the chassis: front left, front right, rear left, rear right.
  std::array<glm::dvec3, 4> wheel{};
  for (int w = 0; w < 4; ++w) {
    wheel[w] = {x + (w < 2 ? kAxle : -kAxle), y + (w % 2 == 0 ? kTrack : -kTrack), 0.0};
    wheel[w].z = axle_height(height, wheel[w], kWheel[0]) - sunk[w];
  }
  const glm::dvec3 forward = glm::normalize(wheel[0] + wheel[1] - wheel[2] - wheel[3]);
  const glm::dvec3 across = wheel[0] + wheel[2] - wheel[1] - wheel[3];
  const glm::dvec3 up = glm::normalize(glm::cross(forward, across));
  const glm::dvec3 left = glm::cross(up, forward);
  const glm::dvec3 axles = 0.25 * (wheel[0] + wheel[1] + wheel[2] + wheel[3]);
  const glm::dvec3 chassis = axles + kChassisHeight * up;
  put_pose(frame, body++, chassis, rotation_of(forward, left, up));
  for (int w = 0; w < 4; ++w) put_wheel(frame, body++, wheel[w], forward, left, x / kWheel[0]);

  if (!has_trailer) return;

  // Trailer: hangs on the drawbar behind the chassis.
  std::array<glm::dvec3, 2> pair{};
  for (int w = 0; w < 2; ++w) {
    pair[w] = {x - kTrailerBack, y + (w == 0 ? kTrailerTrack : -kTrailerTrack), 0.0};
    pair[w].z = axle_height(height, pair[w], kTrailerWheel[0]) - sunk[4 + w];
  }
  const glm::dvec3 hitch = axles - kChassis[0] * forward;
  const glm::dvec3 axle = 0.5 * (pair[0] + pair[1]);
  const glm::dvec3 pull = glm::normalize(hitch - axle);
  const glm::dvec3 trailer_up = glm::normalize(glm::cross(pull, pair[0] - pair[1]));
  const glm::dvec3 trailer_left = glm::cross(trailer_up, pull);
  const glm::dquat trailer = rotation_of(pull, trailer_left, trailer_up);
  put_pose(frame, body++, hitch - kDrawbar[1] * pull, rotation_of(trailer_up, trailer_left, -pull));
  const glm::dvec3 bed = axle + kTrailerHeight * trailer_up;
  put_pose(frame, body++, bed, trailer);
  for (int w = 0; w < 2; ++w) put_wheel(frame, body++, pair[w], pull, trailer_left, x / kTrailerWheel[0]);
  put_pose(frame, body++, bed + (kTrailer[2] + kCargo[2]) * trailer_up, trailer);
}

}  // namespace oclide::scenario
