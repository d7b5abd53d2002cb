# Installs this version; builds the next one, of the other kind, as part of another project, runs that project's programs, and
# installs it to the same prefix.
include(${CMAKE_CURRENT_LIST_DIR}/package.cmake)
file(REMOVE_RECURSE ${prefix} ${WORK}/consumer ${WORK}/next)
must(${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG} --prefix ${prefix} --component oclide)

# The programs, outside of the tree.
file(COPY ${CMAKE_CURRENT_LIST_DIR}/consumer ${CMAKE_CURRENT_LIST_DIR}/subproject DESTINATION ${WORK})
file(COPY ${CMAKE_CURRENT_LIST_DIR}/example_scene.h ${CMAKE_CURRENT_LIST_DIR}/example_scene_c.h
     ${CMAKE_CURRENT_LIST_DIR}/example_scene.hpp DESTINATION ${WORK}/consumer)

# The next version: the same sources under another number.
file(COPY ${SOURCE}/CMakeLists.txt ${SOURCE}/include ${SOURCE}/host ${SOURCE}/kernels DESTINATION ${WORK}/next)
file(COPY ${SOURCE}/tools/cmake DESTINATION ${WORK}/next/tools)
file(READ ${WORK}/next/CMakeLists.txt text)
string(REPLACE "project(oclide VERSION ${VERSION}" "project(oclide VERSION ${NEXT}.0" changed "${text}")
if(changed STREQUAL text)
  message(FATAL_ERROR "no version ${VERSION} in CMakeLists.txt")
endif()
file(WRITE ${WORK}/next/CMakeLists.txt "${changed}")

must(${CMAKE_COMMAND} -S ${WORK}/subproject -B ${WORK}/subproject_build -G ${GENERATOR} -D CMAKE_BUILD_TYPE=Debug
     -D CMAKE_CXX_FLAGS_DEBUG=-O0 -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_C_COMPILER=${C}
     "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}" -D BUILD_SHARED_LIBS=${NEXT_IS_SHARED} -D OCLIDE_INSTALL=ON -D OCLIDE_FOLDER=${WORK}/next
     -D CMAKE_INSTALL_LIBDIR=${LIBDIR} -D CMAKE_INSTALL_INCLUDEDIR=${INCLUDEDIR} -D CONSUMER=${WORK}/consumer)
must(${CMAKE_COMMAND} --build ${WORK}/subproject_build --parallel 2)
must(${CMAKE_COMMAND} --install ${WORK}/subproject_build --prefix ${prefix})
foreach(program IN ITEMS consumer_c consumer_cpp)
  must(${WORK}/subproject_build/${program} reference)
  if(NOT output MATCHES "oclide ${NEXT}\\.0\ncontacts [1-9]")
    message(FATAL_ERROR "${program} as part of a project: ${output}")
  endif()
endforeach()

# Nothing of one version lies where the other one's is, but for oclide.pc, which is the last one's.
foreach(version IN ITEMS ${THIS} ${NEXT})
  foreach(path IN ITEMS ${LIBDIR}/cmake/oclide-${version}/oclideConfig.cmake ${LIBDIR}/pkgconfig/oclide-${version}.pc
                        ${INCLUDEDIR}/oclide-${version}/oclide/oclide.hpp
                        ${INCLUDEDIR}/oclide-${version}/oclide/oclide.h)
    if(NOT EXISTS ${prefix}/${path})
      message(FATAL_ERROR "not installed: ${path}")
    endif()
  endforeach()
endforeach()
file(GLOB_RECURSE installed RELATIVE ${prefix} ${prefix}/*)
foreach(path IN LISTS installed)
  if(NOT path MATCHES "oclide-(${THIS}|${NEXT})" AND NOT path STREQUAL "${LIBDIR}/pkgconfig/oclide.pc")
    message(FATAL_ERROR "versions share ${path}")
  endif()
endforeach()
