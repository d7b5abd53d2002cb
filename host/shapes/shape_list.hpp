// What kernels/shared/shapes.h says of each shape, for C++. No array is indexed by a Shape but by way of ByShape.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "oclide/oclide.hpp"
#include "shared/shapes.h"

namespace oclide {

/// What the numbers of a size are.
enum class SizeMeaning {
  lengths,  ///< [m], positive
  index,    ///< size[0] is a whole number: which hull, or which compound
  nothing,
};

struct ShapeRow {
  Shape shape;
  std::uint32_t number;
  const char* name;   ///< stem of files, kernels and functions
  const char* words;  ///< in messages
  SizeMeaning meaning;
  std::array<const char*, 3> sizes;  ///< of each number of a size that is used; else empty

  /// Numbers of a size that are used.
  [[nodiscard]] constexpr std::size_t sizes_used() const {
    std::size_t used = 0;
    while (used < sizes.size() && *sizes[used] != '\0') ++used;
    return used;
  }
};

/// In the order of their numbers.
#define OCLIDE_ROW(NAME, name, number, words, meaning, size0, size1, size2) \
  ShapeRow{Shape::name, number, #name, words, SizeMeaning::meaning, {size0, size1, size2}},
inline constexpr std::array kShapes{OCLIDE_SHAPES(OCLIDE_ROW)};
#undef OCLIDE_ROW

namespace detail {
constexpr bool list_is_in_order() {
  for (std::size_t k = 0; k < kShapes.size(); ++k)
    if (kShapes[k].number != k || static_cast<std::size_t>(kShapes[k].shape) != k) return false;
  return true;
}
static_assert(list_is_in_order(), "shapes.h and Shape have the same numbers, from 0 on without gaps");
static_assert((SHARP_SHAPES ^ ROUNDED_SHAPES) == CONVEX_SHAPES, "every convex shape is sharp or rounded");
static_assert((SIDED_SHAPES ^ SIDELESS_SHAPES) == CONVEX_SHAPES, "every convex shape is sided or sideless");
// An enumerator of Shape that shapes.h lacks is a warning here, which is an error in this project.
constexpr void every_shape_is_listed(Shape shape) {
#define OCLIDE_CASE(NAME, name, number, words, meaning, size0, size1, size2) case Shape::name:
  switch (shape) { OCLIDE_SHAPES(OCLIDE_CASE) break; }
#undef OCLIDE_CASE
}
constexpr bool is_in(std::uint32_t shapes, Shape shape) {
  const auto number = static_cast<std::uint32_t>(shape);
  return number < kShapes.size() && (shapes >> number & 1U) != 0;
}
}  // namespace detail

/// Its row; null where the number is no shape.
[[nodiscard]] constexpr const ShapeRow* find_shape(Shape shape) {
  for (const ShapeRow& row : kShapes)
    if (row.shape == shape) return &row;
  return nullptr;
}

/// The classes of shapes.h; false for numbers that are no shape.
[[nodiscard]] constexpr bool is_symmetric(Shape shape) {
  return detail::is_in(SYMMETRIC_SHAPES, shape);
}
[[nodiscard]] constexpr bool is_convex(Shape shape) {
  return detail::is_in(CONVEX_SHAPES, shape);
}
[[nodiscard]] constexpr bool is_bounded(Shape shape) {
  return detail::is_in(BOUNDED_SHAPES, shape);
}
[[nodiscard]] constexpr bool meets_terrain(Shape shape) {
  return is_convex(shape);
}
[[nodiscard]] constexpr bool may_be_part(Shape shape) {
  return is_convex(shape);
}
[[nodiscard]] constexpr bool is_supported(Shape shape) {
  return is_bounded(shape) || shape == Shape::half_space || shape == Shape::compound;
}

/// Those that meet terrain, in the order of their numbers.
#define OCLIDE_ITEM(NAME, name) Shape::name,
inline constexpr std::array kTerrainShapes{OCLIDE_CONVEX_SHAPES(OCLIDE_ITEM)};
/// Of these so many come first that are symmetric.
inline constexpr std::size_t kSymmetricShapes = std::array{OCLIDE_SYMMETRIC_SHAPES(OCLIDE_ITEM)}.size();
#undef OCLIDE_ITEM

/// One value for each shape. Throws std::out_of_range for a number that is no shape.
template <class Value>
class ByShape {
 public:
  [[nodiscard]] Value& operator[](Shape shape) { return values_.at(static_cast<std::size_t>(shape)); }
  [[nodiscard]] const Value& operator[](Shape shape) const { return values_.at(static_cast<std::size_t>(shape)); }

 private:
  std::array<Value, kShapes.size()> values_{};
};

/// For the cases of a switch that cannot come to pass: a shape has no such geometry.
[[noreturn]] inline void no_geometry(const char* what, Shape shape) {
  const ShapeRow* row = find_shape(shape);
  throw std::logic_error(std::string("there is no ") + what + " of a " +
                         (row != nullptr ? row->words : "unknown shape"));
}

}  // namespace oclide
