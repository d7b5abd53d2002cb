#include "pipeline/body_contacts.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <utility>

#include "frame/slice.hpp"

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

}  // namespace

BodyContacts::BodyContacts(opencl::Device& device, float margin, const WorkMemory& work)
    : device_(device), tree_(device, margin, work), found_(device), narrow_(device, margin, work), reduction_(device) {}

void BodyContacts::set_scene(const Bodies& bodies) {
  free_frame_buffers();
  pairs_.reset(bodies.count());
  kept_contacts_.free();
  narrow_.set_scene(bodies);
  last_pairs_ = last_places_ = 0;
  last_moved_ = {};
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
  const auto begin_reduction = [&](opencl::Transfers& transfers) {
    if (!found_.few()) reduction_.begin(narrow_, found_.count, body_count_, transfers, timer);
  };
  const std::uint32_t contacts = narrow_.find(found_, tree_.states(), begin_reduction, timer);
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
                               touching * (sizeof(PairResult) + sizeof(TouchingPair)) +
                               contacts_so_far * sizeof(Contact);
  if (contacts > 1000000 && needed > available_host_bytes()) {
    const double whole = static_cast<double>(contacts_so_far) * static_cast<double>(tree_.groups()) / last_group;
    const auto estimate = static_cast<std::uint64_t>(whole * (sizeof(PairContactRecord) + sizeof(Contact)));
    throw Error(ErrorKind::device, "contacts of bodies: " + std::to_string(contacts_so_far) + " in the first " +
                                       std::to_string(last_group) + " of " + std::to_string(tree_.groups()) +
                                       " parts; all need some " + std::to_string(estimate) +
                                       " bytes of host memory, which has " + std::to_string(available_host_bytes()));
  }
  if (found_.few()) {
    take_as_found(timer);
    add_touching();
    return;
  }
  if (found_.stays_on_device && !found_.of_slice) {
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
  opencl::Transfers transfers;
  reduction_.pairs().download_later(results_, transfers, 0, &timer);
  reduction_.contacts().download_later(records, transfers, 0, &timer);
  transfers.wait();
  pairs_.add(results_, records.data());
}

// Takes what was found of the pairs at hand over to the host as it is.
void BodyContacts::take_as_found(opencl::StageTimer& timer) {
  results_.resize(found_.count);
  std::vector<PairContactRecord>& records = kept_contacts_.add(narrow_.places());
  opencl::Transfers transfers;
  narrow_.results().download_later(results_, transfers, 0, &timer);
  narrow_.store().download_later(records, transfers, 0, &timer);
  transfers.wait();
  select_touching(records);
}

// The touching ones of results_, in no order.
void BodyContacts::select_touching(std::span<const PairContactRecord> records) {
  touching_.clear();
  for (const PairResult& r : results_)
    if (r.count > 0) touching_.push_back(pair_of(r, records.data()));
}

void BodyContacts::add_touching() {
  std::sort(touching_.begin(), touching_.end(), precedes);
  pairs_.add(touching_);
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
  found_.of_slice = true;
  free_slice_buffers();
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k) work_through(cuts[k], cuts[k + 1], counts, timer);
}

void BodyContacts::find(const Poses& host_poses, const DevicePoses& poses, FrameCounts& counts,
                        opencl::StageTimer& timer) {
  pairs_.clear();
  kept_contacts_.clear();
  found_.of_slice = false;
  if (!tree_.can_pair()) return;
  tree_.build(host_poses, poses, timer);
  work_through(0, tree_.groups(), counts, timer);
  // Slices overlap in body_a: one order over all.
  if (kept_contacts_.arrays() > 1) pairs_.sort();
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
  found_.of_slice = false;
  tree_.build(host_poses, poses, timer);
  tree_.find_few_pairs(room, found_, timer);
  find_later(room, foreseen(last_places_, narrow_.room()), transfers, timer);
  return true;
}

bool BodyContacts::complete(FrameCounts& counts) {
  if (!take_later()) return false;
  add_touching();
  counts.body_candidates += narrow_.pairs();
  counts.unreduced += narrow_.found();
  last_pairs_ = narrow_.pairs();
  last_places_ = narrow_.places();
  whole_count_ = kept_contacts_.count();
  return true;
}

