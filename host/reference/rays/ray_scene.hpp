// All that rays may meet in one frame.
#pragma once

#include <vector>

#include "reference/rays/ray.hpp"
#include "reference/rays/terrain_ray.hpp"
#include "shapes/scene_geometry.hpp"

namespace oclide::reference {

/// Borrows the scene and its geometry. Its bodies are no compounds, but parts of those. Any number of threads may ask.
class RayScene {
 public:
  RayScene(const Scene& scene, const Geometry& geometry, const Poses& poses);

  [[nodiscard]] Hit first_hit(const Ray& ray) const;
  /// The hit of one body, or of kTerrain, whatever else is on the way; infinite where the ray misses it or it is not
  /// for the ray.
  [[nodiscard]] Hit hit_of(const Ray& ray, std::uint32_t body) const;

 private:
  struct PlacedBody {
    Body body;
    dvec3 centre;
    double radius;  // of the bounding sphere around the centre [m]
  };

  const Scene& scene_;
  std::vector<PlacedBody> bodies_;
  std::vector<RayTerrain> terrains_;
};

}  // namespace oclide::reference
