// Numbers that tell something: small whole ones, the ends of types, infinities, NaN.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <array>
#include <cmath>
#include <limits>

namespace oclide::test {

inline double any_number(FuzzedDataProvider& data) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  static constexpr std::array kTelling{0.0,
                                       -0.0,
                                       1.0,
                                       -1.0,
                                       0.5,
                                       255.0,
                                       2147483648.0,
                                       4294967296.0,
                                       18446744073709551616.0,
                                       1e-30,
                                       1e30,
                                       1e300,
                                       5e-324,
                                       1e4,
                                       1e6,
                                       -9999.0,
                                       inf,
                                       -inf,
                                       std::numeric_limits<double>::quiet_NaN()};
  switch (data.ConsumeIntegralInRange(0, 3)) {
    case 0:
      return data.ConsumeIntegralInRange(-8, 8);
    case 1:
      return data.ConsumeFloatingPointInRange(-100.0, 100.0);
    default:
      return data.PickValueInArray(kTelling);
  }
}

}  // namespace oclide::test
