// Which contacts of a body and a mesh stay: docs/mesh_contacts.md.
#pragma once

#include "reference/narrow_phase/mesh_contact.hpp"

namespace oclide::reference {

/// A contact asks the body to move along its normal by its depth. What is left of another contact, or rest, when the
/// body has done so [m]: 0 where it has left the place.
[[nodiscard]] double left_over(const Body& body, const GroundContact& by, const GroundContact& other);

/// `by`, which is deeper than 0, clears the other. `forgiven`: how much more may be left [m].
[[nodiscard]] bool clears(const Body& body, const GroundContact& by, const MeshContact& other, double forgiven = 0.0);

/// How deep at least what is as deep as something of this depth is [m].
[[nodiscard]] double as_deep_as(double depth);

/// Of two parts, by their deepest contacts: the first may take the place of the second if it clears it.
[[nodiscard]] bool is_shallower_aside(const GroundContact& first, const GroundContact& second);

/// Manifolds by their deepest contact, a rest last; of all contacts those that are held. `mesh_axes`: columns.
[[nodiscard]] std::vector<std::vector<MeshContact>> mesh_manifolds(const Body& body, const dmat3& mesh_axes,
                                                                   const MeshContacts& all);

}  // namespace oclide::reference
