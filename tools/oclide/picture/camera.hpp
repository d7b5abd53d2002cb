// Where a picture is taken from.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

#include "files/scene_file.hpp"
#include "oclide/oclide.hpp"

namespace oclide::command {

/// An eye and what it looks at. Sides are half tangents: of the picture's right and upper border.
class Camera {
 public:
  Camera() = default;
  Camera(const glm::dvec3& target, double azimuth, double elevation, double distance, double aspect);

  [[nodiscard]] const glm::dvec3& eye() const { return eye_; }
  [[nodiscard]] double distance() const { return distance_; }
  /// Of the point (x, y) of the picture, each from -1 to 1, y up: as long as reaches the plane through the target.
  [[nodiscard]] glm::dvec3 ray(double x, double y) const;
  /// x and y as of ray(), and how far the point is along the direction of sight.
  [[nodiscard]] glm::dvec3 project(const glm::dvec3& point) const;
  /// Length at this distance along the direction of sight that is half the picture's height [m].
  [[nodiscard]] double half_height(double along) const;

 private:
  glm::dvec3 eye_{}, forward_{}, right_{}, up_{};
  double distance_ = 1.0, aspect_ = 1.0;
};

/// Radius about its position of a ball that holds a body [m]; 0 of half spaces.
[[nodiscard]] double reach_of(const Scene& scene, std::size_t body);

/// Balls that hold an environment's bodies but for half spaces: centre and radius; of meshes the corners of the boxes
/// around them; where there is nothing of that, of its terrain.
[[nodiscard]] std::vector<glm::dvec4> balls_of(const Scene& scene, const Frame& frame, std::uint32_t environment);

/// The axis-parallel box around balls.
struct SceneBox {
  glm::dvec3 low{}, high{};
};
[[nodiscard]] SceneBox box_of(std::span<const glm::dvec4> balls);

/// The nearest camera with these directions that sees all balls, in the middle of the picture. `cut`: but for those
/// before the middle of their box.
[[nodiscard]] Camera camera_to_see(std::span<const glm::dvec4> balls, double azimuth, double elevation, double aspect,
                                   bool cut);

}  // namespace oclide::command
