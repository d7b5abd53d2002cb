#pragma OPENCL FP_CONTRACT OFF
#line 1 "kernels/contact_reduction/device_frame.cl"
// The contacts of a frame in their final order, for a reader on the device: of each body those with other bodies, by
// body_b, then those with terrain. Both stand in order already (pair_order.cl, gather.cl); what is left is to count
// them together, and to write:
//
//   frame_counts          per body: how many contacts and manifolds it has as body_a
//   -> scan, scan         where they begin
//   frame_pairs           per pair of bodies: its manifold, its contacts
//   frame_terrain         per slot: the manifolds and contacts of a body with terrain
//
//   (frame_names          per manifold, for tracking: its name
//   frame_features)       per contact, for tracking: its feature
//
// Host: host/contacts/device_frame.cpp, which has the same in plain C++ for frames that were cut into slices.
#line 1 "kernels/../include/oclide/device_layout.h"
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

/* body_b of a contact with terrain. */
#define OCLIDE_DEVICE_TERRAIN 0xFFFFFFFFu

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
  OCLIDE_DEVICE_U32 reserved;         /* 0 */
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

#endif

#line 15 "kernels/contact_reduction/device_frame.cl"
#line 1 "kernels/shared/abi.h"
// Records that host and device both see. Plain 4- and 8-byte scalars only, no float3; a test compares every size and
// offset on host and device. Records are aligned to 8 or 16 bytes where their size allows it: a GPU then reads and
// writes so much at once. Includable from C++ and from OpenCL C.
#ifndef OCLIDE_SHARED_ABI_H
#define OCLIDE_SHARED_ABI_H

#ifndef __cplusplus
#define OCLIDE_F32 float
#define OCLIDE_U32 uint
#define OCLIDE_I32 int
#define OCLIDE_U64 ulong
#define OCLIDE_ALIGNED(bytes) __attribute__((aligned(bytes)))
#else
#include <cstdint>
#define OCLIDE_F32 float
#define OCLIDE_U32 std::uint32_t
#define OCLIDE_I32 std::int32_t
#define OCLIDE_U64 std::uint64_t
#define OCLIDE_ALIGNED(bytes) alignas(bytes)
#endif

#line 1 "kernels/shared/limits.h"
// Numbers that kernels and host both count with. Includable from C++ and from OpenCL C.
#ifndef OCLIDE_SHARED_LIMITS_H
#define OCLIDE_SHARED_LIMITS_H

// Work-items of a group that one work-group kernels are launched with, at most.
#define LONE_GROUP 64
#define TERRAIN_GROUP 256  // at most, of a narrow-phase kernel of bodies against terrain, on a GPU

// The tree over the boxes of bodies: kernels/broad_phase/body_tree.clh.
#define GROUP_WIDTH 8u          // boxes of a group
#define GROUP_FLOATS 64u        // numbers of a group
#define LEAF_SPHERE_FLOATS 16u  // numbers of a group of leaves that are not boxes
#define SHAPE_BITS 4u           // of the word that has a leaf's shape and the number of its move
#define MAX_LEVELS 11           // of a tree over 2^31 bodies

// Terrain.
#define BOUNDS_SHIFT 2    // level 1 of the pyramid covers 4 x 4 cells, each further level 4 x 4 of the level below
#define RANGE_BODIES 16u  // bodies of a work-item of broad_phase/terrain_range.cl
#define CHUNK_SITES 64u   // sites of a chunk of broad_phase/terrain_candidates.cl

// Primitives.
#define TILE_ITEMS 4         // elements that a work-item takes of a tile
#define SERIAL_DIGIT_BITS 8  // of a digit of radix_sort.cl, where one work-item sorts a chunk
#define GROUP_DIGIT_BITS 4   // where a work-group does

// Compound bodies: numbers of a part's pose in its body, its position and a unit quaternion w, x, y, z.
#define LOCAL_POSE_NUMBERS 7u

#endif

#line 23 "kernels/shared/abi.h"
#line 1 "kernels/shared/shapes.h"
// The one list of shapes, which both compilers expand. Includable from C++ and from OpenCL C.
//
// A new shape is a row of OCLIDE_SHAPES and a place in one of the classes below it. Whoever goes through a list names
// functions of each shape (`sphere_bounding_radius`), so that a shape without geometry does not compile. What is to be
// written: docs/adding_a_shape.md.
#ifndef OCLIDE_SHARED_SHAPES_H
#define OCLIDE_SHARED_SHAPES_H

