# Turns one .cl file and all it includes into a C++ file that holds the text as one literal.
#
#   cmake -D ROOT=<kernels folder> -D STEM=<folder/stem> -D SYMBOL=<C++ name> -D OUTPUT=<.cpp> -D DEPFILE=<.d> -P ...
#
# `#include "path"` is replaced by the file, path being relative to ROOT; each file is taken once in a translation unit,
# whether or not a conditional stands around the include. Includes in angle brackets are left alone. `#line` keeps a
# driver's messages pointing at the file and line that a person edits. `#pragma once` lines are emptied. Contraction of
# a * b + c is switched off for the whole unit, so that all devices compute the same bits.

cmake_minimum_required(VERSION 3.25)

# Appends the text of ${ROOT}/${path} to the global property text.
function(append_file path from)
  get_property(seen GLOBAL PROPERTY seen)
  if(path IN_LIST seen)
    return()
  endif()
  if(NOT EXISTS "${ROOT}/${path}")
    message(FATAL_ERROR "${from}: cannot find \"${path}\" in ${ROOT}")
  endif()
  set_property(GLOBAL APPEND PROPERTY seen "${path}")
  file(READ "${ROOT}/${path}" rest)
  # The leading newline makes every directive follow one; it stands for line 0.
  string(REPLACE "\r" "" rest "\n${rest}")
  string(REGEX REPLACE "\n[ \t]*#[ \t]*pragma[ \t]+once[^\n]*" "\n" rest "${rest}")
  set_property(GLOBAL APPEND_STRING PROPERTY text "\n#line 1 \"kernels/${path}\"")

  set(line 0)
  set(include_regex "\n[ \t]*#[ \t]*include[ \t]*\"([^\"\n]+)\"[^\n]*")
  while(rest MATCHES "${include_regex}")
    set(directive "${CMAKE_MATCH_0}")
    set(included "${CMAKE_MATCH_1}")
    string(FIND "${rest}" "${directive}" at)
    string(SUBSTRING "${rest}" 0 ${at} head)
    string(LENGTH "${directive}" length)
    math(EXPR after "${at} + ${length}")
    string(SUBSTRING "${rest}" ${after} -1 rest)

    string(REGEX REPLACE "[^\n]+" "" newlines "${head}")
    string(LENGTH "${newlines}" count)
    math(EXPR line "${line} + ${count} + 1")
    math(EXPR next_line "${line} + 1")
    set_property(GLOBAL APPEND_STRING PROPERTY text "${head}")
    append_file("${included}" "kernels/${path}:${line}")
    set_property(GLOBAL APPEND_STRING PROPERTY text "\n#line ${next_line} \"kernels/${path}\"")
  endwhile()
  set_property(GLOBAL APPEND_STRING PROPERTY text "${rest}")
endfunction()

set_property(GLOBAL PROPERTY text "#pragma OPENCL FP_CONTRACT OFF")
append_file("${STEM}.cl" "kernels/CMakeLists.txt")
get_property(text GLOBAL PROPERTY text)

file(WRITE "${OUTPUT}" "// Made from kernels/${STEM}.cl by tools/cmake/embed_kernel.cmake.
#include <cstddef>
#pragma GCC diagnostic ignored \"-Woverlength-strings\"
namespace oclide::embedded {
extern const char ${SYMBOL}[];
extern const std::size_t ${SYMBOL}_size;
const char ${SYMBOL}[] = R\"kernel(${text}
)kernel\";
const std::size_t ${SYMBOL}_size = sizeof(${SYMBOL}) - 1;
}  // namespace oclide::embedded
")

# What the output depends on, for the build tool.
get_property(seen GLOBAL PROPERTY seen)
set(dependencies "")
foreach(path IN LISTS seen)
  string(APPEND dependencies " ${ROOT}/${path}")
endforeach()
file(WRITE "${DEPFILE}" "${OUTPUT}:${dependencies}\n")
