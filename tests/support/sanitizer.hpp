// Whether this is a build with the address sanitizer, which GCC and clang say in different ways; or with any.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define OCLIDE_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OCLIDE_ADDRESS_SANITIZER 1
#endif
#if __has_feature(thread_sanitizer)
#define OCLIDE_SANITIZER 1
#endif
#endif

#if defined(OCLIDE_ADDRESS_SANITIZER) || defined(__SANITIZE_THREAD__)
#define OCLIDE_SANITIZER 1
#endif
