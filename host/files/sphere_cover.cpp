#include "files/sphere_cover.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <tuple>
#include <utility>

namespace oclide {
namespace {

using glm::dvec3;

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-6;    // by which radii are larger, as a part of the greatest coordinate
constexpr int kApproaches = 64;       // steps toward the farthest point, from the middle of a part's box
constexpr int kHalvings = 10;         // of the step of the search for a better centre
constexpr double kLessError = 0.999;  // what a better centre has of the error of another one, at most

using Polygon = std::vector<dvec3>;

// A part of the shape: what of it is in a box. Its convex hull is that of the corners of `surface` and of those of the
// box that are in the shape. For an extreme point of the part is on the surface, where it is a corner of a polygon, or
// inside, where it is a corner of the box.
struct Part {
  dvec3 lower, upper;            // the box
  std::vector<Polygon> surface;  // cut to the box
  std::vector<dvec3> points;     // the corners
  CoverSphere sphere{};
  double error = 0.0;  // of the sphere, as SphereCover's
  std::size_t number = 0;
};

// How far a place is inside of the shape: no more than the distance to where it ends; at places outside, the distance
// to the shape, negative.
using Depth = std::function<double(const dvec3&)>;

class Covering {
 public:
  Covering(Depth depth, double slack) : depth_(std::move(depth)), slack_(slack) {}

  SphereCover cover(std::vector<Polygon> surface, const dvec3& lower, const dvec3& upper, std::size_t most) {
    const auto less_error = [](const Part& p, const Part& q) {
      return std::tie(p.error, q.number) < std::tie(q.error, p.number);
    };
    std::vector<Part> parts;  // a heap: the first has the greatest error
    Part all;
    all.lower = lower, all.upper = upper, all.surface = std::move(surface);
    add(std::move(all), parts);
    while (parts.size() < most && parts.front().error > 0.0) {
      std::pop_heap(parts.begin(), parts.end(), less_error);
      const Part whole = std::move(parts.back());
      parts.pop_back();
      for (Part& half : halves(whole))
        if (add(std::move(half), parts)) std::push_heap(parts.begin(), parts.end(), less_error);
    }
    SphereCover cover;
    for (const Part& part : needed(std::move(parts))) {
      cover.spheres.push_back({part.sphere.centre, part.sphere.radius + slack_});
      cover.error = std::max(cover.error, part.error + slack_);
    }
    return cover;
  }

 private:
  // False where nothing of the shape is in the part.
  bool add(Part&& part, std::vector<Part>& parts) {
    for (const Polygon& polygon : part.surface) part.points.insert(part.points.end(), polygon.begin(), polygon.end());
    for (int k = 0; k < 8; ++k) {
      const dvec3 corner((k & 1) != 0 ? part.upper.x : part.lower.x, (k & 2) != 0 ? part.upper.y : part.lower.y,
                         (k & 4) != 0 ? part.upper.z : part.lower.z);
      if (depth_(corner) > 0.0) part.points.push_back(corner);
    }
    if (part.points.empty()) return false;
    const auto before = [](const dvec3& p, const dvec3& q) {
      return std::tie(p.x, p.y, p.z) < std::tie(q.x, q.y, q.z);
    };
    std::sort(part.points.begin(), part.points.end(), before);
    part.points.erase(std::unique(part.points.begin(), part.points.end()), part.points.end());
    find_sphere(part);
    part.number = next_number_++;
    parts.push_back(std::move(part));
    return true;
  }

