// Scenes that cannot be used are refused with the array and index at fault.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <ostream>

#include "support/terrains.hpp"

namespace oclide::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct BadScene {
  const char* name;
  std::function<void(Scene&)> spoil;
  const char* names;  // what the message has to hold
};

void PrintTo(const BadScene& scene, std::ostream* out) {
  *out << scene.name;
}

const std::vector<BadScene> kBadScenes{
    {"SingleRow",
     [](Scene& s) {
       s.terrains[1].rows = 1;
       s.terrains[1].heights.resize(4);
     },
     "terrains/1"},
    {"SingleColumn",
     [](Scene& s) {
       s.terrains[1].cols = 1;
       s.terrains[1].heights.resize(3);
     },
     "terrains/1"},
    {"TooFewHeights", [](Scene& s) { s.terrains[0].heights.pop_back(); }, "terrains/0/heights"},
    {"InfiniteHeight", [](Scene& s) { s.terrains[1].heights[5] = kInfinity; }, "terrains/1/heights[1][1]"},
    {"ZeroSpacing", [](Scene& s) { s.terrains[0].spacing[1] = 0.0; }, "spacing[1]"},
    {"NegativeSpacing", [](Scene& s) { s.terrains[0].spacing[0] = -1.0; }, "spacing[0]"},
    {"NanSpacing", [](Scene& s) { s.terrains[0].spacing[0] = kNan; }, "spacing[0]"},
    {"InfiniteSpacing", [](Scene& s) { s.terrains[0].spacing[0] = kInfinity; }, "spacing[0]"},
    {"NanOrigin", [](Scene& s) { s.terrains[0].origin[1] = kNan; }, "origin[1]"},
    {"TooManyHoles", [](Scene& s) { s.terrains[0].holes.resize(7); }, "terrains/0/holes"},
    {"TooFewMaterials", [](Scene& s) { s.terrains[0].material.resize(5); }, "terrains/0/material"},
    {"TerrainThatIsNotThere",
     [](Scene& s) {
       s.environment_terrain = {0, 2};
     },
     "environments/terrain[1]"},
    {"TerrainBelowNone",
     [](Scene& s) {
       s.environment_terrain = {0, -2};
     },
     "environments/terrain[1]"},
    {"EnvironmentThatIsNotThere",
     [](Scene& s) {
       s.environment_terrain = {0};
       s.bodies.environment = {0, 1, 0};
     },
     "bodies/environment[1]"},
    {"TooFewSizes", [](Scene& s) { s.bodies.size.pop_back(); }, "bodies/size"},
    {"TooManyEnvironments", [](Scene& s) { s.bodies.environment.resize(4); }, "bodies/environment"},
    {"TooManyGroups", [](Scene& s) { s.bodies.group.resize(4); }, "bodies/group"},
    {"TooFewMasks", [](Scene& s) { s.bodies.mask.resize(2); }, "bodies/mask"},
    {"TooFewCategories", [](Scene& s) { s.bodies.category.resize(1); }, "bodies/category"},
    {"UnknownShape", [](Scene& s) { s.bodies.shape[2] = static_cast<Shape>(8); }, "bodies/shape[2]"},
    {"ZeroRadius", [](Scene& s) { s.bodies.size[0][0] = 0.0; }, "bodies/size[0]: radius"},
    {"NegativeHalfExtent", [](Scene& s) { s.bodies.size[1][2] = -0.1; }, "bodies/size[1]: half extent z"},
    {"NanHalfLength", [](Scene& s) { s.bodies.size[2][1] = kNan; }, "bodies/size[2]"},
    {"CompoundWithoutParts", [](Scene& s) { s.compounds[1].clear(); }, "compounds/1/shape: a compound has 1 to 65536"},
    {"CompoundOfTooManyParts", [](Scene& s) { s.compounds[0].resize(65537, s.compounds[0][0]); }, "has 65537"},
    {"CompoundOfCompounds", [](Scene& s) { s.compounds[1][1].shape = Shape::compound; }, "compounds/1/shape[1]"},
    {"CompoundWithHalfSpace", [](Scene& s) { s.compounds[1][0].shape = Shape::half_space; }, "compounds/1/shape[0]"},
    {"CompoundWithHullOfNone", [](Scene& s) { s.compounds[1][0].shape = Shape::convex_hull; },
     "compounds/1/size[0]: index of a hull"},
    {"HullOfNone",
     [](Scene& s) {
       s.bodies.shape[1] = Shape::convex_hull;
       s.bodies.size[1][0] = 2.0;
     },
     "bodies/size[1]: index of a hull must be a whole number below the 2"},
    {"HullOfHalfIndex",
     [](Scene& s) {
       s.bodies.shape[1] = Shape::convex_hull;
       s.bodies.size[1][0] = 0.5;
     },
     "bodies/size[1]: index of a hull"},
    {"HullOfNoPoints", [](Scene& s) { s.hulls[1].clear(); }, "hulls/1/vertices"},
    {"HullOfThreePoints", [](Scene& s) { s.hulls[1].resize(3); }, "hulls/1/vertices"},
    {"HullInAPlane",
     [](Scene& s) {
       for (auto& point : s.hulls[0]) point[2] = 1.0 + point[0];
     },
     "hulls/0/vertices"},
    {"HullNan", [](Scene& s) { s.hulls[1][2][1] = kNan; }, "hulls/1/vertices[2]"},
    {"FirstOfTwoFlatHulls",
     [](Scene& s) {
       for (auto& hull : s.hulls)
         for (auto& point : hull) point[2] = 0.0;
     },
     "hulls/0/vertices"},
    {"CompoundWithUnknownShape", [](Scene& s) { s.compounds[1][0].shape = static_cast<Shape>(200); },
     "compounds/1/shape[0] is 200"},
    {"CompoundZeroRadius", [](Scene& s) { s.compounds[1][1].size[0] = 0.0; }, "compounds/1/size[1]: radius must be"},
    {"CompoundNanPosition", [](Scene& s) { s.compounds[1][1].position[2] = kNan; }, "compounds/1/position[1][2]"},
    {"CompoundFarPosition", [](Scene& s) { s.compounds[0][0].position[0] = 1.1e9; }, "compounds/0/position[0][0]"},
    {"CompoundInfiniteOrientation", [](Scene& s) { s.compounds[0][0].orientation[1] = kInfinity; },
     "compounds/0/orientation[0][1]"},
    {"CompoundZeroOrientation", [](Scene& s) { s.compounds[0][0].orientation = {}; },
     "compounds/0/orientation[0] is a quaternion of zero length"},
    {"CompoundThatIsNotThere",
     [](Scene& s) {
       s.bodies.shape[1] = Shape::compound;
       s.bodies.size[1][0] = 2.0;
     },
     "bodies/size[1]: index of a compound"},
    {"CompoundOfNanIndex",
     [](Scene& s) {
       s.bodies.shape[1] = Shape::compound;
       s.bodies.size[1][0] = kNan;
     },
     "bodies/size[1]: index of a compound"},
    {"InfiniteRadius", [](Scene& s) { s.bodies.size[2][0] = kInfinity; }, "bodies/size[2]: radius"},
};

