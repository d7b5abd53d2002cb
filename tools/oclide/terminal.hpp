// What a person sees: numbers, a progress bar, and an end by Ctrl-C that leaves nothing half-written.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "oclide/oclide.hpp"

namespace oclide::command {

/// 1234567 as "1,234,567".
[[nodiscard]] std::string grouped(std::uint64_t number);
/// "1 body", "1,234 bodies".
[[nodiscard]] std::string counted(std::uint64_t number, const char* one, const char* many);
/// With `decimals` digits after the point.
[[nodiscard]] std::string fixed(double number, int decimals);
/// 536870912 as "512.0 MiB".
[[nodiscard]] std::string byte_text(std::uint64_t bytes);
/// 83 as "1 min 23 s".
[[nodiscard]] std::string duration_text(double seconds);
/// 16 digits, as `contact_hash` is written everywhere.
[[nodiscard]] std::string hash_text(std::uint64_t hash);
/// One line of a summary on standard output: what it says, in a column of its own, and the text.
void line(const char* what, const std::string& text);
/// A message that has to be one line, as one line.
[[nodiscard]] std::string one_line(std::string text);

/// What goes on now, on standard error, if that is a terminal: one line until something else is shown there.
void show_status(const std::string& text);
void clear_status();
/// Settings::on_compile that shows what is compiled, and counts it.
[[nodiscard]] std::function<void(const std::string&, const std::string&)> show_compilation();
/// How often that was called.
[[nodiscard]] std::size_t compilations();

/// Says on standard error that "auto" found no OpenCL device, where that is so.
void tell_of_reference(const DeviceInfo& device);
/// Says on standard error which terrains of a scene file nothing can meet.
void warn_of_unused(const std::string& file, const Scene& scene);

/// Of --device and --memory-limit, with show_compilation().
[[nodiscard]] Settings device_settings(const std::string& device, std::optional<std::uint64_t> memory_limit);
/// Gives the scene to a collider with these settings: "auto" is decided then, and tell_of_reference() told. The device.
DeviceInfo open_scene(Collider& collider, const Settings& settings, const Scene& scene);

/// A bar on standard error, if that is a terminal, with the time that is left; nothing else.
class Progress {
 public:
  explicit Progress(const char* what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(std::size_t done, std::size_t all);

 private:
  const char* what_;
  bool shown_ = false;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_{};
};

/// Ctrl-C, hang-up and termination remove the unfinished output file before they end the process. A file that grows
/// beyond a limit is an error of writing, not a signal.
void set_up_signals();

}  // namespace oclide::command
