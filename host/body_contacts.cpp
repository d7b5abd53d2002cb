#include "body_contacts.hpp"

#include <tbb/parallel_sort.h>

#include <fstream>
#include <limits>
#include <string>

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

}  // namespace

BodyContacts::BodyContacts(opencl::Device& device, float margin)
    : device_(device), tree_(device, margin), found_(device), narrow_(device, margin), reduction_(device) {}

void BodyContacts::set_scene(const Scene& scene) {
  free_frame_buffers();
  slices_.clear();
  order_.clear();
  body_count_ = static_cast<std::uint32_t>(scene.bodies.count());
  tree_.set_scene(scene);
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

// Contacts of the pairs that groups [first, last) of leaves find, in order on the device; their number.
std::uint32_t BodyContacts::process(std::uint32_t first, std::uint32_t last, opencl::StageTimer& timer) {
  tree_.find_pairs(first, last, found_, timer);
  if (found_.count == 0) return 0;
  const std::uint32_t contacts = narrow_.find(found_, tree_.states(), timer);
  if (contacts > 0) reduction_.run(narrow_, found_.count, contacts, body_count_, timer);
  return contacts;
}

// Takes what process() left on the device over to the host.
void BodyContacts::keep(std::uint32_t last_group, std::uint32_t contacts, FrameContacts& frame,
                        opencl::StageTimer& timer) {
  frame.body_candidates += found_.count;
  frame.unreduced += contacts;
  if (contacts == 0) return;
  contacts_so_far_ += contacts;
  // What lies in host memory at the end: these records, and each as a Contact.
  const std::uint64_t needed = std::uint64_t{contacts} * sizeof(PairContactRecord) +
                               reduction_.pairs().size() * sizeof(PairResult) + contacts_so_far_ * sizeof(Contact);
  if (contacts > 1000000 && needed > available_host_bytes()) {
    const double whole = static_cast<double>(contacts_so_far_) * static_cast<double>(tree_.groups()) / last_group;
    const auto estimate = static_cast<std::uint64_t>(whole * (sizeof(PairContactRecord) + sizeof(Contact)));
    throw Error(ErrorKind::device, "contacts of bodies: " + std::to_string(contacts_so_far_) + " in the first " +
                                       std::to_string(last_group) + " of " + std::to_string(tree_.groups()) +
                                       " parts; all need some " + std::to_string(estimate) +
                                       " bytes of host memory, which has " + std::to_string(available_host_bytes()));
  }
  Slice slice{std::vector<PairResult>(reduction_.pairs().size()), std::vector<PairContactRecord>(contacts)};
  reduction_.pairs().download(slice.pairs, 0, &timer);
  reduction_.contacts().download(slice.contacts, 0, &timer);
  frame.body_pairs += slice.pairs.size();
  frame.pairs += slice.pairs.size();
  slices_.push_back(std::move(slice));
}

// process() and keep() for groups [first, last) of leaves, in parts where they do not fit.
void BodyContacts::work_through(std::uint32_t first, std::uint32_t last, FrameContacts& frame,
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
  if (cuts.empty()) return keep(last, contacts, frame, timer);
  free_slice_buffers();
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k) work_through(cuts[k], cuts[k + 1], frame, timer);
}

void BodyContacts::find(const Poses& host_poses, const DevicePoses& poses, FrameContacts& frame,
                        opencl::StageTimer& timer) {
  slices_.clear();
  order_.clear();
  contacts_so_far_ = 0;
  if (!tree_.can_pair()) return;
  tree_.build(host_poses, poses, timer);
  work_through(0, tree_.groups(), frame, timer);

  // Slices overlap in body_a: one order over all.
  if (slices_.size() < 2) return;
  for (std::size_t s = 0; s < slices_.size(); ++s)
    for (std::size_t k = 0; k < slices_[s].pairs.size(); ++k)
      order_.push_back({static_cast<std::uint32_t>(s), static_cast<std::uint32_t>(k)});
  tbb::parallel_sort(order_.begin(), order_.end(), [&](const PlaceInSlice& a, const PlaceInSlice& b) {
    const PairResult &p = slices_[a.slice].pairs[a.pair], &q = slices_[b.slice].pairs[b.pair];
    return p.body_a != q.body_a ? p.body_a < q.body_a : p.body_b < q.body_b;
  });
}

BodyContacts::Pair BodyContacts::pair(std::size_t k) const {
  const PlaceInSlice place = order_.empty() ? PlaceInSlice{0, static_cast<std::uint32_t>(k)} : order_[k];
  const Slice& slice = slices_[place.slice];
  const PairResult& r = slice.pairs[place.pair];
  return {r.body_a, r.body_b, r.count, slice.contacts.data() + r.first};
}

}  // namespace oclide
