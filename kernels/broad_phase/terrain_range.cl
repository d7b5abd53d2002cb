// Broad phase against terrain, first half (text 001, part III): for every body its bounding box, the range of lattice
// sites under it, the height bounds of that range, and from them the number of sites to look at.
//
// One work-item a body slot. Writes places[slot] and counts[slot]: 0 where the body is above everything under it or
// beside the grid, 1 where the range is one horizontal plane (the plane shortcut), else all sites of the range.
// Reference: host/reference/broad_phase/terrain_range.cpp, without the pyramid.
#include "common/body.clh"
#include "common/two_float.clh"
#pragma OPENCL FP_CONTRACT OFF

// Ranges of up to this many cells a side are looked at directly, larger ones through the pyramid.
#define DIRECT_CELLS 6

// Where coordinate p stands on an axis of the lattice: cell, and offset from that cell's first vertex.
void place_on_axis(TwoFloat p, TwoFloat origin, TwoFloat spacing, int* cell, float* offset) {
  const TwoFloat d = two_sub(p, origin);
  float k = div_rn(d.hi, spacing.hi);
  // So far out that no grid reaches there; the offset no longer matters.
  if (!(abs_f(k) < 1.0e9f)) {
    *cell = k < 0.0f ? -1000000000 : 1000000000;
    *offset = 0.0f;
    return;
  }
  int c = floor_i(k);
  // In two parts that a float holds exactly.
  const int upper = c / 4096 * 4096, lower = c - upper;
  const TwoFloat at = two_add(two_scale((float)upper, spacing), two_scale((float)lower, spacing));
  const TwoFloat rest = two_sub(d, at);
  float o = rest.hi + rest.lo;
  // The quotient was rounded: the offset may be a little below 0 or beyond the cell.
  while (o < 0.0f && c > -1000000000) {
    o += spacing.hi;
    --c;
  }
  while (o >= spacing.hi && c < 1000000000) {
    o -= spacing.hi;
    ++c;
  }
  *cell = c;
  *offset = o;
}

