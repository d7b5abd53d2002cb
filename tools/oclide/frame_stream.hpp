// The frames of a scene as a stream. While one frame is computed, the next is read and uploaded, and the one before is
// written or compared. Only a few are in memory.
#pragma once

#include <tbb/parallel_pipeline.h>

#include <array>
#include <cstddef>
#include <functional>

#include "files/frame_range.hpp"
#include "files/scene_file.hpp"
#include "oclide/oclide.hpp"
#include "terminal.hpp"

namespace oclide::command {

/// Frames that are in memory at most.
inline constexpr std::size_t kFramesInFlight = 4;

/// For each frame of the range read(index, job), then work(job), then finish(job): each in order and never two of the
/// same at once, the three beside each other, with a progress bar. A Job that comes into read() may be one of a frame
/// before.
template <class Job, class Read, class Work, class Finish>
void stream_jobs(const FrameRange& range, const Read& read, const Work& work, const Finish& finish) {
  Progress progress("frames");
  std::size_t next = range.first, done = 0;
  // So many frames are on their way at most, and they leave in the order they came. So a place is free when it is its
  // turn again.
  std::array<Job, kFramesInFlight> jobs;
  constexpr auto kInOrder = tbb::filter_mode::serial_in_order;
  const auto begin = [&](tbb::flow_control& flow) -> Job* {
    if (next == range.end) {
      flow.stop();
      return nullptr;
    }
    Job& job = jobs[next % kFramesInFlight];
    read(next++, job);
    return &job;
  };
  const auto middle = [&](Job* job) {
    work(*job);
    return job;
  };
  const auto end = [&](Job* job) {
    finish(*job);
    progress.show(++done, range.count());
  };
  tbb::parallel_pipeline(kFramesInFlight, tbb::make_filter<void, Job*>(kInOrder, begin) &
                                              tbb::make_filter<Job*, Job*>(kInOrder, middle) &
                                              tbb::make_filter<Job*, void>(kInOrder, end));
}

/// Where the motion of bodies comes from; none: impacts are not looked for.
enum class MotionFrom {
  none,
  file,   ///< the scene file's displacements and rotations; nothing moves where it has none
  frames  ///< from the poses of each frame to those of the next; nothing moves in the last frame of the file
};

/// A frame whose contacts, and impacts where they are looked for, have been found.
struct FinishedFrame {
  std::size_t index = 0;
  Frame frame;
  FrameMotion motion;
  FrameContacts contacts;
  FrameImpacts impacts;
  bool compiled = false;  ///< kernels were compiled for it (show_compilation()), which its times contain
};

/// Reads frames of a range, in order, with the motion that is looked at.
class FrameSource {
 public:
  FrameSource(SceneReader& reader, const FrameRange& range, MotionFrom motion)
      : reader_(reader), first_(range.first), motion_(motion) {}
  void read(std::size_t index, FinishedFrame& to);

 private:
  SceneReader& reader_;
  std::size_t first_;
  MotionFrom motion_;
  Frame next_;  // with MotionFrom::frames: behind the frame read last
};

/// Calls finish() for each frame of the range, in order, never two at once, with a progress bar. The Collider has the
/// reader's scene.
using FinishFrame = std::function<void(const FinishedFrame& frame)>;
void stream_frames(SceneReader& reader, const FrameRange& range, Collider& collider, MotionFrom motion,
                   const FinishFrame& finish);

}  // namespace oclide::command
