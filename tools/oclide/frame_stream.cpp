#include "frame_stream.hpp"

namespace oclide::command {
namespace {

// One frame on its way through the pipeline. The stream owns it: the pipeline forgets its frames when a step throws.
struct Job : FinishedFrame {
  Collider::StagedPoses staged;
};

}  // namespace

void stream_frames(SceneReader& reader, const FrameRange& range, Collider& collider, const FinishFrame& finish) {
  stream_jobs<Job>(
      range,
      [&](std::size_t index, Job& job) {
        job.index = index;
        reader.read_frame(index, job.frame);
        job.staged = collider.stage(job.frame.poses());
      },
      [&](Job& job) {
        const std::size_t before = compilations();
        job.contacts = collider.collide_staged(std::move(job.staged));
        job.compiled = compilations() != before;
      },
      finish);
}

}  // namespace oclide::command
