// Bodies that tremble by micrometres over lines of the grid keep their contacts' features: each frame has as many
// contacts, of the same features, and no manifold begins or ends.
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <span>

#include "support/on_each_device.hpp"
#include "support/sweep.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

constexpr double kTremble = 1e-6;  // [m], and [rad] times a metre
constexpr int kFrames = 60, kFramesOfReference = 20;
constexpr double kPi = 3.14159265358979323846;
constexpr double kDeep = 1e-3;  // of the body at rest [m]

const Grid kGrid{33, 41, {-10.0, -8.0}, {0.5, 0.5}};
const Terrain kKerb = terrain_of(kGrid, [](double x, double) { return x < 0.25 ? -1.0 : 0.0; });

// A body as it rests on a plane through the origin, with what it touches it with at z = 0.
struct Resting {
  const char* name;
  Shape shape;
  std::array<double, 3> size;
  dquat turn;
  double height;  // of the centre [m]
};

std::vector<Resting> resting() {
  const double r = std::sqrt(0.5);
  const dquat lying{r, r, 0.0, 0.0}, lying_askew = turn({0, 0, 1}, 0.4) * lying;
  return {
      {"sphere", Shape::sphere, {0.3, 0, 0}, kUpright, 0.3},
      {"large sphere", Shape::sphere, {2.0, 0, 0}, kUpright, 2.0},
      {"box", Shape::box, {0.2, 0.15, 0.1}, kUpright, 0.1},
      {"box askew", Shape::box, {0.2, 0.15, 0.1}, turn({0, 0, 1}, 0.3), 0.1},
      {"large box", Shape::box, {1.25, 0.9, 0.3}, kUpright, 0.3},
      {"large box askew", Shape::box, {1.25, 0.9, 0.3}, turn({0, 0, 1}, 0.7), 0.3},
      {"box on an edge", Shape::box, {0.2, 0.2, 0.2}, turn({1, 0, 0}, 0.25 * kPi), 0.2 / r},
      {"cylinder", Shape::cylinder, {0.2, 0.3, 0}, kUpright, 0.3},
      {"lying cylinder", Shape::cylinder, {0.2, 0.3, 0}, lying, 0.2},
      {"lying cylinder askew", Shape::cylinder, {0.4, 1.1, 0}, lying_askew, 0.4},
      {"leaning cylinder",
       Shape::cylinder,
       {0.3, 0.1, 0},
       turn({1, 0.3, 0}, 0.4),
       0.3 * std::sin(0.4) + 0.1 * std::cos(0.4)},
      {"capsule", Shape::capsule, {0.2, 0.3, 0}, kUpright, 0.5},
      {"lying capsule", Shape::capsule, {0.2, 0.3, 0}, lying, 0.2},
      {"lying capsule askew", Shape::capsule, {0.3, 1.2, 0}, lying_askew, 0.3},
      {"box of a cell", Shape::box, {0.2, 0.25, 0.1}, kUpright, 0.1},
      {"cylinder of a cell", Shape::cylinder, {0.25, 0.2, 0}, kUpright, 0.2},
      {"lying cylinder of a cell", Shape::cylinder, {0.2, 0.25, 0}, lying, 0.2},
      {"lying capsule of a cell", Shape::capsule, {0.2, 0.25, 0}, lying, 0.2},
      {"plate", Shape::convex_hull, {0, 0, 0}, kUpright, 0.1},
      {"plate askew", Shape::convex_hull, {0, 0, 0}, turn({0, 0, 1}, 0.25), 0.1},
  };
}

// A body that trembles about a pose.
struct Placed {
  std::string name;
  Shape shape;
  std::array<double, 3> size;
  dvec3 position;
  dquat orientation;
};

// An eight-sided plate: all corners of a base are equally deep, and as far from its middle.
std::vector<std::array<double, 3>> plate() {
  std::vector<std::array<double, 3>> points;
  for (int k = 0; k < 8; ++k)
    for (const double z : {-0.1, 0.1}) {
      const double angle = 0.125 * (2 * k + 1) * kPi;
      points.push_back({0.9 * std::cos(angle), 0.9 * std::sin(angle), z});
    }
  return points;
}

// The corners of the box of half sides 0.2, 0.3 and 0.2 m.
std::vector<std::array<double, 3>> box_hull() {
  std::vector<std::array<double, 3>> points;
  for (int k = 0; k < 8; ++k) points.push_back({k & 1 ? 0.2 : -0.2, k & 2 ? 0.3 : -0.3, k & 4 ? 0.2 : -0.2});
  return points;
}

