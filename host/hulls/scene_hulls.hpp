// The convex hulls of a scene by their index, built once for all that need them.
#pragma once

#include <memory>
#include <vector>

#include "hulls/convex_hull.hpp"
#include "oclide/oclide.hpp"

namespace oclide {

using Hulls = std::vector<ConvexHull>;
/// Never null.
using SharedHulls = std::shared_ptr<const Hulls>;

/// Throws Error(invalid_input) that begins with "hulls/<k>/vertices" for the first hull that build_convex_hull()
/// refuses, and where there are more hulls than a body's size can tell apart on a device.
[[nodiscard]] SharedHulls build_hulls(const Scene& scene);

}  // namespace oclide
