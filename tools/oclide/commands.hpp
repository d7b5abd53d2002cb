// The subcommands. Each returns the exit status of the process, or throws an oclide::Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "files/terrain_import.hpp"

namespace oclide::command {

enum ExitStatus : int { kDone = 0, kCheckFailed = 1, kBadInput = 2, kDeviceFailed = 3 };

struct DevicesOptions {
  bool calibrate = false;
  std::string kernels;  ///< folder for the text of all programs, or empty: then nothing of devices is asked
  std::string kind = "gpu";
  bool json = false;
};
int run_devices(const DevicesOptions& options);
int write_kernel_texts(const DevicesOptions& options);

struct GenerateOptions {
  std::string scenario;
  std::string output;
  std::optional<std::size_t> bodies;
  std::optional<std::size_t> frames;
  std::optional<std::size_t> environments;
  std::uint64_t seed = 1;
  RasterFile terrain;
  bool fit_terrain = false;
  std::string meshes;  ///< of the scenario workshop: hull, mesh, or empty
  bool list = false;
  bool json = false;
};
int run_generate(const GenerateOptions& options);

struct ImportOptions {
  std::vector<std::string> files;
  std::string output;
  bool hull = false;  ///< each file is a convex hull, not a mesh
  bool solid = false;
  double scale = 1.0;
  std::string up;                        ///< y, z, or empty: as the format has it
  std::optional<double> weld;            ///< [m]
  std::optional<std::uint64_t> spheres;  ///< in place of each hull or mesh, at most
  bool decompose = false;                ///< each mesh is a compound of hulls
  std::optional<double> threshold;
  std::optional<std::uint64_t> max_hulls;
  std::string meshes;  ///< of MJCF and URDF: hull, mesh, or empty
  bool json = false;
};
int run_import(const ImportOptions& options);

/// How to reach a service: its address, or empty, and files.
struct ServiceOptions {
  std::string address, token, authority, certificate, key;
};

struct RunOptions {
  std::string scene;
  std::string output;  ///< a contact file, or empty
  std::string record;  ///< a recording, or empty
  std::string device = "auto";
  std::string frames;
  std::optional<std::uint64_t> memory_limit;  ///< [bytes]
  double margin = 0.0;
  bool track = false;
  bool continuous = false;
  std::string motion = "file";  ///< with `continuous`: file or frames, as of MotionFrom
  bool validate = false;
  ServiceOptions service;  ///< that finds the contacts, in place of a device here
  bool json = false;
};
/// `oclide run`, and `oclide validate`, which is `run --validate` without contacts to keep.
int run_scene(const RunOptions& options);

struct BatchCommandOptions {
  std::vector<std::string> inputs;  ///< scene files, folders of them, lists of them
  std::string output;               ///< folder of the contact files, or empty
  std::string summary;              ///< a table, or empty: in that folder
  std::string device = "auto";
  std::string frames;
  std::optional<std::uint64_t> memory_limit;  ///< [bytes]
  double margin = 0.0;
  bool summary_only = false;
  bool resume = false;
  bool json = false;
};
int run_batch_command(const BatchCommandOptions& options);

struct CastOptions {
  std::string scene;
  std::string rays;    ///< a file with rays, or empty: those of the scene file
  std::string output;  ///< a hits file, or empty
  std::string device = "auto";
  std::string frames;
  std::optional<std::uint64_t> memory_limit;  ///< [bytes]
  bool validate = false;
  bool json = false;
};
int run_cast(const CastOptions& options);

struct TraceOptions {
  std::string scene;
  std::string points;  ///< a file with points, or empty: those of the scene file
  std::string output;  ///< a paths file, or empty
  std::string device = "auto";
  std::size_t frame = 0;  ///< whose poses the bodies have
  std::size_t bounces = 10;
  double friction = 0.0, restitution = 1.0;
  std::optional<std::uint64_t> memory_limit;  ///< [bytes]
  bool json = false;
};
int run_trace(const TraceOptions& options);

struct PlanOptions {
  std::string scene;
  std::string device = "auto";
  double margin = 0.0;
  std::optional<std::uint64_t> memory_limit;  ///< [bytes]
  bool json = false;
};
int run_plan(const PlanOptions& options);

struct ReplayOptions {
  std::string recording;
  std::optional<std::string> device;  ///< without: the recorded one where it is here, else auto
  std::string frames;
  std::optional<std::uint64_t> memory_limit;  ///< [bytes]; without: the recorded one
  bool json = false;
};
int run_replay(const ReplayOptions& options);

/// What is shown of a scene: the files that other commands made of it.
struct ShownOptions {
  std::string scene;
  std::string contacts;  ///< or empty
  std::string hits;      ///< or empty
  std::string rays;      ///< of the hits; empty: those of the scene file
  std::string paths;     ///< or empty
  std::string output;
  std::string frames;
  std::string motion = "file";  ///< as of RunOptions
  bool json = false;
};
/// `oclide view`
int run_view(const ShownOptions& options);

struct PictureOptions : ShownOptions {
  std::string device = "auto";  ///< that casts the rays of the pixels
  std::optional<std::size_t> frame;
  double time = 0.0;                ///< in the frame, 0 to 1
  std::optional<std::size_t> film;  ///< pictures a frame
  double pictures_per_second = 12.0;
  std::size_t width = 1200, height = 800;  ///< [pixels]
  std::uint32_t environment = 0;
  std::vector<double> target;               ///< x, y, z, or empty
  std::optional<std::size_t> body;          ///< in the middle of the picture
  std::optional<double> distance;           ///< from eye to target [m]
  double azimuth = 32.0, elevation = 27.0;  ///< [degrees], of the direction of sight: from north to east; below level
  bool cut = false;                         ///< nothing before the target is shown
  bool shadows = true;
};
/// `oclide picture`
int run_picture(const PictureOptions& options);

struct BenchOptions {
  std::vector<std::string> scenarios;          ///< empty, and no scenes: the default selection
  std::vector<std::string> scenes;             ///< scene files
  std::vector<std::size_t> bodies;             ///< of each scenario; empty: 100, 1,000 and 10,000
  std::vector<std::string> devices;            ///< empty: all that can be used
  std::vector<std::string> cores{"1", "all"};  ///< numbers of cores of the host, or all
  std::vector<std::string> rows;               ///< files with rows of other runs
  RasterFile terrain;                          ///< for the scenarios
  std::string output;                          ///< a page, or empty
  std::string csv;                             ///< a table, or empty
  std::string worker;                          ///< a task of this command's own, or empty
  std::size_t repetitions = 12;
  std::size_t warm_up = 2;
  std::size_t most_checked = 10000;  ///< bodies of the scene that is validated before one is timed
  double moved = 1.0;                ///< share of the bodies whose pose changes from frame to frame
  bool rows_only = false;
  bool json = false;
};
int run_bench(const BenchOptions& options);

struct ServeOptions {
  std::string listen = "127.0.0.1:7411";
  std::string device = "auto";
  std::optional<std::uint64_t> memory_limit;  ///< [bytes]
  std::string certificate, key, client_authority;
  std::string tokens;                                    ///< a file, or empty
  std::string metrics;                                   ///< ADDRESS:PORT, or empty
  std::uint64_t sessions = 4096, bodies = 10'000'000;    ///< of a client at most
  std::uint64_t bytes = std::uint64_t{4} << 30;          ///< of a client's scenes at most
  std::uint64_t waiting_bytes = std::uint64_t{4} << 30;  ///< of its requests that wait, and of its answers
  std::uint64_t turns = 1'000'000;                       ///< of all bodies of a sweep
  std::uint64_t message_bytes = std::uint64_t{1} << 30;  ///< of a message
  std::uint64_t drain_seconds = 30, reload_seconds = 10;
  bool json = false;
};
int run_serve(const ServeOptions& options);

}  // namespace oclide::command
