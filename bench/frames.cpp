// Steady frames of a scenario on one device: from poses in host memory, or resident, with poses and contacts there.
//
//   bench_frames --scenario mixed --bodies 1000000 [--environments N] [--device opencl:K] [--resident | --swap N]
//                [--frames N]
//
// One JSON object: wall times of the frames [ms], the device's time by stage, contacts, and the hash of the contacts of
// the first frame. Every body moves by a micrometre back and forth between frames, as in oclide bench. Where
// command_trace is preloaded, it is told where frames begin. With --swap, before two of four frames N bodies are
// removed and as many like them added by Collider::change(); swap_ratio is the median of these frames with their
// changes, over that of the others.
#include <dlfcn.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "chosen_device.hpp"
#include "oclide/oclide.hpp"
#include "oclide/opencl.hpp"
#include "opencl/cl.hpp"
#include "scenarios/scenario.hpp"

namespace {

using oclide::Frame;
using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

constexpr double kStep = 1e-6;  // [m]

struct Options {
  oclide::ScenarioRequest scenario;
  std::string device;
  std::size_t frames = 20, swap = 0;
  bool resident = false;
};

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Of command_trace, where it is there.
template <class Function>
Function traced(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}
void begin_frame(std::size_t k) {
  static const auto call = traced<void (*)(int)>("command_trace_frame");
  if (call != nullptr) call(static_cast<int>(k));
}
void end_of_frames() {
  begin_frame(0);
  if (const auto call = traced<void (*)()>("command_trace_write")) call();
}

Json json_of(const oclide::StageTimes& t) {
  return {{"upload", t.upload},
          {"broad_phase", t.broad_phase},
          {"narrow_phase", t.narrow_phase},
          {"contact_reduction", t.contact_reduction},
          {"download", t.download}};
}

std::string hex(std::uint64_t hash) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
  return text.data();
}

double median(std::vector<double> of) {
  std::sort(of.begin(), of.end());
  return of.empty() ? 0.0 : of[of.size() / 2];
}

// The poses of the frames, even and odd ones.
std::array<Frame, 2> frames_of(const oclide::Scenario& scenario) {
  const std::size_t bodies = scenario.scene().bodies.count();
  Frame frame{std::vector<double>(3 * bodies), std::vector<double>(4 * bodies)};
  scenario.pose(0, frame);
  Frame moved = frame;
  for (std::size_t k = 0; k < moved.position.size(); k += 3) moved.position[k] += kStep;
  return {std::move(frame), std::move(moved)};
}

// The bytes of the buffers that a frame has on the device.
struct DevicePoses {
  cl::Buffer position, position_low, orientation;
};

class ResidentFrames {
 public:
  ResidentFrames(const oclide::DeviceInfo& info, const oclide::Scene& scene, const std::array<Frame, 2>& frames)
      : device_(oclide::opencl_handle(info), true),
        context_(device_),
        queue_(context_, device_, CL_QUEUE_PROFILING_ENABLE),
        collider_(oclide::make_collider(context_(), queue_())) {
    collider_.set_scene(scene);
    for (std::size_t k = 0; k < 2; ++k) {
      std::vector<float> high, low;
      for (const double p : frames[k].position) {
        high.push_back(static_cast<float>(p));
        low.push_back(static_cast<float>(p - static_cast<double>(high.back())));
      }
      poses_[k] = {upload(high), upload(low), upload({frames[k].orientation.begin(), frames[k].orientation.end()})};
    }
    queue_.finish();
  }
  // Contacts of the frame; on return all of it is there.
  std::size_t run(std::size_t k) {
    oclide::ResidentPoses poses;
    poses.position = poses_[k % 2].position();
    poses.position_low = poses_[k % 2].position_low();
    poses.orientation = poses_[k % 2].orientation();
    const oclide::DeviceFrame frame = oclide::collide_on_device(collider_, poses);
    clWaitForEvents(1, &frame.ready);
    return frame.contact_count;
  }
  std::uint64_t hash() { return oclide::contact_hash(oclide::to_host(collider_).contacts); }

 private:
  cl::Buffer upload(const std::vector<float>& numbers) {
    cl::Buffer buffer(context_, CL_MEM_READ_WRITE, numbers.size() * sizeof(float));
    queue_.enqueueWriteBuffer(buffer, CL_TRUE, 0, numbers.size() * sizeof(float), numbers.data());
    return buffer;
  }

  cl::Device device_;
  cl::Context context_;
  cl::CommandQueue queue_;
  oclide::Collider collider_;
  std::array<DevicePoses, 2> poses_;
};

// Some bodies removed and others like them added, which get the same rows; other ones from call to call.
class Swaps {
 public:
  Swaps(oclide::Collider& collider, const oclide::Bodies& bodies, std::size_t count)
      : collider_(collider), bodies_(bodies), count_(std::min(count, bodies.count())), handles_(collider.handles()) {}

