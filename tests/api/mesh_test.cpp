// Triangle meshes by the public interface, on each device: beside terrain and boxes of the same form, in every order of
// bodies, from frame to frame, in slices.
#include <algorithm>
#include <map>

#include "oclide/validation.hpp"
#include "support/mesh_shapes.hpp"
#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

class TriangleMeshes : public OnEachDevice {
 protected:
  std::vector<Contact> found(const TestScene& scene, double margin = 0.0) {
    Collider& collider = collider_on(GetParam(), margin);
    collider.set_scene(scene.scene);
    const FrameContacts frame = collider.collide(scene.poses());
    EXPECT_TRUE(validates(scene, frame.contacts, margin));
    return frame.contacts;
  }
};
OCLIDE_ON_EACH_DEVICE(TriangleMeshes);

const BodySpec kMesh{Shape::triangle_mesh, {0.0, 0.0, 0.0}};

// Of each body the deepest depth against what body `ground` is, or terrain.
std::map<std::uint32_t, float> deepest_of(const std::vector<Contact>& contacts, std::uint32_t ground) {
  std::map<std::uint32_t, float> deepest;
  for (const Contact& c : contacts) {
    if (c.body_a != ground && c.body_b != ground) continue;
    float& depth = deepest[c.body_a == ground ? c.body_b : c.body_a];
    depth = std::max(depth, c.depth);
  }
  return deepest;
}

TEST_P(TriangleMeshes, AreWhatTerrainOfTheSameTrianglesIs) {
  const Terrain ground = rough({17, 17, {-4.0, -4.0}, {0.5, 0.5}}, 0.1, 3);
  std::vector<BodySpec> bodies;
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (std::size_t k = 0; k < 40; ++k)
    bodies.push_back(
        of_any_shape(k, 0.2, {6.0 * unit(random) - 3.0, 6.0 * unit(random) - 3.0, 0.3}, random_orientation(random)));
  TestScene on_terrain(ground, bodies), on_mesh(bodies);
  on_mesh.scene.meshes.push_back(sheet_of(ground));
  on_mesh.add(kMesh);
  on_mesh.scene.bodies.group.assign(bodies.size() + 1, 1);
  on_mesh.scene.bodies.group.back() = 0;
  // Down until each is a millimetre in: then the way out is one, and both definitions have it.
  const auto sink = [&](TestScene& scene, std::size_t k, double by) { scene.position[3 * k + 2] -= by; };
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    double above = 0.0, below = 0.6;
    TestScene alone(ground, {bodies[k]});
    Collider& collider = collider_on("reference");
    collider.set_scene(alone.scene);
    for (int step = 0; step < 16; ++step) {
      const double middle = 0.5 * (above + below);
      TestScene moved = alone;
      sink(moved, 0, middle);
      (collider.collide(moved.poses()).contacts.empty() ? above : below) = middle;
    }
    sink(on_terrain, k, below + 0.001);
    sink(on_mesh, k, below + 0.001);
  }
  const auto mesh = static_cast<std::uint32_t>(bodies.size());
  const auto by_terrain = deepest_of(found(on_terrain), kTerrain), by_mesh = deepest_of(found(on_mesh), mesh);
  EXPECT_EQ(by_terrain.size(), bodies.size());
  EXPECT_EQ(by_mesh.size(), bodies.size());
  for (const auto& [body, depth] : by_terrain) EXPECT_NEAR(by_mesh.at(body), depth, 1e-4 + 0.01 * depth) << body;
}

