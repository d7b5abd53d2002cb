// The C API: calls in any order, with handles that are live, destroyed, null, of another kind or never were; structs of
// any size; arrays of any length and values. (What a caller must keep is kept: an array has the length that is said.)
// tests/house/fuzzed_calls_test.py holds the header against this file. Left out of oclide.h:
//   oclide_version: takes nothing
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "fuzz/numbers.hpp"
#include "fuzz/refused_or_taken.hpp"
#include "oclide/oclide.h"

namespace oclide {
namespace {

class Calls {
 public:
  explicit Calls(FuzzedDataProvider& data) : data_(data) {}
  ~Calls() {
    for (std::size_t kind = 0; kind < live_.size(); ++kind)
      for (void* h : live_[kind]) destroy(kind, h);
  }
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  void next() {
    switch (data_.ConsumeIntegralInRange(0, 34)) {
      case 0:
        return made(0, &oclide_scene_create);
      case 1:
        return add_terrain();
      case 2:
        return add_compound();
      case 3:
        return set_bodies();
      case 4:
        return set_environments();
      case 5:
        return checked(oclide_scene_check(handle<oclide_scene>(0)));
      case 6:
        return create_collider();
      case 7:
        return checked(oclide_collider_set_scene(handle<oclide_collider>(1), handle<oclide_scene>(0)));
      case 8:
        return update_heights();
      case 9:
        return collide();
      case 10:
        return stage();
      case 11:
        return collide_staged();
      case 12:
        return made(3, [&](oclide_validator** v) {
          return oclide_validator_create(handle<oclide_scene>(0), test::any_number(data_), v);
        });
      case 13:
        return change_tiles();
      case 14:
        return validate();
      case 15:
        return plan();
      case 16:
        return calibrate();
      case 17:
        return destroy_any();
      case 18:
        return add_hull();
      case 19:
        return describe();
      case 20:
        return device_memory();
      case 21:
        return add_mesh();
      case 22:
        return cast();
      case 23:
        return trace();
      case 24:
        return sweep();
      case 25:
        return overlap();
      case 26:
        return distance();
      case 27:
        return change();
      case 28:
        return change_cells();
      case 29:
        return unused_terrains();
      case 30:
        return list_devices();
      case 31:
        return measure();
      case 32:
        return hash();
      case 33:
        return names();
      default:
        return usual_scene();
    }
  }

 private:
  // A live handle of a kind, or one of another kind, a destroyed one, null, or a number that is none.
  template <class Handle>
  Handle* handle(std::size_t kind) {
    const int what = data_.ConsumeIntegralInRange(0, 31);
    if (what == 0) return nullptr;
    if (what == 1) return reinterpret_cast<Handle*>(data_.ConsumeIntegral<std::uintptr_t>());
    if (what == 2 && !dead_.empty()) return static_cast<Handle*>(pick(dead_));
    if (what == 3) kind = data_.ConsumeIntegralInRange<std::size_t>(0, live_.size() - 1);
    return live_[kind].empty() ? nullptr : static_cast<Handle*>(pick(live_[kind]));
  }
  void* pick(const std::vector<void*>& from) {
    return from[data_.ConsumeIntegralInRange<std::size_t>(0, from.size() - 1)];
  }

  // What every call promises; true where it succeeded.
  bool held(oclide_status status) {
    test::require(std::strcmp(oclide_status_name(status), "unknown status") != 0, "a known status");
    test::require(status != OCLIDE_INTERNAL_ERROR,
                  std::string("no error of the library's own: ") + oclide_last_message());
    if (status == OCLIDE_OK) return true;
    const std::string message = oclide_last_message();
    test::require(!message.empty() && clean_text(message) == message, "a clean message: " + clean_text(message));
    return false;
  }
  void checked(oclide_status status) { held(status); }

  template <class Create>
  void made(std::size_t kind, Create&& create) {
    using Made = typename decltype(made_by(create))::type;
    Made* result = reinterpret_cast<Made*>(this);
    const bool done = held(create(&result));
    test::require(done == (result != nullptr), "a handle with success, and none without");
    if (done) live_[kind].push_back(result);
  }
  template <class T>
  struct Type {
    using type = T;
  };
  template <class T>
  static Type<T> made_by(oclide_status (*)(T**));
  template <class Lambda, class T>
  static Type<T> made_by_call(oclide_status (Lambda::*)(T**) const);
  template <class Lambda>
  static auto made_by(const Lambda&) -> decltype(made_by_call(&Lambda::operator()));

