// Box against box: the 15 separating axes in the frame of the first (text 002), the likely ones first; see
// docs/body_contacts.md. Launch and output: kernels/common/pair.clh. Reference:
// host/reference/narrow_phase/box_box.cpp.
//
//   The overlap along an axis of the boxes or a cross product of two edges is the least of all when the boxes overlap.
//   When they are apart it is the distance between a corner and a face or between two edges; what other features are
//   nearest to each other shows from the corners of each against the other.
#include "common/manifold.clh"
#pragma OPENCL FP_CONTRACT OFF

#define PREFER_APART 1e-6f       // a face is taken where it is within this length of an edge's axis [m]
#define MIN_SINE2 1e-12f         // of edges that are parallel; their cross product says nothing
#define EXACT_SINE2 1e-2f        // below, the short formula loses digits, and the axis is worked out

// Overlap along unit n, with n turned toward a.
float box_overlap(const Body* a, const Body* b, float3 c, float3* n) {
  const float along = dot3(*n, c);
  if (along > 0.0f) *n = -*n;
  return (reach_along(SHAPE_BOX, a, *n) + reach_along(SHAPE_BOX, b, *n)) - abs_f(along);
}

// The shortest way from a corner of `from` to the box `to`, whose centre is at c as seen from `from`'s: the difference
// and its square, when it is less than *least2.
void corners_to_box(const Body* from, const Body* to, float3 c, float3* least, float* least2) {
  for (uint k = 0u; k < 8u; ++k) {
    const float3 corner = (from->x * ((k & 1u) != 0u ? from->size.x : -from->size.x) +
                           from->y * ((k & 2u) != 0u ? from->size.y : -from->size.y)) +
                          from->z * ((k & 4u) != 0u ? from->size.z : -from->size.z);
    const float3 q = corner - c;
    const float x = dot3(q, to->x), y = dot3(q, to->y), z = dot3(q, to->z);
    const float3 d = (to->x * (x - max_f(-to->size.x, min_f(x, to->size.x))) +
                      to->y * (y - max_f(-to->size.y, min_f(y, to->size.y)))) +
                     to->z * (z - max_f(-to->size.z, min_f(z, to->size.z)));
    const float d2 = dot3(d, d);
    if (!(d2 < *least2)) continue;
    *least2 = d2;
    *least = d;
  }
}

