// Contact reduction (text 001, part V): per body, groups of equal normals, at most four points of each; decides whether
// the body needs to be lifted (kind 6). The rules, and why the order of the contacts does not matter, are in
// docs/terrain_contacts.md.
//
// One work-item a body slot of [first_slot, first_slot + count). Its contacts lie at
// contact_offsets[first_candidate[slot]]
// .. contact_offsets[first_candidate[slot + 1]]; the chosen ones are moved to the front of that range, in order.
// Writes kept[k] and manifolds[k] for k = slot - first_slot, and unreduced[k] without the lifts. Where there are more
// contacts than there is room for (a small frame that was sent off before the host knew) all are 0.
//
// A frame of few slots has one work-group and one command for this and for what is before and after it: small_frame
// counts the contacts that the narrow phase stored, brings them in order, reduces and gathers them.
// Reference: host/reference/contact_reduction/body_contacts.cpp.
#include "common/candidate.clh"
#include "contact_reduction/slot_contacts.clh"
#include "primitives/group_scan.clh"
#include "shared/abi.h"
#pragma OPENCL FP_CONTRACT OFF

// Normals within 1.4e-3 rad are one: 2 - 2 cos = 2e-6.
#define SAME_NORMAL2 2e-6f
// Points nearer than this are one [m].
#define SAME_POINT2 1e-10f
// A third point this near to the segment of the first two adds no area [m].
#define COLLINEAR 1e-4f

float3 point_of(__global const ContactRecord* c) {
  return (float3)(c->point[0], c->point[1], c->point[2]);
}
float3 normal_of(__global const ContactRecord* c) {
  return (float3)(c->normal[0], c->normal[1], c->normal[2]);
}

// Part of d across the unit normal n.
float3 across(float3 d, float3 n) {
  return d - n * dot3(d, n);
}

// Is contact a to be taken before b, where their first criterion is equal?
bool comes_first(__global const ContactRecord* a, __global const ContactRecord* b) {
  if (a->depth != b->depth) return a->depth > b->depth;
  if (a->feature != b->feature) return a->feature < b->feature;
  if (a->point[0] != b->point[0]) return a->point[0] < b->point[0];
  if (a->point[1] != b->point[1]) return a->point[1] < b->point[1];
  return a->point[2] < b->point[2];
}

// Swaps two records.
void swap_contacts(__global ContactRecord* a, __global ContactRecord* b) {
  const ContactRecord t = *a;
  *a = *b;
  *b = t;
}

// Of contacts [begin, end) the one with the greatest value of `area` across n: distance from p0 (chosen = 1), from the
// segment p0 p1 (2), or what the quadrilateral gains over the triangle p0 p1 p2 (3). `end` where none has any.
uint farthest(__global const ContactRecord* c, uint begin, uint end, float3 n, const float3* p, uint chosen,
              float* greatest) {
  uint best = end;
  *greatest = 0.0f;
  for (uint k = begin; k < end; ++k) {
    const float3 x = point_of(c + k);
    float value;
    if (chosen == 1u) {
      const float3 d = across(x - p[0], n);
      value = dot3(d, d);
    } else if (chosen == 2u) {
      const float3 e = across(p[1] - p[0], n), d = across(x - p[0], n);
      const float3 from = d - e * clamp01(div_rn(dot3(d, e), dot3(e, e)));
      value = dot3(from, from);
    } else {
      // Signed areas of x over each side of the triangle; a point inside gains nothing.
      const float area = dot3(cross3(p[1] - p[0], p[2] - p[0]), n);
      const float turn = area < 0.0f ? -1.0f : 1.0f;
      const float a0 = -turn * dot3(cross3(p[1] - p[0], x - p[0]), n);
      const float a1 = -turn * dot3(cross3(p[2] - p[1], x - p[1]), n);
      const float a2 = -turn * dot3(cross3(p[0] - p[2], x - p[2]), n);
      value = max_f(a0, max_f(a1, a2));
    }
    if (value > *greatest || (best < end && value == *greatest && comes_first(c + k, c + best))) {
      *greatest = value;
      best = k;
    }
  }
  return best;
}

