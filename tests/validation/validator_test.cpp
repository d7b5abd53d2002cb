// The validation finds what is wrong: the reference's own contacts pass, and each kind of damage to them is seen.
#include <optional>

#include "backend.hpp"
#include "oclide/validation.hpp"
#include "reference/one_body.hpp"

namespace oclide::test {
namespace {

class ValidatorTest : public testing::Test {
 protected:
  void SetUp() override {
    scene_.terrains.push_back(make_terrain(9, 12, {-5.5, -4.0}, {1.0, 1.0}, [](double x, double y) {
      return 0.4 * std::sin(1.3 * x) + 0.3 * std::cos(1.7 * y + x);
    }));
    const auto height = [&](double x, double y) { return *TerrainView(scene_.terrains[0], dvec3(0.0)).height({x, y}); };
    for (int i = 0; i < 40; ++i) {
      const double x = -4.0 + 0.2 * i, y = 2.0 * std::sin(i);
      scene_.bodies.shape.push_back(static_cast<Shape>(i % 4));
      scene_.bodies.size.push_back({0.3, 0.2, 0.25});
      scene_.bodies.group.push_back(1);  // they meet terrain alone
      const Quaternion q = turn({1.0, 0.3 * i, 2.0}, i);
      position_.insert(position_.end(), {x, y, height(x, y) + 0.15});
      orientation_.insert(orientation_.end(), q.begin(), q.end());
    }
    const auto backend = make_reference_backend({});
    backend->set_scene(scene_, scene_.bodies, build_geometry(scene_));
    contacts_ = backend->collide({poses()}).contacts;
    ASSERT_GT(contacts_.size(), 40u);
  }

  [[nodiscard]] Poses poses() const { return {position_, orientation_}; }
  [[nodiscard]] ValidationReport validate(const std::vector<Contact>& contacts) const {
    Validator validator(scene_, 0.0);
    validator.add_frame(poses(), contacts);
    return validator.report();
  }
  // The deepest contact: no tolerance hides what is done to it.
  [[nodiscard]] std::size_t deepest_index() const {
    std::size_t best = 0;
    for (std::size_t i = 0; i < contacts_.size(); ++i)
      if (contacts_[i].depth > contacts_[best].depth) best = i;
    return best;
  }

