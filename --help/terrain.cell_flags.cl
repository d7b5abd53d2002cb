#pragma OPENCL FP_CONTRACT OFF
#line 1 "kernels/terrain/cell_flags.cl"
// Flags of the cells, CELL_OPEN and CELL_FLAT: flat edges are those of docs/terrain_contacts.md, as contacts know them.
//
// One work-item a run of FLAG_RUN cells of a row, `runs` of them a row, in the part [first, first + count) in both
// directions. Reference: host/reference/ground_faces.cpp, by names alone; tests/terrain checks both.
#line 1 "kernels/terrain/terrain_grid.clh"
// The ground around one body, in that body's frame: axes of the world, origin at the body's centre.
//
//        V2 ------- V3        y, i
//        | \  tri 2 |         ^
//        |   \      |         |      lattice site (i, j): vertex V0, the edges V0V1 (right), V0V2 (up) and
//        |     \    |         |      V1V2 (diagonal), and the cell's two elements
//        | tri 1 \  |         |
//        V0 ------- V1        +----> x, j
#ifndef OCLIDE_TERRAIN_TERRAIN_GRID_CLH
#define OCLIDE_TERRAIN_TERRAIN_GRID_CLH
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

#line 12 "kernels/terrain/terrain_grid.clh"
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

#line 13 "kernels/terrain/terrain_grid.clh"
#pragma OPENCL FP_CONTRACT OFF

// Before functions of the ground that very many places call: they have it in registers.
#define GRID_FUNCTION __attribute__((always_inline))

typedef struct Ground {
  __global const float* high;      // heights
  __global const float* low;       // low parts of the heights, where has_low
  __global const uchar* open;      // flags of the cells, CELL_OPEN, CELL_FLAT
  __global const uchar* material;  // of the cells, where has_material
  __global const float2* bounds;   // the pyramid, from level 1 on
  __global const ushort* faces;    // of the cells, and their names, FACE_*; of the narrow phase alone
  __global const uint* face_names;
  int rows, cols;       // vertices
  float dx, dy;         // [m]
  int i0, j0;           // cell of the body's centre
  float u, v;           // offset of the centre in that cell [m]
  float z_high, z_low;  // of the centre
  uint has_low, has_material, has_open;
  int first_i, first_j, last_i, last_j;  // the body's range of sites
} Ground;

Ground ground_of(TerrainRecord t, GridPose p, __global const float* heights, __global const float* heights_low,
                 __global const uchar* open, __global const uchar* material, __global const float2* bounds) {
  Ground g;
  g.high = heights + t.vertex_offset;
  g.low = heights_low + t.low_offset;
  g.open = open + t.cell_offset;
  g.material = material + t.material_offset;
  g.bounds = bounds + t.bounds_offset;
  g.faces = 0;
  g.face_names = 0;
  g.rows = t.rows;
  g.cols = t.cols;
  g.dx = t.spacing_x_hi;
  g.dy = t.spacing_y_hi;
  g.i0 = p.cell_i;
  g.j0 = p.cell_j;
  g.u = p.offset_x;
  g.v = p.offset_y;
  g.z_high = p.z_high;
  g.z_low = p.z_low;
  g.has_low = t.has_low;
  g.has_material = t.has_material;
  g.has_open = t.has_open;
  g.first_i = p.first_i - (int)(p.beyond & 0xFFu);
  g.first_j = p.first_j - (int)(p.beyond >> 16 & 0xFFu);
  g.last_i = p.first_i + (int)p.count_i - 1 + (int)(p.beyond >> 8 & 0xFFu);
  g.last_j = p.first_j + (int)p.count_j - 1 + (int)(p.beyond >> 24);
  return g;
}

// Height of vertex number k, row by row, above the body's centre; and of vertex (i, j).
float height_of(const Ground* g, ulong k) {
  const float h = g->high[k] - g->z_high;
  return g->has_low ? h + (g->low[k] - g->z_low) : h - g->z_low;
}
GRID_FUNCTION float height_at(const Ground* g, int i, int j) {
  return height_of(g, (ulong)i * (ulong)g->cols + (ulong)j);
}

GRID_FUNCTION float3 vertex_at(const Ground* g, int i, int j) {
  return (float3)((float)(j - g->j0) * g->dx - g->u, (float)(i - g->i0) * g->dy - g->v, height_at(g, i, j));
}

