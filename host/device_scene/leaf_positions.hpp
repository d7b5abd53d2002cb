// Where bodies are, as far as the order of the leaves of their tree depends on it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "oclide/oclide.hpp"

namespace oclide {

/// Of the poses of a frame, which may be on the device alone.
class LeafPositions {
 public:
  virtual ~LeafPositions() = default;
  /// Throws Error(invalid_input) for a pose that cannot be used, once something was read from the device.
  virtual void check() {}
  /// Whether so many bodies are farther than `cell` from where they were at the last remember() that the order of then
  /// is no longer a good one.
  [[nodiscard]] virtual bool is_stale(std::size_t leaves, float cell) const = 0;
  /// The same of frames since then in which only the bodies moved that this was called with.
  [[nodiscard]] virtual bool is_stale_after(std::span<const std::uint32_t> /*moved*/, std::size_t leaves, float cell) {
    return is_stale(leaves, cell);
  }
  /// x, y and z of some thousand bodies. Blocking.
  [[nodiscard]] virtual std::array<std::vector<double>, 3> sample() = 0;
  /// The leaves have just been sorted.
  virtual void remember() = 0;
  /// Few leaves may be sorted by the host, which waits for their keys.
  [[nodiscard]] virtual bool host_may_sort() const = 0;

  /// One body in so many is in a sample.
  [[nodiscard]] static std::size_t sample_step(std::size_t bodies);

 protected:
  static constexpr std::size_t kStrayPart = 16;  // one body in so many may stray
};

/// Of poses in host memory.
class HostLeafPositions final : public LeafPositions {
 public:
  /// Nothing is known of any poses.
  void forget() { then_.clear(); }
  /// There are so many bodies, of which the new ones are far from where any leaf is.
  void grow(std::size_t bodies);
  /// Poses of the frame at work.
  void set(const Poses& poses) { now_ = poses; }

  [[nodiscard]] bool is_stale(std::size_t leaves, float cell) const override;
  [[nodiscard]] bool is_stale_after(std::span<const std::uint32_t> moved, std::size_t leaves, float cell) override;
  [[nodiscard]] std::array<std::vector<double>, 3> sample() override;
  void remember() override;
  [[nodiscard]] bool host_may_sort() const override { return true; }

 private:
  [[nodiscard]] bool is_far(std::size_t body, float cell) const;

  Poses now_;
  std::vector<std::array<float, 3>> then_;  // at the last remember() [m]
  std::vector<bool> strayed_;               // of those that moved since
  std::size_t strayed_count_ = 0;
};

}  // namespace oclide
