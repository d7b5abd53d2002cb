// Shapes that overlap the scene, and points and what is near them, whose answers live as long as anything in Python
// that looks at them.
#pragma once

#include <memory>

#include "arrays.hpp"
#include "oclide/oclide.hpp"

namespace oclide::python {

/// Answers, and the axes of the queries' arrays.
struct OverlapArrays {
  std::shared_ptr<Overlaps> found;
  nb::object shape;
};

struct DistanceArrays {
  std::shared_ptr<Distances> found;
  nb::object shape;
};

/// Shapes at poses, borrowed from arrays that live as long as this. All arrays are broadcast against each other.
class QueryShapeArrays {
 public:
  QueryShapeArrays(const ArrayLike& shape, const ArrayLike& size, const ArrayLike& position,
                   const ArrayLike& orientation, const OptionalArrayLike& environment, const OptionalArrayLike& mask,
                   const OptionalArrayLike& group);
  [[nodiscard]] QueryShapes queries(bool find_lowest) const;
  [[nodiscard]] const nb::object& shape() const { return axes_; }

 private:
  Array<std::uint8_t> shape_;
  Array<double> size_, position_, orientation_;
  Array<std::uint32_t> environment_, mask_;
  Array<std::int32_t> group_;
  nb::object axes_;
};

/// Points, as QueryShapeArrays.
class QueryPointArrays {
 public:
  QueryPointArrays(const ArrayLike& point, const OptionalArrayLike& range, const OptionalArrayLike& environment,
                   const OptionalArrayLike& mask);
  [[nodiscard]] QueryPoints points() const {
    return {values_of(position_), optional_values(range_), optional_values(environment_), optional_values(mask_)};
  }
  [[nodiscard]] const nb::object& shape() const { return axes_; }

 private:
  Array<double> position_, range_;
  Array<std::uint32_t> environment_, mask_;
  nb::object axes_;
};

}  // namespace oclide::python
