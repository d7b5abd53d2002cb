// Two capsules; closed forms with A's centre at the origin: docs/body_contacts.md.
#include "narrow_phase/pair_geometry.hpp"

namespace oclide::test {
namespace {

class CapsuleCapsule : public PairTest {};

TEST_F(CapsuleCapsule, CrossingTouchWhereTheyCross) {
  expect_contacts({capsule(0.3, 2.0, {0, 0, 0}, kAlongX), capsule(0.2, 1.0, {1.0, 0.5, 0.4}, kAlongY)},
                  {{{1.0, 0, 0.3}, {0, 0, -1}, 0.1}});
}

TEST_F(CapsuleCapsule, EndToSideAndEndToEndTouchAlongTheLineBetween) {
  expect_contacts({capsule(0.3, 2.0, {0, 0, 0}, kAlongX), capsule(0.2, 1.0, {1.0, 0, 1.4})},
                  {{{1.0, 0, 0.3}, {0, 0, -1}, 0.1}});
  expect_contacts({capsule(0.3, 2.0, {0, 0, 0}, kAlongX), capsule(0.2, 1.0, {2.32, 0.24, 1.0})},
                  {{{2.24, 0.18, 0}, {-0.8, -0.6, 0}, 0.1}});
  expect_contacts({capsule(0.3, 2.0, {0, 0, 0}), capsule(0.2, 1.0, {0, 0, 3.4})}, {{{0, 0, 2.3}, {0, 0, -1}, 0.1}});
}

TEST_F(CapsuleCapsule, ParallelTouchAtTheEndsOfTheStretchTheyShare) {
  // Stacked, one longer and shifted.
  expect_contacts({capsule(0.3, 2.0, {0, 0, 0}, kAlongX), capsule(0.2, 1.5, {1.0, 0, 0.4}, kAlongX)},
                  {{{-0.5, 0, 0.3}, {0, 0, -1}, 0.1}, {{2.0, 0, 0.3}, {0, 0, -1}, 0.1}});
  // Head to tail.
  const dquat turned = kAlongX * turn({1, 0, 0}, glm::radians(180.0));
  expect_contacts({capsule(0.3, 2.0, {0, 0, 0}, kAlongX), capsule(0.2, 2.0, {0, 0, 0.4}, turned)},
                  {{{-2, 0, 0.3}, {0, 0, -1}, 0.1}, {{2, 0, 0.3}, {0, 0, -1}, 0.1}});
}

// Slightly askew: two contacts still, at the same places; the depth where they cross is not lost.
TEST_F(CapsuleCapsule, NearlyParallelKeepTwoContactsOverTinyTurns) {
  for (const double angle : {1e-7, 1e-5, 1e-3, 5e-3, 0.015})
    for (const dvec3 about : {dvec3(0, 0, 1), dvec3(0, 0, -1)}) {
      const BodyPair pair{capsule(0.3, 2.0, {0, 0, 0}, kAlongX),
                          capsule(0.2, 1.5, {0.5, 0, 0.4}, turn(about, angle) * kAlongX)};
      const std::vector<Contact> found = contacts_of(pair);
      EXPECT_TRUE(holds(pair, found, 0.0, kClosedForm)) << angle;
      int left = 0, right = 0;
      for (const Contact& c : found) {
        left += std::abs(c.point[0] + 1.0) < 0.01 ? 1 : 0;
        right += std::abs(c.point[0] - 2.0) < 0.01 ? 1 : 0;
      }
      EXPECT_EQ(left, 1) << angle << text(found);
      EXPECT_EQ(right, 1) << angle << text(found);
    }
}

// Rounding hides that an end is as deep as the pair: the pair's contact takes its place.
TEST_F(CapsuleCapsule, HugeAndNearlyParallelHaveEachEndOnce) {
  const BodyPair pair{
      capsule(43.77227465923997, 33.47582484606404, {8256.881000296533, -8617.365447475984, 272.12732992029424},
              {-0.0003914162340054007, 2.4163438855726284e-05, 0.7073260206796329, 0.7068873649167704}),
      capsule(49.27143545895552, 48.809559419486334, {8163.819897608827, -8617.365447475984, 272.12732992029424},
              kAlongY)};
  EXPECT_TRUE(holds(pair, contacts_of(pair, 0.02), 0.02, 1e-4));
}

// Nearly parallel and apart, an end of each is as near to the other but for rounding: the normal is that of the
// nearest, across the other's axis.
TEST_F(CapsuleCapsule, OfTwoEndsAsNearTheNormalIsThatOfTheNearest) {
  const BodyPair pair{
      capsule(0.25888249720879419, 0.0009101489094865946, {63.770787673008158, 40.819631399460391, 56.98928825526778},
              {0.7358208493887286, 0.49156617416780074, 0.44482283201117345, 0.1380689035968671}),
      capsule(0.46952608546426705, 0.74508105379361489, {64.773138792162044, 40.838955341605569, 56.701036491210282},
              {-0.44465315184622189, -0.13819267836095031, 0.73594150513269929, 0.49150428199931806})};
  EXPECT_TRUE(holds(pair, contacts_of(pair, 2e-3), 2e-3, kContract));
}

// The same of huge ones, where rounding makes more of the distance than of the overlap: 1 mm, were it the other's axis.
TEST_F(CapsuleCapsule, OfTwoEndsAsNearTheNormalIsThatOfTheNearestOfHugeOnes) {
  const BodyPair pair{
      capsule(41.895378112792969, 7.0691332817077637, {5449.5919634360653, 47.048710438451053, 321.64186556605966},
              {0.26758661277682633, -0.42030154585674173, 0.37150246316383251, -0.78340917474603489}),
      capsule(41.895378112792969, 7.0691332817077637, {5419.9003588303985, -21.115931950283397, 362.78379124569426},
              {0.26755790921069944, -0.42035047402886139, 0.37148982616468962, -0.78339871920921555})};
  EXPECT_TRUE(holds(pair, contacts_of(pair), 0.0, 5e-5));
}

// Of two axes in one place the ends are as near to the other one as rounding has it, in any direction.
TEST_F(CapsuleCapsule, LongOnesInOnePlacePartAcrossTheirAxes) {
  std::mt19937_64 random(3);
  std::vector<BodyPair> pairs;
  for (const double half_length : {0.05, 1.0, 8.576453208923340, 30.0, 48.0})
    for (int k = 0; k < 120; ++k) {
      const dquat q = random_orientation(random);
      const dvec3 at = k % 3 == 0 ? dvec3(0.0) : dvec3(-54.36308385530311, -52.260548141256649, -4.53);
      const dquat turned =
          k % 4 == 0 ? q : q * turn({0, 0, 1}, 0.05 * k) * turn({1, 0, 0}, k % 4 == 1 ? 0.0 : 2.0 * kQuarter);
      const dvec3 off = k % 5 == 0 ? 1e-6 * (random_orientation(random) * dvec3(0, 0, 3)) : dvec3(0.0);
      pairs.push_back({capsule(0.25, half_length, at, q), capsule(0.25, half_length, at + off, turned)});
    }
  const std::vector<std::vector<Contact>> found = contacts_of(pairs);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    EXPECT_EQ(found[k].size(), 2U) << k;
    EXPECT_TRUE(holds(pairs[k], found[k], 0.0, 2.5e-5, 0.5)) << k;
  }
}

// Thick ones head beside head, of which n leans against one axis: the ends of what the lines of their sides share.
TEST_F(CapsuleCapsule, EndsOfAShortStretchOfThickOnesAreThoseOfTheirSides) {
  const double radius = 3.0, lean = 8e-4;
  const dvec3 along(std::cos(lean), 0, -std::sin(lean)), n(-std::sin(lean), 0, -std::cos(lean)), c(0.995, 0, 5.99);
  const BodyPair pair{capsule(radius, 0.5, {}, kAlongX), capsule(radius, 0.5, c, turn({0, 1, 0}, lean) * kAlongX)};
  // The line of A's side at z = 3 ends at x = 0.5. That of B's begins at its end, seen along n from there.
  const dvec3 begin = (c - 0.5 * along) + radius * n;
  const double first = begin.x + n.x * (radius - begin.z) / n.z;
  std::vector<ExpectedContact> expected;
  for (const double x : {first, 0.5}) {
    const dvec3 p(x, 0, radius);
    expected.push_back({p, n, glm::dot(begin - p, n)});
  }
  EXPECT_GT(0.5 - first, 3e-3);
  EXPECT_LT(0.5 - first, 1e-2);
  expect_contacts(pair, expected, 0.0, 2e-5);
}

// Head beside head, with less than a millimetre in common, and one that is shorter than that beside a long one.
TEST_F(CapsuleCapsule, EndsOfAShortStretchHaveFeaturesOfTheirOwn) {
  for (const double shared : {2e-5, 1e-4, 5e-4, 9e-4, 1.1e-3, 3e-3})
    for (const double turn_of_b : {0.0, 180.0})
      for (const double height : {0.499, 0.501}) {
        const dquat q = turn({1, 0, 0}, glm::radians(turn_of_b));
        const BodyPair heads{capsule(0.3, 2.0, {}), capsule(0.2, 1.0, {height, 0, 3.0 - shared}, q)};
        const BodyPair within{capsule(0.3, 2.0, {}), capsule(0.2, 0.5 * shared, {height, 0, 1.9995}, q)};
        for (const BodyPair& pair : {heads, within}) {
          const std::vector<Contact> found = contacts_of(pair, 2e-3);
          EXPECT_TRUE(holds(pair, found, 2e-3, kClosedForm)) << shared;
          EXPECT_EQ(found.size(), 2u) << shared << "\n" << text(found);
        }
      }
}

TEST_F(CapsuleCapsule, CrossingAxesThatMeetLeaveAlongTheirCommonNormal) {
  for (const double angle : {1.5, 0.3, 1e-2, 1e-4}) {
    const BodyPair pair{capsule(0.3, 2.0, {0, 0, 0}, kAlongX),
                        capsule(0.3, 2.0, {0, 0, 0}, turn({0, 0, 1}, angle) * kAlongX)};
    for (const double up : {0.0, 1e-8, 1e-6, 1e-4}) {
      BodyPair lifted = pair;
      lifted.second.position.z = up;
      const std::vector<Contact> found = contacts_of(lifted);
      ASSERT_FALSE(found.empty());
      EXPECT_TRUE(holds(lifted, found, 0.0, kClosedForm));
      EXPECT_NEAR(std::abs(found[0].normal[2]), 1.0, 1e-3);
      EXPECT_TRUE(up < 1e-7 || found[0].normal[2] < 0.0F);
    }
  }
}

TEST_F(CapsuleCapsule, CoincidentAndCoaxialOnesLeaveAcrossTheAxis) {
  for (const double along : {0.0, 0.7, 3.9})
    for (const dquat& q : {kUpright, kAlongX, turn({1, 2, 3}, 1.0)}) {
      const BodyPair pair{capsule(0.3, 2.0, {1, 2, 3}, q),
                          capsule(0.3, 2.0, dvec3(1, 2, 3) + q * dvec3(0, 0, along), q)};
      const std::vector<Contact> found = contacts_of(pair);
      ASSERT_GE(found.size(), along < 3.9 ? 2U : 1U) << text(found);
      EXPECT_TRUE(holds(pair, found, 0.0, kClosedForm)) << along;
      EXPECT_NEAR(static_cast<double>(found[0].depth), 0.6, kClosedForm);
    }
}

// Axes that all but touch, on 50 m of length: the normal is across both, not the line between two rounded points.
TEST_F(CapsuleCapsule, LongAxesThatAllButMeetHaveANormalAcrossBoth) {
  std::mt19937_64 random(3);
  for (int k = 0; k < 200; ++k) {
    const dquat q = random_orientation(random), r = random_orientation(random);
    const dvec3 u = q * dvec3(0, 0, 1), v = r * dvec3(0, 0, 1), w = glm::normalize(glm::cross(u, v));
    const BodyPair pair{capsule(0.2, 50.0, {0, 0, 0}, q),
                        capsule(0.2, 50.0, u * 37.0 - v * 21.0 + w * (1e-5 * (k % 10)), r)};
    const std::vector<Contact> found = contacts_of(pair);
    ASSERT_FALSE(found.empty());
    EXPECT_TRUE(holds(pair, found, 0.0, kContract));
  }
}

TEST_F(CapsuleCapsule, ExactTouchingIsNoContactAndTheMarginReachesAcrossAGap) {
  const auto above = [](double height) {
    return BodyPair{capsule(0.25, 2.0, {0, 0, 0}), capsule(0.25, 2.0, {height, 0, 0})};
  };
  EXPECT_TRUE(contacts_of(above(0.5)).empty());
  EXPECT_TRUE(contacts_of(above(0.53), 0.02).empty());
  expect_deepest(above(0.53), {-1, 0, 0}, -0.03, 2, 0.04);
}

// The numbers do not depend on which of the two comes first, but for the sign of the normal.
TEST_F(CapsuleCapsule, ExchangedBodiesHaveTheSameContactsTurnedRound) {
  std::vector<BodyPair> pairs = random_pairs(Shape::capsule, Shape::capsule, {"", {0.3, 1.0}, {0.3, 1.0}}, 300, 77),
                        back;
  for (const BodyPair& p : pairs) back.push_back({p.second, p.first});
  const auto found = contacts_of(pairs), turned = contacts_of(back);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    ASSERT_EQ(found[k].size(), turned[k].size());
    for (std::size_t i = 0; i < found[k].size(); ++i) {
      EXPECT_EQ(found[k][i].depth, turned[k][i].depth);
      for (std::size_t a = 0; a < 3; ++a) EXPECT_EQ(found[k][i].normal[a], -turned[k][i].normal[a]);
      EXPECT_LT(glm::distance(point_of(found[k][i]) + normal_of(found[k][i]) * static_cast<double>(found[k][i].depth),
                              point_of(turned[k][i])),
                kClosedForm);
    }
  }
}

TEST_F(CapsuleCapsule, HoldsForAllSizes) {
  fuzz(Shape::capsule, Shape::capsule,
       {{"equal", {0.5, 1.0}, {0.5, 1.0}},
        {"ball_like", {0.5, 0.001}, {0.3, 2.0}},
        {"needles", {0.05, 3.0}, {0.05, 2.0}},
        {"tiny_on_huge", {0.05, 0.06}, {50.0, 40.0}},
        {"huge", {50.0, 30.0}, {40.0, 40.0}},
        {"huge_needles", {0.05, 50.0}, {0.05, 40.0}}});
}

}  // namespace
}  // namespace oclide::test
