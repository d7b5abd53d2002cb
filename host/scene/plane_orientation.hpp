// The orientation of a half space as floats that keep its plane in place kilometres from its centre.
#pragma once

#include <array>

namespace oclide {

/// A quaternion w, x, y, z in floats, of a length from 1 within rounding to 4, whose z axis is that of `q`, which has
/// any length but zero: exactly where its numbers are floats, else within 4e-9 rad as a rule. That is 0.04 mm in 10 km,
/// where rounding q itself would give up to 1 mm. How the half space is turned about its normal is not kept.
std::array<float, 4> plane_orientation(const std::array<double, 4>& q);

}  // namespace oclide
