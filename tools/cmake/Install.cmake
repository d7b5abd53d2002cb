# The library, its headers, and what find_package(oclide) and pkg-config read: component `oclide`. (tools/oclide installs
# the command.) Library, folders and package have the version in their names: versions share a prefix, a program asks
# for the one that it wants. Only oclide.pc and the command are those of the version installed last.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/oclide-${OCLIDE_API_VERSION})
install(TARGETS oclide EXPORT oclide_targets COMPONENT oclide)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/oclide COMPONENT oclide
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/oclide-${OCLIDE_API_VERSION} FILES_MATCHING PATTERN *.h PATTERN *.hpp
        PATTERN client.hpp EXCLUDE)
install(EXPORT oclide_targets NAMESPACE oclide:: FILE oclideTargets.cmake DESTINATION ${package_folder}
        COMPONENT oclide)

# Who links the static library needs its dependencies; the shared one has them inside.
get_target_property(library_type oclide TYPE)
set(OCLIDE_IS_STATIC OFF)
if(library_type STREQUAL "STATIC_LIBRARY")
  set(OCLIDE_IS_STATIC ON)
endif()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/oclideConfig.cmake.in ${PROJECT_BINARY_DIR}/oclideConfig.cmake
                              INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/oclideConfigVersion.cmake VERSION ${PROJECT_VERSION}
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/oclideConfig.cmake ${PROJECT_BINARY_DIR}/oclideConfigVersion.cmake
        DESTINATION ${package_folder} COMPONENT oclide)

# The client of the service with its header, component `client`: find_package(oclide COMPONENTS client).
if(TARGET oclide_client)
  install(TARGETS oclide_client EXPORT oclide_client_targets COMPONENT client)
  install(FILES ${PROJECT_SOURCE_DIR}/include/oclide/client.hpp COMPONENT client
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/oclide-${OCLIDE_API_VERSION}/oclide)
  install(EXPORT oclide_client_targets NAMESPACE oclide:: FILE oclideClientTargets.cmake
          DESTINATION ${package_folder} COMPONENT client)
endif()

# pkg-config: paths count from the file's own folder, so that the prefix can be chosen, and moved, later.
set(pkgconfig_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
foreach(folder IN ITEMS LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE ${CMAKE_INSTALL_${folder}})
    set(pkgconfig_${folder} ${CMAKE_INSTALL_${folder}})
  else()
    file(RELATIVE_PATH up /prefix/${pkgconfig_folder} /prefix)
    string(REGEX REPLACE "/$" "" up "${up}")
    set(pkgconfig_${folder} "\${pcfiledir}/${up}/${CMAKE_INSTALL_${folder}}")
  endif()
endforeach()
set(dependencies -lOpenCL -ltbb -lqhull_r)
foreach(library IN LISTS CMAKE_CXX_IMPLICIT_LINK_LIBRARIES)
  if(library MATCHES "^(stdc\\+\\+|c\\+\\+|m)$")  # a linker called for C does not know them
    list(APPEND dependencies -l${library})
  endif()
endforeach()
list(APPEND dependencies ${CMAKE_THREAD_LIBS_INIT})
list(JOIN dependencies " " dependencies)
# Beside a static library there is no shared one: its dependencies are wanted with and without --static.
set(pkgconfig_definitions "")
set(pkgconfig_libraries "")
set(pkgconfig_private_libraries "")
if(OCLIDE_IS_STATIC)
  set(pkgconfig_definitions " -DOCLIDE_STATIC")
  set(pkgconfig_libraries " ${dependencies}")
else()
  set(pkgconfig_private_libraries " ${dependencies}")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/oclide.pc.in ${PROJECT_BINARY_DIR}/oclide.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/oclide.pc DESTINATION ${pkgconfig_folder} COMPONENT oclide)
install(FILES ${PROJECT_BINARY_DIR}/oclide.pc DESTINATION ${pkgconfig_folder} COMPONENT oclide
        RENAME oclide-${OCLIDE_API_VERSION}.pc)
