#include "scenarios/geometry.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace oclide::scenario {

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

Random::Random(std::uint64_t seed, std::uint64_t stream)
    : state_(mix(seed + 0x9E3779B97F4A7C15ULL) ^ mix(stream * 0xD1342543DE82EF95ULL + 1)) {}

std::uint64_t Random::next() {
  return mix(state_ += 0x9E3779B97F4A7C15ULL);
}

double Random::log_uniform(double low, double high) {
  // low * (high / low)^u, bit by bit of u: the root of the root of ... of the ratio.
  double root = high / low;
  double value = low;
  for (std::uint64_t bits = next(), k = 0; k < 40; ++k, bits <<= 1) {
    root = std::sqrt(root);
    if ((bits >> 63) != 0) value *= root;
  }
  return std::min(value, high);
}

glm::dvec3 Random::direction() {
  for (;;) {
    const double x = uniform(-1.0, 1.0);
    const double y = uniform(-1.0, 1.0);
    const double z = uniform(-1.0, 1.0);
    const double length2 = x * x + y * y + z * z;
    if (length2 > 1e-4 && length2 <= 1.0) return glm::dvec3(x, y, z) / std::sqrt(length2);
  }
}

glm::dquat Random::rotation() {
  for (;;) {
    const double w = uniform(-1.0, 1.0);
    const double x = uniform(-1.0, 1.0);
    const double y = uniform(-1.0, 1.0);
    const double z = uniform(-1.0, 1.0);
    const double length2 = w * w + x * x + y * y + z * z;
    if (length2 > 1e-4 && length2 <= 1.0) return glm::dquat(w, x, y, z) / std::sqrt(length2);
  }
}

SineCosine sine_cosine(double angle) {
  // Whole turns off, then the series of a 64th of the angle, then six times the double angle.
  constexpr double kTurn = 6.283185307179586;
  angle -= kTurn * std::floor(angle / kTurn + 0.5);
  const double x = angle / 64.0;
  const double x2 = x * x;
  double s = x * (1.0 - x2 / 6.0 * (1.0 - x2 / 20.0 * (1.0 - x2 / 42.0 * (1.0 - x2 / 72.0))));
  double versine = x2 / 2.0 * (1.0 - x2 / 12.0 * (1.0 - x2 / 30.0 * (1.0 - x2 / 56.0 * (1.0 - x2 / 90.0))));
  for (int k = 0; k < 6; ++k) {
    const double c = 1.0 - versine;
    versine = 2.0 * s * s;  // of the double angle: 1 - cos 2x
    s = 2.0 * s * c;
  }
  return {s, 1.0 - versine};
}

glm::dquat rotation_about(const glm::dvec3& unit_axis, double angle) {
  const SineCosine half = sine_cosine(0.5 * angle);
  return {half.cosine, half.sine * unit_axis.x, half.sine * unit_axis.y, half.sine * unit_axis.z};
}

glm::dquat turn_z_to(const glm::dvec3& axis) {
  if (axis.z < -0.999999) return {0.0, 1.0, 0.0, 0.0};
  return glm::normalize(glm::dquat(1.0 + axis.z, -axis.y, axis.x, 0.0));
}

glm::dquat rotation_of(const glm::dvec3& x, const glm::dvec3& y, const glm::dvec3& z) {
  return glm::normalize(glm::quat_cast(glm::dmat3(x, y, z)));
}

double reach(Shape shape, const std::array<double, 3>& size, const glm::dquat& orientation,
             const glm::dvec3& direction) {
  const glm::dvec3 d = glm::conjugate(orientation) * direction;
  switch (shape) {
    case Shape::sphere:
      return size[0];
    case Shape::box:
      return size[0] * std::abs(d.x) + size[1] * std::abs(d.y) + size[2] * std::abs(d.z);
    case Shape::cylinder:
      return size[0] * std::sqrt(std::max(0.0, 1.0 - d.z * d.z)) + size[1] * std::abs(d.z);
    case Shape::capsule:
      return size[0] + size[1] * std::abs(d.z);
    case Shape::convex_hull:
    case Shape::half_space:
    case Shape::compound:
    case Shape::triangle_mesh:
      break;
  }
  throw std::logic_error(std::string("no reach of a ") + to_string(shape));
}

double bounding_radius(Shape shape, const std::array<double, 3>& size) {
  switch (shape) {
    case Shape::sphere:
      return size[0];
    case Shape::box:
      return std::sqrt(size[0] * size[0] + size[1] * size[1] + size[2] * size[2]);
    case Shape::cylinder:
      return std::sqrt(size[0] * size[0] + size[1] * size[1]);
    case Shape::capsule:
      return size[0] + size[1];
    case Shape::convex_hull:
    case Shape::half_space:
    case Shape::compound:
    case Shape::triangle_mesh:
      break;
  }
  throw std::logic_error(std::string("no bounding radius of a ") + to_string(shape));
}

void put_pose(Frame& frame, std::size_t body, const glm::dvec3& position, const glm::dquat& orientation) {
  for (int a = 0; a < 3; ++a) frame.position[3 * body + a] = position[a];
  double* q = &frame.orientation[4 * body];
  q[0] = orientation.w;
  q[1] = orientation.x;
  q[2] = orientation.y;
  q[3] = orientation.z;
}

}  // namespace oclide::scenario
