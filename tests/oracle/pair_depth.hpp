// The least penetration of two bodies, with a proven bound on its error.
//
// f(n) = max over b in B of n.b - min over a in A of n.a is the support function of the difference body K = B - A,
// which is one set: the sum of segments (edges, axes), discs (bases of cylinders), points of hulls, a ball (radii) and
// the centres' offset c. The depth is the least f over the sphere of directions. It is not sampled: cells of directions
// are split until no cell can hold a value below the best found less a small slack, since for every p in K and every
// unit n: f(n)
// >= n.p. Separated bodies: the point of K nearest to the origin (GJK), whose length and direction bound the distance
// from both sides. Numbers are doubles relative to the first body's centre.
#pragma once

#include <vector>

#include "shape.hpp"

namespace oracle {

struct Depth {
  double upper = kInfinity;   ///< f(normal)
  double lower = -kInfinity;  ///< no direction gives less
  Vec normal{0.0, 0.0, 1.0};
  long cells = 0;  ///< of directions looked at
};

/// B - A without the ball: support function and support point.
class Difference {
 public:
  Difference(const Body& a, const Body& b);

  /// f(n) of the two bodies; n unit.
  [[nodiscard]] double overlap_along(Vec n) const;
  /// A point of the set farthest along n.
  [[nodiscard]] Vec support(Vec n) const;
  [[nodiscard]] double ball() const { return ball_; }
  /// Directions in which least penetrations often lie: a start, nothing rests on it.
  [[nodiscard]] std::vector<Vec> likely_directions() const;
  /// A point of the set that is well placed to bound f from below over all directions within an angle of n.
  [[nodiscard]] Vec bounding_point(Vec n, double cosine, double sine) const;

 private:
  friend Depth least_penetration(const Body&, const Body&, double, double);
  struct Disc {
    Vec axis;
    double radius;
  };
  [[nodiscard]] static Vec farthest(const Disc& disc, Vec n);
  [[nodiscard]] static Vec farthest(const std::vector<Vec>& hull, Vec n);

  std::vector<Vec> segments_;  ///< half vectors
  std::vector<Disc> discs_;
  std::vector<std::vector<Vec>> hulls_;  ///< points of each, A's turned round
  std::vector<Vec> faces_;               ///< directions of the hulls' faces
  Vec offset_;
  double ball_ = 0.0;
  double reach_ = 0.0;  ///< largest length of a point of the set, bound
};

/// The least penetration within slack + fraction * depth; negative: the distance. Half spaces in closed form.
Depth least_penetration(const Body& a, const Body& b, double slack = 2e-7, double fraction = 1e-5);

/// f(n) of any two bodies; infinite for a direction along which a half space has no end.
double overlap_along(const Body& a, const Body& b, Vec n);

}  // namespace oracle
