#include "files/contact_file.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "files/hdf5_file.hpp"

namespace oclide {
namespace {

// Contacts that are turned into columns and written at once, and a chunk of the file. Smaller: more calls and index
// entries; larger: more memory, and more unused room in a file of few contacts.
constexpr std::size_t kBlock = 4096;
constexpr hsize_t kOffsetChunk = 1024;

constexpr const char* kFormat = "oclide-contacts";
constexpr std::int64_t kVersion = 1;

// One dataset of a file and the block of its values that is on the way there.
template <class Value>
struct Column {
  hdf5::Handle dataset;
  hid_t memory_type = H5I_INVALID_HID;
  std::vector<Value> block;
};

// The datasets of ContactWriter::with_tracking().
struct Tracking {
  std::uint64_t total = 0;
  hdf5::Handle contact_previous, frame_offset;
  Column<std::uint32_t> body_a, body_b;
  Column<std::uint16_t> shape_a, shape_b;
  Column<std::uint8_t> change;
  Column<std::uint32_t> manifold, previous;

  template <class Function>
  void for_each_column(Function&& function) {
    function(body_a);
    function(body_b);
    function(shape_a);
    function(shape_b);
    function(change);
    function(manifold);
    function(previous);
  }
};

// The datasets of ContactWriter::with_impacts().
struct ImpactColumns {
  std::uint64_t total = 0;
  hdf5::Handle frame_offset;
  bool has_shapes = false;
  Column<std::uint32_t> body_a, body_b;
  Column<double> time;
  Column<std::array<double, 3>> point;
  Column<std::array<float, 3>> normal;
  Column<std::uint32_t> feature;
  Column<std::uint8_t> material;
  Column<std::uint32_t> element;
  Column<std::uint16_t> shape_a, shape_b;  // of scenes with compounds

  // With the member of an impact that it has.
  template <class Function>
  void for_each_column(Function&& function) {
    function(body_a, &Impact::body_a);
    function(body_b, &Impact::body_b);
    function(time, &Impact::time);
    function(point, &Impact::point);
    function(normal, &Impact::normal);
    function(feature, &Impact::feature);
    function(material, &Impact::material);
    function(element, &Impact::element);
    if (!has_shapes) return;
    function(shape_a, &Impact::shape_a);
    function(shape_b, &Impact::shape_b);
  }
};

}  // namespace

// ---------------------------------------------------------------------------------------------------- ContactWriter

struct ContactWriter::State {
  explicit State(const std::string& name) : file(name) {}

  hdf5::OutputFile file;
  std::uint64_t total = 0;
  hdf5::Handle frame_offset;
  Column<std::uint32_t> body_a;
  Column<std::uint32_t> body_b;
  Column<std::array<double, 3>> point;
  Column<std::array<float, 3>> normal;
  Column<float> depth;
  Column<std::uint32_t> manifold;
  Column<std::uint32_t> feature;
  Column<std::uint8_t> material;

  template <class Value>
  void make(Column<Value>& column, const char* path, hid_t type, hid_t memory_type, hsize_t width) {
    column.dataset = file.make_growing_dataset(path, type, width, kBlock);
    column.memory_type = memory_type;
    column.block.reserve(kBlock);
  }

  // What is in its block, at its end.
  template <class Value>
  void append_block_of(const Column<Value>& column) {
    file.append(column.dataset, column.memory_type, column.block.size(), column.block.data());
  }

  template <class Function>
  void for_each_column(Function&& function) {
    function(body_a);
    function(body_b);
    function(point);
    function(normal);
    function(depth);
    function(manifold);
    function(feature);
    function(material);
  }

  // Of with_shapes().
  struct Shapes {
    Column<std::uint16_t> shape_a, shape_b;
  };
  std::optional<Shapes> shapes;

  void append_shapes(std::span<const Contact> contacts) {
    const auto append = [&](Column<std::uint16_t>& column, std::uint16_t Contact::*shape) {
      column.block.clear();
      for (const Contact& c : contacts) column.block.push_back(c.*shape);
      append_block_of(column);
    };
    append(shapes->shape_a, &Contact::shape_a);
    append(shapes->shape_b, &Contact::shape_b);
  }

