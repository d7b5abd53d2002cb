#include "contact_file.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "hdf5_file.hpp"

namespace oclide {
namespace {

// Contacts that are turned into columns and written at once, and a chunk of the file. Smaller: more calls and index
// entries; larger: more memory, and more unused room in a file of few contacts.
constexpr std::size_t kBlock = 4096;
constexpr hsize_t kOffsetChunk = 1024;

}  // namespace

struct ContactWriter::State {
  explicit State(const std::string& name) : file(name) {}

  // One dataset of the file and the block of its values that is on the way there.
  template <class Value>
  struct Column {
    hdf5::Handle dataset;
    hid_t memory_type = H5I_INVALID_HID;
    std::vector<Value> block;
  };

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
    for_each_column([&](auto& column) {
      file.append(column.dataset, column.memory_type, column.block.size(), column.block.data());
    });
  }
};

ContactWriter::ContactWriter(const std::string& name, const std::string& device, const std::string& scene) {
  const hdf5::Session session;
  state_ = std::make_unique<State>(name);
  State& s = *state_;
  s.file.write_attribute("/", "format", std::string("oclide-contacts"));
  s.file.write_attribute("/", "version", std::int64_t{1});
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

ContactWriter::~ContactWriter() {
  const hdf5::Session session;
  state_.reset();
}

void ContactWriter::append(std::span<const Contact> contacts) {
  State& s = *state_;
  for (std::size_t i = 0; i < contacts.size(); i += kBlock)
    s.append_block(contacts.subspan(i, std::min(kBlock, contacts.size() - i)));
  s.total += contacts.size();
  s.file.append(s.frame_offset, H5T_NATIVE_UINT64, 1, &s.total);
}

void ContactWriter::finish() {
  const hdf5::Session session;
  State& s = *state_;
  s.for_each_column([&](auto& column) { s.file.close(column.dataset); });
  s.file.close(s.frame_offset);
  s.file.commit();
}

void remove_unfinished_output() noexcept {
  hdf5::remove_unfinished_output();
}

}  // namespace oclide
