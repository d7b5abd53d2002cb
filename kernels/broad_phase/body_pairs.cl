// Broad phase of bodies, second half: for every leaf of the tree (broad_phase/body_tree.clh) the leaves after it whose
// boxes and spheres meet its own and which the filters let it meet, and the half spaces of its environment that it can
// reach.
//
// On a GPU each leaf goes through the tree by itself, past what is to its left: a work-item a leaf. Elsewhere eight
// neighbours on the curve, a group of level 0, go together, with the box that holds them all: a work-item a group. They
// look at what is to their right, level by level: the rest of the level's group, of the group above, and so on; and go
// down where a box meets theirs. No group is seen twice, none before their own. Where a group of leaves is reached,
// each of the eight is held against its eight boxes.
//
// Of the groups [first_group, first_group + count). Writes counts[leaf - 8 first_group], the number of its pairs, and
// the pairs themselves with their kinds, in no order, into a store of which `stored` counts the used part.
// Pairs that do not fit are only counted, and the host runs the kernel again with more room.
//
// In an incremental frame (broad_phase_moved_pairs) each moved leaf goes through the whole tree by itself.
//
// Reference: host/reference/broad_phase/body_pairs.cpp. Host: host/broad_phase/body_pairs.cpp.
#include "broad_phase/group_pairs.clh"
#include "broad_phase/half_space_pairs.clh"
#include "broad_phase/leaf_pairs.clh"
#include "launch/item_run.clh"
#pragma OPENCL FP_CONTRACT OFF

__attribute__((vec_type_hint(float4))) __kernel void broad_phase_body_pairs(
    const uint first_group, const uint count, const uint leaves, const uint levels, __global const uint* level_group,
    __global const float* boxes, __global const float* spheres, __global const BodyState* states,
    __global const uint* hulls, __global const PairBody* bodies, const uint filters, __global const ulong* excluded,
    __global const uint* half_space_offsets, __global const uint* half_space_list, const uint half_spaces,
    const float margin, __global const float* margins, __global uint* counts, const uint capacity,
    __global uint* stored, __global uint2* pairs, __global uint* kinds, __global uint* order) {
#if OCLIDE_LANES == 1
  DECLARE_SINK
  const uint item = (uint)get_global_id(0), leaf = first_group * GROUP_WIDTH + item;
  if (item < count * GROUP_WIDTH && leaf < leaves)
    counts[item] =
        meet_tree(leaf, true, 0u, leaves, levels, level_group, boxes, spheres, states, hulls, bodies, filters, excluded,
                  half_space_offsets, half_space_list, half_spaces, margin, margins, &sink);
  flush_group(&sink, kept_of_group);
#else
  if (get_global_id(0) >= count) return;
  const uint own_group = first_group + (uint)get_global_id(0);
  QueryLeaves s;
  s.first_leaf = own_group * GROUP_WIDTH;
  s.count = min(leaves - s.first_leaf, GROUP_WIDTH);
  float3 low = (float3)(MAXFLOAT, MAXFLOAT, MAXFLOAT), high = -low;
  uint low_environment = 0xFFFFFFFFu, high_environment = 0u;
  __global const float* own = boxes + (size_t)own_group * GROUP_FLOATS;
  for (uint k = 0u; k < s.count; ++k) {
    s.low[k] = (float3)(own[k], own[8u + k], own[16u + k]);
    s.high[k] = (float3)(own[24u + k], own[32u + k], own[40u + k]);
    s.diameter[k] = diameter_of(spheres, s.first_leaf + k);
    s.environment[k] = ((__global const uint*)own)[48u + k];
    s.shape[k] = shape_of(spheres, s.first_leaf + k);
    s.record[k] = filters != 0u ? states[s.first_leaf + k].record : 0u;
    s.found[k] = 0u;
    low = (float3)(min_f(low.x, s.low[k].x), min_f(low.y, s.low[k].y), min_f(low.z, s.low[k].z));
    high = (float3)(max_f(high.x, s.high[k].x), max_f(high.y, s.high[k].y), max_f(high.z, s.high[k].z));
    low_environment = min(low_environment, s.environment[k]);
    high_environment = max(high_environment, s.environment[k]);
  }
  DECLARE_SINK

  meet_leaves(&s, 0xFFu, own_group, boxes, spheres, states, bodies, filters, excluded, &sink);
  uint left[MAX_LEVELS];  // boxes still to be visited in the group of each level
  for (uint top = 1u; top < levels; ++top) {
    const uint entry = s.first_leaf >> (3u * top);  // the box of this level that holds the query leaves
    uint level = top, group = entry >> 3;
    left[top] = boxes_met(boxes, level_group[top] + group, low, high, low_environment, high_environment) &
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
      const uint below = group * GROUP_WIDTH + lowest_bit(bits);
      if (level == 1u) {
        // Of the eight only those that meet the box of the group.
        __global const float* b = boxes + (size_t)(level_group[1] + group) * GROUP_FLOATS + (below & 7u);
        const uint who = boxes_met(boxes, own_group, (float3)(b[0], b[8], b[16]), (float3)(b[24], b[32], b[40]),
                                   ((__global const uint*)b)[48], ((__global const uint*)b)[56]);
        meet_leaves(&s, who, below, boxes, spheres, states, bodies, filters, excluded, &sink);
        continue;
      }
      --level;
      group = below;
      left[level] = boxes_met(boxes, level_group[level] + group, low, high, low_environment, high_environment);
    }
  }

  for (uint k = 0u; half_spaces != 0u && k < s.count; ++k)
    s.found[k] +=
        meet_half_spaces(s.first_leaf + k, s.low[k], s.high[k], s.environment[k], leaves, states, hulls, bodies,
                         filters, excluded, half_space_offsets, half_space_list, margin, margins, &sink);
  flush_pairs(&sink);
  for (uint k = 0u; k < s.count; ++k) counts[s.first_leaf + k - first_group * GROUP_WIDTH] = s.found[k];
