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

// What the functions of Body ask of one shape, <shape>_<what>; points, directions and chords in the body's frame.

dvec3 sphere_support(const Body& body, dvec3 d) {
  return d * (body.radius() / glm::length(d));
}
dvec3 box_support(const Body& body, dvec3 d) {
  return {std::copysign(body.size.x, d.x), std::copysign(body.size.y, d.y), std::copysign(body.size.z, d.z)};
}
dvec3 cylinder_support(const Body& body, dvec3 d) {
  dvec3 p(0.0);
  const double across = std::hypot(d.x, d.y);
  if (across > 0.0) p = dvec3(d.x, d.y, 0.0) * (body.radius() / across);
  p.z = std::copysign(body.half_length(), d.z);
  return p;
}
dvec3 capsule_support(const Body& body, dvec3 d) {
  dvec3 p = d * (body.radius() / glm::length(d));
  p.z += std::copysign(body.half_length(), d.z);
  return p;
}

dvec3 convex_hull_support(const Body& body, dvec3 d) {
  glm::vec3 best = body.hull->vertices[0];
  for (const glm::vec3& v : body.hull->vertices)
    if (glm::dot(dvec3(v), d) > glm::dot(dvec3(best), d)) best = v;
  return best;
}

dvec3 triangle_mesh_support(const Body& body, dvec3 d) {
  glm::vec3 best = body.mesh->vertices[0];
  for (const glm::vec3& v : body.mesh->vertices)
    if (glm::dot(dvec3(v), d) > glm::dot(dvec3(best), d)) best = v;
  return best;
}

double sphere_signed_distance(const Body& body, dvec3 p) {
  return glm::length(p) - body.radius();
}
double box_signed_distance(const Body& body, dvec3 p) {
  const dvec3 outside = glm::abs(p) - body.size;
  return glm::length(glm::max(outside, 0.0)) + std::min(0.0, std::max({outside.x, outside.y, outside.z}));
}
double cylinder_signed_distance(const Body& body, dvec3 p) {
  const dvec2 outside(std::hypot(p.x, p.y) - body.radius(), std::abs(p.z) - body.half_length());
  return glm::length(glm::max(outside, 0.0)) + std::min(0.0, std::max(outside.x, outside.y));
}
double capsule_signed_distance(const Body& body, dvec3 p) {
  return glm::length(p - dvec3(0.0, 0.0, std::clamp(p.z, -body.half_length(), body.half_length()))) - body.radius();
}

// The part of a segment's length at which it is nearest to a point.
double nearest_part(dvec3 p, dvec3 from, dvec3 along) {
  return std::clamp(glm::dot(p - from, along) / glm::dot(along, along), 0.0, 1.0);
}
// The part of the hull's surface nearest to a point outside.
dvec3 convex_hull_nearest(const Body& body, dvec3 p) {
  const ConvexHull& hull = *body.hull;
  dvec3 nearest = hull.vertices[0];
  const auto look_at = [&](dvec3 q) {
    if (glm::distance(p, q) < glm::distance(p, nearest)) nearest = q;
  };
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    const dvec3 normal = hull.faces[f].normal;
    const auto loop = hull.loop(f);
    const double height = glm::dot(normal, p) - hull.faces[f].offset;
    bool inside = height > 0.0;
    for (std::size_t k = 0; k < loop.size() && inside; ++k) {
      const dvec3 from = hull.vertices[loop[k]], to = hull.vertices[loop[(k + 1) % loop.size()]];
      inside = glm::dot(glm::cross(to - from, p - from), normal) >= 0.0;
    }
    if (inside) look_at(p - height * normal);
  }
  for (const HullEdge& edge : hull.edges) {
    const dvec3 from = hull.vertices[edge.vertices[0]], along = dvec3(hull.vertices[edge.vertices[1]]) - from;
    look_at(from + nearest_part(p, from, along) * along);
  }
  return nearest;
}
// Outside the nearest of faces and edges counts, inside the nearest plane.
double convex_hull_signed_distance(const Body& body, dvec3 p) {
  const ConvexHull& hull = *body.hull;
  double above = -std::numeric_limits<double>::infinity(), distance = std::numeric_limits<double>::infinity();
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    const dvec3 normal = hull.faces[f].normal;
    const auto loop = hull.loop(f);
    const double height = glm::dot(normal, p) - hull.faces[f].offset;
    above = std::max(above, height);
    bool inside = height > 0.0;
    for (std::size_t k = 0; k < loop.size() && inside; ++k) {
      const dvec3 from = hull.vertices[loop[k]], to = hull.vertices[loop[(k + 1) % loop.size()]];
      inside = glm::dot(glm::cross(to - from, p - from), normal) >= 0.0;
    }
    if (inside) distance = std::min(distance, height);
  }
  if (above <= 0.0) return above;
  for (const HullEdge& edge : hull.edges) {
    const dvec3 from = hull.vertices[edge.vertices[0]], along = dvec3(hull.vertices[edge.vertices[1]]) - from;
    distance = std::min(distance, glm::distance(p, from + nearest_part(p, from, along) * along));
  }
  return distance;
}

