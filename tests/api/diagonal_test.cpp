// Where the diagonals of cells run: docs/terrain_contacts.md, "The ground". A grid whose diagonals rise is the mirror
// image of one whose diagonals fall.
#include <algorithm>
#include <map>

#include "oclide/validation.hpp"
#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

class Diagonals : public OnEachDevice {};
OCLIDE_ON_EACH_DEVICE(Diagonals);

// All shapes but half spaces over rough ground with holes, gaps, flat parts and material, and how they move.
struct CutWorld {
  TestScene all;
  std::vector<double> way, turning;
  Terrain& ground() { return all.scene.terrains[0]; }
  const Terrain& ground() const { return all.scene.terrains[0]; }
};
CutWorld cut_world(std::uint64_t seed, double steep = 1.0) {
  CutWorld w{TestScene(rough({23, 27, {-6.5, -4.4}, {0.5, 0.4}}, 0.2 * steep, seed)), {}, {}};
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> x(-6.0, 6.0), y(-4.0, 4.0), z(-0.3, 0.8), size(0.15, 0.45), any(-1.0, 1.0);
  Terrain& t = w.ground();
  open_cells(t, 0.08, seed);
  for (int k = 0; k < 4; ++k) t.heights[random() % t.heights.size()] = kNoData;
  for (std::size_t i = 6; i < 14; ++i)
    for (std::size_t j = 9; j < 19; ++j) t.heights[vertex(t, i, j)] = 0.125;
  for (std::size_t k = 0; k < t.holes.size(); ++k) t.material.push_back(static_cast<std::uint8_t>(random()));
  auto& hull = w.all.scene.hulls.emplace_back();
  for (int p = 0; p < 12; ++p) hull.push_back({0.4 * any(random), 0.4 * any(random), 0.4 * any(random)});
  for (std::size_t k = 0; k < 100; ++k) {
    const dvec3 at(x(random), y(random), z(random));
    BodySpec body = of_any_shape(k, k == 5 ? 2.0 : size(random), at, random_orientation(random));
    if (k % 5 == 4) body.shape = Shape::convex_hull, body.size = {0, 0, 0};
    w.all.add(body);
    for (int a = 0; a < 3; ++a) w.way.push_back(any(random)), w.turning.push_back(k % 3 == 0 ? 0.0 : any(random));
  }
  return w;
}

// The same, seen in a mirror that stands along y: of a cut that falls one that rises.
Terrain mirrored(const Terrain& t) {
  Terrain to = t;
  to.diagonal = t.diagonal == Diagonal::falling ? Diagonal::rising : Diagonal::falling;
  to.origin[0] = -(t.origin[0] + static_cast<double>(t.cols - 1) * t.spacing[0]);
  for (std::size_t i = 0; i < t.rows; ++i)
    for (std::size_t j = 0; j < t.cols; ++j) to.heights[vertex(t, i, t.cols - 1 - j)] = t.heights[vertex(t, i, j)];
  for (std::size_t i = 0; i + 1 < t.rows; ++i)
    for (std::size_t j = 0; j + 1 < t.cols; ++j) {
      to.holes[cell(t, i, t.cols - 2 - j)] = t.holes[cell(t, i, j)];
      to.material[cell(t, i, t.cols - 2 - j)] = t.material[cell(t, i, j)];
    }
  return to;
}
std::vector<double> mirrored(std::vector<double> vectors) {
  for (std::size_t k = 0; k < vectors.size(); k += 3) vectors[k] = -vectors[k];
  return vectors;
}
CutWorld mirrored(const CutWorld& w) {
  CutWorld to = w;
  to.ground() = mirrored(w.ground());
  for (auto& p : to.all.scene.hulls[0]) p[0] = -p[0];
  to.all.position = mirrored(w.all.position);
  to.way = mirrored(w.way);
  for (std::size_t k = 0; k < to.all.orientation.size(); k += 4)
    for (const std::size_t a : {2, 3}) to.all.orientation[k + a] = -to.all.orientation[k + a];
  for (std::size_t k = 0; k < to.turning.size(); k += 3)
    for (const std::size_t a : {1, 2}) to.turning[k + a] = -to.turning[k + a];
  return to;
}
std::uint32_t mirrored_element(std::uint32_t element, const Terrain& t) {
  if (element == 0xFFFFFFFFu) return element;
  const std::size_t c = element / 2, cols = t.cols - 1;
  return 2 * static_cast<std::uint32_t>(c / cols * cols + (cols - 1 - c % cols)) + element % 2;
}
template <typename Vector>
dvec3 in_mirror(const Vector& v) {
  return {-v[0], v[1], v[2]};
}
template <typename Vector>
dvec3 as_it_is(const Vector& v) {
  return {v[0], v[1], v[2]};
}

