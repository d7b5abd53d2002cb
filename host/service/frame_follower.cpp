#include "service/frame_follower.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace oclide::service {

bool FrameFollower::Manifold::is_before(const Manifold& other) const {
  return std::tie(body_a, body_b, shapes) < std::tie(other.body_a, other.body_b, other.shapes);
}

std::uint32_t FrameFollower::Frame::end_of_name(std::uint32_t manifold) const {
  std::uint32_t end = manifold + 1;
  while (end < count() && manifolds[end].is_named_as(manifolds[manifold])) ++end;
  return end;
}

void FrameFollower::read(std::span<const Contact> contacts, Frame& frame) {
  if (contacts.size() >= kNone)
    throw Error(ErrorKind::device, std::to_string(contacts.size()) + " contacts, more than tracking has numbers for");
  frame.manifolds.clear();
  frame.features.clear();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact& c = contacts[i];
    frame.features.push_back(c.feature);
    if (i == 0 || c.manifold != contacts[i - 1].manifold)
      frame.manifolds.push_back(
          {c.body_a, c.body_b, std::uint32_t{c.shape_a} << 16 | c.shape_b, static_cast<std::uint32_t>(i)});
  }
  frame.manifolds.push_back({kNone, kNone, kNone, static_cast<std::uint32_t>(contacts.size())});
}

// The k-th contact with a feature goes on with the k-th of the last frame that has it.
void FrameFollower::match(Range now, Range last, std::vector<std::uint32_t>& previous) {
  const std::uint32_t begin = now_.manifolds[now.first].first, end = now_.manifolds[now.end].first;
  const std::uint32_t last_begin = last_.manifolds[last.first].first, last_end = last_.manifolds[last.end].first;
  if (std::equal(now_.features.begin() + begin, now_.features.begin() + end, last_.features.begin() + last_begin,
                 last_.features.begin() + last_end)) {
    std::iota(previous.begin() + begin, previous.begin() + end, last_begin);
    return;
  }
  const auto sort = [](std::vector<std::uint32_t>& order, const Frame& frame, std::uint32_t from, std::uint32_t to) {
    order.resize(to - from);
    std::iota(order.begin(), order.end(), from);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tie(frame.features[a], a) < std::tie(frame.features[b], b);
    });
  };
  sort(order_, now_, begin, end);
  sort(last_order_, last_, last_begin, last_end);
  for (std::size_t i = 0, j = 0; i < order_.size() && j < last_order_.size();) {
    const std::uint32_t feature = now_.features[order_[i]], last_feature = last_.features[last_order_[j]];
    if (feature == last_feature) previous[order_[i]] = last_order_[j];
    i += feature <= last_feature ? 1 : 0;
    j += last_feature <= feature ? 1 : 0;
  }
}

// Each manifold, in order, goes on with the free one that has most of its contacts; of equals the first.
void FrameFollower::persist(Range now, Range last, Found& found) {
  const auto go_on = [&](std::uint32_t manifold, std::uint32_t with) {
    is_gone_on_with_[with] = true;
    found.events[manifold].change = Change::persist;
    found.events[manifold].previous = with;
  };
  std::uint32_t without = 0, one_without = kNone;
  for (std::uint32_t m = now.first; m < now.end; ++m) {
    old_.clear();
    for (std::uint32_t c = now_.manifolds[m].first; c < now_.manifolds[m + 1].first; ++c) {
      if (found.previous[c] == kNone) continue;
      const auto behind =
          std::upper_bound(last_.manifolds.begin() + last.first, last_.manifolds.begin() + last.end, found.previous[c],
                           [](std::uint32_t contact, const Manifold& of) { return contact < of.first; });
      old_.push_back(static_cast<std::uint32_t>(behind - last_.manifolds.begin()) - 1);
    }
    std::sort(old_.begin(), old_.end());
    std::size_t most = 0;
    std::uint32_t best = kNone;
    for (auto run = old_.begin(); run != old_.end();) {
      const auto next = std::upper_bound(run, old_.end(), *run);
      const auto length = static_cast<std::size_t>(next - run);
      if (!is_gone_on_with_[*run] && length > most) {
        most = length;
        best = *run;
      }
      run = next;
    }
    if (best != kNone) {
      go_on(m, best);
    } else {
      ++without;
      one_without = m;
    }
  }
  if (now_.manifolds[now.first].body_b == kTerrain || without != 1) return;
  std::uint32_t left = 0, one_left = kNone;
  for (std::uint32_t m = last.first; m < last.end; ++m)
    if (!is_gone_on_with_[m]) {
      ++left;
      one_left = m;
    }
  if (left == 1) go_on(one_without, one_left);
}

FrameFollower::Found FrameFollower::follow(std::span<const Contact> contacts, std::span<const std::uint32_t> replaced) {
  read(contacts, now_);
  Found found;
  found.previous.assign(contacts.size(), kNone);
  is_gone_on_with_.assign(last_.count(), false);
  const auto event_of = [](const Manifold& of, Change change, std::uint32_t manifold, std::uint32_t previous) {
    return ManifoldEvent{.body_a = of.body_a,
                         .body_b = of.body_b,
                         .shape_a = static_cast<std::uint16_t>(of.shapes >> 16),
                         .shape_b = static_cast<std::uint16_t>(of.shapes & 0xFFFFU),
                         .change = change,
                         .manifold = manifold,
                         .previous = previous};
  };
  for (std::uint32_t m = 0; m < now_.count(); ++m)
    found.events.push_back(event_of(now_.manifolds[m], Change::begin, m, kNone));
  const auto is_replaced = [&](std::uint32_t body) {
    return std::binary_search(replaced.begin(), replaced.end(), body);
  };
  std::uint32_t last = 0;
  for (std::uint32_t m = 0; m < now_.count();) {
    const Manifold& name = now_.manifolds[m];
    const Range now{m, now_.end_of_name(m)};
    m = now.end;
    while (last < last_.count() && last_.manifolds[last].is_before(name)) ++last;
    if (last == last_.count() || !last_.manifolds[last].is_named_as(name)) continue;
    if (is_replaced(name.body_a) || is_replaced(name.body_b)) continue;  // terrain is no row
    const Range before{last, last_.end_of_name(last)};
    match(now, before, found.previous);
    persist(now, before, found);
  }
  for (std::uint32_t m = 0; m < last_.count(); ++m)
    if (!is_gone_on_with_[m]) found.events.push_back(event_of(last_.manifolds[m], Change::end, kNone, m));
  std::swap(now_, last_);
  return found;
}

}  // namespace oclide::service
