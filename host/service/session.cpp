#include "service/session.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "oclide/device_layout.h"
#include "scene/scene_check.hpp"
#include "service/wire_limits.hpp"

namespace oclide::service {
namespace {

static_assert(sizeof(oclide_device_contact) == 64);
static_assert(sizeof(ManifoldEvent) == 24);

constexpr std::size_t kMostAnswer = 0x7FF00000;

[[noreturn]] void bad_input(const std::string& message) {
  throw Error(ErrorKind::invalid_input, message);
}

// Requests by what they are, in metrics and logs.
const char* kind_of(const v1::Request& request) {
  switch (request.what_case()) {
    case v1::Request::kOpen:
      return "open";
    case v1::Request::kArray:
      return "array";
    case v1::Request::kReady:
      return "ready";
    case v1::Request::kFrame:
      return "frame";
    case v1::Request::kCast:
      return "cast";
    case v1::Request::kSweep:
      return "sweep";
    case v1::Request::kOverlap:
      return "overlap";
    case v1::Request::kDistance:
      return "distance";
    case v1::Request::kHeights:
      return "heights";
    case v1::Request::kCells:
      return "cells";
    case v1::Request::kMoveTerrain:
      return "move_terrain";
    case v1::Request::kChange:
      return "change";
    case v1::Request::kChangeTiles:
      return "change_tiles";
    case v1::Request::kPlan:
      return "plan";
    case v1::Request::kCredit:
      return "credit";
    case v1::Request::WHAT_NOT_SET:
      break;
  }
  return "unknown";
}

// What a request counts while it waits: arrays of a change count as those of a scene.
std::uint64_t counted_bytes(const v1::Request& request) {
  std::uint64_t bytes = request.ByteSizeLong() + sizeof(std::uint64_t) * request.change_tiles().removed_size();
  for (const auto* arrays : {&request.change().arrays(), &request.change_tiles().added()})
    for (const v1::Array& array : *arrays) bytes += kArrayBytes + sizeof(std::uint64_t) * array.shape_size();
  return bytes;
}

const char* name_of(v1::Problem::Kind kind) {
  return kind == v1::Problem::DEVICE ? "device" : kind == v1::Problem::LIMIT ? "limit" : "invalid_input";
}

v1::Problem::Kind kind_of(const Error& error) {
  return error.kind() == ErrorKind::device ? v1::Problem::DEVICE : v1::Problem::INVALID_INPUT;
}

ArrayType type_of(v1::Type type) {
  if (!v1::Type_IsValid(type)) throw ProtocolError("an array has the unknown type " + std::to_string(type));
  return static_cast<ArrayType>(type);
}

// In the form of device_layout.h. Exact where the device found the contact: its point is the origin's position and a
// float.
oclide_device_contact device_contact(const Contact& contact, const Bodies& bodies, std::span<const double> position) {
  const auto is_far = [&](std::uint32_t body) {
    return bodies.shape[body] == Shape::half_space || bodies.shape[body] == Shape::triangle_mesh;
  };
  oclide_device_contact to{};
  to.origin = is_far(contact.body_a) && contact.body_b != kTerrain ? contact.body_b : contact.body_a;
  for (std::size_t k = 0; k < 3; ++k) {
    to.point[k] = static_cast<float>(contact.point[k] - position[3 * std::size_t{to.origin} + k]);
    to.normal[k] = contact.normal[k];
  }
  to.depth = contact.depth;
  to.material = contact.material;
  to.body_a = contact.body_a;
  to.body_b = contact.body_b;
  to.shape_a = contact.shape_a;
  to.shape_b = contact.shape_b;
  to.manifold = contact.manifold;
  to.feature = contact.feature;
  to.element = contact.element;
  to.flags = contact.flags;
  return to;
}

template <class Answer>
void name_unused(const StoredScene& scene, Answer& answer) {
  for (const std::size_t terrain : unused_terrains(scene.scene))
    answer.add_unused_terrains(static_cast<std::uint32_t>(terrain));
}

// Pairs of the contacts, which stand together; of bodies alone, and all.
std::pair<std::uint64_t, std::uint64_t> count_pairs(std::span<const Contact> contacts) {
  std::uint64_t of_bodies = 0, all = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (i > 0 && contacts[i].body_a == contacts[i - 1].body_a && contacts[i].body_b == contacts[i - 1].body_b) continue;
    ++all;
    of_bodies += contacts[i].body_b != kTerrain ? 1 : 0;
  }
  return {of_bodies, all};
}

}  // namespace

