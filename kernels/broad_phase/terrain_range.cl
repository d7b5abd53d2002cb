// Broad phase against terrain, first half (text 001, part III): for every body its bounding box, the range of lattice
// sites under it, the height bounds of that range, and from them the sites to look at.
//
// A work-item has a body on a GPU, elsewhere two times eight side by side. Writes counts[slot], and grid_poses[slot]
// where that is not 0: 0 where the body is above everything under it or beside the grid, 1 where the range is one
// horizontal plane (the plane shortcut), else the sites of the range that the part of the body can be over which is
// under a plane above all ground there. With OCLIDE_LOOK_AT_ALL that is all of them, and all of their features, so that
// tests can tell that nothing is passed over which counts. Reference: host/reference/broad_phase/terrain_range.cpp,
// without the pyramid.
#include "launch/body_margin.clh"
#include "launch/fetch_early.clh"
#include "math/quarter_turn.clh"
#include "math/two_float_lanes.clh"
#include "shapes/body_lanes.clh"
#include "terrain/terrain_cover.clh"
#pragma OPENCL FP_CONTRACT OFF

// Where coordinates p stand on an axis of the lattice: cell, and offset from that cell's first vertex.
__attribute__((always_inline)) void cell_on_axis_w(TwoFloatW p, TwoFloatW origin, TwoFloatW spacing, IntW* cell,
                                                   FloatW* offset) {
  const TwoFloatW d = two_sub_w(p, origin);
  const FloatW k = div_w(d.hi, spacing.hi);
  // So far out that no grid reaches there; the offset no longer matters.
  const IntW near = abs_w(k) < 1.0e9f;
  IntW c = floor_i_w(select((FloatW)(0.0f), k, near));
  // In two parts that a float holds exactly; the upper one is nothing on most grids.
  const IntW upper = c / 4096 * 4096;
  TwoFloatW at = two_scale_w(convert_float_w(c - upper), spacing);
  if (any_w(upper != 0)) {
    const TwoFloatW far = two_add_w(two_scale_w(convert_float_w(upper), spacing), at);
    at.hi = select(at.hi, far.hi, upper != 0);
    at.lo = select(at.lo, far.lo, upper != 0);
  }
  const TwoFloatW rest = two_sub_w(d, at);
  FloatW o = rest.hi + rest.lo;
  // The quotient was rounded: the offset may be a little below 0 or beyond the cell.
  for (IntW low = near & (o < 0.0f); any_w(low); low = near & (o < 0.0f) & (c > -1000000000)) {
    o = select(o, o + spacing.hi, low);
    c = select(c, c - 1, low);
  }
  for (IntW high = near & (o >= spacing.hi); any_w(high); high = near & (o >= spacing.hi) & (c < 1000000000)) {
    o = select(o, o - spacing.hi, high);
    c = select(c, c + 1, high);
  }
  *cell = select(select((IntW)(1000000000), (IntW)(-1000000000), k < 0.0f), c, near);
  *offset = select((FloatW)(0.0f), o, near);
}

// What came of a body's range.
#define RANGE_NOTHING 0  // all of the body is above the ground
#define RANGE_FLAT 1     // one horizontal plane
#define RANGE_SITES 2
#define RANGE_ALONE 3  // not found here: reaches over the rim of the grid, or is large

#define FETCH_AHEAD 64u  // slots whose poses are fetched early
#define BUNCHES (OCLIDE_LANES == 1 ? 1u : RANGE_BODIES / LANES)

// Bodies side by side.
typedef struct Bunch {
  BodyW body;
  UintW shape;
  FloatW orientation[4];
  VecW low, high;  // corners of their boxes, relative to their centres [m]
  uint terrain[LANES];
  IntW has_low, turned;                   // of their terrains
  RangesW range;                          // may reach beyond the grid
  IntW found;                             // RANGE_*
  FloatW margin;                          // [m]
  FloatW lowest;                          // z of the lowest point with margin and rounding [m]
  FloatW aside;                           // how far the body is from the ground beyond the range, seen from above [m]
  IntW first_i, last_i, first_j, last_j;  // sites of the range to look at
} Bunch;

