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
      touching_count_(device),
      touching_(device, "touching pairs of bodies"),
      offsets_(device, "offsets of touching pairs"),
      contact_counts_(device, "contact counts of pairs"),
      contact_offsets_(device, "contact offsets of pairs"),
      total_(device, "total"),
      ordered_(device, "touching pairs"),
      contacts_(device, "contacts of pairs"),
      tags_(device, "triangles of contacts of pairs"),
      crowd_offsets_(device, "offsets of bodies with many pairs"),
      crowd_keys_(device, "keys of bodies with many pairs"),
      crowd_indices_(device, "indices of bodies with many pairs"),
      crowd_(device, "pairs of bodies with many pairs") {
  touching_count_.resize(1);
  constexpr std::array kNames{"crowd_sizes", "crowd_keys", "crowd_take", "crowd_store"};
  for (std::size_t k = 0; k < kNames.size(); ++k)
    crowd_kernels_[k] = device.kernel("contact_reduction/pair_order", std::string("contact_reduction_") + kNames[k]);
}

void PairOrder::begin(const PairContacts& found, BodyPairs& pairs, const Sizes& size, std::uint32_t bodies,
                      opencl::Transfers* transfers, opencl::StageTimer& timer) {
  constexpr Stage kStage = Stage::contact_reduction;
  if (touching_.size() != bodies) is_used_up_ = false;
  touching_.resize(bodies);
  if (!is_used_up_) touching_.fill(0, 0, bodies, &timer, kStage);
  is_used_up_ = false;
  opencl::launch(device_, touching_kernel_, &timer, kStage, std::size_t{size.pairs} + size.others, kGroup, size.pairs,
                 size.others, size.stored, many(device_.info()), pairs.found, found.results(), touching_);
  scan_.run_u32(touching_, offsets_, bodies, total_, kStage, &timer);
  if (transfers != nullptr) total_.download_later(touching_count_, *transfers, 0, &timer, kStage);
}

void PairOrder::run(const PairContacts& found, BodyPairs& pairs, const Sizes& size, std::uint32_t bodies,
                    const opencl::Buffer<MeshTag>* tags, bool crowded, opencl::StageTimer& timer) {
  constexpr Stage kStage = Stage::contact_reduction;
  ordered_.resize(size.touching);
  contact_counts_.resize(size.touching);
  contacts_.resize(size.contacts);
  opencl::launch(device_, bucket_kernel_, &timer, kStage, std::size_t{size.pairs} + size.others, kGroup, size.pairs,
                 size.others, size.stored, bodies, size.touching, pairs.found, found.results(), touching_, offsets_,
                 ordered_);
  opencl::launch(device_, sort_kernel_, &timer, kStage, bodies, kGroup, bodies, many(device_.info()), size.touching,
                 offsets_, ordered_, contact_counts_);
  std::uint32_t crowd = 0;
  is_crowded_ = crowded;
  if (crowded) {
    opencl::launch(device_, crowd_kernels_[0], &timer, kStage, bodies, kGroup, bodies, many(device_.info()), offsets_,
                   touching_);
    scan_.run_u32(touching_, crowd_offsets_, bodies, total_, kStage, &timer);
    crowd = size.crowd > 0 ? size.crowd : static_cast<std::uint32_t>(total_.read_one(0, &timer, kStage));
    sort_crowd(pairs, size, crowd, bodies, tags != nullptr, timer);
  }
  scan_.run_u32(contact_counts_, contact_offsets_, size.touching, total_, kStage, &timer);
  if (tags != nullptr) {
    tags_.resize(size.contacts);
    opencl::launch(device_, tags_kernel_, &timer, kStage, size.touching, kGroup, size.touching, ordered_,
                   contact_offsets_, static_cast<cl_uint>(tags->size()), *tags, tags_);
  }
  opencl::launch(device_, gather_kernel_, &timer, kStage, size.touching, kGroup, size.pairs, size.stored, size.touching,
                 size.contacts, crowd, pairs.found, ordered_, contact_offsets_, found.store(), contacts_);
}

// The pairs of bodies with many of them, of which there is room for `crowd`.
void PairOrder::sort_crowd(BodyPairs& pairs, const Sizes& size, std::uint32_t crowd, std::uint32_t bodies,
                           bool has_meshes, opencl::StageTimer& timer) {
  constexpr Stage kStage = Stage::contact_reduction;
  auto& [sizes, keys, take, store] = crowd_kernels_;
  const cl_uint most = many(device_.info());
  const auto bits = static_cast<cl_uint>(std::bit_width(bodies));
  crowd_keys_.resize(crowd);
  crowd_indices_.resize(crowd);
  crowd_.resize(crowd);
  opencl::launch(device_, keys, &timer, kStage, std::max(size.touching, crowd), kGroup, bodies, size.touching, most,
                 bits, crowd, offsets_, crowd_offsets_, ordered_, pairs.found, crowd_keys_, crowd_indices_);
  sort_.run_u64(crowd_keys_, crowd_indices_, crowd, bits + static_cast<cl_uint>(std::bit_width(crowd / most + 1)),
                kStage, &timer);
  opencl::launch(device_, take, &timer, kStage, crowd, kGroup, bodies, size.touching, crowd, offsets_, crowd_offsets_,
                 crowd_indices_, ordered_, crowd_);
  opencl::launch(device_, store, &timer, kStage, crowd, kGroup, bodies, size.touching, crowd,
                 cl_uint{has_meshes ? 1U : 0U}, offsets_, crowd_offsets_, crowd_, ordered_, contact_counts_);
}

void PairOrder::free() {
  is_used_up_ = false;
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
