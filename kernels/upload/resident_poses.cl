// Poses that an application has on the device, made those of the pipeline: checked, brought to length 1, split into two
// floats as the host splits doubles. A pose that cannot be used is put aside, and the first such body is reported.
// Host: host/resident_poses.cpp.
#include "../include/oclide/device_layout.h"
#include "shared/abi.h"
#include "upload/unit_orientation.clh"
#pragma OPENCL FP_CONTRACT OFF

// As split_in_two() of host/terrain/terrain_buffers.cpp: coordinates are cut off at 3e18, and parts below 1e-18 are
// zero.
#define FARTHEST_HIGH 0x1.4d1120p+61f
#define FARTHEST_LOW 0x1.af62c0p+36f
#define NEAREST 1e-18f

bool is_finite(float x) {
  return (as_uint(x) & 0x7F800000u) != 0x7F800000u;
}

// high + low, |low| being small beside |high|, as two floats.
void split_position(float given_high, float given_low, float* high, float* low) {
  const TwoFloat sum = two_sum(given_high, given_low);
  const float sign = sign_f(sum.hi), far = sign * sum.hi, rest = sign * sum.lo;
  *high = sum.hi;
  *low = abs_f(sum.lo) < NEAREST ? 0.0f : sum.lo;
  if (far > FARTHEST_HIGH || (far == FARTHEST_HIGH && rest > FARTHEST_LOW)) {
    *high = sign * FARTHEST_HIGH;
    *low = sign * FARTHEST_LOW;
  }
  if (far < NEAREST) *high = *low = 0.0f;
}

// One work-item a body. `given_low` counts where has_low. Of every `step`-th body the position goes to `sample`; where
// `is_sorted`, bodies farther than `cell` from sorted_at are counted. status: RESIDENT_*.
__kernel void upload_resident_poses(const uint count, __global const float* given_position,
                                    __global const float* given_low, const uint has_low,
                                    __global const float* given_orientation, __global const uint* slots,
                                    const uint step, const uint is_sorted, __global const float* sorted_at,
                                    const float cell, __global float* positions_high, __global float* positions_low,
                                    __global float* orientations, __global float* sample, __global uint* status) {
  const uint body = (uint)get_global_id(0);
  if (body >= count) return;
  bool finite_high = true, finite_low = true, strayed = false;
  for (uint a = 0u; a < 3u; ++a) {
    const float from_high = given_position[3u * body + a], from_low = has_low != 0u ? given_low[3u * body + a] : 0.0f;
    finite_high = finite_high && is_finite(from_high);
    finite_low = finite_low && is_finite(from_low);
    float high = 0.0f, low = 0.0f;
    if (is_finite(from_high) && is_finite(from_low)) split_position(from_high, from_low, &high, &low);
    positions_high[3u * body + a] = high;
    positions_low[3u * body + a] = low;
    if (body % step == 0u) sample[3u * (body / step) + a] = high;
    if (is_sorted != 0u) strayed = strayed || abs_f(high - sorted_at[3u * body + a]) > cell;
  }
  float q[4], orientation[4];
  bool turns = true;
  for (uint a = 0u; a < 4u; ++a) {
    q[a] = given_orientation[4u * body + a];
    turns = turns && is_finite(q[a]);
  }
  if (turns)
    turns = slots[body] == SLOT_HALF_SPACE ? plane_orientation(q, orientation) : unit_orientation(q, orientation);
  for (uint a = 0u; a < 4u; ++a) orientations[4u * body + a] = turns ? orientation[a] : (a == 0u ? 1.0f : 0.0f);
  if (!finite_high) atomic_min(status + RESIDENT_BAD_POSITION, body);
  if (!finite_low) atomic_min(status + RESIDENT_BAD_POSITION_LOW, body);
  if (!turns) atomic_min(status + RESIDENT_BAD_ORIENTATION, body);
  if (strayed) atomic_inc(status + RESIDENT_STRAYED);
}
