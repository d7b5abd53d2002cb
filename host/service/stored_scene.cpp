#include "service/stored_scene.hpp"

namespace oclide::service {

SharedScene SceneStore::find(const std::string& digest) {
  const std::lock_guard lock(mutex_);
  const auto found = scenes_.find(digest);
  return found == scenes_.end() ? nullptr : found->second.lock();
}

SharedScene SceneStore::add(SharedScene scene) {
  const std::lock_guard lock(mutex_);
  std::erase_if(scenes_, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<StoredScene>& stored = scenes_[scene->digest];
  if (SharedScene there = stored.lock()) return there;
  stored = scene;
  return scene;
}

std::size_t SceneStore::count() {
  const std::lock_guard lock(mutex_);
  std::erase_if(scenes_, [](const auto& entry) { return entry.second.expired(); });
  return scenes_.size();
}

}  // namespace oclide::service
