#include "reference/rays/ray.hpp"

#include <algorithm>
#include <cmath>

namespace oclide::reference {
namespace {

// o - c + k d, rounded once or twice: what sums and products lose is added at the end.
double far_point(double o, double c, double k, double d) {
  const auto lost_in_sum = [](double a, double b, double sum) {
    const double part = sum - a;
    return (a - (sum - part)) + (b - part);
  };
  const double from = o - c, way = k * d, sum = from + way;
  const double lost = lost_in_sum(o, -c, from) + std::fma(k, d, -way) + lost_in_sum(from, way, sum);
  return sum + lost;
}

}  // namespace

Ray make_ray(dvec3 origin, dvec3 direction) {
  Ray ray;
  ray.origin = origin;
  const dvec3 parts = glm::abs(direction);
  const int power = std::ilogb(std::max({parts.x, parts.y, parts.z})) + 1;
  for (int a = 0; a < 3; ++a) ray.along[a] = std::ldexp(direction[a], -power);
  ray.direction = ray.along / glm::length(ray.along);
  return ray;
}

Ray ray_at(const Rays& rays, std::size_t index) {
  const double *o = &rays.origin[3 * index], *d = &rays.direction[3 * index];
  Ray ray = make_ray({o[0], o[1], o[2]}, {d[0], d[1], d[2]});
  if (!rays.length.empty()) ray.length = rays.length[index];
  if (!rays.environment.empty()) ray.environment = rays.environment[index];
  if (!rays.mask.empty()) ray.mask = rays.mask[index];
  return ray;
}

NearRay Ray::seen_from(dvec3 place, double before) const {
  const double k = before / glm::length(along);
  dvec3 point;
  for (int a = 0; a < 3; ++a) point[a] = far_point(origin[a], place[a], k, along[a]);
  return {point, direction, before, length - before};
}

double Ray::distance_to_sphere(dvec3 centre, double radius) const {
  const double to_middle = glm::dot(centre - origin, direction);
  return std::max(0.0, to_middle - 2.0 * radius - 1e-9 * std::abs(to_middle));
}

}  // namespace oclide::reference
