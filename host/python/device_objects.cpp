// Devices, their calibrations, and what a scene takes of memory.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "objects.hpp"
#include "oclide/opencl.hpp"
#include "text/no_device.hpp"

namespace oclide::python {
namespace {

using Pairs = std::vector<std::pair<std::uint64_t, std::size_t>>;

Settings cache_settings(const PathLike& cache_directory, bool use_cache) {
  Settings settings;
  settings.cache_directory = to_path(cache_directory);
  settings.use_cache = use_cache;
  return settings;
}

void add_plan(nb::module_& module) {
  using Buffer = MemoryPlan::Buffer;
  nb::class_<Buffer>(module, "PlannedBuffer", "What all buffers of one name will take.")
      .def_ro("name", &Buffer::name)
      .def_ro("bytes", &Buffer::bytes, "At most at a time, without a memory limit.")
      .def_ro("on_device", &Buffer::on_device, "Else in host memory.")
      .def_ro("exact", &Buffer::exact, "By bodies and terrain alone; else estimated.")
      .def_ro("only_if_needed", &Buffer::only_if_needed)
      .def("__repr__", [](const Buffer& b) { return "<" + b.name + ": " + std::to_string(b.bytes) + " bytes>"; });
  nb::class_<MemoryPlan>(module, "MemoryPlan",
                         "What a scene will take of memory; what depends on contacts is an estimate, mostly within a "
                         "factor of two.")
      .def_ro("device", &MemoryPlan::device)
      .def_ro("buffers", &MemoryPlan::buffers)
      .def_ro("device_bytes", &MemoryPlan::device_bytes)
      .def_ro("host_bytes", &MemoryPlan::host_bytes)
      .def_ro("memory_limit", &MemoryPlan::memory_limit)
      .def_ro("candidates", &MemoryPlan::candidates)
      .def_ro("body_candidates", &MemoryPlan::body_candidates)
      .def_ro("unreduced", &MemoryPlan::unreduced)
      .def_ro("terrain_slices", &MemoryPlan::terrain_slices, "That a frame needs; 0: it cannot work.")
      .def_ro("body_slices", &MemoryPlan::body_slices)
      .def_ro("least_device_bytes", &MemoryPlan::least_device_bytes)
      .def_ro("fits", &MemoryPlan::fits, "Whole or in slices.")
      .def_ro("problem", &MemoryPlan::problem, "Why it does not fit, in one line.");
  module.def(
      "plan_memory",
      [](const SceneLike& object, const ArrayLike& position, const ArrayLike& orientation, const std::string& device,
         double margin, std::uint64_t memory_limit, bool track, const PathLike& cache_directory, bool use_cache,
         std::size_t frames_ahead) {
        const Scene scene = to_scene(object);
        const PoseArrays arrays(position, orientation);
        Settings settings;
        settings.device = device;
        settings.margin = margin;
        settings.memory_limit = memory_limit;
        settings.track = track;
        settings.cache_directory = to_path(cache_directory);
        settings.use_cache = use_cache;
        const nb::gil_scoped_release release;
        return plan_memory(scene, arrays.poses(), settings, frames_ahead);
      },
      nb::arg("scene"), nb::arg("position"), nb::arg("orientation"), nb::arg("device") = "auto", nb::kw_only(),
      nb::arg("margin") = 0.0, nb::arg("memory_limit") = 0, nb::arg("track") = false, nb::arg("cache_directory") = "",
      nb::arg("use_cache") = true, nb::arg("frames_ahead") = 0,
      "Plans a Collider with these settings for this scene, without running anything on a device. Poses are those of "
      "the first frame, of which frames_ahead more are staged beside the one at work.");
}

void add_calibration(nb::module_& module) {
  nb::class_<Calibration>(module, "Calibration", "How long a frame takes on one device by the number of its bodies.")
      .def_prop_ro(
          "samples",
          [](const Calibration& c) {
            std::vector<std::pair<std::uint64_t, double>> samples;
            for (const Calibration::Sample& s : c.samples) samples.emplace_back(s.bodies, s.milliseconds);
            return samples;
          },
          "(bodies, milliseconds), ascending.")
      .def("milliseconds", &Calibration::milliseconds, nb::arg("bodies"), "Expected of a frame.")
      .def_prop_ro("fixed_milliseconds", &Calibration::fixed_milliseconds, "Of a frame without bodies.")
      .def_prop_ro("milliseconds_per_body", &Calibration::milliseconds_per_body, "Of each further body.");
  module.def(
      "calibrate",
      [](const DeviceInfo& device, const PathLike& cache_directory, bool use_cache) {
        const Settings settings = cache_settings(cache_directory, use_cache);
        const nb::gil_scoped_release release;
        return calibrate(device, settings);
      },
      nb::arg("device"), nb::kw_only(), nb::arg("cache_directory") = "", nb::arg("use_cache") = true,
      "What the cache on disk has of this OpenCL device, else measures it: a second or two.");
  module.def(
      "fastest_device",
      [](const std::vector<Calibration>& calibrations, std::uint64_t bodies) {
        return fastest_device(calibrations, bodies);
      },
      nb::arg("calibrations"), nb::arg("bodies"), "Index of the one with the least expected time.");
  module.def(
      "break_even",
      [](const std::vector<Calibration>& calibrations) {
        Pairs pairs;
        for (const FastestFrom& from : break_even(calibrations)) pairs.emplace_back(from.bodies, from.index);
        return pairs;
      },
      nb::arg("calibrations"), "(bodies, index): where fastest_device() changes, from 0 bodies on.");
}

}  // namespace

void warn_of_reference() {
  if (PyErr_WarnEx(PyExc_RuntimeWarning, kNoDevice, 1) != 0) throw nb::python_error();
}

void add_devices(nb::module_& module) {
  nb::class_<DeviceInfo>(module, "DeviceInfo", "What a device can do for the pipeline.")
      .def_ro("id", &DeviceInfo::id, "What Collider(device=) takes: \"opencl:K\" or \"reference\".")
      .def_ro("name", &DeviceInfo::name)
      .def_ro("platform", &DeviceInfo::platform)
      .def_ro("version", &DeviceInfo::version)
      .def_ro("driver", &DeviceInfo::driver)
      .def_ro("is_gpu", &DeviceInfo::is_gpu)
      .def_ro("is_reference", &DeviceInfo::is_reference)
      .def_ro("usable", &DeviceInfo::usable, "Has what the pipeline needs.")
      .def_ro("missing", &DeviceInfo::missing, "What it lacks where it is not usable.")
      .def_ro("rounds_division", &DeviceInfo::rounds_division)
      .def_ro("has_denormals", &DeviceInfo::has_denormals)
      .def_ro("memory_bytes", &DeviceInfo::memory_bytes)
      .def_ro("largest_allocation_bytes", &DeviceInfo::largest_allocation_bytes)
      .def_ro("compute_units", &DeviceInfo::compute_units)
      .def_prop_ro(
          "int_ptr", [](const DeviceInfo& d) { return reinterpret_cast<std::uintptr_t>(opencl_handle(d)); },
          "The cl_device_id, as pyopencl has it: pyopencl.Device.from_int_ptr(device.int_ptr). An InvalidInputError "
          "for "
          "the reference.")
      .def("__repr__", [](const DeviceInfo& d) { return "<oclide.DeviceInfo " + d.id + ": " + d.name + ">"; });
  module.def(
      "devices",
      [] {
        std::vector<DeviceInfo> all;
        {
          const nb::gil_scoped_release release;
          all = devices();
        }
        if (all.front().is_reference) warn_of_reference();
        return all;
      },
      "Every OpenCL device in the order of the ICD loader, then the CPU reference. A RuntimeWarning says how to get a "
      "device where there is none.");
  add_calibration(module);
  add_plan(module);
}

}  // namespace oclide::python
