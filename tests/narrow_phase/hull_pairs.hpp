// Pairs of convex hulls, boxes and half spaces.
#pragma once

#include <string>
#include <vector>

#include "hulls/point_clouds.hpp"
#include "narrow_phase/pair_geometry.hpp"

namespace oclide::test {

/// The hull of these points, which lives as long as the program.
const ConvexHull& lasting_hull(const Points& points);
/// That of a box's corners; a prism that stands on its base, its corner 0 along x.
const ConvexHull& box_hull(dvec3 half_extents);
const ConvexHull& prism_hull(int sides, double radius, double half_length);

/// A body of each, at one place: a hull of these points, or a box.
BodySpec hull_at_rest(const Points& points);

/// The least overlap of boxes and hulls by the reference [m].
double exact_overlap(const BodyPair& pair);

/// `count` poses of two bodies, of which the second may be a half space, from deep inside each other to a little apart:
/// along nothing, or a face of one against a face of the other but for a small tilt.
std::vector<BodyPair> hull_pairs(const BodySpec& first, const BodySpec& second, std::size_t count, std::uint64_t seed);

/// holds() for these poses, without and with a margin, twice with the same bits.
void fuzz_hulls(const std::string& name, const BodySpec& first, const BodySpec& second, std::size_t count);

/// The area that up to four points span, seen along n [m^2].
double area_of(const std::vector<Contact>& contacts);

/// Boxes as hulls, the second or both, have the contacts of boxes: as many, as deep, with as large an area, and mostly
/// the same points.
void expect_contacts_of_boxes(const std::vector<BodyPair>& boxes, double margin, double tolerance);

}  // namespace oclide::test
