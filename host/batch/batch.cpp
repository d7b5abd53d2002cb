#include "batch/batch.hpp"

#include <signal.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "batch/batch_runner.hpp"
#include "batch/scene_list.hpp"

namespace oclide {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_batch(const std::string& what) {
  throw Error(ErrorKind::invalid_input, what);
}

// Where a file is, whatever its name.
std::string place_of(const std::string& file) {
  std::error_code none;
  return fs::weakly_canonical(fs::absolute(file, none), none).string();
}

// No file that is written is one that is read, and no two that are written are the same.
void check_places(const BatchOptions& options, const std::vector<std::string>& scenes,
                  const std::vector<std::string>& contacts, const std::string& summary) {
  std::set<std::string> taken;
  for (const std::string& input : options.inputs) taken.insert(place_of(input));
  for (const std::string& scene : scenes) taken.insert(place_of(scene));
  for (const std::string& file : contacts)
    if (!file.empty() && !taken.insert(place_of(file)).second)
      refuse_batch(file + ": is a scene file; contact files need another folder");
  if (taken.contains(place_of(summary))) refuse_batch(summary + ": is an input or a contact file, not a table");
}

// What processes that are no more left in the folder of files with these names that they had not finished.
void remove_leftovers(const fs::path& folder, const std::set<std::string>& names) {
  constexpr std::string_view kMark = ".partial";
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    const std::size_t mark = name.rfind(kMark);
    if (mark == std::string::npos || !names.contains(name.substr(0, mark))) continue;
    pid_t process = 0;
    const char* const last = name.data() + name.size();
    const auto [digits_end, error] = std::from_chars(name.data() + mark + kMark.size(), last, process);
    std::error_code none;
    if (error == std::errc{} && digits_end == last && process > 0 && ::kill(process, 0) != 0 && errno == ESRCH)
      fs::remove(entry->path(), none);
  }
}

bool is_same_work(const BatchRow& row, const BatchRow& to_do) {
  return row.done && row.modified == to_do.modified && row.range == to_do.range && row.margin == to_do.margin;
}

}  // namespace

BatchResult run_batch(const BatchOptions& options, const OnBatchRow& on_row) {
  if (options.output.empty() && !options.summary_only)
    refuse_batch("batch: -o names the folder of the contact files; --summary-only writes none");
  if (options.output.empty() && options.summary.empty())
    refuse_batch("batch: --summary-only needs --summary, or -o for the folder of the table");
  const std::vector<std::string> scenes = scene_files(options.inputs);
  BatchResult result{
      options.summary.empty() ? (fs::path(options.output) / "summary.csv").string() : options.summary, {}, 0};
  std::vector<std::string> contacts(scenes.size());
  std::set<std::string> names;
  for (std::size_t k = 0; k < scenes.size() && !options.summary_only; ++k) {
    const fs::path name = fs::path(scenes[k]).filename();
    contacts[k] = (fs::path(options.output) / name).string();
    names.insert(name.string());
  }
  check_places(options, scenes, contacts, result.summary);

  // Of the rows that are there: those of files that are done, and those of files that nobody asks for now.
  std::map<std::string, BatchRow> before;
  if (options.resume)
    for (BatchRow& row : read_batch_table(result.summary)) before.insert_or_assign(base_name(row.file), std::move(row));
  std::vector<std::size_t> to_do;
  std::vector<BatchRow> kept;
  bool in_order = true;
  for (std::size_t k = 0; k < scenes.size(); ++k) {
    result.rows.push_back(row_to_do(scenes[k], options.frames, options.settings.margin));
    const auto row = before.extract(base_name(scenes[k]));
    if (row && is_same_work(row.mapped(), result.rows[k]) && (contacts[k].empty() || fs::exists(contacts[k]))) {
      result.rows[k] = row.mapped();
      kept.push_back(row.mapped());
      in_order = in_order && to_do.empty();
    } else {
      to_do.push_back(k);
    }
  }
  result.skipped = scenes.size() - to_do.size();
  if (to_do.empty()) return result;
  std::vector<BatchRow> others;
  for (const auto& [name, row] : before) others.push_back(row);

  BatchRunner runner(options.settings, options.frames);  // what cannot begin changes nothing
  std::error_code failed;
  if (!options.summary_only) fs::create_directories(options.output, failed);
  if (failed) refuse_batch(options.output + ": cannot be made: " + failed.message());
  const fs::path table_folder = fs::absolute(result.summary).parent_path();
  if (!options.summary_only) remove_leftovers(options.output, names);
  remove_leftovers(table_folder, {fs::path(result.summary).filename().string()});
  kept.insert(kept.begin(), others.begin(), others.end());
  BatchTableWriter table(result.summary, kept);
  for (std::size_t i = 0; i < to_do.size(); ++i) {
    const std::size_t k = to_do[i];
    result.rows[k] = runner.run(scenes[k], contacts[k], i + 1 < to_do.size() ? scenes[to_do[i + 1]] : std::string());
    table.append(result.rows[k]);
    if (on_row) on_row(result.rows[k], i + 1, to_do.size());
  }
  if (!in_order) {
    others.insert(others.end(), result.rows.begin(), result.rows.end());
    table.replace(others);
  }
  return result;
}

}  // namespace oclide
