// oclide against Bullet 3 on the same bodies and terrain, in turn, in one run.
//
//   bench_terrain_bullet SCENE.h5 [COPIES [REPETITIONS [DEVICE]]]
//
// The scene's bodies are taken COPIES times over. Both sides are timed from poses in host memory to contacts in host
// memory; minimum and median of the repetitions. Where the file has /truth/touches_terrain, both are held to it: a
// time without its misses says nothing. One JSON object on standard output.
#include <hdf5.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "peers/bullet_terrain.hpp"
#include "scene_file.hpp"

namespace {

using oclide::Contact;

// Before a SceneReader has the file: HDF5 opens no file twice in different ways.
std::vector<std::uint8_t> read_truth(const char* file) {
  std::vector<std::uint8_t> truth;
  const hid_t f = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (f < 0) return truth;
  if (H5Lexists(f, "/truth", H5P_DEFAULT) > 0 && H5Lexists(f, "/truth/touches_terrain", H5P_DEFAULT) > 0) {
    const hid_t d = H5Dopen2(f, "/truth/touches_terrain", H5P_DEFAULT);
    const hid_t space = H5Dget_space(d);
    truth.resize(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    H5Sclose(space);
    if (H5Dread(d, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, truth.data()) < 0) truth.clear();
    H5Dclose(d);
  }
  H5Fclose(f);
  return truth;
}

struct Times {
  std::vector<double> all;
  [[nodiscard]] double median() {
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
  }
  [[nodiscard]] double least() const { return *std::min_element(all.begin(), all.end()); }
};

struct Misses {
  std::uint64_t missed = 0, spurious = 0;
};

Misses compare(const std::vector<std::uint8_t>& truth, const std::vector<std::uint8_t>& touching) {
  Misses m;
  for (std::size_t i = 0; i < touching.size() && !truth.empty(); ++i) {
    const bool true_touch = truth[i % truth.size()] != 0;
    m.missed += true_touch && touching[i] == 0 ? 1 : 0;
    m.spurious += !true_touch && touching[i] != 0 ? 1 : 0;
  }
  return m;
}

int run(int argc, char** argv) {
  const int copies = argc > 2 ? std::atoi(argv[2]) : 1;
  const int repetitions = argc > 3 ? std::atoi(argv[3]) : 10;
  if (copies < 1 || repetitions < 1) throw oclide::Error(oclide::ErrorKind::invalid_input, "counts must be positive");
  const std::vector<std::uint8_t> truth = read_truth(argv[1]);
  oclide::SceneReader reader(argv[1]);
  oclide::Frame one, frame;
  reader.read_frame(0, one);
  const oclide::Scene& source = reader.scene();
  oclide::Scene scene;
  scene.terrains = source.terrains;
  for (int c = 0; c < copies; ++c) {
    scene.bodies.shape.insert(scene.bodies.shape.end(), source.bodies.shape.begin(), source.bodies.shape.end());
    scene.bodies.size.insert(scene.bodies.size.end(), source.bodies.size.begin(), source.bodies.size.end());
    frame.position.insert(frame.position.end(), one.position.begin(), one.position.end());
    frame.orientation.insert(frame.orientation.end(), one.orientation.begin(), one.orientation.end());
  }
  scene.bodies.group.assign(scene.bodies.count(), 1);  // bodies meet terrain alone

  oclide::Settings settings;
  if (argc > 4) settings.device = argv[4];
  oclide::Collider collider(settings);
  collider.set_scene(scene);
  oclide::bench::BulletTerrain bullet(scene);

  Times ours, theirs;
  oclide::FrameContacts contacts;
  oclide::bench::BulletTerrain::Result bullet_result;
  contacts = collider.collide(frame.poses());  // warm up: kernels compiled, buffers grown
  bullet_result = bullet.collide(frame.poses());
  for (int r = 0; r < repetitions; ++r) {
    contacts = collider.collide(frame.poses());
    ours.all.push_back(contacts.milliseconds.total);
    bullet_result = bullet.collide(frame.poses());
    theirs.all.push_back(bullet_result.milliseconds);
  }
  std::vector<std::uint8_t> touching(scene.bodies.count());
  for (const Contact& c : contacts.contacts) touching[c.body_a] = 1;
  const Misses own = compare(truth, touching), other = compare(truth, bullet_result.touching);

  std::printf("{\"scene\": \"%s\", \"bodies\": %zu, \"repetitions\": %d, \"host_threads\": %u, \"truth\": %s,\n",
              std::filesystem::path(argv[1]).filename().c_str(), scene.bodies.count(), repetitions,
              std::thread::hardware_concurrency(), truth.empty() ? "false" : "true");
  std::printf(
      " \"oclide\": {\"device\": \"%s\", \"median_ms\": %.2f, \"least_ms\": %.2f, \"contacts\": %zu, "
      "\"pairs\": %llu, \"missed\": %llu, \"spurious\": %llu, \"hash\": \"%016llx\",\n"
      "   \"stages_ms\": {\"upload\": %.2f, \"broad_phase\": %.2f, \"narrow_phase\": %.2f, "
      "\"contact_reduction\": %.2f, \"download\": %.2f}},\n",
      collider.device().name.c_str(), ours.median(), ours.least(), contacts.contacts.size(),
      static_cast<unsigned long long>(contacts.pairs), static_cast<unsigned long long>(own.missed),
      static_cast<unsigned long long>(own.spurious),
      static_cast<unsigned long long>(oclide::contact_hash(contacts.contacts)), contacts.milliseconds.upload,
      contacts.milliseconds.broad_phase, contacts.milliseconds.narrow_phase, contacts.milliseconds.contact_reduction,
      contacts.milliseconds.download);
  std::printf(
      " \"bullet\": {\"threads\": 1, \"median_ms\": %.2f, \"least_ms\": %.2f, \"contacts\": %llu, "
      "\"missed\": %llu, \"spurious\": %llu},\n",
      theirs.median(), theirs.least(), static_cast<unsigned long long>(bullet_result.contacts),
      static_cast<unsigned long long>(other.missed), static_cast<unsigned long long>(other.spurious));
  std::printf(" \"bullet_over_oclide\": %.2f}\n", theirs.median() / ours.median());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 5) {
    std::fprintf(stderr, "usage: bench_terrain_bullet SCENE.h5 [COPIES [REPETITIONS [DEVICE]]]\n");
    return 2;
  }
  try {
    return run(argc, argv);
  } catch (const oclide::Error& e) {
    std::fprintf(stderr, "bench_terrain_bullet: %s\n", e.what());
    return e.kind() == oclide::ErrorKind::invalid_input ? 2 : 3;
  }
}
