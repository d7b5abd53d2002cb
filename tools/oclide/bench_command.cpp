// oclide bench: how fast oclide is on each device, stage by stage. Each row is measured by a process of its own
// (bench/worker.hpp), after the contacts of the same scene and device have been validated.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/bench_scene.hpp"
#include "bench/cores.hpp"
#include "bench/page.hpp"
#include "bench/row.hpp"
#include "bench/worker.hpp"
#include "bench_commit.hpp"
#include "commands.hpp"
#include "files/terrain_import.hpp"
#include "files/whole_file.hpp"
#include "oclide/oclide.hpp"
#include "output_file.hpp"
#include "scenarios/scenario.hpp"
#include "terminal.hpp"
#include "text/clean_text.hpp"

namespace oclide::command {
namespace {

constexpr std::size_t kLeastRepetitions = 10, kMostRepetitions = 1'000'000;

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorKind::invalid_input, what);
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// An id, or part of a name.
DeviceInfo find_device(const std::string& name, const std::vector<DeviceInfo>& all) {
  const auto usable = [](const DeviceInfo& d) {
    if (!d.usable) refuse("--device " + d.id + ": " + d.name + " cannot be used: it lacks " + d.missing);
    return d;
  };
  for (const DeviceInfo& d : all)
    if (d.id == name) return usable(d);
  if (!name.empty() && !name.starts_with("opencl:"))
    for (const DeviceInfo& d : all)
      if (lower(d.name).find(lower(name)) != std::string::npos) return usable(d);
  std::string known;
  for (const DeviceInfo& d : all) known += (known.empty() ? "" : ", ") + d.id + " (" + d.name + ")";
  refuse("unknown device '" + name + "'; there are: " + known);
}

std::vector<DeviceInfo> chosen_devices(const std::vector<std::string>& names) {
  const std::vector<DeviceInfo> all = devices();
  std::vector<DeviceInfo> chosen;
  if (names.empty()) {
    for (const DeviceInfo& d : all)
      if (d.usable) chosen.push_back(d);
    return chosen;
  }
  for (const std::string& name : names) {
    const DeviceInfo device = find_device(name, all);
    const auto same = [&](const DeviceInfo& d) { return d.id == device.id; };
    if (std::none_of(chosen.begin(), chosen.end(), same)) chosen.push_back(device);
  }
  return chosen;
}

// Numbers of cores, each once.
std::vector<std::size_t> chosen_cores(const std::vector<std::string>& texts) {
  const std::size_t all = available_cores();
  std::vector<std::size_t> cores;
  for (const std::string& text : texts) {
    std::size_t count = all;
    if (text != "all") {
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
      if (error != std::errc{} || end != text.data() + text.size() || count == 0)
        refuse("--cores " + text + ": is no number of cores; write 1, 2, ... or all");
      if (count > all)
        refuse("--cores " + text + ": there " + (all == 1 ? "is 1 core" : "are " + std::to_string(all) + " cores"));
    }
    if (std::find(cores.begin(), cores.end(), count) == cores.end()) cores.push_back(count);
  }
  if (!can_limit_cores() && cores != std::vector<std::size_t>{all}) {
    std::cerr << "oclide: this system cannot bind a process to some of its cores: all rows have all of them\n";
    cores = {all};
  }
  return cores;
}

std::vector<SceneChoice> chosen_scenes(const BenchOptions& options) {
  std::vector<std::string> names = options.scenarios;
  const bool is_default = names.empty() && options.scenes.empty();
  if (is_default) names = {"mixed", "pile", "crowd"};
  for (const std::string& name : names) {
    const auto known = scenarios();
    if (std::any_of(known.begin(), known.end(), [&](const ScenarioInfo& s) { return name == s.name; })) continue;
    std::string list;
    for (const ScenarioInfo& s : known) list += (list.empty() ? "" : ", ") + std::string(s.name);
    refuse("unknown scenario '" + name + "'; there are: " + list);
  }
  std::vector<std::size_t> counts = options.bodies;
  if (counts.empty()) counts = {100, 1000, 10000};
  for (const std::size_t count : counts)
    if (count == 0 || count > kMostScenarioBodies)
      refuse("--bodies " + std::to_string(count) + ": from 1 to " + std::to_string(kMostScenarioBodies));
  if (names.empty() && !options.bodies.empty()) refuse("--bodies is for scenarios; a scene file has its own");
  check_raster_file(options.terrain, "bench");
  if (names.empty() && !options.terrain.file.empty()) refuse("--terrain is for scenarios; a scene file has its own");
  if (!options.terrain.file.empty()) (void)import_terrain(options.terrain);

  std::vector<SceneChoice> choices;
  for (const std::string& name : names)
    for (const std::size_t count : counts) choices.push_back({name, count, options.terrain, {}});
  // Of hulls and meshes less, for the reference takes minutes with more.
  if (is_default && options.bodies.empty())
    for (const char* name : {"rubble", "ship", "quarry"})
      for (const std::size_t count : {100U, 1000U}) choices.push_back({name, count, options.terrain, {}});
  for (const std::string& file : options.scenes) {
    choices.push_back({{}, 0, {}, file});
    const Scene scene = make_bench_scene(choices.back()).scene;
    if (scene.bodies.count() == 0) refuse(file + ": has no bodies to time");
    warn_of_unused(file, scene);
  }
  return choices;
}

// Checked before anything is measured: files can be written, and none of them is one that is read.
void check_outputs(const BenchOptions& options) {
  const std::string kind = lower(std::filesystem::path(options.output).extension().string());
  if (kind == ".csv" || kind == ".json")
    refuse(options.output + ": -o is a page (HTML); " +
           (kind == ".csv" ? "--csv writes a table" : "--json prints rows"));
  check_different(options.csv, options.output, "page");
  for (const auto& [option, file] : {std::pair{"-o", options.output}, std::pair{"--csv", options.csv}}) {
    need_writable(option, file);
    check_different(file, options.terrain.file, "raster");
    for (const std::string& scene : options.scenes) check_different(file, scene, "scene file");
    for (const std::string& rows : options.rows) check_different(file, rows, "file of rows");
  }
}

// What one call of the command measures, and what it learnt on the way.
class Bench {
 public:
  explicit Bench(const BenchOptions& options)
      : options_(options),
        devices_(chosen_devices(options.devices)),
        cores_(chosen_cores(options.cores)),
        scenes_(chosen_scenes(options)) {
    for (const SceneChoice& scene : scenes_)
      for (const DeviceInfo& device : devices_)
        for (const std::size_t threads : cores_)
          // A GPU does not have the host's cores: one row, with as many as it can get.
          if (!device.is_gpu || threads == *std::max_element(cores_.begin(), cores_.end()))
            plan_.push_back({&scene, &device, threads});
  }

