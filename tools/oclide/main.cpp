// The oclide command: arguments, exit status, and errors in one line.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <exception>
#include <iostream>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands.hpp"
#include "oclide/oclide.hpp"
#include "raster_options.hpp"
#include "terminal.hpp"
#include "text/clean_text.hpp"

namespace {

using namespace oclide::command;

constexpr const char* kFooter =
    "Exit status: 0 done, 1 a check asked for did not hold, 2 bad arguments or input, 3 the device failed.";

// What is wrong with the text of a whole number; empty where nothing is.
std::string whole_number(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size()) return {};
  return "'" + text + "' is no whole number from 0 to " + std::to_string(std::numeric_limits<std::uint64_t>::max());
}

// Makes of a size as people write it the text of its number of bytes; what is wrong with it, or nothing. CLI11's own
// would take a unit alone for one of it, and digits after a zero as a number of another base.
std::string size_in_bytes(std::string& text) {
  constexpr std::string_view kPrefixes = "kmgtpe";
  std::uint64_t bytes = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, bytes);
  std::string unit(std::find_if(rest, end, [](char c) { return c != ' '; }), end);
  for (char& c : unit) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::string what = "'" + text + "' is ";
  std::string too_much = what + "more bytes than a number can have here, 18446744073709551615";
  if (error == std::errc::result_out_of_range) return too_much;
  std::size_t power = 0;
  std::uint64_t factor = 1000;
  bool is_size = error == std::errc{} && text[0] != '0';
  if (!unit.empty() && unit != "b") {
    power = kPrefixes.find(unit[0]) + 1;  // 0: none
    const std::string_view more = std::string_view(unit).substr(1);
    if (more.starts_with('i')) factor = 1024;
    is_size = is_size && power > 0 && (more.empty() || more == "b" || more == "i" || more == "ib");
  }
  if (!is_size)
    return what +
           "no number of bytes: write a whole one, alone or with a unit, such as 1000000, 1500MB or 512MiB (KB, MB, "
           "GB, TB count by 1000, KiB, MiB, GiB, TiB by 1024)";
  for (; power > 0; --power) {
    if (bytes > std::numeric_limits<std::uint64_t>::max() / factor) return too_much;
    bytes *= factor;
  }
  text = std::to_string(bytes);
  return {};
}

// What is wrong with the name of a file: an unset variable of a shell gives an empty one.
std::string file_name(const std::string& text) {
  return text.empty() ? "the name of a file is empty" : "";
}

template <class Value>
CLI::Option* add_number(CLI::App& command, const char* name, Value& value, const char* description) {
  return command.add_option(name, value, description)->type_name("N")->check(whole_number);
}
CLI::Option* add_share(CLI::App& command, const char* name, double& value, const char* description) {
  return command.add_option(name, value, description)->type_name("0...1")->capture_default_str();
}
template <class Value>
CLI::Option* add_size(CLI::App& command, const char* name, Value& bytes, const char* description) {
  return command.add_option(name, bytes, description)->type_name("BYTES")->transform(CLI::Validator(size_in_bytes, ""));
}
template <class Value>
CLI::Option* add_file(CLI::App& command, const char* name, Value& value, const char* description) {
  return command.add_option(name, value, description)->type_name("FILE")->check(file_name);
}

// What is wrong with the command line.
std::string what_of(const CLI::ParseError& error, const CLI::App& app, const std::vector<std::string>& arguments) {
  if (app.get_subcommands().empty())
    return !arguments.empty() && !arguments[0].starts_with('-') ? "unknown subcommand '" + arguments[0] + "'"
                                                                : error.what();
  // CLI11 has them in another order than they were given.
  std::vector<std::string> unexpected = app.remaining(true);
  std::string list;
  for (const std::string& argument : arguments) {
    const auto at = std::find(unexpected.begin(), unexpected.end(), argument);
    if (at == unexpected.end()) continue;
    list += " " + argument;
    unexpected.erase(at);
  }
  const bool is_that = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !list.empty();
  return is_that ? "not expected:" + list : error.what();
}

