#include "pipeline/terrain_contacts.hpp"

#include <algorithm>
#include <string>

#include "frame/slice.hpp"

namespace oclide {

using opencl::Stage;
using opencl::StageTimer;

namespace {

constexpr std::uint32_t kSmallChunks = 1U << 20;  // of a frame whose contacts 32 bits count
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
      list_(device),
      counts_(device) {
  counts_.resize(2);
}

void TerrainContacts::set_scene(std::size_t bodies) {
  free_frame_buffers();
  last_ = last_moved_ = {};
  list_.reset(bodies);
  on_device_.reset();
}

void TerrainContacts::begin(const FramePlan& plan, const FrameInput& input, opencl::Transfers& transfers,
                            StageTimer& timer) {
  plan_ = plan;
  input_ = &input;
  is_predicted_ = false;
  forget_what_is_on_its_way();
  on_device_.reset();
  if (plan.is_of_moved()) {
    scene_.on_terrain.select(input.moved, timer);
    list_.begin_update(slots().host);
  } else if (input.host != nullptr) {
    scene_.on_terrain.order(*input.host);
  }
  if (!plan.is_predicted() || !predict_capacity()) return;
  if (!plan.is_of_moved()) list_.clear();
  launch_all(transfers, timer);
  is_predicted_ = true;
}

void TerrainContacts::finish(FrameCounts& counts, StageTimer& timer) {
  if (!is_predicted_ || !finish_predicted(counts)) recompute(counts, timer);
  is_predicted_ = false;
  if (plan_.is_of_moved())
    list_.end_update(slots().host);
  else
    list_.end_frame();
}

// What the slots at work are expected to come to: those of a whole frame as the last one; moved ones as so many had on
// average in that, or in the last frame like this one.
TerrainSizes TerrainContacts::expected_sizes() const {
  if (!plan_.is_of_moved()) return last_;
  const std::size_t moved = slots().size(), of_all = scene_.on_terrain.all().size();
  const auto expected = [&](std::uint64_t whole, std::uint64_t of_moved) {
    return std::max(share_of(moved, of_all, whole), share_of(moved, last_moved_slots_, of_moved)) + 1;
  };
  return {expected(last_.chunks, last_moved_.chunks), expected(last_.candidates, last_moved_.candidates),
          expected(last_.contacts, last_moved_.contacts), expected(last_.kept, last_moved_.kept)};
}

// Capacity for what is expected of the slots at work, as far as buffers have it; false where there is none.
bool TerrainContacts::predict_capacity() {
  const TerrainSizes expected = expected_sizes();
  if (slots().size() == 0 || slots().size() > kSmallFrame || expected.chunks > kSmallChunks) return false;
  TerrainSizes& sizes = capacity_.sizes;
  sizes = {predicted_capacity(expected.chunks, candidates_.chunk_capacity()),
           predicted_capacity(expected.candidates, candidates_.capacity()),
           predicted_capacity(expected.contacts, narrow_.capacity()),
           predicted_capacity(expected.kept, reduction_.capacity())};
  if (std::min({sizes.chunks, sizes.candidates, sizes.contacts, sizes.kept}) == 0) return false;
  parts_ = narrow_.parts_with_capacity(slots(), capacity_.candidates());
  capacity_.store = narrow_.store_capacity(kFirstRoom);
  return fit_into_store(parts_);
}

// Takes no more contacts than the store has slots for; false where it has none.
bool TerrainContacts::fit_into_store(const Parts& parts) {
  const std::uint64_t lost = narrow_.most_stored(parts, 0);
  if (lost >= capacity_.store) return false;
  capacity_.sizes.contacts = std::min<std::uint64_t>(capacity_.sizes.contacts, capacity_.store - lost);
  capacity_.stored = static_cast<std::uint32_t>(capacity_.sizes.contacts + lost);
  return true;
}

// Capacity for as many contacts as the last whole frame had, so that what comes after the narrow phase can be sent off
// with it; false where that is not predicted.
bool TerrainContacts::predict_contacts(const SlotRange& range, std::uint64_t sites, const Parts& parts) {
  if (plan_.is_of_moved() || !range.is_all() || TerrainCandidates::chunks_of(sites) > kSmallChunks) return false;
  capacity_.sizes.contacts = predicted_capacity(last_.contacts, narrow_.capacity());
  if (!fit_into_store(parts)) return false;
  capacity_.sizes.kept =
      std::min<std::uint64_t>(predicted_capacity(last_.kept, reduction_.capacity()), last_.kept + last_.kept / 16 + 64);
  return last_.kept > 0 && capacity_.sizes.contacts >= last_.contacts && capacity_.sizes.kept >= last_.kept;
}

// Sends all commands for the slots at work off, within capacity_.
void TerrainContacts::launch_all(opencl::Transfers& transfers, StageTimer& timer) {
  const SlotList& list = slots();
  candidates_.launch_ranges(list, input_->device, timer);
  // Few bodies may be over very many cells.
  const bool fused = list.size() <= kFewSlots &&
                     std::max(capacity_.chunks(), capacity_.candidates()) <= TerrainNarrowPhase::kFusedCandidates;
  if (fused)
    candidates_.launch_fused(list, capacity_.chunks(), capacity_.candidates(), timer);
  else
    candidates_.launch(SlotRange(list), capacity_.chunks(), capacity_.candidates(), timer);
  narrow_.launch(list, parts_, capacity_.store, timer);
  if (fused) {
    reduction_.launch_fused(list, capacity_.sizes, capacity_.stored, timer);
  } else {
    narrow_.launch_scan(capacity_.candidates(), timer);
    narrow_.launch_order(capacity_.candidates(), capacity_.stored, capacity_.contacts(), timer);
    reduction_.launch_small(list, capacity_.sizes, timer);
  }
  reduction_.begin_readback_of_outcomes(list.size(), capacity_.kept(), list_, transfers, timer);
}

// What the slots at work have, where there was room for it.
bool TerrainContacts::finish_predicted(FrameCounts& counts) {
  const TerrainSizes found = reduction_.sizes(), &room = capacity_.sizes;
  const bool fits = found.chunks <= room.chunks && found.candidates <= room.candidates &&
                    found.contacts <= room.contacts && found.kept <= room.kept;
  list_.records().cut(fits ? found.kept : 0);
  if (plan_.is_of_moved()) last_moved_slots_ = slots().size();
  if (fits || plan_.is_of_moved()) (plan_.is_of_moved() ? last_moved_ : last_) = found;
  if (!fits) return false;
  reduction_.finish_readback_of_outcomes(SlotRange(slots()), list_, counts);
  counts.candidates += found.candidates;
  return true;
}

// Finds the contacts of the slots at work with sizes read back.
void TerrainContacts::recompute(FrameCounts& counts, StageTimer& timer) {
  is_predicted_ = is_sliced_ = false;
  forget_what_is_on_its_way();
  if (plan_.stays_on_device()) on_device_.emplace();
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
  const bool to_host = !plan_.stays_on_device() || !range.is_all();
  const Parts parts = narrow_.parts_of(range, candidates_.read_bounds(range, candidates, timer));
  const auto reduce = [&](std::uint32_t stored, std::uint32_t contacts) {
    narrow_.launch_order(candidates, stored, contacts, timer);
    reduction_.launch(range, contacts, timer);
  };
  capacity_.store = narrow_.store_capacity(first_room(is_sliced_, candidates, kStoreSlotsOfCandidate));
  while (true) {
    narrow_.launch(range.slots, parts, capacity_.store, timer);
    narrow_.launch_scan(candidates, timer);
    const bool ahead = predict_contacts(range, sites, parts);
    // On a GPU what is found goes to the host beside the body half's kernels.
    const bool beside = to_host && device_.info().is_gpu && !plan_.is_of_moved() && range.is_all();
    std::uint64_t &found = counts_[0], &kept = counts_[1];
    found = kept = 0;
    {
      opencl::Transfers transfers;
      narrow_.begin_readback(found, transfers, timer);
      if (ahead) {
        reduce(capacity_.stored, capacity_.contacts());
        reduction_.launch_gather(range, capacity_.kept(), timer);
        reduction_.begin_readback_of_kept(kept, transfers, timer);
        if (to_host && !beside) reduction_.begin_readback(range.size(), capacity_.kept(), list_, transfers, timer);
      }
      work_meanwhile(device_, *input_);
      transfers.wait();
    }
    const bool fits = ahead && found <= capacity_.sizes.contacts && kept <= capacity_.sizes.kept;
    if (ahead && to_host && !beside) list_.records().cut(fits ? static_cast<std::size_t>(kept) : 0);
    const std::uint32_t stored = checked(narrow_.most_stored(parts, found), "contacts before reduction");
    if (stored > capacity_.store) {
      capacity_.store = stored;
      narrow_.empty_store(timer);
      continue;
    }
    if (!fits) {
      if (found == 0) return {TerrainCandidates::chunks_of(sites), candidates, 0, 0};
      reduce(stored, static_cast<std::uint32_t>(found));
      kept = reduction_.read_kept(timer);
      reduction_.launch_gather(range, static_cast<std::uint32_t>(kept), timer);
      if (to_host && !beside) {
        opencl::Transfers transfers;
        reduction_.begin_readback(range.size(), static_cast<std::uint32_t>(kept), list_, transfers, timer);
        transfers.wait();
      }
    }
    if (beside) {
      reduction_.begin_readback_beside(range.size(), static_cast<std::uint32_t>(kept), list_, on_its_way_, timer);
      is_on_its_way_ = true;
    } else if (to_host) {
      counts.unreduced += reduction_.finish_readback(range, list_);
    }
    return {TerrainCandidates::chunks_of(sites), candidates, found, kept};
  }
}

// Until what is on its way has come, or is lost.
void TerrainContacts::settle() {
  try {
    on_its_way_.wait();
  } catch (const Error&) {
    lost_ = std::current_exception();
  }
}

void TerrainContacts::forget_what_is_on_its_way() {
  settle();
  is_on_its_way_ = false;
  lost_ = nullptr;
  taken_unreduced_ = 0;
}

void TerrainContacts::take() {
  if (!is_on_its_way_) return;
  settle();
  if (lost_) std::rethrow_exception(lost_);
  is_on_its_way_ = false;
  taken_unreduced_ = reduction_.finish_readback(SlotRange(slots()), list_);
}

void TerrainContacts::move_to_host(FrameCounts& counts, StageTimer& timer) {
  if (on_device_ && on_device_->contacts > 0) {
    opencl::Transfers transfers;
    reduction_.begin_readback(on_device_->slots, on_device_->contacts, list_, transfers, timer);
    transfers.wait();
    counts.unreduced += reduction_.finish_readback(SlotRange(scene_.on_terrain.all()), list_);
  }
  on_device_.reset();
}

// Gives back what a frame or slice has taken that did not fit, so that a smaller one does.
void TerrainContacts::free_slice_buffers() {
  settle();
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
