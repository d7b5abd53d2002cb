// Colliders on an application's context: the public functions of oclide/opencl.hpp.
#include <algorithm>
#include <cctype>

#include "oclide/opencl.hpp"
#include "opencl/embedded_kernels.hpp"
#include "opencl/error.hpp"
#include "opencl/process.hpp"
#include "opencl_backend.hpp"

namespace oclide {

struct ResidentAccess {
  static Collider make(std::unique_ptr<Collider::Backend> backend) { return Collider(std::move(backend)); }
  static Collider::Backend& backend(Collider& collider, const char* call) {
    if (collider.backend_ == nullptr)
      throw Error(ErrorKind::invalid_input, std::string(call) + ": the Collider has been moved from");
    return *collider.backend_;
  }
};

std::shared_ptr<const GroundNames> ground_names(Collider& collider) {
  return ResidentAccess::backend(collider, "ground_names").ground_names();
}
void set_ground_names(Collider& collider, const GroundNames& names) {
  ResidentAccess::backend(collider, "set_ground_names").set_ground_names(names);
}

namespace {

[[noreturn]] void refuse_context(const std::string& message) {
  throw Error(ErrorKind::invalid_input, "make_collider: " + message);
}

void check_handles(cl_context context, cl_command_queue queue) {
  if (context == nullptr) refuse_context("the context is null");
  if (queue == nullptr) refuse_context("the queue is null");
  cl_uint devices = 0;
  if (const cl_int code = clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof(devices), &devices, nullptr);
      code != CL_SUCCESS)
    refuse_context("OpenCL does not know the context: " + opencl::error_name(code));
  cl_context of_queue = nullptr;
  if (const cl_int code = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(of_queue), &of_queue, nullptr);
      code != CL_SUCCESS)
    refuse_context("OpenCL does not know the queue: " + opencl::error_name(code));
  if (of_queue != context) refuse_context("the queue is one of another context");
}

// Settings::device must not mean another one.
void check_device(const Settings& settings, const DeviceInfo& device) {
  const auto lower = [](std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
  };
  if (settings.device == "auto" || settings.device == device.id) return;
  if (!settings.device.empty() && lower(device.name).find(lower(settings.device)) != std::string::npos) return;
  refuse_context("the queue is on " + device.name + ", the settings ask for '" + settings.device + "'");
}

}  // namespace

Collider make_collider(cl_context context, cl_command_queue queue, const Settings& settings) {
  opencl::check_process();
  opencl::note_use();  // by the application
  check_handles(context, queue);
  std::unique_ptr<Collider::Backend> backend =
      make_opencl_backend(settings, cl::Context(context, true), cl::CommandQueue(queue, true));
  check_device(settings, backend->device());
  return ResidentAccess::make(make_checked_backend(settings, std::move(backend)));
}

DeviceFrame collide_on_device(Collider& collider, const ResidentPoses& poses) {
  DeviceFrame frame;
  ResidentAccess::backend(collider, "collide_on_device").collide_on_device(poses, nullptr, frame);
  return frame;
}

FrameContacts to_host(Collider& collider) {
  return ResidentAccess::backend(collider, "to_host").to_host();
}

namespace {

DeviceHits cast_on_device_with(Collider& collider, const CastInput& given) {
  DeviceHits hits;
  ResidentAccess::backend(collider, "cast_on_device").cast_on_device(given, nullptr, hits);
  return hits;
}

}  // namespace

DeviceHits cast_on_device(Collider& collider, const ResidentPoses& poses, const ResidentRays& rays) {
  return cast_on_device_with(collider, {nullptr, &poses, nullptr, &rays});
}

DeviceHits cast_on_device(Collider& collider, const ResidentPoses& poses, const Rays& rays) {
  return cast_on_device_with(collider, {nullptr, &poses, &rays, nullptr});
}

DeviceHits cast_on_device(Collider& collider, const Poses& poses, const ResidentRays& rays) {
  const FramePoses given{poses};
  return cast_on_device_with(collider, {&given, nullptr, nullptr, &rays});
}

DeviceHits cast_on_device(Collider& collider, const Poses& poses, const Rays& rays) {
  const FramePoses given{poses};
  return cast_on_device_with(collider, {&given, nullptr, &rays, nullptr});
}

RayHits cast(Collider& collider, const ResidentPoses& poses, const Rays& rays) {
  RayHits hits;
  ResidentAccess::backend(collider, "cast").cast_at(poses, nullptr, rays, hits);
  return hits;
}

DeviceImpacts sweep_on_device(Collider& collider, const ResidentPoses& poses, const ResidentMotion& motion) {
  DeviceImpacts impacts;
  ResidentAccess::backend(collider, "sweep_on_device").sweep_on_device(poses, motion, nullptr, impacts);
  return impacts;
}

std::string_view device_layout() {
  return kernel_source("shared/device_layout");
}

}  // namespace oclide
