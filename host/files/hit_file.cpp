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

}  // namespace oclide
