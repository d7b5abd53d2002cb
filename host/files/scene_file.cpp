#include "files/scene_file.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "files/framed_dataset.hpp"
#include "files/hdf5_file.hpp"
#include "scene/scene_check.hpp"
#include "scene/unused_terrains.hpp"
#include "shared/poses.h"

namespace oclide {
namespace {

constexpr const char* kFormat = "oclide-scene";
constexpr std::int64_t kVersion = 1;
constexpr const char* kPerBody = ", one entry for each of /bodies/shape";

// Most vertices of one terrain, and triangles of one mesh; refused before memory is asked for.
constexpr std::uint64_t kMostVertices = std::uint64_t{1} << 30, kMostTriangles = std::uint64_t{1} << 30;

void check_header(const hdf5::InputFile& file) {
  const std::string format = file.text_attribute("/", "format");
  if (format != kFormat) file.fail("/: attribute 'format' is '" + format + "', but must be '" + kFormat + "'");
  const std::int64_t found = file.integer_attribute("/", "version");
  if (found != kVersion)
    file.fail("/: attribute 'version' is " + std::to_string(found) + ", but this program reads version " +
              std::to_string(kVersion));
}

Terrain read_terrain(const hdf5::InputFile& file, std::size_t k) {
  const std::string group = "/terrains/" + std::to_string(k);
  const hdf5::Dataset heights = file.open_real(group + "/heights");
  if (heights.extent.size() != 2) file.fail_extent(heights, "two axes (rows, columns)");
  if (heights.extent[0] < 2 || heights.extent[1] < 2) file.fail_extent(heights, "at least 2 x 2 vertices");
  if (heights.extent[0] > kMostVertices / heights.extent[1])
    file.fail_extent(heights, "at most " + std::to_string(kMostVertices) + " vertices");
  Terrain terrain;
  terrain.rows = heights.extent[0];
  terrain.cols = heights.extent[1];
  terrain.origin = file.pair_attribute(heights.path, "origin");
  terrain.spacing = file.pair_attribute(heights.path, "spacing");
  file.make_room(heights, heights.count(), terrain.heights);
  file.read(heights, terrain.heights);
  const auto filter = [&]<class Integer>(const char* name, Integer& to) {
    if (!file.has_attribute(group, name)) return;
    const std::int64_t value = file.integer_attribute(group, name);
    if (!std::in_range<Integer>(value))
      file.fail(group + ": attribute '" + name + "' is " + std::to_string(value) + ", which has more than 32 bits");
    to = static_cast<Integer>(value);
  };
  filter("group", terrain.group);
  filter("category", terrain.category);
  filter("mask", terrain.mask);
  filter("tile_of", terrain.tile_of);
  if (std::int64_t diagonal = 0; file.has_attribute(group, "diagonal")) {
    filter("diagonal", diagonal);
    terrain.diagonal = to_diagonal(diagonal, file.name() + ": " + group);
  }
  const std::array<hsize_t, 2> cells{terrain.rows - 1, terrain.cols - 1};
  const std::string why = ", one entry for each cell of " + heights.path;
  if (file.exists(group + "/holes")) terrain.holes = file.read_integers<std::uint8_t>(group + "/holes", cells, why);
  if (file.exists(group + "/material"))
    terrain.material = file.read_integers<std::uint8_t>(group + "/material", cells, why);
  return terrain;
}

std::vector<std::array<double, 3>> read_points(const hdf5::InputFile& file, const std::string& path) {
  const hdf5::Dataset data = file.open_real(path);
  if (data.extent.size() != 2 || data.extent[1] != 3) file.fail_extent(data, "extent (points, 3)");
  file.check_written(data);
  std::vector<std::array<double, 3>> points;
  file.make_room(data, data.extent[0], points);
  file.read(data, {points.empty() ? nullptr : points[0].data(), 3 * points.size()});
  return points;
}

Mesh read_mesh(const hdf5::InputFile& file, std::size_t k) {
  const std::string group = "/meshes/" + std::to_string(k);
  Mesh mesh;
  mesh.vertices = read_points(file, group + "/vertices");
  const hdf5::Dataset triangles = file.open_integers(group + "/triangles");
  if (triangles.extent.size() != 2 || triangles.extent[1] != 3) file.fail_extent(triangles, "extent (triangles, 3)");
  const hsize_t count = triangles.extent[0];
  if (count > kMostTriangles) file.fail_extent(triangles, "at most " + std::to_string(kMostTriangles) + " triangles");
  file.check_written(triangles);
  file.make_room(triangles, count, mesh.triangles);
  if (count > 0) file.read_rows(triangles, 0, count, std::span(mesh.triangles[0].data(), 3 * count));
  if (file.exists(group + "/material"))
    mesh.material = file.read_integers<std::uint8_t>(group + "/material", std::array{count},
                                                     ", one entry for each triangle of " + triangles.path);
  if (file.has_attribute(group, "solid")) {
    const std::int64_t solid = file.integer_attribute(group, "solid");
    if (solid != 0 && solid != 1)
      file.fail(group + ": attribute 'solid' is " + std::to_string(solid) + ", but must be 0 or 1");
    mesh.solid = solid == 1;
  }
  return mesh;
}

// One array of `width` numbers for each part of a compound.
template <std::size_t Width>
std::vector<std::array<double, Width>> read_of_parts(const hdf5::InputFile& file, const std::string& group,
                                                     const char* name, std::size_t parts) {
  const hdf5::Dataset data = file.open_real(group + name);
  if (data.extent != std::vector<hsize_t>{parts, Width})
    file.fail_extent(data, "(" + std::to_string(parts) + ", " + std::to_string(Width) + "), one entry for each of " +
                               group + "/shape");
  std::vector<std::array<double, Width>> values;
  file.make_room(data, parts, values);
  file.read(data, {values.empty() ? nullptr : values[0].data(), Width * parts});
  return values;
}

std::vector<CompoundPart> read_compound(const hdf5::InputFile& file, std::size_t k) {
  const std::string group = "/compounds/" + std::to_string(k);
  const std::vector<std::uint8_t> shape = file.read_integer_list<std::uint8_t>(group + "/shape");
  const auto size = read_of_parts<3>(file, group, "/size", shape.size());
  const auto position = read_of_parts<3>(file, group, "/position", shape.size());
  const auto orientation = read_of_parts<4>(file, group, "/orientation", shape.size());
  std::vector<CompoundPart> parts;
  for (std::size_t i = 0; i < shape.size(); ++i)
    parts.push_back({static_cast<Shape>(shape[i]), size[i], position[i], orientation[i]});
  return parts;
}

Bodies read_bodies(const hdf5::InputFile& file) {
  Bodies bodies;
  const std::vector<std::uint8_t> shapes = file.read_integer_list<std::uint8_t>("/bodies/shape");
  bodies.shape.reserve(shapes.size());
  for (std::uint8_t shape : shapes) bodies.shape.push_back(static_cast<Shape>(shape));
  const hsize_t n = shapes.size();

  const hdf5::Dataset size = file.open_real("/bodies/size");
  if (size.extent != std::vector<hsize_t>{n, 3}) file.fail_extent(size, "(" + std::to_string(n) + ", 3)" + kPerBody);
  file.make_room(size, n, bodies.size);
  file.read(size, {n == 0 ? nullptr : bodies.size[0].data(), 3 * n});

  const auto optional = [&]<class Integer>(const char* path, std::vector<Integer>& to) {
    if (file.exists(path)) to = file.read_integers<Integer>(path, std::array{n}, kPerBody);
  };
  optional("/bodies/environment", bodies.environment);
  optional("/bodies/group", bodies.group);
  optional("/bodies/category", bodies.category);
  optional("/bodies/mask", bodies.mask);
  optional("/bodies/flags", bodies.flags);
  if (file.exists("/bodies/margin")) {
    const hdf5::Dataset margin = file.open_real("/bodies/margin");
    if (margin.extent != std::vector<hsize_t>{n}) file.fail_extent(margin, "(" + std::to_string(n) + ")" + kPerBody);
    file.make_room(margin, n, bodies.margin);
    file.read(margin, bodies.margin);
  }
  if (file.exists("/bodies/excluded")) {
    const hdf5::Dataset pairs = file.open_integers("/bodies/excluded");
    if (pairs.extent.size() != 2 || pairs.extent[1] != 2) file.fail_extent(pairs, "extent (pairs, 2)");
    file.check_written(pairs);
    file.make_room(pairs, pairs.extent[0], bodies.excluded);
    if (!bodies.excluded.empty())
      file.read_rows(pairs, 0, pairs.extent[0], std::span(bodies.excluded[0].data(), 2 * bodies.excluded.size()));
  }
  if (file.has_attribute("/bodies", "either_mask")) {
    const std::int64_t either = file.integer_attribute("/bodies", "either_mask");
    if (either != 0 && either != 1)
      file.fail("/bodies: attribute 'either_mask' is " + std::to_string(either) + ", but must be 0 or 1");
    bodies.either_mask = either == 1;
  }
  return bodies;
}

// What is wrong with the quaternion of an orientation.
std::string quaternion_fault(const double* q) {
  const double length2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  if (length2 > std::bit_cast<double>(std::uint64_t{LEAST_LENGTH2_BITS}) && std::isfinite(length2)) return {};
  return std::string("is a quaternion of ") + (length2 > 1.0 ? "infinite" : "zero") + " length";
}

// What is wrong with a displacement, and with a rotation.
std::string displacement_fault(const double* v) {
  return std::any_of(v, v + 3, [](double x) { return std::abs(x) > kFarthestMotion; }) ? "is beyond 1e9 m" : "";
}
std::string rotation_fault(const double* v) {
  return std::any_of(v, v + 3, [](double x) { return std::abs(x) > kFarthestRotation; }) ? "is beyond 1e7 rad" : "";
}

}  // namespace

// ------------------------------------------------------------------------------------------------------ SceneReader

struct SceneReader::State {
  explicit State(const std::string& name) : file(name) {}

