// The validation of body pairs: the reference's own contacts pass, and each kind of damage to them is seen.
#include <algorithm>
#include <functional>

#include "hulls/point_clouds.hpp"
#include "oclide/validation.hpp"
#include "reference/two_bodies.hpp"
#include "support/sweep.hpp"

namespace oclide::test {
namespace {

// Bodies of all shapes in a heap.
BodyScene heap(std::uint64_t seed, int count, double room) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> place(-room, room), size(0.2, 0.5);
  BodyScene s({floor_at({0, 0, -room})});
  for (int k = 0; k < count; ++k)
    s.add({static_cast<Shape>(k % 4),
           {size(random), size(random), size(random)},
           {place(random), place(random), place(random)},
           k % 3 == 0 ? kUpright : random_turn(random)});
  return s;
}

// The same with hulls among them.
BodyScene heap_of_hulls(std::uint64_t seed, int count, double room) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> place(-room, room);
  BodyScene s = heap(seed, count / 2, room);
  for (int k = 0; k < count / 2; ++k)
    s.add(hulled(changed(in_ball(4 + random() % 28, random()), dmat3(0.5), dvec3(k % 2 == 0 ? 0.0 : 0.3)),
                 {place(random), place(random), place(random)}, random_turn(random)));
  return s;
}

ValidationReport validate(const BodyScene& s, const std::vector<Contact>& contacts, double margin = 0.0) {
  Validator validator(s.scene, margin);
  validator.add_frame(s.poses(), contacts);
  return validator.report();
}

std::string first_example(const ValidationReport& report) {
  return report.examples.empty() ? "" : report.examples[0];
}

TEST(PairValidator, TheReferencePassesItself) {
  for (const double margin : {0.0, 0.1})
    for (std::uint64_t seed = 0; seed < 4; seed += kSweepStep) {
      const BodyScene s = heap(seed, 200, 1.5);
      const FrameContacts frame = s.collide(margin);
      ASSERT_GT(frame.pairs, 400u);
      const ValidationReport report = validate(s, frame.contacts, margin);
      EXPECT_TRUE(report.holds()) << first_example(report);
      EXPECT_EQ(report.pairs_device, frame.pairs);
      EXPECT_EQ(report.pairs_reference, frame.pairs);
      EXPECT_EQ(report.contacts_device, frame.contacts.size());
      EXPECT_EQ(report.contacts_reference, frame.contacts.size());
      EXPECT_LT(report.largest_normal_error, 1e-6);
      EXPECT_LT(report.largest_depth_error_relative, 0.01);
    }
}

TEST(PairValidator, TheReferencePassesItselfOnHulls) {
  for (const double margin : {0.0, 0.1})
    for (std::uint64_t seed = 0; seed < 3; seed += kSweepStep) {
      const BodyScene s = heap_of_hulls(seed, 200, 1.6);
      FrameContacts frame = s.collide(margin);
      ASSERT_GT(frame.pairs, 400u);
      const ValidationReport report = validate(s, frame.contacts, margin);
      EXPECT_TRUE(report.holds()) << first_example(report);
      EXPECT_EQ(report.pairs_device, frame.pairs);
      EXPECT_EQ(report.pairs_reference, frame.pairs);
      // Contacts that are off by a tenth of their depth and more are seen.
      std::size_t harmed = 0;
      for (Contact& c : frame.contacts)
        if (c.depth > 0.01) c.depth *= 1.1F, ++harmed;
      EXPECT_GE(validate(s, frame.contacts, margin).unmatched_device, harmed / 4);
    }
}

