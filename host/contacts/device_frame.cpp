#include "contacts/device_frame.hpp"

#include <algorithm>

#include "frame/slice.hpp"

namespace oclide {

using opencl::Buffer;
using opencl::Stage;
using opencl::StageTimer;

namespace {

constexpr Stage kReduction = Stage::contact_reduction;

// As write_contact() in kernels/contact_reduction/device_frame.cl: without negative zeros.
template <class Record>
oclide_device_contact contact_of(const Record& from, std::uint32_t material, std::uint32_t body_a, std::uint32_t body_b,
                                 std::uint32_t origin, std::uint32_t manifold, std::uint32_t element,
                                 std::uint32_t flags) {
  oclide_device_contact contact{};
  for (std::size_t a = 0; a < 3; ++a) {
    contact.point[a] = from.point[a] + 0.0F;
    contact.normal[a] = from.normal[a] + 0.0F;
  }
  contact.depth = from.depth + 0.0F;
  contact.material = material;
  contact.body_a = body_a;
  contact.body_b = body_b;
  contact.origin = origin;
  contact.manifold = manifold;
  contact.feature = from.feature;
  contact.element = element;
  contact.flags = flags;
  return contact;
}

// Arrays that there are none of: another stands in for them.
struct OrOther {
  const Buffer<std::uint32_t>& other;
  template <class Array>
  cl::Buffer operator()(const Array* array) const {
    return array == nullptr ? other.get() : array->get();
  }
};

}  // namespace

FrameBuffers::FrameBuffers(opencl::Device& device)
    : contacts(device, "contacts of the frame"),
      manifolds(device, "manifolds of the frame"),
      contact_offsets(device, "contact offsets of bodies"),
      manifold_offsets(device, "manifold offsets of bodies"),
      device_counts(device, "counts of the frame") {}

void FrameBuffers::resize(const oclide_device_counts& of_frame) {
  counts = of_frame;
  contacts.resize(counts.contacts);
  manifolds.resize(counts.manifolds);
  device_counts.resize(1);
}

void FrameBuffers::set_counts(const oclide_device_counts& of_frame, StageTimer& timer) {
  resize(of_frame);
  device_counts.fill(counts, 0, 1, &timer, kReduction);
}

void FrameBuffers::free() {
  contacts.free();
  manifolds.free();
  contact_offsets.free();
  manifold_offsets.free();
}

FrameOnDevice::FrameOnDevice(opencl::Device& device)
    : device_(device),
      scan_(device),
      counts_kernel_(device.kernel("contact_reduction/device_frame", "contact_reduction_frame_counts")),
      contacts_kernel_(device.kernel("contact_reduction/device_frame", "contact_reduction_frame_contacts")),
      contact_counts_(device, "contact counts of bodies"),
      manifold_counts_(device, "manifold counts of bodies"),
      totals_(device, "total"),
      manifolds_host_(device),
      buffers_(device) {}

void FrameOnDevice::free() {
  contact_counts_.free();
  manifold_counts_.free();
  buffers_.free();
}

void FrameOnDevice::begin_merge(const Buffer<std::uint32_t>& slots, const TerrainContactsOnDevice& terrain,
                                const PairContactsOnDevice& pairs, opencl::Transfers& transfers, StageTimer& timer) {
  const auto bodies = static_cast<std::uint32_t>(slots.size());
  contact_counts_.resize(bodies);
  manifold_counts_.resize(bodies);
  manifolds_host_.resize(1);
  manifolds_host_[0] = 0;
  const OrOther or_slots{slots};
  opencl::launch(device_, counts_kernel_, &timer, kReduction, bodies, kGroup, bodies, pairs.manifolds,
                 or_slots(pairs.found), or_slots(pairs.offsets), or_slots(pairs.results),
                 cl_uint{terrain.contacts > 0 ? terrain.slots : 0}, slots, or_slots(terrain.outcomes), contact_counts_,
                 manifold_counts_);
  scan_.run_u32({{{contact_counts_, buffers_.contact_offsets}, {manifold_counts_, buffers_.manifold_offsets}}}, bodies,
                totals_, kReduction, &timer);
  totals_.download_later(manifolds_host_, transfers, 1, &timer, kReduction);
}

void FrameOnDevice::merge(const Buffer<std::uint32_t>& slots, const Buffer<std::uint8_t>& sensors,
                          const TerrainContactsOnDevice& terrain, const PairContactsOnDevice& pairs,
                          StageTimer& timer) {
  buffers_.resize({checked(std::uint64_t{terrain.contacts} + pairs.contacts, "contacts"),
                   checked(manifolds_host_[0], "manifolds"), pairs.pairs, 0});
  const cl_uint on_terrain = terrain.contacts > 0 ? terrain.slots : 0;
  const OrOther or_slots{slots};
  opencl::launch(device_, contacts_kernel_, &timer, kReduction,
                 std::max(std::size_t{pairs.manifolds} + on_terrain, std::size_t{1}), kGroup, pairs.manifolds,
                 on_terrain, buffers_.counts.contacts, buffers_.counts.manifolds, pairs.pairs, or_slots(pairs.offsets),
                 or_slots(pairs.results), or_slots(pairs.records), cl_uint{pairs.tags != nullptr ? 1U : 0U},
                 or_slots(pairs.tags), or_slots(terrain.bodies), or_slots(terrain.outcomes), or_slots(terrain.records),
                 static_cast<cl_uint>(sensors.size() > 0), sensors, slots, buffers_.contact_offsets,
                 buffers_.manifold_offsets, buffers_.contacts, buffers_.manifolds, buffers_.device_counts);
}

void FrameOnDevice::upload(std::span<const std::uint32_t> slots, std::span<const std::uint8_t> sensors,
                           const TerrainContactList& terrain, const PairList& pairs, StageTimer& timer) {
  std::vector<oclide_device_contact> contacts;
  std::vector<oclide_device_manifold> manifolds;
  std::vector<std::uint32_t> contact_offsets, manifold_offsets;
  const auto number = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
  const auto begin_manifold = [&](std::uint32_t body_a, std::uint32_t body_b) {
    manifolds.push_back({body_a, body_b, 0, 0, number(contacts), 0, 0});
  };
  const auto flags_of = [&](std::uint32_t body) {
    return !sensors.empty() && sensors[body] != 0 ? OCLIDE_DEVICE_SENSOR_CONTACT : 0U;
  };
  const std::span<const PairList::Part> parts = pairs.parts();
  std::vector<TouchingPair>::const_iterator pair;
  for (std::uint32_t body = 0; body < slots.size(); ++body) {
    contact_offsets.push_back(number(contacts));
    manifold_offsets.push_back(number(manifolds));
    const std::vector<TouchingPair>& own = parts[body / PairList::kBodiesOfPart].pairs;
    if (body % PairList::kBodiesOfPart == 0) pair = own.begin();
    for (; pair != own.end() && pair->body_a == body; ++pair) {
      begin_manifold(body, pair->body_b);
      const bool is_far = slots[body] == SLOT_HALF_SPACE || slots[body] == SLOT_MESH;
      const std::uint32_t origin = is_far ? pair->body_b : body;
      for (std::uint32_t k = 0; k < pair->count; ++k) {
        const MeshTag tag = pair->tags != nullptr ? pair->tags[k] : MeshTag{kNone, 0};
        contacts.push_back(contact_of(pair->contacts[k], tag.material, body, pair->body_b, origin,
                                      number(manifolds) - 1, tag.element, flags_of(body) | flags_of(pair->body_b)));
      }
      manifolds.back().count = pair->count;
    }
    const std::span<const ContactRecord> ground = terrain.of_body(body).contacts();
    for (std::size_t k = 0; k < ground.size(); ++k) {
      const ContactRecord& c = ground[k];
      if (k == 0 || c.manifold != ground[k - 1].manifold) begin_manifold(body, kTerrain);
      contacts.push_back(
          contact_of(c, c.material & 0xFFU, body, kTerrain, body, number(manifolds) - 1, kNone, flags_of(body)));
      ++manifolds.back().count;
    }
    (void)checked(contacts.size(), "contacts");
  }
  contact_offsets.push_back(number(contacts));
  manifold_offsets.push_back(number(manifolds));
  buffers_.set_counts({checked(contacts.size(), "contacts"), checked(manifolds.size(), "manifolds"),
                       static_cast<std::uint32_t>(pairs.count()), 0},
                      timer);
  buffers_.contacts.upload(contacts, 0, &timer, Stage::upload);
  buffers_.manifolds.upload(manifolds, 0, &timer, Stage::upload);
  buffers_.contact_offsets.assign(contact_offsets, &timer);
  buffers_.manifold_offsets.assign(manifold_offsets, &timer);
}

}  // namespace oclide