// Bounding sphere and box of bodies whose shapes are not symmetric, one after another.
INLINED void boxes_of_others(Bunch* e, __global const uint* hulls) {
  uint shape[LANES];
  store_w(e->shape, shape);
  bool others = false;
  for (uint k = 0u; k < LANES; ++k) others |= !is_symmetric(shape[k]);
  if (!others) return;
  float numbers[7][LANES];
  store_w(e->body.radius_bound, numbers[0]);
  store_w(e->low.x, numbers[1]);
  store_w(e->low.y, numbers[2]);
  store_w(e->low.z, numbers[3]);
  store_w(e->high.x, numbers[4]);
  store_w(e->high.y, numbers[5]);
  store_w(e->high.z, numbers[6]);
  const VecW size = e->body.size;
  for (uint k = 0u; k < LANES; ++k) {
    if (is_symmetric(shape[k])) continue;
    const Body body = body_at(shape[k], (float3)(lane_of_w(size.x, k), lane_of_w(size.y, k), lane_of_w(size.z, k)),
                              lane_of_w(e->orientation[0], k), lane_of_w(e->orientation[1], k),
                              lane_of_w(e->orientation[2], k), lane_of_w(e->orientation[3], k), hulls);
    const BodyBox box = body_box(shape[k], &body);
    numbers[0][k] = body.radius_bound;
    numbers[1][k] = box.low.x;
    numbers[2][k] = box.low.y;
    numbers[3][k] = box.low.z;
    numbers[4][k] = box.high.x;
    numbers[5][k] = box.high.y;
    numbers[6][k] = box.high.z;
  }
  e->body.radius_bound = load_w(numbers[0]);
  e->low = (VecW){load_w(numbers[1]), load_w(numbers[2]), load_w(numbers[3])};
  e->high = (VecW){load_w(numbers[4]), load_w(numbers[5]), load_w(numbers[6])};
}

// As shapes/body.clh has them of each body: axes, bounding sphere and box.
__attribute__((always_inline)) void axes_and_boxes(Bunch* e, __global const uint* hulls) {
  const FloatW w = e->orientation[0], x = e->orientation[1], y = e->orientation[2], z = e->orientation[3];
  BodyW* b = &e->body;
  b->x = (VecW){1.0f - 2.0f * (y * y + z * z), 2.0f * (x * y + w * z), 2.0f * (x * z - w * y)};
  b->y = (VecW){2.0f * (x * y - w * z), 1.0f - 2.0f * (x * x + z * z), 2.0f * (y * z + w * x)};
  b->z = (VecW){2.0f * (x * z + w * y), 2.0f * (y * z - w * x), 1.0f - 2.0f * (x * x + y * y)};
  // Mostly all eight have the same shape.
  b->radius_bound = e->high.x = e->high.y = e->high.z = b->size.x;
  for (uint k = 0u; k < SYMMETRIC_COUNT; ++k) {
    const uint shape = symmetric_shapes[k];
    const IntW of_shape = e->shape == shape;
    if (!any_w(of_shape)) continue;
    VecW extents;
    body_extents_w(shape, b, &extents);
    e->high.x = select(e->high.x, extents.x, of_shape);
    e->high.y = select(e->high.y, extents.y, of_shape);
    e->high.z = select(e->high.z, extents.z, of_shape);
    b->radius_bound = select(b->radius_bound, bounding_radius_w(shape, b->size), of_shape);
  }
  e->low = (VecW){-e->high.x, -e->high.y, -e->high.z};
  if (!ALL_ARE_SYMMETRIC) boxes_of_others(e, hulls);
}