dquat from_z_to(dvec3 n) {
  return glm::normalize(dquat(1.0 + n.z, glm::cross(dvec3(0, 0, 1), n)));
}

Terrain in_floats(Terrain t) {
  for (double& h : t.heights) h = static_cast<double>(static_cast<float>(h));
  return t;
}

class Trembling : public OnEachDevice {
 protected:
  static constexpr std::array<double, 2> kMargins{0.0, 0.02};

  using Places = std::vector<std::pair<dvec3, dvec3>>;
  using Names = std::set<std::string>;

  // All bodies at once, or those of these names, each on the surface point `at` with outward normal n.
  static std::vector<Placed> resting_at(const Places& places, const Names& of = {}) {
    std::vector<Placed> bodies;
    for (const auto& [at, n] : places)
      for (const Resting& b : resting()) {
        if (!of.empty() && of.count(b.name) == 0) continue;
        bodies.push_back({std::string(b.name) + " at " + std::to_string(at.x) + ", " + std::to_string(at.y), b.shape,
                          b.size, at + (b.height - kDeep) * n, from_z_to(n) * b.turn});
      }
    return bodies;
  }

  // The ground is the terrain, whichever way its diagonals run, and a mesh of its triangles.
  void expect_still(Terrain terrain, const std::vector<Placed>& bodies, std::span<const double> margins = kMargins) {
    expect_still_on(TestScene(terrain), "falling diagonals", bodies, margins);
    for (const Diagonal diagonal : {Diagonal::rising, Diagonal::alternating_rising}) {
      terrain.diagonal = diagonal;
      expect_still_on(TestScene(terrain), alternates(diagonal) ? "alternating" : "rising", bodies, margins);
    }
    expect_still_on_mesh(sheet_of(terrain), bodies, margins);
  }
  void expect_still(const Terrain& terrain, const Places& places, const Names& of = {}) {
    expect_still(terrain, resting_at(places, of));
  }
  void expect_still_on_mesh(const Mesh& mesh, const std::vector<Placed>& bodies,
                            std::span<const double> margins = kMargins) {
    TestScene scene;
    scene.scene.meshes.push_back(mesh);
    scene.bodies_meet = true;
    scene.add({Shape::triangle_mesh, {0, 0, 0}});
    scene.bodies_meet = false;
    expect_still_on(scene, "a mesh", bodies, margins);
  }

  void expect_still_on(const TestScene& ground, const std::string& ground_name, const std::vector<Placed>& bodies,
                       std::span<const double> margins = kMargins) {
    const std::size_t before = ground.scene.bodies.shape.size();
    for (const double margin : margins) {
      TestScene scene = ground;
      scene.scene.hulls = {plate(), box_hull()};
      std::vector<std::string> names(before);
      for (const Placed& b : bodies) {
        scene.add({b.shape, b.size, b.position, b.orientation});
        names.push_back(b.name + ", margin " + std::to_string(margin) + ", " + ground_name);
      }
      Settings settings;
      settings.device = GetParam() == "opencl" ? opencl_device() : GetParam();
      settings.margin = margin;
      settings.track = true;
      Collider collider(settings);
      collider.set_scene(scene.scene);
      std::mt19937_64 random(5);
      std::uniform_real_distribution<double> tremble(-kTremble, kTremble);
      const TestScene still = scene;
      std::vector<std::multiset<std::uint32_t>> first(names.size());
      std::set<std::string> failed;
      for (int frame = 0; frame < (GetParam() == "opencl" ? kFrames : kFramesOfReference) / kSweepStep; ++frame) {
        for (std::size_t b = before; b < names.size(); ++b) {
          for (std::size_t a = 0; a < 3; ++a)
            scene.position[3 * b + a] = still.position[3 * b + a] + (frame == 0 ? 0.0 : tremble(random));
          const double* was = &still.orientation[4 * b];
          const dquat q = dquat(1.0, 0.5 * dvec3(tremble(random), tremble(random), tremble(random))) *
                          dquat(was[0], was[1], was[2], was[3]);
          const std::array<double, 4> now{q.w, q.x, q.y, q.z};
          std::copy(now.begin(), now.end(), scene.orientation.begin() + static_cast<std::ptrdiff_t>(4 * b));
        }
        const FrameContacts& found = collider.update(scene.poses());
        std::vector<std::multiset<std::uint32_t>> features(names.size());
        for (const Contact& c : found.contacts) features[c.body_a < before ? c.body_b : c.body_a].insert(c.feature);
        if (frame == 0) first = features;
        for (std::size_t b = before; b < names.size(); ++b) {
          if (first[b].empty()) failed.insert(names[b] + ": no contact");
          if (features[b] != first[b])
            failed.insert(names[b] + ": features, " + std::to_string(first[b].size()) + " then " +
                          std::to_string(features[b].size()));
        }
        if (frame > 0)
          for (const ManifoldEvent& e : found.events)
            if (e.change != Change::persist)
              failed.insert(names[e.body_a < before ? e.body_b : e.body_a] + ": an event");
      }
      for (const std::string& f : failed) ADD_FAILURE() << f;
    }
  }

