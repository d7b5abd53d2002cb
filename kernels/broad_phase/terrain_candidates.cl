// Broad phase against terrain, second half: the sites of all bodies laid end to end, cut into chunks of equal length
// (so that one body over 100,000 cells and 100,000 bodies over nine each keep every work-item busy), those that reach
// up to the body kept in order.
//
//   sites:   | body 0 | body 1         ||body 3 | ...          offsets[slot] = first site of a body
//   chunks:  |     0     |     1     |     2     | ...
//
// One work-item a chunk. With write = 0: kept[chunk] = number of sites kept; with write = 1: candidates from
// chunk_offsets[chunk] on, and first_candidate[slot] for every body that begins in the chunk.
#include "shared/abi.h"
#include "common/vec.clh"
#pragma OPENCL FP_CONTRACT OFF

#define CHUNK_SITES 64u

// Does any ground of the site's vertex, edges or cell reach up to the body's lowest point?
bool site_reaches(TerrainRecord t, PlaceRecord place, float z_high, float z_low, __global const float* heights, uint k) {
  if (place.flat) return true;
  const int i = place.first_i + (int)(k / place.count_j), j = place.first_j + (int)(k % place.count_j);
  const int i1 = min(i + 1, t.rows - 1), j1 = min(j + 1, t.cols - 1);
  __global const float* h = heights + t.vertex_offset;
  const float h0 = h[(ulong)i * (ulong)t.cols + (ulong)j], h1 = h[(ulong)i * (ulong)t.cols + (ulong)j1];
  const float h2 = h[(ulong)i1 * (ulong)t.cols + (ulong)j], h3 = h[(ulong)i1 * (ulong)t.cols + (ulong)j1];
  float highest = -MAXFLOAT;
  highest = h0 > highest ? h0 : highest;
  highest = h1 > highest ? h1 : highest;
  highest = h2 > highest ? h2 : highest;
  highest = h3 > highest ? h3 : highest;
  const float slack = 2.4e-7f * (abs_f(highest) + abs_f(z_high));
  return highest > -MAXFLOAT && ((highest - z_high) - z_low) + slack >= place.lowest;
}

__kernel void broad_phase_terrain_candidates(
    const uint first_slot, const uint last_slot, const ulong first_site, const ulong last_site,
    __global const ulong* offsets, __global const BodyRecord* bodies, __global const PlaceRecord* places,
    __global const float* positions_high, __global const float* positions_low, __global const TerrainRecord* terrains,
    __global const float* heights, const uint chunks, const uint write, __global uint* kept,
    __global const uint* chunk_offsets, __global uint* candidate_slots, __global uint* candidate_sites,
    __global uint* first_candidate) {
  const uint chunk = (uint)get_global_id(0);
  if (chunk >= chunks) return;
  ulong site = first_site + (ulong)chunk * CHUNK_SITES;
  const ulong end = site + CHUNK_SITES < last_site ? site + CHUNK_SITES : last_site;
  // The first body that begins at or after `site`.
  uint a = first_slot, b = last_slot;
  while (a < b) {
    const uint middle = a + (b - a) / 2u;
    if (offsets[middle] < site) a = middle + 1u; else b = middle;
  }
  uint next = a, n = 0u;
  const uint out = write ? chunk_offsets[chunk] : 0u;
  while (site < end) {
    // Bodies that begin here; the last of them owns the site.
    while (next < last_slot && offsets[next] <= site) {
      if (write) first_candidate[next] = out + n;
      ++next;
    }
    const uint slot = next - 1u;
    const BodyRecord record = bodies[slot];
    const PlaceRecord place = places[slot];
    const TerrainRecord t = terrains[record.terrain];
    const float z_high = positions_high[3u * record.body + 2u], z_low = positions_low[3u * record.body + 2u];
    const ulong body_end = offsets[slot + 1u] < end ? offsets[slot + 1u] : end;
    for (; site < body_end; ++site) {
      const uint k = (uint)(site - offsets[slot]);
      if (!site_reaches(t, place, z_high, z_low, heights, k)) continue;
      if (write) {
        candidate_slots[out + n] = slot;
        candidate_sites[out + n] = k;
      }
      ++n;
    }
  }
  if (!write) kept[chunk] = n;
  // The last chunk also closes the bodies that have no site after it.
  if (write && end == last_site)
    for (; next <= last_slot; ++next) first_candidate[next] = out + n;
}
