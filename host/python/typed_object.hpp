// Python objects as arguments and results, with the type that stubs and docstrings give them.
#pragma once

#include <nanobind/nanobind.h>

namespace oclide::python {

namespace nb = nanobind;

/// Any Python object, None too; Tag::name is the type that its users read. What it holds is checked where it is used.
template <class Tag>
struct Typed {
  nb::object object;
};

struct ArrayLikeTag {
  static constexpr auto name = nb::detail::const_name("numpy.typing.ArrayLike");
};
struct SceneTag {
  static constexpr auto name = nb::detail::const_name("oclide.Scene");
};
struct OptionalBodiesTag {
  static constexpr auto name = nb::detail::const_name("typing.Optional[oclide.Bodies]");
};
struct ContactsTag {
  static constexpr auto name = nb::detail::const_name("Frame | oclide.RemoteFrame | numpy.typing.NDArray[numpy.void]");
};
struct OptionalArrayTag {
  static constexpr auto name = nb::detail::const_name("typing.Optional[numpy.typing.ArrayLike]");
};
struct HitsTag {
  static constexpr auto name = nb::detail::const_name("RayHits | oclide.RemoteHits | numpy.typing.NDArray[numpy.void]");
};
struct ImpactsTag {
  static constexpr auto name =
      nb::detail::const_name("Impacts | oclide.RemoteImpacts | numpy.typing.NDArray[numpy.void]");
};
struct Uint64Tag {
  static constexpr auto name = nb::detail::const_name("numpy.typing.NDArray[numpy.uint64]");
};
struct RecordsTag {
  static constexpr auto name = nb::detail::const_name("numpy.typing.NDArray[numpy.void]");
};
struct Float64Tag {
  static constexpr auto name = nb::detail::const_name("numpy.typing.NDArray[numpy.float64]");
};
struct Float32Tag {
  static constexpr auto name = nb::detail::const_name("numpy.typing.NDArray[numpy.float32]");
};
struct Uint32Tag {
  static constexpr auto name = nb::detail::const_name("numpy.typing.NDArray[numpy.uint32]");
};
struct Uint16Tag {
  static constexpr auto name = nb::detail::const_name("numpy.typing.NDArray[numpy.uint16]");
};
struct Uint8Tag {
  static constexpr auto name = nb::detail::const_name("numpy.typing.NDArray[numpy.uint8]");
};
struct BoolTag {
  static constexpr auto name = nb::detail::const_name("numpy.typing.NDArray[numpy.bool_]");
};
struct OptionalCallbackTag {
  static constexpr auto name = nb::detail::const_name("typing.Optional[typing.Callable[[str, str], object]]");
};
struct DeviceTag {
  static constexpr auto name = nb::detail::const_name("typing.Any");
};
struct OptionalCountTag {
  static constexpr auto name = nb::detail::const_name("typing.Optional[int]");
};
struct EventsTag {
  static constexpr auto name = nb::detail::const_name("collections.abc.Iterable[typing.Any]");
};
struct IntTag {
  static constexpr auto name = nb::detail::const_name("int");
};
struct FloatTag {
  static constexpr auto name = nb::detail::const_name("float");
};
struct IndexTag {
  static constexpr auto name = nb::detail::const_name("typing.Any");
};
struct PathTag {
  static constexpr auto name = nb::detail::const_name("str | os.PathLike[str]");
};
struct PathsTag {
  static constexpr auto name = nb::detail::const_name("collections.abc.Iterable[str | os.PathLike[str]]");
};

using ArrayLike = Typed<ArrayLikeTag>;
using SceneLike = Typed<SceneTag>;
using OptionalBodiesLike = Typed<OptionalBodiesTag>;
using ContactsLike = Typed<ContactsTag>;
using OptionalArrayLike = Typed<OptionalArrayTag>;
using IntLike = Typed<IntTag>;
using FloatLike = Typed<FloatTag>;
using IndexLike = Typed<IndexTag>;
using OptionalCallback = Typed<OptionalCallbackTag>;
using HitsLike = Typed<HitsTag>;
using ImpactsLike = Typed<ImpactsTag>;
/// A buffer, context or queue of OpenCL: its handle as a number, or an object with `int_ptr`; or None.
using DeviceLike = Typed<DeviceTag>;
using EventsLike = Typed<EventsTag>;
using OptionalCount = Typed<OptionalCountTag>;
using PathLike = Typed<PathTag>;
using PathsLike = Typed<PathsTag>;

}  // namespace oclide::python

namespace nanobind::detail {

// None is refused by name as anything else is; the stub does not offer it (CMakeLists.txt).
template <class Tag>
struct has_arg_defaults<oclide::python::Typed<Tag>> : std::true_type {};

template <class Tag>
struct type_caster<oclide::python::Typed<Tag>> {
  NB_TYPE_CASTER(oclide::python::Typed<Tag>, Tag::name)

  bool from_python(handle source, uint8_t, cleanup_list*) noexcept {
    value.object = borrow(source);
    return true;
  }
  static handle from_cpp(const oclide::python::Typed<Tag>& source, rv_policy, cleanup_list*) noexcept {
    return source.object.inc_ref();
  }
};

}  // namespace nanobind::detail
