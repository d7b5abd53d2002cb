// Changes of a session's scene. The first makes it the session's own. What is checked and kept is in host memory; a
// collider that has the scene follows, and where that fails another one takes its place with the next frame.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "scene/scene_check.hpp"
#include "scene/tile_store.hpp"
#include "service/session.hpp"

namespace oclide::service {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::invalid_input, message);
}

std::vector<GridSize> grids_of(const Scene& scene) {
  std::vector<GridSize> grids;
  for (const Terrain& terrain : scene.terrains) grids.push_back({terrain.rows, terrain.cols});
  return grids;
}

SceneArrays named_arrays(const v1::Change& change) {
  SceneArrays arrays;
  for (const v1::Array& array : change.arrays()) {
    if (!v1::Type_IsValid(array.type())) refuse(array.name() + " has the unknown type " + std::to_string(array.type()));
    if (!arrays
             .try_emplace(array.name(), NamedArray{static_cast<ArrayType>(array.type()),
                                                   {array.shape().begin(), array.shape().end()},
                                                   array.data()})
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
        default:
          follow = self->change_bodies(request->change(), *own, *reply.mutable_change());
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
    if (!reply.has_change()) reply.mutable_done();
    self->send(std::move(reply), true);
    return is_there;
  };
  return task;
}

Session::ColliderChange Session::change_heights(const v1::Heights& change, StoredScene& own) {
  const auto heights = numbers_of<double>(change.heights(), "heights", std::nullopt);
  check_height_update(grids_of(own.scene), change.terrain(), change.first_row(), change.first_col(), change.rows(),
                      change.cols(), *heights);
  write_heights(own.scene.terrains, change.terrain(),
                {change.first_row(), change.first_col(), change.rows(), change.cols()}, *heights);
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
  check_cell_update(of_holes ? "update_holes" : "update_material", grids_of(own.scene), change.terrain(),
                    change.first_row(), change.first_col(), change.rows(), change.cols(), values->size());
  const auto array = of_holes ? &Terrain::holes : &Terrain::material;
  // A terrain without such numbers gets them, and so may the tiles beside it.
  const auto count_of_all = [&] {
    std::size_t count = 0;
    for (const Terrain& terrain : own.scene.terrains) count += (terrain.*array).size();
    return count;
  };
  const std::vector<std::int32_t> grounds = grounds_of(own.scene.terrains);
  const auto k_changed = static_cast<std::size_t>(change.terrain());
  std::size_t most = 0;
  for (std::size_t k = 0; k < grounds.size(); ++k) {
    const Terrain& terrain = own.scene.terrains[k];
    if ((k == k_changed || (grounds[k] >= 0 && grounds[k] == grounds[k_changed])) && (terrain.*array).empty())
      most += (terrain.rows - 1) * (terrain.cols - 1);
  }
  share_.set_bytes(own.bytes + most);
  const std::size_t before = count_of_all();
  write_cells(own.scene.terrains, array, change.terrain(),
              {change.first_row(), change.first_col(), change.rows(), change.cols()}, *values);
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
  check_move(grids_of(own.scene), change.terrain(), origin);
  move_ground(own.scene.terrains, change.terrain(), origin);
  return [&change, origin](SceneCollider& there) { there.collider.move_terrain(change.terrain(), origin); };
}

Session::ColliderChange Session::change_bodies(const v1::Change& change, StoredScene& own, v1::ChangeReply& reply) {
  BodyChanges changes = changes_of(named_arrays(change));
  const SceneSize size = size_after(own, changes);
  share_.set_bytes(size.bytes);
  std::vector<BodyHandle> added;
  const std::size_t pairs = own.bodies().excluded.size() + changes.added.excluded.size();
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
