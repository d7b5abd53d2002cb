// oclide devices --kernels: the text of every program, for compilers of devices that are not there.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>
#include <string>

#include "commands.hpp"
#include "files/whole_file.hpp"
#include "json.hpp"
#include "oclide/oclide.hpp"
#include "opencl/embedded_kernels.hpp"
#include "opencl/kernel_programs.hpp"

namespace oclide::command {
int write_kernel_texts(const DevicesOptions& options) {
  const std::filesystem::path folder = options.kernels;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Error(ErrorKind::invalid_input, options.kernels + ": cannot be made: " + error.message());

  Json programs = Json::array();
  std::set<std::string> files;
  std::size_t kernels = 0;
  for (const opencl::KernelProgram& program : opencl::kernel_programs(options.kind == "gpu")) {
    std::string file = program.stem + ".cl";
    std::replace(file.begin(), file.end(), '/', '.');
    if (files.insert(file).second) write_file((folder / file).string(), kernel_source(program.stem));
    programs.push_back(
        {{"file", file}, {"stem", program.stem}, {"options", program.options}, {"kernels", program.kernels}});
    kernels += program.kernels.size();
  }
  write_file((folder / "programs.json").string(), programs.dump(2) + "\n");
  if (options.json)
    std::cout << text_of({{"folder", options.kernels}, {"kind", options.kind}, {"programs", programs}}) << "\n";
  else
    std::cout << programs.size() << " programs of " << kernels << " kernels for a device of kind " << options.kind
              << " in " << options.kernels << "\n";
  return kDone;
}

}  // namespace oclide::command
