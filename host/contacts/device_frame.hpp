// The contacts of a frame in buffers on the device, in their final order, with the layouts of oclide/device_layout.h.
// Kernels: kernels/contact_reduction/device_frame.cl.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "contacts/contacts_on_device.hpp"
#include "contacts/pair_list.hpp"
#include "contacts/terrain_contact_list.hpp"
#include "oclide/device_layout.h"
#include "opencl/buffer.hpp"
#include "opencl/host_array.hpp"
#include "opencl/launch.hpp"
#include "primitives/exclusive_scan.hpp"

namespace oclide {

/// What a frame leaves for its readers.
struct FrameBuffers {
  explicit FrameBuffers(opencl::Device& device);
  /// Sets the counts on the host, and the sizes of what is counted.
  void resize(const oclide_device_counts& counts);
  /// The same, and the counts on the device. Does not block.
  void set_counts(const oclide_device_counts& counts, opencl::StageTimer& timer);
  /// Gives the memory of the last frame back, but for that of the counts.
  void free();

  opencl::Buffer<oclide_device_contact> contacts;
  opencl::Buffer<oclide_device_manifold> manifolds;
  opencl::Buffer<std::uint32_t> contact_offsets, manifold_offsets;  // where those of each body_a begin, and the end
  opencl::Buffer<oclide_device_counts> device_counts;
  oclide_device_counts counts{};
};

class FrameOnDevice {
 public:
  explicit FrameOnDevice(opencl::Device& device);

  /// Merges what both have on the device; in two steps. `slots` as in ResidentUpload::run(), `sensors` per body 1 for
  /// sensors, or empty. Throws Error(device) where memory is short, SliceTooLarge above 2^32 contacts.
  ///
  /// begin_merge() needs no true numbers of pairs and contacts, but room for as many as there are. After `transfers`
  /// comes merge().
  void begin_merge(const opencl::Buffer<std::uint32_t>& slots, const TerrainContactsOnDevice& terrain,
                   const PairContactsOnDevice& pairs, opencl::Transfers& transfers, opencl::StageTimer& timer);
  void merge(const opencl::Buffer<std::uint32_t>& slots, const opencl::Buffer<std::uint8_t>& sensors,
             const TerrainContactsOnDevice& terrain, const PairContactsOnDevice& pairs, opencl::StageTimer& timer);
  /// The same of what both have on the host. `slots` is that of merge(). Blocking.
  void upload(std::span<const std::uint32_t> slots, std::span<const std::uint8_t> sensors,
              const TerrainContactList& terrain, const PairList& pairs, opencl::StageTimer& timer);

  /// Gives the memory of the last frame back.
  void free();

  [[nodiscard]] const FrameBuffers& buffers() const { return buffers_; }

 private:
  opencl::Device& device_;
  primitives::ExclusiveScan scan_;
  cl::Kernel counts_kernel_, contacts_kernel_;
  opencl::Buffer<std::uint32_t> contact_counts_, manifold_counts_;  // per body
  opencl::Buffer<std::uint64_t> totals_;                            // of contacts, of manifolds
  opencl::HostArray<std::uint64_t> manifolds_host_;                 // one
  FrameBuffers buffers_;
};

}  // namespace oclide