  hdf5::InputFile file;
  Scene scene;
  std::optional<hdf5::FramedDataset> position, orientation, displacement, rotation;
  const hdf5::FramedDataset* framed = nullptr;  // one that has a frames axis, where there is any

  const hdf5::FramedDataset& open(std::optional<hdf5::FramedDataset>& to, const char* path, hsize_t width,
                                  hdf5::FramedDataset::Check check = nullptr) {
    const hdf5::FramedDataset& data = to.emplace(file, path, width, scene.bodies.count(), kPerBody, check);
    if (!data.has_frames()) return data;
    if (framed == nullptr) framed = &data;
    if (data.frames() != framed->frames())
      file.fail(data.path() + " has " + std::to_string(data.frames()) + " frames, but " + framed->path() + " has " +
                std::to_string(framed->frames()));
    return data;
  }
};

SceneReader::SceneReader(const std::string& name) {
  const hdf5::Session session;
  state_ = std::make_unique<State>(name);
  const hdf5::InputFile& file = state_->file;
  Scene& scene = state_->scene;
  check_header(file);
  const std::size_t terrains = file.count_numbered("/terrains", "terrains");
  for (std::size_t k = 0; k < terrains; ++k) scene.terrains.push_back(read_terrain(file, k));
  if (file.exists("/environments/terrain"))
    scene.environment_terrain = file.read_integer_list<std::int32_t>("/environments/terrain");
  const std::size_t hulls = file.count_numbered("/hulls", "hulls");
  for (std::size_t k = 0; k < hulls; ++k)
    scene.hulls.push_back(read_points(file, "/hulls/" + std::to_string(k) + "/vertices"));
  const std::size_t meshes = file.count_numbered("/meshes", "meshes");
  for (std::size_t k = 0; k < meshes; ++k) scene.meshes.push_back(read_mesh(file, k));
  const std::size_t compounds = file.count_numbered("/compounds", "compounds");
  for (std::size_t k = 0; k < compounds; ++k) scene.compounds.push_back(read_compound(file, k));
  scene.bodies = read_bodies(file);
  try {
    check(scene);
  } catch (const Error& error) {
    file.fail(std::string("/") + error.what());
  }

  // What has no frames axis holds for all frames.
  State& s = *state_;
  s.open(s.position, "/bodies/position", 3);
  s.open(s.orientation, "/bodies/orientation", 4, quaternion_fault);
  if (file.exists("/bodies/displacement")) s.open(s.displacement, "/bodies/displacement", 3, displacement_fault);
  if (file.exists("/bodies/rotation")) s.open(s.rotation, "/bodies/rotation", 3, rotation_fault);
}

SceneReader::~SceneReader() {
  const hdf5::Session session;
  state_.reset();
}

const Scene& SceneReader::scene() const {
  return state_->scene;
}
std::size_t SceneReader::frames() const {
  return has_frames() ? state_->framed->frames() : 1;
}
const hdf5::InputFile& SceneReader::file() const {
  return state_->file;
}

bool SceneReader::has_frames() const {
  return state_->framed != nullptr;
}
bool SceneReader::has_displacement() const {
  return state_->displacement.has_value();
}
bool SceneReader::has_rotation() const {
  return state_->rotation.has_value();
}

void SceneReader::read_frame(std::size_t index, Frame& frame) {
  state_->position->read(index, frame.position);
  state_->orientation->read(index, frame.orientation);
}

void SceneReader::read_motion(std::size_t index, FrameMotion& motion) {
  const auto read = [&](const std::optional<hdf5::FramedDataset>& from, std::vector<double>& to) {
    to.clear();
    if (from) from->read(index, to);
  };
  read(state_->displacement, motion.displacement);
  read(state_->rotation, motion.rotation);
}

// ------------------------------------------------------------------------------------------------------ SceneWriter

struct SceneWriter::State {
  explicit State(const std::string& name) : file(name) {}

