// Pairs of a round body, which is first, and a convex hull.
#pragma once

#include <string>
#include <vector>

#include "hulls/point_clouds.hpp"
#include "narrow_phase/pair_geometry.hpp"

namespace oclide::test {

ConvexHull hull_of(const Points& points);
/// The hull of its vertices times `scale`.
ConvexHull larger(const ConvexHull& hull, double scale);

/// A round body and the hull of a box at the origin, half extents 1, 1, 0.5.
BodyPair on_slab(const BodySpec& round);

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

/// The least overlap [m]: of spheres and capsules by their cores; of a cylinder the reference's, or -0.1 where less.
double least_hull_overlap(const BodyPair& pair);

/// holds() for `count` poses at two margins, twice with the same bits; at least an eighth of them touch.
void fuzz_round_hull(const BodySpec& round, const NamedHull& hull, std::size_t count, double tolerance);

/// A hull of the box's corners has the box's depth and a normal as good, within `tolerance`, and where the normal is
/// the same mostly the same contacts: not where an angle or a depth is just at what decides, or several choices of four
/// points are as good.
void expect_contacts_of_box(const BodySpec& round, dvec3 half_extents, std::size_t count, double tolerance);

}  // namespace oclide::test
