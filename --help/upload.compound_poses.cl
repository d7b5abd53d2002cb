#pragma OPENCL FP_CONTRACT OFF
#line 1 "kernels/upload/compound_poses.cl"
// Poses that an application has on the device, made those of the pipeline, in a scene with compound bodies: as
// resident_poses.cl, but that the pipeline's bodies are the shapes of the application's.
//
//   body at p, q; shape at t, r in its axes:    p + q t, q r
//
// The host works this out in double precision (host/upload/compound_bodies.cpp), and so does this, in integers: the
// same operations in the same order, to the last bit. Host: host/resident/resident_poses.cpp.
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

#line 9 "kernels/upload/compound_poses.cl"
#line 1 "kernels/shared/poses.h"
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

#line 10 "kernels/upload/compound_poses.cl"
#line 1 "kernels/upload/resident_pose.clh"
// One body's pose as an application has it on the device, and as the pipeline has it: what poses of single shapes
// (resident_poses.cl) and of compound bodies (compound_poses.cl) have in common.
#ifndef OCLIDE_UPLOAD_RESIDENT_POSE_CLH
#define OCLIDE_UPLOAD_RESIDENT_POSE_CLH
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

#line 6 "kernels/upload/resident_pose.clh"
#line 7 "kernels/upload/resident_pose.clh"
#line 1 "kernels/upload/unit_orientation.clh"
// A quaternion brought to length 1 and rounded to floats, to the last bit as the host does it in double precision
// (host/upload/device_poses.cpp): lengths and quotients are worked out in two floats, which tells how to round but
// where the quotient lies almost in the middle between two floats, one in some ten thousand. There the doubles that the
// host has are followed in integers (binary64.clh).
#ifndef OCLIDE_UPLOAD_UNIT_ORIENTATION_CLH
#define OCLIDE_UPLOAD_UNIT_ORIENTATION_CLH
#line 1 "kernels/math/binary64.clh"
// Doubles in integers, for what the host works out in double precision and a device without doubles has to repeat to
// the last bit: sums, products, quotients, roots, conversions, each rounded to nearest even as IEEE 754 rounds it.
// Exponents have no bounds here, so that results are the host's wherever these are normal numbers or zero. Neither
// infinities nor NaNs.
//
//   sum, product, ...  ->  up to 64 bits, the lowest of them set where anything lies below  ->  rounded to 53 bits
//
// Results go through pointers, and may be where an operand is.
#ifndef OCLIDE_MATH_BINARY64_CLH
#define OCLIDE_MATH_BINARY64_CLH
#pragma OPENCL FP_CONTRACT OFF

// m * 2^e, 2^52 <= m < 2^53, or m = 0 for zero; `sign` is that of a float: 0 or 0x80000000.
typedef struct Double {
  ulong m;
  int e;
  uint sign;
} Double;

// m without its lowest `drop` bits, rounded to nearest even; 1 <= drop < 64.
ulong round_off(ulong m, uint drop) {
  const ulong rest = m & ((1ul << drop) - 1ul), middle = 1ul << (drop - 1u), kept = m >> drop;
  return kept + (rest > middle || (rest == middle && (kept & 1ul) != 0ul) ? 1ul : 0ul);
}

// bits * 2^e to the nearest double; bits are not zero. The lowest may stand for what is lost below it where one of the
// upper three is set.
void double_round(ulong bits, int e, uint sign, Double* to) {
  const uint shift = (uint)clz(bits);
  const ulong m = round_off(bits << shift, 11u), carry = m >> 53;
  to->m = m >> carry;
  to->e = e - (int)shift + 11 + (int)carry;
  to->sign = sign;
}

// x is finite.
void double_of_float(float x, Double* to) {
  const uint bits = as_uint(x) & 0x7FFFFFFFu;
  const uint exponent = bits >> 23, mantissa = bits & 0x7FFFFFu;
  to->sign = as_uint(x) & 0x80000000u;
  to->m = 0ul;
  to->e = 0;
  if (exponent != 0u) {
    to->m = (ulong)(mantissa | 0x800000u) << 29;
    to->e = (int)exponent - 179;
  } else if (mantissa != 0u) {
    const uint shift = clz(mantissa) - 8u;
    to->m = (ulong)(mantissa << shift) << 29;
    to->e = -178 - (int)shift;
  }
}

// From the bits of a finite double; subnormal ones are zero.
void double_of_bits(ulong bits, Double* to) {
  const uint exponent = (uint)(bits >> 52) & 0x7FFu;
  to->m = exponent == 0u ? 0ul : (bits & 0xFFFFFFFFFFFFFul) | 0x10000000000000ul;
  to->e = (int)exponent - 1075;
  to->sign = (uint)(bits >> 32) & 0x80000000u;
}

