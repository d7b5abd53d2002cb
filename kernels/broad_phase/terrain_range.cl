// Broad phase against terrain, first half (text 001, part III): for every body its bounding box, the range of lattice
// sites under it, the height bounds of that range, and from them the sites to look at.
//
// One work-item a body slot; up to the range of sites eight bodies at a time, by an eighth of the work-items. Writes
// places[slot] and counts[slot]: 0 where the body is above everything under it or beside the grid, 1 where the range is
// one horizontal plane (the plane shortcut), else the sites of the range that the part of the body can be over which is
// under a plane above all ground there. With OCLIDE_LOOK_AT_ALL that is all of them, and all of their features, so that
// tests can tell that nothing is passed over which counts.
// Reference: host/reference/broad_phase/terrain_range.cpp, without the pyramid.
#include "common/body8.clh"
#include "common/fetch_early.clh"
#include "common/two_float.clh"
#pragma OPENCL FP_CONTRACT OFF

// Ranges of up to this many cells a side are looked at directly, larger ones through the pyramid.
#define DIRECT_CELLS 6
// Slopes that sites_under_cover() tries.
#define COVER_STEEP 3.0f
#define COVER_LEVEL 1.0f

// Largest integers not above x; saturates beyond 2^31.
int8 floor_i8(float8 x) {
  const float8 most = (float8)(2147483000.0f);
  x = select(-most, x, x > -most);
  x = select(x, most, x > most);
  const int8 t = convert_int8(x);
  return t + (convert_float8(t) > x);
}

