// Flags of the cells, CELL_OPEN and CELL_FLAT: flat edges are those of docs/terrain_contacts.md, as contacts know them.
//
// One work-item a run of FLAG_RUN cells of a row, `runs` of them a row, in the part [first, first + count) in both
// directions. Reference: host/reference/ground_faces.cpp, by names alone; tests/terrain checks both.
#include "terrain/terrain_grid.clh"
#pragma OPENCL FP_CONTRACT OFF

// Is a cell of the grid open?
bool is_open(GroundRef g, __global const uchar* holes, int i, int j) {
  const ulong k = (ulong)i * (ulong)g->cols + (ulong)j;
  const float h0 = g->high[k], h1 = g->high[k + 1u];
  const float h2 = g->high[k + (ulong)g->cols], h3 = g->high[k + (ulong)g->cols + 1u];
  return holes[(ulong)i * (ulong)(g->cols - 1) + (ulong)j] != 0 || h0 != h0 || h1 != h1 || h2 != h2 || h3 != h3;
}

OUTLINED uint flags_of_cell(GroundRef g, __global const uchar* holes, int i, int j) {
  if (is_open(g, holes, i, j)) return CELL_OPEN;
  const float3 n = unit3(slope_normal(g, i, j, 0u));
  uint flags = 0u;
  if (i > 0 && !is_open(g, holes, i - 1, j) && same_plane(n, unit3(slope_normal(g, i - 1, j, 1u)))) flags |= CELL_FLAT;
  if (j > 0 && !is_open(g, holes, i, j - 1) &&
      same_plane(unit3(slope_beside(g, i, j, true)), unit3(slope_beside(g, i, j - 1, false))))
    flags |= CELL_FLAT << 1;
  if (same_plane(n, unit3(slope_normal(g, i, j, 1u)))) flags |= CELL_FLAT << 2;
  return flags;
}

// Heights of eight vertices from number b on above those from a on.
float8 rise8(GroundRef g, ulong a, ulong b) {
  const float8 h = vload8(0, g->high + b) - vload8(0, g->high + a);
  return g->has_low ? h + (vload8(0, g->low + b) - vload8(0, g->low + a)) : h;
}

// Of elements (ax, ay, 1) and (bx, by, 1): the flag where they are one plane beyond doubt, `doubt` where rounding may
// tell, as it does for what is not a number.
int8 flat8(float8 ax, float8 ay, float8 bx, float8 by, int flag, int8* doubt) {
  const float8 dx = bx - ax, dy = ay - by, turn = ax * by - ay * bx;
  const float8 c2 = (dx * dx + dy * dy) + turn * turn;
  const float8 aa = (ax * ax + ay * ay) + 1.0f, bb = (bx * bx + by * by) + 1.0f;
  const int8 flat = c2<(aa * (0.5f * FLAT_SINE2)) * bb, turned = c2>(aa * (2.0f * FLAT_SINE2)) * bb;
  *doubt |= (flat | turned) ^ -1;
  return flat & flag;
}

__kernel void terrain_cell_flags(__global const TerrainRecord* terrains, const uint terrain,
                                 __global const float* heights, __global const float* heights_low,
                                 __global const uchar* holes, __global uchar* flags, const int first_i,
                                 const int first_j, const int count_i, const int count_j, const int runs) {
  const int item = (int)get_global_id(0);
  if (item >= count_i * runs) return;
  const TerrainRecord t = terrains[terrain];
  const int cols = t.cols - 1, i = first_i + item / runs;
  const int begin = first_j + item % runs * FLAG_RUN, end = min(begin + FLAG_RUN, first_j + count_j);
  Ground g;
  g.high = heights + t.vertex_offset;
  g.low = heights_low + t.low_offset;
  g.has_low = t.has_low;
  g.rising = t.rising;
  g.rows = t.rows;
  g.cols = t.cols;
  g.dx = t.spacing_x_hi;
  g.dy = t.spacing_y_hi;
  __global const uchar* hole = holes + t.cell_offset;
  flags += t.cell_offset + (ulong)i * (ulong)cols;
  // Eight cells of the row, the run among them; where diagonals alternate each is looked at by itself.
  const int j0 = max(min(begin, cols - FLAG_RUN), 0);
  int8 found = (int8)(0), doubt = (int8)(-1);
  if (cols >= FLAG_RUN && t.rising == 0u) {
    const ulong v0 = (ulong)i * (ulong)t.cols + (ulong)j0, v2 = v0 + (ulong)t.cols;
    const float x = div_rn(1.0f, g.dx), y = div_rn(1.0f, g.dy);
    const float8 x1 = rise8(&g, v0, v0 + 1u) * x, y1 = rise8(&g, v0, v2) * y;
    const float8 x2 = rise8(&g, v2, v2 + 1u) * x, y2 = rise8(&g, v0 + 1u, v2 + 1u) * y;
    doubt = (int8)(0);
    found = flat8(x1, y1, x2, y2, CELL_FLAT << 2, &doubt);
    if (i > 0) found |= flat8(x1, y1, x1, rise8(&g, v0 + 1u - (ulong)t.cols, v0 + 1u) * y, CELL_FLAT, &doubt);
    // Of the first cell of a row this is another row's, and does not count.
    int8 up = flat8(x1, y1, rise8(&g, v2 - 1u, v2) * x, y1, CELL_FLAT << 1, &doubt);
    if (j0 == 0) up.s0 = 0;
    found |= up;
  }
  int lane[FLAG_RUN], unsure[FLAG_RUN];
  vstore8(found, 0, lane);
  vstore8(doubt, 0, unsure);
  for (int j = begin; j < end; ++j) {
    uint own = (uint)lane[j - j0];
    if (unsure[j - j0]) {
      own = flags_of_cell(&g, hole, i, j);
    } else if (t.has_open) {
      if (i > 0 && is_open(&g, hole, i - 1, j)) own &= ~CELL_FLAT;
      if (j > 0 && is_open(&g, hole, i, j - 1)) own &= ~(CELL_FLAT << 1);
      if (is_open(&g, hole, i, j)) own = CELL_OPEN;
    }
    flags[j] = (uchar)own;
  }
}
