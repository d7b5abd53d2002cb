#include "scene/scene_check.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <stdexcept>

#include "scene/body_filters.hpp"
#include "scene/quaternion.hpp"
#include "scene/tiles.hpp"
#include "shapes/shape_list.hpp"
#include "shared/limits.h"
#include "shared/poses.h"
#include "threads/parallel_for.hpp"

namespace oclide {
namespace {

constexpr double kLongest = 1e9;           // of sizes, heights, cells, and of positions of parts in a body [m]
constexpr std::size_t kMostParts = 65536;  // of one compound: Contact::shape_a has 16 bits
constexpr std::size_t kMostBodies = 0x7FFFFFFE;
constexpr std::uint64_t kMostExcludedParts = std::uint64_t{1} << 28;

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorKind::invalid_input, message);
}

std::string at(const std::string& array, std::size_t index) {
  return array + "[" + std::to_string(index) + "]";
}

// Not a number is no height at all.
void check_height(double height, const auto& name) {
  if (std::abs(height) > kLongest) fail(name() + (std::isinf(height) ? " is infinite" : " is beyond 1e9 m"));
}

void check_length(const std::string& array, std::size_t length, std::size_t bodies) {
  if (length != 0 && length != bodies)
    fail(array + " has " + std::to_string(length) + " entries for " + std::to_string(bodies) + " bodies");
}

std::string number_text(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g", number);
  return text.data();
}

// The row of the shape of entry i of `array`/shape.
const ShapeRow& check_shape(const std::string& array, std::size_t i, Shape shape) {
  const ShapeRow* row = find_shape(shape);
  if (row == nullptr)
    fail(at(array + "/shape", i) + " is " + std::to_string(static_cast<unsigned>(shape)) + ", which is no shape");
  if (!is_supported(shape)) fail(at(array + "/shape", i) + ": " + row->words + "s are not supported yet");
  return *row;
}

// How many there are of what a size of this shape is the index of.
std::size_t indexed_by(Shape shape, const IndexedShapes& scene) {
  switch (shape) {
    case Shape::convex_hull:
      return scene.hulls;
    case Shape::compound:
      return scene.compounds;
    case Shape::triangle_mesh:
      return scene.meshes;
    case Shape::sphere:
    case Shape::box:
    case Shape::cylinder:
    case Shape::capsule:
    case Shape::half_space:
      break;
  }
  no_geometry("index", shape);
}

// Shape and size of entry i of `array`/shape and `array`/size.
void check_size(const IndexedShapes& scene, const std::string& array, std::size_t i, Shape shape,
                const std::array<double, 3>& size) {
  const ShapeRow& row = check_shape(array, i, shape);
  switch (row.meaning) {
    case SizeMeaning::lengths:
      for (std::size_t a = 0; a < row.sizes_used(); ++a)
        if (!std::isfinite(size[a]) || size[a] <= 0.0 || size[a] > kLongest)
          fail(at(array + "/size", i) + ": " + row.sizes[a] + " must be positive, finite and at most 1e9 m, got " +
               number_text(size[a]));
      break;
    case SizeMeaning::index: {
      const std::size_t indexed = indexed_by(shape, scene);
      if (!(size[0] >= 0.0 && size[0] < static_cast<double>(indexed)) || size[0] != std::floor(size[0]))
        fail(at(array + "/size", i) + ": index of a " + row.sizes[0] + " must be a whole number below the " +
             std::to_string(indexed) + " that there are, got " + number_text(size[0]));
      break;
    }
    case SizeMeaning::nothing:
      break;
  }
}

// Whether a quaternion of this squared length is an orientation.
bool turns(double length2) {
  return length2 > std::bit_cast<double>(std::uint64_t{LEAST_LENGTH2_BITS}) &&
         length2 <= std::numeric_limits<double>::max();
}

