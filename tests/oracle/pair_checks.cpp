#include "pair_checks.hpp"

#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <tuple>

namespace oracle {
namespace {

using Point = std::array<double, 2>;
using Polygon = std::vector<Point>;

constexpr double kFlat = 8e-4;   ///< surely within the 1e-3 rad of a flat or parallel feature [rad]
constexpr double kSure = 2e-5;   ///< chords this much deeper than the margin must count [m]
constexpr double kLeast = 2e-3;  ///< lines and patches smaller than this are not judged [m]

std::string describe(const SceneFile& scene, std::size_t index, std::size_t frame) {
  const Body b = scene.body(index, frame);
  const double* q = &scene.orientation[4 * ((scene.moving_orientation ? frame * scene.bodies : 0) + index)];
  return format("%s{%.9g, %.9g, %.9g} at {%.12g, %.12g, %.12g} q {%.9g, %.9g, %.9g, %.9g}", shape_name(b.shape),
                b.size[0], b.size[1], b.size[2], b.centre.x, b.centre.y, b.centre.z, q[0], q[1], q[2], q[3]);
}

double bounding_radius(const Body& b) {
  switch (b.shape) {
    case kBox:
      return std::hypot(b.size[0], b.size[1], b.size[2]);
    case kCylinder:
      return std::hypot(b.size[0], b.size[1]);
    case kCapsule:
      return b.size[0] + b.size[1];
    case kConvexHull:
      return b.hull->size;
    case kSphere:
    case kHalfSpace:
      return b.size[0];
    default:
      return no_such_shape(b.shape);
  }
}

double distance_to(const Body& b, Vec p) {
  return b.shape == kHalfSpace ? dot(b.axis[2], p) : signed_distance(b, p);
}

/// { t : o + t n in the body }, o relative to its centre.
Interval stretch_in(const Body& b, Vec o, Vec n) {
  const Vec q = b.to_local(o), d = b.to_local(n);
  const auto ball = [&](double z) {
    const Vec c{q.x, q.y, q.z - z};
    return quadratic(dot(d, d), dot(c, d), dot(c, c) - b.size[0] * b.size[0]);
  };
  const auto tube = [&] {
    return both(quadratic(d.x * d.x + d.y * d.y, q.x * d.x + q.y * d.y, q.x * q.x + q.y * q.y - b.size[0] * b.size[0]),
                slab(q.z, d.z, b.size[1]));
  };
  switch (b.shape) {
    case kSphere:
      return ball(0.0);
    case kBox:
      return both(both(slab(q.x, d.x, b.size[0]), slab(q.y, d.y, b.size[1])), slab(q.z, d.z, b.size[2]));
    case kCylinder:
      return tube();
    case kCapsule:
      return hull(hull(tube(), ball(b.size[1])), ball(-b.size[1]));
    case kConvexHull:
      return stretch_in_hull(*b.hull, q, d);
    case kHalfSpace:
      if (d.z == 0.0) return q.z <= 0.0 ? Interval{} : kNothing;
      return d.z > 0.0 ? Interval{-kInfinity, -q.z / d.z} : Interval{-q.z / d.z, kInfinity};
    default:
      no_such_shape(b.shape);
  }
}

/// What a body turns to another one that lies in direction d.
struct Feature {
  enum Kind { face, line, edge, plane, point, unclear } kind = unclear;
  std::vector<Vec> points;  ///< relative to the body's centre
  Vec normal;               ///< of a face or plane
};

/// A face of a hull, where no other one is near to being it; edges and corners are not judged.
Feature hull_feature_toward(const Body& b, Vec d) {
  const Vec q = b.to_local(d);
  const Hull::Plane* face = nullptr;
  for (const Hull::Plane& plane : b.hull->planes)
    if (face == nullptr || dot(plane.normal, q) > dot(face->normal, q)) face = &plane;
  Feature f;
  if (!(length(face->normal - q) < kFlat)) return f;
  // Fewer points than the library may have in the face, and no more: the face is no larger than that.
  const double flat = std::min(1.2e-7 * b.hull->size, 1e-5);
  std::vector<Vec> points;
  Vec middle;
  for (const Vec p : b.hull->points)
    if (dot(face->normal, p) > face->offset - flat) points.push_back(p), middle = middle + p;
  middle = (1.0 / static_cast<double>(points.size())) * middle;
  for (const Hull::Plane& plane : b.hull->planes) {
    if (length(plane.normal - face->normal) > 4e-3) continue;
    for (const Vec p : points)
      if (dot(plane.normal, p) < plane.offset - 4.0 * flat) return f;  // another face, nearly as level
  }
  const Vec u = unit(points[0] - middle), w = cross(face->normal, u);
  std::sort(points.begin(), points.end(), [&](Vec p, Vec s) {
    return std::atan2(dot(p - middle, w), dot(p - middle, u)) < std::atan2(dot(s - middle, w), dot(s - middle, u));
  });
  // Without those that are not corners.
  for (std::size_t k = 0; k < points.size() && points.size() > 3;) {
    const Vec before = points[(k + points.size() - 1) % points.size()], after = points[(k + 1) % points.size()];
    if (dot(cross(points[k] - before, after - points[k]), face->normal) > 0.0) {
      ++k;
    } else {
      points.erase(points.begin() + static_cast<std::ptrdiff_t>(k));
      k = k > 0 ? k - 1 : 0;
    }
  }
  f.kind = Feature::face, f.normal = b.to_frame(face->normal);
  for (const Vec p : points) f.points.push_back(b.to_frame(p));
  return f;
}

Feature feature_toward(const Body& b, Vec d) {
  Feature f;
  const double sign = dot(b.axis[2], d) < 0.0 ? -1.0 : 1.0;
  const auto angle = [&](Vec v) { return std::min(length(cross(v, d)), 1.0); };
  switch (b.shape) {
    case kSphere:
      f.kind = Feature::point;
      return f;
    case kHalfSpace:
      f.kind = Feature::plane, f.normal = b.axis[2];
      return f;
    case kBox: {
      std::size_t across = 3;
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
        if (angle(b.axis[k]) < kFlat) {
          f.kind = Feature::face, f.normal = (dot(b.axis[k], d) < 0.0 ? -1.0 : 1.0) * b.axis[k];
          for (const auto& [u, v] : {Point{1, 1}, Point{-1, 1}, Point{-1, -1}, Point{1, -1}}) {
            f.points.push_back(b.size[k] * f.normal + u * b.size[i] * b.axis[i] + v * b.size[j] * b.axis[j]);
          }
          return f;
        }
        if (std::abs(dot(b.axis[k], d)) < kFlat) across = k;
      }
      if (across == 3) return f;
      const std::size_t i = (across + 1) % 3, j = (across + 2) % 3;
      if (std::abs(dot(b.axis[i], d)) < 0.02 || std::abs(dot(b.axis[j], d)) < 0.02) return f;
      f.kind = Feature::edge;
      const Vec middle = std::copysign(b.size[i], dot(b.axis[i], d)) * b.axis[i] +
                         std::copysign(b.size[j], dot(b.axis[j], d)) * b.axis[j];
      f.points = {middle - b.size[across] * b.axis[across], middle + b.size[across] * b.axis[across]};
      return f;
    }
    case kConvexHull:
      return hull_feature_toward(b, d);
    case kCylinder:
    case kCapsule:
      break;
    default:
      no_such_shape(b.shape);
  }
  const Vec v = b.axis[2];
  if (b.shape == kCylinder && angle(v) < kFlat) {
    f.kind = Feature::face, f.normal = sign * v;
    const int corners = 128;
    for (int k = 0; k < corners; ++k) {
      const double a = 2.0 * 3.14159265358979323846 * k / corners;
      f.points.push_back(b.half_length() * f.normal + b.radius() * std::cos(a) * b.axis[0] +
                         b.radius() * std::sin(a) * b.axis[1]);
    }
    return f;
  }
  if (std::abs(dot(v, d)) < kFlat) {
    const Vec out = b.radius() * unit(d - dot(d, v) * v);
    f.kind = Feature::line;
    f.points = {out - b.half_length() * v, out + b.half_length() * v};
  }
  return f;
}

double area_of(const Polygon& p) {
  double twice = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Point &a = p[i], &b = p[(i + 1) % p.size()];
    twice += a[0] * b[1] - a[1] * b[0];
  }
  return 0.5 * twice;
}

