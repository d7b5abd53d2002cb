// Contact files hold the columns of the format, and appear whole or not at all.
#include "contact_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "scene/hdf5_scene.hpp"
#include "scene/temporary_folder.hpp"

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
