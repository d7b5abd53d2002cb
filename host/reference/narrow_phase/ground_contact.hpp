// What the kinds of contact of docs/terrain_contacts.md have in common: a contact with the conditions that it holds by.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "reference/terrain_surface.hpp"

namespace oclide::reference {

// How close to its limit a condition may be for single precision to decide it the other way.
inline constexpr double kLengthSlack = 2e-5;     // [m]
inline constexpr double kPlanSlack = 1e-7;       // [m], seen from above: a step of single precision near a body
inline constexpr double kDirectionSlack = 1e-4;  // of sines, cosines and components of unit vectors

/// Points nearer to each other are one [m].
inline constexpr double kSamePoint = 1e-5;
/// A point this little outside of the ground is in it [m].
inline constexpr double kInGround = 5e-5;
/// A way that leaves the ground by no more than this grazes it, and may be found to stay in it [m].
inline constexpr double kGrazing = 5e-4;
/// Only deeper contacts have a way that is looked at [m].
inline constexpr double kShortWay = 1e-3;

/// A face is level with an element up to this angle [rad]; the angle within which rounding decides is kDirectionSlack.
inline constexpr double kLevel = 1e-6;
/// A normal is in the arc of an edge, or in the cone of a vertex, up to this sine: a body at rest trembles.
inline constexpr double kInNormalCone = 1e-5;
/// A side of a body looks along a direction within 45 degrees where the cosine is at least this.
inline const double kHalfRightAngle = std::sqrt(0.5);
/// One looks at an edge of the ground within 44 degrees: a box that stands on an edge has its sides at 45.
inline constexpr double kLooksAtEdge = 0.7193398;

/// What a way out of the body, this deep along a unit vector, is compared by: of those that are as long but for
/// rounding the body's axes choose.
inline constexpr double kMostLeaning = 1e-4;  // difference that it makes [m]
[[nodiscard]] inline double leaning_depth(const Body& body, double depth, dvec3 m) {
  return depth - 4e-5 * glm::dot(m * body.axes, dvec3(1.0, 0.618, 0.382));
}

/// All conditions of one contact, each as a number that is >= 0 where it is met.
class Conditions {
 public:
  void length(double metres) { worst_ = std::min(worst_, metres / kLengthSlack); }
  void direction(double sine) { worst_ = std::min(worst_, sine / kDirectionSlack); }
  void within(double value, double slack) { worst_ = std::min(worst_, value / slack); }
  void also(const Conditions& other) { worst_ = std::min(worst_, other.worst_); }
  void also_either(const Conditions& a, const Conditions& b) {
    worst_ = std::min(worst_, std::max(a.worst_, b.worst_));
  }
  void or_else(const Conditions& other) { worst_ = std::max(worst_, other.worst_); }
  /// Rounding may decide the contact either way.
  void may_fail() { worst_ = std::min(worst_, 0.0); }
  void may_hold() { worst_ = std::min(worst_, -0.5); }
  void flag(bool met) {
    if (!met) worst_ = -std::numeric_limits<double>::infinity();
  }

  [[nodiscard]] bool held() const { return worst_ >= 0.0; }      ///< all are met
  [[nodiscard]] bool possible() const { return worst_ > -1.0; }  ///< none fails by as much as its slack
  [[nodiscard]] bool certain() const { return worst_ >= 1.0; }   ///< all are met by at least their slack

 private:
  double worst_ = std::numeric_limits<double>::infinity();
};

/// The kinds of contact; values are first numbers of the body features of each.
enum class ContactKind : std::uint32_t {
  rounded_point = 0,  // + index of the rounded point, up to 8
  rim = 16,           // + RimPoint::index
  edge = 32,          // + sides of the body on an edge of the ground
  vertex = 64,        // + index of the way out
  wall = 96,          // + index of the point
  lift = 128,
};
[[nodiscard]] const char* to_string(ContactKind kind);

/// A contact before reduction, relative to the body's centre.
struct GroundContact {
  dvec3 point{0.0};    // P, on the body [m]
  dvec3 normal{0.0};   // unit, from the ground toward the body
  double depth = 0.0;  // [m]
  ContactKind kind = ContactKind::rounded_point;
  std::uint32_t index = 0;    // of the body's feature within its kind
  std::uint32_t ground = 0;   // id of the ground's feature
  std::uint32_t feature = 0;  // of both features; set by the search
  std::uint8_t material = 0;
  bool held = true;                 // it is a contact
  bool optional = false;            // single precision may decide otherwise
  double normal_uncertainty = 0.0;  // how far rounding of lengths by kLengthSlack can turn the normal [rad]
  double depth_uncertainty = 0.0;   // and the depth, where that is by more than the slack itself [m]
};

/// Number of what touches of the body.
[[nodiscard]] std::uint32_t body_part(const GroundContact& contact, Shape shape);
/// An id of two numbers; equal features give equal ids from frame to frame.
[[nodiscard]] std::uint32_t joined_feature(std::uint32_t ground, std::uint32_t part);

/// Whether a contact's point and its way out must be in the ground.
enum class WayOutRule { in_ground, free };

/// The foot on an element of a contact that does not hold.
struct LostFoot {
  dvec3 position;
  std::uint32_t element;
  std::uint8_t material;
  Conditions conditions;  // that it is a foot, and lost
};

/// Collects the contacts of one body.
struct ContactSearch {
  const Body& body;
  const TerrainSurface& ground;
  double margin;  // contacts deeper than -margin count [m]
  std::vector<GroundContact> contacts;
  std::vector<LostFoot> lost_feet;

