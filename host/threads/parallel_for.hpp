// Loops on all cores. oneTBB's own compile some four kilobytes of code for each body that they are given; these do it
// once.
#pragma once

#include <cstddef>

namespace oclide {

/// Part of a loop: the indices from begin() up to, not including, end().
class IndexRange {
 public:
  IndexRange(std::size_t begin, std::size_t end) : begin_(begin), end_(end) {}
  [[nodiscard]] std::size_t begin() const { return begin_; }
  [[nodiscard]] std::size_t end() const { return end_; }
  [[nodiscard]] std::size_t size() const { return end_ - begin_; }

 private:
  std::size_t begin_, end_;
};

/// parallel_for_ranges() for a body that is called through a pointer.
void run_ranges(std::size_t count, std::size_t grain, void (*body)(const void* object, IndexRange range),
                const void* object);

/// Calls body(IndexRange) for ranges that make up 0 .. count - 1, several at once. A range of more than `grain` indices
/// may be split. What a range writes must belong to its indices. Rethrows what a body throws.
template <class Body>
void parallel_for_ranges(std::size_t count, std::size_t grain, const Body& body) {
  run_ranges(
      count, grain, [](const void* object, IndexRange range) { (*static_cast<const Body*>(object))(range); }, &body);
}

/// Calls body(index) for each index below `count`, several at once, those of a range of parallel_for_ranges() in turn.
/// What it writes must belong to its index. Rethrows what a body throws.
template <class Body>
void parallel_for(std::size_t count, std::size_t grain, const Body& body) {
  parallel_for_ranges(count, grain, [&](IndexRange range) {
    for (std::size_t i = range.begin(); i < range.end(); ++i) body(i);
  });
}
template <class Body>
void parallel_for(std::size_t count, const Body& body) {
  parallel_for(count, 1, body);
}

}  // namespace oclide
