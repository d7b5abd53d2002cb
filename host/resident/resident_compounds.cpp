#include "resident/resident_compounds.hpp"

#include <bit>
#include <cstddef>
#include <vector>

#include "frame/slice.hpp"

namespace oclide {

using opencl::launch;

namespace {

constexpr opencl::Stage kCompoundStage = opencl::Stage::contact_reduction;

// As kernels/upload/compound_poses.cl reads it: doubles.
using LocalPose = CompoundBodies::LocalPose;
static_assert(sizeof(LocalPose) == LOCAL_POSE_NUMBERS * sizeof(double) && offsetof(LocalPose, position) == 0 &&
              offsetof(LocalPose, orientation) == 3 * sizeof(double));

}  // namespace

ResidentCompounds::ResidentCompounds(opencl::Device& device, const CompoundBodies& compounds)
    : device_(device),
      scan_(device),
      sort_(device),
      keys_kernel_(device.kernel("contact_reduction/compound_frame", "contact_reduction_compound_keys")),
      counts_kernel_(device.kernel("contact_reduction/compound_frame", "contact_reduction_compound_counts")),
      write_kernel_(device.kernel("contact_reduction/compound_frame", "contact_reduction_compound_write")),
      offsets_kernel_(device.kernel("contact_reduction/compound_frame", "contact_reduction_compound_offsets")),
      first_shapes_(device, "first shapes of bodies"),
      body_of_(device, "bodies of shapes"),
      local_of_(device, "indices of local poses"),
      local_poses_(device, "local poses of shapes"),
      centres_(device, "centres of shapes"),
      offsets_(device, "offsets of shapes"),
      keys_(device, "names of manifolds"),
      order_(device, "order of manifolds"),
      counts_(device, "contact counts of manifolds"),
      firsts_(device, "contact offsets of manifolds"),
      pairs_(device, "pairs of bodies"),
      total_(device, "total"),
      frame_(device) {
  std::vector<std::uint32_t> first_shapes, body_of, local_of;
  for (std::size_t i = 0; i < compounds.bodies(); ++i)
    first_shapes.push_back(static_cast<std::uint32_t>(compounds.first_part_of(i)));
  first_shapes.push_back(static_cast<std::uint32_t>(compounds.parts()));
  for (std::size_t k = 0; k < compounds.parts(); ++k) {
    body_of.push_back(compounds.body_of(k));
    local_of.push_back(static_cast<std::uint32_t>(compounds.local_pose_of(k)));
  }
  first_shapes_.assign(first_shapes);
  body_of_.assign(body_of);
  local_of_.assign(local_of);
  local_poses_.assign(compounds.local_poses());
  centres_.resize(3 * compounds.parts());
  offsets_.resize(3 * compounds.parts());
}

void ResidentCompounds::name(const FrameBuffers& shapes, opencl::StageTimer& timer) {
  const std::uint32_t manifolds = shapes.counts.manifolds;
  const auto body_count = static_cast<std::uint32_t>(bodies());
  const auto bits = static_cast<std::uint32_t>(std::bit_width(body_count));
  keys_.resize(manifolds);
  order_.resize(manifolds);
  counts_.resize(manifolds);
  pairs_.resize(1);
  frame_.contact_offsets.resize(bodies() + 1);
  frame_.manifold_offsets.resize(bodies() + 1);

  launch(device_, keys_kernel_, &timer, kCompoundStage, manifolds, kGroup, manifolds, body_count, bits,
         shapes.manifolds, body_of_, keys_, order_);
  sort_.run_u64(keys_, order_, manifolds, 2 * bits, kCompoundStage, &timer);
  pairs_.fill(0, 0, 1, &timer, kCompoundStage);
  launch(device_, counts_kernel_, &timer, kCompoundStage, manifolds, kGroup, manifolds, body_count, bits,
         shapes.manifolds, keys_, order_, counts_, pairs_);
  scan_.run_u32(counts_, firsts_, manifolds, total_, kCompoundStage, &timer);
  const std::uint32_t pairs = manifolds > 0 ? pairs_.read_one(0, &timer, kCompoundStage) : 0;
  frame_.set_counts({shapes.counts.contacts, manifolds, pairs, 0}, timer);
  launch(device_, write_kernel_, &timer, kCompoundStage, manifolds, kGroup, manifolds, shapes.manifolds,
         shapes.contacts, order_, firsts_, body_of_, first_shapes_, offsets_, frame_.contacts, frame_.manifolds);
  launch(device_, offsets_kernel_, &timer, kCompoundStage, bodies() + 1, kGroup, body_count + 1, first_shapes_,
         shapes.contact_offsets, shapes.manifold_offsets, frame_.contact_offsets, frame_.manifold_offsets);
}

void ResidentCompounds::download_points(const FrameBuffers& shapes, std::span<std::array<double, 3>> points) const {
  std::vector<oclide_device_contact> contacts(shapes.counts.contacts);
  std::vector<oclide_device_manifold> manifolds(shapes.counts.manifolds);
  std::vector<std::uint32_t> order(manifolds.size());
  std::vector<double> centres(centres_.size());
  shapes.contacts.download(contacts);
  shapes.manifolds.download(manifolds);
  order_.download(order);
  centres_.download(centres);
  std::size_t to = 0;
  for (const std::uint32_t m : order)
    for (std::uint32_t k = 0; k < manifolds[m].count; ++k, ++to) {
      const oclide_device_contact& contact = contacts[manifolds[m].first + k];
      for (std::size_t a = 0; a < 3; ++a)
        points[to][a] = centres[3 * std::size_t{contact.origin} + a] + static_cast<double>(contact.point[a]);
    }
}

void ResidentCompounds::free_work() {
  keys_.free();
  counts_.free();
  firsts_.free();
  sort_.free();
  scan_.free();
}

void ResidentCompounds::free() {
  free_work();
  order_.free();
  frame_.free();
}

}  // namespace oclide
