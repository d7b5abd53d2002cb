#include "pipeline/mesh_contacts.hpp"

#include <algorithm>
#include <string>

#include "frame/slice.hpp"

namespace oclide {

using opencl::Buffer;
using opencl::Stage;
using opencl::StageTimer;

namespace {

constexpr double kContactsOfTriangle = 0.125;  // a candidate, fewer than there are, for StoreRuns
// Candidates of a slice at most: they take some 16 bytes each.
constexpr std::uint64_t kMostCandidates = std::uint64_t{1} << 28;

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
      counts_(device, "mesh items, counts"),
      offsets_(device, "mesh items, offsets"),
      first_candidate_(device, "first mesh candidates"),
      stored_(device, "mesh contacts stored"),
      store_candidates_(device, "candidates of mesh contacts"),
      contact_offsets_(device, "mesh contact offsets"),
      store_(device, "mesh contacts as found"),
      contacts_(device, "mesh contacts"),
      total_(device, "total"),
      tags_(device, "triangles of mesh contacts") {
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
  const std::uint32_t candidates = find_candidates(pairs, timer);
  counts.candidates += candidates;
  counts.unreduced += find_contacts(pairs, candidates, timer);
  reduction_.run({count_, pairs_, first_candidate_, contact_offsets_, contacts_}, timer);
}

// The triangles near each body, level by level of their trees.
std::uint32_t MeshContacts::find_candidates(const BodyPairs& pairs, StageTimer& timer) {
  constexpr Stage kStage = Stage::broad_phase;
  at_ = 0;
  pairs_.resize(count_);
  item_pairs_[0].resize(count_);
  item_entries_[0].resize(count_);
  opencl::launch(device_, pairs_kernel_, &timer, kStage, count_, kGroup, first_, count_, pairs.order, pairs.pairs,
                 scene_.tree.states(), scene_.hulls.words, margin_, pairs_, item_pairs_[0], item_entries_[0]);
  std::uint32_t items = count_;
  for (std::uint32_t step = 0; step < scene_.hulls.mesh_levels && items > 0; ++step) {
    const std::size_t next = 1 - at_;
    counts_.resize(items);
    opencl::launch(device_, boxes_kernel_, &timer, kStage, items, kGroup, items, step, pairs_, scene_.hulls.words,
                   item_pairs_[at_], item_entries_[at_], counts_);
    scan_.run_u32(counts_, offsets_, items, total_, kStage, &timer);
    const std::uint32_t found =
        number(total_.read_one(0, &timer, kStage), kMostCandidates, "candidates of bodies and triangles");
    item_pairs_[next].resize(found);
    item_entries_[next].resize(found);
    if (found > 0)
      opencl::launch(device_, items_kernel_, &timer, kStage, items, kGroup, items, step, pairs_, scene_.hulls.words,
                     item_pairs_[at_], item_entries_[at_], offsets_, item_pairs_[next], item_entries_[next]);
    at_ = next;
    items = found;
  }
  first_candidate_.resize(std::size_t{count_} + 1);
  opencl::launch(device_, first_kernel_, &timer, kStage, count_ + 1, kGroup, count_, items, item_pairs_[at_],
                 first_candidate_);
  return items;
}

// Contacts of all candidates, in their order; how many.
std::uint32_t MeshContacts::find_contacts(const BodyPairs& pairs, std::uint32_t candidates, StageTimer& timer) {
  constexpr Stage kStage = Stage::narrow_phase;
  stored_.resize(1);
  counts_.resize(candidates);
  auto room = static_cast<std::uint32_t>(
      std::min<std::size_t>(std::max<std::size_t>(store_.capacity(), kFirstRoom), 0xFFFFFFFEU));
  std::uint64_t found = 0;
  while (true) {
    store_.resize(room);
    store_candidates_.resize(room);
    stored_.fill(0, 0, 1, &timer, kStage);
    for (std::size_t k = CONVEX_PAIR_KINDS; candidates > 0 && k < kPairTable.size(); ++k) {
      if (pairs.end[k] == pairs.begin[k]) continue;
      // How many of the candidates are of this kind the device knows.
      opencl::LazyKernel& kernel = kernels_[k - CONVEX_PAIR_KINDS];
      opencl::launch(device_, kernel, &timer, kStage, runs_.items(candidates), runs_.group(), pairs.begin[k] - first_,
                     pairs.end[k] - first_, runs_.block(candidates), first_candidate_, item_pairs_[at_],
                     item_entries_[at_], pairs_, scene_.hulls.words, margin_, counts_, room, stored_, store_candidates_,
                     store_);
    }
    scan_.run_u32(counts_, contact_offsets_, candidates, total_, kStage, &timer);
    found = total_.read_one(0, &timer, kStage);
    const std::uint64_t lost = runs_.items(candidates) * (runs_.block(candidates) - 1) * kernels_.size();
    const std::uint32_t needed = checked(found + lost, "contacts with triangles before reduction");
    if (needed <= room || stored_.read_one(0, &timer, kStage) <= room) break;
    room = needed;
  }
  contacts_.resize(found);
  const auto contacts = static_cast<std::uint32_t>(found);
  if (contacts > 0)
    opencl::launch(device_, order_kernel_, &timer, kStage, room, kGroup, candidates, room, contacts, stored_, store_,
                   store_candidates_, contact_offsets_, contacts_);
  return contacts;
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
  tags_.free();
  scan_.free();
  reduction_.free();
}

}  // namespace oclide
