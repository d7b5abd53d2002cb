// Brings stored contacts into the order of candidates, and of each candidate's own contacts: the order they were found
// in leaves no trace. One work-item a stored contact.
#include "shared/abi.h"

__kernel void narrow_phase_contact_order(const uint count, __global const ContactRecord* store,
                                         __global const uint* store_candidates, __global const uint* contact_offsets,
                                         __global ContactRecord* contacts) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  contacts[contact_offsets[store_candidates[item]] + store[item].manifold] = store[item];
}
