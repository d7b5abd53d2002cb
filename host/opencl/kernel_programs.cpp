#include "opencl/kernel_programs.hpp"

#include <algorithm>
#include <regex>
#include <string_view>

#include "opencl/arithmetic_check.hpp"
#include "opencl/embedded_kernels.hpp"

namespace oclide::opencl {
namespace {

// Programs that are compiled in several ways: the types that SCAN or KEY stands for.
struct Variants {
  std::string_view stem, define;
};
constexpr Variants kVariants[] = {{"primitives/exclusive_scan", "SCAN"}, {"primitives/radix_sort", "KEY"}};
constexpr std::string_view kTypes[] = {"uint", "ulong"};

// Kernels of all shapes at once, which a GPU does without (narrow_phase/pair_contacts.cpp).
constexpr std::string_view kFused = "narrow_phase/fused_";

// No kernels of the pipeline: what layouts are for applications.
constexpr std::string_view kText = "shared/device_layout";

std::string after_last(std::string_view text, char c) {
  return std::string(text.substr(text.rfind(c) + 1));
}

// Kernels written out, and the one that a macro makes of the file's own stem. Of kernels in two forms, for groups of
// one work-item and of many, those of the kind.
std::vector<std::string> kernels_of(std::string_view stem, bool is_gpu) {
  static const std::regex written(R"(__kernel\s+void\s+(\w+)\s*\()"), made(R"(\n[A-Z_]+_KERNEL(?:_OF)?\((\w+))");
  const std::string source(kernel_source(stem)), own = after_last(stem, '/');
  const char* other_form = is_gpu ? "_serial" : "_group";
  std::vector<std::string> names;
  for (const std::regex* kind : {&written, &made})
    for (std::sregex_iterator match(source.begin(), source.end(), *kind), end; match != end; ++match) {
      const std::string name = (*match)[1];
      const bool is_own = kind == &written ? name != "name" : name.ends_with("_" + own);
      if (is_own && !name.ends_with(other_form)) names.push_back(name);
    }
  return names;
}

}  // namespace

std::vector<KernelProgram> kernel_programs(bool is_gpu) {
  std::vector<KernelProgram> programs;
  const std::string common = build_options(true) + kind_options(is_gpu);
  for (const std::string_view stem : kernel_stems()) {
    if (stem == kText || (is_gpu && stem.starts_with(kFused))) continue;
    const std::vector<std::string> kernels = kernels_of(stem, is_gpu);
    const auto* const variants =
        std::find_if(std::begin(kVariants), std::end(kVariants), [&](const Variants& v) { return v.stem == stem; });
    if (variants == std::end(kVariants)) {
      programs.push_back({std::string(stem), common, kernels});
      continue;
    }
    for (const std::string_view type : kTypes)
      programs.push_back({std::string(stem),
                          common + " -D" + std::string(variants->define) + "=" + std::string(type) +
                              (is_gpu ? " -DSERIAL=0" : " -DSERIAL=1"),
                          kernels});
  }
  return programs;
}

}  // namespace oclide::opencl
