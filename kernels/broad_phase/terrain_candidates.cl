// Broad phase against terrain, second half: the sites of all bodies laid end to end, cut into chunks of equal length
// (so that one body over 100,000 cells and 100,000 bodies over nine each keep every work-item busy), those that reach
// up to the body kept in order.
//
//   sites:   | body 0 | body 1         ||body 3 | ...          offsets[slot] = first site of a body
//   chunks:  |     0     |     1     |     2     | ...
//
// Chunks of 64 sites. On a GPU a work-item has a site, of terrain_candidates also a body, and a work-group of
// terrain_sites a chunk. Elsewhere the work-items share the chunks evenly, each some one after another. terrain_sites:
// the features in reach of each site, and how many sites of each chunk have any. terrain_candidates: the kept sites
// from chunk_offsets[chunk] on, and first_candidate[slot] of every body. The sites are those of slots [first_slot,
// last_slot); chunks beyond them have none.
//
// A frame is sent off before the host knows how many sites and candidates it has: for `chunks` and `room` that the
// frame before needed, and some more. Where it has more than that the host sees it by the totals, and starts over;
// until then no kernel finds an index beyond the room. What the narrow phase counts in is made ready here.
#include "launch/item_run.clh"
#include "primitives/group_scan.clh"
#include "terrain/reached_features.clh"
#include "terrain/site_features.clh"
#include "terrain/slot_body.clh"
#pragma OPENCL FP_CONTRACT OFF

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

// Bit k: has site k of the first `sites` of the chunk any features? Eight bytes at a time, of each of which one bit
// goes to the upper byte.
ulong sites_with_features(__global const uchar* of_site, uint sites) {
  const ulong low = 0x7F7F7F7F7F7F7F7Ful;
  ulong bits = 0ul;
  for (uint k = 0u; k < CHUNK_SITES / 8u; ++k) {
    const ulong eight = as_ulong(vload8(k, of_site));
    const ulong set = (((eight & low) + low) | eight) & ~low;
    bits |= ((set >> 7) * 0x0102040810204080ul >> 56) << 8u * k;
  }
  return sites < CHUNK_SITES ? bits & ((1ul << sites) - 1ul) : bits;
}

#if OCLIDE_LANES != 1
// Sites that wait for others, which may be of other bodies, to be looked at side by side.
typedef struct Waiting {
  SitesW sites;
  uint index[8];  // of those of the work-item
  uint count;     // an even number between one body and the next
} Waiting;

void wait_too(Waiting* waiting, const SiteBody* owner, int i, int j, uint index) {
  const uint k = waiting->count++;
  waiting->sites.of[k / 2u] = owner;
  waiting->sites.i[k] = i;
  waiting->sites.j[k] = j;
  waiting->sites.corner[k] = owner->ground.high + ((long)(i - 1) * (long)owner->ground.cols + (long)(j - 1));
  waiting->index[k] = index;
}

// Notes the features of all that wait, those beside open cells as border_features() has them.
void look_at_waiting(Waiting* waiting, __global uchar* features) {
  SitesW* sites = &waiting->sites;
  const float margin = sites->of[0]->margin;
  const uint count = waiting->count;
  waiting->count = 0u;
  // The first site stands in for those that are missing.
  for (uint k = count; k < 8u; ++k) {
    sites->of[k / 2u] = sites->of[0];
    sites->i[k] = sites->i[0];
    sites->j[k] = sites->j[0];
    sites->corner[k] = sites->corner[0];
  }
  uint reached[8];
  store_w(site_features(sites, open_around(sites), margin), reached);
  for (uint k = 0u; k < count; ++k) {
    const SiteBody* owner = sites->of[k / 2u];
    uint bits = reached[k];
    if (bits == REACH_BORDER)
      bits =
          border_features(&owner->ground, owner->shape, &owner->body, sites->i[k], sites->j[k], owner->lowest, margin);
    features[waiting->index[k]] = (uchar)bits;
  }
}
#endif

