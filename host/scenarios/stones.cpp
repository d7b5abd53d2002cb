#include "scenarios/stones.hpp"

#include <glm/vec3.hpp>

#include "shapes/shape_list.hpp"

namespace oclide::scenario {
namespace {

constexpr double kSmallestStone = 0.2;  // half of a stone's width along any axis [m]
constexpr double kLargestStone = 0.5;   // [m]

using Points = std::vector<std::array<double, 3>>;

// Points of a ball, drawn out along the axes.
Points round_stone(Random& random) {
  Points points(8 + random.below(41));
  for (auto& point : points) {
    const glm::dvec3 p = random.direction();
    point = {p.x, p.y, p.z};
  }
  return points;
}

// A block some of whose corners are broken off.
Points block(Random& random) {
  Points points;
  for (int corner = 0; corner < 8; ++corner) {
    const std::array<double, 3> at{corner & 1 ? 1.0 : -1.0, corner & 2 ? 1.0 : -1.0, corner & 4 ? 1.0 : -1.0};
    if (random.chance(0.5)) {
      points.push_back(at);
      continue;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      points.push_back(at);
      points.back()[axis] *= random.uniform(0.2, 0.8);
    }
  }
  return points;
}

Points prism(Random& random) {
  const std::size_t sides = 3 + random.below(10);
  Points points;
  for (std::size_t k = 0; k < 2 * sides; ++k) {
    const auto [sine, cosine] =
        sine_cosine(6.28318530717958648 * static_cast<double>(k / 2) / static_cast<double>(sides));
    points.push_back({cosine, sine, k % 2 == 0 ? 1.0 : -1.0});
  }
  return points;
}

Points shard(Random& random) {
  // Of a tetrahedron, so that the points are never in a plane, and some more.
  Points points{{1.0, 1.0, 1.0}, {1.0, -1.0, -1.0}, {-1.0, 1.0, -1.0}, {-1.0, -1.0, 1.0}};
  for (std::size_t more = random.below(5); more > 0; --more)
    points.push_back({random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)});
  return points;
}

}  // namespace

std::vector<std::array<double, 3>> stone(std::size_t k, std::uint64_t seed) {
  Random random(seed, mix(k));
  constexpr std::array kKinds{round_stone, block, prism, shard};
  Points points = kKinds[k % kKinds.size()](random);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double half = random.uniform(kSmallestStone, kLargestStone);
    for (auto& point : points) point[axis] *= half;
  }
  return points;
}

PlacedBody loose_body(Random& random, std::size_t hulls, double smallest, double largest) {
  constexpr std::array kShapes{Shape::sphere, Shape::box, Shape::cylinder, Shape::capsule, Shape::convex_hull};
  PlacedBody body;
  body.shape = kShapes[random.below(hulls > 0 ? 5 : 4)];
  // Two numbers are drawn for a hull too: without them the scenes would change.
  const std::size_t numbers = body.shape == Shape::convex_hull ? 2 : find_shape(body.shape)->sizes_used();
  for (std::size_t a = 0; a < numbers; ++a) body.size[a] = random.uniform(smallest, largest);
  if (body.shape == Shape::convex_hull) body.size = {static_cast<double>(random.below(hulls)), 0.0, 0.0};
  body.orientation = random.rotation();
  return body;
}

}  // namespace oclide::scenario
