# Targets over the sources: `format` rewrites C++, C and OpenCL C files as .clang-format says, `check_format` only says
# which differ, `tidy` runs the checks of .clang-tidy on the library and the readers of files (with OCLIDE_UNITY_BUILD:
# headers that many files include are read a few times in all); `coverage` says, after the tests of the preset of that
# name, which lines of the library and the tools no test ran.
find_program(OCLIDE_CLANG_FORMAT NAMES clang-format-14 clang-format DOC "clang-format")
find_program(OCLIDE_RUN_CLANG_TIDY NAMES run-clang-tidy-14 run-clang-tidy DOC "run-clang-tidy")

function(oclide_format_target name)
  if(OCLIDE_CLANG_FORMAT)
    string(JOIN " " options ${ARGN})
    add_custom_target(${name}
      COMMAND sh -c "find kernels host include tests bench tools docs -type f -regex '.*[.]\\(cpp\\|hpp\\|c\\|h\\|cl\\|clh\\)' -print0 | xargs -0 \"$1\" ${options}" sh ${OCLIDE_CLANG_FORMAT}
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
  endif()
endfunction()

oclide_format_target(format -i)
oclide_format_target(check_format --dry-run --Werror)

if(OCLIDE_RUN_CLANG_TIDY)
  add_custom_target(tidy COMMAND ${OCLIDE_RUN_CLANG_TIDY} -quiet -p ${PROJECT_BINARY_DIR}
                                 "${PROJECT_BINARY_DIR}/host/(files/)?CMakeFiles/oclide(_rooms|_files)?.dir/Unity/.*"
                    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
endif()

if(CMAKE_CXX_FLAGS MATCHES "--coverage")
  find_program(OCLIDE_GCOV NAMES gcov REQUIRED DOC "gcov, of the compiler")
  add_custom_target(coverage
    COMMAND /usr/bin/python3 ${PROJECT_SOURCE_DIR}/tools/cmake/coverage.py ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${OCLIDE_GCOV}
    VERBATIM)
endif()
