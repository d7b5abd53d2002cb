// Worlds that change, and filters: docs/worlds.md.
#include <map>
#include <set>

#include "resident/resident_fixture.hpp"
#include "scene/body_rows.hpp"
#include "support/mesh_shapes.hpp"
#include "support/terrains.hpp"
#include "support/tracked.hpp"

namespace oclide::test {
namespace {

class Worlds : public OnEachDevice {};
OCLIDE_ON_EACH_DEVICE(Worlds);

// Who touches whom.
std::set<std::pair<std::uint32_t, std::uint32_t>> touching(std::span<const Contact> contacts) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const Contact& c : contacts) pairs.insert({c.body_a, c.body_b});
  return pairs;
}

// Four balls in a row on flat ground, each in contact with the next and with the ground.
TestScene row_of_balls() {
  TestScene s(plane({5, 5, {-4.0, -4.0}, {2.0, 2.0}}, 0.0, 0.0));
  s.bodies_meet = true;
  for (int k = 0; k < 4; ++k) s.add(sphere(0.5, {0.9 * k - 1.35, 0.3, 0.49}));
  return s;
}

TEST_P(Worlds, StaticBodiesMeetNeitherEachOtherNorTerrain) {
  TestScene s = row_of_balls();
  s.scene.bodies.flags = {kStatic, kStatic, 0, kStatic};
  const std::set<std::pair<std::uint32_t, std::uint32_t>> expected{{1, 2}, {2, 3}, {2, kTerrain}};
  EXPECT_EQ(touching(contacts(s)), expected);
  // They are not even candidates.
  const FrameContacts found = frame(s);
  EXPECT_EQ(found.body_candidates, 2U);
  // Rays hit them, sweeps do not find two of them.
  Collider& collider = collider_on(GetParam());
  const std::array<double, 3> origin{-1.35, 0.3, 5.0}, down{0.0, 0.0, -1.0};
  const RayHits hits = collider.cast(s.poses(), {origin, down, {}, {}, {}});
  EXPECT_EQ(hits.hits[0].body, 0U);
  std::set<std::pair<std::uint32_t, std::uint32_t>> met;
  for (const Impact& impact : collider.sweep(s.poses(), {}).impacts) met.insert({impact.body_a, impact.body_b});
  EXPECT_EQ(met, expected);
}

TEST_P(Worlds, ABodyWithTheFlagDoesNotMeetTerrain) {
  TestScene s = row_of_balls();
  s.scene.bodies.flags = {kNoTerrain, 0, kNoTerrain | kSensor, 0};
  const std::set<std::pair<std::uint32_t, std::uint32_t>> expected{
      {0, 1}, {1, 2}, {2, 3}, {1, kTerrain}, {3, kTerrain}};
  EXPECT_EQ(touching(contacts(s)), expected);
}

TEST_P(Worlds, ContactsOfSensorsAreFlaggedInEveryWayThatAFrameTakes) {
  TestScene s = heap(120, 3);
  for (std::size_t i = 0; i < s.scene.bodies.count(); ++i) s.scene.bodies.flags.push_back(i % 3 == 0 ? kSensor : 0U);
  const auto expect_flags = [](std::span<const Contact> contacts) {
    std::size_t flagged = 0;
    for (const Contact& c : contacts) {
      const bool is_sensor = c.body_a % 3 == 0 || (c.body_b != kTerrain && c.body_b % 3 == 0);
      ASSERT_EQ(c.flags, is_sensor ? kSensorContact : 0) << text(c);
      flagged += is_sensor ? 1 : 0;
    }
    EXPECT_GT(flagged, 20U);
    EXPECT_LT(flagged, contacts.size());
  };
  const std::vector<Contact> whole = contacts(s);
  expect_flags(whole);
  // The bits of all else are those of a scene without sensors, and the hash tells the two apart.
  TestScene without = s;
  without.scene.bodies.flags.clear();
  std::vector<Contact> plain = contacts(without);
  EXPECT_NE(contact_hash(plain), contact_hash(whole));
  for (std::size_t k = 0; k < plain.size(); ++k) plain[k].flags = whole[k].flags;
  EXPECT_TRUE(same_bits(plain, whole));
  EXPECT_EQ(contact_hash(plain), contact_hash(whole));
  Collider& collider = collider_on(GetParam());
  collider.set_scene(s.scene);
  expect_flags(collider.update(s.poses()).contacts);
  s.position[0] += 0.01;
  expect_flags(collider.update(s.poses()).contacts);
}

TEST_P(Worlds, TerrainHasGroupCategoryAndMask) {
  TestScene s = row_of_balls();
  s.scene.bodies.group = {7, 0, 8, 7};
  s.scene.bodies.category = {1, 2, 4, 8};
  s.scene.bodies.mask = {0xFF, 0xFF, 0xF0, 0};
  Terrain& t = s.scene.terrains[0];
  const auto on_ground = [&] {
    std::set<std::uint32_t> bodies;
    for (const Contact& c : contacts(s))
      if (c.body_b == kTerrain) bodies.insert(c.body_a);
    return bodies;
  };
  EXPECT_EQ(on_ground(), (std::set<std::uint32_t>{0, 1, 2, 3}));  // all bits let all meet it, also body 3
  t.group = 7;
  EXPECT_EQ(on_ground(), (std::set<std::uint32_t>{1, 2}));
  t.group = 0;
  t.mask = 2 | 4;
  EXPECT_EQ(on_ground(), (std::set<std::uint32_t>{1, 2}));
  t.category = 1;
  EXPECT_EQ(on_ground(), (std::set<std::uint32_t>{1}));
  s.scene.bodies.either_mask = true;
  EXPECT_EQ(on_ground(), (std::set<std::uint32_t>{0, 1, 2}));
}

TEST_P(Worlds, OneCategoryInTheOthersMaskIsEnoughWhereTheSceneSaysSo) {
  TestScene s = row_of_balls();
  s.scene.terrains.clear();
  s.scene.bodies.category = {1, 2, 0, 0};
  s.scene.bodies.mask = {0, 1, 2, 0};
  s.scene.bodies.either_mask = true;
  const std::set<std::pair<std::uint32_t, std::uint32_t>> expected{{0, 1}, {1, 2}};
  EXPECT_EQ(touching(contacts(s)), expected);
  s.scene.bodies.either_mask = false;
  EXPECT_TRUE(contacts(s).empty());
}

