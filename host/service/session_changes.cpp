// Changes of a session's scene. The first makes it the session's own. What is checked and kept is in host memory; a
// collider that has the scene follows, and where that fails another one takes its place with the next frame.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "scene/scene_check.hpp"
#include "scene/tile_store.hpp"
#include "service/session.hpp"

namespace oclide::service {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::invalid_input, message);
}

// Takes their numbers.
SceneArrays named_arrays(google::protobuf::RepeatedPtrField<v1::Array>& all) {
  SceneArrays arrays;
  for (v1::Array& array : all) {
    if (!v1::Type_IsValid(array.type())) refuse(array.name() + " has the unknown type " + std::to_string(array.type()));
    if (!arrays
             .try_emplace(array.name(), NamedArray{static_cast<ArrayType>(array.type()),
                                                   {array.shape().begin(), array.shape().end()},
                                                   std::move(*array.mutable_data())})
             .second)
      refuse(array.name() + " stands twice");
  }
  return arrays;
}

}  // namespace

Task Session::change_task(const RequestPointer& request) {
  Task task;
  task.change = [=, self = shared_from_this()](SceneCollider* there) {
    const SharedScene before = self->scene();
    if (!before) return true;
    const SharedScene own = before->is_own() ? before : own_copy(*before);
    v1::Reply reply;
    reply.set_id(request->id());
    ColliderChange follow;
    try {
      switch (request->what_case()) {
        case v1::Request::kHeights:
          follow = self->change_heights(request->heights(), *own);
          break;
        case v1::Request::kCells:
          follow = self->change_cells(request->cells(), *own);
          break;
        case v1::Request::kMoveTerrain:
          follow = self->move_terrain(request->move_terrain(), *own);
          break;
        case v1::Request::kChangeTiles:
          follow = self->change_tiles(*request->mutable_change_tiles(), *own, *reply.mutable_change_tiles());
          break;
        default:
          follow = self->change_bodies(*request->mutable_change(), *own, *reply.mutable_change());
      }
    } catch (const LimitError& error) {
      self->send_problem(request->id(), v1::Problem::LIMIT, error.what());
      return true;
    }
    if (own != before) {
      const std::lock_guard lock(self->mutex_);
      if (!self->is_closed_) self->scene_ = own;
    }
    bool is_there = true;
    if (own != before) {
      self->shared_.engine.scene_left();
    } else if (there != nullptr) {
      try {
        follow(*there);
      } catch (const std::exception&) {
        is_there = false;  // memory is short, say: who needs a collider next is told
      }
    }
    if (reply.what_case() == v1::Reply::WHAT_NOT_SET) reply.mutable_done();
    self->send(std::move(reply), true);
    return is_there;
  };
  // What the ground is called then hangs on what it is called now, which a collider knows.
  if (request->what_case() == v1::Request::kChangeTiles)
    task.own = [self = shared_from_this()]() -> SharedScene {
      const SharedScene before = self->scene();
      if (!before || before->is_own()) return before;
      SharedScene own = own_copy(*before);
      {
        const std::lock_guard lock(self->mutex_);
        if (self->is_closed_) return nullptr;
        self->scene_ = own;
      }
      self->shared_.engine.scene_left();
      return own;
    };
  return task;
}

Session::ColliderChange Session::change_heights(const v1::Heights& change, StoredScene& own) {
  const auto heights = numbers_of<double>(change.heights(), "heights", std::nullopt);
  check_height_update(own.tiles.sizes(), change.terrain(), change.first_row(), change.first_col(), change.rows(),
                      change.cols(), *heights);
  const GridPart part{change.first_row(), change.first_col(), change.rows(), change.cols()};
  if (own.tiles.is_tile(change.terrain()))
    own.tiles.update_heights(change.terrain(), part, *heights);
  else
    write_heights(own.scene.terrains[change.terrain()], part, *heights);
  return [&change, heights](SceneCollider& there) {
    there.collider.update_heights(change.terrain(), change.first_row(), change.first_col(), change.rows(),
                                  change.cols(), *heights);
  };
}

