// The faces of a terrain: elements that are connected by flat edges, which contacts are named by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "oclide/oclide.hpp"

namespace oclide {

/// The table of faces (kernels/shared/abi.h, FACE_*) of rows x cols cells, from their flags CELL_FLAT; empty where no
/// edge is flat. A face is called by its first cell, block by block: equal flags give equal tables.
[[nodiscard]] std::vector<std::uint32_t> ground_faces(std::span<const std::uint8_t> flags, std::size_t rows,
                                                      std::size_t cols);

/// Flags CELL_FLAT of the cells, as the device finds them but for rounding: for plans of memory.
[[nodiscard]] std::vector<std::uint8_t> flat_edges(const Terrain& terrain);

}  // namespace oclide
