// Order statistics.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace oclide {

/// The value that a part of all are below; reorders them.
inline double quantile(std::vector<double>& values, double part) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace oclide
