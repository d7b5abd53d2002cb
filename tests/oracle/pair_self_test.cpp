#include <cstdio>
#include <deque>
#include <random>
#include <set>

#include "pair_checks.hpp"
#include "self_test.hpp"

namespace oracle {
namespace {

int failures = 0;

void expect(bool held, const std::string& what) {
  if (held) return;
  ++failures;
  std::printf("self-test: %s\n", what.c_str());
}

/// Hulls of the bodies that the tests make; none moves when more are made.
std::deque<Hull> hulls;

using Quaternion = std::array<double, 4>;
constexpr Quaternion kUpright{1, 0, 0, 0};

struct Pose {
  int shape;
  Vec size, position;
  Quaternion q = kUpright;

  Body body() const {
    return {shape,
            {size.x, size.y, size.z},
            position,
            axes_of(q[0], q[1], q[2], q[3]),
            shape == kConvexHull ? &hulls.at(static_cast<std::size_t>(size.x)) : nullptr};
  }
};

Quaternion turn(Vec axis, double angle) {
  const Vec u = std::sin(0.5 * angle) * unit(axis);
  return {std::cos(0.5 * angle), u.x, u.y, u.z};
}

constexpr double kPi = 3.14159265358979323846;

void known_depth(const char* what, const Pose& a, const Pose& b, double depth) {
  for (const bool flipped : {false, true}) {
    const Depth d = flipped ? least_penetration(b.body(), a.body()) : least_penetration(a.body(), b.body());
    expect(std::abs(d.upper - depth) <= 1e-6 + 2e-5 * std::abs(depth) && d.lower <= d.upper,
           std::string(what) + ": depth " + std::to_string(d.upper) + ", by formula " + std::to_string(depth));
  }
}

/// Numbers that follow from the shapes' definitions by hand.
void closed_forms() {
  const double s2 = std::sqrt(2.0), s3 = std::sqrt(3.0);
  const Quaternion lying = turn({0, 1, 0}, 0.5 * kPi), edge_up = turn({1, 0, 0}, 0.25 * kPi);
  const Pose ball{kSphere, {0.5, 0, 0}, {0, 0, 0}}, cube{kBox, {1, 1, 1}, {0, 0, 0}};
  const Pose can{kCylinder, {1, 1, 0}, {0, 0, 0}}, pill{kCapsule, {0.5, 1, 0}, {0, 0, 0}};
  known_depth("spheres", ball, {kSphere, {0.25, 0, 0}, {0.6, 0, 0}}, 0.15);
  known_depth("concentric spheres", ball, {kSphere, {0.25, 0, 0}, {0, 0, 0}}, 0.75);
  known_depth("sphere at a box's corner", cube, {kSphere, {0.5, 0, 0}, {1.2, 1.2, 1.2}}, 0.5 - 0.2 * s3);
  known_depth("sphere in a box", cube, {kSphere, {0.5, 0, 0}, {0.7, 0.1, -0.2}}, 0.8);
  known_depth("sphere at a cylinder's rim", can, {kSphere, {0.5, 0, 0}, {1.3, 0, 1.3}}, 0.5 - 0.3 * s2);
  known_depth("sphere beside a cylinder", can, {kSphere, {0.5, 0, 0}, {0, 1.75, 0.3}}, -0.25);
  known_depth("cubes, flush", cube, {kBox, {1, 1, 1}, {0.3, 0.2, 1.9}}, 0.1);
  known_depth("cube edge down on a cube", cube, {kBox, {1, 1, 1}, {0, 0, 2.3}, edge_up}, 1.0 + s2 - 2.3);
  known_depth("cubes edge to edge", {kBox, {1, 1, 1}, {0, 0, 0}, turn({1, 0, 0}, 0.25 * kPi)},
              {kBox, {1, 1, 1}, {0, 0, 2.7}, turn({0, 1, 0}, 0.25 * kPi)}, 2.0 * s2 - 2.7);
  known_depth("cubes apart at corners", cube, {kBox, {1, 1, 1}, {3, 3, 3}}, -s3);
  known_depth("standing cylinder on a box", cube, {kCylinder, {0.3, 0.5, 0}, {0.9, 0.9, 1.4}}, 0.1);
  known_depth("lying cylinder on a box", cube, {kCylinder, {0.3, 2.0, 0}, {0.5, 0.1, 1.25}, lying}, 0.05);
  known_depth("cylinder beside an edge", {kBox, {1, 1, 1}, {0, 0, 0}, turn({0, 0, 1}, 0.25 * kPi)},
              {kCylinder, {0.5, 3.0, 0}, {s2 + 0.4, 0, 0}}, 0.1);
  known_depth("coaxial cylinders", can, {kCylinder, {0.5, 0.5, 0}, {0, 0, 1.2}}, 0.3);
  known_depth("nested cylinders", can, {kCylinder, {0.2, 5.0, 0}, {0.1, 0, 0}}, 1.1);
  known_depth("parallel cylinders", can, {kCylinder, {0.5, 3.0, 0}, {0, 1.4, 0.5}}, 0.1);
  known_depth("crossed cylinders", {kCylinder, {0.3, 4, 0}, {0, 0, 0}, lying},
              {kCylinder, {0.2, 4, 0}, {0, 0, 0.45}, turn({1, 0, 0}, 0.5 * kPi)}, 0.05);
  known_depth("cylinder rims apart", can, {kCylinder, {1, 1, 0}, {2.3, 0, 2.4}}, -0.5);
  known_depth("capsules end to end", pill, {kCapsule, {0.5, 1, 0}, {0, 0, 2.8}}, 0.2);
  known_depth("capsules crossed through", pill, {kCapsule, {0.5, 1, 0}, {0, 0, 0}, lying}, 1.0);
  known_depth("capsule in a box's face", cube, {kCapsule, {0.5, 1, 0}, {0, 0, 2.4}}, 0.1);
  known_depth("capsule on a cylinder's base", can, {kCapsule, {0.5, 1, 0}, {0, 0, 1.4}, lying}, 0.1);
  known_depth("capsule across a cylinder's side", {kCylinder, {1, 5, 0}, {0, 0, 0}, lying},
              {kCapsule, {0.5, 1, 0}, {0, 0, 1.4}, turn({1, 0, 0}, 0.5 * kPi)}, 0.1);
  // Hulls: a cube of half 1, and a pyramid of base 2 by 2 that ends 3 over it.
  hulls.clear();
  std::vector<Vec> corners, pyramid{{1, 1, 0}, {1, -1, 0}, {-1, 1, 0}, {-1, -1, 0}, {0, 0, 3}};
  for (int k = 0; k < 8; ++k) corners.push_back({k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0});
  hulls.push_back(hull_of(corners)), hulls.push_back(hull_of(pyramid));
  expect(hulls[0].planes.size() == 6 && hulls[1].planes.size() == 5, "planes of a cube and a pyramid");
  const Pose hull_cube{kConvexHull, {0, 0, 0}, {0, 0, 0}},
      upside_down{kConvexHull, {1, 0, 0}, {0, 0, 3.9}, turn({1, 0, 0}, kPi)};
  known_depth("cube as hull, flush", hull_cube, {kBox, {1, 1, 1}, {0.3, 0.2, 1.9}}, 0.1);
  known_depth("cubes as hulls, apart at corners", hull_cube, {kConvexHull, {0, 0, 0}, {3, 3, 3}}, -s3);
  known_depth("sphere at the corner of a cube as hull", hull_cube, {kSphere, {0.5, 0, 0}, {1.2, 1.2, 1.2}},
              0.5 - 0.2 * s3);
  known_depth("pyramid's tip in a cube", cube, upside_down, 0.1);
  known_depth("pyramid in a half space", {kHalfSpace, {0, 0, 0}, {0, 0, 1}}, upside_down, 0.1);
  known_depth("capsule along a pyramid's base", {kConvexHull, {1, 0, 0}, {0, 0, 0}},
              {kCapsule, {0.5, 1, 0}, {0, 0, -0.4}, lying}, 0.1);
  known_depth("box in a half space", {kHalfSpace, {0, 0, 0}, {7, 8, 0}}, {kBox, {1, 2, 3}, {0, 0, 2.5}}, 0.5);
  known_depth("cylinder on a slope", {kHalfSpace, {0, 0, 0}, {0, 0, 0}, turn({1, 0, 0}, 0.25 * kPi)},
              {kCylinder, {1, 1, 0}, {0, 0, 2}}, s2 - s2);
}

/// Two boxes by the fifteen axes of the separating-axis theorem; exact where they overlap.
double fifteen_axes(const Body& a, const Body& b) {
  double least = kInfinity;
  const auto along = [&](Vec n) {
    if (length(n) < 1e-9) return;
    n = unit(n);
    least = std::min(least, support(a, n) + support(b, n) - std::abs(dot(n, b.centre - a.centre)));
  };
  for (std::size_t i = 0; i < 3; ++i) {
    along(a.axis[i]), along(b.axis[i]);
    for (std::size_t j = 0; j < 3; ++j) along(cross(a.axis[i], b.axis[j]));
  }
  return least;
}

/// Random directions and a walk downhill from the best of them: never below the truth.
double by_walking(const Body& a, const Body& b, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const auto along = [&](Vec n) { return support(a, -n) + support(b, n) + dot(n, b.centre - a.centre); };
  std::vector<std::pair<double, Vec>> starts;
  for (int k = 0; k < 3000; ++k) {
    const Vec n = unit({normal(random), normal(random), normal(random)});
    starts.emplace_back(along(n), n);
  }
  std::partial_sort(starts.begin(), starts.begin() + 12, starts.end(),
                    [](const auto& x, const auto& y) { return x.first < y.first; });
  double best = kInfinity;
  for (int k = 0; k < 12; ++k) {
    auto [f, n] = starts[static_cast<std::size_t>(k)];
    for (double step = 0.1; step > 1e-9;) {
      const Vec next = unit(n + step * Vec{normal(random), normal(random), normal(random)});
      const double g = along(next);
      if (g < f) {
        f = g, n = next, step *= 1.5;
      } else {
        step *= 0.93;
      }
    }
    best = std::min(best, f);
  }
  return best;
}

Body random_body(int shape, std::mt19937_64& random, int kind) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> one(0.0, 1.0);
  Body b;
  b.shape = shape;
  if (shape == kConvexHull) {
    std::vector<Vec> points;
    const double size = kind == 0 ? 1.0 : 0.05 * std::pow(40.0, one(random));
    for (int k = 0; k < 4 + static_cast<int>(random() % 20); ++k)
      points.push_back(size * Vec{normal(random), normal(random), (kind == 2 ? 0.1 : 1.0) * normal(random)});
    hulls.push_back(hull_of(points));
    b.hull = &hulls.back();
  }
  for (double& s : b.size) s = kind == 0 ? 0.5 + one(random) : 0.05 * std::pow(40.0, one(random));
  Quaternion q;
  for (double& x : q) x = normal(random);
  if (kind == 2) q[1] *= 1e-4, q[2] *= 1e-4;
  b.axis = axes_of(q[0], q[1], q[2], q[3]);
  return b;
}

void depth_by_other_methods() {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> one(0.0, 1.0);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 600; ++k) {
    Body a = random_body(kBox, random, k % 3), b = random_body(kBox, random, k % 3);
    b.centre = one(random) * Vec{normal(random), normal(random), normal(random)};
    const double exact = fifteen_axes(a, b);
    const Depth d = least_penetration(a, b);
    if (exact > 0.0) {
      expect(std::abs(d.upper - exact) <= 1e-6 + 2e-5 * exact, "boxes: fifteen axes give another depth");
      expect(d.lower <= exact && d.upper - d.lower <= 1e-6 + 2e-5 * exact, "boxes: the bounds do not hold the depth");
    } else {
      expect(d.upper <= exact + 1e-9, "boxes: apart by fifteen axes but not by distance");
    }
  }
  for (int sa = 0; sa <= kConvexHull; ++sa) {
    for (int sb = sa; sb <= kConvexHull; ++sb) {
      for (int k = 0; k < 12; ++k) {
        Body a = random_body(sa, random, k % 3), b = random_body(sb, random, k % 3);
        b.centre = one(random) * Vec{normal(random), normal(random), normal(random)};
        const Depth d = least_penetration(a, b);
        const double walked = by_walking(a, b, random);
        expect(d.lower <= walked + 1e-9, "a direction below the proven bound");
        expect(d.upper <= walked + 1e-6 + 2e-5 * std::abs(walked), "a better direction than the best found");
        expect(std::abs(overlap_along(a, b, d.normal) - d.upper) < 1e-9, "the normal does not give the depth");
        expect(d.upper - d.lower <= 1e-6 + 2e-5 * std::abs(walked), "a wide bound");
      }
    }
  }
}

