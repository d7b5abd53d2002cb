// Every engine of this build on scenes whose touches are known, and what the comparison counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "peers/peer.hpp"
#include "rows.hpp"
#include "scenes.hpp"

namespace oclide::bench {
namespace {

using Pairs = std::vector<std::array<std::uint32_t, 2>>;

constexpr double kDepthTolerance = 1e-4;  // [m]; of spheres of half a metre in single precision, and GJK's own

struct PosedScene {
  Scene scene;
  Frame frame;

  void add(Shape shape, std::array<double, 3> size, std::array<double, 3> position, std::uint32_t environment = 0) {
    scene.bodies.shape.push_back(shape);
    scene.bodies.size.push_back(size);
    scene.bodies.environment.push_back(environment);
    frame.position.insert(frame.position.end(), position.begin(), position.end());
    frame.orientation.insert(frame.orientation.end(), {1.0, 0.0, 0.0, 0.0});
  }
};

// z = x / 2 + 2 on 7 x 4 vertices, so that turned or mirrored ground is elsewhere.
Terrain ramp() {
  Terrain t;
  t.rows = 4;
  t.cols = 7;
  t.origin = {3.0, -10.0};
  t.spacing = {1.0, 2.0};
  for (std::size_t i = 0; i < t.rows; ++i)
    for (std::size_t j = 0; j < t.cols; ++j) t.heights.push_back(0.5 * (3.0 + static_cast<double>(j)) + 2.0);
  return t;
}

// A centre from which a sphere of radius 0.5 is this deep in the ramp, above the surface point (x, y).
std::array<double, 3> above_ramp(double x, double y, double depth) {
  const double slope = std::sqrt(1.25), away = 0.5 - depth;
  return {x - 0.5 / slope * away, y, 0.5 * x + 2.0 + away / slope};
}

Pairs pairs_of(const std::vector<Touch>& touches) {
  Pairs pairs;
  for (const Touch& t : touches) pairs.push_back(t.bodies);
  return pairs;
}

class Peers : public testing::TestWithParam<std::string> {
 protected:
  std::vector<Touch> touching(const PosedScene& s) {
    PeerOptions options;
    options.device = "reference";
    peer_ = make_peer(GetParam(), options);
    peer_->set_scene(s.scene, s.frame.poses());
    points_ = peer_->collide(s.frame.poses()).points;
    return peer_->touching();
  }

