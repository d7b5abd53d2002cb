// Sweeps with motion that an application has on the device, and impacts that stay there (docs/device_resident.md).
//
//   split_motion     per body of the scene: its motion, as the host makes it of doubles
//   (sweep_*.cl)     impacts, in any order
//   impact_keys      per impact: body_a, body_b
//   -> stable sort
//   first_impacts    per impact: is it the first one of its pair in that order?
//   -> scan          where those go
//   device_impacts   per pair: its first impact, with the application's layout
//
// Host: host/queries/resident_sweep.cpp.
#include "../include/oclide/device_layout.h"
#include "shared/resident_rays.h"
#include "upload/resident_pose.clh"
#pragma OPENCL FP_CONTRACT OFF

// Three numbers of a body, none beyond `most`. Where one is, or is none, all are zeros and `bad` is told.
void read_motion(uint body, __global const float* given, float most, float* v, __global uint* bad) {
  bool usable = true;
  for (uint a = 0u; a < 3u; ++a) {
    v[a] = given[3u * (ulong)body + a];
    usable = usable && is_finite(v[a]) && abs_f(v[a]) <= most;
  }
  if (usable) return;
  v[0] = v[1] = v[2] = 0.0f;
  atomic_min(bad, body);
}

// `has`: RESIDENT_HAS_* of the arrays given. Where `of_parts`, bodies of the scene are parts: body_of each, and where
// it is from that body's position. bad: the first body whose displacement, and rotation, cannot be used.
__attribute__((vec_type_hint(float4))) __kernel void queries_split_motion(
    const uint count, __global const float* displacement, __global const float* rotation, const uint has,
    const uint of_parts, __global const uint* body_of, __global const float* offsets, __global MotionRecord* motion,
    __global uint* bad) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  const uint body = of_parts != 0u ? body_of[item] : item;
  __global MotionRecord* to = motion + item;
  float d[3] = {0.0f, 0.0f, 0.0f}, r[3] = {0.0f, 0.0f, 0.0f};
  if ((has & RESIDENT_HAS_DISPLACEMENT) != 0u)
    read_motion(body, displacement, FARTHEST_MOTION, d, bad + RESIDENT_BAD_DISPLACEMENT);
  if ((has & RESIDENT_HAS_ROTATION) != 0u)
    read_motion(body, rotation, FARTHEST_ROTATION, r, bad + RESIDENT_BAD_ROTATION);
  Double turn[3], length2, angle;
  for (uint a = 0u; a < 3u; ++a) {
    Double square;
    double_of_float(r[a], turn + a);
    double_multiply(turn + a, turn + a, &square);
    if (a == 0u)
      length2 = square;
    else
      double_add(&length2, &square, &length2);
  }
  angle = length2;
  if (length2.m != 0ul) double_root(&length2, &angle);
  float high, low;
  for (uint a = 0u; a < 3u; ++a) {
    split_position(d[a], 0.0f, &high, &low);
    to->displacement_high[a] = high;
    to->displacement_low[a] = low;
    if (angle.m != 0ul) double_divide(turn + a, &angle, turn + a);
    split_double(turn + a, &high, &low);
    to->axis[a] = high;
    to->axis_low[a] = low;
    to->arm[a] = of_parts != 0u ? offsets[3u * item + a] : 0.0f;
  }
  split_double(&angle, &high, &low);
  to->angle_high = high;
  to->angle_low = low;
  to->unused[0] = to->unused[1] = to->unused[2] = 0u;
}

// `bits` hold any body's index, and `bodies`, their number, which stands for terrain.
__attribute__((vec_type_hint(float4))) __kernel void queries_impact_keys(const uint count, const uint bodies,
                                                                         const uint bits, const uint of_parts,
                                                                         __global const uint* body_of,
                                                                         __global const ImpactRecord* impacts,
                                                                         __global ulong* keys, __global uint* order) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  const uint a = impacts[item].body_a, b = impacts[item].body_b;
  const uint body_b = b == HIT_TERRAIN ? bodies : (of_parts != 0u ? body_of[b] : b);
  keys[item] = (ulong)(of_parts != 0u ? body_of[a] : a) << bits | body_b;
  order[item] = item;
}

__attribute__((vec_type_hint(float4))) __kernel void queries_first_impacts(const uint count, __global const ulong* keys,
                                                                           __global uint* firsts) {
  const uint item = (uint)get_global_id(0);
  if (item < count) firsts[item] = item == 0u || keys[item - 1u] != keys[item] ? 1u : 0u;
}

// Of two impacts of a pair: a is earlier, or of lower parts or a lower element at the same time.
bool comes_first(__global const ImpactRecord* a, __global const ImpactRecord* b) {
  if (a->time_high != b->time_high) return a->time_high < b->time_high;
  if (a->time_low != b->time_low) return a->time_low < b->time_low;
  if (a->body_a != b->body_a) return a->body_a < b->body_a;
  return a->body_b != b->body_b ? a->body_b < b->body_b : a->element < b->element;
}

// One work-item an impact in the order of keys: the first of a pair's writes that of the pair. is_far: of each body of
// the scene, whether points on it are from the other one.
__attribute__((vec_type_hint(float4))) __kernel void queries_device_impacts(
    const uint count, __global const ulong* keys, __global const uint* order, __global const uint* firsts,
    __global const uint* indices, const uint of_parts, __global const uint* body_of, __global const uint* first_parts,
    __global const float* offsets, __global const uchar* is_far, __global const ImpactRecord* impacts,
    __global oclide_device_impact* found) {
  const uint item = (uint)get_global_id(0);
  if (item >= count || firsts[item] == 0u) return;
  __global const ImpactRecord* best = impacts + order[item];
  for (uint k = item + 1u; k < count && keys[k] == keys[item]; ++k)
    if (comes_first(impacts + order[k], best)) best = impacts + order[k];
  const uint part_a = best->body_a, part_b = best->body_b;
  const uint origin = is_far[part_a] != 0 ? part_b : part_a;
  oclide_device_impact to;
  to.time = without_negative_zero(best->time_high);
  to.time_low = without_negative_zero(best->time_low);
  to.body_a = part_a;
  to.body_b = part_b == HIT_TERRAIN ? OCLIDE_DEVICE_TERRAIN : part_b;
  to.origin = origin;
  to.shape_a = to.shape_b = 0;
  if (of_parts != 0u) {
    to.body_a = body_of[part_a];
    to.shape_a = (ushort)(part_a - first_parts[to.body_a]);
    to.origin = body_of[origin];
    if (part_b != HIT_TERRAIN) {
      to.body_b = body_of[part_b];
      to.shape_b = (ushort)(part_b - first_parts[to.body_b]);
    }
  }
  for (uint a = 0u; a < 3u; ++a) {
    const float from = of_parts != 0u ? offsets[3u * origin + a] : 0.0f;
    to.point[a] = without_negative_zero(best->point[a] + from);
    to.normal[a] = without_negative_zero(best->normal[a]);
  }
  to.element = best->element;
  to.material = best->material;
  found[indices[item]] = to;
}
