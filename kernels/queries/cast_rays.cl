// Rays: what each hits first of the terrain of its environment, and of the bodies (docs/rays.md). The terrain first, so
// that the search among bodies ends there: a run of rays a work-item, side by side. Then a work-item a ray.
//
// Bodies are found down their tree (broad_phase/body_tree.clh), the nearest boxes first. Of hits that count as equally
// far the body with the lowest index is wanted. Where any came so close to the first one, the tree is gone down once
// more, to that distance, for the lowest index. The hint of each kernel is that of terrain/candidate.clh. Reference:
// host/reference/rays. Host: host/queries/ray_cast.cpp.
#include "launch/item_run.clh"
#include "queries/query_ground.clh"
#include "rays/body_ray.clh"
#include "rays/half_space_ray.clh"
#include "rays/terrain_ray.clh"
#include "rays/triangle_mesh_ray.clh"
#pragma OPENCL FP_CONTRACT OFF

void store_hit(__global HitRecord* hit, TwoFloat at, uint body, uint element, float3 normal, uint material) {
  hit->distance_high = at.hi;
  hit->distance_low = at.lo;
  hit->body = body;
  hit->element = element;
  hit->normal[0] = normal.x;
  hit->normal[1] = normal.y;
  hit->normal[2] = normal.z;
  hit->material = material;
}

Ground ground_of_ray(TerrainRecord t, __global const float* heights, __global const float* heights_low,
                     __global const uchar* open, __global const uchar* material, __global const float2* bounds) {
  GridPose nowhere;
  nowhere.cell_i = nowhere.cell_j = nowhere.first_i = nowhere.first_j = 0;
  nowhere.offset_x = nowhere.offset_y = nowhere.z_high = nowhere.z_low = 0.0f;
  nowhere.count_i = nowhere.count_j = nowhere.beyond = 0u;
  return ground_of(t, nowhere, heights, heights_low, open, material, bounds);
}

INLINED void set_walked_ground(__global const TerrainRecord* t, __global const float* heights,
                               __global const float* heights_low, __global const uchar* open,
                               __global const uchar* material, __global const float2* bounds, WalkedGround* on) {
  on->record = t;
  on->ground = ground_of_ray(*t, heights, heights_low, open, material, bounds);
  find_highest(on);
}

// The rays of a run against the terrain of each. Of hits what ground_hits() makes one of is written.
__attribute__((vec_type_hint(float4))) __kernel void queries_cast_terrain(
    const uint count, __global const RayRecord* rays, __global const TerrainRecord* terrains,
    __global const float* heights, __global const float* heights_low, __global const uchar* open,
    __global const uchar* material, __global const float2* bounds, __global HitRecord* hits) {
  const ItemRun run = run_of_item(count);
  GroundWalks walks;
  walks.count = 0u;
  WalkedGround on;
  uint terrain = RAY_NONE;
  for (uint next = run.first;;) {
    while (next < run.last && walks.count + LANES <= WALKS) {
      if (rays[next].terrain != terrain) {
        if (walks.count > 0u) break;
        terrain = rays[next].terrain;
        if (terrain != RAY_NONE)
          set_walked_ground(terrains + terrain, heights, heights_low, open, material, bounds, &on);
      }
      uint lanes = 0u;
      for (; lanes < LANES && next + lanes < run.last && rays[next + lanes].terrain == terrain; ++lanes)
        store_hit(hits + next + lanes, two_float(0.0f, 0.0f), HIT_NOTHING, 0xFFFFFFFFu, (float3)(0.0f, 0.0f, 0.0f), 0u);
      if (terrain != RAY_NONE) begin_walks(&walks, rays, next, lanes, &on);
      next += lanes;
    }
    if (walks.count == 0u) return;
    for (uint at = 0u; at < walks.count; at += LANES) step_walks(&walks, WALKS > 1u ? at : 0u, rays, &on, hits);
  }
}

