// Runs the built command as a person would.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace oclide::test {

struct ProcessResult {
  int status = -1;  ///< exit status, or -1 when a signal ended it
  int signal = 0;   ///< that signal
  std::string out;
  std::string err;

  [[nodiscard]] std::size_t error_lines() const;
};

struct ProcessOptions {
  std::map<std::string, std::string> environment;  ///< set in addition to the caller's
  std::optional<std::uint64_t> largest_file;       ///< bytes that a file may have, as on a full disk
  std::string standard_output;                     ///< a file that takes standard output; empty: kept in `out`
  std::function<void(pid_t)> while_running;        ///< called once, while the process runs
};

using Json = nlohmann::ordered_json;

/// The JSON object that is all of standard output, in one line; the test fails where it is none.
[[nodiscard]] Json printed_json(const ProcessResult& result);

/// The oclide command with these arguments.
ProcessResult run_oclide(const std::vector<std::string>& arguments, const ProcessOptions& options = {});

}  // namespace oclide::test
