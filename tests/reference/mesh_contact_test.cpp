// Contacts of each shape with meshes whose contacts are known by hand (docs/mesh_contacts.md).
#include "reference/on_mesh.hpp"

namespace oclide::test {
namespace {

const double kDiagonal = std::sqrt(0.5);

const char* name_of(const OneBody& body) {
  return to_string(body.shape);
}

std::string to_text(const MeshManifolds& manifolds) {
  std::ostringstream text;
  for (const auto& manifold : manifolds)
    for (const MeshContact& c : manifold)
      text << to_string(c.kind) << " normal " << c.normal.x << " " << c.normal.y << " " << c.normal.z << " depth "
           << c.depth << " point " << c.point.x << " " << c.point.y << " " << c.point.z << "\n";
  return text.str();
}

// One manifold, as of terrain.
void expect_one(const MeshManifolds& manifolds, dvec3 normal, double depth, std::size_t points) {
  SCOPED_TRACE(to_text(manifolds));
  ASSERT_EQ(manifolds.size(), 1u);
  EXPECT_EQ(manifolds[0].size(), points);
  expect_near(manifolds[0][0].normal, glm::normalize(normal), 1e-7);
  EXPECT_NEAR(manifolds[0][0].depth, depth, 1e-7);
}

// With one of the manifolds' deepest contacts.
bool has(const MeshManifolds& manifolds, dvec3 normal, double depth) {
  return std::any_of(manifolds.begin(), manifolds.end(), [&](const auto& m) {
    return glm::distance(m[0].normal, glm::normalize(normal)) < 1e-6 && std::abs(m[0].depth - depth) < 1e-6;
  });
}

// Points that a flat sheet has of resting_bodies().
const std::vector<std::size_t> kRestingPoints = {1, 4, 4, 2, 2, 3};

// A box's corner beyond the edge of the sheet would be another matter: the sheet is 8 m wide.
TEST(MeshContact, RestsOnASheetWhereverTrianglesMeet) {
  for (const std::uint32_t cells : {1u, 4u, 8u}) {
    OnMesh sheet(flat_sheet(cells, 8.0 / cells));
    sheet.position = {-4.0, -4.0, 0.0};
    for (const dvec3 at : {dvec3(0.0), dvec3(0.5, 0.25, 0.0), dvec3(0.013, -0.402, 0.0)})
      for (const double depth : {0.01, 0.0, -0.01}) {
        const auto bodies = resting_bodies(at + dvec3(0.0, 0.0, 0.5 - depth));
        for (std::size_t k = 0; k < bodies.size(); ++k) {
          SCOPED_TRACE(std::string(name_of(bodies[k])) + " " + std::to_string(k) + ", cells " + std::to_string(cells));
          const auto found = sheet.manifolds(bodies[k], 0.02);
          expect_one(found, kUp, depth, kRestingPoints[k]);
          if (found.empty()) continue;
          for (const MeshContact& c : found[0]) EXPECT_NEAR(c.point.z, -depth, 1e-7);
          if (depth != 0.0) {
            EXPECT_EQ(sheet.manifolds(bodies[k], 0.0).size(), depth > 0.0 ? 1u : 0u);
          }
        }
      }
  }
}

TEST(MeshContact, MeetsASheetFromBehind) {
  OnMesh sheet(flat_sheet(4, 2.0));
  sheet.position = {-4.0, -4.0, 0.0};
  sheet.orientation = turn({1.0, 0.0, 0.0}, kHalfTurn);
  sheet.position.y = 4.0;
  const auto bodies = resting_bodies({0.3, 0.1, 0.49});
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    SCOPED_TRACE(name_of(bodies[k]));
    expect_one(sheet.manifolds(bodies[k]), kUp, 0.01, kRestingPoints[k]);
  }
}

// A roof whose sides fall by one in two: over its ridge, and under it from inside.
TEST(MeshContact, SeesARidgeFromOneSideAndAGutterFromTheOther) {
  std::vector<std::array<MeshPoint, 3>> roof;
  add_square(roof, {2.0, 0.0, -1.0}, {2.0, 0.0, -1.0}, {0.0, 3.0, 0.0});
  add_square(roof, {-2.0, 0.0, -1.0}, {2.0, 0.0, 1.0}, {0.0, 3.0, 0.0});
  const OnMesh mesh(loose(roof));
  expect_one(mesh.manifolds(ball(0.4, {0.0, 0.1, 0.3})), kUp, 0.1, 1);
  expect_one(mesh.manifolds(block({0.5, 0.4, 0.3}, {0.0, 0.1, 0.2})), kUp, 0.1, 2);
  expect_one(mesh.manifolds(drum(0.3, 0.5, {0.0, 0.1, 0.2}, kAlongY)), kUp, 0.1, 2);
  expect_one(mesh.manifolds(pill(0.2, 0.5, {0.0, 0.1, 0.1}, kAlongX)), kUp, 0.1, 1);
  EXPECT_TRUE(has(mesh.manifolds(drum(0.3, 0.2, {0.0, 0.1, 0.1})), kUp, 0.1));

  const auto below = mesh.manifolds(ball(0.4, {0.0, 0.0, -0.4}));
  ASSERT_EQ(below.size(), 2u);
  const double depth = 0.4 - 0.4 * std::sqrt(0.8);
  EXPECT_TRUE(has(below, {1.0, 0.0, -2.0}, depth));
  EXPECT_TRUE(has(below, {-1.0, 0.0, -2.0}, depth));
}

TEST(MeshContact, TurnsWithTheWorld) {
  const auto bodies = resting_bodies({0.93, 0.8, 1.3});
  std::mt19937_64 random(7);
  for (int k = 0; k < 6; ++k) {
    const OneBody& body = bodies[static_cast<std::size_t>(k)];
    OnMesh block_mesh(box_mesh({1.0, 1.1, 0.9}, 2));
    const auto before = block_mesh.manifolds(body, 0.05);
    ASSERT_FALSE(before.empty());
    const Quaternion by = random_turn(random);
    const dmat3 axes = reference::make_body(Shape::sphere, {1.0, 0.0, 0.0}, by).axes;
    OneBody turned = body;
    turned.position = axes * body.position;
    const glm::dquat q = glm::normalize(glm::dquat(by[0], by[1], by[2], by[3])) *
                         glm::dquat(body.orientation[0], body.orientation[1], body.orientation[2], body.orientation[3]);
    turned.orientation = {q.w, q.x, q.y, q.z};
    block_mesh.orientation = by;
    const auto after = block_mesh.manifolds(turned, 0.05);
    ASSERT_EQ(after.size(), before.size()) << name_of(body);
    for (std::size_t m = 0; m < after.size(); ++m) {
      expect_near(after[m][0].normal, axes * before[m][0].normal, 1e-6);
      EXPECT_NEAR(after[m][0].depth, before[m][0].depth, 1e-7);
    }
  }
}

TEST(MeshContact, RollsOverTheEdgesAndCornersOfACube) {
  const OnMesh cube(box_mesh({1.0, 1.0, 1.0}, 3));
  expect_one(cube.manifolds(ball(0.5, {0.2, 0.3, 1.4})), kUp, 0.1, 1);
  expect_one(cube.manifolds(ball(0.5, {1.3, 0.3, 1.3})), {1.0, 0.0, 1.0}, 0.5 - 0.3 * std::sqrt(2.0), 1);
  expect_one(cube.manifolds(ball(0.6, {1.3, 1.3, 1.3})), {1.0, 1.0, 1.0}, 0.6 - 0.3 * std::sqrt(3.0), 1);
  EXPECT_TRUE(cube.manifolds(ball(0.5, {1.3, 1.3, 1.3})).empty());
  // A capsule across an edge, and with its end beyond a corner.
  expect_one(cube.manifolds(pill(0.3, 1.0, {1.2, 0.0, 1.2}, turn({0.0, 1.0, 0.0}, -kHalfTurn / 4.0))), {1.0, 0.0, 1.0},
             0.3 - 0.2 * std::sqrt(2.0), 1);
  // A box that stands on the cube's edge with an edge of its own, crosswise: its sides to either hand of it are 40 and
  // 50 degrees steep.
  const dvec3 m = kDiagonal * dvec3(1.0, 0.0, 1.0), y(0.0, 1.0, 0.0);
  const double c = std::cos(kHalfTurn * 40.0 / 180.0), s = std::sin(kHalfTurn * 40.0 / 180.0);
  const glm::dquat q = glm::quat_cast(dmat3(kDiagonal * dvec3(1.0, 0.0, -1.0), c * m + s * y, s * m - c * y));
  const dvec3 centre = dvec3(1.0, 0.2, 1.0) + (0.5 * (c + s) - 0.02) * m;
  expect_one(cube.manifolds(block({0.5, 0.5, 0.5}, centre, {q.w, q.x, q.y, q.z})), m, 0.02, 1);
  // A box that lies on it with a side: along all of the edge.
  const auto along =
      cube.manifolds(block({0.5, 2.0, 0.5}, dvec3(1.0, 0.0, 1.0) + 0.45 * m, turn({0.0, 1.0, 0.0}, kHalfTurn / 4.0)));
  expect_one(along, m, 0.05, 4);  // with the vertices on it
  EXPECT_NEAR(extent({along[0].begin(), along[0].end()}, y).least, -1.0, 1e-6);
  EXPECT_NEAR(extent({along[0].begin(), along[0].end()}, y).greatest, 1.0, 1e-6);
}

// Wide bodies over the rim of a smaller block: vertices and edges carry.
TEST(MeshContact, CoversABlockThatIsSmallerThanTheBody) {
  const OnMesh cube(box_mesh({0.2, 0.15, 0.3}, 2));
  for (const OneBody& body : {block({0.7, 0.6, 0.5}, {0.0, 0.0, 0.79}), drum(0.5, 0.5, {0.01, 0.0, 0.79})}) {
    SCOPED_TRACE(name_of(body));
    const auto found = cube.manifolds(body);
    expect_one(found, kUp, 0.01, 4);
    for (const MeshContact& c : found[0]) {
      EXPECT_NEAR(std::abs(c.point.x), 0.2, 1e-6);
      EXPECT_NEAR(std::abs(c.point.y), 0.15, 1e-6);
    }
  }
}

// Three walls that meet in the origin, seen from inside.
TEST(MeshContact, StandsInTheCornerOfARoom) {
  std::vector<std::array<MeshPoint, 3>> walls;
  add_square(walls, {2.0, 2.0, 0.0}, {2.0, 0.0, 0.0}, {0.0, 2.0, 0.0});
  add_square(walls, {0.0, 2.0, 2.0}, {0.0, 2.0, 0.0}, {0.0, 0.0, 2.0});
  add_square(walls, {2.0, 0.0, 2.0}, {0.0, 0.0, 2.0}, {2.0, 0.0, 0.0});
  const OnMesh room(loose(walls));
  const dvec3 depth(0.01, 0.02, 0.03);
  for (OneBody body : resting_bodies(dvec3(0.0))) {
    if (body.shape == Shape::convex_hull) continue;
    SCOPED_TRACE(name_of(body));
    const reference::Bounds box = body.body().bounds();
    body.position = -box.lower - depth;
    const auto found = room.manifolds(body);
    EXPECT_EQ(found.size(), 3u);
    EXPECT_TRUE(has(found, {1.0, 0.0, 0.0}, depth.x));
    EXPECT_TRUE(has(found, {0.0, 1.0, 0.0}, depth.y));
    EXPECT_TRUE(has(found, {0.0, 0.0, 1.0}, depth.z));
    // Each is of a triangle of its wall, those of the edges between two walls as well.
    for (const MeshContact& c : room.all(body).contacts)
      for (const dvec3& v : *c.corners) EXPECT_NEAR(glm::dot(v - (c.point + c.depth * c.normal), c.normal), 0.0, 1e-9);
  }
}

// Deep below the tread, hardly in the riser: out of the riser alone.
TEST(MeshContact, IsPushedOutOfAStepsRiser) {
  const OnMesh step(box_mesh({1.0, 3.0, 1.0}, 2));
  for (OneBody body : resting_bodies({0.0, 0.1, 0.9})) {
    if (body.shape == Shape::convex_hull) continue;
    SCOPED_TRACE(name_of(body));
    body.position.x = 1.0 + body.body().bounds().upper.x - 0.01;
    const auto found = step.manifolds(body);
    ASSERT_FALSE(found.empty());
    for (const auto& manifold : found) expect_near(manifold[0].normal, {1.0, 0.0, 0.0}, 1e-6);
    EXPECT_NEAR(found[0][0].depth, 0.01, 1e-6);
  }
}

TEST(MeshContact, HasTwoSidesOfAThinPlate) {
  const OnMesh plate(box_mesh({2.0, 2.0, 0.001}, 3));
  for (const double side : {1.0, -1.0}) {
    const auto bodies = resting_bodies({0.1, 0.2, side * (0.501 - 0.02)});
    for (std::size_t k = 0; k + 1 < bodies.size(); ++k) {
      SCOPED_TRACE(name_of(bodies[k]));
      const auto found = plate.manifolds(bodies[k]);
      expect_one(found, side * kUp, 0.02, kRestingPoints[k]);
    }
  }
  // A middle in the plate: the nearer side.
  const auto inside = plate.manifolds(ball(0.3, {0.1, 0.2, 0.0004}));
  expect_one(inside, kUp, 0.3 + 0.001 - 0.0004, 1);
}

TEST(MeshContact, IsPushedOutOfASolidThatHoldsAllOfIt) {
  const OnMesh cube(box_mesh({4.0, 4.0, 4.0}, 5));
  for (const OneBody& body : resting_bodies({0.2, -0.3, 2.0})) {
    SCOPED_TRACE(name_of(body));
    const auto found = cube.manifolds(body);
    ASSERT_EQ(found.size(), 1u);
    expect_near(found[0][0].normal, kUp, 1e-9);
    // To the middle of the hull's volume, along the normal to where the body ends.
    const double under = body.body().interval_on_line(body.body().middle(), kUp)->lo;
    EXPECT_NEAR(found[0][0].point.z, body.position.z + body.body().middle().z + under, 1e-9);
    EXPECT_NEAR(found[0][0].point.z + found[0][0].depth, 4.0, 1e-6);
  }
  // The middle is in it, a part is not.
  const auto half_out = cube.manifolds(block({0.5, 0.5, 3.0}, {0.0, 0.0, 3.0}));
  ASSERT_FALSE(half_out.empty());
  expect_near(half_out[0][0].normal, kUp, 1e-9);
  EXPECT_NEAR(half_out[0][0].depth, 4.0, 1e-6);
  // Beside it, and in the hollow of a solid whose hull holds it.
  EXPECT_TRUE(cube.manifolds(ball(0.5, {0.0, 0.0, 5.0})).empty());
}

TEST(MeshContact, EndsAtTheBordersOfASheet) {
  const OnMesh triangle(loose({{{{0.0, 0.0, 0.0}, {2.0, 0.0, 0.0}, {0.0, 2.0, 0.0}}}}));
  // Beyond the border at 45 degrees, level with it, and past it by more than the radius.
  expect_one(triangle.manifolds(ball(0.5, {1.0, -0.3, 0.3})), {0.0, -1.0, 1.0}, 0.5 - 0.3 * std::sqrt(2.0), 1);
  expect_one(triangle.manifolds(ball(0.5, {1.0, -0.3, -0.3})), {0.0, -1.0, -1.0}, 0.5 - 0.3 * std::sqrt(2.0), 1);
  expect_one(triangle.manifolds(ball(0.5, {1.0, -0.4, 0.0})), {0.0, -1.0, 0.0}, 0.1, 1);
  expect_one(triangle.manifolds(ball(0.5, {-0.3, -0.3, 0.1})), {-3.0, -3.0, 1.0}, 0.5 - std::sqrt(0.19), 1);
  EXPECT_TRUE(triangle.manifolds(ball(0.5, {1.0, -0.6, 0.0})).empty());
  // A box that hangs over it.
  const auto found = triangle.manifolds(block({0.5, 0.5, 0.5}, {1.0, -0.3, 0.48}));
  expect_one(found, kUp, 0.02, 4);
  double least = 1.0;
  for (const MeshContact& c : found[0]) least = std::min(least, c.point.y);
  EXPECT_NEAR(least, 0.0, 1e-9);
}

// A triangle pierced by bodies that have no corner near it, and that holds none of theirs.
TEST(MeshContact, FindsWhatHasNeitherCornerNorVertexInside) {
  const OnMesh triangle(loose({{{{-3.0, -3.0, 0.0}, {3.0, -3.0, 0.0}, {0.0, 4.0, 0.0}}}}));
  for (const OneBody& body :
       {block({0.1, 0.1, 2.0}, {0.0, 0.0, 0.7}), drum(0.1, 2.0, {0.0, 0.0, 0.7}), pill(0.1, 2.0, {0.0, 0.0, 0.7})}) {
    SCOPED_TRACE(name_of(body));
    const auto found = triangle.manifolds(body);
    ASSERT_FALSE(found.empty());
    EXPECT_TRUE(has(found, kUp, body.shape == Shape::capsule ? 1.4 : 1.3));
  }
  // A long plank over the middle of a needle, 1,000:1.
  const OnMesh needle(loose({{{{-5.0, -0.005, 0.0}, {5.0, -0.005, 0.0}, {0.0, 0.005, 0.0}}}}));
  for (OneBody body : resting_bodies({0.1, 0.0, 0.49})) {
    SCOPED_TRACE(name_of(body));
    const auto found = needle.manifolds(body);
    ASSERT_FALSE(found.empty());
    EXPECT_TRUE(has(found, kUp, 0.01)) << found[0][0].normal.z << " " << found[0][0].depth;
  }
}

// A corner, or a point of a rim, within the margin straight over a ridge: no side of the body has more than that point
// of the edge, so that rounding alone says whether a side, two sides' edge or both have it. One of them does.
TEST(MeshContact, HasACornerThatStandsOverARidge) {
  const OnMesh ridge(loose({{{{0.0, -4.0, 0.0}, {0.0, 4.0, 0.0}, {-3.0, 0.0, -1.5}}},
                            {{{0.0, 4.0, 0.0}, {0.0, -4.0, 0.0}, {3.0, 0.0, -1.0}}}}));
  std::mt19937 random(1);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  const auto corners = resting_bodies({0.0, 0.0, 0.0}).back();
  for (std::size_t k = 0; k < 600; ++k) {
    const Quaternion turned = turn({any(random), any(random), any(random)}, 3.0 * any(random));
    OneBody body = k % 3 == 0 ? block({0.3, 0.2, 0.25}, {0.0, 0.0, 0.0}, turned)
                              : (k % 3 == 1 ? corners : drum(0.3, 0.2, {0.0, 0.0, 0.0}, turned));
    body.orientation = turned;
    const double turn_of_normal = 0.3 * any(random), gap = 0.025 * (1.001 + any(random));
    const dvec3 m(std::sin(turn_of_normal), 0.0, std::cos(turn_of_normal));
    body.position = dvec3(0.0, any(random), 0.0) + gap * m - body.body().support(-m);
    SCOPED_TRACE(std::string(name_of(body)) + " " + std::to_string(k));
    const auto found = ridge.manifolds(body, 0.06);
    EXPECT_TRUE(has(found, m, -gap)) << to_text(found);
  }
}

// Half of a floor is one triangle pair, the other has a vertex in the middle of the side that both share.
TEST(MeshContact, DoesNotFeelATJoint) {
  std::vector<std::array<MeshPoint, 3>> floor;
  add_square(floor, {-2.0, 0.0, 0.0}, {2.0, 0.0, 0.0}, {0.0, 2.0, 0.0});
  add_square(floor, {2.0, 1.0, 0.0}, {2.0, 0.0, 0.0}, {0.0, 1.0, 0.0});
  add_square(floor, {2.0, -1.0, 0.0}, {2.0, 0.0, 0.0}, {0.0, 1.0, 0.0});
  const OnMesh mesh(loose(floor));
  for (const double y : {0.0, 0.2, -0.5}) {
    const auto bodies = resting_bodies({0.0, y, 0.49});
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      SCOPED_TRACE(name_of(bodies[k]));
      expect_one(mesh.manifolds(bodies[k]), kUp, 0.01, kRestingPoints[k]);
    }
  }
}

