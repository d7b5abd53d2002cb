// Bodies of several shapes: their contacts are those of the shapes, named by body and shape.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <glm/gtc/quaternion.hpp>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

class Compound : public OnEachDevice {};
OCLIDE_ON_EACH_DEVICE(Compound);

CompoundPart part(const BodySpec& spec) {
  const dvec3 p = spec.position;
  const dquat q = spec.orientation;
  return {spec.shape, spec.size, {p.x, p.y, p.z}, {q.w, q.x, q.y, q.z}};
}

BodySpec body_of(std::size_t compound, dvec3 position, dquat orientation = kUpright, std::uint32_t environment = 0) {
  return {Shape::compound, {static_cast<double>(compound), 0.0, 0.0}, position, orientation, environment};
}

// A hull on four wheels whose axles lie along y.
std::vector<CompoundPart> cart() {
  const dquat axle = turn({1.0, 0.0, 0.0}, 0.5 * M_PI);
  std::vector<CompoundPart> parts{part(box({0.6, 0.3, 0.12}, {0.0, 0.0, 0.1}))};
  for (const double x : {-0.35, 0.35})
    for (const double y : {-0.36, 0.36}) parts.push_back(part(cylinder(0.2, 0.05, {x, y, 0.0}, axle)));
  return parts;
}

// A mast, a ball and an arm, one within the other.
std::vector<CompoundPart> mast() {
  return {part(capsule(0.15, 0.4, {0.0, 0.0, 0.3})), part(sphere(0.3, {0.0, 0.0, 0.8})),
          part(capsule(0.08, 0.5, {0.3, 0.0, 0.6}, turn({0.0, 1.0, 0.0}, 1.2)))};
}

// The parts of all bodies as bodies of one group for each body, by their definition.
struct ByHand {
  TestScene scene;
  std::vector<std::pair<std::uint32_t, std::uint16_t>> name;  // body and shape of each
};

ByHand by_hand(const TestScene& of) {
  ByHand result;
  result.scene.scene.terrains = of.scene.terrains;
  result.scene.scene.environment_terrain = of.scene.environment_terrain;
  const Bodies& bodies = of.scene.bodies;
  for (std::size_t i = 0; i < bodies.count(); ++i) {
    const dvec3 p(of.position[3 * i], of.position[3 * i + 1], of.position[3 * i + 2]);
    const dquat q(of.orientation[4 * i], of.orientation[4 * i + 1], of.orientation[4 * i + 2],
                  of.orientation[4 * i + 3]);
    std::vector<CompoundPart> parts{{bodies.shape[i], bodies.size[i]}};
    if (bodies.shape[i] == Shape::compound) parts = of.scene.compounds[static_cast<std::size_t>(bodies.size[i][0])];
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const CompoundPart& c = parts[k];
      const dquat local(c.orientation[0], c.orientation[1], c.orientation[2], c.orientation[3]);
      result.scene.add({c.shape, c.size, p + glm::normalize(q) * dvec3(c.position[0], c.position[1], c.position[2]),
                        q * glm::normalize(local), bodies.environment[i]});
      const std::int32_t own = bodies.group[i];
      result.scene.scene.bodies.group.back() = own != 0 ? own : 1000 + static_cast<std::int32_t>(i);
      result.name.emplace_back(static_cast<std::uint32_t>(i), static_cast<std::uint16_t>(k));
    }
  }
  return result;
}

auto order_of(const Contact& c) {
  return std::tuple(c.body_a, c.body_b, c.shape_a, c.shape_b, c.manifold);
}

// Contacts of parts with the names of bodies and shapes, in their order, numbered anew.
std::vector<Contact> named(const ByHand& hand, const std::vector<Contact>& found) {
  std::vector<Contact> contacts = found;
  for (Contact& c : contacts) {
    std::tie(c.body_a, c.shape_a) = hand.name[c.body_a];
    if (c.body_b != kTerrain) std::tie(c.body_b, c.shape_b) = hand.name[c.body_b];
  }
  std::stable_sort(contacts.begin(), contacts.end(),
                   [](const Contact& c, const Contact& d) { return order_of(c) < order_of(d); });
  std::uint32_t last = kNone, number = kNone;
  for (Contact& c : contacts) {
    if (c.manifold != last) ++number;
    last = std::exchange(c.manifold, number);
  }
  return contacts;
}

