#include "reference/contact_reduction/contact_reduction.hpp"

#include <random>

#include "reference/one_body.hpp"

namespace oclide::test {
namespace {

GroundContact contact(dvec3 point, double depth, std::uint32_t feature, dvec3 normal = kUp) {
  GroundContact c;
  c.point = point, c.normal = glm::normalize(normal), c.depth = depth, c.feature = feature;
  return c;
}

TEST(ContactReduction, KeepsTheCornersOfASquareFullOfPoints) {
  std::vector<GroundContact> contacts;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j) contacts.push_back(contact({i, j, 0.0}, 0.01, static_cast<std::uint32_t>(5 * i + j)));
  const auto manifolds = reference::reduce_contacts(contacts);
  ASSERT_EQ(manifolds.size(), 1u);
  ASSERT_EQ(manifolds[0].size(), 4u);
  for (const GroundContact& c : manifolds[0]) {
    EXPECT_TRUE(c.point.x == 0.0 || c.point.x == 4.0);
    EXPECT_TRUE(c.point.y == 0.0 || c.point.y == 4.0);
  }
}

TEST(ContactReduction, TheDeepestAlwaysSurvives) {
  std::vector<GroundContact> contacts;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j)
      contacts.push_back(contact({i, j, 0.0}, i == 2 && j == 2 ? 0.02 : 0.01, static_cast<std::uint32_t>(5 * i + j)));
  EXPECT_EQ(reference::reduce_contacts(contacts)[0][0].depth, 0.02);
}

TEST(ContactReduction, SplitsByNormalAndOrdersByDepth) {
  const auto manifolds =
      reference::reduce_contacts({contact({0, 0, 0}, 0.01, 1), contact({1, 0, 0}, 0.03, 2, {1, 0, 1}),
                                  contact({2, 0, 0}, 0.02, 3), contact({3, 0, 0}, 0.02, 4, {1, 0, 1.001})});
  ASSERT_EQ(manifolds.size(), 2u);
  EXPECT_EQ(manifolds[0].size(), 2u);
  EXPECT_EQ(manifolds[0][0].depth, 0.03);
  EXPECT_EQ(manifolds[1][0].depth, 0.02);
}

TEST(ContactReduction, PointsOnALineLeaveItsEnds) {
  std::vector<GroundContact> contacts;
  for (int i = 0; i < 9; ++i)
    contacts.push_back(contact({i, 0.0, 0.0}, i == 0 ? 0.02 : 0.01, static_cast<std::uint32_t>(i)));
  const auto manifolds = reference::reduce_contacts(contacts);
  ASSERT_EQ(manifolds[0].size(), 2u);
  EXPECT_EQ(manifolds[0][0].point.x, 0.0);
  EXPECT_EQ(manifolds[0][1].point.x, 8.0);
}

TEST(ContactReduction, EqualPointsAreOne) {
  const auto manifolds = reference::reduce_contacts({contact({0, 0, 0}, 0.01, 1), contact({5e-6, 0, 0}, 0.01, 2)});
  EXPECT_EQ(manifolds[0].size(), 1u);
}

TEST(ContactReduction, DoesNotDependOnTheOrderOfDiscovery) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  std::vector<GroundContact> contacts;
  for (std::uint32_t i = 0; i < 60; ++i)
    contacts.push_back(contact({unit(random), unit(random), 0.0}, 0.01 * static_cast<double>(i % 7), i,
                               i % 3 == 0 ? dvec3(1.0, 0.0, 1.0) : kUp));
  const auto expected = reference::reduce_contacts(contacts);
  for (int k = 0; k < 20; ++k) {
    std::shuffle(contacts.begin(), contacts.end(), random);
    const auto again = reference::reduce_contacts(contacts);
    ASSERT_EQ(again.size(), expected.size());
    for (std::size_t m = 0; m < again.size(); ++m) {
      ASSERT_EQ(again[m].size(), expected[m].size());
      for (std::size_t i = 0; i < again[m].size(); ++i) EXPECT_EQ(again[m][i].feature, expected[m][i].feature);
    }
  }
}

TEST(ContactReduction, OnALineBothEndsAndTheDeepestStay) {
  std::vector<GroundContact> contacts;
  for (int i = 0; i < 7; ++i)
    contacts.push_back(contact({i, 2 * i, 0.0}, i == 3 ? 0.02 : 0.01, static_cast<std::uint32_t>(i)));
  const auto manifolds = reference::reduce_contacts(contacts);
  ASSERT_EQ(manifolds.size(), 1u);
  ASSERT_EQ(manifolds[0].size(), 3u);
  EXPECT_EQ(manifolds[0][0].depth, 0.02);
  EXPECT_EQ(extent(manifolds[0], {1.0, 0.0, 0.0}).least, 0.0);
  EXPECT_EQ(extent(manifolds[0], {1.0, 0.0, 0.0}).greatest, 6.0);
}

}  // namespace
}  // namespace oclide::test