  std::vector<Row> measure() {
    Progress progress("rows");
    std::vector<Row> rows;
    for (const Planned& planned : plan_) {
      progress.show(rows.size(), plan_.size());
      rows.push_back(measure(planned));
    }
    return rows;
  }

  /// 3 where a device failed, 1 where contacts did not validate, 0 otherwise.
  [[nodiscard]] int status() const { return status_; }

 private:
  struct Planned {
    const SceneChoice* scene;
    const DeviceInfo* device;
    std::size_t threads;
  };

  [[nodiscard]] Task task(TaskKind kind, const Planned& planned) const {
    return {kind,           planned.device->id, planned.threads,     *planned.scene, options_.most_checked,
            options_.moved, options_.warm_up,   options_.repetitions};
  }

  // Contacts of a scene and a device, on all cores; once.
  const Answer& checked(const Planned& planned) {
    const std::pair key(planned.scene, planned.device);
    const auto found = checks_.find(key);
    if (found != checks_.end()) return found->second;
    Task check = task(TaskKind::check, planned);
    check.threads = available_cores();
    return checks_.emplace(key, ask_worker(check)).first->second;
  }

  // Copy bandwidth of a device with so many cores; once. Without one, shares are left out.
  double copy_bandwidth(const Planned& planned) {
    const std::pair key(planned.device, planned.threads);
    const auto found = copies_.find(key);
    if (found != copies_.end()) return found->second;
    return copies_.emplace(key, ask_worker(task(TaskKind::copy, planned)).copy_gb_per_s).first->second;
  }

  Row measure(const Planned& planned) {
    const Answer& check = checked(planned);
    Answer timed;
    const bool valid = check.error.empty() && check.holds;
    if (valid) timed = ask_worker(task(TaskKind::time, planned));
    Row row = timed.row;
    row.engine_version = version();
    row.settings = "full contacts, margin 0; " + std::to_string(planned.threads) +
                   (planned.threads == 1 ? " core" : " cores") + " of the host" +
                   (planned.threads == available_cores() && pins_pocl_threads() ? ", POCL_AFFINITY=1; " : "; ") +
                   (options_.moved >= 1.0 ? "every pose is new in every frame"
                                          : fixed(100.0 * options_.moved, 2) + " % of the poses are new in a frame");
    row.device = planned.device->name;
    row.device_id = planned.device->id;
    row.driver = planned.device->driver;
    row.gpu = planned.device->is_gpu;
    row.threads = planned.threads;
    row.commit = kCommit;
    row.scenario = planned.scene->name();
    row.repetitions = options_.repetitions;
    row.warm_up = options_.warm_up;
    row.moved = options_.moved;
    row.checked_bodies = check.checked_bodies;
    row.checked = valid;
    if (!planned.scene->terrain.file.empty())
      row.note = "terrain: " + std::filesystem::path(planned.scene->terrain.file).filename().string();
    if (!valid) {
      row.bodies = planned.scene->bodies;
      return failed(row, check.error, check.status == kDone ? kCheckFailed : check.status);
    }
    if (!timed.error.empty()) {
      row.bodies = planned.scene->bodies;
      return failed(row, timed.error, timed.status);
    }
    if (row.bodies == row.checked_bodies && timed.contact_hash != check.contact_hash)
      return failed(row, "the contacts differ from those that were validated", kCheckFailed);

    if (const double copy = copy_bandwidth(planned); copy > 0.0) {
      row.copy_gb_per_s = copy;
      for (StageRow& stage : row.stages)
        if (stage.bytes && stage.milliseconds.median > 0.0)
          stage.bandwidth_share = *stage.bytes / (1e6 * stage.milliseconds.median * copy);
    }
    return row;
  }

