#include <cstdio>

#include "mesh_checks.hpp"
#include "self_test.hpp"

namespace oracle {
namespace {

int failures = 0;

void expect(bool held, const std::string& what) {
  if (held) return;
  ++failures;
  std::printf("self-test: %s\n", what.c_str());
}

void expect_near(double value, double truth, const std::string& what) {
  expect(std::abs(value - truth) < 1e-7, format("%s is %.9g, not %.9g", what.c_str(), value, truth));
}

Body body_of(int shape, std::array<double, 3> size, Vec centre) {
  return {shape, size, centre, axes_of(1, 0, 0, 0)};
}

void geometry() {
  const Body ball = body_of(kSphere, {0.5, 0, 0}, {}), box = body_of(kBox, {1, 2, 3}, {});
  const Corners floor{{{-9, -9, -0.3}, {9, -9, -0.3}, {0, 9, -0.3}}};
  expect_near(deepest_in(ball, floor), -0.2, "a floor in a ball");
  expect_near(deepest_in(box, floor), -1.0, "a floor in a box");
  expect_near(deepest_in(box, {{{0.9, 0, 2}, {3, 0, 2}, {3, 1, 2}}}), -0.1, "a tip in a box");
  expect(deepest_in(ball, {{{0.4, 0.4, -1}, {0.4, 0.4, 1}, {1, 1, 0}}}) > 0.0, "an edge beside a ball");
  expect_near(distance_of(ball, {{{0.3, 0.4, 2}, {5, 6, 7}, {9, 1, 5}}}), std::sqrt(4.25) - 0.5,
              "a corner over a ball");
  expect_near(distance_of(ball, floor), 0.0, "what overlaps");
  const Vec q = nearest_point({2, -10, 1}, floor);
  expect_near(length(q - Vec{2, -9, -0.3}), 0.0, "the nearest point of a side");
}

// A cube of half a side 1 around the origin, as a solid.
MeshFile cube() {
  MeshFile mesh;
  mesh.solid = true;
  for (int k = 0; k < 8; ++k) mesh.vertices.push_back({k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0});
  for (const auto& side : {std::array{0U, 2U, 3U, 1U},
                           {4U, 5U, 7U, 6U},
                           {0U, 1U, 5U, 4U},
                           {2U, 6U, 7U, 3U},
                           {0U, 4U, 6U, 2U},
                           {1U, 3U, 7U, 5U}}) {
    mesh.triangles.push_back({side[0], side[1], side[2]});
    mesh.triangles.push_back({side[0], side[2], side[3]});
  }
  mesh.material.assign(12, 7);
  return mesh;
}

// A scene of a body and the cube, with contacts made by hand.
struct Case {
  SceneFile scene;
  ContactFile contacts;
  double margin = 0.0;

