// Which bodies moved since the frame before.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "oclide/oclide.hpp"

namespace oclide {

class PoseHistory {
 public:
  /// Bodies whose pose is not, bit for bit, that of the last call, ascending; nothing where no poses are known or more
  /// than `most` moved. The poses are those of the last call from now on.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> advance(const Poses& poses, std::size_t most);
  /// The next advance() knows nothing.
  void forget() { known_ = false; }

 private:
  bool known_ = false;
  std::vector<double> position_, orientation_;
};

}  // namespace oclide
