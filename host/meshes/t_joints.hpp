// Edges that one triangle has: those whose ends are the same but for rounding, and those that end on the inside of
// others.
#pragma once

#include "meshes/triangle_soup.hpp"

namespace oclide {

/// Makes one of vertices of such edges that float32 cannot tell apart at the size of the mesh: the first in the file.
/// Triangles that have no area then, or the same three vertices as one before, are dropped, and counted.
void join_open_ends(TriangleSoup& soup);

/// Cuts triangles where a vertex of an edge that one triangle has lies on the inside of another such edge. The parts
/// keep the element, and stand where their triangle stood.
void cut_t_joints(TriangleSoup& soup);

}  // namespace oclide
