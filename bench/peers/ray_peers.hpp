// Other libraries that cast rays, for bench_rays. Each function is empty where its library was not found.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "oclide/oclide.hpp"

struct RayPeer {
  std::string name;
  /// Distances, infinite where nothing is hit; directions are unit vectors.
  std::function<std::vector<double>(std::span<const double> origin, std::span<const double> direction)> cast;
};

/// Of a terrain as triangles.
std::vector<RayPeer> embree_rays(const oclide::Terrain& terrain);
/// Of spheres, boxes, cylinders and capsules.
std::vector<RayPeer> bullet_rays(const oclide::Scene& scene, const oclide::Poses& poses);
