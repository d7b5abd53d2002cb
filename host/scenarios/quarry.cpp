// A quarry: bodies of all five convex shapes that lie on rock that no terrain can be. The rock is a closed triangle
// mesh of some ten to two hundred thousand triangles: benches with ledges that hang over, a tunnel from side to side,
// and arches. It is where a function is negative, cut into triangles along the tetrahedra of a grid. From 1,000 bodies
// on there are several rocks of one mesh beside each other, each with its bodies.
//
// Every third body comes down to its place from frame to frame; every fifth trembles. With terrain from a file the
// rocks stand on it, and every fourth body lies around them.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <glm/gtc/quaternion.hpp>
#include <glm/vec3.hpp>
#include <unordered_map>
#include <vector>

#include "scenarios/geometry.hpp"
#include "scenarios/ground.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/stones.hpp"
#include "threads/parallel_for.hpp"

namespace oclide {
namespace quarry {

using scenario::PlacedBody;
using scenario::Random;

constexpr double kCell = 0.5;           // of the grid [m]
constexpr double kBottom = -1.0;        // of the rock [m]
constexpr double kTop = 11.0;           // of the grid [m]
constexpr double kArea = 1.6;           // of the rock, a body [m^2]
constexpr double kSmallestSide = 12.0;  // of the rock [m]
constexpr std::size_t kOfRock = 1000;   // bodies, at most
constexpr double kApart = 4.0;          // from one rock to the next [m]
constexpr double kBench = 1.5;          // height of a step [m]
constexpr double kRiser = 0.15;         // part of a bench's rise that its face takes up
constexpr double kTunnel = 1.3;         // radius [m]
constexpr double kArch = 2.6;           // radius of the middle of an arch [m]
constexpr double kArchThick = 0.6;      // half its thickness [m]
constexpr double kArchOf = 12.0;        // one in a square of this side [m]
constexpr double kSunk = 0.02;          // most of a body in the rock [m]
constexpr double kDeepest = 0.12;       // of a body at its place [m]
constexpr int kTries = 40;              // to find a place
constexpr double kHighest = 1.5;        // that a body comes down from [m]
constexpr std::size_t kFalling = 3;     // one of so many bodies
constexpr std::size_t kAround = 4;      // one of so many bodies, with terrain
constexpr std::size_t kStones = 48;     // hulls, at most
constexpr double kSmallest = 0.15;      // sizes of bodies [m]
constexpr double kLargest = 0.4;        // [m]
constexpr double kBorder = 3.0;         // of the terrain around the rocks [m]

// Where it is negative there is rock. Steps of about a metre are differences of about a metre.
class Rock {
 public:
  Rock(double side, std::uint64_t seed) : half_(0.5 * side), seed_(seed) {}

  [[nodiscard]] double operator()(const glm::dvec3& p) const {
    // What is higher is drawn aside, so that ledges hang over.
    const double aside = 0.9 * scenario::noise(p.z / 1.1, 0.0, seed_ + 1);
    double f = p.z - height(p.x + aside, p.y - aside);
    const double bend = 2.0 * scenario::noise(p.x / 9.0, 0.5, seed_ + 2), dy = p.y - bend, dz = p.z - 0.9;
    f = std::max(f, kTunnel - std::sqrt(dy * dy + dz * dz));
    f = std::min(f, arch(p));
    return std::max({f, std::abs(p.x) - half_, std::abs(p.y) - half_, kBottom - p.z});
  }

  [[nodiscard]] glm::dvec3 gradient(const glm::dvec3& p) const {
    glm::dvec3 slope;
    for (int a = 0; a < 3; ++a) {
      glm::dvec3 step(0.0);
      step[a] = 0.01;
      slope[a] = (*this)(p + step) - (*this)(p - step);
    }
    return slope / 0.02;
  }

 private:
  static double bench(double height) {
    const double steps = height / kBench, whole = std::floor(steps + 0.5);
    return kBench * (whole + std::clamp((steps - whole) / kRiser, -0.5, 0.5));
  }

  [[nodiscard]] double height(double x, double y) const {
    return bench(3.5 + 3.5 * scenario::noise(x / 8.0, y / 8.0, seed_));
  }

