#pragma OPENCL FP_CONTRACT OFF
#line 1 "kernels/narrow_phase/capsule_terrain.cl"
// Capsule against terrain: its two ends as rounded points (kind 1), the upper end of its lowest line (kind 2), the
// interior of its axis against the ground's convex edges (kind 3) and vertices (kind 4), walls (kind 5); see
// docs/terrain_contacts.md.
//
// Launch and output: kernels/terrain/candidate.clh. Reference: host/reference/narrow_phase/capsule_terrain.cpp.
#line 1 "kernels/terrain/candidate.clh"
// The candidates (body, lattice site) of a narrow-phase kernel of bodies against terrain, and the kernels' thin entry.
#ifndef OCLIDE_TERRAIN_CANDIDATE_CLH
#define OCLIDE_TERRAIN_CANDIDATE_CLH
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

#line 5 "kernels/terrain/candidate.clh"
#line 1 "kernels/launch/item_run.clh"
// How the work-items of a launch share what there is to do: evenly, each some one after another, also where the host
// did not know how much there would be.
#ifndef OCLIDE_LAUNCH_ITEM_RUN_CLH
#define OCLIDE_LAUNCH_ITEM_RUN_CLH

// [first, last) of [0, count); empty where there are more work-items than it takes.
typedef struct ItemRun {
  uint first, last;
} ItemRun;

ItemRun run_of_item(uint count) {
  const uint item = (uint)get_global_id(0), items = (uint)get_global_size(0);
  const uint length = count / items + (count % items != 0u ? 1u : 0u);
  ItemRun run;
  run.first = run.last = 0u;
  if (count == 0u || item > (count - 1u) / length) return run;
  run.first = item * length;
  run.last = run.first + min(length, count - run.first);
  return run;
}

// Before a block: for each item of a run that is not empty. On a GPU that is one: where a work-item's run is longer the
// host has asked for fewer than there are, sees that by their number, and asks again. (A loop would keep all arguments
// of the kernel in registers.)
#if OCLIDE_LANES == 1
#define EACH_OF_RUN(item, run) const uint item = (run).first;
#else
#define EACH_OF_RUN(item, run) for (uint item = (run).first; item < (run).last; ++item)
#endif

#endif

#line 6 "kernels/terrain/candidate.clh"
#line 1 "kernels/terrain/reached_features.clh"
// Which features of a site are in a body's reach, as bits, and how a candidate carries them.
#ifndef OCLIDE_TERRAIN_REACHED_FEATURES_CLH
#define OCLIDE_TERRAIN_REACHED_FEATURES_CLH
#pragma OPENCL FP_CONTRACT OFF

#define REACH_ELEMENT_1 1u
#define REACH_ELEMENT_2 2u
#define REACH_EDGE 4u  // << 0 right, 1 up, 2 diagonal
#define REACHED_EDGES(features) ((features) >> 2 & 7u)
#define REACH_VERTEX 32u
#define REACH_ALL 63u
#define REACH_BORDER 64u  // not looked at, see border_features()

// A candidate is the number of its site in the body's range, and above it the features in reach: all where the range
// has too many sites to leave room for them.
#define CANDIDATE_SITE_BITS 26u

uint pack_candidate(ulong range, uint site, uint features) {
  return range >> CANDIDATE_SITE_BITS ? site : site | features << CANDIDATE_SITE_BITS;
}
uint candidate_site(ulong range, uint candidate) {
  return range >> CANDIDATE_SITE_BITS ? candidate : candidate & (1u << CANDIDATE_SITE_BITS) - 1u;
}
uint candidate_features(ulong range, uint candidate) {
  return range >> CANDIDATE_SITE_BITS ? REACH_ALL : candidate >> CANDIDATE_SITE_BITS;
}

#endif

#line 7 "kernels/terrain/candidate.clh"
#line 1 "kernels/terrain/slot_body.clh"
// The body of a slot as it stands over its ground.
#ifndef OCLIDE_TERRAIN_SLOT_BODY_CLH
#define OCLIDE_TERRAIN_SLOT_BODY_CLH
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

#line 5 "kernels/terrain/slot_body.clh"
#line 6 "kernels/terrain/slot_body.clh"
#pragma OPENCL FP_CONTRACT OFF

Body load_body(BodyRecord record, GridPose grid_pose, uint shape, __global const uint* hulls) {
  return body_at(shape, (float3)(record.size[0], record.size[1], record.size[2]), grid_pose.orientation[0],
                 grid_pose.orientation[1], grid_pose.orientation[2], grid_pose.orientation[3], hulls);
}

#endif

#line 8 "kernels/terrain/candidate.clh"
#line 1 "kernels/terrain/terrain_site.clh"
// One lattice site of the ground and what a body's contacts with it need: edges, vertex cone, and the sink that
// counts contacts in one pass and writes them in the next. The kinds of contact are those of docs/terrain_contacts.md.
#ifndef OCLIDE_TERRAIN_TERRAIN_SITE_CLH
#define OCLIDE_TERRAIN_TERRAIN_SITE_CLH
#line 1 "kernels/edges/body_points.clh"
// The points of a body that touch by themselves, and the numbers that its parts have in features.
#ifndef OCLIDE_EDGES_BODY_POINTS_CLH
#define OCLIDE_EDGES_BODY_POINTS_CLH
#line 5 "kernels/edges/body_points.clh"
#pragma OPENCL FP_CONTRACT OFF

// Kind 1: the points of a body that have a ball around them: the centre of a sphere, 2 ends of a capsule, 8 corners of
// a box, the vertices of a hull. Bit p of a mask of points `first`: point first + p.
float3 rounded_point(uint shape, const Body* b, uint p) {
  if (shape == SHAPE_SPHERE) return (float3)(0.0f, 0.0f, 0.0f);
  if (shape == SHAPE_CONVEX_HULL) return out_of_body(b, hull_vertex(b->hull, p));
  if (shape == SHAPE_CAPSULE) return b->z * (p == 0u ? -b->size.y : b->size.y);
  return (b->x * (p & 1u ? b->size.x : -b->size.x) + b->y * (p & 2u ? b->size.y : -b->size.y)) +
         b->z * (p & 4u ? b->size.z : -b->size.z);
}
// The radius of the ball [m].
float rounded_radius(uint shape, const Body* b) {
  return shape == SHAPE_BOX || shape == SHAPE_CONVEX_HULL ? 0.0f : b->size.x;
}
// Of a hull, what is no vertex is numbered from here on: any number of vertices come before it.
#define HULL_PARTS 0x80000000u
uint part_number(uint shape, uint part) {
  return shape == SHAPE_CONVEX_HULL ? HULL_PARTS + part : part;
}
// A face of a hull: one end of the part of it that is over an edge, the other, or the vertex that leaves through it.
uint face_number(uint face, uint what) {
  return HULL_PARTS + 32u + 4u * face + what;
}
// The direction from a capsule's other end to point p; zero of others.
float3 outward_of(uint shape, const Body* b, uint p) {
  if (shape != SHAPE_CAPSULE) return (float3)(0.0f, 0.0f, 0.0f);
  return p == 0u ? -b->z : b->z;
}

// A capsule's end counts where its ball makes the body's surface: m . outward at most this (about 1e-3 rad past level).
#define END_SLACK 1e-3f

#endif

#line 6 "kernels/terrain/terrain_site.clh"
#line 1 "kernels/edges/edge.clh"
// An edge of the ground or of a mesh, between the normals of what is beside it.
#ifndef OCLIDE_EDGES_EDGE_CLH
#define OCLIDE_EDGES_EDGE_CLH
#line 5 "kernels/edges/edge.clh"
#pragma OPENCL FP_CONTRACT OFF

typedef struct Edge {
  float3 base;         // its point nearest to the body's centre: what is near is exact, however long the edge
  float3 along;        // unit
  float t0, t1;        // its ends: base + t * along
  float3 left, right;  // unit normals on both sides; the horizontal outward direction where a side is open
  bool has_left, has_right, convex;
  bool flat;  // of interest to a cylinder's rim, and to the lift over a ridge
  uint material;
} Edge;

// From an edge's first vertex and the way to its second: the point nearest to the body's centre, and the ends.
void place_base(Edge* e) {
  const float length = length3(e->along);
  e->along = e->along * div_rn(1.0f, length);
  const float to_base = min_f(max_f(-dot3(e->base, e->along), 0.0f), length);
  e->base = e->base + e->along * to_base;
  e->t0 = -to_base;
  e->t1 = length - to_base;
}

// How far the body must move along m so that all of it is past the edge.
float way_off_edge(const Edge* e, uint shape, const Body* b, float3 m) {
  return dot3(e->base - lowest_point(shape, b, m), m);
}

#endif

#line 7 "kernels/terrain/terrain_site.clh"
#line 1 "kernels/launch/store.clh"
// Slots of a store that all work-items share, in whatever order they come. A work-item that looks at several
// candidates one after another takes its slots in blocks, so that processors seldom wait for each other at the
// counter; what is left of its last block stays empty.
#ifndef OCLIDE_LAUNCH_STORE_CLH
#define OCLIDE_LAUNCH_STORE_CLH

typedef struct StoreSlots {
  __global uint* taken;  // of all work-items so far
  uint block;            // taken at a time, at least
  uint next, end;        // of this work-item's last block, what is left
} StoreSlots;

StoreSlots store_slots_in(__global uint* taken, uint block) {
  StoreSlots slots;
  slots.taken = taken;
  slots.block = block;
  slots.next = slots.end = 0u;
  return slots;
}

// The first of `count` slots one after another.
uint take_store_slots(StoreSlots* slots, uint count) {
  if (count > slots->end - slots->next) {
    const uint block = count > slots->block ? count : slots->block;
    slots->next = atomic_add(slots->taken, block);
    slots->end = slots->next + block;
  }
  const uint first = slots->next;
  slots->next += count;
  return first;
}

#endif

#line 8 "kernels/terrain/terrain_site.clh"
#line 9 "kernels/terrain/terrain_site.clh"
#line 1 "kernels/terrain/centre_cell.clh"
// The cell that a body's centre is above or below. Where a hull has its centre: docs/convex_hulls.md.
#ifndef OCLIDE_TERRAIN_CENTRE_CELL_CLH
#define OCLIDE_TERRAIN_CENTRE_CELL_CLH
#line 5 "kernels/terrain/centre_cell.clh"
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

#line 6 "kernels/terrain/centre_cell.clh"
#pragma OPENCL FP_CONTRACT OFF

// Its column as x, its row as y. A centre that is the body's position has been found in two floats.
int2 centre_cell(const Ground* g, uint shape, const Body* b) {
  if (shape != SHAPE_CONVEX_HULL) return (int2)(g->j0, g->i0);
  const float3 centre = body_centre(shape, b);
  return (int2)(g->j0 + floor_i(div_rn(centre.x + g->u, g->dx)), g->i0 + floor_i(div_rn(centre.y + g->v, g->dy)));
}

// Are there walls to look at: is it off solid cells?
bool centre_is_off_ground(const Ground* g, uint shape, const Body* b) {
  const int2 cell = centre_cell(g, shape, b);
  return !cell_solid(g, cell.y, cell.x);
}

#endif

#line 10 "kernels/terrain/terrain_site.clh"
#line 1 "kernels/terrain/ground_feature.clh"
// What a contact's feature is called: the body's feature and the face, ridge, vertex or wall of the ground, as
// docs/terrain_contacts.md defines them. No name depends on the cell that a rounding picks.
#ifndef OCLIDE_TERRAIN_GROUND_FEATURE_CLH
#define OCLIDE_TERRAIN_GROUND_FEATURE_CLH
#line 1 "kernels/math/feature_number.clh"
// A feature's number, mixed of what names it: a place (i, j) and its kind, and a part of the body.
#ifndef OCLIDE_MATH_FEATURE_NUMBER_CLH
#define OCLIDE_MATH_FEATURE_NUMBER_CLH

uint mix_feature(uint h) {
  h ^= h >> 16;
  h *= 0x85EBCA6Bu;
  h ^= h >> 13;
  h *= 0xC2B2AE35u;
  return h ^ (h >> 16);
}

