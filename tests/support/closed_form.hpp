// Contacts of bodies with a plane by formula: docs/terrain_contacts.md with a single element without end.
#pragma once

#include <vector>

#include "support/scene.hpp"

namespace oclide::test {

struct ExpectedContact {
  dvec3 point;
  dvec3 normal;
  double depth;
};

/// The solid below z = z0 + gx x + gy y.
struct Plane {
  double gx = 0.0, gy = 0.0, z0 = 0.0;

  [[nodiscard]] dvec3 normal() const { return glm::normalize(dvec3(-gx, -gy, 1.0)); }
  /// Of a point above the plane; negative below.
  [[nodiscard]] double distance(dvec3 p) const { return (p.z - (z0 + gx * p.x + gy * p.y)) * normal().z; }
};

/// All contacts before reduction, those of negative depth left out.
std::vector<ExpectedContact> plane_contacts(const BodySpec& body, const Plane& plane);

}  // namespace oclide::test
