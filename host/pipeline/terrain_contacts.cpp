#include "pipeline/terrain_contacts.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>

#include "frame/slice.hpp"
#include "shapes/bounding_radius.hpp"

namespace oclide {

using opencl::Buffer;
using opencl::Stage;
using opencl::StageTimer;

namespace {

constexpr std::size_t kChunksOfItem = 8;    // at most, on a CPU
constexpr std::uint32_t kFewAtOnce = 4096;  // candidates of several shapes that have one kernel in all
constexpr double kShare = 0.125;            // contacts a candidate, fewer than there are, for StoreRuns
// On a GPU, a body over so many sites or more may have many contacts: more than so many are reduced by a work-group.
// (On a CPU one thread would do that, in three times as long.)
constexpr double kManySites = 64.0;
constexpr cl_uint kManyContacts = 64;
constexpr std::size_t kManyGroups = 256;          // work-groups at most that share the bodies with many
constexpr std::uint32_t kSmallChunks = 1U << 20;  // of a small frame: 32 bits count its contacts
// Sites of a slice at most: their candidates, counted in 32 bits, take 16 bytes each.
constexpr std::uint64_t kSliceSites = std::uint64_t{1} << 28;

// Tests hold what is passed over against looking at all sites of each range and all their features.
std::string site_options() {
  const char* value = std::getenv("OCLIDE_LOOK_AT_ALL");
  return value != nullptr && std::string_view(value) == "1" ? "-DOCLIDE_LOOK_AT_ALL" : "";
}

std::uint64_t chunks_of(std::uint64_t sites) {
  return (sites + CHUNK_SITES - 1) / CHUNK_SITES;
}

}  // namespace

TerrainContacts::TerrainContacts(opencl::Device& device, float margin, const WorkMemory& work)
    : device_(device),
      margin_(margin),
      chunk_runs_(device_.info(), 1, kChunksOfItem),
      runs_(device_.info(), kShare),
      scan_(device_),
      terrains_(device_),
      range_kernel_(device_.kernel("broad_phase/terrain_range", "broad_phase_terrain_range", site_options())),
      sites_kernel_(device_.kernel("broad_phase/terrain_candidates", "broad_phase_terrain_sites", site_options())),
      candidates_kernel_(device_.kernel("broad_phase/terrain_candidates", "broad_phase_terrain_candidates")),
      order_kernel_(device_.kernel("narrow_phase/contact_order", "narrow_phase_contact_order")),
      reduction_kernel_(device_.kernel("contact_reduction/body_contacts", "contact_reduction_body_contacts")),
      many_contacts_kernel_(device_.kernel("contact_reduction/body_contacts", "contact_reduction_many_contacts")),
      gather_kernel_(device_.kernel("contact_reduction/gather", "contact_reduction_gather")),
      small_candidates_kernel_(device_.kernel("broad_phase/terrain_candidates", "broad_phase_small_candidates")),
      small_frame_kernel_(device_.kernel("contact_reduction/body_contacts", "contact_reduction_small_frame")),
      gather_small_kernel_(device_.kernel("contact_reduction/gather", "contact_reduction_gather_small")),
      all_(device_, "bodies"),
      moved_(device_, "moved bodies on terrain"),
      places_(work.first, "places on the terrain"),
      site_counts_(device_, "site counts"),
      site_offsets_(device_, "site offsets"),
      total_(device_, "total"),
      kept_total_(device_, "total of kept contacts"),
      site_features_(device_, "site features"),
      kept_in_chunk_(device_, "chunk counts"),
      chunk_offsets_(device_, "chunk offsets"),
      candidate_slots_(device_, "candidate bodies"),
      candidate_sites_(device_, "candidate sites"),
      first_candidate_(device_, "candidate offsets"),
      contact_counts_(device_, "contact counts"),
      contact_offsets_(device_, "contact offsets"),
      stored_(device_, "stored contacts"),
      store_candidates_(device_, "candidates of contacts"),
      store_(work.second, "contacts as found"),
      contacts_(device_, "contacts"),
      gathered_(device_, "reduced contacts"),
      kept_(device_, "reduced counts"),
      kept_offsets_(device_, "reduced offsets"),
      manifolds_(device_, "manifold counts"),
      unreduced_(device_, "unreduced counts"),
      outcomes_(device_, "outcomes of slots") {
  for (std::size_t s = 0; s < kShapes; ++s) {
    const std::string stem = std::string(find_shape(kTerrainShapes[s])->name) + "_terrain";
    narrow_kernels_[s] = device_.kernel("narrow_phase/" + stem, "narrow_phase_" + stem);
  }
}

void TerrainContacts::set_scene(const Scene& scene, const Bodies& b) {
  free_frame_buffers();
  last_ = last_moved_ = {};
  body_count_ = b.count();
  all_.host.clear();
  of_body_.assign(body_count_, {});
  kept_contacts_.free();
  slot_of_body_.assign(body_count_, kNoSlot);
  has_large_bodies_ = false;
  // Slots: the bodies that can meet terrain, shape after shape, so that one kernel does one kind.
  for (std::size_t s = 0; s < kShapes; ++s) {
    all_.shape_begin[s] = static_cast<std::uint32_t>(all_.host.size());
    for (std::size_t i = 0; i < body_count_; ++i) {
      if (b.shape[i] != kTerrainShapes[s]) continue;
      const std::uint32_t environment = b.environment.empty() ? 0 : b.environment[i];
      const std::int32_t terrain = scene.environment_terrain.empty() ? 0 : scene.environment_terrain[environment];
      if (terrain < 0 || static_cast<std::size_t>(terrain) >= scene.terrains.size()) continue;
      BodyRecord record{};
      record.body = static_cast<cl_uint>(i);
      record.terrain = static_cast<cl_uint>(terrain);
      record.shape = static_cast<cl_uint>(b.shape[i]);
      if (device_.info().is_gpu && !has_large_bodies_) {
        const std::array<double, 2>& spacing = scene.terrains[record.terrain].spacing;
        const double width = 2.0 * (bounding_radius(b.shape[i], b.size[i]) + margin_);
        has_large_bodies_ = (width / spacing[0] + 2.0) * (width / spacing[1] + 2.0) >= kManySites;
      }
      for (int a = 0; a < 3; ++a) record.size[a] = static_cast<float>(std::max(b.size[i][a], 1e-12));
      slot_of_body_[i] = static_cast<std::uint32_t>(all_.host.size());
      all_.host.push_back(record);
    }
  }
  all_.shape_begin[kShapes] = static_cast<std::uint32_t>(all_.host.size());
  all_.records.assign(all_.host);
  order_.forget();
  ++slots_version_;
  terrains_.set(scene.terrains);
}

void TerrainContacts::order_slots(const Poses& poses) {
  if (all_.host.size() <= kSmallFrame || !order_.is_stale(poses)) return;
  try {
    std::vector<BodyRecord> sorted = all_.host;
    order_.sort(sorted, all_.shape_begin, poses);
    all_.records.assign(sorted);
    all_.host.swap(sorted);
    for (std::uint32_t slot = 0; slot < all_.host.size(); ++slot) slot_of_body_[all_.host[slot].body] = slot;
    ++slots_version_;
  } catch (...) {
    order_.forget();
    throw;
  }
}

// Ranges of sites under all bodies, and where those of each begin.
void TerrainContacts::launch_ranges(const DevicePoses& poses, StageTimer& timer) {
  const std::size_t slots = slots_->host.size();
  places_.resize(slots);
  site_counts_.resize(slots);
  opencl::launch(device_, range_kernel_, &timer, Stage::broad_phase, (slots + RANGE_BODIES - 1) / RANGE_BODIES,
                 runs_.group(), static_cast<cl_uint>(slots), slots_->records, poses.records, terrains_.records(),
                 terrains_.heights(), terrains_.open_cells(), terrains_.bounds(), margin_, places_, site_counts_);
  scan_.run_u64(site_counts_, site_offsets_, slots, total_, Stage::broad_phase, &timer);
}

// The number of sites in all.
std::uint64_t TerrainContacts::find_ranges(const DevicePoses& poses, StageTimer& timer) {
  launch_ranges(poses, timer);
  return total_.read_one(0, &timer, Stage::broad_phase);
}

// Features in reach of each site of slots [first, last), and how many of each chunk have any.
void TerrainContacts::launch_sites(std::uint32_t first, std::uint32_t last, std::uint32_t chunks, StageTimer& timer) {
  site_features_.resize(std::size_t{chunks} * CHUNK_SITES);
  kept_in_chunk_.resize(chunks);
  opencl::launch(device_, sites_kernel_, &timer, Stage::broad_phase, chunk_runs_.items(chunks), chunk_runs_.group(),
                 first, last, chunks, site_offsets_, slots_->records, places_, terrains_.records(), terrains_.heights(),
                 terrains_.heights_low(), terrains_.open_cells(), terrains_.material(), terrains_.bounds(), margin_,
                 site_features_, kept_in_chunk_);
}

void TerrainContacts::resize_candidates(std::uint32_t room) {
  candidate_slots_.resize(room);
  candidate_sites_.resize(room);
  first_candidate_.resize(slots_->host.size() + 1);
  contact_counts_.resize(room);
  stored_.resize(1);
}

void TerrainContacts::launch_candidates(std::uint32_t first, std::uint32_t last, std::uint32_t chunks,
                                        std::uint32_t room, StageTimer& timer) {
  resize_candidates(room);
  opencl::launch(device_, candidates_kernel_, &timer, Stage::broad_phase, chunk_runs_.items(chunks),
                 chunk_runs_.group(), first, last, chunks, site_offsets_, site_features_, chunk_offsets_, room,
                 candidate_slots_, candidate_sites_, first_candidate_, contact_counts_, stored_);
}

// The sites of slots [first, last) that reach up to their bodies, in order.
std::uint32_t TerrainContacts::find_candidates(std::uint32_t first, std::uint32_t last, std::uint64_t sites,
                                               StageTimer& timer) {
  const std::uint32_t chunks = checked(chunks_of(sites), "chunks of sites");
  launch_sites(first, last, chunks, timer);
  scan_.run_u32(kept_in_chunk_, chunk_offsets_, chunks, total_, Stage::broad_phase, &timer);
  const std::uint32_t candidates = checked(total_.read_one(0, &timer, Stage::broad_phase), "candidates");
  launch_candidates(first, last, chunks, candidates, timer);
  return candidates;
}

// Candidates of each shape: its slots are a range, and so are they.
TerrainContacts::Bounds TerrainContacts::read_bounds(std::uint32_t first, std::uint32_t last, std::uint32_t candidates,
                                                     StageTimer& timer) const {
  Bounds bounds{};
  bounds[kShapes] = candidates;
  opencl::Transfers transfers;
  for (std::size_t s = 1; s < kShapes; ++s) {
    const std::uint32_t slot = std::clamp(slots_->shape_begin[s], first, last);
    if (slot == last)
      bounds[s] = candidates;
    else if (slot != first)
      first_candidate_.download_later(std::span(&bounds[s], 1), transfers, slot, &timer, Stage::broad_phase);
  }
  transfers.wait();
  return bounds;
}

// Places that the store is to have: it is as large as it ever was.
std::uint32_t TerrainContacts::store_room(std::uint32_t least) const {
  return std::max(static_cast<std::uint32_t>(std::min(store_.capacity(), store_candidates_.capacity())), least);
}

cl::Kernel& TerrainContacts::few_kernel() {
  if (few_kernel_() == nullptr) few_kernel_ = device_.kernel("narrow_phase/few_terrain", "narrow_phase_few_terrain");
  return few_kernel_;
}

// What is launched for the candidates of slots [first, last): each shape's kernel, but one kernel in all for few of
// several shapes.
std::vector<TerrainContacts::Part> TerrainContacts::parts_of(std::uint32_t first, std::uint32_t last,
                                                             const Bounds& bounds) {
  std::vector<Part> parts;
  for (std::size_t s = 0; s < kShapes; ++s)
    if (bounds[s + 1] > bounds[s])
      parts.push_back({&narrow_kernels_[s], std::clamp(slots_->shape_begin[s], first, last),
                       std::clamp(slots_->shape_begin[s + 1], first, last), bounds[s + 1] - bounds[s]});
  if (parts.size() > 1 && bounds[kShapes] <= kFewAtOnce) parts = {{&few_kernel(), first, last, bounds[kShapes]}};
  return parts;
}

// parts_of() of all slots where it is not known how many of the candidates are whose: each part has room for all.
std::vector<TerrainContacts::Part> TerrainContacts::parts_with_room(std::uint32_t candidates) {
  const std::array<std::uint32_t, kShapes + 1>& begin = slots_->shape_begin;
  std::vector<Part> parts;
  for (std::size_t s = 0; s < kShapes; ++s)
    if (begin[s + 1] > begin[s]) parts.push_back({&narrow_kernels_[s], begin[s], begin[s + 1], candidates});
  if (parts.size() > 1 && candidates <= kFewAtOnce) parts = {{&few_kernel(), 0, begin[kShapes], candidates}};
  return parts;
}

// Stores the contacts of all candidates in any order, as many as there is room for, and counts them.
void TerrainContacts::launch_narrow_phase(const std::vector<Part>& parts, std::uint32_t capacity, StageTimer& timer) {
  store_.resize(capacity);
  store_candidates_.resize(capacity);
  for (const Part& part : parts)
    opencl::launch(device_, *part.kernel, &timer, Stage::narrow_phase, runs_.items(part.candidates), runs_.group(),
                   part.first_slot, part.last_slot, runs_.block(part.candidates), first_candidate_, candidate_slots_,
                   candidate_sites_, slots_->records, places_, terrains_.records(), terrains_.heights(),
                   terrains_.heights_low(), terrains_.open_cells(), terrains_.material(), terrains_.bounds(), margin_,
                   contact_counts_, capacity, stored_, store_candidates_, store_);
}

// Places in the store that so many contacts take at most.
std::uint64_t TerrainContacts::most_places(const std::vector<Part>& parts, std::uint64_t contacts) const {
  std::uint64_t places = contacts;
  for (const Part& part : parts) places += runs_.items(part.candidates) * (runs_.block(part.candidates) - 1);
  return places;
}

// Puts the contacts that lie in the store's first `places` places in order, if there are `room` at most.
void TerrainContacts::launch_order(std::uint32_t candidates, std::uint32_t places, std::uint32_t room,
                                   StageTimer& timer) {
  contacts_.resize(room);
  opencl::launch(device_, order_kernel_, &timer, Stage::narrow_phase, places, kGroup, candidates, places, room, stored_,
                 store_, store_candidates_, contact_offsets_, contacts_);
}

// Contacts of a slot that one work-item reduces at most.
cl_uint TerrainContacts::many_contacts() const {
  return has_large_bodies_ ? kManyContacts : std::numeric_limits<cl_uint>::max();
}

// Reduces the contacts of slots [first, first + slots) where they lie, `room` of all at most, and finds where they go.
void TerrainContacts::launch_reduction(std::uint32_t first, std::uint32_t slots, std::uint32_t room,
                                       StageTimer& timer) {
  kept_.resize(slots);
  manifolds_.resize(slots);
  unreduced_.resize(slots);
  opencl::launch(device_, reduction_kernel_, &timer, Stage::contact_reduction, slots, kGroup, first, slots,
                 slots_->records, places_, first_candidate_, contact_offsets_, room, many_contacts(), contacts_, kept_,
                 manifolds_, unreduced_);
  if (has_large_bodies_) {
    const std::size_t group = device_.lone_group_size(many_contacts_kernel_, kGroup);
    opencl::launch(device_, many_contacts_kernel_, &timer, Stage::contact_reduction,
                   group * std::min<std::size_t>(slots, kManyGroups), group, first, slots, slots_->records, places_,
                   first_candidate_, contact_offsets_, room, many_contacts(), contacts_, kept_, manifolds_, unreduced_);
  }
  scan_.run_u32(kept_, kept_offsets_, slots, kept_total_, Stage::contact_reduction, &timer);
}

void TerrainContacts::launch_gather(std::uint32_t first, std::uint32_t slots, std::uint32_t room, StageTimer& timer) {
  gathered_.resize(room);
  opencl::launch(device_, gather_kernel_, &timer, Stage::contact_reduction, slots, kGroup, first, slots,
                 first_candidate_, contact_offsets_, contacts_, kept_offsets_, room, gathered_);
}

// Takes no room for more contacts than such a store has places for; false where it has none.
bool TerrainContacts::fit_into_store(const std::vector<Part>& parts, std::uint32_t capacity) {
  const std::uint64_t lost = most_places(parts, 0);
  if (lost >= capacity) return false;
  room_.contacts = std::min(room_.contacts, static_cast<std::uint32_t>(capacity - lost));
  room_.places = static_cast<std::uint32_t>(room_.contacts + lost);
  return true;
}

// Room for as many contacts as the last whole frame had, so that what comes after the narrow phase can be sent off with
// it; false where that is not foreseen.
bool TerrainContacts::foresee_contacts(std::uint32_t slots, std::uint64_t sites, const std::vector<Part>& parts,
                                       std::uint32_t capacity) {
  if (slots_ != &all_ || slots != all_.host.size() || chunks_of(sites) > kSmallChunks) return false;
  room_.contacts = foreseen(last_.contacts, contacts_.capacity());
  if (!fit_into_store(parts, capacity)) return false;
  room_.kept = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(foreseen(last_.kept, gathered_.capacity()), last_.kept + last_.kept / 16 + 64));
  return last_.kept > 0 && room_.contacts >= last_.contacts && room_.kept >= last_.kept;
}

