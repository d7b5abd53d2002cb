// Casts with rays or poses that an application has on the device, and hits that stay there (docs/device_resident.md):
// rays made those of cast_rays.cl, as the host makes them of doubles; the planes of half spaces; hits with the
// application's layout. Host: host/queries/ray_cast.cpp.
#include "../include/oclide/device_layout.h"
#include "shared/resident_rays.h"
#include "upload/resident_pose.clh"
#pragma OPENCL FP_CONTRACT OFF

#define ENDLESS_RAY 1e19f  // [m] as the host has it

// direction / |direction|, by its largest number first. False where it is zero, or not finite.
bool unit_direction(__global const float* given, float* high, float* low) {
  Double d[3], largest, length2, length;
  for (uint a = 0u; a < 3u; ++a) {
    if (!is_finite(given[a])) return false;
    double_of_float(given[a], d + a);
    if (a == 0u || double_is_less(&largest, d + a)) largest = d[a];
  }
  if (largest.m == 0ul) return false;
  largest.sign = 0u;
  for (uint a = 0u; a < 3u; ++a) {
    double_divide(d + a, &largest, d + a);
    Double square;
    double_multiply(d + a, d + a, &square);
    if (a == 0u)
      length2 = square;
    else
      double_add(&length2, &square, &length2);
  }
  double_root(&length2, &length);
  for (uint a = 0u; a < 3u; ++a) {
    double_divide(d + a, &length, d + a);
    split_double(d + a, high + a, low + a);
  }
  return true;
}

// From its place in space: high + low. False where that is not finite, or too far.
bool split_origin(__global const float* given, __global const float* given_low, bool has_low, float* high, float* low) {
  for (uint a = 0u; a < 3u; ++a) {
    const float more = has_low ? given_low[a] : 0.0f;
    if (!is_finite(given[a]) || !is_finite(more)) return false;
    split_position(given[a], more, high + a, low + a);
    if (!(abs_f(high[a]) < FARTHEST_HIGH)) return false;
  }
  return true;
}

// One work-item a ray, of those from `first` on. `has`: RESIDENT_HAS_* of the arrays given. environment_terrain: of
// `environments`, where there are any, else every environment's is `terrain`. ranks: the environments of bodies,
// ascending. A ray that cannot be used has a length below 0, and meets nothing.
__attribute__((vec_type_hint(float4))) __kernel void queries_split_rays(
    const uint count, const uint first, __global const float* origin, __global const float* origin_low,
    __global const float* direction, __global const float* length, __global const uint* environment,
    __global const uint* mask, const uint has, const uint terrain, const uint environments,
    __global const int* environment_terrain, const uint rank_count, __global const uint* ranks,
    __global RayRecord* rays) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  const ulong ray = (ulong)first + item;
  __global RayRecord* to = rays + item;
  float high[3], low[3], way_high[3], way_low[3];
  bool usable =
      split_origin(origin + 3u * ray, origin_low + 3u * ray, (has & RESIDENT_HAS_ORIGIN_LOW) != 0u, high, low) &&
      unit_direction(direction + 3u * ray, way_high, way_low);
  const float given = (has & RESIDENT_HAS_LENGTH) != 0u ? length[ray] : ENDLESS_RAY;
  const uint bits = as_uint(given);
  usable = usable && (bits <= 0x7F800000u || bits == 0x80000000u);
  const uint in = (has & RESIDENT_HAS_ENVIRONMENT) != 0u ? environment[ray] : 0u;
  usable = usable && (environments == 0u || in < environments);
  uint begin = 0u, end = rank_count;
  while (begin < end) {
    const uint middle = begin + (end - begin) / 2u;
    if (ranks[middle] < in)
      begin = middle + 1u;
    else
      end = middle;
  }
  uint ground = terrain, rank = RAY_NONE;
  if (usable && environments != 0u) ground = environment_terrain[in] >= 0 ? (uint)environment_terrain[in] : RAY_NONE;
  if (usable && begin < rank_count && ranks[begin] == in) rank = begin;
  for (uint a = 0u; a < 3u; ++a) {
    to->origin_high[a] = usable ? high[a] : 0.0f;
    to->origin_low[a] = usable ? low[a] : 0.0f;
    to->direction_high[a] = usable ? way_high[a] : 0.0f;
    to->direction_low[a] = usable ? way_low[a] : 0.0f;
  }
  to->length = !usable ? -1.0f : (given > 0.0f ? min_f(given, ENDLESS_RAY) : 0.0f);
  to->terrain = usable ? ground : RAY_NONE;
  to->environment = rank;
  to->mask = (has & RESIDENT_HAS_MASK) != 0u ? mask[ray] : 0xFFFFFFFFu;
}

