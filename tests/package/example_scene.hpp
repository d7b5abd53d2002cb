// The example scene as C++ knows it.
#pragma once

#include <iterator>
#include <oclide/oclide.hpp>

#include "example_scene.h"

inline oclide::Scene to_scene(const ExampleScene& example) {
  oclide::Scene scene;
  oclide::Terrain& terrain = scene.terrains.emplace_back();
  terrain.rows = kExampleRows;
  terrain.cols = kExampleCols;
  terrain.spacing = {example.spacing, example.spacing};
  terrain.heights.assign(std::begin(example.heights), std::end(example.heights));
  terrain.holes.assign(std::begin(example.holes), std::end(example.holes));
  terrain.material.assign(std::begin(example.material), std::end(example.material));
  for (int b = 0; b < kExampleBodies; ++b) {
    scene.bodies.shape.push_back(static_cast<oclide::Shape>(example.shape[b]));
    scene.bodies.size.push_back({example.size[3 * b], example.size[3 * b + 1], example.size[3 * b + 2]});
    scene.bodies.group.push_back(example.group[b]);
  }
  return scene;
}
