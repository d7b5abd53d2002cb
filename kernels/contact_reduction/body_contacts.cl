// Contact reduction (Strashnov and Torgashev 2020, part V): per body, groups of equal normals, at most four points of
// each; decides whether the body needs to be lifted (kind 6). The rules, and why the order of the contacts does not
// matter, are in docs/terrain_contacts.md.
//
// One work-item a body slot of [first_slot, first_slot + count); on a GPU the slots of a work-group that have contacts
// stand side by side, those with more than a few apart from the others. A slot's contacts lie at
// contact_offsets[first_candidate[slot]]
// .. contact_offsets[first_candidate[slot + 1]]; the chosen ones are moved to the front of that range, in order.
// Writes kept[k] for k = slot - first_slot, and into `outcomes` (shared/abi.h) the manifolds of the slot and its
// contacts without the lifts. Where there are more contacts than there is room for (a frame that was sent off before
// the host knew) all are 0. Slots with more than `many` contacts (a large body over many cells has hundreds of
// thousands) are left to many_contacts, where a work-group has one slot at a time.
//
// A frame of few slots has one work-group and one command for this and for what is before and after it: small_frame
// counts the contacts that the narrow phase stored, brings them in order, reduces and gathers them.
// Reference: host/reference/contact_reduction/contact_reduction.cpp.
#include "contact_reduction/many_contacts.clh"
#include "launch/fetch_early.clh"
#include "narrow_phase/slot_contacts.clh"
#include "primitives/group_scan.clh"
#pragma OPENCL FP_CONTRACT OFF

#if OCLIDE_LANES == 1
#define FEW_CONTACTS 4u

// The slot of a work-item, counted from the first one, among those of its group: ones with more than a few contacts at
// the front, others at the end; `count` for a work-item without one. Those without contacts are done. To be reached by
// all work-items.
uint slot_in_order(uint first_slot, uint count, bool fits, __global const uint* first_candidate,
                   __global const uint* contact_offsets, __global uint* kept, __global uint* manifolds,
                   __global uint* unreduced, __local uint* order, volatile __local uint* places) {
  const uint item = (uint)get_global_id(0), own = (uint)get_local_id(0), last = (uint)get_local_size(0) - 1u;
  order[own] = count;
  if (own == 0u) places[0] = places[1] = 0u;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < count) {
    __global const uint* candidate = first_candidate + (first_slot + item);
    const uint contacts = fits ? contact_offsets[candidate[1]] - contact_offsets[candidate[0]] : 0u;
    if (contacts == 0u)
      kept[item] = manifolds[item] = unreduced[item] = 0u;
    else if (contacts > FEW_CONTACTS)
      order[atomic_inc(places)] = item;
    else
      order[last - atomic_inc(places + 1)] = item;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return order[own];
}
#endif

// Not across work-items: see narrow_phase/sphere_terrain.cl.
__attribute__((vec_type_hint(float4))) __kernel void contact_reduction_body_contacts(
    const uint first_slot, const uint count, __global const BodyRecord* bodies, __global const GridPose* grid_poses,
    __global const uint* hulls, __global const uint* first_candidate, __global const uint* contact_offsets,
    const uint room, const uint many, __global ContactRecord* contacts, __global uint* kept, __global uint* outcomes) {
  __global uint* manifolds = outcomes + OUTCOME_MANIFOLDS(count);
  __global uint* unreduced = outcomes + OUTCOME_UNREDUCED(count);
  const bool fits = contact_offsets[first_candidate[first_slot + count]] <= room;
#if OCLIDE_LANES == 1
  __local uint order[SLOT_GROUP], places[2];
  const uint item = slot_in_order(first_slot, count, fits, first_candidate, contact_offsets, kept, manifolds, unreduced,
                                  order, places);
#else
  const uint item = (uint)get_global_id(0);
  if (item < count && !fits) kept[item] = manifolds[item] = unreduced[item] = 0u;
#endif
  if (item >= count || !fits) return;
  const uint slot = first_slot + item;
#if FETCHES_EARLY
  // A lift asks for its body.
  const uint later = min(slot + 8u, first_slot + count - 1u);
  if (first_candidate[later] < first_candidate[later + 1u]) {
    FETCH_EARLY(bodies + later);
    FETCH_EARLY(grid_poses + later);
    FETCH_EARLY(grid_poses[later].orientation + 3);
  }
#endif
  const uint begin = contact_offsets[first_candidate[slot]], end = contact_offsets[first_candidate[slot + 1u]];
  if (end - begin > many) return;
  reduce_contacts(bodies + slot, grid_poses + slot, hulls, begin, end, contacts, kept + item, manifolds + item,
                  unreduced + item);
}

