// A ship that sails through a channel, past the piers of bridges and through what floats there. Its hull is one closed
// triangle mesh, made by formula: frames along its length with round bilges amidships and a sharp stem, a transom, and
// a deck with a hold and a house.
//
//      o   o   o   o   o       floating things, in rows
//       [F]     o  o[F]        piers with fenders, and things that the ship pushes aside
//     /-----------------\_
//    |  house  |cargo|     >   along +x
//     \-----------------/
//       [F]  o      [F]
//
// Of each environment the first body is the ship. An eighth of the others, at most 18, are cargo in its hold. The
// channel has a bed of terrain, on which the piers stand.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <glm/gtc/quaternion.hpp>
#include <glm/vec3.hpp>
#include <map>
#include <tuple>
#include <vector>

#include "scenarios/geometry.hpp"
#include "scenarios/ground.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/stones.hpp"
#include "threads/parallel_for.hpp"

namespace oclide {
namespace ship {

using scenario::PlacedBody;
using scenario::Random;

constexpr double kHalfLength = 12.0;  // [m]
constexpr double kHalfBreadth = 3.0;  // [m]
constexpr double kDraught = 1.6;      // [m]
constexpr double kFreeboard = 1.8;    // amidships [m]
constexpr double kRake = 1.5;         // of the stem [m]
constexpr std::size_t kFrames = 64;   // along the length
constexpr std::size_t kGirth = 16;    // points of a frame from the keel to the deck
constexpr std::size_t kAcross = 6;    // parts of the deck from the middle to its edge

constexpr double kHoldFloor = 0.6;                      // above the water line [m]
constexpr double kHouseRoof = 4.2;                      // [m]
constexpr std::array<double, 2> kHold{-0.35, 0.4};      // by the half length
constexpr std::array<double, 2> kHouse{-0.85, -0.5};    // by the half length
constexpr std::size_t kCargoRow = 6, kMostCargo = 18;   // in three rows
constexpr double kCargoApart = 1.1, kCargoAbeam = 0.9;  // [m]

constexpr std::size_t kStones = 32;      // hulls, at most
constexpr double kSite = 2.2;            // of floating things [m]
constexpr std::size_t kFewColumns = 12;  // of sites
constexpr std::size_t kPierOf = 4;       // every so many columns one has piers
constexpr double kPierRadius = 0.8;      // [m]
constexpr double kPierTop = 5.0;         // above the water [m]
constexpr double kPierSunk = 0.05;       // in the bed [m]
constexpr double kFender = 0.15;         // half of its thickness [m]
constexpr double kMostSunk = 0.03;       // of what the ship touches [m]
constexpr double kBed = -4.0;            // [m]
constexpr double kCell = 1.0;            // of the bed [m]
constexpr double kSmallest = 0.2;        // sizes of things [m]
constexpr double kLargest = 0.5;         // [m]
constexpr double kRoll = 0.02;           // [rad]
constexpr double kPitch = 0.004;         // [rad]
constexpr double kHeave = 0.04;          // [m]
constexpr double kStep = 0.7;            // of the swell's phase, a frame [rad]

// The frame at u of the half length, from the stern at -1 to the stem at 1.
struct Section {
  explicit Section(double u) : forward(std::max(u, 0.0)) {
    const double u4 = u * u * u * u, aft = std::max(-u, 0.0);
    breadth = kHalfBreadth * (u > 0.0 ? 1.0 - u4 : 1.0 - 0.25 * u4);
    keel = -kDraught * (u > 0.0 ? 1.0 : 1.0 - 0.6 * u4);
    deck = kFreeboard + (u > 0.0 ? 0.9 : 0.3) * u * u;
    full = (1.0 - forward) * (1.0 - forward) * (1.0 + 2.0 * forward) * (1.0 - 0.4 * aft * aft);
    along = kHalfLength * u;
  }

  // The point of the port side at t of its girth, from the keel at 0 to the deck at 1.
  [[nodiscard]] glm::dvec3 side(double t) const {
    const double rest = (1.0 - t) * (1.0 - t);
    const double z = keel + (deck - keel) * (full * t * t * t + (1.0 - full) * t);
    return {x(z), breadth * (full * (1.0 - rest * rest) + (1.0 - full) * t), z};
  }
  [[nodiscard]] double x(double z) const { return along + kRake * forward * forward * (z - keel) / (deck - keel); }

