// Barrels on asphalt with a kerb (figure 9 of Strashnov and Torgashev 2020), in motion. The street runs along y:
//
//      z        rolls -->     falls
//      |     O           O     /       pavement, kKerb up
//      |  _______________ ________
//      +-----------------|--------- x
//                        0
//
// By turns a barrel stands on the asphalt, rolls toward the kerb, falls turned onto its edge, stands on the pavement
// with its base partly over the edge, leans with its base on the edge and its rim on the asphalt, and falls lying.
#include <algorithm>
#include <cmath>

#include "scenarios/geometry.hpp"
#include "scenarios/ground.hpp"
#include "scenes.hpp"

namespace oclide::simulation {
namespace {

using scenario::Random;

constexpr double kRadius = 0.29;      // of a 200 l barrel [m]
constexpr double kHalfLength = 0.44;  // [m]
constexpr double kKerb = 0.15;        // height of the kerb [m]
constexpr double kKerbStone = 0.2;    // width of the kerb stone [m]
constexpr double kStep = 0.02;        // cell along x, over which the kerb rises [m]
constexpr double kRow = 1.3;          // along the street, for one of each two barrels [m]
constexpr std::uint8_t kAsphalt = 1;
constexpr std::uint8_t kStone = 2;
constexpr std::uint8_t kPavement = 3;
constexpr Matter kBarrel{400.0, 0.5, 0.005};

class Barrels final : public SimulatedScene {
 public:
  Barrels(const SceneRequest& request, World& world) {
    const std::size_t bodies = request.bodies.value_or(scene_info("barrels").bodies);
    const double length = kRow * static_cast<double>((bodies + 1) / 2) + 12.0;
    const auto rise = [](double x, double) { return x < -0.5 * kStep ? 0.0 : kKerb; };
    Terrain street = scenario::make_terrain(16.0, length, {kStep, 0.5}, rise);
    scenario::set_material(street, [](double x, double) {
      return x < -kStep ? kAsphalt : x < kKerbStone ? kStone : kPavement;
    });
    world.scene().terrains.push_back(street);
    world.set_material(kAsphalt, {0.0, 0.8, 0.01});
    world.set_material(kStone, {0.0, 0.6, 0.005});
    world.set_material(kPavement, {0.0, 0.7, 0.01});
    for (std::size_t i = 0; i < bodies; ++i) add(i, bodies, request.seed, world);
  }

  void control(World& /*world*/) override {}

  [[nodiscard]] std::vector<Check> checks(const World& world, const Measures& measures) const override {
    std::size_t standing = 0;
    std::size_t leaning = 0;
    std::size_t lying = 0;
    for (std::uint32_t i = 0; i < world.count(); ++i) {
      const double upright = std::abs((world.orientation(i) * glm::dvec3(0.0, 0.0, 1.0)).z);
      if (upright > 0.98) ++standing;
      if (upright <= 0.98 && upright > 0.7) ++leaning;
      if (upright < 0.2) ++lying;
    }
    std::vector<Check> checks;
    add_rest_checks(measures, checks);
    checks.push_back({"some stand, some lean, some lie",
                      std::to_string(standing) + ", " + std::to_string(leaning) + ", " + std::to_string(lying),
                      world.count() < 6 || (standing > 0 && leaning > 0 && lying > 0)});
    return checks;
  }

 private:
  static void add(std::size_t i, std::size_t bodies, std::uint64_t seed, World& world) {
    Random random(seed, i + 1);
    Start start;
    const double row = static_cast<double>(i / 2) - 0.25 * static_cast<double>(bodies - 1);
    const double y = kRow * row + random.uniform(-0.1, 0.1);
    const glm::dvec3 along_street = glm::normalize(glm::dvec3(random.uniform(-0.2, 0.2), 1.0, 0.0));
    switch (i % 6) {
      case 0:  // stands in the way of what rolls
        start.position = {-random.uniform(0.5, 1.5), y, kHalfLength};
        break;
      case 1: {  // rolls toward the kerb
        const double speed = random.uniform(1.0, 2.5);
        start.position = {-4.0, y, kRadius};
        start.orientation = scenario::turn_z_to(along_street);
        start.velocity = {speed, 0.0, 0.0};
        start.spin = {0.0, speed / kRadius, 0.0};
        break;
      }
      case 2:  // falls turned, between two rows
        start.position = {random.uniform(-0.2, 0.2), y + 0.5 * kRow, 1.2};
        start.orientation = scenario::turn_z_to(glm::normalize(glm::dvec3(0.5, random.uniform(-0.5, 0.5), 1.0)));
        break;
      case 3:  // stands partly over the edge
        start.position = {random.uniform(0.05, 0.2), y, kKerb + kHalfLength};
        break;
      case 4: {  // sinks onto its place: the base on the kerb's edge, the rim on the asphalt
        const double away = random.uniform(0.36, 0.42);
        const glm::dvec3 base = glm::normalize(glm::dvec3(away, 0.0, kKerb));
        const glm::dvec3 axis(-base.z, 0.0, base.x);
        start.position = glm::dvec3(-away, y, 0.02) + kRadius * base + kHalfLength * axis;
        start.orientation = scenario::turn_z_to(axis);
        break;
      }
      default:  // falls lying
        start.position = {random.uniform(0.5, 1.5), y, kKerb + kRadius + 0.6};
        start.orientation = scenario::turn_z_to(along_street);
        break;
    }
    world.add_body(Shape::cylinder, {kRadius, kHalfLength, 0.0}, kBarrel, start);
  }
};

}  // namespace

std::unique_ptr<SimulatedScene> make_barrels(const SceneRequest& request, World& world) {
  return std::make_unique<Barrels>(request, world);
}

}  // namespace oclide::simulation
