// When a moving solid comes to touch what has many elements: the ground, or a triangle mesh.
#pragma once

#include "reference/motion/first_touch.hpp"

namespace oclide::reference {

/// Of a body and whatever it touches.
struct SurfaceTouch {
  Touch touch;            // A is the solid, B the surface
  std::uint32_t element;  // the lowest of those that are touched at that time; kNone where there are none
  std::uint8_t material;
};

/// The ground is solid below its surface. Places are from `origin` [m]. `looked_at` grows by the number of elements
/// that came near.
[[nodiscard]] std::optional<SurfaceTouch> first_touch_of_terrain(const MovingSolid& a, const Terrain& terrain,
                                                                 dvec3 origin, std::uint64_t& looked_at);

/// The mesh's position is so far from the pivot of its motion; `axes` are its axes at time 0.
[[nodiscard]] std::optional<SurfaceTouch> first_touch_of_mesh(const MovingSolid& a, dvec3 middle_of_a,
                                                              const TriangleMesh& mesh, const dmat3& axes,
                                                              dvec3 from_pivot, const SolidMotion& motion,
                                                              std::uint64_t& looked_at);

}  // namespace oclide::reference
