// What handles of the C API stand for, and checks of what comes with them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "c_api/handles.hpp"
#include "oclide/oclide.hpp"
#include "oclide/trace.hpp"
#include "oclide/validation.hpp"

namespace oclide::c_api {

struct DeviceListObject final : Handle {
  static constexpr const char* kKind = "device list";
  [[nodiscard]] const char* kind() const override { return kKind; }
  std::vector<DeviceInfo> devices;
};

struct ColliderObject final : Handle {
  static constexpr const char* kKind = "collider";
  explicit ColliderObject(Collider made) : collider(std::move(made)) {}
  [[nodiscard]] const char* kind() const override { return kKind; }

  Collider collider;
  bool has_scene = false;
  std::size_t bodies = 0;
  FrameContacts own_frame;  // of the last frame that is not in memory of the collider
  RayHits hits;             // of the last cast
  FrameImpacts impacts;     // of the last sweep
  Overlaps overlaps;        // of the last overlap
  Distances distances;      // of the last distance
  Paths paths;              // of the last trace
  std::vector<BufferBytes> memory;
  std::vector<oclide_buffer_bytes> memory_view;  // names are those of `memory`
};

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
  std::string examples, ray_examples, sweep_examples;
};

template <class T>
std::span<const T> array(const T* data, std::size_t count, const char* name) {
  if (data == nullptr && count != 0)
    invalid_input(std::string(name) + ": null pointer for " + std::to_string(count) + " elements");
  return {data, count};
}

inline void need_scene(const ColliderObject& object, const char* what) {
  if (!object.has_scene) throw Failure(OCLIDE_WRONG_STATE, std::string(what) + ": no scene has been set");
}

inline void check_index(std::size_t index, std::size_t count, const char* name) {
  if (index >= count) invalid_input(std::string(name) + " " + std::to_string(index) + " of " + std::to_string(count));
}

}  // namespace oclide::c_api