// Where coordinates p stand on an axis of the lattice: cell, and offset from that cell's first vertex.
void place_on_axis8(TwoFloat8 p, TwoFloat8 origin, TwoFloat8 spacing, int8* cell, float8* offset) {
  const TwoFloat8 d = two_sub8(p, origin);
  const float8 k = div8(d.hi, spacing.hi);
  // So far out that no grid reaches there; the offset no longer matters.
  const int8 near = abs8(k) < 1.0e9f;
  int8 c = floor_i8(select((float8)(0.0f), k, near));
  // In two parts that a float holds exactly; the upper one is nothing on most grids.
  const int8 upper = c / 4096 * 4096;
  TwoFloat8 at = two_scale8(convert_float8(c - upper), spacing);
  if (any8(upper != 0)) {
    const TwoFloat8 far = two_add8(two_scale8(convert_float8(upper), spacing), at);
    at.hi = select(at.hi, far.hi, upper != 0);
    at.lo = select(at.lo, far.lo, upper != 0);
  }
  const TwoFloat8 rest = two_sub8(d, at);
  float8 o = rest.hi + rest.lo;
  // The quotient was rounded: the offset may be a little below 0 or beyond the cell.
  for (int8 low = near & (o < 0.0f); any8(low); low = near & (o < 0.0f) & (c > -1000000000)) {
    o = select(o, o + spacing.hi, low);
    c += low;
  }
  for (int8 high = near & (o >= spacing.hi); any8(high); high = near & (o >= spacing.hi) & (c < 1000000000)) {
    o = select(o, o - spacing.hi, high);
    c -= high;
  }
  *cell = select(select((int8)(1000000000), (int8)(-1000000000), k < 0.0f), c, near);
  *offset = select((float8)(0.0f), o, near);
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
  float above;   // [m]
  float deep;    // how far the body reaches under it, along z [m]
  float2 steep;  // greatest slope of the range's elements along x and y
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
  float8 rise_x = (float8)(0.0f), rise_y = rise_x;
  const int8 of_cells = j0 + ramp8() <= j1;
  for (int i = i0; i <= i1 + 1; ++i) {
    const float8 row = rows[i - i0];
    const float8 to_right = abs8((float8)(row.s1234, row.s567, row.s7) - row);
    rise_x = select(rise_x, to_right, of_cells & (to_right > rise_x));
    if (i > i0) {
      const float8 from_below = abs8(row - rows[i - i0 - 1]);
      rise_y = select(rise_y, from_below, of_range & (from_below > rise_y));
    }
    const float8 z = (row - place->z_high) - place->z_low;
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
  const float room = (WIDE_MARGIN * margin + 1e-4f) + 1e-3f * body->radius_bound +
                     (shape == SHAPE_CAPSULE ? 1.02e-3f : 2e-5f) * size +
                     2.4e-7f * (abs_f(place->z_high) + max_f(abs_f(highest), abs_f(lowest)));
  const float4 above = (float4)(greatest_of(above0), greatest_of(above1), greatest_of(above2), greatest_of(above3)) +
                       room * ((as_float4(as_int4(mx) & 0x7FFFFFFF) + as_float4(as_int4(my) & 0x7FFFFFFF)) + 1.0f);
  const Vec8 m = {(float8)(mx, mx), (float8)(my, my), (float8)(1.0f)};
  const Body8 wide = two_bodies(body, body);
  const float4 deep = above + reach_along8(shape, &wide, m).lo;
  Cover cover;
  cover.m = (float3)(mx.x, my.x, 1.0f);
  cover.above = above.x;
  cover.deep = deep.x;
  cover.room = room;
  if (deep.y < cover.deep) {
    cover.m = (float3)(mx.y, my.y, 1.0f);
    cover.above = above.y;
    cover.deep = deep.y;
  }
  if (deep.z < cover.deep) {
    cover.m = (float3)(mx.z, my.z, 1.0f);
    cover.above = above.z;
    cover.deep = deep.z;
  }
  if (deep.w < cover.deep) {
    cover.m = (float3)(mx.w, my.w, 1.0f);
    cover.above = above.w;
    cover.deep = deep.w;
  }
  if (cover.deep >= 0.0f) {
    // Low parts of heights are left out of the rises.
    const float more = 2.4e-7f * (abs_f(lowest) + abs_f(highest));
    cover.steep = (float2)(div_rn(greatest_of(rise_x) + more, dx), div_rn(greatest_of(rise_y) + more, dy)) + 1e-3f;
  }
  return cover;
}

// Sites of the range that the part of the body under the plane is over, and the ground that its ways out end on: no
// point of the ground is nearer than the end of a way, so that it is no longer than the way straight up; and along an
// axis its direction is no steeper than the ground is. Of the range from *i0 to *i1 and *j0 to *j1 all other sites have
// nothing to do with the body.
//
// How far that part reaches in a direction d is at most how far the body reaches along d - l m, plus l `above`, for any
// l >= 0.
__attribute__((always_inline)) void sites_under_cover(const TerrainRecord* t, uint shape, const Body* body,
                                                      const PlaceRecord* place, const Cover* cover, float3 extents,
                                                      int* i0, int* i1, int* j0, int* j1) {
  const float8 l =
      (float8)(COVER_STEEP, COVER_STEEP, COVER_STEEP, COVER_STEEP, COVER_LEVEL, COVER_LEVEL, COVER_LEVEL, COVER_LEVEL);
  const Vec8 d = {(float8)(1.0f, -1.0f, 0.0f, 0.0f, 1.0f, -1.0f, 0.0f, 0.0f) - l * cover->m.x,
                  (float8)(0.0f, 0.0f, 1.0f, -1.0f, 0.0f, 0.0f, 1.0f, -1.0f) - l * cover->m.y, -l};
  const Body8 wide = two_bodies(body, body);
  const float8 reach = reach_along8(shape, &wide, d) + l * cover->above;
  const float4 extent = (float4)(extents.x, extents.x, extents.y, extents.y);
  float4 least = select(reach.lo, reach.hi, reach.hi < reach.lo);
  least = select(least, extent, extent < least) + cover->room +
          cover->deep * (float4)(min_f(cover->steep.x, 1.0f), min_f(cover->steep.x, 1.0f), min_f(cover->steep.y, 1.0f),
                                 min_f(cover->steep.y, 1.0f));
  const float dx = t->spacing_x_hi, dy = t->spacing_y_hi, u = place->offset_x, v = place->offset_y;
  *j0 = max(*j0, place->cell_j + floor_i(div_rn(u - least.y, dx)));
  *j1 = min(*j1, place->cell_j + floor_i(div_rn(u + least.x, dx)));
  *i0 = max(*i0, place->cell_i + floor_i(div_rn(v - least.w, dy)));
  *i1 = min(*i1, place->cell_i + floor_i(div_rn(v + least.z, dy)));
}

#define GROUP 64  // as kGroup in host/slice.hpp

// The bodies of a group side by side: what is given of them, and what place_bodies() finds.
typedef struct GroupBodies {
  uint shape[GROUP];
  float size[3][GROUP], orientation[4][GROUP];
  float position[4][GROUP];                   // x in two floats, y in two floats [m]
  float origin[4][GROUP], spacing[4][GROUP];  // of their terrains, likewise [m]
  float axes[9][GROUP], extents[3][GROUP], radius_bound[GROUP];
  float offset[2][GROUP];             // x, y
  int cell[2][GROUP];                 // j, i
  int low[2][GROUP], high[2][GROUP];  // range of sites: of j, of i
} GroupBodies;

// As common/body.clh has them of each body.
void axes_and_extents(__local GroupBodies* g, uint k, float8* ex, float8* ey, float8* ez) {
  const float8 w = vload8(k, g->orientation[0]), x = vload8(k, g->orientation[1]), y = vload8(k, g->orientation[2]),
               z = vload8(k, g->orientation[3]);
  Body8 b;
  b.size = (Vec8){vload8(k, g->size[0]), vload8(k, g->size[1]), vload8(k, g->size[2])};
  b.x = (Vec8){1.0f - 2.0f * (y * y + z * z), 2.0f * (x * y + w * z), 2.0f * (x * z - w * y)};
  b.y = (Vec8){2.0f * (x * y - w * z), 1.0f - 2.0f * (x * x + z * z), 2.0f * (y * z + w * x)};
  b.z = (Vec8){2.0f * (x * z + w * y), 2.0f * (y * z - w * x), 1.0f - 2.0f * (x * x + y * y)};
  const float8 sx = b.size.x, sy = b.size.y, sz = b.size.z;
  const uint8 shapes = vload8(k, g->shape);
  // Mostly all eight have the same shape.
  float8 radius = sx;
  *ex = *ey = *ez = sx;
  for (uint shape = SHAPE_SPHERE; shape <= SHAPE_CAPSULE; ++shape) {
    const int8 of_shape = shapes == shape;
    if (!any8(of_shape)) continue;
    float8 x_extent, y_extent, z_extent;
    body_extents8(shape, &b, &x_extent, &y_extent, &z_extent);
    *ex = select(*ex, x_extent, of_shape);
    *ey = select(*ey, y_extent, of_shape);
    *ez = select(*ez, z_extent, of_shape);
    radius = select(radius,
                    shape == SHAPE_SPHERE     ? sx
                    : shape == SHAPE_BOX      ? sqrt8((sx * sx + sy * sy) + sz * sz)
                    : shape == SHAPE_CYLINDER ? sqrt8(sx * sx + sy * sy)
                                              : sx + sy,
                    of_shape);
  }
  vstore8(b.x.x, k, g->axes[0]);
  vstore8(b.x.y, k, g->axes[1]);
  vstore8(b.x.z, k, g->axes[2]);
  vstore8(b.y.x, k, g->axes[3]);
  vstore8(b.y.y, k, g->axes[4]);
  vstore8(b.y.z, k, g->axes[5]);
  vstore8(b.z.x, k, g->axes[6]);
  vstore8(b.z.y, k, g->axes[7]);
  vstore8(b.z.z, k, g->axes[8]);
  vstore8(*ex, k, g->extents[0]);
  vstore8(*ey, k, g->extents[1]);
  vstore8(*ez, k, g->extents[2]);
  vstore8(radius, k, g->radius_bound);
}

// Eight bodies, from the 8 k-th on: axes, place on the lattice and range of sites.
void place_bodies(__local GroupBodies* g, uint k, float margin) {
  float8 extent[3];
  axes_and_extents(g, k, extent, extent + 1, extent + 2);
  for (uint a = 0u; a < 2u; ++a) {
    const TwoFloat8 p = {vload8(k, g->position[2u * a]), vload8(k, g->position[2u * a + 1u])};
    const TwoFloat8 origin = {vload8(k, g->origin[2u * a]), vload8(k, g->origin[2u * a + 1u])};
    const TwoFloat8 spacing = {vload8(k, g->spacing[2u * a]), vload8(k, g->spacing[2u * a + 1u])};
    int8 cell;
    float8 offset;
    place_on_axis8(p, origin, spacing, &cell, &offset);
    // Rounded down on the low side, up on the high side, with room for rounding.
    const float8 pad = margin + 1e-5f * (1.0f + extent[a]);
    vstore8(cell, k, g->cell[a]);
    vstore8(offset, k, g->offset[a]);
    vstore8(cell + floor_i8(div8(offset - extent[a] - pad, spacing.hi)), k, g->low[a]);
    vstore8(cell + floor_i8(div8(offset + extent[a] + pad, spacing.hi)), k, g->high[a]);
  }
}

__attribute__((reqd_work_group_size(GROUP, 1, 1))) __kernel void broad_phase_terrain_range(
    const uint count, __global const BodyRecord* bodies, __global const PoseRecord* poses,
    __global const TerrainRecord* terrains, __global const float* heights, __global const uchar* open,
    __global const float2* bounds, const float margin, __global PlaceRecord* places, __global uint* counts) {
  // What lies apart in memory first, for the whole group: one after another each would be waited for. Then eight bodies
  // at a time up to the range of sites, and each by itself over its ground.
  __local GroupBodies group;
  const uint slot = (uint)get_global_id(0), k = (uint)get_local_id(0);
  {
    // Behind the last body the last one again.
    __global const BodyRecord* record = bodies + min(slot, count - 1u);
    __global const PoseRecord* pose = poses + record->body;
    __global const TerrainRecord* t = terrains + record->terrain;
    group.shape[k] = record->shape;
    for (uint a = 0u; a < 3u; ++a) group.size[a][k] = record->size[a];
    for (uint a = 0u; a < 4u; ++a) group.orientation[a][k] = pose->orientation[a];
    for (uint a = 0u; a < 2u; ++a) {
      group.position[2u * a][k] = pose->position_high[a];
      group.position[2u * a + 1u][k] = pose->position_low[a];
    }
    group.origin[0][k] = t->origin_x_hi;
    group.origin[1][k] = t->origin_x_lo;
    group.origin[2][k] = t->origin_y_hi;
    group.origin[3][k] = t->origin_y_lo;
    group.spacing[0][k] = t->spacing_x_hi;
    group.spacing[1][k] = t->spacing_x_lo;
    group.spacing[2][k] = t->spacing_y_hi;
    group.spacing[3][k] = t->spacing_y_lo;
    // The next group's poses, which lie where their bodies are in the scene.
    __global const PoseRecord* later = poses + bodies[min(slot + GROUP, count - 1u)].body;
    FETCH_EARLY(later);
    FETCH_EARLY(later->orientation + 3);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (k < GROUP / 8u) place_bodies(&group, k, margin);
  barrier(CLK_LOCAL_MEM_FENCE);
#if FETCHES_EARLY
  {
    __global const TerrainRecord* t = terrains + bodies[min(slot, count - 1u)].terrain;
    const int j = min(max(group.low[0][k], 0), t->cols - 1);
    for (int i = max(group.low[1][k], 0); i <= min(min(group.high[1][k] + 1, group.low[1][k] + 4), t->rows - 1); ++i)
      FETCH_EARLY(heights + (t->vertex_offset + (ulong)i * (ulong)t->cols + (ulong)j));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  if (slot >= count) return;
  const BodyRecord record = bodies[slot];
  const TerrainRecord t = terrains[record.terrain];
  const float high2 = poses[record.body].position_high[2], low2 = poses[record.body].position_low[2];
  Body body;
  body.x = (float3)(group.axes[0][k], group.axes[1][k], group.axes[2][k]);
  body.y = (float3)(group.axes[3][k], group.axes[4][k], group.axes[5][k]);
  body.z = (float3)(group.axes[6][k], group.axes[7][k], group.axes[8][k]);
  body.size = (float3)(record.size[0], record.size[1], record.size[2]);
  body.radius_bound = group.radius_bound[k];
  const float3 extents = (float3)(group.extents[0][k], group.extents[1][k], group.extents[2][k]);

  PlaceRecord place;
  place.z_high = high2;
  place.z_low = low2;
  for (int a = 0; a < 4; ++a) place.orientation[a] = group.orientation[a][k];
  place.cell_j = group.cell[0][k];
  place.cell_i = group.cell[1][k];
  place.offset_x = group.offset[0][k];
  place.offset_y = group.offset[1][k];
  const int j_low = group.low[0][k], j_high = group.high[0][k], i_low = group.low[1][k], i_high = group.high[1][k];
  const float dx = t.spacing_x_hi, dy = t.spacing_y_hi;
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
        if (t.has_open && i <= min(i1, t.rows - 2))
          open8 |= open_in_row(open, &t, i, j0) & (column <= min(j1, t.cols - 2));
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
    const float above = (highest - high2) - low2;
    const float slack = 2.4e-7f * (abs_f(highest) + abs_f(high2));
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
#ifndef OCLIDE_LOOK_AT_ALL
        if (inside && direct && lowest > -MAXFLOAT) {
          const Cover cover =
              cover_of_range(&t, record.shape, &body, &place, i1, j1, lowest, highest, rows, heights, margin);
          if (cover.deep < 0.0f)
            a1 = a0 - 1;
          else
            sites_under_cover(&t, record.shape, &body, &place, &cover, extents, &a0, &a1, &b0, &b1);
        }
#endif
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
