#include "pipeline/mesh_contacts.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "frame/slice.hpp"

namespace oclide {

using opencl::Buffer;
using opencl::Stage;
using opencl::StageTimer;

namespace {

constexpr double kContactsOfTriangle = 0.125;  // a candidate, fewer than there are, for StoreRuns
constexpr std::uint64_t kPlenty = 8;           // what more than a buffer needs is no matter, if so many times fit
// Candidates of a slice at most: they take some 16 bytes each.
constexpr std::uint64_t kMostCandidates = std::uint64_t{1} << 28;

// With room for a quarter more in later frames, where memory has plenty.
template <class T>
void resize_amply(const opencl::Device& device, Buffer<T>& buffer, std::size_t count) {
  const std::size_t ample = predicted_capacity(count, std::numeric_limits<std::size_t>::max());
  if (count > buffer.capacity() && device.fits(kPlenty * ample * sizeof(T))) buffer.reserve(ample);
  buffer.resize(count);
}

std::uint32_t number(std::uint64_t count, std::uint64_t most, const char* what) {
  if (count > most) throw SliceTooLarge{std::to_string(count) + " " + what};
  return static_cast<std::uint32_t>(count);
}

}  // namespace

MeshContacts::MeshContacts(opencl::Device& device, const DeviceScene& scene, float margin)
    : device_(device),
      scene_(scene),
      margin_(margin),
      runs_(device.info(), kContactsOfTriangle),
      scan_(device),
      reduction_(device, scene.hulls.words),
      pairs_kernel_(device, "broad_phase/mesh_candidates", "broad_phase_mesh_pairs"),
      boxes_kernel_(device, "broad_phase/mesh_candidates", "broad_phase_mesh_boxes"),
      items_kernel_(device, "broad_phase/mesh_candidates", "broad_phase_mesh_items"),
      first_kernel_(device, "broad_phase/mesh_candidates", "broad_phase_first_candidate"),
      order_kernel_(device, "narrow_phase/contact_order", "narrow_phase_contact_order"),
      results_kernel_(device, "contact_reduction/mesh_contacts", "contact_reduction_mesh_results"),
      pairs_(device, "pairs with meshes"),
      item_pairs_{Buffer<std::uint32_t>(device, "mesh items, pairs"),
                  Buffer<std::uint32_t>(device, "mesh items, pairs")},
      item_entries_{Buffer<std::uint32_t>(device, "mesh items, boxes"),
                    Buffer<std::uint32_t>(device, "mesh items, boxes")},
      met_(device, "mesh items, boxes met"),
      counts_(device, "mesh items, counts"),
      offsets_(device, "mesh items, offsets"),
      first_candidate_(device, "first mesh candidates"),
      stored_(device, "mesh contacts stored"),
      store_candidates_(device, "candidates of mesh contacts"),
      contact_offsets_(device, "mesh contact offsets"),
      store_(device, "mesh contacts as found"),
      contacts_(device, "mesh contacts"),
      contact_total_(device, "total of mesh contacts as found"),
      tags_(device, "triangles of mesh contacts"),
      sizes_host_(device),
      stored_host_(device) {
  for (std::uint32_t k = CONVEX_PAIR_KINDS; k < kPairTable.size(); ++k) {
    const std::string stem = kPairTable[k].stem;
    kernels_.emplace_back(device, "narrow_phase/" + stem, "narrow_phase_" + stem);
  }
}

void MeshContacts::find(const BodyPairs& pairs, FrameCounts& counts, StageTimer& timer) {
  first_ = count_ = 0;
  for (std::size_t k = CONVEX_PAIR_KINDS; k < kPairTable.size(); ++k) {
    if (pairs.end[k] == pairs.begin[k]) continue;
    if (count_ == 0) first_ = pairs.begin[k];
    count_ += pairs.end[k] - pairs.begin[k];
  }
  if (count_ == 0) return;
  if (!predict_room() || !find_predicted(pairs, timer)) find_with_sizes_read(pairs, timer);
  sizes_.pairs = count_;
  counts.candidates += sizes_.items.back();
  counts.unreduced += sizes_.contacts;
}

// Room for what so many pairs had on average last, and a quarter more, as far as buffers have it. False where nothing
// is known, or hardly anything would fit.
bool MeshContacts::predict_room() {
  const std::size_t levels = scene_.hulls.mesh_levels;
  if (sizes_.pairs == 0 || sizes_.items.size() != levels) return false;
  const auto room = [&](std::uint64_t last, std::size_t capacity) {
    const std::uint64_t expected = share_of(count_, sizes_.pairs, last);
    return std::pair(predicted_capacity(expected, capacity), expected);
  };
  room_.items.resize(levels);
  for (std::size_t step = 0; step < levels; ++step) {
    const std::size_t next = (step + 1) % 2;
    const auto [items, expected] =
        room(sizes_.items[step], std::min(item_pairs_[next].capacity(), item_entries_[next].capacity()));
    if (items < expected) return false;
    room_.items[step] = items;
  }
  const auto [contacts, expected] = room(sizes_.contacts, contacts_.capacity());
  room_.contacts = contacts;
  return contacts >= expected;
}

// The bodies in the axes of their meshes, each the item of a tree's top.
void MeshContacts::launch_pairs(const BodyPairs& pairs, StageTimer& timer) {
  at_ = 0;
  pairs_.resize(count_);
  item_pairs_[0].resize(count_);
  item_entries_[0].resize(count_);
  while (items_.size() <= scene_.hulls.mesh_levels) items_.emplace_back(device_, "mesh items, numbers");
  items_[0].resize(1);
  items_[0].fill(count_, 0, 1, &timer, Stage::broad_phase);
  opencl::launch(device_, pairs_kernel_, &timer, Stage::broad_phase, count_, kGroup, first_, count_, pairs.order,
                 pairs.pairs, scene_.tree.states(), scene_.hulls.words, margin_, scene_.bodies.margins_of_bodies(),
                 pairs_, item_pairs_[0], item_entries_[0]);
}

// How many items each one leads to, in room_.
void MeshContacts::count_items(std::uint32_t step, StageTimer& timer) {
  const auto room = static_cast<cl_uint>(step > 0 ? room_.items[step - 1] : count_);
  met_.resize(room);
  counts_.resize(room);
  opencl::launch(device_, boxes_kernel_, &timer, Stage::broad_phase, room, kGroup, room, items_[step], step, pairs_,
                 scene_.hulls.words, item_pairs_[at_], item_entries_[at_], met_, counts_);
  scan_.run_u32(counts_, offsets_, room, items_[step + 1], Stage::broad_phase, &timer);
}

void MeshContacts::write_items(std::uint32_t step, StageTimer& timer) {
  const auto room = static_cast<cl_uint>(step > 0 ? room_.items[step - 1] : count_);
  const auto next_room = static_cast<cl_uint>(room_.items[step]);
  const std::size_t next = 1 - at_;
  resize_amply(device_, item_pairs_[next], next_room);
  resize_amply(device_, item_entries_[next], next_room);
  opencl::launch(device_, items_kernel_, &timer, Stage::broad_phase, room, kGroup, room, items_[step], step, pairs_,
                 scene_.hulls.words, item_pairs_[at_], item_entries_[at_], met_, offsets_, next_room, item_pairs_[next],
                 item_entries_[next]);
  at_ = next;
}

// Contacts of all candidates, in any order, as many as there is room for; their indices in order.
void MeshContacts::launch_contacts(const BodyPairs& pairs, StageTimer& timer) {
  constexpr Stage kStage = Stage::narrow_phase;
  const auto candidates = static_cast<cl_uint>(room_.items.back());
  first_candidate_.resize(std::size_t{count_} + 1);
  opencl::launch(device_, first_kernel_, &timer, Stage::broad_phase, count_ + 1, kGroup, count_, candidates,
                 items_[scene_.hulls.mesh_levels], item_pairs_[at_], first_candidate_);
  counts_.resize(candidates);
  counts_.fill(0, 0, candidates, &timer, kStage);
  store_.resize(room_.stored);
  store_candidates_.resize(room_.stored);
  stored_.resize(1);
  stored_.fill(0, 0, 1, &timer, kStage);
  for (std::size_t k = CONVEX_PAIR_KINDS; candidates > 0 && k < kPairTable.size(); ++k) {
    if (pairs.end[k] == pairs.begin[k]) continue;
    // How many of the candidates are of this kind the device knows.
    opencl::LazyKernel& kernel = kernels_[k - CONVEX_PAIR_KINDS];
    opencl::launch(device_, kernel, &timer, kStage, runs_.items(candidates), runs_.group(), pairs.begin[k] - first_,
                   pairs.end[k] - first_, runs_.block(candidates), first_candidate_, item_pairs_[at_],
                   item_entries_[at_], pairs_, scene_.hulls.words, counts_, room_.stored, stored_, store_candidates_,
                   store_);
  }
  scan_.run_u32(counts_, contact_offsets_, candidates, contact_total_, kStage, &timer);
}

void MeshContacts::order_contacts(StageTimer& timer) {
  const auto contacts = static_cast<cl_uint>(room_.contacts);
  resize_amply(device_, contacts_, contacts);
  if (contacts > 0)
    opencl::launch(device_, order_kernel_, &timer, Stage::narrow_phase, room_.stored, kGroup, count_, room_.stored,
                   contacts, stored_, store_, store_candidates_, first_candidate_, contact_offsets_, contacts_);
}

// Finds what there is room for, and waits once; false where that is not all.
bool MeshContacts::find_predicted(const BodyPairs& pairs, StageTimer& timer) {
  const std::uint32_t levels = scene_.hulls.mesh_levels;
  room_.stored = store_room(0);
  launch_pairs(pairs, timer);
  for (std::uint32_t step = 0; step < levels; ++step) {
    count_items(step, timer);
    write_items(step, timer);
  }
  launch_contacts(pairs, timer);
  order_contacts(timer);
  opencl::Transfers transfers;
  reduction_.begin(found(), transfers, timer);
  sizes_host_.resize(levels + 1);
  stored_host_.resize(1);
  for (std::uint32_t step = 0; step < levels; ++step)
    items_[step + 1].download_later(std::span(sizes_host_.data() + step, 1), transfers, 0, &timer, Stage::broad_phase);
  contact_total_.download_later(std::span(sizes_host_.data() + levels, 1), transfers, 0, &timer, Stage::narrow_phase);
  stored_.download_later(stored_host_, transfers, 0, &timer, Stage::narrow_phase);
  transfers.wait();
  for (std::uint32_t step = 0; step < levels; ++step)
    if (sizes_host_[step] > room_.items[step]) return false;
  if (sizes_host_[levels] > room_.contacts || stored_host_[0] > room_.stored) return false;
  sizes_.items.assign(sizes_host_.begin(), sizes_host_.begin() + levels);
  sizes_.contacts = sizes_host_[levels];
  reduction_.finish(found(), timer);
  return true;
}

// The same with sizes read back, one after the other.
void MeshContacts::find_with_sizes_read(const BodyPairs& pairs, StageTimer& timer) {
  sizes_ = {};  // not known where this fails
  room_.items.clear();
  launch_pairs(pairs, timer);
  for (std::uint32_t step = 0; step < scene_.hulls.mesh_levels; ++step) {
    count_items(step, timer);
    room_.items.push_back(number(items_[step + 1].read_one(0, &timer, Stage::broad_phase), kMostCandidates,
                                 "candidates of bodies and triangles"));
    write_items(step, timer);
  }
  const auto candidates = static_cast<std::uint32_t>(room_.items.back());
  const std::uint64_t lost = runs_.items(candidates) * (runs_.block(candidates) - 1) * kernels_.size();
  for (room_.stored = store_room(kFirstRoom);;) {
    launch_contacts(pairs, timer);
    room_.contacts = contact_total_.read_one(0, &timer, Stage::narrow_phase);
    const std::uint32_t needed = checked(room_.contacts + lost, "contacts with triangles before reduction");
    if (needed <= room_.stored || stored_.read_one(0, &timer, Stage::narrow_phase) <= room_.stored) break;
    room_.stored = needed;
  }
  order_contacts(timer);
  opencl::Transfers transfers;
  reduction_.begin(found(), transfers, timer);
  transfers.wait();
  reduction_.finish(found(), timer);
  sizes_ = room_;
}

std::uint32_t MeshContacts::store_room(std::uint32_t least) const {
  return static_cast<std::uint32_t>(
      std::min<std::size_t>(std::max<std::size_t>(store_.capacity(), least), 0xFFFFFFFEU));
}

void MeshContacts::write(const BodyPairs& pairs, Buffer<PairResult>& results, Buffer<PairContactRecord>& store,
                         StageTimer& timer) {
  if (count_ == 0) return;
  tags_.resize(contacts());
  opencl::launch(device_, results_kernel_, &timer, Stage::contact_reduction, count_, kGroup, count_, first_,
                 pairs.count, cl_uint{0}, pairs.order, pairs_, scene_.hulls.words, first_candidate_, contact_offsets_,
                 contacts_, reduction_.rests(), reduction_.kept_offsets(), reduction_.manifold_offsets(), results,
                 store, tags_);
}

void MeshContacts::free() {
  pairs_.free();
  for (auto* buffers : {&item_pairs_, &item_entries_})
    for (auto& buffer : *buffers) buffer.free();
  for (auto* buffer : {&counts_, &offsets_, &first_candidate_, &stored_, &store_candidates_, &contact_offsets_})
    buffer->free();
  for (auto* buffer : {&store_, &contacts_}) buffer->free();
  met_.free();
  tags_.free();
  scan_.free();
  reduction_.free();
}

}  // namespace oclide
