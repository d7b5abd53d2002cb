// The one file that knows Qhull: the surface of the hull of points, as facets and the edges between them.
#pragma once

#include <array>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

namespace oclide {

/// An edge between two facets of a hull, by indices; points and facets each in ascending order.
struct FacetEdge {
  std::array<std::uint32_t, 2> points;
  std::array<std::uint32_t, 2> facets;
};

/// A closed surface. Facets are polygons that are flat but for the rounding of doubles.
struct HullFacets {
  std::vector<glm::dvec3> normals;  ///< of each facet: unit, outward
  std::vector<FacetEdge> edges;     ///< in ascending order of their points
};

/// The hull of at least four points that are not in one plane, in the unit and axes of the points. Same points in the
/// same order, same facets. Throws Error(invalid_input) with Qhull's words where it refuses the points, and where its
/// surface is not closed. Any number of threads may call it. Source: C. B. Barber, D. P. Dobkin and H. Huhdanpaa, The
/// Quickhull algorithm for convex hulls, ACM Transactions on Mathematical Software 22 (1996).
[[nodiscard]] HullFacets qhull_facets(std::span<const glm::dvec3> points);

}  // namespace oclide
