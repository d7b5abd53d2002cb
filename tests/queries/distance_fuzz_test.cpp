// Points in random scenes of all shapes, held against the reference: the distance is the least of all, what is named
// has it, and the point is on the surface of that.
#include <cmath>
#include <limits>

#include "queries/query_scene.hpp"
#include "reference/queries/distance_scene.hpp"
#include "support/on_each_device.hpp"
#include "support/sweep.hpp"
#include "upload/compound_bodies.hpp"

namespace oclide::test {
namespace {

class DistanceFuzz : public OnEachDevice {};
OCLIDE_ON_EACH_DEVICE(DistanceFuzz);

TEST_P(DistanceFuzz, AgreesWithTheReference) {
  const int seeds = fuzz_seeds();
  int inside = 0, outside = 0, ground = 0;
  for (std::size_t c = 0; c < kQueryPlaces.size(); ++c)
    for (int seed = 0; seed < seeds; ++seed) {
      const QueryPlaceOfScene& in = kQueryPlaces[c];
      const TestScene scene = random_query_scene(in, 300 * (seed + 1) + c);
      const CompoundBodies compounds(scene.scene);
      const Scene expanded = compounds.expanded(scene.scene);
      const SharedGeometry geometry = build_geometry(expanded);
      std::vector<double> part_position, part_orientation;
      compounds.place(scene.poses(), part_position, part_orientation);
      const reference::DistanceScene known(expanded, *geometry, {part_position, part_orientation});

      // In and around the scene, some on a surface but for a hair, some far away; in line on planes and edges.
      std::mt19937_64 random(9000 + 100 * seed + c);
      std::uniform_real_distribution<double> unit(-1.0, 1.0);
      std::vector<double> position, range;
      for (std::size_t k = 0; k < 1500 / kSweepStep; ++k) {
        dvec3 at(6.0 * unit(random), 6.0 * unit(random), 4.0 * unit(random));
        if (in.in_line) at = 0.25 * glm::round(4.0 * at);
        if (k % 16 == 3) at *= 200.0;
        at = in.middle + in.size * at;
        if (k % 4 == 1) {
          const Hit hit = known.nearest({at, std::numeric_limits<double>::infinity()});
          const double off = 1e-3 * unit(random) * (k % 8 == 1 ? in.size : 0.01);
          for (int a = 0; a < 3; ++a) at[a] = hit.point[a] + off * static_cast<double>(hit.normal[a]);
        }
        for (int a = 0; a < 3; ++a) position.push_back(at[a]);
        range.push_back(k % 5 == 4 ? in.size * std::abs(unit(random)) : std::numeric_limits<double>::infinity());
      }
      const QueryPoints points{position, range};
      Collider& collider = collider_on(GetParam());
      collider.set_scene(scene.scene);
      const std::vector<Hit> found = collider.distance(scene.poses(), points).nearest;

      for (std::size_t k = 0; k < points.count(); ++k) {
        const Hit& hit = found[k];
        reference::QueryPoint point = reference::query_point(points, k);
        const Hit expected = known.nearest({point.position, std::numeric_limits<double>::infinity()});
        const double near = kContract + 1e-6 * std::abs(expected.distance);
        const auto say = [&] {
          return "place " + std::to_string(c) + " seed " + std::to_string(seed) + " point " + std::to_string(k) +
                 ": body " + std::to_string(static_cast<std::int32_t>(hit.body)) + " at " +
                 std::to_string(hit.distance) + ", expected part " +
                 std::to_string(static_cast<std::int32_t>(expected.body)) + " at " + std::to_string(expected.distance);
        };
        if (hit.body == kNothing) {
          EXPECT_GT(expected.distance, point.range - near) << say();
          continue;
        }
        EXPECT_LE(hit.distance, point.range) << say();
        EXPECT_NEAR(hit.distance, expected.distance, near) << say();
        // What is named is as near, and has the point on its surface.
        const std::uint32_t part =
            hit.body == kTerrain ? kTerrain : static_cast<std::uint32_t>(compounds.first_part_of(hit.body) + hit.shape);
        EXPECT_NEAR(known.distance_to(point, part).distance, hit.distance, near) << say();
        point.position = {hit.point[0], hit.point[1], hit.point[2]};
        EXPECT_LE(std::abs(known.distance_to(point, part).distance), 2.0 * near) << say();
        EXPECT_EQ(hit.element != kNone, hit.body == kTerrain || expanded.bodies.shape[part] == Shape::triangle_mesh)
            << say();
        inside += hit.distance < -near ? 1 : 0;
        outside += hit.distance > near ? 1 : 0;
        ground += hit.body == kTerrain ? 1 : 0;
      }
    }
  EXPECT_GE(inside, 1000 * seeds / kSweepStep);
  EXPECT_GE(outside, 1000 * seeds / kSweepStep);
  EXPECT_GE(ground, 500 * seeds / kSweepStep);
}

}  // namespace
}  // namespace oclide::test