// Beside its silhouette a round body is all but along n: lines a tenth of a millimetre aside enter it millimetres away.
TEST(PairValidator, APointOfASilhouetteIsWhereTheBodyBegins) {
  const double angle = 0.05, radius = 0.1, height = 0.35;
  // kAlongX, then about z.
  const double c = std::sqrt(0.5) * std::cos(0.5 * angle), s = std::sqrt(0.5) * std::sin(0.5 * angle);
  const Quaternion turned{c, -s, c, s};
  for (const bool are_capsules : {true, false}) {
    const auto rod = are_capsules ? pill : drum;
    const BodyScene scene({rod(radius, 4.0, {0, 0, 0}, kAlongX), rod(0.3, 4.0, {0, 0, height}, turned)});
    std::vector<Contact> contacts = scene.collide(0.1).contacts;
    ASSERT_EQ(contacts.size(), 1u);
    ASSERT_LT(contacts[0].normal[2], -0.9999F);
    contacts.push_back(contacts[0]);
    Contact& beside = contacts.back();
    beside.feature += 1;
    for (const double above : {0.0, 1e-4, -0.01}) {
      // Over the second one's axis.
      const double y = std::sqrt(radius * radius - above * above), bottom = height - 0.3;
      beside.point = {y / std::tan(angle), y, above};
      beside.depth = static_cast<float>(above - bottom);
      const ValidationReport report = validate(scene, contacts, 0.1);
      EXPECT_EQ(report.holds(), above > -1e-3) << above << " " << first_example(report);
    }
  }
}

TEST(PairValidator, NoticesEveryPairMissing) {
  const BodyScene s = heap(1, 100, 1.2);
  const ValidationReport report = validate(s, {});
  EXPECT_GT(report.only_reference, 100u);
  EXPECT_EQ(report.examples.size(), 10u);
  EXPECT_NE(first_example(report).find("frame 0, "), std::string::npos);
  EXPECT_NE(first_example(report).find(" and "), std::string::npos);
}

// Sunk by 5 cm: a box on a box with a patch, a cylinder that lies on a box, two capsules side by side, a ball on a
// ball.
class BrokenPair : public testing::Test {
 protected:
  enum Pair : std::uint32_t { patch = 0, line = 2, beside = 4, point = 6 };

  BrokenPair()
      : scene_({block({1, 1, 0.5}, {0.6, 0.2, 0.95}), block({1, 1, 0.5}, {0, 0, 0}),
                drum(0.4, 2.0, {10, 0.3, 0.85}, kAlongX), block({1, 1, 0.5}, {10, 0, 0}),
                pill(0.3, 2.0, {21, 0, 0.75}, kAlongX), pill(0.5, 2.0, {20, 0, 0}, kAlongX), ball(0.5, {30, 0, 0.95}),
                ball(0.5, {30, 0, 0})}) {
    scene_.scene.bodies.group.assign(8, 0);
    contacts_ = scene_.collide().contacts;
  }

  void SetUp() override {
    ASSERT_EQ(of(patch).size(), 4u);
    ASSERT_EQ(of(line).size(), 2u);
    ASSERT_EQ(of(beside).size(), 2u);
    ASSERT_EQ(of(point).size(), 1u);
    ASSERT_TRUE(validate(scene_, contacts_).holds()) << first_example(validate(scene_, contacts_));
  }

  [[nodiscard]] std::vector<Contact*> of(Pair pair) {
    std::vector<Contact*> some;
    for (Contact& c : contacts_)
      if (c.body_a == pair) some.push_back(&c);
    return some;
  }
  void drop(const Contact* contact) { contacts_.erase(contacts_.begin() + (contact - contacts_.data())); }

  BodyScene scene_;
  std::vector<Contact> contacts_;
};

TEST_F(BrokenPair, ADroppedPairIsNoticed) {
  drop(of(point)[0]);
  const ValidationReport report = validate(scene_, contacts_);
  EXPECT_EQ(report.only_reference, 1u);
  EXPECT_EQ(report.unmatched_device + report.unmatched_reference + report.only_device, 0u);
}

TEST_F(BrokenPair, AnInventedPairIsNoticed) {
  Contact invented = *of(point)[0];
  invented.body_a = 5;
  invented.body_b = 6;
  contacts_.insert(contacts_.end() - 1, invented);
  contacts_.back().manifold += 1;
  EXPECT_EQ(validate(scene_, contacts_).only_device, 1u);
}

