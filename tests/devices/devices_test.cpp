// The list of devices, with and without an OpenCL platform.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "oclide/opencl.hpp"
#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

TEST(Devices, EndWithTheReferenceWhichIsAlwaysUsable) {
  const std::vector<DeviceInfo> all = devices();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.back().id, "reference");
  EXPECT_TRUE(all.back().usable);
  EXPECT_TRUE(all.back().is_reference);
  for (std::size_t k = 0; k + 1 < all.size(); ++k) {
    EXPECT_EQ(all[k].id, "opencl:" + std::to_string(k));
    EXPECT_EQ(all[k].usable, all[k].missing.empty());
    EXPECT_FALSE(all[k].is_reference);
  }
}

TEST(Devices, AndTheirOpenClHandlesNameEachOther) {
  for (const DeviceInfo& info : devices()) {
    if (info.is_reference) {
      EXPECT_THROW((void)opencl_handle(info), Error);
      continue;
    }
    const cl_device_id handle = opencl_handle(info);
    char name[256] = {};
    ASSERT_EQ(clGetDeviceInfo(handle, CL_DEVICE_NAME, sizeof(name) - 1, name, nullptr), CL_SUCCESS);
    EXPECT_NE(std::string(name).find(info.name), std::string::npos);
    EXPECT_EQ(device_info(handle).id, info.id);
  }
  EXPECT_THROW((void)device_info(nullptr), Error);
}

// In a process of its own: the loader looks for platforms once.
TEST(DevicesDeathTest, WithoutAnyPlatformTheReferenceDoesTheWork) {
  const char* preloaded = std::getenv("LD_PRELOAD");
  if (preloaded != nullptr && std::string(preloaded).find("oclgrind") != std::string::npos)
    GTEST_SKIP() << "Oclgrind stands in for the loader";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::filesystem::path empty = std::filesystem::path(testing::TempDir()) / "oclide_no_platform";
  std::filesystem::create_directories(empty);
  EXPECT_EXIT(
      {
        setenv("OCL_ICD_VENDORS", empty.c_str(), 1);
        unsetenv("OCL_ICD_FILENAMES");
        try {
          if (devices().size() != 1) std::exit(1);
          Collider collider;
          if (!collider.device().is_reference) std::exit(2);
          const TestScene scene(plane({}, 0, 0), {sphere(0.5, {0.1, 0.2, 0.4})});
          collider.set_scene(scene.scene);
          std::exit(collider.collide(scene.poses()).contacts.size() == 1 ? 0 : 3);
        } catch (...) {
          std::exit(4);
        }
      },
      testing::ExitedWithCode(0), "");
}

TEST(Library, TellsItsVersion) {
  const std::string text(version());
  EXPECT_EQ(std::count(text.begin(), text.end(), '.'), 2) << text;
}

}  // namespace
}  // namespace oclide::test
