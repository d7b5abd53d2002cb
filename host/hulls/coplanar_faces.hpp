// Facets that are one plane but for rounding, joined to faces.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include "hulls/qhull_facets.hpp"

namespace oclide {

/// A face's border: indices of points, counter-clockwise from outside.
using FaceLoop = std::vector<std::uint32_t>;

/// The faces of a hull's facets by docs/convex_hulls.md, step 3, with the flat slack `slack` in the points' unit; 0
/// leaves each facet alone. Loops have all points on the border, also those that only two faces have. Throws
/// Error(invalid_input) when a facet's border is no closed loop.
[[nodiscard]] std::vector<FaceLoop> coplanar_faces(std::span<const glm::dvec3> points, const HullFacets& facets,
                                                   double slack);

/// The sum of a loop's triangles: its length is the area, its direction the normal.
[[nodiscard]] glm::dvec3 loop_area(std::span<const glm::dvec3> points, std::span<const std::uint32_t> loop);

}  // namespace oclide
