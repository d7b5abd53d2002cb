// Poses that an application has on the device, made those of the pipeline: checked, brought to length 1, split into two
// floats as the host splits doubles. A pose that cannot be used is put aside, and the first such body is reported.
// Host: host/resident/resident_poses.cpp.
#include "upload/resident_pose.clh"
#pragma OPENCL FP_CONTRACT OFF

// One work-item a body. `given_low` counts where has_low. turn, states: state_of_turn();
// the rest as write_pose().
__kernel void upload_resident_poses(const uint count, __global const float* given_position,
                                    __global const float* given_low, const uint has_low,
                                    __global const float* given_orientation, __global const uint* slots,
                                    const uint step, const uint is_sorted, __global const float* sorted_at,
                                    const float cell, __global PoseRecord* poses, __global float* sample,
                                    const uint turn, __global uint* states) {
  const uint body = (uint)get_global_id(0);
  if (body >= count) return;
  __global uint* status = state_of_turn(states, turn, body);
  GivenPose given;
  SplitPose pose;
  read_pose(body, given_position, given_low, has_low, given_orientation, &given, status);
  const bool turns = split_pose(&given, slots[body] == SLOT_HALF_SPACE, &pose);
  if (!turns) atomic_min(status + RESIDENT_BAD_ORIENTATION, body);
  write_pose(body, &pose, turns, step, is_sorted, sorted_at, cell, poses, sample, status);
}
