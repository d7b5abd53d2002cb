// The tree over a scene's bodies as those see it that ask what is where, pairs or not.
#include "device_scene/body_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "device_scene/device_scene.hpp"
#include "opencl/device.hpp"
#include "opencl/first_device.hpp"
#include "support/on_each_device.hpp"
#include "support/scene.hpp"

namespace oclide::test {
namespace {

constexpr std::size_t kWidth = BodyTree::kWidth;

class BodyTrees : public OnOpenCl {
 protected:
  void SetUp() override {
    const auto info = first_device();
    if (!info) GTEST_SKIP() << "no OpenCL device";
    device_ = std::make_unique<opencl::Device>(Settings(), *info);
    scene_ = std::make_unique<DeviceScene>(*device_, 0.0F, WorkMemory(*device_));
    poses_ = std::make_unique<DevicePoses>(*device_);
  }

  void build(const TestScene& scene) {
    scene_->set(scene.scene, scene.scene.bodies, *build_geometry(scene.scene), 0.0F);
    std::vector<PoseRecord> records;
    for (std::uint32_t i = 0; i < scene.scene.bodies.count(); ++i)
      records.push_back(device_pose(scene.poses(), i, scene.scene.bodies.shape[i] == Shape::half_space));
    poses_->records.assign(records);
    positions_.set(scene.poses());
    scene_->tree.build(positions_, *poses_, timer_);
  }

  // Low and high end along an axis of entry k of a group.
  [[nodiscard]] std::array<float, 2> interval(std::size_t group, std::size_t k, std::size_t axis) const {
    std::vector<float> boxes(scene_->tree.boxes().size());
    scene_->tree.boxes().download(boxes);
    const float* of_group = &boxes[group * GROUP_FLOATS];
    return {of_group[axis * kWidth + k], of_group[(3 + axis) * kWidth + k]};
  }

  std::unique_ptr<opencl::Device> device_;
  std::unique_ptr<DeviceScene> scene_;
  std::unique_ptr<DevicePoses> poses_;
  HostLeafPositions positions_;
  opencl::StageTimer timer_;
};

TEST_F(BodyTrees, OfOneBodyHaveItsBoxAndState) {
  TestScene scene;
  scene.add(box({0.5, 1.0, 2.0}, {3.0, -4.0, 5.0}));
  build(scene);
  EXPECT_FALSE(scene_->bodies.can_pair());
  ASSERT_TRUE(scene_->tree.is_built());
  EXPECT_EQ(scene_->tree.groups(), 1U);
  EXPECT_EQ(scene_->tree.levels(), 1U);
  const BodyState state = scene_->tree.states().read_one(0);
  EXPECT_EQ(state.body, 0U);
  EXPECT_EQ(state.shape, static_cast<cl_uint>(SHAPE_BOX));
  constexpr std::array kLow{2.5F, -5.0F, 3.0F}, kHigh{3.5F, -3.0F, 7.0F};
  for (std::size_t a = 0; a < 3; ++a) {
    const auto [low, high] = interval(0, 0, a);
    EXPECT_NEAR(low, kLow[a], 1e-5) << "axis " << a;
    EXPECT_NEAR(high, kHigh[a], 1e-5) << "axis " << a;
  }
}

TEST_F(BodyTrees, OfBodiesThatNeverMeetHaveThemAll) {
  TestScene scene;
  for (std::size_t k = 0; k < 700; ++k)
    scene.add(sphere(0.4, {static_cast<double>(k % 30), static_cast<double>(k / 30), 0.1 * static_cast<double>(k)}));
  build(scene);
  EXPECT_FALSE(scene_->bodies.can_pair()) << "they are of one group";
  std::vector<BodyState> states(scene_->tree.states().size());
  scene_->tree.states().download(states);
  std::vector<std::uint32_t> bodies;
  for (const BodyState& state : states) bodies.push_back(state.body);
  std::sort(bodies.begin(), bodies.end());
  for (std::uint32_t i = 0; i < 700; ++i) ASSERT_EQ(bodies[i], i);
  // The box of all, at the top.
  std::vector<std::uint32_t> level(scene_->tree.level_groups().size());
  scene_->tree.level_groups().download(level);
  const std::size_t top = level[level.size() - 2];
  float low = 1e9F, high = -1e9F;
  for (std::size_t k = 0; k < kWidth; ++k) {
    const auto [l, h] = interval(top, k, 2);
    if (l > h) continue;  // empty
    low = std::min(low, l);
    high = std::max(high, h);
  }
  EXPECT_NEAR(low, -0.4, 1e-4);
  EXPECT_NEAR(high, 70.3, 1e-4);
}

TEST_F(BodyTrees, TakeNoMemoryBeforeTheFirstBuild) {
  TestScene scene;
  for (int k = 0; k < 100; ++k) scene.add(sphere(0.4, {1.0 * k, 0.0, 0.0}));
  scene_->set(scene.scene, scene.scene.bodies, *build_geometry(scene.scene), 0.0F);
  EXPECT_FALSE(scene_->tree.is_built());
  for (const BufferBytes& buffer : device_->memory_by_name())
    EXPECT_FALSE(buffer.name == "boxes of the tree" || buffer.name == "body states") << buffer.bytes;
}

}  // namespace
}  // namespace oclide::test
