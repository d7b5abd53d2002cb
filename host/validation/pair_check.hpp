// The contacts of two bodies against docs/body_contacts.md: exact geometry for each, the reference for all.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "oclide/validation.hpp"
#include "reference/body.hpp"

namespace oclide::validation {

/// A device's contact relative to the centre of A.
struct DeviceContact {
  reference::dvec3 point, normal;
  double depth;
  std::uint32_t element = kNone;
  std::uint8_t material = 0;
};

/// Checks all contacts that a device has for a pair, or their absence. c is the vector from A's centre to B's; `meet`
/// says whether these bodies may meet at all. Counts and errors go to `report`, the lines of its examples begin with
/// `where`.
void check_pair(const reference::Body& a, const reference::Body& b, reference::dvec3 c, bool meet,
                std::span<const DeviceContact> device, double margin, const std::string& where,
                ValidationReport& report);

/// Adds a line unless there are enough of them.
void add_example(std::vector<std::string>& examples, const std::string& line);
inline void add_example(ValidationReport& report, const std::string& line) {
  add_example(report.examples, line);
}

/// Of three numbers of an API type.
[[nodiscard]] reference::dvec3 as_vector(const auto& v) {
  return {static_cast<double>(v[0]), static_cast<double>(v[1]), static_cast<double>(v[2])};
}

/// [rad]
[[nodiscard]] double angle(reference::dvec3 a, reference::dvec3 b);

}  // namespace oclide::validation
