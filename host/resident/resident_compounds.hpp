// Compound bodies in frames on the device: what a scene has of them there, where their shapes are in a frame, and a
// frame of shapes made one of bodies. Kernels: kernels/upload/compound_poses.cl, contact_reduction/compound_frame.cl.
// The same in host memory: compound_bodies.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "contacts/device_frame.hpp"
#include "opencl/buffer.hpp"
#include "opencl/launch.hpp"
#include "primitives/exclusive_scan.hpp"
#include "primitives/radix_sort.hpp"
#include "upload/compound_bodies.hpp"

namespace oclide {

class ResidentCompounds {
 public:
  ResidentCompounds(opencl::Device& device, const CompoundBodies& compounds);

  [[nodiscard]] std::size_t bodies() const { return first_shapes_.size() - 1; }

  /// Per body: its first shape; and the end.
  [[nodiscard]] const opencl::Buffer<std::uint32_t>& first_shapes() const { return first_shapes_; }
  /// Per shape: its body; which of the local poses it has, 0 for a body that is one shape.
  [[nodiscard]] const opencl::Buffer<std::uint32_t>& bodies_of_shapes() const { return body_of_; }
  [[nodiscard]] const opencl::Buffer<std::uint32_t>& local_of_shapes() const { return local_of_; }
  [[nodiscard]] const opencl::Buffer<CompoundBodies::LocalPose>& local_poses() const { return local_poses_; }
  /// Per shape, of the frame at work, to be written by compound_poses.cl: 3 numbers of its centre; 3 of the way there
  /// from the body's position.
  [[nodiscard]] const opencl::Buffer<double>& centres() const { return centres_; }
  [[nodiscard]] const opencl::Buffer<float>& offsets() const { return offsets_; }

  /// Makes frame() of `shapes`: contacts by bodies, relative to the positions of these, in their order. Waits for one
  /// number. Throws Error(device) where memory is short.
  void name(const FrameBuffers& shapes, opencl::StageTimer& timer);
  [[nodiscard]] const FrameBuffers& frame() const { return frame_; }
  /// Points of the contacts of frame() in the world, in doubles; `shapes` as in name(). Blocking.
  void download_points(const FrameBuffers& shapes, std::span<std::array<double, 3>> points) const;

  /// Gives back what name() worked with and the frame does not need.
  void free_work();
  /// Gives the memory of the last frame back.
  void free();

 private:
  opencl::Device& device_;
  primitives::ExclusiveScan scan_;
  primitives::RadixSort sort_;
  cl::Kernel keys_kernel_, counts_kernel_, write_kernel_, offsets_kernel_;
  opencl::Buffer<std::uint32_t> first_shapes_;        // of each body, and the end
  opencl::Buffer<std::uint32_t> body_of_, local_of_;  // per shape
  opencl::Buffer<CompoundBodies::LocalPose> local_poses_;
  opencl::Buffer<double> centres_;
  opencl::Buffer<float> offsets_;
  opencl::Buffer<std::uint64_t> keys_;                     // of manifolds, in order
  opencl::Buffer<std::uint32_t> order_, counts_, firsts_;  // of manifolds: where each was; its contacts
  opencl::Buffer<std::uint32_t> pairs_;
  opencl::Buffer<std::uint64_t> total_;
  FrameBuffers frame_;
};

}  // namespace oclide
