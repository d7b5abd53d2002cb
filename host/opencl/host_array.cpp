#include "opencl/host_array.hpp"

#include "opencl/device.hpp"

namespace oclide::opencl {
namespace {

constexpr std::align_val_t kAlignment{64};
constexpr std::uint64_t kSlackPart = 8;

}  // namespace

HostMemory::HostMemory(const Device& device) : device_(device.info().is_gpu ? &device : nullptr) {}

void HostMemory::reserve(std::uint64_t bytes) {
  if (bytes <= bytes_) return;
  free();
  const std::uint64_t more = bytes + bytes / kSlackPart;
  if (device_ != nullptr && (reserve_pinned(more) || reserve_pinned(bytes))) return;
  data_ = ::operator new(more, kAlignment);
  bytes_ = more;
}

// False where the driver does not give so much.
bool HostMemory::reserve_pinned(std::uint64_t bytes) {
  try {
    cl::Buffer buffer(device_->context(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes);
    // Mapped for as long as it lives. Not on the queue of the kernels: that may have work, which this would wait for.
    data_ = device_->transfer_queue().enqueueMapBuffer(buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes);
    pinned_ = std::move(buffer);
    bytes_ = bytes;
    return true;
  } catch (const cl::Error&) {
    return false;
  }
}

void HostMemory::free() noexcept {
  if (is_pinned()) {
    try {
      device_->transfer_queue().enqueueUnmapMemObject(pinned_, data_);
      device_->transfer_queue().flush();
    } catch (const cl::Error&) {
    }
    const cl::Buffer gone = std::move(pinned_);  // which ignores errors, as of a lost device
  } else if (data_ != nullptr) {
    ::operator delete(data_, kAlignment);
  }
  data_ = nullptr;
  bytes_ = 0;
}

}  // namespace oclide::opencl