// Flags and excluded pairs of `name`.
void check_filters(const std::string& name, const Bodies& b) {
  for (std::size_t i = 0; i < b.flags.size(); ++i)
    if ((b.flags[i] & ~kBodyFlags) != 0)
      fail(at(name + "/flags", i) + " is " + std::to_string(b.flags[i]) + ", but bits from 8 on have no meaning");
  for (std::size_t k = 0; k < b.excluded.size(); ++k) {
    const auto [first, second] = b.excluded[k];
    for (const std::uint32_t body : {first, second})
      if (body >= b.count())
        fail(at(name + "/excluded", k) + " names body " + std::to_string(body) + " of " + std::to_string(b.count()));
    if (first == second) fail(at(name + "/excluded", k) + " names body " + std::to_string(first) + " twice");
  }
}

void check_margins(const std::string& name, const Bodies& b) {
  check_length(name + "/margin", b.margin.size(), b.count());
  for (std::size_t i = 0; i < b.margin.size(); ++i)
    if (!(b.margin[i] >= 0.0 && b.margin[i] <= kLongest))
      fail(at(name + "/margin", i) + " must be finite, not negative and at most 1e9 m, got " +
           number_text(b.margin[i]));
}

void check_compound(const Scene& scene, std::size_t k) {
  const std::vector<CompoundPart>& parts = scene.compounds[k];
  const std::string name = "compounds/" + std::to_string(k);
  if (parts.empty() || parts.size() > kMostParts)
    fail(name + "/shape: a compound has 1 to " + std::to_string(kMostParts) + " parts, this one has " +
         std::to_string(parts.size()));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const CompoundPart& part = parts[i];
    const ShapeRow& row = check_shape(name, i, part.shape);
    if (!may_be_part(part.shape)) fail(at(name + "/shape", i) + ": a " + row.words + " cannot be part of a compound");
    check_size(counts_of_shapes(scene), name, i, part.shape, part.size);
    for (std::size_t a = 0; a < 3; ++a)
      if (!(std::abs(part.position[a]) <= kLongest))
        fail(at(at(name + "/position", i), a) + " must be finite and at most 1e9 m from the origin, got " +
             number_text(part.position[a]));
    for (std::size_t a = 0; a < 4; ++a)
      if (!std::isfinite(part.orientation[a]))
        fail(at(at(name + "/orientation", i), a) + " must be finite, got " + number_text(part.orientation[a]));
    const double length2 = squared_length(part.orientation.data());
    if (!turns(length2))
      fail(at(name + "/orientation", i) + " is a quaternion of " + (length2 > 1.0 ? "infinite" : "zero") + " length");
  }
}

}  // namespace

Diagonal to_diagonal(std::int64_t value, const std::string& name) {
  for (const DiagonalName& row : kDiagonalNames)
    if (value == static_cast<std::int64_t>(row.diagonal)) return row.diagonal;
  fail(name + ": diagonal is " + std::to_string(value) +
       ", but 0 (falling), 1 (rising), 2 (alternating_rising) and 3 (alternating_falling) are all there are");
}

const char* name_of(Diagonal diagonal) {
  for (const DiagonalName& row : kDiagonalNames)
    if (row.diagonal == diagonal) return row.name;
  throw std::logic_error("a diagonal without a name");
}

void check_terrain(const Terrain& t, const std::string& name) {
  (void)to_diagonal(static_cast<std::int64_t>(t.diagonal), name);
  check_terrain_lengths(name, {t.rows, t.cols}, t.heights.size(), t.holes.size(), t.material.size());
  for (int a = 0; a < 2; ++a) {
    if (!std::isfinite(t.origin[a])) fail(name + "/heights: origin[" + std::to_string(a) + "] is not finite");
    if (!(t.spacing[a] > 0.0) || t.spacing[a] > kLongest)
      fail(name + "/heights: spacing[" + std::to_string(a) + "] must be positive and at most 1e9 m");
  }
  for (std::size_t i = 0; i < t.heights.size(); ++i)
    check_height(t.heights[i], [&] { return at(at(name + "/heights", i / t.cols), i % t.cols); });
}

