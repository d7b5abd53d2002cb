// Scene files one after another on one Collider.
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <string>

#include "batch/batch_table.hpp"
#include "files/scene_file.hpp"
#include "oclide/oclide.hpp"

namespace oclide {

/// The row of a file that nothing was done with yet. `frames`: as of parse_frame_range().
[[nodiscard]] BatchRow row_to_do(const std::string& scene, const std::string& frames, double margin);

/// Finds the contacts of scene files, and keeps the device and its kernels from file to file. One thread at a time.
class BatchRunner {
 public:
  /// Opens the device. `frames`: as of parse_frame_range(), for each file. Throws as Collider and parse_frame_range()
  /// do.
  explicit BatchRunner(const Settings& settings, const std::string& frames = {});

  /// Contacts of one scene file, into a contact file where that has a name, and the row that says what came of it. What
  /// is wrong with the file is in the row; a device that cannot be opened again after it failed throws. `next`: the
  /// scene file of the next call, which is read meanwhile where it is large; empty: none.
  [[nodiscard]] BatchRow run(const std::string& scene, const std::string& contacts, const std::string& next = {});

 private:
  void find_contacts(const std::string& contacts, const std::string& next, BatchRow& row);
  [[nodiscard]] std::unique_ptr<SceneReader> open(BatchRow& row);

  Settings settings_;
  std::string frames_;
  std::optional<Collider> collider_;
  std::string next_, next_modified_;
  std::future<std::unique_ptr<SceneReader>> next_reader_;
};

}  // namespace oclide