TEST_P(Worlds, ExcludedPairsNeverMeet) {
  TestScene s = heap(150, 5);
  s.scene.bodies.group.clear();
  const std::vector<Contact> all = contacts(s);
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const auto& pair : touching(all))
    if (pair.second != kTerrain) pairs.insert(pair);
  ASSERT_GT(pairs.size(), 30U);
  // Every other one, in either order, some twice, beside pairs that never touch.
  std::set<std::pair<std::uint32_t, std::uint32_t>> excluded;
  bool odd = false;
  for (const auto& pair : pairs)
    if (odd = !odd; odd) excluded.insert(pair);
  for (const auto& [a, b] : excluded) {
    s.scene.bodies.excluded.push_back({b, a});
    if (a % 2 == 0) s.scene.bodies.excluded.push_back({a, b});
    s.scene.bodies.excluded.push_back({a, (a + 77) % 150});
  }
  for (const auto& [a, b] : s.scene.bodies.excluded) excluded.insert({std::min(a, b), std::max(a, b)});
  std::vector<Contact> expected;
  for (const Contact& c : all)
    if (!excluded.contains({c.body_a, c.body_b})) expected.push_back(c);
  const std::vector<Contact> found = contacts(s);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) expected[k].manifold = found[k].manifold;
  EXPECT_TRUE(same_bits(found, expected));
}

TEST_P(Worlds, ExcludedCompoundsMeetWithNoneOfTheirParts) {
  TestScene s;
  s.bodies_meet = true;
  s.scene.compounds = {{{Shape::sphere, {0.5}, {0.0, 0.0, 0.0}}, {Shape::box, {0.4, 0.4, 0.4}, {0.8, 0.0, 0.0}}}};
  for (int k = 0; k < 3; ++k) s.add({Shape::compound, {0.0}, {0.7 * k, 0.1 * k, 0.0}, kUpright});
  EXPECT_EQ(touching(contacts(s)).size(), 3U);
  s.scene.bodies.excluded = {{2, 0}, {1, 2}};
  const std::set<std::pair<std::uint32_t, std::uint32_t>> expected{{0, 1}};
  EXPECT_EQ(touching(contacts(s)), expected);
}

// Bodies of all shapes over ground, over a half space, and against a mesh.
TestScene heap_of_all_shapes(std::uint64_t seed) {
  TestScene s = heap(90, seed);
  s.scene.hulls = {{{0.5, 0, 0}, {-0.3, 0.4, 0}, {-0.3, -0.4, 0.1}, {0, 0, 0.6}, {0, 0.1, -0.4}}};
  s.scene.meshes = {ball_mesh(0.9, 2)};
  Bodies& b = s.scene.bodies;
  for (std::size_t i = 4; i < b.count(); i += 5)
    if (b.shape[i] != Shape::half_space) b.shape[i] = Shape::convex_hull, b.size[i] = {};
  for (const std::size_t i : {11U, 12U}) b.shape[i] = Shape::triangle_mesh, b.size[i] = {};
  return s;
}

TEST_P(Worlds, MarginsOfTheSettingsAndOfBothBodiesAddUp) {
  TestScene s(plane({5, 5, {-4.0, -4.0}, {2.0, 2.0}}, 0.0, 0.0));
  s.bodies_meet = true;
  s.add(sphere(0.5, {0.0, 0.3, 0.53}));
  s.add(sphere(0.5, {1.06, 0.3, 0.53}));
  s.add(half_space({-0.57, 0.0, 0.0}, kAlongX));
  const auto pairs = [&](double margin, const std::vector<double>& of_bodies) {
    s.scene.bodies.margin = of_bodies;
    return touching(contacts(s, margin));
  };
  using Pairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;
  EXPECT_EQ(pairs(0.0, {}), Pairs{});
  EXPECT_EQ(pairs(0.0, {0.02, 0.029, 0.0}), Pairs{});
  EXPECT_EQ(pairs(0.0, {0.029, 0.032, 0.04}), (Pairs{{0, 1}, {1, kTerrain}}));
  EXPECT_EQ(pairs(0.0, {0.029, 0.0, 0.042}), (Pairs{{0, 2}}));
  EXPECT_EQ(pairs(0.02, {0.011, 0.0, 0.041}), (Pairs{{0, 2}, {0, kTerrain}}));
  EXPECT_EQ(pairs(0.02, {0.02, 0.021, 0.0}), (Pairs{{0, 1}, {0, kTerrain}, {1, kTerrain}}));
}

TEST_P(Worlds, BodiesThatAllHaveAMarginAreAsOnesOfAFrameThatHasTwiceIt) {
  TestScene s = heap_of_all_shapes(21);
  const std::size_t n = s.scene.bodies.count();
  const auto differ = [&](double of_frame) {
    s.scene.bodies.margin.clear();
    const std::vector<Contact> expected = frame(s, of_frame).contacts;
    EXPECT_GT(expected.size(), frame(s).contacts.size());
    s.scene.bodies.margin.assign(n, 0.0625);
    EXPECT_TRUE(same_bits(frame(s).contacts, expected));
  };
  s.scene.bodies.flags.assign(n, kNoTerrain);
  differ(0.125);
  // With terrain alone it is that of the body.
  s.scene.bodies.flags.clear();
  s.scene.bodies.group.assign(n, 7);
  differ(0.0625);
}

TEST_P(Worlds, MarginsOfAnySizeGiveTheContactsOfTheDefinition) {
  TestScene s = heap_of_all_shapes(22);
  const std::size_t n = s.scene.bodies.count();
  std::mt19937_64 random(5);
  const auto any = [&](double most) { return std::uniform_real_distribution<double>(0.0, most)(random); };
  const std::size_t without = frame(s, 0.01).contacts.size();
  for (std::size_t i = 0; i < n; ++i) s.scene.bodies.margin.push_back(random() % 3 == 0 ? 0.0 : any(0.15));
  s.scene.bodies.margin[3] = 1e-42;  // a float that is 0 on some devices
  const std::vector<Contact> found = contacts(s, 0.01);
  EXPECT_GT(found.size(), without);
  // The same in frames in which few bodies move, and as parts of compounds.
  Settings settings;
  settings.device = GetParam() == "reference" ? "reference" : opencl_device();
  settings.margin = 0.01;
  Collider collider(settings);
  collider.set_scene(s.scene);
  EXPECT_TRUE(same_bits(collider.update(s.poses()).contacts, found));
  for (const std::size_t i : {0U, 11U, 40U}) s.position[3 * i + 2] += 0.02;
  EXPECT_TRUE(same_bits(collider.update(s.poses()).contacts, contacts(s, 0.01)));
  Scene compounds = s.scene;
  compounds.compounds = {{{Shape::sphere, {0.3}}}};
  for (std::size_t i = 0; i < n; i += 4)
    if (s.scene.bodies.shape[i] == Shape::sphere) {
      s.scene.bodies.size[i] = {0.3};
      compounds.bodies.shape[i] = Shape::compound, compounds.bodies.size[i] = {};
    }
  const std::vector<Contact> of_spheres = contacts(s, 0.01);
  s.scene = compounds;
  EXPECT_TRUE(same_bits(contacts(s, 0.01), of_spheres));
}