/// The part where value >= 0, value linear.
template <typename Value>
Polygon clip(const Polygon& p, Value value) {
  Polygon out;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Point &a = p[i], &b = p[(i + 1) % p.size()];
    const double va = value(a), vb = value(b);
    if (va >= 0.0) out.push_back(a);
    if ((va >= 0.0) != (vb >= 0.0)) {
      const double t = va / (va - vb);
      out.push_back({a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])});
    }
  }
  return out;
}

Polygon clip_by(Polygon p, const Polygon& by) {
  for (std::size_t i = 0; i < by.size() && !p.empty(); ++i) {
    const Point &a = by[i], &b = by[(i + 1) % by.size()];
    p = clip(p, [&](const Point& q) { return (b[0] - a[0]) * (q[1] - a[1]) - (b[1] - a[1]) * (q[0] - a[0]); });
  }
  return p;
}

/// { t in [0, 1] : a + t (b - a) inside a convex polygon }
Interval clip_line(const Point& a, const Point& b, const Polygon& by) {
  Interval in{0.0, 1.0};
  for (std::size_t i = 0; i < by.size(); ++i) {
    const Point &p = by[i], &q = by[(i + 1) % by.size()];
    const auto value = [&](const Point& x) { return (q[0] - p[0]) * (x[1] - p[1]) - (q[1] - p[1]) * (x[0] - p[0]); };
    const double va = value(a), vb = value(b);
    if (va < 0.0 && vb < 0.0) return kNothing;
    if (va < 0.0) in.lo = std::max(in.lo, va / (va - vb));
    if (vb < 0.0) in.hi = std::min(in.hi, va / (va - vb));
  }
  return in;
}