  // A struct, and behind it the field of a newer version.
  template <class Struct>
  struct Sized : Struct {
    std::uint64_t newer = 0;
    [[nodiscard]] bool whole() const { return this->struct_size >= sizeof(Struct); }
  };
  // Struct_size as it is, now and then another.
  template <class Struct>
  Sized<Struct> sized() {
    Sized<Struct> s;
    s.struct_size = sizeof(Struct);
    const int what = data_.ConsumeIntegralInRange(0, 31);
    if (what == 0) s.struct_size = data_.ConsumeIntegralInRange<std::size_t>(0, sizeof(Struct));
    if (what == 1) {
      s.struct_size = sizeof(Struct) + sizeof s.newer;
      s.newer = data_.ConsumeIntegralInRange<std::uint64_t>(0, 1);
    }
    return s;
  }
  // A call that writes a struct of results; true where it wrote all of it.
  template <class Struct>
  bool wrote(oclide_status status, const Sized<Struct>& results) {
    if (!held(status)) return false;
    test::require(results.struct_size <= sizeof(Struct) || results.newer == 0, "zero in fields of a newer version");
    return results.whole();
  }

  // Where a call may write the number of what it made, or null.
  std::size_t* index() { return data_.ConsumeBool() ? &index_ : nullptr; }
  std::size_t length(std::size_t usual) {
    return data_.ConsumeIntegralInRange(0, 31) == 0 ? data_.ConsumeIntegralInRange<std::size_t>(0, 40) : usual;
  }
  std::vector<double> numbers(std::size_t usual) {
    std::vector<double> values(length(usual));
    const bool tame = data_.ConsumeIntegralInRange(0, 7) != 0;
    for (double& v : values) v = tame ? data_.ConsumeFloatingPointInRange(-4.0, 4.0) : test::any_number(data_);
    return values;
  }
  template <class Integer>
  std::vector<Integer> integers(std::size_t usual, int least, int most) {
    std::vector<Integer> values(length(usual));
    for (Integer& v : values) v = static_cast<Integer>(data_.ConsumeIntegralInRange(least, most));
    return values;
  }

  // A terrain, with the arrays that it is in.
  struct GivenTerrain {
    std::vector<double> heights;
    std::vector<std::uint8_t> holes, material;
    Sized<oclide_terrain> terrain;
  };
  void set_terrain(GivenTerrain& to) {
    Sized<oclide_terrain>& terrain = to.terrain = sized<oclide_terrain>();
    terrain.rows = length(data_.ConsumeIntegralInRange<std::size_t>(2, 5));
    terrain.cols = length(data_.ConsumeIntegralInRange<std::size_t>(2, 5));
    const std::size_t cells = (terrain.rows - 1) * (terrain.cols - 1);
    to.heights = numbers(std::min<std::size_t>(terrain.rows * terrain.cols, 2000));
    const std::vector<double> grid = numbers(4);
    to.holes = integers<std::uint8_t>(data_.ConsumeBool() ? std::min<std::size_t>(cells, 2000) : 0, 0, 1);
    to.material = integers<std::uint8_t>(data_.ConsumeBool() ? std::min<std::size_t>(cells, 2000) : 0, 0, 255);
    for (std::size_t a = 0; a < 2; ++a) {
      terrain.origin[a] = a < grid.size() ? grid[a] : 0.0;
      terrain.spacing[a] = 2 + a < grid.size() ? grid[2 + a] : 1.0;
    }
    terrain.heights = to.heights.data();
    terrain.heights_count = to.heights.size();
    terrain.holes = to.holes.data();
    terrain.holes_count = to.holes.size();
    terrain.material = to.material.data();
    terrain.material_count = to.material.size();
    terrain.tile_of = data_.ConsumeBool() ? data_.ConsumeIntegralInRange<std::uint32_t>(0, 3) : 0;
    terrain.diagonal = data_.ConsumeIntegralInRange<std::uint32_t>(0, 4);
    terrain.category = data_.ConsumeIntegralInRange<std::uint32_t>(0, 2);
  }
  void add_terrain() {
    GivenTerrain given;
    set_terrain(given);
    checked(oclide_scene_add_terrain(handle<oclide_scene>(0), &given.terrain, index()));
  }
  void change_tiles() {
    GivenTerrain given;
    set_terrain(given);
    const std::array<const oclide_terrain*, 1> added{&given.terrain};
    const std::size_t ground = data_.ConsumeIntegralInRange<std::size_t>(0, 2),
                      removed = data_.ConsumeIntegralInRange<std::size_t>(0, 3),
                      removed_count = data_.ConsumeIntegralInRange<std::size_t>(0, 1),
                      added_count = data_.ConsumeIntegralInRange<std::size_t>(0, 1);
    if (data_.ConsumeBool()) {
      checked(oclide_validator_change_tiles(handle<oclide_validator>(3), ground, &removed, removed_count, added.data(),
                                            added_count));
      return;
    }
    std::size_t* const indices = index();
    checked(oclide_collider_change_tiles(handle<oclide_collider>(1), ground, &removed, removed_count, added.data(),
                                         added_count, indices, indices == nullptr ? 0 : 1));
  }

  void add_hull() {
    const std::vector<double> vertices = numbers(12);
    checked(oclide_scene_add_hull(handle<oclide_scene>(0), vertices.data(), vertices.size(), index()));
  }