// Does the body, moved by `move`, clear the surface point that asks for the lift, but for a tenth of the gap?
bool clears_lift(uint shape, const Body* body, const ContactRecord* lift, float3 move) {
  const float gap = lift->depth;
  const float3 q = (float3)(lift->point[0], lift->point[1], lift->point[2] + gap) - move;
  float enter, leave;
  return !line_inside(shape, body, (float3)(q.x, q.y, 0.0f), (float3)(0.0f, 0.0f, 1.0f), &enter, &leave) ||
         q.z - enter <= 0.1f * gap;
}

// Reduces contacts [begin, end) of one body where they lie: how many are kept, in how many manifolds, of how many
// without the lifts.
__attribute__((always_inline)) void reduce_contacts(__global const BodyRecord* record,
                                                    __global const PlaceRecord* place, uint begin, uint end,
                                                    __global ContactRecord* c, __global uint* kept,
                                                    __global uint* manifolds, __global uint* unreduced) {
  // Lifts: keep the greatest as the last record, drop the others.
  uint lift = end;
  for (uint k = begin; k < end; ++k)
    if (c[k].material & CONTACT_LIFT)
      if (lift == end || comes_first(c + k, c + lift)) lift = k;
  if (lift != end) {
    const ContactRecord lifted = c[lift];
    const BodyRecord body = *record;
    const Body pose = load_body(body, *place, body.shape);
    uint n = begin;
    for (uint k = begin; k < end; ++k)
      if (!(c[k].material & CONTACT_LIFT)) {
        if (n != k) c[n] = c[k];
        ++n;
      }
    end = n;
    bool accounted = false;
    for (uint k = begin; k < end && !accounted; ++k)
      accounted = c[k].depth > 0.0f && ((c[k].material & CONTACT_WALL) ||
                                        clears_lift(body.shape, &pose, &lifted, normal_of(c + k) * c[k].depth));
    if (!accounted) {
      c[end] = lifted;
      c[end].material = lifted.material & 0xFFu;
      ++end;
    }
  }
  *unreduced = end - begin;

  // Manifolds, the deepest contact that is left opens each. [begin, done) is chosen, [done, end) is left.
  uint done = begin, manifold = 0u;
  while (done < end) {
    uint deepest = done;
    for (uint k = done + 1u; k < end; ++k)
      if (comes_first(c + k, c + deepest)) deepest = k;
    if (deepest != done) swap_contacts(c + done, c + deepest);
    const float3 n = normal_of(c + done);
    // Its group to the front: [done, group).
    uint group = done + 1u;
    for (uint k = group; k < end; ++k) {
      const float3 d = normal_of(c + k) - n;
      if (dot3(d, d) <= SAME_NORMAL2) {
        if (group != k) swap_contacts(c + group, c + k);
        ++group;
      }
    }
    float3 p[4];
    p[0] = point_of(c + done);
    uint chosen = 1u;
    if (group - done <= 4u) {
      // Few enough: all but doubles stay, the deepest first.
      for (uint k = done + 1u; k < group; ++k) {
        uint next = k;
        for (uint l = k + 1u; l < group; ++l)
          if (comes_first(c + l, c + next)) next = l;
        if (next != k) swap_contacts(c + k, c + next);
        bool twice = false;
        for (uint l = done; l < done + chosen && !twice; ++l) {
          const float3 d = point_of(c + k) - point_of(c + l);
          twice = dot3(d, d) <= SAME_POINT2;
        }
        if (twice) continue;
        if (k != done + chosen) swap_contacts(c + k, c + done + chosen);
        ++chosen;
      }
    }
    while (group - done > 4u && chosen < 4u) {
      float value;
      const uint best = farthest(c, done + chosen, group, n, p, chosen, &value);
      if (best == group) break;
      if (chosen == 1u && value <= SAME_POINT2) break;
      if (chosen == 2u && value <= COLLINEAR * COLLINEAR) {
        // All on one line: the deepest, and both ends of the line.
        const float3 d = p[1] - p[0];
        uint other = group;
        float back = 0.0f;
        for (uint k = done + 2u; k < group; ++k) {
          const float along = dot3(point_of(c + k) - p[0], d);
          if (along < back || (other < group && along == back && comes_first(c + k, c + other))) {
            back = along;
            other = k;
          }
        }
        if (other < group && back * back > SAME_POINT2 * dot3(d, d)) {
          if (other != done + 2u) swap_contacts(c + done + 2u, c + other);
          chosen = 3u;
        }
        break;
      }
      if (chosen == 3u) {
        const float3 d1 = p[1] - p[0], d2 = p[2] - p[0];
        const float3 a = cross3(d1, d2);
        if (value <= 1e-3f * length3(a)) break;
      }
      if (best != done + chosen) swap_contacts(c + done + chosen, c + best);
      p[chosen] = point_of(c + done + chosen);
      ++chosen;
    }
    for (uint k = done; k < done + chosen; ++k) {
      c[k].manifold = manifold;
      c[k].material &= 0xFFu;
    }
    // Close the gap that the dropped ones leave.
    const uint dropped = group - (done + chosen);
    done += chosen;
    if (dropped > 0u) {
      for (uint k = group; k < end; ++k) c[k - dropped] = c[k];
      end -= dropped;
    }
    ++manifold;
  }
  *kept = end - begin;
  *manifolds = manifold;
}

