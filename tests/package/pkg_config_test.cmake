# A C program by pkg-config alone, against each version, with and without --static.
include(${CMAKE_CURRENT_LIST_DIR}/package.cmake)
find_program(pkg_config NAMES pkg-config pkgconf REQUIRED)
set(ENV{PKG_CONFIG_PATH} ${library_folder}/pkgconfig)
set(ENV{LD_LIBRARY_PATH} ${library_folder}:$ENV{LD_LIBRARY_PATH})

function(compile_and_run version package static)
  must(${pkg_config} --modversion ${package})
  if(NOT output MATCHES "^${version}\\.")
    message(FATAL_ERROR "${package}.pc is of version ${output}")
  endif()
  must(${pkg_config} --cflags --libs ${static} ${package})
  separate_arguments(flags UNIX_COMMAND "${output}")
  set(program ${WORK}/consumer_pkg_config_${package}${static})
  must(${C} -std=c99 -Wall -Wextra -Wpedantic -Werror ${WORK}/consumer/consumer.c -o
       ${program} ${flags})
  must_match(${version} ${program})
endfunction()

foreach(version IN ITEMS ${THIS} ${NEXT})
  compile_and_run(${version} oclide-${version} "")
  compile_and_run(${version} oclide-${version} --static)
endforeach()
compile_and_run(${NEXT} oclide "")
