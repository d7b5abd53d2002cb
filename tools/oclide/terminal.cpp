#include "terminal.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <mutex>

#include "files/contact_file.hpp"
#include "files/scene_file.hpp"
#include "scene/unused_terrains.hpp"
#include "text/clean_text.hpp"
#include "text/no_device.hpp"

namespace oclide::command {

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, 1, ',');
  return text;
}

std::string counted(std::uint64_t number, const char* one, const char* many) {
  return grouped(number) + " " + (number == 1 ? one : many);
}

std::string fixed(double number, int decimals) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, number);
  return text.data();
}

std::string byte_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> kNames{"bytes", "KiB", "MiB", "GiB", "TiB"};
  auto number = static_cast<double>(bytes);
  std::size_t k = 0;
  for (; number >= 1024.0 && k + 1 < kNames.size(); ++k) number /= 1024.0;
  return fixed(number, k == 0 ? 0 : 1) + " " + kNames[k];
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole / 60 % 60) + " min";
}

std::string hash_text(std::uint64_t hash) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t k = 16; k-- > 0; hash >>= 4) text[k] = kDigits[hash & 15U];
  return text;
}

void line(const char* what, const std::string& text) {
  constexpr std::size_t kColumn = 20;
  const std::string name = what;
  std::cout << name << std::string(name.size() < kColumn ? kColumn - name.size() : 1, ' ') << clean_text(text) << "\n";
}

std::string one_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

void tell_of_reference(const DeviceInfo& device) {
  if (device.is_reference) std::cerr << "oclide: " << kNoDevice << "\n";
}

void warn_of_unused(const std::string& file, const Scene& scene) {
  const std::string note = note_of_unused(file, scene);
  if (!note.empty()) std::cerr << "oclide: " << clean_text(note) << "\n";
}

namespace {

bool is_terminal() {
  static const bool is_one = ::isatty(STDERR_FILENO) == 1;
  return is_one;
}

// The line of the terminal that is written over and over again, from its beginning. Frames end on one thread while
// kernels are compiled on another.
std::mutex status_mutex;
std::string status_line;

std::atomic<std::size_t> compilation_count = 0;

}  // namespace

void show_status(const std::string& text) {
  const std::scoped_lock lock(status_mutex);
  if (!is_terminal() || text == status_line) return;
  status_line = text;
  std::fprintf(stderr, "\r\x1b[K%s", clean_text(text).c_str());
  std::fflush(stderr);
}

void clear_status() {
  show_status("");
}

std::function<void(const std::string&, const std::string&)> show_compilation() {
  return [](const std::string&, const std::string& kernels) {
    ++compilation_count;
    show_status("compiling kernels, once on this machine: " + kernels);
  };
}

std::size_t compilations() {
  return compilation_count;
}

Progress::Progress(const char* what) : what_(what) {}

Progress::~Progress() {
  clear_status();
}

void Progress::show(std::size_t done, std::size_t all) {
  constexpr std::size_t kWidth = 40;
  const auto now = std::chrono::steady_clock::now();
  if (!is_terminal() || all == 0 || (shown_ && done < all && now - last_ < std::chrono::milliseconds(100))) return;
  const std::size_t filled = kWidth * done / all;
  std::string text = std::string(what_) + " [" + std::string(filled, '#') + std::string(kWidth - filled, ' ') + "] " +
                     std::to_string(done) + "/" + std::to_string(all);
  const std::chrono::duration<double> past = now - begin_;
  if (done > 0 && done < all && past > std::chrono::seconds(2))
    text += ", " + duration_text(past.count() * static_cast<double>(all - done) / static_cast<double>(done)) + " left";
  show_status(text);
  shown_ = true;
  last_ = now;
}

namespace {

extern "C" void end_by_signal(int number) {
  remove_unfinished_output();
  std::raise(number);  // SA_RESETHAND: now with the system's own action
}

}  // namespace

void set_up_signals() {
  struct sigaction action {};
  action.sa_handler = end_by_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
  }
  std::signal(SIGXFSZ, SIG_IGN);
}

Settings device_settings(const std::string& device, std::optional<std::uint64_t> memory_limit) {
  Settings settings;
  settings.device = device;
  settings.on_compile = show_compilation();
  settings.on_warning = say_nothing;  // warn_of_unused() says which file, too
  if (memory_limit) settings.memory_limit = *memory_limit;
  return settings;
}

DeviceInfo open_scene(Collider& collider, const Settings& settings, const Scene& scene) {
  collider.set_scene(scene);
  DeviceInfo device = collider.device();
  if (settings.device == "auto") tell_of_reference(device);
  return device;
}

}  // namespace oclide::command
