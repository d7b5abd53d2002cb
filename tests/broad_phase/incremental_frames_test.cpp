// Frames in which few poses change: what has not moved is carried over, and the contacts are bit for bit those of a
// Collider that knows no frame before.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/mesh_shapes.hpp"
#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

class IncrementalFrames : public OnOpenCl {
 protected:
  static Collider on_device(double margin = 0.0, std::uint64_t memory_limit = 0) {
    Settings settings;
    settings.device = opencl_device();
    settings.margin = margin;
    settings.memory_limit = memory_limit;
    return Collider(settings);
  }
  // By a Collider that has seen nothing before.
  static FrameContacts anew(const TestScene& scene, double margin = 0.0) {
    Collider& collider = collider_on("opencl", margin);
    collider.set_scene(scene.scene);
    FrameContacts found = collider.collide(scene.poses());
    EXPECT_EQ(found.moved_bodies, scene.scene.bodies.count());
    return found;
  }
  static testing::AssertionResult same(const FrameContacts& found, const FrameContacts& expected) {
    if (found.pairs != expected.pairs || found.body_pairs != expected.body_pairs)
      return testing::AssertionFailure() << found.pairs << " pairs, " << found.body_pairs << " of bodies, expected "
                                         << expected.pairs << ", " << expected.body_pairs;
    return same_bits(found.contacts, expected.contacts);
  }
};

// A heap, with filters.
TestScene heaps(std::size_t count, std::uint64_t seed) {
  TestScene scene = heap(count, seed);
  for (std::size_t k = 0; k < count; ++k) scene.scene.bodies.group[k] = k % 11 == 0 ? 3 : 0;
  return scene;
}

void place(TestScene& scene, std::size_t body, dvec3 by) {
  for (int a = 0; a < 3; ++a) scene.position[3 * body + static_cast<std::size_t>(a)] += by[a];
}

TEST_F(IncrementalFrames, MatchFullRecompute) {
  TestScene scene = heaps(900, 31);
  for (const double margin : {0.0, 0.03}) {
    Collider collider = on_device(margin);
    collider.set_scene(scene.scene);
    std::mt19937_64 random(32);
    std::uniform_real_distribution<double> step(-0.1, 0.1), jump(-8.0, 8.0);
    for (const std::size_t moving : {900, 0, 1, 1, 9, 60, 225, 226, 30, 0, 64, 200, 200, 200, 3, 899}) {
      std::vector<std::uint32_t> order(900);
      for (std::uint32_t k = 0; k < 900; ++k) order[k] = k;
      std::shuffle(order.begin(), order.end(), random);
      for (std::size_t k = 0; k < moving; ++k) {
        const std::size_t i = order[k];
        place(scene, i, {step(random), step(random), step(random)});
        if (k % 5 == 0) {  // elsewhere
          scene.position[3 * i] = jump(random);
          scene.position[3 * i + 1] = 0.8 * jump(random);
        }
        if (k % 3 == 0) {
          const dquat q = random_orientation(random);
          for (int a = 0; a < 4; ++a)
            scene.orientation[4 * i + static_cast<std::size_t>(a)] = std::array{q.w, q.x, q.y, q.z}[std::size_t(a)];
        }
      }
      const FrameContacts expected = anew(scene, margin);
      ASSERT_GT(expected.body_pairs, 300U);
      ASSERT_GT(expected.pairs, expected.body_pairs + 100);
      const FrameContacts& found = collider.update(scene.poses());
      ASSERT_TRUE(same(found, expected)) << moving << " bodies moved, margin " << margin;
      if (moving <= 225) {
        EXPECT_EQ(found.moved_bodies, moving);
      }
      // Once more with nothing changed, as a frame of its own.
      const FrameContacts again = collider.collide(scene.poses());
      ASSERT_TRUE(same(again, expected)) << moving;
      EXPECT_EQ(again.moved_bodies, 0U);
      EXPECT_EQ(again.candidates + again.body_candidates + again.unreduced, 0U);
    }
  }
}

