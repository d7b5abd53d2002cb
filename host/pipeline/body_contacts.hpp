// Bodies against bodies on a device, from poses to ordered contacts: tree, pairs, narrow phase, order, one after the
// other. Where a frame does not fit, the leaves of the tree are processed in slices and the results merged.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "broad_phase/body_pairs.hpp"
#include "contact_reduction/pair_order.hpp"
#include "contacts/contacts_on_device.hpp"
#include "contacts/pair_list.hpp"
#include "device_scene/device_scene.hpp"
#include "frame/frame_counts.hpp"
#include "frame/frame_plan.hpp"
#include "narrow_phase/pair_contacts.hpp"
#include "opencl/host_array.hpp"
#include "pipeline/frame_input.hpp"
#include "pipeline/mesh_contacts.hpp"

namespace oclide {

class BodyContacts {
 public:
  BodyContacts(opencl::Device& device, DeviceScene& scene, float margin, const WorkMemory& work);

  /// The scene has these bodies now.
  void set_scene(const Bodies& bodies);
  /// The bodies of `rows` have changed; `grows`: there are more, and nothing is known of frames before.
  void change(const Bodies& bodies, std::span<const std::uint32_t> rows, bool grows);

  /// Begins a frame: sends off all its commands where its sizes are predicted and there is room for them, as
  /// is_predicted() says then. After that comes finish(). `input` stays until then. A frame of moved bodies must follow
  /// another frame, and can_update(). Throws Error(device).
  void begin(const FramePlan& plan, const FrameInput& input, opencl::StageTimer& timer);
  [[nodiscard]] bool is_predicted() const { return is_predicted_; }
  /// What there will be of a frame that stays on the device, if all of it is sent off, in as much room.
  [[nodiscard]] std::optional<PairContactsOnDevice> sent_off() const;
  /// Between the two, in a frame of moved bodies: notes the pairs that these had. Needs nothing of the device, which
  /// may have work by then.
  void mark_moved() { list_.mark(input_->moved); }
  /// Waits for what begin() has sent off. Where it does not come nothing is predicted any more.
  void wait() { is_predicted_ = transfers_.settle() && is_predicted_; }
  /// Ends it, with a full recompute where it was not predicted, did not fit or did not come, and adds to its counts;
  /// may be called again when it failed. Blocking. Throws Error(device) naming the bytes needed when the memory of
  /// device or host is short.
  void finish(FrameCounts& counts, opencl::StageTimer& timer);
  /// Whether the device still has what an incremental frame begins with.
  [[nodiscard]] bool can_update() const { return !scene_.bodies.can_pair() || scene_.tree.is_built(); }

  /// All touching pairs of the last frame, where on_device() has not.
  [[nodiscard]] const PairList& list() const { return list_; }
  /// What the last frame has on the device, where it is to stay there and was not cut into slices.
  [[nodiscard]] const std::optional<PairContactsOnDevice>& on_device() const { return on_device_; }
  /// Takes that to the host.
  void move_to_host(opencl::StageTimer& timer);

  /// Gives device memory of a frame back.
  void free_frame_buffers();

 private:
  // What so many bodies came to; pairs of each kind where there were many.
  struct Sizes {
    std::uint64_t bodies = 0;
    PairOrder::Sizes found{};
    PairContacts::OfKinds of_kinds{};
  };

  [[nodiscard]] bool has_pairs() const {
    return scene_.bodies.can_pair() && !(plan_.is_of_moved() && input_->moved.empty());
  }
  [[nodiscard]] QueryLeaves leaves() const { return {plan_.is_of_moved(), 0, scene_.tree.groups(), false}; }
  // Results of the pairs at hand: one a pair, and one for each manifold with a mesh.
  [[nodiscard]] std::uint32_t results() const { return pairs_.count + meshes_.manifolds(); }
  [[nodiscard]] bool predict_capacity();
  [[nodiscard]] bool may_order_on_host(std::uint32_t pairs) const {
    return !plan_.stays_on_device() && pairs <= kFewPairs;
  }
  void launch_all(opencl::StageTimer& timer);
  void begin_readback(std::uint32_t results, std::uint32_t records, opencl::StageTimer& timer);
  [[nodiscard]] bool finish_predicted(opencl::StageTimer& timer);
  void note(const PairOrder::Sizes& found);
  void recompute(FrameCounts& counts, opencl::StageTimer& timer);
  void process_in_slices(const QueryLeaves& leaves, FrameCounts& counts, opencl::StageTimer& timer);
  std::uint32_t process(const QueryLeaves& leaves, FrameCounts& counts, opencl::StageTimer& timer);
  void check_host_memory(std::uint32_t last_group, std::size_t touching, std::uint32_t contacts) const;
  void read_back(std::uint32_t last_group, std::uint32_t contacts, opencl::StageTimer& timer);
  void read_ordered(std::uint32_t touching, std::uint32_t contacts, opencl::StageTimer& timer);
  void read_as_found(opencl::StageTimer& timer);
  [[nodiscard]] PairContactsOnDevice order_on_device(std::uint32_t touching, std::uint32_t contacts) const;
  void select_touching(std::span<const PairResult> results);
  void add_touching();
  void free_slice_buffers();

  opencl::Device& device_;
  DeviceScene& scene_;
  PairSearch search_;
  BodyPairs pairs_;
  MeshContacts meshes_;
  PairContacts narrow_;
  PairOrder order_;

  // Frame.
  FramePlan plan_;
  const FrameInput* input_ = nullptr;
  bool is_predicted_ = false, is_sliced_ = false;
  bool host_orders_ = false;  // so few that the host orders what comes of them: not worth the commands
  bool has_kinds_ = false;    // the pairs of each kind stand together, and are counted
  Sizes expected_;
  PairOrder::Sizes capacity_;
  PairList list_;
  std::optional<PairContactsOnDevice> on_device_;
  opencl::HostArray<PairResult> results_;
  std::vector<TouchingPair> touching_;  // of the pairs at hand, where the host puts them in order
  opencl::Transfers transfers_;         // of a frame that is predicted

  // From frame to frame: what the last frame in one piece came to, and the last of moved bodies.
  Sizes last_, last_moved_;
  std::uint32_t most_stored_ = 0;  // slots that the store had too few for
  PairSearch::Kinds seen_kinds_;   // of pairs, where there were many, in any frame of the scene
  bool is_crowded_ = false;        // bodies had many pairs each, in any frame of the scene
};

}  // namespace oclide