  std::optional<Column<std::uint8_t>> flags;     // of with_flags()
  std::optional<Column<std::uint32_t>> element;  // of with_elements()

  void append_flags(std::span<const Contact> contacts) {
    flags->block.clear();
    for (const Contact& c : contacts) flags->block.push_back(c.flags);
    append_block_of(*flags);
  }

  void append_elements(std::span<const Contact> contacts) {
    element->block.clear();
    for (const Contact& c : contacts) element->block.push_back(c.element);
    append_block_of(*element);
  }

  // Of with_tracking().
  std::optional<Tracking> tracking;

  void append_tracking(const FrameContacts& frame) {
    Tracking& t = *tracking;
    file.append(t.contact_previous, H5T_NATIVE_UINT32, frame.previous.size(), frame.previous.data());
    for (std::size_t i = 0; i < frame.events.size(); i += kBlock) {
      t.for_each_column([](auto& column) { column.block.clear(); });
      const std::size_t end = std::min(frame.events.size(), i + kBlock);
      for (std::size_t k = i; k < end; ++k) {
        const ManifoldEvent& e = frame.events[k];
        t.body_a.block.push_back(e.body_a);
        t.body_b.block.push_back(e.body_b);
        t.shape_a.block.push_back(e.shape_a);
        t.shape_b.block.push_back(e.shape_b);
        t.change.block.push_back(static_cast<std::uint8_t>(e.change));
        t.manifold.block.push_back(e.manifold);
        t.previous.block.push_back(e.previous);
      }
      t.for_each_column([&](auto& column) { append_block_of(column); });
    }
    t.total += frame.events.size();
    file.append(t.frame_offset, H5T_NATIVE_UINT64, 1, &t.total);
  }

  // Of with_impacts().
  std::optional<ImpactColumns> impacts;

  void append_impacts(std::span<const Impact> found) {
    for (std::size_t i = 0; i < found.size(); i += kBlock) {
      const std::span<const Impact> some = found.subspan(i, std::min(kBlock, found.size() - i));
      impacts->for_each_column([&](auto& column, auto member) {
        column.block.clear();
        for (const Impact& impact : some) column.block.push_back(impact.*member);
        append_block_of(column);
      });
    }
    impacts->total += found.size();
    file.append(impacts->frame_offset, H5T_NATIVE_UINT64, 1, &impacts->total);
  }

