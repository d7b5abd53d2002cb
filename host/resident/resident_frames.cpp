#include "resident/resident_frames.hpp"

#include <algorithm>
#include <utility>

#include "frame/slice.hpp"
#include "resident/given_memory.hpp"

namespace oclide {

using opencl::StageTimer;

namespace {

constexpr FramePlan kPlan{FramePlan::Scope::all_bodies, FramePlan::Residency::device, FramePlan::Sizes::predicted};

}  // namespace

ResidentFrames::ResidentFrames(opencl::Device& device, ContactPipeline& pipeline,
                               std::span<const std::uint8_t> is_half_space, std::span<const std::uint8_t> is_mesh,
                               std::span<const std::uint8_t> is_sensor, const CompoundBodies* compounds, bool track)
    : device_(device),
      pipeline_(pipeline),
      slots_host_(is_half_space.size()),
      slots_(device, "slots of bodies"),
      sensors_host_(is_sensor.begin(), is_sensor.end()),
      sensors_(device, "sensors"),
      compounds_(compounds == nullptr ? std::nullopt
                                      : std::optional<ResidentCompounds>(std::in_place, device, *compounds)),
      upload_(device, compounds_ ? &*compounds_ : nullptr),
      frame_(device),
      user_slots_{opencl::Buffer<UserSlot>(device, "user slots"), opencl::Buffer<UserSlot>(device, "user slots")} {
  if (track) {
    tracking_.emplace(device);
    names_kernel_ = device.kernel("contact_reduction/device_frame", "contact_reduction_frame_names");
    features_kernel_ = device.kernel("contact_reduction/device_frame", "contact_reduction_frame_features");
  }
  for (std::size_t i = 0; i < slots_host_.size(); ++i)
    slots_host_[i] = is_half_space[i] != 0 ? SLOT_HALF_SPACE : is_mesh[i] != 0 ? SLOT_MESH : SLOT_NONE;
  update_slots();
  sensors_.assign(sensors_host_);
}

// The slots that the bodies have now.
void ResidentFrames::update_slots() {
  const TerrainSlots& slots = pipeline_.scene().on_terrain;
  for (std::size_t i = 0; i < slots_host_.size(); ++i)
    if (slots_host_[i] != SLOT_HALF_SPACE && slots_host_[i] != SLOT_MESH) slots_host_[i] = slots.of_bodies()[i];
  slots_.assign(slots_host_);
  slots_version_ = slots.version();
}

void ResidentFrames::drop_frame() {
  has_frame_ = false;
  free_frame();
}

void ResidentFrames::forget() {
  drop_frame();
  if (tracking_) tracking_->free();
  for (opencl::Buffer<UserSlot>& slots : user_slots_) slots.free();
}

void ResidentFrames::free_frame() {
  frame_.free();
  if (compounds_) compounds_->free();
  if (tracking_) tracking_->free_results();
  user_slots_[1].free();
}

// Of a frame, or of poses for a query.
void ResidentFrames::begin(const ResidentPoses& given) {
  check_resident_poses(given, body_count(), device_.context());
  has_frame_ = false;
  device_.wait_for(given_events(given.wait_list, given.wait_count));
  if (slots_version_ != pipeline_.scene().on_terrain.version()) update_slots();
}

void ResidentFrames::place(const ResidentPoses& given, DevicePoses& poses, StageTimer& timer) {
  begin(given);
  if (slots_.size() == 0) return;
  upload_.run(given, slots_, pipeline_.scene(), poses, timer);
  upload_.check();
  build_tree(poses, timer);
}

void ResidentFrames::build_tree(const DevicePoses& poses, StageTimer& timer) {
  pipeline_.scene().tree.build(upload_, poses, timer);
}

void ResidentFrames::run(const ResidentPoses& given, DevicePoses& poses, DeviceFrame& frame, StageTimer& timer) {
  begin(given);
  counts_ = {};
  frame.merged_by_host = false;
  if (slots_.size() == 0) {
    frame_.upload(slots_host_, sensors_host_, pipeline_.terrain().list(), pipeline_.bodies().list(), timer);
  } else {
    upload_.run(given, slots_, pipeline_.scene(), poses, timer);
    bool has_begun = false;
    FrameInput input{poses, upload_};
    input.ahead = [&](const auto& terrain, const auto& pairs, opencl::Transfers& transfers) {
      frame_.begin_merge(slots_, terrain, pairs, transfers, timer);
      has_begun = true;
    };
    (void)pipeline_.run(kPlan, input, counts_, timer);
    if (!merge(has_begun, timer)) {
      merge_on_host(timer);
      frame.merged_by_host = true;
    }
  }
  if (tracking_) {
    try {
      follow(timer);
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::device) throw;
      pipeline_.free_frame_buffers();
      if (compounds_) compounds_->free_work();
      follow(timer);
    }
  }
  opencl::translate_errors("the end of the frame", device_.info().name, [&] {
    device_.queue().enqueueMarkerWithWaitList(nullptr, &ready_);
    device_.queue().flush();
  });
  has_frame_ = true;

  const FrameBuffers& found = result();
  frame.contacts = found.contacts.get()();
  frame.manifolds = found.manifolds.get()();
  frame.contact_offsets = found.contact_offsets.get()();
  frame.manifold_offsets = found.manifold_offsets.get()();
  frame.counts = found.device_counts.get()();
  frame.contact_count = found.counts.contacts;
  frame.manifold_count = found.counts.manifolds;
  frame.body_pairs = found.counts.body_pairs;
  frame.body_candidates = counts_.body_candidates;
  frame.candidates = counts_.candidates;
  frame.device_bytes = device_.memory_peak();
  if (tracking_) {
    frame.events = tracking_->changes().get()();
    frame.previous = tracking_->previous().get()();
    frame.user_slots = user_slots_[0].get()();
    frame.event_count = events_;
  }
  frame.ready = ready_();
}