// More cells than an int counts.
TEST_P(Worlds, AMarginFarBeyondTheGroundHasAllOfIt) {
  if (GetParam() == "reference") GTEST_SKIP() << "it looks at all cells within the margin";
  TestScene s(plane({2, 800, {0.0, 0.0}, {0.1, 0.1}}, 0.0, 0.0));
  s.add(sphere(0.5, {75.02, 0.03, 500.0}));
  s.scene.bodies.margin = {1e9};
  const std::vector<Contact> found = frame(s).contacts;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].body_b, kTerrain);
  EXPECT_NEAR(found[0].depth, -499.5, 1e-4);
}

TEST(WorldsRefuse, FlagsMarginsAndPairsThatMeanNothing) {
  const auto message = [](const auto& change) {
    Scene scene = row_of_balls().scene;
    change(scene.bodies);
    try {
      check(scene);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(message([](Bodies& b) {
              b.flags = {0, 1, 8, 0};
            }),
            "bodies/flags[2] is 8, but bits from 8 on have no meaning");
  EXPECT_EQ(message([](Bodies& b) {
              b.flags = {0, 1, 0x80000000U, 0};
            }),
            "bodies/flags[2] is 2147483648, but bits from 8 on have no meaning");
  EXPECT_EQ(message([](Bodies& b) { b.flags = {0}; }), "bodies/flags has 1 entries for 4 bodies");
  const std::string rule = " must be finite, not negative and at most 1e9 m, got ";
  EXPECT_EQ(message([](Bodies& b) { b.margin = {0, 1, std::nan(""), 0}; }), "bodies/margin[2]" + rule + "nan");
  EXPECT_EQ(message([](Bodies& b) { b.margin = {0, -0.5, 0, 0}; }), "bodies/margin[1]" + rule + "-0.5");
  EXPECT_EQ(message([](Bodies& b) { b.margin = {0, 0, 0, 2e9}; }), "bodies/margin[3]" + rule + "2e+09");
  EXPECT_EQ(message([](Bodies& b) { b.margin = {0, 0, 0}; }), "bodies/margin has 3 entries for 4 bodies");
  EXPECT_EQ(message([](Bodies& b) { b.excluded = {{0, 1}, {4, 1}}; }), "bodies/excluded[1] names body 4 of 4");
  EXPECT_EQ(message([](Bodies& b) { b.excluded = {{2, 2}}; }), "bodies/excluded[0] names body 2 twice");
}

TEST_P(Worlds, HolesMaterialAndOriginChangeLikeHeights) {
  TestScene s = heap(140, 9);
  s.scene.environment_terrain.clear();
  Collider& cold = collider_on(GetParam());
  Settings settings;
  settings.device = GetParam() == "opencl" ? opencl_device() : "reference";
  Collider collider(settings);
  collider.set_scene(s.scene);
  Terrain& t = s.scene.terrains[0];
  const auto compare = [&] {
    cold.set_scene(s.scene);
    const FrameContacts expected = cold.collide(s.poses());
    ASSERT_GT(expected.contacts.size(), 50U);
    ASSERT_TRUE(same_bits(collider.update(s.poses()).contacts, expected.contacts));
  };
  ASSERT_NO_FATAL_FAILURE(compare());
  std::mt19937_64 random(4);
  const std::size_t rows = t.rows - 1, cols = t.cols - 1;
  for (int step = 0; step < 12; ++step) {
    const std::size_t first_row = random() % rows, first_col = random() % cols;
    const std::size_t r = 1 + random() % (rows - first_row), c = 1 + random() % (cols - first_col);
    std::vector<std::uint8_t> values(r * c);
    for (std::uint8_t& value : values)
      value = step % 3 == 1 ? static_cast<std::uint8_t>(random()) : step < 9 && random() % 6 == 0 ? 1 : 0;
    auto& all = step % 3 == 1 ? t.material : t.holes;
    all.resize(rows * cols, 0);
    for (std::size_t i = 0; i < r; ++i)
      for (std::size_t j = 0; j < c; ++j) all[(first_row + i) * cols + first_col + j] = values[i * c + j];
    if (step % 3 == 1) {
      collider.update_material(0, first_row, first_col, r, c, values);
    } else if (step % 3 == 0) {
      collider.update_holes(0, first_row, first_col, r, c, values);
    } else {
      collider.update_holes(0, first_row, first_col, r, c, values);
      t.origin[0] += 0.25;
      t.origin[1] -= 0.1;
      collider.move_terrain(0, t.origin);
    }
    ASSERT_NO_FATAL_FAILURE(compare()) << step;
  }
  const std::vector<std::uint8_t> one(1, 1);
  EXPECT_THROW(collider.update_holes(0, rows, 0, 1, 1, one), Error);
  EXPECT_THROW(collider.update_holes(1, 0, 0, 1, 1, one), Error);
  EXPECT_THROW(collider.update_material(0, 0, 0, 1, 2, one), Error);
  EXPECT_THROW(collider.move_terrain(0, {0.0, std::nan("")}), Error);
  EXPECT_THROW(collider.move_terrain(7, {0.0, 0.0}), Error);
}

// ------------------------------------------------------------------------------------------------ bodies come and go

Bodies one_ball() {
  Bodies bodies;
  bodies.shape = {Shape::sphere};
  bodies.size = {{0.5, 0.0, 0.0}};
  return bodies;
}
BodyChanges removing(const std::vector<BodyHandle>& bodies) {
  return {bodies, {}, {}, {}, {}, {}};
}
BodyChanges adding(const Bodies& bodies) {
  return {{}, {}, {}, bodies, {}, {}};
}

// A world in rows beside what is in it, body by body. Each frame is compared with that of a Collider of its own, which
// has never known anything else.
class ChangingWorld {
 public:
  ChangingWorld(std::string device, std::size_t bodies, std::uint64_t seed, bool with_compounds)
      : device_(std::move(device)), random_(seed), with_compounds_(with_compounds) {
    start_ = heap(bodies, seed);
    start_.scene.meshes = {ball_mesh(0.9, 2)};
    if (with_compounds)
      start_.scene.compounds = {
          {{Shape::box, {0.5, 0.2, 0.1}, {0.0, 0.0, 0.1}}, {Shape::sphere, {0.3}, {0.4, 0.0, 0.0}}}};
    start_.scene.environment_terrain.resize(kEnvironments, 0);
    Settings settings;
    settings.device = device_ == "reference" ? "reference" : opencl_device();
    settings.track = true;
    collider_ = std::make_unique<Collider>(settings);
    collider_->set_scene(start_.scene);
    const Bodies& b = start_.scene.bodies;
    for (std::uint32_t i = 0; i < b.count(); ++i) {
      Row row{{i, 0}, true, next_name_++, b.shape[i], b.size[i]};
      row.environment = b.environment.empty() ? 0 : b.environment[i];
      row.group = b.group.empty() ? 0 : b.group[i];
      rows_.push_back(row);
    }
    position_ = start_.position;
    orientation_ = start_.orientation;
  }

  void step() {
    change();
    move();
    frame();
  }

  [[nodiscard]] std::size_t persisted() const { return persisted_; }
  [[nodiscard]] std::size_t parted() const { return parted_; }
  [[nodiscard]] std::size_t updated() const { return updated_; }
  [[nodiscard]] std::size_t separated() const { return separated_; }

 private:
  struct Row {
    BodyHandle handle;
    bool is_active = true;
    std::uint32_t name = 0;  // of the body, never used again
    Shape shape = Shape::sphere;
    std::array<double, 3> size{};
    std::uint32_t environment = 0;
    std::int32_t group = 0;
    std::uint32_t category = 1, mask = 0xFFFFFFFFU, flags = 0;
    double margin = 0.0;
  };

  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  double within(double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(random_); }

  Row any_body() {
    Row row;
    row.name = next_name_++;
    const std::size_t kind = below(60);
    row.shape = static_cast<Shape>(below(4));
    row.size = {within(0.1, 0.5), within(0.1, 0.5), within(0.1, 0.5)};
    if (kind == 0) row.shape = Shape::half_space, row.size = {};
    if (kind == 1) row.shape = Shape::triangle_mesh, row.size = {};
    if (kind == 2 && with_compounds_) row.shape = Shape::compound, row.size = {};
    // Some more from time to time.
    row.environment = below(12) == 0 ? std::min(1 + next_name_ / 16, kEnvironments - 1) : 0;
    row.group = below(6) == 0 ? 3 : 0;
    row.category = below(4) == 0 ? 2 : 1;
    row.mask = below(6) == 0 ? 1 : 0xFFFFFFFFU;
    row.flags = below(4) == 0 ? static_cast<std::uint32_t>(below(8)) : 0U;
    row.margin = below(4) == 0 ? within(0.0, 0.2) : 0.0;
    return row;
  }
  static void append(const Row& row, Bodies& to) {
    to.shape.push_back(row.shape);
    to.size.push_back(row.size);
    to.environment.push_back(row.environment);
    to.group.push_back(row.group);
    to.category.push_back(row.category);
    to.mask.push_back(row.mask);
    to.flags.push_back(row.flags);
    to.margin.push_back(row.margin);
  }

  void change() {
    std::vector<std::uint32_t> there;
    for (const Row& row : rows_)
      if (row.is_active) there.push_back(row.handle.row);
    std::shuffle(there.begin(), there.end(), random_);
    const std::size_t most = below(8) == 0 ? 40 : 6;
    const std::size_t removed = std::min(below(most), there.size());
    const std::size_t changed = std::min(below(most), there.size() - removed);
    BodyChanges changes;
    for (std::size_t k = 0; k < removed; ++k) {
      changes.removed.push_back(rows_[there[k]].handle);
      rows_[there[k]].is_active = false;
    }
    for (std::size_t k = 0; k < changed; ++k) {
      Row& row = rows_[there[removed + k]];
      changes.changed.push_back(row.handle);
      const Row to = any_body();
      row.shape = to.shape, row.size = to.size, row.environment = to.environment, row.group = to.group;
      row.category = to.category, row.mask = to.mask, row.flags = to.flags, row.margin = to.margin;
      append(row, changes.become);
    }
    exclude_some(std::vector(there.begin() + static_cast<std::ptrdiff_t>(removed), there.end()), changes);
    std::vector<Row> added;
    for (std::size_t k = below(4) == 0 ? below(most) : below(removed + 1); k > 0; --k) {
      added.push_back(any_body());
      append(added.back(), changes.added);
    }
    const std::vector<BodyHandle> handles = collider_->change(changes);
    ASSERT_EQ(handles.size(), added.size());
    for (std::size_t k = 0; k < added.size(); ++k) {
      const std::uint32_t row = handles[k].row;
      if (row == rows_.size()) {
        ASSERT_EQ(handles[k].generation, 0U);
        for (const Row& other : rows_) ASSERT_TRUE(other.is_active);
        rows_.emplace_back();
        position_.resize(3 * rows_.size());
        orientation_.resize(4 * rows_.size());
      } else {
        ASSERT_LT(row, rows_.size());
        ASSERT_FALSE(rows_[row].is_active);
        ASSERT_EQ(handles[k].generation, rows_[row].handle.generation + 1);
      }
      rows_[row] = added[k];
      rows_[row].handle = handles[k];
      const dquat q = random_orientation(random_);
      const std::array<double, 3> p{within(-7, 7), within(-7, 7), within(-0.2, 0.8)};
      std::copy(p.begin(), p.end(), &position_[3 * std::size_t{row}]);
      const std::array<double, 4> turned{q.w, q.x, q.y, q.z};
      std::copy(turned.begin(), turned.end(), &orientation_[4 * std::size_t{row}]);
    }
    ASSERT_EQ(collider_->rows(), rows_.size());
  }

  // Pairs that touch, most of them near in rows, and pairs that were excluded; of these bodies.
  void exclude_some(const std::vector<std::uint32_t>& stay, BodyChanges& changes) {
    std::erase_if(excluded_, [&](const auto& pair) { return !is_there(pair[0]) || !is_there(pair[1]); });
    if (below(3) != 0) return;
    const auto pair_of = [&](std::uint32_t a, std::uint32_t b) {
      return below(2) == 0 ? std::array{rows_[a].handle, rows_[b].handle}
                           : std::array{rows_[b].handle, rows_[a].handle};
    };
    const auto names_of = [&](std::uint32_t a, std::uint32_t b) {
      return std::array{std::min(rows_[a].name, rows_[b].name), std::max(rows_[a].name, rows_[b].name)};
    };
    for (std::size_t k = below(6); k > 0 && !excluded_.empty(); --k) {
      const auto chosen = std::next(excluded_.begin(), static_cast<std::ptrdiff_t>(below(excluded_.size())));
      changes.allowed.push_back(pair_of(row_named((*chosen)[0]), row_named((*chosen)[1])));
      excluded_.erase(chosen);
    }
    for (const auto& [a, b] : touched_) {
      const auto stays = [&](std::uint32_t row) { return std::find(stay.begin(), stay.end(), row) != stay.end(); };
      if (below(12) != 0 || !stays(a) || !stays(b)) continue;
      changes.excluded.push_back(pair_of(a, b));
      excluded_.insert(names_of(a, b));
      ++separated_;
    }
    if (stay.size() > 1) {  // one that may never touch, and one of which nothing was known
      changes.excluded.push_back(pair_of(stay[0], stay[1]));
      excluded_.insert(names_of(stay[0], stay[1]));
      changes.allowed.push_back(pair_of(stay[1], stay.back() == stay[1] ? stay[0] : stay.back()));
      if (stay.back() != stay[1]) excluded_.erase(names_of(stay[1], stay.back()));
      for (const auto& [a, b] : changes.excluded) excluded_.insert(names_of(a.row, b.row));
    }
  }
  [[nodiscard]] std::uint32_t row_named(std::uint32_t name) const {
    for (std::uint32_t r = 0; r < rows_.size(); ++r)
      if (rows_[r].is_active && rows_[r].name == name) return r;
    return kNone;
  }
  [[nodiscard]] bool is_there(std::uint32_t name) const { return row_named(name) != kNone; }

  void move() {
    const double share = std::array{1.0, 0.05, 0.0}[below(3)];
    for (double& p : position_)
      if (within(0.0, 1.0) < share) p += within(-0.02, 0.02);
  }

  void frame() {
    const FrameContacts found = take_frame();
    updated_ += found.moved_bodies < rows_.size() ? 1 : 0;
    // The same bodies alone, in the order of rows.
    TestScene alone;
    alone.scene = start_.scene;
    alone.scene.bodies = {};
    std::vector<std::uint32_t> row_of;
    for (std::uint32_t r = 0; r < rows_.size(); ++r) {
      if (!rows_[r].is_active) continue;
      row_of.push_back(r);
      append(rows_[r], alone.scene.bodies);
      alone.position.insert(alone.position.end(), &position_[3 * std::size_t{r}], &position_[3 * std::size_t{r} + 3]);
      alone.orientation.insert(alone.orientation.end(), &orientation_[4 * std::size_t{r}],
                               &orientation_[4 * std::size_t{r} + 4]);
    }
    for (const auto& [a, b] : excluded_) {
      const auto of_row = [&](std::uint32_t name) {
        return static_cast<std::uint32_t>(std::find(row_of.begin(), row_of.end(), row_named(name)) - row_of.begin());
      };
      alone.scene.bodies.excluded.push_back({of_row(a), of_row(b)});
    }
    Collider& cold = collider_on(device_);
    cold.set_scene(alone.scene);
    FrameContacts expected = cold.collide(alone.poses());
    for (Contact& c : expected.contacts) {
      c.body_a = row_of[c.body_a];
      if (c.body_b != kTerrain) c.body_b = row_of[c.body_b];
    }
    ASSERT_TRUE(same_bits(found.contacts, expected.contacts));
    ASSERT_EQ(found.pairs, expected.pairs);
    touched_ = touching(found.contacts);
    std::erase_if(touched_, [](const auto& pair) { return pair.second == kTerrain; });
    expect_followed(found);
  }

  FrameContacts take_frame() {
    const Poses poses{position_, orientation_};
    switch (below(4)) {
      case 0:
        return collider_->collide(poses);
      case 1:
        return collider_->collide_staged(collider_->stage(poses));
      default:
        return collider_->update(poses);
    }
  }

  // As bodies with names that are never used again.
  void expect_followed(const FrameContacts& found) {
    FrameContacts named;
    named.contacts = found.contacts;
    for (Contact& c : named.contacts) {
      c.body_a = rows_[c.body_a].name;
      if (c.body_b != kTerrain) c.body_b = rows_[c.body_b].name;
    }
    tracking_.follow(named);
    ASSERT_EQ(found.previous, named.previous);
    ASSERT_EQ(found.events.size(), named.events.size());
    const auto key = [](const ManifoldEvent& e) { return std::tuple(e.change, e.manifold, e.previous); };
    std::vector<std::tuple<Change, std::uint32_t, std::uint32_t>> ours, theirs;
    for (const ManifoldEvent& e : found.events) ours.push_back(key(e));
    for (const ManifoldEvent& e : named.events) theirs.push_back(key(e));
    // Those that ended are in the order of the frame before.
    for (std::size_t k = 1; k < ours.size(); ++k)
      if (found.events[k - 1].change == Change::end) {
        ASSERT_LT(found.events[k - 1].previous, found.events[k].previous);
      }
    std::sort(ours.begin(), ours.end());
    std::sort(theirs.begin(), theirs.end());
    ASSERT_EQ(ours, theirs);
    std::set<std::tuple<std::uint32_t, std::uint32_t>> ended;
    for (const ManifoldEvent& e : found.events) {
      persisted_ += e.change == Change::persist ? 1 : 0;
      if (e.change == Change::end) ended.insert({e.body_a, e.body_b});
    }
    for (const ManifoldEvent& e : found.events)
      parted_ += e.change == Change::begin && ended.contains({e.body_a, e.body_b}) ? 1 : 0;
  }

  static constexpr std::uint32_t kEnvironments = 32;
  std::string device_;
  std::mt19937_64 random_;
  bool with_compounds_;
  TestScene start_;
  std::unique_ptr<Collider> collider_;
  std::vector<Row> rows_;
  std::vector<double> position_, orientation_;
  reference::ContactTracking tracking_;
  std::uint32_t next_name_ = 0;
  std::set<std::pair<std::uint32_t, std::uint32_t>> touched_;  // rows of the last frame
  std::set<std::array<std::uint32_t, 2>> excluded_;            // names
  std::size_t persisted_ = 0, parted_ = 0, updated_ = 0, separated_ = 0;
};

TEST_P(Worlds, OfBodiesThatComeAndGoAreThoseOfAColliderThatKnewNoOthers) {
  const bool is_reference = GetParam() == "reference";  // it has one way alone to find a frame
  for (std::uint64_t seed = 1; seed <= (is_reference ? 1 : 3); ++seed) {
    ChangingWorld world(GetParam(), is_reference ? 60 : 40 + 60 * seed, seed, seed == 2 || is_reference);
    for (int step = 0; step < (is_reference ? 20 : 40); ++step) {
      ASSERT_NO_FATAL_FAILURE(world.step()) << "seed " << seed << ", step " << step;
      ASSERT_FALSE(HasFailure()) << "seed " << seed << ", step " << step;
    }
    EXPECT_GT(world.persisted(), 400U);
    EXPECT_GT(world.parted(), 0U);
    EXPECT_GT(world.separated(), 5U);
    if (!is_reference && seed != 2) {
      EXPECT_GT(world.updated(), 5U);
    }
  }
}

// A gripper and what it holds.
// Beside compound bodies a change is as small as without any, as long as no body gets another number of parts.
TEST_P(Worlds, WithCompoundsAFrameAfterAChangeIsOneOfWhatChanged) {
  if (GetParam() == "reference") GTEST_SKIP() << "it computes all of each frame";
  TestScene s(plane({9, 9, {-8.0, -8.0}, {2.0, 2.0}}, 0.0, 0.0));
  s.bodies_meet = true;
  s.scene.compounds = {{{Shape::sphere, {0.3}, {0.0, 0.0, 0.0}}, {Shape::box, {0.2, 0.2, 0.2}, {0.3, 0.0, 0.0}}},
                       {{Shape::box, {0.2, 0.2, 0.2}, {0.0, 0.2, 0.0}}, {Shape::sphere, {0.2}, {0.4, 0.0, 0.0}}},
                       {{Shape::sphere, {0.4}, {0.0, 0.0, 0.0}}}};
  const auto body_at = [&](std::size_t k) {
    BodySpec body =
        sphere(0.4, {1.1 * static_cast<double>(k % 12) - 6.0, 1.1 * static_cast<double>(k / 12) - 6.0, 0.35});
    if (k % 10 == 3) body.shape = Shape::compound, body.size = {static_cast<double>(k % 3), 0.0, 0.0};
    return body;
  };
  for (std::size_t k = 0; k < 120; ++k) s.add(body_at(k));
  Collider collider(Settings{.device = opencl_device()});
  collider.set_scene(s.scene);
  std::vector<BodyHandle> handles = collider.handles();
  const auto whole_and_alike = [&] {
    const FrameContacts found = collider.update(s.poses());
    EXPECT_TRUE(same_bits(found.contacts, contacts(s)));
    return found.moved_bodies;
  };
  // Room for more is made by the first change.
  const auto change = [&](const std::vector<std::size_t>& rows, const Bodies& become) {
    BodyChanges changes;
    for (const std::size_t row : rows) changes.removed.push_back(handles[row]);
    changes.added = become;
    const std::vector<BodyHandle> added = collider.change(changes);
    for (std::size_t k = 0; k < added.size(); ++k) {
      const std::size_t row = added[k].row;
      if (row >= handles.size()) {
        handles.push_back({});
        s.add(body_at(row));
      }
      handles[row] = added[k];
      s.scene.bodies.shape[row] = become.shape[k], s.scene.bodies.size[row] = become.size[k];
    }
  };
  const auto bodies = [](std::size_t count, Shape shape, double size) {
    Bodies some;
    some.shape.assign(count, shape), some.size.assign(count, {size, size, size});
    return some;
  };
  change({5}, bodies(1, Shape::box, 0.35));
  (void)whole_and_alike();
  change({5, 17, 40}, bodies(3, Shape::box, 0.35));
  EXPECT_LE(whole_and_alike(), 3U);
  change({3}, bodies(1, Shape::compound, 1.0));  // of two parts, too
  EXPECT_LE(whole_and_alike(), 1U);
  change({23}, bodies(1, Shape::compound, 2.0));  // of one
  change({44}, bodies(1, Shape::sphere, 0.3));
  EXPECT_LE(whole_and_alike(), 2U);
  change({44}, bodies(1, Shape::compound, 0.0));  // of two in the place of one: all parts behind it are others
  EXPECT_EQ(whole_and_alike(), 120U);
  change({7}, bodies(1, Shape::sphere, 0.2));
  EXPECT_LE(whole_and_alike(), 1U);
}

// Environments beyond all that there are come as their first bodies do.
TEST_P(Worlds, BodiesComeToEnvironmentsThatNoneWasIn) {
  TestScene s = heap(60, 3);
  s.scene.terrains.clear();
  s.scene.environment_terrain.clear();
  s.bodies_meet = true;
  s.add(half_space({0.0, 0.0, -1.0}));
  s.scene.bodies.environment.assign(s.scene.bodies.count(), 0);
  Settings settings;
  settings.device = GetParam() == "opencl" ? opencl_device() : "reference";
  Collider collider(settings);
  collider.set_scene(s.scene);
  const std::array<double, 6> origin{0.0, 0.0, 90.0, 0.0, 0.0, 90.0}, down{0.0, 0.0, -1.0, 0.0, 0.0, -1.0};
  std::array<std::uint32_t, 2> of_rays{0, 0};
  const auto compare = [&] {
    Collider& cold = collider_on(GetParam());
    cold.set_scene(s.scene);
    const FrameContacts expected = cold.collide(s.poses()), found = collider.update(s.poses());
    EXPECT_TRUE(same_bits(found.contacts, expected.contacts));
    const Rays rays{origin, down, {}, of_rays, {}};
    EXPECT_EQ(hit_hash(collider.cast(s.poses(), rays).hits), hit_hash(cold.cast(s.poses(), rays).hits));
    return found.moved_bodies;
  };
  const auto add = [&](const std::vector<std::uint32_t>& environments) {
    Bodies balls;
    for (const std::uint32_t environment : environments) {
      balls.shape.push_back(Shape::sphere);
      balls.size.push_back({0.5, 0.0, 0.0});
      balls.environment.push_back(environment);
      s.add(sphere(0.5, {0.1 * static_cast<double>(s.scene.bodies.count() % 7), 0.0, 60.0}));
      s.scene.bodies.environment.resize(s.scene.bodies.count(), environment);
      s.scene.bodies.environment.back() = environment;
    }
    return collider.change(adding(balls));
  };
  (void)compare();
  (void)add({0});  // makes room for others
  (void)compare();
  const std::vector<BodyHandle> came = add({9, 7, 9});
  of_rays = {9, 7};
  (void)compare();
  // Again, in rows that there are. But for an environment between others nothing else is computed again.
  for (const std::uint32_t environment : {20U, 30U, 8U, 0xFFFFFFFEU}) {
    BodyChanges change;
    change.changed = {came[0], came[2]};
    change.become.shape.assign(2, Shape::sphere);
    change.become.size.assign(2, {0.5, 0.0, 0.0});
    change.become.environment.assign(2, environment);
    (void)collider.change(change);
    for (const BodyHandle ball : change.changed) s.scene.bodies.environment[ball.row] = environment;
    of_rays = {environment, 9};
    const std::uint64_t moved = compare();
    if (GetParam() == "opencl" && environment != 8) {
      EXPECT_LE(moved, 2U) << environment;
    }
  }
}

// What half spaces are to others changes as that of bodies does, and nothing else of them.
TEST_P(Worlds, HalfSpacesChange) {
  TestScene s = heap(60, 4);
  s.scene.terrains.clear();
  s.scene.environment_terrain.clear();
  s.bodies_meet = true;
  s.add(half_space({0.0, 0.0, 0.0}));
  s.add(half_space({0.0, 0.0, 0.3}));
  Bodies& b = s.scene.bodies;
  const std::size_t n = b.count();
  b.environment.assign(n, 0);
  b.category.assign(n, 1), b.mask.assign(n, 0xFFFFFFFF), b.group.assign(n, 0), b.flags.assign(n, 0);
  b.margin.assign(n, 0.0);
  b.environment[n - 1] = 4;
  Settings settings;
  settings.device = GetParam() == "opencl" ? opencl_device() : "reference";
  settings.track = true;
  Collider collider(settings);
  collider.set_scene(s.scene);
  const std::vector<BodyHandle> handles = collider.handles();
  std::size_t last = 0;
  const auto compare = [&] {
    Collider& cold = collider_on(GetParam());
    cold.set_scene(s.scene);
    const FrameContacts expected = cold.collide(s.poses()), found = collider.update(s.poses());
    EXPECT_TRUE(same_bits(found.contacts, expected.contacts));
    const std::array<double, 3> origin{0.1, 0.2, -50.0}, up{0.0, 0.0, 1.0};
    const std::array<std::uint32_t, 1> mask{2};
    const Rays ray{origin, up, {}, {}, mask};
    EXPECT_EQ(hit_hash(collider.cast(s.poses(), ray).hits), hit_hash(cold.cast(s.poses(), ray).hits));
    return std::exchange(last, found.contacts.size()) != last;
  };
  (void)compare();
  // Of some bodies, and of the half space that they lie on.
  const auto change = [&](const std::function<void(Bodies&, std::size_t)>& make) {
    BodyChanges changes;
    for (const std::size_t i : {std::size_t{3}, std::size_t{11}, n - 2}) {
      make(b, i);
      changes.changed.push_back(handles[i]);
      changes.become.shape.push_back(b.shape[i]), changes.become.size.push_back(b.size[i]);
      changes.become.environment.push_back(b.environment[i]), changes.become.category.push_back(b.category[i]);
      changes.become.mask.push_back(b.mask[i]), changes.become.group.push_back(b.group[i]);
      changes.become.flags.push_back(b.flags[i]), changes.become.margin.push_back(b.margin[i]);
    }
    (void)collider.change(changes);
    return compare();
  };
  EXPECT_TRUE(change([](Bodies& of, std::size_t i) { of.category[i] = 2, of.mask[i] = 2; }));
  EXPECT_TRUE(change([](Bodies& of, std::size_t i) { of.mask[i] = 3; }));
  EXPECT_TRUE(change([](Bodies& of, std::size_t i) { of.margin[i] = 0.2; }));
  (void)change([](Bodies& of, std::size_t i) { of.flags[i] = kSensor; });
  EXPECT_TRUE(change([](Bodies& of, std::size_t i) { of.group[i] = 7; }));
  EXPECT_TRUE(change([](Bodies& of, std::size_t i) { of.environment[i] = 4; }));
  EXPECT_TRUE(change([](Bodies& of, std::size_t i) { of.environment[i] = 0, of.group[i] = 0; }));
  // None of them meets it.
  BodyChanges changes;
  for (std::size_t i = 0; i < 20; ++i) {
    changes.excluded.push_back({handles[i], handles[n - 2]});
    b.excluded.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(n - 2)});
  }
  (void)collider.change(changes);
  EXPECT_TRUE(compare());
  changes.allowed = std::exchange(changes.excluded, {});
  b.excluded.clear();
  (void)collider.change(changes);
  EXPECT_TRUE(compare());
}

