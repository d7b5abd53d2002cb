// Sphere against terrain: a single rounded point (kind 1 of docs/terrain_contacts.md).
//
// One work-item a candidate (body, lattice site). With write = 0 `counts` gets the number of contacts; with write = 1
// the contacts are written from contact_offsets[candidate] on.
// Reference: host/reference/narrow_phase/sphere_terrain.cpp. Source: Strashnov and Finagin 2019 (ref. 16 of text 001).
#include "common/candidate.clh"
#include "common/lift_terrain.clh"
#pragma OPENCL FP_CONTRACT OFF

void sphere_site(const Ground* g, Site* s, const Body* b, Sink* sink) {
  const float r = b->size.x;
  const float3 centre = (float3)(0.0f, 0.0f, 0.0f);
  rounded_point_site(g, s, SHAPE_SPHERE, b, centre, r, centre, 0u, sink);
  if (s->flat) return;
  if (!s->above_1) lift_site(g, s, SHAPE_SPHERE, b);
  lift_centre(g, s, SHAPE_SPHERE, b);
  if (centre_is_off_ground(g)) {
    for (uint k = 0u; k < 2u; ++k) {
      Edge e;
      float3 w;
      if (wall_at(g, s, k, &e, &w)) wall_point(g, s, &e, w, w * -r, k, 0u, dot3(e.base, w) <= 0.0f, sink);
    }
  }
  emit_lift(sink, s);
}

// The hint keeps compilers from putting several work-items into one vector: Intel's CPU runtime 2026.2 gets the
// branches of these functions wrong when it does, and work-items diverge too much to gain from it.
__attribute__((vec_type_hint(float4)))
__kernel void narrow_phase_sphere_terrain(
    const uint first, const uint count, __global const uint* candidate_slots, __global const uint* candidate_sites,
    __global const BodyRecord* bodies, __global const PlaceRecord* places, __global const float* positions_high,
    __global const float* positions_low, __global const float* orientations, __global const TerrainRecord* terrains,
    __global const float* heights, __global const float* heights_low, __global const uchar* open,
    __global const uchar* material, __global const float2* bounds, const float margin, const uint write, __global uint* counts,
    __global const uint* contact_offsets, __global ContactRecord* contacts) {
  if (get_global_id(0) >= count) return;
  const uint candidate = first + (uint)get_global_id(0);
  if (write && contact_offsets[candidate + 1u] == contact_offsets[candidate]) return;
  const BodyRecord record = bodies[candidate_slots[candidate]];
  const PlaceRecord place = places[candidate_slots[candidate]];
  const Ground ground = ground_of(terrains[record.terrain], place, positions_high[3u * record.body + 2u],
                                  positions_low[3u * record.body + 2u], heights, heights_low, open, material,
                                  bounds);
  const Body body = load_body(record, SHAPE_SPHERE, orientations);
  Site site = load_site(&ground, &place, SHAPE_SPHERE, &body, candidate_sites[candidate], margin);
  Sink sink;
  sink.out = write ? contacts + contact_offsets[candidate] : 0;
  sink.count = 0u;
  sink.margin = margin;
  sphere_site(&ground, &site, &body, &sink);
  if (!write) counts[candidate] = sink.count;
}