uint feature_number(uint i, uint j, uint ground, uint body) {
  const uint h = mix_feature(i * 0x9E3779B1u + ground);
  return mix_feature(h ^ (j * 0x7FEB352Du + body * 0x01000193u));
}

#endif

#line 6 "kernels/terrain/ground_feature.clh"
#line 7 "kernels/terrain/ground_feature.clh"
#pragma OPENCL FP_CONTRACT OFF

// Features of the lattice, of a site.
#define FEATURE_ELEMENT_1 0u
#define FEATURE_ELEMENT_2 1u
#define FEATURE_EDGE 2u  // + 0 right, 1 up, 2 diagonal
#define FEATURE_VERTEX 5u
#define FEATURE_WALL 6u  // + 0 right, 1 up
#define FEATURE_LIFT 8u
#define FEATURE_FAR 9u     // a cell
#define FEATURE_RIDGE 10u  // + 0 right, 1 up, 2 diagonal; + 3 where the other side of element 1 is open, + 6 element 1

// A feature of the body on one of the lattice.
typedef struct Feature {
  int i, j;
  uint ground, body;
} Feature;

Feature feature_id(int i, int j, uint ground, uint body) {
  Feature f;
  f.i = i;
  f.j = j;
  f.ground = ground;
  f.body = body;
  return f;
}

// Flags of a cell of the grid.
uint cell_flags(const Ground* g, int i, int j) {
  return g->open[(ulong)i * (ulong)(g->cols - 1) + (ulong)j];
}

uint cell_number(const Ground* g, int i, int j) {
  return (uint)i * (uint)(g->cols - 1) + (uint)j;
}

// Has element 1 (0) or 2 (1) of a solid cell a flat edge? Of an element 2 that has, (i, j) becomes the cell of an
// element 1 across one.
bool is_in_face(const Ground* g, int* i, int* j, uint element) {
  const uint flags = cell_flags(g, *i, *j);
  if (element == 0u) return flags != 0u;
  if (flags & CELL_FLAT << 2) return true;
  if (*j + 2 < g->cols && (cell_flags(g, *i, *j + 1) & CELL_FLAT << 1)) {
    ++*j;
    return true;
  }
  if (*i + 2 < g->rows && (cell_flags(g, *i + 1, *j) & CELL_FLAT)) {
    ++*i;
    return true;
  }
  return false;
}

// The name of the face of a cell's element 1 that has a flat edge: the number of its first cell.
uint face_name(const Ground* g, int i, int j) {
  const uint label = g->faces[(ulong)i * (ulong)(g->cols - 1) + (ulong)j];
  const int tile_i = i / FACE_TILE, tile_j = j / FACE_TILE, tiles = (g->cols - 2) / FACE_TILE + 1;
  if (label & FACE_LEADS_OUT)
    return g->face_names[((ulong)tile_i * (ulong)tiles + (ulong)tile_j) * FACE_NAMES + (label & ~FACE_LEADS_OUT)];
  return cell_number(g, tile_i * FACE_TILE + (int)(label / FACE_TILE), tile_j * FACE_TILE + (int)(label % FACE_TILE));
}

uint element_number(const Ground* g, Feature f, uint element, uint ground) {
  int i = f.i, j = f.j;
  if (!is_in_face(g, &i, &j, element)) return feature_number(cell_number(g, f.i, f.j), 0u, ground, f.body);
  return feature_number(face_name(g, i, j), 0u, ground == FEATURE_FAR ? ground : FEATURE_ELEMENT_1, f.body);
}

// What is beside a site's edge: `own`, the face of the cell's element 1, and `other`, that of an element 2. Where one
// of the two is open, both are the face of the other one, and border is 1 with element 1, 2 with element 2.
typedef struct Beside {
  uint own, other, border;
  bool lone;  // an element without a flat edge is beside it, and the names are not set
} Beside;

OUTLINED Beside beside_edge(const Ground* g, int i, int j, uint kind) {
  int other_i = kind == 0u ? i - 1 : i, other_j = kind == 1u ? j - 1 : j;
  const bool has_own = cell_solid(g, i, j), has_other = cell_solid(g, other_i, other_j);
  Beside b;
  b.own = 0u;
  b.other = 0u;
  b.border = has_own ? (has_other ? 0u : 1u) : 2u;
  b.lone = (has_own && !is_in_face(g, &i, &j, 0u)) || (has_other && !is_in_face(g, &other_i, &other_j, 1u));
  if (b.lone) return b;
  b.own = has_own ? face_name(g, i, j) : face_name(g, other_i, other_j);
  b.other = b.border == 0u ? face_name(g, other_i, other_j) : b.own;
  return b;
}

bool in_one_face(const Beside* b) {
  return b->border == 0u && b->own == b->other;
}

// The number of a feature of the body on the site's edge, of which there is one.
uint edge_number(const Ground* g, Feature f, uint kind) {
  const Beside b = beside_edge(g, f.i, f.j, kind);
  if (b.lone) return feature_number((uint)f.i, (uint)f.j, FEATURE_EDGE + kind, f.body);
  // A flat edge is in its face. Two faces have one ridge along a line of the lattice, however many edges that has.
  if (in_one_face(&b)) return feature_number(b.own, 0u, FEATURE_ELEMENT_1, f.body);
  const uint line = (uint)(kind == 0u ? f.i : (kind == 1u ? f.j : f.i + f.j));
  return feature_number(feature_number(b.own, b.other, 0u, 0u), line, FEATURE_RIDGE + 3u * b.border + kind, f.body);
}

// Has the grid the site's edge, beside a solid cell?
bool has_edge(const Ground* g, int i, int j, uint kind) {
  if (i < 0 || j < 0 || i + (kind == 0u ? 0 : 1) >= g->rows || j + (kind == 1u ? 0 : 1) >= g->cols) return false;
  return cell_solid(g, i, j) || (kind == 0u && cell_solid(g, i - 1, j)) || (kind == 1u && cell_solid(g, i, j - 1));
}

// Does one ridge lead through the vertex along edges of this kind: on the one that begins there, and on the one that
// ends there, as seen along x or y?
bool ridge_through(const Ground* g, int i, int j, uint kind) {
  const int aj = kind == 2u ? j - 1 : j, bi = kind == 0u ? i : i - 1, bj = kind == 0u ? j - 1 : j;
  if (!has_edge(g, i, aj, kind) || !has_edge(g, bi, bj, kind)) return false;
  const Beside on = beside_edge(g, i, aj, kind);
  if (on.lone || in_one_face(&on)) return false;
  const Beside back = beside_edge(g, bi, bj, kind);
  return !back.lone && on.border == back.border && on.own == back.own && on.other == back.other;
}

uint vertex_number(const Ground* g, Feature f) {
  ROLLED
  for (uint kind = 0u; kind < 3u; ++kind)
    if (ridge_through(g, f.i, f.j, kind)) {
      Feature edge = f;
      edge.j = kind == 2u ? f.j - 1 : f.j;
      return edge_number(g, edge, kind);
    }
  return feature_number((uint)f.i, (uint)f.j, FEATURE_VERTEX, f.body);
}

OUTLINED uint number_of(const Ground* g, Feature f) {
  // A body has one lift; a wall is all that stands along a line of the lattice, its free side told by `body`.
  if (f.ground == FEATURE_LIFT) return feature_number(0u, 0u, FEATURE_LIFT, f.body);
  if (f.ground == FEATURE_WALL) return feature_number((uint)f.i, 0u, FEATURE_WALL, f.body);
  if (f.ground == FEATURE_WALL + 1u) return feature_number((uint)f.j, 0u, FEATURE_WALL + 1u, f.body);
  if (f.ground == FEATURE_VERTEX) return vertex_number(g, f);
  if (f.ground >= FEATURE_EDGE && f.ground < FEATURE_VERTEX) return edge_number(g, f, f.ground - FEATURE_EDGE);
  return element_number(g, f, f.ground == FEATURE_ELEMENT_2 ? 1u : 0u, f.ground);
}

#endif

#line 11 "kernels/terrain/terrain_site.clh"
#line 1 "kernels/terrain/nearest_surface.clh"
// The point of the surface nearest to a point under it, by the pyramid of height bounds: whole blocks of cells whose
// box (their outline times the range of their heights) is too far away are passed over, so that depth costs little.
#ifndef OCLIDE_TERRAIN_NEAREST_SURFACE_CLH
#define OCLIDE_TERRAIN_NEAREST_SURFACE_CLH
#line 6 "kernels/terrain/nearest_surface.clh"
#pragma OPENCL FP_CONTRACT OFF

// Windows of up to this many cells a side are walked cell by cell, larger ones block by block.
#define WINDOW_CELLS 8

typedef struct Nearest {
  float distance2;  // [m^2]; a hit is nearer than what this was before
  float3 point;
  float3 way;  // unit, from x to it; a face's own normal where it is the foot on one
  int i, j;    // its cell
  bool found;
} Nearest;

// Nearest point to x of the segment a b.
float3 nearest_on_segment(float3 x, float3 a, float3 b) {
  const float3 e = b - a;
  const float l2 = dot3(e, e);
  return a + e * (l2 > 0.0f ? clamp01(div_rn(dot3(x - a, e), l2)) : 0.0f);
}

// Offers q, in cell (i, j). Of equal distances (to rounding) a foot on a face is preferred to a point of an edge:
// `favour` is a little above 1 for the one, below for the other.
bool take_nearer(Nearest* nearest, float3 x, float3 q, float favour, int i, int j) {
  const float3 d = q - x;
  const float d2 = dot3(d, d);
  if (!(d2 < nearest->distance2 * favour)) return false;
  nearest->distance2 = d2;
  nearest->point = q;
  nearest->way = unit3(d);
  nearest->i = i;
  nearest->j = j;
  nearest->found = true;
  return true;
}

// Normal of an element times dx dy, from its corner at the right angle and the other ends of its sides along x and y.
float3 level_normal(const Ground* g, float3 corner, float3 along_x, float3 along_y) {
  const float towards = along_x.x < corner.x ? -1.0f : 1.0f;
  return (float3)((corner.z - along_x.z) * (towards * g->dy), (corner.z - along_y.z) * (towards * g->dx),
                  g->dx * g->dy);
}

INLINED void nearest_in_cell(const Ground* g, float3 x, int i, int j, Nearest* nearest) {
  if (!cell_solid(g, i, j)) return;
  const float3 v0 = vertex_at(g, i, j);
  // Nothing is near in a cell whose outline, seen from above, is too far away; but for rounding.
  const float room = 1e-6f * (((abs_f(v0.x) + abs_f(v0.y)) + (abs_f(x.x) + abs_f(x.y))) + (g->dx + g->dy));
  const float beside_x = max_f(max_f(v0.x - x.x, x.x - (v0.x + g->dx)) - room, 0.0f);
  const float beside_y = max_f(max_f(v0.y - x.y, x.y - (v0.y + g->dy)) - room, 0.0f);
  if ((beside_x * beside_x + beside_y * beside_y) * 0.9999f > nearest->distance2) return;
  const float3 v1 = vertex_at(g, i, j + 1), v2 = vertex_at(g, i + 1, j), v3 = vertex_at(g, i + 1, j + 1);
  // No vertex so near above x, and x is below the cell: nothing is.
  const float lowest = min_f(min_f(v0.z, v1.z), min_f(v2.z, v3.z)) - x.z;
  if (lowest > 0.0f && lowest * lowest >= nearest->distance2) return;
  bool near[2] = {false, false};
  ROLLED
  for (uint k = 0u; k < 2u; ++k) {
    // Mostly it is enough to know that the plane is clearly too far away.
    const float3 across = k == 0u ? level_normal(g, v0, v1, v2) : level_normal(g, v3, v2, v1);
    const float far = dot3((k == 0u ? v0 : v3) - x, across);
    if (far * far > nearest->distance2 * dot3(across, across) * 1.001f) continue;
    // To the bit the distance that contacts with the element are made with, however far its vertices.
    const float3 n = unit3(k == 0u ? slope_normal_1(g, i, j) : slope_normal_2(g, i, j));
    const float s = dot3((k == 0u ? v0 : v3) - x, n);
    if (s * s >= nearest->distance2 * 1.000002f) continue;
    near[k] = true;
    const float3 foot = x + n * s;
    if (in_outline(g, v0, (int)k + 1, foot.x, foot.y))
      if (take_nearer(nearest, x, foot, 1.000002f, i, j)) nearest->way = n * (s < 0.0f ? -1.0f : 1.0f);
  }
  // What lies in a plane is no nearer than it.
  if (near[0] || near[1]) take_nearer(nearest, x, nearest_on_segment(x, v1, v2), 0.999998f, i, j);
  if (near[0]) {
    take_nearer(nearest, x, nearest_on_segment(x, v0, v1), 0.999998f, i, j);
    take_nearer(nearest, x, nearest_on_segment(x, v0, v2), 0.999998f, i, j);
  }
  if (near[1]) {
    take_nearer(nearest, x, nearest_on_segment(x, v3, v1), 0.999998f, i, j);
    take_nearer(nearest, x, nearest_on_segment(x, v3, v2), 0.999998f, i, j);
  }
}

