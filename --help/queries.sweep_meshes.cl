#pragma OPENCL FP_CONTRACT OFF
#line 1 "kernels/queries/sweep_meshes.cl"
// Moving bodies and moving meshes: when each pair first touches, and at which triangle (docs/motion.md). A work-item a
// pair that has a mesh: down the mesh's tree to the triangles that the body may come to, seen
// from the mesh. Host: host/queries/motion_sweep.cpp.
#line 1 "kernels/math/level_bits.clh"
// What is still to be visited on the way through a tree of eight: a byte for each level, in two words and not in an
// array, which would be memory on a GPU.
#ifndef OCLIDE_MATH_LEVEL_BITS_CLH
#define OCLIDE_MATH_LEVEL_BITS_CLH
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

#line 6 "kernels/math/level_bits.clh"
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

#line 7 "kernels/math/level_bits.clh"
#pragma OPENCL FP_CONTRACT OFF

typedef struct LevelBits {
  ulong lower, upper;
} LevelBits;
typedef char levels_fit_into_their_bits[MAX_LEVELS <= 16 ? 1 : -1];

LevelBits no_level_bits(void) {
  LevelBits left;
  left.lower = left.upper = 0ul;
  return left;
}
uint level_bits(const LevelBits* left, uint level) {
  return (uint)((level < 8u ? left->lower : left->upper) >> 8u * (level & 7u)) & 0xFFu;
}
INLINED void set_level_bits(LevelBits* left, uint level, uint bits) {
  const ulong others = ~(0xFFul << 8u * (level & 7u)), set = (ulong)bits << 8u * (level & 7u);
  if (level < 8u)
    left->lower = (left->lower & others) | set;
  else
    left->upper = (left->upper & others) | set;
}

#endif

#line 5 "kernels/queries/sweep_meshes.cl"
#line 1 "kernels/meshes/mesh_query.clh"
// Questions about a whole triangle mesh: the point of its surface nearest to a point, and whether a point is in the
// solid (docs/mesh_contacts.md, "The eye"). Both go down the mesh's tree (shared/meshes.h), in the order of its
// triangles.
#ifndef OCLIDE_MESHES_MESH_QUERY_CLH
#define OCLIDE_MESHES_MESH_QUERY_CLH
#line 7 "kernels/meshes/mesh_query.clh"
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

#line 8 "kernels/meshes/mesh_query.clh"
#line 1 "kernels/shapes/triangle_mesh.clh"
// The triangle mesh: its parts, in the body's own axes, and what the broad phase asks of it. See shared/meshes.h and
// docs/mesh_contacts.md.
#ifndef OCLIDE_SHAPES_TRIANGLE_MESH_CLH
#define OCLIDE_SHAPES_TRIANGLE_MESH_CLH
#line 1 "kernels/shapes/body_axes.clh"
// A body in its own frame of axes, origin at its centre: what the files of the shapes begin with.
#ifndef OCLIDE_SHAPES_BODY_AXES_CLH
#define OCLIDE_SHAPES_BODY_AXES_CLH
#line 1 "kernels/math/vec.clh"
// Vectors with a fixed order of operations: only + - * / sqrt, never a built-in dot, length or normalize.
#ifndef OCLIDE_MATH_VEC_CLH
#define OCLIDE_MATH_VEC_CLH
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

#line 5 "kernels/shapes/body_axes.clh"
#pragma OPENCL FP_CONTRACT OFF

typedef struct Body {
  float3 x, y, z;             // its axes in the world, unit
  float3 size;                // [m] as in the scene file
  float radius_bound;         // of its bounding sphere [m]
  __global const uint* hull;  // of a convex hull or triangle mesh: its record (shared/hulls.h, shared/meshes.h)
} Body;

// From the world's axes into the body's, and back.
float3 into_body(const Body* b, float3 v) {
  return (float3)(dot3(b->x, v), dot3(b->y, v), dot3(b->z, v));
}
float3 out_of_body(const Body* b, float3 v) {
  return (b->x * v.x + b->y * v.y) + b->z * v.z;
}

// The part of m across the body's z axis. From its components: the difference m - z (z.m) cancels where m is nearly
// along z, and what rounding leaves of it is along z as much as across.
float3 across_axis(const Body* b, float3 m) {
  return b->x * dot3(b->x, m) + b->y * dot3(b->y, m);
}

// |from + t * step|^2 <= r^2 for t in [*t0, *t1]; false where for none.
bool inside_ball_interval(float3 from, float3 step, float r, float* t0, float* t1) {
  const float qa = dot3(step, step), qb = dot3(step, from), qc = dot3(from, from) - r * r;
  if (qa < 1e-12f) {
    *t0 = -1e30f;
    *t1 = 1e30f;
    return qc <= 0.0f;
  }
  const float disc = qb * qb - qa * qc;
  if (!(disc > 0.0f)) return false;
  const float root = sqrt_rn(disc);
  *t0 = div_rn(-qb - root, qa);
  *t1 = div_rn(-qb + root, qa);
  return true;
}

// |start + t * slope| <= extent for t in [*t0, *t1]; false where for none.
bool inside_slab_interval(float start, float slope, float extent, float* t0, float* t1) {
  if (abs_f(slope) < 1e-7f) {
    *t0 = -1e30f;
    *t1 = 1e30f;
    return abs_f(start) <= extent;
  }
  const float inverse = div_rn(1.0f, slope);
  const float ta = (-extent - start) * inverse, tb = (extent - start) * inverse;
  *t0 = min_f(ta, tb);
  *t1 = max_f(ta, tb);
  return true;
}

// The line q + t * d inside the round side about the z axis, of the size's radius and half length.
bool inside_round_side(const Body* b, float3 q, float3 d, float* t0, float* t1) {
  const float along = dot3(b->z, q), slope = dot3(b->z, d);
  const float3 from = q - b->z * along, step = d - b->z * slope;
  float side0, side1, base0, base1;
  const bool hit = inside_ball_interval(from, step, b->size.x, &side0, &side1) &&
                   inside_slab_interval(along, slope, b->size.y, &base0, &base1) &&
                   max_f(side0, base0) <= min_f(side1, base1);
  if (hit) {
    *t0 = max_f(side0, base0);
    *t1 = min_f(side1, base1);
  }
  return hit;
}

#endif

#line 6 "kernels/shapes/triangle_mesh.clh"
#line 1 "kernels/shared/meshes.h"
// How a scene's triangle meshes lie in the buffer of words that has its convex hulls too (shared/hulls.h,
// docs/mesh_contacts.md). Includable from C++ and from OpenCL C.
//
//   record: MESH_* words, rows of vertices, triangles and boxes, neighbours of vertices
//
// Rows are 16 bytes. Triangles stand in the order of the tree: its groups of eight boxes, as those of bodies
// (broad_phase/body_tree.clh), are eight triangles each at level 0; box k of level l + 1 holds all of group k of level
// l. A group is 8 x (x low, y low, z low, x high, y high, z high), 12 rows; what is missing at the end of a level is an
// empty box. The top level is one group.
#ifndef OCLIDE_SHARED_MESHES_H
#define OCLIDE_SHARED_MESHES_H
#line 1 "kernels/shared/hulls.h"
// How a scene's convex hulls lie in the one buffer of words that kernels have them in (docs/convex_hulls.md), before
// its triangle meshes (shared/meshes.h). Includable from C++ and from OpenCL C.
//
//   word k: where the record of hull k begins, in rows of four words     records, one after another
//           (from the number of hulls on: the records of meshes)
//   record: HULL_* words, rows of vertices, faces and edges, corners of faces, neighbours of vertices
//
// Rows are 16 bytes and stand at multiples of that, so that each is one load.
#ifndef OCLIDE_SHARED_HULLS_H
#define OCLIDE_SHARED_HULLS_H

// The words that a record begins with. Lengths [m] are the bits of floats. FIRST: rows from the record's begin on, of
// corners, sides and neighbours words.
enum {
  HULL_VERTICES,  // how many
  HULL_FACES,
  HULL_EDGES,
  HULL_MOST_CORNERS,     // of a face
  HULL_FIRST_VERTEX,     // rows: x, y, z, number of its first neighbour; one more row for the end
  HULL_FIRST_FACE,       // two rows each: unit normal outward, offset; number of its first corner, how many, -, -
  HULL_FIRST_EDGE,       // rows: two vertices, two faces, as HullEdge has them
  HULL_FIRST_CORNER,     // words: the vertices of the faces' loops
  HULL_FIRST_SIDE,       // words: the edge from each corner of a loop to the next
  HULL_FIRST_NEIGHBOUR,  // words: vertices
  HULL_RADIUS,           // of the sphere about the body's position that holds the hull, rounded up
  HULL_FLAT_SLACK,
  HULL_LOWER,  // three words each: corners of the box around the vertices, in the body's axes
  HULL_UPPER = HULL_LOWER + 3,
  HULL_MIDDLE = HULL_UPPER + 3,         // a point well within
  HULL_INNER_RADIUS = HULL_MIDDLE + 3,  // of a ball about it that the hull holds, rounded down
  HULL_WORDS = 24
};

// A body's size has the index of its hull as a float, which is exact up to here.
#define MOST_HULLS 0x1000000

#endif

#line 13 "kernels/shared/meshes.h"

// The words that a record begins with. FIRST: rows from the record's begin on, of neighbours words. CORNERS,
// FIRST_CORNER and RADIUS stand where the record of a hull has its vertices and radius: the broad phase of bodies takes
// a mesh for the hull of the box around it.
enum {
  MESH_CORNERS,    // of that box, 8
  MESH_TRIANGLES,  // how many
  MESH_VERTICES,
  MESH_LEVELS,           // of the tree, one at least
  MESH_FIRST_CORNER,     // rows: x, y, z, -
  MESH_IS_SOLID,         // 0 or 1
  MESH_FIRST_VERTEX,     // rows: x, y, z, number of its first neighbour; one more row for the end
  MESH_FIRST_TRIANGLE,   // three rows each: MESH_ROW_*
  MESH_FIRST_NEIGHBOUR,  // words: the vertices at the other ends of a vertex's edges
  MESH_UNUSED,
  MESH_RADIUS,  // of the sphere about the body's position that holds the mesh, rounded up
  MESH_LEVEL,   // rows: where each level's groups begin, level 0 first
  MESH_MOST_LEVELS = 11,
  MESH_WORDS = (MESH_LEVEL + MESH_MOST_LEVELS + 3) / 4 * 4
};

// Of a triangle a, b, c, whose edge 0 goes from a to b, edge 1 from b to c, edge 2 from c to a:
#define MESH_ROW_VERTICES 0u  // a, b, c; number in the file, `element`
#define MESH_ROW_NEIGHBOURS \
  1u                       // the triangle at the other side of each edge, MESH_NONE at a border; number of its face
#define MESH_ROW_PLANE 2u  // unit normal; MESH_FLAG_*
#define MESH_ROWS_OF_TRIANGLE 3u
#define MESH_ROWS_OF_GROUP 12u
#define MESH_NONE 0xFFFFFFFFu

// Flags of a triangle. Of each edge two bits, MESH_EDGE_*, as it is seen from the front; which edges and vertices it is
// the one to look at: the first of both triangles that an edge joins, each at a border, and the first of all that have
// the vertex; which vertices are not plain; its material.
#define MESH_EDGE_FLAT 0u
#define MESH_EDGE_CONVEX 1u
#define MESH_EDGE_CONCAVE 2u
#define MESH_EDGE_BORDER 3u
#define MESH_FLAG_EDGE(k) (2u * (k))    // shift
#define MESH_FLAG_OWNS_EDGE 0x40u       // << k
#define MESH_FLAG_OWNS_VERTEX 0x200u    // << k
#define MESH_FLAG_SHARP_VERTEX 0x1000u  // << k: takes part
#define MESH_FLAG_MATERIAL 24u          // shift

#endif

#line 7 "kernels/shapes/triangle_mesh.clh"
#pragma OPENCL FP_CONTRACT OFF

