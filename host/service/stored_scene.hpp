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

#include "backend.hpp"
#include "oclide/oclide.hpp"
#include "scene/body_rows.hpp"
#include "scene/tile_store.hpp"

namespace oclide::service {

/// A collider and, where bodies came and went, the generations that its rows have there.
struct SceneCollider {
  Collider collider;
  std::vector<std::uint32_t> generation;

  /// Collider::change() with the rows of these handles: whose generations count is for the caller to know.
  void change(BodyChanges changes);
};

struct StoredScene {
  Scene scene;  ///< of a session's own: but for bodies and tiles
  BodyRows rows;
  TileStore tiles;
  std::shared_ptr<const GroundNames> names;  ///< of a session's own, while no collider has it
  std::string digest;                        ///< of its arrays; empty: a session's own
  std::uint64_t bytes = 0;
  std::uint64_t parts = 0;  ///< bodies, those of several parts as these, and rows without one

  [[nodiscard]] bool is_own() const { return digest.empty(); }
  /// One a row.
  [[nodiscard]] const Bodies& bodies() const { return is_own() ? rows.scene().bodies : scene.bodies; }
  /// Of a session's own: a terrain, which has no heights where it is a tile that is gone.
  [[nodiscard]] const Terrain& terrain(std::size_t k) const {
    return tiles.is_tile(k) ? tiles.tile(k) : scene.terrains[k];
  }
};
using SharedScene = std::shared_ptr<StoredScene>;

/// A copy for one session to change.
[[nodiscard]] SharedScene own_copy(const StoredScene& scene);
/// As set_scene() takes it, and what change_tiles() is to do then. In place of a removed body is what was there last.
struct WholeScene {
  Scene scene;
  std::vector<TileChanges> tiles;
};
[[nodiscard]] WholeScene whole_scene(const StoredScene& own);
/// As plan_memory() takes it: with all tiles, at any index.
[[nodiscard]] Scene scene_to_plan(const StoredScene& scene);
/// Opens the device of `settings`: throws Error as Collider does. It has the names of grounds then, not the scene.
[[nodiscard]] std::unique_ptr<SceneCollider> collider_of(StoredScene& scene, const Settings& settings);

/// What a tile counts of StoredScene::bytes: its numbers, and of arrays what each counts that a client sends.
[[nodiscard]] std::uint64_t tile_bytes(const Terrain& tile);
/// What StoredScene::parts of a scene are.
[[nodiscard]] std::uint64_t parts_of(const Scene& scene);
/// Excluded pairs that changes bring, at most.
[[nodiscard]] std::size_t new_pairs(const BodyChanges& changes);
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