// The same body and mesh as two bodies of a scene, in either order.
TEST(MeshContact, ExchangedBodiesExchangeTheContact) {
  Mesh sheet = flat_sheet(4, 1.0);
  for (std::size_t t = 0; t < sheet.triangles.size(); ++t) sheet.material.push_back(static_cast<std::uint8_t>(t + 1));
  const auto collide = [&](bool mesh_first) {
    BodyScene scene({});
    const auto add_mesh = [&] { scene.add({Shape::triangle_mesh, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}); };
    scene.scene.meshes.push_back(sheet);
    if (mesh_first) add_mesh();
    scene.add(ball(0.5, {2.25, 1.25, 0.4}));
    if (!mesh_first) add_mesh();
    return scene.collide();
  };
  for (const bool mesh_first : {false, true}) {
    const FrameContacts found = collide(mesh_first);
    ASSERT_EQ(found.contacts.size(), 1u);
    EXPECT_EQ(found.pairs, 1u);
    EXPECT_EQ(found.body_pairs, 1u);
    const Contact& c = found.contacts[0];
    EXPECT_EQ(c.body_a, 0u);
    EXPECT_EQ(c.body_b, 1u);
    EXPECT_FLOAT_EQ(c.normal[2], mesh_first ? -1.0F : 1.0F);
    EXPECT_NEAR(c.depth, 0.1, 1e-6);
    EXPECT_NEAR(c.point[2], mesh_first ? 0.0 : -0.1, 1e-6);
    EXPECT_EQ(c.element, 12u);  // row 1, column 2, its first
    EXPECT_EQ(c.material, 13);
  }
}

