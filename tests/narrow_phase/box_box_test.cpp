// Box against box: closed forms, and thousands of poses against the exact least penetration in double.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "narrow_phase/pair_geometry.hpp"

namespace oclide::test {
namespace {

constexpr double kQuarter = 0.5 * std::numbers::pi;

dvec3 axis_of(const BodySpec& box, int k) {
  dvec3 e(0.0);
  e[k] = 1.0;
  return glm::normalize(box.orientation) * e;
}

std::vector<dvec3> corners_of(const BodySpec& box) {
  std::vector<dvec3> corners;
  for (int k = 0; k < 8; ++k)
    corners.push_back(box.position +
                      glm::normalize(box.orientation) * dvec3((k & 1) != 0 ? box.size[0] : -box.size[0],
                                                              (k & 2) != 0 ? box.size[1] : -box.size[1],
                                                              (k & 4) != 0 ? box.size[2] : -box.size[2]));
  return corners;
}

double distance_of_segments(dvec3 p, dvec3 u, dvec3 q, dvec3 v) {
  const auto nearest = [](dvec3 from, dvec3 step, dvec3 x) {
    return std::clamp(glm::dot(x - from, step) / glm::dot(step, step), 0.0, 1.0);
  };
  double least = 1e300;
  for (const double t : {0.0, 1.0}) {
    least = std::min(least, glm::distance(p + u * t, q + v * nearest(q, v, p + u * t)));
    least = std::min(least, glm::distance(q + v * t, p + u * nearest(p, u, q + v * t)));
  }
  const dvec3 n = glm::cross(u, v);
  if (glm::dot(n, n) < 1e-24) return least;
  const double s = glm::dot(glm::cross(q - p, v), n) / glm::dot(n, n);
  const double t = glm::dot(glm::cross(q - p, u), n) / glm::dot(n, n);
  if (s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0) least = std::min(least, glm::distance(p + u * s, q + v * t));
  return least;
}

// Least penetration: of the 15 directions that a polyhedron's sides have; where one of them separates, the least
// distance of a corner from the other box and of the edges from each other.
double exact_overlap(const BodyPair& pair) {
  std::vector<dvec3> directions;
  for (int i = 0; i < 3; ++i) {
    directions.push_back(axis_of(pair.first, i));
    directions.push_back(axis_of(pair.second, i));
    for (int j = 0; j < 3; ++j) {
      const dvec3 n = glm::cross(axis_of(pair.first, i), axis_of(pair.second, j));
      if (glm::length(n) > 1e-10) directions.push_back(glm::normalize(n));
    }
  }
  double least = 1e300;
  for (const dvec3 n : directions) least = std::min({least, overlap_along(pair, n), overlap_along(pair, -n)});
  if (least >= 0.0) return least;
  double distance = 1e300;
  const std::vector<dvec3> of_first = corners_of(pair.first), of_second = corners_of(pair.second);
  for (const dvec3 corner : of_first) distance = std::min(distance, distance_to(pair.second, corner));
  for (const dvec3 corner : of_second) distance = std::min(distance, distance_to(pair.first, corner));
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t a = 1; a < 8; a *= 2)
      for (std::size_t j = 0; j < 8; ++j)
        for (std::size_t b = 1; b < 8; b *= 2)
          if ((i & a) == 0 && (j & b) == 0)
            distance = std::min(distance, distance_of_segments(of_first[i], of_first[i | a] - of_first[i], of_second[j],
                                                               of_second[j | b] - of_second[j]));
  return -distance;
}

// The rectangle that a box turns along d, as corners round it.
std::vector<dvec3> face_along(const BodySpec& box, dvec3 d) {
  int k = 0;
  for (int i = 1; i < 3; ++i)
    if (std::abs(glm::dot(axis_of(box, i), d)) > std::abs(glm::dot(axis_of(box, k), d))) k = i;
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  const double side = glm::dot(axis_of(box, k), d) < 0.0 ? -1.0 : 1.0;
  const dvec3 centre = box.position + axis_of(box, k) * (side * box.size[static_cast<std::size_t>(k)]);
  const dvec3 u = axis_of(box, i) * box.size[static_cast<std::size_t>(i)];
  const dvec3 v = axis_of(box, j) * box.size[static_cast<std::size_t>(j)];
  return {centre - u - v, centre + u - v, centre + u + v, centre - u + v};
}

std::vector<dvec3> cut(const std::vector<dvec3>& polygon, dvec3 normal, double limit) {
  std::vector<dvec3> kept;
  for (std::size_t k = 0; k < polygon.size(); ++k) {
    const dvec3 p = polygon[k], q = polygon[(k + 1) % polygon.size()];
    const double over_p = glm::dot(p, normal) - limit, over_q = glm::dot(q, normal) - limit;
    if (over_p <= 0.0) kept.push_back(p);
    if ((over_p < 0.0 && over_q > 0.0) || (over_p > 0.0 && over_q < 0.0))
      kept.push_back(p + (q - p) * (over_p / (over_p - over_q)));
  }
  return kept;
}

// The largest area that four points of this outline span, one of which is as deep as the deepest.
double area_of_four(const std::vector<dvec3>& p, const std::vector<double>& depth, dvec3 n) {
  if (p.empty()) return 0.0;
  const double deepest = *std::max_element(depth.begin(), depth.end()), deep = deepest - 1e-5 - 0.005 * deepest;
  double best = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i)
    for (std::size_t j = i; j < p.size(); ++j)
      for (std::size_t k = j; k < p.size(); ++k)
        for (std::size_t l = k; l < p.size(); ++l)
          if (std::max({depth[i], depth[j], depth[k], depth[l]}) >= deep)
            best = std::max(best, 0.5 * std::abs(glm::dot(n, glm::cross(p[k] - p[i], p[l] - p[j]))));
  return best;
}

