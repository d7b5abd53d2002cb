// Upload of an incremental frame: the poses of moved bodies to their rows among those of the frame before.
// Host: host/upload/device_poses.cpp.
#include "shared/abi.h"

// One work-item a moved body.
__kernel void upload_move_poses(const uint count, __global const MovedPose* moved, __global PoseRecord* poses) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  poses[moved[item].body] = moved[item].pose;
}
