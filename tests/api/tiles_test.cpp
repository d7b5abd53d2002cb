// Tiles of terrain: docs/worlds.md, "Tiles".
#include "scene/tiles.hpp"

#include <numeric>
#include <set>

#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

class Tiles : public OnEachDevice {};
OCLIDE_ON_EACH_DEVICE(Tiles);

// Vertices [row, row + rows) x [col, col + cols) of a terrain.
Terrain part_of(const Terrain& t, std::size_t row, std::size_t col, std::size_t rows, std::size_t cols) {
  Terrain part;
  part.rows = rows, part.cols = cols;
  part.spacing = t.spacing;
  part.origin = {t.origin[0] + static_cast<double>(col) * t.spacing[0],
                 t.origin[1] + static_cast<double>(row) * t.spacing[1]};
  part.group = t.group, part.category = t.category, part.mask = t.mask;
  part.diagonal = diagonal_from({static_cast<std::int64_t>(row), static_cast<std::int64_t>(col)}, t.diagonal);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) {
      part.heights.push_back(t.heights[vertex(t, row + i, col + j)]);
      if (i + 1 == rows || j + 1 == cols) continue;
      if (!t.holes.empty()) part.holes.push_back(t.holes[cell(t, row + i, col + j)]);
      if (!t.material.empty()) part.material.push_back(t.material[cell(t, row + i, col + j)]);
    }
  return part;
}

// Ascending places to cut `vertices` at, the ends included.
std::vector<std::size_t> cuts(std::size_t vertices, std::size_t parts, std::mt19937_64& random) {
  std::set<std::size_t> at{0, vertices - 1};
  while (at.size() < parts + 1) at.insert(random() % vertices);
  return {at.begin(), at.end()};
}

// A terrain cut at random, some tiles with a few rows and columns of the next ones, in random order.
std::vector<Terrain> cut(const Terrain& t, std::size_t parts, std::mt19937_64& random) {
  std::vector<Terrain> tiles;
  const std::vector<std::size_t> rows = cuts(t.rows, parts, random), cols = cuts(t.cols, parts, random);
  for (std::size_t i = 0; i < parts; ++i)
    for (std::size_t j = 0; j < parts; ++j) {
      const std::size_t more = tiles.size() % 3 == 1 ? 3 : 0;
      const std::size_t end_row = std::min(rows[i + 1] + more, t.rows - 1),
                        end_col = std::min(cols[j + 1] + more, t.cols - 1);
      tiles.push_back(part_of(t, rows[i], cols[j], end_row - rows[i] + 1, end_col - cols[j] + 1));
    }
  std::shuffle(tiles.begin(), tiles.end(), random);
  for (Terrain& tile : tiles) tile.tile_of = 0;
  return tiles;
}

// All shapes over rough ground with holes, gaps and material, whose lattice has exact numbers; of seeds 2 and 6 with
// diagonals that rise, of 3 and 4 with some that alternate.
TestScene tile_world(std::size_t bodies, std::uint64_t seed) {
  TestScene s = heap(bodies, seed);
  std::mt19937_64 random(seed);
  Terrain& t = s.scene.terrains[0];
  t.spacing = {0.5, 0.375};
  if (seed == 2 || seed == 6) t.diagonal = Diagonal::rising;
  if (seed == 3) t.diagonal = Diagonal::alternating_rising;
  if (seed == 4) t.diagonal = Diagonal::alternating_falling;
  open_cells(t, 0.05, seed);
  for (int k = 0; k < 20; ++k) t.heights[random() % t.heights.size()] = kNoData;
  // Some flat ground, whose faces lead from tile to tile.
  for (std::size_t i = 8; i < 30; ++i)
    for (std::size_t j = 12; j < 33; ++j) t.heights[vertex(t, i, j)] = 0.125;
  for (std::size_t k = 0; k < (t.rows - 1) * (t.cols - 1); ++k)
    t.material.push_back(static_cast<std::uint8_t>(random()));
  s.scene.environment_terrain = {0, -1};
  return s;
}

