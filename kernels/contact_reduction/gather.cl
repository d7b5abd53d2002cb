// Brings the chosen contacts of all bodies together, without gaps, for one download.
// One work-item a body slot of [first_slot, first_slot + count), and one that writes what came of all to the end of
// `outcomes`, the layout of which is in shared/abi.h. The contacts go from gathered[outcomes[k]] on, where there is
// room for all.
#include "narrow_phase/slot_contacts.clh"

__kernel void contact_reduction_gather(const uint first_slot, const uint count, const uint8 shape_begin,
                                       const uint chunks, __global const ulong* site_offsets,
                                       __global const uint* chunk_offsets, __global const uint* first_candidate,
                                       __global const uint* contact_offsets, __global const uint* stored,
                                       __global const ContactRecord* contacts, const uint room,
                                       __global ContactRecord* gathered, __global uint* outcomes) {
  const uint item = (uint)get_global_id(0);
  if (item == count)
    write_totals(first_slot, count, shape_begin, chunks, site_offsets, chunk_offsets, first_candidate, contact_offsets,
                 stored[0], outcomes);
  if (item >= count || outcomes[count] > room) return;
  gather_slot(item, contact_offsets[first_candidate[first_slot + item]], outcomes, contacts, gathered);
}
