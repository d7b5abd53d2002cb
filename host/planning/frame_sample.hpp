// The sample of bodies that a frame is estimated from (frame_estimate.cpp), and both parts of the estimate.
#pragma once

#include <vector>

#include "planning/memory_plan.hpp"

namespace oclide {

/// One body of the sample, for `weight` bodies like it.
struct Sampled {
  std::size_t body;
  double weight;
};

/// Sites, candidates and contacts against terrain.
void estimate_terrain(const Scene& scene, const Bodies& bodies, const Geometry& geometry, const Poses& poses,
                      double margin, const std::vector<Sampled>& sample, FrameEstimate& estimate);
/// Pairs and contacts between bodies.
void estimate_pairs(const Bodies& bodies, const Geometry& geometry, const Poses& poses, double margin,
                    const std::vector<Sampled>& sample, FrameEstimate& estimate);

}  // namespace oclide