TEST_P(Worlds, PairsOfBodiesThatStayAreExcludedAndMeetAgain) {
  TestScene s = row_of_balls();
  s.scene.bodies.excluded = {{2, 1}, {1, 2}};
  Collider& collider = collider_on(GetParam());
  collider.set_scene(s.scene);
  const std::vector<BodyHandle> h = collider.handles();
  const auto pairs = [&] {
    auto found = touching(collider.update(s.poses()).contacts);
    std::erase_if(found, [](const auto& pair) { return pair.second == kTerrain; });
    return found;
  };
  using Pairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;
  EXPECT_EQ(pairs(), (Pairs{{0, 1}, {2, 3}}));
  // No body moves: what was known of the pairs is not taken over.
  (void)collider.change({{}, {}, {}, {}, {{h[1], h[2]}}, {{h[1], h[0]}}});
  EXPECT_EQ(pairs(), (Pairs{{1, 2}, {2, 3}}));
  // Twice, and of the pair that is in both lists it is the exclusion that holds.
  (void)collider.change({{}, {}, {}, {}, {{h[3], h[2]}, {h[0], h[3]}}, {{h[0], h[1]}, {h[2], h[3]}, {h[3], h[2]}}});
  EXPECT_EQ(pairs(), (Pairs{{1, 2}}));
  (void)collider.change({{}, {}, {}, {}, {{h[2], h[3]}, {h[0], h[1]}}, {}});
  EXPECT_EQ(pairs(), (Pairs{{0, 1}, {1, 2}, {2, 3}}));
  // Rays and sweeps know of it as of the scene's.
  (void)collider.change({{}, {}, {}, {}, {}, {{h[1], h[2]}}});
  Pairs met;
  for (const Impact& impact : collider.sweep(s.poses(), {}).impacts)
    if (impact.body_b != kTerrain) met.insert({impact.body_a, impact.body_b});
  EXPECT_EQ(met, (Pairs{{0, 1}, {2, 3}}));
}

