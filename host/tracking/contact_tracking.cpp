#include "tracking/contact_tracking.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "frame/slice.hpp"

namespace oclide {

using opencl::launch;

namespace {

constexpr opencl::Stage kContactTrackingStage = opencl::Stage::tracking;

}  // namespace

ContactTracking::Frame::Frame(opencl::Device& device)
    : manifolds(device, "tracked manifolds"),
      features(device, "tracked features"),
      manifold_of(device, "manifolds of tracked contacts"),
      large_offsets(device, "offsets of large manifolds"),
      large(device, "contacts of large manifolds by feature"),
      large_contacts(device, "contacts of large manifolds") {}

void ContactTracking::Frame::resize(std::uint32_t manifold_count, std::uint32_t contact_count) {
  manifolds.resize(manifold_count);
  features.resize(contact_count);
  manifold_of.resize(contact_count);
  count = manifold_count;
  contacts = contact_count;
}

void ContactTracking::Frame::free() {
  manifolds.free();
  features.free();
  manifold_of.free();
  large_offsets.free();
  large.free();
  large_contacts.free();
  count = contacts = 0;
}

ContactTracking::ContactTracking(opencl::Device& device)
    : device_(device),
      scan_(device),
      sort_(device),
      names_kernel_(device.kernel("tracking/contact_tracking", "tracking_names")),
      large_kernel_(device.kernel("tracking/contact_tracking", "tracking_large")),
      contacts_kernel_(device.kernel("tracking/contact_tracking", "tracking_contacts")),
      persist_kernel_(device.kernel("tracking/contact_tracking", "tracking_persist")),
      changes_kernel_(device.kernel("tracking/contact_tracking", "tracking_changes")),
      slots_kernel_(device.kernel("tracking/contact_tracking", "tracking_carry_slots")),
      now_(device),
      last_(device),
      names_(device, "names of manifolds"),
      large_counts_(device, "counts of large manifolds"),
      large_total_(device, "contacts of large manifolds in all"),
      previous_(device, "previous contacts"),
      continues_(device, "previous manifolds"),
      ended_(device, "ended manifolds"),
      ended_offsets_(device, "offsets of ended manifolds"),
      total_(device, "total"),
      ended_count_(device, "number of ended manifolds"),
      changes_(device, "changes of manifolds") {}

ManifoldEvent event_of(const ManifoldChange& c) {
  ManifoldEvent event;
  event.body_a = c.body_a;
  event.body_b = c.body_b;
  event.shape_a = static_cast<std::uint16_t>(c.shapes >> 16);
  event.shape_b = static_cast<std::uint16_t>(c.shapes & 0xFFFFU);
  event.change = static_cast<Change>(c.change);
  event.manifold = c.manifold;
  event.previous = c.previous;
  return event;
}

void ContactTracking::begin(std::uint32_t manifolds, std::uint32_t contacts) {
  now_.resize(manifolds, contacts);
}

// Sorts the contacts of names that have many by name and feature; in order of their numbers where both are equal.
void ContactTracking::sort_large(std::uint32_t large, opencl::StageTimer& timer) {
  scan_.run_u32(large_counts_, now_.large_offsets, now_.count, total_, kContactTrackingStage, &timer);
  now_.large.resize(large);
  now_.large_contacts.resize(large);
  launch(device_, large_kernel_, &timer, kContactTrackingStage, now_.count, kGroup, now_.count, now_.contacts,
         now_.manifolds, names_, now_.features, now_.large_offsets, now_.large, now_.large_contacts);
  sort_.run_u64(now_.large, now_.large_contacts, large, 32 + static_cast<unsigned>(std::bit_width(large)),
                kContactTrackingStage, &timer);
}

void ContactTracking::follow(opencl::StageTimer& timer, std::optional<std::uint32_t> large) {
  names_.resize(now_.count);
  large_counts_.resize(now_.count);
  large_total_.resize(1);
  previous_.resize(now_.contacts);
  continues_.resize(now_.count);
  ended_.resize(last_.count);
  changes_.resize(std::size_t{now_.count} + last_.count);

  if (!large) large_total_.fill(0, 0, 1, &timer, kContactTrackingStage);
  launch(device_, names_kernel_, &timer, kContactTrackingStage, std::max(now_.count, last_.count), kGroup, now_.count,
         now_.contacts, now_.manifolds, last_.count, last_.manifolds, kFew, names_, now_.manifold_of, large_counts_,
         large_total_, ended_);
  if (now_.count > 0) {
    if (!large) large = large_total_.read_one(0, &timer, kContactTrackingStage);
    if (*large > 0) sort_large(*large, timer);
    launch(device_, contacts_kernel_, &timer, kContactTrackingStage, now_.contacts, kGroup, kFew, now_.count,
           now_.contacts, now_.manifolds, now_.features, now_.large_offsets, now_.large, now_.large_contacts,
           last_.count, last_.contacts, last_.manifolds, last_.features, last_.large_offsets, last_.large,
           last_.large_contacts, names_, now_.manifold_of, previous_);
  }
  launch(device_, persist_kernel_, &timer, kContactTrackingStage, now_.count, kGroup, now_.count, now_.contacts,
         now_.manifolds, names_, last_.manifold_of, previous_, continues_, ended_);
  scan_.run_u32(ended_, ended_offsets_, last_.count, ended_count_, kContactTrackingStage, &timer);
  launch(device_, changes_kernel_, &timer, kContactTrackingStage, std::size_t{now_.count} + last_.count, kGroup,
         now_.count, now_.manifolds, continues_, last_.count, last_.manifolds, ended_, ended_offsets_, changes_);
}

void ContactTracking::carry_slots(const cl::Buffer& last_slots, const cl::Buffer& slots, opencl::StageTimer& timer) {
  launch(device_, slots_kernel_, &timer, kContactTrackingStage, now_.contacts, kGroup, now_.contacts, previous_,
         last_slots, slots);
}

void ContactTracking::keep() {
  std::swap(now_, last_);
}

void ContactTracking::forget() {
  last_.count = last_.contacts = 0;
}

void ContactTracking::free_results() {
  device_.finish();
  scan_.free();
  sort_.free();
  now_.free();
  names_.free();
  for (auto* buffer : {&large_counts_, &large_total_, &previous_, &continues_, &ended_, &ended_offsets_})
    buffer->free();
  changes_.free();
  total_.free();
  ended_count_.free();
}

void ContactTracking::free() {
  free_results();
  last_.free();
}

}  // namespace oclide
