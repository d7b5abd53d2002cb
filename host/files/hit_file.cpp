#include "files/hit_file.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "files/hdf5_file.hpp"

namespace oclide {
namespace {

void write_header(hdf5::OutputFile& file, const char* format, const std::string& device, const std::string& scene) {
  file.write_attribute("/", "format", std::string(format));
  file.write_attribute("/", "version", std::int64_t{1});
  file.write_attribute("/", "device", device);
  file.write_attribute("/", "scene", scene);
}

void check_header(const hdf5::InputFile& file, const std::string& format) {
  const std::string found = file.text_attribute("/", "format");
  if (found != format) file.fail("/: attribute 'format' is '" + found + "', but must be '" + format + "'");
  const std::int64_t version = file.integer_attribute("/", "version");
  if (version != 1)
    file.fail("/: attribute 'version' is " + std::to_string(version) + ", but this program reads version 1");
}

std::string extent_text(std::span<const hsize_t> extent) {
  std::string text;
  for (const hsize_t n : extent) text += (text.empty() ? "(" : ", ") + std::to_string(n);
  return text + ")";
}

// A column of this extent, of whole or real numbers.
hdf5::Dataset open_column(const hdf5::InputFile& file, const char* path, bool whole, std::vector<hsize_t> extent,
                          const std::string& of) {
  hdf5::Dataset column = whole ? file.open_integers(path) : file.open_real(path);
  if (column.extent != extent) file.fail_extent(column, extent_text(extent) + ", one entry for each of " + of);
  return column;
}

std::array<float, 3> floats_of(const double* v) {
  return {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
}

}  // namespace

// -------------------------------------------------------------------------------------------------------- HitWriter

struct HitWriter::State {
  explicit State(const std::string& name) : file(name) {}

  hdf5::OutputFile file;
  hdf5::Handle distance, body, point, normal, element, material, shape;
  std::size_t frames = 0, rays = 0, written = 0;

  hdf5::Handle make(const char* path, hid_t type, hsize_t width = 0) {
    std::vector<hsize_t> extent{frames, rays};
    if (width > 0) extent.push_back(width);
    return file.make_dataset(path, type, extent);
  }

  // One member of all hits as the next row of its dataset.
  template <class Value>
  void put(const hdf5::Handle& dataset, hid_t memory_type, std::span<const Hit> hits, Value Hit::*member) {
    std::vector<Value> column;
    column.reserve(hits.size());
    for (const Hit& hit : hits) column.push_back(hit.*member);
    file.write_row(dataset, memory_type, written, column.data());
  }
};

HitWriter::HitWriter(const std::string& name, const std::string& device, const std::string& scene, std::size_t frames,
                     std::size_t rays, bool with_shapes) {
  const hdf5::Session session;
  state_ = std::make_unique<State>(name);
  State& s = *state_;
  s.frames = frames;
  s.rays = rays;
  write_header(s.file, "oclide-hits", device, scene);
  s.file.make_group("/hits");
  s.distance = s.make("/hits/distance", H5T_IEEE_F64LE);
  s.body = s.make("/hits/body", H5T_STD_U32LE);
  s.point = s.make("/hits/point", H5T_IEEE_F64LE, 3);
  s.normal = s.make("/hits/normal", H5T_IEEE_F64LE, 3);
  s.element = s.make("/hits/element", H5T_STD_U32LE);
  s.material = s.make("/hits/material", H5T_STD_U8LE);
  if (with_shapes) s.shape = s.make("/hits/shape", H5T_STD_U16LE);
}

HitWriter::~HitWriter() {
  const hdf5::Session session;
  state_.reset();
}

void HitWriter::append(std::span<const Hit> hits) {
  State& s = *state_;
  if (s.written == s.frames || hits.size() != s.rays)
    throw Error(ErrorKind::invalid_input, "more frames or other rays than the hits file was opened for");
  if (!hits.empty()) {
    s.put(s.distance, H5T_NATIVE_DOUBLE, hits, &Hit::distance);
    s.put(s.body, H5T_NATIVE_UINT32, hits, &Hit::body);
    s.put(s.point, H5T_NATIVE_DOUBLE, hits, &Hit::point);
    s.put(s.normal, H5T_NATIVE_FLOAT, hits, &Hit::normal);
    s.put(s.element, H5T_NATIVE_UINT32, hits, &Hit::element);
    s.put(s.material, H5T_NATIVE_UINT8, hits, &Hit::material);
    if (s.shape) s.put(s.shape, H5T_NATIVE_UINT16, hits, &Hit::shape);
  }
  ++s.written;
}

void HitWriter::finish() {
  const hdf5::Session session;
  State& s = *state_;
  if (s.written != s.frames) throw Error(ErrorKind::invalid_input, "fewer frames than the hits file was opened for");
  for (hdf5::Handle* dataset : {&s.distance, &s.body, &s.point, &s.normal, &s.element, &s.material, &s.shape})
    s.file.close(*dataset);
  s.file.commit();
}

// -------------------------------------------------------------------------------------------------------- HitReader

struct HitReader::State {
  explicit State(const std::string& name) : file(name) {}

