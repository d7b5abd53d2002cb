// Pairs of a round body, which is first, and a convex hull.
#pragma once

#include <string>
#include <vector>

#include "hulls/point_clouds.hpp"
#include "narrow_phase/pair_geometry.hpp"

namespace oclide::test {

ConvexHull hull_of(const Points& points);

/// A hull and its name.
struct NamedHull {
  std::string name;
  ConvexHull hull;
};

/// Of about a metre, with 4 to 2,000 vertices: solids of few faces, round ones, slivers, needles, one off its centre.
const std::vector<NamedHull>& some_hulls();

/// `count` poses from deep inside each other to a little apart: along faces, edges and vertices of the hull and along
/// nothing; the first body's axis anyhow, or along or across a face or an edge, but for a small tilt.
std::vector<BodyPair> round_hull_pairs(const BodySpec& round, const ConvexHull& hull, std::size_t count,
                                       std::uint64_t seed);

/// The least overlap [m]: exact for spheres and capsules; of a cylinder by search, and an upper bound.
double least_hull_overlap(const BodyPair& pair);

/// holds() for `count` poses at two margins, twice with the same bits; at least a sixth of them touch. Where a kernel's
/// normal shows that the overlap is less than the search found, it is that.
void fuzz_round_hull(const BodySpec& round, const NamedHull& hull, std::size_t count, double tolerance);

/// A hull of the box's corners has the box's contacts, within `tolerance`: as many, each near one of the box's.
void expect_contacts_of_box(const BodySpec& round, dvec3 half_extents, std::size_t count, double tolerance);

}  // namespace oclide::test