  // A ring that stands upright, with its middle in the height of the rock around it.
  [[nodiscard]] double arch(const glm::dvec3& p) const {
    const double i = std::floor(p.x / kArchOf + 0.5), j = std::floor(p.y / kArchOf + 0.5);
    glm::dvec3 middle(kArchOf * i + 2.0 * scenario::noise(i + 0.5, j + 0.5, seed_ + 3),
                      kArchOf * j + 2.0 * scenario::noise(i + 0.5, j + 0.5, seed_ + 4), 0.0);
    middle.z = height(middle.x, middle.y);
    const double x = p.x - middle.x, z = p.z - middle.z, around = std::sqrt(x * x + z * z) - kArch, y = p.y - middle.y;
    return std::sqrt(around * around + y * y) - kArchThick;
  }

  double half_;
  std::uint64_t seed_;
};

// The surface of a rock, closed: in each of the six tetrahedra of each cell of the grid one or two triangles.
class Cutting {
 public:
  Cutting(const Rock& rock, double side) {
    const auto cells = static_cast<std::size_t>(std::ceil(side / kCell)) + 2;
    count_ = {cells + 1, cells + 1, static_cast<std::size_t>((kTop - kBottom) / kCell) + 2};
    low_ = {-0.5 * kCell * static_cast<double>(cells), -0.5 * kCell * static_cast<double>(cells),
            kBottom - 0.5 * kCell};
    values_.resize(count_[0] * count_[1] * count_[2]);
    parallel_for(values_.size(), [&](std::size_t k) { values_[k] = rock(place(k)); });
    for (std::size_t z = 0; z + 1 < count_[2]; ++z)
      for (std::size_t y = 0; y + 1 < count_[1]; ++y)
        for (std::size_t x = 0; x + 1 < count_[0]; ++x) cut_cell((z * count_[1] + y) * count_[0] + x);
    mesh.solid = true;
  }
  Mesh mesh;

 private:
  [[nodiscard]] glm::dvec3 place(std::size_t k) const {
    return low_ + kCell * glm::dvec3(static_cast<double>(k % count_[0]), static_cast<double>(k / count_[0] % count_[1]),
                                     static_cast<double>(k / (count_[0] * count_[1])));
  }

  // Kuhn's tetrahedra: the ways along the axes from one corner of the cell to the farthest. The order of every second
  // one is turned round, so that all are right-handed.
  void cut_cell(std::size_t corner) {
    const std::array<std::size_t, 3> step{1, count_[0], count_[0] * count_[1]};
    constexpr std::array<std::array<int, 2>, 6> kWays{{{0, 1}, {1, 2}, {2, 0}, {1, 0}, {2, 1}, {0, 2}}};
    const std::size_t far = corner + step[0] + step[1] + step[2];
    for (std::size_t k = 0; k < kWays.size(); ++k) {
      const std::size_t first = corner + step[kWays[k][0]], second = first + step[kWays[k][1]];
      if (k < 3)
        cut({corner, first, second, far});
      else
        cut({corner, second, first, far});
    }
  }

