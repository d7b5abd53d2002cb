#include "reference/motion/moving_solid.hpp"

#include <algorithm>
#include <cmath>
#include <glm/gtc/quaternion.hpp>
#include <numbers>

#include "shapes/shape_list.hpp"

namespace oclide::reference {
namespace {

// A cylinder's rims are in polygons of so many corners around them.
constexpr int kRimCorners = 16;

// A body that is round about its own axis may be this much beside the axis of its spin, and not count as turning [m].
constexpr double kRound = 1e-7;

// The corners of a body from its centre, without its rounding.
std::vector<dvec3> corners_of(const Body& body) {
  std::vector<dvec3> corners;
  switch (body.shape) {
    case Shape::sphere:
      return {dvec3(0.0)};
    case Shape::capsule:
      return {-body.half_length() * body.axis(), body.half_length() * body.axis()};
    case Shape::cylinder:
      for (int k = 0; k < kRimCorners; ++k) {
        const double angle = 2.0 * std::numbers::pi * k / kRimCorners;
        const double r = body.radius() / std::cos(std::numbers::pi / kRimCorners);
        for (const double z : {-body.half_length(), body.half_length()})
          corners.push_back(body.axes * dvec3(r * std::cos(angle), r * std::sin(angle), z));
      }
      return corners;
    case Shape::convex_hull:
      for (const glm::vec3& v : body.hull->vertices) corners.push_back(body.axes * dvec3(v));
      return corners;
    case Shape::triangle_mesh:
      for (const glm::vec3& v : body.mesh->vertices) corners.push_back(body.axes * dvec3(v));
      return corners;
    case Shape::box:
    case Shape::half_space:
    case Shape::compound:
      for (const RoundedPoint& p : body.rounded_points()) corners.push_back(p.centre);
      return corners;
  }
  no_geometry("corners", body.shape);
}

double distance_from_axis(dvec3 p, dvec3 direction) {
  const double length = glm::length(direction);
  return length > 0.0 ? glm::length(glm::cross(p, direction / length)) : 0.0;
}

// Turning about the axis of spin leaves the body as it is.
bool is_round_about_spin(const Body& body, dvec3 from_pivot, dvec3 spin) {
  if (spin == dvec3(0.0) || !(distance_from_axis(from_pivot, spin) <= kRound)) return false;
  if (body.shape == Shape::sphere) return true;
  if (body.shape != Shape::cylinder && body.shape != Shape::capsule) return false;
  return distance_from_axis(body.axis(), spin) * (body.half_length() + body.radius()) <= kRound;
}

void measure(MovingSolid& solid) {
  for (const dvec3& p : solid.corners) {
    solid.reach = std::max(solid.reach, distance_from_axis(p, solid.motion.spin));
    solid.radius = std::max(solid.radius, glm::length(p));
  }
}

}  // namespace

dmat3 SolidMotion::turn_at(double t) const {
  const double angle = glm::length(spin);
  if (angle == 0.0 || t == 0.0) return dmat3(1.0);
  return glm::mat3_cast(glm::angleAxis(t * angle, spin / angle));
}

dvec3 MovingSolid::support(dvec3 direction) const {
  if (spun) {
    // Each corner's circle, on the side of the direction.
    const double along = glm::dot(direction, *spun);
    const dvec3 across = direction - along * *spun;
    const double length = glm::length(across);
    // Of a direction nearly along the axis, much of what is left across it is rounding, at no right angle to the axis.
    dvec3 out(0.0);
    if (length > 1e-12 * std::abs(along)) {
      out = across / length;
      out = glm::normalize(out - glm::dot(out, *spun) * *spun);
    }
    double best = -std::numeric_limits<double>::infinity();
    dvec3 farthest(0.0);
    for (const dvec3& p : corners) {
      const double z = glm::dot(p, *spun), r = glm::length(p - z * *spun);
      if (along * z + length * r > best) best = along * z + length * r, farthest = z * *spun + r * out;
    }
    return farthest;
  }
  if (cylinder) return cylinder_centre + cylinder->support(direction);
  return *std::max_element(corners.begin(), corners.end(), [&](const dvec3& p, const dvec3& q) {
    return glm::dot(p, direction) < glm::dot(q, direction);
  });
}

static_assert(ROUNDED_SHAPES == (1u << SHAPE_SPHERE | 1u << SHAPE_CAPSULE), "moving_body() rounds each");
MovingSolid moving_body(const Body& body, dvec3 from_pivot, const SolidMotion& motion) {
  MovingSolid solid = moving_hull(corners_of(body), motion);
  for (dvec3& p : solid.corners) p += from_pivot;
  if (is_round_about_spin(body, from_pivot, motion.spin)) solid.motion.spin = dvec3(0.0);
  if (body.shape == Shape::sphere || body.shape == Shape::capsule) solid.rounding = body.radius();
  if (body.shape == Shape::cylinder) solid.cylinder = body, solid.cylinder_centre = from_pivot;
  solid.reach = solid.radius = 0.0;
  measure(solid);
  return solid;
}

MovingSolid moving_hull(std::vector<dvec3> corners, const SolidMotion& motion) {
  MovingSolid solid{motion, std::move(corners), 0.0, {}, dvec3(0.0), 0.0, 0.0, {}};
  measure(solid);
  return solid;
}

MovingSolid spun(const MovingSolid& solid) {
  MovingSolid all = solid;
  const double angle = glm::length(solid.motion.spin);
  if (angle == 0.0) return all;
  all.spun = solid.motion.spin / angle;
  all.motion.spin = dvec3(0.0);
  all.reach = 0.0;
  return all;
}

Bounds swept_box(const MovingSolid& solid, const MovingAxes& axes, double from, double to) {
  const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
  const dmat3 at_middle = axes.motion.turn_at(middle) * axes.axes;
  const PlacedSolid placed(solid, middle);
  const MovingSolid all = spun(solid);
  const double turns = half * glm::length(solid.motion.spin) * solid.reach;

  // The way of the pivot, seen from that of the axes. Where the axes turn, what is far from their pivot moves.
  const auto between = [&](double t) { return solid.motion.pivot_at(t) - axes.motion.pivot_at(t); };
  Bounds box{};
  double moves = 0.0;
  if (axes.motion.spin == dvec3(0.0)) {
    const dvec3 first = between(from) * at_middle, last = between(to) * at_middle;
    box = {glm::min(first, last), glm::max(first, last)};
  } else {
    box.lower = box.upper = between(middle) * at_middle;
    const double far = std::max(glm::length(between(from)), glm::length(between(to))) + solid.radius;
    moves = half * (glm::length(solid.motion.velocity - axes.motion.velocity) + glm::length(axes.motion.spin) * far);
  }
  for (int a = 0; a < 3; ++a) {
    const dvec3 n = at_middle[a];
    const auto extent = [&](dvec3 d) {
      return std::min(glm::dot(all.support(d), d), glm::dot(placed.arm(d), d) + turns) + solid.rounding + moves;
    };
    box.lower[a] -= extent(-n), box.upper[a] += extent(n);
  }
  return box;
}

}  // namespace oclide::reference
