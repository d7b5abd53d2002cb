// What a shape may overlap: docs/overlap.md.
#pragma once

#include <vector>

#include "reference/motion/surface_touch.hpp"
#include "shapes/scene_geometry.hpp"
#include "upload/query_parts.hpp"

namespace oclide::reference {

/// A shape that is asked about; it is convex.
struct QueryShape {
  Body body;
  dvec3 centre;  // [m]
  std::uint32_t environment = 0;
  std::uint32_t mask = 0xFFFFFFFFu;
  std::int32_t group = 0;
};

/// Borrows the scene and its geometry. Its bodies are no compounds, but parts of those. Any number of threads may ask.
class OverlapScene {
 public:
  OverlapScene(const Scene& scene, const Geometry& geometry, const Poses& poses);

  [[nodiscard]] QueryShape shape_of(const QueryParts& parts, std::size_t part) const;
  /// Whether the shape touches a body, or kTerrain, by these limits: as two that rest touch at the begin of a frame.
  /// False where it does not meet it.
  [[nodiscard]] bool overlaps(const QueryShape& shape, std::uint32_t body, const TouchLimits& limits = {}) const;
  /// The lowest index of what it overlaps, kTerrain or kNothing.
  [[nodiscard]] std::uint32_t lowest(const QueryShape& shape, const TouchLimits& limits = {}) const;

 private:
  struct PlacedBody {
    Body body;
    dvec3 centre;
    double radius;  // of the bounding sphere around the centre [m]
  };

  const Scene& scene_;
  const Geometry& geometry_;
  std::vector<PlacedBody> bodies_;
  std::vector<double> highest_;  // of each terrain [m]
};

}  // namespace oclide::reference