  void append_block(std::span<const Contact> contacts) {
    for_each_column([](auto& column) { column.block.clear(); });
    for (const Contact& c : contacts) {
      body_a.block.push_back(c.body_a);
      body_b.block.push_back(c.body_b);
      point.block.push_back(c.point);
      normal.block.push_back(c.normal);
      depth.block.push_back(c.depth);
      manifold.block.push_back(c.manifold);
      feature.block.push_back(c.feature);
      material.block.push_back(c.material);
    }
    for_each_column([&](auto& column) { append_block_of(column); });
    if (shapes) append_shapes(contacts);
    if (element) append_elements(contacts);
    if (flags) append_flags(contacts);
  }
};

ContactWriter::ContactWriter(const std::string& name, const std::string& device, const std::string& scene) {
  const hdf5::Session session;
  state_ = std::make_unique<State>(name);
  State& s = *state_;
  s.file.write_attribute("/", "format", std::string(kFormat));
  s.file.write_attribute("/", "version", kVersion);
  s.file.write_attribute("/", "device", device);
  s.file.write_attribute("/", "scene", scene);
  s.file.make_group("/contacts");
  s.frame_offset = s.file.make_growing_dataset("/frame_offset", H5T_STD_U64LE, 0, kOffsetChunk);
  s.file.append(s.frame_offset, H5T_NATIVE_UINT64, 1, &s.total);
  s.make(s.body_a, "/contacts/body_a", H5T_STD_U32LE, H5T_NATIVE_UINT32, 0);
  s.make(s.body_b, "/contacts/body_b", H5T_STD_U32LE, H5T_NATIVE_UINT32, 0);
  s.make(s.point, "/contacts/point", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 3);
  s.make(s.normal, "/contacts/normal", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 3);
  s.make(s.depth, "/contacts/depth", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 0);
  s.make(s.manifold, "/contacts/manifold", H5T_STD_U32LE, H5T_NATIVE_UINT32, 0);
  s.make(s.feature, "/contacts/feature", H5T_STD_U32LE, H5T_NATIVE_UINT32, 0);
  s.make(s.material, "/contacts/material", H5T_STD_U8LE, H5T_NATIVE_UINT8, 0);
}

void ContactWriter::with_tracking() {
  const hdf5::Session session;
  State& s = *state_;
  Tracking& t = s.tracking.emplace();
  t.contact_previous = s.file.make_growing_dataset("/contacts/previous", H5T_STD_U32LE, 0, kBlock);
  s.file.make_group("/events");
  t.frame_offset = s.file.make_growing_dataset("/events/frame_offset", H5T_STD_U64LE, 0, kOffsetChunk);
  s.file.append(t.frame_offset, H5T_NATIVE_UINT64, 1, &t.total);
  s.make(t.body_a, "/events/body_a", H5T_STD_U32LE, H5T_NATIVE_UINT32, 0);
  s.make(t.body_b, "/events/body_b", H5T_STD_U32LE, H5T_NATIVE_UINT32, 0);
  s.make(t.shape_a, "/events/shape_a", H5T_STD_U16LE, H5T_NATIVE_UINT16, 0);
  s.make(t.shape_b, "/events/shape_b", H5T_STD_U16LE, H5T_NATIVE_UINT16, 0);
  s.make(t.change, "/events/change", H5T_STD_U8LE, H5T_NATIVE_UINT8, 0);
  s.make(t.manifold, "/events/manifold", H5T_STD_U32LE, H5T_NATIVE_UINT32, 0);
  s.make(t.previous, "/events/previous", H5T_STD_U32LE, H5T_NATIVE_UINT32, 0);
}

void ContactWriter::with_impacts() {
  const hdf5::Session session;
  State& s = *state_;
  ImpactColumns& i = s.impacts.emplace();
  s.file.make_group("/impacts");
  i.frame_offset = s.file.make_growing_dataset("/impacts/frame_offset", H5T_STD_U64LE, 0, kOffsetChunk);
  s.file.append(i.frame_offset, H5T_NATIVE_UINT64, 1, &i.total);
  s.make(i.body_a, "/impacts/body_a", H5T_STD_U32LE, H5T_NATIVE_UINT32, 0);
  s.make(i.body_b, "/impacts/body_b", H5T_STD_U32LE, H5T_NATIVE_UINT32, 0);
  s.make(i.time, "/impacts/time", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 0);
  s.make(i.point, "/impacts/point", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 3);
  s.make(i.normal, "/impacts/normal", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 3);
  s.make(i.feature, "/impacts/feature", H5T_STD_U32LE, H5T_NATIVE_UINT32, 0);
  s.make(i.material, "/impacts/material", H5T_STD_U8LE, H5T_NATIVE_UINT8, 0);
  s.make(i.element, "/impacts/element", H5T_STD_U32LE, H5T_NATIVE_UINT32, 0);
  i.has_shapes = s.shapes.has_value();
  if (!i.has_shapes) return;
  s.make(i.shape_a, "/impacts/shape_a", H5T_STD_U16LE, H5T_NATIVE_UINT16, 0);
  s.make(i.shape_b, "/impacts/shape_b", H5T_STD_U16LE, H5T_NATIVE_UINT16, 0);
}

ContactWriter::~ContactWriter() {
  const hdf5::Session session;
  state_.reset();
}

void ContactWriter::with_shapes() {
  const hdf5::Session session;
  State::Shapes& shapes = state_->shapes.emplace();
  state_->make(shapes.shape_a, "/contacts/shape_a", H5T_STD_U16LE, H5T_NATIVE_UINT16, 0);
  state_->make(shapes.shape_b, "/contacts/shape_b", H5T_STD_U16LE, H5T_NATIVE_UINT16, 0);
}

void ContactWriter::with_elements() {
  const hdf5::Session session;
  state_->make(state_->element.emplace(), "/contacts/element", H5T_STD_U32LE, H5T_NATIVE_UINT32, 0);
}

void ContactWriter::with_flags() {
  const hdf5::Session session;
  state_->make(state_->flags.emplace(), "/contacts/flags", H5T_STD_U8LE, H5T_NATIVE_UINT8, 0);
}

void ContactWriter::append(std::span<const Contact> contacts) {
  State& s = *state_;
  for (std::size_t i = 0; i < contacts.size(); i += kBlock)
    s.append_block(contacts.subspan(i, std::min(kBlock, contacts.size() - i)));
  s.total += contacts.size();
  s.file.append(s.frame_offset, H5T_NATIVE_UINT64, 1, &s.total);
}

void ContactWriter::append_tracking(const FrameContacts& frame) {
  state_->append_tracking(frame);
}

void ContactWriter::append_impacts(std::span<const Impact> impacts) {
  state_->append_impacts(impacts);
}

void ContactWriter::finish() {
  const hdf5::Session session;
  State& s = *state_;
  if (s.impacts) {
    s.impacts->for_each_column([&](auto& column, auto) { s.file.close(column.dataset); });
    s.file.close(s.impacts->frame_offset);
  }
  if (s.tracking) {
    s.tracking->for_each_column([&](auto& column) { s.file.close(column.dataset); });
    s.file.close(s.tracking->contact_previous);
    s.file.close(s.tracking->frame_offset);
  }
  s.for_each_column([&](auto& column) { s.file.close(column.dataset); });
  if (s.shapes) {
    s.file.close(s.shapes->shape_a.dataset);
    s.file.close(s.shapes->shape_b.dataset);
  }
  if (s.element) s.file.close(s.element->dataset);
  if (s.flags) s.file.close(s.flags->dataset);
  s.file.close(s.frame_offset);
  s.file.commit();
}

// ---------------------------------------------------------------------------------------------------- ContactReader

// What stands in /impacts.
struct ImpactDatasets {
  std::vector<std::uint64_t> frame_offset;
  hdf5::Dataset body_a, body_b, time, point, normal, feature, material, element;
  hdf5::Dataset shape_a, shape_b;
  bool has_shapes = false;
};

struct ContactReader::State {
  explicit State(const std::string& name) : file(name) {}

