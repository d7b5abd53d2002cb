// From all contacts of a body to manifolds of at most four points.
#pragma once

#include "reference/narrow_phase/ground_contact.hpp"
#include "reference/narrow_phase/mesh_contact.hpp"

namespace oclide::reference {

/// Between two vectors, not zero [rad].
[[nodiscard]] double angle_between(dvec3 a, dvec3 b);
/// Contacts of one manifold differ in their normals by no more [rad].
inline constexpr double kSameNormal = 1.4e-3;

/// Manifolds by their deepest contact; in each the contacts in the order of choice. Of contacts that are equal in depth
/// and feature the first comes first. `mesh_axes`: columns, along which what is equal is chosen.
[[nodiscard]] std::vector<std::vector<GroundContact>> reduce_contacts(std::vector<GroundContact> contacts);
[[nodiscard]] std::vector<std::vector<MeshContact>> reduce_contacts(std::vector<MeshContact> contacts,
                                                                    const dmat3& mesh_axes);

}  // namespace oclide::reference
