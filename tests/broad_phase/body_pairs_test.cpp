// Which bodies meet: all that touch and no others, whatever their sizes, places, environments and filters, and in the
// order of the contact file. Spheres, whose touching is arithmetic; the other shapes where the order is the matter.
#include <algorithm>
#include <map>
#include <set>

#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

using Pair = std::pair<std::uint32_t, std::uint32_t>;

class BodyPairs : public OnEachDevice {};
OCLIDE_ON_EACH_DEVICE(BodyPairs);

class BodyPairsOnDevice : public OnOpenCl {
 protected:
  static FrameContacts frame(const TestScene& scene, std::uint64_t memory_limit = 0) {
    Settings settings;
    settings.device = opencl_device();
    settings.memory_limit = memory_limit;
    Collider collider(settings);
    collider.set_scene(scene.scene);
    return collider.collide(scene.poses());
  }
};

dvec3 position_of(const TestScene& scene, std::size_t i) {
  return {scene.position[3 * i], scene.position[3 * i + 1], scene.position[3 * i + 2]};
}

bool filters_let_meet(const Bodies& b, std::size_t i, std::size_t j) {
  const auto value = [](const auto& array, std::size_t k, auto otherwise) {
    return array.empty() ? otherwise : array[k];
  };
  if (value(b.environment, i, 0U) != value(b.environment, j, 0U)) return false;
  if (value(b.group, i, 0) != 0 && value(b.group, i, 0) == value(b.group, j, 0)) return false;
  return (value(b.category, i, 1U) & value(b.mask, j, ~0U)) != 0 &&
         (value(b.category, j, 1U) & value(b.mask, i, ~0U)) != 0;
}

// Pairs of spheres that touch by more than rounding, and those that rounding decides.
struct Expected {
  std::set<Pair> touching, either;
};
Expected expected_pairs(const TestScene& scene, double margin = 0.0) {
  Expected expected;
  const Bodies& b = scene.scene.bodies;
  for (std::size_t i = 0; i < b.count(); ++i)
    for (std::size_t j = i + 1; j < b.count(); ++j) {
      if (!filters_let_meet(b, i, j)) continue;
      const double reach = b.size[i][0] + b.size[j][0] + margin;
      const double overlap = reach - glm::distance(position_of(scene, i), position_of(scene, j));
      const Pair pair(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j));
      if (overlap > 1e-6 * reach) expected.touching.insert(pair);
      if (overlap > -1e-6 * reach) expected.either.insert(pair);
    }
  return expected;
}

std::set<Pair> pairs_of(std::span<const Contact> contacts) {
  std::set<Pair> pairs;
  for (const Contact& c : contacts)
    if (c.body_b != kTerrain) pairs.insert({c.body_a, c.body_b});
  return pairs;
}

testing::AssertionResult in_order(const FrameContacts& frame) {
  for (std::size_t k = 0; k < frame.contacts.size(); ++k) {
    const Contact& c = frame.contacts[k];
    if (c.body_a >= c.body_b) return testing::AssertionFailure() << "A after B: " << text(c);
    if (k == 0) {
      if (c.manifold != 0) return testing::AssertionFailure() << "manifolds begin at " << c.manifold;
      continue;
    }
    const Contact& before = frame.contacts[k - 1];
    if (Pair(before.body_a, before.body_b) > Pair(c.body_a, c.body_b))
      return testing::AssertionFailure() << "order: " << text(before) << text(c);
    const bool same_pair = before.body_a == c.body_a && before.body_b == c.body_b;
    if (c.manifold != before.manifold && c.manifold != before.manifold + 1)
      return testing::AssertionFailure() << "manifold " << before.manifold << " then " << c.manifold;
    if (same_pair && c.body_b != kTerrain && c.manifold != before.manifold)
      return testing::AssertionFailure() << "two manifolds of one pair: " << text(c);
    if (!same_pair && c.manifold == before.manifold)
      return testing::AssertionFailure() << "one manifold of two pairs: " << text(c);
  }
  return testing::AssertionSuccess();
}

