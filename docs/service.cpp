// A world that is on a service: balls come and go over ground that moves, and each frame has the contacts and events
// that a Collider in this program finds.
//   service_example ADDRESS [TOKEN]
#include <algorithm>
#include <array>
#include <cstdio>
#include <future>
#include <oclide/client.hpp>
#include <span>
#include <string>
#include <vector>

namespace {

// Ground with balls that touch it.
oclide::Scene make_scene(int balls) {
  oclide::Scene scene;
  oclide::Terrain& ground = scene.terrains.emplace_back();
  ground.rows = ground.cols = 3;
  ground.origin = {-10.0, -10.0};
  ground.spacing = {10.0, 10.0};
  ground.heights = {0.0, 0.1, 0.0, 0.1, 0.0, 0.1, 0.0, 0.1, 0.0};
  ground.tile_of = 0;  // more tiles may come
  scene.bodies.shape.assign(balls, oclide::Shape::sphere);
  scene.bodies.size.assign(balls, {0.5, 0.0, 0.0});
  return scene;
}

bool is_equal(const oclide::FrameContacts& a, const oclide::FrameContacts& b) {
  const auto is_same = [](const oclide::ManifoldEvent& one, const oclide::ManifoldEvent& other) {
    return one.body_a == other.body_a && one.body_b == other.body_b && one.change == other.change &&
           one.manifold == other.manifold && one.previous == other.previous;
  };
  return oclide::contact_hash(a.contacts) == oclide::contact_hash(b.contacts) && a.previous == b.previous &&
         std::equal(a.events.begin(), a.events.end(), b.events.begin(), b.events.end(), is_same);
}

int run(const std::string& address, const oclide::ConnectOptions& options) {
  const oclide::Service service = oclide::connect(address, options);
  oclide::RemoteCollider remote = service.collider({.margin = 0.01, .track = true});
  oclide::Settings settings;
  settings.margin = 0.01;
  settings.track = true;
  oclide::Collider local(settings);

  constexpr int kBalls = 40, kFrames = 6;
  const oclide::Scene scene = make_scene(kBalls);
  remote.set_scene(scene);
  local.set_scene(scene);
  std::vector<double> position, orientation;
  for (int i = 0; i < kBalls; ++i) {
    position.insert(position.end(), {0.7 * (i % 8) - 3.0, 0.7 * (i / 8) - 2.0, 0.45});
    orientation.insert(orientation.end(), {1.0, 0.0, 0.0, 0.0});
  }

  // Frames that are asked for one after another without waiting: the device always has work.
  std::vector<std::future<oclide::RemoteFrame>> frames;
  for (int k = 0; k < kFrames; ++k) {
    position[2] = 0.45 + 0.02 * k;
    frames.push_back(remote.submit({position, orientation}));
  }
  std::size_t contacts = 0, equal = 0, ended = 0;
  for (int k = 0; k < kFrames; ++k) {
    position[2] = 0.45 + 0.02 * k;
    const oclide::RemoteFrame found = frames[k].get();
    contacts += found.contacts.size();
    equal += is_equal(found, local.collide({position, orientation})) ? 1 : 0;
  }

  // A change is this collider's alone: whoever has the same scene keeps it.
  for (int k = 0; k < kFrames; ++k) {
    oclide::BodyChanges changes;
    changes.removed = {remote.handles().front()};
    changes.added.shape = {oclide::Shape::box, oclide::Shape::sphere};
    changes.added.size = {{0.3, 0.3, 0.3}, {0.4, 0.0, 0.0}};
    const bool are_equal = remote.change(changes) == local.change(changes) && remote.handles() == local.handles();
    const std::array<double, 1> height{0.02 * k};
    remote.update_heights(0, 1, 1, 1, 1, height);
    local.update_heights(0, 1, 1, 1, 1, height);
    remote.move_terrain(0, {-10.0 - 0.1 * k, -10.0});
    local.move_terrain(0, {-10.0 - 0.1 * k, -10.0});
    while (position.size() < 3 * remote.rows()) {
      position.insert(position.end(), {0.5 * k - 1.0, 3.0, 0.3});
      orientation.insert(orientation.end(), {1.0, 0.0, 0.0, 0.0});
    }
    const oclide::Poses poses{position, orientation};
    const oclide::RemoteFrame found = remote.collide(poses);
    contacts += found.contacts.size();
    for (const oclide::ManifoldEvent& event : found.events) ended += event.change == oclide::Change::end ? 1 : 0;
    equal += are_equal && is_equal(found, local.collide(poses)) ? 1 : 0;
  }

  // Tiles of the ground come and go.
  oclide::TileChanges tiles;
  tiles.added.push_back(scene.terrains[0]);
  tiles.added[0].origin = {9.5, -10.0};
  tiles.added[0].heights = {0.0, 0.2, 0.0, 0.1, 0.2, 0.0, 0.0, 0.2, 0.0};
  position[0] = 15.0;
  position[2] = 0.4;
  bool tiles_are_equal = remote.change_tiles(tiles) == local.change_tiles(tiles);
  for (int k = 0; k < 2; ++k) {
    const oclide::RemoteFrame found = remote.collide({position, orientation});
    const bool touches = !found.contacts.empty() && found.contacts[0].body_a == 0;
    tiles_are_equal = tiles_are_equal && touches == (k == 0) && is_equal(found, local.collide({position, orientation}));
    const oclide::TileChanges gone{0, {1}, {}};
    if (k == 0) tiles_are_equal = tiles_are_equal && remote.change_tiles(gone) == local.change_tiles(gone);
  }

  // Rays, sweeps, shapes and points.
  const oclide::Poses poses{position, orientation};
  const std::vector<double> origin{0.1, 0.1, 5.0}, down{0.0, 0.0, -1.0}, falls(position.size(), -0.2);
  const bool hits_are_equal = oclide::hit_hash(remote.cast(poses, {origin, down, {}, {}, {}}).hits) ==
                              oclide::hit_hash(local.cast(poses, {origin, down, {}, {}, {}}).hits);
  const oclide::FrameImpacts impacts = remote.sweep(poses, {falls, {}});
  const bool impacts_are_equal =
      oclide::impact_hash(impacts.impacts) == oclide::impact_hash(local.sweep(poses, {falls, {}}).impacts);

  const std::vector<oclide::Shape> shape{oclide::Shape::capsule};
  const std::vector<std::array<double, 3>> size{{0.3, 0.4, 0.0}};
  const std::vector<double> where{0.1, 0.1, 0.9, 0.1, 0.1, 5.0}, turned{1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
  const oclide::Overlaps overlaps = remote.overlap(poses, {shape, size, where, turned, {}, {}, {}, true});
  const bool overlaps_are_equal =
      overlaps.overlaps == std::vector<std::uint8_t>{1, 0} &&
      overlaps.body == local.overlap(poses, {shape, size, where, turned, {}, {}, {}, true}).body;
  const bool distances_are_equal = oclide::hit_hash(remote.distance(poses, {where, {}, {}, {}}).nearest) ==
                                   oclide::hit_hash(local.distance(poses, {where, {}, {}, {}}).nearest);

  // What the service refuses is an oclide::Error, and the session goes on.
  bool is_refused = false;
  try {
    (void)remote.collide({std::span(position).first(3), orientation});
  } catch (const oclide::Error& error) {
    is_refused = error.kind() == oclide::ErrorKind::invalid_input;
  }
  std::printf("%zu of %d frames are equal: %zu contacts, %zu manifolds that ended, %zu impacts; hits %s\n", equal,
              2 * kFrames, contacts, ended, impacts.impacts.size(), hits_are_equal ? "equal" : "differ");
  const bool holds = equal == 2 * kFrames && contacts > 0 && ended > 0 && !impacts.impacts.empty() && hits_are_equal &&
                     impacts_are_equal && tiles_are_equal && overlaps_are_equal && distances_are_equal && is_refused &&
                     remote.collide(poses).count > 0;
  return holds ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  try {
    oclide::ConnectOptions options;
    if (argc > 2) options.token = argv[2];
    return run(argv[1], options);
  } catch (const oclide::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.kind() == oclide::ErrorKind::invalid_input ? 2 : 3;
  }
}