  Scene scene_;
  std::vector<double> position_, orientation_;
  std::vector<Contact> contacts_;
};

TEST_F(ValidatorTest, TheReferencePassesItself) {
  const ValidationReport report = validate(contacts_);
  EXPECT_TRUE(report.holds()) << (report.examples.empty() ? "" : report.examples[0]);
  EXPECT_EQ(report.frames, 1u);
  EXPECT_EQ(report.bodies_checked, 40u);
  EXPECT_EQ(report.pairs_device, report.pairs_reference);
  EXPECT_EQ(report.contacts_device, contacts_.size());
  EXPECT_EQ(report.contacts_reference, contacts_.size());
  EXPECT_LT(report.largest_depth_error, 1e-6);
  EXPECT_LT(report.largest_point_error, 1e-6);
}

TEST_F(ValidatorTest, NoticesEveryContactMissing) {
  const ValidationReport report = validate({});
  EXPECT_FALSE(report.holds());
  EXPECT_GT(report.only_reference, 30u);
  EXPECT_EQ(report.examples.size(), 10u);
}

TEST_F(ValidatorTest, NoticesAMissingManifold) {
  const std::uint32_t body = contacts_[deepest_index()].body_a;
  const std::uint32_t manifold = contacts_[deepest_index()].manifold;
  std::vector<Contact> contacts;
  bool others = false;
  for (const Contact& c : contacts_) {
    if (c.manifold != manifold) contacts.push_back(c);
    others = others || (c.body_a == body && c.manifold != manifold);
  }
  const ValidationReport report = validate(contacts);
  EXPECT_EQ(report.unmatched_reference + report.only_reference, 1u);
  EXPECT_EQ(report.only_reference, others ? 0u : 1u);
}

TEST_F(ValidatorTest, NoticesAWrongDepth) {
  contacts_[deepest_index()].depth *= 1.05F;
  EXPECT_GT(validate(contacts_).unmatched_device, 0u);
}

TEST_F(ValidatorTest, NoticesATurnedNormal) {
  Contact& c = contacts_[deepest_index()];
  const dvec3 n(c.normal[0], c.normal[1], c.normal[2]);
  const dvec3 turned = glm::normalize(n + 0.1 * glm::normalize(glm::cross(n, dvec3(0.3, 0.5, 0.7))));
  c.normal = {static_cast<float>(turned.x), static_cast<float>(turned.y), static_cast<float>(turned.z)};
  EXPECT_GT(validate(contacts_).unmatched_device, 0u);
}

TEST_F(ValidatorTest, NoticesAnInventedContact) {
  Contact invented;
  invented.body_a = 3;
  invented.point = {position_[9], position_[10], position_[11] + 5.0};
  invented.normal = {0.0F, 0.0F, 1.0F};
  invented.depth = 0.1F;
  contacts_.push_back(invented);
  EXPECT_EQ(validate(contacts_).unmatched_device, 1u);
}

TEST_F(ValidatorTest, NoticesAContactOfABodyThatTouchesNothing) {
  position_[2] += 10.0;
  const auto of_body_0 = static_cast<std::size_t>(
      std::count_if(contacts_.begin(), contacts_.end(), [](const Contact& c) { return c.body_a == 0; }));
  const ValidationReport report = validate(contacts_);
  EXPECT_EQ(report.only_device, 1u);
  EXPECT_EQ(report.unmatched_device, of_body_0);
}

// A ball over a plane, apart from it by so much, and what a device says of it: nothing, or a contact of that depth.
// Within 1e-4 m of the limit a touch is a matter of rounding; the reference's contacts just beyond the limit do not
// make a pair of what the device alone has.
TEST_F(ValidatorTest, NoticesAPairOfOneSideAloneAndCountsTouchesThatRoundingDecides) {
  scene_.terrains[0] = make_terrain(3, 3, {-1.0, -1.0}, {1.0, 1.0}, [](double, double) { return 0.0; });
  scene_.bodies = {};
  scene_.bodies.shape = {Shape::sphere};
  scene_.bodies.size = {{0.5, 0.0, 0.0}};
  orientation_ = {1.0, 0.0, 0.0, 0.0};
  for (const double margin : {0.0, 0.02}) {
    const auto report = [&](double apart, std::optional<double> depth) {
      position_ = {0.2, 0.1, 0.5 + margin + apart};
      Contact c;
      c.body_a = 0;
      c.point = {0.2, 0.1, margin + apart};
      c.normal = {0.0F, 0.0F, 1.0F};
      c.depth = static_cast<float>(depth.value_or(0.0) - margin);
      Validator validator(scene_, margin);
      validator.add_frame(poses(), depth ? std::span<const Contact>(&c, 1) : std::span<const Contact>{});
      return validator.report();
    };
    const auto is_undecided = [](const ValidationReport& r) { return r.holds() && r.undecided == 1; };
    EXPECT_TRUE(is_undecided(report(1e-5, 5e-5)));
    EXPECT_EQ(report(1e-5, 1.05e-4).only_device, 1u);
    EXPECT_TRUE(is_undecided(report(-0.9e-4, std::nullopt)));
    EXPECT_EQ(report(-1.1e-4, std::nullopt).only_reference, 1u);
    EXPECT_EQ(report(-1.1e-4, std::nullopt).undecided, 0u);
    EXPECT_TRUE(report(1e-5, std::nullopt).holds());
    EXPECT_EQ(report(1e-5, std::nullopt).undecided, 0u);
    EXPECT_EQ(report(-1.1e-4, 1.1e-4).undecided, 0u);
    EXPECT_TRUE(report(-1.1e-4, 1.1e-4).holds());
  }
}

TEST_F(ValidatorTest, NoticesANormalThatPointsDown) {
  Contact& c = contacts_[deepest_index()];
  for (float& x : c.normal) x = -x;
  EXPECT_GT(validate(contacts_).unmatched_device, 0u);
}

TEST_F(ValidatorTest, FollowsAWorldThatChangesAndSeesWhatDidNot) {
  // Two tiles, another terrain, and a body of two parts.
  scene_.terrains.push_back(make_terrain(9, 3, {5.5, -4.0}, {1.0, 1.0}, [](double, double) { return 0.0; }));
  scene_.terrains[1].tile_of = 0;
  for (int i = 0; i < 9; ++i)
    scene_.terrains[1].heights[static_cast<std::size_t>(3 * i)] =
        scene_.terrains[0].heights[static_cast<std::size_t>(12 * i + 11)];
  scene_.terrains.push_back(make_terrain(3, 3, {-50.0, -50.0}, {4.0, 4.0}, [](double, double) { return 1.0; }));
  scene_.environment_terrain = {0, 2};
  scene_.compounds = {{{Shape::sphere, {0.3, 0.0, 0.0}, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}},
                       {Shape::box, {0.2, 0.2, 0.2}, {0.5, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}}}};
  scene_.bodies.group.clear();
  scene_.bodies.environment.assign(40, 0);
  for (std::size_t i = 0; i < 8; ++i) scene_.bodies.environment[i] = 1;
  for (std::size_t i = 0; i < 8; ++i)
    position_[3 * i] -= 42.0, position_[3 * i + 1] -= 45.0, position_[3 * i + 2] = 1.1;

