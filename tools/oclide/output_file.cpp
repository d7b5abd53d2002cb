#include "output_file.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
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

void need_writable(const char* option, const std::string& file) {
  if (file.empty()) return;
  const auto refuse = [&](const std::string& what) { throw Error(ErrorKind::invalid_input, file + ": " + what); };
  const std::filesystem::path path(file);
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code none;
  if (std::filesystem::is_directory(path, none) || !path.has_filename()) refuse("is a folder");
  if (!std::filesystem::is_directory(folder, none)) refuse(option + std::string(": there is no such folder"));
  if (::access(folder.c_str(), W_OK) != 0) refuse(option + std::string(": the folder cannot be written"));
}

void write_file(const std::string& file, std::string_view bytes) {
  const std::string beside = file + ".part" + std::to_string(::getpid());
  std::ofstream stream(beside, std::ios::binary | std::ios::trunc);
  stream << bytes;
  stream.close();
  std::error_code failed;
  if (stream) std::filesystem::rename(beside, file, failed);
  if (stream && !failed) return;
  std::error_code ignored;
  std::filesystem::remove(beside, ignored);
  throw Error(ErrorKind::invalid_input, file + ": cannot be written" + (failed ? ": " + failed.message() : ""));
}

}  // namespace oclide::command
