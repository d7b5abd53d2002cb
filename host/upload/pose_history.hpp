// Which bodies moved since the frame before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "frame/frame_poses.hpp"
#include "oclide/oclide.hpp"

namespace oclide {

/// Where one body in so many moved, or more, a full recompute follows.
inline constexpr std::size_t kMovedPart = 4;

class PoseHistory {
 public:
  /// Takes the poses of a frame over, of whose numbers there are enough, with the bodies that moved if they are `most`
  /// at most. Throws Error(invalid_input), with the line of check_poses(), where they cannot be used; `checked`: they
  /// have been found to be usable. Poses that did not move have been looked at before. All are taken over by the keep()
  /// of what it returns, where there is one.
  [[nodiscard]] FramePoses advance(const Poses& poses, std::size_t most, bool checked = false);
  /// There are so many bodies now, and those of `rows` count as moved in the next advance().
  void touch(std::span<const std::uint32_t> rows, std::size_t bodies);
  /// The next advance() knows nothing.
  void forget() { known_ = false; }

 private:
  bool find_moved(const Poses& poses, std::size_t most);
  void keep(const Poses& poses);

  bool known_ = false, was_whole_ = false;
  bool is_usable_ = false;  // all poses at hand are known to be
  std::uint64_t number_ = 0;
  std::vector<double> position_, orientation_;
  std::vector<std::uint32_t> moved_;
};

}  // namespace oclide
