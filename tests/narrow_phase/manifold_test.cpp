// The points of a manifold: faces, bases, lines and points of boxes, cylinders and capsules against each other, by
// closed forms and against patches that are cut out in double.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "narrow_phase/pair_geometry.hpp"

namespace oclide::test {
namespace {

/// A flat side: a box's face, or a cylinder's base as a polygon of 72 corners.
struct Side {
  dvec3 normal;
  std::vector<dvec3> outline;
};

Side side_along(const BodySpec& body, dvec3 d) {
  int k = 2;
  if (body.shape == Shape::box)
    for (int i = 0; i < 2; ++i)
      if (std::abs(glm::dot(axis_of(body, i), d)) > std::abs(glm::dot(axis_of(body, k), d))) k = i;
  const dvec3 normal = axis_of(body, k) * (glm::dot(axis_of(body, k), d) < 0.0 ? -1.0 : 1.0);
  const dvec3 u = axis_of(body, (k + 1) % 3), v = glm::cross(normal, u);
  Side side{normal, {}};
  if (body.shape == Shape::cylinder) {
    for (int i = 0; i < 72; ++i) {
      const double turn = std::numbers::pi / 36.0 * i;
      side.outline.push_back(body.position + normal * body.size[1] +
                             (u * std::cos(turn) + v * std::sin(turn)) * body.size[0]);
    }
    return side;
  }
  const auto half = [&](int i) { return body.size[static_cast<std::size_t>(i % 3)]; };
  const dvec3 to_u = u * half(k + 1), to_v = v * half(k + 2), centre = body.position + normal * half(k);
  side.outline = {centre - to_u - to_v, centre + to_u - to_v, centre + to_u + to_v, centre - to_u + to_v};
  return side;
}

// What of a polygon has normal . p <= limit.
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

// The largest area that four points of an outline span, one of which is as deep as the deepest: over all diagonals, the
// farthest point on each side.
double largest_area(const std::vector<dvec3>& p, const std::vector<double>& depth, dvec3 n) {
  if (p.size() < 3) return 0.0;
  const double deepest = *std::max_element(depth.begin(), depth.end()), deep = deepest - 1e-5 - 0.005 * deepest;
  double best = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i)
    for (std::size_t k = i + 1; k < p.size(); ++k) {
      // Of all points between, and of the deep ones alone.
      double inner = 0.0, inner_deep = -1.0, outer = 0.0, outer_deep = -1.0;
      for (std::size_t j = 0; j < p.size(); ++j) {
        const double area = 0.5 * std::abs(glm::dot(n, glm::cross(p[k] - p[i], p[j] - p[i])));
        const bool between = j > i && j < k;
        (between ? inner : outer) = std::max(between ? inner : outer, area);
        if (depth[j] >= deep) (between ? inner_deep : outer_deep) = std::max(between ? inner_deep : outer_deep, area);
      }
      if (depth[i] >= deep || depth[k] >= deep) best = std::max(best, inner + outer);
      if (inner_deep >= 0.0) best = std::max(best, inner_deep + outer);
      if (outer_deep >= 0.0) best = std::max(best, inner + outer_deep);
    }
  return best;
}

// Of the patch between two sides: A's side over B's, as far as the chords are deeper than -margin.
double patch_area(const BodyPair& pair, dvec3 n, double margin) {
  const Side a = side_along(pair.first, -n), b = side_along(pair.second, n);
  std::vector<dvec3> patch = a.outline;
  for (std::size_t k = 0; k < b.outline.size(); ++k) {
    const dvec3 outward = glm::cross(b.outline[(k + 1) % b.outline.size()] - b.outline[k], n);
    patch = cut(patch, outward, glm::dot(outward, b.outline[k]));
  }
  const double level = glm::dot(b.normal, b.outline[0]), per = 1.0 / glm::dot(b.normal, n);
  patch = cut(patch, b.normal, level + margin / per);
  std::vector<double> depth;
  for (const dvec3 p : patch) depth.push_back((level - glm::dot(b.normal, p)) * per);
  return largest_area(patch, depth, n);
}

// Of contacts, seen along the normal.
double area_of(const std::vector<Contact>& contacts) {
  const dvec3 n = normal_of(contacts.front());
  dvec3 middle(0.0);
  std::vector<dvec3> p;
  for (const Contact& c : contacts) {
    p.push_back(point_of(c));
    middle += p.back() / static_cast<double>(contacts.size());
  }
  const dvec3 u = glm::normalize(glm::cross(n, std::abs(n.x) < 0.6 ? dvec3(1, 0, 0) : dvec3(0, 1, 0)));
  const auto angle = [&](dvec3 q) {
    return std::atan2(glm::dot(q - middle, glm::cross(n, u)), glm::dot(q - middle, u));
  };
  std::sort(p.begin(), p.end(), [&](dvec3 a, dvec3 b) { return angle(a) < angle(b); });
  double area = 0.0;
  for (std::size_t k = 0; k < p.size(); ++k)
    area += 0.5 * glm::dot(n, glm::cross(p[k] - middle, p[(k + 1) % p.size()] - middle));
  return area;
}

class ManifoldOfPair : public OnOpenCl {};

TEST_F(ManifoldOfPair, StandingCylinderHasFourPointsOfItsRim) {
  const BodyPair pair{box({1, 1, 0.5}, {0, 0, 0}), cylinder(0.3, 0.4, {0.2, 0.1, 0.89}, turn({0, 0, 1}, 0.7))};
  const std::vector<Contact> found = contacts_of(pair);
  ASSERT_EQ(found.size(), 4u);
  for (const Contact& c : found) {
    EXPECT_NEAR(static_cast<double>(c.depth), 0.01, kClosedForm);
    EXPECT_NEAR(glm::distance(point_of(c), dvec3(0.2, 0.1, 0.5)), 0.3, kClosedForm) << text(c);
  }
  EXPECT_NEAR(area_of(found), 2.0 * 0.3 * 0.3, kClosedForm);
}

TEST_F(ManifoldOfPair, BoxOnAWideBaseKeepsItsCorners) {
  const BodyPair pair{box({0.3, 0.2, 0.5}, {0, 0, 0}), cylinder(1.0, 0.4, {0.2, 0.1, 0.89})};
  std::vector<ExpectedContact> expected;
  for (const double x : {-0.3, 0.3})
    for (const double y : {-0.2, 0.2}) expected.push_back({{x, y, 0.5}, {0, 0, -1}, 0.01});
  expect_contacts(pair, expected);
}

TEST_F(ManifoldOfPair, CoaxialCylindersHaveFourPointsOfTheSmallerRim) {
  for (const double r : {0.2, 0.5, 0.8}) {
    const std::vector<Contact> found = contacts_of({cylinder(0.5, 0.5, {0, 0, 0}), cylinder(r, 0.4, {0, 0, 0.89})});
    ASSERT_EQ(found.size(), 4u) << r;
    EXPECT_NEAR(area_of(found), 2.0 * std::pow(std::min(r, 0.5), 2.0), kClosedForm);
  }
}

TEST_F(ManifoldOfPair, LyingCylinderHasTheTwoEndsOfItsLine) {
  expect_contacts({box({1, 1, 0.5}, {0, 0, 0}), cylinder(0.2, 0.4, {0.1, 0.2, 0.69}, kAlongX)},
                  {{{-0.3, 0.2, 0.5}, {0, 0, -1}, 0.01}, {{0.5, 0.2, 0.5}, {0, 0, -1}, 0.01}});
  expect_contacts({box({1, 1, 0.5}, {0, 0, 0}), cylinder(0.2, 0.4, {0.9, 0.2, 0.69}, kAlongX)},
                  {{{0.5, 0.2, 0.5}, {0, 0, -1}, 0.01}, {{1.0, 0.2, 0.5}, {0, 0, -1}, 0.01}});
}

TEST_F(ManifoldOfPair, LyingOnABaseEndsAtItsRim) {
  // At y = 0.3 the base of radius 0.5 is 0.8 wide.
  expect_contacts({cylinder(0.5, 0.5, {0, 0, 0}), cylinder(0.2, 0.6, {0, 0.3, 0.69}, kAlongX)},
                  {{{-0.4, 0.3, 0.5}, {0, 0, -1}, 0.01}, {{0.4, 0.3, 0.5}, {0, 0, -1}, 0.01}});
  expect_contacts({cylinder(0.5, 0.5, {0, 0, 0}), capsule(0.2, 0.6, {0, 0.3, 0.69}, kAlongX)},
                  {{{-0.4, 0.3, 0.5}, {0, 0, -1}, 0.01}, {{0.4, 0.3, 0.5}, {0, 0, -1}, 0.01}});
}

TEST_F(ManifoldOfPair, ParallelSidesShareAStretch) {
  expect_contacts({cylinder(0.3, 0.5, {0, 0, 0}, kAlongX), cylinder(0.2, 0.6, {0.4, 0, 0.49}, kAlongX)},
                  {{{-0.2, 0, 0.3}, {0, 0, -1}, 0.01}, {{0.5, 0, 0.3}, {0, 0, -1}, 0.01}});
  expect_contacts({cylinder(0.3, 0.5, {0, 0, 0}, kAlongX), capsule(0.2, 0.6, {0.4, 0, 0.49}, kAlongX)},
                  {{{-0.2, 0, 0.3}, {0, 0, -1}, 0.01}, {{0.5, 0, 0.3}, {0, 0, -1}, 0.01}});
}

TEST_F(ManifoldOfPair, CrossingSidesMeetInOnePoint) {
  expect_contacts(
      {cylinder(0.3, 0.5, {0, 0, 0}, kAlongX), cylinder(0.2, 0.6, {0.1, 0.2, 0.49}, turn({1, 0, 0}, kQuarter))},
      {{{0.1, 0, 0.3}, {0, 0, -1}, 0.01}});
}

TEST_F(ManifoldOfPair, SidesThatCrossAtASmallAngleKeepTheDeepestPoint) {
  // 0.015 rad: parallel by definition, yet 0.6 m from the crossing the axes are 9 mm apart.
  const BodyPair pair{cylinder(0.3, 0.6, {0, 0, 0}, kAlongX),
                      cylinder(0.2, 0.6, {0, 0, 0.499}, turn({0, 0, 1}, 0.015) * kAlongX)};
  const std::vector<Contact> found = contacts_of(pair);
  ASSERT_GE(found.size(), 2u) << text(found);
  EXPECT_TRUE(holds(pair, found, 0.0, 2.5e-5)) << text(found);
  EXPECT_GT(glm::distance(point_of(found.front()), point_of(found.back())), 0.5);
}

TEST_F(ManifoldOfPair, TiltedCylinderTouchesWithItsRim) {
  const dquat tilt = turn({0, 1, 0}, 0.1);
  const dvec3 lowest = tilt * dvec3(0.3, 0, -0.4);
  expect_contacts({box({1, 1, 0.5}, {0, 0, 0}), cylinder(0.3, 0.4, {0.1, 0.2, 0.5 - 0.001 - lowest.z}, tilt)},
                  {{{0.1 + lowest.x, 0.2, 0.5}, {0, 0, -1}, 0.001}});
}

// Flat sides on each other with a tilt of at most 8e-4, so that some are cut off where their chords end.
void expect_spanned(const std::vector<BodyPair>& pairs, double margin) {
  const auto found = contacts_of(pairs, margin);
  std::size_t compared = 0;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (found[k].empty()) continue;
    const dvec3 n = normal_of(found[k].front());
    // Where they meet side by side, other tests see to it.
    if (std::max(std::abs(glm::dot(n, axis_of(pairs[k].first, 2))),
                 std::abs(glm::dot(n, axis_of(pairs[k].second, 2)))) < 1.0 - 4e-7)
      continue;
    const double area = patch_area(pairs[k], n, margin);
    if (area < 1e-4) continue;
    ++compared;
    EXPECT_GT(area_of(found[k]), 0.9 * area) << k << " margin " << margin << "\n" << text(found[k]);
    for (const Contact& c : found[k]) {
      const double depth = c.depth;
      EXPECT_GT(depth, -margin);
      EXPECT_LT(std::abs(distance_to(pairs[k].first, point_of(c))), 1e-5) << k << text(c);
      EXPECT_LT(std::abs(distance_to(pairs[k].second, point_of(c) + n * depth)), 1e-5) << k << text(c);
      for (const Contact& other : found[k]) {
        if (&other != &c) {
          EXPECT_NE(c.feature, other.feature) << text(found[k]);
        }
      }
    }
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(compared, pairs.size() / 2);
}

std::vector<BodyPair> lying_pairs(Shape first, Shape second, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  const auto side = [&] { return 0.05 + unit(random); };
  std::vector<BodyPair> pairs;
  for (std::size_t k = 0; k < count; ++k) {
    const dquat pose = random_orientation(random);
    const dvec3 a{side(), side(), side()}, b{side(), side(), side()};
    BodySpec on = first == Shape::box ? box(a, {0, 0, 0}, pose) : cylinder(a.x, a.z, {0, 0, 0}, pose);
    const dquat tilt = turn({unit(random) - 0.5, unit(random) - 0.5, 0.0}, k % 3 == 0 ? 0.0 : 8e-4 * unit(random));
    const dquat yaw = turn({0, 0, 1}, k % 4 == 0 ? kQuarter * static_cast<double>(k % 16 / 4) : 6.3 * unit(random));
    const dvec3 offset{(unit(random) - 0.5) * (a.x + b.x), (unit(random) - 0.5) * (a.y + b.y),
                       a.z + b.z - 0.04 * unit(random) * std::min(a.z, b.z)};
    const dquat turned = pose * tilt * yaw;
    BodySpec lying = second == Shape::box ? box(b, pose * offset, turned) : cylinder(b.x, b.z, pose * offset, turned);
    pairs.push_back({on, lying});
  }
  return pairs;
}

TEST_F(ManifoldOfPair, FourPointsSpanBoxOnBox) {
  for (const double margin : {0.0, 0.002}) expect_spanned(lying_pairs(Shape::box, Shape::box, 2000, 11), margin);
}
TEST_F(ManifoldOfPair, FourPointsSpanCylinderOnBox) {
  for (const double margin : {0.0, 0.002}) expect_spanned(lying_pairs(Shape::box, Shape::cylinder, 600, 12), margin);
}
TEST_F(ManifoldOfPair, FourPointsSpanCylinderOnCylinder) {
  for (const double margin : {0.0, 0.002})
    expect_spanned(lying_pairs(Shape::cylinder, Shape::cylinder, 600, 13), margin);
}

}  // namespace
}  // namespace oclide::test
