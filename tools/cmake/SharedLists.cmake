# oclide_shape_stems(folder out) and oclide_pair_stems(folder out): the stems of the kernels that the lists in
# kernels/shared name, `<folder>/<shape>_terrain` and `<folder>/<first>_<second>`. CMake runs again when a list changes.

set(oclide_shared_lists ${CMAKE_CURRENT_LIST_DIR}/../../kernels/shared)

# The rows X(...) of the list `macro` of a header, in order.
function(oclide_list_rows header macro out)
  set(file ${oclide_shared_lists}/${header})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  string(REPLACE "\\\n" " " text "${text}")
  if(NOT text MATCHES "#define ${macro}\\(X\\) ([^\n]*)")
    message(FATAL_ERROR "${file} has no list ${macro}")
  endif()
  set(line "${CMAKE_MATCH_1}")
  string(REGEX MATCHALL "X\\([^)]*\\)" rows "${line}")
  # A class begins with the one that is part of it.
  if(line MATCHES "(OCLIDE_[A-Z_]+)\\(X\\)")
    oclide_list_rows(${header} ${CMAKE_MATCH_1} part)
    list(PREPEND rows ${part})
  endif()
  set(${out} ${rows} PARENT_SCOPE)
endfunction()

function(oclide_shape_stems folder out)
  oclide_list_rows(shapes.h OCLIDE_CONVEX_SHAPES rows)
  list(TRANSFORM rows REPLACE "X\\([A-Z_]+, ([a-z_]+)\\)" "${folder}/\\1_terrain")
  set(${out} ${rows} PARENT_SCOPE)
endfunction()

# Of the pairs of another list of pairs.h, with an ending, where these are named.
function(oclide_pair_stems folder out)
  set(list_and_ending OCLIDE_PAIRS "" ${ARGN})
  list(GET list_and_ending -2 list)
  list(GET list_and_ending -1 ending)
  oclide_list_rows(pairs.h ${list} rows)
  list(TRANSFORM rows REPLACE "X\\([A-Z_]+, ([a-z_]+), [A-Z_]+, ([a-z_]+)\\)" "${folder}/\\1_\\2${ending}")
  set(${out} ${rows} PARENT_SCOPE)
endfunction()
