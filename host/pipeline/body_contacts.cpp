#include "pipeline/body_contacts.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

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

}  // namespace

BodyContacts::BodyContacts(opencl::Device& device, DeviceScene& scene, float margin, const WorkMemory& work)
    : device_(device),
      scene_(scene),
      search_(device, scene, margin, work),
      pairs_(device),
      meshes_(device, scene, margin),
      narrow_(device, scene, margin, work),
      order_(device),
      list_(device),
      results_(device) {}

void BodyContacts::set_scene(const Bodies& bodies) {
  free_frame_buffers();
  list_.reset(bodies.count());
  narrow_.set_scene(bodies);
  last_ = last_moved_ = {};
  on_device_.reset();
}

void BodyContacts::change(const Bodies& bodies, std::span<const std::uint32_t> rows, bool grows) {
  if (grows) list_.reset(bodies.count());
  narrow_.change(bodies, rows);
}

void BodyContacts::begin(const FramePlan& plan, const FrameInput& input, opencl::Transfers& transfers,
                         opencl::StageTimer& timer) {
  plan_ = plan;
  input_ = &input;
  is_predicted_ = false;
  on_device_.reset();
  if (!has_pairs()) return;
  if (plan.is_of_moved()) scene_.tree.move(input.moved, input.positions, input.device, timer);
  if (!plan.is_predicted() || !predict_capacity()) return;
  if (!plan.is_of_moved()) {
    list_.clear();
    scene_.tree.build(input.positions, input.device, timer);
  }
  launch_all(transfers, timer);
  is_predicted_ = true;
}

void BodyContacts::finish(FrameCounts& counts, opencl::StageTimer& timer) {
  if (!has_pairs()) {
    if (!plan_.is_of_moved()) list_.clear();
    if (plan_.stays_on_device()) on_device_.emplace();
    return;
  }
  touching_.clear();
  if (is_predicted_ && finish_predicted()) {
    counts.body_candidates += narrow_.pairs();
    counts.unreduced += narrow_.found();
    if (!plan_.is_of_moved()) add_touching();
  } else {
    recompute(counts, timer);
  }
  is_predicted_ = false;
  if (plan_.is_of_moved())
    list_.update(touching_);
  else
    list_.end_frame();
}

// Capacity for what the last whole frame had, as far as buffers have it; for moved bodies what so many had on average
// in that one, or in the last one like this. False where there is none, or the host could not order so many; or where
// there are meshes, whose part of a frame waits for sizes of its own.
bool BodyContacts::predict_capacity() {
  if (last_.pairs == 0 || meshes_.has_meshes() || (plan_.is_of_moved() && !search_.can_count(leaves()))) return false;
  Sizes expected = last_;
  if (const std::uint64_t moved = input_->moved.size(); plan_.is_of_moved()) {
    const auto of_moved = [&](std::uint64_t whole, std::uint64_t last) {
      return std::max(share_of(moved, scene_.bodies.leaves, 2 * whole), share_of(moved, last_moved_.bodies, last));
    };
    expected = {moved, of_moved(last_.pairs, last_moved_.pairs), of_moved(last_.stored, last_moved_.stored)};
  }
  capacity_.pairs = predicted_capacity(expected.pairs, pairs_.capacity());
  capacity_.stored = predicted_capacity(expected.stored, narrow_.capacity());
  return capacity_.pairs > 0 && capacity_.pairs <= kFewPairs && capacity_.stored <= kFewPairs;
}

// Sends off what finds pairs and their contacts, within capacity_, and reads them.
void BodyContacts::launch_all(opencl::Transfers& transfers, opencl::StageTimer& timer) {
  const auto pairs = static_cast<std::uint32_t>(capacity_.pairs);
  search_.launch(leaves(), pairs, pairs_, timer);
  narrow_.launch(pairs_, pairs, transfers, timer);
  results_.resize(pairs);
  narrow_.results().download_later(results_, transfers, 0, &timer);
  narrow_.store().download_later(list_.records().add(capacity_.stored), transfers, 0, &timer);
}

