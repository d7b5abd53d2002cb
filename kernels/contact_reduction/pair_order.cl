// Brings the pairs that touch into the order of body_a, then body_b, and their contacts with them, whatever order they
// were found in:
//
//   touching       per result: counts body_a's touching pairs
//   -> scan        where body_a's pairs begin
//   bucket         per result: takes an index among body_a's pairs, any
//   sort_buckets   per body: its pairs by body_b, and the number of contacts of each
//   -> scan        where each pair's contacts go
//   gather_tags    per touching pair, in scenes with meshes: what is said of its contacts beside the rest
//   gather_pairs   per touching pair: its contacts to their indices
//
// These may be sent off before the host knows how much there is: each finds the true numbers in `found`, and does
// nothing where there is more than the room.
//
// A body with more than `many` pairs (the ground that all others lie on has as many as there are bodies) is left out by
// sort_buckets. Where there are such bodies, counted in found[FOUND_CROWDED], their pairs are sorted by all work-items:
//
//   -> scan        of what sort_buckets leaves out: where each body's begin among all of these
//   crowd_take     per touching pair of such a body: takes the pair, and makes its key of both bodies
//   -> radix sort  on a GPU not where they are few
//   crowd_store    per pair of these: to its index, with its number of contacts (a pair of a mesh stands once for each
//                  of its manifolds); where they are not sorted, by counting those that precede it
//
// Host: host/contact_reduction/pair_order.cpp.
#include "launch/fetch_early.clh"
#include "shared/abi.h"

#define PAIRS_AHEAD 32u

// Whether all pairs, `room` at most, were looked at, and their contacts stored, which takes `stored` slots at most.
bool has_all(__global const uint* found, uint room, uint stored) {
  return found[FOUND_PAIRS] <= room && found[FOUND_MISSED] == 0u && found[FOUND_STORED] <= stored;
}

// Results: those of pairs, `pairs` at most; `others` more stand behind these.
__kernel void contact_reduction_touching(const uint pairs, const uint others, const uint stored, const uint many,
                                         __global uint* found, __global const PairResult* results,
                                         __global uint* touching) {
  const uint item = (uint)get_global_id(0);
  results += RESULT_HEAD;
  if (!has_all(found, pairs, stored) || item >= found[FOUND_PAIRS] + others || results[item].count == 0u) return;
  if (atomic_inc(touching + results[item].body_a) == many) atomic_inc(found + FOUND_CROWDED);
}