// What is too small for a normal double is zero; nothing is too large.
ulong bits_of_double(const Double* a) {
  const int exponent = a->e + 1075;
  const ulong sign = (ulong)a->sign << 32;
  return a->m == 0ul || exponent < 1 ? sign : sign | (ulong)exponent << 52 | (a->m & 0xFFFFFFFFFFFFFul);
}

// Rounded to a float; what is too small for a normal float is zero, what is too large infinite.
float float_of_double(const Double* a) {
  ulong m = round_off(a->m, 29u);
  const ulong carry = m >> 24;
  m >>= carry;
  const int exponent = a->e + 29 + (int)carry + 150;
  if (m == 0ul || exponent < 1) return as_float(a->sign);
  if (exponent > 254) return as_float(a->sign | 0x7F800000u);
  return as_float(a->sign | (uint)exponent << 23 | ((uint)m & 0x7FFFFFu));
}

// Whether |a| < |b|.
bool double_is_less(const Double* a, const Double* b) {
  if (a->m == 0ul || b->m == 0ul) return a->m < b->m;
  return a->e != b->e ? a->e < b->e : a->m < b->m;
}

void double_add(const Double* a, const Double* b, Double* sum) {
  const bool swap = double_is_less(a, b);
  const Double high = swap ? *b : *a, low = swap ? *a : *b;
  if (low.m == 0ul) {
    *sum = high;
    if (high.m == 0ul) sum->sign = high.sign & low.sign;
    return;
  }
  // Ten bits more than a double has.
  const uint apart = (uint)min(high.e - low.e, 63);
  const ulong above = high.m << 10, whole = low.m << 10;
  const ulong below = whole >> apart | ((whole & ((1ul << apart) - 1ul)) != 0ul ? 1ul : 0ul);
  const ulong both = high.sign == low.sign ? above + below : above - below;
  if (both == 0ul) {
    sum->m = 0ul;
    sum->e = 0;
    sum->sign = 0u;
    return;
  }
  double_round(both, high.e - 10, high.sign, sum);
}

void double_multiply(const Double* a, const Double* b, Double* product) {
  const uint sign = a->sign ^ b->sign;
  if (a->m == 0ul || b->m == 0ul) {
    product->m = 0ul;
    product->e = 0;
    product->sign = sign;
    return;
  }
  const ulong x = a->m << 11, y = b->m << 11;
  double_round(mul_hi(x, y) | (x * y != 0ul ? 1ul : 0ul), a->e + b->e + 42, sign, product);
}

// b is not zero.
void double_divide(const Double* a, const Double* b, Double* quotient) {
  const uint sign = a->sign ^ b->sign;
  if (a->m == 0ul) {
    quotient->m = 0ul;
    quotient->e = 0;
    quotient->sign = sign;
    return;
  }
  // 2^64 numerator / divisor in two digits of 32 bits (Knuth, The Art of Computer Programming 2, 4.3.1, algorithm D):
  // a digit is estimated from the upper half of the divisor, too large by 2 at most.
  const ulong divisor = b->m << 11, upper = divisor >> 32, lower = divisor & 0xFFFFFFFFul;
  ulong rest = a->m << 10, digits = 0ul;
  for (int k = 0; k < 2; ++k) {
    ulong digit = rest / upper, over = rest % upper;
    for (int correction = 0; correction < 2; ++correction) {
      if (over >> 32 == 0ul && (digit >> 32 != 0ul || digit * lower > over << 32)) {
        --digit;
        over += upper;
      }
    }
    rest = (rest << 32) - digit * divisor;
    digits = digits << 32 | digit;
  }
  double_round(digits | (rest != 0ul ? 1ul : 0ul), a->e - b->e - 63, sign, quotient);
}

// Of a positive number, digit by digit.
void double_root(const Double* a, Double* root) {
  const uint odd = (uint)(a->e & 1);
  const int half_exponent = (a->e - (int)odd) / 2;
  const ulong radicand = a->m << odd;
  ulong found = 0ul, rest = 0ul;
  for (int k = 53; k >= 0; --k) {
    rest = rest << 2 | (k >= 27 ? radicand >> (uint)(2 * (k - 27)) & 3ul : 0ul);
    const ulong trial = found << 2 | 1ul;
    const bool fits = trial <= rest;
    rest -= fits ? trial : 0ul;
    found = found << 1 | (fits ? 1ul : 0ul);
  }
  double_round(found << 1 | (rest != 0ul ? 1ul : 0ul), half_exponent - 28, 0u, root);
}

#endif