// Squared distance from x to the box of block (bi, bj) of the level with this shift; a lower bound of that of its
// cells.
float block_distance2(const Ground* g, float3 x, int shift, int bi, int bj, float2 heights) {
  const float x0 = (float)((bj << shift) - g->j0) * g->dx - g->u, x1 = x0 + (float)(1 << shift) * g->dx;
  const float y0 = (float)((bi << shift) - g->i0) * g->dy - g->v, y1 = y0 + (float)(1 << shift) * g->dy;
  const float room =
      2.4e-7f * ((abs_f(heights.x) < 1e30f ? abs_f(heights.x) : 0.0f) + abs_f(heights.y) + abs_f(g->z_high));
  const float z0 = ((heights.x - g->z_high) - g->z_low) - room, z1 = ((heights.y - g->z_high) - g->z_low) + room;
  const float ax = max_f(max_f(x0 - x.x, x.x - x1), 0.0f), ay = max_f(max_f(y0 - x.y, x.y - y1), 0.0f);
  const float az = max_f(max_f(z0 - x.z, x.z - z1), 0.0f);
  return ((ax * ax + ay * ay) + az * az) * 0.99999f;
}

// Looks for a point of the surface nearer to x than sqrt(nearest->distance2). With `any` the first one will do.
OUTLINED void find_nearest(const Ground* g, float3 x, bool any, Nearest* nearest) {
  nearest->found = false;
  const float reach = sqrt_rn(nearest->distance2);
  const int ci0 = max(g->i0 + floor_i(div_rn(x.y + g->v - reach, g->dy)), 0);
  const int ci1 = min(g->i0 + floor_i(div_rn(x.y + g->v + reach, g->dy)), g->rows - 2);
  const int cj0 = max(g->j0 + floor_i(div_rn(x.x + g->u - reach, g->dx)), 0);
  const int cj1 = min(g->j0 + floor_i(div_rn(x.x + g->u + reach, g->dx)), g->cols - 2);
  if (ci0 > ci1 || cj0 > cj1) return;
  // Down the pyramid, depth first: from the level with few blocks over the window; each block's children (4 x 4 of the
  // level below, or cells) in order, back up when a block is done. A small window is a block of its own.
  const bool small = ci1 - ci0 < WINDOW_CELLS && cj1 - cj0 < WINDOW_CELLS;
  const int mask = (1 << BOUNDS_SHIFT) - 1;
  int top = BOUNDS_SHIFT;
  ulong offset = 0;
  while (!small && ((ci1 >> top) - (ci0 >> top) >= WINDOW_CELLS || (cj1 >> top) - (cj0 >> top) >= WINDOW_CELLS)) {
    offset += (ulong)(((g->rows - 2) >> top) + 1) * (ulong)(((g->cols - 2) >> top) + 1);
    top += BOUNDS_SHIFT;
  }
  int ti = ci0 >> top, tj = cj0 >> top;
  int shift = top, bi = ti, bj = tj;
  while (true) {
    // Into this block, where it may hold something nearer; a block of level 1 is walked through at once.
    bool descend = false;
    int i0 = ci0, i1 = ci1 + 1, j0 = cj0, j1 = cj1 + 1;
    if (!small) {
      const int level_rows = ((g->rows - 2) >> shift) + 1, level_cols = ((g->cols - 2) >> shift) + 1;
      i1 = i0;
      if (bi < level_rows && bj < level_cols) {
        const float2 heights = g->bounds[offset + ((ulong)bi * (ulong)level_cols + (ulong)bj)];
        if (heights.y > -MAXFLOAT && block_distance2(g, x, shift, bi, bj, heights) < nearest->distance2) {
          descend = shift > BOUNDS_SHIFT;
          i0 = bi << BOUNDS_SHIFT;
          j0 = bj << BOUNDS_SHIFT;
          i1 = descend ? i0 : min((bi + 1) << BOUNDS_SHIFT, g->rows - 1);
          j1 = min((bj + 1) << BOUNDS_SHIFT, g->cols - 1);
        }
      }
    }
    for (int i = i0; i < i1; ++i)
      for (int j = j0; j < j1; ++j) {
        nearest_in_cell(g, x, i, j, nearest);
        if (any && nearest->found) return;
      }
    if (small) return;
    if (descend) {
      shift -= BOUNDS_SHIFT;
      bi <<= BOUNDS_SHIFT;
      bj <<= BOUNDS_SHIFT;
      offset -= (ulong)(((g->rows - 2) >> shift) + 1) * (ulong)(((g->cols - 2) >> shift) + 1);
      continue;
    }
    // The next of its siblings, or of its parent's.
    while (shift < top && (bi & mask) == mask && (bj & mask) == mask) {
      offset += (ulong)(((g->rows - 2) >> shift) + 1) * (ulong)(((g->cols - 2) >> shift) + 1);
      shift += BOUNDS_SHIFT;
      bi >>= BOUNDS_SHIFT;
      bj >>= BOUNDS_SHIFT;
    }
    if (shift < top) {
      bi += (bj & mask) == mask ? 1 : 0;
      bj += (bj & mask) == mask ? -mask : 1;
      continue;
    }
    // The next one of the level with few blocks.
    ++tj;
    if (tj > cj1 >> top) {
      tj = cj0 >> top;
      ++ti;
    }
    if (ti > ci1 >> top) return;
    bi = ti;
    bj = tj;
  }
}

// Is no point of the surface nearer to x than `distance`, but for a slack?
bool nothing_is_nearer(const Ground* g, float3 x, float distance) {
  const float limit = distance * 0.999f - 1e-5f;
  if (limit <= 0.0f) return true;
  Nearest nearest;
  nearest.distance2 = limit * limit;
  find_nearest(g, x, true, &nearest);
  return !nearest.found;
}

#endif

#line 12 "kernels/terrain/terrain_site.clh"
#line 13 "kernels/terrain/terrain_site.clh"
#pragma OPENCL FP_CONTRACT OFF

// Where the contacts of a candidate go: into the next free slots of a store that all share, in whatever order they
// come; `candidate` and number tell their place in the order that counts. What does not fit is counted all the same.
typedef struct Sink {
  __global ContactRecord* store;
  __global uint* store_candidates;
  StoreSlots slots;
  uint capacity;
  uint candidate;
  uint count;    // of this candidate
  float margin;  // [m]
} Sink;

typedef struct Site {
  int i, j;
  bool flat;              // stands for a whole range of cells in one horizontal plane, without outline
  bool cell;              // the cell is solid
  uint features;          // those in the body's reach, REACH_*
  bool above_1, above_2;  // the body is wholly above the plane of element 1, in whose way edges and vertex are; of
                          // element 2, in the way of the diagonal
  float3 v0, v1, v2, v3;  // its vertices, where they exist
  float3 n1, n2;  // unit normals of its elements, where it is solid and its features need them: see element_normal()
  uint material;
  float lift_gap;     // greatest gap so far [m]
  bool lift_covered;  // a contact covers it, see CONTACT_COVERS
  float3 lift_point;
  uint lift_material;
} Site;

// A contact, before the rest of the ground has been asked whether it is one.
typedef struct Claim {
  float3 point, normal;
  float depth;
  Feature feature;
  uint material;
  bool way_in_ground;  // is known
  // Where the radius is above 0: a ball whose centre is in the ground, and which no point of the surface is in.
  float3 centre;
  float radius;
  bool centre_in_ground;  // is known
} Claim;

Claim claim_of(float3 point, float3 normal, float depth, Feature feature, uint material) {
  Claim c;
  c.point = point;
  c.normal = normal;
  c.depth = depth;
  c.feature = feature;
  c.material = material;
  c.way_in_ground = false;
  c.centre = point;
  c.radius = 0.0f;
  c.centre_in_ground = false;
  return c;
}

// The one place where contacts are made: of a claim with which the ground agrees. One that penetrates has its point in
// the ground, and its way out does not leave the ground before it is there.
OUTLINED bool settle(const Ground* g, Sink* sink, const Claim* c) {
  if (!(c->depth > -sink->margin)) return false;
  // In the ground must be: the ball's centre (0), the point (1), and places on its way out.
  const float3 way = c->normal * c->depth;
  const uint last = c->way_in_ground || !(c->depth > 0.0f) ? 0u : (c->depth > 1e-3f ? 5u : 1u);
  ROLLED
  for (uint k = c->radius > 0.0f && !c->centre_in_ground ? 0u : 1u; k <= last; ++k) {
    const float3 place = k < 2u ? c->point : c->point + way * (k < 5u ? 0.25f * (float)(k - 1u) : 0.9f);
    if (!in_ground(g, k == 0u ? c->centre : place)) return false;
  }
  if (c->radius > 0.0f && !nothing_is_nearer(g, c->centre, c->radius)) return false;
  const uint slot = take_store_slots(&sink->slots, 1u);
  if (slot < sink->capacity) {
    __global ContactRecord* to = sink->store + slot;
    to->point[0] = c->point.x;
    to->point[1] = c->point.y;
    to->point[2] = c->point.z;
    to->normal[0] = c->normal.x;
    to->normal[1] = c->normal.y;
    to->normal[2] = c->normal.z;
    to->depth = c->depth;
    to->feature = number_of(g, c->feature);
    to->material = c->material;
    to->manifold = sink->count;
    sink->store_candidates[slot] = sink->candidate;
  }
  ++sink->count;
  return true;
}

// A claim that the ball rule does not concern, and one of a ball.
void report(const Ground* g, Sink* sink, float3 point, float3 normal, float depth, Feature feature, uint material) {
  const Claim c = claim_of(point, normal, depth, feature, material);
  (void)settle(g, sink, &c);
}
void report_ball(const Ground* g, Sink* sink, float3 point, float3 normal, float depth, Feature feature, uint material,
                 float3 centre, float radius) {
  Claim c = claim_of(point, normal, depth, feature, material);
  c.centre = centre;
  c.radius = radius;
  (void)settle(g, sink, &c);
}

// Of the two normals only those that the features in reach need: features of element 2 alone say nothing of element 1.
#define NEED_NORMAL_1 (~REACH_ELEMENT_2)
#define NEED_NORMAL_2 (REACH_ELEMENT_2 | REACH_EDGE << 2)

// Unit normal of element k (0 or 1) of a solid cell.
INLINED float3 element_normal(const Ground* g, const Site* s, uint k) {
  if (k == 0u) return s->features & NEED_NORMAL_1 ? s->n1 : unit3(slope_normal_1(g, s->i, s->j));
  return s->features & NEED_NORMAL_2 ? s->n2 : unit3(slope_normal_2(g, s->i, s->j));
}