// touching[a] is used up: every index from offsets[a] on, of which there are `room`, is taken once.
__kernel void contact_reduction_bucket(const uint pairs, const uint others, const uint stored, const uint bodies,
                                       const uint room, __global uint* found, __global const PairResult* results,
                                       __global uint* touching, __global const uint* offsets,
                                       __global PairResult* ordered) {
  const uint item = (uint)get_global_id(0), count = found[FOUND_PAIRS] + others;
  results += RESULT_HEAD;
  ordered += RESULT_HEAD;
  if (item == 0u) found[FOUND_TOUCHING] = offsets[bodies];
  if (!has_all(found, pairs, stored) || offsets[bodies] > room || item >= count || results[item].count == 0u) return;
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

// One work-item a body. `crowd_sizes`: pairs of each crowded body, 0 for the others, where `crowded` asks for them.
__kernel void contact_reduction_sort_buckets(const uint count, const uint many, const uint room, const uint crowded,
                                             __global const uint* offsets, __global PairResult* ordered,
                                             __global uint* contact_counts, __global uint* crowd_sizes) {
  const uint body = (uint)get_global_id(0);
  if (body >= count) return;
  const uint begin = offsets[body], length = offsets[body + 1u] - begin;
  if (crowded != 0u) crowd_sizes[body] = length > many ? length : 0u;
  if (offsets[count] > room || length > many) return;
  __global PairResult* own = ordered + RESULT_HEAD + begin;
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

// Pairs of crowded bodies; none where there are more than the room.
uint crowd_pairs(uint bodies, __global const uint* crowd_offsets, uint room) {
  return crowd_offsets[bodies] <= room ? crowd_offsets[bodies] : 0u;
}

// Of the touching pairs, or, where there are more of them, of bodies, or of pairs of crowded bodies that there is room
// for. A key has body_b in the lowest `bits` bits, and above them where its body_a begins among the crowded ones: by
// that, rounded down to a multiple of `many`, they differ. What is not in use comes last. Without `sorts` there are no
// keys. The sizes of crowded bodies become 0 again.
__kernel void contact_reduction_crowd_take(const uint bodies, const uint room, const uint many, const uint bits,
                                           const uint sorts, const uint crowd_room, __global const uint* offsets,
                                           __global const uint* crowd_offsets, __global uint* crowd_sizes,
                                           __global const PairResult* ordered, __global uint* found,
                                           __global PairResult* crowd, __global ulong* keys, __global uint* indices) {
  const uint item = (uint)get_global_id(0), count = crowd_pairs(bodies, crowd_offsets, crowd_room);
  if (item == 0u) found[FOUND_CROWD] = crowd_offsets[bodies];
  if (item < bodies) crowd_sizes[item] = 0u;
  if (sorts != 0u && item >= count && item < crowd_room) {
    keys[item] = 0xFFFFFFFFFFFFFFFFul;
    indices[item] = 0u;
  }
  if (count == 0u || offsets[bodies] > room || item >= offsets[bodies]) return;
  const PairResult own = ordered[RESULT_HEAD + item];
  const uint begin = offsets[own.body_a], at = crowd_offsets[own.body_a] + (item - begin);
  if (offsets[own.body_a + 1u] - begin <= many) return;
  crowd[at] = own;
  if (sorts == 0u) return;
  keys[at] = (ulong)(crowd_offsets[own.body_a] / many) << bits | (ulong)own.body_b;
  indices[at] = at;
}

// Of the results that are of one pair, whose indices stand together: how many indices the one at `item` is to go, back
// or on.
int to_its_manifold(__global const PairResult* crowd, __global const uint* indices, uint count, uint item) {
  const PairResult own = crowd[indices[item]];
  uint before = item, smaller = 0u;
  for (; before > 0u; --before) {
    const PairResult other = crowd[indices[before - 1u]];
    if (other.body_a != own.body_a || other.body_b != own.body_b) break;
    if (other.first < own.first) ++smaller;
  }
  for (uint k = item + 1u; k < count; ++k) {
    const PairResult other = crowd[indices[k]];
    if (other.body_a != own.body_a || other.body_b != own.body_b) break;
    if (other.first < own.first) ++smaller;
  }
  return (int)(before + smaller) - (int)item;
}

__kernel void contact_reduction_crowd_store(const uint bodies, const uint room, const uint crowd_room,
                                            const uint has_meshes, const uint sorted, __global const uint* offsets,
                                            __global const uint* crowd_offsets, __global const PairResult* crowd,
                                            __global const uint* indices, __global PairResult* ordered,
                                            __global uint* contact_counts) {
  const uint item = (uint)get_global_id(0), count = crowd_pairs(bodies, crowd_offsets, crowd_room);
  if (offsets[bodies] > room || item >= count) return;
  const PairResult own = crowd[sorted != 0u ? indices[item] : item];
  uint to = offsets[own.body_a];
  if (sorted != 0u) {
    const int further = has_meshes != 0u ? to_its_manifold(crowd, indices, count, item) : 0;
    to += (uint)((int)(item - crowd_offsets[own.body_a]) + further);
  } else {
    for (uint k = crowd_offsets[own.body_a]; k < crowd_offsets[own.body_a + 1u]; ++k)
      to += pair_precedes(&own, crowd + k) ? 0u : 1u;
    --to;  // it does not precede itself
  }
  ordered[RESULT_HEAD + to] = own;
  contact_counts[to] = own.count;
}

// ordered[k].first becomes the index of its contacts among `contacts`.
// `tagged`: the contacts in the store that have tags come first. Before gather_pairs, which changes ordered[k].first.
__kernel void contact_reduction_gather_tags(const uint count, __global const PairResult* ordered,
                                            __global const uint* contact_offsets, const uint tagged,
                                            __global const MeshTag* store, __global MeshTag* tags) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  ordered += RESULT_HEAD;
  const uint from = ordered[item].first, to = contact_offsets[item], n = ordered[item].count;
  for (uint k = 0u; k < n; ++k) {
    MeshTag tag;
    tag.element = 0xFFFFFFFFu;
    tag.material = 0u;
    if (from + k < tagged) tag = store[from + k];
    tags[to + k] = tag;
  }
}

// `pairs`, `stored`, `room`, `contact_room`: what there is room for; `crowd_room`: for pairs of crowded bodies, which
// are in order.
__kernel void contact_reduction_gather_pairs(const uint pairs, const uint stored, const uint room,
                                             const uint contact_room, const uint crowd_room, __global const uint* found,
                                             __global PairResult* ordered, __global const uint* contact_offsets,
                                             __global const PairContactRecord* store,
                                             __global PairContactRecord* contacts) {
  const uint item = (uint)get_global_id(0), count = found[FOUND_TOUCHING];
  if (!has_all(found, pairs, stored) || found[FOUND_CONTACTS] > contact_room) return;
  if (found[FOUND_CROWDED] != 0u && (crowd_room == 0u || found[FOUND_CROWD] > crowd_room)) return;
  if (item >= count || count > room) return;
  ordered += RESULT_HEAD;
  if (FETCHES_EARLY && item + PAIRS_AHEAD < count) FETCH_EARLY(store + ordered[item + PAIRS_AHEAD].first);
  const uint from = ordered[item].first, to = contact_offsets[item], n = ordered[item].count;
  for (uint k = 0u; k < n; ++k) contacts[to + k] = store[from + k];
  ordered[item].first = to;
}