// Its middle before the sheet, its side nearest to the border from behind: it is pushed off along that.
TEST(MeshContact, LeansPastTheBorderOfASheet) {
  OnMesh sheet(flat_sheet(1, 4.0));
  sheet.position = {-2.0, -2.0, 0.0};
  const double lean = 0.35;
  const Quaternion leaning{std::cos(0.5 * lean), 0.0, std::sin(0.5 * lean), 0.0};
  const dvec3 m(std::cos(lean), 0.0, -std::sin(lean)), up(std::sin(lean), 0.0, std::cos(lean));
  for (const double depth : {-0.01, 0.01}) {
    const dvec3 at = dvec3(2.0, 0.1, 0.0) + (0.2 - depth) * m + 0.6 * up;
    for (const OneBody& body :
         {block({0.2, 0.3, 1.0}, at, leaning), drum(0.2, 1.0, at, leaning), pill(0.2, 1.0, at, leaning)}) {
      SCOPED_TRACE(name_of(body));
      const auto found = sheet.manifolds(body, 0.05);
      SCOPED_TRACE(to_text(found));
      EXPECT_TRUE(has(found, m, depth));
      if (depth < 0.0) {
        EXPECT_EQ(found.size(), 1u);
      }
    }
  }
}

// A line through the end of a valley's part that grazes a cylinder: rounding of that end moves the end of the line by
// far more than itself. From the end itself it is 0.14 mm long, from 0.02 mm farther in 3.46 mm.
TEST(MeshContact, TheDepthOfAGrazingLineIsUncertain) {
  OnMesh valley(loose({{{{-0.34000045776367216, -0.16, -0.28413098536621106},
                         {-0.34000045776367216, 0.32, -0.28413098536621106},
                         {-0.34000045776367216, 0.32, -0.2641309853662111}}},
                       {{{-0.34000045776367216, 0.32, -0.28413098536621106},
                         {-0.34000045776367216, -0.16, -0.28413098536621106},
                         {-0.26, 0.1, -0.28413098536621106}}}}));
  const OneBody cylinder =
      drum(0.26542124715144416, 0.37210713935648587, {}, {-0.62086125, -0.55311586, -0.40532212, -0.37987909});
  const auto found = valley.all(cylinder).contacts;
  const auto grazing = std::find_if(found.begin(), found.end(), [](const MeshContact& c) {
    return c.kind == reference::ContactKind::edge && c.normal.x > 0.999 && c.point.y < 0.1;
  });
  ASSERT_NE(grazing, found.end());
  EXPECT_NEAR(grazing->depth, 3.46e-3, 1e-5);
  EXPECT_GT(grazing->depth_uncertainty, 1e-3);
}

}  // namespace
}  // namespace oclide::test
