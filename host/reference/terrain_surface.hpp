// The ground around one body: elements, edges and vertices as docs/terrain_contacts.md defines them, in coordinates
// relative to the body's centre.
//
//     V2 --- V3      cell (i, j): V0 = (i, j), V1 = (i, j+1), V2 = (i+1, j), V3 = (i+1, j+1)
//     | \  1 |       element 0 = V0 V1 V2, element 1 = V3 V2 V1, both counter-clockwise seen from above
//     |  \   |       edges of site (i, j): 0 = V0 V1, 1 = V0 V2, 2 = V1 V2
//     | 0  \ |
//     V0 --- V1
//
// That is a cell whose diagonal falls. Where it rises element 0 = V1 V3 V0, element 1 = V2 V0 V3, and edge 2 = V0 V3.
// Either way element 0 has the side V0 V1 and element 1 the side V2 V3.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "reference/body.hpp"

namespace oclide::reference {

/// The point of a triangle that is nearest to a point.
[[nodiscard]] dvec3 nearest_on_triangle(dvec3 p, dvec3 a, dvec3 b, dvec3 c);

/// Two elements that meet at a smaller sine of angle than this make one plane.
inline constexpr double kFlatSine = 1.0 / 4096.0;
/// From here on a gap is looked for over a ridge, even one that is flat.
inline constexpr double kLiftSine = 4e-6;

struct Element {
  std::array<dvec3, 3> v;               // [m]
  dvec3 normal;                         // unit, z > 0
  std::array<dvec3, 3> inward;          // unit, in the plane, across side v[k] v[k+1]
  std::array<dvec2, 3> inward_outline;  // the same of the outline seen from above
  std::array<double, 3> flat_k{};       // 1 where the edge v[k] v[k+1] is flat, else 0
  dvec3 along;                          // unit, in the plane: x seen from above, y where all diagonals rise
  std::uint32_t id;
  std::uint8_t material;

  /// s(P): depth of a point below the plane [m].
  [[nodiscard]] double depth_of(dvec3 p) const { return glm::dot(v[0] - p, normal); }
  /// Distance from a point in the plane to the nearest side, negative outside; edge k is moved out by grow * flat_k.
  [[nodiscard]] double inside(dvec3 in_plane, double grow = 0.0) const;
  /// The same seen from above [m].
  [[nodiscard]] double inside_outline(dvec2 p) const;
  /// Height of the plane over a point [m].
  [[nodiscard]] double height_over(dvec2 p) const;
};

enum class EdgeKind { flat, convex, concave };

struct Edge {
  dvec3 a, b;          // ends [m]
  dvec3 direction;     // unit, from a to b
  double length;       // [m]
  dvec3 n1, n2;        // unit; n2 is the wall's outward normal on a border
  dvec3 into1, into2;  // unit, across the edge, in the plane of either element, into it; into2 = down on a border
  double sine;         // |n1 x n2|
  bool ridge;          // element 2 leads below the plane of element 1, by however little
  EdgeKind kind;
  bool border;
  std::uint32_t id;
  std::uint8_t material;
  bool turned = false;  // other edges of the same name go the other way
  double past = 0.0;    // how far the arc of an axis or a sharp body goes past both normals [rad]
};

struct Vertex {
  dvec3 position;              // [m]
  std::vector<dvec3> leaving;  // unit directions of the edges that leave it
  double largest_sine;         // of the edges around it; plain when <= kFlatSine
  bool border;
  std::uint32_t id;
  std::uint8_t material;
};

/// Cells [row0, row1) x [col0, col1).
struct CellRange {
  std::int64_t row0 = 0, row1 = 0, col0 = 0, col1 = 0;
  bool operator==(const CellRange&) const = default;
  [[nodiscard]] bool empty() const { return row0 >= row1 || col0 >= col1; }
  [[nodiscard]] std::uint64_t count() const {
    return empty() ? 0 : static_cast<std::uint64_t>(row1 - row0) * static_cast<std::uint64_t>(col1 - col0);
  }
};

/// The nearest point of the surface to a point, and the element that has it.
struct SurfacePoint {
  dvec3 position;
  double distance;  // [m]
  std::int64_t row, col;
  int k;
};

class GroundFaces;

/// A terrain as seen from a body's centre. Borrows the terrain, and its faces where contacts are to be called by them.
class TerrainView {
 public:
  TerrainView(const Terrain& terrain, dvec3 centre, const GroundFaces* faces = nullptr);

