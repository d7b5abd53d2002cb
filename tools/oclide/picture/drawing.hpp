// Draws a frame: what each pixel shows is found by rays; contacts, impacts, rays and paths are put over it.
#pragma once

#include <array>
#include <cstdint>
#include <glm/glm.hpp>
#include <limits>
#include <span>
#include <vector>

#include "commands.hpp"
#include "oclide/oclide.hpp"
#include "picture/camera.hpp"
#include "picture/png.hpp"
#include "shown_files.hpp"

namespace oclide::command {

/// What a ray through the picture meets.
struct SeenPixel {
  float along = std::numeric_limits<float>::infinity();  ///< the direction of sight [m]
  std::array<float, 3> normal{};
  std::array<float, 2> plane{};  ///< position in the plane of a half space [m]
  float height = 0.0F;
  std::uint32_t body = kNothing;
  std::uint16_t part = 0;
  std::uint8_t material = 0;
  bool in_shadow = false, is_cut = false;
};

class Drawing {
 public:
  /// The collider has the files' scene. `box`: of what is drawn; half spaces end beyond it. `deep`: depth of contacts
  /// that the scale of colours ends at [m].
  Drawing(Collider& collider, const ShownFiles& files, const PictureOptions& options, const SceneBox& box, double deep);

  /// The frame at a time in it, 0 to 1. Contacts are drawn at 0 alone.
  [[nodiscard]] Picture draw(const ShownFrame& frame, double time, const Camera& camera);

 private:
  void cast_pixels(const Frame& poses);
  void shade_shadows(const Frame& poses, const std::vector<std::size_t>& pixels, const std::vector<double>& from);
  void colour_pixels(const std::vector<bool>& touching);
  [[nodiscard]] glm::vec3 colour_of(const SeenPixel& pixel, const std::vector<bool>& touching) const;
  [[nodiscard]] bool is_edge(std::size_t row, std::size_t col) const;

  void dot(const glm::dvec3& point, double pixels, const glm::vec3& colour, bool ring, double slack);
  void segment(const glm::dvec3& from, const glm::dvec3& to, const glm::vec3& colour, double slack);
  void draw_contacts(const ShownFrame& frame);
  void draw_impacts(const ShownFrame& frame, double time);
  void draw_rays(const ShownFrame& frame);
  void draw_paths();
  template <class Touch>
  [[nodiscard]] bool is_drawn(const Touch& touch) const;

  Collider& collider_;
  const ShownFiles& files_;
  const Scene& scene_;
  const PictureOptions& options_;
  Camera camera_;
  std::size_t width_, height_;  // with what is averaged later
  std::vector<SeenPixel> pixels_;
  std::vector<glm::vec3> colours_;
  glm::dvec3 middle_;
  double plate_;                            // half side of what is drawn of a half space [m]
  double typical_;                          // radius of a body [m]
  double deep_;                             // of contacts [m]
  double lowest_ = 0.0, tint_scale_ = 0.0;  // of terrain
};

}  // namespace oclide::command
