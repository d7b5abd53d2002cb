// Which shapes overlap the terrain of their environment (docs/overlap.md). A work-item a shape: down the pyramid of
// height bounds to the cells that are under its box and reach up to it. Host: host/queries/shape_overlap.cpp.
#include "queries/query_ground.clh"
#include "queries/query_shape.clh"
#include "terrain/blocks.clh"
#pragma OPENCL FP_CONTRACT OFF

// Of an element of a cell with all that is below it: does the body overlap it?
INLINED bool overlaps_element(uint shape, const Body* body, GroundRef g, bool rises, float3 v0, int element,
                              const Triangle* corners) {
  const float3 corner = corners->a, second = corners->b, third = corners->c;
  const float3 up = unit3(cross3(second - corner, third - corner));
  const float3 lowest = lowest_point(shape, body, up);
  const float above = dot3(lowest - corner, up);
  if (above > APART_DISTANCE) return false;
  if (in_outline(g, rises, v0, element, lowest.x, lowest.y)) return true;
  Body prism;
  prism.x = second - corner;
  prism.y = third - corner;
  // Down to where the body is not; from where it is at the highest, so that numbers stay small.
  float top = max_f(corner.z, max_f(second.z, third.z));
  const float deepest = -(body->radius_bound + 1.0f);
  float3 way = corner;
  if (corner.z + min_f(min_f(prism.x.z, prism.y.z), 0.0f) > body->radius_bound + 1.0f) {
    prism.x.z = prism.y.z = 0.0f;
    way.z = top = body->radius_bound + 1.0f;
  }
  prism.z = (float3)(0.0f, 0.0f, min_f(deepest - top, -1.0f));
  prism.size = (float3)(0.0f, 0.0f, 0.0f);
  prism.hull = body->hull;
  prism.radius_bound = max_f(length3(prism.x), length3(prism.y));
  return !are_apart(shape, body, SOLID_PRISM, &prism, way);
}

// Of a solid cell, where any of it is as high as `lowest`.
OUTLINED bool overlaps_cell(uint shape, const Body* body, GroundRef g, int i, int j, float lowest) {
  const float3 v0 = vertex_at(g, i, j), v1 = vertex_at(g, i, j + 1), v2 = vertex_at(g, i + 1, j),
               v3 = vertex_at(g, i + 1, j + 1);
  if (max_f(max_f(v0.z, v1.z), max_f(v2.z, v3.z)) < lowest) return false;
  const bool rises = cell_rises(g, i, j);
  ROLLED
  for (uint k = 0u; k < 2u; ++k) {
    const Triangle corners = element_corners(rises, k, v0, v1, v2, v3);
    if (overlaps_element(shape, body, g, rises, v0, (int)k + 1, &corners)) return true;
  }
  return false;
}

__kernel void queries_overlap_terrain(const uint count, __global const QueryShapeRecord* shapes,
                                      __global const TerrainRecord* terrains, __global const float* heights,
                                      __global const float* heights_low, __global const uchar* open,
                                      __global const uchar* material, __global const float2* bounds,
                                      __global const uint* hulls, __global uint* found) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  __global const QueryShapeRecord* record = shapes + item;
  found[item] = HIT_NOTHING;
  if (record->terrain == RAY_NONE) return;
  const TerrainRecord t = terrains[record->terrain];
  Ground g;
  set_query_ground(&t, two_float3(record->position_high, record->position_low), heights, heights_low, open, material,
                   bounds, &g);
  const uint shape = record->shape;
  Body body;
  body_of_query(record, hulls, &body);
  if (t.turned != 0u) {
    body.x = quarter_turned(body.x);
    body.y = quarter_turned(body.y);
    body.z = quarter_turned(body.z);
  }
  if (cover_over(&g, body_centre(shape, &body)) >= 0.0f) {
    found[item] = HIT_TERRAIN;
    return;
  }
  const BodyBox box = body_box(shape, &body);
  const float room = 1e-4f + 1e-6f * body.radius_bound;
  Blocks b;
  bool any = begin_blocks(&g, add_sat(g.i0, floor_i(div_rn((box.low.y + g.v) - room, g.dy))),
                          add_sat(g.i0, floor_i(div_rn((box.high.y + g.v) + room, g.dy))),
                          add_sat(g.j0, floor_i(div_rn((box.low.x + g.u) - room, g.dx))),
                          add_sat(g.j0, floor_i(div_rn((box.high.x + g.u) + room, g.dx))), &b);
  ROLLED
  while (any) {
    bool into = false;
    if (b.shift > 0) {
      const float top = bounds_of_block(&g, &b).y;
      into = top > -MAXFLOAT &&
             ((top - g.z_high) - g.z_low) + 2.4e-7f * (abs_f(top) + abs_f(g.z_high)) + room >= box.low.z;
    } else if (cell_solid(&g, b.i, b.j) && overlaps_cell(shape, &body, &g, b.i, b.j, box.low.z - room)) {
      found[item] = HIT_TERRAIN;
      return;
    }
    any = next_block(&g, into, &b);
  }
}
