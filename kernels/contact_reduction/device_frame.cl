// The contacts of a frame in their final order, for a reader on the device: of each body those with other bodies, by
// body_b, then those with terrain. Both stand in order already (pair_order.cl, gather.cl); what is left is to count
// them together, and to write:
//
//   frame_counts          per body: how many contacts and manifolds it has as body_a
//   -> scan of both       where they begin
//   frame_contacts        per pair of bodies: its manifold, its contacts; then per slot: the manifolds and contacts of
//   a
//                         body with terrain
//
//   (frame_names          per manifold, for tracking: its name
//   frame_features)       per contact, for tracking: its feature
//
// Host: host/contacts/device_frame.cpp, which has the same in plain C++ for frames that were cut into slices.
#include "../include/oclide/device_layout.h"
#include "shared/abi.h"

// One work-item a body. `pairs` are in the order of bodies, those of body i being pair_offsets[i] ..
// pair_offsets[i + 1] - 1; `found` has how many, of which there are none beyond pair_room. Where that is 0 the arrays
// do not count. `outcomes`: of slot_count slots on terrain, as in shared/abi.h.
__kernel void contact_reduction_frame_counts(const uint count, const uint pair_room, __global const uint* found,
                                             __global const uint* pair_offsets, __global const PairResult* pairs,
                                             const uint slot_count, __global const uint* slots,
                                             __global const uint* outcomes, __global uint* contact_counts,
                                             __global uint* manifold_counts) {
  const uint body = (uint)get_global_id(0);
  if (body >= count) return;
  uint contacts = 0u, manifolds = 0u;
  pairs += RESULT_HEAD;
  const uint pair_count = pair_room > 0u ? found[FOUND_TOUCHING] : 0u;
  if (pair_count > 0u && pair_count <= pair_room) {
    const uint begin = pair_offsets[body], end = pair_offsets[body + 1u];
    manifolds = end - begin;
    if (manifolds > 0u) contacts = (end < pair_count ? pairs[end].first : found[FOUND_CONTACTS]) - pairs[begin].first;
  }
  const uint slot = slots[body];
  if (slot < slot_count) {
    contacts += outcomes[slot + 1u] - outcomes[slot];
    manifolds += outcomes[OUTCOME_MANIFOLDS(slot_count) + slot];
  }
  contact_counts[body] = contacts;
  manifold_counts[body] = manifolds;
}

// A contact is four rows of 16 bytes, each of which a work-item writes at once. No negative zeros: compilers may take
// x + 0 for x, and give a zero either sign.
typedef char a_contact_is_four_rows[sizeof(oclide_device_contact) == 64 ? 1 : -1];
uint bits_of(float x) {
  const uint bits = as_uint(x);
  return bits == 0x80000000u ? 0u : bits;
}
void write_contact(__global oclide_device_contact* to, __global const float* point, __global const float* normal,
                   float depth, uint material, uint body_a, uint body_b, uint origin, uint manifold, uint feature,
                   uint element, uint flags) {
  __global uint4* rows = (__global uint4*)to;
  rows[0] = (uint4)(bits_of(point[0]), bits_of(point[1]), bits_of(point[2]), bits_of(depth));
  rows[1] = (uint4)(bits_of(normal[0]), bits_of(normal[1]), bits_of(normal[2]), material);
  rows[2] = (uint4)(body_a, body_b, 0u, origin);  // both are no part of a compound
  rows[3] = (uint4)(manifold, feature, element, flags);
}

// Is the body a sensor? Where there are none the array does not count.
uint sensor_flag(uint has_sensors, __global const uchar* sensors, uint body) {
  return has_sensors != 0u && sensors[body] != 0 ? OCLIDE_DEVICE_SENSOR_CONTACT : 0u;
}

void write_manifold(__global oclide_device_manifold* to, uint body_a, uint body_b, uint first, uint count) {
  to->body_a = body_a;
  to->body_b = body_b;
  to->shape_a = 0;
  to->shape_b = 0;
  to->first = first;
  to->count = count;
  to->reserved = 0u;
}

// Where contacts and manifolds of a frame go.
typedef struct FrameSink {
  __global const uint* contact_offsets;
  __global const uint* manifold_offsets;
  __global oclide_device_contact* contacts;
  __global oclide_device_manifold* manifolds;
  uint has_sensors;
  __global const uchar* sensors;
} FrameSink;

