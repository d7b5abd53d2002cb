#include "reference/body.hpp"

#include <algorithm>
#include <cmath>
#include <glm/gtc/quaternion.hpp>
#include <limits>

#include "shapes/shape_list.hpp"

namespace oclide::reference {
namespace {

// Part of a line p + t d between two parameters, with the outward normals where it enters and leaves; empty when lo >
// hi.
struct Chord {
  double lo = -std::numeric_limits<double>::infinity();
  dvec3 normal_lo{0.0};

  double hi = std::numeric_limits<double>::infinity();

  void enter(double t, dvec3 outward) {
    if (t > lo) lo = t, normal_lo = outward;
  }
  void leave(double t) { hi = std::min(hi, t); }
  void miss() {
    lo = std::numeric_limits<double>::infinity();
    hi = -lo;
  }
  [[nodiscard]] bool empty() const { return lo > hi; }
};

// Cuts the chord with the slab |x_a| <= half.
void cut_slab(Chord& chord, dvec3 p, dvec3 d, int a, double half) {
  if (d[a] == 0.0) {
    if (std::abs(p[a]) > half) chord.miss();
    return;
  }
  const double side = d[a] > 0.0 ? -1.0 : 1.0;
  dvec3 outward(0.0);
  outward[a] = side;
  chord.enter((side * half - p[a]) / d[a], outward);
  chord.leave((-side * half - p[a]) / d[a]);
}

// Cuts the chord with the infinite tube x^2 + y^2 <= r^2.
void cut_tube(Chord& chord, dvec3 p, dvec3 d, double r) {
  const dvec2 p2(p), d2(d);
  const double a = glm::dot(d2, d2);
  const double c = glm::dot(p2, p2) - r * r;
  if (a < 1e-24) {
    if (c > 0.0) chord.miss();
    return;
  }
  const double b = glm::dot(p2, d2);
  const double discriminant = b * b - a * c;
  if (discriminant < 0.0) return chord.miss();
  const double root = std::sqrt(discriminant);
  const double t = (-b - root) / a;
  chord.enter(t, dvec3((p2 + t * d2) / r, 0.0));
  chord.leave((-b + root) / a);
}

// Cuts the chord with a ball; d is a unit vector.
void cut_ball(Chord& chord, dvec3 p, dvec3 d, dvec3 centre, double r) {
  const dvec3 q = p - centre;
  const double b = glm::dot(q, d);
  const double discriminant = b * b - glm::dot(q, q) + r * r;
  if (discriminant < 0.0) return chord.miss();
  const double root = std::sqrt(discriminant);
  chord.enter(-b - root, (q + (-b - root) * d) / r);
  chord.leave(-b + root);
}

}  // namespace

dvec3 Body::support(dvec3 direction) const {
  const dvec3 d = direction * axes;  // in the body's frame
  dvec3 p(0.0);
  switch (shape) {
    case Shape::box:
      p = dvec3(std::copysign(size.x, d.x), std::copysign(size.y, d.y), std::copysign(size.z, d.z));
      break;
    case Shape::cylinder: {
      const double across = std::hypot(d.x, d.y);
      if (across > 0.0) p = dvec3(d.x, d.y, 0.0) * (radius() / across);
      p.z = std::copysign(half_length(), d.z);
      break;
    }
    case Shape::capsule:
      p = d * (radius() / glm::length(d));
      p.z += std::copysign(half_length(), d.z);
      break;
    case Shape::sphere:
      p = d * (radius() / glm::length(d));
      break;
    case Shape::convex_hull:
    case Shape::half_space:
    case Shape::compound:
      no_geometry("farthest point", shape);
  }
  return axes * p;
}

double Body::signed_distance(dvec3 point) const {
  const dvec3 p = point * axes;
  switch (shape) {
    case Shape::box: {
      const dvec3 outside = glm::abs(p) - size;
      return glm::length(glm::max(outside, 0.0)) + std::min(0.0, std::max({outside.x, outside.y, outside.z}));
    }
    case Shape::cylinder: {
      const dvec2 outside(std::hypot(p.x, p.y) - radius(), std::abs(p.z) - half_length());
      return glm::length(glm::max(outside, 0.0)) + std::min(0.0, std::max(outside.x, outside.y));
    }
    case Shape::capsule:
      return glm::length(p - dvec3(0.0, 0.0, std::clamp(p.z, -half_length(), half_length()))) - radius();
    case Shape::half_space:
      return p.z;
    case Shape::sphere:
      return glm::length(p) - radius();
    case Shape::convex_hull:
    case Shape::compound:
      break;
  }
  no_geometry("distance", shape);
}

// Part of the line p + t d, in the body's frame, that is in the body; d is a unit vector.
namespace {
Chord chord_of(const Body& body, dvec3 p, dvec3 d) {
  const dvec3 size = body.size;
  const double r = body.radius(), h = body.half_length();
  Chord chord;
  switch (body.shape) {
    case Shape::box:
      for (int a = 0; a < 3; ++a) cut_slab(chord, p, d, a, size[a]);
      break;
    case Shape::cylinder:
      cut_tube(chord, p, d, r);
      cut_slab(chord, p, d, 2, h);
      break;
    case Shape::capsule: {
      // The union of the straight part and two balls, which is convex: from the lowest to the highest of three chords.
      Chord parts[3];
      cut_tube(parts[0], p, d, r);
      cut_slab(parts[0], p, d, 2, h);
      cut_ball(parts[1], p, d, dvec3(0.0, 0.0, h), r);
      cut_ball(parts[2], p, d, dvec3(0.0, 0.0, -h), r);
      chord.miss();
      for (const Chord& part : parts) {
        if (part.empty()) continue;
        const double highest = std::max(chord.hi, part.hi);
        if (part.lo < chord.lo) chord = part;
        chord.hi = highest;
      }
      break;
    }
    case Shape::half_space:
      if (d.z == 0.0 && p.z > 0.0) chord.miss();
      if (d.z > 0.0) chord.leave(-p.z / d.z);
      if (d.z < 0.0) chord.enter(-p.z / d.z, dvec3(0.0, 0.0, 1.0));
      break;
    case Shape::sphere:
      cut_ball(chord, p, d, dvec3(0.0), r);
      break;
    case Shape::convex_hull:
    case Shape::compound:
      no_geometry("chord", body.shape);
  }
  return chord;
}
}  // namespace

std::optional<LowestPoint> Body::lowest_on_vertical(dvec2 at) const {
  // t is the height.
  const Chord chord = chord_of(*this, dvec3(at, 0.0) * axes, dvec3(0.0, 0.0, 1.0) * axes);
  if (chord.empty()) return std::nullopt;
  return LowestPoint{chord.lo, axes * -chord.normal_lo};
}

std::optional<LineInterval> Body::interval_on_line(dvec3 point, dvec3 direction) const {
  const Chord chord = chord_of(*this, point * axes, direction * axes);
  if (chord.empty()) return std::nullopt;
  return LineInterval{chord.lo, chord.hi};
}

std::optional<Gap> Body::greatest_gap(dvec3 a, dvec3 b) const {
  // The part of the segment over the body's bounding rectangle.
  const dvec3 half = half_extents(), ab = b - a;
  double lo = 0.0, hi = 1.0;
  for (int k = 0; k < 2; ++k) {
    if (ab[k] == 0.0) {
      if (std::abs(a[k]) > half[k]) return std::nullopt;
      continue;
    }
    const double t1 = (-half[k] - a[k]) / ab[k], t2 = (half[k] - a[k]) / ab[k];
    lo = std::max(lo, std::min(t1, t2)), hi = std::min(hi, std::max(t1, t2));
  }
  if (!(lo <= hi)) return std::nullopt;

  // The segment is straight and the body's underside convex, so the gap is concave (and minus infinity beside the
  // body): the best of many points brackets the greatest, ternary search closes in on it.
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  auto gap_at = [&](double t) {
    const dvec3 p = a + t * ab;
    const auto lowest = lowest_on_vertical(dvec2(p));
    return lowest ? p.z - lowest->z : kNone;
  };
  constexpr int kSamples = 32;
  Gap best{lo, kNone};
  auto look_at = [&](double t) {
    const double gap = gap_at(t);
    if (gap > best.height) best = {t, gap};
    return gap;
  };
  int hits = 0;
  for (int i = 0; i <= kSamples; ++i) hits += look_at(lo + (hi - lo) * i / kSamples) > kNone ? 1 : 0;
  if (hits < 4) {
    // Over a corner or a rim alone: the ends of the overlap exactly. Of all points of the body over the segment's line
    // the farthest along u is where, of the bounds on it by directions u + k w with w across, the least is.
    const double length = glm::length(dvec2(ab));
    const dvec3 u(dvec2(ab) / length, 0.0), w(-u.y, u.x, 0.0);
    const double across = glm::dot(a, w), start = glm::dot(a, u);
    if (glm::dot(support(w), w) < across || glm::dot(support(-w), w) > across) return std::nullopt;
    auto farthest = [&](dvec3 direction) {
      auto bound = [&](double angle) {
        const dvec3 d = direction + std::tan(angle) * w;
        return glm::dot(support(d), d) - std::tan(angle) * across;
      };
      double from = -1.5707, to = 1.5707;
      for (int i = 0; i < 80; ++i) {
        const double t1 = from + (to - from) / 3.0, t2 = to - (to - from) / 3.0;
        bound(t1) < bound(t2) ? to = t2 : from = t1;
      }
      return bound(0.5 * (from + to));
    };
    lo = std::max(lo, (-farthest(-u) - start) / length), hi = std::min(hi, (farthest(u) - start) / length);
    if (!(lo <= hi)) return std::nullopt;
    for (int i = 0; i <= kSamples; ++i) look_at(lo + (hi - lo) * i / kSamples);
  }
  if (best.height == kNone) return std::nullopt;
  const double middle = best.t, step = (hi - lo) / kSamples;
  double left = std::max(lo, middle - step), right = std::min(hi, middle + step);
  for (int i = 0; i < 40; ++i) {
    const double t1 = left + (right - left) / 3.0, t2 = right - (right - left) / 3.0;
    const double g1 = look_at(t1), g2 = look_at(t2);
    if (g1 == g2 ? t1 < middle : g1 < g2)
      left = t1;
    else
      right = t2;
  }
  return best;
}

double Body::bounding_radius() const {
  switch (shape) {
    case Shape::sphere:
      return radius();
    case Shape::box:
      return glm::length(size);
    case Shape::cylinder:
      return std::hypot(radius(), half_length());
    case Shape::capsule:
      return radius() + half_length();
    case Shape::half_space:
      return std::numeric_limits<double>::infinity();
    case Shape::convex_hull:
    case Shape::compound:
      break;
  }
  no_geometry("bounding radius", shape);
}

dvec3 Body::half_extents() const {
  dvec3 half;
  for (int a = 0; a < 3; ++a) {
    dvec3 direction(0.0);
    direction[a] = 1.0;
    half[a] = support(direction)[a];
  }
  return half;
}

std::vector<RoundedPoint> Body::rounded_points() const {
  switch (shape) {
    case Shape::sphere:
      return {{dvec3(0.0), radius()}};
    case Shape::box: {
      std::vector<RoundedPoint> corners;
      for (int k = 0; k < 8; ++k)
        corners.push_back(
            {axes * dvec3(k & 1 ? size.x : -size.x, k & 2 ? size.y : -size.y, k & 4 ? size.z : -size.z), 0.0});
      return corners;
    }
    case Shape::cylinder:
      return {};
    case Shape::capsule:
      return {{-half_length() * axis(), radius()}, {half_length() * axis(), radius()}};
    case Shape::convex_hull:
    case Shape::half_space:
    case Shape::compound:
      break;
  }
  no_geometry("rounded point", shape);
}

std::optional<Body> Body::eroded(double distance) const {
  Body inner = *this;
  int used = 0;  // numbers of the size that become less
  switch (shape) {
    case Shape::sphere:
    case Shape::capsule:
      used = 1;
      break;
    case Shape::box:
      used = 3;
      break;
    case Shape::cylinder:
      used = 2;
      break;
    case Shape::convex_hull:
    case Shape::half_space:
    case Shape::compound:
      no_geometry("core", shape);
  }
  for (int a = 0; a < used; ++a) {
    inner.size[a] -= distance;
    if (inner.size[a] <= 0.0) return std::nullopt;
  }
  return inner;
}

Body make_body(Shape shape, std::array<double, 3> size, std::array<double, 4> orientation) {
  const glm::dquat q(orientation[0], orientation[1], orientation[2], orientation[3]);
  return {shape, dvec3(size[0], size[1], size[2]), glm::mat3_cast(glm::normalize(q))};
}

}  // namespace oclide::reference
