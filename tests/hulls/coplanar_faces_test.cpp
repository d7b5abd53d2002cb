// Facets joined to faces with a slack that is coarse for the solid: what joins is flat and convex within it.
#include "hulls/coplanar_faces.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "hulls/flat_loop.hpp"
#include "hulls/point_clouds.hpp"
#include "support/sweep.hpp"

namespace oclide::test {
namespace {

std::vector<dvec3> as_vectors(const Points& points) {
  std::vector<dvec3> out;
  for (const auto& p : points) out.emplace_back(p[0], p[1], p[2]);
  return out;
}

// How far the point of a loop that is farthest inside is from the border of the loop's hull, by many directions across
// the normal: at most this much too far a metre of the loop's size.
constexpr int kDirections = 720;
constexpr double kTooFar = M_PI / kDirections;
double farthest_inside(const std::vector<dvec3>& points, const FaceLoop& loop, dvec3 normal) {
  const dvec3 u = glm::normalize(points[loop[1]] - points[loop[0]]), w = glm::cross(normal, u);
  std::vector<double> inside(loop.size(), HUGE_VAL), height(loop.size());
  for (int k = 0; k < kDirections; ++k) {
    const double angle = 2.0 * M_PI * k / kDirections;
    const dvec3 along = std::cos(angle) * u + std::sin(angle) * w;
    for (std::size_t p = 0; p < loop.size(); ++p) height[p] = glm::dot(along, points[loop[p]]);
    const double reach = *std::max_element(height.begin(), height.end());
    for (std::size_t p = 0; p < loop.size(); ++p) inside[p] = std::min(inside[p], reach - height[p]);
  }
  return *std::max_element(inside.begin(), inside.end());
}

TEST(CoplanarFaces, JoinedFacetsAreFlatAndConvexWithinTheSlack) {
  const Points sphere = on_sphere(1000, 3);
  const Points disc = changed(sphere, dmat3(1, 0, 0, 0, 1, 0, 0, 0, 0.02), dvec3(0.0));
  const Points needle = changed(sphere, dmat3(1, 0, 0, 0, 0.03, 0, 0, 0, 0.02), dvec3(0.0));
  int number = 0;
  for (const Points& solid : {icosphere(10).points, sphere, disc, needle})
    for (const double slack : {1e-3, 4e-3, 1e-2}) {
      if (number++ % kSweepStep != 0) continue;
      const std::vector<dvec3> points = as_vectors(solid);
      const HullFacets facets = qhull_facets(points);
      const std::vector<FaceLoop> loops = coplanar_faces(points, facets, slack);
      if (slack > 5e-3) {
        EXPECT_LT(loops.size(), facets.normals.size()) << "some join";
      }
      dvec3 closed(0.0);
      for (const FaceLoop& loop : loops) {
        const dvec3 area = loop_area(points, loop), normal = glm::normalize(area);
        closed += area;
        double lowest = HUGE_VAL, highest = -HUGE_VAL, size = 0.0;
        for (const std::uint32_t p : loop) {
          lowest = std::min(lowest, glm::dot(normal, points[p])),
          highest = std::max(highest, glm::dot(normal, points[p]));
          size = std::max(size, glm::distance(points[p], points[loop[0]]));
        }
        EXPECT_GT(lowest, 0.0) << "outward";
        EXPECT_LE(highest - lowest, 2.0 * slack + 1e-12);
        if (loop.size() > 3) {  // a triangle is convex
          EXPECT_LE(farthest_inside(points, loop, normal), slack + kTooFar * size);
        }
      }
      EXPECT_NEAR(glm::length(closed), 0.0, 1e-9) << "the faces cover the surface once";
    }
}

TEST(CoplanarFaces, WithoutSlackEveryFacetIsAFace) {
  const std::vector<dvec3> points = as_vectors(on_sphere(200, 4));
  const HullFacets facets = qhull_facets(points);
  EXPECT_EQ(coplanar_faces(points, facets, 0.0).size(), facets.normals.size());
}

TEST(FlatLoop, OnlyWhatGoesRoundItsHullIsConvex) {
  const std::vector<dvec3> points{{0, 0, 5}, {2, 0, 5}, {2, 2, 5}, {0, 2, 5}, {1.9, 1, 5}, {1, 0, 5}};
  const dvec3 up(0.0, 0.0, 1.0);
  const auto is_convex = [&](FaceLoop loop, double slack, double side = 1.0) {
    return is_convex_loop(points, loop, side * up, slack);
  };
  EXPECT_TRUE(is_convex({0, 1, 2, 3}, 0.0));
  EXPECT_FALSE(is_convex({3, 2, 1, 0}, 0.0)) << "clockwise";
  EXPECT_TRUE(is_convex({3, 2, 1, 0}, 0.0, -1.0));
  EXPECT_TRUE(is_convex({0, 5, 1, 2, 3}, 0.0)) << "straight between two corners";
  EXPECT_FALSE(is_convex({0, 1, 4, 2, 3}, 0.09)) << "a dent of 0.1";
  EXPECT_TRUE(is_convex({0, 1, 4, 2, 3}, 0.11));
  EXPECT_FALSE(is_convex({0, 2, 1, 3}, 10.0)) << "crosses itself";
  EXPECT_EQ(loop_corners(points, FaceLoop{0, 5, 1, 4, 2, 3}, up).size(), 4u);
}

}  // namespace
}  // namespace oclide::test
