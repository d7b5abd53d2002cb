#include "queries/resident_sweep.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "frame/slice.hpp"
#include "resident/given_memory.hpp"
#include "shared/resident_rays.h"

namespace oclide {

using opencl::Stage;

void check_resident_motion(const ResidentMotion& motion, std::size_t bodies, const cl::Context& context) {
  const auto check = [&](const char* name, cl_mem memory) {
    if (memory != nullptr && bodies > 0) check_given_buffer(name, memory, {bodies, "bodies", 3, "floats"}, context);
  };
  check("displacement", motion.displacement);
  check("rotation", motion.rotation);
  check_given_events(motion.wait_list, motion.wait_count, context);
}

ResidentSweep::ResidentSweep(opencl::Device& device, MotionSweep& sweep)
    : device_(device),
      sweep_(sweep),
      scan_(device),
      sort_(device),
      split_kernel_(device, "queries/resident_sweep", "queries_split_motion"),
      keys_kernel_(device, "queries/resident_sweep", "queries_impact_keys"),
      firsts_kernel_(device, "queries/resident_sweep", "queries_first_impacts"),
      write_kernel_(device, "queries/resident_sweep", "queries_device_impacts"),
      is_far_(device, "bodies seen from others"),
      bad_(device, "state of the motion"),
      kept_(device, "impacts of parts"),
      keys_(device, "names of impacts"),
      order_(device, "order of impacts"),
      firsts_(device, "first impacts"),
      indices_(device, "indices of impacts"),
      total_(device, "total"),
      impacts_(device, "impacts of the sweep"),
      no_floats_(device, "no numbers"),
      no_numbers_(device, "no numbers") {}

void ResidentSweep::free() {
  scan_.free();
  sort_.free();
  kept_.free();
  keys_.free();
  order_.free();
  firsts_.free();
  indices_.free();
  impacts_.free();
}

void ResidentSweep::split_motion(const ResidentMotion& motion, std::uint32_t bodies, opencl::StageTimer& timer) {
  const auto given = [](cl_mem memory, cl_mem other) { return cl::Buffer(memory != nullptr ? memory : other, true); };
  const cl_mem none = no_floats_.get()();
  const cl_uint has = (motion.displacement != nullptr ? RESIDENT_HAS_DISPLACEMENT : 0U) |
                      (motion.rotation != nullptr ? RESIDENT_HAS_ROTATION : 0U);
  opencl::Buffer<MotionRecord>& to = sweep_.motion();
  to.resize(bodies);
  bad_.resize(2);
  bad_.fill(kNone, 0, 2, &timer, Stage::upload);
  opencl::launch(device_, split_kernel_, &timer, Stage::upload, bodies, kGroup, bodies,
                 given(motion.displacement, none), given(motion.rotation, none), has,
                 static_cast<cl_uint>(compounds_ != nullptr ? 1 : 0),
                 compounds_ != nullptr ? compounds_->bodies_of_shapes() : no_numbers_,
                 compounds_ != nullptr ? compounds_->offsets() : no_floats_, to, bad_);
  std::array<std::uint32_t, 2> bad{};
  bad_.download(bad, 0, &timer);
  const auto refuse = [&](const char* name, std::size_t kind, const char* beyond) {
    if (bad[kind] != kNone)
      throw Error(ErrorKind::invalid_input,
                  std::string(name) + "[" + std::to_string(bad[kind]) + "] is not finite, or beyond " + beyond);
  };
  refuse("displacement", RESIDENT_BAD_DISPLACEMENT, "1e9 m");
  refuse("rotation", RESIDENT_BAD_ROTATION, "1e7 rad");
}

// The search goes in parts: their impacts one after the other.
void ResidentSweep::keep(std::uint32_t count) {
  const auto copy = [&](const cl::Buffer& from, const cl::Buffer& to, std::size_t at, std::size_t records) {
    if (records == 0) return;
    opencl::translate_errors("impacts", device_.info().name, [&] {
      device_.queue().enqueueCopyBuffer(from, to, 0, at * sizeof(ImpactRecord), records * sizeof(ImpactRecord));
    });
  };
  const std::size_t wanted = std::size_t{kept_count_} + count;
  if (wanted >= kNone) throw Error(ErrorKind::device, "a sweep of more impacts than 32-bit indices hold");
  if (kept_.size() < wanted) {
    opencl::Buffer<ImpactRecord> larger(device_, "impacts of parts", std::max(wanted, 2 * kept_.size()));
    copy(kept_.get(), larger.get(), 0, kept_count_);
    kept_ = std::move(larger);
  }
  copy(sweep_.impacts().get(), kept_.get(), kept_count_, count);
  kept_count_ += count;
}

// In the order of pairs, the first of each; how many.
std::uint32_t ResidentSweep::write(std::uint32_t bodies, opencl::StageTimer& timer) {
  constexpr Stage kStage = Stage::contact_reduction;
  const std::uint32_t count = kept_count_;
  const auto bits = static_cast<std::uint32_t>(std::bit_width(bodies));
  const auto of_parts = static_cast<cl_uint>(compounds_ != nullptr ? 1 : 0);
  const opencl::Buffer<std::uint32_t>& body_of = compounds_ != nullptr ? compounds_->bodies_of_shapes() : no_numbers_;
  keys_.resize(count);
  order_.resize(count);
  firsts_.resize(count);
  impacts_.resize(count);
  if (count == 0) return 0;
  opencl::launch(device_, keys_kernel_, &timer, kStage, count, kGroup, count, bodies, bits, of_parts, body_of, kept_,
                 keys_, order_);
  sort_.run_u64(keys_, order_, count, 2 * bits, kStage, &timer);
  opencl::launch(device_, firsts_kernel_, &timer, kStage, count, kGroup, count, keys_, firsts_);
  scan_.run_u32(firsts_, indices_, count, total_, kStage, &timer);
  opencl::launch(device_, write_kernel_, &timer, kStage, count, kGroup, count, keys_, order_, firsts_, indices_,
                 of_parts, body_of, compounds_ != nullptr ? compounds_->first_shapes() : no_numbers_,
                 compounds_ != nullptr ? compounds_->offsets() : no_floats_, is_far_, kept_, impacts_);
  // Of parts several may be of one pair of bodies.
  return compounds_ == nullptr ? count : static_cast<std::uint32_t>(total_.read_one(0, &timer, kStage));
}

void ResidentSweep::run(const DevicePoses& poses, const ResidentMotion& motion, const ResidentCompounds* compounds,
                        std::span<const std::uint8_t> is_half_space, std::span<const std::uint8_t> is_mesh,
                        DeviceImpacts& impacts, opencl::StageTimer& timer) {
  compounds_ = compounds;
  const std::size_t parts = is_half_space.size();
  std::vector<std::uint8_t> is_far(parts);
  for (std::size_t k = 0; k < parts; ++k) is_far[k] = is_half_space[k] != 0 || is_mesh[k] != 0 ? 1 : 0;
  if (is_far != far_host_ || is_far_.size() != parts) {
    is_far_.assign(is_far);
    far_host_ = std::move(is_far);
  }
  device_.wait_for(given_events(motion.wait_list, motion.wait_count));
  kept_count_ = 0;
  impacts.candidates = 0;
  if (parts > 0) {
    split_motion(motion, static_cast<std::uint32_t>(parts), timer);
    sweep_.search(
        poses, [&](std::uint32_t count) { keep(count); }, impacts.candidates, timer);
  }
  const std::size_t bodies = compounds != nullptr ? compounds->bodies() : parts;
  impacts.count = write(static_cast<std::uint32_t>(bodies), timer);
  opencl::translate_errors("the end of the sweep", device_.info().name, [&] {
    device_.queue().enqueueMarkerWithWaitList(nullptr, &ready_);
    device_.queue().flush();
  });
  impacts.impacts = impacts_.get()();
  impacts.ready = ready_();
}

}  // namespace oclide