Polygon counter_clockwise(Polygon p) {
  if (area_of(p) < 0.0) std::reverse(p.begin(), p.end());
  return p;
}

/// Area of the hull of at most four points.
double area_of_points(const Polygon& p) {
  if (p.size() < 3) return 0.0;
  if (p.size() == 3) return std::abs(area_of(p));
  double best = 0.0;
  for (const auto& order : {std::array{0, 1, 2, 3}, std::array{0, 2, 1, 3}, std::array{0, 1, 3, 2}}) {
    Polygon q;
    for (const int k : order) q.push_back(p[static_cast<std::size_t>(k)]);
    best = std::max(best, std::abs(area_of(q)));
  }
  // One point inside the triangle of the others: the orders above miss the triangle itself.
  for (std::size_t skip = 0; skip < 4; ++skip) {
    Polygon q;
    for (std::size_t k = 0; k < 4; ++k)
      if (k != skip) q.push_back(p[k]);
    best = std::max(best, std::abs(area_of(q)));
  }
  return best;
}

struct PairCheck {
  const SceneFile& scene;
  const ContactFile& contacts;
  std::size_t frame, ia, ib;
  std::size_t first, last;  ///< rows
  double margin;
  Findings& out;
  Body a, b;

  void bad(const char* category, std::size_t row, double excess, const std::string& text) const {
    std::string full = text + " | A = #" + std::to_string(ia) + " " + describe(scene, ia, frame) + ", B = #" +
                       std::to_string(ib) + " " + describe(scene, ib, frame);
    for (std::size_t r = first; r < last; ++r) {
      const ContactRow& c = contacts.rows[r];
      full += format(" | n %.7g %.7g %.7g depth %.7g P-A %.7g %.7g %.7g f %08x", c.normal.x, c.normal.y, c.normal.z,
                     c.depth, c.point.x - a.centre.x, c.point.y - a.centre.y, c.point.z - a.centre.z, c.feature);
    }
    const int low = std::min(a.shape, b.shape), high = std::max(a.shape, b.shape);
    out.violations.push_back({std::string(category) + " " + shape_name(low) + "-" + shape_name(high), frame, ia, row,
                              std::min(excess, 1e9), full});
  }
  void judge(const char* category, std::size_t row, double value, double limit, const char* what) const {
    if (!(value <= limit)) bad(category, row, value - limit, format("%s %.6g, allowed %.6g", what, value, limit));
  }

  void run() {
    a = scene.body(ia, frame), b = scene.body(ib, frame);
    const double reach = bounding_radius(a) + bounding_radius(b) + margin;
    const bool half = a.shape == kHalfSpace || b.shape == kHalfSpace;
    if (first == last && !half && length(a.centre - b.centre) > reach) return;
    const Depth d = least_penetration(a, b);
    ++out.counts["pairs judged"];
    if (d.upper - d.lower > 0.25 * (kMetres + kFraction * std::abs(d.upper))) ++out.counts["pairs with a wide bound"];
    if (first == last) {
      judge("MISSING", static_cast<std::size_t>(-1), d.lower, -margin + kMetres, "no contact, but the depth is");
      return;
    }
    ++out.counts["pairs with contacts"];
    const double beyond = -margin - d.upper;
    judge("PHANTOM", first, beyond, kMetres, "apart beyond the margin by");
    manifold(d);
  }

