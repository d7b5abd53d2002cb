// The table of golden hashes: contacts and contact hash of every scenario, and of ways to the same contacts, and
// impacts of those that move, on the OpenCL device that tests run on.
//   golden_hashes             prints the table
//   golden_hashes TABLE       exit status 1 where TABLE has other lines, which are printed
// Exit status 77: no OpenCL device.
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "oclide/opencl.hpp"
#include "opencl/cl.hpp"
#include "opencl/first_device.hpp"
#include "scenarios/scenario.hpp"

namespace oclide::test {
namespace {

// Bodies of every scenario: some hundred shapes in each.
struct Size {
  std::string_view name;
  std::size_t bodies, environments;
};
constexpr std::array kSizes{Size{"barrels", 24, 1}, Size{"robot", 30, 1},  Size{"boulders", 150, 1},
                            Size{"mixed", 600, 1},  Size{"pile", 500, 1},  Size{"crowd", 400, 10},
                            Size{"rain", 400, 1},   Size{"rovers", 10, 1}, Size{"pile", 5000, 1},
                            Size{"rubble", 400, 1}, Size{"ship", 150, 1},  Size{"quarry", 150, 1},
                            Size{"volley", 200, 1}};
constexpr std::size_t kFrames = 3;

struct Sum {
  std::size_t contacts = 0;
  std::uint64_t hash = 0;
};

class Table {
 public:
  explicit Table(const DeviceInfo& info)
      : info_(info), device_(opencl_handle(info), true), context_(device_), queue_(context_, device_) {}

  std::vector<std::string> lines() {
    for (const Size& size : kSizes) {
      ScenarioRequest request;
      request.name = size.name;
      request.bodies = size.bodies;
      request.frames = kFrames;
      if (size.environments > 1) request.environments = size.environments;
      const std::unique_ptr<Scenario> scenario = make_scenario(request);
      Settings settings;
      settings.device = info_.id;
      add(size, "whole", whole(*scenario, settings));
      settings.margin = 0.03;
      add(size, "margin", whole(*scenario, settings));
      settings.margin = 0.0;
      add(size, "limit", limited(*scenario, settings));
      add(size, "resident", resident(*scenario));
      settings.track = true;
      add(size, "tracked", tracked(*scenario, settings));
      if (scenario->moves()) add(size, "impacts", impacts(*scenario, settings));
    }
    return lines_;
  }

 private:
  void add(const Size& size, const char* way, Sum sum) {
    std::array<char, 160> text{};
    std::snprintf(text.data(), text.size(), "%-8s %5zu %-8s %6zu %016llx", std::string(size.name).c_str(), size.bodies,
                  way, sum.contacts, static_cast<unsigned long long>(sum.hash));
    lines_.emplace_back(text.data());
  }

  static Frame frame_for(const Scenario& scenario) {
    const std::size_t bodies = scenario.scene().bodies.count();
    return {std::vector<double>(3 * bodies), std::vector<double>(4 * bodies)};
  }

  static Sum add_frame(Sum sum, const std::vector<Contact>& contacts) {
    return {sum.contacts + contacts.size(), contact_hash(contacts, sum.hash)};
  }

  static Sum whole(const Scenario& scenario, const Settings& settings) {
    Collider collider(settings);
    collider.set_scene(scenario.scene());
    Sum sum;
    Frame frame = frame_for(scenario);
    for (std::size_t k = 0; k < scenario.frames(); ++k) {
      scenario.pose(k, frame);
      sum = add_frame(sum, collider.update(frame.poses()).contacts);
    }
    return sum;
  }

  // In slices: with half of what lies between the least that it can work with and all.
  static Sum limited(const Scenario& scenario, Settings settings) {
    Frame frame = frame_for(scenario);
    scenario.pose(0, frame);
    const MemoryPlan plan = plan_memory(scenario.scene(), frame.poses(), settings);
    settings.memory_limit = (plan.least_device_bytes + plan.device_bytes) / 2;
    return whole(scenario, settings);
  }