Session::Session(Shared shared, const std::string& client, bool is_local, Outlet& outlet)
    : shared_(std::move(shared)),
      client_(client),
      share_(shared_.accounts, client),
      is_local_(is_local),
      outlet_(&outlet) {
  shared_.metrics.session_began();
}

void Session::receive(std::unique_ptr<v1::Request> request) {
  shared_.metrics.count_request(kind_of(*request));
  State state;
  {
    const std::lock_guard lock(mutex_);
    state = state_;
  }
  const auto expect = [&](bool is_right, const char* when) {
    if (!is_right) throw ProtocolError(std::string(kind_of(*request)) + " is not expected " + when);
  };
  switch (request->what_case()) {
    case v1::Request::kOpen:
      expect(state == State::begun, "after the first message");
      return open(*request);
    case v1::Request::kArray:
      expect(state == State::filling, "before open, or after the scene is complete");
      return add_array(*request);
    case v1::Request::kReady:
      expect(state == State::filling, "before open, or after the scene is complete");
      return check_scene(request->id());
    case v1::Request::kCredit: {
      expect(state != State::begun, "before open");
      {
        const std::lock_guard lock(mutex_);
        credit_ = std::min(credit_ + request->credit().replies(), kMostCredit);
      }
      if (has_task()) shared_.engine.wake(shared_from_this());
      return;
    }
    case v1::Request::WHAT_NOT_SET:
      throw ProtocolError("a request of an unknown kind");
    default:
      expect(state == State::ready, "before the scene is complete");
      return enqueue(std::move(request));
  }
}

void Session::open(const v1::Request& request) {
  const v1::Open& open = request.open();
  if (!(open.margin() >= 0.0) || !std::isfinite(open.margin()))
    throw ProtocolError("margin is " + std::to_string(open.margin()) + ", not a finite number of at least 0");
  margin_ = open.margin();
  if (open.track()) follower_.emplace();
  v1::Reply reply;
  reply.set_id(request.id());
  v1::Opened& opened = *reply.mutable_opened();
  opened.set_window(kWindow);
  opened.set_device(shared_.engine.device().name);
  opened.set_version(std::string(version()));
  if (is_local_ && !open.shared_memory().empty()) {
    try {
      auto segment = std::make_unique<SharedSegment>(open.shared_memory());
      const std::span<char> begin = segment->bytes(0, kProofBytes);
      if (open.shared_memory_proof().size() == kProofBytes &&
          CRYPTO_memcmp(begin.data(), open.shared_memory_proof().data(), kProofBytes) == 0)
        segment_ = std::move(segment);
    } catch (const Error&) {
      // Of another user, say: payloads go through the stream.
    }
  }
  opened.set_shared_memory(segment_ != nullptr);
  {
    const std::lock_guard lock(mutex_);
    credit_ = std::min<std::uint64_t>(open.credit() == 0 ? 4 : open.credit(), kMostCredit);
    state_ = State::filling;
  }
  if (!open.scene_digest().empty()) {
    if (SharedScene scene = shared_.scenes.find(open.scene_digest())) {
      try {
        use_scene(scene);
        opened.set_known(true);
        opened.set_bodies(scene->bodies().count());
        name_unused(*scene, opened);
      } catch (const LimitError& error) {
        return send_problem(request.id(), v1::Problem::LIMIT, error.what());
      }
    }
  }
  send(std::move(reply), true);
}

void Session::add_array(v1::Request& request) {
  v1::Array& part = *request.mutable_array();
  if (part.name().size() > 256 || part.shape_size() > 4)
    throw ProtocolError("an array has a name of more than 256 bytes, or more than 4 axes");
  // Names without data take memory too.
  const std::uint64_t bytes = part.data().size() + (arrays_.contains(part.name()) ? 0 : kArrayBytes);
  share_.set_bytes(array_bytes_ + bytes);
  array_bytes_ += bytes;
  const std::vector<std::uint64_t> shape(part.shape().begin(), part.shape().end());
  const auto [array, is_new] = arrays_.try_emplace(part.name());
  if (is_new) {
    array->second = {type_of(part.type()), shape, std::move(*part.mutable_data())};
    return;
  }
  if (array->second.type != type_of(part.type()) || array->second.shape != shape)
    throw ProtocolError("parts of " + part.name() + " have different types or shapes");
  array->second.data += part.data();
}

