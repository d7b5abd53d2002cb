// Bodies against bodies on a device, from poses to ordered contacts: tree, pairs, narrow phase, order. Where a frame
// does not fit, the leaves of the tree are worked through in slices and the results merged.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "broad_phase/body_tree.hpp"
#include "contact_reduction/pair_order.hpp"
#include "contacts/kept_records.hpp"
#include "contacts/pair_list.hpp"
#include "frame/frame_counts.hpp"
#include "narrow_phase/pair_contacts.hpp"

namespace oclide {

class BodyContacts {
 public:
  BodyContacts(opencl::Device& device, float margin, const WorkMemory& work);

  void set_scene(const Bodies& bodies);
  /// Finds the contacts of a frame and adds to its counts. Blocking. Throws Error(device) naming the bytes needed when
  /// the memory of device or host is short.
  void find(const Poses& host_poses, const DevicePoses& poses, FrameCounts& counts, opencl::StageTimer& timer);
  /// find() of a small frame that follows another, in two steps, between which the caller waits for `transfers`: with
  /// what the last one needed in mind the commands wait for no sizes. False where it cannot be done so or turns out to
  /// be larger; then find() is to do it.
  [[nodiscard]] bool begin(const Poses& host_poses, const DevicePoses& poses, opencl::Transfers& transfers,
                           opencl::StageTimer& timer);
  [[nodiscard]] bool complete(FrameCounts& counts);

  /// find() for poses that are on the device alone, that leaves what it finds there where the frame is not cut into
  /// slices: then on_device() has it, and pairs() nothing.
  void find_on_device(ResidentPlaces& places, const DevicePoses& poses, FrameCounts& counts, opencl::StageTimer& timer);
  /// Touching pairs of the last find_on_device() by body_a, body_b, with their contacts.
  struct OnDevice {
    std::uint32_t pairs = 0, contacts = 0;
    const opencl::Buffer<std::uint32_t>* offsets = nullptr;  // of each body_a, and the end
    const opencl::Buffer<PairResult>* results = nullptr;
    const opencl::Buffer<PairContactRecord>* records = nullptr;
  };
  /// False where the frame was cut into slices, so that the host has it.
  [[nodiscard]] bool is_on_device() const { return !found_.of_slice; }
  /// All null where there are none.
  [[nodiscard]] const OnDevice& on_device() const { return on_device_; }
  /// Takes it over to the host.
  void download(opencl::StageTimer& timer);

  /// Since the last find() only these bodies of the scene (ascending, no half spaces) have moved, and pairs of others
  /// keep what they have: to be followed by find_moved(), or by begin_moved() and complete_moved() as find() by begin()
  /// and complete(). They say false where find_moved() is to do it. Only where can_find_moved().
  void move(std::span<const std::uint32_t> bodies, const Poses& host_poses, const DevicePoses& poses,
            opencl::StageTimer& timer);
  /// Notes the pairs that moved bodies had: before find_moved() or complete_moved(). Needs nothing of the device, which
  /// may have work by then.
  void mark_moved() { pairs_.mark(moved_); }
  void find_moved(FrameCounts& counts, opencl::StageTimer& timer);
  [[nodiscard]] bool begin_moved(opencl::Transfers& transfers, opencl::StageTimer& timer);
  [[nodiscard]] bool complete_moved(FrameCounts& counts);

  /// Whether the device still has what find() left there.
  [[nodiscard]] bool can_find_moved() const { return !tree_.can_pair() || tree_.states().size() > 0; }

  /// All touching pairs since the last find(), find_moved() or what stands for them.
  [[nodiscard]] const PairList& pairs() const { return pairs_; }

  [[nodiscard]] const BodyTree& tree() const { return tree_; }

  /// Gives device memory of a frame back.
  void free_frame_buffers();

 private:
  std::uint32_t process(std::uint32_t first, std::uint32_t last, opencl::StageTimer& timer);
  void work_through(std::uint32_t first, std::uint32_t last, FrameCounts& counts, opencl::StageTimer& timer);
  void free_slice_buffers();
  void keep(std::uint32_t last_group, std::uint32_t contacts, FrameCounts& counts, opencl::StageTimer& timer);
  void take_over(std::uint32_t touching, std::uint32_t contacts, opencl::StageTimer& timer);
  void find_later(std::uint32_t pairs, std::uint32_t places, opencl::Transfers& transfers, opencl::StageTimer& timer);
  [[nodiscard]] bool take_later();
  void renew(std::uint32_t candidates, FrameCounts& counts);
  void take_as_found(opencl::StageTimer& timer);
  void select_touching(std::span<const PairContactRecord> records);
  void add_touching();
  void drop_superseded();

  opencl::Device& device_;
  BodyTree tree_;
  BodyPairs found_;
  PairContacts narrow_;
  PairOrder reduction_;
  std::uint32_t body_count_ = 0;
  PairList pairs_;
  std::vector<TouchingPair> touching_;  // of the pairs at hand, where the host puts them in order
  std::vector<PairResult> results_;
  KeptRecords<PairContactRecord> kept_contacts_;  // what pairs_ points to
  std::uint64_t whole_count_ = 0;                 // of these after the last find()
  OnDevice on_device_;
  std::uint32_t last_pairs_ = 0, last_places_ = 0;  // what the last frame in one piece came to
  std::vector<std::uint32_t> moved_;                // by the last move()
  struct Sizes {
    std::uint64_t bodies = 0, pairs = 0, places = 0;
  };
  Sizes last_moved_;  // what the last move() came to
};

}  // namespace oclide
