// Colliders of a service (`oclide serve`), used as local ones are. See docs/service.md.
//
//   oclide::Service service = oclide::connect("127.0.0.1:7411");
//   oclide::RemoteCollider collider = service.collider();
//   collider.set_scene(scene);
//   const oclide::RemoteFrame frame = collider.collide({position, orientation});
//
// A library of its own: oclide::client of the CMake package, find_package(oclide COMPONENTS client). Every error is an
// oclide::Error: what the service refuses, also for a client's limits, is Error(invalid_input); what becomes of its
// device, or of the way to it, Error(device).
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "oclide/oclide.hpp"

#if defined(OCLIDE_STATIC) || defined(_WIN32)
#define OCLIDE_CLIENT_API
#else
#define OCLIDE_CLIENT_API __attribute__((visibility("default")))
#endif

namespace oclide {

/// How to reach a service.
struct ConnectOptions {
  std::string token;  ///< one of the service's, where it asks for one; empty: none
  /// PEM file of the authority of the service's certificate, which makes the connection TLS; empty: without.
  std::string certificate_authority;
  std::string certificate, key;       ///< PEM files of this client's own, where the service asks for them; both or none
  bool use_shared_memory = true;      ///< for poses and contacts, where the service is on this machine
  std::chrono::seconds patience{10};  ///< until the service answers connect()
};

/// Of a collider, as in Settings.
struct RemoteSettings {
  double margin = 0.0;
  bool track = false;
  std::function<void(const std::string& line)> on_warning;  ///< as Settings::on_warning
};

/// The contacts of one frame, as of a local Collider. What was counted on the way to them, from `body_candidates` to
/// `device_bytes`, and `milliseconds.total` are of the service's launch, with the frames of others in it. The other
/// times are 0.
struct RemoteFrame : FrameContacts {
  std::uint64_t count = 0;     ///< contacts, also where counts alone were asked for
  float deepest = 0.0F;        ///< largest depth [m], at least 0
  std::uint32_t together = 1;  ///< sessions whose frames were computed in that launch, this one included
};

/// What a scene takes of the service's memory, as in MemoryPlan.
struct RemotePlan {
  std::uint64_t device_bytes = 0, host_bytes = 0, least_device_bytes = 0;
  bool fits = false;
  std::string problem;
};

/// A Collider of a service. One thread at a time, as a local one. What the service has for it is freed with it.
class RemoteCollider {
 public:
  OCLIDE_CLIENT_API ~RemoteCollider();
  OCLIDE_CLIENT_API RemoteCollider(RemoteCollider&&) noexcept;
  OCLIDE_CLIENT_API RemoteCollider& operator=(RemoteCollider&&) noexcept;

  /// Sends the scene, where the service does not have it already, and begins a session with it. The one before ends.
  /// RemoteSettings::on_warning is told of terrains that nothing meets.
  OCLIDE_CLIENT_API void set_scene(const Scene& scene);
  /// Name of the device at work; empty without a session.
  [[nodiscard]] OCLIDE_CLIENT_API const std::string& device() const;
  /// Whether poses and contacts go through memory that client and service share.
  [[nodiscard]] OCLIDE_CLIENT_API bool uses_shared_memory() const;

  /// Contacts of all bodies at these poses. `counts_only`: events and numbers come back, contacts do not.
  [[nodiscard]] OCLIDE_CLIENT_API RemoteFrame collide(const Poses& poses, bool counts_only = false);
  /// As collide(), without waiting for the frame; the poses are copied. A few frames on their way keep the device busy;
  /// where the service takes in no more requests it waits. Frames that are on their way when the session ends throw.
  [[nodiscard]] OCLIDE_CLIENT_API std::future<RemoteFrame> submit(const Poses& poses, bool counts_only = false);
  /// As Collider::cast(), sweep(), overlap() and distance().
  [[nodiscard]] OCLIDE_CLIENT_API RayHits cast(const Poses& poses, const Rays& rays);
  [[nodiscard]] OCLIDE_CLIENT_API FrameImpacts sweep(const Poses& poses, const Motion& motion);
  [[nodiscard]] OCLIDE_CLIENT_API Overlaps overlap(const Poses& poses, const QueryShapes& queries);
  [[nodiscard]] OCLIDE_CLIENT_API Distances distance(const Poses& poses, const QueryPoints& points);
  [[nodiscard]] OCLIDE_CLIENT_API RemotePlan plan(const Poses& poses);

  /// As the calls of Collider, for this collider alone: others that have the same scene keep it as it was. Throws
  /// Error(invalid_input) also where the client's limits would be passed, and nothing has changed.
  OCLIDE_CLIENT_API std::vector<BodyHandle> change(const BodyChanges& changes);
  OCLIDE_CLIENT_API void update_heights(std::size_t terrain, std::size_t first_row, std::size_t first_col,
                                        std::size_t rows, std::size_t cols, std::span<const double> heights);
  OCLIDE_CLIENT_API void update_holes(std::size_t terrain, std::size_t first_row, std::size_t first_col,
                                      std::size_t rows, std::size_t cols, std::span<const std::uint8_t> holes);
  OCLIDE_CLIENT_API void update_material(std::size_t terrain, std::size_t first_row, std::size_t first_col,
                                         std::size_t rows, std::size_t cols, std::span<const std::uint8_t> material);
  OCLIDE_CLIENT_API void move_terrain(std::size_t terrain, std::array<double, 2> origin);
  OCLIDE_CLIENT_API std::vector<std::size_t> change_tiles(const TileChanges& changes);
  [[nodiscard]] OCLIDE_CLIENT_API std::vector<BodyHandle> handles() const;
  [[nodiscard]] OCLIDE_CLIENT_API std::size_t rows() const;

 private:
  friend class Service;
  struct State;
  explicit RemoteCollider(std::unique_ptr<State> state);
  [[nodiscard]] State& state() const;

  std::unique_ptr<State> state_;
};

/// The devices of a service's machine.
struct ServiceDevices {
  std::vector<DeviceInfo> devices;  ///< of each: id, name, platform, is_gpu, usable, memory_bytes
  std::string at_work;              ///< id of the one that is
};

/// A service that was connected to. Any thread. Its colliders may outlive it.
class Service {
 public:
  OCLIDE_CLIENT_API ~Service();
  OCLIDE_CLIENT_API Service(Service&&) noexcept;
  OCLIDE_CLIENT_API Service& operator=(Service&&) noexcept;

  [[nodiscard]] OCLIDE_CLIENT_API RemoteCollider collider(const RemoteSettings& settings = {}) const;
  [[nodiscard]] OCLIDE_CLIENT_API ServiceDevices devices() const;

 private:
  friend OCLIDE_CLIENT_API Service connect(const std::string& address, const ConnectOptions& options);
  friend class RemoteCollider;
  struct State;
  explicit Service(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;
};

/// `address`: as `oclide serve --listen` has it. Throws Error(invalid_input) for files that cannot be read and
/// for what cannot be a token, Error(device) where no service answers, or it asks for a token and gets none of its own.
[[nodiscard]] OCLIDE_CLIENT_API Service connect(const std::string& address = "127.0.0.1:7411",
                                                const ConnectOptions& options = {});

}  // namespace oclide
