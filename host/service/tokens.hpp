// Who may use the service.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace oclide::service {

class Tokens {
 public:
  Tokens() = default;
  /// Of a file with lines "NAME TOKEN"; empty lines and those that begin with # do not count. Throws
  /// Error(invalid_input) naming file and line; also for a file that others than its owner may read.
  explicit Tokens(const std::string& file);

  [[nodiscard]] bool are_asked_for() const { return !tokens_.empty(); }
  /// The name of the token, empty where there is none. Takes as long whichever one it is, if any.
  [[nodiscard]] std::string name_of(std::string_view token) const;

 private:
  struct Token {
    std::string name, digest;
  };
  std::vector<Token> tokens_;
};

}  // namespace oclide::service
