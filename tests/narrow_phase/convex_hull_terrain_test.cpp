// Convex hull against terrain: closed forms, the shapes that a hull can be as well, and hulls of any number of
// vertices.
#include <algorithm>
#include <cmath>

#include "narrow_phase/plane_cases.hpp"
#include "support/sweep.hpp"

namespace oclide::test {
namespace {

using Points = std::vector<std::array<double, 3>>;

class ConvexHullTerrain : public OnEachDevice {};
OCLIDE_ON_EACH_DEVICE(ConvexHullTerrain);

// What takes the reference long, or leaves it a choice.
class HullsOnTerrain : public OnOpenCl {};

Points box_points(dvec3 half, dvec3 middle = dvec3(0.0)) {
  Points points;
  for (int k = 0; k < 8; ++k)
    points.push_back({middle.x + (k & 1 ? half.x : -half.x), middle.y + (k & 2 ? half.y : -half.y),
                      middle.z + (k & 4 ? half.z : -half.z)});
  return points;
}

Points random_points(std::mt19937_64& random, std::size_t count, dvec3 half) {
  std::normal_distribution<double> normal;
  Points points;
  while (points.size() < count) {
    const dvec3 p = half * glm::normalize(dvec3(normal(random), normal(random), normal(random)));
    points.push_back({p.x, p.y, p.z});
  }
  return points;
}

BodySpec hull(std::size_t index, dvec3 position, dquat orientation = kUpright) {
  return {Shape::convex_hull, {static_cast<double>(index), 0.0, 0.0}, position, orientation};
}

struct GroundCase {
  const char* name;
  Terrain (*make)(const Grid&, std::uint64_t seed);
};
const std::vector<GroundCase> kGrounds{
    {"flat", [](const Grid& g, std::uint64_t) { return plane(g, 0.0, 0.0, 0.1); }},
    {"slope", [](const Grid& g, std::uint64_t) { return plane(g, 0.4, -0.3, 2.0); }},
    {"rough_fine", [](const Grid& g, std::uint64_t seed) { return rough(g, 0.05, seed); }},
    {"rough", [](const Grid& g, std::uint64_t seed) { return rough(g, 0.4, seed); }},
    {"steep", [](const Grid& g, std::uint64_t seed) { return rough(g, 1.5, seed); }},
    {"holes",
     [](const Grid& g, std::uint64_t seed) {
       Terrain t = rough(g, 0.5, seed);
       open_cells(t, 0.15, seed + 1);
       return t;
     }},
    {"kerbs",
     [](const Grid& g, std::uint64_t) {
       return terrain_of(
           g, [](double x, double y) { return std::lround(x / 1.5) + std::lround(y / 2.5) % 2 != 0 ? 0.3 : 0.0; });
     }},
};

// Where the ground stands under a place, about.
double height_under(const Terrain& t, double x, double y) {
  const auto index = [](double at, double origin, double spacing, std::size_t count) {
    return static_cast<std::size_t>(std::clamp((at - origin) / spacing, 0.0, static_cast<double>(count - 1)));
  };
  return t.heights[vertex(t, index(y, t.origin[1], t.spacing[1], t.rows), index(x, t.origin[0], t.spacing[0], t.cols))];
}

// Two scenes of bodies that are the same solids, or were before they were rounded.
struct TwoScenes {
  TestScene first, second;
  std::size_t bodies = 0;

