// Box against terrain: eight corners as rounded points of no radius (kind 1), the ground's convex edges (kind 3) and
// vertices (kind 4) against its faces and edges, walls (kind 5); see docs/terrain_contacts.md.
//
// Launch and output: kernels/terrain/candidate.clh. Reference: host/reference/narrow_phase/box_terrain.cpp.
#include "terrain/candidate.clh"
#include "terrain/edge_terrain.clh"
#include "terrain/element_terrain.clh"
#include "terrain/lift_terrain.clh"
#include "terrain/rounded_point_terrain.clh"
#pragma OPENCL FP_CONTRACT OFF

// Kind 4: the face through which the vertex leaves the box soonest, if it may push at the vertex.
OUTLINED void box_vertex(GroundRef g, const Site* s, const Body* b, Sink* sink) {
  const float3 v = s->v0;
  if (outside_distance(SHAPE_BOX, b, v) > sink->margin) return;
  float best = 1e30f, least = 1e30f;
  float3 m = (float3)(0.0f, 0.0f, 0.0f);
  uint face = 0u;
  ROLLED
  for (uint k = 0u; k < 6u; ++k) {
    const float3 axis = k < 2u ? b->x : (k < 4u ? b->y : b->z);
    const float extent = k < 2u ? b->size.x : (k < 4u ? b->size.y : b->size.z);
    const float3 inward = k % 2u == 0u ? -axis : axis;
    const float depth = extent + dot3(v, inward);
    const float leaning = leaning_depth(depth, into_body(b, inward));
    if (!is_shorter_way(depth, leaning, best, least)) continue;
    least = leaning;
    best = depth;
    m = inward;
    face = k;
  }
  const float3 p = v - m * best;
  // Within the margin: straight off that face alone.
  if (best < 0.0f && outside_distance(SHAPE_BOX, b, p) > OFF_SIDE_SLACK) return;
  if (m.z >= 0.0f && vertex_is_extreme(g, s->i, s->j, m))
    report(g, sink, p, m, best, feature_id(s->i, s->j, FEATURE_VERTEX, 8u + face), vertex_material(g, s));
}

// Kind 1: corner p against element k.
OUTLINED void box_corner(GroundRef g, Site* s, const Body* b, uint p, uint k, Sink* sink) {
  const float3 none = (float3)(0.0f, 0.0f, 0.0f), n = k == 0u ? s->n1 : s->n2;
  const uint lowest =
      (dot3(b->x, n) < 0.0f ? 1u : 0u) | (dot3(b->y, n) < 0.0f ? 2u : 0u) | (dot3(b->z, n) < 0.0f ? 4u : 0u);
  element_point(g, s, k, SHAPE_BOX, b, rounded_point(SHAPE_BOX, b, p), 0.0f, none, p == lowest, p, sink);
}

// Kind 1: the corners against the site's elements. Returns those that can reach the plane of element 1, where the edges
// and the vertex lie.
OUTLINED uint box_corners(GroundRef g, Site* s, const Body* b, Sink* sink) {
  // The corners that may be under the ground here: those below the highest vertex of the cell.
  const float top = max_f(max_f(s->v0.z, s->v1.z), max_f(s->v2.z, s->v3.z)) + sink->margin;
  const uint elements = !s->cell ? 0u : (s->flat || s->above_2 ? s->features & REACH_ELEMENT_1 : s->features);
  uint kept = 0u, deep = 0u;  // bit 2 p + k of `deep`: corner p is to meet element k
  ROLLED
  for (uint p = 0u; p < 8u; ++p) {
    const float3 x = rounded_point(SHAPE_BOX, b, p);
    if (x.z > top) continue;
    // Where the diagonal rises one edge is element 2's.
    if (!s->cell || site_rises(s) || !(s->features & NEED_NORMAL_1)) kept |= 1u << p;
    ROLLED
    for (uint k = 0u; k < 2u; ++k) {
      if (!s->cell || !(k == 0u ? s->features & NEED_NORMAL_1 : elements & REACH_ELEMENT_2)) continue;
      const float3 v = k == 0u ? s->v0 : s->v3, n = k == 0u ? s->n1 : s->n2;
      const float below = ((v.x - x.x) * n.x + (v.y - x.y) * n.y) + (v.z - x.z) * n.z;
      if (!(below + sink->margin > 0.0f)) continue;
      if (k == 0u) kept |= 1u << p;
      if (k == 0u && (s->above_1 || !(elements & REACH_ELEMENT_1))) continue;
      if (s->flat || corner_meets(g, s, k, b, x, n, below)) deep |= 1u << (2u * p + k);
    }
  }
  ROLLED
  EACH_BIT(at, deep) {
    box_corner(g, s, b, at >> 1, at & 1u, sink);
  }
  return kept;
}

OUTLINED void box_edge(GroundRef g, Site* s, const Body* b, uint k, uint points, Sink* sink) {
  Edge e;
  if (!edge_at(g, s, k, SHAPE_BOX, b, sink->margin, &e)) return;
  LIFT_HERE(lift_edge(s, SHAPE_BOX, b, &e));
  rounded_points_edge(g, s, SHAPE_BOX, b, 0u, points, &e, k, sink);
  body_edge(g, s, &e, k, SHAPE_BOX, b, sink);
}

INLINED void box_site(GroundRef g, Site* s, const Body* b, Sink* sink) {
  uint points = box_corners(g, s, b, sink);
  if (s->flat) return;
  if (!s->above_1) {
    ROLLED
    EACH_BIT(k, REACHED_EDGES(s->features)) {
      box_edge(g, s, b, k, points, sink);
    }
    if (s->features & REACH_VERTEX) {
      box_vertex(g, s, b, sink);
      LIFT_HERE(lift_vertex(g, s, SHAPE_BOX, b));
    }
  }
  if (s->features & REACH_VERTEX) {
    // In a pit those above the plane of element 1 count too.
    if (is_steep_pit(g, s->i, s->j)) points = 0xFFu;
    rounded_points_vertex(g, s, SHAPE_BOX, b, 0u, points, sink);
  }
  if (centre_is_off_ground(g, SHAPE_BOX, b)) rounded_points_walls(g, s, SHAPE_BOX, b, 8u, sink);
  LIFT_HERE(lift_centre(g, s, SHAPE_BOX, b));
  LIFT_HERE(emit_lift(g, sink, s));
}

TERRAIN_KERNEL(narrow_phase_box_terrain, SHAPE_BOX, box_site)
