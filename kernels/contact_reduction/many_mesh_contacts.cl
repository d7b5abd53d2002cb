// Contact reduction of bodies with many contacts on one mesh: what mesh_contacts.cl does of each pair, by all
// work-items together. `many[pair]`: contacts of a pair that is reduced here, else 0; many_offsets: their prefix sum.
// A place is a number below that of all these contacts; those of a pair stand together.
//
//   many_keys       three times, each followed by a radix sort: places in the order in which contacts are taken, by
//   pair,
//                   then contacts before rests before hidden rests; of contacts the deepest first, then by feature; of
//                   rests the shallowest first, then by triangle
//   many_ties       contacts that are equal in all of this: by their points
//   many_gather     the contacts to their places
//   many_openers    per pair, a work-group: of each contact the first one with its normal that opens a manifold
//   -> scan         manifolds
//   many_members    -> radix sort: the members of each manifold together, in order
//   many_choose     per manifold, a work-group: those of them that stay
//   many_drop       per manifold, several times: whether others clear it, as far as these are decided
//   many_drop_last  per pair: what is not decided yet
//   many_kept       -> scan, scan
//   many_store      per manifold: its contacts to the front of those of the pair
//   many_rests      per pair, a work-group: whether a rest is needed
//   many_search     per rest: whether it is the first that no contact clears
//   many_finish     per pair: what comes of it
//
// Each step is O(n), a sort of n, or a walk to the first contact that clears another; all choices are by total orders.
// Host: host/contact_reduction/mesh_reduction.cpp.
#include "contact_reduction/cleared.clh"
#include "shared/limits.h"
#pragma OPENCL FP_CONTRACT OFF

// Classes of contacts.
#define CLASS_CONTACT 0u
#define CLASS_REST 1u
#define CLASS_HIDDEN 2u

// What becomes of a manifold.
#define FATE_OPEN 0u
#define FATE_STAYS 1u
#define FATE_DROPPED 2u

// What becomes of the rests of a pair: one that is looked for among those of a class, or its own, or none.
#define SEARCH_OWN 3u
#define SEARCH_NONE 4u

// First of sorted numbers [begin, end) that is no less than x.
uint first_from(__global const uint* sorted, uint begin, uint end, uint x) {
  while (begin < end) {
    const uint middle = begin + (end - begin) / 2u;
    if (sorted[middle] < x)
      begin = middle + 1u;
    else
      end = middle;
  }
  return begin;
}

// The pair that a place belongs to.
uint pair_of_place(__global const uint* many_offsets, uint pairs, uint place) {
  return first_from(many_offsets, 0u, pairs, place + 1u) - 1u;
}
uint class_of(uint material) {
  return !(material & CONTACT_REST) ? CLASS_CONTACT : (material & CONTACT_HIDDEN ? CLASS_HIDDEN : CLASS_REST);
}