  void cut(const std::array<std::size_t, 4>& t) {
    std::array<std::size_t, 4> in{}, out{};
    std::size_t ins = 0, outs = 0;
    for (std::size_t k = 0; k < 4; ++k) (values_[t[k]] < 0.0 ? in[ins++] : out[outs++]) = k;
    const auto between = [&](std::size_t a, std::size_t b) { return vertex(t[a], t[b]); };
    // The face against corner k, counter-clockwise from outside of the tetrahedron.
    constexpr std::array<std::array<std::size_t, 3>, 4> kFaces{{{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};
    if (ins == 1) {
      const auto& f = kFaces[in[0]];
      triangle(between(in[0], f[0]), between(in[0], f[1]), between(in[0], f[2]));
    } else if (ins == 3) {
      const auto& f = kFaces[out[0]];
      triangle(between(out[0], f[0]), between(out[0], f[2]), between(out[0], f[1]));
    } else if (ins == 2) {
      // From inside the edge in[0] in[1] to outside; the corners go round it as the parity of their order says.
      const bool even = (in[0] + in[1]) % 2 == 1;
      const std::size_t a = even ? out[0] : out[1], b = even ? out[1] : out[0];
      const std::array<std::uint32_t, 4> q{between(in[0], a), between(in[0], b), between(in[1], b), between(in[1], a)};
      triangle(q[0], q[1], q[2]);
      triangle(q[0], q[2], q[3]);
    }
  }

  std::uint32_t vertex(std::size_t a, std::size_t b) {
    if (a > b) std::swap(a, b);
    const auto [at, is_new] =
        numbers_.try_emplace(a * values_.size() + b, static_cast<std::uint32_t>(mesh.vertices.size()));
    if (is_new) {
      // Never at a corner, where several would be one.
      const double s = std::clamp(values_[a] / (values_[a] - values_[b]), 0.04, 0.96);
      const glm::dvec3 p = place(a) + s * (place(b) - place(a));
      mesh.vertices.push_back({p.x, p.y, p.z});
    }
    return at->second;
  }

  void triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c) { mesh.triangles.push_back({a, b, c}); }

  std::array<std::size_t, 3> count_{};
  glm::dvec3 low_{};
  std::vector<double> values_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
};

// To the faces, edges and corners of a cube.
const std::vector<glm::dvec3> kDirections = [] {
  std::vector<glm::dvec3> directions;
  for (int k = 0; k < 27; ++k)
    if (k != 13) directions.push_back(glm::normalize(glm::dvec3(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1)));
  return directions;
}();

double side_of(std::size_t bodies) {
  return std::max(kSmallestSide, std::sqrt(kArea * static_cast<double>(std::min(bodies, kOfRock))));
}

std::size_t rocks_of(std::size_t bodies) {
  return (bodies + kOfRock - 1) / kOfRock;
}

class Quarry final : public Scenario {
 public:
  explicit Quarry(const ScenarioRequest& request)
      : Scenario(request), side_(side_of(share(0))), columns_(side_columns(rocks_of(share(0)))), rock_(side_, seed_) {
    const double width = static_cast<double>(columns_) * (side_ + kApart) + 2.0 * kBorder;
    if (request.terrain)
      set_terrain(request, width * width);
    else
      scene_.environment_terrain.assign(scene_.environment_terrain.size(), -1);
    for (std::size_t k = 0; k < std::min(kStones, bodies_); ++k) scene_.hulls.push_back(scenario::stone(k, seed_));
    if (bodies_ > 0) {
      scene_.meshes.push_back(Cutting(rock_, side_).mesh);
      find_floors();
    }
    places_.resize(bodies_);
    std::vector<std::vector<std::size_t>> of_rock;
    for (std::size_t e = 0; e < environments_; ++e) {
      const std::size_t bodies = share(e), rocks = rocks_of(bodies), first = of_rock.size();
      of_rock.resize(first + rocks);
      for (std::size_t k = 0; k < bodies; ++k) {
        const std::size_t i = add_body(Shape::triangle_mesh, {0.0, 0.0, 0.0}, e);
        places_[i] = {k % rocks, k < rocks, {}};
        of_rock[first + k % rocks].push_back(i);
      }
    }
    parallel_for(of_rock.size(), [&](std::size_t k) { find_places(of_rock[k]); });
    for (std::size_t i = 0; i < bodies_; ++i) {
      scene_.bodies.shape[i] = places_[i].body.shape;
      scene_.bodies.size[i] = places_[i].body.size;
    }
  }

  void pose(std::size_t index, Frame& frame) const override {
    parallel_for(bodies_, [&](std::size_t i) {
      PlacedBody body = places_[i].body;
      body.position += (1.0 - progress(index)) * places_[i].above;
      if (places_[i].is_rock)
        scenario::put_pose(frame, i, body.position, body.orientation);
      else
        scenario::put_trembling(frame, i, body, index, seed_ + 1);
    });
  }

 private:
  struct Place {
    std::size_t rock = 0;  // of the environment
    bool is_rock = false;
    PlacedBody body;
    glm::dvec3 above{};  // where it comes down from
  };
  // A triangle that something can lie on, in the rock's axes.
  struct Floor {
    glm::dvec3 middle, normal;
  };

  static std::size_t side_columns(std::size_t rocks) {
    return static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(rocks))));
  }

  void find_floors() {
    const Mesh& mesh = scene_.meshes[0];
    for (const auto& triangle : mesh.triangles) {
      std::array<glm::dvec3, 3> v;
      for (std::size_t k = 0; k < 3; ++k) {
        const auto& p = mesh.vertices[triangle[k]];
        v[k] = {p[0], p[1], p[2]};
      }
      const glm::dvec3 area = glm::cross(v[1] - v[0], v[2] - v[0]);
      const double length = glm::length(area);
      if (length > 0.05 * kCell * kCell && area.z > 0.3 * length)
        floors_.push_back({(v[0] + v[1] + v[2]) / 3.0, area / length});
    }
  }

