// Coal's own time for pairs of convex hulls, called from C++ without anything around it.
#pragma once

#include <array>
#include <vector>

#include "scenarios/heap.hpp"

namespace oclide::bench {

struct CoalTime {
  double nanoseconds = 0.0;  ///< a pair, the least of some passes over all
  double touching = 0.0;     ///< part of the pairs
};

/// coal::collide() of each pair in turn: contacts enabled, one a pair, everything else as Coal has it. One thread.
[[nodiscard]] CoalTime coal_hull_pairs(const std::vector<std::array<scenario::PlacedBody, 2>>& pairs,
                                       const scenario::HullPoints& hulls);

}  // namespace oclide::bench