#endif
}

// One work-item a moved leaf: all leaves that it may meet, and half spaces. Two moved leaves are a pair of the one with
// the lower number: `move` is that of those that moved. counts[item] is the number of its pairs.
__attribute__((vec_type_hint(float4))) __kernel void broad_phase_moved_pairs(
    const uint count, __global const uint* moved_leaves, const uint move, const uint leaves, const uint levels,
    __global const uint* level_group, __global const float* boxes, __global const float* spheres,
    __global const BodyState* states, __global const uint* hulls, __global const PairBody* bodies, const uint filters,
    __global const ulong* excluded, __global const uint* half_space_offsets, __global const uint* half_space_list,
    const uint half_spaces, const float margin, __global const float* margins, __global uint* counts,
    const uint capacity, __global uint* stored, __global uint2* pairs, __global uint* kinds, __global uint* order) {
  DECLARE_SINK
  const uint item = (uint)get_global_id(0);
  if (item < count)
    counts[item] =
        meet_tree(moved_leaves[item], false, move, leaves, levels, level_group, boxes, spheres, states, hulls, bodies,
                  filters, excluded, half_space_offsets, half_space_list, half_spaces, margin, margins, &sink);
#if OCLIDE_LANES == 1
  flush_group(&sink, kept_of_group);
#else
  flush_pairs(&sink);
#endif
}

// The pairs by kind, in no order beside that: how many there are of each kind has been counted as they were found (on a
// CPU by pair_kinds), and order_pairs gives each pair an index. Of `room` pairs at most; the work-groups share them
// evenly. On a CPU, whose groups have one work-item each, these take long runs.
#if OCLIDE_LANES == 1
#define INCREMENT(counter) atomic_inc(counter)
#else
#define INCREMENT(counter) (*(counter))++
#endif

ItemRun pairs_of_group(__global const uint* found, uint room) {
  const uint count = min(found[FOUND_PAIRS], room), groups = (uint)get_num_groups(0);
  const uint length = count / groups + (count % groups != 0u ? 1u : 0u);
  ItemRun run;
  run.first = min((uint)get_group_id(0) * length, count);
  run.last = run.first + min(length, count - run.first);
  return run;
}

// To be reached by all work-items of the group.
void count_kinds(ItemRun run, __global const uint* kinds, __local uint* counts) {
  clear_kinds(counts);
  for (uint k = run.first + (uint)get_local_id(0); k < run.last; k += (uint)get_local_size(0))
    INCREMENT(counts + kinds[k]);
}

#if OCLIDE_LANES != 1
__kernel void broad_phase_pair_kinds_serial(const uint room, __global const uint* kinds, __global uint* found) {
  __local uint counts[PAIR_KINDS];
  count_kinds(pairs_of_group(found, room), kinds, counts);
  add_kinds(counts, found);
}
#endif

// `launched`: bits of the kinds whose kernels will be asked for. Where the number of pairs went round, more may have
// been stored, one over the other, than there are: then none has an index.
__kernel void broad_phase_order_pairs(const uint room, const ulong launched, __global const uint* kinds,
                                      __global uint* found, __global uint* order) {
  __local uint firsts[PAIR_KINDS];
  const uint item = (uint)get_local_id(0), items = (uint)get_local_size(0);
  const ItemRun run = pairs_of_group(found, room);
  uint counted = 0u;
  for (uint k = 0u; k < PAIR_KINDS; ++k) counted += found[FOUND_KINDS + k];
  if (counted != min(found[FOUND_PAIRS], room)) return;
  count_kinds(run, kinds, firsts);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = item; k < PAIR_KINDS; k += items) {
    const bool first = get_group_id(0) == 0;
    if (!first && firsts[k] == 0u) continue;
    uint begin = 0u;
    for (uint before = 0u; before < k; ++before) begin += found[FOUND_KINDS + before];
    if (first) {
      found[FOUND_BEGIN(PAIR_KINDS) + k] = begin;
      if ((launched >> k & 1ul) == 0ul && found[FOUND_KINDS + k] > 0u)
        atomic_add(found + FOUND_MISSED, found[FOUND_KINDS + k]);
    }
    if (firsts[k] != 0u) firsts[k] = begin + atomic_add(found + FOUND_TAKEN(PAIR_KINDS) + k, firsts[k]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = run.first + item; k < run.last; k += items) order[INCREMENT(firsts + kinds[k])] = k;
}
