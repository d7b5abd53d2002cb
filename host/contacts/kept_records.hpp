// Contacts that were taken over to the host, as they came: several arrays, of which later ones supersede parts of
// earlier ones. The memory is used again from frame to frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace oclide {

template <class Record>
class KeptRecords {
 public:
  /// A further array. Those before stay where they are.
  std::vector<Record>& add(std::size_t count) {
    if (!arrays_.empty() && arrays_.back().empty()) arrays_.pop_back();
    if (spare_.empty()) {
      arrays_.emplace_back();
    } else {
      arrays_.push_back(std::move(spare_.back()));
      spare_.pop_back();
    }
    arrays_.back().resize(count);
    count_ += count;
    return arrays_.back();
  }

  /// Drops what the last array has beyond its first `count` records. It may lie elsewhere then: where it was made for
  /// many more than there are, its memory is for the next one.
  void cut(std::size_t count) {
    std::vector<Record>& last = arrays_.back();
    count_ -= last.size() - count;
    if (count >= last.capacity() / 2) return last.resize(count);
    std::vector<Record> used(last.begin(), last.begin() + static_cast<std::ptrdiff_t>(count));
    spare_.push_back(std::exchange(last, std::move(used)));
  }

  /// Forgets all arrays. Only the largest one's memory is kept.
  void clear() {
    for (std::vector<Record>& array : arrays_) {
      if (spare_.empty()) spare_.emplace_back();
      if (array.capacity() > spare_.front().capacity()) spare_.front().swap(array);
    }
    arrays_.clear();
    count_ = 0;
  }

  /// Gives all memory back.
  void free() { *this = {}; }

  [[nodiscard]] std::size_t arrays() const { return arrays_.size(); }
  /// The array that was added last.
  [[nodiscard]] const std::vector<Record>& last() const { return arrays_.back(); }
  /// Records in all arrays.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// All of them are in use.
  void end_frame() { in_use_ = count_; }
  /// Whether there are more than twice as many as at the last end_frame(), and `spare`.
  [[nodiscard]] bool has_superseded(std::uint64_t spare) const { return count_ > 2 * in_use_ + spare; }

 private:
  std::vector<std::vector<Record>> arrays_, spare_;
  std::uint64_t count_ = 0, in_use_ = 0;
};

}  // namespace oclide
