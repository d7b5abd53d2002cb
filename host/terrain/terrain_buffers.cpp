#include "terrain/terrain_buffers.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>

namespace oclide {

using opencl::Stage;

namespace {

struct Level {
  cl_ulong offset;  // of its first entry from the terrain's first
  int rows, cols;
};

// The pyramid's levels over this many cells, up to the level with a single entry.
std::vector<Level> levels_of(int cell_rows, int cell_cols) {
  std::vector<Level> levels;
  cl_ulong offset = 0;
  int rows = cell_rows, cols = cell_cols;
  do {
    rows = ((rows - 1) >> BOUNDS_SHIFT) + 1;
    cols = ((cols - 1) >> BOUNDS_SHIFT) + 1;
    levels.push_back({offset, rows, cols});
    offset += static_cast<cl_ulong>(rows) * static_cast<cl_ulong>(cols);
  } while (rows > 1 || cols > 1);
  return levels;
}

void set_origin(TerrainRecord& record, const std::array<double, 2>& origin) {
  const TwoFloatParts x = split_in_two(origin[0]), y = split_in_two(origin[1]);
  record.origin_x_hi = x.high, record.origin_x_lo = x.low;
  record.origin_y_hi = y.high, record.origin_y_lo = y.low;
}

constexpr std::size_t kBoundsGroup = LONE_GROUP;

TwoFloatParts parts_of(double height) {
  const TwoFloatParts parts = split_in_two(height);
  const bool is_gap = std::isnan(height);
  return {is_gap ? NAN : parts.high, is_gap ? 0.0F : parts.low};
}

constexpr std::size_t kHeights = 16384;  // that a task takes

// The high parts. What else there is: low parts; heights without data.
struct HighParts {
  std::atomic<bool> has_low = false, has_gaps = false;

  HighParts(std::span<const double> heights, float* high) {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, heights.size(), kHeights), [&](const auto& range) {
      bool any_low = false, any_gap = false;
      for (std::size_t k = range.begin(); k < range.end(); ++k) {
        const TwoFloatParts parts = parts_of(heights[k]);
        high[k] = parts.high;
        any_low |= parts.low != 0.0F;
        any_gap |= std::isnan(heights[k]);
      }
      if (any_low) has_low = true;
      if (any_gap) has_gaps = true;
    });
  }
};

void write_low_parts(std::span<const double> heights, float* low) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, heights.size(), kHeights), [&](const auto& range) {
    for (std::size_t k = range.begin(); k < range.end(); ++k) low[k] = parts_of(heights[k]).low;
  });
}

// Memory that is written before it is read.
template <typename T>
struct Unset {
  explicit Unset(std::size_t n) : data(std::make_unique_for_overwrite<T[]>(n)), size(n) {}
  [[nodiscard]] std::span<T> span() const { return {data.get(), size}; }

  std::unique_ptr<T[]> data;
  std::size_t size;
};

}  // namespace

TerrainBuffers::TerrainBuffers(opencl::Device& device)
    : device_(device),
      cell_flags_(device.kernel("terrain/cell_flags", "terrain_cell_flags")),
      bounds_of_cells_(device.kernel("terrain/height_bounds", "terrain_bounds_of_cells")),
      bounds_of_bounds_(device.kernel("terrain/height_bounds", "terrain_bounds_of_bounds")),
      records_(device, "terrain records"),
      heights_(device, "terrain heights"),
      heights_low_(device, "terrain heights (low parts)"),
      holes_(device, "terrain holes"),
      flags_(device, "terrain flags of cells"),
      material_(device, "terrain material"),
      bounds_(device, "terrain height bounds"),
      faces_(device, "terrain faces"),
      face_names_(device, "names of terrain faces") {}

