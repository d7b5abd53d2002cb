#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "client/memory_slots.hpp"
#include "client/service_state.hpp"
#include "client/session_stream.hpp"
#include "scene/unused_terrains.hpp"
#include "service/scene_arrays.hpp"

namespace oclide {
namespace {

static_assert(sizeof(Contact) == 72 && sizeof(ManifoldEvent) == 24, "records come as they lie in memory");

using client::MemorySlots;

constexpr std::size_t kPart = std::size_t{1} << 20;  // of an array in a message [bytes]

v1::Array array_of(const std::string& name, const service::NamedArray& array) {
  v1::Array to;
  to.set_name(name);
  to.set_type(static_cast<v1::Type>(array.type));
  for (const std::uint64_t axis : array.shape) to.add_shape(axis);
  return to;
}

// Each whole.
void put_arrays(service::SceneArrays arrays, google::protobuf::RepeatedPtrField<v1::Array>& to) {
  for (auto& [name, array] : arrays) {
    v1::Array& one = *to.Add();
    one = array_of(name, array);
    one.set_data(std::move(array.data));
  }
}

// A slot of shared memory for one request and its answer, where there is one; given back with the last copy.
class Slot {
 public:
  explicit Slot(std::shared_ptr<MemorySlots> slots) : slots_(std::move(slots)) {
    if (slots_ == nullptr) return;
    if (const std::optional<std::size_t> number = slots_->take())
      held_ = std::shared_ptr<const std::size_t>(new std::size_t(*number), [memory = slots_](const std::size_t* slot) {
        memory->give_back(*slot);
        delete slot;
      });
  }

  template <class T>
  void put(v1::Payload& to, std::span<const T> numbers) {
    const std::size_t bytes = numbers.size_bytes();
    if (held_ == nullptr || bytes == 0 || slots_->bytes_in() - used_ < bytes) {
      to.set_data(numbers.data(), bytes);
      return;
    }
    const std::size_t offset = slots_->offset_of(*held_) + used_;
    std::memcpy(slots_->bytes(offset, bytes).data(), numbers.data(), bytes);
    to.set_offset(offset);
    to.set_bytes(bytes);
    used_ += bytes;
  }
  void put_room(v1::Payload& room) const {
    if (held_ == nullptr) return;
    room.set_offset(slots_->offset_of(*held_) + slots_->bytes_in());
    room.set_bytes(slots_->bytes_out());
  }
  /// Records of an answer, behind those that are there already.
  template <class T>
  void append_to(std::vector<T>& to, const v1::Payload& from) const {
    std::span<const char> bytes(from.data().data(), from.data().size());
    if (from.bytes() > 0) {
      if (slots_ == nullptr) throw Error(ErrorKind::device, "the service names shared memory that is not there");
      bytes = slots_->bytes(from.offset(), from.bytes());
    }
    if (bytes.size() % sizeof(T) != 0)
      throw Error(ErrorKind::device, "the service answers with a part of a record: is it of another version?");
    const std::size_t before = to.size();
    to.resize(before + bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(to.data() + before, bytes.data(), bytes.size());
  }

 private:
  std::shared_ptr<MemorySlots> slots_;
  std::shared_ptr<const std::size_t> held_;
  std::size_t used_ = 0;
};

RemoteFrame frame_of(const std::vector<v1::Reply>& replies, const Slot& slot) {
  const v1::FrameReply& last = replies.back().frame();
  RemoteFrame frame;
  for (const v1::Reply& reply : replies) slot.append_to(frame.contacts, reply.frame().contacts());
  slot.append_to(frame.events, last.events());
  slot.append_to(frame.previous, last.previous());
  frame.count = last.count();
  frame.pairs = last.pairs();
  frame.body_pairs = last.body_pairs();
  frame.deepest = last.deepest();
  frame.together = last.together();
  frame.body_candidates = last.launch().body_candidates();
  frame.candidates = last.launch().candidates();
  frame.unreduced = last.launch().unreduced();
  frame.moved_bodies = last.launch().moved_bodies();
  frame.device_bytes = last.launch().device_bytes();
  frame.milliseconds.total = last.milliseconds();
  return frame;
}

}  // namespace

struct RemoteCollider::State {
  State(std::shared_ptr<Service::State> of, const RemoteSettings& chosen) : service(std::move(of)), settings(chosen) {}

