// Tests that hold on the OpenCL device and on the reference alike.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/contacts.hpp"
#include "support/scene.hpp"

namespace oclide::test {

/// The `--device` of the OpenCL device that tests run on; empty where there is none.
std::string opencl_device();

/// A Collider on "opencl" or "reference" that lives as long as the program.
Collider& collider_on(const std::string& device, double margin = 0.0);

/// The same scene on the device and in the reference, compared by oclide::Validator both ways.
testing::AssertionResult validates(const TestScene& scene, std::span<const Contact> contacts, double margin = 0.0);

/// A test that needs the OpenCL device; skipped where there is none.
class OnOpenCl : public testing::Test {
 protected:
  void SetUp() override {
    if (opencl_device().empty()) GTEST_SKIP() << "no OpenCL device";
  }
};

/// Parameter: "opencl" or "reference".
class OnEachDevice : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "opencl" && opencl_device().empty()) GTEST_SKIP() << "no OpenCL device";
  }

  FrameContacts frame(const TestScene& scene, double margin = 0.0);
  /// Contacts of the scene; those of the OpenCL device are also validated.
  std::vector<Contact> contacts(const TestScene& scene, double margin = 0.0);
  std::vector<Contact> contacts(const Terrain& terrain, const BodySpec& body, double margin = 0.0) {
    return contacts(TestScene(terrain, {body}), margin);
  }
};

}  // namespace oclide::test

#define OCLIDE_ON_EACH_DEVICE(Suite)                                          \
  INSTANTIATE_TEST_SUITE_P(On, Suite, testing::Values("opencl", "reference"), \
                           [](const testing::TestParamInfo<std::string>& device) { return device.param; })
