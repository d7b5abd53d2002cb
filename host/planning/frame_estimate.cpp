// How many candidates, pairs and contacts a frame will have, from a sample of its bodies.
#include <algorithm>

#include "planning/frame_sample.hpp"
#include "shapes/bounding_radius.hpp"

namespace oclide {
namespace {

constexpr std::size_t kLargest = 512;   // bodies that are looked at in any case, the largest
constexpr std::size_t kSampled = 1536;  // of the others

// Bodies but half spaces: the largest, and an even sample of the others.
std::vector<Sampled> sample_of(const Bodies& bodies, const Geometry& geometry) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < bodies.count(); ++i)
    if (bodies.shape[i] != Shape::half_space) order.push_back(i);
  const std::size_t largest = std::min(kLargest, order.size());
  std::vector<double> radius(bodies.count());
  for (const std::size_t i : order) radius[i] = bounding_radius(bodies.shape[i], bodies.size[i], geometry);
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(largest > 0 ? largest - 1 : 0),
                   order.end(), [&](std::size_t a, std::size_t b) { return radius[a] > radius[b]; });
  std::sort(order.begin() + static_cast<std::ptrdiff_t>(largest), order.end());
  std::vector<Sampled> sample;
  for (std::size_t k = 0; k < largest; ++k) sample.push_back({order[k], 1.0});
  const std::size_t others = order.size() - largest, taken = std::min(others, kSampled);
  for (std::size_t k = 0; k < taken; ++k)
    sample.push_back({order[largest + k * others / taken], static_cast<double>(others) / static_cast<double>(taken)});
  return sample;
}

}  // namespace

FrameEstimate frame_estimate(const Scene& scene, const Bodies& bodies, const Geometry& geometry, const Poses& poses,
                             double margin) {
  FrameEstimate estimate;
  const std::vector<Sampled> sample = sample_of(bodies, geometry);
  estimate_terrain(scene, bodies, geometry, poses, margin, sample, estimate);
  estimate_pairs(bodies, geometry, poses, margin, sample, estimate);
  return estimate;
}

}  // namespace oclide