// X(NAME, name, number, words, meaning, size 0, size 1, size 2), in the order of the numbers.
//   NAME, name  SHAPE_NAME and OCLIDE_NAME in C, Shape::name in C++, Shape.NAME in Python; stem of files and functions
//   number      in scene files, kernels and the C API
//   words       in messages and JSON
//   meaning     of the three numbers of a size: lengths [m], each with its name or unused; index of a hull, compound or
//               mesh; nothing
// clang-format off
#define OCLIDE_SHAPES(X)                                                                                          \
  X(SPHERE,      sphere,      0, "sphere",        lengths, "radius", "", "")                                      \
  X(BOX,         box,         1, "box",           lengths, "half extent x", "half extent y", "half extent z")     \
  X(CYLINDER,    cylinder,    2, "cylinder",      lengths, "radius", "half length", "")                           \
  X(CAPSULE,     capsule,     3, "capsule",       lengths, "radius", "half length", "")                           \
  X(CONVEX_HULL, convex_hull, 4, "convex hull",   index,   "hull", "", "")                                        \
  X(HALF_SPACE,  half_space,  5, "half space",    nothing, "", "", "")                                            \
  X(COMPOUND,    compound,    6, "compound body", index,   "compound", "", "")                                    \
  X(TRIANGLE_MESH, triangle_mesh, 7, "triangle mesh", index, "mesh", "", "")
// clang-format on

// Classes, each part of the next one: X(NAME, name), in the order of the numbers. A shape in none of them, but for half
// spaces and compound bodies, is not supported yet.

// Symmetric about their centre. Kernels measure them from the centre to one side alone, and look at eight side by side.
// All others are measured in every direction by itself, and culled by their planes alone.
#define OCLIDE_SYMMETRIC_SHAPES(X) X(SPHERE, sphere) X(BOX, box) X(CYLINDER, cylinder) X(CAPSULE, capsule)
// Bounded and convex: they have a farthest point in every direction. They meet terrain, and may be parts of compound
// bodies. Those that are not symmetric come after OCLIDE_SYMMETRIC_SHAPES(X), as X(NAME, name).
#define OCLIDE_CONVEX_SHAPES(X) OCLIDE_SYMMETRIC_SHAPES(X) X(CONVEX_HULL, convex_hull)
// Bounded: they have a box and a bounding sphere, and stand in the tree of the broad phase. Triangle meshes are met by
// convex shapes alone.
#define OCLIDE_BOUNDED_SHAPES(X) OCLIDE_CONVEX_SHAPES(X) X(TRIANGLE_MESH, triangle_mesh)

// What a convex shape turns to others. Each is in one of the first two, and in one of the last two.

// Sharp: flat sides, with edges or rims around them, which the ground's edges meet by a turn of the normal.
#define OCLIDE_SHARP_SHAPES(X) X(BOX, box) X(CYLINDER, cylinder) X(CONVEX_HULL, convex_hull)
// Rounded: the hull of balls.
#define OCLIDE_ROUNDED_SHAPES(X) X(SPHERE, sphere) X(CAPSULE, capsule)

// With flat sides or straight lines: two of them can share several contacts.
#define OCLIDE_SIDED_SHAPES(X) X(BOX, box) X(CYLINDER, cylinder) X(CAPSULE, capsule) X(CONVEX_HULL, convex_hull)
// With points alone.
#define OCLIDE_SIDELESS_SHAPES(X) X(SPHERE, sphere)

// The numbers, and one more than the greatest.
#define OCLIDE_SHAPE_NUMBER(NAME, name, number, words, meaning, size0, size1, size2) SHAPE_##NAME = number,
enum { OCLIDE_SHAPES(OCLIDE_SHAPE_NUMBER) SHAPES_END };
#undef OCLIDE_SHAPE_NUMBER

