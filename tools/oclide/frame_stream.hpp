// The frames of a scene as a stream. While one frame is computed, the next is read and uploaded, and the one before is
// written or compared. Only a few are in memory.
#pragma once

#include <cstddef>
#include <functional>

#include "files/scene_file.hpp"
#include "frame_range.hpp"
#include "oclide/oclide.hpp"

namespace oclide::command {

/// Frames that are in memory at most.
inline constexpr std::size_t kFramesInFlight = 4;

/// A frame whose contacts have been found.
struct FinishedFrame {
  std::size_t index = 0;
  Frame frame;
  FrameContacts contacts;
  bool compiled = false;  ///< kernels were compiled for it (show_compilation()), which its times contain
};

/// Calls finish() for each frame of the range, in order, never two at once, with a progress bar. The Collider has the
/// reader's scene.
using FinishFrame = std::function<void(const FinishedFrame& frame)>;
void stream_frames(SceneReader& reader, const FrameRange& range, Collider& collider, const FinishFrame& finish);

}  // namespace oclide::command
