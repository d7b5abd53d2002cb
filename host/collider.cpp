// The pipeline on an OpenCL device, top to bottom:
//   poses -> upload -> broad phase (ranges, candidates) -> narrow phase (count, write) -> contact reduction -> contacts
// Every output is counted, its place found by a scan, then written: nothing has a fixed capacity. When a frame does
// not fit in the device's memory the bodies are worked through in slices, with the same result.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>

#include "backend.hpp"
#include "opencl/buffer.hpp"
#include "opencl/device.hpp"
#include "opencl/launch.hpp"
#include "primitives/exclusive_scan.hpp"
#include "shared/abi.h"
#include "terrain/terrain_buffers.hpp"

namespace oclide {
namespace {

using opencl::Buffer;
using opencl::Stage;
using opencl::StageTimer;

constexpr std::array kTerrainShapes{Shape::sphere, Shape::box, Shape::cylinder, Shape::capsule};
constexpr std::array kTerrainStems{"sphere_terrain", "box_terrain", "cylinder_terrain", "capsule_terrain"};
constexpr std::size_t kShapes = kTerrainShapes.size();

constexpr std::size_t kGroup = 64;           // work-items of a group
constexpr std::size_t kChunkSites = 64;      // as CHUNK_SITES in kernels/broad_phase/terrain_candidates.cl
constexpr std::uint32_t kFirstStore = 4096;  // contacts that there is room for at first
// Sites of a slice at most: their candidates, counted in 32 bits, take 16 bytes each.
constexpr std::uint64_t kSliceSites = std::uint64_t{1} << 28;

// Raised inside a slice that has more than 32-bit indices can hold; answered by halving it.
struct SliceTooLarge {
  std::string what;
};

// The poses of one frame on the device, and on their way there.
struct DevicePoses {
  explicit DevicePoses(opencl::Device& device)
      : high(device, "positions"), low(device, "positions (low parts)"), orientation(device, "orientations") {}

  std::vector<float> staging_high, staging_low, staging_orientation;
  Buffer<float> high, low, orientation;
  std::vector<cl::Event> uploads;  // of the transfer queue, still to be waited for
};

class OpenClCollider final : public Collider::Backend {
 public:
  OpenClCollider(const Settings& settings, const DeviceInfo& info);

  [[nodiscard]] const DeviceInfo& device() const override { return device_.info(); }
  void set_scene(const Scene& scene) override;
  void update_heights(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                      std::size_t cols, std::span<const double> heights) override {
    terrains_.update(terrain, first_row, first_col, rows, cols, heights);
  }
  [[nodiscard]] FrameContacts collide(const Poses& poses) override;
  [[nodiscard]] Collider::StagedPoses stage(const Poses& poses) override;
  [[nodiscard]] FrameContacts collide_staged(Collider::StagedPoses staged) override;

 private:
  struct StagedOnDevice final : Collider::Staged {
    std::unique_ptr<DevicePoses> device;
  };

  // The reduced contacts of slots [first, last).
  struct Slice {
    std::uint32_t first, last;
    std::vector<std::uint32_t> offsets;  // last - first + 1
    std::vector<std::uint32_t> manifolds;
    std::vector<ContactRecord> contacts;
  };

  std::unique_ptr<DevicePoses> begin_upload(const Poses& poses);
  FrameContacts collide_uploaded(const Poses& poses, std::unique_ptr<DevicePoses> uploaded);
  std::uint64_t find_ranges();
  void work_through(std::uint32_t first, std::uint32_t last, FrameContacts& frame);
  void process(std::uint32_t first, std::uint32_t last, std::uint64_t first_site, std::uint64_t last_site,
               FrameContacts& frame);
  std::uint32_t find_candidates(std::uint32_t first, std::uint32_t last, std::uint64_t first_site,
                                std::uint64_t last_site);
  std::uint32_t narrow_phase(const std::array<std::uint32_t, kShapes + 1>& bounds);
  void assemble(const Poses& poses, FrameContacts& frame);
  void free_slice_buffers();
  static std::uint32_t checked(std::uint64_t count, const char* what);

  opencl::Device device_;
  float margin_;
  primitives::ExclusiveScan scan_;
  TerrainBuffers terrains_;
  cl::Kernel range_kernel_, sites_kernel_, candidates_kernel_, order_kernel_, reduction_kernel_, gather_kernel_;
  std::array<cl::Kernel, kShapes> narrow_kernels_;

