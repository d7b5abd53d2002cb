// Convex hull against half space: of the face that is turned to it the corners that are deep enough, up to four of
// them; of a face that is flat but half out, also where it comes out. See docs/convex_hulls.md. Launch and output:
// kernels/pairs/half_space.clh. Reference: host/reference/narrow_phase/convex_hull_half_space.cpp.
#include "pairs/half_space.clh"
#include "pairs/polygon_patch.clh"
#pragma OPENCL FP_CONTRACT OFF

void convex_hull_half_space(const Body* a, float3 n, float height, float margin, Manifold* m) {
  const float deepest = convex_hull_reach_along(a, -n) - height;
  if (!(deepest > -margin)) return;
  FlatPolygon side;
  polygon_toward(SHAPE_CONVEX_HULL, a, -n, &side);
  const float3 w = three_of(side.x), up = w * side.x0, off = cross3(w, n);
  // A vertex whose faces are all but upright.
  if (!(dot3(w, n) < -STEEP_COSINE)) {
    const float3 d = into_body(a, -n);
    float reach;
    const uint vertex = hull_farthest(a->hull, d, &reach);
    manifold_add(m, out_of_body(a, hull_vertex(a->hull, vertex)), deepest, mixed_feature(vertex, 0u));
    return;
  }
  const float3 u = across_normal(w);
  Plane s = plane_of(u, cross3(w, u), w, up, -n);
  plane_set_other(&s, n, n * -height - up);
  polygon_draw(&side, a, &s, -up);
  const float level = clip_level(deepest, margin);
  const bool cuts = dot3(off, off) <= FLAT * FLAT && level > -margin;
  Patch patch;
  CornerChoice choice;
  choose_corners(&choice, &patch);
  do {
    float2 p = polygon_corner(&side, a, side.count - 1u);
    float depth = plane_depth(&s, p.x, p.y);
    ROLLED
    for (uint k = 0u; k < side.count; ++k) {
      // The side that ends at corner k: where it begins or comes in, and where it comes out.
      const float2 q = polygon_corner(&side, a, k);
      const float next = plane_depth(&s, q.x, q.y);
      const uint number = k == 0u ? side.count - 1u : k - 1u;
      if (depth > (cuts ? level : -margin))
        corner_found(&choice, &patch, p, mixed_feature(polygon_corner_feature(&side, a, number), 0u));
      if (cuts && (depth > level) != (next > level))
        corner_found(&choice, &patch, p + (q - p) * clamp01(div_rn(depth - level, depth - next)),
                     mixed_feature(polygon_side_feature(&side, a, number, false), 0u));
      p = q;
      depth = next;
    }
  } while (corners_go_on(&choice, &patch, &s));
  emit_patch(&patch, &s, false, n, margin, m);
  // A face that was made of several is thicker than its vertices say.
  for (uint k = 0u; k < m->count; ++k) m->depth[k] = min_f(m->depth[k], deepest);
}

HALF_SPACE_KERNEL(narrow_phase_convex_hull_half_space, SHAPE_CONVEX_HULL, convex_hull_half_space)
