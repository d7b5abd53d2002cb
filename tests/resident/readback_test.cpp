// What a frame on the device reads back, writes and waits for: the calls of OpenCL that move data or block, counted on
// their way to the loader.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "oclide/opencl.hpp"
#include "opencl/cl.hpp"
#include "opencl/first_device.hpp"
#include "shared/pairs.h"
#include "support/driver_calls.hpp"
#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

using oclide::test::of_loader;
using oclide::test::unfinished;

namespace {

struct Calls {
  std::size_t reads = 0, blocking_reads = 0, read_bytes = 0, largest_read = 0;
  std::size_t writes = 0, write_bytes = 0, maps = 0, finishes = 0, waits = 0;
};
Calls calls;

}  // namespace

extern "C" {
cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset, size_t size,
                           void* data, cl_uint wait_count, const cl_event* wait_list, cl_event* event) {
  ++calls.reads;
  calls.blocking_reads += blocking == CL_TRUE ? 1 : 0;
  calls.read_bytes += size;
  calls.largest_read = std::max(calls.largest_read, size);
  return of_loader(&clEnqueueReadBuffer, "clEnqueueReadBuffer")(queue, memory, blocking, offset, size, data, wait_count,
                                                                wait_list, event);
}
cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset, size_t size,
                            const void* data, cl_uint wait_count, const cl_event* wait_list, cl_event* event) {
  ++calls.writes;
  calls.write_bytes += size;
  return of_loader(&clEnqueueWriteBuffer, "clEnqueueWriteBuffer")(queue, memory, blocking, offset, size, data,
                                                                  wait_count, wait_list, event);
}
void* clEnqueueMapBuffer(cl_command_queue queue, cl_mem memory, cl_bool blocking, cl_map_flags flags, size_t offset,
                         size_t size, cl_uint wait_count, const cl_event* wait_list, cl_event* event, cl_int* error) {
  ++calls.maps;
  return of_loader(&clEnqueueMapBuffer, "clEnqueueMapBuffer")(queue, memory, blocking, flags, offset, size, wait_count,
                                                              wait_list, event, error);
}
cl_int clWaitForEvents(cl_uint count, const cl_event* list) {
  calls.waits += unfinished(count, list);
  return of_loader(&clWaitForEvents, "clWaitForEvents")(count, list);
}
cl_int clFinish(cl_command_queue queue) {
  ++calls.finishes;
  return of_loader(&clFinish, "clFinish")(queue);
}
}

