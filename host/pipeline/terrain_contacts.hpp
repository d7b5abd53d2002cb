// Bodies against terrain on a device, from poses to reduced contacts. Where a frame does not fit, the bodies are worked
// through in slices, with the same result.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "contacts/kept_records.hpp"
#include "frame/frame_counts.hpp"
#include "frame/store_runs.hpp"
#include "frame/work_memory.hpp"
#include "opencl/buffer.hpp"
#include "opencl/launch.hpp"
#include "primitives/exclusive_scan.hpp"
#include "shapes/shape_list.hpp"
#include "shared/abi.h"
#include "terrain/ground_order.hpp"
#include "terrain/terrain_buffers.hpp"
#include "upload/device_poses.hpp"

namespace oclide {

class TerrainContacts {
 public:
  TerrainContacts(opencl::Device& device, float margin, const WorkMemory& work);

  /// The bodies are `bodies`, not those of `scene`.
  void set_scene(const Scene& scene, const Bodies& bodies);
  /// As Collider::update_heights.
  void update_heights(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                      std::size_t cols, std::span<const double> heights) {
    terrains_.update(terrain, first_row, first_col, rows, cols, heights);
  }
  /// Gives each body the slot that suits where it is, if many have gone far since that was last done: what lies close
  /// together is looked at together. To be followed by find(); contacts do not depend on it. Throws Error(device).
  void order_slots(const Poses& poses);
  /// Finds the contacts of a frame and adds to its counts. Blocking. Throws Error(device) naming the bytes needed.
  void find(const DevicePoses& poses, FrameCounts& counts, opencl::StageTimer& timer);
  /// find() of a small frame that follows another, in two steps, between which the caller waits for `transfers`: with
  /// what the last one needed in mind the commands wait for no sizes. False where it cannot be done so or turns out to
  /// be larger; then find() is to do it.
  [[nodiscard]] bool begin(const DevicePoses& poses, opencl::Transfers& transfers, opencl::StageTimer& timer);
  [[nodiscard]] bool complete(FrameCounts& counts);

  /// find() that leaves what it finds on the device where the frame is not cut into slices: then on_device() has it,
  /// and of_body() nothing. `counts` lack the contacts before reduction.
  void find_on_device(const DevicePoses& poses, FrameCounts& counts, opencl::StageTimer& timer);
  /// Contacts of the last find_on_device() by slot, those of a body in order.
  struct OnDevice {
    std::uint32_t slots = 0, contacts = 0;
    const opencl::Buffer<std::uint32_t>* offsets = nullptr;    // slots + 1
    const opencl::Buffer<std::uint32_t>* manifolds = nullptr;  // of each slot
    const opencl::Buffer<ContactRecord>* records = nullptr;
    const opencl::Buffer<BodyRecord>* bodies = nullptr;
  };
  /// False where the frame was cut into slices, so that the host has it.
  [[nodiscard]] bool is_on_device() const { return !was_sliced_ && !was_downloaded_; }
  /// All null where there are none.
  [[nodiscard]] const OnDevice& on_device() const { return on_device_; }
  /// Takes it over to the host.
  void download(FrameCounts& counts, opencl::StageTimer& timer);
  /// The slot of each body of the scene, or SLOT_NONE; others once slots_version() is another.
  [[nodiscard]] std::span<const std::uint32_t> slots_of_bodies() const { return slot_of_body_; }
  [[nodiscard]] std::uint64_t slots_version() const { return slots_version_; }

  /// Since the last find() only these bodies of the scene (ascending) have moved, and the others keep what they have:
  /// to be followed by find_moved(), or by begin_moved() and complete_moved() as find() by begin() and complete(). They
  /// say false where find_moved() is to do it.
  void move(std::span<const std::uint32_t> bodies, opencl::StageTimer& timer);
  void find_moved(const DevicePoses& poses, FrameCounts& counts, opencl::StageTimer& timer);
  [[nodiscard]] bool begin_moved(const DevicePoses& poses, opencl::Transfers& transfers, opencl::StageTimer& timer);
  [[nodiscard]] bool complete_moved(FrameCounts& counts);

  /// Bodies whose contacts are not as many, manifold by manifold, since the last move() as they were before it.
  [[nodiscard]] std::span<const std::uint32_t> reshaped() const { return reshaped_; }

