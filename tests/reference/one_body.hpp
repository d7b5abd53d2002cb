// One body on one terrain, as the reference sees it: what the tests of this folder share.
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <random>
#include <vector>

#include "oclide/oclide.hpp"
#include "reference/body_contacts.hpp"
#include "reference/broad_phase/terrain_range.hpp"

namespace oclide::test {

using reference::Body;
using reference::CellRange;
using reference::GroundContact;
using reference::TerrainSurface;
using reference::TerrainView;
using glm::dvec2;
using glm::dvec3;

using Quaternion = std::array<double, 4>;  // w, x, y, z
inline constexpr Quaternion kUpright{1.0, 0.0, 0.0, 0.0};

inline Quaternion turn(dvec3 axis, double angle) {
  axis = glm::normalize(axis) * std::sin(angle / 2.0);
  return {std::cos(angle / 2.0), axis.x, axis.y, axis.z};
}

/// rows x cols vertices at (x, y) = (x0 + j dx, y0 + i dy) with heights from a function.
inline Terrain make_terrain(std::size_t rows, std::size_t cols, std::array<double, 2> origin,
                            std::array<double, 2> spacing, const std::function<double(double, double)>& height) {
  Terrain t;
  t.rows = rows, t.cols = cols, t.origin = origin, t.spacing = spacing;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j)
      t.heights.push_back(height(origin[0] + static_cast<double>(j) * spacing[0],
                                 origin[1] + static_cast<double>(i) * spacing[1]));
  return t;
}

struct OneBody {
  Shape shape;
  std::array<double, 3> size;
  dvec3 position;
  Quaternion orientation = kUpright;

  [[nodiscard]] Body body() const { return reference::make_body(shape, size, orientation); }
  [[nodiscard]] TerrainSurface ground(const Terrain& terrain, double margin = 0.0) const {
    const TerrainView view(terrain, position);
    return {view, reference::terrain_range(view, body(), margin)};
  }
  /// All contacts, held or nearly held, relative to the centre.
  [[nodiscard]] std::vector<GroundContact> all(const Terrain& terrain, double margin = 0.0) const {
    return reference::ground_contacts(body(), ground(terrain, margin), margin);
  }
  [[nodiscard]] std::vector<GroundContact> contacts(const Terrain& terrain, double margin = 0.0) const {
    return reference::held(all(terrain, margin));
  }
  /// After contact reduction.
  [[nodiscard]] std::vector<std::vector<GroundContact>> manifolds(const Terrain& terrain, double margin = 0.0) const {
    return reference::reduce_contacts(contacts(terrain, margin));
  }
};

}  // namespace oclide::test
