// The C API over the C++ one: each call checks handles and structs, then does what its C++ namesake does.
#include <algorithm>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "c_api/c_api_objects.hpp"
#include "devices/choose_device.hpp"
#include "oclide/oclide.hpp"
#include "oclide/validation.hpp"
#include "scene/scene_check.hpp"

namespace oclide::c_api {
namespace {

// ---- Records that pass the border as they are

#define OCLIDE_SAME_FIELD(c, cpp, field)                     \
  static_assert(offsetof(c, field) == offsetof(cpp, field)); \
  static_assert(sizeof(c::field) == sizeof(cpp::field))

static_assert(sizeof(oclide_contact) == sizeof(Contact) && alignof(oclide_contact) == alignof(Contact));
OCLIDE_SAME_FIELD(oclide_contact, Contact, point);
OCLIDE_SAME_FIELD(oclide_contact, Contact, normal);
OCLIDE_SAME_FIELD(oclide_contact, Contact, depth);
OCLIDE_SAME_FIELD(oclide_contact, Contact, body_a);
OCLIDE_SAME_FIELD(oclide_contact, Contact, body_b);
OCLIDE_SAME_FIELD(oclide_contact, Contact, manifold);
OCLIDE_SAME_FIELD(oclide_contact, Contact, feature);
OCLIDE_SAME_FIELD(oclide_contact, Contact, material);
OCLIDE_SAME_FIELD(oclide_contact, Contact, shape_a);
OCLIDE_SAME_FIELD(oclide_contact, Contact, shape_b);

static_assert(sizeof(oclide_manifold_event) == sizeof(ManifoldEvent) &&
              alignof(oclide_manifold_event) == alignof(ManifoldEvent));
OCLIDE_SAME_FIELD(oclide_manifold_event, ManifoldEvent, body_a);
OCLIDE_SAME_FIELD(oclide_manifold_event, ManifoldEvent, body_b);
OCLIDE_SAME_FIELD(oclide_manifold_event, ManifoldEvent, shape_a);
OCLIDE_SAME_FIELD(oclide_manifold_event, ManifoldEvent, shape_b);
OCLIDE_SAME_FIELD(oclide_manifold_event, ManifoldEvent, change);
OCLIDE_SAME_FIELD(oclide_manifold_event, ManifoldEvent, manifold);
OCLIDE_SAME_FIELD(oclide_manifold_event, ManifoldEvent, previous);
static_assert(OCLIDE_BEGIN == static_cast<int>(Change::begin) && OCLIDE_PERSIST == static_cast<int>(Change::persist) &&
              OCLIDE_END == static_cast<int>(Change::end));

static_assert(sizeof(oclide_user_slot) == sizeof(UserSlot) && alignof(oclide_user_slot) == alignof(UserSlot));
OCLIDE_SAME_FIELD(oclide_user_slot, UserSlot, value);

static_assert(sizeof(oclide_calibration_sample) == sizeof(Calibration::Sample));
OCLIDE_SAME_FIELD(oclide_calibration_sample, Calibration::Sample, bodies);
OCLIDE_SAME_FIELD(oclide_calibration_sample, Calibration::Sample, milliseconds);

#undef OCLIDE_SAME_FIELD

static_assert(OCLIDE_TERRAIN == kTerrain && OCLIDE_NONE == kNone);
static_assert(OCLIDE_SPHERE == static_cast<int>(Shape::sphere) && OCLIDE_BOX == static_cast<int>(Shape::box) &&
              OCLIDE_CYLINDER == static_cast<int>(Shape::cylinder) &&
              OCLIDE_CAPSULE == static_cast<int>(Shape::capsule) &&
              OCLIDE_CONVEX_HULL == static_cast<int>(Shape::convex_hull) &&
              OCLIDE_HALF_SPACE == static_cast<int>(Shape::half_space) &&
              OCLIDE_COMPOUND == static_cast<int>(Shape::compound));

// ---- What stands behind the handles

struct SceneObject final : Handle {
  static constexpr const char* kKind = "scene";
  [[nodiscard]] const char* kind() const override { return kKind; }
  Scene scene;
};

struct StagedPosesObject final : Handle {
  static constexpr const char* kKind = "staged poses";
  [[nodiscard]] const char* kind() const override { return kKind; }
  Collider::StagedPoses poses;
};

struct MemoryPlanObject final : Handle {
  static constexpr const char* kKind = "memory plan";
  [[nodiscard]] const char* kind() const override { return kKind; }
  MemoryPlan plan;
};

struct CalibrationObject final : Handle {
  static constexpr const char* kKind = "calibration";
  [[nodiscard]] const char* kind() const override { return kKind; }
  Calibration calibration;
};

struct ValidatorObject final : Handle {
  static constexpr const char* kKind = "validator";
  ValidatorObject(const Scene& scene, double margin) : validator(scene, margin), bodies(scene.bodies.count()) {}
  [[nodiscard]] const char* kind() const override { return kKind; }
  Validator validator;
  std::size_t bodies;
  std::string examples;
};

// ---- From C to C++

// An array with so many numbers for each of `things`, for example bodies.
std::span<const double> rows(const double* data, std::size_t count, const char* name, std::size_t columns,
                             std::size_t things, const char* things_name) {
  if (count % columns != 0 || count / columns != things)
    invalid_input(std::string(name) + " has " + std::to_string(count) + " numbers for " + std::to_string(things) + " " +
                  things_name + " of " + std::to_string(columns));
  return array(data, count, name);
}

template <std::size_t kColumns>
std::vector<std::array<double, kColumns>> to_arrays(std::span<const double> numbers) {
  std::vector<std::array<double, kColumns>> arrays(numbers.size() / kColumns);
  for (std::size_t k = 0; k < numbers.size(); ++k) arrays[k / kColumns][k % kColumns] = numbers[k];
  return arrays;
}

template <class T>
std::vector<T> to_vector(const T* data, std::size_t count, const char* name) {
  const std::span<const T> values = array(data, count, name);
  return {values.begin(), values.end()};
}

std::vector<Shape> to_shapes(const std::uint8_t* data, std::size_t count, const char* name) {
  std::vector<Shape> shapes;
  shapes.reserve(count);
  for (const std::uint8_t shape : array(data, count, name)) shapes.push_back(static_cast<Shape>(shape));
  return shapes;
}

Poses to_poses(const double* position, const double* orientation, std::size_t bodies, std::size_t scene_bodies) {
  if (bodies != scene_bodies)
    invalid_input("poses of " + std::to_string(bodies) + " bodies for a scene of " + std::to_string(scene_bodies));
  return {array(position, 3 * bodies, "position"), array(orientation, 4 * bodies, "orientation")};
}

// ---- From C++ to C

oclide_device_info to_c(const DeviceInfo& device) {
  oclide_device_info info{};
  info.id = device.id.c_str();
  info.name = device.name.c_str();
  info.platform = device.platform.c_str();
  info.version = device.version.c_str();
  info.driver = device.driver.c_str();
  info.missing = device.missing.c_str();
  info.memory_bytes = device.memory_bytes;
  info.largest_allocation_bytes = device.largest_allocation_bytes;
  info.compute_units = device.compute_units;
  info.usable = device.usable;
  info.is_gpu = device.is_gpu;
  info.is_reference = device.is_reference;
  info.rounds_division = device.rounds_division;
  info.has_denormals = device.has_denormals;
  return info;
}

const oclide_contact* to_c(const Contact* contacts) {
  return reinterpret_cast<const oclide_contact*>(contacts);
}

std::vector<Calibration> to_calibrations(const oclide_calibration* const* handles, std::size_t count) {
  std::vector<Calibration> calibrations;
  for (const oclide_calibration* handle : array(handles, count, "calibrations")) {
    const auto object = live<CalibrationObject>(handle);
    const Turn turn(*object, Use::alone);
    calibrations.push_back(object->calibration);
  }
  return calibrations;
}

}  // namespace

Settings to_settings(const oclide_settings* given) {
  Settings settings;
  if (given == nullptr) return settings;
  const oclide_settings known = read_struct(given, "oclide_settings");
  if (known.device != nullptr) settings.device = known.device;
  if (known.cache_directory != nullptr) settings.cache_directory = known.cache_directory;
  settings.margin = known.margin;
  settings.memory_limit = known.memory_limit;
  settings.track = known.track != 0;
  settings.use_cache = known.no_cache == 0;
  return settings;
}

oclide_frame to_c(const FrameContacts& found, std::span<UserSlot> slots) {
  oclide_frame frame{};
  frame.contacts = to_c(found.contacts.data());
  frame.contacts_count = found.contacts.size();
  frame.contact_size = sizeof(oclide_contact);
  frame.events = reinterpret_cast<const oclide_manifold_event*>(found.events.data());
  frame.events_count = found.events.size();
  frame.event_size = sizeof(oclide_manifold_event);
  frame.previous = found.previous.data();
  frame.previous_count = found.previous.size();
  frame.user_slots = reinterpret_cast<oclide_user_slot*>(slots.data());
  frame.user_slots_count = slots.size();
  frame.pairs = found.pairs;
  frame.body_pairs = found.body_pairs;
  frame.body_candidates = found.body_candidates;
  frame.candidates = found.candidates;
  frame.unreduced = found.unreduced;
  frame.moved_bodies = found.moved_bodies;
  frame.device_bytes = found.device_bytes;
  frame.upload_milliseconds = found.milliseconds.upload;
  frame.broad_phase_milliseconds = found.milliseconds.broad_phase;
  frame.narrow_phase_milliseconds = found.milliseconds.narrow_phase;
  frame.contact_reduction_milliseconds = found.milliseconds.contact_reduction;
  frame.download_milliseconds = found.milliseconds.download;
  frame.tracking_milliseconds = found.milliseconds.tracking;
  frame.total_milliseconds = found.milliseconds.total;
  return frame;
}

}  // namespace oclide::c_api