  hdf5::InputFile file;
  std::string device, scene;
  std::vector<std::uint64_t> frame_offset;
  hdf5::Dataset body_a, body_b, point, normal, depth, manifold, feature, material;
  hdf5::Dataset shape_a, shape_b, element, flags;
  bool has_shapes = false, has_elements = false, has_flags = false;

  std::optional<ImpactDatasets> impacts;

  void read_offsets(const char* path, std::vector<std::uint64_t>& offset) const {
    const hdf5::Dataset offsets = file.open_integers(path);
    if (offsets.extent.size() != 1 || offsets.extent[0] == 0)
      file.fail_extent(offsets, "one axis of frames + 1 entries");
    file.make_room(offsets, offsets.count(), offset);
    file.read_rows(offsets, 0, offsets.count(), std::span(offset));
    if (offset[0] != 0) file.fail(std::string(path) + "[0] must be 0, got " + std::to_string(offset[0]));
    for (std::size_t f = 1; f < offset.size(); ++f)
      if (offset[f] < offset[f - 1])
        file.fail(std::string(path) + "[" + std::to_string(f) + "] is less than the entry before");
  }

  // A column of `rows` entries, whole or real numbers. `columns` 0: no second axis.
  void open(hdf5::Dataset& column, const char* path, bool whole, hsize_t columns, hsize_t rows, const char* of) const {
    column = whole ? file.open_integers(path) : file.open_real(path);
    std::vector<hsize_t> wanted{rows};
    if (columns > 0) wanted.push_back(columns);
    if (column.extent == wanted) return;
    const std::string count = std::to_string(rows);
    file.fail_extent(column, (columns == 0 ? count : "(" + count + ", " + std::to_string(columns) + ")") +
                                 ", one entry for each " + of);
  }

