// Rays against the same scenes: oclide, Embree 3 (terrain as triangles) and Bullet 3 (a pile of bodies), in turn, on
// one core each.
//
//   bench_rays [--rays N] [--work W] [--device D] [--repetitions R]
//
// Works: `down` straight down on 512 x 512 cells, `lidar` 64 x 128 rays from points over them, `incoherent` from and in
// any direction, `pile` into 50,000 bodies of four shapes. Embree gets one ray after another (`rtcIntersect1`), and
// `packets` of eight where rays are coherent; Bullet's ray test has its own way to a convex body, and `bullet_gjk` the
// other one that it offers. Times are processor time of the process a ray, the least of the repetitions, with rays and
// poses in host memory at the start and hits in host memory at the end; `kernel` is the part of oclide's kernels. One
// JSON object a line. Where the peers' hits differ from ours by more than 1e-3 m, it is said. MuJoCo's rays:
// peers/mujoco_rays.py.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "oclide/oclide.hpp"
#include "peers/ray_peers.hpp"

namespace {

constexpr int kCells = 512;

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

class Random {
 public:
  double operator()(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }

 private:
  std::mt19937_64 engine_{7};
};

oclide::Terrain hills(Random& random) {
  oclide::Terrain t;
  t.rows = t.cols = kCells + 1;
  t.origin = {-kCells / 2.0, -kCells / 2.0};
  for (std::size_t i = 0; i < t.rows; ++i)
    for (std::size_t j = 0; j < t.cols; ++j) {
      const auto y = static_cast<double>(i), x = static_cast<double>(j);
      t.heights.push_back(8.0 * std::sin(0.05 * y) * std::cos(0.043 * x) + 1.5 * std::sin(0.31 * y + 0.2 * x) +
                          random(-0.3, 0.3));
    }
  return t;
}

struct Work {
  const char* name;
  std::vector<double> origin, direction;
  void add(std::array<double, 3> o, std::array<double, 3> d) {
    const double length = std::hypot(d[0], d[1], d[2]);
    for (std::size_t k = 0; k < 3; ++k) {
      origin.push_back(o[k]);
      direction.push_back(d[k] / length);
    }
  }
};

Work down(std::size_t rays, Random& random) {
  Work work{"down", {}, {}};
  for (std::size_t k = 0; k < rays; ++k) work.add({random(-250, 250), random(-250, 250), 100.0}, {0.0, 0.0, -1.0});
  return work;
}

Work lidar(std::size_t rays, Random& random) {
  Work work{"lidar", {}, {}};
  std::array<double, 3> at{};
  for (std::size_t k = 0; k < rays; ++k) {
    const std::size_t ray = k % (64 * 128), row = ray / 128, column = ray % 128;
    if (ray == 0) at = {random(-200, 200), random(-200, 200), random(11, 14)};
    const double around = 2.0 * std::numbers::pi * static_cast<double>(column) / 128.0;
    const double up = (-25.0 + 40.0 * static_cast<double>(row) / 64.0) * std::numbers::pi / 180.0;
    work.add(at, {std::cos(around) * std::cos(up), std::sin(around) * std::cos(up), std::sin(up)});
  }
  return work;
}

Work incoherent(std::size_t rays, Random& random) {
  Work work{"incoherent", {}, {}};
  for (std::size_t k = 0; k < rays; ++k)
    work.add({random(-250, 250), random(-250, 250), random(12, 25)}, {random(-1, 1), random(-1, 1), random(-1, 1)});
  return work;
}

Work into_pile(std::size_t rays, Random& random) {
  Work work{"pile", {}, {}};
  for (std::size_t k = 0; k < rays; ++k)
    work.add({random(-12, 12), random(-12, 12), 16.0}, {random(-0.5, 0.5), random(-0.5, 0.5), -1.0});
  return work;
}

struct Measured {
  double cpu = std::numeric_limits<double>::infinity();
  std::vector<double> distance;
};

// The least processor time of a call that returns distances.
template <class Call>
Measured measure(int repetitions, const Call& call) {
  Measured measured;
  for (int k = 0; k < repetitions; ++k) {
    const double begin = cpu_seconds();
    std::vector<double> distance = call();
    const double cpu = cpu_seconds() - begin;
    if (cpu < measured.cpu) measured = {cpu, std::move(distance)};
  }
  return measured;
}

std::size_t differences(std::span<const double> a, std::span<const double> b) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (std::isinf(a[k]) != std::isinf(b[k]) || (!std::isinf(a[k]) && std::abs(a[k] - b[k]) > 1e-3)) ++count;
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t rays = 262144;
  int repetitions = 5;
  std::string only;
  oclide::Settings settings;
  CLI::App app{"Casts, beside Embree and Bullet", "bench_rays"};
  app.add_option("--rays", rays, "Rays of a cast")->check(CLI::PositiveNumber);
  app.add_option("--work", only, "This one alone");
  app.add_option("--repetitions", repetitions, "The least time of so many casts")->check(CLI::PositiveNumber);
  app.add_option("--device", settings.device, "As of oclide run");
  CLI11_PARSE(app, argc, argv);
  Random random;
  oclide::Scene ground;
  ground.terrains.push_back(hills(random));
  oclide::Scene pile;
  std::vector<double> position, orientation;
  for (std::size_t k = 0; k < 50000; ++k) {
    pile.bodies.shape.push_back(static_cast<oclide::Shape>(k % 4));
    pile.bodies.size.push_back({random(0.1, 0.3), random(0.1, 0.3), random(0.1, 0.3)});
    position.insert(position.end(), {random(-12, 12), random(-12, 12), random(0, 12)});
    for (int i = 0; i < 4; ++i) orientation.push_back(random(-1, 1));
  }

  for (const Work& work :
       {down(rays, random), lidar(rays, random), incoherent(rays, random), into_pile(rays, random)}) {
    if (!only.empty() && work.name != only) continue;
    const bool is_pile = std::string(work.name) == "pile";
    oclide::Collider collider(settings);
    collider.set_scene(is_pile ? pile : ground);
    const oclide::Poses poses = is_pile ? oclide::Poses{position, orientation} : oclide::Poses{};
    const oclide::Rays given{work.origin, work.direction, {}, {}, {}};
    double kernel = std::numeric_limits<double>::infinity();
    const auto cast = [&] {
      const oclide::RayHits found = collider.cast(poses, given);
      kernel = std::min(kernel, found.milliseconds.cast);
      std::vector<double> distance;
      for (const oclide::Hit& hit : found.hits) distance.push_back(hit.distance);
      return distance;
    };
    (void)cast();
    const Measured own = measure(repetitions, cast);
    const double per_ray = 1e9 / static_cast<double>(rays);
    nlohmann::json row{{"work", work.name},
                       {"rays", rays},
                       {"device", collider.device().name},
                       {"oclide_ns", own.cpu * per_ray},
                       {"oclide_kernel_ns", 1e-3 * kernel * per_ray}};
    std::vector<RayPeer> peers = is_pile ? bullet_rays(pile, poses) : embree_rays(ground.terrains[0]);
    for (RayPeer& peer : peers) {
      const Measured theirs = measure(repetitions, [&] { return peer.cast(work.origin, work.direction); });
      row[peer.name + "_ns"] = theirs.cpu * per_ray;
      row[peer.name + "_ratio"] = theirs.cpu / own.cpu;
      row[peer.name + "_differ"] = differences(own.distance, theirs.distance);
    }
    std::printf("%s\n", row.dump().c_str());
    std::fflush(stdout);
  }
}
