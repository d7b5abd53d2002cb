#include "queries.hpp"

#include <nanobind/stl/string.h>

#include <cstdio>

#include "objects.hpp"

namespace oclide::python {
namespace {

template <class Value>
Array<Value> array_or_none(const nb::object& object) {
  return object.is_none() ? Array<Value>() : nb::cast<Array<Value>>(object, false);
}

std::string text_of_query_times(const QueryTimes& t) {
  char text[160];
  std::snprintf(text, sizeof text, "QueryTimes(upload=%.3f, tree=%.3f, query=%.3f, download=%.3f, total=%.3f)",
                t.upload, t.tree, t.query, t.download, t.total);
  return text;
}

// Answers as an array that keeps their memory. `dtype`: a name of oclide._arrays.
template <class Value>
nb::object answers(const OverlapArrays& o, std::vector<Value>& values, const char* dtype) {
  return record_view(values.data(), values.size() * sizeof(Value), dtype, owner_of(o.found)).attr("reshape")(o.shape);
}

Typed<RecordsTag> nearest(const DistanceArrays& d) {
  std::vector<Hit>& values = d.found->nearest;
  return {
      record_view(values.data(), values.size() * sizeof(Hit), "HIT_DTYPE", owner_of(d.found)).attr("reshape")(d.shape)};
}

void add_distances(nb::module_& module) {
  nb::class_<DistanceArrays> found(module, "Distances",
                                   "What points are nearest to, with the axes `...` of the points' arrays.\n\n"
                                   "Its arrays are views of the answers where the library has them: not copied, "
                                   "writable, alive for as long as they are used. Where nothing is within range, an "
                                   "infinite distance, oclide.NOTHING, oclide.NONE, and zeros.");
  found.def(
      "__len__", [](const DistanceArrays& d) { return d.found->nearest.size(); }, "Number of points.");
  found.def("__repr__", [](const DistanceArrays& d) {
    return "<oclide.Distances: " + std::to_string(d.found->near_count) + " of " +
           std::to_string(d.found->nearest.size()) + " points are near anything>";
  });
  found.def_prop_ro("nearest", nearest, "All answers: shape (...), dtype oclide.HIT_DTYPE.");
  add_member<Float64Tag>(found, "distance", nearest,
                         "Signed, negative in a solid, infinite where nothing is within range [m]: shape (...), "
                         "float64.");
  add_member<Float64Tag>(found, "point", nearest, "The nearest of the surface, world [m]: shape (..., 3), float64.");
  add_member<Float32Tag>(found, "normal", nearest,
                         "Unit, the direction in which the distance grows: shape (..., 3), float32.");
  add_member<Uint32Tag>(found, "body", nearest,
                        "Indices of bodies, oclide.TERRAIN or oclide.NOTHING: shape (...), uint32.");
  add_member<Uint32Tag>(found, "element", nearest,
                        "Triangle of a mesh or of terrain, else oclide.NONE: shape (...), uint32.");
  add_member<Uint16Tag>(found, "shape", nearest,
                        "Part of the body where that is a compound, else 0: shape (...), uint16.");
  add_member<Uint8Tag>(found, "material", nearest,
                       "Of the terrain cell, or of the triangle, else 0: shape (...), uint8.");
  found.def_prop_ro(
      "near_count", [](const DistanceArrays& d) { return d.found->near_count; },
      "Points that have anything within range.");
  found.def_prop_ro(
      "device_bytes", [](const DistanceArrays& d) { return d.found->device_bytes; },
      "Most device memory that the Collider has had.");
  found.def_prop_ro(
      "milliseconds", [](const DistanceArrays& d) { return d.found->milliseconds; }, "How long it took.");
}

}  // namespace

QueryPointArrays::QueryPointArrays(const ArrayLike& point, const OptionalArrayLike& range,
                                   const OptionalArrayLike& environment, const OptionalArrayLike& mask) {
  const nb::object arrays = array_tool("query_points")(point.object, range.object, environment.object, mask.object);
  position_ = nb::cast<Array<double>>(arrays[0], false);
  range_ = array_or_none<double>(arrays[1]);
  environment_ = array_or_none<std::uint32_t>(arrays[2]);
  mask_ = array_or_none<std::uint32_t>(arrays[3]);
  axes_ = arrays[4];
}

QueryShapeArrays::QueryShapeArrays(const ArrayLike& shape, const ArrayLike& size, const ArrayLike& position,
                                   const ArrayLike& orientation, const OptionalArrayLike& environment,
                                   const OptionalArrayLike& mask, const OptionalArrayLike& group) {
  const nb::object arrays = array_tool("query_shapes")(shape.object, size.object, position.object, orientation.object,
                                                       environment.object, mask.object, group.object);
  shape_ = nb::cast<Array<std::uint8_t>>(arrays[0], false);
  size_ = nb::cast<Array<double>>(arrays[1], false);
  position_ = nb::cast<Array<double>>(arrays[2], false);
  orientation_ = nb::cast<Array<double>>(arrays[3], false);
  environment_ = array_or_none<std::uint32_t>(arrays[4]);
  mask_ = array_or_none<std::uint32_t>(arrays[5]);
  group_ = array_or_none<std::int32_t>(arrays[6]);
  axes_ = arrays[7];
}

QueryShapes QueryShapeArrays::queries(bool find_lowest) const {
  static_assert(sizeof(Shape) == 1 && sizeof(std::array<double, 3>) == 3 * sizeof(double));
  return {{reinterpret_cast<const Shape*>(shape_.data()), shape_.size()},
          {reinterpret_cast<const std::array<double, 3>*>(size_.data()), size_.size() / 3},
          values_of(position_),
          values_of(orientation_),
          optional_values(environment_),
          optional_values(mask_),
          optional_values(group_),
          find_lowest};
}

void add_queries(nb::module_& module) {
  nb::class_<QueryTimes>(module, "QueryTimes",
                         "Milliseconds of one call of overlap() or distance(). Device time from the device's own clock "
                         "where there is one.")
      .def_ro("upload", &QueryTimes::upload, "Of queries, and of poses where they are not on the device already.")
      .def_ro("tree", &QueryTimes::tree, "Over the bodies, where it does not stand already.")
      .def_ro("query", &QueryTimes::query, "The answers.")
      .def_ro("download", &QueryTimes::download)
      .def_ro("total", &QueryTimes::total, "Wall time from queries in host memory to answers in host memory.")
      .def("__repr__", text_of_query_times);

  nb::class_<OverlapArrays> found(module, "Overlaps",
                                  "Which shapes overlap anything, with the axes `...` of the queries' arrays.\n\n"
                                  "Its arrays are views of the answers where the library has them: not copied, "
                                  "writable, alive for as long as they are used.");
  found.def(
      "__len__", [](const OverlapArrays& o) { return o.found->overlaps.size(); }, "Number of queries.");
  found.def("__repr__", [](const OverlapArrays& o) {
    return "<oclide.Overlaps: " + std::to_string(o.found->overlap_count) + " of " +
           std::to_string(o.found->overlaps.size()) + " queries overlap>";
  });
  found.def_prop_ro(
      "overlaps", [](const OverlapArrays& o) { return Typed<BoolTag>{answers(o, o.found->overlaps, "BOOL_DTYPE")}; },
      "Whether each overlaps anything: shape (...), bool.");
  found.def_prop_ro(
      "body",
      [](const OverlapArrays& o) {
        if (o.found->body.size() != o.found->overlaps.size())
          throw Error(ErrorKind::invalid_input, "body is there with lowest=True alone");
        return Typed<Uint32Tag>{answers(o, o.found->body, "INDEX_DTYPE")};
      },
      "With lowest=True: lowest indices of bodies, oclide.TERRAIN or oclide.NOTHING: shape (...), uint32.");
  found.def_prop_ro(
      "overlap_count", [](const OverlapArrays& o) { return o.found->overlap_count; }, "Queries that overlap anything.");
  found.def_prop_ro(
      "device_bytes", [](const OverlapArrays& o) { return o.found->device_bytes; },
      "Most device memory that the Collider has had.");
  found.def_prop_ro(
      "milliseconds", [](const OverlapArrays& o) { return o.found->milliseconds; }, "How long it took.");
  add_distances(module);
}

}  // namespace oclide::python