void TerrainBuffers::set(const std::vector<Terrain>& terrains) {
  std::size_t vertices = 0, bounds = 0;
  for (const Terrain& t : terrains) vertices += t.heights.size();
  const Unset<float> high(vertices);
  std::vector<float> low;
  std::vector<std::uint8_t> holes, material;
  records_host_.clear();
  vertices = 0;
  for (const Terrain& t : terrains) {
    TerrainRecord record{};
    record.vertex_offset = vertices;
    record.low_offset = low.size();
    record.cell_offset = holes.size();
    record.material_offset = material.size();
    record.bounds_offset = bounds;
    record.rows = static_cast<cl_int>(t.rows);
    record.cols = static_cast<cl_int>(t.cols);
    set_origin(record, t.origin);
    const TwoFloatParts sx = split_in_two(t.spacing[0]), sy = split_in_two(t.spacing[1]);
    record.spacing_x_hi = sx.high, record.spacing_x_lo = sx.low;
    record.spacing_y_hi = sy.high, record.spacing_y_lo = sy.low;
    const TwoFloatParts cx = split_in_two(1.0 / t.spacing[0]), cy = split_in_two(1.0 / t.spacing[1]);
    record.cells_x_hi = cx.high, record.cells_x_lo = cx.low;
    record.cells_y_hi = cy.high, record.cells_y_lo = cy.low;
    const HighParts parts(t.heights, &high.data[vertices]);
    vertices += t.heights.size();
    record.has_low = parts.has_low ? 1U : 0U;
    if (parts.has_low) {
      low.resize(low.size() + t.heights.size());
      write_low_parts(t.heights, &low[record.low_offset]);
    }
    record.has_material = t.material.empty() ? 0U : 1U;
    const bool has_holes = std::any_of(t.holes.begin(), t.holes.end(), [](std::uint8_t hole) { return hole != 0; });
    record.has_open = has_holes || parts.has_gaps ? 1U : 0U;
    if (t.holes.empty())
      holes.resize(holes.size() + (t.rows - 1) * (t.cols - 1), 0);
    else
      holes.insert(holes.end(), t.holes.begin(), t.holes.end());
    material.insert(material.end(), t.material.begin(), t.material.end());
    const std::vector<Level> levels = levels_of(record.rows - 1, record.cols - 1);
    bounds += levels.back().offset + 1;
    records_host_.push_back(record);
  }
  upload_records();
  heights_.assign(high.span());
  heights_low_.assign(low);
  holes_.assign(holes);
  material_.assign(material);
  flags_.resize(holes.size());
  bounds_.resize(bounds);
  for (std::size_t k = 0; k < terrains.size(); ++k)
    renew(k, 0, 0, records_host_[k].rows - 2, records_host_[k].cols - 2);
  find_faces();
}

// With a last one that has no cells, for slots without a body.
void TerrainBuffers::upload_records() {
  std::vector<TerrainRecord> all = records_host_;
  TerrainRecord nowhere{};
  nowhere.spacing_x_hi = nowhere.spacing_y_hi = nowhere.cells_x_hi = nowhere.cells_y_hi = 1.0F;
  all.push_back(nowhere);
  records_.assign(all);
}

void TerrainBuffers::find_faces() {
  const Unset<std::uint8_t> flags(flags_.size());
  flags_.download(flags.span());
  const Unset<std::uint16_t> labels(flags.size);
  std::vector<std::uint32_t> names;
  ground_faces_.clear();
  for (TerrainRecord& record : records_host_) {
    const auto rows = static_cast<std::size_t>(record.rows - 1), cols = static_cast<std::size_t>(record.cols - 1);
    GroundFaces& faces = ground_faces_.emplace_back(rows, cols);
    faces.label(faces.whole(), &flags.data[record.cell_offset], cols, &labels.data[record.cell_offset], cols);
    faces.join();
    record.face_name_offset = names.size();
    names.insert(names.end(), faces.names().begin(), faces.names().end());
  }
  faces_.assign(labels.span());
  face_names_.assign(names);
  upload_records();
}

void TerrainBuffers::renew_faces(std::size_t terrain, const GroundFaces::Part& cells) {
  const TerrainRecord& record = records_host_[terrain];
  GroundFaces& faces = ground_faces_[terrain];
  const auto cols = static_cast<std::size_t>(record.cols - 1);
  const GroundFaces::Part tiles = faces.tiles_of(cells), seen = faces.with_next(tiles);
  const std::size_t first = record.cell_offset + tiles.first_i * cols + tiles.first_j;
  const std::size_t width = tiles.end_j - tiles.first_j, width_seen = seen.end_j - seen.first_j;
  std::vector<std::uint8_t> flags((seen.end_i - seen.first_i) * width_seen);
  std::vector<std::uint16_t> labels((tiles.end_i - tiles.first_i) * width);
  flags_.download_rows(flags, width_seen, first, cols);
  faces.label(tiles, flags.data(), width_seen, labels.data(), width);
  faces_.upload_rows(labels, width, first, cols);
  const GroundFaces::Range names = faces.join();
  if (names.first < names.end)
    face_names_.upload(faces.names().subspan(names.first, names.end - names.first),
                       record.face_name_offset + names.first);
}

void TerrainBuffers::update(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                            std::size_t cols, std::span<const double> heights) {
  std::vector<float> high(heights.size()), low(heights.size());
  const HighParts parts(heights, high.data());
  write_low_parts(heights, low.data());
  if (parts.has_low && records_host_[terrain].has_low == 0) give_low_parts(terrain);
  if (parts.has_gaps && records_host_[terrain].has_open == 0) {
    records_host_[terrain].has_open = 1;
    upload_records();
  }
  const TerrainRecord& record = records_host_[terrain];
  const auto pitch = static_cast<std::size_t>(record.cols);
  const std::size_t at = first_row * pitch + first_col;
  heights_.upload_rows(high, cols, record.vertex_offset + at, pitch);
  if (record.has_low != 0) heights_low_.upload_rows(low, cols, record.low_offset + at, pitch);
  renew_cells(terrain, first_row, first_col, first_row + rows, first_col + cols);
}

