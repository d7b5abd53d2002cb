// The same answers, to the last bit, as a CPU has them and as a GPU does, on the device that tests run on.
#include <memory>

#include "backend.hpp"
#include "opencl/first_device.hpp"
#include "queries/query_scene.hpp"
#include "queries/shape_list.hpp"
#include "support/sweep.hpp"

namespace oclide::test {
namespace {

TEST_F(OnOpenCl, QueriesHaveTheSameBitsAsOfACpuAndAGpu) {
  Settings settings;
  settings.device = opencl_device();
  std::array<std::unique_ptr<Collider::Backend>, 2> kinds;
  for (std::size_t k = 0; k < 2; ++k) {
    DeviceInfo info = *first_device();
    info.is_gpu = k == 1;
    kinds[k] = make_checked_backend(settings, make_opencl_backend(settings, info));
  }
  for (std::size_t c = 0; c < kQueryPlaces.size(); ++c) {
    const QueryPlaceOfScene& in = kQueryPlaces[c];
    const TestScene scene = random_query_scene(in, 500 + c);
    std::mt19937_64 random(600 + c);
    ShapeList shapes;
    for (std::size_t k = 0; k < 2000 / kSweepStep; ++k) shapes.add(random_query_shape(k, in, random));
    std::array<Overlaps, 2> overlaps;
    std::array<Distances, 2> distances;
    for (std::size_t k = 0; k < 2; ++k) {
      kinds[k]->set_scene(scene.scene, scene.scene.bodies, build_geometry(scene.scene));
      kinds[k]->overlap({scene.poses()}, shapes.queries(true), {}, overlaps[k]);
      kinds[k]->distance({scene.poses()}, {shapes.position}, distances[k]);
    }
    EXPECT_EQ(overlaps[0].body, overlaps[1].body) << c;
    EXPECT_GT(overlaps[0].overlap_count, shapes.count() / 4);
    EXPECT_EQ(hit_hash(distances[0].nearest), hit_hash(distances[1].nearest)) << c;
  }
}

}  // namespace
}  // namespace oclide::test
