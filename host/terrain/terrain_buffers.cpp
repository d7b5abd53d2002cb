#include "terrain/terrain_buffers.hpp"

#include "terrain/joined_ground.hpp"
#include "terrain/terrain_arrays.hpp"
#include "terrain/turned_grid.hpp"

namespace oclide {

using opencl::Stage;

namespace {

constexpr std::size_t kBoundsGroup = LONE_GROUP;

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

void TerrainBuffers::set(const std::vector<Terrain>& of_scene) {
  const std::vector<Terrain> joined = joined_terrains(of_scene);
  const std::vector<Terrain>& terrains = joined.empty() ? of_scene : joined;
  std::size_t vertices = 0, bounds = 0;
  for (const Terrain& t : terrains) vertices += t.heights.size();
  const UnsetArray<float> high(vertices);
  std::vector<float> low;
  std::vector<std::uint8_t> holes, material;
  records_host_.clear();
  rooms_.clear();
  spacing_x_.clear();
  vertices = 0;
  for (const Terrain& of_terrains : terrains) {
    spacing_x_.push_back(of_terrains.spacing[0]);
    if (of_terrains.rows == 0) {
      records_host_.push_back(terrain_without_cells());
      rooms_.emplace_back();
      continue;
    }
    const bool is_turned = of_terrains.diagonal == Diagonal::rising;
    const Terrain turned = is_turned ? turned_terrain(of_terrains) : Terrain{};
    const Terrain& t = is_turned ? turned : of_terrains;
    TerrainRecord record{};
    record.turned = is_turned ? 1U : 0U;
    record.rising = rising_cells(of_terrains.diagonal);
    record.vertex_offset = vertices;
    record.low_offset = low.size();
    record.cell_offset = holes.size();
    record.material_offset = material.size();
    record.bounds_offset = bounds;
    set_lattice(record, t.rows, t.cols, t.origin, t.spacing);
    const HighHeights parts(t.heights, &high.data[vertices]);
    vertices += t.heights.size();
    record.has_low = parts.has_low ? 1U : 0U;
    if (parts.has_low) {
      low.resize(low.size() + t.heights.size());
      write_low_heights(t.heights, &low[record.low_offset]);
    }
    record.has_material = t.material.empty() ? 0U : 1U;
    record.has_open = any_set(t.holes) || parts.has_gaps ? 1U : 0U;
    if (t.holes.empty())
      holes.resize(holes.size() + (t.rows - 1) * (t.cols - 1), 0);
    else
      holes.insert(holes.end(), t.holes.begin(), t.holes.end());
    material.insert(material.end(), t.material.begin(), t.material.end());
    const std::size_t entries = bounds_levels(record.rows - 1, record.cols - 1).back().offset + 1;
    bounds += entries;
    rooms_.push_back({t.heights.size(), parts.has_low ? t.heights.size() : 0, (t.rows - 1) * (t.cols - 1),
                      t.material.size(), entries, oclide::face_names(t.rows - 1, t.cols - 1)});
    records_host_.push_back(record);
  }
  upload_records();
  heights_.assign(high.span());
  heights_low_.assign(low);
  holes_.assign(holes);
  material_.assign(material);
  flags_.resize(holes.size());
  bounds_.resize(bounds);
  for (std::size_t k = 0; k < terrains.size(); ++k) {
    if (terrains[k].rows == 0) continue;
    const GridPart whole{0, 0, static_cast<std::size_t>(records_host_[k].rows - 1),
                         static_cast<std::size_t>(records_host_[k].cols - 1)};
    renew_flags(k, whole);
    renew_bounds(k, whole);
  }
  find_faces();
}

// With a last one that has no cells, for slots without a body.
void TerrainBuffers::upload_records() {
  std::vector<TerrainRecord> all = records_host_;
  all.push_back(terrain_without_cells());
  records_.assign(all);
  has_rising_cells_ = std::any_of(all.begin(), all.end(), [](const TerrainRecord& t) { return t.rising != 0; });
}

void TerrainBuffers::find_faces() {
  const UnsetArray<std::uint8_t> flags(flags_.size());
  flags_.download(flags.span());
  const UnsetArray<std::uint16_t> labels(flags.size);
  std::vector<std::uint32_t> names;
  ground_faces_.clear();
  for (TerrainRecord& record : records_host_) {
    if (record.rows == 0) {
      ground_faces_.emplace_back(1, 1, 0);
      continue;
    }
    const auto rows = static_cast<std::size_t>(record.rows - 1), cols = static_cast<std::size_t>(record.cols - 1);
    GroundFaces& faces = ground_faces_.emplace_back(rows, cols, record.rising);
    faces.label(faces.whole(), &flags.data[record.cell_offset], cols, &labels.data[record.cell_offset], cols);
    faces.join();
    record.face_name_offset = names.size();
    const std::array<std::uint32_t, FACE_HEAD> head = faces.head();
    names.insert(names.end(), head.begin(), head.end());
    names.insert(names.end(), faces.names().begin(), faces.names().end());
  }
  faces_.assign(labels.span());
  face_names_.assign(names);
  upload_records();
}

GroundFaces::Part TerrainBuffers::cells_beside(std::size_t terrain, const GridPart& part) const {
  const TerrainRecord& record = records_host_[terrain];
  // The edges of a cell are beside the next ones before it.
  return {std::max<std::size_t>(part.row, 1) - 1, std::max<std::size_t>(part.col, 1) - 1,
          std::min(part.row + part.rows + 1, static_cast<std::size_t>(record.rows - 1)),
          std::min(part.col + part.cols + 1, static_cast<std::size_t>(record.cols - 1))};
}

void TerrainBuffers::label_faces(std::size_t terrain, const GridPart& part) {
  const TerrainRecord& record = records_host_[terrain];
  GroundFaces& faces = ground_faces_[terrain];
  const auto cols = static_cast<std::size_t>(record.cols - 1);
  const GroundFaces::Part tiles = faces.tiles_of(cells_beside(terrain, part)), seen = faces.with_next(tiles);
  const std::size_t first = record.cell_offset + tiles.first_i * cols + tiles.first_j;
  const std::size_t width = tiles.end_j - tiles.first_j, width_seen = seen.end_j - seen.first_j;
  std::vector<std::uint8_t> flags((seen.end_i - seen.first_i) * width_seen);
  std::vector<std::uint16_t> labels((tiles.end_i - tiles.first_i) * width);
  flags_.download_rows(flags, width_seen, first, cols);
  if (faces.keeps()) faces_.download_rows(labels, width, first, cols);
  faces.label(tiles, flags.data(), width_seen, labels.data(), width);
  faces_.upload_rows(labels, width, first, cols);
}

void TerrainBuffers::upload_names(std::size_t terrain, const GroundFaces::Range& names) {
  if (names.first < names.end)
    face_names_.upload(ground_faces_[terrain].names().subspan(names.first, names.end - names.first),
                       records_host_[terrain].face_name_offset + FACE_HEAD + names.first);
}

void TerrainBuffers::upload_names(std::size_t terrain) {
  face_names_.upload(ground_faces_[terrain].head(), records_host_[terrain].face_name_offset);
  upload_names(terrain, {0, ground_faces_[terrain].names().size()});
}

void TerrainBuffers::update(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                            std::size_t cols, std::span<const double> of_scene) {
  GridPart part{first_row, first_col, rows, cols};
  std::vector<double> turned;
  if (records_host_[terrain].turned != 0) {
    part = turned_part(part, static_cast<std::size_t>(records_host_[terrain].rows));
    turned = turned_values(of_scene, rows, cols);
  }
  const std::span<const double> heights = turned.empty() ? of_scene : std::span<const double>(turned);
  std::vector<float> high(heights.size()), low(heights.size());
  const HighHeights parts(heights, high.data());
  write_low_heights(heights, low.data());
  if (parts.has_low && records_host_[terrain].has_low == 0) give_low_parts(terrain);
  if (parts.has_gaps && records_host_[terrain].has_open == 0) {
    records_host_[terrain].has_open = 1;
    upload_records();
  }
  const TerrainRecord& record = records_host_[terrain];
  const auto pitch = static_cast<std::size_t>(record.cols);
  const std::size_t at = part.row * pitch + part.col;
  heights_.upload_rows(high, part.cols, record.vertex_offset + at, pitch);
  if (record.has_low != 0) heights_low_.upload_rows(low, part.cols, record.low_offset + at, pitch);
  renew_cells(terrain, part);
}

GridPart TerrainBuffers::upload_cells(opencl::Buffer<std::uint8_t>& to, std::size_t offset, const TerrainRecord& record,
                                      const GridPart& part, std::span<const std::uint8_t> values) {
  const auto pitch = static_cast<std::size_t>(record.cols - 1);
  const bool is_turned = record.turned != 0;
  const GridPart there = is_turned ? turned_part(part, static_cast<std::size_t>(record.rows - 1)) : part;
  const std::size_t at = offset + there.row * pitch + there.col;
  if (is_turned)
    to.upload_rows(turned_values(values, part.rows, part.cols), there.cols, at, pitch);
  else
    to.upload_rows(values, there.cols, at, pitch);
  return there;
}

void TerrainBuffers::update_holes(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                                  std::size_t cols, std::span<const std::uint8_t> holes) {
  TerrainRecord& record = records_host_[terrain];
  if (any_set(holes) && record.has_open == 0) {
    record.has_open = 1;
    upload_records();
  }
  renew_cells(terrain, upload_cells(holes_, record.cell_offset, record, {first_row, first_col, rows, cols}, holes));
}

void TerrainBuffers::update_material(std::size_t terrain, std::size_t first_row, std::size_t first_col,
                                     std::size_t cols, std::span<const std::uint8_t> material) {
  if (records_host_[terrain].has_material == 0) give_material(terrain);
  const TerrainRecord& record = records_host_[terrain];
  upload_cells(material_, record.material_offset, record, {first_row, first_col, material.size() / cols, cols},
               material);
}

void TerrainBuffers::move(std::size_t terrain, std::array<double, 2> origin) {
  TerrainRecord& record = records_host_[terrain];
  if (record.turned != 0) origin = turned_origin(origin, static_cast<std::size_t>(record.rows), spacing_x_[terrain]);
  set_lattice_origin(record, origin);
  upload_records();
}

void TerrainBuffers::renew_cells(std::size_t terrain, const GridPart& part) {
  renew_flags(terrain, part);
  renew_bounds(terrain, part);
  label_faces(terrain, part);
  upload_names(terrain, ground_faces_[terrain].join());
}

void TerrainBuffers::give_low_parts(std::size_t terrain) {
  TerrainRecord& record = records_host_[terrain];
  make_room(terrain, {0, static_cast<std::size_t>(record.rows) * static_cast<std::size_t>(record.cols)});
  heights_low_.fill(0.0F, record.low_offset, rooms_[terrain].low);
  record.has_low = 1;
  upload_records();
}

void TerrainBuffers::give_material(std::size_t terrain) {
  TerrainRecord& record = records_host_[terrain];
  make_room(terrain, {0, 0, 0, static_cast<std::size_t>(record.rows - 1) * static_cast<std::size_t>(record.cols - 1)});
  material_.fill(0, record.material_offset, rooms_[terrain].material);
  record.has_material = 1;
  upload_records();
}

void TerrainBuffers::renew_flags(std::size_t terrain, const GridPart& part) {
  const GroundFaces::Part cells = cells_beside(terrain, part);
  const std::size_t count_i = cells.end_i - cells.first_i, count_j = cells.end_j - cells.first_j;
  const std::size_t runs = (count_j - 1) / FLAG_RUN + 1;
  opencl::launch(device_, cell_flags_, nullptr, Stage::upload, count_i * runs, kBoundsGroup, records_,
                 static_cast<cl_uint>(terrain), heights_, heights_low_, holes_, flags_,
                 static_cast<cl_int>(cells.first_i), static_cast<cl_int>(cells.first_j), static_cast<cl_int>(count_i),
                 static_cast<cl_int>(count_j), static_cast<cl_int>(runs));
}

void TerrainBuffers::renew_bounds(std::size_t terrain, const GridPart& part) {
  const TerrainRecord& record = records_host_[terrain];
  const auto index = static_cast<cl_uint>(terrain);
  const GroundFaces::Part cells = cells_beside(terrain, part);
  auto first_i = static_cast<int>(cells.first_i), first_j = static_cast<int>(cells.first_j);
  auto last_i = static_cast<int>(cells.end_i) - 1, last_j = static_cast<int>(cells.end_j) - 1;
  const std::vector<BoundsLevel> levels = bounds_levels(record.rows - 1, record.cols - 1);
  for (std::size_t l = 0; l < levels.size(); ++l) {
    first_i >>= BOUNDS_SHIFT;
    first_j >>= BOUNDS_SHIFT;
    last_i >>= BOUNDS_SHIFT;
    last_j >>= BOUNDS_SHIFT;
    const int count_i = last_i - first_i + 1, count_j = last_j - first_j + 1;
    const std::size_t items = static_cast<std::size_t>(count_i) * static_cast<std::size_t>(count_j);
    if (l == 0)
      opencl::launch(device_, bounds_of_cells_, nullptr, Stage::upload, items, kBoundsGroup, records_, index, heights_,
                     flags_, bounds_, first_i, first_j, count_i, count_j, levels[0].cols);
    else
      opencl::launch(device_, bounds_of_bounds_, nullptr, Stage::upload, items, kBoundsGroup, records_, index, bounds_,
                     levels[l - 1].offset, levels[l - 1].rows, levels[l - 1].cols, levels[l].offset, levels[l].cols,
                     first_i, first_j, count_i, count_j);
  }
}

}  // namespace oclide
