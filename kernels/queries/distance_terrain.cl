// How far points are from the terrain of their environment (docs/distance.md). A work-item a point. Host:
// host/queries/point_distance.cpp.
#include "distance/terrain_distance.clh"
#include "queries/query_answer.clh"
#include "queries/query_ground.clh"
#pragma OPENCL FP_CONTRACT OFF

__kernel void queries_distance_terrain(const uint count, __global const QueryPointRecord* points,
                                       __global const TerrainRecord* terrains, __global const float* heights,
                                       __global const float* heights_low, __global const uchar* open,
                                       __global const uchar* material, __global const float2* bounds,
                                       __global HitRecord* found) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  __global const QueryPointRecord* point = points + item;
  store_no_answer(found + item);
  if (point->terrain == RAY_NONE) return;
  const TerrainRecord t = terrains[point->terrain];
  Ground g;
  set_query_ground(&t, two_float3(point->position_high, point->position_low), heights, heights_low, open, material,
                   bounds, &g);
  // Straight up or down the surface is no nearer than what is nearest.
  const float cover = cover_over(&g, (float3)(0.0f, 0.0f, 0.0f));
  const bool inside = cover >= 0.0f;
  float limit = inside ? MAXFLOAT : point->range * 1.00001f;
  if (cover > -1e29f) limit = min_f(limit, abs_f(cover) * 1.001f + 1e-3f);
  NearestGround nearest;
  nearest.distance2 = limit < 1e19f ? limit * limit : 1e38f;
  nearest.way = nearest.normal = (float3)(0.0f, 0.0f, 0.0f);
  nearest.element = 0xFFFFFFFFu;
  find_nearest_ground(&g, &nearest);
  if (nearest.element == 0xFFFFFFFFu) return;
  const float length = length3(nearest.way);
  if (!inside && !(length <= point->range)) return;
  const float3 way = inside ? nearest.way : -nearest.way;
  const uint cell = nearest.element / 2u, columns = (uint)t.cols - 1u;
  const float3 normal = length > ON_SURFACE ? unit3(way) : nearest.normal;
  store_answer(
      found + item, inside ? -length : length, HIT_TERRAIN, element_of_scene(t.turned, t.rows, t.cols, nearest.element),
      t.turned != 0u ? turned_back(normal) : normal, cell_material(&g, (int)(cell / columns), (int)(cell % columns)));
}