// By bodies and shapes.
std::map<std::tuple<std::uint32_t, std::uint32_t, int, int>, float> deepest_of_shapes(
    const std::vector<Contact>& contacts) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, int, int>, float> deepest;
  for (const Contact& c : contacts) {
    float& depth = deepest.try_emplace({c.body_a, c.body_b, c.shape_a, c.shape_b}, c.depth).first->second;
    depth = std::max(depth, c.depth);
  }
  return deepest;
}

// Carts, masts, single shapes and a half space on rough ground, close enough to meet.
TestScene yard(std::size_t count, std::uint64_t seed, double roughness = 0.15) {
  TestScene scene(rough({31, 37, {-7.0, -6.0}, {0.5, 0.4}}, roughness, seed));
  scene.bodies_meet = true;
  scene.scene.compounds = {cart(), mast(), {part(box({0.3, 0.2, 0.25}, {0.1, 0.2, 0.3}, turn({1, 2, 3}, 0.7)))}};
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> x(-5.0, 5.0), y(-5.0, 5.0), z(0.0, 0.6), tilt(-0.3, 0.3), length(0.3, 3.0);
  for (std::size_t k = 0; k < count; ++k) {
    const dvec3 p(x(random), y(random), z(random));
    dquat q = k % 3 == 0 ? random_orientation(random) : turn({tilt(random), tilt(random), 1.0}, 3.0 * x(random));
    q *= length(random);
    BodySpec body = k % 5 == 4 ? sphere(0.35, p) : body_of(k % 5 == 3 ? 2 : k % 2, p, q);
    body.environment = static_cast<std::uint32_t>(k % 9 == 0 ? 1 : 0);
    scene.add(body);
    scene.scene.bodies.group[k] = k % 8 == 1 ? 1 : k % 8 == 2 ? 2 : 0;
  }
  BodySpec wall = half_space({4.0, 0.0, 0.0}, turn({0.0, -1.0, 0.0}, 1.2));
  scene.add(wall);
  scene.scene.environment_terrain = {0, -1};
  return scene;
}

// --------------------------------------------------------------------------------------------------------- contacts

TEST_P(Compound, OfOnePartHasTheContactsOfTheShapeBitForBit) {
  const Terrain ground = rough({21, 23, {-5.0, -4.0}, {0.5, 0.4}}, 0.1, 7);
  TestScene plain(ground), compound(ground);
  plain.bodies_meet = compound.bodies_meet = true;
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> x(-3.0, 3.0), z(0.0, 0.5), length(0.2, 5.0);
  for (std::size_t k = 0; k < 60; ++k) {
    const dvec3 p(x(random), x(random), z(random));
    const dquat q = length(random) * random_orientation(random);
    const BodySpec spec = k % 4 == 0   ? sphere(0.4, p)
                          : k % 4 == 1 ? box({0.3, 0.4, 0.2}, p, q)
                          : k % 4 == 2 ? cylinder(0.3, 0.3, p, q)
                                       : capsule(0.2, 0.3, p, q);
    plain.add(spec);
    compound.scene.compounds.push_back({{spec.shape, spec.size}});
    compound.add(body_of(k, p, spec.orientation));
  }
  const FrameContacts of_shapes = frame(plain), of_compounds = frame(compound);
  ASSERT_GT(of_shapes.body_pairs, 20U);
  EXPECT_TRUE(same_bits(of_compounds.contacts, of_shapes.contacts));
  EXPECT_EQ(of_compounds.pairs, of_shapes.pairs);
  EXPECT_EQ(of_compounds.body_pairs, of_shapes.body_pairs);
  EXPECT_EQ(of_compounds.moved_bodies, 60U);
}