  // Half of the breadth at this height.
  [[nodiscard]] double breadth_at(double z) const {
    double low = 0.0, high = 1.0;
    for (int k = 0; k < 40; ++k) (side(0.5 * (low + high)).z < z ? low : high) = 0.5 * (low + high);
    return side(low).y;
  }

  double forward, breadth, keel, deck, full, along;
};

bool within(double u, const std::array<double, 2>& range) {
  return u >= range[0] && u <= range[1];
}

// A ring of points: the skin from the port edge of the deck over the keel to starboard, then the deck back to port.
std::vector<glm::dvec3> ring(double u) {
  const Section section(u);
  std::vector<glm::dvec3> points;
  const auto mirrored = [](const glm::dvec3& p) { return glm::dvec3(p.x, -p.y, p.z); };
  for (std::size_t j = kGirth; j > 0; --j)
    points.push_back(section.side(static_cast<double>(j) / static_cast<double>(kGirth)));
  for (std::size_t j = 0; j <= kGirth; ++j)
    points.push_back(mirrored(section.side(static_cast<double>(j) / static_cast<double>(kGirth))));
  const glm::dvec3 edge = points.front();
  for (std::size_t k = 1; k < 2 * kAcross; ++k) {
    const double a = static_cast<double>(k) / static_cast<double>(kAcross) - 1.0;  // -1 starboard, 1 port
    double z = edge.z + 0.1 * (section.breadth / kHalfBreadth) * (1.0 - a * a);
    if (within(u, kHold) && std::abs(a) < 0.6) z = kHoldFloor;
    if (within(u, kHouse) && std::abs(a) < 0.7) z = kHouseRoof;
    points.emplace_back(edge.x, a * edge.y, z);
  }
  return points;
}

class MeshBuilder {
 public:
  // Corners counter-clockwise seen from outside. Triangles of which two corners are one are left out.
  void quad(const glm::dvec3& a, const glm::dvec3& b, const glm::dvec3& c, const glm::dvec3& d) {
    const glm::dvec3 ac = c - a, bd = d - b;
    if (glm::dot(ac, ac) <= glm::dot(bd, bd)) {
      triangle(a, b, c);
      triangle(a, c, d);
    } else {
      triangle(a, b, d);
      triangle(b, c, d);
    }
  }
  Mesh mesh;

 private:
  std::uint32_t vertex(const glm::dvec3& p) {
    const auto [at, is_new] = numbers_.try_emplace({p.x, p.y, p.z}, static_cast<std::uint32_t>(mesh.vertices.size()));
    if (is_new) mesh.vertices.push_back({p.x, p.y, p.z});
    return at->second;
  }
  void triangle(const glm::dvec3& a, const glm::dvec3& b, const glm::dvec3& c) {
    const std::array<std::uint32_t, 3> corners{vertex(a), vertex(b), vertex(c)};
    if (corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0])
      mesh.triangles.push_back(corners);
  }
  std::map<std::tuple<double, double, double>, std::uint32_t> numbers_;
};

Mesh hull() {
  MeshBuilder builder;
  std::vector<std::vector<glm::dvec3>> rings;
  for (std::size_t i = 0; i <= kFrames; ++i)
    rings.push_back(ring(2.0 * static_cast<double>(i) / static_cast<double>(kFrames) - 1.0));
  const std::size_t n = rings[0].size();
  for (std::size_t i = 0; i < kFrames; ++i)
    for (std::size_t j = 0; j < n; ++j)
      builder.quad(rings[i][j], rings[i + 1][j], rings[i + 1][(j + 1) % n], rings[i][(j + 1) % n]);
  // The transom: from the keel to where the skin meets the deck, port against starboard; then up to the deck's camber.
  const std::vector<glm::dvec3>& stern = rings[0];
  for (std::size_t j = 0; j < kGirth; ++j)
    builder.quad(stern[j], stern[j + 1], stern[2 * kGirth - j - 1], stern[2 * kGirth - j]);
  const auto deck = [&](std::size_t k) { return stern[(2 * kGirth + k) % n]; };
  for (std::size_t k = 0; k < kAcross; ++k)
    builder.quad(deck(k), deck(k + 1), deck(2 * kAcross - k - 1), deck(2 * kAcross - k));
  builder.mesh.solid = true;
  return builder.mesh;
}

class Ship final : public Scenario {
 public:
  explicit Ship(const ScenarioRequest& request) : Scenario(request) {
    if (bodies_ > 0) scene_.meshes.push_back(hull());
    for (std::size_t k = 0; k < std::min(kStones, bodies_); ++k) scene_.hulls.push_back(scenario::stone(k, seed_));
    // As many columns as rows on both sides together, if they are many.
    const double things = static_cast<double>(share(0));
    columns_ = std::max(kFewColumns, static_cast<std::size_t>(std::ceil(std::sqrt(things))));
    const double length = kSite * static_cast<double>(columns_) + 3.0 * kHalfLength;
    const double rows = std::ceil(things / (2.0 * static_cast<double>(columns_)));
    const double width = 2.0 * (kHalfBreadth + kSite * (rows + 2.0));
    if (request.terrain) {
      set_terrain(request, length * width);
    } else {
      const std::uint64_t seed = seed_;
      set_terrain(scenario::make_terrain(length, width, {kCell, kCell}, [seed](double x, double y) {
        return kBed + scenario::fractal_noise(x, y, 8.0, 2.0, 0.05, seed);
      }));
    }
    for (std::size_t a = 0; a < 2; ++a) middle_[a] = 0.5 * (ground().low()[a] + ground().high()[a]);
    set_water(length, width);
    places_.resize(bodies_);
    for (std::size_t e = 0; e < environments_; ++e) add_environment(e);
  }

