# The library, its headers, and what find_package(oclide) reads. (tools/oclide installs the command.)
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/oclide)
install(TARGETS oclide EXPORT oclide_targets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/oclide TYPE INCLUDE FILES_MATCHING PATTERN *.h PATTERN *.hpp)
install(EXPORT oclide_targets NAMESPACE oclide:: FILE oclideTargets.cmake DESTINATION ${package_folder})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/oclideConfig.cmake.in ${PROJECT_BINARY_DIR}/oclideConfig.cmake
                              INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/oclideConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/oclideConfig.cmake ${PROJECT_BINARY_DIR}/oclideConfigVersion.cmake
        DESTINATION ${package_folder})
