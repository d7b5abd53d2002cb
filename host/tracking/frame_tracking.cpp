#include "tracking/frame_tracking.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <tuple>
#include <utility>

namespace oclide {
namespace {

constexpr opencl::Stage kTrackingStage = opencl::Stage::tracking;

auto name_of(const TrackedManifold& m) {
  return std::tuple(m.body_a, m.body_b, m.shapes);
}

// Numbers within a part to those within the frame.
void add_unless_none(std::uint32_t& number, std::uint32_t first) {
  if (number != kNone) number += first;
}

}  // namespace

FrameTracking::FrameTracking(opencl::Device& device) : tracking_(device) {
  now_.list.resize(1);
  last_.list.resize(1);
}

void FrameTracking::read(const FrameContacts& frame, Manifolds& manifolds) {
  const std::size_t count = frame.contacts.size();
  if (count >= kNone)
    throw Error(ErrorKind::device, std::to_string(count) + " contacts, more than tracking has numbers for");
  manifolds.list.clear();
  manifolds.features.resize(count);
  const auto end = static_cast<std::uint32_t>(count);
  for (std::uint32_t i = 0; i < end; ++i) {
    const Contact& c = frame.contacts[i];
    manifolds.features[i] = c.feature;
    if (i == 0 || c.manifold != frame.contacts[i - 1].manifold)
      manifolds.list.push_back({c.body_a, c.body_b, std::uint32_t{c.shape_a} << 16 | c.shape_b, i});
  }
  manifolds.list.push_back({kNone, kNone, kNone, end});
}

// Contacts of names with more than the device looks through one by one.
std::uint32_t FrameTracking::large(const Manifolds& manifolds, Range range) {
  std::uint32_t count = 0;
  for (std::uint32_t first = range.first, m = first; m < range.end; ++m) {
    if (m + 1 < range.end && name_of(manifolds.list[m + 1]) == name_of(manifolds.list[first])) continue;
    const std::uint32_t contacts = manifolds.list[m + 1].first - manifolds.list[first].first;
    count += contacts > ContactTracking::kFew ? contacts : 0;
    first = m + 1;
  }
  return count;
}

// Follows a part of a frame's manifolds as a frame of its own.
void FrameTracking::follow_uploaded(const Manifolds& from, Range range, opencl::StageTimer& timer) {
  const std::uint32_t first = from.list[range.first].first, end = from.list[range.end].first;
  tracking_.begin(range.count(), end - first);
  std::span<const TrackedManifold> manifolds(from.list.data() + range.first, range.count());
  if (first > 0) {
    part_.assign(manifolds.begin(), manifolds.end());
    for (TrackedManifold& m : part_) m.first -= first;
    manifolds = part_;
  }
  tracking_.manifolds().upload(manifolds, 0, &timer, kTrackingStage);
  tracking_.features().upload(std::span(from.features).subspan(first, end - first), 0, &timer, kTrackingStage);
  tracking_.follow(timer, large(from, range));
}

void FrameTracking::follow_part(Range now, Range last, FrameContacts& frame, opencl::StageTimer& timer) {
  if (!last_is_on_device_) {
    tracking_.forget();
    follow_uploaded(last_, last, timer);
    tracking_.keep();
  }
  follow_uploaded(now_, now, timer);

  const std::uint32_t first = now_.list[now.first].first, last_first = last_.list[last.first].first;
  const std::span previous = std::span(frame.previous).subspan(first, now_.list[now.end].first - first);
  tracking_.previous().download(previous, 0, &timer, kTrackingStage);
  changes_.resize(std::size_t{now.count()} + last.count());
  tracking_.changes().download(std::span(changes_).first(now.count()), 0, &timer, kTrackingStage);
  // As many ended as this frame's manifolds do not go on with.
  const auto persisting = std::count_if(changes_.begin(), changes_.begin() + now.count(),
                                        [](const auto& c) { return c.previous != kNone; });
  changes_.resize(changes_.size() - static_cast<std::size_t>(persisting));
  tracking_.changes().download(std::span(changes_).subspan(now.count()), now.count(), &timer, kTrackingStage);
  for (std::uint32_t& contact : previous) add_unless_none(contact, last_first);
  for (std::size_t k = 0; k < changes_.size(); ++k) {
    ManifoldEvent event = event_of(changes_[k]);
    add_unless_none(event.manifold, now.first);
    add_unless_none(event.previous, last.first);
    if (event.change == Change::end)
      ended_.push_back(event);
    else
      frame.events[now.first + k] = event;
  }
}

// In two parts, none of which has a part of a name, as long as the device has no room. False where it was one.
bool FrameTracking::follow_parts(Range now, Range last, FrameContacts& frame, opencl::StageTimer& timer) {
  Range now_first = now, last_first = last;
  try {
    follow_part(now, last, frame, timer);
    return false;
  } catch (const Error& e) {
    // The name in the middle of the longer range begins the second part, or, where it begins the first one, ends it.
    const bool by_now = now.count() >= last.count();
    const Range longer = by_now ? now : last;
    if (e.kind() != ErrorKind::device || longer.count() < 2) throw;
    const auto name = name_of((by_now ? now_ : last_).list[longer.first + longer.count() / 2]);
    const auto before = [&](const Manifolds& of, Range range, bool or_at) {
      const auto begin = of.list.begin() + range.first, end = of.list.begin() + range.end;
      return static_cast<std::uint32_t>(std::partition_point(begin, end,
                                                             [&](const TrackedManifold& m) {
                                                               return name_of(m) < name ||
                                                                      (or_at && name_of(m) == name);
                                                             }) -
                                        of.list.begin());
    };
    for (const bool or_at : {false, true}) {
      now_first.end = before(now_, now, or_at);
      last_first.end = before(last_, last, or_at);
      if (now_first.count() + last_first.count() > 0) break;
    }
    if (now_first.end == now.end && last_first.end == last.end) throw;
  }
  free_buffers();
  follow_parts(now_first, last_first, frame, timer);
  free_buffers();
  follow_parts({now_first.end, now.end}, {last_first.end, last.end}, frame, timer);
  return true;
}

void FrameTracking::follow(FrameContacts& frame, const std::function<void()>& make_room, opencl::StageTimer& timer) {
  read(frame, now_);
  const Range now{0, now_.count()}, last{0, last_.count()};
  frame.previous.resize(frame.contacts.size());
  frame.events.resize(now.count());
  ended_.clear();
  bool in_parts = false;
  try {
    follow_part(now, last, frame, timer);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::device) throw;
    free_buffers();
    make_room();
    ended_.clear();
    in_parts = follow_parts(now, last, frame, timer);
  }
  frame.events.insert(frame.events.end(), ended_.begin(), ended_.end());
  std::swap(now_, last_);
  if (in_parts) {
    free_buffers();
  } else {
    tracking_.keep();
    last_is_on_device_ = true;
  }
}

void FrameTracking::forget() {
  tracking_.forget();
  last_.list.resize(1);
  last_.list[0].first = 0;
  last_.features.clear();
  last_is_on_device_ = true;
}

void FrameTracking::free_buffers() {
  tracking_.free();
  last_is_on_device_ = last_.count() == 0;
}

}  // namespace oclide
