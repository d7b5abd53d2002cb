// The page of rows: one HTML file with its data, plots (Chart.js) and style inside, which needs no network.
#pragma once

#include <string>
#include <vector>

#include "bench/row.hpp"

namespace oclide::command {

/// Throws Error(invalid_input) where Chart.js was absent when the command was built.
void need_plots();

/// The page of these rows. Throws as need_plots().
[[nodiscard]] std::string page_of(const std::vector<Row>& rows);

}  // namespace oclide::command
