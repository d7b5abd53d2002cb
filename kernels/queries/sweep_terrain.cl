// Moving bodies over terrain: when each first touches the ground, and where (docs/motion.md).
//
//   near_ground     per body that can meet terrain: may it come down to the heights under its way? Those in a list
//   sweep_terrain   per body of that list: over the cells that it may come to, those triangles with all below them
//
// Host: host/queries/motion_sweep.cpp.
#define SWEEPS_GROUND
#include "launch/fetch_early.clh"
#include "motion/ground_touch.clh"
#include "queries/query_ground.clh"
#pragma OPENCL FP_CONTRACT OFF

#define BLOCKS_LOOKED_AT 3  // of heights, a side

// The times at which a place that goes from `begin` by `step` over the frame, with `reach` to both sides, is over
// [low, high]: empty where the first is after the second.
OUTLINED float2 times_over(float begin, float step, float reach, float low, float high) {
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

// One of them, and how it stands at the begin.
INLINED void take_slot(__global const BodyRecord* slot, __global const PoseRecord* poses,
                       __global const MotionRecord* motion, __global const TerrainRecord* t, __global const uint* hulls,
                       Mover* m, SEARCH_MEMORY Body* begin) {
  set_slot_mover(m, slot, poses + slot->body, motion + slot->body, t);
  stand_at_begin(m, hulls, begin);
}

// A body's way over the grid, in cells from the one that it begins over; heights are from the body's at the begin.
typedef struct GroundWay {
  int i0, j0;
  float begin_u, begin_v, step_u, step_v;
  float reach_u, reach_v;  // of the body to both sides
  float below;             // the lowest that it reaches from its position [m]
  int first_i, last_i;     // rows that it may come to
  float turning;           // how fast turning moves a point of it at most [m a frame]
  float turned, most;      // how far it moves one, and how far from its position one can be [m]
  float3 step;             // displacement [m]
  TwoFloat height;         // of its position at the begin
} GroundWay;

OUTLINED void way_over_ground(const Mover* mover, SEARCH_MEMORY const Body* begin, __global const TerrainRecord* t,
                              GroundWay* way) {
  MOVING(m, mover);
  const Body body = *begin;
  BodyBox box = body_box(m->shape, &body);
  const float most = moving_reach(m, body.radius_bound);
  way->turning = turning_speed(m, body.radius_bound);
  const float turned = min_f(way->turning, 2.0f * most);
  way->turned = turned;
  way->most = most;
  if (turned > 0.0f) {
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
  way->step = step;
  way->height = m->position.z;
  way->begin_u = (u.hi - (float)way->j0) + u.lo;
  way->begin_v = (v.hi - (float)way->i0) + v.lo;
  way->step_u = step.x * t->cells_x_hi;
  way->step_v = step.y * t->cells_y_hi;
  // The box need not be about the position: its greater half to both sides.
  const float room = 2e-4f + 2e-6f * ((abs_f(step.x) + abs_f(step.y)) + abs_f(step.z));
  way->reach_u = (max_f(box.high.x, -box.low.x) + room) * t->cells_x_hi * 1.00001f + 1e-5f;
  way->reach_v = (max_f(box.high.y, -box.low.y) + room) * t->cells_y_hi * 1.00001f + 1e-5f;
  way->below = box.low.z - room;
  way->first_i = max(add_sat(way->i0, floor_i(min_f(way->begin_v, way->begin_v + way->step_v) - way->reach_v)), 0);
  way->last_i =
      min(add_sat(way->i0, floor_i(max_f(way->begin_v, way->begin_v + way->step_v) + way->reach_v)), t->rows - 2);
}

// The columns that it may come to between two times.
int2 columns_between(const GroundWay* way, float from, float to, int columns) {
  const float a = way->begin_u + way->step_u * from, b = way->begin_u + way->step_u * to;
  return (int2)(max(add_sat(way->j0, floor_i(min_f(a, b) - way->reach_u)), 0),
                min(add_sat(way->j0, floor_i(max_f(a, b) + way->reach_u)), columns - 1));
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
  IN_SEARCH_MEMORY(Body, begin);
  if (item >= count) return;
  if (FETCHES_EARLY && item + SLOTS_AHEAD < count) fetch_slot(slots + item + SLOTS_AHEAD, poses, motion);
  Mover m;
  __global const TerrainRecord* t = terrains + slots[item].terrain;
  take_slot(slots + item, poses, motion, t, hulls, &m, begin);
  GroundWay way;
  way_over_ground(&m, begin, t, &way);
  const int2 columns = columns_between(&way, 0.0f, 1.0f, t->cols - 1);
  if (way.first_i > way.last_i || columns.x > columns.y) return;
  const float highest = highest_of_cells(t, bounds, way.first_i, way.last_i, columns.x, columns.y);
  const float top = (highest - way.height.hi) - way.height.lo;
  // A vertex's low part is below the rounding of its high one.
  const float room = 1e-6f * (abs_f(highest) + abs_f(way.height.hi));
  if (!(highest > -MAXFLOAT) || min_f(way.step.z, 0.0f) + way.below > top + room) return;
  near[atomic_inc(stored)] = item;
}

// A triangle with its corner at the right angle at vertex `corner` (i, j) of height h + h_low: the others are by `rise`
// higher, along x and y by the spacing, to the side of the signs `to`. Returns the times at which the body may be under
// its plane.
OUTLINED float2 place_element(const Mover* mover, SEARCH_MEMORY const Body* begin, const GroundWay* way,
                              __global const TerrainRecord* t, int2 corner, float h, float h_low, float2 rise,
                              float2 to, GroundPrism* prism) {
  MOVING(m, mover);
  const Body body = *begin;
  const float dx = t->spacing_x_hi, dy = t->spacing_y_hi;
  prism->first = (float3)(to.x * dx, 0.0f, rise.x);
  prism->second = (float3)(0.0f, to.y * dy, rise.y);
  // No part of it is above its plane.
  const float3 up = unit3((float3)(-rise.x * (to.x * dy), -rise.y * (to.y * dx), dx * dy));
  prism->up = up;
  prism->corner.x = two_sub(two_add(two_float(t->origin_x_hi, t->origin_x_lo),
                                    two_scale((float)corner.y, two_float(t->spacing_x_hi, t->spacing_x_lo))),
                            m->position.x);
  prism->corner.y = two_sub(two_add(two_float(t->origin_y_hi, t->origin_y_lo),
                                    two_scale((float)corner.x, two_float(t->spacing_y_hi, t->spacing_y_lo))),
                            m->position.y);
  prism->corner.z = two_sub(two_float(h, h_low), m->position.z);
  const float away = -dot3(high_of(prism->corner), up);
  float reach = reach_along(m->shape, &body, -up);
  if (way->turned > 0.0f) reach = min_f(reach + way->turned, way->most);
  return times_under(away - reach, dot3(high_of(m->displacement), up),
                     1e-4f + 2e-6f * (length3(high_of(prism->corner)) + reach));
}

// Of the heights of V0 to V3 one, by selection: an index that is not known would put all into memory.
float of_corner(float z0, float z1, float z2, float z3, uint at) {
  return at < 2u ? (at == 0u ? z0 : z1) : (at == 2u ? z2 : z3);
}

// Impacts go from `stored` on into `impacts`, which has room for all.
__attribute__((vec_type_hint(float4))) __kernel void queries_sweep_terrain(
    const uint count, __global const uint* near, __global const BodyRecord* slots, __global const PoseRecord* poses,
    __global const MotionRecord* motion, __global const TerrainRecord* terrains, __global const float* heights,
    __global const float* heights_low, __global const uchar* open, __global const uchar* material,
    __global const uint* hulls, __global uint* stored, __global ImpactRecord* impacts) {
  IN_SEARCH_MEMORY(Standing, stand);
  IN_SEARCH_MEMORY(Body, begin);
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  if (FETCHES_EARLY && item + 2u * SLOTS_AHEAD < count) {
    FETCH_EARLY(slots + near[item + 2u * SLOTS_AHEAD]);
    fetch_slot(slots + near[item + SLOTS_AHEAD], poses, motion);
  }
  __global const BodyRecord* slot = slots + near[item];
  Mover m;
  __global const TerrainRecord* t = terrains + slot->terrain;
  take_slot(slot, poses, motion, t, hulls, &m, begin);
  __global const float* high = heights + t->vertex_offset;
  __global const float* low = heights_low + t->low_offset;
  __global const uchar* flags = open + t->cell_offset;
  const int columns = t->cols - 1;
  GroundWay way;
  way_over_ground(&m, begin, t, &way);
  const float3 step = way.step;
  const bool starts_over_ground =
      way.i0 >= 0 && way.j0 >= 0 && way.i0 < t->rows - 1 && way.j0 < columns &&
      !(t->has_open && (flags[(ulong)way.i0 * (ulong)columns + (ulong)way.j0] & CELL_OPEN) != 0);
  // Times at which it is so little farther on count as the same: the first element of those has it.
  const float same_time = div_rn(1e-5f, (length3(step) + way.turning) + 1e-3f);
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
      const float top = (max_f(max_f(h0, h1), max_f(h2, h3)) - way.height.hi) - way.height.lo;
      const float top_room = 1e-6f * (abs_f(top) + abs_f(way.height.hi));
      if (lowest > top + top_room) continue;
      const float2 in_column =
          times_over(way.begin_u, way.step_u, way.reach_u, (float)(j - way.j0), (float)(j - way.j0 + 1));
      const float enter = max_f(in_row.x, in_column.x), leave = min_f(in_row.y, in_column.y);
      if (enter > leave || enter > limit.hi) continue;
      if (min_f(step.z * enter, step.z * leave) + way.below > top + top_room) continue;
      const bool rises = is_among_rising(t->rising, row, j);
      ROLLED
      for (uint each = 0u; each < 2u; ++each) {
        // Its corner at the right angle: V0 or V3, V1 or V2 where it rises. Bit 0: to the right, bit 1: above.
        const uint of_cell = left ? 1u - each : each;
        const uint at = 2u * of_cell + (of_cell ^ (rises ? 1u : 0u));
        const bool right = (at & 1u) != 0u, above = (at & 2u) != 0u;
        const float h = of_corner(h0, h1, h2, h3, at);
        float rise_x = of_corner(h0, h1, h2, h3, at ^ 1u) - h, rise_y = of_corner(h0, h1, h2, h3, at ^ 2u) - h;
        float h_low = 0.0f;
        if (t->has_low) {
          const ulong here = above ? v2 : v0, beyond = above ? v0 : v2;
          h_low = low[right ? here + 1u : here];
          rise_x += low[right ? here : here + 1u] - h_low;
          rise_y += low[right ? beyond + 1u : beyond] - h_low;
        }
        GroundPrism prism;
        const int2 corner = (int2)(above ? row + 1 : row, right ? j + 1 : j);
        const float2 to = (float2)(right ? -1.0f : 1.0f, above ? -1.0f : 1.0f);
        const float2 under = place_element(&m, begin, &way, t, corner, h, h_low, (float2)(rise_x, rise_y), to, &prism);
        const float2 times = (float2)(max_f(enter, under.x), min_f(leave, under.y));
        if (times.x > times.y || times.x > limit.hi) continue;
        const uint touches = ground_touch(&m, &prism, hulls, times, limit, starts_over_ground, stand, &best);
        if (touches == TOUCHES_NOT) continue;
        if (touches == TOUCHES_UNKNOWN) {
          store_unknown(stored, impacts, slot->body, HIT_TERRAIN);
          return;
        }
        limit = two_add(best.time, two_float(-same_time, 0.0f));
        at_begin = best.time.hi == 0.0f;
        element = 2u * ((uint)row * (uint)columns + (uint)j) + of_cell;
        if (at_begin) break;
      }
    }
    if (!at_begin) continue;
    if (!down && !left) break;
    at_begin = down = left = false;
    i = way.first_i;
    limit = two_float(0.0f, same_time);
  }
  if (best.time.hi > 1.0f) return;
  const uint of_element = t->has_material ? (uint)material[t->material_offset + (ulong)(element / 2u)] : 0u;
  if (t->turned != 0u) {
    best.point = turned_back(best.point);
    best.normal = turned_back(best.normal);
  }
  store_touch(impacts + atomic_inc(stored), &best, slot->body, HIT_TERRAIN,
              element_of_scene(t->turned, t->rows, t->cols, element), of_element);
}
