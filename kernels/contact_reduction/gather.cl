// Brings the chosen contacts of all bodies together, without gaps, for one download.
// One work-item a body slot of [first_slot, first_slot + count); writes gathered[kept_offsets[k] ...],
// where there is room for all.
//
// A small frame is read with as few commands as can be: gather_small, of one work-item more, also writes what came of
// each slot, and behind the last one what came of all.
#include "narrow_phase/slot_contacts.clh"

__kernel void contact_reduction_gather(const uint first_slot, const uint count, __global const uint* first_candidate,
                                       __global const uint* contact_offsets, __global const ContactRecord* contacts,
                                       __global const uint* kept_offsets, const uint room,
                                       __global ContactRecord* gathered) {
  const uint item = (uint)get_global_id(0);
  if (item >= count || kept_offsets[count] > room) return;
  gather_slot(item, contact_offsets[first_candidate[first_slot + item]], kept_offsets, contacts, gathered);
}

__kernel void contact_reduction_gather_small(const uint count, const uint chunks, __global const ulong* site_offsets,
                                             __global const uint* chunk_offsets, __global const uint* first_candidate,
                                             __global const uint* contact_offsets, __global const uint* kept_offsets,
                                             __global const uint* manifolds, __global const uint* unreduced,
                                             __global const ContactRecord* contacts, const uint room,
                                             __global ContactRecord* gathered, __global SlotOutcome* outcomes) {
  const uint item = (uint)get_global_id(0);
  if (item > count) return;
  const SmallFrame frame = {site_offsets, chunk_offsets, first_candidate, contact_offsets, kept_offsets,
                            manifolds,    unreduced,     count,           chunks};
  outcomes[item] = outcome_of(item, &frame);
  if (item == count || kept_offsets[count] > room) return;
  gather_slot(item, contact_offsets[first_candidate[item]], kept_offsets, contacts, gathered);
}
