// A device with a program cache in a folder that goes with the test.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "opencl/device.hpp"
#include "opencl/first_device.hpp"
#include "support/temporary_folder.hpp"

namespace oclide::test {

class OpenCl : public testing::Test {
 protected:
  void SetUp() override {
    const auto info = first_device();
    if (!info) GTEST_SKIP() << "no OpenCL device";
    info_ = *info;
    settings_.cache_directory = cache_folder_.path().string();
    device_ = open();
  }

  [[nodiscard]] std::unique_ptr<opencl::Device> open() const {
    return std::make_unique<opencl::Device>(settings_, info_);
  }

  /// The error that `function` throws; fails where it throws none.
  template <class Function>
  static Error error_of(Function&& function) {
    try {
      function();
    } catch (const Error& e) {
      return e;
    }
    ADD_FAILURE() << "no error was thrown";
    return {ErrorKind::device, ""};
  }

  static bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  TemporaryFolder cache_folder_;
  Settings settings_;
  DeviceInfo info_;
  std::unique_ptr<opencl::Device> device_;
};

}  // namespace oclide::test