void check_terrain_lengths(const std::string& name, GridSize grid, std::size_t heights, std::size_t holes,
                           std::size_t material) {
  const std::string size = std::to_string(grid.rows) + " x " + std::to_string(grid.cols);
  if (grid.rows < 2 || grid.cols < 2)
    fail(name + "/heights: a grid needs at least 2 x 2 vertices, this one has " + size);
  if (grid.rows > 0x3FFFFFFF / grid.cols)
    fail(name + "/heights: " + size + " vertices are more than the 2^30 that one terrain may have");
  if (heights != grid.rows * grid.cols)
    fail(name + "/heights: " + std::to_string(heights) + " values for " + size + " vertices");
  const std::size_t cells = (grid.rows - 1) * (grid.cols - 1);
  const auto check_cells = [&](const char* array, std::size_t values) {
    if (values != 0 && values != cells)
      fail(name + array + std::to_string(values) + " values for " + std::to_string(cells) + " cells");
  };
  check_cells("/holes: ", holes);
  check_cells("/material: ", material);
}

IndexedShapes counts_of_shapes(const Scene& scene) {
  return {scene.hulls.size(), scene.meshes.size(), scene.compounds.size()};
}

void check(const Scene& scene) {
  (void)checked_geometry(scene);
}

void check_bodies(const Scene& scene, const Bodies& b, const std::string& name) {
  const std::size_t n = b.count();
  if (n > kMostBodies) fail(name + "/shape: more than 2^31 - 2 bodies");
  if (b.size.size() != n)
    fail(name + "/size has " + std::to_string(b.size.size()) + " entries for " + std::to_string(n) + " bodies");
  check_length(name + "/environment", b.environment.size(), n);
  check_length(name + "/group", b.group.size(), n);
  check_length(name + "/category", b.category.size(), n);
  check_length(name + "/mask", b.mask.size(), n);
  check_length(name + "/flags", b.flags.size(), n);
  check_filters(name, b);
  check_margins(name, b);
  for (std::size_t i = 0; i < n; ++i) {
    check_size(counts_of_shapes(scene), name, i, b.shape[i], b.size[i]);
    if (!b.environment.empty() && !scene.environment_terrain.empty() &&
        b.environment[i] >= scene.environment_terrain.size())
      fail(at(name + "/environment", i) + " is " + std::to_string(b.environment[i]) +
           ", but environments/terrain has " + std::to_string(scene.environment_terrain.size()) + " entries");
  }
  check_parts(scene, b, name);
}

void check_parts(const Scene& scene, const Bodies& b, const std::string& name) {
  const auto parts_of = [&](std::size_t i) {
    return b.shape[i] == Shape::compound ? scene.compounds[static_cast<std::size_t>(b.size[i][0])].size() : 1;
  };
  std::uint64_t parts = 0;
  for (std::size_t i = 0; i < b.count(); ++i) {
    parts += parts_of(i);
    if (parts > kMostBodies) fail(at(name + "/shape", i) + ": more than 2^31 - 2 bodies and parts of bodies");
  }
  // Each is a pair of parts on the device.
  std::uint64_t pairs = 0;
  for (std::size_t k = 0; k < b.excluded.size(); ++k) {
    pairs += parts_of(b.excluded[k][0]) * parts_of(b.excluded[k][1]);
    if (pairs > kMostExcludedParts)
      fail(at(name + "/excluded", k) + ": more than " + std::to_string(kMostExcludedParts) +
           " pairs of parts of bodies");
  }
}

SharedGeometry checked_geometry(const Scene& scene) {
  for (std::size_t k = 0; k < scene.terrains.size(); ++k)
    check_terrain(scene.terrains[k], "terrains/" + std::to_string(k));
  const std::vector<std::int32_t> grounds = checked_grounds(scene.terrains);
  for (std::size_t e = 0; e < scene.environment_terrain.size(); ++e) {
    const std::int64_t k = scene.environment_terrain[e];
    if (k < -1 || k >= static_cast<std::int64_t>(scene.terrains.size()))
      fail(at("environments/terrain", e) + " is " + std::to_string(k) + ", but there are " +
           std::to_string(scene.terrains.size()) + " terrains");
    if (k >= 0 && grounds[static_cast<std::size_t>(k)] >= 0 && grounds[static_cast<std::size_t>(k)] != k)
      fail(at("environments/terrain", e) + " is " + std::to_string(k) + ", a tile of terrain " +
           std::to_string(grounds[static_cast<std::size_t>(k)]) + ", which is what to name");
  }
  for (std::size_t k = 0; k < scene.compounds.size(); ++k) check_compound(scene, k);
  check_bodies(scene, scene.bodies, "bodies");
  return build_geometry(scene);
}

