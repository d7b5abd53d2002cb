// Hulls of known solids, of random points and of points that are nearly flat; what they are called and refused by.
#include "hulls/convex_hull.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>

#include "hulls/hull_checks.hpp"
#include "hulls/point_clouds.hpp"
#include "oclide/oclide.hpp"
#include "support/sweep.hpp"

namespace oclide::test {
namespace {

ConvexHull hull_of(const Points& points) {
  return build_convex_hull(points, "hulls/0/vertices");
}

// The hull, with all that must hold of it, in any order of its points and of its own vertices.
ConvexHull checked_hull(const Points& points) {
  const ConvexHull hull = hull_of(points);
  expect_sound(hull, points);
  Points shuffled = points;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937_64(5));
  shuffled.insert(shuffled.end(), points.begin(), points.begin() + 3);
  expect_same_bits(hull, hull_of(shuffled));
  Points own;
  for (const glm::vec3& v : hull.vertices) own.push_back({v.x, v.y, v.z});
  expect_same_bits(hull, hull_of(own));
  return hull;
}

struct Counts {
  std::size_t vertices, edges, faces;
  bool operator==(const Counts&) const = default;
};
Counts counts_of(const ConvexHull& hull) {
  return {hull.vertices.size(), hull.edges.size(), hull.faces.size()};
}
void PrintTo(const Counts& c, std::ostream* out) {
  *out << c.vertices << " vertices, " << c.edges << " edges, " << c.faces << " faces";
}

constexpr Counts kBox{8, 12, 6};

TEST(ConvexHull, CubeOfManyPointsHasEightVerticesAndSixSquares) {
  const ConvexHull hull = checked_hull(grid_on_box({1.0, 1.0, 1.0}, 20));
  EXPECT_EQ(counts_of(hull), kBox);
  for (std::size_t f = 0; f < 6; ++f) {
    EXPECT_EQ(hull.loop(f).size(), 4u);
    EXPECT_EQ(hull.faces[f].offset, 1.0);
  }
  EXPECT_EQ(hull.faces[0].normal,
            dvec3(-1.0, 0.0, 0.0));  // by the loop 0 1 3 2: x = -1, counter-clockwise from outside
  EXPECT_EQ(std::vector<std::uint32_t>(hull.loop(0).begin(), hull.loop(0).end()),
            (std::vector<std::uint32_t>{0, 1, 3, 2}));
  EXPECT_EQ(hull.volume, 8.0);
  EXPECT_EQ(hull.centroid, dvec3(0.0));
  EXPECT_EQ(hull.bounding_radius, std::sqrt(3.0));
}

TEST(ConvexHull, TurnedBoxHasSixFacesThoughRoundingBentThem) {
  const dvec3 half(0.7, 0.31, 1.9), by(3.0, -2.0, 0.5);
  const ConvexHull hull = checked_hull(changed(grid_on_box(half, 9), some_turn(), by));
  EXPECT_EQ(counts_of(hull), kBox);
  EXPECT_NEAR(hull.volume, 8.0 * half.x * half.y * half.z, 1e-5);
  EXPECT_NEAR(glm::distance(hull.centroid, by), 0.0, 1e-6);
}

TEST(ConvexHull, TetrahedronHasAllOfItsPoints) {
  const ConvexHull hull = checked_hull({{0, 0, 0}, {2, 0, 0}, {0, 3, 0}, {0, 0, 4}});
  EXPECT_EQ(counts_of(hull), (Counts{4, 6, 4}));
  EXPECT_DOUBLE_EQ(hull.volume, 4.0);
  EXPECT_NEAR(glm::distance(hull.centroid, dvec3(0.5, 0.75, 1.0)), 0.0, 1e-15);
}

TEST(ConvexHull, PrismOf64SidesHas66Faces) {
  const double area = 32.0 * 0.25 * std::sin(2.0 * M_PI / 64);
  for (const Points& points : {prism(64, 0.5, 0.8), changed(prism(64, 0.5, 0.8), some_turn(), {0.1, 0.2, 0.3})}) {
    const ConvexHull hull = checked_hull(points);
    EXPECT_EQ(counts_of(hull), (Counts{128, 192, 66}));
    EXPECT_NEAR(hull.volume, 1.6 * area, 1e-6);
  }
}

TEST(ConvexHull, IcosphereOf2000PointsKeepsItsTriangles) {
  const Triangles mesh = icosphere(14);  // 1,962 points
  const ConvexHull hull = checked_hull(mesh.points);
  EXPECT_EQ(counts_of(hull), (Counts{1962, 5880, 3920}));
  EXPECT_NEAR(hull.volume, volume_of(rounded_to_float(mesh.points), mesh.corners), 1e-12);
}

TEST(ConvexHull, RandomPointsHaveTheVolumeOfAllTriangles) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Points points = in_ball(30, seed);
    const double volume = volume_by_all_triangles(rounded_to_float(points));
    EXPECT_NEAR(checked_hull(points).volume, volume, 1e-12) << "seed " << seed;
  }
}

