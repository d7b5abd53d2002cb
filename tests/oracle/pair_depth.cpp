#include "pair_depth.hpp"

#include <algorithm>
#include <queue>

namespace oracle {
namespace {

void add_body(const Body& body, std::vector<Vec>& segments, double& ball) {
  switch (body.shape) {
    case kBox:
      for (std::size_t k = 0; k < 3; ++k) segments.push_back(body.size[k] * body.axis[k]);
      break;
    case kCylinder:
      segments.push_back(body.half_length() * body.axis[2]);
      break;
    case kCapsule:
      segments.push_back(body.half_length() * body.axis[2]);
      ball += body.radius();
      break;
    case kSphere:
      ball += body.radius();
      break;
    case kConvexHull:
      break;
    default:
      no_such_shape(body.shape);
  }
}

/// The point nearest to the origin of the hull of at most four points; keeps only the points that carry it.
Vec nearest_of_simplex(std::vector<Vec>& points) {
  const std::size_t n = points.size();
  double best = kInfinity;
  Vec nearest;
  unsigned carried = 0;
  for (unsigned set = 1; set < (1U << n); ++set) {
    // Least norm of the affine hull: normal equations over differences to the first point, solved by elimination.
    std::vector<Vec> use;
    for (std::size_t i = 0; i < n; ++i)
      if ((set >> i) & 1U) use.push_back(points[i]);
    const std::size_t m = use.size() - 1;
    double g[3][4] = {}, weight[3] = {};
    double scale = 0.0;
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < m; ++j) g[i][j] = dot(use[i + 1] - use[0], use[j + 1] - use[0]);
      g[i][3] = -dot(use[i + 1] - use[0], use[0]);
      scale = std::max(scale, g[i][i]);
    }
    bool regular = true;
    for (std::size_t i = 0; i < m && regular; ++i) {
      std::size_t pivot = i;
      for (std::size_t k = i + 1; k < m; ++k)
        if (std::abs(g[k][i]) > std::abs(g[pivot][i])) pivot = k;
      std::swap(g[i], g[pivot]);
      regular = std::abs(g[i][i]) > 1e-15 * scale;
      for (std::size_t k = i + 1; k < m && regular; ++k) {
        const double q = g[k][i] / g[i][i];
        for (std::size_t j = i; j < 4; ++j) g[k][j] -= q * g[i][j];
      }
    }
    if (!regular) continue;
    double rest = 1.0;
    bool inside = true;
    Vec p = use[0];
    for (std::size_t i = m; i-- > 0;) {
      double s = g[i][3];
      for (std::size_t j = i + 1; j < m; ++j) s -= g[i][j] * weight[j];
      weight[i] = s / g[i][i];
      rest -= weight[i];
      inside = inside && weight[i] >= 0.0;
      p = p + weight[i] * (use[i + 1] - use[0]);
    }
    if (!inside || rest < 0.0) continue;
    if (dot(p, p) < best) best = dot(p, p), nearest = p, carried = set;
  }
  std::vector<Vec> kept;
  for (std::size_t i = 0; i < n; ++i)
    if ((carried >> i) & 1U) kept.push_back(points[i]);
  points = kept;
  return nearest;
}

struct Cell {
  int face;
  double u, v, half;
  double bound;
  bool operator<(const Cell& other) const { return bound > other.bound; }  // least bound first
};

Vec on_cube(int face, double u, double v) {
  const double s = face & 1 ? -1.0 : 1.0;
  switch (face >> 1) {
    case 0:
      return {s, u, v};
    case 1:
      return {u, s, v};
    default:
      return {u, v, s};
  }
}

}  // namespace

Difference::Difference(const Body& a, const Body& b) : offset_(b.centre - a.centre) {
  for (const Body* body : {&a, &b}) {
    add_body(*body, segments_, ball_);
    if (body->shape == kCylinder) discs_.push_back({body->axis[2], body->radius()});
    if (body->shape != kConvexHull) continue;
    hulls_.emplace_back();
    for (const Vec p : body->hull->points) hulls_.back().push_back((body == &a ? -1.0 : 1.0) * body->to_frame(p));
    for (const Hull::Plane& plane : body->hull->planes) faces_.push_back(body->to_frame(plane.normal));
  }
  reach_ = length(offset_);
  for (const Vec s : segments_) reach_ += length(s);
  for (const Disc& d : discs_) reach_ += d.radius;
  for (const auto& hull : hulls_) {
    double size = 0.0;
    for (const Vec p : hull) size = std::max(size, length(p));
    reach_ += size;
  }
}

