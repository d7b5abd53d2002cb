// The contacts of a body with terrain against docs/terrain_contacts.md: exact geometry for each, the reference for all.
#pragma once

#include "reference/terrain_surface.hpp"
#include "validation/pair_check.hpp"

namespace oclide::validation {

/// Checks all contacts that a device has for a body with terrain, or their absence. Counts and errors go to `report`,
/// the lines of its examples begin with `where`.
void check_ground(const reference::Body& body, const reference::TerrainSurface& ground,
                  const std::vector<DeviceContact>& device, double margin, const std::string& where,
                  ValidationReport& report);

}  // namespace oclide::validation
