// Brings the pairs that touch into the order of body_a, then body_b, and their contacts with them, whatever order they
// were found in:
//
//   touching       per result: counts body_a's touching pairs
//   -> scan        where body_a's pairs begin
//   bucket         per result: takes a place among body_a's pairs, any
//   sort_buckets   per body: its pairs by body_b, and the number of contacts of each
//   -> scan        where each pair's contacts go
//   gather_tags    per touching pair, in scenes with meshes: what is said of its contacts beside the rest
//   gather_pairs   per touching pair: its contacts to their places
//
// A body with more than `many` pairs (the ground that all others lie on has as many as there are bodies) is left out by
// sort_buckets. Where there are such bodies, counted in touching[bodies], their pairs are sorted by all work-items:
//
//   crowd_sizes    per body: its pairs, where these are many
//   -> scan        where they begin among all of these
//   crowd_keys     per touching pair of such a body: both bodies, and where the pair is
//   -> radix sort
//   crowd_take     per pair of these: takes the pair
//   crowd_store    per pair of these: to its place, with its number of contacts (a pair of a mesh stands once for each
//                  of its manifolds)
//
// Host: host/contact_reduction/pair_order.cpp.
#include "launch/fetch_early.clh"
#include "shared/abi.h"

#define PAIRS_AHEAD 32u

__kernel void contact_reduction_touching(const uint count, const uint bodies, const uint many,
                                         __global const PairResult* results, __global uint* touching) {
  const uint item = (uint)get_global_id(0);
  if (item >= count || results[item].count == 0u) return;
  if (atomic_inc(touching + results[item].body_a) == many) atomic_inc(touching + bodies);
}

// touching[a] is used up: every place from offsets[a] on is taken once.
__kernel void contact_reduction_bucket(const uint count, __global const PairResult* results, __global uint* touching,
                                       __global const uint* offsets, __global PairResult* ordered) {
  const uint item = (uint)get_global_id(0);
  if (item >= count || results[item].count == 0u) return;
  if (FETCHES_EARLY && item + PAIRS_AHEAD < count) FETCH_EARLY(ordered + offsets[results[item + PAIRS_AHEAD].body_a]);
  const uint a = results[item].body_a;
  ordered[offsets[a] + (atomic_dec(touching + a) - 1u)] = results[item];
}

// A pair of a mesh stands once for each of its manifolds, in the order of their contacts.
bool pair_precedes(const PairResult* a, __global const PairResult* b) {
  return a->body_b != b->body_b ? a->body_b < b->body_b : a->first < b->first;
}

// Sifts the head of heap [0, count) down.
void sift_down(__global PairResult* heap, uint head, uint count) {
  const PairResult moved = heap[head];
  while (true) {
    uint child = 2u * head + 1u;
    if (child >= count) break;
    if (child + 1u < count) {
      const PairResult left = heap[child];
      if (pair_precedes(&left, heap + child + 1u)) ++child;
    }
    if (!pair_precedes(&moved, heap + child)) break;
    heap[head] = heap[child];
    head = child;
  }
  heap[head] = moved;
}

// One work-item a body.
__kernel void contact_reduction_sort_buckets(const uint count, const uint many, __global const uint* offsets,
                                             __global PairResult* ordered, __global uint* contact_counts) {
  const uint body = (uint)get_global_id(0);
  if (body >= count) return;
  const uint begin = offsets[body], length = offsets[body + 1u] - begin;
  if (length > many) return;
  __global PairResult* own = ordered + begin;
  if (length <= 24u) {
    for (uint k = 1u; k < length; ++k) {
      const PairResult moved = own[k];
      uint to = k;
      for (; to > 0u && pair_precedes(&moved, own + to - 1u); --to) own[to] = own[to - 1u];
      if (to != k) own[to] = moved;
    }
  } else {
    for (uint k = length / 2u; k > 0u; --k) sift_down(own, k - 1u, length);
    for (uint end = length - 1u; end > 0u; --end) {
      const PairResult last = own[end];
      own[end] = own[0];
      own[0] = last;
      sift_down(own, 0u, end);
    }
  }
  for (uint k = 0u; k < length; ++k) contact_counts[begin + k] = own[k].count;
}

