#include "body_contacts.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <utility>

#include "slice.hpp"

namespace oclide {
namespace {

// Bytes of memory that the host can still give; a great number where the system does not say.
std::uint64_t available_host_bytes() {
  std::ifstream info("/proc/meminfo");
  std::string key, unit;
  std::uint64_t kib = 0;
  while (info >> key >> kib && std::getline(info, unit))
    if (key == "MemAvailable:") return 1024 * kib;
  return std::numeric_limits<std::uint64_t>::max();
}

// Contacts of superseded pairs that are kept before they are looked through.
constexpr std::uint64_t kSpareContacts = 65536;
constexpr std::size_t kPairsOfPart = 8192;  // that one task merges

BodyContacts::Pair pair_of(const PairResult& result, const PairContactRecord* records) {
  return {result.body_a, result.body_b, result.count, records + result.first};
}

bool precedes(const BodyContacts::Pair& a, const BodyContacts::Pair& b) {
  return a.body_a != b.body_a ? a.body_a < b.body_a : a.body_b < b.body_b;
}

}  // namespace

BodyContacts::BodyContacts(opencl::Device& device, float margin)
    : device_(device), tree_(device, margin), found_(device), narrow_(device, margin), reduction_(device) {}

void BodyContacts::set_scene(const Bodies& bodies) {
  free_frame_buffers();
  pairs_.clear();
  kept_contacts_.free();
  narrow_.set_scene(bodies);
  last_pairs_ = last_places_ = 0;
  is_moved_.assign(bodies.count(), false);
  body_count_ = static_cast<std::uint32_t>(bodies.count());
  tree_.set_scene(bodies);
}

void BodyContacts::free_slice_buffers() {
  device_.finish();
  found_.free();
  narrow_.free();
  reduction_.free();
}

void BodyContacts::free_frame_buffers() {
  free_slice_buffers();
  tree_.free();
}

// Contacts of the pairs that groups [first, last) of leaves find, in order on the device but for few; their number.
std::uint32_t BodyContacts::process(std::uint32_t first, std::uint32_t last, opencl::StageTimer& timer) {
  tree_.find_pairs(first, last, found_, timer);
  if (found_.count == 0) return 0;
  const std::uint32_t contacts = narrow_.find(found_, tree_.states(), timer);
  if (first == 0 && last == tree_.groups()) {
    last_pairs_ = found_.count;
    last_places_ = narrow_.places();
  }
  if (contacts > 0 && !found_.few()) reduction_.run(narrow_, found_.count, contacts, body_count_, timer);
  return contacts;
}

// Takes what process() left on the device over to the host.
void BodyContacts::keep(std::uint32_t last_group, std::uint32_t contacts, FrameCounts& counts,
                        opencl::StageTimer& timer) {
  counts.body_candidates += found_.count;
  counts.unreduced += contacts;
  if (contacts == 0) return;
  // What lies in host memory at the end: these records, and each as a Contact.
  const std::size_t touching = found_.few() ? found_.count : reduction_.pairs().size();
  const std::uint64_t contacts_so_far = kept_contacts_.count() + contacts;
  const std::uint64_t needed = std::uint64_t{contacts} * sizeof(PairContactRecord) +
                               touching * (sizeof(PairResult) + sizeof(Pair)) + contacts_so_far * sizeof(Contact);
  if (contacts > 1000000 && needed > available_host_bytes()) {
    const double whole = static_cast<double>(contacts_so_far) * static_cast<double>(tree_.groups()) / last_group;
    const auto estimate = static_cast<std::uint64_t>(whole * (sizeof(PairContactRecord) + sizeof(Contact)));
    throw Error(ErrorKind::device, "contacts of bodies: " + std::to_string(contacts_so_far) + " in the first " +
                                       std::to_string(last_group) + " of " + std::to_string(tree_.groups()) +
                                       " parts; all need some " + std::to_string(estimate) +
                                       " bytes of host memory, which has " + std::to_string(available_host_bytes()));
  }
  if (found_.few()) {
    const std::vector<Pair> pairs = order_on_host(timer);
    pairs_.insert(pairs_.end(), pairs.begin(), pairs.end());
    return;
  }
  if (found_.stays_on_device && !was_sliced_) {
    on_device_ = {static_cast<std::uint32_t>(touching), contacts, &reduction_.offsets(), &reduction_.pairs(),
                  &reduction_.contacts()};
    return;
  }
  take_over(static_cast<std::uint32_t>(touching), contacts, timer);
}

// Takes pairs and contacts in order over to the host.
void BodyContacts::take_over(std::uint32_t touching, std::uint32_t contacts, opencl::StageTimer& timer) {
  results_.resize(touching);
  std::vector<PairContactRecord>& records = kept_contacts_.add(contacts);
  reduction_.pairs().download(results_, 0, &timer);
  reduction_.contacts().download(records, 0, &timer);
  const std::size_t first = pairs_.size();
  pairs_.resize(first + touching);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, touching, 4096), [&](const auto& range) {
    for (std::size_t k = range.begin(); k != range.end(); ++k) pairs_[first + k] = pair_of(results_[k], records.data());
  });
}

