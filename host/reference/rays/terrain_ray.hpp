// A ray against a terrain.
#pragma once

#include "reference/rays/ray.hpp"

namespace oclide::reference {

/// A terrain that rays are cast at; borrows it.
struct RayTerrain {
  explicit RayTerrain(const Terrain& terrain);

  const Terrain& terrain;
  double highest;  // of its vertices [m]; minus infinity where none has a height

  /// Where the ray hits it first, from the ray's origin on, and the point [m]. Empty where it misses or ends before.
  struct Hit {
    RayHit hit;
    dvec3 point;
  };
  [[nodiscard]] std::optional<Hit> first_hit(const Ray& ray) const;
};

}  // namespace oclide::reference