// The classes as bits.
#define OCLIDE_SHAPE_BIT(NAME, name) | 1u << SHAPE_##NAME
#define SYMMETRIC_SHAPES (0u OCLIDE_SYMMETRIC_SHAPES(OCLIDE_SHAPE_BIT))
#define CONVEX_SHAPES (0u OCLIDE_CONVEX_SHAPES(OCLIDE_SHAPE_BIT))
#define BOUNDED_SHAPES (0u OCLIDE_BOUNDED_SHAPES(OCLIDE_SHAPE_BIT))
#define SHARP_SHAPES (0u OCLIDE_SHARP_SHAPES(OCLIDE_SHAPE_BIT))
#define ROUNDED_SHAPES (0u OCLIDE_ROUNDED_SHAPES(OCLIDE_SHAPE_BIT))
#define SIDED_SHAPES (0u OCLIDE_SIDED_SHAPES(OCLIDE_SHAPE_BIT))
#define SIDELESS_SHAPES (0u OCLIDE_SIDELESS_SHAPES(OCLIDE_SHAPE_BIT))

#endif

#line 24 "kernels/shared/abi.h"

// Where one terrain lies in the terrain buffers, and its lattice. Real numbers are pairs of floats: value = hi + lo.
typedef struct TerrainRecord {
  OCLIDE_U64 vertex_offset;  // of its first height
  OCLIDE_U64 low_offset;     // of the low parts of its heights
  OCLIDE_U64 cell_offset;    // of its first cell flag
  OCLIDE_U64 material_offset;
  OCLIDE_U64 bounds_offset;                                           // of its pyramid's first level
  OCLIDE_U64 face_name_offset;                                        // of its table of names of faces
  OCLIDE_I32 rows, cols;                                              // vertices
  OCLIDE_F32 origin_x_hi, origin_x_lo, origin_y_hi, origin_y_lo;      // [m]
  OCLIDE_F32 spacing_x_hi, spacing_x_lo, spacing_y_hi, spacing_y_lo;  // [m]
  OCLIDE_F32 cells_x_hi, cells_x_lo, cells_y_hi, cells_y_lo;          // 1 / spacing [1/m]
  OCLIDE_U32 has_low, has_material, has_open;                         // flags; has_open: some cells are open
  OCLIDE_U32 unused;
} TerrainRecord;

// The pose of a body in this frame, in the order of the scene.
typedef struct OCLIDE_ALIGNED(8) PoseRecord {
  OCLIDE_F32 position_high[3], position_low[3];  // of the centre, two floats [m]
  OCLIDE_F32 orientation[4];                     // unit quaternion w, x, y, z
} PoseRecord;

// What does not change of a body, in slot order: by shape (see SHAPE_*), then by where on the ground.
typedef struct OCLIDE_ALIGNED(8) BodyRecord {
  OCLIDE_U32 body;     // index in the scene
  OCLIDE_U32 terrain;  // index of its environment's terrain
  OCLIDE_U32 shape;    // SHAPE_*
  OCLIDE_F32 size[3];  // [m] as in the scene file
} BodyRecord;

// A body's place on its terrain's lattice in this frame, and of its pose what is needed there, so that it is gathered
// once; everything local is relative to the body's centre.
typedef struct OCLIDE_ALIGNED(16) GridPose {
  OCLIDE_I32 cell_i, cell_j;      // cell of the centre (may be outside the grid)
  OCLIDE_F32 offset_x, offset_y;  // of the centre from that cell's vertex (i, j) [m]
  OCLIDE_I32 first_i, first_j;    // lattice sites to look at: those of its range that it may touch
  OCLIDE_U32 count_i, count_j;    // rows of them, sites in a row
  OCLIDE_U32 beyond;              // sites of the range beyond these, 8 bits each: before and after in i, in j
  OCLIDE_F32 lowest;              // lowest z of body and margin relative to the centre [m]
  OCLIDE_U32 flat;                // the range is one horizontal plane of solid cells: a single site stands for it
  OCLIDE_F32 z_high, z_low;       // height of the centre, two floats [m]
  OCLIDE_F32 orientation[4];      // unit quaternion w, x, y, z
  OCLIDE_U32 unused[3];
} GridPose;

// One contact before and after reduction; positions relative to the body's centre.
typedef struct OCLIDE_ALIGNED(8) ContactRecord {
  OCLIDE_F32 point[3];   // [m]
  OCLIDE_F32 normal[3];  // unit
  OCLIDE_F32 depth;      // [m]
  OCLIDE_U32 feature;
  OCLIDE_U32 material;  // 0..255; before reduction with CONTACT_* flags
  OCLIDE_U32 manifold;  // number within the body after reduction
} ContactRecord;

