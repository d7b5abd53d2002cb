// Scene and contact files; oclide/_files.py makes sequences and context managers of them.
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "files/contact_file.hpp"
#include "files/scene_file.hpp"
#include "objects.hpp"
#include "scene/scene_check.hpp"

namespace oclide::python {
namespace {

std::size_t checked_index(std::ptrdiff_t index, std::size_t frames) {
  if (index < 0) index += static_cast<std::ptrdiff_t>(frames);
  if (index < 0 || static_cast<std::size_t>(index) >= frames) throw nb::index_error("frame index out of range");
  return static_cast<std::size_t>(index);
}

nb::tuple read_poses(SceneReader& reader, std::ptrdiff_t index) {
  const std::size_t frame_index = checked_index(index, reader.frames());
  Frame frame;
  {
    const nb::gil_scoped_release release;
    reader.read_frame(frame_index, frame);
  }
  const std::size_t n = frame.position.size() / 3;
  return nb::make_tuple(take_vector<double>(std::move(frame.position), {n, 3}),
                        take_vector<double>(std::move(frame.orientation), {n, 4}));
}

Typed<RecordsTag> read_contacts(const ContactReader& reader, std::ptrdiff_t index) {
  const std::size_t frame_index = checked_index(index, reader.frames());
  auto contacts = std::make_shared<std::vector<Contact>>();
  {
    const nb::gil_scoped_release release;
    reader.read_frame(frame_index, *contacts);
  }
  return {record_view(contacts->data(), contacts->size() * sizeof(Contact), "CONTACT_DTYPE", owner_of(contacts))};
}

HeightType height_type(const std::string& name) {
  if (name == "float32") return HeightType::float32;
  if (name == "float64") return HeightType::float64;
  throw Error(ErrorKind::invalid_input, "heights is '" + name + "', but must be 'float32' or 'float64'");
}

// A scene file that is being written, and how many bodies each frame has.
struct SceneOutput {
  SceneWriter writer;
  std::size_t bodies = 0;
  bool finished = false;

  void append(const Poses& poses) {
    need_open();
    check_poses(poses, bodies);
    writer.append(poses);
  }
  void finish() {
    need_open();
    writer.finish();
    finished = true;
  }
  void need_open() const {
    if (finished) throw Error(ErrorKind::invalid_input, "the scene file is complete");
  }
};

struct ContactOutput {
  ContactWriter writer;
  bool finished = false;

  void append(std::span<const Contact> contacts) {
    need_open();
    writer.append(contacts);
  }
  void finish() {
    need_open();
    writer.finish();
    finished = true;
  }
  void need_open() const {
    if (finished) throw Error(ErrorKind::invalid_input, "the contact file is complete");
  }
};

}  // namespace

void add_files(nb::module_& module) {
  nb::class_<SceneReader>(module, "SceneInput", "A scene file, opened and checked.")
      .def(
          "__init__",
          [](SceneReader* self, const PathLike& file) {
            const std::string name = to_path(file);
            const nb::gil_scoped_release release;
            new (self) SceneReader(name);
          },
          nb::arg("file"))
      .def(
          "scene", [](const SceneReader& reader) { return SceneLike{from_scene(reader.scene())}; },
          "All of it but the poses.")
      .def("__len__", &SceneReader::frames, "Number of frames.")
      .def("poses", read_poses, nb::arg("frame"),
           nb::sig("def poses(self, frame: int) -> tuple[numpy.typing.NDArray[numpy.float64], "
                   "numpy.typing.NDArray[numpy.float64]]"),
           "Position (n, 3) and orientation (n, 4) of a frame.");

  nb::class_<SceneOutput>(module, "SceneOutput", "A scene file that is being written.")
      .def(
          "__init__",
          [](SceneOutput* self, const PathLike& file, const SceneLike& object, std::size_t frames,
             const std::string& heights) {
            const std::string name = to_path(file);
            const Scene scene = to_scene(object);
            const HeightType type = height_type(heights);
            const nb::gil_scoped_release release;
            check(scene);
            new (self) SceneOutput{{name, scene, frames, type}, scene.bodies.count()};
          },
          nb::arg("file"), nb::arg("scene"), nb::arg("frames"), nb::arg("heights"))
      .def(
          "append",
          [](SceneOutput& output, const ArrayLike& position, const ArrayLike& orientation) {
            const PoseArrays arrays(position, orientation);
            output.append(arrays.poses());
          },
          nb::arg("position"), nb::arg("orientation"), "The next frame.")
      .def("finish", &SceneOutput::finish, "After the last frame: the file gets its name.");

  nb::class_<ContactReader>(module, "ContactInput", "A contact file, opened and checked.")
      .def(
          "__init__",
          [](ContactReader* self, const PathLike& file) {
            const std::string name = to_path(file);
            const nb::gil_scoped_release release;
            new (self) ContactReader(name);
          },
          nb::arg("file"))
      .def_prop_ro("device", &ContactReader::device, "Name of the device that found the contacts.")
      .def_prop_ro("scene", &ContactReader::scene, "Name of the scene file.")
      .def_prop_ro("total", &ContactReader::contacts, "Contacts of all frames.")
      .def("__len__", &ContactReader::frames, "Number of frames.")
      .def("contacts", read_contacts, nb::arg("frame"), "Of a frame: shape (C,), dtype oclide.CONTACT_DTYPE.");

  nb::class_<ContactOutput>(module, "ContactOutput", "A contact file that is being written.")
      .def(
          "__init__",
          [](ContactOutput* self, const PathLike& file, const std::string& device, const std::string& scene) {
            const std::string name = to_path(file);
            new (self) ContactOutput{{name, device, scene}};
            self->writer.with_shapes();
            self->writer.with_elements();
          },
          nb::arg("file"), nb::arg("device"), nb::arg("scene"))
      .def(
          "append",
          [](ContactOutput& output, const ContactsLike& object) {
            const ContactArray array(object);
            output.append(array.contacts());
          },
          nb::arg("contacts"), "Contacts of the next frame.")
      .def("finish", &ContactOutput::finish, "After the last frame: the file gets its name.");
}

}  // namespace oclide::python
