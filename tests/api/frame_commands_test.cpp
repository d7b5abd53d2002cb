// What a steady frame asks of the driver: commands, reads and waits, counted as they pass to it; and frames in the
// middle of which the driver begins to refuse them, as one does whose device is lost. The device is told to be a GPU.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "backend.hpp"
#include "opencl/cl.hpp"
#include "opencl/first_device.hpp"
#include "resident/resident_fixture.hpp"
#include "support/driver_calls.hpp"
#include "support/on_each_device.hpp"
#include "support/sweep.hpp"
#include "support/terrains.hpp"

using oclide::test::of_loader;
using oclide::test::unfinished;

namespace {

struct Calls {
  int commands = 0, reads = 0, waits = 0;  // commands other than reads
};
// Of all threads.
struct Counters {
  std::atomic<int> commands{0}, reads{0}, waits{0};
  std::atomic<int> writes{0};           // of the commands
  std::atomic<std::size_t> written{0};  // bytes
  void reset() { commands = reads = waits = writes = 0, written = 0; }
};
Counters calls;
std::atomic<int> left{-1};  // commands and reads until the device is lost; below 0 it is not

// Whether the device is lost when this command or read comes.
bool is_lost() {
  int now = left;
  while (now > 0 && !left.compare_exchange_weak(now, now - 1)) {
  }
  return now == 0;
}

// Counts one call, and passes it on; one that is refused comes to nothing.
template <class Function, class... Arguments>
cl_int pass_on(std::atomic<int>& count, Function* function, const char* name, const Arguments&... arguments) {
  if (is_lost()) return CL_OUT_OF_RESOURCES;
  ++count;
  return of_loader(function, name)(arguments...);
}

}  // namespace

#define OCLIDE_PASSED_ON extern "C" __attribute__((visibility("default"))) cl_int

OCLIDE_PASSED_ON clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                        const size_t* offset, const size_t* global, const size_t* local, cl_uint count,
                                        const cl_event* list, cl_event* event) {
  return pass_on(calls.commands, &clEnqueueNDRangeKernel, "clEnqueueNDRangeKernel", queue, kernel, dimensions, offset,
                 global, local, count, list, event);
}

OCLIDE_PASSED_ON clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void* pattern, size_t pattern_size,
                                     size_t offset, size_t bytes, cl_uint count, const cl_event* list,
                                     cl_event* event) {
  return pass_on(calls.commands, &clEnqueueFillBuffer, "clEnqueueFillBuffer", queue, buffer, pattern, pattern_size,
                 offset, bytes, count, list, event);
}

OCLIDE_PASSED_ON clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                                     size_t to_offset, size_t bytes, cl_uint count, const cl_event* list,
                                     cl_event* event) {
  return pass_on(calls.commands, &clEnqueueCopyBuffer, "clEnqueueCopyBuffer", queue, from, to, from_offset, to_offset,
                 bytes, count, list, event);
}

OCLIDE_PASSED_ON clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                                      size_t bytes, const void* data, cl_uint count, const cl_event* list,
                                      cl_event* event) {
  if (blocking == CL_TRUE && left != 0) ++calls.waits;
  ++calls.writes;
  calls.written += bytes;
  return pass_on(calls.commands, &clEnqueueWriteBuffer, "clEnqueueWriteBuffer", queue, buffer, blocking, offset, bytes,
                 data, count, list, event);
}

OCLIDE_PASSED_ON clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t* at,
                                          const size_t* from, const size_t* region, size_t row_pitch,
                                          size_t slice_pitch, size_t host_row_pitch, size_t host_slice_pitch,
                                          const void* data, cl_uint count, const cl_event* list, cl_event* event) {
  if (blocking == CL_TRUE && left != 0) ++calls.waits;
  ++calls.writes;
  calls.written += region[0] * region[1] * region[2];
  return pass_on(calls.commands, &clEnqueueWriteBufferRect, "clEnqueueWriteBufferRect", queue, buffer, blocking, at,
                 from, region, row_pitch, slice_pitch, host_row_pitch, host_slice_pitch, data, count, list, event);
}

