// Random bodies on random ground: what the device finds against the reference and against exact geometry, both ways.
#include <algorithm>

#include "narrow_phase/pair_geometry.hpp"
#include "oclide/validation.hpp"
#include "support/on_each_device.hpp"
#include "support/sweep.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

// Sizes of the four shapes [m], and of the cells they are tried on.
struct FuzzedBody {
  const char* name;
  double ball, half_x, half_y, half_z, radius, half_length;
  double spacing;
  int bodies;
};
const std::vector<FuzzedBody> kFuzzedBodies{
    {"needle", 0.05, 0.02, 0.03, 1.2, 0.02, 1.2, 0.5, 240},
    {"disc", 0.3, 0.8, 0.8, 0.02, 0.8, 0.02, 0.5, 240},
    {"slab", 0.2, 1.0, 0.6, 0.05, 0.6, 0.1, 0.5, 240},
    {"cube", 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.5, 240},
    {"tiny_on_huge", 0.05, 0.06, 0.05, 0.05, 0.05, 0.05, 20.0, 600},
    {"huge_on_tiny", 2.0, 2.0, 1.5, 1.0, 1.2, 1.5, 0.4, 40},
    {"ball", 0.5, 0.5, 0.45, 0.55, 0.5, 0.05, 0.5, 240},
};

// A hull of points: of an ellipsoid, or on the rims of a prism.
BodySpec hull_of(TestScene& scene, std::vector<std::array<double, 3>> points) {
  scene.scene.hulls.push_back(std::move(points));
  return {Shape::convex_hull, {static_cast<double>(scene.scene.hulls.size() - 1), 0.0, 0.0}, {}};
}
BodySpec hull_in(TestScene& scene, dvec3 half, int k, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<std::array<double, 3>> points(static_cast<std::size_t>(4 + 3 * (k % 16)));
  const double sides = std::floor(0.5 * static_cast<double>(points.size()));
  for (std::size_t p = 0; p < points.size(); ++p) {
    const double angle = 2.0 * std::numbers::pi * std::floor(0.5 * static_cast<double>(p)) / sides;
    dvec3 point = glm::normalize(dvec3(normal(random), normal(random), normal(random)));
    if (k % 3 == 0 && sides > 2.0) point = dvec3(std::cos(angle), std::sin(angle), p % 2 == 0 ? -1.0 : 1.0);
    points[p] = {half.x * point.x, half.y * point.y, half.z * point.z};
  }
  return hull_of(scene, points);
}
// The farthest of the body along a direction.
double reach_in(const TestScene& scene, const BodySpec& b, dvec3 direction) {
  if (b.shape != Shape::convex_hull) return reach(b, direction);
  double far = -1e30;
  for (const auto& p : scene.scene.hulls[static_cast<std::size_t>(b.size[0])])
    far = std::max(far, glm::dot(b.orientation * dvec3(p[0], p[1], p[2]), direction));
  return far;
}

using Ground = Terrain (*)(const Grid&);
struct FuzzedGround {
  const char* name;
  Ground make;
};
Terrain cut_ground(const Grid& g, Diagonal diagonal) {
  Terrain t = rough(g, 0.8 * g.spacing[0], 15);
  open_cells(t, 0.1, 14);
  t.diagonal = diagonal;
  return t;
}
const std::vector<FuzzedGround> kFuzzedGrounds{
    {"flat", [](const Grid& g) { return plane(g, 0.0, 0.0, 2.5); }},
    {"slope", [](const Grid& g) { return plane(g, 0.37, -0.21); }},
    {"rough_fine", [](const Grid& g) { return rough(g, 0.1 * g.spacing[0], 5); }},
    {"rough_coarse", [](const Grid& g) { return rough(g, 0.7 * g.spacing[0], 6); }},
    {"steep", [](const Grid& g) { return rough(g, 2.5 * g.spacing[0], 10); }},
    {"steep_holes",
     [](const Grid& g) {
       Terrain t = rough(g, 1.5 * g.spacing[0], 11);
       open_cells(t, 0.3, 12);
       return t;
     }},
    {"kerb",
     [](const Grid& g) {
       return terrain_of(g, [&](double x, double) { return x > 0.3 * g.spacing[0] ? 0.3 * g.spacing[0] : 0.0; });
     }},
    {"spikes", [](const Grid& g) { return spikes(g, 2.0 * g.spacing[0], 12, 7); }},
    {"holes",
     [](const Grid& g) {
       Terrain t = rough(g, 0.2 * g.spacing[0], 8);
       open_cells(t, 0.2, 9);
       return t;
     }},
    {"rising", [](const Grid& g) { return cut_ground(g, Diagonal::rising); }},
    {"alternating", [](const Grid& g) { return cut_ground(g, Diagonal::alternating_rising); }},
};

