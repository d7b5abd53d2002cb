// Sweeps whose poses and motion an application has on the device, and whose impacts stay there
// (docs/device_resident.md). Kernels: kernels/queries/resident_sweep.cl.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "oclide/opencl.hpp"
#include "primitives/exclusive_scan.hpp"
#include "primitives/radix_sort.hpp"
#include "queries/motion_sweep.hpp"
#include "resident/resident_compounds.hpp"

namespace oclide {

/// Throws Error(invalid_input) naming the buffer or event that cannot be that of so many bodies in this context, as far
/// as OpenCL can tell.
void check_resident_motion(const ResidentMotion& motion, std::size_t bodies, const cl::Context& context);

class ResidentSweep {
 public:
  /// Searches by `sweep`, which outlives this.
  ResidentSweep(opencl::Device& device, MotionSweep& sweep);

  /// Impacts at these poses, those of the scene's tree. `compounds`: those of the scene, or null. is_far: of each body
  /// of the scene whether it is a half space or mesh. Waits for some counts. Throws Error(invalid_input) naming the
  /// first body whose motion cannot be used, UntoldSweep, and Error(device) where memory is short.
  void run(const DevicePoses& poses, const ResidentMotion& motion, const ResidentCompounds* compounds,
           std::span<const std::uint8_t> is_half_space, std::span<const std::uint8_t> is_mesh, DeviceImpacts& impacts,
           opencl::StageTimer& timer);
  /// Gives the device memory back.
  void free();

 private:
  void split_motion(const ResidentMotion& motion, std::uint32_t bodies, opencl::StageTimer& timer);
  void keep(std::uint32_t count);
  [[nodiscard]] std::uint32_t write(std::uint32_t bodies, opencl::StageTimer& timer);

  opencl::Device& device_;
  MotionSweep& sweep_;
  primitives::ExclusiveScan scan_;
  primitives::RadixSort sort_;
  opencl::LazyKernel split_kernel_, keys_kernel_, firsts_kernel_, write_kernel_;
  const ResidentCompounds* compounds_ = nullptr;  // of the run at work
  std::vector<std::uint8_t> far_host_;
  opencl::Buffer<std::uint8_t> is_far_;
  opencl::Buffer<std::uint32_t> bad_;  // RESIDENT_BAD_*
  opencl::Buffer<ImpactRecord> kept_;  // of all parts of the run
  std::uint32_t kept_count_ = 0;
  opencl::Buffer<std::uint64_t> keys_;
  opencl::Buffer<std::uint32_t> order_, firsts_, indices_;
  opencl::Buffer<std::uint64_t> total_;
  opencl::Buffer<oclide_device_impact> impacts_;
  opencl::Buffer<float> no_floats_;
  opencl::Buffer<std::uint32_t> no_numbers_;
  cl::Event ready_;
};

}  // namespace oclide