double Difference::overlap_along(Vec n) const {
  double f = ball_ + dot(n, offset_);
  for (const Vec s : segments_) f += std::abs(dot(n, s));
  for (const Disc& d : discs_) f += d.radius * length(cross(n, d.axis));
  for (const auto& hull : hulls_) f += dot(n, farthest(hull, n));
  return f;
}

/// The disc's point farthest along n; its centre where n is its axis but for rounding.
Vec Difference::farthest(const Disc& disc, Vec n) {
  Vec flat = n - dot(n, disc.axis) * disc.axis;
  flat = flat - dot(flat, disc.axis) * disc.axis;
  const double l = length(flat);
  return l > 1e-12 ? (disc.radius / l) * flat : Vec{};
}

Vec Difference::farthest(const std::vector<Vec>& hull, Vec n) {
  Vec best = hull[0];
  for (const Vec p : hull)
    if (dot(p, n) > dot(best, n)) best = p;
  return best;
}

Vec Difference::support(Vec n) const {
  Vec p = offset_;
  for (const Vec s : segments_) p = p + std::copysign(1.0, dot(n, s)) * s;
  for (const Disc& d : discs_) {
    p = p + farthest(d, n);
  }
  for (const auto& hull : hulls_) p = p + farthest(hull, n);
  return p;
}

Vec Difference::bounding_point(Vec n, double cosine, double sine) const {
  // Every term of the sum may give way a little along n where that brings the point nearer to the ray along n: two
  // rounds over the terms that change their farthest end within the angle. Any choice is valid.
  std::array<double, 8> t{};
  std::array<Vec, 4> round{};
  Vec p = offset_;
  for (std::size_t k = 0; k < segments_.size(); ++k) {
    t[k] = std::copysign(1.0, dot(n, segments_[k]));
    p = p + t[k] * segments_[k];
  }
  for (std::size_t k = 0; k < discs_.size(); ++k) {
    round[k] = farthest(discs_[k], n);
    p = p + round[k];
  }
  for (const auto& hull : hulls_) p = p + farthest(hull, n);
  const auto value = [&](Vec q) {
    const double along = dot(q, n);
    return along * cosine - length(q - along * n) * sine;
  };
  double best = value(p);
  for (int sweep = 0; sweep < 3; ++sweep) {
    bool changed = false;
    for (std::size_t k = 0; k < segments_.size(); ++k) {
      const Vec s = segments_[k];
      const double along = dot(s, n);
      if (std::abs(along) > sine * length(s) * 1.0001) continue;
      const Vec flat = s - along * n, off = p - dot(p, n) * n;
      const double ff = dot(flat, flat);
      if (ff <= 0.0) continue;
      const double wanted = std::clamp(t[k] - dot(off, flat) / ff, -1.0, 1.0);
      const Vec q = p + (wanted - t[k]) * s;
      const double v = value(q);
      if (v > best) best = v, p = q, t[k] = wanted, changed = true;
    }
    for (std::size_t k = 0; k < discs_.size(); ++k) {
      const Disc& d = discs_[k];
      const Vec flat_n = n - dot(n, d.axis) * d.axis;
      if (length(flat_n) > sine * 1.0001) continue;
      // The disc's plane is nearly across n: the disc's point nearest to taking all of the offset away.
      Vec off = p - dot(p, n) * n;
      off = off - dot(off, d.axis) * d.axis;
      Vec wanted = round[k] - off;
      const double l = length(wanted);
      if (l > d.radius) wanted = (d.radius / l) * wanted;
      const Vec q = p + wanted - round[k];
      const double v = value(q);
      if (v > best) best = v, p = q, round[k] = wanted, changed = true;
    }
    if (!changed) break;
  }
  return p;
}

std::vector<Vec> Difference::likely_directions() const {
  std::vector<Vec> list{{0, 0, 1}};
  const auto add = [&](Vec v) {
    if (length(v) > 1e-12 * (1.0 + reach_)) list.push_back(unit(v));
  };
  std::vector<Vec> axes = segments_;
  for (const Disc& d : discs_) axes.push_back(d.axis);
  for (Vec& v : axes) v = unit(v);
  add(offset_);
  for (const Vec n : faces_) add(n);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    add(axes[i]);
    add(offset_ - dot(offset_, axes[i]) * axes[i]);
    for (std::size_t j = 0; j < i; ++j) {
      const Vec c = cross(axes[i], axes[j]);
      if (length(c) > 1e-9) add(c);
    }
  }
  return list;
}