// All that a scene is asked, one hash each.
std::vector<std::uint64_t> answers(Collider& collider, const TestScene& s) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> x(-10.0, 10.0), z(-1.0, 2.0), any(-1.0, 1.0);
  const std::size_t n = 300;
  std::vector<double> origin, direction, turns;
  for (std::size_t k = 0; k < n; ++k) {
    for (const double v : {x(random), x(random), z(random)}) origin.push_back(v);
    for (int a = 0; a < 3; ++a) direction.push_back(any(random));
    for (const double v : {1.0, 0.0, 0.0, 0.0}) turns.push_back(v);
  }
  std::vector<double> fall(3 * s.scene.bodies.count());
  for (double& v : fall) v = any(random);
  const std::vector<Shape> ball{Shape::sphere};
  const std::vector<std::array<double, 3>> size{{0.2, 0.0, 0.0}};
  QueryShapes shapes;
  shapes.shape = ball, shapes.size = size, shapes.position = origin, shapes.orientation = turns;
  QueryPoints points;
  points.position = origin;
  const FrameContacts frame = collider.collide(s.poses());
  EXPECT_GT(frame.contacts.size(), 40U);
  const Overlaps overlaps = collider.overlap(s.poses(), shapes);
  EXPECT_GT(overlaps.overlap_count, 20U);
  std::uint64_t overlap_hash = 0;
  for (const std::uint8_t o : overlaps.overlaps) overlap_hash = 31 * overlap_hash + o;
  return {contact_hash(frame.contacts), hit_hash(collider.cast(s.poses(), {origin, direction, {}, {}, {}}).hits),
          impact_hash(collider.sweep(s.poses(), {fall, {}}).impacts), overlap_hash,
          hit_hash(collider.distance(s.poses(), points).nearest)};
}

TEST_P(Tiles, GiveTheBitsOfTheGridThatJoinsThem) {
  Collider& collider = collider_on(GetParam(), 0.02);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    std::mt19937_64 random(seed);
    TestScene s = tile_world(90, seed);
    collider.set_scene(s.scene);
    const std::vector<std::uint64_t> expected = answers(collider, s);
    s.scene.terrains = cut(s.scene.terrains[0], 1 + seed, random);
    if (seed == 3) s.scene.terrains[0].tile_of = -1;  // the others name it
    collider.set_scene(s.scene);
    EXPECT_EQ(answers(collider, s), expected) << seed;
    if (seed == 2) (void)contacts(s, 0.02);  // which validates
  }
}

// Four tiles of one cell meet under a body.
TEST_P(Tiles, MeetInACorner) {
  const Terrain whole = peak(0.25);
  std::vector<Terrain> tiles{part_of(whole, 0, 0, 2, 2), part_of(whole, 0, 1, 2, 2), part_of(whole, 1, 0, 2, 2),
                             part_of(whole, 1, 1, 2, 2)};
  for (Terrain& t : tiles) t.tile_of = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    TestScene s(whole, {of_any_shape(k, 0.5, {0.01, 0.02, 0.4}, turn({1, 2, 3}, 0.3))});
    const std::vector<Contact> expected = contacts(s);
    ASSERT_FALSE(expected.empty());
    s.scene.terrains = tiles;
    EXPECT_TRUE(same_bits(contacts(s), expected));
    // Without one of them there is a corner that is open.
    s.scene.terrains.pop_back();
    Terrain with_hole = whole;
    with_hole.holes = {0, 0, 0, 1};
    with_hole.heights[8] = kNoData;
    EXPECT_TRUE(same_bits(
        contacts(s), contacts(TestScene(with_hole, {of_any_shape(k, 0.5, {0.01, 0.02, 0.4}, turn({1, 2, 3}, 0.3))}))));
  }
}

