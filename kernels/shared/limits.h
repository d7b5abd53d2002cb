// Numbers that kernels and host both count with. Includable from C++ and from OpenCL C.
#ifndef OCLIDE_SHARED_LIMITS_H
#define OCLIDE_SHARED_LIMITS_H

// Work-items of a group that one work-group kernels are launched with, at most.
#define LONE_GROUP 64
#define TERRAIN_GROUP 256  // at most, of a narrow-phase kernel of bodies against terrain, on a GPU
#define PAIR_GROUP 256     // and of one of pairs of bodies
#define MANIFOLD_GROUP 64  // and of one of those that meet: pairs/later_manifolds.clh
#define SLOT_GROUP 256     // and of contact_reduction/body_contacts.cl

// The tree over the boxes of bodies: kernels/broad_phase/body_tree.clh.
#define GROUP_WIDTH 8u          // boxes of a group
#define TREE_PART 512u          // boxes of a level with which a work-group begins, to go three levels up
#define GROUP_FLOATS 64u        // numbers of a group
#define LEAF_SPHERE_FLOATS 16u  // numbers of a group of leaves that are not boxes
#define SHAPE_BITS 4u           // of the word that has a leaf's shape and the number of its move
#define MAX_LEVELS 11           // of a tree over 2^31 bodies

// Terrain.
#define BOUNDS_SHIFT 2    // level 1 of the pyramid covers 4 x 4 cells, each further level 4 x 4 of the level below
#define RANGE_BODIES 16u  // bodies of a work-item of broad_phase/terrain_range.cl
#define CHUNK_SITES 64u   // sites of a chunk of broad_phase/terrain_candidates.cl

// Sweeps: steps of a pair, or of a body and an element, at most. Where so many do not tell it is an error.
#define MOST_SWEEP_STEPS 1048576u

// Primitives.
#define TILE_ITEMS 4         // elements that a work-item takes of a tile
#define SCAN_WORDS 3u        // in which a group of exclusive_scan.cl says the sum of its chunk
#define SCAN_RUNS 1024u      // whose sums words can tell apart
#define SCAN_ROW 16u         // work-items of a group that add up one row of its sums
#define SERIAL_DIGIT_BITS 8  // of a digit of radix_sort.cl, where one work-item sorts a chunk
#define GROUP_DIGIT_BITS 4   // where a work-group does

// Compound bodies: numbers of a part's pose in its body, its position and a unit quaternion w, x, y, z.
#define LOCAL_POSE_NUMBERS 7u

#endif
