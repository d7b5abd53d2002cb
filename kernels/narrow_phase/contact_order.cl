// Brings stored contacts into the order of candidates, and of each candidate's own contacts: the order they were found
// in leaves no trace. One work-item a stored contact; where there are more than there is room for nothing is done.
#include "shared/abi.h"

__kernel void narrow_phase_contact_order(const uint candidates, const uint room, __global const ContactRecord* store,
                                         __global const uint* store_candidates, __global const uint* contact_offsets,
                                         __global ContactRecord* contacts) {
  const uint item = (uint)get_global_id(0);
  const uint count = contact_offsets[candidates];
  if (item >= count || count > room) return;
  contacts[contact_offsets[store_candidates[item]] + store[item].manifold] = store[item];
}
