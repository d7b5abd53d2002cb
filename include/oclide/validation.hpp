// Checks the contacts of a device, with terrain and between bodies: each against exact geometry in double precision,
// all against the CPU reference; and the hits of rays, and the impacts of moving bodies.
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
  /// (body, terrain) and (body, body) pairs with at least one contact, over all frames; of compound bodies each shape
  /// counts by itself
  std::uint64_t pairs_device = 0;
  std::uint64_t pairs_reference = 0;
  /// Pairs found by one alone, deeper than 1e-4 m - margin or with solids that overlap by more; others are undecided.
  std::uint64_t only_device = 0;
  std::uint64_t only_reference = 0;  ///< the same; or an overlap with terrain that the device has no contact for
  std::uint64_t contacts_device = 0;
  std::uint64_t contacts_reference = 0;
  /// Contacts that are not true, that the definition does not give, or that are out of order; manifolds between
  /// bodies that are not the pair's least penetration
  std::uint64_t unmatched_device = 0;
  /// Manifolds of the reference that the device has no contact for; between bodies: that lack an end or a corner
  std::uint64_t unmatched_reference = 0;
  /// Pairs that one alone has, within 1e-4 m of touching or, with a margin, of its end: the contract allows either.
  /// Never fails
  std::uint64_t undecided = 0;
  double largest_depth_error = 0.0;           ///< of contacts that match [m]
  double largest_depth_error_relative = 0.0;  ///< the same by depth, of contacts deeper than 1 cm
  double largest_normal_error = 0.0;          ///< [rad]; between bodies of normals within 0.01 of the reference's
  double largest_point_error = 0.0;           ///< to the nearest point of the reference that matches [m]; never fails
  double deepest = 0.0;                       ///< depth of the device's deepest contact [m]
  std::vector<std::string> examples;          ///< of what did not hold: at most 10 lines

  [[nodiscard]] bool holds() const {
    return only_device == 0 && only_reference == 0 && unmatched_device == 0 && unmatched_reference == 0;
  }
};

/// What was checked of casts, and what did not hold. A ray within 1e-4 m of a silhouette may hit or miss, and so may
/// one that begins or ends within 1e-4 m of a surface.
struct RayReport {
  std::uint64_t casts = 0;
  std::uint64_t rays = 0;  ///< over all casts
  std::uint64_t hits_device = 0;
  std::uint64_t hits_reference = 0;
  std::uint64_t only_device = 0;     ///< rays that hit on the device alone
  std::uint64_t only_reference = 0;  ///< rays that hit in the reference alone
  /// Hits that are farther off than 1e-4 m and 1e-6 of the distance, of a body that is not there, behind another one,
  /// or of another triangle than the point is on
  std::uint64_t wrong_hits = 0;
  std::uint64_t wrong_normals = 0;      ///< of hits that are right: not those of the surface there, by 0.01 rad
  std::uint64_t other_bodies = 0;       ///< than the reference's, as far away but for the tolerance; never fails
  std::uint64_t silhouettes = 0;        ///< rays with another answer, which is as right; never fails
  double largest_distance_error = 0.0;  ///< of the same body in both [m], silhouettes left out
  double largest_normal_error = 0.0;    ///< of these to the surface's next normal [rad]
  std::vector<std::string> examples;    ///< of what did not hold: at most 10 lines

  [[nodiscard]] bool holds() const {
    return only_device == 0 && only_reference == 0 && wrong_hits == 0 && wrong_normals == 0;
  }
};

/// What was checked of sweeps, and what did not hold. A pair that comes within 1e-4 m and no nearer than 1e-5 m may
/// have an impact or none.
struct SweepReport {
  std::uint64_t sweeps = 0;
  std::uint64_t impacts_device = 0;  ///< over all sweeps
  std::uint64_t impacts_reference = 0;
  std::uint64_t only_reference = 0;  ///< pairs that touch and have no impact on the device
  /// Impacts at whose time the two are farther apart than 1e-4 m, or before which they overlap by more than that; or
  /// whose normal, point, element or material is not theirs; of no two bodies that may meet; out of order
  std::uint64_t wrong_impacts = 0;
  std::uint64_t undecided = 0;        ///< pairs that only one has, with an answer that is as right; never fails
  double largest_time_error = 0.0;    ///< of pairs that both have, times their speed along the normal [m]; never fails
  std::vector<std::string> examples;  ///< of what did not hold: at most 10 lines

  [[nodiscard]] bool holds() const { return only_reference == 0 && wrong_impacts == 0; }
};

/// Compares frame by frame. Works on all cores; blocking.
class Validator {
 public:
  /// `margin` is that of the collider whose contacts are checked. Throws Error(invalid_input) for a bad scene or
  /// margin.
  OCLIDE_API Validator(const Scene& scene, double margin);
  OCLIDE_API ~Validator();
  OCLIDE_API Validator(Validator&&) noexcept;
  OCLIDE_API Validator& operator=(Validator&&) noexcept;

  /// The scene changes, as that of the collider does by its calls of these names.
  OCLIDE_API std::vector<BodyHandle> change(const BodyChanges& changes);
  [[nodiscard]] OCLIDE_API std::size_t rows() const;
  OCLIDE_API void update_heights(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                                 std::size_t cols, std::span<const double> heights);
  OCLIDE_API void update_holes(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                               std::size_t cols, std::span<const std::uint8_t> holes);
  OCLIDE_API void update_material(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                                  std::size_t cols, std::span<const std::uint8_t> material);
  OCLIDE_API void move_terrain(std::size_t terrain, std::array<double, 2> origin);
  OCLIDE_API std::vector<std::size_t> change_tiles(TileChanges changes);

  /// `contacts` are all contacts of one frame, ordered by body_a, body_b (terrain last), shape_a, shape_b,
  /// manifold.
  OCLIDE_API void add_frame(const Poses& poses, std::span<const Contact> contacts);
  [[nodiscard]] OCLIDE_API const ValidationReport& report() const;

  /// `hits` are those of Collider::cast() with these poses and rays. Throws Error(invalid_input) as that does, and
  /// where there is not one hit a ray.
  OCLIDE_API void add_cast(const Poses& poses, const Rays& rays, std::span<const Hit> hits);
  [[nodiscard]] OCLIDE_API const RayReport& ray_report() const;

  /// `impacts` are those of Collider::sweep() with these poses and this motion. Throws Error(invalid_input) as that
  /// does.
  OCLIDE_API void add_sweep(const Poses& poses, const Motion& motion, std::span<const Impact> impacts);
  [[nodiscard]] OCLIDE_API const SweepReport& sweep_report() const;

 private:
  void check_frame(const Poses& poses, std::span<const Contact> contacts);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace oclide
