#include "resident/resident_poses.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "frame/slice.hpp"
#include "resident/given_memory.hpp"
#include "resident/resident_compounds.hpp"

namespace oclide {

using opencl::Stage;

namespace {

constexpr std::uint32_t kNoBody = 0xFFFFFFFFU;

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorKind::invalid_input, message);
}

}  // namespace

void check_resident_poses(const ResidentPoses& poses, std::size_t bodies, const cl::Context& context) {
  const auto check = [&](const char* name, cl_mem memory, std::size_t numbers) {
    check_given_buffer(name, memory, {bodies, "bodies", numbers, "floats"}, context);
  };
  if (bodies > 0) {
    check("position", poses.position, 3);
    if (poses.position_low != nullptr) check("position_low", poses.position_low, 3);
    check("orientation", poses.orientation, 4);
  }
  check_given_events(poses.wait_list, poses.wait_count, context);
}

ResidentUpload::ResidentUpload(opencl::Device& device, ResidentCompounds* compounds)
    : device_(device),
      compounds_(compounds),
      kernel_(compounds == nullptr ? device.kernel("upload/resident_poses", "upload_resident_poses")
                                   : device.kernel("upload/compound_poses", "upload_compound_poses")),
      sample_(device, "sampled positions"),
      sorted_at_(device, "positions when sorted"),
      status_(device, "state of poses") {}

ResidentUpload::~ResidentUpload() {
  try {
    if (status_read_() != nullptr) status_read_.wait();
  } catch (const cl::Error&) {
  }
}

void ResidentUpload::run(const ResidentPoses& given, const opencl::Buffer<std::uint32_t>& slots,
                         const DeviceScene& scene, DevicePoses& to, opencl::StageTimer& timer) {
  const auto bodies = static_cast<std::uint32_t>(slots.size());
  const auto step = static_cast<std::uint32_t>(sample_step(bodies));
  poses_ = &to;
  to.records.resize(bodies);
  sample_.resize(std::size_t{3} * ((bodies + step - 1) / step));
  status_.resize(2);
  if (!std::exchange(is_empty_, false)) status_.fill({kNoBody, kNoBody, kNoBody, 0}, 0, 2, &timer, Stage::upload);
  const bool has_low = given.position_low != nullptr;
  const bool is_sorted = scene.tree.is_sorted_by(*this) && sorted_at_.size() == std::size_t{3} * bodies;
  const auto enqueue = [&](const auto&... of_compounds) {
    opencl::launch(device_, kernel_, &timer, Stage::upload, bodies, kGroup, bodies, cl::Buffer(given.position, true),
                   cl::Buffer(has_low ? given.position_low : given.position, true),
                   static_cast<cl_uint>(has_low ? 1 : 0), cl::Buffer(given.orientation, true), slots, step,
                   static_cast<cl_uint>(is_sorted ? 1 : 0), sorted_at_, scene.bodies.cell, to.records, sample_, turn_,
                   status_, of_compounds...);
  };
  if (compounds_ == nullptr)
    enqueue();
  else
    enqueue(compounds_->bodies_of_shapes(), compounds_->local_of_shapes(), compounds_->local_poses(),
            compounds_->centres(), compounds_->offsets());
  status_.download_later(std::span(&status_host_, 1), status_read_, turn_);
  turn_ = 1 - turn_;
}

void ResidentUpload::check() {
  opencl::translate_errors("poses on the device", device_.info().name, [&] {
    const opencl::DriverPause pause;
    status_read_.wait();
  });
  is_empty_ = true;
  strayed_ = status_host_[RESIDENT_STRAYED];
  const auto body = [&](std::size_t word) { return "[" + std::to_string(status_host_[word]) + "]"; };
  if (status_host_[RESIDENT_BAD_POSITION] != kNoBody) fail("position" + body(RESIDENT_BAD_POSITION) + " is not finite");
  if (status_host_[RESIDENT_BAD_POSITION_LOW] != kNoBody)
    fail("position_low" + body(RESIDENT_BAD_POSITION_LOW) + " is not finite");
  if (status_host_[RESIDENT_BAD_ORIENTATION] != kNoBody)
    fail("orientation" + body(RESIDENT_BAD_ORIENTATION) + " is not finite, or a quaternion of zero length");
}

std::array<std::vector<double>, 3> ResidentUpload::sample() {
  std::vector<float> positions(sample_.size());
  sample_.download(positions);
  std::array<std::vector<double>, 3> sample;
  for (std::size_t i = 0; i < positions.size(); ++i) sample[i % 3].push_back(static_cast<double>(positions[i]));
  return sample;
}

void ResidentUpload::remember() {
  const std::size_t bodies = poses_->records.size();
  strayed_ = 0;
  sorted_at_.resize(3 * bodies);
  if (bodies == 0) return;
  opencl::translate_errors("positions when sorted", device_.info().name, [&] {
    // Of each record the high part of the position, with which it begins.
    constexpr std::size_t kPosition = 3 * sizeof(float);
    static_assert(offsetof(PoseRecord, position_high) == 0);
    device_.queue().enqueueCopyBufferRect(poses_->records.get(), sorted_at_.get(), {0, 0, 0}, {0, 0, 0},
                                          {kPosition, bodies, 1}, sizeof(PoseRecord), 0, kPosition, 0);
  });
}

}  // namespace oclide
