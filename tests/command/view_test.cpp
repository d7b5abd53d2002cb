// oclide view: what it prints and refuses. What its page shows is looked at by view_page_test.py.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "files/contact_file.hpp"
#include "files/hdf5_scene.hpp"
#include "files/hit_file.hpp"
#include "process.hpp"
#include "support/temporary_folder.hpp"

namespace oclide::test {
namespace {

class View : public ::testing::Test {
 protected:
  void SetUp() override {
#ifndef OCLIDE_HAS_VIEWER
    GTEST_SKIP() << "built without three.js";
#endif
    Hdf5Scene s(scene);
    s.put<double>("/rays/origin", {2, 3}, {0, 0, 5, 3, 1, 1});
    s.put<float>("/rays/direction", {2, 3}, {0, 0, -2, 0, 0, 1});
  }

  // Contacts in so many frames, each of body `body` with terrain.
  void write_contacts(std::size_t frames, std::uint32_t body, std::uint32_t other = kTerrain) const {
    ContactWriter writer(contacts, "a device", "scene.h5");
    writer.with_impacts();
    for (std::size_t f = 0; f < frames; ++f) {
      Contact contact;
      contact.body_a = body;
      contact.body_b = other;
      contact.depth = 0.01F;
      writer.append(std::vector{contact});
      writer.append_impacts({});
    }
    writer.finish();
  }
  void write_hits(std::size_t frames, std::size_t rays, std::uint32_t body) const {
    HitWriter writer(hits, "a device", "scene.h5", frames, rays, false);
    for (std::size_t f = 0; f < frames; ++f) {
      std::vector<Hit> of_frame(rays);
      for (Hit& hit : of_frame) hit.body = body;
      writer.append(of_frame);
    }
    writer.finish();
  }