  Settings settings;
  settings.device = "reference";
  settings.margin = 0.01;
  Collider collider(settings);
  collider.set_scene(scene_);
  Validator follows(scene_, 0.01);
  int changes = 0, unseen = 0;
  const auto frame = [&](const auto& change) {
    Validator stays = Validator(scene_, 0.01);
    change(collider);
    change(follows);
    const FrameContacts found = collider.collide(poses());
    follows.add_frame(poses(), found.contacts);
    ASSERT_TRUE(follows.report().holds()) << changes << ": " << follows.report().examples[0];
    EXPECT_EQ(follows.report().contacts_device, follows.report().contacts_reference);
    ++changes;
    if (position_.size() == 120) {
      stays.add_frame(poses(), found.contacts);
      unseen += stays.report().holds() ? 1 : 0;
    }
  };
  const std::vector<double> up(4, 0.9);
  const std::vector<std::uint8_t> open(6, 1), kind(2, 7);
  frame([&](auto& of) { of.update_heights(0, 3, 4, 2, 2, up); });
  frame([&](auto& of) { of.update_heights(2, 1, 1, 1, 1, std::span(up).first(1)); });
  frame([&](auto& of) { of.update_holes(0, 2, 2, 2, 3, open); });
  frame([&](auto& of) { of.update_holes(2, 0, 0, 1, 2, std::span(open).first(2)); });
  frame([&](auto& of) { of.move_terrain(2, {-49.5, -50.25}); });
  frame([&](auto& of) { of.move_terrain(0, {-5.25, -4.5}); });
  EXPECT_EQ(unseen, 0);
  frame([&](auto& of) { of.update_material(0, 2, 2, 1, 2, kind); });
  frame([&](auto& of) {
    TileChanges tiles;
    tiles.removed = {1};
    EXPECT_TRUE(of.change_tiles(tiles).empty());
  });
  frame([&](auto& of) {
    TileChanges tiles;
    tiles.added.push_back(make_terrain(9, 4, {7.75, -4.5}, {1.0, 1.0}, [](double, double) { return 0.5; }));
    EXPECT_EQ(of.change_tiles(tiles), std::vector<std::size_t>{1});
  });
  // Bodies come and go, and one of two parts is the first of its kind.
  for (int k = 0; k < 3; ++k) {
    position_.insert(position_.end(), {1.0 + 4.0 * k, 1.0, 0.6});
    orientation_.insert(orientation_.end(), {1.0, 0.0, 0.0, 0.0});
  }
  frame([&](auto& of) {
    BodyChanges bodies;
    bodies.removed = {{3, 0}, {20, 0}};
    bodies.changed = {{21, 0}};
    bodies.become.shape = {Shape::box};
    bodies.become.size = {{0.6, 0.1, 0.4}};
    bodies.added.shape = {Shape::sphere, Shape::compound, Shape::box, Shape::sphere, Shape::capsule};
    bodies.added.size = {{0.3, 0, 0}, {0, 0, 0}, {0.2, 0.3, 0.2}, {0.4, 0, 0}, {0.1, 0.3, 0}};
    EXPECT_EQ(of.change(bodies).size(), 5u);
    EXPECT_EQ(of.rows(), 43u);
  });
  frame([&](auto& of) {
    BodyChanges bodies;
    bodies.removed = {{20, 1}, {42, 0}};
    EXPECT_TRUE(of.change(bodies).empty());
  });
  // All pairs of a few: of what touches the frame before has some.
  frame([&](auto& of) {
    BodyChanges bodies;
    for (std::uint32_t a = 4; a < 19; ++a)
      for (std::uint32_t b = 4; b < a; ++b) bodies.excluded.push_back({BodyHandle{a, 0}, BodyHandle{b, 0}});
    EXPECT_TRUE(of.change(bodies).empty());
  });
  EXPECT_EQ(changes, 12);
  // What cannot be changed is an error, and nothing has changed.
  EXPECT_THROW(follows.move_terrain(7, {0.0, 0.0}), Error);
  EXPECT_THROW(follows.update_holes(0, 0, 0, 30, 1, open), Error);
  BodyChanges twice;
  twice.removed = {{20, 1}};
  EXPECT_THROW((void)follows.change(twice), Error);
  frame([](auto&) {});
}

}  // namespace
}  // namespace oclide::test
