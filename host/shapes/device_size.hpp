// A body's size as kernels have it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "shapes/shape_list.hpp"

namespace oclide {

/// Lengths are no smaller than what can be squared in float32. Indices are as they are, but those of meshes count on
/// from the scene's `hulls`.
inline void write_device_size(Shape shape, const std::array<double, 3>& size, std::size_t hulls, float (&to)[3]) {
  const ShapeRow* row = find_shape(shape);
  const bool is_index = row != nullptr && row->meaning == SizeMeaning::index;
  for (std::size_t a = 0; a < 3; ++a) to[a] = static_cast<float>(is_index ? size[a] : std::max(size[a], 1e-12));
  if (shape == Shape::triangle_mesh) to[0] = static_cast<float>(size[0] + static_cast<double>(hulls));
}

}  // namespace oclide
