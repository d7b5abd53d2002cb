#include "upload/pose_history.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>

#include "scene/scene_check.hpp"
#include "threads/parallel_for.hpp"

namespace oclide {
namespace {

constexpr std::size_t kChunk = 4096;  // bodies that one task looks at
constexpr std::size_t kBlock = 16;    // bodies that are compared at once

bool equal(const double* a, const double* b, std::size_t count) {
  return std::memcmp(a, b, count * sizeof(double)) == 0;
}

}  // namespace

// Sets moved_; false where there are more than `most`. Where the frame before was a whole one, so that this one may
// well be, all poses are checked as they pass: then it sets is_usable_.
bool PoseHistory::find_moved(const Poses& poses, std::size_t most) {
  const std::size_t n = poses.count(), chunks = (n + kChunk - 1) / kChunk;
  const double *position = poses.position.data(), *orientation = poses.orientation.data();
  std::vector<std::vector<std::uint32_t>> in_chunk(chunks);
  std::atomic<std::size_t> count = 0;
  std::atomic<bool> wrong = !was_whole_;
  parallel_for(chunks, [&](std::size_t chunk) {
    std::vector<std::uint32_t>& own = in_chunk[chunk];
    const std::size_t end = std::min(n, (chunk + 1) * kChunk);
    if (was_whole_ && !are_usable(poses, chunk * kChunk, end - chunk * kChunk)) wrong = true;
    for (std::size_t first = chunk * kChunk; first < end && count <= most; first += kBlock) {
      const std::size_t size = std::min(kBlock, end - first);
      if (equal(position + 3 * first, &position_[3 * first], 3 * size) &&
          equal(orientation + 4 * first, &orientation_[4 * first], 4 * size))
        continue;
      const std::size_t before = own.size();
      for (std::size_t i = first; i < first + size; ++i)
        if (!equal(position + 3 * i, &position_[3 * i], 3) || !equal(orientation + 4 * i, &orientation_[4 * i], 4))
          own.push_back(static_cast<std::uint32_t>(i));
      count += own.size() - before;
    }
  });
  is_usable_ = !wrong;
  if (count > most) return false;
  moved_.clear();
  for (const std::vector<std::uint32_t>& own : in_chunk) moved_.insert(moved_.end(), own.begin(), own.end());
  return true;
}

FramePoses PoseHistory::advance(const Poses& poses, std::size_t most, bool checked) {
  const std::size_t n = poses.count();
  const double *position = poses.position.data(), *orientation = poses.orientation.data();
  is_usable_ = false;
  const bool is_incremental = known_ && position_.size() == 3 * n && find_moved(poses, most);
  was_whole_ = !is_incremental;
  if (is_incremental) {
    const auto is_usable = [&](std::uint32_t i) { return are_usable(poses, i, 1); };
    if (!checked && !std::all_of(moved_.begin(), moved_.end(), is_usable)) check_poses(poses, n);
    for (const std::uint32_t i : moved_) {
      std::copy_n(position + 3 * std::size_t{i}, 3, &position_[3 * std::size_t{i}]);
      std::copy_n(orientation + 4 * std::size_t{i}, 4, &orientation_[4 * std::size_t{i}]);
    }
    return {poses, ++number_, true, moved_};
  }
  if (!checked && !is_usable_) check_poses(poses, n);
  known_ = false;
  return {poses, ++number_, false, {}, [this, poses] { keep(poses); }};
}

void PoseHistory::touch(std::span<const std::uint32_t> rows, std::size_t bodies) {
  if (!known_) return;
  // No pose that can be used is like this.
  const double none = std::numeric_limits<double>::quiet_NaN();
  position_.resize(3 * bodies, none);
  orientation_.resize(4 * bodies, none);
  for (const std::uint32_t row : rows) position_[3 * std::size_t{row}] = none;
}

void PoseHistory::keep(const Poses& poses) {
  const std::size_t n = poses.count();
  const double *position = poses.position.data(), *orientation = poses.orientation.data();
  position_.resize(3 * n);
  orientation_.resize(4 * n);
  parallel_for((n + kChunk - 1) / kChunk, [&](std::size_t chunk) {
    const std::size_t first = chunk * kChunk, size = std::min(kChunk, n - first);
    std::copy_n(position + 3 * first, 3 * size, &position_[3 * first]);
    std::copy_n(orientation + 4 * first, 4 * size, &orientation_[4 * first]);
  });
  known_ = true;
}

}  // namespace oclide