testing::AssertionResult as_expected(const TestScene& scene, const FrameContacts& frame, double margin = 0.0) {
  const Expected expected = expected_pairs(scene, margin);
  const std::set<Pair> found = pairs_of(frame.contacts);
  for (const Pair& p : expected.touching)
    if (!found.contains(p)) return testing::AssertionFailure() << "missed " << p.first << ", " << p.second;
  for (const Pair& p : found)
    if (!expected.either.contains(p)) return testing::AssertionFailure() << "false " << p.first << ", " << p.second;
  if (frame.body_pairs != found.size())
    return testing::AssertionFailure() << "body_pairs " << frame.body_pairs << " for " << found.size();
  return in_order(frame);
}

TestScene spheres(std::size_t count, std::uint64_t seed, double half_width, double smallest, double largest) {
  TestScene scene(std::vector<BodySpec>{});
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> at(-half_width, half_width), exponent(std::log(smallest), std::log(largest));
  for (std::size_t k = 0; k < count; ++k)
    scene.add(sphere(std::exp(exponent(random)), {at(random), at(random), 0.3 * at(random)}));
  return scene;
}

TEST_P(BodyPairs, OfAnyNumberOfBodiesAreFound) {
  for (const std::size_t n : {0, 1, 2, 3, 7, 8, 9, 63, 64, 65, 511, 512, 513, 1031}) {
    const TestScene scene = spheres(n, 100 + n, 2.0, 0.1, 0.5);
    const FrameContacts found = frame(scene);
    EXPECT_TRUE(as_expected(scene, found)) << n;
    if (n >= 63) {
      EXPECT_GT(found.body_pairs, 10U) << n;
    }
  }
}

TEST_P(BodyPairs, OfSizesOneToAThousandAreFound) {
  const TestScene scene = spheres(1500, 7, 60.0, 0.02, 20.0);
  const FrameContacts found = frame(scene);
  EXPECT_GT(found.body_pairs, 1000U);
  EXPECT_TRUE(as_expected(scene, found));
}

// The way from the centre to the farthest point of a body: a corner, a point of a rim, an end.
dvec3 farthest(const BodySpec& body) {
  switch (body.shape) {
    case Shape::box:
      return {body.size[0], body.size[1], body.size[2]};
    case Shape::cylinder:
      return {body.size[0], 0.0, body.size[1]};
    case Shape::capsule:
      return {0.0, 0.0, body.size[0] + body.size[1]};
    default:
      return {0.0, 0.0, body.size[0]};
  }
}

// There the balls around two bodies touch as well.
TEST_P(BodyPairs, ThatTouchWithTheirFarthestPointsAloneAreFound) {
  constexpr std::size_t kPairs = 1600;
  std::mt19937_64 random(21);
  std::uniform_real_distribution<double> component(-1.0, 1.0), radius(0.1, 0.5);
  for (const double overlap : {2e-4, -1e-3}) {
    TestScene scene(std::vector<BodySpec>{});
    for (std::size_t k = 0; k < kPairs; ++k) {
      const dvec3 along = glm::normalize(dvec3(component(random), component(random), component(random)));
      const dvec3 at(4.0 * static_cast<double>(k % 40) - 80.0, 4.0 * static_cast<double>(k / 40) - 60.0, 500.0);
      double gap = -overlap;
      std::array<BodySpec, 2> bodies{of_any_shape(k % 4, radius(random), at, kUpright),
                                     of_any_shape(k / 4 % 4, radius(random), at, kUpright)};
      for (BodySpec& body : bodies) {
        const dvec3 from = glm::normalize(farthest(body)), to = &body == &bodies[0] ? along : -along;
        body.orientation = glm::normalize(dquat(1.0 + glm::dot(from, to), glm::cross(from, to)));
        gap += glm::length(farthest(body));
      }
      bodies[1].position += along * gap;
      for (const BodySpec& body : bodies) scene.add(body);
    }
    EXPECT_EQ(frame(scene).body_pairs, overlap > 0.0 ? kPairs : 0U) << overlap;
  }
}

TEST_P(BodyPairs, InClustersTenKilometresApartAreFound) {
  TestScene scene(std::vector<BodySpec>{});
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> at(-0.6, 0.6);
  for (int k = 0; k < 1000; ++k) {
    const dvec3 home = k % 2 == 0 ? dvec3(-9000.0, 4000.0, 10.0) : dvec3(1000.0, -9500.0, -300.0);
    scene.add(sphere(0.05 + 0.02 * std::abs(at(random)), home + dvec3(at(random), at(random), at(random))));
  }
  const FrameContacts found = frame(scene);
  EXPECT_GT(found.body_pairs, 500U);
  EXPECT_TRUE(as_expected(scene, found));
}

