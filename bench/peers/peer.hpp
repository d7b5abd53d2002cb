// An engine that finds the contacts of a scene: oclide itself and those it is compared with, behind one interface.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "oclide/oclide.hpp"

namespace oclide::bench {

/// Two bodies, the smaller index first, or a body and kTerrain, and how deep they touch.
struct Touch {
  std::array<std::uint32_t, 2> bodies{};
  double depth = 0.0;  ///< the deepest point's [m], >= 0
};

/// Who an engine is and how it was set up.
struct PeerInfo {
  std::string engine;
  std::string version;
  std::string settings;  ///< one line
  std::string note;      ///< what it means by a contact where that differs, in one sentence
  std::string device = "host";
  std::string device_id = "host";
  std::string driver;
  unsigned threads = 1;
};

/// Numbers of one collide().
struct PeerFrame {
  std::uint64_t points = 0;                            ///< contact points with depth >= 0
  std::vector<std::pair<std::string, double>> stages;  ///< times of its own stages [ms], where it knows them
  std::optional<double> device_ms;                     ///< the stages on the device's own clock
};

class Peer {
 public:
  virtual ~Peer() = default;

  [[nodiscard]] virtual PeerInfo info() const = 0;
  /// Once, before all else; not timed. Throws Error(invalid_input) for what the engine does not have.
  virtual void set_scene(const Scene& scene, const Poses& first) = 0;
  /// From poses to contact points in host memory: what is timed.
  virtual PeerFrame collide(const Poses& poses) = 0;
  /// What touched in the last collide(), sorted by bodies, each pair once.
  [[nodiscard]] virtual std::vector<Touch> touching() const = 0;
  /// Pairs that the broad phase handed on in the last collide(), where known.
  [[nodiscard]] virtual std::optional<std::uint64_t> candidates() const { return {}; }
  /// Most bytes of device memory held so far, where the engine has a device.
  [[nodiscard]] virtual std::optional<std::uint64_t> peak_device_bytes() const { return {}; }
};

/// Bodies of one environment: engines without environments get a world for each.
struct World {
  std::vector<std::uint32_t> bodies;  ///< indices in the scene, half spaces first; no meshes
  std::vector<std::uint32_t> meshes;  ///< bodies that are meshes
  std::size_t half_spaces = 0;        ///< how many of them are
  std::int32_t terrain = -1;          ///< index in the scene, -1 for none
  bool bodies_meet = true;            ///< not all are of one group
  bool is_filtered = false;           ///< which bodies meet depends on groups, categories or masks
};
[[nodiscard]] std::vector<World> split_worlds(const Scene& scene);
/// By group, category and mask; both of one environment.
[[nodiscard]] bool may_meet(const Bodies& bodies, std::size_t a, std::size_t b);
/// Throws Error(invalid_input) where a terrain that a world uses has holes or vertices without data, what no adapter
/// has, or where there are meshes and the adapter `has_meshes` not.
void check_for_peers(const std::string& engine, const Scene& scene, bool has_meshes);
/// Sorts, and keeps of each pair the deepest.
void sort_touches(std::vector<Touch>& touches);

struct PeerOptions {
  std::string device = "auto";          ///< oclide's
  std::optional<double> bullet_margin;  ///< of the edges of Bullet's boxes and cylinders [m]; its own where not given
};

/// Names of the engines of this build that run in C++, "oclide" first.
[[nodiscard]] std::vector<std::string> compiled_peers();
/// Throws Error(invalid_input) for a name that is not in compiled_peers().
[[nodiscard]] std::unique_ptr<Peer> make_peer(const std::string& name, const PeerOptions& options);

// One a file of this folder.
std::unique_ptr<Peer> make_oclide_peer(const PeerOptions& options);
std::unique_ptr<Peer> make_bullet_peer(const PeerOptions& options);
std::unique_ptr<Peer> make_ode_peer();
std::unique_ptr<Peer> make_fcl_peer();

}  // namespace oclide::bench