  hdf5::InputFile file;
  std::size_t frames = 0, rays = 0;
  hdf5::Dataset distance, body, point, normal, element, material, shape;
  bool has_shapes = false;

  // Row `index` of a column, `width` values a ray, for `put(hit, values)`.
  template <class Value, class Put>
  void read(const hdf5::Dataset& from, std::size_t index, std::size_t width, std::vector<Hit>& hits,
            const Put& put) const {
    std::vector<Value> values;
    file.make_room(from, width * rays, values);
    file.read_rows(from, index, 1, std::span(values));
    for (std::size_t i = 0; i < rays; ++i) put(hits[i], values.data() + width * i);
  }
};

HitReader::HitReader(const std::string& name) {
  const hdf5::Session session;
  state_ = std::make_unique<State>(name);
  State& s = *state_;
  check_header(s.file, "oclide-hits");
  s.distance = s.file.open_real("/hits/distance");
  if (s.distance.extent.size() != 2) s.file.fail_extent(s.distance, "(frames, rays)");
  s.frames = s.distance.extent[0];
  s.rays = s.distance.extent[1];
  const auto open = [&](const char* path, bool whole, hsize_t width) {
    std::vector<hsize_t> extent = s.distance.extent;
    if (width > 0) extent.push_back(width);
    return open_column(s.file, path, whole, extent, "/hits/distance");
  };
  s.body = open("/hits/body", true, 0);
  s.point = open("/hits/point", false, 3);
  s.normal = open("/hits/normal", false, 3);
  s.element = open("/hits/element", true, 0);
  s.material = open("/hits/material", true, 0);
  s.has_shapes = s.file.exists("/hits/shape");
  if (s.has_shapes) s.shape = open("/hits/shape", true, 0);
}

HitReader::~HitReader() {
  const hdf5::Session session;
  state_.reset();
}

std::size_t HitReader::frames() const {
  return state_->frames;
}
std::size_t HitReader::rays() const {
  return state_->rays;
}

void HitReader::read_frame(std::size_t index, std::vector<Hit>& hits) const {
  const hdf5::Session session;
  const State& s = *state_;
  hits.clear();
  s.file.make_room(s.distance, s.rays, hits);
  if (s.rays == 0) return;
  s.read<double>(s.distance, index, 1, hits, [](Hit& h, const double* v) { h.distance = *v; });
  s.read<std::uint32_t>(s.body, index, 1, hits, [](Hit& h, const std::uint32_t* v) { h.body = *v; });
  s.read<double>(s.point, index, 3, hits, [](Hit& h, const double* v) { h.point = {v[0], v[1], v[2]}; });
  s.read<double>(s.normal, index, 3, hits, [](Hit& h, const double* v) { h.normal = floats_of(v); });
  s.read<std::uint32_t>(s.element, index, 1, hits, [](Hit& h, const std::uint32_t* v) { h.element = *v; });
  s.read<std::uint8_t>(s.material, index, 1, hits, [](Hit& h, const std::uint8_t* v) { h.material = *v; });
  if (s.has_shapes)
    s.read<std::uint16_t>(s.shape, index, 1, hits, [](Hit& h, const std::uint16_t* v) { h.shape = *v; });
}

// ------------------------------------------------------------------------------------------------------- PathWriter

struct PathWriter::State {
  explicit State(const std::string& name) : file(name) {}

