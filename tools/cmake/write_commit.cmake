# Writes the commit that is built into a header, if it is another than the header has:
#   cmake -D SOURCE=<folder> -D OUTPUT=<.hpp> -P write_commit.cmake
# "unknown" where the folder is no checkout of its own; a "+" behind the commit stands for changes since.
cmake_minimum_required(VERSION 3.25)

set(commit "unknown")
if(EXISTS "${SOURCE}/.git")
  execute_process(COMMAND git rev-parse --short=12 HEAD WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE head
                  OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
  if(NOT failed)
    set(commit "${head}")
    execute_process(COMMAND git --no-optional-locks status --porcelain --untracked-files=no
                    WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE changes ERROR_QUIET)
    if(changes)
      string(APPEND commit "+")
    endif()
  endif()
endif()
set(text "// Made by tools/cmake/write_commit.cmake.
#pragma once
namespace oclide::command {
inline constexpr const char* kCommit = \"${commit}\";
}  // namespace oclide::command
")
set(before "")
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" before)
endif()
if(NOT before STREQUAL text)
  file(WRITE "${OUTPUT}" "${text}")
endif()