  void open_impacts() {
    ImpactDatasets& i = impacts.emplace();
    read_offsets("/impacts/frame_offset", i.frame_offset);
    if (i.frame_offset.size() != frame_offset.size())
      file.fail("/impacts/frame_offset has " + std::to_string(i.frame_offset.size()) +
                " entries, but /frame_offset has " + std::to_string(frame_offset.size()));
    const auto column = [&](hdf5::Dataset& to, const char* path, bool whole, hsize_t columns) {
      open(to, path, whole, columns, i.frame_offset.back(), "impact of /impacts/frame_offset");
    };
    column(i.body_a, "/impacts/body_a", true, 0);
    column(i.body_b, "/impacts/body_b", true, 0);
    column(i.time, "/impacts/time", false, 0);
    column(i.point, "/impacts/point", false, 3);
    column(i.normal, "/impacts/normal", false, 3);
    column(i.feature, "/impacts/feature", true, 0);
    column(i.material, "/impacts/material", true, 0);
    column(i.element, "/impacts/element", true, 0);
    i.has_shapes = file.exists("/impacts/shape_a") || file.exists("/impacts/shape_b");
    if (!i.has_shapes) return;
    column(i.shape_a, "/impacts/shape_a", true, 0);
    column(i.shape_b, "/impacts/shape_b", true, 0);
  }

