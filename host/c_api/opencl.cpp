// The part of the C API with OpenCL types in it.
#include "oclide/opencl.hpp"

#include "c_api/convert.hpp"
#include "oclide/oclide_opencl.h"

using namespace oclide::c_api;  // NOLINT(google-build-using-namespace): the functions below are C's

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
    oclide::ResidentPoses resident;
    resident.position = given.position;
    resident.position_low = given.position_low;
    resident.orientation = given.orientation;
    resident.wait_list = array(given.wait_list, given.wait_list_count, "wait_list").data();
    if (given.wait_list_count > 0xFFFFFFFFU) invalid_input("wait_list has more events than OpenCL can wait for");
    resident.wait_count = static_cast<cl_uint>(given.wait_list_count);
    const oclide::DeviceFrame found = oclide::collide_on_device(object.collider, resident);
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

const char* oclide_device_layout(void) {
  try {
    static const std::string text(oclide::device_layout());
    return text.c_str();
  } catch (...) {
    return "";  // no memory for it
  }
}
