// Broad phase of bodies, first half: the tree over their boxes (broad_phase/body_tree.clh).
//
//   leaf_keys    per body: environment and size class, then its cell on a Hilbert curve -> sort
//   place_leaves per leaf: which body it is, and the other way round; its environment
// in frames in which the leaves are sorted; in all frames
//   body_states  per body: what the pair kernels need of it, to its leaf
//   leaf_boxes   per leaf: its box and bounding sphere; per box of the three levels above: the union of a group of the
//                level below
//   tree_levels  the same of four levels further up, where they are large, or of all that are left
//
// Where bodies change between frames change_bodies and change_slots write their records.
//
// In an incremental frame move_leaves does what body_states and leaf_boxes do for leaves, of these, and
// moved_groups their level above.
//
// Bodies far larger than most come after the rest of their environment (size class). A small body finds the large ones,
// not the other way round, and no box of many small bodies is blown up by a large one. The order on the curve decides
// how fast pairs are found, not which. Host: host/device_scene/body_tree.cpp.
#include "broad_phase/body_tree.clh"
#include "launch/body_margin.clh"
#include "launch/fetch_early.clh"
#include "shapes/body.clh"
#pragma OPENCL FP_CONTRACT OFF

// Bit k of x goes to bit 3 k, for 20 bits.
ulong spread_bits(uint x) {
  ulong v = x & 0xFFFFFu;
  v = (v | v << 32) & 0x001F00000000FFFFul;
  v = (v | v << 16) & 0x001F0000FF0000FFul;
  v = (v | v << 8) & 0x100F00F00F00F00Ful;
  v = (v | v << 4) & 0x10C30C30C30C30C3ul;
  v = (v | v << 2) & 0x1249249249249249ul;
  return v;
}

uint cell_of(float x, float origin, float cells_per_metre, uint bits) {
  const float cell = (x - origin) * cells_per_metre;
  const float last = (float)((1u << bits) - 1u);
  return cell > 0.0f ? (uint)(cell < last ? cell : last) : 0u;
}

// The number of a cell on a Hilbert curve: the curve of each octant is turned and mirrored so that it begins where the
// one before ends (Skilling 2004: undo the turns from the coarsest level on, then a Gray code), then the bits
// interleaved.
ulong number_on_curve(uint x, uint y, uint z, uint bits) {
  for (uint level = bits - 1u; level > 0u; --level) {
    const uint below = (1u << level) - 1u;
    x ^= (0u - (x >> level & 1u)) & below;
    const uint turned_y = (0u - (y >> level & 1u)) & below, exchange_y = (x ^ y) & (below ^ turned_y);
    x ^= turned_y | exchange_y;
    y ^= exchange_y;
    const uint turned_z = (0u - (z >> level & 1u)) & below, exchange_z = (x ^ z) & (below ^ turned_z);
    x ^= turned_z | exchange_z;
    z ^= exchange_z;
  }
  y ^= x;
  z ^= y;
  uint flips = 0u;
  for (uint level = bits - 1u; level > 0u; --level) flips ^= (0u - (z >> level & 1u)) & ((1u << level) - 1u);
  return spread_bits(x ^ flips) << 2 | spread_bits(y ^ flips) << 1 | spread_bits(z ^ flips);
}

// One work-item a body. keys[i] = key of bodies[i], values[i] = i; bodies beyond `count` are half spaces, whose values
// alone are written.
__kernel void broad_phase_leaf_keys(const uint count, const uint with_half_spaces, __global const PairBody* bodies,
                                    __global const PoseRecord* poses, const float4 origin, const uint bits,
                                    __global ulong* keys, __global uint* values) {
  const uint item = (uint)get_global_id(0);
  if (item >= with_half_spaces) return;
  values[item] = item;
  if (item >= count) return;
  __global const float* p = poses[bodies[item].body].position_high;
  const ulong number = number_on_curve(cell_of(p[0], origin.x, origin.w, bits), cell_of(p[1], origin.y, origin.w, bits),
                                       cell_of(p[2], origin.z, origin.w, bits), bits);
  keys[item] = bodies[item].key << (3u * bits) | number;
}

