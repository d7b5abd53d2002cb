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

// A body's way over the grid, in cells from the one that it begins over; heights are from the body's at the begin.
typedef struct GroundWay {
  float3 step;      // displacement [m]
  TwoFloat height;  // of its position at the begin
  int i0, j0;
  float begin_u, begin_v, step_u, step_v;
  float reach_u, reach_v;  // of the body to both sides
  float below;             // the lowest that it reaches from its position [m]
  int first_i, last_i;     // rows that it may come to
  float turning;           // how fast turning moves a point of it at most [m a frame]
  float turned, most;      // how far it moves one, and how far from its position one can be [m]
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

// Times at which it is so little farther on count as the same: the first element of those has it.
float same_time(const GroundWay* way) {
  return div_rn(1e-5f, (length3(way->step) + way->turning) + 1e-3f);
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
  set_slot_mover(&m, slots + item, poses + slots[item].body, motion + slots[item].body, t);
  stand_at_begin(&m, hulls, begin);
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

// The search over the cells that a body may come to.
typedef struct GroundSearch {
  GroundWay way;
  Touch best;
  Mover mover;
  TwoFloat limit;
  bool down, left;  // in which order cells come
  int i;            // the next row
  int row, column;  // of the cell
  int left_of_row;  // cells of the row after it
  float2 in_row;    // the times at which the body is over the row, and over the cell
  float2 in_cell;
  uint each;  // the next element of the cell
} GroundSearch;

bool begins_over_ground(const GroundWay* way, __global const TerrainRecord* t, __global const uchar* open) {
  const int columns = t->cols - 1;
  return way->i0 >= 0 && way->j0 >= 0 && way->i0 < t->rows - 1 && way->j0 < columns &&
         !(t->has_open && (open[t->cell_offset + (ulong)way->i0 * (ulong)columns + (ulong)way->j0] & CELL_OPEN) != 0);
}

// On to the next cell that the body may touch. False where there is none.
OUTLINED_OR_INLINE bool next_cell(GroundSearch* g, __global const TerrainRecord* t, __global const float* heights,
                                  __global const uchar* open) {
  const int columns = t->cols - 1;
  ROLLED
  while (true) {
    if (g->left_of_row <= 0) {
      if (g->i < g->way.first_i || g->i > g->way.last_i) return false;
      g->row = g->i;
      g->i += g->down ? -1 : 1;
      const float from = (float)(g->row - g->way.i0);
      g->in_row = times_over(g->way.begin_v, g->way.step_v, g->way.reach_v, from, (float)(g->row - g->way.i0 + 1));
      if (g->in_row.x > g->in_row.y || g->in_row.x > g->limit.hi) continue;
      const int2 of_row = columns_between(&g->way, g->in_row.x, g->in_row.y, columns);
      g->left_of_row = of_row.y - of_row.x + 1;
      g->column = g->left ? of_row.y + 1 : of_row.x - 1;
      continue;
    }
    --g->left_of_row;
    const int i = g->row, j = g->column += g->left ? -1 : 1;
    if (t->has_open && (open[t->cell_offset + (ulong)i * (ulong)columns + (ulong)j] & CELL_OPEN) != 0) continue;
    __global const float* h = heights + t->vertex_offset + ((ulong)i * (ulong)t->cols + (ulong)j);
    __global const float* above = h + t->cols;
    const float top = (max_f(max_f(h[0], h[1]), max_f(above[0], above[1])) - g->way.height.hi) - g->way.height.lo;
    const float room = top + 1e-6f * (abs_f(top) + abs_f(g->way.height.hi)), rise = g->way.step.z;
    if (min_f(rise, 0.0f) + g->way.below > room) continue;
    const float2 in_column =
        times_over(g->way.begin_u, g->way.step_u, g->way.reach_u, (float)(j - g->way.j0), (float)(j - g->way.j0 + 1));
    const float enter = max_f(g->in_row.x, in_column.x), leave = min_f(g->in_row.y, in_column.y);
    if (enter > leave || enter > g->limit.hi || min_f(rise * enter, rise * leave) + g->way.below > room) continue;
    g->in_cell = (float2)(enter, leave);
    g->each = 0u;
    return true;
  }
}

// Places an element of the cell, and takes the times up to the limit at which the body may be under its plane, over the
// cell; none where it is over the other element all the while. Its corner at the right angle is at vertex (i, j): V0 or
// V3, V1 or V2 where it rises. `reaches`: the body as it stands at the begin.
OUTLINED_OR_INLINE float2 place_element(const GroundSearch* g, __global const TerrainRecord* t,
                                        __global const float* heights, __global const float* heights_low, uint of_cell,
                                        SEARCH_MEMORY const Body* reaches, SEARCH_MEMORY GroundPrism* prism) {
  __global const float* high = heights + t->vertex_offset;
  const float dx = t->spacing_x_hi, dy = t->spacing_y_hi;
  const uint at = 2u * of_cell + (of_cell ^ (is_among_rising(t->rising, g->row, g->column) ? 1u : 0u));
  const bool right = (at & 1u) != 0u, above = (at & 2u) != 0u;
  const int i = above ? g->row + 1 : g->row, j = right ? g->column + 1 : g->column;
  const ulong here = (ulong)i * (ulong)t->cols + (ulong)j, aside = right ? here - 1u : here + 1u,
              beyond = above ? here - (ulong)t->cols : here + (ulong)t->cols;
  const float h = high[here];
  float rise_x = high[aside] - h, rise_y = high[beyond] - h, h_low = 0.0f;
  if (t->has_low) {
    __global const float* low = heights_low + t->low_offset;
    h_low = low[here];
    rise_x += low[aside] - h_low;
    rise_y += low[beyond] - h_low;
  }
  const float to_x = right ? -1.0f : 1.0f, to_y = above ? -1.0f : 1.0f;
  MOVING(m, &g->mover);
  prism->first = (float3)(to_x * dx, 0.0f, rise_x);
  prism->second = (float3)(0.0f, to_y * dy, rise_y);
  // No part of it is above its plane.
  const float3 up = unit3((float3)(-rise_x * (to_x * dy), -rise_y * (to_y * dx), dx * dy));
  prism->up = up;
  TwoFloat3 corner;
  corner.x = two_sub(two_add(two_float(t->origin_x_hi, t->origin_x_lo),
                             two_scale((float)j, two_float(t->spacing_x_hi, t->spacing_x_lo))),
                     m->position.x);
  corner.y = two_sub(two_add(two_float(t->origin_y_hi, t->origin_y_lo),
                             two_scale((float)i, two_float(t->spacing_y_hi, t->spacing_y_lo))),
                     m->position.y);
  corner.z = two_sub(two_float(h, h_low), m->position.z);
  prism->corner = corner;
  const Body body = *reaches;
  const float away = -dot3(high_of(corner), up);
  float reach = reach_along(m->shape, &body, -up);
  if (g->way.turned > 0.0f) reach = min_f(reach + g->way.turned, g->way.most);
  const float size = length3(high_of(corner)) + reach;
  const float2 under = times_under(away - reach, dot3(g->way.step, up), 1e-4f + 2e-6f * size);
  const float2 times = (float2)(max_f(g->in_cell.x, under.x), min_f(g->in_cell.y, under.y));
  if (times.x > times.y || times.x > g->limit.hi) return (float2)(1.0f, 0.0f);
  // Is it beyond the long side all the while?
  const float3 out = (float3)(to_x * dy, to_y * dx, 0.0f);
  const float length = length3(out);
  float beside = reach_along(m->shape, &body, -out);
  if (g->way.turned > 0.0f) beside = min_f(beside + g->way.turned * length, g->way.most * length);
  const float2 over = times_under(-dot3(high_of(corner), out) - beside, dot3(g->way.step, out),
                                  dx * dy + length * (2e-4f + 2e-6f * (size + length3(g->way.step))));
  return max_f(times.x, over.x) > min_f(min_f(times.y, over.y), g->limit.hi) ? (float2)(1.0f, 0.0f) : times;
}

// The first row, and all cells after it.
void begin_rows(GroundSearch* g, bool down, bool left) {
  g->down = down;
  g->left = left;
  g->i = down ? g->way.last_i : g->way.first_i;
  g->left_of_row = 0;
  g->each = 2u;
}

// Impacts go from `stored` on into `impacts`, which has room for all.
__attribute__((vec_type_hint(float4))) __kernel void queries_sweep_terrain(
    const uint count, __global const uint* near, __global const BodyRecord* slots, __global const PoseRecord* poses,
    __global const MotionRecord* motion, __global const TerrainRecord* terrains, __global const float* heights,
    __global const float* heights_low, __global const uchar* open, __global const uchar* material,
    __global const uint* hulls, __global uint* stored, __global ImpactRecord* impacts) {
  IN_SEARCH_MEMORY(Standing, stand);
  IN_SEARCH_MEMORY(GroundPrism, prism);
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  if (FETCHES_EARLY && item + 2u * SLOTS_AHEAD < count) {
    FETCH_EARLY(slots + near[item + 2u * SLOTS_AHEAD]);
    fetch_slot(slots + near[item + SLOTS_AHEAD], poses, motion);
  }
  __global const BodyRecord* slot = slots + near[item];
  __global const TerrainRecord* t = terrains + slot->terrain;
  GroundSearch g;
  set_slot_mover(&g.mover, slot, poses + slot->body, motion + slot->body, t);
  stand_at_begin(&g.mover, hulls, &stand->a);
  way_over_ground(&g.mover, &stand->a, t, &g.way);
  const bool starts_over_ground = begins_over_ground(&g.way, t, open);
  g.best.time = g.limit = two_float(2.0f, 0.0f);
  uint element = 0xFFFFFFFFu;
  // Cells come in the order in which the body comes to them, or in that of their numbers where that is much the same.
  // One that touches at the begin begins anew: of all that it touches then the first by number counts.
  begin_rows(&g, g.way.step_v < -1.0f, g.way.step_u < -1.0f);
  ROLLED
  while (g.each < 2u || next_cell(&g, t, heights, open)) {
    const uint of_cell = g.left ? 1u - g.each : g.each;
    ++g.each;
    const float2 times = place_element(&g, t, heights, heights_low, of_cell, &stand->a, prism);
    if (times.x > times.y) continue;
    const uint touches =
        ground_touch(&g.mover, g.way.turning, prism, hulls, times, g.limit, starts_over_ground, stand, &g.best);
    if (touches == TOUCHES_UNKNOWN) {
      store_unknown(stored, impacts, slot->body, HIT_TERRAIN);
      return;
    }
    if (touches == TOUCHES) {
      g.limit = two_add(g.best.time, two_float(-same_time(&g.way), 0.0f));
      element = 2u * ((uint)g.row * (uint)(t->cols - 1) + (uint)g.column) + of_cell;
      if (g.best.time.hi == 0.0f) {
        if (!g.down && !g.left) break;
        begin_rows(&g, false, false);
        g.limit = two_float(0.0f, same_time(&g.way));
      }
    }
    if (angle_high(&g.mover) != 0.0f) stand_at_begin(&g.mover, hulls, &stand->a);
  }
  if (g.best.time.hi > 1.0f) return;
  const uint of_element = t->has_material ? (uint)material[t->material_offset + (ulong)(element / 2u)] : 0u;
  if (t->turned != 0u) {
    g.best.point = turned_back(g.best.point);
    g.best.normal = turned_back(g.best.normal);
  }
  store_touch(impacts + atomic_inc(stored), &g.best, slot->body, HIT_TERRAIN,
              element_of_scene(t->turned, t->rows, t->cols, element), of_element);
}