TEST_P(TriangleMeshes, AreWhatAFloorOfBoxesIs) {
  // Both are flat at height 0: a sheet of 64 squares, and as many boxes.
  TestScene on_mesh(std::vector<BodySpec>{kMesh}), on_boxes{std::vector<BodySpec>{}};
  on_mesh.scene.meshes.push_back(flat_sheet(8, 0.5));
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) on_boxes.add(box({0.25, 0.25, 0.25}, {0.25 + 0.5 * i, 0.25 + 0.5 * j, -0.25}));
  const std::vector<BodySpec> bodies{box({0.4, 0.3, 0.2}, {1.1, 1.2, 0.199}, turn({0, 0, 1}, 0.3)),
                                     cylinder(0.3, 0.1, {2.6, 1.1, 0.099}),
                                     capsule(0.1, 0.4, {1.2, 2.8, 0.099}, kAlongX), sphere(0.2, {3.1, 3.2, 0.199})};
  for (const BodySpec& b : bodies) {
    on_mesh.add(b);
    on_boxes.add(b);
  }
  const std::vector<Contact> of_mesh = found(on_mesh), of_boxes = found(on_boxes);
  // Each contact with the mesh is one with a box, and the outermost ones are those of the body's own corners and ends.
  for (const Contact& c : of_mesh) {
    EXPECT_EQ(c.body_a, 0U);
    EXPECT_NE(c.element, kNone);
    EXPECT_NEAR(c.depth, 0.001, 1e-5);
    EXPECT_NEAR(c.normal[2], -1.0, 1e-6);  // from the body toward the mesh
    const auto same = [&](const Contact& other) {
      return other.body_b == c.body_b + 63 && other.element == kNone &&
             std::hypot(other.point[0] - c.point[0], other.point[1] - c.point[1]) < 0.02 &&
             std::abs(other.depth - c.depth) < 1e-4;
    };
    const bool is_round = c.body_b == 2;  // a cylinder's base: both have points of the rim, and not the same ones
    EXPECT_TRUE(is_round || std::any_of(of_boxes.begin(), of_boxes.end(), same)) << c.body_b;
  }
  const auto count = [&](std::uint32_t body) {
    return std::count_if(of_mesh.begin(), of_mesh.end(), [&](const Contact& c) { return c.body_b == body; });
  };
  EXPECT_EQ(count(1), 4);
  EXPECT_GE(count(2), 3);
  EXPECT_EQ(count(3), 2);
  EXPECT_EQ(count(4), 1);
}

TEST_P(TriangleMeshes, AreTheSameWhicheverBodyComesFirst) {
  TestScene first, last;
  for (TestScene* scene : {&first, &last}) {
    scene->bodies_meet = true;
    scene->scene.meshes.push_back(box_mesh({1.0, 1.0, 1.0}, 2));
    scene->scene.meshes[0].material.assign(scene->scene.meshes[0].triangles.size(), 9);
  }
  const BodySpec mesh{Shape::triangle_mesh, {0.0, 0.0, 0.0}, {0.3, 0.2, -0.1}, turn({1, 2, 3}, 0.4)};
  first.add(mesh);
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unit(-1.5, 1.5);
  for (std::size_t k = 0; k < 60; ++k) {
    const BodySpec body = of_any_shape(k, 0.2, {unit(random), unit(random), unit(random)}, random_orientation(random));
    first.add(body);
    last.add(body);
  }
  last.add(mesh);
  for (TestScene* scene : {&first, &last}) {
    scene->scene.bodies.group.assign(scene->scene.bodies.count(), 1);
    scene->scene.bodies.group[scene == &first ? 0 : 60] = 0;
  }
  const std::vector<Contact> a = found(first), b = found(last);
  ASSERT_EQ(a.size(), b.size());
  ASSERT_FALSE(a.empty());
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_EQ(a[k].body_b, b[k].body_a + 1);
    EXPECT_EQ(a[k].element, b[k].element);
    EXPECT_EQ(a[k].material, 9);
    EXPECT_EQ(a[k].feature, b[k].feature);
    EXPECT_EQ(a[k].depth, b[k].depth);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      EXPECT_EQ(a[k].normal[axis], -b[k].normal[axis]);
      // The one has Q, the other P.
      EXPECT_NEAR(a[k].point[axis], b[k].point[axis] + b[k].normal[axis] * b[k].depth, 1e-6);
    }
  }
}

