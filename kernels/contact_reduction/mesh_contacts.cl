// Contact reduction of bodies and meshes: of all contacts of a pair those that stay (docs/mesh_contacts.md, "Which of
// them stay").
//
//   mesh_contacts   per pair: parts dropped that another one's way out clears, of the others manifolds chosen as on
//                   terrain, and the rest that is needed, if one is; how many pairs touch. Those with more than `most`
//                   contacts are left to many_mesh_contacts.cl, and counted. Nothing is done where there is no room
//                   for all contacts
//   -> scan, scan   where the contacts and manifolds of each pair go
//   mesh_results    per pair: its contacts, in the world's axes, a result for each manifold, and what is said of each
//                   contact beside that
//
// One work-item a pair. Host: host/contact_reduction/mesh_reduction.cpp, host/pipeline/mesh_contacts.cpp.
#define ALL_SHAPES
#include "contact_reduction/cleared.clh"
#pragma OPENCL FP_CONTRACT OFF

#define DROPPED 0x80000000u  // of a contact's part, which stands in its manifold
void store3(__global float* to, float3 v) {
  to[0] = v.x;
  to[1] = v.y;
  to[2] = v.z;
}

// Brings contacts [begin, end) into the order of parts, in each the deepest first, and numbers them.
INLINED void order_parts(__global const uint* mesh, __global ContactRecord* c, uint begin, uint end) {
  uint part = 0u;
  for (uint done = begin; done < end; ++part) {
    bring_deepest(c, done, end);
    const uint first = done;
    c[done++].manifold = part;
    for (uint k = done; k < end; ++k)
      if (is_of_part(mesh, c + k, c + first)) {
        bring_to(c, k, done);
        c[done++].manifold = part;
      }
  }
}

// Contacts [begin, end) behind a part: of them the first of each part that is shallower and leads aside.
struct Others {
  __global const ContactRecord* c;
  uint begin, end;
  float3 n;
  float shallower;
};
bool may_clear(const Others* o, uint i) {
  const bool opens = o->c[i].manifold != o->c[i - 1u].manifold;
  if (!opens || (o->c[i].manifold & DROPPED) || !(o->c[i].depth > 0.0f) || !(o->c[i].depth < o->shallower))
    return false;
  return leads_aside(normal_of(o->c + i), o->n);
}
INLINED uint fate_by_others(const Others* o, __global const MeshPair* p, __global const uint* hulls, const Body* b,
                            const ContactRecord* j) {
  ROLLED
  for (uint i = o->begin; i < o->end; ++i)
    if (may_clear(o, i) && clears(p, hulls, b, j, normal_of(o->c + i), o->c[i].depth)) return FATE_DROPPED;
  return FATE_STAYS;
}

// Is the part of contacts [begin, end) cleared by those behind it, by one of them or by several? The rests of the pair
// are [rests, rests_end).
bool part_is_cleared(__global const MeshPair* p, __global const uint* hulls, const Body* b,
                     __global const ContactRecord* c, uint begin, uint end, uint last, uint rests, uint rests_end) {
  const Others others = {c, end, last, normal_of(c + begin), as_deep_as(c[begin].depth)};
  const float steps = part_steps(b);
  PartSum sum = {0, 0, 0, 0u};
  ROLLED
  for (uint k = begin; k < end; ++k) {
    const ContactRecord j = c[k];
    if (j.depth > 0.0f && fate_by_others(&others, p, hulls, b, &j) == FATE_STAYS) return false;
    add_to_part(c + k, c + begin, steps, &sum);
  }
  const float3 middle = middle_of_part(c + begin, steps, &sum);
  for (uint i = end; i < last; ++i)
    if (may_clear(&others, i) &&
        clears_part(p, hulls, b, c + begin, 0, end - begin, middle, normal_of(c + i), c[i].depth))
      return true;
  const PartAndRests all = {c + begin, 0, end - begin, c + rests, rests_end - rests};
  return fate_together(&others, p, hulls, b, &all) == FATE_DROPPED;
}

