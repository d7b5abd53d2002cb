// What the contacts of a frame are computed from.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "contacts/contacts_on_device.hpp"
#include "device_scene/leaf_positions.hpp"
#include "frame/host_work.hpp"
#include "oclide/oclide.hpp"
#include "upload/device_poses.hpp"

namespace oclide {

struct FrameInput {
  const DevicePoses& device;                  ///< poses on the device
  LeafPositions& positions;                   ///< of the same
  const Poses* host = nullptr;                ///< the same in host memory, where they are there
  std::span<const std::uint32_t> moved = {};  ///< bodies of a frame of moved bodies; ascending, no half spaces
  HostWork* work = nullptr;                   ///< of the host's, to be done meanwhile
  /// Of a frame that stays on the device: called where all of it is sent off without waiting, with what will be there;
  /// what this begins to read is waited for together with the rest.
  std::function<void(const TerrainContactsOnDevice&, const PairContactsOnDevice&, opencl::Transfers&)> ahead = {};
};

/// The work of the host's, while the device does what was enqueued until now.
inline void work_meanwhile(opencl::Device& device, const FrameInput& input) {
  if (input.work == nullptr || input.work->is_done()) return;
  device.flush();
  input.work->run();
}

}  // namespace oclide
