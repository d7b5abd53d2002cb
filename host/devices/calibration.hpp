// How long a frame takes on each device, measured once and kept on disk, and which device that makes the fastest for a
// scene. Reference: docs/devices.md.
#pragma once

#include <optional>

#include "oclide/oclide.hpp"
#include "opencl/program_cache.hpp"

namespace oclide {

/// Under what a device's calibration lies in the cache: whatever changes the times but the scene.
[[nodiscard]] opencl::Digest calibration_key(const DeviceInfo& device);
/// What the cache has; nothing where it has none that can be used.
[[nodiscard]] std::optional<Calibration> load_calibration(const DeviceInfo& device, const Settings& settings);
/// Does nothing where the cache cannot be written.
void store_calibration(const Calibration& calibration, const DeviceInfo& device, const Settings& settings);

/// Devices of equal expected time are taken in the order of devices(); of those given, from the fastest on.
[[nodiscard]] std::vector<std::size_t> by_expected_time(std::span<const Calibration> calibrations,
                                                        std::uint64_t bodies);

}  // namespace oclide
