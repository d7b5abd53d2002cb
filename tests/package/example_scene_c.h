/* The example scene as the C API takes it. */
#ifndef OCLIDE_EXAMPLE_SCENE_C_H
#define OCLIDE_EXAMPLE_SCENE_C_H

#include <oclide/oclide.h>

#include "example_scene.h"

static oclide_terrain example_terrain(const ExampleScene* example) {
  oclide_terrain terrain = OCLIDE_INIT(oclide_terrain);
  terrain.rows = kExampleRows;
  terrain.cols = kExampleCols;
  terrain.spacing[0] = terrain.spacing[1] = example->spacing;
  terrain.heights = example->heights;
  terrain.heights_count = kExampleRows * kExampleCols;
  terrain.holes = example->holes;
  terrain.holes_count = sizeof example->holes;
  terrain.material = example->material;
  terrain.material_count = sizeof example->material;
  return terrain;
}

static oclide_bodies example_bodies(const ExampleScene* example) {
  oclide_bodies bodies = OCLIDE_INIT(oclide_bodies);
  bodies.shape = example->shape;
  bodies.shape_count = kExampleBodies;
  bodies.size = example->size;
  bodies.size_count = 3 * kExampleBodies;
  bodies.group = example->group;
  bodies.group_count = kExampleBodies;
  return bodies;
}

#endif
