// Which shapes overlap bodies of their environment, and the lowest index of those where it is asked for
// (docs/overlap.md). A work-item a shape: half spaces first, then down the tree of the bodies' boxes; of a mesh down
// the tree of its triangles. After queries_overlap_terrain. Host: host/queries/shape_overlap.cpp.
#include "broad_phase/body_tree.clh"
#include "math/level_bits.clh"
#include "meshes/mesh_walk.clh"
#include "queries/query_shape.clh"
#include "shapes/half_space.clh"
#pragma OPENCL FP_CONTRACT OFF

bool query_meets(__global const QueryShapeRecord* record, uint filters, __global const PairBody* body) {
  if (filters == 0u) return (record->mask & 1u) != 0u;
  return (record->mask & body->category) != 0u && (record->group == 0u || record->group != body->group);
}

// conj(a) b of unit quaternions w, x, y, z.
float4 quaternion_from(__global const float* a, __global const float* b) {
  return (float4)((a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]),
                  (a[0] * b[1] - a[1] * b[0]) - (a[2] * b[3] - a[3] * b[2]),
                  (a[0] * b[2] - a[2] * b[0]) - (a[3] * b[1] - a[1] * b[3]),
                  (a[0] * b[3] - a[3] * b[0]) - (a[1] * b[2] - a[2] * b[1]));
}

OUTLINED bool overlaps_mesh(__global const QueryShapeRecord* record, __global const BodyState* s,
                            __global const uint* hulls) {
  const uint shape = record->shape;
  const TwoFloat3 from =
      two_sub3(two_float3(record->position_high, record->position_low), two_float3(s->position_high, s->position_low));
  TwoFloat3 place;
  two_into_axes(s->orientation, &from, &place);
  const float3 high = high_of(place), low = low_of(place);
  const float4 q = quaternion_from(s->orientation, record->orientation);
  const Body body =
      body_at(shape, (float3)(record->size[0], record->size[1], record->size[2]), q.x, q.y, q.z, q.w, hulls);
  __global const uint* mesh = hull_record(hulls, s->size[0]);
  if (mesh[MESH_IS_SOLID] != 0u && winding_number(mesh, high, low + body_centre(shape, &body)) > 0) return true;
  const BodyBox box = body_box(shape, &body);
  const float room = 1e-4f + 1e-6f * (((abs_f(high.x) + abs_f(high.y)) + abs_f(high.z)) + body.radius_bound);
  const float3 least = high + (box.low - room), most = high + (box.high + room);
  MeshWalk walk;
  begin_mesh_walk(mesh, &walk);
  uint below;
  ROLLED
  while (next_triangle(mesh, least, most, &walk, &below)) {
    const uint4 vertices = mesh_triangle(mesh, below, MESH_ROW_VERTICES);
    const float3 corner = mesh_vertex(mesh, vertices.x);
    Body triangle;
    triangle.x = mesh_vertex(mesh, vertices.y) - corner;
    triangle.y = mesh_vertex(mesh, vertices.z) - corner;
    triangle.z = triangle.size = (float3)(0.0f, 0.0f, 0.0f);
    triangle.hull = hulls;
    triangle.radius_bound = max_f(length3(triangle.x), length3(triangle.y));
    if (!are_apart(shape, &body, SOLID_TRIANGLE, &triangle, (corner - high) - low)) return true;
  }
  return false;
}

OUTLINED bool overlaps_convex(__global const QueryShapeRecord* record, __global const BodyState* s,
                              __global const uint* hulls) {
  const float3 way = high_of(
      two_sub3(two_float3(s->position_high, s->position_low), two_float3(record->position_high, record->position_low)));
  Body a;
  body_of_query(record, hulls, &a);
  __global const float* q = s->orientation;
  const Body b = body_at(s->shape, (float3)(s->size[0], s->size[1], s->size[2]), q[0], q[1], q[2], q[3], hulls);
  const float reach = (a.radius_bound + b.radius_bound) * 1.000001f + APART_DISTANCE;
  if (dot3(way, way) > reach * reach) return false;
  return !are_apart(record->shape, &a, s->shape, &b, way);
}

INLINED bool overlaps_half_space(__global const QueryShapeRecord* record, __global const BodyState* s,
                                 __global const uint* hulls) {
  const TwoFloat3 from =
      two_sub3(two_float3(record->position_high, record->position_low), two_float3(s->position_high, s->position_low));
  float3 normal;
  const float height = half_space_height(s->orientation, &from, &normal);
  Body body;
  body_of_query(record, hulls, &body);
  return height - reach_along(record->shape, &body, -normal) <= APART_DISTANCE;
}

__kernel void queries_overlap_bodies(const uint count, const uint find_lowest, __global const QueryShapeRecord* shapes,
                                     const uint leaves, const uint levels, __global const uint* level_group,
                                     __global const float* boxes, __global const BodyState* states,
                                     __global const PairBody* bodies, const uint filters,
                                     __global const uint* half_space_offsets, __global const uint* half_space_list,
                                     __global const uint* hulls, __global uint* found) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  __global const QueryShapeRecord* record = shapes + item;
  const uint environment = record->environment;
  if (environment == RAY_NONE || (find_lowest == 0u && found[item] != HIT_NOTHING)) return;
  uint lowest = HIT_NOTHING;
  const uint end = half_space_offsets[environment + 1u];
  ROLLED
  for (uint k = half_space_offsets[environment]; k < end; ++k) {
    __global const BodyState* s = states + (leaves + half_space_list[k]);
    if (s->body >= lowest || !query_meets(record, filters, bodies + s->record) ||
        !overlaps_half_space(record, s, hulls))
      continue;
    lowest = s->body;
    if (find_lowest == 0u) break;
  }

  float3 low, high;
  {
    Body body;
    body_of_query(record, hulls, &body);
    const BodyBox box = body_box(record->shape, &body);
    const float3 centre = (float3)(record->position_high[0], record->position_high[1], record->position_high[2]);
    const float3 room =
        (float3)(abs_f(centre.x), abs_f(centre.y), abs_f(centre.z)) * 1e-6f + (box.high - box.low) * 1e-6f + 1e-4f;
    low = (centre + box.low) - room;
    high = (centre + box.high) + room;
  }
  LevelBits left = no_level_bits();
  uint level = levels, group = 0u, next = 0u;
  bool down = leaves > 0u && (find_lowest != 0u || lowest == HIT_NOTHING);
  ROLLED
  while (down || level < levels) {
    if (down) {
      --level;
      group = next;
      set_level_bits(&left, level, boxes_met(boxes, level_group[level] + group, low, high, environment, environment));
    }
    const uint bits = level_bits(&left, level);
    down = false;
    if (bits == 0u) {
      ++level;
      group >>= 3;
      continue;
    }
    set_level_bits(&left, level, bits & (bits - 1u));
    const uint below = group * GROUP_WIDTH + lowest_bit(bits);
    if (level > 0u) {
      next = below;
      down = true;
      continue;
    }
    __global const BodyState* s = states + below;
    if (s->body >= lowest || !query_meets(record, filters, bodies + s->record)) continue;
    const bool overlaps =
        s->shape == SHAPE_TRIANGLE_MESH ? overlaps_mesh(record, s, hulls) : overlaps_convex(record, s, hulls);
    if (!overlaps) continue;
    lowest = s->body;
    if (find_lowest == 0u) break;
  }
  if (lowest != HIT_NOTHING) found[item] = lowest;
}
