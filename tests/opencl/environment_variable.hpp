// A variable of the environment for as long as a test needs it.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace oclide::test {

/// Has its value of before again in the end.
class EnvironmentVariable {
 public:
  explicit EnvironmentVariable(std::string name) : name_(std::move(name)) {
    if (const char* value = std::getenv(name_.c_str())) before_ = value;
  }
  ~EnvironmentVariable() { set(before_); }
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

  /// Without a value: not set at all.
  void set(const std::optional<std::string>& value) const {
    if (value) {
      ::setenv(name_.c_str(), value->c_str(), 1);
    } else {
      ::unsetenv(name_.c_str());
    }
  }

 private:
  std::string name_;
  std::optional<std::string> before_;
};

}  // namespace oclide::test
