// What holds for the files that a command writes.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace oclide::command {

/// Throws Error(invalid_input) "<file>: is the <what> itself" where a file to write is another one that the command
/// reads or writes, under whatever name. Empty names are no files.
void check_different(const std::string& file, const std::string& other, const char* what);

/// Throws Error(invalid_input) "<file>: <what>" where the name has an ending, and none of these, whatever their case.
void need_ending(const std::string& file, std::initializer_list<std::string_view> endings, const char* what);

/// Throws Error(invalid_input), which names the option, where a file could not be made under this name. Empty: no file.
void need_writable(const char* option, const std::string& file);

}  // namespace oclide::command
