// How long a device's compiler takes for each program of the project, and what it makes of the kernels.
//
//   bench_compile_kernels [--device opencl:K] [--processes N] [--binaries FOLDER]
//
// One JSON object a line, a line a program: seconds, whether the cache had it, bytes of the binary, and for each kernel
// the largest work-group, private and local bytes as the driver says. Programs are compiled in N processes side by
// side, and go to the cache that every Collider looks in. --binaries keeps what the driver gives (PTX on NVIDIA's).
#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "chosen_device.hpp"
#include "opencl/arithmetic_check.hpp"
#include "opencl/device.hpp"
#include "opencl/kernel_programs.hpp"
#include "process/child_process.hpp"

namespace {

using Json = nlohmann::ordered_json;
using oclide::opencl::KernelProgram;

struct Options {
  std::string device;
  std::string binaries;
  std::size_t processes = 1;
  int only = -1;  // one program, in this process
};

Json compile(const Options& options, const KernelProgram& program) {
  const oclide::DeviceInfo info = oclide::bench::chosen_device(options.device);
  bool was_compiled = false;
  oclide::Settings settings;
  settings.on_compile = [&](const std::string&, const std::string&) { was_compiled = true; };
  oclide::opencl::Device device(settings, info);
  was_compiled = false;
  const std::string common = oclide::opencl::build_options(true) + oclide::opencl::kind_options(info.is_gpu);
  std::string further = program.options.substr(common.size());
  further.erase(0, further.find_first_not_of(' ') == std::string::npos ? further.size() : 1);

  const auto start = std::chrono::steady_clock::now();
  const cl::Program built = device.program(program.stem, further);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto binary = built.getInfo<CL_PROGRAM_BINARIES>().at(0);
  Json json = {
      {"stem", program.stem},          {"options", further},      {"seconds", seconds}, {"cached", !was_compiled},
      {"binary_bytes", binary.size()}, {"kernels", Json::array()}};
  for (const std::string& name : program.kernels) {
    const cl::Kernel kernel(built, name.c_str());
    const auto size = kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device.device());
    const auto multiple = kernel.getWorkGroupInfo<CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE>(device.device());
    json["kernels"].push_back({{"name", name},
                               {"work_group_size", size},
                               {"preferred_multiple", multiple},
                               {"private_bytes", kernel.getWorkGroupInfo<CL_KERNEL_PRIVATE_MEM_SIZE>(device.device())},
                               {"local_bytes", kernel.getWorkGroupInfo<CL_KERNEL_LOCAL_MEM_SIZE>(device.device())}});
  }
  if (!options.binaries.empty()) {
    std::string file = program.stem + further;
    for (char& c : file)
      if (c == '/' || c == ' ' || c == '=') c = '.';
    std::ofstream(std::filesystem::path(options.binaries) / (file + ".bin"), std::ios::binary)
        .write(reinterpret_cast<const char*>(binary.data()), static_cast<std::streamsize>(binary.size()));
  }
  return json;
}

int compile_all(const Options& options, const std::vector<KernelProgram>& programs) {
  std::atomic<std::size_t> next = 0;
  std::atomic<int> failed = 0;
  std::mutex output;
  const auto work = [&] {
    for (std::size_t k = next++; k < programs.size(); k = next++) {
      oclide::process::Program self{.command = {"/proc/self/exe", "--only", std::to_string(k)}};
      for (const auto& [name, value] : {std::pair("--device", options.device), {"--binaries", options.binaries}})
        if (!value.empty()) self.command.insert(self.command.end(), {name, value});
      const oclide::process::Finished done = oclide::process::run(self);
      const std::scoped_lock lock(output);
      if (done.ending.status == 0) {
        std::cout << done.output << std::flush;
        continue;
      }
      failed = 1;
      std::cout << Json{{"stem", programs[k].stem},
                        {"options", programs[k].options},
                        {"error", oclide::process::to_string(done.ending) + ": " + done.errors}}
                       .dump(-1, ' ', false, Json::error_handler_t::replace)
                << "\n"
                << std::flush;
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < options.processes; ++k) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  return failed;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Compile every program of the project for a device"};
  app.add_option("--device", options.device, "opencl:K; the first usable one if not given");
  app.add_option("--processes", options.processes, "Compilers at a time")->check(CLI::Range(1, 256));
  app.add_option("--binaries", options.binaries, "Existing folder that takes the drivers' binaries");
  app.add_option("--only", options.only, "A program by its number, in this process");
  CLI11_PARSE(app, argc, argv);
  try {
    const bool is_gpu = oclide::bench::chosen_device(options.device).is_gpu;
    const std::vector<KernelProgram> programs = oclide::opencl::kernel_programs(is_gpu);
    if (options.only < 0) return compile_all(options, programs);
    std::cout << compile(options, programs.at(static_cast<std::size_t>(options.only))).dump() << "\n";
    return 0;
  } catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 3;
  }
}
