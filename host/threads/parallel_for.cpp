#include "threads/parallel_for.hpp"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define OCLIDE_THREAD_SANITIZER
#endif
#endif

#ifdef OCLIDE_THREAD_SANITIZER
#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>
#else
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#endif

namespace oclide {

void run_ranges(std::size_t count, std::size_t grain, void (*body)(const void* object, IndexRange range),
                const void* object) {
#ifdef OCLIDE_THREAD_SANITIZER
  // oneTBB's library is built without the sanitizer, which would not see that the end waits for all ranges.
  constexpr std::size_t kThreads = 4, kMostRanges = 16;
  const std::size_t ranges = count == 0 ? 0 : std::clamp(count / grain, std::size_t{1}, kMostRanges);
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> has_failed = false;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      for (std::size_t k = next++; k < ranges; k = next++) body(object, {count * k / ranges, count * (k + 1) / ranges});
    } catch (...) {
      if (!has_failed.exchange(true)) failure = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t k = 1; k < std::min(kThreads, ranges); ++k) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (failure != nullptr) std::rethrow_exception(failure);
#else
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, grain),
                    [=](const tbb::blocked_range<std::size_t>& range) {
                      body(object, {range.begin(), range.end()});
                    });
#endif
}

}  // namespace oclide