// What the pair kernels need of a body.
BodyState state_of(uint record, __global const PairBody* b, __global const PoseRecord* poses) {
  __global const PoseRecord* pose = poses + b->body;
  BodyState s;
  for (int a = 0; a < 3; ++a) {
    s.position_high[a] = pose->position_high[a];
    s.position_low[a] = pose->position_low[a];
    s.size[a] = b->size[a];
  }
  for (int a = 0; a < 4; ++a) s.orientation[a] = pose->orientation[a];
  s.shape = b->shape;
  s.body = b->body;
  s.record = record;
  return s;
}

// The box of a body and its bounding sphere, with half of the frame's margin, the body's own, and room for rounding: of
// the centre, of the box's sides, and of what is made of both.
void store_leaf_box(__global float* boxes, __global float* spheres, uint leaf, const BodyState* s, float margin,
                    __global const float* margins, uint move, __global const uint* hulls) {
  if (s->shape == SHAPE_NONE) {
    store_box(boxes, leaf, (float3)(MAXFLOAT, MAXFLOAT, MAXFLOAT), (float3)(-MAXFLOAT, -MAXFLOAT, -MAXFLOAT));
    store_leaf_sphere(spheres, leaf, 0.0f, SHAPE_NONE, move);
    return;
  }
  const Body body = body_at(s->shape, (float3)(s->size[0], s->size[1], s->size[2]), s->orientation[0],
                            s->orientation[1], s->orientation[2], s->orientation[3], hulls);
  const BodyBox box = body_box(s->shape, &body);
  const float3 centre = (float3)(s->position_high[0], s->position_high[1], s->position_high[2]);
  const float3 distance = (float3)(abs_f(centre.x), abs_f(centre.y), abs_f(centre.z));
  const float own = own_margin(margins, s->body), around = 0.5f * margin + own;
  const float3 below = (-box.low + around) + ((distance - box.low) * 4.0e-7f + 1.0e-9f);
  const float3 above = (box.high + around) + ((distance + box.high) * 4.0e-7f + 1.0e-9f);
  store_box(boxes, leaf, centre - below, centre + above);
  // The bounding sphere is around the middle of the box.
  const float radius = is_symmetric(s->shape) ? body.radius_bound : 0.5f * length3(box.high - box.low);
  store_leaf_sphere(spheres, leaf,
                    (2.0f * radius + (margin + 2.0f * own)) * 1.000004f +
                        (((distance.x + distance.y) + distance.z) * 8.0e-7f + 1.0e-9f),
                    s->shape, move);
}

// One work-item an entry of level 0; those from `count` on are empty.
__kernel void broad_phase_place_leaves(const uint count, const uint entries, __global const uint* values,
                                       __global const PairBody* bodies, __global uint* leaf_of, __global float* boxes,
                                       __global float* spheres) {
  const uint leaf = (uint)get_global_id(0);
  if (leaf >= entries) return;
  if (leaf >= count) {
    store_leaf_sphere(spheres, leaf, 0.0f, 0u, 0u);
    store_box(boxes, leaf, (float3)(MAXFLOAT, MAXFLOAT, MAXFLOAT), (float3)(-MAXFLOAT, -MAXFLOAT, -MAXFLOAT));
    store_environments(boxes, leaf, 0xFFFFFFFFu, 0u);
    return;
  }
  const uint record = values[leaf], environment = bodies[record].environment;
  leaf_of[record] = leaf;
  store_environments(boxes, leaf, environment, environment);
}

// Where bodies changed, one work-item each: its record and margin anew, and the environment of its leaf, where leaves
// have been placed.
__kernel void broad_phase_change_bodies(const uint count, __global const uint* records,
                                        __global const PairBody* changed, __global const float* changed_margins,
                                        const uint is_placed, __global const uint* leaf_of, __global PairBody* bodies,
                                        __global float* margins, __global float* boxes) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  bodies[records[item]] = changed[item];
  if (margins != 0) margins[changed[item].body] = changed_margins[item];
  const uint environment = changed[item].environment;
  if (is_placed != 0u) store_environments(boxes, leaf_of[records[item]], environment, environment);
}

