// How far long sweeps over sizes, turns and places go.
#pragma once

#include <cstdlib>

#include "support/sanitizer.hpp"

namespace oclide::test {

/// How many seeds a test with random numbers tries; more of them on request: OCLIDE_FUZZ_SEEDS=100.
inline int fuzz_seeds(int usual = 1) {
  const char* more = std::getenv("OCLIDE_FUZZ_SEEDS");
  return more ? std::atoi(more) : usual;
}

#ifdef OCLIDE_SANITIZER
/// Of so many cases of a sweep one is tried. A sanitizer looks for stray accesses and races, which the same code with
/// other numbers has or has not in the first cases as in the last; whether all numbers hold is for builds without one
/// to tell.
inline constexpr int kSweepStep = 5;
/// Nor is it worth minutes of sorting on the device, where it does not look, or of large bodies in the reference.
inline constexpr bool kTakesItsTime = false;
#else
inline constexpr int kSweepStep = 1;
inline constexpr bool kTakesItsTime = true;
#endif

}  // namespace oclide::test