// A cell is what its tile says: what a tile does not know of a vertex it shares opens its own cells alone.
TEST_P(Tiles, OpenTheirOwnCellsAtASeam) {
  const Terrain whole = rough({5, 9, {-4.0, -2.0}, {1.0, 1.0}}, 0.1, 3);
  Terrain left = part_of(whole, 0, 0, 5, 5), right = part_of(whole, 0, 4, 5, 5), joined = whole;
  left.tile_of = right.tile_of = 0;
  left.heights[vertex(left, 2, 4)] = kNoData;
  right.holes.assign(16, 0);
  right.holes[cell(right, 3, 0)] = 1;
  joined.holes.assign(32, 0);
  for (const std::size_t hole : {cell(joined, 1, 3), cell(joined, 2, 3), cell(joined, 3, 4)}) joined.holes[hole] = 1;
  TestScene s;
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> x(-1.5, 1.5);
  for (std::size_t k = 0; k < 40; ++k)
    s.add(of_any_shape(k, 0.3, {x(random), x(random), 0.2}, random_orientation(random)));
  s.scene.terrains = {joined};
  const std::vector<Contact> expected = contacts(s);
  s.scene.terrains = {left, right};
  EXPECT_TRUE(same_bits(contacts(s), expected));
}

// ---------------------------------------------------------------------------------------------------- they come and go

// Tiles as a Collider has them, and the same scene for one that has never known others.
struct ChangingTiles {
  Terrain whole;  // all that there may be
  std::vector<Terrain> terrains;

  [[nodiscard]] Scene scene(const TestScene& s) const {
    Scene now = s.scene;
    now.terrains.clear();
    for (const Terrain& t : terrains)
      if (t.rows > 0) now.terrains.push_back(t);
    for (Terrain& t : now.terrains) t.tile_of = 0;
    return now;
  }
};

TEST_P(Tiles, ThatComeAndGoAreThoseOfAColliderThatKnewNoOthers) {
  Collider& cold = collider_on(GetParam());
  Settings settings;
  settings.device = GetParam() == "opencl" ? opencl_device() : "reference";
  settings.track = true;
  Collider collider(settings);
  std::mt19937_64 random(8);
  TestScene s = tile_world(80, 4);
  const Terrain all = s.scene.terrains[0];
  s.scene.terrains = cut(all, 4, random);
  std::vector<Terrain> spare(s.scene.terrains.begin() + 9, s.scene.terrains.end());
  s.scene.terrains.resize(9);
  ChangingTiles tiles{all, s.scene.terrains};
  collider.set_scene(s.scene);
  std::uint64_t bodies_persist = 0;
  for (int step = 0; step < 14; ++step) {
    const auto present = [&] {
      std::vector<std::size_t> list;
      for (std::size_t k = 0; k < tiles.terrains.size(); ++k)
        if (tiles.terrains[k].rows > 0) list.push_back(k);
      return list;
    };
    if (step % 4 != 3) {
      TileChanges changes;
      for (std::size_t count = 1 + random() % 3; count > 0 && present().size() > 1; --count) {
        const std::vector<std::size_t> there = present();
        const std::size_t k = there[random() % there.size()];
        changes.removed.push_back(k);
        spare.push_back(std::exchange(tiles.terrains[k], {}));
      }
      for (std::size_t count = 1 + random() % 3; count > 0; --count) {
        const std::size_t k = random() % spare.size();
        changes.added.push_back(spare[k]);
        spare.erase(spare.begin() + static_cast<std::ptrdiff_t>(k));
      }
      const std::vector<Terrain> added = changes.added;
      const std::vector<std::size_t> indices = collider.change_tiles(changes);
      ASSERT_EQ(indices.size(), added.size());
      for (std::size_t k = 0; k < added.size(); ++k) {
        if (indices[k] >= tiles.terrains.size()) tiles.terrains.resize(indices[k] + 1);
        ASSERT_EQ(tiles.terrains[indices[k]].rows, 0U);
        tiles.terrains[indices[k]] = added[k];
      }
    } else {
      // Heights of a part of one are heights of all that have these vertices.
      const std::vector<std::size_t> there = present();
      const std::size_t k = there[random() % there.size()];
      Terrain& own = tiles.terrains[k];
      std::vector<double> heights(own.heights.size());
      for (double& z : heights) z = 0.25 + 0.01 * static_cast<double>(random() % 16);
      collider.update_heights(k, 0, 0, own.rows, own.cols, heights);
      const auto place = [&](const Terrain& t) {
        return std::array<long, 2>{std::lround((t.origin[0] - all.origin[0]) / all.spacing[0]),
                                   std::lround((t.origin[1] - all.origin[1]) / all.spacing[1])};
      };
      const auto write = [&](Terrain& t) {
        for (std::size_t i = 0; i < t.rows; ++i)
          for (std::size_t j = 0; j < t.cols; ++j) {
            const long row = static_cast<long>(i) + place(t)[1] - place(own)[1],
                       col = static_cast<long>(j) + place(t)[0] - place(own)[0];
            if (row >= 0 && col >= 0 && row < static_cast<long>(own.rows) && col < static_cast<long>(own.cols))
              t.heights[vertex(t, i, j)] =
                  heights[static_cast<std::size_t>(row) * own.cols + static_cast<std::size_t>(col)];
          }
      };
      for (Terrain& t : tiles.terrains) write(t);
      for (Terrain& t : spare) write(t);
    }
    cold.set_scene(tiles.scene(s));
    const FrameContacts expected = cold.collide(s.poses());
    const FrameContacts& found = collider.update(s.poses());
    ASSERT_TRUE(same_but_for_names(found.contacts, expected.contacts)) << step;
    for (const ManifoldEvent& event : found.events)
      if (step > 0 && event.body_b != kTerrain) {
        EXPECT_EQ(event.change, Change::persist);
        ++bodies_persist;
      }
  }
  EXPECT_GT(bodies_persist, 100U);
}

