#include "arrays.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <type_traits>

namespace oclide::python {
namespace {

template <class Value>
constexpr const char* kDtype = nullptr;
template <>
constexpr const char* kDtype<double> = "float64";
template <>
constexpr const char* kDtype<std::uint8_t> = "uint8";
template <>
constexpr const char* kDtype<std::uint32_t> = "uint32";
template <>
constexpr const char* kDtype<std::int32_t> = "int32";

// "(3, 4)", with n where any length will do.
template <class Shape>
std::string shape_text(const Shape& shape) {
  std::string text = "(";
  std::size_t axis = 0;
  for (const std::ptrdiff_t length : shape)
    text += (axis++ == 0 ? "" : ", ") + (length == kAny ? "n" : std::to_string(length));
  return text + (axis == 1 ? ",)" : ")");
}

// Only NumPy's own arrays are borrowed as they are: those of a subclass may have a mask. `tool`, of oclide._arrays,
// converts others.
template <class Value>
Array<Value> converted(nb::handle object, const std::string& name, std::initializer_list<std::ptrdiff_t> shape,
                       const char* tool) {
  Array<Value> array;
  const bool is_plain = object.type().is(nb::module_::import_("numpy").attr("ndarray"));
  const auto is_aligned = [&] { return reinterpret_cast<std::uintptr_t>(array.data()) % alignof(Value) == 0; };
  if (!is_plain || !nb::try_cast(object, array, false) || !is_aligned())
    array = nb::cast<Array<Value>>(array_tool(tool)(object, name.c_str(), kDtype<Value>), false);
  bool fits = array.ndim() == shape.size();
  for (std::size_t a = 0; fits && a < shape.size(); ++a)
    fits = shape.begin()[a] == kAny || static_cast<std::size_t>(shape.begin()[a]) == array.shape(a);
  if (!fits) {
    std::vector<std::ptrdiff_t> found;
    for (std::size_t a = 0; a < array.ndim(); ++a) found.push_back(static_cast<std::ptrdiff_t>(array.shape(a)));
    throw Error(ErrorKind::invalid_input,
                name + " has shape " + shape_text(found) + ", but must have " + shape_text(shape));
  }
  return array;
}

// Byte: const where it is not to be written to.
template <class Byte>
nb::object view_of(Byte* records, std::size_t bytes, const char* dtype, nb::handle owner) {
  static std::uint8_t nothing{};
  const nb::object array =
      nb::cast(nb::ndarray<nb::numpy, Byte>(bytes == 0 ? &nothing : records, {bytes}, owner), nb::rv_policy::reference);
  return array.attr("view")(array_tool(dtype));
}

}  // namespace

nb::dict layout(std::initializer_list<Member> members, std::size_t size) {
  nb::list names, formats, offsets;
  for (const Member& m : members) {
    names.append(m.name);
    formats.append(m.type);
    offsets.append(m.offset);
  }
  nb::dict dict;
  dict["names"] = names;
  dict["formats"] = formats;
  dict["offsets"] = offsets;
  dict["itemsize"] = size;
  return dict;
}

nb::object array_tool(const char* name) {
  return nb::module_::import_("oclide._arrays").attr(name);
}

nb::object table_tool(const char* name) {
  return nb::module_::import_("oclide._tables").attr(name);
}

template <class Value>
Array<Value> to_array(nb::handle object, const std::string& name, std::initializer_list<std::ptrdiff_t> shape) {
  return converted<Value>(object, name, shape, std::is_same_v<Value, double> ? "real" : "whole");
}

Array<double> to_heights(nb::handle object, const std::string& name) {
  return converted<double>(object, name, {kAny, kAny}, "heights");
}

template Array<double> to_array(nb::handle, const std::string&, std::initializer_list<std::ptrdiff_t>);
template Array<std::uint8_t> to_array(nb::handle, const std::string&, std::initializer_list<std::ptrdiff_t>);
template Array<std::uint32_t> to_array(nb::handle, const std::string&, std::initializer_list<std::ptrdiff_t>);
template Array<std::int32_t> to_array(nb::handle, const std::string&, std::initializer_list<std::ptrdiff_t>);

ContactArray::ContactArray(const ContactsLike& object)
    : bytes_(nb::cast<Array<std::uint8_t>>(array_tool("contact_bytes")(object.object), false)) {}

nb::object record_view(void* records, std::size_t bytes, const char* dtype, nb::handle owner) {
  return view_of(static_cast<std::uint8_t*>(records), bytes, dtype, owner);
}

nb::object record_view(const void* records, std::size_t bytes, const char* dtype, nb::handle owner) {
  return view_of(static_cast<const std::uint8_t*>(records), bytes, dtype, owner);
}

std::string to_path(const PathLike& path) {
  const nb::object name = nb::module_::import_("os").attr("fsencode")(path.object);
  const nb::bytes text = nb::cast<nb::bytes>(name);
  std::string given(text.c_str(), text.size());
  if (given.find('\0') != std::string::npos)
    throw Error(ErrorKind::invalid_input,
                nb::cast<std::string>(nb::repr(name)) + ": a path cannot have a NUL character");
  return given;
}

}  // namespace oclide::python
