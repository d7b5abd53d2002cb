#include "narrow_phase/pair_contacts.hpp"

#include <algorithm>
#include <string>

#include "slice.hpp"

namespace oclide {

using opencl::Stage;

namespace {

constexpr std::uint32_t kFirstContacts = 4096;  // that there is room for at first
constexpr double kShare = 0.5;                  // contacts a pair, rather fewer than there are, for StoreRuns

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
  for (std::size_t k = 0; k < kPairTable.size(); ++k) {
    const std::uint32_t first = pairs.begin[k], count = pairs.end[k] - first;
    if (count == 0) continue;
    if (kernels_[k]() == nullptr) {
      const std::string stem = kPairTable[k].stem;
      kernels_[k] = device_.kernel("narrow_phase/" + stem, "narrow_phase_" + stem);
    }
    opencl::launch(device_, kernels_[k], &timer, Stage::narrow_phase, runs_.items(count), runs_.group(), first, count,
                   runs_.run(count), runs_.block(count), pairs.order, pairs.pairs, states, margin_, capacity, stored_,
                   store_, results_);
  }
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