  // The row of what was not timed.
  Row failed(Row row, const std::string& why, int status) {
    row.error = why;
    row.checked = false;
    row.wall.reset();
    row.device_time.reset();
    row.stages.clear();
    for (auto* rate : {&row.bodies_per_s, &row.pairs_per_s, &row.contacts_per_s, &row.terrain_cells_per_s})
      rate->reset();
    status_ = std::max(status_, status);
    return row;
  }

  const BenchOptions& options_;
  std::vector<DeviceInfo> devices_;
  std::vector<std::size_t> cores_;
  std::vector<SceneChoice> scenes_;
  std::vector<Planned> plan_;
  std::map<std::pair<const SceneChoice*, const DeviceInfo*>, Answer> checks_;
  std::map<std::pair<const DeviceInfo*, std::size_t>, double> copies_;
  int status_ = kDone;
};

void print(const std::vector<Row>& rows) {
  const auto cell = [](std::string text, std::size_t width, bool right = true) {
    text = clean_text(text);
    if (text.size() > width) text.resize(width);
    const std::string blanks(width - text.size(), ' ');
    return right ? blanks + text : text + blanks;
  };
  std::cout << cell("scenario", 12, false) << cell("bodies", 11) << "  " << cell("device", 28, false)
            << cell("cores", 6) << cell("median ms", 11) << cell("min ms", 11) << cell("contacts", 11)
            << cell("bodies/s", 14) << "\n";
  for (const Row& row : rows) {
    const std::string device = row.engine == "oclide" ? row.device_id + " " + row.device : row.engine;
    std::cout << cell(row.scenario, 12, false) << cell(grouped(row.bodies), 11) << "  " << cell(device, 28, false)
              << cell(std::to_string(row.threads), 6);
    if (row.wall)
      std::cout << cell(fixed(row.wall->median, 3), 11) << cell(fixed(row.wall->min, 3), 11)
                << cell(row.contacts ? grouped(*row.contacts) : "-", 11)
                << cell(row.bodies_per_s ? grouped(static_cast<std::uint64_t>(*row.bodies_per_s)) : "-", 14);
    else
      std::cout << "  not timed: " << clean_text(row.error);
    std::cout << "\n";
  }
}

}  // namespace

int run_bench(const BenchOptions& options) {
  if (!options.worker.empty()) return run_worker(options.worker);
  if (options.repetitions < kLeastRepetitions)
    refuse("--repetitions " + std::to_string(options.repetitions) + ": at least " + std::to_string(kLeastRepetitions));
  for (const auto& [option, count] :
       {std::pair{"--repetitions", options.repetitions}, std::pair{"--warm-up", options.warm_up}})
    if (count > kMostRepetitions)
      refuse(option + (" " + std::to_string(count)) + ": at most " + std::to_string(kMostRepetitions));
  if (options.most_checked == 0) refuse("--check 0: nothing is timed that was not checked");
  if (!(options.moved >= 0.0 && options.moved <= 1.0)) refuse("--moved: a share from 0 to 1");
  std::vector<Row> others;
  for (const std::string& file : options.rows)
    for (Row& row : read_rows(file)) others.push_back(std::move(row));
  if (options.rows_only && options.rows.empty()) refuse("--rows-only: there are no --rows");
  if (!options.output.empty()) need_plots();
  check_outputs(options);

  std::vector<Row> rows;
  int status = kDone;
  std::string trouble;  // of the first row that was not timed
  if (!options.rows_only) {
    Bench bench(options);
    rows = bench.measure();
    status = bench.status();
    const auto at = std::find_if(rows.begin(), rows.end(), [](const Row& row) { return !row.error.empty(); });
    if (at != rows.end())
      trouble = at->scenario + ", " + grouped(at->bodies) + " bodies, " + at->device_id + ": not timed: " + at->error;
  }
  rows.insert(rows.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));

  if (!options.csv.empty()) write_file(options.csv, csv_of(rows));
  if (!options.output.empty()) write_file(options.output, page_of(rows));
  if (options.json)
    std::cout << text_of(rows_file(rows)) << "\n";
  else
    print(rows);
  if (!trouble.empty()) std::cerr << "oclide: " << clean_text(one_line(trouble)) << "\n";
  return status;
}

}  // namespace oclide::command
