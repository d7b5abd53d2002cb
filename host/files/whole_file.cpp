#include "files/whole_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "oclide/oclide.hpp"

namespace oclide {
namespace {

[[noreturn]] void refuse_output(const std::string& name, const std::string& what) {
  throw Error(ErrorKind::invalid_input, name + ": cannot be written: " + what);
}

}  // namespace

std::string output_target(const std::string& name) {
  namespace fs = std::filesystem;
  // Asked by the name itself: what /dev/stdout leads to need not have a name of its own.
  std::error_code error;
  const fs::file_status status = fs::status(name, error);
  if (fs::is_directory(status)) refuse_output(name, "Is a directory");
  if (fs::exists(status)) {
    if (!fs::is_regular_file(status)) refuse_output(name, "is not a regular file");
    if (::access(name.c_str(), W_OK) != 0) refuse_output(name, std::strerror(errno));
    if (!fs::is_symlink(fs::symlink_status(name, error))) return name;
    std::string target = fs::canonical(name, error).string();
    if (error) refuse_output(name, error.message());
    return target;
  }
  // Links to what is not there yet.
  constexpr int kMostLinks = 40;  // as Linux has it
  fs::path target = name;
  for (int k = 0; fs::is_symlink(fs::symlink_status(target, error)); ++k) {
    if (k == kMostLinks) refuse_output(name, std::strerror(ELOOP));
    target = target.parent_path() / fs::read_symlink(target, error);
    if (error) refuse_output(name, error.message());
  }
  return target.string();
}

void write_file(const std::string& name, std::string_view bytes) {
  const std::string target = output_target(name);
  const std::string beside = target + ".part" + std::to_string(::getpid());
  std::ofstream stream(beside, std::ios::binary | std::ios::trunc);
  stream << bytes;
  stream.close();
  std::error_code failed;
  if (stream) std::filesystem::rename(beside, target, failed);
  if (stream && !failed) return;
  std::error_code ignored;
  std::filesystem::remove(beside, ignored);
  throw Error(ErrorKind::invalid_input, name + ": cannot be written" + (failed ? ": " + failed.message() : ""));
}

}  // namespace oclide
