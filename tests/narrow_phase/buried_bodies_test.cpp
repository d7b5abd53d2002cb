// How many moves bring a buried body out, each the shortest that meets all of its contacts: docs/terrain_contacts.md,
// "Bodies that are buried".
#include <deque>
#include <optional>

#include "reference/broad_phase/terrain_range.hpp"
#include "support/on_each_device.hpp"
#include "support/terrains.hpp"
#include "validation/solid_overlap.hpp"

namespace oclide::test {
namespace {

constexpr double kOut = 2e-4;  // a body that overlaps by less is out [m]
const Grid kGrid{61, 65, {-16.0, -15.0}, {0.5, 0.5}};

// Craters of 0.6 to 3 m radius, one over the other.
Terrain craters(double steepness) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> across(-15.0, 15.0), size(0.6, 3.0);
  std::vector<dvec3> all;
  for (int k = 0; k < 60; ++k) {
    const double x = across(random), y = across(random);
    all.emplace_back(x, y, size(random));
  }
  return terrain_of(kGrid, [&](double x, double y) {
    double height = 0.0;
    for (const dvec3& c : all) {
      const double d = std::hypot(x - c.x, y - c.y) / c.z;
      if (d < 1.0) height += steepness * c.z * (0.7 * (d * d - 1.0) + 0.3);
      if (d >= 1.0 && d < 1.5) height += steepness * c.z * 0.3 * std::exp(-6.0 * (d - 1.0));
    }
    return height;
  });
}

// How far straight up the body must move to be free; below 0 where it is.
double way_up(const Terrain& terrain, const BodySpec& b) {
  const reference::TerrainView view(terrain, b.position);
  const reference::Body body = reference::make_body(
      b.shape, b.size, {b.orientation.w, b.orientation.x, b.orientation.y, b.orientation.z}, b.hull);
  return validation::overlap_depth_vertical(body,
                                            reference::TerrainSurface(view, reference::terrain_range(view, body, 0.0)));
}

// The shortest move with move . normal >= depth for all contacts: that of one, two or three of them.
std::optional<dvec3> least_move(const std::vector<Contact>& contacts) {
  std::vector<std::pair<dvec3, double>> planes;
  for (const Contact& c : contacts) planes.emplace_back(normal_of(c), static_cast<double>(c.depth));
  std::optional<dvec3> least;
  const auto offer = [&](dvec3 move) {
    if (least && glm::length(move) >= glm::length(*least)) return;
    for (const auto& [normal, depth] : planes)
      if (!(glm::dot(normal, move) >= depth - 1e-6 - 1e-5 * depth)) return;
    least = move;
  };
  for (std::size_t i = 0; i < planes.size(); ++i) {
    const auto& [a, depth_a] = planes[i];
    offer(a * depth_a);
    for (std::size_t j = 0; j < i; ++j) {
      const auto& [b, depth_b] = planes[j];
      const double cosine = glm::dot(a, b), sine2 = 1.0 - cosine * cosine;
      if (sine2 > 1e-14) offer((a * (depth_a - cosine * depth_b) + b * (depth_b - cosine * depth_a)) / sine2);
      for (std::size_t k = 0; k < j; ++k) {
        const auto& [c, depth_c] = planes[k];
        const double volume = glm::dot(a, glm::cross(b, c));
        if (std::abs(volume) > 1e-7)
          offer((depth_a * glm::cross(b, c) + depth_b * glm::cross(c, a) + depth_c * glm::cross(a, b)) / volume);
      }
    }
  }
  return least;
}

class BuriedBodies : public OnEachDevice {
 protected:
  static constexpr std::size_t kBodies = 600;

  // 4 to 40 points of an ellipsoid as large as the box of of_any_shape().
  BodySpec any_hull(double radius, dvec3 position, std::mt19937_64& random) {
    std::vector<std::array<double, 3>>& points = points_.emplace_back(4 + random() % 37);
    for (auto& point : points) {
      const dvec3 p = dvec3(radius, 0.5 * radius, 0.7 * radius) * (random_orientation(random) * dvec3(0.0, 0.0, 1.0));
      point = {p.x, p.y, p.z};
    }
    BodySpec body =
        convex_hull(hulls_.emplace_back(build_convex_hull(points, "hull")), position, random_orientation(random));
    body.size[0] = static_cast<double>(hulls_.size() - 1);
    return body;
  }

  // Bodies of all five shapes that meet terrain, up to 4 m deep: all are out after `most` moves, and this part of them
  // after one.
  void expect_out(const Terrain& terrain, int most, double after_one) {
    std::mt19937_64 random(21);
    std::uniform_real_distribution<double> across(-13.0, 13.0), part(0.0, 1.0);
    std::vector<BodySpec> bodies;
    while (bodies.size() < kBodies) {
      const double size = 0.05 + 0.7 * part(random), x = across(random), y = across(random);
      const dvec3 at(x, y, -60.0);
      BodySpec b = bodies.size() % 5 == 4 ? any_hull(size, at, random)
                                          : of_any_shape(bodies.size() % 5, size, at, random_orientation(random));
      b.position.z += way_up(terrain, b) - (part(random) < 0.5 ? 0.5 : 4.0) * part(random);
      if (way_up(terrain, b) > kOut) bodies.push_back(b);
    }
    std::size_t first = 0;
    for (int move = 1; move <= most && !bodies.empty(); ++move) {
      TestScene scene(terrain, bodies);
      scene.scene.hulls.assign(points_.begin(), points_.end());
      const std::vector<Contact> found = frame(scene).contacts;
      std::vector<BodySpec> left;
      for (std::uint32_t k = 0; k < bodies.size(); ++k) {
        BodySpec b = bodies[k];
        const std::optional<dvec3> by = least_move(of_body(found, k));
        ASSERT_TRUE(by) << "body " << k;
        EXPECT_GE(by->z, -1e-6);
        b.position += *by;
        if (way_up(terrain, b) > kOut) left.push_back(b);
      }
      if (move == 1) first = kBodies - left.size();
      bodies = left;
    }
    EXPECT_TRUE(bodies.empty()) << bodies.size() << " are left after " << most << " moves";
    EXPECT_GE(static_cast<double>(first), after_one * kBodies);
  }

 private:
  std::deque<ConvexHull> hulls_;  // which bodies point to
  std::deque<std::vector<std::array<double, 3>>> points_;
};
OCLIDE_ON_EACH_DEVICE(BuriedBodies);

TEST_P(BuriedBodies, InCratersAreOutAfterThreeMoves) {
  expect_out(craters(0.15), 2, 0.85);
  expect_out(craters(0.4), 3, 0.7);
}

TEST_P(BuriedBodies, InRoughGroundOfSlopesBelowOneAreOutAfterFourMoves) {
  expect_out(rough(kGrid, 0.05, 3), 3, 0.7);
  expect_out(rough(kGrid, 0.15, 3), 4, 0.5);
}

// Where neighbouring vertices differ by more than their distance, a way aside often leads into the next hill.
TEST_P(BuriedBodies, InSpikyGroundAreOutAfterTwentyFiveMoves) {
  expect_out(rough(kGrid, 0.4, 3), 10, 0.45);
  expect_out(rough(kGrid, 1.0, 3), 25, 0.5);
}

}  // namespace
}  // namespace oclide::test