// Finds the contacts of these candidates, those of slots [first, last), and reduces and gathers them, in the order of
// slots; takes them over to the host where they do not stay on the device. Their number before and after reduction.
TerrainContacts::Reduced TerrainContacts::find_contacts(std::uint32_t first, std::uint32_t last,
                                                        std::uint32_t candidates, std::uint64_t sites,
                                                        FrameCounts& counts, StageTimer& timer) {
  const std::uint32_t slots = last - first;
  const std::vector<Part> parts = parts_of(first, last, read_bounds(first, last, candidates, timer));
  const auto reduce = [&](std::uint32_t places, std::uint32_t contacts, std::uint32_t kept) {
    launch_order(candidates, places, contacts, timer);
    launch_reduction(first, slots, contacts, timer);
    if (kept > 0) launch_gather(first, slots, kept, timer);
  };
  for (std::uint32_t capacity = store_room(first_room(was_sliced_, candidates, kPlacesOfCandidate));;) {
    launch_narrow_phase(parts, capacity, timer);
    scan_.run_u32(contact_counts_, contact_offsets_, candidates, total_, Stage::narrow_phase, &timer);
    const bool ahead = foresee_contacts(slots, sites, parts, capacity);
    std::uint64_t found = 0, kept = 0;
    {
      opencl::Transfers transfers;
      total_.download_later(std::span(&found, 1), transfers, 0, &timer, Stage::narrow_phase);
      if (ahead) {
        reduce(room_.places, room_.contacts, room_.kept);
        kept_total_.download_later(std::span(&kept, 1), transfers, 0, &timer, Stage::contact_reduction);
        if (!stays_on_device_) read_kept(slots, room_.kept, transfers, timer);
      }
      transfers.wait();
    }
    const bool fits = ahead && found <= room_.contacts && kept <= room_.kept;
    if (ahead && !stays_on_device_) kept_contacts_.cut(fits ? static_cast<std::size_t>(kept) : 0);
    const std::uint32_t places = checked(most_places(parts, found), "contacts before reduction");
    if (places > capacity) {
      capacity = places;
      stored_.fill(0, 0, 1, &timer, Stage::narrow_phase);
      continue;
    }
    const auto all = static_cast<std::uint32_t>(found);
    if (fits) {
      if (!stays_on_device_) take_kept(first, slots, counts);
      return {all, static_cast<std::uint32_t>(kept)};
    }
    if (all == 0) return {0, 0};
    reduce(places, all, 0);
    kept = kept_total_.read_one(0, &timer, Stage::contact_reduction);
    launch_gather(first, slots, static_cast<std::uint32_t>(kept), timer);
    if (!stays_on_device_ || slots != slots_->host.size())
      keep(first, slots, static_cast<std::uint32_t>(kept), counts, timer);
    return {all, static_cast<std::uint32_t>(kept)};
  }
}