// What came of one slot of a small frame.
typedef struct OCLIDE_ALIGNED(16) SlotOutcome {
  OCLIDE_U64 sites;
  OCLIDE_U32 candidates;
  OCLIDE_U32 found;      // contacts of the narrow phase
  OCLIDE_U32 unreduced;  // those of them that count as such
  OCLIDE_U32 manifolds;
  OCLIDE_U32 first;  // of its contacts; behind the last slot: the number of all
  OCLIDE_U32 unused;
} SlotOutcome;

// What does not change of a body that meets bodies: those of the tree first, then half spaces.
typedef struct OCLIDE_ALIGNED(16) PairBody {
  OCLIDE_U64 key;                    // environment and size class: the high bits of its key in the tree
  OCLIDE_F32 size[3];                // [m] as in the scene file
  OCLIDE_U32 shape;                  // SHAPE_*
  OCLIDE_U32 body;                   // index in the scene
  OCLIDE_U32 environment;            // rank among the scene's environments
  OCLIDE_U32 group, category, mask;  // as in the scene file
  OCLIDE_U32 unused;
} PairBody;

// A body of the pairs' tree in this frame, in the order of the tree's leaves; half spaces follow.
typedef struct OCLIDE_ALIGNED(16) BodyState {
  OCLIDE_F32 position_high[3], position_low[3];  // of the centre, two floats [m]
  OCLIDE_F32 orientation[4];                     // unit quaternion w, x, y, z
  OCLIDE_F32 size[3];                            // [m] as in the scene file
  OCLIDE_U32 shape;                              // SHAPE_*
  OCLIDE_U32 body;                               // index in the scene
  OCLIDE_U32 record;                             // index of its PairBody
} BodyState;

// The pose of a body that moved since the frame before.
typedef struct MovedPose {
  PoseRecord pose;
  OCLIDE_U32 body;  // index in the scene
  OCLIDE_U32 unused;
} MovedPose;

#define ANY_KIND 0xFFFFFFFFu  // of pairs: see STATES_KERNEL_OF in kernels/pairs/pair.clh

// What a narrow-phase kernel found of one pair of bodies.
typedef struct OCLIDE_ALIGNED(16) PairResult {
  OCLIDE_U32 body_a, body_b;  // indices in the scene, body_a < body_b
  OCLIDE_U32 first, count;    // its contacts in the store
} PairResult;

// One contact of two bodies; the point is relative to A's centre, to B's where A is a half space or mesh (its own may
// be kilometres away).
typedef struct OCLIDE_ALIGNED(16) PairContactRecord {
  OCLIDE_F32 point[3];   // [m]
  OCLIDE_F32 normal[3];  // unit, from B toward A
  OCLIDE_F32 depth;      // [m]
  OCLIDE_U32 feature;
} PairContactRecord;

// A convex body that may touch a triangle mesh, in the axes of the mesh (docs/mesh_contacts.md).
typedef struct OCLIDE_ALIGNED(16) MeshPair {
  OCLIDE_F32 orientation[4];                 // of the body in the mesh's axes, unit quaternion w, x, y, z
  OCLIDE_F32 mesh_orientation[4];            // of the mesh in the world
  OCLIDE_F32 centre_high[3], centre_low[3];  // of the body, two floats [m]
  OCLIDE_F32 size[3];                        // of the body [m] as in the scene file
  OCLIDE_U32 shape;                          // of the body, SHAPE_*
  OCLIDE_F32 lower[3], upper[3];             // of the box around the body, margin and rounding, in the mesh [m]
  OCLIDE_F32 eye[3];                         // from the body's centre [m]
  OCLIDE_U32 mesh;                           // number of the mesh's record among hulls and meshes
  OCLIDE_F32 out[3];                         // where the middle is in a solid: unit, to the nearest point, the eye
  OCLIDE_U32 is_inside;                      // 1: it is
  OCLIDE_U32 nearest;                        // the triangle of that point
  OCLIDE_U32 body, mesh_body;                // indices in the scene
  OCLIDE_U32 unused;
} MeshPair;

// Of a contact's `material` before reduction, which is a triangle here: kind 4; of a triangle that is hidden.
#define CONTACT_REST 0x80000000u
#define CONTACT_HIDDEN 0x40000000u
#define CONTACT_TRIANGLE 0x3FFFFFFFu  // the triangle