class TerrainFuzz : public OnOpenCl, public testing::WithParamInterface<std::tuple<std::size_t, std::size_t>> {
 protected:
  static const FuzzedBody& size() { return kFuzzedBodies[std::get<0>(GetParam())]; }
  // Neither square nor a multiple of anything, and not symmetric about the origin.
  static Grid grid() {
    const double step = size().spacing;
    return {27, 34, {-15.3 * step, -12.7 * step}, {step, 1.1 * step}};
  }
  static TestScene ground() { return TestScene(kFuzzedGrounds[std::get<1>(GetParam())].make(grid())); }
  static std::mt19937_64 random(std::size_t series, int seed) {
    return std::mt19937_64(100000 * static_cast<std::size_t>(seed) + 10000 * series + 1000 * std::get<0>(GetParam()) +
                           std::get<1>(GetParam()));
  }
  // Bodies of the four shapes, and behind them hulls.
  static int count() { return size().bodies + size().bodies / 3; }
  // The four shapes in turn, or a hull, `scale` times as large.
  static BodySpec body(TestScene& scene, int k, double scale, std::mt19937_64& random) {
    const FuzzedBody& s = size();
    switch (k < size().bodies ? k % 4 : 4) {
      case 4:
        return hull_in(scene, scale * dvec3(s.half_x, s.half_y, s.half_z), k, random);
      case 0:
        return sphere(scale * s.ball, {});
      case 1:
        return box(scale * dvec3(s.half_x, s.half_y, s.half_z), {});
      case 2:
        return cylinder(scale * s.radius, scale * s.half_length, {});
      default:
        return capsule(scale * s.radius, scale * s.half_length, {});
    }
  }
};

TEST_P(TerrainFuzz, DeviceAndReferenceFindTheSame) {
  for (int seed = 0; seed < fuzz_seeds(); ++seed) {
    SCOPED_TRACE(seed);
    TestScene scene = ground();
    const Terrain& terrain = scene.scene.terrains[0];
    const double step = size().spacing;

    std::mt19937_64 random = TerrainFuzz::random(0, seed);
    std::uniform_real_distribution<double> across(-0.05, 1.05), height(-0.5, 1.05), scale(0.8, 1.25);
    for (int k = 0; k < count(); ++k) {
      const double u = across(random), v = across(random), s = scale(random);
      const auto j = std::clamp<long>(std::lround(u * 33), 0, 33), i = std::clamp<long>(std::lround(v * 26), 0, 26);
      BodySpec b = body(scene, k, s, random);
      const double far = b.shape == Shape::sphere ? b.size[0]
                         : b.shape == Shape::box  ? glm::length(dvec3(b.size[0], b.size[1], b.size[2]))
                         : b.shape == Shape::convex_hull
                             ? glm::length(dvec3(size().half_x, size().half_y, size().half_z))
                         : b.shape == Shape::cylinder ? std::hypot(b.size[0], b.size[1])
                                                      : b.size[0] + b.size[1];
      b.position = {terrain.origin[0] + u * 33 * step, terrain.origin[1] + v * 26 * 1.1 * step,
                    terrain.heights[vertex(terrain, static_cast<std::size_t>(i), static_cast<std::size_t>(j))] +
                        height(random) * far};
      b.orientation = random_orientation(random);
      scene.add(b);
    }

    for (const double margin : {0.0, 0.05}) {
      SCOPED_TRACE(margin);
      Collider& collider = collider_on("opencl", margin);
      collider.set_scene(scene.scene);
      const FrameContacts frame = collider.collide(scene.poses());
      EXPECT_GT(frame.pairs, static_cast<std::uint64_t>(size().bodies) / 8);
      EXPECT_TRUE(validates(scene, frame.contacts, margin));
      for (const Contact& c : frame.contacts) ASSERT_GE(c.normal[2], -1e-6F) << text(c);
    }
  }
}