void TerrainContacts::process(std::uint32_t first, std::uint32_t last, std::uint64_t first_site,
                              std::uint64_t last_site, FrameCounts& counts, StageTimer& timer) {
  if (first_site == last_site) return;
  const std::uint64_t sites = last_site - first_site;
  const std::uint32_t candidates = find_candidates(first, last, sites, timer);
  if (candidates == 0) return;
  const Reduced contacts = find_contacts(first, last, candidates, sites, counts, timer);
  counts.candidates += candidates;
  if (last - first != slots_->host.size()) return;
  (slots_ == &all_ ? last_ : last_moved_) = {chunks_of(sites), candidates, contacts.found, contacts.kept};
  if (stays_on_device_ && contacts.found > 0)
    on_device_ = {last - first, contacts.kept, &kept_offsets_, &manifolds_, &gathered_, &slots_->records};
}

// Room for what is expected of the slots at work, without waiting for any size; false where there is none.
bool TerrainContacts::make_room(const Sizes& expected) {
  const std::size_t slots = slots_->host.size();
  if (slots == 0 || slots > kSmallFrame || expected.chunks > kSmallChunks) return false;
  room_.chunks = foreseen(expected.chunks, std::min({site_features_.capacity() / CHUNK_SITES, kept_in_chunk_.capacity(),
                                                     std::max<std::size_t>(chunk_offsets_.capacity(), 1) - 1}));
  room_.candidates = foreseen(expected.candidates, std::min(candidate_slots_.capacity(), candidate_sites_.capacity()));
  room_.contacts = foreseen(expected.contacts, contacts_.capacity());
  room_.kept = foreseen(expected.kept, gathered_.capacity());
  if (std::min({room_.chunks, room_.candidates, room_.contacts, room_.kept}) == 0) return false;
  room_.parts = parts_with_room(room_.candidates);
  room_.capacity = store_room(kFirstRoom);
  return fit_into_store(room_.parts, room_.capacity);
}