  // Over a cell line along x, one along y, a vertex, the middle of a diagonal, and inside an element.
  void expect_still_on_plane(const Terrain& terrain, double gx, double gy, double z0) {
    const dvec3 n = glm::normalize(dvec3(-gx, -gy, 1.0));
    std::vector<std::pair<dvec3, dvec3>> places;
    for (const dvec2 at : {dvec2(0.13, 1.0), dvec2(-1.5, 0.2), dvec2(0.5, -2.0), dvec2(1.25, 1.25), dvec2(2.1, 1.07)})
      places.push_back({dvec3(at, z0 + gx * at.x + gy * at.y), n});
    expect_still(terrain, places);
  }
};
OCLIDE_ON_EACH_DEVICE(Trembling);

TEST_P(Trembling, OnAFlatFloorKeepsFeatures) {
  expect_still_on_plane(plane(kGrid, 0.0, 0.0, 0.25), 0.0, 0.0, 0.25);
}

TEST_P(Trembling, OnAFlatFloorWithLowPartsKeepsFeatures) {
  expect_still_on_plane(plane(kGrid, 0.0, 0.0, 123.4), 0.0, 0.0, 123.4);
}

TEST_P(Trembling, OnARampKeepsFeatures) {
  expect_still_on_plane(plane(kGrid, 0.1, 0.03, 0.7), 0.1, 0.03, 0.7);
}

TEST_P(Trembling, OnARampInSinglePrecisionKeepsFeatures) {
  expect_still_on_plane(in_floats(plane(kGrid, 0.1, 0.03, 20.7)), 0.1, 0.03, 20.7);
}

TEST_P(Trembling, OnASteepRampKeepsFeatures) {
  expect_still_on_plane(plane(kGrid, 0.6, -0.4, 0.0), 0.6, -0.4, 0.0);
}

// A roof whose sides meet at x = 0, or on a diagonal of cells. Left out: the leaning cylinder, whose lowest point is
// beside the ridge.
TEST_P(Trembling, OnARidgeKeepsFeatures) {
  const dvec3 up(0.0, 0.0, 1.0);
  const std::set<std::string> of{"sphere",          "box",           "box askew",           "large box",
                                 "large box askew", "cylinder",      "lying cylinder",      "lying cylinder askew",
                                 "capsule",         "lying capsule", "lying capsule askew", "plate",
                                 "plate askew",     "box on an edge"};
  expect_still(ridge(kGrid, 0.3), {{{0, 1.03, 0}, up}, {{0, 0.23, 0}, up}}, of);
  const Terrain diagonal = terrain_of(kGrid, [](double x, double y) { return -0.3 * std::abs(x + y); });
  const Places places{{{0.48, -0.48, 0}, up}, {{1.2, -1.2, 0}, up}};
  expect_still_on(TestScene(diagonal), "falling diagonals", resting_at(places, of));
  expect_still_on_mesh(sheet_of(diagonal), resting_at(places, of));
}

// Ends of what lies along a ridge, or a kerb, are over vertices of the grid: one, or both.
TEST_P(Trembling, WithEndsOverVerticesKeepsFeatures) {
  const std::map<std::string, double> reach{{"box", 0.15},
                                            {"large box", 0.9},
                                            {"cylinder", 0.2},
                                            {"lying cylinder", 0.3},
                                            {"lying capsule", 0.3},
                                            {"plate", 0.9 * std::cos(0.125 * kPi)},
                                            {"box of a cell", 0.25},
                                            {"cylinder of a cell", 0.25},
                                            {"lying cylinder of a cell", 0.25},
                                            {"lying capsule of a cell", 0.25}};
  const dvec3 up(0.0, 0.0, 1.0);
  for (const auto& [name, half] : reach)
    for (const auto& [ground, x] : {std::pair{ridge(kGrid, 0.3), 0.0}, std::pair{kKerb, 0.55}})
      expect_still(ground, {{{x, 1.0 - half, 0}, up}, {{x, 1.0 + half, 0}, up}}, {name});
}

