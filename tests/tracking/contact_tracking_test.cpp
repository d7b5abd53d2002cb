// Tracking by itself: frames made by hand or at random, followed by the kernels and by the reference.
#include "reference/tracking/contact_tracking.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <utility>

#include "support/on_each_device.hpp"
#include "tracking/frame_tracking.hpp"

namespace oclide::test {
namespace {

// A manifold as its name and the features of its contacts.
struct MadeManifold {
  std::uint32_t body_a, body_b;
  std::vector<std::uint32_t> features;
  std::uint16_t shape_a = 0, shape_b = 0;
};
using Made = std::vector<MadeManifold>;

FrameContacts frame_of(const Made& manifolds) {
  FrameContacts frame;
  std::uint32_t number = 0;
  for (const MadeManifold& m : manifolds) {
    for (const std::uint32_t feature : m.features) {
      Contact c;
      c.body_a = m.body_a;
      c.body_b = m.body_b;
      c.shape_a = m.shape_a;
      c.shape_b = m.shape_b;
      c.manifold = number;
      c.feature = feature;
      frame.contacts.push_back(c);
    }
    ++number;
  }
  return frame;
}

struct OpenDevice {
  explicit OpenDevice(std::uint64_t memory_limit = 0) {
    settings.device = opencl_device();
    settings.memory_limit = memory_limit;
    for (const DeviceInfo& d : devices())
      if (d.id == opencl_device()) device = std::make_unique<opencl::Device>(settings, d);
  }
  Settings settings;
  std::unique_ptr<opencl::Device> device;
  opencl::StageTimer timer;
};

// Open from its first use to the end of the tests, when the OpenCL runtime is still there.
class SharedDevice : public testing::Environment {
 public:
  void TearDown() override { open_.reset(); }
  opencl::Device& get() {
    if (open_ == nullptr) open_ = std::make_unique<OpenDevice>();
    return *open_->device;
  }

 private:
  std::unique_ptr<OpenDevice> open_;
};
auto* const kSharedDevice = static_cast<SharedDevice*>(testing::AddGlobalTestEnvironment(new SharedDevice));

opencl::Device& shared_device() {
  return kSharedDevice->get();
}

// Follows frames on the OpenCL device or in the reference.
class Follower {
 public:
  explicit Follower(const std::string& where) {
    if (where == "opencl") on_device_ = std::make_unique<FrameTracking>(shared_device());
  }
  explicit Follower(opencl::Device& device) : on_device_(std::make_unique<FrameTracking>(device)) {}

  FrameContacts follow(FrameContacts frame) {
    if (on_device_) {
      opencl::StageTimer timer;
      on_device_->follow(
          frame, [&] { ++rooms_made; }, timer);
    } else {
      reference_.follow(frame);
    }
    return frame;
  }
  FrameContacts follow(const Made& manifolds) { return follow(frame_of(manifolds)); }
  void forget() {
    if (on_device_) on_device_->forget();
    reference_.forget();
  }
  void free_buffers() { on_device_->free_buffers(); }
  int rooms_made = 0;