// Sends all commands for the slots at work off, for which there is room_.
void TerrainContacts::launch_all(const DevicePoses& poses, opencl::Transfers& transfers, StageTimer& timer) {
  const auto slots = static_cast<std::uint32_t>(slots_->host.size());
  launch_ranges(poses, timer);
  launch_sites(0, slots, room_.chunks, timer);
  gathered_.resize(room_.kept);
  outcomes_.resize(slots + 1);
  // Few bodies may be over very many cells.
  if (slots <= kFewSlots && std::max(room_.chunks, room_.candidates) <= kFewAtOnce) {
    launch_few_candidates(timer);
    launch_narrow_phase(room_.parts, room_.capacity, timer);
    launch_few_contacts(timer);
  } else {
    scan_.run_u32(kept_in_chunk_, chunk_offsets_, room_.chunks, total_, Stage::broad_phase, &timer);
    launch_candidates(0, slots, room_.chunks, room_.candidates, timer);
    launch_narrow_phase(room_.parts, room_.capacity, timer);
    scan_.run_u32(contact_counts_, contact_offsets_, room_.candidates, total_, Stage::narrow_phase, &timer);
    launch_order(room_.candidates, room_.places, room_.contacts, timer);
    launch_reduction(0, slots, room_.contacts, timer);
    opencl::launch(device_, gather_small_kernel_, &timer, Stage::contact_reduction, slots + 1, kGroup, slots,
                   room_.chunks, site_offsets_, chunk_offsets_, first_candidate_, contact_offsets_, kept_offsets_,
                   manifolds_, unreduced_, contacts_, room_.kept, gathered_, outcomes_);
  }
  outcomes_host_.resize(slots + 1);
  outcomes_.download_later(outcomes_host_, transfers, 0, &timer);
  gathered_.download_later(kept_contacts_.add(room_.kept), transfers, 0, &timer);
}

