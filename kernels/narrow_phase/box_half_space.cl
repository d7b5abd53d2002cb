// Box against half space: the corners of the face that looks down most, those that are deep enough; see
// docs/body_contacts.md.
//
//        n |    __--/            corner number: bits 0, 1, 2 for the + side of x, y, z
//          |   /   /--__         a face that is flat but half out: also the two points of its sides where it comes out,
//      ____|__/___/____/___          numbered 8 + 8 * lower corner + upper corner
//            P1--P0
//
// Launch and output: kernels/pairs/half_space.clh. Reference: host/reference/narrow_phase/box_half_space.cpp.
#include "pairs/half_space.clh"
#pragma OPENCL FP_CONTRACT OFF

typedef struct Polygon {
  float3 point[5];
  float depth[5];
  uint feature[5];
  uint count;
} Polygon;

void polygon_add(Polygon* p, float3 point, float depth, uint feature) {
  p->point[p->count] = point;
  p->depth[p->count] = depth;
  p->feature[p->count] = feature;
  p->count += 1u;
}

// The part of the rectangle (corners in turn) that is deeper than `level`.
void clip_rectangle(const float3* corner, const float* depth, const uint* feature, float level, Polygon* clipped) {
  clipped->count = 0u;
  for (uint k = 0u; k < 4u; ++k) {
    const uint next = (k + 1u) & 3u;
    const bool in = depth[k] > level;
    if (in) polygon_add(clipped, corner[k], depth[k], feature[k]);
    if (in == (depth[next] > level)) continue;
    const uint low = min(feature[k], feature[next]), high = max(feature[k], feature[next]);
    polygon_add(clipped, clip_point(corner[k], depth[k], corner[next], depth[next], level), level,
                8u + 8u * low + high);
  }
}

// Of five points the one that adds least to the area.
uint least_corner(const Polygon* p) {
  uint least = 0u;
  float least_area = 1e30f;
  for (uint k = 0u; k < 5u; ++k) {
    const float3 from = p->point[k == 0u ? 4u : k - 1u];
    const float3 area = cross3(p->point[k] - from, p->point[k == 4u ? 0u : k + 1u] - from);
    const float size = dot3(area, area);
    if (!(size < least_area)) continue;
    least_area = size;
    least = k;
  }
  return least;
}

void box_half_space(const Body* a, float3 n, float height, float margin, Manifold* m) {
  const float3 slope = (float3)(dot3(n, a->x), dot3(n, a->y), dot3(n, a->z));
  const float3 steep = (float3)(abs_f(slope.x), abs_f(slope.y), abs_f(slope.z));
  const float reach = (steep.x * a->size.x + steep.y * a->size.y) + steep.z * a->size.z;
  if (!(reach - height > -margin)) return;

  // The face, and its sides e0, e1 with the rise along them.
  const uint axis = steep.x >= steep.y && steep.x >= steep.z ? 0u : (steep.y >= steep.z ? 1u : 2u);
  const float3 ex = a->x * a->size.x, ey = a->y * a->size.y, ez = a->z * a->size.z;
  const float3 rise = slope * a->size;
  const float along = axis == 0u ? rise.x : (axis == 1u ? rise.y : rise.z);
  const float3 outward = axis == 0u ? ex : (axis == 1u ? ey : ez);
  const float3 face = along > 0.0f ? -outward : outward;
  const float3 e0 = axis == 0u ? ey : ex, e1 = axis == 2u ? ey : ez;
  const float rise0 = axis == 0u ? rise.y : rise.x, rise1 = axis == 2u ? rise.y : rise.z;
  const uint bit = 1u << axis, bit0 = axis == 0u ? 2u : 1u, bit1 = axis == 2u ? 2u : 4u;

  // Its corners in turn.
  const float face_depth = abs_f(along) - height;
  float3 corner[4];
  float depth[4];
  uint feature[4];
  uint inside = 0u;
  for (uint k = 0u; k < 4u; ++k) {
    const bool plus0 = k == 1u || k == 2u, plus1 = k >= 2u;
    corner[k] = face + ((plus0 ? e0 : -e0) + (plus1 ? e1 : -e1));
    depth[k] = face_depth - ((plus0 ? rise0 : -rise0) + (plus1 ? rise1 : -rise1));
    feature[k] = (along > 0.0f ? 0u : bit) | (plus0 ? bit0 : 0u) | (plus1 ? bit1 : 0u);
    if (depth[k] > -margin) ++inside;
  }

  const float3 off = axis == 0u ? (float3)(0.0f, slope.y, slope.z)
                                : (axis == 1u ? (float3)(slope.x, 0.0f, slope.z) : (float3)(slope.x, slope.y, 0.0f));
  const float level = clip_level(reach - height, margin);
  if (inside < 4u && dot3(off, off) <= FLAT * FLAT && level > -margin) {
    Polygon clipped;
    clip_rectangle(corner, depth, feature, level, &clipped);
    const uint left_out = clipped.count == 5u ? least_corner(&clipped) : 5u;
    for (uint k = 0u; k < clipped.count; ++k)
      if (k != left_out) manifold_add(m, clipped.point[k], clipped.depth[k], pair_feature(clipped.feature[k], 0u));
  } else {
    for (uint k = 0u; k < 4u; ++k)
      if (depth[k] > -margin) manifold_add(m, corner[k], depth[k], pair_feature(feature[k], 0u));
  }
  deepest_first(m);
}

HALF_SPACE_KERNEL(narrow_phase_box_half_space, SHAPE_BOX, box_half_space)