  /// What one body of the scene has since the last find(), find_moved() or what stands for them.
  struct OfBody {
    const ContactRecord* first = nullptr;
    std::uint32_t count = 0, manifolds = 0;
    [[nodiscard]] std::span<const ContactRecord> contacts() const { return {first, count}; }
  };
  [[nodiscard]] OfBody of_body(std::size_t body) const { return of_body_[body]; }
  /// To be called before of_body() of body after body: begins to load what the bodies after this one have, which lies
  /// in the order of the ground.
  void fetch_after(std::size_t body) const {
    constexpr std::size_t kAhead = 24;
    if (body + kAhead >= of_body_.size() || of_body_[body + kAhead].count == 0) return;
    __builtin_prefetch(of_body_[body + kAhead].first);
    __builtin_prefetch(&of_body_[body + kAhead].first->manifold);
  }

  /// Gives back the device memory that finding the contacts of a frame takes.
  void free_frame_buffers();

 private:
  template <class T>
  using Buffer = opencl::Buffer<T>;
  static constexpr std::size_t kShapes = kTerrainShapes.size();

  // Bodies in slots, shape after shape, those of a shape along a curve over the ground.
  struct Slots {
    explicit Slots(opencl::Device& device, std::string name) : records(device, std::move(name)) {}
    std::vector<BodyRecord> host;
    std::array<std::uint32_t, kShapes + 1> shape_begin{};  // first slot of each shape
    Buffer<BodyRecord> records;
  };

  struct Sizes {
    std::uint64_t chunks = 0, candidates = 0, contacts = 0, kept = 0;
  };

  void begin_frame();
  void free_slice_buffers();
  [[nodiscard]] bool make_room(const Sizes& expected);
  void launch_all(const DevicePoses& poses, opencl::Transfers& transfers, opencl::StageTimer& timer);
  [[nodiscard]] bool take_all(FrameCounts& counts);
  void finish_moved();
  void find_in_slots(const DevicePoses& poses, FrameCounts& counts, opencl::StageTimer& timer);
  std::uint64_t find_ranges(const DevicePoses& poses, opencl::StageTimer& timer);
  std::uint64_t site_offset(std::uint32_t slot);
  void work_through(std::uint32_t first, std::uint32_t last, FrameCounts& counts, opencl::StageTimer& timer);
  void process(std::uint32_t first, std::uint32_t last, std::uint64_t first_site, std::uint64_t last_site,
               FrameCounts& counts, opencl::StageTimer& timer);
  void read_kept(std::uint32_t slots, std::uint32_t contacts, opencl::Transfers& transfers, opencl::StageTimer& timer);
  void take_kept(std::uint32_t first, std::uint32_t slots, FrameCounts& counts);
  void keep(std::uint32_t first, std::uint32_t slots, std::uint32_t contacts, FrameCounts& counts,
            opencl::StageTimer& timer);
  void take(std::uint32_t first, std::uint32_t slots, std::span<const ContactRecord> records);
  void drop_superseded();
  std::uint32_t find_candidates(std::uint32_t first, std::uint32_t last, std::uint64_t sites,
                                opencl::StageTimer& timer);
  using Bounds = std::array<std::uint32_t, kShapes + 1>;  // first candidate of each shape, and the end
  [[nodiscard]] Bounds read_bounds(std::uint32_t first, std::uint32_t last, std::uint32_t candidates,
                                   opencl::StageTimer& timer) const;
  void launch_ranges(const DevicePoses& poses, opencl::StageTimer& timer);
  void launch_sites(std::uint32_t first, std::uint32_t last, std::uint32_t chunks, opencl::StageTimer& timer);
  void resize_candidates(std::uint32_t room);
  void launch_candidates(std::uint32_t first, std::uint32_t last, std::uint32_t chunks, std::uint32_t room,
                         opencl::StageTimer& timer);
  [[nodiscard]] std::uint32_t store_room(std::uint32_t least) const;
  // One launch of the narrow phase.
  struct Part {
    cl::Kernel* kernel;
    std::uint32_t first_slot, last_slot;
    std::uint32_t candidates;  // of these slots at most
  };
  [[nodiscard]] std::vector<Part> parts_of(std::uint32_t first, std::uint32_t last, const Bounds& bounds);
  [[nodiscard]] std::vector<Part> parts_with_room(std::uint32_t candidates);
  [[nodiscard]] cl::Kernel& few_kernel();
  [[nodiscard]] std::uint64_t most_places(const std::vector<Part>& parts, std::uint64_t contacts) const;
  void launch_narrow_phase(const std::vector<Part>& parts, std::uint32_t capacity, opencl::StageTimer& timer);
  void launch_order(std::uint32_t candidates, std::uint32_t places, std::uint32_t room, opencl::StageTimer& timer);
  [[nodiscard]] cl_uint many_contacts() const;
  void launch_reduction(std::uint32_t first, std::uint32_t slots, std::uint32_t room, opencl::StageTimer& timer);
  void launch_gather(std::uint32_t first, std::uint32_t slots, std::uint32_t room, opencl::StageTimer& timer);
  void launch_few_candidates(opencl::StageTimer& timer);
  void launch_few_contacts(opencl::StageTimer& timer);
  [[nodiscard]] bool fit_into_store(const std::vector<Part>& parts, std::uint32_t capacity);
  [[nodiscard]] bool foresee_contacts(std::uint32_t slots, std::uint64_t sites, const std::vector<Part>& parts,
                                      std::uint32_t capacity);
  struct Reduced {
    std::uint32_t found = 0, kept = 0;  // contacts before and after reduction
  };
  Reduced find_contacts(std::uint32_t first, std::uint32_t last, std::uint32_t candidates, std::uint64_t sites,
                        FrameCounts& counts, opencl::StageTimer& timer);

