// Flags of the cells and the pyramid of height bounds over them.
//
// Level 1 has one entry for 4 x 4 cells, each further level one for 4 x 4 entries of the level below; an entry is
// (lowest, highest) height of the vertices of its cells. A block with an open cell has lowest = -FLT_MAX, so that it is
// never taken for flat; its highest is over all vertices that have data, which only ever keeps too much.
// One work-item a cell or entry of the part [first, first + count) in both directions.
// Reference: none, a culling structure; tests/terrain checks it against the heights.
#include "shared/abi.h"
#include "terrain/terrain_grid.clh"
#pragma OPENCL FP_CONTRACT OFF

// Is a cell of the grid open?
bool is_open(const Ground* g, __global const uchar* holes, int i, int j) {
  const ulong k = (ulong)i * (ulong)g->cols + (ulong)j;
  const float h0 = g->high[k], h1 = g->high[k + 1u];
  const float h2 = g->high[k + (ulong)g->cols], h3 = g->high[k + (ulong)g->cols + 1u];
  return holes[(ulong)i * (ulong)(g->cols - 1) + (ulong)j] != 0 || h0 != h0 || h1 != h1 || h2 != h2 || h3 != h3;
}

// Flags of the cells, CELL_OPEN and CELL_FLAT: flat edges are those of docs/terrain_contacts.md, as contacts know them.
__kernel void terrain_cell_flags(__global const TerrainRecord* terrains, const uint terrain,
                                 __global const float* heights, __global const float* heights_low,
                                 __global const uchar* holes, __global uchar* flags, const int first_i,
                                 const int first_j, const int count_i, const int count_j) {
  const int k = (int)get_global_id(0);
  if (k >= count_i * count_j) return;
  const TerrainRecord t = terrains[terrain];
  const int i = first_i + k / count_j, j = first_j + k % count_j;
  Ground g;
  g.high = heights + t.vertex_offset;
  g.low = heights_low + t.low_offset;
  g.has_low = t.has_low;
  g.rows = t.rows;
  g.cols = t.cols;
  g.dx = t.spacing_x_hi;
  g.dy = t.spacing_y_hi;
  __global const uchar* hole = holes + t.cell_offset;
  uint found = 0u;
  if (is_open(&g, hole, i, j)) {
    found = CELL_OPEN;
  } else {
    const float3 n = unit3(slope_normal_1(&g, i, j));
    if (i > 0 && !is_open(&g, hole, i - 1, j) && same_plane(n, unit3(slope_normal_2(&g, i - 1, j)))) found |= CELL_FLAT;
    if (j > 0 && !is_open(&g, hole, i, j - 1) && same_plane(n, unit3(slope_normal_2(&g, i, j - 1))))
      found |= CELL_FLAT << 1;
    if (same_plane(n, unit3(slope_normal_2(&g, i, j)))) found |= CELL_FLAT << 2;
  }
  flags[t.cell_offset + ((ulong)i * (ulong)(t.cols - 1) + (ulong)j)] = (uchar)found;
}

// Level 1 from the heights.
__kernel void terrain_bounds_of_cells(__global const TerrainRecord* terrains, const uint terrain,
                                      __global const float* heights, __global const uchar* open,
                                      __global float2* bounds, const int first_i, const int first_j, const int count_i,
                                      const int count_j, const int level_cols) {
  const int k = (int)get_global_id(0);
  if (k >= count_i * count_j) return;
  const TerrainRecord t = terrains[terrain];
  const int bi = first_i + k / count_j, bj = first_j + k % count_j;
  const int i1 = min((bi + 1) << BOUNDS_SHIFT, t.rows - 1), j1 = min((bj + 1) << BOUNDS_SHIFT, t.cols - 1);
  float lowest = MAXFLOAT, highest = -MAXFLOAT;
  for (int i = bi << BOUNDS_SHIFT; i <= i1; ++i)
    for (int j = bj << BOUNDS_SHIFT; j <= j1; ++j) {
      const float h = heights[t.vertex_offset + ((ulong)i * (ulong)t.cols + (ulong)j)];
      lowest = h < lowest ? h : lowest;
      highest = h > highest ? h : highest;
      if (i < i1 && j < j1 && (open[t.cell_offset + ((ulong)i * (ulong)(t.cols - 1) + (ulong)j)] & CELL_OPEN))
        lowest = -MAXFLOAT;
    }
  bounds[t.bounds_offset + ((ulong)bi * (ulong)level_cols + (ulong)bj)] = (float2)(lowest, highest);
}

// A level from the one below; offsets are from the terrain's first entry.
__kernel void terrain_bounds_of_bounds(__global const TerrainRecord* terrains, const uint terrain,
                                       __global float2* bounds, const ulong below_offset, const int below_rows,
                                       const int below_cols, const ulong level_offset, const int level_cols,
                                       const int first_i, const int first_j, const int count_i, const int count_j) {
  const int k = (int)get_global_id(0);
  if (k >= count_i * count_j) return;
  __global float2* base = bounds + terrains[terrain].bounds_offset;
  const int bi = first_i + k / count_j, bj = first_j + k % count_j;
  const int i1 = min((bi + 1) << BOUNDS_SHIFT, below_rows), j1 = min((bj + 1) << BOUNDS_SHIFT, below_cols);
  float lowest = MAXFLOAT, highest = -MAXFLOAT;
  for (int i = bi << BOUNDS_SHIFT; i < i1; ++i)
    for (int j = bj << BOUNDS_SHIFT; j < j1; ++j) {
      const float2 b = base[below_offset + ((ulong)i * (ulong)below_cols + (ulong)j)];
      lowest = b.x < lowest ? b.x : lowest;
      highest = b.y > highest ? b.y : highest;
    }
  base[level_offset + ((ulong)bi * (ulong)level_cols + (ulong)bj)] = (float2)(lowest, highest);
}