TEST_P(Tiles, MoveTogether) {
  TestScene s = tile_world(60, 6);
  std::mt19937_64 random(1);
  s.scene.terrains = cut(s.scene.terrains[0], 2, random);
  Collider& collider = collider_on(GetParam());
  collider.set_scene(s.scene);
  const FrameContacts before = collider.collide(s.poses());
  const std::array<double, 2> at = s.scene.terrains[0].origin;
  collider.move_terrain(0, {at[0] + 4.0, at[1] - 2.5});
  for (Terrain& t : s.scene.terrains) t.origin = {t.origin[0] + 4.0, t.origin[1] - 2.5};
  const FrameContacts moved = collider.collide(s.poses());
  EXPECT_FALSE(same_bits(moved.contacts, before.contacts));
  collider.set_scene(s.scene);
  EXPECT_TRUE(same_bits(collider.collide(s.poses()).contacts, moved.contacts));
}

// Holes and material, cells of which two tiles have some.
TEST_P(Tiles, HaveHolesAndMaterialOfTheGround) {
  const Terrain whole = rough({5, 7, {-3.0, -2.0}, {1.0, 1.0}}, 0.05, 2);
  TestScene s;
  for (int k = 0; k < 6; ++k) s.add(sphere(0.3, {k - 2.5, 0.5, 0.25}));
  s.scene.terrains = {part_of(whole, 0, 0, 5, 5), part_of(whole, 0, 2, 5, 5)};
  for (Terrain& t : s.scene.terrains) t.tile_of = 0;
  Collider& collider = collider_on(GetParam());
  collider.set_scene(s.scene);
  const std::vector<std::uint8_t> material{7, 8}, hole{1};
  collider.update_material(1, 2, 0, 1, 2, material);  // cells (2, 2) and (2, 3) of the ground
  collider.update_holes(0, 2, 1, 1, 1, hole);
  Terrain expected = whole;
  expected.material.assign(24, 0);
  expected.holes.assign(24, 0);
  expected.material[cell(expected, 2, 2)] = 7, expected.material[cell(expected, 2, 3)] = 8;
  expected.holes[cell(expected, 2, 1)] = 1;
  const FrameContacts found = collider.collide(s.poses());
  EXPECT_TRUE(same_bits(found.contacts, contacts([&] {
                          TestScene one = s;
                          one.scene.terrains = {expected};
                          return one;
                        }())));
  EXPECT_GT(found.contacts.size(), 4U);
}

