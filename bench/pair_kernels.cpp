// Nanoseconds a pair of each narrow-phase kernel for two bodies, one kind after another, on one device.
//
//   bench_pair_kernels [DEVICE [PAIRS [KIND ...]]]
//
// KIND is a stem such as box_box; all of them where none is named. Bodies of 0.2 to 0.5 m in three classes:
//   near_miss  apart by up to 0.2 m, while their bounding boxes overlap: what most candidates in a pile are
//   shallow    2 to 12 mm deep: what a pile at rest has
//   deep       50 to 200 mm deep
// The depths are upper bounds of a short search, so that a few of the touching classes are apart: see `touching`.
// Kinds with hulls have a line for each number of vertices. Where Coal was found when this was built, hulls against
// hulls have its time for the same pairs beside ours, on one thread, in `coal_ns_per_pair`. Device time from profiling
// events, the least of the repetitions. One JSON object a line, a line a kind.
#include <tbb/parallel_for.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "device_scene/hull_buffers.hpp"
#include "narrow_phase/pair_contacts.hpp"
#include "opencl/buffer.hpp"
#include "opencl/device.hpp"
#include "opencl/launch.hpp"
#include "peers/coal_pairs.hpp"
#include "scenes.hpp"
#include "shapes/pair_table.hpp"
#include "shared/abi.h"

namespace {

using glm::dvec3;
using oclide::PairContacts;
using oclide::PairRow;
using oclide::Shape;
using oclide::StoreRuns;
using oclide::scenario::HullPoints;
using oclide::scenario::PlacedBody;
using oclide::scenario::Random;
namespace opencl = oclide::opencl;

constexpr std::size_t kDistinct = 8192;  // pairs that are made; they are taken as often as needed
constexpr int kRepetitions = 7;

struct DepthClass {
  const char* name;
  double least, most;  // depth [m]
};
constexpr std::array kClasses{DepthClass{"near_miss", -0.2, -0.001}, DepthClass{"shallow", 0.002, 0.012},
                              DepthClass{"deep", 0.05, 0.2}};

struct Pair {
  PlacedBody first, second;
};

// Vertices of the hulls of a line; 0 of kinds without hulls.
constexpr std::array<std::size_t, 3> kVertices{8, 32, 64};
constexpr std::array<std::size_t, 1> kNoHulls{0};
constexpr std::size_t kHulls = 64;  // of a line

// Hulls of so many points on ellipsoids, each of which is a vertex.
HullPoints make_hulls(std::size_t vertices) {
  HullPoints hulls(vertices > 0 ? kHulls : 0);
  for (std::size_t k = 0; k < hulls.size(); ++k) {
    Random random(vertices, k);
    const dvec3 half(random.uniform(0.2, 0.5), random.uniform(0.2, 0.5), random.uniform(0.2, 0.5));
    for (std::size_t v = 0; v < vertices; ++v) {
      const dvec3 p = half * random.direction();
      hulls[k].push_back({p.x, p.y, p.z});
    }
  }
  return hulls;
}

PlacedBody make_body(Shape shape, const HullPoints& hulls, Random& random) {
  PlacedBody body = oclide::bench::random_body(shape, random);
  if (shape == Shape::convex_hull) body.size = {static_cast<double>(random.below(hulls.size())), 0.0, 0.0};
  return body;
}

bool boxes_overlap(const Pair& p, const HullPoints& hulls) {
  for (int axis = 0; axis < 3; ++axis) {
    dvec3 n(0.0);
    n[axis] = 1.0;
    const auto high = [&](const PlacedBody& b) { return b.position[axis] + reach_along(b, n, hulls); };
    const auto low = [&](const PlacedBody& b) { return b.position[axis] - reach_along(b, -n, hulls); };
    if (low(p.first) > high(p.second) || low(p.second) > high(p.first)) return false;
  }
  return true;
}

// Moves the second body along the line of centres until the pair is this deep, to a tenth of a millimetre.
bool set_depth(Pair& p, const HullPoints& hulls, const dvec3& direction, double depth) {
  if (p.second.shape == Shape::half_space) {
    const dvec3 up = p.second.orientation * dvec3(0.0, 0.0, 1.0);
    const double reach = reach_along(p.first, -up, hulls);
    const dvec3 aside = direction - glm::dot(direction, up) * up;
    p.second.position = p.first.position - (reach - depth) * up + 5.0 * aside;
    return true;
  }
  double near = 0.0, far = 2.5;
  for (int k = 0; k < 15; ++k) {
    const double middle = 0.5 * (near + far);
    p.second.position = p.first.position + middle * direction;
    const double found = overlap_bound(p.first, p.second, hulls);
    if (std::abs(found - depth) < 1e-4) return true;
    (found > depth ? near : far) = middle;
  }
  return false;
}

// Pairs of one kind and class; the same on every machine.
std::vector<Pair> make_pairs(const PairRow& row, const DepthClass& c, const HullPoints& hulls) {
  std::vector<Pair> pairs(kDistinct);
  tbb::parallel_for(std::size_t{0}, kDistinct, [&](std::size_t k) {
    Random random(
        k, oclide::scenario::mix(static_cast<std::uint64_t>(row.first) * 16 + static_cast<std::uint64_t>(row.second)));
    while (true) {
      Pair& p = pairs[k];
      p.first = make_body(row.first, hulls, random);
      p.second = make_body(row.second, hulls, random);
      p.first.position = 10.0 * dvec3(random.uniform(), random.uniform(), random.uniform());
      if (!set_depth(p, hulls, random.direction(), random.uniform(c.least, c.most))) continue;
      if (c.least >= 0.0 || row.second == Shape::half_space || boxes_overlap(p, hulls)) return;
    }
  });
  return pairs;
}

BodyState to_state(const PlacedBody& body, std::size_t index) {
  BodyState state{};
  const std::array<double, 4> q{body.orientation.w, body.orientation.x, body.orientation.y, body.orientation.z};
  for (std::size_t a = 0; a < 4; ++a) state.orientation[a] = static_cast<float>(q[a]);
  for (int a = 0; a < 3; ++a) {
    state.position_high[a] = static_cast<float>(body.position[a]);
    state.size[a] = static_cast<float>(body.size[static_cast<std::size_t>(a)]);
  }
  state.shape = static_cast<std::uint32_t>(body.shape);
  state.body = static_cast<std::uint32_t>(index);
  return state;
}

struct Measured {
  double nanoseconds = 0.0;  // a pair
  double touching = 0.0;     // part of the pairs
  double contacts = 0.0;     // a pair
};

class PairBench {
 public:
  PairBench(opencl::Device& device, std::size_t pairs) : device_(device), count_(static_cast<cl_uint>(pairs)) {}

