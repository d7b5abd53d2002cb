// Edges that end on the inside of other edges.
#pragma once

#include "meshes/triangle_soup.hpp"

namespace oclide {

/// Cuts triangles where a vertex of an edge that one triangle has lies on the inside of another such edge. The parts
/// keep the element, and stand where their triangle stood.
void cut_t_joints(TriangleSoup& soup);

}  // namespace oclide