using namespace oclide::c_api;  // NOLINT(google-build-using-namespace): the functions below are C's

// ---- Status

const char* oclide_status_name(oclide_status status) {
  switch (status) {
    case OCLIDE_OK:
      return "OCLIDE_OK";
    case OCLIDE_INVALID_INPUT:
      return "OCLIDE_INVALID_INPUT";
    case OCLIDE_DEVICE_ERROR:
      return "OCLIDE_DEVICE_ERROR";
    case OCLIDE_OUT_OF_MEMORY:
      return "OCLIDE_OUT_OF_MEMORY";
    case OCLIDE_WRONG_STATE:
      return "OCLIDE_WRONG_STATE";
    case OCLIDE_BUSY:
      return "OCLIDE_BUSY";
    case OCLIDE_INVALID_HANDLE:
      return "OCLIDE_INVALID_HANDLE";
    case OCLIDE_NOT_SUPPORTED:
      return "OCLIDE_NOT_SUPPORTED";
    case OCLIDE_INTERNAL_ERROR:
      return "OCLIDE_INTERNAL_ERROR";
  }
  return "unknown status";
}

const char* oclide_version(void) {
  return oclide::version().data();  // of a literal
}

uint64_t oclide_contact_hash(const oclide_contact* contacts, size_t contacts_count, uint64_t seed) {
  if (contacts == nullptr && contacts_count != 0) return 0;
  return oclide::contact_hash({reinterpret_cast<const oclide::Contact*>(contacts), contacts_count}, seed);
}

