// The C API: calls in any order, with handles that are live, destroyed, null, of another kind or never were; structs of
// any size; arrays of any length and values. (What a caller must keep is kept: an array has the length that is said.)
#include <fuzzer/FuzzedDataProvider.h>

#include <cmath>
#include <cstring>
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
    switch (data_.ConsumeIntegralInRange(0, 29)) {
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
        return update_heights(&oclide_collider_update_heights, handle<oclide_collider>(1));
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
        return update_heights(&oclide_validator_update_heights, handle<oclide_validator>(3));
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

  // Struct_size as it is, now and then another.
  template <class Struct>
  Struct sized() {
    Struct s{};
    s.struct_size = sizeof s;
    if (data_.ConsumeIntegralInRange(0, 31) == 0)
      s.struct_size = data_.ConsumeIntegralInRange<std::size_t>(0, sizeof s);
    return s;
  }

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

  void add_terrain() {
    auto terrain = sized<oclide_terrain>();
    terrain.rows = length(data_.ConsumeIntegralInRange<std::size_t>(2, 5));
    terrain.cols = length(data_.ConsumeIntegralInRange<std::size_t>(2, 5));
    const std::size_t cells = (terrain.rows - 1) * (terrain.cols - 1);
    const std::vector<double> heights = numbers(std::min<std::size_t>(terrain.rows * terrain.cols, 2000));
    const std::vector<double> grid = numbers(4);
    const auto holes = integers<std::uint8_t>(data_.ConsumeBool() ? std::min<std::size_t>(cells, 2000) : 0, 0, 1);
    const auto material = integers<std::uint8_t>(data_.ConsumeBool() ? std::min<std::size_t>(cells, 2000) : 0, 0, 255);
    for (std::size_t a = 0; a < 2; ++a) {
      terrain.origin[a] = a < grid.size() ? grid[a] : 0.0;
      terrain.spacing[a] = 2 + a < grid.size() ? grid[2 + a] : 1.0;
    }
    terrain.heights = heights.data();
    terrain.heights_count = heights.size();
    terrain.holes = holes.data();
    terrain.holes_count = holes.size();
    terrain.material = material.data();
    terrain.material_count = material.size();
    terrain.tile_of = data_.ConsumeBool() ? data_.ConsumeIntegralInRange<std::uint32_t>(0, 3) : 0;
    terrain.diagonal = data_.ConsumeIntegralInRange<std::uint32_t>(0, 4);
    if (data_.ConsumeBool()) {
      checked(oclide_scene_add_terrain(handle<oclide_scene>(0), &terrain, nullptr));
      return;
    }
    const std::array<const oclide_terrain*, 1> added{&terrain};
    const std::size_t removed = data_.ConsumeIntegralInRange<std::size_t>(0, 3);
    std::size_t index = 0;
    checked(oclide_collider_change_tiles(handle<oclide_collider>(1), data_.ConsumeIntegralInRange<std::size_t>(0, 2),
                                         &removed, data_.ConsumeBool() ? 1 : 0, added.data(),
                                         data_.ConsumeBool() ? 1 : 0, &index, 1));
  }

  void add_hull() {
    const std::vector<double> vertices = numbers(12);
    checked(oclide_scene_add_hull(handle<oclide_scene>(0), vertices.data(), vertices.size(), nullptr));
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
    checked(oclide_scene_add_mesh(handle<oclide_scene>(0), &mesh, nullptr));
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
    checked(oclide_scene_add_compound(handle<oclide_scene>(0), &compound, nullptr));
  }

  // Bodies, with the arrays that they are in.
  struct GivenBodies {
    std::vector<std::uint8_t> shape;
    std::vector<double> size, margin;
    std::vector<std::uint32_t> environment, category, mask, flags, excluded;
    std::vector<std::int32_t> group;
    oclide_bodies bodies{};
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
    if (data_.ConsumeIntegralInRange(0, 7) != 0) changes.become = &become.bodies;
    if (data_.ConsumeBool()) changes.added = &added.bodies;
    checked(oclide_collider_change(handle<oclide_collider>(1), &changes, handles.data(), handles.size()));
    std::size_t rows = bodies_;
    if (held(oclide_collider_rows(handle<oclide_collider>(1), &rows))) bodies_ = rows;
  }
  void change_cells() {
    const std::size_t rows = length(1), cols = length(data_.ConsumeIntegralInRange<std::size_t>(1, 2));
    const auto cells = integers<std::uint8_t>(rows * cols, 0, 2);
    const auto update = data_.ConsumeBool() ? &oclide_collider_update_holes : &oclide_collider_update_material;
    checked(update(handle<oclide_collider>(1), data_.ConsumeIntegralInRange<std::size_t>(0, 2), length(0), length(1),
                   rows, cols, cells.data(), cells.size()));
    checked(oclide_collider_move_terrain(handle<oclide_collider>(1), data_.ConsumeIntegralInRange<std::size_t>(0, 2),
                                         test::any_number(data_), 0.5));
  }

  // What random calls seldom come to: ground and bodies that a scene takes.
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
    checked(oclide_scene_add_terrain(scene, &terrain, nullptr));
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

  template <class Handle>
  void update_heights(oclide_status (*update)(Handle*, size_t, size_t, size_t, size_t, size_t, const double*, size_t),
                      Handle* of) {
    const std::size_t row = length(data_.ConsumeIntegralInRange<std::size_t>(0, 2));
    const std::size_t col = length(data_.ConsumeIntegralInRange<std::size_t>(0, 2));
    const std::size_t rows = length(1), cols = length(data_.ConsumeIntegralInRange<std::size_t>(1, 2));
    const std::vector<double> heights = numbers(rows * cols);
    checked(update(of, data_.ConsumeIntegralInRange<std::size_t>(0, 2), row, col, rows, cols, heights.data(),
                   heights.size()));
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
    const bool whole = frame.struct_size == sizeof frame;
    const bool done = held(
        oclide_collider_collide(handle<oclide_collider>(1), p.position.data(), p.orientation.data(), p.bodies, &frame));
    if (done && whole) take(frame);
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
    const bool known = rays.struct_size == sizeof rays;
    rays.origin = origin.data(), rays.origin_count = origin.size();
    rays.direction = direction.data(), rays.direction_count = direction.size();
    rays.length = farthest.data(), rays.length_count = farthest.size();
    rays.environment = environment.data(), rays.environment_count = environment.size();
    rays.mask = mask.data(), rays.mask_count = mask.size();
    auto hits = sized<oclide_ray_hits>();
    const bool whole = hits.struct_size == sizeof hits;
    if (!held(oclide_collider_cast(handle<oclide_collider>(1), p.position.data(), p.orientation.data(), p.bodies, &rays,
                                   &hits)) ||
        !known || !whole)
      return;
    test::require(hits.hits_count == n && hits.rays_that_hit <= n, "a hit for each ray");
    for (std::size_t k = 0; k < n; ++k)
      test::require(
          (hits.hits[k].body == OCLIDE_NOTHING) == std::isinf(hits.hits[k].distance) && hits.hits[k].distance >= 0.0,
          "a distance for each hit");
  }

  void sweep() {
    const Poses p = poses();
    std::vector<double> displacement, rotation;
    if (data_.ConsumeBool()) fill(displacement, length(3 * p.bodies));
    if (data_.ConsumeBool()) fill(rotation, length(3 * p.bodies));
    auto motion = sized<oclide_motion>();
    const bool known = motion.struct_size == sizeof motion;
    motion.displacement = displacement.data(), motion.displacement_count = displacement.size();
    motion.rotation = rotation.data(), motion.rotation_count = rotation.size();
    auto impacts = sized<oclide_impacts>();
    const bool whole = impacts.struct_size == sizeof impacts;
    if (!held(oclide_collider_sweep(handle<oclide_collider>(1), p.position.data(), p.orientation.data(), p.bodies,
                                    &motion, &impacts)) ||
        !known || !whole)
      return;
    for (std::size_t k = 0; k < impacts.impacts_count; ++k) {
      const oclide_impact& i = impacts.impacts[k];
      test::require(i.time >= 0.0 && i.time <= 1.0 && i.body_a < p.bodies &&
                        (i.body_b == OCLIDE_TERRAIN || (i.body_b > i.body_a && i.body_b < p.bodies)),
                    "impacts of pairs that there are, within the frame");
    }
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
    const bool known = queries.struct_size == sizeof queries;
    queries.shape = shape.data(), queries.shape_count = shape.size();
    queries.size = size.data(), queries.size_count = size.size();
    queries.position = position.data(), queries.position_count = position.size();
    queries.orientation = orientation.data(), queries.orientation_count = orientation.size();
    queries.environment = environment.data(), queries.environment_count = environment.size();
    queries.mask = mask.data(), queries.mask_count = mask.size();
    queries.group = group.data(), queries.group_count = group.size();
    queries.find_lowest = data_.ConsumeIntegralInRange<std::uint32_t>(0, 2);
    auto found = sized<oclide_overlaps>();
    const bool whole = found.struct_size == sizeof found;
    if (!held(oclide_collider_overlap(handle<oclide_collider>(1), p.position.data(), p.orientation.data(), p.bodies,
                                      &queries, &found)) ||
        !known || !whole)
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
    const bool known = points.struct_size == sizeof points;
    points.position = position.data(), points.position_count = position.size();
    points.range = range.data(), points.range_count = range.size();
    points.environment = environment.data(), points.environment_count = environment.size();
    points.mask = mask.data(), points.mask_count = mask.size();
    auto found = sized<oclide_distances>();
    const bool whole = found.struct_size == sizeof found;
    if (!held(oclide_collider_distance(handle<oclide_collider>(1), p.position.data(), p.orientation.data(), p.bodies,
                                       &points, &found)) ||
        !known || !whole)
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
    const bool known = points.struct_size == sizeof points;
    points.position = position.data(), points.position_count = position.size();
    points.displacement = displacement.data(), points.displacement_count = displacement.size();
    points.environment = environment.data(), points.environment_count = environment.size();
    auto settings = sized<oclide_trace_settings>();
    settings.bounces = data_.ConsumeIntegralInRange<std::uint32_t>(0, 20);
    settings.friction = data_.ConsumeBool() ? 0.25 : test::any_number(data_);
    settings.restitution = data_.ConsumeBool() ? 0.75 : test::any_number(data_);
    auto paths = sized<oclide_paths>();
    const bool whole = paths.struct_size == sizeof paths;
    if (!held(oclide_collider_trace(handle<oclide_collider>(1), p.position.data(), p.orientation.data(), p.bodies,
                                    &points, data_.ConsumeBool() ? &settings : nullptr, &paths)) ||
        !known || !whole)
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
    const bool whole = frame.struct_size == sizeof frame;
    const bool done = held(oclide_collider_collide_staged(handle<oclide_collider>(1), staged, &frame));
    if (done && whole) take(frame);
    // Destroyed or not, by what was wrong: destroying it again says which.
    if (std::erase(live_[2], static_cast<void*>(staged)) > 0) {
      const oclide_status again = oclide_staged_poses_destroy(staged);
      test::require(again == OCLIDE_OK || again == OCLIDE_INVALID_HANDLE, "staged poses that are there or gone");
      dead_.push_back(staged);
    }
  }

  void validate() {
    auto* const validator = handle<oclide_validator>(3);
    const Poses p = poses();
    if (data_.ConsumeBool() && !contacts_.empty()) contacts_[0].depth = static_cast<float>(test::any_number(data_));
    checked(oclide_validator_add_frame(validator, p.position.data(), p.orientation.data(), p.bodies, contacts_.data(),
                                       contacts_.size()));
    auto report = sized<oclide_validation_report>();
    checked(oclide_validator_report(validator, &report));
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
  }

  void describe() {
    oclide_device_info info = sized<oclide_device_info>();
    checked(oclide_collider_device(handle<oclide_collider>(1), &info));
    test::require(oclide_handle_message(handle<void>(1)) != nullptr, "a text");
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
      default:
        return oclide_calibration_destroy(static_cast<oclide_calibration*>(h));
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
  std::array<std::vector<void*>, 6> live_;  // scenes, colliders, staged poses, validators, plans, calibrations
  std::vector<void*> dead_;
  std::size_t bodies_ = 3;
  std::vector<oclide_contact> contacts_;
};

}  // namespace
}  // namespace oclide

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  FuzzedDataProvider data(bytes, count);
  oclide::Calls calls(data);
  for (int n = 0; n < 40 && data.remaining_bytes() > 0; ++n) calls.next();
  return 0;
}
