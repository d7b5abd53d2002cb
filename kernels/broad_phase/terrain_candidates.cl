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
#define PAIR_SITES 2u

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

#define PAIRS 4u  // side by side

// A pair of sites to look at, and what becomes of it.
typedef struct PairTask {
  int i, j;     // the first
  uint owner;   // which of the bodies at hand
  int first_j;  // first of the sites that are asked for
  uint length;  // how many
  uint place;   // of that one in the chunk
} PairTask;

// Up to four pairs, of bodies of the same shape, side by side: notes the features of their sites, those beside open
// cells as border_features() has them; how many have any.
uint look_at_pairs(const PairTask* tasks, uint count, const SiteBody* owners, float margin, __global uchar* features) {
  SitePair pairs[PAIRS];
  for (uint k = 0u; k < PAIRS; ++k) {
    const PairTask* task = tasks + min(k, count - 1u);
    pairs[k] = site_pair(owners + task->owner, task->i, task->j);
  }
  uint reached[PAIRS * PAIR_SITES];
  vstore8(site_features(pairs, margin), 0, reached);
  uint n = 0u;
  for (uint pair = 0u; pair < count; ++pair) {
    const PairTask* task = tasks + pair;
    const SiteBody* owner = owners + task->owner;
    for (uint k = 0u; k < task->length; ++k) {
      const int j = task->first_j + (int)k;
      uint bits = reached[PAIR_SITES * pair + (uint)(j - task->j)];
      if (bits == REACH_BORDER)
        bits = border_features(&owner->ground, owner->shape, &owner->body, task->i, j, owner->lowest, margin);
      features[task->place + k] = (uchar)bits;
      n += bits != 0u ? 1u : 0u;
    }
  }
  return n;
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
  __global uchar* of_chunk = features + (size_t)chunk * CHUNK_SITES;
  uint n = 0u;
  // Pairs wait for others, which may be of other bodies.
  SiteBody owners[PAIRS];
  PairTask waiting[PAIRS];
  uint waits = 0u, of_owner = 0u;
  bool is_free = true;  // that owner: no pair that waits is its own
  for (ulong site = begin; site < end;) {
    // Of the bodies that begin here the last owns the site; those before it have none.
    while (next < last_slot && offsets[next] <= site) ++next;
    const uint slot = next - 1u;
    const BodyRecord record = bodies[slot];
    const PlaceRecord place = places[slot];
    const ulong body_begin = offsets[slot];
    const ulong body_end = offsets[slot + 1u] < end ? offsets[slot + 1u] : end;
    uint k = (uint)(site - body_begin), at = (uint)(site - begin);
    const uint k_end = (uint)(body_end - body_begin), columns = place.count_j;
    site = body_end;
    if (place.flat) {
      of_chunk[at] = (uchar)REACH_ALL;
      ++n;
      continue;
    }
    // Those of the pairs that wait are the last three at most.
    if (!is_free) of_owner = (of_owner + 1u) % PAIRS;
    is_free = true;
    SiteBody* owner = owners + of_owner;
    owner->ground = ground_of(terrains[record.terrain], place, heights, heights_low, open, material, bounds);
    owner->body = load_body(record, place, record.shape);
    owner->shape = record.shape;
    owner->lowest = place.lowest;
    if (waits > 0u && owners[waiting[0].owner].shape != record.shape) {
      n += look_at_pairs(waiting, waits, owners, margin, of_chunk);
      waits = 0u;
    }
    // Row by row, in pairs.
    uint row = 0u, column = 0u;
    if (k > 0u) {
      row = k / columns;
      column = k - row * columns;
    }
    while (k < k_end) {
      const int i = place.first_i + (int)row, j = place.first_j + (int)column;
      const int from = pair_from(&owner->ground, j), of_pair = from + (int)PAIR_SITES - j;
      // At the border of the grid a site is looked at by itself.
      const bool inside = pair_inside(&owner->ground, i, from) && j >= from && of_pair > 0;
      const uint taken = inside ? min(min(columns - column, (uint)of_pair), k_end - k) : 1u;
      if (inside) {
        PairTask* task = waiting + waits;
        task->i = i;
        task->j = from;
        task->owner = of_owner;
        task->first_j = j;
        task->length = taken;
        task->place = at;
        is_free = false;
        if (++waits == PAIRS) {
          n += look_at_pairs(waiting, waits, owners, margin, of_chunk);
          waits = 0u;
        }
      } else {
        const uint bits = border_features(&owner->ground, record.shape, &owner->body, i, j, place.lowest, margin);
        of_chunk[at] = (uchar)bits;
        n += bits != 0u ? 1u : 0u;
      }
      k += taken;
      at += taken;
      column += taken;
      if (column == columns) {
        column = 0u;
        ++row;
      }
    }
  }
  if (waits > 0u) n += look_at_pairs(waiting, waits, owners, margin, of_chunk);
  kept[chunk] = n;
}

// Bit k: has site k of the chunk any features? Eight bytes at a time, of each of which one bit goes to the upper byte.
ulong sites_with_features(__global const uchar* of_site) {
  const ulong low = 0x7F7F7F7F7F7F7F7Ful;
  ulong bits = 0ul;
  for (uint k = 0u; k < CHUNK_SITES / 8u; ++k) {
    const ulong eight = as_ulong(vload8(k, of_site));
    const ulong set = (((eight & low) + low) | eight) & ~low;
    bits |= ((set >> 7) * 0x0102040810204080ul >> 56) << 8u * k;
  }
  return bits;
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
  const ulong kept = sites_with_features(of_site);
  for (ulong site = begin; site < end;) {
    while (next < last_slot && offsets[next] <= site) first_candidate[next++] = min(out, room);
    // Those of one body.
    const ulong body_begin = offsets[next - 1u], body_end = offsets[next];
    const uint first = (uint)(site - begin), length = (uint)(min(body_end, end) - site);
    ulong own = kept >> first;
    if (length < CHUNK_SITES) own &= (1ul << length) - 1ul;
    for (; own != 0ul; own &= own - 1ul, ++out) {
      const uint at = first + 63u - (uint)clz(own & (0ul - own));
      if (out >= room) continue;
      candidate_slots[out] = next - 1u;
      candidate_sites[out] = pack_candidate(body_end - body_begin, (uint)(begin + at - body_begin), (uint)of_site[at]);
    }
    site += length;
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