// Contacts with meshes are kept with their triangles, also where those of many frames are gathered anew.
TEST_F(IncrementalFrames, MatchFullRecomputeOnMeshes) {
  TestScene scene(std::vector<BodySpec>{});
  scene.bodies_meet = true;
  std::mt19937_64 random(47);
  std::uniform_real_distribution<double> at(-6.0, 6.0), height(-0.1, 0.3), step(-0.03, 0.03);
  scene.scene.meshes = {flat_sheet(30, 0.5), ball_mesh(0.8, 3)};
  for (std::size_t k = 0; k < scene.scene.meshes[0].vertices.size(); ++k)
    scene.scene.meshes[0].vertices[k][2] = height(random);
  for (std::size_t k = 0; k < scene.scene.meshes[0].triangles.size(); ++k)
    scene.scene.meshes[0].material.push_back(static_cast<std::uint8_t>(k % 7));
  scene.add({Shape::triangle_mesh, {0.0}, {-7.5, -7.5, 0.0}});
  for (std::size_t k = 0; k < 300; ++k)
    scene.add(of_any_shape(k, 0.3, {at(random), at(random), 0.3 + height(random)}, random_orientation(random)));
  scene.add({Shape::triangle_mesh, {1.0}, {0.0, 0.0, 0.6}, random_orientation(random)});
  const std::size_t count = scene.scene.bodies.count();
  Collider collider = on_device(0.01);
  collider.set_scene(scene.scene);
  for (int frame = 0; frame < 260; ++frame) {
    // Now and then both meshes among them.
    const std::size_t moving = frame % 20 == 0 ? 3 : 75;
    std::vector<std::uint32_t> order(count - 1);
    for (std::uint32_t k = 0; k < count - 1; ++k) order[k] = k + 1;
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t k = 0; k < moving; ++k) place(scene, order[k], {step(random), step(random), step(random)});
    if (frame % 20 == 0) {
      place(scene, 0, {step(random), 0.0, step(random)});
      place(scene, count - 1, {0.0, step(random), 0.0});
    }
    const FrameContacts& found = collider.update(scene.poses());
    if (frame > 0) {
      EXPECT_LE(found.moved_bodies, 77U);
    }
    if (frame % 10 == 0 || frame > 255) {
      const FrameContacts expected = anew(scene, 0.01);
      ASSERT_GT(expected.contacts.size(), 500U);
      ASSERT_TRUE(same(found, expected)) << "frame " << frame;
    }
  }
}

TEST_F(IncrementalFrames, FindBodiesThatGoFar) {
  TestScene scene = heaps(600, 33);
  Collider collider = on_device();
  collider.set_scene(scene.scene);
  std::mt19937_64 random(34);
  std::uniform_real_distribution<double> x(-9.0, 9.0), y(-8.0, 7.0), z(-0.2, 0.6);
  for (int frame = 0; frame < 150; ++frame) {
    for (int k = 0; k < 120; ++k) {
      const std::size_t i = random() % 600;
      scene.position[3 * i] = x(random);
      scene.position[3 * i + 1] = y(random);
      scene.position[3 * i + 2] = z(random);
    }
    const FrameContacts& found = collider.update(scene.poses());
    if (frame > 0) {
      EXPECT_LE(found.moved_bodies, 120U);
    }
    ASSERT_TRUE(same(found, anew(scene))) << "frame " << frame;
  }
}

// A pile whose contacts change often enough that superseded ones are dropped.
TEST_F(IncrementalFrames, MatchFullRecomputeInALongRun) {
  TestScene scene(std::vector<BodySpec>{});
  std::mt19937_64 random(35);
  std::uniform_real_distribution<double> at(-2.0, 2.0), step(-0.01, 0.01);
  for (int k = 0; k < 1600; ++k) scene.add(box({0.2, 0.15, 0.25}, {at(random), at(random), at(random)}));
  Collider collider = on_device();
  collider.set_scene(scene.scene);
  for (int frame = 0; frame < 40; ++frame) {
    for (int k = 0; k < 300; ++k) place(scene, random() % 1600, {step(random), step(random), step(random)});
    const FrameContacts& found = collider.update(scene.poses());
    ASSERT_GT(found.contacts.size(), 20000U);
    if (frame % 4 == 3) {
      ASSERT_TRUE(same(found, anew(scene))) << "frame " << frame;
    }
  }
}

