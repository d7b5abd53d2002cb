// Bullet 3 (Debian: libbullet-dev) on the bodies and the terrain of a scene, set up for speed: no body-body work, one
// collision algorithm kept per body, called directly. One thread, as Debian builds it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "oclide/oclide.hpp"

namespace oclide::bench {

class BulletTerrain {
 public:
  /// Spheres, boxes, cylinders and capsules against terrain 0.
  explicit BulletTerrain(const Scene& scene);
  ~BulletTerrain();

  struct Result {
    std::uint64_t contacts = 0;          ///< points with distance <= 0
    std::vector<std::uint8_t> touching;  ///< one a body
    double milliseconds = 0.0;           ///< from poses to contact points, all of it
  };
  Result collide(const Poses& poses);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace oclide::bench
