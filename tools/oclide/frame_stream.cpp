#include "frame_stream.hpp"

namespace oclide::command {
namespace {

// One frame on its way through the pipeline. The stream owns it: the pipeline forgets its frames when a step throws.
struct Job : FinishedFrame {
  Collider::StagedPoses staged;
};

}  // namespace

void FrameSource::read(std::size_t index, FinishedFrame& to) {
  to.index = index;
  if (motion_ == MotionFrom::frames && index > first_)
    to.frame = next_;
  else
    reader_.read_frame(index, to.frame);
  if (motion_ == MotionFrom::file) reader_.read_motion(index, to.motion);
  if (motion_ != MotionFrom::frames) return;
  if (index + 1 < reader_.frames())
    reader_.read_frame(index + 1, next_);
  else
    next_ = to.frame;
  motion_between(to.frame.poses(), next_.poses(), to.motion);
}

void stream_frames(SceneReader& reader, const FrameRange& range, Collider& collider, MotionFrom motion,
                   const FinishFrame& finish) {
  FrameSource source(reader, range, motion);
  stream_jobs<Job>(
      range,
      [&](std::size_t index, Job& job) {
        source.read(index, job);
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