TEST_P(Worlds, AChangeThatCannotBeChangesNothing) {
  TestScene s = row_of_balls();
  Collider& collider = collider_on(GetParam());
  collider.set_scene(s.scene);
  const std::vector<BodyHandle> handles = collider.handles();
  ASSERT_EQ(handles.size(), 4U);
  const FrameContacts before = collider.collide(s.poses());
  const auto message = [&](const BodyChanges& changes) {
    try {
      (void)collider.change(changes);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::invalid_input);
      return std::string(e.what());
    }
    return std::string();
  };
  const Bodies ball = one_ball();
  Bodies wrong = ball;
  wrong.size[0][0] = -1.0;
  EXPECT_EQ(message(removing({handles[1], {9, 0}})), "change: removed[1]: there is no body with row 9, generation 0");
  EXPECT_EQ(message(removing({{1, 1}})), "change: removed[0]: there is no body with row 1, generation 1");
  EXPECT_EQ(message(removing({handles[1], handles[1]})), "change: removed and changed name the body of row 1 twice");
  EXPECT_EQ(message({{handles[1]}, {handles[1]}, ball, {}, {}, {}}),
            "change: removed and changed name the body of row 1 twice");
  EXPECT_EQ(message({{}, {handles[1]}, {}, {}, {}, {}}), "change: become has 0 bodies for 1 of changed");
  EXPECT_EQ(message({{handles[0]}, {}, {}, wrong, {}, {}}),
            "change: added/size[0]: radius must be positive, finite and at most 1e9 m, got -1");
  wrong = ball;
  wrong.flags = {16};
  EXPECT_EQ(message({{handles[0]}, {handles[2]}, wrong, {}, {}, {}}),
            "change: become/flags[0] is 16, but bits from 8 on have no meaning");
  wrong = ball;
  wrong.excluded = {{0, 1}};
  EXPECT_EQ(message(adding(wrong)), "change: added/excluded[0] names body 1 of 1");
  EXPECT_EQ(message({{}, {}, {}, {}, {}, {{handles[0], handles[1]}, {handles[2], {4, 0}}}}),
            "change: excluded[1]: there is no body with row 4, generation 0");
  EXPECT_EQ(message({{handles[3]}, {}, {}, {}, {{handles[3], handles[1]}}, {}}),
            "change: allowed[0] names the body of row 3, which is removed");
  EXPECT_EQ(message({{}, {}, {}, {}, {}, {{handles[2], handles[2]}}}),
            "change: excluded[0] names the body of row 2 twice");
  EXPECT_EQ(collider.handles(), handles);
  EXPECT_EQ(collider.rows(), 4U);
  EXPECT_TRUE(same_bits(collider.collide(s.poses()).contacts, before.contacts));
  // A handle is of one body: the next one of the row has another.
  EXPECT_EQ(message(removing({handles[1]})), "");
  EXPECT_EQ(message(removing({handles[1]})), "change: removed[0]: there is no body with row 1, generation 0");
  const Collider::StagedPoses staged = collider.stage(s.poses());
  const std::vector<BodyHandle> added = collider.change(adding(ball));
  EXPECT_EQ(added, (std::vector<BodyHandle>{{1, 1}}));
  EXPECT_THROW((void)collider.collide_staged(staged), Error);
  EXPECT_TRUE(same_bits(collider.collide(s.poses()).contacts, before.contacts));
  EXPECT_THROW((void)collider.change(removing({handles[1]})), Error);
}

