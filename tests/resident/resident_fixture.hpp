// Frames whose poses and contacts stay on the device, against collide() with the same poses.
#pragma once

#include <cmath>
#include <tuple>

#include "oclide/opencl.hpp"
#include "opencl/cl.hpp"
#include "opencl/first_device.hpp"
#include "support/on_each_device.hpp"

namespace oclide::test {

// An application with a queue of its own, in the context of all of them or another. That one's kernels are read once.
struct Application {
  explicit Application(cl_command_queue_properties properties = 0, const cl::Context& in = common_context())
      : device(first()), context(in), queue(context, device, properties) {}

  static cl::Device first() { return cl::Device(opencl_handle(*first_device()), true); }
  static const cl::Context& common_context() {
    static const cl::Context context(first());
    static const Collider has_kernels = make_collider(context(), cl::CommandQueue(context, first())());
    return context;
  }

  template <class T>
  [[nodiscard]] cl::Buffer buffer(const std::vector<T>& data) const {
    cl::Buffer memory(context, CL_MEM_READ_WRITE, std::max<std::size_t>(16, data.size() * sizeof(T)));
    if (!data.empty()) queue.enqueueWriteBuffer(memory, CL_TRUE, 0, data.size() * sizeof(T), data.data());
    return memory;
  }
  template <class T>
  [[nodiscard]] std::vector<T> read(cl_mem memory, std::size_t count, cl_event after) const {
    std::vector<T> data(count);
    const std::vector<cl::Event> events{cl::Event(after, true)};
    if (count > 0)
      queue.enqueueReadBuffer(cl::Buffer(memory, true), CL_TRUE, 0, count * sizeof(T), data.data(), &events);
    return data;
  }

  cl::Device device;
  cl::Context context;
  cl::CommandQueue queue;
};

// Poses as floats, on the device and as collide() takes them.
struct FloatPoses {
  FloatPoses(const Application& application, const TestScene& scene) {
    std::vector<float> high, low, turns;
    for (const double p : scene.position) {
      high.push_back(static_cast<float>(p));
      low.push_back(static_cast<float>(p - static_cast<double>(high.back())));
      position.push_back(static_cast<double>(high.back()));
      exact.push_back(static_cast<double>(high.back()) + static_cast<double>(low.back()));
    }
    for (const double q : scene.orientation) {
      turns.push_back(static_cast<float>(q));
      orientation.push_back(static_cast<double>(turns.back()));
    }
    on_device = {application.buffer(high), application.buffer(low), application.buffer(turns)};
  }
  [[nodiscard]] ResidentPoses resident(bool with_low = false) const {
    ResidentPoses poses;
    poses.position = on_device[0]();
    poses.position_low = with_low ? on_device[1]() : nullptr;
    poses.orientation = on_device[2]();
    return poses;
  }
  [[nodiscard]] Poses host(bool with_low = false) const { return {with_low ? exact : position, orientation}; }

  std::vector<double> position, exact, orientation;
  std::array<cl::Buffer, 3> on_device;
};

class ResidentFixture : public OnOpenCl {
 protected:
  static int few_or(int many) { return is_simulator(*first_device()) ? 40 : many; }

  // How far a body's shapes reach [m].
  static double reach(const TestScene& scene) {
    const auto squared = [](const std::array<double, 3>& v) { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; };
    double most = 0.0;
    for (std::size_t i = 0; i < scene.scene.bodies.count(); ++i)
      if (scene.scene.bodies.shape[i] != Shape::compound && scene.scene.bodies.shape[i] != Shape::half_space)
        most = std::max(most, std::sqrt(squared(scene.scene.bodies.size[i])));
    for (const auto& compound : scene.scene.compounds)
      for (const CompoundPart& part : compound)
        most = std::max(most, std::sqrt(squared(part.position)) + std::sqrt(squared(part.size)));
    return most;
  }