// Differences of places: none.
typedef char a_mesh_has_the_corners_of_its_box_as_a_hull_its_vertices[((int)MESH_CORNERS - (int)HULL_VERTICES |
                                                                       (int)MESH_FIRST_CORNER - (int)HULL_FIRST_VERTEX |
                                                                       (int)MESH_RADIUS - (int)HULL_RADIUS) == 0
                                                                          ? 1
                                                                          : -1];

float mesh_number(__global const uint* mesh, uint word) {
  return as_float(mesh[word]);
}
float3 mesh_point(__global const uint* mesh, uint word) {
  return (float3)(as_float(mesh[word]), as_float(mesh[word + 1u]), as_float(mesh[word + 2u]));
}
uint4 mesh_row(__global const uint* mesh, uint row) {
  return ((__global const uint4*)mesh)[row];
}
float3 mesh_vertex(__global const uint* mesh, uint k) {
  return as_float3(mesh_row(mesh, mesh[MESH_FIRST_VERTEX] + k).xyz);
}
// Row MESH_ROW_* of a triangle.
uint4 mesh_triangle(__global const uint* mesh, uint k, uint row) {
  return mesh_row(mesh, mesh[MESH_FIRST_TRIANGLE] + MESH_ROWS_OF_TRIANGLE * k + row);
}
// The vertices at the other ends of a vertex's edges are mesh_neighbour(mesh, k), first <= k < last.
uint2 mesh_neighbours(__global const uint* mesh, uint vertex) {
  const uint row = mesh[MESH_FIRST_VERTEX] + vertex;
  return (uint2)(mesh_row(mesh, row).w, mesh_row(mesh, row + 1u).w);
}
uint mesh_neighbour(__global const uint* mesh, uint k) {
  return mesh[mesh[MESH_FIRST_NEIGHBOUR] + k];
}
// The 48 numbers of a group of boxes.
__global const float* mesh_group(__global const uint* mesh, uint level, uint group) {
  return (__global const float*)mesh + 4u * ((size_t)mesh[MESH_LEVEL + level] + MESH_ROWS_OF_GROUP * (size_t)group);
}

float triangle_mesh_bounding_radius(const Body* b) {
  return mesh_number(b->hull, MESH_RADIUS);
}

#endif

#line 9 "kernels/meshes/mesh_query.clh"
#pragma OPENCL FP_CONTRACT OFF

typedef char mesh_levels_fit_into_level_bits[MESH_MOST_LEVELS <= MAX_LEVELS ? 1 : -1];

// A point in the mesh's axes, high + low [m].
typedef struct MeshPlace {
  __global const uint* mesh;
  float3 high, low;
} MeshPlace;

float3 vertex_from(const MeshPlace* p, uint vertex) {
  return (mesh_vertex(p->mesh, vertex) - p->high) - p->low;
}

// The point of a segment nearest to the origin.
float3 nearest_on_segment(float3 a, float3 b) {
  const float3 d = b - a;
  const float d2 = dot3(d, d);
  return a + d * (d2 > 0.0f ? clamp01(div_rn(-dot3(a, d), d2)) : 0.0f);
}

// The point of triangle k nearest to the place, from there.
INLINED float3 nearest_on_triangle(const MeshPlace* p, uint k) {
  const uint4 vertices = mesh_triangle(p->mesh, k, MESH_ROW_VERTICES);
  const float3 n = as_float3(mesh_triangle(p->mesh, k, MESH_ROW_PLANE).xyz);
  const float3 a = vertex_from(p, vertices.x), b = vertex_from(p, vertices.y), c = vertex_from(p, vertices.z);
  // The height by the vertex that is nearest: the plane is given by rounded numbers.
  const float3 near = dot3(a, a) < dot3(b, b) ? a : b;
  const float3 foot = n * dot3(dot3(c, c) < dot3(near, near) ? c : near, n);
  if (dot3(cross3(b - a, foot - a), n) >= 0.0f && dot3(cross3(c - b, foot - b), n) >= 0.0f &&
      dot3(cross3(a - c, foot - c), n) >= 0.0f)
    return foot;
  float3 best = nearest_on_segment(a, b);
  const float3 bc = nearest_on_segment(b, c), ca = nearest_on_segment(c, a);
  if (dot3(bc, bc) < dot3(best, best)) best = bc;
  if (dot3(ca, ca) < dot3(best, best)) best = ca;
  return best;
}

// Squared distance of the place from box k of a group, rather less; of an empty box a great number.
float box_distance2(__global const float* group, uint k, float3 p) {
  const float3 low = (float3)(group[k], group[8u + k], group[16u + k]);
  const float3 high = (float3)(group[24u + k], group[32u + k], group[40u + k]);
  const float x = max_f(max_f(low.x - p.x, p.x - high.x), 0.0f), y = max_f(max_f(low.y - p.y, p.y - high.y), 0.0f),
              z = max_f(max_f(low.z - p.z, p.z - high.z), 0.0f);
  return ((x * x + y * y) + z * z) * 0.99999f;
}

// The point of the surface nearest to high + low, from there, and the number of the first triangle that has it, as
// bits.
OUTLINED float4 nearest_of_mesh(__global const uint* mesh, float3 high, float3 low) {
  const MeshPlace place = {mesh, high, low};
  const MeshPlace* p = &place;
  const uint levels = mesh[MESH_LEVELS], triangles = mesh[MESH_TRIANGLES];
  // What rounding of the place to float may hide.
  const float rounding = 1e-6f * ((abs_f(p->high.x) + abs_f(p->high.y)) + abs_f(p->high.z)) + length3(p->low);
  // A bound first: down to the nearest box of each level.
  uint entry = 0u;
  ROLLED
  for (uint level = levels; level > 0u; --level) {
    __global const float* group = mesh_group(mesh, level - 1u, entry);
    uint best_box = 0u;
    float least = MAXFLOAT;
    ROLLED
    for (uint k = 0u; k < 8u; ++k) {
      if (!(group[k] <= group[24u + k])) continue;
      const float distance2 = box_distance2(group, k, p->high);
      if (!(distance2 < least)) continue;
      least = distance2;
      best_box = k;
    }
    entry = entry * 8u + best_box;
  }
  const float3 bound = nearest_on_triangle(p, min(entry, triangles - 1u));
  float limit = length3(bound) * 1.00001f + rounding;
  float best2 = MAXFLOAT;
  float3 best = bound;
  uint triangle = min(entry, triangles - 1u);
  LevelBits left;
  left.lower = left.upper = 0ul;
  uint level = levels, group = 0u, next = 0u;
  bool down = true;
  while (true) {
    if (down) {
      --level;
      group = next;
      __global const float* boxes = mesh_group(mesh, level, group);
      uint near = 0u;
      ROLLED
      for (uint k = 0u; k < 8u; ++k)
        if (boxes[k] <= boxes[24u + k] && box_distance2(boxes, k, p->high) <= limit * limit) near |= 1u << k;
      set_level_bits(&left, level, near);
    }
    const uint bits = level_bits(&left, level);
    down = false;
    if (bits == 0u) {
      if (level + 1u == levels) break;
      ++level;
      group >>= 3;
      continue;
    }
    set_level_bits(&left, level, bits & (bits - 1u));
    const uint below = group * 8u + lowest_bit(bits);
    if (level > 0u) {
      next = below;
      down = true;
      continue;
    }
    const float3 q = nearest_on_triangle(p, below);
    const float distance2 = dot3(q, q);
    if (!(distance2 < best2)) continue;
    best2 = distance2;
    best = q;
    triangle = below;
    limit = min_f(limit, sqrt_rn(distance2) * 1.00001f + rounding);
  }
  return (float4)(best, as_float(triangle));
}

// Is the place left of the edge from a to b, seen along -z? Vertices of lower number first, so that both triangles at
// an edge get the same answer; by exact products; where the place is on the line it counts as moved a little along x,
// then y.
bool is_left_of(float3 a, float3 b) {
  const TwoFloat turn = two_sub(two_product(a.x, b.y), two_product(a.y, b.x));
  const float sign = turn.hi != 0.0f ? turn.hi : turn.lo;
  if (sign != 0.0f) return sign > 0.0f;
  if (a.y != b.y) return a.y > b.y;
  return b.x > a.x;
}
bool is_left_of_edge(uint from, float3 a, uint to, float3 b) {
  return from < to ? is_left_of(a, b) : !is_left_of(b, a);
}

// How often the surface goes round high + low: triangles over it that turn their backs to it, less those that turn
// their fronts.
OUTLINED int winding_number(__global const uint* mesh, float3 high, float3 low) {
  const MeshPlace place = {mesh, high, low};
  const MeshPlace* p = &place;
  const uint levels = mesh[MESH_LEVELS];
  const float room = 1e-6f * ((abs_f(p->high.x) + abs_f(p->high.y)) + abs_f(p->high.z)) + 2.0f * length3(p->low);
  int winding = 0;
  LevelBits left;
  left.lower = left.upper = 0ul;
  uint level = levels, group = 0u, next = 0u;
  bool down = true;
  while (true) {
    if (down) {
      --level;
      group = next;
      __global const float* boxes = mesh_group(mesh, level, group);
      uint over = 0u;
      ROLLED
      for (uint k = 0u; k < 8u; ++k)
        if (boxes[k] <= p->high.x + room && boxes[24u + k] >= p->high.x - room && boxes[8u + k] <= p->high.y + room &&
            boxes[32u + k] >= p->high.y - room && boxes[40u + k] >= p->high.z - room && boxes[k] <= boxes[24u + k])
          over |= 1u << k;
      set_level_bits(&left, level, over);
    }
    const uint bits = level_bits(&left, level);
    down = false;
    if (bits == 0u) {
      if (level + 1u == levels) break;
      ++level;
      group >>= 3;
      continue;
    }
    set_level_bits(&left, level, bits & (bits - 1u));
    const uint below = group * 8u + lowest_bit(bits);
    if (level > 0u) {
      next = below;
      down = true;
      continue;
    }
    const uint4 vertices = mesh_triangle(mesh, below, MESH_ROW_VERTICES);
    const float3 a = vertex_from(p, vertices.x), b = vertex_from(p, vertices.y), c = vertex_from(p, vertices.z);
    const bool ab = is_left_of_edge(vertices.x, a, vertices.y, b), bc = is_left_of_edge(vertices.y, b, vertices.z, c),
               ca = is_left_of_edge(vertices.z, c, vertices.x, a);
    if (ab != bc || bc != ca) continue;
    // Its front looks up where it goes round to the left.
    const float3 n = as_float3(mesh_triangle(mesh, below, MESH_ROW_PLANE).xyz);
    const float height = dot3(a, n);
    if (ab ? height > 0.0f : height < 0.0f) winding += ab ? 1 : -1;
  }
  return winding;
}

#endif

#line 6 "kernels/queries/sweep_meshes.cl"
#line 1 "kernels/motion/touch_record.clh"
// First touches as records.
#ifndef OCLIDE_MOTION_TOUCH_RECORD_CLH
#define OCLIDE_MOTION_TOUCH_RECORD_CLH
#line 1 "kernels/motion/first_touch.clh"
// When two moving solids first touch (docs/motion.md), by conservative advancement: from a time on at which they are
// apart by a distance along a direction they stay apart for as long as their speeds toward each other along it need for
// that distance. Bounds of distances are from below, of speeds from above.
#ifndef OCLIDE_MOTION_FIRST_TOUCH_CLH
#define OCLIDE_MOTION_FIRST_TOUCH_CLH
#line 1 "kernels/motion/gjk.clh"
// The distance of two convex solids by the method of Gilbert, Johnson and Keerthi (1988): the point nearest to the
// origin of their difference, of simplexes in it. Along each direction on the way no point of the difference is nearer
// than its support there: a bound from below, whatever the simplexes are worth.
#ifndef OCLIDE_MOTION_GJK_CLH
#define OCLIDE_MOTION_GJK_CLH
#line 1 "kernels/motion/moving.clh"
// A solid that moves over a frame, and where it is at a time of it (docs/motion.md).
#ifndef OCLIDE_MOTION_MOVING_CLH
#define OCLIDE_MOTION_MOVING_CLH
#line 1 "kernels/math/two_vec.clh"
// Vectors whose components are sums of two floats.
#ifndef OCLIDE_MATH_TWO_VEC_CLH
#define OCLIDE_MATH_TWO_VEC_CLH
#line 5 "kernels/math/two_vec.clh"
#line 6 "kernels/math/two_vec.clh"
#line 7 "kernels/math/two_vec.clh"
#pragma OPENCL FP_CONTRACT OFF