// ---- Devices

oclide_status oclide_device_list_create(oclide_device_list** list) {
  return create(list, [] {
    auto object = std::make_shared<DeviceListObject>();
    object->devices = oclide::devices();
    return object;
  });
}

oclide_status oclide_device_list_destroy(oclide_device_list* list) {
  return destroy<DeviceListObject>(list);
}

oclide_status oclide_device_list_count(const oclide_device_list* list, size_t* count) {
  return call_with<DeviceListObject>(list, Use::alone,
                                     [&](DeviceListObject& object) { place(count, "count") = object.devices.size(); });
}

oclide_status oclide_device_list_get(const oclide_device_list* list, size_t index, oclide_device_info* info) {
  return call_with<DeviceListObject>(list, Use::alone, [&](DeviceListObject& object) {
    const OutStruct out(info, "oclide_device_info");
    check_index(index, object.devices.size(), "device");
    out.set(to_c(object.devices[index]));
  });
}

// ---- Scenes

const char* oclide_shape_name(uint8_t shape) {
  return oclide::to_string(static_cast<oclide::Shape>(shape));
}

oclide_status oclide_scene_create(oclide_scene** scene) {
  return create(scene, [] { return std::make_shared<SceneObject>(); });
}

oclide_status oclide_scene_destroy(oclide_scene* scene) {
  return destroy<SceneObject>(scene);
}