  void add_mesh() {
    auto mesh = sized<oclide_mesh>();
    const std::size_t n = data_.ConsumeIntegralInRange<std::size_t>(0, 6);
    const std::vector<double> vertices = numbers(12);
    const auto triangles = integers<std::uint32_t>(3 * n, 0, 3);
    const auto material = integers<std::uint8_t>(data_.ConsumeBool() ? n : 0, 0, 255);
    mesh.vertices = vertices.data();
    mesh.vertices_count = vertices.size();
    mesh.triangles = triangles.data();
    mesh.triangles_count = triangles.size();
    mesh.material = material.data();
    mesh.material_count = material.size();
    mesh.solid = static_cast<std::int32_t>(data_.ConsumeIntegralInRange(0, 3) == 0);
    checked(oclide_scene_add_mesh(handle<oclide_scene>(0), &mesh, index()));
  }

  void add_compound() {
    auto compound = sized<oclide_compound>();
    const std::size_t n = data_.ConsumeIntegralInRange<std::size_t>(0, 3);
    const auto shape = integers<std::uint8_t>(n, 0, 7);
    const std::vector<double> size = numbers(3 * n), position = numbers(3 * n), orientation = numbers(4 * n);
    compound.shape = shape.data();
    compound.shape_count = shape.size();
    compound.size = size.data();
    compound.size_count = size.size();
    compound.position = position.data();
    compound.position_count = position.size();
    compound.orientation = orientation.data();
    compound.orientation_count = orientation.size();
    checked(oclide_scene_add_compound(handle<oclide_scene>(0), &compound, index()));
  }

  // Bodies, with the arrays that they are in.
  struct GivenBodies {
    std::vector<std::uint8_t> shape;
    std::vector<double> size, margin;
    std::vector<std::uint32_t> environment, category, mask, flags, excluded;
    std::vector<std::int32_t> group;
    Sized<oclide_bodies> bodies;
  };
  void set_bodies(GivenBodies& to, std::size_t n) {
    to.bodies = sized<oclide_bodies>();
    to.shape = integers<std::uint8_t>(n, 0, 7);
    to.size = numbers(3 * n);
    if (data_.ConsumeBool())
      for (double& s : to.size) s = 0.05 + std::abs(s);
    const auto some = [&] { return data_.ConsumeBool() ? n : 0; };
    to.environment = integers<std::uint32_t>(some(), 0, 2);
    to.group = integers<std::int32_t>(some(), -1, 1);
    to.category = integers<std::uint32_t>(some(), 0, 3);
    to.mask = integers<std::uint32_t>(some(), 0, 3);
    to.flags = integers<std::uint32_t>(some(), 0, 8);
    to.margin = numbers(some());
    to.excluded = integers<std::uint32_t>(2 * data_.ConsumeIntegralInRange<std::size_t>(0, 2), 0, 6);
    const auto set = [](const auto& array, auto& data, std::size_t& count) {
      data = array.data();
      count = array.size();
    };
    set(to.shape, to.bodies.shape, to.bodies.shape_count);
    set(to.size, to.bodies.size, to.bodies.size_count);
    set(to.environment, to.bodies.environment, to.bodies.environment_count);
    set(to.group, to.bodies.group, to.bodies.group_count);
    set(to.category, to.bodies.category, to.bodies.category_count);
    set(to.mask, to.bodies.mask, to.bodies.mask_count);
    set(to.flags, to.bodies.flags, to.bodies.flags_count);
    set(to.excluded, to.bodies.excluded, to.bodies.excluded_count);
    set(to.margin, to.bodies.margin, to.bodies.margin_count);
    to.bodies.either_mask = data_.ConsumeIntegralInRange(0, 1);
  }
  void set_bodies() {
    const std::size_t n = data_.ConsumeIntegralInRange<std::size_t>(0, 6);
    GivenBodies given;
    set_bodies(given, n);
    checked(oclide_scene_set_bodies(handle<oclide_scene>(0), &given.bodies));
    bodies_ = n;
  }

