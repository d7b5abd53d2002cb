// The ground that scenarios put their bodies on, and terrain made of noise.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <glm/gtc/quaternion.hpp>
#include <glm/vec3.hpp>
#include <optional>

#include "oclide/oclide.hpp"

namespace oclide::scenario {

/// Looks up a terrain, which must outlive it. Bodies are put into a rectangle of it: all of it, or one of a given area
/// [m^2] in its middle, as near to a square as the terrain has room for. Points outside the grid count as on its
/// border; over no-data and holes the ground is flat at the rectangle's highest vertex, so that nothing is put in
/// there.
class Ground {
 public:
  explicit Ground(const Terrain& terrain, std::optional<double> area = {});

  [[nodiscard]] double height(double x, double y) const;
  [[nodiscard]] glm::dvec3 normal(double x, double y) const;
  [[nodiscard]] glm::dvec3 point(double x, double y) const { return {x, y, height(x, y)}; }

  [[nodiscard]] const std::array<double, 2>& low() const { return low_; }    ///< corner of the rectangle, x and y
  [[nodiscard]] const std::array<double, 2>& high() const { return high_; }  ///< corner of the rectangle, x and y

  /// Calls visit(point) for surface points within `radius` of (x, y) seen from above: the vertices there, and at least
  /// 9 x 9 places in any case; at most 65 x 65.
  void for_each_point(double x, double y, double radius, const std::function<void(const glm::dvec3&)>& visit) const;

  /// Height of the centre of a sphere at (x, y) that just rests on the ground.
  [[nodiscard]] double sphere_height(double x, double y, double radius) const;
  /// Centre of a body near (x, y) that is `gap` away from the plane of the ground there (negative: sunk), and, where
  /// `clear`, from what rises out of that plane around it too.
  [[nodiscard]] glm::dvec3 rest(Shape shape, const std::array<double, 3>& size, const glm::dquat& orientation, double x,
                                double y, double gap, bool clear) const;

 private:
  struct Plane {
    double height;
    double slope_x;
    double slope_y;
  };
  [[nodiscard]] Plane plane(double x, double y) const;

  const Terrain& terrain_;
  std::array<double, 2> low_;
  std::array<double, 2> high_;
  double highest_ = 0.0;
};

/// Smooth noise in -1 .. 1, with features of about unit size.
[[nodiscard]] double noise(double x, double y, std::uint64_t seed);
/// Sum of noise of wavelengths `longest`, half of it, ... down to `shortest`, each with an amplitude of `roughness`
/// times its wavelength.
[[nodiscard]] double fractal_noise(double x, double y, double longest, double shortest, double roughness,
                                   std::uint64_t seed);

/// A terrain of this size about x = y = 0 whose heights, rounded to float, are height(x, y). Cells become a little
/// smaller than asked for where that is needed to fill the size, and larger above 4096 cells a side.
[[nodiscard]] Terrain make_terrain(double width, double depth, std::array<double, 2> cell,
                                   const std::function<double(double, double)>& height);
/// Material of each cell, from the place of its middle.
void set_material(Terrain& terrain, const std::function<std::uint8_t(double, double)>& material);

}  // namespace oclide::scenario