// The same of the records of bodies on terrain.
__kernel void broad_phase_change_slots(const uint count, __global const uint* slots, __global const BodyRecord* changed,
                                       __global BodyRecord* bodies) {
  const uint item = (uint)get_global_id(0);
  if (item < count) bodies[slots[item]] = changed[item];
}

#define BODIES_AHEAD 16u
#define MOVED_AHEAD 4u

// One work-item a body, in the order of the scene as far as can be: reads go straight through memory. Half spaces,
// those from `leaves` on, are where they are in `bodies`. Sets `entries` of `emptied`, no more than there are bodies,
// to 0: what a later kernel counts in needs no command of its own.
__kernel void broad_phase_body_states(const uint count, const uint leaves, __global const PairBody* bodies,
                                      __global const PoseRecord* poses, __global const uint* leaf_of,
                                      __global BodyState* states, const uint entries, __global uint* emptied) {
  const uint record = (uint)get_global_id(0);
  if (record >= count) return;
  if (record < entries) emptied[record] = 0u;
  if (FETCHES_EARLY && record + BODIES_AHEAD < leaves) FETCH_EARLY(states + leaf_of[record + BODIES_AHEAD]);
  states[record < leaves ? leaf_of[record] : record] = state_of(record, bodies + record, poses);
}

// Entry `item` of the level above: the union of group first_group + item, or empty where there is none.
void unite_group(uint item, uint groups, uint first_group, uint first_entry, __global float* boxes) {
  float3 low = (float3)(MAXFLOAT, MAXFLOAT, MAXFLOAT), high = -low;
  uint low_environment = 0xFFFFFFFFu, high_environment = 0u;
  if (item < groups) {
    __global const float* from = boxes + (size_t)(first_group + item) * GROUP_FLOATS;
    for (uint k = 0u; k < GROUP_WIDTH; ++k) {
      low = (float3)(min_f(low.x, from[k]), min_f(low.y, from[8u + k]), min_f(low.z, from[16u + k]));
      high = (float3)(max_f(high.x, from[24u + k]), max_f(high.y, from[32u + k]), max_f(high.z, from[40u + k]));
      low_environment = min(low_environment, ((__global const uint*)from)[48u + k]);
      high_environment = max(high_environment, ((__global const uint*)from)[56u + k]);
    }
  }
  store_box(boxes, first_entry + item, low, high);
  store_environments(boxes, first_entry + item, low_environment, high_environment);
}

// By a work-group, `width` entries of `level`, an eighth of that of the next one, and so on down to one: what is above
// the entries that it has, or other launches had, of the level below. The last group has all that are left, and a lone
// one, of width ALL_ENTRIES, all. To be reached by all its work-items.
#define ALL_ENTRIES \
  0xFFFFFFFFu  // an eighth of an eighth of it, and so on, is 1 at least for as many levels as there are