// Not across work-items: see narrow_phase/sphere_terrain.cl.
__attribute__((vec_type_hint(float4))) __kernel void broad_phase_terrain_sites(
    const uint first_slot, const uint last_slot, const uint chunks, __global const ulong* offsets,
    __global const BodyRecord* bodies, __global const GridPose* grid_poses, __global const TerrainRecord* terrains,
    __global const float* heights, __global const float* heights_low, __global const uchar* open,
    __global const uchar* material, __global const float2* bounds, __global const uint* hulls, __global uchar* features,
    __global uint* kept) {
#if OCLIDE_LANES == 1
  __local uint kept_by[CHUNK_SITES];
  const uint chunk = (uint)get_group_id(0), item = (uint)get_local_id(0), items = (uint)get_local_size(0);
  const ulong begin = offsets[first_slot] + (ulong)chunk * CHUNK_SITES, last_site = offsets[last_slot];
  const uint here = begin < last_site ? (uint)min(last_site - begin, (ulong)CHUNK_SITES) : 0u;
  uint count = 0u;
  for (uint at = item; at < here; at += items) {
    const ulong site = begin + at;
    const uint slot = first_body_from(offsets, first_slot, last_slot, site + 1ul) - 1u;
    const GridPose grid_pose = grid_poses[slot];
    uint bits = REACH_ALL;
    if ((grid_pose.flags & GRID_FLAT) == 0u) {
      const BodyRecord record = bodies[slot];
      SiteBody owner;
      owner.ground = ground_of(terrains[record.terrain], grid_pose, heights, heights_low, open, material, bounds);
      owner.body = load_body(record, grid_pose, record.shape, hulls);
      owner.shape = record.shape;
      owner.lowest = grid_pose.lowest;
      owner.margin = grid_pose.margin;
      const uint k = (uint)(site - offsets[slot]), row = k / grid_pose.count_j;
      SitesW sites;
      sites.of[0] = &owner;
      sites.i[0] = grid_pose.first_i + (int)row;
      sites.j[0] = grid_pose.first_j + (int)(k - row * grid_pose.count_j);
      const bool is_inside = is_symmetric(owner.shape) && site_inside(&owner.ground, sites.i[0], sites.j[0]);
      sites.corner[0] = owner.ground.high + ((long)(sites.i[0] - 1) * (long)owner.ground.cols + (long)(sites.j[0] - 1));
      if (is_inside && open_around(&sites) == 0)
        bits = site_features(&sites, 0, owner.margin);
      else
        bits = border_features(&owner.ground, owner.shape, &owner.body, sites.i[0], sites.j[0], owner.lowest,
                               owner.margin);
    }
    features[(size_t)chunk * CHUNK_SITES + at] = (uchar)bits;
    count += bits != 0u ? 1u : 0u;
  }
  kept_by[item] = count;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item != 0u) return;
  for (uint k = 1u; k < items; ++k) count += kept_by[k];
  kept[chunk] = count;
