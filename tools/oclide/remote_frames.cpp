#include "remote_frames.hpp"

#include <fstream>
#include <future>
#include <utility>

#include "oclide/client.hpp"
#include "scene/unused_terrains.hpp"

namespace oclide::command {
namespace {

// The first line of a file, which holds a token.
std::string token_in(const std::string& file) {
  std::string token;
  if (file.empty()) return token;
  std::ifstream stream(file);
  if (!stream) throw Error(ErrorKind::invalid_input, file + ": cannot be read");
  std::getline(stream, token);
  token.erase(token.find_last_not_of(" \t\r") + 1);
  if (token.empty()) throw Error(ErrorKind::invalid_input, file + ": there is no token in its first line");
  return token;
}

ConnectOptions connect_options(const RunOptions& options) {
  ConnectOptions reach;
  reach.token = token_in(options.service.token);
  reach.certificate_authority = options.service.authority;
  reach.certificate = options.service.certificate;
  reach.key = options.service.key;
  return reach;
}

struct RemoteJob : FinishedFrame {
  std::future<RemoteFrame> asked;
};

}  // namespace

struct RemoteFrames::State {
  std::string address;
  RemoteCollider collider;
};

RemoteFrames::RemoteFrames(const RunOptions& options, const Scene& scene)
    : state_(std::make_unique<State>(State{
          options.service.address,
          connect(options.service.address, connect_options(options))
              .collider({options.margin, options.track, say_nothing /* warn_of_unused() says which file, too */})})) {
  state_->collider.set_scene(scene);
}
RemoteFrames::~RemoteFrames() = default;

DeviceInfo RemoteFrames::device() const {
  DeviceInfo device;
  device.id = state_->address;
  device.name = state_->collider.device();
  return device;
}

void RemoteFrames::stream(SceneReader& reader, const FrameRange& range, MotionFrom motion, const FinishFrame& finish) {
  FrameSource source(reader, range, motion);
  stream_jobs<RemoteJob>(
      range, [&](std::size_t index, RemoteJob& job) { source.read(index, job); },
      [&](RemoteJob& job) {
        job.asked = state_->collider.submit(job.frame.poses());
        if (motion != MotionFrom::none) job.impacts = state_->collider.sweep(job.frame.poses(), job.motion.motion());
      },
      [&](RemoteJob& job) {
        RemoteFrame found = job.asked.get();
        job.contacts = static_cast<FrameContacts&&>(found);
        finish(job);
      });
}

}  // namespace oclide::command
