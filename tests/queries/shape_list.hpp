// Shapes whose overlap is asked, with all their arrays.
#pragma once

#include "support/on_each_device.hpp"

namespace oclide::test {

struct ShapeList {
  std::vector<Shape> shape;
  std::vector<std::array<double, 3>> size;
  std::vector<double> position, orientation;
  std::vector<std::uint32_t> environment, mask;
  std::vector<std::int32_t> group;

  ShapeList& add(const BodySpec& query, std::uint32_t meets = 0xFFFFFFFFu, std::int32_t of_group = 0) {
    shape.push_back(query.shape), size.push_back(query.size);
    for (int a = 0; a < 3; ++a) position.push_back(query.position[a]);
    const dquat& q = query.orientation;
    orientation.insert(orientation.end(), {q.w, q.x, q.y, q.z});
    environment.push_back(query.environment), mask.push_back(meets), group.push_back(of_group);
    return *this;
  }
  [[nodiscard]] std::size_t count() const { return shape.size(); }
  [[nodiscard]] QueryShapes queries(bool find_lowest) const {
    return {shape, size, position, orientation, environment, mask, group, find_lowest};
  }
};

}  // namespace oclide::test