  explicit TwoScenes(const Terrain& terrain) : first(terrain), second(terrain) {}
};

std::vector<Contact> contacts_on(const std::string& device, const TestScene& scene, double margin = 0.0) {
  Collider& collider = collider_on(device, margin);
  collider.set_scene(scene.scene);
  return collider.collide(scene.poses()).contacts;
}

// One hull at a place.
TestScene one_hull(const Terrain& terrain, const Points& points, dvec3 position, dquat orientation = kUpright) {
  TestScene scene(terrain);
  scene.scene.hulls.push_back(points);
  scene.add(hull(0, position, orientation));
  return scene;
}

// The contacts of each body are those of the other scene, one by one; where two of one point nearly have one normal,
// rounding may choose. How many bodies have any.
std::size_t expect_same(const std::string& device, const TwoScenes& scenes, double margin, const std::string& name) {
  const std::vector<Contact> first = contacts_on(device, scenes.first, margin),
                             second = contacts_on(device, scenes.second, margin);
  std::size_t touching = 0;
  for (std::uint32_t k = 0; k < scenes.bodies; ++k) {
    std::vector<ExpectedContact> expected;
    for (const Contact& c : of_body(first, k))
      expected.push_back({point_of(c), normal_of(c), static_cast<double>(c.depth)});
    touching += expected.empty() ? 0 : 1;
    EXPECT_TRUE(same_contacts(of_body(second, k), expected, {2e-5, 1.5e-3})) << name << ", body " << k;
  }
  return touching;
}

const Grid kCells{31, 37, {-9.0, -7.5}, {0.5, 0.5}};

TEST_F(HullsOnTerrain, OfABoxsCornersHaveTheContactsOfTheBox) {
  for (int seed = 0; seed < fuzz_seeds(); ++seed)
    for (const GroundCase& ground : kGrounds)
      for (const double margin : {0.0, 0.04}) {
        SCOPED_TRACE(seed);
        std::mt19937_64 random(1000 * static_cast<std::uint64_t>(seed) + (margin > 0.0 ? 2 : 1));
        const auto uniform = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
        const Terrain terrain = ground.make(kCells, 3);
        TwoScenes scenes(terrain);
        for (; scenes.bodies < 400; ++scenes.bodies) {
          const dvec3 half(std::exp(uniform(-3.0, 0.3)), std::exp(uniform(-3.0, 0.3)), std::exp(uniform(-3.0, 0.3)));
          const double u = uniform(-10.0, 10.0), v = uniform(-8.5, 8.5);
          const dvec3 position(u, v, height_under(terrain, u, v) + uniform(-1.0, 1.0) * glm::length(half));
          const dquat q = random_orientation(random);
          scenes.first.add(box(half, position, q));
          scenes.second.scene.hulls.push_back(box_points(half));
          scenes.second.add(hull(scenes.bodies, position, q));
        }
        EXPECT_GT(expect_same("opencl", scenes, margin, ground.name), 200U);
      }
}

// Over hundreds of cells, and with more vertices than any mask of them has bits.
TEST_P(ConvexHullTerrain, LargerThanManyCellsHasTheContactsOfTheBox) {
  const Grid fine{81, 93, {-9.0, -7.5}, {0.2, 0.2}};
  for (const GroundCase& ground : kGrounds) {
    std::mt19937_64 random(11);
    const auto uniform = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
    const Terrain terrain = ground.make(fine, 3);
    TwoScenes scenes(terrain);
    for (; scenes.bodies < 16; ++scenes.bodies) {
      const dvec3 half(uniform(1.0, 4.0), uniform(1.0, 4.0), uniform(0.2, 2.0));
      const dvec3 position(uniform(-4.0, 4.0), uniform(-4.0, 4.0), uniform(-0.5, 1.0) + 0.5 * half.z);
      const dquat q = turn({uniform(-1.0, 1.0), uniform(-1.0, 1.0), 0.2}, uniform(0.0, 0.5));
      scenes.first.add(box(half, position, q));
      scenes.second.scene.hulls.push_back(box_points(half));
      scenes.second.add(hull(scenes.bodies, position, q));
    }
    EXPECT_GT(expect_same(GetParam(), scenes, 0.0, ground.name), 8U);
  }
}

// A body of several hulls has the contacts of each.
TEST_P(ConvexHullTerrain, AsAPartHasTheContactsOfABody) {
  std::mt19937_64 random(12);
  const auto uniform = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
  for (const GroundCase& ground : kGrounds) {
    TestScene parts(ground.make(kCells, 3)), bodies = parts;
    for (std::size_t k = 0; k < 20; ++k)
      bodies.scene.hulls.push_back(random_points(random, 4 + 2 * k, {0.5, 0.4, 0.3}));
    parts.scene.hulls = bodies.scene.hulls;
    for (std::size_t k = 0; k < 60; ++k) {
      const double u = uniform(-8.0, 8.0), v = uniform(-7.0, 7.0);
      const dvec3 position(u, v, height_under(parts.scene.terrains[0], u, v) + uniform(0.0, 0.5));
      const dquat q = random_orientation(random);
      parts.scene.compounds.emplace_back();
      for (std::size_t p = 0; p < 3; ++p) {
        // Quarters of a metre and of a turn, so that both ways to a part's place round alike.
        const dvec3 place(0.25 * static_cast<double>(p), 0.0, 0.25);
        const auto size = static_cast<double>((k + 7 * p) % 20);
        parts.scene.compounds.back().push_back({Shape::convex_hull, {size, 0.0, 0.0}, {place.x, place.y, place.z}});
        bodies.add(hull((k + 7 * p) % 20, position + q * place, q));
      }
      parts.add({Shape::compound, {static_cast<double>(k), 0.0, 0.0}, position, q});
    }
    const std::vector<Contact> of_parts = contacts_on(GetParam(), parts), of_bodies = contacts_on(GetParam(), bodies);
    ASSERT_EQ(of_parts.size(), of_bodies.size()) << ground.name;
    EXPECT_GT(of_parts.size(), 100U);
    for (std::size_t c = 0; c < of_parts.size(); ++c) {
      EXPECT_EQ(3 * of_parts[c].body_a + of_parts[c].shape_a, of_bodies[c].body_a) << ground.name;
      EXPECT_NEAR(of_parts[c].depth, of_bodies[c].depth, 2e-5) << ground.name;
      EXPECT_LT(glm::distance(point_of(of_parts[c]), point_of(of_bodies[c])), 2e-4) << ground.name;
    }
  }
}

// As people set up a scene: sides, edges and corners stand exactly over those of the ground. There rounding chooses
// among contacts; none chooses how deep a body is.
TEST_F(HullsOnTerrain, OfABoxsCornersInLineWithTheGroundAreAsDeepAsTheBox) {
  for (const GroundCase& ground : kGrounds) {
    // On random ground that has a corner exactly over a vertex, more than rounding depends on which side it is taken
    // for.
    if (std::string(ground.name) != "flat" && std::string(ground.name) != "slope" &&
        std::string(ground.name) != "kerbs")
      continue;
    const Terrain terrain = ground.make(kCells, 4);
    TestScene boxes(terrain), hulls(terrain);
    std::uint32_t bodies = 0;
    for (const dvec3 half : {dvec3(0.5, 0.5, 0.5), dvec3(1.0, 0.25, 0.5), dvec3(0.3, 0.2, 0.1)})
      for (const double x : {-2.0, -1.75, 0.1})
        for (const double y : {1.0, 1.25, 0.37})
          for (const double up : {-0.3, 0.0, 0.45})
            for (const dquat q : {kUpright, kAlongX, turn({0, 0, 1}, 0.25 * std::numbers::pi), turn({1, 0, 0}, 0.3),
                                  turn({0, 1, 0}, 0.25 * std::numbers::pi)}) {
              const dvec3 position(x, y, height_under(terrain, x, y) + up);
              boxes.add(box(half, position, q));
              hulls.scene.hulls.push_back(box_points(half));
              hulls.add(hull(bodies++, position, q));
            }
    const std::vector<Contact> of_boxes = contacts_on("opencl", boxes), of_hulls = contacts_on("opencl", hulls);
    for (std::uint32_t k = 0; k < bodies; ++k)
      EXPECT_NEAR(deepest(of_body(of_hulls, k)), deepest(of_body(of_boxes, k)), 2e-5) << ground.name << ", body " << k;
  }
}

// The position of a body is where its numbers begin, and nothing else: it may be far outside of the hull.
TEST_F(HullsOnTerrain, AreTheSameWhereverTheirPositionIs) {
  for (int seed = 0; seed < fuzz_seeds(); ++seed)
    for (const GroundCase& ground : kGrounds)
      for (const double margin : {0.0, 0.04}) {
        SCOPED_TRACE(seed);
        std::mt19937_64 random(1000 * static_cast<std::uint64_t>(seed) + 5);
        const auto uniform = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
        const Terrain terrain = ground.make(kCells, 3);
        TwoScenes scenes(terrain);
        for (; scenes.bodies < 200; ++scenes.bodies) {
          const dvec3 half(std::exp(uniform(-2.0, 0.3)), std::exp(uniform(-2.0, 0.3)), std::exp(uniform(-2.0, 0.3)));
          // Multiples of 2^-12, so that the moved ones are not rounded.
          Points points = random_points(random, 4 + scenes.bodies % 40, half);
          for (auto& p : points)
            for (double& x : p) x = std::round(x * 4096.0) / 4096.0;
          const dvec3 moved = glm::round(4.0 * dvec3(uniform(-1.0, 1.0), uniform(-1.0, 1.0), uniform(-1.0, 1.0)));
          scenes.first.scene.hulls.push_back(points);
          for (auto& p : points)
            for (int a = 0; a < 3; ++a) p[static_cast<std::size_t>(a)] += moved[a];
          scenes.second.scene.hulls.push_back(points);
          const double u = uniform(-10.0, 10.0), v = uniform(-8.5, 8.5);
          const dvec3 position(u, v, height_under(terrain, u, v) + uniform(-1.0, 1.0) * glm::length(half));
          const dquat q = random_orientation(random);
          scenes.first.add(hull(scenes.bodies, position, q));
          scenes.second.add(hull(scenes.bodies, position - q * moved, q));
        }
        EXPECT_GT(expect_same("opencl", scenes, margin, ground.name), 90U);
      }
}

// Deep under a ridge, with a vertex beside it that has its way out to both sides: to that beyond it by the cell there,
// which the body's rectangle ends before, by more than it is widened. A device widens it by more where numbers are
// greater, and has that contact or has it not.
TEST_F(HullsOnTerrain, EndBesideALineOfTheGridByRoundingAlone) {
  const Terrain ground = terrain_of(kOneEdge, [](double x, double) { return x > 0.0 ? -0.095 * x : 0.1 * x; });
  for (const double beside : {5e-6, 2e-5, 3e-5, 2e-4})
    for (const double away : {0.0, 2.0, 4.0}) {
      const Points points{
          {-beside + away, 0, -1}, {-0.4 + away, 0.1, 0.5}, {-0.4 + away, -0.3, 0.5}, {-0.9 + away, 0, 0.6}};
      const TestScene scene = one_hull(ground, points, {-away, kMiddle, 0.0});
      EXPECT_TRUE(validates(scene, contacts_on("opencl", scene))) << beside << " " << away;
    }
}

// A hull of one shape at many places, and what kind 1 has of it on a plane: every vertex below.
TEST_F(HullsOnTerrain, OnAPlaneOfAnySlopeTouchAtTheVerticesBelowIt) {
  std::mt19937_64 random(8);
  const std::vector<std::pair<std::size_t, dvec3>> kinds{
      {4, {1.0, 0.8, 0.6}},  {6, {0.02, 0.03, 1.2}}, {7, {1.0, 1.0, 0.01}},  {33, {0.5, 0.5, 0.5}},
      {64, {0.8, 0.4, 0.2}}, {400, {0.6, 0.6, 0.6}}, {2000, {0.5, 0.7, 0.6}}};
  for (const Plane& p : kPlanes) {
    TestScene scene(plane({33, 41, {-10.0, -8.0}, {0.5, 0.5}}, p.gx, p.gy, p.z0));
    std::uniform_real_distribution<double> across(-3.0, 3.0), height(-0.6, 1.1);
    for (const auto& [count, half] : kinds) scene.scene.hulls.push_back(random_points(random, count, half));
    for (std::size_t k = 0; k < 70; ++k) {
      const double x = across(random), y = across(random);
      scene.add(
          hull(k % kinds.size(), dvec3(x, y, p.z0 + p.gx * x + p.gy * y + height(random)), random_orientation(random)));
    }
    const std::vector<Contact> found = contacts_on("opencl", scene);
    for (std::uint32_t k = 0; k < 70; ++k) {
      const dvec3 position(scene.position[3 * k], scene.position[3 * k + 1], scene.position[3 * k + 2]);
      const dquat q(scene.orientation[4 * k], scene.orientation[4 * k + 1], scene.orientation[4 * k + 2],
                    scene.orientation[4 * k + 3]);
      double deep = 0.0;
      std::vector<dvec3> vertices;
      for (const auto& v : scene.scene.hulls[k % kinds.size()]) {
        vertices.push_back(position + q * dvec3(v[0], v[1], v[2]));
        deep = std::max(deep, -p.distance(vertices.back()));
      }
      const std::vector<Contact> own = of_body(found, k);
      EXPECT_NEAR(std::max(deepest(own), 0.0), deep, 2e-5) << "body " << k;
      EXPECT_LE(own.size(), 4U);
      for (const Contact& c : own) {
        EXPECT_GT(glm::dot(normal_of(c), p.normal()), 1.0 - 1e-7);
        EXPECT_NEAR(c.depth, -p.distance(point_of(c)), 2e-5);
        double off = 1.0;
        for (const dvec3& v : vertices) off = std::min(off, glm::distance(v, point_of(c)));
        EXPECT_LT(off, 2e-5) << "body " << k;
      }
    }
  }
}

// A tent upside down: its lower edge along x, `half` long to both sides, `height` under its upper side.
Points keel(double half, double width, double height) {
  return {{-half, 0.0, -height}, {half, 0.0, -height}, {-half, -width, 0.0},
          {-half, width, 0.0},   {half, -width, 0.0},  {half, width, 0.0}};
}

TEST_P(ConvexHullTerrain, AKeelAcrossARidgeTouchesOnceWhereTheEdgesCross) {
  for (const double x : {-0.3, 0.0, 0.2})
    EXPECT_TRUE(same_contacts(contacts(one_hull(ridge(kOneEdge, 0.5), keel(0.8, 0.2, 0.5), {x, kMiddle, 0.49})),
                              {{{0.0, kMiddle, -0.01}, {0, 0, 1}, 0.01}}));
}

TEST_P(ConvexHullTerrain, StandsOnARidgeAtBothEndsOfTheEdgeUnderItsFace) {
  // A prism of eight sides, on one of them, turned: the ridge is cut by sides that are not at right angles to it.
  const double r = 0.3, turned = 0.1;
  Points points;
  for (int k = 0; k < 8; ++k)
    for (const double z : {0.0, 0.4}) {
      const double a = 0.25 * std::numbers::pi * k;
      points.push_back({r * std::cos(a), r * std::sin(a), z});
    }
  // Where the line x = 0 leaves the octagon, whose sides are r cos(pi / 8) from its middle.
  const double side = std::numbers::pi / 8.0, out = r * std::cos(side) / std::cos(turned - side);
  EXPECT_TRUE(
      same_contacts(contacts(one_hull(ridge(kOneEdge, 0.5), points, {0.0, kMiddle, -0.01}, turn({0, 0, 1}, turned))),
                    {{{0.0, kMiddle - out, -0.01}, {0, 0, 1}, 0.01}, {{0.0, kMiddle + out, -0.01}, {0, 0, 1}, 0.01}}));
}

// The deepest place is at the rim of the body as seen from above, and beside it is a contact that moves the body by
// nanometres: that clears nothing.
TEST_P(ConvexHullTerrain, HasALiftBesideATouchAtItsRim) {
  TestScene scene(rough({61, 65, {-16.0, -15.0}, {0.5, 0.5}}, 0.05, 3));
  scene.scene.hulls = {{{0.33533636186188243, 0.14864817900358543, 0.13978862938099071},
                        {0.24212436433723949, 0.20848929942129621, -0.063463207369377786},
                        {0.39220596432806604, -0.11397412899821206, 0.13082507718542002},
                        {-0.44132908219800859, 0.044543440282151292, -0.1364678266532551},
                        {0.30872125881101464, 0.16285121139613734, 0.13881200183372031}}};
  scene.add(hull(0, {6.3850825585939273, 10.85226895294516, 0.21554219610869574},
                 {-0.77392775471206277, 0.56792149610931697, 0.27652978302432574, -0.045080858951663333}));
  double deepest = 0.0;
  for (const Contact& c : contacts(scene)) deepest = std::max(deepest, static_cast<double>(c.depth));
  EXPECT_NEAR(deepest, 0.003916, 1e-4);
}

TEST_P(ConvexHullTerrain, OnAPeakIsPushedUpByTheVertexInside) {
  std::mt19937_64 random(3);
  const Points points = random_points(random, 300, {0.8, 0.8, 0.8});
  Points flat_below;
  for (auto p : points) {
    p[2] = std::max(p[2], -0.3);
    flat_below.push_back(p);
  }
  EXPECT_TRUE(
      contain(contacts(one_hull(peak(0.5), flat_below, {0.02, 0.03, 0.79})), {{{0.0, 0.0, 0.49}, {0, 0, 1}, 0.01}}));
}

// A vertex of the border under a side's edge, within the margin: straight off that side, and up to 1e-5 m beside it. A
// box and a cylinder have the same side.
TEST_P(ConvexHullTerrain, OverABorderVertexTouchesUpToItsSide) {
  const double apart = 0.0187, half = 0.4;
  for (const bool rising : {false, true}) {
    // Diagonals that rise are those that fall, in a mirror.
    const double to = rising ? -1.0 : 1.0;
    Terrain ground = terrain_of({5, 3, {rising ? -1.0 : 0.0, -1.1}, {0.5, 0.55}},
                                [&](double x, double y) { return -0.3 * (std::abs(x) + std::abs(y)); });
    ground.diagonal = rising ? Diagonal::rising : Diagonal::falling;
    for (const double beside : {-6.6e-6, 3e-6, 6.6e-6, 1e-4}) {
      const dvec3 position(to * (half + beside), 0.0, apart + 0.2);
      TestScene scene(ground);
      scene.scene.hulls.push_back(box_points({half, 0.3, 0.2}));
      scene.add(hull(0, position));
      scene.add(box({half, 0.3, 0.2}, position));
      scene.add(cylinder(half, 0.2, position));
      const std::vector<Contact> found = contacts(scene, 0.05);
      EXPECT_EQ(found.size(), beside > 1e-5 ? 0U : 3U) << rising << " " << beside << text(found);
      for (const Contact& c : found) {
        EXPECT_NEAR(static_cast<double>(c.depth), -apart, kClosedForm);
        EXPECT_LT(glm::distance(point_of(c), dvec3(0.0, 0.0, apart)), kClosedForm + 1e-5);
      }
    }
  }
}

TEST_P(ConvexHullTerrain, InAPitTouchesWithEachVertexTheFaceOverIt) {
  // A pyramid upside down, blunt, of four lower vertices.
  const double bottom = -0.5 + 0.13;
  Points points{{0.6, 0.0, 0.5}, {-0.6, 0.0, 0.5}, {0.0, 0.6, 0.5}, {0.0, -0.6, 0.5}};
  for (const auto& p : box_points({0.3, 0.2, 0.0})) points.push_back(p);
  std::vector<ExpectedContact> expected;
  for (double x : {-0.3, 0.3})
    for (double y : {-0.2, 0.2})
      for (const Sector& s : kPeakSectors) {
        const dvec3 corner(x, y, bottom);
        const Plane face{0.5 * s.gx, 0.5 * s.gy, -0.5};
        const double depth = -face.distance(corner);
        if (in_sector(s, corner) && depth > 0.0) expected.push_back({corner, face.normal(), depth});
      }
  ASSERT_EQ(expected.size(), 4U);
  EXPECT_TRUE(same_contacts(contacts(one_hull(peak(-0.5), points, {0.0, 0.0, bottom})), expected));
}

// Its position is over the ground, or beyond the wall, and does not count: the hull is beside the wall.
TEST_P(ConvexHullTerrain, OutsideAndBelowTheTopIsPushedOffTheWall) {
  const Grid grid{5, 4, {0.0, 0.0}, {1.0, 1.0}};
  std::vector<ExpectedContact> expected;
  for (double y : {-0.2, 0.2})
    for (double z : {-0.1, 0.1}) expected.push_back({{0.05, 1.4 + y, -2.0 + z}, {-1, 0, 0}, 0.05});
  for (const dvec3 moved : {dvec3(0.0), dvec3(1.0, 0.3, -2.0), dvec3(-3.0, 0.0, 1.0)})
    EXPECT_TRUE(contain(
        contacts(one_hull(plane(grid, 0, 0), box_points({0.3, 0.2, 0.1}, -moved), dvec3(-0.25, 1.4, -2.0) + moved)),
        expected));
}

// The mean of its vertices' box is beyond the wall, but most of it is over the ground: it is lifted, and not pushed.
TEST_P(ConvexHullTerrain, WhoseMiddleIsOverTheGroundIsNotPushedOffTheWall) {
  const Grid grid{5, 4, {0.0, 0.0}, {1.0, 1.0}};
  const Points nail{{-0.6, 0.0, 0.0}, {0.5, 0.2, 0.2}, {0.5, -0.2, 0.2}, {0.5, 0.2, -0.2}, {0.5, -0.2, -0.2}};
  for (const Contact& c : contacts(one_hull(plane(grid, 0, 0), nail, {0.02, 2.0, -0.15})))
    EXPECT_EQ(c.normal, (std::array<float, 3>{0.0F, 0.0F, 1.0F})) << text(c);
}

TEST_P(ConvexHullTerrain, OverAHoleThatItCoversIsPushedUpAlone) {
  Terrain t = plane({7, 9, {-4.0, -3.0}, {1.0, 1.0}}, 0, 0);
  t.holes.assign(48, 0);
  t.holes[cell(t, 3, 4)] = 1;
  for (const double angle : {-3e-3, 3e-3}) {
    const std::vector<Contact> found =
        contacts(one_hull(t, box_points({1.5, 1.4, 0.3}), {0.5, 0.5, 0.29}, turn({0.3, 1.0, 0.0}, angle)));
    ASSERT_FALSE(found.empty());
    for (const Contact& c : found) {
      EXPECT_GT(c.normal[2], 0.999F);
      EXPECT_LT(c.depth, 0.02F);
    }
  }
}

TEST_P(ConvexHullTerrain, BuriedIsPushedUpUntilItsLowestVertexIsOut) {
  for (double z : {-0.01, -0.1, -0.5, -3.0}) {
    const std::vector<Contact> found = contacts(one_hull(plane({}, 0, 0), keel(0.3, 0.2, 0.1), {0.3, 0.2, z}));
    EXPECT_NEAR(deepest(found), 0.1 - z, kClosedForm);
    for (const Contact& c : found) EXPECT_EQ(c.normal, (std::array<float, 3>{0.0F, 0.0F, 1.0F}));
  }
}

// Every vertex of 2,000 is the lowest in turn, and has the contact.
TEST_F(HullsOnTerrain, OfTwoThousandVerticesTouchWithWhicheverIsLowest) {
  std::mt19937_64 random(4);
  const Points points = random_points(random, 2000, {1.0, 1.0, 1.0});
  TestScene scene(plane({33, 41, {-10.0, -8.0}, {0.5, 0.5}}, 0.2, -0.1));
  const dvec3 n = Plane{0.2, -0.1}.normal();
  scene.scene.hulls.push_back(points);
  std::vector<dvec3> expected;
  for (std::size_t k = 0; k < points.size(); k += 37) {
    const dvec3 v = glm::normalize(dvec3(points[k][0], points[k][1], points[k][2]));
    const dvec3 axis = glm::cross(v, -n);
    const dquat q = turn(axis, std::atan2(glm::length(axis), glm::dot(v, -n)));
    const dvec3 position(0.3, -0.2, 0.2 * 0.3 + 0.1 * 0.2 + 0.9999 / n.z);
    scene.add(hull(0, position, q));
    expected.push_back(position + q * dvec3(points[k][0], points[k][1], points[k][2]));
  }
  const std::vector<Contact> found = contacts_on("opencl", scene);
  for (std::uint32_t k = 0; k < expected.size(); ++k)
    EXPECT_TRUE(contain(of_body(found, k), {{expected[k], n, 1e-4}}, {2e-5, 1e-4})) << "vertex " << 37 * k;
}

// Over 400,000 cells, most of them far below it.
TEST_F(HullsOnTerrain, OverVeryManyCellsRestOnTheHighestVertex) {
  Terrain ground = rough({701, 701, {-35.0, -35.0}, {0.1, 0.1}}, 0.2, 9);
  ground.heights[vertex(ground, 350, 350)] = 1.0;
  Points points{{31, 30, 0}, {-31, 30, 0}, {31, -30, 0}, {-31, -30, 0}, {0, 0, 9}};
  EXPECT_TRUE(same_contacts(contacts_on("opencl", one_hull(ground, points, {0.4, 0.3, 0.99})),
                            {{{0.0, 0.0, 0.99}, {0, 0, 1}, 0.01}}));
}

// A compound of hulls is each of them.
TEST_P(ConvexHullTerrain, IsAPartOfCompounds) {
  const Terrain ground = rough(kCells, 0.3, 6);
  TestScene single(ground), together(ground);
  std::mt19937_64 random(7);
  for (std::size_t k = 0; k < 2; ++k) {
    single.scene.hulls.push_back(random_points(random, 12 + 20 * k, {0.6, 0.4, 0.5}));
    single.add(hull(k, {k == 0 ? 0.8 : -0.8, 0.0, 0.2}, random_orientation(random)));
  }
  together.scene.hulls = single.scene.hulls;
  std::vector<CompoundPart> parts;
  for (std::size_t k = 0; k < 2; ++k)
    parts.push_back({Shape::convex_hull,
                     single.scene.bodies.size[k],
                     {single.position[3 * k], single.position[3 * k + 1], single.position[3 * k + 2]},
                     {single.orientation[4 * k], single.orientation[4 * k + 1], single.orientation[4 * k + 2],
                      single.orientation[4 * k + 3]}});
  together.scene.compounds.push_back(parts);
  together.add({Shape::compound, {0.0, 0.0, 0.0}, {}, kUpright});
  std::vector<ExpectedContact> expected;
  for (const Contact& c : contacts(single))
    expected.push_back({point_of(c), normal_of(c), static_cast<double>(c.depth)});
  ASSERT_GT(expected.size(), 2U);
  EXPECT_TRUE(same_contacts(contacts_on(GetParam(), together), expected));
}

}  // namespace
}  // namespace oclide::test
