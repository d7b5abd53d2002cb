// Broad phase of meshes: the triangles whose boxes meet the box of a body, as candidates (body and mesh; triangle).
//
//   mesh_pairs       per pair of a convex body and a mesh: the body in the mesh's axes, and the eye
//   once for each level of the deepest tree, the top one first:
//   mesh_boxes       per item (pair; group): which of its eight boxes meet the body's, and how many
//   -> scan
//   mesh_items       per item: an item for each of these boxes, those of level 0 being triangles
//   at the end:
//   first_candidate  per pair: where its candidates begin
//
// An item of a tree with fewer levels than the deepest stays as it is from where it is a triangle on. Items stand in
// the order of pairs, then triangles, whatever device finds them. One body over 100,000 triangles and 100,000 bodies
// over nine each both keep every work-item busy. Host: host/pipeline/mesh_contacts.cpp.
#include "launch/body_margin.clh"
#include "math/lanes.clh"
#include "math/two_vec.clh"
#include "meshes/mesh_query.clh"
#include "shapes/body.clh"
#include "shared/abi.h"
#pragma OPENCL FP_CONTRACT OFF

// Sets c to the centre of body s in the axes of m, whose quaternion is a unit one.
INLINED void centre_in_axes(__global const BodyState* s, __global const BodyState* m, TwoFloat3* c) {
  TwoFloat3 d;
  d.x = two_sub(two_float(s->position_high[0], s->position_low[0]), two_float(m->position_high[0], m->position_low[0]));
  d.y = two_sub(two_float(s->position_high[1], s->position_low[1]), two_float(m->position_high[1], m->position_low[1]));
  d.z = two_sub(two_float(s->position_high[2], s->position_low[2]), two_float(m->position_high[2], m->position_low[2]));
  two_into_axes(m->orientation, &d, c);
}

void store3(__global float* to, float3 v) {
  to[0] = v.x;
  to[1] = v.y;
  to[2] = v.z;
}

// One work-item a pair: those of `pairs` that order[first + item] names, the body first.
__attribute__((vec_type_hint(float4))) __kernel void broad_phase_mesh_pairs(
    const uint first, const uint count, __global const uint* order, __global const uint2* pairs,
    __global const BodyState* states, __global const uint* hulls, const float frame_margin,
    __global const float* margins, __global MeshPair* mesh_pairs, __global uint* item_pairs,
    __global uint* item_entries) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  const uint2 pair = pairs[order[first + item]];
  __global const BodyState* s = states + pair.x;
  __global const BodyState* m = states + pair.y;
  __global MeshPair* to = mesh_pairs + item;
  item_pairs[item] = item;
  item_entries[item] = 0u;
  // conj(mesh) times body.
  __global const float* a = m->orientation;
  __global const float* b = s->orientation;
  const float w = (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]);
  const float x = (a[0] * b[1] - a[1] * b[0]) - (a[2] * b[3] - a[3] * b[2]);
  const float y = (a[0] * b[2] - a[2] * b[0]) - (a[3] * b[1] - a[1] * b[3]);
  const float z = (a[0] * b[3] - a[3] * b[0]) - (a[1] * b[2] - a[2] * b[1]);
  TwoFloat3 c;
  centre_in_axes(s, m, &c);
  const float3 high = (float3)(c.x.hi, c.y.hi, c.z.hi), low = (float3)(c.x.lo, c.y.lo, c.z.lo);
  const Body body = body_at(s->shape, (float3)(s->size[0], s->size[1], s->size[2]), w, x, y, z, hulls);
  const BodyBox box = body_box(s->shape, &body);
  const float margin = pair_margin(frame_margin, margins, s->body, m->body);
  const float room = margin + 2e-5f + 1e-6f * (((abs_f(high.x) + abs_f(high.y)) + abs_f(high.z)) + body.radius_bound);
  to->orientation[0] = w;
  to->orientation[1] = x;
  to->orientation[2] = y;
  to->orientation[3] = z;
  for (uint k = 0u; k < 4u; ++k) to->mesh_orientation[k] = a[k];
  store3(to->centre_high, high);
  store3(to->centre_low, low);
  for (uint k = 0u; k < 3u; ++k) to->size[k] = s->size[k];
  to->shape = s->shape;
  to->margin = margin;
  store3(to->lower, high + (box.low - room));
  store3(to->upper, high + (box.high + room));
  to->mesh = (uint)m->size[0];
  to->body = s->body;
  to->mesh_body = m->body;

  const float3 middle = body_centre(s->shape, &body);
  __global const uint* mesh = hulls + 4u * (size_t)hulls[(uint)m->size[0]];
  float3 eye = middle, out = (float3)(0.0f, 0.0f, 0.0f);
  uint nearest = MESH_NONE;
  const bool is_inside = mesh[MESH_IS_SOLID] != 0u && winding_number(mesh, high, low + middle) > 0;
  if (is_inside) {
    const float4 found = nearest_of_mesh(mesh, high, low + middle);
    const float3 way = found.xyz;
    nearest = as_uint(found.w);
    eye = middle + way;
    // Off a point of the surface itself the way is its triangle's.
    out = dot3(way, way) > 1e-14f ? unit3(way) : as_float3(mesh_triangle(mesh, nearest, MESH_ROW_PLANE).xyz);
  }
  store3(to->eye, eye);
  store3(to->out, out);
  to->is_inside = is_inside ? 1u : 0u;
  to->nearest = nearest;
}