__kernel void contact_reduction_crowd_sizes(const uint count, const uint many, __global const uint* offsets,
                                            __global uint* sizes) {
  const uint body = (uint)get_global_id(0);
  if (body >= count) return;
  const uint length = offsets[body + 1u] - offsets[body];
  sizes[body] = length > many ? length : 0u;
}

// Of `count` touching pairs. A key has body_a above the lowest `bits` bits, body_b in these.
__kernel void contact_reduction_crowd_keys(const uint count, const uint many, const uint bits,
                                           __global const uint* offsets, __global const uint* crowd_offsets,
                                           __global const PairResult* ordered, __global ulong* keys,
                                           __global uint* indices) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  const uint a = ordered[item].body_a;
  if (offsets[a + 1u] - offsets[a] <= many) return;
  const uint at = crowd_offsets[a] + (item - offsets[a]);
  keys[at] = (ulong)a << bits | (ulong)ordered[item].body_b;
  indices[at] = item;
}

__kernel void contact_reduction_crowd_take(const uint count, __global const uint* indices,
                                           __global const PairResult* ordered, __global PairResult* crowd) {
  const uint item = (uint)get_global_id(0);
  if (item < count) crowd[item] = ordered[indices[item]];
}

// Of the results that are of one pair, which stand together: how far the one at `item` is to go, back or on.
int to_its_manifold(__global const PairResult* crowd, uint count, uint item) {
  const PairResult own = crowd[item];
  uint before = item, smaller = 0u;
  for (; before > 0u && crowd[before - 1u].body_a == own.body_a && crowd[before - 1u].body_b == own.body_b; --before)
    if (crowd[before - 1u].first < own.first) ++smaller;
  for (uint k = item + 1u; k < count && crowd[k].body_a == own.body_a && crowd[k].body_b == own.body_b; ++k)
    if (crowd[k].first < own.first) ++smaller;
  return (int)(before + smaller) - (int)item;
}

__kernel void contact_reduction_crowd_store(const uint count, const uint has_meshes, __global const uint* offsets,
                                            __global const uint* crowd_offsets, __global const PairResult* crowd,
                                            __global PairResult* ordered, __global uint* contact_counts) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  const PairResult own = crowd[item];
  const int further = has_meshes != 0u ? to_its_manifold(crowd, count, item) : 0;
  const uint to = offsets[own.body_a] + (uint)((int)(item - crowd_offsets[own.body_a]) + further);
  ordered[to] = own;
  contact_counts[to] = own.count;
}

// ordered[k].first becomes the place of its contacts among `contacts`.
// `tagged`: the contacts in the store that have tags come first. Before gather_pairs, which changes ordered[k].first.
__kernel void contact_reduction_gather_tags(const uint count, __global const PairResult* ordered,
                                            __global const uint* contact_offsets, const uint tagged,
                                            __global const MeshTag* store, __global MeshTag* tags) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  const uint from = ordered[item].first, to = contact_offsets[item], n = ordered[item].count;
  for (uint k = 0u; k < n; ++k) {
    MeshTag tag;
    tag.element = 0xFFFFFFFFu;
    tag.material = 0u;
    if (from + k < tagged) tag = store[from + k];
    tags[to + k] = tag;
  }
}

__kernel void contact_reduction_gather_pairs(const uint count, __global PairResult* ordered,
                                             __global const uint* contact_offsets,
                                             __global const PairContactRecord* store,
                                             __global PairContactRecord* contacts) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  if (FETCHES_EARLY && item + PAIRS_AHEAD < count) FETCH_EARLY(store + ordered[item + PAIRS_AHEAD].first);
  const uint from = ordered[item].first, to = contact_offsets[item], n = ordered[item].count;
  for (uint k = 0u; k < n; ++k) contacts[to + k] = store[from + k];
  ordered[item].first = to;
}
