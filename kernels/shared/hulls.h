// How a scene's convex hulls lie in the one buffer of words that kernels have them in (docs/convex_hulls.md), before
// its triangle meshes (shared/meshes.h). Includable from C++ and from OpenCL C.
//
//   word k: where the record of hull k begins, in rows of four words     records, one after another
//           (from the number of hulls on: the records of meshes)
//   record: HULL_* words, rows of vertices, faces and edges, corners of faces, neighbours of vertices
//
// Rows are 16 bytes and stand at multiples of that, so that each is one load.
#ifndef OCLIDE_SHARED_HULLS_H
#define OCLIDE_SHARED_HULLS_H

// The words that a record begins with. Lengths [m] are the bits of floats. FIRST: rows from the record's begin on, of
// corners, sides and neighbours words.
enum {
  HULL_VERTICES,  // how many
  HULL_FACES,
  HULL_EDGES,
  HULL_MOST_CORNERS,     // of a face
  HULL_FIRST_VERTEX,     // rows: x, y, z, number of its first neighbour; one more row for the end
  HULL_FIRST_FACE,       // two rows each: unit normal outward, offset; number of its first corner, how many, -, -
  HULL_FIRST_EDGE,       // rows: two vertices, two faces, as HullEdge has them
  HULL_FIRST_CORNER,     // words: the vertices of the faces' loops
  HULL_FIRST_SIDE,       // words: the edge from each corner of a loop to the next
  HULL_FIRST_NEIGHBOUR,  // words: vertices
  HULL_RADIUS,           // of the sphere about the body's position that holds the hull, rounded up
  HULL_FLAT_SLACK,
  HULL_LOWER,  // three words each: corners of the box around the vertices, in the body's axes
  HULL_UPPER = HULL_LOWER + 3,
  HULL_MIDDLE = HULL_UPPER + 3,         // a point well within
  HULL_INNER_RADIUS = HULL_MIDDLE + 3,  // of a ball about it that the hull holds, rounded down
  HULL_WORDS = 24
};

// A body's size has the index of its hull as a float, which is exact up to here.
#define MOST_HULLS 0x1000000

#endif
