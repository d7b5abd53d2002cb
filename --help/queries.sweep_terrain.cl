#pragma OPENCL FP_CONTRACT OFF
#line 1 "kernels/queries/sweep_terrain.cl"
// Moving bodies over terrain: when each first touches the ground, and where (docs/motion.md).
//
//   near_ground     per body that can meet terrain: may it come down to the heights under its way? Those in a list
//   sweep_terrain   per body of that list: over the cells that it may come to, those triangles with all below them
//
// Host: host/queries/motion_sweep.cpp.
#line 1 "kernels/launch/fetch_early.clh"
// Loads begun before they are needed. What a kernel reads at places that follow from data, one after another, no
// processor foresees; where it has no thousand other work-items to go on with, it waits: half of the time of the
// smaller pair kernels of a CPU went there. A GPU has them, and is left alone.
//
// OpenCL's own prefetch() does nothing on PoCL. The address goes through an integer: the compiler's built-in knows no
// address spaces, and on these processors there is one alone. It changes no result, and may name any address.
#ifndef OCLIDE_LAUNCH_FETCH_EARLY_CLH
#define OCLIDE_LAUNCH_FETCH_EARLY_CLH

#if defined(__clang__) && (defined(__x86_64__) || defined(__aarch64__))
#define FETCH_EARLY(address) __builtin_prefetch((const void*)(size_t)(address))
#define FETCHES_EARLY 1
#else
#define FETCH_EARLY(address)
#define FETCHES_EARLY 0
#endif

#endif

#line 8 "kernels/queries/sweep_terrain.cl"
#line 1 "kernels/motion/ground_touch.clh"
// When a moving body first touches a triangle of the ground, with all that is below it (docs/motion.md): as
// first_touch(). As long as the body is above the triangle's plane, that tells how far apart they are.
#ifndef OCLIDE_MOTION_GROUND_TOUCH_CLH
#define OCLIDE_MOTION_GROUND_TOUCH_CLH
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

#line 5 "kernels/math/two_vec.clh"
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
#line 1 "kernels/shapes/body_axes.clh"
// A body in its own frame of axes, origin at its centre: what the files of the shapes begin with.
#ifndef OCLIDE_SHAPES_BODY_AXES_CLH
#define OCLIDE_SHAPES_BODY_AXES_CLH
#line 1 "kernels/math/vec.clh"
// Vectors with a fixed order of operations: only + - * / sqrt, never a built-in dot, length or normalize.
#ifndef OCLIDE_MATH_VEC_CLH
#define OCLIDE_MATH_VEC_CLH
#line 5 "kernels/math/vec.clh"
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
#line 1 "kernels/shapes/triangle_mesh.clh"
// The triangle mesh: its parts, in the body's own axes, and what the broad phase asks of it. See shared/meshes.h and
// docs/mesh_contacts.md.
#ifndef OCLIDE_SHAPES_TRIANGLE_MESH_CLH
#define OCLIDE_SHAPES_TRIANGLE_MESH_CLH
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

#line 6 "kernels/motion/ground_touch.clh"
#pragma OPENCL FP_CONTRACT OFF

#define SURE_OVERLAP 2e-4f  // [m] what is as deep in a prism overlaps it, whatever rounding says

typedef struct GroundPrism {
  TwoFloat3 corner;      // the first, from the body's position at the begin
  float3 first, second;  // the others from there, along x and along y seen from above
  float3 up;             // unit normal
} GroundPrism;

// What is below the triangle goes down to where a body of this radius, `way` off, is not; and where the body is below
// all of it, it goes up no farther: so numbers stay small.
INLINED void place_prism(const GroundPrism* prism, float radius, float3* way, Body* placed) {
  placed->x = prism->first;
  placed->y = prism->second;
  placed->radius_bound = max_f(length3(prism->first), length3(prism->second));
  const float lowest = way->z + min_f(min_f(prism->first.z, prism->second.z), 0.0f);
  if (lowest > radius + 1.0f) {
    way->z = radius + 1.0f;
    placed->x.z = placed->y.z = 0.0f;
  }
  placed->z =
      (float3)(0.0f, 0.0f, -(max_f((way->z + max_f(max_f(placed->x.z, placed->y.z), 0.0f)) + radius, 0.0f) + 1.0f));
}

