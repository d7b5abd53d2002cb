#include "child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

extern char** environ;

namespace oclide::bench {
namespace {

template <class Number>
std::optional<Number> parse_optional(std::istream& from) {
  std::string word;
  from >> word;
  if (word.empty() || word == "-") return {};
  Number value{};
  std::istringstream(word) >> value;
  return value;
}

// As posix_spawn() takes them; the strings stay with their owner.
std::vector<char*> pointers_to(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& s : strings) pointers.push_back(const_cast<char*>(s.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Child::Child(std::string name, const std::vector<std::string>& command, const std::vector<std::string>& environment)
    : name_(std::move(name)) {
  // Writing to an engine that has ended is an error like others.
  signal(SIGPIPE, SIG_IGN);
  std::array<int, 2> requests{}, answers{};
  if (pipe2(requests.data(), O_CLOEXEC) != 0 || pipe2(answers.data(), O_CLOEXEC) != 0)
    throw Error(ErrorKind::device, name_ + ": no pipe: " + std::strerror(errno));
  std::vector<std::string> all = environment;
  for (char** e = environ; *e != nullptr; ++e) all.emplace_back(*e);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, requests[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, answers[1], STDOUT_FILENO);
  const int status = posix_spawnp(&process_, command[0].c_str(), &actions, nullptr, pointers_to(command).data(),
                                  pointers_to(all).data());
  posix_spawn_file_actions_destroy(&actions);
  close(requests[0]);
  close(answers[1]);
  to_ = requests[1];
  from_ = answers[0];
  if (status != 0) {
    process_ = -1;
    fail(command[0] + " cannot be started: " + std::strerror(status));
  }
}

Child::~Child() {
  if (to_ >= 0) close(to_);  // the end of its input ends it
  if (from_ >= 0) close(from_);
  if (process_ > 0) waitpid(process_, nullptr, 0);
}

void Child::fail(const std::string& why, ErrorKind kind) {
  if (process_ > 0) kill(process_, SIGKILL);
  throw Error(kind, name_ + ": " + why);
}

void Child::send(const std::string& line) {
  const std::string text = line + "\n";
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(to_, text.data() + done, text.size() - done);
    if (n <= 0) fail("has ended");
    done += static_cast<std::size_t>(n);
  }
}

std::string Child::receive(const std::string& kind, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  std::size_t newline = 0;
  while ((newline = unread_.find('\n')) == std::string::npos) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd waiting{from_, POLLIN, 0};
    const int ready = left > 0 ? poll(&waiting, 1, static_cast<int>(std::min<long long>(left, 1 << 30))) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) fail("no answer after " + std::to_string(static_cast<long long>(seconds)) + " s");
    std::array<char, 4096> buffer{};
    const ssize_t n = read(from_, buffer.data(), buffer.size());
    if (n <= 0) fail("ended without an answer");
    unread_.append(buffer.data(), static_cast<std::size_t>(n));
  }
  const std::string line = unread_.substr(0, newline);
  unread_.erase(0, newline + 1);
  if (line.rfind("error ", 0) == 0) fail(line.substr(6));
  if (line.rfind("refused ", 0) == 0) fail(line.substr(8), ErrorKind::invalid_input);
  if (!kind.empty() && line.rfind(kind + " ", 0) != 0) fail("answered '" + line + "'");
  return line;
}

const PeerInfo& Child::wait_until_ready(double seconds) {
  for (;;) {
    const std::string line = receive("", seconds);
    if (line == "ready") return info_;
    const std::size_t equals = line.find('=');
    const std::string key = line.substr(0, equals), value = equals == std::string::npos ? "" : line.substr(equals + 1);
    if (key == "engine") info_.engine = value;
    if (key == "version") info_.version = value;
    if (key == "settings") info_.settings = value;
    if (key == "note") info_.note = value;
    if (key == "device") info_.device = value;
    if (key == "device_id") info_.device_id = value;
    if (key == "driver") info_.driver = value;
    if (key == "threads") info_.threads = static_cast<unsigned>(std::stoul(value));
  }
}

TimedFrame Child::collide(std::size_t frame, double seconds) {
  send("collide " + std::to_string(frame));
  std::istringstream words(receive("frame", seconds));
  std::string word;
  TimedFrame timed;
  words >> word >> timed.milliseconds >> timed.points;
  timed.device_ms = parse_optional<double>(words);
  while (words >> word) {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos)
      timed.stages.emplace_back(word.substr(0, equals), std::stod(word.substr(equals + 1)));
  }
  return timed;
}

std::pair<std::vector<Touch>, std::optional<std::uint64_t>> Child::touching(const std::string& file, double seconds) {
  send("touching " + file);
  std::istringstream words(receive("touched", seconds));
  std::string word;
  words >> word;
  const auto candidates = parse_optional<std::uint64_t>(words);
  std::vector<Touch> touches;
  std::ifstream in(file, std::ios::binary);
  Touch t;
  while (in.read(reinterpret_cast<char*>(t.bodies.data()), sizeof t.bodies) &&
         in.read(reinterpret_cast<char*>(&t.depth), sizeof t.depth))
    touches.push_back(t);
  in.close();
  std::filesystem::remove(file);
  sort_touches(touches);
  return {std::move(touches), candidates};
}

std::pair<std::size_t, std::string> Child::check(std::size_t bodies, double seconds) {
  send("check " + std::to_string(bodies));
  std::istringstream words(receive("checked", seconds));
  std::string word, why;
  std::size_t checked = 0;
  int holds = 0;
  words >> word >> checked >> holds;
  std::getline(words >> std::ws, why);
  if (holds == 0 && why.empty()) why = "contacts differ from the reference's";
  return {checked, holds == 0 ? why : ""};
}

PeakMemory Child::memory(double seconds) {
  send("memory");
  std::istringstream words(receive("memory", seconds));
  std::string word;
  words >> word;
  PeakMemory memory;
  memory.host_bytes = parse_optional<std::uint64_t>(words);
  memory.device_bytes = parse_optional<std::uint64_t>(words);
  return memory;
}

}  // namespace oclide::bench
