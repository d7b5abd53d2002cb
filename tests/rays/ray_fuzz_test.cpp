// Rays in random scenes of all shapes, judged by two who know nothing of each other: the validator, which asks the
// reference, and a march along the ray through signed distances.
#include <cmath>

#include "narrow_phase/pair_geometry.hpp"
#include "oclide/validation.hpp"
#include "rays/cast.hpp"
#include "support/mesh_shapes.hpp"
#include "support/sweep.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

class RayFuzz : public RayTest {};
OCLIDE_ON_EACH_DEVICE(RayFuzz);

ConvexHull hull_in_ball(std::size_t points, double radius, std::mt19937_64& random) {
  std::vector<std::array<double, 3>> all;
  for (std::size_t k = 0; k < points; ++k) {
    const dvec3 p = radius * random_way(random);
    all.push_back({p.x, p.y, p.z});
  }
  return build_convex_hull(all, "hull");
}

struct FuzzScene {
  TestScene scene;
  std::vector<BodySpec> bodies;  // as the scene's, hulls with their shapes
  std::vector<ConvexHull> hulls;
  double size;
  dvec3 middle;
};

// Convex bodies of all shapes, sheets, solids and a compound over rough ground with holes, about `size` each.
FuzzScene random_scene(double size, dvec3 middle, std::uint64_t seed) {
  FuzzScene all{TestScene(), {}, {}, size, middle};
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(-1.0, 1.0), part(0.3, 1.0);
  const Grid grid{25, 31, {middle.x - 6.1 * size, middle.y - 5.9 * size}, {0.4 * size, 0.5 * size}};
  Terrain ground = rough(grid, 0.4 * size, seed);
  for (double& h : ground.heights) h += middle.z - 2.0 * size;
  open_cells(ground, 0.1, seed);
  ground.heights[7 * 31 + 9] = kNoData;
  ground.material.resize(24 * 30);
  for (std::size_t c = 0; c < ground.material.size(); ++c) ground.material[c] = static_cast<std::uint8_t>(c % 251);
  all.scene = TestScene(ground);
  Scene& scene = all.scene.scene;
  for (const std::size_t points : {4, 9, 60}) all.hulls.push_back(hull_in_ball(points, size, random));
  for (const ConvexHull& hull : all.hulls) {
    scene.hulls.emplace_back();
    for (const glm::vec3& v : hull.vertices) scene.hulls.back().push_back({v.x, v.y, v.z});
  }
  Mesh sheet = flat_sheet(5, 0.4 * size);
  for (MeshPoint& p : sheet.vertices) p[2] = 0.3 * size * unit(random);
  scene.meshes = {sheet, ball_mesh(0.8 * size, 4), box_mesh({size, 0.6 * size, 0.02 * size}, 2)};
  scene.meshes[1].material.resize(scene.meshes[1].triangles.size());
  for (std::size_t t = 0; t < scene.meshes[1].material.size(); ++t)
    scene.meshes[1].material[t] = static_cast<std::uint8_t>(t);
  scene.compounds = {{{Shape::sphere, {0.3 * size, 0, 0}, {0.5 * size, 0, 0}},
                      {Shape::capsule, {0.1 * size, 0.5 * size, 0}, {0, 0, 0.2 * size}}}};
  for (std::uint32_t k = 0; k < 36; ++k) {
    const dvec3 at = middle + size * dvec3(4.5 * unit(random), 4.5 * unit(random), 3.0 * unit(random));
    const dquat q = k % 3 == 0 ? kUpright : random_orientation(random);
    const double s = part(random) * size;
    BodySpec body = of_any_shape(k, s, at, q);
    if (k % 9 == 4) body = convex_hull(all.hulls[k / 9 % 3], at, q), body.size[0] = k / 9 % 3;
    if (k % 9 == 6) body = {Shape::triangle_mesh, {k / 9 % 3 * 1.0, 0, 0}, at, q};
    if (k % 9 == 8) body = {Shape::compound, {}, at, q};
    body.environment = k % 6 == 5 ? 1 : 0;
    all.bodies.push_back(body);
  }
  BodySpec floor = half_space(middle - dvec3(0.0, 0.0, 2.2 * size), turn({1.0, 0.4, 0.0}, 0.2));
  floor.environment = 1;
  all.bodies.push_back(floor);
  for (const BodySpec& body : all.bodies) all.scene.add(body);
  scene.environment_terrain = {0, -1};
  return all;
}

