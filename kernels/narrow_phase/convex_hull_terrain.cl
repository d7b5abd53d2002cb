// Convex hull against terrain: its vertices as rounded points of no radius (kind 1), the ground's convex edges (kind 3)
// and vertices (kind 4) against its faces and edges, walls (kind 5); see docs/terrain_contacts.md and
// docs/convex_hulls.md. A hull may have any number of vertices: they are gone through in blocks.
//
// Launch and output: kernels/terrain/candidate.clh. Reference: host/reference/narrow_phase/convex_hull_terrain.cpp.
#include "terrain/candidate.clh"
#include "terrain/edge_terrain.clh"
#include "terrain/element_terrain.clh"
#include "terrain/lift_terrain.clh"
#include "terrain/rounded_point_terrain.clh"
#pragma OPENCL FP_CONTRACT OFF

// Kind 4: the face through which the vertex leaves the hull soonest, if it may push at the vertex.
OUTLINED void convex_hull_vertex(GroundRef g, const Site* s, const Body* b, Sink* sink) {
  __global const uint* hull = b->hull;
  const float3 v = s->v0, in_body = into_body(b, v);
  const uint faces = hull[HULL_FACES];
  float best = 1e30f, least = 1e30f;
  uint face = 0u;
  ROLLED
  for (uint k = 0u; k < faces; ++k) {
    const float4 plane = hull_face(hull, k);
    const float depth = plane.w - dot3(plane.xyz, in_body);
    if (depth < -sink->margin) return;
    const float leaning = leaning_depth(depth, -plane.xyz);
    if (!is_shorter_way(depth, leaning, best, least)) continue;
    least = leaning;
    best = depth;
    face = k;
  }
  const float3 m = out_of_body(b, -hull_face(hull, face).xyz);
  const float3 p = v - m * best;
  // Within the margin: straight off that face alone.
  if (best < 0.0f && outside_distance(SHAPE_CONVEX_HULL, b, p) > OFF_SIDE_SLACK) return;
  if (m.z >= 0.0f && vertex_is_extreme(g, s->i, s->j, m))
    report(g, sink, p, m, best, feature_id(s->i, s->j, FEATURE_VERTEX, face_number(face, 2u)), vertex_material(g, s));
}

// Of vertices [first, last), at most 16, those that are to meet element k (0 or 1) of the site: bit 2 p + k. `top`:
// none above it touches the cell.
uint vertices_to_meet(GroundRef g, const Site* s, const Body* b, uint elements, float top, float margin, uint first,
                      uint last) {
  uint meets = 0u;
  ROLLED
  for (uint p = first; p < last; ++p) {
    const float3 x = rounded_point(SHAPE_CONVEX_HULL, b, p);
    if (x.z > top) continue;
    ROLLED
    for (uint k = 0u; k < 2u; ++k) {
      if (!(elements >> k & 1u)) continue;
      const float3 v = k == 0u ? s->v0 : s->v3, n = k == 0u ? s->n1 : s->n2;
      const float below = ((v.x - x.x) * n.x + (v.y - x.y) * n.y) + (v.z - x.z) * n.z;
      if (below + margin > 0.0f && (s->flat || corner_meets(g, s, k, b, x, n, below)))
        meets |= 1u << (2u * (p - first) + k);
    }
  }
  return meets;
}

// Kind 1: the vertices against the site's elements.
OUTLINED void vertices_on_elements(GroundRef g, Site* s, const Body* b, Sink* sink) {
  const float3 none = (float3)(0.0f, 0.0f, 0.0f);
  __global const uint* hull = b->hull;
  const uint elements = reached_elements(s), count = elements != 0u ? hull[HULL_VERTICES] : 0u;
  const float top = max_f(max_f(s->v0.z, s->v1.z), max_f(s->v2.z, s->v3.z)) + sink->margin;
  uint lowest_1 = count, lowest_2 = count;  // the vertices farthest against the normals, once they are asked for
  ROLLED
  for (uint first = 0u; first < count; first += 16u) {
    const uint meets = vertices_to_meet(g, s, b, elements, top, sink->margin, first, min(first + 16u, count));
    ROLLED
    EACH_BIT(at, meets) {
      const uint p = first + (at >> 1), k = at & 1u;
      uint lowest = k == 0u ? lowest_1 : lowest_2;
      if (lowest == count) {
        lowest = hull_farthest_vertex(hull, into_body(b, -(k == 0u ? s->n1 : s->n2)));
        if (k == 0u)
          lowest_1 = lowest;
        else
          lowest_2 = lowest;
      }
      element_point(g, s, k, SHAPE_CONVEX_HULL, b, rounded_point(SHAPE_CONVEX_HULL, b, p), 0.0f, none, p == lowest, p,
                    sink);
    }
  }
}

// The vertices from `first` on, at most 32, as a mask of points.
uint block_of_vertices(uint count, uint first) {
  return count - first < 32u ? (1u << (count - first)) - 1u : ~0u;
}

OUTLINED void convex_hull_edge(GroundRef g, Site* s, const Body* b, uint k, Sink* sink) {
  const uint count = b->hull[HULL_VERTICES];
  Edge e;
  if (!edge_at(g, s, k, SHAPE_CONVEX_HULL, b, sink->margin, &e)) return;
  LIFT_HERE(lift_edge(s, SHAPE_CONVEX_HULL, b, &e));
  // From under a ridge no way out leads to it.
  if (!e.flat && (!e.convex || sink->margin > 0.0f)) {
    ROLLED
    for (uint first = 0u; first < count; first += 32u)
      rounded_points_edge(g, s, SHAPE_CONVEX_HULL, b, first, block_of_vertices(count, first), &e, k, sink);
  }
  body_edge(g, s, &e, k, SHAPE_CONVEX_HULL, b, sink);
}

INLINED void convex_hull_site(GroundRef g, Site* s, const Body* b, Sink* sink) {
  const uint count = b->hull[HULL_VERTICES];
  vertices_on_elements(g, s, b, sink);
  if (s->flat) return;
  if (!s->above_1) {
    ROLLED
    EACH_BIT(k, REACHED_EDGES(s->features)) {
      convex_hull_edge(g, s, b, k, sink);
    }
    if (s->features & REACH_VERTEX) {
      convex_hull_vertex(g, s, b, sink);
      LIFT_HERE(lift_vertex(g, s, SHAPE_CONVEX_HULL, b));
    }
  }
  // In a pit those above the plane of element 1 count too.
  if ((s->features & REACH_VERTEX) && (!s->above_1 || is_steep_pit(g, s->i, s->j))) {
    ROLLED
    for (uint first = 0u; first < count; first += 32u)
      rounded_points_vertex(g, s, SHAPE_CONVEX_HULL, b, first, block_of_vertices(count, first), sink);
  }
  if (centre_is_off_ground(g, SHAPE_CONVEX_HULL, b)) rounded_points_walls(g, s, SHAPE_CONVEX_HULL, b, count, sink);
  LIFT_HERE(lift_centre(g, s, SHAPE_CONVEX_HULL, b));
  LIFT_HERE(emit_lift(g, sink, s));
}

TERRAIN_KERNEL(narrow_phase_convex_hull_terrain, SHAPE_CONVEX_HULL, convex_hull_site)
