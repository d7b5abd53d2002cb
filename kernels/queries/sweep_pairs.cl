// Moving bodies, first half: boxes around all that each body sweeps over a frame, and the pairs whose boxes meet
// (docs/motion.md).
//
//   swept_boxes   per leaf of the bodies' tree: its box; then the boxes of all levels, by broad_phase/body_tree.cl
//   sweep_pairs   per leaf, twice: how many pairs it has with leaves after it and with half spaces; which
//
// Host: host/queries/motion_sweep.cpp.
#include "broad_phase/body_tree.clh"
#include "broad_phase/pair_filter.clh"
#include "math/level_bits.clh"
#include "motion/moving.clh"
#pragma OPENCL FP_CONTRACT OFF

#define SWEPT_ROOM 1e-4f  // [m] pairs that come so near may touch

__kernel void queries_swept_boxes(const uint entries, const uint leaves, __global const BodyState* states,
                                  __global const MotionRecord* motion, __global const uint* hulls,
                                  __global const float* boxes, __global float* swept) {
  const uint leaf = (uint)get_global_id(0);
  if (leaf >= entries) return;
  __global const uint* own = (__global const uint*)boxes + (size_t)(leaf / GROUP_WIDTH) * GROUP_FLOATS;
  store_environments(swept, leaf, own[48u + leaf % GROUP_WIDTH], own[56u + leaf % GROUP_WIDTH]);
  if (leaf >= leaves || states[leaf].shape == SHAPE_NONE) {
    store_box(swept, leaf, (float3)(MAXFLOAT, MAXFLOAT, MAXFLOAT), (float3)(-MAXFLOAT, -MAXFLOAT, -MAXFLOAT));
    return;
  }
  __global const BodyState* s = states + leaf;
  const Moving m = moving_body(s, motion + s->body);
  const Body body = body_at(m.shape, m.size, m.orientation.x, m.orientation.y, m.orientation.z, m.orientation.w, hulls);
  BodyBox box = body_box(m.shape, &body);
  if (turns(&m)) {
    const float reach = moving_reach(&m, body.radius_bound);
    box.high = (float3)(reach, reach, reach);
    box.low = -box.high;
  }
  const float3 centre = high_of(m.position), step = high_of(m.displacement);
  const float3 size = (float3)(abs_f(centre.x), abs_f(centre.y), abs_f(centre.z)) +
                      (float3)(abs_f(step.x), abs_f(step.y), abs_f(step.z)) + (box.high - box.low);
  const float3 room = size * 1e-6f + SWEPT_ROOM;
  store_box(swept, leaf,
            (centre + box.low) + (float3)(min_f(step.x, 0.0f), min_f(step.y, 0.0f), min_f(step.z, 0.0f)) - room,
            (centre + box.high) + (float3)(max_f(step.x, 0.0f), max_f(step.y, 0.0f), max_f(step.z, 0.0f)) + room);
}

// Of a body, as moving_reach().
float swept_reach(const Moving* m, __global const uint* hulls) {
  const Body body = body_at(m->shape, m->size, 1.0f, 0.0f, 0.0f, 0.0f, hulls);
  return moving_reach(m, body.radius_bound);
}

// May the body come to the half space? Only where neither turns it is told from both ends of the frame.
bool sweeps_half_space(const Moving* m, float reach, __global const BodyState* half_space,
                       __global const MotionRecord* motion) {
  const Moving h = moving_body(half_space, motion);
  if (turns(&h)) return true;
  const float4 q = h.orientation;
  const float length2 = (q.x * q.x + q.w * q.w) + (q.y * q.y + q.z * q.z);
  const float3 n = (float3)(2.0f * (q.y * q.w + q.x * q.z), 2.0f * (q.z * q.w - q.x * q.y),
                            (q.x * q.x + q.w * q.w) - (q.y * q.y + q.z * q.z));
  const float3 begin = way_between(&h, m, two_float(0.0f, 0.0f)), end = way_between(&h, m, two_float(1.0f, 0.0f));
  const float size =
      ((abs_f(begin.x) + abs_f(begin.y)) + abs_f(begin.z)) + ((abs_f(end.x) + abs_f(end.y)) + abs_f(end.z));
  return min_f(dot3(begin, n), dot3(end, n)) <= ((reach + SWEPT_ROOM) + 1e-6f * (size + reach)) * length2;
}