// A vehicle of a box on four wheels, with a window of three by three tiles around it. The ground repeats every tile.
TEST_P(Tiles, FollowAVehicleFor100Km) {
  constexpr double kTile = 1024.0;
  const auto tile_at = [&](int row, int col) {
    Terrain t;
    t.rows = t.cols = 17;
    t.origin = {kTile * col, kTile * row};
    t.spacing = {kTile / 16, kTile / 16};
    for (std::size_t i = 0; i < 17; ++i)
      for (std::size_t j = 0; j < 17; ++j)
        t.heights.push_back(std::ldexp(
            std::round(std::ldexp(
                3.0 * std::sin(0.9 * static_cast<double>(i % 16)) * std::cos(1.3 * static_cast<double>(j % 16)), 8)),
            -8));
    t.tile_of = 0;
    return t;
  };
  TestScene s;
  std::vector<std::vector<std::size_t>> window;  // of each row of tiles, the indices
  for (int row = -1; row <= 1; ++row) {
    window.emplace_back();
    for (int col = -1; col <= 1; ++col) {
      window.back().push_back(s.scene.terrains.size());
      s.scene.terrains.push_back(tile_at(row, col));
    }
  }
  const double x = 200.25, y = 333.5;
  s.add(box({2.0, 1.0, 0.5}, {x, y, 1.0}));
  for (int k = 0; k < 4; ++k)
    s.add(cylinder(0.5, 0.25, {x + (k % 2) * 2.5 - 1.25, y + (k / 2) * 2.5 - 1.25, 0.5}, kAlongY));
  Settings settings;
  settings.device = GetParam() == "opencl" ? opencl_device() : "reference";
  Collider collider(settings);
  collider.set_scene(s.scene);
  // On the ground under it.
  const std::array<double, 3> above{x, y, 100.0}, down{0.0, 0.0, -1.0};
  const double ground = collider.cast(s.poses(), {above, down, {}, {}, {}}).hits[0].point[2];
  const double height = std::floor(ground * 256.0) / 256.0;
  for (std::size_t i = 0; i < 5; ++i) s.position[3 * i + 2] += height;
  const FrameContacts start = collider.collide(s.poses());
  ASSERT_GE(start.contacts.size(), 4U);
  std::uint64_t most_bytes = 0, first_bytes = 0;
  const int tiles = 98;  // 100.352 km
  for (int step = 1; step <= tiles; ++step) {
    TileChanges changes;
    for (int row = 0; row < 3; ++row) {
      changes.removed.push_back(window[static_cast<std::size_t>(row)].front());
      changes.added.push_back(tile_at(row - 1, step + 1));
    }
    const std::vector<std::size_t> added = collider.change_tiles(changes);
    for (std::size_t row = 0; row < 3; ++row) {
      window[row].erase(window[row].begin());
      window[row].push_back(added[row]);
      EXPECT_LT(added[row], 9U);
    }
    for (std::size_t i = 0; i < 5; ++i) s.position[3 * i] += kTile;
    if (step > 3 && step % 40 != 0 && step != tiles) continue;
    const FrameContacts found = collider.collide(s.poses());
    ASSERT_EQ(found.contacts.size(), start.contacts.size()) << step;
    std::vector<Contact> back = found.contacts;
    for (std::size_t k = 0; k < back.size(); ++k) {
      // The lattice's numbers are exact, so all that is relative to a body is the same; sums are rounded.
      EXPECT_NEAR(back[k].point[0] - kTile * step, start.contacts[k].point[0], 1e-10);
      back[k].point[0] = start.contacts[k].point[0];
    }
    EXPECT_TRUE(same_but_for_names(back, start.contacts)) << step;  // it is other ground
    std::uint64_t bytes = 0;
    for (const BufferBytes& b : collider.device_memory()) bytes += b.bytes;
    if (step == 3) first_bytes = bytes;
    most_bytes = std::max(most_bytes, bytes);
  }
  EXPECT_EQ(most_bytes, first_bytes);
}

