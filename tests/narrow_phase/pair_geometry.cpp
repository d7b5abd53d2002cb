#include "narrow_phase/pair_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "support/sweep.hpp"

namespace oclide::test {
namespace {

constexpr dvec3 kNone{0.0};

dvec3 axis(const BodySpec& body, int k) {
  dvec3 e(0.0);
  e[k] = 1.0;
  return glm::normalize(body.orientation) * e;
}

// Is x, in the hull's axes, over a face, seen along its normal?
bool is_over(const ConvexHull& hull, std::size_t face, dvec3 x) {
  const auto loop = hull.loop(face);
  for (std::size_t k = 0; k < loop.size(); ++k) {
    const dvec3 from(hull.vertices[loop[k]]), to(hull.vertices[loop[(k + 1) % loop.size()]]);
    if (glm::dot(glm::cross(to - from, x - from), hull.faces[face].normal) < 0.0) return false;
  }
  return true;
}

// Of x from the plane of the face that it is farthest out of; negative inside.
double beyond_faces(const ConvexHull& hull, dvec3 x) {
  double beyond = -1e300;
  for (const HullFace& face : hull.faces) beyond = std::max(beyond, glm::dot(face.normal, x) - face.offset);
  return beyond;
}

dvec3 nearest_in_hull(const ConvexHull& hull, dvec3 x) {
  if (beyond_faces(hull, x) <= 0.0) return x;
  dvec3 nearest(0.0);
  double least = 1e300;
  const auto offer = [&](dvec3 to) {
    if (const double d = glm::distance(to, x); d < least) least = d, nearest = to;
  };
  // Also of a face that x is beneath by rounding, for x may be as little above the plane of another one that lies all
  // but in the same plane.
  for (std::size_t k = 0; k < hull.faces.size(); ++k)
    if (is_over(hull, k, x))
      offer(x - hull.faces[k].normal * (glm::dot(hull.faces[k].normal, x) - hull.faces[k].offset));
  for (const HullEdge& edge : hull.edges) {
    const dvec3 from(hull.vertices[edge.vertices[0]]), along = dvec3(hull.vertices[edge.vertices[1]]) - from;
    offer(from + along * std::clamp(glm::dot(x - from, along) / glm::dot(along, along), 0.0, 1.0));
  }
  return nearest;
}

// A point as seen in the body's axes.
dvec3 seen_from(const BodySpec& body, dvec3 p) {
  return glm::inverse(glm::normalize(body.orientation)) * (p - body.position);
}

// The body's point nearest to x, both in its axes; x itself inside.
dvec3 nearest_in_axes(const BodySpec& body, dvec3 x) {
  const double r = body.size[0], h = body.size[1];
  const auto into_ball = [r](dvec3 v) { return glm::length(v) > r ? glm::normalize(v) * r : v; };
  switch (body.shape) {
    case Shape::sphere:
      return into_ball(x);
    case Shape::box:
      for (int k = 0; k < 3; ++k) x[k] = std::clamp(x[k], -body.size[k], body.size[k]);
      return x;
    case Shape::cylinder: {
      const dvec3 radial = into_ball({x.x, x.y, 0.0});
      return {radial.x, radial.y, std::clamp(x.z, -h, h)};
    }
    case Shape::capsule: {
      const dvec3 on_axis(0.0, 0.0, std::clamp(x.z, -h, h)), out = x - on_axis;
      return glm::length(out) > r ? on_axis + into_ball(out) : x;
    }
    case Shape::convex_hull:
      return nearest_in_hull(*body.hull, x);
    default:
      return {x.x, x.y, std::min(x.z, 0.0)};
  }
}
dvec3 nearest_in(const BodySpec& body, dvec3 p) {
  return glm::normalize(body.orientation) * nearest_in_axes(body, seen_from(body, p)) + body.position;
}

void add(std::vector<dvec3>& directions, dvec3 d) {
  const double length = glm::length(d);
  if (!(length > 1e-9)) return;
  directions.push_back(d / length);
  directions.push_back(-d / length);
}

// Axes, perpendiculars of axes, the line of centres and its parts along and across the axes.
std::vector<dvec3> special_directions(const BodyPair& pair) {
  std::vector<dvec3> found;
  const dvec3 c = pair.second.position - pair.first.position;
  add(found, c);
  for (const BodySpec* body : {&pair.first, &pair.second})
    for (int k = 0; k < 3; ++k) {
      const dvec3 e = axis(*body, k);
      add(found, e);
      add(found, c - e * glm::dot(c, e));
    }
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) add(found, glm::cross(axis(pair.first, i), axis(pair.second, k)));
  if (const ConvexHull* hull = pair.second.hull; hull != nullptr) {
    const dquat q = glm::normalize(pair.second.orientation);
    for (const HullFace& face : hull->faces) add(found, q * face.normal);
    for (const HullEdge& edge : hull->edges) {
      const dvec3 along(hull->vertices[edge.vertices[1]] - hull->vertices[edge.vertices[0]]);
      add(found, glm::cross(q * glm::normalize(along), axis(pair.first, 2)));
    }
  }
  return found;
}

// The direction between the nearest points of a solid and a ball or segment (the axis of a capsule), where apart:
// the distance along the segment is convex.
dvec3 nearest_direction(const BodySpec& solid, const BodySpec& round) {
  const dvec3 along = axis(round, 2) * (round.shape == Shape::capsule ? round.size[1] : 0.0);
  const auto from = [&](double t) {
    const dvec3 p = round.position + along * t;
    BodySpec core = solid;
    if (solid.shape == Shape::sphere || solid.shape == Shape::capsule) core.size[0] = 0.0;
    return p - nearest_in(core, p);
  };
  return from(place_of_least([&](double t) { return glm::length(from(t)); }));
}

// A body whose axes are made once: a search asks thousands of times how far it reaches.
struct BodyReach {
  explicit BodyReach(const BodySpec& b) : body(&b), x(axis(b, 0)), y(axis(b, 1)), z(axis(b, 2)) {}

