#include "process/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <system_error>

namespace oclide::process {
namespace {

void close_once(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

// What the new process does before it becomes the program, and the ends of its pipes.
class Plumbing {
 public:
  Plumbing() { ::posix_spawn_file_actions_init(&actions_); }
  ~Plumbing() {
    ::posix_spawn_file_actions_destroy(&actions_);
    for (int& end : theirs_) close_once(end);
  }
  Plumbing(const Plumbing&) = delete;
  Plumbing& operator=(const Plumbing&) = delete;

  // Returns this process's end of a pipe, or -1.
  int connect(int descriptor, Stream stream) {
    const bool reads = descriptor == STDIN_FILENO;
    if (stream == Stream::discarded)
      ::posix_spawn_file_actions_addopen(&actions_, descriptor, "/dev/null", reads ? O_RDONLY : O_WRONLY, 0);
    if (stream != Stream::piped) return -1;
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "no pipe");
    const std::size_t theirs = reads ? 0 : 1;
    theirs_[static_cast<std::size_t>(descriptor)] = ends[theirs];
    ::posix_spawn_file_actions_adddup2(&actions_, ends[theirs], descriptor);
    return ends[1 - theirs];
  }

  void write_to(int descriptor, const std::string& file) {
    ::posix_spawn_file_actions_addopen(&actions_, descriptor, file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  }

  [[nodiscard]] const posix_spawn_file_actions_t* actions() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
  std::array<int, 3> theirs_{-1, -1, -1};
};

// As posix_spawn() takes them; the strings stay with their owner.
std::vector<char*> pointers_to(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (const std::string& s : strings) pointers.push_back(const_cast<char*>(s.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// These variables, and those of this process whose names are not among them.
std::vector<std::string> with_own(std::vector<std::string> variables) {
  const auto given = static_cast<std::ptrdiff_t>(variables.size());
  for (char** e = environ; *e != nullptr; ++e) {
    const std::string_view own(*e);
    const std::string_view name = own.substr(0, own.find('=') + 1);
    const auto begin = variables.begin();
    if (std::none_of(begin, begin + given, [&](const std::string& v) { return v.starts_with(name); }))
      variables.emplace_back(own);
  }
  return variables;
}

// Appends what is there to read. False at the end of the stream.
bool read_some(int descriptor, std::string& text) {
  std::array<char, 4096> part{};
  const ssize_t got = ::read(descriptor, part.data(), part.size());
  if (got < 0 && errno == EINTR) return true;
  if (got > 0) text.append(part.data(), static_cast<std::size_t>(got));
  return got > 0;
}

}  // namespace

ChildProcess::ChildProcess(const Program& program) {
  const std::vector<std::string> environment = with_own(program.environment);
  try {
    Plumbing plumbing;
    input_ = plumbing.connect(STDIN_FILENO, program.input);
    if (program.output_file.empty())
      output_ = plumbing.connect(STDOUT_FILENO, program.output);
    else
      plumbing.write_to(STDOUT_FILENO, program.output_file);
    errors_ = plumbing.connect(STDERR_FILENO, program.errors);
    const int error = ::posix_spawnp(&id_, program.command[0].c_str(), plumbing.actions(), nullptr,
                                     pointers_to(program.command).data(), pointers_to(environment).data());
    if (error != 0) throw std::system_error(error, std::generic_category(), program.command[0] + " cannot be started");
  } catch (...) {
    for (int* end : {&input_, &output_, &errors_}) close_once(*end);
    throw;
  }
}

ChildProcess::~ChildProcess() {
  for (int* end : {&input_, &output_, &errors_}) close_once(*end);
  if (id_ > 0) wait();
}

bool ChildProcess::send(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(input_, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

Line ChildProcess::receive(std::string& line, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  std::size_t newline = 0;
  while ((newline = unread_.find('\n')) == std::string::npos) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd waiting{output_, POLLIN, 0};
    const int ready = left > 0 ? ::poll(&waiting, 1, static_cast<int>(std::min<long long>(left, 1 << 30))) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return Line::overdue;
    if (!read_some(output_, unread_)) return Line::none;
  }
  line = unread_.substr(0, newline);
  unread_.erase(0, newline + 1);
  return Line::complete;
}

void ChildProcess::kill() {
  if (id_ > 0) ::kill(id_, SIGKILL);
}

Finished ChildProcess::finish() {
  Finished finished;
  close_once(input_);
  finished.output = std::move(unread_);
  // Both at once: a program that fills one pipe would never end the other.
  while (output_ >= 0 || errors_ >= 0) {
    std::array<pollfd, 2> waiting{{{output_, POLLIN, 0}, {errors_, POLLIN, 0}}};
    if (::poll(waiting.data(), waiting.size(), -1) < 0) continue;
    if (waiting[0].revents != 0 && !read_some(output_, finished.output)) close_once(output_);
    if (waiting[1].revents != 0 && !read_some(errors_, finished.errors)) close_once(errors_);
  }
  finished.ending = wait();
  return finished;
}

Ending ChildProcess::wait() {
  int status = 0;
  while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
  }
  id_ = -1;
  Ending ending;
  if (WIFEXITED(status)) ending.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ending.signal = WTERMSIG(status);
  return ending;
}

Finished run(const Program& program) {
  return ChildProcess(program).finish();
}

std::string to_string(const Ending& ending) {
  if (ending.signal == 0) return "exit status " + std::to_string(ending.status);
  return "signal " + std::to_string(ending.signal) + " (" + ::strsignal(ending.signal) + ")";
}

}  // namespace oclide::process
