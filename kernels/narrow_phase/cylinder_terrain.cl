// Cylinder against terrain (Strashnov and Torgashev 2020): base, side and rim contacts with elements (kind 2), edges
// (kind 3) and vertices (kind 4) of the ground inside the cylinder, walls (kind 5); see docs/terrain_contacts.md.
//
//            v ^     A2
//        +-----|-----+        A_i = C_i + r w: the lowest rim points along n
//        |     C     |        B1 = C1 - r w, D1 = C1 +- r (v x w)
//     B1 +-----C1----+ A1     w = unit((v.n) v - n)
//      ----------------------  element, normal n
//
// Launch and output: kernels/terrain/candidate.clh. Reference: host/reference/narrow_phase/cylinder_terrain.cpp.
#include "terrain/candidate.clh"
#include "terrain/edge_terrain.clh"
#include "terrain/element_terrain.clh"
#include "terrain/lift_terrain.clh"
#include "terrain/wall_terrain.clh"
#pragma OPENCL FP_CONTRACT OFF

// Up to this sine a base is level with an element, and the points of its rim stand the same way on all elements of a
// face: their normals differ by rounding, and a body at rest trembles.
#define LEVEL_BASE 1e-5f

// Kind 2 for element k (0, 1); kind 5 with the wall's direction in place of the normal. The points are put together
// when they are asked for: an array of them would lie in memory.
typedef struct RimPoints {
  float3 lower, upper;  // middles of the bases
  float3 out, side;     // from them to A, and to D1
  uint base;            // the feature of A1
  uint count;           // A1, A2, B1, +D1, -D1
} RimPoints;

INLINED void rim_points(const Body* b, float3 n, float3 level, RimPoints* rim) {
  const float along = dot3(b->z, n);
  const float3 v = along < 0.0f ? -b->z : b->z;  // from the lower base to the upper one
  const float3 across = cross3(b->z, n);
  const float3 w = dot3(across, across) < LEVEL_BASE * LEVEL_BASE ? unit3(across_axis(b, level)) : rim_direction(b, n);
  const float r = b->size.x, h = b->size.y;
  rim->lower = v * -h;
  rim->upper = v * h;
  rim->out = w * r;
  rim->side = cross3(v, w) * r;
  rim->base = along < 0.0f ? 4u : 0u;
  rim->count = abs_f(along) >= 0.70710678f ? 5u : 2u;
}
INLINED float3 rim_point(const RimPoints* rim, uint p) {
  const float3 middle = p == 1u ? rim->upper : rim->lower, way = p < 3u ? rim->out : rim->side;
  return p == 2u || p == 4u ? middle - way : middle + way;
}
// Which base a point is on, and where: the same while the cylinder rolls and A1 and A2 change roles.
INLINED uint rim_feature(const RimPoints* rim, uint p) {
  return p == 1u ? 4u - rim->base : rim->base + (p == 0u ? 0u : p - 1u);
}

// Kind 4: the side or base through which the vertex leaves the cylinder soonest, if it may push at it.
OUTLINED void cylinder_vertex(GroundRef g, const Site* s, const Body* b, Sink* sink) {
  const float3 v = s->v0;
  if (outside_distance(SHAPE_CYLINDER, b, v) > sink->margin) return;
  const float z = dot3(v, b->z);
  const float3 radial = v - b->z * z;
  const float radius = length3(radial);
  float best = 1e30f, least = 1e30f;
  float3 m = (float3)(0.0f, 0.0f, 0.0f);
  uint side = 0u;
  for (uint k = 0u; k < 3u; ++k) {
    if (k == 2u && !(radius > 1e-7f)) continue;
    const float3 inward = k == 0u ? -b->z : (k == 1u ? b->z : radial * div_rn(-1.0f, radius));
    const float depth = k == 0u ? b->size.y - z : (k == 1u ? b->size.y + z : b->size.x - radius);
    const float leaning = leaning_depth(depth, into_body(b, inward));
    if (!is_shorter_way(depth, leaning, best, least)) continue;
    least = leaning;
    best = depth;
    m = inward;
    side = k;
  }
  const float3 p = v - m * best;
  // Within the margin: straight off that side or base alone.
  if (best < 0.0f && outside_distance(SHAPE_CYLINDER, b, p) > OFF_SIDE_SLACK) return;
  if (m.z >= 0.0f && vertex_is_extreme(g, s->i, s->j, m))
    // The side as edges know it: where a ridge leads through the vertex both have the same contact.
    report(g, sink, p, m, best, feature_id(s->i, s->j, FEATURE_VERTEX, side == 2u ? 20u : 8u + side),
           vertex_material(g, s));
}

// Kind 5.
OUTLINED void cylinder_walls(GroundRef g, const Site* s, const Body* b, Sink* sink) {
  ROLLED
  for (uint k = 0u; k < 2u; ++k) {
    Edge e;
    if (!wall_at(g, s, k, &e) || !edge_under_body(SHAPE_CYLINDER, b, &e)) continue;
    RimPoints rim;
    rim_points(b, wall_outward(&e), (float3)(0.0f, 0.0f, 1.0f), &rim);
    ROLLED
    for (uint p = 0u; p < rim.count; ++p)
      wall_point(g, s, &e, SHAPE_CYLINDER, rim_point(&rim, p), k, rim_feature(&rim, p), false, sink);
  }
}

OUTLINED void cylinder_element(GroundRef g, Site* s, const Body* b, uint k, Sink* sink) {
  const float3 none = (float3)(0.0f, 0.0f, 0.0f);
  RimPoints rim;
  rim_points(b, k == 0u ? s->n1 : s->n2, k == 0u ? s->v1 - s->v0 : s->v3 - s->v2, &rim);
  uint deep = 0u;
  for (uint p = 0u; p < rim.count; ++p)
    if (is_deep(s, k, rim_point(&rim, p), 0.0f, sink->margin)) deep |= 1u << p;
  ROLLED
  EACH_BIT(p, deep) {
    element_point(g, s, k, SHAPE_CYLINDER, b, rim_point(&rim, p), 0.0f, none, p == 0u, rim_feature(&rim, p), sink);
  }
}

OUTLINED void cylinder_edge(GroundRef g, Site* s, const Body* b, uint k, Sink* sink) {
  Edge e;
  if (!edge_at(g, s, k, SHAPE_CYLINDER, b, sink->margin, &e)) return;
  LIFT_HERE(lift_edge(s, SHAPE_CYLINDER, b, &e));
  body_edge(g, s, &e, k, SHAPE_CYLINDER, b, sink);
}

INLINED void cylinder_site(GroundRef g, Site* s, const Body* b, Sink* sink) {
  ROLLED
  EACH_BIT(k, reached_elements(s)) {
    cylinder_element(g, s, b, k, sink);
  }
  if (s->flat) return;
  if (!s->above_1) {
    ROLLED
    EACH_BIT(k, REACHED_EDGES(s->features)) {
      cylinder_edge(g, s, b, k, sink);
    }
    if (s->features & REACH_VERTEX) {
      cylinder_vertex(g, s, b, sink);
      LIFT_HERE(lift_vertex(g, s, SHAPE_CYLINDER, b));
    }
  }
  if (centre_is_off_ground(g, SHAPE_CYLINDER, b)) cylinder_walls(g, s, b, sink);
  LIFT_HERE(lift_centre(g, s, SHAPE_CYLINDER, b));
  LIFT_HERE(emit_lift(g, sink, s));
}

TERRAIN_KERNEL(narrow_phase_cylinder_terrain, SHAPE_CYLINDER, cylinder_site)
