// Convex bodies and half spaces: the part of the ray's line that is in them.
#include "reference/rays/ray.hpp"

namespace oclide::reference {

std::optional<RayHit> body_ray(const Body& body, const NearRay& ray) {
  if (body.shape == Shape::triangle_mesh) return triangle_mesh_ray(body, ray);
  const bool begins_inside = ray.before == 0.0 && body.signed_distance(ray.point) <= 0.0;
  if (begins_inside) return RayHit{0.0, -ray.direction};
  const auto part = body.interval_on_line(ray.point, ray.direction);
  if (!part || part->hi < 0.0 || !(part->lo <= ray.length)) return std::nullopt;
  // What begins inside but for rounding.
  if (part->lo <= 0.0) return RayHit{0.0, -ray.direction};
  return RayHit{part->lo, part->normal_lo};
}

}  // namespace oclide::reference
