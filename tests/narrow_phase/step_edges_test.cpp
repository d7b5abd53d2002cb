// Boxes and cylinders on the edges of stairs, kerbs, blocks and stepping stones: no contact is deeper than the way
// straight up that frees the body, however steep the sides are.
#include <algorithm>
#include <cmath>

#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

// Heights over x alone, linear from kink to kink; every kink lies on a column of the grid.
struct Profile {
  double spacing;
  std::vector<std::pair<double, double>> kinks;
  [[nodiscard]] double length() const { return kinks.back().first; }
  [[nodiscard]] double height(double x) const {
    std::size_t k = 1;
    while (k + 1 < kinks.size() && kinks[k].first < x) ++k;
    const auto& [x0, h0] = kinks[k - 1];
    const auto& [x1, h1] = kinks[k];
    return h0 + (h1 - h0) * (x - x0) / (x1 - x0);
  }
  [[nodiscard]] Terrain terrain() const {
    const auto columns = static_cast<std::size_t>(std::lround(length() / spacing)) + 1;
    const Grid grid{3, columns, {0.0, -2.0}, {spacing, 2.0}};
    return terrain_of(grid, [&](double x, double) { return height(x); });
  }
};

// Flat treads of the given heights, each `tread` long, with one column of cells between two.
Profile treads(double spacing, double tread, const std::vector<double>& heights) {
  Profile p{spacing, {}};
  for (std::size_t k = 0; k < heights.size(); ++k) {
    const double start = static_cast<double>(k) * (tread + spacing);
    p.kinks.emplace_back(start, heights[k]);
    p.kinks.emplace_back(start + tread, heights[k]);
  }
  return p;
}

double support(const BodySpec& b, dvec3 d) {
  const dvec3 own = glm::conjugate(b.orientation) * d;
  const double reach = b.shape == Shape::box
                           ? std::abs(own.x) * b.size[0] + std::abs(own.y) * b.size[1] + std::abs(own.z) * b.size[2]
                           : std::hypot(own.x, own.y) * b.size[0] + std::abs(own.z) * b.size[1];
  return glm::dot(b.position, d) + reach;
}

// The greatest value of a concave function.
template <class Function>
double greatest(double lo, double hi, const Function& f) {
  for (int k = 0; k < 40; ++k) {
    const double a = lo + (hi - lo) / 3.0, c = hi - (hi - lo) / 3.0;
    (f(a) < f(c) ? lo : hi) = f(a) < f(c) ? a : c;
  }
  return f(0.5 * (lo + hi));
}

// The way straight up: the greatest of the height over x less the body's lowest point there. That point is convex in x,
// the greatest over all slopes s of s x - support(s, 0, -1); so the difference is concave between two kinks.
double way_up(const BodySpec& b, const Profile& p) {
  const double low = -support(b, {-1, 0, 0}), high = support(b, {1, 0, 0});
  const auto bottom = [&](double x) {
    return greatest(-100.0, 100.0, [&](double s) { return s * x - support(b, {s, 0, -1}); });
  };
  double most = -1e30;
  for (std::size_t k = 1; k < p.kinks.size(); ++k) {
    const double x0 = std::max(low, p.kinks[k - 1].first), x1 = std::min(high, p.kinks[k].first);
    if (x0 < x1) most = std::max(most, greatest(x0, x1, [&](double x) { return p.height(x) - bottom(x); }));
  }
  return most;
}

class StepEdges : public OnEachDevice {
 protected:
  std::mt19937_64 random{17};
  double within(double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(random); }

  // A box or a cylinder the size of a foot, its axis `tilt` from upright.
  BodySpec foot(dvec3 at, double tilt) {
    const double aside = within(0.0, 6.28);
    const dquat q =
        turn({std::cos(aside), std::sin(aside), 0}, glm::radians(tilt)) * turn({0, 0, 1}, within(0.0, 6.28));
    return within(0.0, 1.0) < 0.5 ? box({0.13, 0.05, 0.02}, at, q) : cylinder(0.06, 0.03, at, q);
  }

  // Each body touches, and none of its contacts is deeper than up[body].
  void expect_no_deeper(const TestScene& scene, const std::vector<double>& up, const std::string& where) {
    const std::vector<Contact> found = contacts(scene);
    for (std::uint32_t k = 0; k < up.size(); ++k) {
      const std::vector<Contact> own = of_body(found, k);
      EXPECT_FALSE(own.empty()) << where << ", body " << k;
      for (const Contact& c : own)
        EXPECT_LE(c.depth, up[k] * 1.01 + 1e-4)
            << where << ", body " << k << ", normal " << c.normal[0] << ' ' << c.normal[1] << ' ' << c.normal[2];
    }
  }

