#include "reference/broad_phase/terrain_range.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace oclide::reference {

CellRange terrain_range(const TerrainView& view, const Body& body, double margin) {
  const double slack = 1e-3;  // more than every slack of the narrow phase [m]
  const dvec3 half = body.half_extents() + margin + slack;
  const CellRange under = view.cells(dvec2(-half), dvec2(half));
  double highest = -std::numeric_limits<double>::infinity();
  for (std::int64_t row = under.row0; row < under.row1; ++row)
    for (std::int64_t col = under.col0; col < under.col1; ++col)
      if (view.solid(row, col))
        for (int k = 0; k < 4; ++k) highest = std::max(highest, view.vertex(row + k / 2, col + k % 2).z);
  if (!(highest >= -half.z)) return {};

  // A point of the body that is below the surface has it nowhere farther away than straight up, and the ball rule asks
  // for no surface point farther than that (but for its slack); so the rectangle grows by the greatest depth there is.
  const double widened = 1.0011 * std::max(0.0, highest + half.z) + slack;
  return view.cells(dvec2(-half) - widened, dvec2(half) + widened);
}

}  // namespace oclide::reference
