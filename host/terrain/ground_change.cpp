// Grounds on the device whose tiles change.
#include "terrain/joined_ground.hpp"
#include "terrain/terrain_arrays.hpp"
#include "terrain/terrain_buffers.hpp"
#include "terrain/turned_grid.hpp"

namespace oclide {

// Where the room of a terrain is not enough it goes behind all others; the last one grows where it is. What it had
// there is lost. It gets half as much again as before at least, so that what it leaves behind, as several grounds grow
// in turn, is no more than twice what it has.
template <class... Buffers>
void TerrainBuffers::give_room(cl_ulong& offset, std::size_t& has, std::size_t needs, Buffers&... buffers) {
  if (needs <= has) return;
  const std::size_t size = std::max({buffers.size()...});
  const bool is_last = offset + has == size;
  has = is_last ? needs : std::max(needs, has + has / 2);
  if (!is_last) offset = size;
  (buffers.grow(offset + has), ...);
}

void TerrainBuffers::make_room(std::size_t terrain, const Room& need) {
  TerrainRecord& record = records_host_[terrain];
  Room& room = rooms_[terrain];
  give_room(record.vertex_offset, room.vertices, need.vertices, heights_);
  give_room(record.low_offset, room.low, need.low, heights_low_);
  give_room(record.cell_offset, room.cells, need.cells, holes_, flags_, faces_);
  give_room(record.material_offset, room.material, need.material, material_);
  give_room(record.bounds_offset, room.bounds, need.bounds, bounds_);
  give_room(record.face_name_offset, room.names, need.names, face_names_);
}

namespace {

// A part that stays as a grid becomes another one on its lattice: in that grid, and where it was in the one before.
struct Stay {
  GridPart now, before;
};

Stay part_that_stays(std::size_t rows_before, std::size_t cols_before, LatticeOffset moved, std::size_t rows,
                     std::size_t cols) {
  Stay stay;
  stay.now = common_part({0, 0, rows, cols}, {-moved.row, -moved.col}, rows_before, cols_before);
  stay.before = stay.now;
  stay.before.row += static_cast<std::size_t>(moved.row), stay.before.col += static_cast<std::size_t>(moved.col);
  return stay;
}

// The array in memory of its own, so that it can be written where it is read.
template <class T>
opencl::Buffer<T> copy_of_part(opencl::Device& device, const opencl::Buffer<T>& from, std::size_t offset,
                               std::size_t pitch, const GridPart& part) {
  opencl::Buffer<T> copy(device, from.name() + ", part", part.rows * part.cols);
  copy.copy_rows(from, offset + part.row * pitch + part.col, pitch, 0, part.cols, part.rows, part.cols);
  return copy;
}

template <class T>
void write_part(const opencl::Buffer<T>& copy, opencl::Buffer<T>& to, std::size_t offset, std::size_t pitch,
                const GridPart& part) {
  to.copy_rows(copy, 0, part.cols, offset + part.row * pitch + part.col, pitch, part.rows, part.cols);
}

// Of a grid the vertices beside which there were none before; the first rows and columns of those that stay are beside
// others now.
std::vector<GridPart> new_parts(const JoinedGrid& grid, const GridPart& stay) {
  const std::size_t above = stay.row + stay.rows - 1, right = stay.col + stay.cols - 1;
  std::vector<GridPart> parts;
  if (stay.row > 0) parts.push_back({0, 0, stay.row + 1, grid.cols});
  if (above + 1 < grid.rows) parts.push_back({above, 0, grid.rows - above, grid.cols});
  if (stay.col > 0) parts.push_back({stay.row, 0, stay.rows, stay.col + 1});
  if (right + 1 < grid.cols) parts.push_back({stay.row, right, stay.rows, grid.cols - right});
  return parts;
}

bool is_in(const GridPart& part, const GridPart& other) {
  return part.row >= other.row && part.col >= other.col && part.row + part.rows <= other.row + other.rows &&
         part.col + part.cols <= other.col + other.cols;
}

}  // namespace

void TerrainBuffers::set_ground(const GroundChange& change) {
  const std::size_t terrain = change.ground;
  const JoinedGrid grid = joined_grid(change.tiles);
  const TerrainRecord& record = records_host_[terrain];
  const auto rows = static_cast<std::size_t>(record.rows), cols = static_cast<std::size_t>(record.cols);
  const bool is_turned = record.turned != 0;
  const std::size_t rows_before = is_turned ? cols : rows, cols_before = is_turned ? rows : cols;
  const Stay stay = part_that_stays(rows_before, cols_before, change.moved, grid.rows, grid.cols);
  const std::uint32_t rising = rising_cells(diagonal_from(grid.offsets[0], change.tiles[0]->diagonal));
  const bool moves =
      change.moved.row != 0 || change.moved.col != 0 || grid.rows != rows_before || grid.cols != cols_before;
  // Diagonals that alternate as before alternate another way from a first cell an odd number of cells away.
  const bool is_odd = (change.moved.row + change.moved.col) % 2 != 0;
  const bool is_cut_alike = record.rising == 0 || (rising == record.rising) != is_odd;
  if (change.come_and_go) keep_names(terrain);
  if (!is_cut_alike || stay.now.rows < 2 || stay.now.cols < 2) return replace_whole(terrain, change);
  std::vector<GridPart> parts;
  if (moves) {
    parts = new_parts(grid, stay.now);
    shift(terrain, grid, rising, change.moved);
  } else {
    move(terrain, grid.origin);
  }
  const std::size_t count = parts.size();
  for (const GridPart& part : change.vertices)
    if (std::none_of(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(count),
                     [&](const GridPart& other) { return is_in(part, other); }))
      parts.push_back(part);
  for (const GridPart& part : parts) {
    const GridPart cells = replace_part(terrain, grid, part, change.tiles);
    renew_flags(terrain, cells);
    if (!moves) renew_bounds(terrain, cells);
    label_faces(terrain, cells);
  }
  if (moves)
    renew_bounds(terrain, {0, 0, static_cast<std::size_t>(record.rows - 1), static_cast<std::size_t>(record.cols - 1)});
  const GroundFaces::Range names = ground_faces_[terrain].join();
  if (moves)
    upload_names(terrain);
  else
    upload_names(terrain, names);
}

// The cells that are others then.
GridPart TerrainBuffers::replace_part(std::size_t terrain, const JoinedGrid& grid, const GridPart& v,
                                      std::span<const Terrain* const> tiles) {
  const std::size_t row = std::max<std::size_t>(v.row, 1) - 1, col = std::max<std::size_t>(v.col, 1) - 1;
  const GridPart c{row, col, std::min(v.row + v.rows, grid.rows - 1) - row,
                   std::min(v.col + v.cols, grid.cols - 1) - col};
  std::vector<double> heights = joined_heights(grid, tiles, v);
  const JoinedCells cells = joined_cells(grid, tiles, c);
  const bool is_turned = records_host_[terrain].turned != 0;
  const GridPart there = is_turned ? turned_part(v, grid.cols) : v;
  if (is_turned) heights = turned_values<double>(heights, v.rows, v.cols);
  std::vector<float> high(heights.size()), low(heights.size());
  const HighHeights parts(heights, high.data());
  write_low_heights(heights, low.data());
  if (parts.has_low && records_host_[terrain].has_low == 0) give_low_parts(terrain);
  if (any_set(cells.material) && records_host_[terrain].has_material == 0) give_material(terrain);
  if (any_set(cells.open) && records_host_[terrain].has_open == 0) {
    records_host_[terrain].has_open = 1;
    upload_records();
  }
  const TerrainRecord& record = records_host_[terrain];
  const auto pitch = static_cast<std::size_t>(record.cols);
  const std::size_t vertex = there.row * pitch + there.col;
  heights_.upload_rows(high, there.cols, record.vertex_offset + vertex, pitch);
  if (record.has_low != 0) heights_low_.upload_rows(low, there.cols, record.low_offset + vertex, pitch);
  const GridPart changed = upload_cells(holes_, record.cell_offset, record, c, cells.open);
  if (record.has_material != 0) {
    const std::vector<std::uint8_t> none(cells.material.empty() ? cells.open.size() : 0, 0);
    upload_cells(material_, record.material_offset, record, c, none.empty() ? cells.material : none);
  }
  return changed;
}

// Beside the names is room for as many as it will have wherever it goes.
void TerrainBuffers::keep_names(std::size_t terrain) {
  GroundFaces& faces = ground_faces_[terrain];
  if (faces.keeps()) return;
  faces.keep();
  give_room_for_names(terrain);
  upload_records();
  upload_names(terrain);
}

void TerrainBuffers::give_room_for_names(std::size_t terrain) {
  TerrainRecord& record = records_host_[terrain];
  const auto rows = static_cast<std::size_t>(record.rows - 1), cols = static_cast<std::size_t>(record.cols - 1);
  give_room(record.face_name_offset, rooms_[terrain].names, oclide::face_names(rows, cols, true), face_names_);
}

namespace {

struct DeviceGroundNames final : GroundNames {
  struct Ground {
    std::size_t terrain;
    CellNumbers numbers;
    std::size_t rows, cols;  // cells, as they lie
    std::vector<std::uint16_t> labels;
    std::vector<std::vector<std::uint32_t>> kept;
  };
  std::vector<Ground> grounds;
};

}  // namespace

std::shared_ptr<const GroundNames> TerrainBuffers::names() const {
  auto all = std::make_shared<DeviceGroundNames>();
  for (std::size_t k = 0; k < records_host_.size(); ++k) {
    const TerrainRecord& record = records_host_[k];
    if (!ground_faces_[k].keeps()) continue;
    const auto rows = static_cast<std::size_t>(record.rows - 1), cols = static_cast<std::size_t>(record.cols - 1);
    all->grounds.push_back({k, ground_faces_[k].numbers(), rows, cols, {}, ground_faces_[k].kept()});
    all->grounds.back().labels.resize(rows * cols);
    faces_.download(all->grounds.back().labels, record.cell_offset);
  }
  return all->grounds.empty() ? nullptr : all;
}

void TerrainBuffers::set_names(const GroundNames& names) {
  const auto* all = dynamic_cast<const DeviceGroundNames*>(&names);
  if (all == nullptr) return;
  for (const DeviceGroundNames::Ground& ground : all->grounds) {
    if (ground.terrain >= records_host_.size()) continue;
    const TerrainRecord& record = records_host_[ground.terrain];
    const GridPart whole{0, 0, ground.rows, ground.cols};
    if (record.rows != static_cast<cl_int>(ground.rows + 1) || record.cols != static_cast<cl_int>(ground.cols + 1))
      continue;
    ground_faces_[ground.terrain] = GroundFaces(ground.rows, ground.cols, record.rising, ground.numbers, ground.kept);
    give_room_for_names(ground.terrain);
    upload_records();
    faces_.upload(ground.labels, record.cell_offset);
    label_faces(ground.terrain, whole);
    (void)ground_faces_[ground.terrain].join();
    upload_names(ground.terrain);
  }
}

// How far the grid has moved, as it lies: the first row of one that lies turned is the scene's last column.
LatticeOffset TerrainBuffers::moved_as_it_lies(std::size_t terrain, std::size_t rows, LatticeOffset moved) const {
  const TerrainRecord& record = records_host_[terrain];
  if (record.turned == 0) return moved;
  return {std::int64_t{record.rows} - static_cast<std::int64_t>(rows) - moved.col, moved.row};
}

// Makes room for the joined grid as it is now and moves what stays of it, with what is known of that.
void TerrainBuffers::shift(std::size_t terrain, const JoinedGrid& grid, std::uint32_t rising, LatticeOffset moved) {
  TerrainRecord& record = records_host_[terrain];
  Room& room = rooms_[terrain];
  const bool is_turned = record.turned != 0;
  const auto rows_before = static_cast<std::size_t>(record.rows), cols_before = static_cast<std::size_t>(record.cols);
  const std::size_t rows = is_turned ? grid.cols : grid.rows, cols = is_turned ? grid.rows : grid.cols;
  moved = moved_as_it_lies(terrain, rows, moved);
  const Stay vertices = part_that_stays(rows_before, cols_before, moved, rows, cols);
  const Stay cells = part_that_stays(rows_before - 1, cols_before - 1, moved, rows - 1, cols - 1);
  const auto with_copy = [&](const auto& buffer, std::size_t offset, const Stay& stay, std::size_t fewer,
                             const auto& then) {
    then(copy_of_part(device_, buffer, offset, cols_before - fewer, stay.before));
  };
  with_copy(heights_, record.vertex_offset, vertices, 0, [&](const auto& copy) {
    give_room(record.vertex_offset, room.vertices, rows * cols, heights_);
    write_part(copy, heights_, record.vertex_offset, cols, vertices.now);
  });
  if (record.has_low != 0)
    with_copy(heights_low_, record.low_offset, vertices, 0, [&](const auto& copy) {
      give_room(record.low_offset, room.low, rows * cols, heights_low_);
      write_part(copy, heights_low_, record.low_offset, cols, vertices.now);
    });
  if (record.has_material != 0)
    with_copy(material_, record.material_offset, cells, 1, [&](const auto& copy) {
      give_room(record.material_offset, room.material, (rows - 1) * (cols - 1), material_);
      write_part(copy, material_, record.material_offset, cols - 1, cells.now);
    });
  const auto hole = copy_of_part(device_, holes_, record.cell_offset, cols_before - 1, cells.before);
  const auto flag = copy_of_part(device_, flags_, record.cell_offset, cols_before - 1, cells.before);
  const auto face = copy_of_part(device_, faces_, record.cell_offset, cols_before - 1, cells.before);
  give_room(record.cell_offset, room.cells, (rows - 1) * (cols - 1), holes_, flags_, faces_);
  faces_.fill(GroundFaces::kNoLabel, record.cell_offset, (rows - 1) * (cols - 1));
  write_part(hole, holes_, record.cell_offset, cols - 1, cells.now);
  write_part(flag, flags_, record.cell_offset, cols - 1, cells.now);
  write_part(face, faces_, record.cell_offset, cols - 1, cells.now);
  record.rows = static_cast<cl_int>(rows), record.cols = static_cast<cl_int>(cols);
  record.rising = rising;
  set_lattice_origin(record, is_turned ? turned_origin(grid.origin, rows, spacing_x_[terrain]) : grid.origin);
  give_room(record.bounds_offset, room.bounds, bounds_levels(record.rows - 1, record.cols - 1).back().offset + 1,
            bounds_);
  ground_faces_[terrain].move(moved.row, moved.col, rows - 1, cols - 1, rising);
  give_room_for_names(terrain);
  upload_records();
}

void TerrainBuffers::replace_whole(std::size_t terrain, const GroundChange& change) {
  Terrain ground = joined_ground(change.tiles);
  if (records_host_[terrain].turned != 0) ground = turned_terrain(ground);
  const std::size_t cell_rows = ground.rows - 1, cell_cols = ground.cols - 1;
  const UnsetArray<float> high(ground.heights.size());
  const HighHeights parts(ground.heights, high.data.get());
  const bool has_material = any_set(ground.material);
  TerrainRecord& record = records_host_[terrain];
  const LatticeOffset moved = moved_as_it_lies(terrain, ground.rows, change.moved);
  const CellNumbers numbers = ground_faces_[terrain].numbers().moved(moved.row, moved.col, cell_cols);
  set_lattice(record, ground.rows, ground.cols, ground.origin, ground.spacing);
  record.rising = rising_cells(ground.diagonal);
  record.has_low = parts.has_low ? 1U : 0U;
  record.has_material = has_material ? 1U : 0U;
  record.has_open = any_set(ground.holes) ? 1U : 0U;
  make_room(terrain, {ground.heights.size(), parts.has_low ? ground.heights.size() : 0, cell_rows * cell_cols,
                      has_material ? ground.material.size() : 0,
                      bounds_levels(record.rows - 1, record.cols - 1).back().offset + 1,
                      oclide::face_names(cell_rows, cell_cols, true)});
  upload_records();
  heights_.upload(high.span(), record.vertex_offset);
  if (parts.has_low) {
    const UnsetArray<float> low(ground.heights.size());
    write_low_heights(ground.heights, low.data.get());
    heights_low_.upload(low.span(), record.low_offset);
  }
  holes_.upload(ground.holes, record.cell_offset);
  if (has_material) material_.upload(ground.material, record.material_offset);
  renew_flags(terrain, {0, 0, cell_rows, cell_cols});
  renew_bounds(terrain, {0, 0, cell_rows, cell_cols});
  faces_.fill(GroundFaces::kNoLabel, record.cell_offset, cell_rows * cell_cols);
  ground_faces_[terrain] = GroundFaces(cell_rows, cell_cols, record.rising, numbers, true);
  label_faces(terrain, {0, 0, cell_rows, cell_cols});
  (void)ground_faces_[terrain].join();
  upload_names(terrain);
}

}  // namespace oclide
