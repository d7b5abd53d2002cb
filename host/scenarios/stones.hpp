// Stones, and bodies of all five convex shapes among them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "scenarios/geometry.hpp"
#include "scenarios/heap.hpp"

namespace oclide::scenario {

/// Points of stone k of a seed, a convex hull of 0.2 to 0.5 m: round ones, broken blocks, prisms and shards by turns.
[[nodiscard]] std::vector<std::array<double, 3>> stone(std::size_t k, std::uint64_t seed);

/// A body of any of the five convex shapes, turned in any way, whose sizes are from `smallest` to `largest`; of hulls
/// one of the first `hulls` of the scene.
[[nodiscard]] PlacedBody loose_body(Random& random, std::size_t hulls, double smallest, double largest);

}  // namespace oclide::scenario