void quadrilaterals() {
  expect(std::abs(largest_quadrilateral({{0, 0}, {2, 0}, {2, 1}, {0, 1}}) - 2.0) < 1e-12, "area of a rectangle");
  expect(std::abs(largest_quadrilateral({{0, 0}, {2, 0}, {0, 2}}) - 2.0) < 1e-12, "area of a triangle");
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> one(0.0, 1.0);
  for (int round = 0; round < 50; ++round) {
    std::vector<double> angles(5 + static_cast<std::size_t>(round % 9));
    for (double& a : angles) a = 2.0 * kPi * one(random);
    std::sort(angles.begin(), angles.end());
    std::vector<std::array<double, 2>> p;
    for (const double a : angles) p.push_back({3.0 * std::cos(a), std::sin(a)});
    double best = 0.0;
    for (std::size_t i = 0; i < p.size(); ++i)
      for (std::size_t j = i + 1; j < p.size(); ++j)
        for (std::size_t k = j + 1; k < p.size(); ++k)
          for (std::size_t l = k + 1; l < p.size(); ++l) {
            best = std::max(best, 0.5 * std::abs((p[k][0] - p[i][0]) * (p[l][1] - p[j][1]) -
                                                 (p[k][1] - p[i][1]) * (p[l][0] - p[j][0])));
          }
    expect(std::abs(largest_quadrilateral(p) - best) < 1e-9, "largest quadrilateral of a polygon");
  }
}

