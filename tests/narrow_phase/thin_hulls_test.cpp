// Hulls that are far longer than thick, down to a millimetre: plates, needles, discs and wedges. Every contact of
// device and reference lies on both bodies.
#include <algorithm>
#include <cmath>

#include "narrow_phase/hull_pairs.hpp"
#include "reference/narrow_phase/body_pair.hpp"
#include "support/sweep.hpp"

namespace oclide::test {
namespace {

class ThinHulls : public PairTest {};

Points stretched(Points points, dvec3 by) {
  for (auto& p : points)
    for (std::size_t k = 0; k < 3; ++k) p[k] *= by[static_cast<int>(k)];
  return points;
}

// Of 4 to 60 points, about 0.1 to 100 m long, mostly a millimetre or two thick.
Points thin_solid(std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  const double length = 0.05 * std::pow(1000.0, unit(random));
  const bool is_thinnest = unit(random) < 0.5;
  const double thickness = is_thinnest ? 1e-3 : 1e-3 * std::pow(length / 1e-3, unit(random));
  const double width = thickness * std::pow(length / thickness, unit(random));
  const bool is_simple = random() % 2 == 0;
  const std::size_t count = 4 + random() % (is_simple ? 4 : 57);
  switch (random() % 6) {
    case 0:
      return stretched(in_ball(count, random()), {length, length, thickness});
    case 1:
      return stretched(on_sphere(count, random()), {thickness, thickness, length});
    case 2:
      return stretched(in_ball(count, random()), {length, width, thickness});
    case 3:
      return prism(3 + static_cast<int>(count % 30), length, thickness);
    case 4:
      return prism(3 + static_cast<int>(count % 5), thickness, length);
    default:  // a wedge
      return {{-length, -width, 0}, {length, -width, 0},          {length, width, 0},
              {-length, width, 0},  {-length, -width, thickness}, {length, width, thickness}};
  }
}

// The next that is no plane.
ConvexHull thin_hull(std::mt19937_64& random) {
  for (;;) try {
      return build_convex_hull(thin_solid(random), "hull");
    } catch (const Error&) {
    }
}

reference::Body body_of(const BodySpec& b) {
  const dquat q = glm::normalize(b.orientation);
  return reference::make_body(b.shape, b.size, {q.w, q.x, q.y, q.z}, b.hull);
}

std::vector<Contact> contacts_of_reference(const BodyPair& pair, double margin) {
  const auto manifold = reference::collide_pair(body_of(pair.first), body_of(pair.second),
                                                pair.second.position - pair.first.position, margin);
  std::vector<Contact> contacts;
  if (!manifold) return contacts;
  for (const reference::PairContact& c : manifold->contacts) {
    Contact& to = contacts.emplace_back();
    for (int k = 0; k < 3; ++k) {
      const auto at = static_cast<std::size_t>(k);
      to.point[at] = pair.first.position[k] + c.point[k];
      to.normal[at] = static_cast<float>(manifold->normal[k]);
    }
    to.depth = static_cast<float>(c.depth);
    to.feature = c.feature;
  }
  return contacts;
}

void fuzz_thin(int seed, bool box_first) {
  std::mt19937_64 random(1000 + static_cast<std::uint64_t>(seed));
  const ConvexHull hull = thin_hull(random), other = thin_hull(random);
  BodySpec body = convex_hull(hull, {});
  if (box_first) body = box({std::abs(hull.vertices[0].x) + 5e-4, std::abs(hull.vertices[0].y) + 5e-4, 5e-4}, {});
  const double margin = seed % 2 == 0 ? 0.0 : 0.01;
  const std::vector<BodyPair> pairs =
      hull_pairs(body, convex_hull(other, {}), 20, 77 + static_cast<std::uint64_t>(seed));
  const auto found = contacts_of(pairs, margin);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", pair " + std::to_string(k));
    const double exact = exact_overlap(pairs[k]);
    ASSERT_TRUE(holds(pairs[k], found[k], margin, kContract, exact));
    ASSERT_TRUE(holds(pairs[k], contacts_of_reference(pairs[k], margin), margin, kContract, exact)) << "reference";
  }
}

TEST_F(ThinHulls, ContactsLieOnBothBodies) {
  for (int seed = 0; seed < fuzz_seeds(1000) / kSweepStep && !HasFailure(); ++seed) fuzz_thin(seed, false);
}
TEST_F(ThinHulls, ContactsWithABoxLieOnBothBodies) {
  for (int seed = 0; seed < fuzz_seeds(500) / kSweepStep && !HasFailure(); ++seed) fuzz_thin(seed, true);
}

// A needle whose tip is half a centimetre behind a side of the slab that it lies on. Beyond a tip of a thousandth of a
// right angle nothing is left of it, though the side is nearer to both of its lines than their rounding.
TEST_F(ThinHulls, ATipHasNoContactBeyondItself) {
  const ConvexHull& needle = lasting_hull({{-10, 0, 0}, {10, -0.01, 0}, {10, 0.01, 0}, {9, 0, 0.5}});
  const ConvexHull& slab = box_hull({5, 5, 0.5});
  const dvec3 at(10.005, 0, -0.01), below(5, 0, -0.5);
  const double half_width = 0.01 * 9.995 / 20.0;
  std::vector<ExpectedContact> expected;
  for (const dvec3 p : {dvec3(0.005, 0, -0.01), dvec3(10, half_width, -0.01), dvec3(10, -half_width, -0.01)})
    expected.push_back({p, {0, 0, 1}, 0.01});
  expect_contacts({convex_hull(needle, at), convex_hull(slab, below)}, expected, 0.0, 2e-5);
  for (ExpectedContact& c : expected) c = {c.point + dvec3(0, 0, 0.01), {0, 0, -1}, 0.01};
  expect_contacts({convex_hull(slab, below), convex_hull(needle, at)}, expected, 0.0, 2e-5);
  expect_contacts({box({5, 5, 0.5}, below), convex_hull(needle, at)}, expected, 0.0, 2e-5);
}

// Also where it is above the plane of another face, and so outside, but beneath its own, by rounding.
TEST_F(ThinHulls, APointOfAFaceIsOnTheSurface) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (int k = 0; k < 400 / kSweepStep; ++k) {
    const ConvexHull hull = thin_hull(random);
    const BodySpec body = convex_hull(hull, {});
    const reference::Body same = body_of(body);
    for (std::size_t f = 0; f < hull.faces.size(); ++f) {
      const HullFace& face = hull.faces[f];
      for (int at = 0; at < 10; ++at) {
        dvec3 p(0.0);
        double weights = 0.0;
        for (const std::uint32_t v : hull.loop(f)) {
          const double weight = std::pow(unit(random), 8.0);
          p += weight * dvec3(hull.vertices[v]);
          weights += weight;
        }
        p /= weights;
        for (const double height : {1e-6, 0.0, -1e-9, -1e-6, -1e-5}) {
          const dvec3 q = p + (face.offset - glm::dot(face.normal, p) + height) * face.normal;
          ASSERT_LT(std::abs(same.signed_distance(q)), 5e-5) << k;
          ASSERT_LT(std::abs(distance_to(body, q)), 5e-5)
              << k << " height " << height << " size " << hull.vertices[0].x;
        }
      }
    }
  }
}

}  // namespace
}  // namespace oclide::test
