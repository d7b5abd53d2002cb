/* OCLIDE_API marks what the library shows of itself. CMake and pkg-config define OCLIDE_STATIC for the static library,
 * whose symbols then stay inside of whatever it is linked into. */
#ifndef OCLIDE_EXPORT_H
#define OCLIDE_EXPORT_H

#if defined(OCLIDE_STATIC)
#define OCLIDE_API
#elif defined(_WIN32)
#if defined(oclide_EXPORTS)
#define OCLIDE_API __declspec(dllexport)
#else
#define OCLIDE_API __declspec(dllimport)
#endif
#else
#define OCLIDE_API __attribute__((visibility("default")))
#endif

#endif
