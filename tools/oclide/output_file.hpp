// What holds for the files that a command writes.
#pragma once

#include <string>

namespace oclide::command {

/// A file to write is not another one that the command reads or writes, under whatever name; empty names are none.
/// Throws Error(invalid_input) "<file>: is the <what> itself".
void check_different(const std::string& file, const std::string& other, const char* what);

}  // namespace oclide::command