// The touching ones of the pairs at hand in order, their contacts taken over to the host as they are.
std::vector<BodyContacts::Pair> BodyContacts::order_on_host(opencl::StageTimer& timer) {
  results_.resize(found_.count);
  std::vector<PairContactRecord>& records = kept_contacts_.add(narrow_.places());
  opencl::Transfers transfers;
  narrow_.results().download_later(results_, transfers, 0, &timer);
  narrow_.store().download_later(records, transfers, 0, &timer);
  transfers.wait();
  return in_order(results_, records);
}

std::vector<BodyContacts::Pair> BodyContacts::in_order(std::span<const PairResult> results,
                                                       std::span<const PairContactRecord> records) {
  std::vector<Pair> pairs;
  for (const PairResult& r : results)
    if (r.count > 0) pairs.push_back(pair_of(r, records.data()));
  std::sort(pairs.begin(), pairs.end(), precedes);
  return pairs;
}

// process() and keep() for groups [first, last) of leaves, in parts where they do not fit.
void BodyContacts::work_through(std::uint32_t first, std::uint32_t last, FrameCounts& counts,
                                opencl::StageTimer& timer) {
  const bool single = last - first == 1;
  std::uint32_t contacts = 0;
  std::vector<std::uint32_t> cuts;  // none: it fits
  try {
    contacts = process(first, last, timer);
  } catch (const SliceTooLarge& e) {
    if (single)
      throw Error(ErrorKind::device, "body " + std::to_string(tree_.body_of_group(first)) +
                                         " and seven beside it have " + e.what + ", more than one slice holds");
    cuts = tree_.cuts(first, last);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::device || single) throw;
    cuts = {first, first + (last - first) / 2, last};
  }
  if (cuts.empty()) return keep(last, contacts, counts, timer);
  was_sliced_ = true;
  free_slice_buffers();
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k) work_through(cuts[k], cuts[k + 1], counts, timer);
}

void BodyContacts::find(const Poses& host_poses, const DevicePoses& poses, FrameCounts& counts,
                        opencl::StageTimer& timer) {
  pairs_.clear();
  kept_contacts_.clear();
  was_sliced_ = false;
  if (!tree_.can_pair()) return;
  tree_.build(host_poses, poses, timer);
  work_through(0, tree_.groups(), counts, timer);
  // Slices overlap in body_a: one order over all.
  if (kept_contacts_.arrays() > 1) tbb::parallel_sort(pairs_.begin(), pairs_.end(), precedes);
  whole_count_ = kept_contacts_.count();
}

bool BodyContacts::begin(const Poses& host_poses, const DevicePoses& poses, opencl::Transfers& transfers,
                         opencl::StageTimer& timer) {
  const std::uint64_t bodies = host_poses.count();
  if (!tree_.can_pair() || bodies > kSmallFrame || last_pairs_ == 0) return false;
  const std::uint32_t room = foreseen(last_pairs_, found_.room());
  if (room == 0 || room > kFewPairs || foreseen(last_places_, narrow_.room()) > kFewPairs) return false;
  pairs_.clear();
  kept_contacts_.clear();
  was_sliced_ = false;
  tree_.build(host_poses, poses, timer);
  tree_.find_few_pairs(room, found_, timer);
  narrow_.find_later(found_, room, tree_.states(), transfers, timer);
  results_.resize(room);
  narrow_.results().download_later(results_, transfers, 0, &timer);
  narrow_.store().download_later(kept_contacts_.add(foreseen(last_places_, narrow_.room())), transfers, 0, &timer);
  return true;
}

bool BodyContacts::complete(FrameCounts& counts) {
  const std::uint32_t pairs = narrow_.pairs(), places = narrow_.places();
  if (pairs > results_.size() || places > kept_contacts_.count()) return false;
  kept_contacts_.cut(places);
  results_.resize(pairs);
  pairs_ = in_order(results_, kept_contacts_.last());
  counts.body_candidates += pairs;
  counts.unreduced += narrow_.found();
  last_pairs_ = pairs;
  last_places_ = places;
  whole_count_ = kept_contacts_.count();
  return true;
}

