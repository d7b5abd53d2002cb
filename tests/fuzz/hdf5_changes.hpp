// Changes to a well-formed HDF5 file that leave it well-formed: what a program of somebody else's could have written.
// (Damage to the bytes of the format itself is tests/files/damaged_file_test.cpp; HDF5 answers for most of that.)
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "files/hdf5_scene.hpp"
#include "fuzz/numbers.hpp"
#include "support/temporary_folder.hpp"

namespace oclide::test {

struct AttributeName {
  const char* object;
  const char* name;
};

template <class Value>
Value as(double number) {
  if constexpr (std::is_floating_point_v<Value>) return static_cast<Value>(number);
  if (!(number >= static_cast<double>(std::numeric_limits<Value>::min()))) return std::numeric_limits<Value>::min();
  if (number >= static_cast<double>(std::numeric_limits<Value>::max())) return std::numeric_limits<Value>::max();
  return static_cast<Value>(number);
}

// Values of the type that `use` is called with a default of.
template <class Use>
void of_any_type(FuzzedDataProvider& data, Use&& use) {
  switch (data.ConsumeIntegralInRange(0, 6)) {
    case 0:
      return use(std::uint8_t{});
    case 1:
      return use(std::int16_t{});
    case 2:
      return use(std::int32_t{});
    case 3:
      return use(std::uint32_t{});
    case 4:
      return use(std::uint64_t{});
    case 5:
      return use(float{});
    default:
      return use(double{});
  }
}

inline void change_dataset(Hdf5Scene& file, FuzzedDataProvider& data, const std::string& path) {
  Hdf5Scene::Extent extent(data.ConsumeIntegralInRange<std::size_t>(0, 4));
  std::size_t count = 1;
  for (hsize_t& n : extent) {
    n = data.ConsumeIntegralInRange<hsize_t>(0, 5);
    count *= n;
  }
  const bool far_too_large = !extent.empty() && data.ConsumeIntegralInRange(0, 15) == 0;
  if (far_too_large) extent.back() = (hsize_t{1} << 33U) + data.ConsumeIntegral<std::uint32_t>();
  of_any_type(data, [&]<class Value>(Value) {
    std::vector<Value> values(far_too_large ? 0 : count);
    for (Value& value : values) value = as<Value>(any_number(data));
    file.put<Value>(path, extent, values, far_too_large || (count > 0 && !extent.empty() && data.ConsumeBool()));
  });
}

inline void change_attribute(Hdf5Scene& file, FuzzedDataProvider& data, const AttributeName& of) {
  if (data.ConsumeBool()) {
    of_any_type(data, [&]<class Value>(Value) {
      std::vector<Value> values(data.ConsumeIntegralInRange<std::size_t>(0, 3));
      for (Value& value : values) value = as<Value>(any_number(data));
      if (values.size() == 1)
        file.attribute(of.object, of.name, values[0]);
      else
        file.attribute(of.object, of.name, values);
    });
  } else {
    file.attribute(of.object, of.name, data.ConsumeRandomLengthString(40));
  }
}

/// Up to four changes: a dataset or attribute is removed, or has another type, extent and values.
inline void change(Hdf5Scene& file, FuzzedDataProvider& data, std::span<const char* const> datasets,
                   std::span<const AttributeName> attributes) {
  for (int n = data.ConsumeIntegralInRange(1, 4); n > 0; --n) {
    const std::size_t k = data.ConsumeIntegralInRange<std::size_t>(0, datasets.size() + attributes.size() - 1);
    const bool removed = data.ConsumeIntegralInRange(0, 7) == 0;
    if (k < datasets.size()) {
      if (removed)
        file.remove(datasets[k]);
      else
        change_dataset(file, data, datasets[k]);
    } else {
      const AttributeName& of = attributes[k - datasets.size()];
      if (removed)
        file.remove_attribute(of.object, of.name);
      else
        change_attribute(file, data, of);
    }
  }
}

/// A changed copy of the file that `write` writes once.
template <class Write>
std::string changed_file(Write&& write, FuzzedDataProvider& data, std::span<const char* const> datasets,
                         std::span<const AttributeName> attributes) {
  static const TemporaryFolder folder;
  static const std::string written = folder.file("written.h5");
  const std::string file = folder.file("changed.h5");
  if (!std::filesystem::exists(written)) write(written);
  std::filesystem::copy_file(written, file, std::filesystem::copy_options::overwrite_existing);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  Hdf5Scene changed(file, Hdf5Scene::Existing{});
  change(changed, data, datasets, attributes);
  return file;
}

}  // namespace oclide::test
