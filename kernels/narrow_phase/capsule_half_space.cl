// Capsule against half space: the lower end's lowest point, and the other end's point on the line of the side that
// looks down; see docs/body_contacts.md.
//
//       n |      ( end 1 )         the capsule's features: end 0 (at +z), end 1; 2 where a flat side comes out between
//         |     /       /
//      ___|____/_Q_____P1___       P = lower end - r n, P1 = upper end + r w, w across the axis, steepest down: both
//             (  P   )             on the surface where a line along n enters it
//
// Launch and output: kernels/pairs/half_space.clh. Reference: host/reference/narrow_phase/capsule_half_space.cpp.
#include "pairs/half_space.clh"
#pragma OPENCL FP_CONTRACT OFF

void capsule_half_space(const Body* a, float3 n, float height, float margin, Manifold* m) {
  const float radius = a->size.x, slope = dot3(n, a->z);
  const float3 to_lower = slope > 0.0f ? -a->z : a->z;
  const uint lower = slope > 0.0f ? 1u : 0u;
  const float rise = abs_f(slope) * a->size.y;
  const float3 end = to_lower * a->size.y;
  const float depth = radius - (height - rise);
  // n's part across the axis, turned down; from its components, as the difference n - (n z) z would cancel.
  const float3 across = a->x * -dot3(n, a->x) - a->y * dot3(n, a->y);
  const float steepness = length3(across);
  const bool lies = slope * slope <= 0.5f && a->size.y + a->size.y > SAME_POINT;
  if (!lies) {
    if (depth > -margin) manifold_add(m, end - n * radius, depth, pair_feature(lower, 0u));
    return;
  }
  const float3 w = across * div_rn(radius, steepness);
  add_line(m, abs_f(slope) <= FLAT, margin, end - n * radius, depth, lower, w - end,
           radius * steepness - (height + rise), 1u - lower, 2u);
}

HALF_SPACE_KERNEL(narrow_phase_capsule_half_space, SHAPE_CAPSULE, capsule_half_space)