  void run() {
    oclide::BodyChanges changes;
    oclide::Bodies& added = changes.added;
    added.either_mask = bodies_.either_mask;
    std::vector<std::size_t> rows;
    for (std::size_t k = 0; k < count_; ++k) rows.push_back((next_ + k * (handles_.size() / count_)) % handles_.size());
    std::sort(rows.begin(), rows.end());
    ++next_;
    for (const std::size_t row : rows) {
      changes.removed.push_back(handles_[row]);
      added.shape.push_back(bodies_.shape[row]);
      added.size.push_back(bodies_.size[row]);
      if (!bodies_.environment.empty()) added.environment.push_back(bodies_.environment[row]);
      if (!bodies_.group.empty()) added.group.push_back(bodies_.group[row]);
      if (!bodies_.category.empty()) added.category.push_back(bodies_.category[row]);
      if (!bodies_.mask.empty()) added.mask.push_back(bodies_.mask[row]);
    }
    for (const oclide::BodyHandle& handle : collider_.change(changes)) handles_[handle.row] = handle;
  }

 private:
  oclide::Collider& collider_;
  const oclide::Bodies& bodies_;
  std::size_t count_, next_ = 0;
  std::vector<oclide::BodyHandle> handles_;
};

Json run(const Options& options) {
  const auto start = Clock::now();
  const std::unique_ptr<oclide::Scenario> scenario = oclide::make_scenario(options.scenario);
  const std::array<Frame, 2> frames = frames_of(*scenario);
  const oclide::DeviceInfo device = oclide::bench::chosen_device(options.device);
  Json json = {{"scenario", options.scenario.name},
               {"bodies", scenario->scene().bodies.count()},
               {"environments", options.scenario.environments.value_or(1)},
               {"device", device.name},
               {"driver", device.driver},
               {"resident", options.resident},
               {"making_the_scene_ms", ms_since(start)}};

  const auto opening = Clock::now();
  std::vector<double> wall;
  std::vector<std::array<double, 5>> stages;
  std::uint64_t hash = 0;
  std::size_t contacts = 0;
  if (options.resident) {
    ResidentFrames resident(device, scenario->scene(), frames);
    json["opening_ms"] = ms_since(opening);
    const auto first = Clock::now();
    contacts = resident.run(0);
    json["first_frame_ms"] = ms_since(first);
    hash = resident.hash();
    for (std::size_t k = 1; k <= options.frames; ++k) {
      begin_frame(k);
      const auto begin = Clock::now();
      static_cast<void>(resident.run(k));
      wall.push_back(ms_since(begin));
    }
    end_of_frames();
  } else {
    oclide::Settings settings;
    settings.device = device.id;
    oclide::Collider collider(settings);
    collider.set_scene(scenario->scene());
    json["opening_ms"] = ms_since(opening);
    const auto first = Clock::now();
    const oclide::FrameContacts& of_first = collider.update(frames[0].poses());
    json["first_frame_ms"] = ms_since(first);
    hash = oclide::contact_hash(of_first.contacts);
    contacts = of_first.contacts.size();
    json["device_bytes"] = of_first.device_bytes;
    Swaps swaps(collider, scenario->scene().bodies, options.swap);
    std::vector<double> swapped;
    for (std::size_t k = 1; k <= options.frames; ++k) {
      begin_frame(k);
      const bool with_swap = options.swap > 0 && k / 2 % 2 == 1;
      const auto begin = Clock::now();
      if (with_swap) swaps.run();
      const oclide::FrameContacts& found = collider.update(frames[k % 2].poses());
      (with_swap ? swapped : wall).push_back(ms_since(begin));
      const oclide::StageTimes& t = found.milliseconds;
      stages.push_back({t.upload, t.broad_phase, t.narrow_phase, t.contact_reduction, t.download});
    }
    end_of_frames();
    oclide::StageTimes typical;
    const std::array to{&typical.upload, &typical.broad_phase, &typical.narrow_phase, &typical.contact_reduction,
                        &typical.download};
    for (std::size_t s = 0; s < to.size(); ++s) {
      std::vector<double> of;
      for (const auto& frame : stages) of.push_back(frame[s]);
      *to[s] = median(of);
    }
    json["stages_ms"] = json_of(typical);
    if (!swapped.empty() && !wall.empty()) {
      json["swapped_bodies"] = options.swap;
      json["swap_median_ms"] = median(swapped);
      json["swap_ratio"] = median(swapped) / median(wall);
    }
  }
  json["contacts"] = contacts;
  json["hash"] = hex(hash);
  json["frames"] = wall.size();
  json["median_ms"] = median(wall);
  json["least_ms"] = wall.empty() ? 0.0 : *std::min_element(wall.begin(), wall.end());
  return json;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Steady frames of a scenario on one device"};
  app.add_option("--scenario", options.scenario.name, "A scenario of oclide generate")->required();
  app.add_option("--bodies", options.scenario.bodies, "How many");
  app.add_option("--environments", options.scenario.environments, "That they are dealt out to");
  app.add_option("--device", options.device, "opencl:K or part of a device's name; the first usable one if not given");
  app.add_option("--frames", options.frames, "That are timed, after two")->capture_default_str();
  CLI::Option* resident = app.add_flag("--resident", options.resident, "Poses and contacts stay on the device");
  app.add_option("--swap", options.swap, "Bodies that are removed, and as many added, before two of four frames")
      ->excludes(resident);
  CLI11_PARSE(app, argc, argv);
  options.scenario.frames = 2;
  try {
    std::cout << run(options).dump() << "\n";
    return 0;
  } catch (const std::exception& e) {
    std::cerr << "bench_frames: " << e.what() << "\n";
    return 2;
  }
}
