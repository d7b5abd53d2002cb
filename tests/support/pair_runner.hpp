// Runs one pair kernel of the narrow phase by itself, on pairs made by hand: no broad phase, no ordering.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "shapes/scene_geometry.hpp"
#include "support/scene.hpp"

namespace oclide::test {

struct BodyPair {
  BodySpec first, second;  ///< the lower shape first; first is A
};

/// "box_cylinder" for these two shapes, the lower one first.
[[nodiscard]] std::string pair_stem(Shape first, Shape second);

/// Contacts of each pair on the OpenCL device with this index; all pairs have the shapes of `stem`, and `hulls` those
/// of convex hulls. body_a = 0, body_b = 1.
[[nodiscard]] std::vector<std::vector<Contact>> run_pairs(std::size_t device, const std::string& stem,
                                                          std::span<const BodyPair> pairs, double margin = 0.0,
                                                          const Geometry& geometry = {});

}  // namespace oclide::test