// At bodies, along axes, from within and from afar.
RayList random_rays(const FuzzScene& in, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  RayList rays;
  for (std::size_t k = 0; k < count; ++k) {
    const dvec3 about(5.0 * unit(random), 5.0 * unit(random), 3.0 * unit(random));
    dvec3 from = in.middle + in.size * about, way = random_way(random);
    if (k % 8 == 1) way = dvec3(0, 0, -1);
    if (k % 8 == 2) way = dvec3(k % 16 == 2 ? 1.0 : -1.0, 0.0, 0.0);
    if (k % 8 == 3) from = in.bodies[k / 8 % in.bodies.size()].position + 5.0 * in.size * way, way = -way;
    if (k % 8 == 4) from -= 3000.0 * way;
    if (k % 8 == 5) from.z = in.middle.z + 50.0 * in.size, way = glm::normalize(dvec3(way.x, way.y, -4.0));
    const double length = k % 5 == 0 ? 4.0 * in.size * std::abs(unit(random)) : kForever;
    rays.add(from, (0.001 + static_cast<double>(k)) * way, length, k % 6 == 5 ? 1 : 0);
  }
  return rays;
}

struct SizeAndPlace {
  double size;
  dvec3 middle;
};
const std::vector<SizeAndPlace> kCases = {{0.1, dvec3(0.0)},
                                          {1.0, dvec3(10.0, -20.0, 5.0)},
                                          {1.0, dvec3(-7000.3, 7000.7, 300.1)},
                                          {30.0, dvec3(2000.0, 100.0, 0.0)}};

TEST_P(RayFuzz, TheValidatorFindsNothing) {
  for (std::size_t c = 0; c < kCases.size(); ++c) {
    const FuzzScene in = random_scene(kCases[c].size, kCases[c].middle, 10 + c);
    const RayList rays = random_rays(in, 4000 / kSweepStep, 20 + c);
    const std::vector<Hit> hits = cast(in.scene, rays);
    Validator validator(in.scene.scene, 0.0);
    validator.add_cast(in.scene.poses(), rays.rays(), hits);
    const RayReport& report = validator.ray_report();
    EXPECT_TRUE(report.holds()) << c;
    for (const std::string& line : report.examples) ADD_FAILURE() << line;
    EXPECT_EQ(report.rays, rays.count());
    EXPECT_GT(report.hits_device, rays.count() / 2);
    EXPECT_LT(report.silhouettes, rays.count() / 200) << c;
    std::map<Shape, int> found;
    int ground = 0;
    for (const Hit& hit : hits) {
      if (hit.body == kTerrain)
        ++ground;
      else if (hit.body != kNothing)
        ++found[in.bodies[hit.body].shape];
    }
    EXPECT_GT(ground, 100 / kSweepStep);
    for (const auto shape : {Shape::sphere, Shape::box, Shape::cylinder, Shape::capsule, Shape::convex_hull,
                             Shape::half_space, Shape::compound, Shape::triangle_mesh})
      EXPECT_GT(found[shape], 10 / kSweepStep) << to_string(shape);
  }
}

// A scene whose hits are compared, and so many of its rays hit.
void expect_valid(const TestScene& scene, const RayList& rays, const std::vector<Hit>& hits, std::size_t least) {
  Validator validator(scene.scene, 0.0);
  validator.add_cast(scene.poses(), rays.rays(), hits);
  for (const std::string& line : validator.ray_report().examples) ADD_FAILURE() << line;
  EXPECT_GT(validator.ray_report().hits_device, least);
  EXPECT_LT(validator.ray_report().silhouettes, rays.count() / 100 + 1);
}

