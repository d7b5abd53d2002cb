// The resting pile of Trushin 2015 (figure 4): boxes and spheres that fall, meet, and come to rest on one another. They
// begin one by one in a loose tower over a plane, turned at random, so that there is a heap in the end.
//
//      o [] o []
//      [] o [] o       kApart between neighbours
//      o [] o []
//   =================  half space
#include <algorithm>
#include <cmath>

#include "scenarios/geometry.hpp"
#include "scenes.hpp"

namespace oclide::simulation {
namespace {

using scenario::Random;

constexpr double kSmallest = 0.10;  // radius, or half of a side [m]
constexpr double kLargest = 0.25;   // [m]
constexpr double kApart = 0.62;     // of the positions that bodies begin at [m]
constexpr double kAspect = 0.6;     // height of the tower by its width
constexpr Matter kStuff{1000.0, 0.6, 0.06};

class Pile final : public SimulatedScene {
 public:
  Pile(const SceneRequest& request, World& world) {
    const std::size_t bodies = request.bodies.value_or(scene_info("pile").bodies);
    world.scene().environment_terrain = {-1};
    world.add_ground({0.0, 0.0, 0.0}, kStuff);
    const double wide = std::cbrt(static_cast<double>(bodies) / kAspect);
    const auto side = std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(wide)));
    for (std::size_t i = 0; i < bodies; ++i) {
      Random random(request.seed, i + 1);
      const auto place = [&](std::size_t k) {
        return kApart * (static_cast<double>(k) - 0.5 * static_cast<double>(side - 1));
      };
      Start start;
      start.position = {place(i % side), place(i / side % side),
                        kApart * (0.6 + static_cast<double>(i / (side * side)))};
      for (int a = 0; a < 2; ++a) start.position[a] += random.uniform(-0.05, 0.05);
      start.orientation = random.rotation();
      const bool is_box = random.chance(0.5);
      std::array<double, 3> size{};
      for (int a = 0; a < (is_box ? 3 : 1); ++a) size[a] = random.uniform(kSmallest, kLargest);
      world.add_body(is_box ? Shape::box : Shape::sphere, size, kStuff, start);
    }
  }

  void control(World& /*world*/) override {}

  [[nodiscard]] std::vector<Check> checks(const World& /*world*/, const Measures& measures) const override {
    std::vector<Check> checks;
    add_rest_checks(measures, checks);
    checks.push_back(below("energy that ever came back, of that lost", 100.0 * measures.largest_rise(), 0.1, "%"));
    return checks;
  }
};

}  // namespace

std::unique_ptr<SimulatedScene> make_pile(const SceneRequest& request, World& world) {
  return std::make_unique<Pile>(request, world);
}

}  // namespace oclide::simulation
