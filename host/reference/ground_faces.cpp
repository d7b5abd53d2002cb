#include "reference/ground_faces.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "reference/terrain_surface.hpp"

namespace oclide::reference {
namespace {

constexpr std::uint32_t kUnknown = 0xFFFFFFFFu;
constexpr std::uint32_t kFree = 0xFFFFFFFEu;  // beside a border edge

struct GridIndex {
  std::int64_t row, col;
  int k;  // of an element or an edge
};

TerrainView view_of(const Terrain& t) {
  return {t, dvec3(0.0)};
}

// The element across side 0 (along x), 1 (along y) or 2 (the diagonal) of an element.
GridIndex next_across(const Terrain& t, const GridIndex& e, int side) {
  const TerrainView view = view_of(t);
  if (side == 0) return {e.row + (e.k == 0 ? -1 : 1), e.col, 1 - e.k};
  if (side == 2) return {e.row, e.col, 1 - e.k};
  if (e.k == view.left_element(e.row, e.col)) return {e.row, e.col - 1, 1 - view.left_element(e.row, e.col - 1)};
  return {e.row, e.col + 1, view.left_element(e.row, e.col + 1)};
}

// The elements beside an edge of a site.
std::array<GridIndex, 2> beside(const Terrain& t, const GridIndex& edge) {
  const GridIndex own{edge.row, edge.col, edge.k == 1 ? view_of(t).left_element(edge.row, edge.col) : 0};
  return {own, next_across(t, own, edge.k)};
}

bool is_solid(const Terrain& t, std::int64_t row, std::int64_t col) {
  return view_of(t).solid(row, col);
}

// A normal of an element, of any length.
dvec3 normal_of(const Terrain& t, const GridIndex& e) {
  const auto cols = static_cast<std::int64_t>(t.cols);
  auto height = [&](std::int64_t row, std::int64_t col) {
    return t.heights[static_cast<std::size_t>(row * cols + col)];
  };
  const double along_x = height(e.row + e.k, e.col + 1) - height(e.row + e.k, e.col);
  const std::int64_t col = e.k == view_of(t).left_element(e.row, e.col) ? e.col : e.col + 1;
  const double along_y = height(e.row + 1, col) - height(e.row, col);
  return {-along_x / t.spacing[0], -along_y / t.spacing[1], 1.0};
}

bool make_one_plane(dvec3 n1, dvec3 n2) {
  return glm::length(glm::cross(n1, n2)) <= kFlatSine * glm::length(n1) * glm::length(n2);
}

std::uint32_t mixed(std::initializer_list<std::uint32_t> parts) {
  std::uint32_t h = 2166136261u;
  for (const std::uint32_t part : parts) {
    h = (h ^ part) * 0x9E3779B1u;
    h ^= h >> 15;
  }
  return h;
}

}  // namespace

GroundFaces::GroundFaces(const Terrain& terrain)
    : terrain_(&terrain), cols_(static_cast<std::int64_t>(terrain.cols)), in_row_(cols_) {
  find(nullptr);
}

GroundFaces::GroundFaces(const Terrain& terrain, const GroundFaces& before, std::int64_t rows, std::int64_t cols)
    : terrain_(&terrain),
      cols_(static_cast<std::int64_t>(terrain.cols)),
      row_(before.row_ + rows),
      col_(before.col_ + cols),
      in_row_(before.in_row_) {
  // A wider grid than ever has other numbers, where cells with one number would be near each other.
  constexpr std::int64_t kApart = 128;
  if (cols_ > in_row_ && in_row_ < kApart) in_row_ = std::max<std::int64_t>(cols_, std::int64_t{1} << 16);
  find(&before);
}

void GroundFaces::find(const GroundFaces* before) {
  face_.assign(2 * (terrain_->rows - 1) * (terrain_->cols - 1), kUnknown);
  for (std::uint32_t e = 0; e < face_.size(); ++e)
    if (face_[e] == kUnknown) walk(e, before);
}

std::optional<std::uint32_t> GroundFaces::had(std::int64_t row, std::int64_t col, std::uint32_t element) const {
  const std::int64_t i = row - row_, j = col - col_, cells = cols_ - 1;
  if (i < 0 || j < 0 || j >= cells || 2 * (i * cells + j) >= static_cast<std::int64_t>(face_.size())) return {};
  const std::uint32_t face = face_[static_cast<std::size_t>(2 * (i * cells + j) + element)];
  if (face == kUnknown || face % 8 < kSeveral) return {};
  return face;
}

// All elements that flat edges lead to from the first one get its name, or the one that most of them had.
void GroundFaces::walk(std::uint32_t first, const GroundFaces* before) {
  const std::int64_t cells = cols_ - 1;
  auto index_of = [&](std::uint32_t e) { return GridIndex{e / 2 / cells, e / 2 % cells, static_cast<int>(e % 2)}; };
  const GridIndex start = index_of(first);
  if (!is_solid(*terrain_, start.row, start.col)) return;
  const std::uint32_t id = 8 * number(start.row, start.col) + first % 2;
  std::vector<std::uint32_t> face{first};
  face_[first] = id + kSeveral;
  std::vector<std::uint32_t> edge_of_face{first};
  bool alone = true;
  while (!edge_of_face.empty()) {
    const GridIndex e = index_of(edge_of_face.back());
    edge_of_face.pop_back();
    const dvec3 n = normal_of(*terrain_, e);
    for (int side = 0; side < 3; ++side) {
      const GridIndex next = next_across(*terrain_, e, side);
      if (!is_solid(*terrain_, next.row, next.col) || !make_one_plane(n, normal_of(*terrain_, next))) continue;
      alone = false;
      const auto number = static_cast<std::uint32_t>(2 * (next.row * cells + next.col) + next.k);
      if (face_[number] != kUnknown) continue;
      face_[number] = id + kSeveral;
      face.push_back(number);
      edge_of_face.push_back(number);
    }
  }
  if (alone) face_[first] = id;
  if (alone || before == nullptr) return;
  std::map<std::uint32_t, std::size_t> names;
  for (const std::uint32_t e : face) {
    const GridIndex at = index_of(e);
    if (const std::optional<std::uint32_t> name = before->had(at.row + row_, at.col + col_, e % 2)) ++names[*name];
  }
  if (names.empty()) return;
  const std::uint32_t kept =
      std::max_element(names.begin(), names.end(), [](auto& a, auto& b) { return a.second < b.second; })->first;
  for (const std::uint32_t e : face) face_[e] = kept;
}

std::uint32_t GroundFaces::of_element(std::int64_t row, std::int64_t col, int k) const {
  if (!is_solid(*terrain_, row, col)) return kFree;
  return face_[static_cast<std::size_t>(2 * (row * (cols_ - 1) + col) + k)];
}

std::uint32_t GroundFaces::of_edge(std::int64_t row, std::int64_t col, int k) const {
  const auto [own, other] = beside(*terrain_, {row, col, k});
  const std::uint32_t left = of_element(own.row, own.col, own.k), right = of_element(other.row, other.col, other.k);
  auto is_alone = [](std::uint32_t face) { return face != kFree && face % 8 < kSeveral; };
  if (is_alone(left) || is_alone(right)) return 8 * number(row, col) + 2 + static_cast<std::uint32_t>(k);
  if (left == right) return left;
  // A diagonal that rises is along another line than one that falls.
  const int along = k == 2 && view_of(*terrain_).rises(row, col) ? 3 : k;
  const std::int64_t i = row + row_, j = col + col_;
  const std::int64_t line = std::array{i, j, i + j, i - j}[static_cast<std::size_t>(along)];
  return mixed({left, right, static_cast<std::uint32_t>(along), static_cast<std::uint32_t>(line)});
}

std::uint32_t GroundFaces::of_vertex(std::int64_t row, std::int64_t col) const {
  const auto rows = static_cast<std::int64_t>(terrain_->rows);
  // Edges along x, along y, along diagonals that fall and along those that rise on either side of the vertex.
  const std::array<std::array<GridIndex, 2>, 4> lines = {{{{{row, col, 0}, {row, col - 1, 0}}},
                                                          {{{row, col, 1}, {row - 1, col, 1}}},
                                                          {{{row, col - 1, 2}, {row - 1, col, 2}}},
                                                          {{{row, col, 2}, {row - 1, col - 1, 2}}}}};
  auto ridge = [&](const GridIndex& edge) -> std::optional<std::uint32_t> {
    if (edge.row < 0 || edge.col < 0 || edge.row + (edge.k == 0 ? 0 : 1) >= rows ||
        edge.col + (edge.k == 1 ? 0 : 1) >= cols_)
      return std::nullopt;
    const bool is_on_rising_line = (edge.row - row) == (edge.col - col);
    if (edge.k == 2 && view_of(*terrain_).rises(edge.row, edge.col) != is_on_rising_line) return std::nullopt;
    const auto [own, other] = beside(*terrain_, edge);
    const std::uint32_t left = of_element(own.row, own.col, own.k), right = of_element(other.row, other.col, other.k);
    if (left == right) return std::nullopt;  // in a face, or nothing is there
    return of_edge(edge.row, edge.col, edge.k);
  };
  for (const auto& [on, back] : lines) {
    const std::optional<std::uint32_t> a = ridge(on), b = ridge(back);
    if (a && b && *a == *b) return *a;
  }
  return 8 * number(row, col) + 5;
}

std::uint32_t GroundFaces::name(std::uint32_t id) const {
  const std::int64_t row = id / 8 / cols_, col = id / 8 % cols_;
  const int part = static_cast<int>(id % 8);
  if (part < 2) return of_element(row, col, part);
  return part < 5 ? of_edge(row, col, part - 2) : of_vertex(row, col);
}

std::uint32_t GroundFaces::wall_name(std::uint32_t edge_id) const {
  const std::int64_t row = edge_id / 8 / cols_, col = edge_id / 8 % cols_;
  const bool along_x = edge_id % 8 == 2;
  return mixed({static_cast<std::uint32_t>(along_x ? row + row_ : col + col_), along_x ? 1u : 2u,
                is_solid(*terrain_, row, col) ? 1u : 2u});
}

}  // namespace oclide::reference