__attribute__((always_inline)) void site_at(const Ground* g, int i, int j, bool flat, uint features, Site* s) {
  s->flat = flat;
  s->features = features;
  s->i = i;
  s->j = j;
  // Vertices beside the grid are V0 again.
  const bool right = j + 1 < g->cols, up = i + 1 < g->rows;
  const ulong k0 = (ulong)i * (ulong)g->cols + (ulong)j;
  const ulong k1 = right ? k0 + 1u : k0, k2 = up ? k0 + (ulong)g->cols : k0;
  const ulong k3 = right && up ? k2 + 1u : k0;
  const float4 high = (float4)(g->high[k0], g->high[k1], g->high[k2], g->high[k3]);
  float4 z = high - g->z_high;
  float4 rises = (float4)(high.y, high.z, high.w, high.w) - (float4)(high.x, high.x, high.z, high.y);
  if (g->has_low) {
    const float4 low = (float4)(g->low[k0], g->low[k1], g->low[k2], g->low[k3]);
    z += low - g->z_low;
    rises += (float4)(low.y, low.z, low.w, low.w) - (float4)(low.x, low.x, low.z, low.y);
  } else {
    z -= g->z_low;
  }
  const float x0 = (float)(j - g->j0) * g->dx - g->u, x1 = (float)(j + 1 - g->j0) * g->dx - g->u;
  const float y0 = (float)(i - g->i0) * g->dy - g->v, y1 = (float)(i + 1 - g->i0) * g->dy - g->v;
  s->v0 = (float3)(x0, y0, z.x);
  s->v1 = (float3)(right ? x1 : x0, y0, z.y);
  s->v2 = (float3)(x0, up ? y1 : y0, z.z);
  s->v3 = (float3)(right && up ? x1 : x0, right && up ? y1 : y0, z.w);
  s->cell = cell_solid(g, i, j);
  s->above_1 = s->above_2 = false;
  s->material = 0u;
  s->n1 = s->n2 = (float3)(0.0f, 0.0f, 1.0f);
  if (s->cell) {
    if (features & NEED_NORMAL_1) s->n1 = unit3((float3)(div_rn(-rises.x, g->dx), div_rn(-rises.y, g->dy), 1.0f));
    if (features & NEED_NORMAL_2) s->n2 = unit3((float3)(div_rn(-rises.z, g->dx), div_rn(-rises.w, g->dy), 1.0f));
    s->material = cell_material(g, i, j);
  }
  s->lift_gap = 0.0f;
  s->lift_covered = false;
  s->lift_material = 0u;
  s->lift_point = (float3)(0.0f, 0.0f, 0.0f);
}

void offer_lift(Site* s, float gap, float3 point, uint material) {
  if (gap > s->lift_gap) {
    s->lift_gap = gap;
    s->lift_covered = false;
    s->lift_point = point;
    s->lift_material = material;
  }
}
// The same of a gap that a contact covers.
void offer_covered(Site* s, float gap) {
  if (gap > s->lift_gap) {
    s->lift_gap = gap;
    s->lift_covered = true;
  }
}

void emit_lift(const Ground* g, Sink* sink, const Site* s) {
  if (!(s->lift_gap > 2e-5f) || s->lift_covered) return;
  Claim c = claim_of(s->lift_point, (float3)(0.0f, 0.0f, 1.0f), s->lift_gap, feature_id(s->i, s->j, FEATURE_LIFT, 0u),
                     s->lift_material | CONTACT_LIFT);
  c.way_in_ground = true;
  (void)settle(g, sink, &c);
}

// How far outside an element's outline a foot still counts [m]: rounding; and beyond a flat edge, what its two slightly
// different normals leave open between them at this distance from the plane.
#define FOOT_SLACK 4e-6f
#define FLAT_EDGE_SLACK 2.5e-4f

// Is the foot q, `below` from where it started, in element k of the site, or just beyond a flat edge of it?
INLINED bool foot_in_element(const Ground* g, const Site* s, uint k, float3 q, float below) {
  const float3 n = k == 0u ? s->n1 : s->n2;
  if (in_element(g, s->v0, (int)k + 1, n, q.x, q.y, FOOT_SLACK)) return true;
  if (!in_element(g, s->v0, (int)k + 1, n, q.x, q.y, FOOT_SLACK + FLAT_EDGE_SLACK * abs_f(below))) return false;
  // Each side that q is beyond must be flat.
  const int i = s->i, j = s->j;
  const float a = q.x - s->v0.x, b = q.y - s->v0.y;
  const float diagonal = a * g->dy + b * g->dx - g->dx * g->dy;
  if (k == 0u)
    return (a >= 0.0f || (cell_solid(g, i, j - 1) && same_plane(n, slope_normal_2(g, i, j - 1)))) &&
           (b >= 0.0f || (cell_solid(g, i - 1, j) && same_plane(n, slope_normal_2(g, i - 1, j)))) &&
           (diagonal <= 0.0f || same_plane(n, element_normal(g, s, 1u)));
  return (a <= g->dx || (cell_solid(g, i, j + 1) && same_plane(n, slope_normal_1(g, i, j + 1)))) &&
         (b <= g->dy || (cell_solid(g, i + 1, j) && same_plane(n, slope_normal_1(g, i + 1, j)))) &&
         (diagonal >= 0.0f || same_plane(n, element_normal(g, s, 0u)));
}

// Height of the edge's higher end.
float highest_of_edge(const Edge* e) {
  return e->base.z + max_f(e->along.z * e->t0, e->along.z * e->t1);
}

// No contact of a convex edge is deeper: the least of the ways off its elements and straight up.
INLINED float deepest_on_edge(const Edge* e, uint shape, const Body* b) {
  const float up = highest_of_edge(e) + reach_along(shape, b, (float3)(0.0f, 0.0f, -1.0f));
  const float way = min_f(min_f(way_off_edge(e, shape, b, e->left), way_off_edge(e, shape, b, e->right)), up);
  return way + (1e-3f * abs_f(way) + 1e-4f);
}

// Does a sharp shape have contacts with flat edges? A box has corners on both sides of them, a rim may have none.
#define BOX_MEETS_FLAT_EDGES false
#define CYLINDER_MEETS_FLAT_EDGES true
#define CONVEX_HULL_MEETS_FLAT_EDGES false
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return NAME##_MEETS_FLAT_EDGES;
bool meets_flat_edges(uint shape) {
  switch (shape) { OCLIDE_SHARP_SHAPES(OCLIDE_CASE) }
  return false;
}
#undef OCLIDE_CASE

// The site's edge: 0 right, 1 up, 2 diagonal. False where there is none, it is flat and no ridge and the body no
// cylinder, or the body is wholly above the plane of one of its elements (of the others it is known not to be).
INLINED bool edge_at(const Ground* g, const Site* s, uint kind, uint shape, const Body* b, float margin, Edge* e) {
  const int i = s->i, j = s->j;
  if (kind == 0u) {
    if (j + 1 >= g->cols) return false;
    e->has_left = s->cell;
    e->has_right = cell_solid(g, i - 1, j);
    if (!e->has_left && !e->has_right) return false;
    e->base = s->v0;
    e->along = s->v1 - s->v0;
    e->left = s->n1;
    e->material = s->cell ? s->material : cell_material(g, i - 1, j);
    if (e->has_right) {
      const float3 slope = slope_normal_2(g, i - 1, j);
      if (clears_plane(shape, b, s->v0, slope, margin)) return false;
      e->right = unit3(slope);
    }
    if (!e->has_left) e->left = (float3)(0.0f, 1.0f, 0.0f);
    if (!e->has_right) e->right = (float3)(0.0f, -1.0f, 0.0f);
  } else if (kind == 1u) {
    if (i + 1 >= g->rows) return false;
    e->has_left = cell_solid(g, i, j - 1);
    e->has_right = s->cell;
    if (!e->has_left && !e->has_right) return false;
    e->base = s->v0;
    e->along = s->v2 - s->v0;
    e->right = s->n1;
    e->material = s->cell ? s->material : cell_material(g, i, j - 1);
    if (e->has_left) {
      const float3 slope = slope_normal_2(g, i, j - 1);
      if (clears_plane(shape, b, s->v0, slope, margin)) return false;
      e->left = unit3(slope);
    }
    if (!e->has_left) e->left = (float3)(-1.0f, 0.0f, 0.0f);
    if (!e->has_right) e->right = (float3)(1.0f, 0.0f, 0.0f);
  } else {
    if (!s->cell || s->above_2) return false;
    e->has_left = e->has_right = true;
    e->base = s->v1;
    e->along = s->v2 - s->v1;
    e->left = s->n1;
    e->right = s->n2;
    e->material = s->material;
  }
  e->flat = e->has_left && e->has_right && same_plane(e->left, e->right);
  place_base(e);
  // Convex where the right element, which lies along `along` x right, goes below the left one's plane.
  e->convex =
      !(e->has_left && e->has_right) || dot3(cross3(e->along, e->right), e->left) < (e->flat ? -LIFT_SINE : 0.0f);
  return !e->flat || e->convex || meets_flat_edges(shape);
}

// The site's edge 0 right or 1 up, if a wall stands under it; whatever planes the body is above of: a corner behind the
// wall may be above the plane of the element next to it, where that falls steeply away from the edge.
INLINED bool wall_at(const Ground* g, const Site* s, uint kind, Edge* e) {
  const int i = s->i, j = s->j;
  if (kind == 0u ? j + 1 >= g->cols : i + 1 >= g->rows) return false;
  const bool beside = kind == 0u ? cell_solid(g, i - 1, j) : cell_solid(g, i, j - 1);
  if (beside == s->cell) return false;
  e->has_left = kind == 0u ? s->cell : beside;
  e->has_right = !e->has_left;
  e->convex = true;
  e->flat = false;
  e->base = s->v0;
  e->along = (kind == 0u ? s->v1 : s->v2) - s->v0;
  const float3 left = kind == 0u ? (float3)(0.0f, 1.0f, 0.0f) : (float3)(-1.0f, 0.0f, 0.0f);
  e->left = left;
  e->right = -left;
  e->material = s->cell ? s->material : (kind == 0u ? cell_material(g, i - 1, j) : cell_material(g, i, j - 1));
  place_base(e);
  return true;
}

// Does no edge that leaves the site's vertex have a positive component along the unit vector m? For m_z >= 0: m is in
// the vertex's normal cone. False for a plain vertex, or one without a solid cell around it.
INLINED bool vertex_is_extreme(const Ground* g, const Site* s, float3 m) {
  const int i = s->i, j = s->j;
  const bool ne = s->cell, nw = cell_solid(g, i, j - 1), se = cell_solid(g, i - 1, j), sw = cell_solid(g, i - 1, j - 1);
  if (!(ne || nw || se || sw)) return false;
  const float dx = g->dx, dy = g->dy;
  const float slack = 1e-6f;
  float3 e;
  if (ne || se) {
    e = (float3)(dx, 0.0f, rise(g, i, j, i, j + 1));
    if (dot3(m, e) > slack * (dx + abs_f(e.z))) return false;
  }
  if (ne || nw) {
    e = (float3)(0.0f, dy, rise(g, i, j, i + 1, j));
    if (dot3(m, e) > slack * (dy + abs_f(e.z))) return false;
  }
  if (nw || sw) {
    e = (float3)(-dx, 0.0f, rise(g, i, j, i, j - 1));
    if (dot3(m, e) > slack * (dx + abs_f(e.z))) return false;
  }
  if (se || sw) {
    e = (float3)(0.0f, -dy, rise(g, i, j, i - 1, j));
    if (dot3(m, e) > slack * (dy + abs_f(e.z))) return false;
  }
  if (nw) {
    e = (float3)(-dx, dy, rise(g, i, j, i + 1, j - 1));
    if (dot3(m, e) > slack * (dx + dy + abs_f(e.z))) return false;
  }
  if (se) {
    e = (float3)(dx, -dy, rise(g, i, j, i - 1, j + 1));
    if (dot3(m, e) > slack * (dx + dy + abs_f(e.z))) return false;
  }
  // Plain: the six elements around the vertex are one plane.
  if (ne && nw && se && sw) {
    const float3 n = s->n1;
    if (same_plane(n, slope_normal_1(g, i, j - 1)) && same_plane(n, slope_normal_2(g, i, j - 1)) &&
        same_plane(n, slope_normal_1(g, i - 1, j)) && same_plane(n, slope_normal_2(g, i - 1, j)) &&
        same_plane(n, slope_normal_2(g, i - 1, j - 1)))
      return false;
  }
  return true;
}

