// Contacts of one body with one terrain: broad phase and narrow phase for one body, in coordinates relative to its
// centre. What the reference collider and the validation both stand on.
#pragma once

#include "reference/contact_reduction/contact_reduction.hpp"
#include "reference/narrow_phase/ground_contact.hpp"
#include "shapes/scene_geometry.hpp"

namespace oclide::reference {

/// The geometry outlives what is returned.
[[nodiscard]] Body body_at(const Bodies& bodies, const Geometry& geometry, const Poses& poses, std::size_t index);
[[nodiscard]] dvec3 centre_of(const Poses& poses, std::size_t index);

/// The contacts that hold.
[[nodiscard]] std::vector<GroundContact> held(const std::vector<GroundContact>& contacts);

}  // namespace oclide::reference