#else
  const ItemRun run = run_of_item(chunks);
  if (run.first == run.last) return;
  const ulong last_site = offsets[last_slot];
  const ulong begin = offsets[first_slot] + (ulong)run.first * CHUNK_SITES;
  const ulong all = (ulong)(run.last - run.first) * CHUNK_SITES;
  const ulong end = begin + all < last_site ? begin + all : last_site;
  uint next = begin < last_site ? first_body_from(offsets, first_slot, last_slot, begin) : 0u;
  __global uchar* of_item = features + (size_t)run.first * CHUNK_SITES;
  SiteBody owners[OWNERS];
  Waiting waiting;
  waiting.count = 0u;
  uint of_owner = 0u;
  bool is_free = true;  // that owner: no site that waits is its own
  for (ulong site = begin; site < end;) {
    // Of the bodies that begin here the last owns the site; those before it have none.
    while (next < last_slot && offsets[next] <= site) ++next;
    const uint slot = next - 1u;
    const BodyRecord record = bodies[slot];
    const GridPose grid_pose = grid_poses[slot];
    const ulong body_begin = offsets[slot];
    const ulong body_end = offsets[slot + 1u] < end ? offsets[slot + 1u] : end;
    const ulong k = site - body_begin;
    uint at = (uint)(site - begin);
    const uint columns = grid_pose.count_j, at_end = (uint)(body_end - begin);
    site = body_end;
    if ((grid_pose.flags & GRID_FLAT) != 0u) {
      of_item[at] = (uchar)REACH_ALL;
      continue;
    }
    // Those of the sites that wait are the last three at most.
    if (!is_free) of_owner = (of_owner + 1u) % OWNERS;
    is_free = true;
    SiteBody* owner = owners + of_owner;
    owner->ground = ground_of(terrains[record.terrain], grid_pose, heights, heights_low, open, material, bounds);
    owner->body = load_body(record, grid_pose, record.shape, hulls);
    owner->shape = record.shape;
    owner->lowest = grid_pose.lowest;
    owner->margin = grid_pose.margin;
    if (waiting.count > 0u &&
        (waiting.sites.of[0]->shape != record.shape || waiting.sites.of[0]->margin != grid_pose.margin))
      look_at_waiting(&waiting, of_item);
    // Row by row.
    uint row = 0u, column = 0u;
    if (k > 0u) {
      row = (uint)(k / columns);
      column = (uint)(k - (ulong)row * columns);
    }
    for (; at < at_end; ++at) {
      const int i = grid_pose.first_i + (int)row, j = grid_pose.first_j + (int)column;
      if (is_symmetric(record.shape) && site_inside(&owner->ground, i, j)) {
        is_free = false;
        wait_too(&waiting, owner, i, j, at);
        if (waiting.count == 8u) look_at_waiting(&waiting, of_item);
      } else {
        of_item[at] =
            (uchar)border_features(&owner->ground, record.shape, &owner->body, i, j, owner->lowest, owner->margin);
      }
      if (++column == columns) {
        column = 0u;
        ++row;
      }
    }
    // The next body begins with a lane of even number: the last site stands for itself twice.
    if (waiting.count % 2u != 0u) {
      const uint last = waiting.count - 1u;
      wait_too(&waiting, owner, waiting.sites.i[last], waiting.sites.j[last], waiting.index[last]);
      if (waiting.count == 8u) look_at_waiting(&waiting, of_item);
    }
  }
  if (waiting.count > 0u) look_at_waiting(&waiting, of_item);
  for (uint chunk = run.first; chunk < run.last; ++chunk) {
    const ulong before = (ulong)(chunk - run.first) * CHUNK_SITES;
    kept[chunk] = begin + before < end
                      ? (uint)popcount(sites_with_features(of_item + before, (uint)min(end - begin - before, 64ul)))
                      : 0u;
  }
#endif
}

// What comes before the candidates, shared by the work-items: where there are no sites, or more than the chunks hold,
// no body has a candidate. Returns whether there are any to be written.
bool prepare_candidates(uint first_slot, uint last_slot, uint chunks, __global const ulong* offsets,
                        __global uint* first_candidate, __global uint* stored) {
  const uint item = (uint)get_global_id(0), items = (uint)get_global_size(0);
  const ulong sites = offsets[last_slot] - offsets[first_slot];
  const bool fits = sites <= (ulong)chunks * CHUNK_SITES;
  if (item == 0u) stored[0] = 0u;
  if (fits && sites > 0ul) return true;
  for (uint slot = first_slot + item; slot <= last_slot; slot += items) first_candidate[slot] = 0u;
  return false;
}

#if OCLIDE_LANES == 1
// Kept sites of a chunk before its site `k`.
uint kept_before(__global const uchar* features, uint chunk, uint k) {
  return (uint)popcount(sites_with_features(features + (size_t)chunk * CHUNK_SITES, k));
}

