// From all contacts of a body to manifolds of at most four points.
#pragma once

#include "reference/narrow_phase/ground_contact.hpp"

namespace oclide::reference {

/// Manifolds by their deepest contact; in each the contacts in the order of choice, the deepest first.
[[nodiscard]] std::vector<std::vector<GroundContact>> reduce_contacts(std::vector<GroundContact> contacts);

}  // namespace oclide::reference
