# oclide_embed_kernels(target stem...): an object library that holds the expanded text of kernels/<stem>.cl, read through
# host/opencl/embedded_kernels.hpp. Made anew when a .cl or a file that it includes changes.
function(oclide_embed_kernels target)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/embedded)
  set(script ${PROJECT_SOURCE_DIR}/tools/cmake/embed_kernel.cmake)
  set(sources "")
  set(declarations "")
  set(rows "")
  foreach(stem IN LISTS ARGN)
    string(MAKE_C_IDENTIFIER "${stem}" symbol)
    set(output ${folder}/${symbol}.cpp)
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} -D ROOT=${CMAKE_CURRENT_SOURCE_DIR} -D STEM=${stem} -D SYMBOL=${symbol}
              -D OUTPUT=${output} -D DEPFILE=${output}.d -P ${script}
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${stem}.cl ${script}
      DEPFILE ${output}.d
      COMMENT "Embedding kernels/${stem}.cl"
      VERBATIM)
    list(APPEND sources ${output})
    string(APPEND declarations "extern const char ${symbol}[];\nextern const std::size_t ${symbol}_size;\n")
    string(APPEND rows "    {\"${stem}\", embedded::${symbol}, &embedded::${symbol}_size},\n")
  endforeach()
  configure_file(${PROJECT_SOURCE_DIR}/tools/cmake/embedded_kernels.cpp.in ${folder}/embedded_kernels.cpp @ONLY)
  add_library(${target} OBJECT ${sources} ${folder}/embedded_kernels.cpp)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${OCLIDE_UNITY_BUILD} UNITY_BUILD_BATCH_SIZE 40)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/host/opencl
                             PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${target} PRIVATE oclide_build_flags)
endfunction()

# oclide_check_kernels(target embedded stem...): a target that lets clang check the syntax of every kernel, with the
# device's division and with the software one, without a device. A kernel is checked again when the text that `embedded`,
# made by oclide_embed_kernels, holds of it changes. Part of `all` where OCLIDE_CHECK_KERNELS is on.
function(oclide_check_kernels target embedded)
  set(all "")
  if(OCLIDE_CHECK_KERNELS)
    set(all ALL)
  endif()
  find_program(OCLIDE_CLANG NAMES clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14
               DOC "clang, to check the kernels' syntax")
  if(NOT OCLIDE_CLANG)
    add_custom_target(${target} ${all} COMMAND ${CMAKE_COMMAND} -E echo "check_kernels: skipped, clang is missing" VERBATIM)
    return()
  endif()
  set(stamps "")
  foreach(stem IN LISTS ARGN)
    string(MAKE_C_IDENTIFIER "${stem}" symbol)
    set(stamp ${CMAKE_CURRENT_BINARY_DIR}/checked/${symbol})
    set(commands "")
    foreach(define IN ITEMS -UOCLIDE_SOFTWARE_DIVIDE_SQRT -DOCLIDE_SOFTWARE_DIVIDE_SQRT)
      list(APPEND commands COMMAND ${OCLIDE_CLANG} -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -fsyntax-only
           -Wall -Wextra -Werror -I . ${define} ${stem}.cl)
    endforeach()
    add_custom_command(OUTPUT ${stamp} ${commands} COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
                       DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/embedded/${symbol}.cpp
                       WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} COMMENT "Checking kernels/${stem}.cl" VERBATIM)
    list(APPEND stamps ${stamp})
  endforeach()
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/checked)
  add_custom_target(${target} ${all} DEPENDS ${stamps})
  add_dependencies(${target} ${embedded})
endfunction()
