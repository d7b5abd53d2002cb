// Convex hull against convex hull: closed forms, and poses of many solids against the reference's least penetration.
#include <algorithm>
#include <cmath>

#include "narrow_phase/hull_pairs.hpp"

namespace oclide::test {
namespace {

class ConvexHullConvexHull : public OnOpenCl {};

// From a point of the first to one of the second, tested for `count` poses and two margins.
void fuzz_hulls(const std::string& name, const Points& first, const Points& second, std::size_t count,
                std::uint64_t seed) {
  const Hulls hulls = hulls_of({first, second});
  const double radius = std::max(hulls[0].bounding_radius, hulls[1].bounding_radius);
  const double tolerance = radius > 5.0 ? kContract : 5e-5;
  const std::vector<BodyPair> pairs = random_hull_pairs(hull(0, {}), hull(1, {}), hulls, count, seed);
  for (const double margin : {0.0, 0.02 * radius}) {
    const auto found = contacts_of_hulls(pairs, hulls, margin);
    std::size_t touching = 0;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      touching += found[k].empty() ? 0 : 1;
      const testing::AssertionResult result = hulls_hold(pairs[k], hulls, found[k], margin, tolerance);
      if (!result) {
        ADD_FAILURE() << name << ", pair " << k << ", margin " << margin << ": " << result.message();
        if (std::getenv("HULL_ALL") == nullptr) return;
      }
    }
    EXPECT_GT(touching, pairs.size() / 10) << name;
  }
}

TEST_F(ConvexHullConvexHull, FuzzAgainstTheExactLeastPenetration) {
  const Points cube = box_points({0.5, 0.5, 0.5});
  fuzz_hulls("cubes", cube, cube, 400, 1);
  fuzz_hulls("tetrahedra", in_ball(4, 3), in_ball(4, 4), 400, 2);
  fuzz_hulls("prisms", prism(6, 0.5, 0.8), prism(5, 0.7, 0.1), 400, 3);
  fuzz_hulls("clouds", in_ball(40, 5), in_ball(30, 6), 200, 4);
  fuzz_hulls("balls", on_sphere(32, 7), on_sphere(32, 8), 100, 5);
  fuzz_hulls("needle and slab", prism(7, 0.01, 2.0), box_points({1.0, 0.8, 0.01}), 300, 6);
  fuzz_hulls("small on large", prism(5, 0.05, 0.05), prism(9, 40.0, 10.0), 300, 7);
  fuzz_hulls("large", prism(9, 30.0, 20.0), box_points({42.0, 30.0, 1.0}), 300, 8);
}

}  // namespace
}  // namespace oclide::test
