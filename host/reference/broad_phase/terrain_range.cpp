#include "reference/broad_phase/terrain_range.hpp"

#include <algorithm>
#include <limits>

namespace oclide::reference {

CellRange terrain_range(const TerrainView& view, const Body& body, double margin) {
  const Bounds box = body.bounds();
  const double around = margin + kRangeSlack;
  const CellRange under = view.cells(dvec2(box.lower - around), dvec2(box.upper + around));
  double highest = -std::numeric_limits<double>::infinity();
  for (std::int64_t row = under.row0; row < under.row1; ++row)
    for (std::int64_t col = under.col0; col < under.col1; ++col)
      if (view.solid(row, col))
        for (int k = 0; k < 4; ++k) highest = std::max(highest, view.vertex(row + k / 2, col + k % 2).z);
  return highest >= box.lower.z - around ? under : CellRange{};
}

CellRange widest_terrain_range(const TerrainView& view, const Body& body, double margin) {
  const Bounds box = body.bounds();
  const dvec3 reach = glm::max(glm::abs(box.lower), glm::abs(box.upper));
  return terrain_range(view, body, margin + 1.1 * kRangeSlack * std::max({reach.x, reach.y, reach.z}));
}

}  // namespace oclide::reference
