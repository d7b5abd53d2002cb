// The bodies of a scene on the device, apart from their poses: leaves of the tree first, then half spaces, which have
// no bounds, by environment.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "oclide/oclide.hpp"
#include "opencl/buffer.hpp"
#include "shapes/scene_geometry.hpp"
#include "shared/abi.h"

namespace oclide {

/// The size below which a body counts as small, and the ranks of those classes of larger ones that really occur.
class SizeClasses {
 public:
  SizeClasses() = default;
  explicit SizeClasses(std::vector<double> radii);
  [[nodiscard]] double small() const { return small_; }
  [[nodiscard]] std::uint64_t rank_of(double radius) const { return rank_[class_of(radius)]; }
  [[nodiscard]] unsigned bits() const;

 private:
  static constexpr unsigned kMostClasses = 8;
  [[nodiscard]] std::size_t class_of(double radius) const;

  double small_ = 1.0;
  std::uint64_t count_ = 0;
  std::array<std::uint64_t, kMostClasses> rank_{};
};

struct TreeBodies {
  explicit TreeBodies(opencl::Device& device);

  /// Replaces the bodies; rows without a body have a record too, and so have `spare` more. Blocking.
  void set(const Bodies& bodies, const Geometry& geometry, std::size_t spare = 0);
  /// The bodies of `rows`, ascending, have changed, and there may be more. Sets `changed` to their records, which
  /// BodyTree::change() takes to the device; those of half spaces, which are few, go there at once. False where set()
  /// has to follow.
  [[nodiscard]] bool change(const Bodies& bodies, const Geometry& geometry, std::span<const std::uint32_t> rows);

  [[nodiscard]] std::uint32_t count() const { return leaves + half_spaces; }
  /// `margins` for a kernel: nothing where no body has one.
  [[nodiscard]] cl::Buffer margins_of_bodies() const { return margins.size() > 0 ? margins.get() : cl::Buffer(); }
  /// Whether any two bodies can meet at all.
  [[nodiscard]] bool can_pair() const { return leaves > 0 && count() > 1 && !one_group; }

  std::uint32_t leaves = 0, half_spaces = 0;
  bool one_group = false;  ///< all bodies are of one, whose bodies never meet
  bool filters = false;    ///< some body has a group, a category, a mask or flags, or is in an excluded pair
  unsigned high_bits = 0;  ///< of PairBody::key
  float cell = 1.0F;       ///< of the curve that leaves are sorted along, where the scene is not too wide for it [m]
  std::vector<std::uint32_t> environments;       ///< of bodies, by rank: as in the scene file, ascending
  std::vector<std::uint32_t> half_space_bodies;  ///< indices in the scene, in the order of their records
  std::vector<std::uint32_t> record_of_body;
  std::vector<std::uint32_t> changed_records;  ///< of the last change()
  std::vector<PairBody> changed;               ///< what is in them now
  std::vector<float> changed_margins;          ///< of these bodies [m]
  opencl::Buffer<PairBody> records;
  opencl::Buffer<std::uint32_t> half_space_offsets, half_space_list;  ///< by environment
  opencl::Buffer<std::uint64_t> excluded;                             ///< kernels/broad_phase/pair_filter.clh
  opencl::Buffer<float> margins;  ///< by row [m], empty where no body has one: kernels/launch/body_margin.clh

 private:
  [[nodiscard]] PairBody record_of(const Bodies& bodies, const Geometry& geometry, std::size_t body,
                                   std::uint32_t environment) const;
  void set_excluded(const Bodies& bodies);
  // Those of `rows` that are beyond all there are.
  void add_environments(const Bodies& bodies, std::span<const std::uint32_t> rows);
  void set_margins(const Bodies& bodies);

  SizeClasses classes_;
  std::vector<std::uint32_t> offsets_;                        // half_space_offsets
  std::vector<std::uint32_t> half_space_environments_;        // ranks, in the order of their records
  std::vector<std::uint32_t> spare_;                          // records without a row
  std::vector<std::array<std::uint32_t, 2>> excluded_pairs_;  // as in the scene
  std::vector<std::uint8_t> is_excluded_;                     // per body; empty: there are no excluded pairs
  std::uint32_t group_ = 0;                                   // of all bodies, where one_group
};

}  // namespace oclide