// Each gets another room on the device now and then, in memory that stays of the order of what is there.
TEST_P(Tiles, OfTwoGroundsThatGrowInTurn) {
  TestScene s;
  s.scene.environment_terrain = {0, 1, 2};
  const auto tile_at = [](std::size_t ground, std::size_t col) {
    Terrain t = plane({3, 9, {8.0 * static_cast<double>(col), 0.0}, {1.0, 1.0}}, 0.0, 0.0);
    t.tile_of = static_cast<std::int32_t>(ground);
    t.material.assign(16, static_cast<std::uint8_t>(1 + ground + col));
    return t;
  };
  s.scene.terrains = {tile_at(0, 0), tile_at(1, 0), plane({3, 9, {0.0, 0.0}, {1.0, 1.0}}, 0.0, 0.0)};
  for (const std::uint32_t environment : {0U, 1U, 2U})
    for (const double x : {4.5, 36.25, 299.5}) {
      BodySpec ball = sphere(0.5, {x, 1.25, 0.4});
      ball.environment = environment;
      s.add(ball);
    }
  Collider& collider = collider_on(GetParam());
  collider.set_scene(s.scene);
  ASSERT_EQ(collider.collide(s.poses()).contacts.size(), 3U);
  for (std::size_t col = 1; col < 40; ++col)
    for (const std::size_t ground : {0U, 1U}) {
      s.scene.terrains.push_back(tile_at(ground, col));
      (void)collider.change_tiles({ground, {}, {s.scene.terrains.back()}});
    }
  const FrameContacts found = collider.collide(s.poses());
  EXPECT_EQ(found.contacts.size(), 7U);
  for (const BufferBytes& b : collider.device_memory()) {
    if (b.name != "terrain heights") continue;
    EXPECT_LE(b.bytes, 5U * 2U * 3U * 321U * sizeof(float));
  }
  collider.set_scene(s.scene);
  EXPECT_TRUE(same_bits(collider.collide(s.poses()).contacts, found.contacts));
}

// --------------------------------------------------------------------------------------------------------- wrong input

std::string tile_refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::invalid_input);
    return e.what();
  }
  return {};
}

TEST(TilesRefuse, WhatIsNoGround) {
  const Terrain flat = plane({5, 5, {0.0, 0.0}, {1.0, 1.0}}, 0.0, 0.0);
  const auto message = [&](const std::function<void(Scene&)>& spoil) {
    Scene scene;
    scene.terrains = {flat, flat};
    scene.terrains[1].origin = {4.0, 0.0};
    scene.terrains[1].tile_of = 0;
    EXPECT_EQ(tile_refusal([&] { check(scene); }), "");
    spoil(scene);
    return tile_refusal([&] { check(scene); });
  };
  EXPECT_EQ(message([](Scene& s) { s.terrains[1].tile_of = 7; }), "terrains/1: tile_of is 7, but there are 2 terrains");
  EXPECT_EQ(message([](Scene& s) { s.terrains[1].tile_of = -2; }),
            "terrains/1: tile_of is -2, but there are 2 terrains");
  EXPECT_EQ(message([](Scene& s) { s.terrains[0].tile_of = 1, s.terrains[1].tile_of = -1; }),
            "terrains/0: tile_of is 1, but the first tile of a ground has the lowest index");
  EXPECT_EQ(message([&](Scene& s) {
              s.terrains.push_back(flat);
              s.terrains[2].origin = {8.0, 0.0}, s.terrains[2].tile_of = 1;
            }),
            "terrains/2: tile_of is 1, a tile of terrain 0, which is what to name");
  EXPECT_EQ(message([](Scene& s) {
              s.environment_terrain = {0, 1};
            }),
            "environments/terrain[1] is 1, a tile of terrain 0, which is what to name");
  EXPECT_EQ(message([](Scene& s) { s.terrains[1].spacing[1] = 2.0; }),
            "terrains/1/heights: spacing 1, 2 is not that of terrains/0, a tile of the same ground: 1, 1");
  EXPECT_EQ(message([](Scene& s) { s.terrains[1].mask = 3; }),
            "terrains/1: group, category and mask must be those of terrains/0, a tile of the same ground");
  EXPECT_EQ(message([](Scene& s) { s.terrains[1].diagonal = Diagonal::rising; }),
            "terrains/1: diagonal must be 0 (falling) beside terrains/0, a tile of the same ground");
  // One chessboard.
  EXPECT_EQ(message([](Scene& s) {
              for (Terrain& t : s.terrains) t.diagonal = Diagonal::alternating_rising;
            }),
            "");
  EXPECT_EQ(message([](Scene& s) {
              for (Terrain& t : s.terrains) t.diagonal = Diagonal::alternating_rising;
              s.terrains[1].origin = {3.0, -2.0};
            }),
            "terrains/1: diagonal must be 3 (alternating_falling) beside terrains/0, a tile of the same ground");
  EXPECT_EQ(message([](Scene& s) {
              s.terrains[0].diagonal = Diagonal::alternating_rising;
              s.terrains[1].diagonal = Diagonal::alternating_falling, s.terrains[1].origin = {4.0, -3.0};
            }),
            "");
  EXPECT_EQ(message([](Scene& s) {
              s.terrains[0].diagonal = Diagonal::alternating_falling;
              s.terrains[1].diagonal = Diagonal::falling, s.terrains[1].origin = {4.0, -4.0};
            }),
            "terrains/1: diagonal must be 3 (alternating_falling) beside terrains/0, a tile of the same ground");
  EXPECT_EQ(message([](Scene& s) { s.terrains[1].origin[0] = 4.25; }),
            "terrains/1/heights: origin[0] is 0.25 of a cell off the lattice of terrains/0, a tile of the same ground");
  EXPECT_EQ(message([](Scene& s) { s.terrains[1].heights[5] = 0.5; }),
            "terrains/1/heights[1][0] is 0.5, but terrains/0/heights[1][4], the same vertex of the ground, is 0");
  EXPECT_EQ(
      message([](Scene& s) { s.terrains[1].origin[1] = 1e12; }),
      "terrains/1/heights: origin[1] is 1e+12 cells from terrains/0, a tile of the same ground; 2^30 is the most");
  EXPECT_EQ(
      message([](Scene& s) {
        s.terrains[1].origin = {4000.0, 5000.0};
      }),
      "terrains/0: the grid that joins the 2 tiles of this ground has 5005 x 4005 vertices, some 241 MB on a device, "
      "most of them without data: tiles far apart are not one ground");
  EXPECT_EQ(
      message([](Scene& s) {
        s.terrains[1].origin = {4e6, 4e5};
      }),
      "terrains/0: the grid that joins the 2 tiles of this ground has 400005 x 4000005 vertices, some 19200265 MB on "
      "a device, more than the 2^30 that one may have: tiles far apart are not one ground");
  // Side by side to within a rounding, no data on one side, and a gap between two are all right.
  EXPECT_EQ(message([](Scene& s) { s.terrains[1].origin[0] = 4.0000001; }), "");
  EXPECT_EQ(message([](Scene& s) { s.terrains[1].heights[5] = kNoData; }), "");
  EXPECT_EQ(message([](Scene& s) { s.terrains[1].origin[0] = 9.0; }), "");
}

