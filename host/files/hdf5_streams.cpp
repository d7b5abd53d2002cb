// The streams of the C library as HDF5's static archive gets them: tools/cmake/StaticHdf5.cmake.
#include <cstdio>

extern "C" {
extern FILE* oclide_hdf5_stderr;
extern FILE* oclide_hdf5_stdout;
FILE* oclide_hdf5_stderr = stderr;
FILE* oclide_hdf5_stdout = stdout;
}