// Hills over many blocks of height bounds, with a fine roughness and holes: level rays, steep ones, and some from afar.
TEST_P(RayFuzz, DeviceAndReferenceAgreeOverALargeTerrain) {
  std::mt19937_64 random(50);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const dvec2 middle(3000.2, -1000.6);
  Terrain ground = terrain_of({521, 773, {middle.x - 193.0, middle.y - 130.0}, {0.5, 0.5}}, [&](double x, double y) {
    return 12.0 * std::sin(0.05 * (x - middle.x)) + 9.0 * std::cos(0.07 * (y - middle.y)) + 0.2 * unit(random);
  });
  open_cells(ground, 0.02, 51);
  RayList rays;
  for (int k = 0; k < 2000 / kSweepStep; ++k) {
    dvec3 from(middle + dvec2(190.0, 128.0) * dvec2(unit(random), unit(random)), 25.0 * unit(random) + 5.0);
    dvec3 way = glm::normalize(dvec3(unit(random), unit(random), 0.1 * unit(random)));
    if (k % 4 == 1) way = random_way(random);
    if (k % 4 == 2) from -= 1000.0 * way;
    if (k % 8 == 3) way = dvec3(k % 16 == 3 ? 1.0 : 0.0, k % 16 == 3 ? 0.0 : -1.0, 0.0);
    rays.add(from, way, k % 5 == 0 ? 100.0 : kForever);
  }
  const TestScene scene(ground);
  expect_valid(scene, rays, cast(scene, rays), rays.count() / 3);
}

TEST_P(RayFuzz, DeviceAndReferenceAgreeAmongManyBodies) {
  std::mt19937_64 random(60);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  TestScene scene{std::vector<BodySpec>{}};
  const dvec3 middle(-5000.5, 200.25, 40.0);
  for (std::size_t k = 0; k < 3000; ++k) {
    BodySpec body =
        of_any_shape(k, k % 500 == 7 ? 2.0 : 0.05 + 0.4 * std::abs(unit(random)),
                     middle + 8.0 * dvec3(unit(random), unit(random), unit(random)), random_orientation(random));
    body.environment = static_cast<std::uint32_t>(k % 3);
    scene.add(body);
    scene.scene.bodies.category.push_back(1U << (k % 5));
  }
  RayList rays;
  for (std::size_t k = 0; k < 2000 / kSweepStep; ++k)
    rays.add(middle + 9.0 * dvec3(unit(random), unit(random), unit(random)), random_way(random),
             k % 4 == 0 ? 5.0 : kForever, static_cast<std::uint32_t>(k % 3), k % 2 == 0 ? 0xFFFFFFFFU : 5U);
  expect_valid(scene, rays, cast(scene, rays), rays.count() / 8);
}

TEST_P(RayFuzz, DeviceAndReferenceAgreeAtALargeMesh) {
  std::mt19937_64 random(70);
  std::uniform_real_distribution<double> unit(-1.0, 1.0), bump(0.97, 1.03);
  for (const bool solid : {false, true}) {
    TestScene scene;
    scene.scene.meshes = {welded(ball_mesh(10.0, 40))};
    scene.scene.meshes[0].solid = solid;
    for (MeshPoint& p : scene.scene.meshes[0].vertices) {
      const double part = bump(random);
      for (double& x : p) x *= part;
    }
    const dvec3 place(800.3, 9000.1, -20.0);
    scene.add({Shape::triangle_mesh, {}, place, random_orientation(random)});
    RayList rays;
    for (int k = 0; k < 1500 / kSweepStep; ++k)
      rays.add(place + (k % 3 == 0 ? 9.0 : 20.0) * dvec3(unit(random), unit(random), unit(random)), random_way(random));
    expect_valid(scene, rays, cast(scene, rays), rays.count() / 3);
  }
}

// Height of the ground under a point and whether there is any, by this file alone.
std::optional<double> ground_height(const Terrain& t, dvec2 p) {
  const double u = (p.x - t.origin[0]) / t.spacing[0], v = (p.y - t.origin[1]) / t.spacing[1];
  if (!(u >= 0.0 && v >= 0.0 && u < static_cast<double>(t.cols - 1) && v < static_cast<double>(t.rows - 1))) return {};
  const auto j = static_cast<std::size_t>(u), i = static_cast<std::size_t>(v);
  const double a = u - static_cast<double>(j), b = v - static_cast<double>(i);
  const double h0 = t.heights[vertex(t, i, j)], h1 = t.heights[vertex(t, i, j + 1)],
               h2 = t.heights[vertex(t, i + 1, j)], h3 = t.heights[vertex(t, i + 1, j + 1)];
  if (t.holes[cell(t, i, j)] != 0 || std::isnan(h0 + h1 + h2 + h3)) return {};
  return a + b <= 1.0 ? h0 + a * (h1 - h0) + b * (h2 - h0) : h3 + (1.0 - a) * (h2 - h3) + (1.0 - b) * (h1 - h3);
}