/// Two bodies and contacts made by hand.
struct Case {
  SceneFile scene;
  ContactFile contacts;
  double margin = 0.0;

  Case(const Pose& a, const Pose& b) {
    for (const Pose& p : {a, b}) {
      scene.shape.push_back(p.shape);
      for (const double s : {p.size.x, p.size.y, p.size.z}) scene.size.push_back(s);
      for (const double s : {p.position.x, p.position.y, p.position.z}) scene.position.push_back(s);
      scene.orientation.insert(scene.orientation.end(), p.q.begin(), p.q.end());
    }
    scene.bodies = 2;
    scene.hulls.assign(hulls.begin(), hulls.end());
    contacts.frame_offset = {0, 0};
  }
  Case& with(Vec point, Vec normal, double depth) {
    const auto k = static_cast<std::uint32_t>(contacts.rows.size());
    contacts.rows.push_back({0, 1, 0, point, normal, depth, 0, k});
    contacts.frame_offset[1] = contacts.rows.size();
    return *this;
  }
  std::set<std::string> judged() const {
    Findings f = check_order(scene, contacts);
    f.add(check_pairs(scene, contacts, 0, margin, 1));
    std::set<std::string> categories;
    for (const Violation& v : f.violations) categories.insert(v.category.substr(0, v.category.find(' ')));
    return categories;
  }
  void must_pass(const std::string& what) const {
    std::string found;
    for (const auto& c : judged()) found += " " + c;
    expect(found.empty(), what + " must pass, but:" + found);
  }
  void must_fail(const std::string& category, const std::string& what) const {
    std::string found;
    const auto all = judged();
    for (const auto& c : all) found += " " + c;
    expect(all.count(category) != 0, what + " must give " + category + ", but gives:" + found);
  }
};

