// Capsule against terrain: its two ends as rounded points (kind 1), the upper end of its lowest line (kind 2), the
// interior of its axis against the ground's convex edges (kind 3) and vertices (kind 4), walls (kind 5); see
// docs/terrain_contacts.md.
//
// Launch and output: kernels/terrain/candidate.clh. Reference: host/reference/narrow_phase/capsule_terrain.cpp.
#include "terrain/candidate.clh"
#include "terrain/element_terrain.clh"
#include "terrain/lift_terrain.clh"
#include "terrain/rounded_point_terrain.clh"
#pragma OPENCL FP_CONTRACT OFF

// Up to this z a normal is level, but for rounding.
#define LEVEL_NORMAL 1e-6f

// Kind 3: the interior of the axis against a convex edge.
INLINED void capsule_axis_edge(GroundRef g, const Site* s, const Edge* e, uint kind, const Body* b, Sink* sink) {
  if (e->flat || !e->convex) return;
  const float3 axis = b->z;
  float3 m = cross3(axis, e->along);
  if (dot3(m, m) < 1e-8f) return;  // parallel: the ends have it
  m = unit3(m);
  // Of an upright capsule beside a wall both are level, and one is out of the wall.
  const bool turned = abs_f(m.z) > LEVEL_NORMAL ? m.z < 0.0f : dot3(m, e->has_left ? e->right : e->left) < 0.0f;
  if (turned) m = -m;
  // In the arc between the normals of both sides.
  if (dot3(m, cross3(e->left, e->along)) > IN_NORMAL_CONE || dot3(m, cross3(e->along, e->right)) > IN_NORMAL_CONE)
    return;
  // Nearest points of two lines: axis z * t, edge a + along * u.
  const float c = dot3(axis, e->along);
  const float da = dot3(e->base, axis), de = dot3(e->base, e->along);
  const float inverse = div_rn(1.0f, 1.0f - c * c);
  const float t = (da - c * de) * inverse, u = (c * da - de) * inverse;
  if (abs_f(t) > b->size.y || u < e->t0 - 2e-6f || u > e->t1 + 2e-6f) return;
  const float3 x = axis * t;
  const float depth = b->size.x + dot3(e->base + e->along * u - x, m);
  // The edge is inside the capsule (not beyond its upper side), or within margin.
  if (!(depth > -sink->margin) || depth > 2.0f * b->size.x) return;
  if (!is_short_way(e, SHAPE_CAPSULE, b, depth)) return;
  report(g, sink, x - m * b->size.x, m, depth, feature_id(s->i, s->j, FEATURE_EDGE + kind, capsule_part(b, t)),
         e->material);
}

// Kind 4: the interior of the axis against the vertex.
OUTLINED void capsule_vertex(GroundRef g, const Site* s, const Body* b, Sink* sink) {
  const float3 v = s->v0;
  const float t = dot3(v, b->z);
  if (abs_f(t) > b->size.y) return;
  const float3 d = b->z * t - v;
  const float distance = length3(d);
  if (!(distance > 1e-7f) || !(distance < b->size.x + sink->margin)) return;
  const float3 m = d * div_rn(1.0f, distance);
  if (m.z < 0.0f || !vertex_is_extreme(g, s->i, s->j, m)) return;
  report(g, sink, b->z * t - m * b->size.x, m, b->size.x - distance,
         feature_id(s->i, s->j, FEATURE_VERTEX, capsule_part(b, t)), vertex_material(g, s));
}

// A point of the capsule that meets elements: an end of its axis with the ball around it (0 or 1), or on its side (2).
typedef struct CapsulePoint {
  float3 x, outward;
  float radius;  // [m]
  uint body;     // feature
} CapsulePoint;