  void change() {
    auto changes = sized<oclide_body_changes>();
    std::vector<oclide_body_handle> removed, changed, handles(2);
    const auto some = [&](std::vector<oclide_body_handle>& list) {
      for (std::size_t k = data_.ConsumeIntegralInRange<std::size_t>(0, 2); k > 0; --k)
        list.push_back(
            {data_.ConsumeIntegralInRange<std::uint32_t>(0, 8), data_.ConsumeIntegralInRange<std::uint32_t>(0, 1)});
    };
    some(removed);
    some(changed);
    GivenBodies become, added;
    set_bodies(become, changed.size());
    set_bodies(added, data_.ConsumeIntegralInRange<std::size_t>(0, 2));
    changes.removed = removed.data();
    changes.removed_count = removed.size();
    changes.changed = changed.data();
    changes.changed_count = changed.size();
    std::vector<oclide_body_handle> allowed, excluded;
    for (int k = 0; k < 2; ++k) some(allowed), some(excluded);
    changes.allowed = allowed.data();
    changes.allowed_count = allowed.size();
    changes.excluded = excluded.data();
    changes.excluded_count = excluded.size();
    if (data_.ConsumeIntegralInRange(0, 7) != 0) changes.become = &become.bodies;
    if (data_.ConsumeBool()) changes.added = &added.bodies;
    if (data_.ConsumeIntegralInRange(0, 3) == 0) {
      checked(oclide_validator_change(handle<oclide_validator>(3), &changes));
      return;
    }
    checked(oclide_collider_change(handle<oclide_collider>(1), &changes, handles.data(), handles.size()));
    std::size_t rows = bodies_;
    if (held(oclide_collider_rows(handle<oclide_collider>(1), &rows))) bodies_ = rows;
  }
  // The part of a terrain that is written, most often one that it has.
  struct Part {
    std::size_t terrain, row, col, rows, cols;
  };
  Part part() {
    const std::size_t terrain = data_.ConsumeIntegralInRange<std::size_t>(0, 2);
    const std::size_t row = length(data_.ConsumeIntegralInRange<std::size_t>(0, 2));
    const std::size_t col = length(data_.ConsumeIntegralInRange<std::size_t>(0, 2));
    return {terrain, row, col, length(1), length(data_.ConsumeIntegralInRange<std::size_t>(1, 2))};
  }
  void update_heights() {
    const Part p = part();
    const std::vector<double> heights = numbers(p.rows * p.cols);
    const auto update = [&](auto call, auto* of) {
      checked(call(of, p.terrain, p.row, p.col, p.rows, p.cols, heights.data(), heights.size()));
    };
    if (data_.ConsumeBool())
      update(&oclide_collider_update_heights, handle<oclide_collider>(1));
    else
      update(&oclide_validator_update_heights, handle<oclide_validator>(3));
  }
  void change_cells() {
    const Part p = part();
    const auto cells = integers<std::uint8_t>(p.rows * p.cols, 0, 2);
    const double x = data_.ConsumeBool() ? 0.25 : test::any_number(data_);
    const auto change = [&](auto update, auto move, auto* of) {
      checked(update(of, p.terrain, p.row, p.col, p.rows, p.cols, cells.data(), cells.size()));
      checked(move(of, p.terrain, x, 0.5));
    };
    const bool holes = data_.ConsumeBool();
    if (data_.ConsumeBool())
      change(holes ? &oclide_collider_update_holes : &oclide_collider_update_material, &oclide_collider_move_terrain,
             handle<oclide_collider>(1));
    else
      change(holes ? &oclide_validator_update_holes : &oclide_validator_update_material, &oclide_validator_move_terrain,
             handle<oclide_validator>(3));
  }
  void unused_terrains() {
    const auto* const scene = handle<oclide_scene>(0);
    std::array<std::size_t, 4> indices{};
    std::size_t count = 0;
    const std::size_t capacity = data_.ConsumeIntegralInRange<std::size_t>(0, indices.size());
    if (!held(oclide_scene_unused_terrains(scene, indices.data(), capacity, &count))) return;
    test::require(
        std::is_sorted(indices.begin(), indices.begin() + static_cast<std::ptrdiff_t>(std::min(capacity, count))),
        "indices in order");
    checked(oclide_scene_unused_terrains(scene, nullptr, capacity, &count));
  }

  // What random calls seldom come to: ground and bodies that a scene takes, in a collider and a validator.
  void usual_scene() {
    made(0, &oclide_scene_create);
    auto* const scene = static_cast<oclide_scene*>(live_[0].back());
    oclide_terrain terrain{};
    terrain.struct_size = sizeof terrain;
    terrain.rows = terrain.cols = 3;
    terrain.spacing[0] = terrain.spacing[1] = 1.0;
    std::vector<double> heights(9);
    for (double& h : heights) h = data_.ConsumeFloatingPointInRange(-1.0, 1.0);
    terrain.heights = heights.data();
    terrain.heights_count = heights.size();
    checked(oclide_scene_add_terrain(scene, &terrain, index()));
    oclide_bodies bodies{};
    bodies.struct_size = sizeof bodies;
    bodies_ = 3;
    std::vector<std::uint8_t> shape(3);
    for (std::uint8_t& s : shape) s = static_cast<std::uint8_t>(data_.ConsumeIntegralInRange(0, 3));
    const std::vector<double> size(9, data_.ConsumeFloatingPointInRange(0.05, 2.0));
    bodies.shape = shape.data();
    bodies.shape_count = 3;
    bodies.size = size.data();
    bodies.size_count = 9;
    checked(oclide_scene_set_bodies(scene, &bodies));
    if (data_.ConsumeBool()) return;
    oclide_settings settings{};
    settings.struct_size = sizeof settings;
    settings.device = "reference";
    made(1, [&](oclide_collider** c) { return oclide_collider_create(&settings, c); });
    checked(oclide_collider_set_scene(static_cast<oclide_collider*>(live_[1].back()), scene));
    made(3, [&](oclide_validator** v) { return oclide_validator_create(scene, 0.0, v); });
  }

