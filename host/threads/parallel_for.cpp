#include "threads/parallel_for.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

namespace oclide {

void run_ranges(std::size_t count, std::size_t grain, void (*body)(const void* object, IndexRange range),
                const void* object) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, grain),
                    [=](const tbb::blocked_range<std::size_t>& range) {
                      body(object, {range.begin(), range.end()});
                    });
}

}  // namespace oclide