// Is an open cell, or none, beside the site's vertex?
bool vertex_on_border(const Ground* g, const Site* s) {
  return !(s->cell && cell_solid(g, s->i, s->j - 1) && cell_solid(g, s->i - 1, s->j) &&
           cell_solid(g, s->i - 1, s->j - 1));
}

bool vertex_is_solid(const Ground* g, const Site* s) {
  return s->cell || cell_solid(g, s->i, s->j - 1) || cell_solid(g, s->i - 1, s->j) || cell_solid(g, s->i - 1, s->j - 1);
}

uint vertex_material(const Ground* g, const Site* s) {
  const int i = s->i, j = s->j;
  if (s->cell) return s->material;
  if (cell_solid(g, i, j - 1)) return cell_material(g, i, j - 1);
  if (cell_solid(g, i - 1, j)) return cell_material(g, i - 1, j);
  return cell_solid(g, i - 1, j - 1) ? cell_material(g, i - 1, j - 1) : 0u;
}

// Kind 6 (a): offers to lift the body, where it is over the ground's point q, so that it clears it.
INLINED void lift_off_point(Site* s, uint shape, const Body* b, float3 q, uint material) {
  float enter, leave;
  const float3 base = (float3)(q.x, q.y, 0.0f);
  if (!line_inside(shape, b, base, (float3)(0.0f, 0.0f, 1.0f), &enter, &leave)) return;
  const float gap = q.z - enter;
  if (gap > 0.0f) offer_lift(s, gap, base + (float3)(0.0f, 0.0f, enter), material);
}

// A point of a body, x with a ball of radius rho around it, under element k of the site, by the way that the ground
// beyond the body's range of sites offers: the nearest there is. What is nearest within the range, its sites find.
INLINED void far_point(const Ground* g, float3 x, float rho, float3 outward, float below, uint body, Sink* sink) {
  // Nothing is farther than straight up.
  const int i0 = g->i0 + floor_i(div_rn(x.y + g->v - below, g->dy)),
            i1 = g->i0 + floor_i(div_rn(x.y + g->v + below, g->dy));
  const int j0 = g->j0 + floor_i(div_rn(x.x + g->u - below, g->dx)),
            j1 = g->j0 + floor_i(div_rn(x.x + g->u + below, g->dx));
  if (max(i0, 0) >= g->first_i && min(i1, g->rows - 2) <= g->last_i && max(j0, 0) >= g->first_j &&
      min(j1, g->cols - 2) <= g->last_j)
    return;
  Nearest nearest;
  nearest.distance2 = below * below * 1.0001f;
  find_nearest(g, x, false, &nearest);
  if (!nearest.found || !(nearest.distance2 > 1e-14f)) return;
  // Within the range; not on its outermost lines, where what is found may stand for a foot just beyond.
  const float x0 = (float)(g->first_j - g->j0) * g->dx - g->u, x1 = (float)(g->last_j + 1 - g->j0) * g->dx - g->u;
  const float y0 = (float)(g->first_i - g->i0) * g->dy - g->v, y1 = (float)(g->last_i + 1 - g->i0) * g->dy - g->v;
  const float3 q = nearest.point;
  if (q.x > x0 + 1e-5f && q.y > y0 + 1e-5f && q.x < x1 - 1e-5f && q.y < y1 - 1e-5f) return;
  if (!all_solid_around(g, q)) return;
  const float distance = sqrt_rn(nearest.distance2);
  const float3 m = nearest.way;
  if (m.z < 0.0f || dot3(m, outward) > END_SLACK ||
      cover_over(g, nearest.point + m * (0.01f * min_f(g->dx, g->dy))) > 0.0f)
    return;
  report(g, sink, x - m * rho, m, rho + distance, feature_id(nearest.i, nearest.j, FEATURE_FAR, body),
         cell_material(g, nearest.i, nearest.j));
}

// The least depth by which a contact covers a gap, times the body's size: rounding leaves less than a tenth of it.
#define LEAST_COVER 2e-5f

// Can corner x, `below` the plane of element k (0 or 1), be over the element's outline, or its foot? One over which
// neither can be has nothing to do with the element.
bool corner_meets(const Ground* g, const Site* s, uint k, const Body* b, float3 x, float3 n, float below) {
  const float room =
      2.0f * (FOOT_SLACK + FLAT_EDGE_SLACK * abs_f(below)) + 1e-6f * ((g->dx + g->dy) + 4.0f * b->radius_bound);
  const float x0 = x.x - s->v0.x, y0 = x.y - s->v0.y;
  const float x1 = x0 + n.x * below, y1 = y0 + n.y * below;
  const float d0 = x0 * g->dy + y0 * g->dx, d1 = x1 * g->dy + y1 * g->dx;
  const float line = room * (g->dx + g->dy);
  const float area = g->dx * g->dy;
  if (k == 0u)
    return (x0 >= -room && y0 >= -room && d0 <= area + line) || (x1 >= -room && y1 >= -room && d1 <= area + line);
  return (x0 <= g->dx + room && y0 <= g->dy + room && d0 >= area - line) ||
         (x1 <= g->dx + room && y1 <= g->dy + room && d1 >= area - line);
}

// Is x, with a ball of radius rho around it, under the plane of element k (0 or 1), or within the margin of it?
bool is_deep(const Site* s, uint k, float3 x, float rho, float margin) {
  return rho + dot3((k == 0u ? s->v0 : s->v3) - x, k == 0u ? s->n1 : s->n2) > -margin;
}

// Such a point against element k of a solid cell; `lowest`: no point of the body is farther along -n.
INLINED void element_point(const Ground* g, Site* s, uint k, uint shape, const Body* b, float3 x, float rho,
                           float3 outward, bool lowest, uint body, Sink* sink) {
  const float3 n = k == 0u ? s->n1 : s->n2;
  const float below = dot3((k == 0u ? s->v0 : s->v3) - x, n);  // of x under the plane
  const float depth = rho + below;
  const float3 p = x - n * rho, q = x + n * below;
  // Whether p is on the body: not where a capsule's other end is the lower one.
  const bool on_body = dot3(n, outward) <= END_SLACK;
  if (s->flat) {
    if (!on_body) return;
    // The cell that q stands on, so that feature and material are those that single cells would give.
    const int i = clamp(g->i0 + floor_i(div_rn(q.y + g->v, g->dy)), 0, g->rows - 2);
    const int j = clamp(g->j0 + floor_i(div_rn(q.x + g->u, g->dx)), 0, g->cols - 2);
    const float3 v0 = (float3)((float)(j - g->j0) * g->dx - g->u, (float)(i - g->i0) * g->dy - g->v, 0.0f);
    const uint element = in_outline(g, v0, 1, q.x, q.y) ? FEATURE_ELEMENT_1 : FEATURE_ELEMENT_2;
    Claim c = claim_of(p, n, depth, feature_id(i, j, element, body), cell_material(g, i, j));
    c.way_in_ground = true;
    (void)settle(g, sink, &c);
    return;
  }
  const bool over = on_body && depth > 0.0f && in_outline(g, s->v0, (int)k + 1, p.x, p.y);
  bool covered = false;
  if (on_body && foot_in_element(g, s, k, q, below)) {
    const bool covers = over && lowest && depth > LEAST_COVER * b->radius_bound;
    Claim c = claim_of(p, n, depth, feature_id(s->i, s->j, FEATURE_ELEMENT_1 + k, body),
                       s->material | (covers ? CONTACT_COVERS : 0u));
    // Under the element itself there is no doubt about the ground; nor about the way out, nor where there are solid
    // cells alone, by the ball rule.
    c.centre = x;
    c.radius = is_ball_under(g, s->v0, (int)k + 1, x, below) ? 0.0f : below;
    c.centre_in_ground = in_outline(g, s->v0, (int)k + 1, x.x, x.y);
    c.way_in_ground =
        is_well_under(g, s->v0, (int)k + 1, p, q) || (rho == 0.0f && below > 0.0f && all_solid_between(g, x, q));
    const bool agreed = settle(g, sink, &c);
    covered = covers && agreed;
    // Far below a flat edge a foot beyond it may be on no surface at all.
    if (depth > 0.0f && !agreed && in_element(g, s->v0, (int)k + 1, n, q.x, q.y, FOOT_SLACK))
      lift_off_point(s, shape, b, q, s->material);
  }
  if (covered)
    offer_covered(s, div_rn(depth, n.z));
  else if (over)
    offer_lift(s, div_rn(depth, n.z), p, s->material);
  if (below > 0.0f && in_outline(g, s->v0, (int)k + 1, x.x, x.y))
    far_point(g, x, rho, outward, div_rn(below, n.z), body, sink);
}

// Kind 6 (a) for the site's vertex.
INLINED void lift_vertex(const Ground* g, Site* s, uint shape, const Body* b) {
  if (dot3(s->v0, s->v0) > b->radius_bound * b->radius_bound && s->v0.z < 0.0f) return;
  if (vertex_is_solid(g, s)) lift_off_point(s, shape, b, s->v0, vertex_material(g, s));
}

// Kind 6 (d): the body's lowest point straight under its centre. Where the element over it is passed over, there is a
// gap as great at a feature that is not.
INLINED void lift_centre(const Ground* g, Site* s, uint shape, const Body* b) {
  if (!s->cell) return;
  const float3 centre = body_centre(shape, b);
  const int2 cell = centre_cell(g, shape, b);
  if (s->i != cell.y || s->j != cell.x) return;
  const uint k = in_outline(g, s->v0, 1, centre.x, centre.y) ? 0u : 1u;
  if (!(s->features & (k == 0u ? REACH_ELEMENT_1 : REACH_ELEMENT_2))) return;
  const float3 n = element_normal(g, s, k);
  const float3 foot = (float3)(centre.x, centre.y, 0.0f);
  const float surface = div_rn(dot3((k == 0u ? s->v0 : s->v3) - foot, n), n.z);
  float enter, leave;
  if (line_inside(shape, b, foot, (float3)(0.0f, 0.0f, 1.0f), &enter, &leave) && surface > enter)
    offer_lift(s, surface - enter, foot + (float3)(0.0f, 0.0f, enter), s->material);
}

// The site's elements that are in the body's reach: bit k for element k (0 or 1).
uint reached_elements(const Site* s) {
  if (!s->cell) return 0u;
  const bool first = !s->above_1 && (s->features & REACH_ELEMENT_1);
  const bool second = !s->above_2 && !s->flat && (s->features & REACH_ELEMENT_2);
  return (first ? 1u : 0u) | (second ? 2u : 0u);
}

INLINED void rounded_points_edge(const Ground* g, const Site* s, uint shape, const Body* b, uint first, uint points,
                                 const Edge* e, uint kind, Sink* sink) {
  if (e->flat) return;
  const float rho = rounded_radius(shape, b), reach = rho + sink->margin;
  uint near = 0u;
  ROLLED
  EACH_BIT(p, points) {
    const float3 x = rounded_point(shape, b, first + p);
    const float t = dot3(x - e->base, e->along);
    if (t < e->t0 || t > e->t1) continue;
    const float3 d = x - (e->base + e->along * t);
    const float distance = length3(d);
    const bool above = d.z > 0.0f;
    if (above ? !(distance < reach) : !(e->has_left && e->has_right)) continue;
    if (!(distance > 1e-7f)) continue;
    if (e->has_left && dot3(d, cross3(e->left, e->along)) > 1e-6f * distance) continue;
    if (e->has_right && dot3(d, cross3(e->along, e->right)) > 1e-6f * distance) continue;
    // Below, the way must lead out: x is under both planes.
    if (above || (dot3(d, e->left) < 0.0f && dot3(d, e->right) < 0.0f)) near |= 1u << p;
  }
  ROLLED
  EACH_BIT(k, near) {
    const uint p = first + k;
    const float3 x = rounded_point(shape, b, p);
    const float3 d = x - (e->base + e->along * dot3(x - e->base, e->along));
    const float distance = length3(d);
    const bool above = d.z > 0.0f;
    const float3 m = d * div_rn(above ? 1.0f : -1.0f, distance);
    if (dot3(m, outward_of(shape, b, p)) > END_SLACK) continue;
    report_ball(g, sink, x - m * rho, m, above ? rho - distance : rho + distance,
                feature_id(s->i, s->j, FEATURE_EDGE + kind, p), e->material, x, above ? 0.0f : distance);
  }
}

