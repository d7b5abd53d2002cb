// The C API: devices, memory and calibrations. Each call checks handles and structs, then does what its C++ namesake
// does.
#include <algorithm>
#include <limits>

#include "c_api/convert.hpp"
#include "devices/choose_device.hpp"

using namespace oclide::c_api;  // NOLINT(google-build-using-namespace): the functions below are C's

// ---- Devices

oclide_status oclide_device_list_create(oclide_device_list** list) {
  return create(list, [] {
    auto object = std::make_shared<DeviceListObject>();
    object->devices = oclide::devices();
    return object;
  });
}

oclide_status oclide_device_list_destroy(oclide_device_list* list) {
  return destroy<DeviceListObject>(list);
}

oclide_status oclide_device_list_count(const oclide_device_list* list, size_t* count) {
  return call_with<DeviceListObject>(list, Use::alone,
                                     [&](DeviceListObject& object) { output(count, "count") = object.devices.size(); });
}

oclide_status oclide_device_list_get(const oclide_device_list* list, size_t index, oclide_device_info* info) {
  return call_with<DeviceListObject>(list, Use::alone, [&](DeviceListObject& object) {
    const OutStruct out(info, "oclide_device_info");
    check_index(index, object.devices.size(), "device");
    out.set(to_c(object.devices[index]));
  });
}

// ---- Memory

oclide_status oclide_collider_device_memory(oclide_collider* collider, const oclide_buffer_bytes** buffers,
                                            size_t* buffers_count) {
  return call_with<ColliderObject>(collider, Use::alone, [&](ColliderObject& object) {
    const oclide_buffer_bytes*& first = output(buffers, "buffers");
    std::size_t& count = output(buffers_count, "buffers_count");
    object.memory = object.collider.device_memory();
    object.memory_view.clear();
    for (const oclide::BufferBytes& b : object.memory) object.memory_view.push_back({b.name.c_str(), b.bytes});
    first = object.memory_view.data();
    count = object.memory_view.size();
  });
}

oclide_status oclide_memory_plan_create(const oclide_scene* scene, const double* position, const double* orientation,
                                        size_t bodies, const oclide_settings* settings, size_t frames_ahead,
                                        oclide_memory_plan** plan) {
  if (plan != nullptr) *plan = nullptr;
  return call_with<SceneObject>(scene, Use::alone, [&](SceneObject& object) {
    output(plan, "plan");
    const oclide::Poses poses = to_poses(position, orientation, bodies, object.scene.bodies.count());
    auto made = std::make_shared<MemoryPlanObject>();
    made->plan = oclide::plan_memory(object.scene, poses, to_settings(settings), frames_ahead);
    *plan = static_cast<oclide_memory_plan*>(keep(std::move(made)));
  });
}

oclide_status oclide_memory_plan_destroy(oclide_memory_plan* plan) {
  return destroy<MemoryPlanObject>(plan);
}

oclide_status oclide_memory_plan_summary(const oclide_memory_plan* plan, oclide_memory_summary* summary) {
  return call_with<MemoryPlanObject>(plan, Use::alone, [&](MemoryPlanObject& object) {
    const OutStruct out(summary, "oclide_memory_summary");
    oclide_memory_summary known{};
    known.buffers_count = object.plan.buffers.size();
    known.device_bytes = object.plan.device_bytes;
    known.host_bytes = object.plan.host_bytes;
    known.memory_limit = object.plan.memory_limit;
    known.candidates = object.plan.candidates;
    known.body_candidates = object.plan.body_candidates;
    known.unreduced = object.plan.unreduced;
    known.terrain_slices = object.plan.terrain_slices;
    known.body_slices = object.plan.body_slices;
    known.least_device_bytes = object.plan.least_device_bytes;
    known.problem = object.plan.problem.c_str();
    known.device = object.plan.device.id.c_str();
    known.fits = object.plan.fits ? 1 : 0;
    out.set(known);
  });
}

