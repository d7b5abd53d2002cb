// Moving bodies, first half: what each body sweeps over a frame, and which half spaces that may meet (docs/motion.md).
//
//   swept_boxes         per leaf of the bodies' tree: a box and a bounding sphere of all that its body sweeps. The
//                       boxes of all levels come of broad_phase/body_tree.cl, pairs of leaves of
//                       broad_phase/body_pairs.cl
//   sweep_half_spaces   per leaf: the half spaces that it may come to
//   sweep_meetings      per pair: may the bounding spheres of the two meet at some time? Those in a list
//
// Host: host/queries/motion_sweep.cpp.
#include "broad_phase/body_tree.clh"
#include "broad_phase/pair_filter.clh"
#include "launch/fetch_early.clh"
#include "motion/moving.clh"
#pragma OPENCL FP_CONTRACT OFF

#define LEAVES_AHEAD 8u
#define SWEPT_ROOM 1e-4f  // [m] pairs that come so near may touch

// How far from its position a point of a leaf's body can be: its box may be about another place.
float leaf_radius(__global const float* box, float diameter, float3 centre) {
  const float3 middle = (float3)(box[0] + box[24], box[8] + box[32], box[16] + box[40]) * 0.5f;
  return 0.5f * diameter + length3(middle - centre);
}

// `entries` are leaves and empty boxes after them.
__attribute__((vec_type_hint(float4))) __kernel void queries_swept_boxes(
    const uint entries, const uint leaves, __global const BodyState* states, __global const MotionRecord* motion,
    __global const float* boxes, __global const float* spheres, __global float* swept, __global float* swept_spheres) {
  const uint leaf = (uint)get_global_id(0);
  if (leaf >= entries) return;
  __global const float* own = boxes + (size_t)(leaf / GROUP_WIDTH) * GROUP_FLOATS + leaf % GROUP_WIDTH;
  store_environments(swept, leaf, ((__global const uint*)own)[48u], ((__global const uint*)own)[56u]);
  if (leaf >= leaves || states[leaf].shape == SHAPE_NONE) {
    store_box(swept, leaf, (float3)(MAXFLOAT, MAXFLOAT, MAXFLOAT), (float3)(-MAXFLOAT, -MAXFLOAT, -MAXFLOAT));
    store_leaf_sphere(swept_spheres, leaf, 0.0f, 0u, 0u);
    return;
  }
  __global const BodyState* s = states + leaf;
  if (FETCHES_EARLY && leaf + LEAVES_AHEAD < leaves) FETCH_EARLY(motion + s[LEAVES_AHEAD].body);
  Moving m;
  m.shape = s->shape;
  m.orientation = (float4)(s->orientation[0], s->orientation[1], s->orientation[2], s->orientation[3]);
  set_motion(&m, motion + s->body);
  const float3 centre = (float3)(s->position_high[0], s->position_high[1], s->position_high[2]);
  const float3 step = high_of(m.displacement);
  float3 low = (float3)(own[0], own[8], own[16]), high = (float3)(own[24], own[32], own[40]);
  float diameter = diameter_of(spheres, leaf);
  if (turns(&m)) {
    const float radius = leaf_radius(own, diameter, centre), aside = radius - 0.5f * diameter;
    const float turned = turning_reach(&m, radius), most = moving_reach(&m, radius);
    const float3 least = centre - most, farthest = centre + most;
    low -= turned;
    high += turned;
    low = (float3)(max_f(low.x, least.x), max_f(low.y, least.y), max_f(low.z, least.z));
    high = (float3)(min_f(high.x, farthest.x), min_f(high.y, farthest.y), min_f(high.z, farthest.z));
    diameter = 2.0f * min_f(0.5f * diameter + turned, most + aside);
  }
  const float3 size = ((float3)(abs_f(centre.x), abs_f(centre.y), abs_f(centre.z)) +
                       (float3)(abs_f(step.x), abs_f(step.y), abs_f(step.z))) +
                      (high - low);
  const float3 room = size * 1e-6f + SWEPT_ROOM;
  store_box(swept, leaf, (low + (float3)(min_f(step.x, 0.0f), min_f(step.y, 0.0f), min_f(step.z, 0.0f))) - room,
            (high + (float3)(max_f(step.x, 0.0f), max_f(step.y, 0.0f), max_f(step.z, 0.0f))) + room);
  store_leaf_sphere(swept_spheres, leaf, (diameter + length3(step)) + 4.0f * ((room.x + room.y) + room.z), m.shape, 0u);
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

// Pairs of a leaf and a half space go into `pairs`, which has room for `capacity`, from `stored` on. Adds all of them
// to counts[item].
__attribute__((vec_type_hint(float4))) __kernel void queries_sweep_half_spaces(
    const uint first_leaf, const uint count, const uint leaves, __global const BodyState* states,
    __global const MotionRecord* motion, __global const float* boxes, __global const float* spheres,
    __global const PairBody* bodies, __global const ulong* excluded, __global const uint* half_space_offsets,
    __global const uint* half_space_list, __global uint* counts, const uint capacity, __global uint* stored,
    __global uint2* pairs) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  const uint leaf = first_leaf + item;
  __global const BodyState* s = states + leaf;
  __global const PairBody* own = bodies + s->record;
  const uint begin = half_space_offsets[own->environment], end = half_space_offsets[own->environment + 1u];
  if (s->shape == SHAPE_TRIANGLE_MESH || s->shape == SHAPE_NONE || begin == end) return;
  const Moving m = moving_body(s, motion + s->body);
  __global const float* box = boxes + (size_t)(leaf / GROUP_WIDTH) * GROUP_FLOATS + leaf % GROUP_WIDTH;
  const float reach = moving_reach(&m, leaf_radius(box, diameter_of(spheres, leaf), high_of(m.position)));
  for (uint k = begin; k < end; ++k) {
    const uint other = leaves + half_space_list[k];
    __global const BodyState* h = states + other;
    if (!may_meet(own, bodies + h->record, excluded) || !sweeps_half_space(&m, reach, h, motion + h->body)) continue;
    ++counts[item];
    const uint at = atomic_inc(stored);
    if (at < capacity) pairs[at] = (uint2)(leaf, other);
  }
}