Depth least_penetration(const Body& a, const Body& b, double slack, double fraction) {
  Depth result;
  if (a.shape == kHalfSpace || b.shape == kHalfSpace) {
    result.normal = b.shape == kHalfSpace ? b.axis[2] : -a.axis[2];
    result.upper = result.lower = overlap_along(a, b, result.normal);
    return result;
  }
  const Difference set(a, b);
  const auto offer = [&](Vec n) {
    const double f = set.overlap_along(n);
    if (f < result.upper) result.upper = f, result.normal = n;
  };

  // Apart, or the balls alone overlap: nearest point of the set to the origin.
  const double ball = set.ball(), fine = 1e-9 * (1.0 + set.reach_);
  {
    std::vector<Vec> simplex{set.support(length(set.offset_) > 0.0 ? -unit(set.offset_) : Vec{1, 0, 0})};
    Vec p = simplex[0];
    double far = -kInfinity;
    Vec direction;
    for (int step = 0; step < 300; ++step) {
      const double d = length(p);
      if (d <= fine) break;
      const Vec n = (-1.0 / d) * p;
      const Vec q = set.support(n);
      const double f = dot(q, n);  // the distance is at least -f and at most d
      if (-f > far) far = -f, direction = n;
      if (d - far <= 1e-9 * (1.0 + d)) break;
      if (simplex.size() == 4) break;
      simplex.push_back(q);
      const Vec next = nearest_of_simplex(simplex);
      if (!(length(next) < d)) break;
      p = next;
    }
    if (far > 0.0 && length(p) - far <= 0.5 * slack) {
      result.normal = direction;
      result.upper = ball - far, result.lower = std::min(ball - length(p), result.upper);
      return result;
    }
    if (far > -kInfinity) offer(direction);
  }

  // Overlapping: split the directions.
  for (const Vec n : set.likely_directions()) offer(n), offer(-n);
  const double offset = length(set.offset_);
  const auto look = [&](Cell& cell) {
    ++result.cells;
    const Vec n = unit(on_cube(cell.face, cell.u, cell.v));
    double cosine = 1.0;
    for (const double du : {-cell.half, cell.half})
      for (const double dv : {-cell.half, cell.half}) {
        const Vec corner = unit(on_cube(cell.face, cell.u + du, cell.v + dv));
        // 1 - cos from the chord: small cells keep their digits.
        const Vec chord = corner - n;
        cosine = std::min(cosine, 1.0 - 0.5 * dot(chord, chord));
      }
    const double half_chord2 = 0.5 * (1.0 - cosine);
    const double sine = 2.0 * std::sqrt(half_chord2 * (1.0 - half_chord2));
    offer(n);
    cell.bound = kInfinity;
    // Of a symmetric set the opposite direction is better.
    if (set.hulls_.empty() && dot(n, set.offset_) > sine * offset) return;
    const Vec p = set.bounding_point(n, cosine, sine);
    const double along = dot(p, n), size = length(p), off = length(p - along * n);
    cell.bound = ball + (along < -cosine * size ? -size : along * cosine - off * sine);
    // The best point's own direction is a good guess of a minimum.
    if (size > 1e-12) offer((1.0 / size) * p);
  };
  std::priority_queue<Cell> queue;
  const auto good = [&](double bound) {
    return bound >= result.upper - slack - fraction * std::max(result.upper, 0.0);
  };
  for (int face = 0; face < 6; ++face)
    for (const double u : {-0.5, 0.5})
      for (const double v : {-0.5, 0.5}) {
        Cell cell{face, u, v, 0.5, 0.0};
        look(cell);
        if (!good(cell.bound)) queue.push(cell);
      }
  result.lower = kInfinity;
  while (!queue.empty()) {
    const Cell top = queue.top();
    if (good(top.bound)) break;
    if (result.cells > 400000) break;  // the bound that has been proven so far stands in `lower`
    queue.pop();
    for (const double du : {-0.5, 0.5})
      for (const double dv : {-0.5, 0.5}) {
        Cell cell{top.face, top.u + du * top.half, top.v + dv * top.half, 0.5 * top.half, 0.0};
        look(cell);
        cell.bound = std::max(cell.bound, top.bound);
        if (!good(cell.bound)) queue.push(cell);
      }
  }
  result.lower = result.upper - slack - fraction * std::max(result.upper, 0.0);
  if (!queue.empty()) result.lower = std::min(result.lower, queue.top().bound);
  return result;
}

double overlap_along(const Body& a, const Body& b, Vec n) {
  const bool half_a = a.shape == kHalfSpace, half_b = b.shape == kHalfSpace;
  if (!half_a && !half_b) return Difference(a, b).overlap_along(n);
  const Vec m = half_b ? b.axis[2] : -a.axis[2];
  // Rounding of a float normal is forgiven; any other direction has no end.
  if (half_a && half_b) return kInfinity;
  if (length(n - m) > 1e-6) return kInfinity;
  return (half_b ? support(a, -m) : support(b, m)) + dot(m, b.centre - a.centre);
}

}  // namespace oracle