// On another thread: hulls and meshes of a large scene take their time.
void Session::check_scene(std::uint64_t id) {
  {
    const std::lock_guard lock(mutex_);
    state_ = State::checking;
  }
  shared_.in_background([self = shared_from_this(), id] {
    const auto again = [&](v1::Problem::Kind kind, const std::string& message) {
      {
        const std::lock_guard lock(self->mutex_);
        self->arrays_.clear();
        self->array_bytes_ = 0;
      }
      self->send_problem(id, kind, message);
    };
    try {
      auto scene = std::make_shared<StoredScene>();
      scene->digest = digest_of(self->arrays_);
      scene->bytes = self->array_bytes_;
      const SharedScene there = self->shared_.scenes.find(scene->digest);
      if (!there) {
        scene->scene = scene_of(self->arrays_);
        check(scene->scene);
        scene->parts = parts_of(scene->scene);
      }
      self->use_scene(there ? there : self->shared_.scenes.add(std::move(scene)));
      v1::Reply reply;
      reply.set_id(id);
      v1::SceneReply& done = *reply.mutable_scene();
      const SharedScene used = self->scene();
      if (!used) return;  // closed meanwhile
      done.set_bodies(used->bodies().count());
      done.set_digest(used->digest);
      done.set_shared(there != nullptr);
      name_unused(*used, done);
      self->send(std::move(reply), true);
    } catch (const LimitError& error) {
      again(v1::Problem::LIMIT, error.what());
    } catch (const Error& error) {
      again(kind_of(error), error.what());
    } catch (const std::bad_alloc&) {
      again(v1::Problem::DEVICE, "out of host memory");
    } catch (const std::exception& error) {
      again(v1::Problem::DEVICE, error.what());
    }
  });
}

void Session::use_scene(SharedScene scene) {
  share_.set_bytes(scene->bytes);
  share_.set_bodies(scene->parts);
  const std::lock_guard lock(mutex_);
  arrays_.clear();
  array_bytes_ = 0;
  if (is_closed_) return;
  scene_ = std::move(scene);
  if (state_ == State::filling) state_ = State::ready;  // else when the reply has been handed over
}

void Session::enqueue(RequestPointer request) {
  Waiting waiting{std::move(request), 0, {}};
  const std::uint64_t bytes = counted_bytes(*waiting.request);
  {
    const std::lock_guard lock(mutex_);
    if (requests_.size() >= kWindow)
      throw ProtocolError("more than " + std::to_string(kWindow) +
                          " requests wait, and there is no credit for an answer");
    try {
      share_.add_request(bytes);
      waiting.bytes = bytes;
    } catch (const LimitError& error) {
      // It came all the same: without credit something is read in any case, and a session's first request is.
      waiting.refusal = error.what();
      const std::uint64_t id = waiting.request->id();
      waiting.request = std::make_shared<v1::Request>();
      waiting.request->set_id(id);
    }
    requests_.push_back(std::move(waiting));
  }
  if (has_task()) shared_.engine.wake(shared_from_this());
}

// Without credit something is read in any case: credit may be what comes.
bool Session::has_room() {
  const std::lock_guard lock(mutex_);
  if (state_ == State::checking) return false;
  return credit_ == 0 || (requests_.size() < kWindow && !share_.has_too_many_requests());
}

bool Session::is_busy() {
  const std::lock_guard lock(mutex_);
  return !requests_.empty() || is_at_work_ || state_ == State::checking;
}

void Session::leave() {
  const std::lock_guard lock(mutex_);
  if (!is_at_work_ && state_ != State::checking) share_.leave();
}

void Session::close() {
  {
    const std::lock_guard lock(outlet_mutex_);
    outlet_ = nullptr;
  }
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(is_closed_, true)) return;
    for (const Waiting& waiting : requests_) share_.remove_request(waiting.bytes);
    requests_.clear();
    scene_.reset();
  }
  shared_.metrics.session_ended();
  shared_.engine.scene_left();
}

bool Session::may_answer() const {
  return !is_closed_ && !requests_.empty() && credit_ > 0 && !share_.has_too_many_answers();
}

void Session::reply_sent(std::uint64_t bytes) {
  share_.remove_answer(bytes);
  if (has_task()) shared_.engine.wake(shared_from_this());
}