// The largest area that four points of the true patch of two parallel faces span.
double patch_area(const BodyPair& pair, dvec3 n, double margin) {
  std::vector<dvec3> patch = face_along(pair.first, -n);
  const std::vector<dvec3> face = face_along(pair.second, n);
  const dvec3 centre = 0.5 * (face[0] + face[2]);
  dvec3 w = glm::normalize(glm::cross(face[1] - face[0], face[3] - face[0]));
  for (std::size_t k = 0; k < 4; ++k) {
    const dvec3 inward = glm::cross(w, face[(k + 1) % 4] - face[k]);
    patch = cut(patch, -inward, glm::dot(-inward, face[k]));
  }
  if (glm::dot(w, n) < 0.0) w = -w;
  patch = cut(patch, w, glm::dot(centre, w) + margin);
  std::vector<double> depth;
  for (const dvec3 p : patch) depth.push_back(glm::dot(centre - p, w));
  return area_of_four(patch, depth, n);
}

double area_of(const std::vector<Contact>& contacts) {
  std::vector<dvec3> p;
  for (const Contact& c : contacts) p.push_back(point_of(c));
  return area_of_four(p, std::vector<double>(p.size(), 0.0), normal_of(contacts.front()));
}

class BoxBox : public OnOpenCl {};

TEST_F(BoxBox, FaceOnFaceGivesTheFourCornersOfTheSmaller) {
  const BodyPair pair{box({1.0, 0.8, 0.5}, {0, 0, 0}), box({0.3, 0.2, 0.1}, {0.2, -0.1, 0.59})};
  std::vector<ExpectedContact> expected;
  for (const double x : {-0.1, 0.5})
    for (const double y : {-0.3, 0.1}) expected.push_back({{x, y, 0.5}, {0, 0, -1}, 0.01});
  expect_contacts(pair, expected);
}

TEST_F(BoxBox, OffsetFacesMeetInTheirCommonRectangle) {
  const BodyPair pair{box({0.5, 0.4, 0.5}, {0, 0, 0}), box({0.5, 0.6, 0.5}, {0.7, 0.3, -0.98})};
  std::vector<ExpectedContact> expected;
  for (const double x : {0.2, 0.5})
    for (const double y : {-0.3, 0.4}) expected.push_back({{x, y, -0.5}, {0, 0, 1}, 0.02});
  expect_contacts(pair, expected);
}

