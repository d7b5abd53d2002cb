#include "pair_list.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <iterator>
#include <numeric>

namespace oclide {
namespace {

// Those of part p of a list in order.
template <class Pair>
std::span<const Pair> of_part(std::span<const Pair> list, std::size_t p) {
  const auto begin_of = [&](std::size_t part) {
    return std::partition_point(list.begin(), list.end(),
                                [&](const Pair& pair) { return pair.body_a < part * PairList::kBodiesOfPart; });
  };
  return {begin_of(p), begin_of(p + 1)};
}

// Both in order, without those of the first that `goes` says.
template <class Goes>
std::vector<TouchingPair> merged(std::span<const TouchingPair> stay, std::span<const TouchingPair> found,
                                 const Goes& goes) {
  std::vector<TouchingPair> pairs;
  pairs.reserve(stay.size() + found.size());
  auto next = found.begin();
  for (const TouchingPair& pair : stay) {
    if (goes(pair)) continue;
    for (; next != found.end() && precedes(*next, pair); ++next) pairs.push_back(*next);
    pairs.push_back(pair);
  }
  pairs.insert(pairs.end(), next, found.end());
  return pairs;
}

}  // namespace

void PairList::reset(std::size_t bodies) {
  parts_ = std::vector<Part>((bodies + kBodiesOfPart - 1) / kBodiesOfPart);
  is_moved_.assign((bodies + 31) / 32, 0);
}

void PairList::clear() {
  for (Part& part : parts_) {
    part.pairs.clear();
    part.names.clear();
  }
}

void PairList::add(std::span<const TouchingPair> pairs) {
  tbb::parallel_for(std::size_t{0}, parts_.size(), [&](std::size_t p) {
    const auto own = of_part(pairs, p);
    parts_[p].pairs.insert(parts_[p].pairs.end(), own.begin(), own.end());
    parts_[p].names.clear();
  });
}

void PairList::add(std::span<const PairResult> results, const PairContactRecord* records) {
  tbb::parallel_for(std::size_t{0}, parts_.size(), [&](std::size_t p) {
    const auto own = of_part(results, p);
    parts_[p].pairs.reserve(parts_[p].pairs.size() + own.size());
    std::transform(own.begin(), own.end(), std::back_inserter(parts_[p].pairs),
                   [&](const PairResult& result) { return pair_of(result, records); });
    parts_[p].names.clear();
  });
}

void PairList::sort() {
  tbb::parallel_for(std::size_t{0}, parts_.size(), [&](std::size_t p) {
    std::sort(parts_[p].pairs.begin(), parts_[p].pairs.end(), precedes);
    parts_[p].names.clear();
  });
}

void PairList::name(Part& part) const {
  part.names.resize(part.pairs.size());
  std::transform(part.pairs.begin(), part.pairs.end(), part.names.begin(), [](const TouchingPair& pair) {
    return std::array{pair.body_a, pair.body_b};
  });
}

// Notes the pairs of a part of which a body is moved: as its names alone are looked through, a third of the memory.
void PairList::find_moved(Part& part) const {
  if (part.names.size() != part.pairs.size()) name(part);
  part.renewed.clear();
  for (std::size_t k = 0; k < part.names.size(); ++k)
    if (is_moved(part.names[k][0]) || is_moved(part.names[k][1])) part.renewed.push_back(static_cast<std::uint32_t>(k));
}

// To found_, those of each part together.
void PairList::sort_by_part(std::span<const TouchingPair> found) {
  const auto part_of = [](const TouchingPair& pair) { return pair.body_a / kBodiesOfPart; };
  found_end_.assign(parts_.size(), 0);
  for (const TouchingPair& pair : found) ++found_end_[part_of(pair)];
  std::exclusive_scan(found_end_.begin(), found_end_.end(), found_end_.begin(), std::size_t{0});
  found_.resize(found.size());
  for (const TouchingPair& pair : found) found_[found_end_[part_of(pair)]++] = pair;
}

void PairList::renew(std::span<const std::uint32_t> moved, std::span<const TouchingPair> found) {
  if (moved.empty()) {
    for (Part& part : parts_) {
      part.reshaped = false;
      part.renewed.clear();
    }
    return;
  }
  sort_by_part(found);
  std::fill(is_moved_.begin(), is_moved_.end(), 0U);
  for (const std::uint32_t body : moved) is_moved_[body / 32] |= 1U << body % 32;
  const auto goes = [&](const TouchingPair& pair) { return is_moved(pair.body_a) || is_moved(pair.body_b); };
  tbb::parallel_for(std::size_t{0}, parts_.size(), [&](std::size_t p) {
    Part& part = parts_[p];
    find_moved(part);
    const std::size_t begin = p > 0 ? found_end_[p - 1] : 0;
    const std::span<TouchingPair> own = std::span(found_).subspan(begin, found_end_[p] - begin);
    std::sort(own.begin(), own.end(), precedes);
    const auto same_shape = [&](std::uint32_t k, const TouchingPair& pair) {
      const TouchingPair& before = part.pairs[k];
      return before.body_a == pair.body_a && before.body_b == pair.body_b && before.count == pair.count;
    };
    part.reshaped = !std::equal(part.renewed.begin(), part.renewed.end(), own.begin(), own.end(), same_shape);
    if (part.reshaped) {
      part.pairs = merged(part.pairs, own, goes);
      name(part);
      part.renewed.clear();
    } else {
      for (std::size_t k = 0; k < own.size(); ++k) part.pairs[part.renewed[k]] = own[k];
    }
  });
}

std::size_t PairList::count() const {
  std::size_t count = 0;
  for (const Part& part : parts_) count += part.pairs.size();
  return count;
}

}  // namespace oclide