  void manifold(const Depth& d) const {
    const double allowed = kMetres + kFraction * std::abs(d.upper);
    const Vec n = contacts.rows[first].normal;
    const double scale = std::min(bounding_radius(a), 100.0) + std::min(bounding_radius(b), 100.0);
    double deepest = -kInfinity;
    if (last - first > 4) bad("TOO_MANY", first, 1.0, format("%zu contacts", last - first));
    std::set<std::uint32_t> features;
    for (std::size_t r = first; r < last; ++r) {
      const ContactRow& c = contacts.rows[r];
      deepest = std::max(deepest, c.depth);
      judge("NORMAL_UNIT", r, std::abs(length(c.normal) - 1.0), 1e-5, "length of the normal is off by");
      judge("ONE_NORMAL", r, length(c.normal - n), 1e-9, "normals of a manifold differ by");
      if (c.manifold != contacts.rows[first].manifold) bad("ONE_MANIFOLD", r, 1.0, "two manifolds of one pair");
      if (c.material != 0) bad("MATERIAL", r, 1.0, "material is not 0");
      judge("BELOW_MARGIN", r, -margin - c.depth, 1e-6 * (1.0 + scale), "a contact is beyond the margin by");
      if (!features.insert(c.feature).second) bad("FEATURE_TWICE", r, 1.0, "two contacts have one feature id");
      // P begins A along n, Q ends B; rounding of the file forgiven.
      const double rounding = contacts.float_points ? 1e-7 * length(c.point) : 0.0;
      const Vec p = c.point - a.centre, q = c.point + c.depth * c.normal - b.centre;
      judge("POINT_ON_A", r, std::abs(distance_to(a, p)), kMetres + rounding, "point is off A's surface by");
      judge("POINT_ON_B", r, std::abs(distance_to(b, q)), kMetres + rounding, "point + depth * normal is off B by");
      for (const double step : {1e-2, 1e-1, 1.0}) {
        const double t = step * scale;
        judge("BACK_OF_A", r, -distance_to(a, p - t * c.normal), kMetres + rounding, "A goes on before the point by");
        judge("BACK_OF_B", r, -distance_to(b, q + t * c.normal), kMetres + rounding, "B goes on behind its point by");
      }
      for (std::size_t k = first; k < r; ++k) {
        const Vec apart = c.point - contacts.rows[k].point;
        judge("SAME_POINT", r, -length(apart - dot(apart, n) * n), -2e-6, "contacts are one, apart by minus");
      }
    }
    judge("FIRST_DEEPEST", first, deepest - contacts.rows[first].depth, 1e-5 + 0.005 * std::abs(deepest),
          "a later contact is deeper than the first by");
    judge("DEPTH", first, deepest - d.upper, allowed, "the deepest contact is too deep by");
    judge("DEPTH", first, d.lower - deepest, allowed, "the deepest contact is too shallow by");
    const double along = overlap_along(a, b, unit(n));
    judge("NORMAL", first, along - d.upper, allowed, "overlap along the normal is above the least by");
    if (std::isfinite(along) && along - deepest > allowed) {
      Body moved = a;
      moved.centre = a.centre + deepest * n;
      judge("RESOLVE", first, least_penetration(moved, b).lower, allowed,
            "after moving A by depth * n they overlap by");
    }
    out.statistics[std::string("|depth - least| ") + shape_name(std::min(a.shape, b.shape)) + "-" +
                   shape_name(std::max(a.shape, b.shape))]
        .push_back(std::abs(deepest - d.upper));
    shape_of_manifold(unit(n));
  }

  /// Signed length of the chord at the line along n through x, relative to A's centre.
  double chord(Vec x, Vec n) const {
    const Interval in_a = stretch_in(a, x, n), in_b = stretch_in(b, x - (b.centre - a.centre), n);
    if (in_a.empty() || in_b.empty()) return -kInfinity;
    return in_b.hi - in_a.lo;
  }