// What the slots at work have, where there was room for it.
bool TerrainContacts::take_all(FrameCounts& counts) {
  const auto slots = static_cast<std::uint32_t>(slots_->host.size());
  const SlotOutcome& all = outcomes_host_[slots];
  const bool fits = all.sites <= room_.chunks * CHUNK_SITES && all.candidates <= room_.candidates &&
                    all.found <= room_.contacts && all.first <= room_.kept;
  kept_contacts_.cut(fits ? all.first : 0);
  if (!fits) return false;
  kept_offsets_host_.clear();
  manifolds_host_.clear();
  for (const SlotOutcome& slot : outcomes_host_) {
    kept_offsets_host_.push_back(slot.first);
    manifolds_host_.push_back(slot.manifolds);
    counts.unreduced += slot.unreduced;
  }
  if (all.first > 0) take(0, slots, kept_contacts_.last());
  counts.candidates += all.candidates;
  return true;
}

bool TerrainContacts::begin(const DevicePoses& poses, opencl::Transfers& transfers, StageTimer& timer) {
  slots_ = &all_;
  if (!make_room(last_)) return false;
  begin_frame();
  launch_all(poses, transfers, timer);
  return true;
}

bool TerrainContacts::complete(FrameCounts& counts) {
  if (!take_all(counts)) return false;
  const SlotOutcome& all = outcomes_host_.back();
  last_ = {chunks_of(all.sites), all.candidates, all.found, all.first};
  whole_count_ = kept_contacts_.count();
  return true;
}

