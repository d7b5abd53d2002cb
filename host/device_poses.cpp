#include "device_poses.hpp"

#include <cmath>
#include <utility>

#include "plane_orientation.hpp"
#include "slice.hpp"
#include "terrain/terrain_buffers.hpp"

namespace oclide {

void DevicePoses::wait() {
  try {
    if (upload() != nullptr) upload.wait();
  } catch (const cl::Error&) {
  }
}

PoseRecord device_pose(const Poses& poses, std::uint32_t body, bool is_half_space) {
  PoseRecord pose{};
  for (std::size_t a = 0; a < 3; ++a) {
    const TwoFloatParts parts = split_in_two(poses.position[3 * std::size_t{body} + a]);
    pose.position_high[a] = parts.high;
    pose.position_low[a] = parts.low;
  }
  const double* q = &poses.orientation[4 * std::size_t{body}];
  const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (is_half_space) {
    const auto rounded = plane_orientation({q[0], q[1], q[2], q[3]});
    std::copy(rounded.begin(), rounded.end(), pose.orientation);
    return pose;
  }
  for (std::size_t a = 0; a < 4; ++a) {
    const double c = q[a] / length;
    pose.orientation[a] = std::abs(c) < 1e-15 ? 0.0F : static_cast<float>(c);
  }
  return pose;
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
