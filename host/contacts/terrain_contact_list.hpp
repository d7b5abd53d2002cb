// The contacts of bodies with terrain in host memory, body by body, from frame to frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "contacts/kept_records.hpp"
#include "shared/abi.h"

namespace oclide {

class TerrainContactList {
 public:
  /// `device`, which must outlive it: that records come from.
  explicit TerrainContactList(const opencl::Device& device) : records_(device) {}

  /// What one body of the scene has.
  struct OfBody {
    const ContactRecord* first = nullptr;
    std::uint32_t count = 0, manifolds = 0;
    [[nodiscard]] std::span<const ContactRecord> contacts() const { return {first, count}; }
  };
  [[nodiscard]] OfBody of_body(std::size_t body) const { return of_body_[body]; }
  /// To be called before of_body() of body after body: begins to load what the bodies after this one have, which lies
  /// in the order of the ground.
  void prefetch_after(std::size_t body) const {
    constexpr std::size_t kAhead = 24;
    if (body + kAhead >= of_body_.size() || of_body_[body + kAhead].count == 0) return;
    __builtin_prefetch(of_body_[body + kAhead].first);
    __builtin_prefetch(&of_body_[body + kAhead].first->manifold);
  }

  /// Empty, for so many bodies. Gives all memory back.
  void reset(std::size_t bodies);
  /// These bodies are others now, and have no contacts.
  void drop(std::span<const std::uint32_t> bodies);
  /// No body has any contacts.
  void clear();
  /// Records on their way from the device; assign() says whose they are.
  [[nodiscard]] KeptRecords<ContactRecord>& records() { return records_; }
  /// The records that came last are those of these slots, of which `offsets` has one more.
  void assign(std::span<const BodyRecord> slots, std::span<const std::uint32_t> offsets,
              std::span<const std::uint32_t> manifolds);
  /// All bodies have what they have in this frame.
  void end_frame() { records_.end_frame(); }

  /// Only the bodies of these slots get new contacts: they have none until assign().
  void begin_update(std::span<const BodyRecord> moved);
  /// After all calls of assign(). `moved` as before.
  void end_update(std::span<const BodyRecord> moved);
  /// Bodies whose contacts are not as many, manifold by manifold, as they were before the last update.
  [[nodiscard]] std::span<const std::uint32_t> topology_changed() const { return topology_changed_; }

 private:
  void drop_superseded();

  std::vector<OfBody> of_body_;
  KeptRecords<ContactRecord> records_;  // what of_body_ points to
  std::vector<OfBody> before_update_;   // of the slots that moved
  std::vector<std::uint32_t> topology_changed_;
  std::vector<std::uint32_t> dropped_;  // since the last update, where they had contacts
};

}  // namespace oclide
