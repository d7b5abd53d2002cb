/* Layouts of what a frame leaves on the device (oclide/opencl.hpp), for C, C++ and kernels in OpenCL C alike. A kernel
 * of the application's includes this file, or is compiled with the text that oclide::device_layout() gives put before
 * it. Little-endian, 4-byte scalars but for two pairs of 2-byte ones, no padding. See docs/device_resident.md.
 */
#ifndef OCLIDE_DEVICE_LAYOUT_H
#define OCLIDE_DEVICE_LAYOUT_H

#ifdef __OPENCL_VERSION__
#define OCLIDE_DEVICE_F32 float
#define OCLIDE_DEVICE_U32 uint
#define OCLIDE_DEVICE_U16 ushort
#else
#include <stdint.h>
#define OCLIDE_DEVICE_F32 float
#define OCLIDE_DEVICE_U32 uint32_t
#define OCLIDE_DEVICE_U16 uint16_t
#endif

/* body_b of a contact with terrain, body of a ray's hit of it. */
#define OCLIDE_DEVICE_TERRAIN 0xFFFFFFFFu
/* Of a contact's flags: one of the two bodies is a sensor. */
#define OCLIDE_DEVICE_SENSOR_CONTACT 1u
/* body of the hit of a ray that meets nothing. */
#define OCLIDE_DEVICE_NOTHING 0xFFFFFFFEu
/* body of the hit of a ray that cannot be used: all else is as of one that meets nothing. */
#define OCLIDE_DEVICE_NO_RAY 0xFFFFFFFDu

/* One contact, 64 bytes. All of a frame stand in the order of body_a, body_b (terrain last), shape_a, shape_b,
 * manifold: that of oclide::FrameContacts.
 *
 *                 n = normal       on A's surface:  position of `origin` + point
 *        ( A )    ^                on B's surface:  the same + depth * normal
 *      ----x----  |  } depth       apart:           depth < 0
 *        (   )
 *      B
 */
typedef struct oclide_device_contact {
  OCLIDE_DEVICE_F32 point[3];         /* on A's surface, from the position of body `origin`, axes of the world [m] */
  OCLIDE_DEVICE_F32 depth;            /* along the normal, > 0 is penetration [m] */
  OCLIDE_DEVICE_F32 normal[3];        /* unit, from B toward A */
  OCLIDE_DEVICE_U32 material;         /* 0 .. 255, of the terrain's cell or the mesh's triangle */
  OCLIDE_DEVICE_U32 body_a, body_b;   /* indices of bodies; body_b = OCLIDE_DEVICE_TERRAIN is the terrain */
  OCLIDE_DEVICE_U16 shape_a, shape_b; /* part of a compound body, else 0 */
  OCLIDE_DEVICE_U32 origin;           /* body_a; body_b where body_a is a half space or mesh */
  OCLIDE_DEVICE_U32 manifold;         /* index of its manifold in this frame */
  OCLIDE_DEVICE_U32 feature;          /* stable id of the touching features */
  OCLIDE_DEVICE_U32 element;          /* triangle where one of the two is a mesh, else 0xFFFFFFFF */
  OCLIDE_DEVICE_U32 flags;            /* OCLIDE_DEVICE_SENSOR_CONTACT, or 0 */
} oclide_device_contact;

/* One manifold: contacts of two shapes with the same normal, 24 bytes, in the order of the contacts. */
typedef struct oclide_device_manifold {
  OCLIDE_DEVICE_U32 body_a, body_b;   /* as in its contacts */
  OCLIDE_DEVICE_U16 shape_a, shape_b; /* as in its contacts */
  OCLIDE_DEVICE_U32 first, count;     /* its contacts: first .. first + count - 1 */
  OCLIDE_DEVICE_U32 reserved;         /* 0 */
} oclide_device_manifold;

/* How many of each, 16 bytes. */
typedef struct oclide_device_counts {
  OCLIDE_DEVICE_U32 contacts, manifolds;
  OCLIDE_DEVICE_U32 body_pairs; /* pairs of bodies that have contacts */
  OCLIDE_DEVICE_U32 reserved;   /* 0 */
} oclide_device_counts;

/* With Settings::track: what became of a manifold since the frame before, 24 bytes. The meaning is that of
 * oclide::ManifoldEvent. */
typedef struct oclide_device_event {
  OCLIDE_DEVICE_U32 body_a, body_b;
  OCLIDE_DEVICE_U16 shape_b, shape_a; /* in this order */
  OCLIDE_DEVICE_U32 change;           /* 0 began, 1 persists, 2 ended */
  OCLIDE_DEVICE_U32 manifold;         /* its index in this frame; 0xFFFFFFFF: ended */
  OCLIDE_DEVICE_U32 previous;         /* its index in the frame before; 0xFFFFFFFF: began */
} oclide_device_event;

/* What a ray hits first (docs/rays.md), 32 bytes, one a ray in their order. The point is
 * origin + distance * direction / |direction|. */
typedef struct oclide_device_hit {
  OCLIDE_DEVICE_F32 distance, distance_low; /* their sum, from the ray's origin [m]; infinite and 0: nothing is hit */
  OCLIDE_DEVICE_U32 body;                   /* index of a body, or one of the three numbers above */
  OCLIDE_DEVICE_U32 element;                /* triangle of a mesh or of terrain, else 0xFFFFFFFF */
  OCLIDE_DEVICE_F32 normal[3];              /* unit, out of what was hit, against the ray */
  OCLIDE_DEVICE_U16 material, shape;        /* of triangle or cell; part of a compound body, else 0 */
} oclide_device_hit;

/* The first touch of a pair within a frame (docs/motion.md), 56 bytes. All stand in the order of body_a, body_b,
 * terrain last: that of oclide::FrameImpacts. */
typedef struct oclide_device_impact {
  OCLIDE_DEVICE_F32 time, time_low;   /* their sum: the part of the frame that has passed, in [0, 1] */
  OCLIDE_DEVICE_F32 point[3];         /* on A then, from where body `origin` is then but for its turning: its position +
                                       * time * its displacement, axes of the world [m] */
  OCLIDE_DEVICE_F32 normal[3];        /* unit, from B toward A */
  OCLIDE_DEVICE_U32 body_a, body_b;   /* indices of bodies; body_b = OCLIDE_DEVICE_TERRAIN is the terrain */
  OCLIDE_DEVICE_U16 shape_a, shape_b; /* parts of compound bodies, else 0 */
  OCLIDE_DEVICE_U32 origin;           /* body_a; body_b where body_a is a half space or mesh */
  OCLIDE_DEVICE_U32 element;          /* triangle of a mesh or of terrain, else 0xFFFFFFFF */
  OCLIDE_DEVICE_U32 material;         /* 0 .. 255, of the terrain's cell or the mesh's triangle */
} oclide_device_impact;

#endif
