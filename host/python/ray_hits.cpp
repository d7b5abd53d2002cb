#include "ray_hits.hpp"

#include <nanobind/stl/string.h>

#include <cstdio>

#include "objects.hpp"

namespace oclide::python {
namespace {

using Records = Typed<RecordsTag>;

nb::dict hit_layout() {
  return layout({{"point", "3f8", offsetof(Hit, point)},
                 {"distance", "f8", offsetof(Hit, distance)},
                 {"normal", "3f4", offsetof(Hit, normal)},
                 {"body", "u4", offsetof(Hit, body)},
                 {"element", "u4", offsetof(Hit, element)},
                 {"shape", "u2", offsetof(Hit, shape)},
                 {"material", "u1", offsetof(Hit, material)}},
                sizeof(Hit));
}

nb::dict path_point_layout() {
  return layout({{"point", "3f8", offsetof(PathPoint, point)},
                 {"normal", "3f4", offsetof(PathPoint, normal)},
                 {"body", "u4", offsetof(PathPoint, body)}},
                sizeof(PathPoint));
}

std::string text_of_cast(const CastTimes& t) {
  char text[160];
  std::snprintf(text, sizeof text, "CastTimes(upload=%.3f, tree=%.3f, cast=%.3f, download=%.3f, total=%.3f)", t.upload,
                t.tree, t.cast, t.download, t.total);
  return text;
}

Records hits(const HitArrays& h) {
  std::vector<Hit>& values = h.found->hits;
  const nb::object flat = record_view(values.data(), values.size() * sizeof(Hit), "HIT_DTYPE", owner_of(h.found));
  return {flat.attr("reshape")(h.shape)};
}

// A vector of paths as an array that keeps their memory. `dtype`: a name of oclide._arrays.
template <class Value>
nb::object view(const PathArrays& p, std::vector<Value>& values, const char* dtype) {
  return record_view(values.data(), values.size() * sizeof(Value), dtype, owner_of(p.found));
}
Records path_points(const PathArrays& p) {
  return {view(p, p.found->points, "PATH_POINT_DTYPE")};
}

template <class Value>
Array<Value> optional_array(const nb::object& object) {
  return object.is_none() ? Array<Value>() : nb::cast<Array<Value>>(object, false);
}

// A copy of numbers, as an array of rows of `width`, or of none.
template <class Value>
nb::object array_of(std::span<const Value> values, std::size_t width) {
  if (values.empty()) return nb::none();
  std::vector<std::size_t> shape{values.size() / width};
  if (width > 1) shape.push_back(width);
  return take_vector<Value>(std::vector<Value>(values.begin(), values.end()), std::move(shape));
}

// A cast by a function of Python's: of origin, direction, length and environment, which gives what has `hits` and
// `milliseconds`.
RayHits cast_by(const nb::object& function, const Rays& rays) {
  try {
    const nb::object found = function(array_of(rays.origin, 3), array_of(rays.direction, 3), array_of(rays.length, 1),
                                      array_of(rays.environment, 1));
    const HitArray hits(HitsLike{found.attr("hits")});
    RayHits result;
    result.hits.assign(hits.hits().begin(), hits.hits().end());
    result.milliseconds.cast = nb::cast<double>(found.attr("milliseconds"));
    return result;
  } catch (const nb::python_error& error) {
    if (!error.type().is(nb::module_::import_("oclide._oclide").attr("InvalidInputError"))) throw;
    throw Error(ErrorKind::invalid_input, nb::cast<std::string>(nb::str(error.value())));
  }
}

}  // namespace

RayArrays::RayArrays(const ArrayLike& origin, const ArrayLike& direction, const OptionalArrayLike& length,
                     const OptionalArrayLike& environment, const OptionalArrayLike& mask) {
  const nb::object arrays =
      array_tool("rays")(origin.object, direction.object, length.object, environment.object, mask.object);
  origin_ = nb::cast<Array<double>>(arrays[0], false);
  direction_ = nb::cast<Array<double>>(arrays[1], false);
  length_ = optional_array<double>(arrays[2]);
  environment_ = optional_array<std::uint32_t>(arrays[3]);
  mask_ = optional_array<std::uint32_t>(arrays[4]);
  shape_ = arrays[5];
}

Rays RayArrays::rays() const {
  return {values_of(origin_), values_of(direction_), optional_values(length_), optional_values(environment_),
          optional_values(mask_)};
}

HitArray::HitArray(const HitsLike& object)
    : bytes_(nb::cast<Array<std::uint8_t>>(array_tool("hit_bytes")(object.object), false)) {}

PointArrays::PointArrays(const ArrayLike& position, const ArrayLike& displacement,
                         const OptionalArrayLike& environment) {
  const nb::object arrays = array_tool("points")(position.object, displacement.object, environment.object);
  position_ = nb::cast<Array<double>>(arrays[0], false);
  displacement_ = nb::cast<Array<double>>(arrays[1], false);
  environment_ = optional_array<std::uint32_t>(arrays[2]);
}

Points PointArrays::points() const {
  return {values_of(position_), values_of(displacement_), optional_values(environment_)};
}

TraceSettings trace_settings(const IntLike& bounces, const FloatLike& friction, const FloatLike& restitution) {
  const nb::object numbers = array_tool("trace_settings")(bounces.object, friction.object, restitution.object);
  return {nb::cast<std::uint32_t>(numbers[0]), nb::cast<double>(numbers[1]), nb::cast<double>(numbers[2])};
}

void add_rays(nb::module_& module) {
  module.def("hit_layout", hit_layout, nb::sig("def hit_layout() -> dict[str, object]"), "Of HIT_DTYPE.");
  module.def("path_point_layout", path_point_layout, nb::sig("def path_point_layout() -> dict[str, object]"),
             "Of PATH_POINT_DTYPE.");

  nb::class_<CastTimes>(module, "CastTimes",
                        "Milliseconds of one cast. Device time from the device's own clock where there is one.")
      .def_ro("upload", &CastTimes::upload, "Of rays, and of poses where they are not on the device already.")
      .def_ro("tree", &CastTimes::tree, "Over the bodies, where it does not stand already.")
      .def_ro("cast", &CastTimes::cast, "The rays' way.")
      .def_ro("download", &CastTimes::download)
      .def_ro("total", &CastTimes::total, "Wall time from rays in host memory to hits in host memory.")
      .def("__repr__", text_of_cast);

  nb::class_<HitArrays> found(module, "RayHits",
                              "What rays hit first: one hit a ray, with the axes `...` of the rays' arrays.\n\n"
                              "Its arrays are views of the hits where the library has them: not copied, writable, "
                              "alive for as long as they are used. A miss has an infinite distance, oclide.NOTHING, "
                              "oclide.NONE, and zeros.");
  found.def(
      "__len__", [](const HitArrays& h) { return h.found->hits.size(); }, "Number of rays.");
  found.def("__repr__", [](const HitArrays& h) {
    return "<oclide.RayHits: " + std::to_string(h.found->hit_count) + " hits of " +
           std::to_string(h.found->hits.size()) + " rays>";
  });
  found.def_prop_ro("hits", hits, "All hits: shape (...), dtype oclide.HIT_DTYPE.");
  add_member<Float64Tag>(found, "point", hits, "World [m]: shape (..., 3), float64.");
  add_member<Float64Tag>(found, "distance", hits,
                         "From the ray's origin [m]; 0 where that is in a solid, infinite where nothing is hit: shape "
                         "(...), float64.");
  add_member<Float32Tag>(found, "normal", hits, "Unit, out of what was hit, against the ray: shape (..., 3), float32.");
  add_member<Uint32Tag>(found, "body", hits,
                        "Indices of bodies, oclide.TERRAIN or oclide.NOTHING: shape (...), uint32.");
  add_member<Uint32Tag>(found, "element", hits,
                        "Triangle of a mesh or of terrain, else oclide.NONE: shape (...), uint32.");
  add_member<Uint16Tag>(found, "shape", hits,
                        "Part of the body where that is a compound, else 0: shape (...), uint16.");
  add_member<Uint8Tag>(found, "material", hits, "Of the terrain cell, or of the triangle, else 0: shape (...), uint8.");
  found.def_prop_ro(
      "hit_count", [](const HitArrays& h) { return h.found->hit_count; }, "Rays that hit anything.");
  found.def_prop_ro(
      "device_bytes", [](const HitArrays& h) { return h.found->device_bytes; },
      "Most device memory that the Collider has had.");
  found.def_prop_ro(
      "milliseconds", [](const HitArrays& h) { return h.found->milliseconds; }, "How long it took.");

  nb::class_<PathArrays> paths(module, "Paths",
                               "The paths of moving points: of each the start, each reflection, the end.\n\n"
                               "Its arrays are views of the library's memory, as those of RayHits. Path k has the rows "
                               "offset[k] to offset[k + 1] - 1 of point, normal and body.");
  paths.def(
      "__len__", [](const PathArrays& p) { return p.found->end.size(); }, "Number of paths.");
  paths.def("__repr__", [](const PathArrays& p) {
    return "<oclide.Paths: " + std::to_string(p.found->end.size()) + " paths, " + std::to_string(p.found->reflections) +
           " reflections>";
  });
  paths.def_prop_ro("points", path_points, "All points: shape (m,), dtype oclide.PATH_POINT_DTYPE.");
  add_member<Float64Tag>(paths, "point", path_points, "World [m]: shape (m, 3), float64.");
  add_member<Float32Tag>(paths, "normal", path_points,
                         "Of a reflection: unit, out of what was hit; else zero: shape (m, 3), float32.");
  add_member<Uint32Tag>(
      paths, "body", path_points,
      "Of a reflection: index of a body, or oclide.TERRAIN; else oclide.NOTHING: shape (m,), uint32.");
  paths.def_prop_ro(
      "offset", [](const PathArrays& p) { return Typed<Uint64Tag>{view(p, p.found->offset, "OFFSET_DTYPE")}; },
      "Shape (p + 1,), uint64.");
  const auto vectors = [](const PathArrays& p, std::vector<std::array<double, 3>>& of) {
    return Typed<Float64Tag>{view(p, of, "REAL_DTYPE").attr("reshape")(-1, 3)};
  };
  paths.def_prop_ro(
      "displacement", [vectors](const PathArrays& p) { return vectors(p, p.found->displacement); },
      "Way that is left [m], as reflections turned it: shape (p, 3), float64.");
  paths.def_prop_ro(
      "outgoing", [vectors](const PathArrays& p) { return vectors(p, p.found->outgoing); },
      "The whole way of the frame as reflections turned it [m]: shape (p, 3), float64.");
  paths.def_prop_ro(
      "end", [](const PathArrays& p) { return Typed<Uint8Tag>{view(p, p.found->end, "END_DTYPE")}; },
      "oclide.PathEnd of each path: shape (p,), uint8.");
  paths.def_prop_ro(
      "reflections", [](const PathArrays& p) { return p.found->reflections; }, "Of all points.");
  paths.def_prop_ro(
      "casts", [](const PathArrays& p) { return p.found->casts; }, "Casts that it took.");
  paths.def_prop_ro(
      "milliseconds", [](const PathArrays& p) { return p.found->milliseconds; }, "Of all casts; total: of the call.");

  module.def(
      "hit_hash",
      [](const HitsLike& object, std::uint64_t seed) {
        const HitArray array(object);
        const nb::gil_scoped_release release;
        return hit_hash(array.hits(), seed);
      },
      nb::arg("hits"), nb::arg("seed") = 0,
      "Order-dependent 64-bit hash over the bits of hits: of RayHits, or of an array of HIT_DTYPE. Casts are chained "
      "by "
      "passing the hash so far; f\"{hash:016x}\" is what the command prints.");

  module.def(
      "trace_by",
      [](const nb::object& cast, const ArrayLike& point, const ArrayLike& displacement,
         const OptionalArrayLike& environment, const IntLike& bounces, const FloatLike& friction,
         const FloatLike& restitution) {
        const PointArrays points(point, displacement, environment);
        const TraceSettings settings = trace_settings(bounces, friction, restitution);
        PathArrays moved{std::make_shared<Paths>()};
        *moved.found = trace([&](const Rays& rays) { return cast_by(cast, rays); }, points.points(), settings);
        return moved;
      },
      nb::arg("cast"), nb::arg("point"), nb::arg("displacement"), nb::arg("environment"), nb::arg("bounces"),
      nb::arg("friction"), nb::arg("restitution"),
      nb::sig(
          "def trace_by(cast: typing.Any, point: numpy.typing.ArrayLike, displacement: numpy.typing.ArrayLike, "
          "environment: typing.Optional[numpy.typing.ArrayLike], bounces: int, friction: float, restitution: float) "
          "-> Paths"),
      "Collider.trace() by another cast: cast(origin, direction, length, environment) has hits and milliseconds.");
}

}  // namespace oclide::python