// The work-groups share the slots.
__attribute__((vec_type_hint(float4))) __kernel void contact_reduction_many_contacts(
    const uint first_slot, const uint count, __global const BodyRecord* bodies, __global const GridPose* grid_poses,
    __global const uint* hulls, __global const uint* first_candidate, __global const uint* contact_offsets,
    const uint room, const uint many, __global ContactRecord* contacts, __global uint* kept, __global uint* outcomes) {
  __global uint* manifolds = outcomes + OUTCOME_MANIFOLDS(count);
  __global uint* unreduced = outcomes + OUTCOME_UNREDUCED(count);
  __local ManyState state;
  const bool fits = contact_offsets[first_candidate[first_slot + count]] <= room;
  const ManySlots slots = {first_slot, fits ? count : 0u, (uint)get_num_groups(0), many,     bodies, grid_poses,
                           hulls,      first_candidate,   contact_offsets,         contacts, kept,   manifolds,
                           unreduced};
  reduce_many_contacts(&slots, (uint)get_group_id(0), &state);
}

// One work-group. `candidates`, `room` and `kept_room`: that there is room for; `store_slots` of the store are looked
// at.
__attribute__((vec_type_hint(float4))) __kernel void contact_reduction_small_frame(
    const uint count, const uint8 shape_begin, const uint chunks, const uint candidates, const uint store_slots,
    const uint room, const uint kept_room, const uint many, __global const BodyRecord* bodies,
    __global const GridPose* grid_poses, __global const uint* hulls, __global const ulong* site_offsets,
    __global const uint* chunk_offsets, __global const uint* first_candidate, __global const uint* contact_counts,
    __global uint* contact_offsets, __global const uint* stored, __global const ContactRecord* store,
    __global const uint* store_candidates, __global ContactRecord* contacts, __global uint* kept,
    __global ContactRecord* gathered, __global uint* outcomes) {
  __global uint* manifolds = outcomes + OUTCOME_MANIFOLDS(count);
  __global uint* unreduced = outcomes + OUTCOME_UNREDUCED(count);
  __local uint partial[LONE_GROUP];
  __local ManyState state;
  const uint item = (uint)get_local_id(0), items = (uint)get_local_size(0);
  scan_in_group(contact_counts, candidates, contact_offsets, partial);
  const bool fits = contact_offsets[first_candidate[count]] <= room;
  for (uint k = item; fits && k < min(stored[0], store_slots); k += items)
    order_store_slot(k, store, store_candidates, contact_offsets, contacts);
  barrier(CLK_GLOBAL_MEM_FENCE);
  for (uint slot = item; slot < count; slot += items) {
    const uint begin = contact_offsets[first_candidate[slot]];
    const uint end = fits ? contact_offsets[first_candidate[slot + 1u]] : begin;
    if (end - begin <= many)
      reduce_contacts(bodies + slot, grid_poses + slot, hulls, begin, end, contacts, kept + slot, manifolds + slot,
                      unreduced + slot);
  }
  const ManySlots many_slots = {
      0u,   fits ? count : 0u, 1u,       many, bodies, grid_poses, hulls, first_candidate, contact_offsets, contacts,
      kept, manifolds,         unreduced};
  reduce_many_contacts(&many_slots, 0u, &state);
  scan_in_group(kept, count, outcomes, partial);
  if (item == 0u)
    write_totals(0u, count, shape_begin, chunks, site_offsets, chunk_offsets, first_candidate, contact_offsets,
                 stored[0], outcomes);
  for (uint slot = item; slot < count && outcomes[count] <= kept_room; slot += items)
    gather_slot(slot, contact_offsets[first_candidate[slot]], outcomes, contacts, gathered);
}
