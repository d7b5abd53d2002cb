# See EmbedFiles.cmake: -D OUTPUT=<.cpp> -D NAMESPACE=... -D FUNCTION=... -D HEADER=... -D FILES=a|b|c
cmake_minimum_required(VERSION 3.25)

string(REPLACE "|" ";" files "${FILES}")
string(REPEAT "....." 24 line_regex)  # 24 bytes a line
set(arrays "")
set(rows "")
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME)
  string(MAKE_C_IDENTIFIER "${name}" symbol)
  file(READ "${file}" bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(${line_regex})" "\\1\n" bytes "${bytes}")
  string(APPEND arrays "const unsigned char ${symbol}[] = {\n${bytes}};\n")
  string(APPEND rows
         "  if (name == \"${name}\") return {reinterpret_cast<const char*>(${symbol}), sizeof(${symbol})};\n")
endforeach()
file(WRITE "${OUTPUT}" "// Made by tools/cmake/embed_files.cmake.
#include \"${HEADER}\"

namespace ${NAMESPACE} {
namespace {
${arrays}}  // namespace

std::string_view ${FUNCTION}(std::string_view name) {
${rows}  return {};
}

}  // namespace ${NAMESPACE}
")
