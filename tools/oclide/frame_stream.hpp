// The frames of a scene as a stream: while one frame is computed, the next is read and uploaded, and the one before is
// worked on further; a few are in memory at most.
#pragma once

#include <cstddef>
#include <functional>

#include "frame_range.hpp"
#include "oclide/oclide.hpp"
#include "scene_file.hpp"

namespace oclide::command {

/// That are in memory at most.
inline constexpr std::size_t kFramesInFlight = 4;

/// Calls finish(index, frame, contacts) for each frame of the range, in order, never two at once, with a progress bar.
/// The Collider has the reader's scene.
using FinishFrame = std::function<void(std::size_t index, const Frame& frame, const FrameContacts& contacts)>;
void stream_frames(SceneReader& reader, const FrameRange& range, Collider& collider, const FinishFrame& finish);

}  // namespace oclide::command