// Places to ask at, and directions.
struct Questions {
  std::vector<double> place, direction, upright;
};
Questions questions(std::size_t count) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> x(-7.0, 7.0), y(-5.0, 5.0), z(-0.6, 1.2), any(-1.0, 1.0);
  Questions q;
  for (std::size_t k = 0; k < count; ++k) {
    for (const double v : {x(random), y(random), z(random)}) q.place.push_back(v);
    for (const double v : {any(random), any(random), any(random)}) q.direction.push_back(v);
    for (const double v : {1.0, 0.0, 0.0, 0.0}) q.upright.push_back(v);
  }
  return q;
}
const std::vector<Shape> kAskedShape{Shape::sphere};
const std::vector<std::array<double, 3>> kAskedSize{{0.2, 0.0, 0.0}};

struct Answers {
  FrameContacts contacts;
  std::vector<Hit> hits, nearest;
  std::vector<Impact> impacts;
  std::vector<std::uint8_t> overlaps;
};
Answers answers_of(Collider& collider, const CutWorld& w, const Questions& q) {
  QueryShapes shapes;
  shapes.shape = kAskedShape, shapes.size = kAskedSize, shapes.position = q.place, shapes.orientation = q.upright;
  QueryPoints points;
  points.position = q.place;
  const Poses poses = w.all.poses();
  return {collider.collide(poses), collider.cast(poses, {q.place, q.direction, {}, {}, {}}).hits,
          collider.distance(poses, points).nearest, collider.sweep(poses, {w.way, w.turning}).impacts,
          collider.overlap(poses, shapes).overlaps};
}

TEST_P(Diagonals, WhatRisesIsTheMirrorImageOfWhatFalls) {
  const double margin = 0.02, near = GetParam() == "opencl" ? 2e-5 : 1e-6;
  Collider& collider = collider_on(GetParam(), margin);
  for (const double steep : {1.0, 4.0}) {
    const CutWorld world = cut_world(7, steep), other = mirrored(world);
    Questions asked = questions(400);
    collider.set_scene(world.all.scene);
    const Answers a = answers_of(collider, world, asked);
    asked.place = mirrored(asked.place), asked.direction = mirrored(asked.direction);
    collider.set_scene(other.all.scene);
    const Answers b = answers_of(collider, other, asked);
    if (GetParam() == "opencl") {
      EXPECT_TRUE(validates(world.all, a.contacts.contacts, margin));
      EXPECT_TRUE(validates(other.all, b.contacts.contacts, margin));
    }

    // On an edge the material is that of either cell.
    EXPECT_GT(a.contacts.contacts.size(), 60U);
    ASSERT_EQ(a.contacts.contacts.size(), b.contacts.contacts.size());
    for (const Contact& c : a.contacts.contacts) {
      const auto of_b = of_body(b.contacts.contacts, c.body_a);
      EXPECT_TRUE(std::any_of(of_b.begin(), of_b.end(),
                              [&](const Contact& d) {
                                return glm::distance(in_mirror(c.point), as_it_is(d.point)) < 20.0 * near &&
                                       glm::distance(in_mirror(c.normal), as_it_is(d.normal)) < 100.0 * near + 1e-6 &&
                                       std::abs(c.depth - d.depth) < near;
                              }))
          << text(c) << text(of_b);
    }

    const auto same_hits = [&](const std::vector<Hit>& one, const std::vector<Hit>& two) {
      ASSERT_EQ(one.size(), two.size());
      std::size_t on_ground = 0;
      for (std::size_t k = 0; k < one.size(); ++k) {
        EXPECT_EQ(one[k].body, two[k].body) << k;
        if (one[k].body != kTerrain || two[k].body != kTerrain) continue;
        ++on_ground;
        EXPECT_NEAR(one[k].distance, two[k].distance, 10.0 * near) << k;
        EXPECT_LT(glm::distance(in_mirror(one[k].point), as_it_is(two[k].point)), 20.0 * near) << k;
        EXPECT_EQ(mirrored_element(one[k].element, world.ground()), two[k].element) << k;
        EXPECT_EQ(one[k].material, two[k].material) << k;
        EXPECT_LT(glm::distance(in_mirror(one[k].normal), as_it_is(two[k].normal)), 1e-3) << k;
      }
      EXPECT_GT(on_ground, 40U);
    };
    same_hits(a.hits, b.hits);

    // Of what is nearest to an edge any of its elements may be told.
    for (std::size_t k = 0; k < a.nearest.size(); ++k) {
      EXPECT_EQ(a.nearest[k].body, b.nearest[k].body);
      EXPECT_NEAR(a.nearest[k].distance, b.nearest[k].distance, 10.0 * near) << k;
    }
    EXPECT_EQ(a.overlaps, b.overlaps);

    std::map<std::uint32_t, const Impact*> of_a;
    for (const Impact& i : a.impacts)
      if (i.body_b == kTerrain) of_a[i.body_a] = &i;
    EXPECT_GT(of_a.size(), 30U);
    for (const Impact& i : b.impacts)
      if (i.body_b == kTerrain) {
        ASSERT_TRUE(of_a.contains(i.body_a));
        const Impact& one = *of_a[i.body_a];
        EXPECT_NEAR(one.time, i.time, 1e-4) << i.body_a;
        if (one.time > 0.0) {
          EXPECT_LT(glm::distance(in_mirror(one.point), as_it_is(i.point)), 2e-3) << i.body_a;
        }
        of_a.erase(i.body_a);
      }
    EXPECT_TRUE(of_a.empty());

    if (GetParam() != "opencl") continue;
    Validator validator(other.all.scene, 0.0);
    validator.add_cast(other.all.poses(), {asked.place, asked.direction, {}, {}, {}}, b.hits);
    validator.add_sweep(other.all.poses(), {other.way, other.turning}, b.impacts);
    EXPECT_TRUE(validator.ray_report().holds());
    EXPECT_TRUE(validator.sweep_report().holds());
  }
}

