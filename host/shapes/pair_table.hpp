// The kinds of pairs: kernels/shared/pairs.h for C++. One row, one kernel, one file each.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "shapes/shape_list.hpp"
#include "shared/pairs.h"

namespace oclide {

struct PairRow {
  Shape first, second;
  const char* stem;  // kernels/narrow_phase/<stem>.cl, kernel narrow_phase_<stem>
};

/// In the order of the kinds' numbers.
#define OCLIDE_ROW(FIRST, first, SECOND, second) PairRow{Shape::first, Shape::second, #first "_" #second},
inline constexpr std::array kPairTable{OCLIDE_PAIRS(OCLIDE_ROW)};
inline constexpr std::array kPairsApart{OCLIDE_PAIRS_APART(OCLIDE_ROW)};
#undef OCLIDE_ROW

/// The kind of two shapes in either order; empty where they never meet.
[[nodiscard]] constexpr std::optional<std::uint32_t> pair_kind(Shape a, Shape b) {
  for (std::uint32_t k = 0; k < kPairTable.size(); ++k) {
    const PairRow& row = kPairTable[k];
    if ((row.first == a && row.second == b) || (row.first == b && row.second == a)) return k;
  }
  return std::nullopt;
}

/// Is the kind in a set of them, as PAIR_KINDS_IN_TWO is one?
[[nodiscard]] constexpr bool is_kind_of(std::uint32_t kinds, std::uint32_t kind) {
  return kind < PAIR_KINDS && (kinds >> kind & 1U) != 0;
}
static_assert(PAIR_KINDS <= 32);

namespace detail {
template <std::size_t N>
constexpr int times_listed(const std::array<PairRow, N>& rows, Shape first, Shape second) {
  int times = 0;
  for (const PairRow& row : rows) times += row.first == first && row.second == second ? 1 : 0;
  return times;
}
constexpr bool every_pair_is_listed_once() {
  const auto has_surface = [](Shape shape) { return is_bounded(shape) || shape == Shape::half_space; };
  for (const ShapeRow& a : kShapes)
    for (const ShapeRow& b : kShapes) {
      const bool is_pair = a.number <= b.number && has_surface(a.shape) && has_surface(b.shape);
      if (times_listed(kPairTable, a.shape, b.shape) + times_listed(kPairsApart, a.shape, b.shape) != (is_pair ? 1 : 0))
        return false;
    }
  return true;
}
static_assert(every_pair_is_listed_once(), "pairs.h has every two shapes with a surface once, the lower number first");
}  // namespace detail

}  // namespace oclide