// The edge of a pavement: half of each body is over the road.
TEST_P(Trembling, OnAKerbKeepsFeatures) {
  const dvec3 up(0.0, 0.0, 1.0);
  std::set<std::string> of;
  for (const Resting& b : resting()) of.insert(b.name);
  if (GetParam() != "opencl") of.erase("lying cylinder askew");  // the reference has its crossing on one side of level
  expect_still(kKerb, {{{0.55, 1.0, 0}, up}, {{0.55, 0.2, 0}, up}}, of);
}

// A ridge that is one, and not quite straight: the deepest of its points are in the middle, and at each vertex two
// edges end.
TEST_P(Trembling, OnARoundedRidgeKeepsFeatures) {
  const dvec3 up(0.0, 0.0, 1.0);
  expect_still(terrain_of(kGrid, [](double x, double y) { return -0.3 * std::abs(y) - 5e-5 * x * x; }),
               {{{0.0, 0.0, 0.0}, up}}, {"large box", "box"});
}

// An edge of the body lies along one of the ground, but for rounding, over a line x = x0 of height 0.
std::vector<Placed> along_line(double x0, double deep) {
  const double r = std::sqrt(0.5);
  const dquat lying{r, r, 0.0, 0.0}, on_edge = turn({0, 1, 0}, 0.25 * kPi);
  std::vector<Placed> bodies;
  const auto add = [&](const char* name, Shape shape, std::array<double, 3> size, dquat turned, double height) {
    for (const double y : {0.23, 1.03})
      bodies.push_back({std::string(name) + " at " + std::to_string(y) + ", deep " + std::to_string(deep),
                        shape,
                        size,
                        {x0, y, height - deep},
                        turned});
  };
  add("box", Shape::box, {0.2, 0.3, 0.2}, on_edge, 0.2 / r);
  add("long box", Shape::box, {0.2, 0.8, 0.2}, on_edge, 0.2 / r);
  add("box of halves", Shape::box, {0.2, 0.25, 0.2}, on_edge, 0.2 / r);
  add("hull", Shape::convex_hull, {1, 0, 0}, on_edge, 0.2 / r);
  add("cylinder", Shape::cylinder, {0.2, 0.3, 0}, lying, 0.2);
  add("capsule", Shape::capsule, {0.2, 0.3, 0}, lying, 0.2);
  // The same edge across the line.
  add("box across", Shape::box, {0.3, 0.2, 0.2}, turn({1, 0, 0}, 0.25 * kPi), 0.2 / r);
  add("hull across", Shape::convex_hull, {1, 0, 0}, turn({0, 0, 1}, 0.5 * kPi) * on_edge, 0.2 / r);
  return bodies;
}

constexpr double kFar = 1e-2;  // in or out, so that a micrometre turns a normal by no more than 1e-4 rad [m]
constexpr std::array kFarMargin{0.02};

// Sides of the ridge less steep than the body's, as steep, and steeper. Left out are bodies deep in the last: whether a
// contact clears the lift over the very end of the body is decided by rounding.
TEST_P(Trembling, OnAnEdgeAlongARidgeKeepsFeatures) {
  for (const double slope : {0.3, 1.0, 1.5}) {
    SCOPED_TRACE(slope);
    expect_still(ridge(kGrid, slope), along_line(0.0, kFar));
    expect_still(ridge(kGrid, slope), along_line(0.0, -kFar), kFarMargin);
  }
}

// Left out is a flat valley of a mesh, where a sharp body has but the rest, which is as great on both sides.
TEST_P(Trembling, OnAnEdgeAlongAValleyKeepsFeatures) {
  expect_still(ridge(kGrid, -1.0), along_line(0.0, kFar));
  expect_still_on(TestScene(ridge(kGrid, -0.3)), "falling diagonals", along_line(0.0, kFar));
  for (const double slope : {0.3, 1.0}) expect_still(ridge(kGrid, -slope), along_line(0.0, -kFar), kFarMargin);
}

// The lowest edge is 4 mm beside that of the kerb: exactly over it, it would be on the pavement, or off it, by
// rounding.
TEST_P(Trembling, OnAnEdgeAlongAKerbKeepsFeatures) {
  for (const double x : {0.496, 0.504}) {
    expect_still(kKerb, along_line(x, kFar));
    expect_still(kKerb, along_line(x, -kFar), kFarMargin);
  }
}

}  // namespace
}  // namespace oclide::test