TEST(WorldsRefuse, ChangesAfterWhichThereAreTooManyParts) {
  Scene scene;
  scene.compounds.resize(2);
  scene.compounds[0].resize(65536);
  scene.compounds[1].resize(16384);
  Bodies& b = scene.bodies;  // of 2^31 - 3 * 65536 + 2 parts
  b.shape.assign(32767, Shape::compound);
  b.size.assign(32767, {0.0, 0.0, 0.0});
  b.shape[0] = b.shape[1] = Shape::sphere;
  b.size[0] = b.size[1] = {1.0, 0.0, 0.0};
  b.excluded = {{0, 1}};
  BodyRows rows;
  rows.set(scene);
  const auto message = [&](const BodyChanges& changes) {
    try {
      (void)rows.apply(changes);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const auto compounds = [](std::size_t count, double which) {
    Bodies bodies;
    bodies.shape.assign(count, Shape::compound);
    bodies.size.assign(count, {which, 0.0, 0.0});
    return bodies;
  };
  BodyChanges larger;
  larger.changed = {{0, 0}, {1, 0}};
  larger.become = compounds(2, 1.0);
  larger.become.size[1] = {0.0, 0.0, 0.0};
  EXPECT_EQ(message(larger), "change: bodies/excluded[0]: more than 268435456 pairs of parts of bodies");
  EXPECT_EQ(rows.scene().bodies.shape[0], Shape::sphere);  // nothing has changed
  EXPECT_EQ(rows.apply(adding(compounds(11, 1.0))).size(), 11U);
  EXPECT_EQ(message(adding(compounds(1, 1.0))),
            "change: bodies/shape[32778]: more than 2^31 - 2 bodies and parts of bodies");
  EXPECT_EQ(rows.count(), 32778U);
  // In the row of a larger one there is room.
  EXPECT_EQ(message(removing({{7, 0}})), "");
  EXPECT_EQ(rows.apply(adding(compounds(1, 1.0))).front().row, 7U);
}

TEST_P(Worlds, RaysAndSweepsDoNotSeeBodiesThatAreGone) {
  TestScene s = row_of_balls();
  s.scene.terrains.clear();
  s.add(half_space({0.0, 0.0, -3.0}));
  Collider& collider = collider_on(GetParam());
  collider.set_scene(s.scene);
  const std::array<double, 3> origin{-0.45, 0.3, 5.0}, down{0.0, 0.0, -1.0};
  const Rays ray{origin, down, {}, {}, {}};
  EXPECT_EQ(collider.cast(s.poses(), ray).hits[0].body, 1U);
  (void)collider.change(removing({{1, 0}}));
  EXPECT_EQ(collider.cast(s.poses(), ray).hits[0].body, 4U);
  std::set<std::pair<std::uint32_t, std::uint32_t>> met;
  std::vector<double> fall(15, 0.0);
  for (std::size_t i = 0; i < 4; ++i) fall[3 * i + 2] = -4.0;
  for (const Impact& impact : collider.sweep(s.poses(), {fall, {}}).impacts) met.insert({impact.body_a, impact.body_b});
  EXPECT_EQ(met, (std::set<std::pair<std::uint32_t, std::uint32_t>>{{0, 4}, {2, 3}, {2, 4}, {3, 4}}));
  (void)collider.change(removing({{4, 0}}));
  EXPECT_EQ(collider.cast(s.poses(), ray).hits[0].body, kNothing);
  const Bodies ball = one_ball();
  EXPECT_EQ(collider.change(adding(ball))[0].row, 1U);
  EXPECT_EQ(collider.cast(s.poses(), ray).hits[0].body, 1U);
}

}  // namespace
}  // namespace oclide::test