// What is said of a contact of a mesh beside the rest.
typedef struct OCLIDE_ALIGNED(8) MeshTag {
  OCLIDE_U32 element;   // number of the triangle in the file; 0xFFFFFFFF: no mesh
  OCLIDE_U32 material;  // 0..255
} MeshTag;

// A ray; its direction is a unit vector.
typedef struct OCLIDE_ALIGNED(16) RayRecord {
  OCLIDE_F32 origin_high[3], origin_low[3];        // two floats [m]
  OCLIDE_F32 direction_high[3], direction_low[3];  // two floats
  OCLIDE_F32 length;                               // [m], FLT_MAX at most
  OCLIDE_U32 terrain;                              // of its environment; RAY_NONE: none
  OCLIDE_U32 environment;                          // rank among those of the bodies; RAY_NONE: none is in it
  OCLIDE_U32 mask;                                 // of the categories that it meets
} RayRecord;
#define RAY_NONE 0xFFFFFFFFu

// The z axis of a half space, three sums of two floats, unit.
typedef struct OCLIDE_ALIGNED(8) PlaneRecord {
  OCLIDE_F32 axis_high[3], axis_low[3];
} PlaneRecord;

// What a ray hits first.
typedef struct OCLIDE_ALIGNED(16) HitRecord {
  OCLIDE_F32 distance_high, distance_low;  // two floats [m]; HIT_NOTHING: of no meaning
  OCLIDE_U32 body;                         // index in the scene, HIT_TERRAIN, HIT_NOTHING
  OCLIDE_U32 element;                      // triangle, as docs/rays.md says; 0xFFFFFFFF: none
  OCLIDE_F32 normal[3];                    // unit
  OCLIDE_U32 material;                     // 0..255
} HitRecord;
#define HIT_TERRAIN 0xFFFFFFFFu
#define HIT_NOTHING 0xFFFFFFFEu

// How a body moves over a frame (docs/motion.md).
typedef struct OCLIDE_ALIGNED(16) MotionRecord {
  OCLIDE_F32 displacement_high[3], displacement_low[3];  // two floats [m]
  OCLIDE_F32 axis[3];                                    // of rotation, unit; zero where it does not turn
  OCLIDE_F32 angle_high, angle_low;                      // two floats, >= 0 [rad]
  OCLIDE_F32 arm[3];                                     // of its position from the point that it turns about [m]
  OCLIDE_U32 unused[2];
} MotionRecord;

// The first touch of a pair.
typedef struct OCLIDE_ALIGNED(16) ImpactRecord {
  OCLIDE_F32 time_high, time_low;  // two floats, 0 to 1
  OCLIDE_U32 body_a, body_b;       // indices in the scene, body_b HIT_TERRAIN; body_a HIT_NOTHING: they do not touch
  OCLIDE_F32 point[3];             // from A's position as its displacement alone moves it [m]; from B's where A is a
                                   // half space or mesh
  OCLIDE_U32 element;              // 0xFFFFFFFF: none
  OCLIDE_F32 normal[3];            // unit, from B toward A
  OCLIDE_U32 material;             // 0..255
} ImpactRecord;

// A manifold as tracking knows it, in the order of body_a, body_b, shapes. docs/tracking.md.
typedef struct OCLIDE_ALIGNED(16) TrackedManifold {
  OCLIDE_U32 body_a, body_b;  // indices in the scene; body_b = 0xFFFFFFFF is terrain
  OCLIDE_U32 shapes;          // part of body_a in the upper 16 bits, of body_b in the lower
  OCLIDE_U32 first;           // where its contacts begin
} TrackedManifold;

// The manifolds of one name, in this frame and in the one before.
typedef struct OCLIDE_ALIGNED(16) TrackedName {
  OCLIDE_U32 first, end, last_first, last_end;
} TrackedName;

// What became of a manifold since the frame before.
typedef struct OCLIDE_ALIGNED(8) ManifoldChange {
  OCLIDE_U32 body_a, body_b, shapes;  // as of TrackedManifold
  OCLIDE_U32 change;                  // CHANGE_*
  OCLIDE_U32 manifold;                // its number in this frame; 0xFFFFFFFF: ended
  OCLIDE_U32 previous;                // its number in the frame before; 0xFFFFFFFF: began
} ManifoldChange;

