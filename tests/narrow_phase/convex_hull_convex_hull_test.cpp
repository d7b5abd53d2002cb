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
  std::vector<BodyPair> pairs = random_hull_pairs(hull(0, {}), hull(1, {}), hulls, count, seed);
  if (std::getenv("HULL_ONLY")) { if (name != "shard cube") return; pairs = {pairs.at(std::stoul(std::getenv("HULL_ONLY")))}; }
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

TEST_F(ConvexHullConvexHull, Hard) {
  const std::size_t n = std::getenv("HULL_N") ? std::stoul(std::getenv("HULL_N")) : 300;
  fuzz_hulls("many", on_sphere(200, 7), on_sphere(150, 8), n / 10, 5);
  Points flat = in_ball(12, 9), thin = on_sphere(20, 10), edgy = on_sphere(24, 12), shard = in_ball(5, 13);
  for (auto& p : flat) p[2] *= 1e-3;
  for (auto& p : thin) p[0] *= 1e-2, p[1] *= 1e-2;
  for (auto& p : edgy) p[0] *= 40.0;
  for (auto& p : shard) p[0] *= 1e-4, p[1] *= 30.0;
  Points twisted = box_points({0.5, 0.5, 0.5});
  for (auto& p : twisted)
    if (p[2] > 0) p = {p[0] * std::cos(1e-3) - p[1] * std::sin(1e-3), p[0] * std::sin(1e-3) + p[1] * std::cos(1e-3), p[2]};
  Points off = box_points({0.5, 0.5, 0.5});
  for (auto& p : off) p[0] += 3.0, p[1] -= 5.0;
  fuzz_hulls("flat", flat, flat, n, 21);
  fuzz_hulls("flat tetra", flat, in_ball(4, 11), n, 22);
  fuzz_hulls("thin", thin, thin, n, 23);
  fuzz_hulls("thin flat", thin, flat, n, 24);
  fuzz_hulls("edgy", edgy, edgy, n, 25);
  fuzz_hulls("edgy cube", edgy, box_points({0.5, 0.5, 0.5}), n, 26);
  fuzz_hulls("shard", shard, shard, n, 27);
  fuzz_hulls("shard cube", shard, box_points({0.5, 0.5, 0.5}), n, 28);
  fuzz_hulls("twisted", twisted, twisted, n, 29);
  fuzz_hulls("twisted cube", box_points({0.5, 0.5, 0.5}), twisted, n, 30);
  fuzz_hulls("off", off, off, n, 31);
  fuzz_hulls("large box", box_points({50, 50, 50}), box_points({42, 42, 42}), n, 32);
  fuzz_hulls("long", box_points({0.05, 0.05, 42.0}), prism(3, 0.05, 42.0), n, 33);
  fuzz_hulls("prism64", prism(64, 0.5, 0.5), prism(48, 0.6, 0.2), n / 3, 34);
  fuzz_hulls("grid", grid_on_box({1, 1, 1}, 5), prism(3, 0.6, 0.2), n, 35);
}

}  // namespace
}  // namespace oclide::test
