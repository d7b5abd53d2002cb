// Where the contacts of a frame are that stay on the device. The buffers are those of the passes that wrote them.
#pragma once

#include <cstdint>

#include "opencl/buffer.hpp"
#include "shared/abi.h"

namespace oclide {

/// Contacts with terrain by slot, those of a body in order. Null where there are none.
struct TerrainContactsOnDevice {
  std::uint32_t slots = 0, contacts = 0;
  const opencl::Buffer<std::uint32_t>* outcomes = nullptr;  // of each slot, as in shared/abi.h
  const opencl::Buffer<ContactRecord>* records = nullptr;
  const opencl::Buffer<BodyRecord>* bodies = nullptr;
  bool is_as_sent_off = false;  // without waiting: what was sent off after it holds
};

/// Touching pairs by body_a, body_b, with their contacts. Null where there are none. A pair of a mesh stands once for
/// each of its manifolds.
struct PairContactsOnDevice {
  std::uint32_t manifolds = 0, contacts = 0, pairs = 0;
  const opencl::Buffer<std::uint32_t>* found = nullptr;    // FOUND_*: the true numbers
  const opencl::Buffer<std::uint32_t>* offsets = nullptr;  // of each body_a, and the end
  const opencl::Buffer<PairResult>* results = nullptr;
  const opencl::Buffer<PairContactRecord>* records = nullptr;
  const opencl::Buffer<MeshTag>* tags = nullptr;  // of the records; null in scenes without meshes
  bool is_as_sent_off = false;
};

}  // namespace oclide