  // The part's sphere: any centre will do, with the radius that holds all points. Of a ball of radius r about a centre
  // of depth d all within d is in the shape, and what is farther from the centre is no more than r - d outside. About a
  // centre outside, the shape is no farther than the nearest of the points.
  void find_sphere(Part& part) const {
    dvec3 lower = part.points[0], upper = part.points[0];
    for (const dvec3& p : part.points) lower = glm::min(lower, p), upper = glm::max(upper, p);
    dvec3 centre = 0.5 * (lower + upper);
    for (int k = 2; k < kApproaches; ++k) {
      const dvec3 from = centre;
      const auto nearer = [&](const dvec3& p, const dvec3& q) {
        return glm::dot(p - from, p - from) < glm::dot(q - from, q - from);
      };
      centre += (*std::max_element(part.points.begin(), part.points.end(), nearer) - centre) / static_cast<double>(k);
    }
    const auto try_centre = [&](const dvec3& at) {
      double nearest2 = kInfinite, radius2 = 0.0;
      for (const dvec3& p : part.points) {
        const double d2 = glm::dot(p - at, p - at);
        nearest2 = std::min(nearest2, d2), radius2 = std::max(radius2, d2);
      }
      const double radius = std::sqrt(radius2);
      const double error = std::max(radius - std::max(depth_(at), -std::sqrt(nearest2)), 0.0);
      if (!(error < kLessError * part.error)) return false;
      part.sphere = {at, radius};
      part.error = error;
      return true;
    };
    part.error = kInfinite;
    (void)try_centre(centre);
    double step = 0.5 * glm::length(upper - lower);
    for (int halved = 0; halved < kHalvings;) {
      bool better = false;
      const dvec3 from = part.sphere.centre;
      for (int k = 0; k < 27; ++k) {
        const dvec3 way(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
        better |= k != 13 && try_centre(from + step * glm::normalize(way));
      }
      if (!better) step *= 0.5, ++halved;
    }
  }

  // Cut across the longest side of the box around its points.
  static std::array<Part, 2> halves(const Part& whole) {
    dvec3 lower = whole.points[0], upper = whole.points[0];
    for (const dvec3& p : whole.points) lower = glm::min(lower, p), upper = glm::max(upper, p);
    const dvec3 side = upper - lower;
    const int axis = side.x >= side.y && side.x >= side.z ? 0 : side.y >= side.z ? 1 : 2;
    const double at = 0.5 * (lower[axis] + upper[axis]);
    std::array<Part, 2> halves;
    halves[0].lower = halves[1].lower = whole.lower;
    halves[0].upper = halves[1].upper = whole.upper;
    halves[0].upper[axis] = halves[1].lower[axis] = at;
    for (const Polygon& polygon : whole.surface) {
      std::array<Polygon, 2> cut;
      for (std::size_t i = 0; i < polygon.size(); ++i) {
        const dvec3 &p = polygon[i], &q = polygon[(i + 1) % polygon.size()];
        if (p[axis] <= at) cut[0].push_back(p);
        if (p[axis] >= at) cut[1].push_back(p);
        if ((p[axis] < at) == (q[axis] < at) || p[axis] == at || q[axis] == at) continue;
        // From the lower end, so that both polygons at an edge have the same.
        const dvec3 &low = p[axis] < q[axis] ? p : q, &high = p[axis] < q[axis] ? q : p;
        dvec3 crossing = low + (high - low) * ((at - low[axis]) / (high[axis] - low[axis]));
        crossing[axis] = at;
        for (Polygon& side_of : cut) side_of.push_back(crossing);
      }
      for (std::size_t k = 0; k < 2; ++k)
        if (!cut[k].empty()) halves[k].surface.push_back(std::move(cut[k]));
    }
    return halves;
  }

  // Without parts that are in the spheres of others.
  static std::vector<Part> needed(std::vector<Part> parts) {
    std::sort(parts.begin(), parts.end(), [](const Part& p, const Part& q) {
      return std::tie(q.sphere.radius, p.number) < std::tie(p.sphere.radius, q.number);
    });
    std::vector<Part> kept;
    for (Part& part : parts) {
      const bool is_held = std::any_of(kept.begin(), kept.end(), [&](const Part& other) {
        const CoverSphere& s = other.sphere;
        return std::all_of(part.points.begin(), part.points.end(),
                           [&](const dvec3& p) { return glm::dot(p - s.centre, p - s.centre) <= s.radius * s.radius; });
      });
      if (!is_held) kept.push_back(std::move(part));
    }
    return kept;
  }

  Depth depth_;
  double slack_;
  std::size_t next_number_ = 0;
};

double greatest_coordinate(const dvec3& lower, const dvec3& upper) {
  const dvec3 most = glm::max(glm::abs(lower), glm::abs(upper));
  return std::max({most.x, most.y, most.z});
}

dvec3 nearest_on_triangle(const dvec3& p, const dvec3& a, const dvec3& b, const dvec3& c) {
  const dvec3 ab = b - a, ac = c - a, n = glm::cross(ab, ac);
  // Inside of all three edges: the foot on the plane; else on one of the edges.
  if (glm::dot(glm::cross(ab, p - a), n) >= 0.0 && glm::dot(glm::cross(c - b, p - b), n) >= 0.0 &&
      glm::dot(glm::cross(a - c, p - c), n) >= 0.0)
    return p - n * (glm::dot(n, p - a) / glm::dot(n, n));
  dvec3 best(0.0);
  double best2 = kInfinite;
  const std::array<dvec3, 3> corners{a, b, c};
  for (std::size_t k = 0; k < 3; ++k) {
    const dvec3 from = corners[k], way = corners[(k + 1) % 3] - from;
    const dvec3 foot = from + way * std::clamp(glm::dot(p - from, way) / glm::dot(way, way), 0.0, 1.0);
    if (const double d2 = glm::dot(foot - p, foot - p); d2 < best2) best = foot, best2 = d2;
  }
  return best;
}

// Distances to the surface of a mesh and what is inside, with its tree of boxes.
class MeshDepth {
 public:
  explicit MeshDepth(const TriangleMesh& mesh) : mesh_(mesh) {}

  double operator()(const dvec3& p) const {
    double nearest2 = kInfinite;
    search(mesh_.levels.size() - 1, 0, p, nearest2);
    const double distance = std::sqrt(nearest2);
    return mesh_.solid && winding(mesh_.levels.size() - 1, 0, p) > 0 ? distance : -distance;
  }