  void set_environments() {
    const auto terrain = integers<std::int32_t>(data_.ConsumeIntegralInRange<std::size_t>(0, 3), -2, 2);
    checked(oclide_scene_set_environments(handle<oclide_scene>(0), terrain.data(), terrain.size()));
  }

  void create_collider() {
    auto settings = sized<oclide_settings>();
    settings.device = data_.ConsumeIntegralInRange(0, 15) == 0 ? "no such device" : "reference";
    settings.margin = data_.ConsumeBool() ? 0.0 : test::any_number(data_);
    settings.memory_limit = data_.ConsumeBool() ? 0 : data_.ConsumeIntegral<std::uint64_t>();
    settings.track = data_.ConsumeBool();
    settings.no_cache = 1;
    made(1, [&](oclide_collider** c) { return oclide_collider_create(&settings, c); });
  }

  struct Poses {
    std::vector<double> position, orientation;
    std::size_t bodies;
  };
  // Arrays as long as `bodies` says, which may be another number than the scene's.
  Poses poses() {
    const std::size_t n = length(bodies_);
    Poses p{numbers(0), numbers(0), n};
    fill(p.position, 3 * n);
    fill(p.orientation, 4 * n);
    return p;
  }

  void take(const oclide_frame& frame) {
    contacts_.assign(frame.contacts, frame.contacts + frame.contacts_count);
    test::require(frame.contacts_count <= frame.unreduced, "no more contacts than before reduction");
    for (const oclide_contact& c : contacts_)
      test::require(c.body_a < 1024 && (c.body_b == OCLIDE_TERRAIN || c.body_b < 1024) && std::isfinite(c.depth),
                    "contacts of bodies that there are, of a depth");
  }
  void collide() {
    const Poses p = poses();
    auto frame = sized<oclide_frame>();
    if (wrote(oclide_collider_collide(handle<oclide_collider>(1), p.position.data(), p.orientation.data(), p.bodies,
                                      &frame),
              frame))
      take(frame);
  }
  void fill(std::vector<double>& values, std::size_t count) {
    values.resize(count);
    const bool tame = data_.ConsumeIntegralInRange(0, 7) != 0;
    for (double& v : values) v = tame ? data_.ConsumeFloatingPointInRange(-3.0, 3.0) : test::any_number(data_);
  }
  std::vector<std::uint32_t> words(std::size_t count) {
    std::vector<std::uint32_t> values(count);
    for (std::uint32_t& v : values) v = data_.ConsumeIntegralInRange<std::uint32_t>(0, 3);
    return values;
  }

  void cast() {
    const Poses p = poses();
    const std::size_t n = data_.ConsumeIntegralInRange<std::size_t>(0, 3);
    std::vector<double> origin, direction, farthest;
    fill(origin, 3 * n);
    fill(direction, length(3 * n));
    if (data_.ConsumeBool()) fill(farthest, length(n));
    const std::vector<std::uint32_t> environment = words(data_.ConsumeBool() ? 0 : length(n)),
                                     mask = words(data_.ConsumeBool() ? 0 : length(n));
    auto rays = sized<oclide_rays>();
    rays.origin = origin.data(), rays.origin_count = origin.size();
    rays.direction = direction.data(), rays.direction_count = direction.size();
    rays.length = farthest.data(), rays.length_count = farthest.size();
    rays.environment = environment.data(), rays.environment_count = environment.size();
    rays.mask = mask.data(), rays.mask_count = mask.size();
    auto hits = sized<oclide_ray_hits>();
    if (wrote(oclide_collider_cast(handle<oclide_collider>(1), p.position.data(), p.orientation.data(), p.bodies, &rays,
                                   &hits),
              hits) &&
        rays.whole()) {
      test::require(hits.hits_count == n && hits.rays_that_hit <= n, "a hit for each ray");
      hits_.assign(hits.hits, hits.hits + n);
      for (const oclide_hit& hit : hits_)
        test::require((hit.body == OCLIDE_NOTHING) == std::isinf(hit.distance) && hit.distance >= 0.0,
                      "a distance for each hit");
    }
    if (data_.ConsumeBool()) return;
    alter(hits_);
    auto* const validator = handle<oclide_validator>(3);
    checked(oclide_validator_add_cast(validator, p.position.data(), p.orientation.data(), p.bodies, &rays, hits_.data(),
                                      hits_.size()));
    auto report = sized<oclide_ray_report>();
    if (wrote(oclide_validator_ray_report(validator, &report), report)) checked_examples(report.examples);
  }