  // Scene.
  std::size_t body_count_ = 0;
  std::vector<BodyRecord> bodies_host_;                   // by slot
  std::array<std::uint32_t, kShapes + 1> shape_begin_{};  // first slot of each shape
  std::vector<std::uint32_t> slot_of_body_;               // or kNoSlot
  static constexpr std::uint32_t kNoSlot = 0xFFFFFFFFU;
  Buffer<BodyRecord> bodies_;

  // Frame.
  StageTimer timer_;
  std::unique_ptr<DevicePoses> poses_;  // of the frame at work
  std::mutex spare_mutex_;
  std::vector<std::unique_ptr<DevicePoses>> spare_poses_;
  Buffer<PlaceRecord> places_;
  Buffer<std::uint32_t> site_counts_;
  Buffer<std::uint64_t> site_offsets_;
  Buffer<std::uint64_t> total_;
  std::vector<std::uint64_t> site_offsets_host_;  // only where the frame is cut into slices

  // Slice.
  Buffer<std::uint64_t> kept_bits_;  // of the sites of each chunk
  Buffer<std::uint32_t> kept_in_chunk_, chunk_offsets_;
  Buffer<std::uint32_t> candidate_slots_, candidate_sites_, first_candidate_;
  Buffer<std::uint32_t> contact_counts_, contact_offsets_;
  Buffer<std::uint32_t> stored_, store_candidates_;
  Buffer<ContactRecord> store_, contacts_, gathered_;
  Buffer<std::uint32_t> kept_, kept_offsets_, manifolds_, unreduced_;
  std::vector<Slice> slices_;
};

OpenClCollider::OpenClCollider(const Settings& settings, const DeviceInfo& info)
    : device_(settings, info),
      margin_(static_cast<float>(settings.margin)),
      scan_(device_),
      terrains_(device_),
      range_kernel_(device_.kernel("broad_phase/terrain_range", "broad_phase_terrain_range")),
      sites_kernel_(device_.kernel("broad_phase/terrain_candidates", "broad_phase_terrain_sites")),
      candidates_kernel_(device_.kernel("broad_phase/terrain_candidates", "broad_phase_terrain_candidates")),
      order_kernel_(device_.kernel("narrow_phase/contact_order", "narrow_phase_contact_order")),
      reduction_kernel_(device_.kernel("contact_reduction/body_contacts", "contact_reduction_body_contacts")),
      gather_kernel_(device_.kernel("contact_reduction/gather", "contact_reduction_gather")),
      bodies_(device_, "bodies"),
      places_(device_, "places on the terrain"),
      site_counts_(device_, "site counts"),
      site_offsets_(device_, "site offsets"),
      total_(device_, "total"),
      kept_bits_(device_, "chunk bits"),
      kept_in_chunk_(device_, "chunk counts"),
      chunk_offsets_(device_, "chunk offsets"),
      candidate_slots_(device_, "candidate bodies"),
      candidate_sites_(device_, "candidate sites"),
      first_candidate_(device_, "candidate offsets"),
      contact_counts_(device_, "contact counts"),
      contact_offsets_(device_, "contact offsets"),
      stored_(device_, "stored contacts"),
      store_candidates_(device_, "candidates of contacts"),
      store_(device_, "contacts as found"),
      contacts_(device_, "contacts"),
      gathered_(device_, "reduced contacts"),
      kept_(device_, "reduced counts"),
      kept_offsets_(device_, "reduced offsets"),
      manifolds_(device_, "manifold counts"),
      unreduced_(device_, "unreduced counts") {
  for (std::size_t s = 0; s < kShapes; ++s)
    narrow_kernels_[s] = device_.kernel(std::string("narrow_phase/") + kTerrainStems[s],
                                        std::string("narrow_phase_") + kTerrainStems[s]);
}

void OpenClCollider::set_scene(const Scene& scene) {
  const Bodies& b = scene.bodies;
  // What the scene before needed may be more than this one leaves room for.
  free_slice_buffers();
  poses_.reset();
  spare_poses_.clear();
  body_count_ = b.count();
  bodies_host_.clear();
  slot_of_body_.assign(body_count_, kNoSlot);
  // Slots: the bodies that can meet terrain, shape after shape, so that one kernel does one kind.
  for (std::size_t s = 0; s < kShapes; ++s) {
    shape_begin_[s] = static_cast<std::uint32_t>(bodies_host_.size());
    for (std::size_t i = 0; i < body_count_; ++i) {
      if (b.shape[i] != kTerrainShapes[s]) continue;
      const std::uint32_t environment = b.environment.empty() ? 0 : b.environment[i];
      const std::int32_t terrain = scene.environment_terrain.empty() ? 0 : scene.environment_terrain[environment];
      if (terrain < 0 || static_cast<std::size_t>(terrain) >= scene.terrains.size()) continue;
      BodyRecord record{};
      record.body = static_cast<cl_uint>(i);
      record.terrain = static_cast<cl_uint>(terrain);
      record.shape = static_cast<cl_uint>(b.shape[i]);
      for (int a = 0; a < 3; ++a) record.size[a] = static_cast<float>(std::max(b.size[i][a], 1e-12));
      slot_of_body_[i] = static_cast<std::uint32_t>(bodies_host_.size());
      bodies_host_.push_back(record);
    }
  }
  shape_begin_[kShapes] = static_cast<std::uint32_t>(bodies_host_.size());
  bodies_.assign(bodies_host_);
  terrains_.set(scene.terrains);
}

// Splits the poses into floats and sends them off on the transfer queue. Touches nothing that collide() uses.
std::unique_ptr<DevicePoses> OpenClCollider::begin_upload(const Poses& poses) {
  std::unique_ptr<DevicePoses> to;
  {
    const std::lock_guard lock(spare_mutex_);
    if (!spare_poses_.empty()) {
      to = std::move(spare_poses_.back());
      spare_poses_.pop_back();
    }
  }
  if (to == nullptr) to = std::make_unique<DevicePoses>(device_);
  to->staging_high.resize(3 * body_count_);
  to->staging_low.resize(3 * body_count_);
  to->staging_orientation.resize(4 * body_count_);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, body_count_, 4096), [&](const auto& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) {
      for (std::size_t a = 0; a < 3; ++a) {
        const TwoFloatParts parts = split_in_two(poses.position[3 * i + a]);
        to->staging_high[3 * i + a] = parts.high;
        to->staging_low[3 * i + a] = parts.low;
      }
      const double* q = &poses.orientation[4 * i];
      const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
      for (std::size_t a = 0; a < 4; ++a) {
        const double c = q[a] / length;
        to->staging_orientation[4 * i + a] = std::abs(c) < 1e-15 ? 0.0F : static_cast<float>(c);
      }
    }
  });
  const auto send = [&](Buffer<float>& buffer, const std::vector<float>& data) {
    buffer.resize(data.size());
    to->uploads.emplace_back();
    device_.transfer_queue().enqueueWriteBuffer(buffer.get(), CL_FALSE, 0, data.size() * sizeof(float), data.data(),
                                                nullptr, &to->uploads.back());
  };
  opencl::translate_errors("upload of poses", device_.info().name, [&] {
    to->uploads.clear();
    send(to->high, to->staging_high);
    send(to->low, to->staging_low);
    send(to->orientation, to->staging_orientation);
    device_.transfer_queue().flush();
  });
  return to;
}

