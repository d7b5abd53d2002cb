// What one client has: its scene, its requests that wait, and the replies that it may be sent. Knows nothing of how
// messages travel.
#pragma once

#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "oclide.pb.h"
#include "service/account.hpp"
#include "service/engine.hpp"
#include "service/frame_follower.hpp"
#include "service/metrics.hpp"
#include "service/scene_arrays.hpp"
#include "service/shared_segment.hpp"
#include "service/stored_scene.hpp"

namespace oclide::service {

/// A message that no client of ours sends: it ends the session.
class ProtocolError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What all sessions share.
struct Shared {
  Engine& engine;
  SceneStore& scenes;
  Accounts& accounts;
  Metrics& metrics;
  /// Runs a function on some thread that may be busy for long.
  std::function<void(std::function<void()>)> in_background;
};

/// The way back to the client. Any thread. After Session::close() it is not called any more.
class Outlet {
 public:
  virtual ~Outlet() = default;
  virtual void send(v1::Reply reply) = 0;
  /// There may be room in the window again.
  virtual void window_changed() = 0;
};

class Session final : public TaskQueue, public std::enable_shared_from_this<Session> {
 public:
  /// `is_local`: the client is on this machine. Throws LimitError.
  Session(Shared shared, const std::string& client, bool is_local, Outlet& outlet);

  // Of the transport, one call at a time:
  /// Throws ProtocolError.
  void receive(std::unique_ptr<v1::Request> request);
  /// Whether a further request may be taken in.
  [[nodiscard]] bool has_room();
  /// Whether requests wait, or are at work.
  [[nodiscard]] bool is_busy();
  /// A reply of so many bytes has gone out.
  void reply_sent(std::uint64_t bytes);
  /// It is no longer counted as its client's, unless it is at work.
  void leave();
  /// Frees what it has. Waits for a reply that is just being handed over.
  void close();

  // Of the engine:
  [[nodiscard]] const std::string& client() const override { return client_; }
  [[nodiscard]] SharedScene scene() override;
  [[nodiscard]] double margin() const override { return margin_; }
  [[nodiscard]] bool has_task() override;
  [[nodiscard]] bool has_frame() override;
  [[nodiscard]] std::optional<Task> take() override;

  /// Requests that are taken in before the first of them is done.
  static constexpr std::size_t kWindow = 8;
  /// Replies that wait to be sent at most.
  static constexpr std::uint64_t kMostCredit = 64;
  /// Contacts of a reply; more come in several.
  static constexpr std::size_t kMostContacts = 1U << 20;

 private:
  using RequestPointer = std::shared_ptr<v1::Request>;
  struct Waiting {
    RequestPointer request;
    std::uint64_t bytes = 0;  // that it counts
    std::string refusal;      // why it is not done: then nothing but the id is left of it
  };

  void open(const v1::Request& request);
  void add_array(v1::Request& request);
  void check_scene(std::uint64_t id);
  void use_scene(SharedScene scene);
  void enqueue(RequestPointer request);
  // With the lock: whether the next request may be answered.
  [[nodiscard]] bool may_answer() const;

  // `bodies`: rows of the scene.
  [[nodiscard]] Task task_of(const RequestPointer& request, std::size_t bodies);
  [[nodiscard]] Task frame_task(const RequestPointer& request, std::size_t bodies);
  void answer_frame(const v1::Request& request, std::span<const double> position, const FoundFrame& found);

  // Of session_queries.cpp.
  [[nodiscard]] SharedScene scene_at_work();
  [[nodiscard]] Task cast_task(const RequestPointer& request, std::size_t bodies);
  [[nodiscard]] Task sweep_task(const RequestPointer& request, std::size_t bodies);
  [[nodiscard]] Task overlap_task(const RequestPointer& request, std::size_t bodies);
  [[nodiscard]] Task distance_task(const RequestPointer& request, std::size_t bodies);
  [[nodiscard]] Task plan_task(const RequestPointer& request, std::size_t bodies);

  // Of session_changes.cpp: changes of the scene. Each takes a request of its kind and changes the session's own scene;
  // then, where there is a collider that has it, `there` is changed likewise. A request that cannot be done has changed
  // nothing.
  using ColliderChange = std::function<void(SceneCollider&)>;
  [[nodiscard]] Task change_task(const RequestPointer& request);
  [[nodiscard]] ColliderChange change_heights(const v1::Heights& change, StoredScene& own);
  [[nodiscard]] ColliderChange change_cells(const v1::Cells& change, StoredScene& own);
  [[nodiscard]] ColliderChange move_terrain(const v1::MoveTerrain& change, StoredScene& own);
  [[nodiscard]] ColliderChange change_tiles(v1::ChangeTiles& change, StoredScene& own, v1::ChangeTilesReply& reply);
  [[nodiscard]] ColliderChange change_bodies(v1::Change& change, StoredScene& own, v1::ChangeReply& reply);

  /// A copy of the numbers of a payload, as many as `count` (any number for nullopt). Throws Error naming `name`.
  template <class T>
  [[nodiscard]] std::shared_ptr<const std::vector<T>> numbers_of(const v1::Payload& payload, const char* name,
                                                                 std::optional<std::size_t> count) const {
    // Copied: what a client changes meanwhile in memory that it shares must not change under a check.
    const std::span<const char> bytes =
        bytes_of(payload, name, sizeof(T), count ? std::optional(*count * sizeof(T)) : std::nullopt);
    auto numbers = std::make_shared<std::vector<T>>(bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(numbers->data(), bytes.data(), bytes.size());
    return numbers;
  }
  [[nodiscard]] std::span<const char> bytes_of(const v1::Payload& payload, const char* name, std::size_t each,
                                               std::optional<std::size_t> expected) const;
  void put(v1::Payload& to, const v1::Payload& room, std::uint64_t& used, const void* bytes, std::size_t count) const;
  void send(v1::Reply reply, bool is_last);
  void send_problem(std::uint64_t id, v1::Problem::Kind kind, const std::string& message);

  Shared shared_;
  std::string client_;
  Accounts::Share share_;
  bool is_local_;
  std::unique_ptr<SharedSegment> segment_;
  double margin_ = 0.0;
  // Of the engine's thread once the scene is there.
  std::optional<FrameFollower> follower_;  // with Open.track
  std::vector<std::uint32_t> replaced_;    // rows with other bodies than in the last frame, ascending

  std::mutex outlet_mutex_;  // held while something is handed over
  Outlet* outlet_;           // null once closed

  std::mutex mutex_;  // of all below
  enum class State { begun, filling, checking, ready } state_ = State::begun;
  SceneArrays arrays_;
  std::uint64_t array_bytes_ = 0;
  SharedScene scene_;
  std::deque<Waiting> requests_;
  std::uint64_t bytes_at_work_ = 0;
  std::uint64_t credit_ = 0;
  bool is_at_work_ = false, is_closed_ = false;
};

}  // namespace oclide::service
