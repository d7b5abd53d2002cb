// The part of the C API with OpenCL types in it.
#include "oclide/opencl.hpp"

#include "c_api/convert.hpp"
#include "oclide/oclide_opencl.h"

using namespace oclide::c_api;  // NOLINT(google-build-using-namespace): the functions below are C's

namespace {

// The events of a struct, in one of C++.
template <class C, class Cpp>
void set_wait_list(const C& given, Cpp& to) {
  to.wait_list = array(given.wait_list, given.wait_list_count, "wait_list").data();
  if (given.wait_list_count > 0xFFFFFFFFU) invalid_input("wait_list has more events than OpenCL can wait for");
  to.wait_count = static_cast<cl_uint>(given.wait_list_count);
}

oclide::ResidentPoses to_resident(const oclide_resident_poses& given) {
  oclide::ResidentPoses resident;
  resident.position = given.position;
  resident.position_low = given.position_low;
  resident.orientation = given.orientation;
  set_wait_list(given, resident);
  return resident;
}

oclide::ResidentRays to_resident(const oclide_resident_rays& given) {
  oclide::ResidentRays resident;
  resident.origin = given.origin;
  resident.origin_low = given.origin_low;
  resident.direction = given.direction;
  resident.length = given.length;
  resident.environment = given.environment;
  resident.mask = given.mask;
  if (given.count > 0xFFFFFFFFU) invalid_input("rays: more than 32 bits hold");
  resident.count = static_cast<std::uint32_t>(given.count);
  set_wait_list(given, resident);
  return resident;
}

}  // namespace

oclide_status oclide_device_list_opencl(const oclide_device_list* list, size_t index, cl_device_id* device) {
  return call_with<DeviceListObject>(list, Use::alone, [&](DeviceListObject& object) {
    cl_device_id& found = output(device, "device");
    check_index(index, object.devices.size(), "device");
    found = oclide::opencl_handle(object.devices[index]);
  });
}

oclide_status oclide_device_list_find(const oclide_device_list* list, cl_device_id device, size_t* index) {
  return call_with<DeviceListObject>(list, Use::alone, [&](DeviceListObject& object) {
    std::size_t& found = output(index, "index");
    const std::string id = oclide::device_info(device).id;
    for (std::size_t k = 0; k < object.devices.size(); ++k) {
      if (object.devices[k].id != id) continue;
      found = k;
      return;
    }
    invalid_input(id + " is not in this list");
  });
}

oclide_status oclide_collider_create_on(cl_context context, cl_command_queue queue, const oclide_settings* settings,
                                        oclide_collider** collider) {
  return create(collider, [&] {
    return std::make_shared<ColliderObject>(oclide::make_collider(context, queue, to_settings(settings)));
  });
}

oclide_status oclide_collider_collide_on_device(oclide_collider* collider, const oclide_resident_poses* poses,
                                                oclide_device_frame* frame) {
  return call_with<ColliderObject>(collider, Use::alone, [&](ColliderObject& object) {
    const OutStruct out(frame, "oclide_device_frame");
    const oclide_resident_poses given = read_struct(poses, "oclide_resident_poses");
    need_scene(object, "collide_on_device");
    const oclide::DeviceFrame found = oclide::collide_on_device(object.collider, to_resident(given));
    oclide_device_frame known{};
    known.contacts = found.contacts;
    known.manifolds = found.manifolds;
    known.contact_offsets = found.contact_offsets;
    known.manifold_offsets = found.manifold_offsets;
    known.counts = found.counts;
    known.ready = found.ready;
    known.body_candidates = found.body_candidates;
    known.candidates = found.candidates;
    known.device_bytes = found.device_bytes;
    known.contact_count = found.contact_count;
    known.manifold_count = found.manifold_count;
    known.body_pairs = found.body_pairs;
    known.merged_by_host = found.merged_by_host ? 1 : 0;
    known.events = found.events;
    known.previous = found.previous;
    known.user_slots = found.user_slots;
    known.event_count = found.event_count;
    out.set(known);
  });
}

oclide_status oclide_collider_to_host(oclide_collider* collider, oclide_frame* frame) {
  return call_with<ColliderObject>(collider, Use::alone, [&](ColliderObject& object) {
    const OutStruct out(frame, "oclide_frame");
    need_scene(object, "to_host");
    object.own_frame = oclide::to_host(object.collider);
    out.set(to_c(object.own_frame, {}));
  });
}

oclide_status oclide_collider_cast_on_device(oclide_collider* collider, const oclide_cast_input* input,
                                             oclide_device_hits* hits) {
  return call_with<ColliderObject>(collider, Use::alone, [&](ColliderObject& object) {
    const OutStruct out(hits, "oclide_device_hits");
    const oclide_cast_input given = read_struct(input, "oclide_cast_input");
    need_scene(object, "cast_on_device");
    if (given.resident_rays != nullptr && given.rays != nullptr)
      invalid_input("rays and resident_rays are both there, one has to be NULL");
    const auto cast_rays = [&](const auto& poses) {
      if (given.resident_rays == nullptr) return oclide::cast_on_device(object.collider, poses, to_rays(given.rays));
      return oclide::cast_on_device(object.collider, poses,
                                    to_resident(read_struct(given.resident_rays, "oclide_resident_rays")));
    };
    const oclide::DeviceHits found =
        given.resident_poses == nullptr
            ? cast_rays(to_poses(given.position, given.orientation, given.bodies, object.bodies))
            : cast_rays(to_resident(read_struct(given.resident_poses, "oclide_resident_poses")));
    oclide_device_hits known{};
    known.hits = found.hits;
    known.ready = found.ready;
    known.device_bytes = found.device_bytes;
    known.count = found.count;
    out.set(known);
  });
}

oclide_status oclide_collider_cast_at(oclide_collider* collider, const oclide_resident_poses* poses,
                                      const oclide_rays* rays, oclide_ray_hits* hits) {
  return call_with<ColliderObject>(collider, Use::alone, [&](ColliderObject& object) {
    const OutStruct out(hits, "oclide_ray_hits");
    const oclide_resident_poses given = read_struct(poses, "oclide_resident_poses");
    need_scene(object, "cast");
    object.hits = oclide::cast(object.collider, to_resident(given), to_rays(rays));
    out.set(to_c(object.hits));
  });
}

oclide_status oclide_collider_sweep_on_device(oclide_collider* collider, const oclide_resident_poses* poses,
                                              const oclide_resident_motion* motion, oclide_device_impacts* impacts) {
  return call_with<ColliderObject>(collider, Use::alone, [&](ColliderObject& object) {
    const OutStruct out(impacts, "oclide_device_impacts");
    const oclide_resident_poses at = read_struct(poses, "oclide_resident_poses");
    const oclide_resident_motion given = read_struct(motion, "oclide_resident_motion");
    need_scene(object, "sweep_on_device");
    oclide::ResidentMotion resident;
    resident.displacement = given.displacement;
    resident.rotation = given.rotation;
    set_wait_list(given, resident);
    const oclide::DeviceImpacts found = oclide::sweep_on_device(object.collider, to_resident(at), resident);
    oclide_device_impacts known{};
    known.impacts = found.impacts;
    known.ready = found.ready;
    known.candidates = found.candidates;
    known.device_bytes = found.device_bytes;
    known.count = found.count;
    out.set(known);
  });
}

const char* oclide_device_layout(void) {
  try {
    static const std::string text(oclide::device_layout());
    return text.c_str();
  } catch (...) {
    return "";  // no memory for it
  }
}
