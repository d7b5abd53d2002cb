// Scene files, with motion, rays and points, and recordings.
#include "files/ray_file.hpp"
#include "files/recording.hpp"
#include "files/scene_file.hpp"
#include "fuzz/hdf5_changes.hpp"
#include "fuzz/refused_or_taken.hpp"
#include "scene/scene_check.hpp"

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
                               "/meshes/0/vertices",
                               "/meshes/0/triangles",
                               "/meshes/0/material",
                               "/meshes/1/vertices",
                               "/meshes",
                               "/compounds/0/shape",
                               "/compounds/0/size",
                               "/compounds/0/position",
                               "/compounds/0/orientation",
                               "/compounds/1/shape",
                               "/recording/hash",
                               "/recording/contacts",
                               "/recording/contact_hash",
                               "/rays/origin",
                               "/rays/direction",
                               "/rays/length",
                               "/rays/environment",
                               "/rays/mask",
                               "/points/position",
                               "/points/displacement",
                               "/points/environment",
                               "/bodies/displacement",
                               "/bodies/rotation",
                               "/recording/impacts/hash",
                               "/recording/impacts/count",
                               "/recording/impacts/impact_hash"};
constexpr std::array kAttributes{test::AttributeName{"/", "format"},
                                 test::AttributeName{"/", "version"},
                                 test::AttributeName{"/terrains/0/heights", "origin"},
                                 test::AttributeName{"/terrains/0/heights", "spacing"},
                                 test::AttributeName{"/terrains/1/heights", "spacing"},
                                 test::AttributeName{"/meshes/0", "solid"},
                                 test::AttributeName{"/meshes/1", "solid"},
                                 test::AttributeName{"/recording", "version"},
                                 test::AttributeName{"/recording", "scene"},
                                 test::AttributeName{"/recording", "first_frame"},
                                 test::AttributeName{"/recording", "reference"},
                                 test::AttributeName{"/recording", "margin"},
                                 test::AttributeName{"/recording", "memory_limit"},
                                 test::AttributeName{"/recording", "device"}};

// A recording of two frames: two terrains, a sphere, a compound and a mesh.
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
  scene.meshes.resize(1);
  scene.meshes[0].vertices = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  scene.meshes[0].triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  scene.meshes[0].material = {1, 2, 3, 4};
  scene.meshes[0].solid = true;
  scene.bodies.shape = {Shape::sphere, Shape::compound, Shape::triangle_mesh};
  scene.bodies.size = {{0.5, 0.0, 0.0}, {}, {}};
  scene.compounds = {std::vector<CompoundPart>(2, {Shape::box, {0.5, 0.5, 0.5}, {}})};
  RecordingWriter writer(file, scene, 2, {}, true);
  const std::vector<double> position{0.0, 0.0, 0.4, 1.0, 0.0, 0.4, 5.0, 0.0, 0.0},
      orientation{1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
  for (int f = 0; f < 2; ++f) writer.append({position, orientation}, {});
  writer.finish();
  test::Hdf5Scene more(file, test::Hdf5Scene::Existing{});
  more.put<double>("/rays/origin", {2, 2, 3}, std::vector<double>(12, 5.0));
  more.put<double>("/rays/direction", {2, 3}, std::vector<double>(6, -1.0));
  more.put<double>("/rays/length", {2}, {1.0, 9.0});
  more.put<std::uint32_t>("/rays/environment", {2}, {0, 1});
  more.put<std::uint32_t>("/rays/mask", {2}, {1, 2});
  more.put<double>("/points/position", {2, 3}, std::vector<double>(6, 5.0));
  more.put<double>("/points/displacement", {2, 3}, std::vector<double>(6, -1.0));
  more.put<std::uint32_t>("/points/environment", {2}, {0, 1});
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
    FrameMotion motion;
    for (std::size_t f = 0; f < reader.frames(); ++f) {
      reader.read_frame(f, frame);
      reader.read_motion(f, motion);
      check_motion(motion.motion(), reader.scene().bodies.count());  // the library takes what the reader takes
    }
  });
  test::refused_or_taken(file, [&] {
    const SceneReader scene(file);
    RayReader reader(scene, "");
    RayFrame rays;
    for (std::size_t f = 0; f < reader.frames(); ++f) {
      reader.read_frame(f, rays);
      test::require(rays.rays().count() == reader.rays(), "as many rays as the file says");
    }
  });
  test::refused_or_taken(file, [&] {
    const SceneReader scene(file);
    const PointList points = read_points(scene, file);
    test::require(points.position.size() == points.displacement.size(), "a way for each point");
  });
  test::refused_or_taken(file, [&] { const RecordingReader reader(file); });
  return 0;
}
