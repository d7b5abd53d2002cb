// Bodies on triangle meshes, kinds 1 to 4 before reduction: results known by hand. docs/mesh_contacts.md.
#include "narrow_phase/mesh_bodies.hpp"

namespace oclide::test {
namespace {

class MeshContacts : public OnOpenCl {};

const TriangleMesh& floor() {
  static const TriangleMesh mesh = built(placed(flat_sheet(1, 4.0), {-2, -2, 0}));
  return mesh;
}
const TriangleMesh& block() {
  static const TriangleMesh mesh = built(box_mesh({2, 2, 2}));
  return mesh;
}

// The points of one_of_each() on a level face, their depth 0.1; a capsule that stands has its lower end alone.
std::vector<std::vector<ExpectedContact>> standing(dvec3 at, double depth) {
  const dvec3 up(0, 0, 1), low = at - dvec3(0, 0, 0.5);
  const auto around = [&](std::vector<dvec3> offsets) {
    std::vector<ExpectedContact> contacts;
    for (const dvec3 offset : offsets) contacts.push_back({low + offset, up, depth});
    return contacts;
  };
  const std::vector<dvec3> corners{{0.4, 0.3, 0}, {-0.4, 0.3, 0}, {0.4, -0.3, 0}, {-0.4, -0.3, 0}};
  std::vector<std::vector<ExpectedContact>> all{around({{0, 0, 0}}), around(corners),
                                                around({{0.4, 0, 0}, {-0.4, 0, 0}, {0, 0.4, 0}, {0, -0.4, 0}}),
                                                around({{0, 0, 0}}), around(corners)};
  return all;
}

TEST_F(MeshContacts, StandsOnTwoTrianglesAsOnOneFace) {
  for (const TriangleMesh* mesh : {&floor(), &block()}) {
    const double top = mesh == &block() ? 2.0 : 0.0;
    for (const dvec3 aside : {dvec3(0.0), dvec3(0.7, 0.2, 0), dvec3(0.1, -0.1, 0)}) {
      const auto bodies = one_of_each(aside + dvec3(0, 0, top + 0.4));
      const auto expected = standing(bodies.front().position, 0.1);
      for (std::size_t k = 0; k < bodies.size(); ++k) {
        const auto found = on_mesh(*mesh, bodies[k]);
        // What is over the diagonal is on both, and called the same.
        std::vector<Contact> different;
        for (const Contact& c : that_are(found, false))
          if (std::none_of(different.begin(), different.end(),
                           [&](const Contact& d) { return d.feature == c.feature; }))
            different.push_back(c);
        EXPECT_TRUE(contain(different, expected[k])) << to_string(bodies[k].shape);
        if (bodies[k].shape != Shape::cylinder) {
          EXPECT_TRUE(same_contacts(different, expected[k])) << to_string(bodies[k].shape);
        }
        for (const Contact& rest : that_are(found, true)) {
          EXPECT_EQ(normal_of(rest), dvec3(0, 0, 1)) << to_string(bodies[k].shape);
          EXPECT_LE(rest.depth, 0.1 + 1e-5) << to_string(bodies[k].shape);
        }
      }
    }
  }
}

TEST_F(MeshContacts, TouchingExactlyIsNoneAndTheMarginReachesAcrossAGap) {
  const auto bodies = one_of_each({0.7, 0.2, 0.5}), apart = one_of_each({0.7, 0.2, 0.53});
  const auto expected = standing(apart.front().position, -0.03);
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    EXPECT_TRUE(on_mesh(floor(), bodies[k]).empty());
    EXPECT_TRUE(on_mesh(floor(), apart[k], 0.02).empty());
    EXPECT_TRUE(contain(that_are(on_mesh(floor(), apart[k], 0.04), false), expected[k]));
  }
}

TEST_F(MeshContacts, ASheetHoldsFromBothSides) {
  const auto below = one_of_each({0.7, 0.2, -0.4});
  for (const BodySpec& body : below) {
    const auto found = that_are(on_mesh(floor(), body), false);
    ASSERT_FALSE(found.empty()) << to_string(body.shape);
    for (const Contact& c : found) {
      EXPECT_EQ(normal_of(c), dvec3(0, 0, -1)) << to_string(body.shape);
      EXPECT_NEAR(c.depth, 0.1, kClosedForm);
    }
  }
}

// On the border of a sheet, from beside it.
TEST_F(MeshContacts, TheBorderOfASheetPushesAside) {
  for (const double side : {1.0, -1.0}) {
    EXPECT_TRUE(same_contacts(that_are(on_mesh(floor(), sphere(0.5, {2.3, 0.1, 0.3 * side})), false),
                              {{dvec3(2.3, 0.1, 0.3 * side) - 0.5 * dvec3(1, 0, side) / std::sqrt(2.0),
                                dvec3(1, 0, side) / std::sqrt(2.0), 0.5 - 0.3 * std::sqrt(2.0)}}));
    // A box that stands beside the sheet is pushed off it along the shorter way, sideways.
    const auto found = that_are(on_mesh(floor(), box({0.4, 0.3, 0.5}, {2.35, 0.1, 0.05 * side})), false);
    EXPECT_TRUE(contain(found, {{{1.95, 0.4, 0}, {1, 0, 0}, 0.05}, {{1.95, -0.2, 0}, {1, 0, 0}, 0.05}})) << side;
  }
  // A capsule that lies across it, whichever way its axis goes: on the border too.
  const double r = 0.2;
  for (const double side : {1.0, -1.0})
    for (const double at : {1.0, -1.0})
      for (const double way : {1.0, -1.0})
        EXPECT_TRUE(contain(
            that_are(on_mesh(floor(), capsule(r, 0.6, {1.8 * at, 0.1, 0.15 * side}, turn({0, 1, 0}, way * kQuarter))),
                     false),
            {{{1.2 * at, 0.1, -0.05 * side}, {0, 0, side}, 0.05}, {{2.0 * at, 0.1, -0.05 * side}, {0, 0, side}, 0.05}}))
            << side << at << way;
}

// A body whose middle is before a sheet leans out over its border: what of it is nearest is behind the sheet's plane.
TEST_F(MeshContacts, LeaningPastABorderPushesOffIt) {
  const dquat leaning = turn({0, 1, 0}, 0.35);
  const dvec3 m = leaning * dvec3(1, 0, 0), up = leaning * dvec3(0, 0, 1), on_border(2, 0.1, 0);
  for (const double depth : {-0.01, 0.01}) {
    const dvec3 at = on_border + (0.2 - depth) * m + 0.6 * up, on_body = on_border - depth * m;
    for (const BodySpec& body : {cylinder(0.2, 1.0, at, leaning), capsule(0.2, 1.0, at, leaning)})
      EXPECT_TRUE(contain(that_are(on_mesh(floor(), body, 0.05), false), {{on_body, m, depth}}))
          << to_string(body.shape) << depth;
    for (const BodySpec& body :
         {box({0.2, 0.3, 1.0}, at, leaning), convex_hull(box_hull({0.2, 0.3, 1.0}), at, leaning)})
      EXPECT_TRUE(contain(that_are(on_mesh(floor(), body, 0.05), false),
                          {{on_body + dvec3(0, 0.3, 0), m, depth}, {on_body - dvec3(0, 0.3, 0), m, depth}}))
          << to_string(body.shape) << depth;
  }
}

TEST_F(MeshContacts, BodiesTouchTheEdgeAndTheCornerOfABlock) {
  const dvec3 on_edge = glm::normalize(dvec3(1, 0, 1)), on_corner = glm::normalize(dvec3(1, 1, 1));
  EXPECT_TRUE(same_contacts(that_are(on_mesh(block(), sphere(0.5, dvec3(2, 0.3, 2) + 0.4 * on_edge)), false),
                            {{dvec3(2, 0.3, 2) - 0.1 * on_edge, on_edge, 0.1}}));
  EXPECT_TRUE(same_contacts(that_are(on_mesh(block(), sphere(0.5, dvec3(2, 2, 2) + 0.4 * on_corner)), false),
                            {{dvec3(2, 2, 2) - 0.1 * on_corner, on_corner, 0.1}}));
  // With its edge across the block's, as a cross.
  const dquat tilted = turn({1, 0, 0}, 0.25 * std::numbers::pi);
  for (const bool hull : {false, true}) {
    const dvec3 at = dvec3(2, 0.3, 2) + (0.5 * std::sqrt(2.0) - 0.1) * on_edge;
    const dquat turned = turn({0, 1, 0}, 0.25 * std::numbers::pi) * tilted;
    const BodySpec body = hull ? convex_hull(box_hull({0.5, 0.5, 0.5}), at, turned) : box({0.5, 0.5, 0.5}, at, turned);
    EXPECT_TRUE(contain(that_are(on_mesh(block(), body), false), {{dvec3(2, 0.3, 2) - 0.1 * on_edge, on_edge, 0.1}}));
  }
  // A log that lies across it.
  const dquat across = turn({0, 1, 0}, 0.25 * std::numbers::pi);
  const BodySpec log = cylinder(0.5, 1.0, dvec3(2, 0.3, 2) + 0.4 * on_edge, across * kAlongX);
  EXPECT_TRUE(contain(that_are(on_mesh(block(), log), false), {{dvec3(2, 0.3, 2) - 0.1 * on_edge, on_edge, 0.1}}));
  EXPECT_TRUE(
      contain(that_are(on_mesh(block(), capsule(0.5, 1.0, dvec3(2, 0.3, 2) + 0.4 * on_edge, across * kAlongX)), false),
              {{dvec3(2, 0.3, 2) - 0.1 * on_edge, on_edge, 0.1}}));
  // A box's face on the corner of the block.
  const dquat on_tip = turn(glm::cross(dvec3(0, 0, 1), on_corner), std::acos(on_corner.z));
  for (const BodySpec& body : one_of_each(dvec3(2, 2, 2) + 0.4 * on_corner, on_tip))
    EXPECT_TRUE(contain(that_are(on_mesh(block(), body), false), {{dvec3(2, 2, 2) - 0.1 * on_corner, on_corner, 0.1}}))
        << to_string(body.shape);
}

// The edges of a room are concave: nothing is pushed along their own directions.
TEST_F(MeshContacts, BodiesInTheCornerOfARoomTouchEachWall) {
  Mesh room = box_mesh({2, 2, 2});
  room.solid = false;
  const TriangleMesh mesh = built(room);
  for (const BodySpec& body : one_of_each({1.85, 1.85, 1.55})) {
    std::array<double, 3> deepest_along{};
    for (const Contact& c : that_are(on_mesh(mesh, body), false)) {
      int axis = -1;
      for (int a = 0; a < 3; ++a)
        if (glm::distance(normal_of(c), -dvec3(a == 0, a == 1, a == 2)) < 1e-5) axis = a;
      ASSERT_GE(axis, 0) << text(c);
      double& most = deepest_along[static_cast<std::size_t>(axis)];
      most = std::max(most, static_cast<double>(c.depth));
    }
    for (int a = 0; a < 3; ++a) {
      const dvec3 out(a == 0, a == 1, a == 2);
      EXPECT_NEAR(deepest_along[static_cast<std::size_t>(a)], body.position[a] + reach(body, out) - 2.0, kClosedForm)
          << to_string(body.shape);
    }
  }
}

// A plate of 1 cm: a body on one side is not pushed to the other.
TEST_F(MeshContacts, AThinPlatePushesBackToTheSideOfTheMiddle) {
  const TriangleMesh plate = built(box_mesh({2, 2, 0.005}));
  for (const double side : {1.0, -1.0})
    for (const BodySpec& body : one_of_each({0.7, 0.2, side * 0.3})) {
      const auto found = on_mesh(plate, body);
      ASSERT_FALSE(found.empty());
      for (const MeshContactFound& c : found) {
        EXPECT_NEAR(normal_of(c).z, side, 1e-5) << to_string(body.shape) << text(c);
        EXPECT_NEAR(c.depth, 0.205, kClosedForm) << to_string(body.shape);
      }
    }
}

// A blade of 0.1 degrees, and a needle: both normals of the edge are nearly opposite.
TEST_F(MeshContacts, BodiesTouchTheEdgeOfABladeAndTheTipOfANeedle) {
  const double w = 0.001;
  const dvec3 a0(-2, -w, -1), b0(2, -w, -1), a1(-2, w, -1), b1(2, w, -1), a(-2, 0, 0), b(2, 0, 0);
  const TriangleMesh blade = built(mesh_of(
      {{a0, b0, b}, {a0, b, a}, {b1, a1, a}, {b1, a, b}, {a1, b1, b0}, {a1, b0, a0}, {a0, a, a1}, {b0, b1, b}}, true));
  const dvec3 up(0, 0, 1);
  EXPECT_TRUE(same_contacts(that_are(on_mesh(blade, sphere(0.5, {0.3, 0, 0.4})), false), {{{0.3, 0, -0.1}, up, 0.1}}));
  EXPECT_TRUE(
      contain(that_are(on_mesh(blade, capsule(0.2, 0.3, {0.3, 0, 0.1}, kAlongY)), false), {{{0.3, 0, -0.1}, up, 0.1}}));
  const dquat crossed = turn({0, 0, 1}, 0.3);
  for (const BodySpec& body :
       {box({0.4, 0.3, 0.5}, {0.3, 0, 0.4}, crossed), convex_hull(box_hull({0.4, 0.3, 0.5}), {0.3, 0, 0.4}, crossed)}) {
    const double reach_along = std::min(0.4 / std::cos(0.3), 0.3 / std::sin(0.3));
    EXPECT_TRUE(contain(that_are(on_mesh(blade, body), false),
                        {{{0.3 + reach_along, 0, -0.1}, up, 0.1}, {{0.3 - reach_along, 0, -0.1}, up, 0.1}}))
        << to_string(body.shape);
  }
  EXPECT_TRUE(contain(that_are(on_mesh(blade, cylinder(0.4, 0.5, {0.3, 0, 0.4})), false),
                      {{{0.7, 0, -0.1}, up, 0.1}, {{-0.1, 0, -0.1}, up, 0.1}}));
  const dvec3 tip(0, 0, 0), p(w, 0, -1), q(-w, w, -1), r(-w, -w, -1);
  const TriangleMesh needle = built(mesh_of({{tip, p, q}, {tip, q, r}, {tip, r, p}, {p, r, q}}, true));
  for (const BodySpec& body : one_of_each({0.05, 0.02, 0.4}))
    if (body.shape != Shape::sphere && body.shape != Shape::capsule) {
      EXPECT_TRUE(contain(that_are(on_mesh(needle, body), false), {{{0, 0, -0.1}, up, 0.1}})) << to_string(body.shape);
    }
  EXPECT_TRUE(contain(that_are(on_mesh(needle, sphere(0.5, {0, 0, 0.4})), false), {{{0, 0, -0.1}, up, 0.1}}));
}

// A plank whose top is bent by 20 micrometres: a side of a body that lies across it is nearest to the flat edge between
// both triangles, from which they fall off. Its contacts are at the plank's edges.
TEST_F(MeshContacts, AcrossAFaceThatIsBentABit) {
  for (const bool solid : {true, false}) {
    Mesh plank = box_mesh({0.2, 2.0, 0.1});
    plank.solid = solid;
    for (MeshPoint& p : plank.vertices)
      if (p[2] > 0.0 && p[0] * p[1] > 0.0) p[2] -= 2e-5;
    if (!solid) plank.triangles = {plank.triangles.end() - 2, plank.triangles.end()};  // the top alone
    const TriangleMesh mesh = built(plank);
    for (const double depth : {-0.001, 0.001}) {
      const dvec3 at(0.05, 0.1, 0.4 - depth);
      for (const BodySpec& body :
           {box({1.0, 0.5, 0.3}, at), convex_hull(box_hull({1.0, 0.5, 0.3}), at), cylinder(1.0, 0.3, at),
            cylinder(0.3, 1.0, at, turn({0, 1, 0}, 0.5 * std::acos(-1.0))),
            capsule(0.3, 1.0, at, turn({0, 1, 0}, 0.5 * std::acos(-1.0)))})
        for (const double side : {-0.2, 0.2}) {
          const std::vector<Contact> found = that_are(on_mesh(mesh, body, 0.02), false);
          EXPECT_TRUE(std::any_of(found.begin(), found.end(),
                                  [&](const Contact& c) {
                                    return std::abs(point_of(c).x - side) < 1e-3 && std::abs(c.depth - depth) < 4e-5 &&
                                           normal_of(c).z > 0.9999;
                                  }))
              << to_string(body.shape) << side << " " << depth << solid;
        }
    }
  }
}

// A vertex within micrometres of a capsule's axis: the way off it is across the axis, whatever rounding says.
TEST_F(MeshContacts, AVertexOnTheAxisOfACapsulePushesItOff) {
  std::mt19937_64 random(7);
  for (int k = 0; k < 20; ++k) {
    const BodySpec body = capsule(0.3, 1.5, {0.75, -0.7, -0.6}, random_orientation(random));
    const auto direction = [&] { return random_orientation(random) * dvec3(0, 0, 1); };
    const dvec3 vertex = body.position + body.orientation * dvec3(0, 0, 0.9) + 3e-7 * direction();
    const TriangleMesh mesh = built(mesh_of({{vertex, vertex + 0.1 * direction(), vertex + 0.1 * direction()}}));
    for (const Contact& c : on_mesh(mesh, body)) EXPECT_NEAR(distance_to(body, point_of(c)), 0.0, kContract) << text(c);
  }
}

// Far from the origin of a mesh and on triangles of a kilometre, 1,000 times as long as wide.
TEST_F(MeshContacts, BodiesStandOnLongTrianglesFarOut) {
  const dvec3 far(7000, -4000, 800);
  const TriangleMesh strip =
      built(mesh_of({{far + dvec3(-500, -0.5, 0), far + dvec3(500, -0.5, 0), far + dvec3(500, 0.5, 0)},
                     {far + dvec3(-500, -0.5, 0), far + dvec3(500, 0.5, 0), far + dvec3(-500, 0.5, 0)}}));
  const auto bodies = one_of_each(far + dvec3(110.25, 0.0625, 0.4));
  const auto expected = standing(bodies.front().position, 0.1);
  for (std::size_t k = 0; k < bodies.size(); ++k)
    EXPECT_TRUE(contain(that_are(on_mesh(strip, bodies[k]), false), expected[k])) << to_string(bodies[k].shape);
}

// A spike wholly in the body makes no kind 1 to 3 of its own but at its tip; the rest says how far out it is.
TEST_F(MeshContacts, ARestWhereNoPointNorEdgeTells) {
  // A triangle through the middle of a ball, smaller than it.
  const TriangleMesh small = built(mesh_of({{dvec3(-0.1, -0.1, 0), dvec3(0.1, -0.1, 0), dvec3(0, 0.1, 0)}}));
  for (const BodySpec& body : one_of_each({0.2, 0.0, 0.1})) {
    const auto found = on_mesh(small, body);
    EXPECT_FALSE(found.empty()) << to_string(body.shape);
    for (const Contact& rest : that_are(found, true)) {
      EXPECT_EQ(normal_of(rest), dvec3(0, 0, 1));
      EXPECT_NEAR(point_of(rest).z, -rest.depth, kClosedForm);
      EXPECT_GT(rest.depth, 0.0F);
    }
  }
  // Nothing in the body: nothing to tell.
  EXPECT_TRUE(on_mesh(small, sphere(0.05, {0.3, 0.0, 0.04})).empty());
}

// A roof as a sheet: what stands beside it, behind the plane of its far side, does not know that side, nor its borders.
TEST_F(MeshContacts, TheFarSideOfARoofIsHidden) {
  const dvec3 a(0, -2, 1), b(0, 2, 1), l0(-1, -2, 0), l1(-1, 2, 0), r0(1, -2, 0), r1(1, 2, 0);
  const TriangleMesh roof = built(mesh_of({{a, l1, l0}, {a, b, l1}, {r0, b, a}, {r0, r1, b}}));
  const dvec3 left = glm::normalize(dvec3(-1, 0, 1));
  for (const double y : {0.0, 0.4}) {
    // The middle is before the left side and behind the plane of the right one.
    const BodySpec ball = sphere(0.6, dvec3(-0.5, y, 0.5) + 0.2 * left);
    EXPECT_TRUE(contain(that_are(on_mesh(roof, ball), false), {{ball.position - 0.6 * left, left, 0.4}}));
    for (const Contact& c : on_mesh(roof, ball)) EXPECT_GE(glm::dot(normal_of(c), left), 0.5) << text(c);
  }
  // From below the ridge is concave: both sides push down.
  const auto under = that_are(on_mesh(roof, sphere(0.5, {0, 0, 0.4})), false);
  const dvec3 down_left = glm::normalize(dvec3(-1, 0, -1)), down_right = glm::normalize(dvec3(1, 0, -1));
  const double gap = 0.6 / std::sqrt(2.0);
  EXPECT_TRUE(contain(under, {{dvec3(0, 0, 0.4) - 0.5 * down_left, down_left, 0.5 - gap},
                              {dvec3(0, 0, 0.4) - 0.5 * down_right, down_right, 0.5 - gap}}));
  for (const Contact& c : under) EXPECT_LT(normal_of(c).z, 0.0) << text(c);
}

// A body whose middle is in a solid: the triangles that the nearest place of the surface sees push it there. Where all
// of it is inside no triangle has a say.
TEST_F(MeshContacts, BodiesWithTheirMiddleInASolidArePushedOut) {
  for (const BodySpec& body : one_of_each({0.2, 0.3, 1.7})) {
    const auto found = that_are(on_mesh(block(), body), false);
    for (const Contact& c : found) EXPECT_GT(normal_of(c).z, 0.99) << to_string(body.shape) << text(c);
    EXPECT_NEAR(deepest(found), 0.8, kClosedForm) << to_string(body.shape);
  }
  for (const BodySpec& body : one_of_each({0.2, 0.3, 1.4})) EXPECT_TRUE(on_mesh(block(), body).empty());
}

// A stick that reaches under a sheet, past its border: its end is far behind the plane, and touches nothing.
TEST_F(MeshContacts, AStickAroundABorderTouchesNothing) {
  const dquat leaning = turn({0, 1, 0}, 0.25 * std::numbers::pi);
  const dvec3 at(2.3, 0.1, 0.1);
  for (const BodySpec& body : {box({0.05, 0.05, 0.6}, at, leaning), cylinder(0.05, 0.6, at, leaning),
                               capsule(0.05, 0.55, at, leaning), convex_hull(box_hull({0.05, 0.05, 0.6}), at, leaning)})
    for (const double margin : {0.0, 0.05})
      EXPECT_TRUE(on_mesh(floor(), body, margin).empty()) << to_string(body.shape);
}

// A vertex in the middle of an edge: the two triangles beside it know it as one edge, or as none where it is flat.
TEST_F(MeshContacts, TJointsDoNotShow) {
  const TriangleMesh sheet = built(mesh_of({{dvec3(-2, 0, 0), dvec3(2, 0, 0), dvec3(0, 2, 0)},
                                            {dvec3(0, 0, 0), dvec3(-2, 0, 0), dvec3(-1, -2, 0)},
                                            {dvec3(2, 0, 0), dvec3(0, 0, 0), dvec3(1, -2, 0)}}));
  for (const double x : {-0.3, 0.0, 0.25}) {
    const auto found = that_are(on_mesh(sheet, sphere(0.5, {x, 1e-3, 0.4})), false);
    ASSERT_FALSE(found.empty());
    for (const Contact& c : found) EXPECT_TRUE(matches(c, {{x, 1e-3, -0.1}, {0, 0, 1}, 0.1}, {})) << text(c);
  }
}

}  // namespace
}  // namespace oclide::test
