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
      search_(device, scene, margin),
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
  seen_kinds_.reset();
  is_crowded_ = false;
  most_stored_ = 0;
  on_device_.reset();
}

void BodyContacts::change(const Bodies& bodies, std::span<const std::uint32_t> rows, bool grows) {
  if (grows) list_.reset(bodies.count());
  narrow_.change(bodies, rows);
}

void BodyContacts::begin(const FramePlan& plan, const FrameInput& input, opencl::StageTimer& timer) {
  plan_ = plan;
  input_ = &input;
  is_predicted_ = false;
  transfers_.settle();
  on_device_.reset();
  if (!has_pairs()) return;
  if (plan.is_of_moved()) scene_.tree.move(input.moved, input.positions, input.device, timer);
  if (!plan.is_predicted() || !predict_capacity()) return;
  if (!plan.is_of_moved()) {
    list_.clear();
    pairs_.is_empty = scene_.tree.build(input.positions, input.device, timer, &pairs_.found);
  }
  launch_all(timer);
  is_predicted_ = true;
}

void BodyContacts::finish(FrameCounts& counts, opencl::StageTimer& timer) {
  if (!has_pairs()) {
    if (!plan_.is_of_moved()) list_.clear();
    if (plan_.stays_on_device()) on_device_.emplace().is_as_sent_off = true;
    return;
  }
  touching_.clear();
  if (is_predicted_ && finish_predicted(timer)) {
    counts.body_candidates += narrow_.pairs();
    counts.unreduced += narrow_.found();
  } else {
    recompute(counts, timer);
  }
  is_predicted_ = false;
  if (plan_.is_of_moved())
    list_.update(touching_);
  else
    list_.end_frame();
}

std::optional<PairContactsOnDevice> BodyContacts::sent_off() const {
  if (is_predicted_) return order_on_device(capacity_.touching, capacity_.contacts);
  return has_pairs() ? std::nullopt : std::optional(PairContactsOnDevice());
}

// The touching ones of these pairs, whose contacts came last, in no order.
void BodyContacts::select_touching(std::span<const PairResult> results) {
  touching_.clear();
  const PairContactRecord* records = list_.records().last().data();
  const std::span<const MeshTag> tags = meshes_.has_meshes() ? list_.tags().last() : std::span<const MeshTag>();
  for (const PairResult& result : results)
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
  search_.find(leaves, pairs_, timer);
  has_kinds_ = true;
  meshes_.find(pairs_, counts, timer);
  PairContacts::Others with_meshes;
  if (meshes_.has_meshes()) {
    with_meshes = {meshes_.contacts(), meshes_.manifolds(),
                   [&](auto& results, auto& store) { meshes_.write(pairs_, results, store, timer); }};
  }
  if (leaves.moved) last_moved_ = {input_->moved.size()};
  if (pairs_.count == 0) return 0;
  host_orders_ = leaves.moved || may_order_on_host(pairs_.count);
  const std::uint32_t bodies = scene_.bodies.count();
  PairOrder::Sizes found{pairs_.count, meshes_.manifolds()};
  const auto meanwhile = [&](opencl::Transfers& transfers) {
    found.stored = narrow_.capacity();
    if (!host_orders_) order_.begin(narrow_, pairs_, found, bodies, &transfers, timer);
    work_meanwhile(device_, *input_);
  };
  const std::uint32_t contacts = narrow_.find(pairs_, leaves.is_slice, with_meshes, meanwhile, timer);
  found.touching = host_orders_ ? pairs_.count : order_.touching();
  found.contacts = contacts;
  const bool crowded = !host_orders_ && narrow_.crowded() > 0;
  if (contacts > 0 && !host_orders_) {
    order_.run(narrow_, pairs_, found, bodies, meshes_.has_meshes() ? &meshes_.tags() : nullptr, crowded, timer);
    order_.confirm();
  }
  if (leaves.is_slice) return contacts;
  is_crowded_ = is_crowded_ || crowded;
  found.crowd = crowded ? order_.crowd() : 0;
  found.stored = narrow_.stored();
  note(found);
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
  const auto touching = host_orders_ ? results() : static_cast<std::uint32_t>(order_.pairs().size() - RESULT_HEAD);
  check_host_memory(last_group, touching, contacts);
  if (host_orders_) {
    read_as_found(timer);
    add_touching();
  } else if (on_device_ && !is_sliced_) {
    on_device_ = order_on_device(touching, contacts);
  } else {
    read_ordered(touching, contacts, timer);
  }
}

PairContactsOnDevice BodyContacts::order_on_device(std::uint32_t touching, std::uint32_t contacts) const {
  if (contacts == 0) return {};
  PairContactsOnDevice pairs{touching, contacts, touching - meshes_.manifolds() + meshes_.touching()};
  pairs.found = &pairs_.found;
  pairs.offsets = &order_.offsets();
  pairs.results = &order_.pairs();
  pairs.records = &order_.contacts();
  if (meshes_.has_meshes()) pairs.tags = &order_.tags();
  return pairs;
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
  order_.pairs().download_later(results_, pairs, RESULT_HEAD, &timer);
  order_.contacts().download_later(records, their_contacts, 0, &timer);
  pairs.wait();
  list_.add(results_, records.data(), tags);
  their_contacts.wait();
}

// Takes what was found of the pairs at hand to touching_, in no order.
void BodyContacts::read_as_found(opencl::StageTimer& timer) {
  results_.resize(results());
  opencl::Transfers transfers;
  narrow_.results().download_later(results_, transfers, RESULT_HEAD, &timer);
  narrow_.store().download_later(list_.records().add(narrow_.stored()), transfers, 0, &timer);
  if (meshes_.has_meshes()) meshes_.tags().download_later(list_.tags().add(meshes_.contacts()), transfers, 0, &timer);
  transfers.wait();
  select_touching(results_);
}

void BodyContacts::move_to_host(opencl::StageTimer& timer) {
  if (on_device_ && on_device_->manifolds > 0) read_ordered(on_device_->manifolds, on_device_->contacts, timer);
  on_device_.reset();
}

void BodyContacts::free_slice_buffers() {
  transfers_.settle();
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
