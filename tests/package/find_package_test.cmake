# A CMake project that finds each of the two versions in one prefix.
include(${CMAKE_CURRENT_LIST_DIR}/package.cmake)
foreach(version IN ITEMS ${THIS} ${NEXT})
  set(build ${WORK}/consumer_build_${version})
  file(REMOVE_RECURSE ${build})
  must(${CMAKE_COMMAND} -S ${WORK}/consumer -B ${build} -G ${GENERATOR} -D CMAKE_PREFIX_PATH=${prefix}
       -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_C_COMPILER=${C} "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}"
       -D CMAKE_BUILD_TYPE=Release -D OCLIDE_WANTED=${version})
  must(${CMAKE_COMMAND} --build ${build})
  must_match(${version} ${build}/consumer_c)
  must_match(${version} ${build}/consumer_cpp)
endforeach()

# One that is not there is not found.
execute_process(COMMAND ${CMAKE_COMMAND} -S ${WORK}/consumer -B ${WORK}/consumer_build_missing -G ${GENERATOR}
                        -D CMAKE_PREFIX_PATH=${prefix} -D OCLIDE_WANTED=99.0
                RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
if(status EQUAL 0)
  message(FATAL_ERROR "find_package(oclide 99.0) is content with another version")
endif()
