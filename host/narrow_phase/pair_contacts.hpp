// Narrow phase of bodies: the contacts of all pairs, kind after kind. Kernels: kernels/narrow_phase/<stem>.cl of
// pair_table.hpp.
#pragma once

#include <array>

#include "broad_phase/body_tree.hpp"
#include "narrow_phase/store_runs.hpp"
#include "opencl/buffer.hpp"
#include "shared/abi.h"

namespace oclide {

class PairContacts {
 public:
  static constexpr double kShare = 0.5;  ///< contacts a pair, rather fewer than there are, for StoreRuns

  PairContacts(opencl::Device& device, float margin);

  /// Fills results(), one a pair, and store(), in no order; the number of contacts. Blocking. Throws SliceTooLarge and
  /// Error(device) where memory is short.
  std::uint32_t find(const BodyPairs& pairs, const opencl::Buffer<BodyState>& states, opencl::StageTimer& timer);
  /// find() without waiting, for as many contacts as there is room for. After `transfers` found() and places() are
  /// known; beyond room() places they are not all there.
  void find_later(const BodyPairs& pairs, const opencl::Buffer<BodyState>& states, opencl::Transfers& transfers,
                  opencl::StageTimer& timer);
  [[nodiscard]] std::uint32_t found() const { return counts_[1]; }
  /// Of the store that are taken; some may be empty.
  [[nodiscard]] std::uint32_t places() const { return counts_[0]; }
  [[nodiscard]] std::uint32_t room() const;
  [[nodiscard]] const opencl::Buffer<PairResult>& results() const { return results_; }
  [[nodiscard]] const opencl::Buffer<PairContactRecord>& store() const { return store_; }

  void free();

 private:
  void launch(const BodyPairs& pairs, const opencl::Buffer<BodyState>& states, std::uint32_t capacity,
              opencl::StageTimer& timer);

  opencl::Device& device_;
  float margin_;
  StoreRuns runs_;
  std::array<cl::Kernel, kPairTable.size()> kernels_;  // compiled when the first pair of its kind turns up
  cl::Kernel few_kernel_;
  opencl::Buffer<std::uint32_t> stored_;
  opencl::Buffer<PairContactRecord> store_;
  opencl::Buffer<PairResult> results_;
  std::array<std::uint32_t, 2> counts_{};  // places that are taken, contacts
};

}  // namespace oclide