  [[nodiscard]] bool moves() const override { return true; }

  void pose(std::size_t index, Frame& frame) const override {
    const double half = 0.5 * kSite * static_cast<double>(columns_);
    const double phase = kStep * static_cast<double>(index);
    const double from = -half - 0.5 * kHalfLength;
    const glm::dvec3 ship(from + (frames_ > 1 ? progress(index) : 0.5) * -2.0 * from, 0.0,
                          kHeave * scenario::sine_cosine(phase).sine);
    const glm::dquat turn =
        scenario::rotation_about({0.0, 1.0, 0.0}, kPitch * scenario::sine_cosine(phase + 1.0).sine) *
        scenario::rotation_about({1.0, 0.0, 0.0}, kRoll * scenario::sine_cosine(0.6 * phase).sine);
    parallel_for(bodies_, [&](std::size_t i) {
      const Place& place = places_[i];
      glm::dvec3 position = place.body.position;
      glm::dquat orientation = place.body.orientation;
      if (place.kind == Kind::ship || place.kind == Kind::cargo) {
        position = ship + turn * position;
        orientation = turn * orientation;
      } else if (place.kind == Kind::afloat) {
        position.z += kHeave * scenario::sine_cosine(phase + static_cast<double>(i)).sine;
        push(place, ship.x, position);
      }
      scenario::put_pose(frame, i, position + glm::dvec3(middle_[0], middle_[1], water_), orientation);
    });
  }

 private:
  enum class Kind : std::uint8_t { ship, cargo, fixed, afloat };
  // Where a body is, from the middle of the channel at the water line; of cargo in the ship's axes.
  struct Place {
    Kind kind = Kind::fixed;
    PlacedBody body;
    double abeam = 0.0;  // how far it reaches across the channel [m]
    double sunk = 0.0;   // into the ship that pushes it [m]
  };

  // Over all of the bed.
  void set_water(double length, double width) {
    double highest = ground().height(middle_[0], middle_[1]);
    for (int i = 0; i <= 64; ++i)
      for (int j = 0; j <= 64; ++j)
        highest = std::max(
            highest, ground().height(middle_[0] + length * (i / 64.0 - 0.5), middle_[1] + width * (j / 64.0 - 0.5)));
    water_ = std::max(highest + 1.5 * kDraught, 0.0);
  }