// Sites that the interval from offset + low to offset + high of an axis is over, in a cell and beyond it.
__attribute__((always_inline)) void sites_on_axis(IntW cell, FloatW offset, FloatW low, FloatW high, FloatW spacing,
                                                  FloatW margin, IntW* first, IntW* last) {
  // Rounded down on the low side, up on the high side, with room for rounding.
  const FloatW below = margin + 1e-5f * (1.0f + abs_w(low)), above = margin + 1e-5f * (1.0f + abs_w(high));
  *first = add_sat(cell, floor_i_w(div_w(offset + low - below, spacing)));
  *last = add_sat(cell, floor_i_w(div_w(offset + high + above, spacing)));
}

// Turns the poses of some by a quarter: x and y of their positions and orientations.
INLINED void turn_poses(IntW turned, TwoFloatW* x, TwoFloatW* y, FloatW* q) {
  if (!any_w(turned)) return;
  const TwoFloatW along_x = *x, along_y = *y;
  x->hi = select(along_x.hi, along_y.hi, turned);
  x->lo = select(along_x.lo, along_y.lo, turned);
  y->hi = select(along_y.hi, -along_x.hi, turned);
  y->lo = select(along_y.lo, -along_x.lo, turned);
  const FloatW a = q[0], b = q[1], c = q[2], d = q[3];
  q[0] = select(a, (a + d) * SQRT_HALF, turned);
  q[1] = select(b, (b + c) * SQRT_HALF, turned);
  q[2] = select(c, (c - b) * SQRT_HALF, turned);
  q[3] = select(d, (d - a) * SQRT_HALF, turned);
}

