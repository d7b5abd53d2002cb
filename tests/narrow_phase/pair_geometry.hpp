// Two bodies in double, by other means than the kernels: support functions, surfaces, the least overlap by search.
// What a pair's contacts must be by docs/body_contacts.md, checked one by one.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "support/contacts.hpp"
#include "support/on_each_device.hpp"
#include "support/pair_runner.hpp"

namespace oclide::test {

/// Of a body in the world, unit; k of 0 to 2.
inline dvec3 axis_of(const BodySpec& body, int k) {
  dvec3 e(0.0);
  e[k] = 1.0;
  return glm::normalize(body.orientation) * e;
}

/// Turns of a body's z axis to z, y and x.
inline const std::array<dquat, 3> kAlongAxes{kUpright, turn({1, 0, 0}, glm::radians(90.0)),
                                             turn({0, 1, 0}, glm::radians(90.0))};
/// These turned about the body's z axis and then about the world's, by none, one and more halves of a right angle.
std::vector<dquat> turns_in_line();

/// Where a convex function has its least value from -1 to 1, to 1e-12.
double place_of_least(const std::function<double(double)>& convex);
/// Cosines and sines of as many turns that go once around.
std::vector<dvec2> points_of_circle(int count);
/// As many unit vectors, evenly over the sphere. Made once; of one thread alone.
const std::vector<dvec3>& even_directions(int count);

/// How far a body reaches from its centre along the unit vector n [m]; 0 for a half space.
double reach(const BodySpec& body, dvec3 n);
/// Of a point from the body's surface, negative inside [m].
double distance_to(const BodySpec& body, dvec3 point);
/// How far A must move along the unit vector n until the plane between separates it from B [m].
double overlap_along(const BodyPair& pair, dvec3 n);

/// The least overlap over all directions [m]. Of half spaces, which have one direction, of a sphere as A and of two
/// capsules in closed form. Of others an upper bound that is met within 1e-6 of the size: directions are searched,
/// special ones, a thousand more, descent from the best. Where the bodies are apart the nearest points of the two
/// solids add theirs.
double least_overlap(const BodyPair& pair);

/// What every pair's contacts must fulfil, within `tolerance` [m]: reported where and only where the least overlap
/// exceeds -margin (`least`, where it is known); the deepest first with the least overlap; unit normal, one for all,
/// that overlaps no more; P where A begins along the normal and Q where B ends, within `off_surface` [m], `tolerance`
/// where it is 0; at most four, each of a feature of its own and no nearer to another than contacts that are one.
testing::AssertionResult holds(const BodyPair& pair, const std::vector<Contact>& found, double margin, double tolerance,
                               double least, double off_surface = 0.0);
inline testing::AssertionResult holds(const BodyPair& pair, const std::vector<Contact>& found, double margin,
                                      double tolerance) {
  return holds(pair, found, margin, tolerance, least_overlap(pair));
}

/// Contacts on the OpenCL device.
std::vector<std::vector<Contact>> contacts_of(const std::vector<BodyPair>& pairs, double margin = 0.0);
std::vector<Contact> contacts_of(const BodyPair& pair, double margin = 0.0);

/// The pair moved as one: turned about the origin, then shifted.
BodyPair moved(const BodyPair& pair, dquat rotation, dvec3 shift);
/// Contacts moved likewise.
std::vector<ExpectedContact> moved(const std::vector<ExpectedContact>& contacts, dquat rotation, dvec3 shift);

/// The pair's contacts are these, both ways; so they are 10 km from the origin and turned, by an orientation that is
/// drawn at random from `seed`.
void expect_contacts(const BodyPair& pair, const std::vector<ExpectedContact>& expected, double margin = 0.0,
                     double tolerance = kClosedForm);
/// Only normal and depth of the deepest, everything else by holds().
void expect_deepest(const BodyPair& pair, dvec3 normal, double depth, std::size_t count, double margin = 0.0,
                    double tolerance = kClosedForm);

/// Sizes of a body that is named, for fuzz tests [m].
struct SizeCase {
  std::string name;
  std::array<double, 3> first, second;
};

/// `count` poses of the two shapes, from far inside to a little apart: random, or with axes that are parallel,
/// perpendicular or nearly so.
std::vector<BodyPair> random_pairs(Shape first, Shape second, const SizeCase& sizes, std::size_t count,
                                   std::uint64_t seed);

/// holds() for 500 poses of each size, without and with a margin; at least a sixth of them touch.
void fuzz(Shape first, Shape second, const std::vector<SizeCase>& sizes);

/// The kernels of these nine pairs need a device.
class PairTest : public OnOpenCl {};

}  // namespace oclide::test