Scene good_scene() {
  Scene s;
  s.terrains = {plane({3, 4, {0, 0}, {1, 1}}, 0, 0), plane({3, 4, {0, 0}, {1, 1}}, 0, 0)};
  s.compounds = {
      {{Shape::sphere, {0.3, 0.0, 0.0}}},
      {{Shape::box, {0.3, 0.2, 0.1}}, {Shape::cylinder, {0.2, 0.1, 0.0}, {0.0, 1.0, 0.0}, {0.0, 2.0, 0, 0}}}};
  s.hulls = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}};
  s.bodies.shape = {Shape::sphere, Shape::box, Shape::capsule};
  s.bodies.size = {{0.5, 0, 0}, {0.3, 0.2, 0.1}, {0.2, 0.3, 0}};
  return s;
}

class SceneCheck : public testing::TestWithParam<BadScene> {};

TEST_P(SceneCheck, NamesArrayAndIndex) {
  Scene scene = good_scene();
  ASSERT_NO_THROW(check(scene));
  GetParam().spoil(scene);
  try {
    check(scene);
    FAIL() << "it passed";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::invalid_input);
    EXPECT_NE(std::string(e.what()).find(GetParam().names), std::string::npos) << e.what();
    EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos) << e.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Of, SceneCheck, testing::ValuesIn(kBadScenes),
                         [](const auto& scene) { return scene.param.name; });

TEST(GoodScene, MayHaveAnythingInNumbersThatAShapeDoesNotUse) {
  Scene s = good_scene();
  s.bodies.size[0] = {0.5, kNan, -1.0};
  s.bodies.size[2][2] = kNan;
  EXPECT_NO_THROW(check(s));
}

TEST(GoodScene, MayHaveHalfSpacesOfAnySizeWithoutTerrain) {
  Scene s = good_scene();
  s.terrains.clear();
  s.bodies.shape[0] = Shape::half_space;
  for (const double size : {kNan, kInfinity, 0.0, -1.0, 1e300}) {
    s.bodies.size[0] = {size, size, size};
    EXPECT_NO_THROW(check(s)) << size;
  }
  s.environment_terrain = {-1, -1};
  s.bodies.environment = {1, 0, 1};
  EXPECT_NO_THROW(check(s));
}

TEST(GoodScene, MayHaveAnyGroupCategoryAndMask) {
  Scene s = good_scene();
  s.bodies.group = {-2147483647 - 1, 0, 2147483647};
  s.bodies.category = {0, 0x80000000U, 0xFFFFFFFFU};
  s.bodies.mask = {0xFFFFFFFFU, 0, 1};
  EXPECT_NO_THROW(check(s));
}

TEST(GoodScene, MayHaveHeightsWithoutData) {
  Scene s = good_scene();
  s.terrains[0].heights.assign(12, kNan);
  EXPECT_NO_THROW(check(s));
}

}  // namespace
}  // namespace oclide::test