TEST_F(BoxBox, TurnedFacesKeepFourOfEightPoints) {
  const BodyPair pair{box({0.5, 0.5, 0.5}, {0, 0, 0}),
                      box({0.5, 0.5, 0.5}, {0, 0, 0.999}, turn({0, 0, 1}, 0.5 * kQuarter))};
  for (const Contact& c : contacts_of(pair)) {
    EXPECT_NEAR(static_cast<double>(c.depth), 0.001, kClosedForm);
    EXPECT_NEAR(point_of(c).z, 0.5, kClosedForm);
  }
  const double area = area_of(contacts_of(pair));
  EXPECT_GT(area, 0.9 * patch_area(pair, {0, 0, -1}, 0.0));
  EXPECT_EQ(contacts_of(pair).size(), 4u);
}

TEST_F(BoxBox, CrossingEdgesMeetInOnePoint) {
  const double reach_up = std::numbers::sqrt2 * 0.5;
  const BodyPair pair{box({0.5, 2.0, 0.5}, {0, 0, 0}, turn({0, 1, 0}, 0.5 * kQuarter)),
                      box({2.0, 0.5, 0.5}, {0.3, 0.2, 2.0 * reach_up - 0.01}, turn({1, 0, 0}, 0.5 * kQuarter))};
  expect_contacts(pair, {{{0.0, 0.2, reach_up}, {0, 0, -1}, 0.01}});
}

TEST_F(BoxBox, CornerOnFaceMeetsInOnePoint) {
  // A cube on its corner.
  const dquat on_corner = turn({1, 0, 0}, std::atan(std::numbers::sqrt2 / 2.0)) * turn({0, 1, 0}, 0.5 * kQuarter);
  const BodyPair pair{box({1, 1, 1}, {0, 0, 0}),
                      box({0.2, 0.2, 0.2}, {0.3, 0.1, 1.0 + 0.2 * std::numbers::sqrt3 - 0.005}, on_corner)};
  expect_contacts(pair, {{{0.3, 0.1, 1.0}, {0, 0, -1}, 0.005}});
}

TEST_F(BoxBox, EdgeOnFaceGivesItsTwoEnds) {
  const BodyPair pair{box({1, 1, 1}, {0, 0, 0}), box({0.2, 0.3, 0.2}, {0.1, 0, 1.0 + 0.2 * std::numbers::sqrt2 - 0.01},
                                                     turn({0, 1, 0}, 0.5 * kQuarter))};
  expect_contacts(pair, {{{0.1, -0.3, 1.0}, {0, 0, -1}, 0.01}, {{0.1, 0.3, 1.0}, {0, 0, -1}, 0.01}});
}

TEST_F(BoxBox, ThinPlateInACubeLeavesByItsShortWay) {
  expect_deepest({box({0.5, 0.5, 0.5}, {0, 0, 0}), box({0.3, 0.3, 0.001}, {0.05, 0.02, 0.2})}, {0, 0, -1}, 0.301, 4);
}

TEST_F(BoxBox, EqualBoxesInOnePlaceHaveAFiniteAnswer) {
  const std::vector<Contact> found = contacts_of({box({0.5, 0.4, 0.6}, {1, 2, 3}), box({0.5, 0.4, 0.6}, {1, 2, 3})});
  ASSERT_EQ(found.size(), 4u);
  EXPECT_NEAR(static_cast<double>(found.front().depth), 0.8, kClosedForm);
  EXPECT_NEAR(std::abs(normal_of(found.front()).y), 1.0, kClosedForm);
}

TEST_F(BoxBox, NeedleThroughAPlate) {
  const BodyPair pair{box({0.001, 0.001, 2.0}, {0.1, 0.2, 0.0}), box({1.0, 1.0, 0.05}, {0, 0, 0})};
  expect_deepest(pair, {0, 1, 0}, 0.801, 4, 0.0, 2e-5);
}

