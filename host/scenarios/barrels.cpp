// Barrels on asphalt and at a kerb, as in figure 9 of Strashnov and Torgashev 2020. Streets run along y, side by side:
//
//      z                  6                     kerb stone and pavement, 0.15 m up
//      |        5    1 2 3 ___________________
//      |   4             |                    |
//      +-----------------+ kEdge              +--- x: the next street
//
//   1 leaning on the kerb's edge, its foot on the asphalt     4 lying on the asphalt, any direction
//   2 tipped: its base on the kerb's edge, rim on asphalt     5 standing on the asphalt
//   3 lying along the kerb, against its edge                  6 standing on the kerb, partly over its edge
//
// In the first frame all are a little above their places; frame by frame they sink to them. On terrain from a file,
// which has no kerb, barrels stand, lie and lean on the ground in turn. Each has so much room that none meets another.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "scenarios/geometry.hpp"
#include "scenarios/ground.hpp"
#include "scenarios/scenario.hpp"

namespace oclide {
namespace barrels {

using scenario::Random;

constexpr std::size_t kMostBarrels = 100'000;
constexpr double kRadius = 0.29;      // of a 200 l barrel [m]
constexpr double kHalfLength = 0.44;  // [m]
constexpr double kStreet = 6.0;       // width of a street with its pavement [m]
constexpr double kEdge = 4.0;         // x of the kerb's upper edge within a street [m]
constexpr double kKerb = 0.15;        // height of the kerb [m]
constexpr double kKerbStone = 0.2;    // width of the kerb stone [m]
constexpr double kStep = 0.02;        // cell along x, over which the kerb rises [m]
constexpr double kRow = 1.6;          // one barrel each, along the street [m]
constexpr double kDrop = 0.03;        // above its place in the first frame [m]
constexpr double kSunk = 0.02;        // most depth in the last frame [m]
constexpr double kAreaPerBody = 6.0;  // on terrain from a file [m^2]
constexpr std::uint8_t kAsphalt = 1;
constexpr std::uint8_t kStone = 2;
constexpr std::uint8_t kPavement = 3;

class Barrels final : public Scenario {
 public:
  explicit Barrels(const ScenarioRequest& request) : Scenario(request) {
    if (bodies_ > kMostBarrels)
      throw Error(ErrorKind::invalid_input, "--bodies " + std::to_string(bodies_) +
                                                ": scenario barrels takes at most " + std::to_string(kMostBarrels));
    const std::size_t each = std::max<std::size_t>(1, (bodies_ + environments_ - 1) / environments_);
    if (request.terrain) {
      set_terrain(request, std::max(64.0, kAreaPerBody * static_cast<double>(each)));
      const double width = ground().high()[0] - ground().low()[0];
      const double depth = ground().high()[1] - ground().low()[1];
      streets_ = std::max<std::size_t>(
          1, static_cast<std::size_t>(std::sqrt(static_cast<double>(each) * width / depth) + 0.5));
      rows_ = (each + streets_ - 1) / streets_;
      for (std::size_t i = 0; i < bodies_; ++i) put_on_ground(i);
      return;
    }
    streets_ = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(each) * kRow / kStreet)));
    rows_ = (each + streets_ - 1) / streets_;
    set_terrain(make_streets());
    for (std::size_t i = 0; i < bodies_; ++i) put_in_street(i);
  }

  void pose(std::size_t index, Frame& frame) const override {
    const double above = kDrop * (1.0 - progress(index));
    for (std::size_t i = 0; i < bodies_; ++i) {
      const Place& p = places_[i];
      scenario::put_pose(frame, i, p.centre + glm::dvec3(0.0, 0.0, above - p.sunk * progress(index)), p.orientation);
    }
  }

 private:
  struct Place {
    glm::dvec3 centre;  // just touching
    glm::dquat orientation;
    double sunk;
  };

  // Grid lines stand on multiples of kStep within each street, so that the kerb is one cell wide.
  Terrain make_streets() const {
    Terrain t;
    const auto steps = static_cast<std::size_t>(kStreet / kStep + 0.5);
    const auto edge = static_cast<std::size_t>(kEdge / kStep + 0.5);
    const auto stone = static_cast<std::size_t>(kKerbStone / kStep + 0.5);
    t.cols = steps * streets_ + 1;
    t.rows = 2 * rows_ + 1;
    t.spacing = {kStep, 0.5 * kRow};
    t.origin = {-0.5 * kStreet * static_cast<double>(streets_), -0.5 * kRow * static_cast<double>(rows_)};
    std::vector<double> across(t.cols);
    std::vector<std::uint8_t> material(t.cols - 1);
    for (std::size_t j = 0; j < t.cols; ++j) {
      // The last line of a street is the first of the next: asphalt.
      const std::size_t k = j % steps;
      across[j] = k >= edge ? static_cast<double>(static_cast<float>(kKerb)) : 0.0;
      if (j + 1 < t.cols) material[j] = k + 1 < edge ? kAsphalt : k < edge + stone ? kStone : kPavement;
    }
    for (std::size_t i = 0; i < t.rows; ++i) t.heights.insert(t.heights.end(), across.begin(), across.end());
    for (std::size_t i = 0; i + 1 < t.rows; ++i) t.material.insert(t.material.end(), material.begin(), material.end());
    return t;
  }

  void put_in_street(std::size_t i) {
    Random random(seed_, i + 1);
    const std::size_t slot = i / environments_;
    const Terrain& t = scene_.terrains[0];
    const double street = t.origin[0] + kStreet * static_cast<double>(slot % streets_);
    const double y = t.origin[1] + kRow * (static_cast<double>(slot / streets_) + 0.5);
    const double edge = street + kEdge;
    const double r = kRadius;
    const double h = kHalfLength;
    glm::dvec3 axis(0.0, 0.0, 1.0);
    glm::dvec3 centre(0.0, y, 0.0);
    switch (slot % 6) {
      case 0: {  // leaning: the foot's distance from the kerb is such that the side passes through the edge
        const double lean = random.uniform(0.4, 0.9);
        const auto [sine, cosine] = scenario::sine_cosine(lean);
        axis = {sine, 0.0, cosine};
        const glm::dvec3 foot(edge - kKerb * sine / cosine, y, 0.0);
        centre = foot - r * glm::dvec3(cosine, 0.0, -sine) + h * axis;
        break;
      }
      case 1: {  // tipped: the base passes through the edge and through the foot on the asphalt
        const double away = random.uniform(0.25, 0.45);
        const double length = std::sqrt(away * away + kKerb * kKerb);
        const glm::dvec3 base(away / length, 0.0, kKerb / length);
        axis = {-base.z, 0.0, base.x};
        centre = glm::dvec3(edge - away, y, 0.0) + r * base + h * axis;
        break;
      }
      case 2:  // along the kerb
        axis = {0.0, 1.0, 0.0};
        centre = {edge - std::sqrt(r * r - (r - kKerb) * (r - kKerb)), y, r};
        break;
      case 3: {  // lying
        const auto [sine, cosine] = scenario::sine_cosine(random.uniform(0.0, 6.28));
        axis = {cosine, sine, 0.0};
        centre = {street + random.uniform(1.0, 2.5), y, r};
        break;
      }
      case 4:  // standing
        centre = {street + random.uniform(0.5, 3.2), y, h};
        break;
      default:  // on the kerb, its centre on the safe side
        centre = {edge + random.uniform(0.02, 0.8 * r), y, kKerb + h};
        break;
    }
    add(i, centre, scenario::turn_z_to(axis), random);
  }

  void put_on_ground(std::size_t i) {
    Random random(seed_, i + 1);
    std::array<double, 2> place{};
    // Somewhere in a rectangle of its own, but not near to its border.
    const std::size_t slot = i / environments_;
    const std::array<std::size_t, 2> rectangle{slot % streets_, slot / streets_};
    const std::array<std::size_t, 2> rectangles{streets_, rows_};
    for (int a = 0; a < 2; ++a) {
      const double side = (ground().high()[a] - ground().low()[a]) / static_cast<double>(rectangles[a]);
      const double off = 0.5 * std::max(0.0, side - kRow);
      place[a] = ground().low()[a] + side * (static_cast<double>(rectangle[a]) + 0.5) + random.uniform(-off, off);
    }
    const glm::dvec3 n = ground().normal(place[0], place[1]);
    const glm::dvec3 along = glm::normalize(glm::cross(n, random.direction()));
    const glm::dvec3 axis = i % 3 == 0 ? n : i % 3 == 1 ? along : glm::normalize(n + random.uniform(0.3, 1.5) * along);
    const glm::dquat orientation = scenario::turn_z_to(axis);
    add(i, ground().rest(Shape::cylinder, {kRadius, kHalfLength, 0.0}, orientation, place[0], place[1], 0.0, false),
        orientation, random);
  }

  void add(std::size_t i, const glm::dvec3& centre, const glm::dquat& orientation, Random& random) {
    add_body(Shape::cylinder, {kRadius, kHalfLength, 0.0}, i % environments_);
    // Barrels are round: a turn about the own axis shows no difference but in the numbers.
    const glm::dquat spin = scenario::rotation_about(glm::dvec3(0.0, 0.0, 1.0), random.uniform(0.0, 6.28));
    places_.push_back({centre, orientation * spin, random.uniform(0.001, kSunk)});
  }

  std::size_t streets_ = 1;  // on terrain from a file: rectangles along x
  std::size_t rows_ = 1;     // and along y
  std::vector<Place> places_;
};

}  // namespace barrels

std::unique_ptr<Scenario> make_barrels(const ScenarioRequest& request) {
  return std::make_unique<barrels::Barrels>(request);
}

}  // namespace oclide
