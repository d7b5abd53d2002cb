#include "scene/body_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <string>
#include <utility>

#include "scene/body_filters.hpp"
#include "scene/scene_check.hpp"

namespace oclide {
namespace {

constexpr std::size_t kMostBodyRows = 0x7FFFFFFE;

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::invalid_input, "change: " + message);
}

// Sets entry `row` of an array that need not be there, as long as all have the default.
template <class Value>
void put_optional(std::vector<Value>& to, std::size_t row, std::size_t rows, const std::vector<Value>& from,
                  std::size_t index, Value otherwise) {
  if (to.empty() && from.empty()) return;
  to.resize(rows, otherwise);
  to[row] = from.empty() ? otherwise : from[index];
}

}  // namespace

void BodyRows::set(const Scene& scene) {
  scene_ = {};
  for (const Terrain& terrain : scene.terrains) {
    Terrain& to = scene_.terrains.emplace_back();
    to.rows = terrain.rows, to.cols = terrain.cols, to.origin = terrain.origin, to.spacing = terrain.spacing;
    to.group = terrain.group, to.category = terrain.category, to.mask = terrain.mask, to.diagonal = terrain.diagonal;
  }
  scene_.environment_terrain = scene.environment_terrain;
  scene_.hulls.resize(scene.hulls.size());
  scene_.meshes.resize(scene.meshes.size());
  scene_.compounds = scene.compounds;
  scene_.bodies = scene.bodies;
  generation_.assign(count(), 0);
  free_.clear();
  changed_.clear();
  replaced_.clear();
}

bool BodyRows::has_body(std::uint32_t row) const {
  return row < count() && is_active(scene_.bodies, row);
}

void BodyRows::check(const BodyChanges& changes) const {
  const auto text = [](const char* name, std::size_t k) { return std::string(name) + "[" + std::to_string(k) + "]"; };
  const auto check_handle = [&](BodyHandle handle, const char* name, std::size_t k) {
    const auto [row, generation] = handle;
    if (!has_body(row) || generation_[row] != generation)
      refuse(text(name, k) + ": there is no body with row " + std::to_string(row) + ", generation " +
             std::to_string(generation));
  };
  const auto rows_of = [&](const char* name, std::span<const BodyHandle> handles) {
    std::vector<std::uint32_t> rows;
    for (std::size_t k = 0; k < handles.size(); ++k) {
      check_handle(handles[k], name, k);
      rows.push_back(handles[k].row);
    }
    std::sort(rows.begin(), rows.end());
    return rows;
  };
  const std::vector<std::uint32_t> removed = rows_of("removed", changes.removed),
                                   changed = rows_of("changed", changes.changed);
  std::vector<std::uint32_t> named;
  std::merge(removed.begin(), removed.end(), changed.begin(), changed.end(), std::back_inserter(named));
  if (const auto twice = std::adjacent_find(named.begin(), named.end()); twice != named.end())
    refuse("removed and changed name the body of row " + std::to_string(*twice) + " twice");
  if (changes.become.count() != changes.changed.size())
    refuse("become has " + std::to_string(changes.become.count()) + " bodies for " +
           std::to_string(changes.changed.size()) + " of changed");
  if (!changes.become.excluded.empty()) refuse("become/excluded must be empty");
  if (!scene_.bodies.either_mask && (changes.become.either_mask || changes.added.either_mask))
    refuse(std::string(changes.become.either_mask ? "become" : "added") + "/either_mask is set, but not the scene's");
  const auto check_pairs = [&](const char* name, std::span<const std::array<BodyHandle, 2>> pairs) {
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      for (const BodyHandle handle : pairs[k]) {
        check_handle(handle, name, k);
        if (std::binary_search(removed.begin(), removed.end(), handle.row))
          refuse(text(name, k) + " names the body of row " + std::to_string(handle.row) + ", which is removed");
      }
      if (pairs[k][0].row == pairs[k][1].row)
        refuse(text(name, k) + " names the body of row " + std::to_string(pairs[k][0].row) + " twice");
    }
  };
  check_pairs("allowed", changes.allowed);
  check_pairs("excluded", changes.excluded);
  check_bodies(scene_, changes.become, "change: become");
  check_bodies(scene_, changes.added, "change: added");
  if (changes.added.count() > kMostBodyRows - count()) refuse("added: more than 2^31 - 2 rows");
}

void BodyRows::put(std::uint32_t row, const Bodies& from, std::size_t index) {
  Bodies& to = scene_.bodies;
  const std::size_t rows = to.count();
  to.shape[row] = from.shape[index];
  to.size[row] = from.size[index];
  put_optional(to.environment, row, rows, from.environment, index, 0U);
  put_optional(to.group, row, rows, from.group, index, 0);
  put_optional(to.category, row, rows, from.category, index, 1U);
  put_optional(to.mask, row, rows, from.mask, index, 0xFFFFFFFFU);
  put_optional(to.flags, row, rows, from.flags, index, 0U);
  put_optional(to.margin, row, rows, from.margin, index, 0.0);
}

