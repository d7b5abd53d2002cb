// What bodies touch is called as before where tiles come and go elsewhere: docs/worlds.md, "Tiles".
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "scene/tiles.hpp"
#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

class MovingWindow : public OnEachDevice {
 protected:
  Collider tracked() {
    Settings settings;
    settings.device = GetParam() == "opencl" ? opencl_device() : "reference";
    settings.track = true;
    return Collider(settings);
  }
};
OCLIDE_ON_EACH_DEVICE(MovingWindow);

// EndlessGround without an end, by the vertex of its lattice: hills, bumps on all of it, or a plain with stones.
enum class EndlessGround { hills, bumps, plain };
constexpr double kCellSize = 0.5;  // [m]

std::uint32_t lattice_mix(long i, long j) {
  std::uint32_t h = static_cast<std::uint32_t>(i) * 0x9E3779B1U ^ static_cast<std::uint32_t>(j) * 0x85EBCA6BU;
  h = (h ^ h >> 15) * 0xC2B2AE35U;
  return h ^ h >> 13;
}

double height_of_ground(EndlessGround ground, long i, long j) {
  if (ground == EndlessGround::hills)
    return std::sin(0.3 * static_cast<double>(j)) * std::cos(0.2 * static_cast<double>(i));
  const double bump = static_cast<double>(lattice_mix(i, j) % 256) / 1024.0;
  return ground == EndlessGround::bumps || lattice_mix(i, j) % 16 == 0 ? bump : 0.0;
}

// The window has 3 x 3 tiles of so many cells, the one in the middle at (row, col), counted in tiles.
struct EndlessWorld {
  EndlessGround ground;
  Diagonal diagonal;
  long cells;

  [[nodiscard]] Terrain tile(long row, long col) const {
    Terrain t;
    t.rows = t.cols = static_cast<std::size_t>(cells + 1);
    t.spacing = {kCellSize, kCellSize};
    t.origin = {kCellSize * static_cast<double>(col * cells), kCellSize * static_cast<double>(row * cells)};
    for (long i = 0; i <= cells; ++i)
      for (long j = 0; j <= cells; ++j) t.heights.push_back(height_of_ground(ground, row * cells + i, col * cells + j));
    t.diagonal = diagonal_from({row * cells, col * cells}, diagonal);
    t.tile_of = 0;
    return t;
  }
};

// Bodies of all shapes that lie in the ground, two cells from the tile's sides at least.
void lay_bodies(TestScene& s, const EndlessWorld& world, long row, long col, std::mt19937_64& random) {
  std::uniform_real_distribution<double> within(2.0, static_cast<double>(world.cells) - 2.0);
  for (std::size_t k = 0; k < 12; ++k) {
    const double x = static_cast<double>(col * world.cells) + within(random);
    const double y = static_cast<double>(row * world.cells) + within(random);
    const double z = height_of_ground(world.ground, std::lround(y), std::lround(x));
    s.add(of_any_shape(k, 0.3, {kCellSize * x, kCellSize * y, z + 0.1}, random_orientation(random)));
  }
}

struct WindowWalk {
  const char* name;
  EndlessWorld world;
  std::vector<std::array<long, 2>> steps;  // in tiles, (row, column)
};

std::vector<WindowWalk> window_walks() {
  const std::vector<std::array<long, 2>> around{{0, 1},  {0, 1},  {1, 1},  {1, 0}, {0, -1}, {-1, -1},
                                                {-1, 0}, {-1, 1}, {0, -1}, {2, 0}, {0, 0}};
  return {{"hills", {EndlessGround::hills, Diagonal::falling, 24}, around},
          {"bumps", {EndlessGround::bumps, Diagonal::rising, 21}, around},
          {"plain", {EndlessGround::plain, Diagonal::falling, 64}, around},
          {"plain that is small", {EndlessGround::plain, Diagonal::rising, 10}, around},
          {"chessboard", {EndlessGround::plain, Diagonal::alternating_rising, 27}, around},
          {"chess and bumps", {EndlessGround::bumps, Diagonal::alternating_falling, 25}, around}};
}

