// Overlap and distance queries against one scene of 50,000 bodies of four shapes over 512 x 512 cells; of overlap
// beside FCL, on one core each.
//
//   bench_queries [--queries N] [--device D] [--repetitions R] [--peer-queries N]
//
// Works: `boxes` boxes at random poses in a layer over the ground, yes or no; `lowest` the same with the lowest body;
// `points` random points there, `points_near` with a range of 0.3 m. FCL has a dynamic tree of the bodies, the ground
// as triangles under a tree of oriented boxes, and ends at the first overlap; it gets the first --peer-queries queries.
// Times are processor time of the process a query, the least of the repetitions, from queries in host memory to answers
// in host memory; `kernel` is the part of oclide's kernels. One JSON object a line, with the queries in which FCL
// differs.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#ifdef OCLIDE_BENCH_FCL
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/collision_object.h>
#endif

#include "oclide/oclide.hpp"

namespace {

constexpr std::size_t kBodies = 50000, kGrid = 513;

double cpu_time() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Places {
  std::vector<double> position, orientation;
  [[nodiscard]] oclide::Poses poses() const { return {position, orientation}; }
};

double height_at(double x, double y) {
  return 8.0 * std::sin(0.05 * y) * std::cos(0.043 * x) + 1.5 * std::sin(0.31 * y + 0.2 * x);
}

// In a layer of a few metres over the ground.
Places random_places(std::size_t count, std::mt19937_64& random) {
  std::uniform_real_distribution<double> across(-120.0, 120.0), above(0.0, 4.0), unit(-1.0, 1.0);
  Places places;
  for (std::size_t k = 0; k < count; ++k) {
    const double x = across(random), y = across(random);
    places.position.insert(places.position.end(), {x, y, height_at(x, y) + above(random)});
    for (int i = 0; i < 4; ++i) places.orientation.push_back(unit(random));
  }
  return places;
}

oclide::Scene make_scene(std::mt19937_64& random) {
  std::uniform_real_distribution<double> noise(-0.1, 0.1), size(0.1, 0.3);
  oclide::Scene scene;
  oclide::Terrain ground;
  ground.rows = ground.cols = kGrid;
  ground.origin = {-128.0, -128.0};
  ground.spacing = {0.5, 0.5};
  for (std::size_t i = 0; i < kGrid; ++i)
    for (std::size_t j = 0; j < kGrid; ++j)
      ground.heights.push_back(height_at(-128.0 + 0.5 * static_cast<double>(j), -128.0 + 0.5 * static_cast<double>(i)) +
                               noise(random));
  scene.terrains.push_back(std::move(ground));
  for (std::size_t k = 0; k < kBodies; ++k) {
    scene.bodies.shape.push_back(static_cast<oclide::Shape>(k % 4));
    scene.bodies.size.push_back({size(random), size(random), size(random)});
  }
  return scene;
}

#ifdef OCLIDE_BENCH_FCL
fcl::Transform3d transform_of(const Places& places, std::size_t k) {
  fcl::Transform3d at = fcl::Transform3d::Identity();
  const double* q = &places.orientation[4 * k];
  at.linear() = fcl::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
  at.translation() = fcl::Vector3d(places.position[3 * k], places.position[3 * k + 1], places.position[3 * k + 2]);
  return at;
}

bool stop_at_first(fcl::CollisionObjectd* a, fcl::CollisionObjectd* b, void* overlaps) {
  fcl::CollisionResultd result;
  fcl::collide(a, b, fcl::CollisionRequestd(), result);
  *static_cast<bool*>(overlaps) = result.isCollision();
  return result.isCollision();
}

class FclScene {
 public:
  FclScene(const oclide::Scene& scene, const Places& places) {
    for (std::size_t k = 0; k < scene.bodies.count(); ++k) {
      const std::array<double, 3>& s = scene.bodies.size[k];
      std::shared_ptr<fcl::CollisionGeometryd> shape;
      if (k % 4 == 0) shape = std::make_shared<fcl::Sphered>(s[0]);
      if (k % 4 == 1) shape = std::make_shared<fcl::Boxd>(2 * s[0], 2 * s[1], 2 * s[2]);
      if (k % 4 == 2) shape = std::make_shared<fcl::Cylinderd>(s[0], 2 * s[1]);
      if (k % 4 == 3) shape = std::make_shared<fcl::Capsuled>(s[0], 2 * s[1]);
      bodies_.push_back(std::make_unique<fcl::CollisionObjectd>(shape, transform_of(places, k)));
      tree_.registerObject(bodies_.back().get());
    }
    tree_.setup();
    const oclide::Terrain& t = scene.terrains[0];
    std::vector<fcl::Vector3d> vertices;
    std::vector<fcl::Triangle> triangles;
    for (std::size_t i = 0; i < t.rows; ++i)
      for (std::size_t j = 0; j < t.cols; ++j) {
        const std::size_t v = i * t.cols + j;
        vertices.emplace_back(t.origin[0] + static_cast<double>(j) * t.spacing[0],
                              t.origin[1] + static_cast<double>(i) * t.spacing[1], t.heights[v]);
        if (i + 1 == t.rows || j + 1 == t.cols) continue;
        triangles.emplace_back(v, v + 1, v + t.cols);
        triangles.emplace_back(v + t.cols + 1, v + t.cols, v + 1);
      }
    auto surface = std::make_shared<fcl::BVHModel<fcl::OBB<double>>>();
    surface->beginModel(static_cast<int>(triangles.size()), static_cast<int>(vertices.size()));
    surface->addSubModel(vertices, triangles);
    surface->endModel();
    ground_ = std::make_unique<fcl::CollisionObjectd>(surface);
  }

