#include "devices/calibration.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <thread>

#include "backend.hpp"
#include "devices/host_cpu.hpp"
#include "opencl/device.hpp"

namespace oclide {
namespace {

// The bodies of the made scenes. The smallest tells what a frame costs at all, the others what a body adds.
constexpr std::array<std::uint64_t, 3> kCalibrationBodies{32, 1000, 10000};

// Repetitions of a scene: not fewer, for the first may be late; not more, nor for longer, for somebody waits.
constexpr int kFewestRepetitions = 3;
constexpr int kMostRepetitions = 12;
constexpr double kMostMilliseconds = 150.0;

// One number of the cache's file.
struct StoredSample {
  std::uint64_t bodies;
  double milliseconds;
};
static_assert(sizeof(StoredSample) == 16);

// Spheres and boxes in two layers on waves of terrain, each touching its neighbours and what is below it.
struct MadeScene {
  Scene scene;
  std::vector<double> position, orientation;
};

MadeScene made_scene(std::uint64_t bodies) {
  constexpr double kApart = 0.55, kHalf = 0.3, kCell = 0.5;  // [m]
  const auto side = static_cast<std::uint64_t>(std::ceil(std::sqrt(0.5 * static_cast<double>(bodies))));
  const double width = kApart * static_cast<double>(side) + 2.0;

  MadeScene made;
  Terrain terrain;
  terrain.rows = terrain.cols = static_cast<std::size_t>(width / kCell) + 2;
  terrain.origin = {-1.0, -1.0};
  terrain.spacing = {kCell, kCell};
  const auto ground = [](double x, double y) { return 0.1 * std::sin(0.9 * x) * std::cos(0.7 * y); };
  for (std::size_t i = 0; i < terrain.rows; ++i)
    for (std::size_t j = 0; j < terrain.cols; ++j)
      terrain.heights.push_back(ground(kCell * static_cast<double>(j) - 1.0, kCell * static_cast<double>(i) - 1.0));
  made.scene.terrains.push_back(std::move(terrain));

  for (std::uint64_t k = 0; k < bodies; ++k) {
    const std::uint64_t layer = k / (side * side), in_layer = k % (side * side);
    const std::uint64_t col = in_layer % side, row = in_layer / side;
    const double x = kApart * static_cast<double>(col), y = kApart * static_cast<double>(row);
    const bool is_box = k % 2 == 0;
    made.scene.bodies.shape.push_back(is_box ? Shape::box : Shape::sphere);
    made.scene.bodies.size.push_back({kHalf, is_box ? kHalf : 0.0, is_box ? kHalf : 0.0});
    made.position.insert(made.position.end(), {x, y, ground(x, y) + 0.28 + kApart * static_cast<double>(layer)});
    made.orientation.insert(made.orientation.end(), {1.0, 0.02, 0.03, 0.1 * static_cast<double>(k % 7)});
  }
  return made;
}

double milliseconds_of_a_frame(Collider::Backend& device, std::uint64_t bodies) {
  const MadeScene made = made_scene(bodies);
  // Every body moves from frame to frame: a frame like the last one may cost less.
  std::array<std::vector<double>, 2> positions{made.position, made.position};
  for (std::size_t i = 0; i < positions[1].size(); i += 3) positions[1][i] += 1e-3;

  device.set_scene(made.scene, made.scene.bodies, build_geometry(made.scene));
  double least = std::numeric_limits<double>::infinity(), spent = 0.0;
  for (int k = -2; k < kMostRepetitions && (k < kFewestRepetitions || spent < kMostMilliseconds); ++k) {
    const auto start = std::chrono::steady_clock::now();
    const FrameContacts frame = device.collide({{positions[static_cast<std::size_t>(k + 2) % 2], made.orientation}});
    const double taken = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (frame.contacts.empty()) throw Error(ErrorKind::device, device.device().name + ": finds no contacts");
    if (k < 0) continue;  // compiles what is not compiled yet, and makes room
    least = std::min(least, taken);
    spent += taken;
  }
  return least;
}

bool is_usable(const Calibration& calibration) {
  if (calibration.samples.size() != kCalibrationBodies.size()) return false;
  double last = 0.0;
  for (std::size_t k = 0; k < kCalibrationBodies.size(); ++k) {
    const Calibration::Sample& s = calibration.samples[k];
    if (s.bodies != kCalibrationBodies[k] || !std::isfinite(s.milliseconds) || !(s.milliseconds > 0.0) ||
        s.milliseconds < last)
      return false;
    last = s.milliseconds;
  }
  return true;
}

}  // namespace

// ------------------------------------------------------------------------------------------------ expected times

double Calibration::milliseconds(double bodies) const {
  if (samples.empty()) return std::numeric_limits<double>::infinity();
  if (samples.size() == 1) return samples.front().milliseconds;
  // Between two samples, and on along the last two; before the first a frame costs no less than nothing.
  std::size_t k = 1;
  while (k + 1 < samples.size() && bodies > static_cast<double>(samples[k].bodies)) ++k;
  const Sample &a = samples[k - 1], &b = samples[k];
  const double slope =
      (b.milliseconds - a.milliseconds) / (static_cast<double>(b.bodies) - static_cast<double>(a.bodies));
  return std::max(0.0, a.milliseconds + slope * (bodies - static_cast<double>(a.bodies)));
}

double Calibration::fixed_milliseconds() const {
  return milliseconds(0.0);
}

double Calibration::milliseconds_per_body() const {
  if (samples.size() < 2) return 0.0;
  const Sample &a = samples[samples.size() - 2], &b = samples.back();
  return (b.milliseconds - a.milliseconds) / (static_cast<double>(b.bodies) - static_cast<double>(a.bodies));
}

std::vector<std::size_t> by_expected_time(std::span<const Calibration> calibrations, std::uint64_t bodies) {
  std::vector<std::size_t> order(calibrations.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto n = static_cast<double>(bodies);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return calibrations[a].milliseconds(n) < calibrations[b].milliseconds(n);
  });
  return order;
}

