// Small geometry and random numbers for the scenarios. Only + - * / sqrt, so that every machine gets the same bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <glm/gtc/quaternion.hpp>
#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>

#include "files/scene_file.hpp"
#include "oclide/oclide.hpp"

namespace oclide::scenario {

/// SplitMix64 (Steele, Lea and Flood 2014). Streams of one seed are independent of each other.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0);

  std::uint64_t next();
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }  ///< in [0, 1)
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// The logarithm is uniform; low > 0.
  double log_uniform(double low, double high);
  bool chance(double probability) { return uniform() < probability; }
  std::size_t below(std::size_t n) { return next() % n; }
  glm::dvec3 direction();
  glm::dquat rotation();

 private:
  std::uint64_t state_;
};

/// A 64-bit number that depends on every bit of x.
[[nodiscard]] std::uint64_t mix(std::uint64_t x);

/// Sine and cosine of any angle below 1e6 rad.
struct SineCosine {
  double sine;
  double cosine;
};
[[nodiscard]] SineCosine sine_cosine(double angle);

[[nodiscard]] glm::dquat rotation_about(const glm::dvec3& unit_axis, double angle);
/// The rotation that turns local z to the unit vector `axis`, on the shortest way.
[[nodiscard]] glm::dquat turn_z_to(const glm::dvec3& axis);
/// The rotation whose columns are these orthonormal vectors.
[[nodiscard]] glm::dquat rotation_of(const glm::dvec3& x, const glm::dvec3& y, const glm::dvec3& z);

/// How far a body reaches from its centre along the unit vector `direction`.
[[nodiscard]] double reach(Shape shape, const std::array<double, 3>& size, const glm::dquat& orientation,
                           const glm::dvec3& direction);
/// Radius of a sphere about the centre that holds the body.
[[nodiscard]] double bounding_radius(Shape shape, const std::array<double, 3>& size);

void put_pose(Frame& frame, std::size_t body, const glm::dvec3& position, const glm::dquat& orientation);

}  // namespace oclide::scenario
