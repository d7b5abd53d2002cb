# oclide_static_hdf5: HDF5, szip and zlib from the static archives of Debian's packages. HDF5's drivers for networks stay
# in their archive, since nothing asks for them, so that neither curl nor OpenSSL is needed.
foreach(name IN ITEMS hdf5_serial sz aec z)
  find_library(OCLIDE_ARCHIVE_${name} lib${name}.a REQUIRED)
endforeach()

# The archive is compiled for programs. In a shared object it finds all but the C library's `stderr` and `stdout`, which
# a program has copies of: it gets variables of the object itself instead.
set(archive ${CMAKE_CURRENT_BINARY_DIR}/libhdf5_of_a_shared_object.a)
add_custom_command(OUTPUT ${archive} DEPENDS ${OCLIDE_ARCHIVE_hdf5_serial} VERBATIM
                   COMMAND ${CMAKE_OBJCOPY} --redefine-sym stderr=oclide_hdf5_stderr
                           --redefine-sym stdout=oclide_hdf5_stdout ${OCLIDE_ARCHIVE_hdf5_serial} ${archive})
add_custom_target(oclide_hdf5_archive DEPENDS ${archive})
add_library(oclide_hdf5_streams STATIC hdf5_streams.cpp)
add_dependencies(oclide_hdf5_streams oclide_hdf5_archive)
target_link_libraries(oclide_hdf5_streams PRIVATE oclide_build_flags)

add_library(oclide_static_hdf5 INTERFACE)
target_link_libraries(oclide_static_hdf5 INTERFACE ${archive} oclide_hdf5_streams ${OCLIDE_ARCHIVE_sz}
                      ${OCLIDE_ARCHIVE_aec} ${OCLIDE_ARCHIVE_z} m ${CMAKE_DL_LIBS})
