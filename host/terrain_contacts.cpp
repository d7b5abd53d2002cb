#include "terrain_contacts.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "slice.hpp"

namespace oclide {

using opencl::Buffer;
using opencl::Stage;
using opencl::StageTimer;

namespace {

constexpr std::array kTerrainShapes{Shape::sphere, Shape::box, Shape::cylinder, Shape::capsule};
constexpr std::array kTerrainStems{"sphere_terrain", "box_terrain", "cylinder_terrain", "capsule_terrain"};

constexpr std::size_t kChunkSites = 64;      // as CHUNK_SITES in kernels/broad_phase/terrain_candidates.cl
constexpr std::uint32_t kFirstStore = 4096;  // contacts that there is room for at first
constexpr std::size_t kSlotsReadAtOnce = 4096;
// Sites of a slice at most: their candidates, counted in 32 bits, take 16 bytes each.
constexpr std::uint64_t kSliceSites = std::uint64_t{1} << 28;

}  // namespace

TerrainContacts::TerrainContacts(opencl::Device& device, float margin)
    : device_(device),
      margin_(margin),
      scan_(device_),
      terrains_(device_),
      range_kernel_(device_.kernel("broad_phase/terrain_range", "broad_phase_terrain_range")),
      sites_kernel_(device_.kernel("broad_phase/terrain_candidates", "broad_phase_terrain_sites")),
      candidates_kernel_(device_.kernel("broad_phase/terrain_candidates", "broad_phase_terrain_candidates")),
      order_kernel_(device_.kernel("narrow_phase/contact_order", "narrow_phase_contact_order")),
      reduction_kernel_(device_.kernel("contact_reduction/body_contacts", "contact_reduction_body_contacts")),
      gather_kernel_(device_.kernel("contact_reduction/gather", "contact_reduction_gather")),
      all_(device_, "bodies"),
      moved_(device_, "moved bodies on terrain"),
      places_(device_, "places on the terrain"),
      site_counts_(device_, "site counts"),
      site_offsets_(device_, "site offsets"),
      total_(device_, "total"),
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
      store_(device_, "contacts as found"),
      contacts_(device_, "contacts"),
      gathered_(device_, "reduced contacts"),
      kept_(device_, "reduced counts"),
      kept_offsets_(device_, "reduced offsets"),
      manifolds_(device_, "manifold counts"),
      unreduced_(device_, "unreduced counts") {
  for (std::size_t s = 0; s < kShapes; ++s)
    narrow_kernels_[s] = device_.kernel(std::string("narrow_phase/") + kTerrainStems[s],
                                        std::string("narrow_phase_") + kTerrainStems[s]);
}

void TerrainContacts::set_scene(const Scene& scene) {
  const Bodies& b = scene.bodies;
  free_slice_buffers();
  body_count_ = b.count();
  all_.host.clear();
  of_slot_.clear();
  kept_contacts_.free();
  slot_of_body_.assign(body_count_, kNoSlot);
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
      for (int a = 0; a < 3; ++a) record.size[a] = static_cast<float>(std::max(b.size[i][a], 1e-12));
      slot_of_body_[i] = static_cast<std::uint32_t>(all_.host.size());
      all_.host.push_back(record);
    }
  }
  all_.shape_begin[kShapes] = static_cast<std::uint32_t>(all_.host.size());
  all_.records.assign(all_.host);
  terrains_.set(scene.terrains);
}

// Ranges of sites under all bodies; the number of sites in all.
std::uint64_t TerrainContacts::find_ranges(const DevicePoses& poses, StageTimer& timer) {
  const std::size_t slots = slots_->host.size();
  places_.resize(slots);
  site_counts_.resize(slots);
  opencl::launch(device_, range_kernel_, &timer, Stage::broad_phase, slots, kGroup, static_cast<cl_uint>(slots),
                 slots_->records, poses.high, poses.low, poses.orientation, terrains_.records(), terrains_.heights(),
                 terrains_.open_cells(), terrains_.bounds(), margin_, places_, site_counts_);
  scan_.run_u64(site_counts_, site_offsets_, slots, total_, Stage::broad_phase, &timer);
  return total_.read_one(0, &timer, Stage::broad_phase);
}

