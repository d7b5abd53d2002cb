// The bodies that can meet terrain, on the device: each has a slot. Slots go shape after shape, so that one kernel does
// one shape; those of a shape follow a curve over the ground.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "opencl/buffer.hpp"
#include "shapes/scene_geometry.hpp"
#include "shapes/shape_list.hpp"
#include "shared/abi.h"
#include "terrain/ground_order.hpp"

namespace oclide {

/// Bodies in slots, or some of them.
struct SlotList {
  SlotList(opencl::Device& device, const std::string& name) : records(device, name) {}
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(host.size()); }

  std::vector<BodyRecord> host;
  std::array<std::uint32_t, kTerrainShapes.size() + 1> shape_begin{};  ///< first slot of each shape, and the end
  opencl::Buffer<BodyRecord> records;
};

/// Slots [first, last) of a list.
struct SlotRange {
  explicit SlotRange(const SlotList& all) : slots(all), last(all.size()) {}
  SlotRange(const SlotList& list, std::uint32_t begin, std::uint32_t end) : slots(list), first(begin), last(end) {}
  [[nodiscard]] std::uint32_t size() const { return last - first; }
  [[nodiscard]] bool is_all() const { return size() == slots.size(); }
  [[nodiscard]] std::span<const BodyRecord> bodies() const { return std::span(slots.host).subspan(first, size()); }

  const SlotList& slots;
  std::uint32_t first = 0, last;
};

class TerrainSlots {
 public:
  explicit TerrainSlots(opencl::Device& device);

  /// Replaces the bodies; those that can meet terrain get a slot. With `with_spare` each of their shapes has further
  /// slots. Blocking.
  void set(const Scene& scene, const Bodies& bodies, const Geometry& geometry, float margin, bool with_spare = false);
  /// The bodies of `rows`, ascending, have changed, and there may be more. False where set() has to follow. Blocking.
  [[nodiscard]] bool change(const Scene& scene, const Bodies& bodies, const Geometry& geometry, float margin,
                            std::span<const std::uint32_t> rows);
  /// Gives each body the slot that suits where it is, if many have gone far since that was last done: what lies close
  /// together is looked at together. Contacts do not depend on it. Few bodies stay as they are. Throws Error(device).
  void order(const Poses& poses);
  /// Sets `moved` to the slots of these bodies (ascending), in the order of all. Does not block.
  void select(std::span<const std::uint32_t> bodies, opencl::StageTimer& timer);

  [[nodiscard]] const SlotList& all() const { return all_; }
  [[nodiscard]] const SlotList& moved() const { return moved_; }
  /// The slot of each body of the scene, or SLOT_NONE; others once version() is another.
  [[nodiscard]] std::span<const std::uint32_t> of_bodies() const { return slot_of_body_; }
  [[nodiscard]] std::uint64_t version() const { return version_; }
  /// On a GPU: some body is over so many sites that it may have many contacts.
  [[nodiscard]] bool has_large_bodies() const { return has_large_bodies_; }

 private:
  opencl::Device& device_;
  SlotList all_, moved_;
  std::vector<std::uint32_t> slot_of_body_;
  std::vector<std::uint32_t> moved_slots_;
  opencl::Transfers moved_upload_;
  [[nodiscard]] bool is_over_many_sites(const Terrain& terrain, double radius, double margin) const;
  void list_free_slots();

  cl::Kernel change_kernel_;
  std::uint32_t nowhere_ = 0;  // the terrain of slots without a body: one without cells
  std::array<std::vector<std::uint32_t>, kTerrainShapes.size()> free_;  // slots without a body, of each shape
  opencl::Buffer<std::uint32_t> changed_slots_;
  opencl::Buffer<BodyRecord> changed_;
  bool has_large_bodies_ = false;
  GroundOrder order_;
  std::uint64_t version_ = 0;
};

}  // namespace oclide
