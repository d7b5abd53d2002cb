// A device with a program cache in a folder that goes with the test.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>

#include "opencl/device.hpp"
#include "opencl/first_device.hpp"

namespace oclide::test {

/// A new empty folder, removed at the end.
class ScratchFolder {
 public:
  ScratchFolder() {
    static std::atomic<int> count{0};
    path_ = std::filesystem::temp_directory_path() /
            ("oclide_test_" + std::to_string(getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

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

  ScratchFolder cache_folder_;
  Settings settings_;
  DeviceInfo info_;
  std::unique_ptr<opencl::Device> device_;
};

}  // namespace oclide::test
