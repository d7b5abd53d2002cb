// An OpenCL device with its queues, a count of the memory taken on it, and a context that it may share with others.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "oclide/oclide.hpp"
#include "opencl/arithmetic_check.hpp"
#include "opencl/cl.hpp"
#include "opencl/device_list.hpp"
#include "opencl/driver_turn.hpp"
#include "opencl/error.hpp"
#include "opencl/shared_context.hpp"
#include "opencl/stage_timer.hpp"

namespace oclide::opencl {

/// Outlives all Buffers and kernels made from it. program(), kernel(), allocate() and release() may be called from
/// several threads; the rest is used from one thread at a time, which has the driver's turn.
class Device {
 public:
  /// Opens device `info` of opencl_devices(), in the context that the process has for it. Throws Error(device) when it
  /// is gone, lacks what the pipeline needs, or does not compute as it should (arithmetic_check.hpp).
  Device(const Settings& settings, const DeviceInfo& info);
  /// On a context and a queue of an application's, which has been checked to be of that context; both are retained.
  /// Commands go to this queue where it is in order, else to an own one. Throws Error(device) as the other.
  Device(const Settings& settings, const cl::Context& context, const cl::CommandQueue& queue);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] const DeviceInfo& info() const { return info_; }
  [[nodiscard]] const cl::Context& context() const { return context_->get(); }
  [[nodiscard]] const cl::Device& device() const { return device_; }
  /// In order, with profiling but where it is an application's that has none.
  [[nodiscard]] const cl::CommandQueue& queue() const { return queue_; }
  [[nodiscard]] bool has_profiling() const { return has_profiling_; }
  /// A second one, in order with profiling, for transfers beside the kernels.
  [[nodiscard]] const cl::CommandQueue& transfer_queue() const { return transfer_queue_; }

  /// For a DriverTurn: of this device, or of all devices of a driver that is not safe to call from several threads.
  [[nodiscard]] std::mutex& driver() const { return *driver_; }

  /// kernels/<stem>.cl compiled for this context, once for each set of options (such as "-DKEY_BITS=64").
  cl::Program program(std::string_view stem, const std::string& options = {});
  /// A kernel of that file with arguments of its own. Throws Error(device) for an unknown stem or name.
  cl::Kernel kernel(std::string_view stem, const std::string& name, const std::string& options = {});
  /// Compiles a text that is not embedded, or takes it from the cache on disk.
  cl::Program build(std::string_view stem, std::string_view source, const std::string& options = {});

  /// What every kernel of this device is compiled with.
  [[nodiscard]] const std::string& build_options() const { return build_options_; }
  [[nodiscard]] const ProgramCache& cache() const { return context_->cache(); }

  [[nodiscard]] std::size_t max_work_group_size() const { return max_work_group_size_; }
  /// The largest power of two that is at most `wanted` and that this kernel can have as its work-group size.
  [[nodiscard]] std::size_t work_group_size(const cl::Kernel& kernel, std::size_t wanted) const;
  /// The same for a group that runs alone: 1 on a CPU, where one thread would do its work-items one after another.
  [[nodiscard]] std::size_t lone_group_size(const cl::Kernel& kernel, std::size_t wanted) const {
    return info_.is_gpu ? work_group_size(kernel, wanted) : 1;
  }
  /// Largest single buffer [bytes].
  [[nodiscard]] std::uint64_t max_allocation() const { return info_.largest_allocation_bytes; }
  /// What all Buffers together may take [bytes]: Settings::memory_limit, or the device's memory.
  [[nodiscard]] std::uint64_t memory_limit() const { return memory_limit_; }
  /// What all Buffers take now [bytes].
  [[nodiscard]] std::uint64_t memory_used() const { return memory_used_; }
  /// The most that memory_used() ever was [bytes].
  [[nodiscard]] std::uint64_t memory_peak() const { return memory_peak_; }

  /// The same for each name of Buffers, but for those without any memory.
  [[nodiscard]] std::vector<BufferBytes> memory_by_name() const;

  /// Waits for all commands.
  void finish();
  /// Is done when all commands until now are, which are sent off.
  [[nodiscard]] cl::Event mark();
  /// Sends off all commands until now; all transfers beside them.
  void flush();
  void flush_transfers();
  /// Commands enqueued from now on wait for these events.
  void wait_for(const std::vector<cl::Event>& events);

  /// Device memory of at least `bytes` bytes, counted until release(). Throws Error(device) naming the bytes needed and
  /// those that can be had.
  cl::Buffer allocate(std::string_view name, std::uint64_t bytes);
  void release(std::string_view name, std::uint64_t bytes);
  /// Whether allocate() would take this many bytes.
  [[nodiscard]] bool fits(std::uint64_t bytes) const;

 private:
  Device(const Settings& settings, const DeviceInfo& info, const cl::Device& device);
  void open(const cl::CommandQueue& queue);
  ArithmeticFault fault_with(const std::string& options);
  [[nodiscard]] std::string all_options(const std::string& further) const;

  DeviceInfo info_;
  mutable std::mutex own_driver_;
  std::mutex* driver_;
  cl::Device device_;
  std::shared_ptr<SharedContext> context_;
  cl::CommandQueue queue_, transfer_queue_;
  std::string build_options_;
  OnCompile on_compile_;
  bool has_profiling_ = true;
  std::size_t max_work_group_size_ = 1;
  std::uint64_t memory_limit_ = 0;
  std::atomic<std::uint64_t> memory_used_ = 0, memory_peak_ = 0;
  std::map<std::string, std::uint64_t, std::less<>> memory_by_name_;
  mutable std::mutex memory_mutex_;
};

/// Whether drivers optimise kernels: not where OCLIDE_OPTIMIZE_KERNELS is 0, so that they compile in less time and run
/// in more. Throws Error(invalid_input) where it is neither 0 nor 1.
bool optimizes_kernels();

}  // namespace oclide::opencl
