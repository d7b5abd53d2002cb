// Box against capsule: the capsule's segment against the box, less the radius; see docs/body_contacts.md. Launch and
// output: kernels/pairs/pair.clh. Reference: host/reference/narrow_phase/box_capsule.cpp.
//
//   Where the segment meets the box, the least overlap is along a face's normal or a cross product of the segment and
//   an edge. Where it is apart, the square of its distance from the box is convex along it, of at most seven parabolas:
//   the derivative is a line between its kinks.
#ifndef OCLIDE_FUSED_PAIRS
#define PAIR_A SHAPE_BOX
#define PAIR_B SHAPE_CAPSULE
#endif
#include "pairs/meeting.clh"
#pragma OPENCL FP_CONTRACT OFF

#define MIN_SINE2 1e-12f  // of a segment along an edge; their cross product says nothing

// How far a point in the box's frame is outside, along each axis, with its sign.
float3 excess_of(float3 size, float3 p) {
  return (float3)(p.x - max_f(-size.x, min_f(p.x, size.x)), p.y - max_f(-size.y, min_f(p.y, size.y)),
                  p.z - max_f(-size.z, min_f(p.z, size.z)));
}

// From the box to the nearest point of the segment t + s * d, |s| <= h, in the box's frame.
float3 segment_excess(float3 size, float3 t, float3 d, float h) {
  float low = -h, high = h;
  float slope_low = dot3(excess_of(size, t + d * low), d), slope_high = dot3(excess_of(size, t + d * high), d);
  if (slope_low >= 0.0f) return excess_of(size, t + d * low);
  if (slope_high <= 0.0f) return excess_of(size, t + d * high);
  // The kinks next to the root, where the segment passes the planes of the faces.
  for (uint k = 0u; k < 6u; ++k) {
    const uint axis = k >> 1;
    const float step = component(d, axis), face = component(size, axis);
    if (step == 0.0f) continue;
    const float s = div_rn(((k & 1u) != 0u ? face : -face) - component(t, axis), step);
    if (!(s > low && s < high)) continue;
    const float slope = dot3(excess_of(size, t + d * s), d);
    if (slope < 0.0f) {
      low = s;
      slope_low = slope;
    } else {
      high = s;
      slope_high = slope;
    }
  }
  // Between its ends the way is across the segment. A place on it has the rounding of its length, which would let the
  // normal lean against it.
  const float s = low - slope_low * div_rn(high - low, slope_high - slope_low);
  const float3 excess = excess_of(size, t + d * s);
  return excess - d * dot3(excess, d);
}

bool box_capsule(const Body* a, const Body* b, float3 c, float margin, Meeting* found) {
  const float reach = (a->radius_bound + b->radius_bound) + margin;
  if (!(dot3(c, c) < reach * reach)) return false;
  const float r = b->size.x, h = b->size.y;
  const float3 t = (float3)(dot3(a->x, c), dot3(a->y, c), dot3(a->z, c));
  const float3 d = (float3)(dot3(a->x, b->z), dot3(a->y, b->z), dot3(a->z, b->z));
  const float3 p = (float3)(abs_f(d.x), abs_f(d.y), abs_f(d.z));

  // Overlaps of the segment: along the faces' normals,
  const float3 over = (a->size + p * h) - (float3)(abs_f(t.x), abs_f(t.y), abs_f(t.z));
  float face = over.x;
  float3 n = (float3)(t.x > 0.0f ? -1.0f : 1.0f, 0.0f, 0.0f);
  if (over.y < face) {
    face = over.y;
    n = (float3)(0.0f, t.y > 0.0f ? -1.0f : 1.0f, 0.0f);
  }
  if (over.z < face) {
    face = over.z;
    n = (float3)(0.0f, 0.0f, t.z > 0.0f ? -1.0f : 1.0f);
  }
  if (face + r <= -margin) return false;

  // and along the cross products with its edges.
  float edge = MAXFLOAT;
  float3 edge_axis = n;
  for (uint i = 0u; i < 3u; ++i) {
    const float3 axis = i == 0u   ? (float3)(0.0f, -d.z, d.y)
                        : i == 1u ? (float3)(d.z, 0.0f, -d.x)
                                  : (float3)(-d.y, d.x, 0.0f);
    const float sine2 = dot3(axis, axis);
    if (!(sine2 > MIN_SINE2)) continue;
    const float3 u = axis * div_rn(1.0f, sqrt_rn(sine2));
    const float along = dot3(u, t);
    const float overlap =
        (((abs_f(u.x) * a->size.x + abs_f(u.y) * a->size.y) + abs_f(u.z) * a->size.z) + h * abs_f(dot3(u, d))) -
        abs_f(along);
    if (overlap + r <= -margin) return false;
    if (!(overlap < edge)) continue;
    edge = overlap;
    edge_axis = along > 0.0f ? -u : u;
  }

  // Apart from the segment, the nearest point of the box may be any; an axis will do along which the two nearest points
  // lie over each other.
  float nearest = MAXFLOAT;
  float3 nearest_axis = n;
  bool over_face = true, over_edge = true;
  if (min_f(face, edge) < 0.0f) {
    const float3 between = segment_excess(a->size, t, d, h);
    const float3 way = unit3(-between);
    if (dot3(way, way) > 0.0f) {
      nearest = (((abs_f(way.x) * a->size.x + abs_f(way.y) * a->size.y) + abs_f(way.z) * a->size.z) +
                 h * abs_f(dot3(way, d))) +
                dot3(way, t);
      nearest_axis = way;
      const float3 off_face = between - n * dot3(between, n), off_edge = between - edge_axis * dot3(between, edge_axis);
      over_face = dot3(off_face, off_face) < FLAT_LENGTH * FLAT_LENGTH;
      over_edge = dot3(off_edge, off_edge) < FLAT_LENGTH * FLAT_LENGTH;
    }
  }
  const float least = min_f(face, min_f(edge, nearest));
  if (least + r <= -margin) return false;
  const float3 face_n = n;
  float depth = face;
  if (edge < depth && over_edge && edge <= least + FLAT_LENGTH) {
    depth = edge;
    n = edge_axis;
  } else if (nearest < depth || !over_face) {
    depth = nearest;
    n = nearest_axis;
  }
  n = unit3((a->x * n.x + a->y * n.y) + a->z * n.z);
  put_found(found, n, depth + r, unit3((a->x * face_n.x + a->y * face_n.y) + a->z * face_n.z), face + r);
  return true;
}

MEETING_KERNEL(narrow_phase_box_capsule, SHAPE_BOX, SHAPE_CAPSULE, box_capsule, false, NO_LONG)
