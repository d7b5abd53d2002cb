// Writes the example scene to a file for the command.
//   write_example_scene FILE
#include <cstdio>

#include "example_scene.hpp"
#include "files/scene_file.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  static ExampleScene example;
  make_example_scene(&example);
  try {
    oclide::SceneWriter writer(argv[1], to_scene(example), kExampleFrames);
    for (int k = 0; k < kExampleFrames; ++k) writer.append({example.position[k], example.orientation[k]});
    writer.finish();
  } catch (const oclide::Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