// Each quarter of a cell, from above: both triangles by their numbers, planes and cell.
TEST_P(Diagonals, TellTheTrianglesApart) {
  Terrain t;
  t.rows = 2, t.cols = 3;
  t.heights = {0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  t.material = {3, 4};
  Collider& collider = collider_on(GetParam());
  // A place, and of either cut the element and the height there.
  struct Place {
    double x, y;
    std::uint32_t falling, rising;
    double falls, rises;
  };
  for (const Place& p :
       {Place{0.5, 0.25, 0, 0, 0.5, 0.25}, Place{0.25, 0.5, 0, 1, 0.25, 0.0}, Place{0.75, 0.5, 1, 0, 0.5, 0.25},
        Place{0.5, 0.75, 1, 1, 0.25, 0.0}, Place{1.5, 0.25, 2, 2, 0.25, 0.75}, Place{1.5, 0.75, 3, 3, 0.25, 0.75}}) {
    const std::vector<double> from{p.x, p.y, 5.0}, down{0.0, 0.0, -1.0};
    for (const Diagonal diagonal : {Diagonal::falling, Diagonal::rising}) {
      t.diagonal = diagonal;
      TestScene scene(t);
      collider.set_scene(scene.scene);
      const Hit hit = collider.cast(scene.poses(), {from, down, {}, {}, {}}).hits.at(0);
      const bool rises = diagonal == Diagonal::rising;
      EXPECT_EQ(hit.element, rises ? p.rising : p.falling) << p.x << " " << p.y << " " << rises;
      EXPECT_NEAR(hit.distance, 5.0 - (rises ? p.rises : p.falls), 1e-6) << p.x << " " << p.y << " " << rises;
      EXPECT_EQ(hit.material, p.x < 1.0 ? 3 : 4);
    }
  }
}

// Heights, holes, material and place of one that rises change in part: all is as of the ground that it becomes.
TEST_P(Diagonals, OfAGroundThatChanges) {
  Collider& collider = collider_on(GetParam(), 0.02);
  CutWorld world = mirrored(cut_world(9));
  Terrain& t = world.ground();
  const Questions asked = questions(200);
  collider.set_scene(world.all.scene);
  std::vector<double> heights(4 * 7);
  for (std::size_t k = 0; k < heights.size(); ++k) {
    heights[k] = 0.3 - 0.03 * static_cast<double>(k % 9);
    t.heights[vertex(t, 5 + k / 7, 11 + k % 7)] = heights[k];
  }
  collider.update_heights(0, 5, 11, 4, 7, heights);
  const std::vector<std::uint8_t> holes{1, 0, 0, 1, 0, 1}, material{1, 2, 3, 4, 5, 6};
  for (std::size_t k = 0; k < 6; ++k) {
    t.holes[cell(t, 12 + k / 2, 3 + k % 2)] = holes[k];
    t.material[cell(t, 7 + k / 3, 8 + k % 3)] = material[k];
  }
  collider.update_holes(0, 12, 3, 3, 2, holes);
  collider.update_material(0, 7, 8, 2, 3, material);
  t.origin = {t.origin[0] + 0.17, t.origin[1] - 0.31};
  collider.move_terrain(0, t.origin);
  const Answers changed = answers_of(collider, world, asked);
  if (GetParam() == "opencl") {
    EXPECT_TRUE(validates(world.all, changed.contacts.contacts, 0.02));
  }
  collider.set_scene(world.all.scene);
  const Answers anew = answers_of(collider, world, asked);
  EXPECT_TRUE(same_bits(changed.contacts.contacts, anew.contacts.contacts));
  EXPECT_EQ(hit_hash(changed.hits), hit_hash(anew.hits));
  EXPECT_EQ(hit_hash(changed.nearest), hit_hash(anew.nearest));
  EXPECT_EQ(impact_hash(changed.impacts), impact_hash(anew.impacts));
  EXPECT_EQ(changed.overlaps, anew.overlaps);
}

// Vertices [col, col + cols) of all rows, as a tile of terrain 0.
Terrain tile_of_columns(const Terrain& t, std::size_t col, std::size_t cols) {
  Terrain tile;
  tile.rows = t.rows, tile.cols = cols, tile.spacing = t.spacing, tile.diagonal = t.diagonal, tile.tile_of = 0;
  tile.origin = {t.origin[0] + static_cast<double>(col) * t.spacing[0], t.origin[1]};
  for (std::size_t i = 0; i < t.rows; ++i)
    for (std::size_t j = col; j < col + cols; ++j) {
      tile.heights.push_back(t.heights[vertex(t, i, j)]);
      if (i + 1 == t.rows || j + 1 == col + cols) continue;
      tile.holes.push_back(t.holes[cell(t, i, j)]);
      tile.material.push_back(t.material[cell(t, i, j)]);
    }
  return tile;
}

TEST_P(Diagonals, OfTilesThatComeAndGo) {
  Collider& collider = collider_on(GetParam(), 0.02);
  CutWorld world = mirrored(cut_world(11));
  Terrain whole = world.ground();
  whole.spacing = {0.5, 0.375};
  whole.origin = {-6.5, -4.5};
  TestScene all = world.all, &tiles = world.all;
  all.scene.terrains = {whole};
  collider.set_scene(all.scene);
  const std::vector<Contact> expected = collider.collide(all.poses()).contacts;
  tiles.scene.terrains = {tile_of_columns(whole, 0, 14), tile_of_columns(whole, 13, 14)};
  collider.set_scene(tiles.scene);
  EXPECT_TRUE(same_bits(collider.collide(all.poses()).contacts, expected));
  // One over the seam without a hole of its own comes and goes, then the one at the right.
  Terrain over = tile_of_columns(whole, 9, 8);
  over.holes.clear();
  std::vector<std::vector<Contact>> found;
  for (int step = 0; step < 4; ++step) {
    collider.set_scene(tiles.scene);
    found.push_back(collider.collide(all.poses()).contacts);
    if (step == 0) tiles.scene.terrains.push_back(over);
    if (step == 1) tiles.scene.terrains.pop_back();
    if (step == 2) tiles.scene.terrains.pop_back();
  }
  EXPECT_FALSE(same_bits(found[0], found[1]));
  tiles.scene.terrains = {tile_of_columns(whole, 0, 14), tile_of_columns(whole, 13, 14)};
  collider.set_scene(tiles.scene);
  EXPECT_EQ(collider.change_tiles({0, {}, {over}}), std::vector<std::size_t>{2});
  EXPECT_TRUE(same_bits(collider.collide(all.poses()).contacts, found[1]));
  (void)collider.change_tiles({0, {2}, {}});
  EXPECT_TRUE(same_bits(collider.collide(all.poses()).contacts, found[2]));
  (void)collider.change_tiles({0, {1}, {}});
  EXPECT_TRUE(same_bits(collider.collide(all.poses()).contacts, found[3]));
  // A ground is cut one way.
  Terrain falls = tile_of_columns(whole, 13, 14);
  falls.diagonal = Diagonal::falling;
  EXPECT_THROW((void)collider.change_tiles({0, {}, {falls}}), Error);
}

TEST(DiagonalsRefuse, WhatIsNone) {
  TestScene scene(peak(0.5));
  scene.scene.terrains[0].diagonal = static_cast<Diagonal>(4);
  try {
    check(scene.scene);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::invalid_input);
    EXPECT_STREQ(e.what(),
                 "terrains/0: diagonal is 4, but 0 (falling), 1 (rising), 2 (alternating_rising) and 3 "
                 "(alternating_falling) are all there are");
  }
}

}  // namespace
}  // namespace oclide::test