INLINED void rounded_points_vertex(const Ground* g, const Site* s, uint shape, const Body* b, uint first, uint points,
                                   Sink* sink) {
  const float rho = rounded_radius(shape, b), reach = rho + sink->margin;
  uint near = 0u;
  ROLLED
  EACH_BIT(p, points) {
    const float3 d = rounded_point(shape, b, first + p) - s->v0;
    const float distance = length3(d);
    if (distance > 1e-7f && (d.z > 0.0f ? distance < reach : true)) near |= 1u << p;
  }
  ROLLED
  EACH_BIT(k, near) {
    const uint p = first + k;
    const float3 x = rounded_point(shape, b, p);
    const float3 d = x - s->v0;
    const float distance = length3(d);
    const bool above = d.z > 0.0f;
    if (!above && vertex_on_border(g, s)) continue;
    const float3 away = d * div_rn(1.0f, distance);
    if (!vertex_is_extreme(g, s, away)) continue;
    // Below, the way must lead out: just past the vertex is free space.
    const float past = 0.01f * min_f(g->dx, g->dy);
    if (!above && !(cover_over(g, s->v0 - away * past) < 0.0f)) continue;
    const float3 m = above ? away : -away;
    if (dot3(m, outward_of(shape, b, p)) > END_SLACK) continue;
    report_ball(g, sink, x - m * rho, m, above ? rho - distance : rho + distance,
                feature_id(s->i, s->j, FEATURE_VERTEX, p), vertex_material(g, s), x, above ? 0.0f : distance);
  }
}

// The outward direction of the wall under an edge.
float3 wall_outward(const Edge* e) {
  return e->has_left ? e->right : e->left;
}

// Seen from above, does the edge, under which a wall stands, touch the body's bounding rectangle? (Walls stand under
// edges along x or y.)
bool edge_under_body(uint shape, const Body* b, const Edge* e) {
  const float3 p = e->base + e->along * e->t0, q = e->base + e->along * e->t1;
  const float rx = reach_along(shape, b, (float3)(1.0f, 0.0f, 0.0f)) + 1e-5f;
  const float ry = reach_along(shape, b, (float3)(0.0f, 1.0f, 0.0f)) + 1e-5f;
  const float lx = is_symmetric(shape) ? rx : reach_along(shape, b, (float3)(-1.0f, 0.0f, 0.0f)) + 1e-5f;
  const float ly = is_symmetric(shape) ? ry : reach_along(shape, b, (float3)(0.0f, -1.0f, 0.0f)) + 1e-5f;
  return min_f(p.x, q.x) <= rx && max_f(p.x, q.x) >= -lx && min_f(p.y, q.y) <= ry && max_f(p.y, q.y) >= -ly;
}

// Kind 5: does the wall under the site's edge push out point p, the body's farthest along -w? The body's centre is
// known to be off solid cells, the edge to be under the body.
INLINED void wall_point(const Ground* g, const Site* s, const Edge* e, uint shape, float3 p, uint kind, uint body,
                        bool ball_outside, Sink* sink) {
  const float3 w = wall_outward(e);
  const float depth = dot3(e->base - p, w);
  if (!(depth > 0.0f)) return;
  // Along the wall seen from above, and below its upper edge.
  const float3 d = e->along;
  const float t = div_rn((p.x - e->base.x) * d.x + (p.y - e->base.y) * d.y, d.x * d.x + d.y * d.y);
  if (t < e->t0 - 1e-6f || t > e->t1 + 1e-6f || p.z > e->base.z + t * d.z) return;
  // Never sideways where another way out is nearer; but a ball whose centre is outside has nowhere else to go.
  const uint feature = e->has_left ? body : body + part_number(shape, 16u);
  Claim c = claim_of(p, w, depth, feature_id(s->i, s->j, FEATURE_WALL + kind, feature), e->material | CONTACT_WALL);
  c.way_in_ground = ball_outside;
  c.radius = ball_outside ? 0.0f : depth;
  (void)settle(g, sink, &c);
}

// The first `count` points against the walls under the site's edges. A ball has its point farthest along the wall's
// inward direction, and counts where that is on the body.
INLINED void rounded_points_walls(const Ground* g, const Site* s, uint shape, const Body* b, uint count, Sink* sink) {
  ROLLED
  for (uint k = 0u; k < 2u; ++k) {
    Edge e;
    if (!wall_at(g, s, k, &e) || !edge_under_body(shape, b, &e)) continue;
    const float3 w = wall_outward(&e);
    ROLLED
    for (uint p = 0u; p < count; ++p) {
      const float3 x = rounded_point(shape, b, p);
      if (dot3(w, outward_of(shape, b, p)) > END_SLACK) continue;
      wall_point(g, s, &e, shape, x - w * rounded_radius(shape, b), k, p, dot3(e.base - x, w) <= 0.0f, sink);
    }
  }
}

#endif

#line 9 "kernels/terrain/candidate.clh"

// The site of a candidate, with the features in the body's reach.
__attribute__((always_inline)) void load_site(const Ground* g, const GridPose* grid_pose, uint shape, const Body* b,
                                              uint candidate, float margin, Site* s) {
  const ulong range = (ulong)grid_pose->count_i * (ulong)grid_pose->count_j;
  const uint k = candidate_site(range, candidate);
  const int i = grid_pose->first_i + (int)(k / grid_pose->count_j);
  const int j = grid_pose->first_j + (int)(k % grid_pose->count_j);
  // What a contact is called by, if there will be one.
  const ulong cell = (ulong)i * (ulong)(g->cols - 1) + (ulong)j;
  FETCH_EARLY(g->open + cell);
  FETCH_EARLY(g->open + cell + (g->cols - 1));
  FETCH_EARLY(g->faces + cell);
  site_at(g, i, j, grid_pose->flat != 0u, candidate_features(range, candidate), s);
  if (s->cell && (s->features & (REACH_EDGE * 7u | REACH_VERTEX)))
    s->above_1 = clears_plane(shape, b, s->v0, s->n1, margin);
  if (s->cell && (s->features & REACH_EDGE << 2)) s->above_2 = clears_plane(shape, b, s->v3, s->n2, margin);
}

// The candidates of a work-item. On a GPU, where it has one, those of a group are dealt out in the order of the
// features in reach: work-items that run side by side look at the same kinds of features. Which of equal ones comes
// first does not matter: contacts are brought into the order of candidates later.
#if OCLIDE_LANES == 1
#define FEATURE_SETS (REACH_ALL + 1u)
uint place_by_features(__local uint* sets, __local uint* placed, uint own) {
  for (uint k = (uint)get_local_id(0); k <= FEATURE_SETS; k += (uint)get_local_size(0)) sets[k] = placed[k] = 0u;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(sets + own);
  barrier(CLK_LOCAL_MEM_FENCE);
  uint place = atomic_inc(placed + own);
  for (uint k = 0u; k < own; ++k) place += sets[k];
  return place;
}
#define CANDIDATES_OF_ITEM(run, first, count, sites)                                                         \
  __local uint sets[FEATURE_SETS + 1u], placed[FEATURE_SETS + 1u], dealt[TERRAIN_GROUP];                     \
  ItemRun run = run_of_item(count);                                                                          \
  const bool has_one = run.first != run.last;                                                                \
  run.first += first;                                                                                        \
  dealt[place_by_features(sets, placed, has_one ? sites[run.first] >> CANDIDATE_SITE_BITS : FEATURE_SETS)] = \
      has_one ? run.first : NO_CANDIDATE;                                                                    \
  barrier(CLK_LOCAL_MEM_FENCE);                                                                              \
  run.first = dealt[get_local_id(0)];                                                                        \
  run.last = run.first == NO_CANDIDATE ? NO_CANDIDATE : run.first + 1u;
#else
#define CANDIDATES_OF_ITEM(run, first, count, sites) \
  ItemRun run = run_of_item(count);                  \
  run.first += first;                                \
  run.last += first;
#endif

// The arguments and the thin entry of every kernel of bodies against terrain, TERRAIN_KERNEL(name, SHAPE, function),
// with
//   void function(const Ground* g, Site* s, const Body* b, Sink* sink)
// The work-items share the candidates of slots [first_slot, last_slot) evenly. Writes
// counts[candidate], and the contacts into the shared store; contact_order.cl then brings them into the order of
// candidates. Where the store was too small the host sees it by the counts, makes it larger, and runs the kernel again.
//
// The hint keeps compilers from putting several work-items into one vector: Intel's CPU runtime 2026.2 gets the
// branches of these functions wrong when it does, and work-items diverge too much to gain from it.
#define TERRAIN_KERNEL_OF(name, shape, sites_contacts)                                                               \
  __attribute__((vec_type_hint(float4))) __kernel void name(                                                         \
      const uint first_slot, const uint last_slot, const uint block, __global const uint* first_candidate,           \
      __global const uint* candidate_slots, __global const uint* candidate_sites, __global const BodyRecord* bodies, \
      __global const GridPose* grid_poses, __global const TerrainRecord* terrains, __global const float* heights,    \
      __global const float* heights_low, __global const uchar* open, __global const uchar* material,                 \
      __global const float2* bounds, __global const ushort* faces, __global const uint* face_names,                  \
      __global const uint* hulls, const float margin, __global uint* counts, const uint capacity,                    \
      __global uint* stored, __global uint* store_candidates, __global ContactRecord* store) {                       \
    const uint first = first_candidate[first_slot], count = first_candidate[last_slot] - first;                      \
    CANDIDATES_OF_ITEM(run, first, count, candidate_sites)                                                           \
    if (run.first == run.last) return;                                                                               \
    Sink sink;                                                                                                       \
    sink.store = store;                                                                                              \
    sink.store_candidates = store_candidates;                                                                        \
    sink.slots = store_slots_in(stored, block);                                                                      \
    sink.capacity = capacity;                                                                                        \
    sink.margin = margin;                                                                                            \
    BodyRecord record;                                                                                               \
    GridPose grid_pose;                                                                                              \
    Ground ground;                                                                                                   \
    Body body;                                                                                                       \
    uint slot = SLOT_NONE;                                                                                           \
    EACH_OF_RUN(candidate, run) {                                                                                    \
      if (candidate_slots[candidate] != slot) {                                                                      \
        slot = candidate_slots[candidate];                                                                           \
        record = bodies[slot];                                                                                       \
        grid_pose = grid_poses[slot];                                                                                \
        ground = ground_of(terrains[record.terrain], grid_pose, heights, heights_low, open, material, bounds);       \
        ground.faces = faces + terrains[record.terrain].cell_offset;                                                 \
        ground.face_names = face_names + terrains[record.terrain].face_name_offset;                                  \
        body = load_body(record, grid_pose, shape, hulls);                                                           \
      }                                                                                                              \
      Site site;                                                                                                     \
      load_site(&ground, &grid_pose, shape, &body, candidate_sites[candidate], margin, &site);                       \
      sink.candidate = candidate;                                                                                    \
      sink.count = 0u;                                                                                               \
      sites_contacts;                                                                                                \
      counts[candidate] = sink.count;                                                                                \
    }                                                                                                                \
    for (uint empty = sink.slots.next; empty < min(sink.slots.end, capacity); ++empty)                               \
      store_candidates[empty] = NO_CANDIDATE;                                                                        \
  }

// narrow_phase/fused_terrain.cl has the functions of all shapes under one kernel.
#ifndef OCLIDE_FUSED_TERRAIN
#define TERRAIN_KERNEL(name, shape, function) TERRAIN_KERNEL_OF(name, shape, function(&ground, &site, &body, &sink))
#else
#define TERRAIN_KERNEL(name, shape, function)
#endif

