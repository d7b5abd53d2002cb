// Brings the chosen contacts of all bodies together, without gaps, for one download.
// One work-item a body slot of [first_slot, first_slot + count); writes gathered[kept_offsets[k] ...],
// where there is room for all.
//
// A small frame is read with as few commands as can be: gather_small also writes what came of each slot, and behind the
// last one what came of all.
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

__kernel void contact_reduction_gather_small(const uint count, __global const uint* first_candidate,
                                             __global const uint* contact_offsets,
                                             __global const ContactRecord* contacts,
                                             __global const uint* kept_offsets, const uint room,
                                             __global ContactRecord* gathered, __global const uint* manifolds,
                                             __global const uint* unreduced, __global const ulong* site_offsets,
                                             __global const uint* chunk_offsets, const uint chunks,
                                             __global SlotOutcome* outcomes) {
  const uint item = (uint)get_global_id(0);
  if (item > count) return;
  const bool all = item == count;
  const uint end = first_candidate[all ? count : item + 1u], begin = all ? 0u : first_candidate[item];
  const uint from = contact_offsets[begin], to = kept_offsets[item];
  SlotOutcome outcome;
  outcome.sites = site_offsets[all ? count : item + 1u] - site_offsets[all ? 0u : item];
  outcome.candidates = all ? chunk_offsets[chunks] : end - begin;
  outcome.found = contact_offsets[end] - from;
  outcome.unreduced = all ? 0u : unreduced[item];
  outcome.manifolds = all ? 0u : manifolds[item];
  outcome.first = to;
  outcome.unused = 0u;
  outcomes[item] = outcome;
  if (all || kept_offsets[count] > room) return;
  const uint n = kept_offsets[item + 1u] - to;
  for (uint k = 0u; k < n; ++k) gathered[to + k] = contacts[from + k];
}
