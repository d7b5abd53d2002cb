#include "peers/peer.hpp"

#include <algorithm>
#include <cmath>

#include "scene/terrain_of.hpp"

namespace oclide::bench {

std::vector<World> split_worlds(const Scene& scene) {
  const Bodies& b = scene.bodies;
  std::uint32_t last = 0;
  for (const std::uint32_t e : b.environment) last = std::max(last, e);
  std::vector<World> worlds(last + 1);
  for (const bool half_spaces : {true, false})
    for (std::size_t i = 0; i < b.count(); ++i)
      if ((b.shape[i] == Shape::half_space) == half_spaces) {
        World& world = worlds[b.environment.empty() ? 0 : b.environment[i]];
        if (b.shape[i] == Shape::triangle_mesh) {
          world.meshes.push_back(static_cast<std::uint32_t>(i));
          continue;
        }
        world.bodies.push_back(static_cast<std::uint32_t>(i));
        world.half_spaces += half_spaces ? 1 : 0;
      }
  const auto is_all = [](const World& world, const auto& values, auto value) {
    return values.empty() ||
           std::all_of(world.bodies.begin(), world.bodies.end(), [&](std::uint32_t i) { return values[i] == value; });
  };
  for (std::size_t e = 0; e < worlds.size(); ++e) {
    World& world = worlds[e];
    world.terrain = terrain_in(scene, static_cast<std::uint32_t>(e));
    if (world.bodies.empty()) continue;
    const std::int32_t group = b.group.empty() ? 0 : b.group[world.bodies[0]];
    world.bodies_meet = world.bodies.size() > 1 && (group == 0 || !is_all(world, b.group, group));
    world.is_filtered =
        !is_all(world, b.group, 0) || !is_all(world, b.category, 1U) || !is_all(world, b.mask, 0xFFFFFFFFU);
  }
  return worlds;
}

bool may_meet(const Bodies& b, std::size_t i, std::size_t j) {
  if (!b.group.empty() && b.group[i] != 0 && b.group[i] == b.group[j]) return false;
  const auto category = [&](std::size_t k) { return b.category.empty() ? 1U : b.category[k]; };
  const auto mask = [&](std::size_t k) { return b.mask.empty() ? 0xFFFFFFFFU : b.mask[k]; };
  return (category(i) & mask(j)) != 0 && (category(j) & mask(i)) != 0;
}

void check_for_peers(const std::string& engine, const Scene& scene, bool has_meshes) {
  const auto refuse = [&](const std::string& what) { throw Error(ErrorKind::invalid_input, engine + ": no " + what); };
  if (!scene.meshes.empty() && !has_meshes) refuse("triangle meshes in its adapter");
  for (std::size_t k = 0; k < scene.terrains.size(); ++k) {
    const Terrain& t = scene.terrains[k];
    const bool has_holes = std::any_of(t.holes.begin(), t.holes.end(), [](std::uint8_t h) { return h != 0; }) ||
                           std::any_of(t.heights.begin(), t.heights.end(), [](double h) { return std::isnan(h); });
    if (has_holes) refuse("holes in terrain (terrain " + std::to_string(k) + ")");
  }
}

void sort_touches(std::vector<Touch>& touches) {
  for (Touch& t : touches) std::sort(t.bodies.begin(), t.bodies.end());
  std::sort(touches.begin(), touches.end(), [](const Touch& a, const Touch& b) {
    return a.bodies != b.bodies ? a.bodies < b.bodies : a.depth > b.depth;
  });
  const auto same = [](const Touch& a, const Touch& b) { return a.bodies == b.bodies; };
  touches.erase(std::unique(touches.begin(), touches.end(), same), touches.end());
}

std::vector<std::string> compiled_peers() {
  std::vector<std::string> names{"oclide"};
#ifdef OCLIDE_BENCH_BULLET
  names.emplace_back("bullet");
#endif
#ifdef OCLIDE_BENCH_ODE
  names.emplace_back("ode");
#endif
#ifdef OCLIDE_BENCH_FCL
  names.emplace_back("fcl");
#endif
  return names;
}

std::unique_ptr<Peer> make_peer(const std::string& name, const PeerOptions& options) {
  if (name == "oclide") return make_oclide_peer(options);
#ifdef OCLIDE_BENCH_BULLET
  if (name == "bullet") return make_bullet_peer(options);
#endif
#ifdef OCLIDE_BENCH_ODE
  if (name == "ode") return make_ode_peer();
#endif
#ifdef OCLIDE_BENCH_FCL
  if (name == "fcl") return make_fcl_peer();
#endif
  throw Error(ErrorKind::invalid_input, "no engine '" + name + "' in this build");
}

}  // namespace oclide::bench
