// Sweeps beside the contacts of the same scenes: `sweep()` and `collide()` in turn, in one process.
//
//   bench_sweeps [--bodies N] [--device D] [--repetitions R] [--only WORK] [--motion MOTION]
//
// Works: `ground`, bodies of four shapes strewn over 512 x 512 cells, a third of which touch it; `pile`, bodies of four
// shapes that lie in each other. Motions: `still` 0.1 mm and 0.1 mrad a frame, `frame` 10 m/s and 6 rad/s for 1/60 s,
// `fast` 10 m and 3 rad. Every pose is new in every frame. Milliseconds are the least of the repetitions, from poses in
// host memory to impacts or contacts in host memory; `broad` and `narrow` are the parts of a sweep's kernels, `cpu` is
// processor time of the process. One JSON object a line.
#include <dlfcn.h>

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

#include "oclide/oclide.hpp"

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr std::size_t kCells = 512;

double cpu_ms() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

class Random {
 public:
  double operator()(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }

 private:
  std::mt19937_64 engine_{11};
};

double height(double x, double y) {
  return 8.0 * std::sin(0.05 * y) * std::cos(0.043 * x) + 1.5 * std::sin(0.31 * y + 0.2 * x);
}

// With command_trace.cpp preloaded: frame 10 k + 1 is the sweep, 10 k + 2 the contacts of the k-th work and motion.
void trace_frame(int frame) {
  static const auto next = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "command_trace_frame"));
  if (next != nullptr) next(frame);
}

struct Work {
  const char* name;
  oclide::Scene scene;
  std::vector<double> position, orientation;
};

void add_body(Work& work, std::array<double, 3> at, Random& random) {
  oclide::Bodies& bodies = work.scene.bodies;
  bodies.shape.push_back(static_cast<oclide::Shape>(bodies.count() % 4));
  bodies.size.push_back({random(0.1, 0.3), random(0.1, 0.3), random(0.1, 0.3)});
  work.position.insert(work.position.end(), at.begin(), at.end());
  for (int i = 0; i < 4; ++i) work.orientation.push_back(random(-1, 1));
}

Work ground(std::size_t bodies, Random& random) {
  Work work{"ground", {}, {}, {}};
  oclide::Terrain t;
  t.rows = t.cols = kCells + 1;
  t.origin = {-0.5 * kCells, -0.5 * kCells};
  for (std::size_t i = 0; i < t.rows; ++i)
    for (std::size_t j = 0; j < t.cols; ++j)
      t.heights.push_back(height(t.origin[0] + static_cast<double>(j), t.origin[1] + static_cast<double>(i)) +
                          random(-0.1, 0.1));
  work.scene.terrains.push_back(std::move(t));
  for (std::size_t k = 0; k < bodies; ++k) {
    const double x = random(-250, 250), y = random(-250, 250);
    add_body(work, {x, y, height(x, y) + random(0.1, 0.7)}, random);
  }
  return work;
}

Work pile(std::size_t bodies, Random& random) {
  Work work{"pile", {}, {}, {}};
  const double side = 0.5 * std::cbrt(static_cast<double>(bodies));
  for (std::size_t k = 0; k < bodies; ++k) add_body(work, {random(0, side), random(0, side), random(0, side)}, random);
  return work;
}

struct Pace {
  const char* name;
  double way, turn;  // [m], [rad] a frame
};

}  // namespace

int main(int argc, char** argv) {
  std::size_t bodies = 100000;
  int repetitions = 5;
  std::string only, only_motion;
  oclide::Settings settings;
  CLI::App app{"Sweeps, beside the contacts of the same scenes", "bench_sweeps"};
  app.add_option("--bodies", bodies, "Bodies of each scene")->check(CLI::PositiveNumber);
  app.add_option("--repetitions", repetitions, "The least time of so many frames")->check(CLI::PositiveNumber);
  app.add_option("--device", settings.device, "As of oclide run");
  app.add_option("--only", only, "One scene alone")->check(CLI::IsMember({"ground", "pile"}));
  app.add_option("--motion", only_motion, "One pace alone")->check(CLI::IsMember({"still", "frame", "fast"}));
  CLI11_PARSE(app, argc, argv);
  Random random;
  int row_count = 0;
  for (Work& work : std::array{ground(bodies, random), pile(bodies, random)}) {
    if (!only.empty() && only != work.name) continue;
    oclide::Collider collider(settings);
    collider.set_scene(work.scene);
    for (const Pace& pace : {Pace{"still", 1e-4, 1e-4}, Pace{"frame", 10.0 / 60.0, 0.1}, Pace{"fast", 10.0, 3.0}}) {
      if (!only_motion.empty() && only_motion != pace.name) continue;
      std::vector<double> displacement, rotation;
      for (std::size_t k = 0; k < bodies; ++k) {
        const auto vector = [&](double length) {
          const std::array<double, 3> v = {random(-1, 1), random(-1, 1), random(-1, 1)};
          const double by = length / std::hypot(v[0], v[1], v[2]);
          return std::array{v[0] * by, v[1] * by, v[2] * by};
        };
        for (const double x : vector(pace.way)) displacement.push_back(x);
        for (const double x : vector(pace.turn)) rotation.push_back(x);
      }
      double of_sweep = kInfinite, of_collide = kInfinite, sweep_cpu = kInfinite, collide_cpu = kInfinite, upload = 0.0,
             broad = 0.0, narrow = 0.0, download = 0.0;
      ++row_count;
      std::size_t impacts = 0, contacts = 0, candidates = 0;
      for (int k = 0; k <= repetitions; ++k) {
        const auto move = [&] {
          for (double& x : work.position) x += 1e-6;
        };
        move();
        trace_frame(k == 0 ? 0 : 10 * row_count + 1);
        const double begin = cpu_ms();
        const oclide::FrameImpacts swept = collider.sweep({work.position, work.orientation}, {displacement, rotation});
        const double middle = cpu_ms();
        move();
        trace_frame(k == 0 ? 0 : 10 * row_count + 2);
        const double second = cpu_ms();
        const oclide::FrameContacts met = collider.collide({work.position, work.orientation});
        impacts = swept.impacts.size(), candidates = swept.candidates, contacts = met.contacts.size();
        if (k == 0) continue;  // compiles
        sweep_cpu = std::min(sweep_cpu, middle - begin);
        collide_cpu = std::min(collide_cpu, cpu_ms() - second);
        of_collide = std::min(of_collide, met.milliseconds.total);
        if (swept.milliseconds.total >= of_sweep) continue;
        of_sweep = swept.milliseconds.total;
        upload = swept.milliseconds.upload, download = swept.milliseconds.download;
        broad = swept.milliseconds.broad_phase, narrow = swept.milliseconds.narrow_phase;
      }
      const nlohmann::json row{{"work", work.name},
                               {"motion", pace.name},
                               {"bodies", bodies},
                               {"device", collider.device().name},
                               {"contacts", contacts},
                               {"candidates", candidates},
                               {"impacts", impacts},
                               {"sweep_ms", of_sweep},
                               {"upload_ms", upload},
                               {"broad_ms", broad},
                               {"narrow_ms", narrow},
                               {"download_ms", download},
                               {"collide_ms", of_collide},
                               {"ratio", of_sweep / of_collide},
                               {"sweep_cpu_ms", sweep_cpu},
                               {"collide_cpu_ms", collide_cpu},
                               {"cpu_ratio", sweep_cpu / collide_cpu}};
      std::printf("%s\n", row.dump().c_str());
      std::fflush(stdout);
    }
    if (const auto write = reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "command_trace_write"))) write();
  }
}
