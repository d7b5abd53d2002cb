// Checks the contacts of a device: each against exact geometry in double precision, all against the CPU reference.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "oclide/oclide.hpp"

namespace oclide {

/// What was checked, and what did not hold. Tolerances and their reasons: host/validation/tolerances.hpp.
struct ValidationReport {
  std::uint64_t frames = 0;
  std::uint64_t bodies_checked = 0;  ///< over all frames
  std::uint64_t pairs_device = 0;    ///< (body, terrain) pairs with at least one contact, over all frames
  std::uint64_t pairs_reference = 0;
  std::uint64_t only_device = 0;     ///< pairs found by one alone, deeper than 1e-4 m
  std::uint64_t only_reference = 0;  ///< so too; or an overlap of the solids that the device has no contact for
  std::uint64_t contacts_device = 0;
  std::uint64_t contacts_reference = 0;
  std::uint64_t unmatched_device = 0;         ///< contacts that are not true, or that the definition does not give
  std::uint64_t unmatched_reference = 0;      ///< manifolds of the reference that the device has no contact for
  double largest_depth_error = 0.0;           ///< of contacts that match [m]
  double largest_depth_error_relative = 0.0;  ///< the same by depth, of contacts deeper than 1 cm
  double largest_normal_error = 0.0;          ///< [rad]
  double largest_point_error = 0.0;           ///< to the nearest point of the reference that matches [m]; never fails
  double deepest = 0.0;                       ///< depth of the device's deepest contact [m]
  std::vector<std::string> examples;          ///< of what did not hold: at most 10 lines

  [[nodiscard]] bool holds() const {
    return only_device == 0 && only_reference == 0 && unmatched_device == 0 && unmatched_reference == 0;
  }
};

/// Compares frame by frame. Works on all cores; blocking.
class Validator {
 public:
  /// `margin` is that of the collider whose contacts are checked. Throws Error(invalid_input) for a bad scene.
  Validator(const Scene& scene, double margin);
  ~Validator();
  Validator(Validator&&) noexcept;
  Validator& operator=(Validator&&) noexcept;

  /// As Collider::update_heights.
  void update_heights(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                      std::size_t cols, std::span<const double> heights);
  /// `contacts` are all contacts of one frame, ordered by body_a; those with another body_b than kTerrain are left out.
  void add_frame(const Poses& poses, std::span<const Contact> contacts);
  [[nodiscard]] const ValidationReport& report() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace oclide
