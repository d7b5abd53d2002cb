// Judges impacts by their definition: exact distances at many times of the frame, by other means than the reference's
// sweep. The solids of terrain and meshes are hulls of each element.
#pragma once

#include <string>
#include <vector>

#include "motion/motion.hpp"

namespace oclide::test {

struct Verdict {
  std::vector<std::string> wrong;
  int pairs = 0, impacts = 0;  // judged
  double latest = 0.0;         // most that a pair overlapped at its impact, at times after 0 [m]
};

/// Every pair that may meet, at `samples` times and at that of its impact.
Verdict judge(const MovingScene& scene, const std::vector<Impact>& impacts, int samples);

}  // namespace oclide::test