// Finds the contacts of the pairs that are being found, and takes them over, without waiting: of up to `pairs` pairs in
// up to so many `places` of the store.
void BodyContacts::find_later(std::uint32_t pairs, std::uint32_t places, opencl::Transfers& transfers,
                              opencl::StageTimer& timer) {
  narrow_.find_later(found_, pairs, tree_.states(), transfers, timer);
  results_.resize(pairs);
  narrow_.results().download_later(results_, transfers, 0, &timer);
  narrow_.store().download_later(kept_contacts_.add(places), transfers, 0, &timer);
}

// After `transfers` of find_later(): as take_as_found(); false where there are more.
bool BodyContacts::take_later() {
  const bool fits = narrow_.pairs() <= results_.size() && narrow_.places() <= kept_contacts_.last().size();
  kept_contacts_.cut(fits ? narrow_.places() : 0);
  if (!fits) return false;
  results_.resize(narrow_.pairs());
  select_touching(kept_contacts_.last());
  return true;
}

void BodyContacts::find_on_device(ResidentPlaces& places, const DevicePoses& poses, FrameCounts& counts,
                                  opencl::StageTimer& timer) {
  pairs_.clear();
  kept_contacts_.clear();
  found_.of_slice = false;
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
  if (kept_contacts_.arrays() > 1) pairs_.sort();
  whole_count_ = kept_contacts_.count();
}

void BodyContacts::download(opencl::StageTimer& timer) {
  if (on_device_.pairs > 0) take_over(on_device_.pairs, on_device_.contacts, timer);
  on_device_ = {};
}

void BodyContacts::move(std::span<const std::uint32_t> bodies, const Poses& host_poses, const DevicePoses& poses,
                        opencl::StageTimer& timer) {
  moved_.assign(bodies.begin(), bodies.end());
  if (tree_.can_pair() && !moved_.empty()) tree_.move(moved_, host_poses, poses, timer);
}

void BodyContacts::find_moved(FrameCounts& counts, opencl::StageTimer& timer) {
  if (!tree_.can_pair() || moved_.empty()) return;
  touching_.clear();
  tree_.find_moved_pairs(found_, timer);
  if (found_.count > 0) {
    (void)narrow_.find(
        found_, tree_.states(), [](opencl::Transfers&) {}, timer);
    take_as_found(timer);
  }
  last_moved_ = {moved_.size(), found_.count, found_.count > 0 ? narrow_.places() : 0};
  renew(found_.count, counts);
}

// Room for what so many had on average in the last whole frame, or in the last one like this.
bool BodyContacts::begin_moved(opencl::Transfers& transfers, opencl::StageTimer& timer) {
  if (!tree_.can_pair() || moved_.empty() || last_pairs_ == 0 || !tree_.can_count_moved_pairs()) return false;
  const auto expected = [&](std::uint64_t whole, std::uint64_t of_moved) {
    return std::max(share_of(moved_.size(), tree_.leaves(), 2 * whole),
                    share_of(moved_.size(), last_moved_.bodies, of_moved));
  };
  const std::uint32_t pairs = foreseen(expected(last_pairs_, last_moved_.pairs), found_.room());
  const std::uint32_t places = foreseen(expected(last_places_, last_moved_.places), narrow_.room());
  if (pairs == 0 || pairs > kFewPairs || places > kFewPairs) return false;
  tree_.find_few_moved_pairs(pairs, found_, timer);
  find_later(pairs, places, transfers, timer);
  return true;
}

bool BodyContacts::complete_moved(FrameCounts& counts) {
  last_moved_ = {moved_.size(), narrow_.pairs(), narrow_.places()};
  if (!take_later()) return false;
  renew(narrow_.pairs(), counts);
  return true;
}

// Takes in what was found of the moved bodies.
void BodyContacts::renew(std::uint32_t candidates, FrameCounts& counts) {
  counts.body_candidates += candidates;
  counts.unreduced += candidates > 0 ? narrow_.found() : 0;
  pairs_.renew(touching_);
  if (kept_contacts_.count() > 2 * whole_count_ + kSpareContacts) drop_superseded();
}

// Gathers what is still in use of the contacts of many frames in one array.
void BodyContacts::drop_superseded() {
  std::size_t count = 0;
  pairs_.for_each([&](const TouchingPair& pair) { count += pair.count; });
  KeptRecords<PairContactRecord> used;
  PairContactRecord* to = used.add(count).data();
  pairs_.for_each([&](TouchingPair& pair) { to = std::copy_n(std::exchange(pair.contacts, to), pair.count, to); });
  kept_contacts_ = std::move(used);
  whole_count_ = count;
}

}  // namespace oclide