// Ranges of sites under all bodies; the number of sites in all.
std::uint64_t OpenClCollider::find_ranges() {
  const std::size_t slots = bodies_host_.size();
  places_.resize(slots);
  site_counts_.resize(slots);
  opencl::launch(device_, range_kernel_, &timer_, Stage::broad_phase, slots, kGroup, static_cast<cl_uint>(slots),
                 bodies_, poses_->high, poses_->low, poses_->orientation, terrains_.records(), terrains_.heights(),
                 terrains_.open_cells(), terrains_.bounds(), margin_, places_, site_counts_);
  scan_.run_u64(site_counts_, site_offsets_, slots, total_, Stage::broad_phase, &timer_);
  return total_.read_one(0, &timer_, Stage::broad_phase);
}

std::uint32_t OpenClCollider::checked(std::uint64_t count, const char* what) {
  if (count >= std::numeric_limits<std::uint32_t>::max()) throw SliceTooLarge{std::to_string(count) + " " + what};
  return static_cast<std::uint32_t>(count);
}

// The sites of slots [first, last) that reach up to their bodies, in order.
std::uint32_t OpenClCollider::find_candidates(std::uint32_t first, std::uint32_t last, std::uint64_t first_site,
                                              std::uint64_t last_site) {
  const std::uint32_t chunks = checked((last_site - first_site + kChunkSites - 1) / kChunkSites, "chunks of sites");
  kept_bits_.resize(chunks);
  kept_in_chunk_.resize(chunks);
  first_candidate_.resize(bodies_host_.size() + 1);
  opencl::launch(device_, sites_kernel_, &timer_, Stage::broad_phase, chunks, kGroup, first, last, first_site,
                 last_site, chunks, site_offsets_, bodies_, places_, poses_->high, poses_->low, poses_->orientation,
                 terrains_.records(), terrains_.heights(), terrains_.heights_low(), terrains_.open_cells(),
                 terrains_.material(), terrains_.bounds(), margin_, kept_bits_, kept_in_chunk_);
  scan_.run_u32(kept_in_chunk_, chunk_offsets_, chunks, total_, Stage::broad_phase, &timer_);
  const std::uint32_t candidates = checked(total_.read_one(0, &timer_, Stage::broad_phase), "candidates");
  candidate_slots_.resize(candidates);
  candidate_sites_.resize(candidates);
  opencl::launch(device_, candidates_kernel_, &timer_, Stage::broad_phase, chunks, kGroup, first, last, first_site,
                 last_site, chunks, site_offsets_, kept_bits_, chunk_offsets_, candidate_slots_, candidate_sites_,
                 first_candidate_);
  return candidates;
}

