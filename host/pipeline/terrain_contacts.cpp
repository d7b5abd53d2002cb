#include "pipeline/terrain_contacts.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "frame/slice.hpp"

namespace oclide {

using opencl::Stage;
using opencl::StageTimer;

namespace {

constexpr std::uint32_t kPredictedChunks = 1U << 20;  // of a frame whose contacts 32 bits count
// Sites of a slice at most: their candidates, counted in 32 bits, take 16 bytes each.
constexpr std::uint64_t kSliceSites = std::uint64_t{1} << 28;

}  // namespace

TerrainContacts::TerrainContacts(opencl::Device& device, DeviceScene& scene, float margin, const WorkMemory& work)
    : device_(device),
      scene_(scene),
      scan_(device),
      candidates_(device, scene, margin, work, scan_),
      narrow_(device, scene, work, candidates_, scan_),
      reduction_(device, scene, candidates_, narrow_, scan_),
      list_(device) {}

void TerrainContacts::set_scene(std::size_t bodies) {
  free_frame_buffers();
  last_ = last_moved_ = {};
  list_.reset(bodies);
  on_device_.reset();
}

void TerrainContacts::begin(const FramePlan& plan, const FrameInput& input, StageTimer& timer) {
  plan_ = plan;
  input_ = &input;
  is_predicted_ = false;
  transfers_.settle();
  on_device_.reset();
  if (plan.is_of_moved()) {
    scene_.on_terrain.select(input.moved, timer);
    list_.begin_update(slots().host);
  } else if (input.host != nullptr) {
    scene_.on_terrain.order(*input.host);
  }
  if (!plan.is_predicted() || !predict_capacity()) return;
  if (!plan.is_of_moved()) list_.clear();
  launch_all(timer);
  is_predicted_ = true;
}

void TerrainContacts::finish(FrameCounts& counts, StageTimer& timer) {
  if (!is_predicted_ || !finish_predicted(counts, timer)) recompute(counts, timer);
  is_predicted_ = false;
  if (plan_.is_of_moved())
    list_.end_update(slots().host);
  else
    list_.end_frame();
}

std::optional<TerrainContactsOnDevice> TerrainContacts::sent_off() const {
  if (is_predicted_) return reduction_.on_device(slots(), capacity_.kept());
  return slots().size() == 0 ? std::optional(TerrainContactsOnDevice()) : std::nullopt;
}

// What the slots at work are expected to come to: those of a whole frame as the last one; moved ones as so many had on
// average in that, or in the last frame like this one.
TerrainSizes TerrainContacts::expected_sizes() const {
  if (!plan_.is_of_moved()) return last_;
  const std::size_t moved = slots().size(), of_all = scene_.on_terrain.all().size();
  const auto expected = [&](std::uint64_t whole, std::uint64_t of_moved) {
    return std::max(share_of(moved, of_all, whole), share_of(moved, last_moved_slots_, of_moved)) + 1;
  };
  TerrainSizes sizes{expected(last_.chunks, last_moved_.chunks), expected(last_.candidates, last_moved_.candidates),
                     expected(last_.contacts, last_moved_.contacts), expected(last_.kept, last_moved_.kept),
                     expected(last_.stored, last_moved_.stored)};
  for (std::size_t s = 0; s < sizes.of_shapes.size(); ++s)
    sizes.of_shapes[s] = expected(last_.of_shapes[s], last_moved_.of_shapes[s]);
  return sizes;
}

// Capacity for what is expected of the slots at work; false where nothing is known.
bool TerrainContacts::predict_capacity() {
  const TerrainSizes expected = expected_sizes();
  if (slots().size() == 0 || last_.chunks == 0 || expected.chunks > kPredictedChunks) return false;
  TerrainSizes& sizes = capacity_.sizes;
  sizes = {ample_capacity(expected.chunks, candidates_.chunk_capacity()),
           ample_capacity(expected.candidates, candidates_.capacity()),
           ample_capacity(expected.contacts, narrow_.capacity()),
           ample_capacity(expected.kept, reduction_.capacity()),
           0,
           {}};
  for (std::size_t s = 0; s < sizes.of_shapes.size(); ++s)
    sizes.of_shapes[s] = predicted_capacity(expected.of_shapes[s], sizes.candidates);
  parts_ = narrow_.parts_with_capacity(slots(), sizes.of_shapes);
  // Slots of the store may stay empty, or on a GPU have claims that are no contacts.
  const bool has_claims = device_.info().is_gpu;
  const std::uint64_t lost = has_claims ? 0 : narrow_.most_stored(parts_, 0);
  const std::uint64_t store = lost + ample_capacity(has_claims ? expected.stored : expected.contacts, 0);
  if (store >= std::numeric_limits<std::uint32_t>::max()) return false;
  capacity_.store = narrow_.store_capacity(std::max(static_cast<std::uint32_t>(store), kFirstRoom));
  sizes.contacts = std::min<std::uint64_t>(sizes.contacts, capacity_.store - lost);
  sizes.stored =
      has_claims ? std::min<std::uint64_t>(ample_capacity(expected.stored, 0), capacity_.store) : sizes.contacts + lost;
  kept_to_come_ = expected_to_come(expected.kept, sizes.kept);
  return true;
}

// Sends all commands for the slots at work off, within capacity_.
void TerrainContacts::launch_all(StageTimer& timer) {
  const SlotList& list = slots();
  const SlotRange range(list);
  candidates_.launch_ranges(list, input_->device, timer);
  // Few bodies may be over very many cells.
  const bool fused = list.size() <= kFewSlots &&
                     std::max(capacity_.chunks(), capacity_.candidates()) <= TerrainNarrowPhase::kFusedCandidates;
  if (fused)
    candidates_.launch_fused(list, capacity_.chunks(), capacity_.candidates(), timer);
  else
    candidates_.launch(range, capacity_.chunks(), capacity_.candidates(), timer);
  narrow_.launch(list, parts_, capacity_.candidates(), capacity_.store, timer);
  if (fused) {
    reduction_.launch_fused(list, capacity_.sizes, capacity_.stored(), timer);
  } else {
    narrow_.launch_scan(capacity_.candidates(), timer);
    narrow_.launch_order(range, capacity_.stored(), capacity_.contacts(), timer);
    reduction_.launch(range, capacity_.contacts(), timer);
    reduction_.launch_gather(range, capacity_.chunks(), capacity_.kept(), timer);
  }
  if (plan_.stays_on_device()) {
    reduction_.begin_readback(list.size(), transfers_, timer);
  } else {
    // On a GPU what is found goes to the host beside the body half's kernels.
    const bool beside = device_.info().is_gpu && list.size() > kSmallFrame;
    reduction_.begin_readback(list.size(), kept_to_come_, beside, list_, transfers_, timer);
  }
}

// What the slots at work have, where there was room for it and it came.
bool TerrainContacts::finish_predicted(FrameCounts& counts, StageTimer& timer) {
  if (!transfers_.settle()) return false;
  const TerrainSizes found = reduction_.sizes(), &room = capacity_.sizes;
  bool fits = found.chunks <= room.chunks && found.candidates <= room.candidates && found.contacts <= room.contacts &&
              found.kept <= room.kept;
  // On a GPU each candidate has a work-item of its own, and claims have slots in the store.
  if (device_.info().is_gpu) fits = fits && found.stored <= room.stored;
  for (std::size_t s = 0; device_.info().is_gpu && s < found.of_shapes.size(); ++s)
    fits = fits && found.of_shapes[s] <= room.of_shapes[s];
  const auto kept = static_cast<std::uint32_t>(found.kept);
  if (plan_.is_of_moved()) last_moved_slots_ = slots().size();
  if (fits || plan_.is_of_moved()) (plan_.is_of_moved() ? last_moved_ : last_) = found;
  if (plan_.stays_on_device()) {
    if (fits) on_device_ = kept > 0 ? reduction_.on_device(slots(), kept) : TerrainContactsOnDevice{};
    if (fits) on_device_->is_as_sent_off = true;
  } else if (fits && kept > kept_to_come_) {
    list_.records().cut(0);
    reduction_.begin_readback(slots().size(), kept, false, list_, transfers_, timer);
    transfers_.wait();
  } else {
    list_.records().cut(fits ? kept : 0);
  }
  if (!fits) return false;
  if (!plan_.stays_on_device()) counts.unreduced += reduction_.finish_readback(SlotRange(slots()), list_);
  counts.candidates += found.candidates;
  return true;
}

// Finds the contacts of the slots at work with sizes read back.
void TerrainContacts::recompute(FrameCounts& counts, StageTimer& timer) {
  is_predicted_ = is_sliced_ = false;
  if (plan_.stays_on_device()) on_device_.emplace().is_as_sent_off = slots().size() == 0;
  if (slots().size() == 0) return;
  candidates_.launch_ranges(slots(), input_->device, timer);
  if (plan_.is_of_moved()) {
    last_moved_ = {};
    last_moved_slots_ = slots().size();
  } else {
    list_.clear();
  }
  if (candidates_.read_sites(timer) > 0) process_in_slices(SlotRange(slots()), counts, timer);
  if (is_sliced_) on_device_.reset();
}

// process(), in halves where the range does not fit.
void TerrainContacts::process_in_slices(const SlotRange& range, FrameCounts& counts, StageTimer& timer) {
  if (range.size() == 0) return;
  const std::uint64_t sites = candidates_.sites_before(range.last) - candidates_.sites_before(range.first);
  const bool single = range.size() == 1;
  if (single || sites <= kSliceSites) {
    try {
      process(range, sites, counts, timer);
      return;
    } catch (const SliceTooLarge& e) {
      if (single)
        throw Error(ErrorKind::device, "body " + std::to_string(range.bodies()[0].body) + " alone has " + e.what +
                                           ", more than 32-bit indices hold");
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::device || single) throw;
    }
    free_slice_buffers();
  }
  is_sliced_ = true;
  const std::uint32_t middle = range.first + range.size() / 2;
  process_in_slices({range.slots, range.first, middle}, counts, timer);
  process_in_slices({range.slots, middle, range.last}, counts, timer);
}

