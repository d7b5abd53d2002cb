// Broad-phase structures against each other: all pairs of overlapping boxes, by several structures, on one thread.
//
//   bench_structures [--scene NAME] [--structure NAME] [--repetitions N] [--limit SECONDS]
//
// Plain C++ in float, compiled for the machine it runs on, so that all have the same vector units. All share the sort,
// box tests of eight at a time, environments in the high bits of the keys and the list of pairs. What depends on the
// sizes of bodies alone (levels, classes, cells) is found beforehand and not timed, as bodies keep their sizes from
// frame to frame. All must find the same pairs: number and hash are compared, and a difference ends the program with
// status 1. Build and query are timed apart, in turn over the structures, in CPU time of the thread. One JSON object a
// line, a line a scene and structure. docs/broad_phase.md is written from the results.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "structures/binary_tree.hpp"
#include "structures/grid.hpp"
#include "structures/packed_tree.hpp"
#include "structures/scenes.hpp"
#include "structures/sort_and_sweep.hpp"

namespace oclide::bench::structures {
namespace {

constexpr double kSecondsPerStructure = 4.0;  // of a scene: no further repetitions beyond it

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Contestant {
  std::string name;
  std::unique_ptr<Structure> structure;
  std::vector<double> build, query, both;  // [s]
  double spent = 0.0;
};

struct Options {
  std::string scene, structure;
  int repetitions = 7;
  double limit = 20.0;  // [s]
};

std::vector<Contestant> contestants() {
  std::vector<Contestant> all;
  const auto add = [&](const char* name, std::unique_ptr<Structure> s) {
    all.push_back({name, std::move(s), {}, {}, {}});
  };
  add("packed_tree_together", std::make_unique<PackedTree<Curve::z_order, Way::together>>());
  add("packed_tree_alone", std::make_unique<PackedTree<Curve::z_order, Way::alone>>());
  add("packed_tree_sifted", std::make_unique<PackedTree<Curve::z_order, Way::sifted>>());
  add("hilbert_tree_together", std::make_unique<PackedTree<Curve::hilbert, Way::together>>());
  add("hilbert_tree_sifted", std::make_unique<PackedTree<Curve::hilbert, Way::sifted>>());
  add("binary_tree", std::make_unique<BinaryTree>());
  add("hierarchical_grid", std::make_unique<Grid>(true));
  add("uniform_grid", std::make_unique<Grid>(false));
  add("sort_and_sweep", std::make_unique<SortAndSweep>());
  return all;
}

double least(const std::vector<double>& v) {
  return *std::min_element(v.begin(), v.end());
}

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

nlohmann::ordered_json milliseconds(const std::vector<double>& seconds) {
  const auto rounded = [](double s) { return std::round(1e6 * s) / 1e3; };
  return {{"min", rounded(least(seconds))}, {"median", rounded(median(seconds))}};
}

bool measure(const Scene& scene, const Options& options) {
  std::vector<Contestant> all = contestants();
  PairList pairs;
  std::size_t expected = 0;
  std::uint64_t expected_hash = 0;
  bool first = true;
  for (int repetition = -1; repetition < options.repetitions; ++repetition)
    for (Contestant& c : all) {
      if (!options.structure.empty() && c.name != options.structure) continue;
      if (repetition < 0) c.structure->prepare(scene);
      if (c.spent > kSecondsPerStructure) continue;
      const double start = cpu_seconds();
      c.structure->build(scene);
      const double built = cpu_seconds();
      if (repetition < 0 && c.structure->predicted_tests() * kSecondsPerTest > options.limit) {
        c.spent = std::numeric_limits<double>::infinity();
        continue;
      }
      pairs.clear();
      const double ready = cpu_seconds();
      c.structure->query(pairs);
      const double done = cpu_seconds();
      c.spent += built - start + (done - ready);
      // The first round warms up memory and compares the pairs; it counts only for what is too slow to come again.
      if (repetition >= 0 || c.spent > kSecondsPerStructure) {
        c.build.push_back(built - start);
        c.query.push_back(done - ready);
        c.both.push_back(built - start + (done - ready));
      }
      if (repetition >= 0) continue;
      const std::uint64_t hash = pairs.hash();
      if (first) {
        expected = pairs.count();
        expected_hash = hash;
        first = false;
      } else if (pairs.count() != expected || hash != expected_hash) {
        std::fprintf(stderr, "%s: %s finds %zu pairs (%016llx), the first one %zu (%016llx)\n", scene.name.c_str(),
                     c.name.c_str(), pairs.count(), static_cast<unsigned long long>(hash), expected,
                     static_cast<unsigned long long>(expected_hash));
        return false;
      }
    }
  for (const Contestant& c : all) {
    if (!options.structure.empty() && c.name != options.structure) continue;
    std::array<char, 17> hash{};
    std::snprintf(hash.data(), hash.size(), "%016llx", static_cast<unsigned long long>(expected_hash));
    nlohmann::ordered_json json{{"scene", scene.name},
                                {"bodies", scene.count()},
                                {"pairs", expected},
                                {"hash", hash.data()},
                                {"structure", c.name}};
    if (c.both.empty()) {
      std::ostringstream why;
      why << "predicted to take more than " << options.limit << " s";
      json["left_out"] = why.str();
    } else {
      json["repetitions"] = c.both.size();
      json["build_ms"] = milliseconds(c.build);
      json["query_ms"] = milliseconds(c.query);
      json["total_ms"] = milliseconds(c.both);
      json["box_tests"] = c.structure->tests();
    }
    std::cout << json.dump() << std::endl;  // a long run shows each at once
  }
  return true;
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app{"Broad-phase structures against each other, on one thread", "bench_structures"};
  app.add_option("--scene", options.scene, "The scene of this name alone");
  app.add_option("--structure", options.structure, "The structure of this name alone");
  app.add_option("--repetitions", options.repetitions, "Rounds that are timed")->check(CLI::Range(1, 1000000));
  app.add_option("--limit", options.limit, "Seconds; a structure that is predicted to take longer is left out");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  bool any = false;
  for (const auto& [name, make] : scenes()) {
    if (!options.scene.empty() && name != options.scene) continue;
    any = true;
    if (!measure(make(), options)) return 1;
  }
  if (!any) std::fprintf(stderr, "bench_structures: no scene is named %s\n", options.scene.c_str());
  return any ? 0 : 2;
}

}  // namespace
}  // namespace oclide::bench::structures

int main(int argc, char** argv) {
  try {
    return oclide::bench::structures::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_structures: %s\n", error.what());
    return 1;
  }
}