TEST_P(Tiles, AChangeThatCannotBeChangesNothing) {
  const Terrain flat = plane({5, 5, {0.0, 0.0}, {1.0, 1.0}}, 0.0, 0.0);
  TestScene s(flat, {sphere(0.5, {5.0, 2.0, 0.45})});
  s.scene.terrains.resize(4, flat);
  for (const std::size_t k : {0U, 1U}) s.scene.terrains[k].tile_of = 0;
  s.scene.terrains[1].origin = {4.0, 0.0};
  s.scene.terrains[3].tile_of = 3;
  s.scene.environment_terrain = {0, 2, 3};
  Collider& collider = collider_on(GetParam());
  collider.set_scene(s.scene);
  const FrameContacts before = collider.collide(s.poses());
  ASSERT_EQ(before.contacts.size(), 1U);
  Terrain next = flat;
  next.origin = {8.0, 0.0};
  const auto message = [&](const TileChanges& changes) {
    return tile_refusal([&] { (void)collider.change_tiles(changes); });
  };
  EXPECT_EQ(message({9, {}, {}}), "change_tiles: ground: terrain 9 of 4");
  EXPECT_EQ(
      message({2, {}, {next}}),
      "change_tiles: ground: terrain 2 is no tile: a terrain whose tiles come and go is a tile of itself at least");
  EXPECT_EQ(message({1, {}, {next}}), "change_tiles: ground: terrain 1 is a tile of terrain 0, which is what to name");
  EXPECT_EQ(message({0, {1, 3}, {}}), "change_tiles: removed[1]: terrain 0 has no tile 3");
  EXPECT_EQ(message({0, {1, 1}, {}}), "change_tiles: removed[1]: terrain 0 has no tile 1 left");
  EXPECT_EQ(message({0, {0, 1}, {}}), "change_tiles: terrain 0 would have no tile left");
  Terrain wrong = next;
  wrong.heights[0] = 2.0;
  EXPECT_EQ(
      message({0, {0}, {next, wrong}}),
      "change_tiles: added[1]/heights[0][0] is 2, but terrains/1/heights[0][4], the same vertex of the ground, is 0");
  wrong.heights[0] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(message({0, {}, {wrong}}), "change_tiles: added[0]/heights[0][0] is infinite");
  wrong = next;
  wrong.mask = 2;
  EXPECT_EQ(message({0, {0, 1}, {wrong}}),
            "change_tiles: added[0]: spacing, group, category, mask and diagonal must be those that terrain 0 has had "
            "so far");
  EXPECT_TRUE(same_bits(collider.collide(s.poses()).contacts, before.contacts));
  EXPECT_EQ(tile_refusal([&] {
              collider.move_terrain(1, {0.0, 0.0});
            }),
            "move_terrain: terrain 1 is a tile of terrain 0, and moves with that");
  EXPECT_EQ(tile_refusal([&] {
              collider.move_terrain(0, {0.0, 1.0});
              collider.move_terrain(0, {1e17, 0.0});
            }),
            "move_terrain: origin[0] is so far away that the tiles would leave their lattice");
  collider.move_terrain(0, {0.0, 0.0});
  EXPECT_TRUE(same_bits(collider.collide(s.poses()).contacts, before.contacts));
  // The index of the first tile stays the ground's name, and goes to its tiles alone.
  EXPECT_EQ(collider.change_tiles({0, {0}, {}}), std::vector<std::size_t>{});
  EXPECT_EQ(collider.collide(s.poses()).contacts.size(), 1U);
  const std::vector<double> one(1, 0.0);
  EXPECT_EQ(tile_refusal([&] { collider.update_heights(0, 0, 0, 1, 1, one); }),
            "update_heights: terrain 0 is a tile that was removed");
  EXPECT_EQ(collider.change_tiles({3, {}, {next}}), std::vector<std::size_t>{4});
  EXPECT_EQ(collider.change_tiles({0, {}, {next}}), std::vector<std::size_t>{0});
}

