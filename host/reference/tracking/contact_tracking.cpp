#include "reference/tracking/contact_tracking.hpp"

#include <map>
#include <set>
#include <utility>

namespace oclide::reference {

ContactTracking::Frame ContactTracking::read(const FrameContacts& frame) {
  Frame found;
  for (std::size_t i = 0; i < frame.contacts.size(); ++i) {
    const Contact& c = frame.contacts[i];
    Named& named = found[{c.body_a, c.body_b, c.shape_a, c.shape_b}];
    if (named.manifolds.empty() || named.manifolds.back() != c.manifold) named.manifolds.push_back(c.manifold);
    named.contacts.push_back({static_cast<std::uint32_t>(i), c.manifold, c.feature});
  }
  return found;
}

// Contacts of equal features, the first with the first, the second with the second.
void ContactTracking::match(const Named& now, const Named& last, std::vector<std::uint32_t>& previous) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_feature;
  for (const TrackedContact& c : last.contacts) by_feature[c.feature].push_back(c.index);
  std::map<std::uint32_t, std::size_t> met;
  for (const TrackedContact& c : now.contacts) {
    const auto same = by_feature.find(c.feature);
    if (same == by_feature.end()) continue;
    if (const std::size_t rank = met[c.feature]++; rank < same->second.size()) previous[c.index] = same->second[rank];
  }
}

// Which manifold of the last frame those of this one go on with, where they do.
std::map<std::uint32_t, std::uint32_t> ContactTracking::persisting(const Named& now, const Named& last,
                                                                   const std::vector<std::uint32_t>& previous,
                                                                   bool on_terrain) {
  std::map<std::uint32_t, std::uint32_t> manifold_of_last;
  for (const TrackedContact& c : last.contacts) manifold_of_last[c.index] = c.manifold;
  std::map<std::uint32_t, std::map<std::uint32_t, std::size_t>> matches;  // of a manifold with those of the last frame
  for (const TrackedContact& c : now.contacts)
    if (previous[c.index] != kNone) ++matches[c.manifold][manifold_of_last.at(previous[c.index])];

  std::map<std::uint32_t, std::uint32_t> found;
  std::set<std::uint32_t> left(last.manifolds.begin(), last.manifolds.end());
  std::vector<std::uint32_t> without;
  for (const std::uint32_t manifold : now.manifolds) {
    std::size_t most = 0;
    for (const auto& [old, count] : matches[manifold])
      if (left.contains(old) && count > most) {
        most = count;
        found[manifold] = old;
      }
    if (most > 0)
      left.erase(found[manifold]);
    else
      without.push_back(manifold);
  }
  if (!on_terrain && without.size() == 1 && left.size() == 1) found[without[0]] = *left.begin();
  return found;
}

void ContactTracking::follow(FrameContacts& frame) {
  const Frame now = read(frame);
  frame.previous.assign(frame.contacts.size(), kNone);
  frame.events.clear();
  const auto event_of = [](const Name& name) {
    ManifoldEvent event;
    std::tie(event.body_a, event.body_b, event.shape_a, event.shape_b) = name;
    return event;
  };

  std::set<std::uint32_t> gone_on_with;
  for (const auto& [name, named] : now) {
    std::map<std::uint32_t, std::uint32_t> persists;
    if (const auto same = last_.find(name); same != last_.end()) {
      match(named, same->second, frame.previous);
      persists = persisting(named, same->second, frame.previous, std::get<1>(name) == kTerrain);
    }
    for (const std::uint32_t manifold : named.manifolds) {
      ManifoldEvent event = event_of(name);
      event.manifold = manifold;
      if (const auto old = persists.find(manifold); old != persists.end()) {
        event.change = Change::persist;
        event.previous = old->second;
        gone_on_with.insert(old->second);
      }
      frame.events.push_back(event);
    }
  }
  for (const auto& [name, named] : last_)
    for (const std::uint32_t manifold : named.manifolds)
      if (!gone_on_with.contains(manifold)) {
        ManifoldEvent event = event_of(name);
        event.change = Change::end;
        event.previous = manifold;
        frame.events.push_back(event);
      }
  last_ = now;
}

}  // namespace oclide::reference
