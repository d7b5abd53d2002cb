// Contact files hold the columns of the format, and appear whole or not at all.
#include "files/contact_file.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "files/hdf5_scene.hpp"
#include "support/temporary_folder.hpp"

namespace oclide {
namespace {

template <class Value>
std::vector<Value> read(const std::string& file, const char* path, std::vector<hsize_t> extent) {
  const hid_t id = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t data = H5Dopen2(id, path, H5P_DEFAULT);
  const hid_t space = H5Dget_space(data);
  std::vector<hsize_t> found(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, found.data(), nullptr);
  EXPECT_EQ(found, extent) << path;
  std::vector<Value> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  H5Dread(data, test::hdf5_type<Value>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Sclose(space);
  H5Dclose(data);
  H5Fclose(id);
  return values;
}

Contact contact(std::uint32_t k) {
  Contact c;
  c.point = {k + 1.0 / 3.0, k + 0.25, -static_cast<double>(k)};
  c.normal = {0.0F, 0.6F, 0.8F};
  c.depth = 0.001F * static_cast<float>(k);
  c.body_a = k;
  c.manifold = k / 2;
  c.feature = k * 7919U;
  c.material = static_cast<std::uint8_t>(k);
  return c;
}

TEST(ContactFile, HoldsAllFramesInOrder) {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("contacts.h5");
  // No contacts, few, and more than one block of the file.
  std::vector<Contact> few{contact(0), contact(1), contact(2)};
  std::vector<Contact> many;
  for (std::uint32_t k = 0; k < 10'001; ++k) many.push_back(contact(k));
  ContactWriter writer(file, "a device", "a scene.h5");
  writer.append({});
  writer.append(few);
  writer.append(many);
  EXPECT_FALSE(std::filesystem::exists(file)) << "an unfinished file has the name of a finished one";
  writer.finish();
  EXPECT_EQ(folder.count(), 1U);

  constexpr hsize_t kAll = 10'004;
  EXPECT_EQ(read<std::uint64_t>(file, "/frame_offset", {4}), (std::vector<std::uint64_t>{0, 0, 3, kAll}));
  const auto body_a = read<std::uint32_t>(file, "/contacts/body_a", {kAll});
  const auto body_b = read<std::uint32_t>(file, "/contacts/body_b", {kAll});
  const auto point = read<double>(file, "/contacts/point", {kAll, 3});
  const auto normal = read<float>(file, "/contacts/normal", {kAll, 3});
  const auto depth = read<float>(file, "/contacts/depth", {kAll});
  const auto manifold = read<std::uint32_t>(file, "/contacts/manifold", {kAll});
  const auto feature = read<std::uint32_t>(file, "/contacts/feature", {kAll});
  const auto material = read<std::uint8_t>(file, "/contacts/material", {kAll});
  for (std::size_t i = 0; i < kAll; ++i) {
    const Contact c = i < 3 ? few[i] : many[i - 3];
    ASSERT_EQ(body_a[i], c.body_a);
    ASSERT_EQ(body_b[i], kTerrain);
    for (int a = 0; a < 3; ++a) {
      ASSERT_EQ(point[3 * i + a], c.point[a]);
      ASSERT_EQ(normal[3 * i + a], c.normal[a]);
    }
    ASSERT_EQ(depth[i], c.depth);
    ASSERT_EQ(manifold[i], c.manifold);
    ASSERT_EQ(feature[i], c.feature);
    ASSERT_EQ(material[i], c.material);
  }
}

TEST(ContactFile, KeepsContactsOfTwoBodiesAsTheyAre) {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("contacts.h5");
  // Body 0 against 3 (a manifold of two) and 0x7FFFFFFD, then terrain; then two bodies without terrain.
  std::vector<Contact> contacts;
  const auto add = [&](std::uint32_t a, std::uint32_t b, std::uint32_t manifold, std::uint32_t feature, float depth) {
    Contact c = contact(a);
    c.body_b = b;
    c.manifold = manifold;
    c.feature = feature;
    c.depth = depth;
    c.material = 0;
    contacts.push_back(c);
  };
  add(0, 3, 0, 0xFFFFFFFFU, 0.25F);
  add(0, 3, 0, 17U, -0.125F);
  add(0, 0x7FFFFFFDU, 1, 0, 0.5F);
  add(0, kTerrain, 2, 4, 1.0F);
  add(2, 3, 3, 0x80000000U, 0.0F);
  ContactWriter writer(file, "a device", "a scene.h5");
  writer.append(contacts);
  writer.finish();

  EXPECT_EQ(read<std::uint32_t>(file, "/contacts/body_a", {5}), (std::vector<std::uint32_t>{0, 0, 0, 0, 2}));
  EXPECT_EQ(read<std::uint32_t>(file, "/contacts/body_b", {5}),
            (std::vector<std::uint32_t>{3, 3, 0x7FFFFFFDU, 0xFFFFFFFFU, 3}));
  EXPECT_EQ(read<std::uint32_t>(file, "/contacts/manifold", {5}), (std::vector<std::uint32_t>{0, 0, 1, 2, 3}));
  EXPECT_EQ(read<std::uint32_t>(file, "/contacts/feature", {5}),
            (std::vector<std::uint32_t>{0xFFFFFFFFU, 17U, 0, 4, 0x80000000U}));
  EXPECT_EQ(read<float>(file, "/contacts/depth", {5}), (std::vector<float>{0.25F, -0.125F, 0.5F, 1.0F, 0.0F}));
  EXPECT_EQ(read<std::uint8_t>(file, "/contacts/material", {5}), (std::vector<std::uint8_t>(5, 0)));
}

bool same(const std::vector<Contact>& a, const std::vector<Contact>& b) {
  return a.size() == b.size() && contact_hash(a) == contact_hash(b);
}

TEST(ContactFile, HoldsShapesWhereTheyAreAskedFor) {
  const test::TemporaryFolder folder;
  const std::string plain = folder.file("plain.h5"), file = folder.file("contacts.h5");
  std::vector<Contact> contacts;
  for (std::uint32_t k = 0; k < 5000; ++k) {  // more than one block of the file
    contacts.push_back(contact(k));
    contacts.back().shape_a = static_cast<std::uint16_t>(13 * k);
    contacts.back().shape_b = static_cast<std::uint16_t>(65535 - k);
  }
  for (const std::string& name : {plain, file}) {
    ContactWriter writer(name, "a device", "a scene.h5");
    if (name == file) writer.with_shapes();
    writer.append(std::span(contacts).first(4999));
    writer.append(std::span(contacts).last(1));
    writer.finish();
  }
  const auto shape_a = read<std::uint16_t>(file, "/contacts/shape_a", {5000});
  const auto shape_b = read<std::uint16_t>(file, "/contacts/shape_b", {5000});
  std::vector<Contact> found, without;
  ContactReader(file).read_frame(0, found);
  ContactReader(plain).read_frame(0, without);
  ASSERT_EQ(found.size(), 4999U);
  for (std::size_t k = 0; k < 4999; ++k) {
    ASSERT_TRUE(shape_a[k] == contacts[k].shape_a && shape_b[k] == contacts[k].shape_b) << k;
    ASSERT_TRUE(found[k].shape_a == contacts[k].shape_a && found[k].shape_b == contacts[k].shape_b) << k;
    ASSERT_TRUE(without[k].shape_a == 0 && without[k].shape_b == 0) << k;
  }
}

TEST(ContactFile, HoldsElementsWhereTheyAreAskedFor) {
  const test::TemporaryFolder folder;
  const std::string plain = folder.file("plain.h5"), file = folder.file("contacts.h5");
  std::vector<Contact> contacts;
  for (std::uint32_t k = 0; k < 5000; ++k) {  // more than one block of the file
    contacts.push_back(contact(k));
    if (k % 3 != 0) contacts.back().element = 7919 * k;
  }
  for (const std::string& name : {plain, file}) {
    ContactWriter writer(name, "a device", "a scene.h5");
    if (name == file) writer.with_elements();
    writer.append(contacts);
    writer.finish();
  }
  const auto element = read<std::uint32_t>(file, "/contacts/element", {5000});
  EXPECT_EQ(element[0], 0xFFFFFFFFU);
  std::vector<Contact> found, without;
  ContactReader(file).read_frame(0, found);
  ContactReader(plain).read_frame(0, without);
  EXPECT_TRUE(same(found, contacts));
  EXPECT_FALSE(same(without, contacts));
  for (std::size_t k = 0; k < 5000; ++k) {
    ASSERT_EQ(element[k], contacts[k].element) << k;
    ASSERT_EQ(found[k].element, contacts[k].element) << k;
    ASSERT_EQ(without[k].element, kNone) << k;
  }
}

TEST(ContactFile, HoldsFlagsWhereTheyAreAskedFor) {
  const test::TemporaryFolder folder;
  const std::string plain = folder.file("plain.h5"), file = folder.file("contacts.h5");
  std::vector<Contact> contacts;
  for (std::uint32_t k = 0; k < 5000; ++k) {
    contacts.push_back(contact(k));
    contacts.back().flags = k % 3 == 0 ? kSensorContact : 0;
  }
  for (const std::string& name : {plain, file}) {
    ContactWriter writer(name, "a device", "a scene.h5");
    if (name == file) writer.with_flags();
    writer.append(contacts);
    writer.finish();
  }
  const auto flags = read<std::uint8_t>(file, "/contacts/flags", {5000});
  std::vector<Contact> found, without;
  ContactReader(file).read_frame(0, found);
  ContactReader(plain).read_frame(0, without);
  EXPECT_EQ(contact_hash(found) == contact_hash(without), false);
  for (std::size_t k = 0; k < 5000; ++k) {
    ASSERT_EQ(flags[k], k % 3 == 0 ? 1 : 0) << k;
    ASSERT_EQ(found[k].flags, flags[k]) << k;
    ASSERT_EQ(without[k].flags, 0) << k;
  }
}

TEST(ContactFile, HoldsTrackingBesideItsContacts) {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("contacts.h5");
  FrameContacts first, second;
  first.contacts = {contact(0), contact(1), contact(2)};
  first.previous = {kNone, kNone, kNone};
  first.events.resize(2);
  first.events[1] = {7, 9, 3, 65535, Change::begin, {}, 1, kNone};
  second.contacts = {contact(0)};
  second.previous = {2};
  second.events = {{7, kTerrain, 0, 1, Change::persist, {}, 0, 1}};
  // More than one block of the file.
  for (std::uint32_t k = 0; k < 5000; ++k) second.events.push_back({k, k + 1, 0, 0, Change::end, {}, kNone, k});
  ContactWriter writer(file, "a device", "a scene.h5");
  writer.with_tracking();
  for (const FrameContacts* frame : {&first, &second}) {
    writer.append(frame->contacts);
    writer.append_tracking(*frame);
  }
  writer.finish();

  EXPECT_EQ(read<std::uint32_t>(file, "/contacts/previous", {4}), (std::vector<std::uint32_t>{kNone, kNone, kNone, 2}));
  EXPECT_EQ(read<std::uint64_t>(file, "/events/frame_offset", {3}), (std::vector<std::uint64_t>{0, 2, 5003}));
  constexpr hsize_t kAll = 5003;
  const auto body_a = read<std::uint32_t>(file, "/events/body_a", {kAll});
  const auto body_b = read<std::uint32_t>(file, "/events/body_b", {kAll});
  const auto shape_a = read<std::uint16_t>(file, "/events/shape_a", {kAll});
  const auto shape_b = read<std::uint16_t>(file, "/events/shape_b", {kAll});
  const auto change = read<std::uint8_t>(file, "/events/change", {kAll});
  const auto manifold = read<std::uint32_t>(file, "/events/manifold", {kAll});
  const auto previous = read<std::uint32_t>(file, "/events/previous", {kAll});
  for (std::size_t k = 0; k < kAll; ++k) {
    const ManifoldEvent& e = k < 2 ? first.events[k] : second.events[k - 2];
    ASSERT_TRUE(body_a[k] == e.body_a && body_b[k] == e.body_b && shape_a[k] == e.shape_a && shape_b[k] == e.shape_b &&
                change[k] == static_cast<std::uint8_t>(e.change) && manifold[k] == e.manifold &&
                previous[k] == e.previous)
        << k;
  }
  // Readers of contacts do not mind.
  EXPECT_EQ(ContactReader(file).contacts(), 4U);
}

TEST(ContactFile, IsReadFrameByFrameBitForBit) {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("contacts.h5");
  std::vector<std::vector<Contact>> frames(4);
  for (std::uint32_t k = 0; k < 5'000; ++k) frames[1].push_back(contact(k));
  for (std::uint32_t k = 7; k < 10; ++k) frames[3].push_back(contact(k));
  frames[3][1].body_b = 12;
  ContactWriter writer(file, "a device", "a scene.h5");
  for (const auto& frame : frames) writer.append(frame);
  writer.finish();

  const ContactReader reader(file);
  EXPECT_EQ(reader.device(), "a device");
  EXPECT_EQ(reader.scene(), "a scene.h5");
  ASSERT_EQ(reader.frames(), 4U);
  EXPECT_EQ(reader.contacts(), 5'003U);
  std::vector<Contact> found;
  for (const std::size_t f : {3, 0, 1, 2}) {
    reader.read_frame(f, found);
    EXPECT_TRUE(same(found, frames[f])) << f;
  }
}

// What the reader says of a file of one frame of three contacts that `change` has been at.
std::string error_of(void (*change)(hid_t)) {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("contacts.h5");
  ContactWriter writer(file, "a device", "a scene.h5");
  writer.append(std::vector<Contact>{contact(0), contact(1), contact(2)});
  writer.finish();
  const hid_t id = H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  change(id);
  H5Fclose(id);
  try {
    std::vector<Contact> contacts;
    const ContactReader reader(file);
    reader.read_frame(0, contacts);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
    EXPECT_EQ(std::string(error.what()).rfind(file, 0), 0U) << error.what();
    return error.what();
  }
  return "no error";
}

void put(hid_t file, const char* path, std::vector<hsize_t> extent, const std::vector<std::int64_t>& values) {
  H5Ldelete(file, path, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr);
  const hid_t data = H5Dcreate2(file, path, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(data, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Dclose(data);
  H5Sclose(space);
}

TEST(ContactFile, ThatIsDamagedIsAnErrorThatNamesDatasetAndIndex) {
  EXPECT_EQ(error_of([](hid_t) {}), "no error");
  EXPECT_NE(error_of([](hid_t f) { H5Adelete(f, "format"); }).find("attribute 'format' is missing"), std::string::npos);
  EXPECT_NE(error_of([](hid_t f) { H5Ldelete(f, "/contacts/depth", H5P_DEFAULT); }).find("/contacts/depth: dataset is"),
            std::string::npos);
  EXPECT_NE(error_of([](hid_t f) {
              put(f, "/frame_offset", {2}, {1, 3});
            }).find("/frame_offset[0] must be 0"),
            std::string::npos);
  EXPECT_NE(error_of([](hid_t f) {
              put(f, "/frame_offset", {3}, {0, 4, 3});
            }).find("/frame_offset[2] is less"),
            std::string::npos);
  EXPECT_NE(error_of([](hid_t f) {
              put(f, "/frame_offset", {2}, {0, 4});
            }).find("one entry for each contact"),
            std::string::npos);
  EXPECT_NE(error_of([](hid_t f) {
              put(f, "/contacts/feature", {3}, {0, -1, 0});
            }).find("/contacts/feature[1] is -1"),
            std::string::npos);
  EXPECT_EQ(error_of([](hid_t f) { put(f, "/contacts/feature", {3}, {0, 1, 0}); }), "no error");
}

TEST(ContactFile, ThatIsASceneFileIsRefused) {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("scene.h5");
  const hid_t id = H5Fcreate(file.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(id);
  EXPECT_THROW(ContactReader{file}, Error);
  EXPECT_THROW(ContactReader{folder.file("missing.h5")}, Error);
}

TEST(ContactFile, IsTheSameFileASecondLater) {
  const test::TemporaryFolder folder;
  const auto content = [&](const char* name) {
    ContactWriter writer(folder.file(name), "a device", "a scene.h5");
    writer.append(std::vector<Contact>{contact(1)});
    writer.finish();
    std::ifstream stream(folder.file(name), std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(stream), {}};
  };
  const std::string first = content("a.h5");
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  EXPECT_TRUE(content("b.h5") == first) << "a time is in it";
}

TEST(ContactFile, UnfinishedLeavesNothing) {
  const test::TemporaryFolder folder;
  {
    ContactWriter writer(folder.file("contacts.h5"), "a device", "a scene.h5");
    writer.append(std::vector<Contact>{contact(1)});
  }
  EXPECT_EQ(folder.count(), 0U);
}

TEST(ContactFile, RefusesAFolderAndADevice) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(ContactWriter(folder.file(""), "", ""), Error);
  EXPECT_THROW(ContactWriter("/dev/null", "", ""), Error);
  EXPECT_THROW(ContactWriter(folder.file("missing/contacts.h5"), "", ""), Error);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_EQ(folder.count(), 0U);
}

TEST(ContactFile, FollowsASymbolicLink) {
  const test::TemporaryFolder folder;
  { ContactWriter(folder.file("real.h5"), "", "").finish(); }
  std::filesystem::create_symlink("real.h5", folder.file("link.h5"));
  { ContactWriter(folder.file("link.h5"), "", "").finish(); }
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link.h5")));
  EXPECT_EQ(folder.count(), 2U);
}

}  // namespace
}  // namespace oclide
