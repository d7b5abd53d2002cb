// Rays in a scene, on the OpenCL device and in the reference.
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "support/on_each_device.hpp"

namespace oclide::test {

inline constexpr double kForever = std::numeric_limits<double>::infinity();

/// Rays with all their arrays.
struct RayList {
  std::vector<double> origin, direction, length;
  std::vector<std::uint32_t> environment, mask;

  void add(dvec3 from, dvec3 way, double how_far = kForever, std::uint32_t in = 0, std::uint32_t meets = 0xFFFFFFFFu);
  [[nodiscard]] std::size_t count() const { return length.size(); }
  [[nodiscard]] dvec3 origin_of(std::size_t i) const { return {origin[3 * i], origin[3 * i + 1], origin[3 * i + 2]}; }
  /// Unit, also of huge and tiny ones.
  [[nodiscard]] dvec3 way_of(std::size_t i) const;
  [[nodiscard]] Rays rays() const { return {origin, direction, length, environment, mask}; }
};

/// Uniform over all directions, unit.
dvec3 random_way(std::mt19937_64& random);
dvec3 point_of(const Hit& hit);
dvec3 normal_of(const Hit& hit);
std::string text(const Hit& hit);

/// How far hits may be from what is expected.
struct HitTolerance {
  double length, relative;  // [m], part of the distance
  double normal;            // of each coordinate
  [[nodiscard]] double of(double distance) const { return length + relative * distance; }
};

class RayTest : public OnEachDevice {
 protected:
  /// Hits of well-formed rays, which are well formed too; those of the OpenCL device are also validated.
  std::vector<Hit> cast(const TestScene& scene, const RayList& rays);
  Hit cast(const TestScene& scene, dvec3 origin, dvec3 way, double length = kForever);

  /// What the contract allows of a device; of the reference some roundings of doubles, of coordinates up to `far`.
  [[nodiscard]] HitTolerance tolerance(double far = 0.0) const;
  [[nodiscard]] testing::AssertionResult is_hit(const Hit& hit, std::uint32_t body, double distance, dvec3 normal,
                                                double far = 0.0) const;
};

/// Nothing is hit.
testing::AssertionResult is_miss(const Hit& hit);

}  // namespace oclide::test