void check_margin(double margin) {
  if (!std::isfinite(margin) || margin < 0.0) fail("margin must be finite and not negative");
}

namespace {

// The terrain of an update whose part is of `things`, of which the grid has these.
void check_part(const std::string& call, const std::vector<GridSize>& grids, std::size_t terrain, std::size_t fewer,
                std::size_t first_row, std::size_t first_col, std::size_t rows, std::size_t cols, std::size_t values,
                const char* values_name, const char* things) {
  if (terrain >= grids.size())
    fail(call + ": terrain " + std::to_string(terrain) + " of " + std::to_string(grids.size()));
  if (grids[terrain].rows == 0) fail(call + ": terrain " + std::to_string(terrain) + " is a tile that was removed");
  const GridSize g{grids[terrain].rows - fewer, grids[terrain].cols - fewer};
  if (first_row > g.rows || rows > g.rows - first_row || first_col > g.cols || cols > g.cols - first_col)
    fail(call + ": the part reaches outside the " + std::to_string(g.rows) + " x " + std::to_string(g.cols) +
         (fewer == 0 ? " grid" : " cells"));
  if (values != rows * cols)
    fail(call + ": " + std::to_string(values) + " " + values_name + " for " + std::to_string(rows) + " x " +
         std::to_string(cols) + " " + things);
}

}  // namespace

void check_height_update(const std::vector<GridSize>& grids, std::size_t terrain, std::size_t first_row,
                         std::size_t first_col, std::size_t rows, std::size_t cols, std::span<const double> heights) {
  check_part("update_heights", grids, terrain, 0, first_row, first_col, rows, cols, heights.size(), "heights",
             "vertices");
  for (std::size_t i = 0; i < heights.size(); ++i)
    check_height(heights[i], [&] { return at("update_heights: heights", i); });
}

void check_cell_update(const std::string& call, const std::vector<GridSize>& grids, std::size_t terrain,
                       std::size_t first_row, std::size_t first_col, std::size_t rows, std::size_t cols,
                       std::size_t values) {
  check_part(call, grids, terrain, 1, first_row, first_col, rows, cols, values, "values", "cells");
}

void check_move(const std::vector<GridSize>& grids, std::size_t terrain, std::array<double, 2> origin) {
  if (terrain >= grids.size())
    fail("move_terrain: terrain " + std::to_string(terrain) + " of " + std::to_string(grids.size()));
  for (std::size_t a = 0; a < 2; ++a)
    if (!std::isfinite(origin[a])) fail(at("move_terrain: origin", a) + " is not finite");
}

namespace {

// Without branches and comparisons of 64 bits, so that several values are looked at in one instruction on any
// processor: an exponent of all ones is carried into the sign when one is added.
bool all_finite(std::span<const double> values) {
  constexpr std::uint64_t kExponent = 0x7FF0000000000000U, kOne = 0x0010000000000000U;
  std::uint64_t infinite = 0;
  for (const double v : values) infinite |= (std::bit_cast<std::uint64_t>(v) & kExponent) + kOne;
  return infinite >> 63 == 0;
}

bool all_turn(std::span<const double> quaternions) {
  double shortest = 1.0, nothing = 0.0;
  for (std::size_t i = 0; i < quaternions.size(); i += 4) {
    const double length2 = squared_length(&quaternions[i]);
    shortest = length2 < shortest ? length2 : shortest;
    nothing += length2 * 0.0;  // not a number where length2 is none, or infinite
  }
  return turns(shortest) && nothing == 0.0;
}

}  // namespace

bool are_usable(const Poses& poses, std::size_t first_body, std::size_t count) {
  return all_finite(poses.position.subspan(3 * first_body, 3 * count)) &&
         all_turn(poses.orientation.subspan(4 * first_body, 4 * count));
}

