// The pyramid of height bounds over the cells.
//
// Level 1 has one entry for 4 x 4 cells, each further level one for 4 x 4 entries of the level below; an entry is
// (lowest, highest) height of the vertices of its cells. A block with an open cell has lowest = -FLT_MAX, so that it is
// never taken for flat; its highest is over all vertices that have data, which only ever keeps too much.
// One work-item a cell or entry of the part [first, first + count) in both directions.
// Reference: none, a culling structure; tests/terrain checks it against the heights.
#include "shared/abi.h"
#include "terrain/terrain_grid.clh"
#pragma OPENCL FP_CONTRACT OFF

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
