// Moving bodies over terrain: when each first touches the ground, and where (docs/motion.md). A work-item a body that
// can meet terrain: over the cells that it may come to, row by row, those triangles with all below them. Host:
// host/queries/motion_sweep.cpp.
#include "motion/touch_record.clh"
#include "terrain/terrain_grid.clh"
#pragma OPENCL FP_CONTRACT OFF

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

__kernel void queries_sweep_terrain(const uint count, __global const BodyRecord* slots,
                                    __global const PoseRecord* poses, __global const MotionRecord* motion,
                                    __global const TerrainRecord* terrains, __global const float* heights,
                                    __global const float* heights_low, __global const uchar* open,
                                    __global const uchar* material, __global const uint* hulls,
                                    __global ImpactRecord* impacts) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  __global const BodyRecord* slot = slots + item;
  __global const PoseRecord* pose = poses + slot->body;
  Moving m;
  m.shape = slot->shape;
  m.size = (float3)(slot->size[0], slot->size[1], slot->size[2]);
  m.orientation = (float4)(pose->orientation[0], pose->orientation[1], pose->orientation[2], pose->orientation[3]);
  m.position = two_float3(pose->position_high, pose->position_low);
  set_motion(&m, motion + slot->body);
  const TerrainRecord t = terrains[slot->terrain];
  __global const float* high = heights + t.vertex_offset;
  __global const float* low = heights_low + t.low_offset;
  __global const uchar* flags = open + t.cell_offset;
  const int columns = t.cols - 1, rows = t.rows - 1;
  const float dx = t.spacing_x_hi, dy = t.spacing_y_hi;

  const Body body = body_at(m.shape, m.size, m.orientation.x, m.orientation.y, m.orientation.z, m.orientation.w, hulls);
  BodyBox box = body_box(m.shape, &body);
  if (turns(&m)) {
    const float reach = moving_reach(&m, body.radius_bound);
    box.high = (float3)(reach, reach, reach);
    box.low = -box.high;
  }
  // In cells, from the one that the body begins over; heights from the body's at the begin.
  const TwoFloat u =
      two_times(two_sub(m.position.x, two_float(t.origin_x_hi, t.origin_x_lo)), two_float(t.cells_x_hi, t.cells_x_lo));
  const TwoFloat v =
      two_times(two_sub(m.position.y, two_float(t.origin_y_hi, t.origin_y_lo)), two_float(t.cells_y_hi, t.cells_y_lo));
  const int j0 = floor_i(u.hi), i0 = floor_i(v.hi);
  const float3 step = high_of(m.displacement);
  const float begin_u = (u.hi - (float)j0) + u.lo, begin_v = (v.hi - (float)i0) + v.lo;
  const float step_u = step.x * t.cells_x_hi, step_v = step.y * t.cells_y_hi;
  // The box need not be about the position: its greater half to both sides.
  const float room = 2e-4f + 2e-6f * ((abs_f(step.x) + abs_f(step.y)) + abs_f(step.z));
  const float reach_u = (max_f(box.high.x, -box.low.x) + room) * t.cells_x_hi * 1.00001f + 1e-5f;
  const float reach_v = (max_f(box.high.y, -box.low.y) + room) * t.cells_y_hi * 1.00001f + 1e-5f;
  const float below = box.low.z - room;

  const bool starts_over_ground = i0 >= 0 && j0 >= 0 && i0 < rows && j0 < columns &&
                                  !(t.has_open && (flags[(ulong)i0 * (ulong)columns + (ulong)j0] & CELL_OPEN) != 0);
  // Times at which it is so little farther on count as the same: the first element of those has it.
  const float same_time = div_rn(1e-5f, (length3(step) + turning_speed(&m, body.radius_bound)) + 1e-3f);
  Touch best;
  best.time = two_float(2.0f, 0.0f);
  uint element = 0xFFFFFFFFu, element_material = 0u;
  const int first_i = max(i0 + floor_i(min_f(begin_v, begin_v + step_v) - reach_v), 0);
  const int last_i = min(i0 + floor_i(max_f(begin_v, begin_v + step_v) + reach_v), rows - 1);
  for (int i = first_i; i <= last_i && best.time.hi > 0.0f; ++i) {
    const float2 in_row = times_over(begin_v, step_v, reach_v, (float)(i - i0), (float)(i - i0 + 1));
    if (in_row.x > in_row.y) continue;
    const float from = begin_u + step_u * in_row.x, to = begin_u + step_u * in_row.y;
    const int first_j = max(j0 + floor_i(min_f(from, to) - reach_u), 0);
    const int last_j = min(j0 + floor_i(max_f(from, to) + reach_u), columns - 1);
    for (int j = first_j; j <= last_j && best.time.hi > 0.0f; ++j) {
      if (t.has_open && (flags[(ulong)i * (ulong)columns + (ulong)j] & CELL_OPEN) != 0) continue;
      const ulong vertex = (ulong)i * (ulong)t.cols + (ulong)j;
      float h[4];
      for (uint k = 0u; k < 4u; ++k) {
        const ulong corner = vertex + (k & 1u) + (k >= 2u ? (ulong)t.cols : 0ul);
        h[k] = (high[corner] - m.position.z.hi) + ((t.has_low ? low[corner] : 0.0f) - m.position.z.lo);
      }
      const float top = max_f(max_f(h[0], h[1]), max_f(h[2], h[3]));
      const float2 in_column = times_over(begin_u, step_u, reach_u, (float)(j - j0), (float)(j - j0 + 1));
      const float enter = max_f(in_row.x, in_column.x), leave = min_f(in_row.y, in_column.y);
      if (enter > leave || enter > best.time.hi) continue;
      if (min_f(step.z * enter, step.z * leave) + below > top + 1e-6f * abs_f(top)) continue;
      ROLLED
      for (uint k = 0u; k < 2u; ++k) {
        // Its corners: V0, V1, V2 or V3, V2, V1.
        const ulong corner = k == 0u ? vertex : vertex + (ulong)t.cols + 1u;
        const float sign = k == 0u ? 1.0f : -1.0f, own = k == 0u ? h[0] : h[3];
        Moving prism;
        prism.shape = SOLID_PRISM;
        prism.size = (float3)(0.0f, 0.0f, 0.0f);
        prism.orientation = (float4)(1.0f, 0.0f, 0.0f, 0.0f);
        prism.position.x = two_add(two_float(t.origin_x_hi, t.origin_x_lo),
                                   two_scale((float)(k == 0u ? j : j + 1), two_float(t.spacing_x_hi, t.spacing_x_lo)));
        prism.position.y = two_add(two_float(t.origin_y_hi, t.origin_y_lo),
                                   two_scale((float)(k == 0u ? i : i + 1), two_float(t.spacing_y_hi, t.spacing_y_lo)));
        prism.position.z = two_float(high[corner], t.has_low ? low[corner] : 0.0f);
        prism.displacement.x = prism.displacement.y = prism.displacement.z = two_float(0.0f, 0.0f);
        prism.axis = prism.arm = (float3)(0.0f, 0.0f, 0.0f);
        prism.angle = two_float(0.0f, 0.0f);
        prism.first = (float3)(sign * dx, 0.0f, (k == 0u ? h[1] : h[2]) - own);
        prism.second = (float3)(0.0f, sign * dy, (k == 0u ? h[2] : h[1]) - own);
        // No part of it is above its plane.
        const float3 up = unit3((float3)(-prism.first.z * (sign * dy), -prism.second.z * (sign * dx), dx * dy));
        const float away = dot3((float3)((begin_u - (float)((k == 0u ? j : j + 1) - j0)) * dx,
                                         (begin_v - (float)((k == 0u ? i : i + 1) - i0)) * dy, -own),
                                up);
        const float reach = turns(&m) ? moving_reach(&m, body.radius_bound) : reach_along(m.shape, &body, -up);
        const float2 under = times_under(away - reach, dot3(step, up), 1e-4f + 2e-6f * (abs_f(away) + reach));
        const float2 times = (float2)(max_f(enter, under.x), min_f(leave, under.y));
        Touch touch;
        if (!first_touch(&m, &prism, hulls, times, best.time, &touch)) continue;
        if (!((touch.time.hi - best.time.hi) + (touch.time.lo - best.time.lo) < -same_time)) continue;
        best = touch;
        // The element's normal, where it parts the two: beside others in one plane the direction in which a corner of
        // the element alone is closest says nothing. Also of a body in the ground; but not in front of a wall.
        Placed placed;
        place_at(&m, best.time, hulls, &placed);
        const float above =
            dot3(placed.swing - way_between(&m, &prism, best.time), up) - reach_along(m.shape, &placed.body, -up);
        const bool is_in_ground = best.time.hi == 0.0f && above < -1e-4f && (best.overlaps || starts_over_ground);
        if (above > -1e-4f || is_in_ground) {
          best.normal = up;
          if (is_in_ground) set_overlap(&best, &m, hulls, up);
        }
        element = 2u * ((uint)i * (uint)columns + (uint)j) + k;
        element_material =
            t.has_material ? (uint)material[t.material_offset + ((ulong)i * (ulong)columns + (ulong)j)] : 0u;
      }
    }
  }
  if (best.time.hi <= 1.0f)
    store_touch(impacts + item, &best, slot->body, HIT_TERRAIN, element, element_material);
  else
    store_no_touch(impacts + item);
}
