// Many scene files in one process: a contact file each, and a table of what came of them, by which a batch that was
// ended goes on. docs/batches.md says what users see of it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
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
  bool on_reference = false;        ///< the reference does the work, whose bits are not those of OpenCL devices
  Settings settings;
};

/// A batch and its table, whoever does the work: a plan, and what is recorded of it.
class Batch {
 public:
  /// Plans it; nothing is written. Throws Error(invalid_input) for inputs and names that cannot be used.
  explicit Batch(BatchOptions options);

  struct Work {
    std::string scene;
    std::string contacts;  ///< the contact file, or empty
  };
  /// What is to be done, in the order of the inputs.
  [[nodiscard]] const std::vector<Work>& work() const { return work_; }
  /// The table's name.
  [[nodiscard]] const std::string& summary() const { return summary_; }
  /// Of all scene files, in the order of the inputs.
  [[nodiscard]] const std::vector<BatchRow>& rows() const { return rows_; }

  /// Before the first row: makes the folder, removes what processes that are no more left in it, begins the table.
  void begin();
  /// The row of work()[index], each once, in any order; it is in the table when this returns.
  void record(std::size_t index, const BatchRow& row);
  /// After the last row, or where there is no work: the table has the order of the inputs.
  void finish();

 private:
  BatchOptions options_;
  std::string summary_;
  std::vector<BatchRow> rows_;
  std::vector<Work> work_;
  std::vector<std::size_t> row_of_;  // of each work in rows_
  std::vector<BatchRow> kept_;       // rows that the table begins with: of other files, then of those that are done
  std::size_t others_ = 0;           // of kept_, rows of files that are not among the inputs
  bool in_order_ = true;             // so far, the table is as it is to be in the end
  std::size_t last_row_ = 0;         // the one that was written last
  std::optional<BatchTableWriter> table_;
};

struct BatchResult {
  std::string summary;         ///< the table's name
  std::vector<BatchRow> rows;  ///< of all scene files, in their order
  std::size_t skipped = 0;     ///< of these, done before
};

/// Called when a file's row is in the table: how many of how many files that were to be done have been.
using OnBatchRow = std::function<void(const BatchRow& row, std::size_t done, std::size_t all)>;

/// With the device of the settings, which says whether that is the reference. Throws Error where nothing can begin, or
/// no file after this one could be done; the rows so far are in the table then. What `on_row` throws ends it in the
/// same way.
[[nodiscard]] BatchResult run_batch(BatchOptions options, const OnBatchRow& on_row = {});

}  // namespace oclide
