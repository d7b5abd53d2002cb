// Shapes in random scenes of all shapes, many of them a hair from touching, held against the reference. What is left of
// a shape with its sides moved in has to overlap for a yes that must be; what is near may.
#include <cmath>

#include "queries/query_scene.hpp"
#include "queries/shape_list.hpp"
#include "reference/queries/overlap_scene.hpp"
#include "support/sweep.hpp"
#include "upload/compound_bodies.hpp"

namespace oclide::test {
namespace {

class OverlapFuzz : public OnEachDevice {};
OCLIDE_ON_EACH_DEVICE(OverlapFuzz);

// Of a query that is apart at one place and overlaps at another, the place between where that changes, and a little to
// either side of it.
void bring_near(const reference::OverlapScene& scene, const Compounds& compounds, dvec3 middle, std::mt19937_64& random,
                BodySpec& query) {
  const auto overlaps = [&](dvec3 at) {
    BodySpec moved = query;
    moved.position = at;
    const ShapeList one = ShapeList().add(moved);
    const QueryParts parts(one.queries(false), compounds);
    for (std::size_t k = 0; k < parts.count(); ++k)
      if (scene.lowest(scene.shape_of(parts, k)) != kNothing) return true;
    return false;
  };
  dvec3 a = query.position, b = middle;
  const bool in_a = overlaps(a);
  if (in_a == overlaps(b)) return;
  for (int step = 0; step < 40 && glm::distance(a, b) > 1e-6; ++step) {
    const dvec3 half = 0.5 * (a + b);
    (overlaps(half) == in_a ? a : b) = half;
  }
  std::uniform_real_distribution<double> off(-4e-4, 4e-4);
  query.position = a + off(random) * glm::normalize(b - a);
}

TEST_P(OverlapFuzz, AgreesWithTheReference) {
  const int seeds = fuzz_seeds();
  int overlap = 0, apart = 0, either = 0;
  for (std::size_t c = 0; c < kQueryPlaces.size(); ++c)
    for (int seed = 0; seed < seeds; ++seed) {
      const QueryPlaceOfScene& in = kQueryPlaces[c];
      const TestScene scene = random_query_scene(in, 100 * (seed + 1) + c);
      // All of its bodies as parts.
      const CompoundBodies compounds(scene.scene);
      const Scene expanded = compounds.expanded(scene.scene);
      const SharedGeometry geometry = build_geometry(expanded);
      std::vector<double> position, orientation;
      compounds.place(scene.poses(), position, orientation);
      const reference::OverlapScene known(expanded, *geometry, {position, orientation});

      std::mt19937_64 random(7000 + 100 * seed + c);
      std::uniform_real_distribution<double> unit(-1.0, 1.0);
      ShapeList shapes;
      for (std::size_t k = 0; k < 240 / kSweepStep; ++k) {
        BodySpec query = random_query_shape(k, in, random);
        const dvec3 toward = in.middle + in.size * dvec3(4.0 * unit(random), 4.0 * unit(random), 3.0 * unit(random));
        if (k % 4 != 0) bring_near(known, scene.scene.compounds, toward, random, query);
        shapes.add(query);
      }
      Collider& collider = collider_on(GetParam());
      collider.set_scene(scene.scene);
      const Overlaps found = collider.overlap(scene.poses(), shapes.queries(true));
      EXPECT_EQ(found.overlaps, collider.overlap(scene.poses(), shapes.queries(false)).overlaps);

      const QueryParts parts(shapes.queries(false), scene.scene.compounds);
      std::vector<std::vector<reference::QueryShape>> of_query(shapes.count());
      for (std::size_t k = 0; k < parts.count(); ++k) of_query[parts.query_of(k)].push_back(known.shape_of(parts, k));
      for (std::size_t k = 0; k < shapes.count(); ++k) {
        const auto may = [&](std::uint32_t body) {
          for (const reference::QueryShape& shape : of_query[k])
            if (known.overlaps(shape, body, {kContract, 1.01 * kContract})) return true;
          return false;
        };
        const auto must = [&](std::uint32_t body) {
          for (reference::QueryShape shape : of_query[k]) {
            const auto inner = shape.body.eroded(kContract);
            if (!inner) continue;
            shape.body = *inner;
            if (known.overlaps(shape, body, {1e-7, 1.2e-7})) return true;
          }
          return false;
        };
        // Of all things, in the order of their indices.
        std::uint32_t first_must = kNothing, last = static_cast<std::uint32_t>(expanded.bodies.count());
        bool may_any = false, may_named = false;
        for (std::uint32_t part = 0; part <= last; ++part) {
          const std::uint32_t what = part == last ? kTerrain : part;
          const std::uint32_t body = part == last ? kTerrain : compounds.body_of(part);
          if (may(what)) {
            may_any = true;
            may_named = may_named || body == found.body[k];
            if (first_must == kNothing && must(what)) first_must = body;
          }
        }
        const auto say = [&] {
          return "place " + std::to_string(c) + " seed " + std::to_string(seed) + " query " + std::to_string(k) +
                 ", a " + to_string(shapes.shape[k]) + ": body " +
                 std::to_string(static_cast<std::int32_t>(found.body[k])) + ", must be " +
                 std::to_string(static_cast<std::int32_t>(first_must));
        };
        EXPECT_EQ(found.overlaps[k], found.body[k] == kNothing ? 0 : 1) << say();
        if (found.overlaps[k] != 0) {
          EXPECT_TRUE(may_named) << say();
          EXPECT_TRUE(first_must == kNothing || found.body[k] <= first_must) << say();
        } else {
          EXPECT_EQ(first_must, kNothing) << say();
        }
        overlap += first_must != kNothing ? 1 : 0;
        apart += may_any ? 0 : 1;
        either += may_any && first_must == kNothing ? 1 : 0;
      }
    }
  EXPECT_GE(overlap, 300 * seeds / kSweepStep);
  EXPECT_GE(apart, 200 * seeds / kSweepStep);
  EXPECT_GE(either, 50 * seeds / kSweepStep);
}

}  // namespace
}  // namespace oclide::test
