// What every reader of files promises: it takes a file, or throws Error(invalid_input) of one clean line that begins
// with the file's name. Anything else ends the fuzzer.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include "oclide/oclide.hpp"
#include "text/clean_text.hpp"

namespace oclide::test {

inline void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what.c_str());
  std::abort();
}

template <class Read>
void refused_or_taken(const std::string& file, Read&& read) {
  try {
    read();
  } catch (const Error& error) {
    const std::string what = error.what();
    require(error.kind() == ErrorKind::invalid_input, "an error of this kind: " + what);
    require(what.starts_with(file + ": "), "a line that begins with the file's name: " + what);
    require(clean_text(what) == what, "a line that is clean: " + clean_text(what));
  }
}

}  // namespace oclide::test