TEST_P(BodyPairs, AreFoundWhereSomeBodiesHaveFallenOutOfTheWorld) {
  TestScene scene = spheres(800, 9, 2.5, 0.1, 0.3);
  for (const double far : {1e6, -1e7, 1e9, -1e12}) {
    scene.add(sphere(0.2, {far, 0.0, 0.0}));
    scene.add(sphere(0.2, {0.0, far, -far}));
  }
  const FrameContacts found = frame(scene);
  EXPECT_GT(found.body_pairs, 300U);
  EXPECT_TRUE(as_expected(scene, found));
}

TEST_P(BodyPairs, AllInOnePlaceAreAllPairs) {
  TestScene scene(std::vector<BodySpec>{});
  constexpr std::uint64_t kBodies = 700;
  for (std::uint64_t k = 0; k < kBodies; ++k) scene.add(sphere(0.5, {1.0, 2.0, 3.0}));
  const FrameContacts found = frame(scene);
  EXPECT_EQ(found.body_pairs, kBodies * (kBodies - 1) / 2);
  EXPECT_EQ(found.contacts.size(), kBodies * (kBodies - 1) / 2);
  EXPECT_TRUE(in_order(found));
}

TEST_P(BodyPairs, OfDifferentEnvironmentsNeverMeet) {
  TestScene scene(std::vector<BodySpec>{});
  std::mt19937_64 random(10);
  std::uniform_real_distribution<double> at(-0.7, 0.7);
  constexpr std::uint32_t kEnvironments = 150;
  for (int k = 0; k < 1500; ++k) {
    BodySpec body = sphere(0.2, {at(random), at(random), at(random)});
    body.environment = static_cast<std::uint32_t>(random() % kEnvironments) * 1000003U;
    scene.add(body);
  }
  const FrameContacts found = frame(scene);
  EXPECT_GT(found.body_pairs, 500U);
  EXPECT_TRUE(as_expected(scene, found));
  EXPECT_LT(found.body_candidates, 10U * found.body_pairs);
}

TEST_P(BodyPairs, ThatAFilterKeepsApartNeverMeet) {
  TestScene scene = spheres(600, 11, 1.5, 0.15, 0.4);
  Bodies& b = scene.scene.bodies;
  std::mt19937_64 random(12);
  for (std::size_t k = 0; k < b.count(); ++k) {
    b.group[k] = static_cast<std::int32_t>(random() % 7) - 3;
    b.category.push_back(1U << (random() % 3) | (random() % 2 == 0 ? 0x80000000U : 0U));
    b.mask.push_back(static_cast<std::uint32_t>(random() % 8) | (random() % 4 == 0 ? 0x80000000U : 0U));
  }
  b.category[0] = 0;
  b.mask[1] = 0;
  const FrameContacts found = frame(scene);
  EXPECT_GT(found.body_pairs, 100U);
  EXPECT_TRUE(as_expected(scene, found));
}

TEST_P(BodyPairs, WithHalfSpacesOfTheirEnvironmentAreFoundAndHalfSpacesNeverMeet) {
  TestScene scene(std::vector<BodySpec>{});
  std::mt19937_64 random(13);
  std::uniform_real_distribution<double> at(-3.0, 3.0);
  std::vector<dquat> plane;
  for (std::uint32_t e = 0; e < 3; ++e)
    for (int k = 0; k < 2; ++k) {
      BodySpec body = half_space({0.1 * at(random), 0.1 * at(random), -0.5}, turn({at(random), at(random), 0.1}, 0.4));
      body.environment = e;
      scene.add(body);
    }
  for (int k = 0; k < 300; ++k) {
    BodySpec body = sphere(0.3, {at(random), at(random), at(random)});
    body.environment = static_cast<std::uint32_t>(k % 4);  // the last has no half space
    scene.add(body);
  }
  const FrameContacts found = frame(scene);
  ASSERT_TRUE(in_order(found));
  const std::set<Pair> pairs = pairs_of(found.contacts);
  std::size_t with_half_spaces = 0;
  for (std::uint32_t h = 0; h < 6; ++h)
    for (std::uint32_t i = 0; i < scene.scene.bodies.count(); ++i) {
      if (i == h) continue;
      const dquat q(scene.orientation[4 * h], scene.orientation[4 * h + 1], scene.orientation[4 * h + 2],
                    scene.orientation[4 * h + 3]);
      const double height = glm::dot(position_of(scene, i) - position_of(scene, h), q * dvec3(0.0, 0.0, 1.0));
      const bool meet = i >= 6 && scene.scene.bodies.environment[i] == scene.scene.bodies.environment[h];
      const bool touches = meet && height < 0.3;
      if (meet && std::abs(height - 0.3) < 1e-6) continue;
      EXPECT_EQ(pairs.contains({std::min(h, i), std::max(h, i)}), touches) << h << " " << i << " " << height;
      with_half_spaces += touches ? 1U : 0U;
    }
  EXPECT_GT(with_half_spaces, 50U);
}

