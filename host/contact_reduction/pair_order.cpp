#include "contact_reduction/pair_order.hpp"

#include <algorithm>
#include <bit>

#include "frame/slice.hpp"

namespace oclide {

using opencl::Stage;

namespace {

// Of crowded bodies, that a GPU orders without keys: each looks at all of its body, which is done sooner than the
// launches of a sort.
constexpr std::uint32_t kFewOfCrowd = 4096;

}  // namespace

PairOrder::PairOrder(opencl::Device& device)
    : device_(device),
      scan_(device),
      sort_(device),
      touching_kernel_(device.kernel("contact_reduction/pair_order", "contact_reduction_touching")),
      bucket_kernel_(device.kernel("contact_reduction/pair_order", "contact_reduction_bucket")),
      sort_kernel_(device.kernel("contact_reduction/pair_order", "contact_reduction_sort_buckets")),
      gather_kernel_(device.kernel("contact_reduction/pair_order", "contact_reduction_gather_pairs")),
      tags_kernel_(device.kernel("contact_reduction/pair_order", "contact_reduction_gather_tags")),
      take_kernel_(device.kernel("contact_reduction/pair_order", "contact_reduction_crowd_take")),
      store_kernel_(device.kernel("contact_reduction/pair_order", "contact_reduction_crowd_store")),
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
  ordered_.resize(RESULT_HEAD + std::size_t{size.touching});
  contact_counts_.resize(size.touching);
  contacts_.resize(size.contacts);
  opencl::launch(device_, bucket_kernel_, &timer, kStage, std::size_t{size.pairs} + size.others, kGroup, size.pairs,
                 size.others, size.stored, bodies, size.touching, pairs.found, found.results(), touching_, offsets_,
                 ordered_);
  opencl::launch(device_, sort_kernel_, &timer, kStage, bodies, kGroup, bodies, many(device_.info()), size.touching,
                 cl_uint{crowded ? 1U : 0U}, offsets_, ordered_, contact_counts_, touching_);
  std::uint32_t crowd = 0;
  if (crowded) {
    scan_.run_u32(touching_, crowd_offsets_, bodies, total_, kStage, &timer);
    crowd = size.crowd > 0 ? size.crowd : static_cast<std::uint32_t>(total_.read_one(0, &timer, kStage));
    order_crowd(pairs, size, crowd, bodies, tags != nullptr, timer);
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
void PairOrder::order_crowd(BodyPairs& pairs, const Sizes& size, std::uint32_t crowd, std::uint32_t bodies,
                            bool has_meshes, opencl::StageTimer& timer) {
  constexpr Stage kStage = Stage::contact_reduction;
  const cl_uint most = many(device_.info()), sorts = device_.info().is_gpu && crowd <= kFewOfCrowd ? 0 : 1;
  const auto bits = static_cast<cl_uint>(std::bit_width(bodies));
  crowd_keys_.resize(sorts * std::size_t{crowd});
  crowd_indices_.resize(sorts * std::size_t{crowd});
  crowd_.resize(crowd);
  opencl::launch(device_, take_kernel_, &timer, kStage, std::max({size.touching, crowd, bodies}), kGroup, bodies,
                 size.touching, most, bits, sorts, crowd, offsets_, crowd_offsets_, touching_, ordered_, pairs.found,
                 crowd_, crowd_keys_, crowd_indices_);
  if (sorts != 0)
    sort_.run_u64(crowd_keys_, crowd_indices_, crowd, bits + static_cast<cl_uint>(std::bit_width(crowd / most + 1)),
                  kStage, &timer);
  opencl::launch(device_, store_kernel_, &timer, kStage, crowd, kGroup, bodies, size.touching, crowd,
                 cl_uint{has_meshes ? 1U : 0U}, sorts, offsets_, crowd_offsets_, crowd_, crowd_indices_, ordered_,
                 contact_counts_);
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
