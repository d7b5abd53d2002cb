// The contacts of one frame, whose memory lives as long as anything in Python that looks at it.
#pragma once

#include <memory>

#include "oclide/oclide.hpp"

namespace oclide::python {

/// Where a frame's contacts are: its own, or (of update()) the Collider's, until that is about to use them again and
/// has to give them up.
struct FrameMemory {
  FrameContacts own;
  const FrameContacts* at = &own;
};

struct Frame {
  std::shared_ptr<FrameMemory> memory;
};

}  // namespace oclide::python
