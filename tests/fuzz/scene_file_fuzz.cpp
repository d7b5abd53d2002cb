// Scene files and recordings.
#include "files/recording.hpp"
#include "files/scene_file.hpp"
#include "fuzz/hdf5_changes.hpp"
#include "fuzz/refused_or_taken.hpp"

namespace oclide {
namespace {

constexpr std::array kDatasets{"/terrains/0/heights",
                               "/terrains/0/holes",
                               "/terrains/0/material",
                               "/terrains/1/heights",
                               "/terrains",
                               "/terrains/2/heights",
                               "/terrains/name/heights",
                               "/environments/terrain",
                               "/environments",
                               "/bodies/shape",
                               "/bodies/size",
                               "/bodies/environment",
                               "/bodies/group",
                               "/bodies/category",
                               "/bodies/mask",
                               "/bodies/position",
                               "/bodies/orientation",
                               "/hulls/0/vertices",
                               "/hulls/1/vertices",
                               "/compounds/0/shape",
                               "/compounds/0/size",
                               "/compounds/0/position",
                               "/compounds/0/orientation",
                               "/compounds/1/shape",
                               "/recording/hash",
                               "/recording/contacts",
                               "/recording/contact_hash"};
constexpr std::array kAttributes{test::AttributeName{"/", "format"},
                                 test::AttributeName{"/", "version"},
                                 test::AttributeName{"/terrains/0/heights", "origin"},
                                 test::AttributeName{"/terrains/0/heights", "spacing"},
                                 test::AttributeName{"/terrains/1/heights", "spacing"},
                                 test::AttributeName{"/recording", "version"},
                                 test::AttributeName{"/recording", "scene"},
                                 test::AttributeName{"/recording", "first_frame"},
                                 test::AttributeName{"/recording", "reference"},
                                 test::AttributeName{"/recording", "margin"},
                                 test::AttributeName{"/recording", "memory_limit"},
                                 test::AttributeName{"/recording", "device"}};

// A recording of two frames: two terrains, a sphere and a compound.
void write_recording(const std::string& file) {
  Scene scene;
  for (const std::size_t cols : {3, 2}) {
    Terrain terrain;
    terrain.rows = 2;
    terrain.cols = cols;
    terrain.heights.assign(2 * cols, 0.0);
    scene.terrains.push_back(terrain);
  }
  scene.environment_terrain = {0, 1};
  scene.bodies.shape = {Shape::sphere, Shape::compound};
  scene.bodies.size = {{0.5, 0.0, 0.0}, {}};
  scene.compounds = {std::vector<CompoundPart>(2, {Shape::box, {0.5, 0.5, 0.5}, {}})};
  RecordingWriter writer(file, scene, 2, {});
  const std::vector<double> position{0.0, 0.0, 0.4, 1.0, 0.0, 0.4}, orientation{1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
  for (int f = 0; f < 2; ++f) writer.append({position, orientation}, {});
  writer.finish();
}

}  // namespace
}  // namespace oclide

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace oclide;
  FuzzedDataProvider data(bytes, count);
  const std::string file = test::changed_file(write_recording, data, kDatasets, kAttributes);
  test::refused_or_taken(file, [&] {
    SceneReader reader(file);
    check(reader.scene());
    Frame frame;
    for (std::size_t f = 0; f < reader.frames(); ++f) reader.read_frame(f, frame);
  });
  test::refused_or_taken(file, [&] { const RecordingReader reader(file); });
  return 0;
}