  // Sends a request and makes of its answer what the future gives.
  template <class Result, class Make>
  std::future<Result> ask(v1::Request request, Make make) {
    if (stream == nullptr) throw Error(ErrorKind::invalid_input, "there is no session: set_scene() begins one");
    auto promise = std::make_shared<std::promise<Result>>();
    std::future<Result> future = promise->get_future();
    stream->ask(std::move(request),
                [promise, make = std::move(make)](std::vector<v1::Reply> replies, const Error* problem) {
                  try {
                    if (problem != nullptr) throw Error(*problem);
                    promise->set_value(make(replies));
                  } catch (...) {
                    promise->set_exception(std::current_exception());
                  }
                });
    return future;
  }
  v1::Reply ask(v1::Request request) {
    return ask<v1::Reply>(std::move(request), [](std::vector<v1::Reply>& replies) { return std::move(replies.back()); })
        .get();
  }

  void open(const Scene& scene) {
    const service::SceneArrays arrays = service::arrays_of(scene);
    end();
    const std::size_t bodies = scene.bodies.count();
    // Pages of the answer are there when they are written: room for more contacts than most scenes have.
    constexpr std::size_t kFewest = std::size_t{1} << 16;
    if (service->shares_memory && bodies > 0)
      slots = MemorySlots::make(8 * 13 * bodies, sizeof(Contact) * std::max(16 * bodies, kFewest));
    v1::Request request;
    v1::Open& open = *request.mutable_open();
    open.set_margin(settings.margin);
    open.set_track(settings.track);
    open.set_scene_digest(service::digest_of(arrays));
    open.set_credit(2 * MemorySlots::kSlots);
    if (slots != nullptr) {
      open.set_shared_memory(slots->path());
      open.set_shared_memory_proof(slots->proof());
    }
    stream = std::make_unique<client::SessionStream>(*service->stub, service->token);
    const v1::Opened opened = ask(std::move(request)).opened();
    device = opened.device();
    if (!opened.shared_memory()) slots = nullptr;
    if (!opened.known()) send_scene(arrays);
    generation.assign(bodies, 0);
    has_body.assign(bodies, true);
  }

  void send_scene(const service::SceneArrays& arrays) {
    for (const auto& [name, array] : arrays)
      for (std::size_t begin = 0; begin == 0 || begin < array.data.size(); begin += kPart) {
        v1::Request request;
        *request.mutable_array() = array_of(name, array);
        request.mutable_array()->set_data(array.data.substr(begin, kPart));
        stream->send(request);
      }
    v1::Request ready;
    ready.mutable_ready();
    (void)ask(std::move(ready));
  }

  void end() {
    stream = nullptr;
    slots = nullptr;
    device.clear();
    generation.clear();
    has_body.clear();
  }

  void update_cells(v1::Cells::Kind kind, std::size_t terrain, std::size_t first_row, std::size_t first_col,
                    std::size_t rows, std::size_t cols, std::span<const std::uint8_t> values) {
    v1::Request request;
    v1::Cells& cells = *request.mutable_cells();
    cells.set_kind(kind);
    cells.set_terrain(static_cast<std::uint32_t>(std::min<std::size_t>(terrain, kNone)));
    cells.set_first_row(first_row);
    cells.set_first_col(first_col);
    cells.set_rows(rows);
    cells.set_cols(cols);
    cells.mutable_values()->set_data(values.data(), values.size());
    (void)ask(std::move(request));
  }

