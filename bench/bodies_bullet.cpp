// oclide against Bullet 3 on the same bodies against each other, in turn, in one run.
//
//   bench_bodies_bullet SCENE.h5 [COPIES [REPETITIONS [DEVICE]]]
//   bench_bodies_bullet pile|cloud [BODIES [REPETITIONS [DEVICE]]]
//   bench_bodies_bullet all [DEVICE]
//
// `all` is pile and cloud of 10,000, 100,000 and 1,000,000 bodies. Options, before these:
//   --without-bullet     only oclide
//   --bullet-margin M    radius of the edges of Bullet's boxes and cylinders [m]; where not given, Bullet's own: a
//                        tenth of the least half extent, 0.04 at most
//   --move M             most way of a body along each axis from repetition to repetition [m], 0.0001 where not given
//
// Both sides are timed from poses in host memory to contacts in host memory. From repetition to repetition the poses
// go round a table of three, all positions moved a little, so that nobody answers from what it had. At last
// both take the scene as it is, and the sets of touching pairs are compared, also with /truth/touching_pairs where the
// file has it. One JSON object a line on standard output.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "peers/bullet_bodies.hpp"
#include "scenes.hpp"

namespace {

using oclide::bench::BodyScene;
using oclide::bench::BulletBodies;
using oclide::bench::IndexPair;
using Pair = BulletBodies::Pair;

constexpr double kClear = 1e-4;  // pairs deeper than this are compared [m]
constexpr std::size_t kPoses = 3;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}
double least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

// The pairs of two bodies among contacts, with their greatest depths.
std::vector<Pair> touching_pairs(const std::vector<oclide::Contact>& contacts) {
  std::vector<Pair> pairs;
  for (const oclide::Contact& c : contacts) {
    const IndexPair bodies{c.body_a, c.body_b};
    if (pairs.empty() || pairs.back().bodies != bodies) pairs.push_back({bodies, c.depth});
    pairs.back().depth = std::max(pairs.back().depth, static_cast<double>(c.depth));
  }
  return pairs;
}

// Pairs of `from` that are clearly deep and not in `in`; both sorted.
std::size_t missing(const std::vector<Pair>& from, const std::vector<Pair>& in) {
  return static_cast<std::size_t>(std::count_if(from.begin(), from.end(), [&](const Pair& p) {
    return p.depth > kClear && !std::binary_search(in.begin(), in.end(), p,
                                                   [](const Pair& a, const Pair& b) { return a.bodies < b.bodies; });
  }));
}

// How a side's pairs differ from the truth, as JSON; nothing without a truth.
std::string against_truth(const std::vector<IndexPair>& truth, const std::vector<Pair>& found) {
  if (truth.empty()) return {};
  std::vector<Pair> true_pairs;
  for (const IndexPair& p : truth) true_pairs.push_back({p, 1.0});
  return ", \"truth\": {\"pairs\": " + std::to_string(truth.size()) +
         ", \"missed\": " + std::to_string(missing(true_pairs, found)) +
         ", \"spurious\": " + std::to_string(missing(found, true_pairs)) + "}";
}

// Millions a second.
double rate(double count, double milliseconds) {
  return milliseconds > 0.0 ? count / milliseconds * 1e-3 : 0.0;
}

struct Options {
  int repetitions = 10;
  std::string device = "auto";
  bool with_bullet = true;
  std::optional<double> bullet_margin;  // [m]
  double move = 1e-4;                   // [m]
};

