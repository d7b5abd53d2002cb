# Targets over the files that git knows: `format` rewrites C++, C and OpenCL C files as .clang-format says,
# `check_format` only says which differ, `tidy` runs the checks of .clang-tidy.
find_program(OCLIDE_CLANG_FORMAT NAMES clang-format clang-format-14 DOC "clang-format")
find_program(OCLIDE_RUN_CLANG_TIDY NAMES run-clang-tidy run-clang-tidy-14 DOC "run-clang-tidy")
find_program(OCLIDE_GIT NAMES git DOC "git")

function(oclide_format_target name)
  if(OCLIDE_CLANG_FORMAT AND OCLIDE_GIT)
    string(JOIN " " options ${ARGN})
    add_custom_target(${name}
      COMMAND sh -c "\"$1\" ls-files -z '*.cpp' '*.hpp' '*.c' '*.h' '*.cl' '*.clh' | xargs -0 \"$2\" ${options}" sh ${OCLIDE_GIT} ${OCLIDE_CLANG_FORMAT}
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
  endif()
endfunction()

oclide_format_target(format -i)
oclide_format_target(check_format --dry-run --Werror)

if(OCLIDE_RUN_CLANG_TIDY)
  add_custom_target(tidy COMMAND ${OCLIDE_RUN_CLANG_TIDY} -quiet -p ${PROJECT_BINARY_DIR}
                                 "${PROJECT_SOURCE_DIR}/(host|tools|tests|bench|docs)/.*"
                    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
endif()