#define CHANGE_BEGIN 0u
#define CHANGE_PERSIST 1u
#define CHANGE_END 2u

// Flags of a cell: it is open; and which of its site's edges are flat, 0 right, 1 up, 2 diagonal.
#define CELL_OPEN 1u
#define CELL_FLAT 2u  // << number of the edge
#define FLAG_RUN 8    // cells that one work-item finds the flags of

// The face of element 1 of each cell, within its tile of FACE_TILE x FACE_TILE cells: the cell of the tile that is its
// first one, row by row. Or, of a face that leads out of the tile, FACE_LEADS_OUT and a number below FACE_NAMES; the
// table of names has, tile by tile, the first cell of each of these in the terrain. What it has of an element without a
// flat edge does not count. See kernels/terrain/ground_feature.clh.
#define FACE_TILE 64
#define FACE_NAMES 256
#define FACE_LEADS_OUT 0x8000u

#define NO_CANDIDATE 0xFFFFFFFFu  // of a store slot that stayed empty
#define CONTACT_LIFT 0x80000000u  // a lift, kept only where it is needed
#define CONTACT_WALL 0x40000000u  // pushes out of a wall: no lift is needed
// Its point is the body's lowest along its normal, on an element seen from above: its move leaves nothing of the gap
// over the point, which is its depth / normal.z. So no lift is recorded for that.
#define CONTACT_COVERS 0x20000000u

// Of a body without a slot: one that cannot meet terrain. Of the first two points of contact are told from the other
// body, for their own position may be far away.
#define SLOT_MESH 0xFFFFFFFDu
#define SLOT_HALF_SPACE 0xFFFFFFFEu
#define SLOT_NONE 0xFFFFFFFFu

// Places of the numbers that upload/resident_poses.cl reports: the first body whose position, low part of it, or
// orientation cannot be used (0xFFFFFFFF: none), and how many are far from where the leaves of the tree were sorted.
#define RESIDENT_BAD_POSITION 0
#define RESIDENT_BAD_POSITION_LOW 1
#define RESIDENT_BAD_ORIENTATION 2
#define RESIDENT_STRAYED 3

#endif

#line 16 "kernels/contact_reduction/device_frame.cl"

// One work-item a body. `pairs` are in the order of bodies, those of body i being pair_offsets[i] ..
// pair_offsets[i + 1] - 1, and `pair_count` in all with `pair_contacts` contacts; where there are none the arrays do
// not count. The same of `kept_offsets`, where has_terrain is 0.
__kernel void contact_reduction_frame_counts(const uint count, const uint pair_count, const uint pair_contacts,
                                             __global const uint* pair_offsets, __global const PairResult* pairs,
                                             const uint has_terrain, __global const uint* slots,
                                             __global const uint* kept_offsets, __global const uint* terrain_manifolds,
                                             __global uint* contact_counts, __global uint* manifold_counts) {
  const uint body = (uint)get_global_id(0);
  if (body >= count) return;
  uint contacts = 0u, manifolds = 0u;
  if (pair_count > 0u) {
    const uint begin = pair_offsets[body], end = pair_offsets[body + 1u];
    manifolds = end - begin;
    if (manifolds > 0u) contacts = (end < pair_count ? pairs[end].first : pair_contacts) - pairs[begin].first;
  }
  const uint slot = slots[body];
  if (has_terrain != 0u && slot < SLOT_MESH) {
    contacts += kept_offsets[slot + 1u] - kept_offsets[slot];
    manifolds += terrain_manifolds[slot];
  }
  contact_counts[body] = contacts;
  manifold_counts[body] = manifolds;
}

// What a contact has beside who touches. No negative zeros: compilers may take x + 0 for x, and give a zero either
// sign.
float positive_zero(float x) {
  const uint bits = as_uint(x);
  return as_float(bits == 0x80000000u ? 0u : bits);
}
void write_contact(__global oclide_device_contact* to, __global const float* point, __global const float* normal,
                   float depth, uint material, uint body_a, uint body_b, uint origin, uint manifold, uint feature,
                   uint element) {
  for (uint a = 0u; a < 3u; ++a) {
    to->point[a] = positive_zero(point[a]);
    to->normal[a] = positive_zero(normal[a]);
  }
  to->depth = positive_zero(depth);
  to->material = material;
  to->body_a = body_a;
  to->body_b = body_b;
  to->shape_a = 0;
  to->shape_b = 0;
  to->origin = origin;
  to->manifold = manifold;
  to->feature = feature;
  to->element = element;
  to->reserved = 0u;
}

