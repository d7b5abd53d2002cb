#include "frame_stream.hpp"

#include <tbb/parallel_pipeline.h>

#include <memory>

#include "terminal.hpp"

namespace oclide::command {
namespace {

// One frame on its way through the pipeline.
struct Job {
  std::size_t index = 0;
  Frame frame;
  Collider::StagedPoses staged;
  FrameContacts contacts;
};

}  // namespace

void stream_frames(SceneReader& reader, const FrameRange& range, Collider& collider, const FinishFrame& finish) {
  Progress progress("frames");
  std::size_t next = range.first;
  const auto read = [&](tbb::flow_control& flow) -> std::shared_ptr<Job> {
    if (next == range.end) {
      flow.stop();
      return nullptr;
    }
    auto job = std::make_shared<Job>();
    job->index = next++;
    reader.read_frame(job->index, job->frame);
    job->staged = collider.stage(job->frame.poses());
    return job;
  };
  const auto collide = [&](std::shared_ptr<Job> job) {
    job->contacts = collider.collide_staged(std::move(job->staged));
    return job;
  };
  const auto end = [&](const std::shared_ptr<Job>& job) {
    finish(job->index, job->frame, job->contacts);
    progress.show(job->index + 1 - range.first, range.count());
  };
  constexpr auto kInOrder = tbb::filter_mode::serial_in_order;
  tbb::parallel_pipeline(kFramesInFlight,
                         tbb::make_filter<void, std::shared_ptr<Job>>(kInOrder, read) &
                             tbb::make_filter<std::shared_ptr<Job>, std::shared_ptr<Job>>(kInOrder, collide) &
                             tbb::make_filter<std::shared_ptr<Job>, void>(kInOrder, end));
}

}  // namespace oclide::command
