// The least penetration of two bodies by search over all directions, with a proven bound of its error.
//
// The overlap along n of docs/body_contacts.md is the support function of one convex solid, the sum of both bodies
// moved by c (the vector from A's centre to B's). Without the radius of rounded bodies that solid is a sum of segments,
// discs and hulls of points; a radius adds the same to every direction.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "reference/body.hpp"

namespace oclide::reference {

/// The search goes on until the error is proven to be below this part of the bodies' size.
inline constexpr double kProvenPart = 1e-6;

struct LeastPenetration {
  double depth;            // the least overlap that was found [m]; negative: -distance
  dvec3 normal;            // unit, from B toward A; the overlap along it is `depth`, but for the preference of faces
  double uncertainty = 0;  // no direction has an overlap below depth - uncertainty [m]
};

/// f(n): how far A must move along the unit vector n until a plane across n separates the two. Not for half spaces.
[[nodiscard]] double overlap_along(const Body& a, const Body& b, dvec3 c, dvec3 n);

/// Outward normals of flat faces: of a box its six sides, of a cylinder its two bases, of a hull all its faces; rounded
/// shapes have none.
[[nodiscard]] std::vector<dvec3> face_normals(const Body& body);

/// Empty when they are `apart` or farther from each other [m]. `likely` are further directions, of any length and
/// either sense, that may have the least overlap; the axes of both bodies and their cross products are always looked
/// at.
[[nodiscard]] std::optional<LeastPenetration> least_penetration(const Body& a, const Body& b, dvec3 c, double apart,
                                                                std::span<const dvec3> likely = {});

}  // namespace oclide::reference
