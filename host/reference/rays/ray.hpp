// A ray as docs/rays.md defines it, and as it is seen from near what it may hit.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "oclide/oclide.hpp"
#include "reference/body.hpp"

namespace oclide::reference {

/// A ray from one of its points on, in the axes of the world, seen from a place beside it.
struct NearRay {
  dvec3 point;      // from that place [m]
  dvec3 direction;  // unit
  double before;    // from the ray's origin to `point`; 0: it is the origin [m]
  double length;    // from `point` on [m]
};

struct Ray {
  dvec3 origin;     // [m]
  dvec3 along;      // its direction times a power of two, so exactly; the greatest part is from 0.5 to 1
  dvec3 direction;  // unit
  double length = std::numeric_limits<double>::infinity();  // [m]
  std::uint32_t environment = 0;
  std::uint32_t mask = 0xFFFFFFFFu;

  /// The ray from so far on [m], seen from a place: with the digits of what is near, however far the origin is.
  [[nodiscard]] NearRay seen_from(dvec3 place, double before) const;
  /// From where on it may meet a sphere around a place, or somewhat before that [m].
  [[nodiscard]] double distance_to_sphere(dvec3 centre, double radius) const;
};
[[nodiscard]] Ray make_ray(dvec3 origin, dvec3 direction);
/// Rays that have been checked.
[[nodiscard]] Ray ray_at(const Rays& rays, std::size_t index);

/// Where a NearRay hits something first.
struct RayHit {
  double distance;  // from its point on [m]
  dvec3 normal;     // unit, out of what is hit, against the ray
  std::uint32_t element = kNone;
  std::uint8_t material = 0;
};

/// A body, seen from its centre. Empty where the ray misses it or ends before.
[[nodiscard]] std::optional<RayHit> body_ray(const Body& body, const NearRay& ray);
[[nodiscard]] std::optional<RayHit> triangle_mesh_ray(const Body& body, const NearRay& ray);

}  // namespace oclide::reference
