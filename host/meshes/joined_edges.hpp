// Which triangles are neighbours.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "meshes/triangle_soup.hpp"

namespace oclide {

/// MeshTriangle::neighbours of each triangle of the soup. Turns triangles of a sheet over, so that neighbours agree.
/// Throws Error(invalid_input) for a solid that has a border, or neighbours that do not agree.
[[nodiscard]] std::vector<std::array<std::uint32_t, 3>> join_edges(TriangleSoup& soup, bool solid,
                                                                   const std::string& name);

}  // namespace oclide
