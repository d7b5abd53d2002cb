// The bodies of a scene that changes, by row: which rows have one, and by what name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "oclide/oclide.hpp"

namespace oclide {

class BodyRows {
 public:
  /// Takes over what changes refer to; `scene` has been checked.
  void set(const Scene& scene);
  /// Applies changes. Throws Error(invalid_input) naming array and index, and nothing has changed.
  std::vector<BodyHandle> apply(const BodyChanges& changes);

  /// The scene as it is now, of whose terrains, hulls and meshes the arrays are empty. Rows without a body have
  /// kInactive.
  [[nodiscard]] const Scene& scene() const { return scene_; }
  [[nodiscard]] std::size_t count() const { return scene_.bodies.count(); }
  /// Rows of the last apply(), ascending; of them those that other bodies had had.
  [[nodiscard]] std::span<const std::uint32_t> changed() const { return changed_; }
  [[nodiscard]] std::span<const std::uint32_t> replaced() const { return replaced_; }
  [[nodiscard]] std::vector<BodyHandle> handles() const;
  /// Rows without a body.
  [[nodiscard]] std::size_t free_count() const { return free_.size(); }

 private:
  [[nodiscard]] bool has_body(std::uint32_t row) const;
  void check(const BodyChanges& changes) const;
  std::vector<BodyHandle> put_all(const BodyChanges& changes);
  void put(std::uint32_t row, const Bodies& from, std::size_t index);
  void put_pairs(const BodyChanges& changes);

  Scene scene_;
  std::vector<std::uint32_t> generation_;  // of each row: how many bodies have had it, less one
  std::vector<std::uint32_t> free_;        // rows without a body, descending
  std::vector<std::uint32_t> changed_, replaced_;
};

/// Makes what ended of a frame that was followed as if these rows, ascending, had other bodies than in the frame
/// before: their manifolds and contacts begin, and those of before end.
void part_from_before(std::span<const std::uint32_t> replaced, FrameContacts& frame);

}  // namespace oclide