void TerrainBuffers::update_holes(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                                  std::size_t cols, std::span<const std::uint8_t> holes) {
  TerrainRecord& record = records_host_[terrain];
  const bool has_holes = std::any_of(holes.begin(), holes.end(), [](std::uint8_t hole) { return hole != 0; });
  if (has_holes && record.has_open == 0) {
    record.has_open = 1;
    upload_records();
  }
  const auto pitch = static_cast<std::size_t>(record.cols - 1);
  holes_.upload_rows(holes, cols, record.cell_offset + first_row * pitch + first_col, pitch);
  renew_cells(terrain, first_row, first_col, first_row + rows, first_col + cols);
}

void TerrainBuffers::update_material(std::size_t terrain, std::size_t first_row, std::size_t first_col,
                                     std::size_t cols, std::span<const std::uint8_t> material) {
  TerrainRecord& record = records_host_[terrain];
  const auto pitch = static_cast<std::size_t>(record.cols - 1);
  if (record.has_material == 0) {
    std::vector<std::uint8_t> all(material_.size());
    material_.download(all);
    record.has_material = 1;
    record.material_offset = all.size();
    all.resize(all.size() + static_cast<std::size_t>(record.rows - 1) * pitch, 0);
    material_.assign(all);
    upload_records();
  }
  material_.upload_rows(material, cols, record.material_offset + first_row * pitch + first_col, pitch);
}

void TerrainBuffers::move(std::size_t terrain, std::array<double, 2> origin) {
  TerrainRecord& record = records_host_[terrain];
  set_origin(record, origin);
  upload_records();
}

void TerrainBuffers::renew_cells(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t end_row,
                                 std::size_t end_col) {
  const TerrainRecord& record = records_host_[terrain];
  const int first_i = std::max(static_cast<int>(first_row) - 1, 0);
  const int first_j = std::max(static_cast<int>(first_col) - 1, 0);
  // The edges of a cell are beside the next ones before it.
  const int last_i = std::min(static_cast<int>(end_row), record.rows - 2);
  const int last_j = std::min(static_cast<int>(end_col), record.cols - 2);
  renew(terrain, first_i, first_j, last_i, last_j);
  renew_faces(terrain, {static_cast<std::size_t>(first_i), static_cast<std::size_t>(first_j),
                        static_cast<std::size_t>(last_i) + 1, static_cast<std::size_t>(last_j) + 1});
}

void TerrainBuffers::give_low_parts(std::size_t terrain) {
  std::vector<float> low(heights_low_.size());
  heights_low_.download(low);
  TerrainRecord& record = records_host_[terrain];
  record.has_low = 1;
  record.low_offset = low.size();
  low.resize(low.size() + static_cast<std::size_t>(record.rows) * static_cast<std::size_t>(record.cols), 0.0F);
  heights_low_.assign(low);
  upload_records();
}

void TerrainBuffers::renew(std::size_t terrain, int first_i, int first_j, int last_i, int last_j) {
  const TerrainRecord& record = records_host_[terrain];
  const auto index = static_cast<cl_uint>(terrain);
  const auto items = [](int count_i, int count_j) {
    return static_cast<std::size_t>(count_i) * static_cast<std::size_t>(count_j);
  };
  int count_i = last_i - first_i + 1, count_j = last_j - first_j + 1;
  const int runs = (count_j - 1) / FLAG_RUN + 1;
  opencl::launch(device_, cell_flags_, nullptr, Stage::upload, items(count_i, runs), kBoundsGroup, records_, index,
                 heights_, heights_low_, holes_, flags_, first_i, first_j, count_i, count_j, runs);
  const std::vector<Level> levels = levels_of(record.rows - 1, record.cols - 1);
  for (std::size_t l = 0; l < levels.size(); ++l) {
    first_i >>= BOUNDS_SHIFT;
    first_j >>= BOUNDS_SHIFT;
    last_i >>= BOUNDS_SHIFT;
    last_j >>= BOUNDS_SHIFT;
    count_i = last_i - first_i + 1;
    count_j = last_j - first_j + 1;
    if (l == 0)
      opencl::launch(device_, bounds_of_cells_, nullptr, Stage::upload, items(count_i, count_j), kBoundsGroup, records_,
                     index, heights_, flags_, bounds_, first_i, first_j, count_i, count_j, levels[0].cols);
    else
      opencl::launch(device_, bounds_of_bounds_, nullptr, Stage::upload, items(count_i, count_j), kBoundsGroup,
                     records_, index, bounds_, levels[l - 1].offset, levels[l - 1].rows, levels[l - 1].cols,
                     levels[l].offset, levels[l].cols, first_i, first_j, count_i, count_j);
  }
}

}  // namespace oclide
