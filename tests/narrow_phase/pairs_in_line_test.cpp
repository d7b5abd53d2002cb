// Pairs of bodies as people set them up: sizes that are equal or halves of each other, axes along those of the other or
// half way between, centres over centres, edges and corners, so that sides, edges and rims stand exactly over each
// other.
#include <cmath>
#include <numbers>

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

class PairsNearLimits : public OnOpenCl {};
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

// Poses that random ones found, all near a limit: device and validator agree on them.
struct NearLimit {
  const char* what;
  BodySpec a, b;
  double margin;
};
constexpr std::uint32_t kHexagon = 0, kDecagon = 1, kBlock = 2;
using HullPoints = std::vector<std::array<double, 3>>;
std::vector<HullPoints> prisms_and_a_block() {
  const auto prism = [](int sides, double radius, double half) {
    HullPoints points;
    for (int k = 0; k < 2 * sides; ++k) {
      const double turned = 2.0 * std::numbers::pi * (k / 2) / sides;
      points.push_back({radius * std::cos(turned), radius * std::sin(turned), k % 2 == 0 ? -half : half});
    }
    return points;
  };
  HullPoints block;
  for (const double x : {-3.666879416, -0.194463775})
    for (const double y : {-9.296515465, 0.180197462})
      for (const double z : {3.052067757, 5.685525894}) block.push_back({x, y, z});
  return {prism(6, 0.673802614, 1.41416657), prism(10, 0.1390560515, 0.265284717), block};
}
BodySpec hull(std::uint32_t index, dvec3 position, dquat orientation) {
  return {Shape::convex_hull, {double(index), 0.0, 0.0}, position, orientation};
}

TEST_F(PairsNearLimits, DeviceAndReferenceFindTheSame) {
  const std::vector<NearLimit> cases{
      {"four corners that must contain the deepest",
       box({3.22870636, 2.69090009, 3.14587641}, {}, dquat(0.345331857576, 0.0, 0.0, 0.938480638129)),
       box({8.00171375, 0.86574566, 3.70722604}, {0.247528761, 0.276450494, 6.81470615},
           dquat(0.999999875, 0.000153713822583, -0.0004072119147, 0.000246070104725)),
       0.0},
      {"an edge that leans against the line of a side",
       cylinder(3.01545906, 23.21823502, {},
                dquat(0.707083116859, 0.000285235906843, 0.707130268737, 0.000409302830181)),
       hull(kHexagon, {-0.00154490191, -0.00247560203, 3.68047107},
            dquat(0.707072166621, 0.000239842789672, 0.707141242956, 0.000395191709278)),
       0.0},
      {"a cylinder across the edge that is nearest to it",
       hull(kDecagon, {}, dquat(0.70710664464, 6.26204505435e-08, 4.56934345671e-07, 0.707106917733)),
       cylinder(0.0619920716, 0.0631114990, {0.0116676724, 0.302690757, 0.128914792},
                dquat(-0.274470602655, -0.651663938145, -0.274470602655, 0.651663938145)),
       0.1},
      {"a point 0.07 mm beside a body",
       box({0.703191042, 9.88621044, 0.0567864366}, {},
           dquat(-0.608559464907, 0.682787609423, 0.284083043685, -0.28766870247)),
       cylinder(6.28999758, 4.59840870, {-3.50533362, 3.16834343, -0.445189167},
                dquat(-0.613209576852, 0.675868422597, 0.289503261094, -0.288727816479)),
       0.01},
      {"a normal 0.00099 from that of a side",
       capsule(0.941882014, 7.29742527, {}, dquat(0.707106781187, 0.0, 0.0, 0.707106781187)),
       box({0.0689682439, 0.0887524858, 0.0473709963}, {1.00052812, 0.0482923638, -0.00128873442},
           dquat(-8.89584786556e-07, -9.45753656723e-07, 0.707103366929, 0.707110195426)),
       0.1},
      {"a hull's edge that leans against a side",
       hull(kBlock, {}, dquat(0.172477159338, -0.685748955163, 0.172477159338, 0.685748955163)),
       cylinder(2.88460064, 5.65862226, {4.77796914, 11.1396601, -0.43125413},
                dquat(-0.363378670107, -0.36300642968, 0.606656837123, 0.606753455775)),
       0.001},
  };
  for (const NearLimit& near : cases) {
    TestScene scene({near.a, near.b});
    scene.scene.hulls = prisms_and_a_block();
    Collider& collider = collider_on("opencl", near.margin);
    collider.set_scene(scene.scene);
    const FrameContacts frame = collider.collide(scene.poses());
    EXPECT_FALSE(frame.contacts.empty()) << near.what;
    EXPECT_TRUE(validates(scene, frame.contacts, near.margin)) << near.what;
  }
}

}  // namespace
}  // namespace oclide::test