// A pair of a mesh stands once for each of its manifolds. `tags`: of the contacts, where there are meshes.
void write_pair(const FrameSink* to, uint item, __global const uint* pair_offsets, __global const PairResult* pairs,
                __global const PairContactRecord* pair_contacts, uint has_tags, __global const MeshTag* tags,
                __global const uint* slots) {
  const PairResult pair = pairs[item];
  const uint body_begin = pair_offsets[pair.body_a];
  const uint manifold = to->manifold_offsets[pair.body_a] + (item - body_begin);
  const uint first = to->contact_offsets[pair.body_a] + (pair.first - pairs[body_begin].first);
  const uint slot = slots[pair.body_a];
  const uint origin = slot == SLOT_HALF_SPACE || slot == SLOT_MESH ? pair.body_b : pair.body_a;
  const uint flags =
      sensor_flag(to->has_sensors, to->sensors, pair.body_a) | sensor_flag(to->has_sensors, to->sensors, pair.body_b);
  for (uint k = 0u; k < pair.count; ++k) {
    __global const PairContactRecord* c = pair_contacts + (pair.first + k);
    const uint material = has_tags != 0u ? tags[pair.first + k].material : 0u;
    const uint element = has_tags != 0u ? tags[pair.first + k].element : 0xFFFFFFFFu;
    write_contact(to->contacts + (first + k), c->point, c->normal, c->depth, material, pair.body_a, pair.body_b, origin,
                  manifold, c->feature, element, flags);
  }
  write_manifold(to->manifolds + manifold, pair.body_a, pair.body_b, first, pair.count);
}

// A body's contacts with terrain are its last ones.
void write_slot(const FrameSink* to, uint slot, uint slot_count, __global const BodyRecord* bodies,
                __global const uint* outcomes, __global const ContactRecord* kept) {
  const uint from = outcomes[slot], own = outcomes[slot + 1u] - from;
  if (own == 0u) return;
  const uint body = bodies[slot].body;
  const uint first = to->contact_offsets[body + 1u] - own;
  const uint first_manifold = to->manifold_offsets[body + 1u] - outcomes[OUTCOME_MANIFOLDS(slot_count) + slot];
  const uint flags = sensor_flag(to->has_sensors, to->sensors, body);
  uint begin = 0u;
  for (uint k = 0u; k < own; ++k) {
    __global const ContactRecord* c = kept + (from + k);
    write_contact(to->contacts + (first + k), c->point, c->normal, c->depth, c->material & 0xFFu, body,
                  OCLIDE_DEVICE_TERRAIN, body, first_manifold + c->manifold, c->feature, 0xFFFFFFFFu, flags);
    if (k + 1u < own && kept[from + k + 1u].manifold == c->manifold) continue;
    write_manifold(to->manifolds + (first_manifold + c->manifold), body, OCLIDE_DEVICE_TERRAIN, first + begin,
                   k + 1u - begin);
    begin = k + 1u;
  }
}

// One work-item a pair, then one a slot; the first writes how much there is. Arrays that there are none of do not
// count.
__kernel void contact_reduction_frame_contacts(
    const uint pair_count, const uint slot_count, const uint contact_count, const uint manifold_count,
    const uint body_pairs, __global const uint* pair_offsets, __global const PairResult* pairs,
    __global const PairContactRecord* pair_contacts, const uint has_tags, __global const MeshTag* tags,
    __global const BodyRecord* bodies, __global const uint* outcomes, __global const ContactRecord* kept,
    const uint has_sensors, __global const uchar* sensors, __global const uint* slots,
    __global const uint* contact_offsets, __global const uint* manifold_offsets,
    __global oclide_device_contact* contacts, __global oclide_device_manifold* manifolds,
    __global oclide_device_counts* counts) {
  const uint item = (uint)get_global_id(0);
  if (item == 0u) {
    counts->contacts = contact_count;
    counts->manifolds = manifold_count;
    counts->body_pairs = body_pairs;
    counts->reserved = 0u;
  }
  const FrameSink to = {contact_offsets, manifold_offsets, contacts, manifolds, has_sensors, sensors};
  if (item < pair_count)
    write_pair(&to, item, pair_offsets, pairs + RESULT_HEAD, pair_contacts, has_tags, tags, slots);
  else if (item - pair_count < slot_count)
    write_slot(&to, item - pair_count, slot_count, bodies, outcomes, kept);
}

// One work-item a manifold.
__kernel void contact_reduction_frame_names(const uint count, __global const oclide_device_manifold* manifolds,
                                            __global TrackedManifold* names) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  names[item].body_a = manifolds[item].body_a;
  names[item].body_b = manifolds[item].body_b;
  names[item].shapes = (uint)manifolds[item].shape_a << 16 | (uint)manifolds[item].shape_b;
  names[item].first = manifolds[item].first;
}

// One work-item a contact.
__kernel void contact_reduction_frame_features(const uint count, __global const oclide_device_contact* contacts,
                                               __global uint* features) {
  const uint item = (uint)get_global_id(0);
  if (item < count) features[item] = contacts[item].feature;
}
