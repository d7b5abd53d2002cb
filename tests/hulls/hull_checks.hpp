// What holds of every hull, and volumes found without it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

#include "hulls/convex_hull.hpp"
#include "hulls/point_clouds.hpp"

namespace oclide::test {

inline std::vector<dvec3> rounded_to_float(const Points& points) {
  std::vector<dvec3> out;
  for (const auto& p : points)
    out.emplace_back(static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2]));
  return out;
}

/// Every promise of ConvexHull and docs/convex_hulls.md that needs no other hull.
inline void expect_sound(const ConvexHull& hull, const Points& points) {
  const std::size_t vertices = hull.vertices.size(), edges = hull.edges.size(), faces = hull.faces.size();
  EXPECT_EQ(vertices + faces, edges + 2) << "Euler";
  ASSERT_GE(vertices, 4u);
  ASSERT_GE(faces, 4u);
  const std::vector<dvec3> given = rounded_to_float(points);
  const double slack = hull.flat_slack, rounding = 1e-13 * hull.bounding_radius;
  const auto vertex = [&](std::uint32_t v) { return dvec3(hull.vertices[v]); };

  std::set<std::array<double, 3>> known;
  for (const dvec3& p : given) known.insert({p.x, p.y, p.z});
  for (std::uint32_t v = 0; v < vertices; ++v) {
    const glm::vec3 p = hull.vertices[v];
    EXPECT_TRUE(known.contains({p.x, p.y, p.z})) << "vertex " << v << " is none of the points";
    if (v > 0) {
      const glm::vec3 b = hull.vertices[v - 1];
      EXPECT_TRUE(std::tie(b.x, b.y, b.z) < std::tie(p.x, p.y, p.z)) << "order of vertex " << v;
    }
    EXPECT_GE(hull.neighbours_of(v).size(), 3u);
  }

  // Edges are the loops' sides: each one once in either direction.
  std::set<std::array<std::uint32_t, 3>> sides;  // from, to, face
  std::size_t side_count = 0;
  for (std::uint32_t f = 0; f < faces; ++f) {
    const auto loop = hull.loop(f);
    ASSERT_GE(loop.size(), 3u);
    EXPECT_EQ(*std::min_element(loop.begin(), loop.end()), loop[0]);
    side_count += loop.size();
    for (std::size_t k = 0; k < loop.size(); ++k) sides.insert({loop[k], loop[(k + 1) % loop.size()], f});
  }
  EXPECT_EQ(side_count, 2 * edges);
  EXPECT_EQ(sides.size(), 2 * edges);
  std::vector<std::vector<std::uint32_t>> neighbours(vertices);
  for (std::size_t e = 0; e < edges; ++e) {
    const auto [from, to] = hull.edges[e].vertices;
    EXPECT_LT(from, to);
    if (e > 0) {
      EXPECT_LT(hull.edges[e - 1].vertices, hull.edges[e].vertices);
    }
    EXPECT_NE(hull.edges[e].faces[0], hull.edges[e].faces[1]);
    EXPECT_TRUE(sides.contains({from, to, hull.edges[e].faces[0]})) << "edge " << e;
    EXPECT_TRUE(sides.contains({to, from, hull.edges[e].faces[1]})) << "edge " << e;
    neighbours[from].push_back(to), neighbours[to].push_back(from);
  }
  for (std::uint32_t v = 0; v < vertices; ++v) {
    std::sort(neighbours[v].begin(), neighbours[v].end());
    const auto listed = hull.neighbours_of(v);
    EXPECT_TRUE(std::equal(listed.begin(), listed.end(), neighbours[v].begin(), neighbours[v].end()));
  }

  // Flat, counter-clockwise, convex; nothing sticks out.
  double highest_vertex = -1.0, highest_point = -1.0, lowest_corner = 0.0, most_inward = 0.0;
  for (std::uint32_t f = 0; f < faces; ++f) {
    const HullFace& face = hull.faces[f];
    EXPECT_NEAR(glm::length(face.normal), 1.0, 1e-14);
    const auto height = [&](dvec3 p) { return glm::dot(face.normal, p) - face.offset; };
    for (std::uint32_t v = 0; v < vertices; ++v) highest_vertex = std::max(highest_vertex, height(vertex(v)));
    for (const dvec3& p : given) highest_point = std::max(highest_point, height(p));
    const auto loop = hull.loop(f);
    double turned = 0.0;
    for (std::size_t k = 0; k < loop.size(); ++k) {
      const dvec3 p = vertex(loop[k]), side = vertex(loop[(k + 1) % loop.size()]) - p;
      const dvec3 after = vertex(loop[(k + 2) % loop.size()]) - p - side;
      lowest_corner = std::min(lowest_corner, height(p));
      for (const std::uint32_t v : loop)
        most_inward =
            std::max(most_inward, -glm::dot(glm::cross(side, vertex(v) - p), face.normal) / glm::length(side));
      const dvec3 turn = glm::cross(side, after);
      const dvec3 flat_side = side - glm::dot(side, face.normal) * face.normal;
      turned += std::atan2(glm::dot(turn, face.normal), glm::dot(flat_side, after));
    }
    EXPECT_NEAR(turned, 2.0 * M_PI, 1e-6) << "face " << f << " goes round once, counter-clockwise";
  }
  EXPECT_LE(highest_vertex, 2.0 * slack + rounding);
  EXPECT_LE(highest_point, 2.0 * slack + rounding);
  EXPECT_GE(lowest_corner, -2.0 * slack - rounding);
  EXPECT_LE(most_inward, 2.0 * slack + rounding);

  for (int a = 0; a < 3; ++a) {
    EXPECT_LT(hull.lower[a], hull.centroid[a]);
    EXPECT_GT(hull.upper[a], hull.centroid[a]);
  }
}