  // From the body's centre along the unit vector n.
  [[nodiscard]] double along(dvec3 n) const {
    const double up = std::abs(glm::dot(n, z));
    switch (body->shape) {
      case Shape::sphere:
        return body->size[0];
      case Shape::box:
        return body->size[0] * std::abs(glm::dot(n, x)) + body->size[1] * std::abs(glm::dot(n, y)) + body->size[2] * up;
      case Shape::cylinder:
        return body->size[1] * up + body->size[0] * glm::length(glm::cross(n, z));
      case Shape::capsule:
        return body->size[1] * up + body->size[0];
      case Shape::convex_hull: {
        const dvec3 into(glm::dot(n, x), glm::dot(n, y), glm::dot(n, z));
        double farthest = -1e300;
        for (const glm::vec3& v : body->hull->vertices) farthest = std::max(farthest, glm::dot(into, dvec3(v)));
        return farthest;
      }
      default:
        return 0.0;
    }
  }
  // The point farthest along the unit vector n, from the body's centre.
  [[nodiscard]] dvec3 farthest(dvec3 n) const {
    const double up = glm::dot(n, z);
    const auto end = [](double half_length, double toward) { return std::copysign(half_length, toward); };
    switch (body->shape) {
      case Shape::sphere:
        return body->size[0] * n;
      case Shape::box:
        return end(body->size[0], glm::dot(n, x)) * x + end(body->size[1], glm::dot(n, y)) * y +
               end(body->size[2], up) * z;
      case Shape::cylinder: {
        // Along the axis what is left across it is rounding, of any direction.
        const dvec3 across = n - up * z, radial = across - glm::dot(across, z) * z;
        const double length = glm::length(radial);
        return end(body->size[1], up) * z + (length > 1e-12 ? body->size[0] / length : 0.0) * radial;
      }
      case Shape::capsule:
        return end(body->size[1], up) * z + body->size[0] * n;
      case Shape::convex_hull: {
        const dvec3 into(glm::dot(n, x), glm::dot(n, y), up);
        dvec3 farthest(0.0);
        double most = -1e300;
        for (const dvec3 v : body->hull->vertices)
          if (const double along = glm::dot(into, v); along > most) most = along, farthest = v;
        return x * farthest.x + y * farthest.y + z * farthest.z;
      }
      default:
        return dvec3(0.0);
    }
  }

  const BodySpec* body;
  dvec3 x, y, z;
};

struct PairOverlap {
  explicit PairOverlap(const BodyPair& pair)
      : first(pair.first), second(pair.second), between(pair.second.position - pair.first.position) {}
  // Of the differences of a point of B and one of A the farthest along n.
  [[nodiscard]] dvec3 farthest(dvec3 n) const { return between + second.farthest(n) - first.farthest(-n); }
  [[nodiscard]] double along(dvec3 n) const { return first.along(-n) + second.along(n) + glm::dot(n, between); }