void check_pose_counts(const Poses& poses, std::size_t bodies) {
  if (poses.position.size() != 3 * bodies)
    fail("position has " + std::to_string(poses.position.size()) + " numbers for " + std::to_string(bodies) +
         " bodies");
  if (poses.orientation.size() != 4 * bodies)
    fail("orientation has " + std::to_string(poses.orientation.size()) + " numbers for " + std::to_string(bodies) +
         " bodies");
}

void check_poses(const Poses& poses, std::size_t bodies) {
  check_pose_counts(poses, bodies);
  // All at once first; where something is wrong, one after the other to say where.
  constexpr std::size_t kChunk = 4096;
  std::atomic<bool> wrong = false;
  parallel_for((bodies + kChunk - 1) / kChunk, [&](std::size_t chunk) {
    const std::size_t first = chunk * kChunk;
    if (!are_usable(poses, first, std::min(kChunk, bodies - first))) wrong = true;
  });
  if (!wrong) return;
  for (std::size_t i = 0; i < poses.position.size(); ++i)
    if (!std::isfinite(poses.position[i]))
      fail(at("position", i / 3) + "[" + std::to_string(i % 3) + "] is not finite");
  for (std::size_t i = 0; i < bodies; ++i) {
    const double length2 = squared_length(&poses.orientation[4 * i]);
    if (!std::isfinite(length2)) fail(at("orientation", i) + " is not finite");
    if (!turns(length2)) fail(at("orientation", i) + " is a quaternion of zero length");
  }
}

namespace {

// Of `count` queries that are `what`.
void check_numbers(const char* array, std::size_t size, std::size_t each, bool optional, std::size_t count,
                   const char* what) {
  if (size != each * count && !(optional && size == 0))
    fail(std::string(array) + " has " + std::to_string(size) + " numbers for " + std::to_string(count) + " " + what);
}

void check_environment(const char* array, std::span<const std::uint32_t> environment, std::size_t i,
                       std::size_t environments) {
  if (!environment.empty() && environments > 0 && environment[i] >= environments)
    fail(at(array, i) + " is " + std::to_string(environment[i]) + ", and environments/terrain has " +
         std::to_string(environments) + " entries");
}

}  // namespace

void check_query_shapes(const QueryShapes& queries, const IndexedShapes& scene, std::size_t environments) {
  const std::size_t n = queries.position.size() / 3;
  const std::string name = "queries";
  const auto need = [&](const char* array, std::size_t size, std::size_t each, bool optional) {
    check_numbers(array, size, each, optional, n, "queries");
  };
  need("queries/position", queries.position.size(), 3, false);
  need("queries/orientation", queries.orientation.size(), 4, false);
  need("queries/environment", queries.environment.size(), 1, true);
  need("queries/mask", queries.mask.size(), 1, true);
  need("queries/group", queries.group.size(), 1, true);
  if (queries.shape.size() != 1) need("queries/shape", queries.shape.size(), 1, false);
  if (queries.size.size() != queries.shape.size())
    fail("queries/size has " + std::to_string(queries.size.size()) + " entries for " +
         std::to_string(queries.shape.size()) + " shapes");
  if (n > kMostBodies) fail("queries/position: more than 2^31 - 2 queries");
  for (std::size_t i = 0; i < queries.shape.size(); ++i) {
    const Shape shape = queries.shape[i];
    const ShapeRow& row = check_shape(name, i, shape);
    if (!may_be_part(shape) && shape != Shape::compound)
      fail(at("queries/shape", i) + ": a " + row.words + " cannot be asked about");
    check_size(scene, name, i, shape, queries.size[i]);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < 3; ++k)
      if (!std::isfinite(queries.position[3 * i + k])) fail(at(at("queries/position", i), k) + " is not finite");
    const double length2 = squared_length(&queries.orientation[4 * i]);
    if (!std::isfinite(length2)) fail(at("queries/orientation", i) + " is not finite");
    if (!turns(length2)) fail(at("queries/orientation", i) + " is a quaternion of zero length");
    check_environment("queries/environment", queries.environment, i, environments);
  }
}