TEST_P(TriangleMeshes, OfWhichManyBodiesLieOnOneAreInOrder) {
  // More bodies than one work-item sorts, each with several manifolds on a bumpy sheet.
  TestScene scene(std::vector<BodySpec>{kMesh});
  Mesh sheet = flat_sheet(40, 0.5);
  for (std::size_t k = 0; k < sheet.vertices.size(); ++k) sheet.vertices[k][2] = 0.15 * static_cast<double>(k % 3);
  scene.scene.meshes.push_back(sheet);
  for (int i = 0; i < 38; ++i)
    for (int j = 0; j < 38; ++j) scene.add(box({0.2, 0.22, 0.2}, {0.7 + 0.5 * i, 0.7 + 0.5 * j, 0.3}));
  scene.scene.bodies.group.assign(scene.scene.bodies.count(), 1);
  scene.scene.bodies.group[0] = 0;
  const std::vector<Contact> contacts = found(scene);
  EXPECT_GT(contacts.size(), 2000U);
  for (std::size_t k = 1; k < contacts.size(); ++k) {
    EXPECT_LE(contacts[k - 1].body_b, contacts[k].body_b);
    if (contacts[k - 1].body_b == contacts[k].body_b) {
      EXPECT_LE(contacts[k - 1].manifold, contacts[k].manifold);
    }
  }
}

TEST_P(TriangleMeshes, OfWhichFewBodiesMoveHaveTheContactsOfAWholeFrame) {
  TestScene scene(std::vector<BodySpec>{kMesh});
  scene.scene.meshes.push_back(ball_mesh(1.0, 8));
  std::mt19937_64 random(17);
  std::uniform_real_distribution<double> unit(-1.2, 1.2);
  for (std::size_t k = 0; k < 80; ++k)
    scene.add(of_any_shape(k, 0.2, {unit(random), unit(random), unit(random)}, random_orientation(random)));
  Settings settings;
  settings.device = GetParam() == "opencl" ? opencl_device() : GetParam();
  Collider updated(settings);
  updated.set_scene(scene.scene);
  Collider& whole = collider_on(GetParam());
  whole.set_scene(scene.scene);
  for (std::size_t frame = 0; frame < 4; ++frame) {
    // One body; the mesh itself; one with the mesh.
    if (frame > 0) scene.position[3 * (frame == 2 ? 0 : 5)] += 0.1;
    if (frame == 3) scene.position[1] -= 0.2;
    const FrameContacts& found = updated.update(scene.poses());
    const FrameContacts expected = whole.collide(scene.poses());
    EXPECT_EQ(contact_hash(found.contacts), contact_hash(expected.contacts)) << frame;
    EXPECT_EQ(found.pairs, expected.pairs);
    EXPECT_EQ(found.body_pairs, expected.body_pairs);
  }
}

TEST_P(TriangleMeshes, AreTheSameWhereMemoryIsShort) {
  TestScene scene(std::vector<BodySpec>{kMesh});
  scene.scene.meshes.push_back(ball_mesh(2.0, 10));
  std::mt19937_64 random(19);
  std::uniform_real_distribution<double> unit(-2.2, 2.2);
  for (std::size_t k = 0; k < 600; ++k)
    scene.add(of_any_shape(k, 0.25, {unit(random), unit(random), unit(random)}, random_orientation(random)));
  Collider& whole = collider_on(GetParam());
  whole.set_scene(scene.scene);
  const FrameContacts expected = whole.collide(scene.poses());
  Settings settings;
  settings.device = GetParam() == "opencl" ? opencl_device() : GetParam();
  settings.memory_limit = 1 << 20;
  Collider in_slices(settings);
  in_slices.set_scene(scene.scene);
  const FrameContacts found = in_slices.collide(scene.poses());
  EXPECT_EQ(contact_hash(found.contacts), contact_hash(expected.contacts));
  EXPECT_EQ(found.body_pairs, expected.body_pairs);
}

TEST_P(TriangleMeshes, MeetNeitherTerrainNorHalfSpacesNorEachOther) {
  TestScene scene(plane({}, 0, 0), {kMesh});
  scene.bodies_meet = true;
  scene.scene.meshes.push_back(box_mesh({1.0, 1.0, 1.0}));
  scene.add({Shape::triangle_mesh, {0.0, 0.0, 0.0}, {0.5, 0.5, 0.5}});
  scene.add(half_space({0.0, 0.0, 0.2}));
  EXPECT_TRUE(found(scene).empty());
}