  [[nodiscard]] glm::dvec3 rock_place(std::size_t k) const {
    const double step = side_ + kApart, shift = 0.5 * static_cast<double>(columns_ - 1);
    glm::dvec3 p(step * (static_cast<double>(k % columns_) - shift), step * (static_cast<double>(k / columns_) - shift),
                 0.0);
    if (!has_ground()) return p;
    for (int a = 0; a < 2; ++a) p[a] += 0.5 * (ground().low()[a] + ground().high()[a]);
    return ground().point(p.x, p.y);
  }

  // Of a rock, the first, and its bodies.
  void find_places(const std::vector<std::size_t>& numbers) {
    const glm::dvec3 origin = rock_place(places_[numbers[0]].rock);
    std::vector<BoundingSphere> placed;
    for (const std::size_t i : numbers) {
      Place& place = places_[i];
      if (place.is_rock) {
        place.body = {Shape::triangle_mesh, {0.0, 0.0, 0.0}, origin};
        continue;
      }
      Random random(seed_, i + 1);
      place.body = scenario::loose_body(random, scene_.hulls.size(), kSmallest, kLargest);
      if (has_ground() && i % kAround == kAround - 1) {
        lay_around(place.body, random);
        continue;
      }
      find_place(place, i % kFalling == 0, placed, random);
      place.body.position += origin;
    }
  }

  struct BoundingSphere {
    glm::dvec3 middle;
    double radius;
  };

  // The first place of those tried where the body is hardly in the rock or another body, or the best of them.
  void find_place(Place& place, bool falls, std::vector<BoundingSphere>& placed, Random& random) const {
    double radius = 0.0;
    for (const glm::dvec3& d : kDirections)
      radius = std::max(radius, scenario::reach_along(place.body, d, scene_.hulls));
    double least = 1e9;
    for (int k = 0; k < kTries && least > kDeepest; ++k) {
      const Floor& floor = floors_[random.below(floors_.size())];
      PlacedBody there = place.body;
      there.position =
          floor.middle +
          (scenario::reach_along(there, -floor.normal, scene_.hulls) - random.uniform(0.0, kSunk)) * floor.normal;
      double deep = 0.0;
      for (const BoundingSphere& other : placed)
        deep = std::max(deep, 0.6 * (other.radius + radius - glm::length(other.middle - there.position)));
      if (deep < least) deep = std::max(deep, depth(there));
      if (deep >= least) continue;
      least = deep;
      place.body.position = there.position;
      place.above = falls ? random.uniform(0.0, kHighest) * floor.normal : glm::dvec3(0.0);
    }
    placed.push_back({place.body.position, radius});
  }

  // How deep it is in the rock, about, and no less: seen in 26 directions.
  [[nodiscard]] double depth(const PlacedBody& body) const {
    double deep = 0.0;
    for (const glm::dvec3& d : kDirections) {
      const glm::dvec3 p = body.position + scenario::reach_along(body, d, scene_.hulls) * d;
      deep = std::max(deep, -rock_(p) / std::max(1.0, glm::length(rock_.gradient(p))));
    }
    return deep;
  }

  // A sphere at the border of the terrain's part that is used.
  void lay_around(PlacedBody& body, Random& random) const {
    const double radius = random.uniform(kSmallest, kLargest);
    body = {Shape::sphere, {radius, 0.0, 0.0}};
    const std::size_t across = random.below(2);
    std::array<double, 2> at{};
    for (std::size_t a = 0; a < 2; ++a) {
      const double low = ground().low()[a], high = ground().high()[a], t = random.uniform();
      const double strip = std::min(kBorder, 0.5 * (high - low));
      at[a] = a != across ? low + (high - low) * t : t < 0.5 ? low + 2.0 * strip * t : high - 2.0 * strip * (1.0 - t);
    }
    body.position = {at[0], at[1], ground().sphere_height(at[0], at[1], radius) - random.uniform(0.0, kSunk)};
  }

  double side_;
  std::size_t columns_;
  Rock rock_;
  std::vector<Floor> floors_;
  std::vector<Place> places_;
};

}  // namespace quarry

std::unique_ptr<Scenario> make_quarry(const ScenarioRequest& request) {
  return std::make_unique<quarry::Quarry>(request);
}

}  // namespace oclide
