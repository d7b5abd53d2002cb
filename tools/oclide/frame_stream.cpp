#include "frame_stream.hpp"

#include <tbb/parallel_pipeline.h>

#include <array>

#include "terminal.hpp"

namespace oclide::command {
namespace {

// One frame on its way through the pipeline. The stream owns it: the pipeline forgets its frames when a step throws.
struct Job : FinishedFrame {
  Collider::StagedPoses staged;
};

}  // namespace

void stream_frames(SceneReader& reader, const FrameRange& range, Collider& collider, const FinishFrame& finish) {
  Progress progress("frames");
  std::size_t next = range.first;
  // So many frames are on their way at most, and they leave in the order they came. So a place is free when it is its
  // turn again.
  std::array<Job, kFramesInFlight> jobs;
  const auto read = [&](tbb::flow_control& flow) -> Job* {
    if (next == range.end) {
      flow.stop();
      return nullptr;
    }
    Job& job = jobs[next % kFramesInFlight];
    job.index = next++;
    reader.read_frame(job.index, job.frame);
    job.staged = collider.stage(job.frame.poses());
    return &job;
  };
  const auto collide = [&](Job* job) {
    const std::size_t before = compilations();
    job->contacts = collider.collide_staged(std::move(job->staged));
    job->compiled = compilations() != before;
    return job;
  };
  const auto end = [&](Job* job) {
    finish(*job);
    progress.show(job->index + 1 - range.first, range.count());
  };
  constexpr auto kInOrder = tbb::filter_mode::serial_in_order;
  tbb::parallel_pipeline(kFramesInFlight, tbb::make_filter<void, Job*>(kInOrder, read) &
                                              tbb::make_filter<Job*, Job*>(kInOrder, collide) &
                                              tbb::make_filter<Job*, void>(kInOrder, end));
}

}  // namespace oclide::command