TEST_P(TriangleMeshes, HoldBodiesOutHoweverDeepTheyAre) {
  TestScene scene(std::vector<BodySpec>{kMesh});
  scene.scene.meshes.push_back(box_mesh({10.0, 10.0, 10.0}, 4));
  scene.add(sphere(0.1, {9.0, 1.0, 2.0}));
  scene.add(box({0.2, 0.1, 0.1}, {0.3, -8.0, 0.4}));
  scene.add(capsule(0.1, 0.2, {0.1, 0.2, 7.0}));
  scene.add(cylinder(0.1, 0.2, {-8.5, 0.2, 0.3}));
  const std::vector<Contact> contacts = found(scene);
  const std::map<std::uint32_t, std::array<float, 3>> ways{
      {1, {1, 0, 0}}, {2, {0, -1, 0}}, {3, {0, 0, 1}}, {4, {-1, 0, 0}}};
  EXPECT_EQ(contacts.size(), 4U);
  for (const Contact& c : contacts)
    for (std::size_t axis = 0; axis < 3; ++axis)
      EXPECT_NEAR(-c.normal[axis], ways.at(c.body_b)[axis], 1e-6) << c.body_b;
}

// A body whose middle is before a sheet leans out over its border, which is in it from behind: it is pushed off the
// border, and not back over all of the sheet.
TEST_P(TriangleMeshes, PushWhatLeansPastABorderOffIt) {
  const dquat leaning = turn({0, 1, 0}, 0.35);
  const dvec3 m = leaning * dvec3(1, 0, 0), up = leaning * dvec3(0, 0, 1);
  for (const double depth : {0.01, 0.1}) {
    const dvec3 at = dvec3(4.0, 2.1, 0.0) + (0.2 - depth) * m + 0.6 * up;
    for (const BodySpec& body :
         {box({0.2, 0.3, 1.0}, at, leaning), cylinder(0.2, 1.0, at, leaning), capsule(0.2, 1.0, at, leaning)}) {
      TestScene scene(std::vector<BodySpec>{body, kMesh});
      scene.scene.meshes.push_back(flat_sheet(1, 4.0));
      const std::vector<Contact> contacts = found(scene, 0.01);
      EXPECT_FALSE(contacts.empty());
      for (const Contact& c : contacts) {
        EXPECT_NEAR(c.depth, depth, 1e-5) << to_string(body.shape);
        EXPECT_NEAR(c.normal[0], m.x, 1e-4) << to_string(body.shape);
      }
    }
  }
}

TEST_P(TriangleMeshes, FarFromTheOriginAreAsNear) {
  TestScene near(std::vector<BodySpec>{kMesh}), far;
  near.scene.meshes.push_back(flat_sheet(8, 0.5));
  far.bodies_meet = true;
  far.scene.meshes = near.scene.meshes;
  const dvec3 shift(9000.25, -8000.5, 100.125);
  far.add({Shape::triangle_mesh, {0.0, 0.0, 0.0}, shift});
  for (const BodySpec& body :
       {box({0.4, 0.3, 0.2}, {1.1, 1.2, 0.19}, turn({1, 2, 0}, 0.02)),
        cylinder(0.3, 0.1, {2.6, 1.1, 0.09}, turn({1, 0, 0}, 0.05)), sphere(0.2, {3, 3, 0.19})}) {
    near.add(body);
    far.add(body);
    for (int axis = 0; axis < 3; ++axis)
      far.position[far.position.size() - 3 + static_cast<std::size_t>(axis)] += shift[axis];
  }
  const std::vector<Contact> a = found(near), b = found(far);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_NEAR(a[k].depth, b[k].depth, 2e-6);
    for (int axis = 0; axis < 3; ++axis)
      EXPECT_NEAR(a[k].point[static_cast<std::size_t>(axis)] + shift[axis], b[k].point[static_cast<std::size_t>(axis)],
                  1e-5);
  }
}

}  // namespace
}  // namespace oclide::test