__attribute__((vec_type_hint(float4))) __kernel void queries_ground_hits(
    const uint count, __global const RayRecord* rays, __global const TerrainRecord* terrains,
    __global const float* heights, __global const float* heights_low, __global const uchar* open,
    __global const uchar* material, __global const float2* bounds, __global HitRecord* hits) {
  const ItemRun run = run_of_item(count);
  for (uint first = run.first; first < run.last; first += LANES) {
    uint left = 0u;
    for (uint k = 0u; k < LANES && first + k < run.last; ++k)
      left |= hits[first + k].body == HIT_TERRAIN ? 1u << k : 0u;
    // Those of one terrain after those of another.
    while (left != 0u) {
      const uint terrain = rays[first + lowest_bit(left)].terrain;
      uint lanes = 0u;
      EACH_BIT(k, left) lanes |= rays[first + k].terrain == terrain ? 1u << k : 0u;
      const Ground g = ground_of_ray(terrains[terrain], heights, heights_low, open, material, bounds);
      ground_hits(rays, first, lanes, terrains + terrain, &g, hits);
      left &= ~lanes;
    }
  }
}

// How far the search goes, and what it found.
typedef struct Found {
  TwoFloat at;
  uint leaf, body, triangle;  // leaf: index among the states
  bool has_equal;             // another one counts as equally far
} Found;

#define NO_LEAF 0xFFFFFFFFu

// Where the ray comes into a body, 0 where it begins inside, and the triangle of a mesh. False where that is beyond
// `limit`, or nowhere.
INLINED bool enters_body(__global const RayRecord* record, __global const BodyState* s, __global const uint* hulls,
                         TwoFloat limit, TwoFloat* at, uint* triangle) {
  Ray ray;
  NearLine near;
  read_ray(record, &ray);
  line_near(&ray, s->position_high, s->position_low, &near);
  const uint shape = s->shape;
  __global const float* q = s->orientation;
  const Body body = body_at(shape, (float3)(s->size[0], s->size[1], s->size[2]), q[0], q[1], q[2], q[3], hulls);
  const float reach = body.radius_bound * 1.000001f + 1e-5f;
  if (dot3(near.foot, near.foot) > reach * reach) return false;
  const float3 foot = into_body(&body, near.foot), way = into_body(&body, high_of(ray.direction));
  Span span;
  *triangle = MESH_NONE;
  if (shape == SHAPE_TRIANGLE_MESH) {
    const float begin = -(near.at.hi + near.at.lo), end = two_difference(limit, near.at);
    if (body.hull[MESH_IS_SOLID] != 0u && abs_f(begin) <= reach &&
        winding_number(body.hull, foot + way * begin, (float3)(0.0f, 0.0f, 0.0f)) > 0) {
      *at = two_float(0.0f, 0.0f);
      return two_difference(*at, limit) <= 0.0f;
    }
    const float2 first = first_triangle(body.hull, foot, way, max_f(begin, -reach), min_f(end, reach) + 1e-5f);
    *triangle = as_uint(first.y);
    if (*triangle == MESH_NONE) return false;
    // What is before the origin is so by rounding.
    span = span_of(first.x, ENDLESS);
  } else {
    body_span(shape, &body, foot, way, &span);
  }
  if (!is_span(span)) return false;
  *at = two_add(near.at, two_float(span.enter, 0.0f));
  if (at->hi < 0.0f || (at->hi == 0.0f && at->lo < 0.0f)) {
    if (two_add(near.at, two_float(span.leave, 0.0f)).hi < 0.0f) return false;
    *at = two_float(0.0f, 0.0f);
  }
  return two_difference(*at, limit) <= 0.0f;
}

// Takes a hit over where it is the first so far; with `find_lowest` where its body has the lowest index so far.
INLINED void take_hit(Found* best, bool find_lowest, TwoFloat at, uint leaf, uint body, uint triangle) {
  if (find_lowest) {
    if (body >= best->body) return;
  } else {
    const float nearer = two_difference(best->at, at);
    if (best->leaf != NO_LEAF && abs_f(nearer) <= EQUAL_DISTANCE) best->has_equal = true;
    if (!(nearer > 0.0f) && best->leaf != NO_LEAF) return;
    if (nearer > EQUAL_DISTANCE) best->has_equal = false;
  }
  best->at = at;
  best->leaf = leaf;
  best->body = body;
  best->triangle = triangle;
}

// No further than this a hit counts as equally far as one at `at`.
TwoFloat equal_to(TwoFloat at) {
  return two_add(at, two_float(EQUAL_DISTANCE, 0.0f));
}
TwoFloat lesser(TwoFloat a, TwoFloat b) {
  return two_difference(a, b) < 0.0f ? a : b;
}