// Not across work-items: see narrow_phase/sphere_terrain.cl.
__attribute__((vec_type_hint(float4))) __kernel void contact_reduction_body_contacts(
    const uint first_slot, const uint count, __global const BodyRecord* bodies, __global const PlaceRecord* places,
    __global const uint* first_candidate, __global const uint* contact_offsets, const uint room,
    __global ContactRecord* contacts, __global uint* kept, __global uint* manifolds, __global uint* unreduced) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  if (contact_offsets[first_candidate[first_slot + count]] > room) {
    kept[item] = manifolds[item] = unreduced[item] = 0u;
    return;
  }
  const uint slot = first_slot + item;
  reduce_contacts(bodies + slot, places + slot, contact_offsets[first_candidate[slot]],
                  contact_offsets[first_candidate[slot + 1u]], contacts, kept + item, manifolds + item,
                  unreduced + item);
}

// One work-group. `candidates`, `room` and `kept_room`: that there is room for; `places` of the store are looked at.
__attribute__((vec_type_hint(float4))) __kernel void contact_reduction_small_frame(
    const uint count, const uint chunks, const uint candidates, const uint places_in_store, const uint room,
    const uint kept_room, __global const BodyRecord* bodies, __global const PlaceRecord* places,
    __global const ulong* site_offsets, __global const uint* chunk_offsets, __global const uint* first_candidate,
    __global const uint* contact_counts, __global uint* contact_offsets, __global const uint* stored,
    __global const ContactRecord* store, __global const uint* store_candidates, __global ContactRecord* contacts,
    __global uint* kept, __global uint* kept_offsets, __global uint* manifolds, __global uint* unreduced,
    __global ContactRecord* gathered, __global SlotOutcome* outcomes) {
  __local uint partial[GROUP_SCAN_ITEMS];
  const uint item = (uint)get_local_id(0), items = (uint)get_local_size(0);
  scan_in_group(contact_counts, candidates, contact_offsets, partial);
  const bool fits = contact_offsets[candidates] <= room;
  for (uint place = item; fits && place < min(stored[0], places_in_store); place += items)
    order_place(place, store, store_candidates, contact_offsets, contacts);
  barrier(CLK_GLOBAL_MEM_FENCE);
  for (uint slot = item; slot < count; slot += items) {
    const uint begin = contact_offsets[first_candidate[slot]];
    reduce_contacts(bodies + slot, places + slot, begin, fits ? contact_offsets[first_candidate[slot + 1u]] : begin,
                    contacts, kept + slot, manifolds + slot, unreduced + slot);
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  scan_in_group(kept, count, kept_offsets, partial);
  const SmallFrame frame = {site_offsets, chunk_offsets, first_candidate, contact_offsets, kept_offsets,
                            manifolds,    unreduced,     count,           chunks};
  for (uint slot = item; slot <= count; slot += items) outcomes[slot] = outcome_of(slot, &frame);
  for (uint slot = item; slot < count && kept_offsets[count] <= kept_room; slot += items)
    gather_slot(slot, contact_offsets[first_candidate[slot]], kept_offsets, contacts, gathered);
}