void TerrainContacts::process(const SlotRange& range, std::uint64_t sites, FrameCounts& counts, StageTimer& timer) {
  if (sites == 0) return;
  const std::uint32_t candidates = candidates_.find(range, sites, timer);
  if (candidates == 0) return;
  const TerrainSizes found = find_contacts(range, sites, candidates, counts, timer);
  counts.candidates += candidates;
  if (!range.is_all()) return;
  (plan_.is_of_moved() ? last_moved_ : last_) = found;
  if (plan_.stays_on_device() && found.contacts > 0)
    on_device_ = reduction_.on_device(range.slots, static_cast<std::uint32_t>(found.kept));
}

// Finds the contacts of these candidates, and reduces and gathers them, in the order of slots; takes them to the host
// where they do not stay on the device.
TerrainSizes TerrainContacts::find_contacts(const SlotRange& range, std::uint64_t sites, std::uint32_t candidates,
                                            FrameCounts& counts, StageTimer& timer) {
  const TerrainCandidates::Bounds bounds = candidates_.read_bounds(range, candidates, timer);
  const Parts parts = narrow_.parts_of(range, bounds);
  TerrainSizes found{TerrainCandidates::chunks_of(sites), candidates};
  for (std::size_t s = 0; s < found.of_shapes.size(); ++s) found.of_shapes[s] = bounds[s + 1] - bounds[s];
  capacity_.store = narrow_.store_capacity(first_room(is_sliced_, candidates, kStoreSlotsOfCandidate));
  std::uint32_t stored = 0;
  while (true) {
    narrow_.launch(range.slots, parts, candidates, capacity_.store, timer);
    narrow_.launch_scan(candidates, timer);
    {
      opencl::Transfers transfers;
      narrow_.begin_readback(found.contacts, stored, transfers, timer);
      work_meanwhile(device_, *input_);
      transfers.wait();
    }
    found.stored = device_.info().is_gpu ? stored : narrow_.most_stored(parts, found.contacts);
    stored = checked(found.stored, "contacts before reduction");
    if (stored <= capacity_.store) break;
    capacity_.store = stored;
    narrow_.empty_store(timer);
  }
  if (found.contacts == 0) return found;
  narrow_.launch_order(range, stored, static_cast<std::uint32_t>(found.contacts), timer);
  reduction_.launch(range, static_cast<std::uint32_t>(found.contacts), timer);
  const std::uint32_t kept = reduction_.read_kept(timer);
  found.kept = kept;
  reduction_.launch_gather(range, static_cast<std::uint32_t>(found.chunks), kept, timer);
  if (plan_.stays_on_device() && range.is_all()) return found;
  opencl::Transfers transfers;
  reduction_.begin_readback(range.size(), kept, false, list_, transfers, timer);
  transfers.wait();
  counts.unreduced += reduction_.finish_readback(range, list_);
  return found;
}

void TerrainContacts::move_to_host(FrameCounts& counts, StageTimer& timer) {
  if (on_device_ && on_device_->contacts > 0) {
    opencl::Transfers transfers;
    reduction_.begin_readback(on_device_->slots, on_device_->contacts, false, list_, transfers, timer);
    transfers.wait();
    counts.unreduced += reduction_.finish_readback(SlotRange(scene_.on_terrain.all()), list_);
  }
  on_device_.reset();
}

// Gives back what a frame or slice has taken that did not fit, so that a smaller one does.
void TerrainContacts::free_slice_buffers() {
  transfers_.settle();
  device_.finish();
  candidates_.free_slice();
  narrow_.free();
  reduction_.free_slice();
}

void TerrainContacts::free_frame_buffers() {
  free_slice_buffers();
  candidates_.free();
  reduction_.free();
  scan_.free();
}

}  // namespace oclide
