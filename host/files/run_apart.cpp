#include "files/run_apart.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <new>
#include <utility>

#include "oclide/oclide.hpp"

namespace oclide {
namespace {

// What the child sends before its text, of `size` bytes.
enum class Outcome : std::size_t { done, refused, no_memory, failed };
struct Header {
  Outcome outcome = Outcome::failed;
  std::size_t size = 0;
};

void limit(int what, std::size_t most) {
  rlimit now{};
  if (getrlimit(what, &now) != 0) return;
  now.rlim_cur = std::min<rlim_t>(most, now.rlim_max);
  (void)setrlimit(what, &now);
}

// Of address space.
std::size_t taken_memory() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

void send(int to, const void* bytes, std::size_t size) {
  const auto* data = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = write(to, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(1);
    data += written, size -= static_cast<std::size_t>(written);
  }
}

[[noreturn]] void be_child(int to, const ApartLimits& limits, const std::function<std::string()>& work) {
  const int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) (void)dup2(nowhere, STDERR_FILENO);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, limits.seconds);
  if (const std::size_t taken = taken_memory(); taken > 0) limit(RLIMIT_AS, taken + limits.memory);
  Header header;
  std::string text;
  try {
    text = work();
    header.outcome = Outcome::done;
  } catch (const Error& error) {
    header.outcome = Outcome::refused, text = error.what();
  } catch (const std::bad_alloc&) {
    header.outcome = Outcome::no_memory;
  } catch (const std::exception& error) {
    text = error.what();
  } catch (...) {
  }
  header.size = text.size();
  send(to, &header, sizeof header);
  send(to, text.data(), text.size());
  _exit(0);
}

std::string received(int from) {
  std::string text;
  std::array<char, 65536> part{};
  for (;;) {
    const ssize_t size = read(from, part.data(), part.size());
    if (size > 0) text.append(part.data(), static_cast<std::size_t>(size));
    if (size == 0 || (size < 0 && errno != EINTR)) return text;
  }
}

}  // namespace

ApartResult run_apart(const ApartLimits& limits, const std::function<std::string()>& work) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {false, std::strerror(errno)};
  const pid_t child = fork();
  if (child < 0) {
    const int why = errno;
    close(ends[0]), close(ends[1]);
    return {false, std::strerror(why)};
  }
  if (child == 0) be_child(ends[1], limits, work);
  close(ends[1]);
  std::string text = received(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  // Where the caller ignores SIGCHLD there is no status: what has come says by itself whether it is whole.
  Header header;
  bool whole = text.size() >= sizeof header;
  if (whole) {
    std::memcpy(&header, text.data(), sizeof header);
    text.erase(0, sizeof header);
    whole = text.size() == header.size;
  }
  if (!whole && WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
    return {false, "it takes more than " + std::to_string(limits.seconds) + " s"};
  if (!whole) return {false, "its reader fails on it"};
  if (header.outcome == Outcome::refused) throw Error(ErrorKind::invalid_input, text);
  if (header.outcome == Outcome::no_memory)
    return {false, "it takes more than " + std::to_string(limits.memory >> 20) + " MiB of memory"};
  if (header.outcome != Outcome::done) return {false, text.empty() ? "its reader fails on it" : text};
  return {true, std::move(text)};
}

}  // namespace oclide
