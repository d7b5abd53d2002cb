// oclide batch: the contacts of many scene files, one after another.
#include <iostream>

#include "batch/batch.hpp"
#include "commands.hpp"
#include "devices/choose_device.hpp"
#include "json.hpp"
#include "oclide/oclide.hpp"
#include "terminal.hpp"
#include "text/clean_text.hpp"

namespace oclide::command {
namespace {

// Failures, and notes, that are printed at most; the table has all.
constexpr std::size_t kMostShown = 10;

struct BatchTotals {
  explicit BatchTotals(const BatchResult& result) {
    for (const BatchRow& row : result.rows) {
      if (!row.done)
        failures.push_back(&row);
      else if (!row.message.empty())
        notes.push_back(&row);
      frames += row.frames;
      contacts += row.contacts;
      milliseconds += row.milliseconds;
    }
  }

  std::vector<const BatchRow*> failures, notes;
  std::uint64_t frames = 0, contacts = 0;
  double milliseconds = 0.0;
};

Json json_of(const BatchCommandOptions& options, const BatchResult& result, const BatchTotals& totals) {
  Json failures = Json::array();
  for (const BatchRow* row : totals.failures) failures.push_back({{"file", row->file}, {"message", row->message}});
  Json json{{"files", result.rows.size()},
            {"done", result.rows.size() - totals.failures.size()},
            {"failed", totals.failures.size()},
            {"skipped", result.skipped},
            {"frames", totals.frames},
            {"contacts", totals.contacts},
            {"milliseconds", totals.milliseconds},
            {"summary", result.summary},
            {"failures", failures},
            {"noted", totals.notes.size()}};
  if (!options.summary_only) json["output"] = options.output;
  return json;
}

void print(const BatchCommandOptions& options, const BatchResult& result, const BatchTotals& totals) {
  line("files", grouped(result.rows.size() - totals.failures.size()) + " of " + grouped(result.rows.size()) +
                    " are done" +
                    (result.skipped == 0 ? "" : ", " + grouped(result.skipped) + " of them were done before"));
  line("contacts", grouped(totals.contacts) + " in " + counted(totals.frames, "frame", "frames"));
  line("milliseconds", fixed(totals.milliseconds, 3));
  for (std::size_t k = 0; k < totals.failures.size() && k < kMostShown; ++k)
    line(k == 0 ? "failed" : "", totals.failures[k]->message);
  if (totals.failures.size() > kMostShown)
    line("", "and " + grouped(totals.failures.size() - kMostShown) + " more, which the table has");
  if (!options.summary_only) line("written to", options.output);
  line("table", result.summary);
}

}  // namespace

int run_batch_command(const BatchCommandOptions& options) {
  BatchOptions batch;
  batch.inputs = options.inputs;
  batch.output = options.output;
  batch.summary = options.summary;
  batch.summary_only = options.summary_only;
  batch.resume = options.resume;
  batch.frames = options.frames;
  batch.settings = device_settings(options.device, options.memory_limit);
  batch.settings.margin = options.margin;
  if (options.device == "auto" && choose_device("auto").is_reference)
    std::cerr << "oclide: there is no OpenCL device; the CPU reference finds the contacts, whose bits are its own\n";
  Progress progress("files");
  const BatchResult result =
      run_batch(batch, [&](const BatchRow&, std::size_t done, std::size_t all) { progress.show(done, all); });
  clear_status();
  const BatchTotals totals(result);
  if (result.rows.empty())
    for (const std::string& list : options.inputs)
      std::cerr << "oclide: " << clean_text(list) << ": lists no scene files, so there is nothing to do\n";
  for (std::size_t k = 0; k < totals.notes.size() && k < kMostShown; ++k)
    std::cerr << "oclide: " << clean_text(totals.notes[k]->message) << "\n";
  if (totals.notes.size() > kMostShown)
    std::cerr << "oclide: " << grouped(totals.notes.size() - kMostShown) << " more files have notes in the table\n";
  if (options.json)
    std::cout << text_of(json_of(options, result, totals)) << "\n";
  else
    print(options, result, totals);
  return totals.failures.empty() ? kDone : kCheckFailed;
}

}  // namespace oclide::command