oclide_status oclide_scene_add_terrain(oclide_scene* scene, const oclide_terrain* terrain, size_t* index) {
  return call_with<SceneObject>(scene, Use::alone, [&](SceneObject& object) {
    const oclide_terrain given = read_struct(terrain, "oclide_terrain");
    const std::string name = "terrains/" + std::to_string(object.scene.terrains.size());
    oclide::check_terrain_lengths(name, {given.rows, given.cols}, given.heights_count, given.holes_count,
                                  given.material_count);
    oclide::Terrain added;
    added.rows = given.rows;
    added.cols = given.cols;
    added.origin = {given.origin[0], given.origin[1]};
    added.spacing = {given.spacing[0], given.spacing[1]};
    added.heights = to_vector(given.heights, given.heights_count, (name + "/heights").c_str());
    added.holes = to_vector(given.holes, given.holes_count, (name + "/holes").c_str());
    added.material = to_vector(given.material, given.material_count, (name + "/material").c_str());
    object.scene.terrains.push_back(std::move(added));
    if (index != nullptr) *index = object.scene.terrains.size() - 1;
  });
}

oclide_status oclide_scene_add_hull(oclide_scene* scene, const double* vertices, size_t vertices_count, size_t* index) {
  return call_with<SceneObject>(scene, Use::alone, [&](SceneObject& object) {
    const std::string name = "hulls/" + std::to_string(object.scene.hulls.size()) + "/vertices";
    if (vertices_count % 3 != 0)
      invalid_input(name + " has " + std::to_string(vertices_count) + " numbers, not three a vertex");
    object.scene.hulls.push_back(to_arrays<3>(array(vertices, vertices_count, name.c_str())));
    if (index != nullptr) *index = object.scene.hulls.size() - 1;
  });
}

oclide_status oclide_scene_add_compound(oclide_scene* scene, const oclide_compound* compound, size_t* index) {
  return call_with<SceneObject>(scene, Use::alone, [&](SceneObject& object) {
    const oclide_compound given = read_struct(compound, "oclide_compound");
    const std::string name = "compounds/" + std::to_string(object.scene.compounds.size());
    const auto numbers = [&](const double* data, std::size_t count, const char* array_name, std::size_t columns) {
      return rows(data, count, (name + array_name).c_str(), columns, given.shape_count, "parts");
    };
    const std::vector<oclide::Shape> shapes = to_shapes(given.shape, given.shape_count, (name + "/shape").c_str());
    const auto size = to_arrays<3>(numbers(given.size, given.size_count, "/size", 3));
    const auto position = to_arrays<3>(numbers(given.position, given.position_count, "/position", 3));
    std::vector<std::array<double, 4>> orientation;
    if (given.orientation_count != 0)
      orientation = to_arrays<4>(numbers(given.orientation, given.orientation_count, "/orientation", 4));
    std::vector<oclide::CompoundPart> parts(shapes.size());
    for (std::size_t k = 0; k < parts.size(); ++k) {
      parts[k].shape = shapes[k];
      parts[k].size = size[k];
      parts[k].position = position[k];
      if (!orientation.empty()) parts[k].orientation = orientation[k];
    }
    object.scene.compounds.push_back(std::move(parts));
    if (index != nullptr) *index = object.scene.compounds.size() - 1;
  });
}

