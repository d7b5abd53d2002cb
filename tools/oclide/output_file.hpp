// What holds for the files that a command writes.
#pragma once

#include <string>

namespace oclide::command {

/// Throws Error(invalid_input) "<file>: is the <what> itself" where a file to write is another one that the command
/// reads or writes, under whatever name. Empty names are no files.
void check_different(const std::string& file, const std::string& other, const char* what);

}  // namespace oclide::command