void hand_made() {
  hulls.clear();
  const Pose cube{kBox, {1, 1, 1}, {0, 0, 0}};
  const Vec up{0, 0, 1}, down{0, 0, -1};
  const Quaternion lying = turn({0, 1, 0}, 0.5 * kPi);

  // A sphere above a cube: A is the cube, its normal points down.
  const Pose ball{kSphere, {0.5, 0, 0}, {0.2, 0.3, 1.4}};
  Case touching(cube, ball);
  touching.must_fail("MISSING", "an overlap without contact");
  touching.with({0.2, 0.3, 1.0}, down, 0.1).must_pass("sphere on a cube");
  Case(cube, ball).with({0.2, 0.3, 1.0}, down, 0.102).must_fail("DEPTH", "a depth 2 % off");
  Case(cube, ball).with({0.2, 0.3, 1.0}, down, 0.098).must_fail("DEPTH", "a depth 2 % off");
  Case(cube, ball).with({0.2, 0.3, 0.9}, up, 0.1).must_fail("NORMAL", "a normal that points from A to B");
  Case(cube, ball).with({0.2, 0.3, 1.0}, unit({0.2, 0, -1}), 0.1).must_fail("NORMAL", "a leaning normal");
  Case(cube, ball).with({0.2, 0.3, 1.0}, {0, 0, -1.001}, 0.1).must_fail("NORMAL_UNIT", "a longer normal");
  Case(cube, ball).with({0.2, 0.3, 0.9}, down, 0.1).must_fail("POINT_ON_A", "a point inside A");
  Case(cube, ball).with({0.3, 0.3, 1.0}, down, 0.1).must_fail("POINT_ON_B", "a point that misses B's surface");
  Case(cube, ball).with({0.2, 0.3, -1.0}, down, 0.1).must_fail("BACK_OF_A", "a point on A's far side");
  Case(cube, ball)
      .with({0.2, 0.3, 1.0}, down, 0.1)
      .with({0.21, 0.3, 1.0}, down, 0.0999)
      .must_fail("ONE_POINT", "two contacts of a ball");
  Case turned(cube, ball);
  turned.with({0.2, 0.3, 1.0}, down, 0.1);
  std::swap(turned.contacts.rows[0].body_a, turned.contacts.rows[0].body_b);
  turned.must_fail("A_BEFORE_B", "A with the greater index");
  Case grouped(cube, ball);
  grouped.with({0.2, 0.3, 1.0}, down, 0.1);
  grouped.scene.group = {3, 3};
  grouped.must_fail("FILTER", "bodies of one group");
  grouped.scene.group = {0, 0};
  grouped.must_pass("bodies without group");
  grouped.scene.category = {1, 2}, grouped.scene.mask = {3, 2};
  grouped.must_fail("FILTER", "a mask of one side");
  grouped.scene.category.clear(), grouped.scene.mask.clear(), grouped.scene.environment = {0, 1};
  grouped.must_fail("FILTER", "two environments");

  // Apart by 1 cm.
  const Pose hovering{kSphere, {0.5, 0, 0}, {0.2, 0.3, 1.51}};
  Case(cube, hovering).must_pass("a gap without contact");
  Case(cube, hovering).with({0.2, 0.3, 1.0}, down, -0.01).must_fail("PHANTOM", "a contact across a gap");
  Case near(cube, hovering);
  near.margin = 0.02;
  near.must_fail("MISSING", "a gap within the margin without contact");
  near.with({0.2, 0.3, 1.0}, down, -0.01).must_pass("a gap within the margin");
  near.margin = 0.009;
  near.must_fail("BELOW_MARGIN", "a gap beyond the margin");

  // Face to face: four corners of the patch [-0.5, 1] x [-1, 1].
  const Pose upper{kBox, {1, 2, 1}, {0.5, 0, 1.9}};
  Case flush(cube, upper);
  flush.with({1, 1, 1}, down, 0.1).with({-0.5, 1, 1}, down, 0.1);
  flush.must_fail("PATCH_AREA", "two corners of a patch");
  flush.with({-0.5, -1, 1}, down, 0.1);
  flush.must_fail("PATCH_AREA", "three corners of a patch");
  flush.with({1, -1, 1}, down, 0.1);
  flush.must_pass("four corners of a patch");
  flush.contacts.rows[3].feature = 0;
  flush.must_fail("FEATURE_TWICE", "one feature id twice");
  flush.contacts.rows[3].feature = 3, flush.contacts.rows[3].normal = unit({1e-4, 0, -1});
  flush.must_fail("ONE_NORMAL", "two normals");
  flush.contacts.rows[3].normal = down, flush.contacts.rows[3].manifold = 1;
  flush.must_fail("ONE_MANIFOLD", "two manifolds");
  flush.contacts.rows[3].manifold = 0;
  flush.with({0, 0, 1}, down, 0.1).must_fail("TOO_MANY", "five contacts");
  flush.contacts.rows.pop_back(), flush.contacts.frame_offset[1] = 4;
  flush.contacts.rows[3].point = {1, 1, 1};
  flush.must_fail("SAME_POINT", "one point twice");

  // A lying cylinder on a cube: the line from -1 to 0.9 along x.
  const Pose log{kCylinder, {0.3, 2, 0}, {-1.1, 0, 1.25}, lying};
  Case lies(cube, log);
  lies.with({-1, 0, 1}, down, 0.05).must_fail("LINE_ON_FACE", "one end of a line");
  lies.with({0.9, 0, 1}, down, 0.05).must_pass("both ends of a line");
  lies.with({0, 0, 1}, down, 0.05).must_fail("LINE_ON_FACE", "three points of a line");

  // Parallel and crossing capsules.
  const Pose pill{kCapsule, {0.5, 1, 0}, {0, 0, 0}, lying};
  Case parallel(pill, {kCapsule, {0.5, 1, 0}, {0.5, 0, 0.9}, lying});
  parallel.with({1, 0, 0.5}, down, 0.1).must_fail("PARALLEL_LINES", "one end of the shared line");
  parallel.with({-0.5, 0, 0.5}, down, 0.1).must_pass("both ends of the shared line");
  Case crossing(pill, {kCapsule, {0.5, 1, 0}, {0.5, 0, 0.9}, turn({1, 0, 0}, 0.5 * kPi)});
  crossing.with({0.5, 0, 0.5}, down, 0.1).must_pass("crossing capsules");
  crossing.with({0.49, 0, 0.5}, down, 0.1).must_fail("CROSSING", "two points of crossing capsules");

  // A standing cylinder on a half space: a square in its base.
  Case stands({kHalfSpace, {0, 0, 0}, {0, 0, 0}}, {kCylinder, {1, 2, 0}, {0, 0, 1.9}});
  stands.with({1, 0, 0}, down, 0.1).with({0, 1, 0}, down, 0.1).with({-1, 0, 0}, down, 0.1);
  stands.must_fail("PATCH_AREA", "half of a base");
  stands.with({0, -1, 0}, down, 0.1).must_pass("a base on a half space");

  // The same cubes, the upper one as a hull; a hull that stands on its tip.
  hulls = {hull_of({{-0.5, -2, -1},
                    {1.5, -2, -1},
                    {-0.5, 2, -1},
                    {1.5, 2, -1},
                    {-0.5, -2, 1},
                    {1.5, -2, 1},
                    {-0.5, 2, 1},
                    {1.5, 2, 1}}),
           hull_of({{0, 0, -1}, {1, 1, 1}, {-1, 1, 1}, {1, -1, 1}, {-1, -1, 1}})};
  Case hull(cube, {kConvexHull, {0, 0, 0}, {0, 0, 1.9}});
  hull.must_fail("MISSING", "a hull's overlap without contact");
  hull.with({1, 1, 1}, down, 0.1).with({-0.5, 1, 1}, down, 0.1).with({-0.5, -1, 1}, down, 0.1);
  hull.must_fail("PATCH_AREA", "three corners of a hull's patch");
  hull.with({1, -1, 1}, down, 0.1).must_pass("four corners of a hull's patch");
  hull.contacts.rows[0].point = {1, 1.02, 1};
  hull.must_fail("POINT_ON_A", "a point beside the face");
  Case tip(cube, {kConvexHull, {1, 0, 0}, {0.1, 0.2, 1.9}});
  tip.with({0.1, 0.2, 1}, down, 0.1).must_pass("a tip on a face");
  tip.contacts.rows[0].point.x += 1e-3;
  tip.must_fail("POINT_ON_B", "a point beside the tip");

  // A depth that does not free the pair.
  Case deep(cube, {kBox, {1, 1, 1}, {0, 0, 1.0}});
  deep.with({1, 1, 1}, down, 0.9).with({1, -1, 1}, down, 0.9).with({-1, -1, 1}, down, 0.9);
  deep.with({-1, 1, 1}, down, 0.9).must_fail("RESOLVE", "a depth too small");

  // Another order of the bodies.
  Case original(cube, ball);
  original.with({0.2, 0.3, 1.0}, down, 0.1);
  Case other(ball, cube);
  other.with({0.2, 0.3, 0.9}, up, 0.1);
  other.scene.permutation = {1, 0};
  expect(check_permuted(original.contacts, other.scene, other.contacts).violations.empty(), "a pair turned round");
  other.contacts.rows[0].depth = 0.1000001;
  expect(!check_permuted(original.contacts, other.scene, other.contacts).violations.empty(), "another depth");

  // Features from frame to frame.
  Case frames(cube, ball);
  frames.with({0.2, 0.3, 1.0}, down, 0.1);
  frames.scene.frames = 2;
  frames.contacts.rows.push_back(frames.contacts.rows[0]);
  frames.contacts.frame_offset = {0, 1, 2};
  expect(check_same_features(frames.scene, frames.contacts).violations.empty(), "the same features");
  frames.contacts.rows[1].feature = 9;
  expect(!check_same_features(frames.scene, frames.contacts).violations.empty(), "features that change");
}

}  // namespace

int pair_self_test() {
  closed_forms();
  depth_by_other_methods();
  quadrilaterals();
  hand_made();
  std::printf("self-test: %s\n", failures == 0 ? "holds" : "FAILED");
  return failures == 0 ? 0 : 1;
}

}  // namespace oracle