void check_query_points(const QueryPoints& points, std::size_t environments) {
  const std::size_t n = points.count();
  const auto need = [&](const char* array, std::size_t size, std::size_t each, bool optional) {
    check_numbers(array, size, each, optional, n, "points");
  };
  need("points/position", points.position.size(), 3, false);
  need("points/range", points.range.size(), 1, true);
  need("points/environment", points.environment.size(), 1, true);
  need("points/mask", points.mask.size(), 1, true);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < 3; ++k)
      if (const char* fault = fault_of_coordinate(points.position[3 * i + k]))
        fail(at(at("points/position", i), k) + fault);
    if (!points.range.empty() && !(points.range[i] >= 0.0))
      fail(at("points/range", i) + (std::isnan(points.range[i]) ? " is not a number" : " is negative"));
    check_environment("points/environment", points.environment, i, environments);
  }
}

const char* fault_of_coordinate(double x) {
  if (!std::isfinite(x)) return " is not finite";
  return std::abs(x) < kFarthestPoint ? nullptr : " is 3e18 m out or farther";
}

void check_rays(const Rays& rays, std::size_t environments) {
  const std::size_t n = rays.count();
  const auto need = [&](const char* name, std::size_t size, std::size_t each, bool optional) {
    check_numbers(name, size, each, optional, n, "rays");
  };
  need("rays/origin", rays.origin.size(), 3, false);
  need("rays/direction", rays.direction.size(), 3, false);
  need("rays/length", rays.length.size(), 1, true);
  need("rays/environment", rays.environment.size(), 1, true);
  need("rays/mask", rays.mask.size(), 1, true);
  // Nearly always nothing is wrong: sums that are neither too large nor NaN tell that of their numbers.
  const auto is_fine = [&](std::size_t i) {
    const double *o = &rays.origin[3 * i], *d = &rays.direction[3 * i];
    const double far = std::abs(o[0]) + std::abs(o[1]) + std::abs(o[2]);
    const double size = std::abs(d[0]) + std::abs(d[1]) + std::abs(d[2]);
    return far < kFarthestPoint && size > 0.0 && size <= std::numeric_limits<double>::max() &&
           (rays.length.empty() || rays.length[i] >= 0.0) && rays.environment.empty();
  };
  for (std::size_t i = 0; i < n; ++i) {
    if (is_fine(i)) continue;
    const double* d = &rays.direction[3 * i];
    for (std::size_t k = 0; k < 3; ++k) {
      if (const char* fault = fault_of_coordinate(rays.origin[3 * i + k])) fail(at(at("rays/origin", i), k) + fault);
      if (!std::isfinite(d[k])) fail(at("rays/direction", i) + "[" + std::to_string(k) + "] is not finite");
    }
    if (d[0] == 0.0 && d[1] == 0.0 && d[2] == 0.0) fail(at("rays/direction", i) + " is zero");
    if (!rays.length.empty() && !(rays.length[i] >= 0.0))
      fail(at("rays/length", i) + (std::isnan(rays.length[i]) ? " is not a number" : " is negative"));
    check_environment("rays/environment", rays.environment, i, environments);
  }
}

void check_motion(const Motion& motion, std::size_t bodies) {
  const auto check_array = [&](const char* name, std::span<const double> numbers, double most, const char* beyond) {
    if (numbers.empty()) return;
    if (numbers.size() != 3 * bodies)
      fail(std::string(name) + " has " + std::to_string(numbers.size()) + " numbers for " + std::to_string(bodies) +
           " bodies");
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (std::abs(numbers[i]) <= most) continue;
      fail(at(name, i / 3) + "[" + std::to_string(i % 3) + "] " +
           (std::isfinite(numbers[i]) ? beyond : "is not finite"));
    }
  };
  check_array("displacement", motion.displacement, kFarthestMotion, "is beyond 1e9 m");
  check_array("rotation", motion.rotation, kFarthestRotation, "is beyond 1e7 rad");
}

void refuse_untold(const UntoldSweep& pair, const std::function<std::size_t(std::size_t)>& body_of) {
  fail("sweep: " + at("body", body_of(pair.body)) + " and " +
       (pair.other == kTerrain ? "terrain" : at("body", body_of(pair.other))) +
       " are near to each other for so long that " + std::to_string(MOST_SWEEP_STEPS) +
       " steps do not tell when they touch");
}

}  // namespace oclide
