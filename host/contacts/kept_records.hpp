// Contacts that were taken over to the host, as they came: several arrays, of which later ones supersede parts of
// earlier ones. The memory is used again from frame to frame.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "opencl/host_array.hpp"

namespace oclide {

template <class Record>
class KeptRecords {
 public:
  using Array = opencl::HostArray<Record>;

  /// In ordinary memory.
  KeptRecords() = default;
  /// The first array is page-locked if `device`, which must outlive it, is a GPU. Further ones, of which there may be
  /// one a frame, are not: such memory takes long to get.
  explicit KeptRecords(const opencl::Device& device) : device_(&device) {}

  /// A further array. Those before stay where they are.
  Array& add(std::size_t count) {
    if (!arrays_.empty() && arrays_.back().empty()) arrays_.pop_back();
    if (spare_.empty()) {
      arrays_.push_back(device_ != nullptr && arrays_.empty() ? Array(*device_) : Array());
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
    Array& last = arrays_.back();
    count_ -= last.size() - count;
    if (count >= last.capacity() / 2) return last.resize(count);
    Array used;
    used.resize(count);
    std::copy_n(last.begin(), count, used.begin());
    spare_.push_back(std::exchange(last, std::move(used)));
  }

  /// Forgets all arrays. Only the largest one's memory is kept, of those that are page-locked if there are any.
  void clear() {
    const auto is_worse = [](const Array& a, const Array& b) {
      return std::pair(a.may_be_pinned(), a.capacity()) < std::pair(b.may_be_pinned(), b.capacity());
    };
    for (Array& array : arrays_) {
      if (spare_.empty())
        spare_.push_back(std::move(array));
      else if (is_worse(spare_.front(), array))
        std::swap(spare_.front(), array);
    }
    arrays_.clear();
    count_ = 0;
  }

  /// The arrays of `others` in the place of its own, whose largest one's memory is for the next array.
  void replace_by(KeptRecords&& others) {
    clear();
    arrays_ = std::move(others.arrays_);
    count_ = others.count_;
    end_frame();
  }

  /// Gives all memory back.
  void free() {
    arrays_.clear();
    spare_.clear();
    count_ = in_use_ = 0;
  }

  [[nodiscard]] std::size_t arrays() const { return arrays_.size(); }
  /// The array that was added last.
  [[nodiscard]] const Array& last() const { return arrays_.back(); }
  /// Records in all arrays.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// All of them are in use.
  void end_frame() { in_use_ = count_; }
  /// Whether there are more than twice as many as at the last end_frame(), and `spare`.
  [[nodiscard]] bool has_superseded(std::uint64_t spare) const { return count_ > 2 * in_use_ + spare; }

 private:
  const opencl::Device* device_ = nullptr;
  std::vector<Array> arrays_, spare_;
  std::uint64_t count_ = 0, in_use_ = 0;
};

}  // namespace oclide