void BodyContacts::find_on_device(ResidentPlaces& places, const DevicePoses& poses, FrameCounts& counts,
                                  opencl::StageTimer& timer) {
  pairs_.clear();
  kept_contacts_.clear();
  was_sliced_ = false;
  on_device_ = {};
  if (!tree_.can_pair()) return;
  tree_.build(places, poses, timer);
  found_.stays_on_device = true;
  try {
    work_through(0, tree_.groups(), counts, timer);
  } catch (...) {
    found_.stays_on_device = false;
    throw;
  }
  found_.stays_on_device = false;
  if (kept_contacts_.arrays() > 1) tbb::parallel_sort(pairs_.begin(), pairs_.end(), precedes);
  whole_count_ = kept_contacts_.count();
}

void BodyContacts::download(opencl::StageTimer& timer) {
  if (on_device_.pairs > 0) take_over(on_device_.pairs, on_device_.contacts, timer);
  on_device_ = {};
}

void BodyContacts::find_moved(std::span<const std::uint32_t> bodies, const Poses& host_poses, const DevicePoses& poses,
                              FrameCounts& counts, opencl::StageTimer& timer) {
  if (!tree_.can_pair() || bodies.empty()) return;
  tree_.move(bodies, host_poses, poses, timer);
  tree_.find_moved_pairs(found_, timer);
  std::vector<Pair> found;
  if (found_.count > 0) {
    const std::uint32_t contacts = narrow_.find(found_, tree_.states(), timer);
    found = order_on_host(timer);
    counts.body_candidates += found_.count;
    counts.unreduced += contacts;
  }
  merge_moved(bodies, found);
  if (kept_contacts_.count() > 2 * whole_count_ + kSpareContacts) drop_superseded();
}

// The pairs of bodies that did not move, and those found of the others, in order.
void BodyContacts::merge_moved(std::span<const std::uint32_t> bodies, std::span<const Pair> found) {
  for (const std::uint32_t body : bodies) is_moved_[body] = true;
  const auto stays = [&](const Pair& pair) { return !is_moved_[pair.body_a] && !is_moved_[pair.body_b]; };
  // Part by part of the pairs before, each with those found that belong there.
  struct Part {
    std::size_t found, merged;  // where its first ones are
  };
  const std::size_t count = std::max<std::size_t>((pairs_.size() + kPairsOfPart - 1) / kPairsOfPart, 1);
  const auto pairs_of = [&](std::size_t p) {
    const std::size_t first = std::min(pairs_.size(), p * kPairsOfPart);
    return std::span<const Pair>(pairs_).subspan(first, std::min(kPairsOfPart, pairs_.size() - first));
  };
  std::vector<Part> parts(count + 1, Part{found.size(), 0});
  parts[0].found = 0;
  tbb::parallel_for(std::size_t{0}, count, [&](std::size_t p) {
    const std::span<const Pair> own = pairs_of(p);
    if (p > 0)
      parts[p].found =
          static_cast<std::size_t>(std::lower_bound(found.begin(), found.end(), own.front(), precedes) - found.begin());
    parts[p].merged = static_cast<std::size_t>(std::count_if(own.begin(), own.end(), stays));
  });
  std::size_t total = 0;
  for (std::size_t p = 0; p <= count; ++p) {
    const std::size_t own = p < count ? parts[p].merged + (parts[p + 1].found - parts[p].found) : 0;
    parts[p].merged = std::exchange(total, total + own);
  }
  merged_.resize(total);
  tbb::parallel_for(std::size_t{0}, count, [&](std::size_t p) {
    Pair* to = merged_.data() + parts[p].merged;
    std::size_t next = parts[p].found;
    const std::size_t last = parts[p + 1].found;
    for (const Pair& pair : pairs_of(p)) {
      if (!stays(pair)) continue;
      while (next < last && precedes(found[next], pair)) *to++ = found[next++];
      *to++ = pair;
    }
    std::copy(found.begin() + static_cast<std::ptrdiff_t>(next), found.begin() + static_cast<std::ptrdiff_t>(last), to);
  });
  pairs_.swap(merged_);
  for (const std::uint32_t body : bodies) is_moved_[body] = false;
}

// Gathers what is still in use of the contacts of many frames in one array.
void BodyContacts::drop_superseded() {
  std::size_t count = 0;
  for (const Pair& pair : pairs_) count += pair.count;
  KeptRecords<PairContactRecord> used;
  PairContactRecord* to = used.add(count).data();
  for (Pair& pair : pairs_) to = std::copy_n(std::exchange(pair.contacts, to), pair.count, to);
  kept_contacts_ = std::move(used);
  whole_count_ = count;
}

}  // namespace oclide