oclide_status oclide_scene_set_environments(oclide_scene* scene, const int32_t* terrain, size_t terrain_count) {
  return call_with<SceneObject>(scene, Use::alone, [&](SceneObject& object) {
    object.scene.environment_terrain = to_vector(terrain, terrain_count, "environments/terrain");
  });
}

oclide_status oclide_scene_set_bodies(oclide_scene* scene, const oclide_bodies* bodies) {
  return call_with<SceneObject>(scene, Use::alone, [&](SceneObject& object) {
    const oclide_bodies given = read_struct(bodies, "oclide_bodies");
    const std::size_t count = given.shape_count;
    const auto optional = [count](const auto* data, std::size_t length, const char* name) {
      if (length != 0 && length != count)
        invalid_input(std::string(name) + " has " + std::to_string(length) + " entries for " + std::to_string(count) +
                      " bodies");
      return to_vector(data, length, name);
    };
    oclide::Bodies added;
    added.size = to_arrays<3>(rows(given.size, given.size_count, "bodies/size", 3, count, "bodies"));
    added.shape = to_shapes(given.shape, count, "bodies/shape");
    added.environment = optional(given.environment, given.environment_count, "bodies/environment");
    added.group = optional(given.group, given.group_count, "bodies/group");
    added.category = optional(given.category, given.category_count, "bodies/category");
    added.mask = optional(given.mask, given.mask_count, "bodies/mask");
    object.scene.bodies = std::move(added);
  });
}

oclide_status oclide_scene_check(const oclide_scene* scene) {
  return call_with<SceneObject>(scene, Use::alone, [](SceneObject& object) { oclide::check(object.scene); });
}

// ---- Collider

oclide_status oclide_collider_create(const oclide_settings* settings, oclide_collider** collider) {
  return create(collider, [&] { return std::make_shared<ColliderObject>(oclide::Collider(to_settings(settings))); });
}

oclide_status oclide_collider_destroy(oclide_collider* collider) {
  return destroy<ColliderObject>(collider);
}

oclide_status oclide_collider_device(const oclide_collider* collider, oclide_device_info* info) {
  return call_with<ColliderObject>(collider, Use::alone, [&](ColliderObject& object) {
    OutStruct(info, "oclide_device_info").set(to_c(object.collider.device()));
  });
}

oclide_status oclide_collider_set_scene(oclide_collider* collider, const oclide_scene* scene) {
  return call_with<ColliderObject>(collider, Use::alone, [&](ColliderObject& object) {
    const std::shared_ptr<SceneObject> given = live<SceneObject>(scene);
    const Turn turn(*given, Use::alone);
    oclide::check(given->scene);  // what it refuses leaves the scene before in place
    object.has_scene = false;
    object.own_frame = {};
    object.collider.set_scene(given->scene);
    object.bodies = given->scene.bodies.count();
    object.has_scene = true;
  });
}

oclide_status oclide_collider_update_heights(oclide_collider* collider, size_t terrain, size_t first_row,
                                             size_t first_col, size_t rows, size_t cols, const double* heights,
                                             size_t heights_count) {
  return call_with<ColliderObject>(collider, Use::alone, [&](ColliderObject& object) {
    need_scene(object, "update_heights");
    object.collider.update_heights(terrain, first_row, first_col, rows, cols,
                                   array(heights, heights_count, "update_heights: heights"));
  });
}