// Numbers that are floats go to a device as they are, of whatever length they make the quaternion.
TEST_P(BodyPairs, WithHalfSpacesWhoseOrientationsAreFloatsAreFound) {
  std::mt19937_64 random(17);
  std::uniform_real_distribution<double> at(-3.0, 3.0), angle(-3.0, 3.0), scale(0.3, 3.0);
  std::size_t touching = 0;
  for (int k = 0; k < 24; ++k) {
    dquat q = turn({at(random), at(random), at(random)}, angle(random));
    if (k < 4) q = dquat(0.5, k % 2 == 0 ? 0.5 : -0.5, 0.5, k < 2 ? 0.5 : -0.5);
    if (k >= 12) q = q * scale(random);
    for (int c = 0; c < 4; ++c) q[c] = static_cast<double>(static_cast<float>(q[c]));
    TestScene scene(std::vector<BodySpec>{});
    scene.add(half_space({0.2, -0.1, 0.3}, q));
    const dvec3 normal = glm::normalize(q) * dvec3(0.0, 0.0, 1.0);
    std::vector<double> least;  // height of the lowest point of each
    for (int i = 0; i < 60; ++i) {
      const dvec3 p(at(random), at(random), at(random));
      const dquat turned = random_orientation(random);
      const dvec3 axis = turned * dvec3(0.0, 0.0, 1.0);
      const double height = glm::dot(p - dvec3(0.2, -0.1, 0.3), normal), along = std::abs(glm::dot(axis, normal));
      if (i % 2 == 0) {
        scene.add(sphere(0.3, p));
        least.push_back(height - 0.3);
      } else {
        scene.add(cylinder(0.3, 0.5, p, turned));
        least.push_back(height - 0.5 * along - 0.3 * std::sqrt(std::max(0.0, 1.0 - along * along)));
      }
    }
    scene.scene.bodies.group.assign(61, 1);  // the bodies do not meet each other
    scene.scene.bodies.group[0] = 0;
    const std::set<Pair> pairs = pairs_of(frame(scene).contacts);
    for (std::uint32_t i = 0; i < 60; ++i) {
      if (std::abs(least[i]) < 1e-6) continue;
      EXPECT_EQ(pairs.contains({0, i + 1}), least[i] < 0.0) << k << " " << i << " " << least[i];
      touching += least[i] < 0.0 ? 1U : 0U;
    }
  }
  EXPECT_GT(touching, 500U);
}

TEST_P(BodyPairs, ApartByLessThanTheMarginAreFound) {
  const TestScene scene = spheres(900, 14, 4.0, 0.1, 0.3);
  const FrameContacts without = frame(scene), with = frame(scene, 0.08);
  EXPECT_GT(with.body_pairs, without.body_pairs + 50);
  EXPECT_TRUE(as_expected(scene, with, 0.08));
  EXPECT_TRUE(as_expected(scene, without));
}

