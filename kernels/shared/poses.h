// Where numbers of poses are cut off, on the host and on the device alike. Includable from C++ and from OpenCL C.
//
// Doubles stand as their bits, for a device may have none.
#ifndef OCLIDE_SHARED_POSES_H
#define OCLIDE_SHARED_POSES_H

// Coordinates, 3e18 m: squares and products of them stay finite in float; nothing on Earth is farther away. Also as a
// sum of two floats.
#define FARTHEST_BITS 0x43C4D1120D7B1600ul
#define FARTHEST_HIGH 0x1.4d1120p+61f
#define FARTHEST_LOW 0x1.af62c0p+36f
// Parts of a coordinate, each a float, below this are zero, so that no subnormal number ever arises [m].
#define LEAST_COORDINATE 1e-18f

// Below this part of its length, 1e-15, a number of an orientation is zero; up to this square of a length, 1e-24, all
// of it is, which is no orientation.
#define LEAST_PART_BITS 0x3CD203AF9EE75616ul
#define LEAST_LENGTH2_BITS 0x3AF357C299A88EA7ul
// Of a half space: beside the largest, which is in [1, 2).
#define LEAST_PLANE_PART 0x1p-40f

#endif