  BodyReach first, second;
  dvec3 between;
};

// Of the hull of points in a plane the place nearest to the origin; 0 where the hull holds that.
dvec2 nearest_of_hull(const std::vector<dvec2>& points) {
  const auto nearest = [](dvec2 p, dvec2 q) {
    const double length2 = glm::dot(q - p, q - p);
    return p + (length2 > 0.0 ? std::clamp(-glm::dot(p, q - p) / length2, 0.0, 1.0) : 0.0) * (q - p);
  };
  const auto turn = [](dvec2 p, dvec2 q) { return p.x * q.y - p.y * q.x; };
  dvec2 a = points[0], b = a, place = a;
  for (std::size_t step = 0; step < points.size(); ++step) {
    const dvec2 next = *std::min_element(points.begin(), points.end(),
                                         [&](dvec2 p, dvec2 q) { return glm::dot(p, place) < glm::dot(q, place); });
    if (glm::dot(next, place) >= (1.0 - 1e-9) * glm::dot(place, place)) break;
    const double of_a = turn(b, next), of_b = turn(next, a), of_next = turn(a, b);
    if (a != b && of_a * of_next >= 0.0 && of_b * of_next >= 0.0) return dvec2(0.0);
    const dvec2 with_a = nearest(a, next), with_b = nearest(b, next);
    const bool keeps_a = glm::length(with_a) < glm::length(with_b);
    (keeps_a ? b : a) = next, place = keeps_a ? with_a : with_b;
  }
  return place;
}

// The overlap has kinks, where the farthest points change. Along a kink that goes down between two of the directions
// that are tried none of them does: there the way down is against all slopes around, against their hull.
double descend(const PairOverlap& overlap_of, dvec3 n) {
  static const std::vector<dvec2> turns = points_of_circle(12);
  double best = overlap_of.along(n);
  std::vector<dvec2> slopes;
  for (double step = 0.1; step > 1e-8;) {
    const dvec3 across = glm::normalize(glm::cross(n, std::abs(n.x) < 0.6 ? dvec3(1, 0, 0) : dvec3(0, 1, 0)));
    const dvec3 up = glm::cross(n, across);
    const auto turned = [&](dvec2 turn) { return glm::normalize(n + (across * turn.x + up * turn.y) * step); };
    dvec3 to = n;
    slopes.clear();
    for (const dvec2 turn : turns) {
      const dvec3 d = turned(turn), farthest = overlap_of.farthest(d);
      slopes.emplace_back(glm::dot(farthest, across), glm::dot(farthest, up));
      const double overlap = glm::dot(farthest, d);
      if (overlap >= best) continue;
      best = overlap;
      to = d;
    }
    if (const dvec2 slope = to == n ? nearest_of_hull(slopes) : dvec2(0.0); slope != dvec2(0.0)) {
      const dvec3 d = turned(-glm::normalize(slope));
      const double overlap = overlap_of.along(d);
      if (overlap < best - 0.01 * step * glm::length(slope)) best = overlap, to = d;
    }
    if (to == n) step *= 0.5;
    n = to;
  }
  return best;
}

dvec3 outward(const BodySpec& half_space) {
  return axis(half_space, 2);
}

}  // namespace

std::vector<dvec2> points_of_circle(int count) {
  std::vector<dvec2> points;
  for (int k = 0; k < count; ++k) {
    const double turn = k * 2.0 * std::numbers::pi / count;
    points.emplace_back(std::cos(turn), std::sin(turn));
  }
  return points;
}

double place_of_least(const std::function<double(double)>& convex) {
  constexpr double kGolden = 0.6180339887498949;  // of the two places inside one stays
  double low = -1.0, high = 1.0, left = high - kGolden * (high - low), right = low + kGolden * (high - low);
  double at_left = convex(left), at_right = convex(right);
  for (int k = 0; k < 58; ++k) {
    if (at_left < at_right) {
      high = right, right = left, at_right = at_left;
      at_left = convex(left = high - kGolden * (high - low));
    } else {
      low = left, left = right, at_left = at_right;
      at_right = convex(right = low + kGolden * (high - low));
    }
  }
  return 0.5 * (low + high);
}

