// What each file of the bindings adds to the module, and what they need of each other.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <memory>
#include <string>

#include "oclide/oclide.hpp"
#include "typed_object.hpp"

namespace oclide::python {

/// An oclide.Scene as the library has it: one copy of its arrays.
[[nodiscard]] Scene to_scene(const SceneLike& object);
/// Likewise of an oclide.Terrain.
[[nodiscard]] Terrain to_terrain(nb::handle object, const std::string& name);
/// Likewise of an oclide.Bodies; none for None.
[[nodiscard]] Bodies to_bodies(const OptionalBodiesLike& object, const std::string& name);
/// The other way round.
[[nodiscard]] nb::object from_scene(Scene scene);

/// A UserWarning of each terrain of a scene that passes check() which nothing meets. Throws where the program makes
/// warnings errors. `level`: whose line it names, 1 for the Python code that calls.
void warn_of_unused(const Scene& scene, int level);

/// A Python callable that may be shared and let go of without the GIL.
using SharedCallback = std::shared_ptr<nb::object>;
/// None where it is None.
[[nodiscard]] SharedCallback to_callback(const OptionalCallback& call);
/// Settings::on_compile that calls it, until it is empty.
[[nodiscard]] std::function<void(const std::string&, const std::string&)> to_on_compile(const SharedCallback& callback);

/// A RuntimeWarning that says how to get a device. Throws where the program makes warnings errors.
void warn_of_reference();

void add_scene(nb::module_& module);
void add_devices(nb::module_& module);
void add_frame(nb::module_& module);
void add_rays(nb::module_& module);
void add_impacts(nb::module_& module);
void add_queries(nb::module_& module);
void add_device_arrays(nb::module_& module);
void add_collider(nb::module_& module);
void add_files(nb::module_& module);
void add_batch(nb::module_& module);
void add_kinematics(nb::module_& module);

}  // namespace oclide::python