  std::shared_ptr<Service::State> service;
  RemoteSettings settings;
  std::string device;
  std::vector<std::uint32_t> generation;  // of each row
  std::vector<bool> has_body;
  std::shared_ptr<MemorySlots> slots;  // before the stream, whose end may write to them
  std::unique_ptr<client::SessionStream> stream;
};

RemoteCollider::State& RemoteCollider::state() const {
  if (state_ == nullptr) throw Error(ErrorKind::invalid_input, "the RemoteCollider was moved from");
  return *state_;
}

RemoteCollider::RemoteCollider(std::unique_ptr<State> state) : state_(std::move(state)) {}
RemoteCollider::~RemoteCollider() = default;
RemoteCollider::RemoteCollider(RemoteCollider&&) noexcept = default;
RemoteCollider& RemoteCollider::operator=(RemoteCollider&&) noexcept = default;

RemoteCollider Service::collider(const RemoteSettings& settings) const {
  if (!std::isfinite(settings.margin) || settings.margin < 0.0)
    throw Error(ErrorKind::invalid_input, "margin must be finite and not negative");
  return RemoteCollider(std::make_unique<RemoteCollider::State>(state_, settings));
}

void RemoteCollider::set_scene(const Scene& scene) {
  try {
    state().open(scene);
  } catch (...) {
    if (state_ != nullptr) state_->end();
    throw;
  }
  tell_of_unused(scene, state().settings.on_warning);
}

const std::string& RemoteCollider::device() const {
  return state().device;
}
bool RemoteCollider::uses_shared_memory() const {
  return state().slots != nullptr;
}

std::future<RemoteFrame> RemoteCollider::submit(const Poses& poses, bool counts_only) {
  Slot slot(state().slots);
  v1::Request request;
  v1::Frame& frame = *request.mutable_frame();
  frame.set_layout(counts_only ? v1::COUNTS : v1::WORLD);
  slot.put(*frame.mutable_position(), poses.position);
  slot.put(*frame.mutable_orientation(), poses.orientation);
  slot.put_room(*frame.mutable_room());
  return state().ask<RemoteFrame>(std::move(request), [slot = std::move(slot)](const std::vector<v1::Reply>& replies) {
    return frame_of(replies, slot);
  });
}

RemoteFrame RemoteCollider::collide(const Poses& poses, bool counts_only) {
  return submit(poses, counts_only).get();
}

RayHits RemoteCollider::cast(const Poses& poses, const Rays& rays) {
  Slot slot(state().slots);
  v1::Request request;
  v1::Cast& cast = *request.mutable_cast();
  slot.put(*cast.mutable_position(), poses.position);
  slot.put(*cast.mutable_orientation(), poses.orientation);
  slot.put(*cast.mutable_origin(), rays.origin);
  slot.put(*cast.mutable_direction(), rays.direction);
  slot.put(*cast.mutable_length(), rays.length);
  slot.put(*cast.mutable_environment(), rays.environment);
  slot.put(*cast.mutable_mask(), rays.mask);
  slot.put_room(*cast.mutable_room());
  const v1::Reply reply = state().ask(std::move(request));
  RayHits hits;
  slot.append_to(hits.hits, reply.cast().records());
  hits.hit_count = reply.cast().hits();
  hits.milliseconds.total = reply.cast().milliseconds();
  return hits;
}

FrameImpacts RemoteCollider::sweep(const Poses& poses, const Motion& motion) {
  Slot slot(state().slots);
  v1::Request request;
  v1::Sweep& sweep = *request.mutable_sweep();
  slot.put(*sweep.mutable_position(), poses.position);
  slot.put(*sweep.mutable_orientation(), poses.orientation);
  slot.put(*sweep.mutable_displacement(), motion.displacement);
  slot.put(*sweep.mutable_rotation(), motion.rotation);
  slot.put_room(*sweep.mutable_room());
  const v1::Reply reply = state().ask(std::move(request));
  FrameImpacts found;
  slot.append_to(found.impacts, reply.sweep().records());
  found.milliseconds.total = reply.sweep().milliseconds();
  return found;
}

Overlaps RemoteCollider::overlap(const Poses& poses, const QueryShapes& queries) {
  Slot slot(state().slots);
  v1::Request request;
  v1::Overlap& overlap = *request.mutable_overlap();
  slot.put(*overlap.mutable_position(), poses.position);
  slot.put(*overlap.mutable_orientation(), poses.orientation);
  slot.put(*overlap.mutable_size(), queries.size);
  slot.put(*overlap.mutable_query_position(), queries.position);
  slot.put(*overlap.mutable_query_orientation(), queries.orientation);
  slot.put(*overlap.mutable_environment(), queries.environment);
  slot.put(*overlap.mutable_mask(), queries.mask);
  slot.put(*overlap.mutable_group(), queries.group);
  slot.put(*overlap.mutable_shape(), queries.shape);
  overlap.set_find_lowest(queries.find_lowest);
  slot.put_room(*overlap.mutable_room());
  const v1::Reply reply = state().ask(std::move(request));
  Overlaps found;
  slot.append_to(found.overlaps, reply.overlap().overlaps());
  slot.append_to(found.body, reply.overlap().body());
  found.overlap_count = reply.overlap().count();
  found.milliseconds.total = reply.overlap().milliseconds();
  return found;
}

Distances RemoteCollider::distance(const Poses& poses, const QueryPoints& points) {
  Slot slot(state().slots);
  v1::Request request;
  v1::Distance& distance = *request.mutable_distance();
  slot.put(*distance.mutable_position(), poses.position);
  slot.put(*distance.mutable_orientation(), poses.orientation);
  slot.put(*distance.mutable_point(), points.position);
  slot.put(*distance.mutable_range(), points.range);
  slot.put(*distance.mutable_environment(), points.environment);
  slot.put(*distance.mutable_mask(), points.mask);
  slot.put_room(*distance.mutable_room());
  const v1::Reply reply = state().ask(std::move(request));
  Distances found;
  slot.append_to(found.nearest, reply.distance().records());
  found.near_count = reply.distance().near();
  found.milliseconds.total = reply.distance().milliseconds();
  return found;
}

RemotePlan RemoteCollider::plan(const Poses& poses) {
  v1::Request request;
  request.mutable_plan()->mutable_position()->set_data(poses.position.data(), poses.position.size_bytes());
  request.mutable_plan()->mutable_orientation()->set_data(poses.orientation.data(), poses.orientation.size_bytes());
  const v1::Reply reply = state().ask(std::move(request));
  const v1::PlanReply& plan = reply.plan();
  return {plan.device_bytes(), plan.host_bytes(), plan.least_device_bytes(), plan.fits(), plan.problem()};
}

std::vector<BodyHandle> RemoteCollider::change(const BodyChanges& changes) {
  v1::Request request;
  put_arrays(service::arrays_of(changes), *request.mutable_change()->mutable_arrays());
  State& state = this->state();
  const v1::Reply reply = state.ask(std::move(request));
  std::vector<BodyHandle> added;
  Slot(nullptr).append_to(added, reply.change().handles());
  state.generation.resize(reply.change().rows(), 0);
  state.has_body.resize(reply.change().rows(), false);
  for (const BodyHandle handle : changes.removed) state.has_body.at(handle.row) = false;
  for (const BodyHandle handle : added) {
    state.has_body.at(handle.row) = true;
    state.generation.at(handle.row) = handle.generation;
  }
  return added;
}

void RemoteCollider::update_heights(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                                    std::size_t cols, std::span<const double> heights) {
  v1::Request request;
  v1::Heights& change = *request.mutable_heights();
  change.set_terrain(static_cast<std::uint32_t>(std::min<std::size_t>(terrain, kNone)));
  change.set_first_row(first_row);
  change.set_first_col(first_col);
  change.set_rows(rows);
  change.set_cols(cols);
  change.mutable_heights()->set_data(heights.data(), heights.size_bytes());
  (void)state().ask(std::move(request));
}

void RemoteCollider::update_holes(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                                  std::size_t cols, std::span<const std::uint8_t> holes) {
  state().update_cells(v1::Cells::HOLES, terrain, first_row, first_col, rows, cols, holes);
}
void RemoteCollider::update_material(std::size_t terrain, std::size_t first_row, std::size_t first_col,
                                     std::size_t rows, std::size_t cols, std::span<const std::uint8_t> material) {
  state().update_cells(v1::Cells::MATERIAL, terrain, first_row, first_col, rows, cols, material);
}

void RemoteCollider::move_terrain(std::size_t terrain, std::array<double, 2> origin) {
  v1::Request request;
  v1::MoveTerrain& change = *request.mutable_move_terrain();
  change.set_terrain(static_cast<std::uint32_t>(std::min<std::size_t>(terrain, kNone)));
  change.set_x(origin[0]);
  change.set_y(origin[1]);
  (void)state().ask(std::move(request));
}

std::vector<std::size_t> RemoteCollider::change_tiles(const TileChanges& changes) {
  v1::Request request;
  v1::ChangeTiles& change = *request.mutable_change_tiles();
  change.set_ground(changes.ground);
  for (const std::size_t tile : changes.removed) change.add_removed(tile);
  put_arrays(service::arrays_of(changes.added), *change.mutable_added());
  const v1::Reply reply = state().ask(std::move(request));
  return {reply.change_tiles().added().begin(), reply.change_tiles().added().end()};
}

std::vector<BodyHandle> RemoteCollider::handles() const {
  const State& state = this->state();
  std::vector<BodyHandle> handles;
  for (std::uint32_t row = 0; row < state.generation.size(); ++row)
    if (state.has_body[row]) handles.push_back({row, state.generation[row]});
  return handles;
}
std::size_t RemoteCollider::rows() const {
  return state().generation.size();
}

}  // namespace oclide