#line 8 "kernels/upload/unit_orientation.clh"
#line 1 "kernels/math/two_float.clh"
// Numbers as unevaluated sums hi + lo of two floats, about 48 bits (Dekker 1971, Knuth's two-sum). They carry world
// coordinates, which a single float cannot hold, into the frame of a body.
#ifndef OCLIDE_MATH_TWO_FLOAT_CLH
#define OCLIDE_MATH_TWO_FLOAT_CLH
#pragma OPENCL FP_CONTRACT OFF

typedef struct TwoFloat {
  float hi, lo;
} TwoFloat;

TwoFloat two_sum(float a, float b) {
  TwoFloat r;
  r.hi = a + b;
  const float bb = r.hi - a;
  r.lo = (a - (r.hi - bb)) + (b - bb);
  return r;
}

TwoFloat two_product(float a, float b) {
  // Split at 12 bits: 4097 = 2^12 + 1.
  const float ca = 4097.0f * a, cb = 4097.0f * b;
  const float ah = ca - (ca - a), bh = cb - (cb - b);
  const float al = a - ah, bl = b - bh;
  TwoFloat r;
  r.hi = a * b;
  r.lo = ((ah * bh - r.hi) + ah * bl + al * bh) + al * bl;
  return r;
}

TwoFloat two_float(float hi, float lo) {
  TwoFloat r;
  r.hi = hi;
  r.lo = lo;
  return r;
}

TwoFloat two_add(TwoFloat a, TwoFloat b) {
  const TwoFloat s = two_sum(a.hi, b.hi);
  return two_sum(s.hi, s.lo + (a.lo + b.lo));
}

TwoFloat two_sub(TwoFloat a, TwoFloat b) {
  return two_add(a, two_float(-b.hi, -b.lo));
}

// k * a for an integer k that a float holds.
TwoFloat two_scale(float k, TwoFloat a) {
  const TwoFloat p = two_product(k, a.hi);
  return two_sum(p.hi, p.lo + k * a.lo);
}