OCLIDE_PASSED_ON clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                                     size_t bytes, void* data, cl_uint count, const cl_event* list, cl_event* event) {
  if (blocking == CL_TRUE && left != 0) ++calls.waits;
  return pass_on(calls.reads, &clEnqueueReadBuffer, "clEnqueueReadBuffer", queue, buffer, blocking, offset, bytes, data,
                 count, list, event);
}

OCLIDE_PASSED_ON clFinish(cl_command_queue queue) {
  if (left == 0) return CL_OUT_OF_RESOURCES;
  ++calls.waits;
  return of_loader(&clFinish, "clFinish")(queue);
}

OCLIDE_PASSED_ON clWaitForEvents(cl_uint count, const cl_event* list) {
  calls.waits += unfinished(count, list) > 0 ? 1 : 0;
  const cl_int result = of_loader(&clWaitForEvents, "clWaitForEvents")(count, list);
  return left == 0 ? CL_OUT_OF_RESOURCES : result;
}

namespace oclide::test {
namespace {

class FrameCommands : public OnOpenCl {
 protected:
  void TearDown() override { left = -1; }

  static auto backend_of(const TestScene& scene, bool is_gpu = true) {
    DeviceInfo info = *first_device();
    info.is_gpu = is_gpu;
    Settings settings;
    settings.device = info.id;
    auto backend = make_checked_backend(settings, make_opencl_backend(settings, info));
    backend->set_scene(scene.scene, scene.scene.bodies, build_geometry(scene.scene));
    return backend;
  }

  // The most that any frame of the scene takes from the third one on, in all of which all bodies move.
  static Calls of_steady_frames(TestScene scene, bool is_gpu = true, int frames = 8) {
    const auto backend = backend_of(scene, is_gpu);
    Calls most;
    for (int frame = 0; frame < frames; ++frame) {
      for (double& p : scene.position) p += frame % 2 == 0 ? 1e-6 : -1e-6;
      calls.reset();
      static_cast<void>(backend->update({scene.poses()}));
      if (frame < 2) continue;
      most = {std::max(most.commands, calls.commands.load()), std::max(most.reads, calls.reads.load()),
              std::max(most.waits, calls.waits.load())};
    }
    return most;
  }
};

// Four shapes on the ground, some of which touch.
TestScene thousands(std::size_t count, double apart, bool meet) {
  const auto columns = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(count))));
  const double half = 0.5 * apart * static_cast<double>(columns);
  const auto vertices = static_cast<std::size_t>(4.0 * (half + 5.0)) + 1;
  TestScene scene(rough({vertices, vertices, {-half - 5.0, -half - 5.0}, {0.5, 0.5}}, 0.1, 5));
  scene.bodies_meet = meet;
  std::mt19937_64 random(7);
  for (std::size_t k = 0; k < count; ++k) {
    const dvec3 p(apart * static_cast<double>(k % columns) - half, apart * static_cast<double>(k / columns) - half,
                  0.2);
    scene.add(of_any_shape(k % 4, 0.3, p, random_orientation(random)));
  }
  return scene;
}

// Commands of a frame of four shapes. On terrain: an upload, ranges, sites, candidates, four kernels of shapes, one for
// their claims, order, reduction, gathering, and four scans. Of bodies: the tree's three, pairs, one that orders these
// by kind, nine kernels of kinds, a copy of what goes to the host together. Two reads of each half, and a wait for
// each.
TEST_F(FrameCommands, OfASteadyFrameAreFew) {
  for (const bool meet : {false, true}) {
    const Calls most = of_steady_frames(thousands(4900, 1.0, meet));
    EXPECT_LE(most.commands, meet ? 32 : 16);
    EXPECT_LE(most.reads, meet ? 4 : 2);
    EXPECT_LE(most.waits, meet ? 2 : 1);
  }
}

// So many pairs that the device orders them: by kind, and what touches by its bodies.
TEST_F(FrameCommands, OfASteadyFrameOfManyPairsAreFew) {
  const Calls most = of_steady_frames(thousands(4900, 0.25, true));
  EXPECT_LE(most.commands, 38);
  EXPECT_LE(most.reads, 4);
  EXPECT_LE(most.waits, 2);
}

// More slots, bodies and leaves than one launch did at a time, and poses that go in parts.
TEST_F(FrameCommands, OfASteadyFrameOfAnySizeAreFew) {
  if (!kTakesItsTime) GTEST_SKIP() << "too long";
  const Calls most = of_steady_frames(thousands(140000, 0.5, true), true, 4);
  EXPECT_LE(most.commands, 40);
  EXPECT_LE(most.reads, 4);
  EXPECT_LE(most.waits, 2);
}

