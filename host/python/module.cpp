// The module oclide._oclide: the library's API for Python. What users see of it stands in oclide/__init__.py.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "objects.hpp"

namespace oclide::python {
namespace {

// Classes of exceptions; references that live as long as the module, which is as long as the process.
struct ErrorClasses {
  PyObject* any = nullptr;
  PyObject* invalid_input = nullptr;
  PyObject* device = nullptr;
};
ErrorClasses error_classes;

PyObject* make_class(nb::module_& module, const char* name, const char* text, const nb::tuple& bases) {
  const std::string full = nb::cast<std::string>(module.attr("__name__")) + "." + name;
  PyObject* made = PyErr_NewExceptionWithDoc(full.c_str(), text, bases.ptr(), nullptr);
  if (made == nullptr) throw nb::python_error();
  module.attr(name) = nb::handle(made);
  return made;
}

void add_errors(nb::module_& module) {
  error_classes.any = make_class(module, "Error",
                                 "What goes wrong in oclide. `detail`: a device's build log where there is one, else "
                                 "empty.",
                                 nb::make_tuple(nb::handle(PyExc_Exception)));
  nb::setattr(error_classes.any, "detail", nb::str(""));
  error_classes.invalid_input =
      make_class(module, "InvalidInputError", "Arguments or data that cannot be used; names array and index.",
                 nb::make_tuple(nb::handle(error_classes.any), nb::handle(PyExc_ValueError)));
  error_classes.device =
      make_class(module, "DeviceError", "No such capability, out of device memory, build failure, driver error.",
                 nb::make_tuple(nb::handle(error_classes.any), nb::handle(PyExc_RuntimeError)));
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Error& error) {
      const nb::handle type =
          error.kind() == ErrorKind::invalid_input ? error_classes.invalid_input : error_classes.device;
      const nb::object object = type(error.what());
      object.attr("detail") = error.detail();
      PyErr_SetObject(type.ptr(), object.ptr());
    }
  });
}

}  // namespace
}  // namespace oclide::python

NB_MODULE(_oclide, module) {
  using namespace oclide::python;
  module.doc() = "The library behind the package oclide.";
  add_errors(module);
  add_scene(module);
  add_devices(module);
  add_frame(module);
  add_rays(module);
  add_impacts(module);
  add_queries(module);
  add_device_arrays(module);
  add_collider(module);
  add_files(module);
  add_batch(module);
  add_kinematics(module);
  module.attr("TERRAIN") = nb::int_(oclide::kTerrain);
  module.attr("NOTHING") = nb::int_(oclide::kNothing);
  module.attr("STATIC") = nb::int_(oclide::kStatic);
  module.attr("NO_TERRAIN") = nb::int_(oclide::kNoTerrain);
  module.attr("SENSOR") = nb::int_(oclide::kSensor);
  module.attr("SENSOR_CONTACT") = nb::int_(oclide::kSensorContact);
  module.attr("NONE") = nb::int_(oclide::kNone);
  module.attr("VERSION") = nb::cast(std::string(oclide::version()));
}
