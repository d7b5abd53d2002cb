#include "upload/device_poses.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include "frame/slice.hpp"
#include "scene/plane_orientation.hpp"
#include "shared/poses.h"
#include "terrain/terrain_buffers.hpp"

namespace oclide {

void DevicePoses::wait() const {
  const opencl::DriverPause pause;
  for (const cl::Event& upload : uploads) {
    try {
      upload.wait();
    } catch (const cl::Error&) {
    }
  }
}

namespace {

void write_pose(const Poses& poses, std::size_t body, bool is_half_space, PoseRecord& to) {
  for (std::size_t a = 0; a < 3; ++a) {
    const TwoFloatParts parts = split_in_two(poses.position[3 * body + a]);
    to.position_high[a] = parts.high;
    to.position_low[a] = parts.low;
  }
  const double* q = &poses.orientation[4 * body];
  if (is_half_space) {
    const auto rounded = plane_orientation({q[0], q[1], q[2], q[3]});
    std::copy(rounded.begin(), rounded.end(), to.orientation);
    return;
  }
  const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  constexpr auto kLeastPart = std::bit_cast<double>(std::uint64_t{LEAST_PART_BITS});
  // Step by step of all four, which compilers put side by side.
  double c[4];
  for (std::size_t a = 0; a < 4; ++a) c[a] = q[a] / length;
  for (std::size_t a = 0; a < 4; ++a) c[a] = std::abs(c[a]) < kLeastPart ? 0.0 : c[a];
  for (std::size_t a = 0; a < 4; ++a) to.orientation[a] = static_cast<float>(c[a]);
}

}  // namespace

PoseRecord device_pose(const Poses& poses, std::uint32_t body, bool is_half_space) {
  PoseRecord pose;
  write_pose(poses, body, is_half_space, pose);
  return pose;
}

void write_device_poses(const Poses& poses, std::size_t first, std::span<const std::uint8_t> is_half_space,
                        std::span<PoseRecord> to) {
  for (std::size_t k = 0; k < to.size(); ++k) write_pose(poses, first + k, is_half_space[first + k] != 0, to[k]);
}

void PoseMover::run(std::vector<MovedPose> moved, DevicePoses& poses, opencl::StageTimer& timer) {
  upload_.wait();
  staging_ = std::move(moved);
  if (staging_.empty()) return;
  moved_.resize(staging_.size());
  moved_.upload_later(staging_, upload_, &timer);
  opencl::launch(device_, kernel_, &timer, opencl::Stage::upload, staging_.size(), kGroup,
                 static_cast<cl_uint>(staging_.size()), moved_, poses.records);
}

}  // namespace oclide
