// Cylinder against half space (Strashnov and Torgashev 2020, and its reference 17 on planes); see
// docs/body_contacts.md.
//
//   standing: axis within 45 degrees of n        lying
//         |      |                                 ___________
//         |__C1__| B1                             |           |
//     D   A1  .  D'  rim points of the lower      |___________|
//         n ^        base, A1 the lowest           A1        A2   ends of the lowest line of the side
//
// Features of the cylinder: rim 2, 3 of base 0 (+z), 1 and 8 times which point of it; 4 in between on the side.
// Launch and output: kernels/pairs/half_space.clh. Reference: host/reference/narrow_phase/cylinder_half_space.cpp.
#include "pairs/half_space.clh"
#pragma OPENCL FP_CONTRACT OFF

// A base whose rim rises by less than twice this stands level [m]: its points are those on the cylinder's own x and y,
// which do not turn with rounding.
#define LEVEL 2e-5f

// The point of the base's rim in this direction, if it is deep enough. Directions are unit and across the axis.
void add_rim(Manifold* m, float3 centre, float3 direction, float radius, float depth, float margin, uint feature) {
  if (depth > -margin) manifold_add(m, centre + direction * radius, depth, pair_feature(feature, 0u));
}

// A base that is not level but flat, and half out: four points of the part of its disc that is in, on the rim at the
// lowest point, half way to where it comes out, there, and opposite. `level` is the depth where it comes out; depths
// are centre_depth + drop * cosine of the angle from the lowest point.
void add_segment(Manifold* m, float3 centre, float3 w, float3 d, float radius, float centre_depth, float drop,
                 float level, float margin, uint rim) {
  const float x = div_rn(level - centre_depth, drop);
  const float y = sqrt_rn(max_f(1.0f - x * x, 0.0f));
  if (!(radius * y > 2.0f * SAME_POINT)) return;
  const float half_x = sqrt_rn(max_f(0.5f + 0.5f * x, 0.0f)), half_y = sqrt_rn(max_f(0.5f - 0.5f * x, 0.0f));
  add_rim(m, centre, w * half_x + d * half_y, radius, centre_depth + drop * half_x, margin, rim + 8u * 4u);
  add_rim(m, centre, w * x + d * y, radius, level, margin, rim + 8u * 5u);
  // The part is more than two thirds of the rim: half way round the rest of it. Else where it comes out.
  if (x < -0.5f)
    add_rim(m, centre, w * -half_x - d * half_y, radius, centre_depth - drop * half_x, margin, rim + 8u * 6u);
  else
    add_rim(m, centre, w * x - d * y, radius, level, margin, rim + 8u * 6u);
}

void cylinder_half_space(const Body* a, float3 n, float height, float margin, Manifold* m) {
  const float radius = a->size.x, slope = dot3(n, a->z);
  const float3 base = (slope > 0.0f ? -a->z : a->z) * a->size.y;
  const uint rim = slope > 0.0f ? 3u : 2u;
  const float base_height = height - abs_f(slope) * a->size.y;
  // n's part across the axis, turned down; from its components, as the difference n - (n z) z would cancel.
  const float3 across = a->x * -dot3(n, a->x) - a->y * dot3(n, a->y);
  const float steepness = length3(across), drop = radius * steepness;
  if (!(drop - base_height > -margin)) return;

  if (slope * slope < 0.5f) {
    const float3 w = across * div_rn(radius, steepness);
    add_line(m, abs_f(slope) <= FLAT, margin, base + w, drop - base_height, rim, w - base,
             drop - (height + abs_f(slope) * a->size.y), 5u - rim, 4u);
    return;
  }
  if (drop <= LEVEL) {
    for (uint k = 0u; k < 4u; ++k) {
      const float3 axis = k < 2u ? a->x : a->y, direction = k % 2u == 0u ? axis : -axis;
      add_rim(m, base, direction, radius, -(base_height + radius * dot3(n, direction)), margin, rim + 8u * (7u + k));
    }
    deepest_first(m);
    return;
  }
  const float3 w = across * div_rn(1.0f, steepness);
  const float3 d = cross3(a->z, w);
  const float deepest = drop - base_height;
  add_rim(m, base, w, radius, deepest, margin, rim);
  if (steepness <= FLAT && !(-drop - base_height > -margin)) {
    add_segment(m, base, w, d, radius, -base_height, drop, clip_level(deepest, margin), margin, rim);
    return;
  }
  add_rim(m, base, -w, radius, -drop - base_height, margin, rim + 8u);
  add_rim(m, base, d, radius, -base_height, margin, rim + 8u * 2u);
  add_rim(m, base, -d, radius, -base_height, margin, rim + 8u * 3u);
}

HALF_SPACE_KERNEL(narrow_phase_cylinder_half_space, SHAPE_CYLINDER, cylinder_half_space)