// Kind 2: the upper end of the side's lowest line, so that a capsule that lies or leans a little rests on both ends. It
// is called by that end, whose own point (kind 1) it falls together with where the capsule lies.
CapsulePoint capsule_point(const Site* s, uint k, const Body* b, uint at) {
  CapsulePoint p;
  p.x = rounded_point(SHAPE_CAPSULE, b, at);
  p.outward = outward_of(SHAPE_CAPSULE, b, at);
  p.radius = b->size.x;
  p.body = at;
  if (at < 2u) return p;
  const float3 n = k == 0u ? s->n1 : s->n2;
  const float along = dot3(b->z, n);
  p.body = along < 0.0f ? 0u : 1u;
  p.x = rounded_point(SHAPE_CAPSULE, b, p.body) + unit3(b->z * along - n) * b->size.x;
  p.outward = (float3)(0.0f, 0.0f, 0.0f);
  p.radius = 0.0f;
  return p;
}

// Kinds 1 and 2: point `at` against element k.
OUTLINED void capsule_meets_element(GroundRef g, Site* s, const Body* b, uint at, uint k, Sink* sink) {
  const CapsulePoint p = capsule_point(s, k, b, at);
  element_point(g, s, k, SHAPE_CAPSULE, b, p.x, p.radius, p.outward,
                at < 2u && dot3(k == 0u ? s->n1 : s->n2, p.outward) <= 0.0f, p.body, sink);
}
INLINED void capsule_elements(GroundRef g, Site* s, const Body* b, Sink* sink) {
  const uint elements = reached_elements(s);
  uint deep = 0u;  // bit 2 p + k: point p meets element k
  ROLLED
  for (uint at = 0u; elements != 0u && at < 6u; ++at) {
    const uint k = at & 1u;
    if (!(elements >> k & 1u)) continue;
    if (at >= 4u && abs_f(dot3(b->z, k == 0u ? s->n1 : s->n2)) > 0.70710678f) continue;
    const CapsulePoint p = capsule_point(s, k, b, at >> 1);
    if (is_deep(s, k, p.x, p.radius, sink->margin)) deep |= 1u << at;
  }
  ROLLED
  EACH_BIT(at, deep) {
    capsule_meets_element(g, s, b, at >> 1, at & 1u, sink);
  }
}

OUTLINED void capsule_edge(GroundRef g, Site* s, const Body* b, uint k, Sink* sink) {
  Edge e;
  if (!edge_at(g, s, k, SHAPE_CAPSULE, b, sink->margin, &e)) return;
  LIFT_HERE(lift_edge(s, SHAPE_CAPSULE, b, &e));
  rounded_points_edge(g, s, SHAPE_CAPSULE, b, 0u, 3u, &e, k, sink);
  capsule_axis_edge(g, s, &e, k, b, sink);
}

INLINED void capsule_site(GroundRef g, Site* s, const Body* b, Sink* sink) {
  const uint ends = 3u;
  capsule_elements(g, s, b, sink);
  if (s->flat) return;
  if (!s->above_1) {
    ROLLED
    EACH_BIT(k, REACHED_EDGES(s->features)) {
      capsule_edge(g, s, b, k, sink);
    }
  }
  if ((s->features & REACH_VERTEX) && (!s->above_1 || is_steep_pit(g, s->i, s->j)))
    rounded_points_vertex(g, s, SHAPE_CAPSULE, b, 0u, ends, sink);
  if ((s->features & REACH_VERTEX) && !s->above_1) {
    const float reach = b->radius_bound + sink->margin;
    if (dot3(s->v0, s->v0) < reach * reach) capsule_vertex(g, s, b, sink);
    LIFT_HERE(lift_vertex(g, s, SHAPE_CAPSULE, b));
  }
  if (centre_is_off_ground(g, SHAPE_CAPSULE, b)) rounded_points_walls(g, s, SHAPE_CAPSULE, b, 2u, sink);
  LIFT_HERE(lift_centre(g, s, SHAPE_CAPSULE, b));
  LIFT_HERE(emit_lift(g, sink, s));
}

TERRAIN_KERNEL(narrow_phase_capsule_terrain, SHAPE_CAPSULE, capsule_site)
