// The impacts of one frame: docs/motion.md.
#pragma once

#include <optional>
#include <vector>

#include "reference/broad_phase/body_pairs.hpp"
#include "reference/motion/surface_touch.hpp"
#include "shapes/scene_geometry.hpp"

namespace oclide::reference {

/// Borrows the scene, its geometry and the arrays. Its bodies are no compounds, but parts of those. Any number of
/// threads may ask.
class MotionScene {
 public:
  /// `pivots`: 3 * n points that the bodies turn about [m], their own where there are none. Motion has both arrays.
  MotionScene(const Scene& scene, const Geometry& geometry, const Poses& poses, const Motion& motion,
              std::span<const double> pivots);

  /// All that may meet and whose boxes over the frame overlap, in order.
  [[nodiscard]] std::vector<BodyPair> pairs() const;

  /// Both throw UntoldSweep where they would take too many steps.
  ///
  /// Empty where the two have none. B is a body or kTerrain, and may meet A. `looked_at` grows by the number of bodies,
  /// triangles or cells that came near.
  [[nodiscard]] std::optional<Impact> impact_of(std::uint32_t a, std::uint32_t b, std::uint64_t& looked_at,
                                                const TouchLimits& limits = {}) const;
  /// A time at which the two overlap by more than `depth` [m], and before which they do not but for rounding; infinite
  /// where there is none.
  [[nodiscard]] double first_overlap(std::uint32_t a, std::uint32_t b, double depth) const;

  struct Mover {
    Body body;
    dvec3 pivot;       // at time 0 [m]
    dvec3 from_pivot;  // to the body's position [m]
    dvec3 velocity, spin;

    // Points are from `origin`.
    [[nodiscard]] SolidMotion motion(dvec3 origin) const { return {pivot - origin, velocity, spin}; }
    [[nodiscard]] MovingSolid solid(dvec3 origin) const { return moving_body(body, from_pivot, motion(origin)); }
    [[nodiscard]] MeshToTouch mesh(dvec3 origin) const { return {*body.mesh, body.axes, from_pivot, motion(origin)}; }
  };
  [[nodiscard]] const Mover& mover(std::uint32_t body) const { return movers_[body]; }
  /// Of the body's environment, seen from its pivot; empty where it meets none.
  [[nodiscard]] std::optional<TerrainToTouch> terrain_under(std::uint32_t body) const;

 private:
  // Points are from the pivot of A, which is convex.
  [[nodiscard]] std::optional<SurfaceTouch> first_touch(const Mover& a, std::uint32_t body_a, std::uint32_t b,
                                                        const TouchLimits& limits, std::uint64_t& looked_at) const;

  const Scene& scene_;
  std::vector<Mover> movers_;
  std::vector<double> highest_;  // of each terrain [m]
};

}  // namespace oclide::reference