  void sweep() {
    const Poses p = poses();
    std::vector<double> displacement, rotation;
    if (data_.ConsumeBool()) fill(displacement, length(3 * p.bodies));
    if (data_.ConsumeBool()) fill(rotation, length(3 * p.bodies));
    auto motion = sized<oclide_motion>();
    motion.displacement = displacement.data(), motion.displacement_count = displacement.size();
    motion.rotation = rotation.data(), motion.rotation_count = rotation.size();
    auto impacts = sized<oclide_impacts>();
    if (wrote(oclide_collider_sweep(handle<oclide_collider>(1), p.position.data(), p.orientation.data(), p.bodies,
                                    &motion, &impacts),
              impacts)) {
      impacts_.assign(impacts.impacts, impacts.impacts + impacts.impacts_count);
      for (const oclide_impact& i : impacts_)
        test::require(i.time >= 0.0 && i.time <= 1.0 && i.body_a < p.bodies &&
                          (i.body_b == OCLIDE_TERRAIN || (i.body_b > i.body_a && i.body_b < p.bodies)),
                      "impacts of pairs that there are, within the frame");
    }
    if (data_.ConsumeBool()) return;
    alter(impacts_);
    auto* const validator = handle<oclide_validator>(3);
    checked(oclide_validator_add_sweep(validator, p.position.data(), p.orientation.data(), p.bodies, &motion,
                                       impacts_.data(), impacts_.size()));
    auto report = sized<oclide_sweep_report>();
    if (wrote(oclide_validator_sweep_report(validator, &report), report)) checked_examples(report.examples);
  }

  void overlap() {
    const Poses p = poses();
    const std::size_t n = data_.ConsumeIntegralInRange<std::size_t>(0, 3), shapes = data_.ConsumeBool() ? 1 : length(n);
    std::vector<double> size, position, orientation;
    fill(size, length(3 * shapes));
    fill(position, 3 * n);
    fill(orientation, length(4 * n));
    const auto shape = integers<std::uint8_t>(shapes, 0, 8);
    const auto group = integers<std::int32_t>(data_.ConsumeBool() ? 0 : n, -1, 2);
    const std::vector<std::uint32_t> environment = words(data_.ConsumeBool() ? 0 : length(n)),
                                     mask = words(data_.ConsumeBool() ? 0 : length(n));
    auto queries = sized<oclide_query_shapes>();
    queries.shape = shape.data(), queries.shape_count = shape.size();
    queries.size = size.data(), queries.size_count = size.size();
    queries.position = position.data(), queries.position_count = position.size();
    queries.orientation = orientation.data(), queries.orientation_count = orientation.size();
    queries.environment = environment.data(), queries.environment_count = environment.size();
    queries.mask = mask.data(), queries.mask_count = mask.size();
    queries.group = group.data(), queries.group_count = group.size();
    queries.find_lowest = data_.ConsumeIntegralInRange<std::uint32_t>(0, 2);
    auto found = sized<oclide_overlaps>();
    if (!wrote(oclide_collider_overlap(handle<oclide_collider>(1), p.position.data(), p.orientation.data(), p.bodies,
                                       &queries, &found),
               found) ||
        !queries.whole())
      return;
    test::require(found.overlaps_count == n && found.queries_that_overlap <= n, "an answer for each query");
    for (std::size_t k = 0; k < n && queries.find_lowest != 0; ++k)
      test::require((found.body[k] == OCLIDE_NOTHING) == (found.overlaps[k] == 0) &&
                        (found.body[k] >= OCLIDE_NOTHING || found.body[k] < p.bodies),
                    "what is overlapped, where there is any");
  }

  void distance() {
    const Poses p = poses();
    const std::size_t n = data_.ConsumeIntegralInRange<std::size_t>(0, 3);
    std::vector<double> position, range;
    fill(position, 3 * n);
    if (data_.ConsumeBool()) fill(range, length(n));
    const std::vector<std::uint32_t> environment = words(data_.ConsumeBool() ? 0 : length(n)),
                                     mask = words(data_.ConsumeBool() ? 0 : length(n));
    auto points = sized<oclide_query_points>();
    points.position = position.data(), points.position_count = position.size();
    points.range = range.data(), points.range_count = range.size();
    points.environment = environment.data(), points.environment_count = environment.size();
    points.mask = mask.data(), points.mask_count = mask.size();
    auto found = sized<oclide_distances>();
    if (!wrote(oclide_collider_distance(handle<oclide_collider>(1), p.position.data(), p.orientation.data(), p.bodies,
                                        &points, &found),
               found) ||
        !points.whole())
      return;
    test::require(found.nearest_count == n && found.points_near <= n, "an answer for each point");
    for (std::size_t k = 0; k < n; ++k)
      test::require((found.nearest[k].body == OCLIDE_NOTHING) == std::isinf(found.nearest[k].distance),
                    "a distance where anything is near");
  }

