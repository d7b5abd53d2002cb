// When a body counts as still.
#include "rest.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace oclide::simulation {
namespace {

constexpr double kDt = 0.01;
const glm::dquat kLevel(1.0, 0.0, 0.0, 0.0);

TEST(Stillness, ABodyThatStaysIsStillAfterTheTime) {
  Stillness stillness(0.005, 0.5);
  stillness.add(0.3);
  for (int k = 0; k < 50; ++k) {
    stillness.observe(0, {1.0, 2.0, 3.0}, kLevel, kDt);
    EXPECT_FALSE(stillness.still(0)) << k;
  }
  stillness.observe(0, {1.0, 2.0, 3.0}, kLevel, kDt);
  stillness.observe(0, {1.0, 2.0, 3.0}, kLevel, kDt);
  EXPECT_TRUE(stillness.still(0));
}

TEST(Stillness, TremblingAboutAPlaceIsStill) {
  Stillness stillness(0.005, 0.5);
  stillness.add(0.3);
  for (int k = 0; k < 100; ++k) stillness.observe(0, {k % 2 == 0 ? 0.0 : 0.004, 0.0, 0.0}, kLevel, kDt);
  EXPECT_TRUE(stillness.still(0));
}

TEST(Stillness, ASlowWayIsNotStill) {
  Stillness stillness(0.005, 0.5);
  stillness.add(0.3);
  for (int k = 0; k < 1000; ++k) {
    stillness.observe(0, {0.02 * kDt * k, 0.0, 0.0}, kLevel, kDt);  // 2 cm/s
    EXPECT_FALSE(stillness.still(0)) << k;
  }
}

TEST(Stillness, ATurnCountsByTheReach) {
  for (const double reach : {0.01, 10.0}) {
    Stillness stillness(0.005, 0.5);
    stillness.add(reach);
    for (int k = 0; k < 100; ++k) {
      const double half_angle = 0.5 * 0.05 * kDt * k;  // 0.05 rad/s
      stillness.observe(0, {}, {std::cos(half_angle), 0.0, 0.0, std::sin(half_angle)}, kDt);
    }
    EXPECT_EQ(stillness.still(0), reach < 1.0);
  }
}

}  // namespace
}  // namespace oclide::simulation
