// What checks and compounds ask of a quaternion of any length.
#pragma once

namespace oclide {

/// Of four numbers, summed in their order.
inline double squared_length(const double* q) {
  return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
}

}  // namespace oclide