// One work-item a leaf of [first_leaf, first_leaf + count). With `writes` its pairs go to `pairs` from offsets[item]
// on, else their number to offsets[item]: leaves, or from the number of leaves on half spaces.
__kernel void queries_sweep_pairs(const uint count, const uint first_leaf, const uint writes, const uint leaves,
                                  const uint levels, __global const uint* level_group, __global const float* boxes,
                                  __global const BodyState* states, __global const MotionRecord* motion,
                                  __global const uint* hulls, __global const PairBody* bodies,
                                  __global const ulong* excluded, __global const uint* half_space_offsets, __global const uint* half_space_list,
                                  __global uint* offsets, __global uint2* pairs) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  const uint leaf = first_leaf + item;
  __global const BodyState* s = states + leaf;
  __global const PairBody* own = bodies + s->record;
  uint found = 0u;
  const uint first = writes != 0u ? offsets[item] : 0u;
  if (s->shape == SHAPE_NONE) {
    if (writes == 0u) offsets[item] = 0u;
    return;
  }

  const uint begin = half_space_offsets[own->environment], end = half_space_offsets[own->environment + 1u];
  if (s->shape != SHAPE_TRIANGLE_MESH && begin < end) {
    const Moving m = moving_body(s, motion + s->body);
    const float reach = swept_reach(&m, hulls);
    for (uint k = begin; k < end; ++k) {
      const uint other = leaves + half_space_list[k];
      __global const BodyState* h = states + other;
      if (!may_meet(own, bodies + h->record, excluded) || !sweeps_half_space(&m, reach, h, motion + h->body)) continue;
      if (writes != 0u) pairs[first + found] = (uint2)(leaf, other);
      ++found;
    }
  }

  const Moving own_motion = moving_body(s, motion + s->body);
  const float own_reach = swept_reach(&own_motion, hulls);
  __global const float* box = boxes + (size_t)(leaf / GROUP_WIDTH) * GROUP_FLOATS + leaf % GROUP_WIDTH;
  const float3 low = (float3)(box[0], box[8], box[16]), high = (float3)(box[24], box[32], box[40]);
  LevelBits left = no_level_bits();
  uint level = levels, group = 0u, next = 0u;
  bool down = true;
  while (true) {
    if (down) {
      --level;
      group = next;
      set_level_bits(&left, level,
                     boxes_met(boxes, level_group[level] + group, low, high, own->environment, own->environment));
    }
    const uint bits = level_bits(&left, level);
    down = false;
    if (bits == 0u) {
      if (level + 1u == levels) break;
      ++level;
      group >>= 3;
      continue;
    }
    set_level_bits(&left, level, bits & (bits - 1u));
    const uint below = group * GROUP_WIDTH + lowest_bit(bits);
    if (level > 0u) {
      // What is wholly to the left of the leaf has its pairs itself.
      if (((below + 1u) << 3u * level) <= leaf) continue;
      next = below;
      down = true;
      continue;
    }
    if (below <= leaf) continue;
    __global const BodyState* o = states + below;
    if (are_meshes(s->shape, o->shape) || !may_meet(own, bodies + o->record, excluded)) continue;
    const Moving other = moving_body(o, motion + o->body);
    const TwoFloat3 step = two_sub3(other.displacement, own_motion.displacement);
    const float2 near = times_within(way_between(&own_motion, &other, two_float(0.0f, 0.0f)), high_of(step),
                                     own_reach + swept_reach(&other, hulls));
    if (near.x > near.y) continue;
    if (writes != 0u) pairs[first + found] = (uint2)(leaf, below);
    ++found;
  }
  if (writes == 0u) offsets[item] = found;
}