// Finds the contacts of all candidates and puts them in order; their number.
std::uint32_t OpenClCollider::narrow_phase(const std::array<std::uint32_t, kShapes + 1>& bounds) {
  const std::uint32_t candidates = bounds[kShapes];
  contact_counts_.resize(candidates);
  stored_.resize(1);
  // The store is as large as it ever was; a first guess only saves a second run of the kernels.
  std::uint32_t capacity = static_cast<std::uint32_t>(std::min(store_.capacity(), store_candidates_.capacity()));
  if (capacity < kFirstStore) capacity = kFirstStore;
  while (true) {
    store_.resize(capacity);
    store_candidates_.resize(capacity);
    stored_.fill(0, 0, 1, &timer_, Stage::narrow_phase);
    for (std::size_t s = 0; s < kShapes; ++s) {
      const cl_uint count = bounds[s + 1] - bounds[s];
      opencl::launch(device_, narrow_kernels_[s], &timer_, Stage::narrow_phase, count, kGroup, bounds[s], count,
                     candidate_slots_, candidate_sites_, bodies_, places_, poses_->high, poses_->low,
                     poses_->orientation, terrains_.records(), terrains_.heights(), terrains_.heights_low(),
                     terrains_.open_cells(), terrains_.material(), terrains_.bounds(), margin_, contact_counts_,
                     capacity, stored_, store_candidates_, store_);
    }
    scan_.run_u32(contact_counts_, contact_offsets_, candidates, total_, Stage::narrow_phase, &timer_);
    const std::uint32_t found = checked(total_.read_one(0, &timer_, Stage::narrow_phase), "contacts before reduction");
    if (found <= capacity) {
      contacts_.resize(found);
      opencl::launch(device_, order_kernel_, &timer_, Stage::narrow_phase, found, kGroup, found, store_,
                     store_candidates_, contact_offsets_, contacts_);
      return found;
    }
    capacity = found;
  }
}

