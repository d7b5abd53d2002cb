// Scenes that sessions have, each once however many sessions have it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "oclide/oclide.hpp"

namespace oclide::service {

struct StoredScene {
  Scene scene;
  std::string digest;  ///< of its arrays; empty once a session has changed it
  std::uint64_t bytes = 0;
  std::uint64_t parts = 0;  ///< bodies, those of several parts as these
};
using SharedScene = std::shared_ptr<StoredScene>;

/// By digest. Any thread.
class SceneStore {
 public:
  /// Null where no session has it.
  [[nodiscard]] SharedScene find(const std::string& digest);
  /// The one that is there already, where one is.
  [[nodiscard]] SharedScene add(SharedScene scene);
  /// How many different scenes sessions have.
  [[nodiscard]] std::size_t count();

 private:
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<StoredScene>> scenes_;
};

}  // namespace oclide::service