TEST_P(MovingWindow, LeavesWhatBodiesTouchAsItIsCalled) {
  for (const WindowWalk& walk : window_walks()) {
    SCOPED_TRACE(walk.name);
    const EndlessWorld& world = walk.world;
    std::mt19937_64 random(5);
    TestScene s;
    for (long row = -1; row <= 1; ++row)
      for (long col = -1; col <= 1; ++col) lay_bodies(s, world, row, col, random);
    std::map<std::array<long, 2>, std::size_t> window;
    for (long row = -1; row <= 1; ++row)
      for (long col = -1; col <= 1; ++col) {
        window[{row, col}] = s.scene.terrains.size();
        s.scene.terrains.push_back(world.tile(row, col));
      }
    Collider collider = tracked(), anew = tracked();
    collider.set_scene(s.scene);
    std::array<long, 2> at{0, 0};
    std::size_t stayed = 0;
    for (const std::array<long, 2>& step : walk.steps) {
      const FrameContacts before = collider.collide(s.poses());
      at = {at[0] + step[0], at[1] + step[1]};
      TileChanges changes;
      std::set<std::array<long, 2>> stay;
      std::vector<std::array<long, 2>> come;
      for (auto tile = window.begin(); tile != window.end();) {
        const auto [row, col] = tile->first;
        if (std::abs(row - at[0]) <= 1 && std::abs(col - at[1]) <= 1) {
          stay.insert((tile++)->first);
        } else {
          changes.removed.push_back(tile->second);
          tile = window.erase(tile);
        }
      }
      for (long row = at[0] - 1; row <= at[0] + 1; ++row)
        for (long col = at[1] - 1; col <= at[1] + 1; ++col)
          if (!stay.contains({row, col})) {
            come.push_back({row, col});
            changes.added.push_back(world.tile(row, col));
          }
      const std::vector<std::size_t> added = collider.change_tiles(changes);
      for (std::size_t k = 0; k < come.size(); ++k) window[come[k]] = added[k];
      const FrameContacts after = collider.collide(s.poses());
      // Bodies on tiles that are there before and after.
      const auto is_on_ground_that_stays = [&](std::uint32_t body) {
        const double side = kCellSize * static_cast<double>(world.cells);
        return stay.contains({std::lround(std::floor(s.position[3 * body + 1] / side)),
                              std::lround(std::floor(s.position[3 * body] / side))});
      };
      const auto of_those = [&](const FrameContacts& frame) {
        std::vector<Contact> found;
        for (const Contact& c : frame.contacts)
          if (is_on_ground_that_stays(c.body_a)) found.push_back(c), found.back().manifold = 0;
        return found;
      };
      std::vector<Contact> found = of_those(after);
      const std::vector<Contact> expected = of_those(before);
      ASSERT_EQ(found.size(), expected.size());
      // The reference rounds by where the grid begins.
      for (std::size_t k = 0; GetParam() == "reference" && k < found.size(); ++k) {
        ASSERT_LT(glm::length(point_of(found[k]) - point_of(expected[k])), 1e-9);
        found[k].point = expected[k].point, found[k].normal = expected[k].normal, found[k].depth = expected[k].depth;
      }
      EXPECT_TRUE(same_bits(found, expected));
      std::size_t ends = 0;
      for (const ManifoldEvent& event : after.events) {
        if (!is_on_ground_that_stays(event.body_a)) continue;
        EXPECT_EQ(event.change, Change::persist) << "body " << event.body_a;
        ends += event.change != Change::persist;
        ++stayed;
      }
      ASSERT_EQ(ends, 0U) << "of " << after.events.size() << " at " << at[0] << ", " << at[1];
      for (std::size_t k = 0; k < after.contacts.size(); ++k)
        if (is_on_ground_that_stays(after.contacts[k].body_a)) EXPECT_NE(after.previous[k], kNone);
      // But for what it is called it is the ground of a Collider that has known no other.
      Scene now = s.scene;
      now.terrains.clear();
      std::map<std::size_t, std::array<long, 2>> in_order;
      for (const auto& [tile, index] : window) in_order[index] = tile;
      for (const auto& [index, tile] : in_order) now.terrains.push_back(world.tile(tile[0], tile[1]));
      anew.set_scene(now);
      EXPECT_TRUE(same_but_for_names(after.contacts, anew.collide(s.poses()).contacts));
      // Some bodies go along.
      for (int k = 0; k < 30; ++k) {
        const std::size_t body = random() % s.scene.bodies.count();
        const double side = kCellSize * static_cast<double>(world.cells);
        const double x = s.position[3 * body], y = s.position[3 * body + 1];
        const double col = std::floor(x / side), row = std::floor(y / side);
        const double to_col = static_cast<double>(at[1] + k % 3 - 1),
                     to_row = static_cast<double>(at[0] + k / 3 % 3 - 1);
        s.position[3 * body] += (to_col - col) * side, s.position[3 * body + 1] += (to_row - row) * side;
        s.position[3 * body + 2] = height_of_ground(world.ground, std::lround(s.position[3 * body + 1] / kCellSize),
                                                    std::lround(s.position[3 * body] / kCellSize)) +
                                   0.1;
      }
    }
    EXPECT_GT(stayed, 400U);
  }
}

}  // namespace
}  // namespace oclide::test
