// The method of Gilbert, Johnson and Keerthi. The set of all differences of a point of A and one of B is convex, and
// its point nearest to the origin is as far away as the two are. A simplex of at most four of its points comes nearer
// and nearer: its nearest point v gives the direction in which the next one is looked for. No difference is nearer than
// the plane across v through the farthest one along -v, which proves the distance from below.
#include "reference/motion/convex_distance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace oclide::reference {
namespace {

constexpr int kMostSteps = 300;

struct Difference {
  dvec3 a, b;  // points of A and B [m]
  [[nodiscard]] dvec3 vector() const { return a - b; }
};

// Shares of points that add up to one.
struct Shares {
  std::array<double, 4> share{};
  double length = std::numeric_limits<double>::infinity();  // of the sum [m]
};

struct Simplex {
  std::array<Difference, 4> points{};
  int count = 0;

  [[nodiscard]] dvec3 at(int k) const { return points[static_cast<std::size_t>(k)].vector(); }
  [[nodiscard]] dvec3 sum(const Shares& shares) const {
    dvec3 v(0.0);
    for (int k = 0; k < count; ++k) v += shares.share[static_cast<std::size_t>(k)] * at(k);
    return v;
  }
  [[nodiscard]] bool has(const Difference& d) const {
    return std::any_of(points.begin(), points.begin() + count,
                       [&](const Difference& p) { return p.a == d.a && p.b == d.b; });
  }
  void keep(const Shares& shares) {
    int kept = 0;
    for (int k = 0; k < count; ++k)
      if (shares.share[static_cast<std::size_t>(k)] > 0.0)
        points[static_cast<std::size_t>(kept++)] = points[static_cast<std::size_t>(k)];
    count = kept;
  }
};

// The shares of some points at the place, on the line or plane through them, that is nearest to the origin; all are
// negative where there is no one such place.
std::array<double, 3> foot_on(const std::array<dvec3, 3>& p, int count) {
  if (count == 1) return {1.0, 0.0, 0.0};
  const dvec3 e = p[1] - p[0];
  if (count == 2) {
    const double length2 = glm::dot(e, e), t = -glm::dot(p[0], e) / length2;
    return length2 > 0.0 ? std::array{1.0 - t, t, 0.0} : std::array{-1.0, -1.0, -1.0};
  }
  const dvec3 f = p[2] - p[0], n = glm::cross(e, f);
  const double n2 = glm::dot(n, n);
  if (!(n2 > 0.0)) return {-1.0, -1.0, -1.0};
  const double s = glm::dot(glm::cross(-p[0], f), n) / n2, t = glm::dot(glm::cross(e, -p[0]), n) / n2;
  return {1.0 - s - t, s, t};
}

// The nearest of the simplex, by looking at each of its corners, edges and triangles.
Shares nearest_of(const Simplex& simplex) {
  Shares best;
  for (unsigned chosen = 1; chosen < 1U << simplex.count; ++chosen) {
    std::array<dvec3, 3> p{};
    std::array<std::size_t, 3> index{};
    int count = 0;
    for (int k = 0; k < simplex.count; ++k) {
      if ((chosen >> k & 1U) == 0U) continue;
      if (count < 3) p[static_cast<std::size_t>(count)] = simplex.at(k), index[static_cast<std::size_t>(count)] = k;
      ++count;
    }
    if (count > 3) continue;
    const std::array<double, 3> foot = foot_on(p, count);
    Shares shares;
    bool inside = true;
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
      inside = inside && foot[k] > 0.0;
      shares.share[index[k]] = foot[k];
    }
    if (!inside) continue;
    shares.length = glm::length(simplex.sum(shares));
    if (shares.length < best.length) best = shares;
  }
  return best;
}

bool holds_origin(const Simplex& simplex) {
  if (simplex.count < 4) return false;
  const dvec3 a = simplex.at(0), b = simplex.at(1), c = simplex.at(2), d = simplex.at(3);
  const double volume = glm::dot(b - a, glm::cross(c - a, d - a));
  const std::array<double, 4> parts = {glm::dot(b, glm::cross(c, d)), -glm::dot(a, glm::cross(c, d)),
                                       glm::dot(a, glm::cross(b, d)), -glm::dot(a, glm::cross(b, c))};
  return volume != 0.0 && std::all_of(parts.begin(), parts.end(), [&](double part) { return part / volume >= 0.0; });
}

}  // namespace

ConvexDistance convex_distance(const PlacedSolid& a, const PlacedSolid& b, double error, double enough) {
  const double rounding = a.solid->rounding + b.solid->rounding;
  const auto farthest = [&](dvec3 v) { return Difference{a.support(-v), b.support(v)}; };
  dvec3 v = a.pivot - b.pivot;
  if (v == dvec3(0.0)) v = dvec3(1.0, 0.0, 0.0);
  Simplex simplex;
  simplex.points[0] = farthest(v);
  simplex.count = 1;

  ConvexDistance found;
  found.upper = std::numeric_limits<double>::infinity();
  for (int step = 0; step < kMostSteps; ++step) {
    if (holds_origin(simplex)) {
      found.upper = 0.0;
      break;
    }
    const Shares shares = nearest_of(simplex);
    if (!(shares.length < found.upper)) break;
    found.upper = shares.length;
    found.on_a = found.on_b = dvec3(0.0);
    for (int k = 0; k < simplex.count; ++k) {
      const auto i = static_cast<std::size_t>(k);
      found.on_a += shares.share[i] * simplex.points[i].a, found.on_b += shares.share[i] * simplex.points[i].b;
    }
    v = simplex.sum(shares);
    if (found.upper == 0.0) break;
    simplex.keep(shares);
    const Difference next = farthest(v);
    const double proven = glm::dot(next.vector(), v) / shares.length;
    if (proven > found.lower) found.lower = proven, found.normal = v / shares.length;
    const double apart = found.upper - rounding;
    if (apart <= enough || found.lower - rounding >= apart - error * apart || simplex.has(next)) break;
    simplex.points[static_cast<std::size_t>(simplex.count++)] = next;
  }
  return found;
}

}  // namespace oclide::reference