void OpenClCollider::process(std::uint32_t first, std::uint32_t last, std::uint64_t first_site, std::uint64_t last_site,
                             FrameContacts& frame) {
  if (first_site == last_site) return;
  const std::uint32_t candidates = find_candidates(first, last, first_site, last_site);
  if (candidates == 0) return;

  // Candidates of each shape: its slots are a range, and so are they.
  std::array<std::uint32_t, kShapes + 1> bounds{};
  bounds[kShapes] = candidates;
  for (std::size_t s = 1; s < kShapes; ++s) {
    const std::uint32_t slot = std::clamp(shape_begin_[s], first, last);
    bounds[s] = slot == first  ? 0
                : slot == last ? candidates
                               : first_candidate_.read_one(slot, &timer_, Stage::broad_phase);
  }

  frame.candidates += candidates;
  if (narrow_phase(bounds) == 0) return;

  const cl_uint slots = last - first;
  kept_.resize(slots);
  manifolds_.resize(slots);
  unreduced_.resize(slots);
  opencl::launch(device_, reduction_kernel_, &timer_, Stage::contact_reduction, slots, kGroup, first, slots, bodies_,
                 poses_->orientation, first_candidate_, contact_offsets_, contacts_, kept_, manifolds_, unreduced_);
  scan_.run_u32(kept_, kept_offsets_, slots, total_, Stage::contact_reduction, &timer_);
  const auto kept = static_cast<std::uint32_t>(total_.read_one(0, &timer_, Stage::contact_reduction));
  gathered_.resize(kept);
  opencl::launch(device_, gather_kernel_, &timer_, Stage::contact_reduction, slots, kGroup, first, slots,
                 first_candidate_, contact_offsets_, contacts_, kept_offsets_, gathered_);

  Slice slice{first, last, std::vector<std::uint32_t>(slots + 1), std::vector<std::uint32_t>(slots),
              std::vector<ContactRecord>(kept)};
  kept_offsets_.download(slice.offsets, 0, &timer_);
  manifolds_.download(slice.manifolds, 0, &timer_);
  gathered_.download(slice.contacts, 0, &timer_);
  std::vector<std::uint32_t> unreduced(slots);
  unreduced_.download(unreduced, 0, &timer_);
  frame.unreduced += std::accumulate(unreduced.begin(), unreduced.end(), std::uint64_t{0});
  slices_.push_back(std::move(slice));
}

// Gives back what a frame or slice has taken that did not fit, so that a smaller one does.
void OpenClCollider::free_slice_buffers() {
  device_.finish();
  kept_bits_.free();
  for (Buffer<std::uint32_t>* buffer :
       {&kept_in_chunk_, &chunk_offsets_, &candidate_slots_, &candidate_sites_, &first_candidate_, &contact_counts_,
        &contact_offsets_, &stored_, &store_candidates_, &kept_, &kept_offsets_, &manifolds_, &unreduced_})
    buffer->free();
  for (Buffer<ContactRecord>* buffer : {&store_, &contacts_, &gathered_}) buffer->free();
}

// process() for slots [first, last), in halves where they do not fit.
void OpenClCollider::work_through(std::uint32_t first, std::uint32_t last, FrameContacts& frame) {
  if (first == last) return;
  const std::uint64_t first_site = site_offsets_host_[first], last_site = site_offsets_host_[last];
  const bool single = last - first == 1;
  std::string needed;
  if (single || last_site - first_site <= kSliceSites) {
    const std::uint64_t candidates_before = frame.candidates, unreduced_before = frame.unreduced;
    try {
      process(first, last, first_site, last_site, frame);
      return;
    } catch (const SliceTooLarge& e) {
      if (single)
        throw Error(ErrorKind::device, "body " + std::to_string(bodies_host_[first].body) + " alone has " + e.what +
                                           ", more than 32-bit indices hold");
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::device || single) throw;
    }
    free_slice_buffers();
    frame.candidates = candidates_before;
    frame.unreduced = unreduced_before;
  }
  const std::uint32_t middle = first + (last - first) / 2;
  work_through(first, middle, frame);
  work_through(middle, last, frame);
}

