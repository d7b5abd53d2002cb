// Recordings keep what a run was made of, are scene files themselves, and are refused where they are damaged.
#include "files/recording.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "files/hdf5_scene.hpp"
#include "support/temporary_folder.hpp"

namespace oclide {
namespace {

using test::Hdf5Scene;

// A scene whose heights no float holds, with two frames and some contacts of each.
class Recording : public ::testing::Test {
 protected:
  Recording() {
    Terrain terrain;
    terrain.rows = 2;
    terrain.cols = 3;
    terrain.heights = {0.1, 1.0 / 3.0, 0.2, 1e-9, -0.7, 1e5 + 1e-9};
    scene.terrains.push_back(terrain);
    scene.bodies.shape = {Shape::sphere, Shape::box};
    scene.bodies.size = {{0.1, 0.0, 0.0}, {1.0 / 3.0, 0.2, 0.3}};
    scene.hulls = {{{0.0, 0.0, 1.0 / 3.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, -1.0}}};
    scene.meshes.resize(1);
    scene.meshes[0].vertices = {{0.0, 0.0, 1.0 / 3.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    scene.meshes[0].triangles = {{0, 1, 2}};
    info.scene = "scene.h5";
    info.first_frame = 7;
    info.library_version = "1.2.3";
    info.device_id = "opencl:1";
    info.device_name = "Some device";
    info.device_version = "OpenCL 3.0";
    info.driver = "4.5";
    info.device_asked = "auto";
    info.margin = 1.0 / 3.0;
    info.memory_limit = 123456789;
    for (std::size_t f = 0; f < 3; ++f) {
      Frame frame{{0.1 * static_cast<double>(f), 1.0 / 7.0, 0.3, 4.0, 5.0, 6.0},
                  {1.0, 0.0, 0.0, 0.1, 2.0, 1.0, 0.0, 0.0}};
      std::vector<Contact> found(f + 1);
      for (Contact& c : found) c.depth = 0.25F * static_cast<float>(f);
      frames.push_back(frame);
      contacts.push_back(found);
    }
  }

  void write() const {
    RecordingWriter writer(name, scene, frames.size(), info);
    for (std::size_t f = 0; f < frames.size(); ++f) writer.append(frames[f].poses(), contacts[f]);
    writer.finish();
  }

  // Writes one and then damages it; reading it must fail with this in its message.
  void expect_refused(const std::string& at_fault, const std::function<void(Hdf5Scene&)>& damage) const {
    write();
    {
      Hdf5Scene file(name, Hdf5Scene::Existing{});
      damage(file);
    }
    try {
      const RecordingReader reader(name);
      ADD_FAILURE() << "read in spite of: " << at_fault;
    } catch (const Error& e) {
      const std::string what = e.what();
      EXPECT_EQ(e.kind(), ErrorKind::invalid_input);
      EXPECT_EQ(what.find(name), 0U) << what;
      EXPECT_NE(what.find(at_fault), std::string::npos) << what;
      EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    }
  }

  test::TemporaryFolder folder;
  std::string name = folder.file("recording.h5");
  Scene scene;
  RecordingInfo info;
  std::vector<Frame> frames;
  std::vector<std::vector<Contact>> contacts;
};

TEST_F(Recording, ReadsBackAsItWasToTheLastBit) {
  write();
  RecordingReader reader(name);
  EXPECT_EQ(reader.info().scene, info.scene);
  EXPECT_EQ(reader.info().first_frame, info.first_frame);
  EXPECT_EQ(reader.info().library_version, info.library_version);
  EXPECT_EQ(reader.info().device_id, info.device_id);
  EXPECT_EQ(reader.info().device_name, info.device_name);
  EXPECT_EQ(reader.info().device_version, info.device_version);
  EXPECT_EQ(reader.info().driver, info.driver);
  EXPECT_EQ(reader.info().is_reference, info.is_reference);
  EXPECT_EQ(reader.info().device_asked, info.device_asked);
  EXPECT_EQ(reader.info().margin, info.margin);
  EXPECT_EQ(reader.info().memory_limit, info.memory_limit);
  ASSERT_EQ(reader.frames().size(), 3U);
  std::uint64_t hash = 0;
  for (std::size_t f = 0; f < 3; ++f) {
    EXPECT_EQ(reader.frames()[f].contacts, f + 1);
    EXPECT_EQ(reader.frames()[f].hash, contact_hash(contacts[f]));
    hash = contact_hash(contacts[f], hash);
  }
  EXPECT_EQ(reader.hash(), hash);
}

TEST_F(Recording, IsASceneFileWithTheSameBits) {
  write();
  SceneReader reader(name);
  EXPECT_EQ(reader.scene().terrains[0].heights, scene.terrains[0].heights);
  EXPECT_EQ(reader.scene().bodies.size, scene.bodies.size);
  EXPECT_EQ(reader.scene().hulls, scene.hulls);
  EXPECT_EQ(reader.scene().meshes.at(0).vertices, scene.meshes[0].vertices);
  ASSERT_EQ(reader.frames(), 3U);
  for (std::size_t f = 0; f < 3; ++f) {
    Frame frame;
    reader.read_frame(f, frame);
    EXPECT_EQ(frame.position, frames[f].position);
    EXPECT_EQ(frame.orientation, frames[f].orientation);
  }
}

TEST_F(Recording, WithoutItsEndLeavesNoFile) {
  {
    RecordingWriter writer(name, scene, frames.size(), info);
    writer.append(frames[0].poses(), contacts[0]);
  }
  EXPECT_EQ(folder.count(), 0U);
}

TEST_F(Recording, IsRefusedWhereItIsDamaged) {
  expect_refused("/recording: group is missing", [](Hdf5Scene& f) { f.remove("/recording"); });
  expect_refused("/recording: attribute 'version' is 2",
                 [](Hdf5Scene& f) { f.attribute("/recording", "version", std::int64_t{2}); });
  expect_refused("'version' is missing", [](Hdf5Scene& f) { f.remove_attribute("/recording", "version"); });
  expect_refused("/recording/hash: dataset is missing", [](Hdf5Scene& f) { f.remove("/recording/hash"); });
  expect_refused("/recording/hash has extent (2)", [](Hdf5Scene& f) {
    f.put<std::uint64_t>("/recording/hash", {2}, {1, 2});
  });
  expect_refused("/recording/hash must hold whole numbers", [](Hdf5Scene& f) {
    f.put<double>("/recording/hash", {3}, {1, 2, 3});
  });
  expect_refused("/recording/contacts has extent (4)", [](Hdf5Scene& f) {
    f.put<std::uint64_t>("/recording/contacts", {4}, {1, 2, 3, 4});
  });
  expect_refused("/recording/contacts[1] is -2", [](Hdf5Scene& f) {
    f.put<std::int64_t>("/recording/contacts", {3}, {1, -2, 3});
  });
  expect_refused("/recording/contact_hash: dataset is missing",
                 [](Hdf5Scene& f) { f.remove("/recording/contact_hash"); });
  expect_refused("'margin' must be finite", [](Hdf5Scene& f) { f.attribute("/recording", "margin", -0.5); });
  expect_refused("'margin' must be one number",
                 [](Hdf5Scene& f) { f.attribute("/recording", "margin", std::string("much")); });
  expect_refused("'device' is missing", [](Hdf5Scene& f) { f.remove_attribute("/recording", "device"); });
  expect_refused("'memory_limit' is -1",
                 [](Hdf5Scene& f) { f.attribute("/recording", "memory_limit", std::int64_t{-1}); });
}

TEST_F(Recording, CheckFindsTheFirstFrameThatDiffers) {
  write();
  const RecordingReader reader(name);
  RecordingCheck same(reader);
  for (std::size_t f = 0; f < 3; ++f) same.add(f, contacts[f]);
  EXPECT_FALSE(same.first());
  EXPECT_EQ(same.hash(), reader.hash());

  RecordingCheck check(reader);
  contacts[1][0].normal[2] = 1.0F;
  contacts[2].pop_back();
  for (std::size_t f = 0; f < 3; ++f) check.add(f, contacts[f]);
  ASSERT_TRUE(check.first());
  EXPECT_EQ(check.first()->frame, 1U);
  EXPECT_EQ(check.first()->recorded.contacts, 2U);
  EXPECT_NE(check.first()->recorded.hash, check.first()->found.hash);
  EXPECT_EQ(check.differing(), 2U);
  EXPECT_EQ(check.frames(), 3U);
  EXPECT_NE(check.hash(), reader.hash());
}

TEST_F(Recording, OfTheReferenceIsForTheReference) {
  DeviceInfo device, reference;
  reference.is_reference = true;
  EXPECT_NO_THROW(check_replay_device(info, device, name));
  EXPECT_THROW(check_replay_device(info, reference, name), Error);
  info.is_reference = true;
  EXPECT_THROW(check_replay_device(info, device, name), Error);
  EXPECT_NO_THROW(check_replay_device(info, reference, name));
  EXPECT_EQ(replay_device(info), "reference");
  info.is_reference = false;
  EXPECT_EQ(replay_device(info), "auto") << "there is no such device here";
}

}  // namespace
}  // namespace oclide
