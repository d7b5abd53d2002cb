// Random motions of all shapes, judged by exact distances at many times.
#include <cmath>

#include "motion/impact_judge.hpp"
#include "support/mesh_shapes.hpp"
#include "support/sweep.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

class MotionFuzz : public MotionTest {};
OCLIDE_ON_EACH_DEVICE(MotionFuzz);

// Bodies of about `size` that go to and fro in a box of some sizes, over rough ground with holes.
// `in_line`: places, ways and turns are along axes and by halves of the size and quarters of turns.
MovingScene random_scene(double size, dvec3 middle, double speed, double turns, bool in_line, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(-1.0, 1.0), part(0.3, 1.0);
  const auto vector = [&](double length) { return length * dvec3(unit(random), unit(random), unit(random)); };
  const auto in_steps = [&](dvec3 v, double step) { return in_line ? step * glm::round(v / step) : v; };
  const auto along_axis = [&](dvec3 v) {
    if (in_line) v[static_cast<int>(random() % 3)] = 0.0, v[static_cast<int>(random() % 3)] = 0.0;
    return v;
  };
  Terrain ground =
      rough({11, 13, {middle.x - 6.0 * size, middle.y - 5.0 * size}, {size, size}}, in_line ? 0.0 : 0.4 * size, seed);
  for (double& h : ground.heights) h += middle.z - 3.5 * size;
  open_cells(ground, 0.1, seed);
  MovingScene all(ground);
  Scene& scene = all.scene.scene;
  for (const std::size_t points : {4, 12}) {
    scene.hulls.emplace_back();
    for (std::size_t k = 0; k < points; ++k) {
      const dvec3 p = glm::normalize(vector(1.0)) * size;
      scene.hulls.back().push_back({p.x, p.y, p.z});
    }
  }
  Mesh sheet = flat_sheet(3, 0.6 * size);
  for (MeshPoint& p : sheet.vertices) p[2] = 0.3 * size * unit(random);
  scene.meshes = {sheet, ball_mesh(0.8 * size, 2)};
  scene.compounds = {{{Shape::sphere, {0.3 * size, 0, 0}, {0.5 * size, 0, 0}},
                      {Shape::capsule, {0.1 * size, 0.5 * size, 0}, {0, 0, 0.2 * size}}}};
  for (std::uint32_t k = 0; k < 14; ++k) {
    const dvec3 at = middle + in_steps(vector(4.0 * size), 0.5 * size);
    const dquat q = k % 3 == 0 || in_line ? kUpright : random_orientation(random);
    BodySpec body = of_any_shape(k, in_line ? size : part(random) * size, at, q);
    if (k % 7 == 4) body = {Shape::convex_hull, {k / 7 * 1.0, 0, 0}, at, q};
    if (k % 7 == 5) body = {Shape::triangle_mesh, {k / 7 * 1.0, 0, 0}, at, q};
    if (k == 6) body = {Shape::compound, {}, at, q};
    const dvec3 way = vector(speed * size) - part(random) * 0.25 * speed * (at - middle);
    all.add(body, along_axis(in_steps(way, 0.5 * size)),
            k % 4 == 0 ? dvec3(0.0) : along_axis(in_steps(vector(turns), kQuarter)));
  }
  all.add(half_space(middle - dvec3(0, 0, 5.0 * size), in_line ? kUpright : random_orientation(random)),
          vector(0.1 * size), vector(0.02));
  return all;
}

struct Case {
  double size;
  dvec3 middle;
  double speed, turns;
  bool in_line = false;
};
const std::vector<Case> kCases = {{1.0, dvec3(0.0), 5.0, 2.0},
                                  {0.1, dvec3(3.0, -2.0, 1.0), 8.0, 30.0},
                                  {1.0, dvec3(-7000.3, 7000.7, 300.1), 6.0, 7.0},
                                  {20.0, dvec3(2000.0, 100.0, 0.0), 3.0, 1.0},
                                  {1.0, dvec3(0.0), 6.0, 4.0, true},
                                  {0.25, dvec3(8.0, 0.5, 0.0), 300.0, 300.0}};

