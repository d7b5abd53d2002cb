// One Collider through calls of every kind in any order: scenes, heights, settings, frames whole, moved, staged, kept
// on the device, in slices, with compounds and tracking. Each frame is as if it were the first of its scene.
#include <memory>
#include <optional>

#include "resident/resident_fixture.hpp"
#include "support/mesh_shapes.hpp"
#include "support/sweep.hpp"
#include "support/terrains.hpp"
#include "support/tracked.hpp"

namespace oclide::test {
namespace {

class Walk {
 public:
  Walk(std::string device, std::uint64_t seed) : device_(std::move(device)), random_(seed) {
    if (device_ != "reference") application_.emplace();
    change_scene();
  }

  // One change of what there is, then one frame.
  void step() {
    switch (below(9)) {
      case 0:
        change_scene();
        break;
      case 1:
        change_settings();
        break;
      case 2:
      case 3:
        change_heights();
        break;
      case 4:
        move(1.0, 0.05);
        break;
      case 5:
        move(1.0, 3.0);
        break;
      case 6:
        move(0.02, 0.3);
        break;
      case 7:
        move(0.2, 0.01);
        break;
      default:
        break;  // the poses of the frame before
    }
    frame();
  }

  [[nodiscard]] std::size_t contacts() const { return contacts_; }

 private:
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  double within(double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(random_); }

  // What floats hold, so that poses on the device are the same.
  void round() {
    for (double& p : scene_.position) p = static_cast<double>(static_cast<float>(p));
    for (double& q : scene_.orientation) q = static_cast<double>(static_cast<float>(q));
  }

  void change_scene() {
    scene_ = heap(std::array<std::size_t, 4>{0, 1, 37, 90}[below(4)], random_());
    if (below(2) == 0) {
      scene_.scene.compounds = {
          {{Shape::box, {0.5, 0.2, 0.1}, {0.0, 0.0, 0.1}}, {Shape::sphere, {0.3}, {0.4, 0.0, 0.0}}},
          {{Shape::capsule, {0.1, 0.4}, {0.1, 0.0, 0.0}}, {Shape::cylinder, {0.2, 0.1}, {0.0, 0.3, 0.0}}}};
      for (std::size_t k = 0; k < 12; ++k)
        scene_.add({Shape::compound,
                    {static_cast<double>(k % 2)},
                    {within(-8, 8), within(-7, 6), within(-0.2, 0.6)},
                    random_orientation(random_)});
    }
    if (below(2) == 0) add_meshes();
    if (below(3) == 0) {
      scene_.scene.terrains.push_back(plane({7, 5, {-8.0, -8.0}, {3.0, 4.0}}, 0.1, -0.05));
      scene_.scene.environment_terrain = {0, 1};
    }
    if (below(3) == 0) open_cells(scene_.scene.terrains[0], 0.1, random_());
    round();
    make_collider_anew();
  }

  // A bumpy sheet and a solid among the bodies, which may move as these do, and one that few bodies meet.
  void add_meshes() {
    scene_.scene.meshes = {flat_sheet(9, 1.5), ball_mesh(0.9, 2)};
    for (auto& vertex : scene_.scene.meshes[0].vertices) vertex[2] = within(-0.3, 0.5);
    for (std::size_t k = 0; k < scene_.scene.meshes[0].triangles.size(); ++k)
      scene_.scene.meshes[0].material.push_back(static_cast<std::uint8_t>(k % 5));
    scene_.add({Shape::triangle_mesh, {0.0}, {-7.0, -7.0, 0.2}, turn({0.2, 1.0, 0.0}, within(-0.1, 0.1))});
    scene_.add({Shape::triangle_mesh, {1.0}, {within(-6, 6), within(-6, 6), 0.4}, random_orientation(random_)});
    scene_.add({Shape::triangle_mesh, {1.0}, {9.0, 0.0, 0.0}, random_orientation(random_)});
  }

  // The same Collider takes the new scene, or another one does.
  void make_collider_anew() {
    if (collider_ == nullptr || below(3) == 0) {
      settings_.margin = below(2) == 0 ? 0.0 : 0.02;
      settings_.track = below(2) == 0;
      settings_.memory_limit = 0;
      settings_.device = device_;
      if (application_ && below(3) == 0) {
        const MemoryPlan plan = plan_memory(scene_.scene, scene_.poses(), settings_);
        settings_.memory_limit = static_cast<std::uint64_t>(
            within(1.2, 2.0) * static_cast<double>(std::max<std::uint64_t>(plan.least_device_bytes, 1U << 16)));
      }
      Settings settings = settings_;
      if (application_) settings.device = "auto";
      collider_ = std::make_unique<Collider>(
          application_ ? make_collider(application_->context(), application_->queue(), settings) : Collider(settings));
    }
    tracking_.forget();
    collider_->set_scene(scene_.scene);
  }

