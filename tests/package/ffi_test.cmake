# The shared library from Python's ctypes: nothing but its C functions.
include(${CMAKE_CURRENT_LIST_DIR}/package.cmake)
find_program(python NAMES python3 REQUIRED)
must_match(${SHARED} ${python} ${CMAKE_CURRENT_LIST_DIR}/ffi.py ${library_folder}/liboclide-${SHARED}.so)
