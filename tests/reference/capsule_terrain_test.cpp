#include "reference/one_body.hpp"

namespace oclide::test {
namespace {

OneBody capsule(dvec3 position, double radius, double half_length, Quaternion orientation = kUpright) {
  return {Shape::capsule, {radius, half_length, 0.0}, position, orientation};
}

TEST(CapsuleTerrain, LyingOnAPlaneTouchesWithBothEnds) {
  const auto manifolds = capsule({0.4, 0.45, 0.19}, 0.2, 0.5, kAlongX).manifolds(around_origin(flat));
  expect_one_manifold(manifolds, kUp, 0.01, 2);
  for (const GroundContact& c : manifolds[0]) EXPECT_NEAR(std::abs(c.point.x), 0.5, kRounding);
}

TEST(CapsuleTerrain, StandingTouchesWithItsLowerEndAlone) {
  const auto manifolds = capsule({0.4, 0.45, 0.69}, 0.2, 0.5).manifolds(around_origin(flat));
  expect_one_manifold(manifolds, kUp, 0.01, 1);
  expect_near(manifolds[0][0].point, {0.0, 0.0, -0.7});
}

TEST(CapsuleTerrain, StandingSunkToItsUpperEndStillTouchesWithTheLowerEndAlone) {
  expect_one_manifold(capsule({0.4, 0.45, -0.55}, 0.2, 0.5).manifolds(around_origin(flat)), kUp, 1.25, 1);
}

TEST(CapsuleTerrain, AcrossARidgeTouchesWithItsMiddle) {
  const auto manifolds = capsule({0.1, 0.2, 0.19}, 0.2, 0.5, kAlongX).manifolds(around_origin(roof));
  expect_one_manifold(manifolds, kUp, 0.01, 1);
  expect_near(manifolds[0][0].point, {-0.1, 0.0, -0.2});
}

TEST(CapsuleTerrain, AlongARidgeTouchesWithBothEnds) {
  const auto manifolds = capsule({0.0, 0.2, 0.19}, 0.2, 0.5, kAlongY).manifolds(around_origin(roof));
  ASSERT_FALSE(manifolds.empty());
  expect_near(manifolds[0][0].normal, kUp);
  EXPECT_NEAR(manifolds[0][0].depth, 0.01, kRounding);
}

TEST(CapsuleTerrain, OverAPeakTouchesTheVertexWithItsMiddle) {
  const Terrain peak = around_origin([](double x, double y) { return -0.5 * std::abs(x) - 0.5 * std::abs(y); });
  const auto contacts = capsule({0.1, 0.0, 0.19}, 0.2, 0.5, kAlongX).contacts(peak);
  const GroundContact* vertex = find(contacts, kUp);
  ASSERT_NE(vertex, nullptr);
  EXPECT_NEAR(vertex->depth, 0.01, kRounding);
}

TEST(CapsuleTerrain, InAValleyTouchesBothSides) {
  const Terrain valley = around_origin([](double x, double) { return std::abs(x); });
  const double depth = 0.01;
  const auto contacts = capsule({0.0, 0.2, (0.2 - depth) * std::sqrt(2.0)}, 0.2, 0.5, kAlongY).contacts(valley);
  for (const double side : {-1.0, 1.0}) {
    const GroundContact* c = find(contacts, {side, 0.0, 1.0});
    ASSERT_NE(c, nullptr);
    EXPECT_NEAR(c->depth, depth, kRounding);
  }
}

// The upper end's own ball has its lowest point on the capsule's side.
TEST(CapsuleTerrain, LeaningAndSunkTouchesWithItsSideAtTheUpperEndToo) {
  const double lean = 0.1, r = 0.3, h = 0.5;
  const auto contacts =
      capsule({0.1, 0.2, 0.2}, r, h, turn({0.0, 1.0, 0.0}, kHalfTurn / 2.0 + lean)).contacts(around_origin(flat));
  const auto shallowest = std::min_element(contacts.begin(), contacts.end(),
                                           [](const auto& a, const auto& b) { return a.depth < b.depth; });
  ASSERT_NE(shallowest, contacts.end());
  EXPECT_NEAR(deepest(contacts), h * std::sin(lean) + r - 0.2, kRounding);
  EXPECT_NEAR(shallowest->depth, r * std::cos(lean) - h * std::sin(lean) - 0.2, kRounding);
  for (const GroundContact& c : contacts) expect_near(c.normal, kUp);
}

}  // namespace
}  // namespace oclide::test