// Height of vertex (ib, jb) above vertex (ia, ja), without the rounding of either against the body.
GRID_FUNCTION float rise(const Ground* g, int ia, int ja, int ib, int jb) {
  const ulong a = (ulong)ia * (ulong)g->cols + (ulong)ja;
  const ulong b = (ulong)ib * (ulong)g->cols + (ulong)jb;
  const float h = g->high[b] - g->high[a];
  return g->has_low ? h + (g->low[b] - g->low[a]) : h;
}

GRID_FUNCTION bool cell_solid(const Ground* g, int i, int j) {
  return i >= 0 && j >= 0 && i < g->rows - 1 && j < g->cols - 1 &&
         (!g->has_open || (g->open[(ulong)i * (ulong)(g->cols - 1) + (ulong)j] & CELL_OPEN) == 0);
}

GRID_FUNCTION uint cell_material(const Ground* g, int i, int j) {
  return g->has_material ? (uint)g->material[(ulong)i * (ulong)(g->cols - 1) + (ulong)j] : 0u;
}

// Direction of the normals of a cell's elements, z = 1.
GRID_FUNCTION float3 slope_normal_1(const Ground* g, int i, int j) {
  return (float3)(div_rn(-rise(g, i, j, i, j + 1), g->dx), div_rn(-rise(g, i, j, i + 1, j), g->dy), 1.0f);
}
GRID_FUNCTION float3 slope_normal_2(const Ground* g, int i, int j) {
  return (float3)(div_rn(-rise(g, i + 1, j, i + 1, j + 1), g->dx), div_rn(-rise(g, i, j + 1, i + 1, j + 1), g->dy),
                  1.0f);
}

// May a point above the plane of an element beside vertex (i, j), extended, have that vertex for the nearest point of
// the surface over it? Only in a pit with steep sides: the ground rises from it to opposite sides, and the products of
// their slopes add up to more than 1.
GRID_FUNCTION bool is_steep_pit(const Ground* g, int i, int j) {
  if (!(cell_solid(g, i, j) && cell_solid(g, i, j - 1) && cell_solid(g, i - 1, j) && cell_solid(g, i - 1, j - 1)))
    return false;
  const float right = max_f(rise(g, i, j, i, j + 1), 0.0f), up = max_f(rise(g, i, j, i + 1, j), 0.0f);
  if (right == 0.0f && up == 0.0f) return false;
  const float left = max_f(rise(g, i, j, i, j - 1), 0.0f), down = max_f(rise(g, i, j, i - 1, j), 0.0f);
  const float dx2 = g->dx * g->dx, dy2 = g->dy * g->dy;
  return right * left * dy2 + up * down * dx2 > 0.999f * (dx2 * dy2);
}

#define FLAT_SINE2 5.9604645e-8f  // 2^-24
// From this sine on a gap is looked for over a flat edge that is a ridge; below it rounding may have made it.
#define LIFT_SINE 4e-6f

// Two elements are one plane where the sine of the angle between them is at most 2^-12: over a metre they part by a
// quarter of a millimetre, and a float grid of a plane stays well below.
bool same_plane(float3 a, float3 b) {
  const float3 c = cross3(a, b);
  return dot3(c, c) <= FLAT_SINE2 * (dot3(a, a) * dot3(b, b));
}

// Is a point, seen from above, in the cell's element 1 (V0V1V2) or 2 (V3V2V1)? V0 is the cell's first vertex.
GRID_FUNCTION bool in_outline(const Ground* g, float3 v0, int element, float x, float y) {
  const float a = x - v0.x, b = y - v0.y;
  // The diagonal as a line: a/dx + b/dy = 1.
  const float diagonal = a * g->dy + b * g->dx - g->dx * g->dy;
  if (element == 1) return a >= 0.0f && b >= 0.0f && diagonal <= 0.0f;
  return a <= g->dx && b <= g->dy && diagonal >= 0.0f;
}

// Can a point be in the outline with this slack [m], however it is measured? Below 0: is it so far inside?
GRID_FUNCTION bool near_outline(const Ground* g, float3 v0, int element, float x, float y, float slack) {
  const float a = x - v0.x, b = y - v0.y;
  const float diagonal = a * g->dy + b * g->dx - g->dx * g->dy;
  const float room = 1.00001f * slack * (g->dx + g->dy);
  if (element == 1) return a >= -slack && b >= -slack && diagonal <= room;
  return a <= g->dx + slack && b <= g->dy + slack && diagonal >= -room;
}

