// Margins of bodies and of pairs of them (docs/worlds.md).
#pragma once

#include <cstddef>

#include "oclide/oclide.hpp"

namespace oclide {

/// Of a body by itself [m].
[[nodiscard]] inline double own_margin(const Bodies& bodies, std::size_t body) {
  return bodies.margin.empty() ? 0.0 : bodies.margin[body];
}
/// Of a body and terrain where Settings::margin is `margin`.
[[nodiscard]] inline double ground_margin(double margin, const Bodies& bodies, std::size_t body) {
  return margin + own_margin(bodies, body);
}
/// Of two bodies where Settings::margin is `margin`.
[[nodiscard]] inline double pair_margin(double margin, const Bodies& bodies, std::size_t a, std::size_t b) {
  return margin + (own_margin(bodies, a) + own_margin(bodies, b));
}

}  // namespace oclide
