// What a point is nearest to: docs/distance.md.
#pragma once

#include <vector>

#include "reference/body.hpp"
#include "shapes/scene_geometry.hpp"

namespace oclide::reference {

/// A signed distance, and what of a thing has it.
struct SignedDistance {
  double distance;  // [m]
  dvec3 normal;     // unit, along which it grows
  std::uint32_t element = kNone;
  std::uint8_t material = 0;
};

/// Of a point seen from the body's centre.
[[nodiscard]] SignedDistance body_distance(const Body& body, dvec3 point);
/// Infinite where no cell is solid.
[[nodiscard]] SignedDistance terrain_distance(const Terrain& terrain, dvec3 point);

/// A point that is asked about.
struct QueryPoint {
  dvec3 position;  // [m]
  double range;    // [m]
  std::uint32_t environment = 0;
  std::uint32_t mask = 0xFFFFFFFFu;
};
/// Points that have been checked.
[[nodiscard]] QueryPoint query_point(const QueryPoints& points, std::size_t index);

/// Borrows the scene and its geometry. Its bodies are no compounds, but parts of those. Any number of threads may ask.
class DistanceScene {
 public:
  DistanceScene(const Scene& scene, const Geometry& geometry, const Poses& poses);

  /// Of one body, or of kTerrain; infinite where that does not count for the point.
  [[nodiscard]] SignedDistance distance_to(const QueryPoint& point, std::uint32_t body) const;
  [[nodiscard]] Hit nearest(const QueryPoint& point) const;

 private:
  struct PlacedBody {
    Body body;
    dvec3 centre;
    double radius;  // of the bounding sphere around the centre [m]
  };
  [[nodiscard]] bool counts(const QueryPoint& point, std::uint32_t body) const;

  const Scene& scene_;
  std::vector<PlacedBody> bodies_;
};

}  // namespace oclide::reference