const std::vector<dvec3>& even_directions(int count) {
  static std::map<int, std::vector<dvec3>> made;
  std::vector<dvec3>& directions = made[count];
  for (int k = static_cast<int>(directions.size()); k < count; ++k) {
    const double z = 1.0 - (2.0 * k + 1.0) / count, turn = k * std::numbers::pi * (3.0 - std::sqrt(5.0));
    directions.emplace_back(std::sqrt(1.0 - z * z) * std::cos(turn), std::sqrt(1.0 - z * z) * std::sin(turn), z);
  }
  return directions;
}

std::vector<dquat> turns_in_line() {
  const auto about_z = [](double degrees) { return turn({0, 0, 1}, glm::radians(degrees)); };
  std::vector<dquat> turns;
  for (const dquat& lies : kAlongAxes)
    for (const double yaw : {0.0, 45.0, 90.0, 135.0})
      for (const double roll : {0.0, 45.0}) turns.push_back(about_z(yaw) * lies * about_z(roll));
  return turns;
}

double reach(const BodySpec& body, dvec3 n) {
  return BodyReach(body).along(n);
}

double distance_to(const BodySpec& body, dvec3 point) {
  const dvec3 x = seen_from(body, point), nearest = nearest_in_axes(body, x);
  if (nearest != x) return glm::distance(nearest, x);
  const double r = body.size[0], h = body.size[1];
  switch (body.shape) {
    case Shape::sphere:
      return glm::length(x) - r;
    case Shape::box:
      return std::max({std::abs(x.x) - body.size[0], std::abs(x.y) - body.size[1], std::abs(x.z) - body.size[2]});
    case Shape::cylinder:
      return std::max(std::hypot(x.x, x.y) - r, std::abs(x.z) - h);
    case Shape::capsule:
      return glm::length(x - dvec3(0.0, 0.0, std::clamp(x.z, -h, h))) - r;
    case Shape::convex_hull:
      return beyond_faces(*body.hull, x);
    default:
      return x.z;
  }
}

double overlap_along(const BodyPair& pair, dvec3 n) {
  return PairOverlap(pair).along(n);
}

double least_overlap(const BodyPair& pair) {
  const auto& [first, second] = pair;
  if (second.shape == Shape::half_space) return overlap_along(pair, outward(second));
  if (first.shape == Shape::sphere) return first.size[0] - distance_to(second, first.position);
  // The difference of two segments is flat: out of it and a ball around it the least way is as long as the ball's
  // radius less the distance from it.
  if (first.shape == Shape::capsule && second.shape == Shape::capsule)
    return first.size[0] + second.size[0] - glm::length(nearest_direction(first, second));
  std::vector<dvec3> directions = special_directions(pair);
  const bool round_second = second.shape == Shape::sphere || second.shape == Shape::capsule;
  add(directions, round_second ? nearest_direction(first, second) : nearest_direction(second, first));
  const std::vector<dvec3>& even = even_directions(1000);
  directions.insert(directions.end(), even.begin(), even.end());
  const PairOverlap overlap(pair);
  std::vector<std::pair<double, dvec3>> by_overlap;
  for (const dvec3 d : directions) by_overlap.emplace_back(overlap.along(d), d);
  std::partial_sort(by_overlap.begin(), by_overlap.begin() + 3, by_overlap.end(),
                    [](const auto& a, const auto& b) { return a.first < b.first; });
  double least = by_overlap.front().first;
  for (std::size_t k = 0; k < 3; ++k) least = std::min(least, descend(overlap, by_overlap[k].second));
  return least;
}

