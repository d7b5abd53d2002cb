#include "upload/query_parts.hpp"

#include <algorithm>
#include <cmath>

namespace oclide {

QueryParts::QueryParts(const QueryShapes& queries, const Compounds& compounds)
    : queries_(queries), compounds_(compounds) {
  if (std::find(queries.shape.begin(), queries.shape.end(), Shape::compound) == queries.shape.end()) return;
  for (std::size_t i = 0; i < queries.count(); ++i) {
    const std::size_t kind = kind_of(i);
    const std::size_t parts =
        queries.shape[kind] == Shape::compound ? compounds[static_cast<std::size_t>(queries.size[kind][0])].size() : 1;
    for (std::uint32_t k = 0; k < parts; ++k) of_part_.push_back({static_cast<std::uint32_t>(i), k});
  }
}

QueryParts::Part QueryParts::at(std::size_t index) const {
  const std::size_t query = query_of(index), kind = kind_of(query);
  Part part{queries_.shape[kind], queries_.size[kind], {}, {}};
  std::copy_n(&queries_.position[3 * query], 3, part.position.begin());
  std::copy_n(&queries_.orientation[4 * query], 4, part.orientation.begin());
  if (part.shape != Shape::compound) return part;
  const CompoundPart& own = compounds_[static_cast<std::size_t>(part.size[0])][of_part_[index].number];
  part.shape = own.shape;
  part.size = own.size;
  // Unit quaternions a and b, v turned by a.
  std::array<double, 4> a = part.orientation, b = own.orientation;
  for (std::array<double, 4>* q : {&a, &b}) {
    const double most = std::max({std::abs((*q)[0]), std::abs((*q)[1]), std::abs((*q)[2]), std::abs((*q)[3])});
    double length2 = 0.0;
    for (double& c : *q) c /= most, length2 += c * c;
    for (double& c : *q) c /= std::sqrt(length2);
  }
  const std::array<double, 3>& v = own.position;
  const std::array<double, 3> t{2.0 * (a[2] * v[2] - a[3] * v[1]), 2.0 * (a[3] * v[0] - a[1] * v[2]),
                                2.0 * (a[1] * v[1] - a[2] * v[0])};
  part.position[0] += v[0] + (a[0] * t[0] + (a[2] * t[2] - a[3] * t[1]));
  part.position[1] += v[1] + (a[0] * t[1] + (a[3] * t[0] - a[1] * t[2]));
  part.position[2] += v[2] + (a[0] * t[2] + (a[1] * t[1] - a[2] * t[0]));
  part.orientation = {
      a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
      a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
  return part;
}

}  // namespace oclide