// launch_candidates() and the scan before it, for few slots: with room_.
void TerrainContacts::launch_few_candidates(StageTimer& timer) {
  resize_candidates(room_.candidates);
  chunk_offsets_.resize(std::size_t{room_.chunks} + 1);
  const std::size_t group = device_.lone_group_size(small_candidates_kernel_, kGroup);
  opencl::launch(device_, small_candidates_kernel_, &timer, Stage::broad_phase, group, group,
                 static_cast<cl_uint>(slots_->host.size()), room_.chunks, site_offsets_, site_features_, kept_in_chunk_,
                 chunk_offsets_, room_.candidates, candidate_slots_, candidate_sites_, first_candidate_,
                 contact_counts_, stored_);
}

// All that comes after the narrow phase, likewise.
void TerrainContacts::launch_few_contacts(StageTimer& timer) {
  const auto slots = static_cast<cl_uint>(slots_->host.size());
  contact_offsets_.resize(std::size_t{room_.candidates} + 1);
  contacts_.resize(room_.contacts);
  kept_.resize(slots);
  kept_offsets_.resize(std::size_t{slots} + 1);
  manifolds_.resize(slots);
  unreduced_.resize(slots);
  const std::size_t group = device_.lone_group_size(small_frame_kernel_, kGroup);
  opencl::launch(device_, small_frame_kernel_, &timer, Stage::contact_reduction, group, group, slots, room_.chunks,
                 room_.candidates, room_.places, room_.contacts, room_.kept, many_contacts(), slots_->records, places_,
                 site_offsets_, chunk_offsets_, first_candidate_, contact_counts_, contact_offsets_, stored_, store_,
                 store_candidates_, contacts_, kept_, kept_offsets_, manifolds_, unreduced_, gathered_, outcomes_);
}