struct CommandLine {
  CLI::App app{"Contacts of bodies with terrain and each other, on any OpenCL device", "oclide"};
  bool verbose = false;
  DevicesOptions devices;
  GenerateOptions generate;
  ImportOptions import;
  RunOptions run;
  RunOptions validate;
  BatchCommandOptions batch;
  CastOptions cast;
  TraceOptions trace;
  PlanOptions plan;
  ReplayOptions replay;
  ShownOptions view;
  PictureOptions picture;
  BenchOptions bench;
  ServeOptions serve;
  CLI::App* chosen_view = nullptr;
  CLI::App* chosen_picture = nullptr;
  CLI::App* chosen_bench = nullptr;
  CLI::App* chosen_devices = nullptr;
  CLI::App* chosen_generate = nullptr;
  CLI::App* chosen_import = nullptr;
  CLI::App* chosen_run = nullptr;
  CLI::App* chosen_validate = nullptr;
  CLI::App* chosen_batch = nullptr;
  CLI::App* chosen_cast = nullptr;
  CLI::App* chosen_trace = nullptr;
  CLI::App* chosen_plan = nullptr;
  CLI::App* chosen_replay = nullptr;
  CLI::App* chosen_serve = nullptr;

  CommandLine() {
    app.require_subcommand(1);
    app.footer(kFooter);
    app.set_version_flag("--version", std::string(oclide::version()));

    chosen_devices = add("devices", "List OpenCL devices and the CPU reference", devices.json);
    chosen_devices->add_flag("--calibrate", devices.calibrate,
                             "Show what a frame costs on each and from how many bodies on each is the fastest");
    CLI::Option* kernels = chosen_devices
                               ->add_option("--kernels", devices.kernels,
                                            "Write the text of all programs and programs.json, for other compilers")
                               ->type_name("FOLDER");
    chosen_devices->add_option("--kind", devices.kind, "Kind of device whose programs --kernels writes")
        ->check(CLI::IsMember({"gpu", "cpu"}))
        ->capture_default_str()
        ->needs(kernels);

    chosen_generate = add("generate", "Write the scene file of a scenario", generate.json);
    chosen_generate->add_option("scenario", generate.scenario, "Name of the scenario, see --list");
    add_file(*chosen_generate, "-o,--output", generate.output, "Scene file to write");
    add_number(*chosen_generate, "--bodies", generate.bodies, "Number of bodies");
    add_number(*chosen_generate, "--frames", generate.frames, "Number of frames");
    add_number(*chosen_generate, "--seed", generate.seed, "The same seed gives the same file");
    add_file(*chosen_generate, "--terrain", generate.terrain.file,
             "Terrain from a raster that GDAL reads, in its own metres");
    chosen_generate->add_flag("--terrain-fit", generate.fit_terrain,
                              "Scale the raster to the size of the scenario's own terrain; slopes stay");
    add_raster_options(*chosen_generate, generate.terrain);
    add_number(*chosen_generate, "--environments", generate.environments,
               "Deal the bodies out to so many environments");
    add_meshes(*chosen_generate, generate.meshes,
               "Meshes of workshop's robots: their hulls, the default, or all triangles");
    chosen_generate->add_flag("--list", generate.list, "Name the scenarios");

    chosen_import =
        add("import", "Write the scene file of meshes: OBJ, STL, PLY, glTF, COLLADA; or of a robot: MJCF, URDF",
            import.json);
    add_file(*chosen_import, "files", import.files, "Files, each a mesh that one body has, at the origin; or one robot")
        ->required();
    add_file(*chosen_import, "-o,--output", import.output, "Scene file to write")->required();
    CLI::Option* hull = chosen_import->add_flag("--hull", import.hull, "Of each file the convex hull of its vertices");
    chosen_import->add_flag("--solid", import.solid, "The meshes are closed surfaces of solids, else sheets")
        ->excludes(hull);
    chosen_import->add_option("--scale", import.scale, "From the files' lengths to metres")->type_name("F");
    chosen_import
        ->add_option("--up", import.up, "Axis that becomes z; by default y of glTF and COLLADA, z of the others")
        ->check(CLI::IsMember({"y", "z"}));
    chosen_import
        ->add_option("--weld", import.weld, "Join vertices that are this near to each other, as cracks of rounding are")
        ->type_name("METRES");
    CLI::Option* spheres = add_number(*chosen_import, "--spheres", import.spheres,
                                      "In place of each mesh or hull so many spheres at most that cover it");
    CLI::Option* decompose =
        chosen_import
            ->add_flag("--decompose", import.decompose,
                       "In place of each mesh convex hulls that make it up (CoACD, through the Python package)")
            ->excludes(hull)
            ->excludes(spheres);
    chosen_import->add_option("--threshold", import.threshold, "Concavity that --decompose leaves, 0.01 to 1")
        ->type_name("T")
        ->needs(decompose);
    add_number(*chosen_import, "--max-hulls", import.max_hulls, "Hulls of a mesh at most")->needs(decompose);
    add_meshes(*chosen_import, import.meshes, "Meshes of MJCF and URDF: their hulls, the default, or all triangles");

    chosen_run = add("run", "Find the contacts of every frame of a scene", run.json);
    add_run_options(*chosen_run, run);
    add_file(*chosen_run, "-o,--output", run.output, "Contact file to write");
    add_file(*chosen_run, "--record", run.record, "Recording to write: scene, settings and hashes, for oclide replay");
    chosen_run->add_flag("--track", run.track, "Follow manifolds and contacts from frame to frame");
    chosen_run->add_flag("--validate", run.validate, "Also run the CPU reference and compare");
    add_service(*chosen_run, run.service);

    validate.validate = true;
    chosen_validate = add("validate", "Compare a device's contacts with the CPU reference's", validate.json);
    add_run_options(*chosen_validate, validate);

    chosen_batch = add("batch", "Find the contacts of many scene files in one process", batch.json);
    add_file(*chosen_batch, "inputs", batch.inputs,
             "Scene files; folders, of which all *.h5 are taken; text files with a scene file in each line")
        ->required();
    chosen_batch->add_option("-o,--output", batch.output, "Folder of the contact files, a file for each scene file")
        ->type_name("FOLDER")
        ->check(file_name);
    add_file(*chosen_batch, "--summary", batch.summary,
             "Table to write, a row for each scene file; by default summary.csv in that folder");
    chosen_batch->add_flag("--summary-only", batch.summary_only, "Write the table and no contact files");
    chosen_batch->add_flag("--resume", batch.resume, "Leave out what the table says is done");
    add_device(*chosen_batch, batch);
    add_margin(*chosen_batch, batch.margin);
    add_frames(*chosen_batch, batch.frames);

    chosen_cast = add("cast", "Find what rays hit first, in every frame of a scene", cast.json);
    add_scene_options(*chosen_cast, cast);
    add_frames(*chosen_cast, cast.frames);
    add_file(*chosen_cast, "--rays", cast.rays, "File with the rays; by default the scene file has them");
    add_file(*chosen_cast, "-o,--output", cast.output, "Hits file to write");
    chosen_cast->add_flag("--validate", cast.validate, "Also run the CPU reference and compare");

    chosen_trace = add("trace", "Move points that are reflected by what they meet", trace.json);
    add_scene_options(*chosen_trace, trace);
    add_number(*chosen_trace, "--frame", trace.frame, "Frame whose poses the bodies have")->capture_default_str();
    add_file(*chosen_trace, "--points", trace.points, "File with the points; by default the scene file has them");
    add_number(*chosen_trace, "--bounces", trace.bounces, "Reflections of a point at most")->capture_default_str();
    add_share(*chosen_trace, "--friction", trace.friction, "Share of the way along a surface that a reflection takes");
    add_share(*chosen_trace, "--restitution", trace.restitution,
              "Share of the way across a surface that a reflection leaves");
    add_file(*chosen_trace, "-o,--output", trace.output, "Paths file to write");

    chosen_plan = add("plan", "Tell what a scene will take of memory, buffer by buffer", plan.json);
    add_work_options(*chosen_plan, plan);

    chosen_replay = add("replay", "Run a recording again and compare bit for bit", replay.json);
    add_file(*chosen_replay, "recording", replay.recording, "Recording, from oclide run --record")->required();
    chosen_replay
        ->add_option("--device", replay.device, "As of run; by default the recorded device where it is here, else auto")
        ->type_name("NAME");
    add_frames(*chosen_replay, replay.frames);
    add_memory_limit(*chosen_replay, replay.memory_limit);

    chosen_view = add("view", "Write a page that shows a scene, its contacts, impacts, hits and paths", view.json);
    add_shown_options(*chosen_view, view);
    add_file(*chosen_view, "-o,--output", view.output, "Page to write (HTML)")->required();

    chosen_picture = add("picture", "Draw a scene, its contacts, impacts, hits and paths: PNG", picture.json);
    add_shown_options(*chosen_picture, picture);
    add_picture_options(*chosen_picture, picture);

    chosen_bench = add("bench", "Time each device on each scene, stage by stage", bench.json);
    add_bench_options(*chosen_bench, bench);

    chosen_serve = add("serve", "Serve scenes and frames of many clients over gRPC", serve.json);
    add_serve_options(*chosen_serve, serve);
  }