testing::AssertionResult holds(const BodyPair& pair, const std::vector<Contact>& found, double margin, double tolerance,
                               double least, double off_surface) {
  const double off = off_surface > 0.0 ? off_surface : tolerance;
  const auto fail = [&](const std::string& what) {
    return testing::AssertionFailure() << what << "; least overlap " << least << ", contacts:\n" << text(found);
  };
  if (found.empty()) {
    if (least > -margin + tolerance) return fail("an overlap not reported");
    return testing::AssertionSuccess();
  }
  if (least < -margin - tolerance) return fail("bodies apart reported");
  if (found.size() > 4) return fail("more than four contacts");
  const dvec3 n = normal_of(found.front());
  if (!(std::abs(glm::length(n) - 1.0) < 1e-6)) return fail("normal not unit");
  if (overlap_along(pair, glm::normalize(n)) > least + tolerance + 0.005 * std::abs(least))
    return fail("not a normal of least overlap: " + std::to_string(overlap_along(pair, n)));
  // Two contacts of lines that cross between them may be a little less deep than the crossing, the four that are kept
  // of many than the deepest, and a chord beside the edge of a sliver than that edge.
  const bool lines = pair.first.hull != nullptr || (pair.second.shape != Shape::half_space && found.size() > 1);
  if (!(std::abs(static_cast<double>(found.front().depth) - least) <
        tolerance + (lines ? 0.005 * std::abs(least) : 0.0)))
    return fail("depth");
  for (const Contact& c : found) {
    if (normal_of(c) != n) return fail("two normals");
    if (!(static_cast<double>(c.depth) > -margin)) return fail("not deeper than -margin");
    if (c.depth > found.front().depth) return fail("the deepest is not the first");
    const dvec3 p = point_of(c), q = p + n * static_cast<double>(c.depth);
    if (!(std::abs(distance_to(pair.first, p)) < off)) return fail("P not on A: " + text(c));
    if (!(std::abs(distance_to(pair.second, q)) < off)) return fail("Q not on B: " + text(c));
    for (const double beyond : {0.01, 0.1, 1.0, 10.0}) {
      if (distance_to(pair.first, p - n * beyond) < -off) return fail("A begins before P: " + text(c));
      if (distance_to(pair.second, q + n * beyond) < -off) return fail("B ends beyond Q: " + text(c));
    }
    for (const Contact& other : found) {
      if (&other == &c) break;
      if (other.feature == c.feature) return fail("two contacts of one feature");
      // What is nearer is one contact, but for rounding of its points.
      const double rounding = 2.5e-7 * glm::distance(p, pair.first.position);
      if (glm::length(glm::cross(n, p - point_of(other))) < 1e-5 - rounding) return fail("one contact twice");
    }
  }
  return testing::AssertionSuccess();
}

std::vector<std::vector<Contact>> contacts_of(const std::vector<BodyPair>& pairs, double margin) {
  // A body's size has the index of its hull.
  std::vector<BodyPair> numbered = pairs;
  Geometry geometry;
  std::map<const ConvexHull*, std::size_t> index_of;
  for (BodyPair& pair : numbered)
    for (BodySpec* body : {&pair.first, &pair.second}) {
      if (body->hull == nullptr) continue;
      const auto [at, is_new] = index_of.try_emplace(body->hull, geometry.hulls.size());
      if (is_new) geometry.hulls.push_back(*body->hull);
      body->size[0] = static_cast<double>(at->second);
    }
  return run_pairs(0, pair_stem(pairs.front().first.shape, pairs.front().second.shape), numbered, margin, geometry);
}

std::vector<Contact> contacts_of(const BodyPair& pair, double margin) {
  return contacts_of(std::vector<BodyPair>{pair}, margin).front();
}

BodyPair moved(const BodyPair& pair, dquat rotation, dvec3 shift) {
  BodyPair to = pair;
  for (BodySpec* body : {&to.first, &to.second}) {
    body->position = rotation * body->position + shift;
    body->orientation = rotation * body->orientation;
  }
  return to;
}

std::vector<ExpectedContact> moved(const std::vector<ExpectedContact>& contacts, dquat rotation, dvec3 shift) {
  std::vector<ExpectedContact> to;
  for (const ExpectedContact& c : contacts) to.push_back({rotation * c.point + shift, rotation * c.normal, c.depth});
  return to;
}

namespace {

// As it is; turned; turned and 10 km away.
std::vector<std::pair<dquat, dvec3>> motions() {
  std::mt19937_64 random(5);
  return {
      {kUpright, kNone}, {random_orientation(random), kNone}, {random_orientation(random), {7000.3, -7100.7, 30.1}}};
}

}  // namespace

void expect_contacts(const BodyPair& pair, const std::vector<ExpectedContact>& expected, double margin,
                     double tolerance) {
  for (const auto& [rotation, shift] : motions()) {
    const std::vector<Contact> found = contacts_of(moved(pair, rotation, shift), margin);
    EXPECT_TRUE(same_contacts(found, moved(expected, rotation, shift), {tolerance, kClosedFormNormal}));
  }
}

void expect_deepest(const BodyPair& pair, dvec3 normal, double depth, std::size_t count, double margin,
                    double tolerance) {
  for (const auto& [rotation, shift] : motions()) {
    const BodyPair to = moved(pair, rotation, shift);
    const std::vector<Contact> found = contacts_of(to, margin);
    ASSERT_EQ(found.size(), count) << text(found);
    EXPECT_TRUE(holds(to, found, margin, 3.0 * tolerance));
    EXPECT_LT(glm::distance(normal_of(found.front()), rotation * normal), kClosedFormNormal) << text(found);
    EXPECT_NEAR(static_cast<double>(found.front().depth), depth, tolerance);
  }
}