  // Feet at random places, each 2 to 20 mm lower than where it is free.
  void expect_no_deeper_than_up(const Profile& profile) {
    for (const double tilt : {0.0, 5.0, 15.0, 30.0}) {
      TestScene scene(profile.terrain());
      std::vector<double> up;
      for (int k = 0; k < 60; ++k) {
        BodySpec b = foot({within(0.3, profile.length() - 0.3), within(-0.15, 0.15), 0.0}, tilt);
        up.push_back(within(0.002, 0.02));
        b.position.z += way_up(b, profile) - up.back();
        scene.add(b);
      }
      expect_no_deeper(scene, up, "tilt " + std::to_string(tilt) + ", spacing " + std::to_string(profile.spacing));
    }
  }
};
OCLIDE_ON_EACH_DEVICE(StepEdges);

constexpr double kRisers[] = {0.01, 0.02, 0.05, 0.1};

TEST_P(StepEdges, OfStairsGiveNoContactDeeperThanTheWayUp) {
  for (const double riser : kRisers)
    expect_no_deeper_than_up(treads(riser, 0.3, {0.0, 0.17, 0.34, 0.51, 0.68, 0.51, 0.34, 0.17, 0.0}));
}

TEST_P(StepEdges, OfKerbsGiveNoContactDeeperThanTheWayUp) {
  for (const double riser : kRisers)
    expect_no_deeper_than_up(treads(riser, 0.6, {0.0, 0.12, 0.0, 0.03, 0.0, 0.3, 0.1}));
}

// Blocks as narrow as a foot, with ditches as deep as a man.
TEST_P(StepEdges, OfBlocksGiveNoContactDeeperThanTheWayUp) {
  for (const double riser : kRisers)
    expect_no_deeper_than_up(treads(riser, 0.1, {-1.8, 0.0, -1.8, 0.2, -1.8, 0.25, -1.8}));
}

// A thousand stones with flat square tops of several heights. A level foot that reaches a top and no higher stone is
// free above it.
TEST_P(StepEdges, OfSteppingStonesGiveNoContactDeeperThanTheWayUp) {
  constexpr double spacing = 0.05, pitch = 0.5,
                   top = 0.3;  // the top of a stone and its sides: [k pitch - 0.05, + 0.35]
  constexpr int stones = 32;
  std::vector<double> heights;
  for (int k = 0; k < stones * stones; ++k) heights.push_back(within(0.05, 0.8));
  const auto height = [&](double x, double y) {
    const double i = std::floor(x / pitch + 1e-6), j = std::floor(y / pitch + 1e-6);
    const bool on = x - i * pitch < top + 1e-6 && y - j * pitch < top + 1e-6 && i < stones && j < stones;
    return on ? heights[static_cast<std::size_t>(j * stones + i)] : 0.0;
  };
  TestScene scene(terrain_of(Grid{10 * stones + 1, 10 * stones + 1, {0, 0}, {spacing, spacing}}, height));
  std::vector<double> up;
  while (up.size() < 1000) {
    BodySpec b = foot({within(0.2, stones * pitch - 0.3), within(0.2, stones * pitch - 0.3), 0.0}, 0.0);
    const double reach = b.shape == Shape::box ? std::hypot(0.13, 0.05) : 0.06;
    // The highest stone that comes near it, and whether the foot is over that stone's top.
    const auto over = [&](int i, int j) {
      const dvec2 nearest = glm::clamp(dvec2(b.position), dvec2(i, j) * pitch, dvec2(i, j) * pitch + top);
      const dvec3 own = glm::conjugate(b.orientation) * (dvec3(nearest, 0.0) - b.position);
      return b.shape == Shape::box ? std::abs(own.x) < 0.125 && std::abs(own.y) < 0.045 : glm::length(own) < 0.055;
    };
    double highest = -1.0;
    bool free = false;
    for (int j = 0; j < stones; ++j)
      for (int i = 0; i < stones; ++i) {
        const dvec2 stone = (dvec2(i, j) * pitch) + 0.5 * top;
        const dvec2 away = glm::abs(dvec2(b.position) - stone) - (0.5 * top + spacing + reach);
        const double h = heights[static_cast<std::size_t>(j * stones + i)];
        if (away.x < 0.0 && away.y < 0.0 && h > highest) highest = h, free = over(i, j);
      }
    if (!free) continue;
    up.push_back(within(0.002, 0.02));
    b.position.z = highest + (b.shape == Shape::box ? 0.02 : 0.03) - up.back();
    scene.add(b);
  }
  expect_no_deeper(scene, up, "stones");
}

}  // namespace
}  // namespace oclide::test
