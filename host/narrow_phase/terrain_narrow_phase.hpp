// Narrow phase of bodies on terrain: the contacts of all candidates, shape after shape, into a store in any order; then
// from there into the order of candidates. Kernels: kernels/narrow_phase/<shape>_terrain.cl, contact_order.cl.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "broad_phase/terrain_candidates.hpp"
#include "frame/store_runs.hpp"
#include "opencl/lazy_kernel.hpp"

namespace oclide {

class TerrainNarrowPhase {
 public:
  /// Candidates of several shapes that have a fused kernel, at most.
  static constexpr std::uint32_t kFusedCandidates = 4096;

  TerrainNarrowPhase(opencl::Device& device, const DeviceScene& scene, const WorkMemory& work,
                     TerrainCandidates& candidates, primitives::ExclusiveScan& scan);

  /// One launch.
  struct Part {
    opencl::LazyKernel* kernel;
    std::uint32_t first_slot, last_slot;
    std::uint32_t candidates;  ///< of these slots at most
  };
  using Parts = std::vector<Part>;
  /// What is launched for the candidates of these slots: each shape's kernel, but a fused one for few of several
  /// shapes.
  [[nodiscard]] Parts parts_of(const SlotRange& range, const TerrainCandidates::Bounds& bounds);
  using OfShapes = std::array<std::uint64_t, kTerrainShapes.size()>;
  /// The same of all slots where it is not known how many of the candidates are whose: each shape's part has capacity
  /// for so many.
  [[nodiscard]] Parts parts_with_capacity(const SlotList& slots, const OfShapes& of_shapes);

  /// Slots that the store is to have: it is as large as it ever was.
  [[nodiscard]] std::uint32_t store_capacity(std::uint32_t least) const;
  /// Slots of the store that so many contacts take at most.
  [[nodiscard]] std::uint64_t most_stored(const Parts& parts, std::uint64_t contacts) const;

  /// Stores the contacts of all candidates in any order, as many as there is capacity for, and counts them. Where they
  /// go is known after launch_scan(), which is part of a fused kernel elsewhere. On a GPU first claims of
  /// so many candidates, which the ground is then asked about. Nothing of these blocks.
  void launch(const SlotList& slots, const Parts& parts, std::uint32_t candidates, std::uint32_t capacity,
              opencl::StageTimer& timer);
  void launch_scan(std::uint32_t candidates, opencl::StageTimer& timer);
  /// Begins to read the number of contacts, and on a GPU of store slots taken, after launch_scan().
  void begin_readback(std::uint64_t& found, std::uint32_t& stored, opencl::Transfers& transfers,
                      opencl::StageTimer& timer) const;
  /// To be called before a second launch() with the same candidates.
  void empty_store(opencl::StageTimer& timer);
  /// Puts the contacts of these slots that lie in the first `stored` slots of the store in order, if there are
  /// `capacity` at most.
  void launch_order(const SlotRange& range, std::uint32_t stored, std::uint32_t capacity, opencl::StageTimer& timer);

  /// Contacts in order that there is room for on the device as it is; makes room for so many.
  [[nodiscard]] std::size_t capacity() const { return contacts_.capacity(); }
  void resize(std::uint32_t candidates, std::uint32_t contacts);

  [[nodiscard]] const opencl::Buffer<std::uint32_t>& contact_offsets() const { return contact_offsets_; }
  [[nodiscard]] const opencl::Buffer<ContactRecord>& contacts() const { return contacts_; }
  [[nodiscard]] const opencl::Buffer<ContactRecord>& store() const { return store_; }
  [[nodiscard]] const opencl::Buffer<std::uint32_t>& store_candidates() const { return store_candidates_; }

  void free();

 private:
  // Each of kTerrainShapes, the fused one, and what makes contacts of claims on a GPU; compiled for ground whose
  // diagonals alternate or for all other.
  struct Kernels {
    Kernels(opencl::Device& device, std::string_view options);
    std::vector<opencl::LazyKernel> of_shapes;
    opencl::LazyKernel fused, claims;
  };
  [[nodiscard]] Kernels& kernels();
  void fuse(Parts& parts, std::uint32_t candidates);

  opencl::Device& device_;
  const DeviceScene& scene_;
  StoreRuns runs_;
  TerrainCandidates& candidates_;
  primitives::ExclusiveScan& scan_;
  Kernels falling_, alternating_;
  cl::Kernel order_kernel_;
  opencl::Buffer<std::uint32_t> contact_offsets_, store_candidates_;
  opencl::Buffer<std::uint64_t> total_;
  opencl::Buffer<ContactRecord> store_, contacts_;
  opencl::Buffer<ClaimRecord> claims_;  // beside the store, on a GPU
};

}  // namespace oclide