inline void expect_same_bits(const ConvexHull& a, const ConvexHull& b) {
  EXPECT_EQ(a.vertices, b.vertices);
  EXPECT_EQ(a.corners, b.corners);
  EXPECT_EQ(a.first_neighbour, b.first_neighbour);
  EXPECT_EQ(a.neighbours, b.neighbours);
  ASSERT_EQ(a.faces.size(), b.faces.size());
  for (std::size_t f = 0; f < a.faces.size(); ++f) {
    EXPECT_EQ(a.faces[f].normal, b.faces[f].normal);
    EXPECT_EQ(a.faces[f].offset, b.faces[f].offset);
  }
  ASSERT_EQ(a.edges.size(), b.edges.size());
  for (std::size_t e = 0; e < a.edges.size(); ++e) {
    EXPECT_EQ(a.edges[e].vertices, b.edges[e].vertices);
    EXPECT_EQ(a.edges[e].faces, b.edges[e].faces);
  }
  EXPECT_EQ(a.volume, b.volume);
  EXPECT_EQ(a.centroid, b.centroid);
  EXPECT_EQ(a.bounding_radius, b.bounding_radius);
}

/// Volume of the hull of a few points in general position: a triangle of three is on it if all others are on one side.
inline double volume_by_all_triangles(const std::vector<dvec3>& p) {
  double six_volumes = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i)
    for (std::size_t j = i + 1; j < p.size(); ++j)
      for (std::size_t k = j + 1; k < p.size(); ++k) {
        const dvec3 area = glm::cross(p[j] - p[i], p[k] - p[i]);
        bool above = false, below = false;
        for (std::size_t x = 0; x < p.size() && !(above && below); ++x) {
          if (x == i || x == j || x == k) continue;
          (glm::dot(area, p[x] - p[i]) > 0.0 ? above : below) = true;
        }
        if (!(above && below)) six_volumes += (above ? -1.0 : 1.0) * glm::dot(area, p[i] - p[0]);
      }
  return six_volumes / 6.0;
}

inline double volume_of(const std::vector<dvec3>& p, const std::vector<std::array<std::uint32_t, 3>>& triangles) {
  double six_volumes = 0.0;
  for (const auto& [i, j, k] : triangles) six_volumes += std::abs(glm::dot(p[i], glm::cross(p[j], p[k])));
  return six_volumes / 6.0;
}

}  // namespace oclide::test
