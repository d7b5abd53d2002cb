#include "narrow_phase/hull_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <random>

#include "reference/narrow_phase/hull_penetration.hpp"
#include "support/sweep.hpp"

namespace oclide::test {
namespace {

reference::TurnedHull solid_of(const BodySpec& body) {
  const auto [x, y, z] = body.size;
  return reference::turned_hull(body.hull != nullptr ? *body.hull : box_hull({x, y, z}),
                                glm::mat3_cast(glm::normalize(body.orientation)));
}

dvec3 some_direction(std::mt19937_64& random) {
  return random_orientation(random) * dvec3(0, 0, 1);
}

// The shortest turn from one unit vector to another.
dquat turn_between(dvec3 from, dvec3 to) {
  const dvec3 axis = glm::cross(from, to);
  if (!(glm::length(axis) > 1e-9)) return kUpright;
  return turn(axis, std::atan2(glm::length(axis), glm::dot(from, to)));
}

BodySpec as_hull(const BodySpec& box) {
  return convex_hull(box_hull({box.size[0], box.size[1], box.size[2]}), box.position, box.orientation);
}

}  // namespace

const ConvexHull& lasting_hull(const Points& points) {
  static std::deque<std::pair<Points, ConvexHull>> hulls;
  for (const auto& [of, hull] : hulls)
    if (of == points) return hull;
  return hulls.emplace_back(points, build_convex_hull(points, "hull")).second;
}
const ConvexHull& box_hull(dvec3 half_extents) {
  return lasting_hull(grid_on_box(half_extents, 2));
}
const ConvexHull& prism_hull(int sides, double radius, double half_length) {
  return lasting_hull(prism(sides, radius, half_length));
}

BodySpec hull_at_rest(const Points& points) {
  return convex_hull(lasting_hull(points), {});
}

double exact_overlap(const BodyPair& pair) {
  if (pair.second.shape == Shape::half_space) return least_overlap(pair);
  const reference::TurnedHull a = solid_of(pair.first), b = solid_of(pair.second);
  return reference::hull_hull(a, b, pair.second.position - pair.first.position, 1e9).value().depth;
}

std::vector<BodyPair> hull_pairs(const BodySpec& first, const BodySpec& second, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  constexpr std::array kShares{0.0, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999, 0.9999, 1.001, 1.02};
  constexpr std::array kTilts{0.0, 1e-6, 1e-4, 1e-3, 1e-2, 0.05};
  const bool is_plane = second.shape == Shape::half_space;
  std::vector<BodyPair> pairs;
  while (pairs.size() < count) {
    const std::size_t k = pairs.size();
    BodyPair pair{first, second};
    pair.first.orientation = random_orientation(random);
    pair.second.orientation = random_orientation(random);
    const auto faces = solid_of(pair.first).faces;
    const dvec3 face = faces[random() % faces.size()].normal;
    const dvec3 up = axis_of(pair.second, 2);
    dvec3 n = is_plane ? up : some_direction(random);
    if (k % 2 == 0) {
      const auto others = is_plane ? faces : solid_of(pair.second).faces;
      const dquat tilt = turn(some_direction(random), kTilts[k / 2 % 6]);
      if (is_plane)
        pair.first.orientation = glm::normalize(tilt * turn_between(face, -up) * pair.first.orientation);
      else
        pair.second.orientation = glm::normalize(tilt * turn_between(others[random() % others.size()].normal, -face) *
                                                 pair.second.orientation);
      if (!is_plane && k % 4 == 0) n = -face;
    }
    // Their middles one behind the other along n, and aside.
    const auto middle = [](const BodySpec& body) {
      return body.hull != nullptr ? body.orientation * body.hull->centroid : dvec3(0.0);
    };
    const dvec3 to_middle = middle(pair.first) - middle(pair.second), aside = glm::cross(n, some_direction(random));
    const auto room = [&](dvec3 along) {
      return reach(pair.first, -along) + reach(pair.second, along) - glm::dot(along, to_middle);
    };
    pair.first.position = dvec3(unit(random), unit(random), unit(random)) * 100.0;
    pair.second.position = pair.first.position + to_middle - n * (room(n) * kShares[k / 3 % kShares.size()]);
    if (k % 7 > 1) pair.second.position += aside * (room(aside) * unit(random));
    pairs.push_back(pair);
  }
  return pairs;
}

namespace {

void fuzz_hulls(const std::string& name, const BodySpec& first, const BodySpec& second, std::size_t count,
                std::uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  const std::vector<BodyPair> pairs = hull_pairs(first, second, std::max<std::size_t>(count / kSweepStep, 4), seed);
  double size = 0.0;
  std::vector<double> exact;
  for (const BodyPair& pair : pairs) {
    exact.push_back(exact_overlap(pair));
    for (int k = 0; k < 3; ++k) size = std::max(size, reach(pair.first, axis_of(pair.first, k)));
  }
  for (const double margin : {0.0, 0.02 * size}) {
    const auto found = contacts_of(pairs, margin), again = contacts_of(pairs, margin);
    std::size_t touching = 0;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      touching += found[k].empty() ? 0 : 1;
      const testing::AssertionResult result =
          holds(pairs[k], found[k], margin, size > 5.0 ? kContract : 5e-5, exact[k]);
      if (!result) ADD_FAILURE() << name << ", pair " << k << ", margin " << margin << ": " << result.message();
      EXPECT_TRUE(same_bits(found[k], again[k]));
      if (testing::Test::HasFailure()) return;
    }
    EXPECT_GT(touching, pairs.size() / 20) << name;
  }
}

}  // namespace

