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

#include "shared/limits.h"
#include "shared/shapes.h"

// Where one terrain lies in the terrain buffers, and its lattice. One whose diagonals rise lies turned by a quarter,
// see math/quarter_turn.clh: all but the offsets is of the turned grid, of which row i is column cols - 1 - i of the
// scene's, and column j its row j. Real numbers are pairs of floats: value = hi + lo.
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
  OCLIDE_U32 turned;                                                  // flag
  OCLIDE_U32 rising;                                                  // RISING_*: where diagonals alternate
  OCLIDE_U32 unused;
} TerrainRecord;

#define RISING_EVEN 1u  // the diagonals of cells with an even i + j rise
#define RISING_ODD 2u   // those of the others

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

// A body's pose on its terrain's lattice in this frame, and of its pose what is needed there, so that it is gathered
// once; everything local is relative to the body's centre. Over a turned terrain all of it is turned as that.
typedef struct OCLIDE_ALIGNED(16) GridPose {
  OCLIDE_I32 cell_i, cell_j;      // cell of the centre (may be outside the grid)
  OCLIDE_F32 offset_x, offset_y;  // of the centre from that cell's vertex (i, j) [m]
  OCLIDE_I32 first_i, first_j;    // lattice sites to look at: those of its range that it may touch
  OCLIDE_U32 count_i, count_j;    // rows of them, sites in a row
  OCLIDE_U32 beyond;              // sites of the range beyond these, 8 bits each: before and after in i, in j
  OCLIDE_F32 lowest;              // lowest z of body and margin relative to the centre [m]
  OCLIDE_U32 flags;               // GRID_*
  OCLIDE_F32 z_high, z_low;       // height of the centre, two floats [m]
  OCLIDE_F32 orientation[4];      // unit quaternion w, x, y, z
  OCLIDE_F32 margin;              // within which the ground counts [m]
  OCLIDE_U32 unused[2];
} GridPose;

#define GRID_FLAT 1u    // the range is one horizontal plane of solid cells: a single site stands for it
#define GRID_TURNED 2u  // the terrain is turned

// One contact before and after reduction; positions relative to the body's centre.
typedef struct OCLIDE_ALIGNED(8) ContactRecord {
  OCLIDE_F32 point[3];   // [m]
  OCLIDE_F32 normal[3];  // unit
  OCLIDE_F32 depth;      // [m]
  OCLIDE_U32 feature;
  OCLIDE_U32 material;  // 0..255; before reduction with CONTACT_* flags
  OCLIDE_U32 manifold;  // number within the body after reduction
} ContactRecord;

// On a GPU, beside a contact of the store: what the ground is still to be asked about it.
typedef struct OCLIDE_ALIGNED(8) ClaimRecord {
  OCLIDE_F32 centre[3], radius;  // of a ball that no point of the surface may be in [m]
  OCLIDE_I32 i, j;               // its feature on the lattice: the site,
  OCLIDE_U32 ground, body;       // what of it, and of the body
  OCLIDE_U32 flags;              // CLAIM_*
  OCLIDE_U32 next;               // store slot of the candidate's next one, NO_CLAIM
} ClaimRecord;
#define NO_CLAIM 0xFFFFFFFFu
#define CLAIM_WAY_IN_GROUND 1u     // is known
#define CLAIM_CENTRE_IN_GROUND 2u  // is known
#define CLAIM_CLEAR_BALL 4u        // is known: no point of the surface is in it
#define CLAIM_IF_NEAR 8u           // its foot, centre + radius * normal, must be near the surface
#define CLAIM_FAR 16u              // not one yet: a point to be looked for beyond the range of sites
#define CLAIM_IN_OUTLINE 32u       // its foot is in the outline of its element
#define CLAIM_OVER 64u             // its point is, and under the element
#define CLAIM_FOOTLESS 128u        // has no foot: asks for a lift alone
#define CLAIM_AGREED 256u          // the ground agrees: it is a contact

// What came of `slots` slots on terrain, in one array of uints: where the contacts of each begin, and the number of
// all; the manifolds of each; the contacts of each before reduction; then of all:
#define OUTCOME_MANIFOLDS(slots) ((slots) + 1u)
#define OUTCOME_UNREDUCED(slots) (2u * (slots) + 1u)
#define OUTCOME_TOTALS(slots) (3u * (slots) + 1u)
#define TOTAL_SITES 0u  // low and high half
#define TOTAL_CANDIDATES 2u
#define TOTAL_FOUND 3u      // contacts of the narrow phase
#define TOTAL_KEPT 4u       // contacts that are left
#define TOTAL_STORED 5u     // store slots that the narrow phase took
#define TOTAL_OF_SHAPES 6u  // candidates of each shape
#define TERRAIN_SHAPES 5u
#define TOTALS_END (TOTAL_OF_SHAPES + TERRAIN_SHAPES)

// What does not change of a body that meets bodies: those of the tree first, then half spaces.
typedef struct OCLIDE_ALIGNED(16) PairBody {
  OCLIDE_U64 key;                    // environment and size class: the high bits of its key in the tree
  OCLIDE_F32 size[3];                // [m] as in the scene file
  OCLIDE_U32 shape;                  // SHAPE_*
  OCLIDE_U32 body;                   // index in the scene
  OCLIDE_U32 environment;            // rank among the scene's environments
  OCLIDE_U32 group, category, mask;  // as in the scene file
  OCLIDE_U32 rules;                  // RULE_*
} PairBody;