std::size_t fastest_device(std::span<const Calibration> calibrations, std::uint64_t bodies) {
  if (calibrations.empty()) throw Error(ErrorKind::invalid_input, "no calibration to choose by");
  return by_expected_time(calibrations, bodies).front();
}

std::vector<FastestFrom> break_even(std::span<const Calibration> calibrations) {
  std::vector<FastestFrom> result;
  if (calibrations.empty()) return result;
  // Within a stretch without samples all times are straight lines: the choice changes where two of them cross.
  std::vector<std::uint64_t> stretches{0};
  for (const Calibration& c : calibrations)
    for (const Calibration::Sample& s : c.samples) stretches.push_back(s.bodies);
  std::sort(stretches.begin(), stretches.end());
  stretches.erase(std::unique(stretches.begin(), stretches.end()), stretches.end());
  constexpr std::uint64_t kMostBodies = std::uint64_t{1} << 32;
  stretches.push_back(kMostBodies);

  const auto note = [&](std::uint64_t bodies) {
    const std::size_t index = fastest_device(calibrations, bodies);
    if (result.empty() || result.back().index != index) result.push_back({bodies, index});
  };
  note(0);
  for (std::size_t k = 0; k + 1 < stretches.size(); ++k) {
    std::vector<std::uint64_t> crossings;
    const auto first = static_cast<double>(stretches[k]), last = static_cast<double>(stretches[k + 1]);
    for (std::size_t a = 0; a < calibrations.size(); ++a)
      for (std::size_t b = a + 1; b < calibrations.size(); ++b) {
        const double at_first = calibrations[a].milliseconds(first) - calibrations[b].milliseconds(first);
        const double at_last = calibrations[a].milliseconds(last) - calibrations[b].milliseconds(last);
        if ((at_first < 0.0) == (at_last < 0.0) || at_first == at_last) continue;
        const double at = first + (last - first) * at_first / (at_first - at_last);
        // The first whole number past it, with a step to each side for rounding.
        const auto whole = static_cast<std::uint64_t>(std::clamp(std::ceil(at), first, last));
        for (std::uint64_t n = whole > stretches[k] ? whole - 1 : whole; n <= std::min(whole + 1, stretches[k + 1]);
             ++n)
          crossings.push_back(n);
      }
    std::sort(crossings.begin(), crossings.end());
    for (const std::uint64_t n : crossings) note(n);
    if (k + 2 < stretches.size()) note(stretches[k + 1]);
  }
  return result;
}

// ------------------------------------------------------------------------------------------------ measuring, keeping

opencl::Digest calibration_key(const DeviceInfo& device) {
  return opencl::digest_of({"oclide calibration 2", device.name, device.platform, device.version, device.driver,
                            device.is_gpu ? "gpu" : "cpu", opencl::optimizes_kernels() ? "" : "not optimised",
                            std::to_string(device.compute_units), version(), host_cpu(),
                            std::to_string(std::thread::hardware_concurrency())});
}

std::optional<Calibration> load_calibration(const DeviceInfo& device, const Settings& settings) {
  const auto bytes = opencl::ProgramCache(settings).load(calibration_key(device));
  if (!bytes || bytes->size() != kCalibrationBodies.size() * sizeof(StoredSample)) return std::nullopt;
  std::array<StoredSample, kCalibrationBodies.size()> stored{};
  std::memcpy(stored.data(), bytes->data(), bytes->size());
  Calibration calibration;
  for (const StoredSample& s : stored) calibration.samples.push_back({s.bodies, s.milliseconds});
  if (!is_usable(calibration)) return std::nullopt;
  return calibration;
}

void store_calibration(const Calibration& calibration, const DeviceInfo& device, const Settings& settings) {
  std::vector<StoredSample> stored;
  for (const Calibration::Sample& s : calibration.samples) stored.push_back({s.bodies, s.milliseconds});
  std::vector<unsigned char> bytes(stored.size() * sizeof(StoredSample));
  std::memcpy(bytes.data(), stored.data(), bytes.size());
  opencl::ProgramCache(settings).store(calibration_key(device), bytes);
}

Calibration calibrate(const DeviceInfo& device, const Settings& settings) {
  if (device.is_reference)
    throw Error(ErrorKind::invalid_input, device.name + " is never chosen for its speed and has no calibration");
  if (auto kept = load_calibration(device, settings)) return *std::move(kept);
  Settings own;
  own.cache_directory = settings.cache_directory;
  own.use_cache = settings.use_cache;
  own.on_compile = settings.on_compile;
  const std::unique_ptr<Collider::Backend> backend = make_opencl_backend(own, device);
  Calibration calibration;
  for (const std::uint64_t bodies : kCalibrationBodies) {
    const double taken = milliseconds_of_a_frame(*backend, bodies);
    // More bodies never cost less: what says so is noise.
    const double last = calibration.samples.empty() ? 0.0 : calibration.samples.back().milliseconds;
    calibration.samples.push_back({bodies, std::max(taken, last)});
  }
  store_calibration(calibration, device, settings);
  return calibration;
}

}  // namespace oclide