 private:
  std::unique_ptr<FrameTracking> on_device_;
  reference::ContactTracking reference_;
};

std::string text(const ManifoldEvent& e) {
  const char* names[] = {"begin", "persist", "end"};
  const auto number = [](std::uint32_t k) { return k == kNone ? std::string("-") : std::to_string(k); };
  return std::string(names[static_cast<int>(e.change)]) + " " + std::to_string(e.body_a) + "." +
         std::to_string(e.shape_a) + " " + number(e.body_b) + "." + std::to_string(e.shape_b) + ": " +
         number(e.previous) + " -> " + number(e.manifold);
}

std::vector<std::string> events(const FrameContacts& frame) {
  std::vector<std::string> lines;
  for (const ManifoldEvent& e : frame.events) lines.push_back(text(e));
  return lines;
}

using Lines = std::vector<std::string>;
using Numbers = std::vector<std::uint32_t>;

class ContactTracking : public OnEachDevice {
 protected:
  Follower follower() const { return Follower(GetParam()); }
};
OCLIDE_ON_EACH_DEVICE(ContactTracking);

TEST_P(ContactTracking, OfAFirstFrameBeginsAll) {
  Follower follower = this->follower();
  const FrameContacts frame = follower.follow({{0, 1, {5, 6}}, {0, kTerrain, {7}}});
  EXPECT_EQ(events(frame), (Lines{"begin 0.0 1.0: - -> 0", "begin 0.0 -.0: - -> 1"}));
  EXPECT_EQ(frame.previous, (Numbers{kNone, kNone, kNone}));
}

TEST_P(ContactTracking, OfEmptyFramesHasNothing) {
  Follower follower = this->follower();
  EXPECT_TRUE(follower.follow(Made{}).events.empty());
  (void)follower.follow({{2, 3, {1, 2, 3}}, {4, kTerrain, {8}}});
  const FrameContacts empty = follower.follow(Made{});
  EXPECT_EQ(events(empty), (Lines{"end 2.0 3.0: 0 -> -", "end 4.0 -.0: 1 -> -"}));
  EXPECT_TRUE(empty.previous.empty());
  EXPECT_TRUE(follower.follow(Made{}).events.empty());
  EXPECT_EQ(events(follower.follow({{2, 3, {1}}})), (Lines{"begin 2.0 3.0: - -> 0"}));
}

TEST_P(ContactTracking, MatchesContactsByFeatureWhateverTheirOrder) {
  Follower follower = this->follower();
  (void)follower.follow({{0, 1, {5}}, {2, 7, {10, 20, 30, 40}}});
  const FrameContacts frame = follower.follow({{2, 7, {40, 15, 10, 30}}});
  EXPECT_EQ(frame.previous, (Numbers{4, kNone, 1, 3}));
  EXPECT_EQ(events(frame), (Lines{"persist 2.0 7.0: 1 -> 0", "end 0.0 1.0: 0 -> -"}));
}

TEST_P(ContactTracking, MatchesEqualFeaturesInTheirOrder) {
  Follower follower = this->follower();
  (void)follower.follow({{3, kTerrain, {9, 4, 9}}, {3, kTerrain, {9}}});
  EXPECT_EQ(follower.follow({{3, kTerrain, {9, 9}}, {3, kTerrain, {4, 9}}}).previous, (Numbers{0, 2, 1, 3}));
  // More of them than before: the last ones are new.
  EXPECT_EQ(follower.follow({{3, kTerrain, {9, 9, 9, 9}}, {3, kTerrain, {9, 4}}}).previous,
            (Numbers{0, 1, 3, kNone, kNone, 2}));
}

TEST_P(ContactTracking, DoesNotMatchUnderAnotherName) {
  Follower follower = this->follower();
  (void)follower.follow({{0, 1, {5}, 2, 3}, {0, kTerrain, {5}, 2, 0}});
  const FrameContacts frame = follower.follow({{0, 1, {5}, 2, 4}, {0, 1, {5}, 65535, 65535}, {0, 2, {5}, 2, 3}});
  EXPECT_EQ(frame.previous, (Numbers{kNone, kNone, kNone}));
  EXPECT_EQ(events(frame), (Lines{"begin 0.2 1.4: - -> 0", "begin 0.65535 1.65535: - -> 1", "begin 0.2 2.3: - -> 2",
                                  "end 0.2 1.3: 0 -> -", "end 0.2 -.0: 1 -> -"}));
  const FrameContacts next = follower.follow({{0, 1, {5}, 65535, 65535}});
  EXPECT_EQ(next.previous, (Numbers{1}));
}

TEST_P(ContactTracking, PersistsFromTheManifoldWithMostMatches) {
  Follower follower = this->follower();
  (void)follower.follow({{1, kTerrain, {1}}, {1, kTerrain, {2, 3}}, {1, kTerrain, {4, 5, 6}}});
  // The first has two of number 1 and one of number 2; the second, all that is left of number 2.
  EXPECT_EQ(
      events(follower.follow({{1, kTerrain, {4, 3, 2}}, {1, kTerrain, {5}}, {1, kTerrain, {9}}})),
      (Lines{"persist 1.0 -.0: 1 -> 0", "persist 1.0 -.0: 2 -> 1", "begin 1.0 -.0: - -> 2", "end 1.0 -.0: 0 -> -"}));
}

TEST_P(ContactTracking, OfEqualMatchesPersistsFromTheLowestNumber) {
  Follower follower = this->follower();
  (void)follower.follow({{1, kTerrain, {1}}, {1, kTerrain, {2}}, {1, kTerrain, {3}}});
  const FrameContacts frame = follower.follow({{1, kTerrain, {3, 2}}, {1, kTerrain, {1}}});
  EXPECT_EQ(events(frame), (Lines{"persist 1.0 -.0: 1 -> 0", "persist 1.0 -.0: 0 -> 1", "end 1.0 -.0: 2 -> -"}));
  EXPECT_EQ(frame.previous, (Numbers{2, 1, 0}));
}

TEST_P(ContactTracking, GoesOnWithAManifoldOnceInTheOrderOfTheNewOnes) {
  Follower follower = this->follower();
  (void)follower.follow({{1, kTerrain, {1, 2, 3}}, {1, kTerrain, {4}}});
  // One manifold splits: the first part has it, though the second is the larger; contacts match all the same.
  const FrameContacts frame = follower.follow({{1, kTerrain, {1}}, {1, kTerrain, {2, 3}}, {1, kTerrain, {4}}});
  EXPECT_EQ(events(frame), (Lines{"persist 1.0 -.0: 0 -> 0", "begin 1.0 -.0: - -> 1", "persist 1.0 -.0: 1 -> 2"}));
  EXPECT_EQ(frame.previous, (Numbers{0, 1, 2, 3}));
}

TEST_P(ContactTracking, TwoBodiesThatTouchOnOtherFeaturesPersist) {
  Follower follower = this->follower();
  (void)follower.follow({{0, 1, {1, 2}}, {0, kTerrain, {1}}, {2, 3, {1}}, {2, 3, {2}}});
  const FrameContacts frame = follower.follow({{0, 1, {3}}, {0, kTerrain, {2}}, {2, 3, {8}}, {2, 3, {2}}, {4, 5, {1}}});
  EXPECT_EQ(events(frame), (Lines{"persist 0.0 1.0: 0 -> 0", "begin 0.0 -.0: - -> 1", "persist 2.0 3.0: 2 -> 2",
                                  "persist 2.0 3.0: 3 -> 3", "begin 4.0 5.0: - -> 4", "end 0.0 -.0: 1 -> -"}));
  EXPECT_EQ(frame.previous, (Numbers{kNone, kNone, kNone, 4, kNone}));
  // Where more than one is left on a side it is not known which is which.
  EXPECT_EQ(events(follower.follow({{2, 3, {11}}, {2, 3, {12}}}))[0], "begin 2.0 3.0: - -> 0");
  EXPECT_EQ(events(follower.follow({{2, 3, {21}}}))[0], "begin 2.0 3.0: - -> 0");
  EXPECT_EQ(events(follower.follow({{2, 3, {31}}, {2, 3, {32}}}))[0], "begin 2.0 3.0: - -> 0");
}

TEST_P(ContactTracking, AfterForgettingBeginsAll) {
  Follower follower = this->follower();
  (void)follower.follow({{0, 1, {5}}});
  follower.forget();
  EXPECT_EQ(events(follower.follow({{0, 1, {5}}})), (Lines{"begin 0.0 1.0: - -> 0"}));
}

TEST_P(ContactTracking, OfANameWithHundredsOfManifoldsMatchesThemOneByOne) {
  Made before{{6, 7, {1}}}, after{{6, 7, {1}}};
  constexpr std::uint32_t kManifolds = 700;
  for (std::uint32_t k = 0; k < kManifolds; ++k) {
    before.push_back({6, kTerrain, {3 * k, 3 * k + 1, 77}});
    const std::uint32_t turned = kManifolds - 1 - k;
    after.push_back({6, kTerrain, {77, 3 * turned + 1, 3 * turned}});
  }
  before.push_back({9, kTerrain, {1, 2}});
  after.push_back({9, kTerrain, {2}});
  Follower follower = this->follower();
  (void)follower.follow(before);
  const FrameContacts frame = follower.follow(after);
  ASSERT_EQ(frame.events.size(), kManifolds + 2);
  for (std::uint32_t k = 0; k < kManifolds; ++k) {
    const std::uint32_t turned = kManifolds - 1 - k, contact = 1 + 3 * k;
    ASSERT_EQ(frame.events[1 + k].previous, 1 + turned) << k;
    ASSERT_EQ(frame.previous[contact], 1 + 3 * k + 2) << k;  // of equal features, in their order
    ASSERT_EQ(frame.previous[contact + 1], 1 + 3 * turned + 1) << k;
    ASSERT_EQ(frame.previous[contact + 2], 1 + 3 * turned) << k;
  }
  EXPECT_EQ(frame.previous.back(), 1 + 3 * kManifolds + 1);
}

// ------------------------------------------------------------------------------------- device against reference

testing::AssertionResult same_tracking(const FrameContacts& a, const FrameContacts& b) {
  if (a.previous != b.previous) return testing::AssertionFailure() << "other previous contacts";
  const Lines of_a = events(a), of_b = events(b);
  for (std::size_t k = 0; k < std::min(of_a.size(), of_b.size()); ++k)
    if (of_a[k] != of_b[k]) return testing::AssertionFailure() << k << ": " << of_a[k] << ", not " << of_b[k];
  if (of_a.size() != of_b.size()) return testing::AssertionFailure() << of_a.size() << " events, not " << of_b.size();
  return testing::AssertionSuccess();
}

// Names of one to many manifolds; features from a few numbers, so that many are equal.
Made random_manifolds(std::mt19937_64& random, std::uint32_t bodies, std::uint32_t most_manifolds,
                      std::uint32_t features) {
  Made made;
  for (std::uint32_t a = 0; a < bodies; ++a) {
    Made of_body;
    for (int partner = 0; partner < 3; ++partner) {
      if (random() % 4 == 0) continue;
      const std::uint32_t b = partner == 2 ? kTerrain : a + 1 + static_cast<std::uint32_t>(random() % 4);
      const auto shape = static_cast<std::uint16_t>(random() % 3 == 0 ? random() % 2 : 0);
      const std::uint64_t manifolds =
          b != kTerrain && random() % 4 != 0 ? 1 : 1 + random() % (random() % 8 == 0 ? most_manifolds : 3);
      for (std::uint64_t m = 0; m < manifolds; ++m) {
        MadeManifold one{a, b, {}, shape, 0};
        const std::uint64_t contacts = 1 + random() % 4;
        for (std::uint64_t c = 0; c < contacts; ++c)
          one.features.push_back(static_cast<std::uint32_t>(random() % features) * 0x9E3779B9U);
        of_body.push_back(one);
      }
    }
    std::stable_sort(of_body.begin(), of_body.end(), [](const MadeManifold& x, const MadeManifold& y) {
      return std::tie(x.body_b, x.shape_a, x.shape_b) < std::tie(y.body_b, y.shape_a, y.shape_b);
    });
    made.insert(made.end(), of_body.begin(), of_body.end());
  }
  return made;
}

class ContactTrackingOnDevice : public OnOpenCl {
 protected:
  static void expect_same(Follower& device, const std::vector<Made>& frames) {
    Follower reference("reference");
    std::size_t persisting = 0, ended = 0, matched = 0;
    for (std::size_t f = 0; f < frames.size(); ++f) {
      const FrameContacts expected = reference.follow(frames[f]);
      ASSERT_TRUE(same_tracking(device.follow(frames[f]), expected)) << "frame " << f;
      for (const ManifoldEvent& e : expected.events) {
        persisting += e.change == Change::persist ? 1 : 0;
        ended += e.change == Change::end ? 1 : 0;
      }
      for (const std::uint32_t p : expected.previous) matched += p == kNone ? 0 : 1;
    }
    EXPECT_GT(persisting, 0U);
    EXPECT_GT(ended, 0U);
    EXPECT_GT(matched, 0U);
  }
};

TEST_F(ContactTrackingOnDevice, MatchesTheReferenceOnRandomFrames) {
  std::mt19937_64 random(71);
  for (const std::uint32_t features : {2U, 6U, 40U, 3000U}) {
    for (const std::uint32_t most : {3U, 40U, 400U}) {
      std::vector<Made> frames;
      for (const std::uint32_t bodies : {0U, 1U, 60U, 61U, 200U, 3U, 130U}) {
        frames.push_back(random_manifolds(random, bodies, most, features));
        if (bodies == 61U) frames.push_back(frames.back());
      }
      Follower device("opencl");
      expect_same(device, frames);
    }
  }
}

TEST_F(ContactTrackingOnDevice, MatchesTheReferenceAroundTheSortThreshold) {
  std::vector<Made> frames;
  for (const std::uint32_t contacts : {31, 32, 33, 34, 32, 31, 33, 33, 1, 64, 32, 64, 64}) {
    Made made;
    for (std::uint32_t body = 0; body < 5; ++body)
      for (std::uint32_t c = 0; c < contacts + body; ++c)
        made.push_back({body, kTerrain, {(c * 7 + contacts) % (5 + 20 * (body % 3))}});
    frames.push_back(made);
  }
  Follower device("opencl");
  expect_same(device, frames);
}

TEST_F(ContactTrackingOnDevice, ProcessedInSlicesGivesTheSame) {
  std::mt19937_64 random(72);
  std::vector<Made> frames;
  for (const std::uint32_t bodies : {3000U, 3000U, 2U, 2800U, 2900U, 0U, 3000U, 200U, 200U})
    frames.push_back(random_manifolds(random, bodies, 60, 30));
  for (const std::uint64_t limit : {1ULL << 20, 400ULL << 10, 150ULL << 10}) {
    OpenDevice open(limit);
    Follower device(*open.device);
    expect_same(device, frames);
    EXPECT_GT(device.rooms_made, 0) << limit;
    EXPECT_LE(open.device->memory_peak(), limit);
  }
}

TEST_F(ContactTrackingOnDevice, GivesAllMemoryBack) {
  OpenDevice open;
  Follower device(*open.device);
  MadeManifold many{0, kTerrain, {}};  // contacts that are sorted
  for (std::uint32_t k = 0; k < 500; ++k) many.features.push_back(k);
  (void)device.follow({many, {1, 2, {3}}});
  (void)device.follow({many});
  EXPECT_GT(open.device->memory_used(), 0U);
  device.free_buffers();
  for (const BufferBytes& left : open.device->memory_by_name()) ADD_FAILURE() << left.name << ": " << left.bytes;
  EXPECT_EQ(open.device->memory_used(), 0U);
  EXPECT_EQ(device.follow({many}).events.size(), 1U);
}

TEST_F(ContactTrackingOnDevice, AFrameThatFailsLeavesTheLastOneAsItWas) {
  OpenDevice open(64ULL << 10);
  Follower device(*open.device);
  (void)device.follow({{0, 1, {5, 6}}, {0, kTerrain, {7}}});
  Made one_name;  // which cannot be cut
  for (std::uint32_t k = 0; k < 20000; ++k) one_name.push_back({0, kTerrain, {k}});
  EXPECT_THROW((void)device.follow(one_name), Error);
  const FrameContacts frame = device.follow({{0, 1, {6}}});
  EXPECT_EQ(events(frame), (Lines{"persist 0.0 1.0: 0 -> 0", "end 0.0 -.0: 1 -> -"}));
  EXPECT_EQ(frame.previous, (Numbers{1}));
}

TEST_F(ContactTrackingOnDevice, CarriesSlotsBitForBit) {
  opencl::Device& device = shared_device();
  oclide::ContactTracking tracking(device);
  opencl::StageTimer timer;
  const auto follow = [&](const std::vector<TrackedManifold>& manifolds, const std::vector<std::uint32_t>& features) {
    tracking.begin(static_cast<std::uint32_t>(manifolds.size()), static_cast<std::uint32_t>(features.size()));
    tracking.manifolds().upload(manifolds);
    tracking.features().upload(features);
    tracking.follow(timer);
  };
  follow({{0, 1, 0, 0}, {2, 3, 0, 2}}, {10, 11, 12});
  tracking.keep();
  follow({{0, 1, 0, 0}, {1, 3, 0, 3}, {2, 3, 0, 4}}, {11, 13, 10, 12, 12});

  // Not a number, with bits of its own, is what a slot may hold as well.
  const std::vector<std::uint32_t> last{1, 2, 3, 4, 0x7FC12345, 6, 0x80000000, 8, 9, 10, 11, 12};
  opencl::Buffer<std::uint32_t> last_slots(device, "last slots", 12), slots(device, "slots", 20);
  last_slots.upload(last);
  slots.fill(77);
  tracking.carry_slots(last_slots.get(), slots.get(), timer);
  std::vector<std::uint32_t> found(20);
  slots.download(found);
  EXPECT_EQ(found, (std::vector<std::uint32_t>{0x7FC12345, 6, 0x80000000, 8, 0, 0,  0,  0, 1, 2, 3, 4,  //
                                               0,          0, 0,          0, 9, 10, 11, 12}));
  EXPECT_EQ(tracking.ended_count().read_one(0), 0U);
}

}  // namespace
}  // namespace oclide::test
