// Broad phase against terrain, first half (Strashnov and Torgashev 2020, part III): for every body its bounding box,
// the range of lattice sites under it, the height bounds of that range, and from them the sites to look at.
//
// A work-item has a body on a GPU, elsewhere two times eight side by side. Writes counts[slot], and grid_poses[slot]
// where that is not 0: 0 where the body is above everything under it or beside the grid, 1 where the range is one
// horizontal plane (the plane shortcut), else the sites of the range that the part of the body can be over which is
// under a plane above all ground there. With OCLIDE_LOOK_AT_ALL that is all of them, and all of their features, so that
// tests can tell that nothing is passed over which counts. Reference: host/reference/broad_phase/terrain_range.cpp,
// without the pyramid.
#include "broad_phase/grid_poses.clh"
#include "broad_phase/lone_range.clh"
#include "broad_phase/range_ground.clh"
#pragma OPENCL FP_CONTRACT OFF

#define FETCH_AHEAD 64u  // slots whose poses are fetched early

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
