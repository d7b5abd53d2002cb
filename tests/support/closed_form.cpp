#include "support/closed_form.hpp"

#include <cmath>

namespace oclide::test {
namespace {

// Points of the body with the radius of the ball around each.
struct RoundedPoint {
  dvec3 centre;
  double radius;
};

std::vector<RoundedPoint> box_corners(const BodySpec& b) {
  std::vector<RoundedPoint> corners;
  for (int k = 0; k < 8; ++k) {
    const dvec3 local((k & 1 ? 1 : -1) * b.size[0], (k & 2 ? 1 : -1) * b.size[1], (k & 4 ? 1 : -1) * b.size[2]);
    corners.push_back({b.position + b.orientation * local, 0.0});
  }
  return corners;
}

// Lowest points of both rims, and the other three of the lower base where it looks down.
std::vector<RoundedPoint> cylinder_rim(const BodySpec& b, dvec3 n) {
  const double r = b.size[0], h = b.size[1];
  dvec3 v = b.orientation * dvec3(0.0, 0.0, 1.0);
  if (glm::dot(v, n) < 0.0) v = -v;
  const dvec3 across = v * glm::dot(v, n) - n;
  // Standing upright any direction will do; the documented one is that of the grid's rows.
  const dvec3 x = dvec3(1.0, 0.0, -n.x / n.z);
  const dvec3 w = glm::length(across) < 1e-6 ? glm::normalize(x - v * glm::dot(x, v)) : glm::normalize(across);
  const dvec3 c1 = b.position - v * h, c2 = b.position + v * h;
  std::vector<RoundedPoint> points{{c1 + w * r, 0.0}, {c2 + w * r, 0.0}};
  if (glm::dot(v, n) >= std::sqrt(0.5)) {
    points.push_back({c1 - w * r, 0.0});
    points.push_back({c1 + glm::cross(v, w) * r, 0.0});
    points.push_back({c1 - glm::cross(v, w) * r, 0.0});
  }
  return points;
}

// The lower end's ball; of one that lies rather than stands the lowest point of the upper end's rim too.
std::vector<RoundedPoint> capsule_points(const BodySpec& b, dvec3 n) {
  dvec3 v = b.orientation * dvec3(0.0, 0.0, 1.0);
  if (glm::dot(v, n) < 0.0) v = -v;
  const double along = glm::dot(v, n);
  const dvec3 lower = b.position - v * b.size[1], upper = b.position + v * b.size[1];
  std::vector<RoundedPoint> points{{lower, b.size[0]}};
  if (along <= std::sqrt(0.5)) points.push_back({upper + glm::normalize(v * along - n) * b.size[0], 0.0});
  return points;
}

std::vector<RoundedPoint> rounded_points(const BodySpec& b, dvec3 n) {
  switch (b.shape) {
    case Shape::sphere:
      return {{b.position, b.size[0]}};
    case Shape::box:
      return box_corners(b);
    case Shape::cylinder:
      return cylinder_rim(b, n);
    case Shape::capsule:
      return capsule_points(b, n);
    default:
      return {};
  }
}

}  // namespace

std::vector<ExpectedContact> plane_contacts(const BodySpec& body, const Plane& plane) {
  const dvec3 n = plane.normal();
  std::vector<ExpectedContact> contacts;
  for (const RoundedPoint& p : rounded_points(body, n)) {
    const double depth = p.radius - plane.distance(p.centre);
    if (depth > 0.0) contacts.push_back({p.centre - n * p.radius, n, depth});
  }
  return contacts;
}

}  // namespace oclide::test
