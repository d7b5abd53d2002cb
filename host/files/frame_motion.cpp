#include "files/frame_motion.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace oclide {
namespace {

using Vector = std::array<double, 3>;

// Of a quaternion of any length: one of about length 1, in the same direction.
std::array<double, 4> scaled(const double* q) {
  const double largest = std::max({std::abs(q[0]), std::abs(q[1]), std::abs(q[2]), std::abs(q[3])});
  return {q[0] / largest, q[1] / largest, q[2] / largest, q[3] / largest};
}

// The angle of (cosine, sine), both at least 0 and of any common length but zero: by the tangent of a 16th of it.
double angle_of(double cosine, double sine) {
  double x = sine / (cosine + std::sqrt(cosine * cosine + sine * sine));
  for (int k = 0; k < 3; ++k) x = x / (1.0 + std::sqrt(1.0 + x * x));
  const double x2 = x * x;  // below 0.01
  double sum = 0.0;
  for (int k = 17; k >= 1; k -= 2) sum = 1.0 / k - x2 * sum;
  return 16.0 * x * sum;
}

// That turns the orientation a to b, on the shortest way.
Vector rotation_vector(const double* from, const double* to) {
  const std::array<double, 4> a = scaled(from), b = scaled(to);
  // b times the conjugate of a.
  double w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  Vector v{a[0] * b[1] - b[0] * a[1] - (b[2] * a[3] - b[3] * a[2]),
           a[0] * b[2] - b[0] * a[2] - (b[3] * a[1] - b[1] * a[3]),
           a[0] * b[3] - b[0] * a[3] - (b[1] * a[2] - b[2] * a[1])};
  const double sine = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  if (sine == 0.0) return {};
  double factor = 2.0 * angle_of(std::abs(w), sine) / sine;
  if (w < 0.0) factor = -factor;
  for (double& x : v) x *= factor;
  return v;
}

}  // namespace

void motion_between(const Poses& from, const Poses& to, FrameMotion& motion) {
  const std::size_t n = from.count();
  motion.displacement.resize(3 * n);
  motion.rotation.resize(3 * n);
  for (std::size_t k = 0; k < 3 * n; ++k) motion.displacement[k] = to.position[k] - from.position[k];
  for (std::size_t i = 0; i < n; ++i) {
    const Vector r = rotation_vector(&from.orientation[4 * i], &to.orientation[4 * i]);
    std::copy(r.begin(), r.end(), &motion.rotation[3 * i]);
  }
}

}  // namespace oclide
