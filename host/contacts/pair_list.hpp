// The touching pairs of a frame in host memory, in the order of body_a, body_b. They stand in parts, so that where few
// bodies move few of them are written.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "contacts/kept_records.hpp"
#include "oclide/oclide.hpp"
#include "shared/abi.h"

namespace oclide {

/// Two bodies that touch, and where their contacts are.
struct TouchingPair {
  std::uint32_t body_a, body_b, count;
  const PairContactRecord* contacts;
  const MeshTag* tags;  // of the contacts; null where neither is a mesh. Such pairs stand once for each manifold
};

class PairList {
 public:
  /// `device`, which must outlive it: that records come from.
  explicit PairList(const opencl::Device& device) : records_(device) {}

  static constexpr std::size_t kBodiesOfPart = 256;  ///< whose pairs, as body_a, stand together

  struct Part {
    std::vector<TouchingPair> pairs;
    // For mark(), which makes them where first_of_body is empty:
    std::vector<std::uint32_t> body_b;         ///< of each pair
    std::vector<std::uint32_t> first_of_body;  ///< first pair of each body of the part, and where the last one's end
    // Of the last update():
    bool topology_changed = false;       ///< other pairs than before, or another number of contacts of one
    std::vector<std::uint32_t> updated;  ///< where not: indices of the pairs with new contacts
  };

  /// Empty, for so many bodies. Gives the memory of records back.
  void reset(std::size_t bodies);
  /// Without any pair.
  void clear();
  /// Contacts on their way from the device, to which pairs point.
  [[nodiscard]] KeptRecords<PairContactRecord>& records() { return records_; }
  [[nodiscard]] const KeptRecords<PairContactRecord>& records() const { return records_; }
  [[nodiscard]] KeptRecords<MeshTag>& tags() { return tags_; }
  /// Adds pairs, which are in order themselves.
  void add(std::span<const TouchingPair> pairs);
  /// The same from the results of the narrow phase, each of a pair with contacts, which point into `records`.
  void add(std::span<const PairResult> results, const PairContactRecord* records, std::span<const MeshTag> tags);
  /// Brings all pairs in order after calls of add() for several slices. They are those of the whole frame.
  void end_frame();
  /// Notes the pairs of which one body is `moved` (ascending).
  void mark(std::span<const std::uint32_t> moved);
  /// Takes the pairs that mark() noted out, and those `found`, in any order, in.
  void update(std::span<const TouchingPair> found);

  [[nodiscard]] std::span<const Part> parts() const { return parts_; }
  /// Pairs, however many manifolds they have.
  [[nodiscard]] std::size_t count() const;

 private:
  [[nodiscard]] bool is_moved(std::uint32_t body) const { return (is_moved_[body / 32] >> body % 32 & 1U) != 0; }
  static void index(Part& part, std::size_t first_body);
  void mark_part(std::size_t part, std::span<const std::uint32_t> moved);
  void sort_by_part(std::span<const TouchingPair> found);
  void drop_superseded();

  std::vector<Part> parts_;
  KeptRecords<PairContactRecord> records_;
  KeptRecords<MeshTag> tags_;
  std::vector<std::uint32_t> is_moved_;  // a bit a body, of the last mark()
  std::vector<TouchingPair> found_;      // by part
  std::vector<std::size_t> found_end_;   // of each part's
};

/// `tags`: of the first records; empty where there are none. Contacts without a mesh have none.
[[nodiscard]] inline TouchingPair pair_of(const PairResult& result, const PairContactRecord* records,
                                          std::span<const MeshTag> tags) {
  const bool is_tagged = result.first < tags.size() && tags[result.first].element != kNone;
  return {result.body_a, result.body_b, result.count, records + result.first,
          is_tagged ? tags.data() + result.first : nullptr};
}
/// Manifolds of one pair stay in the order of their contacts.
[[nodiscard]] inline bool precedes(const TouchingPair& a, const TouchingPair& b) {
  if (a.body_a != b.body_a) return a.body_a < b.body_a;
  if (a.body_b != b.body_b) return a.body_b < b.body_b;
  return a.tags != nullptr && b.tags != nullptr && a.tags < b.tags;
}

}  // namespace oclide
