// Paths of moving points, built on Collider::cast() alone. docs/trace.md is the definition.
#include "oclide/trace.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>

#include "scene/scene_check.hpp"

namespace oclide {
namespace {

using Vector = std::array<double, 3>;

double dot(const Vector& a, const Vector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
// a + t * b
Vector along(const Vector& a, double t, const Vector& b) {
  return {a[0] + t * b[0], a[1] + t * b[1], a[2] + t * b[2]};
}
// Where a distance of kPathDistance to the surface cannot be had otherwise a path is held back no farther than this.
constexpr double kFarthestBack = 100.0 * kPathDistance;

// Of a ray that begins in a solid cast() may tell a hit so near, of a body with a lower index (docs/rays.md).
constexpr double kEqualDistance = 3e-5;

// An end is that far from everything: rays of other directions, which round differently, then say that it is in
// nothing. Of four directions to the corners of a tetrahedron one meets a surface that is near within three times its
// distance.
constexpr double kClear = 1e-6;
constexpr std::size_t kWaysAround = 4;
constexpr std::array<Vector, kWaysAround> kAround{{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}}};

// The way back along a ray from a surface to where it is kPathDistance off. `cosine`: of the angle between the
// surface's normal and the reversed ray.
double way_back(double cosine) {
  return cosine > kPathDistance / kFarthestBack ? kPathDistance / cosine : kFarthestBack;
}

// A point on its way. `line` is where its path is, `start` where the next ray starts: a hair off the surface.
struct Moving {
  std::size_t index = 0;  // of the point
  Vector start{}, line{};
  Vector left{}, outgoing{};
  Vector behind{};   // on the ray before, twice the hair away from the surface
  Vector outside{};  // the last start of a ray that was in nothing; before that the point's
  std::uint32_t reflections = 0;
  bool went_back = false;   // `start` is `behind` already
  bool has_way = true;      // `left` is not zero
  bool is_outside = false;  // `start` is `outside`
  bool at_end = false;      // `start` is where its path would end, as `end`, with `left_at_end`
  PathEnd end = PathEnd::arrived;
  Vector left_at_end{};
  Vector direction{};
  double length = 0.0;
};

// Rays of all that still move.
struct RayList {
  std::vector<double> origin, direction, length;
  std::vector<std::uint32_t> environment;

  void clear() { origin.clear(), direction.clear(), length.clear(), environment.clear(); }
  void add(const Moving& m, std::span<const std::uint32_t> environments) {
    const auto add_ray = [&](const Vector& way, double far) {
      origin.insert(origin.end(), m.start.begin(), m.start.end());
      direction.insert(direction.end(), way.begin(), way.end());
      length.push_back(far);
      if (!environments.empty()) environment.push_back(environments[m.index]);
    };
    if (m.at_end)
      for (const Vector& way : kAround) add_ray(way, 3.0 * kClear);
    else
      add_ray(m.direction, m.length + kFarthestBack);  // so far ahead a surface may hold it back
  }
  [[nodiscard]] Rays rays() const { return {origin, direction, length, environment, {}}; }
};

void aim(Moving& m) {
  m.length = std::sqrt(dot(m.left, m.left));
  // Squares of the smallest numbers vanish.
  m.has_way = m.length > std::numeric_limits<double>::min();
  m.direction = m.has_way ? Vector{m.left[0] / m.length, m.left[1] / m.length, m.left[2] / m.length} : Vector{0, 0, 1};
  if (!m.has_way) m.length = 0.0;
}

// Unit but for the last bit of a double.
Vector unit(const std::array<float, 3>& of) {
  const Vector n{of[0], of[1], of[2]};
  const double length = std::sqrt(dot(n, n));
  return {n[0] / length, n[1] / length, n[2] / length};
}

[[noreturn]] void refuse_trace(const std::string& what) {
  throw Error(ErrorKind::invalid_input, what);
}

void check_points(const Points& points) {
  const std::size_t n = points.count();
  const auto check = [&](const char* name, std::span<const double> numbers, auto&& fault_of) {
    if (numbers.size() != 3 * n)
      refuse_trace(std::string("points/") + name + " has " + std::to_string(numbers.size()) + " numbers for " +
                   std::to_string(n) + " points");
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (const char* fault = fault_of(numbers[i]))
        refuse_trace(std::string("points/") + name + "[" + std::to_string(i / 3) + "][" + std::to_string(i % 3) + "]" +
                     fault);
  };
  check("position", points.position, fault_of_coordinate);
  check("displacement", points.displacement, [](double d) { return std::isfinite(d) ? nullptr : " is not finite"; });
  for (std::size_t k = 0; k < n; ++k)
    if (const double* d = &points.displacement[3 * k]; !std::isfinite(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]))
      refuse_trace("points/displacement[" + std::to_string(k) + "] is of infinite length");
  if (!points.environment.empty() && points.environment.size() != n)
    refuse_trace("points/environment has " + std::to_string(points.environment.size()) + " numbers for " +
                 std::to_string(n) + " points");
}

void check_share(const char* name, double value) {
  if (!(value >= 0.0 && value <= 1.0))
    refuse_trace(std::string(name) + " must be from 0 to 1, got " + std::to_string(value));
}

class Tracer {
 public:
  Tracer(const std::function<RayHits(const Rays&)>& cast, const Points& points, const TraceSettings& settings)
      : cast_(cast), points_(points), settings_(settings) {
    const std::size_t n = points.count();
    paths_.displacement.resize(n);
    paths_.outgoing.resize(n);
    paths_.end.resize(n);
    ends_.resize(n);
    moving_.reserve(n);
    for (std::size_t k = 0; k < n; ++k) {
      Moving m;
      m.index = k;
      std::copy_n(&points.position[3 * k], 3, m.start.begin());
      std::copy_n(&points.displacement[3 * k], 3, m.left.begin());
      m.line = m.outside = m.start;
      m.outgoing = m.left;
      aim(m);
      moving_.push_back(m);
    }
  }