// The bodies of slots [first, first + LANES), or the last one again behind it: all up to their ranges of sites.
INLINED void find_grid_poses(uint first, uint count, __global const BodyRecord* bodies,
                             __global const PoseRecord* poses, __global const TerrainRecord* terrains,
                             __global const uint* hulls, float margin, __global const float* margins, Bunch* e) {
  float size[3][LANES], own[LANES];
  uint shape[LANES];
  int8 rows_of_poses[LANES];
  IntW pose[8];
  float orientation[2][LANES];
// Without a loop the lanes are put together in registers, not by way of memory.
#pragma unroll
  for (uint lane = 0u; lane < LANES; ++lane) {
    __global const BodyRecord* record = bodies + min(first + lane, count - 1u);
    __global const PoseRecord* from = poses + record->body;
    rows_of_poses[lane] =
        as_int8(vload8(0, from->position_high));  // and position_low, and two numbers of the orientation
    orientation[0][lane] = from->orientation[2];
    orientation[1][lane] = from->orientation[3];
    shape[lane] = record->shape;
    own[lane] = own_margin(margins, record->body);
    e->terrain[lane] = record->terrain;
    size[0][lane] = record->size[0];
    size[1][lane] = record->size[1];
    size[2][lane] = record->size[2];
  }
  columns_of(rows_of_poses, pose);
  e->orientation[0] = as_float_w(pose[6]);
  e->orientation[1] = as_float_w(pose[7]);
  e->orientation[2] = load_w(orientation[0]);
  e->orientation[3] = load_w(orientation[1]);
  e->shape = load_w(shape);
  e->margin = margin + load_w(own);
  e->body.size = (VecW){load_w(size[0]), load_w(size[1]), load_w(size[2])};

  TwoFloatW origin_x, origin_y, spacing_x, spacing_y;
  IntW rows, cols;
  const UintW terrain = load_w(e->terrain);
  if (!any_w(terrain != e->terrain[0])) {
    __global const TerrainRecord* t = terrains + e->terrain[0];
    origin_x = (TwoFloatW){(FloatW)(t->origin_x_hi), (FloatW)(t->origin_x_lo)};
    origin_y = (TwoFloatW){(FloatW)(t->origin_y_hi), (FloatW)(t->origin_y_lo)};
    spacing_x = (TwoFloatW){(FloatW)(t->spacing_x_hi), (FloatW)(t->spacing_x_lo)};
    spacing_y = (TwoFloatW){(FloatW)(t->spacing_y_hi), (FloatW)(t->spacing_y_lo)};
    rows = (IntW)(t->rows);
    cols = (IntW)(t->cols);
    e->has_low = (IntW)(t->has_low != 0u ? -1 : 0);
    e->turned = (IntW)(t->turned != 0u ? -1 : 0);
  } else {
    float numbers[8][LANES];
    int of_rows[LANES], of_cols[LANES], has_low[LANES], turned[LANES];
#pragma unroll
    for (uint lane = 0u; lane < LANES; ++lane) {
      __global const TerrainRecord* t = terrains + e->terrain[lane];
      numbers[0][lane] = t->origin_x_hi;
      numbers[1][lane] = t->origin_x_lo;
      numbers[2][lane] = t->origin_y_hi;
      numbers[3][lane] = t->origin_y_lo;
      numbers[4][lane] = t->spacing_x_hi;
      numbers[5][lane] = t->spacing_x_lo;
      numbers[6][lane] = t->spacing_y_hi;
      numbers[7][lane] = t->spacing_y_lo;
      of_rows[lane] = t->rows;
      of_cols[lane] = t->cols;
      has_low[lane] = t->has_low != 0u ? -1 : 0;
      turned[lane] = t->turned != 0u ? -1 : 0;
    }
    origin_x = (TwoFloatW){load_w(numbers[0]), load_w(numbers[1])};
    origin_y = (TwoFloatW){load_w(numbers[2]), load_w(numbers[3])};
    spacing_x = (TwoFloatW){load_w(numbers[4]), load_w(numbers[5])};
    spacing_y = (TwoFloatW){load_w(numbers[6]), load_w(numbers[7])};
    rows = load_w(of_rows);
    cols = load_w(of_cols);
    e->has_low = load_w(has_low);
    e->turned = load_w(turned);
  }
  TwoFloatW position_x = {as_float_w(pose[0]), as_float_w(pose[3])},
            position_y = {as_float_w(pose[1]), as_float_w(pose[4])};
  turn_poses(e->turned, &position_x, &position_y, e->orientation);
  axes_and_boxes(e, hulls);
  RangesW* r = &e->range;
  r->dx = spacing_x.hi;
  r->dy = spacing_y.hi;
  r->z_high = as_float_w(pose[2]);
  r->z_low = as_float_w(pose[5]);
  cell_on_axis_w(position_x, origin_x, spacing_x, &r->cell_j, &r->offset_x);
  cell_on_axis_w(position_y, origin_y, spacing_y, &r->cell_i, &r->offset_y);
  sites_on_axis(r->cell_j, r->offset_x, e->low.x, e->high.x, r->dx, e->margin, &r->first_j, &r->last_j);
  sites_on_axis(r->cell_i, r->offset_y, e->low.y, e->high.y, r->dy, e->margin, &r->first_i, &r->last_i);
  const IntW inside = (r->first_j >= 0) & (r->first_i >= 0) & (r->last_j < cols - 1) & (r->last_i < rows - 1);
  const IntW here = inside & (r->last_j - r->first_j < DIRECT_CELLS) & (r->last_i - r->first_i < DIRECT_CELLS);
  e->found = select((IntW)(RANGE_ALONE), (IntW)(RANGE_NOTHING), here);
  e->lowest = (e->low.z - e->margin) - 1e-5f * (1.0f + abs_w(e->low.z));
  const FloatW room_x = min_w((r->offset_x + e->low.x) - convert_float_w(r->first_j - r->cell_j) * r->dx,
                              convert_float_w(r->last_j + 1 - r->cell_j) * r->dx - (r->offset_x + e->high.x));
  const FloatW room_y = min_w((r->offset_y + e->low.y) - convert_float_w(r->first_i - r->cell_i) * r->dy,
                              convert_float_w(r->last_i + 1 - r->cell_i) * r->dy - (r->offset_y + e->high.y));
  e->aside = min_w(room_x, room_y);
}