TEST_F(BoxBox, CornersApartAreAtTheirDistance) {
  const BodyPair pair{box({0.5, 0.5, 0.5}, {0, 0, 0}), box({0.5, 0.5, 0.5}, {1.03, 1.04, 1.02})};
  const dvec3 way{0.03, 0.04, 0.02};
  EXPECT_TRUE(contacts_of(pair, 0.05).empty());
  expect_contacts(pair, {{{0.5, 0.5, 0.5}, -glm::normalize(way), -glm::length(way)}}, 0.06);
}

TEST_F(BoxBox, ParallelEdgesApartHaveTwoEnds) {
  const BodyPair pair{box({0.5, 0.5, 0.5}, {0, 0, 0}), box({0.5, 0.5, 0.5}, {1.03, 0.2, 1.04})};
  const dvec3 n = -glm::normalize(dvec3(0.03, 0.0, 0.04));
  expect_contacts(pair, {{{0.5, -0.3, 0.5}, n, -0.05}, {{0.5, 0.5, 0.5}, n, -0.05}}, 0.06);
}

TEST_F(BoxBox, BothOrdersAreOneResult) {
  std::mt19937_64 random(3);
  std::vector<BodyPair> pairs, turned;
  for (const BodyPair& pair : random_pairs(Shape::box, Shape::box, {"", {0.5, 0.3, 0.4}, {0.2, 0.6, 0.1}}, 200, 17)) {
    pairs.push_back(pair);
    turned.push_back({pair.second, pair.first});
  }
  const auto found = contacts_of(pairs), other = contacts_of(turned);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    std::vector<ExpectedContact> expected;
    for (const Contact& c : other[k])
      expected.push_back({point_of(c) + normal_of(c) * static_cast<double>(c.depth), -normal_of(c), c.depth});
    EXPECT_TRUE(same_contacts(found[k], expected)) << k;
  }
}

TEST_F(BoxBox, FeaturesStayWhileABoxSlides) {
  std::vector<std::uint32_t> first;
  for (int frame = 0; frame < 50; ++frame) {
    const BodyPair pair{box({1, 1, 1}, {0, 0, 0}),
                        box({0.4, 0.3, 0.2}, {0.8 + 1e-4 * frame, 0.1 - 2e-4 * frame, 1.199 - 1e-5 * frame},
                            turn({0, 0, 1}, 0.2 + 1e-4 * frame))};
    std::vector<std::uint32_t> features;
    for (const Contact& c : contacts_of(pair)) features.push_back(c.feature);
    std::sort(features.begin(), features.end());
    ASSERT_EQ(features.size(), 4u);
    if (frame == 0) first = features;
    EXPECT_EQ(features, first) << frame;
  }
}

// Boxes that lie on each other with a tilt of at most 1e-3: the patch and its best four points by cutting in double.
TEST_F(BoxBox, FourPointsSpanTheLyingPatch) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  std::vector<BodyPair> pairs;
  for (int k = 0; k < 3000; ++k) {
    const dquat pose = random_orientation(random);
    const dvec3 a{0.05 + unit(random), 0.05 + unit(random), 0.05 + unit(random)};
    const dvec3 b{0.05 + unit(random), 0.05 + unit(random), 0.05 + unit(random)};
    const dquat tilt = turn({unit(random) - 0.5, unit(random) - 0.5, 0.0}, k % 3 == 0 ? 0.0 : 8e-4 * unit(random));
    const dquat yaw = turn({0, 0, 1}, k % 4 == 0 ? kQuarter * (k % 16 / 4) : 6.3 * unit(random));
    const dvec3 offset{(unit(random) - 0.5) * (a.x + b.x), (unit(random) - 0.5) * (a.y + b.y),
                       a.z + b.z - 0.04 * unit(random) * std::min(a.z, b.z)};
    pairs.push_back({box(a, {0, 0, 0}, pose), box(b, pose * offset, pose * tilt * yaw)});
  }
  const auto found = contacts_of(pairs);
  std::size_t compared = 0;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (found[k].empty()) continue;
    const dvec3 n = normal_of(found[k].front());
    // Where they meet side by side, it is another test's business.
    if (std::max(std::abs(glm::dot(n, axis_of(pairs[k].first, 2))),
                 std::abs(glm::dot(n, axis_of(pairs[k].second, 2)))) < 1.0 - 4e-7)
      continue;
    const double area = patch_area(pairs[k], n, 0.0);
    if (area < 1e-4) continue;
    ++compared;
    EXPECT_GT(area_of(found[k]), 0.9 * area) << k << "\n" << text(found[k]);
  }
  EXPECT_GT(compared, 2000u);
}