void write_manifold(__global oclide_device_manifold* to, uint body_a, uint body_b, uint first, uint count) {
  to->body_a = body_a;
  to->body_b = body_b;
  to->shape_a = 0;
  to->shape_b = 0;
  to->first = first;
  to->count = count;
  to->reserved = 0u;
}

// One work-item a pair; a pair of a mesh stands once for each of its manifolds. `tags`: of the contacts, where there
// are meshes.
__kernel void contact_reduction_frame_pairs(const uint count, __global const uint* pair_offsets,
                                            __global const PairResult* pairs,
                                            __global const PairContactRecord* pair_contacts, const uint has_tags,
                                            __global const MeshTag* tags, __global const uint* slots,
                                            __global const uint* contact_offsets, __global const uint* manifold_offsets,
                                            __global oclide_device_contact* contacts,
                                            __global oclide_device_manifold* manifolds) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  const PairResult pair = pairs[item];
  const uint body_begin = pair_offsets[pair.body_a];
  const uint manifold = manifold_offsets[pair.body_a] + (item - body_begin);
  const uint first = contact_offsets[pair.body_a] + (pair.first - pairs[body_begin].first);
  const uint slot = slots[pair.body_a];
  const uint origin = slot == SLOT_HALF_SPACE || slot == SLOT_MESH ? pair.body_b : pair.body_a;
  for (uint k = 0u; k < pair.count; ++k) {
    __global const PairContactRecord* c = pair_contacts + (pair.first + k);
    const uint material = has_tags != 0u ? tags[pair.first + k].material : 0u;
    const uint element = has_tags != 0u ? tags[pair.first + k].element : 0xFFFFFFFFu;
    write_contact(contacts + (first + k), c->point, c->normal, c->depth, material, pair.body_a, pair.body_b, origin,
                  manifold, c->feature, element);
  }
  write_manifold(manifolds + manifold, pair.body_a, pair.body_b, first, pair.count);
}

// One work-item a slot. A body's contacts with terrain are its last ones.
__kernel void contact_reduction_frame_terrain(const uint count, __global const BodyRecord* bodies,
                                              __global const uint* kept_offsets, __global const uint* terrain_manifolds,
                                              __global const ContactRecord* kept, __global const uint* contact_offsets,
                                              __global const uint* manifold_offsets,
                                              __global oclide_device_contact* contacts,
                                              __global oclide_device_manifold* manifolds) {
  const uint slot = (uint)get_global_id(0);
  if (slot >= count) return;
  const uint from = kept_offsets[slot], own = kept_offsets[slot + 1u] - from;
  if (own == 0u) return;
  const uint body = bodies[slot].body;
  const uint to = contact_offsets[body + 1u] - own;
  const uint first_manifold = manifold_offsets[body + 1u] - terrain_manifolds[slot];
  uint begin = 0u;
  for (uint k = 0u; k < own; ++k) {
    __global const ContactRecord* c = kept + (from + k);
    write_contact(contacts + (to + k), c->point, c->normal, c->depth, c->material & 0xFFu, body, OCLIDE_DEVICE_TERRAIN,
                  body, first_manifold + c->manifold, c->feature, 0xFFFFFFFFu);
    if (k + 1u < own && kept[from + k + 1u].manifold == c->manifold) continue;
    write_manifold(manifolds + (first_manifold + c->manifold), body, OCLIDE_DEVICE_TERRAIN, to + begin, k + 1u - begin);
    begin = k + 1u;
  }
}

// One work-item a manifold.
__kernel void contact_reduction_frame_names(const uint count, __global const oclide_device_manifold* manifolds,
                                            __global TrackedManifold* names) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  names[item].body_a = manifolds[item].body_a;
  names[item].body_b = manifolds[item].body_b;
  names[item].shapes = (uint)manifolds[item].shape_a << 16 | (uint)manifolds[item].shape_b;
  names[item].first = manifolds[item].first;
}

// One work-item a contact.
__kernel void contact_reduction_frame_features(const uint count, __global const oclide_device_contact* contacts,
                                               __global uint* features) {
  const uint item = (uint)get_global_id(0);
  if (item < count) features[item] = contacts[item].feature;
}

