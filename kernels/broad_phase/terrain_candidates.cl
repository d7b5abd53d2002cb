// Broad phase against terrain, second half: the sites of all bodies laid end to end, cut into chunks of equal length
// (so that one body over 100,000 cells and 100,000 bodies over nine each keep every work-item busy), those that reach
// up to the body kept in order.
//
//   sites:   | body 0 | body 1         ||body 3 | ...          offsets[slot] = first site of a body
//   chunks:  |     0     |     1     |     2     | ...
//
// One work-item a chunk of 64 sites. terrain_sites: the features in reach of each site, and how many sites have any.
// terrain_candidates: the kept sites from chunk_offsets[chunk] on, and first_candidate[slot] for every body that begins
// in the chunk. The sites are those of slots [first_slot, last_slot); chunks beyond them have none.
//
// A small frame is sent off before the host knows how many sites and candidates it has: for `chunks` and `room` that
// the frame before needed, and some more. Where it has more than that the host sees it by the totals, and starts over;
// until then no kernel finds an index beyond the room. What the narrow phase counts in is made ready here.
#include "common/candidate.clh"
#include "primitives/group_scan.clh"
#pragma OPENCL FP_CONTRACT OFF

#define CHUNK_SITES 64u
#define RUN_SITES 4u  // side by side in site_features()

// The first body of [first_slot, last_slot) that begins at or after `site`.
uint first_body_from(__global const ulong* offsets, uint first_slot, uint last_slot, ulong site) {
  uint a = first_slot, b = last_slot;
  while (a < b) {
    const uint middle = a + (b - a) / 2u;
    if (offsets[middle] < site)
      a = middle + 1u;
    else
      b = middle;
  }
  return a;
}

// Not across work-items: see narrow_phase/sphere_terrain.cl.
__attribute__((vec_type_hint(float4))) __kernel void broad_phase_terrain_sites(
    const uint first_slot, const uint last_slot, const uint chunks, __global const ulong* offsets,
    __global const BodyRecord* bodies, __global const PlaceRecord* places, __global const TerrainRecord* terrains,
    __global const float* heights, __global const float* heights_low, __global const uchar* open,
    __global const uchar* material, __global const float2* bounds, const float margin, __global uchar* features,
    __global uint* kept) {
  const uint chunk = (uint)get_global_id(0);
  if (chunk >= chunks) return;
  const ulong last_site = offsets[last_slot];
  const ulong begin = offsets[first_slot] + (ulong)chunk * CHUNK_SITES;
  if (begin >= last_site) {
    kept[chunk] = 0u;
    return;
  }
  const ulong end = begin + CHUNK_SITES < last_site ? begin + CHUNK_SITES : last_site;
  uint next = first_body_from(offsets, first_slot, last_slot, begin);
  __global uchar* of_site;
  uint n = 0u;
  for (ulong site = begin; site < end;) {
    // Of the bodies that begin here the last owns the site; those before it have none.
    while (next < last_slot && offsets[next] <= site) ++next;
    const uint slot = next - 1u;
    const BodyRecord record = bodies[slot];
    const PlaceRecord place = places[slot];
    const Ground ground = ground_of(terrains[record.terrain], place, heights, heights_low, open, material, bounds);
    const Body body = load_body(record, place, record.shape);
    const ulong body_begin = offsets[slot];
    const ulong body_end = offsets[slot + 1u] < end ? offsets[slot + 1u] : end;
    // Row by row, in runs of four sites, two runs at a time.
    uint k = (uint)(site - body_begin);
    const uint k_end = (uint)(body_end - body_begin), columns = place.count_j;
    of_site = features + (size_t)chunk * CHUNK_SITES + (size_t)(site - begin);
    site = body_end;
    if (place.flat) {
      *of_site = (uchar)REACH_ALL;
      ++n;
      continue;
    }
    uint row = k / columns, column = k % columns;
    while (k < k_end) {
      SiteRun run[2];
      int first_j[2];
      uint length[2];
      for (uint r = 0u; r < 2u; ++r) {
        first_j[r] = place.first_j + (int)column;
        run[r] = run_from(&ground, place.first_i + (int)row, first_j[r]);
        length[r] = min(min(columns - column, RUN_SITES), k_end - k);
        k += length[r];
        column += length[r];
        if (column == columns) {
          column = 0u;
          ++row;
        }
      }
      uint reached[2u * RUN_SITES];
      const bool inside0 = run_inside(&ground, run[0]), inside1 = run_inside(&ground, run[1]);
      vstore8(inside0 || inside1 ? site_features(&ground, record.shape, &body, run[inside0 ? 0 : 1],
                                                 run[inside1 ? 1 : 0], place.lowest, margin)
                                 : (uint8)(REACH_BORDER),
              0, reached);
      for (uint r = 0u; r < 2u; ++r)
        for (uint of_run = 0u; of_run < length[r]; ++of_run) {
          const int j = first_j[r] + (int)of_run, lane = j - run[r].j;
          uint bits = REACH_BORDER;
          if ((r == 0u ? inside0 : inside1) && lane >= 0 && lane < (int)RUN_SITES)
            bits = reached[r * RUN_SITES + (uint)lane];
          if (bits == REACH_BORDER)
            bits = border_features(&ground, record.shape, &body, run[r].i, j, place.lowest, margin);
          *of_site++ = (uchar)bits;
          n += bits != 0u ? 1u : 0u;
        }
    }
  }
  kept[chunk] = n;
}

