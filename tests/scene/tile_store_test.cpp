// A world whose tiles have come and gone is made again with the same tiles at the same indices.
#include "scene/tile_store.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "support/terrains.hpp"

namespace oclide::test {
namespace {

// Tile `place` of a flat world whose diagonals alternate, 3 x 4 vertices.
Terrain tile_at(std::size_t place, std::int32_t ground) {
  Terrain tile =
      plane({3, 4, {3.0 * static_cast<double>(place % 4), 2.0 * static_cast<double>(place / 4)}, {1.0, 1.0}}, 0.0, 0.0);
  tile.tile_of = ground;
  tile.diagonal = place % 2 == 0 ? Diagonal::alternating_rising : Diagonal::alternating_falling;
  return tile;
}

// Three grounds, and a terrain that is no tile, 3.
std::vector<Terrain> grounds_and_a_terrain() {
  return {tile_at(0, 0), tile_at(1, 0), tile_at(4, 0), tile_at(9, -1), tile_at(0, 4), tile_at(5, 4), tile_at(7, 6)};
}

TEST(TileStore, IsMadeAgainWithTheSameTilesAtTheSameIndices) {
  std::mt19937_64 random(3);
  TileStore store;
  store.set(grounds_and_a_terrain());
  TileStore again = store;
  std::size_t lower = 0, gone = 0;
  for (int step = 0; step < 300; ++step) {
    TileChanges changes;
    changes.ground = std::array<std::size_t, 3>{0, 4, 6}[random() % 3];
    for (std::size_t k = 0; k < store.sizes().size(); ++k)
      if (store.is_tile(k) && store.ground_of(k) == changes.ground && store.sizes()[k].rows > 0 && random() % 2 == 0)
        changes.removed.push_back(k);
    for (std::size_t count = 1 + random() % 2; count > 0; --count) changes.added.push_back(tile_at(random() % 12, 0));
    std::vector<std::size_t> added, added_again;
    store.change(changes, added);
    again.change(changes, added_again);
    ASSERT_EQ(added, added_again) << step;

    std::vector<Terrain> terrains(7);
    terrains[3] = tile_at(9, -1);
    const std::vector<TileChanges> then = store.restore(terrains);
    ASSERT_NO_THROW((void)checked_grounds(terrains)) << step;
    again.set(terrains);
    for (const TileChanges& change : then) again.change(change, added_again);
    ASSERT_EQ(store.sizes().size(), again.sizes().size());
    for (std::size_t k = 0; k < store.sizes().size(); ++k) {
      ASSERT_EQ(store.sizes()[k].rows, again.sizes()[k].rows) << step << " " << k;
      ASSERT_EQ(store.is_tile(k), again.is_tile(k));
      if (!store.is_tile(k)) continue;
      gone += store.sizes()[k].rows == 0 ? 1 : 0;
      if (store.sizes()[k].rows == 0) continue;
      lower += k < store.ground_of(k) ? 1 : 0;
      ASSERT_EQ(store.ground_of(k), again.ground_of(k));
      ASSERT_EQ(store.tile(k).origin, again.tile(k).origin);
      ASSERT_EQ(store.tile(k).heights, again.tile(k).heights);
      ASSERT_EQ(store.tile(k).diagonal, again.tile(k).diagonal);
    }
  }
  EXPECT_GT(lower, 0U);
  EXPECT_GT(gone, 0U);
}

TEST(TileStore, HasTilesThatASceneMayHaveWhicheverIsTheFirst) {
  std::vector<Terrain> terrains{tile_at(0, 0), tile_at(1, 0), tile_at(2, 0)};
  terrains[2].origin[0] += 0.9e-6;
  TileStore store;
  store.set(terrains);
  Terrain next = tile_at(3, 0);
  next.origin[0] -= 0.9e-6;
  std::vector<std::size_t> added;
  try {
    store.change({0, {0}, {next}}, added);
    FAIL() << "it is off the lattice of terrain 2";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("off the lattice of added[0]"), std::string::npos) << error.what();
  }
  store.change({0, {}, {next}}, added);
  EXPECT_EQ(added, std::vector<std::size_t>{3});
}

}  // namespace
}  // namespace oclide::test
