// The validation of impacts: the reference's own pass, each kind of damage to them is seen, and what is as right as the
// reference's answer passes.
#include <cmath>
#include <limits>

#include "oclide/validation.hpp"
#include "support/mesh_shapes.hpp"
#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

class ImpactValidator : public testing::Test {
 protected:
  void SetUp() override {
    Terrain ground = plane({11, 13, {-6.0, -5.0}, {1.0, 1.0}}, 0.0, 0.0);
    ground.material.assign(120, 0);
    for (std::size_t c = 0; c < 120; ++c) ground.material[c] = static_cast<std::uint8_t>(c);
    scene_ = TestScene(ground);
    scene_.bodies_meet = true;
    scene_.scene.compounds = {{{Shape::sphere, {0.5, 0, 0}, {1, 0, 0}}, {Shape::box, {0.5, 0.5, 0.5}, {-1, 0, 0}}}};
    scene_.scene.meshes = {box_mesh({1.0, 1.0, 1.0})};
    scene_.scene.meshes[0].material.assign(scene_.scene.meshes[0].triangles.size(), 7);
    add(sphere(0.5, {0.3, 0.2, 9.0}), {0, 0, -16});
    add(box({0.5, 0.5, 0.5}, {0.2, 0.3, 4.0}));
    add({Shape::triangle_mesh, {}, {4.0, 0.0, 3.0}}, {-6, 0, 0});
    add({Shape::compound, {}, {0.0, -3.0, 2.0}}, {0, 0, -4}, {0, 0, 0.1});
    add(sphere(0.5, {-3.0, 4.0, 2.50005}), {9, 0, 0});  // passes the next by less than the tolerance
    add(sphere(0.5, {1.0, 4.0, 3.5001}));
    Collider& collider = collider_on("reference");
    collider.set_scene(scene_.scene);
    impacts_ = collider.sweep(scene_.poses(), motion()).impacts;
    ASSERT_EQ(impacts_.size(), 5u);
  }
  // Of the reference, in order: 0 meets 1, 2 and terrain, 1 meets 2, 3 meets terrain.
  enum { kSphereBox, kSphereMesh, kSphereGround, kBoxMesh, kCompoundGround };

  void add(const BodySpec& body, dvec3 moves = dvec3(0.0), dvec3 turns = dvec3(0.0)) {
    scene_.add(body);
    for (int a = 0; a < 3; ++a) displacement_.push_back(moves[a]), rotation_.push_back(turns[a]);
  }
  [[nodiscard]] Motion motion() const { return {displacement_, rotation_}; }
  [[nodiscard]] SweepReport report(const std::vector<Impact>& impacts) const {
    Validator validator(scene_.scene, 0.0);
    validator.add_sweep(scene_.poses(), motion(), impacts);
    return validator.sweep_report();
  }
  /// Of these impacts, but for one.
  template <class Damage>
  [[nodiscard]] SweepReport with(std::size_t impact, const Damage& damage) const {
    std::vector<Impact> impacts = impacts_;
    damage(impacts[impact]);
    return report(impacts);
  }

  TestScene scene_;
  std::vector<double> displacement_, rotation_;
  std::vector<Impact> impacts_;
};

// Along the way of body 0.
void move(Impact& impact, double distance) {
  impact.time += distance / 16.0;
  impact.point[2] -= distance;
}

TEST_F(ImpactValidator, TheReferencePassesItself) {
  const SweepReport r = report(impacts_);
  EXPECT_TRUE(r.holds()) << (r.examples.empty() ? "" : r.examples[0]);
  EXPECT_EQ(r.sweeps, 1u);
  EXPECT_EQ(r.impacts_device, 5u);
  EXPECT_EQ(r.impacts_reference, 5u);
  EXPECT_EQ(r.undecided, 0u);
  EXPECT_EQ(r.largest_time_error, 0.0);
}

TEST_F(ImpactValidator, WhatIsWithinTheTolerancePasses) {
  for (const double by : {-5e-5, 5e-5}) {
    const SweepReport r = with(kSphereBox, [&](Impact& i) { move(i, by); });
    EXPECT_TRUE(r.holds()) << r.examples[0];
    EXPECT_NEAR(r.largest_time_error, 5e-5, 1e-9);
  }
}