oclide_status oclide_memory_plan_buffer(const oclide_memory_plan* plan, size_t index, oclide_planned_buffer* buffer) {
  return call_with<MemoryPlanObject>(plan, Use::alone, [&](MemoryPlanObject& object) {
    const OutStruct out(buffer, "oclide_planned_buffer");
    check_index(index, object.plan.buffers.size(), "buffer");
    const oclide::MemoryPlan::Buffer& planned = object.plan.buffers[index];
    oclide_planned_buffer known{};
    known.name = planned.name.c_str();
    known.bytes = planned.bytes;
    known.on_device = planned.on_device ? 1 : 0;
    known.exact = planned.exact ? 1 : 0;
    known.only_if_needed = planned.only_if_needed ? 1 : 0;
    out.set(known);
  });
}

// ---- Calibration

oclide_status oclide_calibration_measure(const char* device, const oclide_settings* settings,
                                         oclide_calibration** calibration) {
  return create(calibration, [&] {
    auto made = std::make_shared<CalibrationObject>();
    const oclide::Settings known = to_settings(settings);
    made->calibration = oclide::calibrate(oclide::choose_device(device == nullptr ? "auto" : device), known);
    return made;
  });
}

oclide_status oclide_calibration_create(const oclide_calibration_sample* samples, size_t samples_count,
                                        oclide_calibration** calibration) {
  return create(calibration, [&] {
    auto made = std::make_shared<CalibrationObject>();
    for (const oclide_calibration_sample& s : array(samples, samples_count, "samples")) {
      std::vector<oclide::Calibration::Sample>& known = made->calibration.samples;
      const std::string name = "samples[" + std::to_string(known.size()) + "]";
      if (!(s.milliseconds >= 0.0 && s.milliseconds <= std::numeric_limits<double>::max()))
        invalid_input(name + ": milliseconds must be finite and not negative");
      if (!known.empty() && (s.bodies <= known.back().bodies || s.milliseconds < known.back().milliseconds))
        invalid_input(name + " must have more bodies than the one before, and no shorter time");
      known.push_back({s.bodies, s.milliseconds});
    }
    return made;
  });
}

oclide_status oclide_calibration_destroy(oclide_calibration* calibration) {
  return destroy<CalibrationObject>(calibration);
}

oclide_status oclide_calibration_samples(const oclide_calibration* calibration,
                                         const oclide_calibration_sample** samples, size_t* samples_count) {
  return call_with<CalibrationObject>(calibration, Use::alone, [&](CalibrationObject& object) {
    const oclide_calibration_sample*& first = output(samples, "samples");
    output(samples_count, "samples_count") = object.calibration.samples.size();
    first = reinterpret_cast<const oclide_calibration_sample*>(object.calibration.samples.data());
  });
}

oclide_status oclide_calibration_milliseconds(const oclide_calibration* calibration, double bodies,
                                              double* milliseconds) {
  return call_with<CalibrationObject>(calibration, Use::alone, [&](CalibrationObject& object) {
    output(milliseconds, "milliseconds") = object.calibration.milliseconds(bodies);
  });
}

oclide_status oclide_calibration_line(const oclide_calibration* calibration, double* fixed_milliseconds,
                                      double* milliseconds_per_body) {
  return call_with<CalibrationObject>(calibration, Use::alone, [&](CalibrationObject& object) {
    double& fixed = output(fixed_milliseconds, "fixed_milliseconds");
    output(milliseconds_per_body, "milliseconds_per_body") = object.calibration.milliseconds_per_body();
    fixed = object.calibration.fixed_milliseconds();
  });
}

oclide_status oclide_fastest_device(const oclide_calibration* const* calibrations, size_t calibrations_count,
                                    uint64_t bodies, size_t* index) {
  return call([&] {
    std::size_t& fastest = output(index, "index");
    fastest = oclide::fastest_device(to_calibrations(calibrations, calibrations_count), bodies);
  });
}

oclide_status oclide_break_even(const oclide_calibration* const* calibrations, size_t calibrations_count,
                                oclide_fastest_from* entries, size_t capacity, size_t* count) {
  return call([&] {
    std::size_t& needed = output(count, "count");
    if (capacity != 0) output(entries, "entries");
    const auto found = oclide::break_even(to_calibrations(calibrations, calibrations_count));
    for (std::size_t k = 0; k < std::min(capacity, found.size()); ++k) entries[k] = {found[k].bodies, found[k].index};
    needed = found.size();
  });
}
