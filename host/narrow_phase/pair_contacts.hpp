// Narrow phase of bodies: the contacts of all pairs, kind after kind. Kernels: kernels/narrow_phase/<stem>.cl of
// pair_table.hpp.
#pragma once

#include <array>

#include "broad_phase/body_tree.hpp"
#include "opencl/buffer.hpp"
#include "shared/abi.h"

namespace oclide {

class PairContacts {
 public:
  PairContacts(opencl::Device& device, float margin);

  /// Fills results(), one a pair, and store(), in no order; the number of contacts. Blocking. Throws SliceTooLarge and
  /// Error(device) where memory is short.
  std::uint32_t find(const BodyPairs& pairs, const opencl::Buffer<BodyState>& states, opencl::StageTimer& timer);
  /// find() without waiting, for as many contacts as there is room for. After `transfers` found() says how many there
  /// are; beyond room() they are not all there.
  void find_later(const BodyPairs& pairs, const opencl::Buffer<BodyState>& states, opencl::Transfers& transfers,
                  opencl::StageTimer& timer);
  [[nodiscard]] std::uint32_t found() const { return found_; }
  [[nodiscard]] std::uint32_t room() const;
  [[nodiscard]] const opencl::Buffer<PairResult>& results() const { return results_; }
  [[nodiscard]] const opencl::Buffer<PairContactRecord>& store() const { return store_; }

  void free();

 private:
  void launch(const BodyPairs& pairs, const opencl::Buffer<BodyState>& states, std::uint32_t capacity,
              opencl::StageTimer& timer);

  opencl::Device& device_;
  float margin_;
  std::array<cl::Kernel, kPairTable.size()> kernels_;  // compiled when the first pair of its kind turns up
  opencl::Buffer<std::uint32_t> stored_;
  opencl::Buffer<PairContactRecord> store_;
  opencl::Buffer<PairResult> results_;
  std::uint32_t found_ = 0;
};

}  // namespace oclide
