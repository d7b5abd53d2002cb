// Which bodies moved since the frame before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "oclide/oclide.hpp"

namespace oclide {

/// Where one body in so many moved, or more, all is found anew.
inline constexpr std::size_t kMovedPart = 4;

/// Poses of a frame, and what is known of those of the frame before. Valid as long as what made them is not called
/// again.
struct FramePoses {
  Poses poses;
  std::uint64_t number = 0;                   ///< of these poses; 0: nothing is known of any before
  bool is_next = false;                       ///< `moved` says how they differ from those with the number before
  std::span<const std::uint32_t> moved = {};  ///< bodies whose pose is not, bit for bit, that of before; ascending
};

class PoseHistory {
 public:
  /// Takes the poses of a frame over, of whose numbers there are enough, with the bodies that moved if they are `most`
  /// at most. Throws Error(invalid_input), with the line of check_poses(), where they cannot be used; `checked`: they
  /// have been found to be usable. Poses that did not move have been looked at before.
  [[nodiscard]] FramePoses advance(const Poses& poses, std::size_t most, bool checked = false);
  /// The next advance() knows nothing.
  void forget() { known_ = false; }

 private:
  bool find_moved(const Poses& poses, std::size_t most);

  bool known_ = false;
  std::uint64_t number_ = 0;
  std::vector<double> position_, orientation_;
  std::vector<std::uint32_t> moved_;
};

}  // namespace oclide