TEST_F(IncrementalFrames, CountABodyAsMovedWhenAnyBitOfItsPoseChanged) {
  TestScene scene(plane({11, 13, {-6.0, -5.0}, {1.0, 1.0}}, 0.0, 0.0));
  for (int k = 0; k < 100; ++k) scene.add(sphere(0.3, {0.1 * k - 5.0, 0.0, 0.25}));
  Collider collider = on_device();
  collider.set_scene(scene.scene);
  EXPECT_EQ(collider.update(scene.poses()).moved_bodies, 100U);
  scene.position[3 * 40 + 1] = -0.0;
  EXPECT_EQ(collider.update(scene.poses()).moved_bodies, 1U);
  scene.position[3 * 41] = std::nextafter(scene.position[3 * 41], 100.0);
  const FrameContacts& found = collider.update(scene.poses());
  EXPECT_EQ(found.moved_bodies, 1U);
  EXPECT_TRUE(same(found, anew(scene)));
  for (std::size_t a = 0; a < 4; ++a) scene.orientation[4 * 99 + a] *= 2.0;
  EXPECT_EQ(collider.update(scene.poses()).moved_bodies, 1U);
}

TEST_F(IncrementalFrames, RecomputeAllWhenAHalfSpaceMoved) {
  TestScene scene = heaps(300, 36);
  Collider collider = on_device();
  collider.set_scene(scene.scene);
  ASSERT_TRUE(same(collider.update(scene.poses()), anew(scene)));
  place(scene, 300, {0.0, 0.0, 0.05});
  const FrameContacts& found = collider.update(scene.poses());
  EXPECT_EQ(found.moved_bodies, 301U);
  EXPECT_TRUE(same(found, anew(scene)));
}

TEST_F(IncrementalFrames, MatchFullRecomputeAfterNewHeights) {
  TestScene scene = heaps(300, 37);
  Collider collider = on_device();
  collider.set_scene(scene.scene);
  const std::size_t before = collider.update(scene.poses()).contacts.size();
  std::vector<double> heights(10 * 10, 0.9);
  collider.update_heights(0, 12, 14, 10, 10, heights);
  Terrain& t = scene.scene.terrains[0];
  for (std::size_t i = 0; i < 10; ++i)
    for (std::size_t j = 0; j < 10; ++j) t.heights[(12 + i) * t.cols + 14 + j] = 0.9;
  place(scene, 7, {0.01, 0.0, 0.0});
  const FrameContacts& found = collider.update(scene.poses());
  EXPECT_NE(found.contacts.size(), before);
  EXPECT_TRUE(same(found, anew(scene)));
}