namespace oclide::test {
namespace {

class Readback : public OnOpenCl {};

// Of frames of so many spheres, boxes, cylinders and capsules; with `compounds`, each with a ball on top.
void expect_counts_alone(bool compounds, std::size_t most_reads, std::size_t most_waits) {
  const cl::Device device(opencl_handle(*first_device()), true);
  const cl::Context context(device);
  const cl::CommandQueue queue(context, device);
  const std::vector<int> sizes = is_simulator(*first_device()) ? std::vector{30} : std::vector{30, 300, 6000};
  for (const int count : sizes) {
    TestScene scene(rough({81, 91, {-1.0, -2.0}, {0.25, 0.3}}, 0.1, 7));
    scene.bodies_meet = true;
    std::mt19937_64 random(8);
    const double width = 0.55 * std::sqrt(static_cast<double>(count));
    std::uniform_real_distribution<double> unit(0.0, 1.0);
    for (int k = 0; k < count; ++k) {
      const dvec3 p(width * unit(random), width * unit(random), 1.5 * unit(random));
      const BodySpec body = k % 4 == 0   ? sphere(0.4, p)
                            : k % 4 == 1 ? box({0.4, 0.2, 0.3}, p)
                            : k % 4 == 2 ? cylinder(0.4, 0.3, p)
                                         : capsule(0.2, 0.4, p);
      if (compounds) {
        scene.scene.compounds.push_back({{body.shape, body.size}, {Shape::sphere, {0.1, 0.0, 0.0}, {0.0, 0.0, 0.4}}});
        scene.add({Shape::compound, {static_cast<double>(k), 0.0, 0.0}, p});
      } else {
        scene.add(body);
      }
    }
    std::vector<float> position(scene.position.begin(), scene.position.end());
    std::vector<float> orientation(scene.orientation.begin(), scene.orientation.end());
    cl::Buffer positions(context, position.begin(), position.end(), true),
        orientations(context, orientation.begin(), orientation.end(), true);
    ResidentPoses poses;
    poses.position = positions();
    poses.orientation = orientations();
    Collider collider = make_collider(context(), queue());
    collider.set_scene(scene.scene);

    // The first frame sorts the leaves of the tree and makes its buffers; from the third on it is as it stays.
    for (int frame = 0; frame < 3; ++frame) {
      calls = {};
      const DeviceFrame found = collide_on_device(collider, poses);
      ASSERT_GT(found.contact_count, 0U);
      std::printf(
          "%d %s, frame %d: %u contacts; %zu reads, %zu of them blocking, %zu bytes, the largest %zu; "
          "%zu writes, %zu waits\n",
          count, compounds ? "compounds" : "bodies", frame, found.contact_count, calls.reads, calls.blocking_reads,
          calls.read_bytes, calls.largest_read, calls.writes, calls.waits);
      EXPECT_GT(calls.reads, 0U);
      EXPECT_EQ(calls.maps, 0U);
      if (frame == 0) continue;
      EXPECT_LE(calls.reads, most_reads);
      EXPECT_LE(calls.waits + calls.blocking_reads, most_waits);
      // The pairs of each kind, and other counts.
      EXPECT_LE(calls.read_bytes, 100U + 4U * PAIR_KINDS);
      EXPECT_EQ(calls.writes, 0U);
      EXPECT_EQ(calls.finishes, 0U);
    }
  }
}

// Hits need no count: nothing is read back but, of poses in new buffers, whether they can be used.
TEST_F(Readback, OfACastOnTheDeviceIsNothing) {
  const cl::Device device(opencl_handle(*first_device()), true);
  const cl::Context context(device);
  const cl::CommandQueue queue(context, device);
  TestScene scene(rough({81, 91, {-1.0, -2.0}, {0.25, 0.3}}, 0.1, 7));
  scene.add(half_space({0.0, 0.0, -5.0}));
  std::mt19937_64 random(9);
  std::uniform_real_distribution<float> unit(0.0F, 1.0F);
  const int bodies = is_simulator(*first_device()) ? 30 : 3000, count = 10 * bodies;
  for (int k = 0; k < bodies; ++k) {
    const double x = unit(random), y = unit(random), z = unit(random);
    scene.add(sphere(0.2, {20.0 * x, 20.0 * y, 1.5 * z}));
  }
  std::vector<float> position(scene.position.begin(), scene.position.end());
  std::vector<float> orientation(scene.orientation.begin(), scene.orientation.end());
  std::vector<float> origin(3 * static_cast<std::size_t>(count)), direction(origin.size(), -0.3F);
  for (float& o : origin) o = 20.0F * unit(random);
  cl::Buffer positions(context, position.begin(), position.end(), true),
      orientations(context, orientation.begin(), orientation.end(), true),
      origins(context, origin.begin(), origin.end(), true),
      directions(context, direction.begin(), direction.end(), true);
  ResidentPoses poses;
  poses.position = positions();
  poses.orientation = orientations();
  ResidentRays rays;
  rays.origin = origins();
  rays.direction = directions();
  rays.count = static_cast<std::uint32_t>(count);
  Collider collider = make_collider(context(), queue());
  collider.set_scene(scene.scene);
  (void)cast_on_device(collider, poses, rays);
  calls = {};
  (void)cast_on_device(collider, poses, rays);
  EXPECT_EQ(calls.reads, 1U);
  EXPECT_EQ(calls.read_bytes, 16U);
  EXPECT_EQ(calls.writes + calls.maps + calls.finishes, 0U);
  for (const bool after_frame : {false, true}) {
    if (after_frame) (void)collide_on_device(collider, poses);
    calls = {};
    const DeviceHits hits = cast_on_device(collider, ResidentPoses(), rays);
    EXPECT_EQ(hits.count, rays.count);
    EXPECT_EQ(calls.reads + calls.writes + calls.maps + calls.finishes, 0U);
  }
}

TEST_F(Readback, OfAResidentFrameIsItsCountsAlone) {
  expect_counts_alone(false, 4, 1);
}

TEST_F(Readback, OfAResidentFrameOfCompoundsIsItsCountsAlone) {
  expect_counts_alone(true, 5, 2);
}

}  // namespace
}  // namespace oclide::test