// What a meeting asks of a leaf: as moving_reach().
float swept_reach(uint leaf, __global const BodyState* s, __global const MotionRecord* motion,
                  __global const float* boxes, __global const float* spheres) {
  __global const float* box = boxes + (size_t)(leaf / GROUP_WIDTH) * GROUP_FLOATS + leaf % GROUP_WIDTH;
  const float3 centre = (float3)(s->position_high[0], s->position_high[1], s->position_high[2]);
  const float radius = leaf_radius(box, diameter_of(spheres, leaf), centre);
  __global const float* arm = motion->arm;
  return motion->angle_high != 0.0f ? (radius + 2.0f * length3((float3)(arm[0], arm[1], arm[2]))) * 1.00001f : radius;
}
// From one to the other, of numbers in two floats.
float3 between(__global const float* high, __global const float* low, __global const float* other_high,
               __global const float* other_low) {
  return (float3)((other_high[0] - high[0]) + (other_low[0] - low[0]),
                  (other_high[1] - high[1]) + (other_low[1] - low[1]),
                  (other_high[2] - high[2]) + (other_low[2] - low[2]));
}

// Pairs with a half space all are in the list, which has room for all.
__attribute__((vec_type_hint(float4))) __kernel void queries_sweep_meetings(
    const uint count, const uint leaves, __global const uint2* pairs, __global const BodyState* states,
    __global const MotionRecord* motion, __global const float* boxes, __global const float* spheres,
    __global uint* stored, __global uint2* meetings) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  const uint2 pair = pairs[item];
  if (FETCHES_EARLY && item + LEAVES_AHEAD < count) {
    const uint2 later = pairs[item + LEAVES_AHEAD];
    FETCH_EARLY(motion + states[later.x].body);
    FETCH_EARLY(motion + states[later.y].body);
  }
  if (pair.x < leaves && pair.y < leaves) {
    __global const BodyState* a = states + pair.x;
    __global const BodyState* b = states + pair.y;
    __global const MotionRecord* of_a = motion + a->body;
    __global const MotionRecord* of_b = motion + b->body;
    const float2 times = times_within(
        between(a->position_high, a->position_low, b->position_high, b->position_low),
        between(of_a->displacement_high, of_a->displacement_low, of_b->displacement_high, of_b->displacement_low),
        swept_reach(pair.x, a, of_a, boxes, spheres) + swept_reach(pair.y, b, of_b, boxes, spheres));
    if (times.x > times.y) return;
  }
  meetings[atomic_inc(stored)] = pair;
}