  [[nodiscard]] const Terrain& terrain() const { return *terrain_; }
  [[nodiscard]] const GroundFaces* faces() const { return faces_; }
  [[nodiscard]] bool solid(std::int64_t row, std::int64_t col) const;
  [[nodiscard]] dvec3 vertex(std::int64_t row, std::int64_t col) const;
  [[nodiscard]] double site_x(std::int64_t col) const;
  [[nodiscard]] double site_y(std::int64_t row) const;
  /// Cells that have a point in common with the rectangle, cut to the grid.
  [[nodiscard]] CellRange cells(dvec2 lo, dvec2 hi) const;
  /// Does the diagonal of a cell rise? Cells beyond the grid alternate as those in it.
  [[nodiscard]] bool rises(std::int64_t row, std::int64_t col) const;
  /// The element of a cell that has the side V0 V2; the other one has V1 V3.
  [[nodiscard]] int left_element(std::int64_t row, std::int64_t col) const { return rises(row, col) ? 1 : 0; }
  /// The vertices of element k of a cell: the first is where the sides along x and y meet.
  [[nodiscard]] std::array<dvec3, 3> corners(std::int64_t row, std::int64_t col, int k) const;
  /// Of solid cell (row, col), k = 0 or 1; `flat_k` is left 0.
  [[nodiscard]] Element element(std::int64_t row, std::int64_t col, int k) const;
  /// Edge k of site (row, col); empty where no solid cell touches it.
  [[nodiscard]] std::optional<Edge> edge(std::int64_t row, std::int64_t col, int k) const;
  /// `around` are the edges at vertex (row, col), at most two along x, two along y and four diagonals, null where there
  /// is none; empty where none of them exists.
  [[nodiscard]] std::optional<Vertex> vertex_with_edges(std::int64_t row, std::int64_t col,
                                                        const std::array<const Edge*, 8>& around) const;
  /// Height of the surface over a point; empty over open cells and beyond the grid. A cell has its sides.
  [[nodiscard]] std::optional<double> height(dvec2 p) const;
  /// How far a point is from the nearest place that is open (positive over a solid cell) or solid (negative) as seen
  /// from above; at most half a cell in size [m].
  [[nodiscard]] double inside_solid(dvec2 p) const;
  /// The point of the surface nearest to a point; empty where none is within that distance. `looks_at(row, col)`:
  /// whether the elements of that cell count; all where there is none.
  [[nodiscard]] std::optional<SurfacePoint> nearest(
      dvec3 p, double within, const std::function<bool(std::int64_t, std::int64_t)>& looks_at = {}) const;

 private:
  [[nodiscard]] std::uint32_t site_id(std::int64_t row, std::int64_t col) const;
  [[nodiscard]] std::uint8_t material(std::int64_t row, std::int64_t col) const;
  [[nodiscard]] dvec3 normal(std::int64_t row, std::int64_t col, int k) const;

  const Terrain* terrain_;
  dvec3 centre_;
  const GroundFaces* faces_;
};

/// The ground under one body: the elements of a range of cells, the edges of these and their vertices.
struct TerrainSurface {
  TerrainSurface(const TerrainView& view, const CellRange& range);

  TerrainView view;
  CellRange range;
  std::vector<Element> elements;
  std::vector<Edge> edges;
  std::vector<Vertex> vertices;

  /// Distance from a point to the nearest wall in the range [m]; infinity without walls.
  [[nodiscard]] double wall_distance(dvec3 p) const;
  /// A point of the surface is on a side of the outermost cells of the range, but for `within`.
  [[nodiscard]] bool on_rim(dvec3 p, double within) const;
  /// How far a point is outside of the solid [m], 0 for one in it; not more than `most`.
  [[nodiscard]] double outside(dvec3 p, double most) const;
  /// Distance from a point to surface or walls [m]; not more than `most`.
  [[nodiscard]] double boundary_distance(dvec3 p, double most) const;
};

}  // namespace oclide::reference
