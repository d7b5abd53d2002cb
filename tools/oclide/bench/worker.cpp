#include "bench/worker.hpp"

#include <sys/resource.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <system_error>

#include "bench/copy_bandwidth.hpp"
#include "bench/cores.hpp"
#include "commands.hpp"
#include "devices/host_cpu.hpp"
#include "oclide/validation.hpp"
#include "planning/stage_traffic.hpp"
#include "process/child_process.hpp"
#include "scene/unused_terrains.hpp"
#include "terminal.hpp"

namespace oclide::command {
namespace {

// What a moving body moves between frames [m]: too little to change the contacts, enough to change the pose's bits.
constexpr double kStep = 1e-6;

constexpr std::array<std::pair<const char*, double StageTimes::*>, 5> kTimedStages{
    {{"upload", &StageTimes::upload},
     {"broad_phase", &StageTimes::broad_phase},
     {"narrow_phase", &StageTimes::narrow_phase},
     {"contact_reduction", &StageTimes::contact_reduction},
     {"download", &StageTimes::download}}};

struct KindName {
  TaskKind kind;
  const char* name;
};
constexpr std::array<KindName, 3> kKinds{
    {{TaskKind::copy, "copy"}, {TaskKind::check, "check"}, {TaskKind::time, "time"}}};

Json json_of(const Task& task) {
  const auto* kind = std::find_if(kKinds.begin(), kKinds.end(), [&](const KindName& k) { return k.kind == task.kind; });
  return {{"kind", kind->name},
          {"device", task.device},
          {"threads", task.threads},
          {"scene", command::json_of(task.scene)},
          {"most_checked", task.most_checked},
          {"moved", task.moved},
          {"warm_up", task.warm_up},
          {"repetitions", task.repetitions}};
}

Task task_of(const Json& json) {
  Task task;
  const auto name = json.at("kind").get<std::string>();
  const auto* kind = std::find_if(kKinds.begin(), kKinds.end(), [&](const KindName& k) { return k.name == name; });
  if (kind == kKinds.end()) throw Error(ErrorKind::invalid_input, "--worker: unknown kind of task");
  task.kind = kind->kind;
  task.device = json.at("device").get<std::string>();
  task.threads = json.at("threads").get<std::size_t>();
  task.scene = scene_choice_of(json.at("scene"));
  task.most_checked = json.at("most_checked").get<std::size_t>();
  task.moved = json.at("moved").get<double>();
  task.warm_up = json.at("warm_up").get<std::size_t>();
  task.repetitions = json.at("repetitions").get<std::size_t>();
  if (task.repetitions == 0) throw Error(ErrorKind::invalid_input, "--worker: no repetitions");
  return task;
}

Json json_of(const Answer& answer) {
  return {{"error", answer.error},
          {"status", answer.status},
          {"copy_gb_per_s", answer.copy_gb_per_s},
          {"holds", answer.holds},
          {"checked_bodies", answer.checked_bodies},
          {"contact_hash", answer.contact_hash},
          {"row", command::json_of(answer.row)}};
}

Answer answer_of(const Json& json) {
  Answer answer;
  answer.error = json.at("error").get<std::string>();
  answer.status = json.at("status").get<int>();
  answer.copy_gb_per_s = json.at("copy_gb_per_s").get<double>();
  answer.holds = json.at("holds").get<bool>();
  answer.checked_bodies = json.at("checked_bodies").get<std::size_t>();
  answer.contact_hash = json.at("contact_hash").get<std::string>();
  Json row = json.at("row");
  if (row.at("wall_ms").is_null()) row["error"] = "not timed";
  answer.row = row_of(row, "answer of a worker");
  return answer;
}

DeviceInfo device_of(const std::string& id) {
  for (const DeviceInfo& d : devices())
    if (d.id == id) return d;
  throw Error(ErrorKind::device, id + ": there is no such device any more");
}

// Most memory that this process has had. Linux keeps it by process image, where getrusage knows the parent's as well.
std::uint64_t peak_host_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string key; status >> key;) {
    std::uint64_t kib = 0;
    if (key == "VmHWM:" && status >> kib) return 1024 * kib;
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return 1024 * static_cast<std::uint64_t>(usage.ru_maxrss);
}

Settings settings_of(const Task& task) {
  Settings settings;
  settings.device = task.device;
  settings.on_warning = say_nothing;  // the command that started this process has
  return settings;
}

void check(const Task& task, Answer& answer) {
  const BenchScene scene = make_bench_scene(task.scene, task.most_checked);
  const Settings settings = settings_of(task);
  Collider collider(settings);
  collider.set_scene(scene.scene);
  const FrameContacts frame = collider.collide(scene.frame.poses());
  Validator validator(scene.scene, settings.margin);
  validator.add_frame(scene.frame.poses(), frame.contacts);
  const ValidationReport& report = validator.report();
  answer.holds = report.holds();
  answer.checked_bodies = scene.scene.bodies.count();
  answer.contact_hash = hash_text(contact_hash(frame.contacts));
  if (!answer.holds)
    answer.error = "the contacts of " + grouped(answer.checked_bodies) +
                   " bodies do not validate: " + grouped(report.only_device) + " pairs only on the device, " +
                   grouped(report.only_reference) + " only in the reference, " +
                   grouped(report.unmatched_device + report.unmatched_reference) + " contacts without a match" +
                   (report.examples.empty() ? "" : "; " + report.examples.front());
}

// The frame that follows: of the share of bodies that move, every pose is another.
Frame moved_frame(const Frame& frame, double share) {
  Frame moved = frame;
  for (std::size_t i = 0; 3 * i < moved.position.size(); ++i)
    if (std::floor(static_cast<double>(i + 1) * share) > std::floor(static_cast<double>(i) * share))
      moved.position[3 * i] += kStep;
  return moved;
}

void time(const Task& task, Answer& answer) {
  const BenchScene scene = make_bench_scene(task.scene);
  const Frame other = moved_frame(scene.frame, task.moved);
  const Settings settings = settings_of(task);
  Collider collider(settings);
  const DeviceInfo device = collider.device();
  collider.set_scene(scene.scene);

  // The first frame counts for the contacts, and so does its hash; none of the warm-up counts for time.
  const FrameContacts first = collider.collide(scene.frame.poses());
  std::vector<double> wall, host, on_device;
  std::array<std::vector<double>, kTimedStages.size()> stages;
  std::uint64_t device_bytes = first.device_bytes;
  for (std::size_t r = 1; r < task.warm_up + task.repetitions + 1; ++r) {
    const Poses poses = r % 2 == 1 ? other.poses() : scene.frame.poses();
    const auto start = std::chrono::steady_clock::now();
    const FrameContacts& frame = collider.update(poses);
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    device_bytes = std::max(device_bytes, frame.device_bytes);
    if (r <= task.warm_up) continue;
    double sum = 0.0;
    for (std::size_t s = 0; s < kTimedStages.size(); ++s) {
      const double stage = frame.milliseconds.*kTimedStages[s].second;
      stages[s].push_back(stage);
      sum += stage;
    }
    wall.push_back(ms);
    on_device.push_back(sum);
    host.push_back(std::max(0.0, ms - sum));
  }

  Row& row = answer.row;
  answer.contact_hash = hash_text(contact_hash(first.contacts));
  row.bodies = scene.scene.bodies.count();
  row.environments = scene.environments;
  for (const Terrain& t : scene.scene.terrains) row.terrain_vertices += t.rows * t.cols;
  row.hulls = scene.scene.hulls.size();
  row.mesh_triangles = 0;
  for (const Mesh& m : scene.scene.meshes) *row.mesh_triangles += m.triangles.size();
  row.host_cpu = host_cpu();
  row.pairs = first.pairs;
  row.contacts = first.contacts.size();
  row.candidates = first.candidates + first.body_candidates;
  row.wall = spread_of(wall);
  if (!device.is_reference) row.device_time = spread_of(on_device);
  const auto work = device.is_reference ? reference_stage_work(scene.scene, first) : stage_work(scene.scene, first);
  for (std::size_t s = 0; s < kTimedStages.size(); ++s) {
    if (device.is_reference && work[s].bytes == 0.0) continue;  // it has no transfers
    row.stages.push_back({kTimedStages[s].first, spread_of(stages[s]), std::nullopt, std::nullopt, std::nullopt});
    // The model is that of a whole frame: it says nothing of one that carries contacts over.
    if (task.moved < 1.0) continue;
    row.stages.back().bytes = work[s].bytes;
    row.stages.back().operations = work[s].operations;
  }
  row.stages.push_back({"host", spread_of(host), std::nullopt, std::nullopt, std::nullopt});
  const double per_second = row.wall->median > 0.0 ? 1000.0 / row.wall->median : 0.0;
  row.bodies_per_s = per_second * static_cast<double>(row.bodies);
  row.pairs_per_s = per_second * static_cast<double>(first.pairs);
  row.contacts_per_s = per_second * static_cast<double>(first.contacts.size());
  if (!scene.scene.terrains.empty()) row.terrain_cells_per_s = per_second * static_cast<double>(first.candidates);
  if (!device.is_reference) row.peak_device_bytes = device_bytes;
  row.peak_host_bytes = peak_host_bytes();
}

Answer work(const Task& task) {
  Answer answer;
  try {
#ifdef __linux__
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // no worker outlives the command
#endif
    limit_cores(task.threads);
    if (task.kind == TaskKind::copy) answer.copy_gb_per_s = copy_gb_per_s(device_of(task.device));
    if (task.kind == TaskKind::check) check(task, answer);
    if (task.kind == TaskKind::time) time(task, answer);
  } catch (const Error& error) {
    answer.error = one_line(error.what());
    answer.status = error.kind() == ErrorKind::invalid_input ? kBadInput : kDeviceFailed;
  } catch (const std::exception& error) {
    answer.error = one_line(error.what());
    answer.status = kDeviceFailed;
  }
  return answer;
}

}  // namespace

