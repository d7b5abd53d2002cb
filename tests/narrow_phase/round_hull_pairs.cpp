#include "narrow_phase/round_hull_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "reference/narrow_phase/body_pair.hpp"
#include "support/sweep.hpp"

namespace oclide::test {
namespace {

dvec3 some_direction(std::mt19937_64& random) {
  return random_orientation(random) * dvec3(0, 0, 1);
}

// The turn of z to a unit vector.
dquat turn_of_z_to(dvec3 to) {
  const dvec3 axis = glm::cross(dvec3(0, 0, 1), to);
  if (glm::length(axis) < 1e-9) return to.z > 0.0 ? kUpright : turn({1, 0, 0}, 2.0 * kQuarter);
  return turn(axis, std::atan2(glm::length(axis), to.z));
}

Points tetrahedron() {
  return {{0.5, 0.5, 0.5}, {-0.5, -0.5, 0.5}, {-0.5, 0.5, -0.5}, {0.5, -0.5, -0.5}};
}

}  // namespace

ConvexHull hull_of(const Points& points) {
  return build_convex_hull(points, "hull");
}

ConvexHull larger(const ConvexHull& hull, double scale) {
  Points points;
  for (const glm::vec3& v : hull.vertices) points.push_back({scale * v.x, scale * v.y, scale * v.z});
  return hull_of(points);
}

BodyPair on_slab(const BodySpec& round) {
  static const ConvexHull hull = hull_of(grid_on_box({1, 1, 0.5}, 2));
  return {round, convex_hull(hull, {0, 0, 0})};
}

const std::vector<NamedHull>& some_hulls() {
  static const std::vector<NamedHull> hulls = [] {
    dmat3 half(0.5);
    return std::vector<NamedHull>{
        {"tetrahedron", hull_of(tetrahedron())},
        {"sliver", hull_of({{0, 0, 0}, {1, 0, 0}, {0.4, 1e-3, 0}, {0.5, 0, 0.8}})},
        {"thin plate", hull_of({{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}, {0.1, 0.1, 1e-3}})},
        {"needle", hull_of(changed(prism(5, 0.02, 1.5), dmat3(1.0), {0, 0, 0}))},
        {"spike", hull_of({{0, 0, 2}, {0.03, 0, 0}, {-0.02, 0.02, 0}, {-0.02, -0.02, 0}})},
        {"cube", hull_of(changed(grid_on_box({0.5, 0.5, 0.5}, 2), some_turn(), {0, 0, 0}))},
        {"prism", hull_of(prism(24, 0.5, 0.3))},
        {"stone", hull_of(changed(in_ball(32, 3), half, {0, 0, 0}))},
        {"off centre", hull_of(changed(in_ball(40, 5), half, {3, -2, 1}))},
        {"ball", hull_of(changed(on_sphere(300, 7), half, {0, 0, 0}))},
        {"fine ball", hull_of(changed(icosphere(14).points, half, {0, 0, 0}))}};
  }();
  return hulls;
}

std::vector<BodyPair> round_hull_pairs(const BodySpec& round, const ConvexHull& hull, std::size_t count,
                                       std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  constexpr std::array kTilts{0.0, 1e-6, 1e-4, 1e-3, 1e-2, 0.05};
  const auto any = [&](const auto& list) { return list[random() % list.size()]; };
  const auto vertex = [&](std::uint32_t k) { return dvec3(hull.vertices[k]); };
  std::vector<BodyPair> pairs;
  for (std::size_t k = 0; k < count; ++k) {
    BodyPair pair{
        round, convex_hull(hull, dvec3(unit(random), unit(random), unit(random)) * 100.0, random_orientation(random))};
    const HullFace face = any(hull.faces);
    const HullEdge edge = any(hull.edges);
    const dvec3 along = glm::normalize(vertex(edge.vertices[1]) - vertex(edge.vertices[0]));
    const dvec3 first = hull.faces[edge.faces[0]].normal, second = hull.faces[edge.faces[1]].normal;
    // In the hull's axes: where the round body is, seen from the hull, and which way its axis points.
    const double share = unit(random);
    const std::array directions{face.normal, glm::normalize(first * share + second * (1.0 - share)),
                                glm::normalize(vertex(edge.vertices[0]) - hull.centroid), some_direction(random)};
    dvec3 n = directions[k % 4];
    const std::array axes{n,
                          glm::cross(n, some_direction(random)),
                          along,
                          glm::cross(first, along),
                          glm::cross(along, some_direction(random)),
                          some_direction(random)};
    const dvec3 axis = glm::normalize(axes[random() % axes.size()]);
    const dquat tilt = turn(some_direction(random), any(kTilts));
    pair.first.orientation = pair.second.orientation * tilt * turn_of_z_to(axis) * turn({0, 0, 1}, 6.3 * unit(random));
    if (k % 8 == 7) n = glm::cross(axis, along);
    n = pair.second.orientation * (glm::length(n) > 1e-9 ? glm::normalize(n) : face.normal);
    const double size = reach(pair.first, -n) + reach(pair.second, n);
    const double width = reach(pair.second, n) + reach(pair.second, -n);
    const std::array depths{
        1e-4 * unit(random),        -1e-3 * unit(random), 0.01 * unit(random), -0.03 * unit(random), 0.0,
        0.3 * width * unit(random), size * unit(random)};
    pair.first.position = pair.second.position + n * (size - depths[(k / 8) % depths.size()]);
    // Over a point of the hull that is farthest along n.
    const dvec3 to = glm::inverse(pair.second.orientation) * n;
    dvec3 farthest = vertex(0);
    for (const glm::vec3& v : hull.vertices)
      if (glm::dot(dvec3(v), to) > glm::dot(farthest, to)) farthest = dvec3(v);
    const dvec3 aside = k % 4 == 0 ? (vertex(hull.loop(0)[0]) + vertex(hull.loop(0)[1])) * 0.5 : farthest;
    dvec3 across = pair.second.orientation * aside;
    across -= n * glm::dot(across, n);
    const dvec3 own = pair.first.orientation * dvec3(0, 0, round.size[1] * (2.0 * unit(random) - 1.0));
    pair.first.position += across + (own - n * glm::dot(own, n));
    if (k % 3 == 0) pair.first.position += glm::cross(n, some_direction(random)) * (0.3 * unit(random));
    pairs.push_back(pair);
  }
  return pairs;
}

// The round body and the contacts' ends on the hull, in the hull's axes.
std::string place_of(const BodyPair& pair, const std::vector<Contact>& found) {
  const dquat into = glm::inverse(glm::normalize(pair.second.orientation));
  const dvec3 p = into * (pair.first.position - pair.second.position), v = into * axis_of(pair.first, 2);
  std::ostringstream out;
  out.precision(9);
  out << "at " << p.x << " " << p.y << " " << p.z << ", axis " << v.x << " " << v.y << " " << v.z << ", size "
      << pair.first.size[0] << " " << pair.first.size[1];
  for (const Contact& c : found) {
    const dvec3 n = into * normal_of(c);
    const dvec3 q = into * (point_of(c) - pair.second.position) + n * static_cast<double>(c.depth);
    out << "\n  normal " << n.x << " " << n.y << " " << n.z << ", to " << q.x << " " << q.y << " " << q.z << ", off "
        << distance_to(pair.second, point_of(c) + normal_of(c) * static_cast<double>(c.depth)) << ", feature "
        << std::hex << c.feature << std::dec;
  }
  return out.str();
}

double least_hull_overlap(const BodyPair& pair) {
  if (pair.first.shape == Shape::cylinder) {
    const auto body = [](const BodySpec& b) {
      const dquat q = glm::normalize(b.orientation);
      return reference::make_body(b.shape, b.size, {q.w, q.x, q.y, q.z}, b.hull);
    };
    const auto least = reference::pair_penetration(body(pair.first), body(pair.second),
                                                   pair.second.position - pair.first.position, 0.1);
    return least ? least->depth : -0.1;
  }
  // The core alone: apart its distance, else the least along faces and across the axis and an edge.
  const ConvexHull& hull = *pair.second.hull;
  BodyPair core = pair;
  core.first.size[0] = 0.0;
  const bool is_sphere = pair.first.shape == Shape::sphere;
  const dvec3 axis = axis_of(pair.first, 2), half_axis = is_sphere ? dvec3(0.0) : axis * pair.first.size[1];
  const auto distance = [&](double t) { return distance_to(pair.second, pair.first.position + half_axis * t); };
  if (const double nearest = distance(is_sphere ? 0.0 : place_of_least(distance)); nearest > 1e-9)
    return pair.first.size[0] - nearest;
  double least = 1e300;
  const dquat q = glm::normalize(pair.second.orientation);
  for (const HullFace& face : hull.faces) least = std::min(least, overlap_along(core, q * face.normal));
  for (const HullEdge& edge : hull.edges) {
    const dvec3 n = glm::cross(q * dvec3(hull.vertices[edge.vertices[1]] - hull.vertices[edge.vertices[0]]), axis);
    if (is_sphere || !(glm::length(n) > 1e-12)) continue;
    for (const double sense : {1.0, -1.0}) least = std::min(least, overlap_along(core, glm::normalize(n) * sense));
  }
  return pair.first.size[0] + least;
}

namespace {

void fuzz_round_hull(const BodySpec& round, const NamedHull& hull, std::size_t count, double tolerance,
                     std::uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  const std::vector<BodyPair> pairs = round_hull_pairs(round, hull.hull, count / kSweepStep, seed);
  std::vector<double> least;
  for (const BodyPair& pair : pairs) least.push_back(least_hull_overlap(pair));
  for (const double margin : {0.0, 0.02}) {
    const std::vector<std::vector<Contact>> found = contacts_of(pairs, margin), again = contacts_of(pairs, margin);
    std::size_t touching = 0;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      touching += found[k].empty() ? 0 : 1;
      // Apart, the bodies may not lie over each other along a cylinder's normal, which is as far off as its depth may
      // be.
      const double off_surface = round.shape == Shape::cylinder ? 2.0 * tolerance : tolerance;
      const testing::AssertionResult result = holds(pairs[k], found[k], margin, tolerance, least[k], off_surface);
      if (!result)
        ADD_FAILURE() << hull.name << ", pair " << k << ", margin " << margin << ", " << place_of(pairs[k], found[k])
                      << ": " << result.message();
      EXPECT_TRUE(same_bits(found[k], again[k]));
      if (testing::Test::HasFailure()) return;
    }
    EXPECT_GT(touching, pairs.size() / 8) << hull.name;
  }
}

}  // namespace

