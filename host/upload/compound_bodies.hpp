// Compound bodies, bodies of several shapes: a layer at the border of the library. Behind it each part is a body of its
// own, in the order of bodies, then parts, which meets all that its body may meet; in front of it contacts name body
// and part. docs/compounds.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "oclide/oclide.hpp"

namespace oclide {

class CompoundBodies {
 public:
  /// Whether a scene has bodies that this layer is for.
  [[nodiscard]] static bool are_in(const Scene& scene);

  /// `scene` has passed check().
  explicit CompoundBodies(const Scene& scene);

  [[nodiscard]] std::size_t bodies() const { return first_part_.size() - 1; }
  [[nodiscard]] std::size_t parts() const { return body_.size(); }
  [[nodiscard]] std::uint32_t body_of(std::size_t part) const { return body_[part]; }
  [[nodiscard]] std::uint16_t shape_of(std::size_t part) const {
    return static_cast<std::uint16_t>(part - first_part_[body_[part]]);
  }
  [[nodiscard]] std::size_t parts_of(std::size_t body) const { return first_part_[body + 1] - first_part_[body]; }
  [[nodiscard]] std::size_t first_part_of(std::size_t body) const { return first_part_[body]; }
  [[nodiscard]] bool is_compound(std::size_t body) const { return is_compound_[body] != 0; }

  /// Where a shape is in its body's axes.
  struct LocalPose {
    double position[3];
    double orientation[4];  // unit
  };
  /// Of the parts of all compounds, one after the other; the first is that of single shapes.
  [[nodiscard]] std::span<const LocalPose> local_poses() const { return local_; }
  /// Are the parts of all bodies that `before` has what they are there, or others in their place?
  [[nodiscard]] bool keeps_parts_of(const CompoundBodies& before) const;
  /// Which of them a part has.
  [[nodiscard]] std::size_t local_pose_of(std::size_t part) const {
    return first_local_[body_[part]] + (part - first_part_[body_[part]]);
  }

  /// Host memory of so many bodies and parts, but for the local poses.
  [[nodiscard]] static std::uint64_t bytes(std::uint64_t bodies, std::uint64_t parts) {
    return bodies * (2 * sizeof(std::size_t) + 1) + parts * sizeof(std::uint32_t);
  }

  /// Each part of the scene's bodies as a body. Parts of one body share a group that is not zero: the body's own, or
  /// one that no other body has.
  [[nodiscard]] Bodies parts_as_bodies(const Scene& scene) const;
  /// The bodies of `rows`, ascending, have become others, and there may be more; `parts` is what parts_as_bodies()
  /// gave. Both are then those of the scene, in time that follows the rows. False where that is not possible, as where
  /// a body has another number of parts: then nothing has changed.
  [[nodiscard]] bool change(const Scene& scene, std::span<const std::uint32_t> rows, Bodies& parts);
  /// The scene with these bodies.
  [[nodiscard]] Scene expanded(const Scene& scene) const;

  /// Poses of all parts: 3 and 4 numbers each. The quaternions have the lengths of the bodies' own. Checked poses.
  void place(const Poses& poses, std::vector<double>& position, std::vector<double>& orientation) const;
  /// Of the parts of one body alone, in arrays of all parts.
  void place(const Poses& poses, std::size_t body, double* position, double* orientation) const;

  /// Names bodies and shapes in contacts between parts, puts them in the order body_a, body_b, shape_a, shape_b,
  /// manifold, numbers the manifolds by it and counts pairs of bodies. All else of `named` is as in `frame`.
  void name(const FrameContacts& frame, FrameContacts& named) const;

 private:
  void name_body(std::span<const Contact> found, Contact* named, std::uint64_t& pairs, std::uint64_t& body_pairs) const;

  [[nodiscard]] bool can_change(const Scene& scene, std::span<const std::uint32_t> rows, const Bodies& parts);
  // Body i of the scene and its parts; one that is new where i is bodies().
  void put(const Scene& scene, std::size_t i);
  // The same in the arrays of the parts, but for groups.
  void put_parts(const Scene& scene, std::size_t i, Bodies& parts) const;

  std::vector<std::size_t> first_of_compound_;          // of each compound: where its local poses begin
  std::vector<std::array<std::uint32_t, 2>> excluded_;  // of bodies
  std::set<std::int32_t> fresh_;                        // groups that bodies of several parts got
  bool knows_fresh_ = false;
  std::vector<std::size_t> first_part_;    // per body, and the end
  std::vector<std::uint32_t> body_;        // per part
  std::vector<std::uint8_t> is_compound_;  // per body
  std::vector<std::size_t> first_local_;   // per body: where the local poses of its parts begin
  std::vector<LocalPose> local_;
};

}  // namespace oclide
