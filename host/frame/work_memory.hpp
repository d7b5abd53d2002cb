// Device memory in which one step of a frame works after the other: of what lies there nothing is needed later on.
#pragma once

#include <memory>

#include "opencl/memory.hpp"

namespace oclide {

/// Bodies against terrain come first; then the tree of bodies is sorted; then pairs get contacts.
struct WorkMemory {
  static constexpr const char* kFirst = "grid poses or contacts of pairs as found";
  static constexpr const char* kSecond = "contacts as found or results of pairs";

  explicit WorkMemory(opencl::Device& device)
      : first(std::make_shared<opencl::Memory>(device, kFirst)),
        second(std::make_shared<opencl::Memory>(device, kSecond)) {}

  std::shared_ptr<opencl::Memory> first;   ///< of grid poses, keys in a sort, contacts of pairs as found
  std::shared_ptr<opencl::Memory> second;  ///< of contacts with terrain as found, values in a sort, results of pairs
};

}  // namespace oclide
