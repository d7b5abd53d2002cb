// Pairs of bodies as people set them up: sizes that are equal or halves of each other, axes along those of the other or
// half way between, centres over centres, edges and corners, so that sides, edges and rims stand exactly over each
// other.
#include "narrow_phase/pair_geometry.hpp"
#include "oclide/validation.hpp"
#include "support/on_each_device.hpp"

namespace oclide::test {
namespace {

const std::array<std::vector<BodySpec>, 4> kBodies{{
    {sphere(0.5, {})},
    {box({0.5, 0.5, 0.5}, {}), box({1.0, 0.25, 0.5}, {})},
    {cylinder(0.5, 1.0, {}), cylinder(0.5, 0.25, {})},
    {capsule(0.25, 1.0, {}), capsule(0.5, 0.5, {})},
}};
const std::array<const char*, 4> kNames{"sphere", "box", "cylinder", "capsule"};

std::vector<std::pair<std::size_t, std::size_t>> kinds() {
  std::vector<std::pair<std::size_t, std::size_t>> all;
  for (std::size_t a = 0; a < kBodies.size(); ++a)
    for (std::size_t b = a; b < kBodies.size(); ++b) all.emplace_back(a, b);
  return all;
}

class PairsInLine : public OnOpenCl, public testing::WithParamInterface<std::pair<std::size_t, std::size_t>> {};

TEST_P(PairsInLine, DeviceAndReferenceFindTheSame) {
  const std::vector<dquat> turns = turns_in_line();
  const auto [first, second] = GetParam();
  constexpr std::size_t kTurnsOfFirst = 2;  // upright, and by half a right angle: others come again with the second

  TestScene scene;
  scene.bodies_meet = true;
  std::size_t pairs = 0;
  const auto add_pair = [&](BodySpec a, BodySpec b, dvec3 d, dvec2 off, double depth) {
    const dvec3 home(8.0 * static_cast<double>(pairs % 100), 8.0 * static_cast<double>(pairs / 100), 0.0);
    const dvec3 side(d.z, 0.0, d.x);
    a.position = home;
    b.position = home + d * (reach(a, d) + reach(b, -d) - depth) + side * off.x + glm::cross(side, d) * off.y;
    scene.add(a);
    scene.add(b);
    ++pairs;
  };
  for (BodySpec a : kBodies[first])
    for (BodySpec b : kBodies[second])
      for (std::size_t i = 0; i < (first == 0 ? 1 : kTurnsOfFirst); ++i)
        for (std::size_t j = 0; j < (second == 0 ? 1 : turns.size()); ++j) {
          a.orientation = turns[i];
          b.orientation = turns[j];
          for (const dvec3 d : {dvec3(0, 0, 1), dvec3(1, 0, 0)})
            for (const dvec2 off : {dvec2(0.0, 0.0), dvec2(0.5, 0.0), dvec2(0.25, 0.25), dvec2(0.5, 0.5)})
              for (const double depth : {0.001, 0.125}) add_pair(a, b, d, off, depth);
        }
  Collider& collider = collider_on("opencl");
  collider.set_scene(scene.scene);
  const FrameContacts frame = collider.collide(scene.poses());
  EXPECT_GT(frame.pairs, pairs / 3);
  EXPECT_TRUE(validates(scene, frame.contacts));
}

INSTANTIATE_TEST_SUITE_P(Of, PairsInLine, testing::ValuesIn(kinds()), [](const auto& kind) {
  return std::string(kNames[kind.param.first]) + "_" + kNames[kind.param.second];
});

}  // namespace
}  // namespace oclide::test
