// Box against box: closed forms, and thousands of poses against the exact least penetration in double.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "narrow_phase/pair_geometry.hpp"

namespace oclide::test {
namespace {

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
double box_box_overlap(const BodyPair& pair) {
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
  // The patch is a regular octagon; every second corner makes a square of 2 R^2.
  const std::vector<Contact> found = contacts_of(
      {box({0.5, 0.5, 0.5}, {0, 0, 0}), box({0.5, 0.5, 0.5}, {0, 0, 0.999}, turn({0, 0, 1}, 0.5 * kQuarter))});
  ASSERT_EQ(found.size(), 4u);
  for (const Contact& c : found) {
    EXPECT_NEAR(static_cast<double>(c.depth), 0.001, kClosedForm);
    EXPECT_NEAR(point_of(c).z, 0.5, kClosedForm);
    EXPECT_NEAR(std::hypot(point_of(c).x, point_of(c).y), 0.5 / std::cos(0.25 * kQuarter), kClosedForm);
  }
  const dvec3 diagonal = point_of(found[2]) - point_of(found[0]), other = point_of(found[3]) - point_of(found[1]);
  EXPECT_NEAR(std::abs(glm::dot(diagonal, other)), 0.0, kClosedForm);
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

TEST_F(BoxBox, NeedleThroughAPlateLeavesItSideways) {
  const BodyPair pair{box({0.001, 0.001, 2.0}, {0.1, 0.2, 0.0}), box({1.0, 1.0, 0.05}, {0, 0, 0})};
  expect_deepest(pair, {0, 1, 0}, 0.801, 4, 0.0, 2e-5);
}

TEST_F(BoxBox, CornersApartAreAtTheirDistance) {
  const BodyPair pair{box({0.5, 0.5, 0.5}, {0, 0, 0}), box({0.5, 0.5, 0.5}, {1.03, 1.04, 1.02})};
  const dvec3 way{0.03, 0.04, 0.02};
  EXPECT_TRUE(contacts_of(pair, 0.05).empty());
  expect_contacts(pair, {{{0.5, 0.5, 0.5}, -glm::normalize(way), -glm::length(way)}}, 0.06);
}

// Off a corner of 76 m rounding hides whether an edge's axis has less than the way to the corner, and along that axis
// the two are not over each other.
TEST_F(BoxBox, CubeBesideAFarCornerIsAtItsDistance) {
  const BodyPair pair{box({40.397363203, 44.391882256, 46.094408450}, {0, 0, 0},
                          {0.812154054682, -0.187280144799, -0.226899226855, -0.503833980276}),
                      box({0.05, 0.05, 0.05}, {47.591826022584, 13.679907683745, 57.342414175203},
                          {-0.212500708186, 0.764149977753, -0.385639756111, -0.471381203516})};
  EXPECT_TRUE(holds(pair, contacts_of(pair, 0.02), 0.02, 1e-4, box_box_overlap(pair)));
}

// A corner of each is as near to the other box but for rounding: the way from the nearer one parts them by more.
TEST_F(BoxBox, OfTwoCornersAsNearTheNormalIsThatOfTheNearest) {
  const BodyPair pair{box({0.25501524749086513, 0.25501524749086513, 0.72142835050205023},
                          {33.24341360146795, 13.061792660711397, 24.844090615283896},
                          {-0.1174216716956003, 0.92158146857413514, -0.36639166567039583, -0.0515450785645317}),
                      box({0.54017061863858806, 0.54017061863858806, 0.00070491395432832344},
                          {34.362947292813097, 13.277530881042884, 24.144808877754297},
                          {0.051760491700757805, -0.36632645010283954, -0.92160873812487742, -0.11731631287173469})};
  EXPECT_TRUE(holds(pair, contacts_of(pair, 2e-3), 2e-3, 5e-5, box_box_overlap(pair)));
}

TEST_F(BoxBox, ParallelEdgesApartHaveTwoEnds) {
  const BodyPair pair{box({0.5, 0.5, 0.5}, {0, 0, 0}), box({0.5, 0.5, 0.5}, {1.03, 0.2, 1.04})};
  const dvec3 n = -glm::normalize(dvec3(0.03, 0.0, 0.04));
  expect_contacts(pair, {{{0.5, -0.3, 0.5}, n, -0.05}, {{0.5, 0.5, 0.5}, n, -0.05}}, 0.06);
}

TEST_F(BoxBox, BothOrdersAreOneResult) {
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

TEST_F(BoxBox, FuzzHasTheExactLeastPenetration) {
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
        const double exact = box_box_overlap(pairs[k]), allowed = tolerance + 0.005 * std::abs(exact);
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

// Edge above edge, and so near that a side's normal has the distance, but for what a normal may be off: along that the
// boxes do not lie over each other. The point is on the edges all the same.
TEST_F(BoxBox, EdgesThatAllButTouchMeetAtTheEdges) {
  const double across = glm::radians(45.0);
  for (const double gap : {1e-6, 5e-6, 1e-5, 1.5e-5})
    for (const double turned : {0.0, 90.0, 180.0}) {
      const BodyPair pair{
          box({1, 1, 1}, {0, 0, 0}, turn({1, 0, 0}, across)),
          box({1, 1, 1}, {0.3, 0, 2.0 * std::sqrt(2.0) + gap},
              turn({0, 0, 1}, glm::radians(turned)) * turn(turned == 90.0 ? dvec3(0, 1, 0) : dvec3(1, 0, 0), -across))};
      const std::vector<Contact> found = contacts_of(pair, 0.02);
      ASSERT_FALSE(found.empty());
      EXPECT_TRUE(holds(pair, found, 0.02, 5e-5, -gap)) << gap << " " << turned << "\n" << text(found);
      for (const Contact& c : found) EXPECT_NEAR(c.point[2], std::sqrt(2.0), 1e-4);
    }
}

// Apart, and along the normal that has the distance, but for rounding, not over each other; each was up to 0.5 m off.
TEST_F(BoxBox, NeedlesAndPlatesApartMeetWhereTheyAreNearest) {
  const auto at = [](dvec3 half, dvec3 position, dquat orientation) {
    BodySpec body = box(half, position);
    body.orientation = orientation;
    return body;
  };
  const BodyPair pairs[] = {
      {at({0.0535867661, 0.0745370016, 0.779420137}, {0, 0, 0}, {-0.164981231, 0.157230094, 0.557982028, -0.797944844}),
       at({0.05, 5.93265486, 0.05}, {1.6111732237685246, -6.0092234839833303, 2.0409079419138436},
          {0.737508833, -5.68212442e-07, -0.638878226, 0.218895748})},
      {at({0.500256538, 0.309956342, 0.426172614}, {0, 0, 0}, {0.377278477, 0.854120791, -0.110168211, 0.340590149}),
       at({1.20942521, 0.471056759, 28.6699829},
          {6366.2391289143998 - 6368.1201171875, 6947.0932232953674 - 6947.0634765625,
           22.723483355722408 - 22.083463668823242},
          {0.675380826, 0.614842832, 0.279751897, -0.295918792})}};
  for (const BodyPair& pair : pairs) {
    const std::vector<Contact> found = contacts_of(pair, 1e-3);
    ASSERT_FALSE(found.empty());
    EXPECT_TRUE(holds(pair, found, 1e-3, kContract)) << text(found);
  }
}

}  // namespace
}  // namespace oclide::test
