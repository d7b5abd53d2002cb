// What handles of the C API stand for, and conversions, where more than one file needs them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "c_api/c_api_handles.hpp"
#include "oclide/oclide.hpp"

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
  std::vector<BufferBytes> memory;
  std::vector<oclide_buffer_bytes> memory_view;  // names are those of `memory`
};

/// The defaults for null.
Settings to_settings(const oclide_settings* given);
/// Arrays are those of `found` and `slots`.
oclide_frame to_c(const FrameContacts& found, std::span<UserSlot> slots);

template <class T>
std::span<const T> array(const T* data, std::size_t count, const char* name) {
  if (data == nullptr && count != 0)
    invalid_input(std::string(name) + ": null pointer for " + std::to_string(count) + " elements");
  return {data, count};
}

inline void need_scene(const ColliderObject& object, const char* what) {
  if (!object.has_scene) throw Failure(OCLIDE_WRONG_STATE, std::string(what) + ": no scene has been set");
}

template <class T>
T& place(T* pointer, const char* name) {
  if (pointer == nullptr) invalid_input(std::string(name) + ": null pointer");
  return *pointer;
}

inline void check_index(std::size_t index, std::size_t count, const char* name) {
  if (index >= count) invalid_input(std::string(name) + " " + std::to_string(index) + " of " + std::to_string(count));
}

}  // namespace oclide::c_api
