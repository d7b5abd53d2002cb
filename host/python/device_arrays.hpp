// Poses, contacts, rays, hits and impacts that stay on the device (oclide/opencl.hpp), with handles of OpenCL as
// numbers.
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "oclide/opencl.hpp"

namespace oclide::python {

/// Handles that Python holds, retained for as long as this.
using SharedMemory = std::shared_ptr<_cl_mem>;
using SharedEvent = std::shared_ptr<_cl_event>;
using SharedQueue = std::shared_ptr<_cl_command_queue>;

/// What a Collider on an application's queue has handed out is that queue's, and good until another call takes its
/// place.
struct DeviceSource {
  SharedQueue queue;
  std::string device;
  std::atomic<std::uint64_t> frames = 0, queries = 0;  // begun so far
};

/// When a buffer was filled, and whether it has been filled anew since.
struct DeviceAge {
  std::shared_ptr<const DeviceSource> source;
  const std::atomic<std::uint64_t> DeviceSource::*counter;
  std::uint64_t number;
  [[nodiscard]] bool is_current() const { return (*source.*counter).load() == number; }
};

/// Buffers of a frame or a query, which calls that are short of memory give up: kept until Python lets go of it, or the
/// Collider begins another.
using KeptMemory = std::shared_ptr<std::vector<SharedMemory>>;

/// A buffer on the device.
struct DeviceArrayObject {
  std::string name;
  SharedMemory memory;
  SharedEvent ready;
  DeviceAge age;
  const char* dtype;  // a name of oclide._arrays
  std::vector<std::size_t> shape;
};

struct DeviceFrameObject {
  DeviceFrame frame;
  KeptMemory memory;
  std::size_t rows;
  SharedEvent ready;
  DeviceAge age;
};

struct DeviceHitsObject {
  DeviceHits hits;
  KeptMemory memory;
  nb::object shape;
  SharedEvent ready;
  DeviceAge age;
};

struct DeviceImpactsObject {
  DeviceImpacts impacts;
  KeptMemory memory;
  SharedEvent ready;
  DeviceAge age;
};

[[nodiscard]] KeptMemory kept_memory(std::initializer_list<cl_mem> buffers);
[[nodiscard]] SharedEvent shared_event(cl_event event);
[[nodiscard]] SharedQueue shared_queue(cl_command_queue queue);

/// Whether an object names memory on the device, not in the host's.
[[nodiscard]] bool is_on_device(nb::handle object);
/// A handle, given as a number or as an object with `int_ptr`. Throws Error(invalid_input) that names it.
[[nodiscard]] std::uintptr_t to_handle(nb::handle object, const char* name);

/// Events that an application gives, and the objects that have them; alive as long as this.
class DeviceEvents {
 public:
  DeviceEvents() = default;
  explicit DeviceEvents(const EventsLike& object);
  [[nodiscard]] const cl_event* data() const { return events_.empty() ? nullptr : events_.data(); }
  [[nodiscard]] cl_uint count() const { return static_cast<cl_uint>(events_.size()); }

 private:
  nb::tuple objects_;
  std::vector<cl_event> events_;
};

/// Poses on the device of so many bodies; None for all three: those of the last call. `events` must live on.
[[nodiscard]] ResidentPoses resident_poses(const DeviceLike& position, const DeviceLike& position_low,
                                           const DeviceLike& orientation, std::size_t bodies,
                                           const DeviceEvents& events);
/// How they move; None: not at all.
[[nodiscard]] ResidentMotion resident_motion(const DeviceLike& displacement, const DeviceLike& rotation,
                                             std::size_t bodies);
/// Refuses what only buffers on the device go with: anything but None, beside arrays in host memory.
void need_none(const nb::object& object, const char* name, const char* beside);
/// Rays on the device. `count`: how many, or None where the arrays say so. `events` must live on.
[[nodiscard]] ResidentRays resident_rays(const DeviceLike& origin, const DeviceLike& origin_low,
                                         const DeviceLike& direction, const DeviceLike& length,
                                         const DeviceLike& environment, const DeviceLike& mask,
                                         const OptionalCount& count, const DeviceEvents& events);

}  // namespace oclide::python