// How far a point, seen from the prism's corner, is inside the prism's sides [m], rather too little; below 0 outside.
float inside_sides(const GroundPrism* prism, float3 p) {
  const float dx = abs_f(prism->first.x), dy = abs_f(prism->second.y);
  const float x = prism->first.x < 0.0f ? -p.x : p.x, y = prism->second.y < 0.0f ? -p.y : p.y;
  return min_f(min_f(x, y), div_rn((dx * dy - x * dy) - y * dx, dx + dy));
}

// Does the body reach surely below the plane, over the point of the triangle that is under its middle, or near that?
bool reaches_under(uint shape, const Body* body, const GroundPrism* prism, float3 way) {
  float u = clamp01(div_rn(-way.x, prism->first.x)), v = clamp01(div_rn(-way.y, prism->second.y));
  const float sum = u + v;
  if (sum > 1.0f) {
    u = div_rn(u, sum);
    v = 1.0f - u;
  }
  float from, to;
  return line_inside(shape, body, way + (prism->first * u + prism->second * v), (float3)(0.0f, 0.0f, 1.0f), &from,
                     &to) &&
         from <= -SURE_OVERLAP && to > from;
}

// As first_touch(); `above`: where they touch, how far all of the body is above the triangle's plane.
OUTLINED bool ground_touch(const Moving* m, const GroundPrism* prism, __global const uint* hulls, float2 times,
                          TwoFloat limit, Touch* touch, float* above) {
  if (times.x > times.y || times.x - limit.hi > limit.lo) return false;
  const float3 velocity = high_of(m->displacement);
  Approach at;
  at.time = two_float(times.x, 0.0f);
  at.direction = prism->up;
  at.unresolved = 0u;
  Placed placed;
  bool begins = true;
  ROLLED
  while (true) {
    if (begins || turns(m)) place_at(m, at.time, hulls, &placed);
    begins = false;
    const TwoFloat time = at.time;
    float3 way = way_to(&prism->corner, &m->displacement, time) - placed.swing;
    const float radius = core_radius(m->shape, &placed.body);
    const float3 lowest = core_point(m->shape, &placed.body, prism->up), from_corner = lowest - way;
    *above = dot3(from_corner, prism->up) - radius;
    const float rounding = 4e-7f * (placed.body.radius_bound + length3(from_corner));
    const float turning = turning_speed(m, placed.body.radius_bound) + 1e-6f * length3(velocity);
    const float room = (*above - rounding) - KEPT_DISTANCE;
    if (room > 0.0f) {
      const float speed = turning - dot3(velocity, prism->up);
      if (!(speed > 0.0f) || !advance(&at, div_rn(max_f(room, LEAST_STEP), speed), times, limit)) return false;
      continue;
    }
    touch->time = time;
    touch->normal = prism->up;
    touch->point = (lowest - prism->up * radius) + placed.swing;
    touch->gap = max_f(*above, 0.0f);
    touch->overlaps = false;
    const float inside = inside_sides(prism, from_corner - prism->up * radius);
    if (*above >= -1e-4f && *above <= TOUCH_DISTANCE + 0.5f * rounding && inside >= 0.0f) return true;
    if (time.hi == 0.0f && *above <= -SURE_OVERLAP) {
      touch->overlaps = true;
      if (inside >= SURE_OVERLAP || reaches_under(m->shape, &placed.body, prism, way)) return true;
    }
    Body below;
    Distance distance;
    place_prism(prism, placed.body.radius_bound, &way, &below);
    if (!approach(m->shape, &placed.body, SOLID_PRISM, &below, way, velocity, turning, times, limit, &at, &distance))
      return false;
    if (!at.touches) continue;
    touch->normal = distance.normal;
    touch->point = (distance.point - distance.normal * radius) + placed.swing;
    touch->gap = max_f(distance.most - radius, 0.0f);
    touch->overlaps = time.hi == 0.0f && distance.least - radius <= -1e-4f;
    return true;
  }
}

