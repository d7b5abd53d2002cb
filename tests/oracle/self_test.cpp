#include "self_test.hpp"

#include <cstdio>
#include <random>
#include <set>

#include "checks.hpp"

namespace oracle {
namespace {

int failures = 0;

void expect(bool held, const char* what) {
  if (held) return;
  ++failures;
  std::printf("self-test: %s\n", what);
}

/// One body on one ground.
struct Case {
  SceneFile scene;
  ContactFile contacts;

  Case(const Ground& ground, int shape, Vec size, Vec position, std::array<double, 4> q = {1, 0, 0, 0}) {
    scene.grounds = {ground};
    scene.bodies = 1;
    scene.shape = {shape};
    scene.size = {size.x, size.y, size.z};
    scene.position = {position.x, position.y, position.z};
    scene.orientation.assign(q.begin(), q.end());
    contacts.frame_offset = {0, 0};
  }
  Case& with(Vec point, Vec normal, double depth, std::uint32_t manifold = 0) {
    contacts.rows.push_back({0, kTerrain, manifold, point, normal, depth, 0});
    contacts.frame_offset[1] = contacts.rows.size();
    return *this;
  }
  std::set<std::string> judged() const {
    Findings f = check_order(scene, contacts);
    f.add(check_frame(scene, contacts, 0, 1));
    std::set<std::string> categories;
    for (const Violation& v : f.violations) categories.insert(v.category);
    return categories;
  }
  void must_pass(const char* what) const {
    const auto found = judged();
    if (found.empty()) return;
    ++failures;
    std::printf("self-test: %s must pass, but:", what);
    for (const auto& c : found) std::printf(" %s", c.c_str());
    std::printf("\n");
  }
  void must_fail(const char* category, const char* what) const {
    const auto found = judged();
    if (found.count(category) != 0) return;
    ++failures;
    std::printf("self-test: %s must give %s, but gives:", what, category);
    for (const auto& c : found) std::printf(" %s", c.c_str());
    std::printf("\n");
  }
};

Ground plane(std::ptrdiff_t rows, std::ptrdiff_t cols, double spacing, double slope_x = 0.0, double slope_y = 0.0) {
  Ground g;
  g.rows = rows, g.cols = cols;
  g.spacing[0] = g.spacing[1] = spacing;
  g.origin[0] = -0.5 * spacing * static_cast<double>(cols - 1);
  g.origin[1] = -0.5 * spacing * static_cast<double>(rows - 1);
  for (std::ptrdiff_t i = 0; i < rows; ++i) {
    for (std::ptrdiff_t j = 0; j < cols; ++j) {
      g.heights.push_back(slope_x * (g.origin[0] + static_cast<double>(j) * spacing) +
                          slope_y * (g.origin[1] + static_cast<double>(i) * spacing));
    }
  }
  return g;
}

void hand_made() {
  const Ground flat = plane(3, 4, 10.0);
  const Vec up{0, 0, 1};
  const auto sphere = [&](double z) { return Case(flat, kSphere, {1, 0, 0}, {0.3, 0.2, z}); };
  sphere(0.9).with({0.3, 0.2, -0.1}, up, 0.1).must_pass("a sphere 0.1 m deep");
  sphere(1.5).must_pass("a sphere in the air");
  sphere(1.00005).with({0.3, 0.2, 0.00005}, up, 0.00005).must_pass("a contact within 1e-4 m");
  sphere(-3.0).with({0.3, 0.2, -4.0}, up, 4.0).must_pass("a buried sphere pushed up");
  sphere(0.9).must_fail("MISSED", "an overlap without contact");
  sphere(0.9998).must_fail("MISSED", "an overlap of 2e-4 m without contact");
  sphere(0.99995).must_pass("an overlap of 5e-5 m without contact");
  sphere(1.001).with({0.3, 0.2, 0.001}, up, 0.0005).must_fail("FALSE", "a contact of a body 1 mm above");
  sphere(1.1).with({0.3, 0.2, 0.1}, up, 0.1).must_fail("POINT_NOT_IN_GROUND", "a point above the ground");
  sphere(0.9).with({0.3, 0.2, -0.09}, up, 0.09).must_fail("POINT_OFF_BODY", "a point 1 cm inside the body");
  sphere(0.9).with({0.3, 0.2, -0.1}, up, 0.12).must_fail("DEPTH_RAY", "a depth 20 % too great");
  sphere(0.9).with({0.3, 0.2, -0.1}, up, 0.12).must_fail("FOOT_OFF_GROUND", "a depth 20 % too great");
  sphere(0.9).with({0.3, 0.2, -0.1}, {0, 0, -1}, 0.1).must_fail("NORMAL_DOWN", "a normal into the ground");
  sphere(0.9).with({0.3, 0.2, -0.1}, {0, 0, 1.001}, 0.1).must_fail("NORMAL_NOT_UNIT", "a long normal");
  sphere(0.9)
      .with({0.3, 0.2, -0.1}, unit({0.1, 0, 1}), 0.1 / unit({0.1, 0, 1}).z)
      .must_fail("PLANE_NORMAL", "a slanted normal on flat ground");
  sphere(0.9)
      .with({0.3 + 0.3, 0.2, 0.9 - std::sqrt(0.91)}, up, std::sqrt(0.91) - 0.9)
      .must_fail("PLANE_DEPTH", "a contact that is not the deepest");
  sphere(0.9).with({0.3, 0.2, NAN}, up, 0.1).must_fail("NOT_FINITE", "a NaN");
  sphere(0.9)
      .with({0.3, 0.2, -0.1}, up, 0.1, 0)
      .with({0.3, 0.2, -0.1}, up, 0.1, 1)
      .must_fail("PLANE_MANIFOLDS", "two manifolds on flat ground");
  Case wrong_offset = sphere(0.9).with({0.3, 0.2, -0.1}, up, 0.1);
  wrong_offset.contacts.frame_offset = {0, 1, 1};
  wrong_offset.must_fail("OFFSETS", "a frame too many");
  Case material = sphere(0.9).with({0.3, 0.2, -0.1}, up, 0.1);
  material.scene.grounds[0].material.assign(6, 7);
  material.must_fail("MATERIAL", "material 0 where the cells have 7");
  material.contacts.rows[0].material = 7;
  material.must_pass("the material of the cell");
  Case open = sphere(0.9).with({0.3, 0.2, -0.1}, up, 0.1);
  open.scene.environment_terrain = {-1};
  open.must_fail("FALSE", "a contact in an environment without terrain");
  Case truth = sphere(0.9).with({0.3, 0.2, -0.1}, up, 0.1);
  truth.scene.truth = {0};
  truth.must_fail("TRUTH", "a contact the scene's truth denies");

  // A box: its four lower corners; one corner alone, deep, still clears; a corner left out of a tilted one does not.
  Case box(flat, kBox, {1, 2, 0.5}, {0, 0, 0.4});
  for (const double x : {-1.0, 1.0}) box.with({x, -2, -0.1}, up, 0.1).with({x, 2, -0.1}, up, 0.1);
  box.must_pass("a box on four corners");
  box.with({0, 0, -0.1}, up, 0.1).must_fail("MANIFOLD_SIZE", "five points in a manifold");
  Case order =
      Case(flat, kBox, {1, 2, 0.5}, {0, 0, 0.4}).with({1, 2, -0.1}, up, 0.1, 1).with({1, -2, -0.1}, up, 0.1, 0);
  order.must_fail("ORDER", "manifolds out of order");
  Case bent = Case(flat, kBox, {1, 2, 0.5}, {0, 0, 0.4}).with({1, 2, -0.1}, up, 0.1);
  bent.with({1, -2, -0.1}, unit({0.01, 0, 1}), 0.1)
      .must_fail("MANIFOLD_NORMAL", "normals 0.01 rad apart in a manifold");

  // The border: past it is open, and its wall is a surface of the ground.
  Case(flat, kSphere, {1, 0, 0}, {15.9, 0, -5}).must_fail("MISSED", "a sphere beside the border, 0.1 m in");
  Case(flat, kSphere, {1, 0, 0}, {15.9, 0, -5})
      .with({14.9, 0, -5}, {1, 0, 0}, 0.1)
      .must_pass("the same, pushed sideways");
  Case(flat, kSphere, {1, 0, 0}, {16.1, 0, -5}).must_pass("a sphere beside the border, 0.1 m off");
  Case(flat, kSphere, {1, 0, 0}, {16.1, 0, -5})
      .with({15.1, 0, -5}, {1, 0, 0}, 0.1)
      .must_fail("FALSE", "a contact beyond the border");
  Ground hole = plane(4, 4, 10.0);
  hole.holes.assign(9, 0);
  hole.holes[4] = 1;
  Case(hole, kSphere, {1, 0, 0}, {0, 0, 0}).must_pass("a sphere in a hole");
  Case(hole, kSphere, {1, 0, 0}, {0, 0, 0}).with({0, 0, -1}, up, 1.0).must_fail("FALSE", "a contact in a hole");
  hole.holes[4] = 0, hole.heights[5] = NAN;
  Case(hole, kSphere, {1, 0, 0}, {-3, 0, 0}).must_pass("a sphere over cells with a NaN corner");

  // A V-valley needs both of its normals to be cleared.
  Ground valley = plane(3, 3, 10.0);
  for (std::size_t i = 0; i < 9; ++i) valley.heights[i] = i % 3 == 1 ? 0.0 : 10.0;
  const double s = std::sqrt(0.5);
  const Vec left{s, 0, s}, right{-s, 0, s}, at{0, 0, std::sqrt(2.0) - 0.1 / s};
  Case v(valley, kSphere, {1, 0, 0}, at);
  v.with(at - left, left, 0.1, 0).must_fail("CLEARING", "one side of a valley alone");
  v.with(at - right, right, 0.1, 1).must_pass("both sides of a valley");

  // A kerb higher than the sphere is deep: a ray that leaves early and a depth to the far exit.
  Ground cliff = plane(2, 4, 1.0);
  for (std::size_t i = 0; i < 8; ++i) cliff.heights[i] = i % 4 == 2 ? 5.0 : 0.0;
  Case(cliff, kSphere, {0.2, 0, 0}, {0.5, 0, -0.1}).with({0.5, 0, -0.3}, up, 5.3).must_pass("up through a ridge");

  // Same answer for the cylinder on a large triangle, to the millimetre and below.
  const Ground slope = plane(2, 2, 100.0, 0.3, -0.2);
  const Vec n = unit({-0.3, 0.2, 1});
  Case cylinder(slope, kCylinder, {0.5, 1, 0}, {3, 4, 0.3 * 3 - 0.2 * 4 + 0.5}, {0.9, 0.3, -0.2, 0.1});
  const Vec low = support_point(cylinder.scene.body(0, 0), -n) + Vec{3, 4, 0.6};
  const double depth = n.z * (0.3 * low.x - 0.2 * low.y - low.z);
  cylinder.with(low, n, depth).must_pass("a leaning cylinder on a slope");
  cylinder.contacts.rows[0].depth += 0.02 * depth + 2e-4;
  cylinder.must_fail("PLANE_DEPTH", "its depth 2 % off");
}

/// The exact overlap against the signed distance alone, sampled densely and refined by a random walk.
void against_sampling() {
  std::mt19937 random(7);
  const auto uniform = [&](double a, double b) { return std::uniform_real_distribution<>(a, b)(random); };
  double worst = 0.0;
  const int hulls_from = 240;
  for (int trial = 0; trial < hulls_from + 8; ++trial) {
    Ground g = plane(6, 7, uniform(0.1, 3.0));
    g.spacing[1] *= uniform(0.5, 2.0);
    const double rough = uniform(0.0, 3.0);
    for (double& h : g.heights) h += uniform(-rough, rough);
    const std::array<double, 4> q{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
    const Vec at{uniform(-3, 3), uniform(-3, 3), uniform(-2, 3)};
    Case c(g, trial % 4, {uniform(0.05, 1.5), uniform(0.05, 1.5), uniform(0.05, 1.5)}, at, q);
    if (trial >= hulls_from) {
      std::vector<Vec> points;
      for (int k = 0; k < 4 + trial % 9; ++k)
        points.push_back({uniform(-0.5, 1.5), uniform(-0.5, 1.0), uniform(-1.0, 1.5)});
      c.scene.hulls = {hull_of(points)};
      c.scene.shape = {kConvexHull}, c.scene.size = {0, 0, 0};
    }
    if (trial % 5 == 0) c.scene.orientation = {1, 0, 0, 0};
    if (trial % 7 == 0) c.scene.orientation = {std::sqrt(0.5), std::sqrt(0.5), 0, 0};
    const Body b = c.scene.body(0, 0);
    const double exact = overlap_of(b, g).gap;
    const double tall = std::max(support(b, {0, 0, 1}), support(b, {0, 0, -1}));
    // Lower surface from the convex signed distance: the least along the vertical, then its zero below.
    const auto gap_at = [&](double x, double y) {
      const double up = under_surface(g, b.centre + Vec{x, y, 0}).gap;
      if (up == -kInfinity) return -kInfinity;
      double lo = -tall, hi = tall;
      for (int i = 0; i < 100; ++i) {
        const double p = lo + (hi - lo) / 3, q = hi - (hi - lo) / 3;
        (signed_distance(b, {x, y, p}) < signed_distance(b, {x, y, q}) ? hi : lo) =
            signed_distance(b, {x, y, p}) < signed_distance(b, {x, y, q}) ? q : p;
      }
      const double bottom = 0.5 * (lo + hi);
      if (signed_distance(b, {x, y, bottom}) > 1e-12) return -kInfinity;
      double out = -2 * tall - 1, in = bottom;
      for (int i = 0; i < 60; ++i) {
        const double m = 0.5 * (out + in);
        (signed_distance(b, {x, y, m}) > 0 ? out : in) = m;
      }
      return up - in;
    };
    const double wx = std::max(support(b, {1, 0, 0}), support(b, {-1, 0, 0}));
    const double wy = std::max(support(b, {0, 1, 0}), support(b, {0, -1, 0}));
    double best = -kInfinity, bx = 0, by = 0;
    for (int i = 0; i < 1500; ++i) {
      const double x = uniform(-wx, wx), y = uniform(-wy, wy), v = gap_at(x, y);
      if (v > best) best = v, bx = x, by = y;
    }
    double step = 0.1;
    for (int i = 0; i < 1500; ++i) {
      const double x = bx + uniform(-step, step) * wx, y = by + uniform(-step, step) * wy, v = gap_at(x, y);
      if (v > best) {
        best = v, bx = x, by = y;
      } else if (i % 40 == 39) {
        step *= 0.6;
      }
    }
    if (best > 0.0 || exact > 0.0) {
      if (best > std::max(exact, 0.0) + 1e-6) {
        ++failures;
        std::printf("self-test: sampling finds an overlap of %.9g where the oracle has %.9g (trial %d, shape %d)\n",
                    best, exact, trial, b.shape);
      }
      if (exact > 0.0) worst = std::max(worst, exact - std::max(best, 0.0));
      if (exact > 1e-3 && best < 0.97 * exact - 0.02) {
        ++failures;
        std::printf("self-test: the oracle has an overlap of %.9g where sampling finds %.9g (trial %d, shape %d)\n",
                    exact, best, trial, b.shape);
      }
    }

    // Distance and penetration of one column agree where they must: moving out by either leaves no overlap.
    const Triangle t = g.triangle(2, 2, trial % 2, b.centre);
    const double gap = greatest_gap(b, t, -kInfinity).gap, distance = distance_to_column(b, t);
    if (gap > 1e-9) expect(distance < 1e-9, "a body in a column is at no distance from it");
    if (gap < -1e-9 || gap == -kInfinity) {
      expect(distance > 0.0, "a body off a column is at some distance from it");
      expect(way_out(b, t, {0, 0, 1}) >= -1e9, "finite way out");
    } else if (gap > 1e-6) {
      const double least = least_penetration(b, t);
      expect(least > 0.0 && least <= gap * t.normal().z + way_out(b, t, t.normal()) + 1e-9,
             "least penetration in range");
    }
  }
  std::printf("self-test: sampling comes within %.3g m of the exact overlap\n", worst);
}

void translations() {
  std::mt19937 random(11);
  std::normal_distribution<> normal;
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<Vec> n;
    std::vector<double> d;
    for (int i = 0; i < 1 + trial % 9; ++i) {
      n.push_back(unit({normal(random), normal(random), std::abs(normal(random)) + 0.05}));
      d.push_back(std::abs(normal(random)));
    }
    Vec t;
    expect(least_translation(n, d, t), "a way out exists where all normals point up");
    // Feasible, and a non-negative combination of the active normals makes it optimal: check by a dual ascent.
    for (std::size_t i = 0; i < n.size(); ++i) expect(dot(n[i], t) >= d[i] - 1e-8, "the way out satisfies all");
    std::vector<double> weight(n.size(), 0.0);
    Vec u;
    for (int sweep = 0; sweep < 20000; ++sweep) {
      for (std::size_t i = 0; i < n.size(); ++i) {
        const double change = std::max(-weight[i], d[i] - dot(n[i], u));
        weight[i] += change, u = u + change * n[i];
      }
    }
    expect(std::abs(length(u) - length(t)) < 1e-5 * (1 + length(t)), "the way out is the shortest");
  }
  Vec t;
  expect(!least_translation({{1, 0, 0}, {-1, 0, 0}}, {0.1, 0.1}, t), "opposed normals leave no way out");
}

}  // namespace

int self_test() {
  hand_made();
  against_sampling();
  translations();
  std::printf("self-test: %d failures\n", failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace oracle