// Drops the parts of contacts [begin, *end), in order, that others clear; rests are behind them.
INLINED void drop_cleared(__global const MeshPair* p, __global const uint* hulls, const Body* b,
                          __global ContactRecord* c, uint begin, uint* end_of_all, uint rests_end) {
  const uint end = *end_of_all;
  // From the shallowest on: [first, last) is a part.
  for (uint last = end; last > begin;) {
    uint first = last - 1u;
    while (first > begin && c[first - 1u].manifold == c[last - 1u].manifold) --first;
    if (c[first].depth > 0.0f && last < end && part_is_cleared(p, hulls, b, c, first, last, end, end, rests_end))
      for (uint k = first; k < last; ++k) c[k].manifold |= DROPPED;
    last = first;
  }
  uint to = begin;
  for (uint k = begin; k < end; ++k)
    if (!(c[k].manifold & DROPPED)) {
      if (to != k) c[to] = c[k];
      ++to;
    }
  *end_of_all = to;
}

bool is_of_class(__global const ContactRecord* rest, uint hidden) {
  return (rest->material & CONTACT_HIDDEN) == hidden;
}

// How deep the deepest of the rests [begin, end) is that are hidden, or not; 0 where there is none.
float deepest_rest(__global const ContactRecord* c, uint begin, uint end, uint hidden) {
  float depth = 0.0f;
  for (uint k = begin; k < end; ++k)
    if (is_of_class(c + k, hidden)) depth = max(depth, c[k].depth);
  return depth;
}

// Of these those at least so deep that none of contacts [first, last) clears: the shallowest. False where there is
// none.
INLINED bool find_rest(__global const MeshPair* p, __global const uint* hulls, const Body* b,
                       __global const ContactRecord* c, uint begin, uint end, uint hidden, float least, uint first,
                       uint last, ContactRecord* found) {
  bool is_found = false;
  for (uint k = begin; k < end; ++k) {
    ContactRecord at = c[k];
    if (!is_of_class(c + k, hidden) || at.depth < least) continue;
    at.material &= CONTACT_TRIANGLE;
    if ((is_found && !is_shallower(&at, found)) || is_cleared(p, hulls, b, &at, c, first, last)) continue;
    *found = at;
    is_found = true;
  }
  return is_found;
}

// The rest that a pair needs, of those at [begin, end), beside the contacts [first, last) that stay. False where it
// needs none.
OUTLINED bool needed_rest(__global const MeshPair* p, __global const uint* hulls, const Body* b,
                          __global const ContactRecord* c, uint begin, uint end, uint first, uint last,
                          ContactRecord* rest) {
  rest_of_inside(p, b, rest);
  const float own = rest->depth;
  if (own > 0.0f && !inside_is_cleared(p, b, rest, c, first, last)) return true;
  uint hidden = 0u;
  float deepest = deepest_rest(c, begin, end, hidden);
  if (deepest == 0.0f) {
    if (own > 0.0f || (first < last && c[first].depth > 0.0f)) return false;
    hidden = CONTACT_HIDDEN;
    deepest = deepest_rest(c, begin, end, hidden);
  }
  // First those as deep as the deepest, which tell whether any is needed, then all of them.
  const float least = as_deep_as(max(own, deepest));
  ROLLED
  for (uint all = 0u; all < 2u; ++all)
    if (!find_rest(p, hulls, b, c, begin, end, hidden, all ? 0.0f : least, first, last, rest)) return false;
  return true;
}

__attribute__((vec_type_hint(float4))) __kernel void contact_reduction_mesh_contacts(
    const uint count, __global const MeshPair* mesh_pairs, __global const uint* hulls,
    __global const uint* first_candidate, __global const uint* contact_offsets, const uint room,
    __global ContactRecord* c, __global ContactRecord* rests, const uint most, __global uint* kept,
    __global uint* manifolds, __global uint* many, __global uint* found) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  const uint begin = contact_offsets[first_candidate[item]], end = contact_offsets[first_candidate[item + 1u]];
  __global const MeshPair* pair = mesh_pairs + item;
  kept[item] = manifolds[item] = many[item] = 0u;
  rests[item].manifold = MESH_NONE;
  if ((begin == end && pair->is_inside == 0u) || contact_offsets[first_candidate[count]] > room) return;
  if (end - begin > most) {
    many[item] = end - begin;
    atomic_inc(found + 1);
    return;
  }
  const Body body = body_of_pair(pair, hulls);
  // Rests to the end.
  uint contacts = begin;
  for (uint k = begin; k < end; ++k)
    if (!(c[k].material & CONTACT_REST)) bring_to(c, k, contacts++);
  uint chosen = contacts;
  order_parts(hulls + 4u * (size_t)hulls[pair->mesh], c, begin, contacts);
  drop_cleared(pair, hulls, &body, c, begin, &chosen, end);
  choose_manifolds(begin, &chosen, 0xFFFFFFFFu, order_of(false), c, manifolds + item);
  uint number = manifolds[item];
  ContactRecord rest;
  const bool is_needed = needed_rest(pair, hulls, &body, c, contacts, end, begin, chosen, &rest);
  if (is_needed) {
    rest.manifold = number;
    rests[item] = rest;
    ++number;
  }
  kept[item] = chosen - begin + (is_needed ? 1u : 0u);
  manifolds[item] = number;
  if (number > 0u) atomic_inc(found);
}