#endif

#line 7 "kernels/narrow_phase/capsule_terrain.cl"
#line 1 "kernels/terrain/lift_terrain.clh"
// Kind 6 (c): where an edge of the ground stands highest above the body's lower side.
//
// The gap between edge and body is measured in the vertical plane through the edge. Of all normals m across the edge,
// from the horizontal on one side over the top to the other, there is one whose lowest point P(m) lies in that plane;
// over it the gap is greatest.
#ifndef OCLIDE_TERRAIN_LIFT_TERRAIN_CLH
#define OCLIDE_TERRAIN_LIFT_TERRAIN_CLH
#if OCLIDE_LANES != 1
#line 1 "kernels/shapes/body8.clh"
// Eight directions side by side against one body: to the bit what shapes/body.clh gives for each of them.
#ifndef OCLIDE_SHAPES_BODY8_CLH
#define OCLIDE_SHAPES_BODY8_CLH
#line 5 "kernels/shapes/body8.clh"
#line 6 "kernels/shapes/body8.clh"
#pragma OPENCL FP_CONTRACT OFF

// Of what is round, a base's rim or a ball, the farthest points along -m, from its middle.
void round_points(uint shape, const Body* b, Vec8 m, Vec8* p) {
  Vec8 round = m;
  if (shape == SHAPE_CYLINDER) {
    const float8 on_x = dot8(m, b->x), on_y = dot8(m, b->y);
    round.x = b->x.x * on_x + b->y.x * on_y;
    round.y = b->x.y * on_x + b->y.y * on_y;
    round.z = b->x.z * on_x + b->y.z * on_y;
  }
  const float8 inverse = inverse_length8(round);
  p->x = round.x * inverse * -b->size.x;
  p->y = round.y * inverse * -b->size.x;
  p->z = round.z * inverse * -b->size.x;
}

void sphere_lowest_points(const Body* b, Vec8 m, Vec8* p) {
  round_points(SHAPE_SPHERE, b, m, p);
}
void box_lowest_points(const Body* b, Vec8 m, Vec8* p) {
  const float3 s = b->size;
  const float8 cx = against8(dot8(m, b->x), s.x), cy = against8(dot8(m, b->y), s.y), cz = against8(dot8(m, b->z), s.z);
  p->x = (b->x.x * cx + b->y.x * cy) + b->z.x * cz;
  p->y = (b->x.y * cx + b->y.y * cy) + b->z.y * cz;
  p->z = (b->x.z * cx + b->y.z * cy) + b->z.z * cz;
}
void round_lowest_points(uint shape, const Body* b, Vec8 m, Vec8* p) {
  round_points(shape, b, m, p);
  const float8 end = against8(dot8(m, b->z), b->size.y);
  p->x = b->z.x * end + p->x;
  p->y = b->z.y * end + p->y;
  p->z = b->z.z * end + p->z;
}
void cylinder_lowest_points(const Body* b, Vec8 m, Vec8* p) {
  round_lowest_points(SHAPE_CYLINDER, b, m, p);
}
void capsule_lowest_points(const Body* b, Vec8 m, Vec8* p) {
  round_lowest_points(SHAPE_CAPSULE, b, m, p);
}

void convex_hull_lowest_points(const Body* b, Vec8 m, Vec8* p) {
  __global const uint* hull = b->hull;
  const uint count = hull[HULL_VERTICES];
  m.x = -m.x;
  m.y = -m.y;
  m.z = -m.z;
  const Vec8 down = {dot8(m, b->x), dot8(m, b->y), dot8(m, b->z)};
  float8 reach = (float8)(-MAXFLOAT), x = (float8)(0.0f), y = x, z = x;
  for (uint k = 0u; k < count; ++k) {
    const float3 v = hull_vertex(hull, k);
    const float8 along = dot8(down, v);
    const int8 farther = along > reach;
    reach = select(reach, along, farther);
    x = select(x, (float8)(v.x), farther);
    y = select(y, (float8)(v.y), farther);
    z = select(z, (float8)(v.z), farther);
  }
  p->x = (b->x.x * x + b->y.x * y) + b->z.x * z;
  p->y = (b->x.y * x + b->y.y * y) + b->z.y * z;
  p->z = (b->x.z * x + b->y.z * y) + b->z.z * z;
}

// Farthest points of the body along -m; of shapes that have no function for eight, one after another.
#define OCLIDE_CASE(NAME, name)    \
  case SHAPE_##NAME:               \
    name##_lowest_points(b, m, p); \
    return;
void lowest_points(uint shape, const Body* b, Vec8 m, Vec8* p) {
  if (is_symmetric(shape)) {
    switch (shape) { OCLIDE_SYMMETRIC_SHAPES(OCLIDE_CASE) }
  }
  if (shape == SHAPE_CONVEX_HULL) {
    convex_hull_lowest_points(b, m, p);
    return;
  }
  float x[8], y[8], z[8];
  for (uint k = 0u; k < 8u; ++k) {
    const float3 point = lowest_point(shape, b, (float3)(lane_of(m.x, k), lane_of(m.y, k), lane_of(m.z, k)));
    x[k] = point.x;
    y[k] = point.y;
    z[k] = point.z;
  }
  *p = (Vec8){vload8(0, x), vload8(0, y), vload8(0, z)};
}
#undef OCLIDE_CASE

// The seven points at which three steps of bisection may look, in order: lane 3 is the first step's; to the bit the
// values that the steps themselves give. Lane 7 is hi.
float8 bisection_points(float lo, float hi) {
  const float t3 = 0.5f * (lo + hi);
  const float t1 = 0.5f * (lo + t3), t5 = 0.5f * (t3 + hi);
  return (float8)(0.5f * (lo + t1), t1, 0.5f * (t1 + t3), t3, 0.5f * (t3 + t5), t5, 0.5f * (t5 + hi), hi);
}

#endif

#line 10 "kernels/terrain/lift_terrain.clh"
#endif
#line 12 "kernels/terrain/lift_terrain.clh"
#pragma OPENCL FP_CONTRACT OFF

// Bisections of the half circle of normals; what is left of it, 2^-12, is bridged by a chord, within 1e-7 of the body's
// size on its round sides and exactly on its faces.
#define LIFT_BISECTIONS 12
#define LIFT_BISECTIONS_OF_BASE 9  // further ones, where a cylinder's base is nearly level with the edge
#define LIFT_PARTS 2048.0f         // of the quarter circle: 1 / LIFT_PARTS is what the bisections leave

float sphere_lift_guess(const Body* b, float3 side, float3 top, float across) {
  (void)side;
  (void)top;
  const float below2 = b->size.x * b->size.x - across * across;
  return below2 > 0.0f ? div_rn(-across, abs_f(across) + sqrt_rn(below2)) : 2.0f;
}
float box_lift_guess(const Body* b, float3 side, float3 top, float across) {
  // The lowest corner changes where the normal is level with an axis, each time by an edge along that axis.
  const float3 on_side = (float3)(dot3(b->x, side), dot3(b->y, side), dot3(b->z, side));
  const float3 on_top = (float3)(dot3(b->x, top), dot3(b->y, top), dot3(b->z, top));
  const float3 length = (float3)(abs_f(on_side.x), abs_f(on_side.y), abs_f(on_side.z));
  const float tx = div_rn(-sign_f(on_side.x) * on_top.x, length.x + abs_f(on_top.x));
  const float ty = div_rn(-sign_f(on_side.y) * on_top.y, length.y + abs_f(on_top.y));
  const float tz = div_rn(-sign_f(on_side.z) * on_top.z, length.z + abs_f(on_top.z));
  const float3 step = b->size * length;
  const float start = 0.5f * (((step.x + step.y) + step.z) - across);
  const float x = start - ((ty < tx ? step.y : 0.0f) + (tz < tx ? step.z : 0.0f));
  const float y = start - ((tx < ty ? step.x : 0.0f) + (tz < ty ? step.z : 0.0f));
  const float z = start - ((tx < tz ? step.x : 0.0f) + (ty < tz ? step.y : 0.0f));
  return x > 0.0f && x <= step.x ? tx : (y > 0.0f && y <= step.y ? ty : (z > 0.0f && z <= step.z ? tz : 2.0f));
}
// On the rim of either base or the ball at either end; else along the side, where the normal is level with the axis.
float round_lift_guess(bool rim, const Body* b, float3 side, float3 top, float across) {
  const float r = b->size.x, h = b->size.y;
  const float axis_side = dot3(b->z, side), axis_top = dot3(b->z, top);
  const float a = 1.0f - axis_side * axis_side, mixed = -axis_side * axis_top;
  const float out2 = max_f(a - axis_top * axis_top, 0.0f);  // of the axis along the edge, squared
  for (int k = 0; k < 2; ++k) {
    const float end = k == 0 ? h : -h;
    const float c = div_rn(-(across + end * axis_side), r);
    const float room = (rim ? a : 1.0f) - c * c;
    if (!(room > 0.0f)) continue;
    const float q = rim ? div_rn(c * sqrt_rn(div_rn(out2, room)) - mixed, a) : div_rn(c, sqrt_rn(room));
    if ((q * axis_side + axis_top) * end > 0.0f) return div_rn(q, 1.0f + abs_f(q));
  }
  return div_rn(-sign_f(axis_side) * axis_top, abs_f(axis_side) + abs_f(axis_top));
}
float cylinder_lift_guess(const Body* b, float3 side, float3 top, float across) {
  return round_lift_guess(true, b, side, top, across);
}
float capsule_lift_guess(const Body* b, float3 side, float3 top, float across) {
  return round_lift_guess(false, b, side, top, across);
}

float convex_hull_lift_guess(const Body* b, float3 side, float3 top, float across) {
  (void)b;
  (void)side;
  (void)top;
  (void)across;
  return 2.0f;
}

// The normal sought, from the closed forms: side * t + top * (1 - |t|) with -1 < t < 1, about; 2 where it is not known.
// `across`: of the edge along `side`.
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return name##_lift_guess(b, side, top, across);
float lift_guess(uint shape, const Body* b, float3 side, float3 top, float across) {
  switch (shape) { OCLIDE_CONVEX_SHAPES(OCLIDE_CASE) }
  return 2.0f;
}
#undef OCLIDE_CASE

// The point of the edge highest above the body, whose lowest points pa and pb lie on both sides of the edge by ga > 0
// and gb < 0: a face or edge of the body is between them, or all but one point. False beyond the edge's ends, where the
// vertices have it.
bool lift_between(const Edge* e, float3 pa, float3 pb, float ga, float gb, float3* p, float* gap) {
  *p = ga - gb > 1e-9f ? pa + (pb - pa) * clamp01(div_rn(ga, ga - gb)) : pa;
  // The point of the edge straight over P.
  const float level2 = e->along.x * e->along.x + e->along.y * e->along.y;
  const float t = div_rn((p->x - e->base.x) * e->along.x + (p->y - e->base.y) * e->along.y, level2);
  if (t < e->t0 || t > e->t1) return false;
  // P may be at the rim of the body as seen from above, where a vertical line just misses it: its own height counts.
  *gap = (e->base.z + e->along.z * t) - p->z;
  return true;
}

// Do two lowest points of a cylinder lie apart on one rim? The rim between them is then far from their chord: where its
// base is level with the edge to within what the bisections leave, but leans along it, the gap is greatest at the rim.
bool cylinder_is_across_base(const Body* b, float3 pa, float3 pb) {
  const float3 apart = pb - pa;
  return dot3(apart, apart) > 1e-4f * b->size.x * b->size.x && abs_f(dot3(apart, b->z)) < b->size.y;
}
bool box_is_across_base(const Body* b, float3 pa, float3 pb) {
  (void)b;
  (void)pa;
  (void)pb;
  return false;
}

bool convex_hull_is_across_base(const Body* b, float3 pa, float3 pb) {
  (void)b;
  (void)pa;
  (void)pb;
  return false;
}

