// Where the diagonals of cells run: docs/terrain_contacts.md, "The ground". A grid whose diagonals rise is the mirror
// image of one whose diagonals fall, and what alternates is the mirror image of what alternates.
#include <algorithm>
#include <map>

#include "oclide/validation.hpp"
#include "scene/tiles.hpp"
#include "support/on_each_device.hpp"
#include "support/sweep.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

class Diagonals : public OnEachDevice {};
OCLIDE_ON_EACH_DEVICE(Diagonals);

// The other one where it alternates.
Diagonal swapped(Diagonal diagonal) {
  return diagonal_from({0, 1}, diagonal);
}

// All shapes but half spaces over rough ground with holes, gaps, flat parts and material, and how they move.
struct CutWorld {
  TestScene all;
  std::vector<double> way, turning;
  Terrain& ground() { return all.scene.terrains[0]; }
  const Terrain& ground() const { return all.scene.terrains[0]; }
};
CutWorld cut_world(std::uint64_t seed, Diagonal diagonal, double steep = 1.0, std::size_t cols = 27) {
  CutWorld w{TestScene(rough({23, cols, {-6.5, -4.4}, {0.5, 0.4}}, 0.2 * steep, seed)), {}, {}};
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> x(-6.0, 6.0), y(-4.0, 4.0), z(-0.3, 0.8), size(0.15, 0.45), any(-1.0, 1.0);
  Terrain& t = w.ground();
  t.diagonal = diagonal;
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

// The same, seen in a mirror that stands along y: of a cut that falls one that rises. The first cell is that of the
// last column.
Terrain mirrored(const Terrain& t) {
  Terrain to = t;
  if (alternates(t.diagonal))
    to.diagonal = t.cols % 2 == 0 ? swapped(t.diagonal) : t.diagonal;
  else
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
  const struct {
    Diagonal diagonal;
    double steep;
    std::size_t cols;
  } cases[] = {{Diagonal::falling, 1.0, 27},
               {Diagonal::falling, 4.0, 27},
               {Diagonal::alternating_rising, 1.0, 27},
               {Diagonal::alternating_falling, 4.0, 27},
               {Diagonal::alternating_rising, 4.0, 28}};
  for (const auto& [diagonal, steep, cols] : cases) {
    const CutWorld world = cut_world(7, diagonal, steep, cols), other = mirrored(world);
    if (alternates(diagonal)) {
      EXPECT_EQ(other.ground().diagonal == diagonal, cols == 27);
    }
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
    for (const Diagonal diagonal : kDiagonals) {
      t.diagonal = diagonal;
      TestScene scene(t);
      collider.set_scene(scene.scene);
      const Hit hit = collider.cast(scene.poses(), {from, down, {}, {}, {}}).hits.at(0);
      const bool rises = rises_at(diagonal, 0, p.x < 1.0 ? 0 : 1);
      EXPECT_EQ(hit.element, rises ? p.rising : p.falling) << p.x << " " << p.y << " " << rises;
      EXPECT_NEAR(hit.distance, 5.0 - (rises ? p.rises : p.falls), 1e-6) << p.x << " " << p.y << " " << rises;
      EXPECT_EQ(hit.material, p.x < 1.0 ? 3 : 4);
    }
  }
}

// A wall is of the element that has the side over it: for a ray that meets it, and for a place beside it.
TEST_P(Diagonals, WallsAreOfTheElementsOverThem) {
  Collider& collider = collider_on(GetParam());
  for (const Diagonal diagonal : kDiagonals) {
    TestScene scene(rough({6, 7, {-1.5, -1.25}, {0.5, 0.5}}, 0.1, 17));
    Terrain& t = scene.scene.terrains[0];
    t.diagonal = diagonal;
    t.holes.assign(30, 0);
    t.holes[cell(t, 2, 2)] = 1;
    collider.set_scene(scene.scene);
    std::vector<double> place, way;
    std::vector<std::uint32_t> wall;
    // From 0.1 m before a side of a cell, across it.
    const auto add = [&](std::size_t row, std::size_t col, dvec2 from_v0, dvec2 out, int element) {
      const dvec2 at = dvec2(t.origin[0], t.origin[1]) + 0.5 * (dvec2(col, row) + from_v0) + 0.1 * out;
      for (const double v : {at.x, at.y, -1.0}) place.push_back(v);
      for (const double v : {-out.x, -out.y, 0.0}) way.push_back(v);
      wall.push_back(2 * static_cast<std::uint32_t>(cell(t, row, col)) + static_cast<std::uint32_t>(element));
    };
    const auto left = [&](std::size_t row, std::size_t col) { return rises_at(diagonal, row, col) ? 1 : 0; };
    for (std::size_t row = 0; row < 5; ++row) {
      add(row, 0, {0.0, 0.3}, {-1.0, 0.0}, left(row, 0));
      add(row, 5, {1.0, 0.3}, {1.0, 0.0}, 1 - left(row, 5));
    }
    for (std::size_t col = 0; col < 6; ++col) {
      add(0, col, {0.3, 0.0}, {0.0, -1.0}, 0);
      add(4, col, {0.3, 1.0}, {0.0, 1.0}, 1);
    }
    // Into the hole.
    add(2, 1, {1.0, 0.6}, {1.0, 0.0}, 1 - left(2, 1));
    add(2, 3, {0.0, 0.6}, {-1.0, 0.0}, left(2, 3));
    add(1, 2, {0.6, 1.0}, {0.0, 1.0}, 1);
    add(3, 2, {0.6, 0.0}, {0.0, -1.0}, 0);
    QueryPoints points;
    points.position = place;
    const std::vector<Hit> hits = collider.cast(scene.poses(), {place, way, {}, {}, {}}).hits;
    const std::vector<Hit> nearest = collider.distance(scene.poses(), points).nearest;
    for (std::size_t k = 0; k < wall.size(); ++k)
      for (const Hit& hit : {hits[k], nearest[k]}) {
        EXPECT_EQ(hit.element, wall[k]) << static_cast<int>(diagonal) << " " << k;
        EXPECT_NEAR(hit.distance, 0.1, 1e-6);
      }
  }
}

// A body over a bump of eight edges, or of four; and in a pit.
TEST_P(Diagonals, MakeVerticesOfEightEdgesOrFour) {
  constexpr double kClose = 2e-6;
  for (const double bump : {1.0, -1.0})
    for (const Diagonal diagonal : kDiagonals) {
      Terrain t = plane({7, 9, {-4.0, -3.0}, {1.0, 1.0}}, 0.0, 0.0);
      t.heights[vertex(t, 3, 4)] = bump;
      t.diagonal = diagonal;
      if (bump > 0.0) {
        const dvec3 off(0.05, 0.02, 0.45);
        for (const BodySpec& body :
             {sphere(0.5, dvec3(0.0, 0.0, bump) + off), box({0.25, 0.2, 0.3}, {0.05, 0.02, 1.29}),
              cylinder(0.25, 0.3, {0.05, 0.02, 1.29})}) {
          const std::vector<Contact> found = contacts(t, body);
          ASSERT_EQ(found.size(), 1U) << text(found);
          const bool is_ball = body.shape == Shape::sphere;
          EXPECT_NEAR(found[0].depth, is_ball ? 0.5 - glm::length(off) : 0.01, kClose);
          EXPECT_LT(glm::distance(as_it_is(found[0].normal), is_ball ? glm::normalize(off) : dvec3(0.0, 0.0, 1.0)),
                    1e-5);
        }
        continue;
      }
      if (!alternates(diagonal)) continue;
      // Vertex (3, 4) is at a corner of cell (0, 0)'s colour or of the other.
      const bool is_of_eight = diagonal == Diagonal::alternating_falling;
      const std::vector<Contact> found = contacts(t, sphere(0.5, {0.0, 0.0, -0.4}));
      ASSERT_EQ(found.size(), 4U) << text(found);
      for (const Contact& c : found) {
        EXPECT_NEAR(c.depth, 0.5 - 0.6 / std::sqrt(is_of_eight ? 2.0 : 3.0), kClose);
        EXPECT_NEAR(std::min(std::abs(c.normal[0]), std::abs(c.normal[1])), is_of_eight ? 0.0 : 1.0 / std::sqrt(3.0),
                    1e-5);
      }
    }
}

// Where the four heights of each cell are in one plane every cut is the same surface.
TEST_P(Diagonals, DoNotMatterWhereCellsAreOfOnePlane) {
  const double margin = 0.02, near = GetParam() == "opencl" ? 2e-5 : 1e-6;
  Collider& collider = collider_on(GetParam(), margin);
  CutWorld world = cut_world(5, Diagonal::falling);
  Terrain& t = world.ground();
  std::mt19937_64 random(5);
  const auto slopes = [&](std::size_t count) {
    std::vector<double> z(count);
    for (double& v : z) v = std::ldexp(static_cast<double>(random() % 64), -8);
    return z;
  };
  const std::vector<double> along_x = slopes(t.cols), along_y = slopes(t.rows);
  for (std::size_t i = 0; i < t.rows; ++i)
    for (std::size_t j = 0; j < t.cols; ++j) t.heights[vertex(t, i, j)] = along_x[j] + along_y[i];
  const Questions asked = questions(300);
  collider.set_scene(world.all.scene);
  const Answers a = answers_of(collider, world, asked);
  EXPECT_GT(a.contacts.contacts.size(), 60U);
  for (const Diagonal diagonal : kDiagonals) {
    t.diagonal = diagonal;
    collider.set_scene(world.all.scene);
    const Answers b = answers_of(collider, world, asked);
    if (GetParam() == "opencl") {
      EXPECT_TRUE(validates(world.all, b.contacts.contacts, margin));
    }
    for (std::size_t k = 0; k < a.hits.size(); ++k) {
      EXPECT_EQ(a.hits[k].body, b.hits[k].body) << k;
      if (a.hits[k].body == kTerrain) {
        EXPECT_NEAR(a.hits[k].distance, b.hits[k].distance, 10.0 * near) << k;
      }
      EXPECT_NEAR(a.nearest[k].distance, b.nearest[k].distance, 10.0 * near) << k;
    }
    EXPECT_EQ(a.overlaps, b.overlaps);
    ASSERT_EQ(a.impacts.size(), b.impacts.size());
    for (std::size_t k = 0; k < a.impacts.size(); ++k) EXPECT_NEAR(a.impacts[k].time, b.impacts[k].time, 1e-4) << k;
    double deepest_of_a = 0.0, deepest_of_b = 0.0;
    for (const Contact& c : a.contacts.contacts) deepest_of_a = std::max(deepest_of_a, static_cast<double>(c.depth));
    for (const Contact& c : b.contacts.contacts) deepest_of_b = std::max(deepest_of_b, static_cast<double>(c.depth));
    EXPECT_NEAR(deepest_of_a, deepest_of_b, near);
  }
}

// All shapes over rough ground of every cut: contacts, rays, moving bodies, distances and overlap are those of the
// reference.
TEST(DiagonalsOnTheDevice, DeviceAndReferenceFindTheSame) {
  if (opencl_device().empty()) GTEST_SKIP() << "no OpenCL device";
  constexpr double kMargin = 0.02;
  Collider &device = collider_on("opencl", kMargin), &reference = collider_on("reference", kMargin);
  const Questions asked = questions(400);
  for (const Diagonal diagonal : kDiagonals)
    for (std::uint64_t seed = 20; seed < (kTakesItsTime ? 26U : 22U); ++seed) {
      CutWorld world = cut_world(seed, diagonal, seed % 3 == 0 ? 4.0 : seed % 3 == 1 ? 1.0 : 0.3, 27 + seed % 2);
      if (seed % 2 == 0) std::fill(world.ground().holes.begin(), world.ground().holes.end(), 0);
      device.set_scene(world.all.scene);
      reference.set_scene(world.all.scene);
      const Answers found = answers_of(device, world, asked), expected = answers_of(reference, world, asked);
      EXPECT_TRUE(validates(world.all, found.contacts.contacts, kMargin)) << static_cast<int>(diagonal) << " " << seed;
      Validator validator(world.all.scene, 0.0);
      validator.add_cast(world.all.poses(), {asked.place, asked.direction, {}, {}, {}}, found.hits);
      validator.add_sweep(world.all.poses(), {world.way, world.turning}, found.impacts);
      EXPECT_TRUE(validator.ray_report().holds()) << static_cast<int>(diagonal) << " " << seed;
      EXPECT_TRUE(validator.sweep_report().holds()) << static_cast<int>(diagonal) << " " << seed;
      for (std::size_t k = 0; k < expected.nearest.size(); ++k) {
        EXPECT_NEAR(found.nearest[k].distance, expected.nearest[k].distance, 2e-4) << k;
        // A ball of 0.2 m about the place overlaps what is nearer.
        if (std::abs(expected.nearest[k].distance - 0.2) > 1e-3) {
          EXPECT_EQ(found.overlaps[k] != 0, expected.nearest[k].distance < 0.2) << k;
          EXPECT_EQ(found.overlaps[k], expected.overlaps[k]) << k;
        }
      }
    }
}

// Heights, holes, material and place change in part: all is as of the ground that it becomes.
TEST_P(Diagonals, OfAGroundThatChanges) {
  Collider& collider = collider_on(GetParam(), 0.02);
  for (const Diagonal diagonal : {Diagonal::rising, Diagonal::alternating_rising, Diagonal::alternating_falling}) {
    CutWorld world = cut_world(9, diagonal);
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
}

// Vertices [col, col + cols) of all rows, as a tile of terrain 0.
Terrain tile_of_columns(const Terrain& t, std::size_t col, std::size_t cols) {
  Terrain tile;
  tile.rows = t.rows, tile.cols = cols, tile.spacing = t.spacing, tile.tile_of = 0;
  tile.diagonal = diagonal_from({0, static_cast<std::int64_t>(col)}, t.diagonal);
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
  for (const Diagonal diagonal : {Diagonal::rising, Diagonal::alternating_rising, Diagonal::alternating_falling}) {
    CutWorld world = cut_world(11, diagonal);
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
    EXPECT_TRUE(same_but_for_names(collider.collide(all.poses()).contacts, found[1]));
    (void)collider.change_tiles({0, {2}, {}});
    EXPECT_TRUE(same_but_for_names(collider.collide(all.poses()).contacts, found[2]));
    (void)collider.change_tiles({0, {1}, {}});
    EXPECT_TRUE(same_but_for_names(collider.collide(all.poses()).contacts, found[3]));
    // A ground is cut one way, and a chessboard is one.
    Terrain falls = tile_of_columns(whole, 13, 14);
    falls.diagonal = alternates(diagonal) ? swapped(falls.diagonal) : Diagonal::falling;
    EXPECT_THROW((void)collider.change_tiles({0, {}, {falls}}), Error);
  }
}

// From right to left, an odd number of cells each, and the first ones go. The first cell of what is there is of one
// colour and then of the other.
TEST_P(Diagonals, OfAGroundThatGrowsBackward) {
  Settings settings;
  settings.device = GetParam() == "opencl" ? opencl_device() : "reference";
  settings.margin = 0.02;
  Collider collider(settings);
  Collider& cold = collider_on(GetParam(), settings.margin);
  for (const Diagonal diagonal : {Diagonal::rising, Diagonal::alternating_rising}) {
    CutWorld world = cut_world(13, diagonal);
    Terrain whole = world.ground();
    whole.spacing = {0.5, 0.375};
    whole.origin = {-6.5, -4.5};
    TestScene tiles = world.all;
    tiles.scene.terrains = {tile_of_columns(whole, 21, 6)};
    collider.set_scene(tiles.scene);
    const auto is_as_anew = [&] {
      TestScene anew = tiles;
      anew.scene.terrains.clear();
      for (Terrain t : tiles.scene.terrains) {
        t.tile_of = 0;
        if (t.rows > 0) anew.scene.terrains.push_back(t);
      }
      cold.set_scene(anew.scene);
      return same_but_for_names(collider.collide(tiles.poses()).contacts, cold.collide(tiles.poses()).contacts);
    };
    EXPECT_TRUE(is_as_anew());
    for (const std::size_t col : {14U, 7U, 0U}) {
      tiles.scene.terrains.push_back(tile_of_columns(whole, col, 8));
      (void)collider.change_tiles({0, {}, {tiles.scene.terrains.back()}});
      EXPECT_TRUE(is_as_anew()) << static_cast<int>(diagonal) << " " << col;
    }
    collider.set_scene(tiles.scene);
    EXPECT_TRUE(is_as_anew());
    for (const std::size_t gone : {3U, 0U}) {
      tiles.scene.terrains[gone] = {};
      (void)collider.change_tiles({0, {gone}, {}});
      EXPECT_TRUE(is_as_anew()) << static_cast<int>(diagonal) << " " << gone;
    }
  }
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
