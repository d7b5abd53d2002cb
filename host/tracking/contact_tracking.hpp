// Manifolds and contacts followed from frame to frame on the device. Kernels: kernels/tracking/contact_tracking.cl.
// docs/tracking.md has the definition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "oclide/oclide.hpp"
#include "opencl/buffer.hpp"
#include "opencl/launch.hpp"
#include "primitives/exclusive_scan.hpp"
#include "primitives/radix_sort.hpp"
#include "shared/abi.h"

namespace oclide {

/// What the device says of a manifold, as the API does.
[[nodiscard]] ManifoldEvent event_of(const ManifoldChange& change);

/// A frame is begun, its manifolds and features are written by the caller (from the host or by a kernel), then it is
/// followed from the last one, and kept as the last one of the next:
///
///   begin(manifolds, contacts)   manifolds(), features()   follow(timer)   keep()
///
/// A frame that fails on the way (Error(device) where memory is short) changes nothing: the last one stays the last.
class ContactTracking {
 public:
  /// Contacts of a name that are looked through one by one: more go by way of a sort.
  static constexpr std::uint32_t kFew = 32;

  explicit ContactTracking(opencl::Device& device);

  /// Room for a frame.
  void begin(std::uint32_t manifolds, std::uint32_t contacts);
  /// To be written before follow(): in the order of names, `first` ascending from 0.
  [[nodiscard]] opencl::Buffer<TrackedManifold>& manifolds() { return now_.manifolds; }
  /// To be written before follow(), one a contact.
  [[nodiscard]] opencl::Buffer<std::uint32_t>& features() { return now_.features; }

  /// `large`: how many contacts are of names with more than kFew; where that is not known, this number is waited for,
  /// and nothing else.
  void follow(opencl::StageTimer& timer, std::optional<std::uint32_t> large = std::nullopt);

  /// Of follow(): per contact the one of the last frame that it goes on with, or kNone.
  [[nodiscard]] const opencl::Buffer<std::uint32_t>& previous() const { return previous_; }
  /// Of follow(): one a manifold, then the ended ones. What is behind them is undefined.
  [[nodiscard]] const opencl::Buffer<ManifoldChange>& changes() const { return changes_; }
  /// Of follow(): one number, that of the ended ones.
  [[nodiscard]] const opencl::Buffer<std::uint64_t>& ended_count() const { return ended_count_; }
  [[nodiscard]] std::uint32_t manifold_count() const { return now_.count; }
  [[nodiscard]] std::uint32_t contact_count() const { return now_.contacts; }

  /// Slots of 16 bytes, one a contact of the last frame, to those of this one. After follow().
  void carry_slots(const cl::Buffer& last_slots, const cl::Buffer& slots, opencl::StageTimer& timer);

  /// The frame followed is the last one from now on.
  void keep();
  /// The next frame has none before it.
  void forget();
  /// Gives back what follow() has found; the last frame stays known.
  void free_results();
  /// forget() and all memory given back.
  void free();

 private:
  // What is known of a frame.
  struct Frame {
    explicit Frame(opencl::Device& device);
    void resize(std::uint32_t manifolds, std::uint32_t contacts);
    void free();

    std::uint32_t count = 0, contacts = 0;
    opencl::Buffer<TrackedManifold> manifolds;
    opencl::Buffer<std::uint32_t> features, manifold_of;  // per contact
    // Contacts of names that have many, by name and feature.
    opencl::Buffer<std::uint32_t> large_offsets;  // per manifold
    opencl::Buffer<std::uint64_t> large;
    opencl::Buffer<std::uint32_t> large_contacts;
  };

  void sort_large(std::uint32_t large, opencl::StageTimer& timer);

  opencl::Device& device_;
  primitives::ExclusiveScan scan_;
  primitives::RadixSort sort_;
  cl::Kernel names_kernel_, large_kernel_, contacts_kernel_, persist_kernel_, changes_kernel_, slots_kernel_;
  Frame now_, last_;
  opencl::Buffer<TrackedName> names_;
  opencl::Buffer<std::uint32_t> large_counts_, large_total_;
  opencl::Buffer<std::uint32_t> previous_, continues_, ended_, ended_offsets_;
  opencl::Buffer<std::uint64_t> total_, ended_count_;
  opencl::Buffer<ManifoldChange> changes_;
};

}  // namespace oclide
