// The one list of pairs of shapes, which both compilers expand. Includable from C++ and from OpenCL C.
//
// Every two shapes with a surface are in one of the two lists: else host/shapes/pair_table.hpp does not compile.
#ifndef OCLIDE_SHARED_PAIRS_H
#define OCLIDE_SHARED_PAIRS_H
#include "shared/shapes.h"

// X(FIRST, first, SECOND, second), the lower number first; a pair's number, its kind, is its index. Each is one kernel,
// narrow_phase_<first>_<second>, in a file of that name, and one file of the reference. Those of the first list have a
// kernel for all of them on a GPU too, narrow_phase/sphere_pairs.
#define OCLIDE_PAIRS_OF_SPHERES(X)      \
  X(SPHERE, sphere, SPHERE, sphere)     \
  X(SPHERE, sphere, BOX, box)           \
  X(SPHERE, sphere, CYLINDER, cylinder) \
  X(SPHERE, sphere, CAPSULE, capsule)
// These have one on a CPU, narrow_phase/fused_pairs.
#define OCLIDE_PAIRS_FUSED(X)                   \
  OCLIDE_PAIRS_OF_SPHERES(X)                    \
  X(SPHERE, sphere, HALF_SPACE, half_space)     \
  X(BOX, box, BOX, box)                         \
  X(BOX, box, CYLINDER, cylinder)               \
  X(BOX, box, CAPSULE, capsule)                 \
  X(BOX, box, HALF_SPACE, half_space)           \
  X(CYLINDER, cylinder, CYLINDER, cylinder)     \
  X(CYLINDER, cylinder, CAPSULE, capsule)       \
  X(CYLINDER, cylinder, HALF_SPACE, half_space) \
  X(CAPSULE, capsule, CAPSULE, capsule)         \
  X(CAPSULE, capsule, HALF_SPACE, half_space)
// Of two convex shapes, or one and a half space.
#define OCLIDE_PAIRS_WITHOUT_MESH(X)                    \
  OCLIDE_PAIRS_FUSED(X)                                 \
  X(SPHERE, sphere, CONVEX_HULL, convex_hull)           \
  X(BOX, box, CONVEX_HULL, convex_hull)                 \
  X(CYLINDER, cylinder, CONVEX_HULL, convex_hull)       \
  X(CAPSULE, capsule, CONVEX_HULL, convex_hull)         \
  X(CONVEX_HULL, convex_hull, CONVEX_HULL, convex_hull) \
  X(CONVEX_HULL, convex_hull, HALF_SPACE, half_space)
// All. Those with triangle meshes are cut into candidates, a triangle each (docs/mesh_contacts.md).
#define OCLIDE_PAIRS(X)                               \
  OCLIDE_PAIRS_WITHOUT_MESH(X)                        \
  X(SPHERE, sphere, TRIANGLE_MESH, triangle_mesh)     \
  X(BOX, box, TRIANGLE_MESH, triangle_mesh)           \
  X(CYLINDER, cylinder, TRIANGLE_MESH, triangle_mesh) \
  X(CAPSULE, capsule, TRIANGLE_MESH, triangle_mesh)   \
  X(CONVEX_HULL, convex_hull, TRIANGLE_MESH, triangle_mesh)

// Of these a GPU makes the manifolds in a kernel of its own, narrow_phase_<first>_<second>_manifolds, after the search.
#define OCLIDE_PAIRS_IN_TWO(X)                    \
  X(BOX, box, CYLINDER, cylinder)                 \
  X(CYLINDER, cylinder, CYLINDER, cylinder)       \
  X(BOX, box, CONVEX_HULL, convex_hull)           \
  X(CYLINDER, cylinder, CONVEX_HULL, convex_hull) \
  X(CONVEX_HULL, convex_hull, CONVEX_HULL, convex_hull)

// Shapes that never meet.
#define OCLIDE_PAIRS_APART(X)                             \
  X(HALF_SPACE, half_space, HALF_SPACE, half_space)       \
  X(HALF_SPACE, half_space, TRIANGLE_MESH, triangle_mesh) \
  X(TRIANGLE_MESH, triangle_mesh, TRIANGLE_MESH, triangle_mesh)

#define OCLIDE_PAIR_KIND(FIRST, first, SECOND, second) KIND_##FIRST##_##SECOND,
enum { OCLIDE_PAIRS(OCLIDE_PAIR_KIND) PAIR_KINDS };
#undef OCLIDE_PAIR_KIND
#define OCLIDE_PAIR_COUNT(FIRST, first, SECOND, second) +1u
#define FUSED_PAIR_KINDS (0u OCLIDE_PAIRS_FUSED(OCLIDE_PAIR_COUNT))          // kinds below have a fused kernel
#define CONVEX_PAIR_KINDS (0u OCLIDE_PAIRS_WITHOUT_MESH(OCLIDE_PAIR_COUNT))  // from here on one is a triangle mesh
#define OCLIDE_PAIR_BIT(FIRST, first, SECOND, second) | 1u << KIND_##FIRST##_##SECOND
#define PAIR_KINDS_IN_TWO (0u OCLIDE_PAIRS_IN_TWO(OCLIDE_PAIR_BIT))  // sets of kinds
#define PAIR_KINDS_OF_SPHERES (0u OCLIDE_PAIRS_OF_SPHERES(OCLIDE_PAIR_BIT))

#endif