// Is a point of the element's plane in its outline, with some slack [m] measured in that plane (n its unit normal): on
// a steep element a step along the plane is a small one seen from above.
GRID_FUNCTION bool in_element(const Ground* g, float3 v0, int element, float3 n, float x, float y, float slack) {
  if (!near_outline(g, v0, element, x, y, slack)) return false;
  if (in_outline(g, v0, element, x, y)) return true;
  const float a = x - v0.x, b = y - v0.y;
  const float room_x = slack * sqrt_rn(max_f(1.0f - n.x * n.x, 0.0f));
  const float room_y = slack * sqrt_rn(max_f(1.0f - n.y * n.y, 0.0f));
  const float diagonal = a * g->dy + b * g->dx - g->dx * g->dy;
  const float across = g->dy * n.x + g->dx * n.y;
  const float room = slack * sqrt_rn(max_f((g->dx * g->dx + g->dy * g->dy) - across * across, 0.0f));
  if (element == 1) return a >= -room_x && b >= -room_y && diagonal <= room;
  return a <= g->dx + room_x && b <= g->dy + room_y && diagonal >= -room;
}

// Is x in solid ground, up to 5e-5 m: under a solid cell and not above its surface?
GRID_FUNCTION bool in_ground(const Ground* g, float3 x) {
  const float slack = 5e-5f;
  const int ja = floor_i(div_rn(x.x + g->u - slack, g->dx)), jb = floor_i(div_rn(x.x + g->u + slack, g->dx));
  const int ia = floor_i(div_rn(x.y + g->v - slack, g->dy)), ib = floor_i(div_rn(x.y + g->v + slack, g->dy));
  for (int i = ia; i <= ib; ++i)
    for (int j = ja; j <= jb; ++j) {
      const int ci = g->i0 + i, cj = g->j0 + j;
      if (!cell_solid(g, ci, cj)) continue;
      const float3 v0 = vertex_at(g, ci, cj);
      const float3 v3 = vertex_at(g, ci + 1, cj + 1);
      // Beside the cell, at a wall: as near to its place on the wall.
      const float3 c = (float3)(min_f(max_f(x.x, v0.x), v3.x), min_f(max_f(x.y, v0.y), v3.y), x.z);
      const bool beside = c.x != x.x || c.y != x.y;
      // Under the one or the other element beyond doubt.
      const float z1 = height_at(g, ci, cj + 1), z2 = height_at(g, ci + 1, cj);
      if (in_outline(g, v0, 1, x.x, x.y) &&
          dot3(v0 - x, (float3)((v0.z - z1) * g->dy, (v0.z - z2) * g->dx, g->dx * g->dy)) > 0.0f)
        return true;
      if (in_outline(g, v0, 2, x.x, x.y) &&
          dot3(v3 - x, (float3)((z2 - v3.z) * g->dy, (z1 - v3.z) * g->dx, g->dx * g->dy)) > 0.0f)
        return true;
      if (near_outline(g, v0, 1, x.x, x.y, slack)) {
        const float3 n1 = unit3(slope_normal_1(g, ci, cj));
        if (in_element(g, v0, 1, n1, x.x, x.y, slack) && dot3(v0 - x, n1) >= -slack) return true;
        if (beside && in_outline(g, v0, 1, c.x, c.y) && dot3(v0 - c, n1) >= 0.0f) return true;
      }
      if (near_outline(g, v0, 2, x.x, x.y, slack)) {
        const float3 n2 = unit3(slope_normal_2(g, ci, cj));
        if (in_element(g, v0, 2, n2, x.x, x.y, slack) && dot3(v3 - x, n2) >= -slack) return true;
        if (beside && in_outline(g, v0, 2, c.x, c.y) && dot3(v3 - c, n2) >= 0.0f) return true;
      }
    }
  return false;
}

// Is all of the way from p to q, seen from above, in the outline of an element, so far that rounding does not tell? Of
// a solid element with p below it there is no doubt then that the way is in the ground. (in_ground(), which measures
// from the element's vertices, may deny it by rounding where those are hundreds of metres away.)
bool is_well_under(const Ground* g, float3 v0, int element, float3 p, float3 q) {
  const float inner = -(1e-6f * (g->dx + g->dy) + 1e-5f);
  return near_outline(g, v0, element, p.x, p.y, inner) && near_outline(g, v0, element, q.x, q.y, inner);
}