void measure(const BodyScene& scene, const Options& options) {
  std::array<oclide::Frame, kPoses> frames;
  for (std::size_t k = 0; k < kPoses; ++k) frames[k] = oclide::bench::moved(scene, options.move, k + 1);
  oclide::Settings settings;
  settings.device = options.device;
  oclide::Collider collider(settings);
  collider.set_scene(scene.scene);
  std::unique_ptr<BulletBodies> bullet;
  if (options.with_bullet)
    bullet = std::make_unique<BulletBodies>(scene.scene, scene.frame.poses(), options.bullet_margin);

  // Warm up: kernels compiled, buffers grown; Bullet's tree, pairs and manifolds as in a running simulation.
  for (const oclide::Frame& frame : frames) {
    (void)collider.collide(frame.poses());
    if (bullet) (void)bullet->collide(frame.poses());
  }
  std::array<std::vector<double>, 6> ours;    // upload, broad, narrow, reduction, download, total
  std::array<std::vector<double>, 5> theirs;  // bounds, broad, narrow, contacts, total
  for (int r = 0; r < options.repetitions; ++r) {
    const oclide::Poses poses = frames[static_cast<std::size_t>(r) % kPoses].poses();
    const oclide::StageTimes t = collider.collide(poses).milliseconds;
    const std::array own{t.upload, t.broad_phase, t.narrow_phase, t.contact_reduction, t.download, t.total};
    for (std::size_t k = 0; k < own.size(); ++k) ours[k].push_back(own[k]);
    if (!bullet) continue;
    const BulletBodies::Times b = bullet->collide(poses);
    const std::array other{b.bounds, b.broad_phase, b.narrow_phase, b.contacts, b.total};
    for (std::size_t k = 0; k < other.size(); ++k) theirs[k].push_back(other[k]);
  }
  const oclide::FrameContacts found = collider.collide(scene.frame.poses());
  const std::vector<Pair> pairs = touching_pairs(found.contacts);
  const auto candidates = static_cast<double>(found.body_candidates);

  std::printf("{\"scene\": \"%s\", \"bodies\": %zu, \"repetitions\": %d, \"move\": %g, \"host_threads\": %u, ",
              scene.name.c_str(), scene.scene.bodies.count(), options.repetitions, options.move,
              std::thread::hardware_concurrency());
  std::printf(
      "\"oclide\": {\"device\": \"%s\", \"median_ms\": %.2f, \"least_ms\": %.2f, \"candidates\": %llu, "
      "\"touching_pairs\": %zu, \"contacts\": %zu, \"hash\": \"%016llx\", ",
      collider.device().name.c_str(), median(ours[5]), least(ours[5]),
      static_cast<unsigned long long>(found.body_candidates), pairs.size(), found.contacts.size(),
      static_cast<unsigned long long>(oclide::contact_hash(found.contacts)));
  std::printf(
      "\"stages_ms\": {\"upload\": %.2f, \"broad_phase\": %.2f, \"narrow_phase\": %.2f, "
      "\"contact_reduction\": %.2f, \"download\": %.2f}, ",
      median(ours[0]), median(ours[1]), median(ours[2]), median(ours[3]), median(ours[4]));
  std::printf(
      "\"million_candidates_per_s\": {\"broad_phase\": %.2f, \"narrow_phase\": %.2f}, "
      "\"million_touching_pairs_per_s\": %.2f%s}",
      rate(candidates, median(ours[1])), rate(candidates, median(ours[2])),
      rate(static_cast<double>(pairs.size()), median(ours[5])), against_truth(scene.truth, pairs).c_str());
  if (bullet) {
    (void)bullet->collide(scene.frame.poses());
    const std::vector<Pair> other = bullet->touching_pairs();
    const auto tested = static_cast<double>(bullet->candidates());
    std::printf(
        ", \"bullet\": {\"threads\": 1, \"margin\": %s, \"median_ms\": %.2f, \"least_ms\": %.2f, \"candidates\": %llu, "
        "\"touching_pairs\": %zu, \"contacts\": %llu, ",
        options.bullet_margin ? std::to_string(*options.bullet_margin).c_str() : "null", median(theirs[4]),
        least(theirs[4]), static_cast<unsigned long long>(bullet->candidates()), other.size(),
        static_cast<unsigned long long>(bullet->contacts()));
    std::printf(
        "\"stages_ms\": {\"bounds\": %.2f, \"broad_phase\": %.2f, \"narrow_phase\": %.2f, \"contacts\": %.2f}, ",
        median(theirs[0]), median(theirs[1]), median(theirs[2]), median(theirs[3]));
    std::printf(
        "\"million_candidates_per_s\": {\"bounds_and_broad_phase\": %.2f, \"narrow_phase\": %.2f}, "
        "\"million_touching_pairs_per_s\": %.2f%s}, ",
        rate(tested, median(theirs[0]) + median(theirs[1])), rate(tested, median(theirs[2])),
        rate(static_cast<double>(other.size()), median(theirs[4])), against_truth(scene.truth, other).c_str());
    std::printf("\"deeper_than_0.1_mm\": {\"only_oclide\": %zu, \"only_bullet\": %zu}, \"bullet_over_oclide\": %.2f",
                missing(pairs, other), missing(other, pairs), median(theirs[4]) / median(ours[5]));
  }
  std::printf("}\n");
  std::fflush(stdout);
}

