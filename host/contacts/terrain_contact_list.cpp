#include "contacts/terrain_contact_list.hpp"

#include <algorithm>
#include <utility>

#include "threads/parallel_for.hpp"

namespace oclide {
namespace {

// Superseded records that are kept before all are looked through.
constexpr std::uint64_t kSpareTerrainRecords = 4096;

}  // namespace

void TerrainContactList::reset(std::size_t bodies) {
  of_body_.assign(bodies, {});
  records_.free();
  dropped_.clear();
  topology_changed_.clear();
}

void TerrainContactList::drop(std::span<const std::uint32_t> bodies) {
  for (const std::uint32_t body : bodies)
    if (std::exchange(of_body_[body], {}).count > 0) dropped_.push_back(body);
}

void TerrainContactList::clear() {
  dropped_.clear();
  records_.clear();
  parallel_for_ranges(of_body_.size(), std::size_t{1} << 16, [&](IndexRange range) {
    std::fill(of_body_.begin() + static_cast<std::ptrdiff_t>(range.begin()),
              of_body_.begin() + static_cast<std::ptrdiff_t>(range.end()), OfBody());
  });
}

void TerrainContactList::assign(std::span<const BodyRecord> slots, std::span<const std::uint32_t> offsets,
                                std::span<const std::uint32_t> manifolds) {
  const ContactRecord* records = records_.last().data();
  parallel_for(slots.size(), 4096, [&](std::size_t k) {
    // A slot without contacts may be without a body.
    if (offsets[k + 1] > offsets[k])
      of_body_[slots[k].body] = {records + offsets[k], offsets[k + 1] - offsets[k], manifolds[k]};
  });
}

void TerrainContactList::begin_update(std::span<const BodyRecord> moved) {
  before_update_.clear();
  topology_changed_ = std::exchange(dropped_, {});
  for (const BodyRecord& slot : moved) before_update_.push_back(std::exchange(of_body_[slot.body], {}));
}

void TerrainContactList::end_update(std::span<const BodyRecord> moved) {
  const auto same_manifold = [](const ContactRecord& a, const ContactRecord& b) { return a.manifold == b.manifold; };
  for (std::size_t k = 0; k < before_update_.size(); ++k) {
    const std::span<const ContactRecord> then = before_update_[k].contacts(), now = of_body_[moved[k].body].contacts();
    if (!std::equal(then.begin(), then.end(), now.begin(), now.end(), same_manifold))
      topology_changed_.push_back(moved[k].body);
  }
  if (records_.has_superseded(kSpareTerrainRecords)) drop_superseded();
}

// Gathers what is still in use of the records of many frames in one array.
void TerrainContactList::drop_superseded() {
  std::size_t count = 0;
  for (const OfBody& body : of_body_) count += body.count;
  KeptRecords<ContactRecord> used;
  ContactRecord* to = used.add(count).data();
  for (OfBody& body : of_body_) body.first = std::exchange(to, std::copy_n(body.first, body.count, to));
  records_.replace_by(std::move(used));
}

}  // namespace oclide