SharedScene Session::scene() {
  const std::lock_guard lock(mutex_);
  return scene_;
}

bool Session::has_task() {
  const std::lock_guard lock(mutex_);
  return may_answer();
}

bool Session::has_frame() {
  const std::lock_guard lock(mutex_);
  return may_answer() && requests_.front().request->has_frame();
}

std::optional<Task> Session::take() {
  Waiting next;
  SharedScene scene;
  {
    const std::lock_guard lock(mutex_);
    if (!may_answer()) return std::nullopt;
    next = std::move(requests_.front());
    requests_.pop_front();
    bytes_at_work_ = next.bytes;
    scene = scene_;
    --credit_;
    is_at_work_ = true;
  }
  const RequestPointer& request = next.request;
  try {
    if (!next.refusal.empty()) throw LimitError(next.refusal);
    Task task = task_of(request, scene->bodies().count());
    task.scene = scene;
    task.fail = [self = shared_from_this(), id = request->id()](const Error& error) {
      self->send_problem(id, kind_of(error), error.what());
    };
    return task;
  } catch (const LimitError& error) {
    send_problem(request->id(), v1::Problem::LIMIT, error.what());
  } catch (const Error& error) {
    send_problem(request->id(), kind_of(error), error.what());
  } catch (const std::bad_alloc&) {
    send_problem(request->id(), v1::Problem::DEVICE, "out of host memory");
  }
  return std::nullopt;
}

Task Session::task_of(const RequestPointer& request, std::size_t bodies) {
  switch (request->what_case()) {
    case v1::Request::kFrame:
      return frame_task(request, bodies);
    case v1::Request::kCast:
      return cast_task(request, bodies);
    case v1::Request::kSweep:
      return sweep_task(request, bodies);
    case v1::Request::kOverlap:
      return overlap_task(request, bodies);
    case v1::Request::kDistance:
      return distance_task(request, bodies);
    case v1::Request::kPlan:
      return plan_task(request, bodies);
    default:
      return change_task(request);
  }
}

// The bytes of a payload: numbers of `each` bytes, as many as are expected.
std::span<const char> Session::bytes_of(const v1::Payload& payload, const char* name, std::size_t each,
                                        std::optional<std::size_t> expected) const {
  std::span<const char> bytes(payload.data().data(), payload.data().size());
  if (bytes.empty() && payload.bytes() > 0) {
    if (!segment_) bad_input(std::string(name) + ": this session has no shared memory");
    if (payload.bytes() > kMostMessageBytes)
      bad_input(std::string(name) + " has " + std::to_string(payload.bytes()) + " bytes; a request has at most " +
                std::to_string(kMostMessageBytes));
    bytes = segment_->bytes(payload.offset(), payload.bytes());
  }
  if (bytes.size() % each != 0 || (expected && bytes.size() != *expected))
    bad_input(std::string(name) + " has " + std::to_string(bytes.size()) + " bytes" +
              (expected ? "; " + std::to_string(*expected) + " are expected"
                        : ", which is no multiple of " + std::to_string(each)));
  return bytes;
}

Task Session::frame_task(const RequestPointer& request, std::size_t bodies) {
  const auto position = numbers_of<double>(request->frame().position(), "position", 3 * bodies);
  const auto orientation = numbers_of<double>(request->frame().orientation(), "orientation", 4 * bodies);
  Task task;
  // Before the frame is found: one that is refused is none that the next one is compared with.
  if (segment_) (void)segment_->bytes(request->frame().room().offset(), request->frame().room().bytes());
  task.poses = {*position, *orientation};
  // The poses are the engine's to look at as long as it has the task.
  task.frame = [self = shared_from_this(), request, position, orientation](const FoundFrame& found) {
    self->answer_frame(*request, *position, found);
  };
  return task;
}

