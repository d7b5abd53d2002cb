// Damaged files are read or refused with one line: no crash, no other exception, no memory for what is not there. Text
// here has a fixed length, as in files that oclide writes: HDF5 itself follows damage in its heap of other text.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "files/contact_file.hpp"
#include "files/hdf5_scene.hpp"
#include "files/scene_file.hpp"
#include "files/terrain_import.hpp"
#include "support/sanitizer.hpp"
#include "support/temporary_folder.hpp"
#ifdef OCLIDE_ADDRESS_SANITIZER
#include <sanitizer/lsan_interface.h>
#endif

namespace oclide {
namespace {

// Empty where the file can be read to its end.
std::string error_of_scene(const std::string& file) {
  try {
    SceneReader reader(file);
    Frame frame;
    for (std::size_t f = 0; f < reader.frames(); ++f) reader.read_frame(f, frame);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
    return error.what();
  }
  return {};
}

std::string error_of_contacts(const std::string& file) {
  try {
    const ContactReader reader(file);
    std::vector<Contact> contacts;
    for (std::size_t f = 0; f < reader.frames(); ++f) reader.read_frame(f, contacts);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
    return error.what();
  }
  return {};
}

// One bit, one byte, a few bytes in a row or the end of the file.
std::string damaged(std::string data, std::mt19937& random) {
  const std::size_t at = random() % data.size();
  switch (random() % 4) {
    case 0:
      data[at] = static_cast<char>(data[at] ^ (1U << random() % 8));
      break;
    case 1:
      data[at] = static_cast<char>(random() % 2 == 0 ? 0x00 : 0xFF);
      break;
    case 2:
      for (std::size_t i = at; i < std::min(data.size(), at + 1 + random() % 16); ++i)
        data[i] = static_cast<char>(random() % 256);
      break;
    default:
      data.resize(at);
  }
  return data;
}

void expect_read_or_refused(const std::string& file, std::string (*error_of)(const std::string&)) {
  std::ifstream stream(file, std::ios::binary);
  const std::string data{std::istreambuf_iterator<char>(stream), {}};
  ASSERT_EQ(error_of(file), "");
#ifdef OCLIDE_ADDRESS_SANITIZER
  // HDF5 1.10 reads beyond the end of some damaged attributes, whatever is there; here, where each size has an address
  // range of its own, there may be nothing.
  {
    std::vector<std::vector<char>> behind;
    for (std::size_t size = 16; size <= 4096; size += size < 512 ? 16 : 256)
      for (int k = 0; k < 200; ++k) behind.emplace_back(size);
  }
  // HDF5 forgets memory of its own where it fails: none that it had before.
  H5garbage_collect();
  const __lsan::ScopedDisabler not_ours;
#endif
  const std::string name = file + ".damaged";
  // What the program had taken at most before is not the files'.
  rusage before{}, used{};
  getrusage(RUSAGE_SELF, &before);
  std::mt19937 random(1);
  int refused = 0;
  for (int k = 0; k < 1000; ++k) {
    std::ofstream(name, std::ios::binary | std::ios::trunc) << damaged(data, random);
    const std::string error = error_of(name);
    if (error.empty()) continue;
    ++refused;
    ASSERT_EQ(error.rfind(name + ": ", 0), 0U) << k << ": " << error;
    ASSERT_EQ(error.find('\n'), std::string::npos) << k << ": " << error;
  }
  EXPECT_GT(refused, 100);
  getrusage(RUSAGE_SELF, &used);
  EXPECT_LT(used.ru_maxrss - before.ru_maxrss, 1 << 19) << "KiB";
}

TEST(DamagedFile, SceneIsReadOrRefused) {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("scene.h5");
  { test::Hdf5Scene scene(file); }
  expect_read_or_refused(file, error_of_scene);
}

TEST(DamagedFile, SceneOfTheWriterIsReadOrRefused) {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("scene.h5"), written = folder.file("written.h5");
  { test::Hdf5Scene scene(file); }
  SceneReader reader(file);
  Scene scene = reader.scene();
  scene.compounds = {std::vector<CompoundPart>(2, {Shape::sphere, {0.5, 0, 0}, {}})};
  SceneWriter writer(written, scene, reader.frames());
  Frame frame;
  for (std::size_t f = 0; f < reader.frames(); ++f) {
    reader.read_frame(f, frame);
    writer.append(frame.poses());
  }
  writer.finish();
  expect_read_or_refused(written, error_of_scene);
}

TEST(DamagedFile, ContactsAreReadOrRefused) {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("contacts.h5");
  ContactWriter writer(file, "a device", "a scene.h5");
  writer.with_shapes();
  for (std::size_t f = 0; f < 3; ++f) writer.append(std::vector<Contact>(5 * f));
  writer.finish();
  expect_read_or_refused(file, error_of_contacts);
}

TEST(DamagedFile, ExtentBeyondMemoryNamesItsDataset) {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("scene.h5");
  const auto error = [&](hsize_t extent) {
    {
      test::Hdf5Scene scene(file);
      scene.put<std::int32_t>("/environments/terrain", {extent}, {}, true);
    }
    return error_of_scene(file);
  };
  EXPECT_EQ(error(hsize_t{1} << 62), file + ": /environments/terrain has extent (4611686018427387904), but must have " +
                                         "fewer elements: no machine has memory for them");
  // More than the file could hold: refused before memory is asked for.
  EXPECT_NE(error(hsize_t{1} << 36)
                .find("/environments/terrain has extent (68719476736), 274877906944 bytes, which the "
                      "file does not have"),
            std::string::npos);
}

TEST(DamagedFile, TextThatCouldNotBeReadAgainIsNotWritten) {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("contacts.h5");
  for (const std::size_t length : {65535, 65536}) {
    const auto write = [&] {
      ContactWriter writer(file, std::string(length, 'd'), "a scene.h5");
      writer.finish();
    };
    if (length < 65536) {
      write();
      EXPECT_EQ(ContactReader(file).device(), std::string(length, 'd'));
    } else {
      EXPECT_THROW(write(), Error);
    }
  }
}

TEST(DamagedFile, GroupThatIsNoneIsNotTakenForAbsent) {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("scene.h5");
  {
    test::Hdf5Scene scene(file);
    scene.put<std::uint8_t>("/environments", {1}, {0});
  }
  EXPECT_EQ(error_of_scene(file),
            file + ": /environments/terrain cannot be looked up, what it is in is no group or damaged");
}

TEST(DamagedFile, TextOfAnAttributeCannotBreakTheLine) {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("scene.h5");
  {
    test::Hdf5Scene scene(file);
    scene.attribute("/", "format", std::string("oclide\nscene"));
  }
  EXPECT_EQ(error_of_scene(file), file + ": /: attribute 'format' is 'oclide\\u000ascene', but must be 'oclide-scene'");
}

TEST(FileName, WithANulIsRefused) {
  const test::TemporaryFolder folder;
  const std::string name = folder.file("scene.h5") + '\0' + "x";
  const auto refused = [&](auto&& use) {
    try {
      use();
    } catch (const Error& error) {
      return std::string(error.what()).find("scene.h5: a file name cannot have a NUL character") != std::string::npos;
    }
    return false;
  };
  { test::Hdf5Scene scene(folder.file("scene.h5")); }
  EXPECT_TRUE(refused([&] { SceneReader reader(name); }));
  EXPECT_TRUE(refused([&] { ContactReader reader(name); }));
  EXPECT_TRUE(refused([&] { ContactWriter writer(name, "", ""); }));
  EXPECT_TRUE(refused([&] { (void)import_terrain(name); }));
  EXPECT_EQ(folder.count(), 1U);
}

}  // namespace
}  // namespace oclide
