#include "contact_reduction/pair_order.hpp"

#include "slice.hpp"

namespace oclide {

using opencl::Stage;

PairOrder::PairOrder(opencl::Device& device)
    : device_(device),
      scan_(device),
      touching_kernel_(device.kernel("contact_reduction/pair_order", "contact_reduction_touching")),
      bucket_kernel_(device.kernel("contact_reduction/pair_order", "contact_reduction_bucket")),
      sort_kernel_(device.kernel("contact_reduction/pair_order", "contact_reduction_sort_buckets")),
      gather_kernel_(device.kernel("contact_reduction/pair_order", "contact_reduction_gather_pairs")),
      touching_(device, "touching pairs of bodies"),
      offsets_(device, "offsets of touching pairs"),
      contact_counts_(device, "contact counts of pairs"),
      contact_offsets_(device, "contact offsets of pairs"),
      total_(device, "total"),
      ordered_(device, "touching pairs"),
      contacts_(device, "contacts of pairs") {}

void PairOrder::run(const PairContacts& found, std::uint32_t count, std::uint32_t contact_count, std::uint32_t bodies,
                    opencl::StageTimer& timer) {
  constexpr Stage kStage = Stage::contact_reduction;
  touching_.resize(bodies);
  touching_.fill(0, 0, bodies, &timer, kStage);
  opencl::launch(device_, touching_kernel_, &timer, kStage, count, kGroup, count, found.results(), touching_);
  scan_.run_u32(touching_, offsets_, bodies, total_, kStage, &timer);
  const auto touching = static_cast<std::uint32_t>(total_.read_one(0, &timer, kStage));
  ordered_.resize(touching);
  contact_counts_.resize(touching);
  contacts_.resize(contact_count);
  opencl::launch(device_, bucket_kernel_, &timer, kStage, count, kGroup, count, found.results(), touching_, offsets_,
                 ordered_);
  opencl::launch(device_, sort_kernel_, &timer, kStage, bodies, kGroup, bodies, offsets_, ordered_, contact_counts_);
  scan_.run_u32(contact_counts_, contact_offsets_, touching, total_, kStage, &timer);
  opencl::launch(device_, gather_kernel_, &timer, kStage, touching, kGroup, touching, ordered_, contact_offsets_,
                 found.store(), contacts_);
}

void PairOrder::free() {
  for (auto* buffer : {&touching_, &offsets_, &contact_counts_, &contact_offsets_}) buffer->free();
  ordered_.free();
  contacts_.free();
}

}  // namespace oclide
