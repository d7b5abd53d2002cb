#pragma OPENCL FP_CONTRACT OFF
#line 1 "kernels/broad_phase/terrain_candidates.cl"
// Broad phase against terrain, second half: the sites of all bodies laid end to end, cut into chunks of equal length
// (so that one body over 100,000 cells and 100,000 bodies over nine each keep every work-item busy), those that reach
// up to the body kept in order.
//
//   sites:   | body 0 | body 1         ||body 3 | ...          offsets[slot] = first site of a body
//   chunks:  |     0     |     1     |     2     | ...
//
// Chunks of 64 sites. On a GPU a work-item of terrain_sites has a site and a work-group a chunk. Elsewhere the
// work-items share the chunks evenly, each some one after another. terrain_sites: the features in reach of each site,
// and how many sites of each chunk have any. terrain_candidates: the kept sites from chunk_offsets[chunk] on, and
// first_candidate[slot] for every body that begins in the chunk. The sites are those of slots [first_slot, last_slot);
// chunks beyond them have none.
//
// A small frame is sent off before the host knows how many sites and candidates it has: for `chunks` and `room` that
// the frame before needed, and some more. Where it has more than that the host sees it by the totals, and starts over;
// until then no kernel finds an index beyond the room. What the narrow phase counts in is made ready here.
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

#line 18 "kernels/broad_phase/terrain_candidates.cl"
#line 1 "kernels/primitives/group_scan.clh"
// Exclusive prefix sum of few uints by one work-group: out[i] = in[0] + ... + in[i-1], out[n] = the sum of all. For
// more there is exclusive_scan.cl.
#ifndef OCLIDE_PRIMITIVES_GROUP_SCAN_CLH
#define OCLIDE_PRIMITIVES_GROUP_SCAN_CLH