  CLI::App* add(const char* name, const char* description, bool& json) {
    CLI::App* command = app.add_subcommand(name, description);
    command->add_flag("--json", json, "One JSON object on standard output");
    command->add_flag("--verbose", verbose, "After an error, show the device's build log");
    command->footer(kFooter);
    return command;
  }

  static void add_meshes(CLI::App& command, std::string& meshes, const char* description) {
    command.add_option("--meshes", meshes, description)->check(CLI::IsMember({"hull", "mesh"}));
  }

  // Of what works on a scene.
  template <class Options>
  static void add_scene_options(CLI::App& command, Options& options) {
    add_file(command, "scene", options.scene, "Scene file")->required();
    add_device(command, options);
  }

  template <class Options>
  static void add_device(CLI::App& command, Options& options) {
    command.add_option("--device", options.device, "auto, reference, opencl:K or part of a device's name")
        ->type_name("NAME");
    add_memory_limit(command, options.memory_limit);
  }

  // Of what finds contacts.
  template <class Options>
  static void add_work_options(CLI::App& command, Options& options) {
    add_scene_options(command, options);
    add_margin(command, options.margin);
  }

  static void add_margin(CLI::App& command, double& margin) {
    command.add_option("--margin", margin, "Report bodies up to this far apart, from terrain and from each other")
        ->type_name("METRES");
  }