// A float as a number that is as great.
uint ascending(float value) {
  const uint bits = as_uint(value + 0.0f == 0.0f ? 0.0f : value);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

// order[place]: of a contact before it is sorted, its number among those of its pair, plus many_offsets[pair].
__kernel void contact_reduction_many_keys(const uint count, const uint step, const uint pairs,
                                          __global const uint* many_offsets, __global const uint* first_candidate,
                                          __global const uint* contact_offsets, __global const ContactRecord* c,
                                          __global uint* keys, __global uint* order) {
  const uint place = (uint)get_global_id(0);
  if (place >= count) return;
  if (step == 0u) order[place] = place;
  const uint entry = order[place], pair = pair_of_place(many_offsets, pairs, entry);
  __global const ContactRecord* own = c + (contact_offsets[first_candidate[pair]] + (entry - many_offsets[pair]));
  const uint class = class_of(own->material);
  if (step == 0u)
    keys[place] = class == CLASS_CONTACT ? own->feature : own->material & CONTACT_TRIANGLE;
  else if (step == 1u)
    keys[place] = class == CLASS_CONTACT ? ~ascending(own->depth) : ascending(own->depth);
  else
    keys[place] = 4u * pair + class;
}

// What the places stand for once they are sorted: keys[place] is 4 pair + class.
typedef struct Places {
  __global const uint* many_offsets;
  __global const uint* first_candidate;
  __global const uint* contact_offsets;
  __global const uint* keys;
  __global const uint* order;
} Places;

__global const ContactRecord* contact_at(const Places* p, __global const ContactRecord* c, uint place) {
  const uint pair = p->keys[place] / 4u;
  return c + (p->contact_offsets[p->first_candidate[pair]] + (p->order[place] - p->many_offsets[pair]));
}

bool points_precede(__global const ContactRecord* a, __global const ContactRecord* b) {
  for (uint k = 0u; k < 3u; ++k)
    if (a->point[k] != b->point[k]) return a->point[k] < b->point[k];
  return false;
}

// The first of a run of equal ones sorts all of it, whatever order the others see it in. Few are equal: they have the
// same part of the body and of the mesh.
__kernel void contact_reduction_many_ties(const uint count, __global const uint* many_offsets,
                                          __global const uint* first_candidate, __global const uint* contact_offsets,
                                          __global const ContactRecord* c, __global const uint* keys,
                                          __global uint* order) {
  const uint place = (uint)get_global_id(0);
  if (place >= count) return;
  const Places places = {many_offsets, first_candidate, contact_offsets, keys, order};
  const uint key = keys[place];
  if (key % 4u != CLASS_CONTACT) return;
  __global const ContactRecord* own = contact_at(&places, c, place);
  const float depth = own->depth;
  const uint feature = own->feature;
  if (place > 0u && keys[place - 1u] == key) {
    __global const ContactRecord* before = contact_at(&places, c, place - 1u);
    if (before->depth == depth && before->feature == feature) return;
  }
  const uint first = contact_offsets[first_candidate[key / 4u]] - many_offsets[key / 4u];
  for (uint end = place + 1u; end < count && keys[end] == key; ++end) {
    const uint moved = order[end];
    __global const ContactRecord* next = c + (first + moved);
    if (next->depth != depth || next->feature != feature) break;
    uint to = end;
    for (; to > place && points_precede(next, c + (first + order[to - 1u])); --to) order[to] = order[to - 1u];
    order[to] = moved;
  }
}

// Makes ready for many_openers as well.
__kernel void contact_reduction_many_gather(const uint count, __global const uint* many_offsets,
                                            __global const uint* first_candidate, __global const uint* contact_offsets,
                                            __global const ContactRecord* c, __global const uint* keys,
                                            __global const uint* order, __global ContactRecord* sorted,
                                            __global uint* openers, __global uint* opens, __global uint* heads) {
  const uint place = (uint)get_global_id(0);
  if (place >= count) return;
  const Places places = {many_offsets, first_candidate, contact_offsets, keys, order};
  sorted[place] = *contact_at(&places, c, place);
  openers[place] = heads[place] = MESH_NONE;
  opens[place] = 0u;
}

// Normals lie in cells that are wider than two of them that are one lie apart twice: each looks at eight.
#define CELLS 256.0f
uint cell_hash(int x, int y, int z, uint size) {
  return (((uint)x * 73856093u) ^ ((uint)y * 19349663u) ^ ((uint)z * 83492791u)) % size;
}
float3 floor3(float3 v) {
  return (float3)(floor(v.x), floor(v.y), floor(v.z));
}

// The first opener with this normal of those that are in the cells.
uint opener_in_cells(__global const ContactRecord* sorted, __global const uint* heads, __global const uint* next,
                     uint begin, uint size, float3 n) {
  const float3 low = floor3(n * CELLS - 0.5f);
  uint opener = MESH_NONE;
  for (uint k = 0u; k < 8u; ++k) {
    const uint cell =
        cell_hash((int)low.x + (int)(k & 1u), (int)low.y + (int)(k >> 1 & 1u), (int)low.z + (int)(k >> 2), size);
    for (uint at = heads[begin + cell]; at != MESH_NONE; at = next[at])
      if (at < opener && is_same_normal(normal_of(sorted + at), n)) opener = at;
  }
  return opener;
}

// A work-group goes through a pair's contacts in order, as many at a time as it has work-items. The openers before are
// in cells, as lists that begin at heads[]; among those at hand the first work-item decides.
__attribute__((vec_type_hint(float4))) __kernel void contact_reduction_many_openers(
    const uint pairs, __global const uint* many_offsets, __global const uint* keys,
    __global const ContactRecord* sorted, __global uint* heads, __global uint* next, __global uint* openers,
    __global uint* opens) {
  __local float3 normals[LONE_GROUP];
  __local ulong same[LONE_GROUP];  // bits: which of those before it at hand have its normal
  __local uint found[LONE_GROUP];
  const uint item = (uint)get_local_id(0), items = (uint)get_local_size(0);
  for (uint pair = (uint)get_group_id(0); pair < pairs; pair += (uint)get_num_groups(0)) {
    const uint begin = many_offsets[pair];
    const uint end = first_from(keys, begin, many_offsets[pair + 1u], 4u * pair + CLASS_REST);
    for (uint base = begin; base < end; base += items) {
      const uint place = base + item;
      float3 n = (float3)(0.0f, 0.0f, 0.0f);
      uint opener = 0u;
      if (place < end) {
        n = normal_of(sorted + place);
        opener = opener_in_cells(sorted, heads, next, begin, end - begin, n);
      }
      normals[item] = n;
      found[item] = opener;
      barrier(CLK_LOCAL_MEM_FENCE);
      ulong mask = 0ul;
      for (uint other = 0u; opener == MESH_NONE && other < item; ++other)
        if (found[other] == MESH_NONE && is_same_normal(normals[other], n)) mask |= 1ul << other;
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
      if (place < end) {
        openers[place] = found[item];
        if (found[item] == place) {
          opens[place] = 1u;
          const float3 cell = floor3(n * CELLS);
          const uint hash = cell_hash((int)cell.x, (int)cell.y, (int)cell.z, end - begin);
          next[place] = atomic_xchg(heads + begin + hash, place);
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
  }
}

// ranks: prefix sum of opens.
__kernel void contact_reduction_many_members(const uint count, __global const uint* openers, __global const uint* ranks,
                                             __global uint* manifolds, __global uint* members) {
  const uint place = (uint)get_global_id(0);
  if (place >= count) return;
  const uint opener = openers[place];
  manifolds[place] = opener == MESH_NONE ? MESH_NONE : ranks[opener];
  members[place] = place;
}

// Is x, of this value, to be taken before y? Places are in order; either may be none.
bool is_better(uint x, float value_x, uint y, float value_y) {
  if (x == MESH_NONE || y == MESH_NONE) return y == MESH_NONE && x != MESH_NONE;
  return value_x != value_y ? value_x > value_y : x < y;
}

typedef struct Choice {
  uint at[LONE_GROUP];  // what each work-item found
  float value[LONE_GROUP];
  uint chosen[4];
  uint count;
  bool more;
} Choice;

// The best of what the work-items found.
uint best_of_choice(__local const Choice* s, float* value) {
  uint best = s->at[0];
  *value = s->value[0];
  for (uint item = 1u; item < (uint)get_local_size(0); ++item)
    if (is_better(s->at[item], s->value[item], best, *value)) {
      best = s->at[item];
      *value = s->value[item];
    }
  return best;
}

// Members [begin, end), as choose_manifolds() does it of a manifold.
void choose_of_manifold(__global ContactRecord* sorted, __global const uint* members, uint begin, uint end,
                        __local Choice* s) {
  const uint item = (uint)get_local_id(0), items = (uint)get_local_size(0);
  __global const ContactRecord* opener = sorted + members[begin];
  const float3 n = normal_of(opener);
  if (item == 0u) {
    s->count = 0u;
    s->more = end - begin > 4u;
    // Of four all but doubles.
    for (uint k = begin; !s->more && k < end; ++k) {
      bool twice = false;
      for (uint l = 0u; l < s->count && !twice; ++l) twice = is_double(sorted, members[k], s->chosen[l]);
      if (!twice) s->chosen[s->count++] = members[k];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  // Up to four, and the other end of a line.
  for (uint turn = 0u; turn < 5u; ++turn) {
    const bool more = s->more;
    const uint count = s->count;
    const bool back = more && count == 5u;
    float3 p[3];
    for (uint k = 0u; k < 3u; ++k) p[k] = point_of(more && k < count ? sorted + s->chosen[k] : opener);
    uint best = MESH_NONE;
    float value = 0.0f;
    for (uint k = begin + item; more && k < end; k += items) {
      const uint place = members[k];
      const float own = back ? -dot3(point_of(sorted + place) - p[0], p[1] - p[0])
                             : gain_of(sorted + place, opener->depth, n, order_of(false), p, count);
      if (own > 0.0f && is_better(place, own, best, value)) {
        best = place;
        value = own;
      }
    }
    s->at[item] = best;
    s->value[item] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0u && more) {
      best = best_of_choice(s, &value);
      if (count == 0u && best == MESH_NONE) best = members[begin];
      if (back) {
        const float3 d = p[1] - p[0];
        s->count = 2u;
        if (best != MESH_NONE && value * value > SAME_POINT2 * dot3(d, d)) s->chosen[s->count++] = best;
        s->more = false;
      } else if (best == MESH_NONE || is_no_gain(value, p, count)) {
        s->more = false;
      } else if (is_on_line(value, p, count)) {
        s->count = 5u;
      } else {
        s->chosen[s->count++] = best;
        s->more = s->count < 4u;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  // Of contacts at one point, whichever is kept, it has the smallest feature.
  for (uint k = begin + item; k < end; k += items)
    for (uint l = 0u; l < s->count; ++l)
      if (is_double(sorted, members[k], s->chosen[l]))
        atomic_min(&sorted[s->chosen[l]].feature, sorted[members[k]].feature);
}

// chosen[4 m] and on: places, in the order of choice; sizes[m]: how many; ways[m]: normal and depth of the first.
__attribute__((vec_type_hint(float4))) __kernel void contact_reduction_many_choose(
    const uint count, __global ContactRecord* sorted, __global const uint* ranks, __global const uint* manifolds,
    __global const uint* members, __global uint* chosen, __global uint* sizes, __global float4* ways,
    __global uint* fates) {
  __local Choice choice;
  for (uint m = (uint)get_group_id(0); m < ranks[count]; m += (uint)get_num_groups(0)) {
    const uint begin = first_from(manifolds, 0u, count, m), end = first_from(manifolds, begin, count, m + 1u);
    choose_of_manifold(sorted, members, begin, end, &choice);
    if (get_local_id(0) == 0) {
      for (uint k = 0u; k < choice.count; ++k) chosen[4u * m + k] = choice.chosen[k];
      sizes[m] = choice.count;
      __global const ContactRecord* own = sorted + choice.chosen[0];
      ways[m] = (float4)(normal_of(own), own->depth);
      fates[m] = own->depth > 0.0f ? FATE_OPEN : FATE_STAYS;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// What is known of all manifolds.
typedef struct Manifolds {
  __global const ContactRecord* sorted;
  __global const uint* chosen;
  __global const uint* sizes;
  __global const float4* ways;
} Manifolds;

bool clears_all(const Manifolds* a, __global const MeshPair* p, __global const uint* hulls, const Body* b, uint m,
                float4 by) {
  bool all = true;
  for (uint k = 0u; k < a->sizes[m] && all; ++k) {
    const ContactRecord j = a->sorted[a->chosen[4u * m + k]];
    all = !(j.depth > 0.0f) || clears(p, hulls, b, &j, by.xyz, by.w);
  }
  return all;
}

// What becomes of manifold m, of a pair whose manifolds end at `last`.
uint fate_of(const Manifolds* a, __global const MeshPair* p, __global const uint* hulls, const Body* b, uint m,
             uint last, __global const uint* fates) {
  const float4 own = a->ways[m];
  const float shallower = as_deep_as(own.w);
  bool open = false;
  for (uint i = m + 1u; i < last; ++i) {
    const float4 by = a->ways[i];
    if (!(by.w > 0.0f) || !(by.w < shallower) || !leads_aside(by.xyz, own.xyz)) continue;
    const uint fate = fates[i];
    if (fate == FATE_DROPPED || (fate == FATE_OPEN && open) || !clears_all(a, p, hulls, b, m, by)) continue;
    if (fate == FATE_STAYS) return FATE_DROPPED;
    open = true;
  }
  return open ? FATE_OPEN : FATE_STAYS;
}

// Manifolds of a pair: [x, y).
uint2 manifolds_of_pair(__global const uint* many_offsets, __global const uint* keys, __global const uint* ranks,
                        uint pair) {
  const uint begin = many_offsets[pair];
  const uint end = first_from(keys, begin, many_offsets[pair + 1u], 4u * pair + CLASS_REST);
  return (uint2)(ranks[begin], ranks[end]);
}

// One work-item a manifold; fates: those before, and after.
__attribute__((vec_type_hint(float4))) __kernel void contact_reduction_many_drop(
    const uint count, __global const MeshPair* mesh_pairs, __global const uint* hulls,
    __global const uint* many_offsets, __global const uint* keys, __global const ContactRecord* sorted,
    __global const uint* ranks, __global const uint* chosen, __global const uint* sizes, __global const float4* ways,
    __global const uint* fates, __global uint* next_fates) {
  const uint m = (uint)get_global_id(0);
  if (m >= ranks[count]) return;
  next_fates[m] = fates[m];
  if (fates[m] != FATE_OPEN) return;
  const Manifolds all = {sorted, chosen, sizes, ways};
  const uint pair = keys[chosen[4u * m]] / 4u;
  __global const MeshPair* p = mesh_pairs + pair;
  const Body body = body_of_pair(p, hulls);
  next_fates[m] = fate_of(&all, p, hulls, &body, m, manifolds_of_pair(many_offsets, keys, ranks, pair).y, fates);
}

// One work-item a pair.
__attribute__((vec_type_hint(float4))) __kernel void contact_reduction_many_drop_last(
    const uint pairs, __global const MeshPair* mesh_pairs, __global const uint* hulls,
    __global const uint* many_offsets, __global const uint* keys, __global const ContactRecord* sorted,
    __global const uint* ranks, __global const uint* chosen, __global const uint* sizes, __global const float4* ways,
    __global uint* fates) {
  const uint pair = (uint)get_global_id(0);
  if (pair >= pairs || many_offsets[pair] == many_offsets[pair + 1u]) return;
  const Manifolds all = {sorted, chosen, sizes, ways};
  __global const MeshPair* p = mesh_pairs + pair;
  const Body body = body_of_pair(p, hulls);
  const uint2 own = manifolds_of_pair(many_offsets, keys, ranks, pair);
  for (uint m = own.y; m > own.x; --m)
    if (fates[m - 1u] == FATE_OPEN) fates[m - 1u] = fate_of(&all, p, hulls, &body, m - 1u, own.y, fates);
}

// Of each number below `count`: contacts and manifolds, 0 or 1, that stay; in sizes[] what there were.
__kernel void contact_reduction_many_kept(const uint count, __global const uint* ranks, __global const uint* fates,
                                          __global uint* sizes, __global uint* stays) {
  const uint m = (uint)get_global_id(0);
  if (m >= count) return;
  const bool stay = m < ranks[count] && fates[m] == FATE_STAYS;
  if (!stay) sizes[m] = 0u;
  stays[m] = stay ? 1u : 0u;
}

// kept, numbers: prefix sums of both.
__kernel void contact_reduction_many_store(const uint count, __global const uint* many_offsets,
                                           __global const uint* first_candidate, __global const uint* contact_offsets,
                                           __global const uint* keys, __global const ContactRecord* sorted,
                                           __global const uint* ranks, __global const uint* chosen,
                                           __global const uint* kept, __global const uint* numbers,
                                           __global ContactRecord* c) {
  const uint m = (uint)get_global_id(0);
  if (m >= ranks[count] || kept[m] == kept[m + 1u]) return;
  const uint pair = keys[chosen[4u * m]] / 4u;
  const uint first = ranks[many_offsets[pair]];
  __global ContactRecord* to = c + contact_offsets[first_candidate[pair]] + (kept[m] - kept[first]);
  for (uint k = 0u; k < kept[m + 1u] - kept[m]; ++k) {
    to[k] = sorted[chosen[4u * m + k]];
    to[k].manifold = numbers[m] - numbers[first];
  }
}

// Does one of contacts [begin, end) move the middle out, so that the pair's own rest is cleared? To be asked by all
// work-items of a group; end = begin: no.
bool inside_is_cleared_by_any(__global const MeshPair* p, const Body* b, const ContactRecord* own,
                              __global const ContactRecord* c, uint begin, uint end, __local uint* cleared) {
  const uint item = (uint)get_local_id(0), items = (uint)get_local_size(0);
  if (item == 0u) *cleared = 0u;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = begin + item; k < end && *(volatile __local uint*)cleared == 0u; k += items)
    if (inside_is_cleared(p, b, own, c, k, k + 1u)) atomic_or(cleared, 1u);
  barrier(CLK_LOCAL_MEM_FENCE);
  const bool is = *cleared != 0u;
  barrier(CLK_LOCAL_MEM_FENCE);
  return is;
}

// Is one of the rests [begin, end), whose depths ascend, that are at least so deep cleared by none of contacts
// [first, last)? To be asked by all work-items of a group.
bool is_any_left(__global const MeshPair* p, __global const uint* hulls, const Body* b,
                 __global const ContactRecord* sorted, uint begin, uint end, float least,
                 __global const ContactRecord* c, uint first, uint last, __local uint* left) {
  const uint item = (uint)get_local_id(0), items = (uint)get_local_size(0);
  if (item == 0u) *left = 0u;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = item; k < end - begin && *(volatile __local uint*)left == 0u; k += items) {
    ContactRecord rest = sorted[end - 1u - k];
    if (rest.depth < least) break;
    rest.material &= CONTACT_TRIANGLE;
    if (!is_cleared(p, hulls, b, &rest, c, first, last)) atomic_or(left, 1u);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const bool is = *left != 0u;
  barrier(CLK_LOCAL_MEM_FENCE);
  return is;
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
    const uint2 own_manifolds = manifolds_of_pair(many_offsets, keys, ranks, pair);
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

// One work-item a place.
__attribute__((vec_type_hint(float4))) __kernel void contact_reduction_many_search(
    const uint count, __global const MeshPair* mesh_pairs, __global const uint* hulls,
    __global const uint* many_offsets, __global const uint* first_candidate, __global const uint* contact_offsets,
    __global const uint* keys, __global const ContactRecord* sorted, __global const uint* ranks,
    __global const uint* kept, __global const ContactRecord* c, __global const uint* searches, __global uint* found) {
  const uint place = (uint)get_global_id(0);
  if (place >= count) return;
  const uint pair = keys[place] / 4u, class = keys[place] % 4u;
  // One before it that is found already is the one, or comes after the one.
  if (class == CLASS_CONTACT || searches[pair] != class || *(volatile __global uint*)(found + pair) < place) return;
  __global const MeshPair* p = mesh_pairs + pair;
  const Body body = body_of_pair(p, hulls);
  const uint2 own_manifolds = manifolds_of_pair(many_offsets, keys, ranks, pair);
  const uint first = contact_offsets[first_candidate[pair]];
  const ContactRecord rest = sorted[place];
  if (!is_cleared(p, hulls, &body, &rest, c, first, first + (kept[own_manifolds.y] - kept[own_manifolds.x])))
    atomic_min(found + pair, place);
}

// One work-item a pair.
__attribute__((vec_type_hint(float4))) __kernel void contact_reduction_many_finish(
    const uint pairs, __global const MeshPair* mesh_pairs, __global const uint* hulls,
    __global const uint* many_offsets, __global const uint* keys, __global const ContactRecord* sorted,
    __global const uint* ranks, __global const uint* kept_offsets, __global const uint* numbers,
    __global const uint* searches, __global const uint* found_rests, __global ContactRecord* rests, __global uint* kept,
    __global uint* manifolds, __global uint* found) {
  const uint pair = (uint)get_global_id(0);
  if (pair >= pairs || many_offsets[pair] == many_offsets[pair + 1u]) return;
  __global const MeshPair* p = mesh_pairs + pair;
  const uint2 own = manifolds_of_pair(many_offsets, keys, ranks, pair);
  uint contacts = kept_offsets[own.y] - kept_offsets[own.x], number = numbers[own.y] - numbers[own.x];
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