TEST(UnusedTerrains, AreThoseThatNoEnvironmentHas) {
  const Terrain flat = plane({2, 2, {0.0, 0.0}, {1.0, 1.0}}, 0.0, 0.0);
  Scene scene;
  EXPECT_TRUE(unused_terrains(scene).empty());
  scene.terrains.assign(4, flat);
  EXPECT_EQ(unused_terrains(scene), (std::vector<std::size_t>{1, 2, 3}));
  scene.terrains[2].tile_of = 0;
  EXPECT_EQ(unused_terrains(scene), (std::vector<std::size_t>{1, 3}));
  scene.environment_terrain = {3, -1};
  EXPECT_EQ(unused_terrains(scene), (std::vector<std::size_t>{0, 1, 2}));
  scene.environment_terrain = {3, 1, 0};
  EXPECT_TRUE(unused_terrains(scene).empty());
}

TEST(UnusedTerrains, AreToldWhenTheSceneIsSet) {
  const Terrain flat = plane({2, 2, {0.0, 0.0}, {1.0, 1.0}}, 0.0, 0.0);
  Scene scene;
  scene.terrains.assign(3, flat);
  std::vector<std::string> told;
  Settings settings;
  settings.device = "reference";
  settings.on_warning = [&](const std::string& line) { told.push_back(line); };
  Collider collider(settings);
  const std::string line = "nothing meets /terrains/1, /terrains/2: no environment has it, and no ground that one has";
  collider.set_scene(scene);
  EXPECT_EQ(told, std::vector<std::string>{line});
  scene.environment_terrain = {1, 2, 0};
  collider.set_scene(scene);
  EXPECT_EQ(told.size(), 1U);
  // Who says nothing of it is told on standard error.
  scene.environment_terrain.clear();
  settings.on_warning = nullptr;
  testing::internal::CaptureStderr();
  Collider(settings).set_scene(scene);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "oclide: " + line + "\n");
}

}  // namespace
}  // namespace oclide::test
