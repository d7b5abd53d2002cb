#include "batch/batch.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "batch/batch_runner.hpp"
#include "batch/scene_list.hpp"
#include "devices/choose_device.hpp"
#include "files/whole_file.hpp"

namespace oclide {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_batch(const std::string& what) {
  throw Error(ErrorKind::invalid_input, what);
}

// One text for each file, whatever name it is called by.
std::string full_path(const std::string& file) {
  std::error_code none;
  return fs::weakly_canonical(fs::absolute(file, none), none).string();
}

// No file that is written is one that is read, and no two that are written are the same.
void check_paths(const BatchOptions& options, const std::vector<std::string>& scenes,
                 const std::vector<std::string>& contacts, const std::string& summary) {
  std::set<std::string> taken;
  for (const std::string& input : options.inputs) taken.insert(full_path(input));
  for (const std::string& scene : scenes) taken.insert(full_path(scene));
  for (const std::string& file : contacts)
    if (!file.empty() && !taken.insert(full_path(file)).second)
      refuse_batch(file + ": is a scene file; contact files need another folder");
  if (taken.contains(full_path(summary))) refuse_batch(summary + ": is an input or a contact file, not a table");
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
    // One with this process' number is left over too: in containers numbers come again.
    if (error == std::errc{} && digits_end == last && process > 0 &&
        (process == ::getpid() || (::kill(process, 0) != 0 && errno == ESRCH)))
      fs::remove(entry->path(), none);
  }
}

// Whether what the row says of its scene file is what would be found now. OpenCL devices find the same, to the bit.
bool is_same_work(const BatchRow& row, const BatchRow& to_do, bool on_reference) {
  if (!row.done || row.range != to_do.range || row.margin != to_do.margin) return false;
  if ((row.device == kReferenceName) != on_reference) return false;
  std::error_code none;
  if (fs::file_size(to_do.file, none) != row.scene.bytes || none) return false;
  try {
    return file_digest(to_do.file) == row.scene;
  } catch (const Error&) {
    return false;  // that it cannot be read is for its row to say
  }
}

}  // namespace

Batch::Batch(BatchOptions options) : options_(std::move(options)), summary_(options_.summary) {
  if (options_.output.empty() && !options_.summary_only)
    refuse_batch("batch: -o names the folder of the contact files; --summary-only writes none");
  if (options_.output.empty() && summary_.empty())
    refuse_batch("batch: --summary-only needs --summary, or -o for the folder of the table");
  if (summary_.empty()) summary_ = (fs::path(options_.output) / "summary.csv").string();
  const std::vector<std::string> scenes = scene_files(options_.inputs);
  std::vector<std::string> contacts(scenes.size());
  for (std::size_t k = 0; k < scenes.size() && !options_.summary_only; ++k)
    contacts[k] = (fs::path(options_.output) / fs::path(scenes[k]).filename()).string();
  check_paths(options_, scenes, contacts, summary_);
  (void)output_target(summary_);  // before it is read: a pipe would be waited for

  std::map<std::string, BatchRow> before;
  std::vector<std::string> order;
  if (options_.resume)
    for (BatchRow& row : read_batch_table(summary_)) {
      order.push_back(base_name(row.file));
      before.insert_or_assign(order.back(), std::move(row));
    }
  for (std::size_t k = 0; k < scenes.size(); ++k) {
    rows_.push_back(row_to_do(scenes[k], options_.frames, options_.settings.margin));
    const auto row = before.extract(base_name(scenes[k]));
    if (row && (contacts[k].empty() || fs::exists(contacts[k])) &&
        is_same_work(row.mapped(), rows_[k], options_.on_reference)) {
      rows_[k] = row.mapped();
      kept_.push_back(row.mapped());
      in_order_ = in_order_ && work_.empty();
    } else {
      work_.push_back({scenes[k], contacts[k]});
      row_of_.push_back(k);
    }
  }
  others_ = before.size();
  for (auto row = before.rbegin(); row != before.rend(); ++row) kept_.insert(kept_.begin(), row->second);
  // What was killed when all was done and nothing in its place yet. Without scene files a table is to begin.
  if (work_.empty())
    in_order_ = !order.empty() &&
                std::equal(order.begin(), order.end(), kept_.begin(), kept_.end(),
                           [](const std::string& name, const BatchRow& row) { return name == base_name(row.file); });
}

void Batch::begin() {
  std::set<std::string> names;
  for (const Work& work : work_) names.insert(fs::path(work.contacts).filename().string());
  std::error_code failed;
  if (!options_.summary_only || options_.summary.empty()) fs::create_directories(options_.output, failed);
  if (failed) refuse_batch(options_.output + ": cannot be made: " + failed.message());
  if (!options_.summary_only) remove_leftovers(options_.output, names);
  const fs::path table = fs::absolute(output_target(summary_));
  remove_leftovers(table.parent_path(), {table.filename().string()});
  table_.emplace(summary_, kept_);
}

void Batch::record(std::size_t index, const BatchRow& row) {
  const std::size_t at = row_of_.at(index);
  rows_[at] = row;
  table_->append(row);
  in_order_ = in_order_ && at >= last_row_;
  last_row_ = at;
}

void Batch::finish() {
  if (in_order_) return;
  std::vector<BatchRow> all(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(others_));
  all.insert(all.end(), rows_.begin(), rows_.end());
  if (!table_) begin();
  table_->replace(all);
}

BatchResult run_batch(BatchOptions options, const OnBatchRow& on_row) {
  options.on_reference = choose_device(options.settings.device).is_reference;
  Batch batch(options);
  const std::vector<Batch::Work>& work = batch.work();
  if (!work.empty()) {
    BatchRunner runner(options.settings, options.frames);  // what cannot begin changes nothing
    batch.begin();
    for (std::size_t i = 0; i < work.size(); ++i) {
      const std::string next = i + 1 < work.size() ? work[i + 1].scene : std::string();
      const BatchRow row = runner.run(work[i].scene, work[i].contacts, next);
      batch.record(i, row);
      if (on_row) on_row(row, i + 1, work.size());
    }
  }
  batch.finish();
  return {batch.summary(), batch.rows(), batch.rows().size() - work.size()};
}

}  // namespace oclide