// The work-item's share of the sites' candidates, and of where those of each body begin.
void write_candidates(uint first_slot, uint last_slot, uint chunks, __global const ulong* offsets,
                      __global const uchar* features, __global const uint* chunk_offsets, uint room,
                      __global uint* candidate_slots, __global uint* candidate_sites, __global uint* first_candidate,
                      __global uint* contact_counts) {
  (void)chunks;
  const uint item = (uint)get_global_id(0), items = (uint)get_global_size(0);
  const ulong first_site = offsets[first_slot], sites = offsets[last_slot] - first_site;
  for (uint slot = first_slot + item; slot <= last_slot; slot += items) {
    const ulong at = offsets[slot] - first_site;
    const uint chunk = (uint)(at / CHUNK_SITES), k = (uint)(at % CHUNK_SITES);
    first_candidate[slot] = min(chunk_offsets[chunk] + (k == 0u ? 0u : kept_before(features, chunk, k)), room);
  }
  for (ulong at = item; at < sites; at += items) {
    const uint here = (uint)features[at], chunk = (uint)(at / CHUNK_SITES);
    if (here == 0u) continue;
    const uint out = chunk_offsets[chunk] + kept_before(features, chunk, (uint)(at % CHUNK_SITES));
    if (out >= room) continue;
    const uint slot = first_body_from(offsets, first_slot, last_slot, first_site + at + 1ul) - 1u;
    candidate_slots[out] = slot;
    candidate_sites[out] =
        pack_candidate(offsets[slot + 1u] - offsets[slot], (uint)(first_site + at - offsets[slot]), here);
    // A work-item looks at one alone (launch/item_run.clh): a frame may have more than were asked for.
    contact_counts[out] = 0u;
  }
}
#else
// `first_body`: the first one that begins in or after the chunk, where the work-item had the chunk before it; else
// SLOT_NONE.
__attribute__((always_inline)) void candidates_of_chunk(uint chunk, uint first_slot, uint last_slot,
                                                        __global const ulong* offsets, __global const uchar* features,
                                                        __global const uint* chunk_offsets, uint room,
                                                        __global uint* candidate_slots, __global uint* candidate_sites,
                                                        __global uint* first_candidate, uint* first_body) {
  const ulong last_site = offsets[last_slot];
  const ulong begin = offsets[first_slot] + (ulong)chunk * CHUNK_SITES;
  if (begin >= last_site) return;
  const ulong end = begin + CHUNK_SITES < last_site ? begin + CHUNK_SITES : last_site;
  __global const uchar* of_site = features + (size_t)chunk * CHUNK_SITES;
  uint next = *first_body != SLOT_NONE ? *first_body : first_body_from(offsets, first_slot, last_slot, begin);
  uint out = chunk_offsets[chunk];
  const ulong kept = sites_with_features(of_site, (uint)(end - begin));
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
  *first_body = next;
}

void write_candidates(uint first_slot, uint last_slot, uint chunks, __global const ulong* offsets,
                      __global const uchar* features, __global const uint* chunk_offsets, uint room,
                      __global uint* candidate_slots, __global uint* candidate_sites, __global uint* first_candidate,
                      __global uint* contact_counts) {
  (void)contact_counts;
  const ItemRun run = run_of_item(chunks);
  uint first_body = SLOT_NONE;
  for (uint chunk = run.first; chunk < run.last; ++chunk)
    candidates_of_chunk(chunk, first_slot, last_slot, offsets, features, chunk_offsets, room, candidate_slots,
                        candidate_sites, first_candidate, &first_body);
}
#endif

__kernel void broad_phase_terrain_candidates(const uint first_slot, const uint last_slot, const uint chunks,
                                             __global const ulong* offsets, __global const uchar* features,
                                             __global const uint* chunk_offsets, const uint room,
                                             __global uint* candidate_slots, __global uint* candidate_sites,
                                             __global uint* first_candidate, __global uint* contact_counts,
                                             __global uint* stored) {
  if (!prepare_candidates(first_slot, last_slot, chunks, offsets, first_candidate, stored)) return;
  write_candidates(first_slot, last_slot, chunks, offsets, features, chunk_offsets, room, candidate_slots,
                   candidate_sites, first_candidate, contact_counts);
}

// One work-group for few chunks, of slots [0, slots): also the scan of `kept` before it.
__kernel void broad_phase_small_candidates(const uint slots, const uint chunks, __global const ulong* offsets,
                                           __global const uchar* features, __global const uint* kept,
                                           __global uint* chunk_offsets, const uint room,
                                           __global uint* candidate_slots, __global uint* candidate_sites,
                                           __global uint* first_candidate, __global uint* contact_counts,
                                           __global uint* stored) {
  __local uint partial[LONE_GROUP];
  scan_in_group(kept, chunks, chunk_offsets, partial);
  if (!prepare_candidates(0u, slots, chunks, offsets, first_candidate, stored)) return;
  write_candidates(0u, slots, chunks, offsets, features, chunk_offsets, room, candidate_slots, candidate_sites,
                   first_candidate, contact_counts);
}