  // Impacts in the place of contacts.
  static Sum impacts(const Scenario& scenario, const Settings& settings) {
    Collider collider(settings);
    collider.set_scene(scenario.scene());
    Sum sum;
    Frame frame = frame_for(scenario);
    FrameMotion motion;
    for (std::size_t k = 0; k < scenario.frames(); ++k) {
      scenario.pose(k, frame);
      scenario.motion(k, motion);
      const std::vector<Impact> found = collider.sweep(frame.poses(), motion.motion()).impacts;
      sum = {sum.contacts + found.size(), impact_hash(found, sum.hash)};
    }
    return sum;
  }

  // The hash also has the events, and which contacts go on.
  static Sum tracked(const Scenario& scenario, const Settings& settings) {
    Collider collider(settings);
    collider.set_scene(scenario.scene());
    Sum sum;
    Frame frame = frame_for(scenario);
    const auto word = [&](std::uint64_t w) { sum.hash = (sum.hash ^ w) * 0x100000001B3U; };
    for (std::size_t k = 0; k < scenario.frames(); ++k) {
      scenario.pose(k, frame);
      const FrameContacts& found = collider.update(frame.poses());
      sum = add_frame(sum, found.contacts);
      for (const ManifoldEvent& e : found.events) {
        for (const std::uint32_t w : {e.body_a, e.body_b, std::uint32_t{e.shape_a}, std::uint32_t{e.shape_b},
                                      static_cast<std::uint32_t>(e.change), e.manifold, e.previous})
          word(w);
      }
      for (const std::uint32_t previous : found.previous) word(previous);
    }
    return sum;
  }

  // Of poses rounded to single precision, in two parts.
  Sum resident(const Scenario& scenario) {
    Collider collider = make_collider(context_(), queue_());
    collider.set_scene(scenario.scene());
    Sum sum;
    Frame frame = frame_for(scenario);
    for (std::size_t k = 0; k < scenario.frames(); ++k) {
      scenario.pose(k, frame);
      std::vector<float> high, low;
      for (const double p : frame.position) {
        high.push_back(static_cast<float>(p));
        low.push_back(static_cast<float>(p - static_cast<double>(high.back())));
      }
      const std::vector<float> turns(frame.orientation.begin(), frame.orientation.end());
      const cl::Buffer position = upload(high), position_low = upload(low), orientation = upload(turns);
      ResidentPoses poses;
      poses.position = position();
      poses.position_low = position_low();
      poses.orientation = orientation();
      static_cast<void>(collide_on_device(collider, poses));
      sum = add_frame(sum, to_host(collider).contacts);
    }
    return sum;
  }
  cl::Buffer upload(const std::vector<float>& numbers) {
    cl::Buffer buffer(context_, CL_MEM_READ_WRITE, numbers.size() * sizeof(float));
    queue_.enqueueWriteBuffer(buffer, CL_TRUE, 0, numbers.size() * sizeof(float), numbers.data());
    return buffer;
  }

  DeviceInfo info_;
  cl::Device device_;
  cl::Context context_;
  cl::CommandQueue queue_;
  std::vector<std::string> lines_;
};

int run(const char* file) {
  const std::optional<DeviceInfo> info = first_device();
  if (!info) {
    std::fprintf(stderr, "no OpenCL device\n");
    return 77;
  }
  std::vector<std::string> found = Table(*info).lines();
  found.insert(found.begin(),
               "# scenario, bodies, way, contacts of three frames, their hash: tests/golden/golden_hashes.cpp");
  if (file == nullptr) {
    for (const std::string& line : found) std::printf("%s\n", line.c_str());
    return 0;
  }
  std::ifstream table(file);
  std::vector<std::string> expected;
  for (std::string line; std::getline(table, line);) expected.push_back(line);
  bool same = expected.size() == found.size();
  if (!same) std::printf("the table has %zu lines and not %zu\n", expected.size(), found.size());
  for (std::size_t k = 0; k < std::min(found.size(), expected.size()); ++k) {
    if (found[k] == expected[k]) continue;
    std::printf("- %s\n+ %s\n", expected[k].c_str(), found[k].c_str());
    same = false;
  }
  if (!same) std::printf("Where that is meant: cmake --build FOLDER --target update_golden_hashes\n");
  return same ? 0 : 1;
}

}  // namespace
}  // namespace oclide::test

int main(int argc, char** argv) {
  try {
    return oclide::test::run(argc > 1 ? argv[1] : nullptr);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
