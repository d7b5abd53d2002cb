// Follows manifolds and contacts from the last frame to this one; docs/tracking.md has the definition.
//
//   names        per manifold: where the manifolds of its name are, in this frame and in the last one
//   (large       per manifold, only where a name has many contacts: these, to be sorted by name and feature)
//   contacts     per contact: the one of the last frame that it goes on with
//   persist      per name: the manifold of the last frame that each of its manifolds goes on with
//   -> scan      indices of those that ended
//   changes      per manifold of either frame: its event
//   carry_slots  per contact: the slot of the one that it goes on with, or zero
//
// Manifolds stand in the order of their names: body_a, body_b, shapes. A name's contacts are looked through one by one
// where they are few, else by bisection in their sorted list. Host: host/tracking/contact_tracking.cpp. Reference:
// host/reference/tracking/contact_tracking.cpp.
#include "shared/abi.h"

#define NONE 0xFFFFFFFFu
#define TERRAIN 0xFFFFFFFFu

// The manifolds of one frame and their contacts.
typedef struct Frame {
  __global const TrackedManifold* manifolds;
  __global const uint* features;       // per contact
  __global const uint* large_offsets;  // per manifold: where the contacts of its name begin in `large`, if there
  __global const ulong* large;         // index of the name, feature: sorted
  __global const uint* large_contacts;
  uint count, contacts;
} Frame;

// First contact of manifold m; of m = count, the end.
uint first_contact(__global const TrackedManifold* manifolds, uint count, uint contacts, uint m) {
  return m < count ? manifolds[m].first : contacts;
}

// Whether `m` stands before the name, or, `or_at` it, has the name itself.
bool is_before(__global const TrackedManifold* m, const uint3 name, bool or_at) {
  if (m->body_a != name.x) return m->body_a < name.x;
  if (m->body_b != name.y) return m->body_b < name.y;
  if (m->shapes != name.z) return m->shapes < name.z;
  return or_at;
}

// The number of manifolds before the name (`or_at` it), looked for from `guess` on, to either side.
uint count_before(__global const TrackedManifold* manifolds, uint count, const uint3 name, bool or_at, uint guess) {
  uint low = 0u, high = count;  // the answer is from low to high
  if (guess < count && is_before(manifolds + guess, name, or_at)) {
    low = guess + 1u;
    for (uint step = 1u; step < count - guess; step *= 2u) {
      if (!is_before(manifolds + guess + step, name, or_at)) {
        high = guess + step;
        break;
      }
      low = guess + step + 1u;
      if (step > count / 2u) break;
    }
  } else {
    high = guess < count ? guess : count;
    const uint from = high;
    for (uint step = 1u; step <= from; step *= 2u) {
      if (is_before(manifolds + (from - step), name, or_at)) {
        low = from - step + 1u;
        break;
      }
      high = from - step;
      if (step > count / 2u) break;
    }
  }
  while (low < high) {
    const uint middle = low + (high - low) / 2u;
    if (is_before(manifolds + middle, name, or_at))
      low = middle + 1u;
    else
      high = middle;
  }
  return low;
}

// Over the manifolds of the longer frame. manifold_of: per contact. large_counts: per manifold its contacts where its
// name has more than `few`, else 0; large_total: their sum is added. ended: per manifold of the last frame, 1.
__kernel void tracking_names(const uint count, const uint contacts, __global const TrackedManifold* manifolds,
                             const uint last_count, __global const TrackedManifold* last_manifolds, const uint few,
                             __global TrackedName* names, __global uint* manifold_of, __global uint* large_counts,
                             __global uint* large_total, __global uint* ended) {
  const uint m = (uint)get_global_id(0);
  if (m < last_count) ended[m] = 1u;
  if (m >= count) return;
  const uint3 name = (uint3)(manifolds[m].body_a, manifolds[m].body_b, manifolds[m].shapes);
  const uint first = count_before(manifolds, count, name, false, m);
  const uint end = count_before(manifolds, count, name, true, m);
  const uint last_first = count_before(last_manifolds, last_count, name, false, m);
  const uint last_end = count_before(last_manifolds, last_count, name, true, last_first);
  names[m].first = first;
  names[m].end = end;
  names[m].last_first = last_first;
  names[m].last_end = last_end;

  const uint begin = manifolds[m].first, stop = first_contact(manifolds, count, contacts, m + 1u);
  for (uint c = begin; c < stop; ++c) manifold_of[c] = m;
  const uint of_name = first_contact(manifolds, count, contacts, end) - manifolds[first].first;
  const uint large = of_name > few ? stop - begin : 0u;
  large_counts[m] = large;
  if (large > 0u) atomic_add(large_total, large);
}

