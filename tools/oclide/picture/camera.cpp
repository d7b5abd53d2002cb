#include "picture/camera.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "scene/terrain_of.hpp"

namespace oclide::command {
namespace {

constexpr double kHalfTangent = 0.41421356237309503;  // of 45 degrees from the lower border to the upper one

// Columns: to the right, up, along the sight.
glm::dmat3 axes_of_sight(double azimuth, double elevation) {
  const double a = azimuth * std::numbers::pi / 180.0, e = elevation * std::numbers::pi / 180.0;
  const glm::dvec3 forward{std::sin(a) * std::cos(e), std::cos(a) * std::cos(e), -std::sin(e)};
  const glm::dvec3 right{std::cos(a), -std::sin(a), 0.0};
  return {right, glm::cross(right, forward), forward};
}

glm::dvec3 rotated(const double* wxyz, const glm::dvec3& v) {
  const double norm = std::hypot(std::hypot(wxyz[0], wxyz[1]), std::hypot(wxyz[2], wxyz[3]));
  const glm::dvec3 axis = glm::dvec3(wxyz[1], wxyz[2], wxyz[3]) / norm;
  return v + 2.0 * glm::cross(axis, glm::cross(axis, v) + wxyz[0] / norm * v);
}

}  // namespace

Camera::Camera(const glm::dvec3& target, double azimuth, double elevation, double distance, double aspect)
    : distance_(distance), aspect_(aspect) {
  const glm::dmat3 axes = axes_of_sight(azimuth, elevation);
  right_ = axes[0];
  up_ = axes[1];
  forward_ = axes[2];
  eye_ = target - distance * forward_;
}

glm::dvec3 Camera::ray(double x, double y) const {
  return distance_ * (forward_ + kHalfTangent * (x * aspect_ * right_ + y * up_));
}

glm::dvec3 Camera::project(const glm::dvec3& point) const {
  const glm::dvec3 from = point - eye_;
  const double along = glm::dot(from, forward_);
  const double scale = 1.0 / (kHalfTangent * std::max(along, 1e-12));
  return {glm::dot(from, right_) * scale / aspect_, glm::dot(from, up_) * scale, along};
}

double Camera::half_height(double along) const {
  return kHalfTangent * along;
}

double reach_of(const Scene& scene, std::size_t body) {
  const auto farthest = [](const auto& points) {
    double most = 0.0;
    for (const auto& p : points) most = std::max(most, std::hypot(p[0], p[1], p[2]));
    return most;
  };
  const auto of_shape = [&](Shape shape, const std::array<double, 3>& s) {
    const auto k = static_cast<std::size_t>(s[0]);
    switch (shape) {
      case Shape::sphere:
        return s[0];
      case Shape::box:
        return std::hypot(s[0], s[1], s[2]);
      case Shape::cylinder:
        return std::hypot(s[0], s[1]);
      case Shape::capsule:
        return s[0] + s[1];
      case Shape::convex_hull:
        return farthest(scene.hulls[k]);
      case Shape::triangle_mesh:
        return farthest(scene.meshes[k].vertices);
      case Shape::half_space:
      case Shape::compound:
        break;
    }
    return 0.0;
  };
  const Shape shape = scene.bodies.shape[body];
  const std::array<double, 3>& size = scene.bodies.size[body];
  if (shape != Shape::compound) return of_shape(shape, size);
  double most = 0.0;
  for (const CompoundPart& part : scene.compounds[static_cast<std::size_t>(size[0])])
    most = std::max(most,
                    of_shape(part.shape, part.size) + std::hypot(part.position[0], part.position[1], part.position[2]));
  return most;
}

std::vector<glm::dvec4> balls_of(const Scene& scene, const Frame& frame, std::uint32_t environment) {
  std::vector<glm::dvec4> balls;
  const auto add_corners = [&](const SceneBox& box, const auto& placed) {
    for (unsigned c = 0; c < 8; ++c)
      balls.emplace_back(placed({(c & 1U) != 0 ? box.high.x : box.low.x, (c & 2U) != 0 ? box.high.y : box.low.y,
                                 (c & 4U) != 0 ? box.high.z : box.low.z}),
                         0.0);
  };
  const Bodies& bodies = scene.bodies;
  for (std::size_t i = 0; i < bodies.count(); ++i) {
    if (bodies.shape[i] == Shape::half_space) continue;
    if (!bodies.environment.empty() && bodies.environment[i] != environment) continue;
    const glm::dvec3 at{frame.position[3 * i], frame.position[3 * i + 1], frame.position[3 * i + 2]};
    if (bodies.shape[i] != Shape::triangle_mesh) {
      balls.emplace_back(at, reach_of(scene, i));
      continue;
    }
    std::vector<glm::dvec4> vertices;
    for (const auto& v : scene.meshes[static_cast<std::size_t>(bodies.size[i][0])].vertices)
      vertices.emplace_back(v[0], v[1], v[2], 0.0);
    if (vertices.empty()) continue;
    add_corners(box_of(vertices),
                [&](const glm::dvec3& v) { return at + rotated(frame.orientation.data() + 4 * i, v); });
  }
  const int number = terrain_in(scene, environment);
  if (!balls.empty() || number < 0) return balls;
  const Terrain& t = scene.terrains[static_cast<std::size_t>(number)];
  for (std::size_t k = 0; k < t.heights.size(); ++k)
    if (!std::isnan(t.heights[k]))
      balls.emplace_back(t.origin[0] + static_cast<double>(k % t.cols) * t.spacing[0],
                         t.origin[1] + static_cast<double>(k / t.cols) * t.spacing[1], t.heights[k], 0.0);
  return balls;
}

SceneBox box_of(std::span<const glm::dvec4> balls) {
  if (balls.empty()) return {glm::dvec3(-5.0), glm::dvec3(5.0)};
  constexpr double kFar = std::numeric_limits<double>::infinity();
  SceneBox box{glm::dvec3(kFar), glm::dvec3(-kFar)};
  for (const glm::dvec4& ball : balls) {
    box.low = glm::min(box.low, glm::dvec3(ball) - ball.w);
    box.high = glm::max(box.high, glm::dvec3(ball) + ball.w);
  }
  return box;
}

Camera camera_to_see(std::span<const glm::dvec4> all, double azimuth, double elevation, double aspect, bool cut) {
  const SceneBox box = box_of(all);
  const glm::dmat3 axes = axes_of_sight(azimuth, elevation);
  std::vector<glm::dvec4> balls;
  for (const glm::dvec4& ball : all)
    if (!cut || glm::dot(glm::dvec3(ball) - 0.5 * (box.low + box.high), axes[2]) + ball.w >= 0.0) balls.push_back(ball);
  glm::dvec3 target = 0.5 * (box.low + box.high);
  double distance = 1e-3;
  const double sides[2] = {kHalfTangent * aspect, kHalfTangent};
  for (int pass = 0; pass < 8; ++pass) {
    distance = 1e-3;
    for (const glm::dvec4& ball : balls) {
      const glm::dvec3 from = (glm::dvec3(ball) - target) * axes;
      for (int a = 0; a < 2; ++a) distance = std::max(distance, (std::abs(from[a]) + 1.4 * ball.w) / sides[a] - from.z);
    }
    if (balls.empty()) distance = 30.0;
    // The middle of what is seen, to the middle of the picture.
    glm::dvec2 low(std::numeric_limits<double>::infinity()), high = -low;
    for (const glm::dvec4& ball : balls) {
      const glm::dvec3 from = (glm::dvec3(ball) - target) * axes;
      const double along = std::max(1e-9, distance + from.z);
      low = glm::min(low, (glm::dvec2(from) - ball.w) / along);
      high = glm::max(high, (glm::dvec2(from) + ball.w) / along);
    }
    if (!balls.empty()) target += 0.5 * distance * ((low.x + high.x) * axes[0] + (low.y + high.y) * axes[1]);
  }
  return {target, azimuth, elevation, 1.05 * distance, aspect};
}

}  // namespace oclide::command
