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
  /// `pivots`: 3 * n places that the bodies turn about [m], their own where there are none. Motion has both arrays.
  MotionScene(const Scene& scene, const Geometry& geometry, const Poses& poses, const Motion& motion,
              std::span<const double> pivots);

  /// All that may meet and whose boxes over the frame overlap, in order.
  [[nodiscard]] std::vector<BodyPair> pairs() const;

  /// Empty where the two have none. B is a body or kTerrain, and may meet A. `looked_at` grows by the number of bodies,
  /// triangles or cells that came near.
  [[nodiscard]] std::optional<Impact> impact_of(std::uint32_t a, std::uint32_t b, std::uint64_t& looked_at) const;

 private:
  struct Mover {
    Body body;
    dvec3 pivot;       // [m]
    dvec3 from_pivot;  // to the body's position [m]
    dvec3 velocity, spin;
  };
  // Seen from a place.
  [[nodiscard]] static SolidMotion motion_of(const Mover& mover, dvec3 origin) {
    return {mover.pivot - origin, mover.velocity, mover.spin};
  }
  [[nodiscard]] static MovingSolid solid_of(const Mover& mover, dvec3 origin) {
    return moving_body(mover.body, mover.from_pivot, motion_of(mover, origin));
  }
  // Places are from the pivot of A.
  [[nodiscard]] static std::optional<SurfaceTouch> with_convex(const Mover& a, const Mover& b);
  [[nodiscard]] static std::optional<SurfaceTouch> with_half_space(const Mover& a, const Mover& b);
  [[nodiscard]] static std::optional<SurfaceTouch> with_mesh(const Mover& a, const Mover& b, std::uint64_t& looked_at);
  [[nodiscard]] std::optional<SurfaceTouch> with_terrain(std::uint32_t a, std::uint64_t& looked_at) const;

  const Scene& scene_;
  std::vector<Mover> movers_;
};

}  // namespace oclide::reference
