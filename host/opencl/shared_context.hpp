// OpenCL contexts with the programs compiled in them, one a device and process: who opens a device again compiles
// nothing, and reads nothing from the cache on disk.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "oclide/oclide.hpp"
#include "opencl/cl.hpp"
#include "opencl/program_cache.hpp"

namespace oclide::opencl {

/// As Settings::on_compile.
using OnCompile = std::function<void(const std::string& device, const std::string& kernels)>;

/// May be used from several threads.
class SharedContext {
 public:
  /// `info` describes the device, which is one of the context's.
  SharedContext(DeviceInfo info, cl::Device device, cl::Context context, ProgramCache cache)
      : info_(std::move(info)), device_(std::move(device)), context_(std::move(context)), cache_(std::move(cache)) {}

  [[nodiscard]] const cl::Context& get() const { return context_; }
  [[nodiscard]] const ProgramCache& cache() const { return cache_; }

  /// kernels/<stem>.cl, compiled once for each set of options. Threads that need the same program wait for the one that
  /// compiles it, and for no other. Throws Error(device) for an unknown stem, or with the compiler's log.
  cl::Program program(std::string_view stem, const std::string& options, const OnCompile& on_compile);
  /// Compiles a text that is not embedded, or takes it from the cache on disk.
  cl::Program build(std::string_view stem, std::string_view source, const std::string& options,
                    const OnCompile& on_compile) const;
  /// Such a program is compiled anew when it is needed next: it is gone from memory and disk.
  void forget_program(std::string_view stem, const std::string& options);

 private:
  struct Compiled {
    std::recursive_mutex mutex;  // on_compile may open another device, which needs the same
    cl::Program program;
  };

  [[nodiscard]] Digest key_of(std::string_view source, const std::string& options) const;

  DeviceInfo info_;
  cl::Device device_;
  cl::Context context_;
  ProgramCache cache_;
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<Compiled>> programs_;  // by stem and options
};

/// The context of this device for those who keep programs in the same folder, and whether it was there before. It lives
/// as long as the process, at whose end drivers may be gone before anything could be given back to them. On Oclgrind it
/// is always a new one.
[[nodiscard]] std::pair<std::shared_ptr<SharedContext>, bool> shared_context(const DeviceInfo& info,
                                                                             const cl::Device& device,
                                                                             const ProgramCache& cache);

/// The same in a context of an application's: it lives as long as somebody has it.
[[nodiscard]] std::shared_ptr<SharedContext> shared_context(const DeviceInfo& info, const cl::Device& device,
                                                            const cl::Context& of_application,
                                                            const ProgramCache& cache);

/// From now on shared_context() gives others than this one, which lives as long as somebody has it; other than all.
void forget_context(const SharedContext& context);
void forget_contexts();

}  // namespace oclide::opencl
