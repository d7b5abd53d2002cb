// On a GPU, spheres against spheres, boxes, cylinders and capsules under one kernel: each takes so little that a
// command for each would be most of it. The functions are those of the kinds' own files, to the bit.
//
// Launch and output: kernels/pairs/pair.clh, but that the kinds do not stand together: each work-item looks in the
// table of kinds for where its pairs stand.
#define OCLIDE_FUSED_PAIRS
#include "narrow_phase/sphere_box.cl"
#include "narrow_phase/sphere_capsule.cl"
#include "narrow_phase/sphere_cylinder.cl"
#include "narrow_phase/sphere_sphere.cl"
#include "shared/pairs.h"
#pragma OPENCL FP_CONTRACT OFF

#if OCLIDE_LANES == 1
#define CASE(FIRST, first_name, SECOND, second_name)                                        \
  case KIND_##FIRST##_##SECOND:                                                             \
    narrow_phase_##first_name##_##second_name##_states(first, second, hulls, margin, c, m); \
    break;

INLINED void states_of_sphere(uint kind, __global const BodyState** first, __global const BodyState** second,
                              __global const uint* hulls, float margin, float3* c, Manifold* m) {
  switch (kind) { OCLIDE_PAIRS_OF_SPHERES(CASE) }
}
#undef CASE

// The index in `order` of the k-th pair of any of the kinds; k less their number where there is none.
#define SKIP(FIRST, first_name, SECOND, second_name)                     \
  if (k < found[FOUND_TAKEN(PAIR_KINDS) + KIND_##FIRST##_##SECOND]) {    \
    return found[FOUND_BEGIN(PAIR_KINDS) + KIND_##FIRST##_##SECOND] + k; \
  }                                                                      \
  k -= found[FOUND_TAKEN(PAIR_KINDS) + KIND_##FIRST##_##SECOND];
uint index_of(uint k, __global const uint* found) {
  OCLIDE_PAIRS_OF_SPHERES(SKIP)
  return 0u;
}
#undef SKIP
#define COUNT(FIRST, first_name, SECOND, second_name) +found[FOUND_TAKEN(PAIR_KINDS) + KIND_##FIRST##_##SECOND]

PAIR_KERNEL_HEAD(narrow_phase_sphere_pairs) {
  const uint total = by_kind != 0u ? 0u OCLIDE_PAIRS_OF_SPHERES(COUNT) : min(found[FOUND_PAIRS], count);
  for (uint k = (uint)get_global_id(0); k < total; k += (uint)get_global_size(0)) {
    const uint pair = order[by_kind != 0u ? index_of(k, found) : k], its_kind = kinds[pair];
    if ((PAIR_KINDS_OF_SPHERES >> its_kind & 1u) == 0u) continue;
    __global const BodyState *first = states + pairs[pair].x, *second = states + pairs[pair].y;
    float3 c;
    Manifold m;
    m.count = 0u;
    states_of_sphere(its_kind, &first, &second, hulls, pair_margin(margin, margins, first->body, second->body), &c, &m);
    StoreSlots slots = store_slots_in(found + FOUND_STORED, 1u);
    store_manifold(&m, first, second, c, &slots, capacity, store, results + RESULT_HEAD + pair);
    if (m.count > 0u) atomic_add(found + FOUND_CONTACTS, m.count);
  }
}
#undef COUNT
#endif
