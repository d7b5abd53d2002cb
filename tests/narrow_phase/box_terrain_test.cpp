// Box against terrain: closed forms on the device and in the reference.
#include "narrow_phase/plane_cases.hpp"

namespace oclide::test {
namespace {

class BoxTerrain : public OnEachDevice {};
OCLIDE_ON_EACH_DEVICE(BoxTerrain);

const dvec3 kBrick{0.3, 0.2, 0.1};

TEST_P(BoxTerrain, OnAPlaneOfAnySlopeTouchesAtTheCornersBelowIt) {
  expect_plane_contacts([this](const TestScene& s) { return contacts(s); },
                        [](std::mt19937_64& random) {
                          std::uniform_real_distribution<double> half(0.05, 1.0);
                          return box({half(random), half(random), half(random)}, {}, random_orientation(random));
                        },
                        1.0);
}

TEST_P(BoxTerrain, NeedleOnAPlaneTouchesAtTheCornersBelowIt) {
  expect_plane_contacts([this](const TestScene& s) { return contacts(s); },
                        [](std::mt19937_64& random) {
                          return box({0.01, 0.02, 1.5}, {}, random_orientation(random));
                        },
                        1.5);
}

TEST_P(BoxTerrain, SlabOnAPlaneTouchesAtTheCornersBelowIt) {
  expect_plane_contacts([this](const TestScene& s) { return contacts(s); },
                        [](std::mt19937_64& random) {
                          return box({1.2, 0.9, 0.005}, {}, random_orientation(random));
                        },
                        1.5);
}

TEST_P(BoxTerrain, FlatOnFlatGroundGivesItsFourLowerCorners) {
  const std::vector<Contact> found = contacts(plane({}, 0, 0), box(kBrick, {0.13, 0.27, 0.098}));
  std::vector<ExpectedContact> expected;
  for (double x : {-0.3, 0.3})
    for (double y : {-0.2, 0.2}) expected.push_back({{0.13 + x, 0.27 + y, -0.002}, {0, 0, 1}, 0.002});
  EXPECT_TRUE(same_contacts(found, expected));
}

TEST_P(BoxTerrain, FlatOnARidgeTouchesAtBothEndsOfTheEdgeUnderIt) {
  for (double x : {-0.1, 0.05})
    EXPECT_TRUE(same_contacts(
        contacts(ridge(kOneEdge, 0.5), box(kBrick, {x, kMiddle, 0.09})),
        {{{0.0, kMiddle - 0.2, -0.01}, {0, 0, 1}, 0.01}, {{0.0, kMiddle + 0.2, -0.01}, {0, 0, 1}, 0.01}}));
}

// The edge is deep in the box, a millimetre from a side: the lowest corner is past it for a milliradian of turn alone.
// Where the way off one of the elements is shorter, or straight up through that side, the edge has no contact.
TEST_P(BoxTerrain, DeepOnARidgeNearItsSideTouchesAtBothEndsOfTheEdgeUnderIt) {
  const dvec3 half(0.5, 0.2, 0.6);
  for (double slope : {0.02, 0.3, 1.0})
    for (double angle : {-0.0123, 0.0061, 0.0123})
      for (double x : {-0.499, 0.499}) {
        const dquat q = turn({0, 1, 0}, angle);
        const dvec3 m = q * dvec3(0, 0, 1), edge_in_box(x, 0.0, 0.0);
        const BodySpec b = box(half, dvec3(0.0, kMiddle, 0.0) - q * edge_in_box, q);
        const dvec3 point = -half.z * m;
        const auto way_off = [&](double side) {
          const dvec3 n = glm::normalize(dvec3(side * slope, 0, 1)), own = glm::conjugate(q) * n;
          return glm::dot(half, glm::abs(own)) + glm::dot(edge_in_box, own);
        };
        const dvec3 down = glm::conjugate(q) * dvec3(0, 0, -1);
        const double up = std::min(half.z / -down.z, (half.x - std::copysign(1.0, down.x) * x) / std::abs(down.x));
        const auto touches =
            contain(contacts(ridge(kOneEdge, slope), b), {{point + dvec3(0.0, kMiddle - half.y, 0.0), m, half.z},
                                                          {point + dvec3(0.0, kMiddle + half.y, 0.0), m, half.z}});
        EXPECT_EQ(static_cast<bool>(touches), half.z <= 1.001 * std::min({way_off(1.0), way_off(-1.0), up}) + 1e-4)
            << slope << ' ' << angle << ' ' << x;
      }
}

// A margin is for what is apart: what lies beside the body by less does not press on it as if it were under it.
TEST_P(BoxTerrain, AMarginMakesNoDeeperContacts) {
  const Terrain ground = rough({31, 37, {-7.0, -6.0}, {0.5, 0.4}}, 0.03, 21);
  const BodySpec b = box({0.3, 0.2, 0.25}, {-1.123822, 4.286130, -0.144109},
                         glm::normalize(dquat(1.03900797, -1.2204723, -1.23659653, 0.8743504)));
  std::vector<ExpectedContact> expected;
  for (const Contact& c : contacts(ground, b))
    expected.push_back({{c.point[0], c.point[1], c.point[2]}, normal_of(c), static_cast<double>(c.depth)});
  EXPECT_GT(expected.size(), 3U);
  std::vector<Contact> with = contacts(ground, b, 0.04);
  std::erase_if(with, [](const Contact& c) { return c.depth <= 0.0F; });
  EXPECT_TRUE(same_contacts(with, expected));
}

TEST_P(BoxTerrain, TurnedOnARidgeTouchesAtBothEndsOfTheEdgeUnderIt) {
  const double angle = glm::radians(30.0), half = 0.2 / std::cos(angle);
  EXPECT_TRUE(same_contacts(
      contacts(ridge(kOneEdge, 0.5), box(kBrick, {0.0, kMiddle, 0.09}, turn({0, 0, 1}, angle))),
      {{{0.0, kMiddle - half, -0.01}, {0, 0, 1}, 0.01}, {{0.0, kMiddle + half, -0.01}, {0, 0, 1}, 0.01}}));
}

TEST_P(BoxTerrain, OnItsEdgeAcrossARidgeTouchesOnceWhereTheEdgesCross) {
  for (double degrees : {20.0, 35.0, 50.0, 70.0}) {
    const double a = glm::radians(degrees);
    const double low = -(0.2 * std::sin(a) + 0.1 * std::cos(a)), side = -0.2 * std::cos(a) + 0.1 * std::sin(a);
    const BodySpec b = box(kBrick, {0.05, kMiddle, -low - 0.01}, turn({1, 0, 0}, a));
    EXPECT_TRUE(same_contacts(contacts(ridge(kOneEdge, 0.5), b), {{{0.0, kMiddle + side, -0.01}, {0, 0, 1}, 0.01}}))
        << degrees;
  }
}

TEST_P(BoxTerrain, InAValleyTouchesBothSlopesWithTwoCornersEach) {
  const dvec3 left = glm::normalize(dvec3(1, 0, 1)), right = glm::normalize(dvec3(-1, 0, 1));
  const double depth = 0.05 / std::sqrt(2.0);
  EXPECT_TRUE(same_contacts(contacts(ridge(kOneEdge, -1.0), box(kBrick, {0.0, kMiddle, 0.35})),
                            {{{0.3, kMiddle - 0.2, 0.25}, right, depth},
                             {{0.3, kMiddle + 0.2, 0.25}, right, depth},
                             {{-0.3, kMiddle - 0.2, 0.25}, left, depth},
                             {{-0.3, kMiddle + 0.2, 0.25}, left, depth}}));
}

TEST_P(BoxTerrain, OnAPeakIsPushedUpByTheVertexInside) {
  const std::vector<Contact> found = contacts(peak(0.5), box(kBrick, {0.02, 0.03, 0.59}));
  EXPECT_TRUE(contain(found, {{{0.0, 0.0, 0.49}, {0, 0, 1}, 0.01}}));
}

TEST_P(BoxTerrain, InAPitTouchesWithEachCornerTheFaceOverIt) {
  const double bottom = -0.5 + 0.13;
  const BodySpec b = box(kBrick, {0.0, 0.0, bottom + 0.1});
  std::vector<ExpectedContact> expected;
  for (double x : {-0.3, 0.3})
    for (double y : {-0.2, 0.2})
      for (const Sector& s : kPeakSectors) {
        const dvec3 corner(x, y, bottom);
        const Plane face{0.5 * s.gx, 0.5 * s.gy, -0.5};
        const double depth = -face.distance(corner);
        if (in_sector(s, corner) && depth > 0.0) expected.push_back({corner, face.normal(), depth});
      }
  ASSERT_EQ(expected.size(), 4U);
  EXPECT_TRUE(same_contacts(contacts(peak(-0.5), b), expected));
}

TEST_P(BoxTerrain, AgainstAKerbIsPushedOutOfItsFace) {
  // Its lower corners are 2 mm behind the face, 5 cm above the asphalt.
  const Plane face{15.0, 0.0, 0.0};
  const BodySpec b = box(kBrick, {0.05 / 15.0 + 0.002 - 0.3, 0.3, 0.15});
  std::vector<ExpectedContact> expected;
  for (const ExpectedContact& c : plane_contacts(b, face))
    if (c.point.z < 0.1) expected.push_back(c);
  ASSERT_EQ(expected.size(), 2U);
  EXPECT_TRUE(contain(contacts(kerb(0.15, 0.01), b), expected));
}

TEST_P(BoxTerrain, AtTheBorderTouchesWithTheCornersThatAreOverGround) {
  const Grid grid{5, 4, {0.0, 0.0}, {1.0, 1.0}};
  const BodySpec b = box(kBrick, {0.1, 1.4, 0.09});
  EXPECT_TRUE(contain(contacts(plane(grid, 0, 0), b),
                      {{{0.4, 1.2, -0.01}, {0, 0, 1}, 0.01}, {{0.4, 1.6, -0.01}, {0, 0, 1}, 0.01}}));
}

TEST_P(BoxTerrain, BeyondTheBorderTouchesNothing) {
  const Grid grid{5, 4, {0.0, 0.0}, {1.0, 1.0}};
  for (const dvec3 c : {dvec3(-0.31, 1, 0), dvec3(3.31, 1, -2), dvec3(1, -0.21, 0), dvec3(1, 4.21, -0.05)})
    EXPECT_TRUE(same_contacts(contacts(plane(grid, 0, 0), box(kBrick, c)), {}));
}

TEST_P(BoxTerrain, OutsideAndBelowTheTopIsPushedOffTheWallByFourCorners) {
  const Grid grid{5, 4, {0.0, 0.0}, {1.0, 1.0}};
  std::vector<ExpectedContact> expected;
  for (double y : {-0.2, 0.2})
    for (double z : {-0.1, 0.1}) expected.push_back({{0.05, 1.4 + y, -2.0 + z}, {-1, 0, 0}, 0.05});
  EXPECT_TRUE(contain(contacts(plane(grid, 0, 0), box(kBrick, {-0.25, 1.4, -2.0})), expected));
}

// The slope's nearest points to the buried end lie past a row of open cells, through which the way to them would lead.
TEST_P(BoxTerrain, AcrossOpenCellsIsNotPushedTowardTheSlopeBeyondThem) {
  Terrain slope = plane({5, 21, {-1.0, -1.0}, {0.1, 0.5}}, -2.0, 0.0);
  const BodySpec b = box({0.3, 0.05, 0.05}, {0.0, 0.1, 0.0});
  const dvec3 n = glm::normalize(dvec3(2, 0, 1));
  auto pushed = [&] {
    const std::vector<Contact> found = contacts(slope, b);
    return std::count_if(found.begin(), found.end(),
                         [&](const Contact& c) { return c.depth > 0.2F && glm::dot(normal_of(c), n) > 0.999; });
  };
  EXPECT_GT(pushed(), 0);
  slope.holes.resize(80);
  for (std::size_t i = 0; i < 4; ++i) slope.holes[cell(slope, i, 8)] = 1;
  EXPECT_EQ(pushed(), 0);
}

// The element next to the wall falls away so steeply that the corners behind the wall are above its plane; they are in
// the ground all the same, under the other element of the cell.
TEST_P(BoxTerrain, OutsideBesideASteepElementIsPushedOffTheWall) {
  Terrain ground = plane({3, 3, {0.0, 0.0}, {0.1, 1.0}}, 0.0, 0.0);
  ground.heights[vertex(ground, 0, 1)] = -0.3;
  std::vector<ExpectedContact> expected;
  for (double y : {0.94, 0.96})
    for (double z : {-0.11, -0.09}) expected.push_back({{0.05, y, z}, {-1, 0, 0}, 0.05});
  EXPECT_TRUE(contain(contacts(ground, box({0.2, 0.01, 0.01}, {-0.15, 0.95, -0.1})), expected));
}

TEST_P(BoxTerrain, OverAHoleThatItCoversIsPushedUpAlone) {
  Terrain t = plane({7, 9, {-4.0, -3.0}, {1.0, 1.0}}, 0, 0);
  t.holes.assign(48, 0);
  t.holes[cell(t, 3, 4)] = 1;
  for (const double angle : {-3e-3, 3e-3}) {
    const std::vector<Contact> found =
        contacts(t, box({1.5, 1.4, 0.3}, {0.5, 0.5, 0.29}, turn({0.3, 1.0, 0.0}, angle)));
    ASSERT_FALSE(found.empty());
    for (const Contact& c : found) {
      EXPECT_GT(c.normal[2], 0.999F);
      EXPECT_LT(c.depth, 0.02F);
    }
  }
}

TEST_P(BoxTerrain, FallsThroughAHoleThatIsWiderThanItself) {
  Terrain t = plane({6, 7, {0.0, 0.0}, {1.0, 1.0}}, 0, 0);
  t.holes.assign(30, 0);
  t.holes[cell(t, 2, 3)] = 1;
  for (double z : {0.05, 0.0, -0.05, -20.0})
    EXPECT_TRUE(same_contacts(contacts(t, box(kBrick, {3.5, 2.5, z})), {})) << z;
}

TEST_P(BoxTerrain, BuriedIsPushedUpUntilItsLowestCornerIsOut) {
  for (double z : {-0.01, -0.1, -0.11, -0.5, -3.0}) {
    const std::vector<Contact> found = contacts(plane({}, 0, 0), box(kBrick, {0.3, 0.2, z}));
    EXPECT_NEAR(deepest(found), 0.1 - z, kClosedForm);
    for (const Contact& c : found) EXPECT_EQ(c.normal, (std::array<float, 3>{0.0F, 0.0F, 1.0F}));
  }
}

TEST_P(BoxTerrain, LargerThanTheWholeGridRestsOnItsHighestVertex) {
  const std::vector<Contact> found = contacts(peak(0.5), box({3.0, 2.5, 0.4}, {0.1, 0.0, 0.88}));
  EXPECT_TRUE(contain(found, {{{0.0, 0.0, 0.48}, {0, 0, 1}, 0.02}}));
}

}  // namespace
}  // namespace oclide::test
