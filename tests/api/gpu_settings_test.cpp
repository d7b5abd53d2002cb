// What a GPU is given to do differently has the same bits on the device that tests run on, whatever that is. It is
// groups of 64 work-items where a CPU has one, and a work-item a candidate; a work-group for the many contacts of a
// large body, and a sort for the many pairs of another.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <utility>

#include "backend.hpp"
#include "opencl/first_device.hpp"
#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

class GpuSettings : public OnOpenCl {
 protected:
  void SetUp() override {
    OnOpenCl::SetUp();
    if (IsSkipped()) return;
    info_ = *first_device();
    settings_.device = info_.id;
    settings_.track = true;
  }

  [[nodiscard]] std::unique_ptr<Collider::Backend> backend(bool is_gpu) const {
    DeviceInfo info = info_;
    info.is_gpu = is_gpu;
    return make_checked_backend(settings_, make_opencl_backend(settings_, info));
  }

  // Frames of a scene whose bodies `move` places. The contacts of the last one.
  std::vector<Contact> expect_the_same(TestScene scene, std::size_t frames,
                                       const std::function<void(TestScene&, std::size_t)>& move) {
    const auto cpu = backend(false), gpu = backend(true);
    cpu->set_scene(scene.scene, scene.scene.bodies, build_geometry(scene.scene));
    gpu->set_scene(scene.scene, scene.scene.bodies, build_geometry(scene.scene));
    std::vector<Contact> contacts;
    for (std::size_t k = 0; k < frames; ++k) {
      move(scene, k);
      const FrameContacts& expected = cpu->update({scene.poses()});
      const FrameContacts& found = gpu->update({scene.poses()});
      EXPECT_TRUE(same_bits(found.contacts, expected.contacts)) << "frame " << k;
      EXPECT_EQ(found.pairs, expected.pairs) << "frame " << k;
      EXPECT_EQ(found.candidates, expected.candidates) << "frame " << k;
      EXPECT_EQ(found.body_candidates, expected.body_candidates) << "frame " << k;
      EXPECT_EQ(found.unreduced, expected.unreduced) << "frame " << k;
      EXPECT_EQ(found.moved_bodies, expected.moved_bodies) << "frame " << k;
      EXPECT_EQ(found.previous, expected.previous) << "frame " << k;
      contacts = expected.contacts;
    }
    EXPECT_FALSE(contacts.empty());
    return contacts;
  }

  DeviceInfo info_;
  Settings settings_;
};

// All bodies, then one in a hundred, then all.
void shake(TestScene& scene, std::size_t frame) {
  std::mt19937_64 random(frame);
  std::uniform_real_distribution<double> way(-0.01, 0.01);
  const std::size_t step = frame % 3 == 1 ? 100 : 1, bodies = scene.position.size() / 3;
  for (std::size_t i = frame; i < bodies; i += step)
    for (std::size_t a = 0; a < 3; ++a) scene.position[3 * i + a] += way(random);
}

TEST_F(GpuSettings, MatchCpuSettingsInASmallFrame) {
  expect_the_same(heap(150, 3), 4, shake);
}

TEST_F(GpuSettings, MatchCpuSettingsInAFrameOfThousands) {
  expect_the_same(heap(6000, 4), 4, shake);
}

// Hundreds of contacts a body, in as many manifolds and in few.
TEST_F(GpuSettings, MatchCpuSettingsForLargeBodies) {
  for (const double roughness : {0.05, 0.0}) {
    TestScene scene(rough({81, 91, {-10.0, -10.0}, {0.25, 0.25}}, roughness, 91));
    for (int k = 0; k < 3; ++k) {
      scene.add(box({3.0, 2.5, 0.5}, {-5.0 + 5.0 * k, 0.0, 0.45}));
      scene.add(cylinder(2.5, 0.5, {-5.0 + 5.0 * k, 3.0, 0.45}));
    }
    EXPECT_GT(expect_the_same(scene, 3, shake).size(), roughness > 0.0 ? 600U : 20U);
  }
}

TEST_F(GpuSettings, MatchCpuSettingsForLargeBodiesAmongSmallOnes) {
  TestScene scene(rough({201, 161, {-10.0, -10.0}, {0.1, 0.1}}, 0.03, 92));
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> across(-9.0, 5.0);
  for (std::size_t k = 0; k < 1200; ++k) {
    scene.add(of_any_shape(k, 0.1, {across(random), across(random), 0.1}, random_orientation(random)));
    if (k % 200 == 0)
      scene.add(box({2.0, 1.5, 0.5}, {across(random), across(random), 0.45}, random_orientation(random)));
  }
  EXPECT_GT(expect_the_same(scene, 3, shake).size(), 1000U);
}

// Ground that all bodies lie on, and plates under hundreds each: a GPU's work-items leave all of these to a sort
// of all together, a CPU's only the ground.
TEST_F(GpuSettings, MatchCpuSettingsForBodiesWithManyPairs) {
  TestScene scene;
  scene.bodies_meet = true;
  scene.add(half_space({0.0, 0.0, 0.0}));
  constexpr std::uint32_t kPlates = 16, kOfPlate = 700;
  for (std::uint32_t p = 0; p < kPlates; ++p) scene.add(box({5.0, 5.0, 0.5}, {10.5 * p, 0.0, -0.5}));
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> across(-4.5, 4.5);
  for (std::uint32_t k = 0; k < kPlates * kOfPlate; ++k)
    scene.add(sphere(0.1, {10.5 * (k % kPlates) + across(random), across(random), 0.09}));
  // The plates and the ground stay.
  const auto move = [](TestScene& s, std::size_t frame) {
    for (std::size_t i = 3 * (kPlates + 1) + frame; i < s.position.size(); i += 7) s.position[i] += 1e-4;
  };
  const std::vector<Contact> found = expect_the_same(scene, 3, move);
  std::uint32_t on_ground = 0, on_plates = 0;
  for (std::size_t c = 0; c < found.size(); ++c) {
    if (c > 0) {
      EXPECT_LE(std::pair(found[c - 1].body_a, found[c - 1].body_b), std::pair(found[c].body_a, found[c].body_b));
    }
    on_ground += found[c].body_a == 0 && found[c].body_b > kPlates ? 1 : 0;
    on_plates += found[c].body_a > 0 && found[c].body_a <= kPlates ? 1 : 0;
  }
  EXPECT_EQ(on_ground, kPlates * kOfPlate);
  EXPECT_EQ(on_plates, kPlates * kOfPlate);
}

}  // namespace
}  // namespace oclide::test
