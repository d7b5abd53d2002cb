// oclide plan: what a scene will take of memory, before anything runs on a device.
#include <algorithm>
#include <iostream>

#include "commands.hpp"
#include "files/scene_file.hpp"
#include "frame_stream.hpp"
#include "json.hpp"
#include "oclide/oclide.hpp"
#include "terminal.hpp"

namespace oclide::command {
namespace {

Json json_of(const PlanOptions& options, const Scene& scene, const MemoryPlan& plan) {
  Json buffers = Json::array();
  for (const MemoryPlan::Buffer& b : plan.buffers)
    buffers.push_back({{"name", b.name},
                       {"on_device", b.on_device},
                       {"bytes", b.bytes},
                       {"exact", b.exact},
                       {"only_if_needed", b.only_if_needed}});
  return {{"scene", options.scene},
          {"bodies", scene.bodies.count()},
          {"device", plan.device.name},
          {"device_id", plan.device.id},
          {"margin", options.margin},
          {"fits", plan.fits},
          {"problem", plan.problem},
          {"device_bytes", plan.device_bytes},
          {"host_bytes", plan.host_bytes},
          {"least_device_bytes", plan.least_device_bytes},
          {"memory_limit", plan.memory_limit},
          {"terrain_slices", plan.terrain_slices},
          {"body_slices", plan.body_slices},
          {"candidates", plan.candidates},
          {"body_candidates", plan.body_candidates},
          {"contacts_before_reduction", plan.unreduced},
          {"buffers", buffers}};
}

// A column of numbers, right-aligned.
void print_buffer(const MemoryPlan::Buffer& b) {
  const std::string bytes = grouped(b.bytes);
  std::cout << "  " << b.name << std::string(b.name.size() < 32 ? 32 - b.name.size() : 1, ' ')
            << std::string(bytes.size() < 16 ? 16 - bytes.size() : 0, ' ') << bytes << "  "
            << (b.exact ? "exact" : "estimated") << (b.only_if_needed ? ", where needed" : "") << "\n";
}

void print(const PlanOptions& options, const Scene& scene, const MemoryPlan& plan) {
  line("scene", options.scene + ": " + counted(scene.bodies.count(), "body", "bodies"));
  line("device", plan.device.name + " (" + plan.device.id + ")");
  line("first frame", "some " + grouped(plan.candidates) + " candidates, " + grouped(plan.body_candidates) +
                          " pairs of bodies, " + grouped(plan.unreduced) + " contacts before reduction");
  if (!plan.device.is_reference) {
    line("bytes on the device", grouped(plan.device_bytes) + " (" + byte_text(plan.device_bytes) + ")");
    for (const MemoryPlan::Buffer& b : plan.buffers)
      if (b.on_device) print_buffer(b);
  }
  line("bytes on the host",
       grouped(plan.host_bytes) + " (" + byte_text(plan.host_bytes) + "), beside scene and poses of the caller");
  for (const MemoryPlan::Buffer& b : plan.buffers)
    if (!b.on_device) print_buffer(b);
  if (plan.device.is_reference) return;
  line("memory limit", grouped(plan.memory_limit) + " (" + byte_text(plan.memory_limit) + ")");
  if (!plan.fits)
    line("does not fit", plan.problem);
  else if (plan.terrain_slices <= 1 && plan.body_slices <= 1)
    line("fits", "whole");
  else
    line("fits", "in slices: " + grouped(plan.terrain_slices) + " of bodies on terrain, " + grouped(plan.body_slices) +
                     " of bodies against bodies");
}

}  // namespace

int run_plan(const PlanOptions& options) {
  SceneReader reader(options.scene);
  const Scene& scene = reader.scene();
  Settings settings;
  settings.device = options.device;
  settings.margin = options.margin;
  if (options.memory_limit) settings.memory_limit = *options.memory_limit;

  if (reader.frames() == 0)
    throw Error(ErrorKind::invalid_input, options.scene + ": /bodies/position has no frame to plan with");
  Frame first;
  reader.read_frame(0, first);
  const std::size_t ahead = std::min(kFramesInFlight - 1, reader.frames() - 1);
  const MemoryPlan plan = plan_memory(scene, first.poses(), settings, ahead);
  warn_of_unused(options.scene, scene);
  if (options.json)
    std::cout << text_of(json_of(options, scene, plan)) << "\n";
  else
    print(options, scene, plan);
  return plan.fits ? kDone : kCheckFailed;
}

}  // namespace oclide::command