std::size_t to_count(const char* text, std::size_t most) {
  std::size_t count = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, count);
  if (error != std::errc() || stop != end || count < 1 || count > most)
    throw oclide::Error(oclide::ErrorKind::invalid_input, std::string("not a number from 1 on: ") + text);
  return count;
}

double to_length(const char* text) {
  double length = 0.0;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, length);
  if (error != std::errc() || stop != end || !(length >= 0.0 && length <= 1e3))
    throw oclide::Error(oclide::ErrorKind::invalid_input, std::string("not a length: ") + text);
  return length;
}

BodyScene make(const std::string& name, std::size_t count) {
  if (name == "pile") return oclide::bench::make_pile(count);
  if (name == "cloud") return oclide::bench::make_cloud(count);
  return oclide::bench::read_bodies(name, count);
}

constexpr const char* kUsage =
    "usage: bench_bodies_bullet [OPTIONS] SCENE.h5 [COPIES [REPETITIONS [DEVICE]]]\n"
    "       bench_bodies_bullet [OPTIONS] pile|cloud [BODIES [REPETITIONS [DEVICE]]]\n"
    "       bench_bodies_bullet [OPTIONS] all [DEVICE]\n"
    "options: --without-bullet, --bullet-margin M, --move M";

void run(std::vector<const char*> arguments) {
  Options options;
  const auto take = [&] {
    if (arguments.empty()) throw oclide::Error(oclide::ErrorKind::invalid_input, kUsage);
    const char* argument = arguments.front();
    arguments.erase(arguments.begin());
    return argument;
  };
  while (!arguments.empty() && std::strncmp(arguments[0], "--", 2) == 0) {
    const std::string option = take();
    if (option == "--without-bullet")
      options.with_bullet = false;
    else if (option == "--bullet-margin")
      options.bullet_margin = to_length(take());
    else if (option == "--move")
      options.move = to_length(take());
    else
      throw oclide::Error(oclide::ErrorKind::invalid_input, kUsage);
  }
  if (arguments.empty() || arguments.size() > 4) throw oclide::Error(oclide::ErrorKind::invalid_input, kUsage);
  const std::string name = arguments[0];
  if (name == "all") {
    if (arguments.size() > 1) options.device = arguments[1];
    for (const std::size_t bodies : {10'000U, 100'000U, 1'000'000U})
      for (const char* made : {"pile", "cloud"}) {
        options.repetitions = bodies < 1'000'000 ? 10 : 5;
        measure(make(made, bodies), options);
      }
    return;
  }
  const bool is_made = name == "pile" || name == "cloud";
  const std::size_t count = arguments.size() > 1 ? to_count(arguments[1], 10'000'000) : (is_made ? 10'000 : 1);
  if (arguments.size() > 2) options.repetitions = static_cast<int>(to_count(arguments[2], 100'000));
  if (arguments.size() > 3) options.device = arguments[3];
  measure(make(name, count), options);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run({argv + 1, argv + argc});
    return 0;
  } catch (const oclide::Error& e) {
    std::fprintf(stderr, "bench_bodies_bullet: %s\n%s", e.what(), e.detail().c_str());
    return e.kind() == oclide::ErrorKind::invalid_input ? 2 : 3;
  }
}
