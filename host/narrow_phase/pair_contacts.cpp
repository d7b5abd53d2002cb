#include "narrow_phase/pair_contacts.hpp"

#include <algorithm>
#include <string>

#include "slice.hpp"

namespace oclide {

using opencl::Stage;

namespace {

constexpr std::uint32_t kFirstContacts = 4096;  // that there is room for at first
// So few pairs of so many kinds have one kernel in all: commands would take longer than what they do.
constexpr std::uint32_t kFewPairsAtOnce = 4096;
constexpr std::ptrdiff_t kManyKinds = 4;

}  // namespace

PairContacts::PairContacts(opencl::Device& device, float margin)
    : device_(device),
      margin_(margin),
      runs_(device.info(), kShare),
      stored_(device, "stored contacts of pairs"),
      store_(device, "contacts of pairs as found"),
      results_(device, "results of pairs") {}

std::uint32_t PairContacts::room() const {
  return std::max(static_cast<std::uint32_t>(std::min<std::size_t>(store_.capacity(), 0xFFFFFFFEU)), kFirstContacts);
}

// Stores the contacts of all pairs in any order, as many as there is room for, and counts them.
void PairContacts::launch(const BodyPairs& pairs, const opencl::Buffer<BodyState>& states, std::uint32_t capacity,
                          opencl::StageTimer& timer) {
  results_.resize(pairs.count);
  stored_.resize(counts_.size());
  store_.resize(capacity);
  stored_.fill(0, 0, counts_.size(), &timer, Stage::narrow_phase);
  const auto run = [&](cl::Kernel& kernel, const std::string& stem, std::uint32_t first, std::uint32_t count) {
    if (kernel() == nullptr) kernel = device_.kernel("narrow_phase/" + stem, "narrow_phase_" + stem);
    opencl::launch(device_, kernel, &timer, Stage::narrow_phase, runs_.items(count), runs_.group(), first, count,
                   runs_.run(count), runs_.block(count), pairs.order, pairs.pairs, states, margin_, capacity, stored_,
                   store_, results_);
  };
  std::ptrdiff_t kinds = 0;
  for (std::size_t k = 0; k < kPairTable.size(); ++k) kinds += pairs.end[k] > pairs.begin[k] ? 1 : 0;
  if (pairs.count <= kFewPairsAtOnce && kinds >= kManyKinds) return run(few_kernel_, "few_pairs", 0, pairs.count);
  for (std::size_t k = 0; k < kPairTable.size(); ++k)
    if (pairs.end[k] > pairs.begin[k])
      run(kernels_[k], kPairTable[k].stem, pairs.begin[k], pairs.end[k] - pairs.begin[k]);
}

std::uint32_t PairContacts::find(const BodyPairs& pairs, const opencl::Buffer<BodyState>& states,
                                 opencl::StageTimer& timer) {
  for (std::uint32_t capacity = room();;) {
    launch(pairs, states, capacity, timer);
    stored_.download(counts_, 0, &timer, Stage::narrow_phase);
    if (places() <= capacity) return found();
    capacity = places();
  }
}

void PairContacts::find_later(const BodyPairs& pairs, const opencl::Buffer<BodyState>& states,
                              opencl::Transfers& transfers, opencl::StageTimer& timer) {
  launch(pairs, states, room(), timer);
  stored_.download_later(counts_, transfers, 0, &timer, Stage::narrow_phase);
}

void PairContacts::free() {
  stored_.free();
  store_.free();
  results_.free();
}

}  // namespace oclide