oclide_status oclide_collider_collide(oclide_collider* collider, const double* position, const double* orientation,
                                      size_t bodies, oclide_frame* frame) {
  return call_with<ColliderObject>(collider, Use::frame, [&](ColliderObject& object) {
    const OutStruct out(frame, "oclide_frame");
    need_scene(object, "collide");
    const oclide::FrameContacts& found = object.collider.update(to_poses(position, orientation, bodies, object.bodies));
    out.set(to_c(found, object.collider.user_slots()));
  });
}

oclide_status oclide_collider_stage(oclide_collider* collider, const double* position, const double* orientation,
                                    size_t bodies, oclide_staged_poses** staged) {
  if (staged != nullptr) *staged = nullptr;
  return call_with<ColliderObject>(collider, Use::stage, [&](ColliderObject& object) {
    place(staged, "staged");
    need_scene(object, "stage");
    auto poses = std::make_shared<StagedPosesObject>();
    poses->poses = object.collider.stage(to_poses(position, orientation, bodies, object.bodies));
    *staged = static_cast<oclide_staged_poses*>(keep(std::move(poses)));
  });
}

oclide_status oclide_collider_collide_staged(oclide_collider* collider, oclide_staged_poses* staged,
                                             oclide_frame* frame) {
  return call_with<ColliderObject>(collider, Use::frame, [&](ColliderObject& object) {
    const OutStruct out(frame, "oclide_frame");
    need_scene(object, "collide");
    const std::shared_ptr<StagedPosesObject> poses = live<StagedPosesObject>(staged);
    if (!poses->enter(Use::alone)) throw_busy(*poses);  // and for ever, as destroy() does
    release(staged);
    object.own_frame = object.collider.collide_staged(std::move(poses->poses));
    out.set(to_c(object.own_frame, object.collider.user_slots()));
  });
}

oclide_status oclide_staged_poses_destroy(oclide_staged_poses* staged) {
  return destroy<StagedPosesObject>(staged);
}

// ---- Memory

oclide_status oclide_collider_device_memory(oclide_collider* collider, const oclide_buffer_bytes** buffers,
                                            size_t* buffers_count) {
  return call_with<ColliderObject>(collider, Use::alone, [&](ColliderObject& object) {
    const oclide_buffer_bytes*& first = place(buffers, "buffers");
    std::size_t& count = place(buffers_count, "buffers_count");
    object.memory = object.collider.device_memory();
    object.memory_view.clear();
    for (const oclide::BufferBytes& b : object.memory) object.memory_view.push_back({b.name.c_str(), b.bytes});
    first = object.memory_view.data();
    count = object.memory_view.size();
  });
}

oclide_status oclide_memory_plan_create(const oclide_scene* scene, const double* position, const double* orientation,
                                        size_t bodies, const oclide_settings* settings, size_t frames_ahead,
                                        oclide_memory_plan** plan) {
  if (plan != nullptr) *plan = nullptr;
  return call_with<SceneObject>(scene, Use::alone, [&](SceneObject& object) {
    place(plan, "plan");
    const oclide::Poses poses = to_poses(position, orientation, bodies, object.scene.bodies.count());
    auto made = std::make_shared<MemoryPlanObject>();
    made->plan = oclide::plan_memory(object.scene, poses, to_settings(settings), frames_ahead);
    *plan = static_cast<oclide_memory_plan*>(keep(std::move(made)));
  });
}

oclide_status oclide_memory_plan_destroy(oclide_memory_plan* plan) {
  return destroy<MemoryPlanObject>(plan);
}