// Is the ball around x, `below` an element's plane, that touches it, seen from above in the element's outline, so far
// that rounding does not tell? Then no other element is as near.
bool is_ball_under(const Ground* g, float3 v0, int element, float3 x, float below) {
  return near_outline(g, v0, element, x.x, x.y, -(below + (1e-6f * (g->dx + g->dy) + 1e-5f)));
}

// Is x, seen from above, over solid cells and not on the border of any open one (by 1e-5 m)?
GRID_FUNCTION bool all_solid_around(const Ground* g, float3 x) {
  const float slack = 1e-5f;
  const int ja = floor_i(div_rn(x.x + g->u - slack, g->dx)), jb = floor_i(div_rn(x.x + g->u + slack, g->dx));
  const int ia = floor_i(div_rn(x.y + g->v - slack, g->dy)), ib = floor_i(div_rn(x.y + g->v + slack, g->dy));
  for (int i = ia; i <= ib; ++i)
    for (int j = ja; j <= jb; ++j)
      if (!cell_solid(g, g->i0 + i, g->j0 + j)) return false;
  return true;
}

#define SOLID_CELLS 8  // cells a side that all_solid_between() looks at

// Are all cells that the rectangle between a and b lies over, seen from above, solid? False where there are many.
GRID_FUNCTION bool all_solid_between(const Ground* g, float3 a, float3 b) {
  const int ja = floor_i(div_rn(min_f(a.x, b.x) + g->u, g->dx)), jb = floor_i(div_rn(max_f(a.x, b.x) + g->u, g->dx));
  const int ia = floor_i(div_rn(min_f(a.y, b.y) + g->v, g->dy)), ib = floor_i(div_rn(max_f(a.y, b.y) + g->v, g->dy));
  if (ib - ia >= SOLID_CELLS || jb - ja >= SOLID_CELLS) return false;
  for (int i = ia; i <= ib; ++i)
    for (int j = ja; j <= jb; ++j)
      if (!cell_solid(g, g->i0 + i, g->j0 + j)) return false;
  return true;
}

// The height of the surface over x (seen from above) less x.z; -1e30 where no solid cell is there.
GRID_FUNCTION float cover_over(const Ground* g, float3 x) {
  const int cj = g->j0 + floor_i(div_rn(x.x + g->u, g->dx)), ci = g->i0 + floor_i(div_rn(x.y + g->v, g->dy));
  if (!cell_solid(g, ci, cj)) return -1e30f;
  const float3 v0 = vertex_at(g, ci, cj);
  if (in_outline(g, v0, 1, x.x, x.y)) return dot3(v0 - x, slope_normal_1(g, ci, cj));
  return dot3(vertex_at(g, ci + 1, cj + 1) - x, slope_normal_2(g, ci, cj));
}

#endif

#line 6 "kernels/terrain/cell_flags.cl"
#pragma OPENCL FP_CONTRACT OFF

// Is a cell of the grid open?
bool is_open(const Ground* g, __global const uchar* holes, int i, int j) {
  const ulong k = (ulong)i * (ulong)g->cols + (ulong)j;
  const float h0 = g->high[k], h1 = g->high[k + 1u];
  const float h2 = g->high[k + (ulong)g->cols], h3 = g->high[k + (ulong)g->cols + 1u];
  return holes[(ulong)i * (ulong)(g->cols - 1) + (ulong)j] != 0 || h0 != h0 || h1 != h1 || h2 != h2 || h3 != h3;
}

uint flags_of_cell(const Ground* g, __global const uchar* holes, int i, int j) {
  if (is_open(g, holes, i, j)) return CELL_OPEN;
  const float3 n = unit3(slope_normal_1(g, i, j));
  uint flags = 0u;
  if (i > 0 && !is_open(g, holes, i - 1, j) && same_plane(n, unit3(slope_normal_2(g, i - 1, j)))) flags |= CELL_FLAT;
  if (j > 0 && !is_open(g, holes, i, j - 1) && same_plane(n, unit3(slope_normal_2(g, i, j - 1))))
    flags |= CELL_FLAT << 1;
  if (same_plane(n, unit3(slope_normal_2(g, i, j)))) flags |= CELL_FLAT << 2;
  return flags;
}

