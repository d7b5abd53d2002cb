// Sphere against terrain: a single rounded point (kind 1 of docs/terrain_contacts.md).
//
// One work-item a candidate (body, lattice site). Writes counts[candidate], and its contacts into the shared store;
// contact_order.cl then brings them into the order of candidates. Where the store was too small the host sees it by
// the counts, makes it larger, and runs the kernel again.
// Reference: host/reference/narrow_phase/sphere_terrain.cpp. Source: Strashnov and Finagin 2019 (ref. 16 of text 001).
#include "common/candidate.clh"
#include "common/lift_terrain.clh"
#pragma OPENCL FP_CONTRACT OFF

void sphere_site(const Ground* g, Site* s, const Body* b, Sink* sink) {
  const float r = b->size.x;
  RoundedPoints points;
  points.x[0] = points.axis = (float3)(0.0f, 0.0f, 0.0f);
  points.feature[0] = 0u;
  points.count = 1u;
  points.rho = r;
  rounded_points_elements(g, s, SHAPE_SPHERE, b, &points, sink);
  if (s->flat) return;
  if (!s->above_1) {
    for (uint k = 0u; k < 3u; ++k) {
      Edge e;
      if (!edge_at(g, s, k, SHAPE_SPHERE, b, sink->margin, &e)) continue;
      const uint before = sink->count;
      rounded_points_edge(g, s, &points, &e, k, sink);
      if (sink->count == before) lift_edge(s, SHAPE_SPHERE, b, &e);
    }
    if (s->features & REACH_VERTEX) {
      rounded_points_vertex(g, s, &points, sink);
      lift_vertex(g, s, SHAPE_SPHERE, b);
    }
  } else if ((s->features & REACH_VERTEX) && is_steep_pit(g, s->i, s->j)) {
    rounded_points_vertex(g, s, &points, sink);
  }
  for (uint k = 0u; centre_is_off_ground(g) && k < 2u; ++k) {
    Edge e;
    if (!wall_at(g, s, k, &e)) continue;
    const float3 w = wall_outward(&e);
    wall_point(g, s, &e, SHAPE_SPHERE, b, w * -r, k, 0u, dot3(e.base, w) <= 0.0f, sink);
  }
  lift_centre(g, s, SHAPE_SPHERE, b);
  emit_lift(sink, s);
}

// The hint keeps compilers from putting several work-items into one vector: Intel's CPU runtime 2026.2 gets the
// branches of these functions wrong when it does, and work-items diverge too much to gain from it.
__attribute__((vec_type_hint(float4))) __kernel void narrow_phase_sphere_terrain(
    const uint first, const uint count, __global const uint* candidate_slots, __global const uint* candidate_sites,
    __global const BodyRecord* bodies, __global const PlaceRecord* places, __global const TerrainRecord* terrains,
    __global const float* heights, __global const float* heights_low, __global const uchar* open,
    __global const uchar* material, __global const float2* bounds, const float margin, __global uint* counts,
    const uint capacity, __global uint* stored, __global uint* store_candidates, __global ContactRecord* store) {
  if (get_global_id(0) >= count) return;
  const uint candidate = first + (uint)get_global_id(0);
  const BodyRecord record = bodies[candidate_slots[candidate]];
  const PlaceRecord place = places[candidate_slots[candidate]];
  const Ground ground = ground_of(terrains[record.terrain], place, heights, heights_low, open, material, bounds);
  const Body body = load_body(record, place, SHAPE_SPHERE);
  Site site;
  load_site(&ground, &place, SHAPE_SPHERE, &body, candidate_sites[candidate], margin, &site);
  Sink sink;
  sink.store = store;
  sink.store_candidates = store_candidates;
  sink.stored = stored;
  sink.capacity = capacity;
  sink.candidate = candidate;
  sink.count = 0u;
  sink.margin = margin;
  sphere_site(&ground, &site, &body, &sink);
  counts[candidate] = sink.count;
}
