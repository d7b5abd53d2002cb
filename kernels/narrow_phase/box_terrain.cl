// Box against terrain: eight corners as rounded points of no radius (kind 1), the ground's convex edges (kind 3) and
// vertices (kind 4) against its faces and edges, walls (kind 5); see docs/terrain_contacts.md.
//
// Launch and output as in sphere_terrain.cl. Reference: host/reference/narrow_phase/box_terrain.cpp.
#include "common/candidate.clh"
#include "common/edge_terrain.clh"
#include "common/lift_terrain.clh"
#pragma OPENCL FP_CONTRACT OFF

// Kind 4: the face through which the vertex leaves the box soonest, if it may push at the vertex.
void box_vertex(const Ground* g, const Site* s, const Body* b, Sink* sink) {
  const float3 v = s->v0;
  if (outside_distance(SHAPE_BOX, b, v) > sink->margin) return;
  float best = 1e30f;
  float3 m = (float3)(0.0f, 0.0f, 0.0f);
  uint face = 0u;
  for (uint k = 0u; k < 6u; ++k) {
    const float3 axis = k < 2u ? b->x : (k < 4u ? b->y : b->z);
    const float extent = k < 2u ? b->size.x : (k < 4u ? b->size.y : b->size.z);
    const float3 inward = k % 2u == 0u ? -axis : axis;
    const float depth = extent + dot3(v, inward);
    if (depth >= best) continue;
    best = depth;
    m = inward;
    face = k;
  }
  if (m.z >= 0.0f && vertex_is_extreme(g, s, m))
    report(g, sink, v - m * best, m, best, feature_id(s->i, s->j, FEATURE_VERTEX, 8u + face), vertex_material(g, s));
}

void box_site(const Ground* g, Site* s, const Body* b, Sink* sink) {
  // The corners that may be under the ground here: those below the highest vertex of the cell.
  const float top = max_f(max_f(s->v0.z, s->v1.z), max_f(s->v2.z, s->v3.z)) + sink->margin;
  RoundedPoints points;
  points.count = 0u;
  points.rho = 0.0f;
  points.axis = (float3)(0.0f, 0.0f, 0.0f);
  for (uint k = 0u; k < 8u; ++k) {
    const float3 corner = (b->x * (k & 1u ? b->size.x : -b->size.x) + b->y * (k & 2u ? b->size.y : -b->size.y)) +
                          b->z * (k & 4u ? b->size.z : -b->size.z);
    if (corner.z > top) continue;
    points.x[points.count] = corner;
    points.feature[points.count] = k;
    ++points.count;
  }
  rounded_points_elements(g, s, SHAPE_BOX, b, &points, sink);
  if (s->flat) return;
  if (!s->above_1) {
    const bool off_ground = centre_is_off_ground(g);
    for (uint k = 0u; k < 3u; ++k) {
      Edge e;
      if (!edge_at(g, s, k, SHAPE_BOX, b, sink->margin, &e)) continue;
      const uint before = sink->count;
      rounded_points_edge(g, s, &points, &e, k, sink);
      body_edge(g, s, &e, k, SHAPE_BOX, b, sink);
      if (sink->count == before) lift_edge(s, SHAPE_BOX, b, &e);
      if (off_ground && is_wall(&e))
        for (uint p = 0u; p < points.count; ++p)
          wall_point(g, s, &e, SHAPE_BOX, b, points.x[p], k, points.feature[p], false, sink);
    }
    if (s->features & REACH_VERTEX) {
      rounded_points_vertex(g, s, &points, sink);
      box_vertex(g, s, b, sink);
      lift_vertex(g, s, SHAPE_BOX, b);
    }
  }
  lift_centre(g, s, SHAPE_BOX, b);
  emit_lift(sink, s);
}

// Not across work-items: see sphere_terrain.cl.
__attribute__((vec_type_hint(float4))) __kernel void narrow_phase_box_terrain(
    const uint first, const uint count, __global const uint* candidate_slots, __global const uint* candidate_sites,
    __global const BodyRecord* bodies, __global const PlaceRecord* places, __global const float* positions_high,
    __global const float* positions_low, __global const float* orientations, __global const TerrainRecord* terrains,
    __global const float* heights, __global const float* heights_low, __global const uchar* open,
    __global const uchar* material, __global const float2* bounds, const float margin, __global uint* counts,
    const uint capacity, __global uint* stored, __global uint* store_candidates, __global ContactRecord* store) {
  if (get_global_id(0) >= count) return;
  const uint candidate = first + (uint)get_global_id(0);
  const BodyRecord record = bodies[candidate_slots[candidate]];
  const PlaceRecord place = places[candidate_slots[candidate]];
  const Ground ground = ground_of(terrains[record.terrain], place, positions_high[3u * record.body + 2u],
                                  positions_low[3u * record.body + 2u], heights, heights_low, open, material, bounds);
  const Body body = load_body(record, SHAPE_BOX, orientations);
  Site site = load_site(&ground, &place, SHAPE_BOX, &body, candidate_sites[candidate], margin);
  Sink sink;
  sink.store = store;
  sink.store_candidates = store_candidates;
  sink.stored = stored;
  sink.capacity = capacity;
  sink.candidate = candidate;
  sink.count = 0u;
  sink.margin = margin;
  box_site(&ground, &site, &body, &sink);
  counts[candidate] = sink.count;
}
