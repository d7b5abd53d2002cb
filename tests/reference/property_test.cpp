// What must hold for any body on any ground, without looking at how contacts are defined.
#include <random>

#include "hulls/point_clouds.hpp"
#include "reference/two_bodies.hpp"
#include "validation/solid_overlap.hpp"
#include "validation/true_contact.hpp"

namespace oclide::test {
namespace {

struct Roughness {
  const char* name;
  double height;  // of random heights, in cells
  bool holes;
  bool hulls = false;  // no body has another shape
};

struct Case {
  Terrain terrain;
  OneBody body;
  double sunk;  // greatest vertical gap [m]
  bool shallow;
};

class TerrainProperties : public testing::TestWithParam<Roughness> {
 protected:
  static int cases() { return GetParam().hulls ? 400 : 1500; }
  double between(double a, double b) { return std::uniform_real_distribution<double>(a, b)(random_); }
  bool one_in(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_) == 0; }

  // A body of any shape sunk into random ground by a known vertical gap; false where it stands beside the ground.
  bool next(Case& c) {
    const double cell = between(0.2, 1.5), rough = GetParam().height * cell;
    c.terrain = make_terrain(8, 9, {-4.0 * cell, -3.85 * cell}, {cell, 1.1 * cell},
                             [&](double, double) { return between(-rough, rough); });
    if (GetParam().holes) {
      c.terrain.holes.assign(7 * 8, 0);
      for (auto& hole : c.terrain.holes) hole = one_in(7) ? 1 : 0;
    }
    const double size = between(0.1, 1.0);
    c.body = {};
    if (!GetParam().hulls) c.body.shape = static_cast<Shape>(std::uniform_int_distribution<int>(0, 3)(random_));
    c.body.size = {size * between(0.1, 1.0), size * between(0.1, 1.0), size * between(0.1, 1.0)};
    if (GetParam().hulls)
      c.body = hulled(some_points(dvec3(c.body.size[0], c.body.size[1], c.body.size[2])), dvec3(0.0));
    c.body.orientation = one_in(3) ? kUpright : turn({between(-1, 1), between(-1, 1), between(-1, 1)}, between(0, 3));
    const double reach = one_in(4) ? 5.0 * cell : 2.5 * cell;
    c.body.position = {between(-reach, reach), between(-reach, reach), -20.0};
    const double gap = validation::overlap_depth_vertical(c.body.body(), c.body.ground(c.terrain));
    if (!std::isfinite(gap)) return false;
    c.shallow = !one_in(4);
    c.sunk = c.shallow ? between(0.0, 0.1) * size : between(0.0, 2.0);
    c.body.position.z += gap - c.sunk;
    return true;
  }

  // Corners of a box, or any points; the body's position is in their middle or not.
  Points some_points(dvec3 half) {
    Points points = one_in(3) ? grid_on_box(dvec3(1.0), 2) : in_ball(4 + random_() % 29, random_());
    return changed(points, dmat3(half.x, 0, 0, 0, half.y, 0, 0, 0, half.z), one_in(2) ? dvec3(0.0) : 0.7 * half);
  }

  std::mt19937_64 random_{20};
};

TEST_P(TerrainProperties, EveryContactIsTrueAndEveryOverlapIsFound) {
  int touching = 0;
  Case c;
  for (int i = 0; i < cases(); ++i) {
    if (!next(c)) continue;
    SCOPED_TRACE("case " + std::to_string(i) + ", " + to_string(c.body.shape));
    const Body body = c.body.body();
    const TerrainSurface ground = c.body.ground(c.terrain);
    const auto contacts = c.body.contacts(c.terrain);
    for (const GroundContact& contact : contacts)
      EXPECT_EQ(validation::what_is_false(body, ground, contact.point, contact.normal, contact.depth), "")
          << to_string(contact.kind);
    const auto inner = body.eroded(1e-4);
    const bool overlaps = inner && validation::overlap_depth_vertical(*inner, ground) > 0.0;
    EXPECT_TRUE(!overlaps || !contacts.empty());
    touching += contacts.empty() ? 0 : 1;
  }
  EXPECT_GT(touching, cases() / 2);
}

// Moves out by as little as meets all contacts (each in turn, until none asks for more), and again from there.
TEST_P(TerrainProperties, MovingOutAlongTheContactsClearsAShallowBody) {
  int cleared = 0;
  Case c;
  for (int i = 0; i < cases(); ++i) {
    if (!next(c) || !c.shallow) continue;
    SCOPED_TRACE("case " + std::to_string(i) + ", " + to_string(c.body.shape));
    OneBody body = c.body;
    std::vector<GroundContact> contacts = body.contacts(c.terrain);
    for (int step = 0; step < 20 && deepest(contacts) > 1e-4; ++step) {
      dvec3 move(0.0);
      for (int sweep = 0; sweep < 200; ++sweep)
        for (const GroundContact& contact : contacts)
          move += std::max(0.0, contact.depth - glm::dot(contact.normal, move)) * contact.normal;
      body.position += move;
      contacts = body.contacts(c.terrain);
    }
    EXPECT_LE(deepest(contacts), 1e-4);
    const auto inner = body.body().eroded(2e-4);
    EXPECT_FALSE(inner && validation::overlap_depth_vertical(*inner, body.ground(c.terrain)) > 0.0);
    ++cleared;
  }
  EXPECT_GT(cleared, cases() / 3);
}

TEST_P(TerrainProperties, SameBodySameGroundElsewhereGivesTheSameContacts) {
  Case c;
  for (int i = 0; i < cases() / 5; ++i) {
    if (!next(c)) continue;
    Terrain moved = c.terrain;
    moved.origin[0] += 4096.0, moved.origin[1] -= 8192.0;
    OneBody body = c.body;
    body.position += dvec3(4096.0, -8192.0, 0.0);
    const auto here = c.body.all(c.terrain), there = body.all(moved);
    for (const GroundContact& contact : here) {
      if (!contact.held || contact.optional) continue;
      const GroundContact* same = find(there, contact.normal, 1e-6 + contact.normal_uncertainty);
      ASSERT_NE(same, nullptr) << "case " << i << ", " << to_string(c.body.shape);
      EXPECT_GE(same->depth, contact.depth - 1e-6);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ground, TerrainProperties,
                         testing::Values(Roughness{"gentle", 0.05, false}, Roughness{"rough", 0.4, false},
                                         Roughness{"gentle_with_holes", 0.05, true},
                                         Roughness{"very_rough_with_holes", 1.0, true},
                                         Roughness{"gentle_hulls", 0.05, false, true},
                                         Roughness{"rough_hulls", 0.4, false, true},
                                         Roughness{"very_rough_hulls_with_holes", 1.0, true, true}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace oclide::test
