// A vehicle drives 100 km over ground of which it has three by three tiles at a time: those behind it go, those before
// it come.
#include <array>
#include <cmath>
#include <cstdio>
#include <oclide/oclide.hpp>

namespace {

constexpr double kSpacing = 8.0;       // of vertices [m]
constexpr std::size_t kVertices = 65;  // of a tile along either axis
constexpr double kTile = kSpacing * static_cast<double>(kVertices - 1);

double height(double x, double y) {
  return 2.0 * std::sin(x / 90.0) + std::cos(y / 70.0);
}

// Tile (row, col) of the world. Neighbours have their border in common, with the same heights.
oclide::Terrain tile_at(int row, int col) {
  oclide::Terrain tile;
  tile.rows = tile.cols = kVertices;
  tile.origin = {kTile * col, kTile * row};
  tile.spacing = {kSpacing, kSpacing};
  for (std::size_t i = 0; i < kVertices; ++i)
    for (std::size_t j = 0; j < kVertices; ++j)
      tile.heights.push_back(height(tile.origin[0] + kSpacing * static_cast<double>(j),
                                    tile.origin[1] + kSpacing * static_cast<double>(i)));
  tile.tile_of = 0;
  return tile;
}

}  // namespace

int main() {
  oclide::Scene scene;
  std::array<std::array<std::size_t, 3>, 3> window;  // index of the tile in each column and row
  for (int col = 0; col < 3; ++col)
    for (int row = 0; row < 3; ++row) {
      window[static_cast<std::size_t>(col)][static_cast<std::size_t>(row)] = scene.terrains.size();
      scene.terrains.push_back(tile_at(row - 1, col - 1));
    }
  scene.bodies.shape = {oclide::Shape::box};
  scene.bodies.size = {{2.0, 1.0, 0.5}};
  oclide::Collider collider;
  collider.set_scene(scene);

  std::vector<double> position{0.0, 100.0, 0.0}, orientation{1.0, 0.0, 0.0, 0.0};
  std::size_t frames = 0, touching = 0;
  int at = 0;  // the tile under the vehicle
  for (double x = 0.0; x < 100'000.0; x += 160.0) {
    if (const int now = static_cast<int>(std::floor(x / kTile)); now > at) {
      at = now;
      oclide::TileChanges changes;
      changes.removed = {window[0].begin(), window[0].end()};
      for (int row = -1; row <= 1; ++row) changes.added.push_back(tile_at(row, at + 1));
      const std::vector<std::size_t> added = collider.change_tiles(changes);
      window = {window[1], window[2], {added[0], added[1], added[2]}};
    }
    position[0] = x;
    position[2] = height(x, 100.0) + 0.4;
    ++frames;
    touching += collider.update({position, orientation}).contacts.empty() ? 0 : 1;
  }
  std::printf("%d tiles along the way, %zu of %zu frames on the ground\n", at + 1, touching, frames);
  return at == 195 && touching == frames ? 0 : 1;
}
