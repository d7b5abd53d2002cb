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
// Of the groups [first_group, first_group + count). Writes counts[leaf - 8 first_group], the number of its
// pairs, and the pairs themselves with their kinds and places, in no order, into a store of which `stored` counts the
// used part: pairs that do not fit are only counted, and the host runs the kernel again with more room.
//
// In a frame in which few bodies moved (broad_phase_moved_pairs) each moved leaf goes through the whole tree by itself.
//
// Reference: host/reference/broad_phase/body_pairs.cpp. Host: host/broad_phase/body_pairs.cpp.
#include "broad_phase/body_tree.clh"
#include "broad_phase/pair_filter.clh"
#include "launch/body_margin.clh"
#include "launch/fetch_early.clh"
#include "launch/item_run.clh"
#include "math/lanes.clh"
#include "math/level_bits.clh"
#include "math/two_float.clh"
#include "shapes/body.clh"
#include "shared/pairs.h"
#pragma OPENCL FP_CONTRACT OFF

// The kind of each pair of shapes, the lower number first; of all others, which never meet, no one asks.
#define KIND_OF_PAIR(FIRST, first, SECOND, second) \
  [SHAPE_##FIRST * SHAPES_END + SHAPE_##SECOND] = KIND_##FIRST##_##SECOND,
__constant uint pair_kinds[SHAPES_END * SHAPES_END] = {OCLIDE_PAIRS(KIND_OF_PAIR)};

// Pairs that a work-item gathers before it takes room for them; on a GPU in local memory, side by side with those of
// its group.
#if OCLIDE_LANES == 1
#define KEPT 8u
#define KEPT_SPACE __local
#define DECLARE_KEPT                           \
  __local uint2 kept_pairs[KEPT * LONE_GROUP]; \
  __local uint kept_kinds[KEPT * LONE_GROUP];  \
  __local uint kept_of_group[LONE_GROUP];      \
  const uint own_place = (uint)get_local_id(0);
#define KEPT_STRIDE LONE_GROUP
#else
#define KEPT 32u
#define KEPT_SPACE __private
#define DECLARE_KEPT      \
  uint2 kept_pairs[KEPT]; \
  uint kept_kinds[KEPT];  \
  const uint own_place = 0u;
#define KEPT_STRIDE 1u
#endif

typedef struct PairSink {
  KEPT_SPACE uint2* pair;
  KEPT_SPACE uint* kind;
  uint kept, capacity;
  __global uint* stored;
  __global uint2* pairs;
  __global uint* kinds;
  __global uint* order;
} PairSink;

// What is kept, to the store from `at` on, as far as there is room.
void write_pairs(PairSink* sink, uint at) {
  const uint room = at < sink->capacity ? min(sink->kept, sink->capacity - at) : 0u;
  for (uint k = 0u; k < room; ++k) {
    sink->pairs[at + k] = sink->pair[k * KEPT_STRIDE];
    sink->kinds[at + k] = sink->kind[k * KEPT_STRIDE];
    sink->order[at + k] = at + k;
  }
  sink->kept = 0u;
}

// Room for so many pairs. Where their number goes round the frame is done again.
uint take_room(__global uint* found, uint count) {
  const uint at = atomic_add(found + FOUND_PAIRS, count);
  if (at + count < at) atomic_inc(found + FOUND_MISSED);
  return at;
}

void flush_pairs(PairSink* sink) {
  if (sink->kept != 0u) write_pairs(sink, take_room(sink->stored, sink->kept));
}

#if OCLIDE_LANES == 1
// What all work-items of the group have left, with one addition to the counter.
void flush_group(PairSink* sink, __local uint* kept_of_group) {
  const uint item = (uint)get_local_id(0), items = (uint)get_local_size(0);
  kept_of_group[item] = sink->kept;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint before = 0u, all = 0u;
  for (uint k = 0u; k < items; ++k) {
    if (k == item) before = all;
    all += kept_of_group[k];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0u) kept_of_group[0] = all != 0u ? take_room(sink->stored, all) : 0u;
  barrier(CLK_LOCAL_MEM_FENCE);
  write_pairs(sink, kept_of_group[0] + before);
}
#endif

void add_pair(PairSink* sink, uint leaf, uint shape, uint other, uint other_shape) {
  const bool turned = other_shape < shape;
  const uint first = turned ? other : leaf, second = turned ? leaf : other;
  sink->pair[sink->kept * KEPT_STRIDE] = (uint2)(first, second);
  sink->kind[sink->kept * KEPT_STRIDE] = pair_kinds[min(shape, other_shape) * SHAPES_END + max(shape, other_shape)];
  sink->kept += 1u;
  if (sink->kept == KEPT) flush_pairs(sink);
}

// Can the body reach the half space? Its quaternion may be of any length. Rounding goes to the safe side.
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
  const float ww_zz = q[0] * q[0] + q[3] * q[3], xx_yy = q[1] * q[1] + q[2] * q[2];
  const float3 n = (float3)(2.0f * (q[1] * q[3] + q[0] * q[2]), 2.0f * (q[2] * q[3] - q[0] * q[1]), ww_zz - xx_yy);
  const float length = ww_zz + xx_yy;
  const float slack = 1e-6f * (((abs_f(d.x) + abs_f(d.y)) + abs_f(d.z)) + body->radius_bound) + 1e-6f;
  return dot3(d, n) <= reach_along(shape, body, -n) + (margin + slack) * length;
}

