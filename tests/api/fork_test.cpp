// Processes that were forked: what uses OpenCL is refused at once where its drivers' threads were left behind.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <optional>

#include "oclide/oclide.h"
#include "oclide/opencl.hpp"
#include "opencl/cl.hpp"
#include "support/on_each_device.hpp"

namespace oclide::test {
namespace {

constexpr unsigned kPatience = 60;  // [s] after which a child has hung

// Whether `holds` in a process that is forked here and ends without any clean-up.
bool in_child(const std::function<bool()>& holds) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(kPatience);
    bool held = false;
    try {
      held = holds();
    } catch (...) {
    }
    _exit(held ? 0 : 1);
  }
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool is_refused(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.kind() == ErrorKind::device && std::string(e.what()).find("was forked") != std::string::npos;
  }
  return false;
}

Settings settings_of(const std::string& device) {
  Settings settings;
  settings.device = device;
  return settings;
}

std::size_t contacts_on(const std::string& device) {
  const TestScene scene({sphere(0.5, {0, 0, 0}), sphere(0.5, {0.9, 0, 0})});
  Collider collider(settings_of(device));
  collider.set_scene(scene.scene);
  return collider.collide(scene.poses()).contacts.size();
}

class ForkedProcess : public OnOpenCl {};

TEST_F(ForkedProcess, OpensNoDeviceAndListsNone) {
  ASSERT_EQ(contacts_on(opencl_device()), 1U);
  const DeviceInfo info = devices().front();
  const auto opens = [&](const std::string& device) { return [=] { Collider collider(settings_of(device)); }; };
  EXPECT_TRUE(in_child([&] { return is_refused(opens(opencl_device())); }));
  EXPECT_TRUE(in_child([&] { return is_refused(opens("auto")); }));
  EXPECT_TRUE(in_child([&] { return is_refused([] { (void)devices(); }); }));
  EXPECT_TRUE(in_child([&] { return is_refused([&] { (void)opencl_handle(info); }); }));
  Settings without_cache;
  without_cache.use_cache = false;
  EXPECT_TRUE(in_child([&] { return is_refused([&] { (void)calibrate(info, without_cache); }); }));
  // Nor does a child of the child.
  EXPECT_TRUE(in_child([&] { return in_child([&] { return is_refused(opens(opencl_device())); }); }));
  EXPECT_EQ(contacts_on(opencl_device()), 1U);
}

TEST_F(ForkedProcess, WorksOnTheReference) {
  ASSERT_EQ(contacts_on(opencl_device()), 1U);
  ASSERT_EQ(contacts_on("reference"), 1U);
  EXPECT_TRUE(in_child([] { return contacts_on("reference") == 1; }));
}

TEST_F(ForkedProcess, RefusesAndDestroysAColliderOfItsParent) {
  const TestScene scene = heap(40, 1);
  std::optional<Collider> collider(settings_of(opencl_device()));
  collider->set_scene(scene.scene);
  const std::size_t contacts = collider->update(scene.poses()).contacts.size();
  Collider::StagedPoses staged = collider->stage(scene.poses()), unused = collider->stage(scene.poses());
  EXPECT_TRUE(in_child([&] {
    return is_refused([&] { collider->set_scene(scene.scene); }) &&
           is_refused([&] { collider->update_heights(0, 0, 0, 1, 1, std::vector{0.0}); }) &&
           is_refused([&] { (void)collider->collide(scene.poses()); }) &&
           is_refused([&] { (void)collider->update(scene.poses()); }) &&
           is_refused([&] { (void)collider->stage(scene.poses()); }) &&
           is_refused([&] { (void)collider->collide_staged(staged); }) &&
           is_refused([&] { (void)collider->device_memory(); });
  }));
  EXPECT_TRUE(in_child([&] {
    const FrameContacts frame = collider->take_frame();  // in host memory
    unused.reset();
    collider.reset();
    staged.reset();
    return frame.contacts.size() == contacts && contacts > 10;
  }));
  EXPECT_EQ(collider->collide_staged(staged).contacts.size(), contacts);
}

TEST_F(ForkedProcess, RefusesAnApplicationsContext) {
  const cl::Device device(opencl_handle(devices().front()), true);
  const cl::Context context(device);
  const cl::CommandQueue queue(context, device);
  Collider collider = make_collider(context(), queue());
  const TestScene scene = heap(40, 1);
  collider.set_scene(scene.scene);
  EXPECT_TRUE(in_child([&] {
    return is_refused([&] { (void)make_collider(context(), queue()); }) &&
           is_refused([&] { (void)collide_on_device(collider, {}); }) && is_refused([&] { (void)to_host(collider); });
  }));
}

TEST_F(ForkedProcess, HasItsErrorsInTheCApiToo) {
  const std::string id = opencl_device();
  oclide_settings settings{};
  settings.struct_size = sizeof settings;
  settings.device = id.c_str();
  oclide_collider* collider = nullptr;
  ASSERT_EQ(oclide_collider_create(&settings, &collider), OCLIDE_OK);
  EXPECT_TRUE(in_child([&] {
    oclide_collider* other = nullptr;
    oclide_device_list* list = nullptr;
    return oclide_collider_create(&settings, &other) == OCLIDE_DEVICE_ERROR && other == nullptr &&
           oclide_device_list_create(&list) == OCLIDE_DEVICE_ERROR &&
           std::string(oclide_last_message()).find("was forked") != std::string::npos &&
           oclide_collider_destroy(collider) == OCLIDE_OK;
  }));
  EXPECT_EQ(oclide_collider_destroy(collider), OCLIDE_OK);
}

// In a process of its own, which has not used OpenCL. Where there is no device the reference does the work.
TEST(ForkedProcessDeathTest, OfOneThatHasNotUsedOpenClUsesIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const bool child = in_child([&] { return contacts_on("auto") == 1; });
        std::_Exit(child && contacts_on("auto") == 1 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace oclide::test