// The sites of slots [first, last) that reach up to their bodies, in order.
std::uint32_t TerrainContacts::find_candidates(std::uint32_t first, std::uint32_t last, std::uint64_t first_site,
                                               std::uint64_t last_site, const DevicePoses& poses, StageTimer& timer) {
  const std::uint32_t chunks = checked((last_site - first_site + kChunkSites - 1) / kChunkSites, "chunks of sites");
  site_features_.resize(std::size_t{chunks} * kChunkSites);
  kept_in_chunk_.resize(chunks);
  first_candidate_.resize(slots_->host.size() + 1);
  opencl::launch(device_, sites_kernel_, &timer, Stage::broad_phase, chunks, kGroup, first, last, first_site, last_site,
                 chunks, site_offsets_, slots_->records, places_, poses.high, poses.low, poses.orientation,
                 terrains_.records(), terrains_.heights(), terrains_.heights_low(), terrains_.open_cells(),
                 terrains_.material(), terrains_.bounds(), margin_, site_features_, kept_in_chunk_);
  scan_.run_u32(kept_in_chunk_, chunk_offsets_, chunks, total_, Stage::broad_phase, &timer);
  const std::uint32_t candidates = checked(total_.read_one(0, &timer, Stage::broad_phase), "candidates");
  candidate_slots_.resize(candidates);
  candidate_sites_.resize(candidates);
  opencl::launch(device_, candidates_kernel_, &timer, Stage::broad_phase, chunks, kGroup, first, last, first_site,
                 last_site, chunks, site_offsets_, site_features_, chunk_offsets_, candidate_slots_, candidate_sites_,
                 first_candidate_);
  return candidates;
}

// Finds the contacts of all candidates and puts them in order; their number.
std::uint32_t TerrainContacts::narrow_phase(const std::array<std::uint32_t, kShapes + 1>& bounds,
                                            const DevicePoses& poses, StageTimer& timer) {
  const std::uint32_t candidates = bounds[kShapes];
  contact_counts_.resize(candidates);
  stored_.resize(1);
  // The store is as large as it ever was; a first guess only saves a second run of the kernels.
  std::uint32_t capacity = static_cast<std::uint32_t>(std::min(store_.capacity(), store_candidates_.capacity()));
  if (capacity < kFirstStore) capacity = kFirstStore;
  while (true) {
    store_.resize(capacity);
    store_candidates_.resize(capacity);
    stored_.fill(0, 0, 1, &timer, Stage::narrow_phase);
    for (std::size_t s = 0; s < kShapes; ++s) {
      const cl_uint count = bounds[s + 1] - bounds[s];
      opencl::launch(device_, narrow_kernels_[s], &timer, Stage::narrow_phase, count, kGroup, bounds[s], count,
                     candidate_slots_, candidate_sites_, slots_->records, places_, poses.high, poses.low,
                     poses.orientation, terrains_.records(), terrains_.heights(), terrains_.heights_low(),
                     terrains_.open_cells(), terrains_.material(), terrains_.bounds(), margin_, contact_counts_,
                     capacity, stored_, store_candidates_, store_);
    }
    scan_.run_u32(contact_counts_, contact_offsets_, candidates, total_, Stage::narrow_phase, &timer);
    const std::uint32_t found = checked(total_.read_one(0, &timer, Stage::narrow_phase), "contacts before reduction");
    if (found <= capacity) {
      contacts_.resize(found);
      opencl::launch(device_, order_kernel_, &timer, Stage::narrow_phase, found, kGroup, found, store_,
                     store_candidates_, contact_offsets_, contacts_);
      return found;
    }
    capacity = found;
  }
}

void TerrainContacts::process(std::uint32_t first, std::uint32_t last, std::uint64_t first_site,
                              std::uint64_t last_site, const DevicePoses& poses, FrameCounts& counts,
                              StageTimer& timer) {
  if (first_site == last_site) return;
  const std::uint32_t candidates = find_candidates(first, last, first_site, last_site, poses, timer);
  if (candidates == 0) return;

  // Candidates of each shape: its slots are a range, and so are they. Few slots are read at once.
  std::array<std::uint32_t, kShapes + 1> bounds{};
  bounds[kShapes] = candidates;
  const bool reads_all = !stays_on_device_ && slots_->host.size() <= kSlotsReadAtOnce;
  std::vector<std::uint32_t> first_candidates(reads_all ? slots_->host.size() + 1 : 0);
  if (!first_candidates.empty()) first_candidate_.download(first_candidates, 0, &timer, Stage::broad_phase);
  for (std::size_t s = 1; s < kShapes; ++s) {
    const std::uint32_t slot = std::clamp(slots_->shape_begin[s], first, last);
    bounds[s] = slot == first              ? 0
                : slot == last             ? candidates
                : first_candidates.empty() ? first_candidate_.read_one(slot, &timer, Stage::broad_phase)
                                           : first_candidates[slot];
  }
  if (narrow_phase(bounds, poses, timer) > 0) {
    const cl_uint slots = last - first;
    kept_.resize(slots);
    manifolds_.resize(slots);
    unreduced_.resize(slots);
    opencl::launch(device_, reduction_kernel_, &timer, Stage::contact_reduction, slots, kGroup, first, slots,
                   slots_->records, poses.orientation, first_candidate_, contact_offsets_, contacts_, kept_, manifolds_,
                   unreduced_);
    scan_.run_u32(kept_, kept_offsets_, slots, total_, Stage::contact_reduction, &timer);
    const auto kept = static_cast<std::uint32_t>(total_.read_one(0, &timer, Stage::contact_reduction));
    gathered_.resize(kept);
    opencl::launch(device_, gather_kernel_, &timer, Stage::contact_reduction, slots, kGroup, first, slots,
                   first_candidate_, contact_offsets_, contacts_, kept_offsets_, gathered_);
    if (stays_on_device_ && slots == slots_->host.size())
      on_device_ = {slots, kept, &kept_offsets_, &manifolds_, &gathered_, &slots_->records};
    else
      keep(first, slots, kept, counts, timer);
  }
  counts.candidates += candidates;
}