oclide_status oclide_memory_plan_summary(const oclide_memory_plan* plan, oclide_memory_summary* summary) {
  return call_with<MemoryPlanObject>(plan, Use::alone, [&](MemoryPlanObject& object) {
    const OutStruct out(summary, "oclide_memory_summary");
    oclide_memory_summary known{};
    known.buffers_count = object.plan.buffers.size();
    known.device_bytes = object.plan.device_bytes;
    known.host_bytes = object.plan.host_bytes;
    known.memory_limit = object.plan.memory_limit;
    known.candidates = object.plan.candidates;
    known.body_candidates = object.plan.body_candidates;
    known.unreduced = object.plan.unreduced;
    known.terrain_slices = object.plan.terrain_slices;
    known.body_slices = object.plan.body_slices;
    known.least_device_bytes = object.plan.least_device_bytes;
    known.problem = object.plan.problem.c_str();
    known.device = object.plan.device.id.c_str();
    known.fits = object.plan.fits ? 1 : 0;
    out.set(known);
  });
}

oclide_status oclide_memory_plan_buffer(const oclide_memory_plan* plan, size_t index, oclide_planned_buffer* buffer) {
  return call_with<MemoryPlanObject>(plan, Use::alone, [&](MemoryPlanObject& object) {
    const OutStruct out(buffer, "oclide_planned_buffer");
    check_index(index, object.plan.buffers.size(), "buffer");
    const oclide::MemoryPlan::Buffer& planned = object.plan.buffers[index];
    oclide_planned_buffer known{};
    known.name = planned.name.c_str();
    known.bytes = planned.bytes;
    known.on_device = planned.on_device ? 1 : 0;
    known.exact = planned.exact ? 1 : 0;
    known.only_if_needed = planned.only_if_needed ? 1 : 0;
    out.set(known);
  });
}

// ---- Calibration

oclide_status oclide_calibration_measure(const char* device, const oclide_settings* settings,
                                         oclide_calibration** calibration) {
  return create(calibration, [&] {
    auto made = std::make_shared<CalibrationObject>();
    const oclide::Settings known = to_settings(settings);
    made->calibration = oclide::calibrate(oclide::choose_device(device == nullptr ? "auto" : device), known);
    return made;
  });
}

oclide_status oclide_calibration_create(const oclide_calibration_sample* samples, size_t samples_count,
                                        oclide_calibration** calibration) {
  return create(calibration, [&] {
    auto made = std::make_shared<CalibrationObject>();
    for (const oclide_calibration_sample& s : array(samples, samples_count, "samples")) {
      std::vector<oclide::Calibration::Sample>& known = made->calibration.samples;
      const std::string name = "samples[" + std::to_string(known.size()) + "]";
      if (!(s.milliseconds >= 0.0 && s.milliseconds <= std::numeric_limits<double>::max()))
        invalid_input(name + ": milliseconds must be finite and not negative");
      if (!known.empty() && (s.bodies <= known.back().bodies || s.milliseconds < known.back().milliseconds))
        invalid_input(name + " must have more bodies than the one before, and no shorter time");
      known.push_back({s.bodies, s.milliseconds});
    }
    return made;
  });
}

oclide_status oclide_calibration_destroy(oclide_calibration* calibration) {
  return destroy<CalibrationObject>(calibration);
}

oclide_status oclide_calibration_samples(const oclide_calibration* calibration,
                                         const oclide_calibration_sample** samples, size_t* samples_count) {
  return call_with<CalibrationObject>(calibration, Use::alone, [&](CalibrationObject& object) {
    const oclide_calibration_sample*& first = place(samples, "samples");
    place(samples_count, "samples_count") = object.calibration.samples.size();
    first = reinterpret_cast<const oclide_calibration_sample*>(object.calibration.samples.data());
  });
}

oclide_status oclide_calibration_milliseconds(const oclide_calibration* calibration, double bodies,
                                              double* milliseconds) {
  return call_with<CalibrationObject>(calibration, Use::alone, [&](CalibrationObject& object) {
    place(milliseconds, "milliseconds") = object.calibration.milliseconds(bodies);
  });
}

oclide_status oclide_calibration_line(const oclide_calibration* calibration, double* fixed_milliseconds,
                                      double* milliseconds_per_body) {
  return call_with<CalibrationObject>(calibration, Use::alone, [&](CalibrationObject& object) {
    double& fixed = place(fixed_milliseconds, "fixed_milliseconds");
    place(milliseconds_per_body, "milliseconds_per_body") = object.calibration.milliseconds_per_body();
    fixed = object.calibration.fixed_milliseconds();
  });
}