// a / b; b is not zero.
TwoFloat two_div(TwoFloat a, TwoFloat b) {
  const float q = div_rn(a.hi, b.hi);
  const TwoFloat rest = two_sub(a, two_times(two_float(q, 0.0f), b));
  return two_sum(q, div_rn(rest.hi, b.hi));
}

typedef struct TwoFloat3 {
  TwoFloat x, y, z;
} TwoFloat3;

TwoFloat3 two_float3(__global const float* high, __global const float* low) {
  TwoFloat3 v;
  v.x = two_float(high[0], low[0]);
  v.y = two_float(high[1], low[1]);
  v.z = two_float(high[2], low[2]);
  return v;
}
float3 high_of(TwoFloat3 a) {
  return (float3)(a.x.hi, a.y.hi, a.z.hi);
}
float3 low_of(TwoFloat3 a) {
  return (float3)(a.x.lo, a.y.lo, a.z.lo);
}

TwoFloat3 two_sub3(TwoFloat3 a, TwoFloat3 b) {
  TwoFloat3 c;
  c.x = two_sub(a.x, b.x);
  c.y = two_sub(a.y, b.y);
  c.z = two_sub(a.z, b.z);
  return c;
}
// k a - b.
TwoFloat3 two_along3(TwoFloat k, TwoFloat3 a, TwoFloat3 b) {
  TwoFloat3 c;
  c.x = two_sub(two_times(k, a.x), b.x);
  c.y = two_sub(two_times(k, a.y), b.y);
  c.z = two_sub(two_times(k, a.z), b.z);
  return c;
}
TwoFloat two_dot(TwoFloat3 a, TwoFloat3 b) {
  return two_add(two_add(two_times(a.x, b.x), two_times(a.y, b.y)), two_times(a.z, b.z));
}

// 2 (a + sign b), and 1 - 2 (a + b).
TwoFloat twice_sum(TwoFloat a, TwoFloat b, float sign) {
  return two_scale(2.0f, two_add(a, two_float(sign * b.hi, sign * b.lo)));
}
TwoFloat one_less_twice(TwoFloat a, TwoFloat b) {
  return two_sub(two_float(1.0f, 0.0f), twice_sum(a, b, 1.0f));
}
// Sets c to d in the axes that unit quaternion q (w, x, y, z) turns the world's to. No structure is returned: kernels
// that Oclgrind runs use it (math/code.clh).
INLINED void two_into_axes(__global const float* q, const TwoFloat3* d, TwoFloat3* c) {
  const TwoFloat xx = two_product(q[1], q[1]), yy = two_product(q[2], q[2]), zz = two_product(q[3], q[3]);
  const TwoFloat xy = two_product(q[1], q[2]), xz = two_product(q[1], q[3]), yz = two_product(q[2], q[3]);
  const TwoFloat wx = two_product(q[0], q[1]), wy = two_product(q[0], q[2]), wz = two_product(q[0], q[3]);
  TwoFloat3 x, y, z;
  x.x = one_less_twice(yy, zz);
  x.y = twice_sum(xy, wz, 1.0f);
  x.z = twice_sum(xz, wy, -1.0f);
  y.x = twice_sum(xy, wz, -1.0f);
  y.y = one_less_twice(xx, zz);
  y.z = twice_sum(yz, wx, 1.0f);
  z.x = twice_sum(xz, wy, 1.0f);
  z.y = twice_sum(yz, wx, -1.0f);
  z.z = one_less_twice(xx, yy);
  c->x = two_dot(*d, x);
  c->y = two_dot(*d, y);
  c->z = two_dot(*d, z);
}

#endif

#line 5 "kernels/motion/moving.clh"
#line 1 "kernels/shapes/body.clh"
// A body of any bounded shape, by its number: pose, box, support point, and where a line enters it. Each function hands
// on to that of the shape (shapes/<name>.clh); `shape` mostly is a constant, so that nothing is left of the choice.
#ifndef OCLIDE_SHAPES_BODY_CLH
#define OCLIDE_SHAPES_BODY_CLH
#line 1 "kernels/shapes/box.clh"
// The box. What each function is: shapes/body.clh.
#ifndef OCLIDE_SHAPES_BOX_CLH
#define OCLIDE_SHAPES_BOX_CLH
#line 5 "kernels/shapes/box.clh"
#pragma OPENCL FP_CONTRACT OFF

float box_bounding_radius(const Body* b) {
  return length3(b->size);
}

float3 box_extents(const Body* b) {
  const float3 s = b->size;
  return (float3)(s.x * abs_f(b->x.x) + s.y * abs_f(b->y.x) + s.z * abs_f(b->z.x),
                  s.x * abs_f(b->x.y) + s.y * abs_f(b->y.y) + s.z * abs_f(b->z.y),
                  s.x * abs_f(b->x.z) + s.y * abs_f(b->y.z) + s.z * abs_f(b->z.z));
}

float box_reach_along(const Body* b, float3 n) {
  return (abs_f(dot3(b->x, n)) * b->size.x + abs_f(dot3(b->y, n)) * b->size.y) + abs_f(dot3(b->z, n)) * b->size.z;
}

float3 box_lowest_point(const Body* b, float3 m) {
  return (b->x * (-sign_f(dot3(b->x, m)) * b->size.x) + b->y * (-sign_f(dot3(b->y, m)) * b->size.y)) +
         b->z * (-sign_f(dot3(b->z, m)) * b->size.z);
}

float box_outside_distance(const Body* b, float3 q) {
  return max_f(max_f(abs_f(dot3(q, b->x)) - b->size.x, abs_f(dot3(q, b->y)) - b->size.y),
               max_f(abs_f(dot3(q, b->z)) - b->size.z, 0.0f));
}

bool box_line_inside(const Body* b, float3 q, float3 d, float* t0, float* t1) {
  const float3 s = b->size;
  float a0, a1;
  *t0 = -1e30f;
  *t1 = 1e30f;
  for (int k = 0; k < 3; ++k) {
    const float3 axis = k == 0 ? b->x : (k == 1 ? b->y : b->z);
    const float slope = dot3(axis, d);
    if (!inside_slab_interval(dot3(axis, q), slope, k == 0 ? s.x : (k == 1 ? s.y : s.z), &a0, &a1)) return false;
    *t0 = max_f(*t0, a0);
    *t1 = min_f(*t1, a1);
  }
  return *t0 <= *t1;
}

#endif

#line 6 "kernels/shapes/body.clh"
#line 1 "kernels/shapes/capsule.clh"
// The capsule. What each function is: shapes/body.clh.
#ifndef OCLIDE_SHAPES_CAPSULE_CLH
#define OCLIDE_SHAPES_CAPSULE_CLH
#line 5 "kernels/shapes/capsule.clh"
#pragma OPENCL FP_CONTRACT OFF

float capsule_bounding_radius(const Body* b) {
  return b->size.x + b->size.y;
}

float3 capsule_extents(const Body* b) {
  const float3 v = b->z;
  const float3 axis = (float3)(abs_f(v.x), abs_f(v.y), abs_f(v.z)) * b->size.y;
  return axis + b->size.x;
}

float capsule_reach_along(const Body* b, float3 n) {
  return b->size.y * abs_f(dot3(b->z, n)) + b->size.x * sqrt_rn(dot3(n, n));
}

float3 capsule_lowest_point(const Body* b, float3 m) {
  const float3 base = b->z * (-sign_f(dot3(b->z, m)) * b->size.y);
  return base + unit3(m) * -b->size.x;
}

float capsule_outside_distance(const Body* b, float3 q) {
  const float z = dot3(q, b->z);
  return max_f(length3(q - b->z * max_f(-b->size.y, min_f(z, b->size.y))) - b->size.x, 0.0f);
}

// The round side, and the balls at its ends.
bool capsule_line_inside(const Body* b, float3 q, float3 d, float* t0, float* t1) {
  bool hit = inside_round_side(b, q, d, t0, t1);
  for (int k = 0; k < 2; ++k) {
    const float3 c = q - b->z * (k == 0 ? -b->size.y : b->size.y);
    float a0, a1;
    if (!inside_ball_interval(c, d, b->size.x, &a0, &a1)) continue;
    *t0 = hit ? min_f(*t0, a0) : a0;
    *t1 = hit ? max_f(*t1, a1) : a1;
    hit = true;
  }
  return hit;
}

#endif

#line 7 "kernels/shapes/body.clh"
#line 1 "kernels/shapes/convex_hull.clh"
// The convex hull: its parts, and what each shape has (shapes/body.clh). Points and directions of hull_*() are in the
// body's own axes, those of convex_hull_*() in the world's.
//
// The vertices are the shape; planes only name directions (docs/convex_hulls.md). Loops go over all vertices or faces
// in their order: work-items side by side mostly have the same hull, and read the same row.
#ifndef OCLIDE_SHAPES_CONVEX_HULL_CLH
#define OCLIDE_SHAPES_CONVEX_HULL_CLH
#line 1 "kernels/math/vec8.clh"
// Eight vectors side by side: to the bit what math/vec.clh gives for each of them.
#ifndef OCLIDE_MATH_VEC8_CLH
#define OCLIDE_MATH_VEC8_CLH
#line 5 "kernels/math/vec8.clh"
#pragma OPENCL FP_CONTRACT OFF

typedef struct Vec8 {
  float8 x, y, z;
} Vec8;