__attribute__((always_inline)) void candidates_of_chunk(uint chunk, uint first_slot, uint last_slot, uint chunks,
                                                        __global const ulong* offsets, __global const uchar* features,
                                                        __global const uint* chunk_offsets, uint room,
                                                        __global uint* candidate_slots, __global uint* candidate_sites,
                                                        __global uint* first_candidate, __global uint* contact_counts,
                                                        __global uint* stored) {
  const ulong last_site = offsets[last_slot];
  const ulong sites = last_site - offsets[first_slot];
  const bool fits = sites <= (ulong)chunks * CHUNK_SITES;
  if (chunk == 0u) stored[0] = 0u;
  for (uint k = (fits ? chunk_offsets[chunks] : 0u) + chunk; k < room; k += chunks) contact_counts[k] = 0u;
  if (!fits || sites == 0ul) {
    for (uint slot = first_slot + chunk; slot <= last_slot; slot += chunks) first_candidate[slot] = 0u;
    return;
  }
  const ulong begin = offsets[first_slot] + (ulong)chunk * CHUNK_SITES;
  if (begin >= last_site) return;
  const ulong end = begin + CHUNK_SITES < last_site ? begin + CHUNK_SITES : last_site;
  __global const uchar* of_site = features + (size_t)chunk * CHUNK_SITES;
  uint next = first_body_from(offsets, first_slot, last_slot, begin);
  uint out = chunk_offsets[chunk];
  for (ulong site = begin; site < end; ++site) {
    while (next < last_slot && offsets[next] <= site) first_candidate[next++] = min(out, room);
    const uint reached = of_site[site - begin];
    if (reached == 0u) continue;
    if (out < room) {
      candidate_slots[out] = next - 1u;
      candidate_sites[out] =
          pack_candidate(offsets[next] - offsets[next - 1u], (uint)(site - offsets[next - 1u]), reached);
    }
    ++out;
  }
  // The last chunk also closes the bodies that have no site after it.
  if (end == last_site)
    while (next <= last_slot) first_candidate[next++] = min(out, room);
}

__kernel void broad_phase_terrain_candidates(const uint first_slot, const uint last_slot, const uint chunks,
                                             __global const ulong* offsets, __global const uchar* features,
                                             __global const uint* chunk_offsets, const uint room,
                                             __global uint* candidate_slots, __global uint* candidate_sites,
                                             __global uint* first_candidate, __global uint* contact_counts,
                                             __global uint* stored) {
  const uint chunk = (uint)get_global_id(0);
  if (chunk < chunks)
    candidates_of_chunk(chunk, first_slot, last_slot, chunks, offsets, features, chunk_offsets, room, candidate_slots,
                        candidate_sites, first_candidate, contact_counts, stored);
}

// One work-group for few chunks, of slots [0, slots): also the scan of `kept` before it.
__kernel void broad_phase_small_candidates(const uint slots, const uint chunks, __global const ulong* offsets,
                                           __global const uchar* features, __global const uint* kept,
                                           __global uint* chunk_offsets, const uint room,
                                           __global uint* candidate_slots, __global uint* candidate_sites,
                                           __global uint* first_candidate, __global uint* contact_counts,
                                           __global uint* stored) {
  __local uint partial[GROUP_SCAN_ITEMS];
  scan_in_group(kept, chunks, chunk_offsets, partial);
  for (uint chunk = (uint)get_local_id(0); chunk < chunks; chunk += (uint)get_local_size(0))
    candidates_of_chunk(chunk, 0u, slots, chunks, offsets, features, chunk_offsets, room, candidate_slots,
                        candidate_sites, first_candidate, contact_counts, stored);
}