TEST_F(BrokenPair, ContactsOfBodiesThatDoNotMeetAreNoticed) {
  scene_.scene.bodies.group = {0, 0, 0, 0, 0, 0, 1, 1};
  EXPECT_EQ(validate(scene_, contacts_).only_device, 1u);
}

TEST_F(BrokenPair, WrongDepthsAreNoticed) {
  const std::vector<Contact> whole = contacts_;
  for (const Pair pair : {patch, line, beside, point})
    for (const float error : {0.001F, -0.001F, 0.1F}) {
      contacts_ = whole;
      for (Contact* c : of(pair)) c->depth += error;
      EXPECT_GT(validate(scene_, contacts_).unmatched_device, 0u) << pair << " " << error;
    }
}

TEST_F(BrokenPair, ATurnedNormalOrOneThatIsNotUnitIsNoticed) {
  const std::vector<Contact> whole = contacts_;
  const auto break_normal = [&](const std::function<dvec3(dvec3)>& change) {
    for (const Pair pair : {patch, line, beside, point}) {
      contacts_ = whole;
      for (Contact* c : of(pair)) {
        const dvec3 n = change({c->normal[0], c->normal[1], c->normal[2]});
        c->normal = {static_cast<float>(n.x), static_cast<float>(n.y), static_cast<float>(n.z)};
      }
      EXPECT_GT(validate(scene_, contacts_).unmatched_device, 0u) << pair;
    }
  };
  break_normal([](dvec3 n) { return -n; });
  break_normal([](dvec3 n) { return glm::normalize(n + dvec3(0.05, 0.1, 0.0)); });
  break_normal([](dvec3 n) { return 1.001 * n; });
  break_normal([](dvec3 n) { return n * std::nan(""); });
}

TEST_F(BrokenPair, APointOffTheSurfaceOrNotBeneathTheBodyIsNoticed) {
  for (const Pair pair : {patch, line, beside, point}) {
    const std::vector<Contact> whole = contacts_;
    of(pair)[0]->point[2] += 0.001;
    EXPECT_GT(validate(scene_, contacts_).unmatched_device, 0u) << pair;
    contacts_ = whole;
    of(pair)[0]->point[1] += 3.0;
    EXPECT_GT(validate(scene_, contacts_).unmatched_device, 0u) << pair;
    contacts_ = whole;
  }
}

TEST_F(BrokenPair, APointOnTheSideOfTheBodyIsNotWhereItBegins) {
  // On both surfaces and along the normal, but half way up the upper box's side and inside of it.
  Contact* c = of(patch)[0];
  c->point = {-0.4, 0.0, 0.45 + 0.3};
  c->depth = -0.25F;
  EXPECT_GT(validate(scene_, contacts_).unmatched_device, 0u);
}

TEST_F(BrokenPair, ADroppedEndIsNoticed) {
  for (const Pair pair : {line, beside}) {
    const std::vector<Contact> whole = contacts_;
    drop(of(pair)[1]);
    EXPECT_EQ(validate(scene_, contacts_).unmatched_reference, 1u) << pair;
    contacts_ = whole;
  }
}

TEST_F(BrokenPair, AShrunkPatchOrADroppedCornerIsNoticed) {
  const std::vector<Contact> whole = contacts_;
  drop(of(patch)[2]);
  EXPECT_EQ(validate(scene_, contacts_).unmatched_reference, 1u);
  // The patch goes from (-0.4, -0.8) to (1, 1): all corners 5 % toward its middle leave 90.25 %, 6 % leave 88.4 %.
  for (const double part : {0.05, 0.06}) {
    contacts_ = whole;
    for (Contact* c : of(patch)) {
      c->point[0] += part * (0.3 - c->point[0]);
      c->point[1] += part * (0.1 - c->point[1]);
    }
    EXPECT_EQ(validate(scene_, contacts_).unmatched_reference, part < 0.055 ? 0u : 1u);
  }
}