TEST_F(ImpactValidator, ATimeThatIsOffIsWrong) {
  for (const std::size_t impact : {kSphereBox, kSphereGround})
    for (const double by : {-3e-4, 3e-4, -3.0}) {
      const SweepReport r = with(impact, [&](Impact& i) { move(i, by); });
      EXPECT_EQ(r.wrong_impacts, 1u) << by;
      EXPECT_FALSE(r.examples.empty());
    }
  for (const double t : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_EQ(with(kCompoundGround, [&](Impact& i) { i.time = t; }).wrong_impacts, 1u);
}

TEST_F(ImpactValidator, WhatIsSaidOfAnImpactIsChecked) {
  EXPECT_EQ(with(kSphereBox, [](Impact& i) { i.normal[0] = 0.3F; }).wrong_impacts, 1u);
  EXPECT_EQ(with(kSphereBox, [](Impact& i) { i.normal = {0, 0, -i.normal[2]}; }).wrong_impacts, 1u);
  EXPECT_EQ(with(kSphereBox, [](Impact& i) { i.point[2] += 1e-3; }).wrong_impacts, 1u);
  EXPECT_EQ(with(kSphereBox, [](Impact& i) { i.element = 0; }).wrong_impacts, 1u);
  EXPECT_EQ(with(kSphereBox, [](Impact& i) { i.feature = 3; }).wrong_impacts, 1u);
  EXPECT_EQ(with(kSphereGround, [](Impact& i) { i.element += 4; }).wrong_impacts, 1u);
  EXPECT_EQ(with(kSphereGround, [](Impact& i) { i.material += 1; }).wrong_impacts, 1u);
  EXPECT_EQ(with(kBoxMesh, [](Impact& i) { i.element = kNone; }).wrong_impacts, 1u);
  EXPECT_EQ(with(kBoxMesh, [](Impact& i) { i.material = 0; }).wrong_impacts, 1u);
  EXPECT_EQ(with(kBoxMesh, [](Impact& i) { i.normal[0] = -i.normal[0]; }).wrong_impacts, 1u);
}

TEST_F(ImpactValidator, OnlyPairsThatMayMeetHaveImpacts) {
  EXPECT_GE(with(kSphereBox, [](Impact& i) { i.body_b = 77; }).wrong_impacts, 1u);
  EXPECT_GE(with(kSphereBox, [](Impact& i) { std::swap(i.body_a, i.body_b); }).wrong_impacts, 1u);
  EXPECT_EQ(with(kSphereBox, [](Impact& i) { i.shape_a = 1; }).wrong_impacts, 1u);
  EXPECT_EQ(with(kCompoundGround, [](Impact& i) { i.shape_a = 2; }).wrong_impacts, 1u);
  std::vector<Impact> turned = impacts_;
  std::swap(turned[0], turned[1]);
  EXPECT_EQ(report(turned).wrong_impacts, 1u);
  std::vector<Impact> twice = impacts_;
  twice.insert(twice.begin(), twice.front());
  EXPECT_EQ(report(twice).wrong_impacts, 1u);
}

TEST_F(ImpactValidator, WhatTheDeviceLacksIsFound) {
  for (std::size_t k = 0; k < impacts_.size(); ++k) {
    std::vector<Impact> less = impacts_;
    less.erase(less.begin() + static_cast<std::ptrdiff_t>(k));
    EXPECT_EQ(report(less).only_reference, 1u) << k;
  }
}

TEST_F(ImpactValidator, APairThatPassesNearlyMayHaveOne) {
  std::vector<Impact> more = impacts_;
  Impact graze;
  graze.body_a = 4, graze.body_b = 5;
  graze.time = 4.0 / 9.0;
  graze.point = {1.0, 4.0, 3.00005};
  graze.normal = {0, 0, -1};
  more.push_back(graze);
  const SweepReport r = report(more);
  EXPECT_TRUE(r.holds()) << r.examples[0];
  EXPECT_EQ(r.undecided, 1u);
  more.back().time += 0.01;
  more.back().point[0] += 0.09;
  EXPECT_EQ(report(more).wrong_impacts, 1u);
}

}  // namespace
}  // namespace oclide::test