  void shape_of_manifold(Vec n) const {
    const Vec c = b.centre - a.centre;
    Feature fa = feature_toward(a, -n), fb = feature_toward(b, n);
    for (Vec& p : fb.points) p = p + c;
    const Vec u = unit(std::abs(n.x) < 0.6 ? cross(n, {1, 0, 0}) : cross(n, {0, 1, 0})), w = cross(n, u);
    const auto flat = [&](const std::vector<Vec>& points) {
      Polygon p;
      for (const Vec x : points) p.push_back({dot(x, u), dot(x, w)});
      return p;
    };
    const std::size_t count = last - first;
    Polygon reported;
    for (std::size_t r = first; r < last; ++r) {
      const Vec p = contacts.rows[r].point - a.centre;
      reported.push_back({dot(p, u), dot(p, w)});
    }
    using Kind = Feature::Kind;
    const auto is_flat = [](Kind k) { return k == Feature::face || k == Feature::plane; };
    const auto is_line = [](Kind k) { return k == Feature::line || k == Feature::edge; };
    const double least = -margin + kSure + 1e-6 * (bounding_radius(a) + bounding_radius(b));
    if (fa.kind == Feature::point || fb.kind == Feature::point) {
      if (count != 1) bad("ONE_POINT", first, 1.0, format("%zu contacts of a ball", count));
      return;
    }
    if (is_flat(fa.kind) && is_flat(fb.kind)) {
      // Planes of both, as heights along n over the plane across it.
      const Vec pa = fa.points.empty() ? Vec{} : fa.points[0], pb = fb.points.empty() ? c : fb.points[0];
      const auto height = [&](Vec at, Vec m, const Point& x) {
        const Vec flat_x = x[0] * u + x[1] * w;
        return dot(m, at - flat_x) / dot(m, n);
      };
      Polygon patch = counter_clockwise(flat(fa.points.empty() ? fb.points : fa.points));
      if (!fa.points.empty() && !fb.points.empty()) patch = clip_by(patch, counter_clockwise(flat(fb.points)));
      if (length(cross(fa.normal, fb.normal)) > kFlat) return;
      patch = clip(patch, [&](const Point& x) { return height(pb, fb.normal, x) - height(pa, fa.normal, x) - least; });
      if (patch.size() < 3) return;
      double around = 0.0;
      for (std::size_t i = 0; i < patch.size(); ++i) {
        const Point &p = patch[i], &q = patch[(i + 1) % patch.size()];
        around += std::hypot(p[0] - q[0], p[1] - q[1]);
      }
      if (around < 4.0 * kLeast) return;
      const double most = largest_quadrilateral(patch), got = area_of_points(reported);
      if (most > 0.0) out.statistics["face to face: area / largest of four points"].push_back(got / most);
      if (got < 0.9 * most - kMetres * around) {
        bad("PATCH_AREA", first, 1.0 - got / most,
            format("%zu contacts span %.6g of the %.6g that four points can span", count, got, most));
      }
      return;
    }
    if (is_line(fa.kind) && is_line(fb.kind)) {
      const Vec da = unit(fa.points[1] - fa.points[0]), db = unit(fb.points[1] - fb.points[0]);
      const double sine = length(cross(da, db));
      if (sine > 0.025) {
        if (count != 1) bad("CROSSING", first, 1.0, format("%zu contacts of crossing lines", count));
        return;
      }
      if (sine > 1e-3) return;
      const Vec across = unit(da - dot(da, n) * n);
      double lo = dot(fb.points[0], across), hi = dot(fb.points[1], across);
      if (lo > hi) std::swap(lo, hi);
      lo = std::max(lo, dot(fa.points[0], across)), hi = std::min(hi, dot(fa.points[1], across));
      const double origin = dot(fa.points[0], across);
      const auto at = [&](double s) { return fa.points[0] + (s - origin) * da; };
      // An end of the shared stretch where they are apart has no contact.
      const double inward = 1e-9 * (hi - lo);
      if (!(chord(at(lo + inward), n) > least && chord(at(hi - inward), n) > least)) return;
      ends(count, n, across, lo, hi, least, at, "PARALLEL_LINES");
      return;
    }
    if ((is_flat(fa.kind) && is_line(fb.kind)) || (is_line(fa.kind) && is_flat(fb.kind))) {
      const Feature &face = is_flat(fa.kind) ? fa : fb, &line = is_flat(fa.kind) ? fb : fa;
      Interval in{0.0, 1.0};
      const Polygon ends_of_line = flat(line.points);
      if (!face.points.empty()) in = clip_line(ends_of_line[0], ends_of_line[1], counter_clockwise(flat(face.points)));
      if (in.empty()) return;
      const Vec d = unit(line.points[1] - line.points[0]);
      const Vec across = unit(d - dot(d, n) * n);
      const double origin = dot(line.points[0], across), whole = length(line.points[1] - line.points[0]);
      ends(
          count, n, across, origin + in.lo * whole, origin + in.hi * whole, least,
          [&](double s) { return line.points[0] + (s - origin) * d; },
          line.kind == Feature::edge ? "EDGE_ON_FACE" : "LINE_ON_FACE", line.kind == Feature::edge);
    }
  }

