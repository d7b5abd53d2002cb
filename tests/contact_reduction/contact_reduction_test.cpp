// Contact reduction: what of many contacts is left, and that it does not depend on how finely the ground is gridded.
#include <algorithm>
#include <cmath>

#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

class ContactReduction : public OnEachDevice {};
OCLIDE_ON_EACH_DEVICE(ContactReduction);

// The same plane with one cell and with 99 x 99.
const Grid kCoarse{2, 2, {-4.95, -4.95}, {9.9, 9.9}};
const Grid kFine{100, 100, {-4.95, -4.95}, {0.1, 0.1}};

std::vector<BodySpec> bodies_on(const Plane& plane) {
  const dvec3 n = plane.normal();
  const dquat up = std::abs(n.z - 1.0) < 1e-12 ? kUpright : turn(glm::cross(dvec3(0, 0, 1), n), std::acos(n.z));
  const dquat lying = up * turn({1, 1, 0}, glm::radians(90.0));
  const dvec3 foot(0.13, 0.27, plane.z0 + plane.gx * 0.13 + plane.gy * 0.27);
  return {sphere(0.5, foot + 0.49 * n),
          box({1.5, 1.0, 0.2}, foot + 0.19 * n, up),
          box({0.5, 0.4, 0.3}, foot + 0.4 * n, up * turn({1, 2, 3}, 0.6)),
          cylinder(1.2, 0.3, foot + 0.29 * n, up),
          cylinder(0.4, 1.2, foot + 0.39 * n, lying),
          cylinder(0.4, 0.6, foot + 0.6 * n, up * turn({1, 2, 0}, 0.4)),
          capsule(0.4, 1.2, foot + 0.39 * n, lying),
          capsule(0.4, 0.6, foot + 0.9 * n, up)};
}

// Greatest distance between two points: the patch's extent.
double extent(const std::vector<Contact>& contacts) {
  double greatest = 0.0;
  for (const Contact& a : contacts)
    for (const Contact& b : contacts) greatest = std::max(greatest, glm::distance(point_of(a), point_of(b)));
  return greatest;
}

TEST_P(ContactReduction, OfAPlaneDoesNotDependOnTheFinenessOfTheGrid) {
  for (const Plane& p : {Plane{0, 0, 0}, Plane{0, 0, 12.3}, Plane{0.25, 0, 0}, Plane{0.3, -0.2, 0.7}}) {
    const std::vector<BodySpec> bodies = bodies_on(p);
    const std::vector<Contact> coarse = contacts(TestScene(plane(kCoarse, p.gx, p.gy, p.z0), bodies));
    const std::vector<Contact> fine = contacts(TestScene(plane(kFine, p.gx, p.gy, p.z0), bodies));
    for (std::uint32_t k = 0; k < bodies.size(); ++k) {
      const std::vector<Contact> a = of_body(coarse, k), b = of_body(fine, k);
      ASSERT_FALSE(a.empty()) << k;
      ASSERT_EQ(a.size(), b.size()) << k;
      EXPECT_NEAR(deepest(a), deepest(b), kClosedForm) << k;
      EXPECT_NEAR(extent(a), extent(b), 2 * kClosedForm) << k;
      for (const Contact& c : b) {
        EXPECT_LE(glm::distance(normal_of(c), p.normal()), kClosedFormNormal);
        EXPECT_TRUE(std::any_of(
            a.begin(), a.end(),
            [&](const Contact& other) { return glm::distance(point_of(c), point_of(other)) <= 2 * kClosedForm; }))
            << k << text(a) << text(b);
      }
    }
  }
}

TEST_P(ContactReduction, LeavesAtMostFourPointsAManifoldAndNoTwoManifoldsOfOneNormal) {
  std::mt19937_64 random(31);
  TestScene scene(rough({41, 41, {-5.0, -5.0}, {0.25, 0.25}}, 0.08, 32));
  std::uniform_real_distribution<double> across(-3.0, 3.0), size(0.2, 1.5);
  for (int k = 0; k < 120; ++k) {
    const dvec3 p(across(random), across(random), size(random) - 0.3);
    const dquat q = random_orientation(random);
    scene.add(k % 3 == 0   ? box({size(random), size(random), size(random)}, p, q)
              : k % 3 == 1 ? cylinder(size(random), size(random), p, q)
                           : capsule(size(random), size(random), p, q));
  }
  const FrameContacts found = frame(scene);
  ASSERT_GT(found.contacts.size(), 400U);
  EXPECT_GE(found.unreduced, found.contacts.size());
  std::vector<std::vector<Contact>> manifolds;
  for (const Contact& c : found.contacts) {
    if (manifolds.empty() || manifolds.back()[0].manifold != c.manifold) manifolds.emplace_back();
    manifolds.back().push_back(c);
  }
  for (std::size_t k = 0; k < manifolds.size(); ++k) {
    EXPECT_LE(manifolds[k].size(), 4U);
    EXPECT_EQ(deepest(manifolds[k]), static_cast<double>(manifolds[k][0].depth)) << "the deepest opens the manifold";
    for (std::size_t other = k + 1; other < manifolds.size() && manifolds[other][0].body_a == manifolds[k][0].body_a;
         ++other) {
      EXPECT_GE(glm::distance(normal_of(manifolds[k][0]), normal_of(manifolds[other][0])), 1.3e-3);
      EXPECT_GE(manifolds[k][0].depth, manifolds[other][0].depth) << "manifolds come by their deepest contact";
    }
  }
}

TEST_P(ContactReduction, KeepsTheDeepestContact) {
  // A box with one corner deepest, the other three of its lower face less deep, on a dense slope: hundreds of elements.
  const BodySpec b = box({1.5, 1.0, 0.2}, {0.13, 0.27, 0.15}, turn({1, 2, 0}, 0.03));
  const std::vector<Contact> found = contacts(plane(kFine, 0, 0), b);
  double depth = 0.0;
  for (const ExpectedContact& c : plane_contacts(b, {})) depth = std::max(depth, c.depth);
  EXPECT_NEAR(deepest(found), depth, kClosedForm);
  EXPECT_NEAR(found[0].depth, depth, kClosedForm);
}

TEST_P(ContactReduction, CountsContactsBeforeIt) {
  EXPECT_EQ(frame(TestScene(plane({}, 0, 0), {sphere(0.5, {0.1, 0.2, 0.45})})).unreduced, 1U);
  EXPECT_EQ(frame(TestScene(plane({}, 0, 0), {sphere(0.5, {0.1, 0.2, 0.6})})).unreduced, 0U);
  EXPECT_GE(frame(TestScene(plane({}, 0, 0), {box({0.3, 0.2, 0.1}, {0.1, 0.2, 0.09})})).unreduced, 4U);
}

TEST_P(ContactReduction, OfAFullyBuriedBoxKeepsTheCornersThatSpanIt) {
  const FrameContacts found = frame(TestScene(plane({}, 0, 0), {box({0.3, 0.2, 0.1}, {0.1, 0.27, -0.5})}));
  EXPECT_EQ(found.unreduced, 8U);
  ASSERT_EQ(found.contacts.size(), 4U);
  EXPECT_NEAR(found.contacts[0].depth, 0.6, kClosedForm);
  EXPECT_GE(extent(found.contacts), 2.0 * std::hypot(0.3, 0.2) - kClosedForm);
}

}  // namespace
}  // namespace oclide::test