void fuzz_hulls(const std::string& name, const BodySpec& first, const BodySpec& second, std::size_t count) {
  for (int k = 0; k < fuzz_seeds() && !testing::Test::HasFailure(); ++k)
    fuzz_hulls(name, first, second, count, 7 + 100 * static_cast<std::uint64_t>(k));
}

double area_of(const std::vector<Contact>& contacts) {
  double most = 0.0;
  for (const Contact& p : contacts)
    for (const Contact& q : contacts)
      for (const Contact& r : contacts)
        for (const Contact& s : contacts)
          most = std::max(
              most,
              0.5 * std::abs(glm::dot(normal_of(p), glm::cross(point_of(q) - point_of(p), point_of(s) - point_of(r)))));
  return most;
}

void expect_contacts_of_boxes(const std::vector<BodyPair>& boxes, double margin, double tolerance) {
  std::vector<BodyPair> one = boxes, both = boxes;
  for (std::size_t k = 0; k < boxes.size(); ++k) {
    one[k].second = both[k].second = as_hull(boxes[k].second);
    both[k].first = as_hull(boxes[k].first);
  }
  const auto expected = contacts_of(boxes, margin);
  for (const std::vector<BodyPair>& pairs : {one, both}) {
    const auto found = contacts_of(pairs, margin);
    std::size_t compared = 0, same = 0;
    for (std::size_t k = 0; k < found.size(); ++k) {
      SCOPED_TRACE("pair " + std::to_string(k) + ", margin " + std::to_string(margin));
      if (found[k].empty() || expected[k].empty()) {
        for (const Contact& c : found[k]) EXPECT_NEAR(static_cast<double>(c.depth), -margin, tolerance);
        for (const Contact& c : expected[k]) EXPECT_NEAR(static_cast<double>(c.depth), -margin, tolerance);
        continue;
      }
      const double depth = expected[k].front().depth;
      EXPECT_NEAR(static_cast<double>(found[k].front().depth), depth, tolerance + 0.005 * std::abs(depth));
      // Of equally good directions either may have another.
      if (glm::distance(normal_of(found[k].front()), normal_of(expected[k].front())) > 1e-5) continue;
      ++compared;
      // Sides in one line may cross anywhere, and leave a point more or less.
      const double area = area_of(expected[k]);
      if (found[k].size() == expected[k].size()) {
        EXPECT_NEAR(area_of(found[k]), area, 0.1 * area + 10.0 * tolerance) << text(found[k]) << text(expected[k]);
      }
      std::vector<ExpectedContact> as_expected;
      for (const Contact& c : expected[k]) as_expected.push_back({point_of(c), normal_of(c), c.depth});
      if (same_contacts(found[k], as_expected, {4.0 * tolerance, 1e-4})) ++same;
      if (testing::Test::HasFailure()) return;
    }
    EXPECT_GT(compared, boxes.size() / 4);
    EXPECT_GT(same, compared * 9 / 10);
  }
}

}  // namespace oclide::test
