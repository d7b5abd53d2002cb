#include "process.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>

#include "process/child_process.hpp"

namespace oclide::test {
namespace {

// While it lives, files of this process and of those that it starts are no longer than this.
class LargestFile {
 public:
  explicit LargestFile(std::optional<std::uint64_t> bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    if (bytes) limit.rlim_cur = *bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~LargestFile() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  LargestFile(const LargestFile&) = delete;
  LargestFile& operator=(const LargestFile&) = delete;

 private:
  rlimit before_{};
};

}  // namespace

std::size_t ProcessResult::error_lines() const {
  return static_cast<std::size_t>(std::count(err.begin(), err.end(), '\n'));
}

Json printed_json(const ProcessResult& result) {
  Json json = Json::parse(result.out, nullptr, false);
  EXPECT_TRUE(json.is_object()) << result.out << result.err;
  if (!json.is_object()) return Json::object();
  EXPECT_EQ(json.dump() + "\n", result.out) << "a name that stands twice is there once when it is read";
  return json;
}

ProcessResult run_oclide(const std::vector<std::string>& arguments, const ProcessOptions& options) {
  process::Program program;
  program.command.emplace_back(OCLIDE_COMMAND);
  program.command.insert(program.command.end(), arguments.begin(), arguments.end());
  for (const auto& [name, value] : options.environment)
    program.environment.push_back(std::string(name).append("=").append(value));
  program.output_file = options.standard_output;
  std::optional<LargestFile> limit(options.largest_file);
  process::ChildProcess child(program);
  limit.reset();
  if (options.while_running) options.while_running(child.id());
  const process::Finished done = child.finish();
  return {done.ending.status, done.ending.signal, done.output, done.errors};
}

}  // namespace oclide::test