// 2 (a * b +- c * d)
void twice_products(const Double* a, const Double* b, bool less, const Double* c, const Double* d, Double* to) {
  Double second;
  double_multiply(a, b, to);
  double_multiply(c, d, &second);
  if (less) second.sign ^= 0x80000000u;
  double_add(to, &second, to);
  to->e += 1;
}

// One work-item a half space: the z axis of its orientation, in the host's order.
__attribute__((vec_type_hint(float4))) __kernel void queries_resident_planes(const uint count, const uint leaves,
                                                                             __global const BodyState* states,
                                                                             __global PlaneRecord* planes) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  Double q[4], largest, length2, axis[3], less;
  for (uint a = 0u; a < 4u; ++a) {
    double_of_float(states[leaves + item].orientation[a], q + a);
    if (a == 0u || double_is_less(&largest, q + a)) largest = q[a];
  }
  largest.sign = 0u;
  for (uint a = 0u; a < 4u; ++a) double_divide(q + a, &largest, q + a);
  double_squared_length(q, &length2);
  twice_products(q + 1, q + 3, false, q, q + 2, axis);
  twice_products(q + 2, q + 3, true, q, q + 1, axis + 1);
  twice_products(q, q, false, q + 3, q + 3, axis + 2);
  twice_products(q + 1, q + 1, false, q + 2, q + 2, &less);
  less.sign ^= 0x80000000u;
  double_add(axis + 2, &less, axis + 2);
  axis[2].e -= 1;
  for (uint a = 0u; a < 3u; ++a) {
    float high, low;
    double_divide(axis + a, &length2, axis + a);
    split_double(axis + a, &high, &low);
    planes[item].axis_high[a] = high;
    planes[item].axis_low[a] = low;
  }
}

// One work-item a hit, which becomes one of the application's in its place. Where `of_parts`, bodies are parts: body_of
// each, and the first part of each body.
__attribute__((vec_type_hint(float4))) __kernel void queries_device_hits(
    const uint count, __global const RayRecord* rays, const uint of_parts, __global const uint* body_of,
    __global const uint* first_parts, __global HitRecord* hits) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  const HitRecord hit = hits[item];
  const bool hits_nothing = hit.body == HIT_NOTHING;
  oclide_device_hit to;
  to.body = hit.body;
  to.shape = 0;
  if (of_parts != 0u && hit.body < HIT_NOTHING) {
    to.body = body_of[hit.body];
    to.shape = (ushort)(hit.body - first_parts[to.body]);
  }
  if (rays[item].length < 0.0f) to.body = OCLIDE_DEVICE_NO_RAY;
  to.distance = hits_nothing ? as_float(0x7F800000u) : without_negative_zero(hit.distance_high);
  to.distance_low = hits_nothing ? 0.0f : without_negative_zero(hit.distance_low);
  to.element = hit.element;
  to.material = (ushort)hit.material;
  for (uint a = 0u; a < 3u; ++a) to.normal[a] = hits_nothing ? 0.0f : without_negative_zero(hit.normal[a]);
  *(__global oclide_device_hit*)(hits + item) = to;
}
