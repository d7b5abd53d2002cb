// What a scene is on the device, for the passes of the pipeline and for queries, which take it by reference
// (docs/memory.md).
#pragma once

#include "device_scene/body_tree.hpp"
#include "device_scene/hull_buffers.hpp"
#include "device_scene/terrain_slots.hpp"
#include "device_scene/tree_bodies.hpp"
#include "frame/work_memory.hpp"
#include "terrain/terrain_buffers.hpp"

namespace oclide {

struct DeviceScene {
  DeviceScene(opencl::Device& device, float margin, const WorkMemory& work)
      : terrain(device), on_terrain(device), hulls(device), bodies(device), tree(device, bodies, hulls, margin, work) {}

  /// Its bodies are `in_place`, not those of `scene`, its geometry `built`. Blocking. Throws Error(device).
  void set(const Scene& scene, const Bodies& in_place, const Geometry& built, float margin) {
    on_terrain.set(scene, in_place, built, margin);
    terrain.set(scene.terrains);
    hulls.set(built);
    bodies.set(in_place, built);
    tree.set_scene();
  }

  /// The bodies of `rows`, ascending, have changed, and there may be more. All anew where that is needed: then it
  /// returns false, and nothing is known of frames before. Blocking. Throws Error(device).
  [[nodiscard]] bool change(const Scene& scene, const Bodies& in_place, const Geometry& built, float margin,
                            std::span<const std::uint32_t> rows, bool all) {
    if (!all && bodies.change(in_place, built, rows) && on_terrain.change(scene, in_place, built, margin, rows)) {
      tree.change();
      return true;
    }
    constexpr std::size_t kLeastSpare = 64, kSparePart = 16;
    on_terrain.set(scene, in_place, built, margin, true);
    bodies.set(in_place, built, kLeastSpare + in_place.count() / kSparePart);
    tree.set_scene();
    return false;
  }

  TerrainBuffers terrain;
  TerrainSlots on_terrain;  ///< bodies that can meet terrain
  HullBuffers hulls;
  TreeBodies bodies;  ///< all
  BodyTree tree;      ///< of all, at the poses of its last build()
};

}  // namespace oclide
