# Install into WORK/prefix, then configure, build and run CONSUMER against it. Any failure is fatal.
function(must)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}: ${status}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
must(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
must(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/build -G ${GENERATOR} -D CMAKE_PREFIX_PATH=${WORK}/prefix
     -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_CXX_FLAGS=${CXX_FLAGS} -D CMAKE_BUILD_TYPE=Release
     -D OCLIDE_WANTED=${VERSION} -D OCLIDE_EXAMPLE=${EXAMPLE})
must(${CMAKE_COMMAND} --build ${WORK}/build)
must(${WORK}/build/consumer)
if(NOT output MATCHES "body 0 on terrain: .* deep at")
  message(FATAL_ERROR "the consumer found no contact: ${output}")
endif()