Session::ColliderChange Session::change_cells(const v1::Cells& change, StoredScene& own) {
  const bool of_holes = change.kind() == v1::Cells::HOLES;
  if (!of_holes && change.kind() != v1::Cells::MATERIAL)
    refuse("cells: " + std::to_string(change.kind()) + " is no kind of cells");
  const auto values = numbers_of<std::uint8_t>(change.values(), of_holes ? "holes" : "material", std::nullopt);
  check_cell_update(of_holes ? "update_holes" : "update_material", own.tiles.sizes(), change.terrain(),
                    change.first_row(), change.first_col(), change.rows(), change.cols(), values->size());
  const auto array = of_holes ? &Terrain::holes : &Terrain::material;
  // A terrain without such numbers gets them, and so may the tiles beside it.
  const auto count_of_all = [&] {
    std::size_t count = 0;
    for (std::size_t k = 0; k < own.tiles.sizes().size(); ++k) count += (own.terrain(k).*array).size();
    return count;
  };
  const std::size_t changed = change.terrain();
  const bool is_tile = own.tiles.is_tile(changed);
  std::size_t most = 0;
  for (std::size_t k = 0; k < own.tiles.sizes().size(); ++k) {
    const auto [rows, cols] = own.tiles.sizes()[k];
    const bool may_get = k == changed || (is_tile && own.tiles.is_tile(k) && rows > 0 &&
                                          own.tiles.ground_of(k) == own.tiles.ground_of(changed));
    if (may_get && (own.terrain(k).*array).empty()) most += (rows - 1) * (cols - 1);
  }
  share_.set_bytes(own.bytes + most);
  const std::size_t before = count_of_all();
  const GridPart part{change.first_row(), change.first_col(), change.rows(), change.cols()};
  if (is_tile)
    own.tiles.update_cells(array, changed, part, *values);
  else
    write_cells(own.scene.terrains[changed], array, part, *values);
  own.bytes += count_of_all() - before;
  share_.set_bytes(own.bytes);
  return [&change, values, of_holes](SceneCollider& there) {
    if (of_holes)
      there.collider.update_holes(change.terrain(), change.first_row(), change.first_col(), change.rows(),
                                  change.cols(), *values);
    else
      there.collider.update_material(change.terrain(), change.first_row(), change.first_col(), change.rows(),
                                     change.cols(), *values);
  };
}

Session::ColliderChange Session::move_terrain(const v1::MoveTerrain& change, StoredScene& own) {
  const std::array<double, 2> origin{change.x(), change.y()};
  check_move(own.tiles.sizes(), change.terrain(), origin);
  if (own.tiles.is_tile(change.terrain()))
    own.tiles.move(change.terrain(), origin);
  else
    own.scene.terrains[change.terrain()].origin = origin;
  return [&change, origin](SceneCollider& there) { there.collider.move_terrain(change.terrain(), origin); };
}

Session::ColliderChange Session::change_tiles(v1::ChangeTiles& change, StoredScene& own, v1::ChangeTilesReply& reply) {
  TileChanges changes{change.ground(), {change.removed().begin(), change.removed().end()}, {}};
  changes.added = tiles_of(named_arrays(*change.mutable_added()));
  std::uint64_t bytes = own.bytes;
  for (const Terrain& tile : changes.added) bytes += tile_bytes(tile);
  // Whether they are there is checked below.
  for (const std::size_t k : changes.removed)
    if (own.tiles.is_tile(k)) bytes -= std::min(bytes, tile_bytes(own.tiles.tile(k)));
  share_.set_bytes(std::max(own.bytes, bytes));
  const TileChanges without_added{changes.ground, changes.removed, {}};
  std::vector<std::size_t> added;
  try {
    own.tiles.change(std::move(changes), added);
  } catch (const std::exception&) {
    share_.set_bytes(own.bytes);
    throw;
  }
  own.bytes = bytes;
  share_.set_bytes(own.bytes);
  for (const std::size_t k : added) reply.add_added(k);
  return [&own, without_added, added](SceneCollider& there) {
    TileChanges same = without_added;
    for (const std::size_t k : added) same.added.push_back(own.tiles.tile(k));
    if (there.collider.change_tiles(std::move(same)) != added)
      throw Error(ErrorKind::device, "change_tiles: the collider gives other indices");
  };
}

Session::ColliderChange Session::change_bodies(v1::Change& change, StoredScene& own, v1::ChangeReply& reply) {
  BodyChanges changes = changes_of(named_arrays(*change.mutable_arrays()));
  const SceneSize size = size_after(own, changes);
  share_.set_bytes(size.bytes);
  std::vector<BodyHandle> added;
  const std::size_t pairs = own.bodies().excluded.size() + new_pairs(changes);
  try {
    share_.set_bodies(std::max(size.parts, own.parts));
    added = own.rows.apply(changes);
  } catch (const std::exception&) {
    share_.set_bytes(own.bytes);
    share_.set_bodies(own.parts);
    throw;
  }
  own.parts = size.parts;
  share_.set_bodies(own.parts);
  own.bytes = size.bytes - (pairs - own.bodies().excluded.size()) * sizeof(own.bodies().excluded[0]);
  share_.set_bytes(own.bytes);

  std::vector<std::uint32_t> replaced;
  const auto rows = own.rows.replaced();
  std::set_union(replaced_.begin(), replaced_.end(), rows.begin(), rows.end(), std::back_inserter(replaced));
  replaced_ = std::move(replaced);
  reply.set_rows(own.bodies().count());
  for (const BodyHandle& handle : added) {
    const std::array<std::uint32_t, 2> numbers{handle.row, handle.generation};
    reply.mutable_handles()->mutable_data()->append(reinterpret_cast<const char*>(numbers.data()), sizeof(numbers));
  }
  return [changes = std::move(changes)](SceneCollider& there) { there.change(changes); };
}

}  // namespace oclide::service
