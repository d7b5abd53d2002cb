// The shape of a convex hull: docs/convex_hulls.md. Built once on the host, for the device and for the reference.
#pragma once

#include <array>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <string>
#include <vector>

namespace oclide {

/// A side of the hull: a convex polygon, flat but for twice the flat slack.
struct HullFace {
  glm::dvec3 normal;           ///< unit, outward
  double offset;               ///< the greatest normal . v of the face's vertices [m]
  std::uint32_t first_corner;  ///< its loop's index in ConvexHull::corners
  std::uint32_t corner_count;  ///< at least 3
};

/// Where two faces meet.
struct HullEdge {
  std::array<std::uint32_t, 2> vertices;  ///< the lower first
  std::array<std::uint32_t, 2> faces;  ///< the loop of the first goes from vertices[0] to vertices[1], the other's back
};

/// A closed polyhedron: vertices - edges + faces = 2, and every vertex has three faces or more. Axes are the body's.
struct ConvexHull {
  std::vector<glm::vec3> vertices;     ///< [m], in the order of x, then y, then z; no two equal
  std::vector<HullFace> faces;         ///< in the order of their loops
  std::vector<std::uint32_t> corners;  ///< of the faces one after another: vertices counter-clockwise from outside, the
                                       ///< lowest first
  std::vector<HullEdge> edges;         ///< in the order of their vertices
  std::vector<std::uint32_t> first_neighbour;  ///< of each vertex, its index in `neighbours`; one more for the end
  std::vector<std::uint32_t> neighbours;       ///< the vertices at the other ends of a vertex's edges, ascending
  glm::dvec3 lower, upper;                     ///< of the box around it [m]
  glm::dvec3 centroid;                         ///< of its volume [m]
  double volume;                               ///< [m^3]
  double bounding_radius;                      ///< of the sphere about the body's position that holds it [m]
  double flat_slack;                           ///< docs/convex_hulls.md [m]

  [[nodiscard]] std::span<const std::uint32_t> loop(std::size_t face) const {
    return std::span(corners).subspan(faces[face].first_corner, faces[face].corner_count);
  }
  [[nodiscard]] std::span<const std::uint32_t> neighbours_of(std::size_t vertex) const {
    return std::span(neighbours)
        .subspan(first_neighbour[vertex], first_neighbour[vertex + 1] - first_neighbour[vertex]);
  }
};

/// The hull of points [m] in the body's axes, after they are rounded to float32. The same for any order of the points,
/// to the last bit, and with points that are there twice. Throws Error(invalid_input) that begins with `name` where
/// there are less than four points, one is not finite or beyond 1e9 m, all are one point, on a line or in a plane but
/// for 2^-21 of the greatest coordinate, or Qhull fails. Any number of threads may call it.
[[nodiscard]] ConvexHull build_convex_hull(std::span<const std::array<double, 3>> points, const std::string& name);

}  // namespace oclide