TEST(ConvexHull, ManyPointsKeepEverythingInside) {
  EXPECT_GT(checked_hull(in_ball(20000 / kSweepStep, 1)).vertices.size(), 300u / kSweepStep);
  constexpr std::size_t kOnSphere = 3000 / kSweepStep;
  EXPECT_GT(checked_hull(on_sphere(kOnSphere, 2)).vertices.size(), kOnSphere - 10);
}

// Facets of which some are within the slack of the next: what joins is convex, and no more than the slack is lost.
TEST(ConvexHull, SpheresAsFineAsTheSlackStayRound) {
  Points points = changed(on_sphere(4000, 8), dmat3(0.02), {30.0, 20.0, -40.0});
  const ConvexHull hull = hull_of(points);
  expect_sound(hull, points);
  EXPECT_GT(hull.vertices.size(), 3500u);
  EXPECT_LT(hull.faces.size(), 2 * hull.vertices.size() - 4);  // not all are triangles
  EXPECT_NEAR(hull.volume, 4.0 / 3.0 * M_PI * 8e-6, 4.0 * M_PI * 4e-4 * 3e-5);
}

TEST(ConvexHull, NeedlesAndDiscsHaveTheVolumeOfAllTriangles) {
  for (const dvec3 size :
       {dvec3(50.0, 0.02, 0.01), dvec3(1.0, 1e-3, 1e-3), dvec3(30.0, 30.0, 0.02), dvec3(1.0, 1.0, 1e-4)})
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const Points points = changed(in_ball(25, seed), dmat3(size.x, 0, 0, 0, size.y, 0, 0, 0, size.z), dvec3(0.0));
      const ConvexHull hull = checked_hull(points);
      const double volume = volume_by_all_triangles(rounded_to_float(points));
      // A layer of the flat slack around the ellipsoid's half axes.
      const double layer = 4.0 * M_PI * hull.flat_slack * (size.x * size.y + size.y * size.z + size.z * size.x);
      EXPECT_NEAR(hull.volume, volume, layer) << size.x << " x " << size.y << " x " << size.z << ", seed " << seed;
    }
}

// Bumps on the sides of a box: as far out as float32 tells for sure they are vertices, within its rounding they are
// none.
TEST(ConvexHull, BumpsCountFromTheFlatSlackOn) {
  Points points = grid_on_box({1.0, 1.0, 1.0}, 2);
  const double slack = std::ldexp(1.0, -21);
  points.push_back({0.1, 0.2, 1.0 + 0.5 * slack});
  EXPECT_EQ(counts_of(checked_hull(points)), kBox);
  points.back()[2] = 1.0 + 8.0 * slack;
  EXPECT_EQ(counts_of(checked_hull(points)), (Counts{9, 16, 9}));
}

TEST(ConvexHull, NearlyCoplanarPointsAreOneFace) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> noise(-6e-8, 6e-8);
  Points points = grid_on_box({1.0, 1.0, 1.0}, 12);
  for (auto& p : points)
    for (double& x : p) x += noise(random);
  EXPECT_EQ(counts_of(checked_hull(points)), kBox);
}

// Boxes with noise, plates, needles and prisms that are hardly thicker than the flat slack, turned and off the origin.
TEST(ConvexHull, SolidsAsThinAsTheSlackAreSoundOrRefused) {
  std::mt19937_64 random(7);
  const auto power = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution<double>(low, high)(random));
  };
  int taken = 0;
  for (std::uint64_t k = 0; k < 600; k += kSweepStep) {
    Points points = k % 2 == 0 ? grid_on_box(dvec3(1.0), 8) : in_ball(60, k);
    if (k % 4 == 3) points = prism(3 + static_cast<int>(k / 4), 1.0, 1.0);
    std::uniform_real_distribution<double> noise(-1.0, 1.0);
    const double most = k % 4 == 0 ? power(-18.0, -6.0) : 0.0;
    for (auto& p : points)
      for (double& x : p) x += most * noise(random);
    const dvec3 size = power(-3.0, 3.0) * dvec3(1.0, power(-16.0, 0.0), power(-16.0, 0.0));
    const dmat3 scale(size.x, 0, 0, 0, size.y, 0, 0, 0, size.z);
    points = changed(points, some_turn() * scale, dvec3(k % 3 == 0 ? power(-2.0, 6.0) : 0.0));
    SCOPED_TRACE("case " + std::to_string(k));
    try {
      expect_sound(hull_of(points), points);
      ++taken;
    } catch (const Error& error) {
      const std::string what = error.what();
      EXPECT_TRUE(what.ends_with("are in a plane") || what.ends_with("are on a line") || what.ends_with("at one point"))
          << what;
    }
  }
  EXPECT_GT(taken, 200 / kSweepStep);
}