// Environments of 20 bodies each. On a CPU work-items leave slots of the store empty, more or fewer in each frame:
// there is room for these, and no frame is done twice.
TEST_F(FrameCommands, OfASteadyFrameOfACrowdAreFew) {
  TestScene scene = thousands(20 * 250, 0.25, true);
  for (std::size_t k = 0; k < scene.scene.bodies.count(); ++k) {
    scene.scene.bodies.environment[k] = static_cast<std::uint32_t>(k / 20);
    scene.position[3 * k] = 0.5 * static_cast<double>(k % 5);
    scene.position[3 * k + 1] = 0.5 * static_cast<double>(k / 5 % 4);
  }
  for (const bool is_gpu : {false, true}) {
    const Calls most = of_steady_frames(scene, is_gpu);
    EXPECT_LE(most.commands, is_gpu ? 31 : 32) << is_gpu;
    EXPECT_LE(most.reads, 4) << is_gpu;
    EXPECT_LE(most.waits, 2) << is_gpu;
  }
}

// Frames with poses and contacts on the device: their counts are read, and the states of poses, bodies and terrain.
TEST_F(FrameCommands, OfASteadyFrameOnTheDeviceAreFew) {
  const TestScene scene = thousands(4900, 0.25, true);
  const Application application;
  const FloatPoses poses(application, scene);
  Collider collider = make_collider(application.context(), application.queue());
  collider.set_scene(scene.scene);
  for (int frame = 0; frame < 5; ++frame) {
    calls.reset();
    static_cast<void>(collide_on_device(collider, poses.resident()));
    if (frame < 2) continue;
    EXPECT_LE(calls.commands, first_device()->is_gpu ? 40 : 48);
    EXPECT_LE(calls.reads, 4);
    EXPECT_LE(calls.waits, 1);
  }
}

// However many rows it has, a rectangle of heights goes to the device in one transfer.
TEST_F(FrameCommands, OfARectangleOfHeightsAreOneTransfer) {
  const TestScene scene = thousands(2000, 1.0, false);
  const auto backend = backend_of(scene);
  static_cast<void>(backend->update({scene.poses()}));
  constexpr std::size_t kCols = 60;
  const std::vector<double> heights(60 * kCols, 0.25);
  std::size_t of_one_row = 0;
  for (const std::size_t rows : {1, 2, 60}) {
    calls.reset();
    backend->update_heights(0, 3, 5, rows, kCols, std::span(heights).first(rows * kCols));
    EXPECT_LE(calls.commands, 8) << rows;
    EXPECT_LE(calls.writes, 3) << rows;  // heights, and what depends on them
    if (rows == 1) of_one_row = calls.written;
    EXPECT_EQ(calls.written, of_one_row + 8 * (rows - 1) * kCols);
  }
}

// What changes goes to the device, and not what stays: of bodies as of parts of compounds.
TEST_F(FrameCommands, OfAChangeAreForWhatChanged) {
  for (const bool with_compounds : {false, true}) {
    TestScene scene = thousands(10000, 0.6, true);
    if (with_compounds) {
      CompoundPart part;
      part.shape = Shape::sphere;
      part.size = {0.2, 0.0, 0.0};
      scene.scene.compounds.push_back({part, part});
      scene.scene.bodies.shape[0] = Shape::compound;
      scene.scene.bodies.size[0] = {};
    }
    calls.reset();
    const auto backend = backend_of(scene);
    const std::size_t of_scene = calls.written;
    const std::vector<BodyHandle> handles = backend->handles();
    for (const std::size_t count : {2, 1, 100}) {
      BodyChanges changes;
      for (std::size_t k = 0; k < count; ++k) {
        changes.changed.push_back(handles[17 + 90 * k]);
        changes.become.shape.push_back(Shape::sphere);
        changes.become.size.push_back({0.25, 0.0, 0.0});
      }
      static_cast<void>(backend->update({scene.poses()}));
      calls.reset();
      static_cast<void>(backend->apply(changes));
      if (count == 2) continue;  // the first one makes room for others
      EXPECT_LE(calls.commands, 6) << count;
      EXPECT_LE(calls.written, 128 * count) << count;
      EXPECT_LE(128 * count, of_scene / 50);
      EXPECT_LE(backend->update({scene.poses()}).moved_bodies, count);
    }
  }
}

