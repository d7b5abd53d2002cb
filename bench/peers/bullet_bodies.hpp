// Bullet 3 (Debian: libbullet-dev) on the bodies of a scene, against each other, set up for speed: dynamic AABB tree,
// boxes no larger than the bodies, pairs whose boxes are apart told off before their algorithm is asked, manifolds
// kept from frame to frame. One thread, as Debian builds it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "oclide/oclide.hpp"

namespace oclide::bench {

class BulletBodies {
 public:
  /// Spheres, boxes, cylinders, capsules and half spaces of one environment, all of which meet; their poses at first.
  /// `margin`: radius of the edges of boxes and cylinders [m], Bullet's own where not given.
  BulletBodies(const Scene& scene, const Poses& poses, std::optional<double> margin = {});
  ~BulletBodies();

  struct Times {
    double bounds = 0.0, broad_phase = 0.0, narrow_phase = 0.0, contacts = 0.0, total = 0.0;  // [ms]
  };
  /// From poses to contact points, all of it.
  Times collide(const Poses& poses);

  /// Points with distance <= 0 of the last collide().
  [[nodiscard]] std::uint64_t contacts() const;
  /// Pairs whose bounding boxes overlap: those that an algorithm is asked about.
  [[nodiscard]] std::uint64_t candidates() const;
  struct Pair {
    std::array<std::uint32_t, 2> bodies;  // the smaller index first
    double depth;                         // the greatest [m]
  };
  /// Pairs with a point with distance <= 0, sorted.
  [[nodiscard]] std::vector<Pair> touching_pairs() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace oclide::bench
