// Random bodies on planes of many slopes, held to the closed form. One call a shape.
#pragma once

#include <functional>

#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

namespace oclide::test {

/// Planes of the tests; the last two cannot be held by single-precision heights.
inline const std::vector<Plane> kPlanes{{0, 0, 0},  {0.25, 0, 1}, {0, -0.5, 0},      {0.5, 0.25, -3},
                                        {1, -1, 0}, {2, 0.5, 0},  {0.1, 0.3, 123.4}, {-0.7, 0.05, -17.77}};

using RandomBody = std::function<BodySpec(std::mt19937_64&)>;

/// The contacts of one body with a plane: one manifold, at most four points, all true, the deepest among them; all of
/// them where there are no more than four.
inline testing::AssertionResult matches_plane(std::span<const Contact> found, const BodySpec& body, const Plane& plane,
                                              Tolerance tolerance) {
  const std::vector<ExpectedContact> expected = plane_contacts(body, plane);
  const auto failure = [&](const char* what) {
    std::string lines;
    for (const ExpectedContact& e : expected)
      lines += "  depth " + std::to_string(e.depth) + " at " + std::to_string(e.point.x) + " " +
               std::to_string(e.point.y) + " " + std::to_string(e.point.z) + "\n";
    return testing::AssertionFailure() << what << ", " << to_string(body.shape) << " on plane " << plane.gx << " "
                                       << plane.gy << "\nexpected:\n"
                                       << lines << "found:\n"
                                       << text(found);
  };
  if (found.size() > 4) return failure("more than four points");
  for (const Contact& c : found) {
    if (c.manifold != found[0].manifold) return failure("two manifolds on one plane");
    bool is_true = false;
    for (const ExpectedContact& e : expected) is_true = is_true || matches(c, e, tolerance);
    if (!is_true && c.depth > tolerance.length) return failure("a contact that should not be");
  }
  double depth = 0.0;
  for (const ExpectedContact& e : expected) {
    depth = std::max(depth, e.depth);
    bool is_found = expected.size() > 4 || e.depth <= tolerance.length;
    for (const Contact& c : found) is_found = is_found || matches(c, e, tolerance);
    if (!is_found) return failure("a contact is missing");
  }
  if (depth > tolerance.length && std::abs(deepest(found) - depth) > tolerance.length)
    return failure("the deepest contact is missing");
  return testing::AssertionSuccess();
}

/// `contacts_of` gives the contacts of a scene on the device under test; `size` is the bodies' greatest extent [m].
inline void expect_plane_contacts(const std::function<std::vector<Contact>(const TestScene&)>& contacts_of,
                                  const RandomBody& random_body, double size) {
  const Tolerance tolerance{closed_form_tolerance(size), kClosedFormNormal};
  std::mt19937_64 random(20);
  for (const Plane& p : kPlanes) {
    TestScene scene(plane({33, 41, {-10.0, -8.0}, {0.5, 0.5}}, p.gx, p.gy, p.z0));
    std::vector<BodySpec> bodies;
    std::uniform_real_distribution<double> across(-3.0, 3.0), height(-0.6, 1.1);
    for (int k = 0; k < 100; ++k) {
      BodySpec b = random_body(random);
      // Within 1e-3 of lying level a capsule touches with its end and with its side, a hair apart.
      while (b.shape == Shape::capsule && std::abs(glm::dot(b.orientation * dvec3(0, 0, 1), p.normal())) < 2e-3)
        b = random_body(random);
      const double x = across(random), y = across(random);
      b.position = dvec3(x, y, p.z0 + p.gx * x + p.gy * y + height(random) * size);
      bodies.push_back(b);
      scene.add(b);
    }
    const std::vector<Contact> contacts = contacts_of(scene);
    std::size_t touching = 0;
    for (std::uint32_t k = 0; k < bodies.size(); ++k) {
      const std::vector<Contact> own = of_body(contacts, k);
      touching += own.empty() ? 0 : 1;
      ASSERT_TRUE(matches_plane(own, bodies[k], p, tolerance));
    }
    EXPECT_GE(touching, 20U);
  }
}

/// A ridge or valley along y whose edge is one piece from y = 0 to 10, for bodies at y = 4.
inline const Grid kOneEdge{3, 5, {-4.0, -10.0}, {2.0, 10.0}};
inline constexpr double kMiddle = 4.0;

/// The elements around the vertex at the origin of peak(), counter-clockwise from the x axis.
struct Sector {
  double from, to;  // [degrees]
  double gx, gy;    // gradient per unit of -height
};
inline const std::vector<Sector> kPeakSectors{{0, 90, 1, 1},      {90, 135, 0, 1},   {135, 180, -1, 0},
                                              {180, 270, -1, -1}, {270, 315, 0, -1}, {315, 360, 1, 0}};
inline bool in_sector(const Sector& s, dvec3 p) {
  double angle = glm::degrees(std::atan2(p.y, p.x));
  if (angle < 0.0) angle += 360.0;
  return angle > s.from && angle < s.to;
}

}  // namespace oclide::test