// Takes what was found, in no order, to touching_; false where there was no room for it.
bool BodyContacts::finish_predicted() {
  const bool fits = narrow_.pairs() <= capacity_.pairs && narrow_.stored() <= capacity_.stored;
  list_.records().cut(fits ? narrow_.stored() : 0);
  if (plan_.is_of_moved())
    last_moved_ = {input_->moved.size(), narrow_.pairs(), narrow_.stored()};
  else if (fits)
    last_ = {scene_.bodies.leaves, narrow_.pairs(), narrow_.stored()};
  if (!fits) return false;
  results_.resize(narrow_.pairs());
  select_touching();
  return true;
}

// The touching ones of results_, whose contacts came last, in no order.
void BodyContacts::select_touching() {
  touching_.clear();
  const PairContactRecord* records = list_.records().last().data();
  const std::span<const MeshTag> tags = meshes_.has_meshes() ? list_.tags().last() : std::span<const MeshTag>();
  for (const PairResult& result : results_)
    if (result.count > 0) touching_.push_back(pair_of(result, records, tags));
}

void BodyContacts::add_touching() {
  std::sort(touching_.begin(), touching_.end(), precedes);
  list_.add(touching_);
}

// Finds the contacts of the frame with sizes read back.
void BodyContacts::recompute(FrameCounts& counts, opencl::StageTimer& timer) {
  is_predicted_ = is_sliced_ = false;
  if (plan_.stays_on_device()) on_device_.emplace();
  if (plan_.is_of_moved()) {
    const std::uint32_t contacts = process(leaves(), counts, timer);
    counts.body_candidates += pairs_.count;
    counts.unreduced += contacts - meshes_.contacts();
    last_moved_ = {input_->moved.size(), pairs_.count, pairs_.count > 0 ? narrow_.stored() : 0};
    if (contacts > 0) read_as_found(timer);
    return;
  }
  list_.clear();
  scene_.tree.build(input_->positions, input_->device, timer);
  process_in_slices(leaves(), counts, timer);
  if (is_sliced_) on_device_.reset();
}

// Contacts of the pairs of these leaves, in order on the device but where the host orders them; their number.
std::uint32_t BodyContacts::process(const QueryLeaves& leaves, FrameCounts& counts, opencl::StageTimer& timer) {
  search_.find(leaves, !plan_.stays_on_device(), pairs_, timer);
  meshes_.find(pairs_, counts, timer);
  PairContacts::Others with_meshes;
  if (meshes_.has_meshes()) {
    with_meshes = {meshes_.contacts(), meshes_.manifolds(),
                   [&](auto& results, auto& store) { meshes_.write(pairs_, results, store, timer); }};
  }
  if (pairs_.count == 0) return 0;
  const std::uint32_t bodies = scene_.bodies.count();
  const bool ordered = !leaves.moved && !pairs_.host_orders;
  const auto meanwhile = [&](opencl::Transfers& transfers) {
    if (ordered) order_.begin(narrow_, results(), bodies, transfers, timer);
    work_meanwhile(device_, *input_);
  };
  const std::uint32_t contacts = narrow_.find(pairs_, leaves.is_slice, with_meshes, meanwhile, timer);
  if (!leaves.moved && !leaves.is_slice) last_ = {scene_.bodies.leaves, pairs_.count, narrow_.stored()};
  if (contacts > 0 && ordered)
    order_.run(narrow_, results(), contacts, bodies, meshes_.has_meshes() ? &meshes_.tags() : nullptr, timer);
  return contacts;
}

// process() and read_back(), in parts where the leaves do not fit.
void BodyContacts::process_in_slices(const QueryLeaves& leaves, FrameCounts& counts, opencl::StageTimer& timer) {
  const bool single = leaves.last - leaves.first == 1;
  std::uint32_t contacts = 0;
  std::vector<std::uint32_t> cuts;  // none: it fits
  try {
    contacts = process(leaves, counts, timer);
  } catch (const SliceTooLarge& e) {
    if (single)
      throw Error(ErrorKind::device, "body " + std::to_string(scene_.tree.body_of_group(leaves.first)) +
                                         " and seven beside it have " + e.what + ", more than one slice holds");
    cuts = search_.cuts(leaves);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::device || single) throw;
    cuts = {leaves.first, leaves.first + (leaves.last - leaves.first) / 2, leaves.last};
  }
  if (cuts.empty()) {
    counts.body_candidates += pairs_.count;
    counts.unreduced += contacts - meshes_.contacts();
    if (contacts > 0) read_back(leaves.last, contacts, timer);
    return;
  }
  is_sliced_ = true;
  free_slice_buffers();
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k)
    process_in_slices({false, cuts[k], cuts[k + 1], true}, counts, timer);
}