// Rounded shapes have no rim.
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return name##_is_across_base(b, pa, pb);
bool is_across_base(uint shape, const Body* b, float3 pa, float3 pb) {
  switch (shape) { OCLIDE_SHARP_SHAPES(OCLIDE_CASE) }
  return false;
}
#undef OCLIDE_CASE

// Bisects [lo, hi], normals as lift_guess() gives them, whose lowest points lie on both sides of the edge. False where
// no gap can be greater than the one at hand: how deep the body is along any m bounds the gap, and most edges near a
// body are culled so, after a step or two.
#if OCLIDE_LANES == 1
INLINED bool lift_bisect(const Edge* e, uint shape, const Body* b, float3 side, float3 top, float at_hand, int steps,
                         float* lo, float* hi) {
  ROLLED
  for (int k = 0; k < steps; ++k) {
    const float t = 0.5f * (*lo + *hi), up = 1.0f - abs_f(t);
    const float3 m = side * t + top * up;
    const float3 d = lowest_point(shape, b, m) - e->base;
    if (-dot3(d, m) <= at_hand * (top.z * up)) return false;
    if (dot3(d, side) > 0.0f)
      *lo = t;
    else
      *hi = t;
  }
  return true;
}
#else
bool lift_bisect(const Edge* e, uint shape, const Body* b, float3 side, float3 top, float at_hand, int steps, float* lo,
                 float* hi) {
  for (int k = 0; k < steps; k += 3) {
    // All that the next three steps may look at.
    const float8 t = bisection_points(*lo, *hi), up = 1.0f - abs8(t);
    Vec8 m;
    m.x = side.x * t + top.x * up;
    m.y = side.y * t + top.y * up;
    m.z = side.z * t + top.z * up;
    Vec8 d;
    lowest_points(shape, b, m, &d);
    d.x -= e->base.x;
    d.y -= e->base.y;
    d.z -= e->base.z;
    const uint shallow = lanes_set(-((d.x * m.x + d.y * m.y) + d.z * m.z) <= at_hand * (top.z * up));
    const uint beyond = lanes_set(dot8(d, side) > 0.0f);
    for (uint step = 4u, lane = 3u; step > 0u; step >>= 1) {
      if (shallow >> lane & 1u) return false;
      const float middle = 0.5f * (*lo + *hi);
      if (beyond >> lane & 1u) {
        *lo = middle;
        lane += step >> 1;
      } else {
        *hi = middle;
        lane -= step >> 1;
      }
    }
  }
  return true;
}
#endif

INLINED void lift_edge(Site* s, uint shape, const Body* b, const Edge* e) {
  if (!e->convex) return;
  // `side` points level across the edge, `top` up across it.
  const float3 side = unit3((float3)(e->along.y, -e->along.x, 0.0f));
  const float3 top = cross3(side, e->along);
  const float across = dot3(e->base, side);
  if (abs_f(across) >= reach_along(shape, b, across < 0.0f ? -side : side)) return;
  // A hull may be all on one side of its position.
  if (!is_symmetric(shape) && -abs_f(across) >= reach_along(shape, b, across < 0.0f ? side : -side)) return;
  const float size = ((abs_f(e->base.x) + abs_f(e->base.y)) + abs_f(e->base.z)) + b->radius_bound;
  // Over a flat edge the gap is all but that of its elements: rounding makes it no greater.
  const float at_hand = e->flat ? s->lift_gap + 1e-6f * size : s->lift_gap;
  // No gap here can be greater than the one at hand.
  if (highest_of_edge(e) + reach_along(shape, b, (float3)(0.0f, 0.0f, -1.0f)) <= at_hand) return;
  float lo, hi, gap;
  float3 p;
  // What the bisections would end with, where the closed form has it beyond doubt: lowest points that lie clearly on
  // both sides, and a gap clearly greater than the one at hand, or not greater.
  const float guess = lift_guess(shape, b, side, top, across);
  if (abs_f(guess) < 0.875f) {
    lo = (float)floor_i(guess * LIFT_PARTS) * (1.0f / LIFT_PARTS);
    hi = lo + 1.0f / LIFT_PARTS;
    const float3 pa = lowest_point(shape, b, side * lo + top * (1.0f - abs_f(lo)));
    const float3 pb = lowest_point(shape, b, side * hi + top * (1.0f - abs_f(hi)));
    const float ga = dot3(pa - e->base, side), gb = dot3(pb - e->base, side);
    if (ga > 1e-6f * size && gb < -1e-6f * size && !is_across_base(shape, b, pa, pb)) {
      if (!lift_between(e, pa, pb, ga, gb, &p, &gap) || gap <= at_hand) return;
      if ((gap - at_hand) * top.z > 2e-5f * size) {
        offer_lift(s, gap, p, e->material);
        return;
      }
    }
  }
  lo = -1.0f;
  hi = 1.0f;
  if (!lift_bisect(e, shape, b, side, top, at_hand, LIFT_BISECTIONS, &lo, &hi)) return;
  float3 pa = lowest_point(shape, b, side * lo + top * (1.0f - abs_f(lo)));
  float3 pb = lowest_point(shape, b, side * hi + top * (1.0f - abs_f(hi)));
  if (is_across_base(shape, b, pa, pb)) {
    if (!lift_bisect(e, shape, b, side, top, at_hand, LIFT_BISECTIONS_OF_BASE, &lo, &hi)) return;
    pa = lowest_point(shape, b, side * lo + top * (1.0f - abs_f(lo)));
    pb = lowest_point(shape, b, side * hi + top * (1.0f - abs_f(hi)));
  }
  if (lift_between(e, pa, pb, dot3(pa - e->base, side), dot3(pb - e->base, side), &p, &gap) && gap > at_hand)
    offer_lift(s, gap, p, e->material);
}

#endif

#line 8 "kernels/narrow_phase/capsule_terrain.cl"
#pragma OPENCL FP_CONTRACT OFF

// Kind 3: the interior of the axis against a convex edge.
void capsule_edge(const Ground* g, const Site* s, const Edge* e, uint kind, const Body* b, Sink* sink) {
  if (e->flat || !e->convex) return;
  const float3 axis = b->z;
  float3 m = cross3(axis, e->along);
  if (dot3(m, m) < 1e-8f) return;  // parallel: the ends have it
  m = unit3(m);
  if (m.z < 0.0f) m = -m;
  // In the arc between the normals of both sides.
  if (dot3(m, cross3(e->left, e->along)) > 1e-6f || dot3(m, cross3(e->along, e->right)) > 1e-6f) return;
  // Nearest points of two lines: axis z * t, edge a + along * u.
  const float c = dot3(axis, e->along);
  const float da = dot3(e->base, axis), de = dot3(e->base, e->along);
  const float inverse = div_rn(1.0f, 1.0f - c * c);
  const float t = (da - c * de) * inverse, u = (c * da - de) * inverse;
  if (abs_f(t) > b->size.y || u < e->t0 - 2e-6f || u > e->t1 + 2e-6f) return;
  const float3 x = axis * t;
  const float depth = b->size.x + dot3(e->base + e->along * u - x, m);
  // The edge is inside the capsule (not beyond its upper side), or within margin.
  if (!(depth > -sink->margin) || depth > 2.0f * b->size.x) return;
  if (depth > deepest_on_edge(e, SHAPE_CAPSULE, b)) return;
  report(g, sink, x - m * b->size.x, m, depth, feature_id(s->i, s->j, FEATURE_EDGE + kind, 8u), e->material);
}

// Kind 4: the interior of the axis against the vertex.
void capsule_vertex(const Ground* g, const Site* s, const Body* b, Sink* sink) {
  const float3 v = s->v0;
  const float t = dot3(v, b->z);
  if (abs_f(t) > b->size.y) return;
  const float3 d = b->z * t - v;
  const float distance = length3(d);
  if (!(distance > 1e-7f) || !(distance < b->size.x + sink->margin)) return;
  const float3 m = d * div_rn(1.0f, distance);
  if (m.z < 0.0f || !vertex_is_extreme(g, s, m)) return;
  report(g, sink, b->z * t - m * b->size.x, m, b->size.x - distance, feature_id(s->i, s->j, FEATURE_VERTEX, 8u),
         vertex_material(g, s));
}

// A point of the capsule that meets elements: an end of its axis with the ball around it (0 or 1), or on its side (2).
typedef struct CapsulePoint {
  float3 x, outward;
  float radius;  // [m]
  uint body;     // feature
} CapsulePoint;

// Kind 2: the upper end of the side's lowest line, so that a capsule that lies or leans a little rests on both ends. It
// is called by that end, whose own point (kind 1) it falls together with where the capsule lies.
CapsulePoint capsule_point(const Site* s, uint k, const Body* b, uint at) {
  CapsulePoint p;
  p.x = rounded_point(SHAPE_CAPSULE, b, at);
  p.outward = outward_of(SHAPE_CAPSULE, b, at);
  p.radius = b->size.x;
  p.body = at;
  if (at < 2u) return p;
  const float3 n = k == 0u ? s->n1 : s->n2;
  const float along = dot3(b->z, n);
  p.body = along < 0.0f ? 0u : 1u;
  p.x = rounded_point(SHAPE_CAPSULE, b, p.body) + unit3(b->z * along - n) * b->size.x;
  p.outward = (float3)(0.0f, 0.0f, 0.0f);
  p.radius = 0.0f;
  return p;
}

// Kinds 1 and 2.
void capsule_elements(const Ground* g, Site* s, const Body* b, Sink* sink) {
  const uint elements = reached_elements(s);
  uint deep = 0u;  // bit 2 p + k: point p meets element k
  ROLLED
  for (uint at = 0u; elements != 0u && at < 6u; ++at) {
    const uint k = at & 1u;
    if (!(elements >> k & 1u)) continue;
    if (at >= 4u && abs_f(dot3(b->z, k == 0u ? s->n1 : s->n2)) > 0.70710678f) continue;
    const CapsulePoint p = capsule_point(s, k, b, at >> 1);
    if (is_deep(s, k, p.x, p.radius, sink->margin)) deep |= 1u << at;
  }
  ROLLED
  EACH_BIT(at, deep) {
    const uint k = at & 1u;
    const CapsulePoint p = capsule_point(s, k, b, at >> 1);
    element_point(g, s, k, SHAPE_CAPSULE, b, p.x, p.radius, p.outward,
                  at < 4u && dot3(k == 0u ? s->n1 : s->n2, p.outward) <= 0.0f, p.body, sink);
  }
}

INLINED void capsule_site(const Ground* g, Site* s, const Body* b, Sink* sink) {
  const uint ends = 3u;
  capsule_elements(g, s, b, sink);
  if (s->flat) return;
  if (!s->above_1) {
    ROLLED
    EACH_BIT(k, REACHED_EDGES(s->features)) {
      Edge e;
      if (!edge_at(g, s, k, SHAPE_CAPSULE, b, sink->margin, &e)) continue;
      rounded_points_edge(g, s, SHAPE_CAPSULE, b, 0u, ends, &e, k, sink);
      capsule_edge(g, s, &e, k, b, sink);
      lift_edge(s, SHAPE_CAPSULE, b, &e);
    }
  }
  if ((s->features & REACH_VERTEX) && (!s->above_1 || is_steep_pit(g, s->i, s->j)))
    rounded_points_vertex(g, s, SHAPE_CAPSULE, b, 0u, ends, sink);
  if ((s->features & REACH_VERTEX) && !s->above_1) {
    const float reach = b->radius_bound + sink->margin;
    if (dot3(s->v0, s->v0) < reach * reach) capsule_vertex(g, s, b, sink);
    lift_vertex(g, s, SHAPE_CAPSULE, b);
  }
  if (centre_is_off_ground(g, SHAPE_CAPSULE, b)) rounded_points_walls(g, s, SHAPE_CAPSULE, b, 2u, sink);
  lift_centre(g, s, SHAPE_CAPSULE, b);
  emit_lift(g, sink, s);
}

TERRAIN_KERNEL(narrow_phase_capsule_terrain, SHAPE_CAPSULE, capsule_site)