// To be reached by all work-items of the group, LONE_GROUP at most, which all see `out` when it returns. `partial`: a
// number each.
void scan_in_group(__global const uint* in, uint n, __global uint* out, __local uint* partial) {
  const uint item = (uint)get_local_id(0), items = (uint)get_local_size(0);
  const uint stretch = (n + items - 1u) / items;
  const uint begin = min(item * stretch, n), end = min(begin + stretch, n);
  uint own = 0u;
  for (uint i = begin; i < end; ++i) own += in[i];
  partial[item] = own;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint sum = 0u;
  for (uint k = 0u; k < item; ++k) sum += partial[k];
  for (uint i = begin; i < end; ++i) {
    out[i] = sum;
    sum += in[i];
  }
  if (item == items - 1u) out[n] = sum;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

#endif

#line 19 "kernels/broad_phase/terrain_candidates.cl"
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

#line 20 "kernels/broad_phase/terrain_candidates.cl"
#line 1 "kernels/terrain/site_features.clh"
// Which features of a lattice site a body can have anything to do with: all others are passed over. Sites are
// looked at side by side (terrain/site_lanes.clh).
//
// What each kind of contact (docs/terrain_contacts.md) asks for, with X or P a point of the body and Q one of the
// ground; and where a feature is passed over:
//   element   Q lies on it and P = Q - depth n, or P is straight under it. Passed over where the body is above its
//             plane, and where of all points that kinds 1 and 2 know of the body none, nor its foot, is in the outline.
//   edge      Q lies on it and in the body, or P is straight under it; if it is not a sharp ridge also Q on it and P =
//             Q - depth m with m between the normals of both its elements; of a flat one the last, of a cylinder, and
//             P straight under a ridge. Passed over where the body's lowest point along either normal is beside it,
//             see passes_beside(); and where the edge is beside the body's bounding rectangle, or the body above a
//             plane of it.
//   vertex    Q in the body, P straight under it, or X = Q - d m, m.e >= 0 for all edges e that leave it. Passed over
//             where the body is beyond a plane across some m through the vertex, m not downward; in a pit, where X may
//             be anywhere under the vertex, only if the edges that leave it fall away from m.
//
// The slack holds what the kinds' own slacks add to the features (a foot may be 2.5e-4 of its depth beyond a flat edge,
// and a line within 1e-4 of an edge's direction counts as parallel to it), and rounding, 5e-7 of all coordinates at
// hand. A ridge is sharp where the sine of its angle is above 0.1: a point that seems nearest to it from below, though
// no point is, is then within 10 times the rounding of it.
#ifndef OCLIDE_TERRAIN_SITE_FEATURES_CLH
#define OCLIDE_TERRAIN_SITE_FEATURES_CLH
#line 1 "kernels/terrain/centre_cell.clh"
// The cell that a body's centre is above or below. Where a hull has its centre: docs/convex_hulls.md.
#ifndef OCLIDE_TERRAIN_CENTRE_CELL_CLH
#define OCLIDE_TERRAIN_CENTRE_CELL_CLH
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

#line 24 "kernels/terrain/site_features.clh"
#line 1 "kernels/terrain/edge_reach.clh"
// Which edges between two elements are out of bodies' reach, side by side; what is asked for there:
// terrain/site_features.clh.
#ifndef OCLIDE_TERRAIN_EDGE_REACH_CLH
#define OCLIDE_TERRAIN_EDGE_REACH_CLH
#line 1 "kernels/terrain/plane_reach.clh"
// How far bodies reach across the planes of elements, side by side.
#ifndef OCLIDE_TERRAIN_PLANE_REACH_CLH
#define OCLIDE_TERRAIN_PLANE_REACH_CLH
#line 1 "kernels/shapes/body_lanes.clh"
// Bodies side by side, one a lane: to the bit what shapes/body.clh gives for each of them.
#ifndef OCLIDE_SHAPES_BODY_LANES_CLH
#define OCLIDE_SHAPES_BODY_LANES_CLH
#line 1 "kernels/math/lanes.clh"
// Numbers of several bodies or sites side by side, one a lane: eight lanes where processors have vectors, one on a GPU
// (-DOCLIDE_LANES=1), where a work-item is a lane of itself. Each lane has the bits of the scalar formula.
//
// A mask is an IntW that is not 0 where a lane is set, -1 of eight lanes and anything of one: masks go through & | !
// and select() alone, and bits_w() makes numbers of them.
#ifndef OCLIDE_MATH_LANES_CLH
#define OCLIDE_MATH_LANES_CLH
#line 9 "kernels/math/lanes.clh"
#pragma OPENCL FP_CONTRACT OFF

#ifndef OCLIDE_LANES
#define OCLIDE_LANES 8
#endif
#define LANES ((uint)OCLIDE_LANES)

#if OCLIDE_LANES == 8
typedef float8 FloatW;
typedef int8 IntW;
typedef uint8 UintW;
typedef Vec8 VecW;
#define convert_float_w convert_float8
#define convert_int_w convert_int8
#define as_float_w as_float8
#define as_int_w as_int8
#define as_uint_w as_uint8
#define load_w(from) vload8(0, from)
#define store_w(lanes, to) vstore8(lanes, 0, to)
#define bits_w(mask, bits) ((mask) & (IntW)(bits))
#define any_w any8
#define all_w all8
#define lanes_set_w lanes_set
#define lane_of_w lane_of
#define abs_w abs8
#define dot_wv dot8v
#define sqrt_w sqrt8
#define div_w div8
#define max_w max8
#define min_w min8
#define against_w against8
#define to_unit_w to_unit8
#define of_eight_w(k, a, b, c, d, e, f, g, h) ((void)(k), (float8)(a, b, c, d, e, f, g, h))
#else
typedef float FloatW;
typedef int IntW;
typedef uint UintW;
typedef struct VecW {
  float x, y, z;
} VecW;
#define convert_float_w convert_float
#define convert_int_w convert_int
#define as_float_w as_float
#define as_int_w as_int
#define as_uint_w as_uint
#define load_w(from) ((from)[0])
#define store_w(lanes, to) ((to)[0] = (lanes))
#define bits_w(mask, bits) ((mask) != 0 ? (int)(bits) : 0)
#define any_w(mask) ((mask) != 0)
#define all_w(mask) ((mask) != 0)
#define lanes_set_w(mask) ((mask) != 0 ? 1u : 0u)
#define lane_of_w(lanes, k) (lanes)
float abs_w(float a) {
  return as_float(as_int(a) & 0x7FFFFFFF);
}
float dot_wv(VecW a, VecW b) {
  return (a.x * b.x + a.y * b.y) + a.z * b.z;
}
#define sqrt_w sqrt_rn
#define div_w div_rn
#define max_w max_f
#define min_w min_f
float against_w(float a, float extent) {
  return a < 0.0f ? extent : -extent;
}
void to_unit_w(VecW* a) {
  const float l2 = (a->x * a->x + a->y * a->y) + a->z * a->z;
  const float scale = l2 > 1e-30f ? div_rn(1.0f, sqrt_rn(l2)) : 0.0f;
  a->x *= scale;
  a->y *= scale;
  a->z *= scale;
}
// Of eight numbers, a lane each, those from the k-th on.
#define of_eight_w(k, a, b, c, d, e, f, g, h) lane_of((float8)(a, b, c, d, e, f, g, h), k)
#endif

#endif

#line 5 "kernels/shapes/body_lanes.clh"
#line 6 "kernels/shapes/body_lanes.clh"
#pragma OPENCL FP_CONTRACT OFF

// A lane's body; one may be in several lanes.
typedef struct BodyW {
  VecW x, y, z;         // their axes in the world, unit
  VecW size;            // [m] as in the scene file
  FloatW radius_bound;  // [m]
} BodyW;

// The shapes that are symmetric about their centre, to go through one after another.
#define OCLIDE_ITEM(NAME, name) SHAPE_##NAME,
__constant uint symmetric_shapes[] = {OCLIDE_SYMMETRIC_SHAPES(OCLIDE_ITEM)};
#define SYMMETRIC_COUNT (sizeof(symmetric_shapes) / sizeof(symmetric_shapes[0]))
#undef OCLIDE_ITEM

FloatW sphere_bounding_radius_w(VecW size) {
  return size.x;
}
FloatW box_bounding_radius_w(VecW size) {
  return sqrt_w((size.x * size.x + size.y * size.y) + size.z * size.z);
}
FloatW cylinder_bounding_radius_w(VecW size) {
  return sqrt_w(size.x * size.x + size.y * size.y);
}
FloatW capsule_bounding_radius_w(VecW size) {
  return size.x + size.y;
}

// Of the bounding sphere about the centre.
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return name##_bounding_radius_w(size);
FloatW bounding_radius_w(uint shape, VecW size) {
  switch (shape) { OCLIDE_SYMMETRIC_SHAPES(OCLIDE_CASE) }
  return (FloatW)(0.0f);
}
#undef OCLIDE_CASE

void sphere_extents_w(const BodyW* b, VecW* e) {
  e->x = e->y = e->z = b->size.x;
}
void box_extents_w(const BodyW* b, VecW* e) {
  const VecW s = b->size;
  e->x = s.x * abs_w(b->x.x) + s.y * abs_w(b->y.x) + s.z * abs_w(b->z.x);
  e->y = s.x * abs_w(b->x.y) + s.y * abs_w(b->y.y) + s.z * abs_w(b->z.y);
  e->z = s.x * abs_w(b->x.z) + s.y * abs_w(b->y.z) + s.z * abs_w(b->z.z);
}
void cylinder_extents_w(const BodyW* b, VecW* e) {
  const VecW s = b->size, v = b->z;
  const FloatW x2 = v.x * v.x, y2 = v.y * v.y, z2 = v.z * v.z;
  e->x = abs_w(v.x) * s.y + sqrt_w(y2 + z2) * s.x;
  e->y = abs_w(v.y) * s.y + sqrt_w(z2 + x2) * s.x;
  e->z = abs_w(v.z) * s.y + sqrt_w(x2 + y2) * s.x;
}
void capsule_extents_w(const BodyW* b, VecW* e) {
  const VecW s = b->size;
  e->x = abs_w(b->z.x) * s.y + s.x;
  e->y = abs_w(b->z.y) * s.y + s.x;
  e->z = abs_w(b->z.z) * s.y + s.x;
}

// Half extents along the world's axes.
#define OCLIDE_CASE(NAME, name)   \
  case SHAPE_##NAME:              \
    name##_extents_w(b, extents); \
    break;
void body_extents_w(uint shape, const BodyW* b, VecW* extents) {
  switch (shape) { OCLIDE_SYMMETRIC_SHAPES(OCLIDE_CASE) }
}
#undef OCLIDE_CASE

void sphere_reach_w(const BodyW* b, VecW m, FloatW* along, FloatW* round2) {
  *along = (FloatW)(0.0f);
  *round2 = dot_wv(m, m) * (b->size.x * b->size.x);
}
void box_reach_w(const BodyW* b, VecW m, FloatW* along, FloatW* round2) {
  const VecW s = b->size;
  *along = (abs_w(dot_wv(m, b->x)) * s.x + abs_w(dot_wv(m, b->y)) * s.y) + abs_w(dot_wv(m, b->z)) * s.z;
  *round2 = (FloatW)(0.0f);
}
void cylinder_reach_w(const BodyW* b, VecW m, FloatW* along, FloatW* round2) {
  const FloatW axis = dot_wv(m, b->z);
  *along = abs_w(axis) * b->size.y;
  *round2 = (dot_wv(m, m) - axis * axis) * (b->size.x * b->size.x);
}
void capsule_reach_w(const BodyW* b, VecW m, FloatW* along, FloatW* round2) {
  *along = abs_w(dot_wv(m, b->z)) * b->size.y;
  *round2 = dot_wv(m, m) * (b->size.x * b->size.x);
}

// How far the body reaches from its centre along m is `along` + sqrt(round2).
#define OCLIDE_CASE(NAME, name)          \
  case SHAPE_##NAME:                     \
    name##_reach_w(b, m, along, round2); \
    break;
void reach_w(uint shape, const BodyW* b, VecW m, FloatW* along, FloatW* round2) {
  switch (shape) { OCLIDE_SYMMETRIC_SHAPES(OCLIDE_CASE) }
}
#undef OCLIDE_CASE

// along + sqrt(round2) < 0?
IntW below_zero_w(FloatW along, FloatW round2) {
  return (along < 0.0f) & (along * along > round2);
}

// The sum of both; up to 1e-3 of the body's size too little where a cylinder's axis is nearly along m.
FloatW reach_along_w(uint shape, const BodyW* b, VecW m) {
  FloatW along, round2;
  reach_w(shape, b, m, &along, &round2);
  return along + sqrt_w(select(round2, (FloatW)(0.0f), round2 < 0.0f));
}

#endif

#line 5 "kernels/terrain/plane_reach.clh"
#pragma OPENCL FP_CONTRACT OFF

// A side of a body is all but level with a plane up to this sine: that of a flat edge (see same_plane()), and rounding.
// Over the flattest edges no gap is looked for, so where it is greatest there every gap beside it counts.
#define LEVEL_SINE 2.6e-4f

// What is known of an element's plane and the body.
typedef struct PlaneReach {
  VecW n;               // normal times dx dy
  FloatW n2;            // n . n
  FloatW inverse_n2;    // 1 / n2
  FloatW inverse_area;  // 1 / n.z
  FloatW slant;         // |n.x| + |n.y| + n.z, which is at least |n|
  FloatW reach;         // how far the body reaches along n, times |n|
  FloatW deep;          // how far it is under the plane, times |n|
  IntW above;           // it is above the plane, by some room
  IntW level;           // a side of it is all but level with the plane
  VecW lowest;          // of a box or a cylinder, and of a capsule's side: the point farthest along -n
  FloatW blur;          // how far rounding may have turned that away [m]
  FloatW axis;          // n . z of the body
  FloatW round;         // of a cylinder's base: its reach along n, times |n|
  VecW span;            // of a box: half its length along each axis, seen along n, times |n|
} PlaneReach;

// Of the plane through v with this normal. `room` is added to the body.
void plane_reach(uint shape, const BodyW* b, VecW n, VecW v, FloatW room, FloatW inverse_area, PlaneReach* plane) {
  const VecW s = b->size;
  plane->n = n;
  plane->n2 = dot_wv(n, n);
  plane->slant = (abs_w(n.x) + abs_w(n.y)) + n.z;
  plane->inverse_n2 = div_w((FloatW)(1.0f), plane->n2);
  plane->inverse_area = inverse_area;
  plane->blur = plane->axis = plane->round = (FloatW)(0.0f);
  plane->level = (IntW)(0);
  if (shape == SHAPE_SPHERE) {
    plane->reach = s.x * sqrt_w(plane->n2);
    plane->lowest = (VecW){(FloatW)(0.0f), (FloatW)(0.0f), (FloatW)(0.0f)};
    plane->deep = plane->reach + dot_wv(n, v);
    plane->above = plane->deep + room * plane->slant < 0.0f;
    return;
  }
  const FloatW on_x = dot_wv(n, b->x), on_y = dot_wv(n, b->y), on_z = dot_wv(n, b->z);
  const FloatW tie = 2e-5f * plane->slant, level = LEVEL_SINE * plane->slant;
  FloatW cx, cy, cz;
  plane->axis = on_z;
  if (shape == SHAPE_BOX) {
    cx = against_w(on_x, s.x);
    cy = against_w(on_y, s.y);
    cz = against_w(on_z, s.z);
    plane->span = (VecW){on_x * s.x, on_y * s.y, on_z * s.z};
    plane->reach = (abs_w(plane->span.x) + abs_w(plane->span.y)) + abs_w(plane->span.z);
    plane->level = (abs_w(on_x) <= level) | (abs_w(on_y) <= level) | (abs_w(on_z) <= level);
  } else {
    const FloatW across = sqrt_w(on_x * on_x + on_y * on_y);
    const FloatW inverse = div_w((FloatW)(1.0f), across + 1e-15f);
    plane->level = (abs_w(on_z) <= level) | (across <= level);
    plane->blur = (0.05f * s.x) * (tie * inverse);
    plane->round = s.x * across;
    cx = on_x * inverse * -s.x;
    cy = on_y * inverse * -s.x;
    cz = against_w(on_z, s.y);
    plane->reach = abs_w(on_z) * s.y + (shape == SHAPE_CYLINDER ? plane->round : s.x * sqrt_w(plane->n2));
  }
  plane->lowest.x = (b->x.x * cx + b->y.x * cy) + b->z.x * cz;
  plane->lowest.y = (b->x.y * cx + b->y.y * cy) + b->z.y * cz;
  plane->lowest.z = (b->x.z * cx + b->y.z * cy) + b->z.z * cz;
  plane->deep = plane->reach + dot_wv(n, v);
  plane->above = plane->deep + room * plane->slant < 0.0f;
}

#endif

#line 6 "kernels/terrain/edge_reach.clh"
#line 7 "kernels/terrain/edge_reach.clh"
#pragma OPENCL FP_CONTRACT OFF

// An edge of each site between two planes, left and right of the way from end p to end q.
typedef struct EdgeReach {
  VecW p, q;
  FloatW e1, e2;               // sum of the lengths of q - p along the axes; its squared length
  VecW into_left, into_right;  // across the edge into its elements, in their planes, times |n| |q - p|
  FloatW level_x, level_y;     // seen from above, across the edge into its left element
  FloatW bend;                 // how far above one plane the edge leaves the other's far vertex, above 0 on a ridge
  IntW ridge, valley;          // neither: it is all but flat
  IntW aligned;                // the planes are at less than a right angle
  IntW no_lift;                // no gap is greatest over it
} EdgeReach;

// q - p is (ex, ey) seen from above; a bend of up to `flat` may be rounding.
__attribute__((always_inline)) void edge_between(VecW p, VecW q, FloatW ex, FloatW ey, const PlaneReach* left,
                                                 const PlaneReach* right, FloatW bend, FloatW flat, EdgeReach* edge) {
  const VecW l = left->n, r = right->n;
  const FloatW rise = q.z - p.z;
  edge->p = p;
  edge->q = q;
  edge->e1 = (abs_w(ex) + abs_w(ey)) + abs_w(rise);
  edge->e2 = (ex * ex + ey * ey) + rise * rise;
  edge->into_left = (VecW){l.y * rise - l.z * ey, l.z * ex - l.x * rise, l.x * ey - l.y * ex};
  edge->into_right = (VecW){r.z * ey - r.y * rise, r.x * rise - r.z * ex, r.y * ex - r.x * ey};
  edge->level_x = -ey;
  edge->level_y = ex;
  edge->bend = bend;
  edge->ridge = bend > flat;
  edge->valley = bend < -flat;
  edge->aligned = dot_wv(l, r) > 0.0f;
}

// Is the body's lowest point P along the normal of one of the edge's elements clearly on that element's side of the
// edge?
//
//         n |      .        Then going from the edge into the element the body is deeper. Where it is so as seen along
//           |  .  body      n, no contact is made at the edge: a way out that turns from one normal to the other finds
//      _____P________       the lowest point over the edge nowhere (kind 3), no ball's centre is between the normals
//    element \\     \\      (kind 1). As seen from above, no lift is asked for there: the gap is greater at P, or
//                           where the ground rises on the way to it (kind 6).
//
// Along n: `turned` is how far P may come toward the edge while the normal turns, times the length of `into`.
IntW passes_beside(uint shape, const BodyW* b, VecW p, const PlaneReach* plane, VecW into, FloatW slack,
                   FloatW turned) {
  if (shape == SHAPE_SPHERE) return dot_wv(p, into) < -slack;
  if (shape == SHAPE_CAPSULE) return dot_wv(p, into) + b->size.y * abs_w(dot_wv(into, b->z)) < -(slack + turned);
  const VecW d = {p.x - plane->lowest.x, p.y - plane->lowest.y, p.z - plane->lowest.z};
  return dot_wv(d, into) < -(slack + turned);
}
// Along the normal of one of the edge's elements or the other.
__attribute__((always_inline)) IntW passes_beside_either(uint shape, const BodyW* b, const EdgeReach* edge,
                                                         const PlaneReach* left, const PlaneReach* right,
                                                         FloatW slack_left, FloatW slack_right, FloatW turned) {
  return passes_beside(shape, b, edge->p, left, edge->into_left, slack_left * (left->slant * edge->e1), turned) |
         passes_beside(shape, b, edge->p, right, edge->into_right, slack_right * (right->slant * edge->e1), turned);
}
// From above: how far P is to the left of the edge (side = 1), or to the right of it (-1).
FloatW lies_aside(uint shape, const BodyW* b, VecW p, const PlaneReach* plane, FloatW level_x, FloatW level_y,
                  float side) {
  if (shape == SHAPE_BOX || shape == SHAPE_CYLINDER)
    return side * ((plane->lowest.x - p.x) * level_x + (plane->lowest.y - p.y) * level_y);
  // Of the ball, at whichever of a capsule's ends it is nearer.
  const FloatW h = shape == SHAPE_CAPSULE ? b->size.y : (FloatW)(0.0f);
  const FloatW ball = (plane->reach - h * abs_w(plane->axis)) * plane->inverse_n2;
  return side * ((-plane->n.x * ball - p.x) * level_x + (-plane->n.y * ball - p.y) * level_y) -
         h * abs_w(b->z.x * level_x + b->z.y * level_y);
}

// Is the lowest point of a cylinder, while the normal turns from one of a valley's planes to the other, clearly on the
// side of one of its elements? It goes along an arc of one rim, whose height over its chord counts too.
IntW rim_beside_valley(const BodyW* b, const EdgeReach* edge, const PlaneReach* left, const PlaneReach* right,
                       FloatW slack) {
  const VecW from = {left->lowest.x - edge->p.x, left->lowest.y - edge->p.y, left->lowest.z - edge->p.z};
  const VecW chord = {right->lowest.x - left->lowest.x, right->lowest.y - left->lowest.y,
                      right->lowest.z - left->lowest.z};
  const FloatW chord2 = dot_wv(chord, chord);
  const FloatW slant = select(left->slant, right->slant, right->slant > left->slant);
  const FloatW bow =
      (chord2 * div_w((FloatW)(0.17f), b->size.x) + (slack + (left->blur + right->blur))) * (slant * edge->e1);
  const FloatW left0 = dot_wv(from, edge->into_left), left1 = left0 + dot_wv(chord, edge->into_left);
  const FloatW right0 = dot_wv(from, edge->into_right), right1 = right0 + dot_wv(chord, edge->into_right);
  return (left->axis * right->axis > 0.0f) & (chord2 < b->size.x * b->size.x) &
         (((left0 > bow) & (left1 > bow)) | ((right0 > bow) & (right1 > bow)));
}

// Is an edge beside what is nearest to it of the body? Not known of a box's corners in a valley, nor within the margin
// of a ridge.
__attribute__((always_inline)) IntW edge_beside(uint shape, const BodyW* b, EdgeReach* edge, const PlaneReach* left,
                                                const PlaneReach* right, FloatW size, float margin) {
  const FloatW slack = 1e-5f + 1e-5f * size;
  FloatW turned = (FloatW)(0.0f), slack_left = slack, slack_right = slack;
  IntW known = !(IntW)(0), out = (IntW)(0);
  if (shape != SHAPE_SPHERE) {
    // By the depth times the angle at most; dx dy is the least length of a normal. A capsule's axis is under the edge
    // by no more than the radius.
    FloatW deep = select(left->deep, right->deep, right->deep > left->deep);
    if (shape == SHAPE_CAPSULE) deep = b->size.x * (left->slant + right->slant);
    deep = select(deep, (FloatW)(0.0f), deep < 0.0f);
    turned = (2.4f * (abs_w(edge->bend) * edge->e2)) * (deep * left->inverse_area);
    known = edge->ridge & edge->aligned & !(left->level | right->level);
    if (shape == SHAPE_CAPSULE) {
      known = !edge->ridge | edge->aligned;
    } else if (shape == SHAPE_CYLINDER) {
      slack_left += left->blur;
      slack_right += right->blur;
      if (any_w(edge->valley)) {
        const IntW valley = edge->valley & !(left->level | right->level);
        out = valley & rim_beside_valley(b, edge, left, right, slack);
        // Where it turns little, only the ends of the arc are asked (cylinder_edge_root()). |n1 x n2| = |e| bend dx dy.
        const FloatW volume = edge->bend * left->n.z;
        known |= valley & edge->aligned & (edge->e2 * (volume * volume) < 0.0095f * (left->n2 * right->n2));
      }
    } else if (margin > 0.0f) {
      known = (IntW)(0);
    }
  }
  const IntW no_contact = passes_beside_either(shape, b, edge, left, right, slack_left, slack_right, turned);
  // Lifts are asked for at ridges alone.
  const FloatW wide = abs_w(edge->level_x) + abs_w(edge->level_y);
  edge->no_lift = (lies_aside(shape, b, edge->p, left, edge->level_x, edge->level_y, 1.0f) > slack_left * wide) |
                  (lies_aside(shape, b, edge->p, right, edge->level_x, edge->level_y, -1.0f) > slack_right * wide);
  return out | (known & no_contact & (edge->valley | edge->no_lift));
}

// Is a capsule above the edge: above a plane through the edge's point nearest to its axis, across the way between the
// two, that is less than a right angle away from both elements' normals?
IntW capsule_above_edge(const BodyW* b, const EdgeReach* edge, const PlaneReach* left, const PlaneReach* right,
                        FloatW room) {
  const VecW p = edge->p, z = b->z, e = {edge->q.x - p.x, edge->q.y - p.y, edge->q.z - p.z};
  const FloatW h = b->size.y, none = (FloatW)(0.0f), one = (FloatW)(1.0f);
  // Nearest points p + u e and t z of two segments: those of the lines, then of each what is nearest to the other one.
  const FloatW to_p = dot_wv(p, z), along = dot_wv(p, e), turn = dot_wv(e, z);
  const FloatW both = edge->e2 - turn * turn;
  FloatW u = div_w(turn * to_p - along, select(edge->e2, both, both > 1e-6f * edge->e2)), t = none;
  for (uint k = 0u; k < 3u; ++k) {
    if (k > 0u) u = div_w(t * turn - along, edge->e2);
    u = min_w(max_w(u, none), one);
    t = min_w(max_w(to_p + u * turn, -h), h);
  }
  const VecW c = {z.x * t - (p.x + e.x * u), z.y * t - (p.y + e.y * u), z.z * t - (p.z + e.z * u)};
  // Whatever they are, the plane is looked at as it is.
  const FloatW at_p = dot_wv(p, c), at_q = dot_wv(edge->q, c);
  return (c.z > 0.0f) & (dot_wv(c, left->n) > 0.0f) & (dot_wv(c, right->n) > 0.0f) &
         ((max_w(at_p, at_q) + reach_along_w(SHAPE_CAPSULE, b, c)) + room * ((abs_w(c.x) + abs_w(c.y)) + c.z) < 0.0f);
}

// Is a side of a cylinder clearly so level with a plane that the rim has no contact with a flat edge there?
IntW is_level_w(const BodyW* b, const PlaneReach* plane) {
  const FloatW most = 0.96f * FLAT_SINE2 * plane->n2;
  return (plane->axis * plane->axis <= most) | (plane->round * plane->round <= most * (b->size.x * b->size.x));
}

// Is the lowest point of a cylinder along the normal of one of a flat edge's elements clearly on that one's side, or is
// a side of it level with one?
IntW rim_meets_element(const BodyW* b, const EdgeReach* edge, const PlaneReach* left, const PlaneReach* right,
                       FloatW size) {
  const FloatW slack = 1e-5f + 1e-5f * size;
  return is_level_w(b, left) | is_level_w(b, right) |
         passes_beside_either(SHAPE_CYLINDER, b, edge, left, right, slack + left->blur, slack + right->blur,
                              (FloatW)(0.0f));
}

// Is an edge out of reach for other reasons: flat, under the body, or beside its bounding rectangle?
__attribute__((always_inline)) IntW edge_out(uint shape, const BodyW* b, const EdgeReach* edge, const PlaneReach* left,
                                             const PlaneReach* right, FloatW extent_x, FloatW extent_y, FloatW room,
                                             FloatW size) {
  const VecW p = edge->p, q = edge->q;
  // |n1 x n2| = |e| bend dx dy.
  const FloatW area = left->n.z, scale = left->n2 * right->n2;
  const FloatW most = abs_w(edge->bend) + 1e-6f * size, volume = edge->bend * area;
  // So flat that it is none, however it is measured: but for a ridge over which a gap may be the greatest, and for the
  // rim of a cylinder whose lowest points along both normals are on the wrong side of it.
  IntW out = edge->e2 * (most * most) * (area * area) < 1.4e-8f * scale;
  if (any_w(out)) {
    const FloatW ridge = edge->bend + 1e-6f * size;
    const IntW lifts =
        (ridge >= 0.0f) & (edge->e2 * (ridge * ridge) * (area * area) >= (0.8f * LIFT_SINE * LIFT_SINE) * scale);
    out = select(out, out & edge->no_lift, lifts);
    if (shape == SHAPE_CYLINDER) out &= rim_meets_element(b, edge, left, right, size);
  }
  // Above the plane of either element.
  const IntW sharp = edge->ridge & (edge->e2 * (volume * volume) > 0.01f * scale);
  out |= (left->above | right->above) & (sharp | edge->aligned);

  // A valley counts for points under both planes alone, of the rounded ones. At the least angle that counts, 2^-12, a
  // point may seem nearest to it from above that is up to 2e-3 of all coordinates over it.
  const VecW m = {left->n.x + right->n.x, left->n.y + right->n.y, left->n.z + right->n.z};
  const FloatW at_p = dot_wv(p, m), at_q = dot_wv(q, m);
  FloatW deepest = reach_along_w(shape, b, m) + select(at_p, at_q, at_q > at_p) + room * (left->slant + right->slant);
  if (shape == SHAPE_SPHERE || shape == SHAPE_CAPSULE) {
    const FloatW h = shape == SHAPE_CAPSULE ? b->size.y : (FloatW)(0.0f);
    const FloatW slack = room + 2e-3f * size;
    out |= edge->valley & ((dot_wv(p, left->n) + h * abs_w(left->axis) + slack * left->slant <= 0.0f) |
                           (dot_wv(p, right->n) + h * abs_w(right->axis) + slack * right->slant <= 0.0f));
    if (shape == SHAPE_CAPSULE) out |= (!edge->valley) & capsule_above_edge(b, edge, left, right, room);
  } else {
    out |= edge->valley & (deepest < 0.0f);
  }

  // Beside the body's bounding rectangle. Of a valley's points under the ground the way out goes aside by their depth
  // at most.
  deepest = select(deepest, (FloatW)(0.0f), (deepest < 0.0f) | !edge->valley);
  const FloatW aside = room + deepest * left->inverse_area;
  const FloatW room_x = aside + extent_x, room_y = aside + extent_y;
  const IntW beside = ((p.x > room_x) & (q.x > room_x)) | ((p.x < -room_x) & (q.x < -room_x)) |
                      ((p.y > room_y) & (q.y > room_y)) | ((p.y < -room_y) & (q.y < -room_y));
  return out | (beside & (!edge->valley | edge->aligned));
}

#endif

#line 25 "kernels/terrain/site_features.clh"
#line 1 "kernels/terrain/element_reach.clh"
// Over or under which elements bodies have a point that kinds 1 and 2 know, side by side.
#ifndef OCLIDE_TERRAIN_ELEMENT_REACH_CLH
#define OCLIDE_TERRAIN_ELEMENT_REACH_CLH
#line 5 "kernels/terrain/element_reach.clh"
#pragma OPENCL FP_CONTRACT OFF

typedef struct SpacingW {
  FloatW dx, dy, area;  // [m], [m], [m^2]
} SpacingW;

// Is a place, a and b from the cell's first vertex, in the outline of element k (0 or 1), with this slack [m]?
IntW in_outline_w(const SpacingW* g, uint k, FloatW a, FloatW b, FloatW slack) {
  const FloatW diagonal = a * g->dy + b * g->dx, line = slack * (g->dx + g->dy), area = g->area;
  if (k == 0u) return (a >= -slack) & (b >= -slack) & (diagonal <= area + line);
  return (a <= g->dx + slack) & (b <= g->dy + slack) & (diagonal >= area - line);
}

// One point of the body, a and b from the cell's first vertex and `under` the plane of element k, times |n|: is it, or
// its foot, in the element's outline?
IntW point_meets(const SpacingW* g, uint k, const PlaneReach* plane, FloatW a, FloatW b, FloatW under, FloatW nearly,
                 FloatW slack) {
  const FloatW foot = under * plane->inverse_n2;
  // A foot may be 2.5e-4 of its distance beyond a flat edge.
  slack += 5e-4f * (abs_w(foot) * plane->slant);
  return (in_outline_w(g, k, a, b, slack) | in_outline_w(g, k, a + plane->n.x * foot, b + plane->n.y * foot, slack)) &
         (under > nearly);
}

// The same of a point with a ball around it, which reaches `ball` along n, times |n|: also the ball's lowest point.
IntW ball_meets(const SpacingW* g, uint k, const PlaneReach* plane, FloatW a, FloatW b, FloatW under, FloatW ball,
                FloatW nearly, FloatW slack) {
  const FloatW lowest = ball * plane->inverse_n2;
  return (point_meets(g, k, plane, a, b, under, nearly - ball, slack) |
          in_outline_w(g, k, a - plane->n.x * lowest, b - plane->n.y * lowest, slack)) &
         (under + ball > nearly);
}

// Is any of the points that kinds 1 and 2 know of a sphere, cylinder or capsule over or under element k (0 or 1)?
__attribute__((always_inline)) IntW element_meets(const SpacingW* g, uint k, uint shape, const BodyW* b,
                                                  const PlaneReach* plane, FloatW x, FloatW y, FloatW room,
                                                  FloatW size) {
  const FloatW nearly = -(room * plane->slant), slack = (2e-5f + 1e-5f * size) + plane->blur;
  const FloatW centre = plane->deep - plane->reach;
  if (shape == SHAPE_SPHERE) return ball_meets(g, k, plane, -x, -y, centre, plane->reach, nearly, slack);
  const FloatW sign = against_w(plane->axis, -1.0f);  // of the axis, upward along n
  const FloatW over_x = (2.0f * b->size.y) * (b->z.x * sign), over_y = (2.0f * b->size.y) * (b->z.y * sign);
  const FloatW a1 = plane->lowest.x - x, b1 = plane->lowest.y - y;  // A1, or on a capsule's side
  const FloatW rise = (2.0f * b->size.y) * abs_w(plane->axis);
  IntW meets = (IntW)(0);
  if (shape == SHAPE_CAPSULE) {
    const FloatW ball = plane->reach - 0.5f * rise;
    for (uint c = 0u; c < 2u; ++c) {
      const FloatW end = c == 0u ? -b->size.y : b->size.y;
      meets |=
          ball_meets(g, k, plane, b->z.x * end - x, b->z.y * end - y, centre - plane->axis * end, ball, nearly, slack);
    }
    const FloatW under = (centre + plane->round) - 0.5f * rise;
    if (any_w(under > nearly)) meets |= point_meets(g, k, plane, a1 + over_x, b1 + over_y, under, nearly, slack);
    return meets;
  }
  meets = plane->level | point_meets(g, k, plane, a1, b1, plane->deep, nearly, slack);
  if (any_w(plane->deep - rise > nearly))
    meets |= point_meets(g, k, plane, a1 + over_x, b1 + over_y, plane->deep - rise, nearly, slack);
  // Where the base faces the plane: D1 to both sides, and B1.
  const FloatW under = plane->deep - plane->round;
  const IntW faces = (under > nearly) & (plane->axis * plane->axis >= 0.49f * plane->n2);
  if (any_w(faces)) {
    const FloatW base_x = -0.5f * over_x - x, base_y = -0.5f * over_y - y;  // C1
    const FloatW rx = a1 - base_x, ry = b1 - base_y;
    const FloatW rz = plane->lowest.z + b->size.y * (b->z.z * sign);
    const FloatW across_x = (b->z.y * rz - b->z.z * ry) * sign, across_y = (b->z.z * rx - b->z.x * rz) * sign;
    meets |= faces & (point_meets(g, k, plane, base_x + across_x, base_y + across_y, under, nearly, slack) |
                      point_meets(g, k, plane, base_x - across_x, base_y - across_y, under, nearly, slack));
    if (any_w(faces & (under - plane->round > nearly)))
      meets |= faces & point_meets(g, k, plane, base_x - rx, base_y - ry, under - plane->round, nearly, slack);
  }
  return meets;
}

#endif

#line 26 "kernels/terrain/site_features.clh"
#line 27 "kernels/terrain/site_features.clh"
#line 1 "kernels/terrain/site_lanes.clh"
// Lattice sites side by side, the heights around them and their bodies. Of eight lanes two and two are of a body, of up
// to four bodies of the same shape.
#ifndef OCLIDE_TERRAIN_SITE_LANES_CLH
#define OCLIDE_TERRAIN_SITE_LANES_CLH
#line 6 "kernels/terrain/site_lanes.clh"
#line 7 "kernels/terrain/site_lanes.clh"
#pragma OPENCL FP_CONTRACT OFF

// A body and the ground around it.
typedef struct SiteBody {
  Ground ground;
  Body body;
  uint shape;
  float lowest;  // z of the body's lowest point, less margin and rounding
} SiteBody;

#define OWNERS ((LANES + 1u) / 2u)

// Two sites after each other are of the same body; all bodies have the same shape, and all sites are inside.
typedef struct SitesW {
  const SiteBody* of[OWNERS];
  int i[LANES], j[LANES];
  __global const float* corner[LANES];  // height of vertex (i - 1, j - 1)
} SitesW;

// Are there sites all around (i, j), and one more to its right? Then it can be looked at side by side with others.
bool site_inside(const Ground* g, int i, int j) {
  return i >= 1 && j >= 1 && i + 1 < g->rows && j + 2 < g->cols;
}

// Values of the vertices to the left of sites, at them and to the right.
typedef struct RowW {
  FloatW left, at, right;
} RowW;

// In row i - 1 + `rows` of site k: heights, or what `low` has of them, or heights where there are none.
__attribute__((always_inline)) float4 values_of_site(const SitesW* sites, uint k, bool low, long rows) {
  const Ground* g = &sites->of[k / 2u]->ground;
  __global const float* corner = sites->corner[k];
  if (low && g->has_low) corner = g->low + (corner - g->high);
  return vload4(0, corner + rows * (long)g->cols);
}
__attribute__((always_inline)) RowW values_in_row(const SitesW* sites, bool low, long rows) {
  RowW row;
#if OCLIDE_LANES == 1
  const float4 values = values_of_site(sites, 0u, low, rows);
  row.left = values.x;
  row.at = values.y;
  row.right = values.z;
#else
  // One by one: a loop over them makes compilers write them to memory and read them back.
  const float8 a = (float8)(values_of_site(sites, 0u, low, rows), values_of_site(sites, 4u, low, rows));
  const float8 b = (float8)(values_of_site(sites, 1u, low, rows), values_of_site(sites, 5u, low, rows));
  const float8 c = (float8)(values_of_site(sites, 2u, low, rows), values_of_site(sites, 6u, low, rows));
  const float8 d = (float8)(values_of_site(sites, 3u, low, rows), values_of_site(sites, 7u, low, rows));
  // Four by four, rows become columns.
  const float8 ab01 = (float8)(a.s0, b.s0, a.s1, b.s1, a.s4, b.s4, a.s5, b.s5);
  const float8 cd01 = (float8)(c.s0, d.s0, c.s1, d.s1, c.s4, d.s4, c.s5, d.s5);
  const float4 ab2 = (float4)(a.s2, b.s2, a.s6, b.s6), cd2 = (float4)(c.s2, d.s2, c.s6, d.s6);
  row.left = (float8)(ab01.s01, cd01.s01, ab01.s45, cd01.s45);
  row.at = (float8)(ab01.s23, cd01.s23, ab01.s67, cd01.s67);
  row.right = (float8)(ab2.lo, cd2.lo, ab2.hi, cd2.hi);
#endif
  return row;
}

// What is one number of each body.
#if OCLIDE_LANES == 1
#define OF_OWNERS(member) (sites->of[0]->member)
#define OF_OWNERS_I(member) (sites->of[0]->member)
#else
float8 quarters(float a, float b, float c, float d) {
  return (float8)(a, a, b, b, c, c, d, d);
}
int8 quarters_i(int a, int b, int c, int d) {
  return (int8)(a, a, b, b, c, c, d, d);
}
#define OF_OWNERS(member) \
  quarters(sites->of[0]->member, sites->of[1]->member, sites->of[2]->member, sites->of[3]->member)
#define OF_OWNERS_I(member) \
  quarters_i(sites->of[0]->member, sites->of[1]->member, sites->of[2]->member, sites->of[3]->member)
#endif

// Heights above the bodies' centres.
typedef struct CentresW {
  FloatW z_high, z_low;
  FloatW has_low;  // 1 or 0
  bool any_low;
} CentresW;

__attribute__((always_inline)) RowW heights_in_row(const SitesW* sites, const CentresW* centres, long rows) {
  RowW row = values_in_row(sites, false, rows);
  row.left -= centres->z_high;
  row.at -= centres->z_high;
  row.right -= centres->z_high;
  if (!centres->any_low) {
    row.left -= centres->z_low;
    row.at -= centres->z_low;
    row.right -= centres->z_low;
  } else {
    const RowW low = values_in_row(sites, true, rows);
    row.left += centres->has_low * low.left - centres->z_low;
    row.at += centres->has_low * low.at - centres->z_low;
    row.right += centres->has_low * low.right - centres->z_low;
  }
  return row;
}

void bodies_of_sites(const SitesW* sites, BodyW* b) {
  b->x = (VecW){OF_OWNERS(body.x.x), OF_OWNERS(body.x.y), OF_OWNERS(body.x.z)};
  b->y = (VecW){OF_OWNERS(body.y.x), OF_OWNERS(body.y.y), OF_OWNERS(body.y.z)};
  b->z = (VecW){OF_OWNERS(body.z.x), OF_OWNERS(body.z.y), OF_OWNERS(body.z.z)};
  b->size = (VecW){OF_OWNERS(body.size.x), OF_OWNERS(body.size.y), OF_OWNERS(body.size.z)};
  b->radius_bound = OF_OWNERS(body.radius_bound);
}

// The sites that have an open cell around their vertices.
IntW open_around(const SitesW* sites) {
  int is_open[LANES];
  uint any = 0u;
  for (uint k = 0u; k < OWNERS; ++k) any |= sites->of[k]->ground.has_open;
  if (any == 0u) return (IntW)(0);
  for (uint k = 0u; k < LANES; ++k) {
    const Ground* g = &sites->of[k / 2u]->ground;
    is_open[k] = 0;
    if (!g->has_open) continue;
    __global const uchar* cell = g->open + ((ulong)sites->i[k] * (ulong)(g->cols - 1) + (ulong)sites->j[k]);
    __global const uchar* under = cell - (g->cols - 1);
    is_open[k] = (((cell[0] | cell[-1]) | (under[0] | under[-1])) & CELL_OPEN) != 0 ? -1 : 0;
  }
  return load_w(is_open);
}

#endif

#line 28 "kernels/terrain/site_features.clh"
#pragma OPENCL FP_CONTRACT OFF

// The files of this culling are written for these. A shape that is symmetric and not among them is listed as if it were
// not, until it is added here and wherever these files name a shape.
#define OCLIDE_CULLED_SHAPES(X) X(SPHERE, sphere) X(BOX, box) X(CYLINDER, cylinder) X(CAPSULE, capsule)
typedef char site_features_are_culled_for_every_symmetric_shape
    [(0u OCLIDE_CULLED_SHAPES(OCLIDE_SHAPE_BIT)) == SYMMETRIC_SHAPES ? 1 : -1];

// All features or none, by the site's greatest height and its elements' planes; for sites at the border of the grid and
// beside open cells, where walls and vertices follow other rules. Walls, which push bodies whose centre is off the
// ground, know no planes. `lowest`: z of the body's lowest point, less margin and rounding.
INLINED uint border_features(const Ground* g, uint shape, const Body* b, int i, int j, float lowest, float margin) {
  const int i1 = min(i + 1, g->rows - 1), j1 = min(j + 1, g->cols - 1);
  const float z0 = height_at(g, i, j), z1 = height_at(g, i, j1), z2 = height_at(g, i1, j), z3 = height_at(g, i1, j1);
  // A height without data is not a number, and never the highest.
  float highest = -MAXFLOAT;
  highest = z0 > highest ? z0 : highest;
  highest = z1 > highest ? z1 : highest;
  highest = z2 > highest ? z2 : highest;
  highest = z3 > highest ? z3 : highest;
  if (!(highest >= lowest - 2.4e-7f * abs_f(highest))) return 0u;
#ifdef OCLIDE_LOOK_AT_ALL
  return REACH_ALL;
#endif
  if (!cell_solid(g, i, j) || centre_is_off_ground(g, shape, b)) return REACH_ALL;
  // Normals times dx dy.
  const float x = (float)(j - g->j0) * g->dx - g->u, y = (float)(i - g->i0) * g->dy - g->v;
  const float3 n1 = (float3)((z0 - z1) * g->dy, (z0 - z2) * g->dx, g->dx * g->dy);
  const float3 n2 = (float3)((z2 - z3) * g->dy, (z1 - z3) * g->dx, g->dx * g->dy);
  return clears_plane(shape, b, (float3)(x, y, z0), n1, margin) &&
                 clears_plane(shape, b, (float3)(x + g->dx, y + g->dy, z3), n2, margin) && !is_steep_pit(g, i, j)
             ? 0u
             : REACH_ALL;
}
// Along some direction, of which a, b and c are the parts along the axes of half a box: where its corner k is.
FloatW at_corner(FloatW a, FloatW b, FloatW c, uint k) {
  return ((k & 1u ? a : -a) + (k & 2u ? b : -b)) + (k & 4u ? c : -c);
}

// Boxes by their corners.
typedef struct BoxCorners {
  VecW half_x, half_y, half_z;  // half their sides
  FloatW top;                   // corners above it have no ground beside them
  FloatW over;                  // what is above a plane by less may have contact
  FloatW slack;                 // [m]
} BoxCorners;

void box_corners(const BodyW* b, FloatW top, FloatW over, FloatW size, BoxCorners* c) {
  c->half_x = (VecW){b->x.x * b->size.x, b->x.y * b->size.x, b->x.z * b->size.x};
  c->half_y = (VecW){b->y.x * b->size.y, b->y.y * b->size.y, b->y.z * b->size.y};
  c->half_z = (VecW){b->z.x * b->size.z, b->z.y * b->size.z, b->z.z * b->size.z};
  c->top = top;
  c->over = over;
  c->slack = 1e-5f + 1e-5f * size;
}
// Fills its x and y.
void corner_aside(const BoxCorners* c, uint k, VecW* corner) {
  corner->x = at_corner(c->half_x.x, c->half_y.x, c->half_z.x, k);
  corner->y = at_corner(c->half_x.y, c->half_y.y, c->half_z.y, k);
}
// How far corner k is under the plane, times |n|.
FloatW corner_under(const PlaneReach* plane, uint k) {
  return (plane->deep - plane->reach) - at_corner(plane->span.x, plane->span.y, plane->span.z, k);
}

// Is a corner over or under element k (0 or 1)?
__attribute__((always_inline)) IntW corners_meet(const BoxCorners* c, const SpacingW* g, uint k,
                                                 const PlaneReach* plane, FloatW x, FloatW y) {
  const FloatW least = -(c->over * plane->slant);
  IntW meets = (IntW)(0);
#if OCLIDE_LANES == 1
#pragma unroll 1
#endif
  for (uint at = 0u; at < 8u; ++at) {
    VecW corner;
    corner.z = at_corner(c->half_x.z, c->half_y.z, c->half_z.z, at);
    // Of each lane by itself: what another one has beside it does not show.
    const FloatW under = corner_under(plane, at);
    const IntW below = (corner.z <= c->top) & (under > least);
    if (!any_w(below)) continue;
    corner_aside(c, at, &corner);
    meets |= below & point_meets(g, k, plane, corner.x - x, corner.y - y, under, least, c->slack + c->slack);
  }
  return meets;
}

// Is a corner under both planes of a valley's edge, between their normals? `own` is that of element 1, and `by_span`
// tells how it is known where the corner is of the other one.
__attribute__((always_inline)) IntW corners_in_valley(const BoxCorners* c, const EdgeReach* edge,
                                                      const PlaneReach* left, const PlaneReach* right,
                                                      const PlaneReach* own, const PlaneReach* other, bool by_span) {
  IntW in = (IntW)(0);
  if (!any_w(edge->valley)) return in;
  const FloatW least_own = -(c->over * own->slant), least_other = -(c->over * other->slant);
  const FloatW centre = other->deep - other->reach;
  const FloatW to_left = c->slack * (left->slant * edge->e1), to_right = c->slack * (right->slant * edge->e1);
#if OCLIDE_LANES == 1
#pragma unroll 1
#endif
  for (uint k = 0u; k < 8u; ++k) {
    VecW corner;
    corner.z = at_corner(c->half_x.z, c->half_y.z, c->half_z.z, k);
    IntW below = edge->valley & (corner.z <= c->top) & (corner_under(own, k) > least_own);
    if (!any_w(below)) continue;
    corner_aside(c, k, &corner);
    below &= (by_span ? corner_under(other, k) : centre - dot_wv(other->n, corner)) > least_other;
    const VecW d = {corner.x - edge->p.x, corner.y - edge->p.y, corner.z - edge->p.z};
    in |= below & (dot_wv(d, edge->into_left) <= to_left) & (dot_wv(d, edge->into_right) <= to_right);
  }
  return in;
}

// Does a capsule's axis cross an edge at more than a few degrees? `along`: of the axis along the edge, times its
// length.
IntW crosses_axis(const EdgeReach* edge, FloatW along) {
  // Where it crosses one that is nearly parallel is not known well.
  return edge->e2 - along * along >= 2.5e-3f * edge->e2;
}

// Is the vertex above the edges that leave it to both sides of m?
IntW leaves_vertex(const SpacingW* g, VecW m, FloatW z0, FloatW z1, FloatW z2, FloatW left, FloatW down) {
  const FloatW rise_x = select(m.x * (z0 - left), m.x * (z1 - z0), m.x > 0.0f) * g->dy;
  const FloatW rise_y = select(m.y * (z0 - down), m.y * (z2 - z0), m.y > 0.0f) * g->dx;
  return m.z * g->area >= rise_x + rise_y;
}

// Is a vertex outside the body, beyond a side of it that does not look up?
IntW vertex_below(uint shape, const BodyW* b, VecW v, FloatW room) {
  if (shape == SHAPE_SPHERE) return (IntW)(0);
  const FloatW on_z = dot_wv(v, b->z);
  IntW below = (IntW)(0);
  if (shape == SHAPE_BOX) {
    const FloatW on_x = dot_wv(v, b->x), on_y = dot_wv(v, b->y);
    below = ((abs_w(on_x) > b->size.x + room) & (on_x * b->x.z <= 0.0f)) |
            ((abs_w(on_y) > b->size.y + room) & (on_y * b->y.z <= 0.0f)) |
            ((abs_w(on_z) > b->size.z + room) & (on_z * b->z.z <= 0.0f));
  } else {
    // Across the axis, from its point beside the vertex; from a capsule's end beyond it.
    const FloatW h = b->size.y;
    const FloatW beside = shape == SHAPE_CAPSULE ? min_w(max_w(on_z, -h), h) : on_z;
    const VecW across = {v.x - b->z.x * beside, v.y - b->z.y * beside, v.z - b->z.z * beside};
    const FloatW reach = b->size.x + room;
    below = (dot_wv(across, across) > reach * reach) & (across.z <= 0.0f);
    if (shape == SHAPE_CYLINDER) below |= (abs_w(on_z) > b->size.y + room) & (on_z * b->z.z <= 0.0f);
  }
  return below;
}
// The features of sites that are not proven out of the bodies' reach, as bits.
__attribute__((always_inline)) UintW features_of_shape(uint shape, const SitesW* sites, IntW open, float margin) {
  CentresW centres;
  centres.z_high = OF_OWNERS(ground.z_high);
  centres.z_low = OF_OWNERS(ground.z_low);
  centres.has_low = OF_OWNERS(ground.has_low ? 1.0f : 0.0f);
  centres.any_low = any_w(centres.has_low != 0.0f);
  const RowW own = heights_in_row(sites, &centres, 1), upper = heights_in_row(sites, &centres, 2);
  const FloatW z0 = own.at, z1 = own.right, z2 = upper.at, z3 = upper.right;
  FloatW highest = select(z0, z1, z1 > z0);
  highest = select(highest, z2, z2 > highest);
  highest = select(highest, z3, z3 > highest);
  const FloatW lowest = OF_OWNERS(lowest);
  const IntW high = highest >= lowest - 2.4e-7f * abs_w(highest);
  if (!any_w(high | open)) return (UintW)(0u);

  BodyW bodies;
  bodies_of_sites(sites, &bodies);
  const BodyW* b = &bodies;
  const FloatW dx = OF_OWNERS(ground.dx), dy = OF_OWNERS(ground.dy), area = dx * dy;
  const SpacingW spacing = {dx, dy, area};
  const SpacingW* g = &spacing;
  const IntW column0 = OF_OWNERS_I(ground.j0), row0 = OF_OWNERS_I(ground.i0);
  const FloatW column = convert_float_w(load_w(sites->j) - column0), row = convert_float_w(load_w(sites->i) - row0);
  const FloatW x = column * dx - OF_OWNERS(ground.u), y = row * dy - OF_OWNERS(ground.v);
  const FloatW size =
      ((abs_w(x) + abs_w(y)) + (dx + dy)) + (((abs_w(z0) + abs_w(z1)) + (abs_w(z2) + abs_w(z3))) + b->radius_bound);
  FloatW room = (WIDE_MARGIN * margin + 2e-5f) + (1e-3f * b->radius_bound + 2e-5f * size);
  if (shape == SHAPE_CAPSULE) room += 1e-3f * size;

  // The other vertices around V0: left, down, across the edges right and up.
  const RowW under = heights_in_row(sites, &centres, 0);
  const FloatW left = own.left, down = under.at, across0 = under.right, across1 = upper.left;
  const VecW v0 = {x, y, z0}, v1 = {x + dx, y, z1}, v2 = {x, y + dy, z2}, v3 = {x + dx, y + dy, z3};
  const FloatW inverse_area = div_w((FloatW)(1.0f), area);
  const VecW n1 = {(z0 - z1) * dy, (z0 - z2) * dx, area}, n2 = {(z2 - z3) * dy, (z1 - z3) * dx, area};
  const VecW n_right = {n1.x, (across0 - z1) * dx, area}, n_up = {(across1 - z2) * dy, n1.y, area};
  PlaneReach plane1, beyond;  // of element 1, and of the one beyond one of its edges
  plane_reach(shape, b, n1, v0, room, inverse_area, &plane1);
  // Not where edges are so steep that rounding tells.
  const FloatW steep_x = select(abs_w(z0 - left), abs_w(z1 - z0), abs_w(z1 - z0) > abs_w(z0 - left));
  const FloatW steep_y = select(abs_w(z0 - down), abs_w(z2 - z0), abs_w(z2 - z0) > abs_w(z0 - down));
  const IntW steep = (steep_x > 4.0f * dx) | (steep_y > 4.0f * dy);
  const IntW nothing = open | !high;
  const FloatW flat = 1e-6f * size, none = (FloatW)(0.0f);
  // The vertex.
  VecW extents;
  body_extents_w(shape, b, &extents);
  IntW vertex_out = plane1.above & !steep & leaves_vertex(g, n1, z0, z1, z2, left, down);
  IntW no_pit = !(IntW)(0);
  if (!all_w(nothing | vertex_out)) {
    // A point of the body under the vertex has its way out there at the bottom of a pit alone (kind 1); a cylinder has
    // no such points. All else that knows a vertex asks for it in the body, or over it.
    if (shape != SHAPE_CYLINDER) no_pit = ((z1 - z0) + (left - z0) < -flat) | ((z2 - z0) + (down - z0) < -flat);
    const FloatW room_x = room + extents.x, room_y = room + extents.y;
    const IntW beside = (x > room_x) | (x < -room_x) | (y > room_y) | (y < -room_y);
    vertex_out |= no_pit & (beside | vertex_below(shape, b, v0, room));
    // From the vertex toward the body's centre.
    const VecW m = {-x, -y, select(-z0, (FloatW)(0.0f), z0 > 0.0f)};
    FloatW along, round2;
    reach_w(shape, b, m, &along, &round2);
    along += dot_wv(m, v0) + room * ((abs_w(m.x) + abs_w(m.y)) + m.z);
    vertex_out |= below_zero_w(along, round2) & (no_pit | ((!steep) & leaves_vertex(g, m, z0, z1, z2, left, down)));
  }

  // Elements.
  BoxCorners corners;
  if (shape == SHAPE_BOX) box_corners(b, highest + room, margin > 0.0f ? room + 2e-3f * size : room, size, &corners);
  IntW element1_out = plane1.above;
  if (!all_w(nothing | element1_out))
    element1_out |= !(shape == SHAPE_BOX ? corners_meet(&corners, g, 0u, &plane1, x, y)
                                         : element_meets(g, 0u, shape, b, &plane1, x, y, room, size));
  plane_reach(shape, b, n2, v3, room, inverse_area, &beyond);
  IntW element2_out = beyond.above;
  if (!all_w(nothing | element2_out))
    element2_out |= !(shape == SHAPE_BOX ? corners_meet(&corners, g, 1u, &beyond, x, y)
                                         : element_meets(g, 1u, shape, b, &beyond, x, y, room, size));
  IntW lifted1 = (IntW)(0), lifted2 = (IntW)(0);
  if (shape == SHAPE_BOX || shape == SHAPE_CYLINDER) {
    // Along a side that is level with the ground all gaps are as great: that over the centre counts (kind 6 (d)).
    const IntW of_centre = (column == 0.0f) & (row == 0.0f);
    if (any_w(of_centre & (plane1.level | beyond.level))) {
      const FloatW side = x * dy + y * dx + area;
      lifted1 = of_centre & (side >= 0.0f) & plane1.level & (plane1.deep + room * plane1.slant >= 0.0f);
      lifted2 = of_centre & (side < 0.0f) & beyond.level & (beyond.deep + room * beyond.slant >= 0.0f);
    }
  }

  IntW reached = bits_w(!element1_out | lifted1, REACH_ELEMENT_1) | bits_w(!element2_out | lifted2, REACH_ELEMENT_2);

  // Edges, one after another: what is known of one is done with before the next. The diagonal, that to the right, that
  // upward, which has element 1 on its right.
  IntW aside = plane1.above;
#pragma unroll
  for (uint k = 0u; k < 3u; ++k) {
    if (k > 0u) {
      plane_reach(shape, b, k == 1u ? n_right : n_up, v0, room, inverse_area, &beyond);
      aside |= beyond.above;
    }
    PlaneReach left_plane = plane1, right_plane = beyond;
    if (k == 2u) {
      left_plane = beyond;
      right_plane = plane1;
    }
    const VecW p = k == 0u ? v1 : v0, q = k == 1u ? v1 : v2;
    const FloatW ex = k == 0u ? -dx : (k == 1u ? dx : none), ey = k == 1u ? none : dy;
    const FloatW bend =
        k == 0u ? (z1 - z0) + (z2 - z3) : (k == 1u ? (z0 - z2) + (z1 - across0) : (z0 - z1) + (z2 - across1));
    EdgeReach edge;
    edge_between(p, q, ex, ey, &left_plane, &right_plane, bend, flat, &edge);
    IntW out = edge_beside(shape, b, &edge, &left_plane, &right_plane, size, margin);
    if (shape == SHAPE_BOX)
      out |= edge.valley & !corners_in_valley(&corners, &edge, &left_plane, &right_plane, &plane1, &beyond, k == 0u);
    if (!all_w(nothing | out))
      out |= edge_out(shape, b, &edge, &left_plane, &right_plane, extents.x, extents.y, room, size);
    if (shape == SHAPE_CAPSULE) out &= crosses_axis(&edge, (q.z - p.z) * b->z.z + (b->z.x * ex + b->z.y * ey));
    reached |= bits_w(!out, k == 0u ? REACH_EDGE << 2 : REACH_EDGE << (k - 1u));
  }

  vertex_out |= no_pit & aside;
  reached |= bits_w(!vertex_out, REACH_VERTEX);
#ifdef OCLIDE_LOOK_AT_ALL
  reached = (IntW)((int)REACH_ALL);
#endif
  reached = select((IntW)(0), reached, high);
  return as_uint_w(select(reached, (IntW)((int)REACH_BORDER), open));
}

// Shapes that are not symmetric have no culling of their own: as beside open cells.
#define OCLIDE_CASE(NAME, name) \
  case SHAPE_##NAME:            \
    return features_of_shape(SHAPE_##NAME, sites, open, margin);
__attribute__((always_inline)) UintW site_features(const SitesW* sites, IntW open, float margin) {
  const uint shape = sites->of[0]->shape;
  if (is_symmetric(shape)) {
    switch (shape) { OCLIDE_SYMMETRIC_SHAPES(OCLIDE_CASE) }
  }
  return (UintW)(REACH_BORDER);
}
#undef OCLIDE_CASE

#endif

#line 21 "kernels/broad_phase/terrain_candidates.cl"
#line 1 "kernels/terrain/slot_body.clh"
// The body of a slot as it stands over its ground.
#ifndef OCLIDE_TERRAIN_SLOT_BODY_CLH
#define OCLIDE_TERRAIN_SLOT_BODY_CLH
#line 5 "kernels/terrain/slot_body.clh"
#line 6 "kernels/terrain/slot_body.clh"
#pragma OPENCL FP_CONTRACT OFF

Body load_body(BodyRecord record, GridPose grid_pose, uint shape, __global const uint* hulls) {
  return body_at(shape, (float3)(record.size[0], record.size[1], record.size[2]), grid_pose.orientation[0],
                 grid_pose.orientation[1], grid_pose.orientation[2], grid_pose.orientation[3], hulls);
}

#endif

#line 22 "kernels/broad_phase/terrain_candidates.cl"
#pragma OPENCL FP_CONTRACT OFF

// The first body of [first_slot, last_slot) that begins at or after `site`.
uint first_body_from(__global const ulong* offsets, uint first_slot, uint last_slot, ulong site) {
  uint a = first_slot, b = last_slot;
  while (a < b) {
    const uint middle = a + (b - a) / 2u;
    if (offsets[middle] < site)
      a = middle + 1u;
    else
      b = middle;
  }
  return a;
}

// Bit k: has site k of the first `sites` of the chunk any features? Eight bytes at a time, of each of which one bit
// goes to the upper byte.
ulong sites_with_features(__global const uchar* of_site, uint sites) {
  const ulong low = 0x7F7F7F7F7F7F7F7Ful;
  ulong bits = 0ul;
  for (uint k = 0u; k < CHUNK_SITES / 8u; ++k) {
    const ulong eight = as_ulong(vload8(k, of_site));
    const ulong set = (((eight & low) + low) | eight) & ~low;
    bits |= ((set >> 7) * 0x0102040810204080ul >> 56) << 8u * k;
  }
  return sites < CHUNK_SITES ? bits & ((1ul << sites) - 1ul) : bits;
}

#if OCLIDE_LANES != 1
// Sites that wait for others, which may be of other bodies, to be looked at side by side.
typedef struct Waiting {
  SitesW sites;
  uint place[8];  // of those of the work-item
  uint count;     // an even number between one body and the next
} Waiting;

void wait_too(Waiting* waiting, const SiteBody* owner, int i, int j, uint place) {
  const uint k = waiting->count++;
  waiting->sites.of[k / 2u] = owner;
  waiting->sites.i[k] = i;
  waiting->sites.j[k] = j;
  waiting->sites.corner[k] = owner->ground.high + ((long)(i - 1) * (long)owner->ground.cols + (long)(j - 1));
  waiting->place[k] = place;
}

// Notes the features of all that wait, those beside open cells as border_features() has them.
void look_at_waiting(Waiting* waiting, float margin, __global uchar* features) {
  SitesW* sites = &waiting->sites;
  const uint count = waiting->count;
  waiting->count = 0u;
  // The first site stands in for those that are missing.
  for (uint k = count; k < 8u; ++k) {
    sites->of[k / 2u] = sites->of[0];
    sites->i[k] = sites->i[0];
    sites->j[k] = sites->j[0];
    sites->corner[k] = sites->corner[0];
  }
  uint reached[8];
  store_w(site_features(sites, open_around(sites), margin), reached);
  for (uint k = 0u; k < count; ++k) {
    const SiteBody* owner = sites->of[k / 2u];
    uint bits = reached[k];
    if (bits == REACH_BORDER)
      bits =
          border_features(&owner->ground, owner->shape, &owner->body, sites->i[k], sites->j[k], owner->lowest, margin);
    features[waiting->place[k]] = (uchar)bits;
  }
}
#endif

// Not across work-items: see narrow_phase/sphere_terrain.cl.
__attribute__((vec_type_hint(float4))) __kernel void broad_phase_terrain_sites(
    const uint first_slot, const uint last_slot, const uint chunks, __global const ulong* offsets,
    __global const BodyRecord* bodies, __global const GridPose* grid_poses, __global const TerrainRecord* terrains,
    __global const float* heights, __global const float* heights_low, __global const uchar* open,
    __global const uchar* material, __global const float2* bounds, __global const uint* hulls, const float margin,
    __global uchar* features, __global uint* kept) {
#if OCLIDE_LANES == 1
  __local uint kept_by[CHUNK_SITES];
  const uint chunk = (uint)get_group_id(0), item = (uint)get_local_id(0), items = (uint)get_local_size(0);
  const ulong begin = offsets[first_slot] + (ulong)chunk * CHUNK_SITES, last_site = offsets[last_slot];
  const uint here = begin < last_site ? (uint)min(last_site - begin, (ulong)CHUNK_SITES) : 0u;
  uint count = 0u;
  for (uint at = item; at < here; at += items) {
    const ulong site = begin + at;
    const uint slot = first_body_from(offsets, first_slot, last_slot, site + 1ul) - 1u;
    const GridPose grid_pose = grid_poses[slot];
    uint bits = REACH_ALL;
    if (!grid_pose.flat) {
      const BodyRecord record = bodies[slot];
      SiteBody owner;
      owner.ground = ground_of(terrains[record.terrain], grid_pose, heights, heights_low, open, material, bounds);
      owner.body = load_body(record, grid_pose, record.shape, hulls);
      owner.shape = record.shape;
      owner.lowest = grid_pose.lowest;
      const uint k = (uint)(site - offsets[slot]), row = k / grid_pose.count_j;
      SitesW sites;
      sites.of[0] = &owner;
      sites.i[0] = grid_pose.first_i + (int)row;
      sites.j[0] = grid_pose.first_j + (int)(k - row * grid_pose.count_j);
      const bool is_inside = is_symmetric(owner.shape) && site_inside(&owner.ground, sites.i[0], sites.j[0]);
      sites.corner[0] = owner.ground.high + ((long)(sites.i[0] - 1) * (long)owner.ground.cols + (long)(sites.j[0] - 1));
      if (is_inside && open_around(&sites) == 0)
        bits = site_features(&sites, 0, margin);
      else
        bits = border_features(&owner.ground, owner.shape, &owner.body, sites.i[0], sites.j[0], owner.lowest, margin);
    }
    features[(size_t)chunk * CHUNK_SITES + at] = (uchar)bits;
    count += bits != 0u ? 1u : 0u;
  }
  kept_by[item] = count;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item != 0u) return;
  for (uint k = 1u; k < items; ++k) count += kept_by[k];
  kept[chunk] = count;
#else
  const ItemRun run = run_of_item(chunks);
  if (run.first == run.last) return;
  const ulong last_site = offsets[last_slot];
  const ulong begin = offsets[first_slot] + (ulong)run.first * CHUNK_SITES;
  const ulong all = (ulong)(run.last - run.first) * CHUNK_SITES;
  const ulong end = begin + all < last_site ? begin + all : last_site;
  uint next = begin < last_site ? first_body_from(offsets, first_slot, last_slot, begin) : 0u;
  __global uchar* of_item = features + (size_t)run.first * CHUNK_SITES;
  SiteBody owners[OWNERS];
  Waiting waiting;
  waiting.count = 0u;
  uint of_owner = 0u;
  bool is_free = true;  // that owner: no site that waits is its own
  for (ulong site = begin; site < end;) {
    // Of the bodies that begin here the last owns the site; those before it have none.
    while (next < last_slot && offsets[next] <= site) ++next;
    const uint slot = next - 1u;
    const BodyRecord record = bodies[slot];
    const GridPose grid_pose = grid_poses[slot];
    const ulong body_begin = offsets[slot];
    const ulong body_end = offsets[slot + 1u] < end ? offsets[slot + 1u] : end;
    const ulong k = site - body_begin;
    uint at = (uint)(site - begin);
    const uint columns = grid_pose.count_j, at_end = (uint)(body_end - begin);
    site = body_end;
    if (grid_pose.flat) {
      of_item[at] = (uchar)REACH_ALL;
      continue;
    }
    // Those of the sites that wait are the last three at most.
    if (!is_free) of_owner = (of_owner + 1u) % OWNERS;
    is_free = true;
    SiteBody* owner = owners + of_owner;
    owner->ground = ground_of(terrains[record.terrain], grid_pose, heights, heights_low, open, material, bounds);
    owner->body = load_body(record, grid_pose, record.shape, hulls);
    owner->shape = record.shape;
    owner->lowest = grid_pose.lowest;
    if (waiting.count > 0u && waiting.sites.of[0]->shape != record.shape) look_at_waiting(&waiting, margin, of_item);
    // Row by row.
    uint row = 0u, column = 0u;
    if (k > 0u) {
      row = (uint)(k / columns);
      column = (uint)(k - (ulong)row * columns);
    }
    for (; at < at_end; ++at) {
      const int i = grid_pose.first_i + (int)row, j = grid_pose.first_j + (int)column;
      if (is_symmetric(record.shape) && site_inside(&owner->ground, i, j)) {
        is_free = false;
        wait_too(&waiting, owner, i, j, at);
        if (waiting.count == 8u) look_at_waiting(&waiting, margin, of_item);
      } else {
        of_item[at] =
            (uchar)border_features(&owner->ground, record.shape, &owner->body, i, j, grid_pose.lowest, margin);
      }
      if (++column == columns) {
        column = 0u;
        ++row;
      }
    }
    // The next body begins with a lane of even number: the last site stands for itself twice.
    if (waiting.count % 2u != 0u) {
      const uint last = waiting.count - 1u;
      wait_too(&waiting, owner, waiting.sites.i[last], waiting.sites.j[last], waiting.place[last]);
      if (waiting.count == 8u) look_at_waiting(&waiting, margin, of_item);
    }
  }
  if (waiting.count > 0u) look_at_waiting(&waiting, margin, of_item);
  for (uint chunk = run.first; chunk < run.last; ++chunk) {
    const ulong before = (ulong)(chunk - run.first) * CHUNK_SITES;
    kept[chunk] = begin + before < end
                      ? (uint)popcount(sites_with_features(of_item + before, (uint)min(end - begin - before, 64ul)))
                      : 0u;
  }
#endif
}

// What comes before the candidates, shared by `items` work-items: room beyond them has no contacts, and where there are
// no sites, or more than the chunks hold, no body has a candidate. Returns whether there are any to be written.
bool prepare_candidates(uint item, uint items, uint first_slot, uint last_slot, uint chunks,
                        __global const ulong* offsets, __global const uint* chunk_offsets, uint room,
                        __global uint* first_candidate, __global uint* contact_counts, __global uint* stored) {
  const ulong sites = offsets[last_slot] - offsets[first_slot];
  const bool fits = sites <= (ulong)chunks * CHUNK_SITES;
  if (item == 0u) stored[0] = 0u;
  for (uint k = (fits ? chunk_offsets[chunks] : 0u) + item; k < room; k += items) contact_counts[k] = 0u;
  if (fits && sites > 0ul) return true;
  for (uint slot = first_slot + item; slot <= last_slot; slot += items) first_candidate[slot] = 0u;
  return false;
}

// `first_body`: the first one that begins in or after the chunk, where the work-item had the chunk before it; else
// SLOT_NONE.
__attribute__((always_inline)) void candidates_of_chunk(uint chunk, uint first_slot, uint last_slot,
                                                        __global const ulong* offsets, __global const uchar* features,
                                                        __global const uint* chunk_offsets, uint room,
                                                        __global uint* candidate_slots, __global uint* candidate_sites,
                                                        __global uint* first_candidate, uint* first_body) {
  const ulong last_site = offsets[last_slot];
  const ulong begin = offsets[first_slot] + (ulong)chunk * CHUNK_SITES;
  if (begin >= last_site) return;
  const ulong end = begin + CHUNK_SITES < last_site ? begin + CHUNK_SITES : last_site;
  __global const uchar* of_site = features + (size_t)chunk * CHUNK_SITES;
  uint next = *first_body != SLOT_NONE ? *first_body : first_body_from(offsets, first_slot, last_slot, begin);
  uint out = chunk_offsets[chunk];
  const ulong kept = sites_with_features(of_site, (uint)(end - begin));
  for (ulong site = begin; site < end;) {
    while (next < last_slot && offsets[next] <= site) first_candidate[next++] = min(out, room);
    // Those of one body.
    const ulong body_begin = offsets[next - 1u], body_end = offsets[next];
    const uint first = (uint)(site - begin), length = (uint)(min(body_end, end) - site);
    ulong own = kept >> first;
    if (length < CHUNK_SITES) own &= (1ul << length) - 1ul;
    for (; own != 0ul; own &= own - 1ul, ++out) {
      const uint at = first + 63u - (uint)clz(own & (0ul - own));
      if (out >= room) continue;
      candidate_slots[out] = next - 1u;
      candidate_sites[out] = pack_candidate(body_end - body_begin, (uint)(begin + at - body_begin), (uint)of_site[at]);
    }
    site += length;
  }
  // The last chunk also closes the bodies that have no site after it.
  if (end == last_site)
    while (next <= last_slot) first_candidate[next++] = min(out, room);
  *first_body = next;
}

__kernel void broad_phase_terrain_candidates(const uint first_slot, const uint last_slot, const uint chunks,
                                             __global const ulong* offsets, __global const uchar* features,
                                             __global const uint* chunk_offsets, const uint room,
                                             __global uint* candidate_slots, __global uint* candidate_sites,
                                             __global uint* first_candidate, __global uint* contact_counts,
                                             __global uint* stored) {
  if (!prepare_candidates((uint)get_global_id(0), (uint)get_global_size(0), first_slot, last_slot, chunks, offsets,
                          chunk_offsets, room, first_candidate, contact_counts, stored))
    return;
  const ItemRun run = run_of_item(chunks);
  uint first_body = SLOT_NONE;
  for (uint chunk = run.first; chunk < run.last; ++chunk)
    candidates_of_chunk(chunk, first_slot, last_slot, offsets, features, chunk_offsets, room, candidate_slots,
                        candidate_sites, first_candidate, &first_body);
}

// One work-group for few chunks, of slots [0, slots): also the scan of `kept` before it.
__kernel void broad_phase_small_candidates(const uint slots, const uint chunks, __global const ulong* offsets,
                                           __global const uchar* features, __global const uint* kept,
                                           __global uint* chunk_offsets, const uint room,
                                           __global uint* candidate_slots, __global uint* candidate_sites,
                                           __global uint* first_candidate, __global uint* contact_counts,
                                           __global uint* stored) {
  __local uint partial[LONE_GROUP];
  scan_in_group(kept, chunks, chunk_offsets, partial);
  const uint item = (uint)get_local_id(0), items = (uint)get_local_size(0);
  if (!prepare_candidates(item, items, 0u, slots, chunks, offsets, chunk_offsets, room, first_candidate, contact_counts,
                          stored))
    return;
  for (uint chunk = item; chunk < chunks; chunk += items) {
    uint first_body = SLOT_NONE;
    candidates_of_chunk(chunk, 0u, slots, offsets, features, chunk_offsets, room, candidate_slots, candidate_sites,
                        first_candidate, &first_body);
  }
}