TEST_P(Compound, PartsMeetWhatTheyWouldMeetAsBodiesOfAGroup) {
  for (const double margin : {0.0, 0.05}) {
    const TestScene scene = yard(120, 11);
    const ByHand hand = by_hand(scene);
    const FrameContacts found = frame(scene, margin), expected = frame(hand.scene, margin);
    const std::vector<Contact> contacts = named(hand, expected.contacts);
    ASSERT_GT(found.body_pairs, 50U);
    const auto depths = deepest_of_shapes(found.contacts);
    for (const auto& [shapes, depth] : deepest_of_shapes(contacts)) {
      ASSERT_TRUE(depths.contains(shapes));
      EXPECT_NEAR(depths.at(shapes), depth, 1e-6F);
    }
    EXPECT_EQ(depths.size(), deepest_of_shapes(contacts).size());
    EXPECT_EQ(found.candidates, expected.candidates);
    EXPECT_EQ(found.body_candidates, expected.body_candidates);
    EXPECT_EQ(found.unreduced, expected.unreduced);
    EXPECT_EQ(found.moved_bodies, scene.scene.bodies.count());
    // In double precision the last bits of the poses decide between equals, in single precision they are gone.
    if (GetParam() == "reference") continue;
    ASSERT_EQ(found.contacts.size(), contacts.size());
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      const Contact &c = found.contacts[k], &e = contacts[k];
      ASSERT_EQ(order_of(c), order_of(e)) << "contact " << k;
      ASSERT_EQ(c.feature, e.feature) << "contact " << k;
      ASSERT_EQ(c.material, e.material) << "contact " << k;
      EXPECT_LT(glm::distance(point_of(c), point_of(e)), 1e-5) << text(c) << text(e);
      EXPECT_LT(glm::distance(normal_of(c), normal_of(e)), 1e-5) << text(c) << text(e);
      EXPECT_NEAR(c.depth, e.depth, 1e-6F);
    }
  }
}

TEST_P(Compound, CountsPairsOfBodiesNotOfShapes) {
  const FrameContacts found = frame(yard(120, 12));
  std::uint64_t pairs = 0, body_pairs = 0;
  for (std::size_t k = 0; k < found.contacts.size(); ++k) {
    const Contact& c = found.contacts[k];
    if (k > 0 && found.contacts[k - 1].body_a == c.body_a && found.contacts[k - 1].body_b == c.body_b) continue;
    ++pairs;
    body_pairs += c.body_b == kTerrain ? 0 : 1;
  }
  ASSERT_GT(body_pairs, 20U);
  EXPECT_EQ(found.pairs, pairs);
  EXPECT_EQ(found.body_pairs, body_pairs);
}

TEST_P(Compound, HasItsContactsInTheOrderOfBodiesThenShapes) {
  const std::vector<Contact> found = frame(yard(120, 13)).contacts;
  ASSERT_GT(found.size(), 200U);
  std::uint32_t manifolds = 0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const bool goes_on = k > 0 && found[k].manifold == found[k - 1].manifold;
    if (k > 0) {
      EXPECT_LE(order_of(found[k - 1]), order_of(found[k]));
    }
    if (goes_on) {
      EXPECT_EQ(order_of(found[k]), order_of(found[k - 1]));
    } else {
      EXPECT_EQ(found[k].manifold, manifolds++);
    }
  }
}

TEST_P(Compound, StandsOnItsWheels) {
  TestScene scene(plane({}, 0.0, 0.0));
  scene.scene.compounds = {cart()};
  scene.add(body_of(0, {0.13, 0.07, 0.19}, turn({0.0, 0.0, 1.0}, 0.3)));
  const std::vector<Contact> found = contacts(scene);
  std::vector<std::uint16_t> shapes;
  for (const Contact& c : found) {
    EXPECT_EQ(c.body_a, 0U);
    EXPECT_EQ(c.body_b, kTerrain);
    EXPECT_EQ(c.shape_b, 0U);
    EXPECT_NEAR(c.depth, 0.01F, 1e-5F);
    shapes.push_back(c.shape_a);
  }
  shapes.erase(std::unique(shapes.begin(), shapes.end()), shapes.end());
  EXPECT_EQ(shapes, (std::vector<std::uint16_t>{1, 2, 3, 4}));
}

TEST_P(Compound, PartsOfOneBodyNeverMeet) {
  TestScene scene(std::vector<BodySpec>{});
  scene.scene.compounds = {mast()};
  scene.bodies_meet = true;
  scene.add(body_of(0, {0.0, 0.0, 0.0}));
  EXPECT_TRUE(frame(scene).contacts.empty());
  // Two bodies of the same compound do.
  scene.add(body_of(0, {0.3, 0.0, 0.0}));
  EXPECT_EQ(frame(scene).body_pairs, 1U);
}

