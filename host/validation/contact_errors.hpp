// How far a contact of the device is from the reference's contact that it matches.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "oclide/validation.hpp"
#include "validation/pair_check.hpp"
#include "validation/tolerances.hpp"

namespace oclide::validation {

/// Takes the errors of a contact into the largest ones of the report; `matched` is the reference's, of the ground or a
/// mesh.
void note_errors(const auto& device, const auto& matched, ValidationReport& report) {
  const double depth_error = std::abs(device.depth - matched.depth);
  report.largest_depth_error = std::max(report.largest_depth_error, depth_error);
  if (matched.depth > kDeepEnoughForRelative)
    report.largest_depth_error_relative = std::max(report.largest_depth_error_relative, depth_error / matched.depth);
  if (matched.normal_uncertainty < kMeaninglessNormal)
    report.largest_normal_error = std::max(report.largest_normal_error, angle(device.normal, matched.normal));
  report.largest_point_error = std::max(report.largest_point_error, glm::distance(device.point, matched.point));
}

/// Whether contacts of the device with ground or a mesh are wrong where the reference has none. They are right where
/// the two touch within the tolerance: as deep as the device says or, where the definition leaves a way out to rounding
/// (`is_known`), as the solids are. `overlaps`: these do by more than the tolerance.
bool are_wrong_alone(std::span<const DeviceContact> device, double margin, bool overlaps, const auto& is_known) {
  return overlaps || std::any_of(device.begin(), device.end(), [&](const DeviceContact& d) {
           return d.depth > kLength - margin && (d.depth <= 0.0 || !is_known(d));
         });
}

/// Of at least one [m].
inline double deepest_of(std::span<const DeviceContact> device) {
  const auto shallower = [](const DeviceContact& a, const DeviceContact& b) { return a.depth < b.depth; };
  return std::max_element(device.begin(), device.end(), shallower)->depth;
}

}  // namespace oclide::validation
