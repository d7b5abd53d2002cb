// Box against capsule: closed forms, and thousands of poses against the exact least penetration in double.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "narrow_phase/pair_geometry.hpp"

namespace oclide::test {
namespace {

// Apart from the capsule's segment: the radius less the distance, which is convex along the segment. Else the least
// overlap over the directions of the sides of box and segment.
double box_capsule_overlap(const BodyPair& pair) {
  const auto distance = [&](double t) {
    return distance_to(pair.first, pair.second.position + axis_of(pair.second, 2) * (t * pair.second.size[1]));
  };
  // An inside point may not hide between: distance_to is the negative distance to the nearest face there, convex too.
  double low = -1.0, high = 1.0;
  for (int k = 0; k < 200; ++k) {
    const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
    if (distance(a) < distance(b))
      high = b;
    else
      low = a;
  }
  const double nearest = distance(0.5 * (low + high));
  if (nearest > 1e-9) return pair.second.size[0] - nearest;
  double least = 1e300;
  for (int k = 0; k < 3; ++k) {
    const dvec3 cross = glm::cross(axis_of(pair.first, k), axis_of(pair.second, 2));
    for (const dvec3 n : {axis_of(pair.first, k), glm::length(cross) > 1e-10 ? glm::normalize(cross) : dvec3(0.0)})
      if (n != dvec3(0.0)) least = std::min({least, overlap_along(pair, n), overlap_along(pair, -n)});
  }
  return least;
}

// Three points of two lines (docs/body_contacts.md, "Manifold"): the capsule crosses an edge that it is nearly parallel
// to, between the ends of what they share, and is less deep at both.
testing::AssertionResult is_crossing_with_ends(const BodyPair& pair, const std::vector<Contact>& found) {
  const dvec3 v = axis_of(pair.second, 2), n = glm::normalize(normal_of(found[0]));
  bool parallel = false;
  for (int k = 0; k < 3; ++k) {
    const dvec3 e = axis_of(pair.first, k);
    parallel = parallel || (glm::length(glm::cross(e, v)) < 0.02 + 1e-6 && std::abs(glm::dot(e, n)) < 1e-3 + 1e-6);
  }
  if (!parallel || std::abs(glm::dot(v, n)) > 1e-3 + 1e-6) return testing::AssertionFailure() << "no parallel lines";
  const double deepest = found[0].depth, less = 1e-5 + 0.0025 * std::abs(deepest) - 1e-6;
  for (std::size_t k = 1; k < 3; ++k)
    if (found[k].depth > deepest - less) return testing::AssertionFailure() << "an end is as deep";
  if (glm::dot(point_of(found[1]) - point_of(found[0]), point_of(found[2]) - point_of(found[0])) > 0.0)
    return testing::AssertionFailure() << "the crossing is not between the ends";
  return testing::AssertionSuccess();
}

class BoxCapsule : public OnOpenCl {};

TEST_F(BoxCapsule, LyingOnAFaceHasTwoContacts) {
  expect_contacts({box({1, 1, 0.5}, {0, 0, 0}), capsule(0.2, 0.4, {0.1, 0.2, 0.69}, kAlongX)},
                  {{{-0.3, 0.2, 0.5}, {0, 0, -1}, 0.01}, {{0.5, 0.2, 0.5}, {0, 0, -1}, 0.01}});
}

TEST_F(BoxCapsule, LyingOverTheBorderEndsThere) {
  expect_contacts({box({1, 1, 0.5}, {0, 0, 0}), capsule(0.2, 0.4, {0.9, 0.2, 0.69}, kAlongX)},
                  {{{0.5, 0.2, 0.5}, {0, 0, -1}, 0.01}, {{1.0, 0.2, 0.5}, {0, 0, -1}, 0.01}});
}

TEST_F(BoxCapsule, StandingOnAFaceHasOne) {
  expect_contacts({box({1, 1, 0.5}, {0, 0, 0}), capsule(0.2, 0.4, {0.1, 0.2, 1.09})},
                  {{{0.1, 0.2, 0.5}, {0, 0, -1}, 0.01}});
}

TEST_F(BoxCapsule, LeaningOnAFaceTouchesWithItsEnd) {
  const dvec3 along{std::sin(0.5), 0.0, std::cos(0.5)};
  expect_contacts(
      {box({1, 1, 0.5}, {0, 0, 0}), capsule(0.2, 0.4, dvec3(0, 0, 0.69) + along * 0.4, turn({0, 1, 0}, 0.5))},
      {{{0, 0, 0.5}, {0, 0, -1}, 0.01}});
}

TEST_F(BoxCapsule, AcrossAnEdgeHasOne) {
  // The edge along y at (1, 0.5); the capsule along (1, 0, -1), off by its radius.
  const dvec3 n = glm::normalize(dvec3(1, 0, 1));
  expect_contacts(
      {box({1, 1, 0.5}, {0, 0, 0}), capsule(0.2, 0.4, dvec3(1, 0.3, 0.5) + n * 0.19, turn({0, 1, 0}, 1.5 * kQuarter))},
      {{{1, 0.3, 0.5}, -n, 0.01}});
}

TEST_F(BoxCapsule, AlongAnEdgeHasTwo) {
  const dvec3 n = glm::normalize(dvec3(1, 0, 1));
  expect_contacts(
      {box({1, 1, 0.5}, {0, 0, 0}), capsule(0.2, 0.4, dvec3(1, 0.8, 0.5) + n * 0.19, turn({1, 0, 0}, kQuarter))},
      {{{1, 0.4, 0.5}, -n, 0.01}, {{1, 1.0, 0.5}, -n, 0.01}});
}

// Turned about the normal by a little, it crosses the edge. The two ends stand for that unless both are less deep; of
// lines that are more than nearly parallel the crossing alone is left. Where it is along them is rounding over the sine
// of their angle, and no depth depends on it.
TEST_F(BoxCapsule, AskewOverAnEdgeHasTheCrossingToo) {
  const dvec3 n = glm::normalize(dvec3(1, 0, 1)), crossing(1, 0.3, 0.5);
  const std::vector<double> ends{-0.1, 0.7}, both{-0.1, 0.3, 0.7}, alone{0.3};
  const std::vector<std::pair<double, std::vector<double>>> cases{
      {0.002, ends}, {-0.002, ends}, {0.012, both}, {-0.012, both}, {0.0195, both}, {0.0205, alone}, {-0.03, alone}};
  for (const auto& [angle, expected] : cases)
    for (const double depth : {0.01, 1e-4, -0.01}) {
      SCOPED_TRACE("turned by " + std::to_string(angle) + ", depth " + std::to_string(depth));
      const BodyPair pair{box({1, 1, 0.5}, {0, 0, 0}),
                          capsule(0.2, 0.4, crossing + n * (0.2 - depth), turn(n, angle) * turn({1, 0, 0}, kQuarter))};
      const std::vector<Contact> found = contacts_of(pair, 0.02);
      EXPECT_TRUE(holds(pair, found, 0.02, kClosedForm));
      std::vector<double> places;
      for (const Contact& c : found) places.push_back(point_of(c).y);
      std::sort(places.begin(), places.end());
      ASSERT_EQ(places.size(), expected.size()) << text(found);
      for (std::size_t k = 0; k < places.size(); ++k) EXPECT_NEAR(places[k], expected[k], 1e-3) << text(found);
      // The crossing is the deepest, and comes first.
      EXPECT_NEAR(static_cast<double>(found[0].depth), depth, kClosedForm) << text(found);
      if (expected == both) {
        EXPECT_TRUE(is_crossing_with_ends(pair, found)) << text(found);
      }
    }
}

// They cross at the end of the edge or of the capsule, where the chord along a normal that leans a little is less deep
// than the pair: that end and the crossing are one contact.
TEST_F(BoxCapsule, CrossingAtAnEndIsOneContactWithIt) {
  const auto thin = [](dquat of_box, dvec3 at, dquat of_capsule) {
    return BodyPair{box({0.5, 0.4, 0.3}, {10, 20, 30}, of_box), capsule(0.01, 1.5, at, of_capsule)};
  };
  const std::vector<BodyPair> pairs{
      thin({-0.75769375328146238, 0.30152672042415052, -0.35835391720023618, -0.45449343574550455},
           {9.4086362266693992, 19.24610116129487, 28.701682622164782},
           {-0.86356321739670339, 0.4012680123648083, -0.24136665072441457, -0.18704195179244823}),
      thin({-0.71416411090963616, 0.37135666479984181, 0.52905317684051667, 0.26863839314651938},
           {11.334526683736504, 18.96083351462919, 30.12990247074741},
           {-0.66790783754898242, 0.29195329215575195, 0.57689612302841331, 0.36858276801131445}),
      thin({0.21019518190587938, 0.57023193956994644, -0.74782274036309193, 0.26723523269525418},
           {9.4853200793856693, 20.199425376602736, 30.841953001207735},
           {0.25243160714791391, 0.68810767340698109, -0.6407245638941772, 0.2286004084287015})};
  for (const BodyPair& pair : pairs) {
    const std::vector<Contact> found = contacts_of(pair);
    ASSERT_EQ(found.size(), 2u) << text(found);
    EXPECT_TRUE(holds(pair, found, 0.0, kContract));
    EXPECT_GT(glm::length(glm::cross(point_of(found[1]) - point_of(found[0]), normal_of(found[0]))), 0.1);
  }
}

BodyPair long_and_thin(dvec3 at, dquat of_box, dvec3 to, dquat of_capsule) {
  return {box({0.05, 0.05, 42}, at, of_box), capsule(0.05, 42, to, of_capsule)};
}

// Nearly parallel: next to its end the capsule is nearest to a corner. Its place there has the rounding of its length,
// and the normal none of that.
TEST_F(BoxCapsule, OffACornerTheNormalIsAcrossALongCapsule) {
  const std::vector<BodyPair> pairs{
      long_and_thin({95.90314574427596, 78.24172535119628, 78.411538658345648},
                    {-0.18587876956340871, 0.57213695013538712, 0.085837563464401023, 0.79419160535343469},
                    {95.837545127165072, 78.339604858168897, 78.48193401248993},
                    {-0.37452548800522062, 0.57569635147566212, -0.056335864234997798, 0.72465898195838174}),
      long_and_thin({92.888383041457388, 85.590873738073483, 13.502809353211406},
                    {0.25041953191458416, -0.76729923609512973, -0.14064192339769155, 0.57337752807945719},
                    {92.856369846199541, 85.603488843474253, 13.655281631651025},
                    {-0.48380438271263637, 0.61918375754561905, 0.47495223220539146, -0.39618830217820539})};
  for (const BodyPair& pair : pairs) {
    const std::vector<Contact> found = contacts_of(pair, 0.0025);
    ASSERT_EQ(found.size(), 1u) << text(found);
    EXPECT_TRUE(holds(pair, found, 0.0025, kContract, box_capsule_overlap(pair)));
  }
}

// So long that at one end the edge passes the capsule by: there the contact stands half way between the two.
TEST_F(BoxCapsule, BesideALongEdgeBothEndsHaveAContact) {
  const std::vector<BodyPair> pairs{
      long_and_thin({80.084436483642492, 2.6430003986042632, 17.293576689561025},
                    {-0.456515319252355, -0.70170507314048713, 0.53842310920752046, 0.096458846603775072},
                    {80.109640892446876, 2.5715321104186151, 17.333539763215512},
                    {-0.24756459736952713, 0.26520090202958746, 0.84357666740473503, -0.39592759174156861}),
      long_and_thin({81.810435463621673, 12.508609318895772, 27.133666366155406},
                    {-0.77981870464707392, 0.1561364104121277, -0.605987013417017, 0.016850780281623137},
                    {81.835197631503348, 12.401460451370326, 27.135376188954393},
                    {-0.42547472407256748, -0.43270082117807829, -0.45243997909196954, -0.65348245871365773}),
      long_and_thin({56.303604474209692, 34.735711886895693, 62.182498346988304},
                    {0.10117720769348486, 0.38458945926314597, 0.91745435922039953, 0.011472541763563302},
                    {56.383941513802661, 34.696656400728493, 62.200716991293319},
                    {-0.10135674180595287, -0.19402031573077114, -0.97570377455894142, 0.0092234638638519946})};
  for (const BodyPair& pair : pairs) {
    const std::vector<Contact> found = contacts_of(pair, 0.02);
    ASSERT_EQ(found.size(), 2u) << text(found);
    EXPECT_TRUE(holds(pair, found, 0.02, kContract, box_capsule_overlap(pair)));
    EXPECT_GT(glm::distance(point_of(found[0]), point_of(found[1])), 83.9);
  }
}

TEST_F(BoxCapsule, EndOffACorner) {
  const dvec3 n = glm::normalize(dvec3(1, 1, 1));
  const dquat outward = turn(glm::cross(dvec3(0, 0, 1), n), std::acos(n.z));
  expect_contacts({box({1, 1, 0.5}, {0, 0, 0}), capsule(0.2, 0.4, dvec3(1, 1, 0.5) + n * 0.59, outward)},
                  {{{1, 1, 0.5}, -n, 0.01}});
}

TEST_F(BoxCapsule, ThroughABoxLeavesByTheNearestSide) {
  expect_deepest({box({1.0, 0.3, 0.4}, {0, 0, 0}), capsule(0.05, 3.0, {0, 0.1, 0.05}, kAlongX)}, {0, -1, 0}, 0.25, 2);
}

TEST_F(BoxCapsule, OneCentreHasAFiniteAnswer) {
  const std::vector<Contact> found = contacts_of({box({0.5, 0.4, 0.3}, {1, 2, 3}), capsule(0.1, 0.2, {1, 2, 3})});
  ASSERT_FALSE(found.empty());
  EXPECT_NEAR(static_cast<double>(found.front().depth), 0.5, kClosedForm);
}

TEST_F(BoxCapsule, ApartIsTheDistance) {
  const BodyPair pair{box({1, 1, 0.5}, {0, 0, 0}), capsule(0.2, 0.4, {0.1, 0.2, 0.73}, kAlongX)};
  EXPECT_TRUE(contacts_of(pair).empty());
  expect_contacts(pair, {{{-0.3, 0.2, 0.5}, {0, 0, -1}, -0.03}, {{0.5, 0.2, 0.5}, {0, 0, -1}, -0.03}}, 0.05);
}

TEST_F(BoxCapsule, FuzzHasTheExactLeastPenetration) {
  const std::vector<SizeCase> sizes{{"any", {0.5, 0.3, 0.7}, {0.2, 0.5, 0.0}},
                                    {"thin capsule", {0.5, 0.4, 0.3}, {0.01, 1.5, 0.0}},
                                    {"slab", {2.0, 2.0, 0.02}, {0.3, 0.3, 0.0}},
                                    {"needle", {0.01, 0.01, 2.0}, {0.2, 0.3, 0.0}},
                                    {"short capsule", {0.5, 0.5, 0.5}, {0.4, 1e-3, 0}},
                                    {"tiny on huge", {20.0, 15.0, 10.0}, {0.05, 0.1, 0.0}},
                                    {"huge on tiny", {0.05, 0.05, 0.05}, {10.0, 20.0, 0.0}}};
  std::uint64_t seed = 300;
  for (const SizeCase& size : sizes) {
    const std::vector<BodyPair> pairs = random_pairs(Shape::box, Shape::capsule, size, 2000, seed++);
    const double largest = std::max({size.first[0], size.first[1], size.first[2], size.second[0], size.second[1]});
    const double tolerance = largest > 5.0 ? kContract : 5e-5;
    for (const double margin : {0.0, 0.05 * size.first[0]}) {
      const auto found = contacts_of(pairs, margin);
      std::size_t touching = 0;
      for (std::size_t k = 0; k < pairs.size() && !testing::Test::HasFailure(); ++k) {
        SCOPED_TRACE(size.name + ", pair " + std::to_string(k) + ", margin " + std::to_string(margin));
        const double exact = box_capsule_overlap(pairs[k]), allowed = tolerance + 0.005 * std::abs(exact);
        if (found[k].empty()) {
          EXPECT_LT(exact, -margin + tolerance);
          continue;
        }
        ++touching;
        EXPECT_GT(exact, -margin - tolerance);
        ASSERT_LE(found[k].size(), 3u) << text(found[k]);
        if (found[k].size() == 3u) {
          EXPECT_TRUE(is_crossing_with_ends(pairs[k], found[k])) << text(found[k]);
        }
        const dvec3 n = normal_of(found[k].front());
        EXPECT_NEAR(glm::length(n), 1.0, 1e-6);
        EXPECT_LT(overlap_along(pairs[k], glm::normalize(n)), exact + allowed) << text(found[k]);
        EXPECT_NEAR(static_cast<double>(found[k].front().depth), exact, allowed) << text(found[k]);
        for (const Contact& c : found[k]) {
          const double depth = c.depth;
          EXPECT_GT(depth, -margin);
          EXPECT_LE(depth, static_cast<double>(found[k].front().depth)) << text(found[k]);
          EXPECT_EQ(normal_of(c), n);
          EXPECT_LT(std::abs(distance_to(pairs[k].first, point_of(c))), tolerance) << text(c);
          EXPECT_LT(std::abs(distance_to(pairs[k].second, point_of(c) + n * depth)), tolerance) << text(c);
          EXPECT_GT(distance_to(pairs[k].first, point_of(c) - n * 0.01), -tolerance) << text(c);
          EXPECT_GT(distance_to(pairs[k].second, point_of(c) + n * (depth + 0.01)), -tolerance) << text(c);
        }
        for (std::size_t i = 1; i < found[k].size(); ++i)
          for (std::size_t j = 0; j < i; ++j) EXPECT_NE(found[k][i].feature, found[k][j].feature) << text(found[k]);
      }
      EXPECT_GT(touching, pairs.size() / 10) << size.name;
      if (testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace oclide::test
