// Into how many slices a frame is cut where it does not fit.
#pragma once

#include <vector>

#include "planning/buffer_table.hpp"

namespace oclide {

/// Sets what a plan says of slices and whether they fit; its device and memory limit are set.
void plan_slices(const std::vector<BufferRow>& rows, const BufferCounts& counts, MemoryPlan& plan);

}  // namespace oclide