TEST_P(MotionFuzz, TheJudgeFindsNothing) {
  const int seeds = fuzz_seeds();
  int impacts = 0, later = 0;
  for (std::size_t c = 0; c < kCases.size(); ++c)
    for (int seed = 0; seed < seeds; ++seed) {
      const Case& one = kCases[c];
      const MovingScene scene =
          random_scene(one.size, one.middle, one.speed, one.turns, one.in_line, 100 * (seed + 1) + c);
      const std::vector<Impact> found = sweep(scene);
      for (const Impact& impact : found) later += impact.time > 0.0 ? 1 : 0;
      const Verdict verdict = judge(scene, found, 1500);
      impacts += verdict.impacts;
      EXPECT_EQ(verdict.impacts, static_cast<int>(found.size()));
      for (const std::string& line : verdict.wrong) ADD_FAILURE() << "case " << c << " seed " << seed << ": " << line;
    }
  EXPECT_GE(impacts, 60 * seeds);
  EXPECT_GE(later, 30 * seeds);
}

TEST_P(MotionFuzz, TheJudgeSeesWhatIsWrong) {
  const MovingScene scene = random_scene(1.0, dvec3(0.0), 5.0, 2.0, false, 8);
  std::vector<Impact> found = sweep(scene);
  const std::size_t count = found.size();
  std::erase_if(found, [](const Impact& impact) { return impact.time == 0.0 || impact.time > 0.8; });
  const std::size_t away = count - found.size();
  ASSERT_GE(found.size(), 8u);
  // Without an impact most pairs overlap, and so they do before one that is late. Grazes do not.
  EXPECT_GE(judge(scene, {}, 1500).wrong.size(), count * 3 / 4);
  for (const double by : {0.1, -0.1}) {
    std::vector<Impact> off = found;
    for (Impact& impact : off) impact.time = std::max(0.0, impact.time + by);
    EXPECT_GE(judge(scene, off, 1500).wrong.size(), (found.size() + away) * 3 / 4) << by;
  }
}

// Long and round bodies: the corners of a search lie close together on a rim, and far apart along a length.
TEST_P(MotionFuzz, RimsAndLongEdgesTouchWhereTheyAre) {
  std::size_t impacts = 0;
  for (const double size : {1.0, 20.0}) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      std::mt19937_64 random(seed);
      std::uniform_real_distribution<double> unit(-1.0, 1.0), part(0.1, 1.0);
      const auto vector = [&](double length) { return length * dvec3(unit(random), unit(random), unit(random)); };
      MovingScene scene;
      for (const std::size_t points : {4, 12, 40}) {
        scene.scene.scene.hulls.emplace_back();
        for (std::size_t k = 0; k < points; ++k) {
          const dvec3 p = glm::normalize(vector(1.0)) * size;
          scene.scene.scene.hulls.back().push_back({p.x, p.y, p.z});
        }
      }
      for (std::uint32_t k = 0; k < 14; ++k) {
        const dvec3 at = vector(4.0 * size);
        const dquat q = random_orientation(random);
        BodySpec body = of_any_shape(k, part(random) * size, at, q);
        // Half lengths up to 50 m.
        if (k % 4 >= 2) body.size[1] = std::min(2.5 * size, body.size[1] * std::pow(10.0, unit(random)));
        if (k % 5 == 4) body = {Shape::convex_hull, {k / 5 * 1.0, 0, 0}, at, q};
        scene.add(body, vector(3.0 * size) - part(random) * 0.75 * at, vector(1.0));
      }
      impacts += sweep(scene).size();
    }
  }
  EXPECT_GE(impacts, 1500u);
}

}  // namespace
}  // namespace oclide::test