// One work-item a pair, whose contacts go to store[first_slot + kept_offsets[item]] and on, with tags[] of the same
// number less first_slot, and its manifolds to results[first_row + manifold_offsets[item]] and on. Its own result,
// results[order[first + item]], has none.
__kernel void contact_reduction_mesh_results(const uint count, const uint first, const uint first_row,
                                             const uint first_slot, __global const uint* order,
                                             __global const MeshPair* mesh_pairs, __global const uint* hulls,
                                             __global const uint* first_candidate, __global const uint* contact_offsets,
                                             __global const ContactRecord* c, __global const ContactRecord* rests,
                                             __global const uint* kept_offsets, __global const uint* manifold_offsets,
                                             __global PairResult* results, __global PairContactRecord* store,
                                             __global MeshTag* tags) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  results += RESULT_HEAD;
  const MeshPair pair = mesh_pairs[item];
  const bool turned = pair.mesh_body < pair.body;
  const uint body_a = turned ? pair.mesh_body : pair.body, body_b = turned ? pair.body : pair.mesh_body;
  __global PairResult* own = results + order[first + item];
  own->body_a = body_a;
  own->body_b = body_b;
  own->first = own->count = 0u;
  const uint to = kept_offsets[item], kept = kept_offsets[item + 1u] - to;
  if (kept == 0u) return;
  __global const uint* mesh = hulls + 4u * (size_t)hulls[pair.mesh];
  Body axes;
  const float w = pair.mesh_orientation[0], x = pair.mesh_orientation[1], y = pair.mesh_orientation[2],
              z = pair.mesh_orientation[3];
  axes.x = (float3)(1.0f - 2.0f * (y * y + z * z), 2.0f * (x * y + w * z), 2.0f * (x * z - w * y));
  axes.y = (float3)(2.0f * (x * y - w * z), 1.0f - 2.0f * (x * x + z * z), 2.0f * (y * z + w * x));
  axes.z = (float3)(2.0f * (x * z + w * y), 2.0f * (y * z - w * x), 1.0f - 2.0f * (x * x + y * y));
  const uint begin = contact_offsets[first_candidate[item]];
  __global PairResult* row = results + first_row + manifold_offsets[item];
  uint manifold = MESH_NONE;
  for (uint k = 0u; k < kept; ++k) {
    // A rest is the last one.
    const bool is_rest = k + 1u == kept && rests[item].manifold != MESH_NONE;
    const ContactRecord from = is_rest ? rests[item] : c[begin + k];
    const uint slot = first_slot + to + k;
    if (from.manifold != manifold) {
      row += manifold != MESH_NONE ? 1 : 0;
      manifold = from.manifold;
      row->body_a = body_a;
      row->body_b = body_b;
      row->first = slot;
      row->count = 0u;
    }
    row->count += 1u;
    const float3 n = out_of_body(&axes, (float3)(from.normal[0], from.normal[1], from.normal[2]));
    const float3 p = out_of_body(&axes, (float3)(from.point[0], from.point[1], from.point[2]));
    const float3 point = turned ? p + n * from.depth : p, normal = turned ? -n : n;
    __global PairContactRecord* record = store + slot;
    store3(record->point, point);
    store3(record->normal, normal);
    record->depth = from.depth;
    record->feature = from.feature;
    const uint triangle = from.material & CONTACT_TRIANGLE;
    tags[to + k].element = mesh_triangle(mesh, triangle, MESH_ROW_VERTICES).w;
    tags[to + k].material = mesh_triangle(mesh, triangle, MESH_ROW_PLANE).w >> MESH_FLAG_MATERIAL;
  }
}