  std::unique_ptr<Peer> peer_;
  std::uint64_t points_ = 0;
};

TEST_P(Peers, FindSpheresThatTouchAndHowDeep) {
  PosedScene s;
  for (const double x : {0.0, 0.9, 2.0, 2.95}) s.add(Shape::sphere, {0.5, 0, 0}, {x, 0, 0});
  const std::vector<Touch> touches = touching(s);
  ASSERT_EQ(pairs_of(touches), (Pairs{{0, 1}, {2, 3}}));
  EXPECT_NEAR(touches[0].depth, 0.1, kDepthTolerance);
  EXPECT_NEAR(touches[1].depth, 0.05, kDepthTolerance);
  EXPECT_EQ(points_, 2U);
}

TEST_P(Peers, FindSpheresOnARampWhereItIs) {
  PosedScene s;
  s.scene.terrains = {ramp()};
  s.add(Shape::sphere, {0.5, 0, 0}, above_ramp(4.3, -9.1, 0.05));
  s.add(Shape::sphere, {0.5, 0, 0}, above_ramp(4.3, -6.3, -0.02));
  s.add(Shape::sphere, {0.5, 0, 0}, above_ramp(7.6, -4.8, 0.02));
  s.add(Shape::sphere, {0.5, 0, 0}, {-5.0, -7.0, 0.0});  // beyond the border
  const std::vector<Touch> touches = touching(s);
  ASSERT_EQ(pairs_of(touches), (Pairs{{0, kTerrain}, {2, kTerrain}}));
  EXPECT_NEAR(touches[0].depth, 0.05, 10 * kDepthTolerance);
  EXPECT_NEAR(touches[1].depth, 0.02, 10 * kDepthTolerance);
}

TEST_P(Peers, FindBodiesOnAHalfSpaceAndOnEachOther) {
  PosedScene s;
  s.scene.environment_terrain = {-1};
  s.add(Shape::half_space, {}, {0, 0, 1});
  s.add(Shape::box, {0.5, 0.4, 0.3}, {0, 0, 1.29});
  s.add(Shape::cylinder, {0.3, 0.5, 0}, {0, 0, 2.08});
  s.add(Shape::capsule, {0.2, 0.3, 0}, {3, 0, 1.52});
  EXPECT_EQ(pairs_of(touching(s)), (Pairs{{0, 1}, {1, 2}}));
}

TEST_P(Peers, KeepEnvironmentsApartAndGiveEachItsTerrain) {
  PosedScene s;
  s.scene.terrains = {ramp(), ramp()};
  for (double& h : s.scene.terrains[1].heights) h -= 5.0;
  s.scene.environment_terrain = {1, 0};
  for (const std::uint32_t e : {0U, 1U}) {
    const auto place = above_ramp(5.5, -7.0, 0.03);
    s.add(Shape::sphere, {0.5, 0, 0}, place, e);
    s.add(Shape::sphere, {0.5, 0, 0}, {place[0], place[1] + 0.95, place[2]}, e);
  }
  EXPECT_EQ(pairs_of(touching(s)), (Pairs{{0, 1}, {2, 3}, {2, kTerrain}, {3, kTerrain}}));
}

TEST_P(Peers, FindBodiesOnAMeshWhereItIs) {
  PosedScene s;
  // z = x / 2 for x of 2 to 6.
  s.scene.meshes.resize(1);
  s.scene.meshes[0].vertices = {{0, -3, 0}, {4, -3, 2}, {0, 3, 0}, {4, 3, 2}};
  s.scene.meshes[0].triangles = {{0, 1, 2}, {3, 2, 1}};
  s.scene.environment_terrain = {-1};
  const auto above = [](double x, double y, double depth) {
    const double slope = std::sqrt(1.25), away = 0.5 - depth;
    return std::array<double, 3>{x - 0.5 / slope * away, y, 0.5 * x + away / slope};
  };
  s.add(Shape::sphere, {0.5, 0, 0}, above(3.0, 1.0, 0.05));
  s.add(Shape::triangle_mesh, {0, 0, 0}, {2, 0, 1});
  s.add(Shape::sphere, {0.5, 0, 0}, above(3.0, -1.0, -0.02));
  s.add(Shape::sphere, {0.5, 0, 0}, above(4.5, -1.0, 0.02));
  s.add(Shape::sphere, {0.5, 0, 0}, {1.0, -1.0, 0.5});  // beyond the border
  s.scene.bodies.group = {7, 0, 7, 7, 7};
  if (GetParam() == "ode") {
    EXPECT_THROW((void)touching(s), Error);
    return;
  }
  const std::vector<Touch> touches = touching(s);
  ASSERT_EQ(pairs_of(touches), (Pairs{{0, 1}, {1, 3}}));
  EXPECT_NEAR(touches[0].depth, 0.05, 10 * kDepthTolerance);
  EXPECT_NEAR(touches[1].depth, 0.02, 10 * kDepthTolerance);
}

TEST_P(Peers, LeaveOutBodiesOfOneGroup) {
  PosedScene s;
  for (const double x : {0.0, 0.9, 1.8}) s.add(Shape::sphere, {0.5, 0, 0}, {x, 0, 0});
  s.scene.bodies.group = {1, 1, 0};
  EXPECT_EQ(pairs_of(touching(s)), (Pairs{{1, 2}}));
}

TEST_P(Peers, FollowBodiesThatMove) {
  PosedScene s;
  for (const double x : {0.0, 2.0, 2.9}) s.add(Shape::sphere, {0.5, 0, 0}, {x, 0, 0});
  ASSERT_EQ(pairs_of(touching(s)), (Pairs{{1, 2}}));
  s.frame.position[3] = 0.95;
  (void)peer_->collide(s.frame.poses());
  EXPECT_EQ(pairs_of(peer_->touching()), (Pairs{{0, 1}}));
  (void)peer_->collide(s.frame.poses());
  EXPECT_EQ(pairs_of(peer_->touching()), (Pairs{{0, 1}}));
}

TEST_P(Peers, RefuseWhatTheyDoNotHave) {
  PosedScene s;
  s.scene.terrains = {ramp()};
  s.scene.terrains[0].heights[5] = std::nan("");
  s.add(Shape::sphere, {0.5, 0, 0}, {0, 0, 0});
  if (GetParam() == "oclide")
    EXPECT_NO_THROW((void)touching(s));
  else
    EXPECT_THROW((void)touching(s), Error);
}

INSTANTIATE_TEST_SUITE_P(All, Peers, testing::ValuesIn(compiled_peers()), [](const auto& p) { return p.param; });

TEST(Missing, CountsOnlyWhatIsClearlyDeepAndNotThere) {
  const std::vector<Touch> ours{{{0, 1}, 0.1}, {{0, 2}, 0.5 * kClearDepth}, {{1, 2}, 0.2}};
  const std::vector<Touch> theirs{{{0, 1}, 0.0}, {{3, 4}, 0.2}};
  EXPECT_EQ(missing(ours, theirs), 1U);
  EXPECT_EQ(missing(theirs, ours), 1U);
}

TEST(Works, RestingChangesTheAskedPartOfThePosesFromFrameToFrame) {
  WorkRequest request;
  request.name = "resting";
  request.bodies = 3000;
  request.move = 1e-3;
  request.changed = 0.1;
  const std::vector<Work> works = make_works(request);
  ASSERT_EQ(works.size(), 2U);
  const Work& resting = works[1];
  ASSERT_EQ(resting.name, "resting");
  for (std::size_t k = 0; k < resting.frames.size(); ++k) {
    const Frame &from = resting.frames[k], &to = resting.frames[(k + 1) % resting.frames.size()];
    std::size_t changed = 0;
    for (std::size_t i = 0; i < 3000; ++i)
      changed += std::equal(&from.position[3 * i], &from.position[3 * i] + 3, &to.position[3 * i]) ? 0 : 1;
    EXPECT_NEAR(static_cast<double>(changed), 300.0, 75.0);  // four standard deviations of two sets of 150
  }
}

TEST(Works, MeshHasBodiesOfAllConvexShapesThatMeetItAlone) {
  WorkRequest request;
  request.name = "mesh";
  request.bodies = 200;
  request.move = 1e-4;
  const std::vector<Work> works = make_works(request);
  ASSERT_EQ(works.size(), 1U);
  const Scene& scene = works[0].scene;
  ASSERT_EQ(scene.bodies.count(), 201U);
  EXPECT_EQ(scene.meshes[0].triangles.size(), 5000U);
  std::set<Shape> shapes(scene.bodies.shape.begin(), scene.bodies.shape.end());
  EXPECT_EQ(shapes.size(), 6U);
  for (std::size_t i = 1; i < 201; ++i) {
    EXPECT_TRUE(may_meet(scene.bodies, 0, i));
    EXPECT_FALSE(may_meet(scene.bodies, 1 + i % 200, i));
  }
  for (const Frame& frame : works[0].frames)
    EXPECT_TRUE(std::equal(frame.position.begin(), frame.position.begin() + 3, works[0].frames[0].position.begin()));
}

TEST(Works, RefuseUnknownNames) {
  WorkRequest request;
  request.name = "nonsense";
  EXPECT_THROW((void)make_works(request), Error);
}

}  // namespace
}  // namespace oclide::bench
