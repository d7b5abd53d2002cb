// Scene and contact files as the contract describes them, read with the HDF5 C library alone.
#pragma once

#include <hdf5.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "ground.hpp"

namespace oracle {

inline constexpr std::uint32_t kTerrain = 0xFFFFFFFFU;

/// A triangle mesh in its body's axes, its vertices rounded to float32.
struct MeshFile {
  std::vector<Vec> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::vector<int> material;  ///< of each triangle
  bool solid = false;
};

struct SceneFile {
  std::vector<Ground> grounds;
  std::vector<int> environment_terrain;
  std::vector<int> shape;
  std::vector<double> size, position, orientation;
  std::vector<std::uint32_t> environment, category, mask;
  std::vector<int> group;
  std::vector<int> truth;                     ///< touches_terrain, or empty
  std::vector<std::uint32_t> touching_pairs;  ///< pairs of bodies that touch, flat, or empty
  std::vector<std::uint32_t> permutation;     ///< body i is body permutation[i] of another scene, or empty
  bool stable = false;                        ///< the same features touch in all frames
  std::vector<Hull> hulls;
  std::vector<MeshFile> meshes;
  std::size_t bodies = 0, frames = 1;
  bool moving_position = false, moving_orientation = false;

  Body body(std::size_t b, std::size_t frame) const {
    const std::size_t n = bodies, p = 3 * ((moving_position ? frame * n : 0) + b),
                      q = 4 * ((moving_orientation ? frame * n : 0) + b);
    return {shape[b],
            {size[3 * b], size[3 * b + 1], size[3 * b + 2]},
            {position[p], position[p + 1], position[p + 2]},
            axes_of(orientation[q], orientation[q + 1], orientation[q + 2], orientation[q + 3]),
            shape[b] == kConvexHull ? &hulls.at(static_cast<std::size_t>(size[3 * b])) : nullptr};
  }
  const Ground* ground_of(std::size_t b) const {
    const std::uint32_t e = environment.empty() ? 0 : environment[b];
    const int t = environment_terrain.empty() ? (grounds.empty() ? -1 : 0) : environment_terrain[e];
    return t < 0 ? nullptr : &grounds[static_cast<std::size_t>(t)];
  }
};

struct ContactRow {
  std::uint32_t body_a = 0, body_b = kTerrain, manifold = 0;
  Vec point, normal;
  double depth = 0.0;
  int material = 0;
  std::uint32_t feature = 0, element = 0xFFFFFFFFU;
};

struct ContactFile {
  std::vector<std::uint64_t> frame_offset;
  std::vector<ContactRow> rows;
  bool float_points = false;  ///< points are stored as float32
};

namespace detail {

struct File {
  hid_t id;
  explicit File(const std::string& name) : id(H5Fopen(name.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {
    if (id < 0) throw std::runtime_error(name + ": cannot be opened");
  }
  ~File() { H5Fclose(id); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  bool has(const std::string& path) const {
    for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
      if (H5Lexists(id, path.substr(0, slash).c_str(), H5P_DEFAULT) <= 0) return false;
      if (slash == std::string::npos) return true;
    }
  }
};

template <typename T>
std::vector<T> read(const File& file, const std::string& path, hid_t type, std::vector<hsize_t>* shape = nullptr) {
  const hid_t set = H5Dopen2(file.id, path.c_str(), H5P_DEFAULT);
  if (set < 0) throw std::runtime_error("no dataset " + path);
  const hid_t space = H5Dget_space(set);
  std::vector<hsize_t> dims(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, dims.data(), nullptr);
  hsize_t count = 1;
  for (const hsize_t d : dims) count *= d;
  std::vector<T> values(count);
  if (count > 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    throw std::runtime_error("cannot read " + path);
  }
  H5Sclose(space);
  H5Dclose(set);
  if (shape != nullptr) *shape = dims;
  return values;
}

inline void read_pair(const File& file, const std::string& path, const char* name, double (&value)[2]) {
  const hid_t attribute = H5Aopen_by_name(file.id, path.c_str(), name, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute < 0 || H5Aread(attribute, H5T_NATIVE_DOUBLE, value) < 0) {
    throw std::runtime_error(path + ": no attribute " + name);
  }
  H5Aclose(attribute);
}

inline MeshFile read_mesh(const File& file, const std::string& at) {
  MeshFile mesh;
  const auto v = read<double>(file, at + "/vertices", H5T_NATIVE_DOUBLE);
  const auto rounded = [&](std::size_t i) { return static_cast<double>(static_cast<float>(v[i])); };
  for (std::size_t i = 0; i + 2 < v.size(); i += 3)
    mesh.vertices.push_back({rounded(i), rounded(i + 1), rounded(i + 2)});
  const auto t = read<std::uint32_t>(file, at + "/triangles", H5T_NATIVE_UINT32);
  for (std::size_t i = 0; i + 2 < t.size(); i += 3) mesh.triangles.push_back({t[i], t[i + 1], t[i + 2]});
  mesh.material.assign(mesh.triangles.size(), 0);
  if (file.has(at + "/material")) mesh.material = read<int>(file, at + "/material", H5T_NATIVE_INT);
  if (H5Aexists_by_name(file.id, at.c_str(), "solid", H5P_DEFAULT) > 0) {
    const hid_t attribute = H5Aopen_by_name(file.id, at.c_str(), "solid", H5P_DEFAULT, H5P_DEFAULT);
    int solid = 0;
    H5Aread(attribute, H5T_NATIVE_INT, &solid);
    H5Aclose(attribute);
    mesh.solid = solid != 0;
  }
  return mesh;
}

}  // namespace detail

inline SceneFile read_scene(const std::string& name) {
  using detail::read;
  const detail::File file(name);
  SceneFile s;
  for (int k = 0; file.has("/terrains/" + std::to_string(k) + "/heights"); ++k) {
    const std::string at = "/terrains/" + std::to_string(k);
    Ground g;
    std::vector<hsize_t> dims;
    g.heights = read<double>(file, at + "/heights", H5T_NATIVE_DOUBLE, &dims);
    g.rows = static_cast<std::ptrdiff_t>(dims.at(0)), g.cols = static_cast<std::ptrdiff_t>(dims.at(1));
    detail::read_pair(file, at + "/heights", "origin", g.origin);
    detail::read_pair(file, at + "/heights", "spacing", g.spacing);
    if (file.has(at + "/holes")) g.holes = read<std::uint8_t>(file, at + "/holes", H5T_NATIVE_UINT8);
    if (file.has(at + "/material")) g.material = read<std::uint8_t>(file, at + "/material", H5T_NATIVE_UINT8);
    s.grounds.push_back(std::move(g));
  }
  for (int k = 0; file.has("/hulls/" + std::to_string(k) + "/vertices"); ++k) {
    const auto v = read<double>(file, "/hulls/" + std::to_string(k) + "/vertices", H5T_NATIVE_DOUBLE);
    std::vector<Vec> points;
    const auto rounded = [&](std::size_t i) { return static_cast<double>(static_cast<float>(v[i])); };
    for (std::size_t i = 0; i + 2 < v.size(); i += 3) points.push_back({rounded(i), rounded(i + 1), rounded(i + 2)});
    s.hulls.push_back(hull_of(std::move(points)));
  }
  for (int k = 0; file.has("/meshes/" + std::to_string(k) + "/vertices"); ++k)
    s.meshes.push_back(detail::read_mesh(file, "/meshes/" + std::to_string(k)));
  std::vector<hsize_t> position, orientation;
  s.shape = read<int>(file, "/bodies/shape", H5T_NATIVE_INT);
  s.bodies = s.shape.size();
  s.size = read<double>(file, "/bodies/size", H5T_NATIVE_DOUBLE);
  s.position = read<double>(file, "/bodies/position", H5T_NATIVE_DOUBLE, &position);
  s.orientation = read<double>(file, "/bodies/orientation", H5T_NATIVE_DOUBLE, &orientation);
  s.moving_position = position.size() == 3, s.moving_orientation = orientation.size() == 3;
  if (s.moving_position) s.frames = position[0];
  if (s.moving_orientation) s.frames = orientation[0];
  if (file.has("/bodies/environment")) {
    s.environment = read<std::uint32_t>(file, "/bodies/environment", H5T_NATIVE_UINT32);
  }
  if (file.has("/bodies/group")) s.group = read<int>(file, "/bodies/group", H5T_NATIVE_INT);
  if (file.has("/bodies/category")) s.category = read<std::uint32_t>(file, "/bodies/category", H5T_NATIVE_UINT32);
  if (file.has("/bodies/mask")) s.mask = read<std::uint32_t>(file, "/bodies/mask", H5T_NATIVE_UINT32);
  if (file.has("/environments/terrain")) {
    s.environment_terrain = read<int>(file, "/environments/terrain", H5T_NATIVE_INT);
  }
  if (file.has("/truth/touches_terrain")) s.truth = read<int>(file, "/truth/touches_terrain", H5T_NATIVE_INT);
  if (file.has("/truth/touching_pairs")) {
    s.touching_pairs = read<std::uint32_t>(file, "/truth/touching_pairs", H5T_NATIVE_UINT32);
  }
  if (file.has("/truth/permutation")) {
    s.permutation = read<std::uint32_t>(file, "/truth/permutation", H5T_NATIVE_UINT32);
  }
  s.stable = file.has("/truth/stable");
  return s;
}

inline ContactFile read_contacts(const std::string& name) {
  using detail::read;
  const detail::File file(name);
  ContactFile c;
  c.frame_offset = read<std::uint64_t>(file, "/frame_offset", H5T_NATIVE_UINT64);
  const auto a = read<std::uint32_t>(file, "/contacts/body_a", H5T_NATIVE_UINT32);
  const auto b = read<std::uint32_t>(file, "/contacts/body_b", H5T_NATIVE_UINT32);
  const auto manifold = read<std::uint32_t>(file, "/contacts/manifold", H5T_NATIVE_UINT32);
  const auto point = read<double>(file, "/contacts/point", H5T_NATIVE_DOUBLE);
  const auto normal = read<double>(file, "/contacts/normal", H5T_NATIVE_DOUBLE);
  const auto depth = read<double>(file, "/contacts/depth", H5T_NATIVE_DOUBLE);
  const auto material = read<int>(file, "/contacts/material", H5T_NATIVE_INT);
  const auto feature = read<std::uint32_t>(file, "/contacts/feature", H5T_NATIVE_UINT32);
  std::vector<std::uint32_t> element(a.size(), 0xFFFFFFFFU);
  if (file.has("/contacts/element")) element = read<std::uint32_t>(file, "/contacts/element", H5T_NATIVE_UINT32);
  const std::size_t n = a.size();
  if (b.size() != n || manifold.size() != n || point.size() != 3 * n || normal.size() != 3 * n || depth.size() != n ||
      material.size() != n || feature.size() != n || element.size() != n) {
    throw std::runtime_error(name + ": datasets of /contacts differ in length");
  }
  for (std::size_t i = 0; i < n; ++i) {
    c.rows.push_back({a[i],
                      b[i],
                      manifold[i],
                      {point[3 * i], point[3 * i + 1], point[3 * i + 2]},
                      {normal[3 * i], normal[3 * i + 1], normal[3 * i + 2]},
                      depth[i],
                      material[i],
                      feature[i],
                      element[i]});
  }
  const hid_t set = H5Dopen2(file.id, "/contacts/point", H5P_DEFAULT), type = H5Dget_type(set);
  c.float_points = H5Tget_size(type) == 4;
  H5Tclose(type);
  H5Dclose(set);
  return c;
}

}  // namespace oracle