dvec3 sphere_nearest(const Body& body, dvec3 p) {
  return sphere_support(body, p);
}
dvec3 box_nearest(const Body& body, dvec3 p) {
  return glm::clamp(p, -body.size, body.size);
}
dvec3 cylinder_nearest(const Body& body, dvec3 p) {
  const dvec2 across = dvec2(p) * std::min(1.0, body.radius() / std::max(glm::length(dvec2(p)), 1e-300));
  return {across, std::clamp(p.z, -body.half_length(), body.half_length())};
}
dvec3 capsule_nearest(const Body& body, dvec3 p) {
  const dvec3 axis(0.0, 0.0, std::clamp(p.z, -body.half_length(), body.half_length()));
  return axis + sphere_support(body, p - axis);
}

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

double convex_hull_bounding_radius(const Body& body) {
  return body.hull->bounding_radius;
}
double triangle_mesh_bounding_radius(const Body& body) {
  return body.mesh->bounding_radius;
}
double sphere_bounding_radius(const Body& body) {
  return body.radius();
}
double box_bounding_radius(const Body& body) {
  return glm::length(body.size);
}
double cylinder_bounding_radius(const Body& body) {
  return std::hypot(body.radius(), body.half_length());
}
double capsule_bounding_radius(const Body& body) {
  return body.radius() + body.half_length();
}

std::vector<RoundedPoint> convex_hull_rounded_points(const Body& body) {
  std::vector<RoundedPoint> points;
  for (const glm::vec3& v : body.hull->vertices) points.push_back({body.axes * dvec3(v), 0.0});
  return points;
}
std::vector<RoundedPoint> sphere_rounded_points(const Body& body) {
  return {{dvec3(0.0), body.radius()}};
}
std::vector<RoundedPoint> box_rounded_points(const Body& body) {
  const dvec3 s = body.size;
  std::vector<RoundedPoint> corners;
  corners.reserve(8);
  for (int k = 0; k < 8; ++k)
    corners.push_back({body.axes * dvec3(k & 1 ? s.x : -s.x, k & 2 ? s.y : -s.y, k & 4 ? s.z : -s.z), 0.0});
  return corners;
}
std::vector<RoundedPoint> cylinder_rounded_points(const Body& /*body*/) {
  return {};
}
std::vector<RoundedPoint> capsule_rounded_points(const Body& body) {
  return {{-body.half_length() * body.axis(), body.radius()}, {body.half_length() * body.axis(), body.radius()}};
}

