// A lidar over a bowl of terrain with balls in it. A kernel of the application's makes the rays, oclide finds what they
// hit, and another kernel reads the hits where they are: nothing but one sum comes to the host.
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_ENABLE_EXCEPTIONS
#include <CL/opencl.hpp>
#include <cstdio>
#include <cstdlib>
#include <oclide/opencl.hpp>
#include <string>
#include <vector>

namespace {

constexpr const char* kLidar = R"(
// One work-item a ray: 64 rings of `steps` rays around, downwards more and more.
__kernel void scan(const uint count, const uint steps, __global float* origins, __global float* directions) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  const float turn = 6.2831853f * (float)(item % steps) / (float)steps;
  const float down = 0.1f + 1.2f * (float)(item / steps) / 64.0f;
  const float direction[3] = {cos(turn) * cos(down), sin(turn) * cos(down), -sin(down)};
  for (int a = 0; a < 3; ++a) {
    origins[3 * item + a] = a == 2 ? 6.0f : 0.0f;
    directions[3 * item + a] = direction[a];
  }
}

// One work-item a hit: how many are of balls, and how many of the ground.
__kernel void count_hits(const uint count, __global const oclide_device_hit* hits, __global uint* found) {
  const uint item = (uint)get_global_id(0);
  if (item >= count || hits[item].body == OCLIDE_DEVICE_NOTHING) return;
  atomic_inc(found + (hits[item].body == OCLIDE_DEVICE_TERRAIN ? 1 : 0));
}
)";

constexpr cl_uint kSteps = 1024, kRays = 64 * kSteps;

oclide::Scene bowl_with_balls() {
  oclide::Scene scene;
  oclide::Terrain ground;
  ground.rows = ground.cols = 61;
  ground.origin = {-15.0, -15.0};
  ground.spacing = {0.5, 0.5};
  for (std::size_t i = 0; i < ground.rows; ++i)
    for (std::size_t j = 0; j < ground.cols; ++j) {
      const double x = -15.0 + 0.5 * static_cast<double>(j), y = -15.0 + 0.5 * static_cast<double>(i);
      ground.heights.push_back(0.03 * (x * x + y * y));
    }
  scene.terrains.push_back(ground);
  scene.bodies.shape.assign(100, oclide::Shape::sphere);
  scene.bodies.size.assign(100, {0.4, 0.0, 0.0});
  return scene;
}

}  // namespace

int main() {
  const oclide::DeviceInfo info = oclide::devices().front();
  if (info.is_reference) {
    std::printf("no OpenCL device\n");
    return EXIT_SUCCESS;
  }
  const cl::Device device(oclide::opencl_handle(info), true);
  const cl::Context context(device);
  const cl::CommandQueue queue(context, device);
  std::vector<float> position, orientation;
  for (int k = 0; k < 100; ++k) {
    position.insert(position.end(),
                    {2.0F * static_cast<float>(k % 10 - 5), 2.0F * static_cast<float>(k / 10 - 5), 2.0F});
    orientation.insert(orientation.end(), {1.0F, 0.0F, 0.0F, 0.0F});
  }
  cl::Buffer positions(queue, position.begin(), position.end(), false),
      orientations(queue, orientation.begin(), orientation.end(), true);
  const cl::Buffer origins(context, CL_MEM_READ_WRITE, 3 * kRays * sizeof(float)),
      directions(context, CL_MEM_READ_WRITE, 3 * kRays * sizeof(float)), found(context, CL_MEM_READ_WRITE, 8);
  const cl::Program program(context, std::string(oclide::device_layout()) + kLidar, true);
  cl::Kernel scan(program, "scan"), count_hits(program, "count_hits");

  oclide::Collider collider = oclide::make_collider(context(), queue());
  collider.set_scene(bowl_with_balls());
  scan.setArg(0, kRays);
  scan.setArg(1, kSteps);
  scan.setArg(2, origins);
  scan.setArg(3, directions);
  queue.enqueueNDRangeKernel(scan, cl::NullRange, kRays);
  queue.enqueueFillBuffer(found, cl_uint{0}, 0, 8);

  oclide::ResidentPoses poses;
  poses.position = positions();
  poses.orientation = orientations();
  oclide::ResidentRays rays;
  rays.origin = origins();
  rays.direction = directions();
  rays.count = kRays;
  const oclide::DeviceHits hits = oclide::cast_on_device(collider, poses, rays);

  // On the queue that was given, which is in order: no wait for anything.
  count_hits.setArg(0, hits.count);
  count_hits.setArg(1, cl::Buffer(hits.hits, true));
  count_hits.setArg(2, found);
  queue.enqueueNDRangeKernel(count_hits, cl::NullRange, kRays);
  cl_uint counts[2];
  queue.enqueueReadBuffer(found, CL_TRUE, 0, sizeof counts, counts);
  std::printf("%u rays: %u hit balls, %u the ground\n", kRays, counts[0], counts[1]);
  return counts[0] > 1000 && counts[1] > 1000 && counts[0] + counts[1] <= kRays ? EXIT_SUCCESS : EXIT_FAILURE;
}