void fuzz_round_hull(const BodySpec& round, const NamedHull& hull, std::size_t count, double tolerance) {
  for (int k = 0; k < fuzz_seeds() && !testing::Test::HasFailure(); ++k)
    fuzz_round_hull(round, hull, count, tolerance, 17 + 100 * static_cast<std::uint64_t>(k));
}

void expect_contacts_of_box(const BodySpec& round, dvec3 half_extents, std::size_t count, double tolerance) {
  const ConvexHull hull = hull_of(grid_on_box(half_extents, 2));
  const bool box_first = round.shape > Shape::box;
  const std::vector<BodyPair> with_hull = round_hull_pairs(round, hull, count / kSweepStep, 23);
  std::vector<BodyPair> with_box;
  for (const BodyPair& pair : with_hull) {
    const BodySpec as_box = box(half_extents, pair.second.position, pair.second.orientation);
    with_box.push_back(box_first ? BodyPair{as_box, pair.first} : BodyPair{pair.first, as_box});
  }
  for (const double margin : {0.0, 0.02}) {
    const auto found = contacts_of(with_hull, margin), of_box = contacts_of(with_box, margin);
    std::size_t compared = 0, same = 0;
    for (std::size_t k = 0; k < found.size(); ++k) {
      SCOPED_TRACE("pair " + std::to_string(k) + ", margin " + std::to_string(margin));
      if (found[k].empty() || of_box[k].empty()) {
        for (const Contact& c : found[k]) EXPECT_NEAR(static_cast<double>(c.depth), -margin, tolerance);
        for (const Contact& c : of_box[k]) EXPECT_NEAR(static_cast<double>(c.depth), -margin, tolerance);
        continue;
      }
      const double depth = of_box[k].front().depth;
      EXPECT_NEAR(static_cast<double>(found[k].front().depth), depth, tolerance + 0.005 * std::abs(depth));
      const dvec3 n = glm::normalize(normal_of(found[k].front()));
      constexpr double kFaceSlack = 2e-5;  // what a face may be worse
      EXPECT_LT(overlap_along(with_hull[k], n), depth + tolerance + kFaceSlack + 0.005 * std::abs(depth));
      // Of equally good directions either may have another: then points have nothing to be compared with.
      const dvec3 of_box_n = (box_first ? -1.0 : 1.0) * normal_of(of_box[k].front());
      if (glm::distance(n, of_box_n) > 1e-4) continue;
      std::vector<ExpectedContact> expected;
      for (const Contact& c : of_box[k]) {
        const double d = c.depth;
        expected.push_back({box_first ? point_of(c) + normal_of(c) * d : point_of(c), of_box_n, d});
      }
      ++compared;
      same += same_contacts(found[k], expected, {10.0 * tolerance, 1e-4}) ? 1 : 0;
      if (testing::Test::HasFailure()) return;
    }
    const double share_of_same = round.shape == Shape::sphere ? 1.0 : (round.shape == Shape::capsule ? 0.9 : 0.7);
    EXPECT_GT(compared, found.size() / 3);
    EXPECT_GE(static_cast<double>(same), share_of_same * static_cast<double>(compared)) << "of " << compared;
  }
}

}  // namespace oclide::test