#endif

#line 9 "kernels/queries/sweep_terrain.cl"
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
#line 12 "kernels/terrain/terrain_grid.clh"
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

#line 10 "kernels/queries/sweep_terrain.cl"
#pragma OPENCL FP_CONTRACT OFF

#define BLOCKS_LOOKED_AT 3  // of heights, a side

// The times at which a place that goes from `begin` by `step` over the frame, with `reach` to both sides, is over
// [low, high]: empty where the first is after the second.
float2 times_over(float begin, float step, float reach, float low, float high) {
  const float a = (low - reach) - begin, b = (high + reach) - begin;
  if (abs_f(step) < 1e-12f) return a <= 0.0f && b >= 0.0f ? (float2)(0.0f, 1.0f) : (float2)(1.0f, 0.0f);
  const float ta = div_rn(a, step), tb = div_rn(b, step);
  return (float2)(max_f(min_f(ta, tb) - 1e-5f, 0.0f), min_f(max_f(ta, tb) + 1e-5f, 1.0f));
}

// The times at which what is `above` at the begin and rises by `step` over the frame is no higher than `room`.
float2 times_under(float above, float step, float room) {
  if (abs_f(step) < 1e-12f) return above <= room ? (float2)(0.0f, 1.0f) : (float2)(1.0f, 0.0f);
  const float at = div_rn(room - above, step);
  return step < 0.0f ? (float2)(max_f(at - 1e-5f, 0.0f), 1.0f) : (float2)(0.0f, min_f(at + 1e-5f, 1.0f));
}

#define SLOTS_AHEAD 8u

// What a body has beside its slot, which is anywhere.
void fetch_slot(__global const BodyRecord* slot, __global const PoseRecord* poses,
                __global const MotionRecord* motion) {
  FETCH_EARLY(poses + slot->body);
  FETCH_EARLY(motion + slot->body);
}

INLINED void moving_of_slot(__global const BodyRecord* slot, __global const PoseRecord* poses,
                            __global const MotionRecord* motion, Moving* m) {
  __global const PoseRecord* pose = poses + slot->body;
  m->shape = slot->shape;
  m->size = (float3)(slot->size[0], slot->size[1], slot->size[2]);
  m->orientation = (float4)(pose->orientation[0], pose->orientation[1], pose->orientation[2], pose->orientation[3]);
  m->position = two_float3(pose->position_high, pose->position_low);
  set_motion(m, motion + slot->body);
}

// A body's way over the grid, in cells from the one that it begins over; heights are from the body's at the begin.
typedef struct GroundWay {
  int i0, j0;
  float begin_u, begin_v, step_u, step_v;
  float reach_u, reach_v;  // of the body to both sides
  float below;             // the lowest that it reaches from its position [m]
  int first_i, last_i;     // rows that it may come to
} GroundWay;

INLINED void way_over_ground(const Moving* m, const Body* body, __global const TerrainRecord* t, GroundWay* way) {
  BodyBox box = body_box(m->shape, body);
  if (turns(m)) {
    const float turned = turning_reach(m, body->radius_bound), most = moving_reach(m, body->radius_bound);
    const float3 low = box.low - turned, high = box.high + turned;
    box.low = (float3)(max_f(low.x, -most), max_f(low.y, -most), max_f(low.z, -most));
    box.high = (float3)(min_f(high.x, most), min_f(high.y, most), min_f(high.z, most));
  }
  const TwoFloat u = two_times(two_sub(m->position.x, two_float(t->origin_x_hi, t->origin_x_lo)),
                               two_float(t->cells_x_hi, t->cells_x_lo));
  const TwoFloat v = two_times(two_sub(m->position.y, two_float(t->origin_y_hi, t->origin_y_lo)),
                               two_float(t->cells_y_hi, t->cells_y_lo));
  way->j0 = floor_i(u.hi);
  way->i0 = floor_i(v.hi);
  const float3 step = high_of(m->displacement);
  way->begin_u = (u.hi - (float)way->j0) + u.lo;
  way->begin_v = (v.hi - (float)way->i0) + v.lo;
  way->step_u = step.x * t->cells_x_hi;
  way->step_v = step.y * t->cells_y_hi;
  // The box need not be about the position: its greater half to both sides.
  const float room = 2e-4f + 2e-6f * ((abs_f(step.x) + abs_f(step.y)) + abs_f(step.z));
  way->reach_u = (max_f(box.high.x, -box.low.x) + room) * t->cells_x_hi * 1.00001f + 1e-5f;
  way->reach_v = (max_f(box.high.y, -box.low.y) + room) * t->cells_y_hi * 1.00001f + 1e-5f;
  way->below = box.low.z - room;
  way->first_i = max(way->i0 + floor_i(min_f(way->begin_v, way->begin_v + way->step_v) - way->reach_v), 0);
  way->last_i = min(way->i0 + floor_i(max_f(way->begin_v, way->begin_v + way->step_v) + way->reach_v), t->rows - 2);
}