// As bodies come to rest: their axis along an element's normal, in its plane, or upright, but for a turn of 1e-8 to
// 1e-2 rad, and a little deep or a little apart.
TEST_P(TerrainFuzz, DeviceAndReferenceFindTheSameOfBodiesNearlyAlongTheGround) {
  for (int seed = 0; seed < fuzz_seeds(); ++seed) {
    SCOPED_TRACE(seed);
    TestScene scene = ground();
    const Terrain& t = scene.scene.terrains[0];
    std::mt19937_64 random = TerrainFuzz::random(1, seed);
    std::uniform_real_distribution<double> unit(0.0, 1.0), scale(0.8, 1.25);
    std::normal_distribution<double> normal;
    std::uniform_int_distribution<std::size_t> row(3, 22), column(3, 29);
    const auto any_direction = [&] { return glm::normalize(dvec3(normal(random), normal(random), normal(random))); };
    for (int k = 0; k < count(); ++k) {
      const std::size_t i = row(random), j = column(random);
      const auto at = [&](std::size_t di, std::size_t dj) {
        return dvec3(t.origin[0] + static_cast<double>(j + dj) * t.spacing[0],
                     t.origin[1] + static_cast<double>(i + di) * t.spacing[1], t.heights[vertex(t, i + di, j + dj)]);
      };
      const bool second = unit(random) < 0.5;
      const dvec3 corner = second ? at(1, 1) : at(0, 0), to_x = second ? at(1, 0) - corner : at(0, 1) - corner,
                  to_y = second ? at(0, 1) - corner : at(1, 0) - corner;
      const dvec3 n = glm::normalize(glm::cross(to_x, to_y));
      double u = unit(random), v = unit(random);
      if (u + v > 1.0) {
        u = 1.0 - u;
        v = 1.0 - v;
      }
      const dvec3 axes[] = {n, {0, 0, 1}, glm::normalize(glm::cross(n, any_direction())), glm::normalize(to_x)};
      const dvec3 axis = axes[static_cast<std::size_t>(3.999 * unit(random))];
      BodySpec b = body(scene, k, scale(random), random);
      const dquat along =
          std::hypot(axis.x, axis.y) > 1e-9 ? turn({-axis.y, axis.x, 0.0}, std::acos(axis.z)) : kUpright;
      b.orientation = turn(any_direction(), std::pow(10.0, -8.0 + 6.0 * unit(random))) * along *
                      turn({0, 0, 1}, k % 3 == 0 ? 0.0 : 7.0 * unit(random));
      const double least = b.shape == Shape::convex_hull
                               ? std::min({size().half_x, size().half_y, size().half_z})
                               : *std::min_element(b.size.begin(), b.size.begin() + (b.shape == Shape::box ? 3 : 1));
      const double depth = (k % 7 == 0 ? -1.0 : 1.0) * 1e-4 * std::pow(0.3e4 * least, unit(random));
      b.position = (corner + u * to_x + v * to_y) + n * (reach_in(scene, b, -n) - depth);
      scene.add(b);
    }

    Collider& collider = collider_on("opencl");
    collider.set_scene(scene.scene);
    const FrameContacts frame = collider.collide(scene.poses());
    EXPECT_GT(frame.contacts.size(), 0U);
    EXPECT_TRUE(validates(scene, frame.contacts));
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, TerrainFuzz,
                         testing::Combine(testing::Range<std::size_t>(0, kFuzzedBodies.size()),
                                          testing::Range<std::size_t>(0, kFuzzedGrounds.size())),
                         [](const auto& fuzz) {
                           return std::string(kFuzzedBodies[std::get<0>(fuzz.param)].name) + "_on_" +
                                  kFuzzedGrounds[std::get<1>(fuzz.param)].name;
                         });

// Ground of one shape, symmetric about the vertex at the origin or lines through it.
struct ShapedGround {
  const char* name;
  double (*height)(double x, double y, double slope, double spacing);
  Diagonal diagonal = Diagonal::falling;
};
const std::vector<ShapedGround> kShapedGrounds{
    {"ridge_along_y", [](double x, double, double s, double) { return -s * std::abs(x); }},
    {"ridge_along_x", [](double, double y, double s, double) { return -s * std::abs(y); }},
    {"valley", [](double x, double, double s, double) { return s * std::abs(x); }},
    {"peak", [](double x, double y, double s, double) { return -s * std::max(std::abs(x), std::abs(y)); }},
    {"pit", [](double x, double y, double s, double) { return s * std::max(std::abs(x), std::abs(y)); }},
    {"ridge_along_a_diagonal", [](double x, double y, double s, double) { return -s * std::abs(x + y); }},
    {"ridge_across_diagonals", [](double x, double y, double s, double) { return -s * std::abs(x - y); }},
    {"saw", [](double x, double, double s, double d) { return std::lround(x / d) % 2 != 0 ? s * d : 0.0; }},
    {"chequered",
     [](double x, double y, double s, double d) { return std::lround((x + y) / d) % 2 != 0 ? s * d : 0.0; }},
    {"bump", [](double x, double y, double s, double d) { return x == 0.0 && y == 0.0 ? s * d : 0.0; }},
    {"step", [](double x, double, double s, double) { return x > 0.0 ? s : 0.0; }},
    {"ridge_along_a_rising_diagonal", [](double x, double y, double s, double) { return -s * std::abs(x - y); },
     Diagonal::rising},
};

class InLineWithTheGround : public OnOpenCl, public testing::WithParamInterface<std::size_t> {};

// As people set up a scene: bodies over vertices, edges and middles of cells, with axes along those of the grid, half
// way between, or along a slope, so that sides, edges and corners stand exactly over those of the ground.
TEST_P(InLineWithTheGround, DeviceAndReferenceFindTheSame) {
  const ShapedGround& shape = kShapedGrounds[GetParam()];
  std::vector<BodySpec> bodies{sphere(0.5, {}),        box({0.5, 0.5, 0.5}, {}), box({1.0, 0.25, 0.5}, {}),
                               cylinder(0.5, 1.0, {}), cylinder(1.0, 0.25, {}),  capsule(0.25, 1.0, {})};
  // A box, an octahedron, a tetrahedron, a wedge whose position is a corner of it.
  TestScene hulls;
  bodies.push_back(hull_of(hulls, {{1, 0.25, 0.5},
                                   {1, 0.25, -0.5},
                                   {1, -0.25, 0.5},
                                   {1, -0.25, -0.5},
                                   {-1, 0.25, 0.5},
                                   {-1, 0.25, -0.5},
                                   {-1, -0.25, 0.5},
                                   {-1, -0.25, -0.5}}));
  bodies.push_back(hull_of(hulls, {{1, 0, 0}, {-1, 0, 0}, {0, 0.5, 0}, {0, -0.5, 0}, {0, 0, 0.5}, {0, 0, -0.5}}));
  bodies.push_back(hull_of(hulls, {{0.5, 0.5, 0.5}, {-0.5, -0.5, 0.5}, {-0.5, 0.5, -0.5}, {0.5, -0.5, -0.5}}));
  bodies.push_back(hull_of(hulls, {{0, 0, 0}, {1, 0, 0}, {0, 0.5, 0}, {0, 0, 0.5}, {1, 0, 0.5}, {0, 0.5, 0.5}}));
  const std::vector<dvec2> places{{0.0, 0.0}, {0.0, 0.5}, {0.5, 0.5}, {0.25, 0.0}, {1.0, 0.0}, {0.0, 1.0}};
  int shift = 0;
  for (const double slope : {0.25, 0.5})
    for (const double spacing : {0.5, 1.25}) {
      ++shift;
      std::vector<dquat> turns = turns_in_line();
      for (const dquat& lies : kAlongAxes)
        for (const double tilt : {std::atan(slope), -std::atan(slope)})
          for (const dvec3 axis : {dvec3(1, 0, 0), dvec3(0, 1, 0)}) turns.push_back(turn(axis, tilt) * lies);
      const Grid grid{33, 33, {-16.0 * spacing, -16.0 * spacing}, {spacing, spacing}};
      const auto height = [&](double x, double y) { return shape.height(x, y, slope, spacing); };
      TestScene scene(terrain_of(grid, height));
      scene.scene.hulls = hulls.scene.hulls;
      scene.scene.terrains[0].diagonal = shape.diagonal;
      int number = 0;
      for (const BodySpec& spec : bodies)
        for (const dquat& q : turns)
          for (const dvec2 place : places)
            for (const double depth : {0.001, 0.0625}) {
              if (number++ % (3 * kSweepStep) != shift % 3) continue;  // a third in each scene
              BodySpec body = spec;
              body.orientation = q;
              // All heights of a cell's half are on one plane through three of its vertices.
              const double u = place.x, v = place.y, z00 = height(0.0, 0.0), z01 = height(spacing, 0.0),
                           z10 = height(0.0, spacing);
              body.position = {u * spacing, v * spacing,
                               z00 + u * (z01 - z00) + v * (z10 - z00) + reach_in(scene, body, {0, 0, -1}) - depth};
              scene.add(body);
            }
      Collider& collider = collider_on("opencl");
      collider.set_scene(scene.scene);
      const FrameContacts frame = collider.collide(scene.poses());
      EXPECT_GT(frame.pairs, scene.scene.bodies.count() / 2) << slope << " " << spacing;
      EXPECT_TRUE(validates(scene, frame.contacts)) << slope << " " << spacing;
    }
}

INSTANTIATE_TEST_SUITE_P(Of, InLineWithTheGround, testing::Range<std::size_t>(0, kShapedGrounds.size()),
                         [](const auto& ground) { return std::string(kShapedGrounds[ground.param].name); });

}  // namespace
}  // namespace oclide::test