// Of Body::eroded(): some numbers of the size become less.
std::optional<Body> with_less(Body body, int numbers, double distance) {
  for (int a = 0; a < numbers; ++a) {
    body.size[a] -= distance;
    if (body.size[a] <= 0.0) return std::nullopt;
  }
  return body;
}
std::optional<Body> sphere_eroded(const Body& body, double distance) {
  return with_less(body, 1, distance);
}
std::optional<Body> box_eroded(const Body& body, double distance) {
  return with_less(body, 3, distance);
}
std::optional<Body> cylinder_eroded(const Body& body, double distance) {
  return with_less(body, 2, distance);
}
std::optional<Body> capsule_eroded(const Body& body, double distance) {
  return with_less(body, 1, distance);
}

// Planes that are moved in by the distance; a point is left where it is below all of them.
struct MovedPlanes {
  MovedPlanes(const ConvexHull& of, double distance) : hull(of), by(distance) {
    for (std::size_t f = 0; f < hull.faces.size(); ++f) offsets.push_back(offset_of(f));
  }

  const ConvexHull& hull;
  double by;  // [m]
  std::vector<double> offsets;

  // Of the lowest vertex of the face.
  [[nodiscard]] double offset_of(std::size_t face) const {
    double least = std::numeric_limits<double>::infinity();
    for (const std::uint32_t v : hull.loop(face))
      least = std::min(least, glm::dot(hull.faces[face].normal, dvec3(hull.vertices[v])));
    return least - by;
  }
  [[nodiscard]] double above(dvec3 p) const {
    double greatest = -std::numeric_limits<double>::infinity();
    for (std::size_t f = 0; f < hull.faces.size(); ++f)
      greatest = std::max(greatest, glm::dot(hull.faces[f].normal, p) - offsets[f]);
    return greatest;
  }
};

// Where three planes n_k.p = d_k meet; empty where they are nearly parallel to one line.
std::optional<dvec3> meeting_of(const std::array<dvec3, 3>& n, const std::array<double, 3>& d) {
  const double volume = glm::dot(n[0], glm::cross(n[1], n[2]));
  if (!(std::abs(volume) > 1e-6)) return std::nullopt;
  return (d[0] * glm::cross(n[1], n[2]) + d[1] * glm::cross(n[2], n[0]) + d[2] * glm::cross(n[0], n[1])) / volume;
}