  /// Both ends of the part of [lo, hi] along d whose chords are deep enough must have a contact.
  template <typename At>
  void ends(std::size_t count, Vec n, Vec d, double lo, double hi, double least, At at, const char* category,
            bool more_allowed = false) const {
    if (hi - lo < kLeast) return;
    const int steps = 64;
    double from = kInfinity, to = -kInfinity;
    for (int k = 0; k <= steps; ++k) {
      const double s = lo + (hi - lo) * (1e-9 + (1.0 - 2e-9) * k / steps);
      if (chord(at(s), n) > least) from = std::min(from, s), to = std::max(to, s);
    }
    if (!(to - from > kLeast)) return;
    double low = kInfinity, high = -kInfinity;
    for (std::size_t r = first; r < last; ++r) {
      const double s = dot(contacts.rows[r].point - a.centre, d);
      low = std::min(low, s), high = std::max(high, s);
    }
    const double slack = 1e-3 + 0.01 * (to - from), short_of = std::max(low - from, to - high);
    ++out.counts["lines judged"];
    // Lines that all but are parallel may cross so far from their ends that these are less deep: a third contact there.
    if (count == 3) {
      const auto depth = [&](std::size_t r) { return contacts.rows[first + r].depth; };
      more_allowed |= std::max(depth(1), depth(2)) < depth(0) - (1e-5 + 0.0025 * std::abs(depth(0)));
    }
    if (short_of > slack || (count != 2 && !more_allowed)) {
      bad(category, first, std::max(short_of - slack, 0.0) / (to - from) + (count != 2 ? 1e-3 : 0.0),
          format("%zu contacts from %.6g to %.6g, the line from %.6g to %.6g", count, low, high, from, to));
    }
  }
};

}  // namespace

double largest_quadrilateral(const std::vector<std::array<double, 2>>& p) {
  const std::size_t n = p.size();
  if (n < 3) return 0.0;
  const auto twice = [&](std::size_t i, std::size_t j, std::size_t k) {
    return std::abs((p[j][0] - p[i][0]) * (p[k][1] - p[i][1]) - (p[j][1] - p[i][1]) * (p[k][0] - p[i][0]));
  };
  // For each first corner the farthest corners on both sides of the diagonal move on with its far end.
  double best = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t left = i + 1;
    std::size_t right = i + 2;
    for (std::size_t j = i + 1; j < i + n; ++j) {
      while (left + 1 < j && twice(i, j % n, (left + 1) % n) >= twice(i, j % n, left % n)) ++left;
      right = std::max(right, j);
      while (right + 1 < i + n && twice(i, j % n, (right + 1) % n) >= twice(i, j % n, right % n)) ++right;
      best = std::max(best, 0.5 * (twice(i, j % n, left % n) + twice(i, j % n, right % n)));
    }
  }
  return best;
}

bool meet(const SceneFile& s, std::size_t a, std::size_t b) {
  if (!s.environment.empty() && s.environment[a] != s.environment[b]) return false;
  if (!s.group.empty() && s.group[a] != 0 && s.group[a] == s.group[b]) return false;
  const auto category = [&](std::size_t i) { return s.category.empty() ? 1U : s.category[i]; };
  const auto mask = [&](std::size_t i) { return s.mask.empty() ? 0xFFFFFFFFU : s.mask[i]; };
  if ((category(a) & mask(b)) == 0 || (category(b) & mask(a)) == 0) return false;
  return s.shape[a] != kHalfSpace || s.shape[b] != kHalfSpace;
}

