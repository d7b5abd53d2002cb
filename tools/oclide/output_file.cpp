#include "output_file.hpp"

#include <filesystem>
#include <system_error>

#include "oclide/oclide.hpp"

namespace oclide::command {

void check_different(const std::string& file, const std::string& other, const char* what) {
  if (file.empty() || other.empty()) return;
  std::error_code none;
  // Files that are not there yet are compared by their names.
  const auto name = [&](const std::string& of) { return std::filesystem::weakly_canonical(of, none); };
  if (std::filesystem::equivalent(file, other, none) || file == other || name(file) == name(other))
    throw Error(ErrorKind::invalid_input, file + ": is the " + what + " itself");
}

}  // namespace oclide::command
