// What rays hit and which paths points take, whose memory lives as long as anything in Python that looks at it.
#pragma once

#include <memory>

#include "arrays.hpp"
#include "oclide/oclide.hpp"
#include "oclide/trace.hpp"

namespace oclide::python {

/// Hits, and the axes of the rays' arrays.
struct HitArrays {
  std::shared_ptr<RayHits> found;
  nb::object shape;
};
struct PathArrays {
  std::shared_ptr<Paths> found;
};

/// Rays, borrowed from arrays that live as long as this. All arrays are broadcast against each other.
class RayArrays {
 public:
  RayArrays(const ArrayLike& origin, const ArrayLike& direction, const OptionalArrayLike& length,
            const OptionalArrayLike& environment, const OptionalArrayLike& mask);
  [[nodiscard]] Rays rays() const;
  [[nodiscard]] const nb::object& shape() const { return shape_; }

 private:
  Array<double> origin_, direction_, length_;
  Array<std::uint32_t> environment_, mask_;
  nb::object shape_;
};

/// Hits of RayHits or of a structured array, borrowed where they are of the library's layout.
class HitArray {
 public:
  explicit HitArray(const HitsLike& object);
  [[nodiscard]] std::span<const Hit> hits() const {
    return {reinterpret_cast<const Hit*>(bytes_.data()), bytes_.size() / sizeof(Hit)};
  }

 private:
  Array<std::uint8_t> bytes_;
};

/// Moving points, as RayArrays.
class PointArrays {
 public:
  PointArrays(const ArrayLike& position, const ArrayLike& displacement, const OptionalArrayLike& environment);
  [[nodiscard]] Points points() const;

 private:
  Array<double> position_, displacement_;
  Array<std::uint32_t> environment_;
};

/// Numbers that stand for the settings of a trace; else an InvalidInputError with the argument's name.
[[nodiscard]] TraceSettings trace_settings(const IntLike& bounces, const FloatLike& friction,
                                           const FloatLike& restitution);

}  // namespace oclide::python