void unite_part(uint level, uint levels, uint width, __global const uint* level_group, __global float* boxes) {
  const uint part = (uint)get_group_id(0);
  const bool is_last = part + 1u == (uint)get_num_groups(0);
  for (; level < levels && width > 0u; ++level, width /= GROUP_WIDTH) {
    const uint groups = level_group[level] - level_group[level - 1u];
    const uint entries = (groups + GROUP_WIDTH - 1u) / GROUP_WIDTH * GROUP_WIDTH;
    const uint end = is_last ? entries : min((part + 1u) * width, entries);
    for (uint item = part * width + (uint)get_local_id(0); item < end; item += (uint)get_local_size(0))
      unite_group(item, groups, level_group[level - 1u], level_group[level] * GROUP_WIDTH, boxes);
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}

// One work-group for TREE_PART leaves, and the three levels above.
__kernel void broad_phase_leaf_boxes(const uint count, __global const BodyState* states, __global const uint* hulls,
                                     const float margin, __global const float* margins, const uint levels,
                                     __global const uint* level_group, __global float* boxes, __global float* spheres) {
  const uint first = (uint)get_group_id(0) * TREE_PART, end = min(first + TREE_PART, count);
  for (uint leaf = first + (uint)get_local_id(0); leaf < end; leaf += (uint)get_local_size(0)) {
    const BodyState s = states[leaf];
    store_leaf_box(boxes, spheres, leaf, &s, margin, margins, 0u, hulls);
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  unite_part(1u, levels, TREE_PART / GROUP_WIDTH, level_group, boxes);
}

// One work-group for TREE_PART entries of `level`, and the three levels above; a lone one for all of all levels.
__kernel void broad_phase_tree_levels(const uint level, const uint levels, __global const uint* level_group,
                                      __global float* boxes) {
  unite_part(level, levels, get_num_groups(0) == 1 ? ALL_ENTRIES : TREE_PART, level_group, boxes);
}

// One work-item a moved body, none of them a half space: its state and its box anew, and moved_leaves[item], where it
// is.
__kernel void broad_phase_move_leaves(const uint count, __global const uint* records, const uint move,
                                      __global const PairBody* bodies, __global const PoseRecord* poses,
                                      __global const uint* hulls, const float margin, __global const float* margins,
                                      __global const uint* leaf_of, __global BodyState* states, __global float* boxes,
                                      __global float* spheres, __global uint* moved_leaves) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  // Bodies all over the scene: first where they are, then what is there.
  if (FETCHES_EARLY && item + 2u * MOVED_AHEAD < count) {
    FETCH_EARLY(leaf_of + records[item + 2u * MOVED_AHEAD]);
    FETCH_EARLY(bodies + records[item + 2u * MOVED_AHEAD]);
  }
  if (FETCHES_EARLY && item + MOVED_AHEAD < count) {
    const uint later = records[item + MOVED_AHEAD];
    FETCH_EARLY(poses + bodies[later].body);
    FETCH_EARLY(states + leaf_of[later]);
    FETCH_EARLY(spheres + sphere_index(leaf_of[later]));
    for (uint line = 0u; line < GROUP_FLOATS; line += 16u) FETCH_EARLY(box_at(boxes, leaf_of[later]) + line);
  }
  const uint record = records[item], leaf = leaf_of[record];
  const BodyState s = state_of(record, bodies + record, poses);
  states[leaf] = s;
  store_leaf_box(boxes, spheres, leaf, &s, margin, margins, move, hulls);
  moved_leaves[item] = leaf;
}

// The level above the leaves, where few leaves moved. One work-item a moved leaf: the first of those of its group that
// moved sees to the group.
__kernel void broad_phase_moved_groups(const uint count, __global const uint* moved_leaves, const uint move,
                                       __global const float* spheres, const uint groups, const uint first_entry,
                                       __global float* boxes) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  const uint leaf = moved_leaves[item], group = leaf / GROUP_WIDTH;
  for (uint other = group * GROUP_WIDTH; other < leaf; ++other)
    if (move_of(spheres, other) == move) return;
  unite_group(group, groups, 0u, first_entry, boxes);
}

// One work-group for a small tree: states, boxes of leaves and of all levels. As body_states, leaf_boxes, tree_levels.
__kernel void broad_phase_small_tree(const uint count, const uint leaves, __global const PairBody* bodies,
                                     __global const PoseRecord* poses, __global const uint* leaf_of,
                                     __global const uint* hulls, const float margin, __global const float* margins,
                                     const uint levels, __global const uint* level_group, __global BodyState* states,
                                     __global float* boxes, __global float* spheres) {
  for (uint record = (uint)get_local_id(0); record < count; record += (uint)get_local_size(0)) {
    const uint leaf = record < leaves ? leaf_of[record] : record;
    const BodyState s = state_of(record, bodies + record, poses);
    states[leaf] = s;
    if (record >= leaves) continue;
    store_leaf_box(boxes, spheres, leaf, &s, margin, margins, 0u, hulls);
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  unite_part(1u, levels, ALL_ENTRIES, level_group, boxes);
}
