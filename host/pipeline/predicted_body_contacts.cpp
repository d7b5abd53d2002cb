// The part of BodyContacts that sends frames off with room for what the frame before had.
#include <algorithm>

#include "frame/slice.hpp"
#include "pipeline/body_contacts.hpp"

namespace oclide {
namespace {

constexpr std::size_t kCommandsByKind = 2;  // that bring the pairs of each kind together

}  // namespace

// Capacity for what the last whole frame had; for moved bodies what so many had on average in that one, or in the last
// one like this. False where there were no pairs, or there are meshes, whose part of a frame waits for sizes of its
// own.
bool BodyContacts::predict_capacity() {
  if (last_.found.pairs == 0 || meshes_.has_meshes()) return false;
  expected_ = last_;
  if (const std::uint64_t moved = input_->moved.size(); plan_.is_of_moved()) {
    const auto of_moved = [&](std::uint32_t whole, std::uint32_t last) {
      const std::uint64_t average = std::max(share_of(moved, scene_.bodies.leaves, std::uint64_t{2} * whole),
                                             share_of(moved, last_moved_.bodies, last));
      return static_cast<std::uint32_t>(std::min<std::uint64_t>(average, 0xFFFFFFFEU));
    };
    expected_.found.pairs = of_moved(last_.found.pairs, last_moved_.found.pairs);
    expected_.found.stored = of_moved(last_.found.stored, last_moved_.found.stored);
    for (std::size_t k = 0; k < expected_.of_kinds.size(); ++k)
      expected_.of_kinds[k] = of_moved(last_.of_kinds[k], last_moved_.of_kinds[k]);
  }
  PairOrder::Sizes& expected = expected_.found;
  host_orders_ = plan_.is_of_moved() || may_order_on_host(expected.pairs);
  // More work-items than there were leave more slots of their last blocks empty; where that was not enough, by as many
  // as it would have been.
  const std::uint32_t empty = device_.info().is_gpu ? 0 : expected.pairs / 8;
  expected.stored = std::max(std::min(expected.stored, 0xFFFFFFFEU - empty) + empty, most_stored_);
  capacity_ = {ample_capacity(expected.pairs, pairs_.capacity()),
               0,
               narrow_.capacity(std::max(ample_capacity(expected.stored, 0), kFirstRoom)),
               ample_capacity(expected.touching, order_.capacity()),
               ample_capacity(expected.contacts, order_.contact_capacity()),
               is_crowded_ ? ample_capacity(expected.crowd, 0) : 0};
  return true;
}

// Sends off what finds pairs and their contacts, within capacity_, and reads them.
void BodyContacts::launch_all(opencl::StageTimer& timer) {
  const std::uint32_t pairs = capacity_.pairs;
  search_.launch(leaves(), pairs, pairs_, timer);
  // On a GPU a kernel for each kind that there may be is more commands than to ask for those that there are.
  has_kinds_ = std::max(pairs, capacity_.stored) > kFewPairs ||
               (device_.info().is_gpu && narrow_.possible_kinds().size() > seen_kinds_.count() + kCommandsByKind);
  if (!has_kinds_) {
    narrow_.launch(pairs_, pairs, capacity_.stored, std::nullopt, timer);
  } else {
    search_.launch_order(pairs, seen_kinds_, pairs_, timer);
    // The kernels of all kinds that the scene has had pairs of, be it long ago.
    PairContacts::OfKinds of_kinds{};
    for (std::size_t k = 0; k < of_kinds.size(); ++k)
      if (seen_kinds_[k]) of_kinds[k] = predicted_capacity(expected_.of_kinds[k], pairs);
    narrow_.launch(pairs_, pairs, capacity_.stored, of_kinds, timer);
  }
  if (!host_orders_) {
    order_.begin(narrow_, pairs_, capacity_, scene_.bodies.count(), nullptr, timer);
    order_.run(narrow_, pairs_, capacity_, scene_.bodies.count(), nullptr, is_crowded_, timer);
  }
  if (plan_.stays_on_device()) return narrow_.begin_readback(pairs_, transfers_, timer);
  const PairOrder::Sizes& expected = expected_.found;
  if (host_orders_)
    begin_readback(expected_to_come(expected.pairs, pairs), expected_to_come(expected.stored, capacity_.stored), timer);
  else
    begin_readback(expected_to_come(expected.touching, capacity_.touching),
                   expected_to_come(expected.contacts, capacity_.contacts), timer);
}

// Begins to read what was found, and so many results and records, those in order where there are any in order.
void BodyContacts::begin_readback(std::uint32_t results, std::uint32_t records, opencl::StageTimer& timer) {
  if (!host_orders_) check_host_memory(scene_.tree.groups(), results, records);
  narrow_.begin_readback(pairs_, host_orders_ ? narrow_.results() : order_.pairs(), results, transfers_, timer);
  KeptRecords<PairContactRecord>::Array& to = list_.records().add(records);
  (host_orders_ ? narrow_.store() : order_.contacts()).download_later(to, transfers_, 0, &timer);
}

// Takes what was found; false where there was no room for it, or it did not come.
bool BodyContacts::finish_predicted(opencl::StageTimer& timer) {
  if (!transfers_.settle()) return false;
  PairOrder::Sizes found{narrow_.pairs(), 0, narrow_.stored()};
  found.touching = host_orders_ ? narrow_.pairs() : narrow_.touching();
  found.contacts = narrow_.found();
  found.crowd = narrow_.crowd();
  const PairOrder::Sizes& room = capacity_;
  bool fits = found.pairs <= room.pairs && found.stored <= room.stored && !narrow_.missed_any();
  if (!host_orders_)
    fits = fits && found.touching <= room.touching && found.contacts <= room.contacts &&
           (narrow_.crowded() == 0 || (is_crowded_ && found.crowd <= room.crowd));
  const std::uint32_t results = host_orders_ ? found.pairs : found.touching;
  const std::uint32_t records = host_orders_ ? found.stored : found.contacts;
  if (!plan_.stays_on_device()) {
    const bool all_came = results <= narrow_.results_read().size() && records <= list_.records().last().size();
    if (!fits || !all_came) list_.records().cut(0);
    if (fits && !all_came && host_orders_) fits = false;  // the other half may have its memory by now
    if (fits && !all_came) {
      begin_readback(results, records, timer);
      transfers_.wait();
    }
  }
  if (found.stored > expected_.found.stored || found.stored < most_stored_ / 2) most_stored_ = found.stored;
  if (plan_.is_of_moved() || fits) note(found);
  if (!fits) return false;
  if (!host_orders_) order_.confirm();
  if (plan_.stays_on_device()) {
    on_device_ = order_on_device(found.touching, found.contacts);
    on_device_->is_as_sent_off = true;
    return true;
  }
  list_.records().cut(records);
  const std::span<const PairResult> of_pairs = narrow_.results_read().first(results);
  if (!host_orders_) {
    list_.add(of_pairs, list_.records().last().data(), {});
    return true;
  }
  select_touching(of_pairs);
  if (!plan_.is_of_moved()) add_touching();
  return true;
}

// What the frame came to.
void BodyContacts::note(const PairOrder::Sizes& found) {
  Sizes& last = plan_.is_of_moved() ? last_moved_ : last_;
  last.bodies = plan_.is_of_moved() ? input_->moved.size() : scene_.bodies.leaves;
  last.found = found;
  if (has_kinds_) last.of_kinds = narrow_.of_kinds();
  for (std::size_t k = 0; k < last.of_kinds.size(); ++k)
    if (last.of_kinds[k] > 0) seen_kinds_.set(k);
}

}  // namespace oclide
