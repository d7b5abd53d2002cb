// oclide and the engines that one would use otherwise, on the same works, in turn, in one run.
//
//   bench_peers [WORK ...] [--scene WORK=FILE] [--bodies N] [--peers LIST] [-o ROWS.json]
//
// Each engine has a process of its own (serve.hpp), of which one works at a time. A repetition goes round: oclide on
// each device and number of cores, then the peers. Every engine's own clock runs from poses in host memory to contacts
// in host memory. Before the first repetition oclide's contacts are held against the reference. After the last one
// every engine takes the scene as it is, and what touches is compared.
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/cores.hpp"
#include "child.hpp"
#include "files/whole_file.hpp"
#include "oclide/oclide.hpp"
#include "rows.hpp"
#include "scenes.hpp"
#include "serve.hpp"

namespace oclide::bench {
namespace {

constexpr int kDone = 0, kCheckFailed = 1, kBadInput = 2, kDeviceFailed = 3;
constexpr double kLoadSeconds = 1200.0;  // an engine may take to set a scene
constexpr double kCheckSeconds = 600.0;  // the reference may take
// A frame of few bodies is over before the clock and the scheduler have settled: more of them.
constexpr std::size_t kFewBodies = 2000;
constexpr std::size_t kRepetitionsOfFew = 200;

// The Python ones, and their scripts.
constexpr std::array<std::array<const char*, 2>, 2> kPythonPeers{
    {{"mujoco", "mujoco_peer.py"}, {"coal", "coal_peer.py"}}};

struct Options {
  std::vector<std::string> works{"terrain", "pile", "mixed", "environments", "resting", "latency"};
  std::vector<std::string> scenes;
  std::optional<std::size_t> bodies, environments;
  std::vector<std::string> peers;
  std::vector<std::string> devices{"auto"};
  std::vector<std::string> cores{"all", "1"};
  std::size_t repetitions = 10, warm_up = 3, in_a_row = 1;
  double move = 1e-4, changed = 0.01;
  std::optional<double> bullet_margin;
  std::string python = OCLIDE_BENCH_PYTHON;
  std::string scripts = OCLIDE_BENCH_SCRIPTS;
  std::size_t check_bodies = 5000;
  double limit = 60.0;
  std::string output, table_file;
  bool json = false;
};

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorKind::invalid_input, what);
}

void note(const std::string& text) {
  std::cerr << "bench_peers: " << text << "\n";
}

// A folder for a scene and the answers about it. It goes with the program, whether that ends by itself or is ended.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "oclide-bench-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) refuse(name + ": cannot be made");
    paths_ = {name + "/scene.h5", name + "/touching", name};
    for (const int s : {SIGINT, SIGTERM, SIGHUP}) {
      signal(s, [](int which) {
        remove();
        _exit(128 + which);
      });
    }
  }
  ~ScratchFolder() { remove(); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] static const std::string& scene() { return paths_[0]; }
  [[nodiscard]] static const std::string& touching() { return paths_[1]; }

 private:
  // Calls nothing that a signal handler may not.
  static void remove() {
    unlink(paths_[0].c_str());
    unlink(paths_[1].c_str());
    rmdir(paths_[2].c_str());
  }
  static inline std::array<std::string, 3> paths_;
};

struct Engine {
  std::string name;
  std::unique_ptr<Child> child;
  Measured row;
};

std::string own_path() {
  return std::filesystem::read_symlink("/proc/self/exe").string();
}

bool has_python(const Options& options) {
  return !options.python.empty() && access(options.python.c_str(), X_OK) == 0;
}

std::vector<std::string> available_peers(const Options& options) {
  std::vector<std::string> names = compiled_peers();
  names.erase(names.begin());
  if (has_python(options))
    for (const auto& peer : kPythonPeers) names.emplace_back(peer[0]);
  return names;
}

