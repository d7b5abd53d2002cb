// A small scene file written with HDF5 alone, of which tests replace or remove parts.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace oclide::test {

template <class Value>
hid_t hdf5_type() {
  if constexpr (std::is_same_v<Value, float>) return H5T_NATIVE_FLOAT;
  if constexpr (std::is_same_v<Value, double>) return H5T_NATIVE_DOUBLE;
  if constexpr (std::is_same_v<Value, std::uint8_t>) return H5T_NATIVE_UINT8;
  if constexpr (std::is_same_v<Value, std::int16_t>) return H5T_NATIVE_INT16;
  if constexpr (std::is_same_v<Value, std::uint16_t>) return H5T_NATIVE_UINT16;
  if constexpr (std::is_same_v<Value, std::int32_t>) return H5T_NATIVE_INT32;
  if constexpr (std::is_same_v<Value, std::uint32_t>) return H5T_NATIVE_UINT32;
  if constexpr (std::is_same_v<Value, std::int64_t>) return H5T_NATIVE_INT64;
  if constexpr (std::is_same_v<Value, std::uint64_t>) return H5T_NATIVE_UINT64;
}

class Hdf5Scene {
 public:
  using Extent = std::vector<hsize_t>;

  /// Two terrains (3 x 4 and 2 x 2 vertices), a sphere, a box, a cylinder and a capsule, three frames.
  explicit Hdf5Scene(const std::string& file)
      : file_(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {
    if (file_ < 0) throw std::runtime_error("cannot create " + file);
    attribute("/", "format", std::string("oclide-scene"));
    attribute("/", "version", std::int64_t{1});
    put<float>("/terrains/0/heights", {3, 4}, std::vector<float>(12, 0.0F));
    attribute("/terrains/0/heights", "origin", std::vector<double>{-2.0, -1.0});
    attribute("/terrains/0/heights", "spacing", std::vector<double>{2.0, 1.5});
    put<std::uint8_t>("/terrains/0/material", {2, 3}, {1, 2, 3, 4, 5, 6});
    put<double>("/terrains/1/heights", {2, 2}, {0.0, 1.0, 2.0, 3.0});
    attribute("/terrains/1/heights", "origin", std::vector<double>{0.0, 0.0});
    attribute("/terrains/1/heights", "spacing", std::vector<double>{10.0, 10.0});
    put<std::int32_t>("/environments/terrain", {3}, {0, 1, -1});
    put<std::uint8_t>("/bodies/shape", {4}, {0, 1, 2, 3});
    put<double>("/bodies/size", {4, 3}, {0.5, 0, 0, 0.5, 0.4, 0.3, 0.3, 0.6, 0, 0.2, 0.5, 0});
    put<std::uint32_t>("/bodies/environment", {4}, {0, 0, 0, 1});
    std::vector<double> position;
    for (int frame = 0; frame < 3; ++frame)
      for (int body = 0; body < 4; ++body)
        position.insert(position.end(), {0.5 * body, 0.25 * body, 0.4 - 0.1 * frame});
    put<double>("/bodies/position", {3, 4, 3}, position);
    std::vector<float> orientation;
    for (int body = 0; body < 4; ++body) orientation.insert(orientation.end(), {1.0F, 0.0F, 0.0F, 0.0F});
    put<float>("/bodies/orientation", {4, 4}, orientation);
  }
  /// A file that is there, to change it.
  struct Existing {};
  Hdf5Scene(const std::string& file, Existing) : file_(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)) {
    if (file_ < 0) throw std::runtime_error("cannot open " + file);
  }
  ~Hdf5Scene() { H5Fclose(file_); }
  Hdf5Scene(const Hdf5Scene&) = delete;
  Hdf5Scene& operator=(const Hdf5Scene&) = delete;

  void remove(const std::string& path) {
    H5E_BEGIN_TRY {
      H5Ldelete(file_, path.c_str(), H5P_DEFAULT);
    }
    H5E_END_TRY;
  }

  /// Replaces a dataset; `deflate`: in chunks of one row, compressed.
  template <class Value>
  void put(const std::string& path, const Extent& extent, const std::vector<Value>& values, bool deflate = false) {
    remove(path);
    const hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    if (deflate) {
      Extent chunk = extent;
      chunk[0] = 1;
      H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
      H5Pset_shuffle(creation);
      H5Pset_deflate(creation, 4);
    }
    const hid_t space = extent.empty() ? H5Screate(H5S_SCALAR)
                                       : H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr);
    const hid_t data = H5Dcreate2(file_, path.c_str(), hdf5_type<Value>(), space, links, creation, H5P_DEFAULT);
    if (!values.empty()) H5Dwrite(data, hdf5_type<Value>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(data);
    H5Sclose(space);
    H5Pclose(creation);
    H5Pclose(links);
  }

  /// Changes one element of a dataset.
  void set(const std::string& path, std::vector<hsize_t> index, double value) {
    const hid_t data = H5Dopen2(file_, path.c_str(), H5P_DEFAULT);
    const hid_t space = H5Dget_space(data);
    const hid_t one = H5Screate(H5S_SCALAR);
    H5Sselect_elements(space, H5S_SELECT_SET, 1, index.data());
    H5Dwrite(data, H5T_NATIVE_DOUBLE, one, space, H5P_DEFAULT, &value);
    H5Sclose(one);
    H5Sclose(space);
    H5Dclose(data);
  }

  void remove_attribute(const std::string& object, const char* name) {
    H5E_BEGIN_TRY {
      H5Adelete_by_name(file_, object.c_str(), name, H5P_DEFAULT);
    }
    H5E_END_TRY;
  }

  /// A string of fixed length; with spaces instead of zeros behind it where `padded_to` is longer.
  void attribute(const std::string& object, const char* name, std::string text, std::size_t padded_to = 0) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    const bool padded = padded_to > text.size();
    if (padded) text.resize(padded_to, ' ');
    H5Tset_size(type, padded ? text.size() : text.size() + 1);
    if (padded) H5Tset_strpad(type, H5T_STR_SPACEPAD);
    write_attribute(object, name, type, H5Screate(H5S_SCALAR), text.c_str());
    H5Tclose(type);
  }
  void variable_attribute(const std::string& object, const char* name, const char* text) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    write_attribute(object, name, type, H5Screate(H5S_SCALAR), &text);
    H5Tclose(type);
  }
  template <class Value>
  requires std::is_arithmetic_v<Value>
  void attribute(const std::string& object, const char* name, Value value) {
    write_attribute(object, name, hdf5_type<Value>(), H5Screate(H5S_SCALAR), &value);
  }
  template <class Value>
  void attribute(const std::string& object, const char* name, const std::vector<Value>& values) {
    const hsize_t n = values.size();
    write_attribute(object, name, hdf5_type<Value>(), H5Screate_simple(1, &n, nullptr), values.data());
  }

 private:
  void write_attribute(const std::string& object, const char* name, hid_t type, hid_t space, const void* value) {
    remove_attribute(object, name);
    const hid_t id = H5Acreate_by_name(file_, object.c_str(), name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(id, type, value);
    H5Aclose(id);
    H5Sclose(space);
  }

  hid_t file_;
};

}  // namespace oclide::test
