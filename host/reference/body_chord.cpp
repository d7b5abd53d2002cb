// The part of a line that is in a body: Body::lowest_on_vertical() and interval_on_line().
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/body.hpp"
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

// Of each shape, <shape>_chord: points and directions in the body's frame.

Chord sphere_chord(const Body& body, dvec3 p, dvec3 d) {
  Chord chord;
  cut_ball(chord, p, d, dvec3(0.0), body.radius());
  return chord;
}
Chord box_chord(const Body& body, dvec3 p, dvec3 d) {
  Chord chord;
  for (int a = 0; a < 3; ++a) cut_slab(chord, p, d, a, body.size[a]);
  return chord;
}
Chord cylinder_chord(const Body& body, dvec3 p, dvec3 d) {
  Chord chord;
  cut_tube(chord, p, d, body.radius());
  cut_slab(chord, p, d, 2, body.half_length());
  return chord;
}
// The union of the straight part and two balls, which is convex: from the lowest to the highest of three chords.
Chord capsule_chord(const Body& body, dvec3 p, dvec3 d) {
  const double r = body.radius(), h = body.half_length();
  Chord parts[3] = {cylinder_chord(body, p, d), {}, {}};
  cut_ball(parts[1], p, d, dvec3(0.0, 0.0, h), r);
  cut_ball(parts[2], p, d, dvec3(0.0, 0.0, -h), r);
  Chord chord;
  chord.miss();
  for (const Chord& part : parts) {
    if (part.empty()) continue;
    const double highest = std::max(chord.hi, part.hi);
    if (part.lo < chord.lo) chord = part;
    chord.hi = highest;
  }
  // Whichever part it was.
  const dvec3 at = p + chord.lo * d;
  if (!chord.empty()) chord.normal_lo = (at - dvec3(0.0, 0.0, std::clamp(at.z, -h, h))) / r;
  return chord;
}
// Cut by the plane of each face, through its highest vertex.
Chord convex_hull_chord(const Body& body, dvec3 p, dvec3 d) {
  Chord chord;
  for (const HullFace& face : body.hull->faces) {
    const double slope = glm::dot(face.normal, d), inside = face.offset - glm::dot(face.normal, p);
    if (slope < 0.0) chord.enter(inside / slope, face.normal);
    if (slope > 0.0) chord.leave(inside / slope);
    if (slope == 0.0 && inside < 0.0) chord.miss();
  }
  return chord;
}
Chord half_space_chord(dvec3 p, dvec3 d) {
  Chord chord;
  if (d.z == 0.0 && p.z > 0.0) chord.miss();
  if (d.z > 0.0) chord.leave(-p.z / d.z);
  if (d.z < 0.0) chord.enter(-p.z / d.z, dvec3(0.0, 0.0, 1.0));
  return chord;
}

// Part of the line p + t d, in the body's frame, that is in the body; d is a unit vector.
Chord chord_of(const Body& body, dvec3 p, dvec3 d) {
  if (body.shape == Shape::half_space) return half_space_chord(p, d);
#define OCLIDE_CHORD(NAME, name) \
  if (body.shape == Shape::name) return name##_chord(body, p, d);
  OCLIDE_CONVEX_SHAPES(OCLIDE_CHORD)
#undef OCLIDE_CHORD
  no_geometry("chord", body.shape);
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
  return LineInterval{chord.lo, chord.hi, axes * chord.normal_lo};
}

}  // namespace oclide::reference
