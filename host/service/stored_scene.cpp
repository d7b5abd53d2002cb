#include "service/stored_scene.hpp"

#include <algorithm>
#include <utility>

#include "scene/body_filters.hpp"
#include "service/scene_arrays.hpp"

namespace oclide::service {
namespace {

// What a row of all arrays of Bodies takes, and an excluded pair [bytes].
constexpr std::uint64_t kRowBytes = 53, kPairBytes = 8;
// Heights, origin and spacing of a tile, but for the heights.
constexpr std::uint64_t kTileBytes = 3 * kArrayBytes + 4 * sizeof(double);

// Of body i, which may be any: 1 where it has no parts that there are.
std::uint64_t parts_in(const Scene& scene, const Bodies& bodies, std::size_t i) {
  if (i >= bodies.count() || bodies.shape[i] != Shape::compound || i >= bodies.size.size()) return 1;
  const double compound = bodies.size[i][0];
  const bool is_there = compound >= 0.0 && compound < static_cast<double>(scene.compounds.size());
  return is_there ? scene.compounds[static_cast<std::size_t>(compound)].size() : 1;
}

}  // namespace

void SceneCollider::change(BodyChanges changes) {
  const auto translate = [&](BodyHandle& handle) {
    handle.generation = handle.row < generation.size() ? generation[handle.row] : 0;
  };
  for (std::vector<BodyHandle>* const handles : {&changes.removed, &changes.changed})
    for (BodyHandle& handle : *handles) translate(handle);
  for (auto* const pairs : {&changes.allowed, &changes.excluded})
    for (auto& [a, b] : *pairs) translate(a), translate(b);
  for (const BodyHandle handle : collider.change(changes)) {
    if (handle.generation == 0) continue;
    if (generation.size() <= handle.row) generation.resize(handle.row + std::size_t{1}, 0);
    generation[handle.row] = handle.generation;
  }
}

SharedScene own_copy(const StoredScene& scene) {
  auto own = std::make_shared<StoredScene>();
  own->scene = scene.scene;
  own->rows.set(own->scene);
  own->scene.bodies = {};
  own->tiles.set(own->scene.terrains);
  for (std::size_t k = 0; k < own->scene.terrains.size(); ++k)
    if (own->tiles.is_tile(k)) own->scene.terrains[k] = {};
  own->bytes = scene.bytes;
  own->parts = scene.parts;
  return own;
}

WholeScene whole_scene(const StoredScene& own) {
  WholeScene whole{own.scene, {}};
  whole.scene.bodies = own.bodies();
  for (std::uint32_t& flags : whole.scene.bodies.flags) flags &= ~kInactive;
  whole.tiles = own.tiles.restore(whole.scene.terrains);
  return whole;
}

Scene scene_to_plan(const StoredScene& scene) {
  if (!scene.is_own()) return scene.scene;
  WholeScene whole = whole_scene(scene);
  for (TileChanges& change : whole.tiles)
    for (Terrain& tile : change.added) {
      tile.tile_of = static_cast<std::int32_t>(change.ground);
      whole.scene.terrains.push_back(std::move(tile));
    }
  return std::move(whole.scene);
}

std::unique_ptr<SceneCollider> collider_of(StoredScene& scene, const Settings& settings) {
  auto made = std::make_unique<SceneCollider>(SceneCollider{Collider(settings), {}});
  if (!scene.is_own()) {
    made->collider.set_scene(scene.scene);
    return made;
  }
  WholeScene whole = whole_scene(scene);
  made->collider.set_scene(whole.scene);
  for (TileChanges& change : whole.tiles) (void)made->collider.change_tiles(std::move(change));
  if (scene.names) set_ground_names(made->collider, *scene.names);
  scene.names = nullptr;
  BodyChanges gone;
  for (std::uint32_t row = 0; row < scene.bodies().count(); ++row)
    if (!is_active(scene.bodies(), row)) gone.removed.push_back({row, 0});
  if (!gone.removed.empty()) made->change(std::move(gone));
  return made;
}

std::uint64_t tile_bytes(const Terrain& tile) {
  return kTileBytes + tile.heights.size() * sizeof(double) + tile.holes.size() + tile.material.size();
}

std::uint64_t parts_of(const Scene& scene) {
  std::uint64_t parts = 0;
  for (std::size_t i = 0; i < scene.bodies.count(); ++i) parts += parts_in(scene, scene.bodies, i);
  return parts;
}

std::size_t new_pairs(const BodyChanges& changes) {
  return changes.added.excluded.size() + changes.excluded.size();
}

SceneSize size_after(const StoredScene& own, const BodyChanges& changes) {
  const Bodies& now = own.bodies();
  std::uint64_t parts = own.parts, fewer = 0;
  for (const BodyHandle handle : changes.removed) fewer += parts_in(own.scene, now, handle.row) - 1;
  for (const BodyHandle handle : changes.changed) fewer += parts_in(own.scene, now, handle.row);
  for (std::size_t i = 0; i < changes.become.count(); ++i) parts += parts_in(own.scene, changes.become, i);
  for (std::size_t i = 0; i < changes.added.count(); ++i) parts += parts_in(own.scene, changes.added, i);
  const std::size_t free = own.rows.free_count() + changes.removed.size();
  fewer += std::min(free, changes.added.count());
  const std::size_t rows = changes.added.count() - std::min(free, changes.added.count());
  return {parts - std::min(parts, fewer), own.bytes + rows * kRowBytes + new_pairs(changes) * kPairBytes};
}

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