// Heights of eight vertices from number b on above those from a on.
float8 rise8(const Ground* g, ulong a, ulong b) {
  const float8 h = vload8(0, g->high + b) - vload8(0, g->high + a);
  return g->has_low ? h + (vload8(0, g->low + b) - vload8(0, g->low + a)) : h;
}

// Of elements (ax, ay, 1) and (bx, by, 1): the flag where they are one plane beyond doubt, `doubt` where rounding may
// tell, as it does for what is not a number.
int8 flat8(float8 ax, float8 ay, float8 bx, float8 by, int flag, int8* doubt) {
  const float8 dx = bx - ax, dy = ay - by, turn = ax * by - ay * bx;
  const float8 c2 = (dx * dx + dy * dy) + turn * turn;
  const float8 aa = (ax * ax + ay * ay) + 1.0f, bb = (bx * bx + by * by) + 1.0f;
  const int8 flat = c2<(aa * (0.5f * FLAT_SINE2)) * bb, turned = c2>(aa * (2.0f * FLAT_SINE2)) * bb;
  *doubt |= (flat | turned) ^ -1;
  return flat & flag;
}

__kernel void terrain_cell_flags(__global const TerrainRecord* terrains, const uint terrain,
                                 __global const float* heights, __global const float* heights_low,
                                 __global const uchar* holes, __global uchar* flags, const int first_i,
                                 const int first_j, const int count_i, const int count_j, const int runs) {
  const int item = (int)get_global_id(0);
  if (item >= count_i * runs) return;
  const TerrainRecord t = terrains[terrain];
  const int cols = t.cols - 1, i = first_i + item / runs;
  const int begin = first_j + item % runs * FLAG_RUN, end = min(begin + FLAG_RUN, first_j + count_j);
  Ground g;
  g.high = heights + t.vertex_offset;
  g.low = heights_low + t.low_offset;
  g.has_low = t.has_low;
  g.rows = t.rows;
  g.cols = t.cols;
  g.dx = t.spacing_x_hi;
  g.dy = t.spacing_y_hi;
  __global const uchar* hole = holes + t.cell_offset;
  flags += t.cell_offset + (ulong)i * (ulong)cols;
  // Eight cells of the row, the run among them.
  const int j0 = max(min(begin, cols - FLAG_RUN), 0);
  int8 found = (int8)(0), doubt = (int8)(-1);
  if (cols >= FLAG_RUN) {
    const ulong v0 = (ulong)i * (ulong)t.cols + (ulong)j0, v2 = v0 + (ulong)t.cols;
    const float x = div_rn(1.0f, g.dx), y = div_rn(1.0f, g.dy);
    const float8 x1 = rise8(&g, v0, v0 + 1u) * x, y1 = rise8(&g, v0, v2) * y;
    const float8 x2 = rise8(&g, v2, v2 + 1u) * x, y2 = rise8(&g, v0 + 1u, v2 + 1u) * y;
    doubt = (int8)(0);
    found = flat8(x1, y1, x2, y2, CELL_FLAT << 2, &doubt);
    if (i > 0) found |= flat8(x1, y1, x1, rise8(&g, v0 + 1u - (ulong)t.cols, v0 + 1u) * y, CELL_FLAT, &doubt);
    // Of the first cell of a row this is another row's, and does not count.
    int8 up = flat8(x1, y1, rise8(&g, v2 - 1u, v2) * x, y1, CELL_FLAT << 1, &doubt);
    if (j0 == 0) up.s0 = 0;
    found |= up;
  }
  int lane[FLAG_RUN], unsure[FLAG_RUN];
  vstore8(found, 0, lane);
  vstore8(doubt, 0, unsure);
  for (int j = begin; j < end; ++j) {
    uint own = (uint)lane[j - j0];
    if (unsure[j - j0]) {
      own = flags_of_cell(&g, hole, i, j);
    } else if (t.has_open) {
      if (i > 0 && is_open(&g, hole, i - 1, j)) own &= ~CELL_FLAT;
      if (j > 0 && is_open(&g, hole, i, j - 1)) own &= ~(CELL_FLAT << 1);
      if (is_open(&g, hole, i, j)) own = CELL_OPEN;
    }
    flags[j] = (uchar)own;
  }
}

