// What the ground's features are called (docs/terrain_contacts.md, "What a contact is called"): by the faces that
// elements make, and not by the cell that a place happens to be in.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "oclide/oclide.hpp"

namespace oclide::reference {

/// The faces of one terrain, found by walking from element to element over flat edges. Borrows the terrain, whose
/// heights must stay as they are.
class GroundFaces {
 public:
  explicit GroundFaces(const Terrain& terrain);
  /// Of a ground whose tiles have changed: what is called by places of the lattice is called as it was, and a face has
  /// the name that most of its elements had. Its first cell is so many rows and columns from that of `before`, whose
  /// terrain need not be there any more.
  GroundFaces(const Terrain& terrain, const GroundFaces& before, std::int64_t rows, std::int64_t cols);

  /// The name of an element, edge or vertex, given by its id (Element::id, Edge::id, Vertex::id): that of the face it
  /// is in, of the ridge it is part of, or its own.
  [[nodiscard]] std::uint32_t name(std::uint32_t id) const;
  /// The name of the wall under a border edge: that of the grid's line, and of the side that is free.
  [[nodiscard]] std::uint32_t wall_name(std::uint32_t edge_id) const;

 private:
  /// An element by itself is called by its id; a face of several by the id of its first one and this.
  static constexpr std::uint32_t kSeveral = 6;

  [[nodiscard]] std::uint32_t number(std::int64_t row, std::int64_t col) const {
    return static_cast<std::uint32_t>((row + row_) * in_row_ + col + col_);
  }
  void find(const GroundFaces* before);
  void walk(std::uint32_t first, const GroundFaces* before);
  // What an element had for a name that is here in this row and column; none where it was a face by itself.
  [[nodiscard]] std::optional<std::uint32_t> had(std::int64_t row, std::int64_t col, std::uint32_t element) const;
  [[nodiscard]] std::uint32_t of_element(std::int64_t row, std::int64_t col, int k) const;
  [[nodiscard]] std::uint32_t of_edge(std::int64_t row, std::int64_t col, int k) const;
  [[nodiscard]] std::uint32_t of_vertex(std::int64_t row, std::int64_t col) const;

  const Terrain* terrain_;
  std::int64_t cols_;                // vertices
  std::int64_t row_ = 0, col_ = 0;   // of its first vertex on a lattice that stays
  std::int64_t in_row_;              // numbers of a row there
  std::vector<std::uint32_t> face_;  // of each element, two a cell
};

}  // namespace oclide::reference