  void trace() {
    const Poses p = poses();
    const std::size_t n = data_.ConsumeIntegralInRange<std::size_t>(0, 3);
    std::vector<double> position, displacement;
    fill(position, 3 * n);
    fill(displacement, length(3 * n));
    const std::vector<std::uint32_t> environment = words(data_.ConsumeBool() ? 0 : length(n));
    auto points = sized<oclide_points>();
    points.position = position.data(), points.position_count = position.size();
    points.displacement = displacement.data(), points.displacement_count = displacement.size();
    points.environment = environment.data(), points.environment_count = environment.size();
    auto settings = sized<oclide_trace_settings>();
    settings.bounces = data_.ConsumeIntegralInRange<std::uint32_t>(0, 20);
    settings.friction = data_.ConsumeBool() ? 0.25 : test::any_number(data_);
    settings.restitution = data_.ConsumeBool() ? 0.75 : test::any_number(data_);
    auto paths = sized<oclide_paths>();
    if (!wrote(oclide_collider_trace(handle<oclide_collider>(1), p.position.data(), p.orientation.data(), p.bodies,
                                     &points, data_.ConsumeBool() ? &settings : nullptr, &paths),
               paths) ||
        !points.whole())
      return;
    test::require(paths.offset_count == n + 1 && paths.points_count == paths.reflections + 2 * n, "a path a point");
    for (std::size_t k = 0; k < paths.points_count; ++k)
      test::require(std::isfinite(paths.points[k].point[0] + paths.points[k].point[1] + paths.points[k].point[2]),
                    "points that are somewhere");
  }

  void stage() {
    const Poses p = poses();
    made(2, [&](oclide_staged_poses** s) {
      return oclide_collider_stage(handle<oclide_collider>(1), p.position.data(), p.orientation.data(), p.bodies, s);
    });
  }
  void collide_staged() {
    auto* const staged = handle<oclide_staged_poses>(2);
    auto frame = sized<oclide_frame>();
    if (wrote(oclide_collider_collide_staged(handle<oclide_collider>(1), staged, &frame), frame)) take(frame);
    // Destroyed or not, by what was wrong: destroying it again says which.
    if (std::erase(live_[2], static_cast<void*>(staged)) > 0) {
      const oclide_status again = oclide_staged_poses_destroy(staged);
      test::require(again == OCLIDE_OK || again == OCLIDE_INVALID_HANDLE, "staged poses that are there or gone");
      dead_.push_back(staged);
    }
  }

  // A record that the library gave, now and then with other bits.
  template <class Record>
  void alter(std::vector<Record>& records) {
    if (records.empty() || data_.ConsumeBool()) return;
    constexpr std::array kTelling{0u, 1u, 2u, OCLIDE_NOTHING, OCLIDE_NONE, 0x7F800000u, 0x7FC00000u, 0x7FF00000u};
    const std::uint32_t word =
        data_.ConsumeBool() ? data_.PickValueInArray(kTelling) : data_.ConsumeIntegral<std::uint32_t>();
    const std::size_t words = sizeof(Record) / sizeof word;
    auto* const record = &records[data_.ConsumeIntegralInRange<std::size_t>(0, records.size() - 1)];
    std::memcpy(reinterpret_cast<char*>(record) + sizeof word * data_.ConsumeIntegralInRange<std::size_t>(0, words - 1),
                &word, sizeof word);
  }
  static void checked_examples(const char* lines) {
    test::require(std::count(lines, lines + std::strlen(lines), '\n') <= 10, "at most ten examples");
  }
  void validate() {
    auto* const validator = handle<oclide_validator>(3);
    const Poses p = poses();
    alter(contacts_);
    checked(oclide_validator_add_frame(validator, p.position.data(), p.orientation.data(), p.bodies, contacts_.data(),
                                       contacts_.size()));
    auto report = sized<oclide_validation_report>();
    if (wrote(oclide_validator_report(validator, &report), report)) checked_examples(report.examples);
  }

  void plan() {
    const Poses p = poses();
    oclide_settings settings{};
    settings.struct_size = sizeof settings;
    settings.device = "reference";
    made(4, [&](oclide_memory_plan** made) {
      return oclide_memory_plan_create(handle<oclide_scene>(0), p.position.data(), p.orientation.data(), p.bodies,
                                       &settings, data_.ConsumeIntegralInRange<std::size_t>(0, 3), made);
    });
    auto* const plan = handle<oclide_memory_plan>(4);
    auto summary = sized<oclide_memory_summary>();
    checked(oclide_memory_plan_summary(plan, &summary));
    auto buffer = sized<oclide_planned_buffer>();
    checked(oclide_memory_plan_buffer(plan, data_.ConsumeIntegralInRange<std::size_t>(0, 40), &buffer));
  }