// A place of the ray in the body's axes, from its position. That the quaternion is not quite of length 1 is made good:
// by 1e-7 it would show on a large body.
void place_in_body(const Ray* ray, __global const BodyState* s, TwoFloat at, TwoFloat3* place) {
  __global const float* q = s->orientation;
  TwoFloat3 position;
  read_two3(s->position_high, s->position_low, &position);
  const TwoFloat3 from = two_along3(at, ray->direction, two_sub3(position, ray->origin));
  two_into_axes(q, &from, place);
  const TwoFloat length2 = two_add(two_add(two_product(q[0], q[0]), two_product(q[1], q[1])),
                                   two_add(two_product(q[2], q[2]), two_product(q[3], q[3])));
  const float more = (length2.hi - 1.0f) + length2.lo;
  place->x = two_add(place->x, two_float((from.x.hi - place->x.hi) * more, 0.0f));
  place->y = two_add(place->y, two_float((from.y.hi - place->y.hi) * more, 0.0f));
  place->z = two_add(place->z, two_float((from.z.hi - place->z.hi) * more, 0.0f));
}

// How much further than the point the line goes through the plane of a triangle: from its vertices as they are seen
// from there, so that what is rounded is of the triangle's size and not of the mesh's.
float triangle_further(const TwoFloat3* point, __global const uint* mesh, uint triangle, float3 way) {
  const float3 high = high_of(*point), low = low_of(*point);
  const uint4 vertices = mesh_triangle(mesh, triangle, MESH_ROW_VERTICES);
  const float3 a = (mesh_vertex(mesh, vertices.x) - high) - low, b = (mesh_vertex(mesh, vertices.y) - high) - low,
               c = (mesh_vertex(mesh, vertices.z) - high) - low;
  const float3 normal = cross3(b - a, c - a);
  const float slope = dot3(normal, way);
  if (slope == 0.0f) return 0.0f;
  // By the nearest vertex.
  const float3 near = dot3(a, a) < dot3(b, b) ? a : b;
  return div_rn(dot3(dot3(c, c) < dot3(near, near) ? c : near, normal), slope);
}

#define MOST_FURTHER 1e-2f  // [m] more than the search is off

// What is no farther counts: as the ground that was hit, or than the ray's end.
TwoFloat farthest_of(__global const RayRecord* record, __global const HitRecord* hit) {
  return hit->body == HIT_TERRAIN ? equal_to(two_float(hit->distance_high, hit->distance_low))
                                  : two_float(record->length, 0.0f);
}