void Session::answer_frame(const v1::Request& request, std::span<const double> position, const FoundFrame& found) {
  const v1::Frame& frame = request.frame();
  const SharedScene scene = this->scene();
  if (!scene) return;  // closed meanwhile
  v1::Reply last;
  last.set_id(request.id());
  v1::FrameReply& answer = *last.mutable_frame();
  const std::span<const Contact> contacts = found.contacts;
  answer.set_count(contacts.size());
  const auto [body_pairs, pairs] = count_pairs(contacts);
  answer.set_pairs(pairs);
  answer.set_body_pairs(body_pairs);
  float deepest = 0.0F;
  for (const Contact& contact : contacts) deepest = std::max(deepest, contact.depth);
  answer.set_deepest(deepest);
  if (frame.with_hash()) answer.set_contact_hash(contact_hash(contacts));
  answer.set_milliseconds(found.milliseconds);
  answer.set_together(found.together);
  v1::LaunchCounts& launch = *answer.mutable_launch();
  launch.set_body_candidates(found.launch.body_candidates);
  launch.set_candidates(found.launch.candidates);
  launch.set_unreduced(found.launch.unreduced);
  launch.set_moved_bodies(found.launch.moved_bodies);
  launch.set_device_bytes(found.launch.device_bytes);
  shared_.metrics.time_frame(found.milliseconds, found.together);
  FrameFollower::Found followed;
  if (follower_) {
    followed = follower_->follow(contacts, replaced_);
    replaced_.clear();
  }
  std::uint64_t used = 0;
  const auto put_events = [&] {
    put(*answer.mutable_events(), frame.room(), used, followed.events.data(),
        followed.events.size() * sizeof(ManifoldEvent));
  };
  if (frame.layout() == v1::COUNTS) {
    if (follower_) put_events();
    return send(std::move(last), true);
  }

  for (std::size_t begin = 0; begin == 0 || begin < contacts.size(); begin += kMostContacts) {
    const std::span<const Contact> part = contacts.subspan(begin, std::min(kMostContacts, contacts.size() - begin));
    const bool is_last = begin + part.size() == contacts.size();
    v1::Reply more;
    more.set_id(request.id());
    v1::FrameReply& to = is_last ? answer : *more.mutable_frame();
    to.set_more(!is_last);
    if (frame.layout() == v1::WORLD) {
      put(*to.mutable_contacts(), frame.room(), used, part.data(), part.size_bytes());
    } else {
      std::vector<oclide_device_contact> records(part.size());
      for (std::size_t i = 0; i < part.size(); ++i) records[i] = device_contact(part[i], scene->bodies(), position);
      put(*to.mutable_contacts(), frame.room(), used, records.data(), records.size() * sizeof(records[0]));
    }
    if (is_last) break;
    send(std::move(more), false);
  }
  if (follower_) {
    put_events();
    put(*answer.mutable_previous(), frame.room(), used, followed.previous.data(),
        followed.previous.size() * sizeof(std::uint32_t));
  }
  send(std::move(last), true);
}

// Into the room that the client named in shared memory, where it fits behind what is there already; else into the
// message.
void Session::put(v1::Payload& to, const v1::Payload& room, std::uint64_t& used, const void* bytes,
                  std::size_t count) const {
  if (segment_ && count > 0 && room.bytes() >= used && room.bytes() - used >= count) {
    const std::span<char> at = segment_->bytes(room.offset() + used, count);
    std::memcpy(at.data(), bytes, count);
    to.set_offset(room.offset() + used);
    to.set_bytes(count);
    used += count;
    return;
  }
  // A message has 2 GiB at most.
  if (count > kMostAnswer)
    throw Error(ErrorKind::device, "the answer has " + std::to_string(count) + " bytes, and a message at most " +
                                       std::to_string(kMostAnswer) + ": ask for less at a time");
  to.set_data(bytes, count);
}

void Session::send(v1::Reply reply, bool is_last) {
  if (is_last) {
    // Before the client sees the answer, and sends more.
    const std::lock_guard state(mutex_);
    share_.remove_request(std::exchange(bytes_at_work_, 0));
  }
  const std::lock_guard lock(outlet_mutex_);
  if (outlet_ != nullptr) {
    share_.add_answer(reply.ByteSizeLong());
    outlet_->send(std::move(reply));
  }
  if (!is_last) return;
  {
    // Not before it is handed over: a session without work may be ended.
    const std::lock_guard state(mutex_);
    is_at_work_ = false;
    if (state_ == State::checking) state_ = scene_ ? State::ready : State::filling;
  }
  if (outlet_ != nullptr) outlet_->window_changed();
}

void Session::send_problem(std::uint64_t id, v1::Problem::Kind kind, const std::string& message) {
  shared_.metrics.count_problem(name_of(kind));
  v1::Reply reply;
  reply.set_id(id);
  reply.mutable_problem()->set_kind(kind);
  reply.mutable_problem()->set_message(message);
  send(std::move(reply), true);
}

}  // namespace oclide::service