// The hull of points that are surely left: each vertex toward the middle of the volume, as far as needed, and where the
// moved planes of three of its faces meet. Planes go in by more than the distance: what joined faces and floats are
// off.
std::optional<Body> convex_hull_eroded(const Body& body, double distance) {
  constexpr std::size_t kFewFaces = 8;
  const ConvexHull& hull = *body.hull;
  const MovedPlanes planes(hull, distance + 4.0 * hull.flat_slack + 1e-6 * hull.bounding_radius);
  const double room = -planes.above(hull.centroid);
  if (!(room > 0.0)) return std::nullopt;
  const double kept = room / (room + planes.by);

  std::vector<std::vector<std::size_t>> faces_at(hull.vertices.size());
  for (std::size_t f = 0; f < hull.faces.size(); ++f)
    for (const std::uint32_t v : hull.loop(f)) faces_at[v].push_back(f);
  std::vector<std::array<double, 3>> points;
  const auto add = [&](dvec3 p) { points.push_back({p.x, p.y, p.z}); };
  for (std::size_t v = 0; v < hull.vertices.size(); ++v) {
    add(hull.centroid + kept * (dvec3(hull.vertices[v]) - hull.centroid));
    const std::vector<std::size_t>& faces = faces_at[v];
    if (faces.size() > kFewFaces) continue;
    for (std::size_t i = 0; i < faces.size(); ++i)
      for (std::size_t j = i + 1; j < faces.size(); ++j)
        for (std::size_t k = j + 1; k < faces.size(); ++k) {
          const auto p =
              meeting_of({hull.faces[faces[i]].normal, hull.faces[faces[j]].normal, hull.faces[faces[k]].normal},
                         {planes.offsets[faces[i]], planes.offsets[faces[j]], planes.offsets[faces[k]]});
          if (p && planes.above(*p) <= 1e-7 * hull.bounding_radius) add(*p);
        }
  }
  Body inner = body;
  try {
    inner.own_hull = std::make_shared<ConvexHull>(build_convex_hull(points, "eroded hull"));
  } catch (const Error&) {  // too thin
    return std::nullopt;
  }
  inner.hull = inner.own_hull.get();
  return inner;
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

dvec3 Body::support(dvec3 direction) const {
  const dvec3 d = direction * axes;  // in the body's frame
#define OCLIDE_SUPPORT(NAME, name) \
  if (shape == Shape::name) return axes * name##_support(*this, d);
  OCLIDE_BOUNDED_SHAPES(OCLIDE_SUPPORT)
#undef OCLIDE_SUPPORT
  no_geometry("farthest point", shape);
}

double Body::signed_distance(dvec3 point) const {
  const dvec3 p = point * axes;
  if (shape == Shape::half_space) return p.z;
#define OCLIDE_DISTANCE(NAME, name) \
  if (shape == Shape::name) return name##_signed_distance(*this, p);
  OCLIDE_CONVEX_SHAPES(OCLIDE_DISTANCE)
#undef OCLIDE_DISTANCE
  no_geometry("distance", shape);
}

dvec3 Body::nearest(dvec3 point) const {
  const dvec3 p = point * axes;
#define OCLIDE_NEAREST(NAME, name) \
  if (shape == Shape::name) return axes * name##_nearest(*this, p);
  OCLIDE_CONVEX_SHAPES(OCLIDE_NEAREST)
#undef OCLIDE_NEAREST
  no_geometry("nearest point", shape);
}

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

std::optional<Gap> Body::greatest_gap(dvec3 a, dvec3 b) const {
  // The part of the segment over the body's bounding rectangle.
  const Bounds box = bounds();
  const dvec3 ab = b - a;
  double lo = 0.0, hi = 1.0;
  for (int k = 0; k < 2; ++k) {
    if (ab[k] == 0.0) {
      if (a[k] < box.lower[k] || a[k] > box.upper[k]) return std::nullopt;
      continue;
    }
    const double t1 = (box.lower[k] - a[k]) / ab[k], t2 = (box.upper[k] - a[k]) / ab[k];
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
  if (shape == Shape::half_space) return std::numeric_limits<double>::infinity();
#define OCLIDE_RADIUS(NAME, name) \
  if (shape == Shape::name) return name##_bounding_radius(*this);
  OCLIDE_BOUNDED_SHAPES(OCLIDE_RADIUS)
#undef OCLIDE_RADIUS
  no_geometry("bounding radius", shape);
}

Bounds Body::bounds() const {
  Bounds bounds{};
  for (int a = 0; a < 3; ++a) {
    dvec3 direction(0.0);
    direction[a] = 1.0;
    bounds.lower[a] = support(-direction)[a], bounds.upper[a] = support(direction)[a];
  }
  return bounds;
}

std::vector<RoundedPoint> Body::rounded_points() const {
#define OCLIDE_POINTS(NAME, name) \
  if (shape == Shape::name) return name##_rounded_points(*this);
  OCLIDE_CONVEX_SHAPES(OCLIDE_POINTS)
#undef OCLIDE_POINTS
  no_geometry("rounded point", shape);
}

std::optional<Body> Body::eroded(double distance) const {
#define OCLIDE_ERODED(NAME, name) \
  if (shape == Shape::name) return name##_eroded(*this, distance);
  OCLIDE_CONVEX_SHAPES(OCLIDE_ERODED)
#undef OCLIDE_ERODED
  no_geometry("core", shape);
}

Body make_body(Shape shape, std::array<double, 3> size, std::array<double, 4> orientation, const ConvexHull* hull,
               const TriangleMesh* mesh) {
  const glm::dquat q(orientation[0], orientation[1], orientation[2], orientation[3]);
  return {shape, dvec3(size[0], size[1], size[2]), glm::mat3_cast(glm::normalize(q)), hull, {}, mesh};
}

}  // namespace oclide::reference
