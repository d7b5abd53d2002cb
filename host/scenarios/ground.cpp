#include "scenarios/ground.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scenarios/geometry.hpp"
#include "threads/parallel_for.hpp"

namespace oclide::scenario {

Ground::Ground(const Terrain& terrain, std::optional<double> area) : terrain_(terrain), low_(terrain.origin) {
  const std::array<std::size_t, 2> last{terrain.cols - 1, terrain.rows - 1};
  for (int a = 0; a < 2; ++a) high_[a] = low_[a] + terrain.spacing[a] * static_cast<double>(last[a]);
  // First and last vertices, of columns and of rows, of the cells that the rectangle is in.
  std::array<std::size_t, 2> begin{0, 0};
  std::array<std::size_t, 2> end = last;
  if (area) {
    const double width = high_[0] - low_[0];
    const double depth = high_[1] - low_[1];
    const double across = std::min(width, std::max(std::sqrt(*area), *area / depth));
    const std::array<double, 2> side{across, std::min(depth, *area / across)};
    for (int a = 0; a < 2; ++a) {
      const double middle = 0.5 * (low_[a] + high_[a]);
      low_[a] = std::max(low_[a], middle - 0.5 * side[a]);
      high_[a] = std::min(high_[a], middle + 0.5 * side[a]);
      const auto line = [&](double x) { return std::max(0.0, (x - terrain.origin[a]) / terrain.spacing[a]); };
      begin[a] = std::min(last[a], static_cast<std::size_t>(line(low_[a])));
      end[a] = std::min(last[a], static_cast<std::size_t>(line(high_[a])) + 1);
    }
  }
  const auto highest = [&] {
    double result = -std::numeric_limits<double>::infinity();
    for (std::size_t i = begin[1]; i <= end[1]; ++i)
      for (std::size_t j = begin[0]; j <= end[0]; ++j) {
        const double height = terrain.heights[i * terrain.cols + j];
        result = std::max(result, std::isnan(height) ? result : height);
      }
    return result;
  };
  highest_ = highest();
  if (std::isfinite(highest_)) return;
  // Nothing but no data there.
  begin = {0, 0};
  end = last;
  highest_ = highest();
}

Ground::Plane Ground::plane(double x, double y) const {
  // Cell, and place in it from 0 to 1.
  const Terrain& t = terrain_;
  const double column = std::clamp((x - t.origin[0]) / t.spacing[0], 0.0, static_cast<double>(t.cols - 1));
  const double row = std::clamp((y - t.origin[1]) / t.spacing[1], 0.0, static_cast<double>(t.rows - 1));
  const std::size_t j = std::min(static_cast<std::size_t>(column), t.cols - 2);
  const std::size_t i = std::min(static_cast<std::size_t>(row), t.rows - 2);
  const double u = column - static_cast<double>(j);
  const double v = row - static_cast<double>(i);
  const double* h = &t.heights[i * t.cols + j];
  const double h0 = h[0];
  const double h1 = h[1];
  const double h2 = h[t.cols];
  const double h3 = h[t.cols + 1];
  if (std::isnan(h0 + h1 + h2 + h3) || (!t.holes.empty() && t.holes[i * (t.cols - 1) + j] != 0))
    return {highest_, 0.0, 0.0};
  // Triangle V0 V1 V2 or V3 V2 V1.
  if (u + v <= 1.0) return {h0 + u * (h1 - h0) + v * (h2 - h0), (h1 - h0) / t.spacing[0], (h2 - h0) / t.spacing[1]};
  return {h3 + (1.0 - u) * (h2 - h3) + (1.0 - v) * (h1 - h3), (h3 - h2) / t.spacing[0], (h3 - h1) / t.spacing[1]};
}

double Ground::height(double x, double y) const {
  return plane(x, y).height;
}

glm::dvec3 Ground::normal(double x, double y) const {
  const Plane p = plane(x, y);
  return glm::normalize(glm::dvec3(-p.slope_x, -p.slope_y, 1.0));
}

void Ground::for_each_point(double x, double y, double radius,
                            const std::function<void(const glm::dvec3&)>& visit) const {
  // Along each axis the grid's own lines where they are many, else nine places.
  const auto places = [&](int axis, double middle) {
    std::vector<double> result;
    const double spacing = terrain_.spacing[axis];
    const double origin = terrain_.origin[axis];
    const double first = std::ceil((middle - radius - origin) / spacing);
    const double count = std::floor((middle + radius - origin) / spacing) - first + 1.0;
    const double stride = std::max(1.0, std::ceil(count / 64.0));
    for (double k = 0.0; k < count; k += stride) result.push_back(origin + spacing * (first + k));
    if (count < 9.0)
      for (int k = -4; k <= 4; ++k) result.push_back(middle + 0.25 * k * radius);
    return result;
  };
  const std::vector<double> columns = places(0, x);
  for (double py : places(1, y))
    for (double px : columns)
      if ((px - x) * (px - x) + (py - y) * (py - y) <= radius * radius) visit(point(px, py));
}

double Ground::sphere_height(double x, double y, double radius) const {
  double z = height(x, y) + radius;
  for_each_point(x, y, radius, [&](const glm::dvec3& p) {
    const double across2 = (p.x - x) * (p.x - x) + (p.y - y) * (p.y - y);
    z = std::max(z, p.z + std::sqrt(std::max(0.0, radius * radius - across2)));
  });
  return z;
}

glm::dvec3 Ground::rest(Shape shape, const std::array<double, 3>& size, const glm::dquat& orientation, double x,
                        double y, double gap, bool clear) const {
  const glm::dvec3 foot = point(x, y);
  const glm::dvec3 n = normal(x, y);
  double rise = 0.0;
  if (clear) {
    // The body stands off along the normal: what is within its radius of that line counts.
    const double radius = bounding_radius(shape, size);
    for_each_point(x + n.x * radius, y + n.y * radius, radius,
                   [&](const glm::dvec3& p) { rise = std::max(rise, glm::dot(p - foot, n)); });
  }
  return foot + (reach(shape, size, orientation, -n) + gap + rise) * n;
}

namespace {

// A number in -1 .. 1 for each lattice point.
double lattice(std::int64_t i, std::int64_t j, std::uint64_t seed) {
  const std::uint64_t bits = mix(seed ^ mix(static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15ULL ^
                                            mix(static_cast<std::uint64_t>(j) + 0x632BE59BD9B4E019ULL)));
  return static_cast<double>(bits >> 11) * 0x1p-52 - 1.0;
}

double smooth(double t) {
  return t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
}

}  // namespace

double noise(double x, double y, std::uint64_t seed) {
  const double fx = std::floor(x);
  const double fy = std::floor(y);
  const auto i = static_cast<std::int64_t>(fx);
  const auto j = static_cast<std::int64_t>(fy);
  const double u = smooth(x - fx);
  const double v = smooth(y - fy);
  const double south = lattice(i, j, seed) * (1.0 - u) + lattice(i + 1, j, seed) * u;
  const double north = lattice(i, j + 1, seed) * (1.0 - u) + lattice(i + 1, j + 1, seed) * u;
  return south * (1.0 - v) + north * v;
}

double fractal_noise(double x, double y, double longest, double shortest, double roughness, std::uint64_t seed) {
  double sum = 0.0;
  for (double wavelength = longest; wavelength >= shortest; wavelength *= 0.5)
    sum += roughness * wavelength * noise(x / wavelength, y / wavelength, ++seed);
  return sum;
}

Terrain make_terrain(double width, double depth, std::array<double, 2> cell,
                     const std::function<double(double, double)>& height) {
  const auto cells = [](double length, double size) {
    return static_cast<std::size_t>(std::clamp(std::ceil(length / size - 1e-9), 1.0, 4096.0));
  };
  Terrain terrain;
  terrain.cols = cells(width, cell[0]) + 1;
  terrain.rows = cells(depth, cell[1]) + 1;
  terrain.origin = {-0.5 * width, -0.5 * depth};
  terrain.spacing = {width / static_cast<double>(terrain.cols - 1), depth / static_cast<double>(terrain.rows - 1)};
  terrain.heights.resize(terrain.rows * terrain.cols);
  parallel_for(terrain.rows, [&](std::size_t i) {
    const double y = terrain.origin[1] + terrain.spacing[1] * static_cast<double>(i);
    for (std::size_t j = 0; j < terrain.cols; ++j) {
      const double x = terrain.origin[0] + terrain.spacing[0] * static_cast<double>(j);
      terrain.heights[i * terrain.cols + j] = static_cast<double>(static_cast<float>(height(x, y)));
    }
  });
  return terrain;
}

void set_material(Terrain& terrain, const std::function<std::uint8_t(double, double)>& material) {
  terrain.material.resize((terrain.rows - 1) * (terrain.cols - 1));
  for (std::size_t i = 0; i + 1 < terrain.rows; ++i)
    for (std::size_t j = 0; j + 1 < terrain.cols; ++j)
      terrain.material[i * (terrain.cols - 1) + j] =
          material(terrain.origin[0] + terrain.spacing[0] * (static_cast<double>(j) + 0.5),
                   terrain.origin[1] + terrain.spacing[1] * (static_cast<double>(i) + 0.5));
}

}  // namespace oclide::scenario
