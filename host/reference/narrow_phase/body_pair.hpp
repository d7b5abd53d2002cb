// Two bodies: depth, normal and manifold as docs/body_contacts.md defines them, in coordinates relative to the centre
// of A. c is the vector from A's centre to B's; a normal points from B toward A.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reference/narrow_phase/least_penetration.hpp"

namespace oclide::reference {

/// One point of contact.
struct PairContact {
  dvec3 point;            // on A's surface [m]
  double depth;           // [m]
  std::uint32_t feature;  // what meets: of A in the upper half, of B in the lower
};

struct PairManifold {
  dvec3 normal;                       // unit, from B toward A
  double depth;                       // of the pair: the least penetration [m]
  std::vector<PairContact> contacts;  // one to four, the deepest first
};

/// Depth and normal of two bodies in any order of shapes; empty when they are `apart` or farther from each other [m],
/// and for two half spaces.
[[nodiscard]] std::optional<LeastPenetration> pair_penetration(const Body& a, const Body& b, dvec3 c, double apart);

/// The overlap along n of any two bodies but two half spaces; infinite along directions that a half space forbids.
[[nodiscard]] double pair_overlap_along(const Body& a, const Body& b, dvec3 c, dvec3 n);

/// All of a pair; empty when nothing is deeper than -margin.
[[nodiscard]] std::optional<PairManifold> collide_pair(const Body& a, const Body& b, dvec3 c, double margin);

// Depth and normal for each pair of shapes; a has the first shape of the name. Empty as in pair_penetration.
using Penetration = std::optional<LeastPenetration>;
[[nodiscard]] Penetration sphere_sphere(const Body& a, const Body& b, dvec3 c, double apart);
[[nodiscard]] Penetration sphere_box(const Body& a, const Body& b, dvec3 c, double apart);
[[nodiscard]] Penetration sphere_cylinder(const Body& a, const Body& b, dvec3 c, double apart);
[[nodiscard]] Penetration sphere_capsule(const Body& a, const Body& b, dvec3 c, double apart);
[[nodiscard]] Penetration sphere_half_space(const Body& a, const Body& b, dvec3 c, double apart);
[[nodiscard]] Penetration box_box(const Body& a, const Body& b, dvec3 c, double apart);
[[nodiscard]] Penetration box_cylinder(const Body& a, const Body& b, dvec3 c, double apart);
[[nodiscard]] Penetration box_capsule(const Body& a, const Body& b, dvec3 c, double apart);
[[nodiscard]] Penetration box_half_space(const Body& a, const Body& b, dvec3 c, double apart);
[[nodiscard]] Penetration cylinder_cylinder(const Body& a, const Body& b, dvec3 c, double apart);
[[nodiscard]] Penetration cylinder_capsule(const Body& a, const Body& b, dvec3 c, double apart);
[[nodiscard]] Penetration cylinder_half_space(const Body& a, const Body& b, dvec3 c, double apart);
[[nodiscard]] Penetration capsule_capsule(const Body& a, const Body& b, dvec3 c, double apart);
[[nodiscard]] Penetration capsule_half_space(const Body& a, const Body& b, dvec3 c, double apart);

[[nodiscard]] Penetration sphere_convex_hull(const Body& a, const Body& b, dvec3 c, double apart);
[[nodiscard]] Penetration box_convex_hull(const Body& a, const Body& b, dvec3 c, double apart);
[[nodiscard]] Penetration cylinder_convex_hull(const Body& a, const Body& b, dvec3 c, double apart);
[[nodiscard]] Penetration capsule_convex_hull(const Body& a, const Body& b, dvec3 c, double apart);
[[nodiscard]] Penetration convex_hull_convex_hull(const Body& a, const Body& b, dvec3 c, double apart);
[[nodiscard]] Penetration convex_hull_half_space(const Body& a, const Body& b, dvec3 c, double apart);
/// Nearer to an axis than this part of the size, a point is on it: the direction from the axis would be rounding.
inline constexpr double kOnAxis = 1e-9;

/// {depth, normal}, or nothing when apart.
[[nodiscard]] inline Penetration unless_apart(double depth, dvec3 normal, double apart) {
  if (!(depth > -apart)) return std::nullopt;
  return LeastPenetration{depth, normal};
}

}  // namespace oclide::reference