  static void add_run_options(CLI::App& command, RunOptions& options) {
    add_work_options(command, options);
    add_frames(command, options.frames);
    CLI::Option* continuous = command.add_flag(
        "--continuous", options.continuous, "Also find the impacts: where moving bodies first touch within each frame");
    add_motion(command, options.motion)->needs(continuous);
  }

  static CLI::Option* add_motion(CLI::App& command, std::string& motion) {
    return command
        .add_option("--motion", motion,
                    "What moves the bodies: file, its displacements and rotations; frames, from each to the next")
        ->check(CLI::IsMember({"file", "frames"}))
        ->capture_default_str();
  }

  static void add_shown_options(CLI::App& command, ShownOptions& options) {
    add_file(command, "scene", options.scene, "Scene file")->required();
    add_file(command, "contacts", options.contacts, "Contact file, from oclide run");
    add_file(command, "--hits", options.hits, "Hits file, from oclide cast");
    add_file(command, "--rays", options.rays, "File with the rays of the hits; by default the scene file has them");
    add_file(command, "--paths", options.paths, "Paths file, from oclide trace");
    add_frames(command, options.frames);
    add_motion(command, options.motion);
  }

  static void add_picture_options(CLI::App& command, PictureOptions& options) {
    add_file(command, "-o,--output", options.output, "Picture to write (PNG), or film (APNG)")->required();
    command.add_option("--device", options.device, "Device that finds what each pixel shows, as of cast")
        ->type_name("NAME");
    CLI::Option* frame = add_number(command, "--frame", options.frame, "Frame to draw; by default the first one");
    CLI::Option* time = add_share(command, "--time", options.time, "Time in the frame, where bodies move");
    CLI::Option* film = add_number(command, "--film", options.film,
                                   "A film of all frames, or of --frames: so many pictures of each, over its motion")
                            ->excludes(frame)
                            ->excludes(time);
    command.add_option("--rate", options.pictures_per_second, "Pictures a second of a film")
        ->type_name("N")
        ->capture_default_str()
        ->needs(film);
    add_number(command, "--width", options.width, "Pixels across")->capture_default_str();
    add_number(command, "--height", options.height, "Pixels down")->capture_default_str();
    add_number(command, "--environment", options.environment, "Environment that is drawn")->capture_default_str();
    CLI::Option* target =
        command.add_option("--to", options.target, "Middle of the picture; by default that of the scene")
            ->option_text("X,Y,Z")  // the parser's own would end in "x 3"
            ->delimiter(',')
            ->expected(3);
    add_number(command, "--body", options.body, "Body in the middle of the picture")->excludes(target);
    command
        .add_option("--distance", options.distance, "From the eye to the middle; by default all is seen, or the body")
        ->type_name("METRES");
    command.add_option("--azimuth", options.azimuth, "Direction of sight, from north by east")
        ->type_name("DEGREES")
        ->capture_default_str();
    command.add_option("--elevation", options.elevation, "How far that is below level")
        ->type_name("DEGREES")
        ->capture_default_str();
    command.add_flag("--cut", options.cut, "Cut the scene through the middle: nothing before it is drawn");
    command.add_flag_callback(
        "--no-shadows", [&options] { options.shadows = false; }, "Without shadows");
  }

