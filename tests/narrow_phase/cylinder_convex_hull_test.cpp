// Cylinder against convex hull: closed forms, and poses of many hulls against the reference's search, which proves how
// far it is off.
#include "narrow_phase/round_hull_pairs.hpp"

namespace oclide::test {
namespace {

class CylinderConvexHull : public PairTest {};

TEST_F(CylinderConvexHull, UprightOnAFaceTouchesWithItsBase) {
  expect_deepest(on_slab(cylinder(0.3, 0.4, {0.1, 0.2, 0.89})), {0, 0, 1}, 0.01, 4);
}

TEST_F(CylinderConvexHull, LyingOnAFaceHasTheTwoEndsOfItsLine) {
  expect_contacts(on_slab(cylinder(0.2, 0.4, {0.1, 0.2, 0.69}, kAlongX)),
                  {{{-0.3, 0.2, 0.49}, {0, 0, 1}, 0.01}, {{0.5, 0.2, 0.49}, {0, 0, 1}, 0.01}});
}

TEST_F(CylinderConvexHull, LeaningOnAFaceTouchesWithItsRim) {
  const double tilt = 0.5, down = 0.4 * std::cos(tilt) + 0.2 * std::sin(tilt);
  const double aside = 0.4 * std::sin(tilt) - 0.2 * std::cos(tilt);
  const std::vector<Contact> found =
      contacts_of(on_slab(cylinder(0.2, 0.4, {0, 0, 0.49 + down}, turn({0, 1, 0}, tilt))));
  EXPECT_TRUE(contain(found, {{{-aside, 0, 0.49}, {0, 0, 1}, 0.01}}));
}

TEST_F(CylinderConvexHull, AlongAnEdgeHasTwo) {
  const dvec3 n = glm::normalize(dvec3(1, 0, 1)), off = n * 0.01;
  expect_contacts(on_slab(cylinder(0.2, 0.4, dvec3(1, 0.2, 0.5) + n * 0.19, turn({1, 0, 0}, kQuarter))),
                  {{dvec3(1, -0.2, 0.5) - off, n, 0.01}, {dvec3(1, 0.6, 0.5) - off, n, 0.01}});
}

TEST_F(CylinderConvexHull, AcrossAnEdgeHasOne) {
  const dvec3 n = glm::normalize(dvec3(1, 0, 1)), on_edge(1, 0.3, 0.5);
  expect_contacts(on_slab(cylinder(0.2, 0.4, on_edge + n * 0.19, turn({0, 1, 0}, 1.5 * kQuarter))),
                  {{on_edge - n * 0.01, n, 0.01}});
}

TEST_F(CylinderConvexHull, VertexTouchesTheSide) {
  const dvec3 n = glm::normalize(dvec3(1, 1, 2)), vertex(1, 1, 0.5);
  expect_contacts(on_slab(cylinder(0.3, 2.0, vertex + n * 0.29, turn({1, 1, 0}, kQuarter))),
                  {{vertex - n * 0.01, n, 0.01}});
}

TEST_F(CylinderConvexHull, RimIsAtItsDistanceFromAVertex) {
  // The rim's nearest point is off the vertex by (0.1, 0.1, 0.2).
  const double aside = 1.0 + 0.3 / std::sqrt(2.0) + 0.1;
  const BodyPair pair = on_slab(cylinder(0.3, 0.5, {aside, aside, 1.2}));
  const dvec3 gap(0.1, 0.1, 0.2);
  EXPECT_TRUE(contacts_of(pair).empty());
  expect_deepest(pair, glm::normalize(gap), -glm::length(gap), 1, 0.5);
}

// The axis leans from n along the edge, so that the rim crosses the edge.
TEST_F(CylinderConvexHull, RimAcrossAnEdgeTouchesIt) {
  const dvec3 n = glm::normalize(dvec3(1, 0, 1)), along(0, 1, 0), on_edge(1, 0.1, 0.5);
  const double r = 0.2, h = 0.4, lean = 0.5;
  const dvec3 axis = n * std::cos(lean) + along * std::sin(lean);
  const dvec3 toward = glm::normalize(n - axis * glm::dot(n, axis));
  const dvec3 turned = glm::cross(dvec3(0, 0, 1), axis);
  const dvec3 centre = on_edge - n * 0.01 + axis * h + toward * r;
  expect_contacts(on_slab(cylinder(r, h, centre, turn(turned, std::acos(axis.z)))), {{on_edge - n * 0.01, n, 0.01}});
}

TEST_F(CylinderConvexHull, NestedLeavesByTheNearestSide) {
  const ConvexHull hull = hull_of(grid_on_box({1, 2, 3}, 2));
  expect_deepest({cylinder(0.1, 0.2, {0.3, 0.1, 0}), convex_hull(hull, {0, 0, 0})}, {1, 0, 0}, 0.8, 2);
}

TEST_F(CylinderConvexHull, OnePositionHasAFiniteAnswer) {
  for (const dquat turned : {kUpright, kAlongX, turn({1, 0, 0}, 1e-5)}) {
    const std::vector<Contact> found = contacts_of(on_slab(cylinder(0.2, 0.2, {0, 0, 0}, turned)));
    ASSERT_FALSE(found.empty());
    EXPECT_NEAR(static_cast<double>(found.front().depth), 0.7, 1e-4);
    EXPECT_NEAR(glm::length(normal_of(found.front())), 1.0, 1e-6);
  }
}

TEST_F(CylinderConvexHull, TouchesExactlyAndApart) {
  const BodyPair pair = on_slab(cylinder(0.25, 0.5, {0.125, 0.25, 0.75}, kAlongX));
  EXPECT_TRUE(contacts_of(pair).empty());
  expect_contacts(pair, {{{-0.375, 0.25, 0.5}, {0, 0, 1}, 0.0}, {{0.625, 0.25, 0.5}, {0, 0, 1}, 0.0}}, 0.02);
}

TEST_F(CylinderConvexHull, HoldsForAllHulls) {
  for (const NamedHull& hull : some_hulls())
    for (const BodySpec& round : {cylinder(0.2, 0.3, {}), cylinder(0.5, 0.05, {}), cylinder(0.05, 2.0, {})})
      fuzz_round_hull(round, hull, hull.hull.vertices.size() > 1000 ? 12 : 200, kContract);
}

TEST_F(CylinderConvexHull, HoldsForAllSizes) {
  fuzz_round_hull(cylinder(0.05, 0.1, {}), {"tiny on huge", larger(some_hulls()[7].hull, 90.0)}, 300, kContract);
  fuzz_round_hull(cylinder(0.1, 40.0, {}), {"long on huge", larger(some_hulls()[7].hull, 90.0)}, 300, kContract);
  fuzz_round_hull(cylinder(40.0, 0.1, {}), {"disc on huge", larger(some_hulls()[7].hull, 90.0)}, 300, kContract);
  fuzz_round_hull(cylinder(20.0, 30.0, {}), some_hulls()[7], 300, kContract);
}

TEST_F(CylinderConvexHull, BoxOfCornersHasTheContactsOfABox) {
  expect_contacts_of_box(cylinder(0.2, 0.4, {}), {0.5, 0.4, 0.3}, 800, kClosedForm);
}

// Beside each other all along, for n is off by what is as good as equal: lines that cross beyond both ends have these.
TEST_F(CylinderConvexHull, SideBesideAnEdgeHasBothEndsThoughTheLinesCrossBeyond) {
  const ConvexHull hull =
      hull_of({{-0.0716319978, 0.0276995488, -0.516829967},  {-0.0716319978, 0.0276995488, 0.533517122},
               {-0.0586046018, -0.0503261946, -0.52428031},  {-0.0586046018, -0.0503261946, 0.52606672},
               {-0.058211349, -0.0362485833, 0.560747445},   {-0.0555250049, 0.00164350076, 0.578860521},
               {-0.054986544, -0.0240856148, -0.573798478},  {-0.0519434251, 0.018471146, 0.579291165},
               {-0.0399435684, 0.0513138957, -0.566879869},  {-0.0360157974, 0.0568180867, -0.563154995},
               {-0.0360157974, 0.0568180867, 0.487192065},   {-0.0311936047, -0.0616198406, -0.559785306},
               {-0.0311936047, -0.0616198406, 0.490561724},  {-0.0234095268, 0.0448103063, -0.583586335},
               {-0.0019127687, 0.0674699619, 0.562752366},   {0.00526322424, -0.0562751219, -0.577836931},
               {0.00701245898, -0.0231511127, -0.598541617}, {0.00744230626, 0.060316775, -0.572865486},
               {0.00791204814, 0.0443820991, -0.587908268},  {0.00875783712, 0.0763378069, -0.517182112},
               {0.00875783712, 0.0763378069, 0.533164918},   {0.0109062307, -0.0541726686, -0.579158723},
               {0.0191742312, 0.00979373697, 0.599365532},   {0.0258084219, -0.0339053497, 0.589612424},
               {0.0266509317, 0.014822619, 0.596152663},     {0.028045306, 0.0687842071, -0.503955185},
               {0.028045306, 0.0687842071, 0.546391845},     {0.0393557474, 0.021566581, 0.588054597},
               {0.0510144979, -0.046825517, 0.55942136},     {0.0533737876, -0.0550383441, -0.534662604},
               {0.0533737876, -0.0550383441, 0.515684426},   {0.0558217056, 0.033005923, -0.567156494},
               {0.0617439039, -0.0418678448, -0.545243323},  {0.0617439039, -0.0418678448, 0.505103707},
               {0.0620345734, 0.0353900269, -0.554623127},   {0.0663592443, 0.03875627, -0.533074558},
               {0.0663592443, 0.03875627, 0.517272532},      {0.0672697574, 0.0361730009, -0.536763012},
               {0.0672697574, 0.0361730009, 0.513584018},    {0.070449397, 0.0160373691, -0.497829258},
               {0.070449397, 0.0160373691, 0.552517772}});
  const BodyPair pair{cylinder(4.6550159454345703, 3.6409351825714111, {},
                               {0.24471808982157947, 0.69292767337155348, 0.26105849027277794, 0.62594948729626831}),
                      convex_hull(hull, {0.64645293642362955, -2.1977444844937146, -4.2616215135531696},
                                  {0.24471544820372601, 0.69292504495452145, 0.26106190326516021, 0.6259520062662921})};
  const std::vector<Contact> found = contacts_of(pair, 0.02);
  EXPECT_TRUE(holds(pair, found, 0.02, kContract, 0.01335666956));
  ASSERT_GE(found.size(), 2U) << text(found);
  double widest = 0.0;
  for (const Contact& c : found) widest = std::max(widest, glm::distance(point_of(c), point_of(found[0])));
  EXPECT_GT(widest, 1.04) << text(found);
}

// A needle that lies across a base and beyond its rim: what is deepest is there, and the needle's end over the base has
// the same two features.
TEST_F(CylinderConvexHull, NeedleAcrossABaseHasFeaturesOfTheirOwn) {
  const ConvexHull hull = hull_of({{-0.0244319644, -0.00258391956, -3.55427814},
                                   {-0.0204850603, 0.00163023756, -5.28271532},
                                   {-0.0191415846, 0.00315070618, -3.78058839},
                                   {-0.019097114, 0.000232854698, 1.92113984},
                                   {-0.0150855901, 0.00374287367, -2.37830162},
                                   {-0.00142226857, 0.00455589266, 1.80723369},
                                   {0.00379012991, 0.000147984072, 1.92781746},
                                   {0.00792632438, -0.0025224241, -4.99890232},
                                   {0.0176685974, -0.00352732441, -0.627901912},
                                   {0.0193994176, 0.000967886532, -5.21596289},
                                   {0.0343220085, -0.00166340917, -0.252883404}});
  const BodyPair pair{
      cylinder(0.55114185810089111, 0.46983084082603455, {},
               {0.86522145498473868, 0.28792072463016505, 0.124078464021742, 0.39127742706235707}),
      convex_hull(hull, {1.4442006597683563, 1.7312109774822373, -0.50631456743311731},
                  {0.030972419635237343, 0.44297160828714433, 0.5463283107193363, 0.71017057132775929})};
  const std::vector<Contact> found = contacts_of(pair);
  EXPECT_TRUE(holds(pair, found, 0.0, kContract, 0.007951588968));  // features among the rest
  EXPECT_GE(found.size(), 3U) << text(found);
}

}  // namespace
}  // namespace oclide::test
