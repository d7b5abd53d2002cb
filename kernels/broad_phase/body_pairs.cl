// Broad phase of bodies, second half: for every leaf of the tree (common/body_tree.clh) the leaves after it whose boxes
// meet its own and which the filters let it meet, and the half spaces of its environment that it can reach.
//
// A leaf looks at what is to its right, level by level: the rest of its own group, of the group above, and so on; and
// goes down where a box meets its own. No leaf is seen twice, none before it.
//
// One work-item a leaf of [first_leaf, first_leaf + count). Writes counts[leaf - first_leaf], the number of its pairs,
// and the pairs themselves with their kinds and places, in no order, into a store of which `stored` counts the used part: pairs
// that do not fit are only counted, and the host runs the kernel again with more room.
// Reference: host/reference/broad_phase/body_pairs.cpp. Host: host/broad_phase/body_tree.cpp.
#include "common/body.clh"
#include "common/body_tree.clh"
#include "common/two_float.clh"
#pragma OPENCL FP_CONTRACT OFF

#define KEPT 16u  // pairs that a work-item gathers before it takes room for them

// Row: the lower shape, column: the higher one; as host/narrow_phase/pair_table.hpp.
__constant uint pair_kinds[36] = {0u,  1u,  2u,  3u,  99u, 4u,   //
                                  1u,  5u,  6u,  7u,  99u, 8u,   //
                                  2u,  6u,  9u,  10u, 99u, 11u,  //
                                  3u,  7u,  10u, 12u, 99u, 13u,  //
                                  99u, 99u, 99u, 99u, 99u, 99u,  //
                                  4u,  8u,  11u, 13u, 99u, 99u};

typedef struct PairSink {
  uint2 pair[KEPT];
  uint kind[KEPT];
  uint kept, count, capacity;
  __global uint* stored;
  __global uint2* pairs;
  __global uint* kinds;
  __global uint* order;
} PairSink;

void flush_pairs(PairSink* sink) {
  if (sink->kept == 0u) return;
  const uint at = atomic_add(sink->stored, sink->kept);
  if (at < sink->capacity && sink->kept <= sink->capacity - at)
    for (uint k = 0u; k < sink->kept; ++k) {
      sink->pairs[at + k] = sink->pair[k];
      sink->kinds[at + k] = sink->kind[k];
      sink->order[at + k] = at + k;
    }
  sink->kept = 0u;
}

void add_pair(PairSink* sink, uint leaf, uint shape, uint other, uint other_shape) {
  const bool turned = other_shape < shape;
  sink->pair[sink->kept] = turned ? (uint2)(other, leaf) : (uint2)(leaf, other);
  sink->kind[sink->kept] = pair_kinds[shape * 6u + other_shape];
  sink->kept += 1u;
  sink->count += 1u;
  if (sink->kept == KEPT) flush_pairs(sink);
}

bool may_meet(__global const PairBody* a, __global const PairBody* b) {
  return (a->group == 0u || a->group != b->group) && (a->category & b->mask) != 0u && (b->category & a->mask) != 0u;
}

// Can the body reach the half space? Rounding goes to the safe side.
bool reaches(uint shape, const Body* body, __global const BodyState* s, __global const BodyState* half_space,
             float margin) {
  float3 d;
  const TwoFloat x = two_sub(two_float(s->position_high[0], s->position_low[0]),
                             two_float(half_space->position_high[0], half_space->position_low[0]));
  const TwoFloat y = two_sub(two_float(s->position_high[1], s->position_low[1]),
                             two_float(half_space->position_high[1], half_space->position_low[1]));
  const TwoFloat z = two_sub(two_float(s->position_high[2], s->position_low[2]),
                             two_float(half_space->position_high[2], half_space->position_low[2]));
  d = (float3)(x.hi + x.lo, y.hi + y.lo, z.hi + z.lo);
  __global const float* q = half_space->orientation;
  const float3 n = body_at(SHAPE_HALF_SPACE, (float3)(0.0f, 0.0f, 0.0f), q[0], q[1], q[2], q[3]).z;
  const float slack = 1e-6f * (((abs_f(d.x) + abs_f(d.y)) + abs_f(d.z)) + body->radius_bound) + 1e-6f;
  return dot3(d, n) <= (reach_along(shape, body, n) + margin) + slack;
}

