#include "device_arrays.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "objects.hpp"
#include "opencl/process.hpp"

namespace oclide::python {
namespace {

// Not given back in a process that was forked, where OpenCL is not to be touched.
template <class Object>
std::shared_ptr<Object> shared(Object* handle, cl_int (*retain)(Object*), cl_int (*release)(Object*)) {
  if (handle == nullptr) return {};
  retain(handle);
  return {handle, [release](Object* held) {
            if (!opencl::is_forked()) release(held);
          }};
}

SharedMemory shared_memory(cl_mem memory) {
  return shared(memory, clRetainMemObject, clReleaseMemObject);
}

[[noreturn]] void fail(const std::string& what, cl_int code, const DeviceSource& source) {
  throw Error(ErrorKind::device, what + ": OpenCL error " + std::to_string(code) + " on " + source.device);
}

void wait_for(const SharedEvent& event, const DeviceAge& age) {
  cl_event ready = event.get();
  const nb::gil_scoped_release release;
  if (const cl_int code = clWaitForEvents(1, &ready); code != CL_SUCCESS) fail("wait", code, *age.source);
}

void check_age(const DeviceAge& age, const std::string& name, const char* later) {
  if (!age.is_current()) throw Error(ErrorKind::invalid_input, name + " is gone: the Collider has begun " + later);
}

// The buffer, which is its Collider's own, while it holds what it was made for.
cl_mem current(const DeviceArrayObject& array) {
  opencl::check_process();
  check_age(array.age, array.name, array.age.counter == &DeviceSource::frames ? "another frame" : "another query");
  return array.memory.get();
}

nb::object dtype_of(const DeviceArrayObject& array) {
  return array_tool("device_dtype")(array.dtype);
}

std::size_t count_of(const DeviceArrayObject& array) {
  return std::accumulate(array.shape.begin(), array.shape.end(), std::size_t{1}, std::multiplies<>());
}

nb::tuple shape_of(const DeviceArrayObject& array) {
  nb::list lengths;
  for (const std::size_t length : array.shape) lengths.append(length);
  return nb::tuple(lengths);
}

nb::object to_host(const DeviceArrayObject& array) {
  const cl_mem memory = current(array);
  const nb::object dtype = dtype_of(array);
  const std::size_t bytes = count_of(array) * nb::cast<std::size_t>(dtype.attr("itemsize"));
  nb::object host = take_vector<std::uint8_t>(std::vector<std::uint8_t>(bytes), {bytes});
  auto* const to = nb::cast<nb::ndarray<std::uint8_t, nb::c_contig, nb::device::cpu>>(host, false).data();
  if (bytes > 0) {
    cl_event ready = array.ready.get();
    const nb::gil_scoped_release release;
    const cl_int code =
        clEnqueueReadBuffer(array.age.source->queue.get(), memory, CL_TRUE, 0, bytes, to, 1, &ready, nullptr);
    if (code != CL_SUCCESS) fail("reading " + array.name, code, *array.age.source);
  }
  (void)current(array);  // another thread may have begun another one meanwhile
  return host.attr("view")(dtype).attr("reshape")(shape_of(array));
}

// A buffer of a frame as a property; None where the frame has none.
template <class Count>
void add_buffer(nb::class_<DeviceFrameObject>& frame, const char* name, cl_mem DeviceFrame::*buffer, const char* dtype,
                Count count, const char* type, const char* text) {
  const std::string signature = std::string("def ") + name + "(self) -> " + type;
  frame.def_prop_ro(
      name,
      [=](const DeviceFrameObject& f) -> nb::object {
        check_age(f.age, name, "another frame");
        const cl_mem memory = f.frame.*buffer;
        if (memory == nullptr) return nb::none();
        return nb::cast(DeviceArrayObject{name, shared_memory(memory), f.ready, f.age, dtype, count(f)});
      },
      nb::sig(signature.c_str()), text);
}

void add_array(nb::module_& module) {
  nb::class_<DeviceArrayObject>(
      module, "DeviceArray",
      "A buffer on the device, of a frame or of hits. It is the Collider's, and kernels may read it from `ready` on "
      "until "
      "the Collider begins another frame (or, of hits, another query); then its handle is refused, and what was "
      "enqueued "
      "before still finds it.")
      .def_prop_ro(
          "int_ptr", [](const DeviceArrayObject& a) { return reinterpret_cast<std::uintptr_t>(current(a)); },
          "The cl_mem, as pyopencl has it: pyopencl.MemoryObject.from_int_ptr(array.int_ptr).")
      .def_prop_ro("shape", shape_of, nb::sig("def shape(self) -> tuple[int, ...]"))
      .def_prop_ro("dtype", dtype_of, nb::sig("def dtype(self) -> numpy.dtype[typing.Any]"))
      .def("__len__", [](const DeviceArrayObject& a) { return a.shape[0]; })
      .def("__repr__",
           [](const DeviceArrayObject& a) {
             return "<oclide.DeviceArray " + a.name + ": " + nb::cast<std::string>(nb::str(shape_of(a))) + " of " +
                    a.dtype + ">";
           })
      .def("get", to_host, nb::sig("def get(self) -> numpy.typing.NDArray[typing.Any]"),
           "A copy in host memory, writable. Blocking; after what was enqueued before on the Collider's queue.");
}

void add_device_frame(nb::module_& module) {
  nb::class_<DeviceFrameObject> frame(
      module, "DeviceFrame",
      "The contacts of a frame on the device, of Collider.collide_on_device. It and its arrays hold this frame until "
      "the "
      "next collide_on_device(), collide(), update(), collide_staged(), change() or set_scene(); after that they are "
      "an InvalidInputError. Layouts: oclide.device_layout().");
  const auto contacts = [](const DeviceFrameObject& f) { return std::vector<std::size_t>{f.frame.contact_count}; };
  const auto manifolds = [](const DeviceFrameObject& f) { return std::vector<std::size_t>{f.frame.manifold_count}; };
  const auto offsets = [](const DeviceFrameObject& f) { return std::vector<std::size_t>{f.rows + 1}; };
  add_buffer(frame, "contacts", &DeviceFrame::contacts, "DEVICE_CONTACT_DTYPE", contacts, "DeviceArray",
             "(C,) of oclide.DEVICE_CONTACT_DTYPE, in the order of Frame.");
  add_buffer(frame, "manifolds", &DeviceFrame::manifolds, "DEVICE_MANIFOLD_DTYPE", manifolds, "DeviceArray",
             "(M,) of oclide.DEVICE_MANIFOLD_DTYPE.");
  add_buffer(frame, "contact_offsets", &DeviceFrame::contact_offsets, "INDEX_DTYPE", offsets, "DeviceArray",
             "(n + 1,) uint32: contacts of body_a = i are those from [i] to [i + 1] - 1.");
  add_buffer(frame, "manifold_offsets", &DeviceFrame::manifold_offsets, "INDEX_DTYPE", offsets, "DeviceArray",
             "(n + 1,) uint32: the same of manifolds.");
  add_buffer(
      frame, "counts", &DeviceFrame::counts, "DEVICE_COUNTS_DTYPE",
      [](const DeviceFrameObject&) { return std::vector<std::size_t>{1}; }, "DeviceArray",
      "(1,) of oclide.DEVICE_COUNTS_DTYPE, for kernels.");
  add_buffer(
      frame, "events", &DeviceFrame::events, "DEVICE_EVENT_DTYPE",
      [](const DeviceFrameObject& f) { return std::vector<std::size_t>{f.frame.event_count}; },
      "typing.Optional[DeviceArray]", "With track=True: (E,) of oclide.DEVICE_EVENT_DTYPE, as Frame.events.");
  add_buffer(frame, "previous", &DeviceFrame::previous, "INDEX_DTYPE", contacts, "typing.Optional[DeviceArray]",
             "With track=True: (C,) uint32, as Frame.previous.");
  add_buffer(
      frame, "user_slots", &DeviceFrame::user_slots, "SLOT_DTYPE",
      [](const DeviceFrameObject& f) {
        return std::vector<std::size_t>{f.frame.contact_count, 4};
      },
      "typing.Optional[DeviceArray]",
      "With track=True: (C, 4) float32, for kernels to read and write; they go on with the contact.");
  const auto number = [&](const char* name, auto member, const char* text) {
    frame.def_prop_ro(
        name, [member](const DeviceFrameObject& f) { return f.frame.*member; }, text);
  };
  number("body_pairs", &DeviceFrame::body_pairs, "Pairs of bodies with a contact.");
  number("body_candidates", &DeviceFrame::body_candidates, "As of Frame.");
  number("candidates", &DeviceFrame::candidates, "As of Frame.");
  number("device_bytes", &DeviceFrame::device_bytes, "As of Frame.");
  number("merged_by_host", &DeviceFrame::merged_by_host,
         "Memory was short: contacts came to the host in slices and went back.");
  frame.def(
      "__len__", [](const DeviceFrameObject& f) { return f.frame.contact_count; }, "Number of contacts.");
  frame.def("__repr__", [](const DeviceFrameObject& f) {
    return "<oclide.DeviceFrame: " + std::to_string(f.frame.contact_count) + " contacts on " + f.age.source->device +
           ">";
  });
  frame.def_prop_ro(
      "ready", [](const DeviceFrameObject& f) { return reinterpret_cast<std::uintptr_t>(f.ready.get()); },
      "The cl_event from which on all of it is there and poses may change: "
      "pyopencl.Event.from_int_ptr(frame.ready). It lives as long as the frame.");
  frame.def(
      "wait", [](const DeviceFrameObject& f) { wait_for(f.ready, f.age); }, "Until `ready`. Blocking.");
}

void add_device_hits(nb::module_& module) {
  nb::class_<DeviceHitsObject>(
      module, "DeviceHits",
      "What rays hit first, on the device, of Collider.cast_on_device. It holds these hits until the next cast, sweep, "
      "overlap, distance, trace, change() or set_scene(); after that they are an InvalidInputError.")
      .def_prop_ro(
          "hits",
          [](const DeviceHitsObject& h) {
            check_age(h.age, "hits", "another query");
            std::vector<std::size_t> shape;
            for (const nb::handle length : h.shape) shape.push_back(nb::cast<std::size_t>(length));
            if (shape.empty()) shape.push_back(h.hits.count);
            return DeviceArrayObject{"hits", shared_memory(h.hits.hits), h.ready, h.age, "DEVICE_HIT_DTYPE", shape};
          },
          "One a ray, of oclide.DEVICE_HIT_DTYPE, with the axes of the rays; (1,) for one without axes.")
      .def("__len__", [](const DeviceHitsObject& h) { return h.hits.count; })
      .def("__repr__",
           [](const DeviceHitsObject& h) {
             return "<oclide.DeviceHits: of " + std::to_string(h.hits.count) + " rays on " + h.age.source->device + ">";
           })
      .def_prop_ro(
          "device_bytes", [](const DeviceHitsObject& h) { return h.hits.device_bytes; }, "As of RayHits.")
      .def_prop_ro(
          "ready", [](const DeviceHitsObject& h) { return reinterpret_cast<std::uintptr_t>(h.ready.get()); },
          "The cl_event from which on the hits are there, and poses and rays may change. It lives as long as this.")
      .def(
          "wait", [](const DeviceHitsObject& h) { wait_for(h.ready, h.age); }, "Until `ready`. Blocking.");
}

void add_device_impacts(nb::module_& module) {
  nb::class_<DeviceImpactsObject>(
      module, "DeviceImpacts",
      "The first touch of each pair, on the device, of Collider.sweep_on_device. It holds these impacts until the next "
      "cast, sweep, overlap, distance, trace, change() or set_scene(); after that they are an InvalidInputError.")
      .def_prop_ro(
          "impacts",
          [](const DeviceImpactsObject& i) {
            check_age(i.age, "impacts", "another query");
            return DeviceArrayObject{
                "impacts", shared_memory(i.impacts.impacts), i.ready, i.age, "DEVICE_IMPACT_DTYPE", {i.impacts.count}};
          },
          "(I,) of oclide.DEVICE_IMPACT_DTYPE, in the order of Impacts.")
      .def("__len__", [](const DeviceImpactsObject& i) { return i.impacts.count; })
      .def("__repr__",
           [](const DeviceImpactsObject& i) {
             return "<oclide.DeviceImpacts: " + std::to_string(i.impacts.count) + " impacts on " +
                    i.age.source->device + ">";
           })
      .def_prop_ro(
          "candidates", [](const DeviceImpactsObject& i) { return i.impacts.candidates; }, "As of Impacts.")
      .def_prop_ro(
          "device_bytes", [](const DeviceImpactsObject& i) { return i.impacts.device_bytes; }, "As of Impacts.")
      .def_prop_ro(
          "ready", [](const DeviceImpactsObject& i) { return reinterpret_cast<std::uintptr_t>(i.ready.get()); },
          "The cl_event from which on the impacts are there, and poses and motion may change. It lives as long as "
          "this.")
      .def(
          "wait", [](const DeviceImpactsObject& i) { wait_for(i.ready, i.age); }, "Until `ready`. Blocking.");
}

nb::dict device_layouts() {
  using Contact = oclide_device_contact;
  using Manifold = oclide_device_manifold;
  using Counts = oclide_device_counts;
  using Event = oclide_device_event;
  using Hit = oclide_device_hit;
  using Impact = oclide_device_impact;
  nb::dict layouts;
  layouts["contact"] = layout({{"point", "3f4", offsetof(Contact, point)},
                               {"depth", "f4", offsetof(Contact, depth)},
                               {"normal", "3f4", offsetof(Contact, normal)},
                               {"material", "u4", offsetof(Contact, material)},
                               {"body_a", "u4", offsetof(Contact, body_a)},
                               {"body_b", "u4", offsetof(Contact, body_b)},
                               {"shape_a", "u2", offsetof(Contact, shape_a)},
                               {"shape_b", "u2", offsetof(Contact, shape_b)},
                               {"origin", "u4", offsetof(Contact, origin)},
                               {"manifold", "u4", offsetof(Contact, manifold)},
                               {"feature", "u4", offsetof(Contact, feature)},
                               {"element", "u4", offsetof(Contact, element)},
                               {"flags", "u4", offsetof(Contact, flags)}},
                              sizeof(Contact));
  layouts["manifold"] = layout({{"body_a", "u4", offsetof(Manifold, body_a)},
                                {"body_b", "u4", offsetof(Manifold, body_b)},
                                {"shape_a", "u2", offsetof(Manifold, shape_a)},
                                {"shape_b", "u2", offsetof(Manifold, shape_b)},
                                {"first", "u4", offsetof(Manifold, first)},
                                {"count", "u4", offsetof(Manifold, count)}},
                               sizeof(Manifold));
  layouts["counts"] = layout({{"contacts", "u4", offsetof(Counts, contacts)},
                              {"manifolds", "u4", offsetof(Counts, manifolds)},
                              {"body_pairs", "u4", offsetof(Counts, body_pairs)}},
                             sizeof(Counts));
  layouts["event"] = layout({{"body_a", "u4", offsetof(Event, body_a)},
                             {"body_b", "u4", offsetof(Event, body_b)},
                             {"shape_b", "u2", offsetof(Event, shape_b)},
                             {"shape_a", "u2", offsetof(Event, shape_a)},
                             {"change", "u4", offsetof(Event, change)},
                             {"manifold", "u4", offsetof(Event, manifold)},
                             {"previous", "u4", offsetof(Event, previous)}},
                            sizeof(Event));
  layouts["hit"] = layout({{"distance", "f4", offsetof(Hit, distance)},
                           {"distance_low", "f4", offsetof(Hit, distance_low)},
                           {"body", "u4", offsetof(Hit, body)},
                           {"element", "u4", offsetof(Hit, element)},
                           {"normal", "3f4", offsetof(Hit, normal)},
                           {"material", "u2", offsetof(Hit, material)},
                           {"shape", "u2", offsetof(Hit, shape)}},
                          sizeof(Hit));
  layouts["impact"] = layout({{"time", "f4", offsetof(Impact, time)},
                              {"time_low", "f4", offsetof(Impact, time_low)},
                              {"point", "3f4", offsetof(Impact, point)},
                              {"normal", "3f4", offsetof(Impact, normal)},
                              {"body_a", "u4", offsetof(Impact, body_a)},
                              {"body_b", "u4", offsetof(Impact, body_b)},
                              {"shape_a", "u2", offsetof(Impact, shape_a)},
                              {"shape_b", "u2", offsetof(Impact, shape_b)},
                              {"origin", "u4", offsetof(Impact, origin)},
                              {"element", "u4", offsetof(Impact, element)},
                              {"material", "u4", offsetof(Impact, material)}},
                             sizeof(Impact));
  return layouts;
}

// A buffer of the application's, null for None; how many rows it says that it has go to `rows`, and must be as many.
cl_mem to_memory(const DeviceLike& object, const char* name, const char* dtype, std::optional<std::size_t>* rows,
                 const char** rows_of) {
  if (object.object.is_none()) return nullptr;
  const auto [handle, found] = nb::cast<std::pair<std::uintptr_t, std::optional<std::size_t>>>(
      array_tool("device_buffer")(object.object, name, dtype));
  if (found && rows != nullptr) {
    if (*rows && **rows != *found)
      throw Error(ErrorKind::invalid_input, std::string(name) + " has " + std::to_string(*found) + " rows, " +
                                                *rows_of + " has " + std::to_string(**rows));
    if (!*rows) *rows_of = name;
    *rows = found;
  }
  return reinterpret_cast<cl_mem>(handle);
}

}  // namespace

KeptMemory kept_memory(std::initializer_list<cl_mem> buffers) {
  auto kept = std::make_shared<std::vector<SharedMemory>>();
  for (const cl_mem memory : buffers) kept->push_back(shared_memory(memory));
  return kept;
}

SharedEvent shared_event(cl_event event) {
  return shared(event, clRetainEvent, clReleaseEvent);
}

SharedQueue shared_queue(cl_command_queue queue) {
  return shared(queue, clRetainCommandQueue, clReleaseCommandQueue);
}

bool is_on_device(nb::handle object) {
  return nb::cast<bool>(array_tool("is_on_device")(object));
}

std::uintptr_t to_handle(nb::handle object, const char* name) {
  return nb::cast<std::uintptr_t>(array_tool("handle")(object, name));
}

DeviceEvents::DeviceEvents(const EventsLike& object) : objects_(object.object) {
  for (const nb::handle event : objects_)
    events_.push_back(
        reinterpret_cast<cl_event>(to_handle(event, ("wait_for[" + std::to_string(events_.size()) + "]").c_str())));
}

ResidentPoses resident_poses(const DeviceLike& position, const DeviceLike& position_low, const DeviceLike& orientation,
                             std::size_t bodies, const DeviceEvents& events) {
  std::optional<std::size_t> rows = bodies;
  const char* rows_of = "the scene";
  ResidentPoses poses;
  poses.position = to_memory(position, "position", "3f4", &rows, &rows_of);
  poses.position_low = to_memory(position_low, "position_low", "3f4", &rows, &rows_of);
  poses.orientation = to_memory(orientation, "orientation", "4f4", &rows, &rows_of);
  poses.wait_list = events.data();
  poses.wait_count = events.count();
  return poses;
}

ResidentMotion resident_motion(const DeviceLike& displacement, const DeviceLike& rotation, std::size_t bodies) {
  std::optional<std::size_t> rows = bodies;
  const char* rows_of = "the scene";
  ResidentMotion motion;
  motion.displacement = to_memory(displacement, "displacement", "3f4", &rows, &rows_of);
  motion.rotation = to_memory(rotation, "rotation", "3f4", &rows, &rows_of);
  return motion;
}

void need_none(const nb::object& object, const char* name, const char* beside) {
  if (!object.is_none())
    throw Error(ErrorKind::invalid_input,
                std::string(name) + " goes with buffers on the device, but " + beside + " is in host memory");
}

ResidentRays resident_rays(const DeviceLike& origin, const DeviceLike& origin_low, const DeviceLike& direction,
                           const DeviceLike& length, const DeviceLike& environment, const DeviceLike& mask,
                           const OptionalCount& count, const DeviceEvents& events) {
  auto rows = nb::cast<std::optional<std::size_t>>(array_tool("ray_count")(count.object));
  const char* rows_of = "count";
  ResidentRays rays;
  rays.origin = to_memory(origin, "origin", "3f4", &rows, &rows_of);
  rays.origin_low = to_memory(origin_low, "origin_low", "3f4", &rows, &rows_of);
  rays.direction = to_memory(direction, "direction", "3f4", &rows, &rows_of);
  rays.length = to_memory(length, "length", "f4", &rows, &rows_of);
  rays.environment = to_memory(environment, "environment", "u4", &rows, &rows_of);
  rays.mask = to_memory(mask, "mask", "u4", &rows, &rows_of);
  if (!rows) throw Error(ErrorKind::invalid_input, "count: how many rays there are; handles do not say it");
  if (*rows > std::numeric_limits<std::uint32_t>::max())
    throw Error(ErrorKind::invalid_input,
                std::string(rows_of) + " has " + std::to_string(*rows) + " rows: more rays than 32-bit numbers count");
  rays.count = static_cast<std::uint32_t>(*rows);
  rays.wait_list = events.data();
  rays.wait_count = events.count();
  return rays;
}

void add_device_arrays(nb::module_& module) {
  module.def("device_layouts", device_layouts, nb::sig("def device_layouts() -> dict[str, dict[str, object]]"),
             "Of DEVICE_CONTACT_DTYPE and the others.");
  module.def(
      "device_layout", [] { return std::string(device_layout()); },
      "The text of oclide/device_layout.h, to be put before that of kernels that read a DeviceFrame or DeviceHits.");
  add_array(module);
  add_device_frame(module);
  add_device_hits(module);
  add_device_impacts(module);
}

}  // namespace oclide::python