  hdf5::OutputFile file;
  hdf5::Handle position, orientation, displacement, rotation;
  std::size_t frames = 0, bodies = 0;
  std::size_t written = 0;

  template <class Value>
  void put(const std::string& path, hid_t type, std::initializer_list<hsize_t> extent, hid_t memory_type,
           const Value* values) {
    hdf5::Handle data = file.make_dataset(path, type, std::vector<hsize_t>(extent));
    file.write(data, memory_type, values);
    file.close(data);
  }

  hdf5::Handle make_framed(const char* path, hsize_t width) {
    return file.make_dataset(path, H5T_IEEE_F64LE, std::array<hsize_t, 3>{frames, bodies, width});
  }
  // The next frame of one of these.
  void append(const hdf5::Handle& to, const char* name, std::span<const double> numbers, std::size_t width) {
    if (!to) return;
    if (numbers.size() != width * bodies)
      throw Error(ErrorKind::invalid_input, std::string(name) + " has " + std::to_string(numbers.size()) +
                                                " numbers for " + std::to_string(bodies) + " bodies");
    if (bodies > 0) file.write_row(to, H5T_NATIVE_DOUBLE, written, numbers.data());
  }

  template <class Value>
  void put_optional(const std::string& path, hid_t type, hid_t memory_type, const std::vector<Value>& values) {
    if (!values.empty()) put(path, type, {values.size()}, memory_type, values.data());
  }

