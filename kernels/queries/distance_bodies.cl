// How far points are from bodies of their environment (docs/distance.md). A work-item a point: half spaces first, then
// down the tree of the bodies' boxes, the nearest first. After queries_distance_terrain, whose answer stands where it
// is less. Host: host/queries/point_distance.cpp.
#include "broad_phase/body_tree.clh"
#include "distance/convex_distance.clh"
#include "math/level_bits.clh"
#include "meshes/mesh_query.clh"
#include "queries/query_answer.clh"
#include "shapes/half_space.clh"
#pragma OPENCL FP_CONTRACT OFF

// The least signed distance so far.
typedef struct NearestBody {
  float distance;
  uint body, element, material;
  float3 normal;
  bool is_new;  // it is not the terrain's
} NearestBody;

// Of equal ones that of the lowest index.
INLINED void take_body(NearestBody* nearest, float distance, uint body, uint element, float3 normal, uint material) {
  if (!(distance < nearest->distance || (distance == nearest->distance && body < nearest->body))) return;
  nearest->distance = distance;
  nearest->body = body;
  nearest->element = element;
  nearest->normal = normal;
  nearest->material = material;
  nearest->is_new = true;
}

INLINED void take_mesh(__global const BodyState* s, const TwoFloat3* from, __global const uint* hulls,
                       NearestBody* nearest) {
  TwoFloat3 place;
  two_into_axes(s->orientation, from, &place);
  const float3 high = high_of(place), low = low_of(place);
  __global const uint* mesh = hull_record(hulls, s->size[0]);
  const bool inside = mesh[MESH_IS_SOLID] != 0u && winding_number(mesh, high, low) > 0;
  const float4 found = nearest_of_mesh(mesh, high, low);
  const uint triangle = as_uint(found.w);
  const float length = length3(found.xyz);
  const uint4 plane = mesh_triangle(mesh, triangle, MESH_ROW_PLANE);
  float3 normal = as_float3(plane.xyz);
  if (length > ON_SURFACE) normal = inside ? unit3(found.xyz) : unit3(-found.xyz);
  __global const float* q = s->orientation;
  const Body body = body_at(SHAPE_SPHERE, (float3)(0.0f, 0.0f, 0.0f), q[0], q[1], q[2], q[3], hulls);
  take_body(nearest, inside ? -length : length, s->body, mesh_triangle(mesh, triangle, MESH_ROW_VERTICES).w,
            unit3(out_of_body(&body, normal)), plane.w >> MESH_FLAG_MATERIAL);
}

// Of the boxes `bits` of a group the nearest to p, no farther than `limit`; those that are farther, or of other
// environments, are taken out of the bits. 8 where there is none.
INLINED uint nearest_box(__global const float* group, float3 p, float limit2, uint environment, uint* bits) {
  __global const uint* words = (__global const uint*)group;
  uint nearest = 8u, left = 0u;
  float least = MAXFLOAT;
  ROLLED
  EACH_BIT(k, *bits) {
    if (!(group[k] <= group[24u + k]) || words[48u + k] > environment || words[56u + k] < environment) continue;
    const float distance2 = box_distance2(group, k, p);
    if (!(distance2 <= limit2)) continue;
    left |= 1u << k;
    if (!(distance2 < least)) continue;
    least = distance2;
    nearest = k;
  }
  *bits = left;
  return nearest;
}

__kernel void queries_distance_bodies(const uint count, __global const QueryPointRecord* points, const uint leaves,
                                      const uint levels, __global const uint* level_group, __global const float* boxes,
                                      __global const BodyState* states, __global const PairBody* bodies,
                                      const uint filters, __global const uint* half_space_offsets,
                                      __global const uint* half_space_list, __global const uint* hulls,
                                      __global HitRecord* found) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  __global const QueryPointRecord* point = points + item;
  const uint environment = point->environment, mask = point->mask;
  if (environment == RAY_NONE) return;
  NearestBody nearest;
  nearest.is_new = false;
  nearest.distance = found[item].body == HIT_TERRAIN ? found[item].distance_high : point->range;
  nearest.body = found[item].body == HIT_TERRAIN ? HIT_TERRAIN : HIT_NOTHING;
  nearest.element = 0xFFFFFFFFu;
  nearest.material = 0u;
  nearest.normal = (float3)(0.0f, 0.0f, 0.0f);
  const uint end = half_space_offsets[environment + 1u];
  ROLLED
  for (uint k = half_space_offsets[environment]; k < end; ++k) {
    __global const BodyState* s = states + (leaves + half_space_list[k]);
    if (((filters != 0u ? bodies[s->record].category : 1u) & mask) == 0u) continue;
    const TwoFloat3 from =
        two_sub3(two_float3(point->position_high, point->position_low), two_float3(s->position_high, s->position_low));
    float3 normal;
    const float height = half_space_height(s->orientation, &from, &normal);
    take_body(&nearest, height, s->body, 0xFFFFFFFFu, normal, 0u);
  }

  const float3 p = (float3)(point->position_high[0], point->position_high[1], point->position_high[2]);
  const float room = 1e-6f * ((abs_f(p.x) + abs_f(p.y)) + abs_f(p.z)) + 1e-5f;
  LevelBits left = no_level_bits();
  uint level = levels, group = 0u;
  if (leaves > 0u) set_level_bits(&left, --level, 0xFFu);
  ROLLED
  while (level < levels) {
    uint bits = level_bits(&left, level);
    uint k = 8u;
    if (bits != 0u) {
      const float limit = max_f(nearest.distance, 0.0f) * 1.00001f + room;
      k = nearest_box(boxes + (size_t)(level_group[level] + group) * GROUP_FLOATS, p, limit * limit, environment,
                      &bits);
    }
    if (k == 8u) {
      ++level;
      group >>= 3;
      continue;
    }
    set_level_bits(&left, level, bits & ~(1u << k));
    const uint below = group * GROUP_WIDTH + k;
    if (level > 0u) {
      --level;
      group = below;
      set_level_bits(&left, level, 0xFFu);
      continue;
    }
    __global const BodyState* s = states + below;
    if (((filters != 0u ? bodies[s->record].category : 1u) & mask) == 0u) continue;
    const TwoFloat3 from =
        two_sub3(two_float3(point->position_high, point->position_low), two_float3(s->position_high, s->position_low));
    if (s->shape == SHAPE_TRIANGLE_MESH) {
      take_mesh(s, &from, hulls, &nearest);
      continue;
    }
    __global const float* q = s->orientation;
    const Body body = body_at(s->shape, (float3)(s->size[0], s->size[1], s->size[2]), q[0], q[1], q[2], q[3], hulls);
    float3 normal;
    const float distance = convex_distance(s->shape, &body, into_body(&body, high_of(from) + low_of(from)), &normal);
    take_body(&nearest, distance, s->body, 0xFFFFFFFFu, unit3(out_of_body(&body, normal)), 0u);
  }
  if (nearest.is_new)
    store_answer(found + item, nearest.distance, nearest.body, nearest.element, nearest.normal, nearest.material);
}