int run_worker(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw Error(ErrorKind::invalid_input, "--worker: no task");
  Task task;
  try {
    task = task_of(json);
  } catch (const Json::exception&) {
    throw Error(ErrorKind::invalid_input, "--worker: no task");
  }
  std::cout << text_of(json_of(work(task))) << "\n";
  return kDone;
}

Answer ask_worker(const Task& task) {
  Answer failed;
  failed.status = kDeviceFailed;
  const auto fail = [&](const std::string& why) {
    failed.error = why;
    return failed;
  };
  // What a driver prints is not ours to show; the answer comes through the pipe.
  process::Program self{.command = {"/proc/self/exe", "bench", "--worker", text_of(json_of(task))}};
  self.errors = process::Stream::discarded;
  process::Finished done;
  try {
    done = process::run(self);
  } catch (const std::system_error& e) {
    return fail(std::string("a process of its own: ") + e.what());
  }
  if (done.ending.signal != 0) return fail("the process crashed: " + process::to_string(done.ending));
  const std::string& text = done.output;
  // The last line: drivers may print as well.
  const std::size_t end = text.find_last_not_of('\n') + 1;
  const std::size_t line = end == 0 ? 0 : text.rfind('\n', end - 1) + 1;
  const Json json = Json::parse(text.substr(line, end - line), nullptr, false);
  if (json.is_discarded()) return fail("the process gave no answer, " + process::to_string(done.ending));
  try {
    return answer_of(json);
  } catch (const std::exception& e) {
    return fail(one_line(e.what()));
  }
}

}  // namespace oclide::command