TEST_P(Compound, TwoCartsMeetWithTheShapesThatTouch) {
  TestScene scene(std::vector<BodySpec>{});
  scene.bodies_meet = true;
  scene.scene.compounds = {cart()};
  // The front of one in the back of the other: hulls, and not a wheel.
  scene.add(body_of(0, {0.0, 0.0, 0.0}));
  scene.add(body_of(0, {1.21, 0.0, 0.0}, turn({0.0, 0.0, 1.0}, M_PI)));
  const std::vector<Contact> apart = contacts(scene);
  EXPECT_TRUE(apart.empty()) << text(apart);
  scene.position[3] = 1.19;
  const std::vector<Contact> hulls = contacts(scene);
  ASSERT_EQ(hulls.size(), 4U);
  for (const Contact& c : hulls) {
    EXPECT_EQ(std::tuple(c.body_a, c.body_b, c.shape_a, c.shape_b), std::tuple(0U, 1U, 0U, 0U));
    EXPECT_NEAR(c.depth, 0.01F, 1e-5F);
    EXPECT_NEAR(c.normal[0], -1.0F, 1e-5F);
  }
  // Side by side: wheels alone, the outer ones of each; the second stands the other way round.
  scene.position[3] = 0.0;
  scene.position[4] = 0.81;
  const std::vector<Contact> wheels = contacts(scene);
  std::map<std::pair<int, int>, int> met;
  for (const Contact& c : wheels) {
    ++met[{c.shape_a, c.shape_b}];
    EXPECT_NEAR(c.depth, 0.01F, 1e-5F);
    EXPECT_NEAR(c.normal[1], -1.0F, 1e-5F);
  }
  ASSERT_EQ(met.size(), 2U) << text(wheels);
  EXPECT_TRUE(met.contains({2, 4}));
  EXPECT_TRUE(met.contains({4, 2}));
}

// Depths of two bodies that are swapped: the contract's tolerance.
constexpr float kDepth = 1e-4F;  // [m]
constexpr float kRelativeDepth = 0.01F;

TEST_P(Compound, BodiesInAnotherOrderHaveTheSameContacts) {
  const TestScene scene = yard(90, 14);
  const std::size_t n = scene.scene.bodies.count();
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937_64 random(15);
  std::shuffle(order.begin(), order.end(), random);
  TestScene other = scene;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = order[k];
    other.scene.bodies.shape[k] = scene.scene.bodies.shape[i];
    other.scene.bodies.size[k] = scene.scene.bodies.size[i];
    other.scene.bodies.environment[k] = scene.scene.bodies.environment[i];
    other.scene.bodies.group[k] = scene.scene.bodies.group[i];
    std::copy_n(&scene.position[3 * i], 3, &other.position[3 * k]);
    std::copy_n(&scene.orientation[4 * i], 4, &other.orientation[4 * k]);
  }
  // The same shapes touch, as deep; which of them is A may be another one.
  std::vector<Contact> found = frame(other).contacts;
  for (Contact& c : found) {
    c.body_a = order[c.body_a];
    if (c.body_b != kTerrain) c.body_b = order[c.body_b];
    if (c.body_a < c.body_b) continue;
    std::swap(c.body_a, c.body_b);
    std::swap(c.shape_a, c.shape_b);
  }
  const auto expected_depths = deepest_of_shapes(frame(scene).contacts), depths = deepest_of_shapes(found);
  ASSERT_GT(expected_depths.size(), 60U);
  ASSERT_EQ(depths.size(), expected_depths.size());
  for (const auto& [shapes, depth] : expected_depths) {
    ASSERT_TRUE(depths.contains(shapes));
    EXPECT_NEAR(depths.at(shapes), depth, kDepth + kRelativeDepth * std::abs(depth));
  }
}