  Measured measure(const PairRow& row, const std::vector<Pair>& distinct, const HullPoints& hulls) {
    oclide::Scene scene;
    scene.hulls = hulls;
    hulls_.set(*oclide::build_geometry(scene));
    std::vector<BodyState> states;
    std::vector<std::array<cl_uint, 2>> leaves;
    std::vector<cl_uint> order, kinds(count_, 0);
    for (cl_uint k = 0; k < count_; ++k) {
      const Pair& pair = distinct[k % distinct.size()];
      order.push_back(k);
      leaves.push_back({2 * k, 2 * k + 1});
      states.push_back(to_state(pair.first, 2 * k));
      states.push_back(to_state(pair.second, 2 * k + 1));
    }
    const StoreRuns runs(device_.info(), PairContacts::kShare);
    const auto capacity = static_cast<cl_uint>(5 * count_ + runs.items(count_) * runs.block(count_));
    states_.assign(states);
    pairs_.assign(leaves);
    order_.assign(order);
    kinds_.assign(kinds);
    store_.resize(capacity);
    results_.resize(RESULT_HEAD + count_);
    const std::string stem = row.stem;
    cl::Kernel kernel = device_.kernel("narrow_phase/" + stem, "narrow_phase_" + stem);
    Measured measured;
    for (int r = 0; r <= kRepetitions; ++r) {
      found_.assign(std::array<cl_uint, 3>{count_, 0, 0});
      opencl::StageTimer timer;
      opencl::launch(device_, kernel, &timer, opencl::Stage::narrow_phase, runs.items(count_), runs.group(), cl_uint{0},
                     count_, runs.block(count_), cl_uint{ANY_KIND}, kinds_, order_, pairs_, states_, hulls_.words,
                     cl_float{0.0F}, cl::Buffer(), capacity, found_, store_, results_);
      const double time = timer.collect().narrow_phase * 1e6 / count_;
      // The first run warms up.
      if (r == 1 || (r > 1 && time < measured.nanoseconds)) measured.nanoseconds = time;
    }
    std::vector<PairResult> results(count_);
    results_.download(results, RESULT_HEAD);
    std::size_t touching = 0, contacts = 0;
    for (const PairResult& result : results) {
      touching += result.count > 0 ? 1 : 0;
      contacts += result.count;
    }
    measured.touching = static_cast<double>(touching) / count_;
    measured.contacts = static_cast<double>(contacts) / count_;
    return measured;
  }