  // One frame both ways; whether it has contacts.
  static bool expect_same_if_any(const Application& application, Collider& collider, const TestScene& scene,
                                 bool with_low = false, bool by_host = false) {
    const FloatPoses poses(application, scene);
    Settings settings;
    settings.device = opencl_device();
    Collider usual(settings);
    usual.set_scene(scene.scene);
    const FrameContacts expected = usual.collide(poses.host(with_low));
    const DeviceFrame frame = collide_on_device(collider, poses.resident(with_low));
    EXPECT_EQ(frame.merged_by_host, by_host);
    const FrameContacts found = to_host(collider);
    EXPECT_EQ(contact_hash(found.contacts), contact_hash(expected.contacts));
    EXPECT_TRUE(same_bits(found.contacts, expected.contacts));
    EXPECT_EQ(found.pairs, expected.pairs);
    EXPECT_EQ(found.body_pairs, expected.body_pairs);
    if (!by_host) {
      EXPECT_EQ(found.candidates, expected.candidates);
    }
    expect_consistent(application, frame, expected.contacts, poses.host(with_low), reach(scene));
    return !expected.contacts.empty();
  }
  static void expect_same(const Application& application, Collider& collider, const TestScene& scene,
                          bool with_low = false, bool by_host = false) {
    EXPECT_TRUE(expect_same_if_any(application, collider, scene, with_low, by_host));
  }

  static bool is_negative_zero(double x) { return x == 0.0 && std::signbit(x); }

  // What is on the device has the contacts expected; manifolds, offsets and counts say the same as they.
  static void expect_consistent(const Application& application, const DeviceFrame& frame,
                                const std::vector<Contact>& expected, const Poses& poses, double reach) {
    const std::size_t bodies = poses.count();
    // Roundings of two floats, and of coordinates in double precision.
    const double close = 0x1p-22 * (reach + 1.0);
    const auto contacts = application.read<oclide_device_contact>(frame.contacts, frame.contact_count, frame.ready);
    const auto manifolds = application.read<oclide_device_manifold>(frame.manifolds, frame.manifold_count, frame.ready);
    const auto offsets = application.read<std::uint32_t>(frame.contact_offsets, bodies + 1, frame.ready);
    const auto manifold_offsets = application.read<std::uint32_t>(frame.manifold_offsets, bodies + 1, frame.ready);
    const auto counts = application.read<oclide_device_counts>(frame.counts, 1, frame.ready);
    EXPECT_EQ(counts[0].contacts, frame.contact_count);
    EXPECT_EQ(counts[0].manifolds, frame.manifold_count);
    EXPECT_EQ(counts[0].body_pairs, frame.body_pairs);
    ASSERT_EQ(contacts.size(), expected.size());
    std::uint32_t contact = 0;
    for (std::uint32_t m = 0; m < manifolds.size(); ++m) {
      EXPECT_EQ(manifolds[m].first, contact);
      EXPECT_GT(manifolds[m].count, 0U);
      EXPECT_GE(m, manifold_offsets[manifolds[m].body_a]);
      EXPECT_LT(m, manifold_offsets[manifolds[m].body_a + 1]);
      for (std::uint32_t k = 0; k < manifolds[m].count; ++k, ++contact) {
        ASSERT_LT(contact, contacts.size());
        const oclide_device_contact& c = contacts[contact];
        EXPECT_EQ(c.manifold, m);
        EXPECT_EQ(c.body_a, manifolds[m].body_a);
        EXPECT_EQ(c.body_b, manifolds[m].body_b);
        EXPECT_EQ(c.shape_a, manifolds[m].shape_a);
        EXPECT_EQ(c.shape_b, manifolds[m].shape_b);
        const Contact& e = expected[contact];
        EXPECT_EQ(std::tie(c.body_a, c.body_b, c.shape_a, c.shape_b, c.manifold, c.feature),
                  std::tie(e.body_a, e.body_b, e.shape_a, e.shape_b, e.manifold, e.feature));
        EXPECT_EQ(c.material, e.material);
        EXPECT_EQ(c.depth, e.depth);
        EXPECT_FALSE(is_negative_zero(c.depth) || is_negative_zero(e.depth));
        ASSERT_TRUE(c.origin == c.body_a || c.origin == c.body_b);
        for (std::size_t a = 0; a < 3; ++a) {
          EXPECT_EQ(c.normal[a], e.normal[a]);
          EXPECT_FALSE(is_negative_zero(c.point[a]) || is_negative_zero(e.point[a]));
          EXPECT_FALSE(is_negative_zero(c.normal[a]) || is_negative_zero(e.normal[a]));
          const double centre = poses.position[3 * std::size_t{c.origin} + a];
          EXPECT_NEAR(centre + static_cast<double>(c.point[a]), e.point[a], close);
        }
        EXPECT_GE(contact, offsets[c.body_a]);
        EXPECT_LT(contact, offsets[c.body_a + 1]);
      }
    }
    EXPECT_EQ(contact, contacts.size());
    for (std::size_t i = 0; i < bodies; ++i) {
      EXPECT_LE(offsets[i], offsets[i + 1]);
      EXPECT_LE(manifold_offsets[i], manifold_offsets[i + 1]);
    }
    EXPECT_EQ(offsets[0], 0U);
    EXPECT_EQ(offsets[bodies], contacts.size());
    EXPECT_EQ(manifold_offsets[bodies], manifolds.size());
  }

