// The kinds of pairs: one row, one kernel, one file each.
#pragma once

#include <array>

#include "oclide/oclide.hpp"

namespace oclide {

struct PairRow {
  Shape first, second;
  const char* stem;  // kernels/narrow_phase/<stem>.cl, kernel narrow_phase_<stem>
};

/// In the order of the kinds' numbers; pair_kinds in kernels/broad_phase/body_pairs.cl is its inverse.
inline constexpr std::array kPairTable{
    PairRow{Shape::sphere, Shape::sphere, "sphere_sphere"},
    PairRow{Shape::sphere, Shape::box, "sphere_box"},
    PairRow{Shape::sphere, Shape::cylinder, "sphere_cylinder"},
    PairRow{Shape::sphere, Shape::capsule, "sphere_capsule"},
    PairRow{Shape::sphere, Shape::half_space, "sphere_half_space"},
    PairRow{Shape::box, Shape::box, "box_box"},
    PairRow{Shape::box, Shape::cylinder, "box_cylinder"},
    PairRow{Shape::box, Shape::capsule, "box_capsule"},
    PairRow{Shape::box, Shape::half_space, "box_half_space"},
    PairRow{Shape::cylinder, Shape::cylinder, "cylinder_cylinder"},
    PairRow{Shape::cylinder, Shape::capsule, "cylinder_capsule"},
    PairRow{Shape::cylinder, Shape::half_space, "cylinder_half_space"},
    PairRow{Shape::capsule, Shape::capsule, "capsule_capsule"},
    PairRow{Shape::capsule, Shape::half_space, "capsule_half_space"},
};

}  // namespace oclide