  // Moves a thing out of the ship's way. What the ship has pushed aside stays there.
  static void push(const Place& place, double ship, glm::dvec3& position) {
    // The widest part of the ship that has passed the thing, from every place that it reaches to along the channel.
    const double r = place.abeam;
    double beside = 0.0;
    for (int k = -4; k <= 4; ++k) {
      const double a = 0.24 * k, u = std::max((position.x + a * r - ship) / kHalfLength, 0.0);
      if (u < 1.0) beside = std::max(beside, Section(u).breadth_at(0.2) + r * std::sqrt(1.0 - a * a));
    }
    beside -= place.sunk;
    if (std::abs(position.y) < beside) position.y = position.y < 0.0 ? -beside : beside;
  }

  void add(const Place& place, std::size_t environment) {
    places_[add_body(place.body.shape, place.body.size, environment)] = place;
  }

  void add_environment(std::size_t e) {
    if (share(e) == 0) return;
    add({Kind::ship, {Shape::triangle_mesh}}, e);
    const std::size_t things = share(e) - 1, cargo = std::min(kMostCargo, things / 8);
    for (std::size_t k = 0; k < things; ++k) {
      Random random(seed_, scenario::mix(e) + k);
      if (k < cargo)
        add_cargo(k, e, random);
      else
        add_thing(k - cargo, e, random);
    }
  }

  [[nodiscard]] PlacedBody loose_body(Random& random) const {
    return scenario::loose_body(random, scene_.hulls.size(), kSmallest, kLargest);
  }
  [[nodiscard]] double reach(const PlacedBody& body, const glm::dvec3& along) const {
    return scenario::reach_along(body, along, scene_.hulls);
  }

  void add_cargo(std::size_t k, std::size_t e, Random& random) {
    Place place{Kind::cargo, loose_body(random)};
    place.body.position = {kCargoApart * (static_cast<double>(k % kCargoRow) - 2.5) + 0.3,
                           kCargoAbeam * (static_cast<double>(k / kCargoRow) - 1.0),
                           kHoldFloor + reach(place.body, {0.0, 0.0, -1.0}) - random.uniform(0.0, 0.01)};
    add(place, e);
  }

  // Sites go along the channel, port and starboard by turns, then to the next row outward.
  void add_thing(std::size_t k, std::size_t e, Random& random) {
    const std::size_t row = k / (2 * columns_), column = k / 2 % columns_;
    const double side = k % 2 == 0 ? 1.0 : -1.0;
    const auto x = [&](std::size_t c) {
      return kSite * (static_cast<double>(c) + 0.5 - 0.5 * static_cast<double>(columns_));
    };
    Place place;
    if (row == 0 && column % kPierOf == 0) {
      place.body.position = {x(column), side * (kHalfBreadth + 2.0 * kFender + kPierRadius), 0.0};
      const double foot =
          ground().height(middle_[0] + place.body.position.x, middle_[1] + place.body.position.y) - water_ - kPierSunk;
      place.body.shape = Shape::cylinder;
      place.body.size = {kPierRadius, 0.5 * (kPierTop - foot), 0.0};
      place.body.position.z = 0.5 * (kPierTop + foot);
    } else if (row == 0 && column % kPierOf == 1) {
      place.body.shape = Shape::box;
      place.body.size = {0.6, kFender, 0.9};
      place.body.position = {x(column - 1), side * (kHalfBreadth + kFender - random.uniform(-0.01, kMostSunk)), 0.8};
    } else {
      place = {Kind::afloat, loose_body(random)};
      const double outward = row == 0
                                 ? random.uniform(0.2, 1.0) * kHalfBreadth
                                 : kHalfBreadth + kSite * (static_cast<double>(row) + 0.3) + random.uniform(-0.4, 0.4);
      place.body.position = {x(column) + random.uniform(-0.4, 0.4), side * outward,
                             -0.3 * reach(place.body, {0.0, 0.0, -1.0})};
      place.abeam = reach(place.body, {0.0, -side, 0.0});
      place.sunk = random.uniform(-0.01, kMostSunk);
    }
    add(place, e);
  }

  std::size_t columns_ = 1;
  std::array<double, 2> middle_{};
  double water_ = 0.0;
  std::vector<Place> places_;
};

}  // namespace ship

std::unique_ptr<Scenario> make_ship(const ScenarioRequest& request) {
  return std::make_unique<ship::Ship>(request);
}

}  // namespace oclide
