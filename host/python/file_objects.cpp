// Scene and contact files; oclide/_files.py makes sequences and context managers of them.
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "files/contact_file.hpp"
#include "files/scene_file.hpp"
#include "impacts.hpp"
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

// Displacement and rotation of a frame, each None where the file has none.
nb::tuple read_motion(SceneReader& reader, std::ptrdiff_t index) {
  const std::size_t frame_index = checked_index(index, reader.frames());
  FrameMotion motion;
  {
    const nb::gil_scoped_release release;
    reader.read_motion(frame_index, motion);
  }
  const std::size_t n = reader.scene().bodies.count();
  const auto array = [&](bool is_there, std::vector<double>& values) {
    return is_there ? take_vector<double>(std::move(values), {n, 3}) : nb::object(nb::none());
  };
  return nb::make_tuple(array(reader.has_displacement(), motion.displacement),
                        array(reader.has_rotation(), motion.rotation));
}

Typed<RecordsTag> read_impacts(const ContactReader& reader, std::ptrdiff_t index) {
  const std::size_t frame_index = checked_index(index, reader.frames());
  auto found = std::make_shared<FrameImpacts>();
  {
    const nb::gil_scoped_release release;
    reader.read_impacts(frame_index, found->impacts);
  }
  return impact_records(found);
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

  void append(const Poses& poses, const Motion& motion) {
    need_open();
    check_poses(poses, bodies);
    check_motion(motion, bodies);
    writer.append(poses, motion);
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
  bool has_impacts = false;
  bool finished = false;

  void append(std::span<const Contact> contacts, std::span<const Impact> impacts) {
    need_open();
    writer.append(contacts);
    if (has_impacts) writer.append_impacts(impacts);
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
           "Position (n, 3) and orientation (n, 4) of a frame.")
      .def("motion", read_motion, nb::arg("frame"),
           nb::sig("def motion(self, frame: int) -> tuple[typing.Optional[numpy.typing.NDArray[numpy.float64]], "
                   "typing.Optional[numpy.typing.NDArray[numpy.float64]]]"),
           "Displacement (n, 3) and rotation (n, 3) of a frame, each None where the file has none.");

  nb::class_<SceneOutput>(module, "SceneOutput", "A scene file that is being written.")
      .def(
          "__init__",
          [](SceneOutput* self, const PathLike& file, const SceneLike& object, std::size_t frames,
             const std::string& heights, bool displacement, bool rotation) {
            const std::string name = to_path(file);
            const Scene scene = to_scene(object);
            const HeightType type = height_type(heights);
            const nb::gil_scoped_release release;
            check(scene);
            new (self) SceneOutput{{name, scene, frames, type}, scene.bodies.count()};
            self->writer.with_motion(displacement, rotation);
          },
          nb::arg("file"), nb::arg("scene"), nb::arg("frames"), nb::arg("heights"), nb::arg("displacement"),
          nb::arg("rotation"))
      .def(
          "append",
          [](SceneOutput& output, const ArrayLike& position, const ArrayLike& orientation,
             const OptionalArrayLike& displacement, const OptionalArrayLike& rotation) {
            const PoseArrays arrays(position, orientation);
            const MotionArrays motion(displacement, rotation, output.bodies);
            output.append(arrays.poses(), motion.motion());
          },
          nb::arg("position"), nb::arg("orientation"), nb::arg("displacement"), nb::arg("rotation"), "The next frame.")
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
      .def("contacts", read_contacts, nb::arg("frame"), "Of a frame: shape (C,), dtype oclide.CONTACT_DTYPE.")
      .def_prop_ro("has_impacts", &ContactReader::has_impacts)
      .def("impacts", read_impacts, nb::arg("frame"), "Of a frame: shape (I,), dtype oclide.IMPACT_DTYPE.");

  nb::class_<ContactOutput>(module, "ContactOutput", "A contact file that is being written.")
      .def(
          "__init__",
          [](ContactOutput* self, const PathLike& file, const std::string& device, const std::string& scene,
             bool impacts) {
            const std::string name = to_path(file);
            new (self) ContactOutput{{name, device, scene}, impacts};
            self->writer.with_shapes();
            self->writer.with_elements();
            self->writer.with_flags();
            if (impacts) self->writer.with_impacts();
          },
          nb::arg("file"), nb::arg("device"), nb::arg("scene"), nb::arg("impacts"))
      .def(
          "append",
          [](ContactOutput& output, const ContactsLike& contacts, const ImpactsLike& impacts) {
            const ContactArray array(contacts);
            const ImpactArray more(impacts);
            output.append(array.contacts(), more.impacts());
          },
          nb::arg("contacts"), nb::arg("impacts"), "Contacts and impacts of the next frame.")
      .def("finish", &ContactOutput::finish, "After the last frame: the file gets its name.");
}

}  // namespace oclide::python