  void expect_refused(std::vector<std::string> arguments, const std::string& at_fault) const {
    arguments.insert(arguments.begin(), "view");
    arguments.insert(arguments.end(), {"-o", page});
    const ProcessResult result = run_oclide(arguments);
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_EQ(result.error_lines(), 1U) << result.err;
    EXPECT_NE(result.err.find(at_fault), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_FALSE(std::filesystem::exists(page)) << at_fault;
  }

  TemporaryFolder folder;
  std::string scene = folder.file("scene.h5"), contacts = folder.file("contacts.h5"), hits = folder.file("hits.h5"),
              page = folder.file("page.html");
};

TEST_F(View, PrintsAndWritesWhatIsPromised) {
  write_contacts(3, 2);
  const Json found = printed_json(run_oclide({"view", scene, contacts, "-o", page, "--json"}));
  EXPECT_EQ(found.at("bodies"), 4);
  EXPECT_EQ(found.at("frames"), 3);
  EXPECT_EQ(found.at("contacts"), 3);
  EXPECT_EQ(found.at("impacts"), 0);
  EXPECT_EQ(found.at("terrain_stride"), 1);
  EXPECT_EQ(found.at("bytes"), std::filesystem::file_size(page));
  // All is in it: nothing is loaded from elsewhere.
  std::stringstream text;
  text << std::ifstream(page).rdbuf();
  EXPECT_NE(text.str().find("default-src 'none'"), std::string::npos);
  for (const char* loads : {"<script src", "<link", "{{", "import("})
    EXPECT_EQ(text.str().substr(0, text.str().find("<style>")).find(loads), std::string::npos) << loads;
  EXPECT_EQ(text.str().find("{{data}}"), std::string::npos);
  // A part of the frames, of files that have them all or that part alone.
  for (const std::size_t frames : {3U, 2U}) {
    write_contacts(frames, 2);
    const Json part = printed_json(run_oclide({"view", scene, contacts, "-o", page, "--frames", "1:3", "--json"}));
    EXPECT_EQ(part.at("frames"), 2) << frames;
    EXPECT_EQ(part.at("contacts"), 2) << frames;
  }
  // The same files give the same page.
  const auto read = [&] { return (std::stringstream() << std::ifstream(page).rdbuf()).str(); };
  const std::string before = read();
  EXPECT_EQ(run_oclide({"view", scene, contacts, "-o", page, "--frames", "1:3"}).status, 0);
  EXPECT_EQ(read(), before);
}

TEST_F(View, FilesThatDoNotBelongTogetherAreRefused) {
  write_contacts(2, 0);
  expect_refused({scene, contacts}, contacts + ": /frame_offset is of 2 frames, but " + scene + " has 3; --frames A:B");
  write_contacts(3, 4);
  expect_refused({scene, contacts}, contacts + ": /contacts/body_a[0] of frame 0 is 4, but " + scene + " has 4 bodies");
  write_contacts(3, 0, kNothing);
  expect_refused({scene, contacts}, "/contacts/body_b[0] of frame 0 is 4294967294");
  write_hits(3, 3, 0);
  expect_refused({scene, "--hits", hits}, hits + ": /hits/distance is of 3 rays, but " + scene + " has 2");
  write_hits(3, 2, 9);
  expect_refused({scene, "--hits", hits}, "/hits/body[0] of frame 0 is 9");
  write_hits(1, 2, 0);
  expect_refused({scene, "--hits", hits}, "/hits/distance is of 1 frame");
  expect_refused({scene, "--paths", hits}, "attribute 'format' is 'oclide-hits', but must be 'oclide-paths'");
  expect_refused({scene, "--hits", scene}, "attribute 'format' is 'oclide-scene', but must be 'oclide-hits'");
  expect_refused({scene, "--rays", scene}, "--rays: rays are shown with their --hits");
  expect_refused({scene, "--frames", "2:9"}, scene + ": --frames 2:9 reaches outside");
  expect_refused({folder.file("none.h5")}, "none.h5: No such file");
  const ProcessResult onto = run_oclide({"view", scene, "-o", scene});
  EXPECT_EQ(onto.status, 2);
  EXPECT_NE(onto.err.find(scene + ": is the scene file itself"), std::string::npos) << onto.err;
  expect_refused({scene, "--motion", "sideways"}, "--motion");
  page = folder.file("page.png");
  expect_refused({scene}, page + ": a page is written as HTML: .html or .htm");
}

TEST_F(View, FullDiskLeavesNoPage) {
  ProcessOptions options;
  options.largest_file = 100'000;
  const ProcessResult result = run_oclide({"view", scene, "-o", page}, options);
  EXPECT_EQ(result.status, 2) << result.err;
  EXPECT_NE(result.err.find(page + ": cannot be written"), std::string::npos) << result.err;
  EXPECT_EQ(folder.count(), 1U);
}

TEST_F(View, PicturesThatCannotBeDrawnAreRefused) {
  std::string picture = folder.file("picture.png");
  const auto refused = [&](std::vector<std::string> options, const std::string& at_fault) {
    options.insert(options.begin(), {"picture", scene, "-o", picture});
    const ProcessResult result = run_oclide(options);
    EXPECT_EQ(result.status, 2) << at_fault << result.err;
    EXPECT_EQ(result.error_lines(), 1U) << result.err;
    EXPECT_NE(result.err.find(at_fault), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(picture)) << at_fault;
  };
  refused({"--width", "0"}, "--width must be from 1 to 16384, got 0");
  refused({"--height", "20000"}, "--height must be from 1 to 16384, got 20000");
  refused({"--time", "1.5"}, "--time must be from 0 to 1");
  refused({"--time", "nan"}, "--time must be from 0 to 1");
  refused({"--film", "0"}, "--film must be from 1 to 1000");
  refused({"--film", "2", "--time", "0.5"}, "excludes --film");
  refused({"--film", "2", "--rate", "0"}, "--rate must be above 0");
  refused({"--distance", "-1"}, "--distance must be positive");
  refused({"--elevation", "91"}, "--elevation must be from -90 to 90");
  refused({"--to", "1,2"}, "--to");
  refused({"--to", "1,2,inf"}, "--to must be at most 1e9 m");
  refused({"--body", "4"}, scene + ": has no body 4");
  refused({"--environment", "3"}, scene + ": has no environment 3");
  refused({"--frame", "3"}, scene + ": --frames 3:4 reaches outside the file, which has 3 frames");
  refused({"--frame", "1", "--frames", "0:2"}, "--frame and --frames exclude each other");
  for (const char* name : {"picture.jpg", "film.GIF"}) {
    picture = folder.file(name);
    refused({}, picture + ": a picture or film is written as PNG: .png or .apng");
  }
}

// What HitWriter and PathWriter write is read again, bit for bit.
TEST(HitFile, IsReadAsItWasWritten) {
  TemporaryFolder folder;
  const std::string file = folder.file("hits.h5");
  std::vector<Hit> hits(3);
  hits[0] = {{1.0, 2.0, 3.0}, 0.1, {0.0F, 0.6F, 0.8F}, 7, 5, 3, 9};
  hits[1] = {{1e4 + 1e-9, 0.0, 0.0}, 0.0, {1.0F, 0.0F, 0.0F}, kTerrain, kNone, 0, 255};
  hits[2].distance = std::numeric_limits<double>::infinity();
  {
    HitWriter writer(file, "a device", "scene.h5", 2, 3, true);
    writer.append(hits);
    writer.append(std::vector<Hit>(3));
    writer.finish();
  }
  const HitReader reader(file);
  ASSERT_EQ(reader.frames(), 2U);
  ASSERT_EQ(reader.rays(), 3U);
  std::vector<Hit> read;
  reader.read_frame(0, read);
  ASSERT_EQ(read.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(read[i].point, hits[i].point);
    EXPECT_EQ(read[i].distance, hits[i].distance);
    EXPECT_EQ(read[i].normal, hits[i].normal);
    EXPECT_EQ(read[i].body, hits[i].body);
    EXPECT_EQ(read[i].element, hits[i].element);
    EXPECT_EQ(read[i].shape, hits[i].shape);
    EXPECT_EQ(read[i].material, hits[i].material);
  }
  const std::string paths_file = folder.file("paths.h5");
  Paths paths;
  paths.offset = {0, 2, 2};
  paths.points = {{{1.0, 2.0, 3.0}, {0.0F, 0.0F, 1.0F}, 4}, {{4.0, 5.0, 6.0}, {}, kNothing}};
  paths.displacement.resize(2);
  paths.outgoing.resize(2);
  paths.end.resize(2);
  PathWriter(paths_file, "a device", "scene.h5").write(paths);
  const Paths found = read_paths(paths_file);
  EXPECT_EQ(found.offset, paths.offset);
  ASSERT_EQ(found.points.size(), 2U);
  EXPECT_EQ(found.points[0].point, paths.points[0].point);
  EXPECT_EQ(found.points[0].normal, paths.points[0].normal);
  EXPECT_EQ(found.points[0].body, 4U);
  // Offsets that lead elsewhere.
  Hdf5Scene(paths_file, Hdf5Scene::Existing{}).put<std::uint64_t>("/paths/offset", {3}, {0, 3, 2});
  try {
    (void)read_paths(paths_file);
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), paths_file + ": /paths/offset[2] is less than the entry before");
  }
}

}  // namespace
}  // namespace oclide::test