// The contacts of names with many, keyed by where the name begins in this list and by feature.
__kernel void tracking_large(const uint count, const uint contacts, __global const TrackedManifold* manifolds,
                             __global const TrackedName* names, __global const uint* features,
                             __global const uint* large_offsets, __global ulong* large, __global uint* large_contacts) {
  const uint m = (uint)get_global_id(0);
  if (m >= count) return;
  uint to = large_offsets[m];
  if (large_offsets[m + 1u] == to) return;
  const ulong name = (ulong)large_offsets[names[m].first] << 32;
  const uint stop = first_contact(manifolds, count, contacts, m + 1u);
  for (uint c = manifolds[m].first; c < stop; ++c, ++to) {
    large[to] = name | features[c];
    large_contacts[to] = c;
  }
}

// Of entries [begin, end) of a sorted list the first whose feature is `feature` or more, with contact `contact` or a
// later one if it is the same.
uint first_entry(const Frame* f, uint begin, uint end, uint feature, uint contact) {
  while (begin < end) {
    const uint middle = begin + (end - begin) / 2u;
    const uint at = (uint)f->large[middle];
    if (at < feature || (at == feature && f->large_contacts[middle] < contact))
      begin = middle + 1u;
    else
      end = middle;
  }
  return begin;
}

// How many contacts before `contact` have its feature, among those of manifolds [first, end), which are of its name.
uint rank_of(const Frame* f, uint first, uint end, uint few, uint feature, uint contact) {
  const uint begin = f->manifolds[first].first;
  if (first_contact(f->manifolds, f->count, f->contacts, end) - begin > few) {
    const uint from = f->large_offsets[first], to = f->large_offsets[end];
    return first_entry(f, from, to, feature, contact) - first_entry(f, from, to, feature, 0u);
  }
  uint rank = 0u;
  for (uint c = begin; c < contact; ++c) rank += f->features[c] == feature ? 1u : 0u;
  return rank;
}

// The contact of this feature with this rank, the inverse; or NONE.
uint contact_of_rank(const Frame* f, uint first, uint end, uint few, uint feature, uint rank) {
  if (first == end) return NONE;
  const uint begin = f->manifolds[first].first, stop = first_contact(f->manifolds, f->count, f->contacts, end);
  if (stop - begin > few) {
    const uint to = f->large_offsets[end], entry = first_entry(f, f->large_offsets[first], to, feature, 0u);
    return rank < to - entry && (uint)f->large[entry + rank] == feature ? f->large_contacts[entry + rank] : NONE;
  }
  for (uint c = begin; c < stop; ++c) {
    if (f->features[c] != feature) continue;
    if (rank == 0u) return c;
    --rank;
  }
  return NONE;
}

__kernel void tracking_contacts(const uint few, const uint count, const uint contacts,
                                __global const TrackedManifold* manifolds, __global const uint* features,
                                __global const uint* large_offsets, __global const ulong* large,
                                __global const uint* large_contacts, const uint last_count, const uint last_contacts,
                                __global const TrackedManifold* last_manifolds, __global const uint* last_features,
                                __global const uint* last_large_offsets, __global const ulong* last_large,
                                __global const uint* last_large_contacts, __global const TrackedName* names,
                                __global const uint* manifold_of, __global uint* previous) {
  const uint c = (uint)get_global_id(0);
  if (c >= contacts) return;
  __global const TrackedName* name = names + manifold_of[c];
  if (name->last_first == name->last_end) {
    previous[c] = NONE;
    return;
  }
  const Frame now = {manifolds, features, large_offsets, large, large_contacts, count, contacts};
  const Frame last = {last_manifolds,      last_features, last_large_offsets, last_large,
                      last_large_contacts, last_count,    last_contacts};
  const uint rank = rank_of(&now, name->first, name->end, few, features[c], c);
  previous[c] = contact_of_rank(&last, name->last_first, name->last_end, few, features[c], rank);
}

