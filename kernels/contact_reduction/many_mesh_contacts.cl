// Contact reduction of bodies with many contacts on one mesh: what mesh_contacts.cl does of each pair, by all
// work-items together. `many[pair]`: contacts of a pair that is reduced here, else 0; many_offsets: their prefix sum.
// An index is a number below that of all these contacts; those of a pair stand together.
//
//   many_keys       three times, each followed by a radix sort: indices in the order in which contacts are taken, by
//                   pair, then contacts before rests before hidden rests; of contacts the deepest first, then by
//                   feature; of rests the shallowest first, then by triangle
//   many_ties       contacts that are equal in all of this: by their points
//   many_gather     the contacts in that order
//   many_openers    per pair, a work-group: of each contact the first one whose part it belongs to
//   -> scan         parts
//   many_members    -> radix sort: the members of each part together, in order
//   many_parts      per part, a work-group: its way out and its middle
//   many_drop       per part, several times: whether others clear it, as far as these are decided
//   many_drop_last  per pair: what is not decided yet
//   many_left       per contact: whether its part stays
//   many_openers    of those the first one whose manifold they belong to
//   -> scan         manifolds
//   many_members    -> radix sort: the members of each manifold together, in order
//   many_choose     per manifold, a work-group: those of them that stay
//   -> scan         contacts
//   many_store      per manifold: its contacts to the front of those of the pair
//   many_rests      per pair, a work-group: whether a rest is needed
//   many_search     per rest: whether it is the first that no contact clears
//   many_finish     per pair: what comes of it
//
// Each step is O(n), a sort of n, or a walk to the first contact that clears another; all choices are by total orders.
// Host: host/contact_reduction/mesh_reduction.cpp.
#include "contact_reduction/many_mesh_choice.clh"
#include "contact_reduction/many_mesh_fates.clh"
#include "contact_reduction/many_mesh_indices.clh"
#include "contact_reduction/many_mesh_openers.clh"
#include "contact_reduction/many_mesh_rests.clh"
#include "shared/limits.h"
#pragma OPENCL FP_CONTRACT OFF

// order[index]: of a contact before it is sorted, its number among those of its pair, plus many_offsets[pair].
__kernel void contact_reduction_many_keys(const uint count, const uint step, const uint pairs,
                                          __global const uint* many_offsets, __global const uint* first_candidate,
                                          __global const uint* contact_offsets, __global const ContactRecord* c,
                                          __global uint* keys, __global uint* order) {
  const uint index = (uint)get_global_id(0);
  if (index >= count) return;
  if (step == 0u) order[index] = index;
  const uint entry = order[index], pair = pair_of_index(many_offsets, pairs, entry);
  __global const ContactRecord* own = c + (contact_offsets[first_candidate[pair]] + (entry - many_offsets[pair]));
  const uint class = class_of(own->material);
  if (step == 0u)
    keys[index] = class == CLASS_CONTACT ? own->feature : own->material & CONTACT_TRIANGLE;
  else if (step == 1u)
    keys[index] = class == CLASS_CONTACT ? ~ascending(own->depth) : ascending(own->depth);
  else
    keys[index] = 4u * pair + class;
}

// The first of a run of equal ones sorts all of it, whatever order the others see it in. Few are equal: they have the
// same part of the body and of the mesh.
__kernel void contact_reduction_many_ties(const uint count, __global const uint* many_offsets,
                                          __global const uint* first_candidate, __global const uint* contact_offsets,
                                          __global const ContactRecord* c, __global const uint* keys,
                                          __global uint* order) {
  const uint index = (uint)get_global_id(0);
  if (index >= count) return;
  const SortedContacts all = {many_offsets, first_candidate, contact_offsets, keys, order};
  const uint key = keys[index];
  if (key % 4u != CLASS_CONTACT) return;
  __global const ContactRecord* own = contact_at(&all, c, index);
  const float depth = own->depth;
  const uint feature = own->feature;
  if (index > 0u && keys[index - 1u] == key) {
    __global const ContactRecord* before = contact_at(&all, c, index - 1u);
    if (before->depth == depth && before->feature == feature) return;
  }
  const uint first = contact_offsets[first_candidate[key / 4u]] - many_offsets[key / 4u];
  for (uint end = index + 1u; end < count && keys[end] == key; ++end) {
    const uint moved = order[end];
    __global const ContactRecord* next = c + (first + moved);
    if (next->depth != depth || next->feature != feature) break;
    uint to = end;
    for (; to > index && points_precede(next, c + (first + order[to - 1u])); --to) order[to] = order[to - 1u];
    order[to] = moved;
  }
}

