#include "contacts/pair_list.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "threads/parallel_for.hpp"

namespace oclide {
namespace {

// Contacts of superseded pairs that are kept before all are looked through.
constexpr std::uint64_t kSparePairRecords = 65536;

// Those of part p of a list in order.
template <class Pair>
std::span<const Pair> of_part(std::span<const Pair> list, std::size_t p) {
  const auto begin_of = [&](std::size_t part) {
    return std::partition_point(list.begin(), list.end(),
                                [&](const Pair& pair) { return pair.body_a < part * PairList::kBodiesOfPart; });
  };
  return {begin_of(p), begin_of(p + 1)};
}

// Both in order, without those of the first that are noted (ascending).
std::vector<TouchingPair> merged(std::span<const TouchingPair> stay, std::span<const std::uint32_t> noted,
                                 std::span<const TouchingPair> found) {
  std::vector<TouchingPair> pairs;
  pairs.reserve(stay.size() - noted.size() + found.size());
  auto next = found.begin();
  auto goes = noted.begin();
  for (std::size_t k = 0; k < stay.size(); ++k) {
    if (goes != noted.end() && *goes == k) {
      ++goes;
      continue;
    }
    for (; next != found.end() && precedes(*next, stay[k]); ++next) pairs.push_back(*next);
    pairs.push_back(stay[k]);
  }
  pairs.insert(pairs.end(), next, found.end());
  return pairs;
}

}  // namespace

void PairList::reset(std::size_t bodies) {
  parts_ = std::vector<Part>((bodies + kBodiesOfPart - 1) / kBodiesOfPart);
  is_moved_.assign((bodies + 31) / 32, 0);
  records_.free();
  tags_.free();
}

void PairList::clear() {
  records_.clear();
  tags_.clear();
  for (Part& part : parts_) {
    part.pairs.clear();
    part.first_of_body.clear();
  }
}

void PairList::add(std::span<const TouchingPair> pairs) {
  parallel_for(parts_.size(), [&](std::size_t p) {
    const auto own = of_part(pairs, p);
    parts_[p].pairs.insert(parts_[p].pairs.end(), own.begin(), own.end());
    parts_[p].first_of_body.clear();
  });
}

void PairList::add(std::span<const PairResult> results, const PairContactRecord* records,
                   std::span<const MeshTag> tags) {
  parallel_for(parts_.size(), [&](std::size_t p) {
    const auto own = of_part(results, p);
    parts_[p].pairs.reserve(parts_[p].pairs.size() + own.size());
    std::transform(own.begin(), own.end(), std::back_inserter(parts_[p].pairs),
                   [&](const PairResult& result) { return pair_of(result, records, tags); });
    parts_[p].first_of_body.clear();
  });
}

void PairList::end_frame() {
  records_.end_frame();
  // Slices overlap in body_a: one order over all.
  if (records_.arrays() <= 1) return;
  parallel_for(parts_.size(), [&](std::size_t p) {
    std::sort(parts_[p].pairs.begin(), parts_[p].pairs.end(), precedes);
    parts_[p].first_of_body.clear();
  });
}

// Where the pairs of each body of a part are, from this one on, and their second bodies: a sixth of the memory.
void PairList::index(Part& part, std::size_t first_body) {
  part.body_b.resize(part.pairs.size());
  part.first_of_body.assign(kBodiesOfPart + 1, 0);
  for (std::size_t k = 0; k < part.pairs.size(); ++k) {
    part.body_b[k] = part.pairs[k].body_b;
    ++part.first_of_body[part.pairs[k].body_a - first_body + 1];
  }
  std::partial_sum(part.first_of_body.begin(), part.first_of_body.end(), part.first_of_body.begin());
}

// Notes the pairs of a part. `moved`: those of its own bodies, whose pairs lie together.
void PairList::mark_part(std::size_t p, std::span<const std::uint32_t> moved) {
  Part& part = parts_[p];
  if (part.first_of_body.empty()) index(part, p * kBodiesOfPart);
  part.topology_changed = false;
  part.updated.clear();
  const auto note_second_bodies = [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t k = begin; k < end; ++k)
      if (is_moved(part.body_b[k])) part.updated.push_back(k);
  };
  std::uint32_t end = 0;  // of what has been looked at
  for (const std::uint32_t body : moved) {
    const std::uint32_t* own = &part.first_of_body[body - p * kBodiesOfPart];
    note_second_bodies(end, own[0]);
    for (std::uint32_t k = own[0]; k < own[1]; ++k) part.updated.push_back(k);
    end = own[1];
  }
  note_second_bodies(end, static_cast<std::uint32_t>(part.pairs.size()));
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

void PairList::mark(std::span<const std::uint32_t> moved) {
  std::fill(is_moved_.begin(), is_moved_.end(), 0U);
  for (const std::uint32_t body : moved) is_moved_[body / 32] |= 1U << body % 32;
  parallel_for(parts_.size(), [&](std::size_t p) {
    const auto begin = std::lower_bound(moved.begin(), moved.end(), p * kBodiesOfPart);
    mark_part(p, {begin, std::lower_bound(begin, moved.end(), (p + 1) * kBodiesOfPart)});
  });
}

void PairList::update(std::span<const TouchingPair> found) {
  sort_by_part(found);
  parallel_for(parts_.size(), [&](std::size_t p) {
    Part& part = parts_[p];
    const std::size_t begin = p > 0 ? found_end_[p - 1] : 0;
    const std::span<TouchingPair> own = std::span(found_).subspan(begin, found_end_[p] - begin);
    std::sort(own.begin(), own.end(), precedes);
    const auto same_shape = [&](std::uint32_t k, const TouchingPair& pair) {
      const TouchingPair& before = part.pairs[k];
      return before.body_a == pair.body_a && before.body_b == pair.body_b && before.count == pair.count;
    };
    part.topology_changed = !std::equal(part.updated.begin(), part.updated.end(), own.begin(), own.end(), same_shape);
    if (part.topology_changed) {
      part.pairs = merged(part.pairs, part.updated, own);
      part.updated.clear();
      index(part, p * kBodiesOfPart);
    } else {
      for (std::size_t k = 0; k < own.size(); ++k) part.pairs[part.updated[k]] = own[k];
    }
  });
  if (records_.has_superseded(kSparePairRecords)) drop_superseded();
}

// Gathers what is still in use of the contacts of many frames, and of their tags, in one array.
void PairList::drop_superseded() {
  std::size_t count = 0, tagged = 0;
  for (const Part& part : parts_)
    for (const TouchingPair& pair : part.pairs) {
      count += pair.count;
      tagged += pair.tags != nullptr ? pair.count : 0;
    }
  KeptRecords<PairContactRecord> used;
  KeptRecords<MeshTag> used_tags;
  PairContactRecord* to = used.add(count).data();
  MeshTag* tags_to = used_tags.add(tagged).data();
  for (Part& part : parts_)
    for (TouchingPair& pair : part.pairs) {
      to = std::copy_n(std::exchange(pair.contacts, to), pair.count, to);
      if (pair.tags != nullptr) tags_to = std::copy_n(std::exchange(pair.tags, tags_to), pair.count, tags_to);
    }
  records_.replace_by(std::move(used));
  tags_.replace_by(std::move(used_tags));
}

std::size_t PairList::count() const {
  std::size_t count = 0;
  const auto is_next = [](const TouchingPair& a, const TouchingPair& b) {
    return a.body_a == b.body_a && a.body_b == b.body_b;
  };
  for (const Part& part : parts_) {
    count += part.pairs.size();
    // Further manifolds of a pair are no pairs.
    for (std::size_t k = 1; k < part.pairs.size(); ++k)
      if (part.pairs[k].tags != nullptr && is_next(part.pairs[k - 1], part.pairs[k])) --count;
  }
  return count;
}

}  // namespace oclide
