// The order in which bodies are looked at on terrain: along a curve over the ground, so that those which read the same
// heights follow each other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "oclide/oclide.hpp"
#include "shared/abi.h"

namespace oclide {

class GroundOrder {
 public:
  /// Nothing is sorted.
  void forget() { sample_.clear(); }
  /// Is nothing sorted, or have many bodies gone far since?
  [[nodiscard]] bool is_stale(const Poses& poses) const;
  /// Sorts the bodies of each shape, those from shape_begin[s] up to shape_begin[s + 1]: by terrain, then along a Z
  /// curve over x and y, then by index.
  void sort(std::span<BodyRecord> bodies, std::span<const std::uint32_t> shape_begin, const Poses& poses);

 private:
  struct Place {
    std::uint32_t body;
    double x, y;  // [m]
  };
  std::vector<Place> sample_;  // where some of the bodies were when they were sorted
  double far_ = 0.0;           // [m]
};

}  // namespace oclide
