// Grounds on the device whose tiles change.
#include "terrain/joined_ground.hpp"
#include "terrain/terrain_arrays.hpp"
#include "terrain/terrain_buffers.hpp"
#include "terrain/turned_grid.hpp"

namespace oclide {

// Where the room of a terrain is not enough it goes behind all others; the last one grows where it is. What it had
// there is lost. It gets half as much again as before at least, so that what it leaves behind, as several grounds grow
// in turn, is no more than twice what it has.
void TerrainBuffers::make_room(std::size_t terrain, const Room& need) {
  TerrainRecord& record = records_host_[terrain];
  Room& room = rooms_[terrain];
  const auto give = [](auto& offset, std::size_t& has, std::size_t needs, auto&... buffers) {
    if (needs <= has) return;
    const std::size_t size = std::max({buffers.size()...});
    const bool is_last = offset + has == size;
    has = is_last ? needs : std::max(needs, has + has / 2);
    if (!is_last) offset = size;
    (buffers.grow(offset + has), ...);
  };
  give(record.vertex_offset, room.vertices, need.vertices, heights_);
  give(record.low_offset, room.low, need.low, heights_low_);
  give(record.cell_offset, room.cells, need.cells, holes_, flags_, faces_);
  give(record.material_offset, room.material, need.material, material_);
  give(record.bounds_offset, room.bounds, need.bounds, bounds_);
  give(record.face_name_offset, room.names, need.names, face_names_);
}

void TerrainBuffers::set_ground(const GroundChange& change) {
  const JoinedGrid grid = joined_grid(change.tiles);
  const std::uint32_t rising = rising_cells(diagonal_from(grid.offsets[0], change.tiles[0]->diagonal));
  if (change.is_whole || rising != records_host_[change.ground].rising) return replace_whole(change.ground, change);
  move(change.ground, grid.origin);
  if (!change.vertices.is_empty()) replace_part(change.ground, grid, change);
}

void TerrainBuffers::replace_part(std::size_t terrain, const JoinedGrid& grid, const GroundChange& change) {
  const GridPart& v = change.vertices;
  const std::size_t row = std::max<std::size_t>(v.row, 1) - 1, col = std::max<std::size_t>(v.col, 1) - 1;
  const GridPart c{row, col, std::min(v.row + v.rows, grid.rows - 1) - row,
                   std::min(v.col + v.cols, grid.cols - 1) - col};
  std::vector<double> heights = joined_heights(grid, change.tiles, v);
  const JoinedCells cells = joined_cells(grid, change.tiles, c);
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
  renew_cells(terrain, changed);
}

void TerrainBuffers::replace_whole(std::size_t terrain, const GroundChange& change) {
  Terrain ground = joined_ground(change.tiles);
  if (records_host_[terrain].turned != 0) ground = turned_terrain(ground);
  const std::size_t cell_rows = ground.rows - 1, cell_cols = ground.cols - 1;
  const UnsetArray<float> high(ground.heights.size());
  const HighHeights parts(ground.heights, high.data.get());
  const bool has_material = any_set(ground.material);
  TerrainRecord& record = records_host_[terrain];
  set_lattice(record, ground.rows, ground.cols, ground.origin, ground.spacing);
  record.rising = rising_cells(ground.diagonal);
  record.has_low = parts.has_low ? 1U : 0U;
  record.has_material = has_material ? 1U : 0U;
  record.has_open = any_set(ground.holes) ? 1U : 0U;
  make_room(terrain, {ground.heights.size(), parts.has_low ? ground.heights.size() : 0, cell_rows * cell_cols,
                      has_material ? ground.material.size() : 0,
                      bounds_levels(record.rows - 1, record.cols - 1).back().offset + 1,
                      oclide::face_names(cell_rows, cell_cols)});
  upload_records();
  heights_.upload(high.span(), record.vertex_offset);
  if (parts.has_low) {
    const UnsetArray<float> low(ground.heights.size());
    write_low_heights(ground.heights, low.data.get());
    heights_low_.upload(low.span(), record.low_offset);
  }
  holes_.upload(ground.holes, record.cell_offset);
  if (has_material) material_.upload(ground.material, record.material_offset);
  renew(terrain, 0, 0, record.rows - 2, record.cols - 2);
  GroundFaces& faces = ground_faces_[terrain] = GroundFaces(cell_rows, cell_cols, record.rising);
  const UnsetArray<std::uint8_t> flags(cell_rows * cell_cols);
  const UnsetArray<std::uint16_t> labels(flags.size);
  flags_.download(flags.span(), record.cell_offset);
  faces.label(faces.whole(), flags.data.get(), cell_cols, labels.data.get(), cell_cols);
  faces.join();
  faces_.upload(labels.span(), record.cell_offset);
  face_names_.upload(faces.names(), record.face_name_offset);
}

}  // namespace oclide
