// Paths of moving points, on each device: closed forms, and that no path ends in a solid.
#include "oclide/trace.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "support/mesh_shapes.hpp"
#include "support/on_each_device.hpp"
#include "support/terrains.hpp"
#include "support/tolerances.hpp"

namespace oclide::test {
namespace {

// Where a path goes on or ends beside a surface, it is so far from where it would be without that.
constexpr double kBeside = 1.5 * kPathDistance;

struct PointSet {
  std::vector<double> position, displacement;
  std::vector<std::uint32_t> environment;

  void add(dvec3 p, dvec3 d) {
    position.insert(position.end(), {p.x, p.y, p.z});
    displacement.insert(displacement.end(), {d.x, d.y, d.z});
  }
  [[nodiscard]] Points points() const { return {position, displacement, environment}; }
};

dvec3 vec(const std::array<double, 3>& of) {
  return {of[0], of[1], of[2]};
}
dvec3 vec(const std::array<float, 3>& of) {
  return {of[0], of[1], of[2]};
}
dvec3 start_of(const Paths& paths, std::size_t k) {
  return vec(paths.points[paths.offset[k]].point);
}
dvec3 end_of(const Paths& paths, std::size_t k) {
  return vec(paths.points[paths.offset[k + 1] - 1].point);
}

PointSet ends_of(const Paths& paths) {
  PointSet ends;
  for (std::size_t k = 0; k < paths.end.size(); ++k) ends.add(end_of(paths, k), {});
  return ends;
}

// What holds of all paths.
void expect_whole(const Paths& paths, const PointSet& given, std::uint32_t bounces) {
  const std::size_t n = given.points().count();
  ASSERT_EQ(paths.offset.size(), n + 1);
  ASSERT_EQ(paths.end.size(), n);
  EXPECT_EQ(paths.offset[0], 0U);
  EXPECT_EQ(paths.offset[n], paths.points.size());
  EXPECT_EQ(paths.points.size(), paths.reflections + 2 * n);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t first = paths.offset[k], last = paths.offset[k + 1] - 1;
    ASSERT_LT(first, last);
    EXPECT_LE(last - first - 1, bounces);
    for (std::size_t a = 0; a < 3; ++a) EXPECT_EQ(paths.points[first].point[a], given.position[3 * k + a]);
    for (const std::size_t i : {first, last}) {
      EXPECT_EQ(paths.points[i].body, kNothing);
      EXPECT_EQ(vec(paths.points[i].normal), dvec3(0.0));
    }
    for (std::size_t i = first + 1; i < last; ++i) {
      EXPECT_NE(paths.points[i].body, kNothing);
      EXPECT_NEAR(glm::length(vec(paths.points[i].normal)), 1.0, 1e-6);
    }
    if (paths.end[k] == PathEnd::arrived) {
      EXPECT_EQ(vec(paths.displacement[k]), dvec3(0.0));
    }
    if (paths.end[k] == PathEnd::in_solid) {
      EXPECT_EQ(end_of(paths, k), start_of(paths, k));
      for (std::size_t a = 0; a < 3; ++a) EXPECT_EQ(paths.displacement[k][a], given.displacement[3 * k + a]);
    }
  }
}

class MovingPoints : public OnEachDevice {
 protected:
  Paths paths(const TestScene& scene, const PointSet& points, const TraceSettings& settings = {}) {
    Collider& collider = collider_on(GetParam());
    collider.set_scene(scene.scene);
    return again(scene, points, settings);
  }
  Paths again(const TestScene& scene, const PointSet& points, const TraceSettings& settings = {}) {
    Paths found = trace(collider_on(GetParam()), scene.poses(), points.points(), settings);
    expect_whole(found, points, settings.bounces);
    return found;
  }
  // Points that are in a solid or on its surface.
  std::size_t in_solids(const TestScene& scene, const std::vector<double>& points) {
    std::vector<double> up(points.size(), 0.0), none(points.size() / 3, 0.0);
    for (std::size_t k = 2; k < up.size(); k += 3) up[k] = 1.0;
    const RayHits hits = collider_on(GetParam()).cast(scene.poses(), {points, up, none, {}, {}});
    return hits.hit_count;
  }
  // Frame by frame, each path from where the last one ended. How often they were reflected.
  std::uint64_t fall(const TestScene& scene, PointSet points, const TraceSettings& settings, int frames) {
    collider_on(GetParam()).set_scene(scene.scene);
    constexpr double kStep = 0.02, kFall = 9.81 * kStep * kStep;
    std::uint64_t reflections = 0;
    for (int frame = 0; frame < frames; ++frame) {
      for (std::size_t k = 2; k < points.displacement.size(); k += 3) points.displacement[k] -= kFall;
      const Paths found = again(scene, points, settings);
      reflections += found.reflections;
      for (std::size_t k = 0; k < points.points().count(); ++k) {
        if (found.end[k] == PathEnd::in_solid) {
          ADD_FAILURE() << "frame " << frame << " point " << k;
          return reflections;
        }
        const dvec3 before(points.displacement[3 * k], points.displacement[3 * k + 1], points.displacement[3 * k + 2]);
        EXPECT_LE(glm::length(vec(found.outgoing[k])), glm::length(before) * (1.0 + 1e-12));
        std::copy_n(found.outgoing[k].begin(), 3, &points.displacement[3 * k]);
      }
      points.position = ends_of(found).position;
      EXPECT_EQ(in_solids(scene, points.position), 0U) << "frame " << frame;
    }
    return reflections;
  }
};
OCLIDE_ON_EACH_DEVICE(MovingPoints);

// The inside of a box of these half extents around the origin, of triangles.
TestScene room(dvec3 half, std::uint32_t cells) {
  TestScene scene;
  scene.scene.meshes.push_back(box_mesh({half.x, half.y, half.z}, cells));
  scene.scene.meshes[0].solid = false;
  scene.add({Shape::triangle_mesh, {0.0, 0.0, 0.0}});
  return scene;
}

// Where x + d is in a room from -half to half whose walls are mirrors.
double folded(double at, double half) {
  const double period = 4.0 * half, s = std::fmod(std::fmod(at + half, period) + period, period);
  return s < 2.0 * half ? s - half : 3.0 * half - s;
}

TEST_P(MovingPoints, InARoomOfMirrorsEndWhereTheUnfoldedLineEnds) {
  const dvec3 half(5.0, 4.0, 3.0);
  const TestScene scene = room(half, 7);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  PointSet points;
  for (int k = 0; k < 300; ++k)
    points.add(0.95 * half * dvec3(unit(random), unit(random), unit(random)),
               30.0 * dvec3(unit(random), unit(random), unit(random)));
  const Paths found = paths(scene, points, {.bounces = 200});
  EXPECT_GT(found.reflections, 1500U);
  for (std::size_t k = 0; k < 300; ++k) {
    EXPECT_EQ(found.end[k], PathEnd::arrived);
    const dvec3 d(points.displacement[3 * k], points.displacement[3 * k + 1], points.displacement[3 * k + 2]);
    const dvec3 straight = start_of(found, k) + d, end = end_of(found, k);
    for (int a = 0; a < 3; ++a) EXPECT_NEAR(end[a], folded(straight[a], half[a]), kBeside) << k << " axis " << a;
    double length = 0.0;
    for (std::size_t i = found.offset[k]; i + 1 < found.offset[k + 1]; ++i)
      length += glm::distance(vec(found.points[i].point), vec(found.points[i + 1].point));
    EXPECT_NEAR(length, glm::length(d), 2.0 * kBeside);
    // No speed is lost; walls turn signs alone.
    for (std::size_t a = 0; a < 3; ++a)
      EXPECT_NEAR(std::fabs(found.outgoing[k][a]), std::fabs(points.displacement[3 * k + a]), 1e-5);
    EXPECT_NEAR(glm::length(vec(found.outgoing[k])), glm::length(d), 1e-12 * glm::length(d));
  }
}

TEST_P(MovingPoints, ComeBackFromACornerOfThreeWalls) {
  const TestScene scene = room({1.0, 1.0, 1.0}, 1);
  PointSet points;
  points.add({0.5, 0.4, 0.3}, {2.0, 2.1, 2.2});
  const Paths found = paths(scene, points);
  ASSERT_EQ(found.reflections, 3U);
  EXPECT_LT(glm::distance(vec(found.outgoing[0]), dvec3(-2.0, -2.1, -2.2)), 1e-5);
  // Half a room's diagonal there and back.
  const dvec3 end(folded(2.5, 1.0), folded(2.5, 1.0), folded(2.5, 1.0));
  EXPECT_LT(glm::distance(end_of(found, 0), end), 2.0 * kBeside);
}

TEST_P(MovingPoints, LoseWhatFrictionAndRestitutionSay) {
  const TestScene scene(plane({9, 9, {-20.0, -20.0}, {5.0, 5.0}}, 0.0, 0.0));
  PointSet points;
  points.add({0.25, 0.5, 2.0}, {3.0, 0.0, -4.0});
  Paths found = paths(scene, points, {.friction = 0.25, .restitution = 0.5});
  ASSERT_EQ(found.points.size(), 3U);
  EXPECT_EQ(found.points[1].body, kTerrain);
  EXPECT_LT(glm::distance(vec(found.points[1].point), dvec3(1.75, 0.5, 0.0)), kClosedForm);
  EXPECT_LT(glm::distance(vec(found.outgoing[0]), dvec3(2.25, 0.0, 2.0)), 1e-6);
  EXPECT_LT(glm::distance(end_of(found, 0), dvec3(2.875, 0.5, 1.0)), kBeside);

  // All friction, no restitution: it stays where it fell. No restitution alone: it slides.
  found = again(scene, points, {.friction = 1.0, .restitution = 0.0});
  EXPECT_EQ(found.end[0], PathEnd::arrived);
  EXPECT_LT(glm::distance(end_of(found, 0), dvec3(1.75, 0.5, 0.0)), kBeside);
  found = again(scene, points, {.restitution = 0.0});
  EXPECT_LT(glm::distance(end_of(found, 0), dvec3(3.25, 0.5, 0.0)), kBeside);
}

TEST_P(MovingPoints, ReflectAtMostAsOftenAsTheyMayAndStopOffTheSurface) {
  const TestScene scene({box({5.0, 5.0, 1.0}, {0.0, 0.0, -1.0}), box({5.0, 5.0, 1.0}, {0.0, 0.0, 2.0})});
  PointSet points;
  points.add({0.0, 0.0, 0.5}, {0.0, 0.0, -10.0});
  for (const std::uint32_t bounces : {0U, 1U, 2U, 5U, 10U}) {
    const Paths found = paths(scene, points, {.bounces = bounces});
    EXPECT_EQ(found.reflections, std::min(bounces, 10U));
    const bool up = bounces % 2 == 1;
    if (bounces == 10U) {
      EXPECT_EQ(found.end[0], PathEnd::arrived);
      continue;
    }
    EXPECT_EQ(found.end[0], PathEnd::stopped);
    EXPECT_NEAR(end_of(found, 0).z, up ? 1.0 - kPathDistance : kPathDistance, kClosedForm);
    EXPECT_NEAR(found.displacement[0][2], (up ? 1.0 : -1.0) * (9.5 - bounces), 10 * kClosedForm);
    EXPECT_NEAR(found.outgoing[0][2], up ? 10.0 : -10.0, 1e-12);
  }
}

TEST_P(MovingPoints, ThatBeginInASolidSayItAndStay) {
  const TestScene scene({sphere(1.0, {0.0, 0.0, 0.0})});
  PointSet points;
  points.add({0.1, 0.2, 0.3}, {5.0, 0.0, 0.0});
  points.add({0.1, 0.2, 0.3}, {0.0, 0.0, 0.0});
  points.add({2.0, 0.0, 0.0}, {0.0, 0.0, 0.0});
  points.add({2.0, 0.0, 0.0}, {-0.5, 0.0, 0.0});
  points.add({2.0, 0.0, 0.0}, {1e-200, 0.0, 0.0});
  const Paths found = paths(scene, points);
  using enum PathEnd;
  EXPECT_EQ(found.end, (std::vector{in_solid, in_solid, arrived, arrived, arrived}));
  EXPECT_EQ(end_of(found, 2), dvec3(2.0, 0.0, 0.0));
  EXPECT_EQ(end_of(found, 3), dvec3(1.5, 0.0, 0.0));
  EXPECT_EQ(found.reflections, 0U);
  EXPECT_EQ(found.casts, 2U);  // the way, and its end
}

TEST_P(MovingPoints, ThatArriveAtASurfaceAreHeldBack) {
  const TestScene scene({box({1.0, 1.0, 1.0}, {0.0, 0.0, -1.0})});
  PointSet points;
  for (const double way : {0.9, 0.99985, 0.99995, 1.0, 1.00005}) points.add({0.0, 0.0, 1.0}, {0.0, 0.0, -way});
  points.add({-0.9, 0.0, 0.01}, {0.8, 0.0, -0.009999});  // almost along the surface: by 1 cm at most
  const Paths found = paths(scene, points);
  const std::vector<double> height{0.1, 1.5e-4, kPathDistance, kPathDistance,
                                   kPathDistance + 5e-5};  // the last is reflected
  for (std::size_t k = 0; k < height.size(); ++k) EXPECT_NEAR(end_of(found, k).z, height[k], kClosedForm) << k;
  EXPECT_EQ(in_solids(scene, {found.points.back().point.begin(), found.points.back().point.end()}), 0U);
  EXPECT_NEAR(end_of(found, 5).x, -0.1, 0.0101);
}

// A wedge of two sheets, 2 degrees wide: the hair off one is in the other's side.
TEST_P(MovingPoints, EndInANarrowWedge) {
  TestScene scene;
  for (const double angle : {-1.0, 1.0}) {
    scene.add(box({2.0, 2.0, 0.5}, {0.0, 0.0, 0.0}, turn({0, 1, 0}, -angle * std::numbers::pi / 180.0)));
    // Its face, turned about the y axis at the origin.
    const dvec3 out = turn({0, 1, 0}, -angle * std::numbers::pi / 180.0) * dvec3(0.0, 0.0, angle * 0.5);
    scene.position[scene.position.size() - 3] = out.x;
    scene.position[scene.position.size() - 2] = out.y;
    scene.position[scene.position.size() - 1] = out.z;
  }
  PointSet points;
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (int k = 0; k < 200; ++k) {
    // One after the other: compilers differ in the order of arguments.
    const double up = 0.02 * unit(random), aside = unit(random), z = 0.01 * unit(random), y = unit(random);
    points.add({1.5, y, z}, {-3.0, aside, up});
  }
  const Paths found = paths(scene, points, {.bounces = 300});
  for (std::size_t k = 0; k < 200; ++k) {
    EXPECT_NE(found.end[k], PathEnd::in_solid);
    const dvec3 end = end_of(found, k);
    EXPECT_GT(end.x, -1e-3);
    // Between the faces but for rounding: where they are two hairs apart nothing is farther off.
    EXPECT_LE(std::abs(end.z) - end.x * std::tan(std::numbers::pi / 180.0), 1e-6) << k;
  }
}

// Into a valley's crease: the hair off one side may be in the other. With all friction no way is left there.
TEST_P(MovingPoints, EndInNothingInAValley) {
  const double steep = std::atan(2.0);
  TestScene boxes;
  for (const double angle : {-steep, steep}) {
    const dquat q = turn({0, 1, 0}, angle);
    boxes.add(box({2.0, 2.0, 0.5}, q * dvec3(0.0, 0.0, -0.5), q));
  }
  PointSet points;
  for (int k = -20; k <= 20; ++k) points.add({1e-5 * k, 0.01 * k, 1.0}, {0.0, 0.0, -2.0});
  for (const TestScene& scene : {TestScene(ridge({9, 9, {-4.0, -4.0}, {1.0, 1.0}}, -2.0)), boxes})
    for (const TraceSettings& settings : {TraceSettings{10, 1.0, 0.0}, TraceSettings{10, 0.99, 0.0},
                                          TraceSettings{10, 1.0, 0.5}, TraceSettings{50, 0.0, 0.0}}) {
      const Paths found = paths(scene, points, settings);
      const PointSet ends = ends_of(found);
      EXPECT_EQ(in_solids(scene, ends.position), 0U) << settings.friction;
      for (std::size_t k = 0; k < 41; ++k) EXPECT_LT(end_of(found, k).z, 0.01) << k;
      PointSet up;
      for (std::size_t k = 0; k < 41; ++k) up.add(end_of(found, k), {0.0, 0.0, 1.0});
      const Paths lifted = again(scene, up);
      for (std::size_t k = 0; k < 41; ++k) {
        EXPECT_EQ(lifted.end[k], PathEnd::arrived) << k;
        EXPECT_EQ(end_of(lifted, k).z, end_of(found, k).z + 1.0) << k;
      }
    }
}

// All that is left slides, from one of the ground's faces to the next, and is pressed into what it slides along.
TEST_P(MovingPoints, ThatSlideOnRoughGroundEndInNothing) {
  for (const double out : {0.0, 9000.0}) {
    Terrain ground = rough({33, 33, {out, -out}, {1.0, 1.0}}, 3.0, 5);
    ground.heights[vertex(ground, 5, 5)] = kNoData;
    const TestScene scene(ground);
    std::mt19937_64 random(11);
    std::uniform_real_distribution<double> share(0.0, 1.0);
    PointSet points;
    for (int k = 0; k < 3000; ++k) {
      // One after the other: compilers differ in the order of arguments.
      const double x = 32.0 * share(random), y = 32.0 * share(random), z = 3.0 + 2.0 * share(random);
      const double dx = 8.0 * share(random) - 4.0, dy = 8.0 * share(random) - 4.0, dz = 3.0 + 17.0 * share(random);
      points.add({out + x, -out + y, z}, {dx, dy, -dz});
    }
    for (const std::uint32_t bounces : {10U, 50U}) {
      const Paths found = paths(scene, points, {.bounces = bounces, .restitution = 0.0});
      EXPECT_EQ(in_solids(scene, ends_of(found).position), 0U) << out << " with " << bounces;
      EXPECT_EQ(std::count(found.end.begin(), found.end.end(), PathEnd::in_solid), 0);
    }
  }
}

// Stones that fall, bounce and slide on rough ground between bodies: none is ever in anything, and none gains speed.
TEST_P(MovingPoints, AreNeverInASolidWhateverTheyFallOn) {
  TestScene scene = heap(150, 6);
  scene.scene.meshes.push_back(ball_mesh(1.5, 4));
  scene.add({Shape::triangle_mesh, {0.0, 0.0, 0.0}, {3.0, 2.0, 1.0}});
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  PointSet points;
  for (int k = 0; k < 400; ++k)
    points.add({8.0 * unit(random), 8.0 * unit(random), 6.0}, {0.05 * unit(random), 0.05 * unit(random), 0.0});
  EXPECT_GT(fall(scene, points, {.friction = 0.1, .restitution = 0.6}, 100), 500U);
  fall(scene, points, {.friction = 0.1, .restitution = 0.0}, 100);
  fall(scene, points, {.friction = 0.0, .restitution = 0.0}, 100);
}

TEST_P(MovingPoints, AreNeverInRoughGround) {
  for (const double out : {0.0, 9000.0}) {
    const TestScene scene(rough({33, 33, {out, -out}, {1.0, 1.0}}, 1.0, 3));
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> share(0.0, 1.0);
    PointSet points;
    for (int k = 0; k < 1000; ++k) {
      const double x = 2.0 + 28.0 * share(random), y = 2.0 + 28.0 * share(random), z = 2.0 + share(random);
      const double dx = 0.12 * share(random) - 0.06, dy = 0.12 * share(random) - 0.06;
      points.add({out + x, -out + y, z}, {dx, dy, 0.0});
    }
    for (const double friction : {0.0, 0.1}) fall(scene, points, {.friction = friction, .restitution = 0.0}, 60);
  }
}

TEST_P(MovingPoints, MeetWhatIsInTheirEnvironment) {
  TestScene scene({box({1.0, 1.0, 1.0}, {0.0, 0.0, 0.0})});
  scene.scene.bodies.environment = {1};
  PointSet points;
  for (std::uint32_t k = 0; k < 3; ++k) points.add({5.0, 0.0, 0.0}, {-8.0, 0.0, 0.0}), points.environment.push_back(k);
  const Paths found = paths(scene, points);
  EXPECT_EQ(found.offset, (std::vector<std::uint64_t>{0, 2, 5, 7}));
  EXPECT_EQ(found.points[3].body, 0U);
  EXPECT_NEAR(found.points[4].point[0], 5.0, kBeside);
}

TEST_P(MovingPoints, ThatCannotBeUsedAreRefused) {
  TestScene scene({sphere(1.0, {0.0, 0.0, 0.0})});
  scene.scene.environment_terrain = {-1, -1};
  PointSet good;
  good.add({5.0, 0.0, 0.0}, {-1.0, 0.0, 0.0});
  good.add({6.0, 0.0, 0.0}, {-1.0, 0.0, 0.0});
  EXPECT_EQ(paths(scene, good).reflections, 0U);
  const auto refused = [&](const PointSet& points, const TraceSettings& settings, const std::string& what) {
    try {
      (void)trace(collider_on(GetParam()), scene.poses(), points.points(), settings);
      ADD_FAILURE() << what;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    }
  };
  PointSet bad = good;
  bad.position[4] = NAN;
  refused(bad, {}, "points/position[1][1] is not finite");
  bad = good;
  bad.position[3] = -3e18;
  refused(bad, {}, "points/position[1][0] is 3e18 m out or farther");
  bad = good;
  bad.displacement[5] = INFINITY;
  refused(bad, {}, "points/displacement[1][2] is not finite");
  bad.displacement[5] = 1e200;
  refused(bad, {}, "points/displacement[1] is of infinite length");
  bad.displacement.pop_back();
  refused(bad, {}, "points/displacement has 5 numbers for 2 points");
  bad = good;
  bad.environment = {0, 2};
  refused(bad, {}, "points/environment[1] is 2");
  bad.environment = {0};
  refused(bad, {}, "points/environment has 1 numbers for 2 points");
  refused(good, {.friction = 1.5}, "friction must be from 0 to 1, got 1.5");
  refused(good, {.friction = -0.1}, "friction");
  refused(good, {.restitution = NAN}, "restitution");
  // A path may end where no path may begin: nothing is there.
  PointSet away = good;
  away.displacement[0] = 1e150;
  EXPECT_EQ(end_of(paths(scene, away), 0).x, 1e150);
  EXPECT_EQ(paths(scene, {}).offset, (std::vector<std::uint64_t>{0}));
}

}  // namespace
}  // namespace oclide::test
