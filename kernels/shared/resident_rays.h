// Which arrays an application has of its rays on the device (queries/resident_rays.cl). Includable from C++ and from
// OpenCL C.
#ifndef OCLIDE_SHARED_RESIDENT_RAYS_H
#define OCLIDE_SHARED_RESIDENT_RAYS_H

#define RESIDENT_HAS_ORIGIN_LOW 1u
#define RESIDENT_HAS_LENGTH 2u
#define RESIDENT_HAS_ENVIRONMENT 4u
#define RESIDENT_HAS_MASK 8u

#endif
