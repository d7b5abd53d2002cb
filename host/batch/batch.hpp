// Many scene files in one process: a contact file each, and a table of what came of them, by which a batch that was
// ended goes on. docs/batches.md says what users see of it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "batch/batch_table.hpp"
#include "oclide/oclide.hpp"

namespace oclide {

struct BatchOptions {
  std::vector<std::string> inputs;  ///< as of scene_files()
  std::string output;               ///< folder of the contact files, made where it is not there; may be empty
  std::string summary;              ///< the table; empty: summary.csv in that folder
  bool summary_only = false;        ///< no contact files
  bool resume = false;              ///< what a row says is done is not done again
  std::string frames;               ///< of each file, as of parse_frame_range()
  Settings settings;
};

struct BatchResult {
  std::string summary;         ///< the table's name
  std::vector<BatchRow> rows;  ///< of all scene files, in their order
  std::size_t skipped = 0;     ///< of these, done before
};

/// Called when a file's row is in the table: how many of how many files that were to be done have been.
using OnBatchRow = std::function<void(const BatchRow& row, std::size_t done, std::size_t all)>;

/// Throws Error where nothing can begin, or no file after this one could be done; the rows so far are in the table
/// then. What `on_row` throws ends it in the same way.
[[nodiscard]] BatchResult run_batch(const BatchOptions& options, const OnBatchRow& on_row = {});

}  // namespace oclide
