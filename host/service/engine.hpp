// The thread that has the device. Sessions hand it tasks; it takes one session after another, one task of each at a
// time, and of long ones a part, so that none waits for all that another has asked for. Frames of small scenes that
// wait at the same time are computed in one launch.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "oclide/oclide.hpp"
#include "service/stored_scene.hpp"

namespace oclide::service {

/// The contacts of a frame that was computed.
struct FoundFrame {
  std::span<const Contact> contacts;
  const FrameContacts& launch;  ///< all that was found with it
  double milliseconds = 0.0;    ///< of the launch
  std::uint32_t together = 1;
};

/// One request of a session.
struct Task {
  SharedScene scene;  ///< what the session has; never null
  /// A frame: its poses, which the task keeps, and what is done with the contacts. Else empty.
  Poses poses;
  std::function<void(const FoundFrame&)> frame;
  /// Else what there is to do with a collider that has the scene. False: that was a part of it, and others have their
  /// turn before the next one.
  std::function<bool(Collider&)> work;
  /// Else what needs none, and changes the one that has the scene, null where none has. False: that one is of no use
  /// any more.
  std::function<bool(SceneCollider*)> change;
  /// Where that is to have one if at all possible: the session's own scene, null where it has ended.
  std::function<SharedScene()> own;
  /// For each of these: what is said instead, where an error is thrown.
  std::function<void(const Error&)> fail;
};

/// What the engine sees of a session. The engine's thread calls these.
class TaskQueue {
 public:
  virtual ~TaskQueue() = default;
  /// Whose turns it takes.
  [[nodiscard]] virtual const std::string& client() const = 0;
  [[nodiscard]] virtual SharedScene scene() = 0;
  [[nodiscard]] virtual double margin() const = 0;
  /// Whether there is a task whose answer may be sent; and that the next one is a frame.
  [[nodiscard]] virtual bool has_task() = 0;
  [[nodiscard]] virtual bool has_frame() = 0;
  /// The next one; none where the session has ended meanwhile.
  [[nodiscard]] virtual std::optional<Task> take() = 0;
};

struct EngineCounts {
  std::uint64_t launches = 0;  ///< frames computed, those together once
  std::uint64_t frames = 0;    ///< answered
  std::uint64_t tasks = 0;
  double busy_seconds = 0.0;
};

class Engine {
 public:
  /// `settings`: of all colliders, but for the margin. Opens the device: throws Error as Collider does.
  explicit Engine(Settings settings);
  /// Ends the task at work and no other.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  [[nodiscard]] const DeviceInfo& device() const { return device_; }
  [[nodiscard]] const Settings& settings() const { return settings_; }
  /// The session has a task. Any thread.
  void wake(std::shared_ptr<TaskQueue> session);
  /// A session has ended, or has another scene: colliders whose scene nobody has are freed. Any thread.
  void scene_left();
  [[nodiscard]] EngineCounts counts();
  /// Waits for the end of the task that the device has, which nothing stops, but not beyond this time. Whether it has
  /// none any more.
  [[nodiscard]] bool wait_until_idle(std::chrono::steady_clock::time_point end);

  /// Scenes of at most so many bodies (or parts of them) and bytes are computed together; so many at most at a time.
  static constexpr std::size_t kSmallScene = 4096, kMostTogether = 65536;
  static constexpr std::uint64_t kSmallBytes = 1U << 20;
  /// A session that has not asked for a frame in so many launches of others is computed with them no more.
  static constexpr std::uint32_t kIdleLaunches = 64;
  /// Colliders that are kept, each with a scene.
  static constexpr std::size_t kColliders = 16;

 private:
  using Session = std::shared_ptr<TaskQueue>;
  struct Pooled {
    SharedScene scene;
    double margin = 0.0;
    std::unique_ptr<SceneCollider> collider;
  };
  struct Member {
    std::weak_ptr<TaskQueue> session;
    SharedScene scene;
    std::size_t first = 0, count = 0;  // its bodies
    std::uint32_t idle = 0;            // launches since its last frame
  };
  struct Crowd {
    std::unique_ptr<Collider> collider;
    std::vector<Member> members;
    std::vector<double> position, orientation;
  };
  using CrowdKey = std::pair<double, bool>;  // margin, Bodies::either_mask
  struct Work {
    Session session;
    Task task;
  };

  void run(const std::stop_token& stop);
  // Of `ready_`, which is not empty.
  [[nodiscard]] Session take_next();
  [[nodiscard]] std::vector<Session> next_sessions(const std::stop_token& stop);
  void work_on(const std::vector<Session>& sessions);
  void run_alone(Work& work, double margin);
  // False where more is left of the task.
  [[nodiscard]] bool run_with_collider(Task& task, double margin);
  [[nodiscard]] std::vector<Work>::iterator find_unfinished(const Session& session);
  void run_together(std::vector<Work>& work, double margin);
  [[nodiscard]] static Member* find_member(Crowd& crowd, const Work& work);
  void join(Crowd& crowd, const std::vector<Work>& work, double margin);
  [[nodiscard]] SceneCollider* find_pooled(const SharedScene& scene, double margin);
  [[nodiscard]] SceneCollider& collider_with(const SharedScene& scene, double margin);
  // Null where that fails.
  [[nodiscard]] SceneCollider* collider_if_there_is_room(const SharedScene& scene, double margin);
  // The scene gets back what the collider alone knows.
  static void give_up(const Pooled& pooled);
  void free_unused();

  Settings settings_;
  DeviceInfo device_;
  std::mutex mutex_;
  std::condition_variable_any ready_changed_;
  std::condition_variable idle_;
  std::deque<Session> ready_;                       // each once
  std::map<std::string, std::uint64_t> last_turn_;  // by client: which one that was
  std::uint64_t turns_ = 0;
  bool scene_left_ = false, is_at_work_ = false;
  EngineCounts counts_;
  // Of the engine's thread.
  std::list<Pooled> pool_;  // the one used last first
  std::map<CrowdKey, Crowd> crowds_;
  std::vector<Work> unfinished_;  // whose sessions are ready
  std::jthread thread_;
};

}  // namespace oclide::service
