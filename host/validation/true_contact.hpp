// Whether one contact is true by itself: exact geometry, without the definition of a contact.
#pragma once

#include <string>

#include "reference/terrain_surface.hpp"

namespace oclide::validation {

/// What is wrong with a contact, given relative to the body's centre; empty when nothing is.
[[nodiscard]] std::string what_is_false(const reference::Body& body, const reference::TerrainSurface& ground,
                                        glm::dvec3 point, glm::dvec3 normal, double depth);

}  // namespace oclide::validation