// Pairs of a leaf with the half spaces of its environment; their number.
uint meet_half_spaces(uint leaf, uint leaves, __global const BodyState* states, __global const uint* hulls,
                      __global const PairBody* bodies, uint filters, __global const ulong* excluded,
                      __global const uint* offsets, __global const uint* list, float margin,
                      __global const float* margins, PairSink* sink) {
  __global const BodyState* state = states + leaf;
  const uint environment = bodies[state->record].environment;
  const uint first = offsets[environment], last = offsets[environment + 1u];
  uint found = 0u;
  if (first == last || state->shape == SHAPE_NONE) return found;
  const Body body =
      body_at(state->shape, (float3)(state->size[0], state->size[1], state->size[2]), state->orientation[0],
              state->orientation[1], state->orientation[2], state->orientation[3], hulls);
  if (state->shape == SHAPE_TRIANGLE_MESH) return found;
  for (uint h = first; h < last; ++h) {
    const uint other = leaves + list[h];
    if (!reaches(state->shape, &body, state, states + other,
                 pair_margin(margin, margins, state->body, states[other].body)))
      continue;
    if (filters != 0u && !may_meet(bodies + state->record, bodies + states[other].record, excluded)) continue;
    add_pair(sink, leaf, state->shape, other, SHAPE_HALF_SPACE);
    found += 1u;
  }
  return found;
}

// The groups under those boxes of a group; `first_below`: of the level below.
void fetch_groups(uint level, uint first_below, uint group, uint bits, __global const float* boxes,
                  __global const float* spheres) {
  for (; FETCHES_EARLY && bits != 0u; bits &= bits - 1u) {
    const size_t below = group * GROUP_WIDTH + lowest_bit(bits);
    __global const float* box = boxes + (first_below + below) * GROUP_FLOATS;
    for (uint line = 0u; line < GROUP_FLOATS; line += 16u) FETCH_EARLY(box + line);
    if (level == 1u) FETCH_EARLY(spheres + below * LEAF_SPHERE_FLOATS);
  }
}

uint boxes_or_leaves_met(__global const float* boxes, __global const float* spheres, uint level, uint group, float3 low,
                         float3 high, uint environment, float diameter) {
  return level == 0u ? leaves_met(boxes, spheres, group, low, high, environment, diameter)
                     : boxes_met(boxes, group, low, high, environment, environment);
}

// Boxes still to be visited in the group of each level; on a GPU a byte a level, where an array would be memory.
#if OCLIDE_LANES == 1
typedef LevelBits BoxesLeft;
#define boxes_left level_bits
#define set_boxes_left set_level_bits
#else
typedef struct BoxesLeft {
  uint of_level[MAX_LEVELS];
} BoxesLeft;

uint boxes_left(const BoxesLeft* left, uint level) {
  return left->of_level[level];
}
void set_boxes_left(BoxesLeft* left, uint level, uint bits) {
  left->of_level[level] = bits;
}
#endif

// Bits of the boxes of a group that are not wholly to the left of the leaf.
uint not_before(uint leaf, uint level, uint group) {
  const uint own = leaf >> 3u * level;
  return own / GROUP_WIDTH == group ? (0xFFu << own % GROUP_WIDTH) & 0xFFu : (own / GROUP_WIDTH < group ? 0xFFu : 0u);
}