// Takes the reduced contacts of slots [first, first + slots) over to the host.
void TerrainContacts::keep(std::uint32_t first, std::uint32_t slots, std::uint32_t contacts, FrameCounts& counts,
                           StageTimer& timer) {
  kept_offsets_host_.resize(slots + 1);
  manifolds_host_.resize(slots);
  unreduced_host_.resize(slots);
  std::vector<ContactRecord>& records = kept_contacts_.add(contacts);
  kept_offsets_.download(kept_offsets_host_, 0, &timer);
  manifolds_.download(manifolds_host_, 0, &timer);
  unreduced_.download(unreduced_host_, 0, &timer);
  gathered_.download(records, 0, &timer);
  counts.unreduced += std::accumulate(unreduced_host_.begin(), unreduced_host_.end(), std::uint64_t{0});
  tbb::parallel_for(tbb::blocked_range<std::uint32_t>(0, slots, 4096), [&](const auto& range) {
    for (std::uint32_t k = range.begin(); k != range.end(); ++k) {
      const std::uint32_t slot = slots_ == &all_ ? first + k : all_slot_of_[first + k];
      const std::uint32_t begin = kept_offsets_host_[k];
      of_slot_[slot] = {std::span<const ContactRecord>(records).subspan(begin, kept_offsets_host_[k + 1] - begin),
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
void TerrainContacts::work_through(std::uint32_t first, std::uint32_t last, const DevicePoses& poses,
                                   FrameCounts& counts, StageTimer& timer) {
  if (first == last) return;
  const std::uint64_t first_site = site_offset(first), last_site = site_offset(last);
  const bool single = last - first == 1;
  if (single || last_site - first_site <= kSliceSites) {
    try {
      process(first, last, first_site, last_site, poses, counts, timer);
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
  work_through(first, middle, poses, counts, timer);
  work_through(middle, last, poses, counts, timer);
}

void TerrainContacts::find_in_slots(const DevicePoses& poses, FrameCounts& counts, StageTimer& timer) {
  site_offsets_host_.clear();
  const auto slots = static_cast<std::uint32_t>(slots_->host.size());
  sites_ = slots > 0 ? find_ranges(poses, timer) : 0;
  if (sites_ > 0) work_through(0, slots, poses, counts, timer);
}

void TerrainContacts::find(const DevicePoses& poses, FrameCounts& counts, StageTimer& timer) {
  kept_contacts_.clear();
  of_slot_.assign(all_.host.size(), {});
  slots_ = &all_;
  was_sliced_ = was_downloaded_ = false;
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

void TerrainContacts::find_moved(std::span<const std::uint32_t> bodies, const DevicePoses& poses, FrameCounts& counts,
                                 StageTimer& timer) {
  all_slot_of_.clear();
  for (const std::uint32_t body : bodies)
    if (slot_of_body_[body] != kNoSlot) all_slot_of_.push_back(slot_of_body_[body]);
  if (all_slot_of_.empty()) return;
  std::sort(all_slot_of_.begin(), all_slot_of_.end());
  moved_.host.clear();
  for (const std::uint32_t slot : all_slot_of_) {
    moved_.host.push_back(all_.host[slot]);
    of_slot_[slot] = {};
  }
  for (std::size_t s = 0; s <= kShapes; ++s)
    moved_.shape_begin[s] = static_cast<std::uint32_t>(
        std::lower_bound(all_slot_of_.begin(), all_slot_of_.end(), all_.shape_begin[s]) - all_slot_of_.begin());
  moved_.records.assign(moved_.host, &timer);
  slots_ = &moved_;
  find_in_slots(poses, counts, timer);
  if (kept_contacts_.count() > 2 * whole_count_ + kFirstStore) drop_superseded();
}

// Gathers what is still in use of the contacts of many frames in one array.
void TerrainContacts::drop_superseded() {
  std::size_t count = 0;
  for (const OfBody& slot : of_slot_) count += slot.contacts.size();
  KeptRecords<ContactRecord> used;
  ContactRecord* to = used.add(count).data();
  for (OfBody& slot : of_slot_) {
    std::copy(slot.contacts.begin(), slot.contacts.end(), to);
    slot.contacts = {to, slot.contacts.size()};
    to += slot.contacts.size();
  }
  kept_contacts_ = std::move(used);
  whole_count_ = count;
}

}  // namespace oclide
