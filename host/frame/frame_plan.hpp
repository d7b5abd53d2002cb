// The way that a frame takes through both halves of the pipeline (docs/frame_paths.md).
#pragma once

#include <cstdint>

namespace oclide {

struct FramePlan {
  /// What is computed. Contacts of bodies that did not move, with one another, are kept from the frame before.
  enum class Scope : std::uint8_t { all_bodies, moved_bodies };
  /// Where the contacts go.
  enum class Residency : std::uint8_t { host, device };
  /// Whether the host waits for the size of each step before it makes room for the next one, or makes room by what the
  /// frame before had and waits once, at the end. What does not fit is recomputed in full with sizes read back.
  enum class Sizes : std::uint8_t { read_back, predicted };

  Scope scope = Scope::all_bodies;
  Residency residency = Residency::host;
  Sizes sizes = Sizes::read_back;

  [[nodiscard]] bool is_of_moved() const { return scope == Scope::moved_bodies; }
  [[nodiscard]] bool is_predicted() const { return sizes == Sizes::predicted; }
  [[nodiscard]] bool stays_on_device() const { return residency == Residency::device; }
};

}  // namespace oclide
