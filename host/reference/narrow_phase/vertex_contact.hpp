// Kind 4: a vertex of the ground inside the body.
#pragma once

#include "reference/narrow_phase/ground_contact.hpp"

namespace oclide::reference {

/// A vertex of the ground straight off a side may be this far beside it [m].
inline constexpr double kOffSide = 1e-5;

/// One way in which the body can move off a vertex: by `depth` along m.
struct WayOut {
  dvec3 m;
  double depth;
  Conditions conditions;   // that the vertex is in the body but for this side
  double uncertainty;      // of m [rad]
  std::uint32_t side = 0;  // of the body, that the vertex leaves by
};

/// Of a capsule, what it has at z along its axis: 0 its side, 1 and 2 an end, where that is at the same point.
[[nodiscard]] std::uint32_t capsule_side(const Body& capsule, double z);

// Of a point in the body, or straight off one of its sides.
[[nodiscard]] std::vector<WayOut> box_ways_out(const Body& box, dvec3 at);
[[nodiscard]] std::vector<WayOut> cylinder_ways_out(const Body& cylinder, dvec3 at);
/// The shortest, and those that rounding may take for it; none where all faces are farther away than `apart`.
[[nodiscard]] std::vector<WayOut> convex_hull_ways_out(const Body& hull, dvec3 at, double apart);

/// The condition that a way is shorter than another; ways out of the body lean.
void require_shortest(Conditions& conditions, const Body& body, const WayOut& way, const WayOut& other);

/// Adds the shortest of the ways, if its m is in the vertex's normal cone.
void add_shortest_way_out(ContactSearch& search, const Vertex& vertex, const std::vector<WayOut>& ways);

}  // namespace oclide::reference