// Begins to take the reduced contacts of so many slots over to the host, of which there are `contacts` at most.
void TerrainContacts::read_kept(std::uint32_t slots, std::uint32_t contacts, opencl::Transfers& transfers,
                                StageTimer& timer) {
  kept_offsets_host_.resize(slots + 1);
  manifolds_host_.resize(slots);
  unreduced_host_.resize(slots);
  std::vector<ContactRecord>& records = kept_contacts_.add(contacts);
  kept_offsets_.download_later(kept_offsets_host_, transfers, 0, &timer);
  manifolds_.download_later(manifolds_host_, transfers, 0, &timer);
  unreduced_.download_later(unreduced_host_, transfers, 0, &timer);
  gathered_.download_later(records, transfers, 0, &timer);
}

// After read_kept() of slots [first, first + slots).
void TerrainContacts::take_kept(std::uint32_t first, std::uint32_t slots, FrameCounts& counts) {
  counts.unreduced += std::accumulate(unreduced_host_.begin(), unreduced_host_.end(), std::uint64_t{0});
  take(first, slots, kept_contacts_.last());
}

// Takes the reduced contacts of slots [first, first + slots) over to the host.
void TerrainContacts::keep(std::uint32_t first, std::uint32_t slots, std::uint32_t contacts, FrameCounts& counts,
                           StageTimer& timer) {
  opencl::Transfers transfers;
  read_kept(slots, contacts, transfers, timer);
  transfers.wait();
  take_kept(first, slots, counts);
}

// Notes what each of slots [first, first + slots) has of these records, by the offsets and counts that were read.
void TerrainContacts::take(std::uint32_t first, std::uint32_t slots, std::span<const ContactRecord> records) {
  tbb::parallel_for(tbb::blocked_range<std::uint32_t>(0, slots, 4096), [&](const auto& range) {
    for (std::uint32_t k = range.begin(); k != range.end(); ++k) {
      const std::uint32_t begin = kept_offsets_host_[k];
      of_body_[slots_->host[first + k].body] = {records.data() + begin, kept_offsets_host_[k + 1] - begin,
                                                manifolds_host_[k]};
    }
  });
}

// Gives back what a frame or slice has taken that did not fit, so that a smaller one does.
void TerrainContacts::free_slice_buffers() {
  device_.finish();
  site_features_.free();
  for (Buffer<std::uint32_t>* buffer :
       {&kept_in_chunk_, &chunk_offsets_, &candidate_slots_, &candidate_sites_, &first_candidate_, &contact_counts_,
        &contact_offsets_, &stored_, &store_candidates_, &kept_, &kept_offsets_, &manifolds_, &unreduced_})
    buffer->free();
  for (Buffer<ContactRecord>* buffer : {&store_, &contacts_, &gathered_}) buffer->free();
  outcomes_.free();
}

void TerrainContacts::free_frame_buffers() {
  free_slice_buffers();
  scan_.free();
  places_.free();
  site_counts_.free();
  site_offsets_.free();
  total_.free();
  kept_total_.free();
}

// Sites of the slots before this one.
std::uint64_t TerrainContacts::site_offset(std::uint32_t slot) {
  if (slot == 0) return 0;
  if (slot == slots_->host.size()) return sites_;
  if (site_offsets_host_.empty()) {
    site_offsets_host_.resize(slots_->host.size() + 1);
    site_offsets_.download(site_offsets_host_);
  }
  return site_offsets_host_[slot];
}

// process() for slots [first, last), in halves where they do not fit.
void TerrainContacts::work_through(std::uint32_t first, std::uint32_t last, FrameCounts& counts, StageTimer& timer) {
  if (first == last) return;
  const std::uint64_t first_site = site_offset(first), last_site = site_offset(last);
  const bool single = last - first == 1;
  if (single || last_site - first_site <= kSliceSites) {
    try {
      process(first, last, first_site, last_site, counts, timer);
      return;
    } catch (const SliceTooLarge& e) {
      if (single)
        throw Error(ErrorKind::device, "body " + std::to_string(slots_->host[first].body) + " alone has " + e.what +
                                           ", more than 32-bit indices hold");
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::device || single) throw;
    }
    free_slice_buffers();
  }
  was_sliced_ = true;
  const std::uint32_t middle = first + (last - first) / 2;
  work_through(first, middle, counts, timer);
  work_through(middle, last, counts, timer);
}

void TerrainContacts::find_in_slots(const DevicePoses& poses, FrameCounts& counts, StageTimer& timer) {
  site_offsets_host_.clear();
  const auto slots = static_cast<std::uint32_t>(slots_->host.size());
  sites_ = slots > 0 ? find_ranges(poses, timer) : 0;
  if (sites_ > 0) work_through(0, slots, counts, timer);
}

// Nothing of the frame before is left on the host.
void TerrainContacts::begin_frame() {
  kept_contacts_.clear();
  if (!all_.host.empty()) of_body_.assign(body_count_, {});
  slots_ = &all_;
  was_sliced_ = was_downloaded_ = false;
}