TEST(ConvexHull, PointsTenKilometresOutAreAsExactAsFloatsAre) {
  const ConvexHull hull = checked_hull(changed(in_ball(200, 4), dmat3(1.0), {10000.0, -10000.0, 0.0}));
  EXPECT_EQ(hull.flat_slack, 2e-5);
  EXPECT_NEAR(hull.volume, hull_of(in_ball(200, 4)).volume, 0.02);  // floats are 1e-3 m apart there
  EXPECT_NEAR(hull.centroid.x, 10000.0, 0.1);
}

// Powers of two change no digit, so that the hulls are the same solid.
TEST(ConvexHull, SmallAndLargeHullsAreTheSame) {
  const Points points = changed(grid_on_box({0.3, 0.2, 0.1}, 7), some_turn(), dvec3(0.02));
  const ConvexHull one = checked_hull(points);
  for (const int power : {-10, 5, 10}) {
    const double scale = std::ldexp(1.0, power);
    const ConvexHull hull = checked_hull(changed(points, dmat3(scale), dvec3(0.0)));
    EXPECT_EQ(hull.corners, one.corners) << scale;
    EXPECT_DOUBLE_EQ(hull.volume, scale * scale * scale * one.volume);
  }
}

TEST(ConvexHull, ThousandthsOfAMetreKeepTheirFaces) {
  const ConvexHull hull = checked_hull(changed(prism(64, 0.5, 0.8), 1e-3 * some_turn(), dvec3(0.0)));
  EXPECT_EQ(counts_of(hull), (Counts{128, 192, 66}));
}

// Floats bend the faces of a large turned solid by more than the slack may be: they are what the floats say.
TEST(ConvexHull, ThousandsOfMetresKeepFacesThatAreFlatAndNotThoseThatFloatsBend) {
  const Points points = changed(prism(64, 0.5, 0.8), dmat3(1e3), dvec3(0.0));
  EXPECT_EQ(counts_of(checked_hull(points)), (Counts{128, 192, 66}));
  const ConvexHull turned = checked_hull(changed(points, some_turn(), dvec3(0.0)));
  EXPECT_GT(turned.faces.size(), 66u);
  EXPECT_NEAR(turned.volume, hull_of(points).volume, 1e-7 * turned.volume);
}

TEST(ConvexHull, NegativeZerosAndDuplicatesAreOnePoint) {
  Points points = grid_on_box({1.0, 1.0, 1.0}, 3);
  Points negative = points;
  for (auto& p : negative)
    for (double& x : p) x = x == 0.0 ? -0.0 : x;
  points.insert(points.end(), negative.begin(), negative.end());
  EXPECT_EQ(counts_of(checked_hull(points)), kBox);
}

// What is said of points that are no hull.
std::string refusal(const Points& points) {
  try {
    hull_of(points);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
    return error.what();
  }
  return "taken";
}

TEST(ConvexHullErrors, FewerThanFourPointsAreRefused) {
  EXPECT_EQ(refusal({}), "hulls/0/vertices: a convex hull needs at least 4 points, this one has 0");
  EXPECT_EQ(refusal({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}),
            "hulls/0/vertices: a convex hull needs at least 4 points, this one has 3");
}

TEST(ConvexHullErrors, CoordinatesThatAreNoNumbersNameTheirIndex) {
  Points points = grid_on_box({1.0, 1.0, 1.0}, 2);
  points[5][1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal(points), "hulls/0/vertices[5][1] must be finite and at most 1e9 m from the origin, got nan");
  points[5][1] = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal(points), "hulls/0/vertices[5][1] must be finite and at most 1e9 m from the origin, got -inf");
  points[5][1] = 2e9;
  EXPECT_EQ(refusal(points), "hulls/0/vertices[5][1] must be finite and at most 1e9 m from the origin, got 2e+09");
}

TEST(ConvexHullErrors, PointsAtOnePlaceAreRefused) {
  EXPECT_EQ(refusal(Points(6, {0.1, 0.2, 0.3})), "hulls/0/vertices: all 6 points are at one point");
  EXPECT_EQ(refusal(Points(6, {0.0, 0.0, 0.0})), "hulls/0/vertices: all 6 points are at one point");
}

TEST(ConvexHullErrors, PointsOnALineThatFloatsBendAreRefused) {
  Points points;
  for (int k = 0; k < 50; ++k) points.push_back({0.1 + 0.31 * k, 0.7 - 0.13 * k, 0.017 * k});
  EXPECT_EQ(refusal(points), "hulls/0/vertices: all 50 points are on a line");
}

TEST(ConvexHullErrors, PointsInAPlaneThatFloatsBendAreRefused) {
  EXPECT_EQ(refusal({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}}), "hulls/0/vertices: all 4 points are in a plane");
  Points points = in_ball(300, 6);
  for (auto& p : points) p[2] = 0.0;
  EXPECT_EQ(refusal(changed(points, some_turn(), {0.3, 0.2, 0.1})), "hulls/0/vertices: all 300 points are in a plane");
}

}  // namespace
}  // namespace oclide::test
