// What two bodies turn to each other along a normal, and where they meet there: docs/body_contacts.md, "Manifold".
//
//        +-------+
//        |   A   |        ^ n, from B toward A
//     +--|---Q---|--+     |
//     |  +---P---+  |     The chord on a line along n runs from where A begins (P) to where B ends (Q). Seen along n, a
//     |      B      |     place is two numbers: its coordinates across n.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/narrow_phase/body_pair.hpp"

namespace oclide::reference {

/// Within this of the normal of a face, the face takes part; within this of a right angle to n, a line does [rad].
inline constexpr double kFlatAngle = 1e-3;
/// Lines at a smaller angle run beside each other [rad].
inline constexpr double kParallelAngle = 0.02;
/// Contacts nearer to each other are one, seen along n [m].
inline constexpr double kSameContact = 1e-5;
/// A disc is seen as this many chords where it meets another face.
inline constexpr int kDiscSides = 64;

enum class MeetingKind { point, line, patch };

struct MeetingPoint {
  dvec2 across;           // seen along n, from A's centre [m]
  dvec3 point;            // on A's surface [m]
  double depth;           // length of the chord [m]
  std::uint32_t feature;  // as PairContact::feature
};

/// Where bodies meet along a normal: one point, the two ends of a stretch, or the corners of a convex patch in order.
struct Meeting {
  MeetingKind kind = MeetingKind::point;
  bool parallel = false;             // of a stretch: perpendicular to n; of a patch: between parallel faces
  std::vector<MeetingPoint> points;  // empty where nothing is deeper than -margin
};

/// With `inward` > 0, only what rounding of that size cannot undo [m]: ends and borders are moved in, chords must be
/// deeper than inward - margin. `part`: of the limits of angles, to which these are held.
[[nodiscard]] Meeting meeting_along(const Body& a, const Body& b, dvec3 c, dvec3 n, double margin, double inward = 0.0,
                                    double part = 1.0);

/// The contacts that stand for the meeting along n: at most four, the deepest first.
[[nodiscard]] std::vector<PairContact> pair_manifold(const Body& a, const Body& b, dvec3 c, dvec3 n, double margin);

/// The largest area that four of the corners of a convex polygon span, and these corners in order, all where there are
/// fewer; one of them is `with` unless that is negative.
struct FourCorners {
  double area = 0.0;  // [m^2]
  std::vector<std::size_t> corners;
};
[[nodiscard]] FourCorners largest_four(const std::vector<MeetingPoint>& polygon, int with = -1);

/// Two directions across n.
struct Across {
  dvec3 u, w;
  [[nodiscard]] dvec2 operator()(dvec3 p) const { return {glm::dot(p, u), glm::dot(p, w)}; }
};
[[nodiscard]] Across across(dvec3 n);

}  // namespace oclide::reference