// Where a line goes through the inside of a triangle, not along it; infinite where it does not, or nearly does not.
double through_triangle(const Mesh& mesh, const std::array<std::uint32_t, 3>& triangle, dvec3 from, dvec3 way) {
  const auto at = [&](std::uint32_t v) { return dvec3(mesh.vertices[v][0], mesh.vertices[v][1], mesh.vertices[v][2]); };
  const dvec3 a = at(triangle[0]) - from, b = at(triangle[1]) - from, c = at(triangle[2]) - from;
  const double u = glm::dot(way, glm::cross(b, c)), v = glm::dot(way, glm::cross(c, a)),
               w = glm::dot(way, glm::cross(a, b)), all = u + v + w;
  const dvec3 n = glm::normalize(glm::cross(b - a, c - a));
  if (std::abs(glm::dot(n, way)) < 0.05 || std::min({u / all, v / all, w / all}) < 0.01) return kForever;
  return glm::dot(a, n) / glm::dot(way, n);
}

// No point of the ray before its hit is in a convex body, a half space or the ground by more than the tolerance, and
// none is on a triangle. A hit of a convex body or half space is on its surface.
TEST_P(RayFuzz, NothingIsPassedOnTheWay) {
  std::size_t marched = 0, crossed = 0;
  for (std::size_t c = 0; c < kCases.size(); ++c) {
    const FuzzScene in = random_scene(kCases[c].size, kCases[c].middle, 30 + c);
    const RayList rays = random_rays(in, 300 / kSweepStep, 40 + c);
    const std::vector<Hit> hits = cast(in.scene, rays);
    const Terrain& ground = in.scene.scene.terrains[0];
    const auto is_convex = [](Shape s) { return s != Shape::triangle_mesh && s != Shape::compound; };
    for (std::size_t i = 0; i < hits.size(); ++i) {
      const Hit& hit = hits[i];
      const dvec3 from = rays.origin_of(i), way = rays.way_of(i);
      const double tolerance = kContract + 1e-6 * std::min(hit.distance, 1e5);
      if (hit.body < kNothing && is_convex(in.bodies[hit.body].shape)) {
        const double off = distance_to(in.bodies[hit.body], from + hit.distance * way);
        EXPECT_TRUE(hit.distance == 0.0 ? off <= tolerance : std::abs(off) <= tolerance) << c << text(hit) << off;
      }
      const double end = std::min({hit.distance, rays.length[i], glm::distance(from, in.middle) + 12.0 * in.size});
      for (std::size_t k = 0; k < in.bodies.size(); ++k) {
        const BodySpec& body = in.bodies[k];
        if (body.environment != rays.environment[i]) continue;
        if (body.shape == Shape::triangle_mesh) {
          const Mesh& mesh = in.scene.scene.meshes[static_cast<std::size_t>(body.size[0])];
          const dquat back = glm::inverse(glm::normalize(body.orientation));
          for (const auto& triangle : mesh.triangles) {
            const double t = through_triangle(mesh, triangle, back * (from - body.position), back * way);
            if (t < tolerance || t == kForever) continue;
            ++crossed;
            ASSERT_GE(t, end - 2.0 * tolerance) << c << " ray " << i << " body " << k << "; " << text(hit);
          }
        }
        if (!is_convex(body.shape)) continue;
        // Steps of the distance itself pass by nothing, until the least step.
        for (double t = 0.0; t < end - tolerance; ++marched) {
          const double off = distance_to(body, from + t * way);
          ASSERT_GE(off, -2.0 * tolerance) << c << " ray " << i << " at " << t << " in body " << k << "; " << text(hit);
          t += std::max(off, 0.01 * in.size);
        }
      }
      if (rays.environment[i] != 0) continue;
      for (double t = std::max(0.0, end - 60.0 * in.size); t < end - tolerance; t += 0.03 * in.size, ++marched) {
        const dvec3 p = from + t * way;
        if (const auto height = ground_height(ground, dvec2(p)); height) {
          ASSERT_GE(p.z - *height, -1e-3 * in.size) << c << " ray " << i << " at " << t << "; " << text(hit);
        }
      }
    }
  }
  EXPECT_GT(marched, 10000U / kSweepStep);
  EXPECT_GT(crossed, 60U / kSweepStep);
}

}  // namespace
}  // namespace oclide::test