  Paths run() {
    while (!moving_.empty()) {
      rays_.clear();
      for (const Moving& m : moving_) rays_.add(m, points_.environment);
      const RayHits found = cast();
      const Hit* next = found.hits.data();
      std::size_t kept = 0;
      for (Moving& m : moving_) {
        const Hit* const own = next;
        next += m.at_end ? kWaysAround : 1;
        if (m.at_end ? ends_here(m, own) : moves_on(m, *own)) moving_[kept++] = m;
      }
      moving_.resize(kept);
    }
    write();
    return std::move(paths_);
  }

 private:
  RayHits cast() {
    try {
      RayHits found = cast_(rays_.rays());
      CastTimes& times = paths_.milliseconds;
      times.upload += found.milliseconds.upload;
      times.tree += found.milliseconds.tree;
      times.cast += found.milliseconds.cast;
      times.download += found.milliseconds.download;
      ++paths_.casts;
      return found;
    } catch (const Error& error) {
      // Points have been checked but for their environments. Those of the first cast are all points in order.
      const std::string what = error.what(), rays = "rays/environment";
      if (what.rfind(rays, 0) != 0) throw;
      throw Error(error.kind(), "points/environment" + what.substr(rays.size()), error.detail());
    }
  }

  // The four rays around its end.
  bool ends_here(Moving& m, const Hit* around) {
    const bool is_clear = std::all_of(around, around + kWaysAround, [](const Hit& h) { return h.body == kNothing; });
    return is_clear ? ends(m, m.start, m.end, m.left_at_end) : ends_outside(m);
  }

  // What the hit of its ray makes of a point. False where its path ends.
  bool moves_on(Moving& m, const Hit& hit) {
    if (hit.distance == 0.0) {
      if (m.reflections == 0) return ends(m, m.line, PathEnd::in_solid, m.left);
      if (m.went_back) return ends_outside(m);
      m.start = m.line = m.behind;
      m.went_back = true;
      return true;
    }
    if (hit.distance > kEqualDistance) m.outside = m.start;
    const Vector none{};
    if (hit.body == kNothing) return comes_to_end(m, along(m.start, m.length, m.direction), PathEnd::arrived, none);
    const Vector normal = unit(hit.normal);
    const double slope = -dot(m.direction, normal);  // of the ray towards the surface
    const double free = std::max(hit.distance - way_back(slope), 0.0);
    if (hit.distance > m.length)
      return comes_to_end(m, off_surface(m, std::min(m.length, free), hit, normal, slope), PathEnd::arrived, none);
    const double gone = on_line(m, hit, normal, slope);
    const double left = std::max(m.length - gone, 0.0);
    const Vector way_left = along(none, left, m.direction);
    if (m.reflections == settings_.bounces)
      return comes_to_end(m, off_surface(m, free, hit, normal, slope), PathEnd::stopped, way_left);

    m.left = way_left;
    m.line = along(m.line, gone, m.direction);
    m.behind = along(m.start, std::max(hit.distance - 2.0 * way_back(slope), 0.0), m.direction);
    m.start = along(m.line, kPathDistance, normal);
    m.went_back = false;
    ++m.reflections;
    reflect(m.left, normal);
    reflect(m.outgoing, normal);
    reached_.push_back({m.index, {m.line, hit.normal, hit.body}});
    aim(m);
    // Friction may have taken the whole way; even so a ray says whether its start is in something.
    return true;
  }