  bool overlaps(const std::shared_ptr<fcl::CollisionGeometryd>& shape, const fcl::Transform3d& at) {
    fcl::CollisionObjectd query(shape, at);
    bool found = false;
    tree_.collide(&query, &found, stop_at_first);
    return found || stop_at_first(ground_.get(), &query, &found);
  }

 private:
  std::vector<std::unique_ptr<fcl::CollisionObjectd>> bodies_;
  fcl::DynamicAABBTreeCollisionManagerd tree_;
  std::unique_ptr<fcl::CollisionObjectd> ground_;
};
#endif

}  // namespace

int main(int argc, char** argv) {
  std::size_t queries = 262144, peer_queries = 20000;
  int repetitions = 3;
  oclide::Settings settings;
  CLI::App app{"Overlap and distance queries, beside FCL", "bench_queries"};
  app.add_option("--queries", queries, "Queries of a call")->check(CLI::PositiveNumber);
  app.add_option("--peer-queries", peer_queries, "Those that FCL is asked")->check(CLI::PositiveNumber);
  app.add_option("--repetitions", repetitions, "The least time of so many calls")->check(CLI::PositiveNumber);
  app.add_option("--device", settings.device, "As of oclide run");
  CLI11_PARSE(app, argc, argv);
  peer_queries = std::min(peer_queries, queries);
  std::mt19937_64 random(11);
  const oclide::Scene scene = make_scene(random);
  const Places bodies = random_places(kBodies, random), asked = random_places(queries, random);
  oclide::Collider collider(settings);
  collider.set_scene(scene);

  const std::vector<oclide::Shape> shape{oclide::Shape::box};
  const std::vector<std::array<double, 3>> size{{0.4, 0.3, 0.2}};
  const std::vector<double> range(queries, 0.3);
  std::vector<std::uint8_t> overlaps;
  for (const std::string work : {"boxes", "lowest", "points", "points_near"}) {
    double kernel = std::numeric_limits<double>::infinity(), cpu = kernel;
    std::uint64_t found = 0;
    for (int k = 0; k <= repetitions; ++k) {
      const double begin = cpu_time();
      oclide::QueryTimes times;
      if (work == "boxes" || work == "lowest") {
        oclide::Overlaps answers = collider.overlap(
            bodies.poses(), {shape, size, asked.position, asked.orientation, {}, {}, {}, work == "lowest"});
        times = answers.milliseconds, found = answers.overlap_count;
        overlaps = std::move(answers.overlaps);
      } else {
        oclide::QueryPoints points{asked.position};
        if (work == "points_near") points.range = range;
        const oclide::Distances answers = collider.distance(bodies.poses(), points);
        times = answers.milliseconds, found = answers.near_count;
      }
      if (k == 0) continue;  // which compiles
      cpu = std::min(cpu, cpu_time() - begin);
      kernel = std::min(kernel, times.query);
    }
    const double per_query = 1e9 / static_cast<double>(queries);
    nlohmann::json row{{"work", work},
                       {"queries", queries},
                       {"found", found},
                       {"device", collider.device().name},
                       {"oclide_ns", cpu * per_query},
                       {"oclide_kernel_ns", 1e-3 * kernel * per_query}};
#ifdef OCLIDE_BENCH_FCL
    if (work == "boxes") {
      FclScene peer(scene, bodies);
      const auto box = std::make_shared<fcl::Boxd>(2 * size[0][0], 2 * size[0][1], 2 * size[0][2]);
      std::size_t differ = 0;
      const double begin = cpu_time();
      for (std::size_t k = 0; k < peer_queries; ++k)
        differ += peer.overlaps(box, transform_of(asked, k)) != (overlaps[k] != 0) ? 1 : 0;
      const double theirs = (cpu_time() - begin) / static_cast<double>(peer_queries);
      row["fcl_ns"] = 1e9 * theirs;
      row["fcl_ratio"] = 1e9 * theirs / (cpu * per_query);
      row["fcl_differ"] = differ;
      row["fcl_queries"] = peer_queries;
    }
#endif
    std::printf("%s\n", row.dump().c_str());
    std::fflush(stdout);
  }
}
