#include "narrow_phase/pair_contacts.hpp"

#include <algorithm>
#include <string>

#include "frame/slice.hpp"

namespace oclide {

using opencl::Stage;

namespace {

// So few pairs of so many kinds have a fused kernel on a CPU: commands would take longer than what they do. Not on a
// GPU, whose compiler takes a minute for the code of all kinds, and whose work-items all get the registers of the
// worst.
constexpr std::uint32_t kFusedPairs = 4096;
constexpr std::ptrdiff_t kManyKinds = 4;
constexpr std::size_t kCounts = FOUND_TAKEN(kPairTable.size());  // that the host needs
static_assert(kCounts * sizeof(std::uint32_t) <= RESULT_HEAD * sizeof(PairResult));

opencl::LazyKernel kernel_of(opencl::Device& device, const std::string& stem) {
  return {device, "narrow_phase/" + stem, "narrow_phase_" + stem};
}

}  // namespace

PairContacts::PairContacts(opencl::Device& device, const DeviceScene& scene, float margin, const WorkMemory& work)
    : device_(device),
      scene_(scene),
      margin_(margin),
      runs_(device.info(), kShare),
      fused_kernel_(kernel_of(device, "fused_pairs")),
      sphere_kernel_(kernel_of(device, "sphere_pairs")),
      store_(work.first, "contacts of pairs as found"),
      results_(work.second, "results of pairs"),
      read_(device) {
  read_.resize(RESULT_HEAD);
  std::fill(read_.begin(), read_.end(), PairResult{});
  for (std::uint32_t k = 0; k < CONVEX_PAIR_KINDS; ++k) {
    const std::string stem = kPairTable[k].stem;
    kernels_.push_back(kernel_of(device, stem));
    manifold_kernels_.push_back(kernel_of(device, stem + "_manifolds"));
  }
}

void PairContacts::set_scene(const Bodies& bodies) {
  count_ = {};
  for (const Shape shape : bodies.shape) ++count_[shape];
  find_possible_kinds();
}

void PairContacts::change(const Bodies& bodies, std::span<const std::uint32_t> rows) {
  for (const std::uint32_t row : rows) ++count_[bodies.shape[row]];
  find_possible_kinds();
}

void PairContacts::find_possible_kinds() {
  possible_kinds_.clear();
  for (std::uint32_t k = 0; k < kPairTable.size(); ++k) {
    const PairRow& row = kPairTable[k];
    if (k < CONVEX_PAIR_KINDS && count_[row.first] > (row.first == row.second ? 1 : 0) && count_[row.second] > 0)
      possible_kinds_.push_back(k);
  }
}

std::uint32_t PairContacts::capacity(std::uint32_t least) const {
  return std::max(static_cast<std::uint32_t>(std::min<std::size_t>(store_.capacity(), 0xFFFFFFFEU)), least);
}

// Puts a fused kernel that looks at so many pairs in the place of those kinds that it has, where they are many.
void PairContacts::fuse(std::vector<Part>& parts, std::uint32_t pairs) const {
  const auto is_fused = [](const Part& part) { return part.kind < FUSED_PAIR_KINDS; };
  if (device_.info().is_gpu || std::count_if(parts.begin(), parts.end(), is_fused) < kManyKinds) return;
  parts.erase(std::remove_if(parts.begin(), parts.end(), is_fused), parts.end());
  parts.push_back({ANY_KIND, pairs, false});
}

// On a GPU puts one kernel in the place of those of spheres, where they are several; it looks at `pairs` at most.
void PairContacts::fuse_spheres(std::vector<Part>& parts, std::uint32_t pairs) const {
  const auto is_fused = [](const Part& part) { return is_kind_of(PAIR_KINDS_OF_SPHERES, part.kind); };
  if (!device_.info().is_gpu || std::count_if(parts.begin(), parts.end(), is_fused) < 2) return;
  Part all{kSpheres, 0, true};
  for (const Part& part : parts) {
    if (!is_fused(part)) continue;
    all.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{all.count} + part.count, pairs));
    all.by_kind = part.by_kind;
  }
  parts.erase(std::remove_if(parts.begin(), parts.end(), is_fused), parts.end());
  parts.push_back(all);
}

// Each kind's pairs, but all at once where they are few of many kinds.
std::vector<PairContacts::Part> PairContacts::parts_of(const BodyPairs& pairs) const {
  std::vector<Part> parts;
  for (std::uint32_t k = 0; k < CONVEX_PAIR_KINDS; ++k)
    if (pairs.end[k] > pairs.begin[k]) parts.push_back({k, pairs.end[k] - pairs.begin[k], true});
  if (pairs.count <= kFusedPairs) fuse(parts, pairs.count);
  fuse_spheres(parts, pairs.count);
  return parts;
}

