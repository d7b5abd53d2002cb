// Points whose hulls the tests build, in double; metres.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <glm/glm.hpp>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace oclide::test {

using glm::dmat3;
using glm::dvec3;
using Points = std::vector<std::array<double, 3>>;

inline Points changed(const Points& points, const dmat3& turn, dvec3 by) {
  Points out;
  for (const auto& p : points) {
    const dvec3 q = turn * dvec3(p[0], p[1], p[2]) + by;
    out.push_back({q.x, q.y, q.z});
  }
  return out;
}

/// A turn about an axis that is along none of the world's.
inline dmat3 some_turn() {
  const dvec3 x = glm::normalize(dvec3(0.36, 0.48, -0.8)), least(0.0, 0.0, 1.0);
  const dvec3 y = glm::normalize(glm::cross(least, x));
  return {x, y, glm::cross(x, y)};
}

/// `per_side` squared points on each side of a box, corners among them.
inline Points grid_on_box(dvec3 half, int per_side) {
  Points points;
  const auto at = [&](int k) { return 2.0 * k / (per_side - 1) - 1.0; };
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0})
      for (int i = 0; i < per_side; ++i)
        for (int j = 0; j < per_side; ++j) {
          dvec3 p;
          p[axis] = side, p[(axis + 1) % 3] = at(i), p[(axis + 2) % 3] = at(j);
          p *= half;
          points.push_back({p.x, p.y, p.z});
        }
  return points;
}

inline Points prism(int sides, double radius, double half_length) {
  Points points;
  for (int k = 0; k < sides; ++k)
    for (const double z : {-half_length, half_length}) {
      const double angle = 2.0 * M_PI * k / sides;
      points.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
    }
  return points;
}

inline Points in_ball(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  Points points;
  while (points.size() < count) {
    const std::array<double, 3> p{part(random), part(random), part(random)};
    if (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] <= 1.0) points.push_back(p);
  }
  return points;
}

inline Points on_sphere(std::size_t count, std::uint64_t seed) {
  Points points = in_ball(count, seed);
  for (auto& p : points) {
    const double length = std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    for (double& x : p) x /= length;
  }
  return points;
}

struct Triangles {
  Points points;
  std::vector<std::array<std::uint32_t, 3>> corners;
};

/// The icosahedron's triangles, each cut into `cuts` squared, on the unit sphere: 10 cuts^2 + 2 points.
inline Triangles icosphere(int cuts) {
  const double g = 0.5 * (1.0 + std::sqrt(5.0));
  std::array<dvec3, 12> corner;
  for (std::size_t k = 0; k < 12; ++k) {
    const double a = k & 1 ? -1.0 : 1.0, b = k & 2 ? -g : g;
    dvec3 p;
    const int axis = static_cast<int>(k / 4);
    p[axis] = 0.0, p[(axis + 1) % 3] = a, p[(axis + 2) % 3] = b;
    corner[k] = p;
  }
  Triangles mesh;
  std::map<std::array<long, 3>, std::uint32_t> numbers;  // points that two triangles share, by their place
  const auto number_of = [&](dvec3 p) {
    p = glm::normalize(p);
    const auto [at, is_new] =
        numbers.try_emplace({std::lround(p.x * 1e9), std::lround(p.y * 1e9), std::lround(p.z * 1e9)},
                            static_cast<std::uint32_t>(mesh.points.size()));
    if (is_new) mesh.points.push_back({p.x, p.y, p.z});
    return at->second;
  };
  const auto beside = [&](std::size_t i, std::size_t j) {
    return std::abs(glm::distance(corner[i], corner[j]) - 2.0) < 1e-9;
  };
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = i + 1; j < 12; ++j)
      for (std::size_t k = j + 1; k < 12; ++k) {
        if (!beside(i, j) || !beside(j, k) || !beside(k, i)) continue;
        const dvec3 a = corner[i], u = (corner[j] - a) / double(cuts), v = (corner[k] - a) / double(cuts);
        const auto at = [&](int s, int t) { return number_of(a + double(s) * u + double(t) * v); };
        for (int s = 0; s < cuts; ++s)
          for (int t = 0; s + t < cuts; ++t) {
            mesh.corners.push_back({at(s, t), at(s + 1, t), at(s, t + 1)});
            if (s + t + 1 < cuts) mesh.corners.push_back({at(s + 1, t), at(s + 1, t + 1), at(s, t + 1)});
          }
      }
  return mesh;
}

}  // namespace oclide::test