Findings check_pairs(const SceneFile& scene, const ContactFile& contacts, std::size_t frame, double margin,
                     unsigned threads) {
  Findings all;
  const auto bad = [&](const char* category, std::size_t row, const std::string& text) {
    all.violations.push_back({category, frame, contacts.rows[row].body_a, row, 1.0, text});
  };
  // Rows of each pair; a pair may stand once, with the smaller index first.
  struct Work {
    std::size_t a, b, first, last;
  };
  std::map<std::pair<std::size_t, std::size_t>, std::pair<std::size_t, std::size_t>> reported;
  for (std::size_t r = contacts.frame_offset[frame], next = r; r < contacts.frame_offset[frame + 1]; r = next) {
    const ContactRow& row = contacts.rows[r];
    for (next = r; next < contacts.frame_offset[frame + 1] && contacts.rows[next].body_a == row.body_a &&
                   contacts.rows[next].body_b == row.body_b;) {
      ++next;
    }
    if (row.body_b == kTerrain) continue;
    if (row.body_a >= scene.bodies || row.body_b >= scene.bodies) continue;  // named by the check of the order
    if (row.body_a >= row.body_b) {
      bad("A_BEFORE_B", r, format("body %u stands before %u", row.body_a, row.body_b));
      continue;
    }
    if (!meet(scene, row.body_a, row.body_b)) {
      bad("FILTER", r,
          "bodies that do not meet: " + describe(scene, row.body_a, frame) + ", " + describe(scene, row.body_b, frame));
      continue;
    }
    if (!reported.try_emplace({row.body_a, row.body_b}, r, next).second) bad("TWICE", r, "a pair stands twice");
  }

  // Sweep along x inside each environment; bodies without bounds against all.
  std::vector<Work> work;
  const auto offer = [&](std::size_t i, std::size_t j) {
    if (i > j) std::swap(i, j);
    if (!meet(scene, i, j)) return;
    const auto found = reported.find({i, j});
    if (found == reported.end()) {
      work.push_back({i, j, 0, 0});
    } else {
      work.push_back({i, j, found->second.first, found->second.second});
      reported.erase(found);
    }
  };
  std::map<std::uint32_t, std::vector<std::size_t>> bodies;
  for (std::size_t i = 0; i < scene.bodies; ++i)
    bodies[scene.environment.empty() ? 0 : scene.environment[i]].push_back(i);
  for (auto& [environment, list] : bodies) {
    struct Span {
      double lo, hi;
      Vec centre;
      double radius;
      std::size_t body;
    };
    std::vector<Span> spans;
    for (const std::size_t i : list) {
      const Body body = scene.body(i, frame);
      if (body.shape == kHalfSpace) {
        for (const std::size_t j : list)
          if (scene.shape[j] != kHalfSpace) offer(i, j);
        continue;
      }
      const double radius = bounding_radius(body) + 0.5 * margin + kMetres;
      spans.push_back({body.centre.x - radius, body.centre.x + radius, body.centre, radius, i});
    }
    std::sort(spans.begin(), spans.end(), [](const Span& p, const Span& q) { return p.lo < q.lo; });
    for (std::size_t i = 0; i < spans.size(); ++i)
      for (std::size_t j = i + 1; j < spans.size() && spans[j].lo <= spans[i].hi; ++j)
        if (length(spans[i].centre - spans[j].centre) <= spans[i].radius + spans[j].radius) {
          offer(spans[i].body, spans[j].body);
        }
  }
  for (const auto& [pair, rows] : reported) work.push_back({pair.first, pair.second, rows.first, rows.second});

  std::mutex mutex;
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> pool;
  for (unsigned k = 0; k < std::max(1U, threads); ++k) {
    pool.emplace_back([&] {
      Findings mine;
      for (std::size_t i = next++; i < work.size(); i = next++) {
        const Work& w = work[i];
        PairCheck{scene, contacts, frame, w.a, w.b, w.first, w.last, margin, mine, {}, {}}.run();
      }
      const std::scoped_lock lock(mutex);
      all.add(mine);
    });
  }
  for (std::thread& t : pool) t.join();

  // What the scene itself says of its pairs is compared, not judged.
  if (!scene.touching_pairs.empty() && frame == 0 && margin == 0.0) {
    std::set<std::pair<std::size_t, std::size_t>> truth;
    for (std::size_t k = 0; k + 1 < scene.touching_pairs.size(); k += 2) {
      truth.insert(std::minmax<std::size_t>(scene.touching_pairs[k], scene.touching_pairs[k + 1]));
    }
    all.counts["pairs in the scene's truth"] = truth.size();
    auto& wrong = all.counts["pairs on which the scene's truth is off by more than 1e-4 m"];
    for (const auto& [i, j] : truth) {
      if (least_penetration(scene.body(i, 0), scene.body(j, 0)).upper < -kMetres) ++wrong;
    }
    for (const Work& w : work) {
      if (truth.count({w.a, w.b}) == 0 && least_penetration(scene.body(w.a, 0), scene.body(w.b, 0)).lower > kMetres) {
        ++wrong;
      }
    }
  }
  return all;
}

Findings check_same_features(const SceneFile& scene, const ContactFile& c) {
  Findings out;
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  const auto features = [&](std::size_t frame) {
    std::map<Pair, std::set<std::uint32_t>> of;
    for (std::size_t r = c.frame_offset[frame]; r < c.frame_offset[frame + 1]; ++r) {
      of[{c.rows[r].body_a, c.rows[r].body_b}].insert(c.rows[r].feature);
    }
    return of;
  };
  const auto before = features(0);
  for (std::size_t frame = 1; frame < scene.frames; ++frame) {
    const auto now = features(frame);
    for (const auto& [pair, ids] : before) {
      const auto found = now.find(pair);
      ++out.counts["manifolds compared between frames"];
      if (found != now.end() && found->second == ids) continue;
      if (pair.second >= scene.bodies) continue;
      std::string text = found == now.end() ? "pair is gone:" : "features changed:";
      for (const auto id : ids) text += format(" %08x", id);
      text += " ->";
      if (found != now.end())
        for (const auto id : found->second) text += format(" %08x", id);
      const int low = std::min(scene.shape[pair.first], scene.shape[pair.second]);
      const int high = std::max(scene.shape[pair.first], scene.shape[pair.second]);
      out.violations.push_back({std::string("FEATURE_CHANGED ") + shape_name(low) + "-" + shape_name(high), frame,
                                pair.first, static_cast<std::size_t>(-1), 1.0,
                                text + " | A = #" + std::to_string(pair.first) + " " +
                                    describe(scene, pair.first, frame) + ", B = #" + std::to_string(pair.second) + " " +
                                    describe(scene, pair.second, frame)});
    }
  }
  return out;
}