  static void expect_same(const TestScene& scene, bool with_low = false) {
    const Application application;
    Collider collider = make_collider(application.context(), application.queue());
    collider.set_scene(scene.scene);
    expect_same(application, collider, scene, with_low);
  }

  static std::string error_of(Collider& collider, const ResidentPoses& poses) {
    try {
      (void)collide_on_device(collider, poses);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::invalid_input);
      return e.what();
    }
    return "no error";
  }

  // Frames of bodies that move a little follow each other with the events and slots of collide().
  static void expect_followed(TestScene scene, std::uint64_t seed) {
    const Application application;
    Settings settings;
    settings.track = true;
    Collider collider = make_collider(application.context(), application.queue(), settings);
    collider.set_scene(scene.scene);
    settings.device = opencl_device();
    Collider usual(settings);
    usual.set_scene(scene.scene);
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> way(-1.0, 1.0);
    std::size_t ended = 0, gone_on = 0;
    std::vector<UserSlot> slots;  // as they ought to be
    for (int frame = 0; frame < 4; ++frame) {
      const FloatPoses poses(application, scene);
      const FrameContacts expected = usual.collide(poses.host());
      const DeviceFrame resident = collide_on_device(collider, poses.resident());
      const FrameContacts found = to_host(collider);
      EXPECT_EQ(found.previous, expected.previous);
      ASSERT_EQ(found.events.size(), expected.events.size());
      const auto events = application.read<oclide_device_event>(resident.events, resident.event_count, resident.ready);
      ASSERT_EQ(events.size(), expected.events.size());
      for (std::size_t k = 0; k < events.size(); ++k) {
        const ManifoldEvent &e = expected.events[k], &f = found.events[k];
        const auto all = [](const auto& x) {
          return std::array<std::uint32_t, 7>{
              x.body_a, x.body_b, static_cast<std::uint32_t>(x.change), x.manifold, x.previous, x.shape_a, x.shape_b};
        };
        EXPECT_EQ(all(f), all(e));
        EXPECT_EQ(all(events[k]), all(e));
        ended += e.change == Change::end ? 1 : 0;
      }
      // What the application writes into a slot goes on with its contact.
      std::vector<UserSlot> now(expected.contacts.size());
      for (std::size_t k = 0; k < now.size(); ++k)
        if (expected.previous[k] != kNone) {
          now[k] = slots[expected.previous[k]];
          ++gone_on;
        }
      const auto carried = application.read<UserSlot>(resident.user_slots, now.size(), resident.ready);
      for (std::size_t k = 0; k < now.size(); ++k) EXPECT_EQ(carried[k].value, now[k].value);
      for (std::size_t k = 0; k < now.size(); ++k)
        now[k].value = {static_cast<float>(k), static_cast<float>(frame), 1, 2};
      application.queue.enqueueWriteBuffer(cl::Buffer(resident.user_slots, true), CL_TRUE, 0,
                                           now.size() * sizeof(UserSlot), now.data());
      slots = now;
      for (double& p : scene.position) p += 0.02 * way(random);
    }
    EXPECT_GT(ended, 0U);
    EXPECT_GT(gone_on, 0U);
    // A frame in host memory between them: all begins anew.
    const FloatPoses poses(application, scene);
    const FrameContacts between = collider.collide(poses.host());
    EXPECT_TRUE(std::all_of(between.previous.begin(), between.previous.end(), [](auto p) { return p == kNone; }));
    (void)collide_on_device(collider, poses.resident());
    const FrameContacts after = to_host(collider);
    EXPECT_TRUE(std::all_of(after.previous.begin(), after.previous.end(), [](auto p) { return p == kNone; }));
  }
};

}  // namespace oclide::test
