// The one public header with OpenCL types in it, for applications that use OpenCL themselves. It says which OpenCL
// device an oclide device is, and the other way round. It has colliders on an application's own context and queue,
// whose poses, contacts, rays and hits stay on the device. docs/device_resident.md has more of the latter,
// oclide/device_layout.h the layouts.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include "oclide/device_layout.h"
#include "oclide/oclide.hpp"

namespace oclide {

/// The OpenCL device behind an entry of devices(). Not retained for the caller: root devices live as long as their
/// platform. Throws Error(invalid_input) for the reference, Error(device) when the device is no longer there.
[[nodiscard]] OCLIDE_API cl_device_id opencl_handle(const DeviceInfo& info);

/// The entry of devices() for an OpenCL device; its `id` is what Settings::device takes. Throws Error(invalid_input)
/// when it is none of them (a sub-device, say).
[[nodiscard]] OCLIDE_API DeviceInfo device_info(cl_device_id device);

/// A Collider on the application's context and on the device of its queue; both are retained. Where the queue is in
/// order, all kernels run on it. Where it is not, they run on a queue of the Collider's own, and events order what the
/// application does beside them. Settings::device has to be "auto", or this device. Throws Error(invalid_input) for a
/// null handle, one that OpenCL does not know, or a queue of another context, Error(device) for a device that cannot be
/// used.
[[nodiscard]] OCLIDE_API Collider make_collider(cl_context context, cl_command_queue queue,
                                                const Settings& settings = {});

/// Poses of all bodies of one frame in buffers of the Collider's context, which must not change before
/// DeviceFrame::ready. The Collider keeps none of them beyond that.
struct ResidentPoses {
  cl_mem position = nullptr;            ///< float[3 n]: of each shape's centre or compound's origin [m], finite
  cl_mem position_low = nullptr;        ///< float[3 n] to be added to position, which they are small beside; optional
  cl_mem orientation = nullptr;         ///< float[4 n]: w, x, y, z; any non-zero length, finite
  const cl_event* wait_list = nullptr;  ///< events that the poses are there after; optional where the queue is in order
  cl_uint wait_count = 0;
};

/// Rays in buffers of the Collider's context, which must not change before DeviceHits::ready.
struct ResidentRays {
  cl_mem origin = nullptr;              ///< float[3 r] [m], finite, less than 3e18
  cl_mem origin_low = nullptr;          ///< float[3 r] to be added to origin, which they are small beside; optional
  cl_mem direction = nullptr;           ///< float[3 r], finite and not zero; its length does not count
  cl_mem length = nullptr;              ///< float[r] farthest distances [m], >= 0 or infinite; null: all infinite
  cl_mem environment = nullptr;         ///< uint[r]; null: all 0
  cl_mem mask = nullptr;                ///< uint[r], of the categories of bodies that are met; null: all
  std::uint32_t count = 0;              ///< r
  const cl_event* wait_list = nullptr;  ///< as of ResidentPoses
  cl_uint wait_count = 0;
};

/// The contacts of a frame in buffers of the Collider's, which kernels may read from `ready` on. They and the event are
/// the Collider's (retain what is to live longer) and hold this frame until the next call of collide_on_device(),
/// collide(), update(), collide_staged(), change(), set_scene() or the destructor, and any call that is short of
/// memory. A buffer that is empty is not null.
struct DeviceFrame {
  cl_mem contacts = nullptr;          ///< oclide_device_contact[contact_count], in the order of FrameContacts
  cl_mem manifolds = nullptr;         ///< oclide_device_manifold[manifold_count]
  cl_mem contact_offsets = nullptr;   ///< uint[n + 1]: the contacts of body_a = i are those from [i] to [i + 1] - 1
  cl_mem manifold_offsets = nullptr;  ///< uint[n + 1]: the same of manifolds
  cl_mem counts = nullptr;            ///< oclide_device_counts[1]
  std::uint32_t contact_count = 0, manifold_count = 0;
  std::uint32_t body_pairs = 0;       ///< pairs of bodies with at least one contact
  std::uint64_t body_candidates = 0;  ///< as in FrameContacts
  std::uint64_t candidates = 0;       ///< as in FrameContacts
  std::uint64_t device_bytes = 0;     ///< as in FrameContacts
  bool merged_by_host = false;        ///< memory was short: contacts came to the host in slices and went back
  /// With Settings::track, else null. Frames on the device are followed from one to the next; after a frame in host
  /// memory they begin anew.
  cl_mem events = nullptr;        ///< oclide_device_event[event_count], in the order of FrameContacts::events
  cl_mem previous = nullptr;      ///< uint[contact_count], as FrameContacts::previous
  cl_mem user_slots = nullptr;    ///< 16 bytes a contact to read and write, as Collider::user_slots()
  std::uint32_t event_count = 0;  ///< manifold_count and those that ended
  cl_event ready = nullptr;       ///< all of the above is there; poses may change
};

/// Contacts of all bodies at poses that are on the device, to be read there. Returns when their number is known, with
/// commands still at work. It blocks for counts, some hundred bytes a frame, never for contacts. So whatever wait_list
/// waits for must come without the application doing more. A pose that is not finite or an orientation of zero length
/// is found on the device: Error(invalid_input) naming the array and the first such body. Throws Error(invalid_input)
/// for a buffer or an event that is null, that OpenCL does not know, of another context, or too small, and for a
/// Collider not made by make_collider(). Throws Error(device) naming the bytes needed when memory is short. The
/// Collider can be used after any of these. Times of stages are not measured. plan_memory() does not know the buffers
/// of such frames; Collider::device_memory() has them after the first.
[[nodiscard]] OCLIDE_API DeviceFrame collide_on_device(Collider& collider, const ResidentPoses& poses);

/// The contacts of the last collide_on_device() in host memory, where no other frame came after it: bit for bit those
/// of collide() with the same poses. Of the counts beside them, only those of DeviceFrame. Blocking.
[[nodiscard]] OCLIDE_API FrameContacts to_host(Collider& collider);

/// What rays hit first, in a buffer of the Collider's, which kernels may read from `ready` on. It and the event are the
/// Collider's and hold these hits until the next cast, sweep, overlap or distance, set_scene() or the destructor.
struct DeviceHits {
  cl_mem hits = nullptr;           ///< oclide_device_hit[count], one a ray, in their order
  std::uint32_t count = 0;         ///< as many as rays
  std::uint64_t device_bytes = 0;  ///< as in RayHits
  cl_event ready = nullptr;        ///< the hits are there; poses and rays may change
};

/// What each ray hits first, with poses and rays on the device or in host memory, and hits that stay on the device: bit
/// for bit those of Collider::cast() with the same numbers. As many hits come as there are rays, so nothing is waited
/// for. Poses on the device need a look: 16 bytes are read back, which say whether all can be used and whether the tree
/// over the bodies is to be sorted anew. ResidentPoses() without buffers are the poses of the last collide_on_device()
/// or cast on the device, if nothing else was called since; the tree over them stands already, and nothing at all is
/// read back. A ray on the device that cannot be used hits OCLIDE_DEVICE_NO_RAY. Errors are those of
/// collide_on_device() and Collider::cast(); one in host memory that begins 3e18 m out or farther is refused too.
/// Contacts on the device stay, but after other poses to_host() has no frame.
[[nodiscard]] OCLIDE_API DeviceHits cast_on_device(Collider& collider, const ResidentPoses& poses,
                                                   const ResidentRays& rays);
[[nodiscard]] OCLIDE_API DeviceHits cast_on_device(Collider& collider, const ResidentPoses& poses, const Rays& rays);
[[nodiscard]] OCLIDE_API DeviceHits cast_on_device(Collider& collider, const Poses& poses, const ResidentRays& rays);
[[nodiscard]] OCLIDE_API DeviceHits cast_on_device(Collider& collider, const Poses& poses, const Rays& rays);

/// Collider::cast() at poses that are on the device, or those of the last call as above. Blocking.
[[nodiscard]] OCLIDE_API RayHits cast(Collider& collider, const ResidentPoses& poses, const Rays& rays);

/// Motion of all bodies over a frame in buffers of the Collider's context, which must not change before
/// DeviceImpacts::ready.
struct ResidentMotion {
  cl_mem displacement = nullptr;  ///< float[3 n] [m], each number within 1e9; null: none moves on
  cl_mem rotation = nullptr;      ///< float[3 n] rotation vectors in world axes [rad], within 1e7; null: none turns
  const cl_event* wait_list = nullptr;  ///< as of ResidentPoses
  cl_uint wait_count = 0;
};

/// The impacts of a frame in a buffer of the Collider's, which kernels may read from `ready` on. It and the event are
/// the Collider's and hold these impacts until the next sweep, set_scene() or the destructor, and any call that is
/// short of memory.
struct DeviceImpacts {
  cl_mem impacts = nullptr;  ///< oclide_device_impact[count], in the order of FrameImpacts
  std::uint32_t count = 0;
  std::uint64_t candidates = 0;    ///< as in FrameImpacts
  std::uint64_t device_bytes = 0;  ///< as in FrameImpacts
  cl_event ready = nullptr;        ///< the impacts are there; poses and motion may change
};

/// The first touch of each pair, with poses and motion on the device and impacts that stay there: bit for bit those of
/// Collider::sweep() with the same numbers. Returns when their number is known; it blocks for counts, never for
/// impacts. ResidentPoses() without buffers are as of cast_on_device(). Errors are those of collide_on_device() and of
/// Collider::sweep(); which motion cannot be used is found on the device.
[[nodiscard]] OCLIDE_API DeviceImpacts sweep_on_device(Collider& collider, const ResidentPoses& poses,
                                                       const ResidentMotion& motion);

/// The text of oclide/device_layout.h, to be put before that of the application's kernels.
[[nodiscard]] OCLIDE_API std::string_view device_layout();

}  // namespace oclide
