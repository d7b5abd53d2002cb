// What a body turns to another one along a normal: a point, a line or a face (docs/body_contacts.md, "Manifold").
#pragma once

#include <cstdint>
#include <vector>

#include "reference/body.hpp"

namespace oclide::reference {

enum class TurnedKind { point, line, face };

/// The feature that a body turns to the other: numbers of corners, edges and faces are those of its own frame.
struct Turned {
  TurnedKind kind = TurnedKind::point;
  std::vector<dvec3> corners{};  // the point; both ends of the line; the corners of the face in order [m]
  dvec3 normal{0.0};             // of a face: outward
  bool rounded = false;          // the line is a capsule's axis: its surface is where the capsule begins
  bool endless = false;          // the face of a half space; corners[0] is any of its points
  double disc_radius = 0.0;      // of a round face, around the mean of its corners [m]
  std::uint32_t number = 0;
};

/// d is within an angle of the normal of one of the body's faces; of a hull, of the one that it turns to another face.
[[nodiscard]] bool turns_flat_face(const Body& body, dvec3 d, double flat_angle);

/// Toward a flat face: a face, a line or a point.
[[nodiscard]] Turned turned_to_face(const Body& body, dvec3 centre, dvec3 d);

/// Where no flat face takes part: a line or a point.
[[nodiscard]] Turned turned_to_edge(const Body& body, dvec3 centre, dvec3 d, double flat_angle);

}  // namespace oclide::reference
