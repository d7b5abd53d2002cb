// Broad phase against terrain, first half (text 001, part III): for every body its bounding box, the range of lattice
// sites under it, the height bounds of that range, and from them the number of sites to look at.
//
// One work-item a body slot. Writes places[slot] and counts[slot]: 0 where the body is above everything under it or
// beside the grid, 1 where the range is one horizontal plane (the plane shortcut), else all sites of the range.
// Reference: host/reference/broad_phase/terrain_range.cpp, without the pyramid.
#include "common/body8.clh"
#include "common/two_float.clh"
#pragma OPENCL FP_CONTRACT OFF

// Ranges of up to this many cells a side are looked at directly, larger ones through the pyramid.
#define DIRECT_CELLS 6
// Slopes that sites_under_cover() tries.
#define COVER_STEEP 3.0f
#define COVER_LEVEL 1.0f

// Where coordinate p stands on an axis of the lattice: cell, and offset from that cell's first vertex.
__attribute__((always_inline)) void place_on_axis(TwoFloat p, TwoFloat origin, TwoFloat spacing, int* cell,
                                                  float* offset) {
  const TwoFloat d = two_sub(p, origin);
  float k = div_rn(d.hi, spacing.hi);
  // So far out that no grid reaches there; the offset no longer matters.
  if (!(abs_f(k) < 1.0e9f)) {
    *cell = k < 0.0f ? -1000000000 : 1000000000;
    *offset = 0.0f;
    return;
  }
  int c = floor_i(k);
  // In two parts that a float holds exactly; the upper one is nothing on most grids.
  const int upper = c / 4096 * 4096, lower = c - upper;
  TwoFloat at = two_scale((float)lower, spacing);
  if (upper != 0) at = two_add(two_scale((float)upper, spacing), at);
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

int8 ramp8(void) {
  return (int8)(0, 1, 2, 3, 4, 5, 6, 7);
}

// Eight vertices of row i from column j on; those beyond the grid are the row's last.
float8 heights_in_row(__global const float* heights, const TerrainRecord* t, int i, int j) {
  __global const float* row = heights + (t->vertex_offset + (ulong)i * (ulong)t->cols);
  if (j + 8 <= t->cols) return vload8(0, row + j);
  const int k = t->cols - 1;
  return (float8)(row[min(j, k)], row[min(j + 1, k)], row[min(j + 2, k)], row[min(j + 3, k)], row[min(j + 4, k)],
                  row[min(j + 5, k)], row[min(j + 6, k)], row[min(j + 7, k)]);
}

// Which of the eight cells of row i from column j on are open; those beyond the grid are the row's last.
int8 open_in_row(__global const uchar* open, const TerrainRecord* t, int i, int j) {
  __global const uchar* row = open + (t->cell_offset + (ulong)i * (ulong)(t->cols - 1));
  const int k = t->cols - 2;
  const uchar8 flags = j < k - 6
                           ? vload8(0, row + j)
                           : (uchar8)(row[min(j, k)], row[min(j + 1, k)], row[min(j + 2, k)], row[min(j + 3, k)],
                                      row[min(j + 4, k)], row[min(j + 5, k)], row[min(j + 6, k)], row[min(j + 7, k)]);
  return convert_int8(flags) != 0;
}

// A plane that all vertices of a body's range lie below, m . v < above with m.z = 1, with room for margin and slack.
typedef struct Cover {
  float3 m;
  float above;  // [m]
  float deep;   // how far the body reaches under it, along z [m]
  float room;
} Cover;

// The least deep of four planes: that of the range as a whole, of the centre's cell, and of its elements. A body above
// it has no contact: its points are above the ground, by more than margin and all slacks. The range is inside the grid,
// up to DIRECT_CELLS a side, without open cells; `rows` are its heights.
__attribute__((always_inline)) Cover cover_of_range(const TerrainRecord* t, uint shape, const Body* body,
                                                    const PlaceRecord* place, int i1, int j1, float lowest,
                                                    float highest, const float8* rows, __global const float* heights,
                                                    float margin) {
  const int i0 = place->first_i, j0 = place->first_j;
  const float dx = t->spacing_x_hi, dy = t->spacing_y_hi;
  __global const float* at = heights + t->vertex_offset;
  const ulong cols = (ulong)t->cols;
  const float r00 = at[(ulong)i0 * cols + (ulong)j0], r01 = at[(ulong)i0 * cols + (ulong)(j1 + 1)];
  const float r10 = at[(ulong)(i1 + 1) * cols + (ulong)j0], r11 = at[(ulong)(i1 + 1) * cols + (ulong)(j1 + 1)];
  const ulong cell = (ulong)place->cell_i * cols + (ulong)place->cell_j;
  const float c00 = at[cell], c01 = at[cell + 1u], c10 = at[cell + cols], c11 = at[cell + cols + 1u];
  const float width = (float)(j1 + 1 - j0) * dx, height = (float)(i1 + 1 - i0) * dy;
  const float4 mx = -(float4)((r01 - r00) + (r11 - r10), (c01 - c00) + (c11 - c10), c01 - c00, c11 - c10) *
                    (float4)(div_rn(0.5f, width), div_rn(0.5f, dx), div_rn(1.0f, dx), div_rn(1.0f, dx));
  const float4 my = -(float4)((r10 - r00) + (r11 - r01), (c10 - c00) + (c11 - c01), c10 - c00, c11 - c01) *
                    (float4)(div_rn(0.5f, height), div_rn(0.5f, dy), div_rn(1.0f, dy), div_rn(1.0f, dy));
  const float x0 = (float)(j0 - place->cell_j) * dx - place->offset_x;
  const float y0 = (float)(i0 - place->cell_i) * dy - place->offset_y;
  const float8 x = x0 + convert_float8(ramp8()) * dx;
  const int8 of_range = j0 + ramp8() <= j1 + 1;
  float8 above0 = (float8)(-MAXFLOAT), above1 = above0, above2 = above0, above3 = above0;
  for (int i = i0; i <= i1 + 1; ++i) {
    const float8 z = (rows[i - i0] - place->z_high) - place->z_low;
    const float y = y0 + (float)(i - i0) * dy;
    const float8 v0 = (mx.x * x + my.x * y) + z, v1 = (mx.y * x + my.y * y) + z;
    const float8 v2 = (mx.z * x + my.z * y) + z, v3 = (mx.w * x + my.w * y) + z;
    above0 = select(above0, v0, of_range & (v0 > above0));
    above1 = select(above1, v1, of_range & (v1 > above1));
    above2 = select(above2, v2, of_range & (v2 > above2));
    above3 = select(above3, v3, of_range & (v3 > above3));
  }
  const float up =
      max_f(abs_f((highest - place->z_high) - place->z_low), abs_f((lowest - place->z_high) - place->z_low));
  const float across = max_f(abs_f(x0), abs_f(x0 + width)) + max_f(abs_f(y0), abs_f(y0 + height));
  const float size = ((across + (dx + dy)) + 4.0f * (up + abs_f(place->z_high) * 1e-7f)) + body->radius_bound;
  const float room = (margin + 1e-4f) + 1e-3f * body->radius_bound +
                     (shape == SHAPE_CAPSULE ? 1.02e-3f : 2e-5f) * size +
                     2.4e-7f * (abs_f(place->z_high) + max_f(abs_f(highest), abs_f(lowest)));
  const float4 above = (float4)(greatest_of(above0), greatest_of(above1), greatest_of(above2), greatest_of(above3)) +
                       room * ((as_float4(as_int4(mx) & 0x7FFFFFFF) + as_float4(as_int4(my) & 0x7FFFFFFF)) + 1.0f);
  const Vec8 m = {(float8)(mx, mx), (float8)(my, my), (float8)(1.0f)};
  float8 along, round2;
  reach8(shape, body, m, &along, &round2);
  const float4 deep = above + (along + sqrt8(round2)).lo;
  Cover cover = {(float3)(mx.x, my.x, 1.0f), above.x, deep.x, room};
  if (deep.y < cover.deep) cover = (Cover){(float3)(mx.y, my.y, 1.0f), above.y, deep.y, room};
  if (deep.z < cover.deep) cover = (Cover){(float3)(mx.z, my.z, 1.0f), above.z, deep.z, room};
  if (deep.w < cover.deep) cover = (Cover){(float3)(mx.w, my.w, 1.0f), above.w, deep.w, room};
  return cover;
}

// Sites of the range that the part of the body under the plane is over, and the ground that its ways out end on: these
// go aside no farther than they go up, for no point of the ground is nearer than the end of a way. Of the range from
// *i0 to *i1 and *j0 to *j1 all others have nothing to do with the body.
//
// How far that part reaches in a direction d is at most how far the body reaches along d - l m, plus l `above`, for any
// l >= 0.
__attribute__((always_inline)) void sites_under_cover(const TerrainRecord* t, uint shape, const Body* body,
                                                      const PlaceRecord* place, const Cover* cover, float3 extents,
                                                      int* i0, int* i1, int* j0, int* j1) {
  const float8 l = (float8)(COVER_STEEP, COVER_STEEP, COVER_STEEP, COVER_STEEP, COVER_LEVEL, COVER_LEVEL, COVER_LEVEL,
                            COVER_LEVEL);
  const Vec8 d = {(float8)(1.0f, -1.0f, 0.0f, 0.0f, 1.0f, -1.0f, 0.0f, 0.0f) - l * cover->m.x,
                  (float8)(0.0f, 0.0f, 1.0f, -1.0f, 0.0f, 0.0f, 1.0f, -1.0f) - l * cover->m.y, -l};
  float8 along, round2;
  reach8(shape, body, d, &along, &round2);
  const float8 reach = (along + sqrt8(round2)) + l * cover->above;
  const float4 extent = (float4)(extents.x, extents.x, extents.y, extents.y);
  float4 least = select(reach.lo, reach.hi, reach.hi < reach.lo);
  least = select(least, extent, extent < least) + (cover->deep + cover->room);
  const float dx = t->spacing_x_hi, dy = t->spacing_y_hi, u = place->offset_x, v = place->offset_y;
  *j0 = max(*j0, place->cell_j + floor_i(div_rn(u - least.y, dx)));
  *j1 = min(*j1, place->cell_j + floor_i(div_rn(u + least.x, dx)));
  *i0 = max(*i0, place->cell_i + floor_i(div_rn(v - least.w, dy)));
  *i1 = min(*i1, place->cell_i + floor_i(div_rn(v + least.z, dy)));
}

#define GROUP 64  // as kGroup in host/slice.hpp

__attribute__((reqd_work_group_size(GROUP, 1, 1))) __kernel void broad_phase_terrain_range(
    const uint count, __global const BodyRecord* bodies, __global const PoseRecord* poses,
    __global const TerrainRecord* terrains, __global const float* heights, __global const uchar* open,
    __global const float2* bounds, const float margin, __global PlaceRecord* places, __global uint* counts) {
  // The poses of the whole group first: they lie where their bodies are in the scene, so that most are far away, and
  // one after another each would be waited for.
  __local PoseRecord poses_of_group[GROUP];
  const uint slot = (uint)get_global_id(0);
  __local PoseRecord* pose = poses_of_group + (uint)get_local_id(0);
  if (slot < count) *pose = poses[bodies[slot].body];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (slot >= count) return;
  __local const float *high = pose->position_high, *low = pose->position_low, *q = pose->orientation;
  const BodyRecord record = bodies[slot];
  const TerrainRecord t = terrains[record.terrain];
  const Body body =
      body_at(record.shape, (float3)(record.size[0], record.size[1], record.size[2]), q[0], q[1], q[2], q[3]);
  const float3 extents = body_extents(record.shape, &body);

  PlaceRecord place;
  place.z_high = high[2];
  place.z_low = low[2];
  for (int a = 0; a < 4; ++a) place.orientation[a] = q[a];
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
  place.beyond = place.flat = 0u;
  uint sites = 0u;
  if (j0 <= j1 && i0 <= i1) {
    float lowest = MAXFLOAT, highest = -MAXFLOAT;
    const bool direct = i1 - i0 < DIRECT_CELLS && j1 - j0 < DIRECT_CELLS;
    float8 rows[DIRECT_CELLS + 1];
    if (direct) {
      const int8 column = j0 + ramp8();
      float8 low8 = (float8)(MAXFLOAT), high8 = (float8)(-MAXFLOAT);
      int8 open8 = (int8)(0);
      for (int i = i0; i <= min(i1 + 1, t.rows - 1); ++i) {
        // A height without data is not a number, and neither the lowest nor the highest.
        const float8 h = heights_in_row(heights, &t, i, j0);
        rows[i - i0] = h;
        const int8 of_range = column <= min(j1 + 1, t.cols - 1);
        low8 = select(low8, h, of_range & (h < low8));
        high8 = select(high8, h, of_range & (h > high8));
        if (i <= min(i1, t.rows - 2)) open8 |= open_in_row(open, &t, i, j0) & (column <= min(j1, t.cols - 2));
      }
      lowest = any8(open8) ? -MAXFLOAT : -greatest_of(-low8);
      highest = greatest_of(high8);
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
        int a0 = i0, a1 = i1, b0 = j0, b1 = j1;
        if (inside && direct && lowest > -MAXFLOAT) {
          const Cover cover =
              cover_of_range(&t, record.shape, &body, &place, i1, j1, lowest, highest, rows, heights, margin);
          if (cover.deep < 0.0f)
            a1 = a0 - 1;
          else
            sites_under_cover(&t, record.shape, &body, &place, &cover, extents, &a0, &a1, &b0, &b1);
        }
        if (a0 <= a1 && b0 <= b1) {
          place.first_i = a0;
          place.first_j = b0;
          place.count_i = (uint)(a1 - a0 + 1);
          place.count_j = (uint)(b1 - b0 + 1);
          place.beyond = (uint)(a0 - i0) | (uint)(i1 - a1) << 8 | (uint)(b0 - j0) << 16 | (uint)(j1 - b1) << 24;
          sites = place.count_i * place.count_j;
        }
      }
    }
  }
  places[slot] = place;
  counts[slot] = sites;
}
