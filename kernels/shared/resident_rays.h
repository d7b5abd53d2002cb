// Which arrays an application has of its rays, and of its bodies' motion, on the device (queries/resident_rays.cl,
// queries/resident_sweep.cl). Includable from C++ and from OpenCL C.
#ifndef OCLIDE_SHARED_RESIDENT_RAYS_H
#define OCLIDE_SHARED_RESIDENT_RAYS_H

#define RESIDENT_HAS_ORIGIN_LOW 1u
#define RESIDENT_HAS_LENGTH 2u
#define RESIDENT_HAS_ENVIRONMENT 4u
#define RESIDENT_HAS_MASK 8u

#define RESIDENT_HAS_DISPLACEMENT 1u
#define RESIDENT_HAS_ROTATION 2u

// What is told of them: the lowest body whose numbers cannot be used.
#define RESIDENT_BAD_DISPLACEMENT 0u
#define RESIDENT_BAD_ROTATION 1u

// No number of a motion is beyond these [m, rad].
#define FARTHEST_MOTION 1e9f
#define FARTHEST_ROTATION 1e7f

#endif
