// A frame whose bodies are shapes, as device_frame.cl leaves it, made one of compound bodies. Its manifolds are in the
// order of shapes: those of one body together, its shapes one after the other, the others' shapes in order, terrain
// last. What they lack is the order of body_b before that of shape_a:
//
//   compound_keys      per manifold: body_a, body_b
//   -> stable sort     body_a, body_b, and then as they were: shape_a, shape_b, manifold
//   compound_counts    per manifold: how many contacts it has; pairs of bodies are counted
//   -> scan            where they begin
//   compound_write     per manifold: itself and its contacts, by body and shape
//   compound_offsets   per body: where its manifolds and contacts begin
//
// Host: host/resident/resident_compounds.cpp.
#include "../include/oclide/device_layout.h"
#include "shared/abi.h"
#pragma OPENCL FP_CONTRACT OFF

// One work-item a manifold. `bits` hold any body's index, and `bodies`, their number, which stands for terrain.
__kernel void contact_reduction_compound_keys(const uint count, const uint bodies, const uint bits,
                                              __global const oclide_device_manifold* manifolds,
                                              __global const uint* body_of, __global ulong* keys,
                                              __global uint* order) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  const uint shape_b = manifolds[item].body_b;
  const uint body_b = shape_b == OCLIDE_DEVICE_TERRAIN ? bodies : body_of[shape_b];
  keys[item] = (ulong)body_of[manifolds[item].body_a] << bits | body_b;
  order[item] = item;
}

// One work-item a manifold, in the order of keys. pairs: the number of pairs of bodies is added.
__kernel void contact_reduction_compound_counts(const uint count, const uint bodies, const uint bits,
                                                __global const oclide_device_manifold* manifolds,
                                                __global const ulong* keys, __global const uint* order,
                                                __global uint* counts, __global uint* pairs) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  counts[item] = manifolds[order[item]].count;
  const bool is_first = item == 0u || keys[item - 1u] != keys[item];
  const bool on_terrain = (keys[item] & ((1ul << bits) - 1ul)) == bodies;
  if (is_first && !on_terrain) atomic_inc(pairs);
}

// One work-item a manifold, in the order of keys. first_shapes: of each body. offsets: of each shape's centre from its
// body's position.
__kernel void contact_reduction_compound_write(const uint count, __global const oclide_device_manifold* shape_manifolds,
                                               __global const oclide_device_contact* shape_contacts,
                                               __global const uint* order, __global const uint* firsts,
                                               __global const uint* body_of, __global const uint* first_shapes,
                                               __global const float* offsets, __global oclide_device_contact* contacts,
                                               __global oclide_device_manifold* manifolds) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  oclide_device_manifold manifold = shape_manifolds[order[item]];
  const uint from = manifold.first;
  const uint part_a = manifold.body_a, part_b = manifold.body_b;
  manifold.body_a = body_of[part_a];
  manifold.shape_a = (ushort)(part_a - first_shapes[manifold.body_a]);
  if (part_b != OCLIDE_DEVICE_TERRAIN) {
    manifold.body_b = body_of[part_b];
    manifold.shape_b = (ushort)(part_b - first_shapes[manifold.body_b]);
  }
  manifold.first = firsts[item];
  manifolds[item] = manifold;
  const uint shapes = (uint)manifold.shape_b << 16 | (uint)manifold.shape_a;
  for (uint k = 0u; k < manifold.count; ++k) {
    // In rows of 16 bytes: point and depth, normal and material, who touches, what is left.
    __global const uint4* c = (__global const uint4*)(shape_contacts + (from + k));
    __global uint4* to = (__global uint4*)(contacts + (manifold.first + k));
    const uint part = c[2].w;
    const float4 point = as_float4(c[0]);
    const float3 moved = point.xyz + vload3(part, offsets);
    to[0] = as_uint4((float4)(moved, point.w));
    to[1] = c[1];
    to[2] = (uint4)(manifold.body_a, manifold.body_b, shapes, body_of[part]);
    to[3] = (uint4)(item, c[3].yzw);
  }
}

// One work-item a body, and one for the end.
__kernel void contact_reduction_compound_offsets(const uint count, __global const uint* first_shapes,
                                                 __global const uint* shape_contact_offsets,
                                                 __global const uint* shape_manifold_offsets,
                                                 __global uint* contact_offsets, __global uint* manifold_offsets) {
  const uint body = (uint)get_global_id(0);
  if (body >= count) return;
  contact_offsets[body] = shape_contact_offsets[first_shapes[body]];
  manifold_offsets[body] = shape_manifold_offsets[first_shapes[body]];
}