  // Rows of a column, each of `width` values, for `put(record, values)`.
  template <class Record, class Value, class Put>
  void read_column(const hdf5::Dataset& from, std::size_t first, std::size_t width, std::vector<Value>& values,
                   std::vector<Record>& records, const Put& put) const {
    file.make_room(from, width * records.size(), values);
    file.read_rows(from, first, records.size(), std::span(values));
    for (std::size_t i = 0; i < records.size(); ++i) put(records[i], values.data() + width * i);
  }
};

ContactReader::ContactReader(const std::string& name) {
  const hdf5::Session session;
  state_ = std::make_unique<State>(name);
  State& s = *state_;
  const hdf5::InputFile& file = s.file;
  const std::string format = file.text_attribute("/", "format");
  if (format != kFormat)
    file.fail("/: attribute 'format' is '" + format + "', but must be '" + std::string(kFormat) + "'");
  const std::int64_t found = file.integer_attribute("/", "version");
  if (found != kVersion)
    file.fail("/: attribute 'version' is " + std::to_string(found) + ", but this program reads version " +
              std::to_string(kVersion));
  s.device = file.text_attribute("/", "device");
  s.scene = file.text_attribute("/", "scene");

  s.read_offsets("/frame_offset", s.frame_offset);
  const auto open = [&](hdf5::Dataset& column, const char* path, bool whole, hsize_t columns) {
    s.open(column, path, whole, columns, s.frame_offset.back(), "contact of /frame_offset");
  };
  open(s.body_a, "/contacts/body_a", true, 0);
  open(s.body_b, "/contacts/body_b", true, 0);
  open(s.point, "/contacts/point", false, 3);
  open(s.normal, "/contacts/normal", false, 3);
  open(s.depth, "/contacts/depth", false, 0);
  open(s.manifold, "/contacts/manifold", true, 0);
  open(s.feature, "/contacts/feature", true, 0);
  open(s.material, "/contacts/material", true, 0);
  s.has_shapes = file.exists("/contacts/shape_a") || file.exists("/contacts/shape_b");
  if (s.has_shapes) {
    open(s.shape_a, "/contacts/shape_a", true, 0);
    open(s.shape_b, "/contacts/shape_b", true, 0);
  }
  s.has_elements = file.exists("/contacts/element");
  if (s.has_elements) open(s.element, "/contacts/element", true, 0);
  s.has_flags = file.exists("/contacts/flags");
  if (s.has_flags) open(s.flags, "/contacts/flags", true, 0);
  if (file.exists("/impacts")) s.open_impacts();
}

ContactReader::~ContactReader() {
  const hdf5::Session session;
  state_.reset();
}

const std::string& ContactReader::device() const {
  return state_->device;
}
const std::string& ContactReader::scene() const {
  return state_->scene;
}
std::size_t ContactReader::frames() const {
  return state_->frame_offset.size() - 1;
}
std::uint64_t ContactReader::contacts() const {
  return state_->frame_offset.back();
}

void ContactReader::read_frame(std::size_t index, std::vector<Contact>& contacts) const {
  const hdf5::Session session;
  const State& s = *state_;
  const std::size_t first = s.frame_offset[index], count = s.frame_offset[index + 1] - first;
  contacts.clear();
  s.file.make_room(s.point, count, contacts);
  const auto column = [&]<class Value>(const hdf5::Dataset& from, std::size_t width, std::vector<Value>& values,
                                       auto&& put) { s.read_column(from, first, width, values, contacts, put); };
  std::vector<double> real;
  column(s.point, 3, real, [](Contact& c, const double* v) { c.point = {v[0], v[1], v[2]}; });
  column(s.normal, 3, real, [](Contact& c, const double* v) {
    c.normal = {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
  });
  column(s.depth, 1, real, [](Contact& c, const double* v) { c.depth = static_cast<float>(*v); });
  std::vector<std::uint32_t> whole;
  column(s.body_a, 1, whole, [](Contact& c, const std::uint32_t* v) { c.body_a = *v; });
  column(s.body_b, 1, whole, [](Contact& c, const std::uint32_t* v) { c.body_b = *v; });
  column(s.manifold, 1, whole, [](Contact& c, const std::uint32_t* v) { c.manifold = *v; });
  column(s.feature, 1, whole, [](Contact& c, const std::uint32_t* v) { c.feature = *v; });
  if (s.has_elements) column(s.element, 1, whole, [](Contact& c, const std::uint32_t* v) { c.element = *v; });
  std::vector<std::uint8_t> bytes;
  column(s.material, 1, bytes, [](Contact& c, const std::uint8_t* v) { c.material = *v; });
  if (s.has_flags) column(s.flags, 1, bytes, [](Contact& c, const std::uint8_t* v) { c.flags = *v; });
  if (!s.has_shapes) return;
  std::vector<std::uint16_t> shapes;
  column(s.shape_a, 1, shapes, [](Contact& c, const std::uint16_t* v) { c.shape_a = *v; });
  column(s.shape_b, 1, shapes, [](Contact& c, const std::uint16_t* v) { c.shape_b = *v; });
}

bool ContactReader::has_impacts() const {
  return state_->impacts.has_value();
}
std::uint64_t ContactReader::impacts() const {
  return state_->impacts ? state_->impacts->frame_offset.back() : 0;
}

void ContactReader::read_impacts(std::size_t index, std::vector<Impact>& impacts) const {
  const hdf5::Session session;
  const State& s = *state_;
  impacts.clear();
  if (!s.impacts) return;
  const ImpactDatasets& i = *s.impacts;
  const std::size_t first = i.frame_offset[index], count = i.frame_offset[index + 1] - first;
  s.file.make_room(i.point, count, impacts);
  const auto column = [&]<class Value>(const hdf5::Dataset& from, std::size_t width, std::vector<Value>& values,
                                       auto&& put) { s.read_column(from, first, width, values, impacts, put); };
  std::vector<double> real;
  column(i.time, 1, real, [](Impact& m, const double* v) { m.time = *v; });
  column(i.point, 3, real, [](Impact& m, const double* v) { m.point = {v[0], v[1], v[2]}; });
  column(i.normal, 3, real, [](Impact& m, const double* v) {
    m.normal = {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
  });
  std::vector<std::uint32_t> whole;
  column(i.body_a, 1, whole, [](Impact& m, const std::uint32_t* v) { m.body_a = *v; });
  column(i.body_b, 1, whole, [](Impact& m, const std::uint32_t* v) { m.body_b = *v; });
  column(i.feature, 1, whole, [](Impact& m, const std::uint32_t* v) { m.feature = *v; });
  column(i.element, 1, whole, [](Impact& m, const std::uint32_t* v) { m.element = *v; });
  std::vector<std::uint8_t> bytes;
  column(i.material, 1, bytes, [](Impact& m, const std::uint8_t* v) { m.material = *v; });
  if (!i.has_shapes) return;
  std::vector<std::uint16_t> shapes;
  column(i.shape_a, 1, shapes, [](Impact& m, const std::uint16_t* v) { m.shape_a = *v; });
  column(i.shape_b, 1, shapes, [](Impact& m, const std::uint16_t* v) { m.shape_b = *v; });
}

void remove_unfinished_output() noexcept {
  hdf5::remove_unfinished_output();
}

}  // namespace oclide
