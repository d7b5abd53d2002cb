#include "process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "support/temporary_folder.hpp"

namespace oclide::test {
namespace {

std::string content(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// In the child: standard output or error into a file.
void redirect(const std::string& file, int descriptor) {
  const int id = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (id < 0 || ::dup2(id, descriptor) < 0) ::_exit(126);
}

}  // namespace

std::size_t ProcessResult::error_lines() const {
  return static_cast<std::size_t>(std::count(err.begin(), err.end(), '\n'));
}

Json printed_json(const ProcessResult& result) {
  const Json json = Json::parse(result.out, nullptr, false);
  EXPECT_TRUE(json.is_object()) << result.out << result.err;
  if (!json.is_object()) return Json::object();
  EXPECT_EQ(json.dump() + "\n", result.out) << "a name that stands twice is there once when it is read";
  return json;
}

ProcessResult run_oclide(const std::vector<std::string>& arguments, const ProcessOptions& options) {
  const TemporaryFolder folder;
  const std::string out = options.standard_output.empty() ? folder.file("out") : options.standard_output;
  const std::string err = folder.file("err");
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    redirect(out, STDOUT_FILENO);
    redirect(err, STDERR_FILENO);
    for (const auto& [name, value] : options.environment) ::setenv(name.c_str(), value.c_str(), 1);
    if (options.largest_file) {
      const rlimit limit{*options.largest_file, *options.largest_file};
      ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    std::vector<char*> argv{const_cast<char*>(OCLIDE_COMMAND)};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    ::execv(OCLIDE_COMMAND, argv.data());
    ::_exit(127);
  }
  if (options.while_running) options.while_running(child);
  int status = 0;
  ::waitpid(child, &status, 0);
  ProcessResult result;
  if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  if (options.standard_output.empty()) result.out = content(out);
  result.err = content(err);
  return result;
}

}  // namespace oclide::test