void box_box(const Body* a, const Body* b, float3 c, float margin, Manifold* m) {
  const float reach = (a->radius_bound + b->radius_bound) + margin;
  if (!(dot3(c, c) < reach * reach)) return;

  // b's axes and centre in the frame of a: r[i][j] = a's axis i along b's axis j.
  const float3 t = (float3)(dot3(a->x, c), dot3(a->y, c), dot3(a->z, c));
  const float3 r0 = (float3)(dot3(a->x, b->x), dot3(a->x, b->y), dot3(a->x, b->z));
  const float3 r1 = (float3)(dot3(a->y, b->x), dot3(a->y, b->y), dot3(a->y, b->z));
  const float3 r2 = (float3)(dot3(a->z, b->x), dot3(a->z, b->y), dot3(a->z, b->z));
  const float3 p0 = (float3)(abs_f(r0.x), abs_f(r0.y), abs_f(r0.z));
  const float3 p1 = (float3)(abs_f(r1.x), abs_f(r1.y), abs_f(r1.z));
  const float3 p2 = (float3)(abs_f(r2.x), abs_f(r2.y), abs_f(r2.z));

  // The faces of a, then those of b. (Each sum in a fixed order.)
  const float3 over_a = (a->size + (float3)(dot3(p0, b->size), dot3(p1, b->size), dot3(p2, b->size))) -
                        (float3)(abs_f(t.x), abs_f(t.y), abs_f(t.z));
  if (over_a.x <= -margin || over_a.y <= -margin || over_a.z <= -margin) return;
  const float3 t_b = (r0 * t.x + r1 * t.y) + r2 * t.z;
  const float3 over_b = (b->size + ((p0 * a->size.x + p1 * a->size.y) + p2 * a->size.z)) -
                        (float3)(abs_f(t_b.x), abs_f(t_b.y), abs_f(t_b.z));
  if (over_b.x <= -margin || over_b.y <= -margin || over_b.z <= -margin) return;
  float face = over_a.x;
  float3 n = a->x * (t.x > 0.0f ? -1.0f : 1.0f);
  if (over_a.y < face) {
    face = over_a.y;
    n = a->y * (t.y > 0.0f ? -1.0f : 1.0f);
  }
  if (over_a.z < face) {
    face = over_a.z;
    n = a->z * (t.z > 0.0f ? -1.0f : 1.0f);
  }
  if (over_b.x < face) {
    face = over_b.x;
    n = b->x * (t_b.x > 0.0f ? -1.0f : 1.0f);
  }
  if (over_b.y < face) {
    face = over_b.y;
    n = b->y * (t_b.y > 0.0f ? -1.0f : 1.0f);
  }
  if (over_b.z < face) {
    face = over_b.z;
    n = b->z * (t_b.z > 0.0f ? -1.0f : 1.0f);
  }

  // The nine cross products of edges: (overlap, its axis in the frame of a) of the least.
  float edge = MAXFLOAT;
  float3 edge_axis = (float3)(0.0f, 0.0f, 0.0f);
  for (uint j = 0u; j < 3u; ++j) {
    const uint j1 = next_axis(j), j2 = next_axis(j1);
    const float3 along = (float3)(component(r0, j), component(r1, j), component(r2, j));
    const float3 size = (float3)(component(p0, j), component(p1, j), component(p2, j));
    const float size_1 = component(b->size, j1), size_2 = component(b->size, j2);
    const float3 across_1 = (float3)(component(p0, j1), component(p1, j1), component(p2, j1));
    const float3 across_2 = (float3)(component(p0, j2), component(p1, j2), component(p2, j2));
    const float3 of_b = across_2 * size_1 + across_1 * size_2;
    const float3 of_a = (float3)(a->size.y * size.z + a->size.z * size.y, a->size.z * size.x + a->size.x * size.z,
                                 a->size.x * size.y + a->size.y * size.x);
    const float3 apart =
        (float3)(t.z * along.y - t.y * along.z, t.x * along.z - t.z * along.x, t.y * along.x - t.x * along.y);
    const float3 over = (of_a + of_b) - (float3)(abs_f(apart.x), abs_f(apart.y), abs_f(apart.z));
    const float3 square = size * size;
    for (uint i = 0u; i < 3u; ++i) {
      const float sine2 = i == 0u ? square.y + square.z : (i == 1u ? square.z + square.x : square.x + square.y);
      if (!(sine2 > MIN_SINE2)) continue;
      const float3 axis = i == 0u   ? (float3)(0.0f, -along.z, along.y)
                          : i == 1u ? (float3)(along.z, 0.0f, -along.x)
                                    : (float3)(-along.y, along.x, 0.0f);
      const float per = div_rn(1.0f, sqrt_rn(sine2));
      float overlap = component(over, i) * per;
      // The axis is worked out where it may decide.
      if (sine2 < EXACT_SINE2) {
        const float3 u = axis * per;
        const float3 on_b = (r0 * u.x + r1 * u.y) + r2 * u.z;
        overlap = ((abs_f(u.x) * a->size.x + abs_f(u.y) * a->size.y) + abs_f(u.z) * a->size.z) +
                  ((abs_f(on_b.x) * b->size.x + abs_f(on_b.y) * b->size.y) + abs_f(on_b.z) * b->size.z);
        overlap -= abs_f(dot3(u, t));
      }
      if (overlap <= -margin) return;
      if (!(overlap < edge)) continue;
      edge = overlap;
      edge_axis = axis * per;
    }
  }
  const float3 face_n = n;
  float depth = face;
  if (edge < face - PREFER_APART) {
    depth = edge;
    n = unit3((a->x * edge_axis.x + a->y * edge_axis.y) + a->z * edge_axis.z);
    if (dot3(n, c) > 0.0f) n = -n;
  }

  // Apart, corners may be nearest to edges and corners, which no axis shows.
  if (depth < -FLAT_LENGTH) {
    float3 of_a = (float3)(0.0f, 0.0f, 0.0f), of_b = of_a;
    float least_a = MAXFLOAT, least_b = MAXFLOAT;
    corners_to_box(a, b, c, &of_a, &least_a);
    corners_to_box(b, a, -c, &of_b, &least_b);
    const float3 between = least_b < least_a ? -of_b : of_a;
    float3 way = unit3(between);
    if (dot3(way, way) > 0.0f) {
      // An axis along which the nearest points lie over each other stays.
      const float3 aside = between - n * dot3(between, n);
      float overlap = box_overlap(a, b, c, &way);
      // Nearly touching, the way is not exact: across an edge that it meets nearly at a right angle it is better.
      for (uint k = 0u; k < 6u; ++k) {
        const float3 e = k < 3u ? box_axis(a, k) : box_axis(b, k - 3u);
        const float along = dot3(way, e);
        if (!(abs_f(along) < 2e-3f)) continue;
        float3 across = unit3(way - e * along);
        const float better = box_overlap(a, b, c, &across);
        if (!(better < overlap)) continue;
        overlap = better;
        way = across;
      }
      if (overlap < depth && dot3(aside, aside) > FLAT_LENGTH * FLAT_LENGTH) {
        depth = overlap;
        n = way;
      }
    }
  }
  build_manifold_flat_first(SHAPE_BOX, a, SHAPE_BOX, b, c, face_n, face, n, depth, margin, m);
}

PAIR_KERNEL(narrow_phase_box_box, SHAPE_BOX, SHAPE_BOX, box_box)