  void put_compound(const std::vector<CompoundPart>& parts, std::size_t k) {
    const std::string group = "/compounds/" + std::to_string(k);
    std::vector<std::uint8_t> shape;
    std::vector<std::array<double, 3>> size, centre;
    std::vector<std::array<double, 4>> turn;
    for (const CompoundPart& part : parts) {
      shape.push_back(static_cast<std::uint8_t>(part.shape));
      size.push_back(part.size);
      centre.push_back(part.position);
      turn.push_back(part.orientation);
    }
    file.make_group(group);
    put(group + "/shape", H5T_STD_U8LE, {parts.size()}, H5T_NATIVE_UINT8, shape.data());
    put(group + "/size", H5T_IEEE_F64LE, {parts.size(), 3}, H5T_NATIVE_DOUBLE, size.data());
    put(group + "/position", H5T_IEEE_F64LE, {parts.size(), 3}, H5T_NATIVE_DOUBLE, centre.data());
    put(group + "/orientation", H5T_IEEE_F64LE, {parts.size(), 4}, H5T_NATIVE_DOUBLE, turn.data());
  }

  void put_mesh(const Mesh& mesh, std::size_t k) {
    const std::string group = "/meshes/" + std::to_string(k);
    file.make_group(group);
    file.write_attribute(group, "solid", std::int64_t{mesh.solid});
    put(group + "/vertices", H5T_IEEE_F64LE, {mesh.vertices.size(), 3}, H5T_NATIVE_DOUBLE, mesh.vertices.data());
    put(group + "/triangles", H5T_STD_U32LE, {mesh.triangles.size(), 3}, H5T_NATIVE_UINT32, mesh.triangles.data());
    put_optional(group + "/material", H5T_STD_U8LE, H5T_NATIVE_UINT8, mesh.material);
  }

