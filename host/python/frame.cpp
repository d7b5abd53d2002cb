#include "frame.hpp"

#include <nanobind/stl/string.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <utility>

#include "arrays.hpp"
#include "objects.hpp"

namespace oclide::python {
namespace {

using Records = Typed<RecordsTag>;

// The vector as an array that keeps the frame's memory; writable where that is the frame's own: the Collider builds the
// next frame upon what it has lent.
template <class Record>
Records records(const Frame& frame, std::vector<Record> FrameContacts::*vector, const char* dtype) {
  FrameMemory& memory = *frame.memory;
  const std::size_t bytes = (memory.at->*vector).size() * sizeof(Record);
  const nb::capsule owner = owner_of(frame.memory);
  if (memory.at == &memory.own) return {record_view((memory.own.*vector).data(), bytes, dtype, owner)};
  return {record_view(static_cast<const void*>((memory.at->*vector).data()), bytes, dtype, owner)};
}

Records contacts(const Frame& frame) {
  return records(frame, &FrameContacts::contacts, "CONTACT_DTYPE");
}

nb::dict contact_layout() {
  return layout({{"point", "3f8", offsetof(Contact, point)},
                 {"normal", "3f4", offsetof(Contact, normal)},
                 {"depth", "f4", offsetof(Contact, depth)},
                 {"body_a", "u4", offsetof(Contact, body_a)},
                 {"body_b", "u4", offsetof(Contact, body_b)},
                 {"manifold", "u4", offsetof(Contact, manifold)},
                 {"feature", "u4", offsetof(Contact, feature)},
                 {"material", "u1", offsetof(Contact, material)},
                 {"flags", "u1", offsetof(Contact, flags)},
                 {"shape_a", "u2", offsetof(Contact, shape_a)},
                 {"shape_b", "u2", offsetof(Contact, shape_b)},
                 {"element", "u4", offsetof(Contact, element)}},
                sizeof(Contact));
}

nb::dict event_layout() {
  return layout({{"body_a", "u4", offsetof(ManifoldEvent, body_a)},
                 {"body_b", "u4", offsetof(ManifoldEvent, body_b)},
                 {"shape_a", "u2", offsetof(ManifoldEvent, shape_a)},
                 {"shape_b", "u2", offsetof(ManifoldEvent, shape_b)},
                 {"change", "u1", offsetof(ManifoldEvent, change)},
                 {"manifold", "u4", offsetof(ManifoldEvent, manifold)},
                 {"previous", "u4", offsetof(ManifoldEvent, previous)}},
                sizeof(ManifoldEvent));
}

std::string text_of(const StageTimes& t) {
  char text[192];
  std::snprintf(text, sizeof text,
                "StageTimes(upload=%.3f, broad_phase=%.3f, narrow_phase=%.3f, contact_reduction=%.3f, download=%.3f, "
                "tracking=%.3f, total=%.3f)",
                t.upload, t.broad_phase, t.narrow_phase, t.contact_reduction, t.download, t.tracking, t.total);
  return text;
}

// Members of a contact, each as a view.
template <class Tag>
void add_column(nb::class_<Frame>& frame, const char* name, const char* text) {
  frame.def_prop_ro(
      name, [name](const Frame& f) { return Typed<Tag>{contacts(f).object[name]}; }, text);
}

// Numbers of the whole frame.
template <class Value>
void add_number(nb::class_<Frame>& frame, const char* name, Value FrameContacts::*number, const char* text) {
  frame.def_prop_ro(
      name, [number](const Frame& f) { return f.memory->at->*number; }, text);
}

// Numbers of a frame beside its arrays, in the order in which a pickle has them.
constexpr std::array kNumbers{&FrameContacts::pairs,       &FrameContacts::body_pairs, &FrameContacts::body_candidates,
                              &FrameContacts::candidates,  &FrameContacts::unreduced,  &FrameContacts::moved_bodies,
                              &FrameContacts::device_bytes};
constexpr std::array kTimes{
    &StageTimes::upload,   &StageTimes::broad_phase, &StageTimes::narrow_phase, &StageTimes::contact_reduction,
    &StageTimes::download, &StageTimes::tracking,    &StageTimes::total};

template <class Record>
nb::bytes bytes_of(const std::vector<Record>& records) {
  return nb::bytes(static_cast<const void*>(records.data()), records.size() * sizeof(Record));
}

template <class Record>
void read_bytes(nb::handle object, std::vector<Record>& records) {
  const auto bytes = nb::cast<nb::bytes>(object);
  if (bytes.size() % sizeof(Record) != 0) throw Error(ErrorKind::invalid_input, "a pickled frame is damaged");
  records.resize(bytes.size() / sizeof(Record));
  if (!records.empty()) std::memcpy(static_cast<void*>(records.data()), bytes.c_str(), bytes.size());
}

// For pickle and copy.
nb::tuple state_of(const Frame& f) {
  const FrameContacts& frame = *f.memory->at;
  nb::list numbers, times;
  for (const auto number : kNumbers) numbers.append(frame.*number);
  for (const auto time : kTimes) times.append(frame.milliseconds.*time);
  return nb::make_tuple(bytes_of(frame.contacts), bytes_of(frame.events), bytes_of(frame.previous), numbers, times);
}

void set_state(Frame& f, const nb::tuple& state) {
  auto memory = std::make_shared<FrameMemory>();
  FrameContacts& frame = memory->own;
  read_bytes(state[0], frame.contacts);
  read_bytes(state[1], frame.events);
  read_bytes(state[2], frame.previous);
  for (std::size_t k = 0; k < kNumbers.size(); ++k) frame.*kNumbers[k] = nb::cast<std::uint64_t>(state[3][k]);
  for (std::size_t k = 0; k < kTimes.size(); ++k) frame.milliseconds.*kTimes[k] = nb::cast<double>(state[4][k]);
  new (&f) Frame{std::move(memory)};
}

}  // namespace

void add_frame(nb::module_& module) {
  module.def("contact_layout", contact_layout, nb::sig("def contact_layout() -> dict[str, object]"),
             "Of CONTACT_DTYPE.");
  module.def("event_layout", event_layout, nb::sig("def event_layout() -> dict[str, object]"), "Of EVENT_DTYPE.");

  nb::class_<StageTimes>(module, "StageTimes",
                         "Milliseconds of one frame. Device time from the device's own clock where there is one.")
      .def_ro("upload", &StageTimes::upload)
      .def_ro("broad_phase", &StageTimes::broad_phase)
      .def_ro("narrow_phase", &StageTimes::narrow_phase)
      .def_ro("contact_reduction", &StageTimes::contact_reduction)
      .def_ro("download", &StageTimes::download)
      .def_ro("tracking", &StageTimes::tracking)
      .def_ro("total", &StageTimes::total, "Wall time from poses in host memory to contacts in host memory.")
      .def("__repr__", text_of);

  nb::class_<Frame> frame(
      module, "Frame",
      "The contacts of one frame, ordered by body_a, body_b (terrain last), shape_a, shape_b, manifold.\n\n"
      "Its arrays are views of the contacts where the library has them: not copied, alive for as long as they are "
      "used, "
      "never changed by a later frame, and writable, also through DLPack. But those of update() are not writable until "
      "the Collider has begun another frame, as it builds that one upon them. `normal` points from B toward A; `point` "
      "lies on A's "
      "surface; `point + depth * normal` lies on B's surface.");
  frame.def("__len__", [](const Frame& f) { return f.memory->at->contacts.size(); });
  frame.def("__repr__", [](const Frame& f) {
    return "<oclide.Frame: " + std::to_string(f.memory->at->contacts.size()) + " contacts of " +
           std::to_string(f.memory->at->pairs) + " pairs>";
  });
  frame.def(
      "__getitem__",
      [](const Frame& f, const IndexLike& index) -> nb::object { return contacts(f).object[index.object]; },
      nb::sig("def __getitem__(self, index: typing.Any) -> typing.Any"),
      "One contact, or with a slice or mask an array of them, as of `contacts`.");
  frame.def(
      "__iter__", [](const Frame& f) -> nb::object { return nb::iter(contacts(f).object); },
      nb::sig("def __iter__(self) -> collections.abc.Iterator[numpy.void]"), "The contacts, one after another.");
  frame.def("__getstate__", state_of, nb::sig("def __getstate__(self) -> tuple[typing.Any, ...]"));
  frame.def("__setstate__", set_state, nb::sig("def __setstate__(self, state: tuple[typing.Any, ...], /) -> None"));
  add_tables(frame, contacts);
  frame.def_prop_ro("contacts", contacts, "All contacts: shape (C,), dtype oclide.CONTACT_DTYPE.");
  add_column<Float64Tag>(frame, "point", "On A's surface, world [m]: shape (C, 3), float64.");
  add_column<Float32Tag>(frame, "normal", "Unit, from B toward A: shape (C, 3), float32.");
  add_column<Float32Tag>(frame, "depth", "Along the normal, > 0 is penetration [m]: shape (C,), float32.");
  add_column<Uint32Tag>(frame, "body_a", "Indices of bodies: shape (C,), uint32.");
  add_column<Uint32Tag>(frame, "body_b", "Indices of bodies, or oclide.TERRAIN: shape (C,), uint32.");
  add_column<Uint16Tag>(frame, "shape_a", "Part of body_a where that is a compound, else 0: shape (C,), uint16.");
  add_column<Uint16Tag>(frame, "shape_b", "Part of body_b where that is a compound, else 0: shape (C,), uint16.");
  add_column<Uint32Tag>(frame, "manifold", "Number of the manifold within the frame: shape (C,), uint32.");
  add_column<Uint32Tag>(frame, "feature", "Stable id of the touching features: shape (C,), uint32.");
  add_column<Uint8Tag>(frame, "material", "Of the terrain cell, or of the triangle, else 0: shape (C,), uint8.");
  add_column<Uint8Tag>(frame, "flags",
                       "oclide.SENSOR_CONTACT where one of the two is a sensor, else 0: shape (C,), uint8.");
  add_column<Uint32Tag>(frame, "element",
                        "Triangle where one of the two is a mesh, else oclide.NONE: shape (C,), uint32.");
  frame.def_prop_ro(
      "events", [](const Frame& f) { return records(f, &FrameContacts::events, "EVENT_DTYPE"); },
      "With track=True: one a manifold of this frame, in their order, then those that ended, in the order of the frame "
      "before: shape (E,), dtype oclide.EVENT_DTYPE.");
  frame.def_prop_ro(
      "previous",
      [](const Frame& f) { return Typed<Uint32Tag>{records(f, &FrameContacts::previous, "INDEX_DTYPE").object}; },
      "With track=True: index in the frame before of the contact that each contact goes on with, or oclide.NONE: shape "
      "(C,), uint32.");
  add_number(frame, "pairs", &FrameContacts::pairs, "(body, terrain) and (body, body) pairs with a contact.");
  add_number(frame, "body_pairs", &FrameContacts::body_pairs, "(body, body) pairs alone.");
  add_number(frame, "body_candidates", &FrameContacts::body_candidates, "Pairs that the broad phase handed on.");
  add_number(frame, "candidates", &FrameContacts::candidates, "(body, lattice site) candidates of the broad phase.");
  add_number(frame, "unreduced", &FrameContacts::unreduced, "Contacts before contact reduction.");
  add_number(frame, "moved_bodies", &FrameContacts::moved_bodies, "Bodies whose contacts were computed again.");
  add_number(frame, "device_bytes", &FrameContacts::device_bytes, "Most device memory that the Collider has had.");
  add_number(frame, "milliseconds", &FrameContacts::milliseconds, "How long the stages took.");

  module.def(
      "contact_hash",
      [](const ContactsLike& object, std::uint64_t seed) {
        const ContactArray array(object);
        const nb::gil_scoped_release release;
        return contact_hash(array.contacts(), seed);
      },
      nb::arg("contacts"), nb::arg("seed") = 0,
      "Order-dependent 64-bit hash over the bits of contacts: of a Frame, or of an array of CONTACT_DTYPE. Frames are "
      "chained by passing the hash so far; f\"{hash:016x}\" is what the command prints.");
}

}  // namespace oclide::python