  static void add_frames(CLI::App& command, std::string& frames) {
    command.add_option("--frames", frames, "Frames from A to B-1; A: or :B leave one end open")->type_name("A:B");
  }

  static void add_memory_limit(CLI::App& command, std::optional<std::uint64_t>& limit) {
    add_size(command, "--memory-limit", limit,
             "Device memory that may be taken, such as 512MiB or 2GB; a frame that needs more is processed in slices");
  }

  // Of `oclide run`, in place of a device.
  static void add_service(CLI::App& command, ServiceOptions& options) {
    CLI::Option* address =
        command.add_option("--service", options.address, "An `oclide serve` that finds the contacts")
            ->type_name("ADDRESS:PORT")
            ->excludes("--device")
            ->excludes("--memory-limit")
            ->excludes("--record");
    add_file(command, "--service-token", options.token, "File whose first line is a token of that service")
        ->needs(address);
    CLI::Option* authority = add_file(command, "--service-ca", options.authority,
                                      "PEM file of the authority of its certificate: makes the connection TLS");
    authority->needs(address);
    CLI::Option* certificate =
        add_file(command, "--certificate", options.certificate, "PEM file of the client's own certificate");
    certificate->needs(authority);
    add_file(command, "--key", options.key, "PEM file of its key")->needs(certificate);
  }

  static void add_serve_options(CLI::App& command, ServeOptions& options) {
    command
        .add_option("--listen", options.listen,
                    "Where clients connect: port 0 for any that is free, or unix:PATH; beyond loopback with TLS alone")
        ->type_name("ADDRESS:PORT")
        ->capture_default_str();
    command.add_option("--device", options.device, "auto, reference, opencl:K or part of a device's name")
        ->type_name("NAME");
    add_memory_limit(command, options.memory_limit);
    add_file(command, "--certificate", options.certificate, "PEM file of the service's certificate, for TLS");
    add_file(command, "--key", options.key, "PEM file of its key");
    add_file(command, "--client-ca", options.client_authority,
             "PEM file of the authority whose certificates clients must have");
    add_number(command, "--reload", options.reload_seconds, "Seconds between looks at these files for new ones")
        ->capture_default_str();
    add_file(command, "--tokens", options.tokens, "File of lines NAME TOKEN; clients must send one of the tokens");
    command.add_option("--metrics", options.metrics, "Where Prometheus may ask; none by default")
        ->type_name("ADDRESS:PORT");
    add_number(command, "--max-sessions", options.sessions, "Sessions of a client at most")->capture_default_str();
    add_number(command, "--max-bodies", options.bodies, "Bodies of all scenes of a client at most")
        ->capture_default_str();
    add_size(command, "--max-scene-bytes", options.bytes, "Bytes of all scenes of a client at most")
        ->default_str("4GiB");
    add_size(command, "--max-waiting-bytes", options.waiting_bytes,
             "Bytes of a client's requests that wait, beyond which none is taken in, and of its answers that it has "
             "not taken, beyond which none is computed")
        ->default_str("4GiB");
    add_number(command, "--max-turns", options.turns, "Whole turns of all bodies of a sweep together at most")
        ->capture_default_str();
    add_size(command, "--max-message-bytes", options.message_bytes, "Bytes of a message of a client at most")
        ->default_str("1GiB");
    add_number(command, "--drain", options.drain_seconds, "Seconds for what is at work when the service is ended")
        ->capture_default_str();
  }

