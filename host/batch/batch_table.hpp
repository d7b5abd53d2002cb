// The table of a batch: a CSV file with a row for each scene file, which says how far the batch has come.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "batch/file_digest.hpp"

namespace oclide {

/// What became of one scene file. docs/batches.md has the columns.
struct BatchRow {
  std::string file = {};      ///< as it was given
  bool done = false;          ///< else it failed, and what follows `margin` is empty
  std::string message = {};   ///< why it failed, or what is to be known of its scene, in one line
  std::string modified = {};  ///< when the scene file was last written, UTC; empty where there is none
  std::string range = {};     ///< of its frames that were asked for, as `A:B`; empty: all
  double margin = 0.0;        ///< [m]
  std::string device = {};
  FileDigest scene = {};  ///< of the scene file
  std::uint64_t bodies = 0, frames = 0, pairs = 0, contacts = 0;
  float max_depth = 0.0F;  ///< [m]; 0 where there are no contacts
  std::uint64_t contact_hash = 0;
  double milliseconds = 0.0;  ///< from the opening of the scene file to the end of its contact file
};

/// Name of a file without its folder, as it stands in the table: clean text.
[[nodiscard]] std::string base_name(const std::string& file);

/// Names and texts of a row's columns, in the order of the table.
[[nodiscard]] const std::vector<std::string>& batch_columns();
[[nodiscard]] std::vector<std::string> fields_of(const BatchRow& row);
/// The other way round; false where they are none of a row.
[[nodiscard]] bool read_batch_row(const std::vector<std::string>& fields, BatchRow& row);
/// 16 digits, as `contact_hash` is written everywhere.
[[nodiscard]] std::string batch_hash_text(std::uint64_t hash);

/// The rows of a table; none where there is no such file. A last row that was not written to its end is left out.
/// Throws Error(invalid_input) where the file is no such table.
[[nodiscard]] std::vector<BatchRow> read_batch_table(const std::string& file);

/// Writes a table row by row. Every failure is an Error(invalid_input) that names the file.
class BatchTableWriter {
 public:
  /// With these rows to begin with; they are there, or what was there before.
  BatchTableWriter(std::string file, const std::vector<BatchRow>& rows);
  /// The row is in the file when this returns.
  void append(const BatchRow& row);
  /// All rows anew; they are there, or those that were there.
  void replace(const std::vector<BatchRow>& rows);

 private:
  std::string file_, target_;  // target_: what file_ leads to
  std::ofstream stream_;
};

}  // namespace oclide
