// A program in a process of its own: its streams, and how it ended.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace oclide::process {

enum class Stream {
  piped,     ///< to this process
  shared,    ///< with this process
  discarded  ///< /dev/null
};

struct Program {
  std::vector<std::string> command = {};      ///< a path, or a name that is looked up in PATH; then the arguments
  std::vector<std::string> environment = {};  ///< NAME=VALUE each; this process's others are there too
  Stream input = Stream::shared;
  Stream output = Stream::piped;
  Stream errors = Stream::piped;
  std::string output_file = {};  ///< takes standard output where it is not empty
};

struct Ending {
  int status = -1;  ///< exit status, or -1 when a signal ended it
  int signal = 0;   ///< that signal
};

struct Finished {
  Ending ending;
  std::string output, errors;  ///< of streams that are piped
};

/// What a wait for a line came to.
enum class Line {
  complete,
  none,    ///< the stream ended without one
  overdue  ///< it took too long
};

/// Used from one thread at a time.
class ChildProcess {
 public:
  /// Throws std::system_error where it cannot be started.
  explicit ChildProcess(const Program& program);
  /// Closes the streams, and waits for the end.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  [[nodiscard]] pid_t id() const { return id_; }
  /// To its standard input, which must be piped. False where it reads no more; SIGPIPE must be ignored for that.
  [[nodiscard]] bool send(std::string_view text);
  /// The next line of its standard output, without the line's end. Waits for so many seconds.
  [[nodiscard]] Line receive(std::string& line, double seconds);
  void kill();
  /// Closes its input, reads the rest of what is piped, and waits for the end.
  Finished finish();

 private:
  Ending wait();

  pid_t id_ = -1;
  int input_ = -1, output_ = -1, errors_ = -1;  // this process's ends of the pipes
  std::string unread_;                          // of standard output
};

/// Starts a program and waits for its end. Throws std::system_error where it cannot be started.
Finished run(const Program& program);

/// "exit status 1", "signal 11 (Segmentation fault)".
[[nodiscard]] std::string to_string(const Ending& ending);

}  // namespace oclide::process
