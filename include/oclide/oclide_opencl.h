/* The part of oclide's C API with OpenCL types in it, for applications that use OpenCL themselves: colliders on their
 * context and queue, whose poses, contacts, rays and hits stay on the device. Layouts: oclide/device_layout.h; more:
 * docs/device_resident.md. All that oclide.h says of handles, errors and structs holds here too. */
#ifndef OCLIDE_OCLIDE_OPENCL_H
#define OCLIDE_OCLIDE_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include "oclide/device_layout.h"
#include "oclide/oclide.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The OpenCL device behind an entry of a list: not retained for the caller. OCLIDE_INVALID_INPUT for the reference. */
OCLIDE_API oclide_status oclide_device_list_opencl(const oclide_device_list* list, size_t index, cl_device_id* device);
/* The entry for an OpenCL device. OCLIDE_INVALID_INPUT when it is none of them (a sub-device, say). */
OCLIDE_API oclide_status oclide_device_list_find(const oclide_device_list* list, cl_device_id device, size_t* index);

/* A collider on the application's context and on the device of its queue; both are retained. Where the queue is in
 * order, all kernels run on it. Where it is not, they run on a queue of the collider's own, and events order what the
 * application does beside them. oclide_settings::device has to be NULL, "auto" or this device. */
OCLIDE_API oclide_status oclide_collider_create_on(cl_context context, cl_command_queue queue,
                                                   const oclide_settings* settings, oclide_collider** collider);

/* Poses of all bodies of one frame in buffers of the collider's context, which must not change before
 * oclide_device_frame::ready. */
typedef struct oclide_resident_poses {
  size_t struct_size;
  cl_mem position;           /* float[3 n]: of each shape's centre or compound's origin [m], finite */
  cl_mem position_low;       /* float[3 n] to be added to position, which they are small beside; or NULL */
  cl_mem orientation;        /* float[4 n]: w, x, y, z; any non-zero length, finite */
  const cl_event* wait_list; /* events that the poses are there after; optional where the queue is in order */
  size_t wait_list_count;
} oclide_resident_poses;

/* The contacts of a frame in buffers of the collider's, which kernels may read from `ready` on. They and the event are
 * the collider's (retain what is to live longer) and hold this frame until the next call that computes one, changes
 * bodies, sets a scene or destroys the collider, and any call that is short of memory. A buffer that is empty is not
 * NULL. */
typedef struct oclide_device_frame {
  size_t struct_size;
  cl_mem contacts;          /* oclide_device_contact[contact_count], in the order of oclide_frame */
  cl_mem manifolds;         /* oclide_device_manifold[manifold_count] */
  cl_mem contact_offsets;   /* uint[n + 1]: the contacts of body_a = i are those from [i] to [i + 1] - 1 */
  cl_mem manifold_offsets;  /* uint[n + 1]: the same of manifolds */
  cl_mem counts;            /* oclide_device_counts[1] */
  cl_event ready;           /* all of the above is there; poses may change */
  uint64_t body_candidates; /* as in oclide_frame */
  uint64_t candidates;
  uint64_t device_bytes;
  uint32_t contact_count;
  uint32_t manifold_count;
  uint32_t body_pairs;    /* pairs of bodies with at least one contact */
  int32_t merged_by_host; /* not 0: memory was short, contacts came to the host in slices and went back */
  /* With oclide_settings::track, else NULL: */
  cl_mem events;     /* oclide_device_event[event_count]: one a manifold, then those that ended */
  cl_mem previous;   /* uint[contact_count]: index in the frame before, or OCLIDE_NONE */
  cl_mem user_slots; /* 16 bytes a contact for the application's kernels to read and write */
  uint32_t event_count;
} oclide_device_frame;

/* Contacts of all bodies at poses that are on the device, to be read there. Returns when their number is known, with
 * commands still at work. A pose that is not finite or an orientation of zero length is found on the device:
 * OCLIDE_INVALID_INPUT naming the array and the first such body. OCLIDE_INVALID_INPUT too for a buffer or an event that
 * is null, that OpenCL does not know, of another context, or too small, and for a collider that is not of
 * oclide_collider_create_on(). */
OCLIDE_API oclide_status oclide_collider_collide_on_device(oclide_collider* collider,
                                                           const oclide_resident_poses* poses,
                                                           oclide_device_frame* frame);
/* The contacts of the last oclide_collider_collide_on_device() in host memory, where no other frame came after it: bit
 * for bit those of oclide_collider_collide() with the same poses. Valid as those of that call. Blocking. User
 * slots of such a frame are on the device alone: oclide_frame::user_slots is NULL, their count 0. */
