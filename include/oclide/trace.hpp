// oclide: moving points that are reflected by what they meet. See docs/trace.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "oclide/oclide.hpp"

namespace oclide {

/// Moving points: borrowed memory, not kept. p of them.
struct Points {
  std::span<const double> position;            ///< 3 * p: x, y, z at the start [m], finite
  std::span<const double> displacement;        ///< 3 * p: the way of this frame [m], finite; may be zero
  std::span<const std::uint32_t> environment;  ///< p; empty: all 0

  [[nodiscard]] std::size_t count() const { return position.size() / 3; }
};

struct TraceSettings {
  std::uint32_t bounces = 10;  ///< reflections of a point at most; 0: it stops at the first surface
  double friction = 0.0;       ///< share of the way along the surface that a reflection takes, 0 to 1
  double restitution = 1.0;    ///< share of the way across the surface that it leaves, 0 to 1
};

/// How a path ends.
enum class PathEnd : std::uint8_t {
  arrived = 0,  ///< the whole way was gone
  stopped = 1,  ///< at a surface, with some way left: all reflections were used up, or it is in a corner too narrow
  in_solid = 2  ///< it began in a solid, and did not move
};

/// The start of a path, a reflection, or its end.
struct PathPoint {
  std::array<double, 3> point{};  ///< [m], world
  std::array<float, 3> normal{};  ///< of a reflection: unit, out of what was hit; else zero
  std::uint32_t body = kNothing;  ///< of a reflection: index of a body, or kTerrain
};

/// The paths of all points.
struct Paths {
  std::vector<std::uint64_t> offset;  ///< p + 1; path k has points[offset[k]] to points[offset[k + 1] - 1]
  std::vector<PathPoint> points;      ///< of each path the start, each reflection, the end
  std::vector<std::array<double, 3>> displacement;  ///< p: way that is left [m], as reflections turned it
  std::vector<std::array<double, 3>> outgoing;      ///< p: the whole way of the frame as reflections turned it [m]
  std::vector<PathEnd> end;                         ///< p
  std::uint64_t reflections = 0;                    ///< of all points
  std::uint64_t casts = 0;                          ///< calls of Collider::cast()
  CastTimes milliseconds;                           ///< of all casts; total: wall time of the call
};

/// How near to a surface a path comes where it goes on or ends [m].
inline constexpr double kPathDistance = 1e-4;

/// Moves the points among the bodies at these poses and over the terrain. Each is reflected where its way hits
/// something. All points of a bounce are one Collider::cast(). Blocking. Throws Error(invalid_input) as that, and
/// naming array and index for a point or setting that cannot be used.
[[nodiscard]] OCLIDE_API Paths trace(Collider& collider, const Poses& poses, const Points& points,
                                     const TraceSettings& settings = {});

/// The same by another cast of rays, such as RemoteCollider::cast() with the poses of its bodies.
[[nodiscard]] OCLIDE_API Paths trace(const std::function<RayHits(const Rays&)>& cast, const Points& points,
                                     const TraceSettings& settings = {});

}  // namespace oclide