float8 abs8(float8 a) {
  return as_float8(as_int8(a) & 0x7FFFFFFF);
}
float8 dot8(Vec8 a, float3 b) {
  return (a.x * b.x + a.y * b.y) + a.z * b.z;
}
float8 dot8v(Vec8 a, Vec8 b) {
  return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

// Roots and quotients, each the bits of the scalar one.
float8 sqrt8(float8 a) {
#ifndef OCLIDE_SOFTWARE_DIVIDE_SQRT
  return sqrt(a);
#else
  return (float8)(sqrt_rn(a.s0), sqrt_rn(a.s1), sqrt_rn(a.s2), sqrt_rn(a.s3), sqrt_rn(a.s4), sqrt_rn(a.s5),
                  sqrt_rn(a.s6), sqrt_rn(a.s7));
#endif
}
float8 div8(float8 a, float8 b) {
#ifndef OCLIDE_SOFTWARE_DIVIDE_SQRT
  return a / b;
#else
  return (float8)(div_rn(a.s0, b.s0), div_rn(a.s1, b.s1), div_rn(a.s2, b.s2), div_rn(a.s3, b.s3), div_rn(a.s4, b.s4),
                  div_rn(a.s5, b.s5), div_rn(a.s6, b.s6), div_rn(a.s7, b.s7));
#endif
}

// 1 / |a|; 0 where |a| is too small to have a direction.
float8 inverse_length8(Vec8 a) {
  const float8 l2 = (a.x * a.x + a.y * a.y) + a.z * a.z;
  return select((float8)(0.0f), div8((float8)(1.0f), sqrt8(l2)), l2 > 1e-30f);
}
void to_unit8(Vec8* a) {
  const float8 scale = inverse_length8(*a);
  a->x *= scale;
  a->y *= scale;
  a->z *= scale;
}

float8 max8(float8 a, float8 b) {
  return select(b, a, a > b);
}
float8 min8(float8 a, float8 b) {
  return select(b, a, a < b);
}

float least_of(float8 a) {
  const float4 four = select(a.lo, a.hi, a.hi < a.lo);
  const float2 two = select(four.lo, four.hi, four.hi < four.lo);
  return min_f(two.x, two.y);
}
// The k-th of eight.
float lane_of(float8 a, uint k) {
  const float4 four = (k & 4u) != 0u ? a.hi : a.lo;
  const float2 two = (k & 2u) != 0u ? four.hi : four.lo;
  return (k & 1u) != 0u ? two.y : two.x;
}

// `extent` with the sign that is not that of a.
float8 against8(float8 a, float8 extent) {
  return select(-extent, extent, a < 0.0f);
}

#endif

#line 9 "kernels/shapes/convex_hull.clh"
#line 10 "kernels/shapes/convex_hull.clh"
#line 11 "kernels/shapes/convex_hull.clh"
#pragma OPENCL FP_CONTRACT OFF

// The record of a hull among all.
__global const uint* hull_record(__global const uint* hulls, float index) {
  return hulls + 4u * (size_t)hulls[(uint)index];
}

float hull_number(__global const uint* hull, uint word) {
  return as_float(hull[word]);
}
float3 hull_point(__global const uint* hull, uint word) {
  return (float3)(as_float(hull[word]), as_float(hull[word + 1u]), as_float(hull[word + 2u]));
}
uint4 hull_row(__global const uint* hull, uint row) {
  return ((__global const uint4*)hull)[row];
}

float3 hull_vertex(__global const uint* hull, uint k) {
  return as_float3(hull_row(hull, hull[HULL_FIRST_VERTEX] + k).xyz);
}
// The normal of a face, and the greatest normal . v of its vertices as w.
float4 hull_face(__global const uint* hull, uint k) {
  return as_float4(hull_row(hull, hull[HULL_FIRST_FACE] + 2u * k));
}
#if OCLIDE_LANES != 1
// Normals of eight faces from the k-th on. What is read beyond the last are rows of edges and words of corners, of
// which there are enough: at least 3 / 2 edges a face, and 12 corners, sides and neighbours each.
INLINED void hull_normals8(__global const uint* hull, uint k, Vec8* n) {
  __global const float* rows = (__global const float*)hull + 4u * ((size_t)hull[HULL_FIRST_FACE] + 2u * k);
  const float16 p = vload16(0, rows), q = vload16(1, rows), r = vload16(2, rows), s = vload16(3, rows);
  n->x = (float8)(p.s0, p.s8, q.s0, q.s8, r.s0, r.s8, s.s0, s.s8);
  n->y = (float8)(p.s1, p.s9, q.s1, q.s9, r.s1, r.s9, s.s1, s.s9);
  n->z = (float8)(p.s2, p.sa, q.s2, q.sa, r.s2, r.sa, s.s2, s.sa);
}
// Of the eight from the k-th on, those that there are.
uint hull_eight(uint k, uint count) {
  return count - k < 8u ? (1u << (count - k)) - 1u : 255u;
}
#endif
// Its loop: the number of its first corner, and how many it has.
uint2 hull_loop(__global const uint* hull, uint k) {
  return hull_row(hull, hull[HULL_FIRST_FACE] + 2u * k + 1u).xy;
}
// The vertex at a corner of a loop, and the edge from there to the loop's next one.
uint hull_corner(__global const uint* hull, uint corner) {
  return hull[hull[HULL_FIRST_CORNER] + corner];
}
uint hull_side(__global const uint* hull, uint corner) {
  return hull[hull[HULL_FIRST_SIDE] + corner];
}
// Its two vertices, the lower first, and the faces whose loops go from the first to the second, and back.
uint4 hull_edge(__global const uint* hull, uint k) {
  return hull_row(hull, hull[HULL_FIRST_EDGE] + k);
}
// The vertices at the other ends of a vertex's edges are hull_neighbour(hull, k), first <= k < last.
uint2 hull_neighbours(__global const uint* hull, uint vertex) {
  const uint row = hull[HULL_FIRST_VERTEX] + vertex;
  return (uint2)(hull_row(hull, row).w, hull_row(hull, row + 1u).w);
}
uint hull_neighbour(__global const uint* hull, uint k) {
  return hull[hull[HULL_FIRST_NEIGHBOUR] + k];
}

#if OCLIDE_LANES != 1
// The number `at` of the greatest, the lowest of several.
uint first_of_greatest8(float8 best, uint8 at) {
  const int4 of_four = (best.hi > best.lo) | ((best.hi == best.lo) & (at.hi < at.lo));
  const float4 best4 = select(best.lo, best.hi, of_four);
  const uint4 at4 = select(at.lo, at.hi, of_four);
  const int2 of_two = (best4.hi > best4.lo) | ((best4.hi == best4.lo) & (at4.hi < at4.lo));
  const float2 best2 = select(best4.lo, best4.hi, of_two);
  const uint2 at2 = select(at4.lo, at4.hi, of_two);
  return best2.y > best2.x || (best2.y == best2.x && at2.y < at2.x) ? at2.y : at2.x;
}
#endif

// The vertex farthest along d, the lowest number of several.
OUTLINED uint hull_farthest_vertex(__global const uint* hull, float3 d) {
  const uint count = hull[HULL_VERTICES], first = hull[HULL_FIRST_VERTEX];
#if OCLIDE_LANES == 1
  float best = -MAXFLOAT;
  uint at = 0u;
  ROLLED
  for (uint k = 0u; k < count; ++k) {
    const float along = dot3(as_float3(hull_row(hull, first + k).xyz), d);
    if (!(along > best)) continue;
    best = along;
    at = k;
  }
  return at;
#else
  // Eight at once. What is read beyond the last are rows of faces, of which there are eight at least.
  __global const float* rows = (__global const float*)hull + 4u * (size_t)first;
  float8 best = -MAXFLOAT;
  uint8 at = 0u, number = (uint8)(0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u);
  for (uint k = 0u; k < count; k += 8u) {
    const float16 low = vload16(0, rows + 4u * k), high = vload16(1, rows + 4u * k);
    const float8 x = (float8)(low.s0, low.s4, low.s8, low.sc, high.s0, high.s4, high.s8, high.sc);
    const float8 y = (float8)(low.s1, low.s5, low.s9, low.sd, high.s1, high.s5, high.s9, high.sd);
    const float8 z = (float8)(low.s2, low.s6, low.sa, low.se, high.s2, high.s6, high.sa, high.se);
    const float8 along = (x * d.x + y * d.y) + z * d.z;
    const int8 farther = (along > best) & (number < count);
    best = select(best, along, farther);
    at = select(at, number, farther);
    number += 8u;
  }
  return first_of_greatest8(best, at);
#endif
}
// The face whose normal is nearest to d, the lowest number of several. Not by the cosine, which is the same for all
// small angles.
float hull_normal_off2(__global const uint* hull, uint face, float3 d) {
  const float3 off = hull_face(hull, face).xyz - d;
  return dot3(off, off);
}
INLINED uint hull_face_nearest(__global const uint* hull, float3 d) {
  const uint count = hull[HULL_FACES];
#if OCLIDE_LANES == 1
  float least = MAXFLOAT;
  uint at = 0u;
  ROLLED
  for (uint k = 0u; k < count; ++k) {
    const float off2 = hull_normal_off2(hull, k, d);
    if (!(off2 < least)) continue;
    least = off2;
    at = k;
  }
  return at;
#else
  float8 least = MAXFLOAT;
  uint8 at = 0u, number = (uint8)(0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u);
  for (uint k = 0u; k < count; k += 8u) {
    Vec8 n;
    hull_normals8(hull, k, &n);
    const float8 x = n.x - d.x, y = n.y - d.y, z = n.z - d.z, off2 = (x * x + y * y) + z * z;
    const int8 nearer = (off2 < least) & (number < count);
    least = select(least, off2, nearer);
    at = select(at, number, nearer);
    number += 8u;
  }
  return first_of_greatest8(-least, at);
#endif
}

// The farthest vertex, and d . v there; and that alone.
INLINED uint hull_farthest(__global const uint* hull, float3 d, float* reach) {
  const uint at = hull_farthest_vertex(hull, d);
  *reach = dot3(hull_vertex(hull, at), d);
  return at;
}
float hull_reach(__global const uint* hull, float3 d) {
  return dot3(hull_vertex(hull, hull_farthest_vertex(hull, d)), d);
}

float convex_hull_bounding_radius(const Body* b) {
  return hull_number(b->hull, HULL_RADIUS);
}

float convex_hull_reach_along(const Body* b, float3 n) {
  return hull_reach(b->hull, into_body(b, n));
}

// Bounds of the same, without a look at the vertices: of the ball in the hull and of the box around it.
INLINED void convex_hull_reach_bounds(const Body* b, float3 n, float* least, float* most) {
  __global const uint* hull = b->hull;
  const float3 d = into_body(b, n);
  const float3 low = hull_point(hull, HULL_LOWER), high = hull_point(hull, HULL_UPPER);
  const float size = (abs_f(n.x) + abs_f(n.y)) + abs_f(n.z);
  const float rounding = 1e-6f * hull_number(hull, HULL_RADIUS) * size;
  *most = ((d.x < 0.0f ? low.x : high.x) * d.x + (d.y < 0.0f ? low.y : high.y) * d.y) +
          (d.z < 0.0f ? low.z : high.z) * d.z + rounding;
  // |n| is no less than its size / sqrt(3).
  *least = (dot3(hull_point(hull, HULL_MIDDLE), d) + hull_number(hull, HULL_INNER_RADIUS) * (0.577f * size)) - rounding;
}

// Corners of the box along the world's axes, relative to the body's position.
INLINED void convex_hull_box(const Body* b, float3* low, float3* high) {
  __global const uint* hull = b->hull;
  const uint count = hull[HULL_VERTICES];
  float3 least = out_of_body(b, hull_vertex(hull, 0u)), most = least;
  ROLLED
  for (uint k = 1u; k < count; ++k) {
    const float3 p = out_of_body(b, hull_vertex(hull, k));
    least = (float3)(min_f(least.x, p.x), min_f(least.y, p.y), min_f(least.z, p.z));
    most = (float3)(max_f(most.x, p.x), max_f(most.y, p.y), max_f(most.z, p.z));
  }
  *low = least;
  *high = most;
}

float3 convex_hull_lowest_point(const Body* b, float3 m) {
  return out_of_body(b, hull_vertex(b->hull, hull_farthest_vertex(b->hull, into_body(b, -m))));
}

// Is q over a face, seen along its normal?
INLINED bool is_over_hull_face(__global const uint* hull, uint face, float3 q) {
  const float3 n = hull_face(hull, face).xyz;
  const uint2 loop = hull_loop(hull, face);
  float3 from = hull_vertex(hull, hull_corner(hull, loop.x + loop.y - 1u));
  ROLLED
  for (uint k = 0u; k < loop.y; ++k) {
    const float3 to = hull_vertex(hull, hull_corner(hull, loop.x + k));
    if (dot3(cross3(to - from, q - from), n) < 0.0f) return false;
    from = to;
  }
  return true;
}

// The part of a across e.
float3 part_across(float3 a, float3 e) {
  return a - e * div_rn(dot3(a, e), dot3(e, e));
}

// From the point of an edge that is nearest to p; *at: 0 at its first vertex, 1 between, 2 at its second. Measured from
// the nearer vertex, so that rounding turns no way near it.
float3 from_hull_edge(float3 first, float3 second, float3 p, uint* at) {
  const float3 along = second - first;
  const float of_first = dot3(p - first, along), of_second = dot3(p - second, along);
  *at = of_first <= 0.0f ? 0u : (of_second >= 0.0f ? 2u : 1u);
  const bool by_second = of_first > -of_second;
  const float3 way = by_second ? p - second : p - first;
  return *at == 1u ? way - along * div_rn(by_second ? of_second : of_first, dot3(along, along)) : way;
}

// A way off the hull from a point of an edge leads into no face or edge beside the point. Less what it does so by
// rounding: a small way may be turned far by it.
OUTLINED float3 off_hull(__global const uint* hull, uint edge, uint at, float3 way) {
  const uint4 row = hull_edge(hull, edge);
  if (at == 1u) {
    const float3 along = hull_vertex(hull, row.y) - hull_vertex(hull, row.x);
    way = part_across(way, along);
    const float3 left = cross3(hull_face(hull, row.z).xyz, along), right = cross3(along, hull_face(hull, row.w).xyz);
    if (dot3(way, left) > 0.0f) way = part_across(way, left);
    if (dot3(way, right) > 0.0f) way = part_across(way, right);
    return way;
  }
  const uint vertex = at == 0u ? row.x : row.y;
  const float3 v = hull_vertex(hull, vertex);
  const uint2 neighbours = hull_neighbours(hull, vertex);
  ROLLED
  for (uint k = 0u; k < 2u * (neighbours.y - neighbours.x); ++k) {
    const uint turn = k < neighbours.y - neighbours.x ? k : k - (neighbours.y - neighbours.x);
    const float3 along = hull_vertex(hull, hull_neighbour(hull, neighbours.x + turn)) - v;
    if (dot3(way, along) > 0.0f) way = part_across(way, along);
  }
  return way;
}

// From the point of all edges that is nearest to p; which edge, and *at as in from_hull_edge.
INLINED float3 from_nearest_hull_edge(__global const uint* hull, float3 p, uint* edge, uint* at) {
  const uint count = hull[HULL_EDGES];
  float least2 = MAXFLOAT;
  float3 nearest = (float3)(0.0f, 0.0f, 0.0f);
  *edge = *at = 0u;
  ROLLED
  for (uint k = 0u; k < count; ++k) {
    const uint4 row = hull_edge(hull, k);
    uint at_k;
    const float3 way = from_hull_edge(hull_vertex(hull, row.x), hull_vertex(hull, row.y), p, &at_k);
    const float distance2 = dot3(way, way);
    if (!(distance2 < least2)) continue;
    least2 = distance2;
    nearest = way;
    *edge = k;
    *at = at_k;
  }
  return nearest;
}

// Where the face that p is farthest out of has it not over itself, the nearest point is on an edge: beside a sharp one
// p is much farther off than out of any plane.
OUTLINED float hull_outside_distance(__global const uint* hull, float3 p) {
  const uint count = hull[HULL_FACES];
  float outside = 0.0f;
  uint face = 0u;
  ROLLED
  for (uint k = 0u; k < count; ++k) {
    const float4 plane = hull_face(hull, k);
    const float above = dot3(plane.xyz, p) - plane.w;
    if (!(above > outside)) continue;
    outside = above;
    face = k;
  }
  if (!(outside > 0.0f) || is_over_hull_face(hull, face, p)) return outside;
  uint edge, at;
  const float3 way = from_nearest_hull_edge(hull, p, &edge, &at);
  return max_f(outside, length3(off_hull(hull, edge, at, way)));
}
float convex_hull_outside_distance(const Body* b, float3 q) {
  return hull_outside_distance(b->hull, into_body(b, q));
}

// Where the line p + t way enters and leaves; it misses where it leaves before it enters.
OUTLINED float2 hull_line_inside(__global const uint* hull, float3 p, float3 way) {
  const uint count = hull[HULL_FACES];
  float enter = -1e30f, leave = 1e30f;
  ROLLED
  for (uint k = 0u; k < count; ++k) {
    const float4 face = hull_face(hull, k);
    const float above = dot3(face.xyz, p) - face.w, slope = dot3(face.xyz, way);
    if (abs_f(slope) < 1e-7f) {
      if (above > 0.0f) return (float2)(1.0f, 0.0f);
      continue;
    }
    const float t = div_rn(-above, slope);
    if (slope < 0.0f)
      enter = max_f(enter, t);
    else
      leave = min_f(leave, t);
  }
  return (float2)(enter, leave);
}
bool convex_hull_line_inside(const Body* b, float3 q, float3 d, float* t0, float* t1) {
  const float2 inside = hull_line_inside(b->hull, into_body(b, q), into_body(b, d));
  *t0 = inside.x;
  *t1 = inside.y;
  return inside.x <= inside.y;
}

#endif

#line 8 "kernels/shapes/body.clh"
#line 1 "kernels/shapes/cylinder.clh"
// The cylinder. What each function is: shapes/body.clh.
#ifndef OCLIDE_SHAPES_CYLINDER_CLH
#define OCLIDE_SHAPES_CYLINDER_CLH
#line 5 "kernels/shapes/cylinder.clh"
#pragma OPENCL FP_CONTRACT OFF

float cylinder_bounding_radius(const Body* b) {
  return sqrt_rn(b->size.x * b->size.x + b->size.y * b->size.y);
}

// Text 001, eq. 2-3.
float3 cylinder_extents(const Body* b) {
  const float3 s = b->size, v = b->z;
  const float3 axis = (float3)(abs_f(v.x), abs_f(v.y), abs_f(v.z)) * s.y;
  // Sines, not by way of the cosines, which say little of small ones: 1 - v.x^2 is off by 1e-7, its root by 3e-4.
  const float x2 = v.x * v.x, y2 = v.y * v.y, z2 = v.z * v.z;
  return axis + (float3)(sqrt_rn(y2 + z2), sqrt_rn(z2 + x2), sqrt_rn(x2 + y2)) * s.x;
}

float cylinder_reach_along(const Body* b, float3 n) {
  return b->size.y * abs_f(dot3(b->z, n)) + b->size.x * length3(cross3(b->z, n));
}

// The direction in which a cylinder's rim is farthest along -m; zero where m is along the axis.
float3 rim_direction(const Body* b, float3 m) {
  return -unit3(across_axis(b, m));
}

float3 cylinder_lowest_point(const Body* b, float3 m) {
  const float3 base = b->z * (-sign_f(dot3(b->z, m)) * b->size.y);
  return base + rim_direction(b, m) * b->size.x;
}

float cylinder_outside_distance(const Body* b, float3 q) {
  const float z = dot3(q, b->z);
  const float r = length3(q - b->z * z);
  return max_f(max_f(r - b->size.x, abs_f(z) - b->size.y), 0.0f);
}

bool cylinder_line_inside(const Body* b, float3 q, float3 d, float* t0, float* t1) {
  return inside_round_side(b, q, d, t0, t1);
}

#endif

#line 9 "kernels/shapes/body.clh"
#line 1 "kernels/shapes/sphere.clh"
// The sphere. What each function is: shapes/body.clh.
#ifndef OCLIDE_SHAPES_SPHERE_CLH
#define OCLIDE_SHAPES_SPHERE_CLH
#line 5 "kernels/shapes/sphere.clh"
#pragma OPENCL FP_CONTRACT OFF

float sphere_bounding_radius(const Body* b) {
  return b->size.x;
}

float3 sphere_extents(const Body* b) {
  return (float3)(b->size.x, b->size.x, b->size.x);
}

float sphere_reach_along(const Body* b, float3 n) {
  return b->size.x * sqrt_rn(dot3(n, n));
}

float3 sphere_lowest_point(const Body* b, float3 m) {
  return unit3(m) * -b->size.x;
}

float sphere_outside_distance(const Body* b, float3 q) {
  return max_f(length3(q) - b->size.x, 0.0f);
}

bool sphere_line_inside(const Body* b, float3 q, float3 d, float* t0, float* t1) {
  return inside_ball_interval(q, d, b->size.x, t0, t1);
}

#endif

#line 10 "kernels/shapes/body.clh"
#line 11 "kernels/shapes/body.clh"
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

#line 12 "kernels/shapes/body.clh"
#pragma OPENCL FP_CONTRACT OFF

// A shape in neither class would be passed over where a class is gone through.
typedef char every_convex_shape_is_sharp_or_rounded[(SHARP_SHAPES ^ ROUNDED_SHAPES) == CONVEX_SHAPES ? 1 : -1];
typedef char every_convex_shape_is_sided_or_sideless[(SIDED_SHAPES ^ SIDELESS_SHAPES) == CONVEX_SHAPES ? 1 : -1];

// Is the shape symmetric about its centre? With OCLIDE_NO_SYMMETRY kernels take none for that, so that tests can hold
// what is done with symmetric shapes alone against what is done with any.
#ifndef OCLIDE_NO_SYMMETRY
#define TAKEN_AS_SYMMETRIC SYMMETRIC_SHAPES
#else
#define TAKEN_AS_SYMMETRIC 0u
#endif
#define ALL_ARE_SYMMETRIC (TAKEN_AS_SYMMETRIC == BOUNDED_SHAPES)
bool is_symmetric(uint shape) {
  return ALL_ARE_SYMMETRIC || (TAKEN_AS_SYMMETRIC >> shape & 1u) != 0u;
}

// Of the bounding sphere about the centre.
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return name##_bounding_radius(b);
float bounding_radius(uint shape, const Body* b) {
  switch (shape) { OCLIDE_BOUNDED_SHAPES(OCLIDE_CASE) }
  return 0.0f;
}
#undef OCLIDE_CASE

// The point that stands for the body where the ground is asked over one point alone (docs/terrain_contacts.md).
float3 body_centre(uint shape, const Body* b) {
  return shape == SHAPE_CONVEX_HULL ? out_of_body(b, hull_point(b->hull, HULL_MIDDLE)) : (float3)(0.0f, 0.0f, 0.0f);
}

// Axes from a unit quaternion w, x, y, z. `hulls`: those of the scene (shared/hulls.h).
Body body_at(uint shape, float3 size, float w, float x, float y, float z, __global const uint* hulls) {
  Body b;
  b.x = (float3)(1.0f - 2.0f * (y * y + z * z), 2.0f * (x * y + w * z), 2.0f * (x * z - w * y));
  b.y = (float3)(2.0f * (x * y - w * z), 1.0f - 2.0f * (x * x + z * z), 2.0f * (y * z + w * x));
  b.z = (float3)(2.0f * (x * z + w * y), 2.0f * (y * z - w * x), 1.0f - 2.0f * (x * x + y * y));
  b.size = size;
  b.hull = shape == SHAPE_CONVEX_HULL || shape == SHAPE_TRIANGLE_MESH ? hull_record(hulls, size.x) : hulls;
  b.radius_bound = bounding_radius(shape, &b);
  return b;
}

// How far the body reaches from its centre along n, times |n|.
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return name##_reach_along(b, n);
float reach_along(uint shape, const Body* b, float3 n) {
  switch (shape) { OCLIDE_CONVEX_SHAPES(OCLIDE_CASE) }
  return 0.0f;
}
#undef OCLIDE_CASE

// Half extents along the world's axes, of symmetric shapes.
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return name##_extents(b);
float3 body_extents(uint shape, const Body* b) {
  switch (shape) { OCLIDE_SYMMETRIC_SHAPES(OCLIDE_CASE) }
  return (float3)(0.0f, 0.0f, 0.0f);
}
#undef OCLIDE_CASE

// The corners of the box along the world's axes around a body.
typedef struct BodyBox {
  float3 low, high;  // relative to its centre [m]
} BodyBox;

BodyBox body_box(uint shape, const Body* b) {
  BodyBox box;
  if (is_symmetric(shape)) {
    box.high = body_extents(shape, b);
    box.low = -box.high;
    return box;
  }
  // Of a mesh that of the box around it, which its record has as a hull's has its vertices.
  if (shape == SHAPE_CONVEX_HULL || shape == SHAPE_TRIANGLE_MESH) {
    convex_hull_box(b, &box.low, &box.high);
    return box;
  }
  const float3 x = (float3)(1.0f, 0.0f, 0.0f), y = (float3)(0.0f, 1.0f, 0.0f), z = (float3)(0.0f, 0.0f, 1.0f);
  box.high = (float3)(reach_along(shape, b, x), reach_along(shape, b, y), reach_along(shape, b, z));
  box.low = -(float3)(reach_along(shape, b, -x), reach_along(shape, b, -y), reach_along(shape, b, -z));
  return box;
}

// Is the whole body above the plane through `point` (relative to its centre) with this normal (of any length, z > 0),
// by more than margin and rounding? Then it touches nothing that lies in the plane.
bool clears_plane(uint shape, const Body* b, float3 point, float3 normal, float margin) {
  const float size = abs_f(normal.x) + abs_f(normal.y) + abs_f(normal.z);
  const float slack = (margin + 2e-5f) * size +
                      4e-7f * ((abs_f(point.x * normal.x) + abs_f(point.y * normal.y)) + abs_f(point.z * normal.z));
  const float away = dot3(point, normal);
  // Mostly a hull's box and the ball in it tell.
  if (shape == SHAPE_CONVEX_HULL) {
    float least, most;
    convex_hull_reach_bounds(b, -normal, &least, &most);
    if ((away + most) + slack < 0.0f) return true;
    if (away + least > 0.0f) return false;
  }
  return (away + reach_along(shape, b, -normal)) + slack < 0.0f;
}

// Farthest point of the body along -m (m of any length but 0).
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return name##_lowest_point(b, m);
float3 lowest_point(uint shape, const Body* b, float3 m) {
  switch (shape) { OCLIDE_CONVEX_SHAPES(OCLIDE_CASE) }
  return (float3)(0.0f, 0.0f, 0.0f);
}
#undef OCLIDE_CASE

// How far q is outside the body, 0 inside: a lower bound of the distance, exact off a face; off a corner the distance
// is up to WIDE_MARGIN times as much.
#define WIDE_MARGIN 1.75f
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return name##_outside_distance(b, q);
float outside_distance(uint shape, const Body* b, float3 q) {
  switch (shape) { OCLIDE_CONVEX_SHAPES(OCLIDE_CASE) }
  return 0.0f;
}
#undef OCLIDE_CASE

// The line q + t * d inside the body: [*t0, *t1]. False where it misses.
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return name##_line_inside(b, q, d, t0, t1);
bool line_inside(uint shape, const Body* b, float3 q, float3 d, float* t0, float* t1) {
  switch (shape) { OCLIDE_CONVEX_SHAPES(OCLIDE_CASE) }
  return false;
}
#undef OCLIDE_CASE

#endif

#line 6 "kernels/motion/moving.clh"
#line 7 "kernels/motion/moving.clh"
#pragma OPENCL FP_CONTRACT OFF

// Beside the shapes of bodies: a triangle, and all below one. Corners are seen from the first one, which is the
// position.
#define SOLID_TRIANGLE (SHAPES_END + 0u)
#define SOLID_PRISM (SHAPES_END + 1u)

typedef struct Moving {
  uint shape;  // SHAPE_* or SOLID_*
  float3 size;
  float4 orientation;  // w, x, y, z
  TwoFloat3 position;  // at the begin
  TwoFloat3 displacement;
  float3 axis;
  TwoFloat angle;
  float3 arm;
  float3 first, second;  // of a triangle: its other corners from its position, in its own axes
} Moving;

// As it is at a time: its body, and its position from the one that its displacement alone brings it to.
typedef struct Placed {
  Body body;
  float3 swing;
} Placed;

// Sine and cosine of any angle that is no more than 1e7: by quarter turns, then by series.
#define QUARTER_TURN_HIGH 1.57079637f
#define QUARTER_TURN_LOW -4.37113883e-8f
float2 sine_cosine(TwoFloat angle) {
  const float quarters = (float)floor_i(angle.hi * 0.636619747f + 0.5f);
  const TwoFloat rest = two_sub(angle, two_scale(quarters, two_float(QUARTER_TURN_HIGH, QUARTER_TURN_LOW)));
  const float x = rest.hi + rest.lo, x2 = x * x;
  const float sine =
      x + x * x2 *
              (-0.166666667f +
               x2 * (8.33333333e-3f + x2 * (-1.98412698e-4f + x2 * (2.75573192e-6f - x2 * 2.50521084e-8f))));
  const float cosine =
      1.0f + x2 * (-0.5f +
                   x2 * (4.16666667e-2f + x2 * (-1.38888889e-3f +
                                                x2 * (2.48015873e-5f + x2 * (-2.75573192e-7f + x2 * 2.08767570e-9f)))));
  const int quadrant = (int)quarters & 3;
  const float s = (quadrant & 1) != 0 ? cosine : sine, c = (quadrant & 1) != 0 ? sine : cosine;
  return (float2)((quadrant & 2) != 0 ? -s : s, quadrant == 1 || quadrant == 2 ? -c : c);
}

// A quaternion w, x, y, z; the product a b, and v turned by it.
float4 quaternion_product(float4 a, float4 b) {
  return (float4)((a.x * b.x - a.y * b.y) - (a.z * b.z + a.w * b.w), (a.x * b.y + a.y * b.x) + (a.z * b.w - a.w * b.z),
                  (a.x * b.z + a.z * b.x) + (a.w * b.y - a.y * b.w), (a.x * b.w + a.w * b.x) + (a.y * b.z - a.z * b.y));
}
float3 turned_by(float4 q, float3 v) {
  const float3 u = q.yzw, w = cross3(u, v);
  return v + (w * q.x + cross3(u, w)) * 2.0f;
}

bool turns(const Moving* m) {
  return m->angle.hi != 0.0f;
}

INLINED void place_at(const Moving* m, TwoFloat time, __global const uint* hulls, Placed* placed) {
  float4 q = m->orientation;
  placed->swing = (float3)(0.0f, 0.0f, 0.0f);
  if (turns(m)) {
    const float2 half_turn = sine_cosine(two_scale(0.5f, two_times(time, m->angle)));
    const float4 turn = (float4)(half_turn.y, m->axis * half_turn.x);
    q = quaternion_product(turn, q);
    placed->swing = turned_by(turn, m->arm) - m->arm;
  }
  if (m->shape < SHAPES_END) {
    placed->body = body_at(m->shape, m->size, q.x, q.y, q.z, q.w, hulls);
  } else {
    // Its corners stand where a body has its axes.
    placed->body.x = turns(m) || q.x != 1.0f ? turned_by(q, m->first) : m->first;
    placed->body.y = turns(m) || q.x != 1.0f ? turned_by(q, m->second) : m->second;
    placed->body.z = (float3)(0.0f, 0.0f, 0.0f);
    placed->body.size = m->size;
    placed->body.hull = hulls;
    placed->body.radius_bound = max_f(length3(m->first), length3(m->second));
  }
}

// From one position to another at a time, `from` at the begin, where the first moves on by `step`.
float3 way_to(const TwoFloat3* from, const TwoFloat3* step, TwoFloat time) {
  const TwoFloat x = two_sub(from->x, two_times(time, step->x)), y = two_sub(from->y, two_times(time, step->y)),
                 z = two_sub(from->z, two_times(time, step->z));
  return (float3)(x.hi + x.lo, y.hi + y.lo, z.hi + z.lo);
}
// From a's position to b's, without their swings.
float3 way_between(const Moving* a, const Moving* b, TwoFloat time) {
  const TwoFloat3 from = two_sub3(b->position, a->position), step = two_sub3(a->displacement, b->displacement);
  return way_to(&from, &step, time);
}

// No point of the solid moves faster than this by its turning [m a frame]. What is round about its own axis does not
// move by turning about that, and its axis keeps its angle with the axis of rotation.
float turning_speed(const Moving* m, float radius) {
  if (!turns(m)) return 0.0f;
  const float arm = length3(m->arm), rate = m->angle.hi * 1.000001f;
  if (m->shape == SHAPE_SPHERE) return rate * arm;
  if (m->shape == SHAPE_CYLINDER || m->shape == SHAPE_CAPSULE) {
    const float4 q = m->orientation;
    const float3 own =
        (float3)(2.0f * (q.y * q.w + q.x * q.z), 2.0f * (q.z * q.w - q.x * q.y), 1.0f - 2.0f * (q.y * q.y + q.z * q.z));
    const float tilt = length3(cross3(own, m->axis));
    return rate * ((tilt < 1e-6f ? 0.0f : tilt * 1.00001f) * radius + arm);
  }
  return rate * (radius + arm);
}

// What a record says of its motion. It is no triangle.
INLINED void set_motion(Moving* m, __global const MotionRecord* record) {
  m->displacement = two_float3(record->displacement_high, record->displacement_low);
  m->axis = (float3)(record->axis[0], record->axis[1], record->axis[2]);
  m->angle = two_float(record->angle_high, record->angle_low);
  m->arm = (float3)(record->arm[0], record->arm[1], record->arm[2]);
  m->first = m->second = (float3)(0.0f, 0.0f, 0.0f);
}

Moving moving_body(__global const BodyState* s, __global const MotionRecord* record) {
  Moving m;
  m.shape = s->shape;
  m.size = (float3)(s->size[0], s->size[1], s->size[2]);
  m.orientation = (float4)(s->orientation[0], s->orientation[1], s->orientation[2], s->orientation[3]);
  m.position = two_float3(s->position_high, s->position_low);
  set_motion(&m, record);
  return m;
}

// How far from its position without swing a point of the body can be, for all of the frame.
float moving_reach(const Moving* m, float radius) {
  return turns(m) ? (radius + 2.0f * length3(m->arm)) * 1.00001f : radius;
}

// How far its turning moves any point of the body to any side, at most.
float turning_reach(const Moving* m, float radius) {
  return min_f(turning_speed(m, radius), 2.0f * moving_reach(m, radius));
}

// The times of the frame at which two positions that are `way` apart and part by `step` over it are within `reach` of
// each other, rather too many: none where the first is after the second.
float2 times_within(float3 way, float3 step, float reach) {
  const float step2 = dot3(step, step), size = length3(way) + sqrt_rn(step2);
  const float room = reach * 1.00001f + 1e-4f + 2e-6f * size;
  if (step2 < 1e-12f) return dot3(way, way) <= room * room ? (float2)(0.0f, 1.0f) : (float2)(1.0f, 0.0f);
  const float nearest = div_rn(-dot3(way, step), step2);
  const float away = length3(way + step * nearest);
  if (away > room) return (float2)(1.0f, 0.0f);
  const float half_time = div_rn(sqrt_rn((room - away) * (room + away)), sqrt_rn(step2)) + 1e-6f;
  return (float2)(max_f(nearest - half_time, 0.0f), min_f(nearest + half_time, 1.0f));
}

#endif

#line 7 "kernels/motion/gjk.clh"
#pragma OPENCL FP_CONTRACT OFF

#define GJK_STEPS 40
#define GJK_PART 0.05f

#define KEPT_DISTANCE 1.5e-5f  // [m] that each advance leaves

// Balls and capsules are their cores, a point or a line, and a radius around it.
float core_radius(uint shape, const Body* b) {
  return shape == SHAPE_SPHERE || shape == SHAPE_CAPSULE ? b->size.x : 0.0f;
}

// The point of the core farthest along -d, from the solid's position.
float3 core_point(uint shape, const Body* b, float3 d) {
  if (shape == SHAPE_SPHERE) return (float3)(0.0f, 0.0f, 0.0f);
  if (shape == SHAPE_CAPSULE) return b->z * (dot3(b->z, d) > 0.0f ? -b->size.y : b->size.y);
  if (shape < SHAPES_END) return lowest_point(shape, b, d);
  const float first = dot3(b->x, d), second = dot3(b->y, d);
  float3 corner = (float3)(0.0f, 0.0f, 0.0f);
  if (first < 0.0f && first <= second) corner = b->x;
  if (second < 0.0f && second < first) corner = b->y;
  return shape == SOLID_PRISM && d.z > 0.0f ? corner + b->z : corner;
}

typedef struct Simplex {
  float3 w[4];  // of the difference a - b
  float3 a[4];  // on a
  float part[4];
  uint count;
} Simplex;

void keep_corners(Simplex* s, uint i, float pi, uint j, float pj, uint k, float pk, uint count) {
  const float3 wi = s->w[i], wj = s->w[j], wk = s->w[k], ai = s->a[i], aj = s->a[j], ak = s->a[k];
  s->w[0] = wi;
  s->w[1] = wj;
  s->w[2] = wk;
  s->a[0] = ai;
  s->a[1] = aj;
  s->a[2] = ak;
  s->part[0] = pi;
  s->part[1] = pj;
  s->part[2] = pk;
  s->count = count;
}

// The point of a line's part i j nearest to the origin: how much of j.
float nearest_of_line(float3 a, float3 b) {
  const float3 d = b - a;
  const float d2 = dot3(d, d);
  return d2 > 0.0f ? clamp01(div_rn(-dot3(a, d), d2)) : 0.0f;
}

// Of a triangle: parts of its three corners (Ericson, Real-Time Collision Detection, 2005, 5.1.5).
float3 nearest_of_corners(float3 a, float3 b, float3 c) {
  const float3 ab = b - a, ac = c - a;
  const float d1 = -dot3(ab, a), d2 = -dot3(ac, a);
  if (d1 <= 0.0f && d2 <= 0.0f) return (float3)(1.0f, 0.0f, 0.0f);
  const float d3 = -dot3(ab, b), d4 = -dot3(ac, b);
  if (d3 >= 0.0f && d4 <= d3) return (float3)(0.0f, 1.0f, 0.0f);
  const float vc = d1 * d4 - d3 * d2;
  if (vc <= 0.0f && d1 >= 0.0f && d3 <= 0.0f) {
    const float t = div_rn(d1, d1 - d3);
    return (float3)(1.0f - t, t, 0.0f);
  }
  const float d5 = -dot3(ab, c), d6 = -dot3(ac, c);
  if (d6 >= 0.0f && d5 <= d6) return (float3)(0.0f, 0.0f, 1.0f);
  const float vb = d5 * d2 - d1 * d6;
  if (vb <= 0.0f && d2 >= 0.0f && d6 <= 0.0f) {
    const float t = div_rn(d2, d2 - d6);
    return (float3)(1.0f - t, 0.0f, t);
  }
  const float va = d3 * d6 - d5 * d4;
  if (va <= 0.0f && d4 - d3 >= 0.0f && d5 - d6 >= 0.0f) {
    const float t = div_rn(d4 - d3, (d4 - d3) + (d5 - d6));
    return (float3)(0.0f, 1.0f - t, t);
  }
  const float sum = (va + vb) + vc;
  if (!(sum > 0.0f)) return (float3)(1.0f, 0.0f, 0.0f);
  const float v = div_rn(vb, sum), w = div_rn(vc, sum);
  return (float3)((1.0f - v) - w, v, w);
}

// Leaves of the simplex the corners that its point nearest to the origin is between, and sets their parts of it. False
// where the origin is inside.
bool reduce_simplex(Simplex* s) {
  if (s->count == 1u) {
    s->part[0] = 1.0f;
    return true;
  }
  if (s->count == 2u) {
    const float t = nearest_of_line(s->w[0], s->w[1]);
    if (t <= 0.0f)
      keep_corners(s, 0u, 1.0f, 0u, 0.0f, 0u, 0.0f, 1u);
    else if (t >= 1.0f)
      keep_corners(s, 1u, 1.0f, 1u, 0.0f, 1u, 0.0f, 1u);
    else
      keep_corners(s, 0u, 1.0f - t, 1u, t, 1u, 0.0f, 2u);
    return true;
  }
  uint corners[3] = {0u, 1u, 2u};
  float3 parts = (float3)(1.0f, 0.0f, 0.0f);
  if (s->count == 3u) {
    parts = nearest_of_corners(s->w[0], s->w[1], s->w[2]);
  } else {
    // Of the sides that the origin is beyond the nearest.
    float least = MAXFLOAT;
    for (uint k = 0u; k < 4u; ++k) {
      const uint i = k == 0u ? 1u : 0u, j = k <= 1u ? 2u : 1u, l = k <= 2u ? 3u : 2u;
      const float3 a = s->w[i], b = s->w[j], c = s->w[l], n = cross3(b - a, c - a);
      const float of_corner = dot3(n, s->w[k] - a), of_origin = -dot3(n, a);
      // Beyond, on it, or of a tetrahedron that is flat.
      if (of_corner * of_origin > 0.0f && abs_f(of_corner) > 1e-7f * length3(n) * (length3(s->w[k] - a))) continue;
      const float3 p = nearest_of_corners(a, b, c);
      const float3 point = (a * p.x + b * p.y) + c * p.z;
      const float distance2 = dot3(point, point);
      if (!(distance2 < least)) continue;
      least = distance2;
      parts = p;
      corners[0] = i;
      corners[1] = j;
      corners[2] = l;
    }
    if (least == MAXFLOAT) return false;
  }
  uint kept[3] = {0u, 0u, 0u};
  float of_kept[3] = {0.0f, 0.0f, 0.0f};
  uint count = 0u;
  if (parts.x > 0.0f) kept[count] = corners[0], of_kept[count++] = parts.x;
  if (parts.y > 0.0f) kept[count] = corners[1], of_kept[count++] = parts.y;
  if (parts.z > 0.0f) kept[count] = corners[2], of_kept[count++] = parts.z;
  keep_corners(s, kept[0], of_kept[0], kept[1], of_kept[1], kept[2], of_kept[2], count);
  return true;
}

// How fast a may come to b: along a unit normal n from b no faster than turning - velocity . n, both over the frame
// [m].
typedef struct Closing {
  float3 velocity;
  float turning;
  float remaining;  // of the frame
} Closing;

// What is known of a distance: it is `least` at least, along the unit normal from b toward a; and `most`, from a point
// of a's core that is given from a's position. For `safe` of the frame they stay apart.
typedef struct Distance {
  float least, most;
  float3 normal, point;
  float safe;
} Distance;
INLINED void know_nothing(Distance* found, float3 normal) {
  found->least = -MAXFLOAT;
  found->most = MAXFLOAT;
  found->safe = 0.0f;
  found->normal = normal;
  found->point = (float3)(0.0f, 0.0f, 0.0f);
}

// Of the cores: adds to what is known. `way`: from a's position to b's. `radii`: of both around their cores.
// `rounding`: what the distance, and differences of points, may be off by [m]. It ends where the two bounds are as near
// to each other as is asked for: a part of the distance. The search begins along `found`'s normal. True where they stay
// apart for all that remains.
//
// `polishes`: they touch; the search goes on as far as numbers tell anything, and its last normal and point count.
// Round edges need that: as far along them as a distance says nothing of, the other solid's surface may be off by a
// millimetre.
//
// `apart`: for the search a is moved by so much. Near to each other a direction that is made of two points says little;
// taken apart along their normal the two have the same one, and the same nearest points.
INLINED bool core_distance(uint shape_a, const Body* body_a, uint shape_b, const Body* body_b, float3 way, float radii,
                           float rounding, const Closing* closing, float3 apart, bool polishes, Distance* found) {
  Simplex s;
  s.count = 0u;
  float3 v = found->normal;
  float bound = -MAXFLOAT;
  const bool is_apart = dot3(apart, apart) > 0.0f;
  const float resolved = 0.25f * rounding + 1e-6f, slack = polishes ? 0.25f * rounding : 0.0f;
  ROLLED
  for (int step = 0; step < GJK_STEPS; ++step) {
    const float length = length3(v);
    if (!(length > 1e-9f)) {
      if (!is_apart) found->most = 0.0f;
      return false;
    }
    const float3 n = v * div_rn(1.0f, length);
    const float3 on_a = core_point(shape_a, body_a, n), on_b = way + core_point(shape_b, body_b, -n);
    const float3 difference = on_a - on_b, w = difference + apart;
    bound = max_f(bound, dot3(w, n));
    const float below = dot3(difference, n), room = ((max_f(below, 0.0f) - radii) - rounding) - KEPT_DISTANCE;
    if (room > 0.0f && !polishes) {
      const float speed = closing->turning - dot3(closing->velocity, n);
      if (room >= speed * closing->remaining) return true;
      found->safe = max_f(found->safe, div_rn(room, speed));
    }
    if (below > found->least - slack) {
      found->least = max_f(found->least, below);
      found->normal = n;
    }
    if (!polishes && s.count > 0u &&
        length - bound <= GJK_PART * max_f((found->least - radii) - 1e-4f, 0.0f) + resolved)
      return false;
    for (uint k = 0u; k < s.count; ++k) {
      const float3 off = s.w[k] - w;
      if (dot3(off, off) <= 1e-14f * dot3(w, w)) return false;
    }
    s.w[s.count] = w;
    s.a[s.count] = on_a;
    ++s.count;
    if (!reduce_simplex(&s)) {
      if (!is_apart) found->most = 0.0f;
      return false;
    }
    float3 point = (float3)(0.0f, 0.0f, 0.0f);
    v = point;
    for (uint k = 0u; k < s.count; ++k) {
      v += s.w[k] * s.part[k];
      point += s.a[k] * s.part[k];
    }
    const float most = length3(v - apart), nearest = length3(v);
    if (s.count == 3u) {
      // The normal of its plane: the differences of its corners are more exact than a point near the origin that is put
      // together from them. Of corners close together it says nothing.
      const float3 plane = unit3(cross3(s.w[1] - s.w[0], s.w[2] - s.w[0]));
      const float distance = dot3(plane, s.w[0]);
      if (abs_f(nearest - abs_f(distance)) <= 4e-6f * length3(s.w[0]) && dot3(plane, plane) > 0.0f)
        v = (distance < 0.0f ? -plane : plane) * max_f(abs_f(distance), 1e-8f);
    }
    if (most < found->most + slack) {
      found->most = min_f(found->most, most);
      // The solid whose corners lie closer together says more exactly where it is.
      const float3 a1 = s.a[1] - s.a[0], a2 = s.a[2] - s.a[0], b1 = a1 - (s.w[1] - s.w[0]), b2 = a2 - (s.w[2] - s.w[0]);
      const float spread_a = (s.count > 1u ? dot3(a1, a1) : 0.0f) + (s.count > 2u ? dot3(a2, a2) : 0.0f);
      const float spread_b = (s.count > 1u ? dot3(b1, b1) : 0.0f) + (s.count > 2u ? dot3(b2, b2) : 0.0f);
      if (spread_b < spread_a) {
        point = unit3(v - apart) * most + apart;
        for (uint k = 0u; k < s.count; ++k) point += (s.a[k] - s.w[k]) * s.part[k];
      }
      found->point = point;
    }
  }
  return false;
}

#endif

#line 7 "kernels/motion/first_touch.clh"
#pragma OPENCL FP_CONTRACT OFF

#define TOUCH_DISTANCE 4e-5f  // [m] they touch where they are as near as that, beside rounding
#define LEAST_STEP 5e-6f      // [m] that they come nearer in a step, at most, wherever rounding leaves less

#define PART_APART 0.01f  // of the smaller one's radius: how far they are taken apart for a search, core_distance()

// Small steps that are taken where rounding leaves open whether they touch; then they count as touching. Of bodies of
// ten metres and more the search for their distance may come to its end so.
#define MOST_UNRESOLVED 8u

typedef struct Touch {
  TwoFloat time;
  float3 normal;  // from b toward a
  float3 point;   // on a, from its position without swing
  float gap;      // from there to b along the normal [m]
  bool overlaps;  // they do so from the begin
} Touch;

// The times at which the balls around both, wherever they turn, are within reach of each other.
INLINED float2 times_of_balls(const Moving* a, const Moving* b, __global const uint* hulls) {
  const TwoFloat begin = two_float(0.0f, 0.0f);
  Placed at_a, at_b;
  place_at(a, begin, hulls, &at_a);
  place_at(b, begin, hulls, &at_b);
  return times_within(way_between(a, b, begin), high_of(two_sub3(b->displacement, a->displacement)),
                      moving_reach(a, at_a.body.radius_bound) + moving_reach(b, at_b.body.radius_bound));
}

// Of any length; up where there is none.
float3 direction_of(float3 v) {
  const float3 n = unit3(v);
  return dot3(n, n) > 0.0f ? n : (float3)(0.0f, 0.0f, 1.0f);
}

bool is_round(uint shape) {
  return shape == SHAPE_SPHERE || shape == SHAPE_CAPSULE || shape == SHAPE_CYLINDER;
}

// How far the search has come.
typedef struct Approach {
  TwoFloat time;
  float3 direction;  // along which the last step found them apart, or zero
  uint unresolved;   // steps so far that rounding left open
  bool touches;
} Approach;

// Later by so much of the frame. False beyond the end of `times` and beyond `limit`.
INLINED bool advance(Approach* at, float by, float2 times, TwoFloat limit) {
  at->time = two_add(at->time, two_float(by, 0.0f));
  return !((at->time.hi - times.y) + at->time.lo > 0.0f) &&
         !((at->time.hi - limit.hi) + (at->time.lo - limit.lo) > 0.0f);
}

// One step: at its time, as they stand there, do they touch? Moves on the time where not; false where they do not touch
// by the end of `times`, nor by `limit`.
INLINED bool approach(uint shape_a, const Body* body_a, uint shape_b, const Body* body_b, float3 way, float3 velocity,
                      float turning, float2 times, TwoFloat limit, Approach* at, Distance* distance) {
  const float radii = core_radius(shape_a, body_a) + core_radius(shape_b, body_b);
  const float rounding = 4e-7f * ((body_a->radius_bound + body_b->radius_bound) + length3(way));
  Closing closing;
  closing.velocity = velocity;
  closing.turning = turning;
  closing.remaining =
      min_f((times.y - at->time.hi) - at->time.lo, (limit.hi - at->time.hi) + (limit.lo - at->time.lo)) + 1e-6f;
  know_nothing(distance, dot3(at->direction, at->direction) > 0.0f ? at->direction : direction_of(-way));
  float3 apart = (float3)(0.0f, 0.0f, 0.0f);
  at->touches = false;
  float least;
  ROLLED
  for (uint attempt = 0u;; ++attempt) {
    if (core_distance(shape_a, body_a, shape_b, body_b, way, radii, rounding, &closing, apart, at->touches, distance))
      return false;
    if (at->touches) return true;
    const float most = distance->most - radii;
    least = (max_f(distance->least, 0.0f) - radii) - rounding;
    apart = distance->normal * (PART_APART * min_f(body_a->radius_bound, body_b->radius_bound));
    const bool overlap = most <= -1e-4f || distance->most == 0.0f;
    // They are apart, or overlap, or both bounds are the same.
    const bool is_known =
        least > 2e-4f || overlap || distance->most - distance->least <= 0.5f * rounding + 2e-6f || attempt == 2u;
    if (!is_known) continue;
    at->touches = most <= TOUCH_DISTANCE + 0.5f * rounding || (least <= KEPT_DISTANCE && most <= 6e-5f) ||
                  at->unresolved == MOST_UNRESOLVED;
    if (!at->touches || overlap || !(is_round(shape_a) || is_round(shape_b))) break;
  }
  if (at->touches) return true;
  if (least <= KEPT_DISTANCE) ++at->unresolved;
  const float speed = turning - dot3(velocity, distance->normal);
  if (!(speed > 0.0f)) return false;
  return advance(at, max_f(distance->safe, div_rn(LEAST_STEP, speed)), times, limit);
}

// Within these times of the frame, at others they are apart. False where they do not touch, or later than at `limit`;
// then `touch` is as before.
OUTLINED bool first_touch(const Moving* a, const Moving* b, __global const uint* hulls, float2 times, TwoFloat limit,
                         Touch* touch) {
  if (times.x > times.y || times.x - limit.hi > limit.lo) return false;
  const float3 velocity = high_of(two_sub3(a->displacement, b->displacement));
  Approach at;
  at.time = two_float(times.x, 0.0f);
  at.direction = (float3)(0.0f, 0.0f, 0.0f);
  at.unresolved = 0u;
  Placed at_a, at_b;
  Distance distance;
  bool begins = true;
  ROLLED
  while (true) {
    if (begins || turns(a)) place_at(a, at.time, hulls, &at_a);
    if (begins || turns(b)) place_at(b, at.time, hulls, &at_b);
    begins = false;
    const TwoFloat time = at.time;
    const float3 way = way_between(a, b, time) + (at_b.swing - at_a.swing);
    const float turning = (turning_speed(a, at_a.body.radius_bound) + turning_speed(b, at_b.body.radius_bound)) +
                          1e-6f * length3(velocity);
    if (!approach(a->shape, &at_a.body, b->shape, &at_b.body, way, velocity, turning, times, limit, &at, &distance))
      return false;
    if (!at.touches) continue;
    const float radius = core_radius(a->shape, &at_a.body), radii = radius + core_radius(b->shape, &at_b.body);
    touch->time = time;
    touch->normal = distance.normal;
    touch->point = (distance.point - distance.normal * radius) + at_a.swing;
    touch->gap = max_f(distance.most - radii, 0.0f);
    touch->overlaps = time.hi == 0.0f && distance.least - radii <= -1e-4f;
    return true;
  }
}

#endif

#line 5 "kernels/motion/touch_record.clh"
#pragma OPENCL FP_CONTRACT OFF

// The touch of b with a, which is far from its position: the point is on a, from b's position.
INLINED void turn_touch(Touch* touch) {
  touch->point -= touch->normal * touch->gap;
  touch->normal = -touch->normal;
}

// Of a body that overlaps what it touches by more than rounding the normal is `normal`, and the point where it reaches
// farthest against that.
INLINED void set_overlap(Touch* touch, const Moving* m, __global const uint* hulls, float3 normal) {
  Placed placed;
  place_at(m, two_float(0.0f, 0.0f), hulls, &placed);
  touch->normal = normal;
  touch->point = lowest_point(m->shape, &placed.body, normal);
  touch->gap = 0.0f;
}

void store_touch(__global ImpactRecord* to, const Touch* touch, uint body_a, uint body_b, uint element, uint material) {
  to->time_high = touch->time.hi;
  to->time_low = touch->time.lo;
  to->body_a = body_a;
  to->body_b = body_b;
  to->point[0] = touch->point.x;
  to->point[1] = touch->point.y;
  to->point[2] = touch->point.z;
  to->element = element;
  to->normal[0] = touch->normal.x;
  to->normal[1] = touch->normal.y;
  to->normal[2] = touch->normal.z;
  to->material = material;
}

#endif

#line 7 "kernels/queries/sweep_meshes.cl"
#pragma OPENCL FP_CONTRACT OFF

// Of two times: is a before b, or the same and its element lower?
bool is_before(TwoFloat a, uint element, TwoFloat b, uint other) {
  const float later = (a.hi - b.hi) + (a.lo - b.lo);
  return later < 0.0f || (later == 0.0f && element < other);
}

__attribute__((vec_type_hint(float4))) __kernel void queries_sweep_meshes(const uint count, __global const uint2* pairs,
                                                                          __global const BodyState* states,
                                                                          __global const MotionRecord* motion,
                                                                          __global const uint* hulls,
                                                                          __global uint* stored,
                                                                          __global ImpactRecord* impacts) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  const uint2 pair = pairs[item];
  const bool mesh_first = states[pair.x].shape == SHAPE_TRIANGLE_MESH;
  if (!mesh_first && states[pair.y].shape != SHAPE_TRIANGLE_MESH) return;
  __global const BodyState* s = states + (mesh_first ? pair.y : pair.x);
  __global const BodyState* o = states + (mesh_first ? pair.x : pair.y);
  const Moving a = moving_body(s, motion + s->body), b = moving_body(o, motion + o->body);
  __global const uint* mesh = hull_record(hulls, b.size.x);
  const Body body = body_at(a.shape, a.size, a.orientation.x, a.orientation.y, a.orientation.z, a.orientation.w, hulls);

  // Where the body comes to, in the mesh's axes at the begin.
  const TwoFloat3 way = two_sub3(a.position, b.position), motion_of_a = two_sub3(a.displacement, b.displacement);
  TwoFloat3 begin, step;
  two_into_axes(o->orientation, &way, &begin);
  two_into_axes(o->orientation, &motion_of_a, &step);
  const float3 p = high_of(begin), d = high_of(step);
  float reach = moving_reach(&a, body.radius_bound) + 2e-4f +
                2e-6f * ((length3(p) + length3(d)) + mesh_number(mesh, MESH_RADIUS));
  float3 low = (float3)(min_f(p.x, p.x + d.x), min_f(p.y, p.y + d.y), min_f(p.z, p.z + d.z));
  float3 high = (float3)(max_f(p.x, p.x + d.x), max_f(p.y, p.y + d.y), max_f(p.z, p.z + d.z));
  if (turns(&b)) {
    // Around all that the mesh turns about.
    const float arm = length3(b.arm), around = (length3(p) + length3(d)) + 2.0f * arm;
    low = (float3)(-around, -around, -around);
    high = -low;
  }
  low -= reach;
  high += reach;

  Touch best;
  best.time = two_float(2.0f, 0.0f);
  best.normal = best.point = (float3)(0.0f, 0.0f, 0.0f);
  uint element = 0xFFFFFFFFu, material = 0u;
  if (mesh[MESH_IS_SOLID] != 0u) {
    const float3 middle = body_centre(a.shape, &body);
    const float4 back = (float4)(b.orientation.x, -b.orientation.yzw);
    const float3 in_mesh = turned_by(back, middle);
    if (winding_number(mesh, p, low_of(begin) + in_mesh) > 0) {
      best.time = two_float(0.0f, 0.0f);
      best.gap = 0.0f;
      const uint nearest = as_uint(nearest_of_mesh(mesh, p, low_of(begin) + in_mesh).w);
      set_overlap(&best, &a, hulls,
                  turned_by(b.orientation, as_float3(mesh_triangle(mesh, nearest, MESH_ROW_PLANE).xyz)));
    }
  }
  const bool is_inside = best.time.hi == 0.0f;
  const uint levels = mesh[MESH_LEVELS];
  LevelBits left = no_level_bits();
  uint level = levels, group = 0u, next = 0u;
  bool down = !is_inside;
  while (!is_inside) {
    if (down) {
      --level;
      group = next;
      __global const float* boxes = mesh_group(mesh, level, group);
      uint met = 0u;
      ROLLED
      for (uint k = 0u; k < 8u; ++k)
        if (boxes[k] <= high.x && boxes[24u + k] >= low.x && boxes[8u + k] <= high.y && boxes[32u + k] >= low.y &&
            boxes[16u + k] <= high.z && boxes[40u + k] >= low.z && boxes[k] <= boxes[24u + k])
          met |= 1u << k;
      set_level_bits(&left, level, met);
    }
    const uint bits = level_bits(&left, level);
    down = false;
    if (bits == 0u) {
      if (level + 1u == levels) break;
      ++level;
      group >>= 3;
      continue;
    }
    set_level_bits(&left, level, bits & (bits - 1u));
    const uint below = group * 8u + lowest_bit(bits);
    if (level > 0u) {
      next = below;
      down = true;
      continue;
    }
    const uint4 vertices = mesh_triangle(mesh, below, MESH_ROW_VERTICES);
    const float3 corner = mesh_vertex(mesh, vertices.x);
    Moving triangle = b;
    triangle.shape = SOLID_TRIANGLE;
    const float3 arm = turned_by(b.orientation, corner);
    triangle.position.x = two_add(b.position.x, two_float(arm.x, 0.0f));
    triangle.position.y = two_add(b.position.y, two_float(arm.y, 0.0f));
    triangle.position.z = two_add(b.position.z, two_float(arm.z, 0.0f));
    triangle.arm = b.arm + arm;
    triangle.first = mesh_vertex(mesh, vertices.y) - corner;
    triangle.second = mesh_vertex(mesh, vertices.z) - corner;
    Touch touch;
    if (!first_touch(&a, &triangle, hulls, times_of_balls(&a, &triangle, hulls), best.time, &touch) ||
        !is_before(touch.time, vertices.w, best.time, element))
      continue;
    best = touch;
    element = vertices.w;
    const uint4 plane = mesh_triangle(mesh, below, MESH_ROW_PLANE);
    material = plane.w >> MESH_FLAG_MATERIAL;
    if (best.overlaps) {
      // Of a sheet to the side that the body's middle is on.
      const float3 up = as_float3(plane.xyz);
      const float4 back = (float4)(b.orientation.x, -b.orientation.yzw);
      const float3 middle = ((p - corner) + low_of(begin)) + turned_by(back, body_centre(a.shape, &body));
      const bool is_behind = mesh[MESH_IS_SOLID] == 0u && dot3(middle, up) < 0.0f;
      set_overlap(&best, &a, hulls, turned_by(b.orientation, is_behind ? -up : up));
    }
  }
  if (best.time.hi > 1.0f) return;
  const bool mesh_is_a = o->body < s->body;
  if (mesh_is_a) turn_touch(&best);
  store_touch(impacts + atomic_inc(stored), &best, mesh_is_a ? o->body : s->body, mesh_is_a ? s->body : o->body,
              element, material);
}

