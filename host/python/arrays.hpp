// NumPy arrays on their way in and out: borrowed where type and layout are what the library takes, converted where they
// can be, refused by name where not.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "oclide/oclide.hpp"
#include "typed_object.hpp"

namespace oclide::python {

/// Row-major and alive for as long as this.
template <class Value>
using Array = nb::ndarray<const Value, nb::c_contig, nb::device::cpu>;

/// Length of an axis that may be any.
inline constexpr std::ptrdiff_t kAny = -1;

/// Value: double for real numbers, else an integer type. What is masked is refused. Throws Error(invalid_input) that
/// begins with `name`.
template <class Value>
[[nodiscard]] Array<Value> to_array(nb::handle object, const std::string& name,
                                    std::initializer_list<std::ptrdiff_t> shape);

/// As to_array(), of any two lengths, with NaN for what is masked.
[[nodiscard]] Array<double> to_heights(nb::handle object, const std::string& name);

template <class Value>
[[nodiscard]] std::span<const Value> values_of(const Array<Value>& array) {
  return {array.data(), array.size()};
}

/// None where the array is none.
template <class Value>
[[nodiscard]] std::span<const Value> optional_values(const Array<Value>& array) {
  return array.is_valid() ? values_of(array) : std::span<const Value>();
}

/// Poses of all bodies, borrowed from arrays that live as long as this.
struct PoseArrays {
  PoseArrays(const ArrayLike& position_object, const ArrayLike& orientation_object)
      : position(to_array<double>(position_object.object, "position", {kAny, 3})),
        orientation(to_array<double>(orientation_object.object, "orientation", {kAny, 4})) {}

  [[nodiscard]] Poses poses() const { return {values_of(position), values_of(orientation)}; }

  Array<double> position, orientation;
};

/// Contacts of a Frame or of a structured array, borrowed where they are of the library's layout.
class ContactArray {
 public:
  explicit ContactArray(const ContactsLike& object);
  [[nodiscard]] std::span<const Contact> contacts() const {
    return {reinterpret_cast<const Contact*>(bytes_.data()), bytes_.size() / sizeof(Contact)};
  }

 private:
  Array<std::uint8_t> bytes_;
};

/// Names, types and offsets of a record's members, of which oclide._arrays makes a NumPy dtype.
struct Member {
  const char* name;
  const char* type;
  std::size_t offset;
};
[[nodiscard]] nb::dict layout(std::initializer_list<Member> members, std::size_t size);

/// oclide._arrays.`name`.
[[nodiscard]] nb::object array_tool(const char* name);

/// oclide._tables.`name`.
[[nodiscard]] nb::object table_tool(const char* name);

/// An array over records of `dtype` (a name of oclide._arrays) that `owner` keeps. Not copied; writable, and so through
/// DLPack, where the memory is Python's alone.
[[nodiscard]] nb::object record_view(void* records, std::size_t bytes, const char* dtype, nb::handle owner);
[[nodiscard]] nb::object record_view(const void* records, std::size_t bytes, const char* dtype, nb::handle owner);

/// A member of records, as a property that is a view of them.
template <class Tag, class Object>
void add_member(nb::class_<Object>& object, const char* name, Typed<RecordsTag> (*records)(const Object&),
                const char* text) {
  object.def_prop_ro(
      name, [name, records](const Object& o) { return Typed<Tag>{records(o).object[name]}; }, text);
}

/// to_pandas() and to_arrow(), a row for each record.
template <class Object>
void add_tables(nb::class_<Object>& object, Typed<RecordsTag> (*records)(const Object&)) {
  object.def(
      "to_pandas", [records](const Object& o) { return table_tool("to_pandas")(records(o).object); },
      nb::sig("def to_pandas(self) -> typing.Any"),
      "A pandas.DataFrame, a row for each; point and normal are three columns each.");
  object.def(
      "to_arrow", [records](const Object& o) { return table_tool("to_arrow")(records(o).object); },
      nb::sig("def to_arrow(self) -> typing.Any"), "The same as a pyarrow.Table.");
}

/// Keeps `value` until Python has no more use for the capsule.
template <class Value>
[[nodiscard]] nb::capsule owner_of(Value value) {
  auto kept = std::make_unique<Value>(std::move(value));
  nb::capsule capsule(kept.get(), [](void* pointer) noexcept { delete static_cast<Value*>(pointer); });
  kept.release();
  return capsule;
}

/// A NumPy array that takes over the vector's memory. Element: the array's scalar.
template <class Element, class Value>
[[nodiscard]] nb::object take_vector(std::vector<Value>&& values, std::vector<std::size_t> shape) {
  auto kept = std::make_unique<std::vector<Value>>(std::move(values));
  static Element nothing{};
  void* data = kept->empty() ? static_cast<void*>(&nothing) : static_cast<void*>(kept->data());
  nb::capsule owner(kept.get(), [](void* pointer) noexcept { delete static_cast<std::vector<Value>*>(pointer); });
  kept.release();
  return nb::cast(nb::ndarray<nb::numpy, Element>(data, shape.size(), shape.data(), owner), nb::rv_policy::reference);
}

/// A file name as the operating system has it.
[[nodiscard]] std::string to_path(const PathLike& path);

}  // namespace oclide::python
