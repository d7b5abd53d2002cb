// oclide run --service, where gRPC was not found when this was built.
#include "remote_frames.hpp"

namespace oclide::command {

struct RemoteFrames::State {};

RemoteFrames::RemoteFrames(const RunOptions&, const Scene&) {
  throw Error(ErrorKind::invalid_input,
              "this oclide was built without gRPC (Debian: libgrpc++-dev, protobuf-compiler-grpc)");
}
RemoteFrames::~RemoteFrames() = default;
DeviceInfo RemoteFrames::device() const {
  return {};
}
void RemoteFrames::stream(SceneReader&, const FrameRange&, MotionFrom, const FinishFrame&) {}

}  // namespace oclide::command
