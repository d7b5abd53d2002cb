/* A small scene for programs outside of the tree, in C and C++: 60 bodies that sink into rough ground and into each
 * other, three frames. Every number is a small multiple of 1/1024, so that all compilers make the same bits;
 * quaternions are whole numbers, of no particular length. */
#ifndef OCLIDE_EXAMPLE_SCENE_H
#define OCLIDE_EXAMPLE_SCENE_H

#include <stdint.h>

enum { kExampleRows = 17, kExampleCols = 23, kExampleBodies = 60, kExampleFrames = 3 };

typedef struct ExampleScene {
  double heights[kExampleRows * kExampleCols];
  uint8_t holes[(kExampleRows - 1) * (kExampleCols - 1)];
  uint8_t material[(kExampleRows - 1) * (kExampleCols - 1)];
  double spacing; /* along x and y; vertex (0, 0) is at the origin */
  uint8_t shape[kExampleBodies];
  double size[3 * kExampleBodies];
  int32_t group[kExampleBodies];
  double position[kExampleFrames][3 * kExampleBodies];
  double orientation[kExampleFrames][4 * kExampleBodies];
} ExampleScene;

/* The next of a row of numbers below `count` that looks like chance (a linear congruence, Numerical Recipes). */
static int example_number(uint32_t* state, int count) {
  *state = *state * 1664525u + 1013904223u;
  return (int)((*state >> 8) % (uint32_t)count);
}

static void make_example_scene(ExampleScene* scene) {
  uint32_t state = 5;
  const int cells = (kExampleRows - 1) * (kExampleCols - 1);
  scene->spacing = 0.5;
  for (int k = 0; k < kExampleRows * kExampleCols; ++k) scene->heights[k] = example_number(&state, 256) / 1024.0;
  for (int k = 0; k < cells; ++k) {
    scene->holes[k] = (uint8_t)(example_number(&state, 16) == 0);
    scene->material[k] = (uint8_t)example_number(&state, 4);
  }
  for (int b = 0; b < kExampleBodies; ++b) {
    scene->shape[b] = (uint8_t)(b % 4); /* sphere, box, cylinder, capsule */
    scene->group[b] = b % 10 == 0;
    for (int a = 0; a < 3; ++a) scene->size[3 * b + a] = (128 + example_number(&state, 384)) / 1024.0;
    const double x = example_number(&state, 11 * 1024) / 1024.0, y = example_number(&state, 8 * 1024) / 1024.0;
    const double z = (256 + example_number(&state, 768)) / 1024.0;
    const int turn[4] = {1 + example_number(&state, 3), example_number(&state, 7) - 3, example_number(&state, 7) - 3,
                         example_number(&state, 7) - 3};
    for (int frame = 0; frame < kExampleFrames; ++frame) {
      double* position = &scene->position[frame][3 * b];
      position[0] = x, position[1] = y, position[2] = z - frame / 16.0;
      for (int a = 0; a < 4; ++a) scene->orientation[frame][4 * b + a] = turn[a];
    }
  }
}

#endif
