// Exact double-precision geometry of one body, written from the contract alone.
// All queries are relative to the body's centre; the frame is any right-handed one whose z is "up".
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace oracle {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Vec {
  double x = 0.0, y = 0.0, z = 0.0;
};
inline Vec operator+(Vec a, Vec b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Vec operator-(Vec a, Vec b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vec operator-(Vec a) {
  return {-a.x, -a.y, -a.z};
}
inline Vec operator*(double s, Vec a) {
  return {s * a.x, s * a.y, s * a.z};
}
inline double dot(Vec a, Vec b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Vec cross(Vec a, Vec b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double length(Vec a) {
  return std::sqrt(dot(a, a));
}
inline Vec unit(Vec a) {
  const double l = length(a);
  return l > 0.0 ? (1.0 / l) * a : Vec{0.0, 0.0, 1.0};
}

enum : int { kSphere = 0, kBox = 1, kCylinder = 2, kCapsule = 3, kConvexHull = 4, kHalfSpace = 5, kMesh = 7 };

[[noreturn]] inline double no_such_shape(int shape) {
  throw std::logic_error("the oracle knows no geometry of shape " + std::to_string(shape));
}

/// The hull of points, as all planes through three of them that have none above, but for 1e-9 of the size: by trying
/// every three.
struct Hull {
  struct Plane {
    Vec normal;     ///< unit, outward
    double offset;  ///< the points' greatest height along it
  };
  std::vector<Vec> points;
  std::vector<Plane> planes;
  double size = 0.0;  ///< greatest length of a point
};

inline Hull hull_of(std::vector<Vec> points) {
  Hull hull{std::move(points), {}, 0.0};
  const std::vector<Vec>& p = hull.points;
  for (const Vec v : p) hull.size = std::max(hull.size, length(v));
  const auto add = [&](Vec n, Vec on) {
    const double offset = dot(n, on), slack = 1e-9 * hull.size;
    double highest = -kInfinity;
    for (const Vec v : p) {
      highest = std::max(highest, dot(n, v));
      if (highest > offset + slack) return;
    }
    for (const Hull::Plane& q : hull.planes)
      if (length(q.normal - n) < 1e-7) return;
    hull.planes.push_back({n, highest});
  };
  for (std::size_t i = 0; i < p.size(); ++i)
    for (std::size_t j = i + 1; j < p.size(); ++j)
      for (std::size_t k = j + 1; k < p.size(); ++k) {
        const Vec n = cross(p[j] - p[i], p[k] - p[i]);
        if (length(n) < 1e-13 * hull.size * hull.size) continue;
        add(unit(n), p[i]), add(-unit(n), p[i]);
      }
  return hull;
}

struct Body {
  int shape = kSphere;
  std::array<double, 3> size{};
  Vec centre;                  ///< world; the queries below do not use it
  std::array<Vec, 3> axis;     ///< local axes
  const Hull* hull = nullptr;  ///< of a convex hull, in its axes

  double radius() const { return size[0]; }
  double half_length() const { return size[1]; }
  /// Smallest full width over all directions; of a hull over those of its faces.
  double width() const {
    switch (shape) {
      case kBox:
        return 2.0 * std::min({size[0], size[1], size[2]});
      case kCylinder:
        return 2.0 * std::min(size[0], size[1]);
      case kSphere:
      case kCapsule:
        return 2.0 * size[0];
      case kConvexHull: {
        double least = kInfinity;
        for (const Hull::Plane& plane : hull->planes) {
          double lowest = kInfinity;
          for (const Vec p : hull->points) lowest = std::min(lowest, dot(plane.normal, p));
          least = std::min(least, plane.offset - lowest);
        }
        return least;
      }
      default:
        return no_such_shape(shape);
    }
  }
  Vec to_local(Vec p) const { return {dot(axis[0], p), dot(axis[1], p), dot(axis[2], p)}; }
  Vec to_frame(Vec q) const { return q.x * axis[0] + q.y * axis[1] + q.z * axis[2]; }
};

inline std::array<Vec, 3> axes_of(double w, double x, double y, double z) {
  const double l = std::sqrt(w * w + x * x + y * y + z * z);
  w /= l, x /= l, y /= l, z /= l;
  return {Vec{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
          Vec{2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
          Vec{2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
}

/// A point of the body farthest along d.
inline Vec support_point(const Body& b, Vec d) {
  const Vec q = b.to_local(d);
  Vec p;
  switch (b.shape) {
    case kSphere:
      p = b.radius() * unit(q);
      break;
    case kBox:
      p = {std::copysign(b.size[0], q.x), std::copysign(b.size[1], q.y), std::copysign(b.size[2], q.z)};
      break;
    case kCylinder: {
      const double l = std::hypot(q.x, q.y);
      p = {l > 0 ? b.radius() * q.x / l : 0.0, l > 0 ? b.radius() * q.y / l : 0.0, std::copysign(b.half_length(), q.z)};
      break;
    }
    case kCapsule:
      p = b.radius() * unit(q);
      p.z += std::copysign(b.half_length(), q.z);
      break;
    case kConvexHull:
      p = b.hull->points[0];
      for (const Vec v : b.hull->points)
        if (dot(v, q) > dot(p, q)) p = v;
      break;
    default:
      no_such_shape(b.shape);
  }
  return b.to_frame(p);
}

inline double support(const Body& b, Vec d) {
  return dot(support_point(b, d), d);
}

/// Lower bound (tight to about 1e-9) of the distance of a convex set from the origin, by Gilbert, Johnson and Keerthi's
/// descent over simplices; `farthest` gives a point of the set that is farthest along a direction.
template <typename Farthest>
double distance_from_origin(Farthest farthest) {
  std::vector<Vec> simplex{farthest({0, 0, 1})};
  Vec v = simplex[0];
  double bound = 0.0;
  for (int step = 0; step < 200; ++step) {
    const double l = length(v);
    if (l < 1e-12) return bound;
    const Vec w = farthest(-v);
    bound = std::max(bound, dot(v, w) / l);
    if (l - bound < 1e-9) return bound;
    simplex.push_back(w);
    // Nearest point of the simplex: try every face, keep the nearest one whose weights are all positive.
    double nearest = kInfinity;
    Vec nearest_point;
    std::vector<Vec> kept;
    const std::size_t count = simplex.size();
    for (std::size_t mask = 1; mask < (std::size_t{1} << count); ++mask) {
      std::vector<Vec> face;
      for (std::size_t i = 0; i < count; ++i) {
        if (mask >> i & 1U) face.push_back(simplex[i]);
      }
      Vec p = face[0];
      bool valid = face.size() <= 3;
      if (face.size() == 2) {
        const Vec e = face[1] - face[0];
        const double t = -dot(face[0], e) / dot(e, e);
        valid = t > 0.0 && t < 1.0;
        p = face[0] + t * e;
      } else if (face.size() == 3) {
        const Vec e = face[1] - face[0], f = face[2] - face[0];
        const double ee = dot(e, e), ff = dot(f, f), ef = dot(e, f), det = ee * ff - ef * ef;
        if (!(det > 0.0)) continue;
        const double oe = -dot(face[0], e), of = -dot(face[0], f);
        const double s = (oe * ff - of * ef) / det, t = (of * ee - oe * ef) / det;
        valid = s > 0.0 && t > 0.0 && s + t < 1.0;
        p = face[0] + s * e + t * f;
      }
      if (valid && dot(p, p) < nearest) nearest = dot(p, p), nearest_point = p, kept = face;
    }
    if (kept.empty() || nearest >= dot(v, v)) return bound;
    v = nearest_point, simplex = kept;
  }
  return bound;
}

/// Signed distance of p to the body's surface, negative inside; a convex function.
inline double signed_distance(const Body& b, Vec p) {
  Vec q = b.to_local(p);
  switch (b.shape) {
    case kSphere:
      return length(q) - b.radius();
    case kBox: {
      const Vec e{std::abs(q.x) - b.size[0], std::abs(q.y) - b.size[1], std::abs(q.z) - b.size[2]};
      const Vec out{std::max(e.x, 0.0), std::max(e.y, 0.0), std::max(e.z, 0.0)};
      return length(out) + std::min(std::max({e.x, e.y, e.z}), 0.0);
    }
    case kCylinder: {
      const double er = std::hypot(q.x, q.y) - b.radius(), ez = std::abs(q.z) - b.half_length();
      return std::hypot(std::max(er, 0.0), std::max(ez, 0.0)) + std::min(std::max(er, ez), 0.0);
    }
    case kCapsule:
      q.z -= std::clamp(q.z, -b.half_length(), b.half_length());
      return length(q) - b.radius();
    case kConvexHull: {
      double above = -kInfinity;
      for (const Hull::Plane& plane : b.hull->planes) above = std::max(above, dot(plane.normal, q) - plane.offset);
      if (above <= 0.0) return above;
      return std::max(above, distance_from_origin([&](Vec d) {
                        Vec best = b.hull->points[0];
                        for (const Vec v : b.hull->points)
                          if (dot(v, d) > dot(best, d)) best = v;
                        return best - q;
                      }));
    }
    default:
      return no_such_shape(b.shape);
  }
}

struct Interval {
  double lo = -kInfinity, hi = kInfinity;
  bool empty() const { return !(lo <= hi); }
};
inline Interval both(Interval a, Interval b) {
  return {std::max(a.lo, b.lo), std::min(a.hi, b.hi)};
}
inline Interval hull(Interval a, Interval b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}
inline constexpr Interval kNothing{1.0, 0.0};

/// { t : |o + t d| <= h }
inline Interval slab(double o, double d, double h) {
  if (d == 0.0) return std::abs(o) <= h ? Interval{} : kNothing;
  const double a = (-h - o) / d, b = (h - o) / d;
  return {std::min(a, b), std::max(a, b)};
}

/// { t : a t^2 + 2 b t + c <= 0 }, a >= 0
inline Interval quadratic(double a, double b, double c) {
  if (a <= 0.0) return c <= 0.0 ? Interval{} : kNothing;
  const double discriminant = b * b - a * c;
  if (discriminant < 0.0) return kNothing;
  const double root = std::sqrt(discriminant);
  // The root that does not cancel first, the other from the product of both.
  const double q = b > 0 ? -(b + root) : -(b - root);
  const double t0 = q / a, t1 = q != 0.0 ? c / q : t0;
  return {std::min(t0, t1), std::max(t0, t1)};
}

/// { t : o + t d in the hull }; planes along d count where they keep all of the line out.
inline Interval stretch_in_hull(const Hull& hull, Vec o, Vec d) {
  Interval in;
  for (const Hull::Plane& plane : hull.planes) {
    const double slope = dot(plane.normal, d), room = plane.offset - dot(plane.normal, o);
    if (std::abs(slope) < 1e-14) {
      if (room < 0.0) return kNothing;
    } else if (slope > 0.0) {
      in.hi = std::min(in.hi, room / slope);
    } else {
      in.lo = std::max(in.lo, room / slope);
    }
  }
  return in;
}

/// Height of the body's lower surface over (x, y), which must lie in its footprint (rounding forgiven).
inline double lower(const Body& b, double x, double y) {
  const double r = b.size[0];
  if (b.shape == kSphere) return -std::sqrt(std::max(0.0, r * r - x * x - y * y));
  const Vec o = b.to_local({x, y, 0.0});
  const Vec d{b.axis[0].z, b.axis[1].z, b.axis[2].z};
  if (b.shape == kConvexHull) {
    double lo = -kInfinity, hi = kInfinity;
    for (const Hull::Plane& plane : b.hull->planes) {
      const double slope = dot(plane.normal, d), room = plane.offset - dot(plane.normal, o);
      if (slope > 1e-14) hi = std::min(hi, room / slope);
      if (slope < -1e-14) lo = std::max(lo, room / slope);
    }
    return lo <= hi ? lo : 0.5 * (lo + hi);
  }
  if (b.shape == kBox) {
    double lo = -kInfinity, hi = kInfinity;
    const double os[3] = {o.x, o.y, o.z}, ds[3] = {d.x, d.y, d.z};
    for (int i = 0; i < 3; ++i) {
      if (std::abs(ds[i]) < 1e-14) continue;
      const Interval s = slab(os[i], ds[i], b.size[static_cast<std::size_t>(i)]);
      lo = std::max(lo, s.lo), hi = std::min(hi, s.hi);
    }
    return lo <= hi ? lo : 0.5 * (lo + hi);
  }
  // The tube around the axis: distance from the axis is least at t = t_axis.
  const double a = d.x * d.x + d.y * d.y, h = b.half_length();
  Interval tube;
  if (a > 1e-28) {
    const double t_axis = -(o.x * d.x + o.y * d.y) / a;
    const double off = (o.x * d.y - o.y * d.x) * (o.x * d.y - o.y * d.x) / a;
    const double half = std::sqrt(std::max(0.0, r * r - off) / a);
    tube = {t_axis - half, t_axis + half};
  }
  Interval ends = std::abs(d.z) < 1e-14 ? Interval{} : slab(o.z, d.z, h);
  Interval inside = both(tube, ends);
  if (b.shape == kCylinder) return inside.lo <= inside.hi ? inside.lo : 0.5 * (inside.lo + inside.hi);
  double low = inside.empty() ? kInfinity : inside.lo, nearest = kInfinity, nearest_t = 0.0;
  for (const double s : {-h, h}) {
    const double bz = o.x * d.x + o.y * d.y + (o.z - s) * d.z;
    const Vec foot = Vec{o.x, o.y, o.z - s} - bz * d;
    const double off = dot(foot, foot);
    if (off < r * r) low = std::min(low, -bz - std::sqrt(r * r - off));
    if (off < nearest) nearest = off, nearest_t = -bz;
  }
  return low < kInfinity ? low : nearest_t;
}

/// { t in range : p + t e lies in the body's footprint }
inline Interval footprint(const Body& b, double px, double py, double ex, double ey, Interval range) {
  if (b.shape == kBox) {
    // A zonogon: one slab across each projected edge direction.
    for (int i = 0; i < 3 && !range.empty(); ++i) {
      const double nx = -b.axis[static_cast<std::size_t>(i)].y, ny = b.axis[static_cast<std::size_t>(i)].x;
      if (nx * nx + ny * ny < 1e-24) continue;
      double h = 0.0;
      for (std::size_t k = 0; k < 3; ++k) h += b.size[k] * std::abs(nx * b.axis[k].x + ny * b.axis[k].y);
      range = both(range, slab(nx * px + ny * py, nx * ex + ny * ey, h));
    }
    return range;
  }
  if (b.shape == kConvexHull) {
    // The hull of the points seen from above, side by side.
    std::vector<Vec> flat;
    for (const Vec p : b.hull->points) flat.push_back(b.to_frame(p));
    std::sort(flat.begin(), flat.end(), [](Vec p, Vec q) { return p.x != q.x ? p.x < q.x : p.y < q.y; });
    const auto turn = [](Vec p, Vec q, Vec s) { return (q.x - p.x) * (s.y - p.y) - (q.y - p.y) * (s.x - p.x); };
    for (const double side : {1.0, -1.0}) {
      std::vector<Vec> chain;
      for (const Vec p : flat) {
        while (chain.size() > 1 && side * turn(chain[chain.size() - 2], chain.back(), p) <= 0.0) chain.pop_back();
        chain.push_back(p);
      }
      for (std::size_t k = 0; k + 1 < chain.size(); ++k) {
        const double nx = chain[k + 1].x - chain[k].x, ny = chain[k + 1].y - chain[k].y;
        // inside(t) = in0 + t in1 >= 0
        const double in0 = side * (nx * (py - chain[k].y) - ny * (px - chain[k].x)), in1 = side * (nx * ey - ny * ex);
        if (in1 > 0.0) range.lo = std::max(range.lo, -in0 / in1);
        if (in1 < 0.0) range.hi = std::min(range.hi, -in0 / in1);
        if (in1 == 0.0 && in0 < 0.0) return kNothing;
      }
    }
    return range;
  }
  // Round shapes: |w| <= r and |u| <= l + k sqrt(r^2 - w^2), u along the axis' projection.
  const double r = b.radius();
  const Vec v = b.axis[2];
  const double flat = std::hypot(v.x, v.y);
  const double ux = flat > 1e-14 ? v.x / flat : 1.0, uy = flat > 1e-14 ? v.y / flat : 0.0;
  const double l = b.shape == kSphere ? 0.0 : b.half_length() * flat;
  const double k = b.shape == kCylinder ? std::abs(v.z) : 1.0;
  const double u0 = ux * px + uy * py, u1 = ux * ex + uy * ey;
  const double w0 = ux * py - uy * px, w1 = ux * ey - uy * ex;
  range = both(range, slab(w0, w1, r));
  for (const double side : {1.0, -1.0}) {
    if (range.empty()) return range;
    // side * u <= l, or inside the ellipse of the cap
    Interval straight;
    const double s0 = side * u0 - l, s1 = side * u1;
    if (s1 == 0.0) {
      if (s0 > 0.0) straight = kNothing;
    } else if (s1 > 0.0) {
      straight.hi = -s0 / s1;
    } else {
      straight.lo = -s0 / s1;
    }
    const Interval cap =
        quadratic(s1 * s1 + k * k * w1 * w1, s0 * s1 + k * k * w0 * w1, s0 * s0 + k * k * (w0 * w0 - r * r));
    range = hull(both(range, straight), both(range, cap));
  }
  return range;
}

/// A triangle with its corners counter-clockwise from above, none of its area vertical.
struct Triangle {
  std::array<Vec, 3> v;
  Vec normal() const { return unit(cross(v[1] - v[0], v[2] - v[0])); }
};

struct Gap {
  double gap = -kInfinity;  ///< greatest (plane - lower surface), along z
  Vec point;                ///< where: a point of the body
};

/// Greatest vertical gap between a triangle's plane and the body's lower surface over the triangle: the maximum of a
/// linear function over the convex set body x column. Either the body's support point is in the column, or the
/// maximum lies on an edge that is visible from it, where the gap is a concave function of one variable.
/// Gives up early, with -infinity, where the gap cannot exceed `floor`.
inline Gap greatest_gap(const Body& b, const Triangle& tri, double floor) {
  Gap best;
  const Vec n = cross(tri.v[1] - tri.v[0], tri.v[2] - tri.v[0]);
  const double a = -n.x / n.z, c = -n.y / n.z;
  const double k = tri.v[0].z - a * tri.v[0].x - c * tri.v[0].y;
  const Vec s = support_point(b, {a, c, -1.0});
  const double bound = k + a * s.x + c * s.y - s.z;
  if (bound <= floor) return best;
  bool inside = true;
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec p = tri.v[i], e = tri.v[(i + 1) % 3] - p;
    if (e.x * (s.y - p.y) - e.y * (s.x - p.x) >= 0.0) continue;
    inside = false;
    const Interval range = footprint(b, p.x, p.y, e.x, e.y, {0.0, 1.0});
    if (range.empty()) continue;
    const auto gap_at = [&](double t) {
      const double x = p.x + t * e.x, y = p.y + t * e.y;
      return k + a * x + c * y - lower(b, x, y);
    };
    constexpr double kGolden = 0.6180339887498949;
    double lo = range.lo, hi = range.hi;
    double t1 = hi - kGolden * (hi - lo), t2 = lo + kGolden * (hi - lo);
    double g1 = gap_at(t1), g2 = gap_at(t2);
    for (int step = 0; step < 64 && hi - lo > 1e-13; ++step) {
      if (g1 < g2) {
        lo = t1, t1 = t2, g1 = g2, t2 = lo + kGolden * (hi - lo), g2 = gap_at(t2);
      } else {
        hi = t2, t2 = t1, g2 = g1, t1 = hi - kGolden * (hi - lo), g1 = gap_at(t1);
      }
    }
    for (const double t : {range.lo, range.hi, t1, t2}) {
      const double g = gap_at(t);
      if (g > best.gap) {
        const double x = p.x + t * e.x, y = p.y + t * e.y;
        best = {g, {x, y, lower(b, x, y)}};
      }
    }
  }
  if (inside) best = {bound, s};
  return best;
}

/// The same along the triangle's normal: the deepest point of the body under the triangle whose foot is in it.
inline Gap greatest_depth_along_normal(const Body& b, const Triangle& tri, double floor) {
  const Vec n = tri.normal();
  const Vec u = unit(tri.v[1] - tri.v[0]), w = cross(n, u);
  const auto turn = [&](Vec p) { return Vec{dot(u, p), dot(w, p), dot(n, p)}; };
  Body turned = b;
  for (Vec& axis : turned.axis) axis = turn(axis);
  Gap found = greatest_gap(turned, {{turn(tri.v[0]), turn(tri.v[1]), turn(tri.v[2])}}, floor);
  const Vec p = found.point;
  found.point = p.x * u + p.y * w + p.z * n;
  return found;
}

/// How far the body must move along d, at least, until a plane with normal d separates it from the column.
inline double way_out(const Body& b, const Triangle& tri, Vec d) {
  return std::max({dot(tri.v[0], d), dot(tri.v[1], d), dot(tri.v[2], d)}) + support(b, -d);
}

/// Least translation that takes the body out of the column below the triangle (an upper bound by dense search).
inline double least_penetration(const Body& b, const Triangle& tri) {
  std::vector<Vec> candidates{tri.normal(), {0, 0, 1}};
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec e = tri.v[(i + 1) % 3] - tri.v[i];
    candidates.push_back(unit({e.y, -e.x, 0.0}));
    for (const Vec& axis : b.axis) candidates.push_back(unit(cross(e, axis)));
    const Vec p = tri.v[i];
    candidates.push_back(unit(-p));
    candidates.push_back(unit({-p.x, -p.y, 0.0}));
    candidates.push_back(unit(dot(p, e) / dot(e, e) * e - p));
  }
  for (const Vec& axis : b.axis) candidates.push_back(axis), candidates.push_back(unit({axis.x, axis.y, 0.0}));
  for (int i = 0; i < 256; ++i) {
    const double z = (i + 0.5) / 256.0, angle = 2.399963229728653 * i, s = std::sqrt(1 - z * z);
    candidates.push_back({s * std::cos(angle), s * std::sin(angle), z});
  }
  std::vector<std::pair<double, Vec>> scored;
  for (Vec d : candidates) {
    for (const double side : {1.0, -1.0}) {
      const Vec e = side * d;
      if (e.z >= 0.0 && length(e) > 0.5) scored.emplace_back(way_out(b, tri, e), e);
    }
  }
  std::sort(scored.begin(), scored.end(), [](const auto& p, const auto& q) { return p.first < q.first; });
  double best = scored.front().first;
  for (std::size_t k = 0; k < std::min<std::size_t>(4, scored.size()); ++k) {
    auto [value, d] = scored[k];
    for (double step = 0.1; step > 1e-9;) {
      const Vec u = unit(cross(d, std::abs(d.z) < 0.9 ? Vec{0, 0, 1} : Vec{1, 0, 0})), w = cross(d, u);
      bool better = false;
      for (int i = 0; i < 8; ++i) {
        const double angle = i * 0.7853981633974483;
        Vec e = d + step * (std::cos(angle) * u + std::sin(angle) * w);
        e.z = std::max(e.z, 0.0);
        e = unit(e);
        const double v = way_out(b, tri, e);
        if (v < value - 1e-9) value = v, d = e, better = true;
      }
      if (!better) step *= 0.5;
    }
    best = std::min(best, value);
  }
  return best;
}

/// Lower bound of the distance between the body and the column below the triangle.
inline double distance_to_column(const Body& b, const Triangle& tri) {
  const double down = 4.0 * (support(b, {0, 0, -1}) + support(b, {0, 0, 1})) + 10.0 +
                      std::max({std::abs(tri.v[0].z), std::abs(tri.v[1].z), std::abs(tri.v[2].z)});
  return distance_from_origin([&](Vec d) {  // farthest of (body - column) along d
    const Vec p = support_point(b, d);
    Vec q = tri.v[0];
    for (const Vec& v : tri.v) {
      if (dot(v, d) < dot(q, d)) q = v;
    }
    if (d.z > 0.0) q.z -= down;
    return p - q;
  });
}

}  // namespace oracle
