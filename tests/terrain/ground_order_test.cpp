// The order in which bodies are looked at on terrain: what it is, and that contacts do not show it.
#include "terrain/ground_order.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "frame/slice.hpp"
#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

// Bodies at random places, two shapes of them, on two terrains.
struct Crowd {
  explicit Crowd(std::size_t count) {
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> at(-50.0, 50.0);
    for (std::uint32_t i = 0; i < count; ++i) {
      position.insert(position.end(), {at(random), at(random), at(random)});
      BodyRecord record{};
      record.body = i;
      record.terrain = i % 2;
      records.push_back(record);
    }
    shape_begin = {0, static_cast<std::uint32_t>(count / 3), static_cast<std::uint32_t>(count)};
  }
  [[nodiscard]] Poses poses() const { return {position, {}}; }

  std::vector<double> position;
  std::vector<BodyRecord> records;
  std::array<std::uint32_t, 3> shape_begin{};
};

TEST(GroundOrder, NeighboursLieCloseTogetherAndShapesApart) {
  Crowd crowd(9000);
  GroundOrder order;
  EXPECT_TRUE(order.is_stale(crowd.poses()));
  order.sort(crowd.records, crowd.shape_begin, crowd.poses());
  EXPECT_FALSE(order.is_stale(crowd.poses()));
  std::set<std::uint32_t> bodies;
  double way = 0.0;
  for (std::size_t k = 0; k < crowd.records.size(); ++k) {
    const BodyRecord& record = crowd.records[k];
    EXPECT_EQ(record.body < 3000, k < crowd.shape_begin[1]);
    EXPECT_EQ(record.terrain, record.body % 2);
    bodies.insert(record.body);
    if (k == 0 || k == crowd.shape_begin[1]) continue;
    const BodyRecord& before = crowd.records[k - 1];
    EXPECT_LE(before.terrain, record.terrain);
    for (std::size_t a = 0; a < 2; ++a)
      way += std::abs(crowd.position[3 * record.body + a] - crowd.position[3 * before.body + a]);
  }
  EXPECT_EQ(bodies.size(), crowd.records.size());
  // At random places neighbours would be 67 m apart; 1,500 bodies to a curve over 100 m x 100 m stand 2.6 m apart.
  EXPECT_LT(way / 9000.0, 6.0);
}

TEST(GroundOrder, IsStaleOnceManyHaveGoneFar) {
  Crowd crowd(9000);
  GroundOrder order;
  order.sort(crowd.records, crowd.shape_begin, crowd.poses());
  for (double& p : crowd.position) p += 1.0;
  EXPECT_FALSE(order.is_stale(crowd.poses()));
  for (std::size_t i = 0; i < 900; ++i) crowd.position[3 * i] += 50.0;
  EXPECT_FALSE(order.is_stale(crowd.poses()));
  for (std::size_t i = 0; i < 9000; i += 3) crowd.position[3 * i + 1] -= 50.0;
  EXPECT_TRUE(order.is_stale(crowd.poses()));
  order.sort(crowd.records, crowd.shape_begin, crowd.poses());
  EXPECT_FALSE(order.is_stale(crowd.poses()));
  order.forget();
  EXPECT_TRUE(order.is_stale(crowd.poses()));
}

TEST(GroundOrder, OfBodiesInOnePlaceOrBeyondAllBoundsIsThatOfTheirIndices) {
  Crowd crowd(1000);
  for (const double at : {0.0, 1e300}) {
    std::fill(crowd.position.begin(), crowd.position.end(), at);
    GroundOrder order;
    order.sort(crowd.records, std::array<std::uint32_t, 2>{0, 1000}, crowd.poses());
    EXPECT_FALSE(order.is_stale(crowd.poses()));
    for (std::uint32_t k = 0; k < 1000; ++k) EXPECT_EQ(crowd.records[k].body, k < 500 ? 2 * k : 2 * (k - 500) + 1);
  }
  GroundOrder none;
  none.sort({}, std::array<std::uint32_t, 2>{0, 0}, crowd.poses());
  EXPECT_TRUE(none.is_stale(crowd.poses()));
}

class SlotOrder : public OnOpenCl {
 protected:
  // Bodies of all shapes on and over rough ground, more than a small frame has.
  static TestScene scattered(std::uint64_t seed) {
    TestScene scene(rough({101, 91, {0.0, 0.0}, {0.5, 0.5}}, 0.15, 5));
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> x(-1.0, 46.0), y(-1.0, 51.0), z(-0.4, 0.7), size(0.1, 0.4);
    for (std::size_t k = 0; k < kSmallFrame + 1000; ++k) {
      const dvec3 p(x(random), y(random), z(random));
      const dquat q = random_orientation(random);
      const double s = size(random);
      scene.add(of_any_shape(k, s, p, q));
    }
    return scene;
  }