  // So far along a ray, which is nearer to the surface ahead than it may be where the angle is small: there the hair
  // off.
  static Vector off_surface(const Moving& m, double distance, const Hit& hit, const Vector& normal, double slope) {
    const double height = std::max(slope, 0.0) * (hit.distance - distance);
    return along(along(m.start, distance, m.direction), std::max(kPathDistance - height, 0.0), normal);
  }

  // Where the path meets the plane of the hit, which the ray, a hair beside it, met at another distance.
  static double on_line(const Moving& m, const Hit& hit, const Vector& normal, double slope) {
    const Vector to_hit = along(hit.point, -1.0, m.line);
    const double distance = slope > 0.0 ? -dot(to_hit, normal) / slope : hit.distance;
    const bool is_near = std::fabs(distance - hit.distance) <= 10.0 * kPathDistance;
    return std::max(is_near ? distance : hit.distance, 0.0);
  }

  void reflect(Vector& d, const Vector& normal) const {
    const double across = dot(d, normal);
    const double kept = 1.0 - settings_.friction;
    const double back = across < 0.0 ? -settings_.restitution * across : across;  // along a face it may be either
    for (std::size_t a = 0; a < 3; ++a) d[a] = kept * (d[a] - across * normal[a]) + back * normal[a];
  }

  // A path would end at `place`. Rays may pass beside a surface nearer than they are exact: so its end is looked at.
  bool comes_to_end(Moving& m, const Vector& place, PathEnd end, const Vector& left) {
    const auto is_near = [](double x) { return fault_of_coordinate(x) == nullptr; };
    if (!std::all_of(place.begin(), place.end(), is_near)) return ends(m, place, end, left);  // nothing is there
    m.start = place;
    m.at_end = true;
    m.end = end;
    m.left_at_end = left;
    return true;
  }
  // Where it would end it is in something, or nearly.
  bool ends_outside(Moving& m) {
    const PathEnd end = m.has_way ? PathEnd::stopped : PathEnd::arrived;
    const Vector left = m.has_way ? m.left : Vector{};
    Vector first;
    std::copy_n(&points_.position[3 * m.index], 3, first.begin());
    if (m.is_outside || m.outside == first) return ends(m, first, end, left);
    m.is_outside = true;
    return comes_to_end(m, m.outside, end, left);
  }
  // False: it moves no more.
  bool ends(const Moving& m, const Vector& place, PathEnd end, const Vector& left) {
    ends_[m.index] = place;
    paths_.end[m.index] = end;
    paths_.outgoing[m.index] = m.outgoing;
    paths_.displacement[m.index] = left;
    return false;
  }

  // Counts the points of each path, then puts them where they belong.
  void write() {
    const std::size_t n = ends_.size();
    paths_.offset.assign(n + 1, 0);
    for (const Reached& r : reached_) ++paths_.offset[r.index + 1];
    for (std::size_t k = 0; k < n; ++k) paths_.offset[k + 1] += paths_.offset[k] + 2;
    paths_.points.resize(paths_.offset[n]);
    std::vector<std::uint64_t> next(paths_.offset.begin(), paths_.offset.end() - 1);
    for (std::size_t k = 0; k < n; ++k)
      std::copy_n(&points_.position[3 * k], 3, paths_.points[next[k]++].point.begin());
    for (const Reached& r : reached_) paths_.points[next[r.index]++] = r.at;
    for (std::size_t k = 0; k < n; ++k) paths_.points[next[k]].point = ends_[k];
    paths_.reflections = reached_.size();
  }

  struct Reached {
    std::size_t index;
    PathPoint at;
  };

  const std::function<RayHits(const Rays&)>& cast_;
  const Points& points_;
  const TraceSettings& settings_;
  std::vector<Moving> moving_;
  RayList rays_;
  std::vector<Reached> reached_;  // reflections, those of a path in their order
  std::vector<Vector> ends_;
  Paths paths_;
};

}  // namespace

Paths trace(Collider& collider, const Poses& poses, const Points& points, const TraceSettings& settings) {
  return trace([&](const Rays& rays) { return collider.cast(poses, rays); }, points, settings);
}

Paths trace(const std::function<RayHits(const Rays&)>& cast, const Points& points, const TraceSettings& settings) {
  const auto start = std::chrono::steady_clock::now();
  check_points(points);
  check_share("friction", settings.friction);
  check_share("restitution", settings.restitution);
  Paths paths = Tracer(cast, points, settings).run();
  paths.milliseconds.total =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return paths;
}

}  // namespace oclide
