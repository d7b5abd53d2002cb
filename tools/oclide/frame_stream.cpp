#include "frame_stream.hpp"

namespace oclide::command {
namespace {

// One frame on its way through the pipeline. The stream owns it: the pipeline forgets its frames when a step throws.
struct Job : FinishedFrame {
  Collider::StagedPoses staged;
};

}  // namespace

void stream_frames(SceneReader& reader, const FrameRange& range, Collider& collider, MotionFrom motion,
                   const FinishFrame& finish) {
  Frame next;  // with MotionFrom::frames: behind the frame read last
  stream_jobs<Job>(
      range,
      [&](std::size_t index, Job& job) {
        job.index = index;
        if (motion == MotionFrom::frames && index > range.first)
          job.frame = next;
        else
          reader.read_frame(index, job.frame);
        if (motion == MotionFrom::file) reader.read_motion(index, job.motion);
        if (motion == MotionFrom::frames) {
          if (index + 1 < reader.frames())
            reader.read_frame(index + 1, next);
          else
            next = job.frame;
          motion_between(job.frame.poses(), next.poses(), job.motion);
        }
        job.staged = collider.stage(job.frame.poses());
      },
      [&](Job& job) {
        const std::size_t before = compilations();
        job.contacts = collider.collide_staged(std::move(job.staged));
        if (motion != MotionFrom::none) job.impacts = collider.sweep(job.frame.poses(), job.motion.motion());
        job.compiled = compilations() != before;
      },
      finish);
}

}  // namespace oclide::command