  void change_settings() {
    collider_.reset();
    make_collider_anew();
  }

  void change_heights() {
    const std::size_t which = below(scene_.scene.terrains.size());
    Terrain& t = scene_.scene.terrains[which];
    const std::size_t rows = 1 + below(std::min<std::size_t>(t.rows, 9)),
                      cols = 1 + below(std::min<std::size_t>(t.cols, 9));
    const std::size_t row = below(t.rows - rows + 1), col = below(t.cols - cols + 1);
    std::vector<double> heights;
    for (std::size_t k = 0; k < rows * cols; ++k) heights.push_back(below(40) == 0 ? std::nan("") : within(-0.4, 0.6));
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < cols; ++j) t.heights[(row + i) * t.cols + col + j] = heights[i * cols + j];
    collider_->update_heights(which, row, col, rows, cols, heights);
  }

  // Moves this share of the bodies by up to `way` along each axis; some turn.
  void move(double share, double way) {
    for (std::size_t i = 0; i < scene_.scene.bodies.count(); ++i) {
      if (within(0.0, 1.0) >= share) continue;
      for (std::size_t a = 0; a < 3; ++a) scene_.position[3 * i + a] += within(-way, way);
      if (below(2) == 0)
        for (std::size_t a = 0; a < 4; ++a) scene_.orientation[4 * i + a] += within(-0.05, 0.05);
    }
    round();
  }

  void frame() {
    Collider& cold = collider_on(device_ == "reference" ? "reference" : "opencl", settings_.margin);
    cold.set_scene(scene_.scene);
    const FrameContacts expected = cold.collide(scene_.poses());
    contacts_ += expected.contacts.size();
    try {
      collide(expected);
    } catch (const Error& e) {
      // Only for want of memory; what follows is as if this frame had not been.
      ASSERT_NE(settings_.memory_limit, 0U) << e.what();
      ASSERT_EQ(e.kind(), ErrorKind::device) << e.what();
      ASSERT_NE(std::string(e.what()).find("bytes of device memory"), std::string::npos) << e.what();
      unknown_ = true;
    }
  }

  void collide(const FrameContacts& expected) {
    switch (below(application_ ? 6 : 4)) {
      case 0:
        compare("collide", collider_->collide(scene_.poses()), expected, false);
        break;
      case 1:
        compare("update", collider_->update(scene_.poses()), expected, false);
        break;
      case 2:
        compare("update", collider_->update(scene_.poses()), expected, false);
        ASSERT_TRUE(same_bits(collider_->take_frame().contacts, expected.contacts));
        break;
      case 3: {
        const Collider::StagedPoses first = collider_->stage(scene_.poses());
        const Collider::StagedPoses unused = collider_->stage(scene_.poses());
        compare("collide_staged", collider_->collide_staged(first), expected, false);
        break;
      }
      default: {
        const FloatPoses poses(*application_, scene_);
        (void)collide_on_device(*collider_, poses.resident());
        compare("collide_on_device", to_host(*collider_), expected, true);
      }
    }
  }

  void compare(const char* call, const FrameContacts& found, const FrameContacts& expected, bool resident) {
    SCOPED_TRACE(call);
    ASSERT_TRUE(same_bits(found.contacts, expected.contacts));
    ASSERT_EQ(found.pairs, expected.pairs);
    ASSERT_EQ(found.body_pairs, expected.body_pairs);
    if (!settings_.track) return;
    if (resident != was_resident_) tracking_.forget();
    was_resident_ = resident;
    if (unknown_) {
      FrameContacts seen = found;
      tracking_.follow(seen);
    } else {
      expect_tracked(found, tracking_);
    }
    unknown_ = false;
  }

  std::string device_;
  std::mt19937_64 random_;
  std::optional<Application> application_;
  TestScene scene_;
  Settings settings_;
  std::unique_ptr<Collider> collider_;
  reference::ContactTracking tracking_;
  bool was_resident_ = false;
  bool unknown_ = false;  // what the next frame follows, after one that was refused
  std::size_t contacts_ = 0;
};

class RandomWalk : public OnEachDevice {};
OCLIDE_ON_EACH_DEVICE(RandomWalk);

TEST_P(RandomWalk, ThroughCallsOfEveryKindFindsWhatAColliderOfItsOwnFinds) {
  for (std::uint64_t seed = 1; seed <= (kTakesItsTime ? 4 : 1); ++seed) {
    Walk walk(GetParam() == "opencl" ? opencl_device() : "reference", seed);
    for (int step = 0; step < 50; ++step) {
      ASSERT_NO_FATAL_FAILURE(walk.step()) << "seed " << seed << ", step " << step;
      ASSERT_FALSE(HasFailure()) << "seed " << seed << ", step " << step;
    }
    EXPECT_GT(walk.contacts(), 500U);
  }
}

}  // namespace
}  // namespace oclide::test