std::vector<BodyPair> random_pairs(Shape first, Shape second, const SizeCase& sizes, std::size_t count,
                                   std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  constexpr std::array kShares{0.0, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999, 1.001, 1.02};
  constexpr std::array kTilts{0.0, 1e-6, 1e-4, 1e-3, 1e-2, 0.05};
  std::vector<BodyPair> pairs;
  while (pairs.size() < count) {
    const std::size_t k = pairs.size();
    BodyPair pair{{first, sizes.first, {}}, {second, sizes.second, {}}};
    pair.first.orientation = second == Shape::half_space && k % 2 == 0 ? kUpright : random_orientation(random);
    pair.second.orientation = random_orientation(random);
    // Every second pose: axes parallel or perpendicular, but for a small tilt.
    if (k % 2 == 0) {
      const dquat quarter = k % 4 == 0 ? kUpright : turn({1, 0, 0}, 0.5 * std::numbers::pi);
      const dquat spin = turn({0, 0, 1}, 6.3 * unit(random));
      const dquat tilt = turn({unit(random) - 0.5, unit(random) - 0.5, unit(random) - 0.5}, kTilts[(k / 4) % 6]);
      pair.second.orientation = glm::normalize(pair.first.orientation * tilt * quarter * spin);
    }
    const double share = kShares[(k / 3) % kShares.size()];
    dvec3 n = random_orientation(random) * dvec3(0, 0, 1);
    if (k % 5 == 0) n = axis(pair.first, static_cast<int>(k / 5 % 3));
    if (k % 5 == 1) n = axis(pair.second, static_cast<int>(k / 5 % 3));
    if (k % 5 == 2) n = glm::cross(axis(pair.first, 2), axis(pair.second, 2));
    if (second == Shape::half_space) n = outward(pair.second);
    n = glm::length(n) > 1e-9 ? glm::normalize(n) : axis(pair.first, 0);
    const double size = reach(pair.first, n) + reach(pair.second, n);
    pair.first.position = dvec3(unit(random), unit(random), unit(random)) * 100.0;
    pair.second.position = pair.first.position - n * (size * share);
    // And aside, within what the two cover or so.
    const dvec3 aside = glm::cross(n, random_orientation(random) * dvec3(0, 0, 1));
    const double room = second == Shape::half_space ? 200.0 : reach(pair.first, aside) + reach(pair.second, aside);
    if (k % 7 > 1) pair.second.position += aside * (room * unit(random));
    pairs.push_back(pair);
  }
  return pairs;
}

namespace {

void fuzz_size(Shape first, Shape second, const SizeCase& size, std::uint64_t seed) {
  const double largest = std::max({size.first[0], size.first[1], size.first[2], size.second[0], size.second[1]});
  const std::vector<BodyPair> pairs = random_pairs(first, second, size, 200 / kSweepStep, seed);
  std::vector<double> least;
  for (const BodyPair& pair : pairs) least.push_back(least_overlap(pair));
  for (const double margin : {0.0, 0.05 * size.first[0]}) {
    const std::vector<std::vector<Contact>> found = contacts_of(pairs, margin), again = contacts_of(pairs, margin);
    std::size_t touching = 0;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      touching += found[k].empty() ? 0 : 1;
      const testing::AssertionResult result =
          holds(pairs[k], found[k], margin, largest > 5.0 ? kContract : 2.5e-5, least[k]);
      if (!result)
        ADD_FAILURE() << size.name << ", seed " << seed << ", pair " << k << ", margin " << margin << ": "
                      << result.message();
      EXPECT_TRUE(same_bits(found[k], again[k]));
      if (testing::Test::HasFailure()) return;
    }
    EXPECT_GT(touching, pairs.size() / 6) << size.name;
  }
}

}  // namespace

void fuzz(Shape first, Shape second, const std::vector<SizeCase>& sizes) {
  std::uint64_t seed = 1;
  for (const SizeCase& size : sizes) {
    for (int k = 0; k < fuzz_seeds() && !testing::Test::HasFailure(); ++k)
      fuzz_size(first, second, size, seed + 100 * static_cast<std::uint64_t>(k));
    ++seed;
  }
}

}  // namespace oclide::test