// The columns that it may come to between two times.
int2 columns_between(const GroundWay* way, float from, float to, int columns) {
  const float a = way->begin_u + way->step_u * from, b = way->begin_u + way->step_u * to;
  return (int2)(max(way->j0 + floor_i(min_f(a, b) - way->reach_u), 0),
                min(way->j0 + floor_i(max_f(a, b) + way->reach_u), columns - 1));
}

// The highest vertex of these cells and some around them, from the pyramid; -MAXFLOAT where none has a height.
float highest_of_cells(__global const TerrainRecord* t, __global const float2* bounds, int first_i, int last_i,
                       int first_j, int last_j) {
  int shift = BOUNDS_SHIFT;
  ulong offset = t->bounds_offset;
  int level_rows = ((t->rows - 2) >> shift) + 1, level_cols = ((t->cols - 2) >> shift) + 1;
  while ((last_i >> shift) - (first_i >> shift) >= BLOCKS_LOOKED_AT ||
         (last_j >> shift) - (first_j >> shift) >= BLOCKS_LOOKED_AT) {
    offset += (ulong)level_rows * (ulong)level_cols;
    shift += BOUNDS_SHIFT;
    level_rows = ((t->rows - 2) >> shift) + 1;
    level_cols = ((t->cols - 2) >> shift) + 1;
  }
  float highest = -MAXFLOAT;
  for (int i = first_i >> shift; i <= last_i >> shift; ++i)
    for (int j = first_j >> shift; j <= last_j >> shift; ++j)
      highest = max_f(bounds[offset + ((ulong)i * (ulong)level_cols + (ulong)j)].y, highest);
  return highest;
}

__attribute__((vec_type_hint(float4))) __kernel void queries_near_ground(
    const uint count, __global const BodyRecord* slots, __global const PoseRecord* poses,
    __global const MotionRecord* motion, __global const TerrainRecord* terrains, __global const float2* bounds,
    __global const uint* hulls, __global uint* stored, __global uint* near) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  if (FETCHES_EARLY && item + SLOTS_AHEAD < count) fetch_slot(slots + item + SLOTS_AHEAD, poses, motion);
  Moving m;
  moving_of_slot(slots + item, poses, motion, &m);
  const Body body = body_at(m.shape, m.size, m.orientation.x, m.orientation.y, m.orientation.z, m.orientation.w, hulls);
  __global const TerrainRecord* t = terrains + slots[item].terrain;
  GroundWay way;
  way_over_ground(&m, &body, t, &way);
  const int2 columns = columns_between(&way, 0.0f, 1.0f, t->cols - 1);
  if (way.first_i > way.last_i || columns.x > columns.y) return;
  const float highest = highest_of_cells(t, bounds, way.first_i, way.last_i, columns.x, columns.y);
  const float top = (highest - m.position.z.hi) - m.position.z.lo;
  // A vertex's low part is below the rounding of its high one.
  const float room = 1e-6f * (abs_f(highest) + abs_f(m.position.z.hi));
  if (!(highest > -MAXFLOAT) || min_f(m.displacement.z.hi, 0.0f) + way.below > top + room) return;
  near[atomic_inc(stored)] = item;
}