oclide_status oclide_fastest_device(const oclide_calibration* const* calibrations, size_t calibrations_count,
                                    uint64_t bodies, size_t* index) {
  return call([&] {
    std::size_t& fastest = place(index, "index");
    fastest = oclide::fastest_device(to_calibrations(calibrations, calibrations_count), bodies);
  });
}

oclide_status oclide_break_even(const oclide_calibration* const* calibrations, size_t calibrations_count,
                                oclide_fastest_from* places, size_t capacity, size_t* count) {
  return call([&] {
    std::size_t& needed = place(count, "count");
    if (capacity != 0) place(places, "places");
    const auto found = oclide::break_even(to_calibrations(calibrations, calibrations_count));
    for (std::size_t k = 0; k < std::min(capacity, found.size()); ++k) places[k] = {found[k].bodies, found[k].index};
    needed = found.size();
  });
}

// ---- Validation

oclide_status oclide_validator_create(const oclide_scene* scene, double margin, oclide_validator** validator) {
  if (validator != nullptr) *validator = nullptr;
  return call_with<SceneObject>(scene, Use::alone, [&](SceneObject& object) {
    place(validator, "validator");
    auto made = std::make_shared<ValidatorObject>(object.scene, margin);
    *validator = static_cast<oclide_validator*>(keep(std::move(made)));
  });
}

oclide_status oclide_validator_destroy(oclide_validator* validator) {
  return destroy<ValidatorObject>(validator);
}

oclide_status oclide_validator_update_heights(oclide_validator* validator, size_t terrain, size_t first_row,
                                              size_t first_col, size_t rows, size_t cols, const double* heights,
                                              size_t heights_count) {
  return call_with<ValidatorObject>(validator, Use::alone, [&](ValidatorObject& object) {
    object.validator.update_heights(terrain, first_row, first_col, rows, cols,
                                    array(heights, heights_count, "update_heights: heights"));
  });
}

oclide_status oclide_validator_add_frame(oclide_validator* validator, const double* position, const double* orientation,
                                         size_t bodies, const oclide_contact* contacts, size_t contacts_count) {
  return call_with<ValidatorObject>(validator, Use::alone, [&](ValidatorObject& object) {
    const oclide::Poses poses = to_poses(position, orientation, bodies, object.bodies);
    const auto given = array(contacts, contacts_count, "contacts");
    object.validator.add_frame(poses, {reinterpret_cast<const oclide::Contact*>(given.data()), given.size()});
  });
}

oclide_status oclide_validator_report(oclide_validator* validator, oclide_validation_report* report) {
  return call_with<ValidatorObject>(validator, Use::alone, [&](ValidatorObject& object) {
    const OutStruct out(report, "oclide_validation_report");
    const oclide::ValidationReport& found = object.validator.report();
    object.examples.clear();
    for (const std::string& line : found.examples) object.examples += line + "\n";
    oclide_validation_report known{};
    known.frames = found.frames;
    known.bodies_checked = found.bodies_checked;
    known.pairs_device = found.pairs_device;
    known.pairs_reference = found.pairs_reference;
    known.only_device = found.only_device;
    known.only_reference = found.only_reference;
    known.contacts_device = found.contacts_device;
    known.contacts_reference = found.contacts_reference;
    known.unmatched_device = found.unmatched_device;
    known.unmatched_reference = found.unmatched_reference;
    known.largest_depth_error = found.largest_depth_error;
    known.largest_depth_error_relative = found.largest_depth_error_relative;
    known.largest_normal_error = found.largest_normal_error;
    known.largest_point_error = found.largest_point_error;
    known.deepest = found.deepest;
    known.examples = object.examples.c_str();
    known.holds = found.holds() ? 1 : 0;
    out.set(known);
  });
}