// Follows manifolds and contacts from the frame before, and hands their slots on.
void ResidentFrames::follow(StageTimer& timer) {
  constexpr opencl::Stage kStage = opencl::Stage::tracking;
  const oclide_device_counts& counts = result().counts;
  tracking_->begin(counts.manifolds, counts.contacts);
  opencl::launch(device_, names_kernel_, &timer, kStage, counts.manifolds, kGroup, counts.manifolds, result().manifolds,
                 tracking_->manifolds());
  opencl::launch(device_, features_kernel_, &timer, kStage, counts.contacts, kGroup, counts.contacts, result().contacts,
                 tracking_->features());
  tracking_->follow(timer);
  events_ = counts.manifolds + static_cast<std::uint32_t>(tracking_->ended_count().read_one(0, &timer, kStage));
  user_slots_[1].resize(counts.contacts);
  tracking_->carry_slots(user_slots_[0].get(), user_slots_[1].get(), timer);
  std::swap(user_slots_[0], user_slots_[1]);
  tracking_->keep();
}

// Merges what was found on the device, which may have begun before; false where some of it is on the host, or there is
// no room for both.
bool ResidentFrames::merge(bool has_begun, StageTimer& timer) {
  const auto& terrain = pipeline_.terrain().on_device();
  const auto& pairs = pipeline_.bodies().on_device();
  if (!terrain || !pairs) return false;
  try {
    if (!has_begun || !terrain->is_as_sent_off || !pairs->is_as_sent_off) {
      opencl::Transfers transfers;
      frame_.begin_merge(slots_, *terrain, *pairs, transfers, timer);
      transfers.wait();
    }
    frame_.merge(slots_, sensors_, *terrain, *pairs, timer);
    if (compounds_) compounds_->name(frame_.buffers(), timer);
    return true;
  } catch (const SliceTooLarge& e) {
    throw Error(ErrorKind::device, "a frame of " + e.what + ", more than 32-bit indices hold");
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::device) throw;
  }
  return false;
}

// Takes all that was found over to the host, and back to the device in order.
void ResidentFrames::merge_on_host(StageTimer& timer) {
  pipeline_.move_to_host(counts_, timer);
  free_frame();
  try {
    frame_.upload(slots_host_, sensors_host_, pipeline_.terrain().list(), pipeline_.bodies().list(), timer);
    if (compounds_) compounds_->name(frame_.buffers(), timer);
  } catch (const SliceTooLarge& e) {
    throw Error(ErrorKind::device, "a frame of " + e.what + ", more than 32-bit indices hold");
  }
}

FrameContacts ResidentFrames::to_host(const DevicePoses& poses) const {
  if (!has_frame_) throw Error(ErrorKind::invalid_input, "to_host: no frame of collide_on_device() is on the device");
  std::vector<oclide_device_contact> records(result().counts.contacts);
  result().contacts.download(records);
  std::vector<std::array<double, 3>> points(records.size());
  if (compounds_) {
    compounds_->download_points(frame_.buffers(), points);
  } else {
    std::vector<PoseRecord> placed(poses.records.size());
    poses.records.download(placed);
    for (std::size_t k = 0; k < points.size(); ++k) {
      const PoseRecord& origin = placed[records[k].origin];
      for (std::size_t a = 0; a < 3; ++a)
        points[k][a] = static_cast<double>(origin.position_high[a]) + static_cast<double>(origin.position_low[a]) +
                       static_cast<double>(records[k].point[a]);
    }
  }

  FrameContacts frame;
  frame.contacts.resize(records.size());
  std::uint64_t on_terrain = 0;
  for (std::size_t k = 0; k < records.size(); ++k) {
    const oclide_device_contact& from = records[k];
    Contact& to = frame.contacts[k];
    to.point = points[k];
    std::copy_n(from.normal, 3, to.normal.begin());
    to.depth = from.depth;
    to.body_a = from.body_a;
    to.body_b = from.body_b;
    to.manifold = from.manifold;
    to.feature = from.feature;
    to.material = static_cast<std::uint8_t>(from.material);
    to.flags = static_cast<std::uint8_t>(from.flags);
    to.shape_a = from.shape_a;
    to.shape_b = from.shape_b;
    to.element = from.element;
    const bool is_first = k == 0 || records[k - 1].body_a != from.body_a || records[k - 1].body_b != kTerrain;
    on_terrain += from.body_b == kTerrain && is_first ? 1 : 0;
  }
  if (tracking_) {
    std::vector<ManifoldChange> changes(events_);
    tracking_->changes().download(changes);
    for (const ManifoldChange& change : changes) frame.events.push_back(event_of(change));
    frame.previous.resize(frame.contacts.size());
    tracking_->previous().download(frame.previous);
  }
  frame.body_pairs = result().counts.body_pairs;
  frame.pairs = frame.body_pairs + on_terrain;
  frame.body_candidates = counts_.body_candidates;
  frame.candidates = counts_.candidates;
  frame.moved_bodies = body_count();
  frame.device_bytes = device_.memory_peak();
  return frame;
}

}  // namespace oclide
