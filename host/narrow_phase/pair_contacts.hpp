// Narrow phase of bodies: the contacts of all pairs, kind after kind. Kernels: kernels/narrow_phase/<stem>.cl of
// pair_table.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "broad_phase/body_pairs.hpp"
#include "frame/slice.hpp"
#include "frame/store_runs.hpp"
#include "frame/work_memory.hpp"
#include "opencl/buffer.hpp"
#include "opencl/host_array.hpp"
#include "opencl/lazy_kernel.hpp"
#include "shared/abi.h"

namespace oclide {

class PairContacts {
 public:
  static constexpr double kShare = 0.5;  ///< contacts a pair, rather fewer than there are, for StoreRuns

  PairContacts(opencl::Device& device, const DeviceScene& scene, float margin, const WorkMemory& work);

  /// What another pass has found of some of the pairs: it takes the first slots of the store, and results behind those
  /// of the pairs, and writes both when it is told to.
  struct Others {
    std::uint32_t contacts = 0, manifolds = 0;
    std::function<void(opencl::Buffer<PairResult>&, opencl::Buffer<PairContactRecord>&)> write;
  };

  /// Of the bodies whose pairs will come.
  void set_scene(const Bodies& bodies);
  /// The bodies of `rows` have changed.
  void change(const Bodies& bodies, std::span<const std::uint32_t> rows);
  /// Fills results(), one a pair, and store(), in no order, those of `others` among them; the number of contacts.
  /// Blocking; `meanwhile` may send off what needs results() alone, to be waited for together, and adds to what is
  /// found. `is_slice`: of a frame that did not fit as a whole. Throws SliceTooLarge and Error(device) where memory is
  /// short.
  std::uint32_t find(BodyPairs& pairs, bool is_slice, const Others& others,
                     const std::function<void(opencl::Transfers&)>& meanwhile, opencl::StageTimer& timer);
  /// Pairs of each kind.
  using OfKinds = std::array<std::uint32_t, kPairTable.size()>;
  /// find() of up to so many pairs, after PairSearch::launch() and without waiting, with so many slots in the store: of
  /// those of the kinds that there are expected to be some of, in any number, after PairSearch::launch_order(); where
  /// there is no such expectation of all.
  void launch(BodyPairs& pairs, std::uint32_t count, std::uint32_t capacity, const std::optional<OfKinds>& expected,
              opencl::StageTimer& timer);
  /// Then, after all that is launched: begins to read what was found, which is known after `transfers`. Beyond the room
  /// that there is it is not all there.
  void begin_readback(const BodyPairs& pairs, opencl::Transfers& transfers, opencl::StageTimer& timer);
  /// The same, and the first `count` of these results with it.
  void begin_readback(const BodyPairs& pairs, opencl::Buffer<PairResult>& results, std::uint32_t count,
                      opencl::Transfers& transfers, opencl::StageTimer& timer);
  /// Those that came last.
  [[nodiscard]] std::span<const PairResult> results_read() const;
  [[nodiscard]] std::uint32_t pairs() const { return count_of(FOUND_PAIRS); }
  [[nodiscard]] std::uint32_t found() const { return count_of(FOUND_CONTACTS); }
  /// Slots of the store that are taken; some may be empty.
  [[nodiscard]] std::uint32_t stored() const { return count_of(FOUND_STORED); }
  [[nodiscard]] std::uint32_t touching() const { return count_of(FOUND_TOUCHING); }
  [[nodiscard]] std::uint32_t crowded() const { return count_of(FOUND_CROWDED); }
  [[nodiscard]] std::uint32_t crowd() const { return count_of(FOUND_CROWD); }
  [[nodiscard]] bool missed_any() const { return count_of(FOUND_MISSED) > 0; }
  [[nodiscard]] OfKinds of_kinds() const;
  /// The kinds of pairs that the scene's shapes allow, but those with a mesh.
  [[nodiscard]] const std::vector<std::uint32_t>& possible_kinds() const { return possible_kinds_; }
  /// Those that there are, or are to be at least.
  [[nodiscard]] std::uint32_t capacity(std::uint32_t least = kFirstRoom) const;
  /// Behind RESULT_HEAD.
  [[nodiscard]] const opencl::Buffer<PairResult>& results() const { return results_; }
  [[nodiscard]] opencl::Buffer<PairResult>& results() { return results_; }
  [[nodiscard]] const opencl::Buffer<PairContactRecord>& store() const { return store_; }

  void free();

 private:
  // Pairs that one kernel, that of a kind or of any, looks at, so many: those of its kind, which stand together where
  // they are `by_kind`.
  struct Part {
    std::uint32_t kind, count;
    bool by_kind;
  };
  static constexpr std::uint32_t kSpheres = ANY_KIND - 1;  // kinds under sphere_kernel_
  void fuse(std::vector<Part>& parts, std::uint32_t pairs) const;
  void fuse_spheres(std::vector<Part>& parts, std::uint32_t pairs) const;
  [[nodiscard]] std::vector<Part> parts_of(const BodyPairs& pairs) const;
  [[nodiscard]] std::vector<Part> parts_with_capacity(std::uint32_t pairs,
                                                      const std::optional<OfKinds>& expected) const;
  void launch(BodyPairs& pairs, const std::vector<Part>& parts, std::uint32_t capacity, opencl::StageTimer& timer);
  [[nodiscard]] std::uint32_t count_of(std::size_t what) const {
    return reinterpret_cast<const std::uint32_t*>(read_.data())[what];
  }

  opencl::Device& device_;
  const DeviceScene& scene_;
  float margin_;
  StoreRuns runs_;
  std::vector<opencl::LazyKernel> kernels_;           // of each row of kPairTable
  std::vector<opencl::LazyKernel> manifold_kernels_;  // of PAIR_KINDS_IN_TWO, on a GPU
  opencl::LazyKernel fused_kernel_, sphere_kernel_;
  void find_possible_kinds();

  ByShape<std::size_t> count_;                 // bodies of each shape, or more where they have changed
  std::vector<std::uint32_t> possible_kinds_;  // of pairs of these
  opencl::Buffer<PairContactRecord> store_;
  opencl::Buffer<PairResult> results_;
  opencl::HostArray<PairResult> read_;  // BodyPairs::found, as far as the host needs it, then results
};

}  // namespace oclide
