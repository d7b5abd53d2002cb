// Consecutive frames are sent off with predicted capacities: they are to come out as if each were the first of
// its scene, whether more is found than before, less, or nothing.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <random>

#include "frame/slice.hpp"
#include "opencl/device.hpp"
#include "opencl/first_device.hpp"
#include "pipeline/contact_pipeline.hpp"
#include "support/on_each_device.hpp"
#include "support/terrains.hpp"
#include "upload/device_poses.hpp"

namespace oclide::test {
namespace {

Collider collider_with(double margin = 0.0, std::uint64_t memory_limit = 0) {
  Settings settings;
  settings.device = opencl_device();
  settings.margin = margin;
  settings.memory_limit = memory_limit;
  return Collider(settings);
}

void expect_same(const FrameContacts& found, const FrameContacts& expected, std::size_t frame) {
  ASSERT_TRUE(same_bits(found.contacts, expected.contacts)) << "frame " << frame;
  if (found.moved_bodies < expected.moved_bodies) return;  // the counts are those of what moved
  EXPECT_EQ(found.pairs, expected.pairs) << "frame " << frame;
  EXPECT_EQ(found.body_pairs, expected.body_pairs) << "frame " << frame;
  EXPECT_EQ(found.candidates, expected.candidates) << "frame " << frame;
  EXPECT_EQ(found.body_candidates, expected.body_candidates) << "frame " << frame;
  EXPECT_EQ(found.unreduced, expected.unreduced) << "frame " << frame;
}

// Frames of a scene, whose bodies `move` places, against frames that each come first. The contacts of each frame.
std::vector<std::size_t> contacts_of(TestScene scene, std::size_t frames,
                                     const std::function<void(TestScene&, std::size_t)>& move, double margin = 0.0,
                                     std::uint64_t memory_limit = 0) {
  Collider following = collider_with(margin, memory_limit), first = collider_with(margin);
  following.set_scene(scene.scene);
  std::vector<std::size_t> counts;
  for (std::size_t k = 0; k < frames; ++k) {
    move(scene, k);
    first.set_scene(scene.scene);
    const FrameContacts expected = first.collide(scene.poses());
    expect_same(following.collide(scene.poses()), expected, k);
    counts.push_back(expected.contacts.size());
  }
  return counts;
}

// Moves all bodies by up to `by` metres along each axis.
void shake(TestScene& scene, double by, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> way(-by, by);
  for (double& p : scene.position) p += way(random);
}

class PredictedFrames : public OnOpenCl {};

TEST_F(PredictedFrames, MatchColdFramesInTheFirstFrames) {
  for (const std::size_t bodies : {1U, 2U, 63U, 64U, 65U, 300U})
    for (const double margin : {0.0, 0.05}) {
      const auto move = [](TestScene& s, std::size_t k) { shake(s, k % 3 == 0 ? 0.2 : 0.002, k); };
      (void)contacts_of(heap(bodies, bodies), 12, move, margin);
    }
}

TEST_F(PredictedFrames, MatchColdFramesWithManyMoreContactsThanPredicted) {
  TestScene scene(rough({33, 41, {-10.0, -8.0}, {0.5, 0.5}}, 0.1, 5));
  scene.bodies_meet = true;
  for (std::size_t k = 0; k < 200; ++k)
    scene.add(k % 3 == 0 ? sphere(0.3, {}) : k % 3 == 1 ? box({0.3, 0.2, 0.3}, {}) : cylinder(0.3, 0.2, {}));
  // High up and apart, but for one; on the ground; in one place.
  const auto move = [](TestScene& s, std::size_t frame) {
    for (std::size_t k = 0; k < 200; ++k) {
      const double col = static_cast<double>(k % 20), row = static_cast<double>(k / 20);
      const bool high = frame % 4 == 0 && k != 7, heaped = frame % 4 == 2;
      const dvec3 at = heaped ? dvec3(0.002 * static_cast<double>(k), 0.0, 0.2)
                              : dvec3(0.9 * col - 8.5, 1.3 * row - 6.0, high ? 5.0 : 0.15);
      for (int a = 0; a < 3; ++a)
        s.position[3 * k + static_cast<std::size_t>(a)] = at[a] + 1e-4 * static_cast<double>(frame);
    }
  };
  const std::vector<std::size_t> counts = contacts_of(scene, 12, move);
  EXPECT_LT(counts[4], 10U);
  EXPECT_GT(counts[5], 200U);
  EXPECT_GT(counts[6], 10'000U);
}

TEST_F(PredictedFrames, MatchColdFramesWithNoContacts) {
  TestScene scene = heap(40, 3);
  const std::vector<double> there = scene.position;
  const auto move = [&](TestScene& s, std::size_t k) {
    s.position = there;
    shake(s, 1e-3, k);
    // Above all, below the lowest ground but apart, beside the terrain, or where they were.
    for (std::size_t i = 0; i < s.position.size() / 3; ++i) {
      if (k % 4 == 0) s.position[3 * i + 2] += 50.0 + 3.0 * static_cast<double>(i);
      if (k % 4 == 2) s.position[3 * i] += 1e3 + 10.0 * static_cast<double>(i);
    }
  };
  const std::vector<std::size_t> counts = contacts_of(scene, 16, move);
  EXPECT_GT(counts[1], 40U);
  EXPECT_LT(counts[4], counts[5] / 2);
}

TEST_F(PredictedFrames, MatchColdFramesOfOneBodyOverManyCells) {
  TestScene scene(rough({257, 129, {-16.0, -8.0}, {0.125, 0.125}}, 0.05, 8));
  for (int k = 0; k < 20; ++k) scene.add(sphere(0.2, {0.5 * k - 5.0, 1.0, 0.1}));
  scene.add(box({7.0, 7.0, 0.5}, {0.0, 0.0, 4.0}));
  const auto move = [](TestScene& s, std::size_t k) {
    shake(s, 1e-3, k);
    s.position[62] = k % 2 == 0 ? 4.0 : 0.45;
    const dquat q = turn({1.0, 0.0, 0.0}, k % 4 == 3 ? 0.3 : 0.0);
    s.orientation = {s.orientation.begin(), s.orientation.end() - 4};
    s.orientation.insert(s.orientation.end(), {q.w, q.x, q.y, q.z});
  };
  (void)contacts_of(scene, 9, move);
}

TEST_F(PredictedFrames, MatchColdFramesOfOnePairKind) {
  const auto move = [](TestScene& s, std::size_t k) { shake(s, 0.01, k); };
  TestScene on_terrain(rough({33, 41, {-10.0, -8.0}, {0.5, 0.5}}, 0.1, 5)), without;
  without.bodies_meet = true;
  for (int k = 0; k < 50; ++k) {
    on_terrain.add(capsule(0.2, 0.3, {0.3 * k - 7.0, 0.1 * k - 3.0, 0.1}));
    without.add(box({0.3, 0.3, 0.3}, {0.4 * k, 0.0, 0.1}));
  }
  without.add(half_space({0.0, 0.0, 0.0}));
  EXPECT_GT(contacts_of(on_terrain, 5, move).back(), 50U);
  EXPECT_GT(contacts_of(without, 5, move).back(), 50U);
}

// Three kinds of pairs, each with its own kernel that looks at all of them.
TEST_F(PredictedFrames, MatchColdFramesOfTwoShapes) {
  TestScene scene(rough({33, 41, {-10.0, -8.0}, {0.5, 0.5}}, 0.1, 5));
  scene.bodies_meet = true;
  for (int k = 0; k < 90; ++k) {
    const dvec3 at(0.35 * (k % 10) - 3.0, 0.4 * (k / 10) - 2.0, 0.1 + 0.25 * (k % 3));
    scene.add(k % 4 == 0 ? sphere(0.25, at) : box({0.2, 0.25, 0.2}, at));
  }
  const auto move = [](TestScene& s, std::size_t k) { shake(s, 0.02, k); };
  EXPECT_GT(contacts_of(scene, 6, move).back(), 200U);
}

// There are more contacts than before, fewer, none, or deep ones.
TEST_F(PredictedFrames, MatchColdFramesOfLargeScenesWithMoreContactsThanPredicted) {
  constexpr std::size_t kBodies = kSmallFrame + 300;
  TestScene scene(rough({161, 121, {-40.0, -30.0}, {0.5, 0.5}}, 0.1, 5));
  for (std::size_t k = 0; k < kBodies; ++k)
    scene.add(k % 3 == 0 ? sphere(0.3, {}) : k % 3 == 1 ? box({0.3, 0.2, 0.3}, {}) : cylinder(0.3, 0.2, {}));
  for (const std::uint64_t memory_limit : {std::uint64_t{0}, std::uint64_t{2} << 20}) {
    const auto move = [](TestScene& s, std::size_t frame) {
      constexpr std::array kHighShare{0.9, 0.5, 0.0, 1.0, 0.0, 0.1};
      for (std::size_t k = 0; k < kBodies; ++k) {
        const bool high = static_cast<double>(k * 7919 % 1000) < 1000.0 * kHighShare[frame % kHighShare.size()];
        s.position[3 * k] = 1.1 * static_cast<double>(k % 70) - 38.0;
        s.position[3 * k + 1] = 0.9 * static_cast<double>(k / 70) - 28.0;
        s.position[3 * k + 2] = (high ? 5.0 : frame % 5 == 4 ? -0.3 : 0.2) + 1e-4 * static_cast<double>(frame);
      }
    };
    const std::vector<std::size_t> counts = contacts_of(scene, 13, move, 0.0, memory_limit);
    EXPECT_GT(counts[1], 2 * counts[0]);
    EXPECT_EQ(counts[3], 0U);
    EXPECT_GT(counts[4], kBodies);
  }
}

// More pairs than the host orders, of kinds that come and go; then fewer, none, and all again.
TEST_F(PredictedFrames, MatchColdFramesOfManyPairs) {
  constexpr std::size_t kEdge = 14, kSpheres = kEdge * kEdge * kEdge, kBodies = kSpheres + 1800;
  TestScene scene;
  scene.bodies_meet = true;
  for (std::size_t k = 0; k < kBodies; ++k) scene.add(k < kSpheres ? sphere(0.3, {}) : box({0.2, 0.2, 0.2}, {}));
  const auto move = [](TestScene& s, std::size_t frame) {
    // Spacing of the spheres; whether boxes are among them. Twice each, so that the second is predicted.
    constexpr std::array kSpacing{0.42, 0.42, 0.7, 0.41, 0.3, 0.55};
    constexpr std::array kAmong{false, true, true, false, true, false};
    const std::size_t step = frame / 2 % kSpacing.size();
    for (std::size_t k = 0; k < kBodies; ++k) {
      const std::size_t at = k % kSpheres;
      const dvec3 place(static_cast<double>(at % kEdge), static_cast<double>(at / kEdge % kEdge),
                        static_cast<double>(at / kEdge / kEdge));
      const double along = k < kSpheres ? 0.0 : kAmong[step] ? 0.2 : 100.0;
      for (std::size_t a = 0; a < 3; ++a)
        s.position[3 * k + a] = (along < 100.0 ? kSpacing[step] : 0.9) * place[static_cast<int>(a)] + along +
                                1e-4 * static_cast<double>(frame);
    }
  };
  const std::vector<std::size_t> counts = contacts_of(scene, 14, move);
  EXPECT_GT(counts[0], 16'384U);
  EXPECT_GT(counts[3], counts[1] + 1000U);
  EXPECT_LT(counts[5], counts[3] / 4);
  EXPECT_GT(counts[9], 2 * counts[7]);
}

// Bodies that touch thousands of others, or none; in all more than a GPU orders without a sort.
TEST_F(PredictedFrames, MatchColdFramesOnAPlaneUnderMany) {
  constexpr std::size_t kEdge = 48, kBodies = 2 * kEdge * kEdge;
  TestScene scene;
  scene.bodies_meet = true;
  scene.add(half_space({0.0, 0.0, 0.0}));
  scene.add(box({30.0, 30.0, 1.0}, {0.0, 0.0, -0.95}));
  for (std::size_t k = 0; k < kBodies; ++k) scene.add(sphere(0.3, {}));
  const auto move = [](TestScene& s, std::size_t frame) {
    constexpr std::array kHeight{0.28, 0.28, 0.29, 2.0, 2.0, 0.28};
    for (std::size_t k = 0; k < kBodies; ++k) {
      const std::size_t at = k % (kEdge * kEdge);
      s.position[3 * k + 6] = 0.4 * static_cast<double>(at % kEdge);
      s.position[3 * k + 7] = 0.4 * static_cast<double>(at / kEdge);
      s.position[3 * k + 8] = kHeight[frame % kHeight.size()] + (k < kEdge * kEdge ? 0.0 : 0.41);
    }
  };
  const std::vector<std::size_t> counts = contacts_of(scene, 7, move);
  EXPECT_GT(counts[0], counts[3] + kEdge * kEdge);
}

TEST_F(PredictedFrames, MatchColdFramesAfterFramesOfOtherSizes) {
  // As many bodies as a small frame has at most, one more, and few of them that move.
  for (const std::size_t bodies : {kSmallFrame, kSmallFrame + 1}) {
    const auto move = [](TestScene& s, std::size_t k) {
      if (k % 2 == 0)
        shake(s, 0.01, k);
      else
        for (std::size_t i = 0; i < 30; ++i) s.position[i] += 0.01;
    };
    (void)contacts_of(heap(bodies, 11), 5, move);
  }
}

TEST_F(PredictedFrames, MatchColdFramesUnderAMemoryLimit) {
  const TestScene scene = heap(300, 21);
  Collider whole = collider_with();
  whole.set_scene(scene.scene);
  const std::uint64_t bytes = whole.collide(scene.poses()).device_bytes;
  const auto move = [](TestScene& s, std::size_t k) { shake(s, k % 2 == 0 ? 0.3 : 0.01, k); };
  for (const double part : {0.6, 0.8, 0.9, 0.95, 1.0, 1.05, 1.2, 2.5})
    (void)contacts_of(scene, 6, move, 0.0, static_cast<std::uint64_t>(part * static_cast<double>(bytes)));
}

TEST_F(PredictedFrames, MatchColdFramesAfterNewHeights) {
  TestScene scene = heap(60, 31);
  Collider following = collider_with(), first = collider_with();
  following.set_scene(scene.scene);
  Terrain& terrain = scene.scene.terrains[0];
  for (std::size_t k = 0; k < 6; ++k) {
    const std::vector<double> heights(12, 0.1 * static_cast<double>(k) - 0.2);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 4; ++j) terrain.heights[vertex(terrain, 2 + i + k, 3 + j)] = heights[0];
    following.update_heights(0, 2 + k, 3, 3, 4, heights);
    shake(scene, 0.01, k);
    first.set_scene(scene.scene);
    expect_same(following.collide(scene.poses()), first.collide(scene.poses()), k);
  }
}

// The plans themselves: that they are what is used, and what does not fit.
class PredictedFramesCommands : public OnOpenCl {
 protected:
  static constexpr FramePlan kPredicted{FramePlan::Scope::all_bodies, FramePlan::Residency::host,
                                        FramePlan::Sizes::predicted};
  static constexpr FramePlan kReadBack{};

  void SetUp() override {
    const auto info = first_device();
    if (!info) GTEST_SKIP() << "no OpenCL device";
    device_ = std::make_unique<opencl::Device>(Settings(), *info);
    if (!device_->has_profiling()) GTEST_SKIP() << "commands are counted by their events";
    poses_ = std::make_unique<DevicePoses>(*device_);
    pipeline_ = std::make_unique<ContactPipeline>(*device_, 0.0F, [](ContactPipeline::Shortage) {});
    for (std::size_t k = 0; k < 100; ++k)
      scene_.add(sphere(0.3, {0.55 * static_cast<double>(k % 10) - 3.0, 0.55 * static_cast<double>(k / 10), 0.25}));
  }

  // The counts of a frame, and in commands_ how many commands it took.
  FrameCounts run(const FramePlan& plan, std::span<const std::uint32_t> moved = {}) {
    std::vector<PoseRecord> records;
    for (std::uint32_t i = 0; i < 100; ++i) records.push_back(device_pose(scene_.poses(), i, false));
    poses_->records.assign(records);
    const Poses host = scene_.poses();
    positions_.set(host);
    opencl::StageTimer timer;
    FrameCounts counts;
    EXPECT_TRUE(pipeline_->run(plan, {*poses_, positions_, &host, moved}, counts, timer));
    commands_ = timer.commands();
    return counts;
  }

  [[nodiscard]] std::size_t of_terrain() const { return device_->info().is_gpu ? 9 : 8; }
  [[nodiscard]] std::size_t on_ground(std::size_t body) const {
    return pipeline_->terrain().list().of_body(body).contacts().size();
  }
  [[nodiscard]] std::size_t touching() const { return pipeline_->bodies().list().count(); }

  TestScene scene_ = [] {
    TestScene scene(plane({}, 0.0, 0.0));
    scene.bodies_meet = true;
    return scene;
  }();
  std::unique_ptr<opencl::Device> device_;
  std::unique_ptr<DevicePoses> poses_;
  std::unique_ptr<ContactPipeline> pipeline_;
  HostLeafPositions positions_;
  std::size_t commands_ = 0;
};

// Commands of a predicted frame of one shape. On terrain: ranges, their scan, sites, candidates, spheres, on a GPU
// their claims, the rest, and two reads. Of bodies: the tree, an empty count, pairs, spheres, and three reads.
constexpr std::size_t kOfBodies = 7;

TEST_F(PredictedFramesCommands, OnTerrainAreFew) {
  scene_.scene.bodies.group.assign(100, 1);
  pipeline_->set_scene(scene_.scene, scene_.scene.bodies, *build_geometry(scene_.scene));
  for (std::size_t k = 0; k < 90; ++k) scene_.position[3 * k + 2] = 9.0;
  EXPECT_EQ(run(kPredicted).unreduced, 10U) << "nothing is known of any frame before";
  EXPECT_GT(commands_, of_terrain());

  EXPECT_EQ(run(kPredicted).unreduced, 10U);
  EXPECT_EQ(commands_, of_terrain());
  EXPECT_EQ(on_ground(95), 1U);
  EXPECT_EQ(on_ground(5), 0U);

  // All on the ground: there is no room for so many.
  for (std::size_t k = 0; k < 90; ++k) scene_.position[3 * k + 2] = 0.25;
  const FrameCounts predicted = run(kPredicted);
  EXPECT_GT(commands_, 2 * of_terrain());
  EXPECT_EQ(on_ground(5), 1U);
  EXPECT_GE(predicted.unreduced, 100U);
  EXPECT_EQ(predicted.unreduced, run(kReadBack).unreduced);
}

TEST_F(PredictedFramesCommands, OfBodiesAreSeven) {
  scene_.scene.terrains.clear();
  pipeline_->set_scene(scene_.scene, scene_.scene.bodies, *build_geometry(scene_.scene));
  (void)run(kPredicted);
  ASSERT_EQ(touching(), 180U) << "nothing is known of any frame before";
  EXPECT_GT(commands_, kOfBodies);

  EXPECT_EQ(run(kPredicted).unreduced, 180U);
  EXPECT_EQ(commands_, kOfBodies);
  EXPECT_EQ(touching(), 180U);

  // All in one place.
  for (double& p : scene_.position) p *= 0.01;
  EXPECT_EQ(run(kPredicted).unreduced, 4950U);
  EXPECT_GT(commands_, 2 * kOfBodies);

  // Apart, so that none touches another.
  for (std::size_t k = 0; k < 300; ++k) scene_.position[k] *= k % 3 == 2 ? 100.0 : 200.0;
  (void)run(kPredicted);
  EXPECT_EQ(touching(), 0U);
}

// Bodies that moved, after a frame of any kind.
TEST_F(PredictedFramesCommands, OfMovedBodiesAreFew) {
  pipeline_->set_scene(scene_.scene, scene_.scene.bodies, *build_geometry(scene_.scene));
  (void)run(kReadBack);
  const std::array<std::uint32_t, 3> moved{3, 40, 77};
  for (const FramePlan::Sizes sizes : {FramePlan::Sizes::read_back, FramePlan::Sizes::predicted}) {
    for (const std::uint32_t body : moved) scene_.position[3 * body + 2] += 1.0;
    (void)run({FramePlan::Scope::moved_bodies, FramePlan::Residency::host, sizes}, moved);
    EXPECT_EQ(on_ground(40), 0U);
    EXPECT_EQ(touching(), 180U - 10U);
    for (const std::uint32_t body : moved) scene_.position[3 * body + 2] -= 1.0;
    (void)run({FramePlan::Scope::moved_bodies, FramePlan::Residency::host, sizes}, moved);
    EXPECT_EQ(on_ground(40), 1U);
    EXPECT_EQ(touching(), 180U);
    // An upload a half, and the leaves and levels of the tree.
    if (sizes == FramePlan::Sizes::predicted) {
      EXPECT_EQ(commands_, of_terrain() + 1 + kOfBodies + 2);
    }
  }
}

// Few candidates and pairs have one kernel for all kinds, many have one for each: to the bit the same contacts.
TEST_F(PredictedFrames, MatchColdFramesWithFusedAndSeparateKernels) {
  std::mt19937_64 random(31);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  TestScene small(rough({61, 241, {-1.0, -1.0}, {0.3, 0.3}}, 0.1, 32));
  small.bodies_meet = true;
  const auto add = [&](TestScene& to, std::size_t k, double x0, double width) {
    const dvec3 p{x0 + width * unit(random), 15.0 * unit(random), 1.2 * unit(random)};
    const dquat q = random_orientation(random);
    const double s = 0.15 + 0.3 * unit(random);
    to.add(of_any_shape(k, s, p, q));
  };
  for (std::size_t k = 0; k < 550; ++k) add(small, k, 0.0, 10.0);
  TestScene large = small;
  for (std::size_t k = 0; k < 6000; ++k) add(large, k, 15.0, 50.0);
  Collider collider = collider_with();
  collider.set_scene(small.scene);
  const FrameContacts alone = collider.collide(small.poses());
  EXPECT_GT(alone.body_pairs, 500U);
  EXPECT_LT(alone.body_candidates, 4096U);
  EXPECT_LT(alone.candidates, 4096U);
  collider.set_scene(large.scene);
  FrameContacts among = collider.collide(large.poses());
  EXPECT_GT(among.body_candidates, 4096U);
  EXPECT_GT(among.candidates, 4096U);
  among.contacts.resize(alone.contacts.size());
  EXPECT_TRUE(same_bits(among.contacts, alone.contacts));
}

}  // namespace
}  // namespace oclide::test