// Writes of a hit what queries_body_hits makes one of: the leaf as the normal's first number, as bits.
__attribute__((vec_type_hint(float4))) __kernel void queries_cast_bodies(
    const uint count, __global const RayRecord* rays, const uint leaves, const uint levels,
    __global const uint* level_group, __global const float* boxes, __global const BodyState* states,
    __global const PairBody* bodies, const uint filters, __global const PlaneRecord* planes,
    __global const uint* half_space_offsets, __global const uint* half_space_list, __global const uint* hulls,
    __global HitRecord* hits) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  __global const RayRecord* record = rays + item;
  const uint environment = record->environment, mask = record->mask;
  if (environment == RAY_NONE) return;
  const float3 origin = (float3)(record->origin_high[0], record->origin_high[1], record->origin_high[2]);
  const float3 direction = (float3)(record->direction_high[0], record->direction_high[1], record->direction_high[2]);
  const RaySlabs slabs = ray_slabs(origin, direction, 0.0f);
  __global HitRecord* hit = hits + item;
  Found best;
  best.at = farthest_of(record, hit);
  best.leaf = NO_LEAF;
  best.body = best.triangle = 0xFFFFFFFFu;
  best.has_equal = false;
  bool find_lowest = false;
  TwoFloat limit = best.at;
  ROLLED
  while (true) {
    const uint first = half_space_offsets[environment], last = half_space_offsets[environment + 1u];
    for (uint k = first; k < last; ++k) {
      const uint leaf = leaves + half_space_list[k];
      __global const BodyState* s = states + leaf;
      TwoFloat at;
      Ray ray;
      read_ray(record, &ray);
      if (((filters != 0u ? bodies[s->record].category : 1u) & mask) != 0u &&
          half_space_enter(&ray, s, planes + half_space_list[k], &at) && two_difference(at, limit) <= 0.0f)
        take_hit(&best, find_lowest, at, leaf, s->body, MESH_NONE);
      if (!find_lowest && best.leaf != NO_LEAF) limit = lesser(equal_to(best.at), farthest_of(record, hit));
    }
    LevelBits left = no_level_bits();
    uint level = levels, group = 0u;
    if (leaves > 0u) set_level_bits(&left, --level, 0xFFu);
    while (level < levels) {
      uint bits = level_bits(&left, level);
      __global const float* boxes_of_group = boxes + (size_t)(level_group[level] + group) * GROUP_FLOATS;
      __global const uint* words = (__global const uint*)boxes_of_group;
      uint k = 8u;
      if (bits != 0u) {
        const float reach = limit.hi + abs_f(limit.hi) * 1e-6f;
        k = first_box(boxes_of_group, &slabs, reach, &bits);
        if (k != 8u && (words[48u + k] > environment || words[56u + k] < environment)) {
          set_level_bits(&left, level, bits & ~(1u << k));
          continue;
        }
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
      TwoFloat at;
      uint triangle;
      if (!enters_body(record, s, hulls, limit, &at, &triangle)) continue;
      take_hit(&best, find_lowest, at, below, s->body, triangle);
      if (!find_lowest) limit = lesser(equal_to(best.at), farthest_of(record, hit));
    }
    if (find_lowest || best.leaf == NO_LEAF || !best.has_equal) break;
    // Once more: the lowest index of those that are no farther than this.
    find_lowest = true;
    limit = lesser(equal_to(best.at), farthest_of(record, hit));
    best.body = 0xFFFFFFFFu;
  }
  if (best.leaf == NO_LEAF) return;
  store_hit(hit, best.at, states[best.leaf].body, best.triangle, (float3)(as_float(best.leaf), 0.0f, 0.0f), 0u);
}

__attribute__((vec_type_hint(float4))) __kernel void queries_body_hits(
    const uint count, __global const RayRecord* rays, const uint leaves, __global const BodyState* states,
    __global const PlaneRecord* planes, __global const uint* hulls, __global HitRecord* hits) {
  const uint item = (uint)get_global_id(0);
  if (item >= count || hits[item].body >= HIT_NOTHING) return;
  __global HitRecord* hit = hits + item;
  Ray ray;
  read_ray(rays + item, &ray);
  const float3 direction = high_of(ray.direction);
  TwoFloat at = two_float(hit->distance_high, hit->distance_low);
  const uint triangle = hit->element;
  const uint leaf = as_uint(hit->normal[0]);
  __global const BodyState* s = states + leaf;
  float3 normal = -direction;
  uint element = 0xFFFFFFFFu, material = 0u;
  if (triangle != MESH_NONE || at.hi > 0.0f) {
    if (s->shape == SHAPE_HALF_SPACE) {
      __global const PlaneRecord* plane = planes + (leaf - leaves);
      normal = (float3)(plane->axis_high[0], plane->axis_high[1], plane->axis_high[2]);
    } else {
      __global const float* q = s->orientation;
      const Body body = body_at(s->shape, (float3)(s->size[0], s->size[1], s->size[2]), q[0], q[1], q[2], q[3], hulls);
      const float3 way = into_body(&body, direction);
      TwoFloat3 point;
      place_in_body(&ray, s, at, &point);
      float3 own;
      float further;
      if (triangle != MESH_NONE) {
        const uint4 plane = mesh_triangle(body.hull, triangle, MESH_ROW_PLANE);
        own = as_float3(plane.xyz);
        if (dot3(own, way) > 0.0f) own = -own;
        element = mesh_triangle(body.hull, triangle, MESH_ROW_VERTICES).w;
        material = plane.w >> MESH_FLAG_MATERIAL;
        further = triangle_further(&point, body.hull, triangle, way);
      } else {
        const float4 face = body_normal_at(s->shape, &body, high_of(point), way);
        further = body_further(s->shape, &body, &point, face, way);
        own = face.xyz;
      }
      if (abs_f(further) < MOST_FURTHER) at = two_add(at, two_float(further, 0.0f));
      if (at.hi < 0.0f) at = two_float(0.0f, 0.0f);
      normal = unit3(out_of_body(&body, own));
    }
  }
  store_hit(hit, at, s->body, element, normal, material);
}
