#include "opencl/device.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <vector>

#include "oclide/opencl.hpp"
#include "opencl/process.hpp"
#include "text/clean_text.hpp"

namespace oclide {
namespace opencl {
namespace {

constexpr long kRegisters = 128;
constexpr std::uint64_t kMinLocalMemory = 8192;  // [bytes] the primitives use up to this in a work-group

// All devices of all platforms, in the loader's order. Empty without a platform.
std::vector<cl::Device> all_devices() {
  check_process();
  std::vector<cl::Device> all;
  std::vector<cl::Platform> platforms;
  try {
    cl::Platform::get(&platforms);
  } catch (const cl::Error&) {
    return all;
  }
  note_use();
  for (const cl::Platform& platform : platforms) {
    try {
      std::vector<cl::Device> devices;
      platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
      all.insert(all.end(), devices.begin(), devices.end());
    } catch (const cl::Error&) {
      // A platform without devices.
    }
  }
  return all;
}

// "OpenCL 3.0 ..." is at least 1.2.
bool has_version_1_2(const std::string& version) {
  const std::string prefix = "OpenCL ";
  if (!version.starts_with(prefix)) return false;
  char* end = nullptr;
  const char* digits = version.c_str() + prefix.size();
  const long major = std::strtol(digits, &end, 10);
  if (end == digits || *end != '.') return false;
  const long minor = std::strtol(end + 1, nullptr, 10);
  return major > 1 || (major == 1 && minor >= 2);
}

// What the pipeline needs and this device lacks; empty where it has everything.
std::string missing_of(const cl::Device& device) {
  std::string missing;
  const auto need = [&](bool has, const char* what) {
    if (!has) missing += (missing.empty() ? "" : ", ") + std::string(what);
  };
  const cl_device_fp_config fp = device.getInfo<CL_DEVICE_SINGLE_FP_CONFIG>();
  need(has_version_1_2(device.getInfo<CL_DEVICE_VERSION>()), "OpenCL 1.2");
  need(device.getInfo<CL_DEVICE_AVAILABLE>(), "being online");
  need(device.getInfo<CL_DEVICE_COMPILER_AVAILABLE>(), "a compiler");
  need(device.getInfo<CL_DEVICE_ENDIAN_LITTLE>(), "little-endian memory");
  need((fp & CL_FP_ROUND_TO_NEAREST) != 0, "rounding to nearest");
  need((fp & CL_FP_INF_NAN) != 0, "infinities and NaN");
  need(device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>() >= kMinLocalMemory, "8 KiB of local memory");
  // The embedded profile need not have 64-bit integers.
  if (trimmed(device.getInfo<CL_DEVICE_PROFILE>()) != "FULL_PROFILE")
    need(device.getInfo<CL_DEVICE_EXTENSIONS>().find("cles_khr_int64") != std::string::npos, "64-bit integers");
  return missing;
}

// Which of two values a variable of the environment has; empty where it has none.
std::string chosen_of(const char* variable, const std::string& one, const std::string& other) {
  const char* value = std::getenv(variable);
  std::string asked = value != nullptr ? value : "";
  if (!asked.empty() && asked != one && asked != other)
    throw Error(ErrorKind::invalid_input,
                std::string(variable) + " is '" + clean_text(asked) + "', and neither " + one + " nor " + other);
  return asked;
}

// Whether a device is treated as a GPU: as its driver says, or all alike as OCLIDE_DEVICE_KIND says, so that what is
// done for one kind can be tried on the other.
bool is_gpu(const cl::Device& device) {
  const std::string asked = chosen_of("OCLIDE_DEVICE_KIND", "gpu", "cpu");
  return asked.empty() ? (device.getInfo<CL_DEVICE_TYPE>() & CL_DEVICE_TYPE_GPU) != 0 : asked == "gpu";
}

DeviceInfo describe(const cl::Device& device, std::size_t index) {
  DeviceInfo info;
  info.id = "opencl:" + std::to_string(index);
  try {
    info.name = clean_text(trimmed(device.getInfo<CL_DEVICE_NAME>()));
    info.version = clean_text(trimmed(device.getInfo<CL_DEVICE_VERSION>()));
    info.driver = clean_text(trimmed(device.getInfo<CL_DRIVER_VERSION>()));
    info.platform = clean_text(trimmed(cl::Platform(device.getInfo<CL_DEVICE_PLATFORM>()).getInfo<CL_PLATFORM_NAME>()));
    info.is_gpu = is_gpu(device);
    const cl_device_fp_config fp = device.getInfo<CL_DEVICE_SINGLE_FP_CONFIG>();
    info.rounds_division = (fp & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
    info.has_denormals = (fp & CL_FP_DENORM) != 0;
    info.memory_bytes = device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>();
    info.largest_allocation_bytes = device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>();
    info.compute_units = device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
    info.missing = missing_of(device);
  } catch (const cl::Error& e) {
    info.missing = "an answer to " + std::string(e.what()) + " (" + error_name(e.err()) + ")";
  }
  info.usable = info.missing.empty();
  return info;
}

// The device behind an entry of opencl_devices().
cl::Device device_of(const DeviceInfo& info) {
  const std::vector<cl::Device> all = all_devices();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (info.id == "opencl:" + std::to_string(i)) return all[i];
  throw Error(ErrorKind::device, info.id + " (" + info.name + "): there is no such device");
}

cl::Device device_of(const cl::CommandQueue& queue) {
  return translate_errors("the queue's device", "OpenCL", [&] { return queue.getInfo<CL_QUEUE_DEVICE>(); });
}

// As an entry of opencl_devices(); a device that the loader does not list, such as a part of one, has no id.
DeviceInfo describe(const cl::Device& device) {
  const std::vector<cl::Device> all = all_devices();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i]() == device()) return describe(device, i);
  DeviceInfo info = describe(device, all.size());
  info.id.clear();
  return info;
}

// Whether quotients and roots are left to the device. OCLIDE_SOFTWARE_DIVIDE_SQRT has the last word. 1 is software's
// division where a device does not need it, so that it is tested anywhere. 0 is the device's own where it is not
// promised to round, so that a simulator counts the instructions that other devices have. What comes out is tried all
// the same.
bool divides_itself(const DeviceInfo& info) {
  const char* value = std::getenv("OCLIDE_SOFTWARE_DIVIDE_SQRT");
  const std::string_view asked = value != nullptr ? value : "";
  return asked == "0" || (info.rounds_division && asked != "1");
}

// An option that tells apart what is compiled under options that a user has given to the driver itself: caches, also a
// driver's own, know nothing of these. Empty where there are none.
std::string mark_of_driver_options() {
  std::string all;
  for (const char* name : {"POCL_EXTRA_BUILD_FLAGS", "AMD_OCL_BUILD_OPTIONS", "AMD_OCL_BUILD_OPTIONS_APPEND"})
    if (const char* value = std::getenv(name)) all += std::string(name) + "=" + value + "\n";
  return all.empty() ? all : " -DOCLIDE_DRIVER_OPTIONS=" + std::to_string(digest_of({all})[0]) + "UL";
}

// Registers that a work-item may take on NVIDIA's devices: with more, fewer are in flight than it takes to hide how
// long memory takes. OCLIDE_NV_REGISTERS has the last word; 0: as the compiler likes.
std::string register_limit(const cl::Device& device) {
  if (device.getInfo<CL_DEVICE_EXTENSIONS>().find("cl_nv_compiler_options") == std::string::npos) return "";
  const char* value = std::getenv("OCLIDE_NV_REGISTERS");
  const long asked = value != nullptr ? std::strtol(value, nullptr, 10) : kRegisters;
  return asked > 0 ? " -cl-nv-maxrregcount=" + std::to_string(asked) : "";
}

// NVIDIA's is one for all contexts of a process.
std::mutex& driver_of(const DeviceInfo& info, std::mutex& own) {
  static std::mutex nvidia;
  return info.platform.starts_with("NVIDIA") ? nvidia : own;
}

}  // namespace

bool optimizes_kernels() {
  return chosen_of("OCLIDE_OPTIMIZE_KERNELS", "0", "1") != "0";
}

Device::Device(const Settings& settings, const DeviceInfo& info) : Device(settings, info, device_of(info)) {
  const DriverTurn turn(driver());
  const ProgramCache cache(settings);
  bool was_there = false;
  std::tie(context_, was_there) = shared_context(info_, device_, cache);
  try {
    open(cl::CommandQueue());
  } catch (const Error&) {
    // Nobody is to try it again. One that was in use may have been lost since, with its device or by a driver's fault.
    forget_context(*context_);
    if (!was_there) throw;
    context_ = shared_context(info_, device_, cache).first;
    open(cl::CommandQueue());
  }
}

Device::Device(const Settings& settings, const cl::Context& context, const cl::CommandQueue& queue)
    : Device(settings, describe(device_of(queue)), device_of(queue)) {
  const DriverTurn turn(driver());
  context_ = shared_context(info_, device_, context, ProgramCache(settings));
  open(queue);
}

// Without its context.
Device::Device(const Settings& settings, const DeviceInfo& info, const cl::Device& device)
    : info_(info), driver_(&driver_of(info, own_driver_)), device_(device), on_compile_(settings.on_compile) {
  if (!info.usable) throw Error(ErrorKind::device, info.name + " cannot be used: it lacks " + info.missing);
  memory_limit_ = info_.memory_bytes;
  if (settings.memory_limit > 0) memory_limit_ = std::min(memory_limit_, settings.memory_limit);
}

// What belongs to this Device alone, and the options; `queue` is an application's or none.
void Device::open(const cl::CommandQueue& queue) {
  translate_errors("opening the device", info_.name, [&] {
    const cl_command_queue_properties given = queue() == nullptr ? 0 : queue.getInfo<CL_QUEUE_PROPERTIES>();
    queue_ = queue;
    has_profiling_ = (given & CL_QUEUE_PROFILING_ENABLE) != 0;
    if (queue() == nullptr || (given & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0) {
      queue_ = cl::CommandQueue(context(), device_, CL_QUEUE_PROFILING_ENABLE);
      has_profiling_ = true;
    }
    transfer_queue_ = cl::CommandQueue(context(), device_, CL_QUEUE_PROFILING_ENABLE);
    max_work_group_size_ = device_.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>();
    const std::vector<std::size_t> item_sizes = device_.getInfo<CL_DEVICE_MAX_WORK_ITEM_SIZES>();
    if (!item_sizes.empty()) max_work_group_size_ = std::min(max_work_group_size_, item_sizes[0]);
    max_work_group_size_ = std::max<std::size_t>(max_work_group_size_, 1);
  });
  const std::string further = kind_options(info_.is_gpu) + register_limit(device_) + mark_of_driver_options() +
                              (optimizes_kernels() ? "" : " -cl-opt-disable");
  build_options_ = choose_build_options(divides_itself(info_), further, info_.name,
                                        [&](const std::string& options) { return fault_with(options); });
}

// What is wrong with kernels that are compiled with these options; a program from the cache may be of another driver.
ArithmeticFault Device::fault_with(const std::string& options) {
  constexpr std::string_view kStem = "primitives/arithmetic_check";
  ArithmeticFault fault;
  for (int attempt = 0; attempt < 2; ++attempt) {
    fault = find_arithmetic_fault(*this, context_->program(kStem, options, on_compile_));
    if (fault.what.empty()) break;
    context_->forget_program(kStem, options);
  }
  return fault;
}

std::string Device::all_options(const std::string& further) const {
  return further.empty() ? build_options_ : build_options_ + " " + further;
}

cl::Program Device::program(std::string_view stem, const std::string& options) {
  const DriverTurn turn(driver());
  return context_->program(stem, all_options(options), on_compile_);
}

cl::Program Device::build(std::string_view stem, std::string_view source, const std::string& options) {
  return context_->build(stem, source, all_options(options), on_compile_);
}

cl::Kernel Device::kernel(std::string_view stem, const std::string& name, const std::string& options) {
  const DriverTurn turn(driver());
  const cl::Program compiled = program(stem, options);
  return translate_errors("kernel " + name + " of kernels/" + std::string(stem) + ".cl", info_.name,
                          [&] { return cl::Kernel(compiled, name.c_str()); });
}

std::size_t Device::work_group_size(const cl::Kernel& kernel, std::size_t wanted) const {
  const std::size_t most = std::min({wanted, max_work_group_size_, translate_errors("work-group size", info_.name, [&] {
                                       return kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device_);
                                     })});
  std::size_t size = 1;
  while (size * 2 <= most) size *= 2;
  return size;
}

void Device::finish() {
  const DriverPause pause;
  translate_errors("finish", info_.name, [&] { queue_.finish(); });
}

cl::Event Device::mark() {
  return translate_errors("mark", info_.name, [&] {
    cl::Event event;
    queue_.enqueueMarkerWithWaitList(nullptr, &event);
    queue_.flush();
    return event;
  });
}

void Device::flush() {
  translate_errors("flush", info_.name, [&] { queue_.flush(); });
}

void Device::flush_transfers() {
  translate_errors("flush", info_.name, [&] { transfer_queue_.flush(); });
}

void Device::wait_for(const std::vector<cl::Event>& events) {
  if (events.empty()) return;
  translate_errors("events to wait for", info_.name, [&] { queue_.enqueueBarrierWithWaitList(&events); });
}

bool Device::fits(std::uint64_t bytes) const {
  return bytes <= max_allocation() && memory_used_ <= memory_limit_ && bytes <= memory_limit_ - memory_used_;
}

cl::Buffer Device::allocate(std::string_view name, std::uint64_t bytes) {
  const DriverTurn turn(driver());
  const std::lock_guard lock(memory_mutex_);
  const std::uint64_t left = memory_limit_ - std::min<std::uint64_t>(memory_limit_, memory_used_);
  const auto short_of_memory = [&](std::uint64_t available, const std::string& reason) {
    return OutOfDeviceMemory(std::string(name) + ": needs " + std::to_string(bytes) + " bytes of device memory, " +
                             info_.name + " can give " + std::to_string(available) + " (" + reason + ")");
  };
  if (!fits(bytes)) {
    if (max_allocation() < left) throw short_of_memory(max_allocation(), "its largest allocation");
    throw short_of_memory(left,
                          std::to_string(memory_limit_) + " in all, " + std::to_string(memory_used_.load()) + " taken");
  }
  // Drivers allocate late; moving the memory to the device shows now whether there is any. Memory that was given back
  // may be held by commands that still run, so a second try follows when they are done.
  for (bool again = false;; again = true) {
    try {
      cl::Buffer buffer(context(), CL_MEM_READ_WRITE, bytes);
      queue_.enqueueMigrateMemObjects({buffer}, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED);
      memory_by_name_[std::string(name)] += bytes;
      memory_used_ += bytes;
      memory_peak_ = std::max<std::uint64_t>(memory_peak_, memory_used_);
      return buffer;
    } catch (const cl::Error& e) {
      if (again) throw short_of_memory(left, error_name(e.err()));
    }
    // Not finish(): whoever had the turn meanwhile might wait for the memory's lock, which this thread has.
    translate_errors("finish", info_.name, [&] { queue_.finish(); });
  }
}

void Device::release(std::string_view name, std::uint64_t bytes) {
  const std::lock_guard lock(memory_mutex_);
  memory_used_ -= bytes;
  const auto found = memory_by_name_.find(name);
  if (found != memory_by_name_.end() && (found->second -= bytes) == 0) memory_by_name_.erase(found);
}

std::vector<BufferBytes> Device::memory_by_name() const {
  const std::lock_guard lock(memory_mutex_);
  std::vector<BufferBytes> all;
  for (const auto& [name, bytes] : memory_by_name_) all.push_back({name, bytes});
  return all;
}

}  // namespace opencl

std::vector<DeviceInfo> opencl_devices() {
  std::vector<DeviceInfo> infos;
  const std::vector<cl::Device> all = opencl::all_devices();
  for (std::size_t i = 0; i < all.size(); ++i) infos.push_back(opencl::describe(all[i], i));
  return infos;
}

cl_device_id opencl_handle(const DeviceInfo& info) {
  if (info.is_reference) throw Error(ErrorKind::invalid_input, info.name + " is no OpenCL device");
  return opencl::device_of(info)();
}

DeviceInfo device_info(cl_device_id device) {
  const std::vector<cl::Device> all = opencl::all_devices();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i]() == device) return opencl::describe(all[i], i);
  throw Error(ErrorKind::invalid_input, "this cl_device_id is none of the devices that the OpenCL loader lists");
}

}  // namespace oclide
