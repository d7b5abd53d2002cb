// Sphere against terrain: a single rounded point (kind 1 of docs/terrain_contacts.md).
//
// Launch and output: kernels/terrain/candidate.clh. Reference: host/reference/narrow_phase/sphere_terrain.cpp. Source:
// Strashnov and Finagin 2019 (reference 16 of Strashnov and Torgashev 2020).
#include "terrain/candidate.clh"
#include "terrain/element_terrain.clh"
#include "terrain/lift_terrain.clh"
#include "terrain/rounded_point_terrain.clh"
#pragma OPENCL FP_CONTRACT OFF

OUTLINED void sphere_element(GroundRef g, Site* s, const Body* b, uint k, Sink* sink) {
  const float3 centre = (float3)(0.0f, 0.0f, 0.0f);
  if (is_deep(s, k, centre, b->size.x, sink->margin))
    element_point(g, s, k, SHAPE_SPHERE, b, centre, b->size.x, centre, true, 0u, sink);
}

OUTLINED void sphere_edge(GroundRef g, Site* s, const Body* b, uint k, Sink* sink) {
  Edge e;
  if (!edge_at(g, s, k, SHAPE_SPHERE, b, sink->margin, &e)) return;
  LIFT_HERE(lift_edge(s, SHAPE_SPHERE, b, &e));
  rounded_points_edge(g, s, SHAPE_SPHERE, b, 0u, 1u, &e, k, sink);
}

INLINED void sphere_site(GroundRef g, Site* s, const Body* b, Sink* sink) {
  ROLLED
  EACH_BIT(k, reached_elements(s)) {
    sphere_element(g, s, b, k, sink);
  }
  if (s->flat) return;
  if (!s->above_1) {
    ROLLED
    EACH_BIT(k, REACHED_EDGES(s->features)) {
      sphere_edge(g, s, b, k, sink);
    }
  }
  if ((s->features & REACH_VERTEX) && (!s->above_1 || is_steep_pit(g, s->i, s->j)))
    rounded_points_vertex(g, s, SHAPE_SPHERE, b, 0u, 1u, sink);
  if ((s->features & REACH_VERTEX) && !s->above_1) LIFT_HERE(lift_vertex(g, s, SHAPE_SPHERE, b));
  if (centre_is_off_ground(g, SHAPE_SPHERE, b)) rounded_points_walls(g, s, SHAPE_SPHERE, b, 1u, sink);
  LIFT_HERE(lift_centre(g, s, SHAPE_SPHERE, b));
  LIFT_HERE(emit_lift(g, sink, s));
}

TERRAIN_KERNEL(narrow_phase_sphere_terrain, SHAPE_SPHERE, sphere_site)
