// Spheres in place of hulls and meshes: all of the shape is in them, and none sticks out by more than the error says.
#include "files/sphere_cover.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "hulls/point_clouds.hpp"
#include "support/mesh_shapes.hpp"

namespace oclide {
namespace {

using glm::dvec3;

dvec3 to_vec(const std::array<double, 3>& p) {
  return {p[0], p[1], p[2]};
}

// Signed: negative inside.
double from_box(const dvec3& p, const dvec3& half) {
  const dvec3 d = glm::abs(p) - half;
  return glm::length(glm::max(d, dvec3(0.0))) + std::min(std::max({d.x, d.y, d.z}), 0.0);
}

// How far a place is outside of a shape; 0 in it.
using Outside = std::function<double(const dvec3&)>;

double held(const SphereCover& cover, const dvec3& p) {
  double most = -1e300;
  for (const CoverSphere& s : cover.spheres) most = std::max(most, s.radius - glm::length(p - s.centre));
  return most;
}

// Of places all over the spheres the farthest outside.
double farthest_outside(const SphereCover& cover, const Outside& outside, int places) {
  double most = 0.0;
  for (const CoverSphere& s : cover.spheres)
    for (int k = 0; k < places; ++k) {
      const double z = 1.0 - (2.0 * k + 1.0) / places, angle = 2.399963229728653 * k, r = std::sqrt(1.0 - z * z);
      most = std::max(most, outside(s.centre + s.radius * dvec3(r * std::cos(angle), r * std::sin(angle), z)));
    }
  return most;
}

// Points of the box around the shape, those on its surface among them, that are in the shape.
void expect_covers(const SphereCover& cover, std::size_t most, const Outside& outside, const dvec3& reach, int points) {
  ASSERT_GE(cover.spheres.size(), 1U);
  EXPECT_LE(cover.spheres.size(), most);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(-1.0, 1.0);
  int inside = 0;
  for (int k = 0; k < points; ++k) {
    const dvec3 p = reach * dvec3(place(random), place(random), place(random));
    if (outside(p) > 0.0) continue;
    ++inside;
    ASSERT_GE(held(cover, p), 0.0) << p.x << " " << p.y << " " << p.z;
  }
  EXPECT_GT(inside, points / 50);
  for (const CoverSphere& s : cover.spheres) EXPECT_GT(s.radius, 0.0);
  EXPECT_LE(farthest_outside(cover, outside, 200), cover.error);
}

TEST(SphereCover, OfABoxHoldsItAndHasTheErrorThatItSays) {
  const dvec3 half(1.0, 0.4, 0.25);
  const ConvexHull hull = build_convex_hull(test::grid_on_box(half, 3), "hull");
  const Outside outside = [&](const dvec3& p) { return std::max(from_box(p, half), 0.0); };
  double before = 1e300;
  for (const std::size_t most : {1U, 8U, 32U, 200U}) {
    SCOPED_TRACE(most);
    const SphereCover cover = cover_with_spheres(hull, most);
    expect_covers(cover, most, outside, half, 2000);
    for (const auto& corner : test::grid_on_box(half, 9)) EXPECT_GE(held(cover, to_vec(corner)), 0.0);
    // Some point is as far outside.
    EXPECT_GT(farthest_outside(cover, outside, 4000), 0.97 * cover.error);
    EXPECT_LT(cover.error, 0.8 * before);
    before = cover.error;
  }
  // One ball around all, at its middle.
  const SphereCover one = cover_with_spheres(hull, 1);
  EXPECT_NEAR(one.spheres[0].radius, glm::length(half), 1e-3);
  EXPECT_NEAR(one.error, glm::length(half) - 0.25, 1e-3);
}

TEST(SphereCover, OfHullsOfAllFormsHoldsTheirPoints) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> share(0.0, 1.0);
  std::vector<test::Points> clouds{test::prism(7, 0.3, 2.0), test::prism(40, 1.0, 0.01), test::prism(3, 1e-3, 5.0)};
  clouds.push_back(test::changed(clouds[0], test::some_turn(), dvec3(40.0, -7.0, 0.5)));
  test::Points ball;
  for (int k = 0; k < 60; ++k) {
    const dvec3 p = glm::normalize(dvec3(share(random), share(random), share(random)) - 0.5);
    ball.push_back({p.x, p.y, 0.3 * p.z});
  }
  clouds.push_back(ball);
  for (const test::Points& points : clouds) {
    const ConvexHull hull = build_convex_hull(points, "hull");
    const SphereCover cover = cover_with_spheres(hull, 24);
    EXPECT_LE(cover.spheres.size(), 24U);
    for (const glm::vec3& v : hull.vertices) EXPECT_GE(held(cover, dvec3(v)), 0.0);
    // Any mean of vertices.
    for (int k = 0; k < 500; ++k) {
      dvec3 sum(0.0);
      double weights = 0.0;
      for (const glm::vec3& v : hull.vertices) {
        const double weight = std::pow(share(random), 8.0);
        sum += weight * dvec3(v), weights += weight;
      }
      ASSERT_GE(held(cover, sum / weights), 0.0);
    }
  }
}

TEST(SphereCover, OfASolidIsInItsWallsAndNotInItsCavity) {
  // A box with a box cut out of its middle: that one's surface looks inward.
  const dvec3 half(1.0, 0.8, 0.6), cavity(0.8, 0.6, 0.4);
  const glm::dmat3 turn = test::some_turn();
  Mesh mesh = test::box_mesh({half.x, half.y, half.z}, 2), hole = test::box_mesh({cavity.x, cavity.y, cavity.z}, 3);
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), hole.vertices.begin(), hole.vertices.end());
  for (const auto& t : hole.triangles) mesh.triangles.push_back({first + t[0], first + t[2], first + t[1]});
  for (auto& v : mesh.vertices) {
    const dvec3 p = turn * to_vec(v);
    v = {p.x, p.y, p.z};
  }
  const TriangleMesh built = build_triangle_mesh(mesh, "mesh");
  const Outside outside = [&](const dvec3& world) {
    const dvec3 p = world * turn;  // its inverse
    return std::max({from_box(p, half), -from_box(p, cavity), 0.0});
  };
  for (const std::size_t most : {1U, 50U, 400U}) {
    const SphereCover cover = cover_with_spheres(built, most);
    expect_covers(cover, most, outside, dvec3(1.5), 6000);
    EXPECT_GE(held(cover, turn * half), 0.0);
    if (most == 400U) {
      EXPECT_LT(held(cover, dvec3(0.0)), 0.0) << "the cavity is full";
      EXPECT_LT(cover.error, 0.15);
    }
  }
}