__kernel void broad_phase_terrain_range(const uint count, __global const BodyRecord* bodies,
                                        __global const float* positions_high, __global const float* positions_low,
                                        __global const float* orientations, __global const TerrainRecord* terrains,
                                        __global const float* heights, __global const uchar* open,
                                        __global const float2* bounds, const float margin, __global PlaceRecord* places,
                                        __global uint* counts) {
  const uint slot = (uint)get_global_id(0);
  if (slot >= count) return;
  const BodyRecord record = bodies[slot];
  const TerrainRecord t = terrains[record.terrain];
  __global const float* high = positions_high + 3u * record.body;
  __global const float* low = positions_low + 3u * record.body;
  __global const float* q = orientations + 4u * record.body;
  const Body body =
      body_at(record.shape, (float3)(record.size[0], record.size[1], record.size[2]), q[0], q[1], q[2], q[3]);
  const float3 extents = body_extents(record.shape, &body);

  PlaceRecord place;
  place_on_axis(two_float(high[0], low[0]), two_float(t.origin_x_hi, t.origin_x_lo),
                two_float(t.spacing_x_hi, t.spacing_x_lo), &place.cell_j, &place.offset_x);
  place_on_axis(two_float(high[1], low[1]), two_float(t.origin_y_hi, t.origin_y_lo),
                two_float(t.spacing_y_hi, t.spacing_y_lo), &place.cell_i, &place.offset_y);

  // Index range: rounded down on the low side, up on the high side, with room for rounding.
  const float pad_x = margin + 1e-5f * (1.0f + extents.x), pad_y = margin + 1e-5f * (1.0f + extents.y);
  const float dx = t.spacing_x_hi, dy = t.spacing_y_hi;
  const int j_low = place.cell_j + floor_i(div_rn(place.offset_x - extents.x - pad_x, dx));
  const int j_high = place.cell_j + floor_i(div_rn(place.offset_x + extents.x + pad_x, dx));
  const int i_low = place.cell_i + floor_i(div_rn(place.offset_y - extents.y - pad_y, dy));
  const int i_high = place.cell_i + floor_i(div_rn(place.offset_y + extents.y + pad_y, dy));
  const int j0 = max(j_low, 0), j1 = min(j_high, t.cols - 1);
  const int i0 = max(i_low, 0), i1 = min(i_high, t.rows - 1);
  place.first_i = i0;
  place.first_j = j0;
  place.count_i = place.count_j = 0u;
  place.lowest = -(extents.z + margin) - 1e-5f * (1.0f + extents.z);
  place.flat = 0u;
  uint sites = 0u;
  if (j0 <= j1 && i0 <= i1) {
    float lowest = MAXFLOAT, highest = -MAXFLOAT;
    if (i1 - i0 < DIRECT_CELLS && j1 - j0 < DIRECT_CELLS) {
      for (int i = i0; i <= min(i1 + 1, t.rows - 1); ++i)
        for (int j = j0; j <= min(j1 + 1, t.cols - 1); ++j) {
          const float h = heights[t.vertex_offset + ((ulong)i * (ulong)t.cols + (ulong)j)];
          lowest = h < lowest ? h : lowest;
          highest = h > highest ? h : highest;
          if (i <= i1 && j <= j1 && i < t.rows - 1 && j < t.cols - 1 &&
              open[t.cell_offset + ((ulong)i * (ulong)(t.cols - 1) + (ulong)j)])
            lowest = -MAXFLOAT;
        }
    } else {
      // The finest level whose blocks cover the range with a few of them.
      const int ci0 = min(i0, t.rows - 2), ci1 = min(i1, t.rows - 2);
      const int cj0 = min(j0, t.cols - 2), cj1 = min(j1, t.cols - 2);
      int shift = BOUNDS_SHIFT;
      ulong offset = t.bounds_offset;
      int level_rows = ((t.rows - 2) >> shift) + 1, level_cols = ((t.cols - 2) >> shift) + 1;
      while (((ci1 >> shift) - (ci0 >> shift) >= DIRECT_CELLS || (cj1 >> shift) - (cj0 >> shift) >= DIRECT_CELLS)) {
        offset += (ulong)level_rows * (ulong)level_cols;
        shift += BOUNDS_SHIFT;
        level_rows = ((t.rows - 2) >> shift) + 1;
        level_cols = ((t.cols - 2) >> shift) + 1;
      }
      for (int bi = ci0 >> shift; bi <= ci1 >> shift; ++bi)
        for (int bj = cj0 >> shift; bj <= cj1 >> shift; ++bj) {
          const float2 b = bounds[offset + ((ulong)bi * (ulong)level_cols + (ulong)bj)];
          lowest = b.x < lowest ? b.x : lowest;
          highest = b.y > highest ? b.y : highest;
        }
      // Vertices on the rim of the range that no block of it holds.
      if (i0 > ci0 || j0 > cj0) lowest = -MAXFLOAT;
    }
    // The highest ground against the lowest point of the body; rounding of the difference goes to the safe side.
    const float above = (highest - high[2]) - low[2];
    const float slack = 2.4e-7f * (abs_f(highest) + abs_f(high[2]));
    if (highest > -MAXFLOAT && above + slack >= place.lowest) {
      const bool inside = j_low >= 0 && i_low >= 0 && j_high < t.cols - 1 && i_high < t.rows - 1;
      // How far the body is from the ground beyond the range: what is no deeper has its nearest ground within it.
      const float room_x = min_f((place.offset_x - extents.x) - (float)(j0 - place.cell_j) * dx,
                                 (float)(j1 + 1 - place.cell_j) * dx - (place.offset_x + extents.x));
      const float room_y = min_f((place.offset_y - extents.y) - (float)(i0 - place.cell_i) * dy,
                                 (float)(i1 + 1 - place.cell_i) * dy - (place.offset_y + extents.y));
      const bool shallow = above + extents.z + slack <= min_f(room_x, room_y);
      if (inside && shallow && lowest == highest && !t.has_low) {
        place.flat = 1u;
        place.count_i = place.count_j = 1u;
        sites = 1u;
      } else {
        place.count_i = (uint)(i1 - i0 + 1);
        place.count_j = (uint)(j1 - j0 + 1);
        sites = place.count_i * place.count_j;
      }
    }
  }
  places[slot] = place;
  counts[slot] = sites;
}
