// A rock slide: spheres and boxes that let go on the steepest part of a real slope.
//
// The steepest place of the terrain is found over a window of kWindow; the rocks begin above it in a few layers, each
// at a place of its own, and go where the ground leads them. Those that leave the terrain are taken out of the motion.
#include <algorithm>
#include <cmath>

#include "scenarios/geometry.hpp"
#include "scenarios/ground.hpp"
#include "scenes.hpp"

namespace oclide::simulation {
namespace {

using scenario::Random;

constexpr double kSmallest = 0.3;  // radius, or half of a side [m]
constexpr double kLargest = 0.9;   // [m]
constexpr double kApart = 2.2;     // of the positions that rocks begin at [m]
constexpr double kWindow = 120.0;  // of the part of the slope that lets go [m]
constexpr double kSteps = 4.0;     // layers of rocks
constexpr double kBelow = 50.0;    // under the lowest ground: gone [m]
constexpr Matter kRock{2500.0, 0.5, 0.08};
constexpr Matter kSlope{0.0, 0.5, 0.10};

class Landslide final : public SimulatedScene {
 public:
  Landslide(const SceneRequest& request, World& world) {
    if (request.terrain.file.empty())
      throw Error(ErrorKind::invalid_input, "--terrain: the landslide needs a raster of heights");
    const std::size_t bodies = request.bodies.value_or(scene_info("landslide").bodies);
    Terrain terrain = import_terrain(request.terrain);
    centre_terrain(terrain);
    const scenario::Ground ground(terrain);
    lowest_ = *std::min_element(terrain.heights.begin(), terrain.heights.end(),
                                [](double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); });
    const glm::dvec2 middle = steepest(ground);
    const auto side =
        std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(bodies) / kSteps))));
    for (std::size_t i = 0; i < bodies; ++i) {
      Random random(request.seed, i + 1);
      const auto place = [&](std::size_t k) {
        return kApart * (static_cast<double>(k) - 0.5 * static_cast<double>(side - 1));
      };
      Start start;
      const double x = middle.x + place(i % side) + random.uniform(-0.2, 0.2);
      const double y = middle.y + place(i / side % side) + random.uniform(-0.2, 0.2);
      const double layer = static_cast<double>(i / (side * side));
      start.position = {x, y, ground.sphere_height(x, y, kApart) + kApart * layer};
      start.orientation = random.rotation();
      const bool is_box = random.chance(0.5);
      std::array<double, 3> size{};
      for (int a = 0; a < (is_box ? 3 : 1); ++a) size[a] = random.log_uniform(kSmallest, kLargest);
      world.add_body(is_box ? Shape::box : Shape::sphere, size, kRock, start);
      first_height_ += start.position.z / static_cast<double>(bodies);
    }
    world.scene().terrains.push_back(std::move(terrain));
    world.set_material(0, kSlope);
  }

  void control(World& world) override {
    for (std::uint32_t i = 0; i < world.count(); ++i)
      if (world.position(i).z < lowest_ - kBelow) world.stop(i);
  }

  [[nodiscard]] std::vector<Check> checks(const World& world, const Measures& measures) const override {
    double height = 0.0;
    std::size_t here = 0;
    for (std::uint32_t i = 0; i < world.count(); ++i) {
      const double z = world.position(i).z;
      if (z < lowest_ - kBelow) continue;
      height += z;
      ++here;
    }
    std::vector<Check> checks;
    checks.push_back(above("mean way down",
                           first_height_ - height / static_cast<double>(std::max<std::size_t>(1, here)), 10.0, "m"));
    checks.push_back(below("rocks that left the terrain", static_cast<double>(world.stopped()),
                           0.01 * static_cast<double>(world.count()) + 1.0, ""));
    const scenario::Ground ground(world.scene().terrains[0]);
    std::size_t under = 0;
    for (std::uint32_t i = 0; i < world.count(); ++i) {
      const glm::dvec3 place = world.position(i);
      if (place.z < ground.height(place.x, place.y) && place.z > lowest_ - kBelow) ++under;
    }
    checks.push_back(below("rocks with their centre under the ground", static_cast<double>(under),
                           0.001 * static_cast<double>(world.count()) + 1.0, ""));
    checks.push_back(below("energy that ever came back, of that lost", 100.0 * measures.largest_rise(), 0.1, "%"));
    return checks;
  }

 private:
  // The middle of the window with the greatest mean fall; windows that reach out of the terrain do not count.
  static glm::dvec2 steepest(const scenario::Ground& ground) {
    glm::dvec2 best(0.0, 0.0);
    double greatest = 0.0;
    for (double y = ground.low()[1] + kWindow; y <= ground.high()[1] - kWindow; y += 0.1 * kWindow)
      for (double x = ground.low()[0] + kWindow; x <= ground.high()[0] - kWindow; x += 0.1 * kWindow) {
        const double h = 0.5 * kWindow;
        const double fall = std::hypot(ground.height(x + h, y) - ground.height(x - h, y),
                                       ground.height(x, y + h) - ground.height(x, y - h));
        if (fall > greatest) {
          greatest = fall;
          best = {x, y};
        }
      }
    return best;
  }

  double lowest_ = 0.0;
  double first_height_ = 0.0;
};

}  // namespace

std::unique_ptr<SimulatedScene> make_landslide(const SceneRequest& request, World& world) {
  return std::make_unique<Landslide>(request, world);
}

}  // namespace oclide::simulation
