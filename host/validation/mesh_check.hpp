// The contacts of a convex body and a triangle mesh against docs/mesh_contacts.md: exact geometry for each, the
// reference for all.
#pragma once

#include "validation/pair_check.hpp"

namespace oclide::validation {

/// As check_pair(), of two bodies one of which is a mesh.
void check_mesh_pair(const reference::Body& a, const reference::Body& b, reference::dvec3 c, bool meet,
                     std::span<const DeviceContact> device, double margin, const std::string& where,
                     ValidationReport& report);

}  // namespace oclide::validation