TEST_P(BodyPairs, StandBeforeTerrain) {
  TestScene scene(plane({11, 13, {-6.0, -5.0}, {1.0, 1.0}}, 0.0, 0.0));
  scene.bodies_meet = true;
  scene.add(sphere(0.5, {0.0, 0.0, 0.45}));
  scene.add(sphere(0.5, {0.8, 0.0, 0.45}));
  scene.add(sphere(0.5, {0.4, 0.6, 0.45}));
  const FrameContacts found = frame(scene);
  ASSERT_TRUE(in_order(found));
  ASSERT_EQ(found.contacts.size(), 6U);
  EXPECT_EQ(found.pairs, 6U);
  EXPECT_EQ(found.body_pairs, 3U);
  const std::vector<Pair> expected{{0, 1}, {0, 2}, {0, kTerrain}, {1, 2}, {1, kTerrain}, {2, kTerrain}};
  for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(Pair(found.contacts[k].body_a, found.contacts[k].body_b), expected[k]);
}

// A heap of all four shapes.
TestScene mixed(std::size_t count, std::uint64_t seed) {
  TestScene scene(std::vector<BodySpec>{});
  std::mt19937_64 random(seed);
  const double half_width = 0.35 * std::cbrt(static_cast<double>(count));
  std::uniform_real_distribution<double> at(-half_width, half_width), size(0.2, 0.45);
  for (std::size_t k = 0; k < count; ++k) {
    const dvec3 p(at(random), at(random), at(random));
    const dquat q = random_orientation(random);
    const double s = size(random);
    scene.add(of_any_shape(k, s, p, q));
  }
  scene.add(half_space({0.0, 0.0, -0.5 * half_width}));
  return scene;
}

TEST_F(BodyPairsOnDevice, DoNotDependOnTheOrderOfBodies) {
  const TestScene scene = mixed(1501, 15);
  const std::size_t n = scene.scene.bodies.count();
  std::vector<std::uint32_t> old_of_new(n);
  for (std::uint32_t k = 0; k < n; ++k) old_of_new[k] = k;
  std::mt19937_64 random(16);
  std::shuffle(old_of_new.begin(), old_of_new.end(), random);
  TestScene shuffled(std::vector<BodySpec>{});
  for (const std::uint32_t i : old_of_new) {
    const dquat q(scene.orientation[4 * i], scene.orientation[4 * i + 1], scene.orientation[4 * i + 2],
                  scene.orientation[4 * i + 3]);
    shuffled.add({scene.scene.bodies.shape[i], scene.scene.bodies.size[i], position_of(scene, i), q});
  }
  const FrameContacts a = frame(scene), b = frame(shuffled);
  ASSERT_GT(a.body_pairs, 1500U);
  ASSERT_EQ(a.contacts.size(), b.contacts.size());
  EXPECT_EQ(a.body_candidates, b.body_candidates);
  std::map<Pair, std::vector<Contact>> of_pair;
  for (const Contact& c : a.contacts) of_pair[{c.body_a, c.body_b}].push_back(c);
  std::map<Pair, std::size_t> seen;
  for (const Contact& c : b.contacts) {
    const std::uint32_t i = old_of_new[c.body_a], j = old_of_new[c.body_b];
    const Pair pair(std::min(i, j), std::max(i, j));
    const std::size_t at = seen[pair]++;
    ASSERT_LT(at, of_pair[pair].size());
    const Contact& before = of_pair[pair][at];
    const float sign = i < j ? 1.0F : -1.0F;
    EXPECT_EQ(c.depth, before.depth);
    EXPECT_EQ(c.feature, before.feature);
    for (std::size_t x = 0; x < 3; ++x) {
      EXPECT_EQ(c.normal[x], sign * before.normal[x]);
      if (i < j)
        EXPECT_EQ(c.point[x], before.point[x]);
      else
        EXPECT_NEAR(c.point[x], before.point[x] + static_cast<double>(before.depth * before.normal[x]), 2e-6);
    }
  }
}

TEST_F(BodyPairsOnDevice, ProcessedInSlicesHaveTheSameBits) {
  const TestScene scene = mixed(6000, 17);
  const FrameContacts expected = frame(scene);
  ASSERT_GT(expected.body_pairs, 6000U);
  int worked = 0;
  for (const std::uint64_t bytes : {32ULL << 20, 8ULL << 20, 4ULL << 20, 3ULL << 20, 1ULL << 20}) {
    try {
      const FrameContacts found = frame(scene, bytes);
      EXPECT_TRUE(same_bits(found.contacts, expected.contacts)) << bytes;
      EXPECT_EQ(found.pairs, expected.pairs);
      EXPECT_EQ(found.body_pairs, expected.body_pairs);
      EXPECT_EQ(found.body_candidates, expected.body_candidates);
      ++worked;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::device);
      EXPECT_LE(bytes, 1ULL << 20) << e.what();
      EXPECT_NE(std::string(e.what()).find("bytes"), std::string::npos) << e.what();
    }
  }
  EXPECT_GE(worked, 3);
}