TEST_F(IncrementalFrames, MatchFullRecomputeOfStagedFramesInAnyOrder) {
  TestScene scene = heaps(300, 38);
  Collider collider = on_device();
  collider.set_scene(scene.scene);
  // Staged in one order, collided in another.
  std::vector<TestScene> frames(4, scene);
  std::vector<Collider::StagedPoses> staged;
  for (std::size_t f = 0; f < frames.size(); ++f) {
    for (std::size_t i = 0; i < 10 * f; ++i) place(frames[f], i, {0.02 * static_cast<double>(f), 0.0, 0.01});
    staged.push_back(collider.stage(frames[f].poses()));
  }
  for (const std::size_t f : {2, 0, 3, 1}) {
    const FrameContacts found = collider.collide_staged(std::move(staged[f]));
    ASSERT_TRUE(same(found, anew(frames[f]))) << f;
    const FrameContacts& updated = collider.update(frames[(f + 1) % 4].poses());
    ASSERT_TRUE(same(updated, anew(frames[(f + 1) % 4]))) << f;
  }
  // A refused frame changes nothing.
  TestScene bad = scene;
  bad.position[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((void)collider.update(bad.poses()), Error);
  EXPECT_TRUE(same(collider.update(scene.poses()), anew(scene)));
}

// Few of them or most of them; what is refused never was.
TEST_F(IncrementalFrames, RefuseBadPosesByName) {
  TestScene scene = heaps(400, 46);
  Collider collider = on_device();
  collider.set_scene(scene.scene);
  const FrameContacts first = collider.update(scene.poses());
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
  for (const std::size_t moving : {5, 390}) {
    TestScene moved = scene;
    for (std::size_t k = 0; k < moving; ++k) place(moved, k, {0.001, 0.002, 0.0});
    const auto refused = [&](bool orientation, std::size_t number, double value) {
      TestScene bad = moved;
      (orientation ? bad.orientation : bad.position)[number] = value;
      if (value == 0.0) std::fill_n(bad.orientation.begin() + static_cast<std::ptrdiff_t>(number), 4, 0.0);
      try {
        (void)collider.update(bad.poses());
      } catch (const Error& e) {
        EXPECT_EQ(e.kind(), ErrorKind::invalid_input);
        return std::string(e.what());
      }
      return std::string("not refused");
    };
    EXPECT_EQ(refused(false, 3 * 4 + 1, nan), "position[4][1] is not finite");
    EXPECT_EQ(refused(false, 3 * 399 + 2, -infinite), "position[399][2] is not finite");
    EXPECT_EQ(refused(true, 4 * 3 + 2, infinite), "orientation[3] is not finite");
    EXPECT_EQ(refused(true, 4 * 200 + 3, nan), "orientation[200] is not finite");
    EXPECT_EQ(refused(true, 4 * 2, 0.0), "orientation[2] is a quaternion of zero length");
    EXPECT_EQ(collider.update(scene.poses()).moved_bodies, 0U);
    const FrameContacts& found = collider.update(moved.poses());
    EXPECT_EQ(found.moved_bodies, moving == 5 ? 5U : scene.scene.bodies.count());
    EXPECT_TRUE(same(found, anew(moved))) << moving;
    EXPECT_TRUE(same(collider.update(scene.poses()), first)) << moving;
  }
}

TEST_F(IncrementalFrames, MatchFullRecomputeUnderAMemoryLimit) {
  TestScene scene = heaps(2000, 39);
  for (const std::uint64_t limit : {16ULL << 20, 4ULL << 20, 3ULL << 20}) {
    Collider collider = on_device(0.0, limit);
    collider.set_scene(scene.scene);
    for (int frame = 0; frame < 4; ++frame) {
      for (std::size_t k = 0; k < 150; ++k) place(scene, 13 * k, {0.03, -0.01, 0.0});
      ASSERT_TRUE(same(collider.update(scene.poses()), anew(scene))) << limit << ", frame " << frame;
    }
  }
}

// Frames of thousands of bodies are kept in parts, of which those are written that changed: steps so small that every
// pair stays, steps that make pairs come and go, and frames that are not the Collider's own in between.
TEST_F(IncrementalFrames, MatchFullRecomputeWhenWrittenInParts) {
  TestScene scene = heaps(4500, 42);
  scene.add(half_space({0.0, 0.0, -0.4}));
  Collider collider = on_device();
  collider.set_scene(scene.scene);
  std::mt19937_64 random(43);
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  std::size_t same_places = 0, other_places = 0;
  FrameContacts last = collider.update(scene.poses());
  for (int frame = 0; frame < 60; ++frame) {
    const double way = std::array{1e-7, 1e-3, 0.05}[static_cast<std::size_t>(frame % 3)];
    const std::size_t moving = std::array{0, 1, 7, 40, 300}[static_cast<std::size_t>(frame % 5)];
    for (std::size_t k = 0; k < moving; ++k)
      place(scene, random() % 4500, {way * part(random), way * part(random), way * part(random)});
    const FrameContacts expected = anew(scene);
    switch (frame % 7) {
      case 2: {
        const FrameContacts other = collider.collide(scene.poses());
        ASSERT_TRUE(same(other, expected)) << "frame " << frame;
        break;
      }
      case 4: {
        const FrameContacts taken = collider.take_frame();
        ASSERT_TRUE(same(taken, last)) << "frame " << frame;
        EXPECT_TRUE(collider.take_frame().contacts.empty());
        break;
      }
      default:
        break;
    }
    const FrameContacts& found = collider.update(scene.poses());
    EXPECT_LE(found.moved_bodies, moving);
    ASSERT_TRUE(same(found, expected)) << "frame " << frame;
    const auto named = [](const Contact& a, const Contact& b) {
      return a.body_a == b.body_a && a.body_b == b.body_b && a.manifold == b.manifold;
    };
    const bool stays =
        std::equal(last.contacts.begin(), last.contacts.end(), found.contacts.begin(), found.contacts.end(), named);
    ++(stays ? same_places : other_places);
    last = found;
  }
  // Both kinds of frames were there.
  EXPECT_GT(same_places, 15U);
  EXPECT_GT(other_places, 10U);
}

// A half space that comes first has most pairs, and points relative to its partners.
TEST_F(IncrementalFrames, MatchFullRecomputeOnAHalfSpaceThatComesFirst) {
  TestScene scene(std::vector<BodySpec>{half_space({0.0, 0.0, 0.0})});
  std::mt19937_64 random(44);
  std::uniform_real_distribution<double> at(-12.0, 12.0), height(0.05, 0.35), step(-0.02, 0.02);
  for (std::size_t k = 0; k < 2500; ++k)
    scene.add(of_any_shape(k, 0.3, {at(random), at(random), height(random)}, random_orientation(random)));
  Collider collider = on_device();
  collider.set_scene(scene.scene);
  for (int frame = 0; frame < 12; ++frame) {
    const FrameContacts& found = collider.update(scene.poses());
    ASSERT_GT(found.contacts.size(), 2000U);
    ASSERT_TRUE(same(found, anew(scene))) << "frame " << frame;
    for (int k = 0; k < 30; ++k) place(scene, 1 + random() % 2500, {step(random), step(random), step(random)});
  }
}

// More of them than what they could have in pairs has room in 32 bits, then few.
TEST_F(IncrementalFrames, OfAVeryLargeSceneMatchFullRecompute) {
  TestScene scene(std::vector<BodySpec>{});
  constexpr std::size_t kSide = 54, kBodies = kSide * kSide * kSide;
  std::mt19937_64 random(45);
  std::uniform_real_distribution<double> off(-0.05, 0.05);
  for (std::size_t k = 0; k < kBodies; ++k)
    scene.add(sphere(0.1, dvec3(k % kSide, k / kSide % kSide, k / kSide / kSide) * 0.21 +
                              dvec3(off(random), off(random), off(random))));
  Collider collider = on_device();
  collider.set_scene(scene.scene);
  (void)collider.update(scene.poses());
  for (const std::size_t moving : {kBodies / 4, std::size_t{40}, std::size_t{0}}) {
    for (std::size_t k = 0; k < moving; ++k)
      place(scene, k * (kBodies / std::max<std::size_t>(moving, 1)), {off(random), off(random), off(random)});
    ASSERT_TRUE(moving < 1000 || moving * kBodies > 0xFFFFFFFFU);
    const FrameContacts& found = collider.update(scene.poses());
    EXPECT_EQ(found.moved_bodies, moving);
    EXPECT_GT(found.body_pairs, kBodies / 4);
    ASSERT_TRUE(same(found, anew(scene))) << moving;
  }
}

TEST_F(IncrementalFrames, MatchFullRecomputeAfterANewScene) {
  TestScene one = heaps(200, 40), other = heaps(200, 41);
  Collider collider = on_device();
  collider.set_scene(one.scene);
  (void)collider.update(one.poses());
  other.position = one.position;
  other.orientation = one.orientation;
  collider.set_scene(other.scene);
  EXPECT_TRUE(same(collider.update(other.poses()), anew(other)));
}

}  // namespace
}  // namespace oclide::test