// Throws where the host has no room for what it is to have at the end: these records, and each as a Contact.
void BodyContacts::check_host_memory(std::uint32_t last_group, std::size_t touching, std::uint32_t contacts) const {
  const std::uint64_t so_far = list_.records().count() + contacts;
  const std::uint64_t needed = std::uint64_t{contacts} * sizeof(PairContactRecord) +
                               touching * (sizeof(PairResult) + sizeof(TouchingPair)) + so_far * sizeof(Contact);
  if (contacts <= 1000000 || needed <= available_host_bytes()) return;
  const std::uint32_t groups = scene_.tree.groups();
  const double whole = static_cast<double>(so_far) * static_cast<double>(groups) / last_group;
  const auto estimate = static_cast<std::uint64_t>(whole * (sizeof(PairContactRecord) + sizeof(Contact)));
  throw Error(ErrorKind::device, "contacts of bodies: " + std::to_string(so_far) + " in the first " +
                                     std::to_string(last_group) + " of " + std::to_string(groups) +
                                     " parts; all need some " + std::to_string(estimate) +
                                     " bytes of host memory, which has " + std::to_string(available_host_bytes()));
}

// Takes what process() left on the device to the host, where it does not stay there.
void BodyContacts::read_back(std::uint32_t last_group, std::uint32_t contacts, opencl::StageTimer& timer) {
  const auto touching = pairs_.host_orders ? results() : static_cast<std::uint32_t>(order_.pairs().size());
  check_host_memory(last_group, touching, contacts);
  if (pairs_.host_orders) {
    read_as_found(timer);
    add_touching();
  } else if (on_device_ && !is_sliced_) {
    on_device_ = {
        touching,        contacts,           touching - meshes_.manifolds() + meshes_.touching(), &order_.offsets(),
        &order_.pairs(), &order_.contacts(), meshes_.has_meshes() ? &order_.tags() : nullptr};
  } else {
    read_ordered(touching, contacts, timer);
  }
}

// Takes pairs and contacts in order to the host.
void BodyContacts::read_ordered(std::uint32_t touching, std::uint32_t contacts, opencl::StageTimer& timer) {
  results_.resize(touching);
  KeptRecords<PairContactRecord>::Array& records = list_.records().add(contacts);
  opencl::Transfers pairs, their_contacts;
  std::span<MeshTag> tags;
  if (meshes_.has_meshes()) {
    tags = list_.tags().add(contacts);
    order_.tags().download_later(tags, pairs, 0, &timer);
  }
  order_.pairs().download_later(results_, pairs, 0, &timer);
  order_.contacts().download_later(records, their_contacts, 0, &timer);
  pairs.wait();
  list_.add(results_, records.data(), tags);
  their_contacts.wait();
}

// Takes what was found of the pairs at hand to touching_, in no order.
void BodyContacts::read_as_found(opencl::StageTimer& timer) {
  results_.resize(results());
  opencl::Transfers transfers;
  narrow_.results().download_later(results_, transfers, 0, &timer);
  narrow_.store().download_later(list_.records().add(narrow_.stored()), transfers, 0, &timer);
  if (meshes_.has_meshes()) meshes_.tags().download_later(list_.tags().add(meshes_.contacts()), transfers, 0, &timer);
  transfers.wait();
  select_touching();
}

void BodyContacts::move_to_host(opencl::StageTimer& timer) {
  if (on_device_ && on_device_->manifolds > 0) read_ordered(on_device_->manifolds, on_device_->contacts, timer);
  on_device_.reset();
}

void BodyContacts::free_slice_buffers() {
  device_.finish();
  pairs_.free();
  meshes_.free();
  narrow_.free();
  order_.free();
}

void BodyContacts::free_frame_buffers() {
  free_slice_buffers();
  search_.free();
  scene_.tree.free();
}

}  // namespace oclide