  void calibrate() {
    std::vector<oclide_calibration_sample> samples(data_.ConsumeIntegralInRange<std::size_t>(0, 4));
    for (oclide_calibration_sample& s : samples)
      s = {data_.ConsumeIntegralInRange<std::uint64_t>(0, 100000), test::any_number(data_)};
    made(5, [&](oclide_calibration** c) { return oclide_calibration_create(samples.data(), samples.size(), c); });
    const std::array<const oclide_calibration*, 2> two{handle<oclide_calibration>(5), handle<oclide_calibration>(5)};
    std::size_t index = 0;
    checked(oclide_fastest_device(two.data(), length(2) % 3, data_.ConsumeIntegral<std::uint64_t>(), &index));
    std::array<oclide_fastest_from, 4> places{};
    std::size_t count = 0;
    checked(oclide_break_even(two.data(), 2, places.data(), places.size(), &count));
    double milliseconds = 0.0;
    checked(oclide_calibration_milliseconds(two[0], test::any_number(data_), &milliseconds));
    double fixed = 0.0;
    checked(oclide_calibration_line(two[0], &fixed, &milliseconds));
    const oclide_calibration_sample* known = nullptr;
    if (held(oclide_calibration_samples(two[0], &known, &count)))
      test::require(count == 0 || known[count - 1].milliseconds >= known[0].milliseconds, "samples in order");
  }
  // Not of a device, which takes seconds.
  void measure() {
    const char* const device = data_.ConsumeBool() ? "reference" : "no such device";
    auto settings = sized<oclide_settings>();
    made(5, [&](oclide_calibration** c) {
      return oclide_calibration_measure(device, data_.ConsumeBool() ? &settings : nullptr, c);
    });
  }

  void describe() {
    auto info = sized<oclide_device_info>();
    checked(oclide_collider_device(handle<oclide_collider>(1), &info));
    const auto* const any = handle<void>(1);
    test::require(oclide_handle_message(any) != nullptr && oclide_handle_detail(any) != nullptr, "texts");
  }
  void list_devices() {
    made(6, &oclide_device_list_create);
    const auto* const list = handle<oclide_device_list>(6);
    std::size_t count = 0;
    if (!held(oclide_device_list_count(list, &count))) return;
    const std::size_t k = data_.ConsumeIntegralInRange<std::size_t>(0, count + 1);
    auto info = sized<oclide_device_info>();
    if (wrote(oclide_device_list_get(list, k, &info), info))
      test::require(k < count && (info.is_reference != 0) == (k + 1 == count), "the reference, and it last");
  }
  void hash() {
    const auto seed = data_.ConsumeIntegral<std::uint64_t>();
    const auto of = [&](auto call, const auto& records) {
      const auto copies = records;
      test::require(call(records.data(), records.size(), seed) == call(copies.data(), copies.size(), seed),
                    "equal hashes of equal records");
      test::require(call(nullptr, 1, seed) == 0, "no hash of nothing with a count");
    };
    of(&oclide_contact_hash, contacts_);
    of(&oclide_hit_hash, hits_);
    of(&oclide_impact_hash, impacts_);
  }
  void names() {
    const std::string shape = oclide_shape_name(data_.ConsumeIntegral<std::uint8_t>());
    test::require(clean_text(shape) == shape && oclide_last_detail() != nullptr, "texts");
  }
  void device_memory() {
    const oclide_buffer_bytes* buffers = nullptr;
    std::size_t count = 0;
    checked(oclide_collider_device_memory(handle<oclide_collider>(1), &buffers, &count));
  }

  static oclide_status destroy(std::size_t kind, void* h) {
    switch (kind) {
      case 0:
        return oclide_scene_destroy(static_cast<oclide_scene*>(h));
      case 1:
        return oclide_collider_destroy(static_cast<oclide_collider*>(h));
      case 2:
        return oclide_staged_poses_destroy(static_cast<oclide_staged_poses*>(h));
      case 3:
        return oclide_validator_destroy(static_cast<oclide_validator*>(h));
      case 4:
        return oclide_memory_plan_destroy(static_cast<oclide_memory_plan*>(h));
      case 5:
        return oclide_calibration_destroy(static_cast<oclide_calibration*>(h));
      default:
        return oclide_device_list_destroy(static_cast<oclide_device_list*>(h));
    }
  }
  void destroy_any() {
    const std::size_t kind = data_.ConsumeIntegralInRange<std::size_t>(0, live_.size() - 1);
    void* const h = handle<void>(kind);
    if (!held(destroy(kind, h)) || h == nullptr) return;
    test::require(std::erase(live_[kind], h) == 1, "only what is live is destroyed");
    dead_.push_back(h);
  }

  FuzzedDataProvider& data_;
  // Scenes, colliders, staged poses, validators, plans, calibrations, lists of devices.
  std::array<std::vector<void*>, 7> live_;
  std::vector<void*> dead_;
  std::size_t bodies_ = 3;
  std::size_t index_ = 0;
  std::vector<oclide_contact> contacts_;
  std::vector<oclide_hit> hits_;
  std::vector<oclide_impact> impacts_;
};

}  // namespace
}  // namespace oclide

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  FuzzedDataProvider data(bytes, count);
  oclide::Calls calls(data);
  for (int n = 0; n < 40 && data.remaining_bytes() > 0; ++n) calls.next();
  return 0;
}
