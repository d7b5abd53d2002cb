// Bodies against bodies on a device, from poses to ordered contacts: tree, pairs, narrow phase, order. Where a frame
// does not fit, the leaves of the tree are worked through in slices and the results merged.
#pragma once

#include <cstdint>
#include <vector>

#include "broad_phase/body_tree.hpp"
#include "contact_reduction/pair_order.hpp"
#include "narrow_phase/pair_contacts.hpp"

namespace oclide {

class BodyContacts {
 public:
  BodyContacts(opencl::Device& device, float margin);

  void set_scene(const Scene& scene);
  /// Finds the contacts of a frame and adds to its counts. Blocking. Throws Error(device) naming the bytes needed when
  /// the memory of device or host is short.
  void find(const Poses& host_poses, const DevicePoses& poses, FrameContacts& frame, opencl::StageTimer& timer);

  /// A touching pair of the last find().
  struct Pair {
    std::uint32_t body_a, body_b, count;
    const PairContactRecord* contacts;
  };
  [[nodiscard]] std::size_t pairs() const { return order_.empty() ? only_slice_pairs() : order_.size(); }
  /// Number k in the order of body_a, body_b.
  [[nodiscard]] Pair pair(std::size_t k) const;

  /// Gives device memory of a frame back.
  void free_frame_buffers();

 private:
  struct Slice {
    std::vector<PairResult> pairs;
    std::vector<PairContactRecord> contacts;
  };
  struct PlaceInSlice {
    std::uint32_t slice, pair;
  };

  [[nodiscard]] std::size_t only_slice_pairs() const { return slices_.empty() ? 0 : slices_.front().pairs.size(); }
  std::uint32_t process(std::uint32_t first, std::uint32_t last, opencl::StageTimer& timer);
  void work_through(std::uint32_t first, std::uint32_t last, FrameContacts& frame, opencl::StageTimer& timer);
  void free_slice_buffers();
  void keep(std::uint32_t last_group, std::uint32_t contacts, FrameContacts& frame, opencl::StageTimer& timer);

  opencl::Device& device_;
  BodyTree tree_;
  BodyPairs found_;
  PairContacts narrow_;
  PairOrder reduction_;
  std::uint32_t body_count_ = 0;
  std::uint64_t contacts_so_far_ = 0;
  std::vector<Slice> slices_;
  std::vector<PlaceInSlice> order_;  // over all slices, where there are several
};

}  // namespace oclide