// left[index]: the contact is one of those that parts, and then manifolds, are made of. Makes ready for many_openers as
// well.
__kernel void contact_reduction_many_gather(const uint count, __global const uint* many_offsets,
                                            __global const uint* first_candidate, __global const uint* contact_offsets,
                                            __global const ContactRecord* c, __global const uint* keys,
                                            __global const uint* order, __global ContactRecord* sorted,
                                            __global uint* openers, __global uint* opens, __global uint* heads,
                                            __global uint* left) {
  const uint index = (uint)get_global_id(0);
  if (index >= count) return;
  const SortedContacts all = {many_offsets, first_candidate, contact_offsets, keys, order};
  sorted[index] = *contact_at(&all, c, index);
  openers[index] = heads[index] = MESH_NONE;
  opens[index] = 0u;
  left[index] = 1u;
}

// A work-group goes through a pair's contacts in order, as many at a time as it has work-items. The openers before are
// in cells, as lists that begin at heads[]; among those at hand the first work-item decides. Of manifolds, or of parts.
__attribute__((vec_type_hint(float4))) __kernel void contact_reduction_many_openers(
    const uint pairs, const uint of_parts, __global const MeshPair* mesh_pairs, __global const uint* hulls,
    __global const uint* many_offsets, __global const uint* keys, __global const ContactRecord* sorted,
    __global const uint* left, __global uint* heads, __global uint* next, __global uint* openers,
    __global uint* opens) {
  __local ulong same[LONE_GROUP];  // bits: to which of those before it at hand it belongs
  __local uint found[LONE_GROUP];
  const uint item = (uint)get_local_id(0), items = (uint)get_local_size(0);
  for (uint pair = (uint)get_group_id(0); pair < pairs; pair += (uint)get_num_groups(0)) {
    const uint begin = many_offsets[pair];
    const uint end = first_from(keys, begin, many_offsets[pair + 1u], 4u * pair + CLASS_REST);
    __global const uint* mesh = of_parts ? hulls + 4u * (size_t)hulls[mesh_pairs[pair].mesh] : 0;
    for (uint base = begin; base < end; base += items) {
      const uint index = base + item;
      const bool is_left = index < end && left[index] != 0u;
      uint opener = 0u;
      if (is_left) opener = opener_in_cells(sorted, heads, next, begin, end - begin, mesh, sorted + index);
      found[item] = opener;
      barrier(CLK_LOCAL_MEM_FENCE);
      ulong mask = 0ul;
      for (uint other = 0u; opener == MESH_NONE && other < item; ++other)
        if (found[other] == MESH_NONE && belongs_to(mesh, sorted + index, sorted + base + other)) mask |= 1ul << other;
      same[item] = mask;
      barrier(CLK_LOCAL_MEM_FENCE);
      ulong opening = 0ul;
      for (uint k = 0u; item == 0u && k < items; ++k) {
        if (found[k] != MESH_NONE) continue;
        const ulong before = same[k] & opening;
        if (before == 0ul) {
          opening |= 1ul << k;
          found[k] = base + k;
        } else {
          const uint low = (uint)before;
          found[k] = base + (low != 0u ? lowest_bit(low) : 32u + lowest_bit((uint)(before >> 32)));
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      if (is_left) {
        openers[index] = found[item];
        if (found[item] == index) {
          opens[index] = 1u;
          const float3 cell = floor3(normal_of(sorted + index) * CELLS);
          const uint hash = cell_hash((int)cell.x, (int)cell.y, (int)cell.z, end - begin);
          next[index] = atomic_xchg(heads + begin + hash, index);
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
  }
}

// ranks: prefix sum of opens.
__kernel void contact_reduction_many_members(const uint count, __global const uint* openers, __global const uint* ranks,
                                             __global uint* manifolds, __global uint* members) {
  const uint index = (uint)get_global_id(0);
  if (index >= count) return;
  const uint opener = openers[index];
  manifolds[index] = opener == MESH_NONE ? MESH_NONE : ranks[opener];
  members[index] = index;
}

// first[m]: where the members of part m begin, first[parts] where they end; ways[m]: normal and depth of its first one,
// middles[m]: the middle of those deeper than 0.
__attribute__((vec_type_hint(float4))) __kernel void contact_reduction_many_parts(
    const uint count, __global const MeshPair* mesh_pairs, __global const uint* hulls, __global const uint* keys,
    __global const ContactRecord* sorted, __global const uint* ranks, __global const uint* parts,
    __global const uint* members, __global uint* first, __global float4* ways, __global float4* middles,
    __global uint* fates) {
  __local PartSum sums[LONE_GROUP];
  const uint item = (uint)get_local_id(0), items = (uint)get_local_size(0), all = ranks[count];
  for (uint m = (uint)get_group_id(0); m < all; m += (uint)get_num_groups(0)) {
    const uint begin = first_from(parts, 0u, count, m), end = first_from(parts, begin, count, m + 1u);
    __global const ContactRecord* own = sorted + members[begin];
    const Body body = body_of_pair(mesh_pairs + keys[members[begin]] / 4u, hulls);
    const float steps = part_steps(&body);
    PartSum sum = {0, 0, 0, 0u};
    for (uint k = begin + item; k < end; k += items) add_to_part(sorted + members[k], own, steps, &sum);
    sums[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0u) {
      for (uint other = 1u; other < items; ++other) {
        sum.x += sums[other].x;
        sum.y += sums[other].y;
        sum.z += sums[other].z;
        sum.count += sums[other].count;
      }
      first[m] = begin;
      if (m + 1u == all) first[all] = end;
      ways[m] = (float4)(normal_of(own), own->depth);
      middles[m] = (float4)(middle_of_part(own, steps, &sum), 0.0f);
      fates[m] = own->depth > 0.0f ? FATE_OPEN : FATE_STAYS;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// chosen[4 m] and on: indices, in the order of choice; sizes[m]: how many.
__attribute__((vec_type_hint(float4))) __kernel void contact_reduction_many_choose(
    const uint count, __global ContactRecord* sorted, __global const uint* ranks, __global const uint* manifolds,
    __global const uint* members, __global uint* chosen, __global uint* sizes) {
  __local Choice choice;
  for (uint m = (uint)get_group_id(0); m < ranks[count]; m += (uint)get_num_groups(0)) {
    const uint begin = first_from(manifolds, 0u, count, m), end = first_from(manifolds, begin, count, m + 1u);
    choose_of_manifold(sorted, members, begin, end, &choice);
    if (get_local_id(0) == 0) {
      for (uint k = 0u; k < choice.count; ++k) chosen[4u * m + k] = choice.chosen[k];
      sizes[m] = choice.count;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// One work-item a part; fates: those before, and after.
__attribute__((vec_type_hint(float4))) __kernel void contact_reduction_many_drop(
    const uint count, __global const MeshPair* mesh_pairs, __global const uint* hulls,
    __global const uint* many_offsets, __global const uint* keys, __global const ContactRecord* sorted,
    __global const uint* ranks, __global const uint* members, __global const uint* first, __global const float4* ways,
    __global const float4* middles, __global const uint* fates, __global uint* next_fates) {
  const uint m = (uint)get_global_id(0);
  if (m >= ranks[count]) return;
  next_fates[m] = fates[m];
  if (fates[m] != FATE_OPEN) return;
  const Parts all = {sorted, members, first, ways, middles};
  const uint pair = keys[members[first[m]]] / 4u;
  __global const MeshPair* p = mesh_pairs + pair;
  const Body body = body_of_pair(p, hulls);
  next_fates[m] = fate_of(&all, p, hulls, &body, m, ranks_of_pair(many_offsets, keys, ranks, pair).y,
                          rests_of_pair(many_offsets, keys, pair), fates);
}

// One work-item a pair.
__attribute__((vec_type_hint(float4))) __kernel void contact_reduction_many_drop_last(
    const uint pairs, __global const MeshPair* mesh_pairs, __global const uint* hulls,
    __global const uint* many_offsets, __global const uint* keys, __global const ContactRecord* sorted,
    __global const uint* ranks, __global const uint* members, __global const uint* first, __global const float4* ways,
    __global const float4* middles, __global uint* fates) {
  const uint pair = (uint)get_global_id(0);
  if (pair >= pairs || many_offsets[pair] == many_offsets[pair + 1u]) return;
  const Parts all = {sorted, members, first, ways, middles};
  __global const MeshPair* p = mesh_pairs + pair;
  const Body body = body_of_pair(p, hulls);
  const uint2 own = ranks_of_pair(many_offsets, keys, ranks, pair);
  const uint2 own_rests = rests_of_pair(many_offsets, keys, pair);
  for (uint m = own.y; m > own.x; --m)
    if (fates[m - 1u] == FATE_OPEN) fates[m - 1u] = fate_of(&all, p, hulls, &body, m - 1u, own.y, own_rests, fates);
}

// Which contacts are left: those of parts that stay. Makes ready for many_openers again.
__kernel void contact_reduction_many_left(const uint count, __global const uint* ranks, __global const uint* fates,
                                          __global uint* openers, __global uint* opens, __global uint* heads,
                                          __global uint* left) {
  const uint index = (uint)get_global_id(0);
  if (index >= count) return;
  const uint opener = openers[index];
  left[index] = opener != MESH_NONE && fates[ranks[opener]] == FATE_STAYS ? 1u : 0u;
  openers[index] = heads[index] = MESH_NONE;
  opens[index] = 0u;
}

// kept: prefix sum of sizes, which are 0 where there is no manifold.
__kernel void contact_reduction_many_store(const uint count, __global const uint* many_offsets,
                                           __global const uint* first_candidate, __global const uint* contact_offsets,
                                           __global const uint* keys, __global const ContactRecord* sorted,
                                           __global const uint* ranks, __global const uint* chosen,
                                           __global const uint* kept, __global ContactRecord* c) {
  const uint m = (uint)get_global_id(0);
  if (m >= ranks[count]) return;
  const uint pair = keys[chosen[4u * m]] / 4u;
  const uint first = ranks[many_offsets[pair]];
  __global ContactRecord* to = c + contact_offsets[first_candidate[pair]] + (kept[m] - kept[first]);
  for (uint k = 0u; k < kept[m + 1u] - kept[m]; ++k) {
    to[k] = sorted[chosen[4u * m + k]];
    to[k].manifold = m - first;
  }
}

// searches[pair]: class of the rests that many_search looks at, or SEARCH_*; found[pair]: none yet.
__attribute__((vec_type_hint(float4))) __kernel void contact_reduction_many_rests(
    const uint pairs, __global const MeshPair* mesh_pairs, __global const uint* hulls,
    __global const uint* many_offsets, __global const uint* first_candidate, __global const uint* contact_offsets,
    __global const uint* keys, __global const ContactRecord* sorted, __global const uint* ranks,
    __global const uint* kept, __global const ContactRecord* c, __global uint* searches, __global uint* found) {
  __local uint cleared;
  for (uint pair = (uint)get_group_id(0); pair < pairs; pair += (uint)get_num_groups(0)) {
    const uint begin = many_offsets[pair], end = many_offsets[pair + 1u];
    __global const MeshPair* p = mesh_pairs + pair;
    const Body body = body_of_pair(p, hulls);
    const uint2 own_manifolds = ranks_of_pair(many_offsets, keys, ranks, pair);
    const uint first = contact_offsets[first_candidate[pair]];
    const uint last = begin == end ? first : first + (kept[own_manifolds.y] - kept[own_manifolds.x]);
    ContactRecord own;
    rest_of_inside(p, &body, &own);
    const bool has_own = own.depth > 0.0f;
    const bool own_is_cleared = inside_is_cleared_by_any(p, &body, &own, c, first, has_own ? last : first, &cleared);
    uint class = CLASS_REST;
    uint rests = first_from(keys, begin, end, 4u * pair + CLASS_REST);
    uint rests_end = first_from(keys, rests, end, 4u * pair + CLASS_HIDDEN);
    if (rests == rests_end && !has_own && !(first < last && c[first].depth > 0.0f)) {
      class = CLASS_HIDDEN;
      rests_end = end;
    }
    const float deepest = rests < rests_end ? max(own.depth, sorted[rests_end - 1u].depth) : own.depth;
    const bool is_left =
        is_any_left(p, hulls, &body, sorted, rests, rests_end, as_deep_as(deepest), c, first, last, &cleared);
    if (get_local_id(0) == 0) {
      found[pair] = MESH_NONE;
      searches[pair] = class;
      if (has_own && !own_is_cleared)
        searches[pair] = SEARCH_OWN;
      else if (!is_left)
        searches[pair] = SEARCH_NONE;
    }
  }
}

// One work-item an index.
__attribute__((vec_type_hint(float4))) __kernel void contact_reduction_many_search(
    const uint count, __global const MeshPair* mesh_pairs, __global const uint* hulls,
    __global const uint* many_offsets, __global const uint* first_candidate, __global const uint* contact_offsets,
    __global const uint* keys, __global const ContactRecord* sorted, __global const uint* ranks,
    __global const uint* kept, __global const ContactRecord* c, __global const uint* searches, __global uint* found) {
  const uint index = (uint)get_global_id(0);
  if (index >= count) return;
  const uint pair = keys[index] / 4u, class = keys[index] % 4u;
  // One before it that is found already is the one, or comes after the one.
  if (class == CLASS_CONTACT || searches[pair] != class || *(volatile __global uint*)(found + pair) < index) return;
  __global const MeshPair* p = mesh_pairs + pair;
  const Body body = body_of_pair(p, hulls);
  const uint2 own_manifolds = ranks_of_pair(many_offsets, keys, ranks, pair);
  const uint first = contact_offsets[first_candidate[pair]];
  const ContactRecord rest = sorted[index];
  if (!is_cleared(p, hulls, &body, &rest, c, first, first + (kept[own_manifolds.y] - kept[own_manifolds.x])))
    atomic_min(found + pair, index);
}

// One work-item a pair.
__attribute__((vec_type_hint(float4))) __kernel void contact_reduction_many_finish(
    const uint pairs, __global const MeshPair* mesh_pairs, __global const uint* hulls,
    __global const uint* many_offsets, __global const uint* keys, __global const ContactRecord* sorted,
    __global const uint* ranks, __global const uint* kept_offsets, __global const uint* searches,
    __global const uint* found_rests, __global ContactRecord* rests, __global uint* kept, __global uint* manifolds,
    __global uint* found) {
  const uint pair = (uint)get_global_id(0);
  if (pair >= pairs || many_offsets[pair] == many_offsets[pair + 1u]) return;
  __global const MeshPair* p = mesh_pairs + pair;
  const uint2 own = ranks_of_pair(many_offsets, keys, ranks, pair);
  uint contacts = kept_offsets[own.y] - kept_offsets[own.x], number = own.y - own.x;
  ContactRecord rest;
  bool is_needed = found_rests[pair] != MESH_NONE;
  if (searches[pair] == SEARCH_OWN) {
    const Body body = body_of_pair(p, hulls);
    rest_of_inside(p, &body, &rest);
    is_needed = true;
  } else if (is_needed) {
    rest = sorted[found_rests[pair]];
    rest.material &= CONTACT_TRIANGLE;
  }
  if (is_needed) {
    rest.manifold = number++;
    rests[pair] = rest;
    ++contacts;
  }
  kept[pair] = contacts;
  manifolds[pair] = number;
  if (number > 0u) atomic_inc(found);
}