  static void add_bench_options(CLI::App& command, BenchOptions& options) {
    command.add_option("--scenario", options.scenarios, "Scenarios of oclide generate, separated by commas")
        ->type_name("NAME,...")
        ->delimiter(',');
    add_file(command, "--scene", options.scenes, "Scene files, of which the first frame is timed");
    add_number(command, "--bodies", options.bodies, "Numbers of bodies of each scenario")
        ->type_name("N,...")
        ->delimiter(',');
    add_file(command, "--terrain", options.terrain.file, "Terrain of the scenarios from a raster that GDAL reads");
    add_raster_options(command, options.terrain);
    command.add_option("--device", options.devices, "reference, opencl:K or parts of devices' names; all by default")
        ->type_name("NAME,...")
        ->delimiter(',');
    command.add_option("--cores", options.cores, "Numbers of cores of the host; 1,all by default")
        ->type_name("N|all,...")
        ->delimiter(',');
    add_number(command, "--repetitions", options.repetitions, "Frames that are timed, at least 10")
        ->capture_default_str();
    add_number(command, "--warm-up", options.warm_up, "Frames before those")->capture_default_str();
    command
        .add_option("--check", options.most_checked,
                    "Bodies whose contacts are validated first: larger scenes in a smaller size")
        ->type_name("N")
        ->check(whole_number)
        ->capture_default_str();
    command.add_option("--moved", options.moved, "Share of the bodies that move from frame to frame")
        ->type_name("0...1")
        ->capture_default_str();
    add_file(command, "--rows", options.rows, "JSON of other runs or engines, to stand beside the rows of this one");
    command.add_flag("--rows-only", options.rows_only, "Measure nothing: only what --rows gives");
    add_file(command, "-o,--output", options.output, "Page with plots to write (HTML)");
    add_file(command, "--csv", options.csv, "Table to write, a line a row");
    command.add_option("--worker", options.worker)->group("");  // not for people: one task, in a process of its own
  }

  [[nodiscard]] int dispatch() const {
    if (chosen_devices->parsed()) return devices.kernels.empty() ? run_devices(devices) : write_kernel_texts(devices);
    if (chosen_generate->parsed()) return run_generate(generate);
    if (chosen_import->parsed()) return run_import(import);
    if (chosen_bench->parsed()) return run_bench(bench);
    if (chosen_batch->parsed()) return run_batch_command(batch);
    if (chosen_cast->parsed()) return run_cast(cast);
    if (chosen_trace->parsed()) return run_trace(trace);
    if (chosen_plan->parsed()) return run_plan(plan);
    if (chosen_view->parsed()) return run_view(view);
    if (chosen_picture->parsed()) return run_picture(picture);
    if (chosen_replay->parsed()) return run_replay(replay);
    if (chosen_serve->parsed()) return run_serve(serve);
    return run_scene(chosen_run->parsed() ? run : validate);
  }
};

int report(const std::string& message, int status) {
  oclide::command::clear_status();
  std::cerr << "oclide: " << oclide::clean_text(one_line(message)) << "\n";
  return status;
}

int run_command(int argc, char** argv) {
  CommandLine line;
  try {
    line.app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return line.app.exit(error);
    return report(what_of(error, line.app, {argv + std::min(argc, 1), argv + argc}) + " (oclide --help says more)",
                  kBadInput);
  }
  try {
    return line.dispatch();
  } catch (const oclide::Error& error) {
    const bool bad_input = error.kind() == oclide::ErrorKind::invalid_input;
    const int status = report(error.what(), bad_input ? kBadInput : kDeviceFailed);
    if (line.verbose && !error.detail().empty()) std::cerr << error.detail() << "\n";
    return status;
  } catch (const std::bad_alloc&) {
    return report("out of memory", kDeviceFailed);
  } catch (const std::exception& error) {
    return report(error.what(), kDeviceFailed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  set_up_signals();
  // Whatever file names, files and drivers have in their texts.
  const oclide::CleanOutput output(std::cout);
  const oclide::CleanOutput errors(std::cerr);
  const int status = run_command(argc, argv);
  // What could not be printed was not done.
  std::cout.flush();
  if (!std::cout && (status == kDone || status == kCheckFailed))
    return report("standard output: cannot be written", kBadInput);
  return status;
}
