// The contacts of a device's frame, as the checks go through them: between parts of compounds, and by pair of bodies.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "oclide/validation.hpp"
#include "reference/broad_phase/body_pairs.hpp"
#include "upload/compound_bodies.hpp"

namespace oclide::validation {

/// The contacts of bodies as contacts between their parts, in the order and with the numbers that these have. What
/// names no shape or is out of the order of bodies and shapes is counted and left out.
[[nodiscard]] std::vector<Contact> contacts_of_parts(std::span<const Contact> contacts, const CompoundBodies& compounds,
                                                     const std::string& frame, ValidationReport& report);

/// The contacts of two bodies on the device: [first, last) of the frame's contacts.
struct DevicePair {
  reference::BodyPair pair;
  std::size_t first, last;
};

/// Contacts between bodies by pair, in the order of pairs; what is out of order, not numbered as manifolds are, or of
/// no two bodies is counted.
[[nodiscard]] std::vector<DevicePair> pairs_of(std::span<const Contact> contacts, const Bodies& bodies,
                                               const std::string& frame, ValidationReport& report);

}  // namespace oclide::validation
