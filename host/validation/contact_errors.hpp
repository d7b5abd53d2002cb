// How far a contact of the device is from the reference's contact that it matches.
#pragma once

#include <algorithm>
#include <cmath>

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

}  // namespace oclide::validation
