#include "service/engine.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "scene/scene_check.hpp"
#include "scene/unused_terrains.hpp"
#include "service/merged_scene.hpp"

namespace oclide::service {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostClients = 4096;  // whose last turns are remembered

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// Does something for a task; an error is the task's alone.
template <class Function>
void guarded(const Task& task, Function&& function) {
  try {
    function();
  } catch (const Error& error) {
    task.fail(error);
  } catch (const std::bad_alloc&) {
    task.fail(Error(ErrorKind::device, "out of host memory"));
  } catch (const std::exception& error) {
    task.fail(Error(ErrorKind::device, error.what()));
  }
}

}  // namespace

Engine::Engine(Settings settings) : settings_(std::move(settings)) {
  settings_.on_warning = say_nothing;  // clients do, who know their scenes
  const Collider collider(settings_);
  device_ = collider.device();
  settings_.device = device_.id;
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

Engine::~Engine() {
  thread_.request_stop();
  thread_.join();
}

void Engine::wake(std::shared_ptr<TaskQueue> session) {
  {
    const std::lock_guard lock(mutex_);
    if (std::find(ready_.begin(), ready_.end(), session) != ready_.end()) return;
    ready_.push_back(std::move(session));
  }
  ready_changed_.notify_one();
}

void Engine::scene_left() {
  {
    const std::lock_guard lock(mutex_);
    scene_left_ = true;
  }
  ready_changed_.notify_one();
}

EngineCounts Engine::counts() {
  const std::lock_guard lock(mutex_);
  return counts_;
}

bool Engine::wait_until_idle(Clock::time_point end) {
  std::unique_lock lock(mutex_);
  return idle_.wait_until(lock, end, [&] { return !is_at_work_; });
}

void Engine::run(const std::stop_token& stop) {
  for (;;) {
    const std::vector<Session> sessions = next_sessions(stop);
    if (stop.stop_requested()) return;
    const Clock::time_point begin = Clock::now();
    work_on(sessions);
    {
      const std::lock_guard lock(mutex_);
      is_at_work_ = false;
    }
    idle_.notify_all();
    for (const Session& session : sessions)
      if (session->has_task()) wake(session);
    const std::lock_guard lock(mutex_);
    counts_.busy_seconds += 1e-3 * milliseconds_since(begin);
  }
}

// Of the client whose last turn is longest ago, so that many sessions give no more turns; of its sessions the one that
// waits longest.
Engine::Session Engine::take_next() {
  const auto last_turn = [this](const Session& session) {
    const auto found = last_turn_.find(session->client());
    return found == last_turn_.end() ? 0 : found->second;
  };
  auto next = ready_.begin();
  std::uint64_t least = last_turn(*next);
  for (auto other = std::next(next); other != ready_.end() && least > 0; ++other)
    if (const std::uint64_t turn = last_turn(*other); turn < least) next = other, least = turn;
  Session session = std::move(*next);
  ready_.erase(next);
  if (last_turn_.size() >= kMostClients) last_turn_.clear();
  last_turn_[session->client()] = ++turns_;
  return session;
}

// One session; where its next task is a frame of a small scene, others of that kind with it.
std::vector<Engine::Session> Engine::next_sessions(const std::stop_token& stop) {
  // The scene of such a frame, else null. A session may end at any time.
  const auto small = [this](const Session& session) -> SharedScene {
    if (!session->has_frame() || find_unfinished(session) != unfinished_.end()) return nullptr;
    SharedScene scene = session->scene();
    // One that its session has changed is in no crowd: that has the scene of before.
    if (!scene || scene->is_own() || scene->bytes > kSmallBytes || scene->parts > kSmallScene) return nullptr;
    return scene;
  };
  std::unique_lock lock(mutex_);
  for (;;) {
    ready_changed_.wait(lock, stop, [&] { return !ready_.empty() || scene_left_; });
    if (stop.stop_requested()) return {};
    if (std::exchange(scene_left_, false)) {
      lock.unlock();
      free_unused();
      lock.lock();
    }
    if (ready_.empty()) continue;
    std::vector<Session> sessions{take_next()};
    const SharedScene first = small(sessions.front());
    if (!first) return sessions;
    const double margin = sessions.front()->margin();
    std::uint64_t parts = first->parts;
    std::erase_if(ready_, [&](const Session& session) {
      if (session->margin() != margin) return false;
      const SharedScene scene = small(session);
      if (!scene || scene->scene.bodies.either_mask != first->scene.bodies.either_mask) return false;
      if (parts + scene->parts > kMostTogether) return false;
      parts += scene->parts;
      sessions.push_back(session);
      return true;
    });
    return sessions;
  }
}

void Engine::work_on(const std::vector<Session>& sessions) {
  std::vector<Work> work;
  std::size_t begun = 0;
  for (const Session& session : sessions)
    if (const auto left = find_unfinished(session); left != unfinished_.end()) {
      work.push_back(std::move(*left));
      unfinished_.erase(left);
    } else if (std::optional<Task> task = session->take()) {
      work.push_back({session, std::move(*task)});
      ++begun;
    }
  if (work.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    counts_.tasks += begun;
    is_at_work_ = true;
  }
  const double margin = work.front().session->margin();
  if (work.size() == 1)
    run_alone(work.front(), margin);
  else
    run_together(work, margin);
}

std::vector<Engine::Work>::iterator Engine::find_unfinished(const Session& session) {
  return std::find_if(unfinished_.begin(), unfinished_.end(),
                      [&](const Work& work) { return work.session == session; });
}

void Engine::run_alone(Work& work, double margin) {
  bool is_done = true;
  guarded(work.task, [&] {
    if (work.task.change) {
      SceneCollider* there = nullptr;
      if (!work.task.own)
        there = find_pooled(work.task.scene, margin);
      else if (const SharedScene own = work.task.own())
        there = collider_if_there_is_room(own, margin);
      if (!work.task.change(there)) pool_.pop_front();
      return;
    }
    try {
      is_done = run_with_collider(work.task, margin);
    } catch (const Error& error) {
      // Memory that others hold may be what is missing. A task that fails has answered nothing.
      if (error.kind() != ErrorKind::device || pool_.size() + crowds_.size() < 2) throw;
      for (const Pooled& pooled : pool_) give_up(pooled);
      pool_.clear();
      crowds_.clear();
      is_done = run_with_collider(work.task, margin);
    }
  });
  if (is_done) return;
  const Session session = work.session;
  unfinished_.push_back(std::move(work));
  wake(session);
}

bool Engine::run_with_collider(Task& task, double margin) {
  Collider& collider = collider_with(task.scene, margin).collider;
  if (!task.frame) return task.work(collider);
  const Clock::time_point begin = Clock::now();
  const FrameContacts& found = collider.update(task.poses);
  const FoundFrame frame{found.contacts, found, milliseconds_since(begin), 1};
  {
    const std::lock_guard lock(mutex_);
    ++counts_.launches;
    ++counts_.frames;
  }
  task.frame(frame);
  return true;
}

void Engine::run_together(std::vector<Work>& all, double margin) {
  // Poses that cannot be used are an error of their own session's.
  std::vector<Work> work;
  for (Work& one : all)
    guarded(one.task, [&] {
      check_poses(one.task.poses, one.task.scene->scene.bodies.count());
      work.push_back(std::move(one));
    });
  const auto alone = [&] {
    for (Work& one : work) run_alone(one, margin);
  };
  if (work.size() < 2) return alone();

  const Clock::time_point begin = Clock::now();
  const CrowdKey key{margin, work.front().task.scene->scene.bodies.either_mask};
  Crowd& crowd = crowds_[key];
  const FrameContacts* found = nullptr;
  try {
    join(crowd, work, margin);
    found = &crowd.collider->update({crowd.position, crowd.orientation});
  } catch (const std::exception&) {
    // What one of them needs too much of, say, is that one's error.
    crowds_.erase(key);
    return alone();
  }
  const double milliseconds = milliseconds_since(begin);
  {
    const std::lock_guard lock(mutex_);
    ++counts_.launches;
    counts_.frames += work.size();
  }
  for (const Work& one : work)
    guarded(one.task, [&] {
      const Member* const member = find_member(crowd, one);
      const std::vector<Contact> contacts = contacts_of(found->contacts, member->first, member->count);
      one.task.frame({contacts, *found, milliseconds, static_cast<std::uint32_t>(work.size())});
    });
}

// Null where the session is no member with the scene that it has.
Engine::Member* Engine::find_member(Crowd& crowd, const Work& work) {
  const auto found = std::find_if(crowd.members.begin(), crowd.members.end(), [&](const Member& m) {
    return m.session.lock() == work.session && m.scene == work.task.scene;
  });
  return found == crowd.members.end() ? nullptr : &*found;
}

// Puts the poses of `work` into the crowd, where all of them are members. Who is none joins, and then those leave that
// have ended.
void Engine::join(Crowd& crowd, const std::vector<Work>& work, double margin) {
  // Who has not asked for long goes: its bodies are computed with the others' as long as it is there.
  bool is_anybody_idle = false;
  for (Member& member : crowd.members) is_anybody_idle = ++member.idle > kIdleLaunches || is_anybody_idle;
  const bool all_there =
      !is_anybody_idle && crowd.collider &&
      std::all_of(work.begin(), work.end(), [&](const Work& one) { return find_member(crowd, one) != nullptr; });
  if (!all_there) {
    std::vector<Member> members;
    std::vector<double> position, orientation;
    std::size_t bodies = 0;
    std::uint64_t parts = 0;
    const auto add = [&](const Session& session, const SharedScene& scene, const Poses& poses) {
      const std::size_t count = scene->scene.bodies.count();
      members.push_back({session, scene, bodies, count, 0});
      bodies += count;
      parts += scene->parts;
      position.insert(position.end(), poses.position.begin(), poses.position.end());
      orientation.insert(orientation.end(), poses.orientation.begin(), poses.orientation.end());
    };
    for (const Work& one : work) add(one.session, one.task.scene, one.task.poses);
    for (const Member& member : crowd.members) {
      const Session session = member.session.lock();
      if (!session || !member.scene || session->scene() != member.scene || member.idle > kIdleLaunches ||
          parts + member.scene->parts > kMostTogether)
        continue;
      if (std::any_of(work.begin(), work.end(), [&](const Work& one) { return one.session == session; })) continue;
      add(session, member.scene,
          {std::span(crowd.position).subspan(3 * member.first, 3 * member.count),
           std::span(crowd.orientation).subspan(4 * member.first, 4 * member.count)});
    }
    std::vector<const Scene*> scenes;
    for (const Member& member : members) scenes.push_back(&member.scene->scene);
    const Scene merged = merge(scenes);
    crowd.members = std::move(members);
    crowd.position = std::move(position);
    crowd.orientation = std::move(orientation);
    if (!crowd.collider) {
      Settings settings = settings_;
      settings.margin = margin;
      crowd.collider = std::make_unique<Collider>(settings);
    }
    crowd.collider->set_scene(merged);
    return;
  }
  for (const Work& one : work) {
    Member* const member = find_member(crowd, one);
    member->idle = 0;
    std::copy(one.task.poses.position.begin(), one.task.poses.position.end(),
              crowd.position.begin() + static_cast<std::ptrdiff_t>(3 * member->first));
    std::copy(one.task.poses.orientation.begin(), one.task.poses.orientation.end(),
              crowd.orientation.begin() + static_cast<std::ptrdiff_t>(4 * member->first));
  }
}

// Null where there is none; else it is the first from here on.
SceneCollider* Engine::find_pooled(const SharedScene& scene, double margin) {
  const auto found =
      std::find_if(pool_.begin(), pool_.end(), [&](const Pooled& p) { return p.scene == scene && p.margin == margin; });
  if (found == pool_.end()) return nullptr;
  pool_.splice(pool_.begin(), pool_, found);
  return pool_.front().collider.get();
}

SceneCollider& Engine::collider_with(const SharedScene& scene, double margin) {
  if (SceneCollider* there = find_pooled(scene, margin)) return *there;
  while (pool_.size() >= kColliders) {
    give_up(pool_.back());
    pool_.pop_back();
  }
  Settings settings = settings_;
  settings.margin = margin;
  pool_.push_front({scene, margin, collider_of(*scene, settings)});
  return *pool_.front().collider;
}

SceneCollider* Engine::collider_if_there_is_room(const SharedScene& scene, double margin) {
  try {
    return &collider_with(scene, margin);
  } catch (const std::exception&) {
    return nullptr;  // who needs one next is told
  }
}

void Engine::give_up(const Pooled& pooled) {
  if (!pooled.scene->is_own()) return;
  try {
    pooled.scene->names = ground_names(pooled.collider->collider);
  } catch (const std::exception&) {
    // A device that is lost, say: the ground is called anew.
  }
}

void Engine::free_unused() {
  for (auto crowd = crowds_.begin(); crowd != crowds_.end();) {
    bool is_left = true;
    for (Member& member : crowd->second.members) {
      const Session session = member.session.lock();
      if (session && session->scene() == member.scene)
        is_left = false;
      else
        member.scene.reset();  // its bodies stay in the collider until somebody joins
    }
    crowd = is_left ? crowds_.erase(crowd) : std::next(crowd);
  }
  const auto holders = [&](const SharedScene& scene) {
    long count = std::count_if(pool_.begin(), pool_.end(), [&](const Pooled& p) { return p.scene == scene; });
    for (const auto& [key, crowd] : crowds_)
      count +=
          std::count_if(crowd.members.begin(), crowd.members.end(), [&](const Member& m) { return m.scene == scene; });
    return count;
  };
  for (auto pooled = pool_.begin(); pooled != pool_.end();)
    pooled = pooled->scene.use_count() <= holders(pooled->scene) ? pool_.erase(pooled) : std::next(pooled);
}

}  // namespace oclide::service