// parts_of() where it is not known how many of the pairs are of which kind; nor in what order they stand where nothing
// is expected of that.
std::vector<PairContacts::Part> PairContacts::parts_with_capacity(std::uint32_t pairs,
                                                                  const std::optional<OfKinds>& expected) const {
  std::vector<Part> parts;
  for (const std::uint32_t kind : possible_kinds_)
    if (!expected)
      parts.push_back({kind, pairs, false});
    else if ((*expected)[kind] > 0)
      parts.push_back({kind, (*expected)[kind], true});
  if (!expected) fuse(parts, pairs);
  fuse_spheres(parts, pairs);
  return parts;
}

// Stores the contacts of all pairs in any order, as many as there is room for, and counts them.
void PairContacts::launch(BodyPairs& pairs, const std::vector<Part>& parts, std::uint32_t capacity,
                          opencl::StageTimer& timer) {
  store_.resize(capacity);
  const bool is_gpu = device_.info().is_gpu;
  for (const Part& part : parts) {
    const auto launch = [&](opencl::LazyKernel& kernel, std::size_t items, std::size_t group) {
      opencl::launch(device_, kernel, &timer, Stage::narrow_phase, items,
                     is_gpu ? device_.work_group_size(kernel.get(), group) : group, cl_uint{part.by_kind ? 1U : 0U},
                     part.count, runs_.block(part.count), part.kind, pairs.kinds, pairs.order, pairs.pairs,
                     scene_.tree.states(), scene_.hulls.words, margin_, scene_.bodies.margins_of_bodies(), capacity,
                     pairs.found, store_, results_);
    };
    if (is_gpu && is_kind_of(PAIR_KINDS_IN_TWO, part.kind)) {
      // A group of these takes PAIR_GROUP pairs.
      const std::size_t items = (std::size_t{part.count} + PAIR_GROUP - 1) / PAIR_GROUP * MANIFOLD_GROUP;
      launch(kernels_[part.kind], items, MANIFOLD_GROUP);
      launch(manifold_kernels_[part.kind], items, MANIFOLD_GROUP);
    } else {
      launch(part.kind == ANY_KIND ? fused_kernel_ : (part.kind == kSpheres ? sphere_kernel_ : kernels_[part.kind]),
             runs_.items(part.count), is_gpu ? PAIR_GROUP : runs_.group());
    }
  }
}

std::uint32_t PairContacts::find(BodyPairs& pairs, bool is_slice, const Others& others,
                                 const std::function<void(opencl::Transfers&)>& meanwhile, opencl::StageTimer& timer) {
  results_.resize(RESULT_HEAD + std::size_t{pairs.count} + others.manifolds);
  const std::vector<Part> parts = parts_of(pairs);
  for (std::uint32_t room = capacity(first_room(is_slice, pairs.count, kStoreSlotsOfPair) + others.contacts);;) {
    pairs.found.fill(others.contacts, FOUND_STORED, 2, &timer, Stage::narrow_phase);
    launch(pairs, parts, room, timer);
    if (others.write) others.write(results_, store_);
    opencl::Transfers transfers;
    meanwhile(transfers);
    begin_readback(pairs, transfers, timer);
    transfers.wait();
    if (stored() <= room) return found();
    room = stored();
  }
}

void PairContacts::launch(BodyPairs& pairs, std::uint32_t count, std::uint32_t capacity,
                          const std::optional<OfKinds>& expected, opencl::StageTimer& timer) {
  results_.resize(RESULT_HEAD + std::size_t{count});
  launch(pairs, parts_with_capacity(count, expected), capacity, timer);
}

void PairContacts::begin_readback(const BodyPairs& pairs, opencl::Transfers& transfers, opencl::StageTimer& timer) {
  read_.resize(RESULT_HEAD);
  pairs.found.download_later({reinterpret_cast<std::uint32_t*>(read_.data()), kCounts}, transfers, 0, &timer,
                             Stage::narrow_phase);
}

void PairContacts::begin_readback(const BodyPairs& pairs, opencl::Buffer<PairResult>& results, std::uint32_t count,
                                  opencl::Transfers& transfers, opencl::StageTimer& timer) {
  results.copy_from(pairs.found, kCounts, 0, &timer);
  read_.resize(RESULT_HEAD + std::size_t{count});
  results.download_later({read_.data(), read_.size()}, transfers, 0, &timer);
}

std::span<const PairResult> PairContacts::results_read() const {
  return std::span(read_.data(), read_.size()).subspan(RESULT_HEAD);
}

PairContacts::OfKinds PairContacts::of_kinds() const {
  OfKinds kinds;
  for (std::size_t k = 0; k < kinds.size(); ++k) kinds[k] = count_of(FOUND_KINDS + k);
  return kinds;
}

void PairContacts::free() {
  store_.free();
  results_.free();
}

}  // namespace oclide