 private:
  [[nodiscard]] dvec3 corner(const MeshTriangle& t, std::size_t k) const {
    return dvec3(mesh_.vertices[t.vertices[k]]);
  }

  static bool is_empty(const MeshGroup& group, std::size_t k) { return group.lower[0][k] > group.upper[0][k]; }

  void search(std::size_t level, std::size_t group, const dvec3& p, double& nearest2) const {
    const MeshGroup& boxes = mesh_.levels[level][group];
    std::array<double, 8> box2;
    for (std::size_t k = 0; k < 8; ++k) {
      dvec3 d(0.0);
      for (int a = 0; a < 3; ++a) {
        const auto axis = static_cast<std::size_t>(a);
        d[a] = std::max({double{boxes.lower[axis][k]} - p[a], p[a] - double{boxes.upper[axis][k]}, 0.0});
      }
      box2[k] = is_empty(boxes, k) ? kInfinite : glm::dot(d, d);
    }
    // The nearest box first.
    for (;;) {
      const auto nearest = std::min_element(box2.begin(), box2.end());
      if (!(*nearest < nearest2)) return;
      *nearest = kInfinite;
      const std::size_t child = 8 * group + static_cast<std::size_t>(nearest - box2.begin());
      if (level > 0) {
        search(level - 1, child, p, nearest2);
        continue;
      }
      const MeshTriangle& t = mesh_.triangles[child];
      const dvec3 d = nearest_on_triangle(p, corner(t, 0), corner(t, 1), corner(t, 2)) - p;
      nearest2 = std::min(nearest2, glm::dot(d, d));
    }
  }

  // Triangles over p, along z, that are seen from behind from there, less those seen from the front.
  [[nodiscard]] int winding(std::size_t level, std::size_t group, const dvec3& p) const {
    const MeshGroup& boxes = mesh_.levels[level][group];
    int sum = 0;
    for (std::size_t k = 0; k < 8; ++k) {
      if (is_empty(boxes, k) || p.x < boxes.lower[0][k] || p.x > boxes.upper[0][k] || p.y < boxes.lower[1][k] ||
          p.y > boxes.upper[1][k] || p.z > boxes.upper[2][k])
        continue;
      const std::size_t child = 8 * group + k;
      sum += level > 0 ? winding(level - 1, child, p) : crossing(mesh_.triangles[child], p);
    }
    return sum;
  }

  // +1 or -1 where the triangle is over p. Both triangles of an edge compute the same on which side of it p is, so that
  // none is crossed twice or missed.
  [[nodiscard]] int crossing(const MeshTriangle& t, const dvec3& p) const {
    int sign = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      std::uint32_t from = t.vertices[k], to = t.vertices[(k + 1) % 3];
      const bool is_turned = from > to;
      if (is_turned) std::swap(from, to);
      const dvec3 a(mesh_.vertices[from]), b(mesh_.vertices[to]);
      const bool is_left = (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) > 0.0;
      sign += is_left != is_turned ? 1 : -1;
    }
    if (sign != 3 && sign != -3) return 0;
    const dvec3 a = corner(t, 0), n = glm::cross(corner(t, 1) - a, corner(t, 2) - a);
    const double over = glm::dot(a - p, n);  // n.z > 0: above zero where the triangle is over p
    if (sign > 0) return n.z > 0.0 && over > 0.0 ? 1 : 0;
    return n.z < 0.0 && over < 0.0 ? -1 : 0;
  }

  const TriangleMesh& mesh_;
};

}  // namespace

SphereCover cover_with_spheres(const ConvexHull& hull, std::size_t most) {
  std::vector<Polygon> surface;
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    Polygon& polygon = surface.emplace_back();
    for (const std::uint32_t v : hull.loop(f)) polygon.emplace_back(hull.vertices[v]);
  }
  // Outside of the hull the farthest plane is nearer than the hull: no sphere has its centre there.
  const Depth depth = [&](const dvec3& p) {
    double least = kInfinite;
    for (const HullFace& face : hull.faces) least = std::min(least, face.offset - glm::dot(face.normal, p));
    return least >= 0.0 ? least : -kInfinite;
  };
  // Faces are flat but for a slack.
  Covering covering(depth, kRounding * greatest_coordinate(hull.lower, hull.upper) + 4.0 * hull.flat_slack);
  return covering.cover(std::move(surface), hull.lower, hull.upper, most);
}

SphereCover cover_with_spheres(const TriangleMesh& mesh, std::size_t most) {
  std::vector<Polygon> surface;
  for (const MeshTriangle& t : mesh.triangles) {
    Polygon& polygon = surface.emplace_back();
    for (const std::uint32_t v : t.vertices) polygon.emplace_back(mesh.vertices[v]);
  }
  Covering covering(MeshDepth{mesh}, kRounding * greatest_coordinate(mesh.lower, mesh.upper));
  return covering.cover(std::move(surface), mesh.lower, mesh.upper, most);
}

}  // namespace oclide