namespace {

// Two bodies that are alike in one place: which of the two is A decides which way is out. By their numbers in the first
// scene.
bool are_one(const SceneFile& other_scene, std::uint32_t first, std::uint32_t second) {
  if (second == kTerrain) return false;
  const auto number_of = [&](std::uint32_t body) {
    const auto found = std::find(other_scene.permutation.begin(), other_scene.permutation.end(), body);
    return static_cast<std::size_t>(found - other_scene.permutation.begin());
  };
  const std::size_t i = number_of(first), j = number_of(second);
  const auto is_equal = [&](const std::vector<double>& numbers, std::size_t each) {
    for (std::size_t k = 0; k < each; ++k)
      if (numbers[each * i + k] != numbers[each * j + k]) return false;
    return true;
  };
  return other_scene.shape[i] == other_scene.shape[j] && is_equal(other_scene.size, 3) &&
         is_equal(other_scene.position, 3) && is_equal(other_scene.orientation, 4);
}

}  // namespace

Findings check_permuted(const ContactFile& contacts, const SceneFile& other_scene, const ContactFile& other) {
  Findings out;
  if (contacts.frame_offset != other.frame_offset) {
    out.violations.push_back({"PERMUTED", 0, 0, 0, 1e9, "the numbers of contacts differ"});
  }
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  std::map<Pair, std::vector<ContactRow>> original, mapped;
  std::set<Pair> turned;
  for (const ContactRow& row : contacts.rows) original[{row.body_a, row.body_b}].push_back(row);
  for (ContactRow row : other.rows) {
    row.body_a = other_scene.permutation.at(row.body_a);
    if (row.body_b != kTerrain) row.body_b = other_scene.permutation.at(row.body_b);
    if (row.body_b != kTerrain && row.body_a > row.body_b) {
      std::swap(row.body_a, row.body_b);
      row.point = row.point + row.depth * row.normal;
      row.normal = -row.normal;
      turned.insert({row.body_a, row.body_b});
    }
    mapped[{row.body_a, row.body_b}].push_back(row);
  }
  for (const auto& [pair, rows] : original) {
    const auto found = mapped.find(pair);
    const bool turn = turned.count(pair) != 0;
    if (turn && are_one(other_scene, pair.first, pair.second)) continue;
    std::string text;
    if (found == mapped.end()) {
      text = "only in the first file";
    } else if (found->second.size() != rows.size()) {
      text = format("%zu and %zu contacts", rows.size(), found->second.size());
    } else {
      ++out.counts[turn ? "manifolds compared, turned round" : "manifolds compared"];
      for (const ContactRow& row : rows) {
        double nearest = kInfinity;
        for (const ContactRow& o : found->second) {
          const bool same = o.depth == row.depth && o.normal.x == row.normal.x && o.normal.y == row.normal.y &&
                            o.normal.z == row.normal.z;
          if (same) nearest = std::min(nearest, length(o.point - row.point));
        }
        // Of a pair turned round the point is the other body's, found through the rounded depth and normal.
        const double limit = turn ? 1e-5 : 0.0;
        if (!(nearest <= limit)) text = format("depth or normal differ, or points by %.3g", nearest);
      }
    }
    if (!text.empty()) {
      out.violations.push_back({turn ? "PERMUTED_TURNED" : "PERMUTED", 0, pair.first, static_cast<std::size_t>(-1), 1.0,
                                format("bodies %u, %u: ", pair.first, pair.second) + text});
    }
  }
  for (const auto& [pair, rows] : mapped) {
    if (original.count(pair) == 0) {
      out.violations.push_back({"PERMUTED", 0, pair.first, static_cast<std::size_t>(-1), 1.0,
                                format("bodies %u, %u: only in the second file", pair.first, pair.second)});
    }
  }
  return out;
}

}  // namespace oracle
