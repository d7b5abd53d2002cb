#include "batch/scene_list.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>

#include "batch/batch_table.hpp"
#include "oclide/oclide.hpp"
#include "text/read_all.hpp"

namespace oclide {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";

[[noreturn]] void refuse_input(const std::string& input, const std::string& what) {
  throw Error(ErrorKind::invalid_input, input + ": " + what);
}

void add_folder(const std::string& folder, std::vector<std::string>& files) {
  const std::size_t before = files.size();
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed))
    if (entry->path().extension() == ".h5" && !entry->is_directory()) files.push_back(entry->path().string());
  if (failed) refuse_input(folder, "cannot be read: " + failed.message());
  if (files.size() == before) refuse_input(folder, "has no files *.h5");
  std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end());
}

void add_list(const std::string& list, std::istringstream lines, std::vector<std::string>& files) {
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.find('\0') != std::string::npos) refuse_input(list, "is neither a scene file nor a list of scene files");
    if (line.find_first_not_of(" \t") != std::string::npos) files.push_back(line);
  }
}

}  // namespace

std::vector<std::string> scene_files(const std::vector<std::string>& inputs) {
  std::vector<std::string> files;
  for (const std::string& input : inputs) {
    std::error_code none;
    if (fs::is_directory(input, none)) {
      add_folder(input, files);
      continue;
    }
    // What is named as a scene file is one, and fails as one.
    if (input.ends_with(".h5")) {
      files.push_back(input);
      continue;
    }
    std::ifstream stream(input, std::ios::binary);
    if (!stream) refuse_input(input, std::string("cannot be read: ") + std::strerror(errno));
    std::string text(kSignature.size(), '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    if (text == kSignature) {
      files.push_back(input);
      continue;
    }
    if (!read_all(stream, text)) refuse_input(input, std::string("cannot be read: ") + std::strerror(errno));
    add_list(input, std::istringstream(text), files);
  }
  std::map<std::string, std::string> names;
  for (const std::string& file : files) {
    const auto [other, is_new] = names.emplace(base_name(file), file);
    if (is_new) continue;
    refuse_input(file, other->second == file
                           ? "is given twice"
                           : "has the same name as " + other->second + ", and so would their contact files");
  }
  return files;
}

}  // namespace oclide