  Case(int shape, std::array<double, 3> size, Vec at) {
    scene.bodies = 2, scene.shape = {shape, kMesh};
    scene.size = {size[0], size[1], size[2], 0, 0, 0};
    scene.position = {at.x, at.y, at.z, 0, 0, 0}, scene.orientation = {1, 0, 0, 0, 1, 0, 0, 0};
    scene.meshes = {cube()};
    contacts.frame_offset = {0, 0};
  }
  Case& with(Vec point, Vec normal, double depth, std::uint32_t element, std::uint32_t manifold = 0) {
    ContactRow row;
    row.body_a = 0, row.body_b = 1, row.manifold = manifold, row.element = element, row.material = 7;
    row.point = point, row.normal = normal, row.depth = depth;
    contacts.rows.push_back(row);
    contacts.frame_offset[1] = contacts.rows.size();
    return *this;
  }
  void must_pass(const char* what) const {
    for (const Violation& v : check_meshes(scene, contacts, 0, margin, 1).violations)
      expect(false, std::string(what) + ": " + v.category + ", " + v.text);
  }
  void must_fail(const char* category, const char* what) const {
    for (const Violation& v : check_meshes(scene, contacts, 0, margin, 1).violations)
      if (v.category == category) return;
    expect(false, std::string(what) + ": no " + category);
  }
};

void hand_made() {
  const Vec up{0, 0, 1};
  const double s2 = std::sqrt(0.5);
  Case apart(kSphere, {0.5, 0, 0}, {0.2, 0.1, 1.50009});
  apart.must_pass("a ball over a cube");
  apart.with({0.2, 0.1, 1.00009}, up, -0.00009, 2).must_pass("a touch within the tolerance");
  Case far(kSphere, {0.5, 0, 0}, {0.2, 0.1, 1.502});
  far.with({0.2, 0.1, 1.002}, up, -0.002, 2).must_fail("BEYOND_MARGIN", "a ball that is apart");
  far.must_fail("APART", "a ball that is apart");
  far.margin = 0.01;
  far.must_pass("a ball within the margin");

  Case on(kSphere, {0.5, 0, 0}, {0.2, 0.1, 1.4});
  on.must_fail("MISSED", "a ball in a cube");
  on.with({0.2, 0.1, 0.9}, up, 0.1, 2).must_pass("a ball in a cube, with its contact");
  ContactRow& row = on.contacts.rows[0];
  row.material = 6;
  on.must_fail("MATERIAL", "another material");
  row.material = 7, row.element = 3;
  on.must_fail("NOT_ON_MESH", "another triangle");
  row.element = 12;
  on.must_fail("ELEMENT", "no triangle");
  row.element = 2, row.point = {0.2, 0.1, 0.8998}, row.depth = 0.1002;
  on.must_fail("NOT_ON_BODY", "a point below the ball");
  row.point = {0.2, 0.1, 0.9}, row.depth = 0.1 + 1.2e-3;
  on.must_fail("NOT_ON_MESH", "too deep by 1.2 %");
  row.depth = 0.1, row.normal = {0, 0, 1.001};
  on.must_fail("NORMAL_LENGTH", "a normal too long");
  row.normal = unit({0.05, 0, 1}), row.point = Vec{0.2, 0.1, 1.4} - 0.5 * row.normal;
  on.must_fail("NORMAL", "a normal that is not the side's");
  // As of the mesh against the ball.
  row.normal = {0, 0, -1}, row.point = {0.2, 0.1, 1.0}, row.body_a = 0;
  std::swap(on.scene.shape[0], on.scene.shape[1]);
  std::rotate(on.scene.size.begin(), on.scene.size.begin() + 3, on.scene.size.end());
  std::rotate(on.scene.position.begin(), on.scene.position.begin() + 3, on.scene.position.end());
  on.must_pass("the mesh before the ball");
  on.scene.group = {3, 3};
  on.must_fail("DO_NOT_MEET", "bodies of one group");

  // Over the edge x = z = 1: the normal may be any between both sides'.
  Case edge(kSphere, {0.5, 0, 0}, {1.3, 0.1, 1.3});
  edge.with(Vec{1.3, 0.1, 1.3} - 0.5 * Vec{s2, 0, s2}, {s2, 0, s2}, 0.5 - 0.6 * s2, 11).must_pass("a ball at an edge");
  Case inward(kBox, {0.5, 0.5, 0.5}, {1.49, 0.1, 1.4});
  inward.with({0.99, 0.1, 0.9}, unit({-0.1, 0, 1}), 0.1, 3).must_fail("NORMAL", "a normal beyond the arc of its edge");

  Case inside(kBox, {0.1, 0.1, 0.1}, {0.2, 0.1, 0.5});
  inside.must_fail("MISSED_INSIDE", "a box that is inside");
  inside.with({0.2, 0.1, 0.4}, up, 0.6, 2).must_pass("a box that is inside, with its contact");
  Case shallow(kBox, {0.1, 0.1, 0.6}, {0.2, 0.1, 0.5});
  shallow.with({0.3, 0.1, -0.1}, up, 1.1, 2).must_pass("a box whose middle is inside");
  shallow.contacts.rows[0].point.z = 0.9, shallow.contacts.rows[0].depth = 0.1;
  shallow.contacts.rows[0].point.x = 0.3;
  shallow.must_fail("NOT_PUSHED_OUT", "a box that is not pushed out");

  Case turned(kBox, {0.3, 0.3, 0.5}, {0.2, 0.1, 1.4});
  turned.with({0.5, 0.4, 0.9}, up, 0.1, 2).with({-0.1, 0.4, 0.9}, up, 0.1, 3).must_pass("two corners");
  turned.contacts.rows[1].normal = unit({0.004, 0, 1});
  turned.must_fail("MANIFOLD", "two normals");
}

}  // namespace

int mesh_self_test() {
  geometry();
  hand_made();
  std::printf("self-test: %s\n", failures == 0 ? "holds" : "FAILED");
  return failures == 0 ? 0 : 1;
}

}  // namespace oracle