TEST(SphereCover, OfASheetHoldsItsTrianglesAndBoundsHowFarItIsOff) {
  const Mesh sheet = test::flat_sheet(4, 0.5);
  const TriangleMesh built = build_triangle_mesh(sheet, "mesh");
  const Outside outside = [&](const dvec3& p) { return from_box(p - dvec3(1.0, 1.0, 0.0), dvec3(1.0, 1.0, 0.0)); };
  double before = 1e300;
  for (const std::size_t most : {1U, 16U, 100U}) {
    const SphereCover cover = cover_with_spheres(built, most);
    EXPECT_LE(cover.spheres.size(), most);
    for (int i = 0; i <= 40; ++i)
      for (int j = 0; j <= 40; ++j) ASSERT_GE(held(cover, dvec3(0.05 * i, 0.05 * j, 0.0)), 0.0) << i << " " << j;
    EXPECT_LE(farthest_outside(cover, outside, 500), cover.error);
    EXPECT_LT(cover.error, 0.51 * before);
    before = cover.error;
  }
}

TEST(SphereCover, IsTheSameTwice) {
  const TriangleMesh ball = build_triangle_mesh(test::ball_mesh(0.5, 4), "mesh");
  const SphereCover a = cover_with_spheres(ball, 20), b = cover_with_spheres(ball, 20);
  EXPECT_LT(a.error, 0.13);
  ASSERT_EQ(a.spheres.size(), b.spheres.size());
  for (std::size_t k = 0; k < a.spheres.size(); ++k) {
    EXPECT_EQ(a.spheres[k].centre, b.spheres[k].centre);
    EXPECT_EQ(a.spheres[k].radius, b.spheres[k].radius);
  }
}

}  // namespace
}  // namespace oclide
