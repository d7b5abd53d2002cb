# oclide_embed_files(output namespace function header file...): a C++ file that holds the bytes of the files and defines
# std::string_view namespace::function(std::string_view name), declared in `header`, which gives the text of the file
# with that name (without its folder), or an empty text. Made anew when a file changes.
function(oclide_embed_files output namespace function header)
  set(script ${PROJECT_SOURCE_DIR}/tools/cmake/embed_files.cmake)
  string(REPLACE ";" "|" files "${ARGN}")
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D OUTPUT=${output} -D NAMESPACE=${namespace} -D FUNCTION=${function} -D HEADER=${header}
            -D FILES=${files} -P ${script}
    DEPENDS ${ARGN} ${script}
    COMMENT "Embedding files for ${namespace}::${function}"
    VERBATIM)
endfunction()