__attribute__((vec_type_hint(float4))) __kernel void broad_phase_body_pairs(
    const uint first_leaf, const uint count, const uint leaves, const uint levels, __global const uint* level_group,
    __global const float* boxes, __global const BodyState* states, __global const PairBody* bodies, const uint filters,
    __global const uint* half_space_offsets, __global const uint* half_space_list, const uint half_spaces,
    const float margin, __global uint* counts, const uint capacity, __global uint* stored, __global uint2* pairs,
    __global uint* kinds, __global uint* order) {
  if (get_global_id(0) >= count) return;
  const uint leaf = first_leaf + (uint)get_global_id(0);
  __global const float* own = boxes + (size_t)(leaf / GROUP_WIDTH) * GROUP_FLOATS + leaf % GROUP_WIDTH;
  const float3 low = (float3)(own[0], own[8], own[16]), high = (float3)(own[24], own[32], own[40]);
  const uint environment = ((__global const uint*)own)[48];
  const uint shape = states[leaf].shape;
  __global const PairBody* self = bodies + states[leaf].record;

  PairSink sink;
  sink.kept = sink.count = 0u;
  sink.capacity = capacity;
  sink.stored = stored;
  sink.pairs = pairs;
  sink.kinds = kinds;
  sink.order = order;

  uint left[MAX_LEVELS];  // boxes still to be visited in the group of each level
  for (uint top = 0u; top < levels; ++top) {
    uint entry = leaf >> (3u * top);
    uint level = top, group = entry >> 3;
    left[top] = boxes_met(boxes, level_group[top] + group, low, high, environment) &
                (0xFEu << (entry & 7u)) & 0xFFu;
    while (true) {
      const uint bits = left[level];
      if (bits == 0u) {
        if (level == top) break;
        ++level;
        group >>= 3;
        continue;
      }
      left[level] = bits & (bits - 1u);
      entry = group * GROUP_WIDTH + lowest_bit(bits);
      if (level > 0u) {
        --level;
        group = entry;
        left[level] = boxes_met(boxes, level_group[level] + group, low, high, environment);
        continue;
      }
      if (filters == 0u || may_meet(self, bodies + states[entry].record))
        add_pair(&sink, leaf, shape, entry, states[entry].shape);
    }
  }

  if (half_spaces != 0u && half_space_offsets[environment] < half_space_offsets[environment + 1u]) {
    __global const BodyState* s = states + leaf;
    const Body body = body_at(shape, (float3)(s->size[0], s->size[1], s->size[2]), s->orientation[0],
                              s->orientation[1], s->orientation[2], s->orientation[3]);
    for (uint k = half_space_offsets[environment]; k < half_space_offsets[environment + 1u]; ++k) {
      const uint other = leaves + half_space_list[k];
      if (!reaches(shape, &body, s, states + other, margin)) continue;
      if (filters == 0u || may_meet(self, bodies + states[other].record))
        add_pair(&sink, leaf, shape, other, SHAPE_HALF_SPACE);
    }
  }
  flush_pairs(&sink);
  counts[leaf - first_leaf] = sink.count;
}

// One work-item a pair, sorted by kind: those of kind k are bounds[k] .. bounds[kinds_in_all + k] - 1; kinds without a
// pair are left alone.
__kernel void broad_phase_pair_kinds(const uint count, __global const uint* kinds, __global uint* bounds,
                                     const uint kinds_in_all) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  if (item == 0u || kinds[item - 1u] != kinds[item]) bounds[kinds[item]] = item;
  if (item + 1u == count || kinds[item + 1u] != kinds[item]) bounds[kinds_in_all + kinds[item]] = item + 1u;
}
