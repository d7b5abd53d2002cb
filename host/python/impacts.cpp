#include "impacts.hpp"

#include <nanobind/stl/string.h>

#include <cstdio>

#include "objects.hpp"

namespace oclide::python {
namespace {

using Records = Typed<RecordsTag>;

nb::dict impact_layout() {
  return layout({{"point", "3f8", offsetof(Impact, point)},
                 {"time", "f8", offsetof(Impact, time)},
                 {"normal", "3f4", offsetof(Impact, normal)},
                 {"body_a", "u4", offsetof(Impact, body_a)},
                 {"body_b", "u4", offsetof(Impact, body_b)},
                 {"feature", "u4", offsetof(Impact, feature)},
                 {"element", "u4", offsetof(Impact, element)},
                 {"shape_a", "u2", offsetof(Impact, shape_a)},
                 {"shape_b", "u2", offsetof(Impact, shape_b)},
                 {"material", "u1", offsetof(Impact, material)}},
                sizeof(Impact));
}

std::string text_of_sweep(const SweepTimes& t) {
  char text[192];
  std::snprintf(text, sizeof text,
                "SweepTimes(upload=%.3f, broad_phase=%.3f, narrow_phase=%.3f, download=%.3f, total=%.3f)", t.upload,
                t.broad_phase, t.narrow_phase, t.download, t.total);
  return text;
}

Records impacts(const ImpactArrays& i) {
  return impact_records(i.found);
}

Array<double> optional_rows(const OptionalArrayLike& object, const char* name, std::size_t bodies) {
  if (object.object.is_none()) return {};
  return to_array<double>(object.object, name, {static_cast<std::ptrdiff_t>(bodies), 3});
}

}  // namespace

MotionArrays::MotionArrays(const OptionalArrayLike& displacement, const OptionalArrayLike& rotation, std::size_t bodies)
    : displacement_(optional_rows(displacement, "displacement", bodies)),
      rotation_(optional_rows(rotation, "rotation", bodies)) {}

ImpactArray::ImpactArray(const ImpactsLike& object)
    : bytes_(nb::cast<Array<std::uint8_t>>(array_tool("impact_bytes")(object.object), false)) {}

Records impact_records(const std::shared_ptr<FrameImpacts>& found) {
  std::vector<Impact>& values = found->impacts;
  return {record_view(values.data(), values.size() * sizeof(Impact), "IMPACT_DTYPE", owner_of(found))};
}

void add_impacts(nb::module_& module) {
  module.def("impact_layout", impact_layout, nb::sig("def impact_layout() -> dict[str, object]"), "Of IMPACT_DTYPE.");

  nb::class_<SweepTimes>(module, "SweepTimes",
                         "Milliseconds of one sweep. Device time from the device's own clock where there is one.")
      .def_ro("upload", &SweepTimes::upload)
      .def_ro("broad_phase", &SweepTimes::broad_phase)
      .def_ro("narrow_phase", &SweepTimes::narrow_phase)
      .def_ro("download", &SweepTimes::download)
      .def_ro("total", &SweepTimes::total, "Wall time from poses and motion in host memory to impacts in host memory.")
      .def("__repr__", text_of_sweep);

  nb::class_<ImpactArrays> found(
      module, "Impacts",
      "The first touch of each pair within a frame, ordered by body_a, body_b (terrain "
      "last).\n\n"
      "Its arrays are views of the impacts where the library has them: not copied, writable, "
      "alive for as long as they are used.");
  found.def(
      "__len__", [](const ImpactArrays& i) { return i.found->impacts.size(); }, "Number of impacts.");
  found.def("__repr__", [](const ImpactArrays& i) {
    return "<oclide.Impacts: " + std::to_string(i.found->impacts.size()) + " impacts>";
  });
  add_tables(found, impacts);
  found.def_prop_ro("impacts", impacts, "All impacts: shape (I,), dtype oclide.IMPACT_DTYPE.");
  add_member<Float64Tag>(found, "point", impacts, "On A at that time, world [m]: shape (I, 3), float64.");
  add_member<Float64Tag>(found, "time", impacts, "From 0 to 1; 0 where they touch at the start: shape (I,), float64.");
  add_member<Float32Tag>(found, "normal", impacts, "Unit, from B toward A: shape (I, 3), float32.");
  add_member<Uint32Tag>(found, "body_a", impacts, "Indices of bodies: shape (I,), uint32.");
  add_member<Uint32Tag>(found, "body_b", impacts, "Indices of bodies, or oclide.TERRAIN: shape (I,), uint32.");
  add_member<Uint32Tag>(found, "feature", impacts, "0: shape (I,), uint32.");
  add_member<Uint32Tag>(found, "element", impacts,
                        "Triangle of a mesh or of terrain, else oclide.NONE: shape (I,), uint32.");
  add_member<Uint16Tag>(found, "shape_a", impacts,
                        "Part of body_a where that is a compound, else 0: shape (I,), uint16.");
  add_member<Uint16Tag>(found, "shape_b", impacts,
                        "Part of body_b where that is a compound, else 0: shape (I,), uint16.");
  add_member<Uint8Tag>(found, "material", impacts,
                       "Of the terrain cell, or of the triangle, else 0: shape (I,), uint8.");
  found.def_prop_ro(
      "candidates", [](const ImpactArrays& i) { return i.found->candidates; },
      "Pairs of bodies, and of bodies and cells or triangles, that came near.");
  found.def_prop_ro(
      "device_bytes", [](const ImpactArrays& i) { return i.found->device_bytes; },
      "Most device memory that the Collider has had.");
  found.def_prop_ro(
      "milliseconds", [](const ImpactArrays& i) { return i.found->milliseconds; }, "How long it took.");

  module.def(
      "impact_hash",
      [](const ImpactsLike& object, std::uint64_t seed) {
        const ImpactArray array(object);
        const nb::gil_scoped_release release;
        return impact_hash(array.impacts(), seed);
      },
      nb::arg("impacts"), nb::arg("seed") = 0,
      "Order-dependent 64-bit hash over the bits of impacts: of Impacts, or of an array of IMPACT_DTYPE. Frames are "
      "chained by passing the hash so far; f\"{hash:016x}\" is what the command prints.");
}

}  // namespace oclide::python
