// Scenes that sessions have, each once however many sessions have it; and those that a session has changed, which are
// its own. All of a scene is in host memory, so that a collider that has it can be made again at any time.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "oclide/oclide.hpp"
#include "scene/body_rows.hpp"

namespace oclide::service {

/// A collider and, where bodies came and went, the generations that its rows have there.
struct SceneCollider {
  Collider collider;
  std::vector<std::uint32_t> generation;

  /// Collider::change() with the rows of these handles: whose generations count is for the caller to know.
  void change(BodyChanges changes);
};

struct StoredScene {
  Scene scene;  ///< of a session's own: but for the bodies
  BodyRows rows;
  std::string digest;  ///< of its arrays; empty: a session's own
  std::uint64_t bytes = 0;
  std::uint64_t parts = 0;  ///< bodies, those of several parts as these, and rows without one

  [[nodiscard]] bool is_own() const { return digest.empty(); }
  /// One a row.
  [[nodiscard]] const Bodies& bodies() const { return is_own() ? rows.scene().bodies : scene.bodies; }
};
using SharedScene = std::shared_ptr<StoredScene>;

/// A copy for one session to change.
[[nodiscard]] SharedScene own_copy(const StoredScene& scene);
/// As set_scene() takes it. In place of a removed body is what was there last.
[[nodiscard]] Scene whole_scene(const StoredScene& own);
/// Opens the device of `settings`: throws Error as Collider does.
[[nodiscard]] std::unique_ptr<SceneCollider> collider_of(const StoredScene& scene, const Settings& settings);

/// What StoredScene::parts of a scene are.
[[nodiscard]] std::uint64_t parts_of(const Scene& scene);
/// What parts and bytes of a session's own scene will be at most. Changes need not be ones that can be made.
struct SceneSize {
  std::uint64_t parts = 0, bytes = 0;
};
[[nodiscard]] SceneSize size_after(const StoredScene& own, const BodyChanges& changes);

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
