// The subcommands. Each returns the exit status of the process, or throws an oclide::Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace oclide::command {

enum ExitStatus : int { kDone = 0, kCheckFailed = 1, kBadInput = 2, kDeviceFailed = 3 };

struct DevicesOptions {
  bool calibrate = false;
  bool json = false;
};
int run_devices(const DevicesOptions& options);

struct GenerateOptions {
  std::string scenario;
  std::string output;
  std::optional<std::size_t> bodies;
  std::optional<std::size_t> frames;
  std::optional<std::size_t> environments;
  std::uint64_t seed = 1;
  std::string terrain;  ///< a raster, or empty
  std::optional<double> spacing;
  bool list = false;
  bool json = false;
};
int run_generate(const GenerateOptions& options);

struct RunOptions {
  std::string scene;
  std::string output;  ///< a contact file, or empty
  std::string record;  ///< a recording, or empty
  std::string device = "auto";
  std::string frames;
  std::string memory_limit;  ///< as parse_byte_count() takes it, or empty
  double margin = 0.0;
  bool validate = false;
  bool json = false;
};
/// `oclide run`, and `oclide validate`, which is `run --validate` without contacts to keep.
int run_scene(const RunOptions& options);

struct ReplayOptions {
  std::string recording;
  std::string device;  ///< empty: the recorded one where it is here, else auto
  std::string frames;
  std::string memory_limit;  ///< empty: the recorded one
  bool json = false;
};
int run_replay(const ReplayOptions& options);

}  // namespace oclide::command
