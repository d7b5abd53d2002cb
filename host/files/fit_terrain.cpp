#include <algorithm>
#include <cmath>
#include <limits>

#include "files/terrain_import.hpp"

namespace oclide {

void centre_terrain(Terrain& terrain) {
  terrain.origin = {-0.5 * terrain.spacing[0] * static_cast<double>(terrain.cols - 1),
                    -0.5 * terrain.spacing[1] * static_cast<double>(terrain.rows - 1)};
}

void fit_terrain(Terrain& terrain, double area) {
  const double width = terrain.spacing[0] * static_cast<double>(terrain.cols - 1);
  const double depth = terrain.spacing[1] * static_cast<double>(terrain.rows - 1);
  const double scale = std::sqrt(area / (width * depth));
  double lowest = std::numeric_limits<double>::infinity();
  for (double height : terrain.heights) lowest = std::min(lowest, std::isnan(height) ? lowest : height);
  for (double& height : terrain.heights) height = static_cast<double>(static_cast<float>((height - lowest) * scale));
  terrain.spacing = {terrain.spacing[0] * scale, terrain.spacing[1] * scale};
  terrain.origin = {-0.5 * width * scale, -0.5 * depth * scale};
}

}  // namespace oclide