 private:
  opencl::Device& device_;
  cl_uint count_;
  oclide::HullBuffers hulls_{device_};
  opencl::Buffer<BodyState> states_{device_, "states"};
  opencl::Buffer<std::array<cl_uint, 2>> pairs_{device_, "pairs"};
  opencl::Buffer<cl_uint> order_{device_, "order"}, kinds_{device_, "kinds"}, found_{device_, "found"};
  opencl::Buffer<PairContactRecord> store_{device_, "store"};
  opencl::Buffer<PairResult> results_{device_, "results"};
};

// To so many parts of one.
double rounded(double value, double parts) {
  return std::round(value * parts) / parts;
}

int run(int argc, char** argv) {
  oclide::Settings settings;
  std::size_t pairs = 200'000;
  std::vector<std::string> kinds, known;
  for (const PairRow& row : oclide::kPairTable) known.emplace_back(row.stem);
  CLI::App app{"The kernels of pairs by themselves", "bench_pair_kernels"};
  app.add_option("device", settings.device, "As of oclide run");
  app.add_option("pairs", pairs, "Pairs of a launch")->check(CLI::Range(1, 100'000'000));
  app.add_option("kinds", kinds, "Stems of kernels; all by default")->check(CLI::IsMember(known));
  CLI11_PARSE(app, argc, argv);
  const oclide::DeviceInfo info = oclide::Collider(settings).device();
  if (info.is_reference) throw oclide::Error(oclide::ErrorKind::invalid_input, "the reference has no kernels");

  opencl::Device device(settings, info);
  PairBench bench(device, pairs);
  for (const PairRow& row : oclide::kPairTable) {
    if (!kinds.empty() && std::find(kinds.begin(), kinds.end(), row.stem) == kinds.end()) continue;
    const bool has_hulls = row.first == Shape::convex_hull || row.second == Shape::convex_hull;
    for (const std::size_t vertices : has_hulls ? std::span<const std::size_t>(kVertices) : kNoHulls) {
      const HullPoints hulls = make_hulls(vertices);
      nlohmann::ordered_json json{{"kind", row.stem}, {"device", info.name}, {"pairs", pairs}};
      if (vertices > 0) json["vertices"] = vertices;
      for (const DepthClass& c : kClasses) {
        const std::vector<Pair> distinct = make_pairs(row, c, hulls);
        const Measured m = bench.measure(row, distinct, hulls);
        json[c.name] = {{"ns_per_pair", rounded(m.nanoseconds, 10.0)},
                        {"touching", rounded(m.touching, 1000.0)},
                        {"contacts_per_pair", rounded(m.contacts, 100.0)}};
#ifdef OCLIDE_BENCH_COAL
        if (row.first != Shape::convex_hull || row.second != Shape::convex_hull) continue;
        std::vector<std::array<PlacedBody, 2>> bodies;
        for (const Pair& pair : distinct) bodies.push_back({pair.first, pair.second});
        const oclide::bench::CoalTime coal = oclide::bench::coal_hull_pairs(bodies, hulls);
        json[c.name]["coal_ns_per_pair"] = rounded(coal.nanoseconds, 10.0);
        json[c.name]["coal_touching"] = rounded(coal.touching, 1000.0);
#endif
      }
      std::cout << json.dump() << std::endl;  // a long run shows each kind at once
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const oclide::Error& e) {
    std::fprintf(stderr, "bench_pair_kernels: %s\n%s", e.what(), e.detail().c_str());
    return e.kind() == oclide::ErrorKind::invalid_input ? 2 : 3;
  }
}
