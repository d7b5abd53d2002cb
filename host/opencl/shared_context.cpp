#include "opencl/shared_context.hpp"

#include <tuple>

#include "embedded_kernels.hpp"
#include "opencl/driver_turn.hpp"
#include "opencl/error.hpp"

namespace oclide::opencl {
namespace {

struct Contexts {
  std::mutex mutex;
  std::map<std::pair<cl_device_id, std::string>, std::shared_ptr<SharedContext>> own;  // by device and cache folder
  std::map<std::tuple<cl_context, cl_device_id, std::string>, std::weak_ptr<SharedContext>> of_applications;
};

Contexts& contexts() {
  static Contexts& never_destroyed = *new Contexts;
  return never_destroyed;
}

}  // namespace

// What a compiled program depends on.
Digest SharedContext::key_of(std::string_view source, const std::string& options) const {
  const cl::Platform platform(device_.getInfo<CL_DEVICE_PLATFORM>());
  return digest_of({source, options, info_.name, device_.getInfo<CL_DEVICE_VENDOR>(), info_.driver, info_.version,
                    info_.platform, platform.getInfo<CL_PLATFORM_VERSION>()});
}

cl::Program SharedContext::program(std::string_view stem, const std::string& options, const OnCompile& on_compile) {
  std::shared_ptr<Compiled> compiled;
  {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Compiled>& entry = programs_[{std::string(stem), options}];
    if (entry == nullptr) entry = std::make_shared<Compiled>();
    compiled = entry;
  }
  std::unique_lock lock(compiled->mutex, std::defer_lock);
  {
    const DriverPause others;  // who compiles it may need the turn
    lock.lock();
  }
  if (compiled->program() == nullptr) compiled->program = build(stem, kernel_source(stem), options, on_compile);
  return compiled->program;
}

cl::Program SharedContext::build(std::string_view stem, std::string_view source, const std::string& options,
                                 const OnCompile& on_compile) const {
  return translate_errors("kernels/" + std::string(stem) + ".cl", info_.name, [&] {
    const Digest key = key_of(source, options);

    // From the cache; a binary that the driver does not take is built anew.
    if (const auto binary = cache_.load(key)) {
      try {
        cl::Program program(context_, {device_}, {*binary});
        program.build(device_, options.c_str());
        return program;
      } catch (const cl::Error&) {
        cache_.remove(key);
      }
    }

    if (on_compile) {
      const DriverPause others;
      on_compile(info_.name, std::string(stem));
    }
    cl::Program program(context_, std::string(source));
    try {
      program.build(device_, options.c_str());
    } catch (const cl::Error& e) {
      if (e.err() != CL_BUILD_PROGRAM_FAILURE) throw;
      throw device_error("kernels/" + std::string(stem) + ".cl does not compile", e.err(), info_.name,
                         trimmed(program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device_)));
    }

    // A driver that gives no binary leaves the cache as it is. (PoCL compiles each kernel once more for a binary.)
    if (cache_.folder().empty()) return program;
    try {
      const auto binaries = program.getInfo<CL_PROGRAM_BINARIES>();
      if (!binaries.empty()) cache_.store(key, binaries[0]);
    } catch (const cl::Error&) {
    }
    return program;
  });
}

void SharedContext::forget_program(std::string_view stem, const std::string& options) {
  {
    const std::lock_guard lock(mutex_);
    programs_.erase({std::string(stem), options});
  }
  cache_.remove(key_of(kernel_source(stem), options));
}

std::pair<std::shared_ptr<SharedContext>, bool> shared_context(const DeviceInfo& info, const cl::Device& device,
                                                               const ProgramCache& cache) {
  const auto make = [&] {
    return translate_errors("opening the device", info.name,
                            [&] { return std::make_shared<SharedContext>(info, device, cl::Context(device), cache); });
  };
  // Its contexts run one kernel at a time, and end the process where a second thread starts another.
  if (info.platform == "Oclgrind") return {make(), false};
  Contexts& contexts = opencl::contexts();
  const std::lock_guard lock(contexts.mutex);
  std::shared_ptr<SharedContext>& context = contexts.own[{device(), cache.folder().string()}];
  const bool was_there = context != nullptr;
  if (!was_there) context = make();
  return {context, was_there};
}

std::shared_ptr<SharedContext> shared_context(const DeviceInfo& info, const cl::Device& device,
                                              const cl::Context& of_application, const ProgramCache& cache) {
  Contexts& contexts = opencl::contexts();
  const std::lock_guard lock(contexts.mutex);
  std::erase_if(contexts.of_applications, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<SharedContext>& entry = contexts.of_applications[{of_application(), device(), cache.folder().string()}];
  std::shared_ptr<SharedContext> context = entry.lock();
  if (context == nullptr) entry = context = std::make_shared<SharedContext>(info, device, of_application, cache);
  return context;
}

void forget_context(const SharedContext& context) {
  const std::lock_guard lock(contexts().mutex);
  std::erase_if(contexts().own, [&](const auto& entry) { return entry.second.get() == &context; });
}

void forget_contexts() {
  const std::lock_guard lock(contexts().mutex);
  contexts().own.clear();
  contexts().of_applications.clear();
}

}  // namespace oclide::opencl