// The boxes of an item that meet the body's, as bits; of an item that is a triangle already the first.
uint boxes_of_item(__global const MeshPair* p, __global const uint* hulls, uint step, uint entry) {
  __global const uint* mesh = hulls + 4u * (size_t)hulls[p->mesh];
  const uint levels = mesh[MESH_LEVELS];
  if (step >= levels) return 1u;
  __global const float* boxes = mesh_group(mesh, levels - 1u - step, entry);
  const float3 low = (float3)(p->lower[0], p->lower[1], p->lower[2]);
  const float3 high = (float3)(p->upper[0], p->upper[1], p->upper[2]);
  uint met = 0u;
  for (uint k = 0u; k < 8u; k += LANES) {
    const IntW meets = (load_w(boxes + k) <= high.x) & (load_w(boxes + (24u + k)) >= low.x) &
                       (load_w(boxes + (8u + k)) <= high.y) & (load_w(boxes + (32u + k)) >= low.y) &
                       (load_w(boxes + (16u + k)) <= high.z) & (load_w(boxes + (40u + k)) >= low.z);
    met |= lanes_set_w(meets) << k;
  }
  return met;
}

// Items that there are: no more than there is room for.
uint items_in(uint room, __global const ulong* found) {
  return found[0] < (ulong)room ? (uint)found[0] : room;
}

__kernel void broad_phase_mesh_boxes(const uint room, __global const ulong* found, const uint step,
                                     __global const MeshPair* mesh_pairs, __global const uint* hulls,
                                     __global const uint* item_pairs, __global const uint* item_entries,
                                     __global uchar* met, __global uint* counts) {
  const uint item = (uint)get_global_id(0);
  if (item >= room) return;
  uint own = 0u;
  if (item < items_in(room, found)) own = boxes_of_item(mesh_pairs + item_pairs[item], hulls, step, item_entries[item]);
  met[item] = (uchar)own;
  counts[item] = popcount(own);
}

// What is beyond the room for the next level's items is left out; the host sees that by their number.
__kernel void broad_phase_mesh_items(const uint room, __global const ulong* found, const uint step,
                                     __global const MeshPair* mesh_pairs, __global const uint* hulls,
                                     __global const uint* item_pairs, __global const uint* item_entries,
                                     __global const uchar* met, __global const uint* offsets, const uint next_room,
                                     __global uint* next_pairs, __global uint* next_entries) {
  const uint item = (uint)get_global_id(0);
  if (item >= items_in(room, found)) return;
  const uint pair = item_pairs[item], entry = item_entries[item];
  const uint levels = (hulls + 4u * (size_t)hulls[mesh_pairs[pair].mesh])[MESH_LEVELS];
  uint to = offsets[item];
  EACH_BIT(k, met[item]) {
    if (to < next_room) {
      next_pairs[to] = pair;
      next_entries[to] = step >= levels ? entry : entry * 8u + k;
    }
    ++to;
  }
}

// One work-item a pair, and one for the end.
__kernel void broad_phase_first_candidate(const uint pairs, const uint room, __global const ulong* found,
                                          __global const uint* item_pairs, __global uint* first_candidate) {
  const uint item = (uint)get_global_id(0);
  if (item > pairs) return;
  uint a = 0u, b = items_in(room, found);
  while (a < b) {
    const uint middle = a + (b - a) / 2u;
    if (item_pairs[middle] < item)
      a = middle + 1u;
    else
      b = middle;
  }
  first_candidate[item] = a;
}