// The manifold of the last frame that has not been gone on with and has most of the contacts that [begin, end) go on
// with; or NONE.
uint best_manifold(uint begin, uint end, __global const uint* previous, __global const uint* last_manifold_of,
                   __global const uint* ended) {
  uint best = NONE, most = 0u;
  for (uint c = begin; c < end; ++c) {
    if (previous[c] == NONE) continue;
    const uint manifold = last_manifold_of[previous[c]];
    if (ended[manifold] == 0u) continue;
    uint matches = 1u;
    for (uint d = c + 1u; d < end; ++d)
      if (previous[d] != NONE && last_manifold_of[previous[d]] == manifold) ++matches;
    if (matches > most || (matches == most && manifold < best)) {
      best = manifold;
      most = matches;
    }
  }
  return best;
}

// One work-item a name, that of its first manifold. continues: per manifold, the one of the last frame or NONE. ended:
// per manifold of the last frame, 1 before, and 0 after where it is gone on with.
__kernel void tracking_persist(const uint count, const uint contacts, __global const TrackedManifold* manifolds,
                               __global const TrackedName* names, __global const uint* last_manifold_of,
                               __global const uint* previous, __global uint* continues, __global uint* ended) {
  const uint first = (uint)get_global_id(0);
  if (first >= count || names[first].first != first) return;
  const uint end = names[first].end;
  uint without = 0u, lone = first;
  for (uint m = first; m < end; ++m) {
    const uint stop = first_contact(manifolds, count, contacts, m + 1u);
    const uint best = best_manifold(manifolds[m].first, stop, previous, last_manifold_of, ended);
    continues[m] = best;
    if (best != NONE) {
      ended[best] = 0u;
    } else {
      ++without;
      lone = m;
    }
  }
  // Two bodies that keep touching, on other features.
  const uint last_first = names[first].last_first, last_end = names[first].last_end;
  if (manifolds[first].body_b == TERRAIN || without != 1u || last_end - last_first != end - first) return;
  for (uint o = last_first; o < last_end; ++o)
    if (ended[o] != 0u) {
      ended[o] = 0u;
      continues[lone] = o;
    }
}

// Events of this frame's manifolds, then of those of the last one that ended.
__kernel void tracking_changes(const uint count, __global const TrackedManifold* manifolds,
                               __global const uint* continues, const uint last_count,
                               __global const TrackedManifold* last_manifolds, __global const uint* ended,
                               __global const uint* ended_offsets, __global ManifoldChange* changes) {
  const uint item = (uint)get_global_id(0);
  if (item >= count + last_count) return;
  const bool is_last = item >= count;
  const uint m = is_last ? item - count : item;
  if (is_last && ended[m] == 0u) return;
  __global const TrackedManifold* manifold = (is_last ? last_manifolds : manifolds) + m;
  __global ManifoldChange* to = changes + (is_last ? count + ended_offsets[m] : m);
  to->body_a = manifold->body_a;
  to->body_b = manifold->body_b;
  to->shapes = manifold->shapes;
  to->change = is_last ? CHANGE_END : continues[m] == NONE ? CHANGE_BEGIN : CHANGE_PERSIST;
  to->manifold = is_last ? NONE : m;
  to->previous = is_last ? m : continues[m];
}

__kernel void tracking_carry_slots(const uint contacts, __global const uint* previous, __global const uint4* last_slots,
                                   __global uint4* slots) {
  const uint c = (uint)get_global_id(0);
  if (c >= contacts) return;
  slots[c] = previous[c] == NONE ? (uint4)(0u, 0u, 0u, 0u) : last_slots[previous[c]];
}