TEST_P(Compound, ThatIsTurnedTurnsItsContacts) {
  TestScene scene(std::vector<BodySpec>{});
  scene.bodies_meet = true;
  scene.scene.compounds = {cart(), mast()};
  scene.add(body_of(0, {0.0, 0.0, 0.0}));
  scene.add(body_of(1, {0.5, 0.2, 0.1}, turn({0.2, 0.9, 0.3}, 0.5)));
  const std::vector<Contact> upright = contacts(scene);
  ASSERT_GE(upright.size(), 3U);
  const dquat by = turn({0.3, -0.7, 0.4}, 1.1);
  const dvec3 to(3.0, -2.0, 5.0);
  TestScene turned = scene;
  for (std::size_t i = 0; i < 2; ++i) {
    const dvec3 p = to + by * dvec3(scene.position[3 * i], scene.position[3 * i + 1], scene.position[3 * i + 2]);
    const dquat q = by * dquat(scene.orientation[4 * i], scene.orientation[4 * i + 1], scene.orientation[4 * i + 2],
                               scene.orientation[4 * i + 3]);
    for (int a = 0; a < 3; ++a) turned.position[3 * i + static_cast<std::size_t>(a)] = p[a];
    const std::array<double, 4> wxyz{q.w, q.x, q.y, q.z};
    std::copy(wxyz.begin(), wxyz.end(), &turned.orientation[4 * i]);
  }
  const std::vector<Contact> found = contacts(turned);
  ASSERT_EQ(found.size(), upright.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_EQ(order_of(found[k]), order_of(upright[k]));
    EXPECT_LT(glm::distance(point_of(found[k]), to + by * point_of(upright[k])), 1e-5);
    EXPECT_LT(glm::distance(normal_of(found[k]), by * normal_of(upright[k])), 1e-5);
    EXPECT_NEAR(found[k].depth, upright[k].depth, 1e-5F);
  }
}

TEST_P(Compound, MeetsNothingOfAnotherEnvironmentGroupOrMask) {
  const auto touching = [&](const std::function<void(Bodies&)>& set) {
    TestScene scene(std::vector<BodySpec>{});
    scene.bodies_meet = true;
    scene.scene.compounds = {cart()};
    scene.add(body_of(0, {0.0, 0.0, 0.0}));
    scene.add(body_of(0, {0.5, 0.1, 0.0}));
    set(scene.scene.bodies);
    return frame(scene).body_pairs;
  };
  EXPECT_EQ(touching([](Bodies&) {}), 1U);
  EXPECT_EQ(touching([](Bodies& b) { b.group.clear(); }), 1U);
  EXPECT_EQ(touching([](Bodies& b) { b.environment[1] = 3; }), 0U);
  EXPECT_EQ(touching([](Bodies& b) { b.group = {7, 7}; }), 0U);
  EXPECT_EQ(touching([](Bodies& b) { b.group = {7, 0}; }), 1U);
  EXPECT_EQ(touching([](Bodies& b) { b.group = {-1, 1}; }), 1U);
  EXPECT_EQ(touching([](Bodies& b) { b.category = {1, 2}; }), 1U);
  EXPECT_EQ(touching([](Bodies& b) { b.mask = {1, 2}; }), 0U);
}

// The groups that parts get are nobody's: those of the bodies stay as they are, whatever numbers they have.
TEST_P(Compound, TakesNoGroupThatABodyHas) {
  TestScene scene(std::vector<BodySpec>{});
  scene.bodies_meet = true;
  scene.scene.compounds = {mast()};
  for (int k = 0; k < 8; ++k) {
    scene.add(k % 2 == 0 ? body_of(0, {0.4 * k, 0.0, 0.0}) : sphere(0.45, {0.4 * k, 0.0, 0.3}));
    scene.scene.bodies.group.back() = k % 2 == 0 ? 0 : k;  // 1, 3, 5, 7
  }
  // Each touches its neighbours and those after them, mast and mast, sphere and sphere.
  const FrameContacts found = frame(scene);
  const FrameContacts expected = frame(by_hand(scene).scene);
  EXPECT_GE(found.body_pairs, 13U);
  EXPECT_EQ(found.contacts.size(), expected.contacts.size());
}

TEST_P(Compound, SceneWithoutBodiesOrWithoutCompoundBodiesIsFine) {
  TestScene scene(std::vector<BodySpec>{});
  scene.scene.compounds = {cart(), mast()};
  EXPECT_TRUE(frame(scene).contacts.empty());
  scene.bodies_meet = true;
  scene.add(sphere(0.5, {0, 0, 0}));
  scene.add(sphere(0.5, {0.9, 0, 0}));
  EXPECT_EQ(frame(scene).contacts.size(), 1U);
}

