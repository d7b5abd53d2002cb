// The frames of a scene, found by a service.
#pragma once

#include <memory>

#include "commands.hpp"
#include "frame_stream.hpp"
#include "oclide/oclide.hpp"

namespace oclide::command {

class RemoteFrames {
 public:
  /// Sends the scene. Throws Error as connect() and RemoteCollider do.
  RemoteFrames(const RunOptions& options, const Scene& scene);
  ~RemoteFrames();
  RemoteFrames(const RemoteFrames&) = delete;
  RemoteFrames& operator=(const RemoteFrames&) = delete;

  /// Its name is that of the service's device, its id the service's address.
  [[nodiscard]] DeviceInfo device() const;
  /// As stream_frames(). Of all times there is the total alone, and of what was counted on the way nothing.
  void stream(SceneReader& reader, const FrameRange& range, MotionFrom motion, const FinishFrame& finish);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace oclide::command
