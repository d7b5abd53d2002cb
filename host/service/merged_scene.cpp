#include "service/merged_scene.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "scene/terrain_of.hpp"

namespace oclide::service {
namespace {

// Where the parts of a scene are in the merged one.
struct Offsets {
  std::size_t terrain = 0, hull = 0, mesh = 0, compound = 0;
};

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// An optional array of bodies: the default where the scene has none.
template <class T>
void append(std::vector<T>& to, const std::vector<T>& from, std::size_t count, T value) {
  if (from.empty())
    to.resize(to.size() + count, value);
  else
    append(to, from);
}

// What a body's size says, where it is an index.
double moved_index(Shape shape, double index, const Offsets& offsets) {
  switch (shape) {
    case Shape::convex_hull:
      return index + static_cast<double>(offsets.hull);
    case Shape::triangle_mesh:
      return index + static_cast<double>(offsets.mesh);
    case Shape::compound:
      return index + static_cast<double>(offsets.compound);
    case Shape::sphere:
    case Shape::box:
    case Shape::cylinder:
    case Shape::capsule:
    case Shape::half_space:
      break;
  }
  return index;
}

Offsets add_parts(const Scene& from, Scene& to) {
  const Offsets offsets{to.terrains.size(), to.hulls.size(), to.meshes.size(), to.compounds.size()};
  append(to.terrains, from.terrains);
  for (std::size_t k = offsets.terrain; k < to.terrains.size(); ++k)
    if (to.terrains[k].tile_of >= 0) to.terrains[k].tile_of += static_cast<std::int32_t>(offsets.terrain);
  append(to.hulls, from.hulls);
  append(to.meshes, from.meshes);
  for (std::vector<CompoundPart> parts : from.compounds) {
    for (CompoundPart& part : parts) part.size[0] = moved_index(part.shape, part.size[0], offsets);
    to.compounds.push_back(std::move(parts));
  }
  return offsets;
}

void add_bodies(const Scene& from, const Offsets& offsets, Scene& to) {
  const Bodies& bodies = from.bodies;
  const std::size_t n = bodies.count();
  append(to.bodies.shape, bodies.shape);
  for (std::size_t i = 0; i < n; ++i) {
    std::array<double, 3> size = bodies.size[i];
    size[0] = moved_index(bodies.shape[i], size[0], offsets);
    to.bodies.size.push_back(size);
  }
  const auto first = static_cast<std::uint32_t>(to.bodies.environment.size());
  append(to.bodies.flags, bodies.flags, n, std::uint32_t{0});
  append(to.bodies.margin, bodies.margin, n, 0.0);
  for (const auto& [a, b] : bodies.excluded) to.bodies.excluded.push_back({a + first, b + first});
  append(to.bodies.group, bodies.group, n, std::int32_t{0});
  append(to.bodies.category, bodies.category, n, std::uint32_t{1});
  append(to.bodies.mask, bodies.mask, n, ~std::uint32_t{0});
  // The environments that it uses, one after another from here on.
  std::map<std::uint32_t, std::uint32_t> environments;
  if (bodies.environment.empty() && n > 0) environments[0] = 0;
  for (const std::uint32_t environment : bodies.environment) environments[environment] = 0;
  for (auto& [environment, number] : environments) {
    number = static_cast<std::uint32_t>(to.environment_terrain.size());
    const int terrain = terrain_in(from, environment);
    to.environment_terrain.push_back(terrain < 0 ? -1 : terrain + static_cast<std::int32_t>(offsets.terrain));
  }
  for (std::size_t i = 0; i < n; ++i)
    to.bodies.environment.push_back(environments.at(bodies.environment.empty() ? 0 : bodies.environment[i]));
}

}  // namespace

Scene merge(std::span<const Scene* const> scenes) {
  Scene merged;
  merged.bodies.either_mask = !scenes.empty() && scenes.front()->bodies.either_mask;
  std::map<const Scene*, Offsets> added;
  for (const Scene* scene : scenes) {
    auto found = added.find(scene);
    if (found == added.end()) found = added.emplace(scene, add_parts(*scene, merged)).first;
    add_bodies(*scene, found->second, merged);
  }
  return merged;
}

std::vector<Contact> contacts_of(std::span<const Contact> contacts, std::size_t first, std::size_t count) {
  const auto before = [](const Contact& contact, std::size_t body) { return contact.body_a < body; };
  const auto begin = std::lower_bound(contacts.begin(), contacts.end(), first, before);
  const auto end = std::lower_bound(begin, contacts.end(), first + count, before);
  std::vector<Contact> found(begin, end);
  const auto shift = static_cast<std::uint32_t>(first);
  const std::uint32_t manifold = found.empty() ? 0 : found.front().manifold;
  for (Contact& contact : found) {
    contact.body_a -= shift;
    if (contact.body_b != kTerrain) contact.body_b -= shift;
    contact.manifold -= manifold;
  }
  return found;
}

}  // namespace oclide::service