TEST_F(BrokenPair, TwiceTheSameContactOrFiveOfThemAreNoticed) {
  const std::vector<Contact> whole = contacts_;
  contacts_.insert(contacts_.begin(), contacts_.front());
  EXPECT_GT(validate(scene_, contacts_).unmatched_device, 0u);
  contacts_ = whole;
  contacts_.insert(contacts_.begin() + 1, contacts_.front());
  contacts_[1].point = {0.3, 0.1, 0.45};
  EXPECT_GT(validate(scene_, contacts_).unmatched_device, 0u);
  contacts_ = whole;
  contacts_.push_back(contacts_.back());
  EXPECT_GT(validate(scene_, contacts_).unmatched_device, 0u);
}

TEST_F(BrokenPair, ContactsOutOfOrderOrWronglyNumberedAreNoticed) {
  const std::vector<Contact> whole = contacts_;
  std::swap(contacts_[contacts_.size() - 1], contacts_[contacts_.size() - 2]);
  EXPECT_GT(validate(scene_, contacts_).unmatched_device, 0u);
  contacts_ = whole;
  std::swap(contacts_.back().body_a, contacts_.back().body_b);
  EXPECT_GT(validate(scene_, contacts_).unmatched_device, 0u);
  contacts_ = whole;
  contacts_.back().body_b = 8;
  EXPECT_GT(validate(scene_, contacts_).unmatched_device, 0u);
  contacts_ = whole;
  contacts_.back().manifold = 0;
  EXPECT_GT(validate(scene_, contacts_).unmatched_device, 0u);
  contacts_ = whole;
  of(patch)[1]->manifold = 1;
  EXPECT_GT(validate(scene_, contacts_).unmatched_device, 0u);
}

TEST_F(BrokenPair, NormalsThatDifferWithinAManifoldAreNoticed) {
  of(patch)[1]->normal[0] = 1e-4F;
  EXPECT_GT(validate(scene_, contacts_).unmatched_device, 0u);
}

TEST_F(BrokenPair, AnotherWayOutThatIsLongerIsNoticed) {
  // The upper box leaves the lower one sideways: true points and chords, but far from the least penetration.
  for (Contact* c : of(patch)) c->normal = {1.0F, 0.0F, 0.0F};
  const std::vector<Contact*> some = of(patch);
  const double y[] = {-0.8, 1.0, 1.0, -0.8}, z[] = {0.45, 0.45, 0.5, 0.5};
  for (std::size_t k = 0; k < 4; ++k) {
    some[k]->point = {-0.4, y[k], z[k]};
    some[k]->depth = 1.4F;
  }
  EXPECT_GT(validate(scene_, contacts_).unmatched_device, 0u);
}

TEST_F(BrokenPair, WithinTheToleranceNothingIsWrong) {
  for (Contact& c : contacts_) {
    c.depth += 5e-5F;
    c.point[2] -= 2e-5;
  }
  const ValidationReport report = validate(scene_, contacts_);
  EXPECT_TRUE(report.holds()) << first_example(report);
  EXPECT_NEAR(report.largest_depth_error, 5e-5, 1e-6);
  EXPECT_NEAR(report.largest_point_error, 2e-5, 1e-6);
}

TEST(PairValidator, TheMarginsEdgeIsForgivenBothWays) {
  // Apart by 0.05: within the margin or not by half the tolerance.
  const BodyScene s({ball(0.5, {0, 0, 1.05}), ball(0.5, {0, 0, 0})});
  const std::vector<Contact> one = s.collide(0.06).contacts;
  ASSERT_EQ(one.size(), 1u);
  for (const ValidationReport& either : {validate(s, one, 0.05 - 5e-5), validate(s, {}, 0.05 + 5e-5)}) {
    EXPECT_TRUE(either.holds());
    EXPECT_EQ(either.undecided, 1u);
  }
  EXPECT_EQ(validate(s, one, 0.05 + 5e-5).undecided, 0u);
  EXPECT_EQ(validate(s, one, 0.05 - 2e-4).only_device, 1u);
  EXPECT_EQ(validate(s, {}, 0.05 + 2e-4).only_reference, 1u);
}

}  // namespace
}  // namespace oclide::test
