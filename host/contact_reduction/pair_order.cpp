#include "contact_reduction/pair_order.hpp"

#include <array>
#include <bit>
#include <string>

#include "frame/slice.hpp"

namespace oclide {

using opencl::Stage;

PairOrder::PairOrder(opencl::Device& device)
    : device_(device),
      scan_(device),
      sort_(device),
      touching_kernel_(device.kernel("contact_reduction/pair_order", "contact_reduction_touching")),
      bucket_kernel_(device.kernel("contact_reduction/pair_order", "contact_reduction_bucket")),
      sort_kernel_(device.kernel("contact_reduction/pair_order", "contact_reduction_sort_buckets")),
      gather_kernel_(device.kernel("contact_reduction/pair_order", "contact_reduction_gather_pairs")),
      tags_kernel_(device.kernel("contact_reduction/pair_order", "contact_reduction_gather_tags")),
      touching_(device, "touching pairs of bodies"),
      offsets_(device, "offsets of touching pairs"),
      contact_counts_(device, "contact counts of pairs"),
      contact_offsets_(device, "contact offsets of pairs"),
      total_(device, "total"),
      touching_count_(device),
      has_crowd_(device),
      ordered_(device, "touching pairs"),
      contacts_(device, "contacts of pairs"),
      tags_(device, "triangles of contacts of pairs"),
      crowd_offsets_(device, "offsets of bodies with many pairs"),
      crowd_keys_(device, "keys of bodies with many pairs"),
      crowd_indices_(device, "indices of bodies with many pairs"),
      crowd_(device, "pairs of bodies with many pairs") {
  touching_count_.resize(1);
  has_crowd_.resize(1);
  constexpr std::array kNames{"crowd_sizes", "crowd_keys", "crowd_take", "crowd_store"};
  for (std::size_t k = 0; k < kNames.size(); ++k)
    crowd_kernels_[k] = device.kernel("contact_reduction/pair_order", std::string("contact_reduction_") + kNames[k]);
}

void PairOrder::begin(const PairContacts& found, std::uint32_t count, std::uint32_t bodies,
                      opencl::Transfers& transfers, opencl::StageTimer& timer) {
  constexpr Stage kStage = Stage::contact_reduction;
  touching_.resize(std::size_t{bodies} + 1);
  touching_.fill(0, 0, std::size_t{bodies} + 1, &timer, kStage);
  opencl::launch(device_, touching_kernel_, &timer, kStage, count, kGroup, count, bodies, many(device_.info()),
                 found.results(), touching_);
  scan_.run_u32(touching_, offsets_, bodies, total_, kStage, &timer);
  total_.download_later(touching_count_, transfers, 0, &timer, kStage);
  touching_.download_later(has_crowd_, transfers, bodies, &timer, kStage);
}

void PairOrder::run(const PairContacts& found, std::uint32_t count, std::uint32_t contact_count, std::uint32_t bodies,
                    const opencl::Buffer<MeshTag>* tags, opencl::StageTimer& timer) {
  constexpr Stage kStage = Stage::contact_reduction;
  const auto touching = static_cast<std::uint32_t>(touching_count_[0]);
  ordered_.resize(touching);
  contact_counts_.resize(touching);
  contacts_.resize(contact_count);
  opencl::launch(device_, bucket_kernel_, &timer, kStage, count, kGroup, count, found.results(), touching_, offsets_,
                 ordered_);
  opencl::launch(device_, sort_kernel_, &timer, kStage, bodies, kGroup, bodies, many(device_.info()), offsets_,
                 ordered_, contact_counts_);
  if (has_crowd_[0] > 0) sort_crowd(touching, bodies, tags != nullptr, timer);
  scan_.run_u32(contact_counts_, contact_offsets_, touching, total_, kStage, &timer);
  if (tags != nullptr) {
    tags_.resize(contact_count);
    opencl::launch(device_, tags_kernel_, &timer, kStage, touching, kGroup, touching, ordered_, contact_offsets_,
                   static_cast<cl_uint>(tags->size()), *tags, tags_);
  }
  opencl::launch(device_, gather_kernel_, &timer, kStage, touching, kGroup, touching, ordered_, contact_offsets_,
                 found.store(), contacts_);
}

// The pairs of bodies with many of them.
void PairOrder::sort_crowd(std::uint32_t touching, std::uint32_t bodies, bool has_meshes, opencl::StageTimer& timer) {
  constexpr Stage kStage = Stage::contact_reduction;
  auto& [sizes, keys, take, store] = crowd_kernels_;
  opencl::launch(device_, sizes, &timer, kStage, bodies, kGroup, bodies, many(device_.info()), offsets_, touching_);
  scan_.run_u32(touching_, crowd_offsets_, bodies, total_, kStage, &timer);
  const auto pairs = static_cast<std::uint32_t>(total_.read_one(0, &timer, kStage));
  const auto bits = static_cast<cl_uint>(std::bit_width(bodies));
  crowd_keys_.resize(pairs);
  crowd_indices_.resize(pairs);
  crowd_.resize(pairs);
  opencl::launch(device_, keys, &timer, kStage, touching, kGroup, touching, many(device_.info()), bits, offsets_,
                 crowd_offsets_, ordered_, crowd_keys_, crowd_indices_);
  sort_.run_u64(crowd_keys_, crowd_indices_, pairs, 2 * bits, kStage, &timer);
  opencl::launch(device_, take, &timer, kStage, pairs, kGroup, pairs, crowd_indices_, ordered_, crowd_);
  opencl::launch(device_, store, &timer, kStage, pairs, kGroup, pairs, cl_uint{has_meshes ? 1U : 0U}, offsets_,
                 crowd_offsets_, crowd_, ordered_, contact_counts_);
}

void PairOrder::free() {
  for (auto* buffer : {&touching_, &offsets_, &contact_counts_, &contact_offsets_, &crowd_offsets_, &crowd_indices_})
    buffer->free();
  crowd_keys_.free();
  crowd_.free();
  sort_.free();
  ordered_.free();
  contacts_.free();
  tags_.free();
}

}  // namespace oclide