// The ground that all lie on is excluded from meeting one of them: so two bodies change.
TEST_F(FrameCommands, OfAChangeOfAHalfSpaceAreForIt) {
  TestScene scene = thousands(10000, 0.6, true);
  scene.scene.terrains.clear();
  scene.scene.environment_terrain.clear();
  scene.add(half_space({0.0, 0.0, 0.0}));
  const auto backend = backend_of(scene);
  const std::vector<BodyHandle> handles = backend->handles();
  for (std::size_t k = 0; k < 3; ++k) {
    static_cast<void>(backend->update({scene.poses()}));
    BodyChanges changes;
    changes.excluded = {{handles[k], handles.back()}};
    calls.reset();
    static_cast<void>(backend->apply(changes));
    if (k == 0) continue;  // makes room for others
    EXPECT_LE(calls.commands, 6);
    EXPECT_LE(calls.written, 400U);
  }
}

// Lost at the first command, the second, and so on: an error of one line, and where the device comes back the next
// frame is that of a new backend.
void expect_whole_after_loss(const std::array<std::uint64_t, 2>& expected,
                             const std::function<std::uint64_t(std::size_t)>& hash_of_frame) {
  EXPECT_EQ(hash_of_frame(0), expected[0]);
  int lost = 0;
  for (int at = 0;; ++at) {
    const std::size_t k = (at + 1) % 2;  // else there was nothing to do
    left = at;
    bool ends = false;
    try {
      EXPECT_EQ(hash_of_frame(k), expected[k]) << at;
    } catch (const Error& e) {
      ends = true;
      EXPECT_EQ(e.kind(), ErrorKind::device) << at;
      const std::string line = e.what();
      EXPECT_NE(line.find("CL_OUT_OF_RESOURCES"), std::string::npos) << at << ": " << line;
      EXPECT_EQ(line.find('\n'), std::string::npos) << at << ": " << line;
    }
    left = -1;
    if (!ends) break;  // the frame takes no more
    ++lost;
    ASSERT_EQ(hash_of_frame(k), expected[k]) << at;
  }
  EXPECT_GT(lost, 10);
}

std::array<TestScene, 2> scenes_of_loss() {
  std::array<TestScene, 2> scenes{thousands(300, 0.4, true), thousands(300, 0.4, true)};
  for (double& p : scenes[1].position) p += 1e-3;
  return scenes;
}

TEST_F(FrameCommands, OfALostDeviceEndInOneLineAndTheNextFrameIsWhole) {
  const std::array<TestScene, 2> scenes = scenes_of_loss();
  const auto backend = backend_of(scenes[0]);
  std::array<std::uint64_t, 2> expected{};
  for (std::size_t k = 0; k < 2; ++k)
    expected[k] = contact_hash(backend_of(scenes[k])->update({scenes[k].poses()}).contacts);
  expect_whole_after_loss(expected,
                          [&](std::size_t k) { return contact_hash(backend->update({scenes[k].poses()}).contacts); });
}

TEST_F(FrameCommands, OnALostDeviceEndInOneLineAndTheNextFrameIsWhole) {
  const std::array<TestScene, 2> scenes = scenes_of_loss();
  const Application application;
  const std::array<FloatPoses, 2> poses{FloatPoses(application, scenes[0]), FloatPoses(application, scenes[1])};
  const auto collider_of = [&](const TestScene& scene) {
    Collider collider = make_collider(application.context(), application.queue());
    collider.set_scene(scene.scene);
    return collider;
  };
  Collider collider = collider_of(scenes[0]);
  std::array<std::uint64_t, 2> expected{};
  for (std::size_t k = 0; k < 2; ++k)
    expected[k] = contact_hash(collider_of(scenes[k]).collide(poses[k].host()).contacts);
  ASSERT_NE(expected[0], expected[1]);
  expect_whole_after_loss(expected, [&](std::size_t k) {
    static_cast<void>(collide_on_device(collider, poses[k].resident()));
    return contact_hash(to_host(collider).contacts);
  });
}

}  // namespace
}  // namespace oclide::test