TwoFloat two_times(TwoFloat a, TwoFloat b) {
  const TwoFloat p = two_product(a.hi, b.hi);
  return two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

#endif

#line 9 "kernels/upload/unit_orientation.clh"
#line 1 "kernels/math/vec.clh"
// Vectors with a fixed order of operations: only + - * / sqrt, never a built-in dot, length or normalize.
#ifndef OCLIDE_MATH_VEC_CLH
#define OCLIDE_MATH_VEC_CLH
#line 1 "kernels/math/code.clh"
// What compilers of GPUs are told about code; on a CPU they decide for themselves. A GPU's instruction caches are
// small, its registers are shared by all work-items in flight, and its compilers unroll and inline whatever they can.
//
//   OUTLINED   before a function that is large and called from several places, or seldom: it stands once in a kernel,
//              and its registers are taken only while it runs
//   OUTLINED_OR_INLINE   the same; on a CPU it is part of what calls it
//   INLINED    before a function to which what its caller has in registers is handed by address: called as a function
//              it would force that into memory. It returns no structure: Oclgrind 21 cannot run what becomes of that
//   ROLLED     before a loop whose body is large
#ifndef OCLIDE_MATH_CODE_CLH
#define OCLIDE_MATH_CODE_CLH

#if OCLIDE_LANES == 1
#define OUTLINED static __attribute__((noinline, unused))
#define OUTLINED_OR_INLINE OUTLINED
#define INLINED __attribute__((always_inline))
#define ROLLED _Pragma("unroll 1")
#else
#define OUTLINED
#define OUTLINED_OR_INLINE __attribute__((always_inline))
#define INLINED
#define ROLLED
#endif

#endif

#line 5 "kernels/math/vec.clh"
#line 1 "kernels/math/rounding.clh"
// Division and square root, rounded to nearest even on every device.
//
//   div_rn(a, b)   a / b          sqrt_rn(a)   the square root of a
//
// Where the device rounds its own operators so (CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) they are used. Elsewhere the host
// defines OCLIDE_SOFTWARE_DIVIDE_SQRT, and the device's result, which may be off by 3 units in the last place, is only
// the first guess. Its remainder, exact as a sum of two floats (Dekker 1971), corrects it to within little more than
// half a unit; the remainder of that, which a single float holds, tells whether a neighbour is nearer. No quotient or
// root of floats lies in the middle between two.
//
// So it is with operands of 2^-50 to 2^50, about which all of this stays far from the ends of the range. Others go
// through integers: the guess is an integer quotient or root, corrected by the exact remainder in floats to within one,
// then by one. Operands are brought to [1, 4) before the guess and results are put together from bits, so subnormal
// operands and results are right also on devices that flush them. Zeros, infinities and NaN are those of IEEE 754.
#ifndef OCLIDE_MATH_ROUNDING_CLH
#define OCLIDE_MATH_ROUNDING_CLH
#line 18 "kernels/math/rounding.clh"
#pragma OPENCL FP_CONTRACT OFF

#ifndef OCLIDE_SOFTWARE_DIVIDE_SQRT

float div_rn(float a, float b) {
  return a / b;
}
float sqrt_rn(float a) {
  return sqrt(a);
}

#else

// |x| = mantissa * 2^(exponent - 150) with 2^23 <= mantissa < 2^24, for x finite and not zero; bits are those of |x|.
uint split_float(uint bits, int* exponent) {
  const uint field = bits >> 23;
  if (field != 0) {
    *exponent = (int)field;
    return (bits & 0x7FFFFFu) | 0x800000u;
  }
  const int shift = (int)clz(bits) - 8;
  *exponent = 1 - shift;
  return bits << shift;
}

float div_by_integers(float a, float b) {
  const uint sign = (as_uint(a) ^ as_uint(b)) & 0x80000000u;
  const uint a_bits = as_uint(a) & 0x7FFFFFFFu;
  const uint b_bits = as_uint(b) & 0x7FFFFFFFu;

  if (a_bits >= 0x7F800000u || b_bits >= 0x7F800000u || a_bits == 0 || b_bits == 0) {
    const bool invalid = a_bits > 0x7F800000u || b_bits > 0x7F800000u || (a_bits == b_bits);  // NaN, inf/inf, 0/0
    if (invalid) return as_float(0x7FC00000u);
    return as_float(sign | (a_bits >= 0x7F800000u || b_bits == 0 ? 0x7F800000u : 0u));
  }

  int a_exponent, b_exponent;
  uint dividend = split_float(a_bits, &a_exponent);
  const uint divisor = split_float(b_bits, &b_exponent);
  // The quotient is in [1, 2) when the dividend is not less than the divisor.
  const int doubling = dividend < divisor ? 1 : 0;
  dividend <<= doubling;
  const int exponent = a_exponent - b_exponent - doubling + 127;

  // quotient = floor(dividend * 2^24 / divisor), 25 bits: the result's 24 and one to round by.
  const float divisor_float = (float)divisor;
  int quotient = (int)((float)dividend / divisor_float * 16777216.0f);
  long remainder = ((long)dividend << 24) - (long)quotient * (long)divisor;
  const int step = (int)floor((float)remainder / divisor_float);
  quotient += step;
  remainder -= (long)step * (long)divisor;
  if (remainder < 0) {
    quotient -= 1;
    remainder += (long)divisor;
  } else if (remainder >= (long)divisor) {
    quotient += 1;
    remainder -= (long)divisor;
  }

  // Round to nearest even. A subnormal result loses more bits; a carry runs on into the exponent, up to infinity.
  if (exponent >= 255) return as_float(sign | 0x7F800000u);
  const int shift = exponent >= 1 ? 1 : min(2 - exponent, 26);
  const uint kept = (uint)quotient >> shift;
  const uint half_bit = ((uint)quotient >> (shift - 1)) & 1u;
  const uint below = (uint)quotient & ((1u << (shift - 1)) - 1u);
  const uint up = half_bit & ((below != 0 || remainder != 0 ? 1u : 0u) | (kept & 1u));
  const uint exponent_bits = exponent >= 1 ? (uint)(exponent - 1) << 23 : 0u;
  return as_float(sign | (exponent_bits + kept + up));
}

float sqrt_by_integers(float a) {
  const uint bits = as_uint(a);
  if ((bits & 0x7FFFFFFFu) == 0) return a;                                          // +0, -0
  if (bits >= 0x7F800000u) return bits == 0x7F800000u ? a : as_float(0x7FC00000u);  // +inf; negative, NaN

  // a = radicand * 2^(even - 48), radicand in [2^48, 2^50).
  int exponent;
  const uint mantissa = split_float(bits, &exponent);
  const int odd = (exponent - 127) & 1;
  const long radicand = (long)mantissa << (25 + odd);
  const int half_exponent = (exponent - 127 - odd) / 2;

  // root = floor(sqrt(radicand)), 25 bits: the result's 24 and one to round by.
  const float guess = sqrt((float)mantissa * (odd != 0 ? 0x1p-22f : 0x1p-23f));
  long root = (long)(guess * 16777216.0f);
  root += (long)floor((float)(radicand - root * root) / (float)(2 * root));
  long remainder = radicand - root * root;
  if (remainder < 0) {
    root -= 1;
    remainder += 2 * root + 1;
  } else if (remainder > 2 * root) {
    remainder -= 2 * root + 1;
    root += 1;
  }

  // Round to nearest even; no float's root lies in the middle between two floats.
  const uint kept = (uint)(root >> 1);
  const uint up = (uint)(root & 1);
  return as_float(((uint)(half_exponent + 126) << 23) + kept + up);
}

// Is the exponent of a between -50 and 50?
bool is_moderate(uint bits) {
  return (bits >> 23 & 0xFFu) - 77u <= 100u;
}

// a - p * q, where that is little; exact where one float holds it.
float remainder_of(float a, float p, float q) {
  const TwoFloat product = two_product(p, q);
  return (a - product.hi) - product.lo;
}

// The unit in the last place of numbers with the exponent of a.
float unit_of(float a) {
  return as_float((as_uint(a) & 0x7F800000u) - (23u << 23));
}
// The float beside a away from 0 (way 1) or toward it (way -1).
float beside(float a, int way) {
  return as_float(as_uint(a) + (uint)way);
}
// Below a power of two floats lie twice as close.
bool is_power_of_two(float a) {
  return (as_uint(a) & 0x7FFFFFu) == 0u;
}

float div_rn(float a, float b) {
  if (!(is_moderate(as_uint(a)) && is_moderate(as_uint(b)))) return div_by_integers(a, b);
  float q = a / b;
  q += remainder_of(a, q, b) / b;
  const float rest = remainder_of(a, q, b);
  // The quotient is q + rest / b: more than half a unit away from q?
  const bool inward = ((as_uint(rest) ^ as_uint(a)) >> 31) != 0u;
  const float unit = unit_of(q) * (inward && is_power_of_two(q) ? 0.5f : 1.0f);
  const uint twice = as_uint(2.0f * rest) & 0x7FFFFFFFu, limit = as_uint(unit * b) & 0x7FFFFFFFu;
  return twice > limit ? beside(q, inward ? -1 : 1) : q;
}

float sqrt_rn(float a) {
  const uint bits = as_uint(a);
  if (!is_moderate(bits) || bits >> 31 != 0u) return sqrt_by_integers(a);
  float s = sqrt(a);
  s += 0.5f * remainder_of(a, s, s) / s;
  const float rest = remainder_of(a, s, s);
  // (s + unit / 2)^2 = s^2 + unit s + unit^2 / 4, and rest is a whole number of unit^2.
  const float limit = unit_of(s) * s;
  if (rest > limit) return beside(s, 1);
  return rest <= (is_power_of_two(s) ? -0.5f : -1.0f) * limit ? beside(s, -1) : s;
}

#endif

#endif

#line 6 "kernels/math/vec.clh"
#pragma OPENCL FP_CONTRACT OFF

float dot3(float3 a, float3 b) {
  return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

float3 cross3(float3 a, float3 b) {
  return (float3)(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

float length3(float3 a) {
  return sqrt_rn(dot3(a, a));
}

// a / |a|; the zero vector where |a| is too small to have a direction.
float3 unit3(float3 a) {
  const float l2 = dot3(a, a);
  if (!(l2 > 1e-30f)) return (float3)(0.0f, 0.0f, 0.0f);
  return a * div_rn(1.0f, sqrt_rn(l2));
}

float clamp01(float t) {
  return t < 0.0f ? 0.0f : (t > 1.0f ? 1.0f : t);
}
float max_f(float a, float b) {
  return a > b ? a : b;
}
float min_f(float a, float b) {
  return a < b ? a : b;
}
float abs_f(float a) {
  return a < 0.0f ? -a : a;
}
float sign_f(float a) {
  return a < 0.0f ? -1.0f : 1.0f;
}

// Is any, or each, lane set, of lanes that are 0 or -1? The built-in any() and all() look at one lane after another on
// some CPUs.
bool any4(int4 lanes) {
  const ulong2 two = as_ulong2(lanes);
  return (two.x | two.y) != 0ul;
}
bool any8(int8 lanes) {
  return any4(lanes.lo | lanes.hi);
}
bool all8(int8 lanes) {
  const ulong2 two = as_ulong2(lanes.lo & lanes.hi);
  return (two.x & two.y) == ~0ul;
}

// Bit k: is lane k set?
uint lanes_set(int8 set) {
  const int8 bits = set & (int8)(1, 2, 4, 8, 16, 32, 64, 128);
  const int4 four = bits.lo | bits.hi;
  const int2 two = four.lo | four.hi;
  return (uint)(two.x | two.y);
}

// Number of the lowest bit that is set.
uint lowest_bit(uint bits) {
  return 31u - clz(bits & (0u - bits));
}

// Before a block: for each bit k that is set, from the lowest. Work-items that run side by side each take the next of
// their own; in a loop over all bits, those that have none of a number would wait for those that have it.
#define EACH_BIT(k, bits) \
  for (uint k##_left = (bits), k = 0u; k##_left != 0u && (k = lowest_bit(k##_left), true); k##_left &= k##_left - 1u)

// Largest integer not above x, for |x| < 2^31; saturates beyond.
int floor_i(float x) {
  if (!(x > -2147483000.0f)) return -2147483000;
  if (x > 2147483000.0f) return 2147483000;
  const int t = (int)x;
  return (float)t > x ? t - 1 : t;
}

#endif

#line 10 "kernels/upload/unit_orientation.clh"
#line 11 "kernels/upload/unit_orientation.clh"
#pragma OPENCL FP_CONTRACT OFF

// Sum of the squares of four numbers.
void double_squared_length(const Double* q, Double* length2) {
  double_multiply(q, q, length2);
  for (int a = 1; a < 4; ++a) {
    Double square;
    double_multiply(q + a, q + a, &square);
    double_add(length2, &square, length2);
  }
}

// q / |q| as the host has it; length2 is the square of |q|, and not zero.
void unit_of_doubles(const Double* q, const Double* length2, float* unit) {
  Double length, least;
  double_root(length2, &length);
  double_of_bits(LEAST_PART_BITS, &least);
  for (int a = 0; a < 4; ++a) {
    Double c;
    double_divide(q + a, &length, &c);
    unit[a] = double_is_less(&c, &least) ? 0.0f : float_of_double(&c);
  }
}

// x / (length_high + length_low) where the rounding to a float is certain, else *certain = false. |x| <= length, which
// is from 2 to 8, and its parts are right to 2^-44 of it.
float rounded_quotient(float x, float length_high, float length_low, bool* certain) {
  const float size = abs_f(x);
  if (size < 0x1p-50f) return 0.0f;
  if (size < 0x1p-46f) *certain = false;
  const float first = div_rn(x, length_high);
  const TwoFloat product = two_product(first, length_high);
  const float rest = ((x - product.hi) - product.lo) - first * length_low;
  const TwoFloat quotient = two_sum(first, div_rn(rest, length_high));
  // Half of the distance between floats here, and half of that below a power of two.
  const uint bits = as_uint(quotient.hi) & 0x7F800000u;
  const float middle = as_float(bits - (24u << 23)), off = abs_f(quotient.lo), slack = middle * 0x1p-15f;
  const bool near_middle = abs_f(off - middle) <= slack;
  const bool near_lower = (as_uint(quotient.hi) & 0x7FFFFFu) == 0u && abs_f(off - 0.5f * middle) <= slack;
  if (near_middle || near_lower) *certain = false;
  return quotient.hi;
}

// q / |q| to `unit`; false where |q| is zero for the host. The numbers of q are finite.
bool unit_orientation(const float* q, float* unit) {
  const float largest = max_f(max_f(abs_f(q[0]), abs_f(q[1])), max_f(abs_f(q[2]), abs_f(q[3])));
  if (!(largest >= 0x1p-41f)) return false;
  bool certain = largest >= 0x1p-39f;
  // By a power of two to [2, 4).
  const float scale = as_float((255u - (as_uint(largest) >> 23)) << 23);
  float s[4];
  for (int a = 0; a < 4; ++a) s[a] = q[a] * scale;
  const TwoFloat sum = two_add(two_add(two_product(s[0], s[0]), two_product(s[1], s[1])),
                               two_add(two_product(s[2], s[2]), two_product(s[3], s[3])));
  const float length_high = sqrt_rn(sum.hi);
  const TwoFloat square = two_product(length_high, length_high);
  const float length_low = div_rn(((sum.hi - square.hi) - square.lo) + sum.lo, 2.0f * length_high);
  for (int a = 0; a < 4; ++a) unit[a] = rounded_quotient(s[a], length_high, length_low, &certain);
  if (certain) return true;

  Double exact[4], length2, least;
  for (int a = 0; a < 4; ++a) double_of_float(q[a], &exact[a]);
  double_squared_length(exact, &length2);
  double_of_bits(LEAST_LENGTH2_BITS, &least);
  if (!double_is_less(&least, &length2)) return false;
  unit_of_doubles(exact, &length2, unit);
  return true;
}

// Of a half space: by a power of two so that the largest of its numbers is in [1, 2), which keeps its plane to the last
// bit; numbers that are nothing beside that are zero.
bool plane_orientation(const float* q, float* scaled) {
  const float largest = max_f(max_f(abs_f(q[0]), abs_f(q[1])), max_f(abs_f(q[2]), abs_f(q[3])));
  float unit[4];
  if (!unit_orientation(q, unit)) return false;
  const uint exponent = as_uint(largest) >> 23;
  for (int a = 0; a < 4; ++a) {
    const float part = exponent < 254u ? q[a] * as_float((254u - exponent) << 23) : 0.5f * q[a] * 0x1p-126f;
    scaled[a] = abs_f(part) < LEAST_PLANE_PART ? 0.0f : part;
  }
  return true;
}

#endif

#line 8 "kernels/upload/resident_pose.clh"
#pragma OPENCL FP_CONTRACT OFF

// The application's numbers: position = high + low; orientation w x y z.
typedef struct GivenPose {
  float high[3], low[3], orientation[4];
} GivenPose;

// The pipeline's.
typedef struct SplitPose {
  float high[3], low[3], orientation[4];
} SplitPose;

bool is_finite(float x) {
  return (as_uint(x) & 0x7F800000u) != 0x7F800000u;
}

// Numbers that are not finite come as zeros, and are reported: `status` gets the body's index where it has none lower.
void read_pose(uint body, __global const float* position, __global const float* position_low, uint has_low,
               __global const float* orientation, GivenPose* given, __global uint* status) {
  bool finite_high = true, finite_low = true, finite_orientation = true;
  for (uint a = 0u; a < 3u; ++a) {
    given->high[a] = position[3u * body + a];
    given->low[a] = has_low != 0u ? position_low[3u * body + a] : 0.0f;
    finite_high = finite_high && is_finite(given->high[a]);
    finite_low = finite_low && is_finite(given->low[a]);
  }
  for (uint a = 0u; a < 4u; ++a) {
    given->orientation[a] = orientation[4u * body + a];
    finite_orientation = finite_orientation && is_finite(given->orientation[a]);
  }
  for (uint a = 0u; a < 3u; ++a)
    if (!finite_high || !finite_low) given->high[a] = given->low[a] = 0.0f;
  for (uint a = 0u; a < 4u; ++a)
    if (!finite_orientation) given->orientation[a] = 0.0f;
  if (!finite_high) atomic_min(status + RESIDENT_BAD_POSITION, body);
  if (!finite_low) atomic_min(status + RESIDENT_BAD_POSITION_LOW, body);
  if (!finite_orientation) atomic_min(status + RESIDENT_BAD_ORIENTATION, body);
}

// high + low, |low| being small beside |high|, as two floats.
void split_position(float given_high, float given_low, float* high, float* low) {
  const TwoFloat sum = two_sum(given_high, given_low);
  const float sign = sign_f(sum.hi), far = sign * sum.hi, rest = sign * sum.lo;
  *high = sum.hi;
  *low = abs_f(sum.lo) < LEAST_COORDINATE ? 0.0f : sum.lo;
  if (far > FARTHEST_HIGH || (far == FARTHEST_HIGH && rest > FARTHEST_LOW)) {
    *high = sign * FARTHEST_HIGH;
    *low = sign * FARTHEST_LOW;
  }
  if (far < LEAST_COORDINATE) *high = *low = 0.0f;
}

// Of a single shape. False where the orientation is zero.
bool split_pose(const GivenPose* given, bool is_half_space, SplitPose* pose) {
  for (uint a = 0u; a < 3u; ++a) split_position(given->high[a], given->low[a], &pose->high[a], &pose->low[a]);
  return is_half_space ? plane_orientation(given->orientation, pose->orientation)
                       : unit_orientation(given->orientation, pose->orientation);
}

// Stores the pose of the pipeline's body `index`; without orientation where it does not turn. Of every `step`-th body
// the position goes to `sample`; where `is_sorted`, bodies farther than `cell` from sorted_at are counted.
void write_pose(uint index, const SplitPose* pose, bool turns, uint step, uint is_sorted,
                __global const float* sorted_at, float cell, __global PoseRecord* poses, __global float* sample,
                __global uint* status) {
  bool strayed = false;
  for (uint a = 0u; a < 3u; ++a) {
    poses[index].position_high[a] = pose->high[a];
    poses[index].position_low[a] = pose->low[a];
    if (index % step == 0u) sample[3u * (index / step) + a] = pose->high[a];
    if (is_sorted != 0u) strayed = strayed || abs_f(pose->high[a] - sorted_at[3u * index + a]) > cell;
  }
  for (uint a = 0u; a < 4u; ++a) poses[index].orientation[a] = turns ? pose->orientation[a] : (a == 0u ? 1.0f : 0.0f);
  if (strayed) atomic_inc(status + RESIDENT_STRAYED);
}

#endif

#line 11 "kernels/upload/compound_poses.cl"
#pragma OPENCL FP_CONTRACT OFF

#define ONE 0x3FF0000000000000ul

// sum += a * b, or -= where `less`; the first summand where `first`.
void add_product(bool first, bool less, const Double* a, const Double* b, Double* sum) {
  Double product;
  double_multiply(a, b, &product);
  if (less) product.sign ^= 0x80000000u;
  if (first)
    *sum = product;
  else
    double_add(sum, &product, sum);
}

// a times b, w x y z: product[k] is the sum of +-a[j] * b[j ^ k]; of four bits for each k, those of the differences.
void multiply_quaternions(const Double* a, const Double* b, Double* product) {
  const uint less = 0x428Eu;
  for (uint k = 0u; k < 4u; ++k)
    for (uint j = 0u; j < 4u; ++j)
      add_product(j == 0u, (less >> (4u * k + j) & 1u) != 0u, a + j, b + (j ^ k), product + k);
}

void double_cross(const Double* a, const Double* b, Double* product) {
  for (uint k = 0u; k < 3u; ++k) {
    const uint i = (k + 1u) % 3u, j = (k + 2u) % 3u;
    add_product(true, false, a + i, b + j, product + k);
    add_product(false, true, a + j, b + i, product + k);
  }
}

// v turned by q of squared length `length2`: v + 2 (w (u x v) + u x (u x v)) / length2, u the vector part.
void turn_vector(const Double* q, const Double* length2, const Double* v, Double* turned) {
  Double across[3], back[3];
  double_cross(q + 1, v, across);
  double_cross(q + 1, across, back);
  for (uint a = 0u; a < 3u; ++a) {
    Double part;
    double_multiply(q, across + a, &part);
    double_add(&part, back + a, &part);
    part.e += 1;
    double_divide(&part, length2, &part);
    double_add(v + a, &part, turned + a);
  }
}

void split_double(const Double* position, float* high, float* low) {
  Double bounded = *position, farthest, rest;
  double_of_bits(FARTHEST_BITS, &farthest);
  if (double_is_less(&farthest, position)) {
    bounded = farthest;
    bounded.sign = position->sign;
  }
  *high = float_of_double(&bounded);
  if (abs_f(*high) < LEAST_COORDINATE) *high = 0.0f;
  double_of_float(-*high, &rest);
  double_add(&bounded, &rest, &rest);
  *low = float_of_double(&rest);
  if (abs_f(*low) < LEAST_COORDINATE) *low = 0.0f;
}

// One work-item a shape. body_of: its body; local_of: which of local_poses it has in the body's axes, 0 for a body that
// is one shape. centres: its position as a double; offsets: of its centre from the body's position, rounded, in axes of
// the world. All else is as in resident_poses.cl.
__kernel void upload_compound_poses(const uint count, __global const float* given_position,
                                    __global const float* given_low, const uint has_low,
                                    __global const float* given_orientation, __global const uint* slots,
                                    const uint step, const uint is_sorted, __global const float* sorted_at,
                                    const float cell, __global PoseRecord* poses, __global float* sample,
                                    __global uint* status, __global const uint* body_of, __global const uint* local_of,
                                    __global const ulong* local_poses, __global ulong* centres,
                                    __global float* offsets) {
  const uint shape = (uint)get_global_id(0);
  if (shape >= count) return;
  const uint body = body_of[shape], place = local_of[shape];
  GivenPose given;
  SplitPose pose;
  read_pose(body, given_position, given_low, has_low, given_orientation, &given, status);
  const bool turns = split_pose(&given, slots[shape] == SLOT_HALF_SPACE, &pose);
  if (!turns) atomic_min(status + RESIDENT_BAD_ORIENTATION, body);

  Double centre[3];
  for (uint a = 0u; a < 3u; ++a) {
    Double low;
    double_of_float(given.high[a], centre + a);
    double_of_float(given.low[a], &low);
    if (has_low != 0u) double_add(centre + a, &low, centre + a);
    offsets[3u * shape + a] = 0.0f;
  }
  if (place != 0u && turns) {
    Double q[4], length2;
    for (uint a = 0u; a < 4u; ++a) double_of_float(given.orientation[a], q + a);
    double_squared_length(q, &length2);
    __global const ulong* numbers = local_poses + (ulong)LOCAL_POSE_NUMBERS * place;
    {
      Double at[3], offset[3];
      for (uint a = 0u; a < 3u; ++a) double_of_bits(numbers[a], at + a);
      turn_vector(q, &length2, at, offset);
      for (uint a = 0u; a < 3u; ++a) {
        double_add(centre + a, offset + a, centre + a);
        split_double(centre + a, &pose.high[a], &pose.low[a]);
        offsets[3u * shape + a] = float_of_double(offset + a);
      }
    }
    Double turn[4];
    for (uint a = 0u; a < 4u; ++a) double_of_bits(numbers[3u + a], turn + a);
    // A shape that is not turned in the body's axes has the body's own orientation.
    if (numbers[3] != ONE || (turn[1].m | turn[2].m | turn[3].m) != 0ul) {
      Double both[4];
      multiply_quaternions(q, turn, both);
      double_squared_length(both, &length2);
      unit_of_doubles(both, &length2, pose.orientation);
    }
  }
  for (uint a = 0u; a < 3u; ++a) centres[3u * shape + a] = bits_of_double(centre + a);
  write_pose(shape, &pose, turns, step, is_sorted, sorted_at, cell, poses, sample, status);
}

