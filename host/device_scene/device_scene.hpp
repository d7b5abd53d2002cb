// What a scene is on the device, for the passes of the pipeline and for queries, which take it by reference
// (docs/memory.md).
#pragma once

#include "device_scene/body_tree.hpp"
#include "device_scene/terrain_slots.hpp"
#include "device_scene/tree_bodies.hpp"
#include "frame/work_memory.hpp"
#include "terrain/terrain_buffers.hpp"

namespace oclide {

struct DeviceScene {
  DeviceScene(opencl::Device& device, float margin, const WorkMemory& work)
      : terrain(device), on_terrain(device), bodies(device), tree(device, bodies, margin, work) {}

  /// Its bodies are `in_place`, not those of `scene`. Blocking. Throws Error(device).
  void set(const Scene& scene, const Bodies& in_place, float margin) {
    on_terrain.set(scene, in_place, margin);
    terrain.set(scene.terrains);
    bodies.set(in_place);
    tree.set_scene();
  }

  TerrainBuffers terrain;
  TerrainSlots on_terrain;  ///< bodies that can meet terrain
  TreeBodies bodies;        ///< all
  BodyTree tree;            ///< of all, at the poses of its last build()
};

}  // namespace oclide