// Begins to load the ground under them.
void fetch_ground(const Bunch* e, __global const TerrainRecord* terrains, __global const float* hbunches) {
#if FETCHES_EARLY
  int first_i[LANES], last_i[LANES], first_j[LANES];
  const IntW here = e->found != RANGE_ALONE;
  store_w(select((IntW)(0), e->range.first_i, here), first_i);
  store_w(select((IntW)(0), e->range.first_j, here), first_j);
  store_w(select((IntW)(0), e->range.last_i, here), last_i);
  for (uint lane = 0u; lane < LANES; ++lane) {
    __global const TerrainRecord* t = terrains + e->terrain[lane];
    __global const float* row =
        hbunches + (t->vertex_offset + (ulong)first_i[lane] * (ulong)t->cols + (ulong)first_j[lane]);
    for (int i = first_i[lane]; i <= last_i[lane] + 1; ++i, row += t->cols) FETCH_EARLY(row);
  }
#endif
}

// What of their ranges is to be looked at, of those that can be told side by side.
__attribute__((always_inline)) void look_at_ground(Bunch* e, __global const TerrainRecord* terrains,
                                                   __global const float* hbunches, __global const uchar* open) {
  const IntW here = e->found != RANGE_ALONE;
  const RangesW* r = &e->range;
  e->first_i = r->first_i;
  e->last_i = r->last_i;
  e->first_j = r->first_j;
  e->last_j = r->last_j;
  if (!any_w(here)) return;
  GroundW ground;
  load_ground_w(r, here, e->terrain, terrains, hbunches, open, &ground);
  // A height without data is not a number, and neither the lowest nor the highest.
  FloatW lowest = (FloatW)(MAXFLOAT), highest = (FloatW)(-MAXFLOAT);
  for (int i = 0; i < ground.rows; ++i)
    for (int j = 0; j < ground.cols; ++j) {
      const FloatW h = height_in_range(&ground, i, j);
      lowest = min_w(h, lowest);
      highest = max_w(h, highest);
    }
  // The highest ground against the lowest point of the body; rounding of the difference goes to the safe side.
  const FloatW above = (highest - r->z_high) - r->z_low;
  const FloatW slack = 2.4e-7f * (abs_w(highest) + abs_w(r->z_high));
  const IntW reached = here & (highest > -MAXFLOAT) & (above + slack >= e->lowest);
  if (!any_w(reached)) return;
  e->found = select(e->found, (IntW)(RANGE_SITES), reached);
#ifndef OCLIDE_LOOK_AT_ALL
  for (uint k = 0u; k < SYMMETRIC_COUNT; ++k) {
    const uint shape = symmetric_shapes[k];
    const IntW of_shape = (e->shape == shape) & reached & !ground.open;
    if (!is_symmetric(shape) || !any_w(of_shape)) continue;
    CoversW cover;
    covers_of_ranges(shape, &e->body, r, &ground, lowest, highest, e->margin, &cover);
    IntW first_i, last_i, first_j, last_j;
    sites_under_covers(shape, &e->body, r, &cover, e->high.x, e->high.y, &first_i, &last_i, &first_j, &last_j);
    const IntW over = (cover.deep < 0.0f) | (first_i > last_i) | (first_j > last_j);
    e->found = select(e->found, (IntW)(RANGE_NOTHING), of_shape & over);
    e->first_i = select(e->first_i, first_i, of_shape);
    e->last_i = select(e->last_i, last_i, of_shape);
    e->first_j = select(e->first_j, first_j, of_shape);
    e->last_j = select(e->last_j, last_j, of_shape);
  }
#endif
  // What is no deeper than the ground beyond the range is far has its nearest ground within it.
  const IntW flat = reached & !ground.open & !e->has_low & (lowest == highest) & (above - e->low.z + slack <= e->aside);
  // Of one plane the first site.
  e->found = select(e->found, (IntW)(RANGE_FLAT), flat);
  e->first_i = select(e->first_i, r->first_i, flat);
  e->last_i = select(e->last_i, r->first_i, flat);
  e->first_j = select(e->first_j, r->first_j, flat);
  e->last_j = select(e->last_j, r->first_j, flat);
}