  // What each body has by itself: the bodies in parts that are small frames.
  static std::vector<Contact> in_parts(const TestScene& scene) {
    std::vector<Contact> all;
    std::uint32_t manifolds = 0;
    const std::size_t count = scene.scene.bodies.count();
    for (std::size_t first = 0; first < count; first += 1000) {
      const std::size_t last = std::min(count, first + 1000);
      TestScene part(scene.scene.terrains[0]);
      for (std::size_t i = first; i < last; ++i) {
        BodySpec body;
        body.shape = scene.scene.bodies.shape[i];
        body.size = scene.scene.bodies.size[i];
        body.position = {scene.position[3 * i], scene.position[3 * i + 1], scene.position[3 * i + 2]};
        body.orientation = {scene.orientation[4 * i], scene.orientation[4 * i + 1], scene.orientation[4 * i + 2],
                            scene.orientation[4 * i + 3]};
        part.add(body);
      }
      collider_on("opencl").set_scene(part.scene);
      const FrameContacts found = collider_on("opencl").collide(part.poses());
      std::uint32_t most = 0;
      for (Contact c : found.contacts) {
        most = std::max(most, c.manifold + 1);
        c.body_a += static_cast<std::uint32_t>(first);
        c.manifold += manifolds;
        all.push_back(c);
      }
      manifolds += most;
    }
    return all;
  }
};

TEST_F(SlotOrder, DoesNotChangeContacts) {
  Settings settings;
  settings.device = opencl_device();
  Collider collider(settings);
  TestScene scene = scattered(1);
  collider.set_scene(scene.scene);
  const std::vector<Contact> expected = in_parts(scene);
  ASSERT_GT(expected.size(), 1000U);
  EXPECT_TRUE(same_bits(collider.collide(scene.poses()).contacts, expected));
  // All elsewhere: sorted again; then a few move, in the slots that all have by now.
  scene.position = scattered(2).position;
  EXPECT_TRUE(same_bits(collider.collide(scene.poses()).contacts, in_parts(scene)));
  for (std::size_t i = 0; i < scene.scene.bodies.count(); i += 50) scene.position[3 * i + 2] -= 0.01;
  const FrameContacts moved = collider.collide(scene.poses());
  EXPECT_LT(moved.moved_bodies, scene.scene.bodies.count());
  EXPECT_TRUE(same_bits(moved.contacts, in_parts(scene)));
}

// The bounding boxes of all reach under the highest ground near them, and nothing touches.
TEST_F(SlotOrder, BodiesAboveASlopeHaveNoCandidates) {
  const double slope = 0.7, rise = std::sqrt(1.0 + slope * slope);
  TestScene scene(plane({81, 81, {0.0, 0.0}, {0.25, 0.25}}, slope, 0.0));
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> at(3.0, 17.0);
  for (int k = 0; k < 400; ++k) {
    const double x = at(random), y = at(random), r = 0.3, gap = 0.01;
    const dquat q = random_orientation(random);
    const auto above = [&](double reach) { return dvec3(x, y, slope * x + (reach + gap) * rise); };
    scene.add(k % 4 == 0   ? sphere(r, above(r))
              : k % 4 == 1 ? box({r, r, r}, above(r * std::sqrt(3.0)), q)
              : k % 4 == 2 ? cylinder(r, r, above(r * std::sqrt(2.0)), q)
                           : capsule(r, r, above(2.0 * r), q));
  }
  collider_on("opencl").set_scene(scene.scene);
  const FrameContacts above = collider_on("opencl").collide(scene.poses());
  EXPECT_EQ(above.candidates, 0U);
  EXPECT_TRUE(above.contacts.empty());
  // Spheres that come down by the gap and 1e-5 m touch, and so they do within a margin of as much more than the gap.
  for (std::size_t i = 0; i < 400; i += 4) scene.position[3 * i + 2] -= (0.01 + 1e-5) * rise;
  const FrameContacts down = collider_on("opencl").collide(scene.poses());
  EXPECT_EQ(down.pairs, 100U);
  Settings settings;
  settings.device = opencl_device();
  settings.margin = 0.01001;
  Collider wide(settings);
  wide.set_scene(scene.scene);
  for (std::size_t i = 0; i < 400; i += 4) scene.position[3 * i + 2] += (0.01 + 1e-5) * rise;
  EXPECT_GE(wide.collide(scene.poses()).pairs, 100U);
}

}  // namespace
}  // namespace oclide::test