TEST_F(BodyPairsOnDevice, OfCoincidentBodiesAreCountedAndProcessedInSlices) {
  TestScene scene(std::vector<BodySpec>{});
  constexpr std::uint64_t kBodies = 1800;
  for (std::uint64_t k = 0; k < kBodies; ++k) scene.add(sphere(0.5, {1.0, 2.0, 3.0}));
  const FrameContacts found = frame(scene, 12ULL << 20);
  EXPECT_EQ(found.body_candidates, kBodies * (kBodies - 1) / 2);
  EXPECT_EQ(found.contacts.size(), kBodies * (kBodies - 1) / 2);
  EXPECT_TRUE(in_order(found));
}

// A cylinder's box reaches as far as its rim: by radius times sine more than its base's centre, of which 1 less the
// cosine's square says little. Each by itself, with a ball under the rim's lowest point, or on a half space.
TEST_P(BodyPairs, OfNearlyUprightCylindersAreAllThatTheirRimsTouch) {
  constexpr double kDepth = 2e-4;
  for (const bool on_half_space : {false, true}) {
    TestScene scene(std::vector<BodySpec>{});
    std::vector<std::uint32_t> environment;
    for (const double radius : {0.5, 5.0, 45.0})
      for (int axis = 0; axis < 3; ++axis)
        for (int k = 0; k < 60; ++k) {
          dvec3 down(0.0), aside(0.0);
          down[axis] = k % 2 == 0 ? -1.0 : 1.0;
          aside[(axis + 1) % 3] = std::cos(2.4 * k);
          aside[(axis + 2) % 3] = std::sin(2.4 * k);
          const dquat q = turn(aside, 1e-6 * std::pow(10.0, 0.06 * k)) *
                          turn(glm::cross(dvec3(0, 0, 1), -down) + dvec3(axis == 2 ? 1.0 : 0.0, 0, 0),
                               std::acos(glm::dot(dvec3(0, 0, 1), -down)));
          const dvec3 v = q * dvec3(0, 0, 1);
          const dvec3 base = v * (glm::dot(v, down) * 0.8 * radius / std::abs(glm::dot(v, down)));
          const dvec3 rim = base + radius * glm::normalize(down - v * glm::dot(v, down));
          scene.add(cylinder(radius, 0.8 * radius, {}, q));
          if (on_half_space) {
            const dvec3 up = -down;
            scene.add(half_space(rim - kDepth * down,
                                 turn(glm::cross(dvec3(0, 0, 1), up) + dvec3(axis == 2 ? 1.0 : 0.0, 0, 0),
                                      std::acos(glm::dot(dvec3(0, 0, 1), up)))));
          } else {
            scene.add(sphere(0.05, rim + (0.05 - kDepth) * down));
          }
          environment.insert(environment.end(), 2, static_cast<std::uint32_t>(environment.size() / 2));
        }
    scene.scene.bodies.environment = environment;
    std::set<std::uint32_t> touching;
    for (const Contact& c : contacts(scene)) touching.insert(c.body_a);
    EXPECT_EQ(touching.size(), scene.scene.bodies.count() / 2) << on_half_space;
  }
}

TEST_F(BodyPairsOnDevice, OfOneColliderMatchColdOnesSceneAfterScene) {
  Settings settings;
  settings.device = opencl_device();
  Collider collider(settings);
  for (const std::size_t n : {900, 3, 2500, 0, 40}) {
    const TestScene scene =
        spheres(n, 20 + n, 0.15 * static_cast<double>(n + 1), 0.1, 0.5 + 0.01 * static_cast<double>(n));
    collider.set_scene(scene.scene);
    for (int again = 0; again < 2; ++again) EXPECT_TRUE(as_expected(scene, collider.collide(scene.poses()))) << n;
  }
}

}  // namespace
}  // namespace oclide::test