Engine start_oclide(const std::string& device, bool one_core, const std::string& scene_file) {
  Engine engine;
  engine.name = "oclide (" + device + (one_core ? ", one core)" : ")");
  engine.row.is_oclide = true;
  engine.row.one_core = one_core;
  std::vector<std::string> command{own_path(), "serve", "oclide", scene_file, "--device", device};
  if (one_core) command.emplace_back("--one-core");
  engine.child = std::make_unique<Child>(engine.name, command, std::vector<std::string>{});
  return engine;
}

Engine start_peer(const Options& options, const std::string& name, const std::string& scene_file) {
  Engine engine;
  engine.name = name;
  std::vector<std::string> command{own_path(), "serve", name, scene_file};
  if (options.bullet_margin) {
    command.emplace_back("--bullet-margin");
    command.emplace_back(std::to_string(*options.bullet_margin));
  }
  for (const auto& peer : kPythonPeers)
    if (name == peer[0]) command = {options.python, options.scripts + "/" + peer[1], scene_file};
  // Libraries under Python that would take more threads than the one that the row says.
  engine.child = std::make_unique<Child>(name, command, std::vector<std::string>{"OMP_NUM_THREADS=1"});
  return engine;
}

// Leaves out the engines for which `step` fails, with a line that says why.
template <class Step>
void for_each_engine(std::vector<Engine>& engines, std::vector<Measured>& failed, const Step& step) {
  for (std::size_t k = 0; k < engines.size();) {
    try {
      step(engines[k]);
      ++k;
    } catch (const Error& e) {
      if (engines[k].row.is_oclide && !engines[k].row.one_core) throw;
      note(std::string("left out: ") + e.what());
      Measured row = std::move(engines[k].row);
      row.failure = e.what();
      row.frames.clear();
      if (row.info.engine.empty()) row.info.engine = engines[k].name;
      failed.push_back(std::move(row));
      engines.erase(engines.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }
}

void write_work(const Work& work, const std::string& file) {
  SceneWriter writer(file, work.scene, work.frames.size());
  for (const Frame& frame : work.frames) writer.append(frame.poses());
  writer.finish();
}

WorkRows measure(const Work& work, const Options& options) {
  WorkRows result;
  result.work = work.name;
  result.source = work.source;
  result.bodies = work.scene.bodies.count();
  result.warm_up = options.warm_up;
  if (options.in_a_row > 1) result.source += "; " + std::to_string(options.in_a_row) + " frames in a row";
  result.moved = work.name == "resting" ? options.changed : options.move > 0.0 ? 1.0 : 0.0;
  for (const std::uint32_t e : work.scene.bodies.environment)
    result.environments = std::max<std::size_t>(result.environments, e + 1);
  for (const Terrain& t : work.scene.terrains) result.terrain_vertices += t.heights.size();
  const std::string& scene_file = ScratchFolder::scene();
  write_work(work, scene_file);

  // oclide first: what does not hold is not timed.
  std::vector<Engine> engines;
  for (const std::string& device : options.devices) {
    engines.push_back(start_oclide(device, false, scene_file));
    Engine& engine = engines.back();
    engine.row.info = engine.child->wait_until_ready(kLoadSeconds);
    if (options.check_bodies > 0) {
      const auto [checked_bodies, why] = engine.child->check(options.check_bodies, kCheckSeconds);
      engine.row.checked = why.empty();
      engine.row.checked_bodies = checked_bodies;
      engine.row.failure = why;
      if (!why.empty()) {
        note(work.name + ": " + engine.name + ": does not hold against the reference: " + why);
        for (Engine& e : engines) result.rows.push_back(std::move(e.row));
        return result;
      }
    }
  }
  const bool has_one_core = std::count(options.cores.begin(), options.cores.end(), "1") > 0;
  for (std::size_t k = 0; k < options.devices.size(); ++k) {
    const Measured all = engines[k].row;
    const std::vector<DeviceInfo> known = devices();
    const auto device =
        std::find_if(known.begin(), known.end(), [&](const DeviceInfo& d) { return d.id == all.info.device_id; });
    engines[k].row.is_gpu = device != known.end() && device->is_gpu;
    if (engines[k].row.is_gpu || !has_one_core) continue;
    Engine engine = start_oclide(all.info.device_id, true, scene_file);
    engine.row.checked = all.checked;
    engine.row.checked_bodies = all.checked_bodies;
    engines.push_back(std::move(engine));
  }
  for (const std::string& peer : options.peers) engines.push_back(start_peer(options, peer, scene_file));
  std::vector<Measured> failed;
  for_each_engine(engines, failed, [](Engine& e) {
    if (e.row.info.engine.empty()) e.row.info = e.child->wait_until_ready(kLoadSeconds);
  });

  const std::size_t repetitions =
      result.bodies < kFewBodies ? std::max(options.repetitions, kRepetitionsOfFew) : options.repetitions;
  const std::size_t frames = options.warm_up + repetitions;
  for (std::size_t first = 0; first < frames; first += options.in_a_row)
    for_each_engine(engines, failed, [&](Engine& e) {
      for (std::size_t k = first; k < std::min(first + options.in_a_row, frames); ++k) {
        TimedFrame frame = e.child->collide(k % work.frames.size(), options.limit);
        if (k >= options.warm_up) e.row.frames.push_back(std::move(frame));
      }
    });

  std::vector<Touch> ours, truth;
  for (const IndexPair& p : work.truth) truth.push_back({p, 1.0});
  for_each_engine(engines, failed, [&](Engine& e) {
    // By way of another frame: an engine may know the answer for poses that it has just had.
    (void)e.child->collide(1 % work.frames.size(), options.limit);
    e.row.points = e.child->collide(0, options.limit).points;
    auto [touches, candidates] = e.child->touching(ScratchFolder::touching(), kLoadSeconds);
    e.row.candidates = candidates;
    e.row.pairs = touches.size();
    e.row.memory = e.child->memory(options.limit);
    if (&e == &engines[0]) ours = touches;
    if (!e.row.is_oclide) {
      e.row.missed = missing(ours, touches);
      e.row.spurious = missing(touches, ours);
    }
    if (work.has_truth) {
      e.row.truth_missed = missing(truth, touches);
      e.row.truth_spurious = missing(touches, truth);
    }
  });
  for (Engine& e : engines) result.rows.push_back(std::move(e.row));
  for (Measured& row : failed) result.rows.push_back(std::move(row));
  return result;
}

void need_folder(const std::string& file) {
  if (file.empty()) return;
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  if (access(folder.c_str(), W_OK) != 0) refuse(file + ": its folder cannot be written to");
}

// `FILE`, where there is one work; `WORK=FILE` else.
std::map<std::string, std::string> scene_files(const Options& options) {
  std::map<std::string, std::string> files;
  for (const std::string& scene : options.scenes) {
    const std::size_t equals = scene.find('=');
    const std::string before = scene.substr(0, equals);
    const bool is_named =
        equals != std::string::npos &&
        std::any_of(known_works().begin(), known_works().end(), [&](const WorkInfo& w) { return w.name == before; });
    if (!is_named && options.works.size() != 1) refuse("--scene " + scene + ": WORK=FILE, for there are several works");
    const std::string work = is_named ? before : options.works[0];
    const std::string file = is_named ? scene.substr(equals + 1) : scene;
    if (std::count(options.works.begin(), options.works.end(), work) == 0)
      refuse("--scene " + scene + ": the work '" + work + "' is not asked for");
    if (work == "environments") refuse("--scene " + scene + ": 'environments' is made, not read");
    if (!files.emplace(work, file).second) refuse("--scene " + scene + ": a second file for '" + work + "'");
  }
  return files;
}

void check_options(Options& options) {
  const auto is_known = [](const std::string& name) {
    return std::any_of(known_works().begin(), known_works().end(), [&](const WorkInfo& w) { return w.name == name; });
  };
  for (const std::string& work : options.works)
    if (!is_known(work)) refuse("unknown work '" + work + "'");
  if (options.repetitions < 10) refuse("--repetitions " + std::to_string(options.repetitions) + ": at least 10");
  if (options.in_a_row == 0) refuse("--in-a-row 0: at least 1");
  const auto is_length = [](double x) { return std::isfinite(x) && x >= 0.0; };
  if (!is_length(options.move)) refuse("--move: a length, 0 or more");
  if (options.bullet_margin && !is_length(*options.bullet_margin)) refuse("--bullet-margin: a length, 0 or more");
  if (!(options.changed > 0.0 && options.changed <= 0.4)) refuse("--changed: more than 0, at most 0.4");
  if (!(options.limit > 0.0)) refuse("--limit: more than 0");
  for (const std::string& c : options.cores)
    if (c != "all" && c != "1") refuse("--cores " + c + ": all or 1");
  if (std::count(options.cores.begin(), options.cores.end(), "all") == 0) options.cores.emplace_back("all");

  const std::vector<std::string> available = available_peers(options);
  if (options.peers.empty()) {
    options.peers = available;
    if (!has_python(options))
      note("left out: mujoco and coal: no Python with them; see bench/peers/setup and --python");
  } else if (options.peers.size() == 1 && options.peers[0] == "none") {
    options.peers.clear();
  }
  for (const std::string& peer : options.peers)
    if (std::count(available.begin(), available.end(), peer) == 0) {
      std::string list;
      for (const std::string& name : available) list += (list.empty() ? "" : ", ") + name;
      refuse("--peers " + peer + ": this build has " + (list.empty() ? "none" : list));
    }
  need_folder(options.output);
  need_folder(options.table_file);
}

// PoCL can have a second device that works in the thread that waits for it, so that a small scene wakes no other.
// `auto` then takes the faster one for each scene (docs/devices.md). A version of PoCL passes over the names that it
// does not know: those of 3 are pthread and basic, those of later ones cpu and cpu-minimal.
void offer_device_without_threads() {
  constexpr int kKeepOne = 0;  // that is set already
  ::setenv("POCL_DEVICES", "pthread basic cpu cpu-minimal", kKeepOne);
}

int compare(Options options) {
  check_options(options);
  // Devices that were asked for keep their numbers.
  if (std::all_of(options.devices.begin(), options.devices.end(), [](const std::string& d) { return d == "auto"; }))
    offer_device_without_threads();
  const std::map<std::string, std::string> files = scene_files(options);
  const ScratchFolder scratch;
  std::vector<WorkRows> all;
  std::string tables;
  int status = kDone;
  for (const std::string& name : options.works) {
    WorkRequest request;
    request.name = name;
    if (const auto file = files.find(name); file != files.end()) request.file = file->second;
    request.bodies = options.bodies;
    request.environments = options.environments;
    request.move = options.move;
    request.changed = options.changed;
    for (const Work& work : make_works(request)) {
      try {
        all.push_back(measure(work, options));
      } catch (const Error& e) {
        if (e.kind() == ErrorKind::invalid_input) throw;
        // The other works are worth having.
        note(work.name + ": not timed: " + e.what());
        status = kDeviceFailed;
        continue;
      }
      const std::string text = table(all.back());
      tables += text + "\n";
      if (options.table_file.empty()) std::cerr << text << std::endl;
      for (const Measured& row : all.back().rows)
        if (row.is_oclide && !row.failure.empty()) status = std::max(status, kCheckFailed);
    }
  }
  if (!options.table_file.empty()) write_file(options.table_file, tables);
  if (!options.output.empty()) write_file(options.output, rows_file(all));
  if (options.output.empty() || options.json) std::cout << rows_file(all);
  return status;
}

int run(int argc, char** argv) {
  Options options;
  PeerOptions peer_options;
  std::string engine, scene_file;
  bool one_core = false;
  CLI::App app{"oclide beside other engines on the same works, in turn, in one run"};
  std::string works = "Works, all but cloud where none is named:";
  for (const WorkInfo& w : known_works()) works += std::string("\n  ") + w.name + ": " + w.description;
  app.footer(works +
             "\nExit status: 0 done, 1 contacts did not hold against the reference, 2 bad arguments or input, "
             "3 the device failed.");
  app.add_option("works", options.works, "Works to compare on")->delimiter(',');
  app.add_option("--scene", options.scenes, "A scene file in place of a made scene")->type_name("[WORK=]FILE");
  app.add_option("--bodies", options.bodies, "Bodies of each work; copies of a file's");
  app.add_option("--environments", options.environments, "Environments of the work of that name");
  app.add_option("--peers", options.peers, "Engines beside oclide, or none; all that there are where not given")
      ->delimiter(',');
  app.add_option("--device", options.devices, "oclide's devices, as of oclide run")->delimiter(',');
  app.add_option("--cores", options.cores, "all, 1: cores of oclide's CPU devices")->delimiter(',');
  app.add_option("--repetitions", options.repetitions,
                 "Timed frames, at least 10; of less than 2,000 bodies at least 200");
  app.add_option("--warm-up", options.warm_up, "Frames before those");
  app.add_option("--in-a-row", options.in_a_row,
                 "Frames that an engine has one after another before it is the next one's turn");
  app.add_option("--move", options.move, "Most way of a body along each axis from frame to frame")->type_name("METRES");
  app.add_option("--changed", options.changed, "Part of the poses that change in the work resting");
  app.add_option("--bullet-margin", options.bullet_margin, "Radius of the edges of Bullet's boxes and cylinders")
      ->type_name("METRES");
  app.add_option("--python", options.python, "Python that has MuJoCo, Coal and h5py")->type_name("FILE");
  app.add_option("--scripts", options.scripts, "Folder of the Python peers")->type_name("FOLDER");
  app.add_option("--check", options.check_bodies,
                 "Bodies whose contacts are held against the reference first; 0: none");
  app.add_option("--limit", options.limit, "An engine that takes longer for a frame is left out")->type_name("SECONDS");
  app.add_option("-o,--output", options.output, "Rows file, in place of standard output")->type_name("FILE");
  app.add_option("--table", options.table_file, "The table, in place of standard error")->type_name("FILE");
  app.add_flag("--json", options.json, "Rows on standard output in any case");

  CLI::App* serving =
      app.add_subcommand("serve", "One engine over standard input and output; bench_peers starts these");
  serving->add_option("engine", engine, "oclide or a peer")->required();
  serving->add_option("scene", scene_file, "Scene file")->required();
  serving->add_option("--device", peer_options.device, "oclide's device");
  serving->add_option("--bullet-margin", peer_options.bullet_margin, "As above");
  serving->add_flag("--one-core", one_core, "On one core");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(error);
    refuse(error.what());
  }
  if (!serving->parsed()) return compare(options);
  if (engine == "oclide") command::limit_cores(one_core ? 1 : command::available_cores());
  return serve(engine, scene_file, peer_options);
}

}  // namespace
}  // namespace oclide::bench

int main(int argc, char** argv) {
  using namespace oclide::bench;
  try {
    const int status = run(argc, argv);
    std::cout.flush();
    return std::cout ? status : kBadInput;
  } catch (const oclide::Error& e) {
    std::cerr << "bench_peers: " << e.what() << "\n" << e.detail();
    return e.kind() == oclide::ErrorKind::invalid_input ? kBadInput : kDeviceFailed;
  } catch (const std::exception& e) {
    std::cerr << "bench_peers: " << e.what() << "\n";
    return kDeviceFailed;
  }
}
