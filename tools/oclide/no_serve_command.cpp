// oclide serve, where gRPC was not found when this was built.
#include "commands.hpp"
#include "oclide/oclide.hpp"

namespace oclide::command {

int run_serve(const ServeOptions&) {
  throw Error(ErrorKind::invalid_input,
              "this oclide was built without gRPC (Debian: libgrpc++-dev, protobuf-compiler-grpc, prometheus-cpp-dev)");
}

}  // namespace oclide::command
