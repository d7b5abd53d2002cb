#include "output_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>

#include "files/whole_file.hpp"
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

void need_ending(const std::string& file, std::initializer_list<std::string_view> endings, const char* what) {
  std::string ending = std::filesystem::path(file).extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (!ending.empty() && std::find(endings.begin(), endings.end(), ending) == endings.end())
    throw Error(ErrorKind::invalid_input, file + ": " + what);
}

void need_writable(const char* option, const std::string& file) {
  if (file.empty()) return;
  const auto refuse = [&](const std::string& what) { throw Error(ErrorKind::invalid_input, file + ": " + what); };
  const std::filesystem::path path(output_target(file));
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code none;
  if (!path.has_filename()) refuse("is a folder");
  if (!std::filesystem::is_directory(folder, none)) refuse(option + std::string(": there is no such folder"));
  if (::access(folder.c_str(), W_OK) != 0) refuse(option + std::string(": the folder cannot be written"));
}

}  // namespace oclide::command
