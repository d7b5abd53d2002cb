// Upload of a frame in which few bodies moved: their poses to their places among those of the frame before.
// Host: host/device_poses.cpp.
#include "shared/abi.h"

// One work-item a moved body.
__kernel void upload_move_poses(const uint count, __global const MovedPose* moved, __global float* positions_high,
                                __global float* positions_low, __global float* orientations) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  __global const MovedPose* m = moved + item;
  for (uint a = 0u; a < 3u; ++a) {
    positions_high[3u * m->body + a] = m->position_high[a];
    positions_low[3u * m->body + a] = m->position_low[a];
  }
  for (uint a = 0u; a < 4u; ++a) orientations[4u * m->body + a] = m->orientation[a];
}