// Pairs of a leaf with the leaves after it (`after`), or with all that it may meet: of two that moved, by the number
// `move`, the one with the lower number has the pair. Then those with half spaces. Their number.
__attribute__((always_inline)) uint meet_tree(uint leaf, bool after, uint move, uint leaves, uint levels,
                                              __global const uint* level_group, __global const float* boxes,
                                              __global const float* spheres, __global const BodyState* states,
                                              __global const uint* hulls, __global const PairBody* bodies, uint filters,
                                              __global const ulong* excluded, __global const uint* half_space_offsets,
                                              __global const uint* half_space_list, uint half_spaces, float margin,
                                              __global const float* margins, PairSink* sink) {
  __global const float* own = boxes + (size_t)(leaf / GROUP_WIDTH) * GROUP_FLOATS + leaf % GROUP_WIDTH;
  const float3 low = (float3)(own[0], own[8], own[16]), high = (float3)(own[24], own[32], own[40]);
  const uint environment = ((__global const uint*)own)[48];
  const float diameter = diameter_of(spheres, leaf);
  uint found = 0u;
  BoxesLeft left;
#if OCLIDE_LANES == 1
  left.lower = left.upper = 0ul;
#endif
  uint level = levels, group = 0u, next = 0u;  // `next`: the group of the level below
  bool down = true;
  while (true) {
    if (down) {
      --level;
      group = next;
      uint met =
          boxes_or_leaves_met(boxes, spheres, level, level_group[level] + group, low, high, environment, diameter);
      if (after) met &= not_before(leaf, level, group);
      set_boxes_left(&left, level, met);
      if (level > 0u) fetch_groups(level, level_group[level - 1u], group, met, boxes, spheres);
    }
    const uint bits = boxes_left(&left, level);
    down = false;
    if (bits == 0u) {
      if (level + 1u == levels) break;
      ++level;
      group >>= 3;
      continue;
    }
    set_boxes_left(&left, level, bits & (bits - 1u));
    const uint below = group * GROUP_WIDTH + lowest_bit(bits);
    if (level > 0u) {
      next = below;
      down = true;
      continue;
    }
    if (below == leaf || (!after && below < leaf && move_of(spheres, below) == move)) continue;
    if (filters != 0u && !may_meet(bodies + states[leaf].record, bodies + states[below].record, excluded)) continue;
    const uint shape = shape_of(spheres, leaf), other_shape = shape_of(spheres, below);
    if (are_meshes(shape, other_shape)) continue;
    add_pair(sink, leaf, shape, below, other_shape);
    found += 1u;
  }
  if (half_spaces != 0u)
    found += meet_half_spaces(leaf, leaves, states, hulls, bodies, filters, excluded, half_space_offsets,
                              half_space_list, margin, margins, sink);
  return found;
}

#if OCLIDE_LANES != 1
// What the eight leaves of a group have in common while they go through the tree.
typedef struct QueryLeaves {
  float3 low[GROUP_WIDTH], high[GROUP_WIDTH];
  float diameter[GROUP_WIDTH];
  uint environment[GROUP_WIDTH], shape[GROUP_WIDTH], record[GROUP_WIDTH], found[GROUP_WIDTH];
  uint first_leaf, count;  // leaves of the group that there are
} QueryLeaves;

// Pairs of the query leaves named in `who` with the leaves of a group, their own or one to the right.
void meet_leaves(QueryLeaves* s, uint who, uint group, __global const float* boxes, __global const float* spheres,
                 __global const BodyState* states, __global const PairBody* bodies, uint filters,
                 __global const ulong* excluded, PairSink* sink) {
  // In the byte of each leaf: which query leaves meet it.
  int8 query_leaves = 0;
  for (who &= (1u << s->count) - 1u; who != 0u; who &= who - 1u) {
    const uint k = lowest_bit(who);
    query_leaves |= (1 << k) & boxes8_met(boxes, group, s->low[k], s->high[k], s->environment[k], s->environment[k]) &
                    spheres8_met(boxes, spheres, group, s->low[k], s->high[k], s->diameter[k]);
  }
  if (group * GROUP_WIDTH == s->first_leaf) query_leaves &= (int8)(0, 1, 3, 7, 15, 31, 63, 127);
  for (ulong bits = as_ulong(convert_uchar8(query_leaves)); bits != 0ul; bits &= bits - 1ul) {
    const uint bit = 63u - (uint)clz(bits & (0ul - bits)), k = bit % GROUP_WIDTH;
    const uint other = group * GROUP_WIDTH + bit / GROUP_WIDTH;
    if (filters != 0u && !may_meet(bodies + s->record[k], bodies + states[other].record, excluded)) continue;
    const uint other_shape = shape_of(spheres, other);
    if (are_meshes(s->shape[k], other_shape)) continue;
    add_pair(sink, s->first_leaf + k, s->shape[k], other, other_shape);
    s->found[k] += 1u;
  }
}
#endif