  hdf5::OutputFile file;

  template <class Value>
  void put(const char* path, hid_t type, hid_t memory_type, const std::vector<Value>& values, hsize_t width = 0) {
    std::vector<hsize_t> extent{values.size()};
    if (width > 0) extent.push_back(width);
    hdf5::Handle data = file.make_dataset(path, type, extent);
    if (!values.empty()) file.write(data, memory_type, values.data());
    file.close(data);
  }
  // One member of all points.
  template <class Value>
  void put(const char* path, hid_t type, hid_t memory_type, const Paths& paths, Value PathPoint::*member,
           hsize_t width = 0) {
    std::vector<Value> column;
    column.reserve(paths.points.size());
    for (const PathPoint& point : paths.points) column.push_back(point.*member);
    put(path, type, memory_type, column, width);
  }
};

PathWriter::PathWriter(const std::string& name, const std::string& device, const std::string& scene) {
  const hdf5::Session session;
  state_ = std::make_unique<State>(name);
  write_header(state_->file, "oclide-paths", device, scene);
  state_->file.make_group("/paths");
}

PathWriter::~PathWriter() {
  const hdf5::Session session;
  state_.reset();
}

void PathWriter::write(const Paths& paths) {
  const hdf5::Session session;
  State& s = *state_;
  s.put("/paths/offset", H5T_STD_U64LE, H5T_NATIVE_UINT64, paths.offset);
  s.put("/paths/point", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, paths, &PathPoint::point, 3);
  s.put("/paths/normal", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, paths, &PathPoint::normal, 3);
  s.put("/paths/body", H5T_STD_U32LE, H5T_NATIVE_UINT32, paths, &PathPoint::body);
  s.put("/paths/displacement", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, paths.displacement, 3);
  s.put("/paths/outgoing", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, paths.outgoing, 3);
  std::vector<std::uint8_t> end;
  for (const PathEnd e : paths.end) end.push_back(static_cast<std::uint8_t>(e));
  s.put("/paths/end", H5T_STD_U8LE, H5T_NATIVE_UINT8, end);
  s.file.commit();
}

Paths read_paths(const std::string& name) {
  const hdf5::Session session;
  const hdf5::InputFile file(name);
  check_header(file, "oclide-paths");
  Paths paths;
  const hdf5::Dataset offset = file.open_integers("/paths/offset");
  if (offset.extent.size() != 1 || offset.extent[0] == 0) file.fail_extent(offset, "one axis of paths + 1 entries");
  file.make_room(offset, offset.count(), paths.offset);
  file.read_rows(offset, 0, offset.count(), std::span(paths.offset));
  if (paths.offset[0] != 0) file.fail("/paths/offset[0] must be 0, got " + std::to_string(paths.offset[0]));
  for (std::size_t k = 1; k < paths.offset.size(); ++k)
    if (paths.offset[k] < paths.offset[k - 1])
      file.fail("/paths/offset[" + std::to_string(k) + "] is less than the entry before");
  const hsize_t count = paths.offset.back();
  const std::string of = "/paths/offset's points";
  const hdf5::Dataset point = open_column(file, "/paths/point", false, {count, 3}, of);
  const hdf5::Dataset normal = open_column(file, "/paths/normal", false, {count, 3}, of);
  const hdf5::Dataset body = open_column(file, "/paths/body", true, {count}, of);
  file.make_room(point, count, paths.points);
  if (count == 0) return paths;
  std::vector<double> numbers;
  file.make_room(point, 3 * count, numbers);
  file.read(point, numbers);
  for (std::size_t i = 0; i < count; ++i)
    paths.points[i].point = {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
  file.read(normal, numbers);
  for (std::size_t i = 0; i < count; ++i) paths.points[i].normal = floats_of(numbers.data() + 3 * i);
  std::vector<std::uint32_t> bodies(count);
  file.read_rows(body, 0, count, std::span(bodies));
  for (std::size_t i = 0; i < count; ++i) paths.points[i].body = bodies[i];
  return paths;
}

}  // namespace oclide