TEST_P(Compound, OfTheLongestQuaternionsIsPlacedAsOfUnitOnes) {
  TestScene scene = yard(30, 16), longer = scene;
  for (std::size_t i = 0; i < scene.scene.bodies.count(); ++i) {
    double length = 0.0;
    for (std::size_t a = 0; a < 4; ++a) length = std::hypot(length, scene.orientation[4 * i + a]);
    for (std::size_t a = 0; a < 4; ++a) {
      scene.orientation[4 * i + a] /= length;
      longer.orientation[4 * i + a] = scene.orientation[4 * i + a] * 1.3e154;
    }
  }
  const FrameContacts expected = frame(scene), found = frame(longer);
  ASSERT_FALSE(expected.contacts.empty());
  ASSERT_EQ(found.contacts.size(), expected.contacts.size());
  for (std::size_t k = 0; k < found.contacts.size(); ++k)
    EXPECT_LT(glm::distance(point_of(found.contacts[k]), point_of(expected.contacts[k])), 1e-5);
}

// --------------------------------------------------------------------------------------------------- frame by frame

TEST_P(Compound, StagedAndUpdatedFramesAreTheSame) {
  const TestScene scene = yard(60, 17);
  Collider& collider = collider_on(GetParam());
  collider.set_scene(scene.scene);
  TestScene moving = scene;
  for (int k = 0; k < 4; ++k) {
    for (std::size_t i = 0; i < moving.position.size(); i += 3) moving.position[i] += 0.01 * k;
    const FrameContacts direct = collider.collide(moving.poses());
    ASSERT_GT(direct.contacts.size(), 50U);
    EXPECT_TRUE(same_bits(collider.collide_staged(collider.stage(moving.poses())).contacts, direct.contacts));
    EXPECT_TRUE(same_bits(collider.update(moving.poses()).contacts, direct.contacts));
    EXPECT_TRUE(same_bits(collider.take_frame().contacts, direct.contacts));
  }
}

TEST_P(Compound, ThatStaysWhereItIsKeepsItsContacts) {
  TestScene scene = yard(120, 18);
  const std::size_t n = scene.scene.bodies.count();
  Collider collider = [&] {
    Settings settings;
    settings.device = GetParam() == "opencl" ? opencl_device() : GetParam();
    return Collider(settings);
  }();
  collider.set_scene(scene.scene);
  (void)collider.collide(scene.poses());
  std::mt19937_64 random(19);
  for (const std::size_t moving : {1, 0, 12, 5, 119, 3, 0}) {
    std::vector<std::size_t> order(n - 1);  // all but the half space
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t k = 0; k < moving; ++k) scene.position[3 * order[k]] += 0.02;
    const bool staged = moving == 5 || moving == 3;
    const FrameContacts found =
        staged ? collider.collide_staged(collider.stage(scene.poses())) : collider.collide(scene.poses());
    Collider& fresh = collider_on(GetParam());
    fresh.set_scene(scene.scene);
    const FrameContacts expected = fresh.collide(scene.poses());
    ASSERT_FALSE(expected.contacts.empty());
    EXPECT_TRUE(same_bits(found.contacts, expected.contacts)) << moving << " moved";
    EXPECT_EQ(found.pairs, expected.pairs);
    EXPECT_EQ(found.body_pairs, expected.body_pairs);
    if (GetParam() == "opencl" && moving < 20) {
      EXPECT_EQ(found.moved_bodies, moving);
    }
  }
}

TEST_P(Compound, FollowsTheHeightsOfItsTerrain) {
  TestScene scene(plane({}, 0.0, 0.0));
  scene.scene.compounds = {cart()};
  scene.add(body_of(0, {0.13, 0.07, 0.25}));
  Collider& collider = collider_on(GetParam());
  collider.set_scene(scene.scene);
  EXPECT_TRUE(collider.collide(scene.poses()).contacts.empty());
  const Terrain& ground = scene.scene.terrains[0];
  const std::vector<double> raised(ground.heights.size(), 0.1);
  collider.update_heights(0, 0, 0, ground.rows, ground.cols, raised);
  EXPECT_EQ(collider.collide(scene.poses()).pairs, 1U);
}

TEST(CompoundOnBoth, DevicesAgreeWithinTheirTolerances) {
  if (opencl_device().empty()) GTEST_SKIP() << "no OpenCL device";
  for (const double margin : {0.0, 0.04}) {
    const TestScene scene = yard(150, 21, 0.03);
    Collider& collider = collider_on("opencl", margin);
    collider.set_scene(scene.scene);
    const FrameContacts found = collider.collide(scene.poses());
    ASSERT_GT(found.contacts.size(), 200U);
    EXPECT_TRUE(validates(scene, found.contacts, margin));
  }
}

}  // namespace
}  // namespace oclide::test