// Impacts go from `stored` on into `impacts`, which has room for all.
__attribute__((vec_type_hint(float4))) __kernel void queries_sweep_terrain(
    const uint count, __global const uint* near, __global const BodyRecord* slots, __global const PoseRecord* poses,
    __global const MotionRecord* motion, __global const TerrainRecord* terrains, __global const float* heights,
    __global const float* heights_low, __global const uchar* open, __global const uchar* material,
    __global const uint* hulls, __global uint* stored, __global ImpactRecord* impacts) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  if (FETCHES_EARLY && item + 2u * SLOTS_AHEAD < count) {
    FETCH_EARLY(slots + near[item + 2u * SLOTS_AHEAD]);
    fetch_slot(slots + near[item + SLOTS_AHEAD], poses, motion);
  }
  __global const BodyRecord* slot = slots + near[item];
  Moving m;
  moving_of_slot(slot, poses, motion, &m);
  __global const TerrainRecord* t = terrains + slot->terrain;
  __global const float* high = heights + t->vertex_offset;
  __global const float* low = heights_low + t->low_offset;
  __global const uchar* flags = open + t->cell_offset;
  const int columns = t->cols - 1;
  const float dx = t->spacing_x_hi, dy = t->spacing_y_hi;
  const Body body = body_at(m.shape, m.size, m.orientation.x, m.orientation.y, m.orientation.z, m.orientation.w, hulls);
  GroundWay way;
  way_over_ground(&m, &body, t, &way);
  const float3 step = high_of(m.displacement);
  const bool starts_over_ground =
      way.i0 >= 0 && way.j0 >= 0 && way.i0 < t->rows - 1 && way.j0 < columns &&
      !(t->has_open && (flags[(ulong)way.i0 * (ulong)columns + (ulong)way.j0] & CELL_OPEN) != 0);
  // Times at which it is so little farther on count as the same: the first element of those has it.
  const float same_time = div_rn(1e-5f, (length3(step) + turning_speed(&m, body.radius_bound)) + 1e-3f);
  const float turned = turns(&m) ? turning_reach(&m, body.radius_bound) : 0.0f;
  const float most_reach = moving_reach(&m, body.radius_bound);
  const float lowest = min_f(step.z, 0.0f) + way.below;
  Touch best;
  best.time = two_float(2.0f, 0.0f);
  TwoFloat limit = best.time;
  bool at_begin = false;
  uint element = 0xFFFFFFFFu;
  // Cells come in the order in which the body comes to them, or in that of their numbers where that is much the same.
  // One that touches at the begin begins anew: of all that it touches then the first by number counts.
  bool down = way.step_v < -1.0f, left = way.step_u < -1.0f;
  int i = down ? way.last_i : way.first_i;
  while (i >= way.first_i && i <= way.last_i) {
    const int row = i;
    i += down ? -1 : 1;
    const float2 in_row =
        times_over(way.begin_v, way.step_v, way.reach_v, (float)(row - way.i0), (float)(row - way.i0 + 1));
    if (in_row.x > in_row.y || in_row.x > limit.hi) continue;
    const int2 in_columns = columns_between(&way, in_row.x, in_row.y, columns);
    for (int k = 0; k <= in_columns.y - in_columns.x && !at_begin; ++k) {
      const int j = left ? in_columns.y - k : in_columns.x + k;
      if (t->has_open && (flags[(ulong)row * (ulong)columns + (ulong)j] & CELL_OPEN) != 0) continue;
      const ulong v0 = (ulong)row * (ulong)t->cols + (ulong)j, v2 = v0 + (ulong)t->cols;
      const float h0 = high[v0], h1 = high[v0 + 1u], h2 = high[v2], h3 = high[v2 + 1u];
      const float top = (max_f(max_f(h0, h1), max_f(h2, h3)) - m.position.z.hi) - m.position.z.lo;
      const float top_room = 1e-6f * (abs_f(top) + abs_f(m.position.z.hi));
      if (lowest > top + top_room) continue;
      const float2 in_column =
          times_over(way.begin_u, way.step_u, way.reach_u, (float)(j - way.j0), (float)(j - way.j0 + 1));
      const float enter = max_f(in_row.x, in_column.x), leave = min_f(in_row.y, in_column.y);
      if (enter > leave || enter > limit.hi) continue;
      if (min_f(step.z * enter, step.z * leave) + way.below > top + top_room) continue;
      ROLLED
      for (uint each = 0u; each < 2u; ++each) {
        // Its corners: V0, V1, V2 or V3, V2, V1.
        const uint of_cell = left ? 1u - each : each;
        const float sign = of_cell == 0u ? 1.0f : -1.0f, h = of_cell == 0u ? h0 : h3;
        float rise_x = (of_cell == 0u ? h1 : h2) - h, rise_y = (of_cell == 0u ? h2 : h1) - h, h_low = 0.0f;
        if (t->has_low) {
          h_low = low[of_cell == 0u ? v0 : v2 + 1u];
          rise_x += low[of_cell == 0u ? v0 + 1u : v2] - h_low;
          rise_y += low[of_cell == 0u ? v2 : v0 + 1u] - h_low;
        }
        GroundPrism prism;
        prism.first = (float3)(sign * dx, 0.0f, rise_x);
        prism.second = (float3)(0.0f, sign * dy, rise_y);
        // No part of it is above its plane.
        prism.up = unit3((float3)(-rise_x * (sign * dy), -rise_y * (sign * dx), dx * dy));
        const int corner_i = row + (int)of_cell, corner_j = j + (int)of_cell;
        const float away = dot3(
            (float3)((way.begin_u - (float)(corner_j - way.j0)) * dx, (way.begin_v - (float)(corner_i - way.i0)) * dy,
                     (m.position.z.hi - h) + (m.position.z.lo - h_low)),
            prism.up);
        float reach = reach_along(m.shape, &body, -prism.up);
        if (turned > 0.0f) reach = min_f(reach + turned, most_reach);
        const float2 under = times_under(away - reach, dot3(step, prism.up), 1e-4f + 2e-6f * (abs_f(away) + reach));
        const float2 times = (float2)(max_f(enter, under.x), min_f(leave, under.y));
        if (times.x > times.y || times.x > limit.hi) continue;
        prism.corner.x = two_sub(two_add(two_float(t->origin_x_hi, t->origin_x_lo),
                                         two_scale((float)corner_j, two_float(t->spacing_x_hi, t->spacing_x_lo))),
                                 m.position.x);
        prism.corner.y = two_sub(two_add(two_float(t->origin_y_hi, t->origin_y_lo),
                                         two_scale((float)corner_i, two_float(t->spacing_y_hi, t->spacing_y_lo))),
                                 m.position.y);
        prism.corner.z = two_sub(two_float(h, h_low), m.position.z);
        Touch touch;
        float above;
        if (!ground_touch(&m, &prism, hulls, times, limit, &touch, &above)) continue;
        if (!((touch.time.hi - limit.hi) + (touch.time.lo - limit.lo) < -same_time)) continue;
        best = touch;
        limit = best.time;
        // The element's normal, where it parts the two: beside others in one plane the direction in which a corner of
        // the element alone is closest says nothing. Also of a body in the ground; but not in front of a wall.
        at_begin = best.time.hi == 0.0f;
        const bool is_in_ground = at_begin && above < -1e-4f && (best.overlaps || starts_over_ground);
        if (above > -1e-4f || is_in_ground) {
          best.normal = prism.up;
          if (is_in_ground) set_overlap(&best, &m, hulls, prism.up);
        }
        element = 2u * ((uint)row * (uint)columns + (uint)j) + of_cell;
        if (at_begin) break;
      }
    }
    if (!at_begin) continue;
    if (!down && !left) break;
    at_begin = down = left = false;
    i = way.first_i;
    limit = two_float(0.0f, 2.0f * same_time);
  }
  if (best.time.hi > 1.0f) return;
  const uint of_element = t->has_material ? (uint)material[t->material_offset + (ulong)(element / 2u)] : 0u;
  store_touch(impacts + atomic_inc(stored), &best, slot->body, HIT_TERRAIN, element, of_element);
}