void TerrainContacts::find(const DevicePoses& poses, FrameCounts& counts, StageTimer& timer) {
  begin_frame();
  find_in_slots(poses, counts, timer);
  whole_count_ = kept_contacts_.count();
}

void TerrainContacts::find_on_device(const DevicePoses& poses, FrameCounts& counts, StageTimer& timer) {
  on_device_ = {};
  stays_on_device_ = true;
  try {
    find(poses, counts, timer);
  } catch (...) {
    stays_on_device_ = false;
    throw;
  }
  stays_on_device_ = false;
}

void TerrainContacts::download(FrameCounts& counts, StageTimer& timer) {
  if (on_device_.contacts > 0) {
    keep(0, on_device_.slots, on_device_.contacts, counts, timer);
    was_downloaded_ = true;
  }
  on_device_ = {};
}

void TerrainContacts::move(std::span<const std::uint32_t> bodies, StageTimer& timer) {
  moved_upload_.wait();
  all_slot_of_.clear();
  for (const std::uint32_t body : bodies)
    if (slot_of_body_[body] != kNoSlot) all_slot_of_.push_back(slot_of_body_[body]);
  std::sort(all_slot_of_.begin(), all_slot_of_.end());
  moved_.host.clear();
  before_move_.clear();
  for (const std::uint32_t slot : all_slot_of_) {
    moved_.host.push_back(all_.host[slot]);
    before_move_.push_back(std::exchange(of_body_[all_.host[slot].body], {}));
  }
  for (std::size_t s = 0; s <= kShapes; ++s)
    moved_.shape_begin[s] = static_cast<std::uint32_t>(
        std::lower_bound(all_slot_of_.begin(), all_slot_of_.end(), all_.shape_begin[s]) - all_slot_of_.begin());
  reshaped_.clear();
  slots_ = &moved_;
  if (moved_.host.empty()) return;
  moved_.records.resize(moved_.host.size());
  moved_.records.upload_later(moved_.host, moved_upload_, &timer);
}

void TerrainContacts::find_moved(const DevicePoses& poses, FrameCounts& counts, StageTimer& timer) {
  if (moved_.host.empty()) return;
  last_moved_ = {};
  last_moved_slots_ = moved_.host.size();
  find_in_slots(poses, counts, timer);
  finish_moved();
}

// Room as so many have needed on average in the last whole frame, or in the last one like this.
bool TerrainContacts::begin_moved(const DevicePoses& poses, opencl::Transfers& transfers, StageTimer& timer) {
  const std::size_t moved = moved_.host.size(), of_all = all_.host.size();
  if (moved == 0) return false;
  const auto expected = [&](std::uint64_t whole, std::uint64_t of_moved) {
    return std::max(share_of(moved, of_all, whole), share_of(moved, last_moved_slots_, of_moved)) + 1;
  };
  if (!make_room({expected(last_.chunks, last_moved_.chunks), expected(last_.candidates, last_moved_.candidates),
                  expected(last_.contacts, last_moved_.contacts), expected(last_.kept, last_moved_.kept)}))
    return false;
  launch_all(poses, transfers, timer);
  return true;
}

bool TerrainContacts::complete_moved(FrameCounts& counts) {
  const SlotOutcome& all = outcomes_host_.back();
  last_moved_ = {chunks_of(all.sites), all.candidates, all.found, all.first};
  last_moved_slots_ = moved_.host.size();
  if (!take_all(counts)) return false;
  finish_moved();
  return true;
}

// What has changed by the last move().
void TerrainContacts::finish_moved() {
  const auto same_manifold = [](const ContactRecord& a, const ContactRecord& b) { return a.manifold == b.manifold; };
  for (std::size_t k = 0; k < before_move_.size(); ++k) {
    const std::span<const ContactRecord> then = before_move_[k].contacts(),
                                         now = of_body_[moved_.host[k].body].contacts();
    if (!std::equal(then.begin(), then.end(), now.begin(), now.end(), same_manifold))
      reshaped_.push_back(moved_.host[k].body);
  }
  if (kept_contacts_.count() > 2 * whole_count_ + kFirstRoom) drop_superseded();
}

// Gathers what is still in use of the contacts of many frames in one array.
void TerrainContacts::drop_superseded() {
  std::size_t count = 0;
  for (const OfBody& body : of_body_) count += body.count;
  KeptRecords<ContactRecord> used;
  ContactRecord* to = used.add(count).data();
  for (OfBody& body : of_body_) {
    body.first = std::exchange(to, std::copy_n(body.first, body.count, to));
  }
  kept_contacts_ = std::move(used);
  whole_count_ = count;
}

}  // namespace oclide