  opencl::Device& device_;
  float margin_;
  ItemRuns chunk_runs_;
  StoreRuns runs_;
  primitives::ExclusiveScan scan_;
  TerrainBuffers terrains_;
  cl::Kernel range_kernel_, sites_kernel_, candidates_kernel_, order_kernel_, reduction_kernel_, many_contacts_kernel_,
      gather_kernel_, small_candidates_kernel_, small_frame_kernel_, gather_small_kernel_;
  std::array<cl::Kernel, kShapes> narrow_kernels_;
  cl::Kernel few_kernel_;  // compiled when it is first needed

  // Scene.
  std::size_t body_count_ = 0;
  Slots all_;
  std::vector<std::uint32_t> slot_of_body_;  // or kNoSlot
  bool has_large_bodies_ = false;            // over many sites each, on a GPU
  static constexpr std::uint32_t kNoSlot = SLOT_NONE;
  GroundOrder order_;
  std::uint64_t slots_version_ = 0;

  // Frame.
  Slots moved_;
  const Slots* slots_ = &all_;              // those at work
  std::vector<std::uint32_t> all_slot_of_;  // of the slots at work, where they are not all
  Buffer<PlaceRecord> places_;
  Buffer<std::uint32_t> site_counts_;
  Buffer<std::uint64_t> site_offsets_;
  Buffer<std::uint64_t> total_, kept_total_;
  std::uint64_t sites_ = 0;
  std::vector<std::uint64_t> site_offsets_host_;  // only where the frame is cut into slices
  std::vector<OfBody> of_body_;                   // of all bodies of the scene
  std::vector<OfBody> before_move_;               // of the slots that moved
  std::vector<std::uint32_t> reshaped_;
  opencl::Transfers moved_upload_;
  std::vector<std::uint32_t> kept_offsets_host_, manifolds_host_, unreduced_host_;
  KeptRecords<ContactRecord> kept_contacts_;  // what of_body_ points to
  std::uint64_t whole_count_ = 0;             // of these after the last find()
  bool stays_on_device_ = false, was_sliced_ = false, was_downloaded_ = false;
  OnDevice on_device_;

  // What the last frame in one piece came to, and the last of moved bodies; room for one that is sent off as a whole.
  Sizes last_, last_moved_;
  std::size_t last_moved_slots_ = 0;
  struct Room {
    std::uint32_t chunks = 0, candidates = 0, contacts = 0, kept = 0;
    std::uint32_t capacity = 0, places = 0;  // of the store, and those of it that may be taken
    std::vector<Part> parts;
  };
  Room room_;
  std::vector<SlotOutcome> outcomes_host_;

  // Slice.
  Buffer<std::uint8_t> site_features_;  // of the sites of each chunk: those in reach of the body, as bits
  Buffer<std::uint32_t> kept_in_chunk_, chunk_offsets_;
  Buffer<std::uint32_t> candidate_slots_, candidate_sites_, first_candidate_;
  Buffer<std::uint32_t> contact_counts_, contact_offsets_;
  Buffer<std::uint32_t> stored_, store_candidates_;
  Buffer<ContactRecord> store_, contacts_, gathered_;
  Buffer<std::uint32_t> kept_, kept_offsets_, manifolds_, unreduced_;
  Buffer<SlotOutcome> outcomes_;
};

}  // namespace oclide