  /// Adds a contact whose conditions are met or nearly met; those on its depth and on its way out are looked at here.
  /// Returns all of them together.
  Conditions add(GroundContact contact, Conditions conditions, WayOutRule rule = WayOutRule::in_ground);
  /// The same for the foot of a contact on an element, given the conditions that it is one; `surface`: that it is on
  /// the element itself, not in the plane beyond a flat edge of it.
  void add_foot(const GroundContact& contact, const Conditions& foot, const Conditions& surface,
                const Conditions& others);
  /// A point X straight under an element, whose nearest surface point is in a cell beyond the range, is a contact with
  /// it: kind and index are those of `contact`, `radius` that of X. P is X - radius m.
  void add_nearest_beyond(const GroundContact& contact, dvec3 x, double radius, Conditions conditions);
  /// The same, given the nearest surface point.
  void add_beyond(GroundContact contact, const SurfacePoint& nearest, dvec3 x, double radius, Conditions conditions);
  /// The condition that a segment, or a point, has a part under the body's bounding rectangle, without the margin.
  [[nodiscard]] Conditions under_body(dvec3 a, dvec3 b) const;
  /// An edge or vertex of a cell under the body, but not under it itself, may be left to the nearest points beyond.
  void prefer_under_body(Conditions& conditions, dvec3 a, dvec3 b) const;
  /// The condition that P, and the way from it along the normal, is in the ground.
  void require_way_in_ground(Conditions& conditions, const GroundContact& contact) const;
  /// The condition that the place a hundredth of a cell past Q is free.
  void require_free_past(Conditions& conditions, dvec3 q, dvec3 m) const;
  /// The condition that a point X below the surface, which takes Q for its way out, stands in solid ground and has no
  /// nearer way out.
  void require_below(Conditions& conditions, dvec3 x, double distance) const;
  /// The condition that Q, in the plane of an element and maybe beyond its outline, is near the surface.
  void require_near_surface(Conditions& conditions, const Element& e, dvec3 q) const;
};

/// How far from an element's sides rounding decides whether a foot is in it [m]: on a steep one a step seen from above
/// is a long one along it.
[[nodiscard]] double foot_slack(const Element& e);

/// The condition that X - r m, of an end of a capsule, is on the capsule's surface; met by other shapes.
void require_on_capsule(Conditions& conditions, const Body& body, const RoundedPoint& x, dvec3 m);

// Kinds of contact, one function each; the numbers are those of docs/terrain_contacts.md.

void add_rounded_points(ContactSearch& search);  // kind 1
void add_rims(ContactSearch& search);            // kind 2
void add_walls(ContactSearch& search);           // kind 5
void add_lift(ContactSearch& search);            // kind 6

/// A point P of kind 2 for a plane, with what it must meet to take part.
struct RimPoint {
  dvec3 point;
  std::uint32_t index;  // of a cylinder: 4 for the base at +v, + 0: A1 or A2, 1: B1, 2, 3: D1; of a capsule: its end
  Conditions conditions;
  double uncertainty;  // how far rounding may move it along the rim [m]
};
/// A1, A2, B1 and both D1 of a cylinder for a plane with normal n, A2 of a capsule; `along` is a direction in the
/// plane, used where the axis is parallel to n.
[[nodiscard]] std::vector<RimPoint> rim_points(const Body& body, dvec3 n, dvec3 along);

// Shapes.
void sphere_terrain(ContactSearch& search);
void box_terrain(ContactSearch& search);
void cylinder_terrain(ContactSearch& search);
void capsule_terrain(ContactSearch& search);
void convex_hull_terrain(ContactSearch& search);

/// All contacts of one body, held or nearly held.
[[nodiscard]] std::vector<GroundContact> ground_contacts(const Body& body, const TerrainSurface& ground, double margin);

}  // namespace oclide::reference