TEST_F(BoxBox, FuzzAgainstTheExactLeastPenetration) {
  const std::vector<SizeCase> sizes{
      {"cubes", {0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}},       {"any", {0.5, 0.3, 0.7}, {0.2, 0.4, 0.6}},
      {"needle", {0.01, 0.01, 2.0}, {0.5, 0.4, 0.3}},    {"slab", {2.0, 2.0, 0.02}, {0.4, 0.3, 0.5}},
      {"two slabs", {1.0, 0.8, 0.01}, {0.7, 0.9, 0.02}}, {"tiny on huge", {0.05, 0.05, 0.05}, {20.0, 15.0, 10.0}},
      {"needles", {0.01, 0.02, 1.0}, {1.5, 0.01, 0.01}}, {"huge", {50.0, 40.0, 30.0}, {25.0, 45.0, 20.0}}};
  std::uint64_t seed = 100;
  for (const SizeCase& size : sizes) {
    const std::vector<BodyPair> pairs = random_pairs(Shape::box, Shape::box, size, 2000, seed++);
    const double largest = std::max({size.first[0], size.first[1], size.first[2], size.second[0], size.second[1]});
    const double tolerance = largest > 5.0 ? kContract : 5e-5;
    for (const double margin : {0.0, 0.05 * size.first[0]}) {
      const auto found = contacts_of(pairs, margin);
      std::size_t touching = 0;
      for (std::size_t k = 0; k < pairs.size() && !testing::Test::HasFailure(); ++k) {
        SCOPED_TRACE(size.name + ", pair " + std::to_string(k) + ", margin " + std::to_string(margin));
        const double exact = exact_overlap(pairs[k]), allowed = tolerance + 0.005 * std::abs(exact);
        if (found[k].empty()) {
          EXPECT_LT(exact, -margin + tolerance);
          continue;
        }
        ++touching;
        EXPECT_GT(exact, -margin - tolerance);
        EXPECT_LE(found[k].size(), 4u);
        const dvec3 n = normal_of(found[k].front());
        EXPECT_NEAR(glm::length(n), 1.0, 1e-6);
        EXPECT_LT(overlap_along(pairs[k], glm::normalize(n)), exact + allowed) << text(found[k]);
        EXPECT_NEAR(static_cast<double>(found[k].front().depth), exact, allowed) << text(found[k]);
        for (std::size_t i = 0; i < found[k].size(); ++i) {
          const Contact& c = found[k][i];
          const double depth = c.depth;
          EXPECT_GT(depth, -margin);
          EXPECT_LE(depth, static_cast<double>(found[k].front().depth));
          EXPECT_EQ(normal_of(c), n);
          EXPECT_LT(std::abs(distance_to(pairs[k].first, point_of(c))), tolerance) << text(c);
          EXPECT_LT(std::abs(distance_to(pairs[k].second, point_of(c) + n * depth)), tolerance) << text(c);
          // The chord is whole: nothing of A before P, nothing of B beyond Q.
          EXPECT_GT(distance_to(pairs[k].first, point_of(c) - n * 0.01), -tolerance) << text(c);
          EXPECT_GT(distance_to(pairs[k].second, point_of(c) + n * (depth + 0.01)), -tolerance) << text(c);
          for (std::size_t j = 0; j < i; ++j) EXPECT_NE(c.feature, found[k][j].feature) << text(found[k]);
        }
      }
      EXPECT_GT(touching, pairs.size() / 10) << size.name;
      if (testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace oclide::test