// Of the list of excluded pairs, in which each is once then.
void BodyRows::put_pairs(const BodyChanges& changes) {
  if (changes.allowed.empty() && changes.excluded.empty()) return;
  const auto keys_of = [&](std::span<const std::array<BodyHandle, 2>> pairs) {
    std::vector<std::uint64_t> keys;
    for (const auto& [a, b] : pairs) {
      keys.push_back(pair_key(a.row, b.row));
      changed_.insert(changed_.end(), {a.row, b.row});
    }
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    return keys;
  };
  const std::vector<std::uint64_t> before = excluded_keys(scene_.bodies), allowed = keys_of(changes.allowed),
                                   excluded = keys_of(changes.excluded);
  std::vector<std::uint64_t> left, now;
  std::set_difference(before.begin(), before.end(), allowed.begin(), allowed.end(), std::back_inserter(left));
  std::set_union(left.begin(), left.end(), excluded.begin(), excluded.end(), std::back_inserter(now));
  scene_.bodies.excluded.clear();
  for (const std::uint64_t key : now)
    scene_.bodies.excluded.push_back({static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key)});
}

std::vector<BodyHandle> BodyRows::apply(const BodyChanges& changes) {
  check(changes);
  if (scene_.compounds.empty()) return put_all(changes);
  // Bodies that are each right may have too many parts together.
  BodyRows after = *this;
  std::vector<BodyHandle> handles = after.put_all(changes);
  check_parts(after.scene_, after.scene_.bodies, "change: bodies");
  *this = std::move(after);
  return handles;
}

std::vector<BodyHandle> BodyRows::put_all(const BodyChanges& changes) {
  Bodies& bodies = scene_.bodies;
  changed_.clear();
  replaced_.clear();
  for (const BodyHandle& handle : changes.removed) {
    bodies.flags.resize(count(), 0U);
    bodies.flags[handle.row] = kInactive;
    free_.push_back(handle.row);
    changed_.push_back(handle.row);
  }
  if (!changes.removed.empty()) {
    std::sort(free_.begin(), free_.end(), std::greater<>());
    std::erase_if(bodies.excluded, [&](const auto& pair) { return !has_body(pair[0]) || !has_body(pair[1]); });
  }
  for (std::size_t k = 0; k < changes.changed.size(); ++k) {
    put(changes.changed[k].row, changes.become, k);
    changed_.push_back(changes.changed[k].row);
  }

  std::vector<BodyHandle> handles;
  const std::size_t added = changes.added.count();
  for (std::size_t k = 0; k < added; ++k) {
    BodyHandle handle;
    if (free_.empty()) {
      handle.row = static_cast<std::uint32_t>(count());
      bodies.shape.push_back(Shape::sphere);
      bodies.size.emplace_back();
      generation_.push_back(0);
    } else {
      handle.row = free_.back();
      free_.pop_back();
      handle.generation = ++generation_[handle.row];
      replaced_.push_back(handle.row);
    }
    put(handle.row, changes.added, k);
    handles.push_back(handle);
    changed_.push_back(handle.row);
  }
  for (const auto& [a, b] : changes.added.excluded) bodies.excluded.push_back({handles[a].row, handles[b].row});
  put_pairs(changes);
  std::sort(changed_.begin(), changed_.end());
  changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
  return handles;
}

std::vector<BodyHandle> BodyRows::handles() const {
  std::vector<BodyHandle> handles;
  for (std::uint32_t row = 0; row < count(); ++row)
    if (has_body(row)) handles.push_back({row, generation_[row]});
  return handles;
}

void part_from_before(std::span<const std::uint32_t> replaced, FrameContacts& frame) {
  const auto is_replaced = [&](std::uint32_t body) {
    return std::binary_search(replaced.begin(), replaced.end(), body);
  };
  std::vector<ManifoldEvent> ended;
  std::size_t manifolds = 0;
  for (; manifolds < frame.events.size() && frame.events[manifolds].change != Change::end; ++manifolds) {
    ManifoldEvent& event = frame.events[manifolds];
    if (!is_replaced(event.body_a) && (event.body_b == kTerrain || !is_replaced(event.body_b))) continue;
    auto contact = std::lower_bound(frame.contacts.begin(), frame.contacts.end(), event.manifold,
                                    [](const Contact& c, std::uint32_t manifold) { return c.manifold < manifold; });
    for (; contact != frame.contacts.end() && contact->manifold == event.manifold; ++contact)
      frame.previous[static_cast<std::size_t>(contact - frame.contacts.begin())] = kNone;
    if (event.change != Change::persist) continue;
    ended.push_back(event);
    ended.back().change = Change::end;
    ended.back().manifold = kNone;
    event.change = Change::begin;
    event.previous = kNone;
  }
  const auto earlier = [](const ManifoldEvent& a, const ManifoldEvent& b) { return a.previous < b.previous; };
  std::sort(ended.begin(), ended.end(), earlier);
  const auto first = frame.events.insert(frame.events.end(), ended.begin(), ended.end());
  std::inplace_merge(frame.events.begin() + static_cast<std::ptrdiff_t>(manifolds), first, frame.events.end(), earlier);
}

}  // namespace oclide
