#include "child.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

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

process::Program program_of(const std::vector<std::string>& command, const std::vector<std::string>& environment) {
  process::Program program{.command = command, .environment = environment};
  program.input = process::Stream::piped;
  program.errors = process::Stream::shared;
  return program;
}

}  // namespace

Child::Child(std::string name, const std::vector<std::string>& command, const std::vector<std::string>& environment)
    : name_(std::move(name)) {
  // Writing to an engine that has ended is an error like others.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    process_.emplace(program_of(command, environment));
  } catch (const std::system_error& e) {
    fail(e.what());
  }
}

void Child::fail(const std::string& why, ErrorKind kind) {
  if (process_) process_->kill();
  throw Error(kind, name_ + ": " + why);
}

void Child::send(const std::string& line) {
  if (!process_->send(line + "\n")) fail("has ended");
}

std::string Child::receive(const std::string& kind, double seconds) {
  std::string line;
  switch (process_->receive(line, seconds)) {
    case process::Line::complete:
      break;
    case process::Line::none:
      fail("ended without an answer");
    case process::Line::overdue:
      fail("no answer after " + std::to_string(static_cast<long long>(seconds)) + " s");
  }
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