// In place of a shape: there is no body, though its record and its leaf are kept.
#define SHAPE_NONE 15u

// Of a body, as the scene file's flags.
#define RULE_STATIC 1u
// Of a body that is in an excluded pair.
#define RULE_EXCLUDED 0x100u
// Of all bodies: one category in the other's mask is enough.
#define RULE_EITHER 0x200u

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

// What a frame has found of bodies against each other so far, in one array of uints:
#define FOUND_PAIRS 0u
#define FOUND_STORED 1u  // slots taken in the store of the narrow phase
#define FOUND_CONTACTS 2u
#define FOUND_TOUCHING 3u  // pairs that have any
#define FOUND_CROWDED 4u   // bodies that have many of these: contact_reduction/pair_order.cl
#define FOUND_CROWD 5u     // pairs of these bodies
#define FOUND_MISSED 6u    // pairs of kinds whose kernels were not asked for
#define FOUND_KINDS 7u     // pairs of each kind; then how many of them have an index, then the first index
#define FOUND_TAKEN(kinds) (FOUND_KINDS + (kinds))
#define FOUND_BEGIN(kinds) (FOUND_KINDS + 2u * (kinds))
#define FOUND_END(kinds) (FOUND_KINDS + 3u * (kinds))

// What a narrow-phase kernel found of one pair of bodies.
typedef struct OCLIDE_ALIGNED(16) PairResult {
  OCLIDE_U32 body_a, body_b;  // indices in the scene, body_a < body_b
  OCLIDE_U32 first, count;    // its contacts in the store
} PairResult;
// While only the search is done `count` is 0 or the step that may make its manifold, and what was found is in the slot.
#define MEETS_OVER_SIDE 1u
#define MEETS_BESIDE_IT 2u
// An array of them begins with so many rows of room for what was found, so that both go to the host in one piece.
#define RESULT_HEAD 32u

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
  OCLIDE_F32 margin;                         // of the pair [m]
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

// A shape whose overlap with a scene is asked (docs/overlap.md).
typedef struct OCLIDE_ALIGNED(16) QueryShapeRecord {
  OCLIDE_F32 position_high[3], position_low[3];  // of the centre, two floats [m]
  OCLIDE_F32 orientation[4];                     // unit quaternion w, x, y, z
  OCLIDE_F32 size[3];                            // [m] as in the scene file
  OCLIDE_U32 shape;                              // SHAPE_*, convex
  OCLIDE_U32 terrain;                            // of its environment; RAY_NONE: none
  OCLIDE_U32 environment;                        // rank among those of the bodies; RAY_NONE: none is in it
  OCLIDE_U32 mask;                               // of the categories that it meets
  OCLIDE_U32 group;                              // that it does not meet; 0: none
  OCLIDE_U32 unused[2];
} QueryShapeRecord;

// A point whose distance from a scene is asked (docs/distance.md).
typedef struct OCLIDE_ALIGNED(8) QueryPointRecord {
  OCLIDE_F32 position_high[3], position_low[3];  // two floats [m]
  OCLIDE_F32 range;                              // [m]
  OCLIDE_U32 terrain;                            // of its environment; RAY_NONE: none
  OCLIDE_U32 environment;                        // rank among those of the bodies; RAY_NONE: none is in it
  OCLIDE_U32 mask;                               // of the categories that count
} QueryPointRecord;

// How a body moves over a frame (docs/motion.md).
typedef struct OCLIDE_ALIGNED(16) MotionRecord {
  OCLIDE_F32 displacement_high[3], displacement_low[3];  // two floats [m]
  OCLIDE_F32 axis[3], axis_low[3];                       // of rotation, unit, two floats; zero where it does not turn
  OCLIDE_F32 angle_high, angle_low;                      // two floats, >= 0 [rad]
  OCLIDE_F32 arm[3];                                     // of its position from the point that it turns about [m]
  OCLIDE_U32 unused[3];
} MotionRecord;

// Of what a sweep counts as it stores: impacts; those that are pairs of which nothing tells; pairs that are left to the
// search by rounds.
#define SWEEP_STORED 0u
#define SWEEP_UNKNOWN 1u
#define SWEEP_LEFT 2u
#define SWEEP_NUMBERS 3u

// The first touch of a pair.
#define UNKNOWN_TIME 3.0f
typedef struct OCLIDE_ALIGNED(16) ImpactRecord {
  OCLIDE_F32 time_high, time_low;  // two floats, 0 to 1; or UNKNOWN_TIME
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
//
// Cells are called by numbers of a lattice that stays where it is as the grid moves along with a vehicle, and so are
// vertices and lines. The table begins with those of the grid's first cell, row and column, and how many numbers a row
// of cells has. Tiles begin at multiples of FACE_TILE of these numbers.
#define FACE_HEAD 4             // entries before the names: row, column, numbers in a row, unused
#define CELL_NUMBERS (1 << 30)  // different ones
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

// Indices of the numbers that upload/resident_poses.cl reports: the first body whose position, low part of it, or
// orientation cannot be used (0xFFFFFFFF: none), and how many are far from where the leaves of the tree were sorted.
#define RESIDENT_BAD_POSITION 0
#define RESIDENT_BAD_POSITION_LOW 1
#define RESIDENT_BAD_ORIENTATION 2
#define RESIDENT_STRAYED 3
#define RESIDENT_STATE 4  // numbers of them

#endif