// Of a body by itself: the first of the sites to look at, and how many.
typedef struct LoneRange {
  int first_i, first_j;
  uint count_i, count_j;
  uint flat;  // one horizontal plane
} LoneRange;

void look_at_range(const Bunch* e, uint lane, __global const TerrainRecord* terrains, __global const float* hbunches,
                   __global const uchar* open, __global const float2* bounds, LoneRange* range) {
  const TerrainRecord t = terrains[e->terrain[lane]];
  int ends[4][LANES];
  store_w(e->range.first_i, ends[0]);
  store_w(e->range.last_i, ends[1]);
  store_w(e->range.first_j, ends[2]);
  store_w(e->range.last_j, ends[3]);
  const int i_low = ends[0][lane], i_high = ends[1][lane], j_low = ends[2][lane], j_high = ends[3][lane];
  const float z_high = lane_of_w(e->range.z_high, lane), z_low = lane_of_w(e->range.z_low, lane);
  const int j0 = max(j_low, 0), j1 = min(j_high, t.cols - 1);
  const int i0 = max(i_low, 0), i1 = min(i_high, t.rows - 1);
  range->count_i = range->count_j = range->flat = 0u;
  if (j0 > j1 || i0 > i1) return;
  float lowest = MAXFLOAT, highest = -MAXFLOAT;
  if (i1 - i0 < DIRECT_CELLS && j1 - j0 < DIRECT_CELLS) {
    for (int i = i0; i <= min(i1 + 1, t.rows - 1); ++i)
      for (int j = j0; j <= min(j1 + 1, t.cols - 1); ++j) {
        // A height without data is not a number, and neither the lowest nor the highest.
        const float h = hbunches[t.vertex_offset + ((ulong)i * (ulong)t.cols + (ulong)j)];
        lowest = h < lowest ? h : lowest;
        highest = h > highest ? h : highest;
      }
    if (t.has_open)
      for (int i = i0; i <= min(i1, t.rows - 2); ++i)
        if (open_in_row(open + (t.cell_offset + (ulong)i * (ulong)(t.cols - 1)), j0, min(j1, t.cols - 2)))
          lowest = -MAXFLOAT;
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
  const float above = (highest - z_high) - z_low;
  const float slack = 2.4e-7f * (abs_f(highest) + abs_f(z_high));
  if (!(highest > -MAXFLOAT && above + slack >= lane_of_w(e->lowest, lane))) return;
  range->first_i = i0;
  range->first_j = j0;
  range->count_i = (uint)(i1 - i0 + 1);
  range->count_j = (uint)(j1 - j0 + 1);
  const bool inside = j_low >= 0 && i_low >= 0 && j_high < t.cols - 1 && i_high < t.rows - 1;
  if (!inside || lowest != highest || t.has_low) return;
  if (above - lane_of_w(e->low.z, lane) + slack > lane_of_w(e->aside, lane)) return;
  range->count_i = range->count_j = range->flat = 1u;
}

// Writes what was found of slots [first, first + LANES), up to the last.
void write_grid_poses(const Bunch* e, uint first, uint count, __global const TerrainRecord* terrains,
                      __global const float* hbunches, __global const uchar* open, __global const float2* bounds,
                      __global GridPose* grid_poses, __global uint* counts) {
  const RangesW* r = &e->range;
  const IntW part = (e->found == RANGE_SITES) | (e->found == RANGE_FLAT);
  const IntW none = (IntW)(0);
  const IntW count_i = select(none, e->last_i - e->first_i + 1, part);
  const IntW count_j = select(none, e->last_j - e->first_j + 1, part);
  const IntW beyond = select(none,
                             (e->first_i - r->first_i) | (r->last_i - e->last_i) << 8 |
                                 (e->first_j - r->first_j) << 16 | (r->last_j - e->last_j) << 24,
                             e->found == RANGE_SITES);
  // The members of GridPose, in their order.
  const IntW upper[8] = {r->cell_i, r->cell_j, as_int_w(r->offset_x), as_int_w(r->offset_y), e->first_i, e->first_j,
                         count_i,   count_j};
  const IntW lower[8] = {beyond,
                         as_int_w(e->lowest),
                         bits_w(e->found == RANGE_FLAT, GRID_FLAT) | bits_w(e->turned, GRID_TURNED),
                         as_int_w(r->z_high),
                         as_int_w(r->z_low),
                         as_int_w(e->orientation[0]),
                         as_int_w(e->orientation[1]),
                         as_int_w(e->orientation[2])};
  int8 head[LANES], tail[LANES];
  rows_of(upper, head);
  rows_of(lower, tail);
  int found[LANES];
  uint sites[LANES];
  float last[LANES], margin[LANES];
  store_w(e->found, found);
  store_w(as_uint_w(count_i * count_j), sites);
  store_w(e->orientation[3], last);
  store_w(e->margin, margin);
  for (uint lane = 0u; lane < min(count - first, LANES); ++lane) {
    __global GridPose* grid_pose = grid_poses + (first + lane);
    if (found[lane] == RANGE_ALONE) {
      LoneRange range;
      look_at_range(e, lane, terrains, hbunches, open, bounds, &range);
      sites[lane] = range.count_i * range.count_j;
      head[lane].s4567 = (int4)(range.first_i, range.first_j, (int)range.count_i, (int)range.count_j);
      tail[lane].s02 = (int2)(0, (tail[lane].s2 & (int)GRID_TURNED) | (range.flat != 0u ? (int)GRID_FLAT : 0));
    }
    counts[first + lane] = sites[lane];
    if (sites[lane] == 0u) continue;
    vstore8(head[lane], 0, (__global int*)grid_pose);
    vstore8(tail[lane], 1, (__global int*)grid_pose);
    grid_pose->orientation[3] = last[lane];
    grid_pose->margin = margin[lane];
  }
}

// Not across work-items: see narrow_phase/sphere_terrain.cl.
__attribute__((vec_type_hint(float4))) __kernel void broad_phase_terrain_range(
    const uint count, __global const BodyRecord* bodies, __global const PoseRecord* poses,
    __global const TerrainRecord* terrains, __global const float* hbunches, __global const uchar* open,
    __global const float2* bounds, __global const uint* hulls, const float margin, __global const float* margins,
    __global GridPose* grid_poses, __global uint* counts) {
  const uint first = (uint)get_global_id(0) * (LANES * BUNCHES);
  if (first >= count) return;
  const uint bunches = min((count - first + LANES - 1u) / LANES, BUNCHES);
  // Ahead of the work-items after this one.
  for (uint k = 0u; k < LANES * BUNCHES; k += 2u) FETCH_EARLY(bodies + (first + 4u * FETCH_AHEAD + k));
  // Poses lie where their bodies are in the scene: those of work-items after this one.
  for (uint k = 0u; k < LANES * BUNCHES; ++k) {
    __global const PoseRecord* later = poses + bodies[min(first + FETCH_AHEAD + k, count - 1u)].body;
    FETCH_EARLY(later);
    FETCH_EARLY(later->orientation + 3);
  }
  Bunch of_item[BUNCHES];
  for (uint k = 0u; k < bunches; ++k) {
    find_grid_poses(first + LANES * k, count, bodies, poses, terrains, hulls, margin, margins, of_item + k);
    fetch_ground(of_item + k, terrains, hbunches);
  }
  for (uint k = 0u; k < bunches; ++k) {
    look_at_ground(of_item + k, terrains, hbunches, open);
    write_grid_poses(of_item + k, first + LANES * k, count, terrains, hbunches, open, bounds, grid_poses, counts);
  }
}