OCLIDE_API oclide_status oclide_collider_to_host(oclide_collider* collider, oclide_frame* frame);

/* Rays in buffers of the collider's context, which must not change before oclide_device_hits::ready. */
typedef struct oclide_resident_rays {
  size_t struct_size;
  cl_mem origin;             /* float[3 r] [m], finite, less than 3e18 */
  cl_mem origin_low;         /* float[3 r] to be added to origin, which they are small beside; or NULL */
  cl_mem direction;          /* float[3 r], finite and not zero; its length does not count */
  cl_mem length;             /* float[r] farthest distances [m], >= 0 or infinite; NULL: all infinite */
  cl_mem environment;        /* uint[r]; NULL: all 0 */
  cl_mem mask;               /* uint[r], of the categories of bodies that are met; NULL: all */
  size_t count;              /* r */
  const cl_event* wait_list; /* as of oclide_resident_poses */
  size_t wait_list_count;
} oclide_resident_rays;

/* What is cast: poses on the device or in host memory, rays on the device or in host memory. */
typedef struct oclide_cast_input {
  size_t struct_size;
  const oclide_resident_poses* resident_poses; /* without buffers: the poses of the last frame or cast on the device, if
                                                * nothing else was called since; or NULL */
  const double* position;                      /* where resident_poses is NULL: as of oclide_collider_cast() */
  const double* orientation;
  size_t bodies;
  const oclide_resident_rays* resident_rays; /* or NULL */
  const oclide_rays* rays;                   /* where resident_rays is NULL */
} oclide_cast_input;

/* What rays hit first, in a buffer of the collider's, which kernels may read from `ready` on. It and the event are the
 * collider's and hold these hits until the next cast, sweep, overlap or distance, the next scene or the collider's end.
 */
typedef struct oclide_device_hits {
  size_t struct_size;
  cl_mem hits;           /* oclide_device_hit[count], one a ray, in their order */
  cl_event ready;        /* the hits are there; poses and rays may change */
  uint64_t device_bytes; /* as in oclide_ray_hits */
  size_t count;          /* as many as rays */
} oclide_device_hits;

/* What each ray hits first, in a buffer on the device: bit for bit the hits of oclide_collider_cast() with the same
 * numbers. The counterpart of oclide::cast_on_device(), which says more. */
OCLIDE_API oclide_status oclide_collider_cast_on_device(oclide_collider* collider, const oclide_cast_input* input,
                                                        oclide_device_hits* hits);
/* oclide_collider_cast() at poses that are on the device; without buffers as above. */
OCLIDE_API oclide_status oclide_collider_cast_at(oclide_collider* collider, const oclide_resident_poses* poses,
                                                 const oclide_rays* rays, oclide_ray_hits* hits);

/* Motion of all bodies over a frame in buffers of the collider's context, which must not change before
 * oclide_device_impacts::ready. */
typedef struct oclide_resident_motion {
  size_t struct_size;
  cl_mem displacement;       /* float[3 n] [m], each number within 1e9; NULL: none moves on */
  cl_mem rotation;           /* float[3 n] rotation vectors in world axes [rad], within 1e7; NULL: none turns */
  const cl_event* wait_list; /* as of oclide_resident_poses */
  size_t wait_list_count;
} oclide_resident_motion;

/* The impacts of a frame in a buffer of the collider's, which kernels may read from `ready` on. It and the event are
 * the collider's and hold these impacts until the next sweep, the next scene or the collider's end, and any call that
 * is short of memory. */
typedef struct oclide_device_impacts {
  size_t struct_size;
  cl_mem impacts;        /* oclide_device_impact[count], in the order of oclide_impacts */
  cl_event ready;        /* the impacts are there; poses and motion may change */
  uint64_t candidates;   /* as in oclide_impacts */
  uint64_t device_bytes; /* as in oclide_impacts */
  size_t count;
} oclide_device_impacts;

/* The first touch of each pair, with poses and motion on the device, in a buffer on the device: bit for bit the impacts
 * of oclide_collider_sweep() with the same numbers. Returns when their number is known. The counterpart of
 * oclide::sweep_on_device(), which says more. */
OCLIDE_API oclide_status oclide_collider_sweep_on_device(oclide_collider* collider, const oclide_resident_poses* poses,
                                                         const oclide_resident_motion* motion,
                                                         oclide_device_impacts* impacts);

/* The text of oclide/device_layout.h, to be put before that of the application's kernels. */
OCLIDE_API const char* oclide_device_layout(void);

#ifdef __cplusplus
}
#endif

#endif