__attribute__((vec_type_hint(float4))) __kernel void broad_phase_body_pairs(
    const uint first_group, const uint count, const uint leaves, const uint levels, __global const uint* level_group,
    __global const float* boxes, __global const float* spheres, __global const BodyState* states,
    __global const uint* hulls, __global const PairBody* bodies, const uint filters, __global const ulong* excluded,
    __global const uint* half_space_offsets, __global const uint* half_space_list, const uint half_spaces,
    const float margin, __global const float* margins, __global uint* counts, const uint capacity,
    __global uint* stored, __global uint2* pairs, __global uint* kinds, __global uint* order) {
#if OCLIDE_LANES == 1
  DECLARE_KEPT
  PairSink sink = {kept_pairs + own_place, kept_kinds + own_place, 0u, capacity, stored, pairs, kinds, order};
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
  DECLARE_KEPT
  PairSink sink = {kept_pairs + own_place, kept_kinds + own_place, 0u, capacity, stored, pairs, kinds, order};

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
    s.found[k] += meet_half_spaces(s.first_leaf + k, leaves, states, hulls, bodies, filters, excluded,
                                   half_space_offsets, half_space_list, margin, margins, &sink);
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
  DECLARE_KEPT
  PairSink sink = {kept_pairs + own_place, kept_kinds + own_place, 0u, capacity, stored, pairs, kinds, order};
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

// The pairs by kind, in no order beside that: pair_kinds counts those of each, order_pairs gives each pair a place. Of
// `room` pairs at most; the work-groups share them evenly. On a CPU, whose groups have one work-item each, these take
// long runs.
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
  const uint item = (uint)get_local_id(0), items = (uint)get_local_size(0);
  for (uint k = item; k < PAIR_KINDS; k += items) counts[k] = 0u;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = run.first + item; k < run.last; k += items) INCREMENT(counts + kinds[k]);
  barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel void broad_phase_pair_kinds(const uint room, __global const uint* kinds, __global uint* found) {
  __local uint counts[PAIR_KINDS];
  const uint item = (uint)get_local_id(0), items = (uint)get_local_size(0);
  count_kinds(pairs_of_group(found, room), kinds, counts);
  for (uint k = item; k < PAIR_KINDS; k += items)
    if (counts[k] != 0u) atomic_add(found + FOUND_KINDS + k, counts[k]);
}

// `launched`: bits of the kinds whose kernels will be asked for.
__kernel void broad_phase_order_pairs(const uint room, const ulong launched, __global const uint* kinds,
                                      __global uint* found, __global uint* order) {
  __local uint places[PAIR_KINDS];
  const uint item = (uint)get_local_id(0), items = (uint)get_local_size(0);
  const ItemRun run = pairs_of_group(found, room);
  count_kinds(run, kinds, places);
  for (uint k = item; k < PAIR_KINDS; k += items) {
    const bool first = get_group_id(0) == 0;
    if (!first && places[k] == 0u) continue;
    uint begin = 0u;
    for (uint before = 0u; before < k; ++before) begin += found[FOUND_KINDS + before];
    if (first) {
      found[FOUND_BEGIN(PAIR_KINDS) + k] = begin;
      if ((launched >> k & 1ul) == 0ul && found[FOUND_KINDS + k] > 0u)
        atomic_add(found + FOUND_MISSED, found[FOUND_KINDS + k]);
    }
    if (places[k] != 0u) places[k] = begin + atomic_add(found + FOUND_TAKEN(PAIR_KINDS) + k, places[k]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = run.first + item; k < run.last; k += items) order[INCREMENT(places + kinds[k])] = k;
}
