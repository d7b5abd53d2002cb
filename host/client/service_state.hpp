// What the colliders of a service share.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "oclide.grpc.pb.h"
#include "oclide/client.hpp"

namespace oclide {

struct Service::State {
  std::unique_ptr<v1::Oclide::Stub> stub;
  std::string token;
  std::chrono::seconds patience{10};
  bool shares_memory = false;
};

}  // namespace oclide
