// How a scene's triangle meshes lie in the buffer of words that has its convex hulls too (shared/hulls.h,
// docs/mesh_contacts.md). Includable from C++ and from OpenCL C.
//
//   record: MESH_* words, rows of vertices, triangles and boxes, neighbours of vertices, ridges
//
// Rows are 16 bytes. Triangles stand in the order of the tree: its groups of eight boxes, as those of bodies
// (broad_phase/body_tree.clh), are eight triangles each at level 0; box k of level l + 1 holds all of group k of level
// l. A group is 8 x (x low, y low, z low, x high, y high, z high), 12 rows; what is missing at the end of a level is an
// empty box. The top level is one group.
#ifndef OCLIDE_SHARED_MESHES_H
#define OCLIDE_SHARED_MESHES_H
#include "shared/hulls.h"

// What of a body is behind a triangle has a contact from this depth on [m] (docs/mesh_contacts.md, kind 4).
#define LEAST_REST 2e-5f

// The words that a record begins with. FIRST: rows from the record's begin on, of neighbours words. CORNERS,
// FIRST_CORNER and RADIUS stand where the record of a hull has its vertices and radius: the broad phase of bodies takes
// a mesh for the hull of the box around it.
enum {
  MESH_CORNERS,    // of that box, 8
  MESH_TRIANGLES,  // how many
  MESH_VERTICES,
  MESH_LEVELS,           // of the tree, one at least
  MESH_FIRST_CORNER,     // rows: x, y, z, -
  MESH_IS_SOLID,         // 0 or 1
  MESH_FIRST_VERTEX,     // rows: x, y, z, number of its first neighbour; one more row for the end
  MESH_FIRST_TRIANGLE,   // three rows each: MESH_ROW_*
  MESH_FIRST_NEIGHBOUR,  // words: the vertices at the other ends of a vertex's edges
  MESH_FIRST_RIDGE,      // words: of each vertex, then of the edges of each triangle; MESH_RIDGE_*
  MESH_RADIUS,           // of the sphere about the body's position that holds the mesh, rounded up
  MESH_LEVEL,            // rows: where each level's groups begin, level 0 first
  MESH_MOST_LEVELS = 11,
  MESH_WORDS = (MESH_LEVEL + MESH_MOST_LEVELS + 3) / 4 * 4
};

// Of a triangle a, b, c, whose edge 0 goes from a to b, edge 1 from b to c, edge 2 from c to a:
#define MESH_ROW_VERTICES 0u  // a, b, c; number in the file, `element`
#define MESH_ROW_NEIGHBOURS \
  1u                       // the triangle at the other side of each edge, MESH_NONE at a border; number of its face
#define MESH_ROW_PLANE 2u  // unit normal; MESH_FLAG_*
#define MESH_ROWS_OF_TRIANGLE 3u
#define MESH_ROWS_OF_GROUP 12u
#define MESH_NONE 0xFFFFFFFFu

// A ridge is called by the first of its edges: k of triangle t is 3 t + k. A vertex has the ridge that leads straight
// through it, or MESH_NONE. An edge has its own, and whether it goes the other way than the first.
#define MESH_RIDGE_EDGE 0x7FFFFFFFu
#define MESH_RIDGE_TURNED 0x80000000u

// Flags of a triangle. Of each edge two bits, MESH_EDGE_*, as it is seen from the front; which edges and vertices it is
// the one to look at: the first of both triangles that an edge joins, each at a border, and the first of all that have
// the vertex; which vertices are not plain; its material.
#define MESH_EDGE_FLAT 0u
#define MESH_EDGE_CONVEX 1u
#define MESH_EDGE_CONCAVE 2u
#define MESH_EDGE_BORDER 3u
#define MESH_FLAG_EDGE(k) (2u * (k))    // shift
#define MESH_FLAG_OWNS_EDGE 0x40u       // << k
#define MESH_FLAG_OWNS_VERTEX 0x200u    // << k
#define MESH_FLAG_SHARP_VERTEX 0x1000u  // << k: takes part
#define MESH_FLAG_MATERIAL 24u          // shift

#endif