  void put_terrain(const Terrain& terrain, std::size_t k, HeightType heights) {
    const std::string group = "/terrains/" + std::to_string(k);
    file.make_group(group);
    const hid_t type = heights == HeightType::float64 ? H5T_IEEE_F64LE : H5T_IEEE_F32LE;
    put(group + "/heights", type, {terrain.rows, terrain.cols}, H5T_NATIVE_DOUBLE, terrain.heights.data());
    file.write_attribute(group + "/heights", "origin", terrain.origin);
    file.write_attribute(group + "/heights", "spacing", terrain.spacing);
    const auto cells = [&](const char* name, const std::vector<std::uint8_t>& values) {
      if (!values.empty())
        put(group + name, H5T_STD_U8LE, {terrain.rows - 1, terrain.cols - 1}, H5T_NATIVE_UINT8, values.data());
    };
    const Terrain otherwise;
    if (terrain.group != otherwise.group) file.write_attribute(group, "group", std::int64_t{terrain.group});
    if (terrain.category != otherwise.category) file.write_attribute(group, "category", std::int64_t{terrain.category});
    if (terrain.mask != otherwise.mask) file.write_attribute(group, "mask", std::int64_t{terrain.mask});
    if (terrain.tile_of != otherwise.tile_of) file.write_attribute(group, "tile_of", std::int64_t{terrain.tile_of});
    if (terrain.diagonal != otherwise.diagonal)
      file.write_attribute(group, "diagonal", static_cast<std::int64_t>(terrain.diagonal));
    cells("/holes", terrain.holes);
    cells("/material", terrain.material);
  }
};

SceneWriter::SceneWriter(const std::string& name, const Scene& scene, std::size_t frames, HeightType heights) {
  const hdf5::Session session;
  state_ = std::make_unique<State>(name);
  State& s = *state_;
  s.frames = frames;
  s.file.write_attribute("/", "format", std::string(kFormat));
  s.file.write_attribute("/", "version", kVersion);
  if (!scene.terrains.empty()) s.file.make_group("/terrains");
  for (std::size_t k = 0; k < scene.terrains.size(); ++k) s.put_terrain(scene.terrains[k], k, heights);
  if (!scene.environment_terrain.empty()) s.file.make_group("/environments");
  s.put_optional("/environments/terrain", H5T_STD_I32LE, H5T_NATIVE_INT32, scene.environment_terrain);

  if (!scene.hulls.empty()) s.file.make_group("/hulls");
  for (std::size_t k = 0; k < scene.hulls.size(); ++k) {
    const std::string group = "/hulls/" + std::to_string(k);
    s.file.make_group(group);
    s.put(group + "/vertices", H5T_IEEE_F64LE, {scene.hulls[k].size(), 3}, H5T_NATIVE_DOUBLE, scene.hulls[k].data());
  }

  if (!scene.meshes.empty()) s.file.make_group("/meshes");
  for (std::size_t k = 0; k < scene.meshes.size(); ++k) s.put_mesh(scene.meshes[k], k);

  if (!scene.compounds.empty()) s.file.make_group("/compounds");
  for (std::size_t k = 0; k < scene.compounds.size(); ++k) s.put_compound(scene.compounds[k], k);

  const Bodies& bodies = scene.bodies;
  const hsize_t n = bodies.count();
  s.file.make_group("/bodies");
  s.put("/bodies/shape", H5T_STD_U8LE, {n}, H5T_NATIVE_UINT8, bodies.shape.data());
  s.put("/bodies/size", H5T_IEEE_F64LE, {n, 3}, H5T_NATIVE_DOUBLE, bodies.size.data());
  s.put_optional("/bodies/environment", H5T_STD_U32LE, H5T_NATIVE_UINT32, bodies.environment);
  s.put_optional("/bodies/group", H5T_STD_I32LE, H5T_NATIVE_INT32, bodies.group);
  s.put_optional("/bodies/category", H5T_STD_U32LE, H5T_NATIVE_UINT32, bodies.category);
  s.put_optional("/bodies/mask", H5T_STD_U32LE, H5T_NATIVE_UINT32, bodies.mask);
  s.put_optional("/bodies/flags", H5T_STD_U32LE, H5T_NATIVE_UINT32, bodies.flags);
  s.put_optional("/bodies/margin", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, bodies.margin);
  if (!bodies.excluded.empty())
    s.put("/bodies/excluded", H5T_STD_U32LE, {bodies.excluded.size(), 2}, H5T_NATIVE_UINT32, bodies.excluded.data());
  if (bodies.either_mask) s.file.write_attribute("/bodies", "either_mask", std::int64_t{1});
  s.bodies = n;
  s.position = s.make_framed("/bodies/position", 3);
  s.orientation = s.make_framed("/bodies/orientation", 4);
}

SceneWriter::~SceneWriter() {
  const hdf5::Session session;
  state_.reset();
}

hdf5::OutputFile& SceneWriter::file() {
  return state_->file;
}

void SceneWriter::with_motion(bool displacement, bool rotation) {
  const hdf5::Session session;
  State& s = *state_;
  if (displacement) s.displacement = s.make_framed("/bodies/displacement", 3);
  if (rotation) s.rotation = s.make_framed("/bodies/rotation", 3);
}

void SceneWriter::append(const Poses& poses, const Motion& motion) {
  State& s = *state_;
  if (s.written == s.frames) throw Error(ErrorKind::invalid_input, "more frames than the scene file was opened for");
  s.append(s.position, "position", poses.position, 3);
  s.append(s.orientation, "orientation", poses.orientation, 4);
  s.append(s.displacement, "displacement", motion.displacement, 3);
  s.append(s.rotation, "rotation", motion.rotation, 3);
  ++s.written;
}

void SceneWriter::finish() {
  const hdf5::Session session;
  State& s = *state_;
  if (s.written != s.frames) throw Error(ErrorKind::invalid_input, "fewer frames than the scene file was opened for");
  for (hdf5::Handle* data : {&s.position, &s.orientation, &s.displacement, &s.rotation}) s.file.close(*data);
  s.file.commit();
}

std::string note_of_unused(const std::string& file, const Scene& scene) {
  const std::string note = note_of_unused(scene);
  return note.empty() ? note : file + ": " + note;
}

}  // namespace oclide