// Contacts in the scene's order of bodies, positions back in doubles.
void OpenClCollider::assemble(const Poses& poses, FrameContacts& frame) {
  // Where the contacts of a slot lie, and how many bodies before it have how many.
  std::vector<const Slice*> slice_of_slot(bodies_host_.size(), nullptr);
  for (const Slice& s : slices_) std::fill(slice_of_slot.begin() + s.first, slice_of_slot.begin() + s.last, &s);
  std::vector<std::uint64_t> begin(body_count_ + 1, 0);
  std::vector<std::uint32_t> first_manifold(body_count_, 0);
  std::uint64_t contacts = 0, manifolds = 0;
  for (std::size_t i = 0; i < body_count_; ++i) {
    begin[i] = contacts;
    first_manifold[i] = static_cast<std::uint32_t>(manifolds);
    const std::uint32_t slot = slot_of_body_[i];
    const Slice* s = slot == kNoSlot ? nullptr : slice_of_slot[slot];
    if (s == nullptr) continue;
    const std::uint32_t k = slot - s->first;
    contacts += s->offsets[k + 1] - s->offsets[k];
    manifolds += s->manifolds[k];
    frame.pairs += s->offsets[k + 1] > s->offsets[k] ? 1 : 0;
  }
  begin[body_count_] = contacts;
  frame.contacts.resize(contacts);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, body_count_, 4096), [&](const auto& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) {
      const std::uint64_t count = begin[i + 1] - begin[i];
      if (count == 0) continue;
      const std::uint32_t slot = slot_of_body_[i];
      const Slice& s = *slice_of_slot[slot];
      for (std::uint64_t c = 0; c < count; ++c) {
        const ContactRecord& from = s.contacts[s.offsets[slot - s.first] + c];
        Contact& to = frame.contacts[begin[i] + c];
        for (std::size_t a = 0; a < 3; ++a) {
          to.point[a] = poses.position[3 * i + a] + static_cast<double>(from.point[a]);
          to.normal[a] = from.normal[a] + 0.0F;  // no negative zeros
        }
        to.depth = from.depth;
        to.body_a = static_cast<std::uint32_t>(i);
        to.body_b = kTerrain;
        to.manifold = first_manifold[i] + from.manifold;
        to.feature = from.feature;
        to.material = static_cast<std::uint8_t>(from.material);
      }
    }
  });
}

FrameContacts OpenClCollider::collide(const Poses& poses) {
  const auto start = std::chrono::steady_clock::now();
  FrameContacts frame = collide_uploaded(poses, bodies_host_.empty() ? nullptr : begin_upload(poses));
  frame.milliseconds.total =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return frame;
}

Collider::StagedPoses OpenClCollider::stage(const Poses& poses) {
  auto staged = std::make_shared<StagedOnDevice>();
  staged->position.assign(poses.position.begin(), poses.position.end());
  staged->orientation.assign(poses.orientation.begin(), poses.orientation.end());
  if (!bodies_host_.empty()) staged->device = begin_upload(poses);
  return staged;
}

FrameContacts OpenClCollider::collide_staged(Collider::StagedPoses staged) {
  auto* on_device = dynamic_cast<StagedOnDevice*>(staged.get());
  if (on_device == nullptr || on_device->device == nullptr) return collide(staged->poses());
  const auto start = std::chrono::steady_clock::now();
  FrameContacts frame = collide_uploaded(staged->poses(), std::move(on_device->device));
  frame.milliseconds.total =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return frame;
}

FrameContacts OpenClCollider::collide_uploaded(const Poses& poses, std::unique_ptr<DevicePoses> uploaded) {
  FrameContacts frame;
  slices_.clear();
  timer_.clear();
  const auto slots = static_cast<std::uint32_t>(bodies_host_.size());
  if (slots > 0) {
    // The kernels wait for the poses, not for what else the transfer queue may have by now.
    if (poses_ != nullptr) {
      const std::lock_guard lock(spare_mutex_);
      spare_poses_.push_back(std::move(poses_));
    }
    poses_ = std::move(uploaded);
    opencl::translate_errors("upload of poses", device_.info().name,
                             [&] { device_.queue().enqueueBarrierWithWaitList(&poses_->uploads); });
    for (cl::Event& event : poses_->uploads) timer_.record(Stage::upload, event);
    const std::uint64_t sites = find_ranges();
    if (sites > 0) {
      bool whole = false;
      if (sites <= kSliceSites) {
        try {
          process(0, slots, 0, sites, frame);
          whole = true;
        } catch (const SliceTooLarge&) {
        } catch (const Error& e) {
          if (e.kind() != ErrorKind::device || slots == 1) throw;
        }
      }
      if (!whole) {
        frame = FrameContacts{};
        slices_.clear();
        free_slice_buffers();
        site_offsets_host_.resize(slots + 1);
        site_offsets_.download(site_offsets_host_, 0, &timer_);
        work_through(0, slots, frame);
      }
    }
  }
  assemble(poses, frame);
  frame.milliseconds = timer_.collect();
  return frame;
}

}  // namespace

std::unique_ptr<Collider::Backend> make_opencl_backend(const Settings& settings, const DeviceInfo& device) {
  return std::make_unique<OpenClCollider>(settings, device);
}

}  // namespace oclide
