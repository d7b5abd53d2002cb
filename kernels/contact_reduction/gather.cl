// Brings the chosen contacts of all bodies together, without gaps, for one download.
// One work-item a body slot of [first_slot, first_slot + count); writes gathered[kept_offsets[k] ...],
// where there is room for all.
#include "shared/abi.h"

__kernel void contact_reduction_gather(const uint first_slot, const uint count, __global const uint* first_candidate,
                                       __global const uint* contact_offsets, __global const ContactRecord* contacts,
                                       __global const uint* kept_offsets, const uint room,
                                       __global ContactRecord* gathered) {
  const uint item = (uint)get_global_id(0);
  if (item >= count || kept_offsets[count] > room) return;
  const uint from = contact_offsets[first_candidate[first_slot + item]];
  const uint to = kept_offsets[item];
  const uint n = kept_offsets[item + 1u] - to;
  for (uint k = 0u; k < n; ++k) gathered[to + k] = contacts[from + k];
}
